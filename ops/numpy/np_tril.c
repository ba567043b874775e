/* tril, triu: elements above or below diagonal k become 0; a vector becomes each row of a square (src/operator/numpy/np_tril_op-inl.h,
 * np_triu_op-inl.h). tri and tril_indices: the positions that tril keeps. */
#include <math.h>

#include "op/op.h"

struct tril {
    int64_t k;
};

static const struct mx_attr attrs[] = {MX_INT(struct tril, k, "0")};

static int infer(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    if (s.ndim == 0) {
        return mx_infer_fail(c, NULL, "the input has rank 0, so it has no diagonal, but must have rank 1 or more");
    }
    const mx_dim square[] = {s.dims[0], s.dims[0]};
    return s.ndim == 1 ? mx_output_is_dims(c, 0, square, 2) : mx_output_is(c, 0, s);
}

enum part { LOWER, UPPER };

/* bool (rows, columns): column <= row + k. */
static ox_val mask(struct ox_build *b, mx_dim rows, mx_dim columns, int64_t k)
{
    const ox_val row = ox_add(b, ox_range(b, rows), ox_scalar(b, MX_INT64, (double)k));
    return ox_binary(b, OX_LessOrEqual, ox_range(b, columns), ox_unsqueeze1(b, row, 1));
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct tril *a = n->attrs;
    const bool upper = n->op->which == UPPER;
    const int64_t k = upper ? a->k - 1 : a->k; /* the upper part is everything not below its diagonal */
    const struct mx_shape s = n->out[0].shape;
    ox_val x = in[0];
    if (ox_rank(b, x) == 1) {
        x = ox_expand(b, x, s.dims, 2);
    }
    if (ox_has(b, OX_Trilu)) {
        out[0] = ox_node(b, OX_Trilu, OX_IN(x, ox_scalar(b, MX_INT64, (double)a->k)), OX_ATTRS(OX_I("upper", upper)));
        return;
    }
    const ox_val lower_part = mask(b, s.dims[s.ndim - 2], s.dims[s.ndim - 1], k);
    const ox_val zero = ox_scalar_like(b, x, 0);
    out[0] = upper ? ox_where(b, lower_part, zero, x) : ox_where(b, lower_part, x, zero);
}

/* ---- tri, tril_indices: for known sizes */

struct tri {
    int64_t rows, k;
    struct mx_opt_int columns;
    enum mx_dtype dtype;
};

static const struct mx_attr tri_attrs[] = {
    MX_ATTR_NAMED("N", struct tri, rows, int64_t, MX_ATTR_INT, NULL, MX_IS_INT),
    MX_ATTR_NAMED("M", struct tri, columns, struct mx_opt_int, MX_ATTR_INT_NONE, "None", MX_IS_INT),
    MX_INT(struct tri, k, "0"),
    MX_DTYPE(struct tri, dtype, "float32"),
    MX_IGNORED("ctx"),
};

static const struct mx_attr indices_attrs[] = {
    MX_ATTR_NAMED("n", struct tri, rows, int64_t, MX_ATTR_INT, NULL, MX_IS_INT),
    MX_ATTR_NAMED("m", struct tri, columns, struct mx_opt_int, MX_ATTR_INT_NONE, "None", MX_IS_INT),
    MX_INT(struct tri, k, "0"),
};

static int64_t columns_of(const struct tri *a)
{
    return a->columns.given ? a->columns.v : a->rows;
}

static int infer_tri(struct mx_infer *c)
{
    const struct tri *a = c->attrs;
    MX_TRY(mx_made_size(c, NULL, a->rows, columns_of(a)));
    const mx_dim dims[] = {mx_dim_of(a->rows), mx_dim_of(columns_of(a))};
    MX_TRY(mx_output_dtype_is(c, 0, a->dtype == MX_DTYPE_NONE ? MX_FLOAT32 : a->dtype));
    return mx_output_is_dims(c, 0, dims, 2);
}

static double tri_at(const void *spec, int64_t i)
{
    const int64_t *columns_k = spec;
    return i % columns_k[0] <= i / columns_k[0] + columns_k[1];
}

static void lower_tri(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct tri *a = n->attrs;
    const int64_t columns_k[] = {columns_of(a), a->k}, dims[] = {a->rows, columns_of(a)};
    out[0] = ox_computed(b, n->out[0].dtype, dims, 2, tri_at, columns_k, sizeof columns_k);
}

/* The cells of the lower part, row by row: from the first row that has any, `first` cells and one more in each row, then whole rows. */
struct lower_part {
    int64_t row, first; /* the first row, and how many cells it has */
    int64_t growing;    /* the cells of rows that are not whole */
    int64_t whole;      /* the first whole row */
    int64_t columns, rows;
};

static int64_t clamp(int64_t i, int64_t low, int64_t high)
{
    return i < low ? low : i > high ? high : i;
}

/* The cells of `rows` rows that grow. rows x columns is at most 2^40 (mx_made_size). */
static int64_t cells(const struct lower_part *p, int64_t rows)
{
    return rows * p->first + rows * (rows - 1) / 2;
}

/* A negative number of rows or columns is none, unlike in a matrix. */
static int64_t or_none(int64_t size)
{
    return size > 0 ? size : 0;
}

static struct lower_part lower_part_of(const struct tri *a)
{
    struct lower_part p = {.columns = or_none(columns_of(a)), .rows = or_none(a->rows)};
    p.row = clamp(-a->k, 0, p.rows);
    p.first = p.row + a->k + 1;
    p.whole = clamp(p.columns - a->k - 1, p.row, p.rows);
    p.growing = cells(&p, p.whole - p.row);
    return p;
}

static int64_t count_of(const struct lower_part *p)
{
    return p->growing + (p->rows - p->whole) * p->columns;
}

/* The row of cell i: the root is that of cells(rows) = i, and may be off by one. */
static int64_t row_at(const struct lower_part *p, int64_t i)
{
    if (i >= p->growing) {
        return p->whole + (i - p->growing) / p->columns;
    }
    const double half = (double)p->first - 0.5;
    int64_t rows = (int64_t)(sqrt(half * half + 2 * (double)i) - half);
    rows += cells(p, rows + 1) <= i;
    rows -= cells(p, rows) > i;
    return p->row + rows;
}

static double row_of(const void *part, int64_t i)
{
    return (double)row_at(part, i);
}

static double column_of(const void *part, int64_t i)
{
    const struct lower_part *p = part;
    return (double)(i >= p->growing ? (i - p->growing) % p->columns : i - cells(p, row_at(p, i) - p->row));
}

static int infer_indices(struct mx_infer *c)
{
    const struct tri *a = c->attrs;
    MX_TRY(mx_made_size(c, NULL, or_none(a->rows), or_none(columns_of(a))));
    const struct lower_part p = lower_part_of(a);
    const mx_dim count = mx_dim_of(count_of(&p));
    for (int i = 0; i < 2; i++) {
        MX_TRY(mx_output_dtype_is(c, i, MX_INT64));
        MX_TRY(mx_output_is_dims(c, i, &count, 1));
    }
    return MX_OK;
}

static void lower_indices(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct lower_part p = lower_part_of(n->attrs);
    const int64_t count = count_of(&p);
    for (int i = 0; i < 2; i++) {
        out[i] = ox_computed(b, MX_INT64, &count, 1, i == 0 ? row_of : column_of, &p, sizeof p);
    }
}

const struct mx_op mx_ops_np_tril[] = {
    {.name = "_npi_tri", MX_ATTRS(tri_attrs, struct tri), .inputs = "", .infer = infer_tri, .lower = lower_tri},
    {.name = "_npi_tril", MX_ATTRS(attrs, struct tril), .infer = infer, .lower = lower, .which = LOWER},
    {
        .name = "_npi_tril_indices",
        MX_ATTRS(indices_attrs, struct tri),
        .inputs = "",
        .outputs = "output0 output1",
        .infer = infer_indices,
        .lower = lower_indices,
    },
    {.name = "_npi_triu", MX_ATTRS(attrs, struct tril), .infer = infer, .lower = lower, .which = UPPER},
    MX_OPS_END,
};
