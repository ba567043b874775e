/* clip: src/operator/tensor/matrix_op-inl.h, struct clip. The limits are float; for integer data
 * they are truncated. */
#include <math.h>

#include "op/op.h"

struct clip {
    double a_min, a_max;
};

static const struct mx_attr attrs[] = {
    MX_FLOAT(struct clip, a_min, NULL),
    MX_FLOAT(struct clip, a_max, NULL),
};

/* A limit as a value of type t, or OX_NONE if no element can be beyond it. */
static ox_val limit(struct ox_build *b, enum mx_dtype t, double v)
{
    static const struct {
        enum mx_dtype type;
        double low, high;
    } ranges[] = {
        {MX_UINT8, 0, 255},
        {MX_INT8, -128, 127},
        {MX_INT32, -2147483648.0, 2147483647.0},
        {MX_INT64, -9223372036854775808.0, 9223372036854774784.0},
    };
    if (isinf(v)) {
        return OX_NONE;
    }
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        if (t == ranges[i].type) {
            return v < ranges[i].low || v > ranges[i].high ? OX_NONE : ox_scalar(b, t, trunc(v));
        }
    }
    return ox_scalar(b, t, v);
}

/* The upper limit is applied first, so with crossed limits elements above it become a_max and the others a_min. */
static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct clip *a = n->attrs;
    const enum mx_dtype t = ox_dtype(b, in[0]);
    const ox_val low = limit(b, t, a->a_min);
    const ox_val high = limit(b, t, a->a_max);
    if (low != OX_NONE && high != OX_NONE && a->a_min > a->a_max) {
        out[0] = ox_where(b, ox_binary(b, OX_Greater, in[0], high), high, ox_binary(b, OX_Max, in[0], low));
    } else if (low == OX_NONE && high == OX_NONE) {
        out[0] = in[0];
    } else {
        out[0] = ox_clip(b, in[0], low, high);
    }
}

const struct mx_op mx_ops_clip[] = {
    {
        .name = "clip",
        .alias = "_npi_clip _sparse_clip",
        MX_ATTRS(attrs, struct clip),
        .infer = mx_infer_same,
        .lower = lower,
        .fusion = MX_FUSION_CLIP,
        .any_rank = true,
    },
    MX_OPS_END,
};
