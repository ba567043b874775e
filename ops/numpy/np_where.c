/* NumPy's where, and assignment through a mask: condition and values broadcast. */
#include <math.h>

#include "op/op.h"

struct choice {
    double scalar; /* the only number, or else */
    double x, y;   /* two */
};

static const struct mx_attr one_attrs[] = {MX_DOUBLE(struct choice, scalar, "0")};

static const struct mx_attr two_attrs[] = {
    MX_DOUBLE(struct choice, x, "0"),
    MX_DOUBLE(struct choice, y, "0"),
};

enum side { NO_NUMBER, FOR_TRUE, FOR_FALSE };

static int infer(struct mx_infer *c)
{
    MX_TRY(mx_same_dtype(c, 1, -1));
    return mx_broadcast_inputs(c);
}

static ox_val number(struct ox_build *b, enum mx_dtype t, double v)
{
    return ox_scalar(b, t, mx_dtype_is_integer(t) ? trunc(v) : t == MX_BOOL ? v != 0 : v);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct choice *a = n->attrs;
    const ox_val condition = ox_is_true(b, in[0]);
    if (n->op->which == NO_NUMBER) {
        out[0] = ox_where(b, condition, in[1], in[2]);
        return;
    }
    const ox_val v = number(b, n->out[0].dtype, a->scalar);
    out[0] = n->op->which == FOR_TRUE ? ox_where(b, condition, v, in[1]) : ox_where(b, condition, in[1], v);
}

static int infer_two(struct mx_infer *c)
{
    MX_TRY(mx_output_dtype_is(c, 0, MX_FLOAT32));
    return mx_broadcast_inputs(c);
}

static void lower_two(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct choice *a = n->attrs;
    const enum mx_dtype t = n->out[0].dtype;
    out[0] = ox_where(b, ox_is_true(b, in[0]), number(b, t, a->x), number(b, t, a->y));
}

/* ---- x[mask] = value, where the mask covers axes from start_axis on (src/operator/numpy/np_boolean_mask_assign.cc) */

struct assign {
    double value;
    int64_t start_axis;
};

static const struct mx_attr assign_attrs[] = {
    MX_FLOAT(struct assign, value, NULL),
    MX_AXIS(struct assign, start_axis, "0"),
};

static int infer_assign(struct mx_infer *c)
{
    const struct assign *a = c->attrs;
    struct mx_shape x, mask;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &x));
    MX_TRY(mx_output_is(c, 0, x));
    MX_TRY(mx_input(c, 1, &mask));
    if (a->start_axis < 0 || a->start_axis + mask.ndim > x.ndim) {
        return mx_infer_fail(c, "start_axis", MX_SUBJECT "is %lld, but a mask of rank %d does not fit there into data of rank %d",
                             (long long)a->start_axis, mask.ndim, x.ndim);
    }
    for (int i = 0; i < mask.ndim; i++) {
        MX_TRY(mx_same_dim(c, mx_shape_at(c, x, a->start_axis + i), mask.dims[i], "sizes of data and mask"));
    }
    return MX_OK;
}

/* The mask with axes of size 1 for those of the data after it. */
static ox_val element_mask(struct ox_build *b, const struct mx_node *n, const ox_val *in)
{
    const struct assign *a = n->attrs;
    const int after = ox_rank(b, in[0]) - (int)a->start_axis - ox_rank(b, in[1]);
    return ox_insert_axes(b, ox_is_true(b, in[1]), -after, after);
}

static void lower_assign(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct assign *a = n->attrs;
    out[0] = ox_where(b, element_mask(b, n, in), number(b, n->out[0].dtype, a->value), in[0]);
}

/* The same with one row of `value` for each true element of the mask, or one row for all. */
static const struct mx_attr assign_tensor_attrs[] = {MX_AXIS(struct assign, start_axis, "0")};

static int infer_assign_tensor(struct mx_infer *c)
{
    struct mx_shape x, mask, v;
    MX_TRY(infer_assign(c));
    MX_TRY(mx_input_dtype_is(c, 2, mx_output_dtype(c, 0)));
    MX_TRY(mx_input(c, 0, &x));
    MX_TRY(mx_input(c, 1, &mask));
    MX_TRY(mx_input(c, 2, &v));
    const int rows = x.ndim - mask.ndim + 1;
    return v.ndim == 0 || v.ndim == rows ? MX_OK
                                         : mx_infer_fail(c, "value", MX_SUBJECT "has rank %d, but must have rank 0 or %d", v.ndim, rows);
}

/* Moves the axes of the mask to the front and flattens them to rows; then ScatterND writes to these rows. */
static void lower_assign_tensor(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct assign *a = n->attrs;
    const int first = (int)a->start_axis, rank = ox_rank(b, in[0]), width = ox_rank(b, in[1]);
    struct mx_int_list perm = ox_no_ints(b), back = ox_no_ints(b);
    if (ox_rank(b, in[2]) == 0) {
        out[0] = ox_where(b, element_mask(b, n, in), in[2], in[0]);
        return;
    }
    for (int i = 0; i < rank; i++) {
        mx_put_int(&perm, i, i < width ? first + i : i < width + first ? i - width : i);
        mx_put_int(&back, mx_get_int(&perm, i), i);
    }
    const ox_val mask = ox_is_true(b, in[1]);
    const ox_val x = ox_transpose(b, in[0], perm.v, perm.n);
    const ox_val places = ox_swap_axes(b, ox_unary(b, OX_NonZero, mask), 0, 1);
    const ox_val count = ox_slice1(b, ox_unary(b, OX_Shape, places), 0, 0, 1);
    const ox_val sizes[] = {count, ox_dims(b, ox_shape(b, x).dims + width, rank - width)};
    const ox_val shape = rank > width ? ox_concat(b, sizes, 2, 0) : count;
    const ox_val rows = ox_move_axis(b, in[2], first, 0);
    const ox_val values = ox_node(b, OX_Expand, OX_IN(rows, shape), OX_NO_ATTRS);
    const ox_val y = ox_node(b, OX_ScatterND, OX_IN(x, places, values), OX_NO_ATTRS);
    out[0] = ox_transpose(b, y, back.v, back.n);
}

#define ROW(mx, table, type, reads, rule, write, side)                                                                                     \
    {                                                                                                                                      \
        .name = (mx), MX_ATTRS(table, type), .inputs = (reads), .infer = (rule), .lower = (write), .which = (side),                        \
    }

const struct mx_op mx_ops_np_where[] = {
    {
        .name = "_npi_where",
        .inputs = "condition x y",
        .infer = infer,
        .lower = lower,
        .differs = "An axis that is 0 in one input and 1 in another: it is 0 in the result, as in NumPy; in MXNet's it is 1, or "
                   "MXNet crashes.",
    },
    ROW("_npi_where_lscalar", one_attrs, struct choice, "condition x", infer, lower, FOR_TRUE),
    ROW("_npi_where_rscalar", one_attrs, struct choice, "condition y", infer, lower, FOR_FALSE),
    ROW("_npi_where_scalar2", two_attrs, struct choice, "condition", infer_two, lower_two, NO_NUMBER),
    ROW("_npi_boolean_mask_assign_scalar", assign_attrs, struct assign, "data mask", infer_assign, lower_assign, 0),
    {
        .name = "_npi_boolean_mask_assign_tensor",
        MX_ATTRS(assign_tensor_attrs, struct assign),
        .inputs = "data mask value",
        .infer = infer_assign_tensor,
        .lower = lower_assign_tensor,
        .refuses = "A value whose rank is neither 0 nor that of the selected rows: MXNet does not run it either.",
    },
    MX_OPS_END,
};
