/* LayerNorm: normalisation along one axis (src/operator/nn/layer_norm.cc). GroupNorm: over groups of channels (group_norm.cc); MXNet 1.x
 * has one gamma and beta per group, 2.0 one per channel: the length of the stored vector shows which, and if that is open, the version of
 * the file. Both give the mean and the deviation, too, if asked. */
#include "op/op.h"

struct norm {
    int64_t axis, num_groups;
    double eps;
    bool output_mean_var;
};

#define COMMON_ATTRS MX_FLOAT(struct norm, eps, "1e-05"), MX_BOOL(struct norm, output_mean_var, "False")

static const struct mx_attr layer_attrs[] = {MX_AXIS(struct norm, axis, "-1"), COMMON_ATTRS};
static const struct mx_attr group_attrs[] = {MX_COUNT(struct norm, num_groups, "1"), COMMON_ATTRS};

/* Input 0 and output 0 have shape x, the outputs after it these dims. */
static int infer_outputs(struct mx_infer *c, struct mx_shape x, const mx_dim *moments, int n)
{
    for (int i = 1; i < c->node->n_out; i++) {
        MX_TRY(mx_output_dtype_is(c, i, mx_output_dtype(c, 0)));
        MX_TRY(mx_output_is_dims(c, i, moments, n));
    }
    return mx_output_is(c, 0, x);
}

/* x minus its mean, divided by the deviation sqrt(variance + eps). */
static ox_val normalised(struct ox_build *b, ox_val x, int64_t axis, double eps, ox_val *mean, ox_val *deviation)
{
    ox_val variance;
    const ox_val centred = ox_moments(b, x, &axis, 1, mean, &variance);
    *deviation = ox_unary(b, OX_Sqrt, ox_add(b, variance, ox_scalar_like(b, variance, eps)));
    return ox_div(b, centred, *deviation);
}

static ox_val scaled(struct ox_build *b, ox_val x, const ox_val *in, int axis)
{
    const int rank = ox_rank(b, x);
    return ox_add(b, ox_mul(b, x, ox_along(b, in[1], axis, rank)), ox_along(b, in[2], axis, rank));
}

/* ---- LayerNorm */

static int infer_layer(struct mx_infer *c)
{
    const struct norm *a = c->attrs;
    struct mx_shape x;
    int axis;
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input(c, 0, &x));
    MX_TRY(mx_axis(c, a->axis, x.ndim, "axis", &axis));
    MX_TRY(mx_input_is_dims(c, 1, &x.dims[axis], 1));
    MX_TRY(mx_input_is_dims(c, 2, &x.dims[axis], 1));
    struct mx_dim_list moments = mx_dims_like(c, x);
    mx_put_dim(&moments, axis, mx_dim_of(1));
    return infer_outputs(c, x, moments.v, moments.n);
}

static void lower_layer(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct norm *a = n->attrs;
    const int last = ox_rank(b, in[0]) - 1, axis = (int)mx_wrap(a->axis, ox_rank(b, in[0]));
    ox_val moments[2];
    if (!a->output_mean_var && ox_has(b, OX_LayerNormalization)) { /* one node, with the axis at the end */
        const ox_val x = ox_move_axis(b, in[0], axis, last);
        const ox_val y = ox_node(b, OX_LayerNormalization, OX_IN(x, in[1], in[2]), OX_ATTRS(OX_I("axis", -1), OX_F("epsilon", a->eps)));
        out[0] = ox_move_axis(b, y, last, axis);
        return;
    }
    out[0] = scaled(b, normalised(b, in[0], axis, a->eps, &moments[0], &moments[1]), in, axis);
    for (int i = 1; i < n->n_out; i++) {
        out[i] = moments[i - 1];
    }
}

/* ---- GroupNorm */

static int infer_vectors(struct mx_infer *c, mx_dim channels)
{
    const struct norm *a = c->attrs;
    mx_dim length = mx_is_mxnet2(c) ? channels : mx_dim_of(a->num_groups);
    for (int i = 1; i <= 2; i++) {
        struct mx_shape v;
        int64_t size;
        MX_TRY(mx_input_rank(c, i, 1, &v));
        if (mx_dim_known(c->dims, v.dims[0], &size)) {
            length = size == a->num_groups ? mx_dim_of(a->num_groups) : channels;
        }
    }
    MX_TRY(mx_input_is_dims(c, 1, &length, 1));
    return mx_input_is_dims(c, 2, &length, 1);
}

static int infer_group(struct mx_infer *c)
{
    const struct norm *a = c->attrs;
    struct mx_shape x;
    int64_t channels;
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input_at_least(c, 0, 3, &x));
    MX_TRY(mx_positive(c, "num_groups", a->num_groups));
    if (mx_dim_known(c->dims, x.dims[1], &channels) && channels % a->num_groups != 0) {
        return mx_infer_fail(c, "num_groups", MX_SUBJECT "is %lld, but must divide the number of channels, %lld", (long long)a->num_groups,
                             (long long)channels);
    }
    MX_TRY(infer_vectors(c, x.dims[1]));
    return infer_outputs(c, x, (const mx_dim[]){x.dims[0], mx_dim_of(a->num_groups)}, 2);
}

static ox_val instance_norm(struct ox_build *b, const struct norm *a, ox_val x, ox_val gamma, ox_val beta)
{
    return ox_node(b, OX_InstanceNormalization, OX_IN(x, gamma, beta), OX_ATTRS(OX_F("epsilon", a->eps)));
}

static void lower_group(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct norm *a = n->attrs;
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
        ox_val mean, deviation;
        x = normalised(b, x, 2, a->eps, &mean, &deviation); /* of (N, groups, cells) */
        out[1] = ox_squeeze1(b, mean, 2);
        out[2] = ox_squeeze1(b, deviation, 2);
        x = per_group ? scaled(b, x, in, 1) : x;
    } else if (per_group) {
        x = instance_norm(b, a, x, in[1], in[2]);
    } else {
        x = instance_norm(b, a, x, ox_fill(b, t, groups, 1), ox_fill(b, t, groups, 0));
    }
    x = ox_reshape_shape(b, x, ox_shape(b, in[0]));
    out[0] = per_group ? x : scaled(b, x, in, 1);
}

#define ROW(mx, other_name, table, rule, write)                                                                                            \
    {                                                                                                                                      \
        .name = (mx), .alias = (other_name), MX_ATTRS(table, struct norm), .inputs = "data gamma:learned beta:learned",                    \
        .outputs = "output mean:if(output_mean_var) std:if(output_mean_var)", .infer = (rule), .lower = (write), .single = true,           \
    }

const struct mx_op mx_ops_layer_norm[] = {
    ROW("GroupNorm", "_npx_group_norm", group_attrs, infer_group, lower_group),
    ROW("LayerNorm", "_npx_layer_norm", layer_attrs, infer_layer, lower_layer),
    MX_OPS_END,
};
