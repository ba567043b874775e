/* Arrays that a parameter file has twice. Gluon's save_parameters writes a parameter that several layers share once for each of them, and
 * load_parameters sets it as often (python/mxnet/gluon/block.py), so the copies have the same bytes. Only arrays of two or more dimensions
 * show that: those of one are alike wherever nothing was trained (zeros, ones), and are copies only in layers that share such an array.
 * A layer that is made with the parameters of another one (params=) names all of its own after it, so the graph has one layer with the
 * arrays of both: what is kept is in the larger layer. */
#include <string.h>

#include "base/budget.h"
#include "base/hash.h"
#include "base/str.h"
#include "pass/pass.h"

enum {
    BLOCK = 1 << 16,
    MOST_ALIKE = 8, /* different arrays with the same hash that are compared; a file with more was made for it */
};

struct finder {
    const struct mx_params *params;
    struct mx_arena *arena;
    uint8_t *block;        /* 2 * BLOCK bytes */
    struct mx_map *copies; /* name -> the array whose copy it is */
    struct mx_map layers;  /* "embed." -> an array whose copy is in it */
    struct mx_map sizes;   /* "embed." -> struct size */
    size_t left;           /* copies that may still be found */
};

/* Of the bytes. False if they cannot be read, which is reported when they are written. */
static bool hash_of(const struct finder *f, const struct mx_param *p, uint64_t *hash)
{
    *hash = p->length;
    for (uint64_t done = 0; done < p->length; done += BLOCK) {
        const size_t some = p->length - done < BLOCK ? (size_t)(p->length - done) : BLOCK;
        if (mx_tick(f->arena->budget, BLOCK) != MX_OK || mx_source_read(p->source, p->offset + done, f->block, some) != MX_OK) {
            return false;
        }
        *hash = mx_mix_bytes(*hash, f->block, some);
    }
    return true;
}

/* False also if they cannot be read. */
static bool same_bytes(const struct finder *f, const struct mx_param *p, const struct mx_param *q)
{
    uint8_t *other = f->block + BLOCK;
    for (uint64_t done = 0; done < p->length; done += BLOCK) {
        const size_t some = p->length - done < BLOCK ? (size_t)(p->length - done) : BLOCK;
        if (mx_tick(f->arena->budget, 2 * BLOCK) != MX_OK || mx_source_read(p->source, p->offset + done, f->block, some) != MX_OK
            || mx_source_read(q->source, q->offset + done, other, some) != MX_OK || memcmp(f->block, other, some) != 0) {
            return false;
        }
    }
    return true;
}

static const char *kind_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

static size_t length_of_layer(const char *name)
{
    return (size_t)(kind_of(name) - name);
}

/* Kind, type and dims; equal for arrays that are alike. NULL if memory is short. */
static const char *likeness(const struct finder *f, const struct mx_param *p)
{
    struct mx_str text = {.budget = f->arena->budget};
    mx_str_printf(&text, "%d", (int)p->dtype);
    for (int i = 0; i < p->ndim; i++) {
        mx_str_printf(&text, ",%lld", (long long)p->dims[i]);
    }
    mx_str_append(&text, " ");
    mx_str_append(&text, kind_of(p->name));
    const char *copy = text.failed ? NULL : mx_arena_strdup(f->arena, text.text);
    mx_str_free(&text);
    return copy;
}

struct size {
    size_t n;
};

static int count_layers(struct finder *f)
{
    for (size_t i = 0; i < f->params->count; i++) {
        const char *name = f->params->items[i]->name;
        MX_TRY(mx_tick(f->arena->budget, MX_TICK_NODE));
        struct size *size = mx_map_get_n(&f->sizes, name, length_of_layer(name));
        if (!size) {
            const char *layer = mx_arena_strndup(f->arena, name, length_of_layer(name));
            size = MX_ARENA_NEW(f->arena, struct size);
            MX_TRY_ALLOC(layer && size);
            MX_TRY(mx_map_set(&f->sizes, layer, size));
        }
        size->n++;
    }
    return MX_OK;
}

static size_t size_of_layer(const struct finder *f, const struct mx_param *p)
{
    const struct size *size = mx_map_get_n(&f->sizes, p->name, length_of_layer(p->name));
    return size->n;
}

static int add_copy(struct finder *f, const struct mx_param *p, struct mx_param *first)
{
    f->left--;
    return mx_map_set(f->copies, p->name, first);
}

/* Arrays of one kind, type and dims. */
struct group {
    struct mx_param *first;
    bool read; /* `first` is in the map of those that were read */
};

/* Looks for an earlier array with the same bytes. */
static int compare_bytes(struct finder *f, struct mx_map *seen, const char *key, struct mx_param *p)
{
    uint64_t hash;
    if (!hash_of(f, p, &hash)) {
        return mx_budget_status(f->arena->budget);
    }
    const char *hashed = NULL;
    struct mx_param *first = p;
    for (int i = 0; first && (i == 0 || !same_bytes(f, p, first)); i++) {
        MX_TRY(mx_budget_status(f->arena->budget));
        if (i == MOST_ALIKE) {
            return MX_OK;
        }
        hashed = mx_arena_printf(f->arena, "%s %llx %d", key, (unsigned long long)hash, i);
        MX_TRY_ALLOC(hashed);
        first = mx_map_get(seen, hashed);
    }
    if (!first) {
        return mx_map_set(seen, hashed, p);
    }
    const bool larger = size_of_layer(f, p) > size_of_layer(f, first);
    struct mx_param *copy = larger ? first : p, *kept = larger ? p : first;
    const char *layer = mx_arena_strndup(f->arena, copy->name, length_of_layer(copy->name));
    MX_TRY_ALLOC(layer);
    MX_TRY(mx_map_set(seen, hashed, kept));
    MX_TRY(mx_map_set(&f->layers, layer, kept));
    return add_copy(f, copy, kept);
}

/* An array is read only if another one is like it. */
static int find_large(struct finder *f, struct mx_map *groups, struct mx_map *seen)
{
    for (size_t i = 0; f->left > 0 && i < f->params->count; i++) {
        struct mx_param *p = f->params->items[i];
        MX_TRY(mx_tick(f->arena->budget, MX_TICK_NODE));
        if (p->ndim < 2) {
            continue;
        }
        const char *key = likeness(f, p);
        MX_TRY_ALLOC(key);
        struct group *group = mx_map_get(groups, key);
        if (!group) {
            group = MX_ARENA_NEW(f->arena, struct group);
            MX_TRY_ALLOC(group);
            group->first = p;
            MX_TRY(mx_map_set(groups, key, group));
            continue;
        }
        MX_TRY(group->read ? MX_OK : compare_bytes(f, seen, key, group->first));
        group->read = true;
        MX_TRY(compare_bytes(f, seen, key, p));
    }
    return MX_OK;
}

/* `p` has at most one dim, which follows from its length. */
static bool is_copy(const struct finder *f, const struct mx_param *p, const struct mx_param *q)
{
    return p->dtype == q->dtype && p->ndim == q->ndim && p->length == q->length && same_bytes(f, p, q);
}

/* The others of layers that share an array. */
static int find_small(struct finder *f)
{
    for (size_t i = 0; f->left > 0 && i < f->params->count; i++) {
        const struct mx_param *p = f->params->items[i];
        MX_TRY(mx_tick(f->arena->budget, MX_TICK_NODE));
        const struct mx_param *shared = p->ndim < 2 ? mx_map_get_n(&f->layers, p->name, length_of_layer(p->name)) : NULL;
        if (shared) {
            const char *name = mx_arena_printf(f->arena, "%.*s%s", (int)length_of_layer(shared->name), shared->name, kind_of(p->name));
            MX_TRY_ALLOC(name);
            struct mx_param *first = mx_params_find(f->params, name);
            MX_TRY(first && is_copy(f, p, first) ? add_copy(f, p, first) : mx_budget_status(f->arena->budget));
        }
    }
    return MX_OK;
}

int mx_params_find_copies(const struct mx_params *params, size_t most, struct mx_arena *arena, struct mx_map *copies)
{
    struct finder f = {.params = params, .arena = arena, .copies = copies, .left = most};
    struct mx_map groups = {.arena.budget = arena->budget}, seen = {.arena.budget = arena->budget};
    f.layers.arena.budget = f.sizes.arena.budget = arena->budget;
    f.block = MX_ARENA_ARRAY(arena, uint8_t, 2 * BLOCK);
    int status = f.block ? count_layers(&f) : MX_OUT_OF_MEMORY;
    status = status == MX_OK ? find_large(&f, &groups, &seen) : status;
    status = status == MX_OK ? find_small(&f) : status;
    mx_map_free(&groups);
    mx_map_free(&seen);
    mx_map_free(&f.layers);
    mx_map_free(&f.sizes);
    return status;
}
