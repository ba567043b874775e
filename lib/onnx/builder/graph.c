/* Inputs and outputs of the main graph, and bodies of Loop, Scan and If. */
#include <string.h>

#include "onnx/builder/internal.h"

static bool push_value(struct ox_build *b, ox_val **list, int *count, int *capacity, ox_val x)
{
    if (ox_grow_list(b->model, list, *count, capacity, sizeof **list) != MX_OK) {
        ox_oom(b);
        return false;
    }
    (*list)[(*count)++] = x;
    return true;
}

static ox_val add_input(struct ox_build *b, struct ox_graph *g, enum mx_dtype t, struct mx_shape s)
{
    const ox_val x = ox_new_value(b, t, ox_copy_shape(b, s.dims, s.ndim));
    if (x == OX_NONE || !push_value(b, &g->inputs, &g->n_inputs, &g->cap_inputs, x)) {
        return OX_NONE;
    }
    ox_register_dims(b, x);
    return b->fatal ? OX_NONE : x;
}

ox_val ox_input(struct ox_build *b, const char *name, enum mx_dtype t, struct mx_shape s)
{
    const char *copy = mx_arena_strdup(&b->model->arena, name);
    if (!copy) {
        ox_oom(b);
        return OX_NONE;
    }
    const ox_val x = add_input(b, &b->model->main, t, s);
    if (x == OX_NONE) {
        return OX_NONE;
    }
    ox_value_of(b->model, x)->name = copy;
    ox_value_of(b->model, x)->is_input = true;
    return x;
}

void ox_output(struct ox_build *b, ox_val x, const char *name)
{
    struct ox_graph *g = &b->model->main;
    const char *copy = mx_arena_strdup(&b->model->arena, name);
    const int at = g->n_outputs;
    int room = g->cap_outputs;
    if (!copy || ox_grow_list(b->model, &g->output_names, at, &room, sizeof *g->output_names) != MX_OK) {
        ox_oom(b);
        return;
    }
    if (ox_look(b, x) && push_value(b, &g->outputs, &g->n_outputs, &g->cap_outputs, x)) {
        g->output_names[at] = copy;
        ox_value_of(b->model, x)->is_output = true;
    }
}

/* ---- bodies */

struct ox_graph *ox_graph_begin(struct ox_build *b, const char *name)
{
    struct ox_graph *g = b->fatal ? NULL : MX_ARENA_NEW(&b->model->arena, struct ox_graph);
    const char *copy = g ? mx_arena_strdup(&b->model->arena, name) : NULL;
    if (!copy) {
        ox_oom(b);
        b->skipped++;
        return b->graph;
    }
    g->name = copy;
    g->outer = b->graph;
    b->graph = g;
    return g;
}

ox_val ox_graph_input(struct ox_build *b, enum mx_dtype t, struct mx_shape s)
{
    return ox_failed(b) ? OX_NONE : add_input(b, b->graph, t, s);
}

/* True if a node of g produces x and x is not an output yet. */
static bool fits_output(struct ox_build *b, const struct ox_graph *g, ox_val x)
{
    if (!ox_made_in(ox_value_of(b->model, x), g)) {
        return false;
    }
    for (int i = 0; i < g->n_outputs; i++) {
        if (g->outputs[i] == x) {
            return false;
        }
    }
    return true;
}

void ox_graph_end(struct ox_build *b, const ox_val *outputs, int n)
{
    struct ox_graph *g = b->graph;
    if (b->skipped > 0) {
        b->skipped--;
        return;
    }
    if (g == &b->model->main) {
        /* Not by a file: each function of ops/ that begins a body ends it. */
        ox_broken(b, "internal error: the end of a body that was not begun");
        return;
    }
    for (int i = 0; i < n && !ox_failed(b); i++) {
        /* Runtimes require an output of a body to be made in that body. */
        const ox_val x = fits_output(b, g, outputs[i]) ? outputs[i] : ox_emit(b, OX_Identity, OX_IN(outputs[i]), OX_NO_ATTRS);
        (void)push_value(b, &g->outputs, &g->n_outputs, &g->cap_outputs, x);
    }
    g->closed = true;
    b->graph = g->outer;
}
