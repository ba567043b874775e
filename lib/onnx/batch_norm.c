/* BatchNormalization behind a convolution goes into its weights, as runtimes do it when they load a model:
 *
 *     gamma (W x + b - mean) / deviation + beta = (f W) x + (f (b - mean) + beta),  f = gamma / deviation
 *
 * W stays in its file, its rows are multiplied while they are written; the vectors are computed here. What somebody else
 * reads stays as it is: a result that is an output, a weight that two convolutions share, unless the same normalisation
 * is behind both. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "onnx/build_internal.h"
#include "onnx/data.h"
#include "onnx/write.h"

enum { WEIGHT = 1, BIAS = 2 };                      /* inputs of Conv */
enum { GAMMA = 1, BETA, MEAN, VAR, NORM_INPUTS = 5 }; /* of BatchNormalization */

/* A product beyond this may overflow where the two steps do not. */
static const double largest_factor = 1e9;

static const struct ox_tensor *constant(const struct ox_model *m, ox_val x)
{
    const struct ox_value *v = &m->values[x];
    return x > OX_NONE && v->tensor && v->dtype == MX_FLOAT32 ? v->tensor : NULL;
}

static bool is_vector(const struct ox_tensor *t, int64_t n)
{
    return t && t->ndim == 1 && t->dims[0] == n;
}

/* What stands behind the convolutions that read a weight, by the weight's number. */
struct behind {
    struct ox_node *norm; /* the first */
    int count;            /* it and its likes */
    ox_val bias;          /* that they have from then on */
};

static bool is_convolution(const struct ox_node *n)
{
    return !n->domain && (strcmp(n->op_type, "Conv") == 0 || strcmp(n->op_type, "ConvTranspose") == 0);
}

/* A weight of ConvTranspose is (in, out / groups, ...), of Conv (out, in / groups, ...). */
static int64_t groups_of_rows(const struct ox_node *conv)
{
    return conv->op_type[4] ? ox_attr_int(conv->attrs, "group", 1) : 1;
}

static int64_t channels_of(const struct ox_node *conv, const struct ox_tensor *weight)
{
    return conv->op_type[4] ? weight->dims[1] * groups_of_rows(conv) : weight->dims[0];
}

static ox_val bias_of(const struct ox_node *conv)
{
    return conv->n_in > BIAS ? conv->in[BIAS] : OX_NONE;
}

/* The convolution whose only reader n is, all of constants; NULL if n stays. */
static struct ox_node *convolution_before(const struct ox_model *m, const struct ox_node *n)
{
    if (strcmp(n->op_type, "BatchNormalization") != 0 || n->domain || n->n_in != NORM_INPUTS || n->n_out != 1) {
        return NULL;
    }
    const struct ox_value *between = &m->values[n->in[0]];
    struct ox_node *conv = between->producer;
    if (!conv || !is_convolution(conv) || between->uses != 1 || between->is_output || between->graph != &m->main
        || conv->n_in < 2) {
        return NULL;
    }
    const struct ox_tensor *weight = constant(m, conv->in[WEIGHT]);
    if (!weight || weight->ndim < 3 || ox_tensor_elements(weight) == 0) {
        return NULL;
    }
    const int64_t channels = channels_of(conv, weight), groups = groups_of_rows(conv);
    if (groups < 1 || weight->dims[0] % groups != 0) {
        return NULL;
    }
    if (bias_of(conv) != OX_NONE && !is_vector(constant(m, bias_of(conv)), channels)) {
        return NULL;
    }
    for (int i = GAMMA; i <= VAR; i++) {
        if (!is_vector(constant(m, n->in[i]), channels)) {
            return NULL;
        }
    }
    return conv;
}

static double epsilon_of(const struct ox_node *n)
{
    const struct ox_attr *a = ox_find_attr(n->attrs, "epsilon");
    return a ? a->f : 1e-5;
}

/* From gamma, beta, mean, var and the bias: factors in place of gamma, the new bias in place of beta. False if a number
 * would come out that is none. */
static bool combine(float *v[NORM_INPUTS + 1], int64_t n, double epsilon)
{
    for (int64_t c = 0; c < n; c++) {
        const double factor = (double)v[GAMMA][c] / sqrt((double)v[VAR][c] + epsilon);
        const double bias = (double)v[BETA][c] + factor * ((double)v[NORM_INPUTS][c] - (double)v[MEAN][c]);
        if (!(fabs(factor) <= largest_factor) || !isfinite((float)bias)) {
            return false;
        }
        v[GAMMA][c] = (float)factor;
        v[BETA][c] = (float)bias;
    }
    return true;
}

/* The vectors that both nodes hold, one behind the other; the last is the bias, or zeros. */
static int read_vectors(const struct ox_model *m, const struct ox_node *norm, const struct ox_node *conv, float *out,
                        size_t n)
{
    for (int i = GAMMA; i <= VAR; i++) {
        MX_TRY(ox_tensor_read(m->values[norm->in[i]].tensor, out + (size_t)(i - 1) * n));
    }
    if (conv->n_in > BIAS && conv->in[BIAS] != OX_NONE) {
        return ox_tensor_read(m->values[conv->in[BIAS]].tensor, out + VAR * n);
    }
    return MX_OK;
}

static const struct ox_tensor *scaled(struct ox_model *m, const struct ox_node *conv, const struct ox_tensor *of,
                                      const float *factor)
{
    const uint64_t n = ox_tensor_elements(of), channels = (uint64_t)channels_of(conv, of);
    const uint64_t groups = (uint64_t)groups_of_rows(conv);
    const bool turned = conv->op_type[4];
    struct ox_rows *rows = MX_ARENA_NEW(&m->arena, struct ox_rows);
    struct ox_piece *piece = MX_ARENA_NEW(&m->arena, struct ox_piece);
    struct ox_tensor *t = MX_ARENA_NEW(&m->arena, struct ox_tensor);
    if (!rows || !piece || !t) {
        return NULL;
    }
    *rows = (struct ox_rows){.of = of, .row = n / (uint64_t)of->dims[0], .factor = factor};
    if (turned) {
        rows->row /= (uint64_t)of->dims[1];
        rows->cycle = channels / groups;
        rows->group = (uint64_t)of->dims[0] / groups * rows->cycle;
    }
    *piece = (struct ox_piece){.kind = OX_PIECE_ROWS, .length = n * sizeof *factor, .stored = MX_FLOAT32, .rows = rows};
    *t = (struct ox_tensor){.dtype = MX_FLOAT32, .ndim = of->ndim, .dims = of->dims, .pieces = piece, .n_pieces = 1};
    return t;
}

static const struct ox_tensor *vector(struct ox_model *m, const float *v, int64_t n)
{
    struct ox_piece *piece = MX_ARENA_NEW(&m->arena, struct ox_piece);
    struct ox_tensor *t = MX_ARENA_NEW(&m->arena, struct ox_tensor);
    int64_t *dims = MX_ARENA_NEW(&m->arena, int64_t);
    if (!piece || !t || !dims) {
        return NULL;
    }
    *dims = n;
    *piece = (struct ox_piece){.kind = OX_PIECE_BYTES, .length = (uint64_t)n * sizeof *v,
                               .bytes = (const uint8_t *)v};
    *t = (struct ox_tensor){.dtype = MX_FLOAT32, .ndim = 1, .dims = dims, .pieces = piece, .n_pieces = 1};
    return t;
}

static void release(struct ox_model *m, ox_val x)
{
    struct ox_value *v = &m->values[x];
    v->dead = --v->uses == 0 && !v->is_output && !v->is_input;
}

/* A value for the new bias: the old one's place if nobody else reads that. */
static int place_bias(struct ox_model *m, const struct ox_node *norm, const struct ox_tensor *bias, struct behind *b)
{
    if (b->bias == OX_NONE || m->values[b->bias].uses != b->count) {
        MX_TRY(ox_model_add_value(m, &b->bias));
        m->values[b->bias] = (struct ox_value){.dtype = MX_FLOAT32, .shape = m->values[norm->in[BETA]].shape};
    }
    m->values[b->bias].tensor = bias;
    return MX_OK;
}

/* conv gives what norm does, with this bias; norm goes. */
static int replace(struct ox_model *m, struct ox_node *norm, struct ox_node *conv, ox_val bias)
{
    ox_val *ends = MX_ARENA_ARRAY(&m->arena, ox_val, 4);
    MX_TRY_ALLOC(ends);
    const ox_val old = bias_of(conv);
    if (bias != old) {
        m->values[bias].uses++;
        if (old != OX_NONE) {
            release(m, old);
        }
    }
    ends[0] = conv->in[0];
    ends[WEIGHT] = conv->in[WEIGHT];
    ends[BIAS] = bias;
    ends[3] = norm->out[0];
    for (int i = GAMMA; i <= VAR; i++) {
        release(m, norm->in[i]);
    }
    release(m, norm->in[0]);
    conv->in = ends;
    conv->n_in = 3;
    conv->out = ends + 3;
    m->values[norm->out[0]].producer = conv;
    norm->dead = true;
    return MX_OK;
}

/* The weight and the bias for b's convolutions, of which conv is one; b->count becomes 0 if they would not do. */
static int fold(struct ox_model *m, struct ox_node *norm, struct ox_node *conv, struct behind *b)
{
    const struct ox_tensor *weight = m->values[conv->in[WEIGHT]].tensor;
    const int64_t channels = channels_of(conv, weight);
    const size_t n = (size_t)channels;
    float *numbers = MX_ARENA_ARRAY(&m->arena, float, NORM_INPUTS * n);
    MX_TRY_ALLOC(numbers);
    MX_TRY(read_vectors(m, norm, conv, numbers, n));
    float *v[NORM_INPUTS + 1] = {NULL};
    for (int i = GAMMA; i <= NORM_INPUTS; i++) {
        v[i] = numbers + (size_t)(i - 1) * n;
    }
    if (!combine(v, channels, epsilon_of(norm))) {
        b->count = 0;
        return MX_OK;
    }
    const struct ox_tensor *bias = vector(m, v[BETA], channels);
    weight = scaled(m, conv, weight, v[GAMMA]);
    MX_TRY_ALLOC(weight && bias);
    m->values[conv->in[WEIGHT]].tensor = weight;
    b->bias = bias_of(conv);
    return place_bias(m, norm, bias, b);
}

/* ---- weights that several convolutions read */

static bool same_norm(const struct ox_model *m, const struct ox_node *x, const struct ox_node *y)
{
    const struct ox_node *cx = m->values[x->in[0]].producer, *cy = m->values[y->in[0]].producer;
    return memcmp(x->in + GAMMA, y->in + GAMMA, VAR * sizeof *x->in) == 0 && epsilon_of(x) >= epsilon_of(y)
        && epsilon_of(x) <= epsilon_of(y) && bias_of(cx) == bias_of(cy) && cx->op_type == cy->op_type
        && groups_of_rows(cx) == groups_of_rows(cy);
}

static void count_norms(const struct ox_model *m, struct behind *list)
{
    for (int i = 0; i < m->main.n_nodes; i++) {
        struct ox_node *n = m->main.nodes[i];
        const struct ox_node *conv = convolution_before(m, n);
        struct behind *b = conv ? &list[conv->in[WEIGHT]] : NULL;
        if (b && !b->norm) {
            b->norm = n;
        }
        if (b && same_norm(m, b->norm, n)) {
            b->count++;
        }
    }
}

static int fold_all(struct ox_model *m, struct behind *list)
{
    for (int i = 0; i < m->main.n_nodes; i++) {
        struct ox_node *n = m->main.nodes[i], *conv = convolution_before(m, n);
        struct behind *b = conv ? &list[conv->in[WEIGHT]] : NULL;
        if (!b || b->count != m->values[conv->in[WEIGHT]].uses) {
            continue;
        }
        MX_TRY(n == b->norm ? fold(m, n, conv, b) : MX_OK);
        MX_TRY(b->count > 0 ? replace(m, n, conv, b->bias) : MX_OK);
    }
    return MX_OK;
}

int ox_fold_batch_norms(struct ox_model *m, struct mx_diags *diags)
{
    struct behind *list = mx_calloc((size_t)m->n_values + 1, sizeof *list);
    MX_TRY_ALLOC(list);
    count_norms(m, list);
    const int status = fold_all(m, list);
    mx_free(list);
    if (status != MX_OK) {
        return status == MX_OUT_OF_MEMORY ? status
                                          : mx_fail(diags, status, (struct mx_where){0}, "a parameter cannot be read");
    }
    ox_drop_dead(m);
    return MX_OK;
}
