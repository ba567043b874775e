/* Memory that is freed all at once: a model's, or an export's. */
#ifndef MX_BASE_ARENA_H
#define MX_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct mx_budget;
struct mx_arena_block;
struct mx_arena {
    struct mx_budget *budget;     /* charged for the memory; NULL: none */
    struct mx_arena_block *block; /* the newest */
    size_t used;                  /* bytes used in it */
    size_t total;                 /* bytes of all blocks, for reports */
    bool failed;                  /* memory ran out once, for callers that only see "false" */
};

/* A zeroed struct mx_arena is an empty arena; so is a freed one, with its budget. */
void mx_arena_free(struct mx_arena *a);
/* Frees what is in it, but keeps a block for what comes next. */
void mx_arena_clear(struct mx_arena *a);

/* Frees what was allocated since the mark was taken. */
struct mx_arena_mark {
    struct mx_arena_block *block, *older; /* the newest, and the one before it */
    size_t used;
};
struct mx_arena_mark mx_arena_mark(const struct mx_arena *a);
void mx_arena_rewind(struct mx_arena *a, struct mx_arena_mark mark);

/* Zeroed, aligned memory for count items; NULL when memory runs out. count 0 gives a valid pointer. */
void *mx_arena_alloc(struct mx_arena *a, size_t count, size_t size);
void *mx_arena_copy(struct mx_arena *a, const void *data, size_t count, size_t size);
char *mx_arena_strdup(struct mx_arena *a, const char *s);
char *mx_arena_strndup(struct mx_arena *a, const char *s, size_t n);
char *mx_arena_printf(struct mx_arena *a, const char *format, ...) MX_PRINTF(2, 3);
char *mx_arena_vprintf(struct mx_arena *a, const char *format, va_list args) MX_PRINTF(2, 0);

/* Memory for something that is set again and again: `old`, which has *room bytes, if that is enough, or else new memory, larger by so much
 * that all of it together is bounded by the largest size. The contents are not kept. */
void *mx_arena_again(struct mx_arena *a, void *old, size_t *room, size_t size);
/* A text of this kind. */
struct mx_arena_text {
    char *text;
    size_t room;
};
/* NULL when memory runs out; then the text is as it was. */
const char *mx_arena_set_text(struct mx_arena *a, struct mx_arena_text *t, const char *text);

#define MX_ARENA_NEW(a, type) ((type *)mx_arena_alloc((a), 1, sizeof(type)))
#define MX_ARENA_ARRAY(a, type, n) ((type *)mx_arena_alloc((a), (n), sizeof(type)))

#endif
