#include "op/custom.h"

const char *mx_custom_name(const struct mx_node *n)
{
    const char *op_type = mx_node_attr_text(n, "op_type");
    return op_type ? op_type : n->op_name;
}

static int infer(struct mx_infer *c)
{
    struct mx2onnx_node node = {.n = c->node, .c = c};
    const struct mx_custom *custom = c->node->custom;
    for (int i = 0; i < c->node->n_in; i++) {
        struct mx_shape s;
        MX_TRY(mx_input(c, i, &s));
        if (mx_input_dtype(c, i) == MX_DTYPE_NONE) {
            return MX_LATER;
        }
    }
    const size_t errors = c->graph->diags->errors;
    const int status = custom->infer(&node, custom->user);
    if (status != MX_OK && c->graph->diags->errors == errors) {
        return mx_infer_fail(c, NULL, "the handler of '%s' refuses the node's inputs", custom->name);
    }
    return status == MX_OK ? MX_OK : MX_SHAPE;
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    struct mx2onnx_node node = {.n = n, .b = b, .in = in, .out = out};
    if (n->custom->lower(&node, n->custom->user) != MX_OK && !ox_failed(b)) {
        ox_fail(b, NULL, "the handler of '%s' cannot write the node", n->custom->name);
    }
    for (int i = 0; i < n->n_out && !ox_failed(b); i++) {
        if (out[i] == OX_NONE) {
            ox_fail(b, NULL, "the handler of '%s' did not set output %d", n->custom->name, i);
        }
    }
}

const struct mx_op mx_op_custom = {
    .name = "Custom",
    .inputs = "data...",
    .outputs = "output...",
    .infer = infer,
    .lower = lower,
};
