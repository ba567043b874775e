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

static int infer(struct mx_infer *c)
{
    const struct clip *a = c->attrs;
    MX_TRY(mx_infer_same(c));
    const enum mx_dtype t = mx_input_dtype(c, 0);
    const bool low = isinf(a->a_min) && a->a_min > 0, high = isinf(a->a_max) && a->a_max < 0;
    if (mx_dtype_is_integer(t) && (low || high)) {
        return mx_infer_fail(c, low ? "a_min" : "a_max",
                             MX_SUBJECT "is %g, which no %s is" MX_HELP "give a limit that is a number of this type",
                             low ? a->a_min : a->a_max, mx_dtype_name(t));
    }
    return MX_OK;
}

/* The upper limit is applied first, so with crossed limits elements above it become a_max and the others a_min. */
static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct clip *a = n->attrs;
    const enum mx_dtype t = ox_dtype(b, in[0]);
    const bool whole = mx_dtype_is_integer(t);
    const double lowest = whole ? mx_dtype_lowest(t) : -(double)INFINITY, highest = whole ? mx_dtype_largest(t) : (double)INFINITY;
    const bool cuts_low = whole ? !isinf(a->a_min) && a->a_min >= lowest : a->a_min > lowest;
    const bool cuts_high = whole ? !isinf(a->a_max) && a->a_max <= highest : a->a_max < highest;
    const ox_val low = cuts_low ? ox_scalar(b, t, a->a_min) : OX_NONE, high = cuts_high ? ox_scalar(b, t, a->a_max) : OX_NONE;
    if ((cuts_low && a->a_min > highest) || (cuts_high && a->a_max < lowest)) { /* the limit wraps around */
        const ox_val x = ox_cast(b, in[0], MX_FLOAT32);
        const ox_val below = ox_binary(b, OX_Less, x, ox_float32(b, a->a_min));
        const ox_val above = ox_binary(b, OX_Greater, x, ox_float32(b, a->a_max));
        const ox_val raised = cuts_low ? ox_where(b, below, low, in[0]) : in[0];
        out[0] = cuts_high ? ox_where(b, above, high, raised) : raised;
    } else if (cuts_low && cuts_high && a->a_min > a->a_max) { /* an integer is compared with the limit before it is truncated */
        const ox_val floor_of_high = whole ? ox_scalar(b, t, floor(a->a_max)) : high;
        out[0] = ox_where(b, ox_binary(b, OX_Greater, in[0], floor_of_high), high, ox_binary(b, OX_Max, in[0], low));
    } else if (cuts_low != cuts_high && mx_dtype_is_float(t)) { /* without the other limit an infinite number becomes the largest one */
        const ox_val none = ox_scalar(b, t, cuts_low ? (double)INFINITY : -(double)INFINITY);
        out[0] = ox_clip(b, in[0], cuts_low ? low : none, cuts_low ? none : high);
    } else {
        out[0] = ox_clip(b, in[0], low, high);
    }
}

const struct mx_op mx_ops_clip[] = {
    {
        .name = "clip",
        .alias = "_npi_clip _sparse_clip",
        MX_ATTRS(attrs, struct clip),
        .infer = infer,
        .lower = lower,
        .fusion = MX_FUSION_CLIP,
        .refuses = "Integer data, and a_min=inf or a_max=-inf: MXNet's result depends on the processor.",
        .any_rank = true,
    },
    MX_OPS_END,
};
