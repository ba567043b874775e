/* Normalisation over groups of channels (src/operator/nn/group_norm.cc). MXNet 1.x has one gamma and beta per group, 2.0 one per
 * channel: the length of the stored vector shows which, and if that is open, the version of the file. */
#include "onnx/builder/build.h"
#include "op/op.h"

struct group_norm {
    int64_t num_groups;
    double eps;
    bool output_mean_var;
};

static const struct mx_attr attrs[] = {
    MX_COUNT(struct group_norm, num_groups, "1"),
    MX_FLOAT(struct group_norm, eps, "1e-05"),
    MX_BOOL(struct group_norm, output_mean_var, "False"),
    MX_ATTRS_END,
};

static int n_outputs(const void *attrs_)
{
    return ((const struct group_norm *)attrs_)->output_mean_var ? 3 : 1;
}

static int infer_vectors(struct mx_infer *c, mx_dim channels)
{
    const struct group_norm *a = c->attrs;
    mx_dim length = mx_is_mxnet2(c) ? channels : mx_dim_of(a->num_groups);
    for (int i = 1; i <= 2; i++) {
        struct mx_shape v;
        int64_t size;
        if (mx_input(c, i, &v) == MX_OK && v.ndim == 1 && mx_dim_known(c->dims, v.dims[0], &size)) {
            length = size == a->num_groups ? mx_dim_of(a->num_groups) : channels;
        }
    }
    MX_TRY(mx_input_is_dims(c, 1, &length, 1));
    return mx_input_is_dims(c, 2, &length, 1);
}

static int infer(struct mx_infer *c)
{
    const struct group_norm *a = c->attrs;
    struct mx_shape x;
    int64_t channels;
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input_at_least(c, 0, 3, &x));
    if (a->num_groups < 1 || (mx_dim_known(c->dims, x.dims[1], &channels) && channels % a->num_groups != 0)) {
        return mx_infer_fail(c, "num_groups", "is %lld, but must divide the number of channels", (long long)a->num_groups);
    }
    MX_TRY(infer_vectors(c, x.dims[1]));
    for (int i = 1; i < c->node->n_out; i++) {
        MX_TRY(mx_output_dtype_is(c, i, mx_output_dtype(c, 0)));
        MX_TRY(mx_output_is_dims(c, i, (const mx_dim[]){x.dims[0], mx_dim_of(a->num_groups)}, 2));
    }
    return mx_output_is(c, 0, x);
}

static ox_val scale(struct ox_build *b, ox_val x, const ox_val *in)
{
    const int rank = ox_rank(b, x);
    return ox_add(b, ox_mul(b, x, ox_along(b, in[1], 1, rank)), ox_along(b, in[2], 1, rank));
}

static ox_val instance_norm(struct ox_build *b, const struct group_norm *a, ox_val x, ox_val gamma, ox_val beta)
{
    return ox_node(b, OX_InstanceNormalization, OX_IN(x, gamma, beta), OX_ATTRS(OX_F("epsilon", a->eps)));
}

/* x is (N, groups, cells). Writes the other outputs as well: mean and deviation. */
static ox_val composed(struct ox_build *b, const struct group_norm *a, ox_val x, ox_val *out)
{
    ox_val mean, var;
    const ox_val centred = ox_moments(b, x, (const int64_t[]){2}, 1, &mean, &var);
    const ox_val deviation = ox_unary(b, OX_Sqrt, ox_add(b, var, ox_scalar_like(b, var, a->eps)));
    out[1] = ox_squeeze1(b, mean, 2);
    out[2] = ox_squeeze1(b, deviation, 2);
    return ox_div(b, centred, deviation);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct group_norm *a = n->attrs;
    int64_t channels = 0, length = 0;
    (void)ox_size_at(b, in[0], 1, &channels);
    (void)ox_size_at(b, in[1], 0, &length);
    const bool per_group = length == a->num_groups;
    if (!a->output_mean_var && channels == a->num_groups) {
        out[0] = instance_norm(b, a, in[0], in[1], in[2]);
        return;
    }
    if (!a->output_mean_var && !per_group && ox_has(b, OX_GroupNormalization)) {
        out[0] = ox_node(b, OX_GroupNormalization, OX_IN(in[0], in[1], in[2]),
                         OX_ATTRS(OX_F("epsilon", a->eps), OX_I("num_groups", a->num_groups)));
        return;
    }
    const enum mx_dtype t = ox_dtype(b, in[0]);
    const mx_dim group_count = mx_dim_of(a->num_groups);
    const struct mx_shape groups = {1, &group_count};
    ox_val x = ox_reshape_ints(b, in[0], (const int64_t[]){0, a->num_groups, -1}, 3);
    if (a->output_mean_var) {
        x = composed(b, a, x, out);
        x = per_group ? scale(b, x, in) : x;
    } else if (per_group) {
        x = instance_norm(b, a, x, in[1], in[2]);
    } else {
        x = instance_norm(b, a, x, ox_fill(b, t, groups, 1), ox_fill(b, t, groups, 0));
    }
    x = ox_reshape_shape(b, x, ox_shape(b, in[0]));
    out[0] = per_group ? x : scale(b, x, in);
}

const struct mx_op mx_ops_group_norm[] = {
    {
        .name = "GroupNorm",
        .single = true,
        .alias = "_npx_group_norm",
        MX_ATTRS(attrs, struct group_norm),
        .inputs = "data gamma:learned beta:learned",
        .outputs = "output mean std",
        .n_outputs = n_outputs,
        .infer = infer,
        .lower = lower,
    },
    MX_OPS_END,
};
