#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>

/* No object is larger than PTRDIFF_MAX. The C library may return NULL for zero bytes, which callers would take for a
 * failure. */
void *mx_calloc(size_t count, size_t size)
{
    if (size && count > PTRDIFF_MAX / size) {
        return NULL;
    }
    return count && size ? calloc(count, size) : calloc(1, 1);
}

void *mx_realloc(void *old, size_t count, size_t size)
{
    if (size && count > PTRDIFF_MAX / size) {
        return NULL;
    }
    const size_t bytes = count * size;
    return realloc(old, bytes ? bytes : 1);
}

void mx_free(void *p)
{
    free(p);
}
