/* NumPy's matrix_rank (src/operator/numpy/linalg/np_matrix_rank-inl.h), in float64: the number of singular values greater than tol. */
#include "shared/matrices.h"

struct rank {
    double finfoEps32, finfoEps64;
    bool hermitian;
};

static const struct mx_attr none_attrs[] = {
    MX_FLOAT(struct rank, finfoEps32, "0"),
    MX_DOUBLE(struct rank, finfoEps64, "0"),
    MX_BOOL(struct rank, hermitian, "False"),
};

static const struct mx_attr tol_attrs[] = {MX_BOOL(struct rank, hermitian, "False")};

static int infer_rank(struct mx_infer *c)
{
    const struct rank *a = c->attrs;
    struct mx_shape s;
    MX_TRY(ox_check_matrix(c, 0));
    if (a->hermitian) {
        return mx_infer_fail(c, "hermitian",
                             MX_SUBJECT "is True, which MXNet does not support" MX_HELP
                                        "remove the attribute: the rank of a symmetric matrix is the same");
    }
    MX_TRY(mx_output_dtype_is(c, 0, MX_INT64));
    MX_TRY(mx_input_at_least(c, 0, 2, &s));
    struct mx_shape ranks = {s.ndim - 2, s.dims}, tol;
    if (c->node->n_in > 1) {
        MX_TRY(mx_input(c, 1, &tol));
        if (tol.ndim > ranks.ndim) {
            return mx_infer_fail(c, "tol", MX_SUBJECT "has rank %d, but there are only %d axes before those of the matrices", tol.ndim,
                                 ranks.ndim);
        }
        MX_TRY(mx_broadcast_shapes(c, ranks, tol, &ranks));
    }
    return mx_output_is(c, 0, ranks);
}

static void lower_rank(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct rank *a = n->attrs;
    const ox_val x = ox_cast(b, in[0], MX_FLOAT64);
    ox_val values, tol;
    ox_singular(b, ox_is_high(b, x) ? ox_swap_axes(b, x, -2, -1) : x, NULL, &values, NULL);
    if (n->n_in > 1) {
        tol = ox_unsqueeze1(b, ox_cast(b, in[1], MX_FLOAT64), -1);
    } else {
        const ox_val m = ox_dim_as(b, ox_dim_at(b, x, -2), MX_FLOAT64), k = ox_dim_as(b, ox_dim_at(b, x, -1), MX_FLOAT64);
        const double eps = ox_dtype(b, in[0]) == MX_FLOAT32 ? a->finfoEps32 : a->finfoEps64;
        const ox_val share = ox_mul(b, ox_binary(b, OX_Max, m, k), ox_scalar(b, MX_FLOAT64, eps));
        tol = ox_mul(b, ox_reduce(b, OX_ReduceMax, values, (const int64_t[]){-1}, 1, true), share);
    }
    const ox_val counted = ox_cast(b, ox_binary(b, OX_Greater, values, tol), MX_INT64);
    out[0] = ox_reduce(b, OX_ReduceSum, counted, (const int64_t[]){-1}, 1, false);
}

#define ROW(mx, table, reads)                                                                                                              \
    {                                                                                                                                      \
        .name = (mx), .single = true, MX_ATTRS(table, struct rank), .inputs = (reads), .infer = infer_rank, .lower = lower_rank,           \
        .refuses = "hermitian=True: MXNet does not compute it either.",                                                                    \
        .differs = "float64 matrices without full rank: singular values that only rounding makes different from 0 may count.",             \
    }

const struct mx_op mx_ops_np_rank[] = {
    ROW("_npi_matrix_rank", tol_attrs, "M tol"),
    ROW("_npi_matrix_rank_none_tol", none_attrs, "M"),
    MX_OPS_END,
};
