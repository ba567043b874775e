/* The resource limits of a model, and its caller's wish to cancel: one for each model. Arenas are charged automatically; long loops
 * call mx_tick. Once a limit is exceeded both fail until the next call of the API, and api.c turns that into one error. lib/LIMITS.md has
 * the numbers. A NULL budget has no limits. */
#ifndef MX_BASE_BUDGET_H
#define MX_BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { MX_LIMIT_MEMORY, MX_LIMIT_EXPANSION, MX_LIMIT_NODES, MX_LIMIT_OUTPUT, MX_LIMITS };

struct mx_budget {
    uint64_t limits[MX_LIMITS];
    uint64_t input;            /* bytes of loaded files, with which each limit grows */
    uint64_t memory, expanded; /* bytes held by arenas, arrays, texts and windows; bytes that archives and sparse arrays became */
    uint64_t nodes;            /* in the current export */
    uint64_t work, next;       /* work done; work at which the caller is asked again */
    int status;                /* CANCELLED or TOO_LARGE: the call must end; otherwise MX_OK */
    int limit;                 /* TOO_LARGE: the limit */
    uint64_t most;             /* what it allows */
    const char *node;          /* and the node */
    int32_t phase;             /* MX2ONNX_PHASE_... */
    mx_progress_fn progress;
    void *user;
};

void mx_budget_init(struct mx_budget *b);
/* Starts a call: clears the status of the previous one. */
void mx_budget_begin(struct mx_budget *b);
/* Asks the caller now. */
int mx_budget_ask(struct mx_budget *b);
/* False if the limit is exceeded, which sticks. The caller gives back the memory that it frees. */
bool mx_budget_memory(struct mx_budget *b, uint64_t bytes);
void mx_budget_release(struct mx_budget *b, uint64_t bytes);
/* Counts memory that has its own bound, and that is needed to say that another limit is exceeded. */
void mx_budget_count(struct mx_budget *b, uint64_t bytes);
/* Grows an array outside arenas, charged to the budget: `old` from `was` items to `count`; without an old one all items are zeroed.
 * NULL if the limit is exceeded or memory runs out; then `old` stays as it is. */
void *mx_budget_array(struct mx_budget *b, void *old, size_t was, size_t count, size_t size);
void mx_budget_array_free(struct mx_budget *b, void *array, size_t count, size_t size);
/* Makes room for one more item in such an array, which at least doubles: `array` is the address of the pointer to its first item, and
 * `size` that of an item. Without a budget it is not counted. OUT_OF_MEMORY; then the array stays as it is. */
int mx_grow(struct mx_budget *b, void *array, size_t count, size_t *capacity, size_t size) MX_MUST_USE;
bool mx_budget_expand(struct mx_budget *b, uint64_t bytes);
bool mx_budget_node(struct mx_budget *b);
bool mx_budget_output(struct mx_budget *b, uint64_t bytes);

static inline int mx_budget_status(const struct mx_budget *b)
{
    return b ? b->status : MX_OK;
}

/* Counts steps of long work; 16 million take about 10 ms. MX_OK, or the status that ends the call. */
static inline int mx_tick(struct mx_budget *b, uint64_t work)
{
    MX_ASSERT(work < UINT64_C(1) << 56); /* or it is a negative number, and takes back what was counted */
    if (!b) {
        return MX_OK;
    }
    b->work += work;
    return b->work < b->next ? b->status : mx_budget_ask(b);
}

/* The same where the work cannot end: the next mx_tick does, or mx_budget_status. */
static inline void mx_count_work(struct mx_budget *b, uint64_t work)
{
    (void)!mx_tick(b, work);
}

enum {
    MX_TICK_NODE = 1 << 12,  /* the work of visiting a node */
    MX_TICK_VALUE = 1 << 10, /* of a value that it makes */
    MX_TICK_ITEM = 1 << 7    /* and of one look at either */
};

/* A look at something and at each of its parts; n may be 0. */
static inline int mx_tick_parts(struct mx_budget *b, size_t n)
{
    return mx_tick(b, MX_TICK_ITEM * (1 + (uint64_t)n));
}

#endif
