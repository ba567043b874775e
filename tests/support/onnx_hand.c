#include "onnx_hand.h"

#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/num.h"

bool hand_begin(struct hand *h, int opset)
{
    *h = (struct hand){0};
    h->m.opset = opset;
    h->m.ir_version = 8;
    h->m.dims = mx_dims_new(&h->dims_arena);
    return h->m.dims && hand_value(h, NULL, MX_DTYPE_NONE, MX_SHAPE_UNKNOWN) == OX_NONE && h->m.n_values == 1;
}

void hand_end(struct hand *h)
{
    mx_free(h->m.values);
    if (h->m.dims) {
        mx_dims_free(h->m.dims);
    }
    mx_arena_free(&h->m.arena);
    mx_arena_free(&h->dims_arena);
}

struct mx_shape hand_shape(struct hand *h, int ndim, const int64_t *dims)
{
    static const mx_dim none;
    if (ndim == 0) {
        return (struct mx_shape){0, &none};
    }
    mx_dim *copy = MX_ARENA_ARRAY(&h->m.arena, mx_dim, (size_t)ndim);
    for (int i = 0; copy && i < ndim; i++) {
        copy[i] = mx_dim_of(dims[i]);
    }
    return copy ? (struct mx_shape){ndim, copy} : MX_SHAPE_UNKNOWN;
}

struct mx_shape hand_shape_texts(struct hand *h, int ndim, const char *const *dims)
{
    mx_dim *copy = MX_ARENA_ARRAY(&h->m.arena, mx_dim, (size_t)ndim);
    for (int i = 0; copy && i < ndim; i++) {
        int64_t size;
        if (mx_parse_int(dims[i], &size)) {
            copy[i] = mx_dim_of(size);
        } else {
            copy[i] = strcmp(dims[i], "?") == 0 ? mx_dim_unknown(h->m.dims) : mx_dim_named(h->m.dims, dims[i]);
        }
    }
    return copy ? (struct mx_shape){ndim, copy} : MX_SHAPE_UNKNOWN;
}

ox_val hand_value(struct hand *h, const char *name, enum mx_dtype t, struct mx_shape s)
{
    struct ox_model *m = &h->m;
    if (mx_grow(NULL, &m->values, (size_t)m->n_values, &m->cap_values, sizeof *m->values) != MX_OK) {
        return OX_NONE;
    }
    m->values[m->n_values] = (struct ox_value){.dtype = t, .shape = s, .name = name};
    return m->n_values++;
}

static void push(struct mx_arena *arena, ox_val **list, int *count, ox_val v)
{
    ox_val *copy = MX_ARENA_ARRAY(arena, ox_val, (size_t)*count + 1);
    if (!copy) {
        return;
    }
    if (*count > 0) {
        memcpy(copy, *list, (size_t)*count * sizeof *copy);
    }
    copy[(*count)++] = v;
    *list = copy;
}

ox_val hand_input(struct hand *h, const char *name, enum mx_dtype t, struct mx_shape s)
{
    const ox_val v = hand_value(h, name, t, s);
    h->m.values[v].is_input = true;
    push(&h->m.arena, &h->m.main.inputs, &h->m.main.n_inputs, v);
    return v;
}

ox_val hand_tensor(struct hand *h, const char *name, struct ox_tensor t)
{
    const ox_val v = hand_value(h, name, t.dtype, hand_shape(h, t.ndim, t.dims));
    h->m.values[v].tensor = mx_arena_copy(&h->m.arena, &t, 1, sizeof t);
    return v;
}

ox_val hand_const(struct hand *h, const char *name, enum mx_dtype t, int ndim, const int64_t *dims, const void *data)
{
    struct ox_tensor tensor = {.dtype = t, .ndim = ndim, .n_pieces = 1};
    if (ndim > 0) {
        tensor.dims = mx_arena_copy(&h->m.arena, dims, (size_t)ndim, sizeof *dims);
    }
    const size_t bytes = (size_t)ox_tensor_bytes(&tensor);
    struct ox_piece piece = {.kind = OX_PIECE_BYTES, .length = bytes};
    piece.bytes = mx_arena_copy(&h->m.arena, data, bytes, 1);
    tensor.pieces = mx_arena_copy(&h->m.arena, &piece, 1, sizeof piece);
    return hand_tensor(h, name, tensor);
}

static const struct ox_foreign thing = {NULL, "Thing"};

struct ox_node *hand_node(struct hand *h, struct ox_graph *g, enum ox_op op, int n_in, const ox_val *in, const struct ox_attr *attrs,
                          enum mx_dtype t, struct mx_shape s, int n_out, ox_val *out)
{
    struct mx_arena *arena = &h->m.arena;
    struct ox_node *n = MX_ARENA_NEW(arena, struct ox_node);
    ox_val *outputs = MX_ARENA_ARRAY(arena, ox_val, (size_t)n_out);
    struct ox_node **nodes = MX_ARENA_ARRAY(arena, struct ox_node *, (size_t)g->n_nodes + 1);
    int n_attrs = 0;
    while (attrs && attrs[n_attrs].kind != OX_A_END) {
        n_attrs++;
    }
    for (int i = 0; i < n_out; i++) {
        outputs[i] = out[i] = hand_value(h, NULL, t, s);
        h->m.values[out[i]].producer = n;
    }
    *n = (struct ox_node){.op = op, .foreign = op == OX_FOREIGN ? &thing : NULL, .graph = g, .n_in = n_in, .out = outputs, .n_out = n_out};
    n->in = n_in > 0 ? mx_arena_copy(arena, in, (size_t)n_in, sizeof *in) : NULL;
    n->attrs = attrs ? mx_arena_copy(arena, attrs, (size_t)n_attrs + 1, sizeof *attrs) : NULL;
    if (g->n_nodes > 0) {
        memcpy(nodes, g->nodes, (size_t)g->n_nodes * sizeof *nodes);
    }
    nodes[g->n_nodes++] = n;
    g->nodes = nodes;
    g->cap_nodes = g->n_nodes;
    return n;
}

void hand_output(struct hand *h, ox_val v, const char *name)
{
    struct ox_graph *g = &h->m.main;
    const char **names = MX_ARENA_ARRAY(&h->m.arena, const char *, (size_t)g->n_outputs + 1);
    if (g->n_outputs > 0) {
        memcpy(names, g->output_names, (size_t)g->n_outputs * sizeof *names);
    }
    names[g->n_outputs] = name;
    g->output_names = names;
    push(&h->m.arena, &g->outputs, &g->n_outputs, v);
    h->m.values[v].is_output = true;
}

struct ox_graph *hand_body(struct hand *h, const char *name)
{
    struct ox_graph *g = MX_ARENA_NEW(&h->m.arena, struct ox_graph);
    g->name = name;
    g->outer = &h->m.main;
    return g;
}

void hand_body_input(struct hand *h, struct ox_graph *g, ox_val v)
{
    push(&h->m.arena, &g->inputs, &g->n_inputs, v);
}

void hand_body_output(struct hand *h, struct ox_graph *g, ox_val v)
{
    push(&h->m.arena, &g->outputs, &g->n_outputs, v);
}
