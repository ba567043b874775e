/* ROIPooling: the largest cells in the bins of regions (src/operator/roi_pooling.cc). */
#include "op/op.h"
#include "shared/cells.h"

struct pooling {
    struct mx_tuple pooled_size;
    double spatial_scale;
};

static const struct mx_attr attrs[] = {
    MX_SIZES_NONE(struct pooling, pooled_size, NULL),
    MX_FLOAT(struct pooling, spatial_scale, NULL),
};

static int infer(struct mx_infer *c)
{
    const struct pooling *a = c->attrs;
    struct mx_shape x;
    mx_dim regions;
    MX_TRY(mx_check_pair(c, "pooled_size", a->pooled_size, 1, "two positive numbers: height and width"));
    MX_TRY(mx_fraction(c, "spatial_scale", a->spatial_scale));
    MX_TRY(mx_input_regions(c, 5, &x, &regions));
    return mx_output_is(c, 0, MX_DIMS(regions, x.dims[1], mx_dim_of(a->pooled_size.v[0]), mx_dim_of(a->pooled_size.v[1])));
}

/* The corners of the regions, to be scaled by *scale: runtimes refuse a scale of 0, in which all corners are the first cell. */
static ox_val corners(struct ox_build *b, ox_val rois, double *scale)
{
    const ox_val given = ox_slice1(b, rois, 1, 1, 5);
    if (*scale > 0) {
        return given;
    }
    *scale = 1;
    return ox_mul(b, given, ox_scalar_like(b, given, 0));
}

/* A region of an image that does not exist gives 0; runtimes refuse it, so it is given image 0 instead. MXNet truncates the number. */
static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct pooling *a = n->attrs;
    const enum mx_dtype t = ox_dtype(b, in[1]);
    const ox_val zero = ox_scalar(b, t, 0);
    const ox_val images = ox_dim_as(b, ox_dim_at(b, in[0], 0), t);
    const ox_val image = ox_slice1(b, in[1], 1, 0, 1);
    const ox_val is_there =
        ox_binary(b, OX_And, ox_binary(b, OX_Greater, image, ox_scalar(b, t, -1)), ox_binary(b, OX_Less, image, images));
    double scale = a->spatial_scale;
    const ox_val parts[] = {ox_where(b, is_there, image, zero), corners(b, in[1], &scale)};
    const ox_val rois = ox_concat(b, parts, 2, 1);
    const ox_val pooled =
        ox_node(b, OX_MaxRoiPool, OX_IN(in[0], rois), OX_ATTRS(OX_IS("pooled_shape", a->pooled_size.v, 2), OX_F("spatial_scale", scale)));
    const ox_val there = ox_unsqueeze(b, is_there, (const int64_t[]){2, 3}, 2);
    out[0] = ox_where(b, there, pooled, zero);
}

const struct mx_op mx_ops_roi_pooling[] = {
    {
        .name = "ROIPooling",
        .alias = "_npx_roi_pooling",
        MX_ATTRS(attrs, struct pooling),
        .inputs = "data rois:exact",
        .infer = infer,
        .lower = lower,
    },
    MX_OPS_END,
};
