/* The builder: what an operator's `lower` calls to write ONNX.
 *
 * - A call returns a value number. Errors stick: after one the calls of this node do nothing and return OX_NONE, so
 *   `lower` is straight-line code. The walk records the error and starts the next node clean.
 * - The builder uses the newest form of every ONNX operator; the form of the requested opset (axes as attribute or input and
 *   so on) is written at the end. An operator only asks ox_has(b, OX_LayerNormalization), and otherwise decomposes itself.
 * - Every value has a type and a shape (dims may be names). The builder infers those of helper values and drops nodes that have
 *   no effect: a Cast to the same type, a Reshape to the same shape, an identity Transpose, a Transpose of a Transpose. Casts
 *   around nodes whose type has no kernel in ONNX Runtime's CPU provider are also added at the end.
 * - What is known at export is computed at export: rearranging an initialiser (reshape, transpose, slice, concat, cast) makes
 *   another view of it, and arithmetic on small integer constants is done here.
 */
#ifndef OX_BUILD_H
#define OX_BUILD_H

#include "onnx/values/values.h"

/* ---- sizes at run time */

/* int64 (1): the size of a dim, a constant or Shape/Gather/arithmetic, written once per dim and model. */
ox_val ox_dim(struct ox_build *b, mx_dim d);
/* int64 (n): all of them. */
ox_val ox_dims(struct ox_build *b, const mx_dim *d, int n);

/* ---- nodes */

/* Any ONNX node in its newest form, with one output. */
ox_val ox_node(struct ox_build *b, enum ox_op op, const ox_val *in, const struct ox_attr *attrs);
/* The same, of a shape that the builder cannot find: the sizes are computed, or depend on the data. */
ox_val ox_shaped(struct ox_build *b, enum ox_op op, const ox_val *in, const struct ox_attr *attrs, struct mx_shape s);
/* With n outputs. */
void ox_node_n(struct ox_build *b, enum ox_op op, const ox_val *in, const struct ox_attr *attrs, ox_val *out, int n);
/* A node of another domain, about which nothing is known: ox_typed gives its outputs their types. */
void ox_foreign_n(struct ox_build *b, const char *domain, const char *type, const ox_val *in, const struct ox_attr *attrs, ox_val *out,
                  int n);

ox_val ox_unary(struct ox_build *b, enum ox_op op, ox_val x);
/* Elementwise with broadcasting; both have the same type. */
ox_val ox_binary(struct ox_build *b, enum ox_op op, ox_val x, ox_val y);
ox_val ox_cast(struct ox_build *b, ox_val x, enum mx_dtype t);

#define ox_add(b, x, y) ox_binary((b), OX_Add, (x), (y))
#define ox_sub(b, x, y) ox_binary((b), OX_Sub, (x), (y))
#define ox_mul(b, x, y) ox_binary((b), OX_Mul, (x), (y))
#define ox_div(b, x, y) ox_binary((b), OX_Div, (x), (y))

/* Axes may be negative in all of these. */
ox_val ox_transpose(struct ox_build *b, ox_val x, const int64_t *perm, int n);
ox_val ox_swap_axes(struct ox_build *b, ox_val x, int a1, int a2);
/* Moves axis `from` to position `to`, like numpy.moveaxis. */
static inline ox_val ox_move_axis(struct ox_build *b, ox_val x, int from, int to)
{
    struct mx_int_list perm = ox_no_ints(b);
    for (int i = 0, rest = 0; i < ox_rank(b, x); i++) {
        rest += rest == from;
        mx_push_int(&perm, i == to ? from : rest++);
    }
    return ox_transpose(b, x, perm.v, perm.n);
}
/* To dims that may be dynamic: writes 0, -1 or a computed shape, whichever takes the fewest nodes. */
ox_val ox_reshape(struct ox_build *b, ox_val x, const mx_dim *dims, int ndim);
ox_val ox_reshape_shape(struct ox_build *b, ox_val x, struct mx_shape s);
bool ox_can_reshape(struct ox_build *b, struct mx_shape from, struct mx_shape to); /* false if the model cannot compute the sizes */
/* With plain numbers and one -1 allowed; 0 copies as in ONNX. */
ox_val ox_reshape_ints(struct ox_build *b, ox_val x, const int64_t *dims, int ndim);
ox_val ox_flat(struct ox_build *b, ox_val x); /* of rank 1 */
ox_val ox_unsqueeze(struct ox_build *b, ox_val x, const int64_t *axes, int n);
/* Inserts `count` axes of size 1 before axis `at`, which may be negative in the result. */
static inline ox_val ox_insert_axes(struct ox_build *b, ox_val x, int at, int count)
{
    struct mx_int_list axes = ox_no_ints(b);
    for (int i = 0; i < count; i++) {
        mx_push_int(&axes, at + i);
    }
    return ox_unsqueeze(b, x, axes.v, axes.n);
}
ox_val ox_squeeze(struct ox_build *b, ox_val x, const int64_t *axes, int n);
/* Appends axes of size 1 to a vector, so that it broadcasts along `axis` of data of this rank. */
ox_val ox_along(struct ox_build *b, ox_val vector, int axis, int rank);
#define ox_unsqueeze1(b, x, axis) ox_unsqueeze((b), (x), (const int64_t[]){(axis)}, 1)
#define ox_squeeze1(b, x, axis) ox_squeeze((b), (x), (const int64_t[]){(axis)}, 1)
/* The size of a dim as a scalar. */
static inline ox_val ox_dim_as(struct ox_build *b, mx_dim d, enum mx_dtype t)
{
    return ox_cast(b, ox_squeeze1(b, ox_dim(b, d), 0), t);
}
/* 0, 1, ... size - 1 as int64 (size). */
static inline ox_val ox_range(struct ox_build *b, mx_dim size)
{
    const ox_val end = ox_dim_as(b, size, MX_INT64);
    const ox_val x = ox_node(b, OX_Range, OX_IN(ox_scalar(b, MX_INT64, 0), end, ox_scalar(b, MX_INT64, 1)), OX_NO_ATTRS);
    ox_typed(b, x, MX_INT64, (struct mx_shape){1, &size});
    return x;
}
/* True if x is known to have no elements. */
static inline bool ox_is_empty(struct ox_build *b, ox_val x)
{
    return mx_shape_is_empty(ox_dims_table(b), ox_shape(b, x));
}
ox_val ox_expand(struct ox_build *b, ox_val x, const mx_dim *dims, int ndim);
/* The value that x repeats, or else x itself: for a reader that broadcasts. */
ox_val ox_core(struct ox_build *b, ox_val x);
ox_val ox_concat(struct ox_build *b, const ox_val *x, int n, int axis);
/* Numbers; INT64_MAX and INT64_MIN + 1 mean "to the end" in the direction of the step. steps may be NULL: ones. */
ox_val ox_slice(struct ox_build *b, ox_val x, const int64_t *starts, const int64_t *ends, const int64_t *axes, const int64_t *steps, int n);
ox_val ox_slice1(struct ox_build *b, ox_val x, int axis, int64_t start, int64_t end);
/* Spans of a vector, one after the other, as a value of these dims. An empty span ends the list. */
ox_val ox_spans(struct ox_build *b, ox_val x, const struct ox_span *spans, const int64_t *dims, int ndim);
/* Reverses the order along each axis. */
ox_val ox_reverse(struct ox_build *b, ox_val x, const int64_t *axes, int n);
/* Sizes that may be dynamic: [0, size) of one axis. */
ox_val ox_slice_dims(struct ox_build *b, ox_val x, const int64_t *axes, const mx_dim *starts, const mx_dim *ends, int n);
void ox_split(struct ox_build *b, ox_val x, int axis, const int64_t *sizes, int n, ox_val *out);
/* n parts of an axis whose size is known at run time only. `equal`: a size that is not a multiple of n is an error then; otherwise the
 * first parts are longer by one. */
struct ox_sections {
    int axis, n;
    bool equal;
};
void ox_split_sections(struct ox_build *b, ox_val x, struct ox_sections s, ox_val *out);
ox_val ox_gather(struct ox_build *b, ox_val x, ox_val indices, int axis);
ox_val ox_tile(struct ox_build *b, ox_val x, const int64_t *repeats, int n);
/* Each pixel of an image (N, C, H, W) as so many rows and columns: one Resize. */
ox_val ox_enlarge(struct ox_build *b, ox_val x, int64_t rows, int64_t columns);
/* The same for one axis of float32, which is the width, or the height of what this has made: both are one node. Otherwise OX_NONE. */
ox_val ox_repeat_pixels(struct ox_build *b, ox_val x, int axis, int64_t repeats);
/* begins and ends per axis, `mode` constant | edge | reflect; value of x's type for constant. */
ox_val ox_pad(struct ox_build *b, ox_val x, const int64_t *begin, const int64_t *end, int n, const char *mode, double value);
/* OX_ReduceSum, OX_ReduceMean, ...; n < 0: all axes. */
ox_val ox_reduce(struct ox_build *b, enum ox_op op, ox_val x, const int64_t *axes, int n, bool keepdims);
/* OX_ArgMax or OX_ArgMin. The axis is written as a number from 0: with a negative one ONNX Runtime gives an empty x its own
 * shape. */
ox_val ox_arg(struct ox_build *b, enum ox_op op, ox_val x, int64_t axis, bool keepdims);
/* Mean and variance over axes, which are kept with size 1; returns x minus the mean. */
ox_val ox_moments(struct ox_build *b, ox_val x, const int64_t *axes, int n, ox_val *mean, ox_val *variance);
ox_val ox_matmul(struct ox_build *b, ox_val x, ox_val y);
/* For the result of a Transpose that reaches a MatMul through other nodes; ox_matmul does this for its own inputs. ONNX Runtime
 * fuses a MatMul with a Transpose that moves axis 0 among the last two axes, and the fused kernel divides by the size of that
 * axis: if the size may be 0 at run time, a Reshape that changes nothing is put between them. Otherwise returns x. */
ox_val ox_apart(struct ox_build *b, ox_val x);
/* Along one axis, at every opset. OX_Softmax or OX_LogSoftmax. */
ox_val ox_softmax(struct ox_build *b, enum ox_op op, ox_val x, int axis);
/* condition is bool. Works on every type. */
ox_val ox_where(struct ox_build *b, ox_val condition, ox_val x, ox_val y);
/* lo or hi may be OX_NONE; scalars of x's type. */
ox_val ox_clip(struct ox_build *b, ox_val x, ox_val lo, ox_val hi);
/* x, of any type, as indices for ONNX, int64 or int32: truncated toward zero and clamped to 0 .. size - 1. */
ox_val ox_index(struct ox_build *b, ox_val x, int64_t size);
/* Rounds halves away from zero, like C's round; ONNX's Round rounds them to even. */
ox_val ox_round_away(struct ox_build *b, ox_val x);
/* x times a number; x itself if that is 1. */
ox_val ox_scaled(struct ox_build *b, ox_val x, double factor);
/* sign(x) |x|^power, for odd roots of negative numbers, for which Pow returns NaN. */
ox_val ox_signed_pow(struct ox_build *b, ox_val x, double power);
/* x != 0 as bool; a bool is returned as it is. */
ox_val ox_is_true(struct ox_build *b, ox_val x);
/* y for a division of integers that a runtime survives: 1 instead of 0, and instead of -1, whose quotient of the lowest number ends the
 * process. y itself if it has neither. */
ox_val ox_divisor(struct ox_build *b, ox_val y);
/* The remainder of a division, with the sign of the divisor, and 0 for a divisor of 0: MXNet's mod. */
ox_val ox_mod(struct ox_build *b, ox_val x, ox_val y);

/* ---- quantised values (quant.c) */

/* The larger magnitude of a range, float () from two float (1). */
ox_val ox_reach(struct ox_build *b, ox_val low, ox_val high);
/* True if the level is known only at run time, which the target does not accept. */
bool ox_is_late(struct ox_build *b, ox_val level);
/* x / level, rounded half to even and saturated to uint8 or int8. level is a float (). */
ox_val ox_quantize(struct ox_build *b, ox_val x, ox_val level, enum mx_dtype t);
/* The floats that the integers x represent: level is a float (), or (n) for the n rows of x (axis 0). */
ox_val ox_dequantize(struct ox_build *b, ox_val x, ox_val level);
/* The elements of an initialiser, including a weight in a file. False if x is not one or does not have n elements. */
bool ox_read_floats(struct ox_build *b, ox_val x, float *out, int64_t n);
/* The largest magnitude of each row (axis 0) of an initialiser; false if x is not one. */
bool ox_row_reach(struct ox_build *b, ox_val x, float *out);
/* An initialiser as int8: each element times the factor and the scale of its row, in this order, rounded half to even and
 * saturated. The bytes are computed as they are written. */
ox_val ox_quantize_rows(struct ox_build *b, ox_val x, const float *factor, const float *scale);

/* Bodies of Loop, Scan and If: nodes go into the new graph until ox_graph_end. Outer values may be read inside. */
struct ox_graph;
struct ox_graph *ox_graph_begin(struct ox_build *b, const char *name);
ox_val ox_graph_input(struct ox_build *b, enum mx_dtype t, struct mx_shape s);
void ox_graph_end(struct ox_build *b, const ox_val *outputs, int n);

#endif
