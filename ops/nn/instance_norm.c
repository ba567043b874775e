/* Normalisation of each channel of each example (src/operator/instance_norm-inl.h). */
#include "op/op.h"

struct instance_norm {
    double eps;
};

static const struct mx_attr attrs[] = {MX_FLOAT(struct instance_norm, eps, "0.001")};

static int infer(struct mx_infer *c)
{
    struct mx_shape x;
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input_at_least(c, 0, 3, &x));
    MX_TRY(mx_input_is_dims(c, 1, &x.dims[1], 1));
    MX_TRY(mx_input_is_dims(c, 2, &x.dims[1], 1));
    return mx_output_is(c, 0, x);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct instance_norm *a = n->attrs;
    out[0] = ox_node(b, OX_InstanceNormalization, OX_IN(in[0], in[1], in[2]), OX_ATTRS(OX_F("epsilon", a->eps)));
}

const struct mx_op mx_ops_instance_norm[] = {
    {
        .name = "InstanceNorm",
        .alias = "_npx_instance_norm",
        .single = true,
        MX_ATTRS(attrs, struct instance_norm),
        .inputs = "data gamma:learned beta:learned",
        .infer = infer,
        .lower = lower,
    },
    MX_OPS_END,
};
