/* RROIAlign: means of bilinear samples in the bins of rotated regions (src/operator/contrib/rroi_align.cc). */
#include "op/op.h"
#include "shared/cells.h"

struct align {
    struct mx_tuple pooled_size;
    double spatial_scale;
    int64_t sampling_ratio;
};

static const struct mx_attr attrs[] = {
    MX_SIZES_NONE(struct align, pooled_size, NULL),
    MX_FLOAT(struct align, spatial_scale, NULL),
    MX_INT(struct align, sampling_ratio, "-1"),
};

static int infer(struct mx_infer *c)
{
    const struct align *a = c->attrs;
    struct mx_shape x;
    mx_dim regions;
    MX_TRY(mx_check_pair(c, "pooled_size", a->pooled_size, 1, "two positive numbers: height and width"));
    MX_TRY(mx_input_regions(c, 6, &x, &regions));
    return mx_output_is(c, 0, MX_DIMS(regions, x.dims[1], mx_dim_of(a->pooled_size.v[0]), mx_dim_of(a->pooled_size.v[1])));
}

struct net {
    struct ox_build *b;
    const struct align *a;
    enum mx_dtype t;
    ox_val rois;
};

/* Points have the axes (R, bin y, bin x, sample y, sample x). */
enum { POINT_AXES = 5 };

static ox_val number(struct net *k, double v)
{
    return ox_scalar(k->b, k->t, v);
}

/* A column of the regions, which broadcasts with points. */
static ox_val column(struct net *k, int64_t i)
{
    const int64_t dims[] = {-1, 1, 1, 1, 1};
    return ox_reshape_ints(k->b, ox_gather(k->b, k->rois, ox_int(k->b, i), 1), dims, POINT_AXES);
}

/* Along one axis (0: y, 1: x) of the region, relative to its centre. */
struct axis {
    ox_val at;
    ox_val count; /* samples in a bin */
    ox_val taken; /* true for samples that exist, if the number depends on the region; otherwise OX_NONE */
};

static struct axis samples(struct net *k, int axis)
{
    struct ox_build *b = k->b;
    const int64_t bins = k->a->pooled_size.v[axis], n = k->a->sampling_ratio;
    int64_t bin_dims[POINT_AXES] = {1, 1, 1, 1, 1}, dims[POINT_AXES] = {1, 1, 1, 1, 1};
    struct axis s = {.taken = OX_NONE};
    const ox_val scaled = ox_mul(b, column(k, axis == 0 ? 4 : 3), number(k, k->a->spatial_scale));
    const ox_val side = ox_binary(b, OX_Max, scaled, number(k, 1));
    const ox_val bin = ox_div(b, side, number(k, (double)bins));
    bin_dims[1 + axis] = bins;
    dims[3 + axis] = -1;
    const ox_val sample = ox_reshape_ints(b, ox_samples(b, bin, n, &s.count), dims, POINT_AXES);
    s.taken = n > 0 ? OX_NONE : ox_binary(b, OX_Less, sample, s.count);
    const ox_val first = ox_cast(b, ox_range(b, mx_dim_of(bins)), k->t);
    const ox_val begin = ox_mul(b, ox_reshape_ints(b, first, bin_dims, POINT_AXES), bin);
    const ox_val middle = ox_mul(b, ox_add(b, sample, number(k, 0.5)), bin);
    const ox_val from = ox_sub(b, begin, ox_mul(b, side, number(k, 0.5)));
    s.at = ox_add(b, from, ox_div(b, middle, s.count));
    return s;
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct align *a = n->attrs;
    struct net k = {.b = b, .a = a, .t = ox_dtype(b, in[0]), .rois = in[1]};
    const struct mx_shape s = ox_shape(b, in[0]);
    struct mx_dims *t = ox_dims_table(b);
    const struct axis v = samples(&k, 0), u = samples(&k, 1);
    const ox_val scale = number(&k, a->spatial_scale);
    const ox_val angle = ox_mul(b, column(&k, 5), number(&k, 0.017453292519943295));
    const ox_val cosine = ox_unary(b, OX_Cos, angle), sine = ox_unary(b, OX_Sin, angle);
    const ox_val right = ox_add(b, ox_mul(b, u.at, cosine), ox_mul(b, v.at, sine));
    const ox_val down = ox_sub(b, ox_mul(b, v.at, cosine), ox_mul(b, u.at, sine));
    const ox_val x = ox_add(b, right, ox_mul(b, column(&k, 1), scale));
    const ox_val y = ox_add(b, down, ox_mul(b, column(&k, 2), scale));
    ox_val inside = ox_binary(b, OX_And, ox_on_map(b, y, s.dims[2]), ox_on_map(b, x, s.dims[3]));
    if (v.taken != OX_NONE) {
        inside = ox_binary(b, OX_And, inside, ox_binary(b, OX_And, v.taken, u.taken));
    }
    const mx_dim cells = mx_dim_mul(t, s.dims[2], s.dims[3]);
    const struct ox_sample sample = {
        .rows = ox_reshape_shape(b, ox_move_axis(b, in[0], 1, 3), MX_DIMS(mx_dim_mul(t, s.dims[0], cells), s.dims[1])),
        .base = ox_mul(b, ox_cast(b, column(&k, 0), MX_INT64), ox_dim(b, cells)),
        .y = y,
        .x = x,
        .height = s.dims[2],
        .width = s.dims[3],
        .step = 1,
    };
    const ox_val mask = ox_unsqueeze1(b, ox_cast(b, inside, k.t), POINT_AXES);
    const ox_val values = ox_mul(b, ox_bilinear(b, &sample), mask);
    const ox_val sums = ox_reduce(b, OX_ReduceSum, values, (const int64_t[]){3, 4}, 2, false);
    ox_val count = ox_mul(b, v.count, u.count);
    if (v.taken != OX_NONE) {
        count = ox_reshape_ints(b, count, (const int64_t[]){-1, 1, 1, 1}, 4);
    }
    out[0] = ox_reshape_shape(b, ox_move_axis(b, ox_div(b, sums, count), 3, 1), n->out[0].shape);
}

const struct mx_op mx_ops_rroi_align[] = {
    {.name = "_contrib_RROIAlign", MX_ATTRS(attrs, struct align), .inputs = "data rois:exact", .infer = infer, .lower = lower},
    MX_OPS_END,
};
