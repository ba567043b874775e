/* Sums of integer multiples of products, the normal form of dims: c * f1 * f2 + ... + c0. A factor is a number that represents a name,
 * an unknown or a floor division (dim.c). Terms are in graded lexicographic order, no coefficient is 0, the constant is last: equal sums
 * are equal arrays. */
#ifndef MX_GRAPH_SUM_H
#define MX_GRAPH_SUM_H

#include <stdbool.h>
#include <stdint.h>

enum { MX_SUM_TERMS = 32, MX_SUM_FACTORS = 16 };

struct mx_term {
    int64_t c;
    int32_t n; /* factors, 0 for the constant */
    int32_t f[MX_SUM_FACTORS];
};

/* Sticks: a sum that is not fine stays so, as does any sum made from it. */
enum mx_sum_state { MX_SUM_FINE, MX_SUM_COMPLEX, MX_SUM_OVERFLOW };

struct mx_sum {
    enum mx_sum_state state;
    int n;
    struct mx_term t[MX_SUM_TERMS];
};

void mx_sum_clear(struct mx_sum *s);
void mx_sum_add_term(struct mx_sum *s, const struct mx_term *term);
void mx_sum_add_constant(struct mx_sum *s, int64_t c);
void mx_sum_add_factor(struct mx_sum *s, int32_t factor);
/* s += k * other; not the same sum. */
void mx_sum_add(struct mx_sum *s, const struct mx_sum *other, int64_t k);
/* out = a * b; out is neither. */
void mx_sum_mul(struct mx_sum *out, const struct mx_sum *a, const struct mx_sum *b);
/* out = a / b if b divides a as a polynomial; b must not be empty, out must be neither. */
bool mx_sum_div(struct mx_sum *out, const struct mx_sum *a, const struct mx_sum *b);

int64_t mx_sum_constant(const struct mx_sum *s);
bool mx_sum_is_constant(const struct mx_sum *s);
/* The greatest common divisor of k >= 0 and the coefficients of products. */
int64_t mx_sum_gcd(const struct mx_sum *s, int64_t k);

#endif
