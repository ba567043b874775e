/* reverse: reverses the listed axes; None, which only flip accepts, lists all of them. */
#include "op/op.h"

struct reverse {
    struct mx_tuple axis;
};

static const struct mx_attr attrs[] = {MX_AXES_NONE(struct reverse, axis, NULL)};

static int infer(struct mx_infer *c)
{
    const struct reverse *a = c->attrs;
    struct mx_shape s;
    MX_TRY(mx_infer_same(c));
    MX_TRY(mx_input(c, 0, &s));
    return mx_check_axes(c, a->axis, s.ndim, "axis");
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct reverse *a = n->attrs;
    const struct mx_int_list all = ox_counted(b, ox_rank(b, in[0]));
    out[0] = a->axis.given ? ox_reverse(b, in[0], a->axis.v, a->axis.n) : ox_reverse(b, in[0], all.v, all.n);
}

const struct mx_op mx_ops_reverse[] = {
    {.name = "reverse", .alias = "_npi_flip flip", MX_ATTRS(attrs, struct reverse), .infer = infer, .lower = lower},
    MX_OPS_END,
};
