/* The values of tensors. Large constants, which are pieces of files or views of other constants, are made once: a weight that several
 * nodes read in one type and layout is written once. Elements are not compared, only where they come from. */
#include <string.h>

#include "base/budget.h"
#include "base/hash.h"
#include "onnx/tensor/bytes.h"
#include "onnx/values/state.h"

int64_t ox_constant_count(struct ox_build *b, const int64_t *dims, int ndim)
{
    const int64_t count = ox_count(dims, ndim);
    if (count < 0) {
        ox_fail(b, NULL, "a constant has more than 2^53 elements" MX_HELP "choose smaller sizes");
    }
    return count;
}

ox_val ox_tensor_value(struct ox_build *b, const struct ox_tensor *t)
{
    if (ox_failed(b) || ox_constant_count(b, t->dims, t->ndim) < 0) {
        return OX_NONE;
    }
    const ox_val x = ox_new_value(b, t->dtype, (struct mx_shape){t->ndim, mx_dims_of(t->dims)});
    if (x != OX_NONE) {
        ox_value_of(b->model, x)->tensor = t;
    }
    return b->fatal ? OX_NONE : x;
}

/* What a piece's elements are read from or computed from. */
static const void *origin_of(const struct ox_piece *p)
{
    switch (p->kind) {
    case OX_PIECE_RANGE: return p->source;
    case OX_PIECE_BYTES:
    case OX_PIECE_FILL: return p->bytes;
    case OX_PIECE_FORMULA: return p->formula;
    case OX_PIECE_ROWS: return p->rows;
    case OX_PIECE_PRODUCT: break;
    }
    return p->product;
}

static uint64_t key_of(struct ox_build *b, const struct ox_tensor *t)
{
    uint64_t key = mx_mix(mx_mix((uint64_t)t->dtype, (uint64_t)t->ndim), (uint64_t)(uintptr_t)t->base);
    for (int i = 0; i < t->ndim; i++) {
        key = mx_mix(key, (uint64_t)t->dims[i]);
        key = t->base ? mx_mix(key, (uint64_t)t->strides[i]) : key;
    }
    for (int i = 0; i < t->n_pieces; i++) {
        mx_count_work(b->model->arena.budget, MX_TICK_ITEM);
        key = mx_mix(mx_mix(key, (uint64_t)(uintptr_t)origin_of(&t->pieces[i])), t->pieces[i].offset);
    }
    return mx_mix(key, (uint64_t)t->start);
}

static bool same_pieces(const struct ox_tensor *t, const struct ox_tensor *other)
{
    bool same = t->n_pieces == other->n_pieces;
    for (int i = 0; i < t->n_pieces && same; i++) {
        const struct ox_piece *p = &t->pieces[i], *q = &other->pieces[i];
        same = p->kind == q->kind && p->stored == q->stored && p->length == q->length && p->offset == q->offset
               && origin_of(p) == origin_of(q);
    }
    return same;
}

static bool same_view(const struct ox_tensor *t, const struct ox_tensor *other)
{
    return t->start == other->start && (t->ndim == 0 || memcmp(t->strides, other->strides, (size_t)t->ndim * sizeof *t->strides) == 0);
}

static bool same_weight(const struct ox_tensor *t, const struct ox_tensor *other)
{
    return other && t->dtype == other->dtype && t->ndim == other->ndim && t->clamp == other->clamp && t->base == other->base
           && (t->ndim == 0 || memcmp(t->dims, other->dims, (size_t)t->ndim * sizeof *t->dims) == 0)
           && (t->base ? same_view(t, other) : same_pieces(t, other));
}

void ox_remember_weight(struct ox_build *b, ox_val x)
{
    const struct ox_tensor *t = ox_tensor_of(b, x);
    if (t) {
        ox_remember(b, (struct ox_memo){.kind = OX_MEMO_WEIGHT, .key = key_of(b, t), .value = x});
    }
}

ox_val ox_weight(struct ox_build *b, const struct ox_tensor *t)
{
    const uint64_t key = key_of(b, t);
    const struct ox_memo *known = ox_recall(b, OX_MEMO_WEIGHT, key);
    if (known && same_weight(t, ox_tensor_of(b, known->value))) {
        return known->value;
    }
    const ox_val x = ox_tensor_value(b, t);
    ox_remember(b, (struct ox_memo){.kind = OX_MEMO_WEIGHT, .key = key, .value = x});
    return x;
}
