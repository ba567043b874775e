/* Arithmetic, comparisons and logic: for two equal shapes (elemwise_add), two that broadcast (broadcast_add), a tensor and a number
 * (_plus_scalar). One function writes each operation, and the rows say where its operands come from.
 *
 * Legacy comparisons and logical operators give 0 and 1 in the type of their input. */
#include <float.h>
#include <math.h>

#include "shared/binary.h"

/* sqrt(x^2 + y^2) of numbers whose squares may leave the range of their type: scaled by the larger one. The scale is neither 0 nor
 * infinite. */
static ox_val scaled_hypot(struct ox_build *b, ox_val x, ox_val y)
{
    const enum mx_dtype t = ox_dtype(b, x);
    x = ox_unary(b, OX_Abs, x);
    y = ox_unary(b, OX_Abs, y);
    const ox_val large = ox_binary(b, OX_Max, x, y);
    const ox_val scale =
        ox_clip(b, large, ox_scalar(b, t, t == MX_FLOAT64 ? DBL_MIN : (double)FLT_MIN), ox_scalar(b, t, mx_dtype_largest(t)));
    const ox_val ratio = ox_div(b, ox_binary(b, OX_Min, x, y), scale);
    const ox_val sum = ox_add(b, ox_mul(b, ratio, ratio), ox_scalar(b, t, 1));
    return ox_mul(b, large, ox_unary(b, OX_Sqrt, sum));
}

static ox_val write_hypot(struct ox_build *b, ox_val x, ox_val y)
{
    const enum mx_dtype t = ox_dtype(b, x);
    if (t == MX_FLOAT32 || t == MX_FLOAT64) {
        return scaled_hypot(b, x, y);
    }
    x = ox_cast(b, x, MX_FLOAT32);
    y = ox_cast(b, y, MX_FLOAT32);
    const ox_val sum = ox_add(b, ox_mul(b, x, x), ox_mul(b, y, y));
    return ox_cast(b, ox_unary(b, OX_Sqrt, sum), t);
}

/* For a divisor that is not 0. */
static ox_val node_mod(struct ox_build *b, ox_val x, ox_val y, int fmod)
{
    return ox_node(b, OX_Mod, OX_IN(x, y), OX_ATTRS(OX_I("fmod", fmod)));
}

/* mshadow_op.h, copysign: -0 counts as positive, and NaN as neither. */
static ox_val write_copysign(struct ox_build *b, ox_val x, ox_val y)
{
    const ox_val zero = ox_scalar_like(b, x, 0);
    ox_val differ = ox_binary(b, OX_Xor, ox_binary(b, OX_Less, x, zero), ox_binary(b, OX_Less, y, zero));
    if (mx_dtype_is_float(ox_dtype(b, y))) {
        differ = ox_binary(b, OX_Or, differ, ox_unary(b, OX_IsNaN, y));
    }
    return ox_where(b, differ, ox_sub(b, zero, x), x);
}

/* In float64, as MXNet computes it for all but float32: a power of two beyond float16 times 0 is 0. */
static ox_val write_ldexp(struct ox_build *b, ox_val x, ox_val y)
{
    const enum mx_dtype t = ox_dtype(b, x);
    const enum mx_dtype real = t == MX_FLOAT32 ? t : MX_FLOAT64;
    const ox_val power = ox_binary(b, OX_Pow, ox_scalar(b, real, 2), ox_cast(b, y, real));
    return ox_cast(b, ox_mul(b, ox_cast(b, x, real), power), t);
}

/* The operand that is a number if the other one is NaN. */
static ox_val not_nan(struct ox_build *b, enum ox_op type, ox_val x, ox_val y)
{
    const ox_val r = ox_binary(b, type, x, y);
    if (!mx_dtype_is_float(ox_dtype(b, x))) {
        return r;
    }
    return ox_where(b, ox_unary(b, OX_IsNaN, x), y, ox_where(b, ox_unary(b, OX_IsNaN, y), x, r));
}

static ox_val write_fmax(struct ox_build *b, ox_val x, ox_val y)
{
    return not_nan(b, OX_Max, x, y);
}

static ox_val write_fmin(struct ox_build *b, ox_val x, ox_val y)
{
    return not_nan(b, OX_Min, x, y);
}

/* mshadow_op.h, fmod: the result has the sign of the dividend, and is 0 for a divisor of 0. */
static ox_val write_fmod(struct ox_build *b, ox_val x, ox_val y)
{
    const ox_val zero = ox_scalar_like(b, x, 0), by_zero = ox_binary(b, OX_Equal, y, zero);
    const ox_val divisor = ox_where(b, by_zero, ox_scalar_like(b, x, 1), y);
    return ox_where(b, by_zero, zero, node_mod(b, x, divisor, 1));
}

/* ---- two tensors */

/* MXNet refuses integers, and rounds them to integers where the second operand is a number. */
static int infer_floats(struct mx_infer *c)
{
    MX_TRY(mx_infer_broadcast(c));
    return mx_input_is_float(c, 0, "x1");
}

/* ---- a tensor and a number */

static double number_of(const struct mx_scalar *a, enum mx_dtype t)
{
    return mx_number_in(t, a->scalar);
}

static ox_val filled(struct ox_build *b, const struct mx_node *n, double v)
{
    return ox_fill(b, n->out[0].dtype, n->out[0].shape, v);
}

static void lower_mul_scalar(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const enum mx_dtype t = n->out[0].dtype;
    if (number_of(n->attrs, t) == -1 && mx_dtype_is_signed(t)) {
        out[0] = ox_unary(b, OX_Neg, ox_cast(b, in[0], t));
        return;
    }
    mx_lower_number(b, n, in, out);
}

static void lower_rdiv_scalar(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const enum mx_dtype t = n->out[0].dtype;
    const double v = number_of(n->attrs, t);
    if (v == 1 && mx_dtype_is_float(t)) {
        out[0] = ox_unary(b, OX_Reciprocal, ox_cast(b, in[0], t));
    } else if (!mx_dtype_is_float(t) && fabs(v) >= 1 << 24) { /* mshadow_op.h, rdiv: the quotient of float32 is another one from here on */
        out[0] = ox_cast(b, ox_div(b, ox_float32(b, v), ox_cast(b, in[0], MX_FLOAT32)), t);
    } else if (!mx_dtype_is_float(t)) {
        const ox_val x = ox_scalar(b, t, v), y = ox_cast(b, in[0], t);
        out[0] = mx_quotient(b, x, y, ox_div(b, x, ox_divisor(b, y)));
    } else {
        mx_lower_number(b, n, in, out);
    }
}

/* With a known divisor this takes fewer nodes than for two tensors. */
static void lower_mod_scalar(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const enum mx_dtype t = n->out[0].dtype;
    const double v = number_of(n->attrs, t);
    const ox_val x = ox_cast(b, in[0], t);
    if (v == 0 || (v == -1 && mx_dtype_is_integer(t))) { /* ONNX Runtime does not survive the lowest integer modulo -1 */
        out[0] = filled(b, n, 0);
        return;
    }
    const ox_val y = ox_scalar(b, t, v);
    if (!mx_dtype_is_float(t)) {
        out[0] = node_mod(b, x, y, 0);
        return;
    }
    const ox_val c_fmod = node_mod(b, x, y, 1);
    const ox_val wrong_side = ox_binary(b, v > 0 ? OX_Less : OX_Greater, c_fmod, ox_scalar(b, t, 0));
    out[0] = ox_where(b, wrong_side, ox_add(b, c_fmod, y), c_fmod);
}

/* One operand of the logical operation is known, so the result is a constant, the truth of the other operand, or the opposite. */
static void lower_logical_scalar(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct binary *a = n->op->data;
    const enum mx_dtype t = n->out[0].dtype;
    const bool number_is_true = number_of(n->attrs, t) != 0;
    if (a->write == ox_logical_and && !number_is_true) {
        out[0] = filled(b, n, 0);
    } else if (a->write == ox_logical_or && number_is_true) {
        out[0] = filled(b, n, 1);
    } else if (a->write == ox_logical_xor && number_is_true) {
        out[0] = ox_cast(b, ox_binary(b, OX_Equal, in[0], ox_scalar_like(b, in[0], 0)), t);
    } else {
        out[0] = ox_cast(b, ox_is_true(b, in[0]), t);
    }
}

/* |x| < 1/s^2: (s x)^2 / 2, else |x| - 1/(2 s^2): written in terms of |x| clipped to the limit. */
static void lower_smooth_l1(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const enum mx_dtype t = n->out[0].dtype;
    const double s2 = number_of(n->attrs, t) * number_of(n->attrs, t);
    const ox_val x = mx_dtype_is_float(t) ? in[0] : ox_cast(b, in[0], MX_FLOAT32);
    const ox_val size = ox_unary(b, OX_Abs, x);
    const ox_val below = ox_binary(b, OX_Min, size, ox_scalar_like(b, x, 1 / s2));
    const ox_val curve = ox_mul(b, ox_mul(b, below, below), ox_scalar_like(b, x, 0.5 * s2));
    out[0] = ox_cast(b, ox_add(b, curve, ox_sub(b, size, below)), t);
}

/* ---- any number of tensors */

struct add_n {
    int64_t num_args;
};

static const struct mx_attr add_n_attrs[] = {MX_COUNT(struct add_n, num_args, "1")};

/* ONNX's Sum has no integer types. */
static void lower_add_n(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    if (n->n_in > 2 && mx_dtype_is_float(n->out[0].dtype)) {
        ox_val *list = ox_scratch(b, (size_t)n->n_in + 1, sizeof *list);
        if (!list) {
            return;
        }
        for (int i = 0; i < n->n_in; i++) {
            list[i] = in[i];
        }
        list[n->n_in] = OX_END;
        out[0] = ox_node(b, OX_Sum, list, OX_NO_ATTRS);
        return;
    }
    out[0] = in[0];
    for (int i = 1; i < n->n_in; i++) {
        out[0] = ox_add(b, out[0], in[i]);
    }
}

/* ---- rows */

#define SAME(mx, alias, ...) BINARY(mx, alias, mx_infer_same, mx_lower_binary, __VA_ARGS__), .any_rank = true
#define BROADCAST(mx, alias, ...) BINARY(mx, alias, mx_infer_broadcast, mx_lower_binary, __VA_ARGS__), .any_rank = true
#define FLOATS(mx, alias, ...) BINARY(mx, alias, infer_floats, mx_lower_binary, __VA_ARGS__)
#define WITH(mx, alias, function, ...) NUMBER(mx, alias, mx_infer_scalar, function, __VA_ARGS__)
#define SCALAR(mx, alias, ...) WITH(mx, alias, mx_lower_number, __VA_ARGS__), .any_rank = true
#define OF_NAN "NaN and an infinite number: the result is NaN; MXNet's is infinity."
#define IDENTITY(v) .has_identity = true, .identity = (v)

const struct mx_op mx_ops_arith[] = {
    {SAME("_equal", "_Equal", .onnx = OX_Equal)},
    {SAME("_grad_add", NULL, .onnx = OX_Add)},
    {SAME("_greater", "_Greater", .onnx = OX_Greater)},
    {SAME("_greater_equal", "_Greater_Equal", .onnx = OX_GreaterOrEqual)},
    {SAME("_hypot", "_Hypot", .write = write_hypot), .single = true, .differs = OF_NAN},
    {SAME("_lesser", "_Lesser", .onnx = OX_Less)},
    {SAME("_lesser_equal", "_Lesser_Equal", .onnx = OX_LessOrEqual)},
    {SAME("_logical_and", "_Logical_And", .write = ox_logical_and)},
    {SAME("_logical_or", "_Logical_Or", .write = ox_logical_or)},
    {SAME("_logical_xor", "_Logical_Xor", .write = ox_logical_xor)},
    {SAME("_maximum", "_Maximum", .onnx = OX_Max)},
    {SAME("_minimum", "_Minimum", .onnx = OX_Min)},
    {SAME("_mod", "_Mod", .write = ox_mod), .differs = MX_WIDE},
    {SAME("_not_equal", "_Not_Equal", .onnx = OX_Equal, .negated = true)},
    {SAME("_power", "_Power", .onnx = OX_Pow), .single = true},
    /* For dense data the scatter forms equal the plain ones. */
    {SAME("_scatter_elemwise_div", NULL, .onnx = OX_Div)},
    {SAME("elemwise_add", "_Plus _add _plus _sparse_elemwise_add _contrib_tvm_vadd", .onnx = OX_Add)},
    {SAME("elemwise_div", "_Div _div _sparse_elemwise_div", .onnx = OX_Div)},
    {SAME("elemwise_mul", "_Mul _mul _sparse_elemwise_mul", .onnx = OX_Mul)},
    {SAME("elemwise_sub", "_Minus _minus _sparse_elemwise_sub _sub", .onnx = OX_Sub)},

    {BROADCAST("broadcast_add", "_sparse_broadcast_add _sparse_broadcast_plus broadcast_plus", .onnx = OX_Add)},
    {BROADCAST("broadcast_div", "_sparse_broadcast_div", .onnx = OX_Div)},
    {BROADCAST("broadcast_equal", NULL, .onnx = OX_Equal)},
    {BROADCAST("broadcast_greater", "_npx_broadcast_greater", .onnx = OX_Greater)},
    {BROADCAST("broadcast_greater_equal", NULL, .onnx = OX_GreaterOrEqual)},
    {BROADCAST("broadcast_hypot", NULL, .write = write_hypot), .single = true, .differs = OF_NAN},
    {BROADCAST("broadcast_lesser", NULL, .onnx = OX_Less)},
    {BROADCAST("broadcast_lesser_equal", NULL, .onnx = OX_LessOrEqual)},
    {BROADCAST("broadcast_logical_and", NULL, .write = ox_logical_and)},
    {BROADCAST("broadcast_logical_or", NULL, .write = ox_logical_or)},
    {BROADCAST("broadcast_logical_xor", NULL, .write = ox_logical_xor)},
    {BROADCAST("broadcast_maximum", "_npi_maximum", .onnx = OX_Max)},
    {BROADCAST("broadcast_minimum", "_npi_minimum", .onnx = OX_Min)},
    {BROADCAST("broadcast_mod", NULL, .write = ox_mod), .differs = MX_WIDE},
    {BROADCAST("broadcast_mul", "_sparse_broadcast_mul", .onnx = OX_Mul)},
    {BROADCAST("broadcast_not_equal", NULL, .onnx = OX_Equal, .negated = true)},
    {BROADCAST("broadcast_power", NULL, .onnx = OX_Pow), .single = true},
    {BROADCAST("broadcast_sub", "_sparse_broadcast_minus _sparse_broadcast_sub broadcast_minus", .onnx = OX_Sub)},

    {BROADCAST("_npi_copysign", NULL, .write = write_copysign)},
    {FLOATS("_npi_hypot", NULL, .write = write_hypot), .single = true, .differs = OF_NAN},
    {BROADCAST("_npi_ldexp", NULL, .write = write_ldexp)},
    {BROADCAST("_npi_fmax", NULL, .write = write_fmax)},
    {BROADCAST("_npi_fmin", NULL, .write = write_fmin)},
    {BROADCAST("_npi_fmod", NULL, .write = write_fmod)},
    {SCALAR("_npi_arctan2_scalar", NULL, .write = ox_arctan2)},
    {SCALAR("_npi_copysign_scalar", NULL, .write = write_copysign)},
    {SCALAR("_npi_fmax_scalar", NULL, .write = write_fmax)},
    {SCALAR("_npi_fmin_scalar", NULL, .write = write_fmin)},
    {SCALAR("_npi_fmod_scalar", NULL, .write = write_fmod)},
    {SCALAR("_npi_ldexp_scalar", NULL, .write = write_ldexp)},
    {SCALAR("_npi_rarctan2_scalar", NULL, .write = ox_arctan2, .swapped = true)},
    {SCALAR("_npi_rcopysign_scalar", NULL, .write = write_copysign, .swapped = true)},
    {SCALAR("_npi_rfmod_scalar", NULL, .write = write_fmod, .swapped = true)},
    {SCALAR("_npi_rldexp_scalar", NULL, .write = write_ldexp, .swapped = true)},

    {SCALAR("_div_scalar", "_DivScalar", .onnx = OX_Div, IDENTITY(1))},
    {SCALAR("_equal_scalar", "_EqualScalar", .onnx = OX_Equal)},
    {SCALAR("_greater_equal_scalar", "_GreaterEqualScalar", .onnx = OX_GreaterOrEqual)},
    {SCALAR("_greater_scalar", "_GreaterScalar", .onnx = OX_Greater)},
    {SCALAR("_hypot_scalar", "_HypotScalar _npi_hypot_scalar", .write = write_hypot), .single = true, .differs = OF_NAN},
    {SCALAR("_lesser_equal_scalar", "_LesserEqualScalar", .onnx = OX_LessOrEqual)},
    {SCALAR("_lesser_scalar", "_LesserScalar", .onnx = OX_Less)},
    {WITH("_logical_and_scalar", "_LogicalAndScalar", lower_logical_scalar, .write = ox_logical_and)},
    {WITH("_logical_or_scalar", "_LogicalOrScalar", lower_logical_scalar, .write = ox_logical_or)},
    {WITH("_logical_xor_scalar", "_LogicalXorScalar", lower_logical_scalar, .write = ox_logical_xor)},
    {SCALAR("_maximum_scalar", "_MaximumScalar _npi_maximum_scalar", .onnx = OX_Max)},
    {SCALAR("_minimum_scalar", "_MinimumScalar _npi_minimum_scalar", .onnx = OX_Min)},
    {SCALAR("_minus_scalar", "_MinusScalar _npi_subtract_scalar", .onnx = OX_Sub, IDENTITY(0))},
    {WITH("_mod_scalar", "_ModScalar _npi_mod_scalar", lower_mod_scalar, .write = ox_mod), .differs = MX_WIDE},
    {WITH("_mul_scalar", "_MulScalar _npi_multiply_scalar", lower_mul_scalar, .onnx = OX_Mul, IDENTITY(1)), .any_rank = true},
    {SCALAR("_not_equal_scalar", "_NotEqualScalar", .onnx = OX_Equal, .negated = true)},
    {SCALAR("_plus_scalar", "_PlusScalar _npi_add_scalar", .onnx = OX_Add, IDENTITY(0))},
    {SCALAR("_power_scalar", "_PowerScalar _npi_power_scalar", .onnx = OX_Pow, IDENTITY(1)), .single = true},
    {WITH("_rdiv_scalar", "_RDivScalar", lower_rdiv_scalar, .onnx = OX_Div, .swapped = true), .single = true},
    {SCALAR("_rminus_scalar", "_RMinusScalar _npi_rsubtract_scalar", .onnx = OX_Sub, .swapped = true)},
    {SCALAR("_rmod_scalar", "_RModScalar _npi_rmod_scalar", .write = ox_mod, .swapped = true), .differs = MX_WIDE},
    {SCALAR("_rpower_scalar", "_RPowerScalar _npi_rpower_scalar", .onnx = OX_Pow, .swapped = true), .single = true},
    {SCALAR("_scatter_minus_scalar", NULL, .onnx = OX_Sub, IDENTITY(0))},
    {SCALAR("_scatter_plus_scalar", NULL, .onnx = OX_Add, IDENTITY(0))},
    {.name = "smooth_l1", .single = true, .alias = "_npx_smooth_l1", MX_SCALAR_ATTRS, .infer = mx_infer_same, .lower = lower_smooth_l1},
    {
        .name = "add_n",
        .alias = "ElementWiseSum _sparse_ElementWiseSum _sparse_add_n _npx_add_n",
        MX_ATTRS(add_n_attrs, struct add_n),
        .inputs = "args...:count(num_args)",
        .infer = mx_infer_same,
        .lower = lower_add_n,
    },
    MX_OPS_END,
};
