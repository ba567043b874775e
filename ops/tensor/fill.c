/* Tensors made from attributes: zeros, ones, full, ranges; and from the shape of another tensor. */
#include <math.h>

#include "op/op.h"

/* A size that a consumer may determine, as in the begin state _zeros(shape=(0, 5)) of an unrolled cell. */
static bool is_open(struct mx_infer *c, int64_t size)
{
    return c->graph->np_shape ? size == -1 : size == 0;
}

/* States a shape from the file. Open dims remain as inferred from the consumers. */
static int output_sized(struct mx_infer *c, struct mx_tuple shape, const char *name)
{
    struct mx_dim_list dims = mx_no_dims(c);
    bool open = false;
    const struct mx_shape known = mx_output(c, 0);
    if (shape.n > MX_MAX_RANK) {
        return mx_infer_fail(c, name, MX_SUBJECT "has length %d, but must have length at most %d", shape.n, MX_MAX_RANK);
    }
    if (!shape.given || (shape.n == 0 && !c->graph->np_shape)) {
        if (known.ndim < 0 && c->last && !c->open_input) {
            return mx_infer_fail(c, name, MX_SUBJECT "is missing, and the rest of the graph does not determine it" MX_HELP "set it");
        }
        return known.ndim < 0 ? MX_LATER : MX_OK;
    }
    for (int i = 0; i < shape.n; i++) {
        const bool fixed = !is_open(c, shape.v[i]);
        MX_TRY(fixed ? mx_check_size(c, name, shape.v[i], 0) : MX_OK);
        mx_push_dim(&dims, fixed ? mx_dim_of(shape.v[i]) : known.ndim == shape.n ? known.dims[i] : mx_dim_unknown(c->dims));
        open = open || mx_dim_has_unknown(c->dims, mx_get_dim(&dims, i));
    }
    MX_TRY(mx_output_is_dims(c, 0, dims.v, dims.n));
    if (open && c->last && !c->open_input) {
        return mx_infer_fail(c, name,
                             MX_SUBJECT "has a size of 0 (unknown), and the rest of the graph does not determine it" MX_HELP
                                        "set the size in the symbol file");
    }
    return open ? MX_LATER : MX_OK;
}

/* ---- _zeros, _ones, _full */

struct fill {
    struct mx_tuple shape;
    enum mx_dtype dtype;
    double value;
    struct mx_opt_int value_type;
    int64_t int_value, uint_value; /* MXNet 2 names the one that holds the number */
    double double_value;
};

static const struct mx_attr fill_attrs[] = {
    MX_SIZES_NONE(struct fill, shape, "()"),
    MX_IGNORED("ctx"),
    MX_DTYPE(struct fill, dtype, "float32"),
};

static const struct mx_attr full_attrs[] = {
    MX_SIZES_NONE(struct fill, shape, "None"), MX_IGNORED("ctx"), MX_DTYPE(struct fill, dtype, "float32"),
    MX_DOUBLE(struct fill, value, NULL),
};

static const struct mx_attr numpy_full_attrs[] = {
    MX_SIZES_NONE(struct fill, shape, "None"),
    MX_IGNORED("ctx"),
    MX_DTYPE(struct fill, dtype, "float32"),
    MX_DOUBLE(struct fill, value, "0"),
    MX_DOUBLE(struct fill, double_value, "0"),
    MX_INT64(struct fill, int_value, "0"),
    MX_INT64(struct fill, uint_value, "0"),
    MX_INT_NONE(struct fill, value_type, "None"),
};

/* The number from MXNet 2's attributes (src/operator/tensor/init_op.h, ValueType), or from MXNet 1's only attribute. */
static double number_of(const struct fill *a)
{
    const double unsigned_or_real = a->value_type.v == 1 ? (double)a->uint_value : a->double_value;
    return !a->value_type.given ? a->value : a->value_type.v == 0 ? (double)a->int_value : unsigned_or_real;
}

/* Here dtype is a number, and -1 means the default type: src/operator/tensor/init_op.h, InitOpWithoutDTypeParam. */
static const struct mx_attr untyped_attrs[] = {
    MX_SIZES_NONE(struct fill, shape, "None"),
    MX_IGNORED("ctx dtype"),
};

static int infer_fill(struct mx_infer *c)
{
    const struct fill *a = c->attrs;
    MX_TRY(mx_output_dtype_is(c, 0, a->dtype == MX_DTYPE_NONE ? MX_FLOAT32 : a->dtype));
    return output_sized(c, a->shape, "shape");
}

static int infer_untyped(struct mx_infer *c)
{
    const struct fill *a = c->attrs;
    if (mx_output_dtype(c, 0) == MX_DTYPE_NONE && c->last) {
        MX_TRY(mx_output_dtype_is(c, 0, MX_FLOAT32));
    }
    return output_sized(c, a->shape, "shape");
}

static void lower_fill(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const double *constant = n->op->data;
    const enum mx_dtype t = n->out[0].dtype;
    const double v = constant ? *constant : number_of(n->attrs);
    out[0] = ox_fill(b, t, n->out[0].shape, mx_dtype_is_integer(t) ? trunc(v) : v);
}

/* ---- ranges */

struct range {
    double start, step;
    struct mx_opt_float stop;
    int64_t repeat;
    bool infer_range;
    enum mx_dtype dtype;
};

static const struct mx_attr range_attrs[] = {
    MX_DOUBLE(struct range, start, NULL),        MX_FLOAT_NONE(struct range, stop, "None"),
    MX_DOUBLE(struct range, step, "1"),          MX_INT(struct range, repeat, "1"),
    MX_BOOL(struct range, infer_range, "False"), MX_IGNORED("ctx"),
    MX_DTYPE(struct range, dtype, "float32"),
};

/* A number in the type in which range_fwd (src/operator/tensor/init_op.h) computes. */
static double in_type(enum mx_dtype t, double v)
{
    if (t == MX_FLOAT16) {
        return (double)mx_half_to_float(mx_float_to_half((float)v));
    }
    return mx_dtype_is_integer(t) ? trunc(v) : t == MX_FLOAT64 ? v : (double)(float)v;
}

/* start or step: for float16, range_fwd gets them as integers, as it does for integer types. */
static double range_number(enum mx_dtype t, double v)
{
    return in_type(t, t == MX_FLOAT16 ? trunc(v) : v);
}

/* A single number is the stop. */
static double range_start(const struct range *a)
{
    return a->stop.given || a->infer_range ? a->start : 0;
}

static int infer_range(struct mx_infer *c)
{
    const struct range *a = c->attrs;
    MX_TRY(mx_check_dtype(c, a->dtype));
    MX_TRY(mx_output_dtype_is(c, 0, a->dtype));
    if (a->step == 0) {
        return mx_infer_fail(c, "step", MX_SUBJECT "is 0" MX_HELP "use another step");
    }
    MX_TRY(mx_positive(c, "repeat", a->repeat));
    if (!a->stop.given && a->infer_range) {
        const int64_t open = c->graph->np_shape ? -1 : 0;
        return output_sized(c, (struct mx_tuple){true, 1, &open}, "stop");
    }
    const double stop = a->stop.given ? a->stop.v : a->start;
    double n = ceil((stop - range_start(a)) / a->step) * (double)a->repeat;
    if (c->graph->np_shape && n <= 0) {
        n = 0;
    } else if (n >= 2147483648.0) {
        return mx_infer_too_large(c, "stop", "the range from %g to %g by %g has more than 2^31 - 1 elements", range_start(a), stop,
                                  a->step);
    } else if (!(n >= 1)) {
        return mx_infer_fail(c, "stop", "the range from %g to %g by %g is empty, and an empty result cannot be converted", range_start(a),
                             stop, a->step);
    }
    const mx_dim size = mx_dim_of((int64_t)n);
    return mx_output_is_dims(c, 0, &size, 1);
}

struct steps {
    double start, step;
    int64_t repeat;
    enum mx_dtype dtype;
};

/* start + step * (i / repeat) for i below a size that is dynamic or large, computed with Range. */
static ox_val write_range(struct ox_build *b, mx_dim size, struct steps s)
{
    ox_val x = ox_div(b, ox_range(b, size), ox_scalar(b, MX_INT64, (double)s.repeat));
    x = ox_cast(b, x, s.dtype);
    x = s.step != 1 ? ox_mul(b, x, ox_scalar(b, s.dtype, s.step)) : x;
    return s.start != 0 ? ox_add(b, x, ox_scalar(b, s.dtype, s.start)) : x;
}

/* True if a tensor with this many elements is better computed at run time than stored. */
static bool is_large(int64_t count)
{
    return count > 1 << 20;
}

static double range_at(const void *spec, int64_t i)
{
    const struct steps *s = spec;
    return in_type(s->dtype, s->start + in_type(s->dtype, (double)(i / s->repeat) * s->step));
}

static void lower_range(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct range *a = n->attrs;
    const mx_dim size = n->out[0].shape.dims[0];
    const double start = range_number(a->dtype, range_start(a));
    const double step = range_number(a->dtype, a->step);
    const struct steps s = {start, step, a->repeat, a->dtype};
    int64_t count;
    if (!mx_dim_known(ox_dims_table(b), size, &count) || is_large(count)) {
        out[0] = write_range(b, size, s);
        return;
    }
    out[0] = ox_computed(b, a->dtype, &count, 1, range_at, &s, sizeof s);
}

struct linspace {
    double start, stop, start_double, stop_double;
    struct mx_opt_int value_type;
    int64_t num, start_int, stop_int, start_uint, stop_uint;
    bool endpoint;
    enum mx_dtype dtype;
};

static const struct mx_attr linspace_attrs[] = {
    MX_DOUBLE(struct linspace, start, NULL),
    MX_DOUBLE(struct linspace, stop, NULL),
    MX_COUNT(struct linspace, num, NULL),
    MX_BOOL(struct linspace, endpoint, "True"),
    MX_IGNORED("ctx"),
    MX_DTYPE(struct linspace, dtype, "float32"),
};

static const struct mx_attr numpy_linspace_attrs[] = {
    MX_DOUBLE(struct linspace, start, "0"),           MX_DOUBLE(struct linspace, stop, "0"),
    MX_DOUBLE(struct linspace, start_double, "0"),    MX_DOUBLE(struct linspace, stop_double, "0"),
    MX_INT64(struct linspace, start_int, "0"),        MX_INT64(struct linspace, stop_int, "0"),
    MX_INT64(struct linspace, start_uint, "0"),       MX_INT64(struct linspace, stop_uint, "0"),
    MX_INT_NONE(struct linspace, value_type, "None"), MX_COUNT(struct linspace, num, NULL),
    MX_BOOL(struct linspace, endpoint, "True"),       MX_IGNORED("ctx"),
    MX_DTYPE(struct linspace, dtype, "float32"),
};

/* MXNet 2 may give one end as an integer and the other as a double: attributes that are absent are 0. MXNet 1 has one attribute. */
static double end_of(const struct linspace *a, int64_t i, int64_t u, double d, double only)
{
    return a->value_type.given ? (double)i + (double)u + d : only;
}

static int infer_linspace(struct mx_infer *c)
{
    const struct linspace *a = c->attrs;
    if (a->num < 1) {
        return mx_infer_fail(c, "num", MX_SUBJECT "is %lld, but must be a positive number", (long long)a->num);
    }
    const mx_dim size = mx_dim_of(a->num);
    MX_TRY(mx_check_dtype(c, a->dtype));
    MX_TRY(mx_output_dtype_is(c, 0, a->dtype));
    return mx_output_is_dims(c, 0, &size, 1);
}

static double linspace_at(const void *spec, int64_t i)
{
    const struct steps *s = spec;
    const double v = s->start + s->step * (double)i;
    return mx_dtype_is_integer(s->dtype) ? trunc(v) : v;
}

static void lower_linspace(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct linspace *a = n->attrs;
    const double start = end_of(a, a->start_int, a->start_uint, a->start_double, a->start);
    const double stop = end_of(a, a->stop_int, a->stop_uint, a->stop_double, a->stop);
    const int64_t intervals = a->endpoint ? a->num - 1 : a->num;
    const double step = intervals > 0 ? (stop - start) / (double)intervals : 0;
    if (is_large(a->num)) {
        const mx_dim size = n->out[0].shape.dims[0];
        out[0] = ox_cast(b, write_range(b, size, (struct steps){start, step, 1, MX_FLOAT64}), a->dtype);
        return;
    }
    const struct steps s = {.start = start, .step = step, .dtype = a->dtype};
    out[0] = ox_computed(b, a->dtype, &a->num, 1, linspace_at, &s, sizeof s);
}

/* ---- from another tensor's shape */

static int infer_shape_array(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_output_dtype_is(c, 0, MX_INT64));
    MX_TRY(mx_input(c, 0, &s));
    const mx_dim rank = mx_dim_of(s.ndim);
    return mx_output_is_dims(c, 0, &rank, 1);
}

static void lower_shape_array(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct mx_shape s = ox_shape(b, in[0]);
    out[0] = ox_dims(b, s.dims, s.ndim);
}

static int infer_size_array(struct mx_infer *c)
{
    const mx_dim one = mx_dim_of(1);
    MX_TRY(mx_output_dtype_is(c, 0, MX_INT64));
    return mx_output_is_dims(c, 0, &one, 1);
}

static void lower_size_array(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    out[0] = ox_dim(b, mx_shape_elements(ox_dims_table(b), ox_shape(b, in[0])));
}

/* ---- NumPy's full_like */

static const struct mx_attr full_like_attrs[] = {
    MX_ATTR_NAMED("fill_value", struct fill, value, double, MX_ATTR_DOUBLE, NULL, MX_NO_WORDS),
    MX_IGNORED("ctx"),
    MX_DTYPE(struct fill, dtype, "None"),
};

static int infer_full_like(struct mx_infer *c)
{
    const struct fill *a = c->attrs;
    const enum mx_dtype t = a->dtype == MX_DTYPE_NONE ? mx_input_dtype(c, 0) : a->dtype;
    MX_TRY(mx_output_dtype_is(c, 0, t));
    return mx_same_shape(c, 0, 0);
}

static const double zero = 0, one = 1;

#define FROM_ATTRS(mx, other_names, table, type, rule, function, value)                                                                    \
    {                                                                                                                                      \
        .name = (mx), .alias = (other_names), MX_ATTRS(table, type), .inputs = "", .infer = (rule), .lower = (function), .data = (value)   \
    }

const struct mx_op mx_ops_fill[] = {
    FROM_ATTRS("_arange", "_npi_arange", range_attrs, struct range, infer_range, lower_range, NULL),
    FROM_ATTRS("_full", NULL, full_attrs, struct fill, infer_fill, lower_fill, NULL),
    FROM_ATTRS("_linspace", NULL, linspace_attrs, struct linspace, infer_linspace, lower_linspace, NULL),
    FROM_ATTRS("_npi_full", NULL, numpy_full_attrs, struct fill, infer_fill, lower_fill, NULL),
    FROM_ATTRS("_npi_linspace", NULL, numpy_linspace_attrs, struct linspace, infer_linspace, lower_linspace, NULL),
    FROM_ATTRS("_ones", "_npi_ones", fill_attrs, struct fill, infer_fill, lower_fill, &one),
    FROM_ATTRS("_zeros", "_npi_zeros", fill_attrs, struct fill, infer_fill, lower_fill, &zero),
    FROM_ATTRS("_zeros_without_dtype", NULL, untyped_attrs, struct fill, infer_untyped, lower_fill, &zero),
    {.name = "_npi_full_like", MX_ATTRS(full_like_attrs, struct fill), .inputs = "a", .infer = infer_full_like, .lower = lower_fill},
    {.name = "ones_like", .alias = "_np_ones_like", .infer = mx_infer_same, .lower = lower_fill, .data = &one},
    {.name = "zeros_like", .alias = "_sparse_zeros_like _np_zeros_like", .infer = mx_infer_same, .lower = lower_fill, .data = &zero},
    {.name = "shape_array", .alias = "_npx_shape_array", .infer = infer_shape_array, .lower = lower_shape_array},
    {.name = "size_array", .infer = infer_size_array, .lower = lower_size_array},
    MX_OPS_END,
};
