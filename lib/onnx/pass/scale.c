/* Numbers that multiply what a convolution reads, or what it gives, go into its weights:
 *
 *     W (s x) + b = (s W) x + b        s (W x + b) = (s W) x + s b
 *
 * one for all or one for each channel. Padding is zeros on both sides. A number that multiplies what other constants then
 * multiply goes into those. What something else reads stays as it is.
 *
 * A number by which a net multiplies its input before its first layer stays as well, unless MX2ONNX_OPTION_FOLD_INPUT_SCALE asks for it:
 * programs find out from these nodes whether they must normalise images themselves. InsightFace's package looks for _minusscalar0 and
 * _mulscalar0 among the first eight nodes. */
#include <math.h>

#include "base/budget.h"
#include "graph/graph.h"
#include "onnx/pass/rewrite.h"
#include "onnx/tensor/bytes.h"

struct scale {
    ox_val x, constant; /* x times or divided by constant; x is OX_NONE if there is none */
    bool divides;
    int64_t n;            /* 1, or the number of channels */
    const float *factors; /* once they are read; NULL: they are not usable */
};

/* 1 for a single number, the number of channels of x for one number each; 0 if it is something else. */
static int64_t count_factors(const struct ox_model *m, const struct ox_tensor *t, struct mx_shape x)
{
    int64_t channels;
    if (t->ndim > x.ndim) {
        return 0;
    }
    const uint64_t n = ox_tensor_elements(t);
    const int axis = 1 - (x.ndim - t->ndim);
    return n == 1 ? 1
           : axis >= 0 && axis < t->ndim && mx_dim_known(m->dims, x.dims[1], &channels) && t->dims[axis] == channels
                   && n == (uint64_t)channels
               ? channels
               : 0;
}

/* The value and the constant of a multiplication or division n; x is OX_NONE for other nodes. */
static struct scale find_scale(const struct ox_model *m, const struct ox_node *n)
{
    const bool mul = ox_node_is(n, OX_Mul);
    for (int i = mul ? 0 : 1; (mul || ox_node_is(n, OX_Div)) && i < 2; i++) {
        const struct ox_tensor *t = ox_float_tensor(m, n->in[i]);
        const ox_val x = n->in[1 - i];
        const int64_t factors = t ? count_factors(m, t, m->values[x].shape) : 0;
        if (factors > 0) {
            return (struct scale){.x = x, .constant = n->in[i], .divides = !mul, .n = factors};
        }
    }
    return (struct scale){.x = OX_NONE};
}

/* True if x is an input to which numbers were at most added, or by which they were multiplied. */
static bool is_normalised_input(const struct ox_model *m, ox_val x)
{
    const enum ox_op *steps = OX_OPS(OX_Add, OX_Sub, OX_Mul, OX_Div, OX_Cast, OX_Transpose);
    enum { MOST = 64 }; /* InsightFace looks at the first eight nodes */
    for (int i = 0; !m->values[x].is_input; i++) {
        const struct ox_node *n = m->values[x].producer;
        if (i == MOST || (!ox_node_in(n, steps) && !ox_reverses_channels(n))) {
            return false;
        }
        x = n->n_in > 1 && m->values[n->in[0]].tensor ? n->in[1] : n->in[0];
        if (n->n_in == 2 && !m->values[n->in[0]].tensor && !m->values[n->in[1]].tensor) {
            return false;
        }
    }
    return true;
}

/* Called once the factors can be used, because they take memory. */
static int read_factors(struct ox_model *m, struct scale *s)
{
    float *v = MX_ARENA_ARRAY(&m->arena, float, (size_t)s->n);
    bool fit = true;
    MX_TRY_ALLOC(v);
    MX_TRY(ox_tensor_read(m->values[s->constant].tensor, v));
    for (int64_t i = 0; i < s->n; i++) {
        const double factor = s->divides ? 1 / (double)v[i] : (double)v[i];
        v[i] = (float)factor;
        fit = fit && fabs(factor) <= OX_LARGEST_FACTOR && fabs(factor) >= 1 / OX_LARGEST_FACTOR;
    }
    s->factors = fit ? v : NULL;
    return MX_OK;
}

/* True if all other inputs are constants that nothing else reads. */
static bool is_private(const struct ox_model *m, const struct ox_node *conv)
{
    const ox_val weight = conv->in[OX_CONV_WEIGHT], bias = ox_conv_bias(conv);
    const struct ox_tensor *w = ox_float_tensor(m, weight);
    return w && w->ndim > 2 && ox_tensor_elements(w) > 0 && m->values[weight].uses == 1 && !ox_is_deep(w)
           && (bias == OX_NONE || (ox_float_tensor(m, bias) && m->values[bias].uses == 1));
}

static int multiply(struct ox_model *m, ox_val x, struct ox_rows rows)
{
    m->values[x].tensor = ox_scaled_tensor(m, rows);
    return m->values[x].tensor ? MX_OK : MX_OUT_OF_MEMORY;
}

/* The rows of a weight by the factors; s->factors is NULL if one of these is too large or too small. */
static int multiply_weight(struct ox_model *m, const struct ox_node *conv, struct scale *s, struct ox_rows rows)
{
    MX_TRY(read_factors(m, s));
    rows.factor = s->factors;
    return s->factors ? multiply(m, conv->in[OX_CONV_WEIGHT], rows) : MX_OK;
}

/* What the caller puts before an input is not such a sign. */
static bool stays(const struct ox_model *m, const struct ox_node *n, const struct scale *s)
{
    return !m->fold_input_scale && s->n == 1 && n->from && !n->from->is_preprocessing && is_normalised_input(m, s->x);
}

static int scale_before(struct ox_model *m, struct ox_node *conv)
{
    struct ox_node *n = ox_only_maker(m, &m->main, conv->in[0]);
    struct scale s = find_scale(m, n);
    struct ox_rows rows = {.of = m->values[conv->in[OX_CONV_WEIGHT]].tensor};
    if (s.x == OX_NONE || stays(m, n, &s) || !ox_conv_rows(conv, true, s.n, &rows)) {
        return MX_OK;
    }
    MX_TRY(multiply_weight(m, conv, &s, rows));
    if (!s.factors) {
        return MX_OK;
    }
    MX_TRY(ox_set_input(m, conv, 0, s.x));
    ox_remove_node(m, n);
    return MX_OK;
}

static int scale_after(struct ox_model *m, struct ox_node *n)
{
    struct scale s = find_scale(m, n);
    struct ox_node *conv = s.x == OX_NONE ? NULL : ox_only_maker(m, &m->main, s.x);
    if (!ox_is_conv(conv) || !is_private(m, conv)) {
        return MX_OK;
    }
    const ox_val bias = ox_conv_bias(conv);
    struct ox_rows rows = {.of = m->values[conv->in[OX_CONV_WEIGHT]].tensor};
    if (!ox_conv_rows(conv, false, s.n, &rows)) {
        return MX_OK;
    }
    MX_TRY(multiply_weight(m, conv, &s, rows));
    if (!s.factors) {
        return MX_OK;
    }
    if (bias != OX_NONE) {
        const struct ox_tensor *of = m->values[bias].tensor;
        MX_TRY(multiply(m, bias, (struct ox_rows){.of = of, .row = s.n == 1 ? ox_tensor_elements(of) : 1, .factor = s.factors}));
    }
    ox_remove_node(m, n);
    return ox_set_result(m, conv, n->out[0]);
}

/* Mul(Mul(x, number), constants) of two MXNet nodes. Within one node these are steps of a formula, whose rounding must stay as it is so
 * that a floor after it gives MXNet's result. */
static int scale_of_scale(struct ox_model *m, struct ox_node *n)
{
    const int side = ox_node_is(n, OX_Mul) ? (ox_float_tensor(m, n->in[1]) ? 1 : 0) : -1;
    const struct ox_tensor *of = side < 0 ? NULL : ox_float_tensor(m, n->in[side]);
    if (!of || ox_tensor_elements(of) < 2 || ox_tensor_elements(of) > OX_LARGE) {
        return MX_OK;
    }
    struct ox_node *inner = ox_only_maker(m, &m->main, n->in[1 - side]);
    struct scale s = find_scale(m, inner);
    if (s.x == OX_NONE || s.n != 1 || stays(m, inner, &s) || !n->from || n->from == inner->from) {
        return MX_OK;
    }
    MX_TRY(read_factors(m, &s));
    if (!s.factors) {
        return MX_OK;
    }
    ox_val in[] = {s.x, OX_NONE};
    const struct ox_tensor *product = ox_scaled_tensor(m, (struct ox_rows){.of = of, .row = ox_tensor_elements(of), .factor = s.factors});
    MX_TRY_ALLOC(product);
    MX_TRY(ox_add_constant(m, product, &in[1]));
    MX_TRY(ox_set_inputs(m, n, in, 2));
    ox_remove_node(m, inner);
    return MX_OK;
}

int ox_fold_scales(struct ox_model *m)
{
    const struct ox_graph *g = &m->main;
    for (int i = 0; i < g->n_nodes; i++) {
        struct ox_node *n = g->nodes[i];
        MX_TRY(mx_tick(m->arena.budget, MX_TICK_NODE));
        int status = ox_is_conv(n) && is_private(m, n) ? scale_before(m, n) : scale_after(m, n);
        status = status == MX_OK ? scale_of_scale(m, n) : status;
        if (status != MX_OK) {
            return status == MX_OUT_OF_MEMORY ? status : mx_fail(m->diags, status, MX_NOWHERE, OX_UNREAD);
        }
    }
    ox_drop_dead(m);
    return MX_OK;
}
