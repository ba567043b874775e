/* linalg_extractdiag, makediag, extracttrian, maketrian, sumlogdiag: diagonals and triangles of square matrices in the last two axes
 * (src/operator/tensor/la_op.h, la_op-inl.h). A packed upper triangle is the packed lower triangle of the transposed matrix. */
#include <math.h>

#include "shared/matrices.h"

enum {
    MAX_OFFSET = 1 << 24, /* limit: offset of a diagonal in the linalg operators that extract or make one */
    MAX_SIZE = 1 << 12,   /* limit: rows of a triangle that they extract or make */
};

struct part {
    int64_t offset;
    bool lower;
};

static const struct mx_attr diag_attrs[] = {MX_INT(struct part, offset, "0")};

static const struct mx_attr trian_attrs[] = {
    MX_INT(struct part, offset, "0"),
    MX_BOOL(struct part, lower, "True"),
};

static int64_t magnitude(int64_t offset)
{
    return offset < 0 ? -offset : offset;
}

/* `lower` matters for the main diagonal only */
static bool is_lower(const struct part *a)
{
    return a->offset == 0 ? a->lower : a->offset < 0;
}

static int check(struct mx_infer *c)
{
    const struct part *a = c->attrs;
    MX_TRY(mx_same_dtype(c, 0, 0));
    return mx_within(c, "offset", a->offset, -MAX_OFFSET, MAX_OFFSET);
}

/* The input's dims without the last `drop`, then those in `last`. */
static int output(struct mx_infer *c, struct mx_shape s, int drop, const mx_dim *last, int n)
{
    struct mx_dim_list dims = mx_no_dims(c);
    mx_push_dims(&dims, s.dims, s.ndim - drop);
    mx_push_dims(&dims, last, n);
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

/* ---- diagonals */

static int infer_extractdiag(struct mx_infer *c)
{
    const struct part *a = c->attrs;
    struct mx_shape s;
    int64_t size;
    MX_TRY(check(c));
    MX_TRY(mx_input_square(c, 0, &s));
    const mx_dim n = mx_dim_addn(c->dims, s.dims[s.ndim - 1], -magnitude(a->offset));
    if (mx_dim_known(c->dims, n, &size) && size < 1) {
        return mx_infer_fail(c, "offset", MX_SUBJECT "is %lld, which is outside the matrix" MX_HELP "choose a smaller offset",
                             (long long)a->offset);
    }
    return output(c, s, 2, &n, 1);
}

/* (..., n, n) with each matrix flattened to one row. */
static ox_val flattened(struct ox_build *b, ox_val x)
{
    const struct mx_shape s = ox_shape(b, x);
    struct mx_dim_list dims = ox_no_dims(b);
    mx_push_dims(&dims, s.dims, s.ndim - 2);
    mx_push_dim(&dims, mx_dim_mul(ox_dims_table(b), ox_dim_at(b, x, -1), ox_dim_at(b, x, -1)));
    return ox_reshape(b, x, dims.v, dims.n);
}

/* (..., n, n) to (..., n - |offset|): every (n + 1)th element of the flattened matrices. */
static ox_val diagonal(struct ox_build *b, ox_val x, int64_t offset)
{
    struct mx_dims *t = ox_dims_table(b);
    const mx_dim side = ox_dim_at(b, x, -1), n = mx_dim_addn(t, side, -magnitude(offset));
    const ox_val first = offset > 0 ? ox_int(b, offset) : ox_dim(b, mx_dim_muln(t, side, -offset));
    const ox_val step = ox_dim(b, mx_dim_addn(t, side, 1));
    const ox_val index = ox_add(b, ox_mul(b, ox_range(b, n), step), first);
    return ox_gather(b, flattened(b, x), index, ox_rank(b, x) - 2);
}

static void lower_extractdiag(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct part *a = n->attrs;
    out[0] = diagonal(b, in[0], a->offset);
}

static int infer_sumlogdiag(struct mx_infer *c)
{
    struct mx_shape s;
    const mx_dim one = mx_dim_of(1);
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input_square(c, 0, &s));
    return output(c, s, 2, &one, s.ndim == 2);
}

static void lower_sumlogdiag(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const ox_val log = ox_unary(b, OX_Log, diagonal(b, in[0], 0));
    out[0] = ox_reduce(b, OX_ReduceSum, log, (const int64_t[]){-1}, 1, ox_rank(b, in[0]) == 2);
}

static int infer_makediag(struct mx_infer *c)
{
    const struct part *a = c->attrs;
    struct mx_shape s;
    MX_TRY(check(c));
    MX_TRY(mx_input_at_least(c, 0, 1, &s));
    const mx_dim n = mx_dim_addn(c->dims, s.dims[s.ndim - 1], magnitude(a->offset));
    return output(c, s, 1, (const mx_dim[]){n, n}, 2);
}

/* x with this many zeros after its last axis. */
static ox_val pad_last(struct ox_build *b, ox_val x, int64_t zeros)
{
    const int rank = ox_rank(b, x);
    const struct mx_int_list begin = ox_repeated(b, 0, rank);
    struct mx_int_list end = ox_repeated(b, 0, rank - 1);
    mx_push_int(&end, zeros);
    return ox_pad(b, x, begin.v, end.v, rank, "constant", 0);
}

/* The vector, padded to n, is expanded along rows or columns, and kept where column - row equals the offset. */
static void lower_makediag(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const int64_t k = ((const struct part *)n->attrs)->offset;
    const int rank = ox_rank(b, in[0]);
    const ox_val column = ox_range(b, n->out[0].shape.dims[rank]);
    const ox_val row = ox_unsqueeze1(b, column, 1);
    const ox_val diagonal_column = ox_add(b, row, ox_scalar(b, MX_INT64, (double)k));
    const ox_val hit = ox_binary(b, OX_Equal, column, diagonal_column);
    const ox_val x = pad_last(b, in[0], magnitude(k));
    out[0] = ox_where(b, hit, ox_unsqueeze1(b, x, k > 0 ? rank : rank - 1), ox_scalar_like(b, x, 0));
}

/* ---- triangles */

struct triangle {
    int64_t side, k, count;
    bool lower;
};

static struct triangle triangle_of(const struct part *a, int64_t side)
{
    const int64_t k = magnitude(a->offset);
    return (struct triangle){side, k, (side - k) * (side - k + 1) / 2, is_lower(a)};
}

/* The position in the flat matrix of packed element i. Where a row begins, 8 i + 1 is the square of an odd number, and its root is
 * exact as long as 8 i + 1 is. */
static double place_at(const void *spec, int64_t i)
{
    const struct triangle *t = spec;
    const int64_t row = (int64_t)((sqrt(8 * (double)i + 1) - 1) / 2);
    const int64_t column = i - row * (row + 1) / 2;
    return (double)(t->lower ? (row + t->k) * t->side + column : column * t->side + row + t->k);
}

/* The packed element at position i of the flat matrix; outside the triangle, the index after the last one. */
static double packed_at(const void *spec, int64_t i)
{
    const struct triangle *t = spec;
    const int64_t y = i / t->side, x = i % t->side;
    const int64_t row = (t->lower ? y : x) - t->k, column = t->lower ? x : y;
    return (double)(row < 0 || column > row ? t->count : row * (row + 1) / 2 + column);
}

/* The area of the triangle: column - row <= -k for a lower one with n columns. bool (n, n). */
static ox_val triangle_mask(struct ox_build *b, mx_dim side, int64_t k)
{
    const ox_val column = ox_range(b, side), row = ox_unsqueeze1(b, column, 1);
    return ox_binary(b, OX_LessOrEqual, column, k == 0 ? row : ox_sub(b, row, ox_scalar(b, MX_INT64, (double)k)));
}

static int infer_extracttrian(struct mx_infer *c)
{
    const struct part *a = c->attrs;
    struct mx_shape s;
    int64_t side;
    MX_TRY(check(c));
    MX_TRY(mx_input_square(c, 0, &s));
    const mx_dim rows = mx_dim_addn(c->dims, s.dims[s.ndim - 1], -magnitude(a->offset));
    if (mx_dim_known(c->dims, s.dims[s.ndim - 1], &side) && (side <= magnitude(a->offset) || side > MAX_SIZE)) {
        return mx_infer_fail(c, "offset", MX_SUBJECT "is %lld, but must be smaller than the number of rows, %lld, which must be at most %d",
                             (long long)a->offset, (long long)side, MAX_SIZE);
    }
    const mx_dim pairs = mx_dim_mul(c->dims, rows, mx_dim_addn(c->dims, rows, 1));
    const mx_dim n = mx_dim_floor_div(c->dims, pairs, 2);
    return output(c, s, 2, &n, 1);
}

static void lower_extracttrian(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const int rank = ox_rank(b, in[0]);
    int64_t side = 0;
    const bool known = ox_size_at(b, in[0], -1, &side);
    const struct triangle t = triangle_of(n->attrs, side);
    if (known) {
        const ox_val places = ox_computed(b, MX_INT64, &t.count, 1, place_at, &t, sizeof t);
        out[0] = ox_gather(b, flattened(b, in[0]), places, rank - 2);
        return;
    }
    const ox_val mask = triangle_mask(b, ox_dim_at(b, in[0], -1), t.k);
    const ox_val x = flattened(b, t.lower ? in[0] : ox_swap_axes(b, in[0], -2, -1));
    const ox_val kept = ox_flat(b, mask);
    out[0] = ox_shaped(b, OX_Compress, OX_IN(x, kept), OX_ATTRS(OX_I("axis", rank - 2)), n->out[0].shape);
}

/* The side of the matrix, which can be found only if the number of elements is known. */
static int made_side(struct mx_infer *c, const struct part *a, struct mx_shape s, mx_dim *side)
{
    int64_t count, rows = 0;
    if (!mx_dim_known(c->dims, s.dims[s.ndim - 1], &count)) {
        *side = mx_open_dim(c, 0, s.ndim + 1, s.ndim);
        return MX_OK;
    }
    while (rows < MAX_SIZE && rows * (rows + 1) / 2 < count) {
        rows++;
    }
    if (count < 1 || rows * (rows + 1) / 2 != count || rows + magnitude(a->offset) > MAX_SIZE) {
        return mx_infer_fail(c, NULL, "the last axis has %lld elements, but must have n x (n + 1) / 2 to fill a triangle",
                             (long long)count);
    }
    *side = mx_dim_of(rows + magnitude(a->offset));
    return MX_OK;
}

static int infer_maketrian(struct mx_infer *c)
{
    struct mx_shape s;
    mx_dim side;
    MX_TRY(check(c));
    MX_TRY(mx_input_at_least(c, 0, 1, &s));
    MX_TRY(made_side(c, c->attrs, s, &side));
    return output(c, s, 1, (const mx_dim[]){side, side}, 2);
}

/* The same as packed_at, computed at run time: r rows hold r (r + 1) / 2 elements. */
static ox_val packed_places(struct ox_build *b, mx_dim count, const struct triangle *t)
{
    const ox_val one = ox_scalar(b, MX_INT64, 1), two = ox_scalar(b, MX_INT64, 2), zero = ox_scalar(b, MX_INT64, 0);
    const ox_val n = ox_dim_as(b, count, MX_INT64);
    const ox_val odd = ox_add(b, ox_mul(b, n, ox_scalar(b, MX_INT64, 8)), one);
    const ox_val root = ox_cast(b, ox_unary(b, OX_Sqrt, ox_cast(b, odd, MX_FLOAT64)), MX_INT64);
    const ox_val rows = ox_div(b, ox_sub(b, root, one), two), k = ox_scalar(b, MX_INT64, (double)t->k);
    const ox_val column = ox_node(b, OX_Range, OX_IN(zero, ox_add(b, rows, k), one), OX_NO_ATTRS);
    const ox_val row = ox_unsqueeze1(b, ox_sub(b, column, k), 1);
    const ox_val before = ox_div(b, ox_mul(b, row, ox_add(b, row, one)), two);
    const ox_val inside = ox_binary(b, OX_LessOrEqual, column, row);
    const ox_val index = ox_where(b, inside, ox_add(b, before, column), n);
    return t->lower ? index : ox_swap_axes(b, index, 0, 1);
}

/* Gathers from the elements with a zero appended. */
static void lower_maketrian(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const int rank = ox_rank(b, in[0]);
    int64_t side = 0;
    const bool known = mx_dim_known(ox_dims_table(b), n->out[0].shape.dims[rank], &side);
    const struct triangle t = triangle_of(n->attrs, side);
    const ox_val x = pad_last(b, in[0], 1);
    const ox_val index = known ? ox_computed(b, MX_INT64, (const int64_t[]){side, side}, 2, packed_at, &t, sizeof t)
                               : packed_places(b, ox_dim_at(b, in[0], -1), &t);
    out[0] = ox_gather(b, x, index, rank - 1);
}

const struct mx_op mx_ops_linalg_parts[] = {
    {LINALG("extractdiag", "", "A", infer_extractdiag, lower_extractdiag), MX_ATTRS(diag_attrs, struct part)},
    {LINALG("extracttrian", "", "A", infer_extracttrian, lower_extracttrian), MX_ATTRS(trian_attrs, struct part)},
    {LINALG("makediag", "", "A", infer_makediag, lower_makediag), MX_ATTRS(diag_attrs, struct part)},
    {LINALG("maketrian", "", "A", infer_maketrian, lower_maketrian), MX_ATTRS(trian_attrs, struct part)},
    {LINALG("sumlogdiag", "", "A", infer_sumlogdiag, lower_sumlogdiag), .single = true},
    MX_OPS_END,
};
