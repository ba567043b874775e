#include "read/params.h"

#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/num.h"
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
    *p = (struct mx_params){.arena = p->arena, .diags = p->diags};
}

/* ---- memory of the model */

int mx_params_own(struct mx_params *p, struct mx_source *source)
{
    if (p->n_sources == p->sources_capacity) {
        const size_t capacity = p->sources_capacity ? p->sources_capacity * 2 : 4;
        struct mx_source **sources = mx_realloc(p->sources, capacity, sizeof *sources);
        if (!sources) {
            mx_source_close(source);
            return MX_OUT_OF_MEMORY;
        }
        p->sources = sources;
        p->sources_capacity = capacity;
    }
    p->sources[p->n_sources++] = source;
    return MX_OK;
}

int mx_params_expand(struct mx_params *p, uint64_t bytes, void **data, struct mx_source **source)
{
    MX_TRY_ALLOC(bytes <= SIZE_MAX);
    void *memory = mx_calloc((size_t)bytes, 1);
    MX_TRY_ALLOC(memory);
    const int status = mx_source_open_memory(source, memory, (size_t)bytes, true);
    if (status != MX_OK) {
        mx_free(memory);
        return status;
    }
    *data = memory;
    return mx_params_own(p, *source);
}

/* ---- sizes */

bool mx_dims_product(int ndim, const int64_t *dims, uint64_t *out)
{
    uint64_t product = 1;
    bool fits = true;
    for (int i = 0; i < ndim; i++) {
        if (dims[i] == 0) {
            *out = 0;
            return true;
        }
        fits = fits && mx_mul_u64(product, (uint64_t)dims[i], &product);
    }
    *out = product;
    return fits;
}

bool mx_dims_bytes(enum mx_dtype dtype, int ndim, const int64_t *dims, uint64_t *out)
{
    uint64_t elements, bytes;
    if (!mx_dims_product(ndim, dims, &elements) || !mx_mul_u64(elements, mx_dtype_size(dtype), &bytes)) {
        return false;
    }
    *out = bytes;
    return true;
}

/* ---- adding arrays */

static const char *bare_name(const char *name, bool *is_aux)
{
    *is_aux = mx_starts_with(name, "aux:");
    return *is_aux || mx_starts_with(name, "arg:") ? name + 4 : name;
}

static int grow_items(struct mx_params *p)
{
    if (p->count < p->capacity) {
        return MX_OK;
    }
    const size_t capacity = p->capacity ? p->capacity * 2 : 64;
    struct mx_param **items = mx_budget_array(p->arena->budget, p->items, p->capacity, capacity, sizeof(struct mx_param *));
    MX_TRY_ALLOC(items);
    p->items = items;
    p->capacity = capacity;
    return MX_OK;
}

static int add_bare(struct mx_params *p, struct mx_param *item)
{
    const bool has = p->prefix && *p->prefix && mx_starts_with(item->name, p->prefix);
    return has ? mx_map_set(&p->by_bare, item->name + strlen(p->prefix), item) : MX_OK;
}

/* `added` has its bare name. Of several arrays with the same name the last counts, as in the dict that MXNet's nd.load makes. */
static int append(struct mx_params *p, const struct mx_param *added, const char *label)
{
    struct mx_param *old = mx_params_find(p, added->name);
    if (old) {
        if (old->load == added->load) {
            mx_warn(p->diags, MX_NOWHERE, "'%s' holds the array '%s' more than once; the last one counts", label,
                    added->name);
        }
        const char *name = old->name; /* the map's key */
        *old = *added;
        old->name = name;
        return MX_OK;
    }
    MX_TRY(grow_items(p));
    struct mx_param *item = MX_ARENA_NEW(p->arena, struct mx_param);
    MX_TRY_ALLOC(item);
    *item = *added;
    MX_TRY(mx_map_set(&p->by_name, item->name, item));
    MX_TRY(add_bare(p, item));
    p->items[p->count++] = item;
    return MX_OK;
}

/* A bool is true when its byte is not 0 (mshadow reads it so), but ONNX requires 1. Bool arrays are few and small: they are examined,
 * and copied if necessary. */
static int normalize_bool(struct mx_params *p, struct mx_param *param, const char *label)
{
    struct mx_cursor c;
    unsigned char block[4096];
    bool odd = false;
    MX_ASSERT(mx_cursor_init(&c, param->source, param->offset, param->length));
    c.diags = p->diags;
    c.label = label;
    while (!odd && mx_cursor_left(&c) > 0) {
        const size_t n = mx_cursor_left(&c) < sizeof block ? (size_t)mx_cursor_left(&c) : sizeof block;
        MX_TRY(mx_cursor_read(&c, block, n));
        for (size_t i = 0; i < n; i++) {
            odd = odd || block[i] > 1;
        }
    }
    if (!odd) {
        return MX_OK;
    }
    void *data;
    struct mx_source *source;
    MX_TRY(mx_params_expand(p, param->length, &data, &source));
    MX_TRY(mx_source_read(param->source, param->offset, data, (size_t)param->length));
    unsigned char *byte = data;
    for (uint64_t i = 0; i < param->length; i++) {
        byte[i] = byte[i] != 0;
    }
    param->source = source;
    param->offset = 0;
    return MX_OK;
}

int mx_batch_add(struct mx_batch *b, const struct mx_param *param)
{
    MX_TRY(mx_tick(b->params->arena->budget, MX_TICK_NODE));
    if (b->count == b->capacity) {
        const size_t capacity = b->capacity ? b->capacity * 2 : 64;
        struct mx_param *items = mx_budget_array(b->params->arena->budget, b->items, b->capacity, capacity, sizeof *items);
        MX_TRY_ALLOC(items);
        b->items = items;
        b->capacity = capacity;
    }
    b->items[b->count] = *param;
    b->items[b->count].load = b->params->loads;
    b->items[b->count].cast_to = MX_DTYPE_NONE;
    b->count++;
    return MX_OK;
}

static int commit(struct mx_batch *b)
{
    struct mx_params *p = b->params;
    for (size_t i = 0; i < b->count; i++) {
        struct mx_param *item = &b->items[i];
        if (!mx_is_utf8(item->name)) { /* nnvm symbols and ONNX require it; MXNet's Python loader refuses other names too */
            return mx_fail(p->diags, MX_FORMAT, MX_NOWHERE, "'%s': the name of array %zu is not UTF-8", b->label, i);
        }
        if (item->source && item->dtype == MX_BOOL) {
            MX_TRY(normalize_bool(p, item, b->label));
        }
    }
    for (size_t i = 0; i < b->count; i++) {
        struct mx_param *item = &b->items[i];
        item->name = bare_name(item->name, &item->is_aux);
        if (item->source) {
            MX_TRY(append(p, item, b->label));
        } else {
            mx_note(p->diags, MX_NOWHERE, "'%s': the array '%s' is a placeholder without a value; it is left out",
                    b->label, item->name);
        }
    }
    return MX_OK;
}

static void free_batch(struct mx_batch *b)
{
    mx_budget_array_free(b->params->arena->budget, b->items, b->capacity, sizeof *b->items);
    *b = (struct mx_batch){0};
}

static int read_by_kind(struct mx_batch *b, struct mx_source *source)
{
    struct mx_sniffed is;
    if (mx_sniff(source, &is) != MX_OK) {
        return mx_fail(b->params->diags, MX_IO, MX_NOWHERE, "'%s' cannot be read", b->label);
    }
    switch (is.kind) {
    case MX_FILE_LIST:
        return mx_params_read_list(b, source);
    case MX_FILE_RECORD:
        return mx_params_read_record(b, source);
    case MX_FILE_NPY:
        return mx_params_read_npy(b, source);
    case MX_FILE_ZIP:
        return mx_params_read_npz(b, source);
    case MX_FILE_UNKNOWN:
    case MX_FILE_EMPTY:
    case MX_FILE_JSON:
    case MX_FILE_TAR:
    case MX_FILE_OTHER:
        break;
    }
    return mx_fail(b->params->diags, MX_FORMAT, MX_NOWHERE, "'%s' %s; %s", b->label, is.text, is.advice);
}

int mx_params_add_source(struct mx_params *p, struct mx_source *source, const char *label)
{
    MX_TRY(mx_params_own(p, source));
    p->loads++;
    struct mx_batch b = {.params = p, .label = label};
    int status = read_by_kind(&b, source);
    if (status == MX_OK) {
        status = commit(&b);
    }
    free_batch(&b);
    return status;
}

int mx_params_set(struct mx_params *p, const struct mx_param *like)
{
    const uint64_t size = mx_source_size(like->source);
    const int ndim = like->ndim;
    uint64_t bytes;
    MX_TRY(mx_params_own(p, like->source));
    bool valid = mx_dtype_size(like->dtype) > 0 && ndim >= 0 && ndim <= MX_MAX_RANK;
    for (int i = 0; valid && i < ndim; i++) {
        valid = like->dims[i] >= 0;
    }
    if (!valid || !mx_dims_bytes(like->dtype, ndim, like->dims, &bytes) || bytes != size) {
        return mx_fail(p->diags, MX_INVALID_ARGUMENT, MX_NOWHERE,
                       "the value for '%s' is not valid: its type, its dims and its %llu bytes do not fit together",
                       like->name, (unsigned long long)size);
    }
    struct mx_param param = {.dtype = like->dtype, .ndim = ndim, .source = like->source, .length = size};
    param.name = mx_arena_strdup(p->arena, like->name);
    param.dims = mx_arena_copy(p->arena, like->dims, (size_t)ndim, sizeof *like->dims);
    MX_TRY_ALLOC(param.name && param.dims);
    p->loads++;
    struct mx_batch b = {.params = p, .label = like->name};
    int status = mx_batch_add(&b, &param);
    if (status == MX_OK) {
        status = commit(&b);
    }
    free_batch(&b);
    return status;
}

struct mx_param *mx_params_find(const struct mx_params *p, const char *name)
{
    return mx_map_get(&p->by_name, name);
}

struct mx_param *mx_params_of(const struct mx_params *p, const char *variable)
{
    struct mx_param *found = mx_params_find(p, variable);
    if (!found && p->prefix && *p->prefix) {
        found = mx_starts_with(variable, p->prefix) ? mx_params_find(p, variable + strlen(p->prefix))
                                                    : mx_map_get(&p->by_bare, variable);
    }
    return found;
}

int mx_params_set_prefix(struct mx_params *p, const char *prefix)
{
    mx_map_free(&p->by_bare);
    p->prefix = prefix;
    for (size_t i = 0; i < p->count; i++) {
        MX_TRY(add_bare(p, p->items[i]));
    }
    return MX_OK;
}
