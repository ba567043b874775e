/* Eigenvalues and singular values by Jacobi rotations, in a Loop. Each round pairs all rows as a round-robin tournament pairs its
 * players, and rotates each pair until it is orthogonal; after a few sweeps over all pairs every row is. (Golub and Van Loan, Matrix
 * Computations, 8.5) */
#include "shared/matrices.h"
#include "shared/loop.h"

int mx_infer_square(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_infer_same(c));
    return mx_input_square(c, 0, &s);
}

int mx_infer_product(struct mx_infer *c, struct mx_shape l, struct mx_shape r, struct mx_product p)
{
    struct mx_dim_list dims = mx_dims_like(c, l);
    const int column = l.ndim - 1;
    for (int i = 0; i < column; i++) {
        MX_TRY(i == p.row ? MX_OK : mx_same_dim(c, l.dims[i], r.dims[i], "sizes of the batch axes"));
    }
    const mx_dim inner = l.dims[p.transpose_a ? p.row : column];
    MX_TRY(mx_same_dim(c, inner, r.dims[p.transpose_b ? column : p.row], "sizes of the axes to contract"));
    mx_put_dim(&dims, p.row, l.dims[p.transpose_a ? column : p.row]);
    mx_put_dim(&dims, column, r.dims[p.transpose_b ? p.row : column]);
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

ox_val ox_compare_places(struct ox_build *b, enum ox_op comparison, mx_dim n)
{
    const ox_val column = ox_range(b, n);
    return ox_binary(b, comparison, ox_unsqueeze1(b, column, 1), column);
}

ox_val ox_unit(struct ox_build *b, enum mx_dtype t, struct mx_shape s)
{
    const ox_val unit = ox_compare_places(b, OX_Equal, s.dims[s.ndim - 1]);
    return ox_expand(b, ox_cast(b, unit, t), s.dims, s.ndim);
}

bool ox_is_high(struct ox_build *b, ox_val x)
{
    int64_t rows, columns;
    return ox_size_at(b, x, -2, &rows) && ox_size_at(b, x, -1, &columns) && rows > columns;
}

int ox_check_matrix(struct mx_infer *c, int input)
{
    const enum mx_dtype t = mx_input_dtype(c, input);
    return t == MX_DTYPE_NONE || t == MX_FLOAT32 || t == MX_FLOAT64
               ? MX_OK
               : mx_infer_fail(c, NULL, "an input is %s, but MXNet has this operator for float32 and float64 only" MX_HELP "cast the data",
                               mx_dtype_name(t));
}

int mx_infer_decomposed(struct mx_infer *c)
{
    const enum mx_dtype t = mx_input_dtype(c, 0);
    if (t == MX_DTYPE_NONE) {
        return MX_OK;
    }
    if (t == MX_FLOAT16) {
        return mx_infer_fail(
            c, NULL, "the data is float16, but MXNet has this operator for float32 and float64 only" MX_HELP "cast the data to float32");
    }
    for (int i = 0; i < c->node->n_out; i++) {
        MX_TRY(mx_output_dtype_is(c, i, t == MX_FLOAT32 ? t : MX_FLOAT64));
    }
    return MX_OK;
}

enum { SWEEPS = 14 }; /* the error is squared by each sweep: this many are enough for any realistic size */

/* The inputs of all rounds, for n rows. */
struct tournament {
    struct ox_build *b;
    ox_val row;     /* int64 (n): 0, 1, ... */
    ox_val unit;    /* bool (n, n) */
    ox_val is_odd;  /* bool () */
    ox_val modulus; /* int64 (): n, or n - 1 if that is odd */
};

static ox_val whole(struct ox_build *b, double v)
{
    return ox_scalar(b, MX_INT64, v);
}

static struct tournament begin(struct ox_build *b, mx_dim n)
{
    struct tournament t = {.b = b, .row = ox_range(b, n)};
    const ox_val count = ox_dim_as(b, n, MX_INT64);
    const ox_val odd = ox_mod(b, count, whole(b, 2));
    t.unit = ox_compare_places(b, OX_Equal, n);
    t.is_odd = ox_binary(b, OX_Equal, odd, whole(b, 1));
    t.modulus = ox_sub(b, ox_add(b, count, odd), whole(b, 1));
    return t;
}

/* int64 (n): the partner of each row in this round. Rows i and j are partners if i + j equals the round modulo the odd modulus; a row
 * that would be its own partner gets the last row if the number of rows is even, and none otherwise. */
static ox_val partners(const struct tournament *t, ox_val round)
{
    struct ox_build *b = t->b;
    const ox_val other = ox_mod(b, ox_sub(b, round, t->row), t->modulus);
    const ox_val half = ox_div(b, ox_add(b, t->modulus, whole(b, 1)), whole(b, 2));
    const ox_val of_last = ox_mod(b, ox_mul(b, round, half), t->modulus);
    const ox_val lone = ox_where(b, t->is_odd, t->row, t->modulus);
    const ox_val met = ox_where(b, ox_binary(b, OX_Equal, other, t->row), lone, other);
    return ox_where(b, ox_binary(b, OX_Equal, t->row, t->modulus), of_last, met);
}

static ox_val picked(struct ox_build *b, ox_val mask, ox_val x)
{
    return ox_reduce(b, OX_ReduceSum, ox_where(b, mask, x, ox_scalar_like(b, x, 0)), (const int64_t[]){-1}, 1, false);
}

/* The tangent of each row's angle, from the products of rows (..., n, n); the tangents of a pair are opposite numbers. */
static ox_val tangents(const struct tournament *t, ox_val gram, ox_val partner, ox_val meets)
{
    struct ox_build *b = t->b;
    const ox_val zero = ox_scalar_like(b, gram, 0), one = ox_scalar_like(b, gram, 1);
    const ox_val others = ox_binary(b, OX_And, meets, ox_unary(b, OX_Not, t->unit));
    const ox_val product = ox_scaled(b, picked(b, others, gram), 2), size = picked(b, t->unit, gram);
    const ox_val d = ox_sub(b, ox_gather(b, size, partner, ox_rank(b, size) - 1), size);
    const ox_val first = ox_where(b, ox_binary(b, OX_Less, t->row, partner), one, ox_scalar_like(b, gram, -1));
    const ox_val sign =
        ox_where(b, ox_binary(b, OX_Less, d, zero), ox_scalar_like(b, gram, -1), ox_where(b, ox_binary(b, OX_Equal, d, zero), first, one));
    const ox_val squares = ox_add(b, ox_mul(b, d, d), ox_mul(b, product, product));
    const ox_val below = ox_add(b, ox_unary(b, OX_Abs, d), ox_unary(b, OX_Sqrt, squares));
    const ox_val safe = ox_where(b, ox_binary(b, OX_Equal, below, zero), one, below);
    return ox_div(b, ox_mul(b, product, sign), safe);
}

/* The transposed rotation (..., n, n) of a round, by which rows are multiplied. */
static ox_val rotation(const struct tournament *t, ox_val gram, ox_val round)
{
    struct ox_build *b = t->b;
    const ox_val partner = partners(t, round);
    const ox_val meets = ox_binary(b, OX_Equal, ox_unsqueeze1(b, partner, 1), t->row);
    const ox_val tangent = tangents(t, gram, partner, meets), one = ox_scalar_like(b, gram, 1);
    const ox_val root = ox_unary(b, OX_Sqrt, ox_add(b, ox_mul(b, tangent, tangent), one));
    const ox_val cosine = ox_div(b, one, root), sine = ox_mul(b, tangent, cosine);
    const ox_val sines = ox_where(b, meets, ox_unsqueeze1(b, sine, -1), ox_scalar_like(b, gram, 0));
    return ox_swap_axes(b, ox_where(b, t->unit, ox_unsqueeze1(b, cosine, -1), sines), -2, -1);
}

/* Rotates the rows of x (..., n, any) until they are orthogonal, or the symmetric x until it is diagonal; `turned` becomes the product
 * of all rotations (..., n, n). */
static ox_val turn(struct ox_build *b, ox_val x, bool symmetric, ox_val *turned)
{
    const struct mx_shape s = ox_shape(b, x);
    const struct tournament t = begin(b, s.dims[s.ndim - 2]);
    struct mx_dim_list square = ox_dims_like(b, s);
    ox_val end[2];
    mx_put_dim(&square, s.ndim - 1, s.dims[s.ndim - 2]);
    const ox_val start = ox_expand(b, ox_cast(b, t.unit, ox_dtype(b, x)), square.v, square.n);
    struct ox_loop l = ox_loop_begin(b, "jacobi");
    const ox_val rows = ox_loop_state(&l, x), all = ox_loop_state(&l, start);
    const ox_val gram = symmetric ? rows : ox_matmul(b, rows, ox_swap_axes(b, rows, -2, -1));
    const ox_val r = rotation(&t, gram, l.at);
    ox_val next = ox_matmul(b, r, rows);
    next = symmetric ? ox_matmul(b, next, ox_swap_axes(b, r, -2, -1)) : next;
    ox_loop_end(&l, l.go, (const ox_val[]){next, ox_matmul(b, r, all)}, 2);
    ox_loop_run(&l, ox_mul(b, t.modulus, whole(b, SWEEPS)), end);
    *turned = end[1];
    return end[0];
}

/* Sorts values (..., n); `order` (..., n, 1) gives the previous index of each row. */
static ox_val sorted(struct ox_build *b, ox_val values, bool largest, ox_val *order)
{
    const struct mx_shape s = ox_shape(b, values);
    ox_val top[2];
    ox_node_n(b, OX_TopK, OX_IN(values, ox_dim(b, s.dims[s.ndim - 1])), OX_ATTRS(OX_I("axis", -1), OX_I("largest", largest)), top, 2);
    *order = ox_unsqueeze1(b, top[1], -1);
    return top[0];
}

static ox_val in_order(struct ox_build *b, ox_val rows, ox_val order)
{
    const struct mx_shape s = ox_shape(b, rows);
    const ox_val at = ox_expand(b, order, s.dims, s.ndim);
    return ox_node(b, OX_GatherElements, OX_IN(rows, at), OX_ATTRS(OX_I("axis", s.ndim - 2)));
}

/* 1 or -1 for each row (..., n, 1), the sign of its largest entry. */
static ox_val signs(struct ox_build *b, ox_val rows)
{
    const int axis = ox_rank(b, rows) - 1;
    const ox_val at = ox_arg(b, OX_ArgMax, ox_unary(b, OX_Abs, rows), axis, true);
    const ox_val largest = ox_node(b, OX_GatherElements, OX_IN(rows, at), OX_ATTRS(OX_I("axis", axis)));
    const ox_val below = ox_binary(b, OX_Less, largest, ox_scalar_like(b, rows, 0));
    return ox_where(b, below, ox_scalar_like(b, rows, -1), ox_scalar_like(b, rows, 1));
}

void ox_eigen(struct ox_build *b, ox_val x, ox_val *values, ox_val *vectors)
{
    ox_val turned, order;
    const ox_val diagonal = turn(b, x, true, &turned);
    const ox_val unit = ox_compare_places(b, OX_Equal, ox_dim_at(b, x, -1));
    *values = sorted(b, picked(b, unit, diagonal), false, &order);
    if (vectors) {
        const ox_val rows = in_order(b, turned, order);
        *vectors = ox_mul(b, rows, signs(b, rows));
    }
}

void ox_singular(struct ox_build *b, ox_val x, ox_val *left, ox_val *values, ox_val *right)
{
    ox_val turned, order;
    const ox_val rows = turn(b, x, false, &turned), zero = ox_scalar_like(b, x, 0);
    const ox_val squares = ox_reduce(b, OX_ReduceSum, ox_mul(b, rows, rows), (const int64_t[]){-1}, 1, false);
    *values = sorted(b, ox_unary(b, OX_Sqrt, squares), true, &order);
    if (!left) {
        return;
    }
    const ox_val size = ox_unsqueeze1(b, *values, -1), all = in_order(b, rows, order);
    const ox_val safe = ox_where(b, ox_binary(b, OX_Equal, size, zero), ox_scalar_like(b, x, 1), size);
    const ox_val unsigned_right = ox_div(b, all, safe), sign = signs(b, unsigned_right);
    *right = ox_mul(b, unsigned_right, sign);
    *left = ox_swap_axes(b, ox_mul(b, in_order(b, turned, order), sign), -2, -1);
}

ox_val ox_shorter_side(struct ox_build *b, ox_val x, int axis, ox_val matrices)
{
    const mx_dim rows = ox_dim_at(b, matrices, -2), columns = ox_dim_at(b, matrices, -1), zero = mx_dim_of(0);
    struct mx_dims *t = ox_dims_table(b);
    int64_t m, n;
    if ((mx_dim_known(t, rows, &m) && mx_dim_known(t, columns, &n)) || mx_dim_equal(t, rows, columns)) {
        const bool wide = mx_dim_equal(t, rows, columns) || m < n;
        return ox_slice_dims(b, x, (const int64_t[]){axis}, &zero, wide ? &rows : &columns, 1);
    }
    const ox_val end = ox_binary(b, OX_Min, ox_dim(b, rows), ox_dim(b, columns));
    return ox_node(b, OX_Slice, OX_IN(x, ox_int(b, 0), end, ox_int(b, axis)), OX_NO_ATTRS);
}
