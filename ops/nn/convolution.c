/* Convolution over one, two or three axes (src/operator/nn/convolution.cc). */
#include "op/op.h"
#include "shared/window.h"

struct conv {
    struct mx_window_attrs window;
    int64_t num_filter, num_group;
    bool no_bias;
};

static const struct mx_attr attrs[] = {
    MX_WINDOW_ATTRS(struct conv),
    MX_COUNT(struct conv, num_filter, NULL),
    MX_COUNT(struct conv, num_group, "1"),
    MX_BOOL(struct conv, no_bias, "False"),
    MX_WINDOW_LAYOUT(struct conv),
    MX_IGNORED("workspace cudnn_tune cudnn_off"),
    /* of NVIDIA's build */
    MX_IGNORED("cudnn_tensor_core cudnn_tensor_core_only cudnn_algo_verbose cudnn_algo_fwd cudnn_algo_bwd_data cudnn_algo_bwd_filter "
               "cudnn_algo_fwd_prec cudnn_algo_bwd_prec"),
};

/* Weight: (num_filter, C/group, kernel...), or with channels last (num_filter, kernel..., C/group). */
static int infer_weight(struct mx_infer *c, const struct conv *a, const struct mx_window *w, mx_dim channels)
{
    struct mx_shape weight;
    MX_TRY(mx_input_rank(c, 1, w->n + 2, &weight));
    const mx_dim per_group = weight.dims[mx_window_channels(w)];
    MX_TRY(mx_same_channels(c, channels, mx_dim_muln(c->dims, per_group, a->num_group)));
    return mx_window_weight(c, w, mx_dim_of(a->num_filter), per_group);
}

static int infer(struct mx_infer *c)
{
    const struct conv *a = c->attrs;
    struct mx_window w;
    struct mx_shape x;
    MX_TRY(mx_window_init(c, &a->window, &w));
    MX_TRY(mx_check_filters(c, a->num_filter, a->num_group));
    const mx_dim filters = mx_dim_of(a->num_filter);
    MX_TRY(mx_same_dtype(c, 0, -1));
    if (!a->no_bias) {
        MX_TRY(mx_input_is_dims(c, 2, &filters, 1));
    }
    MX_TRY(mx_input_rank(c, 0, w.n + 2, &x));
    MX_TRY(infer_weight(c, a, &w, x.dims[mx_window_channels(&w)]));
    return mx_window_output(c, &w, filters, mx_window_size);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct conv *a = n->attrs;
    const struct mx_window w = mx_window_of(&a->window);
    const ox_val x = mx_channels_first(b, &w, in[0]), weight = mx_channels_first(b, &w, in[1]);
    const ox_val y = ox_node(b, OX_Conv, OX_IN(x, weight, n->n_in > 2 ? in[2] : OX_NONE),
                             OX_ATTRS(OX_IS("kernel_shape", w.kernel, w.n), OX_IS("strides", w.stride, w.n),
                                      OX_IS("dilations", w.dilate, w.n), OX_IS("pads", w.pad, 2 * w.n), OX_I("group", a->num_group)));
    out[0] = mx_channels_back(b, &w, y);
}

const struct mx_op mx_ops_convolution[] = {
    {
        .name = "Convolution",
        .alias = "_npx_convolution Convolution_v1",
        MX_ATTRS(attrs, struct conv),
        .inputs = "data weight:learned bias:learned:unless(no_bias)",
        .infer = infer,
        .lower = lower,
        .fusion = MX_FUSION_CONVOLUTION,
    },
    MX_OPS_END,
};
