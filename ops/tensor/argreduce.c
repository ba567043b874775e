/* argmax, argmin: the index has the type of the data (src/operator/tensor/broadcast_reduce_op_index.cc). */
#include "op/op.h"

struct arg {
    struct mx_opt_int axis;
    bool keepdims;
};

static const struct mx_attr attrs[] = {
    MX_AXIS_NONE(struct arg, axis, "None"),
    MX_BOOL(struct arg, keepdims, "False"),
};

static const struct arg channel = {.axis = {true, 1}};

/* argmax_channel has no attributes. */
static const struct arg *attrs_of(const struct mx_node *n)
{
    return n->attrs ? n->attrs : &channel;
}

/* ReduceAxisShapeImpl: without an axis, or for a vector, the result is (1). */
static int infer(struct mx_infer *c)
{
    const struct arg *a = attrs_of(c->node);
    struct mx_shape s;
    int axis;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(a->axis.given ? mx_axis(c, a->axis.v, s.ndim, "axis", &axis) : MX_OK);
    const struct mx_axes reduced = mx_tuple_axes((struct mx_tuple){a->axis.given, a->axis.given, &a->axis.v}, s.ndim);
    MX_TRY(mx_refuse_empty(c, s, reduced));
    const struct mx_dim_list dims = mx_reduced(c, s, reduced, a->keepdims);
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct arg *a = attrs_of(n);
    const bool flat = !a->axis.given;
    const ox_val x = flat ? ox_flat(b, in[0]) : in[0];
    const bool vector = ox_rank(b, x) == 1;
    ox_val index = ox_arg(b, (enum ox_op)n->op->which, x, flat ? 0 : a->axis.v, vector || a->keepdims);
    if (flat) {
        index = ox_reshape_shape(b, index, n->out[0].shape);
    }
    out[0] = ox_cast(b, index, n->out[0].dtype);
}

#define OF_NAN "NaN in the data: MXNet returns the position of the first NaN; a runtime may ignore NaN."

#define ROW(mx, op, ...)                                                                                                                   \
    {                                                                                                                                      \
        .name = (mx), .positions = true, .infer = infer, .lower = lower, .which = (op), .differs = OF_NAN, __VA_ARGS__                     \
    }

const struct mx_op mx_ops_argreduce[] = {
    ROW("argmax", OX_ArgMax, MX_ATTRS(attrs, struct arg)),
    ROW("argmin", OX_ArgMin, MX_ATTRS(attrs, struct arg)),
    ROW("argmax_channel", OX_ArgMax, .attrs = NULL),
    MX_OPS_END,
};
