#include "base/map.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

#define HASH_NONFATAL_OOM 1
#define uthash_malloc(size) mx_calloc(1, (size))
#define uthash_free(p, size) mx_free(p)
#define uthash_nonfatal_oom(item) ((void)((item)->value = NULL))
#include <uthash.h>

/* Keys come from files: the seed keeps anyone from making many that fall on one place. */
static unsigned hash_of(const struct mx_map *m, const char *key, size_t length)
{
    const unsigned char *p = (const unsigned char *)key;
    uint64_t hash = m->seed;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ p[i]) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
    }
    return (unsigned)hash;
}

struct mx_map_item {
    void *value; /* NULL: uthash could not add it */
    UT_hash_handle hh;
};

void mx_map_free(struct mx_map *m)
{
    HASH_CLEAR(hh, m->items);
    mx_arena_free(&m->arena);
}

static struct mx_map_item *find(const struct mx_map *m, const char *key)
{
    struct mx_map_item *item = NULL;
    const size_t length = strlen(key);
    if (m->items) {
        HASH_FIND_BYHASHVALUE(hh, m->items, key, length, hash_of(m, key, length), item);
    }
    return item;
}

int mx_map_set(struct mx_map *m, const char *key, void *value)
{
    struct mx_map_item *item = find(m, key);
    if (item) {
        item->hh.key = key; /* the older key's memory may go with the older value */
        item->value = value;
        return MX_OK;
    }
    item = MX_ARENA_NEW(&m->arena, struct mx_map_item);
    MX_TRY_ALLOC(item);
    item->value = value;
    m->seed = m->items ? m->seed : (uint64_t)(uintptr_t)item; /* where memory lies, nobody knows beforehand */
    const size_t length = strlen(key);
    HASH_ADD_KEYPTR_BYHASHVALUE(hh, m->items, key, length, hash_of(m, key, length), item);
    return item->value ? MX_OK : MX_OUT_OF_MEMORY;
}

void *mx_map_get(const struct mx_map *m, const char *key)
{
    const struct mx_map_item *item = find(m, key);
    return item ? item->value : NULL;
}

size_t mx_map_count(const struct mx_map *m)
{
    return HASH_COUNT(m->items);
}

/* The next suffix to try for a name that was wanted twice. */
struct counter {
    long next;
};

/* Most names are wanted once: the map itself stands for their counter until it is asked for. */
static struct counter *counter_of(struct mx_map *taken, struct mx_arena *arena, const char *name)
{
    void *found = mx_map_get(taken, name);
    if (found != taken) {
        return found;
    }
    struct counter *counter = MX_ARENA_NEW(arena, struct counter);
    if (!counter || mx_map_set(taken, name, counter) != MX_OK) {
        return NULL;
    }
    counter->next = 1;
    return counter;
}

int mx_map_unique(struct mx_map *taken, struct mx_arena *arena, const char *wanted, const char **out)
{
    const char *name = wanted;
    if (mx_map_get(taken, wanted)) {
        struct counter *counter = counter_of(taken, arena, wanted);
        MX_TRY_ALLOC(counter);
        do {
            name = mx_arena_printf(arena, "%s_%ld", wanted, counter->next++);
            MX_TRY_ALLOC(name);
        } while (mx_map_get(taken, name));
    }
    MX_TRY(mx_map_set(taken, name, taken));
    *out = name;
    return MX_OK;
}
