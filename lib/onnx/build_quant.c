/* Groups of nodes that quantised operators share. A range of two floats stands beside each
 * quantised tensor; its larger magnitude is what the largest level means. */
#include "onnx/build_internal.h"

ox_val ox_reach(struct ox_build *b, ox_val low, ox_val high)
{
    const ox_val l = ox_unary(b, "Abs", low);
    const ox_val h = ox_unary(b, "Abs", high);
    return ox_squeeze1(b, ox_binary(b, "Max", l, h), 0);
}

ox_val ox_quantize(struct ox_build *b, ox_val x, ox_val level, enum mx_dtype t)
{
    const ox_val zero = ox_scalar(b, t, 0);
    return ox_node(b, "QuantizeLinear", OX_IN(ox_cast(b, x, MX_FLOAT32), level, zero), OX_NO_ATTRS);
}
