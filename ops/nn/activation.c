/* Activation by name (src/operator/nn/activation-inl.h) and hard_sigmoid. */
#include "op/op.h"

struct activation {
    int act_type;
};

enum { RELU, SIGMOID, SOFTRELU, TANH, SOFTSIGN, LOG_SIGMOID, MISH };
static const char *const act_types[] = {"relu", "sigmoid", "softrelu", "tanh", "softsign", "log_sigmoid", "mish", NULL};
/* The ONNX operator for each; the last two were added in MXNet 2. */
static const enum ox_op op_types[] = {OX_Relu, OX_Sigmoid, OX_Softplus, OX_Tanh, OX_Softsign, OX_FOREIGN, OX_Mish};

static const struct mx_attr attrs[] = {MX_ENUM(struct activation, act_type, NULL, act_types)};

static ox_val write(struct ox_build *b, int act_type, ox_val x)
{
    if (act_type == LOG_SIGMOID) { /* -log(1 + exp(-x)), stable for large negative x */
        return ox_unary(b, OX_Neg, ox_unary(b, OX_Softplus, ox_unary(b, OX_Neg, x)));
    }
    if (act_type == MISH && !ox_has(b, OX_Mish)) {
        return ox_mul(b, x, ox_unary(b, OX_Tanh, ox_unary(b, OX_Softplus, x)));
    }
    return ox_unary(b, op_types[act_type], x);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct activation *a = n->attrs;
    out[0] = write(b, a->act_type, in[0]);
}

/* An operator for a single activation; integers are truncated, as for all functions of one tensor. */
static void lower_one(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const enum mx_dtype t = ox_dtype(b, in[0]);
    const ox_val x = mx_dtype_is_float(t) ? in[0] : ox_cast(b, in[0], MX_FLOAT64);
    out[0] = ox_cast(b, write(b, n->op->which, x), t);
}

struct hard_sigmoid {
    double alpha, beta;
};

static const struct mx_attr hard_attrs[] = {
    MX_FLOAT(struct hard_sigmoid, alpha, "0.2"),
    MX_FLOAT(struct hard_sigmoid, beta, "0.5"),
};

static void lower_hard(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct hard_sigmoid *a = n->attrs;
    out[0] = ox_node(b, OX_HardSigmoid, OX_IN(in[0]), OX_ATTRS(OX_F("alpha", a->alpha), OX_F("beta", a->beta)));
}

const struct mx_op mx_ops_activation[] = {
    {
        .name = "Activation",
        .alias = "_npx_activation",
        MX_ATTRS(attrs, struct activation),
        .infer = mx_infer_same,
        .lower = lower,
        .fusion = MX_FUSION_ACTIVATION,
        .any_rank = true,
    },
    {.name = "hard_sigmoid", MX_ATTRS(hard_attrs, struct hard_sigmoid), .infer = mx_infer_same, .lower = lower_hard},
    {
        .name = "log_sigmoid",
        .alias = "_sparse_log_sigmoid",
        .infer = mx_infer_same,
        .lower = lower_one,
        .which = LOG_SIGMOID,
        .differs = "Numbers below -103: the result is the number; MXNet's is -infinity.",
    },
    {.name = "mish", .alias = "_sparse_mish", .infer = mx_infer_same, .lower = lower_one, .which = MISH},
    MX_OPS_END,
};
