/* Elementwise functions of one tensor. For integer tensors MXNet computes them in double and truncates the result to the tensor's type
 * (src/operator/math_functions-inl.h, mshadow_op.h MXNET_UNARY_MATH_OP): sqrt(5) is 2. */
#include "op/op.h"

struct unary {
    enum ox_op onnx;                                 /* one ONNX node, or else */
    ox_val (*write)(struct ox_build *b, ox_val x);   /* several */
    enum { IN_FLOAT, IN_ANY, INT_IS_SAME } integers; /* how integer tensors are treated */
};

static ox_val plus(struct ox_build *b, ox_val x, double v)
{
    return ox_add(b, x, ox_scalar_like(b, x, v));
}

static ox_val write_log2(struct ox_build *b, ox_val x)
{
    return ox_scaled(b, ox_unary(b, OX_Log, x), 1.4426950408889634);
}

static ox_val write_log10(struct ox_build *b, ox_val x)
{
    return ox_scaled(b, ox_unary(b, OX_Log, x), 0.4342944819032518);
}

/* For numbers below 1, what the sum rounded off is added, so that tiny numbers do not become 0. */
static ox_val write_log1p(struct ox_build *b, ox_val x)
{
    const ox_val sum = plus(b, x, 1), log = ox_unary(b, OX_Log, sum);
    const ox_val rest = ox_sub(b, x, plus(b, sum, -1));
    return ox_where(b, ox_binary(b, OX_Less, x, ox_scalar_like(b, x, 1)), ox_add(b, log, rest), log);
}

/* tanh(x/2) (exp(x) + 1): no difference of numbers next to 1, which would make tiny results 0. */
static ox_val write_expm1(struct ox_build *b, ox_val x)
{
    return ox_mul(b, ox_unary(b, OX_Tanh, ox_scaled(b, x, 0.5)), plus(b, ox_unary(b, OX_Exp, x), 1));
}

static ox_val write_square(struct ox_build *b, ox_val x)
{
    return ox_mul(b, x, x);
}

static ox_val write_rsqrt(struct ox_build *b, ox_val x)
{
    return ox_unary(b, OX_Reciprocal, ox_unary(b, OX_Sqrt, x));
}

static ox_val write_cbrt(struct ox_build *b, ox_val x)
{
    return ox_signed_pow(b, x, 1.0 / 3);
}

static ox_val write_rcbrt(struct ox_build *b, ox_val x)
{
    return ox_unary(b, OX_Reciprocal, write_cbrt(b, x));
}

/* Neg has no unsigned types; MXNet's result wraps around. */
static ox_val write_negative(struct ox_build *b, ox_val x)
{
    return mx_dtype_is_signed(ox_dtype(b, x)) ? ox_unary(b, OX_Neg, x) : ox_sub(b, ox_scalar_like(b, x, 0), x);
}

/* Older forms of Relu have no integer types. */
static ox_val write_relu(struct ox_build *b, ox_val x)
{
    const enum mx_dtype t = ox_dtype(b, x);
    if (mx_dtype_is_float(t)) {
        return ox_unary(b, OX_Relu, x);
    }
    return mx_dtype_is_signed(t) ? ox_binary(b, OX_Max, x, ox_scalar_like(b, x, 0)) : x;
}

static ox_val write_abs(struct ox_build *b, ox_val x)
{
    return mx_dtype_is_signed(ox_dtype(b, x)) ? ox_unary(b, OX_Abs, x) : x;
}

/* Rounds half down: mshadow_op.h, rint uses floor when both are equally near. The distance to the integer above is exact, or rounded to a
 * number of 1/2 or more; x - 1/2 would be rounded from 2^23 on. */
static ox_val write_rint(struct ox_build *b, ox_val x)
{
    const ox_val above = ox_unary(b, OX_Ceil, x);
    const ox_val far = ox_binary(b, OX_GreaterOrEqual, ox_sub(b, above, x), ox_scalar_like(b, x, 0.5));
    return ox_sub(b, above, ox_cast(b, far, ox_dtype(b, x)));
}

static ox_val write_trunc(struct ox_build *b, ox_val x)
{
    return ox_mul(b, ox_unary(b, OX_Sign, x), ox_unary(b, OX_Floor, ox_unary(b, OX_Abs, x)));
}

/* MXNet's pi is a float, even for float64 data. */
static ox_val write_degrees(struct ox_build *b, ox_val x)
{
    return ox_scaled(b, x, 57.2957763671875);
}

static ox_val write_radians(struct ox_build *b, ox_val x)
{
    return ox_scaled(b, x, 0.01745329238474369);
}

static ox_val write_logical_not(struct ox_build *b, ox_val x)
{
    const enum mx_dtype t = ox_dtype(b, x);
    if (t == MX_BOOL) {
        return ox_unary(b, OX_Not, x);
    }
    return ox_cast(b, ox_binary(b, OX_Equal, x, ox_scalar(b, t, 0)), t);
}

/* MXNet 2's NumPy functions give floats for integers and bools (elemwise_unary_op.h, NumpyUnaryType); those of MXNet 1 keep the type. */
static int infer_numpy(struct mx_infer *c)
{
    const enum mx_dtype t = mx_input_dtype(c, 0);
    if (!mx_is_mxnet2(c) || mx_dtype_is_float(t)) {
        return mx_infer_same(c);
    }
    if (t != MX_DTYPE_NONE) {
        MX_TRY(mx_output_dtype_is(c, 0, mx_dtype_size(t) == 1 ? MX_FLOAT16 : MX_FLOAT32));
    }
    return mx_same_shape(c, 0, 0);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct unary *u = n->op->data;
    const enum mx_dtype t = n->out[0].dtype;
    ox_val x = in[0];
    if (t != ox_dtype(b, x)) { /* floats from integers */
        x = ox_cast(b, x, u->integers == INT_IS_SAME ? t : MX_FLOAT32);
        x = u->integers == INT_IS_SAME ? x : u->write ? u->write(b, x) : ox_unary(b, u->onnx, x);
        out[0] = ox_cast(b, x, t);
        return;
    }
    if (!mx_dtype_is_float(t) && u->integers == INT_IS_SAME) {
        out[0] = x;
        return;
    }
    if (!mx_dtype_is_float(t) && u->integers == IN_FLOAT) {
        x = ox_cast(b, x, MX_FLOAT64);
    }
    const bool truncated = ox_dtype(b, x) != t;
    x = u->write ? u->write(b, x) : ox_unary(b, u->onnx, x);
    if (truncated && u->write) { /* the cube root of 64 is 4, not slightly less */
        x = ox_add(b, x, ox_scaled(b, ox_unary(b, OX_Sign, x), 1e-11));
    }
    out[0] = ox_cast(b, x, t);
}

#define FIELDS(mx, other_names, rule, in_single, ints, ...)                                                                                \
    .name = (mx), .alias = (other_names), .infer = (rule), .lower = lower, .single = (in_single), .data = &(const struct unary)            \
    {                                                                                                                                      \
        __VA_ARGS__, .integers = (ints)                                                                                                    \
    }
#define ROW(mx, other_names, in_single, ints, ...)                                                                                         \
    {                                                                                                                                      \
        FIELDS(mx, other_names, mx_infer_same, in_single, ints, __VA_ARGS__), .any_rank = true                                             \
    }
/* A function of MXNet 1, and NumPy's with the same name. */
#define BOTH(mx, numpy, other_names, in_single, ints, ...)                                                                                 \
    ROW(mx, other_names, in_single, ints, __VA_ARGS__),                                                                                    \
    {                                                                                                                                      \
        FIELDS(numpy, NULL, infer_numpy, in_single, ints, __VA_ARGS__)                                                                     \
    }

const struct mx_op mx_ops_unary[] = {
    {FIELDS("abs", "_npi_abs _npi_absolute _sparse_abs", mx_infer_same, false, IN_ANY, .write = write_abs), .any_rank = true,
     .fusion = MX_FUSION_ABS},
    BOTH("arccos", "_npi_arccos", "_sparse_arccos", true, IN_FLOAT, .onnx = OX_Acos),
    BOTH("arccosh", "_npi_arccosh", "_sparse_arccosh", false, IN_FLOAT, .onnx = OX_Acosh),
    BOTH("arcsin", "_npi_arcsin", "_sparse_arcsin", true, IN_FLOAT, .onnx = OX_Asin),
    BOTH("arcsinh", "_npi_arcsinh", "_sparse_arcsinh", false, IN_FLOAT, .onnx = OX_Asinh),
    BOTH("arctan", "_npi_arctan", "_sparse_arctan", false, IN_FLOAT, .onnx = OX_Atan),
    BOTH("arctanh", "_npi_arctanh", "_sparse_arctanh", true, IN_FLOAT, .onnx = OX_Atanh),
    BOTH("cbrt", "_npi_cbrt", "_sparse_cbrt", false, IN_FLOAT, .write = write_cbrt),
    BOTH("ceil", "_npi_ceil", "_sparse_ceil", false, INT_IS_SAME, .onnx = OX_Ceil),
    BOTH("cos", "_npi_cos", "_sparse_cos", false, IN_FLOAT, .onnx = OX_Cos),
    BOTH("cosh", "_npi_cosh", "_sparse_cosh", true, IN_FLOAT, .onnx = OX_Cosh),
    BOTH("degrees", "_npi_degrees", "_sparse_degrees _npi_rad2deg", false, IN_FLOAT, .write = write_degrees),
    {FIELDS("erf", "_npx_erf", mx_infer_same, false, IN_FLOAT, .onnx = OX_Erf), .any_rank = true,
     .differs = "Integers beyond 3 or -3: the result is 1 or -1; MXNet's is 0."},
    BOTH("exp", "_npi_exp", "_sparse_exp", true, IN_FLOAT, .onnx = OX_Exp),
    BOTH("expm1", "_npi_expm1", "_sparse_expm1", true, IN_FLOAT, .write = write_expm1),
    BOTH("fix", "_npi_fix", "_sparse_fix", false, INT_IS_SAME, .write = write_trunc),
    BOTH("floor", "_npi_floor", "_sparse_floor", false, INT_IS_SAME, .onnx = OX_Floor),
    BOTH("log", "_npi_log", "_sparse_log", true, IN_FLOAT, .onnx = OX_Log),
    BOTH("log10", "_npi_log10", "_sparse_log10", true, IN_FLOAT, .write = write_log10),
    BOTH("log1p", "_npi_log1p", "_sparse_log1p", true, IN_FLOAT, .write = write_log1p),
    BOTH("log2", "_npi_log2", "_sparse_log2", true, IN_FLOAT, .write = write_log2),
    ROW("logical_not", NULL, false, IN_ANY, .write = write_logical_not),
    ROW("negative", "_npi_negative _sparse_negative", false, IN_ANY, .write = write_negative),
    BOTH("radians", "_npi_radians", "_sparse_radians _npi_deg2rad", false, IN_FLOAT, .write = write_radians),
    {FIELDS("rcbrt", NULL, mx_infer_same, true, IN_FLOAT, .write = write_rcbrt), .any_rank = true,
     .differs = "Negative zero: the result is infinity; MXNet's is -infinity."},
    ROW("reciprocal", "_npi_reciprocal", true, IN_FLOAT, .onnx = OX_Reciprocal),
    ROW("relu", "_npx_relu _sparse_relu", false, IN_ANY, .write = write_relu),
    BOTH("rint", "_npi_rint", "_sparse_rint", false, INT_IS_SAME, .write = write_rint),
    ROW("round", "_contrib_round_ste _sparse_round _npx_round_ste", false, INT_IS_SAME, .write = ox_round_away),
    ROW("rsqrt", "_sparse_rsqrt", true, IN_FLOAT, .write = write_rsqrt),
    ROW("sigmoid", "_npx_sigmoid _sparse_sigmoid", false, IN_FLOAT, .onnx = OX_Sigmoid),
    {FIELDS("sign", "_contrib_sign_ste _npi_sign _sparse_sign _npx_sign_ste", mx_infer_same, false, IN_ANY, .onnx = OX_Sign),
     .any_rank = true, .differs = "NaN: the result is NaN; MXNet's is 0."},
    BOTH("sin", "_npi_sin", "_sparse_sin", false, IN_FLOAT, .onnx = OX_Sin),
    BOTH("sinh", "_npi_sinh", "_sparse_sinh", true, IN_FLOAT, .onnx = OX_Sinh),
    ROW("softsign", "_npx_softsign", false, IN_FLOAT, .onnx = OX_Softsign),
    BOTH("sqrt", "_npi_sqrt", "_sparse_sqrt", false, IN_FLOAT, .onnx = OX_Sqrt),
    ROW("square", "_npi_square _sparse_square", true, IN_ANY, .write = write_square),
    BOTH("tan", "_npi_tan", "_sparse_tan", true, IN_FLOAT, .onnx = OX_Tan),
    BOTH("tanh", "_npi_tanh", "_sparse_tanh", false, IN_FLOAT, .onnx = OX_Tanh),
    BOTH("trunc", "_npi_trunc", "_sparse_trunc", false, INT_IS_SAME, .write = write_trunc),
    MX_OPS_END,
};
