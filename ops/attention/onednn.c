/* Attention as rewritten by MXNet 2's oneDNN pass: products within the heads, with queries, keys and values concatenated in (batch,
 * length, 3 * heads * size) (src/operator/subgraph/dnnl/dnnl_transformer.cc). */
#include "op/op.h"

struct attention {
    int64_t heads;
    bool quantized;
};

static const struct mx_attr attrs[] = {
    MX_COUNT(struct attention, heads, NULL),
    MX_BOOL(struct attention, quantized, "False"),
    MX_IGNORED("enable_float_output min_calib_range max_calib_range"),
};

/* Computes the size of a head from the width of queries, keys and values together. */
static int check(struct mx_infer *c, int i, struct mx_shape *s, mx_dim *size)
{
    const struct attention *a = c->attrs;
    int64_t width;
    if (a->quantized) {
        return mx_infer_fail(c, "quantized", MX_SUBJECT "is True, which cannot be converted" MX_HELP "convert the float32 model instead");
    }
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input_rank(c, i, 3, s));
    MX_TRY(mx_number(c, s->dims[2], "the last axis of queries, keys and values", &width));
    if (a->heads < 1 || width < 1 || width % (3 * a->heads) != 0) {
        return mx_infer_fail(c, "heads", MX_SUBJECT "is %lld, but the size of the last axis, %lld, is not a multiple of 3 x heads",
                             (long long)a->heads, (long long)width);
    }
    *size = mx_dim_of(width / 3 / a->heads);
    return MX_OK;
}

static int infer_score(struct mx_infer *c)
{
    const struct attention *a = c->attrs;
    struct mx_shape s;
    mx_dim size;
    MX_TRY(check(c, 0, &s, &size));
    const mx_dim dims[] = {s.dims[0], mx_dim_of(a->heads), s.dims[1], s.dims[1]};
    return mx_output_is_dims(c, 0, dims, 4);
}

static int infer_value(struct mx_infer *c)
{
    const struct attention *a = c->attrs;
    struct mx_shape s;
    mx_dim size;
    MX_TRY(check(c, 1, &s, &size));
    const mx_dim weights[] = {s.dims[0], mx_dim_of(a->heads), s.dims[1], s.dims[1]};
    const mx_dim dims[] = {s.dims[0], s.dims[1], mx_dim_muln(c->dims, size, a->heads)};
    MX_TRY(mx_input_is_dims(c, 0, weights, 4));
    return mx_output_is_dims(c, 0, dims, 3);
}

/* Part k of x as (batch, heads, length, size). */
static ox_val part(struct ox_build *b, ox_val x, int64_t heads, int k)
{
    int64_t width = 3;
    (void)ox_size_at(b, x, 2, &width);
    const ox_val y = ox_slice1(b, x, 2, width / 3 * k, width / 3 * (k + 1));
    return ox_transpose(b, ox_reshape_ints(b, y, (const int64_t[]){0, 0, heads, -1}, 4), (const int64_t[]){0, 2, 1, 3}, 4);
}

static void lower_score(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct attention *a = n->attrs;
    out[0] = ox_matmul(b, part(b, in[0], a->heads, 0), ox_swap_axes(b, part(b, in[0], a->heads, 1), 2, 3));
}

static void lower_value(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct attention *a = n->attrs;
    const ox_val y = ox_matmul(b, in[0], part(b, in[1], a->heads, 2));
    out[0] = ox_reshape_shape(b, ox_swap_axes(b, y, 1, 2), n->out[0].shape);
}

const struct mx_op mx_ops_onednn[] = {
    {
        .name = "_sg_onednn_selfatt_qk",
        MX_ATTRS(attrs, struct attention),
        .inputs = "queries_keys_values...", /* if quantised, followed by ranges */
        .infer = infer_score,
        .lower = lower_score,
        .refuses = "quantized=True: convert the float32 model instead.",
    },
    {
        .name = "_sg_onednn_selfatt_valatt",
        MX_ATTRS(attrs, struct attention),
        .inputs = "attention queries_keys_values...",
        .infer = infer_value,
        .lower = lower_value,
        .refuses = "quantized=True: convert the float32 model instead.",
    },
    MX_OPS_END,
};
