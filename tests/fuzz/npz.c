/* An archive of arrays that the bytes describe, so that sums and headers are right where they are not meant to be wrong:
 * records {flags, length of the name, name, length of the data (2), data}; the data are the bytes of a member, or begin with
 * an array's header: {descr, order, rank, dims...}. The stated size and sum of a member may be wrong; members may be deflated and share bytes. */
#include <stdio.h>
#include <string.h>

#include "../support/params.h"
#include "base/alloc.h"
#include "base/budget.h"
#include "model.h"

enum { MOST = 64, ROOM = 1 << 16 };
enum { NPY = 1, DEFLATED = 2, WRONG_SUM = 4, WRONG_SIZE = 8, SHARED = 16, NAMED_NPY = 32 };

struct zip {
    uint8_t data[2 * ROOM], directory[ROOM];
    size_t size, directory_size;
    uint32_t offset; /* of the member before */
    unsigned count;
};

static void put(uint8_t *to, size_t *at, size_t room, const void *data, size_t size)
{
    if (size <= room - *at) {
        memcpy(to + *at, data, size);
        *at += size;
    }
}

static void number(uint8_t *to, size_t *at, size_t room, uint64_t value, size_t size)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(value >> 8 * i);
    }
    put(to, at, room, bytes, size);
}

static uint32_t sum_of(const uint8_t *data, size_t size)
{
    uint32_t sum = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        sum ^= data[i];
        for (int k = 0; k < 8; k++) {
            sum = sum >> 1 ^ (sum & 1 ? UINT32_C(0xedb88320) : 0);
        }
    }
    return ~sum;
}

/* The fields that a member's two headers have in common. */
static void put_fields(uint8_t *to, size_t *at, size_t room, unsigned flags, uint32_t sum, uint32_t packed, uint32_t size, size_t name)
{
    number(to, at, room, 20, 2);
    number(to, at, room, 0, 2);
    number(to, at, room, flags & DEFLATED ? 8 : 0, 2);
    number(to, at, room, 0x21, 4);
    number(to, at, room, flags & WRONG_SUM ? sum + 1 : sum, 4);
    number(to, at, room, packed, 4);
    number(to, at, room, flags & WRONG_SIZE ? size * 3 + 1 : size, 4);
    number(to, at, room, name, 2);
    number(to, at, room, 0, 2);
}

static void put_member(struct zip *z, unsigned flags, const char *name, const uint8_t *data, size_t size)
{
    const size_t length = strlen(name), packed = flags & DEFLATED ? size + 5 : size;
    const uint32_t sum = sum_of(data, size);
    if (!(flags & SHARED) || z->count == 0) {
        z->offset = (uint32_t)z->size;
        put(z->data, &z->size, ROOM, "PK\3\4", 4);
        put_fields(z->data, &z->size, ROOM, flags, sum, (uint32_t)packed, (uint32_t)size, length);
        put(z->data, &z->size, ROOM, name, length);
        if (flags & DEFLATED) { /* one block, stored */
            number(z->data, &z->size, ROOM, 1, 1);
            number(z->data, &z->size, ROOM, size, 2);
            number(z->data, &z->size, ROOM, ~size & 0xffff, 2);
        }
        put(z->data, &z->size, ROOM, data, size);
    }
    put(z->directory, &z->directory_size, ROOM, "PK\1\2\x14\0", 6);
    put_fields(z->directory, &z->directory_size, ROOM, flags, sum, (uint32_t)packed, (uint32_t)size, length);
    number(z->directory, &z->directory_size, ROOM, 0, 8);
    number(z->directory, &z->directory_size, ROOM, 0, 2);
    number(z->directory, &z->directory_size, ROOM, z->offset, 4);
    put(z->directory, &z->directory_size, ROOM, name, length);
    z->count++;
}

static size_t finish(struct zip *z)
{
    const size_t begin = z->size;
    put(z->data, &z->size, sizeof z->data, z->directory, z->directory_size);
    put(z->data, &z->size, sizeof z->data, "PK\5\6\0\0\0", 8);
    number(z->data, &z->size, sizeof z->data, z->count, 2);
    number(z->data, &z->size, sizeof z->data, z->count, 2);
    number(z->data, &z->size, sizeof z->data, z->size - begin - 12, 4);
    number(z->data, &z->size, sizeof z->data, begin, 4);
    number(z->data, &z->size, sizeof z->data, 0, 2);
    return z->size;
}

/* An array's header, then what is left of the data as its bytes. */
static size_t make_npy(uint8_t *to, size_t room, struct fuzz_bytes *b)
{
    static const char *const descr[] = {"<f4", "<f8", "<f2", "|u1", "<i4", "|i1", "<i8", "|b1", "<i2",  "<u2", "<u4",
                                        "<u8", ">f4", ">i8", "=f4", "|S3", "<c8", "<b2", "|V2", "<f16", "<m8", "O"};
    char text[512];
    size_t size = 0;
    const unsigned type = fuzz_below(b, sizeof descr / sizeof *descr), order = fuzz_below(b, 4), rank = fuzz_below(b, 10);
    int n = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': (", descr[type],
                     order == 1   ? "True"
                     : order == 2 ? "Maybe"
                                  : "False");
    for (unsigned i = 0; i < rank && n > 0; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "%lld,%s", (long long)fuzz_size(b), i % 2 ? " " : "");
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "), }\n");
    put(to, &size, room, order == 3 ? "\x93NUMPY\2\0" : "\x93NUMPY\1\0", 8);
    number(to, &size, room, (uint64_t)n, order == 3 ? 4 : 2);
    put(to, &size, room, text, (size_t)n);
    put(to, &size, room, b->at, b->left);
    return size;
}

static void read_all(const struct mx_params *p)
{
    unsigned char block[4096];
    for (size_t i = 0; i < p->count; i++) {
        const struct mx_param *param = p->items[i];
        fuzz_expect(mx_params_find(p, param->name) == param);
        for (uint64_t at = 0; at < param->length; at += sizeof block) {
            const uint64_t left = param->length - at;
            const size_t n = left < sizeof block ? (size_t)left : sizeof block;
            fuzz_expect(mx_source_read(param->source, param->offset + at, block, n) == MX_OK);
        }
    }
}

static void read_archive(const uint8_t *data, size_t size)
{
    struct mx_arena arena = {0};
    struct mx_budget budget = {0};
    mx_budget_init(&budget);
    budget.limits[MX_LIMIT_EXPANSION] = 1 << 20;
    struct mx_diags diags = {.budget = &budget};
    struct mx_params params = {.arena = &arena, .diags = &diags};
    struct mx_source *source;
    if (mx_source_open_memory(&source, data, size, false) == MX_OK) {
        const int status = add_params(&params, source, "fuzz");
        fuzz_expect((status == MX_OK || diags.errors > 0 || budget.status == MX_TOO_LARGE) && status != MX_INTERNAL);
        fuzz_expect(status == MX_OK || params.count == 0);
        read_all(&params);
    }
    mx_params_free(&params);
    mx_diags_free(&diags);
    mx_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t member[1 << 14];
    struct zip *z = calloc(1, sizeof *z);
    struct fuzz_bytes b = {data, size};
    while (z && b.left > 0 && z->count < MOST) {
        char name[80];
        const unsigned flags = fuzz_byte(&b), length = fuzz_below(&b, 64);
        const size_t taken = length < b.left ? length : b.left;
        memcpy(name, b.at, taken);
        name[taken] = 0;
        b.at += taken;
        b.left -= taken;
        size_t n = fuzz_byte(&b);
        n |= (size_t)fuzz_byte(&b) << 8;
        n = n < b.left ? n : b.left;
        struct fuzz_bytes inner = {b.at, n};
        b.at += n;
        b.left -= n;
        if (flags & NAMED_NPY) {
            memcpy(name + strlen(name), ".npy", 5);
        }
        if (flags & NPY) {
            const size_t made = make_npy(member, sizeof member, &inner);
            put_member(z, flags, name, member, made);
        } else {
            put_member(z, flags, name, inner.at, inner.left);
        }
    }
    if (z) {
        read_archive(z->data, finish(z));
    }
    free(z);
    return 0;
}
