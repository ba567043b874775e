/* Nodes that graph passes of MXNet made of several (src/operator/subgraph): the subgraph's variables are the node's
 * inputs in order, its heads the outputs. The subgraph is written in the node's place. */
#include "onnx/build.h"
#include "op/op.h"

struct fused {
    bool quantized;
    bool enable_float_output;
};

/* The other attributes say what was fused, which the subgraph shows. */
#define IGNORED                                                                                   \
    MX_IGNORED("with_bn"), MX_IGNORED("with_act"), MX_IGNORED("with_sum"), MX_IGNORED("with_postsum_act"),             \
        MX_IGNORED("with_eltwise"), MX_IGNORED("min_calib_range"), MX_IGNORED("max_calib_range"),                      \
        MX_IGNORED("channel_wise_quantize"), MX_IGNORED("fuse_relu")

static const struct mx_attr attrs[] = {
    MX_BOOL(struct fused, quantized, "False"),
    MX_BOOL(struct fused, enable_float_output, "False"),
    IGNORED,
    MX_ATTRS_END,
};

static int n_outputs(const void *attributes)
{
    const struct fused *a = attributes;
    return a->quantized && !a->enable_float_output ? 3 : 1;
}

static int infer(struct mx_infer *c)
{
    const struct mx_node *n = c->node;
    const struct fused *a = c->attrs;
    if (a && a->quantized) {
        return mx_infer_fail(c, "quantized", "a fused quantized node cannot be converted; convert the float model, or "
                                             "quantize without the MKLDNN backend");
    }
    if (n->n_subgraphs != 1 || n->subgraphs[0]->n_inputs != n->n_in || n->subgraphs[0]->n_heads != n->n_out) {
        return mx_infer_fail(c, NULL, "its subgraph does not fit its inputs and outputs");
    }
    for (int i = 0; i < n->n_in; i++) {
        MX_TRY(mx_same_value(c, mx_body_input(c, 0, i), mx_in_value(n, i)));
    }
    MX_TRY(mx_infer_body(c, 0));
    for (int i = 0; i < n->n_in; i++) {
        MX_TRY(mx_same_value(c, mx_body_input(c, 0, i), mx_in_value(n, i)));
    }
    for (int i = 0; i < n->n_out; i++) {
        MX_TRY(mx_same_value(c, mx_body_head(c, 0, i), &n->out[i]));
    }
    return MX_OK;
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    mx_lower_body(b, n, 0, in, out);
}

#define QUANTIZED_LIMIT "quantized=True: the node computes in 8 bits inside; convert the float model."

const struct mx_op mx_ops_subgraph[] = {
    {
        .name = "_sg_mkldnn_conv",
        .alias = "_sg_onednn_conv",
        MX_ATTRS(attrs, struct fused),
        .inputs = "data...",
        .outputs = "output...",
        .n_outputs = n_outputs,
        .infer = infer,
        .lower = lower,
        .limits = QUANTIZED_LIMIT,
    },
    {
        .name = "_sg_mkldnn_fully_connected",
        .alias = "_sg_onednn_fully_connected",
        MX_ATTRS(attrs, struct fused),
        .inputs = "data...",
        .outputs = "output...",
        .n_outputs = n_outputs,
        .infer = infer,
        .lower = lower,
        .limits = QUANTIZED_LIMIT,
    },
    MX_OPS_END,
};
