/* linalg_syevd, _npi_eigh, eigvalsh, svd, pinv: by Jacobi rotations in float64, with the signs that MXNet chooses
 * (src/operator/tensor/la_op-inl.h, SyevdEigenVecSigns; src/operator/numpy/linalg). */
#include <string.h>

#include "shared/matrices.h"

struct eigen {
    const char *UPLO;
    double rcond;
};

static const struct mx_attr half_attrs[] = {MX_STRING(struct eigen, UPLO, "L")};

static const struct mx_attr pinv_attrs[] = {MX_IGNORED("hermitian")};

static const struct mx_attr pinv_number_attrs[] = {
    MX_DOUBLE(struct eigen, rcond, "1e-15"),
    MX_IGNORED("hermitian"),
};

static ox_val wide(struct ox_build *b, ox_val x)
{
    return ox_cast(b, x, MX_FLOAT64);
}

/* ---- symmetric matrices */

struct symmetric {
    int values, vectors; /* output numbers; -1: none */
    bool columns;        /* vectors are columns */
};

static int infer_symmetric(struct mx_infer *c)
{
    const struct symmetric *k = c->node->op->data;
    struct mx_shape s;
    MX_TRY(mx_infer_decomposed(c));
    MX_TRY(mx_input_square(c, 0, &s));
    MX_TRY(mx_output_is_dims(c, k->values, s.dims, s.ndim - 1));
    if (k->vectors >= 0) {
        MX_TRY(mx_output_is(c, k->vectors, s));
    }
    return MX_OK;
}

static int infer_half(struct mx_infer *c)
{
    const char *half = ((const struct eigen *)c->attrs)->UPLO;
    return strcmp(half, "L") == 0 || strcmp(half, "U") == 0 ? infer_symmetric(c)
                                                            : mx_infer_fail(c, "UPLO", MX_SUBJECT "is \"%s\", but must be L or U", half);
}

/* One triangle of x, mirrored. */
static ox_val mirrored(struct ox_build *b, ox_val x, bool lower)
{
    const ox_val kept = ox_compare_places(b, lower ? OX_GreaterOrEqual : OX_LessOrEqual, ox_dim_at(b, x, -1));
    return ox_where(b, kept, x, ox_swap_axes(b, x, -2, -1));
}

static void lower_symmetric(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct symmetric *k = n->op->data;
    const struct eigen *a = n->attrs;
    const enum mx_dtype t = n->out[0].dtype;
    ox_val values, vectors = OX_NONE;
    const ox_val x = mirrored(b, wide(b, in[0]), !a || a->UPLO[0] == 'L');
    ox_eigen(b, x, &values, k->vectors >= 0 ? &vectors : NULL);
    out[k->values] = ox_cast(b, values, t);
    if (k->vectors >= 0) {
        out[k->vectors] = ox_cast(b, k->columns ? ox_swap_axes(b, vectors, -2, -1) : vectors, t);
    }
}

/* ---- svd: no more rows than columns */

static int infer_svd(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_input_is_float(c, 0, "A"));
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_infer_decomposed(c));
    MX_TRY(mx_input_wide(c, 0, &s));
    struct mx_dim_list square = mx_dims_like(c, s);
    mx_put_dim(&square, s.ndim - 1, s.dims[s.ndim - 2]);
    MX_TRY(mx_output_is_dims(c, 0, square.v, square.n));
    MX_TRY(mx_output_is_dims(c, 1, s.dims, s.ndim - 1));
    return mx_output_is(c, 2, s);
}

static void lower_svd(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    ox_singular(b, wide(b, in[0]), &out[0], &out[1], &out[2]);
    for (int i = 0; i < 3; i++) {
        out[i] = ox_cast(b, out[i], n->out[i].dtype);
    }
}

/* ---- pinv: singular values up to rcond times the largest count as 0 */

static int infer_pinv(struct mx_infer *c)
{
    struct mx_shape s, r;
    MX_TRY(mx_infer_decomposed(c));
    MX_TRY(mx_input_at_least(c, 0, 2, &s));
    struct mx_dim_list dims = mx_dims_like(c, s);
    mx_put_dim(&dims, s.ndim - 2, s.dims[s.ndim - 1]);
    mx_put_dim(&dims, s.ndim - 1, s.dims[s.ndim - 2]);
    if (c->node->n_in > 1) {
        MX_TRY(mx_input(c, 1, &r));
        if (r.ndim > s.ndim - 2) {
            return mx_infer_fail(c, "rcond", MX_SUBJECT "has rank %d, but there are only %d axes before those of the matrices", r.ndim,
                                 s.ndim - 2);
        }
        MX_TRY(mx_broadcast_shapes(c, r, (struct mx_shape){s.ndim - 2, s.dims}, &r));
        for (int i = 0; i < s.ndim - 2; i++) { /* one result per matrix */
            MX_TRY(mx_same_dim(c, s.dims[i], r.dims[i], "sizes of the axes of matrices and of rcond"));
        }
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

/* Smaller values are rounding errors of 0. */
#define NOISE 1e-13

/* The left factor of each inverse value. With A = L S R the result is R' S^-1 L'. */
static ox_val pseudo_inverse(struct ox_build *b, ox_val x, ox_val rcond)
{
    ox_val left, values, right;
    ox_singular(b, x, &left, &values, &right);
    const ox_val largest = ox_reduce(b, OX_ReduceMax, values, (const int64_t[]){-1}, 1, true);
    const ox_val least = ox_mul(b, ox_binary(b, OX_Max, rcond, ox_scalar_like(b, x, NOISE)), largest);
    const ox_val counts = ox_binary(b, OX_Greater, values, least), one = ox_scalar_like(b, x, 1);
    const ox_val inverse = ox_where(b, counts, ox_div(b, one, ox_where(b, counts, values, one)), ox_scalar_like(b, x, 0));
    const ox_val scaled = ox_mul(b, right, ox_unsqueeze1(b, inverse, -1));
    return ox_matmul(b, ox_swap_axes(b, scaled, -2, -1), ox_swap_axes(b, left, -2, -1));
}

static void lower_pinv(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const ox_val x = wide(b, in[0]);
    const ox_val rcond =
        n->n_in > 1 ? ox_unsqueeze1(b, wide(b, in[1]), -1) : ox_scalar(b, MX_FLOAT64, ((const struct eigen *)n->attrs)->rcond);
    const bool high = ox_is_high(b, x);
    const ox_val y = pseudo_inverse(b, high ? ox_swap_axes(b, x, -2, -1) : x, rcond);
    out[0] = ox_cast(b, high ? ox_swap_axes(b, y, -2, -1) : y, n->out[0].dtype);
}

#define OF_EQUAL "Equal eigenvalues or singular values: their vectors are any basis of the same space, and may differ from MXNet's."
#define PINV(mx, table, reads)                                                                                                             \
    {                                                                                                                                      \
        .name = (mx), .single = true, MX_ATTRS(table, struct eigen), .inputs = (reads), .infer = infer_pinv, .lower = lower_pinv,          \
        .differs = "Matrices without full rank: MXNet may keep singular values that only rounding makes different from 0.",                \
    }

const struct mx_op mx_ops_linalg_eigen[] = {
    {
        LINALG("syevd", "", "A", infer_symmetric, lower_symmetric),
        .single = true,
        .outputs = "output0 output1",
        .data = &(const struct symmetric){.values = 1, .vectors = 0},
        .differs = OF_EQUAL,
    },
    {
        .name = "_npi_eigh",
        .single = true,
        MX_ATTRS(half_attrs, struct eigen),
        .inputs = "A",
        .outputs = "output0 output1",
        .infer = infer_half,
        .lower = lower_symmetric,
        .data = &(const struct symmetric){.values = 0, .vectors = 1, .columns = true},
        .differs = OF_EQUAL,
    },
    {
        .name = "_npi_eigvalsh",
        .single = true,
        MX_ATTRS(half_attrs, struct eigen),
        .inputs = "A",
        .infer = infer_half,
        .lower = lower_symmetric,
        .data = &(const struct symmetric){.values = 0, .vectors = -1},
    },
    PINV("_npi_pinv", pinv_attrs, "A rcond"),
    PINV("_npi_pinv_scalar_rcond", pinv_number_attrs, "A"),
    {
        .name = "_npi_svd",
        .single = true,
        .inputs = "A",
        .outputs = "output0 output1 output2",
        .infer = infer_svd,
        .lower = lower_svd,
        .differs = OF_EQUAL "\nMatrices without full rank: the rows of V for singular values of 0 are arbitrary.",
    },
    MX_OPS_END,
};
