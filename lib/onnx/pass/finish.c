/* After lowering: heads become separate outputs, and everything that nothing reads is removed. Linear in nodes and edges. */
#include "base/budget.h"
#include "onnx/pass/pass.h"

/* ---- heads */

static int identity(struct ox_model *m, ox_val x, ox_val *out)
{
    const struct ox_value v = m->values[x];
    const enum mx_dtype t = v.dtype;
    const struct ox_node like = {.op = OX_Identity, .from = v.producer ? v.producer->from : NULL, .in = &x, .n_in = 1, .n_out = 1};
    const struct ox_node *n = ox_add_node(m, &m->main, &like, &t, &v.shape);
    MX_TRY_ALLOC(n);
    *out = n->out[0];
    return MX_OK;
}

/* A value that cannot have the head's name exclusively gets an Identity after it. */
static int settle_heads(struct ox_model *m)
{
    struct ox_graph *g = &m->main;
    for (int i = 0; i < g->n_outputs; i++) {
        m->values[g->outputs[i]].is_output = false;
    }
    for (int i = 0; i < g->n_outputs; i++) {
        const struct ox_value *v = &m->values[g->outputs[i]];
        if (!v->producer || v->is_output) {
            MX_TRY(identity(m, g->outputs[i], &g->outputs[i]));
        }
        m->values[g->outputs[i]].is_output = true;
    }
    return MX_OK;
}

/* ---- values that are read */

static int kill_nodes(struct ox_model *m, struct ox_graph *g, void *user)
{
    for (int i = 0; i < g->n_nodes; i++) {
        g->nodes[i]->dead = true;
    }
    return MX_OK;
}

/* Nodes found alive whose inputs are still to be followed. */
struct alive {
    struct ox_model *m;
    struct ox_node **items;
    size_t count, capacity;
};

static int use(struct alive *l, ox_val x)
{
    if (x <= OX_NONE) {
        return MX_OK;
    }
    struct ox_value *v = &l->m->values[x];
    v->uses++;
    if (!v->producer || !v->producer->dead) {
        return MX_OK;
    }
    MX_TRY(mx_grow(l->m->arena.budget, &l->items, l->count, &l->capacity, sizeof(struct ox_node *)));
    v->producer->dead = false;
    l->items[l->count++] = v->producer;
    return MX_OK;
}

/* A body needs whatever its outputs are computed from, inside and outside of it. */
static int use_body(struct alive *l, const struct ox_graph *body)
{
    for (int i = 0; i < body->n_inputs; i++) {
        l->m->values[body->inputs[i]].dead = false;
    }
    for (int i = 0; i < body->n_outputs; i++) {
        l->m->values[body->outputs[i]].is_output = true;
        MX_TRY(use(l, body->outputs[i]));
    }
    return MX_OK;
}

static int follow(struct alive *l, const struct ox_node *n)
{
    for (int k = 0; k < n->n_out; k++) {
        l->m->values[n->out[k]].dead = false;
    }
    for (int k = 0; k < n->n_in; k++) {
        MX_TRY(use(l, n->in[k]));
    }
    const struct ox_graph *body;
    for (int at = 0; (body = ox_next_body(n, &at)) != NULL;) {
        MX_TRY(use_body(l, body));
    }
    return MX_OK;
}

static int mark(struct alive *l)
{
    const struct ox_graph *g = &l->m->main;
    for (int i = 0; i < l->m->n_values; i++) {
        l->m->values[i].uses = 0;
        l->m->values[i].dead = true;
    }
    for (int i = 0; i < g->n_inputs; i++) {
        l->m->values[g->inputs[i]].dead = false; /* the model's interface, read or not */
    }
    for (int i = 0; i < g->n_outputs; i++) {
        MX_TRY(use(l, g->outputs[i]));
    }
    while (l->count > 0) {
        MX_TRY(mx_tick(l->m->arena.budget, MX_TICK_NODE));
        MX_TRY(follow(l, l->items[--l->count]));
    }
    for (int i = 0; i < l->m->n_values; i++) {
        struct ox_value *v = &l->m->values[i];
        v->dead = v->dead && v->uses == 0;
    }
    return MX_OK;
}

int ox_count_reads(struct ox_model *m)
{
    struct alive l = {.m = m};
    MX_TRY(ox_each_graph(m, kill_nodes, NULL));
    const int status = mark(&l);
    mx_budget_array_free(m->arena.budget, l.items, l.capacity, sizeof(struct ox_node *));
    if (status == MX_OK) {
        ox_drop_dead(m);
    }
    return status;
}

int ox_finish(struct ox_model *m)
{
    MX_TRY(settle_heads(m));
    return ox_count_reads(m);
}
