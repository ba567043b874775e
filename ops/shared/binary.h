/* Operations of two operands: two tensors, or a tensor and a number. */
#ifndef OPS_BINARY_H
#define OPS_BINARY_H

#include "op/op.h"

/* The operation, as the `data` of a descriptor. */
struct binary {
    enum ox_op onnx;                                         /* one ONNX node, or else */
    ox_val (*write)(struct ox_build *b, ox_val x, ox_val y); /* several */
    ox_val (*bools)(struct ox_build *b, ox_val x, ox_val y); /* for two bools; NULL: as for numbers */
    bool swapped;                                            /* number (op) tensor */
    bool negated;                                            /* the opposite of a comparison */
    bool has_identity;
    double identity; /* the tensor is unchanged by this number: x + 0, x * 1 */
};

/* Fields of a row: two tensors, or a tensor and a number. What follows are fields of struct binary. */
#define BINARY(mx, other_names, rule, function, ...)                                                                                       \
    .name = (mx), .alias = (other_names), .inputs = "lhs rhs", .infer = (rule), .lower = (function), .data = &(const struct binary)        \
    {                                                                                                                                      \
        __VA_ARGS__                                                                                                                        \
    }
#define NUMBER(mx, other_names, rule, function, ...)                                                                                       \
    .name = (mx), .alias = (other_names), MX_SCALAR_ATTRS, .infer = (rule), .lower = (function), .data = &(const struct binary)            \
    {                                                                                                                                      \
        __VA_ARGS__                                                                                                                        \
    }

#define MX_WIDE "int64 beyond 2^53: the result is that of integers; MXNet computes in float64."

/* The quotient x / y of integers as MXNet computes it, in floating point: q, which is that of x and ox_divisor(y), except that it is 0 - x
 * where y is -1, and the lowest number of a wide type, or 0, where y is 0. */
ox_val mx_quotient(struct ox_build *b, ox_val x, ox_val y, ox_val q);

/* The operation on x, the tensor, and y. */
ox_val mx_write_binary(struct ox_build *b, const struct binary *op, ox_val x, ox_val y);

/* In the type of the result: for two tensors, and for a tensor and the attribute `scalar`. */
void mx_lower_binary(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out);
void mx_lower_number(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out);

/* One tensor, whose results are bool. */
int mx_infer_truth(struct mx_infer *c);
/* Refuses floats; one tensor, whose results have its type. */
int mx_check_integers(struct mx_infer *c) MX_MUST_USE;
int mx_infer_integers(struct mx_infer *c);

/* The angle of the point (y, x), as atan2(x, y) of C; integers are computed in float32. The result has the type of x. */
ox_val ox_arctan2(struct ox_build *b, ox_val x, ox_val y);

/* Operands of any type, in which everything but 0 is true; the result is bool. */
ox_val ox_logical_and(struct ox_build *b, ox_val x, ox_val y);
ox_val ox_logical_or(struct ox_build *b, ox_val x, ox_val y);
ox_val ox_logical_xor(struct ox_build *b, ox_val x, ox_val y);

#endif
