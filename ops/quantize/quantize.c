/* _contrib_quantize, quantize_v2, dequantize, requantize, as computed by oneDNN: a scale without an offset, rounding half to even. The
 * range corresponds to different numbers of levels: 127.5 and 255.5 in quantize_v2 and dequantize, 127 and 255 elsewhere
 * (src/operator/quantization/mkldnn). */
#include <math.h>

#include "onnx/builder/build.h"
#include "op/op.h"
#include "shared/quantized.h"

enum { AUTO, INT8, UINT8 };

struct quantize {
    int out_type;
    struct mx_opt_float min_calib_range, max_calib_range;
};

static const char *const types[] = {"auto", "int8", "uint8", NULL};

static const struct mx_attr v1_attrs[] = {
    MX_ENUM(struct quantize, out_type, "uint8", types),
    MX_ATTRS_END,
};

static const struct mx_attr v2_attrs[] = {
    MX_ENUM(struct quantize, out_type, "int8", types),
    MX_FLOAT_NONE(struct quantize, min_calib_range, "None"),
    MX_FLOAT_NONE(struct quantize, max_calib_range, "None"),
    MX_ATTRS_END,
};

static bool calibrated(const struct quantize *a)
{
    return mx_calibrated(a->min_calib_range, a->max_calib_range);
}

static double calibrated_reach(const struct quantize *a)
{
    return mx_calibrated_reach(a->min_calib_range, a->max_calib_range);
}

/* GetQuantizeOutputType */
static enum mx_dtype type_of(const struct quantize *a)
{
    if (a->out_type == AUTO) {
        return calibrated(a) && a->min_calib_range.v >= 0 ? MX_UINT8 : MX_INT8;
    }
    return a->out_type == UINT8 ? MX_UINT8 : MX_INT8;
}

static int check(struct mx_infer *c)
{
    const struct quantize *a = c->attrs;
    return calibrated(a) && !(calibrated_reach(a) > 0)
               ? mx_infer_fail(c, "max_calib_range", "the calibrated range is empty" MX_HELP "calibrate the model again")
               : MX_OK;
}

static ox_val number(struct ox_build *b, double v)
{
    return ox_scalar(b, MX_FLOAT32, v);
}

static ox_val one(struct ox_build *b, double v)
{
    return ox_floats(b, MX_FLOAT32, &v, 1);
}

/* Writes -reach and reach, from a float (). */
static void symmetric(struct ox_build *b, ox_val reach, ox_val *out)
{
    out[2] = ox_unsqueeze1(b, reach, 0);
    out[1] = ox_unary(b, OX_Neg, out[2]);
}

/* ---- quantize: the range as inputs */

static int infer_v1(struct mx_infer *c)
{
    const struct quantize *a = c->attrs;
    if (a->out_type == AUTO) {
        return mx_infer_fail(c, "out_type", "is auto, but must be int8 or uint8");
    }
    MX_TRY(mx_infer_ranges(c, 1, 2, 1, 2));
    MX_TRY(mx_input_dtype_is(c, 0, MX_FLOAT32));
    MX_TRY(mx_output_dtype_is(c, 0, type_of(a)));
    return mx_same_shape(c, 0, 0);
}

static void lower_v1(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const enum mx_dtype t = n->out[0].dtype;
    const ox_val reach = ox_reach(b, in[1], in[2]);
    out[0] = ox_quantize(b, in[0], ox_div(b, reach, number(b, t == MX_INT8 ? 127 : 255)), t);
    out[1] = in[1];
    out[2] = in[2];
    if (t == MX_INT8) {
        symmetric(b, reach, out);
    }
}

/* ---- quantize_v2: the range calibrated, or that of the data */

static int infer_v2(struct mx_infer *c)
{
    const struct quantize *a = c->attrs;
    const enum mx_dtype t = mx_input_dtype(c, 0);
    MX_TRY(mx_infer_ranges(c, 0, 0, 1, 2));
    if (t == MX_INT8 || t == MX_UINT8) {
        return mx_infer_fail(c, "data", "is %s, which is quantised already" MX_HELP "remove this node", mx_dtype_name(t));
    }
    MX_TRY(mx_input_dtype_is(c, 0, MX_FLOAT32));
    MX_TRY(mx_output_dtype_is(c, 0, type_of(a)));
    return mx_same_shape(c, 0, 0);
}

/* QuantizeLinear divides by a level where MXNet multiplies by a scale. The end of a range is half way between two integers: the level
 * is chosen so that it is not rounded down. */
static double level_of(double reach, double levels)
{
    const float end = (float)reach, scale = (float)levels / end;
    float level = 1 / scale;
    while (level > 0 && end / level < end * scale) {
        level = nextafterf(level, 0);
    }
    return (double)level;
}

/* For an empty range, as of states that were always 0, the scale is infinite; its product with 0 saturates as well. */
static ox_val saturated(struct ox_build *b, ox_val x, enum mx_dtype t)
{
    const ox_val zero = ox_scalar_like(b, x, 0);
    const ox_val high = t == MX_UINT8 ? ox_binary(b, OX_Greater, x, zero) : ox_binary(b, OX_GreaterOrEqual, x, zero);
    return ox_where(b, high, ox_scalar(b, t, t == MX_UINT8 ? UINT8_MAX : INT8_MAX), ox_scalar(b, t, t == MX_UINT8 ? 0 : INT8_MIN));
}

static void lower_v2(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct quantize *a = n->attrs;
    const enum mx_dtype t = n->out[0].dtype;
    const double levels = mx_levels(t);
    if (calibrated(a)) {
        const double reach = calibrated_reach(a);
        out[0] = reach > 0 ? ox_quantize(b, in[0], number(b, level_of(reach, levels)), t) : saturated(b, in[0], t);
        out[1] = one(b, t == MX_INT8 ? -reach : a->min_calib_range.v);
        out[2] = one(b, t == MX_INT8 ? reach : a->max_calib_range.v);
        return;
    }
    const ox_val low = ox_reduce(b, OX_ReduceMin, in[0], NULL, -1, false);
    const ox_val high = ox_reduce(b, OX_ReduceMax, in[0], NULL, -1, false);
    out[1] = ox_unsqueeze1(b, low, 0);
    out[2] = ox_unsqueeze1(b, high, 0);
    const ox_val reach = ox_binary(b, OX_Max, ox_unary(b, OX_Abs, low), ox_unary(b, OX_Abs, high));
    const ox_val scale = ox_div(b, number(b, levels), reach); /* one element is at the end of the range */
    out[0] = ox_quantize(b, ox_mul(b, in[0], scale), number(b, 1), t);
    if (t == MX_INT8) {
        symmetric(b, reach, out);
    }
}

/* ---- dequantize */

static const char *const float_types[] = {"float32", NULL};

static const struct mx_attr dequantize_attrs[] = {
    MX_ENUM(struct quantize, out_type, "float32", float_types),
    MX_ATTRS_END,
};

static int infer_dequantize(struct mx_infer *c)
{
    const enum mx_dtype t = mx_input_dtype(c, 0);
    MX_TRY(mx_infer_ranges(c, 1, 2, 0, 0));
    MX_TRY(mx_output_dtype_is(c, 0, MX_FLOAT32));
    MX_TRY(mx_same_shape(c, 0, 0));
    if (t != MX_DTYPE_NONE && t != MX_INT8 && t != MX_UINT8) {
        return mx_infer_fail(c, "data", "is %s, but must be int8 or uint8", mx_dtype_name(t));
    }
    return MX_OK;
}

static void lower_dequantize(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const double levels = mx_levels(ox_dtype(b, in[0]));
    const ox_val reach = ox_reach(b, in[1], in[2]);
    out[0] = ox_dequantize(b, in[0], ox_div(b, reach, number(b, levels)));
}

/* ---- requantize: int32 with a range to the levels of the calibrated range or of the data's */

enum { INT32_LEVELS = INT32_MAX };

static int infer_requantize(struct mx_infer *c)
{
    const struct quantize *a = c->attrs;
    MX_TRY(check(c));
    MX_TRY(mx_infer_ranges(c, 1, 2, 1, 2));
    MX_TRY(mx_input_dtype_is(c, 0, MX_INT32));
    MX_TRY(mx_output_dtype_is(c, 0, type_of(a)));
    return mx_same_shape(c, 0, 0);
}

static void lower_requantize(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct quantize *a = n->attrs;
    const enum mx_dtype t = n->out[0].dtype;
    const ox_val levels = number(b, t == MX_INT8 ? 127 : 255);
    const ox_val from = ox_div(b, ox_reach(b, in[1], in[2]), number(b, INT32_LEVELS));
    const ox_val x = ox_cast(b, in[0], MX_FLOAT32);
    ox_val reach;
    if (calibrated(a)) {
        reach = number(b, calibrated_reach(a));
    } else {
        const ox_val largest = ox_reduce(b, OX_ReduceMax, ox_unary(b, OX_Abs, x), NULL, -1, false);
        reach = ox_mul(b, largest, from);
    }
    out[0] = ox_quantize(b, x, ox_div(b, ox_div(b, reach, levels), from), t);
    symmetric(b, reach, out);
    if (t == MX_UINT8) {
        out[1] = one(b, 0);
    }
}

const struct mx_op mx_ops_quantize[] = {
    {
        .name = "_contrib_dequantize",
        MX_ATTRS(dequantize_attrs, struct quantize),
        .inputs = "data min_range max_range",
        .infer = infer_dequantize,
        .lower = lower_dequantize,
    },
    {
        .name = "_contrib_quantize",
        .alias = "_npx_contrib_quantize",
        MX_ATTRS(v1_attrs, struct quantize),
        .inputs = "data min_range max_range",
        .outputs = "output min_output max_output",
        .infer = infer_v1,
        .lower = lower_v1,
        .differs = "On a GPU, MXNet rounds differently: the results are those of oneDNN on a CPU.",
    },
    {
        .name = "_contrib_quantize_v2",
        .alias = "_npx_contrib_quantize_v2",
        MX_ATTRS(v2_attrs, struct quantize),
        .outputs = "output min_output max_output",
        .infer = infer_v2,
        .lower = lower_v2,
        .refuses = "Data of int8 or uint8: it is quantised already.",
        .differs = "On a GPU, MXNet rounds differently: the results are those of oneDNN on a CPU.",
    },
    {
        .name = "_contrib_requantize",
        .alias = "_npx_requantize",
        MX_ATTRS(v2_attrs, struct quantize),
        .inputs = "data min_range max_range",
        .outputs = "output min_output max_output",
        .infer = infer_requantize,
        .lower = lower_requantize,
    },
    MX_OPS_END,
};
