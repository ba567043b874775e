/* The bytes of initialisers, for lib/onnx only: reads and converts elements, and counts what was written. */
#ifndef OX_DATA_H
#define OX_DATA_H

#include "base/io.h"
#include "onnx/ir/ir.h"

/* Reads a whole tensor, for constant folding of small ones: ox_tensor_bytes(t) bytes. */
int ox_tensor_read(const struct ox_tensor *t, void *out) MX_MUST_USE;

/* Converts elements from one type to another, like MXNet's casts (static_cast): to integers by truncation and modulo 2^bits, to bool by
 * comparison with zero; float16 and bfloat16 via float32 (3rdparty/mshadow/mshadow/half.h). `in` and `out` must be aligned for their types
 * and must not overlap. */
void ox_convert(enum mx_dtype from, enum mx_dtype to, const void *in, void *out, size_t n);
/* The same; `clamp`: float32 and float64 are converted to float16 with the clamping of mx_floats_to_halves. */
struct ox_conversion {
    enum mx_dtype from, to;
    bool clamp;
};
void ox_convert_as(struct ox_conversion c, const void *in, void *out, size_t n);

/* Counts the bytes written and reports progress from time to time. A NULL meter counts nothing. */
struct ox_meter {
    uint64_t done, total;
    uint64_t reported; /* `done` at the last progress call */
    mx_progress_fn progress;
    void *user;
};
int ox_meter_add(struct ox_meter *m, uint64_t bytes) MX_MUST_USE; /* CANCELLED if the caller requests it */

/* Writes the bytes of a tensor, in order, to a sink: ranges are copied, types converted, views gathered. */
int ox_tensor_emit(const struct ox_tensor *t, struct mx_sink *to, struct ox_meter *meter) MX_MUST_USE;

/* Reads n elements of a tensor from element `first` on, in its type. */
int ox_tensor_read_some(const struct ox_tensor *t, uint64_t first, size_t n, void *out) MX_MUST_USE;
/* The index of the piece with that element, of a tensor that has pieces. */
int ox_piece_at(const struct ox_tensor *t, uint64_t element);

/* n doubles as elements of type t, as ox_convert. `out` is aligned for t. */
void ox_elements(bool clamp, enum mx_dtype t, const double *v, size_t n, void *out);
/* True if the piece has its own element type. */
static inline bool ox_piece_is_stored(const struct ox_piece *p)
{
    return p->kind == OX_PIECE_RANGE || p->kind == OX_PIECE_FORMULA;
}
/* The number of elements in a piece of t. */
uint64_t ox_piece_elements(const struct ox_tensor *t, const struct ox_piece *p);
/* True if a piece with its own element type must be converted. A bool must be, because a file may contain bytes other than 0 and 1. */
bool ox_piece_converts(const struct ox_tensor *t, const struct ox_piece *p);
/* The number of elements in a tensor; UINT64_MAX on overflow. */
uint64_t ox_tensor_elements(const struct ox_tensor *t);
/* True if none of its bytes are in a file. */
bool ox_tensor_in_memory(const struct ox_tensor *t);

/* True if it is computed from other tensors: such a piece is never split. */
static inline bool ox_piece_computes(const struct ox_piece *p)
{
    return p->kind == OX_PIECE_ROWS || p->kind == OX_PIECE_PRODUCT;
}

/* True if any element of t comes from a product. */
bool ox_has_products(const struct ox_tensor *t);

/* The destination of a view's elements, one block at a time: gather.c makes them, emit.c provides the destinations. */
struct ox_destination {
    int (*put)(struct ox_destination *to, void *block, size_t size, size_t n); /* n elements of `size` bytes; may change them */
    struct mx_sink *sink;
    struct ox_meter *meter;
    uint8_t *memory;
};
int ox_view_put(const struct ox_tensor *view, struct ox_destination *to) MX_MUST_USE; /* a view with elements */

#endif
