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
    struct mx_arena arena; /* where they are */
    uint64_t seed;         /* of the hash; 0: empty as yet */
};

/* A zeroed struct mx_map is an empty map, and so is one that was freed. */
void mx_map_free(struct mx_map *m);
/* Sets key to value (not NULL), replacing an older one. OUT_OF_MEMORY. */
int mx_map_set(struct mx_map *m, const char *key, void *value) MX_MUST_USE;
/* NULL if there is no such key. */
void *mx_map_get(const struct mx_map *m, const char *key);
void *mx_map_get_n(const struct mx_map *m, const char *key, size_t length);
/* A name that is not in the map yet, which is added: wanted, or wanted_1, wanted_2, ... made in `arena`. The counter is
 * kept with the name, so repeated names cost no search. Such a map holds nothing else. */
int mx_map_unique(struct mx_map *taken, struct mx_arena *arena, const char *wanted, const char **out) MX_MUST_USE;
size_t mx_map_count(const struct mx_map *m);

#endif
