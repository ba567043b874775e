/* NumPy's arithmetic and comparisons: operands of two types are converted to the more precise one, division is true division,
 * comparisons give bool (src/operator/numpy/np_elemwise_broadcast_op.cc, NumpyBinaryMixedPrecisionType). With a number as operand the
 * legacy rows in tensor/arith.c are the same, except for those in this file. */
#include <math.h>

#include "shared/binary.h"

/* 0 ** 0 is 1. */
static ox_val bools_power(struct ox_build *b, ox_val x, ox_val y)
{
    return ox_binary(b, OX_Or, x, ox_unary(b, OX_Not, y));
}

/* mshadow_op.h, logaddexp: computed literally, so infinite where the exponentials are. */
static ox_val write_logaddexp(struct ox_build *b, ox_val x, ox_val y)
{
    const enum mx_dtype t = ox_dtype(b, x);
    const enum mx_dtype real = mx_dtype_is_float(t) ? t : MX_FLOAT64;
    const ox_val sum = ox_add(b, ox_unary(b, OX_Exp, ox_cast(b, x, real)), ox_unary(b, OX_Exp, ox_cast(b, y, real)));
    return ox_cast(b, ox_unary(b, OX_Log, sum), t);
}

/* The floor of x / y for integers, from the truncated quotient: one is subtracted if there is a remainder and the signs differ. */
static ox_val floored(struct ox_build *b, ox_val x, ox_val y, ox_val q)
{
    const enum mx_dtype t = ox_dtype(b, x);
    if (!mx_dtype_is_signed(t)) {
        return q;
    }
    const ox_val zero = ox_scalar_like(b, x, 0);
    const ox_val rest = ox_sub(b, x, ox_mul(b, q, y));
    const ox_val differ = ox_binary(b, OX_Xor, ox_binary(b, OX_Less, rest, zero), ox_binary(b, OX_Less, y, zero));
    const ox_val inexact = ox_unary(b, OX_Not, ox_binary(b, OX_Equal, rest, zero));
    return ox_sub(b, q, ox_cast(b, ox_binary(b, OX_And, differ, inexact), t));
}

static ox_val write_floor_divide(struct ox_build *b, ox_val x, ox_val y)
{
    const enum mx_dtype t = ox_dtype(b, x);
    if (mx_dtype_is_float(t)) {
        return ox_unary(b, OX_Floor, ox_div(b, x, y));
    }
    const ox_val divisor = ox_divisor(b, y);
    return mx_quotient(b, x, y, floored(b, x, divisor, ox_div(b, x, divisor)));
}

/* x * 2^y: bits shifted out of a signed number wrap around. */
static ox_val write_left_shift(struct ox_build *b, ox_val x, ox_val y)
{
    return ox_mul(b, x, ox_binary(b, OX_Pow, ox_scalar_like(b, x, 2), y));
}

static ox_val write_right_shift(struct ox_build *b, ox_val x, ox_val y)
{
    const ox_val divisor = ox_binary(b, OX_Pow, ox_scalar_like(b, x, 2), y);
    return floored(b, x, divisor, ox_div(b, x, divisor));
}

/* ---- two tensors */

/* The type for a signed type and an unsigned one that is not narrower: the next wider signed type; for uint64 there is none. */
static enum mx_dtype next_signed(enum mx_dtype u)
{
    switch (mx_dtype_size(u)) {
    case 1: return MX_INT16;
    case 2: return MX_INT32;
    case 4: return MX_INT64;
    default: return MX_DTYPE_NONE;
    }
}

/* src/common/utils.h, get_more_precise_type. NONE for uint8 with int8 in MXNet 1, and for a signed type with uint64. */
static enum mx_dtype common_type(enum mx_dtype x, enum mx_dtype y, bool mxnet2)
{
    if (x == y || y == MX_BOOL) {
        return x;
    }
    if (x == MX_BOOL) {
        return y;
    }
    if (mx_dtype_is_float(x) != mx_dtype_is_float(y)) {
        return mx_dtype_is_float(x) ? x : y;
    }
    const bool x_signed = mx_dtype_is_signed(x), y_signed = mx_dtype_is_signed(y);
    if (x_signed != y_signed && mx_dtype_size(x_signed ? x : y) <= mx_dtype_size(x_signed ? y : x)) {
        return mxnet2 ? next_signed(x_signed ? y : x) : MX_DTYPE_NONE;
    }
    return mx_dtype_size(x) > mx_dtype_size(y) ? x : y;
}

/* The type of the result of both operands. */
static int operand_types(struct mx_infer *c, enum mx_dtype *common)
{
    const enum mx_dtype x = mx_input_dtype(c, 0), y = mx_input_dtype(c, 1);
    MX_TRY(mx_inputs_typed(c));
    *common = common_type(x, y, mx_is_mxnet2(c));
    if (*common == MX_DTYPE_NONE) {
        return mx_infer_fail(c, NULL, "%s and %s have no common type" MX_HELP "cast one of them", mx_dtype_name(x), mx_dtype_name(y));
    }
    return MX_OK;
}

enum { TRUE_DIVIDE = 1 };

static int infer(struct mx_infer *c)
{
    const struct binary *a = c->node->op->data;
    enum mx_dtype t = MX_DTYPE_NONE;
    const int shape = mx_broadcast_inputs(c);
    if (shape != MX_OK && shape != MX_LATER) {
        return shape;
    }
    MX_TRY(operand_types(c, &t));
    if (c->node->op->which == TRUE_DIVIDE) {
        t = mx_dtype_is_float(t) ? t : MX_FLOAT32;
    } else if (t == MX_BOOL && !a->bools) {
        return mx_infer_fail(c, NULL, "both inputs are bool, for which the operator is not defined" MX_HELP "cast one of them");
    }
    MX_TRY(mx_output_dtype_is(c, 0, t));
    return shape;
}

/* Both operands have the same type, except that MXNet 2 compares two types. */
static int compared_types(struct mx_infer *c)
{
    const enum mx_dtype x = mx_input_dtype(c, 0), y = mx_input_dtype(c, 1);
    const bool open = x == MX_DTYPE_NONE || y == MX_DTYPE_NONE;
    if (mx_is_mxnet2(c) && !(open && c->last)) {
        return MX_OK;
    }
    MX_TRY(mx_input_dtype_is(c, 0, y));
    return mx_input_dtype_is(c, 1, x);
}

static int infer_compare(struct mx_infer *c)
{
    MX_TRY(mx_output_dtype_is(c, 0, MX_BOOL));
    MX_TRY(compared_types(c));
    return mx_broadcast_inputs(c);
}

/* Accepts any two types. */
static int infer_logic(struct mx_infer *c)
{
    MX_TRY(mx_output_dtype_is(c, 0, MX_BOOL));
    return mx_broadcast_inputs(c);
}

/* The operand in a comparable type: ONNX does not order bools. */
static ox_val comparable(struct ox_build *b, ox_val x)
{
    return ox_dtype(b, x) == MX_BOOL ? ox_cast(b, x, MX_INT32) : x;
}

/* Two types are compared in a type that represents every number of both, if there is one. */
static void lower_compare(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    ox_val x = comparable(b, in[0]), y = comparable(b, in[1]);
    if (ox_dtype(b, x) != ox_dtype(b, y)) {
        const bool integers = mx_dtype_is_integer(ox_dtype(b, x)) && mx_dtype_is_integer(ox_dtype(b, y));
        x = ox_cast(b, x, integers ? MX_INT64 : MX_FLOAT64);
        y = ox_cast(b, y, integers ? MX_INT64 : MX_FLOAT64);
    }
    out[0] = mx_write_binary(b, n->op->data, x, y);
}

/* ---- a tensor and a number */

static int infer_divide_scalar(struct mx_infer *c)
{
    const enum mx_dtype t = mx_input_dtype(c, 0);
    if (t != MX_DTYPE_NONE) {
        MX_TRY(mx_output_dtype_is(c, 0, mx_dtype_is_float(t) ? t : MX_FLOAT32));
    }
    return mx_same_shape(c, 0, 0);
}

/* The number is converted to the tensor's type, or the tensor to float64 if the number is not an integer (elemwise_binary_scalar_op.h,
 * ComputeLogic). */
static void lower_compare_scalar(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct mx_scalar *a = n->attrs;
    const enum mx_dtype t = ox_dtype(b, in[0]);
    double v = a->scalar;
    ox_val x = comparable(b, in[0]);
    if (t == MX_BOOL) {
        v = v != 0;
    } else if (mx_dtype_is_integer(t) && !a->is_int) {
        x = ox_cast(b, x, MX_FLOAT64);
    } else {
        v = mx_number_in(t, v);
    }
    out[0] = mx_write_binary(b, n->op->data, x, ox_scalar_like(b, x, v));
}

/* ---- bits: integers and bools, of two types in MXNet 2 alone */

static int infer_bits(struct mx_infer *c)
{
    MX_TRY(mx_check_integers(c));
    return mx_is_mxnet2(c) ? infer(c) : mx_infer_broadcast(c);
}

/* ---- arctan2: the first operand is a float, the second one, too, in MXNet 1 */

static int infer_arctan2(struct mx_infer *c)
{
    MX_TRY(mx_input_is_float(c, 0, "x1"));
    return mx_is_mxnet2(c) ? infer(c) : mx_infer_broadcast(c);
}

/* ---- shifts: integers, possibly of two types */

static int infer_shift(struct mx_infer *c)
{
    MX_TRY(mx_check_integers(c));
    return infer(c);
}

static int infer_shift_scalar(struct mx_infer *c)
{
    const struct mx_scalar *a = c->attrs;
    MX_TRY(mx_check_integers(c));
    if (!a->is_int) { /* MXNet crashes */
        return mx_infer_fail(c, "scalar", MX_SUBJECT "is %g, but must be an integer for a shift", a->scalar);
    }
    return mx_infer_same(c);
}

/* ---- logaddexp: for floats */

static int infer_logaddexp(struct mx_infer *c)
{
    MX_TRY(mx_input_is_float(c, 0, "x1"));
    return infer(c);
}

/* ---- rows */

#define OPERATION(mx, rule, ...) BINARY(mx, NULL, rule, mx_lower_binary, __VA_ARGS__)
#define SCALAR(mx, rule, ...) NUMBER(mx, NULL, rule, mx_lower_number, __VA_ARGS__)
#define COMPARE(mx, ...)                                                                                                                   \
    {BINARY(mx, NULL, infer_compare, lower_compare, __VA_ARGS__)},                                                                         \
    {                                                                                                                                      \
        NUMBER(mx "_scalar", NULL, mx_infer_truth, lower_compare_scalar, __VA_ARGS__)                                                      \
    }
#define LOGIC(mx, function)                                                                                                                \
    {BINARY(mx, NULL, infer_logic, mx_lower_binary, .write = (function))},                                                                 \
    {                                                                                                                                      \
        NUMBER(mx "_scalar", NULL, mx_infer_truth, lower_compare_scalar, .write = (function))                                              \
    }
#define SHIFT(mx, ...)                                                                                                                     \
    {                                                                                                                                      \
        SCALAR(mx, infer_shift_scalar, __VA_ARGS__), .refuses = "A scalar that is not an integer: MXNet crashes.",                         \
    }
#define BITS(mx, type, of_bools)                                                                                                           \
    {BINARY(mx, NULL, infer_bits, mx_lower_binary, .onnx = OX_##type, .bools = (of_bools)), .refuses = WITHOUT(type)},                     \
    {                                                                                                                                      \
        NUMBER(mx "_scalar", NULL, mx_infer_integers, mx_lower_number, .onnx = OX_##type, .bools = (of_bools)), .refuses = WITHOUT(type),  \
    }
#define WITHOUT(type) "Integers, if the version of ONNX that is written has no " #type ": the error states the first that has it."

#define OF_HALVES "float16 and another float type: the quotient is that of the other type; MXNet 2.0.0b1 computes that of float16."

const struct mx_op mx_ops_np_arith[] = {
    {OPERATION("_npi_arctan2", infer_arctan2, .write = ox_arctan2)},
    {OPERATION("_npi_add", infer, .onnx = OX_Add, .bools = ox_logical_or)},
    {OPERATION("_npi_mod", infer, .write = ox_mod), .differs = MX_WIDE},
    {OPERATION("_npi_multiply", infer, .onnx = OX_Mul, .bools = ox_logical_and)},
    {OPERATION("_npi_power", infer, .onnx = OX_Pow, .bools = bools_power), .single = true},
    {OPERATION("_npi_subtract", infer, .onnx = OX_Sub)},
    {OPERATION("_npi_true_divide", infer, .onnx = OX_Div), .which = TRUE_DIVIDE},
    {SCALAR("_npi_true_divide_scalar", infer_divide_scalar, .onnx = OX_Div)},
    {SCALAR("_npi_rtrue_divide_scalar", infer_divide_scalar, .onnx = OX_Div, .swapped = true)},

    COMPARE("_npi_equal", .onnx = OX_Equal),
    COMPARE("_npi_greater", .onnx = OX_Greater),
    COMPARE("_npi_greater_equal", .onnx = OX_GreaterOrEqual),
    COMPARE("_npi_less", .onnx = OX_Less),
    COMPARE("_npi_less_equal", .onnx = OX_LessOrEqual),
    COMPARE("_npi_not_equal", .onnx = OX_Equal, .negated = true),

    {OPERATION("_npi_floor_divide", infer, .write = write_floor_divide), .differs = MX_WIDE "\n" OF_HALVES},
    {SCALAR("_npi_floor_divide_scalar", mx_infer_scalar, .write = write_floor_divide), .differs = MX_WIDE},
    {SCALAR("_npi_rfloor_divide_scalar", mx_infer_scalar, .write = write_floor_divide, .swapped = true), .differs = MX_WIDE},
    {OPERATION("_npi_logaddexp", infer_logaddexp, .write = write_logaddexp)},
    {SCALAR("_npi_logaddexp_scalar", mx_infer_scalar, .write = write_logaddexp)},

    LOGIC("_npi_logical_and", ox_logical_and),
    LOGIC("_npi_logical_or", ox_logical_or),
    LOGIC("_npi_logical_xor", ox_logical_xor),

    {OPERATION("_npi_bitwise_left_shift", infer_shift, .write = write_left_shift)},
    {OPERATION("_npi_bitwise_right_shift", infer_shift, .write = write_right_shift)},
    SHIFT("_npi_bitwise_left_shift_scalar", .write = write_left_shift),
    SHIFT("_npi_bitwise_right_shift_scalar", .write = write_right_shift),
    SHIFT("_npi_rbitwise_left_shift_scalar", .write = write_left_shift, .swapped = true),
    SHIFT("_npi_rbitwise_right_shift_scalar", .write = write_right_shift, .swapped = true),

    BITS("_npi_bitwise_and", BitwiseAnd, ox_logical_and),
    BITS("_npi_bitwise_or", BitwiseOr, ox_logical_or),
    BITS("_npi_bitwise_xor", BitwiseXor, ox_logical_xor),
    MX_OPS_END,
};
