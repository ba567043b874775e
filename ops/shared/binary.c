#include "shared/binary.h"

ox_val mx_write_binary(struct ox_build *b, const struct binary *op, ox_val x, ox_val y)
{
    const ox_val first = op->swapped ? y : x, second = op->swapped ? x : y;
    const ox_val r = op->write ? op->write(b, first, second) : ox_binary(b, op->onnx, first, second);
    return op->negated ? ox_unary(b, OX_Not, r) : r;
}

static ox_val write_in_type(struct ox_build *b, const struct binary *op, enum mx_dtype t, ox_val x, ox_val y)
{
    return t == MX_BOOL && op->bools ? op->bools(b, x, y) : ox_cast(b, mx_write_binary(b, op, x, y), t);
}

ox_val mx_quotient(struct ox_build *b, ox_val x, ox_val y, ox_val q)
{
    const enum mx_dtype t = ox_dtype(b, x);
    const ox_val zero = ox_scalar_like(b, x, 0);
    if (mx_dtype_is_signed(t)) {
        q = ox_where(b, ox_binary(b, OX_Equal, y, ox_scalar_like(b, y, -1)), ox_sub(b, zero, x), q);
    }
    const ox_val undefined = ox_scalar_like(b, x, mx_dtype_size(t) < 4 ? 0 : mx_dtype_lowest(t));
    return ox_where(b, ox_binary(b, OX_Equal, y, zero), undefined, q);
}

void mx_lower_binary(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const enum mx_dtype t = n->out[0].dtype;
    const ox_val x = ox_cast(b, in[0], t), y = ox_cast(b, in[1], t);
    out[0] = write_in_type(b, n->op->data, t, x, y);
}

void mx_lower_number(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct binary *op = n->op->data;
    const struct mx_scalar *a = n->attrs;
    const enum mx_dtype t = n->out[0].dtype;
    const double v = mx_number_in(t, a->scalar);
    const ox_val x = ox_cast(b, in[0], t);
    const bool unchanged = op->has_identity && v == op->identity;
    out[0] = unchanged ? x : write_in_type(b, op, t, x, ox_scalar(b, t, v));
}

int mx_infer_truth(struct mx_infer *c)
{
    MX_TRY(mx_output_dtype_is(c, 0, MX_BOOL));
    return mx_same_shape(c, 0, 0);
}

int mx_check_integers(struct mx_infer *c)
{
    for (int i = 0; i < c->node->n_in; i++) {
        const enum mx_dtype t = mx_input_dtype(c, i);
        if (mx_dtype_is_float(t)) {
            return mx_infer_fail(c, NULL, "the data is %s, but the operator is defined for integers and bool only" MX_HELP "cast the data",
                                 mx_dtype_name(t));
        }
    }
    return MX_OK;
}

int mx_infer_integers(struct mx_infer *c)
{
    MX_TRY(mx_infer_same(c));
    return mx_check_integers(c);
}

ox_val ox_logical_and(struct ox_build *b, ox_val x, ox_val y)
{
    return ox_binary(b, OX_And, ox_is_true(b, x), ox_is_true(b, y));
}

ox_val ox_logical_or(struct ox_build *b, ox_val x, ox_val y)
{
    return ox_binary(b, OX_Or, ox_is_true(b, x), ox_is_true(b, y));
}

ox_val ox_logical_xor(struct ox_build *b, ox_val x, ox_val y)
{
    return ox_binary(b, OX_Xor, ox_is_true(b, x), ox_is_true(b, y));
}

/* True for negative numbers and -0. */
static ox_val is_negative(struct ox_build *b, ox_val x)
{
    const ox_val zero = ox_scalar_like(b, x, 0);
    const ox_val inverse = ox_div(b, ox_scalar_like(b, x, 1), x);
    return ox_binary(b, OX_Or, ox_binary(b, OX_Less, x, zero), ox_binary(b, OX_Less, inverse, zero));
}

/* The angle in the first quadrant, mirrored. Two zeros, or two infinities, have no ratio. */
ox_val ox_arctan2(struct ox_build *b, ox_val x, ox_val y)
{
    const double pi = 3.14159265358979323846;
    const enum mx_dtype t = ox_dtype(b, x);
    if (!mx_dtype_is_float(t)) {
        x = ox_cast(b, x, MX_FLOAT32);
        y = ox_cast(b, y, MX_FLOAT32);
    }
    const ox_val high = ox_unary(b, OX_Abs, x), wide = ox_unary(b, OX_Abs, y);
    const ox_val zero = ox_scalar_like(b, x, 0);
    const ox_val diagonal = ox_where(b, ox_binary(b, OX_Equal, high, zero), zero, ox_scalar_like(b, x, pi / 4));
    const ox_val angle = ox_where(b, ox_binary(b, OX_Equal, high, wide), diagonal, ox_unary(b, OX_Atan, ox_div(b, high, wide)));
    const ox_val upper = ox_where(b, is_negative(b, y), ox_sub(b, ox_scalar_like(b, x, pi), angle), angle);
    return ox_cast(b, ox_where(b, is_negative(b, x), ox_unary(b, OX_Neg, upper), upper), t);
}
