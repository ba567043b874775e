/* boolean_mask: the rows where index is not 0, whose number is known only at run time (src/operator/contrib/boolean_mask-inl.h). Also
 * MXNet 2's x[index], which is the same for bools, and for integers gives the rows with these indices
 * (src/operator/numpy/np_indexing_op.cc). */
#include "op/op.h"

struct mask {
    int64_t axis;
};

static const struct mx_attr attrs[] = {MX_AXIS(struct mask, axis, "0")};

static int infer_mask(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input_at_least(c, 0, 1, &s));
    MX_TRY(mx_input_is_dims(c, 1, &s.dims[0], 1));
    struct mx_dim_list dims = mx_dims_like(c, s);
    mx_put_dim(&dims, 0, mx_open_dim(c, 0, s.ndim, 0));
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    out[0] = ox_node(b, OX_Compress, OX_IN(in[0], ox_is_true(b, in[1])), OX_ATTRS(OX_I("axis", 0)));
}

static int infer(struct mx_infer *c)
{
    const struct mask *a = c->attrs;
    return a->axis == 0 ? infer_mask(c) : mx_infer_fail(c, "axis", MX_SUBJECT "is %lld, but must be 0, in MXNet too", (long long)a->axis);
}

static int infer_index(struct mx_infer *c)
{
    struct mx_shape s, index;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_inputs_typed(c));
    if (mx_input_dtype(c, 1) == MX_BOOL) {
        return infer_mask(c);
    }
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input_at_least(c, 0, 1, &s));
    MX_TRY(mx_input(c, 1, &index));
    mx_push_dims(&dims, index.dims, index.ndim);
    mx_push_dims(&dims, s.dims + 1, s.ndim - 1);
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower_index(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    if (ox_dtype(b, in[1]) == MX_BOOL) {
        lower(b, n, in, out);
        return;
    }
    out[0] = ox_gather(b, in[0], ox_dtype(b, in[1]) == MX_INT32 ? in[1] : ox_cast(b, in[1], MX_INT64), 0);
}

const struct mx_op mx_ops_boolean_mask[] = {
    {
        .name = "_contrib_boolean_mask",
        .alias = "_npi_boolean_mask",
        MX_ATTRS(attrs, struct mask),
        .inputs = "data index:exact",
        .infer = infer,
        .lower = lower,
    },
    {
        .name = "_npi_advanced_indexing",
        .inputs = "data indices:exact",
        .infer = infer_index,
        .lower = lower_index,
        .differs =
            "Integer indices, if these or the data are empty: the result keeps the other axes of the data; that of MXNet 2.0.0b1 is an "
            "empty vector.",
    },
    MX_OPS_END,
};
