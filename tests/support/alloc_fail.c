#include "alloc_fail.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"

static struct {
    size_t count, fail_at, live;
    bool all, happened;
} state;

void alloc_fail_at(size_t n, bool all)
{
    state.count = 0;
    state.fail_at = n;
    state.all = all;
    state.happened = false;
}

bool alloc_fail_happened(void)
{
    return state.happened;
}

size_t alloc_fail_count(void)
{
    return state.count;
}

size_t alloc_fail_live(void)
{
    return state.live;
}

static bool fails(void)
{
    state.count++;
    if (state.fail_at && (state.count == state.fail_at || (state.all && state.count > state.fail_at))) {
        state.happened = true;
        return true;
    }
    return false;
}

void *mx_calloc(size_t count, size_t size)
{
    if (fails() || (size && count > PTRDIFF_MAX / size)) {
        return NULL;
    }
    void *p = count && size ? calloc(count, size) : calloc(1, 1);
    state.live += p != NULL;
    return p;
}

void *mx_realloc(void *old, size_t count, size_t size)
{
    if (fails() || (size && count > PTRDIFF_MAX / size)) {
        return NULL;
    }
    const size_t bytes = count && size ? count * size : 1;
    void *p = realloc(old, bytes);
    state.live += p && !old;
    return p;
}

void mx_free(void *p)
{
    state.live -= p != NULL;
    free(p);
}

static void *route_allocate(size_t size)
{
    return mx_calloc(1, size);
}

void alloc_fail_route(alloc_fail_setter *setter)
{
    setter(route_allocate, mx_free);
}

const char *alloc_fail_each(bool (*task)(void *user), void *user, size_t *runs)
{
    static char text[128];
    const size_t live = state.live;
    for (size_t n = 1;; n++) {
        bool happened = false;
        for (int all = 0; all < 2; all++) {
            alloc_fail_at(n, all);
            const bool passed = task(user);
            happened = state.happened;
            alloc_fail_at(0, false);
            const char *wrong = state.live != live          ? "it leaks"
                                : passed && happened && all ? "it reports success"
                                : !passed && !happened      ? "it fails although memory is there"
                                                            : NULL;
            if (wrong) {
                snprintf(text, sizeof text, "%s when allocation %zu%s fails", wrong, n, all ? " and all after it" : "");
                return text;
            }
        }
        if (!happened) {
            if (runs) {
                *runs = n - 1;
            }
            return NULL;
        }
    }
}
