/* The invariants of a graph after canon. */
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

int mx_graph_check(const struct mx_graph *g)
{
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *n = g->nodes[i];
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_VALUE));
        if (n->id != i) {
            return broken(g, n, "a node's id is not its position");
        }
        if (n->n_out < 1 || !n->out) {
            return broken(g, n, "a node has no output");
        }
        for (int k = 0; k < n->n_in; k++) {
            MX_TRY(check_entry(g, n, n->in[k], i));
        }
    }
    for (int i = 0; i < g->n_heads; i++) {
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_ITEM));
        MX_TRY(check_entry(g, g->heads[i].node, g->heads[i], g->n_nodes));
    }
    return MX_OK;
}
