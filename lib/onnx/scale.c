/* A number that multiplies what a convolution reads, or what it gives, goes into its weights:
 *
 *     W (s x) + b = (s W) x + b        s (W x + b) = (s W) x + s b
 *
 * Padding is zeros on both sides. What somebody else reads stays as it is. */
#include <math.h>
#include <string.h>

#include "onnx/build_internal.h"
#include "onnx/data.h"
#include "onnx/write.h"

enum { WEIGHT = 1, BIAS = 2 }; /* inputs of Conv */

/* Beyond this, or below its inverse, a product may leave the range where the two steps do not. */
static const double largest_factor = 1e9;

struct scale {
    ox_val x, constant; /* what is multiplied, with what */
    float factor;
};

static bool is_a(const struct ox_node *n, const char *op_type)
{
    return n && !n->dead && !n->domain && strcmp(n->op_type, op_type) == 0;
}

static const struct ox_tensor *constant(const struct ox_model *m, ox_val x)
{
    return x > OX_NONE && m->values[x].dtype == MX_FLOAT32 ? m->values[x].tensor : NULL;
}

/* n as x times a constant of one element; s->x is OX_NONE if it is something else. */
static int read_scale(const struct ox_model *m, const struct ox_node *n, struct scale *s)
{
    const bool mul = is_a(n, "Mul");
    *s = (struct scale){.x = OX_NONE};
    for (int i = mul ? 0 : 1; (mul || is_a(n, "Div")) && i < 2 && s->x == OX_NONE; i++) {
        const struct ox_tensor *t = constant(m, n->in[i]);
        const ox_val x = n->in[1 - i];
        float v = 0;
        if (!t || ox_tensor_elements(t) != 1 || t->ndim > m->values[x].shape.ndim) {
            continue;
        }
        MX_TRY(ox_tensor_read(t, &v));
        const double factor = mul ? (double)v : 1 / (double)v;
        if (fabs(factor) <= largest_factor && fabs(factor) >= 1 / largest_factor) {
            *s = (struct scale){x, n->in[i], (float)factor};
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

/* With constants that nobody else reads. */
static bool is_convolution(const struct ox_model *m, const struct ox_node *n)
{
    if ((!is_a(n, "Conv") && !is_a(n, "ConvTranspose")) || !constant(m, n->in[WEIGHT])
        || m->values[n->in[WEIGHT]].uses != 1) {
        return false;
    }
    const ox_val bias = n->n_in > BIAS ? n->in[BIAS] : OX_NONE;
    return bias == OX_NONE || (constant(m, bias) && m->values[bias].uses == 1);
}

static int multiply(struct ox_model *m, ox_val x, float factor)
{
    const struct ox_tensor *of = m->values[x].tensor;
    const uint64_t n = ox_tensor_elements(of);
    const float *copy = mx_arena_copy(&m->arena, &factor, 1, sizeof factor);
    struct ox_rows *rows = MX_ARENA_NEW(&m->arena, struct ox_rows);
    struct ox_piece *piece = MX_ARENA_NEW(&m->arena, struct ox_piece);
    struct ox_tensor *t = MX_ARENA_NEW(&m->arena, struct ox_tensor);
    MX_TRY_ALLOC(copy && rows && piece && t);
    *rows = (struct ox_rows){.of = of, .row = n > 0 ? n : 1, .factor = copy};
    *piece = (struct ox_piece){.kind = OX_PIECE_ROWS, .length = n * sizeof factor, .stored = MX_FLOAT32, .rows = rows};
    *t = (struct ox_tensor){
        .dtype = MX_FLOAT32, .ndim = of->ndim, .dims = of->dims, .pieces = piece, .n_pieces = n > 0 ? 1 : 0};
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
    if (s.x == OX_NONE || m->values[s.x].tensor) {
        return MX_OK;
    }
    ox_val *in = MX_ARENA_ARRAY(&m->arena, ox_val, (size_t)conv->n_in);
    MX_TRY_ALLOC(in);
    MX_TRY(multiply(m, conv->in[WEIGHT], s.factor));
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
    MX_TRY(multiply(m, conv->in[WEIGHT], s.factor));
    if (conv->n_in > BIAS && conv->in[BIAS] != OX_NONE) {
        MX_TRY(multiply(m, conv->in[BIAS], s.factor));
    }
    drop(m, n, &s, conv->out[0]);
    conv->out = n->out;
    m->values[n->out[0]].producer = conv;
    return MX_OK;
}

int ox_fold_scales(struct ox_model *m, struct mx_diags *diags)
{
    struct ox_graph *g = &m->main;
    int kept = 0;
    for (int i = 0; i < g->n_nodes; i++) {
        struct ox_node *n = g->nodes[i];
        const int status = is_convolution(m, n) ? scale_before(m, n) : scale_behind(m, n);
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
