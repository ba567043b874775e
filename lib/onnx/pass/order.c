/* Gives equal graphs the same order: nodes in the post-order of a walk from the outputs, values as the nodes read and produce them. So
 * the file does not depend on the order of calls to the builder, which C leaves unspecified when two calls are arguments of a third.
 * Iterative in the length of the graph, recursive in bodies only. */
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "onnx/pass/pass.h"

struct frame {
    struct ox_node *node;
    const ox_val *outer; /* values of its graph that its bodies read */
    int n_outer;
    int next; /* the next input, then the next outer value */
};

struct order {
    struct ox_model *m;
    bool *seen; /* by value number: its producer is on the stack or placed */
    struct frame *stack;
    size_t depth, capacity;
};

/* The node of g that produces x, if it has not been placed yet. */
static struct ox_node *waiting(const struct order *o, const struct ox_graph *g, ox_val x)
{
    if (x <= OX_NONE || o->seen[x]) {
        return NULL;
    }
    const struct ox_value *v = &o->m->values[x];
    return ox_made_in(v, g) ? v->producer : NULL;
}

/* ---- values from outside that bodies read */

struct list {
    ox_val *items;
    size_t count, capacity;
};

static int append(struct list *l, ox_val x)
{
    MX_TRY(mx_grow(NULL, &l->items, l->count, &l->capacity, sizeof *l->items));
    l->items[l->count++] = x;
    return MX_OK;
}

static int append_waiting(const struct order *o, const struct ox_graph *g, ox_val x, struct list *l)
{
    return waiting(o, g, x) ? append(l, x) : MX_OK;
}

static int append_reads(const struct order *o, const struct ox_graph *g, const struct ox_graph *body, struct list *l)
{
    for (int i = 0; i < body->n_nodes; i++) {
        const struct ox_node *n = body->nodes[i];
        for (int k = 0; k < n->n_in; k++) {
            MX_TRY(append_waiting(o, g, n->in[k], l));
        }
        const struct ox_graph *inner;
        for (int at = 0; (inner = ox_next_body(n, &at)) != NULL;) {
            MX_TRY(append_reads(o, g, inner, l));
        }
    }
    for (int i = 0; i < body->n_outputs; i++) {
        MX_TRY(append_waiting(o, g, body->outputs[i], l));
    }
    return MX_OK;
}

/* The values of g that the bodies of its node read and that have not been placed yet. */
static int outer_reads(struct order *o, const struct ox_graph *g, struct frame *f)
{
    struct list l = {0};
    int status = MX_OK;
    const struct ox_graph *body;
    for (int at = 0; status == MX_OK && (body = ox_next_body(f->node, &at)) != NULL;) {
        status = append_reads(o, g, body, &l);
    }
    if (status == MX_OK && l.count > 0) {
        f->outer = mx_arena_copy(&o->m->arena, l.items, l.count, sizeof *l.items);
        f->n_outer = (int)l.count;
        status = f->outer ? MX_OK : MX_OUT_OF_MEMORY;
    }
    mx_free(l.items);
    return status;
}

/* ---- nodes */

static int push(struct order *o, const struct ox_graph *g, struct ox_node *n)
{
    MX_TRY(mx_grow(o->m->arena.budget, &o->stack, o->depth, &o->capacity, sizeof *o->stack));
    struct frame *f = &o->stack[o->depth++];
    *f = (struct frame){.node = n};
    for (int k = 0; k < n->n_out; k++) {
        o->seen[n->out[k]] = true;
    }
    return outer_reads(o, g, f);
}

static int place(struct order *o, struct ox_graph *g, struct ox_node *root, struct ox_node **nodes, int *count)
{
    const size_t bottom = o->depth;
    MX_TRY(push(o, g, root));
    while (o->depth > bottom) {
        struct frame *f = &o->stack[o->depth - 1];
        MX_TRY(mx_tick(o->m->arena.budget, MX_TICK_NODE));
        if (f->next == f->node->n_in + f->n_outer) {
            nodes[(*count)++] = f->node;
            o->depth--;
            continue;
        }
        const int k = f->next++;
        const ox_val x = k < f->node->n_in ? f->node->in[k] : f->outer[k - f->node->n_in];
        struct ox_node *producer = waiting(o, g, x);
        MX_TRY(producer ? push(o, g, producer) : MX_OK);
    }
    return MX_OK;
}

static int place_outputs(struct order *o, struct ox_graph *g, struct ox_node **nodes)
{
    int count = 0;
    for (int i = 0; i < g->n_outputs; i++) {
        struct ox_node *producer = waiting(o, g, g->outputs[i]);
        MX_TRY(producer ? place(o, g, producer, nodes, &count) : MX_OK);
    }
    MX_ASSERT(count == g->n_nodes);
    memcpy(g->nodes, nodes, (size_t)count * sizeof *nodes);
    return MX_OK;
}

static int order_nodes(struct order *o, struct ox_graph *g)
{
    if (g->n_nodes == 0) {
        return MX_OK;
    }
    for (int i = 0; i < g->n_nodes; i++) { /* bodies first, so that the values they read come in their order */
        struct ox_graph *body;
        for (int at = 0; (body = ox_next_body(g->nodes[i], &at)) != NULL;) {
            MX_TRY(order_nodes(o, body));
        }
    }
    const size_t n = (size_t)g->n_nodes;
    struct ox_node **nodes = mx_budget_array(o->m->arena.budget, NULL, 0, n, sizeof *nodes);
    MX_TRY_ALLOC(nodes);
    const int status = place_outputs(o, g, nodes);
    mx_budget_array_free(o->m->arena.budget, nodes, n, sizeof *nodes);
    return status;
}

/* ---- values */

struct renumber {
    struct ox_model *m;
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
        list[i] = list[i] > OX_NONE ? r->number[list[i]] : list[i];
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
    struct renumber r = {.m = m, .number = mx_budget_array(budget, NULL, 0, count, sizeof(ox_val)), .next = 1};
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
    const int status = o.seen ? order_nodes(&o, &m->main) : MX_OUT_OF_MEMORY;
    mx_free(o.seen);
    mx_budget_array_free(m->arena.budget, o.stack, o.capacity, sizeof *o.stack);
    MX_TRY(status);
    return order_values(m);
}
