/* .npz: a zip of .npy members, one per array; a sparse array is a folder of such members (MXNet 2, src/serialization/cnpy.cc, and
 * scipy.sparse.save_npz). */
#include <string.h>

#include "base/budget.h"
#include "base/str.h"
#include "read/archive.h"
#include "read/params_internal.h"

enum part { DATA, INDICES, SHAPE, FORMAT, INDPTR, PARTS };
static const char *const part_names[PARTS] = {"data.npy", "indices.npy", "shape.npy", "format.npy", "indptr.npy"};

/* A folder in the archive. It is a sparse array if it contains exactly the parts of one. */
struct folder {
    size_t members;
    size_t part[PARTS]; /* member + 1 */
    bool done;
};

struct npz {
    struct mx_batch *batch;
    struct mx_archive zip;
    struct mx_map folders;
    const char *what; /* "the array 'w'", for messages */
};

static bool is_sparse(const struct folder *f)
{
    const bool common = f->part[DATA] && f->part[INDICES] && f->part[SHAPE] && f->part[FORMAT];
    return common && f->members == (f->part[INDPTR] ? 5 : 4);
}

static const char *base_name(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

/* ---- folders */

static int find_folder(struct npz *z, const char *name, struct folder **out)
{
    *out = NULL;
    const char *base = base_name(name);
    if (base == name) {
        return MX_OK;
    }
    char *path = mx_arena_strndup(z->batch->params->arena, name, (size_t)(base - name) - 1);
    MX_TRY_ALLOC(path);
    *out = mx_map_get(&z->folders, path);
    if (!*out) {
        *out = MX_ARENA_NEW(z->batch->params->arena, struct folder);
        MX_TRY_ALLOC(*out);
        MX_TRY(mx_map_set(&z->folders, path, *out));
    }
    return MX_OK;
}

static int gather_folders(struct npz *z)
{
    const size_t count = z->zip.count;
    for (size_t i = 0; i < count; i++) {
        MX_TRY(mx_tick(z->batch->params->diags->budget, MX_TICK_NODE));
        const char *name = z->zip.members[i].name;
        struct folder *f;
        MX_TRY(find_folder(z, name, &f));
        if (!f || !*base_name(name)) { /* "csr/" is a separate entry in some archives */
            continue;
        }
        f->members++;
        for (int k = 0; k < PARTS; k++) {
            if (strcmp(base_name(name), part_names[k]) == 0) {
                f->part[k] = i + 1;
            }
        }
    }
    return MX_OK;
}

/* ---- members */

/* A cursor over a member: at its place in the archive if it is stored, otherwise over the unpacked data. */
static int open_member(struct npz *z, size_t i, struct mx_cursor *c)
{
    struct mx_params *p = z->batch->params;
    struct mx_source *source = z->zip.source;
    const uint64_t size = z->zip.members[i].size;
    uint64_t offset = 0;
    if (!mx_zip_stored_at(&z->zip, i, &offset)) {
        MX_TRY(mx_zip_read(&z->zip, i, &source));
        MX_TRY(mx_params_own(p, source));
    }
    *c = (struct mx_cursor){
        .source = source, .at = offset, .end = offset + size, .diags = p->diags, .label = z->batch->label, .what = z->what};
    return MX_OK;
}

static int read_member(struct npz *z, size_t i, struct mx_param *out)
{
    struct mx_cursor c;
    MX_TRY(open_member(z, i, &c));
    return mx_npy_read(z->batch->params, &c, out);
}

/* ---- sparse arrays */

static int bad_sparse(struct npz *z, const char *text)
{
    return mx_fail(z->batch->params->diags, MX_UNSUPPORTED, mx_named(z->batch->label),
                   "'%s': %s is sparse, but %s" MX_HELP "save it as csr, row_sparse or dense", z->batch->label, z->what, text);
}

/* In MXNet 2's files the header of format.npy is damaged ("{'descr': '|s3{'descr': '<i8', ..."); the data after it are not. */
static int read_format(struct npz *z, const struct folder *f, bool *csr)
{
    struct mx_cursor c;
    char text[16] = {0};
    MX_TRY(open_member(z, f->part[FORMAT] - 1, &c));
    MX_TRY(mx_npy_skip_header(&c));
    const uint64_t n = mx_cursor_left(&c);
    if (n < sizeof text) {
        MX_TRY(mx_cursor_read(&c, text, (size_t)n));
    }
    *csr = strcmp(text, "csr") == 0;
    if ((*csr || strcmp(text, "row_sparse") == 0) && *csr == (f->part[INDPTR] != 0)) {
        return MX_OK;
    }
    return bad_sparse(z, "in a form that MXNet does not have");
}

/* A vector of int64, or of int32 from SciPy on Windows. */
static int read_shape(struct npz *z, const struct folder *f, struct mx_sparse *s)
{
    struct mx_param shape;
    int64_t dims[MX_MAX_RANK];
    MX_TRY(read_member(z, f->part[SHAPE] - 1, &shape));
    if (shape.ndim != 1 || shape.dims[0] > MX_MAX_RANK || (shape.dtype != MX_INT64 && shape.dtype != MX_INT32)) {
        return bad_sparse(z, "its shape is not a row of integers");
    }
    struct mx_cursor c = mx_sparse_cursor(s, &shape, z->batch->params->diags);
    s->ndim = (int)shape.dims[0];
    for (int i = 0; i < s->ndim; i++) {
        MX_TRY(mx_sparse_index(&c, shape.dtype, &dims[i]));
        if (dims[i] < 0) {
            return bad_sparse(z, "its shape has a negative dimension");
        }
    }
    s->dims = mx_arena_copy(z->batch->params->arena, dims, (size_t)s->ndim, sizeof *dims);
    MX_TRY_ALLOC(s->dims);
    return MX_OK;
}

static int add_sparse(struct npz *z, const struct folder *f, const char *name)
{
    struct mx_sparse s = {.label = z->batch->label, .what = z->what};
    struct mx_param param = {.name = name};
    MX_TRY(read_format(z, f, &s.csr));
    MX_TRY(read_shape(z, f, &s));
    MX_TRY(read_member(z, f->part[DATA] - 1, &s.data));
    MX_TRY(read_member(z, f->part[INDICES] - 1, &s.indices));
    if (s.csr) {
        MX_TRY(read_member(z, f->part[INDPTR] - 1, &s.indptr));
    }
    MX_TRY(mx_sparse_expand(z->batch->params, &s, &param));
    return mx_batch_add(z->batch, &param);
}

/* ---- the archive */

static int add_member(struct npz *z, size_t i)
{
    const char *name = z->zip.members[i].name;
    struct folder *f;
    MX_TRY(find_folder(z, name, &f));
    const bool sparse = f && is_sparse(f);
    if (!mx_ends_with(name, ".npy") || (sparse && f->done)) { /* MXNet ignores other members, too */
        return MX_OK;
    }
    const size_t length = sparse ? (size_t)(base_name(name) - name) - 1 : strlen(name) - strlen(".npy");
    char *array = mx_arena_strndup(z->batch->params->arena, name, length);
    MX_TRY_ALLOC(array);
    z->what = mx_arena_printf(z->batch->params->arena, "the array '%s'", array);
    MX_TRY_ALLOC(z->what);
    if (sparse) {
        f->done = true;
        return add_sparse(z, f, array);
    }
    struct mx_param param;
    MX_TRY(read_member(z, i, &param));
    param.name = array;
    return mx_batch_add(z->batch, &param);
}

static int read_members(struct npz *z)
{
    const size_t count = z->zip.count;
    MX_TRY(gather_folders(z));
    for (size_t i = 0; i < count; i++) {
        MX_TRY(add_member(z, i));
    }
    if (count > 0 && z->batch->count == 0) {
        return mx_fail(z->batch->params->diags, MX_FORMAT, mx_named(z->batch->label),
                       MX_SUBJECT "is a zip archive without arrays (.npy)" MX_HELP "if it holds a whole model, load it as one");
    }
    return MX_OK;
}

int mx_params_read_npz(struct mx_batch *b, struct mx_source *source)
{
    struct npz z = {.batch = b, .folders.arena.budget = b->params->arena->budget};
    MX_TRY(mx_zip_open(&z.zip, source, b->params->diags, b->label));
    const int status = read_members(&z);
    mx_map_free(&z.folders);
    mx_archive_close(&z.zip);
    return status;
}
