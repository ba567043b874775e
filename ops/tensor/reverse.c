/* reverse: reverses the listed axes; None, which only flip accepts, lists all of them. */
#include "onnx/build.h"
#include "op/op.h"

struct reverse {
    struct mx_tuple axis;
};

static const struct mx_attr attrs[] = {
    MX_TUPLE(struct reverse, axis, NULL),
    MX_ATTRS_END,
};

static int infer(struct mx_infer *c)
{
    const struct reverse *a = c->attrs;
    struct mx_shape s;
    bool used[MX_MAX_RANK] = {false};
    MX_TRY(mx_infer_same(c));
    MX_TRY(mx_input(c, 0, &s));
    for (int i = 0; i < a->axis.n; i++) {
        int axis;
        MX_TRY(mx_axis(c, a->axis.v[i], s.ndim, "axis", &axis));
        if (used[axis]) {
            return mx_infer_fail(c, "axis", "axis %d is listed twice", axis);
        }
        used[axis] = true;
    }
    return MX_OK;
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct reverse *a = n->attrs;
    const int rank = ox_rank(b, in[0]);
    int64_t all[MX_MAX_RANK];
    for (int i = 0; i < rank && i < MX_MAX_RANK; i++) {
        all[i] = i;
    }
    out[0] = a->axis.n < 0 ? ox_reverse(b, in[0], all, rank)
                           : ox_reverse(b, in[0], a->axis.v, a->axis.n);
}

const struct mx_op mx_ops_reverse[] = {
    {.name = "reverse",
     .alias = "_npi_flip flip",
     MX_ATTRS(attrs, struct reverse),
     .infer = infer,
     .lower = lower},
    MX_OPS_END,
};
