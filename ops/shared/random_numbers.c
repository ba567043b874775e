/* Random numbers: ONNX's own distributions, and gamma made from them. */
#include <float.h>

#include "shared/random_numbers.h"

enum mx_dtype ox_draw_type(enum mx_dtype t)
{
    return t == MX_FLOAT64 ? MX_FLOAT64 : MX_FLOAT32;
}

int mx_push_sizes(struct mx_infer *c, struct mx_dim_list *dims, struct mx_size_list sizes)
{
    for (int i = 0; i < sizes.v.n; i++) {
        MX_TRY(mx_check_size(c, sizes.name, sizes.v.v[i], sizes.least));
        mx_push_dim(dims, mx_dim_of(sizes.v.v[i]));
    }
    return MX_OK;
}

int mx_output_drawn(struct mx_infer *c, struct mx_size_list sizes)
{
    const mx_dim one = mx_dim_of(1);
    struct mx_dim_list dims = mx_no_dims(c);
    if (!sizes.v.given || (sizes.v.n == 0 && !c->graph->np_shape)) {
        return mx_output(c, 0).ndim >= 0 ? MX_OK : c->last ? mx_output_is_dims(c, 0, &one, 1) : MX_LATER;
    }
    MX_TRY(mx_push_sizes(c, &dims, sizes));
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

/* Uniform from 0 to 1, or normal with mean 0 and deviation 1. */
static ox_val generator(struct ox_build *b, bool is_normal, struct mx_shape s, enum mx_dtype t)
{
    struct mx_int_list sizes = ox_no_ints(b);
    if (s.ndim > 0 && ox_shape_numbers(b, s, &sizes)) {
        return ox_node(b, is_normal ? OX_RandomNormal : OX_RandomUniform, (const ox_val[]){OX_END},
                       OX_ATTRS(OX_IS("shape", sizes.v, sizes.n), OX_T("dtype", t)));
    }
    const ox_val like = ox_fill(b, t, s, 0);
    return ox_node(b, is_normal ? OX_RandomNormalLike : OX_RandomUniformLike, OX_IN(like), OX_ATTRS(OX_T("dtype", t)));
}

ox_val ox_uniform(struct ox_build *b, struct mx_shape s, enum mx_dtype t)
{
    return generator(b, false, s, t);
}

ox_val ox_normal(struct ox_build *b, struct mx_shape s, enum mx_dtype t)
{
    return generator(b, true, s, t);
}

/* Gamma: Marsaglia and Tsang's rejection method. At least 95 of 100 proposals are accepted; that none of this many is accepted has a
 * probability of 10^-13. */
enum { PROPOSALS = 10 };

/* d v for a shape parameter of at least 1. */
static ox_val proposals(struct ox_build *b, struct mx_shape s, enum mx_dtype t, ox_val alpha)
{
    struct mx_dim_list dims = ox_no_dims(b);
    mx_push_dim(&dims, mx_dim_of(PROPOSALS));
    mx_push_dims(&dims, s.dims, s.ndim);
    const struct mx_shape many = mx_list_shape(&dims);
    const ox_val one = ox_scalar(b, t, 1), tiny = ox_scalar(b, t, (double)FLT_MIN);
    const ox_val d = ox_sub(b, alpha, ox_scalar(b, t, 1.0 / 3));
    const ox_val root = ox_unary(b, OX_Sqrt, ox_mul(b, d, ox_scalar(b, t, 9)));
    const ox_val z = ox_normal(b, many, t);
    const ox_val base = ox_add(b, ox_div(b, z, root), one);
    const ox_val v = ox_mul(b, ox_mul(b, base, base), base);
    const ox_val safe = ox_binary(b, OX_Max, v, tiny);
    const ox_val half = ox_mul(b, ox_mul(b, z, z), ox_scalar(b, t, 0.5));
    const ox_val rest = ox_sub(b, one, v);
    const ox_val inner = ox_add(b, rest, ox_unary(b, OX_Log, safe));
    const ox_val limit = ox_add(b, half, ox_mul(b, d, inner));
    const ox_val log = ox_unary(b, OX_Log, ox_uniform(b, many, t));
    const ox_val below = ox_binary(b, OX_Less, log, limit);
    const ox_val positive = ox_binary(b, OX_Greater, v, ox_scalar(b, t, 0));
    const ox_val taken = ox_cast(b, ox_binary(b, OX_And, below, positive), MX_INT32);
    const ox_val first = ox_arg(b, OX_ArgMax, taken, 0, true);
    const ox_val found = ox_node(b, OX_GatherElements, OX_IN(safe, first), OX_ATTRS(OX_I("axis", 0)));
    return ox_mul(b, ox_squeeze1(b, found, 0), d);
}

/* A shape parameter below 1 is increased by 1, and the sample multiplied by u^(1 / alpha). */
ox_val ox_gamma(struct ox_build *b, struct mx_shape s, enum mx_dtype t, ox_val alpha)
{
    if (s.ndim >= MX_MAX_RANK) { /* the proposals have one axis more */
        ox_fail(b, NULL, "a gamma sample has rank %d, and at most %d is possible", s.ndim, MX_MAX_RANK - 1);
        return OX_NONE;
    }
    const ox_val one = ox_scalar(b, t, 1);
    const ox_val low = ox_binary(b, OX_Less, alpha, one);
    const ox_val raised = ox_where(b, low, ox_add(b, alpha, one), alpha);
    const ox_val x = proposals(b, s, t, raised);
    const ox_val u = ox_uniform(b, s, t);
    const ox_val power = ox_binary(b, OX_Pow, u, ox_div(b, one, alpha));
    return ox_mul(b, x, ox_where(b, low, power, one));
}
