/* Assignments by index: scatter_nd, _scatter_set_nd, index_copy, fill_element_0index. */
#include "op/op.h"

/* ---- scatter_nd: into zeros, _scatter_set_nd: into the first input. The coordinates are on the first axis of indices, in ONNX on the
 * last (src/operator/tensor/indexing_op.h, ScatterNDShape). */

struct scatter {
    struct mx_tuple shape;
};

static const struct mx_attr attrs[] = {MX_SIZES_NONE(struct scatter, shape, NULL)};

static int check_shape(struct mx_infer *c, struct mx_tuple shape, struct mx_dim_list *dims)
{
    if (shape.n < 1 || shape.n > MX_MAX_RANK) {
        return mx_infer_fail(c, "shape", MX_SUBJECT "has length %d, but must have length 1 to %d", shape.n, MX_MAX_RANK);
    }
    for (int i = 0; i < shape.n; i++) {
        if (shape.v[i] < 1) {
            return mx_infer_fail(c, "shape", MX_SUBJECT "holds the size %lld" MX_HELP "use positive sizes", (long long)shape.v[i]);
        }
        mx_push_dim(dims, mx_dim_of(shape.v[i]));
    }
    return mx_output_is_dims(c, 0, dims->v, dims->n);
}

/* values: one for each column of coordinates, each with the rest of the shape. */
static int infer_values(struct mx_infer *c, int values, int indices, const mx_dim *shape, int ndim)
{
    struct mx_shape index;
    struct mx_dim_list dims = mx_no_dims(c);
    int64_t m;
    MX_TRY(mx_input_at_least(c, indices, 2, &index));
    MX_TRY(mx_number(c, index.dims[0], "the first axis of the indices", &m));
    if (m < 1 || m > ndim) {
        return mx_infer_fail(c, "indices", MX_SUBJECT "holds %lld coordinates, but must hold 1 to as many as the shape has sizes, %d",
                             (long long)m, ndim);
    }
    mx_push_dims(&dims, index.dims + 1, index.ndim - 1);
    mx_push_dims(&dims, shape + (int)m, ndim - (int)m);
    return mx_input_is_dims(c, values, dims.v, dims.n);
}

static int infer_scatter(struct mx_infer *c)
{
    const struct scatter *a = c->attrs;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(check_shape(c, a->shape, &dims));
    return infer_values(c, 0, 1, dims.v, dims.n);
}

static int infer_set(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_same_dtype(c, 0, 1));
    MX_TRY(mx_same_shape(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    return infer_values(c, 1, 2, s.dims, s.ndim);
}

static ox_val scatter(struct ox_build *b, ox_val into, ox_val index, ox_val values)
{
    const ox_val last = ox_move_axis(b, ox_cast(b, index, MX_INT64), 0, ox_rank(b, index) - 1);
    return ox_node(b, OX_ScatterND, OX_IN(into, last, values), OX_NO_ATTRS);
}

static void lower_scatter(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    out[0] = scatter(b, ox_fill(b, n->out[0].dtype, n->out[0].shape, 0), in[1], in[0]);
}

static void lower_set(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    out[0] = scatter(b, in[0], in[2], in[1]);
}

/* ---- index_copy: whole rows (src/operator/contrib/index_copy-inl.h) */

static int infer_copy(struct mx_infer *c)
{
    struct mx_shape s, index;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input_dtype_is(c, 2, mx_output_dtype(c, 0)));
    MX_TRY(mx_same_shape(c, 0, 0));
    MX_TRY(mx_input_at_least(c, 0, 1, &s));
    MX_TRY(mx_input_rank(c, 1, 1, &index));
    struct mx_dim_list dims = mx_dims_like(c, s);
    mx_put_dim(&dims, 0, index.dims[0]);
    return mx_input_is_dims(c, 2, dims.v, dims.n);
}

static void lower_copy(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const ox_val rows = ox_unsqueeze1(b, ox_cast(b, in[1], MX_INT64), 1);
    out[0] = ox_node(b, OX_ScatterND, OX_IN(in[0], rows, in[2]), OX_NO_ATTRS);
}

/* ---- fill_element_0index: lhs[i, rhs[i]] = mhs[i] (src/operator/tensor/indexing_op.cc) */

static int infer_fill(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input_rank(c, 0, 2, &s));
    MX_TRY(mx_input_is_dims(c, 1, &s.dims[0], 1));
    MX_TRY(mx_input_is_dims(c, 2, &s.dims[0], 1));
    return mx_output_is(c, 0, s);
}

static void lower_fill(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const ox_val index = ox_unsqueeze1(b, ox_cast(b, in[2], MX_INT64), 1);
    out[0] = ox_node(b, OX_ScatterElements, OX_IN(in[0], index, ox_unsqueeze1(b, in[1], 1)), OX_ATTRS(OX_I("axis", 1)));
}

#define SCATTER(mx, other_name, reads, rule, write)                                                                                        \
    {                                                                                                                                      \
        .name = (mx), .alias = (other_name), MX_ATTRS(attrs, struct scatter), .inputs = (reads), .infer = (rule), .lower = (write),        \
        .differs = "A negative index: it counts from the end of its axis; MXNet adds it to the position in the flat tensor.",              \
    }

const struct mx_op mx_ops_scatter[] = {
    {.name = "_contrib_index_copy", .inputs = "old_tensor index_vector:exact new_tensor", .infer = infer_copy, .lower = lower_copy},
    {.name = "fill_element_0index", .inputs = "lhs mhs rhs:exact", .infer = infer_fill, .lower = lower_fill},
    SCATTER("_scatter_set_nd", "_npi_scatter_set_nd", "lhs rhs indices:exact", infer_set, lower_set),
    SCATTER("scatter_nd", NULL, "data indices:exact", infer_scatter, lower_scatter),
    MX_OPS_END,
};
