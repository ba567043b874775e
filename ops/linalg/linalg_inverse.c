/* linalg_inverse, det, slogdet, _npi_solve, tensorinv, tensorsolve: Gauss-Jordan elimination with the largest pivot of each column, in
 * a Loop over the columns (src/operator/tensor/la_op-inl.h, which uses LAPACK). */
#include "shared/loop.h"
#include "shared/matrices.h"

/* ---- elimination */

/* The remainder of a matrix, and the pivot row of each column. */
struct eliminated {
    ox_val rest;   /* (..., n, wide) */
    ox_val order;  /* (n, ..., n): for each column, 1 at the row of its pivot */
    ox_val pivots; /* (n, ...) */
};

/* Eliminates in x (..., n, wide) until its first n columns are unit vectors. A pivot of zero is replaced by one: the pivots still give
 * the determinant. */
static struct eliminated eliminate(struct ox_build *b, ox_val x)
{
    const struct mx_shape s = ox_shape(b, x);
    const enum mx_dtype t = ox_dtype(b, x);
    const mx_dim n = s.dims[s.ndim - 2];
    const ox_val rows = ox_range(b, n), start = ox_fill(b, MX_BOOL, (struct mx_shape){s.ndim - 1, s.dims}, 0);
    const ox_val zero = ox_scalar(b, t, 0), one = ox_scalar(b, t, 1);
    ox_val out[4];
    struct ox_loop l = ox_loop_begin(b, "eliminate");
    const ox_val left = ox_loop_state(&l, x), used = ox_loop_state(&l, start);
    const ox_val column = ox_gather(b, left, l.at, -1);
    const ox_val size = ox_unary(b, OX_Abs, column);
    const ox_val free_size = ox_where(b, used, ox_scalar(b, t, -1), size);
    const ox_val largest = ox_arg(b, OX_ArgMax, free_size, -1, true);
    const ox_val here = ox_binary(b, OX_Equal, rows, largest);
    const ox_val order = ox_cast(b, here, t);
    const ox_val row = ox_matmul(b, ox_unsqueeze1(b, order, -2), left);
    const ox_val pivot = ox_gather(b, row, l.at, -1);
    const ox_val divisor = ox_where(b, ox_binary(b, OX_Equal, pivot, zero), one, pivot);
    const ox_val unit_row = ox_div(b, row, ox_unsqueeze1(b, divisor, -1));
    const ox_val high = ox_unsqueeze1(b, column, -1);
    const ox_val others = ox_sub(b, left, ox_mul(b, high, unit_row));
    const ox_val next = ox_where(b, ox_unsqueeze1(b, here, -1), unit_row, others);
    const ox_val now_used = ox_binary(b, OX_Or, used, here);
    const ox_val flat_pivot = ox_squeeze1(b, pivot, -1);
    ox_loop_end(&l, l.go, (const ox_val[]){next, now_used, order, flat_pivot}, 4);
    ox_loop_times(&l, n, out);
    return (struct eliminated){out[0], out[2], out[3]};
}

/* The solution X of a X = x, both (..., n, any). */
static ox_val solve(struct ox_build *b, ox_val a, ox_val x)
{
    const ox_val both[] = {a, x};
    const struct mx_shape s = ox_shape(b, a);
    const struct eliminated e = eliminate(b, ox_concat(b, both, 2, s.ndim - 1));
    const mx_dim from = s.dims[s.ndim - 1];
    const mx_dim to = mx_dim_add(ox_dims_table(b), from, ox_dim_at(b, x, -1));
    const int64_t axis = s.ndim - 1;
    const ox_val solved = ox_slice_dims(b, e.rest, &axis, &from, &to, 1);
    return ox_matmul(b, ox_move_axis(b, e.order, 0, s.ndim - 2), solved);
}

static ox_val inverse(struct ox_build *b, ox_val x)
{
    return solve(b, x, ox_unit(b, ox_dtype(b, x), ox_shape(b, x)));
}

static void lower_inverse(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    out[0] = inverse(b, in[0]);
}

/* ---- determinants: that of a single matrix has shape (1), or () under NumPy shape semantics (DetShape in la_op.h) */

static int infer_det(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input_square(c, 0, &s));
    const mx_dim one = mx_dim_of(1);
    const bool single = s.ndim == 2 && !c->graph->np_shape;
    const struct mx_shape batch = {single ? 1 : s.ndim - 2, single ? &one : s.dims};
    for (int i = 0; i < c->node->n_out; i++) {
        MX_TRY(mx_output_dtype_is(c, i, mx_output_dtype(c, 0)));
        MX_TRY(mx_output_is(c, i, batch));
    }
    return MX_OK;
}

/* 1 or -1: the sign of the pivots' order as a permutation. */
static ox_val order_sign(struct ox_build *b, const struct eliminated *e, enum mx_dtype t)
{
    const int rank = ox_rank(b, e->order);
    const ox_val m = ox_move_axis(b, e->order, 0, rank - 2);
    return ox_cast(b, ox_unary(b, OX_Det, ox_cast(b, m, MX_FLOAT32)), t);
}

static ox_val over_pivots(struct ox_build *b, enum ox_op reduce, ox_val x)
{
    return ox_reduce(b, reduce, x, (const int64_t[]){0}, 1, false);
}

static ox_val shaped(struct ox_build *b, const struct mx_node *n, ox_val x)
{
    return ox_reshape_shape(b, x, n->out[0].shape);
}

/* Det is an operator for float; for double the elimination gives the determinant. */
static void lower_det(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const enum mx_dtype t = ox_dtype(b, in[0]);
    if (t != MX_FLOAT64) {
        out[0] = shaped(b, n, ox_unary(b, OX_Det, in[0]));
        return;
    }
    const struct eliminated e = eliminate(b, in[0]);
    const ox_val product = over_pivots(b, OX_ReduceProd, e.pivots);
    out[0] = shaped(b, n, ox_mul(b, product, order_sign(b, &e, t)));
}

/* From the pivots: their product may overflow. */
static void lower_slogdet(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct eliminated e = eliminate(b, in[0]);
    const ox_val signs = over_pivots(b, OX_ReduceProd, ox_unary(b, OX_Sign, e.pivots));
    const ox_val logs = ox_unary(b, OX_Log, ox_unary(b, OX_Abs, e.pivots));
    out[0] = shaped(b, n, ox_mul(b, signs, order_sign(b, &e, ox_dtype(b, in[0]))));
    out[1] = shaped(b, n, over_pivots(b, OX_ReduceSum, logs));
}

/* ---- _npi_solve: B is a vector if it has one axis less (src/operator/numpy/linalg/np_solve-inl.h) */

static int infer_solve(struct mx_infer *c)
{
    struct mx_shape s, x;
    MX_TRY(mx_same_dtype(c, 0, 1));
    MX_TRY(mx_input_square(c, 0, &s));
    MX_TRY(mx_input(c, 1, &x));
    if (x.ndim != s.ndim && x.ndim != s.ndim - 1) {
        return mx_infer_fail(c, NULL, "a has rank %d and b has rank %d, but b must have the same rank, or one less", s.ndim, x.ndim);
    }
    for (int i = 0; i < s.ndim - 1; i++) {
        MX_TRY(mx_same_dim(c, s.dims[i], x.dims[i], "batch or rows"));
    }
    return mx_output_is(c, 0, x);
}

static void lower_solve(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const bool vectors = ox_rank(b, in[1]) < ox_rank(b, in[0]);
    const ox_val x = solve(b, in[0], vectors ? ox_unsqueeze1(b, in[1], -1) : in[1]);
    out[0] = vectors ? ox_squeeze1(b, x, -1) : x;
}

/* ---- _npi_tensorinv: the first `ind` axes are the rows */

struct tensorinv {
    int64_t ind;
};

static const struct mx_attr tensorinv_attrs[] = {MX_COUNT(struct tensorinv, ind, "2")};

static int infer_tensorinv(struct mx_infer *c)
{
    const int64_t ind = ((const struct tensorinv *)c->attrs)->ind;
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    if (ind < 1 || ind > s.ndim) {
        return mx_infer_fail(c, "ind", MX_SUBJECT "is %lld, but must be 1 to the rank of the data, %d", (long long)ind, s.ndim);
    }
    for (int i = 0; i < s.ndim; i++) {
        mx_put_dim(&dims, i, s.dims[(i + ind) % s.ndim]);
    }
    MX_TRY(mx_same_dim(c, mx_dim_product(c->dims, s.dims, (int)ind), mx_dim_product(c->dims, s.dims + ind, s.ndim - (int)ind),
                       "number of rows and columns"));
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower_tensorinv(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const int ind = (int)((const struct tensorinv *)n->attrs)->ind;
    const mx_dim rows = mx_dim_product(ox_dims_table(b), ox_shape(b, in[0]).dims, ind);
    const ox_val flat = ox_reshape(b, in[0], (const mx_dim[]){rows, rows}, 2);
    out[0] = ox_reshape_shape(b, inverse(b, flat), n->out[0].shape);
}

/* ---- _npi_tensorsolve: the last axes, or a_axes, are the columns */

struct tensorsolve {
    struct mx_tuple a_axes;
};

static const struct mx_attr tensorsolve_attrs[] = {MX_AXES_NONE(struct tensorsolve, a_axes, "()")};

/* The axes of a with a_axes moved to the end; false if they are not valid axes. */
static bool reordered(const struct tensorsolve *a, int rank, struct mx_int_list *perm)
{
    struct mx_axes moved = {0};
    const int count = a->a_axes.n;
    for (int i = 0; i < count; i++) {
        const int64_t axis = mx_wrap(a->a_axes.v[i], rank);
        if (axis < 0 || axis >= rank || mx_has_axis(moved, axis)) {
            return false;
        }
        mx_add_axis(&moved, axis);
    }
    mx_push_axes(perm, mx_other_axes(moved, rank));
    for (int i = 0; i < count; i++) {
        mx_push_int(perm, mx_wrap(a->a_axes.v[i], rank));
    }
    return true;
}

static int infer_tensorsolve(struct mx_infer *c)
{
    struct mx_shape s, x;
    struct mx_int_list perm = mx_no_ints(c);
    struct mx_dim_list dims = mx_no_dims(c), front = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 1));
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_input(c, 1, &x));
    if (!reordered(c->attrs, s.ndim, &perm)) {
        return mx_infer_fail(c, "a_axes", MX_SUBJECT "lists an axis twice, or one that does not exist in a tensor of rank %d", s.ndim);
    }
    const int from = s.ndim == 0 ? 0 : s.ndim > x.ndim ? x.ndim : x.ndim - s.ndim; /* TensorsolveOpShape */
    if (from > s.ndim) {
        return mx_infer_fail(c, NULL, "a has rank %d and b has rank %d, but the rank of b must be at most twice that of a", s.ndim, x.ndim);
    }
    for (int i = 0; i < s.ndim - from; i++) {
        mx_push_dim(&dims, mx_shape_at(c, s, mx_get_int(&perm, from + i)));
    }
    for (int i = 0; i < from; i++) {
        mx_push_dim(&front, mx_shape_at(c, s, mx_get_int(&perm, i)));
    }
    const mx_dim columns = mx_dim_product(c->dims, dims.v, dims.n);
    MX_TRY(mx_same_dim(c, mx_dim_product(c->dims, front.v, front.n), columns, "rows and columns of a"));
    MX_TRY(mx_same_dim(c, mx_dim_product(c->dims, x.dims, x.ndim), columns, "rows and columns"));
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower_tensorsolve(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct mx_shape x = ox_shape(b, in[1]);
    struct mx_int_list perm = ox_no_ints(b);
    (void)reordered(n->attrs, ox_rank(b, in[0]), &perm);
    const mx_dim rows = mx_dim_product(ox_dims_table(b), x.dims, x.ndim);
    const ox_val ordered = ox_transpose(b, in[0], perm.v, perm.n);
    const ox_val matrix = ox_reshape(b, ordered, (const mx_dim[]){rows, rows}, 2);
    const ox_val right = ox_reshape(b, in[1], (const mx_dim[]){rows, mx_dim_of(1)}, 2);
    out[0] = ox_reshape_shape(b, solve(b, matrix, right), n->out[0].shape);
}

const struct mx_op mx_ops_linalg_inverse[] = {
    {LINALG("det", " _npi_det", "A", infer_det, lower_det), .single = true},
    {LINALG("inverse", " _npi_inv", "A", mx_infer_square, lower_inverse), .single = true},
    {LINALG("slogdet", " _npi_slogdet", "A", infer_det, lower_slogdet), .outputs = "output0 output1", .single = true},
    {.name = "_npi_solve", .inputs = "A B", .infer = infer_solve, .lower = lower_solve, .single = true},
    {
        .name = "_npi_tensorinv",
        .single = true,
        MX_ATTRS(tensorinv_attrs, struct tensorinv),
        .inputs = "a",
        .infer = infer_tensorinv,
        .lower = lower_tensorinv,
    },
    {
        .name = "_npi_tensorsolve",
        .single = true,
        MX_ATTRS(tensorsolve_attrs, struct tensorsolve),
        .inputs = "a b",
        .infer = infer_tensorsolve,
        .lower = lower_tensorsolve,
    },
    MX_OPS_END,
};
