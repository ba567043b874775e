#include "shared/quantized.h"

#include <math.h>

double mx_levels(enum mx_dtype t)
{
    return t == MX_INT8 ? 127.5 : 255.5;
}

float mx_quantize_scale(enum mx_dtype t, float reach)
{
    return reach > 0 ? (float)mx_levels(t) / reach : (float)INT32_MAX;
}

bool mx_calibrated(const struct mx_calibration *r)
{
    return r->low.given && r->high.given;
}

double mx_calibrated_reach(const struct mx_calibration *r)
{
    return fmax(fabs(r->low.v), fabs(r->high.v));
}

void mx_write_calibration(struct ox_build *b, const struct mx_calibration *r, ox_val *out)
{
    out[1] = ox_floats(b, MX_FLOAT32, &r->low.v, 1);
    out[2] = ox_floats(b, MX_FLOAT32, &r->high.v, 1);
}

bool mx_is_empty_range(struct ox_build *b, ox_val reach)
{
    float end;
    return ox_read_floats(b, reach, &end, 1) && !(end > 0);
}

ox_val mx_saturated(struct ox_build *b, ox_val x, enum mx_dtype t)
{
    const ox_val zero = ox_scalar_like(b, x, 0);
    const ox_val high = t == MX_UINT8 ? ox_binary(b, OX_Greater, x, zero) : ox_binary(b, OX_GreaterOrEqual, x, zero);
    return ox_where(b, high, ox_scalar(b, t, mx_dtype_largest(t)), ox_scalar(b, t, mx_dtype_lowest(t)));
}

ox_val mx_level(struct ox_build *b, ox_val reach, double levels)
{
    return ox_div(b, reach, ox_float32(b, levels));
}

ox_val mx_level_of(struct ox_build *b, ox_val x, ox_val low, ox_val high)
{
    return mx_level(b, ox_reach(b, low, high), mx_levels(ox_dtype(b, x)));
}

void mx_write_range(struct ox_build *b, ox_val reach, ox_val *out)
{
    out[2] = ox_unsqueeze1(b, reach, 0);
    out[1] = ox_unary(b, OX_Neg, out[2]);
}

int mx_input_is_byte(struct mx_infer *c, int i, const char *what)
{
    const enum mx_dtype t = mx_input_dtype(c, i);
    return t == MX_DTYPE_NONE || t == MX_INT8 || t == MX_UINT8
               ? MX_OK
               : mx_infer_fail(c, what, MX_SUBJECT "is %s, but must be int8 or uint8", mx_dtype_name(t));
}
