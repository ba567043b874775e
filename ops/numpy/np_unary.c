/* Functions of one tensor that exist only in NumPy, or whose result is bool. The others are aliases in tensor/unary.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "shared/binary.h"

/* ---- bool results, for every type */

static void lower_not(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    out[0] = ox_unary(b, OX_Not, ox_is_true(b, in[0]));
}

struct special {
    bool nan, positive, negative; /* what counts as true */
    bool opposite;
};

static ox_val is_infinite(struct ox_build *b, ox_val x, const struct special *s)
{
    return ox_node(b, OX_IsInf, OX_IN(x), OX_ATTRS(OX_I("detect_positive", s->positive), OX_I("detect_negative", s->negative)));
}

static void lower_special(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct special *s = n->op->data;
    if (!mx_dtype_is_float(ox_dtype(b, in[0]))) {
        out[0] = ox_fill(b, MX_BOOL, n->out[0].shape, s->opposite);
        return;
    }
    ox_val found = OX_NONE;
    if (s->positive || s->negative) {
        found = is_infinite(b, in[0], s);
    }
    if (s->nan) {
        const ox_val nan = ox_unary(b, OX_IsNaN, in[0]);
        found = found == OX_NONE ? nan : ox_binary(b, OX_Or, found, nan);
    }
    out[0] = s->opposite ? ox_unary(b, OX_Not, found) : found;
}

/* ---- bitwise_not */

static void lower_bitwise_not(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const enum mx_dtype t = ox_dtype(b, in[0]);
    if (t == MX_BOOL) {
        out[0] = ox_unary(b, OX_Not, in[0]);
        return;
    }
    /* -1 - x, or 255 - x for uint8. */
    out[0] = ox_sub(b, ox_scalar(b, t, mx_dtype_is_signed(t) ? -1 : 255), in[0]);
}

/* ---- around: rounds half to even */

struct around {
    int64_t decimals;
};

static const struct mx_attr around_attrs[] = {MX_INT(struct around, decimals, "0")};

static int infer_around(struct mx_infer *c)
{
    const struct around *a = c->attrs;
    MX_TRY(mx_within(c, "decimals", a->decimals, -300, 300));
    return mx_infer_same(c);
}

/* 10^n, the nearest number on every system: pow of some C libraries is not. */
static double power_of_ten(int64_t n)
{
    char text[24];
    const char *end;
    double power = 0;
    snprintf(text, sizeof text, "1e%lld", (long long)n);
    (void)mx_scan_double(text, &end, &power);
    return power;
}

/* elemwise_unary_op.h, around_forward: integers are divided as integers. */
static ox_val around_whole(struct ox_build *b, const struct mx_node *n, ox_val x, int64_t decimals)
{
    const enum mx_dtype t = ox_dtype(b, x);
    const double scale = power_of_ten(-decimals);
    const int bits = (int)mx_dtype_size(t) * 8 - mx_dtype_is_signed(t);
    if (decimals >= 0) {
        return x;
    }
    if (scale >= pow(2, bits)) {
        return ox_fill(b, t, n->out[0].shape, 0);
    }
    return ox_mul(b, ox_div(b, x, ox_scalar(b, t, scale)), ox_scalar(b, t, scale));
}

static void lower_around(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct around *a = n->attrs;
    const enum mx_dtype t = ox_dtype(b, in[0]);
    if (!mx_dtype_is_float(t)) {
        out[0] = around_whole(b, n, in[0], a->decimals);
        return;
    }
    if (a->decimals == 0) {
        out[0] = ox_unary(b, OX_Round, in[0]);
        return;
    }
    const ox_val scale = ox_scalar(b, t, power_of_ten(llabs(a->decimals)));
    const bool up = a->decimals > 0;
    const ox_val x = up ? ox_mul(b, in[0], scale) : ox_div(b, in[0], scale);
    const ox_val whole = ox_unary(b, OX_Round, x);
    out[0] = up ? ox_div(b, whole, scale) : ox_mul(b, whole, scale);
}

/* ---- nan_to_num */

struct nan_to_num {
    double nan;
    struct mx_opt_float posinf, neginf;
};

static const struct mx_attr nan_attrs[] = {
    MX_IGNORED("copy"),
    MX_DOUBLE(struct nan_to_num, nan, "0"),
    MX_FLOAT_NONE(struct nan_to_num, posinf, "None"),
    MX_FLOAT_NONE(struct nan_to_num, neginf, "None"),
};

static ox_val replaced(struct ox_build *b, ox_val x, const struct special *s, struct mx_opt_float v, double missing)
{
    return ox_where(b, is_infinite(b, x, s), ox_scalar_like(b, x, v.given ? v.v : missing), x);
}

static void lower_nan_to_num(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct nan_to_num *a = n->attrs;
    const enum mx_dtype t = ox_dtype(b, in[0]);
    if (!mx_dtype_is_float(t)) {
        out[0] = in[0];
        return;
    }
    ox_val x = ox_where(b, ox_unary(b, OX_IsNaN, in[0]), ox_scalar(b, t, a->nan), in[0]);
    x = replaced(b, x, &(const struct special){.positive = true}, a->posinf, mx_dtype_largest(t));
    out[0] = replaced(b, x, &(const struct special){.negative = true}, a->neginf, mx_dtype_lowest(t));
}

#define SPECIAL(mx, ...)                                                                                                                   \
    {                                                                                                                                      \
        .name = (mx), .inputs = "x", .infer = mx_infer_truth, .lower = lower_special, .data = &(const struct special){__VA_ARGS__},        \
    }

const struct mx_op mx_ops_np_unary[] = {
    SPECIAL("_npi_isfinite", .nan = true, .positive = true, .negative = true, .opposite = true),
    SPECIAL("_npi_isinf", .positive = true, .negative = true),
    SPECIAL("_npi_isnan", .nan = true),
    SPECIAL("_npi_isneginf", .negative = true),
    SPECIAL("_npi_isposinf", .positive = true),
    {.name = "_npi_logical_not", .inputs = "x", .infer = mx_infer_truth, .lower = lower_not},
    {.name = "_npi_bitwise_not", .inputs = "x", .infer = mx_infer_integers, .lower = lower_bitwise_not},
    {.name = "_npi_around", MX_ATTRS(around_attrs, struct around), .inputs = "x", .infer = infer_around, .lower = lower_around},
    {.name = "_npi_nan_to_num", MX_ATTRS(nan_attrs, struct nan_to_num), .infer = mx_infer_same, .lower = lower_nan_to_num},
    MX_OPS_END,
};
