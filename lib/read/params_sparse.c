/* Expands sparse arrays to dense ones. MXNet checks no index on loading (rows are lost, memory is overwritten); here every index is
 * checked. */
#include <string.h>

#include "base/budget.h"
#include "read/params_internal.h"

struct expansion {
    const struct mx_sparse *s;
    struct mx_diags *diags;
    struct mx_cursor data, indices;
    unsigned char *dense;
};

static int bad(const struct expansion *e, const char *text)
{
    return mx_fail(e->diags, MX_FORMAT, mx_named(e->s->label),
                   "'%s': %s is sparse, but %s" MX_HELP "copy or save the file again: it is damaged", e->s->label, e->s->what, text);
}

struct mx_cursor mx_sparse_cursor(const struct mx_sparse *s, const struct mx_param *part, struct mx_diags *diags)
{
    return (struct mx_cursor){
        .source = part->source,
        .at = part->offset,
        .end = part->offset + part->length,
        .diags = diags,
        .label = s->label,
        .what = s->what,
    };
}

/* A cursor over a part; returns the number of its elements. */
static uint64_t open_part(struct expansion *e, const struct mx_param *part, struct mx_cursor *c)
{
    *c = mx_sparse_cursor(e->s, part, e->diags);
    return part->length / mx_dtype_size(part->dtype);
}

static int check_indices(const struct expansion *e, const struct mx_param *part)
{
    return part->ndim == 1 && (part->dtype == MX_INT64 || part->dtype == MX_INT32) ? MX_OK
                                                                                   : bad(e, "its indices are not a row of integers");
}

int mx_sparse_index(struct mx_cursor *c, enum mx_dtype dtype, int64_t *out)
{
    if (dtype == MX_INT64) {
        return mx_cursor_i64(c, out);
    }
    int32_t index;
    MX_TRY(mx_cursor_i32(c, &index));
    *out = index;
    return MX_OK;
}

/* Stored row k is row indices[k] of the array; the other rows are 0. */
static int expand_rows(struct expansion *e, uint64_t n_rows, size_t row_bytes)
{
    for (uint64_t k = 0; k < n_rows; k++) {
        int64_t row;
        MX_TRY(mx_tick(e->diags->budget, MX_TICK_ITEM));
        MX_TRY(mx_sparse_index(&e->indices, e->s->indices.dtype, &row));
        if (row < 0 || row >= e->s->dims[0]) {
            return bad(e, "it has an index outside its shape");
        }
        MX_TRY(mx_cursor_read(&e->data, e->dense + (size_t)row * row_bytes, row_bytes));
    }
    return MX_OK;
}

/* Row i consists of the stored values from indptr[i] to indptr[i + 1], in the columns given by indices. */
static int expand_csr(struct expansion *e, struct mx_cursor *indptr, uint64_t stored)
{
    const size_t size = mx_dtype_size(e->s->data.dtype);
    const int64_t columns = e->s->dims[1];
    int64_t from, to;
    MX_TRY(mx_sparse_index(indptr, e->s->indptr.dtype, &from));
    if (from != 0) {
        return bad(e, "its row pointers do not start with 0");
    }
    for (int64_t row = 0; row < e->s->dims[0]; row++, from = to) {
        MX_TRY(mx_tick(e->diags->budget, MX_TICK_ITEM));
        MX_TRY(mx_sparse_index(indptr, e->s->indptr.dtype, &to));
        if (to < from || (uint64_t)to > stored) {
            return bad(e, "its row pointers do not ascend to the number of its values");
        }
        for (int64_t k = from; k < to; k++) {
            int64_t column;
            MX_TRY(mx_tick(e->diags->budget, MX_TICK_ITEM));
            MX_TRY(mx_sparse_index(&e->indices, e->s->indices.dtype, &column));
            if (column < 0 || column >= columns) {
                return bad(e, "it has an index outside its shape");
            }
            MX_TRY(mx_cursor_read(&e->data, e->dense + (size_t)(row * columns + column) * size, size));
        }
    }
    return (uint64_t)from == stored ? MX_OK : bad(e, "its row pointers do not cover all its values");
}

/* `bytes` of the dense array. */
static int fill_rows(struct expansion *e, uint64_t bytes)
{
    MX_TRY(check_indices(e, &e->s->indices));
    const uint64_t stored = e->s->data.length, row_bytes = bytes > 0 ? bytes / (uint64_t)e->s->dims[0] : 0;
    const uint64_t rows = open_part(e, &e->s->indices, &e->indices);
    (void)open_part(e, &e->s->data, &e->data);
    if (row_bytes > 0 ? stored % row_bytes != 0 || stored / row_bytes != rows : stored != 0) {
        return bad(e, "the numbers of its rows and indices differ");
    }
    return expand_rows(e, rows, (size_t)row_bytes);
}

static int fill_csr(struct expansion *e)
{
    struct mx_cursor indptr;
    MX_TRY(check_indices(e, &e->s->indices));
    MX_TRY(check_indices(e, &e->s->indptr));
    const uint64_t elements = open_part(e, &e->s->data, &e->data), stored = open_part(e, &e->s->indices, &e->indices);
    const uint64_t pointers = open_part(e, &e->s->indptr, &indptr);
    if (elements != stored || (pointers != (uint64_t)e->s->dims[0] + 1 && (pointers != 0 || stored != 0))) {
        return bad(e, "the numbers of its values, indices and row pointers do not match");
    }
    return pointers > 0 ? expand_csr(e, &indptr, stored) : MX_OK;
}

int mx_sparse_expand(struct mx_params *p, const struct mx_sparse *s, struct mx_param *out)
{
    struct expansion e = {.s = s, .diags = p->diags};
    if (s->csr ? s->ndim != 2 : s->ndim < 1) {
        return bad(&e, "its shape is not that of a sparse array");
    }
    out->dtype = s->data.dtype;
    out->ndim = s->ndim;
    out->dims = s->dims;
    out->offset = 0;
    if (!mx_dims_bytes(out->dtype, out->ndim, out->dims, &out->length)) {
        return bad(&e, "the product of its dimensions is too large");
    }
    void *dense;
    MX_TRY(mx_params_expand(p, out->length, &dense, &out->source));
    e.dense = dense;
    return s->csr ? fill_csr(&e) : fill_rows(&e, out->length);
}
