/* Reductions over axes. Axes None or () mean all of them; a result without dims has shape (1)
 * (src/operator/tensor/broadcast_reduce_op.h, ReduceAxesShapeImpl). */
#include "op/op.h"
#include "shared/sums.h"
#include "shared/wrapped_product.h"

/* The axes of a tensor that are reduced. */
struct axes {
    int ndim;
    int n;
    struct mx_axes set;
    bool keepdims;
};

/* The axes of an attribute that was checked. In MXNet no axes mean all of them. */
static struct axes find_axes(struct mx_tuple list, bool exclude, int ndim, bool keepdims)
{
    struct axes axes = {.ndim = ndim, .keepdims = keepdims};
    const struct mx_axes listed = mx_tuple_axes(list, ndim);
    for (int i = 0; i < ndim; i++) {
        if (list.n == 0 || mx_has_axis(listed, i) != exclude) {
            mx_add_axis(&axes.set, i);
            axes.n++;
        }
    }
    return axes;
}

/* States that output i is the input reduced over the axes. */
static int output_reduced(struct mx_infer *c, int i, struct mx_shape s, const struct axes *axes)
{
    const struct mx_dim_list dims = mx_reduced(c, s, axes->set, axes->keepdims);
    return mx_output_is_dims(c, i, dims.v, dims.n);
}

/* One node, and a reshape if ONNX's result would have no dims. */
static ox_val reduce(struct ox_build *b, enum ox_op op, ox_val x, const struct axes *axes)
{
    const struct mx_int_list list = ox_listed(b, axes->set);
    if (axes->keepdims || axes->n < axes->ndim || axes->ndim == 1) {
        return ox_reduce(b, op, x, list.v, list.n, axes->keepdims || axes->n == axes->ndim);
    }
    return ox_reshape_ints(b, ox_reduce(b, op, x, list.v, list.n, false), (const int64_t[]){1}, 1);
}

/* ---- sum and similar */

struct reduction {
    struct mx_tuple axis;
    bool keepdims;
    bool exclude;
};

static const struct mx_attr reduction_attrs[] = {
    MX_AXES_NONE(struct reduction, axis, "None"),
    MX_BOOL(struct reduction, keepdims, "False"),
    MX_BOOL(struct reduction, exclude, "False"),
};

struct kind {
    enum ox_op onnx;
    bool skips_nan;
    double neutral; /* replaces NaN */
    bool squares;
};

static int infer(struct mx_infer *c)
{
    const struct reduction *a = c->attrs;
    struct mx_shape s;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_check_axes(c, a->axis, s.ndim, "axis"));
    const struct axes axes = find_axes(a->axis, a->exclude, s.ndim, a->keepdims);
    return output_reduced(c, 0, s, &axes);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct reduction *a = n->attrs;
    const struct kind *kind = n->op->data;
    ox_val x = in[0];
    const struct axes axes = find_axes(a->axis, a->exclude, ox_rank(b, x), a->keepdims);
    if (kind->skips_nan && mx_dtype_is_float(ox_dtype(b, x))) {
        x = ox_where(b, ox_unary(b, OX_IsNaN, x), ox_scalar_like(b, x, kind->neutral), x);
    }
    if (axes.n == 0) { /* exclude with all axes, or a scalar; in ONNX no axes mean all */
        out[0] = ox_reshape_shape(b, kind->squares ? ox_mul(b, x, x) : x, n->out[0].shape);
        return;
    }
    out[0] = kind->onnx == OX_ReduceProd && mx_dtype_is_integer(ox_dtype(b, x))
                 ? ox_reshape_shape(b, ox_wrapped_product(b, x, axes.set, axes.keepdims), n->out[0].shape)
                 : reduce(b, kind->onnx, x, &axes);
}

/* ---- norm */

struct norm {
    int64_t ord;
    struct mx_tuple axis;
    enum mx_dtype out_dtype;
    bool keepdims;
};

static const struct mx_attr norm_attrs[] = {
    MX_INT(struct norm, ord, "2"),
    MX_AXES_NONE(struct norm, axis, "None"),
    MX_DTYPE(struct norm, out_dtype, "None"),
    MX_BOOL(struct norm, keepdims, "False"),
};

static int infer_norm(struct mx_infer *c)
{
    const struct norm *a = c->attrs;
    struct mx_shape s;
    if (a->ord != 1 && a->ord != 2) {
        return mx_infer_fail(c, "ord", MX_SUBJECT "is %lld, but must be 1 or 2, in MXNet too", (long long)a->ord);
    }
    if (a->out_dtype == MX_DTYPE_NONE) {
        MX_TRY(mx_same_dtype(c, 0, 0));
    } else {
        MX_TRY(mx_output_dtype_is(c, 0, a->out_dtype));
    }
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_check_axes(c, a->axis, s.ndim, "axis"));
    const struct axes axes = find_axes(a->axis, false, s.ndim, a->keepdims);
    return output_reduced(c, 0, s, &axes);
}

/* MXNet sums in the wider of the two types. */
static void lower_norm(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct norm *a = n->attrs;
    const enum mx_dtype t = n->out[0].dtype;
    ox_val x = in[0];
    const struct axes axes = find_axes(a->axis, false, ox_rank(b, x), a->keepdims);
    if (!mx_dtype_is_float(ox_dtype(b, x))) {
        x = ox_cast(b, x, mx_dtype_is_float(t) ? t : MX_FLOAT32);
    } else if (mx_dtype_is_float(t) && mx_dtype_size(t) > mx_dtype_size(ox_dtype(b, x))) {
        x = ox_cast(b, x, t);
    }
    x = axes.n == 0 ? ox_unary(b, OX_Abs, x) : x; /* for a scalar */
    out[0] = ox_cast(b, reduce(b, a->ord == 1 ? OX_ReduceL1 : OX_ReduceL2, x, &axes), t);
}

/* ---- moments: mean and variance */

struct moments {
    struct mx_tuple axes;
    bool keepdims;
};

static const struct mx_attr moments_attrs[] = {
    MX_AXES_NONE(struct moments, axes, "None"),
    MX_BOOL(struct moments, keepdims, "False"),
};

static int infer_moments(struct mx_infer *c)
{
    const struct moments *a = c->attrs;
    struct mx_shape s;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_output_dtype_is(c, 1, mx_input_dtype(c, 0)));
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_check_axes(c, a->axes, s.ndim, "axes"));
    const struct axes axes = find_axes(a->axes, false, s.ndim, a->keepdims);
    MX_TRY(output_reduced(c, 0, s, &axes));
    return output_reduced(c, 1, s, &axes);
}

static void lower_moments(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct moments *a = n->attrs;
    struct axes axes = find_axes(a->axes, false, ox_rank(b, in[0]), true);
    const ox_val mean = reduce(b, OX_ReduceMean, in[0], &axes);
    const ox_val centred = ox_sub(b, in[0], mean);
    axes.keepdims = a->keepdims;
    out[0] = a->keepdims ? mean : ox_reshape_shape(b, mean, n->out[0].shape);
    out[1] = reduce(b, OX_ReduceMean, ox_mul(b, centred, centred), &axes);
}

#define FIELDS(mx, other_names, ...)                                                                                                       \
    .name = (mx), .alias = (other_names), MX_ATTRS(reduction_attrs, struct reduction), .infer = infer, .lower = lower,                     \
    .data = &(const struct kind)                                                                                                           \
    {                                                                                                                                      \
        __VA_ARGS__                                                                                                                        \
    }
#define ROW(...)                                                                                                                           \
    {                                                                                                                                      \
        FIELDS(__VA_ARGS__), .single = true                                                                                                \
    }
#define EXTREME(...)                                                                                                                       \
    {                                                                                                                                      \
        FIELDS(__VA_ARGS__), .differs = "NaN in the data: MXNet's result is NaN; a runtime may ignore NaN."                                \
    }

#define OF_INTEGERS "Integers whose sum is beyond their type: the result is the mean; MXNet's sum wraps around."
#define OF_NOTHING "A dynamic axis that is empty at run time: the result is 0 or NaN, depending on the runtime; MXNet's is NaN."

const struct mx_op mx_ops_reduce[] = {
    ROW("_square_sum", NULL, .onnx = OX_ReduceSumSquare, .squares = true),
    EXTREME("max", "max_axis", .onnx = OX_ReduceMax),
    {FIELDS("mean", "_sparse_mean", .onnx = OX_ReduceMean), .single = true, .differs = OF_NOTHING "\n" OF_INTEGERS},
    EXTREME("min", "min_axis", .onnx = OX_ReduceMin),
    ROW("nanprod", NULL, .onnx = OX_ReduceProd, .skips_nan = true, .neutral = 1),
    {FIELDS("nansum", NULL, .onnx = OX_ReduceSum, .skips_nan = true, .neutral = 0), .single = true, .differs = MX_OVERFLOWS},
    ROW("prod", NULL, .onnx = OX_ReduceProd),
    ROW("sum", "_sparse_sum sum_axis", .onnx = OX_ReduceSum),
    {
        .name = "norm",
        .single = true,
        .alias = "_sparse_norm _npx_norm",
        MX_ATTRS(norm_attrs, struct norm),
        .infer = infer_norm,
        .lower = lower_norm,
        .differs =
            MX_SQUARES "\nInteger data and ord=2: the result is the norm, cut to an integer; MXNet's is less, as it sums in integers.",
    },
    {
        .name = "moments",
        .single = true,
        MX_ATTRS(moments_attrs, struct moments),
        .outputs = "output0 output1",
        .infer = infer_moments,
        .lower = lower_moments,
        .differs = OF_NOTHING "\n" MX_OVERFLOWS "\n" OF_INTEGERS,
    },
    MX_OPS_END,
};
