/* Reductions. */
#include <math.h>

#include "onnx/builder/internal.h"

/* For a sum of -0 alone neither ONNX nor ONNX Runtime defines the sign of the zero: in ONNX Runtime it depends on the layout. */
bool ox_gives_the_one(enum ox_op op)
{
    return ox_op_in(op, OX_OPS(OX_ReduceMax, OX_ReduceMean, OX_ReduceMin, OX_ReduceProd, OX_ReduceSum));
}

/* How many of these axes are known to have this size. */
static int count_of_size(struct ox_build *b, ox_val x, const struct mx_int_list *axes, int64_t size)
{
    int count = 0;
    for (int i = 0; i < axes->n; i++) {
        count += mx_dim_equal(b->model->dims, ox_dim_at(b, x, (int)axes->v[i]), mx_dim_of(size));
    }
    return count;
}

ox_val ox_reduce(struct ox_build *b, enum ox_op op, ox_val x, const int64_t *axes, int n, bool keepdims)
{
    struct mx_axes marked = {0};
    if (ox_failed(b) || n == 0) {
        return ox_failed(b) ? OX_NONE : x;
    }
    const int rank = ox_rank(b, x);
    const struct ox_attr *attrs = OX_ATTRS(OX_I("keepdims", keepdims));
    if (rank < 0) {
        return n < 0 ? ox_emit(b, op, OX_IN(x), attrs) : ox_emit(b, op, OX_IN(x, ox_ints(b, axes, n)), attrs);
    }
    for (int i = 0; i < rank && n < 0; i++) {
        mx_add_axis(&marked, i);
    }
    for (int i = 0; i < n && !ox_failed(b); i++) {
        mx_add_axis(&marked, ox_axis(b, axes[i], rank, op));
    }
    if (ox_failed(b)) {
        return OX_NONE;
    }
    const struct mx_int_list sorted = ox_listed(b, marked);
    if (ox_gives_the_one(op) && count_of_size(b, x, &sorted, 1) == sorted.n) {
        return keepdims ? x : ox_squeeze(b, x, sorted.v, sorted.n);
    }
    const ox_val y = sorted.n == rank ? ox_emit(b, op, OX_IN(x), attrs) : ox_emit(b, op, OX_IN(x, ox_ints(b, sorted.v, sorted.n)), attrs);
    if (op == OX_ReduceMean && mx_dtype_is_float(ox_dtype(b, x)) && count_of_size(b, x, &sorted, 0) > 0) {
        return ox_fill(b, ox_dtype(b, y), ox_shape(b, y), (double)NAN); /* 0 / 0: ONNX does not define it, runtimes return 0 or NaN */
    }
    for (int v = 0; v <= 1; v++) {
        if (ox_gives_the_one(op) && ox_is_all(b, x, v) && (op != OX_ReduceSum || v == 0)) {
            return ox_fill(b, ox_dtype(b, y), ox_shape(b, y), v);
        }
    }
    return y;
}
