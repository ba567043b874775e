/* dot and batch_dot. dot contracts the last axis of lhs (with transpose_a the first) with the first
 * axis of rhs (with transpose_b the last); the other axes keep their order
 * (src/operator/tensor/dot-inl.h, DotShape). */
#include "shared/matrices.h"

struct dot {
    bool transpose_a, transpose_b;
    bool quantized; /* for the product made by MXNet 2's oneDNN pass */
};

static const struct mx_attr attrs[] = {
    MX_BOOL(struct dot, transpose_a, "False"),
    MX_BOOL(struct dot, transpose_b, "False"),
    MX_IGNORED("forward_stype"),
};

static const struct mx_attr fused_attrs[] = {
    MX_BOOL(struct dot, transpose_a, "False"),
    MX_BOOL(struct dot, transpose_b, "False"),
    MX_BOOL(struct dot, quantized, "False"),
    MX_IGNORED("enable_float_output min_calib_range max_calib_range"),
};

static int infer_dot(struct mx_infer *c)
{
    const struct dot *a = c->attrs;
    struct mx_shape l, r;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 1));
    MX_TRY(mx_input(c, 0, &l));
    MX_TRY(mx_input(c, 1, &r));
    if (l.ndim < 1 || r.ndim < 1 || l.ndim + r.ndim > MX_MAX_RANK) {
        return mx_infer_fail(c, NULL, "the inputs have ranks %d and %d, but each must be 1 or more, and both together at most %d", l.ndim,
                             r.ndim, MX_MAX_RANK);
    }
    const int inner_l = a->transpose_a ? 0 : l.ndim - 1, inner_r = a->transpose_b ? r.ndim - 1 : 0;
    MX_TRY(mx_same_dim(c, l.dims[inner_l], r.dims[inner_r], "sizes of the axes to contract"));
    mx_push_reduced(&dims, l, mx_one_axis(inner_l), false);
    mx_push_reduced(&dims, r, mx_one_axis(inner_r), false);
    if (dims.n == 0) {
        mx_push_dim(&dims, mx_dim_of(1));
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

/* x as a matrix: its first axes up to `split` become rows, the others columns. */
static ox_val matrix(struct ox_build *b, ox_val x, int split)
{
    struct mx_dims *t = ox_dims_table(b);
    const struct mx_shape s = ox_shape(b, x);
    const mx_dim dims[] = {mx_dim_product(t, s.dims, split), mx_dim_product(t, s.dims + split, s.ndim - split)};
    return s.ndim == 2 ? x : ox_reshape(b, x, dims, 2);
}

/* op(x) op(y) for two matrices. Gemm has the transposition flags, but no integer types. */
static ox_val multiply(struct ox_build *b, ox_val x, ox_val y, bool tx, bool ty)
{
    if (!tx && !ty) {
        return ox_matmul(b, x, y);
    }
    if (mx_dtype_is_float(ox_dtype(b, x))) {
        return ox_node(b, OX_Gemm, OX_IN(x, y), OX_ATTRS(OX_I("transA", tx), OX_I("transB", ty)));
    }
    return ox_matmul(b, tx ? ox_swap_axes(b, x, 0, 1) : x, ty ? ox_swap_axes(b, y, 0, 1) : y);
}

/* The product of a vector and any tensor: the vector is put on the side of the contracted axis, so that nothing is transposed (ONNX
 * Runtime 1.31 computes a Transpose before the product with a vector incorrectly). */
static ox_val with_vector(struct ox_build *b, ox_val vector, ox_val other, bool last_axis)
{
    return last_axis ? ox_matmul(b, other, vector) : ox_matmul(b, vector, matrix(b, other, 1));
}

static void lower_dot(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct dot *a = n->attrs;
    const int l = ox_rank(b, in[0]), r = ox_rank(b, in[1]);
    ox_val y;
    if (r == 1) { /* for a vector both flags mean the same */
        y = with_vector(b, in[1], in[0], l == 1 || !a->transpose_a);
    } else if (l == 1) {
        y = with_vector(b, in[0], in[1], a->transpose_b);
    } else if (!a->transpose_a && !a->transpose_b && r == 2) { /* rows with any number of axes */
        y = ox_matmul(b, in[0], in[1]);
    } else {
        const ox_val left = matrix(b, in[0], a->transpose_a ? 1 : l - 1);
        const ox_val right = matrix(b, in[1], a->transpose_b ? r - 1 : 1);
        y = multiply(b, left, right, a->transpose_a, a->transpose_b);
    }
    out[0] = ox_reshape_shape(b, y, n->out[0].shape);
}

/* ---- batch_dot: the leading axes are equal */

static int infer_batch(struct mx_infer *c)
{
    const struct dot *a = c->attrs;
    struct mx_shape l, r;
    MX_TRY(mx_same_dtype(c, 0, 1));
    MX_TRY(mx_input_at_least(c, 0, 3, &l));
    MX_TRY(mx_input_rank(c, 1, l.ndim, &r));
    return mx_infer_product(c, l, r, (struct mx_product){l.ndim - 2, a->transpose_a, a->transpose_b});
}

static int infer_fused(struct mx_infer *c)
{
    const struct dot *a = c->attrs;
    return a->quantized
               ? mx_infer_fail(c, "quantized", MX_SUBJECT "is True, which cannot be converted" MX_HELP "convert the float32 model instead")
               : infer_batch(c);
}

static void lower_batch(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct dot *a = n->attrs;
    const ox_val x = a->transpose_a ? ox_swap_axes(b, in[0], -2, -1) : in[0];
    const ox_val y = a->transpose_b ? ox_swap_axes(b, in[1], -2, -1) : in[1];
    out[0] = ox_matmul(b, x, y);
}

const struct mx_op mx_ops_dot[] = {
    {
        .name = "_sg_onednn_batch_dot",
        MX_ATTRS(fused_attrs, struct dot),
        .inputs = "lhs rhs...",
        .infer = infer_fused,
        .lower = lower_batch,
        .refuses = "quantized=True: convert the float32 model instead.",
    },
    {
        .name = "batch_dot",
        .alias = "_npx_batch_dot",
        MX_ATTRS(attrs, struct dot),
        .inputs = "lhs rhs",
        .infer = infer_batch,
        .lower = lower_batch,
    },
    {.name = "dot", .alias = "_sparse_dot", MX_ATTRS(attrs, struct dot), .inputs = "lhs rhs", .infer = infer_dot, .lower = lower_dot},
    MX_OPS_END,
};
