/* What holds of a graph after a pass. */
#include "graph/graph.h"

#include "base/budget.h"

/* Not by a file: the reader refuses such references, and canon keeps the order. */
static int broken(const struct mx_graph *g, const struct mx_node *n, const char *what)
{
    return mx_fail(g->diags, MX_INTERNAL, mx_at(n, NULL), "graph invariant: %s", what);
}

static int check_entry(const struct mx_graph *g, const struct mx_node *reader, struct mx_entry e, int before)
{
    if (e.node->id < 0 || e.node->id >= before || g->nodes[e.node->id] != e.node) {
        return broken(g, reader, "an input comes from a later or foreign node");
    }
    if (e.index < 0 || e.index >= e.node->n_out) {
        return broken(g, reader, "an output index is out of range");
    }
    return MX_OK;
}

static int check_order(const struct mx_graph *g, int i)
{
    const struct mx_node *n = g->nodes[i];
    if (n->id != i) {
        return broken(g, n, "a node's id is not its position");
    }
    if (n->n_out < 1 || !n->out) {
        return broken(g, n, "a node has no output");
    }
    for (int k = 0; k < n->n_in; k++) {
        MX_TRY(check_entry(g, n, n->in[k], i));
    }
    return MX_OK;
}

static int check_types(const struct mx_graph *g, const struct mx_node *n)
{
    for (int k = 0; k < n->n_out; k++) {
        if (n->out[k].dtype == MX_DTYPE_NONE) {
            return broken(g, n, "an output has no element type");
        }
    }
    return MX_OK;
}

int mx_graph_check(const struct mx_graph *g, bool typed)
{
    for (int i = 0; i < g->n_nodes; i++) {
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_VALUE));
        MX_TRY(check_order(g, i));
        if (typed) {
            MX_TRY(check_types(g, g->nodes[i]));
        }
    }
    for (int i = 0; i < g->n_heads; i++) {
        MX_TRY(check_entry(g, g->heads[i].node, g->heads[i], g->n_nodes));
    }
    return MX_OK;
}
