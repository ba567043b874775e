/* NumPy's qr (src/operator/numpy/linalg/np_qr-inl.h): Householder reflections as in LAPACK's geqrf and orgqr, in a Loop over the
 * columns and in float64. */
#include "shared/loop.h"
#include "shared/matrices.h"

/* The number of rows, or of columns if there are fewer. */
static mx_dim shorter_side(struct mx_infer *c, struct mx_shape s)
{
    const mx_dim rows = s.dims[s.ndim - 2], columns = s.dims[s.ndim - 1];
    int64_t m, n;
    if (mx_dim_known(c->dims, rows, &m) && mx_dim_known(c->dims, columns, &n)) {
        return m < n ? rows : columns;
    }
    if (mx_dim_equal(c->dims, rows, columns)) {
        return rows;
    }
    return mx_open_dim(c, 0, s.ndim, s.ndim - 1);
}

static int infer(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_infer_decomposed(c));
    MX_TRY(mx_input_at_least(c, 0, 2, &s));
    const mx_dim side = shorter_side(c, s);
    struct mx_dim_list q = mx_dims_like(c, s), r = mx_dims_like(c, s);
    mx_put_dim(&q, s.ndim - 1, side);
    mx_put_dim(&r, s.ndim - 2, side);
    MX_TRY(mx_output_is_dims(c, 0, q.v, q.n));
    return mx_output_is_dims(c, 1, r.v, r.n);
}

/* The row indices (m, 1) of a matrix, 0, 1, ..., and the column of the current reflection, int64 (). */
struct turn {
    struct ox_build *b;
    ox_val row, column;
};

/* x in the rows whose index compares in this way with the column, 0 elsewhere. */
static ox_val where_row(const struct turn *t, enum ox_op comparison, ox_val x)
{
    const ox_val zero = ox_scalar(t->b, MX_FLOAT64, 0);
    return ox_where(t->b, ox_binary(t->b, comparison, t->row, t->column), x, zero);
}

static ox_val squares(struct ox_build *b, ox_val x)
{
    return ox_reduce(b, OX_ReduceSumSquare, x, (const int64_t[]){-2}, 1, true);
}

/* x - tau v v' x, which is zero below the diagonal in the column: if y is the lower part of the column, v is y - beta e, where beta has
 * the length of y and the opposite sign of its first element. x itself if the column is zero there already. */
static ox_val reflected(const struct turn *t, ox_val x)
{
    struct ox_build *b = t->b;
    const ox_val zero = ox_scalar(b, MX_FLOAT64, 0), one = ox_scalar(b, MX_FLOAT64, 1);
    const ox_val column = ox_gather(b, x, ox_unsqueeze1(b, t->column, 0), ox_rank(b, x) - 1);
    const ox_val y = where_row(t, OX_GreaterOrEqual, column);
    const ox_val done = ox_binary(b, OX_Equal, squares(b, where_row(t, OX_Greater, column)), zero);
    const ox_val first = ox_reduce(b, OX_ReduceSum, where_row(t, OX_Equal, column), (const int64_t[]){-2}, 1, true);
    const ox_val length = ox_unary(b, OX_Sqrt, squares(b, y));
    const ox_val beta = ox_where(b, ox_binary(b, OX_Less, first, zero), length, ox_unary(b, OX_Neg, length));
    const ox_val v = ox_sub(b, y, where_row(t, OX_Equal, beta));
    const ox_val size = ox_where(b, done, one, squares(b, v));
    const ox_val tau = ox_where(b, done, zero, ox_div(b, ox_scalar(b, MX_FLOAT64, 2), size));
    const ox_val product = ox_matmul(b, ox_swap_axes(b, v, -2, -1), x);
    return ox_sub(b, x, ox_matmul(b, ox_mul(b, v, tau), product));
}

/* The matrices x (..., m, any) after a reflection for each of the first columns. */
static ox_val triangular(struct ox_build *b, ox_val x, ox_val columns)
{
    const ox_val row = ox_unsqueeze1(b, ox_range(b, ox_dim_at(b, x, -2)), 1);
    ox_val end;
    struct ox_loop l = ox_loop_begin(b, "qr");
    const ox_val now = ox_loop_state(&l, x);
    const ox_val next = reflected(&(struct turn){b, row, l.at}, now);
    ox_loop_end(&l, l.go, &next, 1);
    ox_loop_run(&l, columns, &end);
    return end;
}

/* The reflections turn the matrix into R, and the unit matrix next to it into Q transposed. */
static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const ox_val x = ox_cast(b, in[0], MX_FLOAT64);
    const struct mx_shape s = ox_shape(b, x);
    const mx_dim rows = s.dims[s.ndim - 2], columns = s.dims[s.ndim - 1], zero = mx_dim_of(0);
    struct mx_dim_list square = ox_dims_like(b, s);
    mx_put_dim(&square, s.ndim - 1, rows);
    const ox_val unit = ox_unit(b, MX_FLOAT64, mx_list_shape(&square));
    const mx_dim both = mx_dim_add(ox_dims_table(b), columns, rows);
    const ox_val turns = ox_binary(b, OX_Min, ox_dim_as(b, rows, MX_INT64), ox_dim_as(b, columns, MX_INT64));
    const ox_val end = triangular(b, ox_concat(b, (const ox_val[]){x, unit}, 2, s.ndim - 1), turns);
    const ox_val kept = ox_shorter_side(b, end, -2, x);
    const ox_val r = ox_slice_dims(b, kept, (const int64_t[]){-1}, &zero, &columns, 1);
    const ox_val q = ox_slice_dims(b, kept, (const int64_t[]){-1}, &columns, &both, 1);
    const ox_val above =
        ox_binary(b, OX_LessOrEqual, ox_shorter_side(b, ox_unsqueeze1(b, ox_range(b, rows), 1), 0, x), ox_range(b, columns));
    out[0] = ox_cast(b, ox_swap_axes(b, q, -2, -1), n->out[0].dtype);
    out[1] = ox_cast(b, ox_where(b, above, r, ox_scalar(b, MX_FLOAT64, 0)), n->out[1].dtype);
}

const struct mx_op mx_ops_np_qr[] = {
    {.name = "_npi_qr", .single = true, .inputs = "A", .outputs = "output0 output1", .infer = infer, .lower = lower},
    MX_OPS_END,
};
