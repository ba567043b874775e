/* _npi_norm: of vectors along one axis, of matrices along two, without axes the last ones (src/operator/numpy/linalg/np_norm-inl.h). */
#include <math.h>

#include "op/op.h"
#include "shared/matrices.h"
#include "shared/sums.h"

struct norm {
    double ord;
    struct mx_tuple axis;
    bool keepdims;
    int64_t flag;
};

enum { FLAT = -2, FROBENIUS = 1, NUCLEAR = 2, INFINITE = 3, MINUS_INFINITE = 4 };

static const struct mx_attr attrs[] = {
    MX_DOUBLE(struct norm, ord, "2"),
    MX_AXES_NONE(struct norm, axis, "None"),
    MX_BOOL(struct norm, keepdims, "False"),
    MX_INT(struct norm, flag, "-1"),
};

/* The axes of the norm; none for the norm of all elements. */
struct axes {
    int n;
    int64_t v[2];
    struct mx_axes reduced;
};

static void find(const struct norm *a, int ndim, struct axes *out)
{
    out->n = 0;
    if (!a->axis.given && a->flag != FLAT) {
        for (int i = ndim < 2 ? 0 : ndim - 2; i < ndim; i++) {
            out->v[out->n++] = i;
        }
    }
    for (int i = 0; i < a->axis.n && i < 2; i++) {
        out->v[out->n++] = mx_wrap(a->axis.v[i], ndim);
    }
    out->reduced = mx_tuple_axes((struct mx_tuple){out->n > 0, out->n, out->v}, ndim);
}

static bool is_order(double ord, double v)
{
    return !(ord < v) && !(ord > v);
}

/* True for matrix norms computed from singular values. */
static bool is_spectral(const struct norm *a)
{
    return a->flag != FROBENIUS && is_order(fabs(a->ord), 2);
}

static int check(struct mx_infer *c, const struct axes *axes, struct mx_shape s)
{
    const struct norm *a = c->attrs;
    MX_TRY(mx_check_axes(c, a->axis, s.ndim, "axis"));
    if (a->axis.n > 2 || (a->axis.given && a->axis.n == 0) || (!a->axis.given && a->flag != FLAT && s.ndim < 1)) {
        return mx_infer_fail(c, "axis", "a norm over these axes is not defined" MX_HELP "give one axis or two");
    }
    return axes->n == 1 && a->flag == NUCLEAR
               ? mx_infer_fail(c, "flag", MX_SUBJECT "is nuc, but vectors have no nuclear norm" MX_HELP "give two axes")
               : MX_OK;
}

static int infer(struct mx_infer *c)
{
    const struct norm *a = c->attrs;
    struct mx_shape s;
    struct axes axes;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    find(a, s.ndim, &axes);
    MX_TRY(check(c, &axes, s));
    MX_TRY(mx_input_is_float(c, 0, "data"));
    mx_push_reduced(&dims, s, axes.reduced, a->keepdims);
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

/* ---- along one axis, which stays with size 1 */

static ox_val along(struct ox_build *b, ox_val x, const int64_t *axis, double ord)
{
    if (is_order(ord, 1) || is_order(ord, 2)) {
        return ox_reduce(b, ord > 1 ? OX_ReduceL2 : OX_ReduceL1, x, axis, 1, true);
    }
    const ox_val size = ox_unary(b, OX_Abs, x);
    if (isinf(ord)) {
        return ox_reduce(b, ord > 0 ? OX_ReduceMax : OX_ReduceMin, size, axis, 1, true);
    }
    if (is_order(ord, 0)) {
        return ox_reduce(b, OX_ReduceSum, ox_cast(b, ox_is_true(b, x), ox_dtype(b, x)), axis, 1, true);
    }
    const ox_val powers = ox_binary(b, OX_Pow, size, ox_scalar_like(b, x, ord));
    const ox_val sum = ox_reduce(b, OX_ReduceSum, powers, axis, 1, true);
    return ox_binary(b, OX_Pow, sum, ox_scalar_like(b, x, 1 / ord));
}

/* ---- of matrices */

/* Moves rows and columns to the end, with no more rows than columns if the sizes are known. */
static ox_val spectral(struct ox_build *b, const struct norm *a, ox_val x, const struct axes *axes)
{
    const enum mx_dtype t = ox_dtype(b, x);
    int64_t rows = 0, columns = 0;
    struct mx_int_list perm = ox_listed(b, mx_other_axes(axes->reduced, ox_rank(b, x)));
    ox_val values;
    const bool high = ox_size_at(b, x, (int)axes->v[0], &rows) && ox_size_at(b, x, (int)axes->v[1], &columns) && rows > columns;
    mx_push_int(&perm, axes->v[high]);
    mx_push_int(&perm, axes->v[!high]);
    ox_singular(b, ox_cast(b, ox_transpose(b, x, perm.v, perm.n), MX_FLOAT64), NULL, &values, NULL);
    const enum ox_op op = a->flag == NUCLEAR ? OX_ReduceSum : a->ord > 0 ? OX_ReduceMax : OX_ReduceMin;
    return ox_cast(b, ox_reduce(b, op, values, (const int64_t[]){-1}, 1, false), t);
}

static ox_val of_matrices(struct ox_build *b, const struct norm *a, ox_val x, const struct axes *axes)
{
    if (a->flag == FROBENIUS) {
        return ox_reduce(b, OX_ReduceL2, x, axes->v, 2, true);
    }
    if (is_spectral(a)) {
        return spectral(b, a, x, axes);
    }
    const int summed = is_order(fabs(a->ord), 1) ? 0 : 1; /* columns for 1 and -1, rows for infinity and for what NumPy refuses */
    const ox_val sums = ox_reduce(b, OX_ReduceL1, x, axes->v + summed, 1, true);
    return ox_reduce(b, a->ord > 0 ? OX_ReduceMax : OX_ReduceMin, sums, axes->v + 1 - summed, 1, true);
}

/* norm, but 0 where an axis has no elements: ONNX's extremes are then infinite, as is 0 to a negative power. */
static ox_val or_nothing(struct ox_build *b, ox_val norm, ox_val x, const struct axes *axes)
{
    mx_dim count = mx_dim_of(1);
    for (int i = 0; i < axes->n; i++) {
        count = mx_dim_mul(ox_dims_table(b), count, ox_dim_at(b, x, (int)axes->v[i]));
    }
    return mx_dim_known(ox_dims_table(b), count, NULL) ? norm
                                                       : ox_where(b, ox_is_true(b, ox_dim(b, count)), norm, ox_scalar_like(b, norm, 0));
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct norm *a = n->attrs;
    struct axes axes;
    find(a, ox_rank(b, in[0]), &axes);
    if (ox_is_empty(b, in[0])) {
        out[0] = ox_fill(b, n->out[0].dtype, n->out[0].shape, 0);
        return;
    }
    const double ord = a->flag == INFINITE ? (double)INFINITY : a->flag == MINUS_INFINITE ? -(double)INFINITY : a->ord;
    const bool is_sum = axes.n == 0 || a->flag == FROBENIUS || a->flag == NUCLEAR || (axes.n == 1 && ord >= 0 && !isinf(ord));
    const ox_val x = axes.n == 0   ? ox_reduce(b, OX_ReduceL2, in[0], NULL, -1, false)
                     : axes.n == 1 ? along(b, in[0], axes.v, ord)
                                   : of_matrices(b, a, in[0], &axes);
    out[0] = ox_reshape_shape(b, is_sum ? x : or_nothing(b, x, in[0], &axes), n->out[0].shape);
}

const struct mx_op mx_ops_np_norm[] = {
    {
        .name = "_npi_norm",
        .single = true,
        MX_ATTRS(attrs, struct norm),
        .infer = infer,
        .lower = lower,
        .differs = MX_SQUARES,
        .refuses = "Integer data: MXNet truncates the norm to an integer.",
    },
    MX_OPS_END,
};
