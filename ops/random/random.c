/* Random tensors: _random_* with the parameters as attributes, _random_*_like with the shape of another tensor, _sample_* with tensors
 * of parameters (src/operator/random/sample_op.h, multisample_op.h). The values differ in each run and are never those of MXNet; the
 * distributions are the same. */
#include <stddef.h>

#include "shared/loop.h"
#include "shared/random_numbers.h"

struct draw {
    double low, high, loc, scale, lam, alpha, beta, k, n, p, mu;
    struct mx_tuple shape;
    enum mx_dtype dtype;
};

/* A sample with shape s and type t for parameters p[] that broadcast to it. */
typedef ox_val draw_fn(struct ox_build *b, struct mx_shape s, enum mx_dtype t, const ox_val *p);

struct kind {
    draw_fn *draw;
    int n_params;
    size_t params[2]; /* offsets of the attributes */
};

/* ---- uniform and normal, which ONNX has */

/* A sample times a factor plus a shift, which broadcast to it. */
static ox_val adjusted(struct ox_build *b, ox_val x, ox_val factor, ox_val shift)
{
    const ox_val scaled = ox_is_all(b, factor, 1) ? x : ox_mul(b, x, factor);
    return ox_is_all(b, shift, 0) ? scaled : ox_add(b, scaled, shift);
}

static ox_val uniform(struct ox_build *b, struct mx_shape s, enum mx_dtype t, const ox_val *p)
{
    return adjusted(b, ox_uniform(b, s, t), ox_sub(b, p[1], p[0]), p[0]);
}

static ox_val normal(struct ox_build *b, struct mx_shape s, enum mx_dtype t, const ox_val *p)
{
    return adjusted(b, ox_normal(b, s, t), p[1], p[0]);
}

/* ---- exponential; a uniform sample may be 0 but not 1 */

static ox_val exponential(struct ox_build *b, struct mx_shape s, enum mx_dtype t, const ox_val *p)
{
    const ox_val u = ox_sub(b, ox_scalar(b, t, 1), ox_uniform(b, s, t));
    return ox_div(b, ox_unary(b, OX_Neg, ox_unary(b, OX_Log, u)), p[0]);
}

/* ---- gamma; beta is the scale */

static ox_val gamma_draw(struct ox_build *b, struct mx_shape s, enum mx_dtype t, const ox_val *p)
{
    const ox_val x = ox_gamma(b, s, t, p[0]);
    return ox_is_all(b, p[1], 1) ? x : ox_mul(b, x, p[1]);
}

/* ---- poisson: a Loop over the counts, until the sum of their probabilities exceeds the uniform sample */

static ox_val is_any(struct ox_build *b, ox_val x)
{
    const ox_val most = ox_reduce(b, OX_ReduceMax, ox_cast(b, x, MX_INT32), NULL, -1, false);
    return ox_binary(b, OX_Greater, most, ox_scalar(b, MX_INT32, 0)); /* the maximum of no elements is below 0 */
}

/* In doubles: a sum of float probabilities may stop short of 1. The sample is a float, and further below 1 than the sum is. */
static ox_val poisson(struct ox_build *b, struct mx_shape s, enum mx_dtype t, const ox_val *p)
{
    const enum mx_dtype wide = MX_FLOAT64;
    const ox_val u = ox_cast(b, ox_uniform(b, s, MX_FLOAT32), wide);
    const ox_val mean = ox_cast(b, p[0], wide), log_mean = ox_unary(b, OX_Log, mean);
    const ox_val zeros = ox_fill(b, wide, s, 0);
    const ox_val start_log = ox_sub(b, zeros, mean);
    ox_val end[3];
    struct ox_loop l = ox_loop_begin(b, "poisson");
    const ox_val log = ox_loop_state(&l, start_log), sum = ox_loop_state(&l, zeros), count = ox_loop_state(&l, zeros);
    const ox_val next_sum = ox_add(b, sum, ox_unary(b, OX_Exp, log));
    const ox_val more = ox_binary(b, OX_Greater, u, next_sum);
    const ox_val next_count = ox_add(b, count, ox_cast(b, more, wide));
    const ox_val number = ox_add(b, ox_cast(b, l.at, wide), ox_scalar(b, wide, 1));
    const ox_val factor = ox_sub(b, log_mean, ox_unary(b, OX_Log, number));
    const ox_val next_log = ox_add(b, log, factor);
    ox_loop_end(&l, is_any(b, more), (const ox_val[]){next_log, next_sum, next_count}, 3);
    ox_loop_run(&l, OX_NONE, end);
    return ox_cast(b, end[2], t);
}

/* ---- mixtures: poisson with a mean drawn from gamma */

static ox_val negative_binomial(struct ox_build *b, struct mx_shape s, enum mx_dtype t, const ox_val *p)
{
    const ox_val odds = ox_div(b, ox_sub(b, ox_scalar(b, t, 1), p[1]), p[1]);
    const ox_val mean = gamma_draw(b, s, t, (const ox_val[]){p[0], odds});
    return poisson(b, s, t, &mean);
}

/* alpha is the dispersion; if it is 0 this is poisson. */
static ox_val dispersed(struct ox_build *b, struct mx_shape s, enum mx_dtype t, const ox_val *p)
{
    const ox_val one = ox_scalar(b, t, 1);
    const ox_val none = ox_binary(b, OX_Equal, p[1], ox_scalar(b, t, 0));
    const ox_val alpha = ox_where(b, none, one, p[1]);
    const ox_val scale = ox_mul(b, p[0], alpha);
    const ox_val drawn = gamma_draw(b, s, t, (const ox_val[]){ox_div(b, one, alpha), scale});
    const ox_val mean = ox_where(b, none, p[0], drawn);
    return poisson(b, s, t, &mean);
}

/* ---- binomial: a Loop over the largest number of trials */

static ox_val binomial(struct ox_build *b, struct mx_shape s, enum mx_dtype t, const ox_val *p)
{
    const ox_val trials = ox_unary(b, OX_Floor, p[0]);
    const ox_val most = ox_cast(b, ox_reduce(b, OX_ReduceMax, trials, NULL, -1, false), MX_INT64);
    const ox_val zeros = ox_fill(b, t, s, 0);
    ox_val end;
    struct ox_loop l = ox_loop_begin(b, "binomial");
    const ox_val count = ox_loop_state(&l, zeros);
    const ox_val hit = ox_binary(b, OX_Less, ox_uniform(b, s, t), p[1]);
    const ox_val takes_part = ox_binary(b, OX_Less, ox_cast(b, l.at, t), trials);
    const ox_val next = ox_add(b, count, ox_cast(b, ox_binary(b, OX_And, hit, takes_part), t));
    ox_loop_end(&l, l.go, &next, 1);
    ox_loop_run(&l, most, &end);
    return end;
}

/* ---- the three forms */

static double param_of(const struct draw *a, const struct kind *k, int i)
{
    return *(const double *)(const void *)((const char *)a + k->params[i]);
}

static void lower_attrs(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct kind *k = n->op->data;
    const enum mx_dtype t = ox_draw_type(n->out[0].dtype);
    ox_val p[2] = {OX_NONE, OX_NONE};
    for (int i = 0; i < k->n_params; i++) {
        p[i] = ox_scalar(b, t, param_of(n->attrs, k, i));
    }
    out[0] = ox_cast(b, k->draw(b, n->out[0].shape, t, p), n->out[0].dtype);
}

/* Each parameter gets additional axes for its samples. */
static void lower_sample(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct kind *k = n->op->data;
    const enum mx_dtype t = ox_draw_type(n->out[0].dtype);
    const int rank = ox_rank(b, in[0]), drawn = n->out[0].shape.ndim - rank;
    ox_val p[2] = {OX_NONE, OX_NONE};
    for (int i = 0; i < k->n_params; i++) {
        p[i] = ox_insert_axes(b, ox_cast(b, in[i], t), rank, drawn);
    }
    out[0] = ox_cast(b, k->draw(b, n->out[0].shape, t, p), n->out[0].dtype);
}

static int infer_attrs(struct mx_infer *c)
{
    const struct draw *a = c->attrs;
    MX_TRY(mx_output_dtype_is(c, 0, a->dtype == MX_DTYPE_NONE ? MX_FLOAT32 : a->dtype));
    return mx_output_drawn(c, (struct mx_size_list){"shape", a->shape, !c->graph->np_shape});
}

static int infer_like(struct mx_infer *c)
{
    MX_TRY(mx_infer_same(c));
    return mx_input_is_float(c, 0, "data");
}

static int infer_sample(struct mx_infer *c)
{
    const struct draw *a = c->attrs;
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    const enum mx_dtype t = mx_input_dtype(c, 0);
    MX_TRY(mx_input(c, 0, &s));
    for (int i = 1; i < c->node->n_in; i++) {
        MX_TRY(mx_input_is(c, i, s));
        MX_TRY(mx_input_dtype_is(c, i, t));
    }
    if (s.ndim + a->shape.n > MX_MAX_RANK) {
        return mx_infer_fail(c, "shape",
                             MX_SUBJECT "gives the result %d axes together with those of the parameters, but it can have at most %d",
                             s.ndim + a->shape.n, MX_MAX_RANK);
    }
    mx_push_dims(&dims, s.dims, s.ndim);
    MX_TRY(mx_push_sizes(c, &dims, (struct mx_size_list){"shape", a->shape, 1}));
    MX_TRY(mx_output_is_dims(c, 0, dims.v, dims.n));
    if (a->dtype != MX_DTYPE_NONE) {
        return mx_output_dtype_is(c, 0, a->dtype);
    }
    MX_TRY(mx_inputs_typed(c));
    return mx_output_dtype_is(c, 0, mx_dtype_is_float(t) ? t : MX_FLOAT32);
}

/* ---- attributes: each form of each kind has its own */

#define PARAM(name, value) MX_FLOAT(struct draw, name, value)
#define SIZED MX_SIZES_NONE(struct draw, shape, "None"), MX_IGNORED("ctx"), MX_DTYPE(struct draw, dtype, "None")

static const struct mx_attr sample_attrs[] = {
    MX_SIZES_NONE(struct draw, shape, "()"),
    MX_DTYPE(struct draw, dtype, "None"),
};

#define KIND(kind_name, function, count, first, second)                                                                                    \
    static const struct kind kind_name##_kind = {function, count, {offsetof(struct draw, first), offsetof(struct draw, second)}}

KIND(uniform, uniform, 2, low, high);
KIND(normal, normal, 2, loc, scale);
KIND(exponential, exponential, 1, lam, lam);
KIND(gamma, gamma_draw, 2, alpha, beta);
KIND(poisson, poisson, 1, lam, lam);
KIND(negative, negative_binomial, 2, k, p);
KIND(binomial, binomial, 2, n, p);
KIND(dispersed, dispersed, 2, mu, alpha);

static const struct mx_attr uniform_attrs[] = {PARAM(low, "0"), PARAM(high, "1"), SIZED};
static const struct mx_attr normal_attrs[] = {PARAM(loc, "0"), PARAM(scale, "1"), SIZED};
static const struct mx_attr lam_attrs[] = {PARAM(lam, "1"), SIZED};
static const struct mx_attr gamma_attrs[] = {PARAM(alpha, "1"), PARAM(beta, "1"), SIZED};
static const struct mx_attr negative_attrs[] = {PARAM(k, "1"), PARAM(p, "1"), SIZED};
static const struct mx_attr binomial_attrs[] = {PARAM(n, "1"), PARAM(p, "1"), SIZED};
static const struct mx_attr dispersed_attrs[] = {PARAM(mu, "1"), PARAM(alpha, "1"), SIZED};

/* Two rows: the shape is an attribute, or that of another tensor. */
#define ROW_OF_ATTRS(name_, alias_, table, kind_)                                                                                          \
    {                                                                                                                                      \
        .name = "_random_" name_,                                                                                                          \
        .alias = alias_,                                                                                                                   \
        MX_ATTRS(table, struct draw),                                                                                                      \
        .inputs = "",                                                                                                                      \
        .infer = infer_attrs,                                                                                                              \
        .lower = lower_attrs,                                                                                                              \
        .data = &(kind_),                                                                                                                  \
        MX_RANDOM(""),                                                                                                                     \
    },                                                                                                                                     \
    {                                                                                                                                      \
        .name = "_random_" name_ "_like", MX_ATTRS(table, struct draw), .infer = infer_like, .lower = lower_attrs, .data = &(kind_),       \
        MX_RANDOM(""),                                                                                                                     \
    }
#define ROW_SAMPLE(name_, also_, inputs_, kind_)                                                                                           \
    {                                                                                                                                      \
        .name = "_sample_" name_, .alias = "sample_" name_ also_, MX_ATTRS(sample_attrs, struct draw), .inputs = inputs_,                  \
        .infer = infer_sample, .lower = lower_sample, .data = &(kind_), .single = true, MX_RANDOM(""),                                     \
    }

const struct mx_op mx_ops_random[] = {
    ROW_OF_ATTRS("binomial", "random_binomial", binomial_attrs, binomial_kind),
    ROW_SAMPLE("binomial", "", "n p", binomial_kind),
    ROW_OF_ATTRS("exponential", "random_exponential", lam_attrs, exponential_kind),
    ROW_OF_ATTRS("gamma", "random_gamma", gamma_attrs, gamma_kind),
    ROW_OF_ATTRS("generalized_negative_binomial", "random_generalized_negative_binomial", dispersed_attrs, dispersed_kind),
    ROW_OF_ATTRS("negative_binomial", "random_negative_binomial", negative_attrs, negative_kind),
    ROW_OF_ATTRS("normal", "normal random_normal", normal_attrs, normal_kind),
    ROW_OF_ATTRS("poisson", "random_poisson _npx_scalar_poisson", lam_attrs, poisson_kind),
    ROW_OF_ATTRS("uniform", "random_uniform uniform", uniform_attrs, uniform_kind),
    ROW_SAMPLE("exponential", "", "lam", exponential_kind),
    ROW_SAMPLE("gamma", "", "alpha beta", gamma_kind),
    ROW_SAMPLE("generalized_negative_binomial", "", "mu alpha", dispersed_kind),
    ROW_SAMPLE("negative_binomial", "", "k p", negative_kind),
    ROW_SAMPLE("normal", "", "mu sigma", normal_kind),
    ROW_SAMPLE("poisson", " _npx_tensor_poisson", "lam", poisson_kind),
    ROW_SAMPLE("uniform", "", "low high", uniform_kind),
    MX_OPS_END,
};
