/* _image_random_brightness and similar, _image_adjust_lighting: random changes to images (height, width, channels)
 * (src/operator/image/image_random-inl.h). The random numbers are never the same as MXNet's. */
#include <float.h>

#include "op/op.h"
#include "shared/random_numbers.h"

struct change {
    double min_factor, max_factor, brightness, contrast, saturation, hue, alpha_std;
    struct mx_floats alpha;
};

static const struct mx_attr factor_attrs[] = {
    MX_FLOAT(struct change, min_factor, NULL),
    MX_FLOAT(struct change, max_factor, NULL),
};

static const struct mx_attr jitter_attrs[] = {
    MX_FLOAT(struct change, brightness, NULL),
    MX_FLOAT(struct change, contrast, NULL),
    MX_FLOAT(struct change, saturation, NULL),
    MX_FLOAT(struct change, hue, NULL),
};

static const struct mx_attr lighting_attrs[] = {MX_FLOATS(struct change, alpha, NULL)};

static const struct mx_attr random_lighting_attrs[] = {MX_FLOAT(struct change, alpha_std, "0.05")};

static int infer(struct mx_infer *c)
{
    struct mx_shape s;
    int64_t channels;
    MX_TRY(mx_infer_same(c));
    MX_TRY(mx_input_rank(c, 0, 3, &s));
    MX_TRY(mx_number(c, s.dims[2], "the axis of channels", &channels));
    return channels == 1 || channels == 3
               ? MX_OK
               : mx_infer_fail(c, "data", MX_SUBJECT "has %lld channels, but must have 1 or 3", (long long)channels);
}

static int infer_lighting(struct mx_infer *c)
{
    const struct change *a = c->attrs;
    return a->alpha.n == 3 ? infer(c) : mx_infer_fail(c, "alpha", MX_SUBJECT "has length %d, but must have 3 numbers", a->alpha.n);
}

/* ---- changes of floats x by a factor, float () */

typedef ox_val change_fn(struct ox_build *b, ox_val x, ox_val factor);

static bool is_gray(struct ox_build *b, ox_val x)
{
    return mx_dim_equal(ox_dims_table(b), ox_dim_at(b, x, 2), mx_dim_of(1));
}

static ox_val minus(struct ox_build *b, double v, ox_val x)
{
    return ox_sub(b, ox_scalar_like(b, x, v), x);
}

static ox_val brightness(struct ox_build *b, ox_val x, ox_val factor)
{
    return ox_mul(b, x, factor);
}

/* Blends with the mean gray of all pixels. */
static ox_val contrast(struct ox_build *b, ox_val x, ox_val factor)
{
    static const double weights[] = {0.299, 0.587, 0.114};
    ox_val gray = x;
    if (!is_gray(b, x)) {
        const ox_val weighted = ox_mul(b, x, ox_floats(b, MX_FLOAT32, weights, 3));
        gray = ox_reduce(b, OX_ReduceSum, weighted, (const int64_t[]){2}, 1, true);
    }
    const ox_val mean = ox_reduce(b, OX_ReduceMean, gray, NULL, -1, false);
    return ox_add(b, ox_mul(b, x, factor), ox_mul(b, minus(b, 1, factor), mean));
}

/* Blends with the gray of each pixel; AdjustSaturationImpl uses the last channel's part only. */
static ox_val saturation(struct ox_build *b, ox_val x, ox_val factor)
{
    if (is_gray(b, x)) {
        return x;
    }
    const ox_val gray = ox_scaled(b, ox_slice1(b, x, 2, 2, 3), 0.114);
    return ox_add(b, ox_mul(b, x, factor), ox_mul(b, minus(b, 1, factor), gray));
}

/* ---- hue: conversion to hue, lightness and saturation, and back */

struct hls {
    ox_val h, l, s; /* (height, width, 1); h in degrees */
};

static ox_val if_equal(struct ox_build *b, ox_val x, ox_val y, ox_val yes, ox_val no)
{
    return ox_where(b, ox_binary(b, OX_Equal, x, y), yes, no);
}

/* 60 (x - y) / span + degrees */
static ox_val sector(struct ox_build *b, ox_val x, ox_val y, ox_val span, double degrees)
{
    const ox_val part = ox_scaled(b, ox_div(b, ox_sub(b, x, y), span), 60);
    return ox_add(b, part, ox_scalar_like(b, part, degrees));
}

static struct hls to_hls(struct ox_build *b, ox_val x)
{
    const ox_val zero = ox_scalar_like(b, x, 0), one = ox_scalar_like(b, x, 1);
    const ox_val unit = ox_scaled(b, x, 1 / 255.0);
    ox_val c[3];
    ox_split(b, unit, 2, (const int64_t[]){1, 1, 1}, 3, c);
    const ox_val high = ox_reduce(b, OX_ReduceMax, unit, (const int64_t[]){2}, 1, true);
    const ox_val low = ox_reduce(b, OX_ReduceMin, unit, (const int64_t[]){2}, 1, true);
    const ox_val span = ox_sub(b, high, low), sum = ox_add(b, high, low);
    const ox_val coloured = ox_binary(b, OX_Greater, span, ox_scalar_like(b, x, (double)FLT_EPSILON));
    const ox_val safe = ox_where(b, coloured, span, one);
    const ox_val l = ox_scaled(b, sum, 0.5);
    const ox_val dark = ox_binary(b, OX_Less, l, ox_scalar_like(b, x, 0.5));
    const ox_val whole = ox_where(b, coloured, ox_where(b, dark, sum, minus(b, 2, sum)), one);
    const ox_val h = if_equal(b, high, c[0], sector(b, c[1], c[2], safe, 0),
                              if_equal(b, high, c[1], sector(b, c[2], c[0], safe, 120), sector(b, c[0], c[1], safe, 240)));
    return (struct hls){ox_where(b, coloured, h, zero), l, ox_where(b, coloured, ox_div(b, span, whole), zero)};
}

/* For each of the six sectors, what each channel is: the upper end, the lower end, a falling or a rising edge. */
static const int64_t edges[] = {0, 3, 1, 2, 0, 1, 1, 0, 3, 1, 2, 0, 3, 1, 0, 0, 1, 2};

static ox_val from_hls(struct ox_build *b, struct hls p)
{
    const int64_t table[] = {6, 3};
    const ox_val sum = ox_add(b, p.l, p.s), product = ox_mul(b, p.l, p.s);
    const ox_val dark = ox_binary(b, OX_LessOrEqual, p.l, ox_scalar_like(b, p.l, 0.5));
    const ox_val upper = ox_where(b, dark, ox_add(b, p.l, product), ox_sub(b, sum, product));
    const ox_val lower = ox_sub(b, ox_scaled(b, p.l, 2), upper);
    const ox_val sixth = ox_mod(b, ox_scaled(b, p.h, 1 / 60.0), ox_scalar_like(b, p.h, 6));
    const ox_val whole = ox_binary(b, OX_Min, ox_unary(b, OX_Floor, sixth), ox_scalar_like(b, p.h, 5));
    const ox_val rest = ox_sub(b, sixth, whole), span = ox_sub(b, upper, lower);
    const ox_val levels[] = {upper, lower, ox_add(b, lower, ox_mul(b, span, minus(b, 1, rest))), ox_add(b, lower, ox_mul(b, span, rest))};
    const ox_val number = ox_squeeze1(b, ox_cast(b, whole, MX_INT64), 2);
    const ox_val at = ox_gather(b, ox_tensor(b, MX_INT64, table, 2, edges), number, 0);
    const ox_val rgb = ox_node(b, OX_GatherElements, OX_IN(ox_concat(b, levels, 4, 2), at), OX_ATTRS(OX_I("axis", 2)));
    return ox_scaled(b, if_equal(b, p.s, ox_scalar_like(b, p.s, 0), p.l, rgb), 255);
}

static ox_val hue(struct ox_build *b, ox_val x, ox_val factor)
{
    if (is_gray(b, x)) {
        return x;
    }
    struct hls p = to_hls(b, x);
    p.h = ox_add(b, p.h, ox_scaled(b, factor, 360));
    return from_hls(b, p);
}

/* ---- results */

/* saturate_cast: uint8 is clipped to its range, then truncated. */
static ox_val finished(struct ox_build *b, ox_val x, enum mx_dtype t)
{
    if (t == MX_UINT8) {
        x = ox_clip(b, x, ox_scalar_like(b, x, 0), ox_scalar_like(b, x, 255));
    }
    return ox_cast(b, x, t);
}

static ox_val between(struct ox_build *b, double low, double high)
{
    const struct mx_shape scalar = {0, NULL};
    const ox_val from = ox_float32(b, low);
    return low < high ? ox_add(b, ox_scaled(b, ox_uniform(b, scalar, MX_FLOAT32), high - low), from) : from;
}

static void lower_factor(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct change *a = n->attrs;
    change_fn *const *change = n->op->data;
    const ox_val x = ox_cast(b, in[0], MX_FLOAT32);
    out[0] = finished(b, (*change)(b, x, between(b, a->min_factor, a->max_factor)), n->out[0].dtype);
}

static void lower_jitter(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct change *a = n->attrs;
    const double most[] = {a->brightness, a->contrast, a->saturation, a->hue};
    change_fn *const changes[] = {brightness, contrast, saturation, hue};
    out[0] = in[0];
    for (int i = 0; i < 4; i++) {
        if (most[i] > 0) {
            const double middle = i < 3 ? 1 : 0;
            const ox_val factor = between(b, middle - most[i], middle + most[i]);
            const ox_val x = changes[i](b, ox_cast(b, out[0], MX_FLOAT32), factor);
            out[0] = finished(b, x, n->out[0].dtype);
        }
    }
}

static void light(struct ox_build *b, const struct mx_node *n, ox_val x, ox_val alpha, ox_val *out)
{
    static const double directions[] = {55.46 * -0.5675, 4.794 * 0.7192,  1.148 * 0.4009,  55.46 * -0.5808, 4.794 * -0.0045,
                                        1.148 * -0.8140, 55.46 * -0.5836, 4.794 * -0.6948, 1.148 * 0.4203};
    if (is_gray(b, x)) {
        out[0] = x;
        return;
    }
    const ox_val all = ox_reshape_ints(b, ox_floats(b, MX_FLOAT32, directions, 9), (const int64_t[]){3, 3}, 2);
    const ox_val shift = ox_reduce(b, OX_ReduceSum, ox_mul(b, all, alpha), (const int64_t[]){1}, 1, false);
    out[0] = finished(b, ox_add(b, ox_cast(b, x, MX_FLOAT32), shift), n->out[0].dtype);
}

static void lower_lighting(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct change *a = n->attrs;
    light(b, n, in[0], ox_floats(b, MX_FLOAT32, a->alpha.v, 3), out);
}

static void lower_random_lighting(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct change *a = n->attrs;
    const mx_dim three = mx_dim_of(3);
    const ox_val draw = ox_normal(b, (struct mx_shape){1, &three}, MX_FLOAT32);
    light(b, n, in[0], ox_scaled(b, draw, a->alpha_std), out);
}

/* ---- flips with a probability of one half */

static int infer_flip(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_infer_same(c));
    return mx_input_rank(c, 0, 3, &s);
}

static void lower_flip(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct mx_shape scalar = {0, NULL};
    const ox_val u = ox_uniform(b, scalar, MX_FLOAT32);
    const ox_val stays = ox_binary(b, OX_Less, u, ox_float32(b, 0.5));
    out[0] = ox_where(b, stays, in[0], ox_reverse(b, in[0], &(const int64_t){n->op->which}, 1));
}

#define ROW(mx, table, infer_, function, change_, ...)                                                                                     \
    {                                                                                                                                      \
        .name = (mx), MX_ATTRS(table, struct change), .infer = (infer_), .lower = (function), .single = true, .data = (change_),           \
        __VA_ARGS__,                                                                                                                       \
    }
#define FACTOR(mx, change_, ...) ROW(mx, factor_attrs, infer, lower_factor, (&(change_fn *const){change_}), __VA_ARGS__)
#define FLIP(mx, axis)                                                                                                                     \
    {                                                                                                                                      \
        .name = (mx), .infer = infer_flip, .lower = lower_flip, .which = (axis), MX_RANDOM(""),                                            \
    }

const struct mx_op mx_ops_image_random[] = {
    ROW("_image_adjust_lighting", lighting_attrs, infer_lighting, lower_lighting, NULL, .random = false),
    FACTOR("_image_random_brightness", brightness, MX_RANDOM("")),
    ROW("_image_random_color_jitter", jitter_attrs, infer, lower_jitter, NULL,
        MX_RANDOM("\nThe order of the changes is brightness, contrast, saturation, hue; MXNet's is random.")),
    FACTOR("_image_random_contrast", contrast, MX_RANDOM("")),
    FLIP("_image_random_flip_left_right", 1),
    FLIP("_image_random_flip_top_bottom", 0),
    FACTOR("_image_random_hue", hue, MX_RANDOM("\nAn image of one channel: it is unchanged; MXNet returns uninitialised memory.")),
    ROW("_image_random_lighting", random_lighting_attrs, infer, lower_random_lighting, NULL, MX_RANDOM("")),
    FACTOR("_image_random_saturation", saturation, MX_RANDOM("")),
    MX_OPS_END,
};
