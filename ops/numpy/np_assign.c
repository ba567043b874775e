/* Assignment of numbers in a tensor: fill_diagonal, index_add, index_update. */
#include "op/op.h"

/* ---- fill_diagonal (src/operator/numpy/np_fill_diagonal_op-inl.h) */

struct fill {
    struct mx_floats val;
    bool wrap;
};

static const struct mx_attr fill_attrs[] = {
    MX_FLOATS(struct fill, val, NULL),
    MX_BOOL(struct fill, wrap, "False"),
};

static int infer_fill(struct mx_infer *c)
{
    const struct fill *a = c->attrs;
    struct mx_shape s;
    MX_TRY(mx_infer_same(c));
    MX_TRY(mx_input(c, 0, &s));
    if (s.ndim < 2 || a->val.n < 1) {
        return mx_infer_fail(c, "val", MX_SUBJECT "has length %d and the data has rank %d, but at least one number and rank 2 are needed",
                             a->val.n, s.ndim);
    }
    for (int i = 1; i < s.ndim && s.ndim > 2; i++) {
        MX_TRY(mx_same_dim(c, s.dims[0], s.dims[i], "sizes of the axes"));
    }
    return MX_OK;
}

/* int64 (cells): the positions of the diagonal in the flat input. In a matrix it ends with the columns, or starts again one row further
 * down. */
static ox_val places(struct ox_build *b, const struct fill *a, struct mx_shape s, mx_dim step)
{
    const mx_dim columns = s.dims[s.ndim - 1], all = mx_shape_elements(ox_dims_table(b), s);
    ox_val end = ox_dim_as(b, all, MX_INT64);
    if (s.ndim == 2 && !a->wrap) {
        end = ox_binary(b, OX_Min, end, ox_dim_as(b, mx_dim_mul(ox_dims_table(b), columns, columns), MX_INT64));
    }
    const ox_val zero = ox_scalar(b, MX_INT64, 0);
    return ox_node(b, OX_Range, OX_IN(zero, end, ox_dim_as(b, step, MX_INT64)), OX_NO_ATTRS);
}

/* The numbers for the cells, repeated from the first after the last; numbers too large for an integer type wrap around. */
static ox_val numbers(struct ox_build *b, const struct fill *a, enum mx_dtype t, ox_val at, mx_dim step)
{
    const ox_val v = ox_cast(b, ox_floats(b, mx_dtype_is_float(t) ? t : MX_FLOAT64, a->val.v, a->val.n), t);
    if (a->val.n == 1) {
        return ox_expand(b, v, ox_shape(b, at).dims, 1);
    }
    const ox_val cell = ox_div(b, at, ox_dim_as(b, step, MX_INT64));
    return ox_gather(b, v, ox_mod(b, cell, ox_scalar(b, MX_INT64, a->val.n)), 0);
}

static void lower_fill(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct fill *a = n->attrs;
    const struct mx_shape s = ox_shape(b, in[0]);
    struct mx_dims *t = ox_dims_table(b);
    mx_dim step = mx_dim_of(0), count = mx_dim_of(1);
    for (int i = s.ndim - 1; i >= 0; i--) {
        step = mx_dim_add(t, step, count);
        count = mx_dim_mul(t, count, s.dims[i]);
    }
    const ox_val flat = ox_flat(b, in[0]), at = places(b, a, s, step);
    const ox_val v = numbers(b, a, n->out[0].dtype, at, step);
    const ox_val filled = ox_node(b, OX_ScatterElements, OX_IN(flat, at, v), OX_ATTRS(OX_I("axis", 0)));
    out[0] = ox_reshape_shape(b, filled, n->out[0].shape);
}

/* ---- index_add, index_update: ind has a column of coordinates for each row of val, which broadcasts
 * (src/operator/contrib/index_add-inl.h) */

static int infer_index(struct mx_infer *c)
{
    struct mx_shape s, ind, val;
    int64_t m = 1;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input_dtype_is(c, 2, mx_output_dtype(c, 0)));
    MX_TRY(mx_same_shape(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_input(c, 1, &ind));
    MX_TRY(mx_input(c, 2, &val));
    if (ind.ndim < 1 || ind.ndim > 2) {
        return mx_infer_fail(c, "ind", MX_SUBJECT "has rank %d, but must have rank 1 or 2", ind.ndim);
    }
    MX_TRY(ind.ndim == 2 ? mx_number(c, ind.dims[0], "the first axis of the indices", &m) : MX_OK);
    if (m < 1 || m > s.ndim || val.ndim > s.ndim - (int)m + 1) {
        return mx_infer_fail(c, "ind", MX_SUBJECT "holds %lld coordinates, which do not match data of rank %d and values of rank %d",
                             (long long)m, s.ndim, val.ndim);
    }
    for (int i = 1; i <= val.ndim; i++) { /* from the last axis: those of the data after the coordinates, then the rows */
        const mx_dim to = i <= s.ndim - (int)m ? s.dims[s.ndim - i] : ind.dims[ind.ndim - 1];
        MX_TRY(mx_stretch(c, val.dims[val.ndim - i], to));
    }
    return MX_OK;
}

static void lower_index(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const bool adds = n->op->which;
    const ox_val index = ox_cast(b, in[1], MX_INT64);
    const ox_val rows = ox_rank(b, index) == 1 ? ox_unsqueeze1(b, index, 1) : ox_swap_axes(b, index, 0, 1);
    const struct mx_shape s = ox_shape(b, in[0]);
    int64_t m = 1;
    (void)ox_size_at(b, rows, 1, &m);
    struct mx_dim_list dims = ox_no_dims(b);
    mx_push_dim(&dims, ox_dim_at(b, rows, 0));
    mx_push_dims(&dims, s.dims + m, s.ndim - m);
    const ox_val values = ox_expand(b, in[2], dims.v, dims.n);
    out[0] = ox_node(b, OX_ScatterND, OX_IN(in[0], rows, values), adds ? OX_ATTRS(OX_S("reduction", "add")) : OX_NO_ATTRS);
}

#define INDEX(mx, adds, first)                                                                                                             \
    {                                                                                                                                      \
        .name = (mx), .inputs = "a ind:exact val", .infer = infer_index, .lower = lower_index, .which = (adds), .min_opset = (first),      \
    }

const struct mx_op mx_ops_np_assign[] = {
    {.name = "_npi_fill_diagonal", MX_ATTRS(fill_attrs, struct fill), .inputs = "a", .infer = infer_fill, .lower = lower_fill},
    INDEX("_npx_index_add", true, 16),
    INDEX("_npx_index_update", false, 0),
    MX_OPS_END,
};
