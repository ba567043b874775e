/* Attention within a sliding window (src/operator/contrib/transformer.cc, Sldwin*): a token sees w others on either side, or only
 * before it, `dilation` apart; each head has its own dilation. Cells outside the sequence are 0. */
#include "op/op.h"

struct window {
    int64_t w;
    bool symmetric;
};

static const struct mx_attr attrs[] = {
    MX_COUNT(struct window, w, NULL),
    MX_BOOL(struct window, symmetric, NULL),
};

enum { MAX_WINDOW = 1 << 16 }; /* limit: width to one side of the window of sliding-window attention */

static int64_t width(const struct window *a)
{
    return a->symmetric ? 2 * a->w + 1 : a->w + 1;
}

/* x is (batch, length, heads, n), where n is the size of a head or the width of the window; dilation has one number per head. */
static int check(struct mx_infer *c, int x, int dilation, struct mx_shape *s)
{
    const struct window *a = c->attrs;
    MX_TRY(mx_within(c, "w", a->w, 0, MAX_WINDOW));
    MX_TRY(mx_input_rank(c, x, 4, s));
    return mx_input_is_dims(c, dilation, &s->dims[2], 1);
}

static int output_of(struct mx_infer *c, struct mx_shape s, mx_dim last)
{
    const mx_dim dims[] = {s.dims[0], s.dims[1], s.dims[2], last};
    return mx_output_is_dims(c, 0, dims, 4);
}

static int infer_score(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_same_dtype(c, 0, 1));
    MX_TRY(check(c, 0, 2, &s));
    MX_TRY(mx_input_is(c, 1, s));
    return output_of(c, s, mx_dim_of(width(c->attrs)));
}

static int infer_context(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_same_dtype(c, 0, 1));
    MX_TRY(check(c, 1, 2, &s));
    const mx_dim score[] = {s.dims[0], s.dims[1], s.dims[2], mx_dim_of(width(c->attrs))};
    MX_TRY(mx_input_is_dims(c, 0, score, 4));
    return mx_output_is(c, 0, s);
}

static int infer_mask(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(check(c, 0, 1, &s));
    MX_TRY(mx_same_dim(c, s.dims[3], mx_dim_of(width(c->attrs)), "the width of the window"));
    MX_TRY(mx_input_is_dims(c, 2, &s.dims[0], 1));
    return mx_output_is(c, 0, s);
}

/* int64 (length, heads, width): the token in each cell of the window. */
static ox_val tokens(struct ox_build *b, const struct window *a, ox_val dilation, mx_dim length)
{
    const int64_t n = width(a);
    int64_t *v = ox_scratch(b, (size_t)n, sizeof *v);
    for (int64_t i = 0; i < n && !ox_failed(b); i++) {
        v[i] = i - a->w;
    }
    const ox_val steps = ox_mul(b, ox_unsqueeze1(b, ox_cast(b, dilation, MX_INT64), 1), ox_ints(b, v, (int)n));
    const ox_val here = ox_unsqueeze(b, ox_range(b, length), (const int64_t[]){1, 2}, 2);
    return ox_add(b, here, steps);
}

static ox_val between(struct ox_build *b, ox_val x, ox_val end)
{
    return ox_binary(b, OX_And, ox_binary(b, OX_GreaterOrEqual, x, ox_scalar(b, MX_INT64, 0)), ox_binary(b, OX_Less, x, end));
}

/* The tokens in each window of x (batch, length, heads, n): (length, heads, width, batch, n). 0 outside. */
static ox_val windows(struct ox_build *b, const struct window *a, ox_val x, ox_val dilation)
{
    const struct mx_shape s = ox_shape(b, x);
    const mx_dim cells[] = {mx_dim_mul(ox_dims_table(b), s.dims[1], s.dims[2]), s.dims[0], s.dims[3]};
    const ox_val token = tokens(b, a, dilation, s.dims[1]);
    const ox_val inside = between(b, token, ox_dim_as(b, s.dims[1], MX_INT64));
    const ox_val at = ox_where(b, inside, token, ox_scalar(b, MX_INT64, 0));
    const ox_val head = ox_unsqueeze1(b, ox_range(b, s.dims[2]), 1);
    const ox_val cell = ox_add(b, ox_mul(b, at, ox_dim_as(b, s.dims[2], MX_INT64)), head);
    const ox_val rows = ox_reshape(b, ox_transpose(b, x, (const int64_t[]){1, 2, 0, 3}, 4), cells, 3);
    const ox_val all = ox_gather(b, rows, cell, 0);
    return ox_where(b, ox_unsqueeze(b, inside, (const int64_t[]){3, 4}, 2), all, ox_scalar_like(b, x, 0));
}

static void lower_score(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const ox_val key = windows(b, n->attrs, in[1], in[2]);
    const ox_val query = ox_unsqueeze1(b, ox_transpose(b, in[0], (const int64_t[]){1, 2, 0, 3}, 4), 2);
    const ox_val sum = ox_reduce(b, OX_ReduceSum, ox_mul(b, query, key), (const int64_t[]){-1}, 1, false);
    out[0] = ox_transpose(b, sum, (const int64_t[]){3, 0, 1, 2}, 4);
}

static void lower_context(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const ox_val value = windows(b, n->attrs, in[1], in[2]);
    const ox_val score = ox_unsqueeze1(b, ox_transpose(b, in[0], (const int64_t[]){1, 2, 3, 0}, 4), 4);
    const ox_val sum = ox_reduce(b, OX_ReduceSum, ox_mul(b, score, value), (const int64_t[]){2}, 1, false);
    out[0] = ox_transpose(b, sum, (const int64_t[]){2, 0, 1, 3}, 4);
}

/* 1 where both tokens are within their sequence. */
static void lower_mask(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const mx_dim length = ox_dim_at(b, in[0], 1);
    const ox_val end = ox_unsqueeze(b, ox_cast(b, in[2], MX_INT64), (const int64_t[]){1, 2, 3}, 3);
    const ox_val seen = between(b, tokens(b, n->attrs, in[1], length), end);
    const ox_val here = ox_unsqueeze(b, ox_range(b, length), (const int64_t[]){1, 2}, 2);
    out[0] = ox_cast(b, ox_binary(b, OX_And, seen, ox_binary(b, OX_Less, here, end)), n->out[0].dtype);
}

#define ROW(mx, other_name, names, rule, function)                                                                                         \
    {                                                                                                                                      \
        .name = (mx), .alias = (other_name), MX_ATTRS(attrs, struct window), .inputs = (names), .infer = (rule), .lower = (function),      \
    }

const struct mx_op mx_ops_sldwin[] = {
    ROW("_contrib_sldwin_atten_context", "_npx_sldwin_atten_context", "score value dilation:exact", infer_context, lower_context),
    ROW("_contrib_sldwin_atten_mask_like", "_npx_sldwin_atten_mask_like", "score dilation:exact valid_length:exact", infer_mask,
        lower_mask),
    ROW("_contrib_sldwin_atten_score", "_npx_sldwin_atten_score", "query key dilation:exact", infer_score, lower_score),
    MX_OPS_END,
};
