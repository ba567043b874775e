/* Positions and running sums: arange_like, index_array, cumsum. */
#include <math.h>

#include "op/op.h"

/* ---- arange_like: start + step * (i / repeat) in the shape of the data, or along one of its axes (src/operator/tensor/init_op.h,
 * RangeLikeShape) */

struct arange_like {
    double start, step;
    int64_t repeat;
    struct mx_opt_int axis;
};

static const struct mx_attr arange_attrs[] = {
    MX_DOUBLE(struct arange_like, start, "0"),      MX_DOUBLE(struct arange_like, step, "1"),
    MX_COUNT(struct arange_like, repeat, "1"),      MX_IGNORED("ctx"),
    MX_AXIS_NONE(struct arange_like, axis, "None"),
};

static int infer_arange(struct mx_infer *c)
{
    const struct arange_like *a = c->attrs;
    struct mx_shape s;
    int axis;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_positive(c, "repeat", a->repeat));
    MX_TRY(mx_input(c, 0, &s));
    if (!a->axis.given) {
        return mx_output_is(c, 0, s);
    }
    MX_TRY(mx_axis(c, a->axis.v, s.ndim, "axis", &axis));
    return mx_output_is_dims(c, 0, &s.dims[axis], 1);
}

/* start and step are first converted to the type of the data, and for float16 to integers as well (MXNet 1.9.1 gives 0 1 2 for start
 * 0.5, step 1.5). */
static double in_type(enum mx_dtype t, double v)
{
    return mx_dtype_is_integer(t) || t == MX_FLOAT16 ? trunc(v) : v;
}

static void lower_arange(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct arange_like *a = n->attrs;
    const enum mx_dtype t = n->out[0].dtype;
    const double start = in_type(t, a->start), step = in_type(t, a->step);
    /* Small integers wrap around only in the result. */
    const enum mx_dtype in_between = mx_dtype_is_integer(t) ? MX_INT64 : t;
    ox_val x = ox_range(b, mx_shape_elements(ox_dims_table(b), n->out[0].shape));
    x = ox_cast(b, ox_div(b, x, ox_scalar(b, MX_INT64, (double)a->repeat)), in_between);
    x = ox_mul(b, x, ox_scalar_like(b, x, step));
    x = ox_add(b, x, ox_scalar_like(b, x, start));
    x = ox_cast(b, x, t);
    out[0] = ox_reshape_shape(b, x, n->out[0].shape);
}

/* ---- index_array: the coordinates of each element, all or some, on a new last axis
 * (src/operator/contrib/index_array-inl.h) */

struct index_array {
    struct mx_tuple axes;
};

static const struct mx_attr index_attrs[] = {MX_AXES_NONE(struct index_array, axes, "None")};

static int n_axes(const struct index_array *a, int rank)
{
    return a->axes.given ? a->axes.n : rank;
}

static int infer_index(struct mx_infer *c)
{
    const struct index_array *a = c->attrs;
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    int axis;
    MX_TRY(mx_output_dtype_is(c, 0, MX_INT64));
    MX_TRY(mx_input(c, 0, &s));
    const int n = n_axes(a, s.ndim);
    if (n < !c->graph->np_shape || s.ndim >= MX_MAX_RANK) {
        return mx_infer_fail(
            c, "axes", MX_SUBJECT "lists no axis, or the data has rank %d" MX_HELP "list one axis or more, of data of rank %d or less",
            s.ndim, MX_MAX_RANK - 1);
    }
    for (int i = 0; i < a->axes.n; i++) {
        MX_TRY(mx_axis(c, a->axes.v[i], s.ndim, "axes", &axis));
    }
    mx_push_dims(&dims, s.dims, s.ndim);
    mx_push_dim(&dims, mx_dim_of(n));
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower_index(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct index_array *a = n->attrs;
    const int rank = ox_rank(b, in[0]), count = n_axes(a, rank);
    ox_val *parts = ox_scratch(b, (size_t)count, sizeof *parts);
    struct mx_dim_list dims = ox_dims_like(b, ox_shape(b, in[0]));
    mx_push_dim(&dims, mx_dim_of(1));
    for (int i = 0; parts && i < count; i++) {
        const int64_t axis = mx_wrap(a->axes.given ? a->axes.v[i] : i, rank);
        struct mx_axes own = {0};
        mx_add_axis(&own, axis);
        const struct mx_int_list others = ox_listed(b, mx_other_axes(own, rank + 1));
        const ox_val steps = ox_unsqueeze(b, ox_range(b, mx_get_dim(&dims, axis)), others.v, others.n);
        parts[i] = ox_expand(b, steps, dims.v, dims.n);
    }
    out[0] = ox_concat(b, parts, count, rank);
}

/* ---- cumsum (src/operator/numpy/np_cumsum-inl.h): summed in the type of the result; without an axis, over all elements */

struct cumsum {
    struct mx_opt_int axis;
    enum mx_dtype dtype;
};

static const struct mx_attr cumsum_attrs[] = {
    MX_AXIS_NONE(struct cumsum, axis, "None"),
    MX_DTYPE(struct cumsum, dtype, "None"),
};

static int infer_cumsum(struct mx_infer *c)
{
    const struct cumsum *a = c->attrs;
    struct mx_shape s;
    int axis;
    const enum mx_dtype own = mx_input_dtype(c, 0) == MX_BOOL ? MX_INT64 : mx_input_dtype(c, 0);
    MX_TRY(mx_output_dtype_is(c, 0, a->dtype == MX_DTYPE_NONE ? own : a->dtype));
    MX_TRY(mx_input(c, 0, &s));
    if (!a->axis.given) {
        const mx_dim all = mx_shape_elements(c->dims, s);
        return mx_output_is_dims(c, 0, &all, 1);
    }
    MX_TRY(mx_axis(c, a->axis.v, s.ndim, "axis", &axis));
    return mx_output_is(c, 0, s);
}

static void lower_cumsum(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct cumsum *a = n->attrs;
    ox_val x = ox_cast(b, in[0], n->out[0].dtype);
    if (!a->axis.given) {
        x = ox_reshape_shape(b, x, n->out[0].shape);
    }
    const double axis = a->axis.given ? (double)a->axis.v : 0;
    out[0] = ox_node(b, OX_CumSum, OX_IN(x, ox_scalar(b, MX_INT64, axis)), OX_NO_ATTRS);
}

const struct mx_op mx_ops_positions[] = {
    {
        .name = "_contrib_arange_like",
        .positions = true,
        .alias = "_npx_arange_like",
        MX_ATTRS(arange_attrs, struct arange_like),
        .infer = infer_arange,
        .lower = lower_arange,
    },
    {.name = "_contrib_index_array", MX_ATTRS(index_attrs, struct index_array), .infer = infer_index, .lower = lower_index},
    {
        .name = "_np_cumsum",
        .single = true,
        .alias = "cumsum _npi_cumsum",
        MX_ATTRS(cumsum_attrs, struct cumsum),
        .inputs = "a",
        .infer = infer_cumsum,
        .lower = lower_cumsum,
    },
    MX_OPS_END,
};
