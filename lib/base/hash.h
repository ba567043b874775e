/* One hash for all tables: multiply and fold. Keys that a file chooses need a start that the file cannot know, and are taken byte by byte:
 * in words of 8 bytes, differences of two words could be chosen so that they cancel each other whatever the start is. */
#ifndef MX_BASE_HASH_H
#define MX_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define MX_MIX_STEP(hash, value) ((hash) = ((hash) ^ (value)) * UINT64_C(0x9E3779B97F4A7C15), (hash) ^= (hash) >> 32)

static inline uint64_t mx_mix(uint64_t hash, uint64_t value)
{
    MX_MIX_STEP(hash, value);
    return hash;
}

static inline uint64_t mx_mix_bytes(uint64_t hash, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    for (size_t i = 0; i < n; i++) {
        MX_MIX_STEP(hash, p[i]);
    }
    return hash;
}

#endif
