/* Adds values and nodes, walks bodies, and removes dead nodes. */
#include <limits.h>
#include <string.h>

#include "base/budget.h"
#include "graph/graph.h"
#include "onnx/ir/ir.h"

ox_val ox_add_value(struct ox_model *m, enum mx_dtype t, struct mx_shape s)
{
    if (m->n_values == INT_MAX || mx_grow(m->arena.budget, &m->values, (size_t)m->n_values, &m->cap_values, sizeof *m->values) != MX_OK) {
        return OX_NONE;
    }
    m->values[m->n_values] = (struct ox_value){.dtype = t, .shape = s};
    return m->n_values++;
}

int ox_grow_list(struct ox_model *m, void *list, int count, int *capacity, size_t size)
{
    if (count < *capacity) {
        return MX_OK;
    }
    const int wanted = *capacity ? 2 * *capacity : 4;
    void *items; /* a copy, since `list` points to a pointer of another type */
    void *grown = mx_arena_alloc(&m->arena, (size_t)wanted, size);
    MX_TRY_ALLOC(grown);
    memcpy(&items, list, sizeof items);
    if (count > 0) {
        memcpy(grown, items, (size_t)count * size);
    }
    memcpy(list, &grown, sizeof grown);
    *capacity = wanted;
    return MX_OK;
}

int ox_push_node(struct ox_model *m, struct ox_graph *g, struct ox_node *n)
{
    MX_TRY(ox_grow_list(m, &g->nodes, g->n_nodes, &g->cap_nodes, sizeof *g->nodes));
    n->graph = g;
    g->nodes[g->n_nodes++] = n;
    return MX_OK;
}

struct ox_node *ox_add_node(struct ox_model *m, struct ox_graph *g, const struct ox_node *like, const enum mx_dtype *types,
                            const struct mx_shape *shapes)
{
    struct ox_node *n = mx_arena_copy(&m->arena, like, 1, sizeof *like);
    /* Inputs and outputs share an allocation. */
    ox_val *ends = MX_ARENA_ARRAY(&m->arena, ox_val, (size_t)like->n_in + (size_t)like->n_out);
    if (!n || !ends || ox_push_node(m, g, n) != MX_OK) {
        return NULL;
    }
    if (n->n_in > 0) {
        memcpy(ends, like->in, (size_t)n->n_in * sizeof *ends);
    }
    n->in = ends;
    n->out = ends + n->n_in;
    for (n->n_out = 0; n->n_out < like->n_out; n->n_out++) {
        const ox_val x = ox_add_value(m, types[n->n_out], shapes[n->n_out]);
        if (x == OX_NONE) {
            return NULL;
        }
        m->values[x].producer = n;
        ends[n->n_in + n->n_out] = x;
    }
    return n;
}

static void unread(struct ox_model *m, const struct ox_node *n)
{
    for (int i = 0; i < n->n_in; i++) {
        struct ox_value *v = &m->values[n->in[i]];
        v->dead = --v->uses == 0 && !v->is_output && !v->is_input;
    }
}

int ox_set_inputs(struct ox_model *m, struct ox_node *n, const ox_val *in, int n_in)
{
    ox_val *own = mx_arena_copy(&m->arena, in, (size_t)n_in, sizeof *in);
    MX_TRY_ALLOC(own);
    for (int i = 0; i < n_in; i++) {
        m->values[in[i]].uses++;
        m->values[in[i]].dead = false;
    }
    unread(m, n);
    n->in = own;
    n->n_in = n_in;
    return MX_OK;
}

int ox_set_result(struct ox_model *m, struct ox_node *n, ox_val x)
{
    ox_val *own = mx_arena_copy(&m->arena, &x, 1, sizeof x);
    MX_TRY_ALLOC(own);
    n->out = own;
    n->n_out = 1;
    m->values[x].producer = n;
    return MX_OK;
}

void ox_remove_node(struct ox_model *m, struct ox_node *n)
{
    unread(m, n);
    n->dead = true;
}

struct ox_graph *ox_next_body(const struct ox_node *n, int *at)
{
    while (n->attrs && n->attrs[*at].kind != OX_A_END) {
        const struct ox_attr *a = &n->attrs[(*at)++];
        if (a->kind == OX_A_GRAPH) {
            return a->graph;
        }
    }
    return NULL;
}

static int each_graph(struct ox_model *m, struct ox_graph *g, ox_graph_fn *fn, void *user)
{
    struct ox_graph *body;
    MX_TRY(fn(m, g, user));
    for (int i = 0; i < g->n_nodes; i++) {
        for (int at = 0; (body = ox_next_body(g->nodes[i], &at)) != NULL;) {
            MX_TRY(each_graph(m, body, fn, user));
        }
    }
    return MX_OK;
}

int ox_each_graph(struct ox_model *m, ox_graph_fn *fn, void *user)
{
    return each_graph(m, &m->main, fn, user);
}

static int drop_dead(struct ox_model *m, struct ox_graph *g, void *user)
{
    int kept = 0;
    for (int i = 0; i < g->n_nodes; i++) {
        if (!g->nodes[i]->dead) {
            g->nodes[kept++] = g->nodes[i];
        }
    }
    g->n_nodes = kept;
    return MX_OK;
}

void ox_drop_dead(struct ox_model *m)
{
    (void)ox_each_graph(m, drop_dead, NULL);
}

int ox_result(struct ox_model *m, ox_val v, const struct mx_node *n, int index)
{
    struct ox_value *value = &m->values[v];
    struct ox_node *producer = value->producer;
    if (n->name[0] == '\0') { /* of a body; of others, canon invents one */
        return MX_OK;
    }
    if (producer && producer->from == n && index == 0) {
        producer->name = n->name;
    }
    if (!value->name) {
        value->name = n->n_out == 1 ? n->name : mx_arena_printf(&m->arena, "%s%d", n->name, index);
        MX_TRY_ALLOC(value->name);
        value->folded = value->tensor != NULL;
    }
    return MX_OK;
}
