/* x + 0 is x but for a float of -0, which becomes 0. Where nothing behind it tells the two apart, the sum goes: logits of a
 * routing that begin as zeros. */
#include <string.h>

#include "base/alloc.h"
#include "onnx/build_internal.h"
#include "onnx/data.h"
#include "onnx/write.h"

enum { FEW = 64 }; /* bytes that are looked at where zeros are no fill */

static bool one_of(const struct ox_node *n, const char *const *types, size_t count)
{
    for (size_t i = 0; i < count && !n->domain; i++) {
        if (strcmp(n->op_type, types[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Gives the same for 0 and -0. */
static bool is_blind(const struct ox_node *n)
{
    static const char *const types[] = {"Abs",     "Cos",            "Equal", "Exp",         "Greater",
                                        "Less",    "GreaterOrEqual", "Shape", "LessOrEqual", "Sigmoid",
                                        "Softmax"};
    return one_of(n, types, sizeof types / sizeof types[0]);
}

/* Gives 0 or -0 for them, if its result differs at all. */
static bool passes_on(const struct ox_node *n)
{
    static const char *const types[] = {"Add", "Reshape", "Squeeze", "Transpose", "Unsqueeze"};
    return one_of(n, types, sizeof types / sizeof types[0]);
}

static void tell_body(const struct ox_graph *g, bool *tells, int depth)
{
    for (int i = 0; i < g->n_outputs; i++) {
        tells[g->outputs[i]] = true;
    }
    for (int i = 0; i < g->n_nodes; i++) {
        const struct ox_node *n = g->nodes[i];
        for (int k = 0; k < n->n_in; k++) {
            tells[n->in[k] > OX_NONE ? n->in[k] : OX_NONE] = true;
        }
        for (const struct ox_attr *a = n->attrs; a && a->kind != OX_A_END; a++) {
            if (a->kind == OX_A_GRAPH && depth > 0) {
                tell_body(a->v, tells, depth - 1);
            }
        }
    }
}

/* tells[v]: somebody behind v may give something else for 0 than for -0. Nodes stand behind those that they read. */
static void look(const struct ox_model *m, bool *tells)
{
    enum { DEPTH = 64 };
    const struct ox_graph *g = &m->main;
    for (int i = 0; i < g->n_outputs; i++) {
        tells[g->outputs[i]] = true;
    }
    for (int i = g->n_nodes - 1; i >= 0; i--) {
        const struct ox_node *n = g->nodes[i];
        bool told = !is_blind(n) && !passes_on(n);
        for (int k = 0; k < n->n_out && passes_on(n); k++) {
            told = told || tells[n->out[k]];
        }
        for (int k = 0; k < n->n_in && told; k++) {
            tells[n->in[k] > OX_NONE ? n->in[k] : OX_NONE] = true;
        }
        for (const struct ox_attr *a = n->attrs; a && a->kind != OX_A_END; a++) {
            if (a->kind == OX_A_GRAPH) {
                tell_body(a->v, tells, DEPTH);
            }
        }
    }
}

static bool is_zeros(const struct ox_model *m, ox_val x)
{
    static const uint8_t zeros[FEW];
    const struct ox_tensor *t = x > OX_NONE ? m->values[x].tensor : NULL;
    if (!t || t->base || t->n_pieces != 1) {
        return false;
    }
    const struct ox_piece *p = t->pieces;
    const size_t size = p->kind == OX_PIECE_FILL ? mx_dtype_size(t->dtype) : (size_t)p->length;
    return (p->kind == OX_PIECE_FILL || (p->kind == OX_PIECE_BYTES && p->length <= FEW))
        && memcmp(p->bytes, zeros, size) == 0;
}

static bool same_shape(const struct ox_model *m, ox_val x, ox_val y)
{
    const struct mx_shape s = m->values[x].shape, r = m->values[y].shape;
    bool same = s.ndim >= 0 && s.ndim == r.ndim;
    for (int i = 0; i < s.ndim && same; i++) {
        same = mx_dim_equal(m->dims, s.dims[i], r.dims[i]);
    }
    return same;
}

/* What n adds zeros to without a change that is seen; OX_NONE: n stays. */
static ox_val unchanged(const struct ox_model *m, const struct ox_node *n, const bool *tells)
{
    if (strcmp(n->op_type, "Add") != 0 || n->domain || tells[n->out[0]]) {
        return OX_NONE;
    }
    for (int i = 0; i < 2; i++) {
        if (is_zeros(m, n->in[i]) && same_shape(m, n->in[1 - i], n->out[0])) {
            return n->in[1 - i];
        }
    }
    return OX_NONE;
}

static int drop_sums(struct ox_model *m, const bool *tells, ox_val *same)
{
    bool any = false;
    for (int i = 0; i < m->n_values; i++) {
        same[i] = i;
    }
    for (int i = 0; i < m->main.n_nodes; i++) {
        struct ox_node *n = m->main.nodes[i];
        const ox_val x = unchanged(m, n, tells);
        if (x == OX_NONE) {
            continue;
        }
        struct ox_value *zeros = &m->values[n->in[0] == x ? n->in[1] : n->in[0]], *sum = &m->values[n->out[0]];
        zeros->dead = --zeros->uses == 0;
        same[n->out[0]] = same[x];
        m->values[same[x]].uses += sum->uses - 1;
        sum->uses = 0;
        sum->dead = true;
        n->dead = any = true;
    }
    ox_drop_dead(m);
    return any ? ox_replace_values(m, same) : MX_OK;
}

int ox_drop_zeros(struct ox_model *m)
{
    bool *tells = mx_calloc((size_t)m->n_values + 1, sizeof *tells);
    ox_val *same = mx_calloc((size_t)m->n_values + 1, sizeof *same);
    int status = MX_OUT_OF_MEMORY;
    if (tells && same) {
        look(m, tells);
        status = drop_sums(m, tells, same);
    }
    mx_free(tells);
    mx_free(same);
    return status;
}
