/* What the shape of an input may be, for the help where it is not known: what the first layer says of it, through the nodes before. */
#include <string.h>

#include "base/budget.h"
#include "base/str.h"
#include "op/guess.h"
#include "pass/pass.h"

/* The first layer that reads v or what nodes of one data input, or of a constant besides, make of it; NULL if there is none. */
static const struct mx_node *first_layer(const struct mx_graph *g, const struct mx_node *v)
{
    const struct mx_node *at = v;
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *n = g->nodes[i];
        if (n->n_in == 0 || n->in[0].node != at) {
            continue;
        }
        if (mx_is_layer(n)) {
            return n;
        }
        at = n->n_in == 1 || n->in[1].node->param ? n : at;
    }
    return NULL;
}

/* The shape of labels is the batch, which an input of known shape may have: a number, a name if it can be written without commas, or "?"
 * for any size. */
static const char *guess_batch(const struct mx_graph *g)
{
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *n = g->nodes[i];
        if (mx_is_variable(n) && !n->param && n->out[0].shape.ndim > 0) {
            struct mx_str text = {0};
            mx_dim_format(g->dims, n->out[0].shape.dims[0], &text);
            int64_t size;
            const bool plain =
                !text.failed && text.text
                && (mx_dim_known(g->dims, n->out[0].shape.dims[0], &size) || (mx_is_word(text.text) && !strchr(text.text, 'x')));
            const char *batch = plain ? mx_arena_strdup(g->arena, text.text) : NULL;
            mx_str_free(&text);
            return batch ? batch : "?";
        }
    }
    return "1";
}

/* Sets *last to the last node that an input reaches and the label does not; unchanged if there is none. */
static int find_before_label(const struct mx_graph *g, const struct mx_node *label, const struct mx_node **last)
{
    enum { DATA = 1, LABEL = 2 };
    unsigned char *reached = MX_ARENA_ARRAY(g->arena, unsigned char, (size_t)g->n_nodes);
    MX_TRY_ALLOC(reached);
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *n = g->nodes[i];
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_NODE + (uint64_t)n->n_in));
        reached[i] = n == label ? LABEL : mx_is_variable(n) && !n->param ? DATA : 0;
        for (int k = 0; k < n->n_in; k++) {
            reached[i] |= reached[n->in[k].node->id];
        }
        *last = !mx_is_variable(n) && reached[i] == DATA && n->n_out == 1 ? n : *last;
    }
    return MX_OK;
}

static int fail_open_label(struct mx_graph *g, const struct mx_node *v, bool look)
{
    const struct mx_node *before = NULL;
    MX_TRY(look ? find_before_label(g, v, &before) : MX_OK);
    const char *batch = look ? guess_batch(g) : "1";
    return before ? mx_fail(g->diags, MX_SHAPE, mx_at(v, NULL),
                            "the shape of input '%s' is unknown" MX_HELP
                            "choose an output that needs no label with mx2onnx_add_output: %s_output, or set the shape with "
                            "mx2onnx_set_input_shape: %s=%s, and give the label to the runtime",
                            v->name, before->name, v->name, batch)
                  : mx_fail(g->diags, MX_SHAPE, mx_at(v, NULL),
                            "the shape of input '%s' is unknown" MX_HELP
                            "set it with mx2onnx_set_input_shape: %s=%s, or choose an output that needs no label with mx2onnx_add_output",
                            v->name, v->name, batch);
}

int mx_graph_fail_open(struct mx_graph *g, const struct mx_node *v, bool look)
{
    if (mx_ends_with(v->name, "label")) {
        return fail_open_label(g, v, look);
    }
    const struct mx_node *layer = look ? first_layer(g, v) : NULL;
    struct mx_guess guess;
    struct mx_str shape = {0};
    if (layer && mx_guess_input(layer, &guess) == v) {
        mx_guess_format(&guess, &shape);
    }
    const int status = mx_fail(
        g->diags, MX_SHAPE, mx_at(v, NULL), "the shape of input '%s' is unknown" MX_HELP "set it with mx2onnx_set_input_shape: %s=%s%s",
        v->name, v->name, shape.text ? shape.text : "DIMS", shape.text ? "" : ", where DIMS are the sizes that it had in MXNet");
    mx_str_free(&shape);
    return status;
}
