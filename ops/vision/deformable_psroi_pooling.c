/* DeformablePSROIPooling: means of bilinear samples in the bins of regions, where each bin has its own channels and is shifted by an
 * input (src/operator/contrib/deformable_psroi_pooling.cc). */
#include "op/op.h"
#include "shared/cells.h"

struct pooling {
    double spatial_scale, trans_std;
    int64_t output_dim, group_size, pooled_size, part_size, sample_per_part;
    bool no_trans;
};

static const struct mx_attr attrs[] = {
    MX_FLOAT(struct pooling, spatial_scale, NULL),
    MX_COUNT(struct pooling, output_dim, NULL),
    MX_COUNT(struct pooling, group_size, NULL),
    MX_COUNT(struct pooling, pooled_size, NULL),
    MX_COUNT(struct pooling, part_size, "0"),
    MX_COUNT(struct pooling, sample_per_part, "1"),
    MX_FLOAT(struct pooling, trans_std, "0"),
    MX_BOOL(struct pooling, no_trans, "False"),
};

enum {
    MOST = 1 << 10,          /* limit: groups, parts, samples and pooled size of DeformablePSROIPooling */
    MOST_CHANNELS = 1 << 20, /* limit: output channels of DeformablePSROIPooling */
};

static int64_t parts_of(const struct pooling *a)
{
    return a->part_size > 0 ? a->part_size : a->pooled_size;
}

static int check(struct mx_infer *c, const struct pooling *a)
{
    const struct {
        const char *name;
        int64_t value, least, most;
    } of[] = {
        {"output_dim", a->output_dim, 1, MOST_CHANNELS},  {"group_size", a->group_size, 1, MOST},
        {"pooled_size", a->pooled_size, 1, MOST},         {"part_size", a->part_size, 0, MOST},
        {"sample_per_part", a->sample_per_part, 1, MOST},
    };
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        MX_TRY(mx_within(c, of[i].name, of[i].value, of[i].least, of[i].most));
    }
    return MX_OK;
}

/* trans (R, 2 * classes, parts, parts), where output_dim is a multiple of the classes. */
static int infer_trans(struct mx_infer *c, const struct pooling *a, mx_dim regions)
{
    struct mx_shape trans;
    int64_t planes;
    MX_TRY(mx_input_rank(c, 2, 4, &trans));
    MX_TRY(mx_number(c, trans.dims[1], "axis 1 of trans", &planes));
    if (planes < 2 || planes % 2 != 0 || a->output_dim % (planes / 2) != 0) {
        return mx_infer_fail(c, "output_dim", MX_SUBJECT "is %lld, but half of the %lld planes of trans must divide it",
                             (long long)a->output_dim, (long long)planes);
    }
    const mx_dim part = mx_dim_of(parts_of(a));
    return mx_input_is(c, 2, MX_DIMS(regions, trans.dims[1], part, part));
}

static int64_t channels_of(const struct pooling *a)
{
    return a->output_dim * a->group_size * a->group_size;
}

/* More channels than the bins have are not read. */
static int check_channels(struct mx_infer *c, const struct pooling *a, mx_dim channels)
{
    int64_t given;
    return mx_dim_known(c->dims, channels, &given) && given > channels_of(a)
               ? MX_OK
               : mx_same_dim(c, channels, mx_dim_of(channels_of(a)), "channels of the data and those of the bins");
}

static int infer(struct mx_infer *c)
{
    const struct pooling *a = c->attrs;
    struct mx_shape x;
    mx_dim regions;
    MX_TRY(check(c, a));
    MX_TRY(mx_input_regions(c, 5, &x, &regions));
    MX_TRY(check_channels(c, a, x.dims[1]));
    if (!a->no_trans) {
        MX_TRY(infer_trans(c, a, regions));
    }
    const mx_dim bins = mx_dim_of(a->pooled_size);
    return mx_output_is(c, 0, MX_DIMS(regions, mx_dim_of(a->output_dim), bins, bins));
}

struct net {
    struct ox_build *b;
    const struct pooling *a;
    enum mx_dtype t;
    int64_t classes;
    ox_val x, rois, trans;
};

/* Points have the axes (R, classes, bin y, bin x, sample y, sample x). */
enum { POINT_AXES = 6 };

static ox_val number(struct net *k, double v)
{
    return ox_scalar(k->b, k->t, v);
}

/* 0, 1, ... along one axis of the points. */
static ox_val along(struct net *k, int64_t n, int axis, enum mx_dtype t)
{
    int64_t dims[POINT_AXES] = {1, 1, 1, 1, 1, 1};
    dims[axis] = n;
    return ox_cast(k->b, ox_reshape_ints(k->b, ox_range(k->b, mx_dim_of(n)), dims, POINT_AXES), t);
}

/* The part that contains bin i, in MXNet's arithmetic: i / bins * parts may be below i. */
static int64_t part_of(const struct net *k, int64_t i)
{
    const int64_t parts = parts_of(k->a), bins = k->a->pooled_size;
    if (k->t == MX_FLOAT64) {
        return (int64_t)((double)i / (double)bins * (double)parts);
    }
    return (int64_t)((float)i / (float)bins * (float)parts);
}

/* Shifts of the bins along one axis (0: y, 1: x) in units of the region; x comes before y. */
static ox_val shifts(struct net *k, int axis)
{
    struct ox_build *b = k->b;
    const int64_t parts = parts_of(k->a), bins = k->a->pooled_size;
    const mx_dim part = mx_dim_of(parts);
    const struct mx_shape planes = MX_DIMS(ox_dim_at(b, k->trans, 0), mx_dim_of(k->classes), mx_dim_of(2), part, part);
    bool same = parts == bins;
    ox_val x = ox_gather(b, ox_reshape_shape(b, k->trans, planes), ox_scalar(b, MX_INT64, 1 - axis), 2);
    int64_t *of_bin = ox_scratch(b, (size_t)bins, sizeof *of_bin);
    if (!of_bin) {
        return OX_NONE;
    }
    for (int64_t i = 0; i < bins; i++) {
        of_bin[i] = part_of(k, i);
        same = same && of_bin[i] == i;
    }
    if (!same) {
        const ox_val index = ox_ints(b, of_bin, (int)bins);
        x = ox_gather(b, ox_gather(b, x, index, 2), index, 3);
    }
    x = ox_mul(b, x, number(k, k->a->trans_std));
    return ox_unsqueeze(b, x, (const int64_t[]){4, 5}, 2);
}

static ox_val by_region(struct ox_build *b, ox_val x)
{
    return ox_reshape_ints(b, x, (const int64_t[]){0, 1, 1, 1, 1, 1}, POINT_AXES);
}

/* The positions of the points along one axis (0: y, 1: x), and whether they are on the map. */
static ox_val points(struct net *k, int axis, ox_val *inside)
{
    struct ox_build *b = k->b;
    const struct pooling *a = k->a;
    const ox_val half = number(k, 0.5), scale = number(k, a->spatial_scale);
    ox_val corner[2];
    for (int i = 0; i < 2; i++) {
        const ox_val x = ox_round_away(b, ox_gather(b, k->rois, ox_int(b, 2 - axis + 2 * i), 1));
        const ox_val end = i == 0 ? x : ox_add(b, x, number(k, 1));
        corner[i] = ox_sub(b, ox_mul(b, by_region(b, end), scale), half);
    }
    const ox_val side = ox_binary(b, OX_Max, ox_sub(b, corner[1], corner[0]), number(k, 0.1));
    const ox_val bin = ox_div(b, side, number(k, (double)a->pooled_size));
    const ox_val step = ox_div(b, bin, number(k, (double)a->sample_per_part));
    ox_val at = ox_add(b, ox_mul(b, along(k, a->pooled_size, 2 + axis, k->t), bin), corner[0]);
    if (!a->no_trans) {
        at = ox_add(b, at, ox_mul(b, shifts(k, axis), side));
    }
    at = ox_add(b, at, ox_mul(b, along(k, a->sample_per_part, 4 + axis, k->t), step));
    const ox_val end = ox_sub(b, ox_dim_as(b, ox_dim_at(b, k->x, 2 + axis), k->t), half);
    *inside = ox_binary(b, OX_And, ox_binary(b, OX_GreaterOrEqual, at, number(k, -0.5)), ox_binary(b, OX_LessOrEqual, at, end));
    return at;
}

/* The cells as rows: one for each image, group y, group x, cell and class. */
static ox_val rows(struct net *k)
{
    struct ox_build *b = k->b;
    const struct mx_shape s = ox_shape(b, k->x);
    const mx_dim group = mx_dim_of(k->a->group_size), classes = mx_dim_of(k->classes), each = mx_dim_of(k->a->output_dim / k->classes);
    const struct mx_shape apart = MX_DIMS(s.dims[0], classes, each, group, group, s.dims[2], s.dims[3]);
    const mx_dim of_row[] = {s.dims[0], group, group, s.dims[2], s.dims[3], classes};
    const ox_val x = ox_transpose(b, ox_reshape_shape(b, k->x, apart), (const int64_t[]){0, 3, 4, 5, 6, 1, 2}, 7);
    return ox_reshape_shape(b, x, MX_DIMS(mx_dim_product(ox_dims_table(b), of_row, 6), each));
}

/* The row of the map's first cell that a bin reads. */
static double group_at(const void *spec, int64_t i)
{
    const struct pooling *a = spec;
    const int64_t p = a->pooled_size, g = a->group_size;
    return (double)(i / p * g / p * g + i % p * g / p);
}

static ox_val bases(struct net *k)
{
    struct ox_build *b = k->b;
    const int64_t p = k->a->pooled_size, g = k->a->group_size, dims[] = {1, 1, p, p, 1, 1};
    struct mx_dims *t = ox_dims_table(b);
    const ox_val column = ox_gather(b, k->rois, ox_int(b, 0), 1);
    const ox_val image = by_region(b, ox_cast(b, column, MX_INT64));
    const ox_val own = ox_computed(b, MX_INT64, dims, POINT_AXES, group_at, k->a, sizeof *k->a);
    const ox_val map = ox_add(b, ox_mul(b, image, ox_int(b, g * g)), own);
    const mx_dim cells = mx_dim_mul(t, ox_dim_at(b, k->x, 2), ox_dim_at(b, k->x, 3));
    const ox_val first = ox_mul(b, map, ox_dim(b, mx_dim_muln(t, cells, k->classes)));
    return k->classes == 1 ? first : ox_add(b, first, along(k, k->classes, 1, MX_INT64));
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct pooling *a = n->attrs;
    const int64_t samples[] = {4, 5}, perm[] = {0, 1, 4, 2, 3};
    const ox_val x = ox_slice1(b, in[0], 1, 0, channels_of(a));
    struct net k = {.b = b, .a = a, .t = ox_dtype(b, in[0]), .x = x, .rois = in[1]};
    int64_t planes = 2;
    ox_val on_y, on_x;
    if (!a->no_trans) {
        k.trans = in[2];
        (void)ox_size_at(b, in[2], 1, &planes);
    }
    k.classes = planes / 2;
    const struct ox_sample sample = {
        .rows = rows(&k),
        .base = bases(&k),
        .y = points(&k, 0, &on_y),
        .x = points(&k, 1, &on_x),
        .height = ox_dim_at(b, in[0], 2),
        .width = ox_dim_at(b, in[0], 3),
        .step = k.classes,
    };
    const ox_val inside = ox_cast(b, ox_binary(b, OX_And, on_y, on_x), k.t);
    const ox_val values = ox_mul(b, ox_bilinear(b, &sample), ox_unsqueeze1(b, inside, POINT_AXES));
    const ox_val sums = ox_reduce(b, OX_ReduceSum, values, samples, 2, false);
    const ox_val taken = ox_reduce(b, OX_ReduceSum, inside, samples, 2, false);
    const ox_val mean = ox_div(b, sums, ox_unsqueeze1(b, ox_binary(b, OX_Max, taken, number(&k, 1)), 4));
    out[0] = ox_reshape_shape(b, ox_transpose(b, mean, perm, 5), n->out[0].shape);
}

const struct mx_op mx_ops_deformable_psroi_pooling[] = {
    {
        .name = "_contrib_DeformablePSROIPooling",
        .alias = "DeformablePSROIPooling",
        .single = true,
        MX_ATTRS(attrs, struct pooling),
        .inputs = "data rois:exact trans:unless(no_trans)",
        .infer = infer,
        .lower = lower,
    },
    MX_OPS_END,
};
