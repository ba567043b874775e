/* transpose and SwapAxis. */
#include "op/op.h"

struct transpose {
    struct mx_tuple axes;
};

static const struct mx_attr transpose_attrs[] = {MX_AXES_NONE(struct transpose, axes, "()")};

struct swap {
    int64_t dim1, dim2;
};

static const struct mx_attr swap_attrs[] = {
    MX_AXIS(struct swap, dim1, "0"),
    MX_AXIS(struct swap, dim2, "0"),
};

/* The input's shape; its rank follows from the output's or from the attribute. */
static int ranked_input(struct mx_infer *c, int ndim, struct mx_shape *s)
{
    ndim = ndim > 0 ? ndim : mx_output(c, 0).ndim;
    MX_TRY(mx_same_dtype(c, 0, 0));
    return ndim > 0 ? mx_input_rank(c, 0, ndim, s) : mx_input(c, 0, s);
}

static int infer_transpose(struct mx_infer *c)
{
    const struct transpose *a = c->attrs;
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_infer_ranges(c, 1, c->node->n_in - 1, 1, c->node->n_out - 1));
    MX_TRY(ranked_input(c, a->axes.n, &s));
    MX_TRY(mx_check_axes(c, a->axes, s.ndim, "axes"));
    for (int i = 0; i < s.ndim; i++) {
        const int64_t axis = a->axes.n > 0 ? a->axes.v[i] : s.ndim - 1 - i;
        mx_put_dim(&dims, i, mx_shape_at(c, s, mx_wrap(axis, s.ndim)));
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower_transpose(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct transpose *a = n->attrs;
    struct mx_int_list perm = ox_no_ints(b);
    const int rank = ox_rank(b, in[0]);
    for (int i = 0; i < rank; i++) {
        const int64_t axis = a->axes.n > 0 ? a->axes.v[i] : rank - 1 - i;
        mx_put_int(&perm, i, mx_wrap(axis, rank));
    }
    out[0] = ox_transpose(b, in[0], perm.v, perm.n);
    for (int i = 1; i < n->n_out; i++) { /* the range of a quantised tensor */
        out[i] = in[i];
    }
}

static int infer_swap(struct mx_infer *c)
{
    const struct swap *a = c->attrs;
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    int x, y;
    MX_TRY(ranked_input(c, 0, &s));
    MX_TRY(mx_axis(c, a->dim1, s.ndim, "dim1", &x));
    MX_TRY(mx_axis(c, a->dim2, s.ndim, "dim2", &y));
    for (int i = 0; i < s.ndim; i++) {
        mx_put_dim(&dims, i, s.dims[i == x ? y : i == y ? x : i]);
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower_swap(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct swap *a = n->attrs;
    out[0] = ox_swap_axes(b, in[0], (int)a->dim1, (int)a->dim2);
}

const struct mx_op mx_ops_transpose[] = {
    {.name = "SwapAxis", .alias = "_npi_swapaxes swapaxes", MX_ATTRS(swap_attrs, struct swap), .infer = infer_swap, .lower = lower_swap},
    {
        .name = "transpose",
        .alias = "_np_transpose _npi_transpose",
        MX_ATTRS(transpose_attrs, struct transpose),
        .infer = infer_transpose,
        .lower = lower_transpose,
    },
    {
        .name = "_contrib_quantized_transpose",
        .alias = "quantized_transpose _npx_quantized_transpose",
        MX_ATTRS(transpose_attrs, struct transpose),
        .inputs = "data min_data max_data",
        .outputs = "output min_output max_output",
        .infer = infer_transpose,
        .lower = lower_transpose,
    },
    MX_OPS_END,
};
