/* A hash map from text to a pointer, over uthash. Keys are borrowed: they must live as long as the map. */
#ifndef MX_BASE_MAP_H
#define MX_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

struct mx_map_item;
struct mx_map {
    struct mx_map_item *items;
    struct mx_arena arena; /* of the items */
    uint64_t seed;         /* of the hash; 0: not chosen yet */
};

/* A zeroed struct mx_map is an empty map, and so is a freed one. */
void mx_map_free(struct mx_map *m);
/* Sets key to value (not NULL), replacing an older value. OUT_OF_MEMORY. */
int mx_map_set(struct mx_map *m, const char *key, void *value) MX_MUST_USE;
/* The memory of the item stays in the arena. */
void mx_map_remove(struct mx_map *m, const char *key);
/* NULL if there is no such key. */
void *mx_map_get(const struct mx_map *m, const char *key);
void *mx_map_get_n(const struct mx_map *m, const char *key, size_t length);
/* Adds a name that is not in the map yet: wanted, or else wanted_1, wanted_2, ... made in `arena`. The counter is kept with the name,
 * so repeated names need no search. Such a map must contain nothing else. */
int mx_map_unique(struct mx_map *taken, struct mx_arena *arena, const char *wanted, const char **out) MX_MUST_USE;
size_t mx_map_count(const struct mx_map *m);

#endif
