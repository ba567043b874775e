/* PSROIPooling: means of the cells in the bins of regions, where each bin has its own channels (src/operator/contrib/psroi_pooling.cc). */
#include "op/op.h"
#include "shared/cells.h"

struct psroi {
    double spatial_scale;
    int64_t output_dim, pooled_size, group_size;
};

static const struct mx_attr attrs[] = {
    MX_FLOAT(struct psroi, spatial_scale, NULL),
    MX_COUNT(struct psroi, output_dim, NULL),
    MX_COUNT(struct psroi, pooled_size, NULL),
    MX_COUNT(struct psroi, group_size, "0"),
};

enum { MOST_BINS = 1 << 10, MOST_RESULTS = 1 << 24 };

static int64_t group_of(const struct psroi *a)
{
    return a->group_size > 0 ? a->group_size : a->pooled_size;
}

static int check(struct mx_infer *c, const struct psroi *a)
{
    MX_TRY(mx_within(c, "pooled_size", a->pooled_size, 1, MOST_BINS));
    MX_TRY(mx_within(c, "output_dim", a->output_dim, 1, MOST_RESULTS / (a->pooled_size * a->pooled_size)));
    return mx_within(c, "group_size", a->group_size, 0, MOST_BINS);
}

static int infer(struct mx_infer *c)
{
    const struct psroi *a = c->attrs;
    struct mx_shape x;
    mx_dim regions;
    int64_t channels;
    MX_TRY(check(c, a));
    MX_TRY(mx_input_regions(c, 5, &x, &regions));
    const int64_t needed = a->output_dim * group_of(a) * group_of(a);
    if (mx_dim_known(c->dims, x.dims[1], &channels) && channels < needed) {
        return mx_infer_fail(c, "output_dim", MX_SUBJECT "is %lld, for which the data needs %lld channels, but it has %lld",
                             (long long)a->output_dim, (long long)needed, (long long)channels);
    }
    const mx_dim bins = mx_dim_of(a->pooled_size);
    return mx_output_is(c, 0, MX_DIMS(regions, mx_dim_of(a->output_dim), bins, bins));
}

/* The cells along one axis that are in the bins of each region: 1 or 0, (R, bins, cells). */
static ox_val members(struct ox_build *b, const struct psroi *a, ox_val rois, int column, mx_dim cells)
{
    const enum mx_dtype t = ox_dtype(b, rois);
    const ox_val scale = ox_scalar(b, t, a->spatial_scale), one = ox_scalar(b, t, 1);
    ox_val corner[2];
    for (int i = 0; i < 2; i++) {
        corner[i] = ox_round_away(b, ox_gather(b, rois, ox_int(b, column + 2 * i), 1));
        corner[i] = ox_mul(b, i == 0 ? corner[i] : ox_add(b, corner[i], one), scale);
    }
    const ox_val side = ox_binary(b, OX_Max, ox_sub(b, corner[1], corner[0]), ox_scalar(b, t, 0.1));
    const ox_val bin = ox_div(b, side, ox_scalar(b, t, (double)a->pooled_size));
    const ox_val number = ox_cast(b, ox_range(b, mx_dim_of(a->pooled_size)), t);
    const ox_val begin = ox_unary(b, OX_Floor, ox_add(b, ox_mul(b, number, bin), corner[0]));
    const ox_val next = ox_mul(b, ox_add(b, number, one), bin);
    const ox_val end = ox_unary(b, OX_Ceil, ox_add(b, next, corner[0]));
    const ox_val cell = ox_cast(b, ox_range(b, cells), t);
    const ox_val after = ox_binary(b, OX_GreaterOrEqual, cell, ox_unsqueeze1(b, begin, 2));
    const ox_val before = ox_binary(b, OX_Less, cell, ox_unsqueeze1(b, end, 2));
    return ox_cast(b, ox_binary(b, OX_And, after, before), t);
}

static double own_at(const void *spec, int64_t i)
{
    const int64_t p = ((const int64_t *)spec)[0], g = ((const int64_t *)spec)[1];
    const int64_t y = i / p % p * g / p, column = i % p * g / p;
    return (double)(((i / (p * p) * g + y) * g + column) * p * p + i % (p * p));
}

/* From all channels in all bins (R, C, bins, bins), those that form the result. */
static ox_val own_channels(struct ox_build *b, const struct psroi *a, ox_val x, struct mx_shape out)
{
    const int64_t p = a->pooled_size, g = group_of(a), n = a->output_dim * p * p, p_g[] = {p, g};
    const mx_dim cells = mx_dim_muln(ox_dims_table(b), ox_dim_at(b, x, 1), p * p);
    const ox_val own = ox_computed(b, MX_INT64, &n, 1, own_at, p_g, sizeof p_g);
    return ox_reshape_shape(b, ox_gather(b, ox_reshape_shape(b, x, MX_DIMS(out.dims[0], cells)), own, 1), out);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct psroi *a = n->attrs;
    const int64_t last = 2;
    const ox_val y = members(b, a, in[1], 2, ox_dim_at(b, in[0], 2));
    const ox_val x = members(b, a, in[1], 1, ox_dim_at(b, in[0], 3));
    const ox_val image = ox_cast(b, ox_gather(b, in[1], ox_scalar(b, MX_INT64, 0), 1), MX_INT64);
    const ox_val sums = own_channels(b, a, ox_weigh_regions(b, in[0], image, y, x), n->out[0].shape);
    const ox_val height = ox_reduce(b, OX_ReduceSum, y, &last, 1, true);
    const ox_val width = ox_swap_axes(b, ox_reduce(b, OX_ReduceSum, x, &last, 1, true), 1, 2);
    const ox_val area = ox_binary(b, OX_Max, ox_mul(b, height, width), ox_scalar_like(b, y, 1));
    out[0] = ox_div(b, sums, ox_unsqueeze1(b, area, 1));
}

const struct mx_op mx_ops_psroi_pooling[] = {
    {
        .name = "_contrib_PSROIPooling",
        .alias = "PSROIPooling",
        MX_ATTRS(attrs, struct psroi),
        .inputs = "data rois:exact",
        .infer = infer,
        .lower = lower,
    },
    MX_OPS_END,
};
