/* _contrib_quantized_act, batch_norm, concat, elemwise_add, elemwise_mul, embedding, flatten: 8-bit integers with a range, as computed
 * by oneDNN: 127.5 levels for int8, 255.5 for uint8, rounding half to even (src/operator/quantization/mkldnn). */
#include <math.h>

#include "op/op.h"
#include "shared/quantized.h"

struct quantized {
    int act_type;
    int64_t num_args, dim, axis, input_dim, output_dim;
    double eps;
    bool enable_float_output;
    struct mx_calibration calibration;
};

/* ---- act */

static const char *const acts[] = {"relu", "sigmoid", "softrelu", "softsign", "tanh", NULL};

static const struct mx_attr act_attrs[] = {MX_ENUM(struct quantized, act_type, NULL, acts)};

static int infer_act(struct mx_infer *c)
{
    struct mx_shape s;
    if (((const struct quantized *)c->attrs)->act_type != 0) {
        return mx_infer_fail(c, "act_type", "only relu has a quantised form in MXNet" MX_HELP "exclude this node from quantisation");
    }
    MX_TRY(mx_infer_ranges(c, 1, 2, 1, 2));
    MX_TRY(mx_input_is_byte(c, 0, "data"));
    MX_TRY(mx_output_dtype_is(c, 0, MX_INT8));
    MX_TRY(mx_input(c, 0, &s));
    return mx_output_is(c, 0, s);
}

/* The output is int8 for any type of data (quantized_activation.cc, QuantizedActivationType): 200 becomes -56. */
static ox_val wrapped(struct ox_build *b, ox_val x)
{
    const ox_val wide = ox_cast(b, x, MX_INT32);
    const ox_val above = ox_binary(b, OX_Greater, wide, ox_scalar(b, MX_INT32, INT8_MAX));
    const ox_val rest = ox_sub(b, wide, ox_scalar(b, MX_INT32, 256));
    return ox_cast(b, ox_where(b, above, rest, wide), MX_INT8);
}

static void lower_act(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    out[0] = ox_dtype(b, in[0]) == MX_UINT8 ? wrapped(b, in[0]) : ox_binary(b, OX_Max, in[0], ox_scalar_like(b, in[0], 0));
    out[1] = in[1];
    out[2] = in[2];
}

/* ---- flatten */

static int infer_flatten(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_infer_ranges(c, 1, 2, 1, 2));
    MX_TRY(mx_input_is_byte(c, 0, "data"));
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    if (s.ndim < 1) {
        return mx_infer_fail(c, "data", MX_SUBJECT "has rank 0, but must have rank 1 or more");
    }
    return mx_output_is(c, 0, MX_DIMS(s.dims[0], mx_dim_product(c->dims, s.dims + 1, s.ndim - 1)));
}

static void lower_flatten(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    out[0] = ox_reshape_shape(b, in[0], n->out[0].shape);
    out[1] = in[1];
    out[2] = in[2];
}

/* ---- concat: all inputs are converted to the widest range; equal ranges, as empty ones, leave them as they are */

static const struct mx_attr concat_attrs[] = {
    MX_COUNT(struct quantized, num_args, NULL),
    MX_AXIS(struct quantized, dim, "1"),
};

static int concat_inputs(const void *attrs_)
{
    return 3 * mx_count(((const struct quantized *)attrs_)->num_args);
}

static int infer_concat(struct mx_infer *c)
{
    const struct quantized *a = c->attrs;
    const int n = c->node->n_in / 3;
    enum mx_dtype t = MX_UINT8;
    struct mx_shape first, s;
    struct mx_dim_list dims = mx_no_dims(c);
    int axis;
    if (a->num_args != n) {
        return mx_infer_fail(c, "num_args", MX_SUBJECT "is %lld, but the node has %d inputs", (long long)a->num_args, c->node->n_in);
    }
    MX_TRY(mx_infer_ranges(c, n, 2 * n, 1, 2));
    MX_TRY(mx_input(c, 0, &first));
    MX_TRY(mx_axis(c, a->dim, first.ndim, "dim", &axis));
    mx_push_dims(&dims, first.dims, first.ndim);
    MX_TRY(mx_inputs_typed(c));
    for (int i = 0; i < n; i++) {
        MX_TRY(mx_input_is_byte(c, i, "data"));
        MX_TRY(mx_input_rank(c, i, first.ndim, &s));
        t = mx_input_dtype(c, i) == MX_INT8 ? MX_INT8 : t;
        mx_put_dim(&dims, axis, i == 0 ? s.dims[axis] : mx_dim_add(c->dims, mx_get_dim(&dims, axis), s.dims[axis]));
        for (int k = 0; k < first.ndim; k++) {
            if (k != axis) {
                MX_TRY(mx_same_dim(c, mx_get_dim(&dims, k), s.dims[k], "sizes of the other axes"));
            }
        }
    }
    MX_TRY(mx_output_dtype_is(c, 0, t));
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

/* The minimum or maximum of the ranges' ends and 0. */
static ox_val outermost(struct ox_build *b, enum ox_op op, const ox_val *in, int n, int end)
{
    const double zero = 0;
    ox_val found = ox_floats(b, MX_FLOAT32, &zero, 1);
    for (int i = 0; i < n; i++) {
        found = ox_binary(b, op, found, in[n + 2 * i + end]);
    }
    return found;
}

static void lower_concat(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct quantized *a = n->attrs;
    const int count = n->n_in / 3;
    const enum mx_dtype t = n->out[0].dtype;
    ox_val *parts = ox_scratch(b, (size_t)count, sizeof *parts);
    out[1] = outermost(b, OX_Min, in, count, 0);
    out[2] = outermost(b, OX_Max, in, count, 1);
    const ox_val reach = ox_reach(b, out[1], out[2]);
    const ox_val to = mx_level(b, reach, mx_levels(t));
    for (int i = 0; parts && i < count; i++) {
        const ox_val one = ox_reach(b, in[count + 2 * i], in[count + 2 * i + 1]);
        const ox_val from = mx_level(b, one, mx_levels(ox_dtype(b, in[i])));
        const bool equal = mx_is_empty_range(b, one) && mx_is_empty_range(b, reach) && ox_dtype(b, in[i]) == t;
        parts[i] = equal ? in[i] : ox_quantize(b, in[i], ox_div(b, to, from), t);
    }
    out[0] = ox_concat(b, parts, count, (int)mx_wrap(a->dim, ox_rank(b, in[0])));
}

/* ---- elemwise_add, elemwise_mul */

static const struct mx_attr add_attrs[] = {MX_CALIBRATION(struct quantized)};

static int infer_pair(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_input_is(c, 1, s));
    return mx_output_is(c, 0, s);
}

static int infer_add(struct mx_infer *c)
{
    const struct quantized *a = c->attrs;
    const enum mx_dtype l = mx_input_dtype(c, 0), r = mx_input_dtype(c, 1);
    MX_TRY(mx_infer_ranges(c, 2, 4, 1, 2));
    MX_TRY(mx_input_is_byte(c, 0, "data"));
    MX_TRY(mx_input_is_byte(c, 1, "data"));
    MX_TRY(infer_pair(c));
    MX_TRY(mx_inputs_typed(c));
    return mx_output_dtype_is(c, 0, !mx_calibrated(&a->calibration) ? MX_INT32 : l == r ? l : MX_INT8);
}

/* Together with int8, uint8 is first rounded to int8 in steps of the sum. An int32 sum has such small steps that the rounded value
 * saturates. */
static ox_val addend(struct ox_build *b, ox_val x, ox_val scale, bool beside_int8)
{
    if (!beside_int8 || ox_dtype(b, x) == MX_INT8) {
        return ox_mul(b, ox_cast(b, x, MX_FLOAT32), scale);
    }
    const ox_val inverse = ox_div(b, ox_float32(b, 1), scale);
    return ox_cast(b, ox_quantize(b, x, inverse, MX_INT8), MX_FLOAT32);
}

/* The sum of both ranges, in steps of int32. Returns the number of steps per 1. */
static ox_val open_range(struct ox_build *b, const ox_val *in, ox_val *out)
{
    const ox_val reach = ox_add(b, ox_reach(b, in[2], in[3]), ox_reach(b, in[4], in[5]));
    mx_write_range(b, reach, out);
    return ox_div(b, ox_float32(b, INT32_MAX), reach);
}

/* With an empty range for the sum, the scales are infinite: an integer of 0 and integers of two signs give NaN. That is 127 for int8 and 0
 * for uint8, as is an end whose sign both have not. Beside int8, uint8 has been rounded and decides nothing. */
static ox_val empty_sum(struct ox_build *b, const ox_val *in, enum mx_dtype t)
{
    const enum mx_dtype types[] = {ox_dtype(b, in[0]), ox_dtype(b, in[1])};
    ox_val x[2];
    int n = 0;
    for (int i = 0; i < 2; i++) {
        if (types[i] == t) {
            const bool empty = mx_is_empty_range(b, ox_reach(b, in[2 + 2 * i], in[3 + 2 * i]));
            const ox_val wide = ox_cast(b, in[i], MX_INT32);
            x[n++] = empty ? ox_mul(b, wide, ox_scalar(b, MX_INT32, 0)) : wide;
        }
    }
    return mx_saturated(b, n == 1 ? x[0] : ox_binary(b, t == MX_INT8 ? OX_Max : OX_Min, x[0], x[1]), t);
}

static ox_val saturated(struct ox_build *b, ox_val x)
{
    const ox_val low = ox_float32(b, INT32_MIN), high = ox_float32(b, INT32_MAX - 127);
    return ox_cast(b, ox_clip(b, ox_unary(b, OX_Round, x), low, high), MX_INT32);
}

static void lower_add(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct quantized *a = n->attrs;
    const enum mx_dtype t = n->out[0].dtype;
    const bool mixed = ox_dtype(b, in[0]) != ox_dtype(b, in[1]);
    if (t != MX_INT32 && !(mx_calibrated_reach(&a->calibration) > 0)) {
        out[0] = empty_sum(b, in, t);
        mx_write_calibration(b, &a->calibration, out);
        return;
    }
    const ox_val wanted = t == MX_INT32 ? open_range(b, in, out) : ox_float32(b, mx_levels(t) / mx_calibrated_reach(&a->calibration));
    const ox_val l_scale = ox_mul(b, wanted, mx_level_of(b, in[0], in[2], in[3]));
    const ox_val r_scale = ox_mul(b, wanted, mx_level_of(b, in[1], in[4], in[5]));
    const ox_val sum = ox_add(b, addend(b, in[0], l_scale, mixed), addend(b, in[1], r_scale, mixed));
    if (t == MX_INT32) {
        out[0] = saturated(b, sum);
        return;
    }
    out[0] = ox_quantize(b, sum, ox_float32(b, 1), t);
    mx_write_calibration(b, &a->calibration, out);
}

static const struct mx_attr mul_attrs[] = {
    MX_CALIBRATION(struct quantized),
    MX_BOOL(struct quantized, enable_float_output, "False"),
};

static int infer_mul(struct mx_infer *c)
{
    const struct quantized *a = c->attrs;
    const enum mx_dtype t = a->enable_float_output ? MX_FLOAT32 : mx_calibrated(&a->calibration) ? MX_INT8 : MX_INT32;
    MX_TRY(mx_infer_ranges(c, 2, 4, 1, c->node->n_out - 1));
    MX_TRY(mx_input_dtype_is(c, 0, MX_INT8));
    MX_TRY(mx_input_dtype_is(c, 1, MX_INT8));
    MX_TRY(mx_output_dtype_is(c, 0, t));
    return infer_pair(c);
}

/* Fractions are truncated, and int8 wraps around (quantized_elemwise_mul.cc), so that infinity becomes 0. */
static void lower_mul(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct quantized *a = n->attrs;
    const ox_val l = ox_cast(b, in[0], MX_INT32);
    const ox_val product = ox_mul(b, l, ox_cast(b, in[1], MX_INT32));
    if (!a->enable_float_output && !mx_calibrated(&a->calibration)) {
        const ox_val l_level = mx_level(b, ox_reach(b, in[2], in[3]), 127);
        const ox_val r_level = mx_level(b, ox_reach(b, in[4], in[5]), 127);
        out[0] = product;
        mx_write_range(b, ox_mul(b, ox_mul(b, l_level, r_level), ox_float32(b, INT32_MAX)), out);
        return;
    }
    const ox_val l_level = mx_level_of(b, in[0], in[2], in[3]);
    const ox_val unit = ox_mul(b, l_level, mx_level_of(b, in[1], in[4], in[5]));
    const ox_val x = ox_cast(b, product, MX_FLOAT32);
    if (a->enable_float_output) {
        out[0] = ox_mul(b, x, unit);
        return;
    }
    const double reach = mx_calibrated_reach(&a->calibration);
    const ox_val scale = ox_mul(b, unit, ox_float32(b, reach > 0 ? 127.5 / reach : 0));
    out[0] = ox_cast(b, ox_cast(b, ox_mul(b, x, scale), MX_INT32), MX_INT8);
    mx_write_calibration(b, &a->calibration, out);
}

/* ---- batch_norm */

/* The kernel reads gamma, whatever fix_gamma is. */
static const struct mx_attr norm_attrs[] = {
    MX_DOUBLE(struct quantized, eps, "1e-3"),
    MX_AXIS(struct quantized, axis, "1"),
    MX_CALIBRATION(struct quantized),
    MX_IGNORED("momentum fix_gamma use_global_stats output_mean_var cudnn_off"),
};

static int infer_norm(struct mx_infer *c)
{
    const struct quantized *a = c->attrs;
    struct mx_shape x;
    int axis;
    if (!mx_calibrated(&a->calibration)) {
        return mx_infer_fail(c, "min_calib_range", "the output has no calibrated range" MX_HELP "calibrate the model");
    }
    MX_TRY(mx_infer_ranges(c, 5, 2, 1, 2));
    MX_TRY(mx_input_is_byte(c, 0, "data"));
    MX_TRY(mx_output_dtype_is(c, 0, MX_INT8));
    MX_TRY(mx_input(c, 0, &x));
    MX_TRY(mx_axis(c, a->axis, x.ndim, "axis", &axis));
    for (int i = 1; i < 5; i++) {
        MX_TRY(mx_input_dtype_is(c, i, MX_FLOAT32));
        MX_TRY(mx_input_is_dims(c, i, &x.dims[axis], 1));
    }
    return mx_output_is(c, 0, x);
}

/* The sum of an infinite product and an infinite shift, where only the signs count: 0, which stands for NaN, unless both have one sign. */
static ox_val where_agreed(struct ox_build *b, ox_val x, ox_val shift)
{
    const ox_val zero = ox_float32(b, 0);
    const ox_val above = ox_binary(b, OX_Max, ox_binary(b, OX_Min, x, shift), zero);
    const ox_val below = ox_binary(b, OX_Min, ox_binary(b, OX_Max, x, shift), zero);
    return ox_add(b, above, below);
}

static void lower_norm(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct quantized *a = n->attrs;
    const int rank = ox_rank(b, in[0]), axis = (int)mx_wrap(a->axis, rank);
    const ox_val gamma = in[1], beta = in[2], mean = in[3], var = in[4];
    const double reach = mx_calibrated_reach(&a->calibration), to = reach > 0 ? reach : 1;
    ox_val x = in[0];
    if (ox_dtype(b, x) == MX_UINT8) {
        x = ox_quantize(b, x, ox_float32(b, 255.5 / 127.5), MX_INT8);
    }
    const ox_val deviation = ox_unary(b, OX_Sqrt, ox_add(b, var, ox_float32(b, a->eps)));
    const ox_val slope = ox_div(b, gamma, deviation);
    /* the kernel normalises a second time, with a variance of 1 and the same eps */
    const ox_val divisor = ox_float32(b, to * sqrt(1 + a->eps));
    const ox_val from = ox_div(b, ox_reach(b, in[5], in[6]), divisor);
    const ox_val rest = ox_sub(b, beta, ox_mul(b, mean, slope));
    const ox_val weight = ox_along(b, ox_mul(b, slope, from), axis, rank);
    const ox_val shift = ox_along(b, ox_mul(b, rest, ox_float32(b, 127.5 / to)), axis, rank);
    const ox_val product = ox_mul(b, ox_cast(b, x, MX_FLOAT32), weight);
    const ox_val y = reach > 0 ? ox_add(b, product, shift) : where_agreed(b, product, shift);
    out[0] = ox_quantize(b, y, ox_float32(b, reach > 0 ? 1 : 1e-30), MX_INT8);
    mx_write_calibration(b, &a->calibration, out);
}

/* ---- embedding */

static const struct mx_attr embedding_attrs[] = {
    MX_COUNT(struct quantized, input_dim, NULL),
    MX_COUNT(struct quantized, output_dim, NULL),
    MX_IGNORED("dtype sparse_grad"),
};

static int infer_embedding(struct mx_infer *c)
{
    const struct quantized *a = c->attrs;
    struct mx_shape x;
    MX_TRY(mx_positive(c, "input_dim", a->input_dim));
    MX_TRY(mx_positive(c, "output_dim", a->output_dim));
    MX_TRY(mx_infer_ranges(c, 2, 2, 1, 2));
    MX_TRY(mx_input_dtype_is(c, 1, MX_INT8));
    MX_TRY(mx_output_dtype_is(c, 0, MX_INT8));
    MX_TRY(mx_input_is(c, 1, MX_DIMS(mx_dim_of(a->input_dim), mx_dim_of(a->output_dim))));
    MX_TRY(mx_input(c, 0, &x));
    struct mx_dim_list out = mx_dims_like(c, x);
    mx_push_dim(&out, mx_dim_of(a->output_dim));
    return mx_output_is_dims(c, 0, out.v, out.n);
}

static void lower_embedding(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct quantized *a = n->attrs;
    out[0] = ox_gather(b, in[1], ox_index(b, in[0], a->input_dim), 0);
    out[1] = in[2];
    out[2] = in[3];
}

#define PAIR "lhs rhs lhs_min lhs_max rhs_min rhs_max"

const struct mx_op mx_ops_quantized_elementwise[] = {
    {
        QUANTIZED("_contrib_quantized_act", "_npx_quantized_act", "data min_data max_data", infer_act, lower_act),
        MX_ATTRS(act_attrs, struct quantized),
        .refuses = "act_type other than \"relu\": MXNet has no quantised form of it.",
    },
    {
        QUANTIZED("_contrib_quantized_batch_norm", NULL, "data gamma:learned beta:learned moving_mean:aux moving_var:aux min_data max_data",
                  infer_norm, lower_norm),
        MX_ATTRS(norm_attrs, struct quantized),
        .refuses = "A model without calibration (min_calib_range, max_calib_range): MXNet does not run it either.",
    },
    {
        QUANTIZED("_contrib_quantized_concat", NULL, "arg...", infer_concat, lower_concat),
        MX_ATTRS(concat_attrs, struct quantized),
        .n_inputs = concat_inputs,
    },
    {
        QUANTIZED("_contrib_quantized_elemwise_add", "_npx_quantized_elemwise_add", PAIR, infer_add, lower_add),
        MX_ATTRS(add_attrs, struct quantized),
        .differs = "A model without calibration: the sum, int32, has the precision of float32; oneDNN rounds it differently.",
    },
    {
        .name = "_contrib_quantized_elemwise_mul",
        .alias = "_npx_quantized_elemwise_mul",
        MX_ATTRS(mul_attrs, struct quantized),
        .inputs = PAIR,
        .outputs = "output min_output:unless(enable_float_output) max_output:unless(enable_float_output)",
        .infer = infer_mul,
        .lower = lower_mul,
    },
    {
        QUANTIZED("_contrib_quantized_embedding", "_npx_quantized_embedding", "data weight:learned min_weight max_weight", infer_embedding,
                  lower_embedding),
        MX_ATTRS(embedding_attrs, struct quantized),
    },
    {QUANTIZED("_contrib_quantized_flatten", "_npx_quantized_flatten", "data min_data max_data", infer_flatten, lower_flatten)},
    MX_OPS_END,
};
