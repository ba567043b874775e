/* _contrib_quantize, quantize_v2, dequantize, requantize, as computed by oneDNN: a scale without an offset, rounding half to even. The
 * range corresponds to different numbers of levels: 127.5 and 255.5 in quantize_v2 and dequantize, 127 and 255 elsewhere
 * (src/operator/quantization/mkldnn). */
#include <math.h>

#include "op/op.h"
#include "shared/quantized.h"

enum { AUTO, INT8, UINT8 };

struct quantize {
    int out_type;
    struct mx_calibration calibration;
};

static const char *const types[] = {"auto", "int8", "uint8", NULL};

static const struct mx_attr v1_attrs[] = {MX_ENUM(struct quantize, out_type, "uint8", types)};

static const struct mx_attr v2_attrs[] = {
    MX_ENUM(struct quantize, out_type, "int8", types),
    MX_CALIBRATION(struct quantize),
};

/* GetQuantizeOutputType */
static enum mx_dtype type_of(const struct quantize *a)
{
    if (a->out_type == AUTO) {
        return mx_calibrated(&a->calibration) && a->calibration.low.v >= 0 ? MX_UINT8 : MX_INT8;
    }
    return a->out_type == UINT8 ? MX_UINT8 : MX_INT8;
}

static ox_val one(struct ox_build *b, double v)
{
    return ox_floats(b, MX_FLOAT32, &v, 1);
}

/* Data of a type, followed by n ends of ranges. */
static int infer_types(struct mx_infer *c, enum mx_dtype data, int n)
{
    MX_TRY(mx_infer_ranges(c, 1, n, 1, 2));
    MX_TRY(mx_input_dtype_is(c, 0, data));
    MX_TRY(mx_output_dtype_is(c, 0, type_of(c->attrs)));
    return mx_same_shape(c, 0, 0);
}

/* ---- quantize: the range as inputs */

static int infer_v1(struct mx_infer *c)
{
    const struct quantize *a = c->attrs;
    if (a->out_type == AUTO) {
        return mx_infer_fail(c, "out_type", MX_SUBJECT "is auto, but must be int8 or uint8");
    }
    return infer_types(c, MX_FLOAT32, 2);
}

/* The scale that MXNet multiplies by; it is infinite for a range that is empty or tiny. */
static bool is_finite_scale(double reach, double levels)
{
    return isfinite((float)levels / (float)reach);
}

static void lower_v1(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const enum mx_dtype t = n->out[0].dtype;
    const ox_val reach = ox_reach(b, in[1], in[2]);
    const double levels = t == MX_INT8 ? 127 : 255;
    float end;
    const bool saturates = ox_read_floats(b, reach, &end, 1) && !is_finite_scale((double)end, levels);
    out[0] = saturates ? mx_saturated(b, in[0], t) : ox_quantize(b, in[0], mx_level(b, reach, levels), t);
    out[1] = in[1];
    out[2] = in[2];
    if (t == MX_INT8) {
        mx_write_range(b, reach, out);
    }
}

/* ---- quantize_v2: the range calibrated, or that of the data */

static int infer_v2(struct mx_infer *c)
{
    const enum mx_dtype t = mx_input_dtype(c, 0);
    if (t == MX_INT8 || t == MX_UINT8) {
        return mx_infer_fail(c, "data", MX_SUBJECT "is %s, which is quantised already" MX_HELP "remove this node", mx_dtype_name(t));
    }
    return infer_types(c, MX_FLOAT32, 0);
}

/* QuantizeLinear divides by a level where MXNet multiplies by a scale. The end of a range is half way between two integers: the level
 * is chosen so that it is not rounded down. */
static double level_of(double reach, double levels)
{
    const float end = (float)reach, scale = (float)levels / end;
    float level = 1 / scale;
    while (end / level < end * scale) {
        level = nextafterf(level, 0);
    }
    return (double)level;
}

static void lower_v2(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct quantize *a = n->attrs;
    const enum mx_dtype t = n->out[0].dtype;
    const double levels = mx_levels(t);
    if (mx_calibrated(&a->calibration)) {
        const double reach = mx_calibrated_reach(&a->calibration);
        out[0] =
            is_finite_scale(reach, levels) ? ox_quantize(b, in[0], ox_float32(b, level_of(reach, levels)), t) : mx_saturated(b, in[0], t);
        out[1] = one(b, t == MX_INT8 ? -reach : a->calibration.low.v);
        out[2] = one(b, t == MX_INT8 ? reach : a->calibration.high.v);
        return;
    }
    const ox_val low = ox_reduce(b, OX_ReduceMin, in[0], NULL, -1, false);
    const ox_val high = ox_reduce(b, OX_ReduceMax, in[0], NULL, -1, false);
    out[1] = ox_unsqueeze1(b, low, 0);
    out[2] = ox_unsqueeze1(b, high, 0);
    const ox_val reach = ox_binary(b, OX_Max, ox_unary(b, OX_Abs, low), ox_unary(b, OX_Abs, high));
    const ox_val scale = ox_div(b, ox_float32(b, levels), reach); /* one element is at the end of the range */
    out[0] = ox_quantize(b, ox_mul(b, in[0], scale), ox_float32(b, 1), t);
    if (t == MX_INT8) {
        mx_write_range(b, reach, out);
    }
}

/* ---- dequantize */

static const char *const float_types[] = {"float32", NULL};

static const struct mx_attr dequantize_attrs[] = {MX_ENUM(struct quantize, out_type, "float32", float_types)};

static int infer_dequantize(struct mx_infer *c)
{
    MX_TRY(mx_infer_ranges(c, 1, 2, 0, 0));
    MX_TRY(mx_output_dtype_is(c, 0, MX_FLOAT32));
    MX_TRY(mx_same_shape(c, 0, 0));
    return mx_input_is_byte(c, 0, "data");
}

static void lower_dequantize(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    out[0] = ox_dequantize(b, in[0], mx_level_of(b, in[0], in[1], in[2]));
}

/* ---- requantize: int32 with a range to the levels of the calibrated range or of the data's */

static int infer_requantize(struct mx_infer *c)
{
    return infer_types(c, MX_INT32, 2);
}

/* Of an empty range to an empty one, MXNet's scale is NaN, which saturates as 0 does. */
static void lower_requantize(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct quantize *a = n->attrs;
    const enum mx_dtype t = n->out[0].dtype;
    const bool calibrated = mx_calibrated(&a->calibration);
    const ox_val levels = ox_float32(b, t == MX_INT8 ? 127 : 255);
    const ox_val given = ox_reach(b, in[1], in[2]);
    const ox_val from = mx_level(b, given, INT32_MAX);
    const ox_val x = ox_cast(b, in[0], MX_FLOAT32);
    const ox_val reach = calibrated ? ox_float32(b, mx_calibrated_reach(&a->calibration))
                                    : ox_mul(b, ox_reduce(b, OX_ReduceMax, ox_unary(b, OX_Abs, x), NULL, -1, false), from);
    if (mx_is_empty_range(b, calibrated ? reach : given)) {
        out[0] = mx_saturated(b, mx_is_empty_range(b, given) ? ox_mul(b, in[0], ox_scalar(b, MX_INT32, 0)) : in[0], t);
    } else {
        out[0] = ox_quantize(b, x, ox_div(b, ox_div(b, reach, levels), from), t);
    }
    mx_write_range(b, reach, out);
    if (t == MX_UINT8) {
        out[1] = one(b, 0);
    }
}

#define ON_GPU "On a GPU, MXNet rounds differently: the results are those of oneDNN on a CPU."
#define EMPTY                                                                                                                              \
    "A range that is empty or below 1e-36 at run time, not at export: MXNet gives 127 for 0 as int8, and runtimes -128, which both "       \
    "represent 0."
#define RANGED "data min_range max_range"

const struct mx_op mx_ops_quantize[] = {
    {
        .name = "_contrib_dequantize",
        MX_ATTRS(dequantize_attrs, struct quantize),
        .inputs = RANGED,
        .infer = infer_dequantize,
        .lower = lower_dequantize,
    },
    {
        QUANTIZED("_contrib_quantize", "_npx_contrib_quantize", RANGED, infer_v1, lower_v1),
        MX_ATTRS(v1_attrs, struct quantize),
        .differs = ON_GPU "\n" EMPTY,
    },
    {
        QUANTIZED("_contrib_quantize_v2", "_npx_contrib_quantize_v2", NULL, infer_v2, lower_v2),
        MX_ATTRS(v2_attrs, struct quantize),
        .refuses = "Data of int8 or uint8: it is quantised already.",
        .differs = ON_GPU "\n" EMPTY,
    },
    {
        QUANTIZED("_contrib_requantize", "_npx_requantize", RANGED, infer_requantize, lower_requantize),
        MX_ATTRS(v2_attrs, struct quantize),
        .differs = EMPTY,
    },
    MX_OPS_END,
};
