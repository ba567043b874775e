/* kron: each element of the first tensor times the second (src/operator/numpy/np_kron-inl.h). The shorter shape is extended with ones
 * in front. */
#include "op/op.h"

static mx_dim size_at(struct mx_shape s, int rank, int i)
{
    const int k = i - (rank - s.ndim);
    return k < 0 ? mx_dim_of(1) : s.dims[k];
}

static int infer(struct mx_infer *c)
{
    struct mx_shape x, y;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 1));
    MX_TRY(mx_input(c, 0, &x));
    MX_TRY(mx_input(c, 1, &y));
    const int rank = x.ndim > y.ndim ? x.ndim : y.ndim;
    if (2 * rank > MX_MAX_RANK) {
        return mx_infer_fail(c, NULL, "the inputs have rank %d, and at most %d is possible", rank, MX_MAX_RANK / 2);
    }
    for (int i = 0; i < rank; i++) {
        mx_put_dim(&dims, i, mx_dim_mul(c->dims, size_at(x, rank, i), size_at(y, rank, i)));
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

/* (m, n) and (p, q) as (m, 1, n, 1) and (1, p, 1, q). */
static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct mx_shape x = ox_shape(b, in[0]), y = ox_shape(b, in[1]);
    const int rank = n->out[0].shape.ndim;
    struct mx_dim_list xs = ox_no_dims(b);
    struct mx_dim_list ys = ox_no_dims(b);
    for (int i = 0; i < rank; i++) {
        mx_push_dim(&xs, size_at(x, rank, i));
        mx_push_dim(&xs, mx_dim_of(1));
        mx_push_dim(&ys, mx_dim_of(1));
        mx_push_dim(&ys, size_at(y, rank, i));
    }
    const ox_val product = ox_mul(b, ox_reshape(b, in[0], xs.v, xs.n), ox_reshape(b, in[1], ys.v, ys.n));
    out[0] = ox_reshape_shape(b, product, n->out[0].shape);
}

const struct mx_op mx_ops_np_kron[] = {
    {.name = "_npi_kron", .inputs = "a b", .infer = infer, .lower = lower},
    MX_OPS_END,
};
