/* khatri_rao: Kronecker products column by column (src/operator/contrib/krprod.cc). */
#include "op/op.h"

struct khatri_rao {
    int64_t num_args;
};

static const struct mx_attr attrs[] = {MX_COUNT(struct khatri_rao, num_args, NULL)};

static int infer(struct mx_infer *c)
{
    mx_dim dims[2];
    MX_TRY(mx_same_dtype(c, 0, -1));
    for (int i = 0; i < c->node->n_in; i++) {
        struct mx_shape s;
        MX_TRY(mx_input_rank(c, i, 2, &s));
        dims[0] = i == 0 ? s.dims[0] : mx_dim_mul(c->dims, dims[0], s.dims[0]);
        if (i > 0) {
            MX_TRY(mx_same_dim(c, dims[1], s.dims[1], "columns of the matrices"));
        }
        dims[1] = s.dims[1];
    }
    return mx_output_is_dims(c, 0, dims, 2);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    out[0] = in[0];
    for (int i = 1; i < n->n_in && !ox_failed(b); i++) {
        const ox_val product = ox_mul(b, ox_unsqueeze1(b, out[0], 1), ox_unsqueeze1(b, in[i], 0));
        const mx_dim rows = mx_dim_mul(ox_dims_table(b), ox_dim_at(b, out[0], 0), ox_dim_at(b, in[i], 0));
        out[0] = ox_reshape(b, product, (const mx_dim[]){rows, ox_dim_at(b, in[0], 1)}, 2);
    }
}

const struct mx_op mx_ops_khatri_rao[] = {
    {
        .name = "khatri_rao",
        .single = true,
        MX_ATTRS(attrs, struct khatri_rao),
        .inputs = "args...:count(num_args)",
        .infer = infer,
        .lower = lower,
    },
    MX_OPS_END,
};
