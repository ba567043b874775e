/* DeformableConvolution and ModulatedDeformableConvolution: convolutions whose taps are shifted by one input, and weighted by another
 * (src/operator/contrib/deformable_convolution-inl.h, modulated_deformable_convolution-inl.h).
 *
 * They differ at the border. The modulated one reads zeros around the map, like ONNX's DeformConv. The plain one gives 0 for a tap outside
 * [0, H) x [0, W) and the last cell between H - 1 and H (contrib/nn/deformable_im2col.h, im2col_bilinear_cpu): taps are moved inside, and
 * masked. */
#include "op/op.h"
#include "shared/cells.h"
#include "shared/window.h"

struct deform {
    struct mx_window_attrs window;
    int64_t num_filter, num_group, num_deformable_group;
    bool no_bias;
};

static const struct mx_attr attrs[] = {
    MX_WINDOW_ATTRS(struct deform),
    MX_COUNT(struct deform, num_filter, NULL),
    MX_COUNT(struct deform, num_group, "1"),
    MX_COUNT(struct deform, num_deformable_group, "1"),
    MX_BOOL(struct deform, no_bias, "False"),
    MX_WINDOW_LAYOUT(struct deform),
    MX_IGNORED("workspace im2col_step"),
};

enum { MOST_TAPS = 1 << 16 }; /* limit: cells under the window of a deformable convolution */

enum { PLAIN, MODULATED }; /* MODULATED has a mask */

static int check_window(struct mx_infer *c, const struct mx_window *w)
{
    if (w->n != 2 || w->channels_last) {
        return mx_infer_fail(c, "kernel", "the data must have two axes after the channels (layout NCHW)");
    }
    return mx_window_check_taps(c, w, MOST_TAPS);
}

static int check_groups(struct mx_infer *c, const struct deform *a)
{
    MX_TRY(mx_check_filters(c, a->num_filter, a->num_group));
    return mx_positive(c, "num_deformable_group", a->num_deformable_group);
}

/* Weight (num_filter, C / num_group, kernel), bias (num_filter). */
static int infer_weights(struct mx_infer *c, const struct mx_window *w, int at, mx_dim channels)
{
    const struct deform *a = c->attrs;
    const mx_dim filters = mx_dim_of(a->num_filter);
    struct mx_shape weight;
    int64_t n;
    MX_TRY(mx_input_rank(c, at, 4, &weight));
    const mx_dim per_group = weight.dims[1];
    MX_TRY(mx_same_dim(c, channels, mx_dim_muln(c->dims, per_group, a->num_group), "channels of data and weight"));
    if (mx_dim_known(c->dims, channels, &n) && n % a->num_deformable_group != 0) {
        return mx_infer_fail(c, "num_deformable_group",
                             MX_SUBJECT "is %lld, which does not divide the %lld channels" MX_HELP "choose a divisor",
                             (long long)a->num_deformable_group, (long long)n);
    }
    MX_TRY(mx_input_is(c, at, MX_DIMS(filters, per_group, mx_dim_of(w->kernel[0]), mx_dim_of(w->kernel[1]))));
    return a->no_bias ? MX_OK : mx_input_is(c, at + 1, MX_DIMS(filters));
}

static int infer(struct mx_infer *c)
{
    const struct deform *a = c->attrs;
    struct mx_window w;
    struct mx_shape x;
    MX_TRY(mx_window_init(c, &a->window, &w));
    MX_TRY(check_window(c, &w));
    MX_TRY(check_groups(c, a));
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input_rank(c, 0, 4, &x));
    MX_TRY(infer_weights(c, &w, c->node->op->which ? 3 : 2, x.dims[1]));
    mx_dim out[4];
    for (int i = 0; i < 2; i++) {
        MX_TRY(mx_window_size(c, &w, i, x.dims[2 + i], &out[2 + i]));
    }
    const mx_dim taps = mx_dim_of(a->num_deformable_group * w.kernel[0] * w.kernel[1]);
    MX_TRY(mx_input_is(c, 1, MX_DIMS(x.dims[0], mx_dim_muln(c->dims, taps, 2), out[2], out[3])));
    if (c->node->op->which) {
        MX_TRY(mx_input_is(c, 2, MX_DIMS(x.dims[0], taps, out[2], out[3])));
    }
    return mx_output_is(c, 0, MX_DIMS(x.dims[0], mx_dim_of(a->num_filter), out[2], out[3]));
}

struct net {
    struct ox_build *b;
    struct mx_dims *t;
    const struct deform *a;
    struct mx_window w;
    enum mx_dtype dtype;
    mx_dim size[2];
    mx_dim taps[5];  /* (N, groups, kernel, oh, ow) */
    ox_val start[2]; /* position of each tap, without its offset: y (kernel, oh, 1) and x (kernel, 1, ow) */
    ox_val at[2];    /* the same with offset, with dims taps */
    ox_val weight, bias;
};

/* i * stride - pad + tap * dilate */
static ox_val starts(struct net *k, int axis)
{
    struct ox_build *b = k->b;
    const int64_t n = k->w.kernel[0] * k->w.kernel[1], dims[] = {n, 1, 1};
    double *first = ox_scratch(b, (size_t)n, sizeof *first);
    if (!first) {
        return OX_NONE;
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t tap = axis == 0 ? i / k->w.kernel[1] : i % k->w.kernel[1];
        first[i] = (double)(tap * k->w.dilate[axis] - k->w.pad[axis]);
    }
    const ox_val of_tap = ox_reshape_ints(b, ox_floats(b, k->dtype, first, (int)n), dims, 3);
    ox_val cell = ox_cast(b, ox_range(b, k->taps[3 + axis]), k->dtype);
    cell = axis == 0 ? ox_unsqueeze1(b, cell, 1) : cell;
    cell = ox_mul(b, cell, ox_scalar(b, k->dtype, (double)k->w.stride[axis]));
    return ox_add(b, cell, of_tap);
}

/* Offsets are (N, groups * kernel * 2, oh, ow), y before x. */
static void shift(struct net *k, ox_val offset)
{
    struct ox_build *b = k->b;
    offset = ox_reshape_shape(b, offset, MX_DIMS(k->taps[0], k->taps[1], k->taps[2], mx_dim_of(2), k->taps[3], k->taps[4]));
    for (int i = 0; i < 2; i++) {
        k->start[i] = starts(k, i);
        k->at[i] = ox_add(b, ox_gather(b, offset, ox_scalar(b, MX_INT64, i), 3), k->start[i]);
    }
}

static ox_val size_of(struct net *k, int axis)
{
    return ox_dim_as(k->b, k->size[axis], k->dtype);
}

/* 1 where a tap is inside [0, H) x [0, W). */
static ox_val inside(struct net *k)
{
    struct ox_build *b = k->b;
    const ox_val zero = ox_scalar(b, k->dtype, 0);
    ox_val on[2];
    for (int i = 0; i < 2; i++) {
        on[i] = ox_binary(b, OX_And, ox_binary(b, OX_GreaterOrEqual, k->at[i], zero), ox_binary(b, OX_Less, k->at[i], size_of(k, i)));
    }
    return ox_cast(b, ox_binary(b, OX_And, on[0], on[1]), k->dtype);
}

/* ---- by DeformConv */

/* Offsets for taps moved inside. */
static ox_val offset_inside(struct net *k, struct mx_shape shape)
{
    struct ox_build *b = k->b;
    ox_val parts[2];
    for (int i = 0; i < 2; i++) {
        const ox_val last = ox_sub(b, size_of(k, i), ox_scalar(b, k->dtype, 1));
        const ox_val at = ox_clip(b, k->at[i], ox_scalar(b, k->dtype, 0), last);
        parts[i] = ox_unsqueeze1(b, ox_sub(b, at, k->start[i]), 3);
    }
    return ox_reshape_shape(b, ox_concat(b, parts, 2, 3), shape);
}

static ox_val native(struct net *k, ox_val x, ox_val offset, ox_val mask)
{
    const struct mx_window *w = &k->w;
    if (mask == OX_NONE) {
        const struct mx_shape taps = MX_DIMS(k->taps[0], mx_dim_mul(k->t, k->taps[1], k->taps[2]), k->taps[3], k->taps[4]);
        shift(k, offset);
        mask = ox_reshape_shape(k->b, inside(k), taps);
        offset = offset_inside(k, ox_shape(k->b, offset));
    }
    return ox_node(k->b, OX_DeformConv, OX_IN(x, k->weight, offset, k->bias, mask),
                   OX_ATTRS(OX_IS("kernel_shape", w->kernel, 2), OX_IS("strides", w->stride, 2), OX_IS("dilations", w->dilate, 2),
                            OX_IS("pads", w->pad, 4), OX_I("group", k->a->num_group), OX_I("offset_group", k->a->num_deformable_group)));
}

/* ---- by gathering the cells that each tap reads */

/* (N, groups, kernel, oh, ow, channels of a group) */
static ox_val read(struct net *k, ox_val x, ox_val mask)
{
    struct ox_build *b = k->b;
    const bool zeros_around = mask != OX_NONE;
    const int64_t groups = k->a->num_deformable_group;
    if (zeros_around) {
        x = ox_zeros_around(b, x, 1);
        for (int i = 0; i < 2; i++) {
            k->at[i] = ox_add(b, k->at[i], ox_scalar(b, k->dtype, 1));
        }
    } else {
        mask = inside(k);
    }
    const struct mx_shape s = ox_shape(b, x);
    if (ox_failed(b)) {
        return OX_NONE;
    }
    const mx_dim maps = mx_dim_muln(k->t, s.dims[0], groups), cells = mx_dim_mul(k->t, s.dims[2], s.dims[3]);
    const mx_dim channels = mx_dim_floor_div(k->t, s.dims[1], groups);
    const struct mx_shape by_map = MX_DIMS(maps, channels, cells), rows = MX_DIMS(mx_dim_mul(k->t, maps, cells), channels);
    const struct mx_shape of_map = MX_DIMS(s.dims[0], mx_dim_of(groups), mx_dim_of(1), mx_dim_of(1), mx_dim_of(1));
    const ox_val first = ox_mul(b, ox_range(b, maps), ox_dim(b, cells));
    const struct ox_sample sample = {
        .rows = ox_reshape_shape(b, ox_swap_axes(b, ox_reshape_shape(b, x, by_map), 1, 2), rows),
        .base = ox_reshape_shape(b, first, of_map),
        .y = k->at[0],
        .x = k->at[1],
        .height = s.dims[2],
        .width = s.dims[3],
        .step = 1,
    };
    mask = ox_unsqueeze1(b, ox_reshape(b, mask, k->taps, 5), 5);
    return ox_mul(b, ox_bilinear(b, &sample), mask);
}

static ox_val gathered(struct net *k, ox_val x, ox_val offset, ox_val mask, struct mx_shape out)
{
    struct ox_build *b = k->b;
    shift(k, offset);
    const int64_t perm[] = {0, 1, 5, 2, 3, 4}, bias[] = {k->a->num_filter, 1, 1};
    const mx_dim cells = mx_dim_mul(k->t, k->taps[3], k->taps[4]), groups = mx_dim_of(k->a->num_group);
    const mx_dim reads = mx_dim_mul(k->t, ox_dim_at(b, k->weight, 1), k->taps[2]);
    const struct mx_shape columns = MX_DIMS(k->taps[0], groups, reads, cells);
    const struct mx_shape matrix = MX_DIMS(groups, mx_dim_of(k->a->num_filter / k->a->num_group), reads);
    const ox_val taken = ox_transpose(b, read(k, x, mask), perm, 6);
    const ox_val product = ox_matmul(b, ox_reshape_shape(b, k->weight, matrix), ox_reshape_shape(b, taken, columns));
    const ox_val y = ox_reshape_shape(b, product, out);
    return k->bias == OX_NONE ? y : ox_add(b, y, ox_reshape_ints(b, k->bias, bias, 3));
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct deform *a = n->attrs;
    const struct mx_shape x = ox_shape(b, in[0]), y = n->out[0].shape;
    const int at = n->op->which ? 3 : 2;
    struct net k = {.b = b, .t = ox_dims_table(b), .a = a, .w = mx_window_of(&a->window), .dtype = ox_dtype(b, in[0])};
    k.weight = in[at];
    k.bias = a->no_bias ? OX_NONE : in[at + 1];
    k.taps[0] = x.dims[0];
    k.taps[1] = mx_dim_of(a->num_deformable_group);
    k.taps[2] = mx_dim_of(k.w.kernel[0] * k.w.kernel[1]);
    for (int i = 0; i < 2; i++) {
        k.size[i] = x.dims[2 + i];
        k.taps[3 + i] = y.dims[2 + i];
    }
    const ox_val mask = n->op->which ? in[2] : OX_NONE;
    out[0] = ox_has(b, OX_DeformConv) ? native(&k, in[0], in[1], mask) : gathered(&k, in[0], in[1], mask, y);
}

#define ROW(...)                                                                                                                           \
    {                                                                                                                                      \
        MX_ATTRS(attrs, struct deform), .infer = infer, .lower = lower, .single = true, __VA_ARGS__                                        \
    }

const struct mx_op mx_ops_deformable_convolution[] = {
    ROW(.name = "_contrib_DeformableConvolution", .alias = "DeformableConvolution _npx_deformable_convolution",
        .inputs = "data offset:exact weight:learned bias:learned:unless(no_bias)"),
    ROW(.name = "_contrib_ModulatedDeformableConvolution", .alias = "_npx_modulated_deformable_convolution", .which = MODULATED,
        .inputs = "data offset:exact mask weight:learned bias:learned:unless(no_bias)"),
    MX_OPS_END,
};
