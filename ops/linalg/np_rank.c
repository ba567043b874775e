/* matrix_rank and qr of NumPy (src/operator/numpy/linalg/np_matrix_rank-inl.h, np_qr-inl.h), in float64. */
#include "onnx/build.h"
#include "op/op.h"

static int check_type(struct mx_infer *c)
{
    const enum mx_dtype t = mx_input_dtype(c, 0);
    return t == MX_DTYPE_NONE || t == MX_FLOAT32 || t == MX_FLOAT64
               ? MX_OK
               : mx_infer_fail(c, NULL, "MXNet computes it for float32 and float64 only; cast the data");
}

/* ---- matrix_rank: how many singular values are greater than tol */

struct rank {
    double finfoEps32, finfoEps64;
    bool hermitian;
};

static const struct mx_attr none_attrs[] = {
    MX_FLOAT(struct rank, finfoEps32, "0"),
    MX_DOUBLE(struct rank, finfoEps64, "0"),
    MX_BOOL(struct rank, hermitian, "False"),
    MX_ATTRS_END,
};

static const struct mx_attr tol_attrs[] = {
    MX_BOOL(struct rank, hermitian, "False"),
    MX_ATTRS_END,
};

static int infer_rank(struct mx_infer *c)
{
    const struct rank *a = c->attrs;
    struct mx_shape s;
    MX_TRY(check_type(c));
    if (a->hermitian) {
        return mx_infer_fail(c, "hermitian", "True reads one half of the matrix only; leave it away, a symmetric matrix has the same rank");
    }
    MX_TRY(mx_output_dtype_is(c, 0, MX_INT64));
    MX_TRY(mx_input_at_least(c, 0, 2, &s));
    MX_TRY(mx_output_is_dims(c, 0, s.dims, s.ndim - 2));
    for (int i = 0; i < c->node->n_in; i++) {
        struct mx_shape tol;
        MX_TRY(mx_input(c, i, &tol));
        if (i > 0 && tol.ndim > s.ndim - 2) {
            return mx_infer_fail(c, "tol", "has rank %d for %d axes of matrices", tol.ndim, s.ndim - 2);
        }
    }
    return MX_OK;
}

static void lower_rank(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct rank *a = n->attrs;
    const ox_val x = ox_cast(b, in[0], MX_FLOAT64);
    int64_t rows, columns;
    ox_val values, tol;
    const bool high = ox_size_at(b, x, -2, &rows) && ox_size_at(b, x, -1, &columns) && rows > columns;
    ox_singular(b, high ? ox_swap_axes(b, x, -2, -1) : x, NULL, &values, NULL);
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

/* ---- qr: Householder's reflections, as LAPACK's geqrf and orgqr */

enum { MAX_REFLECTIONS = 64 };

static int infer_qr(struct mx_infer *c)
{
    struct mx_shape s;
    mx_dim q[MX_MAX_RANK], r[MX_MAX_RANK];
    int64_t rows, columns;
    MX_TRY(check_type(c));
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_output_dtype_is(c, 1, mx_output_dtype(c, 0)));
    MX_TRY(mx_input_at_least(c, 0, 2, &s));
    MX_TRY(mx_number(c, s.dims[s.ndim - 2], "the rows of the matrix", &rows));
    MX_TRY(mx_number(c, s.dims[s.ndim - 1], "the columns of the matrix", &columns));
    const int64_t least = rows < columns ? rows : columns;
    if (least < 1 || least > MAX_REFLECTIONS) {
        return mx_infer_fail(c, NULL, "a matrix of %lld x %lld takes %lld reflections; 1 to %d can be written", (long long)rows,
                             (long long)columns, (long long)least, MAX_REFLECTIONS);
    }
    for (int i = 0; i < s.ndim; i++) {
        q[i] = i == s.ndim - 1 ? mx_dim_of(least) : s.dims[i];
        r[i] = i == s.ndim - 2 ? mx_dim_of(least) : s.dims[i];
    }
    MX_TRY(mx_output_is_dims(c, 0, q, s.ndim));
    return mx_output_is_dims(c, 1, r, s.ndim);
}

/* A column (m, 1) that is 1 from row `from` to before row `end`. */
static ox_val ones(struct ox_build *b, int64_t rows, int64_t from, int64_t end)
{
    double *v = ox_scratch(b, (size_t)rows, sizeof(*v));
    for (int64_t i = 0; i < rows && !ox_failed(b); i++) {
        v[i] = i >= from && i < end;
    }
    return ox_unsqueeze1(b, ox_floats(b, MX_FLOAT64, v, (int)rows), 1);
}

static ox_val sum(struct ox_build *b, ox_val x)
{
    return ox_reduce(b, OX_ReduceSum, x, (const int64_t[]){-2}, 1, true);
}

struct reflection {
    ox_val v, tau; /* x becomes x - tau v v' x */
};

/* The one that leaves nothing below the diagonal of column j: with the end of the column x, v is x - beta e, where beta has
 * x's length and not the sign of its first number. None where there is nothing below already. */
static struct reflection reflect(struct ox_build *b, ox_val r, int64_t rows, int64_t j)
{
    const ox_val zero = ox_scalar(b, MX_FLOAT64, 0), one = ox_scalar(b, MX_FLOAT64, 1);
    const ox_val column = ox_slice1(b, r, -1, j, j + 1), top = ones(b, rows, j, j + 1);
    const ox_val x = ox_mul(b, column, ones(b, rows, j, rows)), below = ox_mul(b, column, ones(b, rows, j + 1, rows));
    const ox_val first = sum(b, ox_mul(b, column, top)), done = ox_binary(b, OX_Equal, sum(b, ox_mul(b, below, below)), zero);
    const ox_val length = ox_unary(b, OX_Sqrt, sum(b, ox_mul(b, x, x)));
    const ox_val beta = ox_where(b, ox_binary(b, OX_Less, first, zero), length, ox_unary(b, OX_Neg, length));
    struct reflection h;
    h.v = ox_sub(b, x, ox_mul(b, top, beta));
    const ox_val size = ox_where(b, done, one, sum(b, ox_mul(b, h.v, h.v)));
    h.tau = ox_where(b, done, zero, ox_div(b, ox_scalar(b, MX_FLOAT64, 2), size));
    return h;
}

static ox_val apply(struct ox_build *b, struct reflection h, ox_val x)
{
    const ox_val product = ox_matmul(b, ox_swap_axes(b, h.v, -2, -1), x);
    return ox_sub(b, x, ox_matmul(b, ox_mul(b, h.v, h.tau), product));
}

/* Ones on the diagonal of rows x columns, or the upper triangle. */
static ox_val pattern(struct ox_build *b, int64_t rows, int64_t columns, bool triangle)
{
    double *v = ox_scratch(b, (size_t)(rows * columns), sizeof(*v));
    for (int64_t i = 0; i < rows * columns && !ox_failed(b); i++) {
        v[i] = triangle ? i % columns >= i / columns : i % columns == i / columns;
    }
    return ox_reshape_ints(b, ox_floats(b, MX_FLOAT64, v, (int)(rows * columns)), (const int64_t[]){rows, columns}, 2);
}

static void lower_qr(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    struct reflection h[MAX_REFLECTIONS];
    ox_val r = ox_cast(b, in[0], MX_FLOAT64);
    const int64_t rows = ox_number(b, ox_dim_at(b, r, -2), "rows"), columns = ox_number(b, ox_dim_at(b, r, -1), "columns");
    const int64_t least = rows < columns ? rows : columns;
    for (int64_t j = 0; j < least; j++) {
        h[j] = reflect(b, r, rows, j);
        r = apply(b, h[j], r);
    }
    ox_val q = pattern(b, rows, least, false);
    for (int64_t j = least - 1; j >= 0; j--) {
        q = apply(b, h[j], q);
    }
    r = ox_mul(b, ox_slice1(b, r, -2, 0, least), pattern(b, least, columns, true));
    out[0] = ox_cast(b, ox_expand(b, q, n->out[0].shape.dims, n->out[0].shape.ndim), n->out[0].dtype);
    out[1] = ox_cast(b, r, n->out[1].dtype);
}

#define RANK_LIMIT "hermitian=True.\nMatrices of float64 that are not of full rank: what is 0 but for rounding may count."

const struct mx_op mx_ops_np_rank[] = {
    {
        .name = "_npi_matrix_rank",
        .single = true,
        MX_ATTRS(tol_attrs, struct rank),
        .inputs = "M tol",
        .infer = infer_rank,
        .lower = lower_rank,
        .limits = RANK_LIMIT,
    },
    {
        .name = "_npi_matrix_rank_none_tol",
        .single = true,
        MX_ATTRS(none_attrs, struct rank),
        .inputs = "M",
        .infer = infer_rank,
        .lower = lower_rank,
        .limits = RANK_LIMIT,
    },
    {
        .name = "_npi_qr",
        .single = true,
        .inputs = "A",
        .outputs = "output0 output1",
        .infer = infer_qr,
        .lower = lower_qr,
        .limits = "Dynamic sizes of the matrix, and more than 64 of the smaller one.",
    },
    MX_OPS_END,
};
