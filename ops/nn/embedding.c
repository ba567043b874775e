/* Rows of a table by index (src/operator/tensor/indexing_op.h, EmbeddingOpForward). */
#include "op/op.h"

struct embedding {
    int64_t input_dim, output_dim;
    enum mx_dtype dtype;
};

static const struct mx_attr attrs[] = {
    MX_COUNT(struct embedding, input_dim, NULL),
    MX_COUNT(struct embedding, output_dim, NULL),
    MX_DTYPE(struct embedding, dtype, "float32"),
    MX_IGNORED("sparse_grad deterministic"),
};

/* The type of the weight or of the output if one is known, and `dtype` only if neither is (EmbeddingOpType). */
static int infer_types(struct mx_infer *c)
{
    const struct embedding *a = c->attrs;
    const enum mx_dtype weight = mx_input_dtype(c, 1), out = mx_output_dtype(c, 0);
    const enum mx_dtype t = weight != MX_DTYPE_NONE ? weight : out != MX_DTYPE_NONE ? out : a->dtype;
    MX_TRY(mx_input_dtype_is(c, 1, t));
    return mx_output_dtype_is(c, 0, t);
}

static int infer(struct mx_infer *c)
{
    const struct embedding *a = c->attrs;
    struct mx_shape x;
    struct mx_dim_list out = mx_no_dims(c);
    MX_TRY(mx_positive(c, "input_dim", a->input_dim));
    MX_TRY(mx_positive(c, "output_dim", a->output_dim));
    const mx_dim rows = mx_dim_of(a->input_dim), width = mx_dim_of(a->output_dim);
    MX_TRY(infer_types(c));
    MX_TRY(mx_input_is_dims(c, 1, (const mx_dim[]){rows, width}, 2));
    MX_TRY(mx_input(c, 0, &x));
    mx_push_dims(&out, x.dims, x.ndim);
    mx_push_dim(&out, width);
    return mx_output_is_dims(c, 0, out.v, out.n);
}

/* Fractions are truncated, and indices outside the table read its first or last row; ONNX would count negative ones from the end. */
static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct embedding *a = n->attrs;
    out[0] = ox_gather(b, in[1], ox_index(b, in[0], a->input_dim), 0);
}

const struct mx_op mx_ops_embedding[] = {
    {
        .name = "Embedding",
        .alias = "_npx_embedding _sparse_Embedding _contrib_SparseEmbedding",
        MX_ATTRS(attrs, struct embedding),
        .inputs = "data:exact weight:learned",
        .infer = infer,
        .lower = lower,
    },
    MX_OPS_END,
};
