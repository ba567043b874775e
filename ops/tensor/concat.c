/* Concat and stack. */
#include "op/op.h"

struct concat {
    int64_t num_args;
    int64_t dim;
};

static const struct mx_attr concat_attrs[] = {
    MX_COUNT(struct concat, num_args, NULL),
    MX_AXIS(struct concat, dim, "1"),
};

struct stack {
    int64_t axis;
    int64_t num_args;
};

static const struct mx_attr stack_attrs[] = {
    MX_AXIS(struct stack, axis, "0"),
    MX_COUNT(struct stack, num_args, NULL),
};

/* All inputs and the output have the same rank and agree in all dims except `axis`, where the output's size is the sum of the inputs'.
 * An input of unknown rank gets it from the others. */
static int infer_concat(struct mx_infer *c)
{
    const struct concat *a = c->attrs;
    struct mx_shape known = mx_output(c, 0);
    struct mx_dim_list dims = mx_no_dims(c);
    int axis;
    MX_TRY(mx_same_dtype(c, 0, -1));
    for (int i = 0; i < c->node->n_in && known.ndim < 0; i++) {
        known = mx_in_value(c->node, i)->shape;
    }
    if (known.ndim < 0) {
        return MX_LATER;
    }
    MX_TRY(mx_axis(c, a->dim, known.ndim, "dim", &axis));
    mx_dim sum = mx_dim_of(0);
    for (int i = 0; i < c->node->n_in; i++) {
        struct mx_shape s;
        MX_TRY(mx_input_rank(c, i, known.ndim, &s));
        for (int d = 0; d < known.ndim; d++) {
            mx_put_dim(&dims, d, d == axis ? s.dims[d] : known.dims[d]);
        }
        MX_TRY(mx_input_is_dims(c, i, dims.v, dims.n));
        sum = mx_dim_add(c->dims, sum, s.dims[axis]);
    }
    mx_put_dim(&dims, axis, sum);
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower_concat(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct concat *a = n->attrs;
    const int64_t dim = mx_wrap(a->dim, n->out[0].shape.ndim);
    out[0] = n->n_in == 1 ? in[0] : ox_concat(b, in, n->n_in, (int)dim);
}

static int infer_stack(struct mx_infer *c)
{
    const struct stack *a = c->attrs;
    struct mx_shape s = MX_SHAPE_UNKNOWN;
    struct mx_dim_list dims = mx_no_dims(c);
    int axis;
    MX_TRY(mx_same_dtype(c, 0, -1));
    for (int i = 0; i < c->node->n_in && s.ndim < 0; i++) {
        s = mx_in_value(c->node, i)->shape;
    }
    if (s.ndim < 0 && mx_output(c, 0).ndim > 0) {
        MX_TRY(mx_input_rank(c, 0, mx_output(c, 0).ndim - 1, &s));
    }
    if (s.ndim < 0) {
        return MX_LATER;
    }
    MX_TRY(mx_axis(c, a->axis, s.ndim + 1, "axis", &axis));
    for (int i = 0; i < c->node->n_in; i++) {
        MX_TRY(mx_input_is(c, i, s));
    }
    for (int i = 0, from = 0; i <= s.ndim; i++) {
        mx_put_dim(&dims, i, i == axis ? mx_dim_of(c->node->n_in) : s.dims[from++]);
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower_stack(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct stack *a = n->attrs;
    const int64_t axis = mx_wrap(a->axis, n->out[0].shape.ndim);
    ox_val *parts = ox_scratch(b, (size_t)n->n_in, sizeof *parts);
    if (!parts) {
        return;
    }
    for (int i = 0; i < n->n_in; i++) {
        parts[i] = ox_unsqueeze1(b, in[i], axis);
    }
    out[0] = n->n_in == 1 ? parts[0] : ox_concat(b, parts, n->n_in, (int)axis);
}

#define CONCAT(mx, other_names)                                                                                                            \
    {                                                                                                                                      \
        .name = (mx), .alias = (other_names), MX_ATTRS(concat_attrs, struct concat), .inputs = "arg...:count(num_args)",                   \
        .infer = infer_concat, .lower = lower_concat,                                                                                      \
    }

const struct mx_op mx_ops_concat[] = {
    CONCAT("Concat", "_sparse_concat concat"),
    /* Gluon's RNN layers concatenate their weights into one vector with it. */
    CONCAT("_rnn_param_concat", "_npi_rnn_param_concat"),
    {
        .name = "stack",
        .alias = "_npi_stack",
        MX_ATTRS(stack_attrs, struct stack),
        .inputs = "arg...:count(num_args)",
        .infer = infer_stack,
        .lower = lower_stack,
    },
    MX_OPS_END,
};
