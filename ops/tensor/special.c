/* Functions that ONNX lacks: gamma, log gamma, digamma, inverse error function. */
#include <math.h>

#include "op/op.h"
#include "shared/gamma.h"

typedef ox_val (*write_fn)(struct ox_build *b, ox_val x);

struct special {
    write_fn write;
    bool whole; /* for an integer the result is an integer */
};

static ox_val k(struct ox_build *b, ox_val x, double v)
{
    return ox_scalar_like(b, x, v);
}

/* c[0] x^(n-1) + ... + c[n-1] */
static ox_val polynomial(struct ox_build *b, ox_val x, const double *c, int n)
{
    ox_val sum = k(b, x, c[0]);
    for (int i = 1; i < n; i++) {
        sum = ox_add(b, ox_mul(b, sum, x), k(b, x, c[i]));
    }
    return sum;
}

/* M. Giles, "Approximating the erfinv function" (2010), single precision: with w = -log(1 - x^2), a polynomial in w or in its root. At
 * +-1 the result is infinite, beyond that NaN. */
static ox_val write_erfinv(struct ox_build *b, ox_val x)
{
    static const double near[] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                                  -0.00125372503, -0.00417768164, 0.246640727,    1.50140941};
    static const double far[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                                 -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};
    const ox_val one = k(b, x, 1);
    const ox_val w = ox_unary(b, OX_Neg, ox_unary(b, OX_Log, ox_mul(b, ox_sub(b, one, x), ox_add(b, one, x))));
    const ox_val p_near = polynomial(b, ox_sub(b, w, k(b, x, 2.5)), near, 9);
    const ox_val p_far = polynomial(b, ox_sub(b, ox_unary(b, OX_Sqrt, w), k(b, x, 3)), far, 9);
    const ox_val p = ox_where(b, ox_binary(b, OX_Less, w, k(b, x, 5)), p_near, p_far);
    const ox_val at_one = ox_binary(b, OX_Equal, ox_unary(b, OX_Abs, x), one);
    return ox_mul(b, x, ox_where(b, at_one, k(b, x, (double)INFINITY), p));
}

/* The derivative of log(gamma(x)). Its asymptotic series is evaluated at x + 6, from which psi(x) = psi(x + 1) - 1 / x leads back; for
 * small x psi(1 - x) - pi / tan(pi x). mshadow/special_functions.h (cephes) gives infinity at the poles. */
static ox_val write_digamma(struct ox_build *b, ox_val x)
{
    static const double c[] = {-1.0 / 12, 691.0 / 32760, -1.0 / 132, 1.0 / 240, -1.0 / 252, 1.0 / 120, -1.0 / 12};
    const ox_val one = k(b, x, 1), small = ox_binary(b, OX_LessOrEqual, x, k(b, x, 0));
    const ox_val up = ox_where(b, small, ox_sub(b, one, x), x), far = ox_add(b, up, k(b, x, 6));
    ox_val steps = ox_unary(b, OX_Reciprocal, up);
    for (int i = 1; i < 6; i++) {
        steps = ox_add(b, steps, ox_unary(b, OX_Reciprocal, ox_add(b, up, k(b, x, i))));
    }
    const ox_val inverse = ox_unary(b, OX_Reciprocal, far), square = ox_mul(b, inverse, inverse);
    const ox_val series = ox_mul(b, polynomial(b, square, c, 7), square);
    const ox_val log = ox_sub(b, ox_unary(b, OX_Log, far), ox_mul(b, inverse, k(b, x, 0.5)));
    const ox_val psi = ox_sub(b, ox_add(b, log, series), steps);
    const ox_val whole = ox_unary(b, OX_Round, x), rest = ox_sub(b, x, whole);
    const ox_val turned = ox_div(b, k(b, x, 3.141592653589793), ox_unary(b, OX_Tan, ox_mul(b, rest, k(b, x, 3.141592653589793))));
    const ox_val mirrored = ox_sub(b, psi, turned);
    const ox_val pole = ox_binary(b, OX_And, small, ox_binary(b, OX_Equal, x, whole));
    return ox_where(b, pole, k(b, x, (double)INFINITY), ox_where(b, small, mirrored, psi));
}

/* float16 is too imprecise for intermediate results. */
static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct special *s = n->op->data;
    const enum mx_dtype t = ox_dtype(b, in[0]);
    const bool integer = mx_dtype_is_integer(t);
    const ox_val x = ox_cast(b, in[0], t == MX_FLOAT64 || integer ? MX_FLOAT64 : MX_FLOAT32);
    const ox_val y = s->write(b, x);
    out[0] = ox_cast(b, integer && s->whole ? ox_unary(b, OX_Round, y) : y, t);
}

#define ROW(mx, other_names, text, ...)                                                                                                    \
    {                                                                                                                                      \
        .name = (mx), .alias = (other_names), .infer = mx_infer_same, .lower = lower, .data = &(const struct special){__VA_ARGS__},        \
        .differs = (text), .single = true,                                                                                                 \
    }

const struct mx_op mx_ops_special[] = {
    ROW("digamma", "_npx_digamma _sparse_digamma",
        "float64 data at 0 and the negative integers: the result is infinite; MXNet's is the largest number of float64.\n"
        "float64 data below 0: both results have the precision of float32, and differ from each other.",
        .write = write_digamma),
    ROW("erfinv", "_npx_erfinv", "float64 data: the result has the precision of float32; MXNet's has that of float64.",
        .write = write_erfinv),
    ROW("gamma", "_npx_gamma _sparse_gamma",
        "Negative integers: the result is arbitrary; MXNet's is NaN.\nNegative zero: the result is infinity; MXNet's is -infinity.",
        .write = ox_gamma_function, .whole = true),
    ROW("gammaln", "_npx_gammaln _sparse_gammaln", "Negative infinity: the result is NaN; MXNet's is infinity.", .write = ox_gammaln),
    MX_OPS_END,
};
