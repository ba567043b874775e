/* The bytes of initialisers, for lib/onnx only: reading and converting elements, counting what was written. */
#ifndef OX_DATA_H
#define OX_DATA_H

#include "base/io.h"
#include "onnx/ir/ir.h"

/* The bytes of a tensor, in order, to a sink: ranges copied, types converted, views gathered. */
int ox_tensor_write(const struct ox_tensor *t, struct mx_sink *to) MX_MUST_USE;
/* All of a tensor at once, for constant folding of small ones: ox_tensor_bytes(t) bytes. */
int ox_tensor_read(const struct ox_tensor *t, void *out) MX_MUST_USE;

/* Elements of one type to another, as MXNet casts (static_cast): to integers toward zero and modulo 2^bits, to bool
 * whatever is not zero; float16 and bfloat16 by way of float32 (3rdparty/mshadow/mshadow/half.h). `in` and `out` are
 * aligned for their types and do not overlap. */
void ox_convert(enum mx_dtype from, enum mx_dtype to, const void *in, void *out, size_t n);
/* The same; `clamp`: what float32 and float64 hold comes to float16 as mx_floats_to_halves clamps it. */
struct ox_conversion {
    enum mx_dtype from, to;
    bool clamp;
};
void ox_convert_as(struct ox_conversion c, const void *in, void *out, size_t n);

/* Counts what was written and reports progress now and then. A NULL meter counts nothing. */
struct ox_meter {
    uint64_t done, total;
    uint64_t told; /* `done` at the last call */
    mx2onnx_progress_fn progress;
    void *user;
};
int ox_meter_add(struct ox_meter *m, uint64_t bytes) MX_MUST_USE; /* CANCELLED if the caller says so */

/* ox_tensor_write with a meter. */
int ox_tensor_emit(const struct ox_tensor *t, struct mx_sink *to, struct ox_meter *meter) MX_MUST_USE;

/* Elements of a tensor by position, in its type. Remembers the piece that it read last. */
struct ox_reader {
    const struct ox_tensor *tensor;
    int piece;
    uint64_t piece_first; /* number of the first element of that piece */
};
int ox_reader_read(struct ox_reader *r, uint64_t first, size_t n, void *out) MX_MUST_USE;

/* v as an element of type t: cut at the ends of an integer type, where a C cast would be undefined. */
void ox_element(bool clamp, enum mx_dtype t, double v, uint8_t out[8]);
/* True if the piece has a type of its own for its elements. */
static inline bool ox_piece_is_stored(const struct ox_piece *p)
{
    return p->kind == OX_PIECE_RANGE || p->kind == OX_PIECE_FORMULA;
}
/* Elements of a piece of t. */
uint64_t ox_piece_elements(const struct ox_tensor *t, const struct ox_piece *p);
/* True if a stored piece has to be converted. A bool has to, because a file may contain bytes other than 0 and 1. */
bool ox_piece_converts(const struct ox_tensor *t, const struct ox_piece *p);
/* Elements of a tensor; UINT64_MAX if they cannot be counted. */
uint64_t ox_tensor_elements(const struct ox_tensor *t);
/* No byte of it is in a file. */
bool ox_tensor_in_memory(const struct ox_tensor *t);

/* True if it is computed from other tensors: then it is never split into parts. */
static inline bool ox_piece_computes(const struct ox_piece *p)
{
    return p->kind == OX_PIECE_ROWS || p->kind == OX_PIECE_PRODUCT;
}

/* True if an element of t is a product. */
bool ox_has_products(const struct ox_tensor *t);

/* Where the elements of a view go, a block at a time: gather.c makes them, emit.c has the places. */
struct ox_target {
    int (*put)(struct ox_target *target, void *block, size_t size, size_t n); /* n elements of `size` bytes; may change them */
    struct mx_sink *sink;
    struct ox_meter *meter;
    uint8_t *memory;
};
int ox_view_put(const struct ox_tensor *view, struct ox_target *target) MX_MUST_USE;

#endif
