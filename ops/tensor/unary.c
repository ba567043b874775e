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

static ox_val write_log1p(struct ox_build *b, ox_val x)
{
    return ox_unary(b, OX_Log, plus(b, x, 1));
}

static ox_val write_expm1(struct ox_build *b, ox_val x)
{
    return plus(b, ox_unary(b, OX_Exp, x), -1);
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
    return ox_signed_pow(b, x, -1.0 / 3);
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

/* Rounds half down: mshadow_op.h, rint uses floor when both are equally near. */
static ox_val write_rint(struct ox_build *b, ox_val x)
{
    return ox_unary(b, OX_Ceil, plus(b, x, -0.5));
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

#define FIELDS(mx, other_names, ints, ...)                                                                                                 \
    .name = (mx), .alias = (other_names), .infer = mx_infer_same, .lower = lower, .any_rank = true, .data = &(const struct unary)          \
    {                                                                                                                                      \
        __VA_ARGS__, .integers = (ints)                                                                                                    \
    }
#define ROW(...)                                                                                                                           \
    {                                                                                                                                      \
        FIELDS(__VA_ARGS__)                                                                                                                \
    }
#define SINGLE(...)                                                                                                                        \
    {                                                                                                                                      \
        FIELDS(__VA_ARGS__), .single = true                                                                                                \
    }
#define ONE(mx, alias, type)                                                                                                               \
    {                                                                                                                                      \
        FIELDS(mx, alias, IN_FLOAT, .onnx = (type))                                                                                        \
    }
#define SEVERAL(mx, alias, function) ROW(mx, alias, IN_FLOAT, .write = (function))
#define NUMPY(mx, in_single, ints, ...)                                                                                                    \
    {                                                                                                                                      \
        .name = (mx), .infer = infer_numpy, .lower = lower, .single = (in_single),                                                         \
        .data = &(const struct unary){__VA_ARGS__, .integers = (ints)},                                                                    \
    }

const struct mx_op mx_ops_unary[] = {
    {FIELDS("abs", "_npi_abs _npi_absolute _sparse_abs", IN_ANY, .write = write_abs), .fusion = MX_FUSION_ABS},
    SINGLE("arccos", "_sparse_arccos", IN_FLOAT, .onnx = OX_Acos),
    ONE("arccosh", "_sparse_arccosh", OX_Acosh),
    SINGLE("arcsin", "_sparse_arcsin", IN_FLOAT, .onnx = OX_Asin),
    ONE("arcsinh", "_sparse_arcsinh", OX_Asinh),
    ONE("arctan", "_sparse_arctan", OX_Atan),
    SINGLE("arctanh", "_sparse_arctanh", IN_FLOAT, .onnx = OX_Atanh),
    SEVERAL("cbrt", "_sparse_cbrt", write_cbrt),
    ROW("ceil", "_sparse_ceil", INT_IS_SAME, .onnx = OX_Ceil),
    ONE("cos", "_sparse_cos", OX_Cos),
    SINGLE("cosh", "_sparse_cosh", IN_FLOAT, .onnx = OX_Cosh),
    SEVERAL("degrees", "_sparse_degrees _npi_rad2deg", write_degrees),
    ONE("erf", "_npx_erf", OX_Erf),
    SINGLE("exp", "_sparse_exp", IN_FLOAT, .onnx = OX_Exp),
    SINGLE("expm1", "_sparse_expm1", IN_FLOAT, .write = write_expm1),
    ROW("fix", "_sparse_fix", INT_IS_SAME, .write = write_trunc),
    ROW("floor", "_sparse_floor", INT_IS_SAME, .onnx = OX_Floor),
    SINGLE("log", "_sparse_log", IN_FLOAT, .onnx = OX_Log),
    SINGLE("log10", "_sparse_log10", IN_FLOAT, .write = write_log10),
    SINGLE("log1p", "_sparse_log1p", IN_FLOAT, .write = write_log1p),
    SINGLE("log2", "_sparse_log2", IN_FLOAT, .write = write_log2),
    ROW("logical_not", NULL, IN_ANY, .write = write_logical_not),
    ROW("negative", "_npi_negative _sparse_negative", IN_ANY, .write = write_negative),
    SEVERAL("radians", "_sparse_radians _npi_deg2rad", write_radians),
    SINGLE("rcbrt", NULL, IN_FLOAT, .write = write_rcbrt),
    SINGLE("reciprocal", "_npi_reciprocal", IN_FLOAT, .onnx = OX_Reciprocal),
    ROW("relu", "_npx_relu _sparse_relu", IN_ANY, .write = write_relu),
    ROW("rint", "_sparse_rint", INT_IS_SAME, .write = write_rint),
    ROW("round", "_contrib_round_ste _sparse_round _npx_round_ste", INT_IS_SAME, .write = ox_round_away),
    SINGLE("rsqrt", "_sparse_rsqrt", IN_FLOAT, .write = write_rsqrt),
    ONE("sigmoid", "_npx_sigmoid _sparse_sigmoid", OX_Sigmoid),
    ROW("sign", "_contrib_sign_ste _npi_sign _sparse_sign _npx_sign_ste", IN_ANY, .onnx = OX_Sign),
    ONE("sin", "_sparse_sin", OX_Sin),
    SINGLE("sinh", "_sparse_sinh", IN_FLOAT, .onnx = OX_Sinh),
    ONE("softsign", "_npx_softsign", OX_Softsign),
    ONE("sqrt", "_sparse_sqrt", OX_Sqrt),
    SINGLE("square", "_npi_square _sparse_square", IN_ANY, .write = write_square),
    SINGLE("tan", "_sparse_tan", IN_FLOAT, .onnx = OX_Tan),
    ONE("tanh", "_sparse_tanh", OX_Tanh),
    ROW("trunc", "_sparse_trunc", INT_IS_SAME, .write = write_trunc),

    NUMPY("_npi_arccos", true, IN_FLOAT, .onnx = OX_Acos),
    NUMPY("_npi_arccosh", false, IN_FLOAT, .onnx = OX_Acosh),
    NUMPY("_npi_arcsin", true, IN_FLOAT, .onnx = OX_Asin),
    NUMPY("_npi_arcsinh", false, IN_FLOAT, .onnx = OX_Asinh),
    NUMPY("_npi_arctan", false, IN_FLOAT, .onnx = OX_Atan),
    NUMPY("_npi_arctanh", true, IN_FLOAT, .onnx = OX_Atanh),
    NUMPY("_npi_cbrt", false, IN_FLOAT, .write = write_cbrt),
    NUMPY("_npi_ceil", false, INT_IS_SAME, .onnx = OX_Ceil),
    NUMPY("_npi_cos", false, IN_FLOAT, .onnx = OX_Cos),
    NUMPY("_npi_cosh", true, IN_FLOAT, .onnx = OX_Cosh),
    NUMPY("_npi_degrees", false, IN_FLOAT, .write = write_degrees),
    NUMPY("_npi_exp", true, IN_FLOAT, .onnx = OX_Exp),
    NUMPY("_npi_expm1", true, IN_FLOAT, .write = write_expm1),
    NUMPY("_npi_fix", false, INT_IS_SAME, .write = write_trunc),
    NUMPY("_npi_floor", false, INT_IS_SAME, .onnx = OX_Floor),
    NUMPY("_npi_log", true, IN_FLOAT, .onnx = OX_Log),
    NUMPY("_npi_log10", true, IN_FLOAT, .write = write_log10),
    NUMPY("_npi_log1p", true, IN_FLOAT, .write = write_log1p),
    NUMPY("_npi_log2", true, IN_FLOAT, .write = write_log2),
    NUMPY("_npi_radians", false, IN_FLOAT, .write = write_radians),
    NUMPY("_npi_rint", false, INT_IS_SAME, .write = write_rint),
    NUMPY("_npi_sin", false, IN_FLOAT, .onnx = OX_Sin),
    NUMPY("_npi_sinh", true, IN_FLOAT, .onnx = OX_Sinh),
    NUMPY("_npi_sqrt", false, IN_FLOAT, .onnx = OX_Sqrt),
    NUMPY("_npi_tan", true, IN_FLOAT, .onnx = OX_Tan),
    NUMPY("_npi_tanh", false, IN_FLOAT, .onnx = OX_Tanh),
    NUMPY("_npi_trunc", false, INT_IS_SAME, .write = write_trunc),
    MX_OPS_END,
};
