/* ROIAlign: means of bilinear samples in the bins of regions (src/operator/contrib/roi_align.cc). */
#include "op/op.h"
#include "shared/cells.h"

struct align {
    struct mx_tuple pooled_size;
    double spatial_scale;
    int64_t sample_ratio;
    bool position_sensitive, aligned;
};

static const struct mx_attr attrs[] = {
    MX_SIZES_NONE(struct align, pooled_size, NULL), MX_FLOAT(struct align, spatial_scale, NULL),
    MX_INT(struct align, sample_ratio, "-1"),       MX_BOOL(struct align, position_sensitive, "False"),
    MX_BOOL(struct align, aligned, "False"),
};

enum { MOST_BINS = 1 << 12 }; /* limit: pooled height and width of ROIAlign */

static int check(struct mx_infer *c, const struct align *a)
{
    for (int i = 0; i < 2; i++) {
        if (a->pooled_size.n != 2 || a->pooled_size.v[i] < 1 || a->pooled_size.v[i] > MOST_BINS) {
            _Static_assert(MOST_BINS == 4096, "the message has it");
            return mx_infer_fail_attr(c, "pooled_size", "two numbers from 1 to 4096: height and width");
        }
    }
    return mx_fraction(c, "spatial_scale", a->spatial_scale);
}

static int infer(struct mx_infer *c)
{
    const struct align *a = c->attrs;
    MX_TRY(check(c, a));
    const int64_t h = a->pooled_size.v[0], w = a->pooled_size.v[1];
    struct mx_shape x;
    mx_dim regions;
    MX_TRY(mx_input_regions(c, 5, &x, &regions));
    mx_dim each = x.dims[1];
    if (a->position_sensitive) {
        int64_t channels;
        MX_TRY(mx_number(c, x.dims[1], "the axis of channels of a position-sensitive map", &channels));
        if (channels % (h * w) != 0) {
            return mx_infer_fail(c, "position_sensitive",
                                 "the data has %lld channels, which is not a multiple of the %lld bins of pooled_size", (long long)channels,
                                 (long long)h * w);
        }
        each = mx_dim_of(channels / (h * w));
    }
    return mx_output_is(c, 0, MX_DIMS(regions, each, mx_dim_of(h), mx_dim_of(w)));
}

/* A region with a negative image gives zeros: GluonCV uses this to distribute regions over the levels of a pyramid. (It is MXNet's
 * intention: roi_align.cu does it; the CPU kernel clears a single element, which is not even the region's.) Such a region is moved to
 * where there is no map. */
static ox_val far_off(struct ox_build *b, ox_val rois)
{
    const enum mx_dtype t = ox_dtype(b, rois);
    const ox_val image = ox_slice1(b, rois, 1, 0, 1);
    return ox_where(b, ox_binary(b, OX_Less, image, ox_scalar(b, t, 0)), ox_scalar(b, t, -30000), rois);
}

/* The image of a region; any image for a region moved away. */
static ox_val images(struct ox_build *b, ox_val rois)
{
    const ox_val image = ox_gather(b, rois, ox_scalar(b, MX_INT64, 0), 1);
    return ox_binary(b, OX_Max, ox_cast(b, image, MX_INT64), ox_scalar(b, MX_INT64, 0));
}

/* ---- without ONNX's operator: each sample is a weighted sum of cells, and the weights of rows and columns are independent */

/* The samples in the bins along one axis. */
struct samples {
    ox_val at;    /* in units of a bin, (bins, samples), or if their number depends on the region (R, bins, most samples) */
    ox_val count; /* in a bin */
    ox_val taken; /* true for those that exist, if their number depends on the region; otherwise OX_NONE */
};

static struct samples positions(struct ox_build *b, const struct align *a, ox_val bin, int64_t bins)
{
    const enum mx_dtype t = ox_dtype(b, bin);
    const ox_val first = ox_unsqueeze1(b, ox_cast(b, ox_range(b, mx_dim_of(bins)), t), 1);
    struct samples s;
    const ox_val sample = ox_samples(b, bin, a->sample_ratio, &s.count);
    s.taken = a->sample_ratio > 0 ? OX_NONE : ox_binary(b, OX_Less, sample, s.count);
    s.at = ox_add(b, first, ox_div(b, ox_add(b, sample, ox_scalar(b, t, 0.5)), s.count));
    return s;
}

/* Weights of the cells along one axis (0: y, 1: x) for the bins of each region, (R, bins, cells). */
static ox_val weights(struct ox_build *b, const struct align *a, ox_val rois, int axis, mx_dim cells)
{
    const enum mx_dtype t = ox_dtype(b, rois);
    const int64_t bins = a->pooled_size.v[axis];
    const ox_val zero = ox_scalar(b, t, 0), one = ox_scalar(b, t, 1);
    const ox_val scale = ox_scalar(b, t, a->spatial_scale);
    const ox_val cell = ox_cast(b, ox_range(b, cells), t);
    ox_val corner[2];
    for (int i = 0; i < 2; i++) {
        const ox_val x = ox_gather(b, rois, ox_int(b, 2 - axis + 2 * i), 1);
        corner[i] = ox_mul(b, ox_unsqueeze1(b, x, 2), scale);
        corner[i] = a->aligned ? ox_sub(b, corner[i], ox_scalar(b, t, 0.5)) : corner[i];
    }
    ox_val side = ox_sub(b, corner[1], corner[0]);
    side = a->aligned ? side : ox_binary(b, OX_Max, side, one);
    const ox_val bin = ox_div(b, side, ox_scalar(b, t, (double)bins));
    const struct samples s = positions(b, a, bin, bins);
    const ox_val at = ox_mul(b, s.at, bin);
    const ox_val point = ox_add(b, at, corner[0]);
    const ox_val near_map = ox_on_map(b, point, cells);
    const ox_val inside = s.taken == OX_NONE ? near_map : ox_binary(b, OX_And, near_map, s.taken);
    const ox_val share = ox_where(b, inside, ox_div(b, one, s.count), zero);
    const ox_val clipped = ox_clip(b, point, zero, ox_sub(b, ox_dim_as(b, cells, t), one));
    const ox_val distance = ox_unary(b, OX_Abs, ox_sub(b, ox_unsqueeze1(b, clipped, 3), cell));
    const ox_val near = ox_binary(b, OX_Max, ox_sub(b, one, distance), zero);
    return ox_reduce(b, OX_ReduceSum, ox_mul(b, near, ox_unsqueeze1(b, share, 3)), (const int64_t[]){2}, 1, false);
}

static ox_val weighed(struct ox_build *b, const struct align *a, ox_val map, ox_val rois)
{
    const ox_val y = weights(b, a, rois, 0, ox_dim_at(b, map, 2));
    const ox_val x = weights(b, a, rois, 1, ox_dim_at(b, map, 3));
    return ox_weigh_regions(b, map, images(b, rois), y, x);
}

static ox_val native(struct ox_build *b, const struct align *a, ox_val map, ox_val rois)
{
    const char *mode = a->aligned ? "half_pixel" : "output_half_pixel";
    return ox_node(b, OX_RoiAlign, OX_IN(map, ox_slice1(b, rois, 1, 1, 5), images(b, rois)),
                   OX_ATTRS(OX_S("mode", "avg"), OX_S("coordinate_transformation_mode", mode), OX_I("output_height", a->pooled_size.v[0]),
                            OX_I("output_width", a->pooled_size.v[1]), OX_I("sampling_ratio", a->sample_ratio > 0 ? a->sample_ratio : 0),
                            OX_F("spatial_scale", a->spatial_scale)));
}

static double own_at(const void *bins, int64_t i)
{
    return (double)(i * (*(const int64_t *)bins + 1));
}

/* From C * bins channels in each bin: bin i of channel c is taken from channel c * bins + i. */
static ox_val own_bins(struct ox_build *b, ox_val x, struct mx_shape out)
{
    int64_t bins, width;
    (void)ox_size_at(b, x, 2, &bins);
    (void)ox_size_at(b, x, 3, &width);
    bins *= width;
    const struct mx_shape flat = MX_DIMS(out.dims[0], out.dims[1], mx_dim_of(bins * bins));
    const ox_val own = ox_computed(b, MX_INT64, &bins, 1, own_at, &bins, sizeof bins);
    return ox_reshape_shape(b, ox_gather(b, ox_reshape_shape(b, x, flat), own, 2), out);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct align *a = n->attrs;
    const bool runs = ox_has(b, OX_RoiAlign) && (!a->aligned || ox_has_half_pixels(b));
    const ox_val rois = far_off(b, in[1]);
    out[0] = runs ? native(b, a, in[0], rois) : weighed(b, a, in[0], rois);
    if (a->position_sensitive) {
        out[0] = own_bins(b, out[0], n->out[0].shape);
    }
}

const struct mx_op mx_ops_roi_align[] = {
    {
        .name = "_contrib_ROIAlign",
        .alias = "ROIAlign",
        MX_ATTRS(attrs, struct align),
        .inputs = "data rois:exact",
        .infer = infer,
        .lower = lower,
        .differs =
            "A region with a negative image number: its result is 0; MXNet on a CPU sets a single number to 0, possibly of another region.",
    },
    MX_OPS_END,
};
