/* Deconvolution, a transposed convolution (src/operator/nn/deconvolution.cc). */
#include "op/op.h"
#include "shared/window.h"

struct deconv {
    struct mx_window_attrs window;
    struct mx_tuple adj, target_shape;
    int64_t num_filter, num_group;
    bool no_bias;
};

static const struct mx_attr attrs[] = {
    MX_WINDOW_ATTRS(struct deconv),
    MX_SIZES_NONE(struct deconv, adj, "()"),
    MX_SIZES_NONE(struct deconv, target_shape, "()"),
    MX_COUNT(struct deconv, num_filter, NULL),
    MX_COUNT(struct deconv, num_group, "1"),
    MX_BOOL(struct deconv, no_bias, "True"),
    MX_WINDOW_LAYOUT(struct deconv),
    MX_IGNORED("workspace cudnn_tune cudnn_off"),
};

/* A target_shape of zeros counts as absent (DeconvolutionParam::InferPad). */
static bool has_target(const struct deconv *a)
{
    for (int i = 0; i < a->target_shape.n; i++) {
        if (a->target_shape.v[i] != 0) {
            return true;
        }
    }
    return false;
}

static int64_t adjust(const struct deconv *a, int i)
{
    return i < a->adj.n ? a->adj.v[i] : 0;
}

/* The size without any padding: s * (in - 1) + extent. */
static mx_dim whole(struct mx_dims *t, const struct mx_window *w, int i, mx_dim in)
{
    return mx_dim_addn(t, mx_dim_muln(t, in, w->stride[i]), mx_window_extent(w, i) - w->stride[i]);
}

static int out_size(struct mx_infer *c, const struct mx_window *w, int i, mx_dim in, mx_dim *out)
{
    const struct deconv *a = c->attrs;
    if (!has_target(a)) {
        *out = mx_dim_addn(c->dims, whole(c->dims, w, i, in), adjust(a, i) - 2 * w->pad[i]);
        return MX_OK;
    }
    int64_t size;
    const bool known = mx_dim_known(c->dims, whole(c->dims, w, i, in), &size);
    const int64_t target = i < a->target_shape.n ? a->target_shape.v[i] : 0;
    if (target < 1) {
        return mx_infer_fail_attr(c, "target_shape", "a positive size for each axis of the kernel");
    }
    if (known && target > size) {
        return mx_infer_fail(c, "target_shape",
                             MX_SUBJECT "is %lld for axis %d, which this kernel and stride cannot give" MX_HELP "choose a smaller size",
                             (long long)target, i);
    }
    *out = mx_dim_of(target);
    return MX_OK;
}

static int check(struct mx_infer *c, const struct mx_window *w)
{
    const struct deconv *a = c->attrs;
    MX_TRY(mx_check_filters(c, a->num_filter, a->num_group));
    if (has_target(a) && mx_is_mxnet2(c)) { /* with oneDNN it is refused, and without it the results differ */
        return mx_infer_fail(c, "target_shape", "MXNet 2.0.0b1 does not support it" MX_HELP "use pad and adj instead");
    }
    for (int i = 0; i < w->n && !has_target(a); i++) {
        if (adjust(a, i) < 0 || adjust(a, i) >= w->stride[i]) {
            return mx_infer_fail(c, "adj", MX_SUBJECT "is %lld on axis %d, but must be at least 0 and smaller than the stride, %lld",
                                 (long long)adjust(a, i), i, (long long)w->stride[i]);
        }
    }
    return MX_OK;
}

static int infer(struct mx_infer *c)
{
    const struct deconv *a = c->attrs;
    struct mx_window w;
    struct mx_shape x;
    MX_TRY(mx_window_init(c, &a->window, &w));
    MX_TRY(check(c, &w));
    const mx_dim filters = mx_dim_of(a->num_filter);
    MX_TRY(mx_same_dtype(c, 0, -1));
    if (!a->no_bias) {
        MX_TRY(mx_input_is_dims(c, 2, &filters, 1));
    }
    MX_TRY(mx_input_rank(c, 0, w.n + 2, &x));
    /* (C, num_filter/group, kernel...), or with channels last (C, kernel..., num_filter/group) */
    MX_TRY(mx_window_weight(c, &w, x.dims[mx_window_channels(&w)], mx_dim_of(a->num_filter / a->num_group)));
    return mx_window_output(c, &w, filters, out_size);
}

/* The attributes pads and output_padding. */
struct padding {
    int64_t pads[2 * MX_MAX_SPATIAL], adj[MX_MAX_SPATIAL];
};

/* ConvTranspose of data with channels first; in[2] is OX_NONE if there is no bias. */
static ox_val transposed(struct ox_build *b, const struct deconv *a, const struct mx_window *w, const ox_val *in, const struct padding *p)
{
    return ox_node(b, OX_ConvTranspose, OX_IN(in[0], in[1], in[2]),
                   OX_ATTRS(OX_IS("kernel_shape", w->kernel, w->n), OX_IS("strides", w->stride, w->n), OX_IS("dilations", w->dilate, w->n),
                            OX_IS("pads", p->pads, 2 * w->n), OX_IS("output_padding", p->adj, w->n), OX_I("group", a->num_group)));
}

static ox_val padded(struct ox_build *b, const struct deconv *a, const struct mx_window *w, const ox_val *in)
{
    struct padding p = {{0}, {0}};
    for (int i = 0; i < w->n; i++) {
        p.pads[i] = p.pads[w->n + i] = w->pad[i];
        p.adj[i] = adjust(a, i);
    }
    return transposed(b, a, w, in, &p);
}

/* The begin side loses ceil(surplus / 2) cells and the end the rest: MXNet pads both sides equally and adds the odd cell at the end as
 * adj. Runtimes disagree on ONNX's output_shape, so pads are computed here; if they are unknown, the whole result is sliced. */
static ox_val targeted(struct ox_build *b, const struct deconv *a, const struct mx_window *w, const ox_val *in)
{
    struct mx_dims *t = ox_dims_table(b);
    struct padding p = {{0}, {0}};
    int64_t axes[MX_MAX_SPATIAL];
    mx_dim begin[MX_MAX_SPATIAL], end[MX_MAX_SPATIAL];
    int n = 0;
    for (int i = 0; i < w->n; i++) {
        const mx_dim surplus = mx_dim_addn(t, whole(t, w, i, ox_dim_at(b, in[0], 2 + i)), -a->target_shape.v[i]);
        int64_t cells;
        if (mx_dim_known(t, surplus, &cells)) {
            p.pads[i] = cells - cells / 2;
            p.pads[w->n + i] = cells / 2;
            continue;
        }
        axes[n] = 2 + i;
        begin[n] = mx_dim_ceil_div(t, surplus, 2);
        end[n] = mx_dim_addn(t, begin[n], a->target_shape.v[i]);
        n++;
    }
    const ox_val y = transposed(b, a, w, in, &p);
    return ox_slice_dims(b, y, axes, begin, end, n);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct deconv *a = n->attrs;
    const struct mx_window w = mx_window_of(&a->window);
    const ox_val first[3] = {mx_channels_first(b, &w, in[0]), mx_channels_first(b, &w, in[1]), a->no_bias ? OX_NONE : in[2]};
    const ox_val y = has_target(a) ? targeted(b, a, &w, first) : padded(b, a, &w, first);
    out[0] = mx_channels_back(b, &w, y);
}

const struct mx_op mx_ops_deconvolution[] = {
    {
        .name = "Deconvolution",
        .alias = "_npx_deconvolution",
        MX_ATTRS(attrs, struct deconv),
        .inputs = "data weight:learned bias:learned:unless(no_bias)",
        .infer = infer,
        .lower = lower,
        .refuses = "target_shape in a model of MXNet 2: MXNet 2.0.0b1 does not support it either.",
    },
    MX_OPS_END,
};
