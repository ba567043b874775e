/* Views of weights: transposed, sliced and flipped tensors, written in row-major order.
 *
 * Reading the base in the order of the view would touch a page per element (a column of a matrix). So the view is made in blocks of a few
 * MiB; for each block the base is read in its own order, in runs that are as long as possible, into a dense buffer, and permuted from
 * there. The base may be larger than memory: only the two buffers are held. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/num.h"
#include "onnx/tensor/bytes.h"

enum {
    BLOCK_BYTES = 16 << 20,  /* of the view, made at once; a quarter of it would read a large matrix four times as often */
    DENSE_BYTES = 512 << 10, /* of the base, read at once */
    GAP = 16,                /* elements read to get one of them, instead of reading each separately */
    TILE = 8,
};

/* A box of elements: of a view (steps in the base) or of a buffer. */
struct box {
    int n;
    int64_t dims[MX_MAX_RANK];
    int64_t steps[MX_MAX_RANK];  /* stride in the base */
    int64_t places[MX_MAX_RANK]; /* stride in the block */
};

struct gather {
    const struct ox_tensor *base;
    size_t size; /* of an element */
    uint8_t *block, *dense, *converted;
    size_t block_elements, dense_elements;
    enum mx_dtype from, to;
    bool clamp;
    struct ox_destination *destination;
};

/* ---- from the dense buffer to the block */

#define PERMUTE(type)                                                                                                                      \
    do {                                                                                                                                   \
        const type *x = (const type *)from;                                                                                                \
        type *y = (type *)to;                                                                                                              \
        for (int64_t i0 = 0; i0 < rows; i0 += TILE) {                                                                                      \
            const int64_t i1 = i0 + TILE < rows ? i0 + TILE : rows;                                                                        \
            for (int64_t j0 = 0; j0 < columns; j0 += TILE) {                                                                               \
                const int64_t j1 = j0 + TILE < columns ? j0 + TILE : columns;                                                              \
                for (int64_t i = i0; i < i1; i++) {                                                                                        \
                    for (int64_t j = j0; j < j1; j++) {                                                                                    \
                        y[i * row_place + j] = x[i * row_step + j * column_step];                                                          \
                    }                                                                                                                      \
                }                                                                                                                          \
            }                                                                                                                              \
        }                                                                                                                                  \
    } while (0)

struct plane {
    int64_t rows, row_step, row_place;
    int64_t columns, column_step; /* columns are adjacent in the block */
};

static void permute_plane(size_t size, const struct plane *p, const uint8_t *from, uint8_t *to)
{
    const int64_t rows = p->rows, row_step = p->row_step, row_place = p->row_place;
    const int64_t columns = p->columns, column_step = p->column_step;
    if (column_step == 1) {
        for (int64_t i = 0; i < rows; i++) {
            memcpy(to + (ptrdiff_t)size * i * row_place, from + (ptrdiff_t)size * i * row_step, size * (size_t)columns);
        }
        return;
    }
    switch (size) {
    case 1: PERMUTE(uint8_t); break;
    case 2: PERMUTE(uint16_t); break;
    case 4: PERMUTE(uint32_t); break;
    default: PERMUTE(uint64_t); break;
    }
}

/* Advances to the next index; false after the last. The axes `skip` and `skip2` are left alone. */
static bool next_index(const struct box *b, int64_t *index, int skip, int skip2)
{
    for (int k = b->n - 1; k >= 0; k--) {
        if (k == skip || k == skip2) {
            continue;
        }
        if (++index[k] < b->dims[k]) {
            return true;
        }
        index[k] = 0;
    }
    return false;
}

/* steps[k]: the stride of axis k in the dense buffer. Columns are the block's last axis, rows the axis with the smallest stride in the
 * buffer, so that a tile stays in the cache on both sides. */
static void permute(const struct gather *g, const struct box *b, const int64_t *steps, int64_t origin, int64_t place)
{
    const int columns = b->n - 1;
    int rows = -1;
    for (int k = 0; k < columns; k++) {
        const bool closer = rows < 0 || llabs(steps[k]) < llabs(steps[rows]);
        if (b->dims[k] > 1 && closer) {
            rows = k;
        }
    }
    struct plane p = {.rows = 1};
    p.columns = b->dims[columns];
    p.column_step = steps[columns];
    if (rows >= 0) {
        p.rows = b->dims[rows];
        p.row_step = steps[rows];
        p.row_place = b->places[rows];
    }
    int64_t index[MX_MAX_RANK] = {0};
    do {
        int64_t from = origin, to = place;
        for (int k = 0; k < b->n; k++) {
            from += index[k] * steps[k];
            to += index[k] * b->places[k];
        }
        permute_plane(g->size, &p, g->dense + (size_t)from * g->size, g->block + (size_t)to * g->size);
    } while (next_index(b, index, columns, rows));
}

/* ---- from the base to the dense buffer */

/* The layout of a box in the dense buffer. */
struct layout {
    int order[MX_MAX_RANK];     /* axes by increasing stride in the base, without those of size 1 or stride 0 */
    int n, n_run;               /* the first n_run of them are read together */
    int64_t run;                /* elements of a run in the base, gaps included */
    int64_t steps[MX_MAX_RANK]; /* strides in the buffer, per axis, not negative */
    int64_t total;              /* elements of the buffer */
};

static void lay_out(const struct box *b, struct layout *l)
{
    *l = (struct layout){.run = 1};
    for (int k = 0; k < b->n; k++) {
        if (b->dims[k] == 1 || b->steps[k] == 0) {
            continue;
        }
        int at = l->n++;
        for (; at > 0 && llabs(b->steps[l->order[at - 1]]) > llabs(b->steps[k]); at--) {
            l->order[at] = l->order[at - 1];
        }
        l->order[at] = k;
    }
    for (int i = 0; i < l->n; i++) {
        const int k = l->order[i];
        const int64_t step = llabs(b->steps[k]);
        if (l->n_run == i && (i == 0 ? step <= GAP : step == l->run)) {
            l->n_run++;
            l->steps[k] = step;
            l->run += (b->dims[k] - 1) * step;
            l->total = l->run;
        } else {
            l->steps[k] = l->total ? l->total : 1;
            l->total = l->steps[k] * b->dims[k];
        }
    }
    l->total = l->total ? l->total : 1;
}

/* Reads the runs in the base's order. `start` is the box's lowest element in the base, whatever the signs of the strides. */
static int read_runs(struct gather *g, const struct box *b, const struct layout *l, int64_t start)
{
    int64_t index[MX_MAX_RANK] = {0};
    for (;;) {
        int64_t at = start, to = 0;
        for (int i = l->n_run; i < l->n; i++) {
            const int k = l->order[i];
            at += index[i] * llabs(b->steps[k]);
            to += index[i] * l->steps[k];
        }
        MX_TRY(ox_tensor_read_some(g->base, (uint64_t)at, (size_t)l->run, g->dense + (size_t)to * g->size));
        int i = l->n_run;
        while (i < l->n && ++index[i] == b->dims[l->order[i]]) {
            index[i++] = 0;
        }
        if (i == l->n) {
            return MX_OK;
        }
    }
}

/* A box that fits the dense buffer. */
static int gather_dense(struct gather *g, const struct box *b, const struct layout *l, int64_t start, int64_t place)
{
    int64_t steps[MX_MAX_RANK] = {0}, origin = 0;
    for (int k = 0; k < b->n; k++) {
        steps[k] = l->steps[k];
        if (b->steps[k] < 0) {
            start += b->steps[k] * (b->dims[k] - 1);
            origin += l->steps[k] * (b->dims[k] - 1);
            steps[k] = -l->steps[k];
        }
    }
    MX_TRY(read_runs(g, b, l, start));
    permute(g, b, steps, origin, place);
    return MX_OK;
}

/* Halves the box along its axis with the widest extent in the base until it fits; depth at most 64 per axis. */
static int gather_box(struct gather *g, const struct box *b, int64_t start, int64_t place)
{
    struct layout l;
    lay_out(b, &l);
    if (l.n == 0 || (uint64_t)l.total <= g->dense_elements) {
        return gather_dense(g, b, &l, start, place);
    }
    const int axis = l.order[l.n - 1];
    const int64_t half = b->dims[axis] / 2;
    struct box part = *b;
    part.dims[axis] = half;
    MX_TRY(gather_box(g, &part, start, place));
    part.dims[axis] = b->dims[axis] - half;
    return gather_box(g, &part, start + half * b->steps[axis], place + half * b->places[axis]);
}

/* ---- the view in blocks */

static int put_block(struct gather *g, size_t n)
{
    if (g->from == g->to) {
        return g->destination->put(g->destination, g->block, g->size, n);
    }
    const size_t size = mx_dtype_size(g->to), room = DENSE_BYTES / 8;
    for (size_t done = 0; done < n;) {
        const size_t some = n - done < room ? n - done : room;
        ox_convert_as((struct ox_conversion){g->from, g->to, g->clamp}, g->block + done * g->size, g->converted, some);
        MX_TRY(g->destination->put(g->destination, g->converted, size, some));
        done += some;
    }
    return MX_OK;
}

/* Drops dims of size 1 and merges neighbouring dims that are contiguous. */
static void collapse(const struct ox_tensor *t, struct box *b)
{
    b->n = 0;
    for (int k = 0; k < t->ndim; k++) {
        if (t->dims[k] == 1) {
            continue;
        }
        const int last = b->n - 1;
        if (last >= 0 && b->steps[last] == t->strides[k] * t->dims[k]) {
            b->dims[last] *= t->dims[k];
            b->steps[last] = t->strides[k];
            continue;
        }
        b->dims[b->n] = t->dims[k];
        b->steps[b->n++] = t->strides[k];
    }
    if (b->n == 0) {
        b->dims[0] = 1;
        b->steps[0] = 1;
        b->n = 1;
    }
}

/* A block is a range of one axis with all the axes after it; `axis` is the first for which these fit. */
static int choose_axis(const struct box *all, size_t room, int64_t *rest)
{
    int axis = all->n - 1;
    *rest = 1;
    while (axis > 0 && (uint64_t)*rest * (uint64_t)all->dims[axis] <= room) {
        *rest *= all->dims[axis--];
    }
    return axis;
}

static int put_blocks(struct gather *g, const struct box *all, int64_t start)
{
    int64_t rest;
    const int axis = choose_axis(all, g->block_elements, &rest);
    const int64_t chunk = (int64_t)g->block_elements / rest;
    struct box outer = *all, b = {.n = all->n - axis};
    outer.n = axis;
    for (int k = 0; k < b.n; k++) {
        b.dims[k] = all->dims[axis + k];
        b.steps[k] = all->steps[axis + k];
    }
    b.places[b.n - 1] = 1;
    for (int k = b.n - 2; k >= 0; k--) {
        b.places[k] = b.places[k + 1] * b.dims[k + 1];
    }
    int64_t index[MX_MAX_RANK] = {0};
    do {
        int64_t at = start;
        for (int k = 0; k < axis; k++) {
            at += index[k] * all->steps[k];
        }
        for (int64_t i = 0; i < all->dims[axis]; i += chunk) {
            b.dims[0] = all->dims[axis] - i < chunk ? all->dims[axis] - i : chunk;
            MX_TRY(gather_box(g, &b, at + i * all->steps[axis], 0));
            MX_TRY(put_block(g, (size_t)(b.dims[0] * rest)));
        }
    } while (next_index(&outer, index, -1, -1));
    return MX_OK;
}

int ox_view_put(const struct ox_tensor *view, struct ox_destination *to)
{
    struct box all;
    collapse(view, &all);
    struct gather g = {.base = view->base, .from = view->base->dtype, .to = view->dtype, .clamp = view->clamp};
    g.destination = to;
    g.size = mx_dtype_size(g.from);
    const uint64_t n = ox_tensor_elements(view);
    g.block_elements = n < BLOCK_BYTES / g.size ? (size_t)n : BLOCK_BYTES / g.size;
    const uint64_t dense = n * GAP; /* elements needed for n elements including their gaps; n is at most 2^53 */
    g.dense_elements = dense < DENSE_BYTES / g.size ? (size_t)dense : DENSE_BYTES / g.size;
    const size_t converted = n < DENSE_BYTES / 8 ? (size_t)n : DENSE_BYTES / 8;
    g.block = mx_calloc(g.block_elements, g.size);
    g.dense = mx_calloc(g.dense_elements, g.size);
    g.converted = g.from == g.to ? NULL : mx_calloc(converted, mx_dtype_size(g.to));
    int status = MX_OUT_OF_MEMORY;
    if (g.block && g.dense && (g.from == g.to || g.converted)) {
        status = put_blocks(&g, &all, view->start);
    }
    mx_free(g.block);
    mx_free(g.dense);
    mx_free(g.converted);
    return status;
}
