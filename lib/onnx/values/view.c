/* Operations on the layout of an initialiser that leave its data untouched: a reshaped, sliced, transposed or joined weight consists of
 * other pieces of the same file, or is a strided view of them. */
#include <string.h>

#include "base/num.h"
#include "onnx/tensor/bytes.h"
#include "onnx/values/state.h"

enum {
    MAX_PIECES = 4096,    /* in the result of a slice or a concatenation */
    FEW_RUNS = 64,        /* this many runs become pieces instead of a view, however short they are */
    MAX_NESTED = 1 << 20, /* elements of a view of a view, which are read one by one */
};

int64_t ox_count(const int64_t *dims, int ndim)
{
    int64_t n;
    return mx_elements(dims, ndim, &n) ? n : -1;
}

/* A tensor and its arrays, in one allocation, since there may be a million. */
struct held {
    struct ox_tensor tensor;
    struct ox_piece piece;
    int64_t lists[];
};

struct ox_tensor *ox_new_tensor(struct ox_build *b, struct ox_tensor like)
{
    const size_t n = like.ndim > 0 ? (size_t)like.ndim : 0, lists = like.base ? 2 * n : n;
    if (!ox_rank_possible(b, like.ndim)) {
        return NULL;
    }
    struct held *out = mx_arena_alloc(&b->model->arena, 1, sizeof *out + lists * sizeof *out->lists);
    if (!out) {
        ox_oom(b);
        return NULL;
    }
    if (n > 0) {
        memcpy(out->lists, like.dims, n * sizeof *like.dims);
    }
    if (lists > n) {
        memcpy(out->lists + n, like.strides, n * sizeof *like.strides);
    }
    like.clamp = b->model->clamp;
    like.dims = out->lists;
    if (like.base) {
        like.strides = out->lists + n;
    } else if (like.n_pieces == 1) {
        out->piece = like.pieces[0];
        like.pieces = &out->piece;
    } else if (like.n_pieces == 0) {
        like.pieces = NULL;
    }
    out->tensor = like;
    return &out->tensor;
}

const struct ox_tensor *ox_piece_tensor(struct ox_build *b, enum mx_dtype t, const int64_t *dims, int ndim, struct ox_piece piece)
{
    return ox_new_tensor(b, (struct ox_tensor){.dtype = t, .ndim = ndim, .dims = dims, .pieces = &piece, .n_pieces = piece.length > 0});
}

void ox_row_major(const int64_t *dims, int ndim, int64_t *strides)
{
    int64_t step = 1;
    for (int i = ndim - 1; i >= 0; i--) {
        strides[i] = step;
        step *= dims[i] > 0 ? dims[i] : 1;
    }
}

static void strides_of(const struct ox_tensor *t, int64_t *strides)
{
    if (t->base) {
        memcpy(strides, t->strides, (size_t)t->ndim * sizeof *strides);
    } else {
        ox_row_major(t->dims, t->ndim, strides);
    }
}

/* ---- a run of elements as pieces */

enum { FEW_PIECES = 16 };

struct run {
    struct ox_build *b;
    struct ox_piece *more; /* used when there are too many for `few` */
    int n, capacity;
    int64_t elements;
    struct ox_piece few[FEW_PIECES];
};

static struct ox_piece *pieces_of(struct run *r)
{
    return r->more ? r->more : r->few;
}

/* The run as a tensor of these dims. */
static struct ox_tensor *tensor_of(struct run *r, struct ox_tensor like)
{
    like.pieces = r->more ? r->more : mx_arena_copy(&r->b->model->arena, r->few, (size_t)r->n, sizeof *r->few);
    like.n_pieces = r->n;
    if (!like.pieces) {
        ox_oom(r->b);
        return NULL;
    }
    return ox_new_tensor(r->b, like);
}

/* Joins p to the last piece if it continues it in the file. */
static bool add_piece(struct run *r, struct ox_piece p, int64_t elements)
{
    struct ox_piece *last = r->n > 0 ? &pieces_of(r)[r->n - 1] : NULL;
    p.first = (uint64_t)r->elements;
    r->elements += elements;
    if (last && last->kind == p.kind && last->stored == p.stored) {
        const bool follows = (p.kind == OX_PIECE_RANGE && p.source == last->source && p.offset == last->offset + last->length)
                             || (p.kind == OX_PIECE_BYTES && p.bytes == last->bytes + last->length)
                             || (p.kind == OX_PIECE_FILL && p.bytes == last->bytes)
                             || (p.kind == OX_PIECE_FORMULA && p.formula == last->formula
                                 && p.offset == last->offset + last->length / mx_dtype_size(p.stored));
        if (follows) {
            last->length += p.length;
            return true;
        }
    }
    if (r->n == r->capacity) {
        struct ox_piece *grown = MX_ARENA_ARRAY(&r->b->model->arena, struct ox_piece, 2 * (size_t)r->capacity);
        if (!grown) {
            ox_oom(r->b);
            return false;
        }
        memcpy(grown, pieces_of(r), (size_t)r->n * sizeof *grown);
        r->more = grown;
        r->capacity *= 2;
    }
    pieces_of(r)[r->n++] = p;
    return true;
}

/* Elements [first, first + count) of a tensor, which must have pieces. */
static bool add_run(struct run *r, const struct ox_tensor *t, int64_t first, int64_t count)
{
    for (int i = ox_piece_at(t, (uint64_t)first); count > 0; i++) {
        if (i >= t->n_pieces) {
            return false;
        }
        const struct ox_piece *p = &t->pieces[i];
        const int64_t skip = first - (int64_t)p->first, held = (int64_t)ox_piece_elements(t, p);
        if (skip >= held) {
            return false;
        }
        const int64_t take = count < held - skip ? count : held - skip;
        const uint64_t size = mx_dtype_size(ox_piece_is_stored(p) ? p->stored : t->dtype);
        struct ox_piece part = *p;
        if (ox_piece_computes(p) && take < held) {
            return false;
        }
        part.length = (uint64_t)take * size;
        if (p->kind == OX_PIECE_RANGE) {
            part.offset += (uint64_t)skip * size;
        } else if (p->kind == OX_PIECE_FORMULA) {
            part.offset += (uint64_t)skip;
        } else if (p->kind == OX_PIECE_BYTES) {
            part.bytes += (uint64_t)skip * size;
        }
        if (!add_piece(r, part, take)) {
            return false;
        }
        first += take;
        count -= take;
    }
    return count == 0;
}

/* The number of elements in a run that is contiguous in the base, formed by the trailing axes; *outer is the number of axes before them. */
static int64_t inner_run(const struct ox_tensor *t, int *outer)
{
    int64_t run = 1;
    int axis = t->ndim;
    while (axis > 0 && (t->dims[axis - 1] == 1 || t->strides[axis - 1] == run)) {
        run *= t->dims[axis - 1];
        axis--;
    }
    *outer = axis;
    return run;
}

/* Appends all of t; a view as runs of its base. False if that would take too many. */
static bool add_tensor(struct run *r, const struct ox_tensor *t)
{
    if (!t->base) {
        return add_run(r, t, 0, ox_count(t->dims, t->ndim));
    }
    int outer = 0;
    const int64_t run = inner_run(t, &outer);
    const int64_t runs = ox_count(t->dims, outer);
    if (t->base->dtype != t->dtype || runs > MAX_PIECES) {
        return false;
    }
    int64_t index[MX_MAX_RANK] = {0};
    for (int64_t k = 0; k < runs; k++) {
        int64_t first = t->start;
        for (int i = 0; i < outer; i++) {
            first += index[i] * t->strides[i];
        }
        if (!add_run(r, t->base, first, run) || r->n > MAX_PIECES) {
            return false;
        }
        for (int i = outer - 1; i >= 0 && ++index[i] == t->dims[i]; i--) {
            index[i] = 0;
        }
    }
    return true;
}

/* Returns the view as a tensor; if it consists of a few runs they become pieces, which are copied fast and can be reshaped freely. */
static const struct ox_tensor *settled(struct ox_build *b, const struct ox_tensor *view)
{
    struct run r = {.b = b, .capacity = FEW_PIECES};
    int outer = 0;
    const int64_t run = inner_run(view, &outer);
    const int64_t runs = ox_count(view->dims, outer);
    if ((runs > FEW_RUNS && run < 64) || !add_tensor(&r, view)) {
        return ox_new_tensor(b, *view);
    }
    return tensor_of(&r, (struct ox_tensor){.dtype = view->dtype, .ndim = view->ndim, .dims = view->dims});
}

/* ---- reshape */

/* Strides of the same elements under other dims, computed as in NumPy: axes are matched in groups of equal products. False if a group
 * is not contiguous. */
static bool regroup(const struct ox_tensor *t, const int64_t *dims, int64_t *strides)
{
    int64_t old_dims[MX_MAX_RANK];
    int64_t old_strides[MX_MAX_RANK];
    int old = 0;
    for (int i = 0; i < t->ndim; i++) {
        if (t->dims[i] != 1) {
            old_dims[old] = t->dims[i];
            old_strides[old++] = t->strides[i];
        }
    }
    int i = 0;
    int j = 0;
    while (i < old) { /* then dims has sizes left too: the products are equal */
        int64_t a = old_dims[i];
        int64_t c = dims[j];
        int i_end = i + 1;
        int j_end = j + 1;
        while (a != c) {
            if (a < c) {
                a *= old_dims[i_end++];
            } else {
                c *= dims[j_end++];
            }
        }
        for (int k = i; k + 1 < i_end; k++) {
            if (old_strides[k] != old_dims[k + 1] * old_strides[k + 1]) {
                return false;
            }
        }
        strides[j_end - 1] = old_strides[i_end - 1];
        for (int k = j_end - 1; k > j; k--) {
            strides[k - 1] = strides[k] * dims[k];
        }
        i = i_end;
        j = j_end;
    }
    return true;
}

const struct ox_tensor *ox_view_reshape(struct ox_build *b, const struct ox_tensor *t, const int64_t *dims, int ndim)
{
    int64_t strides[MX_MAX_RANK] = {0}; /* those of trailing dims of 1, too */
    const int64_t count = ox_count(t->dims, t->ndim);
    struct ox_tensor like = {.dtype = t->dtype, .ndim = ndim, .dims = dims};
    if (!t->base || count == 0) {
        like.pieces = t->pieces;
        like.n_pieces = t->n_pieces;
        return ox_new_tensor(b, like);
    }
    like.strides = strides;
    if (regroup(t, dims, strides)) {
        like.base = t->base;
        like.start = t->start;
        return ox_new_tensor(b, like);
    }
    if (count > MAX_NESTED || t->base->base || ox_has_products(t)) {
        return NULL;
    }
    ox_row_major(dims, ndim, strides);
    like.base = t;
    return ox_new_tensor(b, like);
}

/* ---- transpose, slice, expand */

/* The same elements, or some of them. */
static struct ox_tensor view_of(const struct ox_tensor *t, int ndim, const int64_t *dims, const int64_t *strides)
{
    return (struct ox_tensor){
        .dtype = t->dtype, .ndim = ndim, .dims = dims, .base = t->base ? t->base : t, .start = t->base ? t->start : 0, .strides = strides};
}

const struct ox_tensor *ox_view_transpose(struct ox_build *b, const struct ox_tensor *t, const int64_t *perm)
{
    int64_t old[MX_MAX_RANK];
    int64_t dims[MX_MAX_RANK];
    int64_t strides[MX_MAX_RANK];
    strides_of(t, old);
    for (int i = 0; i < t->ndim; i++) {
        dims[i] = t->dims[perm[i]];
        strides[i] = old[perm[i]];
    }
    const struct ox_tensor view = view_of(t, t->ndim, dims, strides);
    return settled(b, &view);
}

/* Counted from the end if it is negative, and limited. */
static int64_t place(int64_t at, int64_t size, int64_t low, int64_t high)
{
    at += at < 0 && at >= -size ? size : 0;
    return at < low ? low : at > high ? high : at;
}

struct ox_part ox_part_of(struct ox_range r, int64_t size)
{
    const bool back = r.step < 0;
    const int64_t low = back ? -1 : 0, high = back ? size - 1 : size;
    const int64_t start = place(r.start, size, low, high), end = place(r.end, size, low, high);
    const int64_t length = back ? start - end : end - start;
    if (length <= 1 || r.step >= length || r.step <= -length) {
        return (struct ox_part){start, 1, length > 0};
    }
    return (struct ox_part){start, r.step, (length - 1) / (back ? -r.step : r.step) + 1};
}

const struct ox_tensor *ox_view_slice(struct ox_build *b, const struct ox_tensor *t, int axis, struct ox_part part)
{
    int64_t dims[MX_MAX_RANK];
    int64_t strides[MX_MAX_RANK] = {0};
    memcpy(dims, t->dims, (size_t)t->ndim * sizeof *dims);
    dims[axis] = part.count;
    if (ox_count(dims, t->ndim) == 0) {
        return ox_new_tensor(b, (struct ox_tensor){.dtype = t->dtype, .ndim = t->ndim, .dims = dims});
    }
    strides_of(t, strides);
    struct ox_tensor like = view_of(t, t->ndim, dims, strides);
    like.start += part.start * strides[axis];
    strides[axis] *= part.count > 1 ? part.step : 1; /* a step past the only element is not taken, and of any size */
    return settled(b, &like);
}

bool ox_is_repeatable(const struct ox_tensor *t)
{
    return t->n_pieces == 1
           && (t->pieces[0].kind == OX_PIECE_FILL || (t->pieces[0].kind == OX_PIECE_BYTES && ox_count(t->dims, t->ndim) == 1));
}

const struct ox_tensor *ox_view_expand(struct ox_build *b, const struct ox_tensor *t, const int64_t *dims, int ndim)
{
    int64_t old[MX_MAX_RANK];
    int64_t strides[MX_MAX_RANK];
    if (ox_is_repeatable(t)) {
        struct ox_piece piece = t->pieces[0];
        piece.kind = OX_PIECE_FILL;
        piece.length = (uint64_t)ox_count(dims, ndim) * mx_dtype_size(t->dtype);
        return ox_piece_tensor(b, t->dtype, dims, ndim, piece);
    }
    strides_of(t, old);
    for (int i = 0; i < ndim; i++) {
        const int k = i - (ndim - t->ndim);
        strides[i] = k >= 0 && t->dims[k] == dims[i] ? old[k] : 0;
    }
    return ox_new_tensor(b, view_of(t, ndim, dims, strides));
}

/* ---- concat */

const struct ox_tensor *ox_view_concat(struct ox_build *b, const struct ox_tensor *const *t, int n, int axis)
{
    struct run r = {.b = b, .capacity = FEW_PIECES};
    int64_t dims[MX_MAX_RANK];
    memcpy(dims, t[0]->dims, (size_t)t[0]->ndim * sizeof *dims);
    const int64_t rows = ox_count(dims, axis);
    dims[axis] = 0;
    for (int k = 0; k < n; k++) {
        if (!mx_add_i64(dims[axis], t[k]->dims[axis], &dims[axis])) {
            return NULL;
        }
    }
    if (rows != 1 && rows > MAX_PIECES / n) {
        return NULL;
    }
    for (int64_t row = 0; row < rows; row++) {
        for (int k = 0; k < n; k++) {
            const int64_t length = ox_count(t[k]->dims + axis, t[k]->ndim - axis);
            if (rows == 1 ? !add_tensor(&r, t[k]) : !add_run(&r, t[k], row * length, length)) {
                return NULL;
            }
        }
    }
    return tensor_of(&r, (struct ox_tensor){.dtype = t[0]->dtype, .ndim = t[0]->ndim, .dims = dims});
}

/* ---- cast */

/* True if type b represents every value of type a exactly. */
bool ox_lossless(enum mx_dtype a, enum mx_dtype b)
{
    static const struct {
        enum mx_dtype from;
        unsigned to; /* besides the type itself */
    } table[] = {
        {MX_BOOL, 0x1fff},
        {MX_UINT8, 1U << MX_INT16 | 1U << MX_UINT16 | 1U << MX_INT32 | 1U << MX_UINT32 | 1U << MX_INT64 | 1U << MX_UINT64 | 1U << MX_FLOAT16
                       | 1U << MX_FLOAT32 | 1U << MX_FLOAT64},
        {MX_INT8, 1U << MX_INT16 | 1U << MX_INT32 | 1U << MX_INT64 | 1U << MX_FLOAT16 | 1U << MX_FLOAT32 | 1U << MX_FLOAT64},
        {MX_INT16, 1U << MX_INT32 | 1U << MX_INT64 | 1U << MX_FLOAT32 | 1U << MX_FLOAT64},
        {MX_UINT16, 1U << MX_INT32 | 1U << MX_UINT32 | 1U << MX_INT64 | 1U << MX_UINT64 | 1U << MX_FLOAT32 | 1U << MX_FLOAT64},
        {MX_INT32, 1U << MX_INT64 | 1U << MX_FLOAT64},
        {MX_UINT32, 1U << MX_INT64 | 1U << MX_UINT64 | 1U << MX_FLOAT64},
        {MX_FLOAT16, 1U << MX_FLOAT32 | 1U << MX_FLOAT64},
        {MX_BFLOAT16, 1U << MX_FLOAT32 | 1U << MX_FLOAT64},
        {MX_FLOAT32, 1U << MX_FLOAT64},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].from == a) {
            return a == b || (b >= 0 && (table[i].to >> b & 1U));
        }
    }
    return a == b;
}

static bool cast_piece(struct ox_build *b, const struct ox_tensor *t, struct ox_piece *p, enum mx_dtype to)
{
    if (ox_piece_is_stored(p)) {
        return true; /* converted when written */
    }
    const size_t n = p->kind == OX_PIECE_FILL ? 1 : (size_t)(p->length / mx_dtype_size(t->dtype));
    uint8_t *bytes = mx_arena_alloc(&b->model->arena, n, mx_dtype_size(to));
    if (!bytes) {
        ox_oom(b);
        return false;
    }
    ox_convert_as((struct ox_conversion){t->dtype, to, b->model->clamp}, p->bytes, bytes, n);
    p->length = p->length / mx_dtype_size(t->dtype) * mx_dtype_size(to);
    p->bytes = bytes;
    p->stored = to;
    return true;
}

const struct ox_tensor *ox_view_cast(struct ox_build *b, const struct ox_tensor *t, enum mx_dtype to)
{
    bool direct = !t->base || ox_lossless(t->base->dtype, t->dtype);
    for (int i = 0; i < t->n_pieces; i++) {
        direct = direct && !ox_piece_computes(&t->pieces[i])
                 && (!ox_piece_is_stored(&t->pieces[i]) || ox_lossless(t->pieces[i].stored, t->dtype));
    }
    if (!direct) {
        int64_t strides[MX_MAX_RANK];
        ox_row_major(t->dims, t->ndim, strides);
        const struct ox_tensor like = {.dtype = to, .ndim = t->ndim, .dims = t->dims, .base = t, .strides = strides};
        return t->base && (t->base->base || ox_has_products(t)) ? NULL : ox_new_tensor(b, like);
    }
    struct ox_tensor like = *t;
    like.dtype = to;
    if (t->base) {
        return ox_new_tensor(b, like);
    }
    struct ox_piece *pieces = mx_arena_copy(&b->model->arena, t->pieces, (size_t)t->n_pieces, sizeof *pieces);
    if (!pieces) {
        ox_oom(b);
        return NULL;
    }
    for (int i = 0; i < t->n_pieces; i++) {
        if (!cast_piece(b, t, &pieces[i], to)) {
            return NULL;
        }
    }
    like.pieces = pieces;
    return ox_new_tensor(b, like);
}
