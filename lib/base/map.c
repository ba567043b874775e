#include "base/map.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

/* Open addressing. What is looked through is an array of small slots, at most 3/4 of them taken; the keys are in another
 * one, in their order. So a new name among a million costs one miss of the cache and not five. */
struct mx_map_slot {
    uint32_t hash;
    uint32_t item; /* its number, counted from 1; 0: free */
};

struct mx_map_item {
    const char *key;
    void *value;
};

enum { SMALLEST = 16 };

/* FNV-1a, spread to the low bits, which the table takes. */
static uint32_t hash_of(const char *key)
{
    uint32_t hash = 2166136261u;
    for (; *key; key++) {
        hash = (hash ^ (unsigned char)*key) * 16777619u;
    }
    return hash ^ hash >> 15;
}

void mx_map_free(struct mx_map *m)
{
    mx_free(m->slots);
    mx_free(m->items);
    *m = (struct mx_map){0};
}

/* The slot of the key, or the free one where it belongs; NULL as key: a free one. */
static struct mx_map_slot *find(const struct mx_map *m, const char *key, uint32_t hash)
{
    const size_t mask = m->capacity - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        struct mx_map_slot *s = &m->slots[i];
        if (!s->item || (key && s->hash == hash && strcmp(m->items[s->item - 1].key, key) == 0)) {
            return s;
        }
    }
}

static int grow(struct mx_map *m)
{
    struct mx_map larger = *m;
    larger.capacity = m->capacity ? 2 * m->capacity : SMALLEST;
    MX_TRY_ALLOC(larger.capacity <= UINT32_MAX);
    larger.items = mx_realloc(m->items, larger.capacity / 4 * 3, sizeof *m->items);
    MX_TRY_ALLOC(larger.items);
    m->items = larger.items;
    larger.slots = mx_calloc(larger.capacity, sizeof *m->slots);
    MX_TRY_ALLOC(larger.slots);
    for (size_t i = 0; i < m->capacity; i++) {
        if (m->slots[i].item) {
            *find(&larger, NULL, m->slots[i].hash) = m->slots[i];
        }
    }
    mx_free(m->slots);
    *m = larger;
    return MX_OK;
}

int mx_map_set(struct mx_map *m, const char *key, void *value)
{
    if (m->count == m->capacity / 4 * 3) {
        MX_TRY(grow(m));
    }
    const uint32_t hash = hash_of(key);
    struct mx_map_slot *s = find(m, key, hash);
    if (!s->item) {
        *s = (struct mx_map_slot){hash, (uint32_t)++m->count};
    }
    m->items[s->item - 1] = (struct mx_map_item){key, value}; /* an older key's memory may go with the older value */
    return MX_OK;
}

void *mx_map_get(const struct mx_map *m, const char *key)
{
    const struct mx_map_slot *s = m->count ? find(m, key, hash_of(key)) : NULL;
    return s && s->item ? m->items[s->item - 1].value : NULL;
}

size_t mx_map_count(const struct mx_map *m)
{
    return m->count;
}
