/* im2col: the cells covered by each window of a convolution, as columns; col2im: columns added up into a map (src/operator/nn/
 * im2col-inl.h). */
#include "op/op.h"
#include "shared/window.h"

struct columns {
    struct mx_window_attrs window;
    struct mx_tuple output_size;
};

static const struct mx_attr im2col_attrs[] = {MX_WINDOW_ATTRS(struct columns)};
static const struct mx_attr col2im_attrs[] = {
    MX_SIZES_NONE(struct columns, output_size, NULL),
    MX_WINDOW_ATTRS(struct columns),
};

enum {
    AXES = 2,
    MOST_TAPS = 1 << 12, /* limit: cells under a window of im2col and col2im */
};

static int infer_window(struct mx_infer *c, struct mx_window *w)
{
    const struct columns *a = c->attrs;
    MX_TRY(mx_window_init(c, &a->window, w));
    if (w->n != AXES) { /* MXNet's kernel crashes with one axis and misreads three */
        return mx_infer_fail(c, "kernel", MX_SUBJECT "has length %d, but must have length 2", w->n);
    }
    MX_TRY(mx_window_check_taps(c, w, MOST_TAPS));
    return mx_same_dtype(c, 0, 0);
}

static int64_t taps_of(const struct mx_window *w)
{
    return w->kernel[0] * w->kernel[1];
}

/* ---- im2col */

static int infer_im2col(struct mx_infer *c)
{
    struct mx_window w;
    struct mx_shape x;
    mx_dim cells = mx_dim_of(1);
    MX_TRY(infer_window(c, &w));
    MX_TRY(mx_input_rank(c, 0, AXES + 2, &x));
    for (int i = 0; i < AXES; i++) {
        mx_dim size;
        MX_TRY(mx_window_size(c, &w, i, x.dims[2 + i], &size));
        cells = mx_dim_mul(c->dims, cells, size);
    }
    return mx_output_is(c, 0, MX_DIMS(x.dims[0], mx_dim_muln(c->dims, x.dims[1], taps_of(&w)), cells));
}

/* The cells that tap `tap` of every window reads, with an additional axis after the channels. */
static ox_val read(struct ox_build *b, const struct mx_window *w, ox_val x, int64_t tap)
{
    int64_t starts[AXES], ends[AXES], axes[AXES];
    for (int i = AXES - 1; i >= 0; i--) {
        starts[i] = tap % w->kernel[i] * w->dilate[i];
        tap /= w->kernel[i];
        const int64_t after = mx_window_extent(w, i) - 1 - starts[i];
        ends[i] = after == 0 ? INT64_MAX : -after;
        axes[i] = 2 + i;
    }
    return ox_unsqueeze1(b, ox_slice(b, x, starts, ends, axes, w->stride, AXES), 2);
}

static void lower_im2col(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct columns *a = n->attrs;
    const struct mx_window w = mx_window_of(&a->window);
    const int64_t taps = taps_of(&w), pads[] = {0, 0, w.pad[0], w.pad[1]};
    ox_val *parts = ox_scratch(b, (size_t)taps, sizeof *parts);
    const ox_val x = ox_pad(b, in[0], pads, pads, AXES + 2, "constant", 0);
    for (int64_t i = 0; parts && i < taps && !ox_failed(b); i++) {
        parts[i] = read(b, &w, x, i);
    }
    out[0] = ox_failed(b) ? OX_NONE : ox_reshape_shape(b, ox_concat(b, parts, (int)taps, 2), n->out[0].shape);
}

/* ---- col2im: a transposed convolution whose kernel is 1 at one tap for each channel */

static int infer_col2im(struct mx_infer *c)
{
    const struct columns *a = c->attrs;
    struct mx_window w;
    struct mx_shape x;
    mx_dim cells = mx_dim_of(1), out[AXES];
    int64_t rows;
    MX_TRY(infer_window(c, &w));
    if (a->output_size.n != AXES) {
        return mx_infer_fail(c, "output_size", MX_SUBJECT "has length %d, but must have one number for each axis of the kernel",
                             a->output_size.n);
    }
    for (int i = 0; i < AXES; i++) {
        mx_dim size;
        MX_TRY(mx_positive(c, "output_size", a->output_size.v[i]));
        out[i] = mx_dim_of(a->output_size.v[i]);
        MX_TRY(mx_window_size(c, &w, i, out[i], &size));
        cells = mx_dim_mul(c->dims, cells, size);
    }
    MX_TRY(mx_input_rank(c, 0, 3, &x));
    MX_TRY(mx_number(c, x.dims[1], "the axis of channels times taps", &rows));
    if (rows % taps_of(&w) != 0) {
        return mx_infer_fail(c, "kernel", MX_SUBJECT "has %lld cells, but the data has %lld rows, which must be a multiple of that",
                             (long long)taps_of(&w), (long long)rows);
    }
    MX_TRY(mx_input_is(c, 0, MX_DIMS(x.dims[0], x.dims[1], cells)));
    return mx_output_is(c, 0, MX_DIMS(x.dims[0], mx_dim_of(rows / taps_of(&w)), out[0], out[1]));
}

static double one_tap_at(const void *taps, int64_t i)
{
    return i % (*(const int64_t *)taps + 1) == 0;
}

/* (C * taps, 1, kernel...) */
static ox_val one_tap_each(struct ox_build *b, const struct mx_window *w, int64_t channels, enum mx_dtype t)
{
    const int64_t taps = taps_of(w), dims[] = {taps, 1, w->kernel[0], w->kernel[1]}, repeats[] = {channels, 1, 1, 1};
    return ox_tile(b, ox_computed(b, t, dims, AXES + 2, one_tap_at, &taps, sizeof taps), repeats, AXES + 2);
}

static void lower_col2im(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct columns *a = n->attrs;
    const struct mx_window w = mx_window_of(&a->window);
    int64_t spare[AXES], channels;
    mx_dim dims[AXES + 2] = {ox_dim_at(b, in[0], 0), ox_dim_at(b, in[0], 1)};
    (void)mx_dim_known(ox_dims_table(b), n->out[0].shape.dims[1], &channels);
    for (int i = 0; i < AXES; i++) {
        const int64_t room = a->output_size.v[i] + 2 * w.pad[i] - mx_window_extent(&w, i);
        spare[i] = room % w.stride[i];
        dims[2 + i] = mx_dim_of(room / w.stride[i] + 1);
    }
    if (ox_has(b, OX_Col2Im)) {
        out[0] = ox_node(b, OX_Col2Im, OX_IN(in[0], ox_ints(b, a->output_size.v, 2), ox_ints(b, w.kernel, 2)),
                         OX_ATTRS(OX_IS("dilations", w.dilate, 2), OX_IS("pads", w.pad, 4), OX_IS("strides", w.stride, 2)));
        return;
    }
    const ox_val weight = one_tap_each(b, &w, channels, ox_dtype(b, in[0]));
    out[0] = ox_node(b, OX_ConvTranspose, OX_IN(ox_reshape(b, in[0], dims, AXES + 2), weight),
                     OX_ATTRS(OX_IS("kernel_shape", w.kernel, AXES), OX_IS("strides", w.stride, AXES), OX_IS("dilations", w.dilate, AXES),
                              OX_IS("pads", w.pad, 4), OX_IS("output_padding", spare, AXES), OX_I("group", channels)));
}

const struct mx_op mx_ops_im2col[] = {
    {
        .name = "col2im",
        MX_ATTRS(col2im_attrs, struct columns),
        .infer = infer_col2im,
        .lower = lower_col2im,
        .refuses = "A kernel of one or three axes: MXNet does not run it either.",
    },
    {
        .name = "im2col",
        MX_ATTRS(im2col_attrs, struct columns),
        .infer = infer_im2col,
        .lower = lower_im2col,
        .refuses = "A kernel of one or three axes: MXNet does not run it either.",
    },
    MX_OPS_END,
};
