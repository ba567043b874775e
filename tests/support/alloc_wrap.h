/* The library's allocations. A test lets one of them fail. A program depends on mx2onnx_failing of tests/meson.build for it. */
#ifndef ALLOC_WRAP_H
#define ALLOC_WRAP_H

#include <stdbool.h>
#include <stddef.h>

struct allocations {
    size_t fail_at; /* the call that fails, from 1; 0: none */
    size_t least;   /* bytes of an allocation that may fail */
    bool for_good;  /* and all after it */
    size_t calls;
    bool failed; /* one has */
    long live;   /* blocks that are not freed */
};

extern struct allocations allocations;

/* Counts a call, and says whether it fails. */
bool allocation_fails(size_t count, size_t size);

#endif
