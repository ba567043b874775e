/* Parameters that the graph needs and no file holds. */
#include <string.h>

#include "base/str.h"
#include "op/op.h"
#include "pass/pass.h"

enum { AS_WEIGHT = 1, AS_DATA = 2, SHOWN = 8 };

static void mark_uses(struct mx_graph *g)
{
    for (int i = 0; i < g->n_nodes; i++) {
        g->nodes[i]->mark = 0;
    }
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *n = g->nodes[i];
        for (int k = 0; k < n->n_in; k++) {
            const bool weight = n->op && k < 32 && ((n->op->learned | n->op->aux) >> k & 1);
            n->in[k].node->mark |= weight ? AS_WEIGHT : AS_DATA;
        }
    }
}

static bool is_declared(const struct mx_input_choice *choices, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(choices[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

void mx_graph_mark_weights(struct mx_graph *g, const struct mx_input_choice *choices, size_t n_choices)
{
    mark_uses(g);
    for (int i = 0; i < g->n_nodes; i++) {
        struct mx_node *v = g->nodes[i];
        v->mark = mx_is_variable(v) && v->mark == AS_WEIGHT && !is_declared(choices, n_choices, v->name);
    }
}

/* Gluon's save_parameters writes "0.weight" where the symbol says "net_dense0_weight"; nothing in the files maps one to
 * the other (python/mxnet/gluon/block.py, save_parameters). */
static bool has_structural_names(const struct mx_params *params)
{
    for (size_t i = 0; i < params->count; i++) {
        if (params->items[i]->used || !strchr(params->items[i]->name, '.')) {
            return false;
        }
    }
    return params->count > 0;
}

/* Other programs write "module.fc1_weight" where the symbol says "fc1_weight": that array, or NULL. */
static const char *find_prefixed(const struct mx_params *params, const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < params->count; i++) {
        const char *own = params->items[i]->name;
        const size_t before = strlen(own) > length ? strlen(own) - length : 0;
        if (before > 0 && own[before - 1] == '.' && strcmp(own + before, name) == 0) {
            return own;
        }
    }
    return NULL;
}

static int fail(struct mx_graph *g, const struct mx_params *params, const struct mx_str *names, int n, const char *first)
{
    const char *prefixed = find_prefixed(params, first);
    if (prefixed) {
        return mx_fail(g->diags, MX_MISSING_PARAMETER, (struct mx_where){0},
                       "no parameter file holds the parameter '%s', but '%s'; save it without the prefix", first, prefixed);
    }
    const char *advice = has_structural_names(params)
        ? "the file holds the names of save_parameters(); save symbol and parameters together with export()"
        : "load the file that holds them, or give the shape of one to make it an input";
    return mx_fail(g->diags, MX_MISSING_PARAMETER, (struct mx_where){0}, "no parameter file holds %s%s%s; %s",
                   n == 1 ? "the parameter " : "the parameters ", names->failed ? "of the graph" : names->text,
                   n > SHOWN ? ", ..." : "", advice);
}

int mx_graph_check_missing(struct mx_graph *g, const struct mx_params *params, const struct mx_input_choice *choices,
                           size_t n_choices)
{
    struct mx_str names = {0};
    const char *first = NULL;
    int n = 0;
    mx_graph_mark_weights(g, choices, n_choices);
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *v = g->nodes[i];
        if (v->mark && !v->param && n++ < SHOWN) {
            mx_str_printf(&names, "%s'%s'", n > 1 ? ", " : "", v->name);
            first = first ? first : v->name;
        }
    }
    const int status = n > 0 ? fail(g, params, &names, n, first) : MX_OK;
    mx_str_free(&names);
    return status;
}
