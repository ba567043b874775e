/* depth_to_space and space_to_depth: moves blocks of pixels to channels and back, with the block offset first (ONNX's DCR). */
#include "op/op.h"

struct block {
    int64_t block_size;
};

static const struct mx_attr attrs[] = {MX_COUNT(struct block, block_size, NULL)};

enum { TO_SPACE, TO_DEPTH };

/* Deep channels are n n wide channels, wide pixels n deep pixels on each axis. */
static int infer(struct mx_infer *c)
{
    const int64_t n = ((const struct block *)c->attrs)->block_size;
    struct mx_shape s;
    mx_dim d[4];
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_positive(c, "block_size", n));
    MX_TRY(mx_input_rank(c, 0, 4, &s));
    for (int i = 1; i < 4; i++) {
        if (mx_dim_has_unknown(c->dims, s.dims[i])) {
            return MX_LATER;
        }
        const bool grows = (i == 1) == (c->node->op->which == TO_DEPTH);
        const int64_t factor = i == 1 ? n * n : n;
        int64_t size;
        if (!grows && mx_dim_known(c->dims, s.dims[i], &size) && size % factor != 0) {
            return mx_infer_fail(c, "block_size", MX_SUBJECT "is %lld, but axis %d has size %lld, which is not a multiple of %lld",
                                 (long long)n, i, (long long)size, (long long)factor);
        }
        d[i] = grows ? mx_dim_muln(c->dims, s.dims[i], factor) : mx_dim_floor_div(c->dims, s.dims[i], factor);
    }
    d[0] = s.dims[0];
    return mx_output_is_dims(c, 0, d, 4);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct block *a = n->attrs;
    out[0] = n->op->which == TO_DEPTH
                 ? ox_node(b, OX_SpaceToDepth, OX_IN(in[0]), OX_ATTRS(OX_I("blocksize", a->block_size)))
                 : ox_node(b, OX_DepthToSpace, OX_IN(in[0]), OX_ATTRS(OX_I("blocksize", a->block_size), OX_S("mode", "DCR")));
}

const struct mx_op mx_ops_depth_space[] = {
    {.name = "depth_to_space", MX_ATTRS(attrs, struct block), .infer = infer, .lower = lower, .which = TO_SPACE},
    {.name = "space_to_depth", MX_ATTRS(attrs, struct block), .infer = infer, .lower = lower, .which = TO_DEPTH},
    MX_OPS_END,
};
