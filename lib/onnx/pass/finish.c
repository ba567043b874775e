/* Between lowering and names: equal small constants become one, heads become outputs of their own, and what nothing
 * reads goes. Linear in nodes and edges. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/str.h"
#include "onnx/tensor/bytes.h"
#include "onnx/write/write.h"

enum {
    SMALL = 256, /* bytes of a constant that is compared */
    DEPTH = 64,  /* of bodies in bodies */
};

/* ---- equal constants */

/* What two constants must have in common, as text; empty if this one is not to be merged: one with a name is a
 * parameter, and data in a file is never looked at. */
static int constant_key(const struct ox_value *v, struct mx_str *key)
{
    const struct ox_tensor *t = v->tensor;
    uint8_t bytes[SMALL];
    size_t size = 0;
    mx_str_clear(key);
    if (!t || v->name || !ox_tensor_in_memory(t)) {
        return MX_OK;
    }
    const bool fill = !t->base && t->n_pieces == 1 && t->pieces[0].kind == OX_PIECE_FILL;
    if (fill) {
        size = mx_dtype_size(t->dtype);
        memcpy(bytes, t->pieces[0].bytes, size);
    } else if (ox_tensor_bytes(t) <= sizeof bytes) {
        size = (size_t)ox_tensor_bytes(t);
        MX_TRY(ox_tensor_read(t, bytes));
    } else {
        return MX_OK;
    }
    mx_str_printf(key, "%s%d", fill ? "fill " : "", (int)t->dtype);
    for (int i = 0; i < t->ndim; i++) {
        mx_str_printf(key, ",%lld", (long long)t->dims[i]);
    }
    mx_str_append(key, ":");
    for (size_t i = 0; i < size; i++) {
        mx_str_printf(key, "%02x", bytes[i]);
    }
    return key->failed ? MX_OUT_OF_MEMORY : MX_OK;
}

/* same[v]: the first constant that equals v, or v. The map's values are value numbers as offsets into `same`. */
static int find_equal(struct ox_model *m, struct mx_map *seen, ox_val *same, bool *any)
{
    struct mx_str key = {0};
    int status = MX_OK;
    for (int i = 0; i < m->n_values && status == MX_OK; i++) {
        same[i] = i;
        status = constant_key(&m->values[i], &key);
        if (status != MX_OK || key.length == 0) {
            continue;
        }
        const ox_val *first = mx_map_get(seen, key.text);
        if (first) {
            same[i] = *first;
            *any = true;
            continue;
        }
        const char *copy = mx_arena_strdup(&m->arena, key.text);
        status = copy ? mx_map_set(seen, copy, &same[i]) : MX_OUT_OF_MEMORY;
    }
    mx_str_free(&key);
    return status;
}

static int replace_in(struct ox_model *m, struct ox_graph *g, const ox_val *same)
{
    for (int i = 0; i < g->n_nodes; i++) {
        struct ox_node *n = g->nodes[i];
        ox_val *copy = NULL;
        for (int k = 0; k < n->n_in; k++) {
            const ox_val x = n->in[k];
            if (x <= OX_NONE || same[x] == x) {
                continue;
            }
            if (!copy) {
                copy = mx_arena_copy(&m->arena, n->in, (size_t)n->n_in, sizeof *copy);
                MX_TRY_ALLOC(copy);
                n->in = copy;
            }
            copy[k] = same[x];
        }
        for (const struct ox_attr *a = n->attrs; a && a->kind != OX_A_END; a++) {
            if (a->kind == OX_A_GRAPH) {
                /* Attributes are constant to the builder's callers; the graph itself is the export's. */
                MX_TRY(replace_in(m, (struct ox_graph *)(uintptr_t)a->v, same));
            }
        }
    }
    for (int i = 0; i < g->n_outputs; i++) {
        g->outputs[i] = same[g->outputs[i]];
    }
    return MX_OK;
}

static int merge_constants(struct ox_model *m)
{
    struct mx_map seen = {0};
    bool any = false;
    ox_val *same = mx_calloc((size_t)(m->n_values > 0 ? m->n_values : 1), sizeof *same);
    MX_TRY_ALLOC(same);
    int status = find_equal(m, &seen, same, &any);
    if (status == MX_OK && any) {
        status = replace_in(m, &m->main, same);
    }
    mx_map_free(&seen);
    mx_free(same);
    return status;
}

/* ---- heads */

int ox_model_add_value(struct ox_model *m, ox_val *out)
{
    if (m->n_values == m->cap_values) {
        const int capacity = m->cap_values < 64 ? 64 : 2 * m->cap_values;
        struct ox_value *values = mx_realloc(m->values, (size_t)capacity, sizeof *values);
        MX_TRY_ALLOC(values);
        m->values = values;
        m->cap_values = capacity;
    }
    m->values[m->n_values] = (struct ox_value){.dtype = MX_DTYPE_NONE};
    *out = m->n_values++;
    return MX_OK;
}

int ox_model_add_node(struct ox_model *m, struct ox_node *n)
{
    struct ox_graph *g = &m->main;
    if (g->n_nodes == g->cap_nodes) {
        const int capacity = g->cap_nodes < 16 ? 16 : 2 * g->cap_nodes;
        struct ox_node **nodes = MX_ARENA_ARRAY(&m->arena, struct ox_node *, (size_t)capacity);
        MX_TRY_ALLOC(nodes);
        if (g->n_nodes > 0) {
            memcpy(nodes, g->nodes, (size_t)g->n_nodes * sizeof *nodes);
        }
        g->nodes = nodes;
        g->cap_nodes = capacity;
    }
    g->nodes[g->n_nodes++] = n;
    return MX_OK;
}

static int identity(struct ox_model *m, ox_val x, ox_val *out)
{
    struct ox_node *n = MX_ARENA_NEW(&m->arena, struct ox_node);
    ox_val *ends = MX_ARENA_ARRAY(&m->arena, ox_val, 2);
    MX_TRY_ALLOC(n && ends);
    MX_TRY(ox_model_add_value(m, out));
    ends[0] = x;
    ends[1] = *out;
    *n = (struct ox_node){.op = OX_Identity, .in = ends, .n_in = 1, .out = ends + 1, .n_out = 1};
    n->from = m->values[x].producer ? m->values[x].producer->from : NULL;
    m->values[*out].dtype = m->values[x].dtype;
    m->values[*out].shape = m->values[x].shape;
    m->values[*out].producer = n;
    m->values[*out].graph = &m->main;
    return ox_model_add_node(m, n);
}

/* A value that cannot carry a head's name for itself alone gets an Identity behind it. */
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

/* ---- what is read */

static void kill_all(struct ox_graph *g, int depth)
{
    for (int i = 0; i < g->n_nodes; i++) {
        g->nodes[i]->dead = true;
        for (const struct ox_attr *a = g->nodes[i]->attrs; a && a->kind != OX_A_END; a++) {
            if (a->kind == OX_A_GRAPH && depth > 0) {
                kill_all((struct ox_graph *)(uintptr_t)a->v, depth - 1);
            }
        }
    }
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
    if (l->count == l->capacity) {
        const size_t capacity = l->capacity ? 2 * l->capacity : 256;
        struct ox_node **items = mx_realloc(l->items, capacity, sizeof *items);
        MX_TRY_ALLOC(items);
        l->items = items;
        l->capacity = capacity;
    }
    v->producer->dead = false;
    l->items[l->count++] = v->producer;
    return MX_OK;
}

/* A body needs what makes its outputs, inside and outside of it. */
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
    for (const struct ox_attr *a = n->attrs; a && a->kind != OX_A_END; a++) {
        if (a->kind == OX_A_GRAPH) {
            MX_TRY(use_body(l, a->v));
        }
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
        MX_TRY(follow(l, l->items[--l->count]));
    }
    for (int i = 0; i < l->m->n_values; i++) {
        struct ox_value *v = &l->m->values[i];
        v->dead = v->dead && v->uses == 0;
    }
    return MX_OK;
}

static void drop_dead(struct ox_graph *g, int depth)
{
    int kept = 0;
    for (int i = 0; i < g->n_nodes; i++) {
        struct ox_node *n = g->nodes[i];
        if (n->dead) {
            continue;
        }
        g->nodes[kept++] = n;
        for (const struct ox_attr *a = n->attrs; a && a->kind != OX_A_END; a++) {
            if (a->kind == OX_A_GRAPH && depth > 0) {
                drop_dead((struct ox_graph *)(uintptr_t)a->v, depth - 1);
            }
        }
    }
    g->n_nodes = kept;
}

void ox_drop_dead(struct ox_model *m)
{
    drop_dead(&m->main, DEPTH);
}

int ox_finish(struct ox_model *m)
{
    MX_TRY(merge_constants(m));
    MX_TRY(settle_heads(m));
    struct alive l = {.m = m};
    kill_all(&m->main, DEPTH);
    const int status = mark(&l);
    mx_free(l.items);
    if (status == MX_OK) {
        ox_drop_dead(m);
    }
    return status;
}
