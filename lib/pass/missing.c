/* Parameters that the graph needs and no file holds. */
#include <string.h>

#include "base/budget.h"
#include "base/str.h"
#include "op/registry.h"
#include "pass/pass.h"
#include "read/symbol.h"

enum { AS_WEIGHT = 1, AS_DATA = 2, SHOWN = 8 };

static void mark_uses(struct mx_graph *g);

/* How the bodies of a node use the variables that they read from outside, by their names, which are those of the node's inputs. */
static int map_body_uses(const struct mx_node *n, struct mx_map *uses)
{
    for (int i = 0; i < n->n_subgraphs; i++) {
        const struct mx_graph *body = n->subgraphs[i];
        mark_uses(n->subgraphs[i]);
        for (int k = 0; k < body->n_inputs; k++) {
            struct mx_node *v = body->inputs[k], *other = mx_map_get(uses, v->name);
            if (other) {
                other->mark |= v->mark;
            }
            MX_TRY(other ? MX_OK : mx_map_set(uses, v->name, v));
        }
    }
    return MX_OK;
}

/* A node marks how it uses each of its inputs. */
static void mark_inputs(const struct mx_node *n, struct mx_budget *budget)
{
    const uint32_t weights = n->op ? mx_op_inputs_with(n->op, MX_LEARNED) | mx_op_inputs_with(n->op, MX_AUX) : 0;
    struct mx_map uses = {.arena = {.budget = budget}};
    const int status = map_body_uses(n, &uses);
    for (int k = 0; k < n->n_in; k++) {
        struct mx_node *x = n->in[k].node;
        const struct mx_node *inner = n->n_subgraphs > 0 && status == MX_OK ? mx_map_get(&uses, x->name) : NULL;
        x->mark |= inner ? inner->mark : mx_has_bit(weights, k) ? AS_WEIGHT : AS_DATA;
    }
    mx_map_free(&uses);
}

static void mark_uses(struct mx_graph *g)
{
    for (int i = 0; i < g->n_nodes; i++) {
        g->nodes[i]->mark = 0;
    }
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *n = g->nodes[i];
        (void)!mx_tick_parts(g->arena->budget, (size_t)n->n_in);
        mark_inputs(n, g->arena->budget);
    }
}

bool mx_input_is_chosen(const struct mx_map *choices, const struct mx_node *v)
{
    const struct mx_input_choice *choice = mx_map_get(choices, v->name);
    return choice && choice->counts;
}

void mx_graph_mark_weights(struct mx_graph *g, const struct mx_map *choices)
{
    mark_uses(g);
    for (int i = 0; i < g->n_nodes; i++) {
        struct mx_node *v = g->nodes[i];
        mx_count_work(g->arena->budget, MX_TICK_ITEM);
        v->mark = mx_is_variable(v) && (v->mark == AS_WEIGHT || mx_variable_is_parameter(v)) && !mx_input_is_chosen(choices, v);
    }
}

/* Gluon's save_parameters writes "0.weight" where the symbol says "net_dense0_weight"; nothing in the files maps one to
 * the other (python/mxnet/gluon/block.py, save_parameters). */
static bool has_structural_names(const struct mx_params *params)
{
    if (params->matched.items) {
        return false;
    }
    bool dotted = false; /* parameters of the outermost block have no dot */
    for (size_t i = 0; i < params->count; i++) {
        mx_count_work(params->arena->budget, MX_TICK_ITEM);
        if (params->items[i]->used) {
            return false;
        }
        dotted = dotted || strchr(params->items[i]->name, '.');
    }
    return dotted;
}

static bool has_end(const char *text, const char *end)
{
    return strlen(text) > strlen(end) && mx_ends_with(text, end);
}

/* The prefix that the files' names have before the graph's name ("module." in "module.fc1_weight"), or the reverse ("resnet_" in
 * "resnet_conv0_weight"), and its length, 0 if there is none. Of the arrays that have no place yet, the name with the longest common end
 * decides. */
static size_t find_prefix(const struct mx_params *params, const char *name, const char **prefix)
{
    size_t best = 0, length = 0;
    for (size_t i = 0; i < params->count; i++) {
        const char *own = params->items[i]->name;
        mx_count_work(params->arena->budget, MX_TICK_ITEM + strlen(own));
        const size_t common = params->items[i]->used ? 0 : has_end(own, name) ? strlen(name) : has_end(name, own) ? strlen(own) : 0;
        if (common > best) {
            const char *longer = strlen(own) > strlen(name) ? own : name;
            best = common;
            length = strlen(longer) - common;
            *prefix = longer;
        }
    }
    return length;
}

struct missing {
    struct mx_graph *graph;
    const struct mx_params *params;
    struct mx_str names;
    int count, needed;
    const char *first;
    bool own; /* all parameters were set one by one */
};

/* How many of the missing parameters a prefix finds. */
static int found_with(const struct missing *m, const char *prefix)
{
    struct mx_params with = {
        .arena = m->params->arena, .by_name = m->params->by_name, .items = m->params->items, .count = m->params->count};
    int found = 0;
    const int status = mx_params_set_prefix(&with, prefix);
    for (int i = 0; status == MX_OK && i < m->graph->n_nodes; i++) {
        const struct mx_node *v = m->graph->nodes[i];
        mx_count_work(m->graph->arena->budget, MX_TICK_NODE);
        found += v->mark && !v->param && mx_params_of(&with, v->name);
    }
    mx_map_free(&with.by_bare);
    return found;
}

/* How many of the files' arrays nothing in the graph reads, and the first of them. */
static size_t count_unused(const struct mx_params *params, const char **first)
{
    size_t unused = 0;
    for (size_t i = 0; i < params->count; i++) {
        mx_count_work(params->arena->budget, MX_TICK_ITEM);
        if (!params->items[i]->used && unused++ == 0) {
            *first = params->items[i]->name;
        }
    }
    return unused;
}

/* What the files have instead: other nets share names such as conv0_weight, but an array or two may just be left over from training. */
static void add_strangers(const struct missing *m, struct mx_str *text, const char **help)
{
    const char *first = NULL;
    const size_t count = m->params->count, unused = has_structural_names(m->params) ? 0 : count_unused(m->params, &first);
    if (unused == 0 || (unused < count && unused < (size_t)m->count)) {
        return;
    }
    if (unused == count) {
        mx_str_printf(text, ", and none of the files' arrays, such as '%s', is in the symbol", first);
    } else {
        mx_str_printf(text, ", and %zu of the files' %zu arrays, such as '%s', %s not read by the graph", unused, count, first,
                      unused == 1 ? "is" : "are");
    }
    *help = "load the parameter file of this model: this one is probably of another";
}

/* True if no array is from a file. */
static bool all_own(const struct mx_params *params)
{
    bool own = true;
    for (size_t i = 0; i < params->count && own; i++) {
        own = params->items[i]->own != 0;
        mx_count_work(params->arena->budget, MX_TICK_ITEM);
    }
    return own;
}

static int fail(const struct missing *m)
{
    const char *longer = NULL;
    const size_t length = find_prefix(m->params, m->first, &longer);
    const char *prefix = length ? mx_arena_strndup(m->graph->arena, longer, length) : NULL;
    const char *names = m->names.failed ? "of the graph" : m->names.text, *where = m->own ? "those that were given" : "the parameter files";
    const int found = prefix ? found_with(m, prefix) : 0;
    if (found > 0 && found >= m->count - m->count / 10) { /* else it is a coincidence: parameters of another net */
        return mx_fail(m->graph->diags, MX_MISSING_PARAMETER, MX_NOWHERE,
                       "%d of %d parameter%s %s missing from %s: %s%s, but %d of them %s there if the prefix '%s' is ignored" MX_HELP
                       "ignore the prefix (MX2ONNX_TEXT_PARAM_PREFIX, --prefix %s)",
                       m->count, m->needed, m->needed == 1 ? "" : "s", m->count == 1 ? "is" : "are", where, names,
                       m->count > SHOWN ? ", ..." : "", found, found == 1 ? "is" : "are", prefix, prefix);
    }
    struct mx_str help = {0}, strangers = {0};
    mx_str_printf(&help, "%s, or make an input of one with mx2onnx_set_input_shape: %s=DIMS",
                  m->own ? "give them, too: MXNet keeps auxiliary parameters (aux_params) apart" : "load the file that holds them",
                  m->first);
    const char *advice = has_structural_names(m->params)
                             ? "save symbol and parameters together with export(), or match them by kind, "
                               "shape and order (MX2ONNX_OPTION_STRUCTURAL_NAMES): the file holds the names of save_parameters()"
                         : help.failed ? ""
                                       : help.text;
    if (m->params->count == 0) {
        const int status = mx_fail(m->graph->diags, MX_MISSING_PARAMETER, MX_NOWHERE,
                                   "no parameter file is loaded, but %d parameter%s needed: %s%s" MX_HELP "%s", m->count,
                                   m->count == 1 ? " is" : "s are", names, m->count > SHOWN ? ", ..." : "", advice);
        mx_str_free(&help);
        return status;
    }
    add_strangers(m, &strangers, &advice);
    const int status =
        mx_fail(m->graph->diags, MX_MISSING_PARAMETER, MX_NOWHERE, "%d of %d parameter%s %s missing from %s: %s%s%s" MX_HELP "%s", m->count,
                m->needed, m->needed == 1 ? "" : "s", m->count == 1 ? "is" : "are", where, names, m->count > SHOWN ? ", ..." : "",
                strangers.text ? strangers.text : "", advice);
    mx_str_free(&help);
    mx_str_free(&strangers);
    return status;
}

/* A name that MXNet's layers give to weights. Only for a warning: what is an input follows from the graph. */
static bool is_called_weight(const char *name)
{
    static const char *const ends[] = {"weight", "bias", "gamma", "beta", "moving_mean", "moving_var", "running_mean", "running_var"};
    bool is = false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t length = strlen(name), end = strlen(ends[i]);
        is = is || (mx_ends_with(name, ends[i]) && (length == end || name[length - end - 1] == '_' || name[length - end - 1] == '.'));
    }
    return is;
}

/* A weight that something else than a layer reads (the centres of a margin are normalised) is not recognised by its use. */
static void warn_of_inputs(struct mx_graph *g, const struct mx_params *params, const struct mx_map *choices)
{
    if (has_structural_names(params)) { /* then it is one of those that are missing */
        return;
    }
    for (int i = 0; params->count > 0 && i < g->n_nodes; i++) {
        const struct mx_node *v = g->nodes[i];
        if (mx_is_variable(v) && !v->mark && !v->param && is_called_weight(v->name) && !mx_input_is_chosen(choices, v)) {
            mx_warn(g->diags, mx_at(v, NULL),
                    MX_SUBJECT "is missing from the parameter files, so it becomes an input of the model" MX_HELP
                               "load the file that holds it, or choose an output that does not need it with mx2onnx_add_output");
        }
    }
}

static bool is_shape_of(const struct mx_param *p, const struct mx_input_choice *choice)
{
    bool same = choice->ndim == p->ndim;
    for (int i = 0; same && i < p->ndim; i++) {
        same = !choice->dim_names[i] && (choice->dims[i] < 0 || choice->dims[i] == p->dims[i]);
    }
    return same;
}

/* Another shape for what has a value would be without effect. */
static int check_choices(struct mx_graph *g, const struct mx_map *choices)
{
    int status = MX_OK;
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *v = g->nodes[i];
        const struct mx_input_choice *choice = v->param ? mx_map_get(choices, v->name) : NULL;
        if (choice && choice->ndim >= 0 && !is_shape_of(v->param, choice)) {
            status = mx_fail(g->diags, MX_INVALID_ARGUMENT, mx_at(v, NULL),
                             MX_SUBJECT "is a parameter of another shape, not an input" MX_HELP "do not set its shape");
        }
    }
    return status;
}

/* With structural names, for once, the name says it: cells of an RNN join their weights before a layer reads them. */
static void mark_called_weights(struct mx_graph *g, const struct mx_params *params, const struct mx_map *choices)
{
    const bool structural = has_structural_names(params);
    for (int i = 0; structural && i < g->n_nodes; i++) {
        struct mx_node *v = g->nodes[i];
        v->mark = v->mark || (mx_is_variable(v) && !v->param && is_called_weight(v->name) && !mx_input_is_chosen(choices, v));
    }
}

int mx_graph_check_missing(struct mx_graph *g, const struct mx_params *params, const struct mx_map *choices)
{
    struct missing m = {.graph = g, .params = params};
    MX_TRY(check_choices(g, choices));
    mx_graph_mark_weights(g, choices);
    mark_called_weights(g, params, choices);
    warn_of_inputs(g, params, choices);
    m.own = params->count > 0 && all_own(params);
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *v = g->nodes[i];
        mx_count_work(g->arena->budget, MX_TICK_ITEM);
        m.needed += v->mark || v->param;
        if (v->mark && !v->param && m.count++ < SHOWN) {
            mx_str_printf(&m.names, "%s'%s'", m.count > 1 ? ", " : "", v->name);
            m.first = m.first ? m.first : v->name;
        }
    }
    const int status = m.count > 0 ? fail(&m) : MX_OK;
    mx_str_free(&m.names);
    return status;
}
