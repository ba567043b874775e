#include "base/checksum.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/str.h"

enum { SLICES = 8, BLOCK = 256 << 10 };

/* CRC-32, eight bytes at a time: table[k] is the effect of a byte that is followed by k others. */
struct crc {
    uint32_t table[SLICES][256];
    uint32_t value;
};

static void begin(struct crc *c)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t v = i;
        for (int bit = 0; bit < 8; bit++) {
            v = v & 1 ? v >> 1 ^ 0xEDB88320u : v >> 1;
        }
        c->table[0][i] = v;
    }
    for (int k = 1; k < SLICES; k++) {
        for (int i = 0; i < 256; i++) {
            const uint32_t v = c->table[k - 1][i];
            c->table[k][i] = v >> 8 ^ c->table[0][v & 255];
        }
    }
    c->value = UINT32_MAX;
}

static void add(struct crc *c, const uint8_t *data, size_t n)
{
    for (; n >= SLICES; n -= SLICES, data += SLICES) {
        uint32_t v = 0;
        for (int i = 0; i < SLICES; i++) {
            const uint8_t byte = i < 4 ? (uint8_t)(data[i] ^ c->value >> 8 * i) : data[i];
            v ^= c->table[SLICES - 1 - i][byte];
        }
        c->value = v;
    }
    for (; n > 0; n--, data++) {
        c->value = c->value >> 8 ^ c->table[0][(uint8_t)(c->value ^ *data)];
    }
}

static int add_block(struct crc *c, struct mx_source *s, uint64_t offset, size_t size, uint8_t *block)
{
    MX_TRY(mx_source_read(s, offset, block, size));
    add(c, block, size);
    return MX_OK;
}

static int add_samples(struct crc *c, struct mx_source *s, uint8_t *block)
{
    const uint64_t last = mx_source_size(s) - MX_SAMPLE, step = last / (MX_SAMPLES - 1), rest = last % (MX_SAMPLES - 1);
    for (uint64_t i = 0; i < MX_SAMPLES; i++) {
        MX_TRY(add_block(c, s, i * step + i * rest / (MX_SAMPLES - 1), MX_SAMPLE, block));
    }
    return MX_OK;
}

static int add_all(struct crc *c, struct mx_source *s, struct mx_budget *budget, uint8_t *block)
{
    const uint64_t size = mx_source_size(s);
    for (uint64_t done = 0; done < size; done += BLOCK) {
        MX_TRY(mx_tick(budget, BLOCK));
        MX_TRY(add_block(c, s, done, size - done < BLOCK ? (size_t)(size - done) : BLOCK, block));
    }
    return MX_OK;
}

static const char of_samples[] = " of 256 samples";

static bool takes_all(uint64_t size, bool full)
{
    return full || size <= MX_SAMPLES * MX_SAMPLE;
}

static void set_text(uint64_t size, uint32_t crc, bool all, char text[MX_CHECKSUM_TEXT])
{
    snprintf(text, MX_CHECKSUM_TEXT, "%llu bytes, crc32 %08lx%s", (unsigned long long)size, (unsigned long)crc, all ? "" : of_samples);
}

void mx_checksum_unknown(uint64_t size, bool full, char text[MX_CHECKSUM_TEXT])
{
    set_text(size, 0, takes_all(size, full), text);
}

int mx_checksum(struct mx_source *s, bool full, struct mx_budget *budget, char text[MX_CHECKSUM_TEXT])
{
    const uint64_t size = mx_source_size(s);
    const bool all = takes_all(size, full);
    uint8_t *block = mx_calloc(BLOCK, 1);
    MX_TRY_ALLOC(block);
    struct crc c;
    begin(&c);
    const int status = all ? add_all(&c, s, budget, block) : add_samples(&c, s, block);
    mx_free(block);
    MX_TRY(status);
    set_text(size, c.value ^ UINT32_MAX, all, text);
    return MX_OK;
}

bool mx_checksum_is_full(const char *text)
{
    return !mx_ends_with(text, of_samples);
}
