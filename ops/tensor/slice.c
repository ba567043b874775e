/* slice, slice_axis, slice_like. */
#include "shared/slice.h"
#include "op/op.h"

/* ---- slice: begin, end, step for the first axes (src/operator/tensor/matrix_op-inl.h,
 * GetIndexRange) */

struct slice {
    struct mx_places begin, end, step;
};

static const struct mx_attr slice_attrs[] = {
    MX_PLACES(struct slice, begin, NULL),
    MX_PLACES(struct slice, end, NULL),
    MX_STEPS(struct slice, step, "()"),
};

/* The position of an index on a dynamic axis, which is assumed to be long enough for it. */
static mx_dim place(struct mx_infer *c, int64_t index, mx_dim size)
{
    return index < 0 ? mx_dim_addn(c->dims, size, index) : mx_dim_of(index);
}

/* A larger index on a dynamic axis means its end: sys.maxsize and similar. */
enum { FAR = 1 << 30 };

static bool is_near(struct mx_opt_int place)
{
    return place.given && place.v < FAR && place.v > -FAR;
}

static bool is_past_end(struct mx_opt_int place)
{
    return place.given && place.v >= FAR;
}

static bool is_before_start(struct mx_opt_int place)
{
    return place.given && place.v <= -FAR;
}

/* True if the elements between two places become fewer as the axis grows: from 2 before its end to 1 after its start. */
static bool shrinks(struct mx_opt_int begin, struct mx_opt_int end, int64_t step)
{
    const struct mx_opt_int first = step > 0 ? begin : end, last = step > 0 ? end : begin;
    return is_near(first) && is_near(last) && first.v < 0 && last.v >= 0;
}

/* The size of axis i of the output where it is known at run time only. */
static mx_dim size_at_run_time(struct mx_infer *c, int i)
{
    const struct mx_shape sliced = mx_output(c, 0);
    return sliced.ndim > i ? sliced.dims[i] : mx_dim_unknown(c->dims);
}

static mx_dim open_length(struct mx_infer *c, struct mx_opt_int begin, struct mx_opt_int end, int64_t step, mx_dim size)
{
    mx_dim from, to, length;
    int64_t known;
    if (step > 0) {
        from = is_near(begin) ? place(c, begin.v, size) : mx_dim_of(0);
        to = is_near(end) ? place(c, end.v, size) : size;
        length = mx_dim_sub(c->dims, to, from);
    } else {
        from = is_near(begin) ? place(c, begin.v, size) : mx_dim_addn(c->dims, size, -1);
        length = is_near(end) ? mx_dim_sub(c->dims, from, place(c, end.v, size)) : mx_dim_addn(c->dims, from, 1);
    }
    if (mx_dim_known(c->dims, length, &known) && known < 0) {
        return mx_dim_of(0);
    }
    return mx_dim_ceil_div(c->dims, length, step < 0 ? -step : step);
}

static int sliced_dim(struct mx_infer *c, int i, mx_dim size, mx_dim *out)
{
    const struct slice *a = c->attrs;
    const struct mx_opt_int begin = a->begin.v[i], end = a->end.v[i];
    const int64_t step = mx_range_step(a->step, i);
    int64_t known;
    if (step == 0) {
        return mx_infer_fail(c, "step", MX_SUBJECT "is 0 for axis %d" MX_HELP "use another step", i);
    }
    if (!begin.given && !end.given && (step == 1 || step == -1)) {
        *out = size;
        return MX_OK;
    }
    if (mx_dim_known(c->dims, size, &known)) {
        *out = mx_dim_of(mx_range_of(begin, end, step, known).count);
    } else if (mx_dim_has_unknown(c->dims, size)) {
        return MX_LATER;
    } else if (is_past_end(step > 0 ? begin : end) || is_before_start(step > 0 ? end : begin)) {
        *out = mx_dim_of(0);
    } else if (shrinks(begin, end, step)) { /* none, unless the axis is short */
        *out = size_at_run_time(c, i);
    } else {
        *out = open_length(c, begin, end, step, size);
    }
    if (mx_dim_known(c->dims, *out, &known) && known <= 0 && !c->graph->np_shape) {
        return mx_infer_fail(c, "begin", MX_SUBJECT "selects nothing of axis %d, which MXNet refuses too", i);
    }
    return MX_OK;
}

static int infer_slice(struct mx_infer *c)
{
    const struct slice *a = c->attrs;
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 0));
    if (a->begin.n != a->end.n || (a->step.n > 0 && a->step.n != a->begin.n)) {
        return mx_infer_fail(c, "end", "begin, end and step have lengths %d, %d and %d, which must be equal", a->begin.n, a->end.n,
                             a->step.n);
    }
    MX_TRY(mx_input(c, 0, &s));
    if (a->begin.n > s.ndim) {
        return mx_infer_fail(c, "begin", MX_SUBJECT "has length %d, but the input has rank %d" MX_HELP "give at most one for each axis",
                             a->begin.n, s.ndim);
    }
    for (int i = 0; i < s.ndim; i++) {
        mx_dim d = s.dims[i];
        if (i < a->begin.n) {
            MX_TRY(sliced_dim(c, i, s.dims[i], &d));
        }
        mx_push_dim(&dims, d);
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static int64_t written(int64_t index)
{
    return index >= FAR ? INT64_MAX : index <= -FAR ? INT64_MIN + 1 : index;
}

/* True if a negative step may begin before the start of a dynamic axis: MXNet selects nothing then, where ONNX's Slice begins with the
 * first element. */
static bool may_begin_before(struct ox_build *b, const struct slice *a, ox_val x, int i)
{
    int64_t size;
    return mx_range_step(a->step, i) < 0 && a->begin.v[i].given && a->begin.v[i].v < -1 && !ox_size_at(b, x, i, &size);
}

static void lower_slice(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct slice *a = n->attrs;
    struct mx_int_list starts[2] = {ox_no_ints(b), ox_no_ints(b)};
    struct mx_int_list ends[2] = {ox_no_ints(b), ox_no_ints(b)};
    struct mx_int_list axes[2] = {ox_no_ints(b), ox_no_ints(b)};
    struct mx_int_list steps = ox_no_ints(b);
    for (int i = 0; i < a->begin.n; i++) {
        struct mx_opt_int begin = a->begin.v[i], end = a->end.v[i];
        const int64_t step = mx_range_step(a->step, i);
        if (begin.v == 0 && !end.given && step == 1) {
            continue;
        }
        if (may_begin_before(b, a, in[0], i)) { /* the elements between the ends are cut out first */
            mx_push_int(&axes[0], i);
            mx_push_int(&starts[0], end.given ? mx_place_after(written(end.v)) : 0);
            mx_push_int(&ends[0], mx_place_after(written(begin.v)));
            begin.given = end.given = false;
        }
        mx_push_int(&axes[1], i);
        mx_push_int(&steps, step);
        mx_push_int(&starts[1], begin.given ? written(begin.v) : step > 0 ? 0 : INT64_MAX);
        mx_push_int(&ends[1], end.given ? written(end.v) : step > 0 ? INT64_MAX : INT64_MIN + 1);
    }
    out[0] = axes[0].n == 0 ? in[0] : ox_slice(b, in[0], starts[0].v, ends[0].v, axes[0].v, NULL, axes[0].n);
    out[0] = axes[1].n == 0 ? out[0] : ox_slice(b, out[0], starts[1].v, ends[1].v, axes[1].v, steps.v, axes[1].n);
}

/* ---- slice_axis: nothing is clipped */

struct slice_axis {
    int64_t axis, begin;
    struct mx_opt_int end;
};

static const struct mx_attr axis_attrs[] = {
    MX_AXIS(struct slice_axis, axis, NULL),
    MX_INT64(struct slice_axis, begin, NULL),
    MX_INT64_NONE(struct slice_axis, end, NULL),
};

static int infer_axis(struct mx_infer *c)
{
    const struct slice_axis *a = c->attrs;
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    int axis;
    int64_t size;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_axis(c, a->axis, s.ndim, "axis", &axis));
    mx_push_dims(&dims, s.dims, s.ndim);
    const bool whole = a->begin == 0 && !a->end.given;
    if (mx_dim_known(c->dims, s.dims[axis], &size)) {
        const int64_t begin = mx_wrap(a->begin, size);
        const int64_t end = a->end.given ? mx_wrap(a->end.v, size) : size;
        if (begin < 0 || begin >= end || end > size) {
            return mx_infer_fail(c, "begin", "the range %lld to %lld is empty or not within axis %d of size %lld", (long long)begin,
                                 (long long)end, axis, (long long)size);
        }
        mx_put_dim(&dims, axis, mx_dim_of(end - begin));
    } else if (!whole && mx_dim_has_unknown(c->dims, s.dims[axis])) {
        return MX_LATER;
    } else if (a->begin >= FAR || a->begin <= -FAR || is_before_start(a->end)) {
        return mx_infer_fail(c, "begin", "the range from %lld is not within the axis" MX_HELP "choose another begin or end",
                             (long long)a->begin);
    } else if (!whole) {
        const struct mx_opt_int begin = {true, a->begin};
        const mx_dim length = shrinks(begin, a->end, 1) ? size_at_run_time(c, axis) : open_length(c, begin, a->end, 1, s.dims[axis]);
        if (mx_dim_known(c->dims, length, &size) && size <= 0) {
            return mx_infer_fail(c, "begin", "the range %lld to %lld is empty" MX_HELP "choose another begin or end", (long long)a->begin,
                                 (long long)a->end.v);
        }
        mx_put_dim(&dims, axis, length);
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower_axis(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct slice_axis *a = n->attrs;
    const int64_t axis = mx_wrap(a->axis, n->out[0].shape.ndim);
    const int64_t end = a->end.given ? a->end.v : INT64_MAX;
    if (a->begin == 0 && (!a->end.given || mx_dim_equal(ox_dims_table(b), ox_dim_at(b, in[0], (int)axis), n->out[0].shape.dims[axis]))) {
        out[0] = in[0];
        return;
    }
    out[0] = ox_slice1(b, in[0], (int)axis, a->begin, end);
}

/* ---- slice_like: the first elements, to the size of the second input */

struct slice_like {
    struct mx_tuple axes;
};

static const struct mx_attr like_attrs[] = {MX_AXES_NONE(struct slice_like, axes, "()")};

/* The axes that are cut. */
static int find_axes(struct mx_infer *c, int ndim, int ndim_like, struct mx_axes *cut)
{
    const struct slice_like *a = c->attrs;
    if (a->axes.n == 0 && ndim != ndim_like) {
        return mx_infer_fail(c, "axes", MX_SUBJECT "is empty, but the inputs have rank %d and %d" MX_HELP "list the axes", ndim, ndim_like);
    }
    for (int i = 0; i < ndim && a->axes.n == 0; i++) {
        mx_add_axis(cut, i);
    }
    for (int i = 0; i < a->axes.n; i++) {
        int axis, other;
        MX_TRY(mx_axis(c, a->axes.v[i], ndim, "axes", &axis));
        MX_TRY(mx_axis(c, axis, ndim_like, "axes", &other));
        mx_add_axis(cut, axis);
    }
    return MX_OK;
}

static int infer_like(struct mx_infer *c)
{
    struct mx_shape s, like;
    struct mx_dim_list dims = mx_no_dims(c);
    struct mx_axes cut = {0};
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_input(c, 1, &like));
    MX_TRY(find_axes(c, s.ndim, like.ndim, &cut));
    for (int i = 0; i < s.ndim; i++) {
        int64_t have, want;
        mx_put_dim(&dims, i, mx_has_axis(cut, i) ? like.dims[i] : s.dims[i]);
        if (mx_dim_known(c->dims, s.dims[i], &have) && mx_dim_known(c->dims, mx_get_dim(&dims, i), &want) && want > have) {
            return mx_infer_fail(c, "axes", "axis %d has size %lld and cannot be cut to %lld" MX_HELP "leave it out of axes", i,
                                 (long long)have, (long long)want);
        }
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower_like(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct mx_shape to = n->out[0].shape;
    struct mx_int_list axes = ox_no_ints(b);
    struct mx_dim_list starts = ox_no_dims(b);
    struct mx_dim_list ends = ox_no_dims(b);
    for (int i = 0; i < to.ndim; i++) {
        if (!mx_dim_equal(ox_dims_table(b), ox_dim_at(b, in[0], i), to.dims[i])) {
            mx_push_int(&axes, i);
            mx_push_dim(&starts, mx_dim_of(0));
            mx_push_dim(&ends, to.dims[i]);
        }
    }
    out[0] = axes.n == 0 ? in[0] : ox_slice_dims(b, in[0], axes.v, starts.v, ends.v, axes.n);
}

const struct mx_op mx_ops_slice[] = {
    {
        .name = "slice",
        .alias = "_npi_slice _npx_slice _sparse_slice crop",
        MX_ATTRS(slice_attrs, struct slice),
        .infer = infer_slice,
        .lower = lower_slice,
        .refuses = "A range without elements, without NumPy's shape semantics: MXNet refuses it, too.",
        .differs =
            "A dynamic axis that is too short for begin and end at run time: the range is cut, as NumPy does; MXNet stops with an error.",
    },
    {
        .name = "slice_axis",
        MX_ATTRS(axis_attrs, struct slice_axis),
        .infer = infer_axis,
        .lower = lower_axis,
        .differs =
            "A dynamic axis that is too short for begin and end at run time: the range is cut, as NumPy does; MXNet stops with an error.",
    },
    {
        .name = "slice_like",
        .alias = "_npx_slice_like",
        MX_ATTRS(like_attrs, struct slice_like),
        .inputs = "data shape_like",
        .infer = infer_like,
        .lower = lower_like,
    },
    MX_OPS_END,
};
