/* Bilinear resizing of height and width (src/operator/contrib/bilinear_resize-inl.h). */
#include <math.h>

#include "op/op.h"

struct resize {
    int64_t height, width;
    struct mx_opt_float scale_height, scale_width;
    int mode;
    bool align_corners;
};

enum mode { SIZE, ODD_SCALE, LIKE, TO_EVEN_DOWN, TO_EVEN_UP, TO_ODD_DOWN, TO_ODD_UP };
static const char *const modes[] = {"size", "odd_scale", "like", "to_even_down", "to_even_up", "to_odd_down", "to_odd_up", NULL};

static const struct mx_attr attrs[] = {
    MX_COUNT(struct resize, height, "1"),
    MX_COUNT(struct resize, width, "1"),
    MX_FLOAT_NONE(struct resize, scale_height, "None"),
    MX_FLOAT_NONE(struct resize, scale_width, "None"),
    MX_ENUM(struct resize, mode, "size", modes),
    MX_BOOL(struct resize, align_corners, "True"),
};

/* True if this scale is an integer division, exact for any size, such as a fraction whose denominator is a power of two. */
static bool is_exact(double scale)
{
    const double eighths = scale * 8;
    return !(eighths > floor(eighths)) && eighths <= 4096;
}

/* MXNet's sizes are 16-bit integers; larger ones wrap around. */
enum { LARGEST = INT16_MAX }; /* limit: height and width that BilinearResize2D makes */

/* int(size * scale), multiplied in float as in MXNet; if that is too large, the first size that is. */
static mx_dim scaled(struct mx_dims *t, mx_dim size, double scale)
{
    int64_t n;
    if (mx_dim_known(t, size, &n)) {
        return mx_dim_of((int64_t)fminf((float)scale * (float)n, (float)LARGEST + 1));
    }
    return mx_dim_floor_div(t, mx_dim_muln(t, size, (int64_t)(scale * 8)), 8);
}

/* The part of a size that is scaled. For an odd size both corners are kept: int((size - 1) * scale) + 1. */
static mx_dim scalable(struct mx_dims *t, const struct resize *a, mx_dim size)
{
    return a->mode == ODD_SCALE ? mx_dim_muln(t, mx_dim_floor_div(t, size, 2), 2) : size;
}

static struct mx_opt_float scale_along(const struct resize *a, int i)
{
    return i == 0 ? a->scale_height : a->scale_width;
}

/* True if the size is known only at run time. */
static bool is_open(struct mx_dims *t, const struct resize *a, int i, mx_dim size)
{
    const bool scales = a->mode == ODD_SCALE || (a->mode == SIZE && a->scale_height.given);
    return scales && !mx_dim_known(t, size, NULL) && !is_exact(scale_along(a, i).v);
}

/* The nearest even or odd size, below or above: 2 * floor(n / 2), 2 * ceil(n / 2), and the same for n +- 1. */
static mx_dim rounded(struct mx_dims *t, enum mode mode, mx_dim size)
{
    const int64_t shift = mode == TO_ODD_DOWN ? 1 : mode == TO_ODD_UP ? -1 : 0;
    const mx_dim even = mx_dim_addn(t, size, mode == TO_ODD_DOWN ? -1 : mode == TO_ODD_UP ? 1 : 0);
    const bool up = mode == TO_EVEN_UP || mode == TO_ODD_UP;
    const mx_dim half = up ? mx_dim_ceil_div(t, even, 2) : mx_dim_floor_div(t, even, 2);
    return mx_dim_addn(t, mx_dim_muln(t, half, 2), shift);
}

static int target(struct mx_infer *c, int i, mx_dim in, mx_dim *out)
{
    const struct resize *a = c->attrs;
    const struct mx_opt_float scale = scale_along(a, i);
    const struct mx_shape before = mx_output(c, 0);
    struct mx_shape like;
    if (a->mode == LIKE) {
        MX_TRY(mx_input_rank(c, 1, 4, &like));
        *out = like.dims[2 + i];
        return MX_OK;
    }
    if (a->mode != SIZE && a->mode != ODD_SCALE) {
        *out = rounded(c->dims, (enum mode)a->mode, in);
        return MX_OK;
    }
    if (a->mode == SIZE && !a->scale_height.given) { /* it decides for both axes (BilinearSampleOpInferShape) */
        *out = mx_dim_of(i == 0 ? a->height : a->width);
        return MX_OK;
    }
    if (!scale.given || !(scale.v > 0)) {
        return mx_infer_fail_attr(c, i == 0 ? "scale_height" : "scale_width", "a positive number");
    }
    if (is_open(c->dims, a, i, in)) {
        *out = before.ndim == 4 ? before.dims[2 + i] : mx_dim_unknown(c->dims);
        return MX_OK;
    }
    const mx_dim part = scalable(c->dims, a, in);
    *out = mx_dim_add(c->dims, scaled(c->dims, part, scale.v), mx_dim_sub(c->dims, in, part));
    return MX_OK;
}

static int infer(struct mx_infer *c)
{
    const struct resize *a = c->attrs;
    struct mx_shape x;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input_rank(c, 0, 4, &x));
    MX_TRY(mx_positive(c, "height", a->height));
    MX_TRY(mx_positive(c, "width", a->width));
    mx_dim out[4] = {x.dims[0], x.dims[1]};
    for (int i = 0; i < 2; i++) {
        int64_t resized;
        MX_TRY(target(c, i, x.dims[2 + i], &out[2 + i]));
        if (mx_dim_known(c->dims, out[2 + i], &resized) && resized > LARGEST) {
            return mx_infer_fail(c, NULL, "axis %d of the result has more than %d cells" MX_HELP "choose a smaller size", 2 + i, LARGEST);
        }
        if (mx_dim_equal(c->dims, x.dims[2 + i], mx_dim_of(0))) {
            return mx_infer_fail(c, "data", "axis %d has size 0, but an image needs pixels", 2 + i);
        }
    }
    return mx_output_is_dims(c, 0, out, 4);
}

/* A scale with which floor(in * scale) is `out`, whether a runtime multiplies in float or in double. */
static double scale_between(int64_t in, int64_t out)
{
    float scale = (float)out / (float)in;
    while (floor((double)scale * (double)in) < (double)out) {
        scale = nextafterf(scale, INFINITY);
    }
    return (double)scale;
}

/* The scale between two sizes that are numbers, or when one is a known multiple of the other. */
static bool scale_of(struct ox_build *b, mx_dim from, mx_dim to, double *scale)
{
    struct mx_dims *t = ox_dims_table(b);
    int64_t in, out;
    mx_dim ratio;
    if (mx_dim_known(t, from, &in) && mx_dim_known(t, to, &out)) {
        *scale = scale_between(in, out);
        return true;
    }
    if (mx_dim_div_exact(t, to, from, &ratio) && mx_dim_known(t, ratio, &out)) {
        *scale = (double)out;
        return true;
    }
    return false;
}

/* int64 (1): the new size along spatial axis i. */
static ox_val size_along(struct ox_build *b, const struct resize *a, int i, mx_dim in, mx_dim out)
{
    struct mx_dims *t = ox_dims_table(b);
    if (!is_open(t, a, i, in)) {
        return ox_dim(b, out);
    }
    const mx_dim part = scalable(t, a, in);
    const ox_val size = ox_cast(b, ox_dim(b, part), MX_FLOAT32);
    const ox_val product = ox_mul(b, size, ox_float32(b, scale_along(a, i).v));
    return ox_add(b, ox_cast(b, product, MX_INT64), ox_dim(b, mx_dim_sub(t, in, part)));
}

/* int64 (4): the sizes of the result y. */
static ox_val sizes_of(struct ox_build *b, const struct resize *a, struct mx_shape x, struct mx_shape y)
{
    struct mx_dims *t = ox_dims_table(b);
    if (!is_open(t, a, 0, x.dims[2]) && !is_open(t, a, 1, x.dims[3])) {
        return ox_dims(b, y.dims, 4);
    }
    const ox_val parts[] = {ox_dims(b, y.dims, 2), size_along(b, a, 0, x.dims[2], y.dims[2]), size_along(b, a, 1, x.dims[3], y.dims[3])};
    return ox_concat(b, parts, 3, 0);
}

/* Uses scales where they are known, since ONNX's sizes require those of the batch and the channels too. */
static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct resize *a = n->attrs;
    const struct mx_shape x = ox_shape(b, in[0]), y = n->out[0].shape;
    double scales[4] = {1, 1, 1, 1};
    if (mx_shape_equal(ox_dims_table(b), x, y)) {
        out[0] = in[0];
        return;
    }
    /* pytorch_half_pixel: half a pixel, but the first pixel if the result has a single cell */
    const struct ox_attr *how =
        OX_ATTRS(OX_S("mode", "linear"), OX_S("coordinate_transformation_mode", a->align_corners ? "align_corners" : "pytorch_half_pixel"));
    const bool known = scale_of(b, x.dims[2], y.dims[2], &scales[2]) && scale_of(b, x.dims[3], y.dims[3], &scales[3]);
    const ox_val factors = known ? ox_floats(b, MX_FLOAT32, scales, 4) : OX_NONE;
    const ox_val sizes = known ? OX_NONE : sizes_of(b, a, x, y);
    out[0] = ox_node(b, OX_Resize, OX_IN(in[0], OX_NONE, factors, sizes), how);
}

const struct mx_op mx_ops_bilinear_resize[] = {
    {
        .name = "_contrib_BilinearResize2D",
        MX_ATTRS(attrs, struct resize),
        .inputs = "data like:if(mode=like)",
        .infer = infer,
        .lower = lower,
        .refuses = "Data without pixels: MXNet crashes.",
        .differs = "A scale that makes a dynamic size 0 at run time: ONNX Runtime fails; MXNet's result is empty.",
    },
    MX_OPS_END,
};
