/* Windows of convolutions and poolings (src/operator/nn/convolution.cc ConvolutionShape, pooling.cc
 * PoolingShape). */
#include "shared/window.h"

const char *const mx_layouts[] = {"None", "NCW", "NCHW", "NCDHW", "NWC", "NHWC", "NDHWC", NULL};

enum { FIRST_CHANNELS_LAST = 4, LARGEST = 1 << 30 };

bool mx_layout_channels_last(int layout)
{
    return layout >= FIRST_CHANNELS_LAST;
}

/* Without a node there is nothing to report. */
#define FAIL(c, attribute, ...) ((c) ? mx_infer_fail(c, attribute, __VA_ARGS__) : MX_SHAPE)

/* An attribute; if it is absent, each number is `least`. */
struct numbers {
    const char *name;
    struct mx_tuple given;
    int64_t least;
};

/* One number for each spatial axis. */
static int spread(struct mx_infer *c, const struct numbers *a, int n, int64_t *out)
{
    if (a->given.n > 0 && a->given.n != n) {
        return FAIL(c, a->name, MX_SUBJECT "has length %d, but kernel has length %d" MX_HELP "give one for each axis", a->given.n, n);
    }
    for (int i = 0; i < n; i++) {
        out[i] = a->given.n > 0 ? a->given.v[i] : a->least;
        if (out[i] < a->least || out[i] > LARGEST) {
            return FAIL(c, a->name, MX_SUBJECT "is %lld for spatial axis %d, but must be %lld to 2^30", (long long)out[i], i,
                        (long long)a->least);
        }
    }
    return MX_OK;
}

int mx_window_init(struct mx_infer *c, const struct mx_window_attrs *a, struct mx_window *w)
{
    *w = (struct mx_window){.n = a->kernel.n, .channels_last = mx_layout_channels_last(a->layout)};
    if (w->n < 1 || w->n > MX_MAX_SPATIAL) {
        w->n = 0;
        return FAIL(c, "kernel", MX_SUBJECT "has length %d, but must have length 1 to %d", a->kernel.n, MX_MAX_SPATIAL);
    }
    if (a->layout > 0 && (a->layout - 1) % MX_MAX_SPATIAL != w->n - 1) {
        return FAIL(c, "layout",
                    MX_SUBJECT "is %s, but kernel has length %d" MX_HELP "use NCW, NCHW or NCDHW for a kernel of length 1, 2 or 3",
                    mx_layouts[a->layout], w->n);
    }
    MX_TRY(spread(c, &(struct numbers){"kernel", a->kernel, 1}, w->n, w->kernel));
    MX_TRY(spread(c, &(struct numbers){"stride", a->stride, 1}, w->n, w->stride));
    MX_TRY(spread(c, &(struct numbers){"dilate", a->dilate, 1}, w->n, w->dilate));
    return spread(c, &(struct numbers){"pad", a->pad, 0}, w->n, w->pad);
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

int mx_window_weight(struct mx_infer *c, const struct mx_window *w, mx_dim rows, mx_dim channels)
{
    mx_dim dims[MX_MAX_SPATIAL + 2];
    dims[0] = rows;
    dims[mx_window_channels(w)] = channels;
    for (int i = 0; i < w->n; i++) {
        dims[mx_window_axis(w, i)] = mx_dim_of(w->kernel[i]);
    }
    return mx_input_is_dims(c, 1, dims, w->n + 2);
}

int mx_window_channels(const struct mx_window *w)
{
    return w->channels_last ? w->n + 1 : 1;
}

int mx_window_axis(const struct mx_window *w, int i)
{
    return w->channels_last ? 1 + i : 2 + i;
}

int64_t mx_window_extent(const struct mx_window *w, int i)
{
    return (w->kernel[i] - 1) * w->dilate[i] + 1;
}

int mx_window_size(struct mx_infer *c, const struct mx_window *w, int i, mx_dim in, bool ceil, mx_dim *out)
{
    const mx_dim span = mx_dim_addn(c->dims, in, 2 * w->pad[i] - mx_window_extent(w, i));
    int64_t spare;
    if (mx_dim_known(c->dims, span, &spare) && spare < 0) {
        return mx_infer_fail(c, "kernel", MX_SUBJECT "covers %lld cells, but spatial axis %d has only %lld" MX_HELP "use a larger input",
                             (long long)mx_window_extent(w, i), i, (long long)(spare + mx_window_extent(w, i)));
    }
    const mx_dim steps = ceil ? mx_dim_ceil_div(c->dims, span, w->stride[i]) : mx_dim_floor_div(c->dims, span, w->stride[i]);
    *out = mx_dim_addn(c->dims, steps, 1);
    return MX_OK;
}
