#include "op/guess.h"

#include <string.h>

#include "base/num.h"
#include "op/op.h"

enum { MOST_STEPS = 64 };

/* True if the operator multiplies matrices: it has the attribute that transposes the second one. */
static bool is_product(const struct mx_op *op)
{
    return mx_attr_row(op, "transpose_b", strlen("transpose_b"));
}

bool mx_is_layer(const struct mx_node *n)
{
    return n->n_in > 1 && n->in[1].node->param && mx_in_value(n, 1)->shape.ndim > 1
           && (mx_node_attr_text(n, "input_dim") || mx_node_attr_text(n, "num_hidden") || mx_node_attr_text(n, "kernel")
               || is_product(n->op));
}

static void add_size(struct mx_guess *g, int64_t size)
{
    g->dims[g->n++] = (struct mx_guessed){.size = size};
}

static void add_word(struct mx_guess *g, const char *word)
{
    g->dims[g->n++] = (struct mx_guessed){.word = word};
}

/* Known, as each size of a parameter. */
static int64_t weight_size(const struct mx_node *layer, int axis)
{
    return mx_in_value(layer, 1)->shape.dims[axis].v;
}

/* The weight of a convolution is (filters, channels of a group, kernel...), that of a transposed one (channels, filters of a group,
 * kernel...); where the data has its channels last, so has the weight. */
static void guess_window(const struct mx_node *layer, struct mx_guess *out)
{
    static const char *const sizes[] = {"DEPTH", "HEIGHT", "WIDTH"};
    const char *layout = mx_node_attr_text(layer, "layout");
    const int64_t *group = mx_attr_field(layer, "num_group", MX_ATTR_INT);
    const bool last = layout && strchr(layout, 'C') && layout[1] != 'C', transposed = mx_attr_row(layer->op, "adj", 3);
    const int ndim = mx_in_value(layer, 1)->shape.ndim, spatial = ndim - 2;
    int64_t channels;
    if (spatial < 1 || spatial > 3
        || !mx_mul_i64(weight_size(layer, transposed ? 0
                                          : last     ? ndim - 1
                                                     : 1),
                       group && !transposed ? *group : 1, &channels)
        || channels <= 0) {
        return;
    }
    add_size(out, 1);
    if (!last) {
        add_size(out, channels);
    }
    for (int i = 3 - spatial; i < 3; i++) {
        add_word(out, sizes[i]);
    }
    if (last) {
        add_size(out, channels);
    }
}

static void guess_data(const struct mx_node *layer, struct mx_guess *out)
{
    const bool is_matrix = mx_in_value(layer, 1)->shape.ndim == 2;
    if (mx_node_attr_text(layer, "input_dim")) { /* a table of words */
        add_size(out, 1);
        add_word(out, "LENGTH");
    } else if (mx_node_attr_text(layer, "num_hidden") && is_matrix) {
        add_size(out, 1);
        add_size(out, weight_size(layer, 1));
    } else if (is_product(layer->op) && is_matrix) { /* the linear learner's */
        const char *transposed = mx_node_attr_text(layer, "transpose_b");
        add_size(out, 1);
        add_size(out, weight_size(layer, transposed && strchr("Tt1", *transposed)));
    } else if (mx_node_attr_text(layer, "kernel")) {
        guess_window(layer, out);
    }
}

/* What a transpose made the guess of; none if its axes are those of something else. */
static void undo_transpose(struct mx_guess *g, const char *axes)
{
    struct mx_guess before = {.n = g->n};
    bool taken[MX_GUESSED] = {false};
    int n = 0;
    while (n < g->n) {
        int64_t axis;
        axes += strcspn(axes, "-0123456789");
        if (!mx_scan_int(axes, &axes, &axis) || axis < -g->n || axis >= g->n) {
            break;
        }
        axis = mx_wrap(axis, g->n);
        taken[axis] = true;
        before.dims[axis] = g->dims[n++];
    }
    for (int i = 0; i < g->n; i++) {
        before.n = taken[i] ? before.n : 0;
    }
    before.n = axes[strcspn(axes, "0123456789")] ? 0 : before.n;
    *g = before;
}

/* False for a node whose data has other axes than its result, or parts of them. */
static bool keeps_axes(const struct mx_node *n)
{
    return n->n_in > 0 && n->n_out == 1 && !mx_is_layer(n) && (n->n_in == 1 || n->in[1].node->param) && !mx_node_attr_text(n, "shape")
           && !mx_node_attr_text(n, "dim1") && !mx_node_attr_text(n, "dim2");
}

const struct mx_node *mx_guess_input(const struct mx_node *layer, struct mx_guess *out)
{
    *out = (struct mx_guess){.n = 0};
    if (!mx_is_layer(layer)) {
        return NULL;
    }
    guess_data(layer, out);
    const struct mx_node *at = layer->in[0].node;
    for (int i = 0; i < MOST_STEPS && out->n > 0 && keeps_axes(at); i++) {
        const char *axes = mx_node_attr_text(at, "axes");
        if (axes) {
            undo_transpose(out, axes);
        }
        at = at->in[0].node;
    }
    return out->n > 0 && mx_is_variable(at) && !at->param ? at : NULL;
}

void mx_guess_format(const struct mx_guess *g, struct mx_str *out)
{
    for (int i = 0; i < g->n; i++) {
        mx_str_append(out, i ? "x" : "");
        if (g->dims[i].word) {
            mx_str_append(out, g->dims[i].word);
        } else {
            mx_str_printf(out, "%lld", (long long)g->dims[i].size);
        }
    }
}
