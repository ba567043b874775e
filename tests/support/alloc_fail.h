/* lib/base/alloc.c for tests: it counts, and fails where a test asks for it. Link alloc_fail.c into the test program; its
 * functions replace those of the static library. */
#ifndef ALLOC_FAIL_H
#define ALLOC_FAIL_H

#include <stdbool.h>
#include <stddef.h>

/* The n-th allocation from now on fails, and only that one; with `all` every later one as well. 0: none. */
void alloc_fail_at(size_t n, bool all);
/* Has one failed since alloc_fail_at? */
bool alloc_fail_happened(void);
/* Allocations since alloc_fail_at, and blocks that are not freed yet. */
size_t alloc_fail_count(void);
size_t alloc_fail_live(void);

/* Runs the task with the first allocation failing, then the second and so on, once alone and once with all that follow,
 * until it runs through. The task returns true if it succeeded, and must succeed if no allocation failed. What went
 * wrong ("it leaks when allocation 3 fails"), or NULL; *runs, if not NULL, is the number of allocations tried. */
const char *alloc_fail_each(bool (*task)(void *user), void *user, size_t *runs);

/* Sends another library's allocations this way too: alloc_fail_route(json_set_alloc_funcs) for jansson. */
typedef void alloc_fail_setter(void *(*allocate)(size_t), void (*release)(void *));
void alloc_fail_route(alloc_fail_setter *setter);

#endif
