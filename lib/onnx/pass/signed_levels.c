/* Changes quantised values from uint8 to int8, for runtimes that support only int8: QuantizeLinear and DequantizeLinear then use 0 to
 * 127, with steps larger by the same factor, which costs one bit of MXNet's precision. Applied to all values of a model or to none. */
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "onnx/pass/rewrite.h"
#include "onnx/schema/targets.h"

static const double larger = 255.0 / 127;

struct levels {
    struct ox_build *b;
    bool *of; /* indexed by value: true if it holds uint8 levels */
    int n;
    const struct ox_node *reader; /* a node that uses the levels as numbers, or does not count them from 0 */
};

static bool passes_on(const struct ox_node *n)
{
    return ox_node_in(n, OX_OPS(OX_Concat, OX_Flatten, OX_MaxPool, OX_Reshape, OX_Slice, OX_Split, OX_Squeeze, OX_Transpose, OX_Unsqueeze));
}

/* True if the zero point is 0, as that of MXNet's levels is, and can be made anew; a handler may write another. */
static bool is_from_0(const struct levels *l, const struct ox_node *n)
{
    if (ox_rank(l->b, n->in[1]) < 0) {
        return false;
    }
    return n->n_in < 3 || n->in[2] == OX_NONE || ox_is_between(l->b, n->in[2], -1, 1);
}

/* True if all data that the result of n consists of is levels. */
static bool passes_levels_on(const struct levels *l, const struct ox_node *n)
{
    const int n_data = ox_node_is(n, OX_Concat) ? n->n_in : 1;
    bool passes = passes_on(n);
    for (int k = 0; k < n_data && passes; k++) {
        passes = l->of[n->in[k]];
    }
    return passes;
}

static int find(struct ox_model *m, struct ox_graph *g, void *user)
{
    struct levels *l = user;
    for (int i = 0; i < g->n_nodes; i++) {
        const struct ox_node *n = g->nodes[i];
        MX_TRY(mx_tick(m->arena.budget, MX_TICK_NODE));
        const bool made = ox_node_is(n, OX_QuantizeLinear) && m->values[n->out[0]].dtype == MX_UINT8;
        const bool passed = passes_levels_on(l, n);
        for (int k = 0; k < n->n_out && (made || passed); k++) {
            l->of[n->out[k]] = true;
            l->reader = m->values[n->out[k]].is_output ? n : l->reader;
        }
        for (int k = 0; k < n->n_in; k++) {
            const bool known = passed || (ox_node_is(n, OX_DequantizeLinear) && is_from_0(l, n));
            l->reader = l->of[n->in[k]] && !known ? n : l->reader;
        }
        l->reader = made && !is_from_0(l, n) ? n : l->reader;
    }
    return MX_OK;
}

static const struct ox_node *maker(const struct levels *l, ox_val x)
{
    return l->b->model->values[x].producer;
}

/* True if x was clipped at 0 before, by a Relu or as uint8 levels. */
static bool is_cut(const struct levels *l, ox_val x)
{
    enum { NEAR = 8 };
    const struct ox_node *n = maker(l, x);
    for (int i = 0; i < NEAR && passes_on(n) && !ox_node_is(n, OX_Concat); i++) {
        n = maker(l, n->in[0]);
    }
    return ox_node_is(n, OX_Relu) || (ox_node_is(n, OX_DequantizeLinear) && l->of[n->in[0]]);
}

/* uint8 clips at 0, int8 does not. */
static ox_val from_zero(struct levels *l, ox_val x)
{
    double lo, hi;
    return is_cut(l, x) || (ox_interval(l->b, x, &lo, &hi) && lo >= 0) ? x : ox_unary(l->b, OX_Relu, x);
}

/* The type that a handler may have written is that of the zero point. */
static int set_type(struct ox_model *m, struct ox_node *n)
{
    struct ox_attr *attrs = ox_copy_attrs(&m->arena, n->attrs, 0);
    MX_TRY_ALLOC(attrs);
    n->attrs = attrs;
    for (; attrs->name; attrs++) {
        if (strcmp(attrs->name, "output_dtype") == 0) {
            *attrs = (struct ox_attr)OX_T(attrs->name, MX_INT8);
        }
    }
    return MX_OK;
}

static int rescale(struct ox_model *m, struct ox_graph *g, void *user)
{
    struct levels *l = user;
    const int n_nodes = g->n_nodes;
    l->b->graph = g;
    for (int i = 0; i < n_nodes && !ox_failed(l->b); i++) {
        struct ox_node *n = g->nodes[i];
        const bool makes = ox_node_is(n, OX_QuantizeLinear) && l->of[n->out[0]];
        if (makes || (ox_node_is(n, OX_DequantizeLinear) && l->of[n->in[0]])) {
            ox_val *in = MX_ARENA_ARRAY(&m->arena, ox_val, 3); /* a zero point of uint8 may be left out, one of int8 may not */
            MX_TRY_ALLOC(in);
            l->b->node = n->from;
            in[0] = makes ? from_zero(l, n->in[0]) : n->in[0];
            in[1] = ox_mul(l->b, n->in[1], ox_float32(l->b, larger));
            const struct mx_shape of_scale = ox_shape(l->b, n->in[1]);
            in[2] = ox_expand(l->b, ox_scalar(l->b, MX_INT8, 0), of_scale.dims, of_scale.ndim);
            n->in = in;
            n->n_in = 3;
            MX_TRY(makes ? set_type(m, n) : MX_OK);
        }
    }
    return ox_status(l->b);
}

static int change(struct ox_build *b, void *user)
{
    struct ox_model *m = b->model;
    struct levels *l = user;
    bool any = false;
    l->b = b;
    MX_TRY(ox_each_graph(m, find, l));
    if (l->reader) {
        mx_note(m->diags, MX_NOWHERE,
                "the quantised values are uint8, which the target does not read: %s uses them as numbers or with a zero point",
                ox_op_name(l->reader->op));
        return MX_OK;
    }
    ox_remember_constants(b);
    MX_TRY(ox_each_graph(m, rescale, l));
    for (int x = 0; x < l->n; x++) {
        m->values[x].dtype = l->of[x] ? MX_INT8 : m->values[x].dtype;
        any = any || l->of[x];
    }
    return any ? ox_count_reads(m) : MX_OK;
}

int ox_sign_levels(struct ox_model *m)
{
    if (!m->target || !m->target->signed_levels) {
        return MX_OK;
    }
    MX_TRY(ox_order(m)); /* find goes from producers to readers; passes add nodes after all others */
    struct levels l = {.n = m->n_values, .of = mx_calloc((size_t)m->n_values + 1, sizeof *l.of)};
    MX_TRY_ALLOC(l.of);
    const int status = ox_with_builder(m, change, &l);
    mx_free(l.of);
    return status;
}
