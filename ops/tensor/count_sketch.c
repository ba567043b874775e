/* count_sketch: element i of the last axis, with a sign, is added to position h[i] (src/operator/contrib/count_sketch-inl.h). */
#include "op/op.h"

struct count_sketch {
    int64_t out_dim;
};

static const struct mx_attr attrs[] = {
    MX_COUNT(struct count_sketch, out_dim, NULL),
    MX_IGNORED("processing_batch_size"),
};

static int infer(struct mx_infer *c)
{
    const struct count_sketch *a = c->attrs;
    struct mx_shape s;
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input(c, 0, &s));
    if (s.ndim != 2 && s.ndim != 4) {
        return mx_infer_fail(c, "data", MX_SUBJECT "has rank %d, but must have rank 2 or 4", s.ndim);
    }
    MX_TRY(mx_positive(c, "out_dim", a->out_dim));
    struct mx_dim_list dims = mx_dims_like(c, s);
    mx_put_dim(&dims, s.ndim - 1, mx_dim_of(a->out_dim));
    const mx_dim row[] = {mx_dim_of(1), s.dims[s.ndim - 1]};
    MX_TRY(mx_input_is_dims(c, 1, row, 2));
    MX_TRY(mx_input_is_dims(c, 2, row, 2));
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct count_sketch *a = n->attrs;
    const ox_val place = ox_swap_axes(b, ox_cast(b, in[1], MX_INT64), 0, 1);
    const ox_val hits = ox_binary(b, OX_Equal, place, ox_range(b, mx_dim_of(a->out_dim)));
    const ox_val signs = ox_where(b, hits, ox_swap_axes(b, in[2], 0, 1), ox_scalar_like(b, in[2], 0));
    out[0] = ox_matmul(b, in[0], signs);
}

const struct mx_op mx_ops_count_sketch[] = {
    {.name = "_contrib_count_sketch", MX_ATTRS(attrs, struct count_sketch), .inputs = "data h:exact s", .infer = infer, .lower = lower},
    MX_OPS_END,
};
