/* Products of integers with wrap-around: halves of the rows are multiplied in a Loop, since Mul wraps in runtimes and ReduceProd does
 * not. */
#include "onnx/build/internal.h"

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
    mx_dim dims[MX_MAX_RANK];
    mx_append_dims(dims, 0, s.dims, s.ndim);
    dims[0] = mx_dim_of(1);
    const ox_val one = ox_fill(b, t, (struct mx_shape){s.ndim, dims}, 1);
    const ox_val start = ox_concat(b, (const ox_val[]){x, one}, 2, 0);
    dims[0] = mx_dim_unknown(ox_dims_table(b));
    struct ox_graph *g = ox_graph_begin(b, "product");
    (void)ox_graph_input(b, MX_INT64, scalar);
    (void)ox_graph_input(b, MX_BOOL, scalar);
    const ox_val next = halved(b, ox_graph_input(b, t, (struct mx_shape){s.ndim, dims}), one);
    const ox_val more = ox_binary(b, OX_Greater, ox_dim_as(b, ox_dim_at(b, next, 0), MX_INT64), ox_scalar(b, MX_INT64, 1));
    ox_graph_end(b, (const ox_val[]){more, next}, 2);
    const ox_val end = ox_node(b, OX_Loop, OX_IN(OX_NONE, ox_scalar(b, MX_BOOL, 1), start), OX_ATTRS(OX_G("body", g)));
    dims[0] = mx_dim_of(1);
    ox_typed(b, end, t, (struct mx_shape){s.ndim, dims});
    return end;
}

ox_val ox_wrapped_product(struct ox_build *b, ox_val x, const int64_t *axes, int n, bool keepdims)
{
    const int rank = ox_rank(b, x);
    const enum mx_dtype own = ox_dtype(b, x), t = mx_dtype_size(own) < 4 ? MX_INT32 : own;
    mx_dim kept[MX_MAX_RANK + 1], out[MX_MAX_RANK];
    int64_t perm[MX_MAX_RANK];
    bool marked[MX_MAX_RANK] = {false};
    int rest = 1, left = 0, at = 0;
    for (int i = 0; i < (n < 0 ? rank : n); i++) {
        marked[n < 0 ? i : ox_axis(b, axes[i], rank, OX_ReduceProd)] = true;
    }
    kept[0] = mx_dim_of(1);
    for (int i = 0; i < rank; i++) {
        const mx_dim d = ox_dim_at(b, x, i);
        kept[marked[i] ? 0 : rest++] = marked[i] ? mx_dim_mul(ox_dims_table(b), kept[0], d) : d;
        if (!marked[i] || keepdims) {
            out[left++] = marked[i] ? mx_dim_of(1) : d;
        }
    }
    for (int turn = 1; turn >= 0; turn--) {
        for (int i = 0; i < rank; i++) {
            if (marked[i] == turn) {
                perm[at++] = i;
            }
        }
    }
    const ox_val rows = ox_reshape(b, ox_transpose(b, ox_cast(b, x, t), perm, rank), kept, rest);
    int64_t size;
    const bool single = mx_dim_known(ox_dims_table(b), kept[0], &size) && size == 1;
    return ox_cast(b, ox_reshape(b, single ? rows : product_of_rows(b, rows), out, left), own);
}
