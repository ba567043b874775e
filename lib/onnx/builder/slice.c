/* Nodes that take parts of tensors and combine them: concat, slice, split, gather, tile, pad. */
#include <math.h>
#include <string.h>

#include "onnx/builder/internal.h"
#include "onnx/tensor/bytes.h"

/* ---- concat */

/* Removes inputs that are empty along the axis and returns the number of those left, at least one. */
static int drop_empty(struct ox_build *b, const ox_val *x, int n, int axis, ox_val *kept)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        int64_t size;
        if (ox_rank(b, x[i]) <= axis || !ox_size_at(b, x[i], axis, &size) || size != 0) {
            kept[count++] = x[i];
        }
    }
    if (count == 0) {
        kept[count++] = x[0];
    }
    return count;
}

static const struct ox_tensor *joined(struct ox_build *b, const ox_val *x, int n, int axis)
{
    const struct ox_tensor **t = ox_scratch(b, (size_t)n, sizeof *t);
    if (!t) {
        return NULL;
    }
    for (int i = 0; i < n; i++) {
        t[i] = ox_tensor_of(b, x[i]);
        if (!t[i] || t[i]->dtype != t[0]->dtype) {
            return NULL;
        }
    }
    return ox_view_concat(b, t, n, axis);
}

/* A Concat of values with one number each is a vector of these numbers, expanded; OX_NONE if they are not such values. */
static ox_val concat_spread(struct ox_build *b, const ox_val *x, int n, int axis)
{
    const struct mx_shape s = ox_shape(b, x[0]);
    ox_val *numbers = ox_scratch(b, (size_t)n, sizeof *numbers);
    struct mx_dim_list dims = ox_no_dims(b);
    struct mx_int_list ones = ox_no_ints(b);
    if (!numbers) {
        return OX_NONE;
    }
    for (int i = 0; i < s.ndim; i++) {
        mx_push_dim(&dims, i == axis ? mx_dim_of(n) : s.dims[i]);
        mx_push_int(&ones, 1);
    }
    for (int i = 0; i < n; i++) {
        const ox_val small = ox_failed(b) ? OX_NONE : ox_core(b, x[i]);
        int64_t size;
        if (ox_failed(b) || small == x[i] || !ox_is_one_number(b, small) || !ox_size_at(b, x[i], axis, &size) || size != 1) {
            return OX_NONE;
        }
        numbers[i] = ox_reshape_ints(b, small, ones.v, ones.n);
    }
    return ox_expand(b, ox_concat(b, numbers, n, axis), dims.v, dims.n);
}

/* A computed constant of size 1 on the axis that is repeated there is expanded: attention cells concatenate a mask for each
 * head. OX_NONE if x is not that. */
static ox_val concat_repeated(struct ox_build *b, const ox_val *x, int n, int axis)
{
    struct mx_dim_list dims = ox_no_dims(b);
    const struct ox_tensor *t = ox_tensor_of(b, x[0]);
    for (int i = 1; i < n; i++) {
        if (x[i] != x[0]) {
            return OX_NONE;
        }
    }
    if (!t || !ox_tensor_in_memory(t) || t->dims[axis] != 1) {
        return OX_NONE;
    }
    for (int i = 0; i < t->ndim; i++) {
        mx_push_dim(&dims, mx_dim_of(i == axis ? n : t->dims[i]));
    }
    return ox_expand(b, x[0], dims.v, dims.n);
}

ox_val ox_concat(struct ox_build *b, const ox_val *x, int n, int axis)
{
    if (ox_failed(b)) {
        return OX_NONE;
    }
    if (n < 1) {
        /* Not by a file: infer refuses a node without inputs; other lists have a written part. */
        ox_broken(b, "internal error: a Concat of nothing");
        return OX_NONE;
    }
    ox_val *kept = ox_scratch(b, (size_t)n + 1, sizeof *kept);
    if (!kept) {
        return OX_NONE;
    }
    const int rank = ox_rank(b, x[0]);
    const int k = rank >= 0 ? ox_axis(b, axis, rank, OX_Concat) : axis;
    if (ox_failed(b)) {
        return OX_NONE;
    }
    if (rank >= 0) {
        n = drop_empty(b, x, n, k, kept);
    } else {
        memcpy(kept, x, (size_t)n * sizeof *kept);
    }
    if (n == 1) {
        return kept[0];
    }
    const ox_val repeated = concat_repeated(b, kept, n, k);
    if (repeated != OX_NONE || ox_failed(b)) {
        return repeated;
    }
    const struct ox_tensor *t = joined(b, kept, n, k);
    if (t) {
        return ox_moved(b, t);
    }
    const ox_val spread = rank >= 0 ? concat_spread(b, kept, n, k) : OX_NONE;
    if (spread != OX_NONE || ox_failed(b)) {
        return spread;
    }
    kept[n] = OX_END;
    return ox_emit(b, OX_Concat, kept, OX_ATTRS(OX_I("axis", k)));
}

/* ---- slice */

static bool keeps_all(struct ox_build *b, ox_val x, int axis, struct ox_range r)
{
    int64_t size;
    if (r.step != 1) {
        return false;
    }
    if (ox_size_at(b, x, axis, &size)) {
        return ox_part_of(r, size).count == size;
    }
    return r.start == 0 && r.end == INT64_MAX;
}

/* The ranges of a Slice. */
struct ranges {
    struct mx_int_list starts, ends, axes, steps;
};

static struct ox_range range_at(const struct ranges *r, int i)
{
    return (struct ox_range){mx_get_int(&r->starts, i), mx_get_int(&r->ends, i), mx_get_int(&r->steps, i)};
}

/* A slice of an initialiser is another view of its data. */
static ox_val slice_constant(struct ox_build *b, const struct ox_tensor *t, const struct ranges *ranges)
{
    for (int i = 0; i < ranges->axes.n && t; i++) {
        const int axis = (int)ranges->axes.v[i];
        t = ox_view_slice(b, t, axis, ox_part_of(range_at(ranges, i), t->dims[axis]));
    }
    return ox_moved(b, t);
}

/* A slice of a vector of sizes reads those sizes only. OX_NONE if x is not such a vector. */
static ox_val slice_sizes(struct ox_build *b, ox_val x, struct ox_range r)
{
    struct mx_dim_list sizes = ox_no_dims(b);
    struct mx_dim_list some = ox_no_dims(b);
    if (ox_rank(b, x) != 1 || !ox_vector_dims(b, x, &sizes)) {
        return OX_NONE;
    }
    const struct ox_part part = ox_part_of(r, sizes.n);
    for (int64_t i = 0; i < part.count; i++) {
        mx_push_dim(&some, mx_get_dim(&sizes, part.start + i * part.step));
    }
    return ox_dims(b, some.v, some.n);
}

ox_val ox_slice(struct ox_build *b, ox_val x, const int64_t *starts, const int64_t *ends, const int64_t *axes, const int64_t *steps, int n)
{
    struct ranges cut = {ox_no_ints(b), ox_no_ints(b), ox_no_ints(b), ox_no_ints(b)};
    bool stepped = false;
    if (ox_failed(b)) {
        return OX_NONE;
    }
    const int rank = ox_rank(b, x);
    for (int i = 0; i < n && !ox_failed(b); i++) {
        const int axis = ox_axis(b, axes[i], rank, OX_Slice);
        const struct ox_range r = {starts[i], ends[i], steps ? steps[i] : 1};
        if (r.step == 0) {
            /* Not by a file: infer refuses it. */
            ox_broken(b, "internal error: a Slice with step 0");
        }
        if (ox_failed(b) || keeps_all(b, x, axis, r)) {
            continue;
        }
        stepped = stepped || r.step != 1;
        mx_push_int(&cut.starts, r.start);
        mx_push_int(&cut.ends, r.end);
        mx_push_int(&cut.axes, axis);
        mx_push_int(&cut.steps, r.step);
    }
    if (ox_failed(b) || cut.axes.n == 0) {
        return ox_failed(b) ? OX_NONE : x;
    }
    if (ox_tensor_of(b, x)) {
        return slice_constant(b, ox_tensor_of(b, x), &cut);
    }
    const ox_val sizes = slice_sizes(b, x, range_at(&cut, 0));
    if (sizes != OX_NONE || ox_failed(b)) {
        return sizes;
    }
    return ox_emit(b, OX_Slice,
                   OX_IN(x, ox_ints(b, cut.starts.v, cut.starts.n), ox_ints(b, cut.ends.v, cut.ends.n), ox_ints(b, cut.axes.v, cut.axes.n),
                         stepped ? ox_ints(b, cut.steps.v, cut.steps.n) : OX_NONE),
                   OX_NO_ATTRS);
}

ox_val ox_reverse(struct ox_build *b, ox_val x, const int64_t *axes, int n)
{
    const struct mx_int_list starts = ox_repeated(b, INT64_MAX, n), ends = ox_repeated(b, INT64_MIN + 1, n), steps = ox_repeated(b, -1, n);
    return n <= 0 ? x : ox_slice(b, x, starts.v, ends.v, axes, steps.v, steps.n);
}

ox_val ox_slice1(struct ox_build *b, ox_val x, int axis, int64_t start, int64_t end)
{
    return ox_slice(b, x, &start, &end, (const int64_t[]){axis}, NULL, 1);
}

/* Spans that are adjacent are one slice. */
ox_val ox_spans(struct ox_build *b, ox_val x, const struct ox_span *spans, const int64_t *dims, int ndim)
{
    int n = 0;
    while (spans[n].count > 0) {
        n++;
    }
    ox_val *parts = ox_scratch(b, (size_t)n, sizeof *parts);
    if (!parts) {
        return OX_NONE;
    }
    n = 0;
    for (int i = 0; spans[i].count > 0; n++) {
        const int64_t start = spans[i].start;
        int64_t end = start;
        for (; spans[i].count > 0 && spans[i].start == end; i++) {
            end += spans[i].count;
        }
        parts[n] = ox_slice1(b, x, 0, start, end);
    }
    return ox_reshape_ints(b, ox_concat(b, parts, n, 0), dims, ndim);
}

ox_val ox_slice_dims(struct ox_build *b, ox_val x, const int64_t *axes, const mx_dim *starts, const mx_dim *ends, int n)
{
    struct mx_dim_list to = ox_no_dims(b);
    struct mx_int_list along = ox_no_ints(b), start = ox_no_ints(b), end = ox_no_ints(b);
    if (ox_failed(b)) {
        return OX_NONE;
    }
    struct mx_dims *t = b->model->dims;
    const struct mx_shape s = ox_shape(b, x);
    struct mx_dim_list dims = ox_dims_like(b, s);
    for (int i = 0; i < n && !ox_failed(b); i++) {
        const int axis = ox_axis(b, axes[i], s.ndim, OX_Slice);
        mx_push_int(&along, axis);
        mx_push_dim(&to, mx_dim_equal(t, ends[i], s.dims[axis]) ? mx_dim_of(INT64_MAX) : ends[i]);
        mx_put_dim(&dims, axis, mx_dim_sub(t, ends[i], starts[i]));
    }
    if (ox_failed(b)) {
        return OX_NONE;
    }
    if (ox_shape_numbers(b, (struct mx_shape){n, starts}, &start) && ox_shape_numbers(b, mx_list_shape(&to), &end)) {
        return ox_slice(b, x, start.v, end.v, along.v, NULL, n);
    }
    const ox_val out =
        ox_emit(b, OX_Slice, OX_IN(x, ox_dims(b, starts, n), ox_dims(b, to.v, to.n), ox_ints(b, along.v, along.n)), OX_NO_ATTRS);
    ox_typed(b, out, ox_dtype(b, x), mx_list_shape(&dims));
    return out;
}

/* ---- split, gather, tile */

void ox_split(struct ox_build *b, ox_val x, int axis, const int64_t *sizes, int n, ox_val *out)
{
    int64_t at = 0;
    for (int i = 0; i < n; i++) {
        out[i] = OX_NONE;
    }
    if (ox_failed(b)) {
        return;
    }
    const struct ox_tensor *t = ox_tensor_of(b, x);
    const int k = ox_axis(b, axis, ox_rank(b, x), OX_Split);
    if (ox_failed(b)) {
        return;
    }
    if (n == 1) {
        out[0] = x;
        return;
    }
    if (!t) {
        struct ox_call_room room;
        struct ox_call c = {.b = b, .op = OX_Split, .n_out = n};
        ox_open_call(&c, &room, OX_IN(x, ox_ints(b, sizes, n)), OX_ATTRS(OX_I("axis", k)));
        ox_emit_call(&c, out);
        return;
    }
    for (int i = 0; i < n; i++) {
        out[i] = ox_slice1(b, x, k, at, at + sizes[i]);
        at += sizes[i];
    }
}

/* True if the indices are an increasing arithmetic progression within [0, size). */
static bool is_progression(const struct ox_data *d, int64_t size)
{
    if (!d->i || d->count < 2 || d->i[0] < 0 || d->i[1] <= d->i[0] || d->i[d->count - 1] >= size) {
        return false;
    }
    for (int64_t i = 2; i < d->count; i++) {
        if (d->i[i] <= d->i[i - 1] || d->i[i] - d->i[i - 1] != d->i[1] - d->i[0]) { /* none is negative, so no difference overflows */
            return false;
        }
    }
    return true;
}

/* A gather of evenly spaced rows of an initialiser, as for positions, is a slice of its data. OX_NONE if the rows are not evenly spaced. */
static ox_val gather_rows(struct ox_build *b, ox_val x, ox_val indices, int axis)
{
    struct ox_data d;
    struct mx_int_list dims = ox_no_ints(b);
    const struct ox_tensor *t = ox_tensor_of(b, x);
    ox_val rows = OX_NONE;
    if (!t || ox_count(t->dims, t->ndim) <= 0 || !ox_data_read(b, indices, OX_SMALL, &d)) {
        return OX_NONE;
    }
    if (is_progression(&d, t->dims[axis]) && t->ndim - 1 + d.ndim <= MX_MAX_RANK) {
        const int64_t end = d.i[d.count - 1] + 1;
        const int64_t step = d.i[1] - d.i[0];
        rows = ox_slice(b, x, d.i, &end, (const int64_t[]){axis}, &step, 1);
        mx_push_ints(&dims, t->dims, axis);
        mx_push_ints(&dims, d.dims, d.ndim);
        mx_push_ints(&dims, t->dims + axis + 1, t->ndim - axis - 1);
        rows = ox_reshape_ints(b, rows, dims.v, dims.n);
    }
    ox_data_free(&d);
    return rows;
}

/* Casts indices to int64 unless they are int64 or int32. */
static ox_val whole(struct ox_build *b, ox_val indices)
{
    return ox_dtype(b, indices) == MX_INT32 ? indices : ox_cast(b, indices, MX_INT64);
}

ox_val ox_gather(struct ox_build *b, ox_val x, ox_val indices, int axis)
{
    int64_t index = 0;
    if (ox_failed(b)) {
        return OX_NONE;
    }
    const int rank = ox_rank(b, x);
    const int k = rank >= 0 ? ox_axis(b, axis, rank, OX_Gather) : axis;
    if (ox_failed(b)) {
        return OX_NONE;
    }
    const struct ox_tensor *t = ox_tensor_of(b, x);
    if (t && ox_rank(b, indices) <= 1 && ox_const_int(b, indices, &index) && index >= -t->dims[k] && index < t->dims[k]) {
        const int64_t start = mx_wrap(index, t->dims[k]);
        const ox_val row = ox_slice1(b, x, k, start, start + 1);
        return ox_rank(b, indices) == 1 ? row : ox_squeeze1(b, row, k);
    }
    const ox_val rows = gather_rows(b, x, indices, k);
    return rows != OX_NONE || ox_failed(b) ? rows : ox_emit(b, OX_Gather, OX_IN(x, whole(b, indices)), OX_ATTRS(OX_I("axis", k)));
}

ox_val ox_tile(struct ox_build *b, ox_val x, const int64_t *repeats, int n)
{
    bool once = true;
    for (int i = 0; i < n; i++) {
        once = once && repeats[i] == 1;
    }
    if (ox_failed(b) || once) {
        return ox_failed(b) ? OX_NONE : x;
    }
    if (ox_rank(b, x) >= 0 && ox_rank(b, x) != n) {
        /* Not by a file: the list is made from the rank. */
        ox_broken(b, "internal error: a Tile with %d numbers of a value of rank %d", n, ox_rank(b, x));
        return OX_NONE;
    }
    return ox_emit(b, OX_Tile, OX_IN(x, ox_ints(b, repeats, n)), OX_NO_ATTRS);
}

/* ---- pad */

ox_val ox_pad(struct ox_build *b, ox_val x, const int64_t *begin, const int64_t *end, int n, const char *mode, double value)
{
    struct mx_int_list pads = ox_no_ints(b);
    bool nothing = true;
    if (ox_failed(b)) {
        return OX_NONE;
    }
    if (n > MX_MAX_RANK || (ox_rank(b, x) >= 0 && ox_rank(b, x) != n)) {
        /* Not by a file: as for ox_tile. */
        ox_broken(b, "internal error: a Pad of %d axes of a value of rank %d", n, ox_rank(b, x));
        return OX_NONE;
    }
    mx_push_ints(&pads, begin, n);
    mx_push_ints(&pads, end, n);
    for (int i = 0; i < n; i++) {
        nothing = nothing && begin[i] == 0 && end[i] == 0;
    }
    if (nothing) {
        return x;
    }
    /* An omitted value means 0; -0 is written, because it keeps a runtime from merging the node into a pooling. */
    const bool filled = strcmp(mode, "constant") == 0 && (value != 0 || signbit(value));
    return ox_emit(b, OX_Pad, OX_IN(x, ox_ints(b, pads.v, pads.n), filled ? ox_scalar_like(b, x, value) : OX_NONE),
                   OX_ATTRS(OX_S("mode", mode)));
}
