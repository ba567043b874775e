#include "onnx/pass/rewrite.h"

#include "base/alloc.h"
#include "base/budget.h"
#include "graph/graph.h"
#include "onnx/tensor/bytes.h"

int ox_with_builder(struct ox_model *m, ox_builder_fn *fn, void *user)
{
    struct ox_build *b = mx_calloc(1, sizeof *b);
    MX_TRY_ALLOC(b);
    int status = ox_build_init(b, m, m->diags);
    if (status == MX_OK) {
        status = fn(b, user);
        ox_build_free(b);
    }
    mx_free(b);
    return status;
}

struct rewriting {
    ox_rewrite_fn *rewrite;
    void *user;
};

static int rewrite_all(struct ox_build *b, void *user)
{
    const struct rewriting *r = user;
    const struct ox_graph *g = &b->model->main;
    const int n = g->n_nodes;
    bool changed = false;
    for (int i = 0; i < n; i++) {
        MX_TRY(mx_tick(b->model->arena.budget, MX_TICK_NODE));
        MX_TRY(r->rewrite(b, g->nodes[i], r->user, &changed));
    }
    return changed ? ox_count_reads(b->model) : MX_OK;
}

int ox_rewrite_nodes(struct ox_model *m, ox_rewrite_fn *rewrite, void *user)
{
    return ox_with_builder(m, rewrite_all, &(struct rewriting){rewrite, user});
}

/* nodes: in the order of their first inputs; end: indexed by value, where its nodes end there */
static int find_siblings(struct ox_model *m, ox_is_fn *is, struct ox_node **nodes, int *end)
{
    const struct ox_graph *g = &m->main;
    for (int i = 0; i < g->n_nodes; i++) {
        MX_TRY(mx_tick(m->arena.budget, MX_TICK_ITEM));
        if (is(m, g->nodes[i])) {
            end[g->nodes[i]->in[0] + 1]++;
        }
    }
    for (int x = 1; x < m->n_values; x++) {
        end[x] += end[x - 1];
    }
    for (int i = 0; i < g->n_nodes; i++) {
        if (is(m, g->nodes[i])) {
            nodes[end[g->nodes[i]->in[0]]++] = g->nodes[i];
        }
    }
    return MX_OK;
}

int ox_each_siblings(struct ox_model *m, ox_is_fn *is, ox_siblings_fn *fn, void *user)
{
    struct mx_budget *budget = m->arena.budget;
    const int n_values = m->n_values;
    const size_t n_ends = (size_t)n_values + 1, n_nodes = (size_t)m->main.n_nodes + 1;
    int *end = mx_budget_array(budget, NULL, 0, n_ends, sizeof *end);
    struct ox_node **nodes = mx_budget_array(budget, NULL, 0, n_nodes, sizeof *nodes);
    int status = end && nodes ? find_siblings(m, is, nodes, end) : MX_OUT_OF_MEMORY;
    for (int x = 1; x < n_values && status == MX_OK; x++) {
        const int n = end[x] - end[x - 1];
        status = mx_tick(budget, MX_TICK_NODE);
        status = status == MX_OK && n > 1 ? fn(m, &nodes[end[x - 1]], n, user) : status;
    }
    mx_budget_array_free(budget, end, n_ends, sizeof *end);
    mx_budget_array_free(budget, nodes, n_nodes, sizeof *nodes);
    if (status == MX_OK) {
        ox_drop_dead(m);
    }
    return status;
}

struct ox_node *ox_only_maker(const struct ox_model *m, const struct ox_graph *g, ox_val x)
{
    const struct ox_value *v = &m->values[x];
    return v->uses == 1 && ox_made_in(v, g) ? v->producer : NULL;
}

const int64_t *ox_perm_of(const struct ox_model *m, const struct ox_node *n)
{
    int count = 0;
    const int64_t *perm = ox_node_is(n, OX_Transpose) ? ox_attr_ints(n->attrs, "perm", &count) : NULL;
    return perm && count == m->values[n->in[0]].shape.ndim && count == m->values[n->out[0]].shape.ndim ? perm : NULL;
}

bool ox_reverses_channels(const struct ox_node *n)
{
    return ox_node_is(n, OX_Slice) && n->from && n->from->is_preprocessing;
}

const struct ox_tensor *ox_float_tensor(const struct ox_model *m, ox_val x)
{
    return m->values[x].dtype == MX_FLOAT32 ? m->values[x].tensor : NULL;
}

/* ---- constants */

static const struct ox_tensor *one_piece(struct ox_model *m, enum mx_dtype t, const int64_t *dims, int ndim, struct ox_piece piece)
{
    struct ox_tensor *out = MX_ARENA_NEW(&m->arena, struct ox_tensor);
    struct ox_piece *p = mx_arena_copy(&m->arena, &piece, 1, sizeof piece);
    const int64_t *copy = mx_arena_copy(&m->arena, dims, (size_t)ndim, sizeof *dims);
    if (!out || !p || !copy) {
        return NULL;
    }
    *out = (struct ox_tensor){.dtype = t, .ndim = ndim, .dims = copy, .pieces = p, .n_pieces = 1};
    p->length = ox_tensor_bytes(out);
    return out;
}

const struct ox_tensor *ox_bytes_tensor(struct ox_model *m, enum mx_dtype t, const int64_t *dims, int ndim, const void *bytes)
{
    return one_piece(m, t, dims, ndim, (struct ox_piece){.kind = OX_PIECE_BYTES, .bytes = bytes, .stored = t});
}

int ox_add_constant(struct ox_model *m, const struct ox_tensor *t, ox_val *out)
{
    *out = ox_add_value(m, t->dtype, (struct mx_shape){t->ndim, mx_dims_of(t->dims)});
    MX_TRY_ALLOC(*out != OX_NONE);
    m->values[*out].tensor = t;
    return MX_OK;
}

int ox_set_input(struct ox_model *m, struct ox_node *n, int k, ox_val x)
{
    ox_val *in = mx_arena_copy(&m->arena, n->in, (size_t)n->n_in, sizeof *in);
    MX_TRY_ALLOC(in);
    in[k] = x;
    return ox_set_inputs(m, n, in, n->n_in);
}

int ox_write_split(struct ox_model *m, ox_val x, const struct ox_parts *p)
{
    struct ox_node *n = MX_ARENA_NEW(&m->arena, struct ox_node);
    ox_val *out = mx_arena_copy(&m->arena, p->results, (size_t)p->n, sizeof *out);
    const struct ox_attr *attrs = ox_copy_attrs(&m->arena, OX_ATTRS(OX_I("axis", p->axis)), 0);
    const void *sizes = mx_arena_copy(&m->arena, p->sizes, (size_t)p->n, sizeof *p->sizes);
    const int64_t count = p->n;
    ox_val in[] = {x, OX_NONE};
    MX_TRY_ALLOC(n && out && attrs && sizes);
    *n = (struct ox_node){.op = OX_Split, .from = p->from, .attrs = attrs, .out = out, .n_out = p->n};
    const struct ox_tensor *t = ox_bytes_tensor(m, MX_INT64, &count, 1, sizes);
    MX_TRY_ALLOC(t);
    MX_TRY(ox_add_constant(m, t, &in[1]));
    MX_TRY(ox_set_inputs(m, n, in, 2));
    for (int i = 0; i < p->n; i++) {
        m->values[out[i]].producer = n;
    }
    return ox_push_node(m, &m->main, n);
}

/* ---- convolutions */

static bool is_transposed(const struct ox_node *conv)
{
    return ox_node_is(conv, OX_ConvTranspose);
}

bool ox_is_conv(const struct ox_node *n)
{
    return ox_node_is(n, OX_Conv) || is_transposed(n);
}

ox_val ox_conv_bias(const struct ox_node *conv)
{
    return conv->n_in > OX_CONV_BIAS ? conv->in[OX_CONV_BIAS] : OX_NONE;
}

/* A weight is (out, in / groups, ...) in Conv, (in, out / groups, ...) in ConvTranspose. On axis 1 the factors repeat for each group. */
bool ox_conv_rows(const struct ox_node *conv, bool of_inputs, int64_t n, struct ox_rows *rows)
{
    const int64_t *dims = rows->of->dims, groups = ox_attr_int(conv->attrs, "group", 1);
    const uint64_t elements = ox_tensor_elements(rows->of);
    const bool along_1 = of_inputs != is_transposed(conv);
    if (n == 1) {
        rows->row = elements;
        return true;
    }
    if (!along_1) {
        rows->row = elements / (uint64_t)dims[0];
        return dims[0] == n;
    }
    if (dims[0] % groups != 0 || dims[1] * groups != n) {
        return false;
    }
    rows->cycle = (uint64_t)dims[1];
    rows->group = (uint64_t)(dims[0] / groups * dims[1]);
    rows->row = elements / (uint64_t)(dims[0] * dims[1]);
    return true;
}

bool ox_is_deep(const struct ox_tensor *t)
{
    enum { MOST = 16 };
    int depth = 0;
    for (; depth < MOST && (t->base || (t->n_pieces > 0 && t->pieces[0].kind == OX_PIECE_ROWS)); depth++) {
        t = t->base ? t->base : t->pieces[0].rows->of;
    }
    return depth == MOST;
}

const struct ox_tensor *ox_scaled_tensor(struct ox_model *m, struct ox_rows rows)
{
    const struct ox_rows *copy = mx_arena_copy(&m->arena, &rows, 1, sizeof rows);
    return copy ? one_piece(m, MX_FLOAT32, rows.of->dims, rows.of->ndim,
                            (struct ox_piece){.kind = OX_PIECE_ROWS, .stored = MX_FLOAT32, .rows = copy})
                : NULL;
}
