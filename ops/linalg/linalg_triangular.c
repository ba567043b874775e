/* linalg_potrf, potri, trmm, trsm, gelqf: matrices in the last two axes, factorised and solved in a Loop over the columns, so that any
 * size and any batch works (src/operator/tensor/la_op-inl.h). */
#include "shared/loop.h"
#include "shared/matrices.h"

struct triangular {
    bool transpose, rightside, lower;
    double alpha;
};

static const struct mx_attr factor_attrs[] = {MX_BOOL(struct triangular, lower, "True")};

static const struct mx_attr product_attrs[] = {
    MX_BOOL(struct triangular, transpose, "False"),
    MX_BOOL(struct triangular, rightside, "False"),
    MX_BOOL(struct triangular, lower, "True"),
    MX_DOUBLE(struct triangular, alpha, "1"),
};

/* A's width equals B's height, or the reverse for a product from the right. */
static int infer_product(struct mx_infer *c)
{
    const struct triangular *a = c->attrs;
    struct mx_shape s;
    MX_TRY(mx_same_dtype(c, 0, 1));
    MX_TRY(mx_input_at_least(c, 1, 2, &s));
    struct mx_dim_list dims = mx_dims_like(c, s);
    const int row = s.ndim - 2, column = s.ndim - 1;
    mx_put_dim(&dims, row, s.dims[a->rightside ? column : row]);
    mx_put_dim(&dims, column, s.dims[a->rightside ? column : row]);
    MX_TRY(mx_input_is_dims(c, 0, dims.v, dims.n));
    return mx_output_is(c, 0, s);
}

static int infer_gelqf(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_output_dtype_is(c, 1, mx_output_dtype(c, 0)));
    MX_TRY(mx_input_wide(c, 0, &s));
    struct mx_dim_list dims = mx_dims_like(c, s);
    mx_put_dim(&dims, s.ndim - 1, s.dims[s.ndim - 2]);
    MX_TRY(mx_output_is(c, 0, s));
    return mx_output_is_dims(c, 1, dims.v, dims.n);
}

/* ---- pieces */

/* x minus the product of a column (..., n) and a row (..., m). */
static ox_val minus_outer(struct ox_build *b, ox_val x, ox_val column, ox_val row)
{
    const ox_val high = ox_unsqueeze1(b, column, -1);
    const ox_val wide = ox_unsqueeze1(b, row, -2);
    return ox_sub(b, x, ox_mul(b, high, wide));
}

static ox_val triangle(struct ox_build *b, ox_val x, bool lower)
{
    if (ox_has(b, OX_Trilu)) {
        return ox_node(b, OX_Trilu, OX_IN(x), OX_ATTRS(OX_I("upper", !lower)));
    }
    const ox_val keep = ox_compare_places(b, lower ? OX_GreaterOrEqual : OX_LessOrEqual, ox_dim_at(b, x, -1));
    return ox_where(b, keep, x, ox_scalar_like(b, x, 0));
}

/* ---- potrf: for each column, the remainder after subtracting the columns before */

static ox_val factor(struct ox_build *b, ox_val x)
{
    const mx_dim n = ox_dim_at(b, x, -1);
    const ox_val row = ox_range(b, n);
    ox_val out[2];
    struct ox_loop l = ox_loop_begin(b, "cholesky");
    const ox_val left = ox_loop_state(&l, x);
    const ox_val column = ox_gather(b, left, l.at, -1);
    const ox_val pivot = ox_unsqueeze1(b, ox_gather(b, column, l.at, -1), -1);
    const ox_val below = ox_binary(b, OX_GreaterOrEqual, row, l.at);
    const ox_val found = ox_where(b, below, ox_div(b, column, ox_unary(b, OX_Sqrt, pivot)), ox_scalar_like(b, column, 0));
    const ox_val next = minus_outer(b, left, found, found);
    ox_loop_end(&l, l.go, (const ox_val[]){next, found}, 2);
    ox_loop_times(&l, n, out);
    return out[1];
}

static void lower_potrf(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct triangular *a = n->attrs;
    const int rank = ox_rank(b, in[0]);
    const ox_val x = factor(b, a->lower ? in[0] : ox_swap_axes(b, in[0], -2, -1));
    out[0] = ox_move_axis(b, x, 0, a->lower ? rank - 1 : rank - 2);
}

/* ---- trsm: row by row, each subtracted from the rows that follow */

/* The solution X of a X = x, for a lower or an upper triangle; the other triangle is not read, since it affects only finished rows. */
static ox_val solve(struct ox_build *b, ox_val a, ox_val x, bool lower)
{
    const mx_dim n = ox_dim_at(b, x, -2);
    const ox_val last = ox_dim_as(b, mx_dim_addn(ox_dims_table(b), n, -1), MX_INT64);
    ox_val out[2];
    struct ox_loop l = ox_loop_begin(b, "substitute");
    const ox_val left = ox_loop_state(&l, x);
    const ox_val at = lower ? l.at : ox_sub(b, last, l.at);
    const ox_val column = ox_gather(b, a, at, -1);
    const ox_val pivot = ox_unsqueeze1(b, ox_gather(b, column, at, -1), -1);
    const ox_val row = ox_div(b, ox_gather(b, left, at, -2), pivot);
    const ox_val next = minus_outer(b, left, column, row);
    ox_loop_end(&l, l.go, (const ox_val[]){next, row}, 2);
    ox_loop_times(&l, n, out);
    const ox_val rows = lower ? out[1] : ox_reverse(b, out[1], (const int64_t[]){0}, 1);
    return ox_move_axis(b, rows, 0, ox_rank(b, x) - 2);
}

/* For a product from the right, X op(A) = B is op(A)^T X^T = B^T. */
static void lower_trsm(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct triangular *a = n->attrs;
    const bool turned = a->transpose != a->rightside;
    const ox_val m = turned ? ox_swap_axes(b, in[0], -2, -1) : in[0];
    const ox_val y = ox_scaled(b, in[1], a->alpha);
    const ox_val x = solve(b, m, a->rightside ? ox_swap_axes(b, y, -2, -1) : y, a->lower != turned);
    out[0] = a->rightside ? ox_swap_axes(b, x, -2, -1) : x;
}

static void lower_trmm(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct triangular *a = n->attrs;
    const ox_val half = triangle(b, in[0], a->lower);
    const ox_val m = a->transpose ? ox_swap_axes(b, half, -2, -1) : half;
    out[0] = ox_scaled(b, a->rightside ? ox_matmul(b, in[1], m) : ox_matmul(b, m, in[1]), a->alpha);
}

/* The inverse of L L^T or of U^T U. */
static void lower_potri(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct triangular *a = n->attrs;
    const ox_val l = a->lower ? in[0] : ox_swap_axes(b, in[0], -2, -1);
    const ox_val inverse = solve(b, l, ox_unit(b, ox_dtype(b, l), ox_shape(b, l)), true);
    out[0] = ox_matmul(b, ox_swap_axes(b, inverse, -2, -1), inverse);
}

/* ---- gelqf: Householder reflections, with LAPACK's signs (gelq2, larfg): a row whose remainder is already zero is not reflected. */

/* x - 2 (x v) v^T. */
static ox_val reflect(struct ox_build *b, ox_val x, ox_val v)
{
    const ox_val along = ox_scaled(b, ox_matmul(b, x, ox_unsqueeze1(b, v, -1)), 2);
    return ox_sub(b, x, ox_mul(b, along, ox_unsqueeze1(b, v, -2)));
}

static ox_val length(struct ox_build *b, ox_val v)
{
    return ox_reduce(b, OX_ReduceL2, v, (const int64_t[]){-1}, 1, true);
}

/* The unit vector that reflects row `at` of x onto an axis. */
static ox_val mirror(struct ox_build *b, ox_val x, ox_val at)
{
    const ox_val row = ox_gather(b, x, at, -2), zero = ox_scalar_like(b, x, 0);
    const ox_val column = ox_range(b, ox_dim_at(b, x, -1));
    const ox_val from = ox_binary(b, OX_GreaterOrEqual, column, at);
    const ox_val after = ox_binary(b, OX_Greater, column, at);
    const ox_val rest = ox_where(b, from, row, zero);
    const ox_val done = ox_binary(b, OX_Equal, length(b, ox_where(b, after, row, zero)), zero);
    const ox_val first = ox_unsqueeze1(b, ox_gather(b, row, at, -1), -1);
    const ox_val size = length(b, rest);
    const ox_val negative = ox_binary(b, OX_Less, first, zero);
    const ox_val to = ox_where(b, negative, size, ox_unary(b, OX_Neg, size));
    const ox_val here = ox_binary(b, OX_Equal, column, at);
    const ox_val v = ox_where(b, here, ox_sub(b, rest, to), rest);
    const ox_val norm = ox_where(b, done, ox_scalar_like(b, x, 1), length(b, v));
    return ox_where(b, done, zero, ox_div(b, v, norm));
}

static void lower_gelqf(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct mx_shape s = ox_shape(b, in[0]);
    const mx_dim rows = s.dims[s.ndim - 2], columns = s.dims[s.ndim - 1];
    struct mx_dim_list dims = ox_dims_like(b, s);
    mx_put_dim(&dims, s.ndim - 2, columns);
    const ox_val unit = ox_unit(b, ox_dtype(b, in[0]), mx_list_shape(&dims));
    ox_val end[2];
    struct ox_loop l = ox_loop_begin(b, "reflect");
    const ox_val left = ox_loop_state(&l, in[0]), product = ox_loop_state(&l, unit);
    const ox_val v = mirror(b, left, l.at);
    const ox_val next = reflect(b, left, v);
    const ox_val more = reflect(b, product, v);
    ox_loop_end(&l, l.go, (const ox_val[]){next, more}, 2);
    ox_loop_times(&l, rows, end);
    const mx_dim zero = mx_dim_of(0);
    const bool square = mx_dim_equal(ox_dims_table(b), rows, columns);
    const ox_val q = ox_swap_axes(b, end[1], -2, -1);
    out[0] = square ? q : ox_slice_dims(b, q, (const int64_t[]){-2}, &zero, &rows, 1);
    const ox_val m = square ? end[0] : ox_slice_dims(b, end[0], (const int64_t[]){-1}, &zero, &rows, 1);
    out[1] = triangle(b, m, true);
}

#define ROW(x, other_names, table, reads, rule, write)                                                                                     \
    {                                                                                                                                      \
        LINALG(x, other_names, reads, rule, write), MX_ATTRS(table, struct triangular), .single = true                                     \
    }

const struct mx_op mx_ops_linalg_triangular[] = {
    {LINALG("gelqf", "", "A", infer_gelqf, lower_gelqf), .outputs = "output0 output1", .single = true},
    ROW("potrf", " _npi_cholesky", factor_attrs, "A", mx_infer_square, lower_potrf),
    ROW("potri", "", factor_attrs, "A", mx_infer_square, lower_potri),
    ROW("trmm", "", product_attrs, "A B", infer_product, lower_trmm),
    ROW("trsm", "", product_attrs, "A B", infer_product, lower_trsm),
    MX_OPS_END,
};
