/* gather_nd, which MXNet 2 writes for x[i, j]: the coordinates are on the first axis of indices, in ONNX on the last. Negative ones
 * count from the end in both (src/operator/tensor/indexing_op.h, GatherNDShape). */
#include "op/op.h"

static int infer(struct mx_infer *c)
{
    struct mx_shape s, index;
    struct mx_dim_list dims = mx_no_dims(c);
    int64_t m;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_input_at_least(c, 1, 2, &index));
    MX_TRY(mx_number(c, index.dims[0], "the first axis of the indices", &m));
    if (m < 1 || m > s.ndim) {
        return mx_infer_fail(c, "indices", MX_SUBJECT "holds %lld coordinates, but must hold 1 to the rank of the data, %d", (long long)m,
                             s.ndim);
    }
    mx_push_dims(&dims, index.dims + 1, index.ndim - 1);
    mx_push_dims(&dims, s.dims + (int)m, s.ndim - (int)m);
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    struct mx_int_list perm = ox_no_ints(b);
    const int rank = ox_rank(b, in[1]);
    for (int i = 0; i < rank; i++) {
        mx_put_int(&perm, i, (i + 1) % rank);
    }
    const ox_val index = ox_transpose(b, ox_cast(b, in[1], MX_INT64), perm.v, perm.n);
    out[0] = ox_node(b, OX_GatherND, OX_IN(in[0], index), OX_NO_ATTRS);
}

const struct mx_op mx_ops_gather_nd[] = {
    {
        .name = "gather_nd",
        .alias = "_npi_gather_nd _npx_gather_nd _npi_advanced_indexing_multiple",
        .inputs = "data indices:exact",
        .infer = infer,
        .lower = lower,
    },
    MX_OPS_END,
};
