/* diag: the diagonal of the matrices in two axes as the last axis, or a matrix from a vector
 * (src/operator/tensor/diag_op-inl.h). */
#include "op/op.h"

struct diag {
    int64_t k, offset, axis1, axis2; /* offset is the name of k in NumPy's diagonal and trace */
};

static const struct mx_attr attrs[] = {
    MX_INT(struct diag, k, "0"),
    MX_AXIS(struct diag, axis1, "0"),
    MX_AXIS(struct diag, axis2, "1"),
};

static const struct mx_attr numpy_attrs[] = {
    MX_INT(struct diag, offset, "0"),
    MX_AXIS(struct diag, axis1, "0"),
    MX_AXIS(struct diag, axis2, "1"),
};

static const struct mx_attr flat_attrs[] = {MX_INT(struct diag, k, "0")};

static int64_t k_of(const struct diag *a)
{
    return a->k != 0 ? a->k : a->offset;
}

/* The number of elements for a height and a width; 0 outside the matrix. */
static int64_t length(int64_t h, int64_t w, int64_t k)
{
    w -= k > 0 ? k : 0;
    h += k < 0 ? k : 0;
    const int64_t n = h < w ? h : w;
    return n > 0 ? n : 0;
}

enum { TRACE = 1 };

/* trace sums the diagonal. */
static bool is_trace(const struct mx_node *n)
{
    return n->op->which == TRACE;
}

/* States a square matrix with this number of elements on the diagonal. */
static int output_matrix(struct mx_infer *c, mx_dim elements, int64_t k)
{
    const mx_dim side = mx_dim_addn(c->dims, elements, k < 0 ? -k : k);
    return mx_output_is_dims(c, 0, (const mx_dim[]){side, side}, 2);
}

static int infer(struct mx_infer *c)
{
    const struct diag *a = c->attrs;
    const int64_t k = k_of(a);
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    int row, column;
    int64_t h, w;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    if (s.ndim == 1) {
        return output_matrix(c, s.dims[0], k);
    }
    MX_TRY(mx_axis(c, a->axis1, s.ndim, "axis1", &row));
    MX_TRY(mx_axis(c, a->axis2, s.ndim, "axis2", &column));
    if (row == column) {
        return mx_infer_fail(c, "axis2", MX_SUBJECT "is the same axis as axis1, but must be another one");
    }
    const bool known = mx_dim_known(c->dims, s.dims[row], &h) && mx_dim_known(c->dims, s.dims[column], &w);
    if (known && length(h, w, k) < 1 && !c->graph->np_shape) {
        return mx_infer_fail(c, "k", MX_SUBJECT "is %lld, which is outside a matrix of %lld x %lld", (long long)k, (long long)h,
                             (long long)w);
    }
    struct mx_axes sides = mx_one_axis(row);
    mx_add_axis(&sides, column);
    mx_push_reduced(&dims, s, sides, false);
    const struct mx_shape out = mx_output(c, 0);
    const int n = dims.n;
    const mx_dim size = known                                                          ? mx_dim_of(length(h, w, k))
                        : k == 0 && mx_dim_equal(c->dims, s.dims[row], s.dims[column]) ? s.dims[row]
                        : out.ndim == n + 1                                            ? out.dims[n]
                                                                                       : mx_dim_unknown(c->dims);
    if (!is_trace(c->node)) {
        mx_push_dim(&dims, size);
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

/* From a vector to a matrix: the vector, padded to n, is expanded along rows or columns, and kept where column - row equals k. */
static void make_matrix(struct ox_build *b, const struct mx_node *n, ox_val x, ox_val *out)
{
    const int64_t k = k_of(n->attrs);
    const ox_val at = ox_range(b, n->out[0].shape.dims[0]);
    const ox_val row = ox_unsqueeze1(b, at, 1);
    const ox_val hit = ox_binary(b, OX_Equal, at, k == 0 ? row : ox_add(b, row, ox_scalar(b, MX_INT64, (double)k)));
    if (k != 0) {
        x = ox_pad(b, x, (const int64_t[]){0}, (const int64_t[]){k < 0 ? -k : k}, 1, "constant", 0);
    }
    out[0] = ox_where(b, hit, k > 0 ? ox_unsqueeze1(b, x, 1) : x, ox_scalar_like(b, x, 0));
}

static double stepped_at(const void *first_step, int64_t i)
{
    const int64_t *v = first_step;
    return (double)(v[0] + i * v[1]);
}

/* int64 (length): the positions of the diagonal among the elements of an h x w matrix. */
static ox_val places(struct ox_build *b, mx_dim h, mx_dim w, int64_t k)
{
    const ox_val zero = ox_scalar(b, MX_INT64, 0), one = ox_scalar(b, MX_INT64, 1);
    const ox_val wide = ox_dim_as(b, w, MX_INT64);
    const ox_val down = ox_scalar(b, MX_INT64, (double)(k < 0 ? -k : 0));
    const ox_val along = ox_scalar(b, MX_INT64, (double)(k > 0 ? k : 0));
    const ox_val rows = ox_sub(b, ox_dim_as(b, h, MX_INT64), down), columns = ox_sub(b, wide, along);
    const ox_val count = ox_binary(b, OX_Max, ox_binary(b, OX_Min, rows, columns), zero);
    const ox_val i = ox_node(b, OX_Range, OX_IN(zero, count, one), OX_NO_ATTRS);
    return ox_add(b, ox_add(b, ox_mul(b, ox_add(b, i, down), wide), i), along);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct diag *a = n->attrs;
    const int64_t k = k_of(a);
    const int rank = ox_rank(b, in[0]);
    if (rank == 1) {
        make_matrix(b, n, in[0], out);
        return;
    }
    const int row = (int)mx_wrap(a->axis1, rank);
    const int column = (int)mx_wrap(a->axis2, rank);
    const mx_dim height = ox_dim_at(b, in[0], row), width = ox_dim_at(b, in[0], column);
    int64_t h = 0, w = 0;
    const bool known = ox_size_at(b, in[0], row, &h) && ox_size_at(b, in[0], column, &w);
    const int64_t size = length(h, w, k);
    struct mx_int_list perm = ox_no_ints(b);
    struct mx_dim_list dims = ox_no_dims(b);
    if (known && size == 0) { /* no elements, and a sum of 0 */
        out[0] = ox_fill(b, n->out[0].dtype, n->out[0].shape, 0);
        return;
    }
    for (int i = 0; i < rank; i++) {
        if (i != row && i != column) {
            mx_push_dim(&dims, ox_dim_at(b, in[0], i));
            mx_push_int(&perm, i);
        }
    }
    mx_push_int(&perm, row);
    mx_push_int(&perm, column);
    mx_push_dim(&dims, mx_dim_mul(ox_dims_table(b), height, width));
    const int64_t first_step[] = {k < 0 ? -k * w : k, w + 1}; /* no overflow, as the diagonal is within a tensor */
    const ox_val index =
        known ? ox_computed(b, MX_INT64, &size, 1, stepped_at, first_step, sizeof first_step) : places(b, height, width, k);
    const ox_val flat = ox_reshape(b, ox_transpose(b, in[0], perm.v, perm.n), dims.v, dims.n);
    const ox_val diagonal = ox_gather(b, flat, index, dims.n - 1);
    out[0] = is_trace(n) ? ox_reduce(b, OX_ReduceSum, diagonal, (const int64_t[]){-1}, 1, false) : diagonal;
}

/* ---- diagflat: all elements form the vector */

static int infer_flat(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    return output_matrix(c, mx_shape_elements(c->dims, s), k_of(c->attrs));
}

static void lower_flat(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    make_matrix(b, n, ox_flat(b, in[0]), out);
}

const struct mx_op mx_ops_diag[] = {
    {
        .name = "diag",
        .alias = "_np_diag _npi_diag",
        MX_ATTRS(attrs, struct diag),
        .infer = infer,
        .lower = lower,
        .refuses = "A k outside of the matrix, without NumPy's shape semantics: MXNet refuses the empty diagonal, too.",
    },
    {.name = "_np_diagflat", .alias = "_npi_diagflat", MX_ATTRS(flat_attrs, struct diag), .infer = infer_flat, .lower = lower_flat},
    {.name = "_np_diagonal", .alias = "_npi_diagonal", MX_ATTRS(numpy_attrs, struct diag), .infer = infer, .lower = lower},
    {
        .name = "_np_trace",
        .alias = "_npi_trace",
        .single = true,
        MX_ATTRS(numpy_attrs, struct diag),
        .infer = infer,
        .lower = lower,
        .which = TRACE,
    },
    MX_OPS_END,
};
