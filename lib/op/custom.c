#include "op/custom.h"

#include "base/budget.h"

const char *mx_custom_name(const struct mx_node *n)
{
    const char *op_type = mx_node_attr_text(n, "op_type");
    return op_type ? op_type : n->op_name;
}

struct mx_custom *mx_custom_called(const struct mx_customs *customs, const char *name)
{
    struct mx_custom *found = customs->count > 0 ? mx_map_get(&customs->by_name, name) : NULL;
    return found && found->infer ? found : NULL;
}

int mx_custom_sort_attrs(struct mx_node *n, struct mx_arena *arena)
{
    int own = 0, first = 0;
    for (int i = 0; i < n->n_attr_text; i++) {
        own += !mx_attr_is_hidden(n->attr_text[i].key);
        first += first == i && !mx_attr_is_hidden(n->attr_text[i].key);
    }
    if (first == own) {
        return MX_OK;
    }
    struct mx_attr_text *sorted = MX_ARENA_ARRAY(arena, struct mx_attr_text, (size_t)n->n_attr_text);
    MX_TRY_ALLOC(sorted);
    for (int i = 0, to[] = {0, own}; i < n->n_attr_text; i++) {
        sorted[to[mx_attr_is_hidden(n->attr_text[i].key)]++] = n->attr_text[i];
    }
    n->attr_text = sorted;
    return MX_OK;
}

/* Binary search: a handler may ask for each attribute. */
int mx_custom_attr_count(const struct mx_node *n)
{
    int from = 0, to = n->n_attr_text;
    while (from < to) {
        const int middle = from + (to - from) / 2;
        if (mx_attr_is_hidden(n->attr_text[middle].key)) {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    return from;
}

static int infer(struct mx_infer *c)
{
    struct mx2onnx_node node = {.n = c->node, .c = c};
    const struct mx_custom *custom = mx_unknown_of(c->node)->custom;
    for (int i = 0; i < c->node->n_in; i++) {
        struct mx_shape s;
        MX_TRY(mx_input(c, i, &s));
    }
    MX_TRY(mx_inputs_typed(c));
    const size_t errors = c->graph->diags->errors;
    const int status = custom->infer(&node, custom->user);
    const bool said = c->graph->diags->errors > errors; /* a reported error counts, whatever the handler returns */
    MX_TRY(status == MX_OUT_OF_MEMORY ? status : MX_OK);
    if (status != MX_OK && !said) {
        return mx_fail(c->graph->diags, MX_UNSUPPORTED, mx_at(c->node, NULL), "the handler of '%s' refused the inputs of the node",
                       custom->name);
    }
    return status == MX_OK && !said ? MX_OK : status == MX_SHAPE ? MX_SHAPE : MX_UNSUPPORTED;
}

static void lower_kept(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    struct ox_attr *attrs = ox_scratch(b, (size_t)n->n_attr_text + 1, sizeof *attrs);
    ox_val *inputs = ox_scratch(b, (size_t)n->n_in + 1, sizeof *inputs);
    if (!attrs || !inputs) {
        return;
    }
    for (int i = 0; i < mx_custom_attr_count(n); i++) {
        attrs[i] = (struct ox_attr)OX_S(n->attr_text[i].key, n->attr_text[i].text);
    }
    for (int i = 0; i < n->n_in; i++) {
        inputs[i] = in[i];
    }
    inputs[n->n_in] = OX_END;
    ox_foreign_n(b, mx_unknown_of(n)->domain, n->op_name, inputs, attrs, out, n->n_out);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct mx_custom *custom = mx_unknown_of(n)->custom;
    if (!custom->lower) {
        lower_kept(b, n, in, out);
        return;
    }
    int32_t *values = &custom->all->values;
    *values = *values > INT32_MAX / 2 ? 0 : *values;
    struct mx2onnx_node node = {.n = n, .b = b, .in = in, .out = out, .first = *values + 1};
    const int status = custom->lower(&node, custom->user);
    *values += n->n_in + (int32_t)node.n_added;
    mx_budget_array_free(custom->all->by_name.arena.budget, node.added, node.capacity, sizeof *node.added);
    if (status == MX_OUT_OF_MEMORY) {
        ox_oom(b);
    } else if (status != MX_OK && !ox_failed(b)) {
        ox_fail(b, NULL, "the handler of '%s' could not write the node", custom->name);
    }
    for (int i = 0; i < n->n_out && !ox_failed(b); i++) {
        if (out[i] == OX_NONE) {
            ox_fail(b, NULL, "the handler of '%s' did not set output %d", custom->name, i);
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

/* ---- kept operators */

static int infer_kept(struct mx_infer *c)
{
    const enum mx_dtype t = c->node->n_in > 0 ? mx_input_dtype(c, 0) : MX_FLOAT32;
    for (int i = 0; i < c->node->n_out; i++) {
        if (mx_output_dtype(c, i) == MX_DTYPE_NONE) {
            MX_TRY(mx_output_dtype_is(c, i, t));
        }
    }
    return MX_OK;
}

const struct mx_op mx_op_kept = {
    .name = "unknown",
    .inputs = "data...",
    .outputs = "output...",
    .infer = infer_kept,
    .lower = lower_kept,
    .single = true,
};

const struct mx_unknown *mx_unknown_of(const struct mx_node *n)
{
    static const struct mx_unknown none = {NULL, NULL};
    return mx_op_is_unknown(n->op) ? n->attrs : &none;
}

bool mx_op_is_unknown(const struct mx_op *op)
{
    return op == &mx_op_custom || op == &mx_op_kept;
}
