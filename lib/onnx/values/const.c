/* Constants: small ones are made once, parameters stay in their file, filled ones cost one element. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/hash.h"
#include "onnx/tensor/bytes.h"
#include "onnx/values/state.h"

enum { WORK = 64 };                     /* per element that is computed or converted */
enum { INTERNED_BYTES = 8 * OX_SMALL }; /* limit for folded values, so that a mask that each layer builds is stored once */

/* ---- tensors */

/* The bytes of the elements of such a constant. False: it is not possible, and the builder has failed. */
static bool count_bytes(struct ox_build *b, enum mx_dtype t, const int64_t *dims, int ndim, size_t *bytes)
{
    if (ox_failed(b) || !ox_rank_possible(b, ndim)) {
        return false;
    }
    if (mx_dtype_size(t) == 0) {
        /* Not by a file: the type is that of a value that infer has typed, or written in ops/. */
        ox_broken(b, "internal error: a constant without a type");
        return false;
    }
    const int64_t count = ox_constant_count(b, dims, ndim);
    if (count < 0) {
        return false;
    }
    if ((uint64_t)count > SIZE_MAX / mx_dtype_size(t)) { /* on 32 bits */
        ox_oom(b);
        return false;
    }
    *bytes = (size_t)count * mx_dtype_size(t);
    return true;
}

/* True if each is a single piece of the same `size` bytes, repeated the same number of times. */
static bool same_constant(const struct ox_tensor *t, const struct ox_tensor *other, size_t size)
{
    const struct ox_piece *p = other->pieces;
    if (!t || t->dtype != other->dtype || t->ndim != other->ndim || t->n_pieces != (p->length > 0)
        || (t->ndim > 0 && memcmp(t->dims, other->dims, (size_t)t->ndim * sizeof *t->dims) != 0)) {
        return false;
    }
    return t->n_pieces == 0
           || (t->pieces[0].kind == p->kind && t->pieces[0].length == p->length && memcmp(t->pieces[0].bytes, p->bytes, size) == 0);
}

static uint64_t key_of(const struct ox_tensor *t, size_t size)
{
    const uint64_t key = mx_mix(mx_mix((uint64_t)t->dtype, (uint64_t)t->ndim), (uint64_t)t->pieces[0].kind);
    return mx_mix_bytes(mx_mix_bytes(key, t->dims, (size_t)t->ndim * sizeof *t->dims), t->pieces[0].bytes, size);
}

void ox_remember_constants(struct ox_build *b)
{
    for (int x = 1; x < b->model->n_values; x++) {
        const struct ox_value *v = ox_value_of(b->model, x);
        const struct ox_piece *p = v->tensor && !v->dead && v->tensor->n_pieces == 1 ? v->tensor->pieces : NULL;
        if (p && p->kind == OX_PIECE_BYTES && p->length <= INTERNED_BYTES) {
            ox_remember(b, (struct ox_memo){.kind = OX_MEMO_CONST, .key = key_of(v->tensor, (size_t)p->length), .value = x});
        }
    }
}

/* A constant of one piece, whose `size` bytes are copied; an equal small one that exists already is reused. */
static ox_val constant(struct ox_build *b, const struct ox_tensor *like, size_t size)
{
    struct ox_piece piece = like->pieces[0];
    const bool interned = size <= INTERNED_BYTES;
    const uint64_t key = interned ? key_of(like, size) : 0;
    if (interned) {
        const struct ox_memo *known = ox_recall(b, OX_MEMO_CONST, key);
        if (known && same_constant(ox_tensor_of(b, known->value), like, size)) {
            return known->value;
        }
    }
    b->held += size;
    piece.bytes = mx_arena_copy(&b->model->arena, piece.bytes, size, 1);
    if (!piece.bytes) {
        ox_oom(b);
        return OX_NONE;
    }
    const ox_val x = ox_tensor_value(b, ox_piece_tensor(b, like->dtype, like->dims, like->ndim, piece));
    if (interned) {
        ox_remember(b, (struct ox_memo){.kind = OX_MEMO_CONST, .key = key, .value = x});
    }
    return x;
}

ox_val ox_tensor(struct ox_build *b, enum mx_dtype t, const int64_t *dims, int ndim, const void *data)
{
    size_t size;
    if (!count_bytes(b, t, dims, ndim, &size)) {
        return OX_NONE;
    }
    const struct ox_piece piece = {.kind = OX_PIECE_BYTES, .length = size, .bytes = data, .stored = t};
    return constant(b, &(struct ox_tensor){.dtype = t, .ndim = ndim, .dims = dims, .pieces = &piece}, size);
}

ox_val ox_param(struct ox_build *b, const char *name, const struct ox_tensor *like)
{
    const char *copy = mx_arena_strdup(&b->model->arena, name);
    if (!copy) {
        ox_oom(b);
        return OX_NONE;
    }
    const ox_val x = ox_tensor_value(b, ox_new_tensor(b, *like));
    if (x != OX_NONE) {
        ox_value_of(b->model, x)->name = copy;
    }
    ox_remember_weight(b, x);
    return x;
}

/* ---- elements as numbers */

bool ox_data_new(struct ox_build *b, enum mx_dtype t, const int64_t *dims, int ndim, struct ox_data *out)
{
    *out = (struct ox_data){.dtype = t, .ndim = ndim, .dims = dims, .count = ox_count(dims, ndim)};
    const size_t n = out->count > 0 ? (size_t)out->count : 1;
    if (mx_dtype_is_float(t)) {
        out->f = mx_calloc(n, sizeof *out->f);
    } else {
        out->i = mx_calloc(n, sizeof *out->i);
    }
    if (!out->i && !out->f) {
        ox_oom(b);
        return false;
    }
    return true;
}

void ox_data_free(struct ox_data *d)
{
    mx_free(d->i);
    mx_free(d->f);
    d->i = NULL;
    d->f = NULL;
}

bool ox_data_read(struct ox_build *b, ox_val x, int64_t max, struct ox_data *out)
{
    const struct ox_tensor *t = ox_tensor_of(b, x);
    if (ox_failed(b) || !t || t->dtype == MX_UINT64) {
        return false;
    }
    const int64_t count = ox_count(t->dims, t->ndim);
    if (count > max || !ox_data_new(b, t->dtype, t->dims, t->ndim, out)) {
        return false;
    }
    void *raw = mx_calloc((size_t)count + 1, mx_dtype_size(t->dtype));
    const int status = raw ? ox_tensor_read(t, raw) : MX_OUT_OF_MEMORY;
    if (status != MX_OK) {
        mx_free(raw);
        ox_data_free(out);
        if (status == MX_OUT_OF_MEMORY) {
            ox_oom(b);
        } else {
            b->fatal = mx_fail(b->diags, status, MX_NOWHERE, OX_UNREAD);
        }
        return false;
    }
    if (out->i) {
        ox_convert(t->dtype, MX_INT64, raw, out->i, (size_t)count);
    } else {
        ox_convert(t->dtype, MX_FLOAT64, raw, out->f, (size_t)count);
    }
    mx_free(raw);
    return true;
}

ox_val ox_data_value(struct ox_build *b, const struct ox_data *d)
{
    void *raw = mx_calloc((size_t)d->count + 1, mx_dtype_size(d->dtype));
    if (!raw) {
        ox_oom(b);
        return OX_NONE;
    }
    if (d->i) {
        ox_convert(MX_INT64, d->dtype, d->i, raw, (size_t)d->count);
    } else {
        ox_convert_as((struct ox_conversion){MX_FLOAT64, d->dtype, b->model->clamp}, d->f, raw, (size_t)d->count);
    }
    const ox_val x = ox_tensor(b, d->dtype, d->dims, d->ndim, raw);
    mx_free(raw);
    return x;
}

bool ox_tensor_is(struct ox_build *b, const struct ox_tensor *t, double v)
{
    enum { FEW = 16 }; /* number of elements examined one by one */
    const int64_t count = ox_count(t->dims, t->ndim);
    bool same = t->n_pieces > 0;
    for (int i = 0; i < t->n_pieces && same; i++) {
        const struct ox_piece *p = &t->pieces[i];
        if (ox_piece_is_stored(p) || ox_piece_computes(p) || (p->kind == OX_PIECE_BYTES && (count < 1 || count > FEW))) {
            return false; /* weights are not examined */
        }
        double x[FEW] = {0};
        const size_t n = p->kind == OX_PIECE_BYTES ? (size_t)ox_piece_elements(t, p) : 1;
        ox_convert(t->dtype, MX_FLOAT64, p->bytes, x, n);
        for (size_t k = 0; k < n && same; k++) {
            same = memcmp(&x[k], &v, sizeof v) == 0;
        }
    }
    return same;
}

/* True if the node only moves or repeats elements. */
static bool only_moves(const struct ox_node *n)
{
    return ox_node_in(n, OX_OPS(OX_Expand, OX_Reshape, OX_Slice, OX_Squeeze, OX_Tile, OX_Transpose, OX_Unsqueeze));
}

bool ox_is_all(struct ox_build *b, ox_val x, double v)
{
    if (ox_failed(b) || x == OX_NONE) {
        return false;
    }
    enum { MOST = 16 }; /* a chain may be as long as the model */
    for (int i = 0; i < MOST && only_moves(ox_value_of(b->model, x)->producer); i++) {
        x = ox_value_of(b->model, x)->producer->in[0];
    }
    const struct ox_tensor *t = ox_tensor_of(b, x);
    return t && ox_tensor_is(b, t, v);
}

/* Most such constants were made by ox_ints: their bytes are directly accessible. */
static const struct ox_piece *plain_ints(struct ox_build *b, ox_val x, int max)
{
    const struct ox_tensor *t = ox_tensor_of(b, x);
    if (!t || t->dtype != MX_INT64 || t->n_pieces != 1) {
        return NULL;
    }
    return t->pieces->kind == OX_PIECE_BYTES && t->pieces->length / sizeof(int64_t) <= (uint64_t)max ? t->pieces : NULL;
}

bool ox_const_ints(struct ox_build *b, ox_val x, int64_t *out, int max, int *n)
{
    struct ox_data d;
    const struct ox_piece *plain = ox_failed(b) ? NULL : plain_ints(b, x, max);
    if (plain) {
        memcpy(out, plain->bytes, (size_t)plain->length);
        *n = (int)(plain->length / sizeof(int64_t));
        return true;
    }
    if (!ox_data_read(b, x, max, &d)) {
        return false;
    }
    bool exact = true;
    for (int64_t k = 0; k < d.count; k++) {
        if (d.i) {
            out[k] = d.i[k];
        } else if (d.f[k] == floor(d.f[k]) && fabs(d.f[k]) < 9007199254740992.0) {
            out[k] = (int64_t)d.f[k];
        } else {
            exact = false;
        }
    }
    *n = (int)d.count;
    ox_data_free(&d);
    return exact;
}

bool ox_const_list(struct ox_build *b, ox_val x, int max, struct mx_int_list *out)
{
    const bool known = ox_const_ints(b, x, out->v, max < MX_LIST_ROOM ? max : MX_LIST_ROOM, &out->n);
    out->n = known ? out->n : 0;
    return known;
}

bool ox_const_int(struct ox_build *b, ox_val x, int64_t *out)
{
    int n;
    return ox_const_ints(b, x, out, 1, &n) && n == 1;
}

/* ---- constants for operators */

ox_val ox_floats(struct ox_build *b, enum mx_dtype t, const double *v, int n)
{
    const int64_t dims[] = {n};
    if (ox_failed(b) || n < 0 || mx_dtype_size(t) == 0) {
        return OX_NONE;
    }
    uint8_t *raw = ox_scratch(b, (size_t)n + 1, 8);
    if (!raw) {
        return OX_NONE;
    }
    mx_count_work(b->model->arena.budget, WORK * (uint64_t)n);
    ox_elements(b->model->clamp, t, v, (size_t)n, raw);
    return ox_tensor(b, t, dims, 1, raw);
}

ox_val ox_scalar(struct ox_build *b, enum mx_dtype t, double v)
{
    return ox_filled(b, t, NULL, 0, v);
}

ox_val ox_scalar_like(struct ox_build *b, ox_val x, double v)
{
    return ox_failed(b) ? OX_NONE : ox_scalar(b, ox_dtype(b, x), v);
}

/* Computes the constant immediately: it is small, and may exist already. */
static ox_val compute_now(struct ox_build *b, const struct ox_tensor *like, const struct ox_formula *f)
{
    const size_t size = mx_dtype_size(like->dtype), count = (size_t)ox_count(like->dims, like->ndim);
    uint8_t *raw = mx_calloc(count + 1, size);
    if (!raw) {
        ox_oom(b);
        return OX_NONE;
    }
    mx_count_work(b->model->arena.budget, WORK * (uint64_t)count);
    for (size_t i = 0; i < count; i++) {
        const double v = f->at(f->spec, (int64_t)i);
        ox_elements(b->model->clamp, like->dtype, &v, 1, raw + i * size);
    }
    const ox_val x = ox_tensor(b, like->dtype, like->dims, like->ndim, raw);
    mx_free(raw);
    return x;
}

ox_val ox_computed(struct ox_build *b, enum mx_dtype t, const int64_t *dims, int ndim, ox_element_fn at, const void *spec, size_t size)
{
    size_t length;
    if (!count_bytes(b, t, dims, ndim, &length)) {
        return OX_NONE;
    }
    if (length <= INTERNED_BYTES) {
        const struct ox_tensor like = {.dtype = t, .ndim = ndim, .dims = dims};
        return compute_now(b, &like, &(struct ox_formula){.at = at, .spec = spec});
    }
    const struct ox_formula formula = {at, mx_arena_copy(&b->model->arena, spec, size, 1), b->model->arena.budget};
    const struct ox_formula *kept = formula.spec ? mx_arena_copy(&b->model->arena, &formula, 1, sizeof formula) : NULL;
    if (!kept) {
        ox_oom(b);
        return OX_NONE;
    }
    const struct ox_piece piece = {.kind = OX_PIECE_FORMULA, .length = length, .formula = kept, .stored = t};
    return ox_tensor_value(b, ox_piece_tensor(b, t, dims, ndim, piece));
}

ox_val ox_ints(struct ox_build *b, const int64_t *v, int n)
{
    const int64_t dims[] = {n};
    return ox_failed(b) ? OX_NONE : ox_tensor(b, MX_INT64, dims, 1, v);
}

ox_val ox_int(struct ox_build *b, int64_t v)
{
    return ox_ints(b, &v, 1);
}

ox_val ox_filled(struct ox_build *b, enum mx_dtype t, const int64_t *dims, int ndim, double v)
{
    _Alignas(8) uint8_t one[8] = {0};
    size_t length;
    if (!count_bytes(b, t, dims, ndim, &length)) {
        return OX_NONE;
    }
    ox_elements(b->model->clamp, t, &v, 1, one);
    if (length == mx_dtype_size(t)) {
        return ox_tensor(b, t, dims, ndim, one);
    }
    const struct ox_piece piece = {.kind = OX_PIECE_FILL, .length = length, .bytes = one, .stored = t};
    return constant(b, &(struct ox_tensor){.dtype = t, .ndim = ndim, .dims = dims, .pieces = &piece}, sizeof one);
}

bool ox_vector_dims(struct ox_build *b, ox_val x, struct mx_dim_list *out)
{
    struct mx_int_list numbers = ox_no_ints(b);
    const struct ox_memo *m = ox_recall(b, OX_MEMO_VECTOR, (uint64_t)x);
    out->n = 0;
    if (m) {
        mx_push_dims(out, m->dims, m->axis);
        return true;
    }
    if (!ox_const_list(b, x, MX_MAX_RANK, &numbers)) {
        return false;
    }
    for (int i = 0; i < numbers.n; i++) {
        if (numbers.v[i] < 0) {
            return false;
        }
        mx_push_dim(out, mx_dim_of(numbers.v[i]));
    }
    return true;
}
