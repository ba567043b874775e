#include "op/advice.h"

#include <stdio.h>
#include <string.h>

#include "op/guess.h"

enum { MOST_STEPS = 16 };

static bool is_input(const struct mx_node *n)
{
    return mx_is_variable(n) && !n->param;
}

const struct mx_node *mx_input_of(const struct mx_node *node, int ndim)
{
    for (int i = 0; i < MOST_STEPS && node->n_in == 1 && mx_in_value(node, 0)->shape.ndim == ndim; i++) {
        node = node->in[0].node;
    }
    return is_input(node) ? node : NULL;
}

/* True if the dim of the input has a name that can be written with commas and is not the one that it gets by itself. */
static bool is_named(const struct mx_infer *c, const struct mx_node *input, int axis, struct mx_str *name)
{
    mx_str_clear(name);
    mx_dim_format(c->dims, input->out[0].shape.dims[axis], name);
    const bool plain = !name->failed && name->text && mx_is_word(name->text);
    return plain && !mx_starts_with(name->text, input->name) && (axis > 0 || strcmp(name->text, "batch") != 0);
}

/* A number, or "?". */
static void put_dim(const struct mx_infer *c, mx_dim d, bool first, struct mx_str *out)
{
    int64_t size;
    mx_str_append(out, first ? "" : "x");
    if (mx_dim_known(c->dims, d, &size)) {
        mx_str_printf(out, "%lld", (long long)size);
    } else {
        mx_str_append(out, "?");
    }
}

/* True if the name, a dim of an input, is in the expression. */
static bool holds(struct mx_dims *t, mx_dim expression, mx_dim name)
{
    const struct mx_dim_term *terms;
    const int n = mx_dim_terms(t, expression, &terms);
    bool found = mx_dim_equal(t, expression, name);
    for (int i = 0; i < n && !found; i++) {
        for (int32_t k = 0; k < terms[i].n_factors && !found; k++) {
            const struct mx_dim_factor f = mx_dim_factor(t, terms[i].factors[k]);
            found = f.is_leaf ? mx_dim_equal(t, f.leaf, name) : holds(t, f.numerator, name);
        }
    }
    return found;
}

/* The input's shape with `text` in place of the dims in the expression `old`; of axis 0 alone if that is a number. The names of others
 * stay. */
static void put_shape(const struct mx_infer *c, const struct mx_node *input, mx_dim old, const char *text, struct mx_str *out)
{
    const struct mx_shape s = input->out[0].shape;
    const int end = mx_dim_known(c->dims, old, NULL) ? 1 : s.ndim;
    struct mx_str name = {0};
    bool named = false;
    for (int i = 0; i < s.ndim; i++) {
        named = named || (!holds(c->dims, old, s.dims[i]) && is_named(c, input, i, &name));
    }
    mx_str_printf(out, "mx2onnx_set_input_shape: %s=", input->name);
    for (int i = 0; i < s.ndim; i++) {
        mx_str_append(out, i == 0 ? "" : named ? "," : "x");
        if (i < end && holds(c->dims, old, s.dims[i])) {
            mx_str_append(out, text);
        } else if (is_named(c, input, i, &name)) {
            mx_str_append(out, name.text);
        } else {
            put_dim(c, s.dims[i], true, out);
        }
    }
    mx_str_free(&name);
}

/* ---- an example without a batch */

/* The size of the example's shape that becomes dim k of a batch of 1; with `last`, the last one comes first. */
static mx_dim of_example(struct mx_shape s, int k, bool last)
{
    return s.dims[!last ? k - 1 : k == 1 ? s.ndim - 1 : k - 2];
}

/* True if the layer can read a batch of the example. */
static bool fits(const struct mx_infer *c, const struct mx_guess *g, struct mx_shape s, bool last)
{
    bool fits = g->n == s.ndim + 1;
    for (int k = 1; fits && k < g->n; k++) {
        fits = g->dims[k].word || mx_dim_equal(c->dims, of_example(s, k, last), mx_dim_of(g->dims[k].size));
    }
    return fits;
}

void mx_advise_batch(const struct mx_infer *c, int i, int ndim, struct mx_str *out)
{
    const struct mx_node *from = mx_input_of(c->node->in[i].node, ndim - 1);
    const struct mx_shape s = from ? from->out[0].shape : (struct mx_shape){.ndim = 0};
    struct mx_guess g;
    const bool guessed = from && i == 0 && mx_guess_input(c->node, &g) == from;
    if (s.ndim <= 1 || s.ndim != ndim - 1 || !mx_shape_known(c->dims, s)) { /* an open one may be the batch, and another missing */
        return;
    }
    const bool last = guessed && !fits(c, &g, s, false);
    if (last && !fits(c, &g, s, true)) {
        mx_str_printf(out, "set all %d sizes with mx2onnx_set_input_shape: %s=", ndim, from->name);
        mx_guess_format(&g, out);
        return;
    }
    mx_str_printf(out, "add the batch dimension%s with mx2onnx_set_input_shape: %s=1", last ? ", and write the channels after it," : "",
                  from->name);
    for (int k = 1; k <= s.ndim; k++) {
        put_dim(c, of_example(s, k, last), false, out);
    }
}

void mx_advise_order(const struct mx_infer *c, struct mx_str *out)
{
    struct mx_guess g;
    const struct mx_node *from = mx_guess_input(c->node, &g);
    if (!from || from->out[0].shape.ndim != g.n) {
        mx_str_append(out, MX_ADVICE_OTHER_MODEL);
        return;
    }
    mx_str_printf(out, "write sizes in the order of the net: mx2onnx_set_input_shape: %s=", from->name);
    mx_guess_format(&g, out);
    if (!g.dims[1].word) {
        mx_str_append(out, "; mx2onnx_set_input_channels_last changes the order in the ONNX model alone");
    }
}

void mx_advise_shapes(const struct mx_infer *c, struct mx_str *out)
{
    int inputs = 0;
    for (int i = 0; i < c->graph->n_nodes && !c->graph->inputs; i++) {
        inputs += is_input(c->graph->nodes[i]);
    }
    mx_str_append(out, inputs > 1 ? "set input shapes that fit together, as those do that the model was trained with"
                                  : "set the input shapes that the model was trained with");
}

/* ---- a net for one example */

/* True if the node reads two inputs, with nothing in between that changes a shape: then its shapes are those that were set. */
static bool reads_inputs(const struct mx_infer *c)
{
    const struct mx_node *first = NULL;
    bool more = false;
    for (int i = 0; i < c->node->n_in; i++) {
        const struct mx_node *input = mx_input_of(c->node->in[i].node, mx_in_value(c->node, i)->shape.ndim);
        more = more || (input && first && input != first);
        first = first ? first : input;
    }
    return more;
}

void mx_advise_one_example(const struct mx_infer *c, struct mx_shape a, struct mx_shape b, struct mx_str *out)
{
    int64_t one, all, batch;
    if (c->graph->inputs || a.ndim < 1 || a.ndim != b.ndim || !mx_dim_known(c->dims, a.dims[0], &one)
        || !mx_dim_known(c->dims, b.dims[0], &all)
        || !mx_shape_equal(c->dims, (struct mx_shape){a.ndim - 1, a.dims + 1}, (struct mx_shape){b.ndim - 1, b.dims + 1})) {
        return;
    }
    if (one > all) {
        const int64_t less = all;
        all = one;
        one = less;
    }
    if (one > 1 && reads_inputs(c)) {
        return;
    }
    for (int i = 0; i < c->graph->n_nodes && one > 0 && all % one == 0; i++) {
        const struct mx_node *n = c->graph->nodes[i];
        const struct mx_shape s = n->out[0].shape;
        if (is_input(n) && s.ndim > 1 && mx_dim_known(c->dims, s.dims[0], &batch) && batch == all / one) {
            mx_str_append(out, "the net may take one example at a time: give it one with ");
            put_shape(c, n, s.dims[0], "1", out);
            return;
        }
    }
}

/* ---- a size that a name must have */

/* The name and the size that it must have for `expression`, a multiple of it, to be `number`, which mx_dim_unify has found possible. */
static bool solve(struct mx_dims *t, mx_dim expression, int64_t number, mx_dim *name, int64_t *size)
{
    const struct mx_dim_term *terms;
    const int n = mx_dim_terms(t, expression, &terms);
    if (n != 1 || terms->n_factors != 1) {
        return false;
    }
    const struct mx_dim_factor factor = mx_dim_factor(t, terms->factors[0]);
    *name = factor.leaf;
    *size = number / terms->coefficient;
    return factor.is_leaf && *size > 0;
}

void mx_advise_size(const struct mx_infer *c, mx_dim open, int64_t number, struct mx_str *out)
{
    int64_t size;
    mx_dim name;
    char text[24] = "SIZE";
    if (solve(c->dims, open, number, &name, &size)) {
        open = name;
        (void)snprintf(text, sizeof text, "%lld", (long long)size);
    }
    for (int i = 0; i < c->graph->n_nodes && !c->graph->inputs; i++) {
        const struct mx_node *n = c->graph->nodes[i];
        for (int k = 0; is_input(n) && k < n->out[0].shape.ndim; k++) {
            if (holds(c->dims, open, n->out[0].shape.dims[k])) {
                mx_str_append(out, "fix the size with ");
                put_shape(c, n, open, text, out);
                return;
            }
        }
    }
}
