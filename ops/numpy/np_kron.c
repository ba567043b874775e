/* kron: each element of the first tensor times the second (src/operator/numpy/np_kron-inl.h). The shorter shape is extended with ones
 * in front. */
#include "onnx/build.h"
#include "op/op.h"

static mx_dim size_at(struct mx_shape s, int rank, int i)
{
    const int k = i - (rank - s.ndim);
    return k < 0 ? mx_dim_of(1) : s.dims[k];
}

static int infer(struct mx_infer *c)
{
    struct mx_shape x, y;
    mx_dim dims[MX_MAX_RANK];
    MX_TRY(mx_same_dtype(c, 0, 1));
    MX_TRY(mx_input(c, 0, &x));
    MX_TRY(mx_input(c, 1, &y));
    const int rank = x.ndim > y.ndim ? x.ndim : y.ndim;
    if (2 * rank > MX_MAX_RANK) {
        return mx_infer_fail(c, NULL, "inputs of rank %d have more dimensions than can be written", rank);
    }
    for (int i = 0; i < rank; i++) {
        dims[i] = mx_dim_mul(c->dims, size_at(x, rank, i), size_at(y, rank, i));
    }
    return mx_output_is_dims(c, 0, dims, rank);
}

/* (m, n) and (p, q) as (m, 1, n, 1) and (1, p, 1, q). */
static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct mx_shape x = ox_shape(b, in[0]), y = ox_shape(b, in[1]);
    const int rank = n->out[0].shape.ndim;
    mx_dim xs[MX_MAX_RANK], ys[MX_MAX_RANK];
    for (int i = 0; i < rank; i++) {
        xs[2 * i] = size_at(x, rank, i);
        ys[2 * i + 1] = size_at(y, rank, i);
        xs[2 * i + 1] = ys[2 * i] = mx_dim_of(1);
    }
    const ox_val product = ox_mul(b, ox_reshape(b, in[0], xs, 2 * rank), ox_reshape(b, in[1], ys, 2 * rank));
    out[0] = ox_reshape_shape(b, product, n->out[0].shape);
}

const struct mx_op mx_ops_np_kron[] = {
    {
        .name = "_npi_kron",
        .inputs = "a b",
        .infer = infer,
        .lower = lower,
    },
    MX_OPS_END,
};
