/* Makes, from the loaded graph and the present choices, one with shapes and types. The loaded graph is never changed: each preparation
 * works on a copy of its nodes. */
#include <limits.h>
#include <string.h>

#include "base/budget.h"
#include "model/model.h"
#include "op/op.h"
#include "op/registry.h"

/* ---- the copy */

static int copy_subgraphs(struct mx_graph *g, struct mx_node *n);

/* Copies nodes and edges, subgraphs too; the texts are shared. */
static int copy_nodes(struct mx_graph *g, const struct mx_graph *from)
{
    struct mx_node *block = MX_ARENA_ARRAY(g->arena, struct mx_node, (size_t)from->n_nodes);
    g->nodes = MX_ARENA_ARRAY(g->arena, struct mx_node *, (size_t)from->n_nodes);
    MX_TRY_ALLOC(block);
    MX_TRY_ALLOC(g->nodes);
    for (int i = 0; i < from->n_nodes; i++) {
        block[i] = *from->nodes[i];
        block[i].id = i;
        g->nodes[i] = &block[i];
        from->nodes[i]->id = i;
    }
    for (int i = 0; i < from->n_nodes; i++) {
        struct mx_node *n = &block[i];
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_NODE));
        n->in = mx_arena_copy(g->arena, n->in, (size_t)n->n_in, sizeof *n->in);
        MX_TRY_ALLOC(n->in);
        for (int k = 0; k < n->n_in; k++) {
            n->in[k].node = &block[n->in[k].node->id];
        }
        MX_TRY(copy_subgraphs(g, n));
    }
    g->n_nodes = from->n_nodes;
    return MX_OK;
}

static int copy_entries(struct mx_graph *g, const struct mx_entry *heads, int n)
{
    g->heads = MX_ARENA_ARRAY(g->arena, struct mx_entry, (size_t)n);
    MX_TRY_ALLOC(g->heads);
    for (int i = 0; i < n; i++) {
        g->heads[i] = (struct mx_entry){g->nodes[heads[i].node->id], heads[i].index};
    }
    g->n_heads = n;
    return MX_OK;
}

static size_t count_variables(const struct mx_graph *g)
{
    size_t n = 0;
    for (int i = 0; i < g->n_nodes; i++) {
        n += mx_is_variable(g->nodes[i]);
        mx_count_work(g->arena->budget, MX_TICK_ITEM);
    }
    return n;
}

static int list_body_inputs(struct mx_graph *body)
{
    body->inputs = MX_ARENA_ARRAY(body->arena, struct mx_node *, count_variables(body));
    MX_TRY_ALLOC(body->inputs);
    for (int i = 0; i < body->n_nodes; i++) {
        if (mx_is_variable(body->nodes[i])) {
            body->inputs[body->n_inputs++] = body->nodes[i];
        }
    }
    return MX_OK;
}

static int copy_subgraphs(struct mx_graph *g, struct mx_node *n)
{
    struct mx_graph *const *from = n->subgraphs;
    if (n->n_subgraphs == 0) {
        return MX_OK;
    }
    n->subgraphs = MX_ARENA_ARRAY(g->arena, struct mx_graph *, (size_t)n->n_subgraphs);
    MX_TRY_ALLOC(n->subgraphs);
    for (int i = 0; i < n->n_subgraphs; i++) {
        struct mx_graph *body = MX_ARENA_NEW(g->arena, struct mx_graph);
        MX_TRY_ALLOC(body);
        *body = (struct mx_graph){.arena = g->arena,
                                  .dims = g->dims,
                                  .diags = g->diags,
                                  .customs = g->customs,
                                  .keep_domain = g->keep_domain,
                                  .np_shape = g->np_shape,
                                  .version = g->version};
        MX_TRY(copy_nodes(body, from[i]));
        MX_TRY(copy_entries(body, from[i]->heads, from[i]->n_heads));
        MX_TRY(list_body_inputs(body));
        n->subgraphs[i] = body;
    }
    return MX_OK;
}

/* The file's heads, or the chosen outputs. */
static int copy_heads(mx2onnx_model *m, struct mx_graph *g)
{
    if (m->choices.n_outputs == 0) {
        return copy_entries(g, m->loaded.graph->heads, m->loaded.graph->n_heads);
    }
    struct mx_entry *chosen = MX_ARENA_ARRAY(g->arena, struct mx_entry, m->choices.n_outputs);
    MX_TRY_ALLOC(chosen);
    for (size_t i = 0; i < m->choices.n_outputs; i++) {
        MX_TRY(mx_model_need_output(m, m->choices.outputs[i], &chosen[i]));
    }
    return copy_entries(g, chosen, (int)m->choices.n_outputs);
}

static int copy_graph(mx2onnx_model *m)
{
    struct mx_graph *g = MX_ARENA_NEW(&m->prepared.arena, struct mx_graph);
    MX_TRY_ALLOC(g);
    *g = (struct mx_graph){.arena = &m->prepared.arena,
                           .diags = &m->diags,
                           .customs = &m->choices.customs,
                           .keep_domain = m->choices.texts[MX2ONNX_TEXT_UNKNOWN_DOMAIN],
                           .np_shape = m->loaded.graph->np_shape,
                           .version = m->loaded.graph->version};
    g->dims = m->prepared.dims = mx_dims_new(&m->prepared.arena);
    MX_TRY_ALLOC(g->dims);
    MX_TRY(copy_nodes(g, m->loaded.graph));
    MX_TRY(copy_heads(m, g));
    m->prepared.graph = g;
    return MX_OK;
}

/* ---- queries */

static int list_inputs(mx2onnx_model *m)
{
    const size_t n = count_variables(m->prepared.graph);
    m->prepared.inputs = MX_ARENA_ARRAY(&m->prepared.arena, struct mx_node *, n);
    m->prepared.missing = MX_ARENA_ARRAY(&m->prepared.arena, struct mx_node *, n);
    MX_TRY_ALLOC(m->prepared.inputs);
    MX_TRY_ALLOC(m->prepared.missing);
    m->prepared.n_inputs = m->prepared.n_missing = 0;
    mx_graph_mark_weights(m->prepared.graph, &m->choices.inputs);
    for (int i = 0; i < m->prepared.graph->n_nodes; i++) {
        struct mx_node *v = m->prepared.graph->nodes[i];
        MX_TRY(mx_tick(&m->budget, MX_TICK_NODE));
        if (!mx_is_variable(v) || mx_params_of(&m->loaded.params, v->name)) {
            continue;
        }
        MX_TRY(mx_map_set(&m->prepared.unvalued, v->name, v));
        if (v->mark) {
            m->prepared.missing[m->prepared.n_missing++] = v;
        } else {
            m->prepared.inputs[m->prepared.n_inputs++] = v;
        }
    }
    return MX_OK;
}

/* MXNet's list_inputs() without anything that has a value: labels and weights are included. */
static int list_unbound(mx2onnx_model *m)
{
    const struct mx_graph *g = m->loaded.graph;
    m->prepared.unbound = MX_ARENA_ARRAY(&m->prepared.arena, struct mx_unbound, count_variables(g));
    MX_TRY_ALLOC(m->prepared.unbound);
    m->prepared.n_unbound = 0;
    for (int i = 0; i < g->n_nodes; i++) {
        MX_TRY(mx_tick(&m->budget, MX_TICK_NODE));
        const char *name = g->nodes[i]->name;
        if (mx_is_variable(g->nodes[i]) && !mx_params_of(&m->loaded.params, name)) {
            m->prepared.unbound[m->prepared.n_unbound++] = (struct mx_unbound){name, mx_map_get(&m->prepared.unvalued, name), i};
        }
    }
    return MX_OK;
}

/* What the value of a variable in the graph would change, apart from the lists of those without one: a label that is data to every head
 * becomes data alone, and the value of a head shows in the type and shape of an output. */
static void find_fixed(mx2onnx_model *m)
{
    const struct mx_graph *g = m->prepared.graph;
    m->prepared.fixed =
        m->prepared.fixed || g->needs_labels || m->choices.options[MX2ONNX_OPTION_STRUCTURAL_NAMES] || m->loaded.params.prefix;
    for (int i = 0; i < g->n_heads; i++) {
        m->prepared.fixed = m->prepared.fixed || mx_is_variable(g->heads[i].node);
    }
}

/* The most used first; names differ. */
static bool comes_first(const struct mx_op_use *x, const struct mx_op_use *y)
{
    return x->count != y->count ? x->count > y->count : strcmp(x->name, y->name) < 0;
}

/* `uses` has room for every node. */
static int count_uses(const struct mx_graph *g, struct mx_map *seen, struct mx_op_use *uses, size_t *count)
{
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *n = g->nodes[i];
        MX_TRY(mx_tick(seen->arena.budget, MX_TICK_NODE));
        if (mx_is_variable(n)) {
            continue;
        }
        const char *name = n->op && !mx_op_is_unknown(n->op) ? n->op->name : n->op_name;
        struct mx_op_use *use = mx_map_get(seen, name);
        if (!use) {
            use = &uses[(*count)++];
            *use = (struct mx_op_use){.name = name};
            MX_TRY(mx_map_set(seen, name, use));
        }
        use->count++;
        use->unsupported += !n->op || (mx_op_is_unknown(n->op) && !n->handled);
    }
    return MX_OK;
}

static int merge(struct mx_budget *b, const struct mx_op_use *from, size_t middle, size_t n, struct mx_op_use *to)
{
    size_t i = 0, k = middle;
    for (size_t out = 0; out < n; out++) {
        MX_TRY(mx_tick(b, 4 * MX_TICK_ITEM));
        const bool left = i < middle && (k >= n || comes_first(&from[i], &from[k]));
        to[out] = from[left ? i++ : k++];
    }
    return MX_OK;
}

/* A merge sort, which can be ended, unlike qsort: a graph may have a million unknown operators. */
static int sort_uses(struct mx_budget *b, struct mx_op_use *uses, size_t n)
{
    int status = MX_OK;
    struct mx_op_use *other = mx_budget_array(b, NULL, 0, n + 1, sizeof *other);
    MX_TRY_ALLOC(other);
    for (size_t width = 1; status == MX_OK && width < n; width *= 2) {
        for (size_t at = 0; status == MX_OK && at < n; at += 2 * width) {
            const size_t left = n - at, both = left < 2 * width ? left : 2 * width;
            status = merge(b, &uses[at], width < both ? width : both, both, &other[at]);
        }
        memcpy(uses, other, n * sizeof *uses);
    }
    mx_budget_array_free(b, other, n + 1, sizeof *other);
    return status;
}

static int count_operators(mx2onnx_model *m)
{
    struct mx_map seen = {.arena = {.budget = &m->budget}};
    size_t count = 0;
    const size_t n_nodes = (size_t)m->prepared.graph->n_nodes;
    struct mx_op_use *uses = mx_budget_array(&m->budget, NULL, 0, n_nodes, sizeof *uses);
    int status = uses ? count_uses(m->prepared.graph, &seen, uses, &count) : MX_OUT_OF_MEMORY;
    mx_map_free(&seen);
    if (status == MX_OK) {
        status = sort_uses(&m->budget, uses, count);
    }
    if (status == MX_OK) {
        m->prepared.op_uses = mx_arena_copy(&m->prepared.arena, uses, count, sizeof *uses);
        m->prepared.n_op_uses = m->prepared.op_uses ? count : 0;
        status = m->prepared.op_uses ? MX_OK : MX_OUT_OF_MEMORY;
    }
    mx_budget_array_free(&m->budget, uses, n_nodes, sizeof *uses);
    return status;
}

/* ---- names in the ONNX file */

/* `name` itself if it has no other, also if one was taken back. */
static const char *renamed(const mx2onnx_model *m, const char *name)
{
    struct mx_rename *r = mx_map_get(&m->choices.renames, name);
    if (r) {
        r->used = true;
    }
    return r && strcmp(r->to.text, name) != 0 ? r->to.text : name;
}

/* Outputs are named as MXNet's exporter does: the node's name, with an index if it has several. */
static const char *head_name(mx2onnx_model *m, struct mx_entry e)
{
    return e.node->n_out == 1 ? e.node->name : mx_arena_printf(&m->prepared.names_arena, "%s%d", e.node->name, e.index);
}

/* A name that the user knows: a note is given if it changes, unless this is only a look. One that was chosen is then an error, see
 * check_renames. */
static int claim(mx2onnx_model *m, struct mx_map *taken, const char *name, const char *what, const char **out)
{
    const char *wanted = name ? renamed(m, name) : NULL;
    MX_TRY_ALLOC(wanted);
    MX_TRY(mx_tick(&m->budget, MX_TICK_NODE));
    MX_TRY(mx_map_unique(taken, &m->prepared.names_arena, wanted, out));
    if (what && *out != wanted && wanted == name) {
        mx_note(&m->diags, mx_named(wanted), "the name is used twice, so this %s is called '%s' in the ONNX model", what, *out);
    }
    return MX_OK;
}

static int claim_all(mx2onnx_model *m, struct mx_map *taken, bool looks, const char **inputs, const char **outputs)
{
    for (size_t i = 0; i < m->prepared.n_inputs; i++) {
        MX_TRY(claim(m, taken, m->prepared.inputs[i]->name, looks ? NULL : "input", &inputs[i]));
    }
    for (int i = 0; i < m->prepared.graph->n_heads; i++) {
        const char *name = head_name(m, m->prepared.graph->heads[i]);
        MX_TRY(claim(m, taken, name, looks ? NULL : "output", &outputs[i]));
        m->prepared.fixed = m->prepared.fixed || outputs[i] != renamed(m, name); /* an input may have its name */
    }
    return MX_OK;
}

/* Of inputs and outputs with one name the first has it, inputs before outputs. */
static int name_interface(mx2onnx_model *m, bool looks)
{
    struct mx_map taken = {.arena = {.budget = &m->budget}};
    mx_arena_free(&m->prepared.names_arena);
    const char **inputs = MX_ARENA_ARRAY(&m->prepared.names_arena, const char *, m->prepared.n_inputs);
    const char **outputs = MX_ARENA_ARRAY(&m->prepared.names_arena, const char *, (size_t)m->prepared.graph->n_heads);
    MX_TRY_ALLOC(inputs && outputs);
    const int status = claim_all(m, &taken, looks, inputs, outputs);
    mx_map_free(&taken);
    m->prepared.input_names = inputs;
    m->prepared.output_names = status == MX_OK ? outputs : NULL;
    return status;
}

/* After inference, which may add nodes. */
static int name_variables(mx2onnx_model *m)
{
    const char **names = MX_ARENA_ARRAY(&m->prepared.arena, const char *, (size_t)m->prepared.graph->n_nodes);
    MX_TRY_ALLOC(names);
    for (int i = 0; i < m->prepared.graph->n_nodes; i++) {
        MX_TRY(mx_tick(&m->budget, MX_TICK_NODE));
        if (mx_is_variable(m->prepared.graph->nodes[i])) {
            names[i] = renamed(m, m->prepared.graph->nodes[i]->name);
        }
    }
    for (size_t i = 0; i < m->prepared.n_inputs; i++) {
        names[m->prepared.inputs[i]->id] = m->prepared.input_names[i];
    }
    m->prepared.variable_names = names;
    return MX_OK;
}

/* A value of the graph may not have a name that was chosen for another one. `name` is that in MXNet's graph. */
static int check_name(mx2onnx_model *m, const struct mx_map *chosen, const char *name)
{
    const struct mx_rename *own = mx_map_get(&m->choices.renames, name);
    const bool is_other = own && own->used && strcmp(name, own->to.text) != 0;
    const struct mx_rename *r = mx_map_get(chosen, is_other ? own->to.text : name);
    if (!r || strcmp(r->from, name) == 0) {
        return MX_OK;
    }
    return mx_fail(&m->diags, MX_INVALID_ARGUMENT, mx_named(r->from),
                   is_other ? MX_SUBJECT "gets the name '%s', which is chosen for '%s' too" MX_HELP "choose another name for one of them"
                            : MX_SUBJECT "gets the name '%s', but '%s' has this name in the model" MX_HELP "choose another name",
                   r->to.text, name);
}

static int check_names(mx2onnx_model *m, const struct mx_map *chosen)
{
    for (int i = 0; i < m->prepared.graph->n_nodes; i++) {
        struct mx_node *n = m->prepared.graph->nodes[i];
        MX_TRY(mx_tick(&m->budget, MX_TICK_NODE));
        for (int k = 0; k < n->n_out; k++) {
            const char *name = head_name(m, (struct mx_entry){.node = n, .index = k});
            MX_TRY_ALLOC(name);
            MX_TRY(check_name(m, chosen, name));
        }
    }
    return MX_OK;
}

/* The name of a node, or of a parameter that is not read, may be given another one, which would silently do nothing. */
static int check_renames(mx2onnx_model *m)
{
    struct mx_map chosen = {.arena = {.budget = &m->budget}};
    int status = MX_OK;
    for (struct mx_rename *r = m->choices.chosen_renames; r && status == MX_OK; r = r->next) {
        const bool takes_back = strcmp(r->from, r->to.text) == 0;
        status = mx_tick(&m->budget, MX_TICK_ITEM);
        if (status == MX_OK && r->used && !takes_back) {
            status = mx_map_set(&chosen, r->to.text, r);
        } else if (status == MX_OK && !takes_back) {
            mx_warn(&m->diags, mx_named(r->from),
                    MX_SUBJECT "is not an input, output or parameter of the ONNX model, so the name '%s' has no effect" MX_HELP
                               "choose it with "
                               "mx2onnx_add_output, or omit the name",
                    r->to.text);
        }
    }
    status = status == MX_OK && chosen.items ? check_names(m, &chosen) : status;
    mx_map_free(&chosen);
    return status;
}

/* ---- stages */

/* A prefix that no name begins with would silently do nothing. */
static int check_prefix(mx2onnx_model *m)
{
    const char *prefix = m->loaded.params.prefix;
    bool used = !prefix;
    for (size_t i = 0; !used && i < m->loaded.params.count; i++) {
        MX_TRY(mx_tick(&m->budget, MX_TICK_ITEM));
        used = mx_starts_with(m->loaded.params.items[i]->name, prefix);
    }
    for (int i = 0; !used && i < m->loaded.graph->n_nodes; i++) {
        MX_TRY(mx_tick(&m->budget, MX_TICK_ITEM));
        used = mx_starts_with(m->loaded.graph->nodes[i]->name, prefix);
    }
    if (!used) {
        mx_warn(&m->diags, MX_NOWHERE,
                "the prefix '%s' has no effect: no name in the symbol or a parameter file begins with it" MX_HELP "correct or omit it",
                prefix);
    }
    return MX_OK;
}

/* The graph is made once more, since inference leaves its facts in it. Errors of the other steps are reported then. */
static int match_names(mx2onnx_model *m)
{
    const struct mx_diags kept = mx_diags_mute(&m->diags);
    int status = copy_graph(m);
    status = status == MX_OK ? mx_graph_canon(m->prepared.graph, &m->loaded.params) : status;
    mx_diags_unmute(&m->diags, kept);
    MX_TRY(mx_budget_status(&m->budget));
    if (status == MX_OK) {
        status = mx_graph_match_names(m->prepared.graph, &m->loaded.params, &m->choices.inputs);
    } else if (status != MX_OUT_OF_MEMORY) {
        status = MX_OK;
    }
    mx_dims_free(m->prepared.dims);
    m->prepared.dims = NULL;
    m->prepared.graph = NULL;
    return status;
}

/* A look needs no match: shapes that are set after it may be what a match lacks. */
static int match_structural_names(mx2onnx_model *m, bool looks)
{
    const int status = m->choices.options[MX2ONNX_OPTION_STRUCTURAL_NAMES] ? match_names(m) : MX_OK;
    return looks && status == MX_MISSING_PARAMETER ? MX_OK : status;
}

static int to_canon(mx2onnx_model *m, bool looks)
{
    if (!m->loaded.graph) {
        return mx_fail(&m->diags, MX_INVALID_ARGUMENT, MX_NOWHERE, "no symbol is loaded" MX_HELP "load a model first");
    }
    mx_diags_truncate(&m->diags, m->loaded.n_diags);
    for (size_t i = 0; i < m->loaded.params.count; i++) {
        m->loaded.params.items[i]->used = m->loaded.params.items[i]->is_part = false;
        MX_TRY(mx_tick(&m->budget, MX_TICK_ITEM));
    }
    for (struct mx_custom *c = m->choices.customs.first; c; c = c->next) {
        c->used = false;
        MX_TRY(mx_tick(&m->budget, MX_TICK_ITEM));
    }
    m->choices.customs.opset = mx_model_opset(m);
    m->choices.customs.domain = m->choices.texts[MX2ONNX_TEXT_UNKNOWN_DOMAIN];
    m->prepared.count++;
    MX_TRY(check_prefix(m));
    mx_map_free(&m->loaded.params.matched);
    mx_map_free(&m->loaded.params.joined);
    MX_TRY(mx_graph_join_gates(m->loaded.graph, &m->loaded.params, NULL));
    MX_TRY(match_structural_names(m, looks));
    MX_TRY(copy_graph(m));
    const int status = mx_graph_canon(m->prepared.graph, &m->loaded.params);
    if (status == MX_OUT_OF_MEMORY) {
        return status;
    }
    MX_TRY(mx_settings_note_topics(m));
    MX_TRY(mx_budget_ask(&m->budget));
    MX_TRY(list_inputs(m));
    MX_TRY(list_unbound(m));
    find_fixed(m);
    MX_TRY(count_operators(m));
    return status;
}

static int check_missing(mx2onnx_model *m)
{
    MX_TRY(mx_graph_join_gates(m->prepared.graph, &m->loaded.params, &m->choices.inputs));
    const int status = mx_graph_check_missing(m->prepared.graph, &m->loaded.params, &m->choices.inputs);
    if (status == MX_MISSING_PARAMETER) {
        MX_TRY(mx_graph_infer_known(m->prepared.graph, &m->choices.inputs)); /* shapes to look at */
    }
    return status;
}

static int report_names(mx2onnx_model *m)
{
    for (struct mx_rename *r = m->choices.chosen_renames; r; r = r->next) {
        r->used = false;
    }
    return name_interface(m, false);
}

/* A shape for an output of a node that nothing reads would be without effect. */
static int check_stated(mx2onnx_model *m)
{
    for (const struct mx_input_choice *c = m->choices.of_nodes; c; c = c->next) {
        if (c->counts && !c->used) {
            return mx_fail(&m->diags, MX_INVALID_ARGUMENT, mx_named(c->name),
                           "nothing in the model reads an output of this name, so its shape would have no effect" MX_HELP "do not set it");
        }
    }
    return MX_OK;
}

static int infer(mx2onnx_model *m)
{
    for (struct mx_input_choice *c = m->choices.of_nodes; c; c = c->next) {
        c->used = false;
    }
    const int status = mx_graph_infer(m->prepared.graph, &m->choices.inputs);
    const int stated = status == MX_OK || status == MX_SHAPE ? check_stated(m) : MX_OK;
    return status == MX_OK ? stated : status;
}

/* A label or a parameter is not an input of what is written. */
static int check_preprocessed(mx2onnx_model *m)
{
    const struct mx_graph *g = m->loaded.graph;
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_input_choice *c = mx_is_variable(g->nodes[i]) ? mx_map_get(&m->choices.inputs, g->nodes[i]->name) : NULL;
        MX_TRY(mx_tick(&m->budget, MX_TICK_ITEM));
        if (c && mx_input_preprocesses(c) && !mx_map_get(&m->prepared.unvalued, c->name)) {
            return mx_fail(&m->diags, MX_INVALID_ARGUMENT, mx_named(c->name),
                           MX_SUBJECT "is not an input of the model that is written, so its preprocessing would have no effect" MX_HELP
                                      "set mean, scale and the order of channels for inputs only");
        }
    }
    return MX_OK;
}

static int preprocess(mx2onnx_model *m)
{
    MX_TRY(check_preprocessed(m));
    return mx_graph_preprocess(m->prepared.graph, &m->choices.inputs);
}

static int to_float16(mx2onnx_model *m)
{
    const struct mx_half_options options = {.cast = mx_map_get(&m->ops, "amp_cast"),
                                            .keep_io = m->choices.options[MX2ONNX_OPTION_FLOAT16] == MX2ONNX_FLOAT16_INSIDE,
                                            .choices = m->choices.halves};
    return m->choices.options[MX2ONNX_OPTION_FLOAT16] != MX2ONNX_FLOAT16_OFF ? mx_graph_halve(m->prepared.graph, &options) : MX_OK;
}

/* From the canonical graph, which is ordered, to the inferred one. */
static const struct pass {
    int (*run)(mx2onnx_model *m);
    bool changes; /* the graph, which is checked afterwards */
} passes[] = {
    {mx_model_check_choices, false},
    {mx_model_check_handlers, false},
    {check_missing, false},
    {report_names, false},
    {infer, true},
    {preprocess, true},
    {to_float16, true},
    {mx_model_check_params, false},
    {mx_model_note_handlers, false},
    {name_variables, false},
    {check_renames, false},
};

static int to_inferred(mx2onnx_model *m)
{
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        MX_TRY(passes[i].run(m));
        MX_TRY(passes[i].changes ? mx_graph_check(m->prepared.graph, true) : MX_OK);
    }
    return MX_OK;
}

int mx_model_prepare(mx2onnx_model *m, enum mx_stage stage)
{
    if (m->prepared.peeked || m->prepared.status != MX_OK) { /* its diagnostics belong to a finished call, or to none */
        mx_model_changed(m);
    }
    while (m->prepared.stage < stage && m->prepared.status == MX_OK) {
        m->budget.phase = MX2ONNX_PHASE_INFER;
        MX_TRY(mx_budget_ask(&m->budget));
        m->prepared.status = m->prepared.stage == MX_STAGE_NONE ? to_canon(m, stage == MX_STAGE_CANON) : to_inferred(m);
        if (m->prepared.status != MX_OK && m->budget.status != MX_OK) {
            mx_model_changed(m); /* the next call may get further */
            return m->budget.status;
        }
        m->prepared.stage++;
        m->prepared.n_diags = m->diags.count;
    }
    return m->prepared.status;
}

bool mx_model_prepared(const mx2onnx_model *m)
{
    return m->prepared.stage != MX_STAGE_NONE && !m->prepared.peeked;
}

bool mx_model_is_canonical(const mx2onnx_model *m)
{
    return m->prepared.graph && (m->prepared.status == MX_OK || m->prepared.stage == MX_STAGE_INFERRED);
}

bool mx_model_peek(mx2onnx_model *m)
{
    if (m->prepared.unseen) {
        return m->prepared.graph;
    }
    if (m->loaded.graph && !m->prepared.graph
        && (m->prepared.stage == MX_STAGE_NONE || !m->prepared.peeked)) { /* also after a call that ended before there was a graph */
        const struct mx_diags kept = mx_diags_mute(&m->diags);
        const size_t load_diags = m->loaded.n_diags, prepare_diags = m->prepared.n_diags;
        m->loaded.n_diags = 0;
        (void)!mx_model_prepare(m, MX_STAGE_CANON); /* the status is kept for the call that needs more than a look */
        mx_diags_unmute(&m->diags, kept);
        m->loaded.n_diags = load_diags;
        m->prepared.n_diags = prepare_diags;
        if (m->prepared.status != MX_OK && m->prepared.graph && m->prepared.graph->settled && !m->prepared.graph->attached) {
            (void)!mx_model_read_unresolved(m);
        }
        m->prepared.peeked = true;
    }
    if (mx_model_is_canonical(m) && !m->prepared.output_names) {
        (void)!name_interface(m, true);
    }
    m->prepared.unseen = m->budget.status == MX_TOO_LARGE;
    return m->prepared.graph;
}

/* The index of node `id` in a list sorted by ids, or where it belongs. */
static size_t place_of(struct mx_node *const *list, size_t n, int id)
{
    size_t from = 0;
    while (from < n) {
        const size_t middle = from + (n - from) / 2;
        if (list[middle]->id < id) {
            from = middle + 1;
        } else {
            n = middle;
        }
    }
    return from;
}

bool mx_model_is_missing(const mx2onnx_model *m, const struct mx_node *v)
{
    const size_t i = place_of(m->prepared.missing, m->prepared.n_missing, v->id);
    return i < m->prepared.n_missing && m->prepared.missing[i] == v;
}

/* A missing weight becomes an input, in its place among the inputs. */
static void become_input(mx2onnx_model *m, struct mx_node *v)
{
    const size_t from = place_of(m->prepared.missing, m->prepared.n_missing, v->id),
                 to = place_of(m->prepared.inputs, m->prepared.n_inputs, v->id);
    m->prepared.n_missing--;
    memmove(&m->prepared.missing[from], &m->prepared.missing[from + 1], (m->prepared.n_missing - from) * sizeof(struct mx_node *));
    memmove(&m->prepared.inputs[to + 1], &m->prepared.inputs[to], (m->prepared.n_inputs - to) * sizeof(struct mx_node *));
    m->prepared.inputs[to] = v;
    m->prepared.n_inputs++;
}

/* A value, or its being an input, changes nothing but the lists of variables. */
static bool changes_lists_only(mx2onnx_model *m)
{
    return !m->prepared.fixed && mx_model_need_variables(m) == MX_OK && !m->loaded.names.repeated;
}

void mx_model_declared(mx2onnx_model *m, const char *input)
{
    mx_model_chosen(m);
    struct mx_node *v = mx_map_get(&m->prepared.unvalued, input);
    if (v && mx_model_is_missing(m, v)) {
        if (changes_lists_only(m)) {
            become_input(m, v);
        } else {
            mx_model_changed(m);
        }
    }
}

/* While a graph fails at an operator or an attribute, values change nothing but the lists either. */
static bool is_looked_at(const struct mx_prepared *p)
{
    return p->peeked && p->graph && (p->status == MX_OK || (p->graph->settled && !p->graph->attached));
}

bool mx_model_takes_value(mx2onnx_model *m, const char *variable)
{
    if (!is_looked_at(&m->prepared) || !changes_lists_only(m) || mx_may_be_joined(variable)) {
        return false;
    }
    if (mx_map_get(&m->prepared.unvalued, variable)) {
        return mx_map_get(&m->loaded.names.variables, variable);
    }
    /* Nothing in the graph reads such a variable, or has its name. The heads that were left out may read it. */
    return mx_params_find(&m->loaded.params, variable) || !m->prepared.graph->lost_heads;
}

static void drop_from(struct mx_node **list, size_t *n, const struct mx_node *v)
{
    const size_t at = place_of(list, *n, v->id);
    if (at < *n && list[at] == v) {
        --*n;
        memmove(&list[at], &list[at + 1], (*n - at) * sizeof *list);
    }
}

static void drop_unbound(struct mx_prepared *p, int id)
{
    size_t from = 0, to = p->n_unbound;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (p->unbound[middle].id < id) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    if (from >= p->n_unbound || p->unbound[from].id != id) {
        return;
    }
    p->n_unbound--;
    memmove(&p->unbound[from], &p->unbound[from + 1], (p->n_unbound - from) * sizeof *p->unbound);
}

void mx_model_valued(mx2onnx_model *m, const char *variable)
{
    struct mx_param *p = mx_params_find(&m->loaded.params, variable);
    struct mx_node *v = mx_map_get(&m->prepared.unvalued, variable);
    const struct mx_node *of_file = mx_map_get(&m->loaded.names.variables, variable);
    if (of_file) {
        drop_unbound(&m->prepared, of_file->id);
    }
    if (!v) { /* it had a value before, or none in the graph has this name */
        return;
    }
    if (m->prepared.graph->attached) {
        p->used = true;
        v->param = p;
    }
    drop_from(m->prepared.inputs, &m->prepared.n_inputs, v);
    drop_from(m->prepared.missing, &m->prepared.n_missing, v);
    mx_map_remove(&m->prepared.unvalued, variable);
}
