/* _image_to_tensor, normalize, crop, resize, flip_left_right, flip_top_bottom: images have their channels last, (height, width,
 * channels) or a batch of them; for normalize the channels come first (src/operator/image). */
#include "op/op.h"

/* ---- to_tensor: channels first, values from 0 to 1 */

/* Checks for rank 3 or 4; *height is the axis of the height: 0 or 1. */
static int image(struct mx_infer *c, struct mx_shape *s, int *height)
{
    MX_TRY(mx_input(c, 0, s));
    *height = s->ndim - 3;
    return s->ndim == 3 || s->ndim == 4
               ? MX_OK
               : mx_infer_fail(c, "data", MX_SUBJECT "has rank %d, but must have rank 3 for an image, or 4 for a batch of images", s->ndim);
}

static int infer_to_tensor(struct mx_infer *c)
{
    struct mx_shape s;
    int h;
    MX_TRY(mx_output_dtype_is(c, 0, MX_FLOAT32));
    MX_TRY(image(c, &s, &h));
    const mx_dim dims[] = {s.dims[0], s.dims[h + 2], s.dims[h], s.dims[h + 1]};
    return h == 1 ? mx_output_is_dims(c, 0, dims, 4) : mx_output_is_dims(c, 0, dims + 1, 3);
}

static ox_val channels_first(struct ox_build *b, ox_val x)
{
    const int rank = ox_rank(b, x);
    return ox_move_axis(b, x, rank - 1, rank - 3);
}

static ox_val channels_last(struct ox_build *b, ox_val x)
{
    const int rank = ox_rank(b, x);
    return ox_move_axis(b, x, rank - 3, rank - 1);
}

static void lower_to_tensor(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const ox_val x = ox_cast(b, channels_first(b, in[0]), MX_FLOAT32);
    out[0] = ox_div(b, x, ox_float32(b, 255));
}

/* ---- normalize */

struct normalize {
    struct mx_floats mean, std;
};

static const struct mx_attr normalize_attrs[] = {
    MX_FLOATS(struct normalize, mean, "(0, 0, 0, 0)"),
    MX_FLOATS(struct normalize, std, "(1, 1, 1, 1)"),
};

static int fits_channels(struct mx_infer *c, const char *attribute, int n, int64_t channels)
{
    return n == 1 || n == channels ? MX_OK
                                   : mx_infer_fail(c, attribute,
                                                   MX_SUBJECT "has length %d, but the data has %lld channels" MX_HELP
                                                              "give one number, or one for each channel",
                                                   n, (long long)channels);
}

static int infer_normalize(struct mx_infer *c)
{
    const struct normalize *a = c->attrs;
    struct mx_shape s;
    int channel;
    int64_t channels;
    MX_TRY(mx_infer_same(c));
    MX_TRY(image(c, &s, &channel));
    if (a->mean.n == 3 || a->std.n == 3) {
        MX_TRY(mx_same_dim(c, s.dims[channel], mx_dim_of(3), "channels"));
    }
    if (!mx_dim_known(c->dims, s.dims[channel], &channels)) {
        return MX_OK; /* a single number fits any of them */
    }
    if (channels != 1 && channels != 3) {
        return mx_infer_fail(c, "data", MX_SUBJECT "has %lld channels, but must have 1 or 3", (long long)channels);
    }
    MX_TRY(fits_channels(c, "mean", a->mean.n, channels));
    return fits_channels(c, "std", a->std.n, channels);
}

/* (C, 1, 1) of x's type, or () if all channels share the number. */
static ox_val per_channel(struct ox_build *b, ox_val x, struct mx_floats v)
{
    if (v.n == 1) {
        return ox_scalar_like(b, x, v.v[0]);
    }
    const ox_val all = ox_floats(b, ox_dtype(b, x), v.v, v.n);
    return ox_reshape_ints(b, all, (const int64_t[]){v.n, 1, 1}, 3);
}

static void lower_normalize(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct normalize *a = n->attrs;
    const ox_val x = ox_sub(b, in[0], per_channel(b, in[0], a->mean));
    out[0] = ox_div(b, x, per_channel(b, in[0], a->std));
}

/* ---- crop */

struct crop {
    int64_t x, y, width, height;
};

static const struct mx_attr crop_attrs[] = {
    MX_COUNT(struct crop, x, NULL),
    MX_COUNT(struct crop, y, NULL),
    MX_COUNT(struct crop, width, NULL),
    MX_COUNT(struct crop, height, NULL),
};

static bool within(struct mx_infer *c, int64_t from, int64_t length, mx_dim size)
{
    int64_t known = INT32_MAX;
    (void)mx_dim_known(c->dims, size, &known);
    return length > 0 && length <= known - from;
}

static int infer_crop(struct mx_infer *c)
{
    const struct crop *a = c->attrs;
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    int h;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(image(c, &s, &h));
    if (!within(c, a->x, a->width, s.dims[h + 1])) {
        return mx_infer_fail(c, "width", "columns %lld to %lld are not within the image" MX_HELP "choose another x or width",
                             (long long)a->x, (long long)(a->x + a->width) - 1);
    }
    if (!within(c, a->y, a->height, s.dims[h])) {
        return mx_infer_fail(c, "height", "rows %lld to %lld are not within the image" MX_HELP "choose another y or height",
                             (long long)a->y, (long long)(a->y + a->height) - 1);
    }
    for (int i = 0; i < s.ndim; i++) {
        mx_push_dim(&dims, i == h ? mx_dim_of(a->height) : i == h + 1 ? mx_dim_of(a->width) : s.dims[i]);
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower_crop(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct crop *a = n->attrs;
    const int h = ox_rank(b, in[0]) - 3;
    out[0] = ox_slice(b, in[0], (const int64_t[]){a->y, a->x}, (const int64_t[]){a->y + a->height, a->x + a->width},
                      (const int64_t[]){h, h + 1}, NULL, 2);
}

/* ---- resize: as in OpenCV, with half-pixel centres */

enum interp { NEAREST, LINEAR, CUBIC };

struct resize {
    struct mx_tuple size;
    bool keep_ratio;
    int64_t interp;
};

static const struct mx_attr resize_attrs[] = {
    MX_SIZES_NONE(struct resize, size, "()"),
    MX_BOOL(struct resize, keep_ratio, "False"),
    MX_INT(struct resize, interp, "1"),
};

static bool keeps_ratio(const struct resize *a)
{
    return a->size.n == 1 && a->keep_ratio;
}

/* Height and width of the result (GetHeightAndWidth). With a kept ratio they are open if the image's are. */
static int resized(struct mx_infer *c, const mx_dim *from, const mx_dim *known, mx_dim *to)
{
    const struct resize *a = c->attrs;
    int64_t h, w;
    if (a->size.n < 1 || a->size.n > 2) {
        return mx_infer_fail(c, "size", MX_SUBJECT "has length %d, but must have length 1 or 2", a->size.n);
    }
    for (int i = 0; i < a->size.n; i++) {
        if (a->size.v[i] < 1) {
            return mx_infer_fail(c, "size", MX_SUBJECT "holds %lld, but must be positive", (long long)a->size.v[i]);
        }
    }
    to[0] = mx_dim_of(a->size.v[a->size.n - 1]);
    to[1] = mx_dim_of(a->size.v[0]);
    if (!keeps_ratio(a)) {
        return MX_OK;
    }
    if (!mx_dim_known(c->dims, from[0], &h) || !mx_dim_known(c->dims, from[1], &w)) {
        to[0] = known ? known[0] : mx_dim_unknown(c->dims);
        to[1] = known ? known[1] : mx_dim_unknown(c->dims);
        return MX_OK;
    }
    if (h < 1 || w < 1 || a->size.v[0] > INT32_MAX || h > INT32_MAX || w > INT32_MAX) {
        return mx_infer_fail(c, "size", MX_SUBJECT "is %lld, which is not possible with an image of %lld x %lld", (long long)a->size.v[0],
                             (long long)h, (long long)w);
    }
    to[0] = mx_dim_of(h > w ? h * a->size.v[0] / w : a->size.v[0]);
    to[1] = mx_dim_of(h > w ? a->size.v[0] : w * a->size.v[0] / h);
    return MX_OK;
}

static int infer_resize(struct mx_infer *c)
{
    const struct resize *a = c->attrs;
    const enum mx_dtype t = mx_input_dtype(c, 0);
    struct mx_shape s;
    int h;
    MX_TRY(mx_same_dtype(c, 0, 0));
    if (a->interp != NEAREST && a->interp != LINEAR && a->interp != CUBIC) {
        return mx_infer_fail(c, "interp",
                             MX_SUBJECT "is %lld, which ONNX cannot express" MX_HELP "use 0 (nearest), 1 (linear) or 2 (cubic)",
                             (long long)a->interp);
    }
    if (t != MX_DTYPE_NONE && t != MX_FLOAT32 && t != MX_FLOAT64 && t != MX_UINT8) {
        return mx_infer_fail(c, "data", MX_SUBJECT "is %s, but must be uint8, float32 or float64", mx_dtype_name(t));
    }
    MX_TRY(image(c, &s, &h));
    const struct mx_shape out = mx_output(c, 0);
    struct mx_dim_list dims = mx_dims_like(c, s);
    mx_dim size[2];
    MX_TRY(resized(c, s.dims + h, out.ndim == s.ndim ? out.dims + h : NULL, size));
    mx_put_dim(&dims, h, size[0]);
    mx_put_dim(&dims, h + 1, size[1]);
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

/* uint8 is rounded and saturated. */
static ox_val rounded(struct ox_build *b, ox_val x)
{
    const ox_val whole = ox_unary(b, OX_Floor, ox_add(b, x, ox_scalar_like(b, x, 0.5)));
    const ox_val zero = ox_scalar_like(b, x, 0), most = ox_scalar_like(b, x, 255);
    return ox_cast(b, ox_clip(b, whole, zero, most), MX_UINT8);
}

/* int64 (1): a side of the result when the ratio is kept and the shorter side becomes `size`. */
static ox_val kept_ratio(struct ox_build *b, int64_t size, mx_dim side, mx_dim other)
{
    const ox_val own = ox_dim(b, side), shorter = ox_binary(b, OX_Min, own, ox_dim(b, other));
    return ox_div(b, ox_mul(b, own, ox_int(b, size)), shorter);
}

/* int64 (4): the sizes for a number of planes. */
static ox_val resized_planes(struct ox_build *b, const struct resize *a, const mx_dim *sizes, mx_dim h, mx_dim w)
{
    struct mx_dims *t = ox_dims_table(b);
    if (!keeps_ratio(a) || (mx_dim_known(t, h, NULL) && mx_dim_known(t, w, NULL))) {
        return ox_dims(b, sizes, 4);
    }
    const ox_val parts[] = {ox_dims(b, sizes, 2), kept_ratio(b, a->size.v[0], h, w), kept_ratio(b, a->size.v[0], w, h)};
    return ox_concat(b, parts, 3, 0);
}

/* Treats each channel as a separate image: runtimes move a Transpose through Resize, and then lack a cubic kernel for it. A single
 * channel needs no Transpose, and there must be none, since the reshapes that isolate it would be removed. */
static void lower_resize(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    static const char *const modes[] = {"nearest", "linear", "cubic"};
    const struct resize *a = n->attrs;
    const enum mx_dtype t = ox_dtype(b, in[0]);
    const int rank = ox_rank(b, in[0]);
    const bool nearest = a->interp == NEAREST;
    const ox_val cast = ox_cast(b, in[0], t == MX_UINT8 ? MX_FLOAT32 : t);
    const bool gray = mx_dim_equal(ox_dims_table(b), ox_dim_at(b, cast, -1), mx_dim_of(1));
    const struct mx_shape own = ox_shape(b, cast), to = n->out[0].shape;
    const mx_dim first[] = {rank == 4 ? own.dims[0] : mx_dim_of(1), mx_dim_of(1), own.dims[rank - 3], own.dims[rank - 2]};
    const ox_val x = gray ? ox_reshape(b, cast, first + (4 - rank), rank) : channels_first(b, cast);
    const struct mx_shape from = ox_shape(b, x);
    const mx_dim planes = mx_dim_product(ox_dims_table(b), from.dims, rank - 2);
    const mx_dim flat[] = {planes, mx_dim_of(1), from.dims[rank - 2], from.dims[rank - 1]};
    const mx_dim sizes[] = {planes, mx_dim_of(1), to.dims[rank - 3], to.dims[rank - 2]};
    const ox_val single = ox_reshape(b, x, flat, 4), size = resized_planes(b, a, sizes, flat[2], flat[3]);
    const ox_val y =
        ox_node(b, OX_Resize, OX_IN(single, OX_NONE, OX_NONE, size),
                OX_ATTRS(OX_S("mode", modes[a->interp]), OX_F("cubic_coeff_a", -0.75),
                         OX_S("coordinate_transformation_mode", nearest ? "asymmetric" : "half_pixel"), OX_S("nearest_mode", "floor")));
    ox_typed(b, y, ox_dtype(b, y), (struct mx_shape){4, sizes});
    const mx_dim dims[] = {from.dims[0], from.dims[rank - 3], sizes[2], sizes[3]};
    const ox_val back = gray ? ox_reshape(b, y, to.dims, rank) : channels_last(b, ox_reshape(b, y, dims + (4 - rank), rank));
    out[0] = t == MX_UINT8 ? rounded(b, back) : back;
}

/* ---- flips: axis 1 or 0 of an image; batches are not supported (FlipImpl) */

static int infer_flip(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_infer_same(c));
    return mx_input_rank(c, 0, 3, &s);
}

static void lower_flip(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    out[0] = ox_reverse(b, in[0], &(const int64_t){n->op->which}, 1);
}

const struct mx_op mx_ops_image[] = {
    {.name = "_image_crop", .alias = "_npx__image_crop", MX_ATTRS(crop_attrs, struct crop), .infer = infer_crop, .lower = lower_crop},
    {
        .name = "_image_flip_left_right",
        .alias = "_npx__image_flip_left_right",
        .infer = infer_flip,
        .lower = lower_flip,
        .which = 1,
        .refuses = "A batch of images: MXNet flips the rows of the images instead.",
    },
    {
        .name = "_image_flip_top_bottom",
        .alias = "_npx__image_flip_top_bottom",
        .infer = infer_flip,
        .lower = lower_flip,
        .which = 0,
        .refuses = "A batch of images: MXNet reverses the order of the images instead.",
    },
    {
        .name = "_image_normalize",
        .alias = "_npx__image_normalize",
        MX_ATTRS(normalize_attrs, struct normalize),
        .infer = infer_normalize,
        .lower = lower_normalize,
    },
    {
        .name = "_image_resize",
        .alias = "_npx__image_resize",
        MX_ATTRS(resize_attrs, struct resize),
        .infer = infer_resize,
        .lower = lower_resize,
        .refuses = "interp other than 0, 1 and 2: ONNX's Resize has no such form.",
        .differs = "uint8 data: results may differ by 1, because OpenCV computes in fixed point.",
    },
    {.name = "_image_to_tensor", .alias = "_npx__image_to_tensor", .infer = infer_to_tensor, .lower = lower_to_tensor},
    MX_OPS_END,
};
