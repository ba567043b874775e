/* Merges a BatchNormalization into the convolution before it, as runtimes do when they load a model:
 *
 *     gamma (W x + b - mean) / deviation + beta = (f W) x + (f (b - mean) + beta),  f = gamma / deviation
 *
 * W stays in its file, and its rows are multiplied while they are written; the vectors are computed here. Anything with other readers is
 * left alone: a result that is an output, or a weight shared by two convolutions unless both are followed by the same normalisation.
 *
 * A normalisation of float16 that is left has its vectors in float16, too: OpenVINO and tract refuse two types, and ONNX Runtime has no
 * kernel for them on a GPU. Its scale and bias are f and beta - f mean, as a convolution's would be: a variance may exceed float16. */
#include <math.h>
#include <string.h>

#include "base/budget.h"
#include "onnx/pass/rewrite.h"
#include "onnx/tensor/bytes.h"

enum { GAMMA = 1, BETA, MEAN, VAR, NORM_INPUTS = 5 }; /* of BatchNormalization */

/* The vectors of a node, if they are constants, have the rank 1 (operators.inc). */
static bool has_size(const struct ox_tensor *t, int64_t n)
{
    return t && t->dims[0] == n;
}

/* What follows the convolutions that read a weight, indexed by the weight's number. */
struct follower {
    struct ox_node *norm; /* the first */
    int count;            /* of it and its equals */
    ox_val bias;          /* the new bias of their convolutions */
    bool counted;         /* indexed by the number of a result: true for that of one of them */
};

/* ---- float32 that is written as float16: factors and sums are computed before rounding */

static bool is_single(const struct ox_tensor *t)
{
    bool from = t && (t->dtype == MX_FLOAT32 || (t->dtype == MX_FLOAT16 && t->clamp));
    if (from && t->dtype == MX_FLOAT16 && t->base) {
        return t->base->dtype == MX_FLOAT32;
    }
    for (int i = 0; from && t->dtype == MX_FLOAT16 && i < t->n_pieces; i++) {
        from = t->pieces[i].kind == OX_PIECE_RANGE && t->pieces[i].stored == MX_FLOAT32;
    }
    return from;
}

/* The same tensor before rounding. */
static const struct ox_tensor *single_of(struct ox_model *m, const struct ox_tensor *t)
{
    struct ox_tensor *single = t->dtype == MX_FLOAT32 ? NULL : mx_arena_copy(&m->arena, t, 1, sizeof *t);
    if (!single) {
        return t->dtype == MX_FLOAT32 ? t : NULL;
    }
    single->dtype = MX_FLOAT32;
    single->clamp = false;
    return single;
}

/* A float32 tensor converted to this type; NULL when memory runs out. */
static const struct ox_tensor *as_written(struct ox_model *m, const struct ox_tensor *t, enum mx_dtype type)
{
    if (!t || type == MX_FLOAT32) {
        return t;
    }
    struct ox_tensor *view = MX_ARENA_NEW(&m->arena, struct ox_tensor);
    int64_t *strides = MX_ARENA_ARRAY(&m->arena, int64_t, (size_t)t->ndim);
    if (!view || !strides) {
        return NULL;
    }
    ox_row_major(t->dims, t->ndim, strides);
    *view = (struct ox_tensor){.dtype = type, .ndim = t->ndim, .dims = t->dims, .clamp = true, .base = t, .strides = strides};
    return view;
}

/* The number of elements of gamma, beta, mean and var; 0 if these are not float32 constants of one size. */
static int64_t channels_of(const struct ox_model *m, const struct ox_node *norm)
{
    const struct ox_tensor *gamma = ox_float_tensor(m, norm->in[GAMMA]);
    int64_t n = gamma ? gamma->dims[0] : 0;
    for (int i = BETA; i <= VAR; i++) {
        n = has_size(ox_float_tensor(m, norm->in[i]), n) ? n : 0;
    }
    return n;
}

/* A norm by mean and var; a handler may write one by the batch's statistics. */
static bool is_inference(const struct ox_node *n)
{
    return ox_node_is(n, OX_BatchNormalization) && n->n_out == 1 && ox_attr_int(n->attrs, "training_mode", 0) == 0;
}

/* The convolution before n, if n is its only reader and the weights of both are constants; otherwise NULL. */
static struct ox_node *convolution_before(const struct ox_model *m, const struct ox_node *n)
{
    if (!is_inference(n)) {
        return NULL;
    }
    struct ox_node *conv = ox_only_maker(m, &m->main, n->in[0]);
    const struct ox_tensor *weight = ox_is_conv(conv) ? m->values[conv->in[OX_CONV_WEIGHT]].tensor : NULL;
    struct ox_rows rows = {.of = weight};
    const int64_t channels = channels_of(m, n);
    if (!is_single(weight) || weight->ndim < 3 || ox_tensor_elements(weight) == 0 || ox_is_deep(weight)
        || !ox_conv_rows(conv, false, channels, &rows)) {
        return NULL;
    }
    const ox_val bias = ox_conv_bias(conv);
    if (bias != OX_NONE && (!is_single(m->values[bias].tensor) || !has_size(m->values[bias].tensor, channels))) {
        return NULL;
    }
    return conv;
}

static double epsilon_of(const struct ox_node *n)
{
    const struct ox_attr *a = ox_find_attr(n->attrs, "epsilon");
    return a ? a->f : 1e-5;
}

/* From gamma, beta, mean, var and the bias: factors in place of gamma, the new bias in place of beta. False if a result would be NaN or
 * infinite. */
static bool combine(float *v[NORM_INPUTS + 1], int64_t n, double epsilon)
{
    for (int64_t c = 0; c < n; c++) {
        const double factor = (double)v[GAMMA][c] / sqrt((double)v[VAR][c] + epsilon);
        const double bias = (double)v[BETA][c] + factor * ((double)v[NORM_INPUTS][c] - (double)v[MEAN][c]);
        if (!(fabs(factor) <= OX_LARGEST_FACTOR) || !isfinite((float)bias)) {
            return false;
        }
        v[GAMMA][c] = (float)factor;
        v[BETA][c] = (float)bias;
    }
    return true;
}

/* Reads the vectors of both nodes, which v gets; the last one is the bias, or zeros. */
static int read_vectors(struct ox_model *m, const struct ox_node *norm, ox_val bias, float *v[NORM_INPUTS + 1])
{
    const size_t n = (size_t)channels_of(m, norm);
    float *numbers = MX_ARENA_ARRAY(&m->arena, float, NORM_INPUTS *n);
    MX_TRY_ALLOC(numbers);
    for (int i = GAMMA; i <= NORM_INPUTS; i++) {
        v[i] = numbers + (size_t)(i - 1) * n;
    }
    for (int i = GAMMA; i <= VAR; i++) {
        MX_TRY(ox_tensor_read(m->values[norm->in[i]].tensor, v[i]));
    }
    if (bias == OX_NONE) {
        return MX_OK;
    }
    const struct ox_tensor *t = single_of(m, m->values[bias].tensor);
    MX_TRY_ALLOC(t);
    return ox_tensor_read(t, v[NORM_INPUTS]);
}

/* A value for the new bias: the old one if nothing else reads it. */
static int place_bias(struct ox_model *m, const struct ox_node *norm, const struct ox_tensor *bias, struct follower *b)
{
    if (b->bias == OX_NONE || m->values[b->bias].uses != b->count) {
        b->bias = ox_add_value(m, bias->dtype, m->values[norm->in[BETA]].shape);
        MX_TRY_ALLOC(b->bias != OX_NONE);
    }
    m->values[b->bias].tensor = bias;
    return MX_OK;
}

/* Makes conv, with this bias, produce the result of norm, which is removed. */
static int replace(struct ox_model *m, struct ox_node *norm, struct ox_node *conv, ox_val bias)
{
    MX_TRY(ox_set_inputs(m, conv, (const ox_val[]){conv->in[0], conv->in[OX_CONV_WEIGHT], bias}, 3));
    ox_remove_node(m, norm);
    return ox_set_result(m, conv, norm->out[0]);
}

/* The weight and the bias for b's convolutions, among them conv; b->count becomes 0 if they cannot be merged. */
static int fold(struct ox_model *m, struct ox_node *norm, struct ox_node *conv, struct follower *b)
{
    const int64_t channels = channels_of(m, norm);
    const struct ox_tensor *old = m->values[conv->in[OX_CONV_WEIGHT]].tensor;
    struct ox_rows rows = {.of = single_of(m, old)};
    MX_TRY_ALLOC(rows.of);
    float *v[NORM_INPUTS + 1] = {NULL};
    MX_TRY(read_vectors(m, norm, ox_conv_bias(conv), v));
    if (!combine(v, channels, epsilon_of(norm))) {
        b->count = 0;
        return MX_OK;
    }
    (void)ox_conv_rows(conv, false, channels, &rows);
    rows.factor = v[GAMMA];
    const struct ox_tensor *weight = as_written(m, ox_scaled_tensor(m, rows), old->dtype);
    const struct ox_tensor *bias = as_written(m, ox_bytes_tensor(m, MX_FLOAT32, &channels, 1, v[BETA]), old->dtype);
    MX_TRY_ALLOC(weight && bias);
    m->values[conv->in[OX_CONV_WEIGHT]].tensor = weight;
    b->bias = ox_conv_bias(conv);
    return place_bias(m, norm, bias, b);
}

/* ---- weights that several convolutions read */

static bool same_norm(const struct ox_model *m, const struct ox_node *x, const struct ox_node *y)
{
    const struct ox_node *cx = m->values[x->in[0]].producer, *cy = m->values[y->in[0]].producer;
    return memcmp(x->in + GAMMA, y->in + GAMMA, VAR * sizeof *x->in) == 0 && epsilon_of(x) >= epsilon_of(y)
           && epsilon_of(x) <= epsilon_of(y) && ox_conv_bias(cx) == ox_conv_bias(cy) && cx->op == cy->op;
}

static void count_norms(const struct ox_model *m, struct follower *list)
{
    for (int i = 0; i < m->main.n_nodes; i++) {
        struct ox_node *n = m->main.nodes[i];
        const struct ox_node *conv = convolution_before(m, n);
        struct follower *b = conv ? &list[conv->in[OX_CONV_WEIGHT]] : NULL;
        if (b && !b->norm) {
            b->norm = n;
        }
        if (b && same_norm(m, b->norm, n)) {
            b->count++;
            list[n->out[0]].counted = true;
        }
    }
}

/* A normalisation of another one's result gets its convolution when the other is removed: it was not counted, and by then a weight with
 * other readers has been multiplied. */
static int fold_all(struct ox_model *m, struct follower *list)
{
    for (int i = 0; i < m->main.n_nodes; i++) {
        struct ox_node *n = m->main.nodes[i], *conv = convolution_before(m, n);
        MX_TRY(mx_tick(m->arena.budget, MX_TICK_NODE));
        const int uses = conv ? m->values[conv->in[OX_CONV_WEIGHT]].uses : 0;
        struct follower alone = {.norm = n, .count = 1};
        struct follower *b = uses == 1 ? &alone : conv && list[n->out[0]].counted ? &list[conv->in[OX_CONV_WEIGHT]] : NULL;
        if (!b || b->count != uses) {
            continue;
        }
        MX_TRY(n == b->norm ? fold(m, n, conv, b) : MX_OK);
        MX_TRY(b->count > 0 ? replace(m, n, conv, b->bias) : MX_OK);
    }
    return MX_OK;
}

/* ---- what is left in float16 */

static bool fits_half(const float *v, int64_t n)
{
    for (int64_t c = 0; c < n; c++) {
        if (!(fabs((double)v[c]) <= mx_dtype_largest(MX_FLOAT16))) {
            return false;
        }
    }
    return true;
}

static int use_one_type(struct ox_build *b, struct ox_node *n, void *user, bool *changed)
{
    struct ox_model *m = b->model;
    if (!is_inference(n) || m->values[n->in[0]].dtype != MX_FLOAT16) {
        return MX_OK;
    }
    const int64_t channels = channels_of(m, n);
    float *v[NORM_INPUTS + 1] = {NULL};
    if (channels == 0) {
        return MX_OK;
    }
    MX_TRY(read_vectors(m, n, OX_NONE, v));
    if (!combine(v, channels, epsilon_of(n)) || !fits_half(v[GAMMA], channels) || !fits_half(v[BETA], channels)) {
        return MX_OK;
    }
    ox_val in[NORM_INPUTS] = {n->in[0]};
    for (int i = GAMMA; i <= BETA; i++) {
        const struct ox_tensor *t = as_written(m, ox_bytes_tensor(m, MX_FLOAT32, &channels, 1, v[i]), MX_FLOAT16);
        MX_TRY_ALLOC(t);
        MX_TRY(ox_add_constant(m, t, &in[i]));
    }
    const struct ox_attr *exact = ox_copy_attrs(&m->arena, OX_ATTRS(OX_F("epsilon", 0)), 0);
    MX_TRY_ALLOC(exact);
    b->node = n->from;
    const struct mx_shape shape = m->values[in[GAMMA]].shape;
    in[MEAN] = ox_fill(b, MX_FLOAT16, shape, 0);
    in[VAR] = ox_fill(b, MX_FLOAT16, shape, 1);
    MX_TRY(ox_status(b));
    n->attrs = exact;
    *changed = true;
    return ox_set_inputs(m, n, in, NORM_INPUTS);
}

int ox_fold_batch_norms(struct ox_model *m)
{
    const size_t count = (size_t)m->n_values + 1;
    struct follower *list = mx_budget_array(m->arena.budget, NULL, 0, count, sizeof *list);
    MX_TRY_ALLOC(list);
    count_norms(m, list);
    int status = fold_all(m, list);
    mx_budget_array_free(m->arena.budget, list, count, sizeof *list);
    status = status == MX_OK ? ox_rewrite_nodes(m, use_one_type, NULL) : status;
    if (status != MX_OK) {
        return status == MX_OUT_OF_MEMORY ? status : mx_fail(m->diags, status, MX_NOWHERE, OX_UNREAD);
    }
    ox_drop_dead(m);
    return MX_OK;
}
