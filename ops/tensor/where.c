/* where: no broadcasting, except that a condition with one dim selects whole rows (src/operator/tensor/control_flow_op.h). */
#include "op/op.h"

static int infer(struct mx_infer *c)
{
    struct mx_shape s = mx_output(c, 0), condition;
    MX_TRY(mx_same_dtype(c, 1, 2));
    for (int i = 1; i <= 2 && s.ndim < 0; i++) {
        s = mx_in_value(c->node, i)->shape;
    }
    if (s.ndim < 0) {
        return MX_LATER;
    }
    MX_TRY(mx_input_is(c, 1, s));
    MX_TRY(mx_input_is(c, 2, s));
    MX_TRY(mx_output_is(c, 0, s));
    MX_TRY(mx_input(c, 0, &condition));
    if (condition.ndim == 1 && s.ndim > 1) {
        return mx_same_dim(c, condition.dims[0], s.dims[0], "length of condition and of x's first axis");
    }
    return mx_input_is(c, 0, s);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    ox_val condition = ox_is_true(b, in[0]);
    const int rank = n->out[0].shape.ndim;
    if (ox_rank(b, condition) < rank) {
        condition = ox_along(b, condition, 0, rank);
    }
    out[0] = ox_where(b, condition, in[1], in[2]);
}

const struct mx_op mx_ops_where[] = {
    {.name = "where", .alias = "_sparse_where", .inputs = "condition x y", .infer = infer, .lower = lower},
    MX_OPS_END,
};
