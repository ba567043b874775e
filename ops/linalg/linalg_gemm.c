/* linalg_gemm, linalg_gemm2, linalg_syrk: products of matrices in two axes, with rows on `axis` and columns on the last
 * (src/operator/tensor/la_op.h). */
#include "op/op.h"

struct gemm {
    bool transpose_a, transpose_b;
    double alpha, beta;
    int64_t axis;
};

static const struct mx_attr gemm_attrs[] = {
    MX_BOOL(struct gemm, transpose_a, "False"),
    MX_BOOL(struct gemm, transpose_b, "False"),
    MX_DOUBLE(struct gemm, alpha, "1"),
    MX_DOUBLE(struct gemm, beta, "1"),
    MX_AXIS(struct gemm, axis, "-2"),
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
    struct mx_dim_list dims = mx_no_dims(c);
    int row;
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input_at_least(c, 0, 2, &l));
    MX_TRY(mx_input_rank(c, 1, l.ndim, &r));
    MX_TRY(mx_axis(c, a->axis, l.ndim, "axis", &row));
    const int column = l.ndim - 1;
    if (row == column) {
        return mx_infer_fail(c, "axis", MX_SUBJECT "is the last axis, which is that of the columns" MX_HELP "choose another axis");
    }
    for (int i = 0; i < column; i++) {
        mx_put_dim(&dims, i, l.dims[i]);
        if (i != row) {
            MX_TRY(mx_same_dim(c, l.dims[i], r.dims[i], "sizes of the batch axes"));
        }
    }
    MX_TRY(mx_same_dim(c, l.dims[a->transpose_a ? row : column], r.dims[a->transpose_b ? column : row], "sizes of the axes to contract"));
    mx_put_dim(&dims, row, l.dims[a->transpose_a ? column : row]);
    mx_put_dim(&dims, column, r.dims[a->transpose_b ? row : column]);
    MX_TRY(mx_output_is_dims(c, 0, dims.v, dims.n));
    return c->node->n_in > 2 ? mx_input_is_dims(c, 2, dims.v, dims.n) : MX_OK;
}

/* Moves the rows to the second to last axis, or back from there. */
static ox_val move_rows(struct ox_build *b, ox_val x, int64_t axis, bool back)
{
    struct mx_int_list perm = ox_no_ints(b);
    const int rank = ox_rank(b, x);
    const int row = (int)mx_wrap(axis, rank);
    for (int i = 0; i < rank; i++) {
        if (back) {
            mx_put_int(&perm, i, i < row || i == rank - 1 ? i : i == row ? rank - 2 : i - 1);
        } else {
            mx_put_int(&perm, i, i < row || i == rank - 1 ? i : i == rank - 2 ? row : i + 1);
        }
    }
    return ox_transpose(b, x, perm.v, perm.n);
}

static void lower_gemm(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct gemm *a = n->attrs;
    ox_val x = move_rows(b, in[0], a->axis, false), y = move_rows(b, in[1], a->axis, false);
    x = a->transpose_a ? ox_swap_axes(b, x, -2, -1) : x;
    y = a->transpose_b ? ox_swap_axes(b, y, -2, -1) : y;
    out[0] = move_rows(b, ox_scaled(b, ox_matmul(b, x, y), a->alpha), a->axis, true);
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
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input_at_least(c, 0, 2, &s));
    for (int i = 0; i < s.ndim; i++) {
        mx_put_dim(&dims, i, s.dims[i < s.ndim - 2 ? i : a->transpose ? s.ndim - 1 : s.ndim - 2]);
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower_syrk(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct syrk *a = n->attrs;
    const ox_val t = ox_swap_axes(b, in[0], -2, -1);
    out[0] = ox_scaled(b, a->transpose ? ox_matmul(b, t, in[0]) : ox_matmul(b, in[0], t), a->alpha);
}

const struct mx_op mx_ops_linalg_gemm[] = {
    {
        .name = "_linalg_gemm",
        .single = true,
        .alias = "linalg_gemm",
        MX_ATTRS(gemm_attrs, struct gemm),
        .inputs = "A B C",
        .infer = infer_gemm,
        .lower = lower_gemm,
    },
    {
        .name = "_linalg_gemm2",
        .single = true,
        .alias = "linalg_gemm2",
        MX_ATTRS(gemm2_attrs, struct gemm),
        .inputs = "A B",
        .infer = infer_gemm,
        .lower = lower_gemm,
    },
    {
        .name = "_linalg_syrk",
        .single = true,
        .alias = "linalg_syrk",
        MX_ATTRS(syrk_attrs, struct syrk),
        .inputs = "A",
        .infer = infer_syrk,
        .lower = lower_syrk,
    },
    MX_OPS_END,
};
