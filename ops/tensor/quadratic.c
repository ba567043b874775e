/* quadratic: x (a x + b) + c, in floats (src/operator/contrib/quadratic_op-inl.h). */
#include "op/op.h"

struct quadratic {
    double a, b, c;
};

static const struct mx_attr attrs[] = {
    MX_FLOAT(struct quadratic, a, "0"),
    MX_FLOAT(struct quadratic, b, "0"),
    MX_FLOAT(struct quadratic, c, "0"),
};

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct quadratic *a = n->attrs;
    const enum mx_dtype t = n->out[0].dtype;
    const ox_val x = ox_cast(b, in[0], mx_dtype_is_float(t) ? t : MX_FLOAT32);
    const ox_val factor = ox_add(b, ox_scaled(b, x, a->a), ox_scalar_like(b, x, a->b));
    out[0] = ox_cast(b, ox_add(b, ox_mul(b, x, factor), ox_scalar_like(b, x, a->c)), t);
}

const struct mx_op mx_ops_quadratic[] = {
    {.name = "_contrib_quadratic", MX_ATTRS(attrs, struct quadratic), .infer = mx_infer_same, .lower = lower},
    MX_OPS_END,
};
