/* The loss as a single number (src/operator/loss_binary_op-inl.h): sum of -log(max(probability of the label, 1e-8)). */
#include "op/op.h"

static int infer(struct mx_infer *c)
{
    struct mx_shape x;
    const mx_dim one = mx_dim_of(1);
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input_rank(c, 0, 2, &x));
    MX_TRY(mx_input_is_dims(c, 1, x.dims, 1));
    return mx_output_is_dims(c, 0, &one, 1);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const ox_val label = ox_unsqueeze1(b, ox_cast(b, in[1], MX_INT64), 1);
    const ox_val p = ox_softmax(b, OX_Softmax, in[0], 1);
    const ox_val picked = ox_node(b, OX_GatherElements, OX_IN(p, label), OX_ATTRS(OX_I("axis", 1)));
    const ox_val log = ox_unary(b, OX_Log, ox_binary(b, OX_Max, picked, ox_scalar_like(b, picked, 1e-8)));
    const ox_val sum = ox_reduce(b, OX_ReduceSum, log, (const int64_t[]){0, 1}, 2, false);
    out[0] = ox_unsqueeze1(b, ox_unary(b, OX_Neg, sum), 0);
}

const struct mx_op mx_ops_softmax_cross_entropy[] = {
    {.name = "softmax_cross_entropy", .single = true, .inputs = "data label", .infer = infer, .lower = lower},
    MX_OPS_END,
};
