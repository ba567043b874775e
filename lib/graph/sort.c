/* Topological order, the same as that of nnvm's post-order depth-first visit from the heads (nnvm/include/nnvm/graph.h, DFSVisit). It
 * also determines the order of the model's inputs. */
#include "base/budget.h"
#include "graph/graph.h"

enum { UNSEEN = 0, OPEN = 1, DONE = 2 };

struct frame {
    struct mx_node *node;
    int next; /* the next input to visit */
};

static int visit(struct mx_graph *g, struct mx_node *root, struct frame *stack, struct mx_node **order, int *n)
{
    if (root->mark == DONE) {
        return MX_OK;
    }
    int depth = 0;
    stack[depth++] = (struct frame){root, 0};
    root->mark = OPEN;
    while (depth > 0) {
        struct frame *top = &stack[depth - 1];
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_NODE));
        if (top->next == top->node->n_in) {
            top->node->mark = DONE;
            order[(*n)++] = top->node;
            depth--;
            continue;
        }
        struct mx_node *input = top->node->in[top->next++].node;
        if (input->mark == OPEN) {
            return mx_fail(g->diags, MX_FORMAT, mx_at(input, NULL),
                           "the graph has a cycle through this node" MX_HELP
                           "save the symbol again: the file is damaged or was changed by hand");
        }
        if (input->mark == UNSEEN) {
            input->mark = OPEN;
            stack[depth++] = (struct frame){input, 0};
        }
    }
    return MX_OK;
}

static int visit_heads(struct mx_graph *g, struct frame *stack, struct mx_node **order)
{
    int n = 0;
    for (int i = 0; i < g->n_nodes; i++) {
        g->nodes[i]->mark = UNSEEN;
    }
    for (int i = 0; i < g->n_heads; i++) {
        MX_TRY(visit(g, g->heads[i].node, stack, order, &n));
    }
    for (int i = 0; i < n; i++) { /* never more than before */
        g->nodes[i] = order[i];
        order[i]->id = i;
    }
    g->n_nodes = n;
    return MX_OK;
}

int mx_graph_sort(struct mx_graph *g)
{
    const size_t count = (size_t)g->n_nodes;
    struct mx_budget *budget = g->arena->budget;
    struct frame *stack = mx_budget_array(budget, NULL, 0, count, sizeof *stack); /* a node is on it at most once */
    struct mx_node **order = mx_budget_array(budget, NULL, 0, count, sizeof(struct mx_node *));
    const int status = stack && order ? visit_heads(g, stack, order) : MX_OUT_OF_MEMORY;
    mx_budget_array_free(budget, stack, count, sizeof *stack);
    mx_budget_array_free(budget, order, count, sizeof(struct mx_node *));
    return status;
}
