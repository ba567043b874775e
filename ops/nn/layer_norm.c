/* Normalisation along one axis (src/operator/nn/layer_norm.cc). */
#include "onnx/builder/build.h"
#include "op/op.h"

struct layer_norm {
    int64_t axis;
    double eps;
    bool output_mean_var;
};

static const struct mx_attr attrs[] = {
    MX_AXIS(struct layer_norm, axis, "-1"),
    MX_FLOAT(struct layer_norm, eps, "1e-05"),
    MX_BOOL(struct layer_norm, output_mean_var, "False"),
    MX_ATTRS_END,
};

static int n_outputs(const void *attrs_)
{
    return ((const struct layer_norm *)attrs_)->output_mean_var ? 3 : 1;
}

static int infer(struct mx_infer *c)
{
    const struct layer_norm *a = c->attrs;
    struct mx_shape x;
    int axis;
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input(c, 0, &x));
    MX_TRY(mx_axis(c, a->axis, x.ndim, "axis", &axis));
    MX_TRY(mx_input_is_dims(c, 1, &x.dims[axis], 1));
    MX_TRY(mx_input_is_dims(c, 2, &x.dims[axis], 1));
    MX_TRY(mx_output_is(c, 0, x));
    struct mx_dim_list moments = mx_no_dims(c);
    for (int i = 0; i < x.ndim; i++) {
        mx_put_dim(&moments, i, i == axis ? mx_dim_of(1) : x.dims[i]);
    }
    for (int i = 1; i < c->node->n_out; i++) {
        MX_TRY(mx_output_dtype_is(c, i, mx_output_dtype(c, 0)));
        MX_TRY(mx_output_is_dims(c, i, moments.v, moments.n));
    }
    return MX_OK;
}

/* One node, with the axis at the end. */
static ox_val fused(struct ox_build *b, const struct layer_norm *a, const ox_val *in, int axis)
{
    const int last = ox_rank(b, in[0]) - 1;
    const ox_val x = ox_move_axis(b, in[0], axis, last);
    const ox_val y = ox_node(b, OX_LayerNormalization, OX_IN(x, in[1], in[2]), OX_ATTRS(OX_I("axis", -1), OX_F("epsilon", a->eps)));
    return ox_move_axis(b, y, last, axis);
}

/* The definition; the other outputs are the mean and the deviation sqrt(var + eps). */
static void composed(struct ox_build *b, const struct layer_norm *a, const ox_val *in, int axis, ox_val *out)
{
    const int rank = ox_rank(b, in[0]);
    ox_val mean, var;
    const ox_val centred = ox_moments(b, in[0], (const int64_t[]){axis}, 1, &mean, &var);
    const ox_val deviation = ox_unary(b, OX_Sqrt, ox_add(b, var, ox_scalar_like(b, var, a->eps)));
    const ox_val scaled = ox_mul(b, ox_div(b, centred, deviation), ox_along(b, in[1], axis, rank));
    out[0] = ox_add(b, scaled, ox_along(b, in[2], axis, rank));
    if (a->output_mean_var) {
        out[1] = mean;
        out[2] = deviation;
    }
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct layer_norm *a = n->attrs;
    const int axis = (int)mx_wrap(a->axis, ox_rank(b, in[0]));
    if (!a->output_mean_var && ox_has(b, OX_LayerNormalization)) {
        out[0] = fused(b, a, in, axis);
    } else {
        composed(b, a, in, axis, out);
    }
}

const struct mx_op mx_ops_layer_norm[] = {
    {
        .name = "LayerNorm",
        .single = true,
        .alias = "_npx_layer_norm",
        MX_ATTRS(attrs, struct layer_norm),
        .inputs = "data gamma:learned beta:learned",
        .outputs = "output mean std",
        .n_outputs = n_outputs,
        .infer = infer,
        .lower = lower,
    },
    MX_OPS_END,
};
