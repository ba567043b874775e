/* Nodes that MXNet's graph passes made from several (src/operator/subgraph/mkldnn): a convolution or a dense layer, then BatchNorm, an
 * activation, a sum.
 *
 * In floats the subgraph is written in place of the node. When quantised, the data, the weights and the sum are integers whose levels
 * follow from ranges; BatchNorm is folded into the weights, which are quantised row by row at export. In ONNX these are DequantizeLinear,
 * the layer and QuantizeLinear, which runtimes fuse into one kernel. */
#include <math.h>
#include <string.h>

#include "op/op.h"
#include "shared/quantized.h"

struct fused {
    bool quantized, enable_float_output, with_bn, with_sum;
    struct mx_calibration calibration;
};

/* The ignored attributes follow from the subgraph and the number of inputs; with_relu is that of MXNet up to 1.6. */
static const struct mx_attr attrs[] = {
    MX_BOOL(struct fused, quantized, "False"),
    MX_BOOL(struct fused, enable_float_output, "False"),
    MX_BOOL(struct fused, with_bn, "False"),
    MX_BOOL(struct fused, with_sum, "False"),
    MX_CALIBRATION(struct fused),
    MX_IGNORED("with_act with_postsum_act with_relu with_postsum_relu with_eltwise channel_wise_quantize fuse_relu"),
};

static int n_outputs(const void *attributes)
{
    const struct fused *a = attributes;
    return a->quantized && !a->enable_float_output ? 3 : 1;
}

static int fail_mismatch(struct mx_infer *c)
{
    return mx_infer_fail(c, NULL, "the subgraph does not match the inputs and outputs of the node" MX_HELP "quantise the model again");
}

/* ---- in floats */

/* The node's inputs have the shapes and types of the subgraph's. */
static int share_inputs(struct mx_infer *c)
{
    for (int i = 0; i < c->node->n_in; i++) {
        MX_TRY(mx_same_value(c, mx_body_input(c, 0, i), mx_in_value(c->node, i)));
    }
    return MX_OK;
}

static int infer_floats(struct mx_infer *c)
{
    const struct mx_node *n = c->node;
    if (n->n_subgraphs != 1 || n->subgraphs[0]->n_inputs != n->n_in || n->subgraphs[0]->n_heads != n->n_out) {
        return fail_mismatch(c);
    }
    MX_TRY(share_inputs(c));
    MX_TRY(mx_infer_body(c, 0));
    MX_TRY(share_inputs(c));
    for (int i = 0; i < n->n_out; i++) {
        MX_TRY(mx_same_value(c, mx_body_head(c, 0, i), &n->out[i]));
    }
    return MX_OK;
}

/* ---- the parts of a quantised node */

enum { MAX_REST = 3 };

/* The subgraph's nodes, which form a chain, and the positions of their inputs among the node's. */
struct parts {
    const struct mx_node *layer; /* the convolution or the dense layer */
    const struct mx_node *norm;  /* NULL: none */
    const struct mx_node *rest[MAX_REST];
    int n_rest;
    int sum, ranges; /* inputs; sum is 0 if there is none */
};

/* True if there are ranges for the data and each weight, which are integers then, and not only for the data and, if there is one, the
 * sum. */
static bool weights_are_integers(const struct mx_node *n, const struct parts *p)
{
    return !p->sum && !p->norm && n->n_in == 3 * p->layer->n_in;
}

/* MXNet makes the fused node the left operand of a sum (SgMKLDNNConvProperty::ConnectSubgraphInputs); what else a node reads are inputs of
 * the subgraph. */
static bool follows(const struct mx_node *n, const struct mx_node *before)
{
    bool chain = n->n_in > 0 && n->in[0].node == before && n->in[0].index == 0;
    for (int i = 1; i < n->n_in; i++) {
        chain = chain && mx_is_variable(n->in[i].node);
    }
    return chain;
}

/* The layer and the norm are only what MXNet fuses: their inputs are replaced and their shapes computed from the node's (copy_layer,
 * read_rows), which no other operator allows. */
static bool find_chain(const struct mx_graph *body, const struct fused *a, enum mx_fusion layer, struct parts *p)
{
    const struct mx_node *last = NULL;
    for (int i = 0; i < body->n_nodes; i++) {
        const struct mx_node *n = body->nodes[i];
        if (!n->op) {
            continue;
        }
        if (mx_op_is_unknown(n->op) || (last && !follows(n, last))) { /* MXNet fuses its own operators only */
            return false;
        }
        const enum mx_fusion wanted = !last ? layer : a->with_bn && !p->norm ? MX_FUSION_NORM : MX_FUSION_NONE;
        if (wanted != MX_FUSION_NONE && n->op->fusion != wanted) {
            return false;
        }
        if (!last) {
            p->layer = n;
        } else if (wanted == MX_FUSION_NORM) {
            p->norm = n;
        } else if (p->n_rest == MAX_REST || n->n_in > 2 || n->n_out != 1) {
            return false;
        } else {
            p->rest[p->n_rest++] = n;
        }
        last = n;
    }
    return body->n_heads == 1 && body->heads[0].node == last && body->heads[0].index == 0;
}

static bool find_parts(const struct mx_node *n, const struct fused *a, struct parts *p)
{
    *p = (struct parts){.layer = NULL};
    if (n->n_subgraphs != 1 || !find_chain(n->subgraphs[0], a, (enum mx_fusion)n->op->which, p) || (a->with_bn && !p->norm)) {
        return false;
    }
    p->ranges = p->layer->n_in + (p->norm ? 4 : 0);
    if (a->with_sum) {
        p->sum = p->ranges++;
    }
    int sums = 0;
    for (int i = 0; i < p->n_rest; i++) {
        sums += p->rest[i]->n_in == 2;
    }
    return sums == a->with_sum && (n->n_in == p->ranges + (p->sum ? 4 : 2) || weights_are_integers(n, p));
}

enum act { NO_ACT, RELU, BOUNDED, LEAKY, ABS, CURVE };

/* The activation at the end. Of functions without attributes, MXNet quantises abs only. */
static enum act act_of(const struct parts *p)
{
    const struct mx_node *n = p->n_rest > 0 ? p->rest[p->n_rest - 1] : NULL;
    if (!n || n->n_in != 1) {
        return NO_ACT;
    }
    const char *type = mx_attr_word(n, "act_type"); /* NULL in clip and abs */
    switch (n->op->fusion) {
    case MX_FUSION_ACTIVATION: return strcmp(type, "relu") == 0 ? RELU : CURVE;
    case MX_FUSION_LEAKY: return strcmp(type, "leaky") == 0 ? LEAKY : CURVE;
    case MX_FUSION_CLIP: return BOUNDED;
    case MX_FUSION_ABS: return ABS;
    case MX_FUSION_NONE:
    case MX_FUSION_CONVOLUTION:
    case MX_FUSION_DENSE:
    case MX_FUSION_NORM: break;
    }
    return CURVE;
}

/* IsOutputUInt8 in mkldnn_conv-inl.h and mkldnn_fc-inl.h: for a dense layer, a leaky ReLU counts as a ReLU there. */
static enum mx_dtype type_of(const struct fused *a, const struct parts *p, bool dense)
{
    const enum act act = act_of(p);
    if (a->enable_float_output) {
        return MX_FLOAT32;
    }
    if (!mx_calibrated(&a->calibration)) {
        return MX_INT32;
    }
    return act == RELU || act == BOUNDED || ((act == LEAKY || act == ABS) && dense) ? MX_UINT8 : MX_INT8;
}

/* ---- shapes and types of a quantised node */

/* The subgraph computes in floats; input i has the same shape as the value inside. */
static int share_shape(struct mx_infer *c, struct mx_value *inside, int i)
{
    struct mx_value outside = {mx_in_value(c->node, i)->shape, MX_FLOAT32};
    MX_TRY(mx_same_value(c, inside, &outside));
    return inside->shape.ndim < 0 ? MX_OK : mx_input_is(c, i, inside->shape);
}

static int share_shapes(struct mx_infer *c, const struct parts *p)
{
    const int n = p->layer->n_in;
    for (int i = 0; i < n; i++) {
        MX_TRY(share_shape(c, mx_in_value(p->layer, i), i));
    }
    for (int i = 0; i < 4 && p->norm; i++) {
        MX_TRY(share_shape(c, mx_in_value(p->norm, 1 + i), n + i));
    }
    for (int i = 0; i < p->n_rest; i++) {
        if (p->rest[i]->n_in == 2) {
            MX_TRY(share_shape(c, mx_in_value(p->rest[i], 1), p->sum));
        }
    }
    return MX_OK;
}

static int check_parts(struct mx_infer *c, const struct parts *p, enum mx_dtype out)
{
    MX_TRY(mx_input_is_byte(c, 0, "data"));
    if (p->sum) {
        MX_TRY(mx_input_is_byte(c, p->sum, "sum"));
        if (out == MX_INT8 && mx_input_dtype(c, p->sum) == MX_UINT8) {
            return mx_infer_fail(c, "with_sum",
                                 "MXNet adds an int8 result into a uint8 buffer here and reads it wrongly" MX_HELP
                                 "exclude this node from quantisation");
        }
    }
    if (act_of(p) == CURVE && out != MX_FLOAT32) {
        return mx_infer_fail(c, "act_type",
                             MX_SUBJECT "cannot be applied to quantised values" MX_HELP "exclude this node from quantisation");
    }
    return MX_OK;
}

static int infer_quantized(struct mx_infer *c)
{
    const struct fused *a = c->attrs;
    const struct mx_node *n = c->node;
    const bool dense = n->op->which == MX_FUSION_DENSE;
    struct parts p;
    if (!find_parts(n, a, &p)) {
        return fail_mismatch(c);
    }
    const enum mx_dtype out = type_of(a, &p, dense), weights = weights_are_integers(n, &p) ? MX_INT8 : MX_FLOAT32;
    MX_TRY(check_parts(c, &p, out));
    for (int i = 1; i < p.ranges; i++) {
        MX_TRY(i == p.sum ? MX_OK : mx_input_dtype_is(c, i, weights));
    }
    MX_TRY(mx_infer_ranges(c, p.ranges, n->n_in - p.ranges, 1, n->n_out - 1));
    MX_TRY(mx_output_dtype_is(c, 0, out));
    MX_TRY(share_shapes(c, &p));
    MX_TRY(mx_infer_body(c, 0));
    MX_TRY(share_shapes(c, &p));
    if (dense && mx_in_value(n, 0)->shape.ndim < 2) {
        return fail_mismatch(c);
    }
    return mx_output_is(c, 0, mx_body_head(c, 0, 0)->shape);
}

static int infer(struct mx_infer *c)
{
    const struct fused *a = c->attrs;
    return a->quantized ? infer_quantized(c) : infer_floats(c);
}

/* ---- levels: the float that an integer of 1 represents */

struct writing {
    struct ox_build *b;
    const struct mx_node *n;
    const ox_val *in;
    struct parts p;
    bool integers;    /* the layer's results stay integers: int32 */
    ox_val reach;     /* the largest magnitude of the data: float () */
    ox_val level;     /* of the data */
    float data_scale; /* 0: known only at run time */
};

/* An empty range, as of data that calibration found to be always 0, has a level too: what is scaled by it, as the bias, remains. */
static ox_val level_of(struct writing *w, ox_val x, int range)
{
    const enum mx_dtype t = ox_dtype(w->b, x);
    const ox_val reach = ox_reach(w->b, w->in[range], w->in[range + 1]);
    return mx_is_empty_range(w->b, reach) ? ox_float32(w->b, 1 / (double)mx_quantize_scale(t, 0)) : mx_level(w->b, reach, mx_levels(t));
}

/* Integers as floats: the values that they represent, or the integers themselves. */
static ox_val as_floats(struct writing *w, ox_val x, ox_val level)
{
    return w->integers ? ox_cast(w->b, x, MX_FLOAT32) : ox_dequantize(w->b, x, level);
}

/* ---- weights */

/* Facts about each row (output channel) of the weights. */
struct rows {
    int64_t n;
    float *factor; /* factor from BatchNorm, otherwise 1 */
    float *bias;
    float *scale; /* the largest magnitude, and then steps per 1: the weight is stored as weight * factor * scale */
};

/* False if the weight or the bias is not an initialiser. */
static bool read_rows(struct writing *w, struct rows *r)
{
    *r = (struct rows){.n = 0};
    if (!ox_size_at(w->b, w->in[1], 0, &r->n)) {
        return false;
    }
    r->factor = ox_scratch(w->b, (size_t)r->n + 1, 3 * sizeof *r->factor);
    if (!r->factor) {
        return false;
    }
    r->bias = r->factor + r->n;
    r->scale = r->bias + r->n;
    for (int64_t i = 0; i < r->n; i++) {
        r->factor[i] = 1;
    }
    return ox_row_reach(w->b, w->in[1], r->scale) && (w->p.layer->n_in < 3 || ox_read_floats(w->b, w->in[2], r->bias, r->n));
}

/* Folds BatchNorm into the rows (UpdateConvWeightBias). False if its parameters are not initialisers. */
static bool normalize_rows(struct writing *w, struct rows *r)
{
    const double *eps = mx_attr_field(w->p.norm, "eps", MX_ATTR_DOUBLE);
    const bool *fix_gamma = mx_attr_field(w->p.norm, "fix_gamma", MX_ATTR_BOOL);
    const ox_val *stats = w->in + w->p.layer->n_in;
    float *gamma = ox_scratch(w->b, (size_t)r->n + 1, 4 * sizeof *gamma);
    if (!gamma) {
        return false;
    }
    const float *beta = gamma + r->n, *mean = beta + r->n, *var = mean + r->n;
    for (int i = 0; i < 4; i++) {
        if (ox_failed(w->b) || !ox_read_floats(w->b, stats[i], gamma + i * r->n, r->n)) {
            return false;
        }
    }
    for (int64_t i = 0; i < r->n; i++) {
        r->factor[i] = (float)((double)(*fix_gamma ? 1.0F : gamma[i]) / sqrt((double)var[i] + *eps));
        r->bias[i] = beta[i] + r->factor[i] * (r->bias[i] - mean[i]);
        r->scale[i] *= fabsf(r->factor[i]);
    }
    return true;
}
/* From magnitudes to scales (GetWeightScales): for each row, such that its bias fits into half of an int32, or one scale for all rows if
 * the results stay integers. */
static void scale_rows(struct writing *w, struct rows *r)
{
    float all = 0;
    for (int64_t i = 0; i < r->n; i++) {
        all = fmaxf(all, r->scale[i]);
    }
    for (int64_t i = 0; i < r->n; i++) {
        r->scale[i] = mx_quantize_scale(MX_INT8, w->integers ? all : r->scale[i]);
        if (r->bias[i] != 0 && w->data_scale > 0 && !w->integers) {
            r->scale[i] = fminf(r->scale[i], (float)INT32_MAX / 2 / fabsf(r->bias[i]) / w->data_scale);
        }
    }
}

/* The weight as int8. With several groups oneDNN gives all rows of group g the scale of row g, but reads them with their own scales
 * (ConvertWeightBias2MKLDNN): a warning reports this. */
static ox_val write_rows(struct writing *w, const struct rows *r)
{
    const int64_t *groups = mx_attr_field(w->p.layer, "num_group", MX_ATTR_INT);
    const float *scale = r->scale;
    if (groups && !w->integers && *groups > 1 && *groups < r->n) {
        float *used = ox_scratch(w->b, (size_t)r->n, sizeof *used);
        for (int64_t i = 0; used && i < r->n; i++) {
            used[i] = r->scale[i / (r->n / *groups)];
        }
        ox_warn(w->b, "num_group", "MXNet scales the rows of a group by the scale of another row, and so does this model");
        scale = used;
    }
    return ox_failed(w->b) ? OX_NONE : ox_quantize_rows(w->b, w->in[1], r->factor, scale);
}

/* float (rows): the value of one step in each row. */
static ox_val levels_of(struct writing *w, const struct rows *r)
{
    float *v = ox_scratch(w->b, (size_t)r->n + 1, sizeof *v);
    for (int64_t i = 0; v && i < r->n; i++) {
        v[i] = 1 / r->scale[i];
    }
    return v ? ox_tensor(w->b, MX_FLOAT32, &r->n, 1, v) : OX_NONE;
}

/* An integer as int32, or the closest that there is. */
static int32_t saturated(float x)
{
    return x >= 2147483648.0F ? INT32_MAX : x >= -2147483648.0F ? (int32_t)x : INT32_MIN;
}

/* int32 (rows): the bias in steps of data times weight. */
static ox_val bias_in_row_steps(struct writing *w, const struct rows *r)
{
    int32_t *v = ox_scratch(w->b, (size_t)r->n + 1, sizeof *v);
    for (int64_t i = 0; v && i < r->n; i++) {
        v[i] = saturated(rintf(r->bias[i] * (r->scale[i] * w->data_scale)));
    }
    return v ? ox_tensor(w->b, MX_INT32, &r->n, 1, v) : OX_NONE;
}

/* The bias; it is not rounded if the data's level is known only at run time: a step of the int32 is far below one of the output. */
static ox_val write_bias(struct writing *w, const struct rows *r, ox_val levels)
{
    if (w->data_scale > 0) {
        return as_floats(w, bias_in_row_steps(w, r), ox_mul(w->b, w->level, levels));
    }
    const ox_val x = ox_tensor(w->b, MX_FLOAT32, &r->n, 1, r->bias);
    return w->integers ? ox_unary(w->b, OX_Round, ox_div(w->b, x, ox_mul(w->b, levels, w->level))) : x;
}

/* Float weights to int8 (src/operator/subgraph/mkldnn/mkldnn_common.h); *levels is float (rows). */
static void quantize_weights(struct writing *w, ox_val *weight, ox_val *bias, ox_val *levels)
{
    struct rows r;
    if (!read_rows(w, &r) || (w->p.norm && !normalize_rows(w, &r))) {
        ox_fail(w->b, NULL, "the weights are computed or are an input, but must be in the parameter file");
        return;
    }
    scale_rows(w, &r);
    *levels = levels_of(w, &r);
    *weight = as_floats(w, write_rows(w, &r), *levels);
    *bias = w->p.layer->n_in > 2 || w->p.norm ? write_bias(w, &r, *levels) : OX_NONE;
}

/* int32: the integers of the bias times a factor, rounded half away from zero. OX_NONE if the bias is not an initialiser. */
static ox_val bias_in_steps(struct writing *w, float factor)
{
    int64_t n = 0;
    (void)ox_size_at(w->b, w->in[2], 0, &n);
    float *x = ox_scratch(w->b, (size_t)n + 1, sizeof *x);
    int32_t *v = ox_scratch(w->b, (size_t)n + 1, sizeof *v);
    if (!x || !v || !ox_read_floats(w->b, w->in[2], x, n)) {
        return OX_NONE;
    }
    for (int64_t i = 0; i < n; i++) {
        v[i] = saturated(roundf(x[i] * factor));
    }
    return ox_tensor(w->b, MX_INT32, &n, 1, v);
}

/* The weight times a factor. OX_NONE if it is not an initialiser. */
static ox_val rescaled_weight(struct writing *w, float factor)
{
    int64_t n = 0;
    (void)ox_size_at(w->b, w->in[1], 0, &n);
    float *v = ox_scratch(w->b, (size_t)n + 1, 2 * sizeof *v);
    for (int64_t i = 0; v && i < n; i++) {
        v[i] = 1;
        v[n + i] = factor;
    }
    return v ? ox_quantize_rows(w->b, w->in[1], v, v + n) : OX_NONE;
}

/* Weights stored as integers, with one range for all rows (mkldnn_fc.cc). Where the bias would exceed half of an int32, as the bias of
 * data or of weights that are always 0, the steps become longer, and the weights are rounded to these. */
static void whole_weights(struct writing *w, ox_val *weight, ox_val *bias, ox_val *level)
{
    const int at = w->p.ranges;
    float reach, bias_reach;
    *level = w->integers ? mx_level_of(w->b, w->in[1], w->in[at + 2], w->in[at + 3]) : level_of(w, w->in[1], at + 2);
    *weight = as_floats(w, w->in[1], *level);
    *bias = OX_NONE;
    if (w->p.layer->n_in < 3) {
        return;
    }
    ox_val product = ox_mul(w->b, w->level, *level);
    if (w->data_scale > 0 && ox_read_floats(w->b, ox_reach(w->b, w->in[at + 2], w->in[at + 3]), &reach, 1)
        && ox_read_floats(w->b, ox_reach(w->b, w->in[at + 4], w->in[at + 5]), &bias_reach, 1)) {
        const float scale = mx_quantize_scale(MX_INT8, reach), bias_scale = mx_quantize_scale(MX_INT8, bias_reach);
        const float most = (float)(INT32_MAX / 2) / bias_reach / bias_scale;
        float factor = w->data_scale * scale / bias_scale;
        const float shorter = most * bias_scale / w->data_scale / scale;
        const ox_val rescaled = factor > most ? rescaled_weight(w, shorter) : OX_NONE;
        if (rescaled != OX_NONE) {
            const ox_val longer = ox_float32(w->b, 1 / (double)(scale * shorter));
            factor = most;
            *weight = as_floats(w, rescaled, longer);
            product = ox_mul(w->b, w->level, longer);
        }
        *bias = bias_in_steps(w, factor);
    }
    if (*bias != OX_NONE) {
        *bias = as_floats(w, *bias, product);
        return;
    }
    *bias = ox_dequantize(w->b, w->in[2], level_of(w, w->in[2], at + 4));
    *bias = w->integers ? ox_unary(w->b, OX_Round, ox_div(w->b, *bias, product)) : *bias;
}

/* ---- the layer and the nodes after it */

/* The layer with the bias that results from BatchNorm; a dense layer reads a matrix. */
static struct mx_node *copy_layer(struct writing *w, bool has_bias, ox_val x)
{
    const struct mx_node *layer = w->p.layer;
    const struct mx_shape s = layer->out[0].shape;
    struct mx_node *copy = ox_lasting(w->b, 1, sizeof *copy);
    struct mx_value *out = ox_lasting(w->b, 1, sizeof *out);
    struct mx_entry *in = ox_lasting(w->b, 3, sizeof *in);
    mx_dim *dims = ox_lasting(w->b, 2, sizeof *dims);
    if (!copy || !out || !in || !dims) {
        return NULL;
    }
    *copy = *layer;
    for (int i = 0; i < layer->n_in; i++) {
        in[i] = layer->in[i];
    }
    if (has_bias && layer->n_in == 2) {
        in[2] = w->p.norm->in[2]; /* beta has the shape of the bias that results */
    }
    copy->in = in;
    copy->n_in = has_bias ? 3 : 2;
    if (w->n->op->which == MX_FUSION_DENSE) {
        dims[0] = ox_dim_at(w->b, x, 0);
        dims[1] = s.dims[s.ndim - 1];
        *out = (struct mx_value){{2, dims}, layer->out[0].dtype};
        copy->out = out;
    }
    return copy;
}

/* Data of a dense layer as a matrix, while they are integers: then runtimes fuse the nodes after it. */
static ox_val as_matrix(struct writing *w, ox_val x)
{
    const int rank = ox_rank(w->b, x);
    if (w->n->op->which != MX_FUSION_DENSE || rank == 2) {
        return x;
    }
    if (w->p.layer->out[0].shape.ndim == 2) {
        return ox_node(w->b, OX_Flatten, OX_IN(x), OX_ATTRS(OX_I("axis", 1)));
    }
    const mx_dim *dims = ox_shape(w->b, x).dims;
    return ox_reshape_shape(w->b, x, MX_DIMS(mx_dim_product(ox_dims_table(w->b), dims, rank - 1), dims[rank - 1]));
}

static ox_val write_layer(struct writing *w, ox_val *weight_level)
{
    struct ox_build *b = w->b;
    ox_val in[3], y = OX_NONE;
    if (weights_are_integers(w->n, &w->p)) {
        whole_weights(w, &in[1], &in[2], weight_level);
    } else {
        quantize_weights(w, &in[1], &in[2], weight_level);
    }
    const bool late = !w->integers && ox_is_late(b, w->level);
    const ox_val bias = late ? in[2] : OX_NONE;
    in[0] = as_floats(w, as_matrix(w, w->in[0]), late ? ox_float32(b, 1) : w->level);
    in[2] = late ? OX_NONE : in[2];
    const struct mx_node *layer = ox_failed(b) ? NULL : copy_layer(w, in[2] != OX_NONE, in[0]);
    if (layer) {
        mx_lower_node(b, layer, in, &y);
    }
    if (late) { /* after the layer, whose data remain levels */
        y = ox_mul(b, y, w->level);
        y = bias != OX_NONE ? ox_add(b, y, ox_along(b, bias, 1, ox_rank(b, y))) : y;
    }
    return ox_failed(b) ? OX_NONE : ox_reshape_shape(b, y, w->p.layer->out[0].shape);
}

/* The level of the first row of the weights, float (): with integers as the result all rows have the same. */
static ox_val first_level(struct writing *w, ox_val levels)
{
    return ox_rank(w->b, levels) == 0 ? levels : ox_reshape_ints(w->b, ox_slice1(w->b, levels, 0, 0, 1), NULL, 0);
}

static ox_val write_sum(struct writing *w, ox_val weight_level)
{
    const int range = w->p.ranges + 2;
    ox_val level = level_of(w, w->in[w->p.sum], range);
    if (w->integers) {
        level = ox_div(w->b, level, ox_mul(w->b, w->level, first_level(w, weight_level)));
    }
    return ox_dequantize(w->b, w->in[w->p.sum], level);
}

/* A final ReLU has no effect with uint8, which saturates at 0 and at the end of the range; abs has one. */
static ox_val write_rest(struct writing *w, ox_val y, enum mx_dtype out, ox_val weight_level)
{
    const struct parts *p = &w->p;
    for (int i = 0; i < p->n_rest && !ox_failed(w->b); i++) {
        const struct mx_node *n = p->rest[i];
        ox_val in[2] = {y, OX_NONE};
        if (n->n_in == 2) {
            in[1] = write_sum(w, weight_level);
        } else if (out == MX_UINT8 && i == p->n_rest - 1 && act_of(p) != ABS) {
            break;
        }
        mx_lower_node(w->b, n, in, &y);
    }
    return y;
}

/* The float that an int32 of 2^31 - 1 represents; with uint8 data, one of the factors counts 255 levels (quantization_utils.h,
 * QuantizationRangeForMultiplication: the data of a convolution, the weights of a dense layer). */
static void write_whole(struct writing *w, ox_val y, ox_val weight_level, ox_val *out)
{
    struct ox_build *b = w->b;
    const double levels = ox_dtype(b, w->in[0]) == MX_INT8 ? 127 : 255;
    const ox_val weight_reach = ox_mul(b, first_level(w, weight_level), ox_float32(b, 127.5));
    const ox_val both = ox_mul(b, mx_level(b, w->reach, levels), mx_level(b, weight_reach, 127));
    out[0] = ox_cast(b, ox_unary(b, OX_Round, y), MX_INT32);
    mx_write_range(b, ox_mul(b, both, ox_float32(b, INT32_MAX)), out);
}

/* MXNet overwrites the memory of the sum and keeps its type: an int8 sum limits a uint8 output to 127 levels
 * (SgMKLDNNConvOperator::Forward). */
static ox_val cut_at_sum(struct writing *w, ox_val y, double level)
{
    if (!w->p.sum || ox_dtype(w->b, w->in[w->p.sum]) != MX_INT8) {
        return y;
    }
    ox_warn(w->b, "with_sum", "the sum is int8 and the output uint8: it ends at half of its range, as in MXNet");
    return ox_binary(w->b, OX_Min, y, ox_float32(w->b, INT8_MAX * level));
}

static void lower_quantized(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct fused *a = n->attrs;
    const enum mx_dtype t = n->out[0].dtype;
    struct writing w = {.b = b, .n = n, .in = in, .integers = t == MX_INT32};
    float reach;
    ox_val weight_level = OX_NONE;
    (void)find_parts(n, a, &w.p);
    w.reach = ox_reach(b, in[w.p.ranges], in[w.p.ranges + 1]);
    w.level = level_of(&w, in[0], w.p.ranges);
    w.data_scale = ox_read_floats(b, w.reach, &reach, 1) ? mx_quantize_scale(ox_dtype(b, in[0]), reach) : 0;
    const ox_val layer = write_layer(&w, &weight_level);
    const ox_val y = write_rest(&w, layer, t, weight_level);
    if (t == MX_FLOAT32 || ox_failed(b)) {
        out[0] = y;
        return;
    }
    if (w.integers) {
        write_whole(&w, y, weight_level, out);
        return;
    }
    const float end = (float)mx_calibrated_reach(&a->calibration);
    const double level = 1 / (double)mx_quantize_scale(t, end);
    out[0] = ox_quantize(b, t == MX_UINT8 ? cut_at_sum(&w, y, level) : y, ox_float32(b, level), t);
    mx_write_calibration(b, &a->calibration, out);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct fused *a = n->attrs;
    if (a->quantized) {
        lower_quantized(b, n, in, out);
    } else {
        mx_lower_body(b, n, 0, in, out);
    }
}

#define NOT_QUANTIZED                                                                                                                      \
    "quantized=True and an activation other than ReLU, leaky ReLU, clip and abs, unless the output is float32.\n"                          \
    "quantized=True and float weights that are not in the parameter file.\n"                                                               \
    "quantized=True and float weights, if the ONNX version that is written has no scale for each row: the error states the first one."
#define NO_INT8_SUM "\nquantized=True and an int8 output that is added to a uint8 sum: MXNet reads the sum wrongly."
#define NO_VNNI "quantized=True on a processor without VNNI: oneDNN saturates sums of products there; the results are those with VNNI."

#define ROW(...)                                                                                                                           \
    {                                                                                                                                      \
        MX_ATTRS(attrs, struct fused), .inputs = "data...", .outputs = "output...", .n_outputs = n_outputs, .infer = infer,                \
                                       .lower = lower, __VA_ARGS__, .differs = NO_VNNI                                                     \
    }

const struct mx_op mx_ops_fused[] = {
    ROW(.name = "_sg_mkldnn_conv", .alias = "_sg_onednn_conv", .which = MX_FUSION_CONVOLUTION, .refuses = NOT_QUANTIZED NO_INT8_SUM),
    ROW(.name = "_sg_mkldnn_fully_connected", .alias = "_sg_onednn_fully_connected", .which = MX_FUSION_DENSE, .refuses = NOT_QUANTIZED),
    MX_OPS_END,
};
