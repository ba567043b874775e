#include "base/alloc.h"

int mx_grow(void **items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) {
        return MX_OK;
    }
    const size_t wanted = *capacity ? *capacity * 2 : 8;
    void *bigger = mx_realloc(*items, wanted, size);
    MX_TRY_ALLOC(bigger);
    *items = bigger;
    *capacity = wanted;
    return MX_OK;
}
