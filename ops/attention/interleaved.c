/* Products in multi-head attention whose queries, keys and values are interleaved head by head in one tensor: (time, batch, heads *
 * parts * d) (src/operator/contrib/transformer.cc). Attention is (batch * heads, time, time), with the batch outermost. */
#include <math.h>

#include "op/op.h"

enum { MAX_HEADS = 1 << 20 }; /* limit: heads of interleaved attention */

struct attention {
    int64_t heads;
};

static const struct mx_attr attrs[] = {MX_COUNT(struct attention, heads, NULL)};

/* d of an interleaved input, whose last axis is heads * parts * d. */
static int head_size(struct mx_infer *c, mx_dim last, int parts, mx_dim *d)
{
    const int64_t heads = ((const struct attention *)c->attrs)->heads;
    int64_t size;
    MX_TRY(mx_within(c, "heads", heads, 1, MAX_HEADS));
    MX_TRY(mx_number(c, last, "the last axis", &size));
    if (size < 1 || size % (heads * parts) != 0) {
        return mx_infer_fail(c, "heads", MX_SUBJECT "is %lld, but the size of the last axis, %lld, is not a multiple of %d x heads",
                             (long long)heads, (long long)size, parts);
    }
    *d = mx_dim_of(size / (heads * parts));
    return MX_OK;
}

static mx_dim rows(struct mx_infer *c, mx_dim batch)
{
    return mx_dim_muln(c->dims, batch, ((const struct attention *)c->attrs)->heads);
}

static int infer_self_scores(struct mx_infer *c)
{
    struct mx_shape x;
    mx_dim d;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input_rank(c, 0, 3, &x));
    MX_TRY(head_size(c, x.dims[2], 3, &d));
    const mx_dim out[] = {rows(c, x.dims[1]), x.dims[0], x.dims[0]};
    return mx_output_is_dims(c, 0, out, 3);
}

static int infer_scores(struct mx_infer *c)
{
    struct mx_shape q, kv;
    mx_dim d;
    MX_TRY(mx_same_dtype(c, 0, 1));
    MX_TRY(mx_input_rank(c, 0, 3, &q));
    MX_TRY(mx_input_rank(c, 1, 3, &kv));
    MX_TRY(head_size(c, q.dims[2], 1, &d));
    const mx_dim memory[] = {kv.dims[0], q.dims[1], mx_dim_muln(c->dims, q.dims[2], 2)};
    MX_TRY(mx_input_is_dims(c, 1, memory, 3));
    const mx_dim out[] = {rows(c, q.dims[1]), q.dims[0], kv.dims[0]};
    return mx_output_is_dims(c, 0, out, 3);
}

/* `data` is the number of parts in input 0, 3 or 2; with 3 the attention is square. */
static int infer_values(struct mx_infer *c)
{
    const int parts = c->node->op->which;
    const int64_t heads = ((const struct attention *)c->attrs)->heads;
    struct mx_shape x, a;
    mx_dim d;
    MX_TRY(mx_same_dtype(c, 0, 1));
    MX_TRY(mx_input_rank(c, 0, 3, &x));
    MX_TRY(mx_input_rank(c, 1, 3, &a));
    MX_TRY(head_size(c, x.dims[2], parts, &d));
    const mx_dim time = parts == 3 ? x.dims[0] : a.dims[1];
    const mx_dim attention[] = {rows(c, x.dims[1]), time, x.dims[0]};
    MX_TRY(mx_input_is_dims(c, 1, attention, 3));
    const mx_dim out[] = {time, x.dims[1], mx_dim_muln(c->dims, d, heads)};
    return mx_output_is_dims(c, 0, out, 3);
}

static int64_t head_size_of(struct ox_build *b, ox_val x, int64_t heads, int parts)
{
    int64_t size = 0;
    (void)ox_size_at(b, x, 2, &size);
    return size / (heads * parts);
}

struct parts {
    ox_val of[3];
};

/* Splits (time, batch, heads * parts * d) into its parts, each (batch * heads, time, d). Scores and values of a layer request the same
 * parts, so these nodes are written once. */
static struct parts apart(struct ox_build *b, ox_val x, int64_t heads, int parts, int64_t d)
{
    struct parts out;
    struct mx_dims *t = ox_dims_table(b);
    const mx_dim dims[] = {ox_dim_at(b, x, 0), mx_dim_muln(t, ox_dim_at(b, x, 1), heads), mx_dim_of(d * parts)};
    x = ox_transpose(b, ox_reshape(b, x, dims, 3), (const int64_t[]){1, 0, 2}, 3);
    ox_split(b, ox_apart(b, x), 2, (const int64_t[]){d, d, d}, parts, out.of);
    return out;
}

/* q and k are (batch * heads, time, d). */
static ox_val scores(struct ox_build *b, ox_val q, ox_val k)
{
    int64_t d = 1;
    (void)ox_size_at(b, q, 2, &d);
    q = ox_mul(b, q, ox_scalar_like(b, q, 1 / sqrt((double)d)));
    return ox_matmul(b, q, ox_swap_axes(b, k, 1, 2));
}

static void lower_self_scores(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct attention *a = n->attrs;
    const struct parts x = apart(b, in[0], a->heads, 3, head_size_of(b, in[0], a->heads, 3));
    out[0] = scores(b, x.of[0], x.of[1]);
}

static void lower_scores(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct attention *a = n->attrs;
    const int64_t d = head_size_of(b, in[0], a->heads, 1);
    const struct parts q = apart(b, in[0], a->heads, 1, d), kv = apart(b, in[1], a->heads, 2, d); /* the size of kv may be open */
    out[0] = scores(b, q.of[0], kv.of[0]);
}

/* The values are the last part. */
static void lower_values(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const int parts = n->op->which;
    const struct attention *a = n->attrs;
    const struct parts x = apart(b, in[0], a->heads, parts, head_size_of(b, in[0], a->heads, parts));
    const ox_val y = ox_transpose(b, ox_matmul(b, in[1], x.of[parts - 1]), (const int64_t[]){1, 0, 2}, 3);
    out[0] = ox_reshape_shape(b, y, n->out[0].shape);
}

/* ---- _contrib_div_sqrt_dim */

static int infer_div(struct mx_infer *c)
{
    struct mx_shape x;
    MX_TRY(mx_infer_same(c));
    return mx_input_at_least(c, 0, 1, &x);
}

static void lower_div(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    int64_t size;
    if (ox_size_at(b, in[0], -1, &size)) {
        out[0] = ox_div(b, in[0], ox_scalar_like(b, in[0], sqrt((double)size)));
        return;
    }
    const ox_val last = ox_cast(b, ox_dim(b, ox_dim_at(b, in[0], -1)), ox_dtype(b, in[0]));
    out[0] = ox_div(b, in[0], ox_unary(b, OX_Sqrt, last));
}

const struct mx_op mx_ops_interleaved[] = {
    {.name = "_contrib_div_sqrt_dim", .infer = infer_div, .lower = lower_div},
    {
        .name = "_contrib_interleaved_matmul_encdec_qk",
        .alias = "_npx_interleaved_matmul_encdec_qk",
        MX_ATTRS(attrs, struct attention),
        .inputs = "queries keys_values",
        .infer = infer_scores,
        .lower = lower_scores,
    },
    {
        .name = "_contrib_interleaved_matmul_encdec_valatt",
        .alias = "_npx_interleaved_matmul_encdec_valatt",
        MX_ATTRS(attrs, struct attention),
        .inputs = "keys_values attention",
        .infer = infer_values,
        .lower = lower_values,
        .which = 2,
    },
    {
        .name = "_contrib_interleaved_matmul_selfatt_qk",
        .alias = "_npx_interleaved_matmul_selfatt_qk",
        MX_ATTRS(attrs, struct attention),
        .inputs = "queries_keys_values",
        .infer = infer_self_scores,
        .lower = lower_self_scores,
    },
    {
        .name = "_contrib_interleaved_matmul_selfatt_valatt",
        .alias = "_npx_interleaved_matmul_selfatt_valatt",
        MX_ATTRS(attrs, struct attention),
        .inputs = "queries_keys_values attention",
        .infer = infer_values,
        .lower = lower_values,
        .which = 3,
    },
    MX_OPS_END,
};
