/* one_hot, and _onehot_encode: indices (n) into the shape of rhs (n, classes). An index outside 0 .. depth-1 gives a row of off_value;
 * ONNX's OneHot counts negative ones from the end and lacks most element types: so the indices are compared with 0 .. depth-1. */
#include <math.h>

#include "op/op.h"

struct one_hot {
    int64_t depth;
    double on_value, off_value;
    enum mx_dtype dtype;
};

static const struct mx_attr attrs[] = {
    MX_COUNT(struct one_hot, depth, NULL),
    MX_DOUBLE(struct one_hot, on_value, "1"),
    MX_DOUBLE(struct one_hot, off_value, "0"),
    MX_DTYPE(struct one_hot, dtype, "float32"),
};

/* The indices' shape may follow from the result alone: for a label that otherwise only a loss reads. */
static int infer(struct mx_infer *c)
{
    const struct one_hot *a = c->attrs;
    const struct mx_shape known = mx_output(c, 0);
    struct mx_shape s;
    MX_TRY(mx_check_dtype(c, a->dtype));
    MX_TRY(mx_output_dtype_is(c, 0, a->dtype));
    if (known.ndim > 1) {
        MX_TRY(mx_input_is_dims(c, 0, known.dims, known.ndim - 1));
    }
    MX_TRY(mx_input(c, 0, &s));
    struct mx_dim_list dims = mx_dims_like(c, s);
    mx_push_dim(&dims, mx_dim_of(a->depth));
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static ox_val value(struct ox_build *b, enum mx_dtype t, double v)
{
    return ox_scalar(b, t, mx_dtype_is_integer(t) ? trunc(v) : v);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct one_hot *a = n->attrs;
    const ox_val index = ox_unsqueeze1(b, ox_cast(b, in[0], MX_INT64), ox_rank(b, in[0]));
    const ox_val hit = ox_binary(b, OX_Equal, index, ox_range(b, mx_dim_of(a->depth)));
    out[0] = a->on_value == 1 && a->off_value == 0 ? ox_cast(b, hit, a->dtype)
                                                   : ox_where(b, hit, value(b, a->dtype, a->on_value), value(b, a->dtype, a->off_value));
}

/* ---- _onehot_encode */

static int infer_onehot(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_same_dtype(c, 0, 1));
    MX_TRY(mx_input_rank(c, 1, 2, &s));
    MX_TRY(mx_input_is_dims(c, 0, s.dims, 1));
    return mx_output_is(c, 0, s);
}

static void lower_onehot(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const ox_val at = ox_unsqueeze1(b, ox_cast(b, in[0], MX_INT64), 1);
    const ox_val classes = ox_range(b, n->out[0].shape.dims[1]);
    out[0] = ox_cast(b, ox_binary(b, OX_Equal, at, classes), n->out[0].dtype);
}

const struct mx_op mx_ops_one_hot[] = {
    {.name = "_onehot_encode", .alias = "onehot_encode", .inputs = "lhs:exact rhs", .infer = infer_onehot, .lower = lower_onehot},
    {
        .name = "one_hot",
        .alias = "_npx_one_hot",
        MX_ATTRS(attrs, struct one_hot),
        .inputs = "indices:exact",
        .infer = infer,
        .lower = lower,
    },
    MX_OPS_END,
};
