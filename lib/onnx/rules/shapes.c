/* Shapes and types of results: elementwise operators, moved and joined elements. There is one rule per family, chosen by the operator's
 * row. Dims that cannot be expressed become unknowns. */
#include "onnx/rules/shapes.h"

#include <string.h>

#include "base/budget.h"
#include "base/num.h"
#include "graph/graph.h"

struct mx_shape ox_in_shape(const struct ox_call *c, int i)
{
    return ox_value_of(c->b->model, ox_call_in(c, i))->shape;
}

/* A value between others may have more dimensions than MXNet's have. Its rank counts as unknown, so that no function sees it. */
void ox_set(struct ox_call *c, int i, const mx_dim *dims, int ndim)
{
    if (i < c->n_out && ndim <= MX_MAX_RANK) {
        c->shapes[i] = ox_copy_shape(c->b, dims, ndim);
    }
}

mx_dim ox_any(const struct ox_call *c)
{
    return mx_dim_unknown(ox_t(c));
}

void ox_set_open(struct ox_call *c, int i, int ndim)
{
    struct mx_dim_list dims = ox_no_dims(c->b);
    for (int k = 0; k < ndim; k++) {
        mx_push_dim(&dims, ox_any(c));
    }
    ox_set(c, i, dims.v, dims.n);
}

void ox_set_axis(struct ox_call *c, int i, struct mx_shape s, int axis, mx_dim size)
{
    struct mx_dim_list dims = ox_dims_like(c->b, s);
    mx_put_dim(&dims, axis, size);
    ox_set(c, i, dims.v, dims.n);
}

void ox_set_reduced(struct ox_call *c, struct mx_shape s, struct mx_axes axes, bool keep)
{
    struct mx_dim_list dims = ox_no_dims(c->b);
    for (int i = 0; i < s.ndim; i++) {
        const bool gone = mx_has_axis(axes, i);
        if (!gone || keep) {
            mx_push_dim(&dims, gone ? mx_dim_of(1) : s.dims[i]);
        }
    }
    ox_set(c, 0, dims.v, dims.n);
}

/* How many elements input i, a vector, has; -1 if unknown or more than there are axes. */
static int length_of(const struct ox_call *c, int i)
{
    const struct mx_shape s = ox_in_shape(c, i);
    int64_t n;
    return s.ndim == 1 && mx_dim_known(ox_t(c), s.dims[0], &n) && n <= MX_MAX_RANK ? (int)n : -1;
}

void ox_set_sizes(struct ox_call *c, int i)
{
    struct mx_dim_list dims = ox_no_dims(c->b);
    if (ox_vector_dims(c->b, ox_call_in(c, i), &dims)) {
        ox_set(c, 0, dims.v, dims.n);
    } else if (length_of(c, i) >= 0) {
        ox_set_open(c, 0, length_of(c, i));
    }
}

int64_t ox_int_at(const struct ox_call *c, const char *attr, int i, int64_t missing)
{
    int n;
    const int64_t *v = ox_attr_ints(c->attrs, attr, &n);
    return i < n ? v[i] : missing;
}

bool ox_in_ints(const struct ox_call *c, int i, struct mx_int_list *out)
{
    return ox_const_list(c->b, ox_call_in(c, i), MX_MAX_RANK, out);
}

bool ox_in_int(const struct ox_call *c, int i, int64_t *out)
{
    return ox_const_int(c->b, ox_call_in(c, i), out);
}

int ox_axis_of(const struct ox_call *c, int64_t missing, int ndim)
{
    const int64_t k = mx_wrap(ox_attr_int(c->attrs, "axis", missing), ndim);
    return k >= 0 && k < ndim ? (int)k : -1;
}

/* ---- elementwise */

void ox_rule_same(struct ox_call *c)
{
    for (int i = 0; i < c->n_out; i++) {
        c->shapes[i] = ox_in_shape(c, 0);
        if (c->dtypes[i] == MX_DTYPE_NONE) {
            const bool quantizes = c->op == OX_QuantizeLinear;
            const ox_val zero = ox_call_in(c, 2);
            const enum mx_dtype to = (enum mx_dtype)ox_attr_int(c->attrs, "output_dtype", MX_UINT8);
            c->dtypes[i] = !quantizes ? ox_dtype(c->b, ox_call_in(c, 1)) : zero != OX_NONE ? ox_dtype(c->b, zero) : to;
        }
    }
    if (c->op == OX_EyeLike) {
        c->dtypes[0] = (enum mx_dtype)ox_attr_int(c->attrs, "dtype", ox_dtype(c->b, c->in[0]));
    } else if (c->op == OX_DynamicQuantizeLinear) {
        for (int i = 0; i < c->n_out; i++) {
            c->dtypes[i] = i == 1 ? MX_FLOAT32 : MX_UINT8;
            if (i > 0) {
                ox_set(c, i, NULL, 0);
            }
        }
    }
}

mx_dim ox_broadcast_dim(struct mx_dims *t, mx_dim a, mx_dim b)
{
    int64_t x;
    int64_t y;
    const bool a_known = mx_dim_known(t, a, &x);
    const bool b_known = mx_dim_known(t, b, &y);
    if (mx_dim_equal(t, a, b) || (a_known && x != 1)) {
        return a;
    }
    if (b_known && y != 1) {
        return b;
    }
    return a_known ? b : b_known ? a : mx_dim_unknown(t);
}

void ox_join(struct mx_dims *t, struct mx_dim_list *dims, struct mx_shape s)
{
    const struct mx_dim_list old = *dims;
    const int n = s.ndim > old.n ? s.ndim : old.n;
    dims->n = 0;
    for (int i = 0; i < n; i++) {
        const int a = i - (n - old.n), k = i - (n - s.ndim);
        mx_push_dim(dims, a < 0 ? s.dims[k] : k < 0 ? old.v[a] : ox_broadcast_dim(t, old.v[a], s.dims[k]));
    }
}

/* False if nothing is known of the result. */
static bool join(const struct ox_call *c, struct mx_dim_list *dims, struct mx_shape s)
{
    if (s.ndim < 0 || mx_tick(c->b->model->arena.budget, MX_TICK_VALUE) != MX_OK) {
        return false;
    }
    ox_join(ox_t(c), dims, s);
    return true;
}

void ox_rule_broadcast(struct ox_call *c)
{
    struct mx_dim_list dims = ox_no_dims(c->b);
    for (int i = 0; i < c->n_in; i++) {
        if (!join(c, &dims, ox_in_shape(c, i))) {
            return;
        }
    }
    const struct mx_shape first = ox_in_shape(c, 0);
    if (ox_shapes_equal(c->b, first, mx_list_shape(&dims))) {
        c->shapes[0] = first;
    } else {
        ox_set(c, 0, dims.v, dims.n);
    }
}

void ox_rule_cast(struct ox_call *c)
{
    c->shapes[0] = ox_in_shape(c, 0);
    c->dtypes[0] = ox_call_in(c, 1) != OX_NONE ? ox_dtype(c->b, c->in[1]) : (enum mx_dtype)ox_attr_int(c->attrs, "to", MX_DTYPE_NONE);
}

void ox_rule_open(struct ox_call *c)
{
    (void)c; /* the operator sets it with ox_typed */
}

void ox_rule_random(struct ox_call *c)
{
    int n;
    struct mx_dim_list dims = ox_no_dims(c->b);
    const int64_t *shape = ox_attr_ints(c->attrs, "shape", &n);
    const bool multinomial = c->op == OX_Multinomial;
    const enum mx_dtype missing = multinomial ? MX_INT32 : c->n_in > 0 ? ox_dtype(c->b, c->in[0]) : MX_FLOAT32;
    c->dtypes[0] = (enum mx_dtype)ox_attr_int(c->attrs, "dtype", missing);
    const struct mx_shape s = ox_in_shape(c, 0);
    if (multinomial && s.ndim == 2) {
        mx_push_dim(&dims, s.dims[0]);
        mx_push_dim(&dims, mx_dim_of(ox_attr_int(c->attrs, "sample_size", 1)));
        ox_set(c, 0, dims.v, dims.n);
    } else if (shape) {
        c->shapes[0] = ox_shape_of_ints(c->b, shape, n);
    } else {
        c->shapes[0] = s;
    }
}

/* ---- the same elements in another arrangement */

void ox_rule_reshape(struct ox_call *c)
{
    const struct mx_shape s = ox_in_shape(c, 0);
    struct mx_int_list v = ox_no_ints(c->b);
    struct mx_dim_list dims = ox_no_dims(c->b);
    int open = -1;
    if (!ox_in_ints(c, 1, &v)) {
        ox_set_sizes(c, 1);
        return;
    }
    const bool zero = ox_attr_int(c->attrs, "allowzero", 0) != 0;
    mx_dim product = mx_dim_of(1);
    for (int i = 0; i < v.n; i++) {
        const int64_t size = v.v[i];
        if (size < 0) {
            mx_push_dim(&dims, ox_any(c));
            open = i;
            continue;
        }
        mx_push_dim(&dims, size > 0 || zero ? mx_dim_of(size) : i < s.ndim ? s.dims[i] : ox_any(c));
        product = mx_dim_mul(ox_t(c), product, mx_get_dim(&dims, i));
    }
    if (open >= 0) {
        mx_dim rest;
        const bool divides = s.ndim >= 0 && mx_dim_div_exact(ox_t(c), mx_shape_elements(ox_t(c), s), product, &rest);
        mx_put_dim(&dims, open, divides ? rest : ox_any(c));
    }
    ox_set(c, 0, dims.v, dims.n);
}

void ox_rule_transpose(struct ox_call *c)
{
    const struct mx_shape s = ox_in_shape(c, 0);
    struct mx_dim_list dims = ox_no_dims(c->b);
    if (s.ndim < 0) {
        return;
    }
    for (int i = 0; i < s.ndim; i++) {
        mx_push_dim(&dims, s.dims[ox_int_at(c, "perm", i, i)]); /* ox_transpose writes it out */
    }
    ox_set(c, 0, dims.v, dims.n);
}

bool ox_flat_dims(const struct ox_call *c, mx_dim *dims)
{
    const struct mx_shape s = ox_in_shape(c, 0);
    const int64_t axis = mx_wrap(ox_attr_int(c->attrs, "axis", 1), s.ndim);
    if (axis < 0 || axis > s.ndim) {
        return false;
    }
    dims[0] = mx_dim_product(ox_t(c), s.dims, (int)axis);
    dims[1] = mx_dim_product(ox_t(c), s.dims + axis, s.ndim - (int)axis);
    return true;
}

void ox_rule_flatten(struct ox_call *c)
{
    mx_dim dims[2];
    if (ox_flat_dims(c, dims)) {
        ox_set(c, 0, dims, 2);
    } else {
        ox_set_open(c, 0, 2);
    }
}

void ox_rule_expand(struct ox_call *c)
{
    struct mx_dim_list dims = ox_no_dims(c->b);
    const int rank = ox_in_shape(c, 0).ndim, n = length_of(c, 1);
    if (ox_vector_dims(c->b, ox_call_in(c, 1), &dims) && join(c, &dims, ox_in_shape(c, 0))) {
        ox_set(c, 0, dims.v, dims.n);
    } else if (rank >= 0 && n >= 0) {
        ox_set_open(c, 0, n > rank ? n : rank);
    }
}

void ox_rule_tile(struct ox_call *c)
{
    const struct mx_shape s = ox_in_shape(c, 0);
    struct mx_dim_list dims = ox_no_dims(c->b);
    struct mx_dim_list repeats = ox_no_dims(c->b);
    if (s.ndim < 0) {
        return;
    }
    const bool known = ox_vector_dims(c->b, ox_call_in(c, 1), &repeats);
    for (int i = 0; i < s.ndim; i++) {
        mx_push_dim(&dims, known ? mx_dim_mul(ox_t(c), s.dims[i], repeats.v[i]) : ox_any(c));
    }
    ox_set(c, 0, dims.v, dims.n);
}

/* ---- parts and joins */

void ox_rule_concat(struct ox_call *c)
{
    struct mx_shape s = ox_in_shape(c, 0);
    struct mx_dim_list dims = ox_dims_like(c->b, s);
    const int axis = ox_axis_of(c, 0, s.ndim);
    if (axis < 0) {
        return;
    }
    for (int i = 1; i < c->n_in; i++) {
        s = ox_in_shape(c, i);
        for (int k = 0; k < s.ndim; k++) {
            if (k == axis) {
                mx_put_dim(&dims, k, mx_dim_add(ox_t(c), mx_get_dim(&dims, k), s.dims[k]));
            } else if (!mx_dim_known(ox_t(c), mx_get_dim(&dims, k), NULL)
                       && (mx_dim_known(ox_t(c), s.dims[k], NULL) || mx_dim_has_unknown(ox_t(c), mx_get_dim(&dims, k)))) {
                mx_put_dim(&dims, k, s.dims[k]); /* they are equal: take the more specific one */
            }
        }
        if (s.ndim < 0) {
            mx_put_dim(&dims, axis, ox_any(c));
        }
    }
    ox_set(c, 0, dims.v, dims.n);
}

void ox_rule_split(struct ox_call *c)
{
    const struct mx_shape s = ox_in_shape(c, 0);
    const int axis = ox_axis_of(c, 0, s.ndim);
    if (axis < 0) {
        return;
    }
    int64_t *sizes = ox_scratch(c->b, (size_t)c->n_out + 1, sizeof *sizes);
    int n = 0;
    const bool named = ox_call_in(c, 1) != OX_NONE;
    const bool known = named && sizes && ox_const_ints(c->b, c->in[1], sizes, c->n_out, &n);
    const mx_dim part = mx_dim_ceil_div(ox_t(c), s.dims[axis], c->n_out);
    const mx_dim before = mx_dim_muln(ox_t(c), part, c->n_out - 1);
    for (int i = 0; i < c->n_out; i++) {
        if (named) {
            ox_set_axis(c, i, s, axis, known && sizes[i] >= 0 ? mx_dim_of(sizes[i]) : ox_any(c));
        } else {
            ox_set_axis(c, i, s, axis, i + 1 < c->n_out ? part : mx_dim_sub(ox_t(c), s.dims[axis], before));
        }
    }
}

/* The size of [start, end) by step on an axis of size d. MXNet's operators refuse numbers that are not within a dynamic size; those of a
 * handler may be outside, where ONNX takes what there is. */
static mx_dim sliced(const struct ox_call *c, mx_dim d, int64_t start, int64_t end, int64_t step)
{
    struct mx_dims *t = ox_t(c);
    int64_t size;
    if (step == INT64_MIN) {
        return ox_any(c);
    }
    if (mx_dim_known(t, d, &size)) {
        return mx_dim_of(ox_part_of((struct ox_range){start, end, step}, size).count);
    }
    if (step < 0) {
        const bool all = (start == -1 || start == INT64_MAX) && end <= INT64_MIN + 1;
        return all ? mx_dim_ceil_div(t, d, -step) : ox_any(c);
    }
    if (start > MX_MAX_ELEMENTS) {
        return mx_dim_of(0);
    }
    const bool from_end = start < 0 && start > INT64_MIN + 1;
    const bool to_end = end == INT64_MAX;
    mx_dim length = d;
    if (from_end && to_end) {
        length = mx_dim_of(-start);
    } else if (start >= 0 && to_end) {
        length = mx_dim_addn(t, d, -start);
    } else if (start >= 0 && end >= 0) {
        length = mx_dim_of(end > start ? end - start : 0);
    } else if (start >= 0 && end > INT64_MIN + 1) {
        int64_t change;
        if (!mx_add_i64(end, -start, &change)) {
            return ox_any(c);
        }
        length = mx_dim_addn(t, d, change);
    } else if (from_end && end < 0) {
        length = mx_dim_of(end > start ? end - start : 0);
    } else {
        return ox_any(c);
    }
    const bool certain = (start == 0 && to_end) || mx_dim_equal(t, length, mx_dim_of(0));
    if (!certain && c->b->node && c->b->node->handled) {
        return ox_any(c);
    }
    return step == 1 ? length : mx_dim_ceil_div(t, length, step);
}

void ox_rule_slice(struct ox_call *c)
{
    const struct mx_shape s = ox_in_shape(c, 0);
    struct mx_int_list starts = ox_no_ints(c->b), ends = ox_no_ints(c->b), axes = ox_no_ints(c->b), steps = ox_no_ints(c->b);
    struct mx_dim_list dims = ox_dims_like(c->b, s);
    if (s.ndim < 0) {
        return;
    }
    const bool named = ox_in_ints(c, 3, &axes);
    const bool ranges = ox_in_ints(c, 1, &starts) && ox_in_ints(c, 2, &ends);
    const bool stepped = ox_in_ints(c, 4, &steps);
    if (ox_call_in(c, 3) != OX_NONE && !named) {
        ox_set_open(c, 0, s.ndim);
        return;
    }
    const bool known = ranges && (stepped || ox_call_in(c, 4) == OX_NONE); /* then all have as many elements */
    const int count = named ? axes.n : ranges ? starts.n : s.ndim;
    for (int i = 0; i < count; i++) {
        const int64_t axis = !named ? i : mx_wrap(axes.v[i], s.ndim);
        const mx_dim part = known ? sliced(c, s.dims[axis], starts.v[i], ends.v[i], stepped ? steps.v[i] : 1) : ox_any(c);
        mx_put_dim(&dims, axis, part);
    }
    ox_set(c, 0, dims.v, dims.n);
}

void ox_rule_pad(struct ox_call *c)
{
    const struct mx_shape s = ox_in_shape(c, 0);
    struct mx_int_list pads = ox_no_ints(c->b);
    struct mx_int_list axes = ox_no_ints(c->b);
    struct mx_dim_list dims = ox_dims_like(c->b, s);
    if (s.ndim < 0) {
        return;
    }
    const bool named = ox_in_ints(c, 3, &axes);
    const int count = named ? axes.n : s.ndim;
    if (!ox_const_list(c->b, ox_call_in(c, 1), 2 * MX_MAX_RANK, &pads) || pads.n != 2 * count || (ox_call_in(c, 3) != OX_NONE && !named)) {
        ox_set_open(c, 0, s.ndim);
        return;
    }
    for (int i = 0; i < count; i++) {
        const int64_t axis = !named ? i : mx_wrap(mx_get_int(&axes, i), s.ndim);
        const mx_dim padded = mx_dim_addn(ox_t(c), s.dims[axis], mx_get_int(&pads, i));
        mx_put_dim(&dims, axis, mx_dim_addn(ox_t(c), padded, mx_get_int(&pads, count + i)));
    }
    ox_set(c, 0, dims.v, dims.n);
}

void ox_rule_crop_pad(struct ox_call *c)
{
    const struct mx_shape s = ox_in_shape(c, 0);
    struct mx_dim_list dims = ox_dims_like(c->b, s);
    struct mx_dim_list sizes = ox_no_dims(c->b);
    int n;
    const int64_t *axes = ox_attr_ints(c->attrs, "axes", &n); /* as many as sizes */
    if (s.ndim < 0) {
        return;
    }
    if (!ox_vector_dims(c->b, ox_call_in(c, 1), &sizes)) {
        ox_set_open(c, 0, s.ndim);
        return;
    }
    for (int i = 0; i < sizes.n; i++) {
        mx_put_dim(&dims, axes ? mx_wrap(axes[i], s.ndim) : i, mx_get_dim(&sizes, i));
    }
    ox_set(c, 0, dims.v, dims.n);
}
