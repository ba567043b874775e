#include "shared/binary.h"

ox_val mx_write_binary(struct ox_build *b, const struct binary *op, ox_val x, ox_val y)
{
    const ox_val first = op->swapped ? y : x, second = op->swapped ? x : y;
    const ox_val r = op->write ? op->write(b, first, second) : ox_binary(b, op->onnx, first, second);
    return op->negated ? ox_unary(b, OX_Not, r) : r;
}

void mx_lower_binary(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct binary *op = n->op->data;
    const enum mx_dtype t = n->out[0].dtype;
    const ox_val x = ox_cast(b, in[0], t), y = ox_cast(b, in[1], t);
    out[0] = t == MX_BOOL && op->bools ? op->bools(b, x, y) : ox_cast(b, mx_write_binary(b, op, x, y), t);
}

void mx_lower_number(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct binary *op = n->op->data;
    const struct mx_scalar *a = n->attrs;
    const enum mx_dtype t = n->out[0].dtype;
    const double v = mx_number_in(t, a->scalar);
    const ox_val x = ox_cast(b, in[0], t);
    const bool unchanged = op->has_identity && v == op->identity;
    out[0] = unchanged ? x : ox_cast(b, mx_write_binary(b, op, x, ox_scalar(b, t, v)), t);
}

int mx_infer_scalar(struct mx_infer *c)
{
    const struct mx_scalar *a = c->attrs;
    return mx_infer_number(c, a->is_int);
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
