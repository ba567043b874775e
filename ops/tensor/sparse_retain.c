/* sparse_retain: the listed rows, zeros elsewhere (src/operator/tensor/sparse_retain.cc). */
#include "op/op.h"

static int infer(struct mx_infer *c)
{
    struct mx_shape s, index;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input_at_least(c, 0, 1, &s));
    MX_TRY(mx_input_rank(c, 1, 1, &index));
    return mx_output_is(c, 0, s);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const int rank = ox_rank(b, in[0]);
    const ox_val row = ox_unsqueeze1(b, ox_range(b, ox_dim_at(b, in[0], 0)), 1);
    const ox_val hits = ox_binary(b, OX_Equal, row, ox_cast(b, in[1], MX_INT64));
    const ox_val count = ox_reduce(b, OX_ReduceSum, ox_cast(b, hits, MX_INT64), (const int64_t[]){1}, 1, false);
    const ox_val kept = ox_binary(b, OX_Greater, count, ox_scalar(b, MX_INT64, 0));
    out[0] = ox_where(b, ox_along(b, kept, 0, rank), in[0], ox_scalar_like(b, in[0], 0));
}

const struct mx_op mx_ops_sparse_retain[] = {
    {.name = "_sparse_retain", .alias = "sparse_retain", .inputs = "data indices:exact", .infer = infer, .lower = lower},
    MX_OPS_END,
};
