/* NumPy's reductions: axis () reduces nothing, a full reduction has no dims, types follow NumPy's
 * (src/operator/numpy/np_broadcast_reduce_op.h, NumpyReduceAxesShapeImpl). */
#include <math.h>

#include "op/op.h"
#include "shared/sums.h"
#include "shared/wrapped_product.h"

struct reduction {
    struct mx_tuple axis;
    enum mx_dtype dtype;
    int64_t ddof;
    bool keepdims;
    struct mx_opt_float initial;
};

static const struct mx_attr typed_attrs[] = {
    MX_AXES_NONE(struct reduction, axis, "None"),
    MX_DTYPE(struct reduction, dtype, "None"),
    MX_BOOL(struct reduction, keepdims, "False"),
    MX_FLOAT_NONE(struct reduction, initial, "None"),
};

static const struct mx_attr untyped_attrs[] = {
    MX_AXES_NONE(struct reduction, axis, "None"),
    MX_BOOL(struct reduction, keepdims, "False"),
    MX_FLOAT_NONE(struct reduction, initial, "None"),
};

static const struct mx_attr moment_attrs[] = {
    MX_AXES_NONE(struct reduction, axis, "None"),
    MX_DTYPE(struct reduction, dtype, "None"),
    MX_INT(struct reduction, ddof, "0"),
    MX_BOOL(struct reduction, keepdims, "False"),
};

struct kind {
    enum ox_op onnx;
    enum { SAME, MOMENT, SUM, MEAN, TRUTH } type; /* determines the output's type */
    bool refuses_empty;
    double empty;        /* the result over no elements */
    bool zero_of_none;   /* it is 0, and ONNX's result differs */
    bool nan_of_nothing; /* in MXNet 2 it is NaN */
    bool root;
};

static int output_reduced(struct mx_infer *c, struct mx_shape s, struct mx_axes reduced, bool keepdims)
{
    struct mx_dim_list dims = mx_no_dims(c);
    mx_push_reduced(&dims, s, reduced, keepdims);
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static enum mx_dtype result_type(const struct kind *kind, enum mx_dtype asked, enum mx_dtype in)
{
    if ((kind->type == SUM || kind->type == MEAN || kind->type == MOMENT) && asked != MX_DTYPE_NONE) {
        return asked;
    }
    switch (kind->type) {
    case SUM: return in == MX_BOOL ? MX_INT64 : in;
    case MEAN: return mx_dtype_is_float(in) ? in : MX_FLOAT32;
    case TRUTH: return MX_BOOL;
    case SAME:
    case MOMENT: break;
    }
    return in;
}

static int infer(struct mx_infer *c)
{
    const struct reduction *a = c->attrs;
    const struct kind *kind = c->node->op->data;
    const enum mx_dtype in = mx_input_dtype(c, 0);
    struct mx_shape s;
    if (a->initial.given) {
        return mx_infer_fail(c, "initial", "MXNet does not support it" MX_HELP "combine it with the result instead");
    }
    if (in != MX_DTYPE_NONE || kind->type == TRUTH) {
        MX_TRY(mx_output_dtype_is(c, 0, result_type(kind, a->dtype, in)));
    }
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_check_axes_of_any(c, a->axis, s.ndim, "axis"));
    const struct mx_axes reduced = mx_tuple_axes(a->axis, s.ndim);
    MX_TRY(kind->refuses_empty ? mx_refuse_empty(c, s, reduced) : MX_OK);
    if (kind->nan_of_nothing && mx_is_mxnet2(c) && mx_shape_is_empty(c->dims, s)) {
        return mx_infer_fail(c, NULL,
                             "the mean of no elements is NaN in MXNet 2" MX_HELP
                             "set the sizes of the inputs, or cut the graph before it with mx2onnx_add_output");
    }
    return output_reduced(c, s, reduced, a->keepdims);
}

/* ---- writing */

struct axes {
    struct mx_axes set;
    struct mx_int_list list;
    bool keepdims;
    mx_dim count; /* elements per result */
};

static void find_axes(struct ox_build *b, ox_val x, struct mx_tuple axis, bool keepdims, struct axes *out)
{
    const struct mx_shape s = ox_shape(b, x);
    out->set = mx_tuple_axes(axis, s.ndim);
    out->list = ox_listed(b, out->set);
    out->keepdims = keepdims;
    out->count = mx_shape_along(ox_dims_table(b), s, out->set);
}

static ox_val reduce(struct ox_build *b, enum ox_op op, ox_val x, const struct axes *axes)
{
    return axes->list.n == 0 ? x : ox_reduce(b, op, x, axes->list.v, axes->list.n, axes->keepdims);
}

/* The number of elements minus ddof, in type t. */
static ox_val divisor(struct ox_build *b, const struct axes *axes, int64_t ddof, enum mx_dtype t)
{
    struct mx_dims *table = ox_dims_table(b);
    int64_t count;
    if (!mx_dim_known(table, axes->count, &count)) {
        const mx_dim rest = mx_dim_addn(table, axes->count, -ddof);
        return ox_dim_as(b, rest, t);
    }
    count -= ddof; /* a size_t in MXNet: a negative difference becomes huge */
    const double n = count < 0 ? 18446744073709551616.0 + (double)count : (double)count;
    return t == MX_BOOL             ? ox_scalar(b, t, 1)
           : mx_dtype_is_integer(t) ? ox_cast(b, ox_scalar(b, MX_INT64, (double)count), t)
                                    : ox_scalar(b, t, n);
}

/* x / y; converted to a narrow integer type, y may have become 0. */
static ox_val divide(struct ox_build *b, ox_val x, ox_val y)
{
    return ox_dtype(b, x) == MX_BOOL ? x : ox_div(b, x, y);
}

/* The sum (or product) in type t: integers are added as int64, and if the result is an integer, floats as float64, which gives what
 * float32 would. */
static ox_val total(struct ox_build *b, enum ox_op op, ox_val x, enum mx_dtype t, const struct axes *axes)
{
    const enum mx_dtype in = ox_dtype(b, x);
    const bool whole = !mx_dtype_is_float(in);
    const enum mx_dtype wide = whole ? (mx_dtype_size(in) < 4 && t != MX_INT64 ? MX_INT32 : MX_INT64)
                               : mx_dtype_is_float(t) && mx_dtype_size(t) >= mx_dtype_size(in) ? t
                                                                                               : MX_FLOAT64;
    const ox_val terms = ox_cast(b, x, in == t && !whole ? t : wide);
    const ox_val sum = op == OX_ReduceProd && whole && in != MX_BOOL && axes->list.n > 0
                           ? ox_wrapped_product(b, terms, axes->set, axes->keepdims)
                           : reduce(b, op, terms, axes);
    return t == MX_BOOL ? ox_is_true(b, sum) : ox_cast(b, sum, t);
}

static ox_val mean(struct ox_build *b, ox_val x, enum mx_dtype t, const struct axes *axes)
{
    if (ox_dtype(b, x) == t && mx_dtype_is_float(t)) {
        return reduce(b, OX_ReduceMean, x, axes);
    }
    return divide(b, total(b, OX_ReduceSum, x, t, axes), divisor(b, axes, 0, t));
}

/* x, or 0 if at run time no element was reduced. */
static ox_val zero_of_none(struct ox_build *b, ox_val x, const struct axes *axes)
{
    int64_t count;
    if (mx_dim_known(ox_dims_table(b), axes->count, &count) || ox_dtype(b, x) == MX_BOOL) {
        return x;
    }
    const ox_val some = ox_binary(b, OX_Min, ox_dim_as(b, axes->count, MX_INT64), ox_scalar(b, MX_INT64, 1));
    return ox_mul(b, x, ox_cast(b, some, ox_dtype(b, x)));
}

/* The mean has the type of the data (NumpyMomentsForward). */
static ox_val variance(struct ox_build *b, ox_val x, enum mx_dtype t, const struct reduction *a, struct axes *axes)
{
    axes->keepdims = true;
    const ox_val average = mean(b, x, ox_dtype(b, x), axes);
    const ox_val centred = ox_sub(b, x, average);
    const ox_val squares = ox_mul(b, centred, centred);
    axes->keepdims = a->keepdims;
    if (a->ddof == 0 && ox_dtype(b, x) == t && mx_dtype_is_float(t)) {
        return reduce(b, OX_ReduceMean, squares, axes);
    }
    return ox_div(b, total(b, OX_ReduceSum, squares, t, axes), divisor(b, axes, a->ddof, t));
}

static ox_val square_root(struct ox_build *b, ox_val x, enum mx_dtype t)
{
    return ox_cast(b, ox_unary(b, OX_Sqrt, mx_dtype_is_float(t) ? x : ox_cast(b, x, MX_FLOAT64)), t);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct reduction *a = n->attrs;
    const struct kind *kind = n->op->data;
    const enum mx_dtype t = n->out[0].dtype;
    struct axes axes;
    if (ox_is_empty(b, in[0])) { /* MXNet's results differ from NumPy's: the product is 0 */
        out[0] = ox_fill(b, t, n->out[0].shape, a->ddof == 0 ? kind->empty : 0);
        return;
    }
    find_axes(b, in[0], a->axis, a->keepdims, &axes);
    if (kind->type == MEAN) {
        out[0] = mean(b, in[0], t, &axes);
    } else if (kind->type == MOMENT) {
        out[0] = variance(b, in[0], t, a, &axes);
        out[0] = kind->root ? square_root(b, out[0], t) : out[0];
    } else if (kind->type == SUM) {
        out[0] = total(b, kind->onnx, in[0], t, &axes);
        out[0] = kind->zero_of_none ? zero_of_none(b, out[0], &axes) : out[0];
    } else if (t == MX_BOOL) {
        const ox_val truth = ox_cast(b, ox_is_true(b, in[0]), MX_INT32);
        const ox_val most = reduce(b, kind->onnx, truth, &axes);
        /* The maximum of no elements is below 0, the minimum above. */
        out[0] = ox_binary(b, OX_Greater, most, ox_scalar(b, MX_INT32, 0));
    } else {
        out[0] = reduce(b, kind->onnx, in[0], &axes);
    }
}

/* ---- argmax, argmin */

struct arg {
    struct mx_opt_int axis;
    bool keepdims;
};

static const struct mx_attr arg_attrs[] = {
    MX_AXIS_NONE(struct arg, axis, "None"),
    MX_BOOL(struct arg, keepdims, "False"),
};

static int infer_arg(struct mx_infer *c)
{
    const struct arg *a = c->attrs;
    const struct mx_tuple axis = {a->axis.given, a->axis.given, &a->axis.v};
    struct mx_shape s;
    MX_TRY(mx_output_dtype_is(c, 0, MX_INT64));
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_check_axes_of_any(c, axis, s.ndim, "axis"));
    const struct mx_axes reduced = mx_tuple_axes(axis, s.ndim);
    MX_TRY(mx_refuse_empty(c, s, reduced));
    return output_reduced(c, s, reduced, a->keepdims);
}

static void lower_arg(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct arg *a = n->attrs;
    const bool flat = !a->axis.given || ox_rank(b, in[0]) == 0;
    const ox_val x = flat ? ox_flat(b, in[0]) : in[0];
    const ox_val index = ox_arg(b, (enum ox_op)n->op->which, x, flat ? 0 : a->axis.v, !flat && a->keepdims);
    out[0] = flat ? ox_reshape_shape(b, index, n->out[0].shape) : index;
}

#define NO_INITIAL "The attribute initial: MXNet does not support it either."
#define OF_NOTHING(result) "A dynamic axis that is empty at run time: the result is " result
#define OF_EXTREME "NaN in the data: MXNet's result is NaN; a runtime may ignore NaN.\n" OF_NOTHING("infinite; MXNet stops with an error.")
#define OF_MOMENT                                                                                                                          \
    OF_NOTHING("0 or NaN, depending on the runtime; MXNet's is NaN, or 0 with a ddof.")                                                    \
    "\n" MX_OVERFLOWS "\nfloat16 data and another dtype: the deviations have the precision of that dtype; MXNet's have that of float16."
#define OF_MEAN OF_NOTHING("0 or NaN, depending on the runtime; that of MXNet 1.x is 0, that of MXNet 2 NaN.") "\n" MX_OVERFLOWS
#define ROW(mx, other_names, table, no, other, ...)                                                                                        \
    {                                                                                                                                      \
        .name = (mx), .alias = (other_names), .inputs = "a", MX_ATTRS(table, struct reduction), .infer = infer, .lower = lower,            \
        .data = &(const struct kind){__VA_ARGS__}, .refuses = (no), .differs = (other), .single = true,                                    \
    }
#define ARG(mx, type)                                                                                                                      \
    {                                                                                                                                      \
        .name = (mx), MX_ATTRS(arg_attrs, struct arg), .infer = infer_arg, .lower = lower_arg, .which = (type),                            \
        .differs = "NaN in the data: MXNet returns the position of the first NaN; a runtime may ignore NaN.",                              \
    }

const struct mx_op mx_ops_np_reduce[] = {
    ROW("_np_all", "_npi_all", untyped_attrs, NULL, NULL, .onnx = OX_ReduceMin, .type = TRUTH, .empty = 1),
    ROW("_np_any", "_np_sometrue _npi_any", untyped_attrs, NULL, NULL, .onnx = OX_ReduceMax, .type = TRUTH),
    ROW("_np_max", "_np_amax _npi_max _npi_amax", untyped_attrs, NO_INITIAL, OF_EXTREME, .onnx = OX_ReduceMax, .refuses_empty = true),
    ROW("_np_min", "_np_amin _npi_min _npi_amin", untyped_attrs, NO_INITIAL, OF_EXTREME, .onnx = OX_ReduceMin, .refuses_empty = true),
    ROW("_np_prod", "_np_product", typed_attrs, NO_INITIAL, NULL, .onnx = OX_ReduceProd, .type = SUM, .zero_of_none = true),
    ROW("_npi_prod", NULL, typed_attrs, NO_INITIAL, NULL, .onnx = OX_ReduceProd, .type = SUM, .empty = 1),
    ROW("_np_sum", "_npi_sum", typed_attrs, NO_INITIAL, MX_OVERFLOWS, .onnx = OX_ReduceSum, .type = SUM),
    ROW("_npi_mean", NULL, typed_attrs, NO_INITIAL "\nThe mean over an empty axis in a model of MXNet 2: it is NaN.", OF_MEAN, .type = MEAN,
        .nan_of_nothing = true),
    ROW("_npi_std", NULL, moment_attrs, NULL, OF_MOMENT, .type = MOMENT, .empty = (double)NAN, .root = true),
    ROW("_npi_var", NULL, moment_attrs, NULL, OF_MOMENT, .type = MOMENT, .empty = (double)NAN),
    ARG("_npi_argmax", OX_ArgMax),
    ARG("_npi_argmin", OX_ArgMin),
    MX_OPS_END,
};
