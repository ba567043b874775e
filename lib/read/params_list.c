/* MXNet's NDArray list: src/ndarray/ndarray.cc (NDArray::Save, Load, LegacyLoad, LegacyTShapeLoad). */
#include <stdio.h>
#include <string.h>

#include "read/params_internal.h"

/* The first u32 of a record; anything else is the rank of a V0 record. */
#define V1_MAGIC UINT32_C(0xF993FAC8)
#define V2_MAGIC UINT32_C(0xF993FAC9)
#define V3_MAGIC UINT32_C(0xF993FACA)

enum version { V0, V1, V2, V3 };
enum { DENSE = 0, ROW_SPARSE = 1, CSR = 2 };

/* The smallest record, a V0 placeholder, consists of a rank only. */
enum {
    MIN_RECORD = 4,
    MIN_NAME = 8,
    MAX_NAME = 1 << 20,   /* limit: bytes of a parameter's name */
    MAX_ARRAYS = 1 << 24, /* limit: arrays of a parameter file */
};

struct dims {
    int ndim; /* -1: the array has no value */
    int64_t v[MX_MAX_RANK];
};

struct list {
    struct mx_batch *batch;
    struct mx_cursor c;
    char what[40]; /* "array 3" */
};

static int bad(struct list *l, const char *text)
{
    return mx_fail(l->c.diags, MX_FORMAT, mx_named(l->c.label), "'%s': %s %s" MX_HELP "copy or save the file again: it is damaged",
                   l->c.label, l->what, text);
}

/* ---- shapes */

static int read_rank(struct list *l, enum version version, struct dims *out)
{
    int32_t ndim;
    MX_TRY(mx_cursor_i32(&l->c, &ndim));
    if (ndim > MX_MAX_RANK || ndim < (version == V3 ? -1 : 0)) {
        return mx_fail(l->c.diags, MX_FORMAT, mx_named(l->c.label),
                       "'%s': %s claims rank %ld, and at most %d is possible" MX_HELP "copy or save the file again: it is damaged",
                       l->c.label, l->what, (long)ndim, (int)MX_MAX_RANK);
    }
    out->ndim = ndim;
    return MX_OK;
}

static int read_dims(struct list *l, enum version version, struct dims *out)
{
    bool open = out->ndim < 0;
    for (int i = 0; i < out->ndim; i++) {
        if (version == V0) {
            uint32_t dim;
            MX_TRY(mx_cursor_u32(&l->c, &dim));
            out->v[i] = dim;
        } else {
            MX_TRY(mx_cursor_i64(&l->c, &out->v[i]));
        }
        if (out->v[i] < 0) {
            if (version != V3 || out->v[i] < -1) {
                return bad(l, "has a negative dimension");
            }
            open = true; /* -1: unknown; such an array has no value */
        }
    }
    if (open) {
        out->ndim = -1;
    }
    return MX_OK;
}

static int read_shape(struct list *l, enum version version, struct dims *out)
{
    MX_TRY(read_rank(l, version, out));
    return read_dims(l, version, out);
}

static int read_type(struct list *l, enum mx_dtype *out)
{
    int32_t flag;
    MX_TRY(mx_cursor_i32(&l->c, &flag));
    *out = mx_dtype_from_flag(flag);
    if (*out == MX_DTYPE_NONE) {
        return mx_fail(l->c.diags, MX_FORMAT, mx_named(l->c.label),
                       "'%s': %s has the element type %ld, which MXNet does not have" MX_HELP "copy or save the file again: it is damaged",
                       l->c.label, l->what, (long)flag);
    }
    return MX_OK;
}

/* Takes the array's data, which begin at the cursor. */
static int take_data(struct list *l, struct mx_param *out)
{
    if (!mx_dims_bytes(out->dtype, out->ndim, out->dims, &out->length)) {
        return bad(l, "has more than 2^53 elements, sizes of 0 not counted");
    }
    out->source = l->c.source;
    out->offset = l->c.at;
    return mx_cursor_skip(&l->c, out->length);
}

/* ---- sparse records */

static int read_aux(struct list *l, struct mx_param *part, struct dims *shape)
{
    MX_TRY(read_type(l, &part->dtype));
    MX_TRY(read_shape(l, V1, shape));
    if (shape->ndim != 1) {
        return bad(l, "has indices of more than one dimension");
    }
    part->ndim = 1;
    part->dims = shape->v;
    return MX_OK;
}

/* Save may write the storage shape before the array has been computed. If that shape says that nothing is stored, the size of the index
 * array is the right one (NDArray's constructor for sparse data, include/mxnet/ndarray.h). */
static void mend_storage(const struct mx_sparse *s, struct dims *storage, const struct dims *rows)
{
    int64_t elements;
    if (!mx_elements(storage->v, storage->ndim, &elements) || elements > 0) {
        return;
    }
    storage->ndim = s->csr ? 1 : s->ndim;
    storage->v[0] = rows->v[0];
    for (int i = 1; i < storage->ndim; i++) {
        storage->v[i] = s->dims[i];
    }
}

static int check_storage(struct list *l, const struct mx_sparse *s, const struct dims *storage, const struct dims *rows)
{
    bool fits = storage->ndim == (s->csr ? 1 : s->ndim) && storage->v[0] == rows->v[0];
    for (int i = 1; fits && i < storage->ndim; i++) {
        fits = storage->v[i] == s->dims[i];
    }
    return fits ? MX_OK : bad(l, "is sparse, but its values do not match its shape and indices");
}

static int read_sparse(struct list *l, bool csr, struct dims *storage, struct mx_param *out)
{
    struct dims indptr_shape, rows;
    struct mx_sparse s = {.label = l->c.label, .what = l->what, .csr = csr, .ndim = out->ndim, .dims = out->dims};
    if (csr) {
        MX_TRY(read_aux(l, &s.indptr, &indptr_shape));
    }
    MX_TRY(read_aux(l, &s.indices, &rows));
    mend_storage(&s, storage, &rows);
    MX_TRY(check_storage(l, &s, storage, &rows));
    s.data = (struct mx_param){.dtype = out->dtype, .ndim = storage->ndim, .dims = storage->v};
    MX_TRY(take_data(l, &s.data));
    if (csr) {
        MX_TRY(take_data(l, &s.indptr));
    }
    MX_TRY(take_data(l, &s.indices));
    return mx_sparse_expand(l->batch->params, &s, out);
}

/* ---- records */

static int read_head(struct list *l, enum version *version, int *storage, struct dims *storage_shape, struct dims *shape)
{
    uint32_t first;
    MX_TRY(mx_cursor_u32(&l->c, &first));
    *storage = DENSE;
    *version = first == V1_MAGIC ? V1 : first == V2_MAGIC ? V2 : first == V3_MAGIC ? V3 : V0;
    if (*version == V0) {
        if (first > MX_MAX_RANK) {
            return bad(l, "does not start with the header of an array");
        }
        shape->ndim = (int)first;
        MX_TRY(read_dims(l, V0, shape));
    }
    if (*version >= V2) {
        int32_t type;
        MX_TRY(mx_cursor_i32(&l->c, &type));
        if (type < DENSE || type > CSR || (*version == V3 && type != DENSE)) {
            return bad(l, "has a storage type that MXNet does not have");
        }
        *storage = type;
        if (type != DENSE) {
            MX_TRY(read_shape(l, V1, storage_shape));
        }
    }
    if (*version != V0) {
        MX_TRY(read_shape(l, *version, shape));
    }
    if (*version != V3 && shape->ndim == 0) { /* before np-shape semantics, no dims meant "unknown" */
        shape->ndim = -1;
    }
    return MX_OK;
}

static int read_record(struct list *l)
{
    enum version version;
    int storage;
    struct dims storage_shape, shape;
    struct mx_param param = {.dtype = MX_FLOAT32};
    MX_TRY(read_head(l, &version, &storage, &storage_shape, &shape));
    if (shape.ndim < 0) {
        return mx_batch_add(l->batch, &param);
    }
    param.ndim = shape.ndim;
    param.dims = mx_arena_copy(l->batch->params->arena, shape.v, (size_t)shape.ndim, sizeof *shape.v);
    MX_TRY_ALLOC(param.dims);
    MX_TRY(mx_cursor_skip(&l->c, 8)); /* the device: every array is loaded to the CPU */
    MX_TRY(read_type(l, &param.dtype));
    if (storage == DENSE) {
        MX_TRY(take_data(l, &param));
    } else {
        MX_TRY(read_sparse(l, storage == CSR, &storage_shape, &param));
    }
    return mx_batch_add(l->batch, &param);
}

/* ---- the list */

static int read_count(struct list *l, size_t smallest, uint64_t *out)
{
    MX_TRY(mx_cursor_u64(&l->c, out));
    const uint64_t left = mx_cursor_left(&l->c);
    if (*out > left / smallest) {
        return mx_fail(l->c.diags, MX_FORMAT, mx_named(l->c.label),
                       "'%s': %s claims %llu entries, but only %llu bytes follow" MX_HELP
                       "copy the file again: it is damaged or was not copied completely",
                       l->c.label, l->what, (unsigned long long)*out, (unsigned long long)left);
    }
    if (*out > MAX_ARRAYS) {
        return mx_fail(l->c.diags, MX_TOO_LARGE, mx_named(l->c.label), MX_SUBJECT "holds %llu arrays, and at most %d are possible",
                       (unsigned long long)*out, (int)MAX_ARRAYS);
    }
    return MX_OK;
}

static int read_name(struct list *l, struct mx_param *param)
{
    uint64_t length;
    MX_TRY(mx_cursor_u64(&l->c, &length));
    MX_TRY(mx_cursor_need(&l->c, length));
    if (length > MAX_NAME) {
        return bad(l, "has a name of more than 1 MiB");
    }
    char *name = MX_ARENA_ARRAY(l->batch->params->arena, char, (size_t)length + 1);
    MX_TRY_ALLOC(name);
    MX_TRY(mx_cursor_read(&l->c, name, (size_t)length));
    if (strlen(name) != length) { /* MXNet's C API ends the name there, too */
        mx_warn(l->c.diags, mx_named(l->c.label), "'%s': the name of %s contains a NUL byte, so it was cut to '%s'", l->c.label, l->what,
                name);
    }
    param->name = name;
    return MX_OK;
}

static int invent_names(struct list *l)
{
    struct mx_batch *b = l->batch;
    for (size_t i = 0; i < b->count; i++) {
        b->items[i].name = mx_arena_printf(b->params->arena, "%zu", i);
        MX_TRY_ALLOC(b->items[i].name);
    }
    if (b->count > 0) {
        mx_note(l->c.diags, mx_named(l->c.label), MX_SUBJECT "holds arrays without names, which are called '0', '1' and so on");
    }
    return MX_OK;
}

static void name_array(struct list *l, uint64_t i)
{
    snprintf(l->what, sizeof l->what, "array %llu", (unsigned long long)i);
}

static int read_names(struct list *l)
{
    struct mx_batch *b = l->batch;
    uint64_t names;
    strcpy(l->what, "the list of names");
    MX_TRY(read_count(l, MIN_NAME, &names));
    if (names == 0) {
        return invent_names(l);
    }
    if (names != b->count) {
        return mx_fail(l->c.diags, MX_FORMAT, mx_named(l->c.label),
                       MX_SUBJECT "holds %zu arrays but %llu names" MX_HELP "copy or save the file again: it is damaged", b->count,
                       (unsigned long long)names);
    }
    for (size_t i = 0; i < b->count; i++) {
        name_array(l, i);
        MX_TRY(read_name(l, &b->items[i]));
    }
    return MX_OK;
}

int mx_params_read_list(struct mx_batch *b, struct mx_source *source)
{
    struct list l = {
        .batch = b,
        .c = {.source = source, .end = mx_source_size(source), .diags = b->params->diags, .label = b->label, .what = l.what},
        .what = "the header",
    };
    uint64_t count;
    MX_TRY(mx_cursor_skip(&l.c, 16)); /* the magic number, and a word that MXNet ignores */
    MX_TRY(read_count(&l, MIN_RECORD, &count));
    for (uint64_t i = 0; i < count; i++) {
        name_array(&l, i);
        MX_TRY(read_record(&l));
    }
    return read_names(&l);
}

int mx_params_read_record(struct mx_batch *b, struct mx_source *source)
{
    struct list l = {
        .batch = b,
        .c = {.source = source, .end = mx_source_size(source), .diags = b->params->diags, .label = b->label, .what = l.what},
        .what = "array 0",
    };
    MX_TRY(read_record(&l));
    return invent_names(&l);
}
