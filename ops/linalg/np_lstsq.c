/* NumPy's lstsq (src/operator/numpy/linalg/np_lstsq-inl.h, LAPACK's gelsd): the least-squares solution with minimal norm, the residuals
 * of each column, the rank, and the singular values. In float64, with the decomposition in shared/matrices.c. */
#include <float.h>

#include "shared/matrices.h"

struct lstsq {
    double rcond, finfoEps32, finfoEps64;
    bool new_default;
};

static const struct mx_attr attrs[] = {
    MX_DOUBLE(struct lstsq, rcond, "-1"),
    MX_DOUBLE(struct lstsq, finfoEps32, "0"),
    MX_DOUBLE(struct lstsq, finfoEps64, "0"),
    MX_BOOL(struct lstsq, new_default, "False"),
};

enum { SOLUTION, RESIDUALS, RANK, VALUES };

static int infer_types(struct mx_infer *c)
{
    const enum mx_dtype a = mx_input_dtype(c, 0), y = mx_input_dtype(c, 1);
    MX_TRY(ox_check_matrix(c, 0));
    MX_TRY(ox_check_matrix(c, 1));
    MX_TRY(mx_inputs_typed(c));
    const enum mx_dtype t = a == MX_FLOAT64 || y == MX_FLOAT64 ? MX_FLOAT64 : MX_FLOAT32;
    MX_TRY(mx_output_dtype_is(c, SOLUTION, t));
    MX_TRY(mx_output_dtype_is(c, RESIDUALS, t));
    MX_TRY(mx_output_dtype_is(c, RANK, MX_INT64));
    return mx_output_dtype_is(c, VALUES, t);
}

/* Residuals exist for matrices of full rank with more rows than columns. */
static int infer(struct mx_infer *c)
{
    struct mx_shape a, y;
    int64_t rows, columns;
    MX_TRY(mx_input_rank(c, 0, 2, &a));
    MX_TRY(mx_input(c, 1, &y));
    if (y.ndim != 1 && y.ndim != 2) {
        return mx_infer_fail(c, "b", MX_SUBJECT "has rank %d, but must be a vector or a matrix", y.ndim);
    }
    MX_TRY(mx_same_dim(c, a.dims[0], y.dims[0], "rows of both"));
    const bool known = mx_dim_known(c->dims, a.dims[0], &rows) && mx_dim_known(c->dims, a.dims[1], &columns);
    const bool square = mx_dim_equal(c->dims, a.dims[0], a.dims[1]);
    const mx_dim none = mx_dim_of(0), solution[] = {a.dims[1], y.dims[y.ndim - 1]};
    const mx_dim left = square || (known && rows <= columns) ? none : mx_open_dim(c, RESIDUALS, 1, 0);
    const mx_dim values = known && columns < rows ? a.dims[1] : known || square ? a.dims[0] : mx_open_dim(c, VALUES, 1, 0);
    MX_TRY(mx_output_is_dims(c, SOLUTION, solution, y.ndim));
    MX_TRY(mx_output_is_dims(c, RESIDUALS, &left, 1));
    MX_TRY(mx_output_is_dims(c, RANK, NULL, 0));
    MX_TRY(mx_output_is_dims(c, VALUES, &values, 1));
    return infer_types(c);
}

/* Smaller values are rounding errors of 0. */
static const double noise = 1e-13;

/* The share of the largest singular value up to which a value counts as 0; if rcond is not a share, LAPACK uses half an epsilon. */
static ox_val least_share(struct ox_build *b, const struct lstsq *a, ox_val x, enum mx_dtype t)
{
    const double eps = t == MX_FLOAT32 ? (double)FLT_EPSILON : DBL_EPSILON;
    if (!a->new_default) {
        const double share = a->rcond > 0 && a->rcond < 1 ? a->rcond : eps / 2;
        return ox_scalar(b, MX_FLOAT64, share > noise ? share : noise);
    }
    const ox_val rows = ox_dim_as(b, ox_dim_at(b, x, 0), MX_FLOAT64), columns = ox_dim_as(b, ox_dim_at(b, x, 1), MX_FLOAT64);
    const ox_val own = ox_scalar(b, MX_FLOAT64, t == MX_FLOAT32 ? a->finfoEps32 : a->finfoEps64);
    const ox_val share = ox_mul(b, ox_binary(b, OX_Max, rows, columns), own);
    return ox_binary(b, OX_Max, share, ox_scalar(b, MX_FLOAT64, noise));
}

/* x = first' diag(values) second, with values (k) in descending order and both matrices (k, ...). */
struct parts {
    ox_val first, values, second;
};

static struct parts decomposed(struct ox_build *b, ox_val x)
{
    struct parts p;
    const bool high = ox_is_high(b, x);
    ox_val left, values, right;
    ox_singular(b, high ? ox_swap_axes(b, x, 0, 1) : x, &left, &values, &right);
    left = ox_swap_axes(b, left, 0, 1);
    p.values = ox_shorter_side(b, values, 0, x);
    p.first = ox_shorter_side(b, high ? right : left, 0, x);
    p.second = ox_shorter_side(b, high ? left : right, 0, x);
    return p;
}

/* The residual of each column of y, or an empty result. */
static ox_val residuals(struct ox_build *b, ox_val x, ox_val solution, ox_val y, ox_val rank)
{
    const ox_val rows = ox_dim(b, ox_dim_at(b, x, 0)), columns = ox_dim(b, ox_dim_at(b, x, 1));
    const ox_val rest = ox_sub(b, y, ox_matmul(b, x, solution));
    const ox_val sums = ox_reduce(b, OX_ReduceSumSquare, rest, (const int64_t[]){0}, 1, false);
    const ox_val more = ox_binary(b, OX_Greater, rows, columns), full = ox_binary(b, OX_Equal, rank, columns);
    const ox_val count = ox_dim(b, ox_dim_at(b, y, 1));
    const ox_val end = ox_where(b, ox_binary(b, OX_And, more, full), count, ox_int(b, 0));
    return ox_node(b, OX_Slice, OX_IN(sums, ox_int(b, 0), end, ox_int(b, 0)), OX_NO_ATTRS);
}

static void write(struct ox_build *b, const struct mx_node *n, ox_val x, ox_val y, ox_val *out)
{
    const ox_val zero = ox_scalar(b, MX_FLOAT64, 0), one = ox_scalar(b, MX_FLOAT64, 1);
    const struct parts p = decomposed(b, x);
    const ox_val largest = ox_slice1(b, p.values, 0, 0, 1);
    const ox_val counts = ox_binary(b, OX_Greater, p.values, ox_mul(b, largest, least_share(b, n->attrs, x, n->out[0].dtype)));
    const ox_val inverse = ox_where(b, counts, ox_div(b, one, ox_where(b, counts, p.values, one)), zero);
    const ox_val scaled = ox_mul(b, ox_matmul(b, p.first, y), ox_unsqueeze1(b, inverse, 1));
    const ox_val rank = ox_reduce(b, OX_ReduceSum, ox_cast(b, counts, MX_INT64), (const int64_t[]){0}, 1, true);
    out[SOLUTION] = ox_matmul(b, ox_swap_axes(b, p.second, 0, 1), scaled);
    out[RESIDUALS] = residuals(b, x, out[SOLUTION], y, rank);
    out[RANK] = ox_squeeze1(b, rank, 0);
    out[VALUES] = p.values;
}

/* For a matrix without elements nothing is solved, and if it has no columns the residual is all of y. */
static void write_nothing(struct ox_build *b, const struct mx_node *n, ox_val x, ox_val y, ox_val *out)
{
    const bool no_columns = mx_dim_equal(ox_dims_table(b), ox_dim_at(b, x, 1), mx_dim_of(0));
    out[SOLUTION] = ox_fill(b, MX_FLOAT64, n->out[SOLUTION].shape, 0);
    out[RANK] = ox_scalar(b, MX_INT64, 0);
    out[VALUES] = ox_fill(b, MX_FLOAT64, n->out[VALUES].shape, 0);
    out[RESIDUALS] = no_columns ? ox_reduce(b, OX_ReduceSumSquare, y, (const int64_t[]){0}, 1, false)
                                : ox_fill(b, MX_FLOAT64, n->out[RESIDUALS].shape, 0);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const ox_val x = ox_cast(b, in[0], MX_FLOAT64), y = ox_cast(b, in[1], MX_FLOAT64);
    const bool vector = ox_rank(b, y) == 1;
    const ox_val columns = vector ? ox_unsqueeze1(b, y, 1) : y;
    if (ox_is_empty(b, x)) {
        write_nothing(b, n, x, columns, out);
    } else {
        write(b, n, x, columns, out);
        out[SOLUTION] = vector ? ox_squeeze1(b, out[SOLUTION], 1) : out[SOLUTION];
    }
    for (int i = 0; i < 4; i++) {
        out[i] = ox_cast(b, out[i], n->out[i].dtype);
        ox_typed(b, out[i], n->out[i].dtype, n->out[i].shape);
    }
}

const struct mx_op mx_ops_np_lstsq[] = {
    {
        .name = "_npi_lstsq",
        .single = true,
        MX_ATTRS(attrs, struct lstsq),
        .inputs = "A B",
        .outputs = "output0 output1 output2 output3",
        .infer = infer,
        .lower = lower,
        .differs =
            "Matrices without full rank, and rcond below 1e-6 (float64: 1e-13): singular values that only rounding makes different from "
            "0 may count in MXNet.",
    },
    MX_OPS_END,
};
