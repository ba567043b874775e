/* The bytes of a catalogue: a position that never passes the end. Reading past the end gives 0, and sets `failed`. */
#ifndef MX_CATALOGUE_BYTES_H
#define MX_CATALOGUE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mx_bytes {
    const uint8_t *at, *end;
    bool failed;
};

/* Seven bits per byte, low ones first; at most 35 bits, more than any number here needs. */
static inline uint64_t mx_bytes_varint(struct mx_bytes *b)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 35 && b->at < b->end; shift += 7) {
        const uint8_t byte = *b->at++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            return value;
        }
    }
    b->failed = true;
    b->at = b->end;
    return 0;
}

/* The sign is the lowest bit. */
static inline int64_t mx_bytes_signed(struct mx_bytes *b)
{
    const uint64_t v = mx_bytes_varint(b);
    return v & 1 ? -(int64_t)((v + 1) / 2) : (int64_t)(v / 2);
}

/* An index below `limit`. */
static inline size_t mx_bytes_index(struct mx_bytes *b, size_t limit)
{
    const uint64_t v = mx_bytes_varint(b);
    b->failed |= v >= limit;
    return b->failed ? 0 : (size_t)v;
}

/* The number of items that follow, each of which takes a byte or more. */
static inline size_t mx_bytes_count(struct mx_bytes *b)
{
    const uint64_t v = mx_bytes_varint(b);
    b->failed |= v > (uint64_t)(b->end - b->at);
    return b->failed ? 0 : (size_t)v;
}

#endif
