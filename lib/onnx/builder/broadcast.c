/* Values that repeat a smaller one: results of Expand, and constants whose elements are all equal. Where the other operands give the
 * shape, the smaller value becomes the operand; arithmetic on such constants alone is done before they are expanded, and so is arithmetic
 * with one further constant if the result would be too large to compute in full. -1e18 * ones_like(x) with x, which attention cells use
 * as a mask, is then a single number; a map of zeros next to a map of ones is (0, 1), expanded. */
#include <string.h>

#include "onnx/builder/internal.h"
#include "onnx/rules/shapes.h"
#include "onnx/tensor/bytes.h"

/* True if all elements are the same number and there is more than one. */
static bool is_repeated(const struct ox_tensor *t)
{
    const struct ox_piece *p = t->pieces;
    const int64_t count = ox_count(t->dims, t->ndim);
    const size_t size = mx_dtype_size(t->dtype);
    if (t->n_pieces != 1 || count < 2) {
        return false;
    }
    return p->kind == OX_PIECE_FILL
           || (p->kind == OX_PIECE_BYTES && count <= OX_SMALL && memcmp(p->bytes, p->bytes + size, (size_t)p->length - size) == 0);
}

ox_val ox_core(struct ox_build *b, ox_val x)
{
    const struct ox_value *v = ox_value_of(b->model, x);
    const struct ox_tensor *t = v->tensor;
    if (ox_node_is(v->producer, OX_Expand)) {
        return v->producer->in[0];
    }
    return t && is_repeated(t) ? ox_tensor(b, t->dtype, NULL, 0, t->pieces[0].bytes) : x;
}

static mx_dim dim_from_end(struct mx_shape s, int k)
{
    return s.dims[s.ndim - 1 - k];
}

/* True if another operand is as long as operand i on axis k, counted from the end. */
static bool other_has(const struct ox_call *c, int i, int k)
{
    const mx_dim d = dim_from_end(ox_shape(c->b, c->in[i]), k);
    for (int j = 0; j < c->n_in; j++) {
        const struct mx_shape s = ox_shape(c->b, c->in[j]);
        if (j != i && k < s.ndim && mx_dim_equal(c->b->model->dims, d, dim_from_end(s, k))) {
            return true;
        }
    }
    return false;
}

static bool may_shrink(const struct ox_call *c, int i, ox_val small)
{
    const struct mx_shape s = ox_shape(c->b, c->in[i]);
    const struct mx_shape own = ox_shape(c->b, small);
    for (int k = 0; k < s.ndim; k++) {
        const bool kept = k < own.ndim && mx_dim_equal(c->b->model->dims, dim_from_end(s, k), dim_from_end(own, k));
        if (!kept && !other_has(c, i, k)) {
            return false;
        }
    }
    return own.ndim >= 0;
}

void ox_shrink_operands(struct ox_call *c)
{
    if (c->schema->rule != ox_rule_broadcast || c->n_in < 2) {
        return;
    }
    for (int i = 0; i < c->n_in && !ox_failed(c->b); i++) {
        if (ox_rank(c->b, c->in[i]) < 0) {
            return;
        }
    }
    for (int i = 0; i < c->n_in && !ox_failed(c->b); i++) {
        const ox_val small = ox_core(c->b, c->in[i]);
        if (small != c->in[i] && !ox_failed(c->b) && may_shrink(c, i, small)) {
            c->in[i] = small;
        }
    }
}

bool ox_is_one_number(struct ox_build *b, ox_val x)
{
    const struct ox_tensor *t = ox_tensor_of(b, x);
    return t && ox_count(t->dims, t->ndim) == 1;
}

static bool is_small(struct ox_build *b, ox_val x)
{
    const struct ox_tensor *t = ox_tensor_of(b, x);
    const int64_t count = t ? ox_count(t->dims, t->ndim) : -1;
    return count >= 0 && count <= OX_SMALL && ox_tensor_in_memory(t);
}

/* True if a constant of that shape is small enough to be computed here. */
static bool fits_in_memory(struct ox_build *b, const mx_dim *dims, int ndim)
{
    struct mx_int_list numbers = ox_no_ints(b);
    return ox_shape_numbers(b, (struct mx_shape){ndim, dims}, &numbers) && (uint64_t)ox_count(numbers.v, numbers.n) <= OX_LARGE;
}

bool ox_fold_spread(struct ox_call *c, ox_val *out)
{
    enum { FEW = 3 };
    struct ox_build *b = c->b;
    ox_val small[FEW + 1] = {OX_END, OX_END, OX_END, OX_END};
    struct mx_dim_list dims = ox_no_dims(b);
    bool several = false; /* some operand has more than one number */
    bool spread = false;
    if (ox_failed(b) || c->n_out != 1 || c->n_in > FEW || !ox_folds_elements(c->op, c->n_in)) {
        return false;
    }
    for (int i = 0; i < c->n_in; i++) {
        small[i] = ox_core(b, c->in[i]);
        if (ox_failed(b) || ox_rank(b, c->in[i]) < 0 || !is_small(b, small[i])) {
            return false;
        }
        several = several || !ox_is_one_number(b, small[i]);
        spread = spread || small[i] != c->in[i];
    }
    for (int i = 0; i < c->n_in && spread; i++) {
        ox_join(b->model->dims, &dims, ox_shape(b, c->in[i]));
    }
    for (int i = 0; i < dims.n; i++) {
        spread = spread && !mx_dim_is_unknown(b->model->dims, dims.v[i]);
    }
    if (!spread || (several && fits_in_memory(b, dims.v, dims.n))) {
        return false;
    }
    *out = ox_expand(b, ox_emit(b, c->op, small, c->attrs), dims.v, dims.n);
    return true;
}
