#include "alloc_wrap.h"

#include <stdarg.h>
#include <string.h>

#include "base/arena.h"

struct allocations allocations;

bool allocation_fails(size_t count, size_t size)
{
    if (allocations.fail_at != 0 && count * size >= allocations.least
        && (++allocations.calls == allocations.fail_at || (allocations.for_good && allocations.calls > allocations.fail_at))) {
        allocations.failed = true;
        return true;
    }
    return false;
}

void *__real_mx_arena_alloc(struct mx_arena *a, size_t count, size_t size);
void *__wrap_mx_arena_alloc(struct mx_arena *a, size_t count, size_t size);
char *__real_mx_arena_strdup(struct mx_arena *a, const char *text);
char *__wrap_mx_arena_strdup(struct mx_arena *a, const char *text);
void *__real_mx_arena_copy(struct mx_arena *a, const void *data, size_t count, size_t size);
void *__wrap_mx_arena_copy(struct mx_arena *a, const void *data, size_t count, size_t size);
char *__real_mx_arena_strndup(struct mx_arena *a, const char *s, size_t n);
char *__wrap_mx_arena_strndup(struct mx_arena *a, const char *s, size_t n);
char *__wrap_mx_arena_printf(struct mx_arena *a, const char *format, ...) MX_PRINTF(2, 3);
void *__real_mx_calloc(size_t count, size_t size);
void *__real_mx_realloc(void *old, size_t count, size_t size);
void __real_mx_free(void *p);
void *__wrap_mx_calloc(size_t count, size_t size);
void *__wrap_mx_realloc(void *old, size_t count, size_t size);
void __wrap_mx_free(void *p);

void *__wrap_mx_calloc(size_t count, size_t size)
{
    void *p = allocation_fails(count, size) ? NULL : __real_mx_calloc(count, size);
    allocations.live += p != NULL;
    return p;
}

static bool arena_fails(struct mx_arena *a, size_t count, size_t size)
{
    const bool fails = allocation_fails(count, size);
    a->failed = a->failed || fails;
    return fails;
}

void *__wrap_mx_arena_alloc(struct mx_arena *a, size_t count, size_t size)
{
    return arena_fails(a, count, size) ? NULL : __real_mx_arena_alloc(a, count, size);
}

void *__wrap_mx_arena_copy(struct mx_arena *a, const void *data, size_t count, size_t size)
{
    return arena_fails(a, count, size) ? NULL : __real_mx_arena_copy(a, data, count, size);
}

char *__wrap_mx_arena_strdup(struct mx_arena *a, const char *text)
{
    return arena_fails(a, strlen(text) + 1, 1) ? NULL : __real_mx_arena_strdup(a, text);
}

char *__wrap_mx_arena_strndup(struct mx_arena *a, const char *s, size_t n)
{
    return arena_fails(a, n + 1, 1) ? NULL : __real_mx_arena_strndup(a, s, n);
}

char *__wrap_mx_arena_printf(struct mx_arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = arena_fails(a, strlen(format), 1) ? NULL : mx_arena_vprintf(a, format, args);
    va_end(args);
    return text;
}

void *__wrap_mx_realloc(void *old, size_t count, size_t size)
{
    void *p = allocation_fails(count, size) ? NULL : __real_mx_realloc(old, count, size);
    allocations.live += p != NULL && old == NULL;
    return p;
}

void __wrap_mx_free(void *p)
{
    allocations.live -= p != NULL;
    __real_mx_free(p);
}
