/* Gives equal graphs the same order: nodes in the post-order of a walk from the outputs, values as the nodes read and produce them. So
 * the file does not depend on the order of calls to the builder, which C leaves unspecified when two calls are arguments of a third.
 *
 * One walk is through the bodies as well: before a node come those that make its inputs, then what its bodies read from outside. */
#include "base/alloc.h"
#include "base/budget.h"
#include "onnx/pass/pass.h"

/* A node, or a graph with its outputs, whose producers are being placed: first those of the same graph, then those of outer ones. */
struct frame {
    struct ox_node *node; /* NULL: a graph */
    struct ox_graph *graph;
    int next;    /* of its inputs or outputs, which it goes through twice */
    int body;    /* the next one, then */
    int n_nodes; /* of the graph */
};

struct order {
    struct ox_model *m;
    bool *seen; /* by value number: its producer is on the stack or placed */
    struct frame *stack;
    size_t depth, capacity;
};

static int push(struct order *o, struct ox_node *n, struct ox_graph *g)
{
    MX_TRY(mx_grow(o->m->arena.budget, &o->stack, o->depth, &o->capacity, sizeof *o->stack));
    o->stack[o->depth++] = (struct frame){.node = n, .graph = g, .n_nodes = g->n_nodes};
    for (int k = 0; n && k < n->n_out; k++) {
        o->seen[n->out[k]] = true;
    }
    if (!n) {
        g->n_nodes = 0; /* they are placed again */
    }
    return MX_OK;
}

/* The node that makes x, if it has not been placed yet and is in the graph of the frame, or for the second round in another one. */
static struct ox_node *waiting(const struct order *o, const struct frame *f, ox_val x, bool second)
{
    struct ox_node *n = o->seen[x] ? NULL : o->m->values[x].producer; /* OX_NONE has none */
    return n && (n->graph != f->graph) == second ? n : NULL;
}

static int step(struct order *o)
{
    struct frame *f = &o->stack[o->depth - 1];
    struct ox_node *n = f->node;
    const ox_val *list = n ? n->in : f->graph->outputs;
    const int count = n ? n->n_in : f->graph->n_outputs;
    if (f->next < 2 * count) {
        const int k = f->next++;
        struct ox_node *producer = waiting(o, f, list[k % count], k >= count);
        return producer ? push(o, producer, producer->graph) : MX_OK;
    }
    struct ox_graph *body = n ? ox_next_body(n, &f->body) : NULL;
    if (body) {
        return push(o, NULL, body);
    }
    if (n) {
        f->graph->nodes[f->graph->n_nodes++] = n;
    } else {
        MX_ASSERT(f->graph->n_nodes == f->n_nodes);
    }
    o->depth--;
    return MX_OK;
}

static int order_nodes(struct order *o)
{
    MX_TRY(push(o, NULL, &o->m->main));
    while (o->depth > 0) {
        MX_TRY(mx_tick(o->m->arena.budget, MX_TICK_NODE));
        MX_TRY(step(o));
    }
    return MX_OK;
}

/* ---- values */

struct renumber {
    ox_val *number; /* old to new; 0: none yet */
    ox_val next;
};

static void number(struct renumber *r, ox_val x)
{
    if (x > OX_NONE && r->number[x] == OX_NONE) {
        r->number[x] = r->next++;
    }
}

static void number_graph(struct renumber *r, const struct ox_graph *g)
{
    for (int i = 0; i < g->n_inputs; i++) {
        number(r, g->inputs[i]);
    }
    for (int i = 0; i < g->n_nodes; i++) {
        const struct ox_node *n = g->nodes[i];
        for (int k = 0; k < n->n_in; k++) {
            number(r, n->in[k]);
        }
        const struct ox_graph *body;
        for (int at = 0; (body = ox_next_body(n, &at)) != NULL;) {
            number_graph(r, body);
        }
        for (int k = 0; k < n->n_out; k++) {
            number(r, n->out[k]);
        }
    }
}

static void rewrite(const struct renumber *r, ox_val *list, int n)
{
    for (int i = 0; i < n; i++) {
        list[i] = r->number[list[i]]; /* of OX_NONE: OX_NONE */
    }
}

static int rewrite_graph(struct ox_model *m, struct ox_graph *g, void *user)
{
    const struct renumber *r = user;
    rewrite(r, g->inputs, g->n_inputs);
    rewrite(r, g->outputs, g->n_outputs);
    for (int i = 0; i < g->n_nodes; i++) {
        rewrite(r, g->nodes[i]->in, g->nodes[i]->n_in);
        rewrite(r, g->nodes[i]->out, g->nodes[i]->n_out);
    }
    return MX_OK;
}

/* Each value goes to its number, without a second array: they are what a large model has most of. */
static void move_values(struct ox_model *m, ox_val *number)
{
    for (int i = 1; i < m->n_values; i++) {
        while (number[i] != i) {
            const ox_val to = number[i];
            const struct ox_value other = m->values[to];
            m->values[to] = m->values[i];
            m->values[i] = other;
            number[i] = number[to];
            number[to] = to;
        }
    }
}

static int order_values(struct ox_model *m)
{
    const size_t count = (size_t)m->n_values;
    struct mx_budget *budget = m->arena.budget;
    struct renumber r = {.number = mx_budget_array(budget, NULL, 0, count, sizeof(ox_val)), .next = 1};
    MX_TRY_ALLOC(r.number);
    for (int i = 1; i < m->n_values; i++) { /* parameters stay in the order of the symbol */
        if (m->values[i].is_input || (m->values[i].tensor && m->values[i].name)) {
            number(&r, i);
        }
    }
    number_graph(&r, &m->main);
    for (int i = 1; i < m->n_values; i++) {
        number(&r, i); /* dead values */
    }
    const int status = ox_each_graph(m, rewrite_graph, &r);
    move_values(m, r.number);
    mx_budget_array_free(budget, r.number, count, sizeof *r.number);
    return status;
}

int ox_order(struct ox_model *m)
{
    struct order o = {.m = m, .seen = mx_calloc((size_t)m->n_values, sizeof *o.seen)};
    const int status = o.seen ? order_nodes(&o) : MX_OUT_OF_MEMORY;
    mx_free(o.seen);
    mx_budget_array_free(m->arena.budget, o.stack, o.capacity, sizeof *o.stack);
    MX_TRY(status);
    return order_values(m);
}
