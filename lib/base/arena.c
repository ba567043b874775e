#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"

/* Blocks double from FIRST to LAST, so that a small model stays small and a large one makes few calls. With
 * AddressSanitizer each allocation is a separate block, so that an overrun inside the arena is detected. */
union widest { /* the alignment in an arena; a long double would need more, and a million nodes would pay for it */
    void *pointer;
    int64_t integer;
    double real;
};
enum { FIRST = 4 << 10, LAST = 1 << 20, ALIGN = alignof(union widest) };

#if defined(__SANITIZE_ADDRESS__)
#define ONE_EACH 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ONE_EACH 1
#endif
#endif
#ifndef ONE_EACH
#define ONE_EACH 0
#endif

struct mx_arena_block {
    struct mx_arena_block *older;
    size_t size; /* bytes after this header */
    alignas(union widest) unsigned char bytes[];
};

void mx_arena_free(struct mx_arena *a)
{
    struct mx_arena_block *b = a->block;
    while (b) {
        struct mx_arena_block *older = b->older;
        mx_free(b);
        b = older;
    }
    mx_budget_release(a->budget, a->total);
    *a = (struct mx_arena){.budget = a->budget};
}

/* Frees the block that *link points to. */
static void drop_block(struct mx_arena *a, struct mx_arena_block **link)
{
    struct mx_arena_block *b = *link;
    *link = b->older;
    a->total -= b->size;
    mx_budget_release(a->budget, b->size);
    mx_free(b);
}

struct mx_arena_mark mx_arena_mark(const struct mx_arena *a)
{
    return (struct mx_arena_mark){a->block, a->block ? a->block->older : NULL, a->used};
}

void mx_arena_rewind(struct mx_arena *a, struct mx_arena_mark mark)
{
    if (!mark.block) {
        mx_arena_free(a);
        return;
    }
    if (a->block != mark.block) {
        a->used = mark.block->size; /* at most */
    }
    while (a->block != mark.block) {
        drop_block(a, &a->block);
    }
    while (a->block->older != mark.older) {
        drop_block(a, &a->block->older);
    }
    memset(a->block->bytes + mark.used, 0, a->used - mark.used);
    a->used = mark.used;
}

void mx_arena_clear(struct mx_arena *a)
{
    struct mx_arena_block *b = a->block;
    if (ONE_EACH || !b || b->size > LAST) {
        mx_arena_free(a);
        return;
    }
    while (b->older) {
        drop_block(a, &b->older);
    }
    memset(b->bytes, 0, a->used);
    a->used = 0;
}

static struct mx_arena_block *new_block(struct mx_arena *a, size_t size)
{
    struct mx_arena_block *b = NULL;
    if (size <= SIZE_MAX - sizeof *b && mx_budget_memory(a->budget, size)) {
        b = mx_calloc(1, sizeof *b + size);
    }
    if (b) {
        b->size = size;
        a->total += size;
    } else {
        a->failed = true;
    }
    if (!b && size <= SIZE_MAX - sizeof *b && mx_budget_status(a->budget) == MX_OK) {
        mx_budget_release(a->budget, size);
    }
    return b;
}

static size_t next_size(const struct mx_arena *a)
{
    return a->total < FIRST ? FIRST : a->total > LAST ? LAST : a->total;
}

void *mx_arena_alloc(struct mx_arena *a, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - ALIGN) / size) {
        return NULL;
    }
    const size_t bytes = count * size;
    const size_t step = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (!ONE_EACH && a->block && step <= a->block->size - a->used) {
        void *p = a->block->bytes + a->used;
        a->used += step;
        return p;
    }
    const size_t fresh = next_size(a);
    if (ONE_EACH || step > fresh / 4) {
        /* A separate block after the newest, which stays in use. */
        struct mx_arena_block *own = new_block(a, ONE_EACH ? bytes : step);
        if (!own) {
            return NULL;
        }
        if (a->block) {
            own->older = a->block->older;
            a->block->older = own;
        } else {
            a->block = own;
            a->used = step;
        }
        return own->bytes;
    }
    struct mx_arena_block *b = new_block(a, fresh);
    if (!b) {
        return NULL;
    }
    b->older = a->block;
    a->block = b;
    a->used = step;
    return b->bytes;
}

void *mx_arena_copy(struct mx_arena *a, const void *data, size_t count, size_t size)
{
    void *p = mx_arena_alloc(a, count, size);
    if (p && count) {
        memcpy(p, data, count * size);
    }
    return p;
}

char *mx_arena_strndup(struct mx_arena *a, const char *s, size_t n)
{
    const char *end = memchr(s, 0, n);
    const size_t length = end ? (size_t)(end - s) : n;
    char *p = mx_arena_alloc(a, length + 1, 1);
    if (p) {
        memcpy(p, s, length);
    }
    return p;
}

char *mx_arena_strdup(struct mx_arena *a, const char *s)
{
    return mx_arena_copy(a, s, strlen(s) + 1, 1);
}

char *mx_arena_vprintf(struct mx_arena *a, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0) {
        return NULL;
    }
    char *p = mx_arena_alloc(a, (size_t)length + 1, 1);
    if (p) {
        vsnprintf(p, (size_t)length + 1, format, args);
    }
    return p;
}

char *mx_arena_printf(struct mx_arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *p = mx_arena_vprintf(a, format, args);
    va_end(args);
    return p;
}

void *mx_arena_again(struct mx_arena *a, void *old, size_t *room, size_t size)
{
    if (old && size <= *room) {
        return old;
    }
    const size_t wanted = size < 2 * *room ? 2 * *room : size;
    void *p = mx_arena_alloc(a, wanted, 1);
    if (p) {
        *room = wanted;
    }
    return p;
}

const char *mx_arena_set_text(struct mx_arena *a, struct mx_arena_text *t, const char *text)
{
    char *p = mx_arena_again(a, t->text, &t->room, strlen(text) + 1);
    if (p) {
        memmove(p, text, strlen(text) + 1); /* it may be the old one itself */
        t->text = p;
    }
    return p;
}
