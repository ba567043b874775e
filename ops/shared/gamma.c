/* The gamma function and its logarithm, which ONNX lacks. */
#include "shared/gamma.h"

static ox_val k(struct ox_build *b, ox_val x, double v)
{
    return ox_scalar_like(b, x, v);
}

/* log(gamma(x)) of x >= 1/2: Lanczos' series with g = 7. */
static ox_val log_gamma(struct ox_build *b, ox_val x)
{
    static const double c[] = {676.5203681218851,  -1259.1392167224028,  771.32342877765313,    -176.61502916214059,
                               12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
    ox_val sum = k(b, x, 0.99999999999980993);
    for (int i = 0; i < 8; i++) {
        const ox_val at = i == 0 ? x : ox_add(b, x, k(b, x, i));
        sum = ox_add(b, sum, ox_div(b, k(b, x, c[i]), at));
    }
    /* (x - 1/2) log t - t, with t = x + 13/2 = (x - 1/2) + 7: no difference of two infinities */
    const ox_val log_t = ox_unary(b, OX_Log, ox_add(b, x, k(b, x, 6.5)));
    const ox_val power = ox_mul(b, ox_sub(b, x, k(b, x, 0.5)), ox_sub(b, log_t, k(b, x, 1)));
    const ox_val rest = ox_add(b, ox_unary(b, OX_Log, sum), k(b, x, 0.91893853320467274 - 7));
    return ox_add(b, power, rest);
}

/* sin(pi x) for x between -1 and 1. */
static ox_val sin_pi(struct ox_build *b, ox_val x)
{
    return ox_unary(b, OX_Sin, ox_mul(b, x, k(b, x, 3.141592653589793)));
}

struct reflected {
    ox_val small;     /* x < 1/2: the reflection formula is needed */
    ox_val log_gamma; /* of 1 - x where small, otherwise of x */
};

static struct reflected reflect(struct ox_build *b, ox_val x)
{
    struct reflected r;
    r.small = ox_binary(b, OX_Less, x, k(b, x, 0.5));
    r.log_gamma = log_gamma(b, ox_where(b, r.small, ox_sub(b, k(b, x, 1), x), x));
    return r;
}

/* log|gamma(x)|; for small x log(pi / |sin(pi x)|) - log(gamma(1 - x)). The distance to an integer is exact, as that to every other one
 * is below. */
ox_val ox_gammaln(struct ox_build *b, ox_val x)
{
    const struct reflected r = reflect(b, x);
    const ox_val sine = sin_pi(b, ox_sub(b, x, ox_unary(b, OX_Round, x)));
    const ox_val log_sine = ox_unary(b, OX_Log, ox_unary(b, OX_Abs, sine));
    const ox_val mirrored = ox_sub(b, ox_sub(b, k(b, x, 1.1447298858494002), log_sine), r.log_gamma);
    return ox_where(b, r.small, mirrored, r.log_gamma);
}

/* gamma(x); for small x pi / (sin(pi x) gamma(1 - x)). */
ox_val ox_gamma_function(struct ox_build *b, ox_val x)
{
    const struct reflected r = reflect(b, x);
    const ox_val two = k(b, x, 2), periods = ox_unary(b, OX_Round, ox_div(b, x, two));
    const ox_val sine = sin_pi(b, ox_sub(b, x, ox_mul(b, periods, two)));
    const ox_val direct = ox_unary(b, OX_Exp, r.log_gamma);
    const ox_val mirrored = ox_div(b, k(b, x, 3.141592653589793), ox_mul(b, sine, direct));
    return ox_where(b, r.small, mirrored, direct);
}
