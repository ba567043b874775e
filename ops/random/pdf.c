/* _random_pdf_*: densities of samples, whose first axes are the parameters' shape; the last axes hold the samples for each set of
 * parameters (src/operator/random/pdf_op.h). */
#include "shared/gamma.h"
#include "shared/random_numbers.h"

struct pdf {
    bool is_log;
};

static const struct mx_attr attrs[] = {MX_BOOL(struct pdf, is_log, "False")};

struct law {
    ox_val (*log_density)(struct ox_build *b, ox_val x, const ox_val *p);
    bool vectors; /* a sample is the last axis */
};

/* ---- logarithms of densities; p[] broadcast to x */

static ox_val log_of(struct ox_build *b, ox_val x)
{
    return ox_unary(b, OX_Log, x);
}

static ox_val plus(struct ox_build *b, ox_val x, double v)
{
    return ox_add(b, x, ox_scalar_like(b, x, v));
}

/* It is not checked whether x is between the ends. */
static ox_val uniform(struct ox_build *b, ox_val x, const ox_val *p)
{
    const ox_val y = ox_unary(b, OX_Neg, log_of(b, ox_sub(b, p[1], p[0])));
    const struct mx_shape s = ox_shape(b, x);
    return ox_expand(b, y, s.dims, s.ndim);
}

static ox_val normal(struct ox_build *b, ox_val x, const ox_val *p)
{
    const ox_val off = ox_div(b, ox_sub(b, x, p[0]), p[1]);
    const ox_val exponent = ox_scaled(b, ox_mul(b, off, off), -0.5);
    return ox_sub(b, exponent, plus(b, log_of(b, p[1]), 0.91893853320467274));
}

static ox_val gamma_law(struct ox_build *b, ox_val x, const ox_val *p)
{
    const ox_val constant = ox_sub(b, ox_mul(b, p[0], log_of(b, p[1])), ox_gammaln(b, p[0]));
    const ox_val power = ox_mul(b, plus(b, p[0], -1), log_of(b, x));
    return ox_add(b, ox_sub(b, power, ox_mul(b, p[1], x)), constant);
}

static ox_val exponential(struct ox_build *b, ox_val x, const ox_val *p)
{
    return ox_sub(b, log_of(b, p[0]), ox_mul(b, p[0], x));
}

static ox_val poisson(struct ox_build *b, ox_val x, const ox_val *p)
{
    const ox_val rate = ox_sub(b, ox_mul(b, x, log_of(b, p[0])), p[0]);
    return ox_sub(b, rate, ox_gammaln(b, plus(b, x, 1)));
}

static ox_val negative_binomial(struct ox_build *b, ox_val x, const ox_val *p)
{
    const ox_val ways = ox_sub(b, ox_gammaln(b, ox_add(b, x, p[0])), ox_gammaln(b, plus(b, x, 1)));
    const ox_val other = log_of(b, ox_sub(b, ox_scalar_like(b, p[1], 1), p[1]));
    const ox_val constant = ox_sub(b, ox_mul(b, p[0], log_of(b, p[1])), ox_gammaln(b, p[0]));
    return ox_add(b, ox_add(b, ways, constant), ox_mul(b, x, other));
}

/* p is mu and alpha: `limit` is 1 / alpha, the probability 1 / (mu alpha + 1). */
static ox_val dispersed(struct ox_build *b, ox_val x, const ox_val *p)
{
    const ox_val prob = ox_unary(b, OX_Reciprocal, plus(b, ox_mul(b, p[0], p[1]), 1));
    const ox_val limit = ox_unary(b, OX_Reciprocal, p[1]);
    return negative_binomial(b, x, (const ox_val[]){limit, prob});
}

static ox_val over_last(struct ox_build *b, ox_val x)
{
    return ox_reduce(b, OX_ReduceSum, x, (const int64_t[]){-1}, 1, false);
}

static ox_val dirichlet(struct ox_build *b, ox_val x, const ox_val *p)
{
    const ox_val powers = over_last(b, ox_mul(b, plus(b, p[0], -1), log_of(b, x)));
    const ox_val whole = ox_gammaln(b, over_last(b, p[0]));
    return ox_add(b, powers, ox_sub(b, whole, over_last(b, ox_gammaln(b, p[0]))));
}

/* ---- shapes: PdfOpShape */

static int infer(struct mx_infer *c)
{
    const struct law *law = c->node->op->data;
    struct mx_shape s, p;
    const mx_dim one = mx_dim_of(1);
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_input(c, 1, &p));
    if (p.ndim > s.ndim || (law->vectors && p.ndim < 1)) {
        return mx_infer_fail(c, NULL, "the parameters have rank %d and the samples rank %d, which must not be lower", p.ndim, s.ndim);
    }
    struct mx_dim_list dims = mx_dims_like(c, (struct mx_shape){p.ndim, s.dims});
    if (law->vectors) {
        mx_put_dim(&dims, p.ndim - 1, s.dims[s.ndim - 1]);
    }
    for (int i = 1; i < c->node->n_in; i++) {
        MX_TRY(mx_input_is_dims(c, i, dims.v, dims.n));
    }
    MX_TRY(mx_input_is_float(c, 0, "sample"));
    return law->vectors && s.ndim == 1 ? mx_output_is_dims(c, 0, &one, 1) : mx_output_is_dims(c, 0, s.dims, s.ndim - law->vectors);
}

/* The axes of the samples come after the parameters', before a vector's own axis. */
static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct law *law = n->op->data;
    const enum mx_dtype t = ox_draw_type(ox_dtype(b, in[0]));
    const int rank = ox_rank(b, in[1]), more = ox_rank(b, in[0]) - rank;
    ox_val p[2] = {OX_NONE, OX_NONE};
    for (int i = 1; i < n->n_in; i++) {
        p[i - 1] = ox_insert_axes(b, ox_cast(b, in[i], t), rank - law->vectors, more);
    }
    const ox_val log = law->log_density(b, ox_cast(b, in[0], t), p);
    const ox_val y = ((const struct pdf *)n->attrs)->is_log ? log : ox_unary(b, OX_Exp, log);
    out[0] = ox_cast(b, ox_reshape_shape(b, y, n->out[0].shape), n->out[0].dtype);
}

#define ROW(mx, other_name, inputs_, ...)                                                                                                  \
    {                                                                                                                                      \
        .name = (mx), .alias = (other_name), MX_ATTRS(attrs, struct pdf), .inputs = (inputs_), .infer = infer, .lower = lower,             \
        .single = true, .data = &(const struct law){__VA_ARGS__},                                                                          \
    }

const struct mx_op mx_ops_pdf[] = {
    ROW("_random_pdf_dirichlet", "random_pdf_dirichlet", "sample alpha", dirichlet, true),
    ROW("_random_pdf_exponential", "random_pdf_exponential", "sample lam", exponential, false),
    ROW("_random_pdf_gamma", "random_pdf_gamma", "sample alpha beta", gamma_law, false),
    ROW("_random_pdf_generalized_negative_binomial", "random_pdf_generalized_negative_binomial", "sample mu alpha", dispersed, false),
    ROW("_random_pdf_negative_binomial", "random_pdf_negative_binomial", "sample k p", negative_binomial, false),
    ROW("_random_pdf_normal", "random_pdf_normal", "sample mu sigma", normal, false),
    ROW("_random_pdf_poisson", "random_pdf_poisson", "sample lam", poisson, false),
    ROW("_random_pdf_uniform", "random_pdf_uniform", "sample low high", uniform, false),
    MX_OPS_END,
};
