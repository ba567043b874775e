/* Products of integers with wrap-around: halves of the rows are multiplied in a Loop, since Mul wraps in runtimes and ReduceProd does
 * not. */
#include "shared/wrapped_product.h"
#include "op/op.h"

/* Rows (n, ...) as (floor((n + 1) / 2), ...): each row of the first half times its counterpart in the second. An odd row is multiplied
 * by ones. */
static ox_val halved(struct ox_build *b, ox_val rows, ox_val one)
{
    struct mx_dims *t = ox_dims_table(b);
    const mx_dim n = ox_dim_at(b, rows, 0), half = mx_dim_floor_div(t, mx_dim_addn(t, n, 1), 2), zero = mx_dim_of(0);
    const mx_dim end = mx_dim_muln(t, half, 2);
    const ox_val all = ox_concat(b, (const ox_val[]){rows, one}, 2, 0);
    const ox_val first = ox_slice_dims(b, all, (const int64_t[]){0}, &zero, &half, 1);
    return ox_mul(b, first, ox_slice_dims(b, all, (const int64_t[]){0}, &half, &end, 1));
}

/* The product of n rows and one row of ones. */
static ox_val product_of_rows(struct ox_build *b, ox_val x)
{
    const enum mx_dtype t = ox_dtype(b, x);
    const struct mx_shape s = ox_shape(b, x), scalar = {0, NULL};
    struct mx_dim_list dims = ox_dims_like(b, s);
    mx_put_dim(&dims, 0, mx_dim_of(1));
    const ox_val one = ox_fill(b, t, mx_list_shape(&dims), 1);
    const ox_val start = ox_concat(b, (const ox_val[]){x, one}, 2, 0);
    mx_put_dim(&dims, 0, mx_dim_unknown(ox_dims_table(b)));
    struct ox_graph *g = ox_graph_begin(b, "product");
    (void)ox_graph_input(b, MX_INT64, scalar);
    (void)ox_graph_input(b, MX_BOOL, scalar);
    const ox_val next = halved(b, ox_graph_input(b, t, mx_list_shape(&dims)), one);
    const ox_val more = ox_binary(b, OX_Greater, ox_dim_as(b, ox_dim_at(b, next, 0), MX_INT64), ox_scalar(b, MX_INT64, 1));
    ox_graph_end(b, (const ox_val[]){more, next}, 2);
    const ox_val end = ox_node(b, OX_Loop, OX_IN(OX_NONE, ox_scalar(b, MX_BOOL, 1), start), OX_ATTRS(OX_G("body", g)));
    mx_put_dim(&dims, 0, mx_dim_of(1));
    ox_typed(b, end, t, mx_list_shape(&dims));
    return end;
}

ox_val ox_wrapped_product(struct ox_build *b, ox_val x, struct mx_axes axes, bool keepdims)
{
    const struct mx_shape s = ox_shape(b, x);
    const enum mx_dtype own = ox_dtype(b, x), t = mx_dtype_size(own) < 4 ? MX_INT32 : own;
    const mx_dim count = mx_shape_along(ox_dims_table(b), s, axes);
    struct mx_dim_list kept = ox_no_dims(b), out = ox_no_dims(b);
    struct mx_int_list perm = ox_listed(b, axes);
    mx_push_axes(&perm, mx_other_axes(axes, s.ndim));
    mx_push_dim(&kept, count);
    mx_push_reduced(&kept, s, axes, false);
    mx_push_reduced(&out, s, axes, keepdims);
    const ox_val rows = ox_reshape(b, ox_transpose(b, ox_cast(b, x, t), perm.v, perm.n), kept.v, kept.n);
    const bool single = mx_dim_equal(ox_dims_table(b), count, mx_dim_of(1));
    return ox_cast(b, ox_reshape(b, single ? rows : product_of_rows(b, rows), out.v, out.n), own);
}
