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

/* ReduceAxisShapeImpl: without an axis, or for a vector, the result is (1). */
static int infer_over(struct mx_infer *c, struct mx_opt_int axis, bool keepdims)
{
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    int at = 0;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    if (axis.given) {
        MX_TRY(mx_axis(c, axis.v, s.ndim, "axis", &at));
    }
    for (int i = 0; i < s.ndim; i++) {
        if (axis.given && i != at) {
            mx_push_dim(&dims, s.dims[i]);
        } else if (keepdims) {
            mx_push_dim(&dims, mx_dim_of(1));
        }
    }
    if (dims.n == 0 && !keepdims) {
        mx_push_dim(&dims, mx_dim_of(1));
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static int infer(struct mx_infer *c)
{
    const struct arg *a = c->attrs;
    return infer_over(c, a->axis, a->keepdims);
}

static int infer_channel(struct mx_infer *c)
{
    return infer_over(c, (struct mx_opt_int){true, 1}, false);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct arg *a = n->attrs;
    const bool flat = !a->axis.given;
    const ox_val x = flat ? ox_reshape_ints(b, in[0], (const int64_t[]){-1}, 1) : in[0];
    const bool vector = ox_rank(b, x) == 1;
    ox_val index = ox_arg(b, (enum ox_op)n->op->which, x, flat ? 0 : a->axis.v, vector || a->keepdims);
    if (flat) {
        index = ox_reshape_shape(b, index, n->out[0].shape);
    }
    out[0] = ox_cast(b, index, n->out[0].dtype);
}

static void lower_channel(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    out[0] = ox_cast(b, ox_arg(b, OX_ArgMax, in[0], 1, false), n->out[0].dtype);
}

#define OF_NAN "NaN in the data: MXNet returns the position of the first NaN; a runtime may ignore NaN."

const struct mx_op mx_ops_argreduce[] = {
    {.name = "argmax",
     .positions = true,
     MX_ATTRS(attrs, struct arg),
     .infer = infer,
     .lower = lower,
     .which = OX_ArgMax,
     .differs = OF_NAN},
    {.name = "argmin",
     .positions = true,
     MX_ATTRS(attrs, struct arg),
     .infer = infer,
     .lower = lower,
     .which = OX_ArgMin,
     .differs = OF_NAN},
    {.name = "argmax_channel", .positions = true, .infer = infer_channel, .lower = lower_channel, .differs = OF_NAN},
    MX_OPS_END,
};
