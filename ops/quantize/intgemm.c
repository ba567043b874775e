/* intgemm's quantisation: the largest magnitude, and data in steps of it (src/operator/contrib/intgemm). Operators on prepared weights
 * are not supported, since the layout of these depends on the processor. */
#include "op/op.h"

static int infer_most(struct mx_infer *c)
{
    MX_TRY(mx_input_dtype_is(c, 0, MX_FLOAT32));
    MX_TRY(mx_output_dtype_is(c, 0, MX_FLOAT32));
    return mx_output_is(c, 0, MX_DIMS(mx_dim_of(1)));
}

static void lower_most(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const ox_val most = ox_reduce(b, OX_ReduceMax, ox_unary(b, OX_Abs, in[0]), NULL, -1, false);
    out[0] = ox_reshape_shape(b, most, n->out[0].shape);
}

static int infer_data(struct mx_infer *c)
{
    MX_TRY(mx_input_dtype_is(c, 0, MX_FLOAT32));
    MX_TRY(mx_input_dtype_is(c, 1, MX_FLOAT32));
    MX_TRY(mx_input_is(c, 1, MX_DIMS(mx_dim_of(1))));
    MX_TRY(mx_output_dtype_is(c, 0, MX_INT8));
    return mx_same_shape(c, 0, 0);
}

/* Rounds half to even, and does not use -128. */
static void lower_data(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const ox_val scale = ox_div(b, ox_float32(b, 127), in[1]);
    const ox_val x = ox_unary(b, OX_Round, ox_mul(b, in[0], scale));
    out[0] = ox_cast(b, ox_clip(b, x, ox_float32(b, -127), ox_float32(b, 127)), MX_INT8);
}

const struct mx_op mx_ops_intgemm[] = {
    {.name = "_contrib_intgemm_maxabsolute", .alias = "_npx_intgemm_maxabsolute", .infer = infer_most, .lower = lower_most},
    {
        .name = "_contrib_intgemm_prepare_data",
        .alias = "_npx_intgemm_prepare_data",
        .inputs = "data maxabs",
        .infer = infer_data,
        .lower = lower_data,
    },
    MX_OPS_END,
};
