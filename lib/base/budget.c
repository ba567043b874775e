#include "base/budget.h"

#include <string.h>

#include "base/alloc.h"

/* Indexed by MX_LIMIT_...: a base, and what each byte of input adds. */
static const struct {
    uint64_t base, each;
} defaults[MX_LIMITS] = {
    [MX_LIMIT_MEMORY] = {UINT64_C(64) << 20, 64},
    [MX_LIMIT_EXPANSION] = {UINT64_C(64) << 20, 64},
    [MX_LIMIT_NODES] = {UINT64_C(1) << 20, 1},
    [MX_LIMIT_OUTPUT] = {UINT64_C(4) << 30, 64},
};

enum { PERIOD = 1 << 22, NODE_BYTES = 1 << 10 };

void mx_budget_init(struct mx_budget *b)
{
    *b = (struct mx_budget){0};
    for (int i = 0; i < MX_LIMITS; i++) {
        b->limits[i] = defaults[i].base;
    }
}

void mx_budget_begin(struct mx_budget *b)
{
    b->status = MX_OK;
    b->node = NULL;
    b->phase = MX2ONNX_PHASE_OTHER;
    b->work = b->next = 0;
}

int mx_budget_ask(struct mx_budget *b)
{
    if (!b) {
        return MX_OK;
    }
    b->next = b->work + PERIOD;
    if (b->status == MX_OK && b->progress && b->progress(0, 0, b->user)) {
        b->status = MX_CANCELLED;
    }
    return b->status;
}

/* True if `used` exceeds the limit, the input's share and `more` together. */
static bool goes_over(struct mx_budget *b, int limit, uint64_t used, uint64_t more)
{
    const uint64_t share = b->input > UINT64_MAX / 128 ? UINT64_MAX / 2 : b->input * defaults[limit].each;
    const uint64_t base = b->limits[limit] > UINT64_MAX / 4 ? UINT64_MAX / 4 : b->limits[limit];
    if (used <= base + share + more) {
        return false;
    }
    if (b->status == MX_OK) {
        b->status = MX_TOO_LARGE;
        b->limit = limit;
        b->most = base + share + more;
    }
    return true;
}

bool mx_budget_memory(struct mx_budget *b, uint64_t bytes)
{
    if (!b) {
        return true;
    }
    b->memory += bytes;
    if (goes_over(b, MX_LIMIT_MEMORY, b->memory, b->nodes * NODE_BYTES) || mx_tick(b, bytes) != MX_OK) {
        b->memory -= bytes;
        return false;
    }
    return true;
}

void mx_budget_count(struct mx_budget *b, uint64_t bytes)
{
    if (b) {
        b->memory += bytes;
    }
}

void mx_budget_release(struct mx_budget *b, uint64_t bytes)
{
    if (b) {
        b->memory -= bytes < b->memory ? bytes : b->memory;
    }
}

void *mx_budget_array(struct mx_budget *b, void *old, size_t was, size_t count, size_t size)
{
    if (!mx_budget_memory(b, (count - was) * size)) {
        return NULL;
    }
    void *array = old ? mx_realloc(old, count, size) : mx_calloc(count, size);
    if (!array) {
        mx_budget_release(b, (count - was) * size);
    }
    return array;
}

void mx_budget_array_free(struct mx_budget *b, void *array, size_t count, size_t size)
{
    if (array) {
        mx_free(array);
        mx_budget_release(b, count * size);
    }
}

int mx_grow(struct mx_budget *b, void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) {
        return MX_OK;
    }
    void *items; /* a copy, since `array` points to a pointer of another type */
    memcpy(&items, array, sizeof items);
    const size_t wanted = *capacity ? *capacity * 2 : 8;
    items = mx_budget_array(b, items, *capacity, wanted, size);
    MX_TRY_ALLOC(items);
    memcpy(array, &items, sizeof items);
    *capacity = wanted;
    return MX_OK;
}

bool mx_budget_expand(struct mx_budget *b, uint64_t bytes)
{
    if (!b) {
        return true;
    }
    if (goes_over(b, MX_LIMIT_EXPANSION, b->expanded + bytes, 0)) {
        return false;
    }
    b->expanded += bytes;
    return mx_tick(b, bytes) == MX_OK;
}

bool mx_budget_node(struct mx_budget *b)
{
    return !b || (!goes_over(b, MX_LIMIT_NODES, ++b->nodes, 0) && mx_tick(b, MX_TICK_NODE) == MX_OK);
}

bool mx_budget_output(struct mx_budget *b, uint64_t bytes)
{
    return !goes_over(b, MX_LIMIT_OUTPUT, bytes, 0) && mx_budget_ask(b) == MX_OK;
}
