/* linalg_potrf, potri, trmm, trsm, gelqf: matrices in the last two axes, factorised and solved in a Loop over the columns, so that any
 * size and any batch works (src/operator/tensor/la_op-inl.h). */
#include "op/op.h"

struct triangular {
    bool transpose, rightside, lower;
    double alpha;
};

static const struct mx_attr factor_attrs[] = {
    MX_BOOL(struct triangular, lower, "True"),
};

static const struct mx_attr product_attrs[] = {
    MX_BOOL(struct triangular, transpose, "False"),
    MX_BOOL(struct triangular, rightside, "False"),
    MX_BOOL(struct triangular, lower, "True"),
    MX_DOUBLE(struct triangular, alpha, "1"),
};

static int infer_square(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_infer_same(c));
    return mx_input_square(c, 0, &s);
}

/* A's width equals B's height, or the reverse for a product from the right. */
static int infer_product(struct mx_infer *c)
{
    const struct triangular *a = c->attrs;
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 1));
    MX_TRY(mx_input_at_least(c, 1, 2, &s));
    for (int i = 0; i < s.ndim; i++) {
        mx_put_dim(&dims, i, s.dims[i < s.ndim - 2 ? i : a->rightside ? s.ndim - 1 : s.ndim - 2]);
    }
    MX_TRY(mx_input_is_dims(c, 0, dims.v, dims.n));
    return mx_output_is(c, 0, s);
}

static int infer_gelqf(struct mx_infer *c)
{
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_output_dtype_is(c, 1, mx_output_dtype(c, 0)));
    MX_TRY(mx_input_wide(c, 0, &s));
    for (int i = 0; i < s.ndim; i++) {
        mx_put_dim(&dims, i, s.dims[i < s.ndim - 1 ? i : s.ndim - 2]);
    }
    MX_TRY(mx_output_is(c, 0, s));
    return mx_output_is_dims(c, 1, dims.v, dims.n);
}

/* ---- pieces */

/* A Loop body whose only state is `x`. */
struct loop {
    struct ox_build *b;
    struct ox_graph *graph;
    ox_val at; /* the iteration number, int64 () */
    ox_val go;
};

static struct loop begin(struct ox_build *b, const char *name)
{
    const struct mx_shape scalar = {0, NULL};
    struct loop l = {.b = b, .graph = ox_graph_begin(b, name)};
    l.at = ox_graph_input(b, MX_INT64, scalar);
    l.go = ox_graph_input(b, MX_BOOL, scalar);
    return l;
}

/* Runs the body n times. out: the final states, and if there is one only, then a value from each iteration, stacked on a new axis 0. */
static void finish(struct loop *l, mx_dim n, const ox_val *start, int n_states, ox_val out[2])
{
    struct ox_build *b = l->b;
    const ox_val rounds = ox_dim_as(b, n, MX_INT64);
    ox_node_n(b, OX_Loop, OX_IN(rounds, OX_NONE, start[0], n_states > 1 ? start[1] : OX_END), OX_ATTRS(OX_G("body", l->graph)), out, 2);
    for (int i = 0; i < n_states; i++) {
        ox_typed(b, out[i], ox_dtype(b, start[i]), ox_shape(b, start[i]));
    }
}

/* Sets the type of a value stacked over the iterations: n of them, each of this shape. */
static void stacked(struct ox_build *b, ox_val x, enum mx_dtype t, mx_dim n, struct mx_shape each)
{
    struct mx_dim_list dims = ox_no_dims(b);
    mx_push_dim(&dims, n);
    mx_push_dims(&dims, each.dims, each.ndim);
    ox_typed(b, x, t, mx_list_shape(&dims));
}

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
    const ox_val column = ox_range(b, ox_dim_at(b, x, -1)), row = ox_unsqueeze1(b, column, 1);
    const ox_val keep = ox_binary(b, lower ? OX_GreaterOrEqual : OX_LessOrEqual, row, column);
    return ox_where(b, keep, x, ox_scalar_like(b, x, 0));
}

/* Unit matrices of this shape. */
static ox_val unit(struct ox_build *b, enum mx_dtype t, struct mx_shape s)
{
    const ox_val column = ox_range(b, s.dims[s.ndim - 1]), row = ox_unsqueeze1(b, column, 1);
    const ox_val one = ox_cast(b, ox_binary(b, OX_Equal, row, column), t);
    return ox_expand(b, one, s.dims, s.ndim);
}

/* ---- potrf: for each column, the remainder after subtracting the columns before */

static ox_val factor(struct ox_build *b, ox_val x)
{
    const struct mx_shape s = ox_shape(b, x);
    const mx_dim n = s.dims[s.ndim - 1];
    const ox_val row = ox_range(b, n);
    ox_val out[2];
    struct loop l = begin(b, "cholesky");
    const ox_val left = ox_graph_input(b, ox_dtype(b, x), s);
    const ox_val column = ox_gather(b, left, l.at, -1);
    const ox_val pivot = ox_unsqueeze1(b, ox_gather(b, column, l.at, -1), -1);
    const ox_val below = ox_binary(b, OX_GreaterOrEqual, row, l.at);
    const ox_val found = ox_where(b, below, ox_div(b, column, ox_unary(b, OX_Sqrt, pivot)), ox_scalar_like(b, column, 0));
    const ox_val next = minus_outer(b, left, found, found);
    ox_graph_end(b, (const ox_val[]){l.go, next, found}, 3);
    finish(&l, n, &x, 1, out);
    stacked(b, out[1], ox_dtype(b, x), n, (struct mx_shape){s.ndim - 1, s.dims});
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
    const struct mx_shape s = ox_shape(b, x);
    const mx_dim n = s.dims[s.ndim - 2];
    const ox_val last = ox_dim_as(b, mx_dim_addn(ox_dims_table(b), n, -1), MX_INT64);
    struct mx_dim_list row_dims = ox_no_dims(b);
    ox_val out[2];
    struct loop l = begin(b, "substitute");
    const ox_val left = ox_graph_input(b, ox_dtype(b, x), s);
    const ox_val at = lower ? l.at : ox_sub(b, last, l.at);
    const ox_val column = ox_gather(b, a, at, -1);
    const ox_val pivot = ox_unsqueeze1(b, ox_gather(b, column, at, -1), -1);
    const ox_val row = ox_div(b, ox_gather(b, left, at, -2), pivot);
    const ox_val next = minus_outer(b, left, column, row);
    ox_graph_end(b, (const ox_val[]){l.go, next, row}, 3);
    finish(&l, n, &x, 1, out);
    for (int i = 0; i < s.ndim - 1; i++) {
        mx_put_dim(&row_dims, i, s.dims[i < s.ndim - 2 ? i : s.ndim - 1]);
    }
    stacked(b, out[1], ox_dtype(b, x), n, mx_list_shape(&row_dims));
    const ox_val rows = lower ? out[1] : ox_reverse(b, out[1], (const int64_t[]){0}, 1);
    return ox_move_axis(b, rows, 0, s.ndim - 2);
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
    const ox_val inverse = solve(b, l, unit(b, ox_dtype(b, l), ox_shape(b, l)), true);
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
    const ox_val behind = ox_binary(b, OX_Greater, column, at);
    const ox_val rest = ox_where(b, from, row, zero);
    const ox_val done = ox_binary(b, OX_Equal, length(b, ox_where(b, behind, row, zero)), zero);
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
    const enum mx_dtype t = ox_dtype(b, in[0]);
    const int64_t axes[] = {s.ndim - 1, s.ndim - 2};
    struct mx_dim_list dims = ox_no_dims(b);
    ox_val end[2];
    for (int i = 0; i < s.ndim; i++) {
        mx_put_dim(&dims, i, i == s.ndim - 2 ? columns : s.dims[i]);
    }
    const ox_val start[] = {in[0], unit(b, t, mx_list_shape(&dims))};
    struct loop l = begin(b, "reflect");
    const ox_val left = ox_graph_input(b, t, s);
    const ox_val product = ox_graph_input(b, t, mx_list_shape(&dims));
    const ox_val v = mirror(b, left, l.at);
    const ox_val next = reflect(b, left, v);
    const ox_val more = reflect(b, product, v);
    ox_graph_end(b, (const ox_val[]){l.go, next, more}, 3);
    finish(&l, rows, start, 2, end);
    const mx_dim zero = mx_dim_of(0);
    const bool square = mx_dim_equal(ox_dims_table(b), rows, columns);
    const ox_val q = ox_swap_axes(b, end[1], -2, -1);
    out[0] = square ? q : ox_slice_dims(b, q, &axes[1], &zero, &rows, 1);
    const ox_val m = square ? end[0] : ox_slice_dims(b, end[0], &axes[0], &zero, &rows, 1);
    out[1] = triangle(b, m, true);
}

const struct mx_op mx_ops_linalg_triangular[] = {
    {
        .name = "_linalg_gelqf",
        .single = true,
        .alias = "linalg_gelqf",
        .inputs = "A",
        .outputs = "output0 output1",
        .infer = infer_gelqf,
        .lower = lower_gelqf,
    },
    {
        .name = "_linalg_potrf",
        .single = true,
        .alias = "linalg_potrf _npi_cholesky",
        MX_ATTRS(factor_attrs, struct triangular),
        .inputs = "A",
        .infer = infer_square,
        .lower = lower_potrf,
    },
    {
        .name = "_linalg_potri",
        .single = true,
        .alias = "linalg_potri",
        MX_ATTRS(factor_attrs, struct triangular),
        .inputs = "A",
        .infer = infer_square,
        .lower = lower_potri,
    },
    {
        .name = "_linalg_trmm",
        .single = true,
        .alias = "linalg_trmm",
        MX_ATTRS(product_attrs, struct triangular),
        .inputs = "A B",
        .infer = infer_product,
        .lower = lower_trmm,
    },
    {
        .name = "_linalg_trsm",
        .single = true,
        .alias = "linalg_trsm",
        MX_ATTRS(product_attrs, struct triangular),
        .inputs = "A B",
        .infer = infer_product,
        .lower = lower_trsm,
    },
    MX_OPS_END,
};
