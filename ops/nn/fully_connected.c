/* A dense layer (src/operator/nn/fully_connected.cc). */
#include "op/op.h"

struct dense {
    int64_t num_hidden;
    bool no_bias, flatten;
};

static const struct mx_attr attrs[] = {
    MX_COUNT(struct dense, num_hidden, NULL),
    MX_BOOL(struct dense, no_bias, "False"),
    MX_BOOL(struct dense, flatten, "True"),
};

static int infer(struct mx_infer *c)
{
    const struct dense *a = c->attrs;
    MX_TRY(mx_positive(c, "num_hidden", a->num_hidden));
    const mx_dim hidden = mx_dim_of(a->num_hidden);
    struct mx_shape x;
    MX_TRY(mx_same_dtype(c, 0, -1));
    if (!a->no_bias) {
        MX_TRY(mx_input_is_dims(c, 2, &hidden, 1));
    }
    if (mx_in_value(c->node, 0)->shape.ndim < 0 && mx_output(c, 0).ndim < 0 && a->flatten) {
        MX_TRY(mx_output_is_dims(c, 0, (const mx_dim[]){mx_dim_unknown(c->dims), hidden}, 2));
    }
    MX_TRY(mx_input_at_least(c, 0, 1, &x));
    struct mx_dim_list out = mx_no_dims(c);
    mx_push_dims(&out, x.dims, a->flatten ? 1 : x.ndim - 1);
    mx_push_dim(&out, hidden);
    const mx_dim width = a->flatten ? mx_dim_product(c->dims, x.dims + 1, x.ndim - 1) : x.dims[x.ndim - 1];
    MX_TRY(mx_input_is_dims(c, 1, (const mx_dim[]){hidden, width}, 2));
    return mx_output_is(c, 0, mx_list_shape(&out));
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct dense *a = n->attrs;
    const int rank = ox_rank(b, in[0]);
    const ox_val bias = n->n_in > 2 ? in[2] : OX_NONE;
    if (a->flatten || rank == 2) {
        const ox_val x = rank == 2 ? in[0] : ox_node(b, OX_Flatten, OX_IN(in[0]), OX_ATTRS(OX_I("axis", 1)));
        out[0] = ox_node(b, OX_Gemm, OX_IN(x, in[1], bias), OX_ATTRS(OX_I("transB", 1)));
        return;
    }
    const ox_val y = ox_matmul(b, in[0], ox_swap_axes(b, in[1], 0, 1));
    out[0] = bias == OX_NONE ? y : ox_add(b, y, bias);
}

const struct mx_op mx_ops_fully_connected[] = {
    {
        .name = "FullyConnected",
        .alias = "_npx_fully_connected _sparse_FullyConnected",
        MX_ATTRS(attrs, struct dense),
        .inputs = "data weight:learned bias:learned:unless(no_bias)",
        .infer = infer,
        .lower = lower,
        .any_rank = true,
        .fusion = MX_FUSION_DENSE,
    },
    MX_OPS_END,
};
