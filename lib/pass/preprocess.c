/* Preprocessing that a program applies to its data, put after an input of the ONNX model: channels last to channels first, channels in
 * reverse order, (x - mean) * scale.
 *
 * It comes after inference, which is about the net: the input that users see is then made from the net's own. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "op/op.h"
#include "pass/pass.h"

enum { CHANNELS = 1 }; /* the axis in MXNet's layers */

static bool normalizes(const struct mx_input_choice *c)
{
    return c->n_mean > 0 || c->n_scale > 0;
}

bool mx_input_preprocesses(const struct mx_input_choice *c)
{
    return c->channels_last || c->channels_reversed || normalizes(c);
}

enum mx_dtype mx_input_net_dtype(const struct mx_input_choice *c)
{
    return normalizes(c) && !mx_dtype_is_float(c->dtype) ? MX_DTYPE_NONE : c->dtype;
}

/* ---- the node */

static int infer(struct mx_infer *c)
{
    const struct mx_input_choice *a = c->attrs;
    struct mx_shape s;
    MX_TRY(mx_input(c, 0, &s));
    struct mx_dim_list dims = mx_no_dims(c);
    for (int i = 0; i < s.ndim; i++) {
        mx_push_dim(&dims, s.dims[!a->channels_last || i == 0 ? i : i == CHANNELS ? s.ndim - 1 : i - 1]);
    }
    MX_TRY(mx_dtype_is_float(mx_input_dtype(c, 0)) ? mx_same_dtype(c, 0, -1) : MX_OK);
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

/* One value per channel, as a constant that broadcasts. */
static ox_val channel_values(struct ox_build *b, ox_val x, const double *values, size_t n)
{
    struct mx_int_list dims = ox_no_ints(b);
    const int rank = ox_rank(b, x) - CHANNELS;
    if (n == 1) {
        return ox_scalar_like(b, x, values[0]);
    }
    for (int i = 0; i < rank; i++) {
        mx_push_int(&dims, i == 0 ? (int64_t)n : 1);
    }
    return ox_reshape_ints(b, ox_floats(b, ox_dtype(b, x), values, (int)n), dims.v, dims.n);
}

static bool is_all(const double *values, size_t n, double v)
{
    bool same = true;
    for (size_t i = 0; i < n; i++) {
        same = same && values[i] >= v && values[i] <= v;
    }
    return same;
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct mx_input_choice *a = n->attrs;
    ox_val x = in[0];
    if (a->channels_last) {
        x = ox_move_axis(b, x, ox_rank(b, x) - 1, CHANNELS);
    }
    if (a->channels_reversed) {
        x = ox_reverse(b, x, (const int64_t[]){CHANNELS}, 1);
    }
    x = ox_cast(b, x, n->out[0].dtype);
    if (!is_all(a->mean, a->n_mean, 0)) {
        x = ox_sub(b, x, channel_values(b, x, a->mean, a->n_mean));
    }
    if (!is_all(a->scale, a->n_scale, 1)) {
        x = ox_mul(b, x, channel_values(b, x, a->scale, a->n_scale));
    }
    out[0] = x;
}

/* Pixels arrive in, and are normalised in, their own precision. */
static const struct mx_op normalize = {.name = "preprocess", .infer = infer, .lower = lower, .single = true};
static const struct mx_op rearrange = {.name = "preprocess", .infer = infer, .lower = lower};

/* ---- into the graph */

static struct mx_where here(const struct mx_node *v)
{
    return mx_named(v->name);
}

static int check_count(struct mx_graph *g, const struct mx_node *v, size_t n, const char *what)
{
    const struct mx_shape s = v->out[0].shape;
    int64_t channels;
    if (n <= 1 || !mx_dim_known(g->dims, s.dims[CHANNELS], &channels) || channels == (int64_t)n) {
        return MX_OK;
    }
    return mx_fail(g->diags, MX_SHAPE, here(v),
                   MX_SUBJECT "has %zu values for %s, but its axis %d (channels) has size %lld" MX_HELP "give one value for each channel",
                   n, what, CHANNELS, (long long)channels);
}

static double rounded(enum mx_dtype t, double v)
{
    if (t == MX_FLOAT64) {
        return v;
    }
    const float f = fabs(v) > (double)FLT_MAX ? INFINITY : (float)v;
    return (double)(t == MX_FLOAT16    ? mx_half_to_float(mx_float_to_half(f))
                    : t == MX_BFLOAT16 ? mx_bfloat16_to_float(mx_float_to_bfloat16(f))
                                       : f);
}

/* What the input's type has no number for would make every value 0, infinite or NaN. */
static int check_values(struct mx_graph *g, const struct mx_node *v, const double *values, size_t n, const char *what)
{
    const enum mx_dtype t = v->out[0].dtype;
    for (size_t i = 0; i < n; i++) {
        const double in_type = rounded(t, values[i]);
        if (!isfinite(in_type) || (values[i] != 0 && in_type == 0)) {
            return mx_fail(g->diags, MX_SHAPE, here(v),
                           MX_SUBJECT "has %g as its %s, which is %s in %s, the type of the input" MX_HELP "use %s", values[i], what,
                           in_type == 0 ? "0" : "infinite", mx_dtype_name(t),
                           t == MX_FLOAT32 || t == MX_FLOAT64 ? "another value" : "another value, or float32 as the type of the input");
        }
    }
    return MX_OK;
}

static int least_rank(const struct mx_input_choice *c)
{
    return c->channels_last ? 3 : c->channels_reversed || c->n_mean > 1 || c->n_scale > 1 ? 2 : 0;
}

static int check(struct mx_graph *g, const struct mx_node *v, const struct mx_input_choice *c)
{
    const int rank = v->out[0].shape.ndim, least = least_rank(c);
    if (rank < least) {
        return mx_fail(g->diags, MX_SHAPE, here(v), MX_SUBJECT "has rank %d, but the chosen preprocessing needs at least %d", rank, least);
    }
    if (normalizes(c) && !mx_dtype_is_float(v->out[0].dtype)) {
        return mx_fail(g->diags, MX_SHAPE, here(v),
                       "the model reads this input as %s, but only float inputs can be normalised" MX_HELP "do not set mean or scale",
                       mx_dtype_name(v->out[0].dtype));
    }
    if (c->n_scale > 0 && is_all(c->scale, c->n_scale, 0)) {
        return mx_fail(g->diags, MX_SHAPE, here(v),
                       MX_SUBJECT "has a scale of 0, by which every value becomes 0" MX_HELP "use 1 divided by the standard deviation");
    }
    MX_TRY(check_count(g, v, c->n_mean, "mean"));
    MX_TRY(check_count(g, v, c->n_scale, "scale"));
    MX_TRY(normalizes(c) ? check_values(g, v, c->mean, c->n_mean, "mean") : MX_OK);
    return normalizes(c) ? check_values(g, v, c->scale, c->n_scale, "scale") : MX_OK;
}

/* Makes the node after v, which replaces v for the net. */
static int new_node(struct mx_graph *g, struct mx_node *v, const struct mx_input_choice *c, struct mx_node **out)
{
    struct mx_node *n = MX_ARENA_NEW(g->arena, struct mx_node);
    struct mx_entry *in = MX_ARENA_NEW(g->arena, struct mx_entry);
    struct mx_value *value = mx_arena_copy(g->arena, v->out, 1, sizeof *value);
    const char *name = mx_arena_printf(g->arena, "%s_preprocessed", v->name);
    MX_TRY_ALLOC(n && in && value && name);
    in->node = v;
    *n = (struct mx_node){.op = normalizes(c) ? &normalize : &rearrange,
                          .op_name = normalize.name,
                          .name = name,
                          .attrs = c,
                          .in = in,
                          .n_in = 1,
                          .out = value,
                          .n_out = 1,
                          .is_preprocessing = true};
    *out = n;
    return MX_OK;
}

/* Changes the input to what users see. */
static int turn_input(struct mx_graph *g, struct mx_node *v, const struct mx_input_choice *c)
{
    struct mx_shape *s = &v->out[0].shape;
    if (c->channels_last) {
        mx_dim *dims = MX_ARENA_ARRAY(g->arena, mx_dim, (size_t)s->ndim);
        MX_TRY_ALLOC(dims);
        for (int i = 0; i < s->ndim; i++) {
            dims[i] = s->dims[i == 0 ? 0 : i == s->ndim - 1 ? CHANNELS : i + 1];
        }
        s->dims = dims;
    }
    if (c->dtype != MX_DTYPE_NONE) {
        v->out[0].dtype = c->dtype;
    }
    return MX_OK;
}

static const struct mx_input_choice *choice_for(const struct mx_node *v, const struct mx_map *choices)
{
    const struct mx_input_choice *c = mx_is_variable(v) && !v->param ? mx_map_get(choices, v->name) : NULL;
    return c && mx_input_preprocesses(c) ? c : NULL;
}

struct preprocess {
    struct mx_graph *g;
    const struct mx_map *choices;
    struct mx_node **nodes, **instead; /* the graph's future nodes; by id, what the net reads in place of a node */
    int n_nodes;
};

/* Takes node n; its inputs came before it. */
static int take(struct preprocess *p, struct mx_node *n)
{
    const struct mx_input_choice *c = choice_for(n, p->choices);
    for (int k = 0; k < n->n_in; k++) {
        n->in[k].node = p->instead[n->in[k].node->id];
    }
    p->nodes[p->n_nodes++] = p->instead[n->id] = n;
    if (!c) {
        return MX_OK;
    }
    MX_TRY(check(p->g, n, c));
    MX_TRY(new_node(p->g, n, c, &p->instead[n->id]));
    p->nodes[p->n_nodes++] = p->instead[n->id];
    return turn_input(p->g, n, c);
}

static int put_nodes(struct mx_graph *g, const struct mx_map *choices, size_t n_new)
{
    struct preprocess p = {.g = g, .choices = choices};
    p.nodes = MX_ARENA_ARRAY(g->arena, struct mx_node *, (size_t)g->n_nodes + n_new);
    p.instead = MX_ARENA_ARRAY(g->arena, struct mx_node *, (size_t)g->n_nodes);
    MX_TRY_ALLOC(p.nodes && p.instead);
    for (int i = 0; i < g->n_nodes; i++) {
        MX_TRY(take(&p, g->nodes[i]));
    }
    for (int i = 0; i < g->n_heads; i++) {
        g->heads[i].node = p.instead[g->heads[i].node->id];
    }
    g->nodes = p.nodes;
    g->n_nodes = p.n_nodes;
    for (int i = 0; i < g->n_nodes; i++) {
        g->nodes[i]->id = i;
    }
    return MX_OK;
}

int mx_graph_preprocess(struct mx_graph *g, const struct mx_map *choices)
{
    size_t n_new = 0;
    for (int i = 0; i < g->n_nodes; i++) {
        n_new += choice_for(g->nodes[i], choices) != NULL;
    }
    return n_new > 0 ? put_nodes(g, choices, n_new) : MX_OK;
}
