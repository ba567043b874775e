/* Division by the Euclidean norm (src/operator/l2_normalization-inl.h). */
#include "op/op.h"

struct l2 {
    double eps;
    int mode;
};

enum mode { INSTANCE, CHANNEL, SPATIAL };
static const char *const modes[] = {"instance", "channel", "spatial", NULL};

static const struct mx_attr attrs[] = {
    MX_FLOAT(struct l2, eps, "1e-10"),
    MX_ENUM(struct l2, mode, "instance", modes),
};

static int infer(struct mx_infer *c)
{
    const struct l2 *a = c->attrs;
    struct mx_shape x;
    MX_TRY(mx_input(c, 0, &x));
    if (x.ndim < (a->mode == INSTANCE ? 1 : 3)) {
        return mx_infer_fail(c, "mode", "\"%s\" needs data of rank %d or more, but its rank is %d", modes[a->mode],
                             a->mode == INSTANCE ? 1 : 3, x.ndim);
    }
    return mx_infer_same(c);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct l2 *a = n->attrs;
    const int rank = ox_rank(b, in[0]);
    const int first = a->mode == SPATIAL ? 2 : 1, last = a->mode == CHANNEL ? 1 : rank - 1;
    struct mx_int_list axes = ox_no_ints(b);
    for (int i = first; i <= last; i++) {
        mx_push_int(&axes, i);
    }
    /* Each element of a vector counts as an example. */
    const ox_val sum = rank == 1 ? ox_mul(b, in[0], in[0]) : ox_reduce(b, OX_ReduceSumSquare, in[0], axes.v, axes.n, true);
    const ox_val norm = ox_unary(b, OX_Sqrt, ox_add(b, sum, ox_scalar_like(b, sum, a->eps)));
    out[0] = ox_div(b, in[0], norm);
}

const struct mx_op mx_ops_l2_normalization[] = {
    {.name = "L2Normalization", .single = true, MX_ATTRS(attrs, struct l2), .infer = infer, .lower = lower},
    MX_OPS_END,
};
