/* linalg_gemm, linalg_gemm2, linalg_syrk: products of matrices in two axes, with rows on `axis` and columns on the last
 * (src/operator/tensor/la_op.h). */
#include "shared/matrices.h"

struct gemm {
    bool transpose_a, transpose_b;
    double alpha, beta;
    int64_t axis;
};

static const struct mx_attr gemm_attrs[] = {
    MX_BOOL(struct gemm, transpose_a, "False"), MX_BOOL(struct gemm, transpose_b, "False"), MX_DOUBLE(struct gemm, alpha, "1"),
    MX_DOUBLE(struct gemm, beta, "1"),          MX_AXIS(struct gemm, axis, "-2"),
};

static const struct mx_attr gemm2_attrs[] = {
    MX_BOOL(struct gemm, transpose_a, "False"),
    MX_BOOL(struct gemm, transpose_b, "False"),
    MX_DOUBLE(struct gemm, alpha, "1"),
    MX_AXIS(struct gemm, axis, "-2"),
};

static int infer_gemm(struct mx_infer *c)
{
    const struct gemm *a = c->attrs;
    struct mx_shape l, r;
    int row;
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input_at_least(c, 0, 2, &l));
    MX_TRY(mx_input_rank(c, 1, l.ndim, &r));
    MX_TRY(mx_axis(c, a->axis, l.ndim, "axis", &row));
    if (row == l.ndim - 1) {
        return mx_infer_fail(c, "axis", MX_SUBJECT "is the last axis, which is that of the columns" MX_HELP "choose another axis");
    }
    MX_TRY(mx_infer_product(c, l, r, (struct mx_product){row, a->transpose_a, a->transpose_b}));
    return c->node->n_in > 2 ? mx_input_is(c, 2, mx_output(c, 0)) : MX_OK;
}

static void lower_gemm(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct gemm *a = n->attrs;
    const int rank = ox_rank(b, in[0]), row = (int)mx_wrap(a->axis, rank);
    ox_val x = ox_move_axis(b, in[0], row, rank - 2), y = ox_move_axis(b, in[1], row, rank - 2);
    x = a->transpose_a ? ox_swap_axes(b, x, -2, -1) : x;
    y = a->transpose_b ? ox_swap_axes(b, y, -2, -1) : y;
    out[0] = ox_move_axis(b, ox_scaled(b, ox_matmul(b, x, y), a->alpha), rank - 2, row);
    if (n->n_in > 2) {
        out[0] = ox_add(b, out[0], ox_scaled(b, in[2], a->beta));
    }
}

/* ---- A A^T, or A^T A */

struct syrk {
    bool transpose;
    double alpha;
};

static const struct mx_attr syrk_attrs[] = {
    MX_BOOL(struct syrk, transpose, "False"),
    MX_DOUBLE(struct syrk, alpha, "1"),
};

static int infer_syrk(struct mx_infer *c)
{
    const struct syrk *a = c->attrs;
    struct mx_shape s;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input_at_least(c, 0, 2, &s));
    struct mx_dim_list dims = mx_dims_like(c, s);
    const int row = s.ndim - 2, column = s.ndim - 1;
    mx_put_dim(&dims, row, s.dims[a->transpose ? column : row]);
    mx_put_dim(&dims, column, s.dims[a->transpose ? column : row]);
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower_syrk(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct syrk *a = n->attrs;
    const ox_val t = ox_swap_axes(b, in[0], -2, -1);
    out[0] = ox_scaled(b, a->transpose ? ox_matmul(b, t, in[0]) : ox_matmul(b, in[0], t), a->alpha);
}

const struct mx_op mx_ops_linalg_gemm[] = {
    {LINALG("gemm", "", "A B C", infer_gemm, lower_gemm), MX_ATTRS(gemm_attrs, struct gemm), .single = true},
    {LINALG("gemm2", "", "A B", infer_gemm, lower_gemm), MX_ATTRS(gemm2_attrs, struct gemm), .single = true},
    {LINALG("syrk", "", "A", infer_syrk, lower_syrk), MX_ATTRS(syrk_attrs, struct syrk), .single = true},
    MX_OPS_END,
};
