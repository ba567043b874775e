/* SoftmaxOutput without its label (src/operator/softmax_output-inl.h), SoftmaxActivation (src/operator/nn/softmax_activation-inl.h),
 * and WarpCTC from the plug-in used to train text recognisers: its forward pass is the same as SoftmaxOutput's
 * (plugin/warpctc/warpctc-inl.h). */
#include "op/op.h"

struct output {
    bool multi_output, preserve_shape;
};

static const struct mx_attr attrs[] = {
    MX_BOOL(struct output, multi_output, "False"),
    MX_BOOL(struct output, preserve_shape, "False"),
    MX_IGNORED("grad_scale ignore_label use_ignore normalization out_grad smooth_alpha"),
};

static const struct mx_attr warp_attrs[] = {MX_IGNORED("label_length input_length")};

struct activation {
    int mode;
};

enum { INSTANCE, CHANNEL };
static const char *const modes[] = {"instance", "channel", NULL};

static const struct mx_attr activation_attrs[] = {MX_ENUM(struct activation, mode, "instance", modes)};

static int infer_rank(struct mx_infer *c, const char *attribute, int least)
{
    struct mx_shape x;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input_is_float(c, 0, "data"));
    MX_TRY(mx_input(c, 0, &x));
    if (x.ndim < least) {
        return mx_infer_fail(c, attribute, "the data has rank %d, but rank %d or more is needed", x.ndim, least);
    }
    return mx_infer_same(c);
}

static int infer(struct mx_infer *c)
{
    const struct output *a = c->attrs;
    c->needs_rank = a->multi_output || !a->preserve_shape;
    return a->multi_output ? infer_rank(c, "multi_output", 2) : infer_rank(c, NULL, 1);
}

static int infer_activation(struct mx_infer *c)
{
    const struct activation *a = c->attrs;
    return infer_rank(c, "mode", a->mode == CHANNEL ? 3 : 1);
}

/* Without flags, one softmax over everything after the batch axis (SoftmaxOutputOp::Forward). */
static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct output *a = n->attrs;
    const int rank = ox_rank(b, in[0]);
    if (a->multi_output) {
        out[0] = ox_softmax(b, OX_Softmax, in[0], 1);
    } else if (a->preserve_shape || rank < 3) {
        out[0] = ox_softmax(b, OX_Softmax, in[0], rank < 0 ? -1 : rank - 1);
    } else {
        const ox_val x = ox_reshape_ints(b, in[0], (const int64_t[]){0, -1}, 2);
        out[0] = ox_reshape_shape(b, ox_softmax(b, OX_Softmax, x, 1), ox_shape(b, in[0]));
    }
}

static void lower_activation(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct activation *a = n->attrs;
    out[0] = ox_softmax(b, OX_Softmax, in[0], a->mode == CHANNEL ? 1 : ox_rank(b, in[0]) - 1);
}

const struct mx_op mx_ops_softmax_output[] = {
    {
        .name = "SoftmaxOutput",
        .single = true,
        .alias = "Softmax",
        MX_ATTRS(attrs, struct output),
        .inputs = "data label:unread",
        .infer = infer,
        .lower = lower,
        .any_rank = true,
        .differs = "Data with four axes, without multi_output and preserve_shape: all axes after the batch are normalised together, as in"
                   " MXNet without oneDNN. With it, which is the default on a CPU, MXNet normalises the last axis.",
    },
    {.name = "WarpCTC", .single = true, MX_ATTRS(warp_attrs, struct output), .inputs = "data label:unread", .infer = infer, .lower = lower},
    {
        .name = "SoftmaxActivation",
        .single = true,
        MX_ATTRS(activation_attrs, struct activation),
        .infer = infer_activation,
        .lower = lower_activation,
    },
    MX_OPS_END,
};
