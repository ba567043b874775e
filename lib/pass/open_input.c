/* What the shape of an input may be, for the help where it is not known: what the first layer says of it, through the nodes before. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "base/num.h"
#include "base/str.h"
#include "op/op.h"
#include "pass/pass.h"
#include "read/params.h"

enum { MOST_DIMS = 5, MOST_TRANSPOSES = 4, DIM_TEXT = 24 };

/* "1", "3", "HEIGHT", "WIDTH"; none if nothing is known. */
struct guess {
    char dims[MOST_DIMS][DIM_TEXT];
    int n;
};

/* The way from an input to the first layer. */
struct way {
    const struct mx_node *layer; /* NULL: there is none */
    const char *axes[MOST_TRANSPOSES];
    int n;
};

/* True if the operator multiplies matrices, of which an attribute says whether the second is transposed. */
static bool is_product(const struct mx_op *op)
{
    return op && mx_attr_row(op, "transpose_b", strlen("transpose_b"));
}

static bool is_layer(const struct mx_node *n)
{
    const struct mx_param *p = n->n_in > 1 ? n->in[1].node->param : NULL;
    return p && p->ndim > 1
           && (mx_node_attr_text(n, "input_dim") || mx_node_attr_text(n, "num_hidden") || mx_node_attr_text(n, "kernel")
               || is_product(n->op));
}

/* The first layer that reads v or what nodes of one data input, or of a constant besides, make of it. */
static struct way find_way(const struct mx_graph *g, const struct mx_node *v)
{
    struct way way = {0};
    const struct mx_node *at = v;
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *n = g->nodes[i];
        if (n->n_in == 0 || n->in[0].node != at || mx_node_attr_text(n, "shape")) {
            continue;
        }
        if (n->n_out != 1) { /* parts, of another rank perhaps */
            return way;
        }
        if (is_layer(n)) {
            way.layer = n;
            return way;
        }
        const char *axes = mx_node_attr_text(n, "axes");
        if (axes && way.n == MOST_TRANSPOSES) {
            return way;
        }
        if (axes) {
            way.axes[way.n++] = axes;
        }
        at = n->n_in == 1 || n->in[1].node->param ? n : at;
    }
    return way;
}

static void add_size(struct guess *g, int64_t size)
{
    snprintf(g->dims[g->n++], DIM_TEXT, "%" PRId64, size);
}

static void add_word(struct guess *g, const char *word)
{
    snprintf(g->dims[g->n++], DIM_TEXT, "%s", word);
}

/* A window's data in the order of NCHW. */
static void guess_window(const struct mx_node *layer, const struct mx_param *p, struct guess *out)
{
    static const char *const sizes[] = {"DEPTH", "HEIGHT", "WIDTH"};
    const char *layout = mx_node_attr_text(layer, "layout"), *group = mx_node_attr_text(layer, "num_group");
    int64_t groups = 1, channels;
    const int spatial = p->ndim - 2;
    if (spatial < 1 || spatial > 3 || mx_node_attr_text(layer, "target_shape") || (layout && strchr(layout, 'C') && layout[1] != 'C')
        || (group && !mx_parse_int(group, &groups)) || !mx_mul_i64(p->dims[1], groups, &channels) || channels <= 0) {
        return;
    }
    add_size(out, 1);
    add_size(out, channels);
    for (int i = 3 - spatial; i < 3; i++) {
        add_word(out, sizes[i]);
    }
}

static void guess_data(const struct mx_node *layer, struct guess *out)
{
    const struct mx_param *p = layer->in[1].node->param;
    if (mx_node_attr_text(layer, "input_dim")) { /* a table of words */
        add_size(out, 1);
        add_word(out, "LENGTH");
    } else if (mx_node_attr_text(layer, "num_hidden") && p->ndim == 2) {
        add_size(out, 1);
        add_size(out, p->dims[1]);
    } else if (is_product(layer->op) && p->ndim == 2) { /* the linear learner's */
        const char *transposed = mx_node_attr_text(layer, "transpose_b");
        add_size(out, 1);
        add_size(out, p->dims[transposed && strchr("Tt1", *transposed)]);
    } else if (mx_node_attr_text(layer, "kernel")) {
        guess_window(layer, p, out);
    }
}

/* What a transpose made the guess of; none if its axes are those of something else. */
static void undo_transpose(struct guess *g, const char *axes)
{
    struct guess before = {.n = g->n};
    bool taken[MOST_DIMS] = {false};
    int n = 0;
    while (n < g->n) {
        int64_t axis;
        axes += strcspn(axes, "-0123456789");
        if (!mx_scan_int(axes, &axes, &axis) || axis < -g->n || axis >= g->n) {
            break;
        }
        axis = mx_wrap(axis, g->n);
        taken[axis] = true;
        memcpy(before.dims[axis], g->dims[n++], DIM_TEXT);
    }
    for (int i = 0; i < g->n; i++) {
        before.n = taken[i] ? before.n : 0;
    }
    *g = n == g->n && !axes[strcspn(axes, "0123456789")] ? before : (struct guess){.n = 0};
}

static struct guess guess_shape(const struct mx_graph *g, const struct mx_node *v)
{
    struct guess guess = {.n = 0};
    const struct way way = find_way(g, v);
    if (way.layer) {
        guess_data(way.layer, &guess);
    }
    for (int i = way.n - 1; i >= 0 && guess.n > 0; i--) {
        undo_transpose(&guess, way.axes[i]);
    }
    return guess;
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
    const struct guess guess = look ? guess_shape(g, v) : (struct guess){.n = 0};
    char shape[MOST_DIMS * DIM_TEXT] = "";
    for (int i = 0; i < guess.n; i++) {
        const size_t used = strlen(shape);
        snprintf(shape + used, sizeof shape - used, "%s%s", i ? "x" : "", guess.dims[i]);
    }
    return mx_fail(g->diags, MX_SHAPE, mx_at(v, NULL),
                   "the shape of input '%s' is unknown" MX_HELP "set it with mx2onnx_set_input_shape: %s=%s%s", v->name, v->name,
                   shape[0] ? shape : "DIMS", shape[0] ? "" : ", where DIMS are the sizes that it had in MXNet, with x between them");
}
