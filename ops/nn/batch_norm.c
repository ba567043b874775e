/* Batch normalisation with running statistics (src/operator/nn/batch_norm.cc) and related operators, which differ in training only.
 * NVIDIA's build of MXNet adds an activation, act_type, and BatchNormAddRelu. */
#include "op/op.h"

struct batch_norm {
    double eps;
    bool fix_gamma, output_mean_var;
    int64_t axis;
    int act_type;
};

#define IGNORED MX_IGNORED("momentum use_global_stats cudnn_off min_calib_range max_calib_range key ndev bn_group xbuf_ptr")

static const char *const act_types[] = {"None", "relu", NULL};
enum { NO_ACT };

/* An absent fix_gamma is true: gamma is then ones, whatever the file contains. The default of eps is a binary32. */
static const struct mx_attr attrs[] = {
    MX_DOUBLE(struct batch_norm, eps, "0.0010000000474974513"),
    MX_BOOL(struct batch_norm, fix_gamma, "True"),
    MX_BOOL(struct batch_norm, output_mean_var, "False"),
    MX_AXIS(struct batch_norm, axis, "1"),
    MX_ENUM(struct batch_norm, act_type, "None", act_types),
    IGNORED,
};

enum { DATA, GAMMA, BETA, MEAN, VAR, NORM_INPUTS };
enum { ADDEND = 3 }; /* of BatchNormAddRelu: before the running statistics */

/* The differences between the operators. */
struct variant {
    bool relu, var_is_var, adds;
};
static const struct variant plain = {0}, with_relu = {.relu = true}, first_version = {.var_is_var = true},
                            add_relu = {.relu = true, .adds = true};

/* The inputs of the normalisation, by DATA, GAMMA, ...: the number of the node's. */
static int input_of(const struct mx_op *op, int i)
{
    const struct variant *variant = op->data;
    return variant->adds && i >= ADDEND ? i + 1 : i;
}

/* float16 data have float32 statistics (BatchNormType). */
static int infer_types(struct mx_infer *c)
{
    enum mx_dtype t = mx_input_dtype(c, DATA);
    t = t == MX_DTYPE_NONE ? mx_output_dtype(c, 0) : t;
    const enum mx_dtype stats = t == MX_FLOAT16 ? MX_FLOAT32 : t;
    MX_TRY(mx_input_dtype_is(c, DATA, t));
    MX_TRY(mx_output_dtype_is(c, 0, t));
    for (int i = GAMMA; i <= VAR; i++) {
        MX_TRY(mx_input_dtype_is(c, input_of(c->node->op, i), stats));
    }
    for (int i = 1; i < c->node->n_out; i++) {
        MX_TRY(mx_output_dtype_is(c, i, stats));
    }
    return ((const struct variant *)c->node->op->data)->adds ? mx_input_dtype_is(c, ADDEND, t) : MX_OK;
}

static int infer(struct mx_infer *c)
{
    const struct batch_norm *a = c->attrs;
    struct mx_shape x;
    int axis;
    c->needs_rank = a->axis != 1 || ((const struct variant *)c->node->op->data)->adds || c->node->n_out > 1;
    MX_TRY(infer_types(c));
    MX_TRY(mx_input(c, DATA, &x));
    MX_TRY(mx_axis(c, a->axis, x.ndim, "axis", &axis));
    for (int i = GAMMA; i <= VAR; i++) {
        MX_TRY(mx_input_is_dims(c, input_of(c->node->op, i), &x.dims[axis], 1));
    }
    for (int i = 1; i < c->node->n_out; i++) {
        MX_TRY(mx_output_is_dims(c, i, &x.dims[axis], 1));
    }
    MX_TRY(((const struct variant *)c->node->op->data)->adds ? mx_input_is(c, ADDEND, x) : MX_OK);
    return mx_output_is(c, 0, x);
}

/* ONNX's channels are axis 1; a vector consists of channels only, with a batch of one. */
static ox_val normalize(struct ox_build *b, const struct batch_norm *a, const ox_val *in, ox_val gamma)
{
    const int rank = ox_rank(b, in[DATA]), axis = rank < 0 ? 1 : (int)mx_wrap(a->axis, rank);
    ox_val x = rank < 0 ? in[DATA] : rank == 1 ? ox_unsqueeze1(b, in[DATA], 0) : ox_move_axis(b, in[DATA], axis, 1);
    x = ox_node(b, OX_BatchNormalization, OX_IN(x, gamma, in[BETA], in[MEAN], in[VAR]), OX_ATTRS(OX_F("epsilon", a->eps)));
    return rank < 0 ? x : rank == 1 ? ox_squeeze1(b, x, 0) : ox_move_axis(b, x, 1, axis);
}

/* The third output is 1 / sqrt(var + eps), not the variance (batch_norm.cc, VARIANCE_TO_INVSTD), except in the first version of the
 * operator (batch_norm_v1-inl.h). */
static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *inputs, ox_val *out)
{
    const struct batch_norm *a = n->attrs;
    const struct variant *variant = n->op->data;
    ox_val in[NORM_INPUTS];
    for (int i = 0; i < NORM_INPUTS; i++) {
        in[i] = inputs[input_of(n->op, i)];
    }
    const ox_val gamma = a->fix_gamma ? ox_fill(b, ox_dtype(b, in[GAMMA]), ox_shape(b, in[GAMMA]), 1) : in[GAMMA];
    ox_val y = normalize(b, a, in, gamma);
    y = variant->adds ? ox_add(b, y, inputs[ADDEND]) : y;
    if (a->act_type != NO_ACT) {
        ox_note(b, "act_type", "a Relu follows, as in NVIDIA's build of MXNet (MXNet 1.9.1 does not load this model)");
    }
    out[0] = variant->relu || a->act_type != NO_ACT ? ox_unary(b, OX_Relu, y) : y;
    if (a->output_mean_var) {
        const ox_val var = ox_add(b, in[VAR], ox_scalar_like(b, in[VAR], a->eps));
        const ox_val inverse = ox_unary(b, OX_Reciprocal, ox_unary(b, OX_Sqrt, var));
        out[1] = in[MEAN];
        out[2] = variant->var_is_var ? in[VAR] : inverse;
    }
}

#define ROW_OF(names, ...)                                                                                                                 \
    {                                                                                                                                      \
        MX_ATTRS(attrs, struct batch_norm), .inputs = names, .outputs = "output mean:if(output_mean_var) var:if(output_mean_var)",         \
                                            .infer = infer, .lower = lower, .any_rank = true, __VA_ARGS__                                  \
    }
#define ROW(...) ROW_OF("data gamma:learned beta:learned moving_mean:aux moving_var:aux", __VA_ARGS__)

const struct mx_op mx_ops_batch_norm[] = {
    ROW(.name = "BatchNorm", .alias = "_npx_batch_norm", .data = &plain, .fusion = MX_FUSION_NORM),
    ROW(.name = "BatchNorm_v1", .data = &first_version),
    ROW(.name = "CuDNNBatchNorm", .data = &plain),
    ROW(.name = "_contrib_SyncBatchNorm", .alias = "_npx_sync_batch_norm", .data = &plain),
    ROW(.name = "_contrib_BatchNormWithReLU", .alias = "_npx_batch_norm_with_relu", .data = &with_relu),
    ROW_OF("data gamma:learned beta:learned addend moving_mean:aux moving_var:aux", .name = "BatchNormAddRelu", .data = &add_relu),
    MX_OPS_END,
};
