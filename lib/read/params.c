#include "read/params.h"

#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/str.h"
#include "read/params_internal.h"
#include "read/sniff.h"

void mx_params_free(struct mx_params *p)
{
    for (size_t i = 0; i < p->n_sources; i++) {
        mx_source_close(p->sources[i]);
    }
    mx_free(p->sources);
    mx_budget_array_free(p->arena->budget, p->items, p->capacity, sizeof(struct mx_param *));
    mx_map_free(&p->by_name);
    mx_map_free(&p->by_bare);
    mx_map_free(&p->matched);
    mx_map_free(&p->joined);
    *p = (struct mx_params){.arena = p->arena, .diags = p->diags};
}

/* ---- memory of the model */

int mx_params_own(struct mx_params *p, struct mx_source *source)
{
    if (mx_grow(NULL, &p->sources, p->n_sources, &p->sources_capacity, sizeof(struct mx_source *)) != MX_OK) {
        mx_source_close(source);
        return MX_OUT_OF_MEMORY;
    }
    p->sources[p->n_sources++] = source;
    return MX_OK;
}

/* Zeroed memory as a source. */
static int expand(struct mx_params *p, uint64_t bytes, void **data, struct mx_source **source)
{
    MX_TRY_ALLOC(bytes <= SIZE_MAX);
    if (!mx_budget_expand(p->diags->budget, bytes)) {
        return MX_TOO_LARGE;
    }
    void *memory = mx_calloc((size_t)bytes, 1);
    MX_TRY_ALLOC(memory);
    const int status = mx_source_open_memory(source, memory, (size_t)bytes, true);
    if (status != MX_OK) {
        mx_free(memory);
        return status;
    }
    *data = memory;
    return MX_OK;
}

int mx_params_expand(struct mx_params *p, uint64_t bytes, void **data, struct mx_source **source)
{
    MX_TRY(expand(p, bytes, data, source));
    return mx_params_own(p, *source);
}

/* ---- sizes */

bool mx_dims_bytes(enum mx_dtype dtype, int ndim, const int64_t *dims, uint64_t *out)
{
    int64_t elements;
    const bool fits = mx_elements(dims, ndim, &elements);
    *out = fits ? (uint64_t)elements * mx_dtype_size(dtype) : 0; /* at most 2^56 */
    return fits;
}

/* ---- adding arrays */

const char *mx_params_bare(const char *name)
{
    return mx_starts_with(name, "aux:") || mx_starts_with(name, "arg:") ? name + 4 : name;
}

static int add_bare(struct mx_params *p, struct mx_param *item)
{
    const bool has = p->prefix && mx_starts_with(item->name, p->prefix);
    return has ? mx_map_set(&p->by_bare, item->name + strlen(p->prefix), item) : MX_OK;
}

static int add_new(struct mx_params *p, const struct mx_param *added)
{
    MX_TRY(mx_grow(p->arena->budget, &p->items, p->count, &p->capacity, sizeof(struct mx_param *)));
    struct mx_param *item = MX_ARENA_NEW(p->arena, struct mx_param);
    MX_TRY_ALLOC(item);
    *item = *added;
    int status = mx_map_set(&p->by_name, item->name, item);
    if (status == MX_OK) {
        status = add_bare(p, item);
    }
    if (status != MX_OK) {
        mx_map_remove(&p->by_name, item->name);
        return status;
    }
    p->items[p->count++] = item;
    return MX_OK;
}

/* `added` has its bare name. Of several arrays with the same name the last counts, as in the dict that MXNet's nd.load makes. For undo,
 * `added` becomes the array that it replaces, or one without a source. */
static int append(struct mx_batch *b, struct mx_param *added)
{
    struct mx_params *p = b->params;
    struct mx_param *old = mx_params_find(p, added->name);
    if (!old) {
        MX_TRY(add_new(p, added));
        added->source = NULL;
        return MX_OK;
    }
    if (old->load == added->load) {
        mx_warn(p->diags, mx_named(b->label), MX_SUBJECT "holds the array '%s' more than once, so the last one was used", added->name);
    } else if (!old->own && b->n_replaced++ == 0) {
        b->replaced = old->name;
    }
    const struct mx_param before = *old;
    *old = *added;
    old->name = before.name; /* the map's key */
    *added = before;
    return MX_OK;
}

/* Takes back what was appended last. */
static void take_back(struct mx_params *p, const struct mx_param *before)
{
    if (!before->name) { /* a placeholder */
        return;
    }
    if (before->source) {
        *(struct mx_param *)mx_map_get(&p->by_name, before->name) = *before;
        return;
    }
    const struct mx_param *item = p->items[--p->count];
    mx_map_remove(&p->by_name, item->name);
    if (p->prefix && mx_starts_with(item->name, p->prefix)) {
        mx_map_remove(&p->by_bare, item->name + strlen(p->prefix));
    }
}

/* Reads the array's bytes, and writes each as 0 or 1 if `to` is not NULL; *odd says whether one is neither, where the reading without `to`
 * ends. */
static int read_bools(struct mx_params *p, const struct mx_param *param, const char *label, unsigned char *to, bool *odd)
{
    enum { WORK = 4 }; /* per byte */
    unsigned char block[4096];
    struct mx_cursor c = {
        .source = param->source, .at = param->offset, .end = param->offset + param->length, .diags = p->diags, .label = label};
    *odd = false;
    while ((to || !*odd) && mx_cursor_left(&c) > 0) {
        const size_t n = mx_cursor_left(&c) < sizeof block ? (size_t)mx_cursor_left(&c) : sizeof block;
        MX_TRY(mx_tick(p->arena->budget, WORK * sizeof block));
        MX_TRY(mx_cursor_read(&c, block, n));
        for (size_t i = 0; i < n; i++) {
            *odd |= block[i] > 1;
            if (to) {
                *to++ = block[i] != 0;
            }
        }
    }
    return MX_OK;
}

/* A bool is true when its byte is not 0 (mshadow reads it so), but ONNX requires 1. Bool arrays are few and small: they are examined,
 * and copied if necessary. */
static int normalize_bool(struct mx_params *p, struct mx_param *param, const char *label, struct mx_source **made)
{
    bool odd;
    void *data;
    *made = NULL;
    MX_TRY(read_bools(p, param, label, NULL, &odd));
    if (!odd) {
        return MX_OK;
    }
    MX_TRY(expand(p, param->length, &data, made));
    const int status = read_bools(p, param, label, data, &odd);
    if (status != MX_OK) {
        mx_source_close(*made);
        *made = NULL;
        return status;
    }
    param->source = *made;
    param->offset = 0;
    return MX_OK;
}

int mx_batch_add(struct mx_batch *b, const struct mx_param *param)
{
    MX_TRY(mx_tick(b->params->arena->budget, MX_TICK_NODE));
    MX_TRY(mx_grow(b->params->arena->budget, &b->items, b->count, &b->capacity, sizeof *b->items));
    b->items[b->count] = *param;
    b->items[b->count].load = b->params->loads;
    b->count++;
    return MX_OK;
}

static int check_items(struct mx_batch *b)
{
    struct mx_params *p = b->params;
    for (size_t i = 0; i < b->count; i++) {
        struct mx_param *item = &b->items[i];
        MX_TRY(mx_tick(p->arena->budget, MX_TICK_NODE));
        if (!mx_is_utf8(item->name)) { /* nnvm symbols and ONNX require it; MXNet's Python loader refuses other names too */
            return mx_fail(p->diags, MX_FORMAT, mx_named(b->label), "'%s': the name of array %zu is not UTF-8", b->label, i);
        }
        if (item->source && item->dtype == MX_BOOL) {
            struct mx_source *made;
            MX_TRY(normalize_bool(p, item, b->label, &made));
            MX_TRY(made ? mx_params_own(p, made) : MX_OK);
        }
    }
    return MX_OK;
}

static int append_item(struct mx_batch *b, struct mx_param *item)
{
    struct mx_params *p = b->params;
    item->name = mx_params_bare(item->name);
    if (!item->source) {
        mx_note(p->diags, mx_named(b->label), "'%s': the array '%s' is a placeholder without a value, so it was left out", b->label,
                item->name);
        item->name = NULL;
        return MX_OK;
    }
    return append(b, item);
}

static int commit(struct mx_batch *b)
{
    MX_TRY(check_items(b));
    while (b->added < b->count) {
        MX_TRY(mx_tick(b->params->arena->budget, MX_TICK_NODE));
        MX_TRY(append_item(b, &b->items[b->added]));
        b->added++;
    }
    if (b->n_replaced > 0) {
        mx_warn(b->params->diags, mx_named(b->label),
                MX_SUBJECT "replaces '%s'%s of a parameter file that was loaded before" MX_HELP
                           "load one of them, if they are of different epochs",
                b->replaced, b->n_replaced > 1 ? " and other arrays" : "");
    }
    return MX_OK;
}

static int read_by_kind(struct mx_batch *b, struct mx_source *source)
{
    struct mx_sniffed is;
    MX_TRY(mx_sniff(source, b->label, &is, b->params->diags));
    switch (is.kind) {
    case MX_FILE_LIST: return mx_params_read_list(b, source);
    case MX_FILE_RECORD: return mx_params_read_record(b, source);
    case MX_FILE_NPY: return mx_params_read_npy(b, source);
    case MX_FILE_ZIP: return mx_params_read_npz(b, source);
    case MX_FILE_UNKNOWN:
    case MX_FILE_EMPTY:
    case MX_FILE_JSON:
    case MX_FILE_TAR:
    case MX_FILE_OTHER: break;
    }
    return mx_fail(b->params->diags, MX_FORMAT, mx_named(b->label), MX_SUBJECT "%s" MX_HELP "%s", is.text, is.advice);
}

void mx_params_disown(struct mx_params *p, size_t n_sources)
{
    while (p->n_sources > n_sources) {
        mx_source_close(p->sources[--p->n_sources]);
    }
}

int mx_params_add(struct mx_params *p, struct mx_source *source, const char *label, struct mx_batch **added)
{
    const size_t n_sources = p->n_sources;
    const struct mx_arena_mark mark = mx_arena_mark(p->arena);
    MX_TRY(mx_params_own(p, source));
    struct mx_batch *b = mx_calloc(1, sizeof *b);
    int status = b ? MX_OK : MX_OUT_OF_MEMORY;
    if (b) {
        *b = (struct mx_batch){.params = p, .label = label};
        p->loads++;
        status = read_by_kind(b, source);
    }
    if (status == MX_OK) {
        status = commit(b);
    }
    if (status != MX_OK) {
        mx_params_end(b, true);
        mx_params_disown(p, n_sources);
        mx_arena_rewind(p->arena, mark);
        return status;
    }
    *added = b;
    return MX_OK;
}

void mx_params_end(struct mx_batch *added, bool undo)
{
    while (added && undo && added->added > 0) {
        take_back(added->params, &added->items[--added->added]);
    }
    if (added) {
        mx_budget_array_free(added->params->arena->budget, added->items, added->capacity, sizeof *added->items);
        mx_free(added);
    }
}

/* ---- one array */

static int check_one(struct mx_params *p, const struct mx_param *like)
{
    const uint64_t size = mx_source_size(like->source);
    uint64_t bytes;
    if (!mx_dims_bytes(like->dtype, like->ndim, like->dims, &bytes)) {
        return mx_fail(p->diags, MX_INVALID_ARGUMENT, MX_NOWHERE,
                       "the value for '%s' is not valid: its shape has more than 2^53 elements, sizes of 0 not counted", like->name);
    }
    if (bytes != size) {
        return mx_fail(p->diags, MX_INVALID_ARGUMENT, MX_NOWHERE,
                       "the value for '%s' is not valid: its type and shape do not need %llu bytes", like->name, (unsigned long long)size);
    }
    return MX_OK;
}

/* What was set before under the name of `old`, and may have been removed: its memory is used again. */
static const struct mx_param *set_before(const struct mx_param *old)
{
    return old && !old->own ? old->other : old;
}

/* Gives the array, which may be one that was set before, the name and dims of `like`. */
static int set_name_and_dims(struct mx_params *p, struct mx_param *param, const struct mx_param *old, const struct mx_param *like)
{
    const struct mx_param *again = set_before(old);
    const int room = again && again->room >= like->ndim ? again->room : like->ndim < MX_MAX_RANK / 2 ? 2 * like->ndim : MX_MAX_RANK;
    int64_t *dims = again && again->room == room ? again->own_dims : MX_ARENA_ARRAY(p->arena, int64_t, (size_t)room);
    param->name = old ? old->name : mx_arena_strdup(p->arena, param->name);
    MX_TRY_ALLOC(param->name && dims);
    for (int i = 0; i < like->ndim; i++) {
        dims[i] = like->dims[i];
    }
    param->dims = param->own_dims = dims;
    param->room = room;
    return MX_OK;
}

/* The array's own source takes the place of the one that it replaces. */
static int own_one(struct mx_params *p, const struct mx_param *old, struct mx_param *param)
{
    const struct mx_param *again = set_before(old);
    if (again) {
        mx_source_close(p->sources[again->own - 1]);
        p->sources[again->own - 1] = param->source;
        param->own = again->own;
        return MX_OK;
    }
    MX_TRY(mx_params_own(p, param->source));
    param->own = (uint32_t)p->n_sources;
    return MX_OK;
}

/* Room for the array of a file that `param` replaces, and for one that was removed among the others. */
static int make_way(struct mx_params *p, struct mx_param *old, struct mx_param *param)
{
    if (old && old->removed) {
        MX_TRY(mx_grow(p->arena->budget, &p->items, p->count, &p->capacity, sizeof(struct mx_param *)));
        MX_TRY(add_bare(p, old));
    }
    if (old) {
        param->other = old->own || old->other ? old->other : MX_ARENA_NEW(p->arena, struct mx_param);
        MX_TRY_ALLOC(param->other || old->own);
    }
    return MX_OK;
}

/* Puts `param` in the place of `old`, for which there is room. */
static void replace(struct mx_params *p, struct mx_param *old, const struct mx_param *param)
{
    if (old->removed) {
        p->items[p->count++] = old;
    } else if (!old->own) {
        *param->other = *old;
        param->other->other = NULL;
    }
    const bool used = old->used;
    *old = *param;
    old->used = used;
}

/* On an error `param` has no source that must be closed. */
static int add_one(struct mx_params *p, struct mx_param *old, struct mx_param *param, const struct mx_param *like)
{
    int status = set_name_and_dims(p, param, old, like);
    status = status == MX_OK ? make_way(p, old, param) : status;
    if (status != MX_OK) {
        mx_source_close(param->source);
        return status;
    }
    const size_t n_sources = p->n_sources;
    MX_TRY(own_one(p, old, param));
    if (old) {
        replace(p, old, param);
        return MX_OK;
    }
    status = add_new(p, param);
    if (status != MX_OK) {
        mx_params_disown(p, n_sources);
    }
    return status;
}

int mx_params_set(struct mx_params *p, const struct mx_param *like, uint64_t *replaced)
{
    struct mx_param param = {
        .dtype = like->dtype, .ndim = like->ndim, .source = like->source, .length = mx_source_size(like->source), .load = ++p->loads};
    struct mx_source *made = NULL;
    int status = check_one(p, like);
    if (status == MX_OK && like->dtype == MX_BOOL) {
        status = normalize_bool(p, &param, like->name, &made);
    }
    if (status != MX_OK || made) {
        mx_source_close(like->source);
    }
    MX_TRY(status);
    param.name = mx_params_bare(like->name);
    struct mx_param *old = mx_map_get(&p->by_name, param.name);
    *replaced = old && old->own && !old->removed ? old->length : 0;
    return add_one(p, old, &param, like);
}

static void drop_item(struct mx_params *p, const struct mx_param *item)
{
    size_t i = 0;
    while (p->items[i] != item) {
        i++;
    }
    p->count--;
    memmove(&p->items[i], &p->items[i + 1], (p->count - i) * sizeof *p->items);
}

bool mx_params_unset(struct mx_params *p, const char *name, uint64_t *removed)
{
    struct mx_param *item = mx_params_find(p, mx_params_bare(name));
    if (!item || !item->own) {
        return false;
    }
    struct mx_param *file = item->other;
    *removed = item->length;
    mx_source_close(p->sources[item->own - 1]);
    p->sources[item->own - 1] = NULL;
    item->source = NULL;
    item->removed = true;
    if (file) {
        const struct mx_param set = *item;
        *item = *file;
        item->other = file;
        *file = set;
        file->other = NULL;
    } else {
        drop_item(p, item);
    }
    return true;
}

struct mx_param *mx_params_find(const struct mx_params *p, const char *name)
{
    struct mx_param *found = mx_map_get(&p->by_name, name);
    return found && !found->removed ? found : NULL;
}

struct mx_param *mx_params_of(const struct mx_params *p, const char *variable)
{
    struct mx_param *found = mx_params_find(p, variable);
    if (!found && p->prefix) {
        found = mx_starts_with(variable, p->prefix) ? mx_params_find(p, variable + strlen(p->prefix)) : mx_map_get(&p->by_bare, variable);
        found = found && found->removed ? NULL : found;
    }
    found = found ? found : mx_map_get(&p->joined, variable);
    found = found ? found : mx_map_get(&p->matched, variable);
    return found && !found->removed ? found : NULL;
}

int mx_param_read(const struct mx_param *p, uint64_t offset, void *out, size_t size, struct mx_source **failed)
{
    uint8_t *to = out;
    for (size_t i = 0; size > 0; i++) {
        const struct mx_param *part = mx_param_part(p, i);
        const uint64_t left = offset < part->length ? part->length - offset : 0;
        const size_t some = left < size ? (size_t)left : size;
        *failed = part->source;
        MX_TRY(some > 0 ? mx_source_read(part->source, part->offset + offset, to, some) : MX_OK);
        offset = left > 0 ? 0 : offset - part->length;
        to += some;
        size -= some;
    }
    return MX_OK;
}

int mx_params_set_prefix(struct mx_params *p, const char *prefix)
{
    mx_map_free(&p->by_bare);
    p->prefix = prefix && *prefix ? prefix : NULL;
    for (size_t i = 0; i < p->count; i++) {
        MX_TRY(mx_tick(p->arena->budget, MX_TICK_NODE));
        MX_TRY(add_bare(p, p->items[i]));
    }
    return MX_OK;
}
