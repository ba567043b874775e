/* The same node over transposed data: which of its attributes and inputs name axes, and what they name then. */
#include "onnx/builder/internal.h"
#include "onnx/rules/rows.h"

/* ---- transposed data */

/* True if only axes of size 1 of x, no constant, change their order, and a Reshape by constants does the same. */
static bool moves_ones(struct ox_build *b, ox_val x, const int64_t *perm, int n)
{
    const struct mx_shape s = ox_shape(b, x);
    int64_t last = -1, size = 0;
    if (ox_failed(b) || s.ndim != n || ox_tensor_of(b, x)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        const bool known = mx_dim_known(b->model->dims, s.dims[perm[i]], &size);
        if (known && size == 1) {
            continue;
        }
        if (perm[i] < last || (!known && perm[i] != i)) {
            return false;
        }
        last = perm[i];
    }
    return true;
}

ox_val ox_turned(struct ox_build *b, ox_val x, const int64_t *perm, int n)
{
    const struct mx_shape s = ox_shape(b, x);
    struct mx_dim_list dims = ox_no_dims(b);
    if (!moves_ones(b, x, perm, n)) {
        return ox_transpose(b, x, perm, n);
    }
    for (int i = 0; i < n; i++) {
        mx_push_dim(&dims, s.dims[perm[i]]);
    }
    return ox_reshape(b, x, dims.v, dims.n);
}

ox_val ox_turned_back(struct ox_build *b, ox_val x, const int64_t *perm, int n)
{
    struct mx_int_list inverse = ox_no_ints(b), all = ox_counted(b, n);
    for (int i = 0; i < n; i++) {
        mx_put_int(&inverse, perm[i], i);
    }
    const int rank = ox_rank(b, x);
    return ox_turned(b, ox_unsqueeze(b, x, all.v, n - rank), inverse.v, n);
}

/* ---- rules */

/* Axis i of the data, negative from the end. */
static int64_t turned_axis(const struct ox_turn *t, int64_t axis)
{
    return t->perm[ox_axis(t->b, axis, t->rank, t->n->op)];
}

/* Operands of a lower rank broadcast along axes that are no longer the first ones. */
bool ox_turn_each(struct ox_turn *t)
{
    for (int k = 0; k < t->n->n_in && t->perm; k++) {
        const int rank = ox_value_of(t->b->model, t->in[k])->shape.ndim;
        if (rank > 0 && rank < t->rank) {
            t->in[k] = ox_turned_back(t->b, t->in[k], t->perm, t->rank);
        }
    }
    return true;
}

/* An attribute `axis`. */
bool ox_turn_axis(struct ox_turn *t)
{
    const struct ox_attr *a = ox_find_attr(t->attrs, "axis");
    if (!a || ox_schemas[t->n->op].any_axis_since > t->b->model->opset) {
        return false;
    }
    if (!t->perm) {
        mx_add_axis(&t->gone, ox_axis(t->b, a->i, t->rank, t->n->op));
    } else {
        t->attrs[a - t->attrs].i = turned_axis(t, a->i);
    }
    return true;
}

/* The same; a single scale is of all axes. */
bool ox_turn_scale(struct ox_turn *t)
{
    const int rank = ox_rank(t->b, t->in[1]);
    return rank == 0 || (rank == 1 && ox_turn_axis(t));
}

/* An input `axes`, in any order; without it all axes. */
bool ox_turn_axes(struct ox_turn *t)
{
    struct mx_int_list axes = ox_counted(t->b, t->rank);
    struct mx_axes turned = {0};
    if (t->n->n_in > 1 && !ox_const_list(t->b, t->in[1], MX_MAX_RANK, &axes)) {
        return false;
    }
    for (int i = 0; i < axes.n && !t->perm; i++) {
        mx_add_axis(&t->gone, ox_axis(t->b, axes.v[i], t->rank, t->n->op));
    }
    if (t->perm && t->n->n_in > 1) {
        for (int i = 0; i < axes.n; i++) {
            mx_add_axis(&turned, turned_axis(t, axes.v[i]));
        }
        axes = ox_listed(t->b, turned);
        t->in[1] = ox_ints(t->b, axes.v, axes.n);
    }
    return true;
}

/* The same; without it those of size 1, which is not known before the model runs (ox_simplify_squeeze). */
bool ox_turn_squeeze(struct ox_turn *t)
{
    return t->n->n_in > 1 && ox_turn_axes(t);
}

/* An input `axes` that others follow. */
static bool turn_list(struct ox_turn *t, int input)
{
    struct mx_int_list axes = ox_no_ints(t->b);
    if (t->n->n_in <= input || !ox_const_list(t->b, t->in[input], MX_MAX_RANK, &axes)) {
        return false;
    }
    for (int i = 0; i < axes.n && t->perm; i++) {
        axes.v[i] = turned_axis(t, axes.v[i]);
    }
    if (t->perm) {
        t->in[input] = ox_ints(t->b, axes.v, axes.n);
    }
    return true;
}

bool ox_turn_slice(struct ox_turn *t)
{
    return turn_list(t, 3);
}

/* An input with a number for each axis, or with two: those of the beginnings, then those of the ends. */
bool ox_turn_sizes(struct ox_turn *t)
{
    struct mx_int_list sizes = ox_no_ints(t->b), turned = ox_no_ints(t->b);
    if (!ox_const_list(t->b, t->in[1], 2 * MX_MAX_RANK, &sizes) || sizes.n % t->rank != 0) {
        return false;
    }
    for (int i = 0; i < sizes.n && t->perm; i++) {
        mx_put_int(&turned, i - i % t->rank + t->perm[i % t->rank], sizes.v[i]);
    }
    if (t->perm) {
        t->in[1] = ox_ints(t->b, turned.v, turned.n);
    }
    return true;
}

bool ox_turn_pad(struct ox_turn *t)
{
    return t->n->n_in > 3 ? turn_list(t, 3) : ox_turn_sizes(t);
}
