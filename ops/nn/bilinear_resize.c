/* Bilinear resizing of height and width (src/operator/contrib/bilinear_resize-inl.h). */
#include <math.h>

#include "onnx/build.h"
#include "op/op.h"

struct resize {
    int64_t height, width;
    struct mx_opt_float scale_height, scale_width;
    int mode;
    bool align_corners;
};

enum mode { SIZE, ODD_SCALE, LIKE, TO_EVEN_DOWN, TO_EVEN_UP, TO_ODD_DOWN, TO_ODD_UP };
static const char *const modes[] = {"size",       "odd_scale",   "like",      "to_even_down",
                                    "to_even_up", "to_odd_down", "to_odd_up", NULL};

static const struct mx_attr attrs[] = {
    MX_INT(struct resize, height, "1"),
    MX_INT(struct resize, width, "1"),
    MX_FLOAT_NONE(struct resize, scale_height, "None"),
    MX_FLOAT_NONE(struct resize, scale_width, "None"),
    MX_ENUM(struct resize, mode, "size", modes),
    MX_BOOL(struct resize, align_corners, "True"),
    MX_ATTRS_END,
};

static int n_inputs(const void *attrs_)
{
    return ((const struct resize *)attrs_)->mode == LIKE ? 2 : 1;
}

/* int(size * scale), in float as MXNet multiplies. A size that is not known needs a scale that is a
 * fraction with a power of two below, whose product is exact. */
static int scaled(struct mx_infer *c, mx_dim size, double scale, const char *attribute, mx_dim *out)
{
    int64_t n;
    if (mx_dim_known(c->dims, size, &n)) {
        const float product = (float)scale * (float)n;
        *out = mx_dim_of(product >= 0 && product < 32768 ? (int64_t)product : 0);
        return MX_OK;
    }
    const double eighths = scale * 8;
    if (eighths != floor(eighths) || eighths < 1 || eighths > 4096) {
        return mx_dim_has_unknown(c->dims, size) && !c->last
                   ? MX_LATER
                   : mx_infer_fail(c, attribute,
                                   "the size times %g has no exact form for a dynamic size; fix "
                                   "height and width "
                                   "of the data",
                                   scale);
    }
    *out = mx_dim_floor_div(c->dims, mx_dim_muln(c->dims, size, (int64_t)eighths), 8);
    return MX_OK;
}

/* An odd size keeps both corners: int((size - 1) * scale) + 1. */
static int odd_scaled(struct mx_infer *c, mx_dim size, double scale, const char *attribute,
                      mx_dim *out)
{
    const mx_dim even = mx_dim_muln(c->dims, mx_dim_floor_div(c->dims, size, 2), 2);
    MX_TRY(scaled(c, even, scale, attribute, out));
    *out = mx_dim_add(c->dims, *out, mx_dim_sub(c->dims, size, even));
    return MX_OK;
}

/* The nearest size that is even or odd, below or above: 2 * floor(n / 2), 2 * ceil(n / 2), and the
 * same about n +- 1. */
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
    const struct mx_opt_float scale = i == 0 ? a->scale_height : a->scale_width;
    const char *attribute = i == 0 ? "scale_height" : "scale_width";
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
    if (a->mode == SIZE
        && !a->scale_height.given) { /* which decides for both axes (BilinearSampleOpInferShape) */
        *out = mx_dim_of(i == 0 ? a->height : a->width);
        return MX_OK;
    }
    if (!scale.given || !(scale.v > 0)) {
        return mx_infer_fail(c, attribute, "a positive number is needed");
    }
    return a->mode == SIZE ? scaled(c, in, scale.v, attribute, out)
                           : odd_scaled(c, in, scale.v, attribute, out);
}

static int infer(struct mx_infer *c)
{
    const struct resize *a = c->attrs;
    struct mx_shape x;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input_rank(c, 0, 4, &x));
    if (a->height < 1 || a->width < 1) {
        return mx_infer_fail(c, a->height < 1 ? "height" : "width", "it must be positive");
    }
    mx_dim out[4] = {x.dims[0], x.dims[1]};
    for (int i = 0; i < 2; i++) {
        int64_t size;
        MX_TRY(target(c, i, x.dims[2 + i], &out[2 + i]));
        if ((mx_dim_known(c->dims, out[2 + i], &size) && size < 1)
            || (mx_dim_known(c->dims, x.dims[2 + i], &size) && size < 1)) {
            return mx_infer_fail(c, "mode", "spatial axis %d has or gets no cells", i);
        }
    }
    return mx_output_is_dims(c, 0, out, 4);
}

/* A scale with which floor(in * scale) is `out`, whether a reader multiplies in float or in double.
 */
static double scale_between(int64_t in, int64_t out)
{
    float scale = (float)out / (float)in;
    while (floor((double)scale * (double)in) < (double)out) {
        scale = nextafterf(scale, INFINITY);
    }
    return (double)scale;
}

/* The scale between two sizes that are numbers, or one a known multiple of the other. */
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

/* Scales where they are known, since ONNX's sizes want those of the batch and the channels too. */
static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct resize *a = n->attrs;
    const struct mx_shape x = ox_shape(b, in[0]), y = n->out[0].shape;
    double scales[4] = {1, 1, 1, 1};
    if (mx_shape_equal(ox_dims_table(b), x, y)) {
        out[0] = in[0];
        return;
    }
    /* pytorch_half_pixel: half a pixel, but the first one where the result has a single cell */
    const struct ox_attr *how = OX_ATTRS(
        OX_S("mode", "linear"), OX_S("coordinate_transformation_mode",
                                     a->align_corners ? "align_corners" : "pytorch_half_pixel"));
    const bool known = scale_of(b, x.dims[2], y.dims[2], &scales[2])
                       && scale_of(b, x.dims[3], y.dims[3], &scales[3]);
    const ox_val factors = known ? ox_floats(b, MX_FLOAT32, scales, 4) : OX_NONE;
    const ox_val sizes = known ? OX_NONE : ox_dims(b, y.dims, 4);
    out[0] = ox_node(b, OX_Resize, OX_IN(in[0], OX_NONE, factors, sizes), how);
}

const struct mx_op mx_ops_bilinear_resize[] = {
    {
        .name = "_contrib_BilinearResize2D",
        MX_ATTRS(attrs, struct resize),
        .inputs = "data like",
        .n_inputs = n_inputs,
        .infer = infer,
        .lower = lower,
        .limits = "scale_height or scale_width that is no multiple of 1/8, with a dynamic height "
                  "or width.",
    },
    MX_OPS_END,
};
