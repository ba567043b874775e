/* Nodes that keep every element and change the shape or type: cast, reshape, transpose, squeeze, unsqueeze, expand. */
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "onnx/builder/internal.h"
#include "onnx/tensor/bytes.h"

static const struct ox_node *producer_of(struct ox_build *b, ox_val x)
{
    return ox_value_of(b->model, x)->producer;
}

static bool made_by(struct ox_build *b, ox_val x, enum ox_op op)
{
    return ox_node_is(producer_of(b, x), op);
}

enum {
    WORK = 16,      /* per element that is moved */
    MOVED = 1 << 15 /* the buffers of a view */
};

ox_val ox_moved(struct ox_build *b, const struct ox_tensor *t)
{
    if (!t || ox_failed(b)) {
        return OX_NONE;
    }
    const int64_t count = ox_count(t->dims, t->ndim);
    if (count < 0 || count > OX_SMALL || !ox_tensor_in_memory(t)) {
        return ox_weight(b, t);
    }
    void *raw = mx_calloc((size_t)count + 1, mx_dtype_size(t->dtype));
    mx_count_work(b->model->arena.budget, WORK * (uint64_t)count + MOVED);
    if (!raw || ox_tensor_read(t, raw) != MX_OK) {
        ox_oom(b); /* memory is the only reason why a tensor in memory can fail */
        mx_free(raw);
        return OX_NONE;
    }
    const ox_val x = ox_tensor(b, t->dtype, t->dims, t->ndim, raw);
    mx_free(raw);
    return x;
}

/* ---- cast */

/* True if Cast(Cast(x, middle), to) can be one Cast: the middle type preserves x's values, and no float is between integers, where
 * out-of-range conversions differ. */
static bool cast_through(enum mx_dtype from, enum mx_dtype middle, enum mx_dtype to)
{
    return ox_lossless(from, middle)
           && (from == to || to == MX_BOOL || mx_dtype_is_float(to) || !mx_dtype_is_float(middle) || mx_dtype_is_float(from));
}

static uint64_t cast_key(ox_val x, enum mx_dtype t)
{
    return (uint64_t)x << 8 | (uint64_t)t;
}

ox_val ox_cast_source(struct ox_build *b, ox_val x, enum mx_dtype t)
{
    while (ox_dtype(b, x) != t && made_by(b, x, OX_Cast) && cast_through(ox_dtype(b, producer_of(b, x)->in[0]), ox_dtype(b, x), t)) {
        x = producer_of(b, x)->in[0];
    }
    return x;
}

static ox_val typed(struct ox_build *b, ox_val x, struct mx_shape s)
{
    if (!ox_failed(b)) {
        ox_value_of(b->model, x)->shape = s;
        ox_register_dims(b, x);
    }
    return x;
}

/* The value is cast before it is expanded: a reader that broadcasts then needs no Expand. */
static ox_val cast_expanded(struct ox_build *b, ox_val x, enum mx_dtype t)
{
    const struct ox_node *expand = producer_of(b, x);
    const ox_val small = ox_cast(b, expand->in[0], t);
    return typed(b, ox_emit(b, OX_Expand, OX_IN(small, expand->in[1]), OX_NO_ATTRS), ox_shape(b, x));
}

ox_val ox_cast(struct ox_build *b, ox_val x, enum mx_dtype t)
{
    if (ox_failed(b)) {
        return OX_NONE;
    }
    x = ox_cast_source(b, x, t);
    if (ox_dtype(b, x) == t) {
        return x;
    }
    if (made_by(b, x, OX_Expand)) {
        return cast_expanded(b, x, t);
    }
    const struct ox_memo *known = ox_recall(b, OX_MEMO_CAST, cast_key(x, t));
    if (known) {
        return known->value;
    }
    const struct ox_tensor *tensor = ox_tensor_of(b, x);
    const struct ox_tensor *cast = tensor ? ox_view_cast(b, tensor, t) : NULL;
    const ox_val y = cast || ox_failed(b) ? ox_moved(b, cast) : ox_emit(b, OX_Cast, OX_IN(x), OX_ATTRS(OX_T("to", t)));
    ox_remember(b, (struct ox_memo){.kind = OX_MEMO_CAST, .key = cast_key(x, t), .value = y, .graph = cast ? NULL : b->graph});
    return y;
}

void ox_remember_cast(struct ox_build *b, const struct ox_node *cast)
{
    const uint64_t key = cast_key(cast->in[0], ox_dtype(b, cast->out[0]));
    if (!ox_recall(b, OX_MEMO_CAST, key)) {
        ox_remember(b, (struct ox_memo){.kind = OX_MEMO_CAST, .key = key, .value = cast->out[0], .graph = b->graph});
    }
}

ox_val ox_is_true(struct ox_build *b, ox_val x)
{
    return ox_cast(b, x, MX_BOOL);
}

/* ---- reshape */

static bool reshapes(struct ox_build *b, ox_val x)
{
    return made_by(b, x, OX_Reshape) || made_by(b, x, OX_Squeeze) || made_by(b, x, OX_Unsqueeze) || made_by(b, x, OX_Flatten);
}

/* s as the constant shape of a Reshape of `from`: a size, 0 where a dim of `from` stays in its place, and at most one -1. False if s
 * cannot be expressed in this way. */
static bool plain_form(struct ox_build *b, struct mx_shape from, struct mx_shape s, struct mx_int_list *out)
{
    struct mx_dims *t = b->model->dims;
    int open = 0;
    out->n = 0;
    for (int i = 0; i < s.ndim; i++) {
        int64_t size;
        const bool known = mx_dim_known(t, s.dims[i], &size);
        const bool stays = !known && i < from.ndim && mx_dim_equal(t, from.dims[i], s.dims[i]);
        mx_push_int(out, known ? size : stays ? 0 : -1);
        open += !known && !stays;
    }
    return open <= 1;
}

/* Roughly the number of nodes needed to compute a size at run time; a size that was written already costs nothing. */
static int64_t size_cost(struct ox_build *b, mx_dim d)
{
    const struct mx_dim_term *terms = NULL;
    int64_t cost = 0;
    d = mx_dim_resolve(b->model->dims, d);
    if (!ox_dim_readable(b, d)) {
        return INT64_MAX;
    }
    if (ox_recall(b, OX_MEMO_SIZE, ox_dim_key(d))) {
        return 0;
    }
    const int n = mx_dim_terms(b->model->dims, d, &terms);
    for (int i = 0; i < n; i++) {
        cost += 1 + (terms[i].coefficient != 1);
        for (int k = 0; k < terms[i].n_factors; k++) {
            cost += mx_dim_factor(b->model->dims, terms[i].factors[k]).is_leaf ? 1 : 3;
        }
    }
    return cost;
}

/* A size must be computed, or several; the most expensive one becomes the -1. */
static ox_val computed_form(struct ox_build *b, struct mx_shape from, struct mx_shape s)
{
    struct mx_dim_list sizes = ox_no_dims(b);
    struct mx_int_list plain = ox_no_ints(b);
    int64_t highest = 0;
    int open = -1;
    (void)plain_form(b, from, s, &plain);
    for (int i = 0; i < s.ndim; i++) {
        const int64_t number = mx_get_int(&plain, i);
        mx_push_dim(&sizes, number == 0 ? mx_dim_of(0) : s.dims[i]);
        if (number != -1) {
            continue;
        }
        const int64_t cost = size_cost(b, s.dims[i]);
        if (cost >= highest) {
            open = i;
            highest = cost;
        }
    }
    mx_put_dim(&sizes, open, mx_dim_addn(b->model->dims, mx_dim_of(0), -1));
    return ox_dims(b, sizes.v, sizes.n);
}

/* True if the numbers remain correct when a size is 0 at run time, where a -1 could not be computed. */
static bool holds_at_zero(const int64_t *plain, int n)
{
    bool open = false, copied = false;
    for (int i = 0; i < n; i++) {
        open = open || plain[i] < 0;
        copied = copied || plain[i] == 0;
    }
    return !open || !copied;
}

bool ox_can_reshape(struct ox_build *b, struct mx_shape from, struct mx_shape to)
{
    int open = 0; /* a Reshape can leave one open, and those that stay in their places */
    for (int i = 0; i < to.ndim; i++) {
        const bool stays = i < from.ndim && mx_dim_equal(b->model->dims, from.dims[i], to.dims[i]);
        open += !stays && !ox_dim_readable(b, to.dims[i]);
    }
    return open <= 1;
}

/* A Flatten, which needs no sizes and works with sizes of 0, if x can be flattened to s; otherwise OX_NONE. */
static ox_val flattened(struct ox_build *b, ox_val x, struct mx_shape s)
{
    struct mx_dims *t = b->model->dims;
    const struct mx_shape own = ox_shape(b, x);
    for (int k = 0; k <= own.ndim && s.ndim == 2; k++) {
        if (mx_dim_equal(t, mx_dim_product(t, own.dims, k), s.dims[0])) {
            return ox_emit(b, OX_Flatten, OX_IN(x), OX_ATTRS(OX_I("axis", k)));
        }
    }
    return OX_NONE;
}

static bool all_readable(struct ox_build *b, struct mx_shape s)
{
    for (int i = 0; i < s.ndim; i++) {
        if (!ox_dim_readable(b, s.dims[i])) {
            return false;
        }
    }
    return true;
}

/* Reshapes x to s, which constants cannot express: by a Flatten, or with computed sizes, and with all of them where a size may be 0. */
static ox_val by_sizes(struct ox_build *b, ox_val x, struct mx_shape s)
{
    const ox_val flat = flattened(b, x, s);
    if (flat != OX_NONE || ox_failed(b)) {
        return flat;
    }
    if (b->model->zero_sizes && all_readable(b, s)) {
        return ox_emit(b, OX_Reshape, OX_IN(x, ox_dims(b, s.dims, s.ndim)), OX_ATTRS(OX_I("allowzero", 1)));
    }
    return ox_emit(b, OX_Reshape, OX_IN(x, computed_form(b, ox_shape(b, x), s)), OX_NO_ATTRS);
}

static bool is_one(struct ox_build *b, mx_dim d)
{
    return mx_dim_equal(b->model->dims, d, mx_dim_of(1));
}

/* Where a Reshape of an expanded value only moves sizes of 1, the value is reshaped before it is expanded: a reader that broadcasts then
 * needs no Expand. OX_NONE elsewhere, and where a size of the result would have to be computed. */
static ox_val reshape_expanded(struct ox_build *b, ox_val x, struct mx_shape s)
{
    const ox_val small = producer_of(b, x)->in[0];
    const struct mx_shape from = ox_shape(b, x), own = ox_shape(b, small);
    struct mx_dim_list dims = ox_no_dims(b);
    int k = 0; /* the axis of x that comes next */
    for (int i = 0; i < s.ndim; i++) {
        if (is_one(b, s.dims[i])) {
            mx_push_dim(&dims, mx_dim_of(1));
            continue;
        }
        while (k < from.ndim && is_one(b, from.dims[k])) {
            k++;
        }
        if (k >= from.ndim || !mx_dim_equal(b->model->dims, from.dims[k], s.dims[i])) {
            return OX_NONE;
        }
        const int at = k++ - (from.ndim - own.ndim);
        const mx_dim d = at >= 0 ? own.dims[at] : mx_dim_of(1);
        mx_push_dim(&dims, d);
        int64_t number;
        if (!mx_dim_equal(b->model->dims, d, s.dims[i]) && !mx_dim_known(b->model->dims, s.dims[i], &number)) {
            return OX_NONE;
        }
    }
    while (k < from.ndim && is_one(b, from.dims[k])) {
        k++;
    }
    return own.ndim >= 0 && k == from.ndim ? ox_expand(b, ox_reshape(b, small, dims.v, dims.n), s.dims, s.ndim) : OX_NONE;
}

static ox_val write_reshape(struct ox_build *b, ox_val x, struct mx_shape s)
{
    struct mx_int_list plain = ox_no_ints(b);
    ox_val from = x;
    while (reshapes(b, from)) {
        from = producer_of(b, from)->in[0];
        const struct mx_shape f = ox_shape(b, from);
        if (ox_shapes_equal(b, f, s)) {
            return from;
        }
        if (plain_form(b, f, s, &plain)) {
            x = from;
        }
    }
    const ox_val expanded = made_by(b, x, OX_Expand) ? reshape_expanded(b, x, s) : OX_NONE;
    if (expanded != OX_NONE || ox_failed(b)) {
        return expanded;
    }
    const bool simple = plain_form(b, ox_shape(b, x), s, &plain) && (!b->model->zero_sizes || holds_at_zero(plain.v, plain.n));
    return typed(b, simple ? ox_emit(b, OX_Reshape, OX_IN(x, ox_ints(b, plain.v, plain.n)), OX_NO_ATTRS) : by_sizes(b, x, s), s);
}

ox_val ox_reshape(struct ox_build *b, ox_val x, const mx_dim *dims, int ndim)
{
    struct mx_int_list numbers = ox_no_ints(b);
    if (ox_failed(b) || !ox_rank_possible(b, ndim)) {
        return OX_NONE;
    }
    const struct mx_shape s = ox_copy_shape(b, dims, ndim);
    if (ox_failed(b) || ox_shapes_equal(b, ox_shape(b, x), s)) {
        return ox_failed(b) ? OX_NONE : x;
    }
    const struct ox_tensor *tensor = ox_tensor_of(b, x);
    if (tensor && ox_shape_numbers(b, s, &numbers)) {
        if (ox_count(numbers.v, numbers.n) != ox_count(tensor->dims, tensor->ndim)) {
            /* Not by a file: infer states that the elements are as many; a shape that is a value: lower compares it. */
            ox_broken(b, "internal error: a constant reshaped to another number of elements");
            return OX_NONE;
        }
        const struct ox_tensor *view = ox_view_reshape(b, tensor, numbers.v, numbers.n);
        if (view) {
            return ox_moved(b, view);
        }
    }
    if (mx_shape_is_empty(b->model->dims, s)) {
        return ox_fill(b, ox_dtype(b, x), s, 0);
    }
    return write_reshape(b, x, s);
}

ox_val ox_reshape_shape(struct ox_build *b, ox_val x, struct mx_shape s)
{
    return ox_reshape(b, x, s.dims, s.ndim);
}

ox_val ox_reshape_ints(struct ox_build *b, ox_val x, const int64_t *dims, int ndim)
{
    struct mx_dim_list target = ox_no_dims(b);
    int open = -1;
    if (ox_failed(b)) {
        return OX_NONE;
    }
    const struct mx_shape s = ox_shape(b, x);
    if (s.ndim < 0 || ndim > MX_MAX_RANK) {
        return ox_emit(b, OX_Reshape, OX_IN(x, ox_ints(b, dims, ndim)), OX_NO_ATTRS);
    }
    struct mx_dims *t = b->model->dims;
    mx_dim known = mx_dim_of(1);
    for (int i = 0; i < ndim; i++) {
        if (dims[i] == -1 && open < 0) {
            open = i;
            mx_push_dim(&target, mx_dim_of(1));
            continue;
        }
        if (dims[i] < 0 || (dims[i] == 0 && i >= s.ndim)) {
            /* Not by a file: the numbers are written in ops/, or sizes that infer has checked. */
            ox_broken(b, "internal error: a Reshape with %lld as dim %d", (long long)dims[i], i);
            return OX_NONE;
        }
        mx_push_dim(&target, dims[i] > 0 ? mx_dim_of(dims[i]) : s.dims[i]);
        known = mx_dim_mul(t, known, mx_get_dim(&target, i));
    }
    mx_dim rest;
    if (open >= 0 && !mx_dim_div_exact(t, mx_shape_elements(t, s), known, &rest)) {
        ox_fail(b, NULL, "the number of elements does not match the new shape" MX_HELP "choose other sizes");
        return OX_NONE;
    }
    if (open >= 0) {
        mx_put_dim(&target, open, rest);
    }
    return ox_reshape(b, x, target.v, target.n);
}

ox_val ox_flat(struct ox_build *b, ox_val x)
{
    return ox_reshape_ints(b, x, (const int64_t[]){-1}, 1);
}

/* ---- transpose */

ox_val ox_transpose(struct ox_build *b, ox_val x, const int64_t *perm, int n)
{
    struct mx_int_list p = ox_no_ints(b);
    struct mx_axes seen = {0};
    if (ox_failed(b)) {
        return OX_NONE;
    }
    if (n > MX_MAX_RANK || (ox_rank(b, x) >= 0 && ox_rank(b, x) != n)) {
        /* Not by a file: the permutation is made from the rank, or infer has compared both. */
        ox_broken(b, "internal error: a Transpose of %d axes of a value of rank %d", n, ox_rank(b, x));
        return OX_NONE;
    }
    for (int i = 0; i < n; i++) {
        const int axis = ox_axis(b, perm[i], n, OX_Transpose);
        if (!ox_failed(b) && mx_has_axis(seen, axis)) {
            /* Not by a file: infer refuses an axis that is listed twice. */
            ox_broken(b, "internal error: a Transpose that names axis %d twice", axis);
        }
        mx_add_axis(&seen, axis);
        mx_push_int(&p, axis);
    }
    const struct ox_tensor *tensor = ox_tensor_of(b, x);
    int n_inner = 0;
    const int64_t *inner = made_by(b, x, OX_Transpose) ? ox_attr_ints(producer_of(b, x)->attrs, "perm", &n_inner) : NULL;
    if (ox_failed(b)) {
        return OX_NONE;
    }
    if (inner && n_inner == n && ox_rank(b, producer_of(b, x)->in[0]) == n) { /* a handler may declare another rank for x */
        for (int i = 0; i < n; i++) {
            mx_put_int(&p, i, inner[mx_get_int(&p, i)]);
        }
        x = producer_of(b, x)->in[0];
    }
    if (memcmp(p.v, ox_counted(b, n).v, (size_t)n * sizeof *p.v) == 0) {
        return x;
    }
    return tensor ? ox_moved(b, ox_view_transpose(b, tensor, p.v)) : ox_emit(b, OX_Transpose, OX_IN(x), OX_ATTRS(OX_IS("perm", p.v, p.n)));
}

ox_val ox_swap_axes(struct ox_build *b, ox_val x, int a1, int a2)
{
    const int n = ox_rank(b, x), i = ox_axis(b, a1, n, OX_Transpose), k = ox_axis(b, a2, n, OX_Transpose);
    struct mx_int_list perm = ox_counted(b, n);
    mx_put_int(&perm, i, k);
    mx_put_int(&perm, k, i);
    return ox_transpose(b, x, perm.v, perm.n);
}

/* ---- squeeze, unsqueeze */

/* The same elements under another shape by a special operator, unless a Reshape or no node has the same effect. */
static ox_val rename_axes(struct ox_build *b, enum ox_op op, ox_val x, struct mx_shape wanted, struct mx_axes marked)
{
    const struct mx_shape s = ox_copy_shape(b, wanted.dims, wanted.ndim);
    if (ox_failed(b)) {
        return OX_NONE;
    }
    if (ox_tensor_of(b, x) || (reshapes(b, x) && mx_shape_known(b->model->dims, s))) {
        return ox_reshape_shape(b, x, s);
    }
    const ox_val expanded = made_by(b, x, OX_Expand) ? reshape_expanded(b, x, s) : OX_NONE;
    if (expanded != OX_NONE || ox_failed(b)) {
        return expanded;
    }
    for (ox_val from = x; reshapes(b, from);) {
        from = producer_of(b, from)->in[0];
        if (ox_shapes_equal(b, ox_shape(b, from), s)) {
            return from;
        }
    }
    const struct mx_int_list axes = ox_listed(b, marked);
    return typed(b, ox_emit(b, op, OX_IN(x, ox_ints(b, axes.v, axes.n)), OX_NO_ATTRS), s);
}

/* Some of the axes of a value of this rank. */
static struct mx_axes mark_axes(struct ox_build *b, enum ox_op op, const int64_t *axes, int n, int rank)
{
    struct mx_axes marked = {0};
    for (int i = 0; i < n && !ox_failed(b); i++) {
        const int axis = ox_axis(b, axes[i], rank, op);
        if (!ox_failed(b) && mx_has_axis(marked, axis)) {
            /* Not by a file: as in ox_transpose. */
            ox_broken(b, "internal error: %s names an axis twice", ox_op_name(op));
        }
        mx_add_axis(&marked, axis);
    }
    return marked;
}

ox_val ox_unsqueeze(struct ox_build *b, ox_val x, const int64_t *axes, int n)
{
    struct mx_dim_list dims = ox_no_dims(b);
    int k = 0;
    if (ox_failed(b) || n == 0) {
        return ox_failed(b) ? OX_NONE : x;
    }
    const struct mx_shape s = ox_shape(b, x);
    if (s.ndim < 0 || n > MX_MAX_RANK - s.ndim) {
        return ox_emit(b, OX_Unsqueeze, OX_IN(x, ox_ints(b, axes, n)), OX_NO_ATTRS);
    }
    const struct mx_axes added = mark_axes(b, OX_Unsqueeze, axes, n, s.ndim + n);
    if (ox_failed(b)) {
        return OX_NONE;
    }
    for (int i = 0; i < s.ndim + n; i++) {
        mx_push_dim(&dims, mx_has_axis(added, i) ? mx_dim_of(1) : s.dims[k++]);
    }
    return rename_axes(b, OX_Unsqueeze, x, mx_list_shape(&dims), added);
}

ox_val ox_along(struct ox_build *b, ox_val vector, int axis, int rank)
{
    struct mx_int_list axes = ox_no_ints(b);
    for (int i = 0; i < rank - axis - 1; i++) {
        mx_push_int(&axes, i + 1);
    }
    return ox_unsqueeze(b, vector, axes.v, axes.n);
}

ox_val ox_squeeze(struct ox_build *b, ox_val x, const int64_t *axes, int n)
{
    struct mx_dim_list dims = ox_no_dims(b);
    if (ox_failed(b) || n == 0) {
        return ox_failed(b) ? OX_NONE : x;
    }
    const struct mx_shape s = ox_shape(b, x);
    if (s.ndim < 0) {
        return ox_emit(b, OX_Squeeze, OX_IN(x, ox_ints(b, axes, n)), OX_NO_ATTRS);
    }
    const struct mx_axes gone = mark_axes(b, OX_Squeeze, axes, n, s.ndim);
    if (ox_failed(b)) {
        return OX_NONE;
    }
    for (int i = 0; i < s.ndim; i++) {
        int64_t size;
        if (!mx_has_axis(gone, i)) {
            mx_push_dim(&dims, s.dims[i]);
        } else if (mx_dim_known(b->model->dims, s.dims[i], &size) && size != 1) {
            /* Not by a file: infer states that the size is 1. */
            ox_broken(b, "internal error: a Squeeze of axis %d of size %lld", i, (long long)size);
            return OX_NONE;
        }
    }
    return rename_axes(b, OX_Squeeze, x, mx_list_shape(&dims), gone);
}

/* ---- expand */

ox_val ox_expand(struct ox_build *b, ox_val x, const mx_dim *dims, int ndim)
{
    struct mx_dim_list sizes = ox_no_dims(b);
    struct mx_int_list numbers = ox_no_ints(b);
    if (ox_failed(b)) {
        return OX_NONE;
    }
    const struct mx_shape own = ox_shape(b, x);
    const struct mx_shape s = ox_copy_shape(b, dims, ndim);
    if (ox_failed(b) || ox_shapes_equal(b, own, s)) {
        return ox_failed(b) ? OX_NONE : x;
    }
    const struct ox_tensor *tensor = ox_tensor_of(b, x);
    const int64_t count = tensor && ox_shape_numbers(b, s, &numbers) ? ox_count(numbers.v, numbers.n) : -1;
    if (count >= 0
        && (count <= OX_SMALL || count == ox_count(tensor->dims, tensor->ndim) || (ox_is_repeatable(tensor) && count <= OX_LARGEST_FILL))) {
        return ox_moved(b, ox_view_expand(b, tensor, numbers.v, numbers.n));
    }
    for (int i = 0; i < ndim; i++) {
        const int k = i - (ndim - own.ndim);
        /* A 1 keeps the size of x: no size is read at run time where x has it already. */
        const bool kept = k >= 0 && mx_dim_equal(b->model->dims, own.dims[k], s.dims[i]);
        mx_push_dim(&sizes, kept ? mx_dim_of(1) : s.dims[i]);
    }
    return typed(b, ox_emit(b, OX_Expand, OX_IN(x, ox_dims(b, sizes.v, sizes.n)), OX_NO_ATTRS), s);
}

/* ---- filled */

ox_val ox_fill(struct ox_build *b, enum mx_dtype t, struct mx_shape s, double v)
{
    struct mx_int_list dims = ox_no_ints(b);
    if (ox_failed(b) || !ox_rank_possible(b, s.ndim)) {
        return OX_NONE;
    }
    if (!ox_shape_numbers(b, s, &dims)) {
        return ox_expand(b, ox_scalar(b, t, v), s.dims, s.ndim);
    }
    if (ox_count(dims.v, dims.n) > OX_LARGEST_FILL) { /* a small file may ask for any size: the runtime then fills it */
        return ox_emit(b, OX_Expand, OX_IN(ox_scalar(b, t, v), ox_ints(b, dims.v, dims.n)), OX_NO_ATTRS);
    }
    return ox_filled(b, t, dims.v, dims.n, v);
}
