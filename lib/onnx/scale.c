/* Numbers that multiply what a convolution reads, or what it gives, go into its weights:
 *
 *     W (s x) + b = (s W) x + b        s (W x + b) = (s W) x + s b
 *
 * one for all or one for each channel. Padding is zeros on both sides. A number that multiplies what other constants then
 * multiply goes into those. What somebody else reads stays as it is. */
#include <math.h>
#include <string.h>

#include "onnx/build_internal.h"
#include "onnx/data.h"
#include "onnx/write.h"

enum { WEIGHT = 1, BIAS = 2 }; /* inputs of Conv */

/* Beyond this, or below its inverse, a product may leave the range where the two steps do not. */
static const double largest_factor = 1e9;

struct scale {
    ox_val x, constant; /* what is multiplied, with what; x is OX_NONE if it is not known to be fit */
    const float *factors;
    int64_t n; /* 1, or the channels */
};

static bool is_a(const struct ox_node *n, const char *op_type)
{
    return n && !n->dead && !n->domain && strcmp(n->op_type, op_type) == 0;
}

static const struct ox_tensor *constant(const struct ox_model *m, ox_val x)
{
    return x > OX_NONE && m->values[x].dtype == MX_FLOAT32 ? m->values[x].tensor : NULL;
}

/* One number, or one for each channel of x; 0 if it is something else. */
static int64_t count_factors(const struct ox_model *m, const struct ox_tensor *t, struct mx_shape x)
{
    int64_t channels = 0;
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

static int read_factors(struct ox_model *m, const struct ox_tensor *t, bool divides, struct scale *s, bool *fit)
{
    float *v = MX_ARENA_ARRAY(&m->arena, float, (size_t)s->n);
    MX_TRY_ALLOC(v);
    MX_TRY(ox_tensor_read(t, v));
    *fit = true;
    for (int64_t i = 0; i < s->n; i++) {
        const double factor = divides ? 1 / (double)v[i] : (double)v[i];
        v[i] = (float)factor;
        *fit = *fit && fabs(factor) <= largest_factor && fabs(factor) >= 1 / largest_factor;
    }
    s->factors = v;
    return MX_OK;
}

/* Does n multiply a value with constants, or divide it by such? */
static int read_scale(struct ox_model *m, const struct ox_node *n, struct scale *s)
{
    const bool mul = is_a(n, "Mul");
    bool fit = false;
    *s = (struct scale){.x = OX_NONE};
    for (int i = mul ? 0 : 1; (mul || is_a(n, "Div")) && i < 2 && !fit; i++) {
        const struct ox_tensor *t = constant(m, n->in[i]);
        const ox_val x = n->in[1 - i];
        s->n = t && !m->values[x].tensor ? count_factors(m, t, m->values[x].shape) : 0;
        if (s->n > 0) {
            MX_TRY(read_factors(m, t, !mul, s, &fit));
            s->x = fit ? x : OX_NONE;
            s->constant = n->in[i];
        }
    }
    return MX_OK;
}

/* The node that makes x for one reader alone. */
static struct ox_node *maker(const struct ox_model *m, ox_val x)
{
    const struct ox_value *v = &m->values[x];
    return v->uses == 1 && !v->is_output && v->graph == &m->main ? v->producer : NULL;
}

static ox_val bias_of(const struct ox_node *conv)
{
    return conv->n_in > BIAS ? conv->in[BIAS] : OX_NONE;
}

/* With constants that nobody else reads. */
static bool is_convolution(const struct ox_model *m, const struct ox_node *n)
{
    const struct ox_tensor *w = is_a(n, "Conv") || is_a(n, "ConvTranspose") ? constant(m, n->in[WEIGHT]) : NULL;
    if (!w || w->ndim < 3 || ox_tensor_elements(w) == 0 || m->values[n->in[WEIGHT]].uses != 1) {
        return false;
    }
    return bias_of(n) == OX_NONE || (constant(m, bias_of(n)) && m->values[bias_of(n)].uses == 1);
}

/* Where the factors go in a weight: (out, in / groups, ...) of Conv, (in, out / groups, ...) of ConvTranspose. Along axis 1
 * they take turns within a group. False if there are not as many. */
static bool place(const struct ox_node *conv, bool of_inputs, int64_t n, struct ox_rows *rows)
{
    const int64_t *dims = rows->of->dims, groups = ox_attr_int(conv->attrs, "group", 1);
    const uint64_t elements = ox_tensor_elements(rows->of);
    const bool along_1 = of_inputs == (conv->op_type[4] == 0);
    if (n == 1) {
        rows->row = elements;
        return true;
    }
    if (!along_1) {
        rows->row = elements / (uint64_t)dims[0];
        return dims[0] == n;
    }
    if (groups < 1 || dims[0] % groups != 0 || dims[1] * groups != n) {
        return false;
    }
    rows->cycle = (uint64_t)dims[1];
    rows->group = (uint64_t)(dims[0] / groups * dims[1]);
    rows->row = elements / (uint64_t)(dims[0] * dims[1]);
    return true;
}

static int multiply(struct ox_model *m, ox_val x, struct ox_rows rows)
{
    const struct ox_tensor *of = rows.of;
    const struct ox_rows *copy = mx_arena_copy(&m->arena, &rows, 1, sizeof rows);
    struct ox_piece *piece = MX_ARENA_NEW(&m->arena, struct ox_piece);
    struct ox_tensor *t = MX_ARENA_NEW(&m->arena, struct ox_tensor);
    MX_TRY_ALLOC(copy && piece && t);
    *piece = (struct ox_piece){.kind = OX_PIECE_ROWS, .length = ox_tensor_elements(of) * sizeof *rows.factor,
                               .stored = MX_FLOAT32, .rows = copy};
    *t = (struct ox_tensor){.dtype = MX_FLOAT32, .ndim = of->ndim, .dims = of->dims, .pieces = piece, .n_pieces = 1};
    m->values[x].tensor = t;
    return MX_OK;
}

static void drop(struct ox_model *m, struct ox_node *n, const struct scale *s, ox_val between)
{
    struct ox_value *c = &m->values[s->constant];
    c->dead = --c->uses == 0 && !c->is_output && !c->is_input;
    m->values[between].uses = 0;
    m->values[between].dead = true;
    n->dead = true;
}

static int scale_before(struct ox_model *m, struct ox_node *conv)
{
    struct ox_node *n = maker(m, conv->in[0]);
    struct scale s;
    MX_TRY(read_scale(m, n, &s));
    struct ox_rows rows = {.of = m->values[conv->in[WEIGHT]].tensor, .factor = s.factors};
    if (s.x == OX_NONE || !place(conv, true, s.n, &rows)) {
        return MX_OK;
    }
    ox_val *in = MX_ARENA_ARRAY(&m->arena, ox_val, (size_t)conv->n_in);
    MX_TRY_ALLOC(in);
    MX_TRY(multiply(m, conv->in[WEIGHT], rows));
    memcpy(in, conv->in, (size_t)conv->n_in * sizeof *in);
    drop(m, n, &s, in[0]);
    in[0] = s.x;
    conv->in = in;
    return MX_OK;
}

static int scale_behind(struct ox_model *m, struct ox_node *n)
{
    struct scale s;
    MX_TRY(read_scale(m, n, &s));
    struct ox_node *conv = s.x == OX_NONE ? NULL : maker(m, s.x);
    if (!conv || !is_convolution(m, conv)) {
        return MX_OK;
    }
    const ox_val bias = bias_of(conv);
    struct ox_rows rows = {.of = m->values[conv->in[WEIGHT]].tensor, .factor = s.factors};
    if (!place(conv, false, s.n, &rows)) {
        return MX_OK;
    }
    MX_TRY(multiply(m, conv->in[WEIGHT], rows));
    if (bias != OX_NONE) {
        const struct ox_tensor *of = m->values[bias].tensor;
        MX_TRY(multiply(m, bias, (struct ox_rows){
            .of = of, .row = s.n == 1 ? ox_tensor_elements(of) : 1, .factor = s.factors}));
    }
    drop(m, n, &s, conv->out[0]);
    conv->out = n->out;
    m->values[n->out[0]].producer = conv;
    return MX_OK;
}

/* Mul(Mul(x, number), constants) of two MXNet nodes. Within one node they are steps of a formula, whose rounding is such
 * that a floor behind it is MXNet's. */
static int scale_of_scale(struct ox_model *m, struct ox_node *n)
{
    struct scale s;
    const int side = is_a(n, "Mul") ? (constant(m, n->in[1]) ? 1 : 0) : -1;
    const struct ox_tensor *of = side < 0 ? NULL : constant(m, n->in[side]);
    if (!of || ox_tensor_elements(of) < 2 || ox_tensor_elements(of) > OX_LARGE) {
        return MX_OK;
    }
    const ox_val between = n->in[1 - side];
    struct ox_node *inner = maker(m, between);
    MX_TRY(read_scale(m, inner, &s));
    if (s.x == OX_NONE || s.n != 1 || !n->from || n->from == inner->from) {
        return MX_OK;
    }
    ox_val *in = MX_ARENA_ARRAY(&m->arena, ox_val, 2), product;
    MX_TRY_ALLOC(in);
    MX_TRY(ox_model_add_value(m, &product));
    m->values[product] = (struct ox_value){.dtype = MX_FLOAT32, .shape = m->values[n->in[side]].shape, .uses = 1};
    MX_TRY(multiply(m, product, (struct ox_rows){.of = of, .row = ox_tensor_elements(of), .factor = s.factors}));
    drop(m, inner, &s, between);
    struct ox_value *old = &m->values[n->in[side]];
    old->dead = --old->uses == 0 && !old->is_output && !old->is_input;
    in[0] = s.x;
    in[1] = product;
    n->in = in;
    return MX_OK;
}

int ox_fold_scales(struct ox_model *m, struct mx_diags *diags)
{
    struct ox_graph *g = &m->main;
    int kept = 0;
    for (int i = 0; i < g->n_nodes; i++) {
        struct ox_node *n = g->nodes[i];
        int status = is_convolution(m, n) ? scale_before(m, n) : scale_behind(m, n);
        status = status == MX_OK && !n->dead ? scale_of_scale(m, n) : status;
        if (status != MX_OK) {
            return status == MX_OUT_OF_MEMORY
                     ? status
                     : mx_fail(diags, status, (struct mx_where){0}, "a parameter cannot be read");
        }
    }
    for (int i = 0; i < g->n_nodes; i++) {
        if (!g->nodes[i]->dead) {
            g->nodes[kept++] = g->nodes[i];
        }
    }
    g->n_nodes = kept;
    return MX_OK;
}
