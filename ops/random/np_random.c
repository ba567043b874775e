/* NumPy's random tensors: the parameters are numbers or tensors that broadcast, size is the shape (src/operator/numpy/random). The
 * values differ in each run and are never those of MXNet; the distributions are the same. */
#include <math.h>

#include "shared/random_numbers.h"

struct draw {
    struct mx_opt_float first, second; /* None: the parameter is a tensor */
    struct mx_tuple size;
    bool is_logit;
    enum mx_dtype dtype;
};

/* The setting in which a distribution is sampled. */
struct frame {
    struct ox_build *b;
    struct mx_shape s;
    enum mx_dtype t;
    bool integers; /* a parameter is a tensor of integers */
    bool is_logit;
};

struct law {
    ox_val (*write)(const struct frame *f, const ox_val *p);
    bool appended; /* the parameters' shape is appended to size */
    bool floats;   /* MXNet refuses parameters that are integers */
};

/* ---- the distributions */

static ox_val k(const struct frame *f, double v)
{
    return ox_scalar(f->b, f->t, v);
}

/* Uniform from 0 to 1, without 0. */
static ox_val unit(const struct frame *f)
{
    return ox_sub(f->b, k(f, 1), ox_uniform(f->b, f->s, f->t));
}

static ox_val minus_log(const struct frame *f, ox_val x)
{
    return ox_unary(f->b, OX_Neg, ox_unary(f->b, OX_Log, x));
}

static ox_val located(const struct frame *f, ox_val x, const ox_val *p)
{
    return ox_add(f->b, ox_mul(f->b, x, p[1]), p[0]);
}

static ox_val uniform(const struct frame *f, const ox_val *p)
{
    const ox_val width = ox_sub(f->b, p[1], p[0]);
    return ox_add(f->b, ox_mul(f->b, ox_uniform(f->b, f->s, f->t), width), p[0]);
}

static ox_val normal(const struct frame *f, const ox_val *p)
{
    return located(f, ox_normal(f->b, f->s, f->t), p);
}

/* The largest sample below 1 is 1 - 2^-24; the logarithm of 1 would be 0. */
static ox_val below_one(const struct frame *f)
{
    return ox_binary(f->b, OX_Min, unit(f), k(f, 1 - ldexp(1, -24)));
}

static ox_val gumbel(const struct frame *f, const ox_val *p)
{
    return located(f, minus_log(f, minus_log(f, below_one(f))), p);
}

static ox_val logistic(const struct frame *f, const ox_val *p)
{
    const ox_val u = below_one(f);
    const ox_val odds = ox_div(f->b, u, ox_sub(f->b, k(f, 1), u));
    return located(f, ox_unary(f->b, OX_Log, odds), p);
}

/* An exponential distribution on either side. */
static ox_val laplace(const struct frame *f, const ox_val *p)
{
    const ox_val sign = ox_unary(f->b, OX_Sign, ox_sub(f->b, ox_uniform(f->b, f->s, f->t), k(f, 0.5)));
    return located(f, ox_mul(f->b, sign, minus_log(f, unit(f))), p);
}

static ox_val gamma_law(const struct frame *f, const ox_val *p)
{
    return ox_mul(f->b, ox_gamma(f->b, f->s, f->t, p[0]), p[1]);
}

static ox_val exponential(const struct frame *f, const ox_val *p)
{
    return ox_mul(f->b, minus_log(f, unit(f)), p[0]);
}

static ox_val rayleigh(const struct frame *f, const ox_val *p)
{
    const ox_val square = ox_mul(f->b, minus_log(f, unit(f)), k(f, 2));
    return ox_mul(f->b, ox_unary(f->b, OX_Sqrt, square), p[0]);
}

/* For integers the kernels' 1 / a is an integer, too: 0 unless a is 1. */
static ox_val inverse(const struct frame *f, ox_val a)
{
    const ox_val x = ox_div(f->b, k(f, 1), a);
    return f->integers ? ox_unary(f->b, OX_Floor, x) : x;
}

static ox_val weibull(const struct frame *f, const ox_val *p)
{
    return ox_binary(f->b, OX_Pow, minus_log(f, unit(f)), inverse(f, p[0]));
}

static ox_val power(const struct frame *f, const ox_val *p)
{
    return ox_binary(f->b, OX_Pow, unit(f), inverse(f, p[0]));
}

static ox_val pareto(const struct frame *f, const ox_val *p)
{
    const ox_val raised = ox_unary(f->b, OX_Exp, ox_div(f->b, minus_log(f, unit(f)), p[0]));
    return ox_sub(f->b, raised, k(f, 1));
}

static ox_val bernoulli(const struct frame *f, const ox_val *p)
{
    const ox_val prob = f->is_logit ? ox_unary(f->b, OX_Sigmoid, p[0]) : p[0];
    return ox_binary(f->b, OX_Greater, prob, ox_uniform(f->b, f->s, f->t));
}

/* ---- shapes: TwoparamsDistOpShape in dist_common.h */

static int infer(struct mx_infer *c)
{
    const struct draw *a = c->attrs;
    const struct law *law = c->node->op->data;
    struct mx_shape s = {0, NULL}, x;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_output_dtype_is(c, 0, a->dtype == MX_DTYPE_NONE ? MX_FLOAT32 : a->dtype));
    for (int i = 0; i < c->node->n_in; i++) {
        MX_TRY(mx_input_dtype_is(c, i, mx_input_dtype(c, 0)));
        MX_TRY(mx_input(c, i, &x));
        MX_TRY(mx_broadcast_shapes(c, s, x, &s));
    }
    if (law->floats && c->node->n_in > 0) {
        MX_TRY(mx_input_is_float(c, 0, a->first.given ? "input2" : "input1"));
    }
    MX_TRY(mx_push_sizes(c, &dims, (struct mx_size_list){"size", a->size, 0}));
    if (a->size.given && !law->appended) {
        MX_TRY(mx_broadcast_shapes(c, s, mx_list_shape(&dims), &s));
        MX_TRY(mx_output_is_dims(c, 0, dims.v, dims.n));
        return mx_output_is(c, 0, s);
    }
    mx_push_dims(&dims, s.dims, s.ndim);
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

/* ---- lowering */

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct draw *a = n->attrs;
    const struct law *law = n->op->data;
    const enum mx_dtype t = ox_draw_type(n->out[0].dtype);
    const struct frame f = {b, n->out[0].shape, t, n->n_in > 0 && !mx_dtype_is_float(ox_dtype(b, in[0])), a->is_logit};
    const struct mx_opt_float given[] = {a->first, a->second};
    ox_val p[] = {OX_NONE, OX_NONE};
    int from = 0;
    for (int i = 0; i < 2; i++) { /* a number used together with a tensor of integers becomes an integer (IType in the kernels) */
        const double v = f.integers ? trunc(given[i].v) : given[i].v;
        p[i] = given[i].given ? ox_scalar(b, t, v) : from < n->n_in ? ox_cast(b, in[from++], t) : OX_NONE;
    }
    out[0] = ox_cast(b, law->write(&f, p), n->out[0].dtype);
}

/* A sample is true or false; either prob or logit is given, as a number or a tensor. */
static void lower_bernoulli(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct draw *a = n->attrs;
    const enum mx_dtype t = n->n_in > 0 ? ox_draw_type(ox_dtype(b, in[0])) : MX_FLOAT32;
    const bool is_logit = n->n_in > 0 ? a->is_logit : !a->first.given;
    const struct frame f = {b, n->out[0].shape, t, false, is_logit};
    const ox_val p = n->n_in > 0 ? ox_cast(b, in[0], t) : ox_scalar(b, t, is_logit ? a->second.v : a->first.v);
    out[0] = ox_cast(b, bernoulli(&f, &p), n->out[0].dtype);
}

/* ---- attributes */

#define PARAM(name, field, value) MX_ATTR_NAMED(name, struct draw, field, struct mx_opt_float, MX_ATTR_FLOAT_NONE, value, MX_NO_WORDS)
#define SIZED MX_SIZES_NONE(struct draw, size, "None"), MX_IGNORED("ctx"), MX_DTYPE(struct draw, dtype, "float32")

static const struct mx_attr uniform_attrs[] = {PARAM("low", first, NULL), PARAM("high", second, NULL), SIZED};
static const struct mx_attr loc_attrs[] = {PARAM("loc", first, NULL), PARAM("scale", second, NULL), SIZED};
static const struct mx_attr gamma_attrs[] = {PARAM("shape", first, NULL), PARAM("scale", second, NULL), SIZED};
static const struct mx_attr scale_attrs[] = {PARAM("scale", first, "1"), SIZED};
static const struct mx_attr a_attrs[] = {PARAM("a", first, "None"), SIZED};
static const struct mx_attr bernoulli_attrs[] = {PARAM("prob", first, NULL), PARAM("logit", second, NULL),
                                                 MX_BOOL(struct draw, is_logit, NULL), SIZED};

#define ROW(mx, table, inputs_, function, ...)                                                                                             \
    {                                                                                                                                      \
        .name = (mx), MX_ATTRS(table, struct draw), .inputs = (inputs_), .infer = infer, .lower = (function), .single = true,              \
        .data = &(const struct law){__VA_ARGS__}, MX_RANDOM(""),                                                                           \
    }
#define TWO(mx, table, one, two, ...) ROW(mx, table, "input1:unless(" one ") input2:unless(" two ")", lower, __VA_ARGS__)
#define ONE(mx, table, one, function) ROW(mx, table, "input1:unless(" one ")", lower, function, false, false)

const struct mx_op mx_ops_np_random[] = {
    ROW("_npi_bernoulli", bernoulli_attrs, "input1:unless(prob):unless(logit)", lower_bernoulli, bernoulli, false, false),
    ONE("_npi_exponential", scale_attrs, "scale", exponential),
    TWO("_npi_gamma", gamma_attrs, "shape", "scale", gamma_law, false, true),
    TWO("_npi_gumbel", loc_attrs, "loc", "scale", gumbel, false, false),
    TWO("_npi_laplace", loc_attrs, "loc", "scale", laplace, false, false),
    TWO("_npi_logistic", loc_attrs, "loc", "scale", logistic, false, false),
    TWO("_npi_normal", loc_attrs, "loc", "scale", normal, false, false),
    TWO("_npi_normal_n", loc_attrs, "loc", "scale", normal, true, false),
    ONE("_npi_pareto", a_attrs, "a", pareto),
    ONE("_npi_powerd", a_attrs, "a", power),
    ONE("_npi_rayleigh", scale_attrs, "scale", rayleigh),
    TWO("_npi_uniform", uniform_attrs, "low", "high", uniform, false, false),
    TWO("_npi_uniform_n", uniform_attrs, "low", "high", uniform, true, false),
    ONE("_npi_weibull", a_attrs, "a", weibull),
    MX_OPS_END,
};
