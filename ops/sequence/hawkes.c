/* hawkesll: log likelihoods of marked points in time, where each point raises the probability of others for a while; a Loop over the
 * points (src/operator/contrib/hawkes_ll-inl.h). */
#include "op/op.h"
#include "shared/loop.h"

enum { MU, ALPHA, BETA, STATE, LAGS, MARKS, LENGTH, MAX_TIME, INPUTS };

static int infer(struct mx_infer *c)
{
    struct mx_shape mu, lags;
    MX_TRY(mx_input_rank(c, MU, 2, &mu));
    MX_TRY(mx_input_rank(c, LAGS, 2, &lags));
    MX_TRY(mx_same_dim(c, mu.dims[0], lags.dims[0], "samples"));
    MX_TRY(mx_input_is_dims(c, ALPHA, &mu.dims[1], 1));
    MX_TRY(mx_input_is_dims(c, BETA, &mu.dims[1], 1));
    MX_TRY(mx_input_is(c, STATE, mu));
    MX_TRY(mx_input_is(c, MARKS, lags));
    MX_TRY(mx_input_is_dims(c, LENGTH, &mu.dims[0], 1));
    MX_TRY(mx_input_is_dims(c, MAX_TIME, &mu.dims[0], 1));
    MX_TRY(mx_same_dtype(c, 0, 0));
    for (int i = 1; i < INPUTS; i++) {
        MX_TRY(mx_input_dtype_is(c, i, i == MARKS ? MX_INT32 : mx_output_dtype(c, 0)));
    }
    MX_TRY(mx_output_dtype_is(c, 1, mx_output_dtype(c, 0)));
    MX_TRY(mx_output_is_dims(c, 0, &mu.dims[0], 1));
    return mx_output_is(c, 1, mu);
}

/* For each sample of (n, marks), the number at its mark: (n). */
static ox_val at_mark(struct ox_build *b, ox_val hot, ox_val x)
{
    const ox_val kept = ox_where(b, hot, x, ox_scalar_like(b, x, 0));
    return ox_reduce(b, OX_ReduceSum, kept, (const int64_t[]){1}, 1, false);
}

/* The parameters of the process, for marks or for the mark of each sample. */
struct rates {
    ox_val mu, alpha, beta;
};

/* exp(-beta d) */
static ox_val decay(struct ox_build *b, ox_val beta, ox_val d)
{
    return ox_unary(b, OX_Exp, ox_unary(b, OX_Neg, ox_mul(b, beta, d)));
}

/* The expectation for a mark over the time d: mu d + alpha state (1 - ed). */
static ox_val expected(struct ox_build *b, const struct rates *r, ox_val state, ox_val d, ox_val ed)
{
    const ox_val gone = ox_sub(b, ox_scalar_like(b, ed, 1), ed);
    return ox_add(b, ox_mul(b, r->mu, d), ox_mul(b, ox_mul(b, r->alpha, state), gone));
}

/* One point of each sample: updates the marks' last times and states, the log likelihood and the time. */
static void point(struct ox_build *b, const ox_val *in, ox_val at, const ox_val *s, ox_val *next)
{
    const ox_val mark = ox_gather(b, in[MARKS], at, 1);
    const ox_val marks = ox_cast(b, ox_range(b, ox_dim_at(b, in[MU], 1)), MX_INT32);
    const ox_val hot = ox_binary(b, OX_Equal, ox_unsqueeze1(b, mark, 1), marks);
    const ox_val active = ox_binary(b, OX_Less, ox_cast(b, at, ox_dtype(b, in[LENGTH])), in[LENGTH]);
    const ox_val time = ox_add(b, s[3], ox_gather(b, in[LAGS], at, 1));
    const ox_val d = ox_sub(b, time, at_mark(b, hot, s[0])), state = at_mark(b, hot, s[1]);
    struct rates r = {.mu = at_mark(b, hot, in[MU])};
    r.alpha = at_mark(b, hot, in[ALPHA]);
    r.beta = at_mark(b, hot, in[BETA]);
    const ox_val ed = decay(b, r.beta, d);
    const ox_val left = ox_mul(b, state, ed);
    const ox_val rate = ox_add(b, r.mu, ox_mul(b, ox_mul(b, r.alpha, r.beta), left));
    const ox_val gain = ox_sub(b, ox_unary(b, OX_Log, rate), expected(b, &r, state, d, ed));
    const ox_val here = ox_binary(b, OX_And, hot, ox_unsqueeze1(b, active, 1));
    const ox_val raised = ox_add(b, left, ox_scalar_like(b, left, 1));
    next[0] = ox_where(b, here, ox_unsqueeze1(b, time, 1), s[0]);
    next[1] = ox_where(b, here, ox_unsqueeze1(b, raised, 1), s[1]);
    next[2] = ox_where(b, active, ox_add(b, s[2], gain), s[2]);
    next[3] = time;
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct mx_shape marks = ox_shape(b, in[MU]), samples = {1, marks.dims};
    const enum mx_dtype t = ox_dtype(b, in[MU]);
    const ox_val zeros = ox_fill(b, t, samples, 0);
    const ox_val start[] = {ox_fill(b, t, marks, 0), in[STATE], zeros, zeros};
    ox_val s[4], next[4], end[4];
    struct ox_loop l = ox_loop_begin(b, "hawkes");
    for (int i = 0; i < 4; i++) {
        s[i] = ox_loop_state(&l, start[i]);
    }
    point(b, in, l.at, s, next);
    ox_loop_end(&l, l.go, next, 4);
    ox_loop_times(&l, ox_dim_at(b, in[LAGS], 1), end);
    const ox_val d = ox_sub(b, ox_unsqueeze1(b, in[MAX_TIME], 1), end[0]);
    const struct rates r = {in[MU], in[ALPHA], in[BETA]};
    const ox_val ed = decay(b, r.beta, d), rest = expected(b, &r, end[1], d, ed);
    out[0] = ox_sub(b, end[2], ox_reduce(b, OX_ReduceSum, rest, (const int64_t[]){1}, 1, false));
    out[1] = ox_mul(b, ed, end[1]);
}

const struct mx_op mx_ops_hawkes[] = {
    {
        .name = "_contrib_hawkesll",
        .single = true,
        .inputs = "lda alpha beta state lags marks valid_length max_time",
        .outputs = "output0 output1",
        .infer = infer,
        .lower = lower,
    },
    MX_OPS_END,
};
