/* The family of leaky rectifiers (src/operator/leaky_relu-inl.h, leaky_relu.cc). */
#include "op/op.h"

struct leaky {
    int act_type;
    double slope, lower_bound, upper_bound;
};

enum act_type { LEAKY, ELU, SELU, GELU, PRELU, RRELU };
static const char *const act_types[] = {"leaky", "elu", "selu", "gelu", "prelu", "rrelu", NULL};

static const struct mx_attr attrs[] = {
    MX_ENUM(struct leaky, act_type, "leaky", act_types),
    MX_FLOAT(struct leaky, slope, "0.25"),
    MX_FLOAT(struct leaky, lower_bound, "0.125"),
    MX_FLOAT(struct leaky, upper_bound, "0.334"),
};

/* A size that is open until the model runs: it may be any, so for the channels it is that of gamma. */
static bool is_dynamic(struct mx_dims *t, mx_dim size)
{
    return !mx_dim_known(t, size, NULL) && !mx_dim_has_unknown(t, size);
}

/* The axis of the data for each axis of gamma: aligned from the right, within the first two axes, where the size is equal or 1
 * (leaky_relu-inl.h, expand_shape). False if they do not fit. */
static bool match_gamma(struct mx_dims *t, struct mx_shape gamma, struct mx_shape x, struct mx_dim_list *dims)
{
    int g = gamma.ndim - 1;
    for (int i = x.ndim - 1; i >= 0; i--) {
        const bool fits = i == 1 && is_dynamic(t, x.dims[i]);
        mx_put_dim(dims, i, mx_dim_of(1));
        if (g >= 0 && i <= 1 && (fits || mx_dim_equal(t, gamma.dims[g], x.dims[i]) || mx_dim_equal(t, gamma.dims[g], mx_dim_of(1)))) {
            mx_put_dim(dims, i, gamma.dims[g--]);
        }
    }
    return g < 0;
}

/* One slope for everything fits data of any rank. */
static bool is_one(struct mx_dims *t, struct mx_shape gamma)
{
    return gamma.ndim == 1 && mx_dim_equal(t, gamma.dims[0], mx_dim_of(1));
}

static int infer_gamma(struct mx_infer *c)
{
    struct mx_shape x, gamma;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_input(c, 0, &x));
    if (mx_input(c, 1, &gamma) != MX_OK) { /* MXNet's default: one slope per channel */
        return mx_input_is_dims(c, 1, x.dims + (x.ndim > 1), 1);
    }
    if (match_gamma(c->dims, gamma, x, &dims)) {
        return MX_OK;
    }
    if (mx_shape_has_unknown(c->dims, gamma) || mx_shape_has_unknown(c->dims, x)) {
        return gamma.ndim == 1 && x.ndim > 1 ? mx_input_is_dims(c, 1, x.dims + 1, 1) : MX_LATER;
    }
    return mx_infer_fail(c, "gamma", MX_SUBJECT "has a shape that does not match the data: it must be one number, or one for each channel");
}

static int infer(struct mx_infer *c)
{
    const struct leaky *a = c->attrs;
    struct mx_shape x;
    c->needs_rank = a->act_type == RRELU || (a->act_type == PRELU && !is_one(c->dims, mx_in_value(c->node, 1)->shape));
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input(c, 0, &x));
    MX_TRY(mx_output_is(c, 0, x));
    if (a->act_type == RRELU) {
        MX_TRY(mx_output_dtype_is(c, 1, mx_output_dtype(c, 0)));
        return mx_output_is(c, 1, x);
    }
    return a->act_type == PRELU ? infer_gamma(c) : MX_OK;
}

/* ONNX aligns the slope from the right, so axes of size 1 are appended. */
static ox_val prelu(struct ox_build *b, ox_val x, ox_val gamma)
{
    const struct mx_shape shape = ox_shape(b, x);
    struct mx_dim_list dims = ox_no_dims(b);
    if (shape.ndim < 0) { /* gamma is one number */
        return ox_node(b, OX_PRelu, OX_IN(x, gamma), OX_NO_ATTRS);
    }
    (void)match_gamma(ox_dims_table(b), ox_shape(b, gamma), shape, &dims);
    int first = 0; /* leading axes of size 1 are unnecessary */
    while (first < dims.n - 1 && mx_dim_equal(ox_dims_table(b), dims.v[first], mx_dim_of(1))) {
        first++;
    }
    const ox_val slope = ox_reshape(b, gamma, dims.v + first, dims.n - first);
    return ox_node(b, OX_PRelu, OX_IN(x, slope), OX_NO_ATTRS);
}

/* x * (1 + erf(x / sqrt(2))) / 2 */
static ox_val gelu(struct ox_build *b, ox_val x)
{
    if (ox_has(b, OX_Gelu)) {
        return ox_unary(b, OX_Gelu, x);
    }
    const ox_val erf = ox_unary(b, OX_Erf, ox_div(b, x, ox_scalar_like(b, x, 1.4142135623730951)));
    const ox_val sum = ox_add(b, erf, ox_scalar_like(b, x, 1));
    return ox_mul(b, ox_mul(b, x, sum), ox_scalar_like(b, x, 0.5));
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct leaky *a = n->attrs;
    switch ((enum act_type)a->act_type) {
    case LEAKY: out[0] = ox_node(b, OX_LeakyRelu, OX_IN(in[0]), OX_ATTRS(OX_F("alpha", a->slope))); break;
    case ELU: out[0] = ox_node(b, OX_Elu, OX_IN(in[0]), OX_ATTRS(OX_F("alpha", a->slope))); break;
    case SELU: out[0] = ox_unary(b, OX_Selu, in[0]); break;
    case GELU: out[0] = gelu(b, in[0]); break;
    case PRELU: out[0] = prelu(b, in[0], in[1]); break;
    case RRELU: /* the mean slope; the mask, which MXNet does not write at inference, is that slope everywhere */
        out[0] = ox_node(b, OX_LeakyRelu, OX_IN(in[0]), OX_ATTRS(OX_F("alpha", (a->lower_bound + a->upper_bound) / 2)));
        out[1] = ox_fill(b, ox_dtype(b, in[0]), ox_shape(b, in[0]), (a->lower_bound + a->upper_bound) / 2);
        break;
    }
}

const struct mx_op mx_ops_leaky_relu[] = {
    {
        .name = "LeakyReLU",
        .alias = "_npx_leaky_relu",
        MX_ATTRS(attrs, struct leaky),
        .inputs = "data gamma:learned:if(act_type=prelu)",
        .outputs = "output mask:if(act_type=rrelu)",
        .infer = infer,
        .lower = lower,
        .fusion = MX_FUSION_LEAKY,
        .any_rank = true,
    },
    MX_OPS_END,
};
