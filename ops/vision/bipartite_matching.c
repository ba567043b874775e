/* bipartite_matching: pairs rows and columns of a score matrix, best score first, each used once
 * (src/operator/contrib/bounding_box-inl.h). A Loop takes the best remaining pair, in all matrices at once. */
#include <math.h>

#include "op/op.h"

struct matching {
    bool is_ascend;
    double threshold;
    int64_t topk;
};

static const struct mx_attr attrs[] = {
    MX_BOOL(struct matching, is_ascend, "False"),
    MX_FLOAT(struct matching, threshold, NULL),
    MX_INT(struct matching, topk, "-1"),
};

static int infer(struct mx_infer *c)
{
    struct mx_shape x;
    struct mx_dim_list out = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_output_dtype_is(c, 1, mx_output_dtype(c, 0)));
    MX_TRY(mx_input_at_least(c, 0, 2, &x));
    mx_push_dims(&out, x.dims, x.ndim - 1);
    MX_TRY(mx_output_is_dims(c, 0, out.v, out.n));
    mx_put_dim(&out, x.ndim - 2, x.dims[x.ndim - 1]);
    return mx_output_is_dims(c, 1, out.v, out.n);
}

/* In one step: a mask of rows or columns (B, n) that is true at `at` (B, 1) if a pair was found. */
static ox_val hit(struct ox_build *b, mx_dim n, ox_val at, ox_val found)
{
    return ox_binary(b, OX_And, ox_binary(b, OX_Equal, ox_range(b, n), at), found);
}

/* The body: the best pair of each matrix, if it is good enough, is marked and removed. */
static struct ox_graph *step(struct ox_build *b, double threshold, enum mx_dtype t, const mx_dim *dims)
{
    const int64_t axis = 1;
    struct ox_graph *g = ox_graph_begin(b, "match");
    (void)ox_graph_input(b, MX_INT64, (struct mx_shape){0, NULL});
    (void)ox_graph_input(b, MX_BOOL, (struct mx_shape){0, NULL});
    const ox_val scores = ox_graph_input(b, t, (struct mx_shape){3, dims});
    const ox_val rows = ox_graph_input(b, t, MX_DIMS(dims[0], dims[1]));
    const ox_val columns = ox_graph_input(b, t, MX_DIMS(dims[0], dims[2]));

    const mx_dim pairs = mx_dim_mul(ox_dims_table(b), dims[1], dims[2]);
    const ox_val flat = ox_reshape_shape(b, scores, MX_DIMS(dims[0], pairs)), width = ox_dim(b, dims[2]);
    const ox_val best = ox_reduce(b, OX_ReduceMax, flat, &axis, 1, true);
    const ox_val at = ox_arg(b, OX_ArgMax, flat, 1, true);
    const ox_val found = ox_binary(b, OX_Greater, best, ox_scalar(b, t, threshold));
    const ox_val row = ox_div(b, at, width), column = ox_sub(b, at, ox_mul(b, row, width));
    const ox_val this_row = hit(b, dims[1], row, found);
    const ox_val this_column = hit(b, dims[2], column, found);
    const ox_val gone = ox_binary(b, OX_Or, ox_unsqueeze1(b, this_row, 2), ox_unsqueeze1(b, this_column, 1));
    const ox_val more = ox_reduce(b, OX_ReduceMax, ox_cast(b, found, MX_INT32), NULL, -1, false);
    const ox_val out[] = {
        ox_is_true(b, more),
        ox_where(b, gone, ox_scalar(b, t, -(double)INFINITY), scores),
        ox_where(b, this_row, ox_cast(b, column, t), rows),
        ox_where(b, this_column, ox_cast(b, row, t), columns),
    };
    ox_graph_end(b, out, 4);
    return g;
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct matching *a = n->attrs;
    const struct mx_shape s = ox_shape(b, in[0]);
    const enum mx_dtype t = ox_dtype(b, in[0]);
    const mx_dim dims[] = {mx_dim_product(ox_dims_table(b), s.dims, s.ndim - 2), s.dims[s.ndim - 2], s.dims[s.ndim - 1]};
    ox_val scores = ox_reshape(b, in[0], dims, 3), end[3];
    if (a->is_ascend) {
        scores = ox_unary(b, OX_Neg, scores);
    }
    ox_val pairs = ox_binary(b, OX_Min, ox_dim(b, dims[1]), ox_dim(b, dims[2]));
    if (a->topk > 0 && a->topk < INT32_MAX) { /* MXNet stops when there are more than topk */
        pairs = ox_binary(b, OX_Min, pairs, ox_int(b, a->topk + 1));
    }
    struct ox_graph *body = step(b, a->is_ascend ? -a->threshold : a->threshold, t, dims);
    const ox_val rows = ox_fill(b, t, MX_DIMS(dims[0], dims[1]), -1);
    const ox_val columns = ox_fill(b, t, MX_DIMS(dims[0], dims[2]), -1);
    ox_node_n(b, OX_Loop, OX_IN(ox_squeeze1(b, pairs, 0), OX_NONE, scores, rows, columns), OX_ATTRS(OX_G("body", body)), end, 3);
    out[0] = ox_reshape_shape(b, end[1], n->out[0].shape);
    out[1] = ox_reshape_shape(b, end[2], n->out[1].shape);
}

const struct mx_op mx_ops_bipartite_matching[] = {
    {
        .name = "_contrib_bipartite_matching",
        .alias = "_npx_bipartite_matching",
        .positions = true,
        MX_ATTRS(attrs, struct matching),
        .inputs = "data:exact",
        .outputs = "output0 output1",
        .infer = infer,
        .lower = lower,
    },
    MX_OPS_END,
};
