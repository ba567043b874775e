/* Windows of convolutions and poolings (src/operator/nn/convolution.cc ConvolutionShape, pooling.cc
 * PoolingShape). */
#include "shared/window.h"

const char *const mx_layouts[] = {"None", "NCW", "NCHW", "NCDHW", "NWC", "NHWC", "NDHWC", NULL};

enum { FIRST_CHANNELS_LAST = 4 };
enum { LARGEST = 1 << 30 }; /* limit: a number of kernel, stride, dilate, pad, adj and target_shape */

bool mx_layout_channels_last(int layout)
{
    return layout >= FIRST_CHANNELS_LAST;
}

/* Numbers for n spatial axes, or none. */
static int check(struct mx_infer *c, const char *name, struct mx_tuple given, int64_t least, int n)
{
    if (given.n > 0 && given.n != n) {
        return mx_infer_fail(c, name, MX_SUBJECT "has length %d, but kernel has length %d" MX_HELP "give one for each axis", given.n, n);
    }
    for (int i = 0; i < given.n; i++) {
        if (given.v[i] < least || given.v[i] > LARGEST) {
            return mx_infer_fail(c, name, MX_SUBJECT "is %lld for spatial axis %d, but must be %lld to 2^30", (long long)given.v[i], i,
                                 (long long)least);
        }
    }
    return MX_OK;
}

int mx_window_init(struct mx_infer *c, const struct mx_window_attrs *a, struct mx_window *w)
{
    const int n = a->kernel.n;
    if (n < 1 || n > MX_MAX_SPATIAL) {
        return mx_infer_fail(c, "kernel", MX_SUBJECT "has length %d, but must have length 1 to %d", n, MX_MAX_SPATIAL);
    }
    if (a->layout > 0 && (a->layout - 1) % MX_MAX_SPATIAL != n - 1) {
        return mx_infer_fail(c, "layout",
                             MX_SUBJECT "is %s, but kernel has length %d" MX_HELP "use NCW, NCHW or NCDHW for a kernel of length 1, 2 or 3",
                             mx_layouts[a->layout], n);
    }
    MX_TRY(check(c, "kernel", a->kernel, 1, n));
    MX_TRY(check(c, "stride", a->stride, 1, n));
    MX_TRY(check(c, "dilate", a->dilate, 1, n));
    MX_TRY(check(c, "pad", a->pad, 0, n));
    *w = mx_window_of(a);
    return MX_OK;
}

struct mx_window mx_window_of(const struct mx_window_attrs *a)
{
    struct mx_window w = {.n = a->kernel.n, .channels_last = mx_layout_channels_last(a->layout)};
    for (int i = 0; i < w.n; i++) {
        w.kernel[i] = a->kernel.v[i];
        w.stride[i] = i < a->stride.n ? a->stride.v[i] : 1;
        w.dilate[i] = i < a->dilate.n ? a->dilate.v[i] : 1;
        w.pad[i] = w.pad[w.n + i] = i < a->pad.n ? a->pad.v[i] : 0;
    }
    return w;
}

int mx_window_check_taps(struct mx_infer *c, const struct mx_window *w, int64_t most)
{
    int64_t left = most;
    for (int i = 0; i < w->n; i++) {
        if (w->kernel[i] > left) {
            return mx_infer_too_large(c, "kernel", MX_SUBJECT "covers more than %lld cells" MX_HELP "use a smaller one", (long long)most);
        }
        left /= w->kernel[i];
    }
    return MX_OK;
}

int mx_check_filters(struct mx_infer *c, int64_t num_filter, int64_t num_group)
{
    MX_TRY(mx_positive(c, "num_filter", num_filter));
    if (num_group < 1 || num_filter % num_group != 0) {
        return mx_infer_fail(c, "num_group", MX_SUBJECT "is %lld, but must divide num_filter, %lld", (long long)num_group,
                             (long long)num_filter);
    }
    return MX_OK;
}

static int spatial_axis(const struct mx_window *w, int i)
{
    return w->channels_last ? 1 + i : 2 + i;
}

int mx_window_weight(struct mx_infer *c, const struct mx_window *w, mx_dim rows, mx_dim channels)
{
    mx_dim dims[MX_MAX_SPATIAL + 2];
    dims[0] = rows;
    dims[mx_window_channels(w)] = channels;
    for (int i = 0; i < w->n; i++) {
        dims[spatial_axis(w, i)] = mx_dim_of(w->kernel[i]);
    }
    return mx_input_is_dims(c, 1, dims, w->n + 2);
}

int mx_window_channels(const struct mx_window *w)
{
    return w->channels_last ? w->n + 1 : 1;
}

int64_t mx_window_extent(const struct mx_window *w, int i)
{
    return (w->kernel[i] - 1) * w->dilate[i] + 1;
}

int mx_window_size(struct mx_infer *c, const struct mx_window *w, int i, mx_dim in, mx_dim *out)
{
    const mx_dim span = mx_dim_addn(c->dims, in, 2 * w->pad[i] - mx_window_extent(w, i));
    int64_t spare;
    if (mx_dim_known(c->dims, span, &spare) && spare < 0) {
        return mx_infer_fail(c, "kernel", MX_SUBJECT "covers %lld cells, but spatial axis %d has only %lld" MX_HELP "use a larger input",
                             (long long)mx_window_extent(w, i), i, (long long)(spare + mx_window_extent(w, i)));
    }
    const mx_dim steps = w->ceil ? mx_dim_ceil_div(c->dims, span, w->stride[i]) : mx_dim_floor_div(c->dims, span, w->stride[i]);
    *out = mx_dim_addn(c->dims, steps, 1);
    return MX_OK;
}

int mx_window_output(struct mx_infer *c, const struct mx_window *w, mx_dim channels, mx_window_size_fn *size)
{
    struct mx_shape x;
    mx_dim out[MX_MAX_SPATIAL + 2];
    MX_TRY(mx_input_rank(c, 0, w->n + 2, &x));
    out[0] = x.dims[0];
    out[mx_window_channels(w)] = channels;
    for (int i = 0; i < w->n; i++) {
        const int axis = spatial_axis(w, i);
        MX_TRY(size(c, w, i, x.dims[axis], &out[axis]));
    }
    return mx_output_is_dims(c, 0, out, w->n + 2);
}

ox_val mx_channels_first(struct ox_build *b, const struct mx_window *w, ox_val x)
{
    return w->channels_last ? ox_move_axis(b, x, w->n + 1, 1) : x;
}

ox_val mx_channels_back(struct ox_build *b, const struct mx_window *w, ox_val y)
{
    return w->channels_last ? ox_move_axis(b, y, 1, w->n + 1) : y;
}
