/* One hash for all tables: multiply and fold. Keys that a file chooses need a start that the file cannot know. */
#ifndef MX_BASE_HASH_H
#define MX_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t mx_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

static inline uint64_t mx_mix_bytes(uint64_t hash, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    for (size_t i = 0; i < n; i++) {
        hash = mx_mix(hash, p[i]);
    }
    return hash;
}

#endif
