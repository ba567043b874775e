#include "base/map.h"
#include "base/hash.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"

#define HASH_NONFATAL_OOM 1
#define uthash_malloc(size) mx_calloc(1, (size))
#define uthash_free(p, size) mx_free(p)
#define uthash_nonfatal_oom(item) ((void)((item)->value = NULL))
#include <uthash.h>

enum {
    BLOCK = 1 << 16,
    WORK = 4 /* per byte of a key */
};

/* Keys come from files: the seed prevents an attacker from choosing many that collide. */
static unsigned hash_of(const struct mx_map *m, const char *key, size_t length)
{
    const unsigned char *p = (const unsigned char *)key;
    uint64_t hash = m->seed;
    for (size_t done = 0; done < length;) {
        const size_t end = length - done < BLOCK ? length : done + BLOCK;
        mx_count_work(m->arena.budget, MX_TICK_ITEM + WORK * (end - done));
        hash = mx_mix_bytes(hash, p + done, end - done);
        done = end;
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

/* A key with its hash, so that the hash is computed once. */
struct key {
    const char *text;
    size_t length;
    unsigned hash;
};

static struct key key_of_n(const struct mx_map *m, const char *text, size_t length)
{
    return (struct key){text, length, hash_of(m, text, length)};
}

static struct key key_of(const struct mx_map *m, const char *text)
{
    return key_of_n(m, text, strlen(text));
}

static struct mx_map_item *find(const struct mx_map *m, const struct key *key)
{
    struct mx_map_item *item = NULL;
    if (m->items) {
        HASH_FIND_BYHASHVALUE(hh, m->items, key->text, key->length, key->hash, item);
    }
    return item;
}

/* Adds a key that is not in the map. */
static int add(struct mx_map *m, struct key key, void *value)
{
    struct mx_map_item *item = MX_ARENA_NEW(&m->arena, struct mx_map_item);
    MX_TRY_ALLOC(item);
    item->value = value;
    if (!m->items) { /* the address of memory is unpredictable */
        m->seed = (uint64_t)(uintptr_t)item;
        key = key_of(m, key.text);
    }
    HASH_ADD_KEYPTR_BYHASHVALUE(hh, m->items, key.text, key.length, key.hash, item);
    return item->value ? MX_OK : MX_OUT_OF_MEMORY;
}

int mx_map_set(struct mx_map *m, const char *text, void *value)
{
    const struct key key = key_of(m, text);
    struct mx_map_item *item = find(m, &key);
    if (!item) {
        return add(m, key, value);
    }
    item->hh.key = text; /* the older key's memory may be freed with the older value */
    item->value = value;
    return MX_OK;
}

void mx_map_remove(struct mx_map *m, const char *text)
{
    const struct key key = key_of(m, text);
    struct mx_map_item *item = find(m, &key);
    if (item) {
        HASH_DEL(m->items, item);
    }
}

void *mx_map_get(const struct mx_map *m, const char *text)
{
    return mx_map_get_n(m, text, strlen(text));
}

void *mx_map_get_n(const struct mx_map *m, const char *text, size_t length)
{
    if (!m->items) { /* without the hash */
        return NULL;
    }
    const struct key key = key_of_n(m, text, length);
    const struct mx_map_item *item = find(m, &key);
    return item ? item->value : NULL;
}

size_t mx_map_count(const struct mx_map *m)
{
    return HASH_COUNT(m->items);
}

/* The next suffix to try for a name. Most names are requested once: until then the map itself is stored as the counter. */
static long *counter_of(struct mx_map *taken, struct mx_arena *arena, struct mx_map_item *name)
{
    if (name->value == taken) {
        static const long first = 1;
        long *counter = mx_arena_copy(arena, &first, 1, sizeof first);
        if (!counter) {
            return NULL;
        }
        name->value = counter;
    }
    return name->value;
}

int mx_map_unique(struct mx_map *taken, struct mx_arena *arena, const char *wanted, const char **out)
{
    struct key key = key_of(taken, wanted);
    struct mx_map_item *item = find(taken, &key);
    long *counter = NULL;
    if (item) {
        counter = counter_of(taken, arena, item);
        MX_TRY_ALLOC(counter);
    }
    while (item) {
        const char *name = mx_arena_printf(arena, "%s_%ld", wanted, (*counter)++);
        MX_TRY_ALLOC(name);
        key = key_of(taken, name);
        item = find(taken, &key);
    }
    *out = key.text;
    return add(taken, key, taken);
}
