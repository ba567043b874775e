/* Every allocation of the library goes through here, so that tests can make the n-th one fail. */
#ifndef MX_BASE_ALLOC_H
#define MX_BASE_ALLOC_H

#include <stddef.h>

#include "base/status.h"

/* Zeroed memory for count items; NULL when memory runs out or count * size overflows. */
void *mx_calloc(size_t count, size_t size);
void *mx_realloc(void *old, size_t count, size_t size);
void mx_free(void *p); /* NULL is allowed */

#endif
