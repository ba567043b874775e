#include "graph/sum.h"

#include <string.h>

#include "base/num.h"

void mx_sum_clear(struct mx_sum *s)
{
    s->state = MX_SUM_FINE;
    s->n = 0;
}

static void spoil(struct mx_sum *s, enum mx_sum_state state)
{
    if (s->state < state) {
        s->state = state;
    }
}

/* Products with more factors come first, then they are ordered by factors: multiplication preserves this order, which the division
 * below needs. */
static int compare(const struct mx_term *a, const struct mx_term *b)
{
    if (a->n != b->n) {
        return a->n > b->n ? -1 : 1;
    }
    for (int i = 0; i < a->n; i++) {
        if (a->f[i] != b->f[i]) {
            return a->f[i] < b->f[i] ? -1 : 1;
        }
    }
    return 0;
}

void mx_sum_add_term(struct mx_sum *s, const struct mx_term *term)
{
    if (term->c == 0) {
        return;
    }
    int i = 0, order = 1;
    while (i < s->n && (order = compare(&s->t[i], term)) < 0) {
        i++;
    }
    if (i < s->n && order == 0) {
        if (!mx_add_i64(s->t[i].c, term->c, &s->t[i].c)) {
            spoil(s, MX_SUM_OVERFLOW);
        } else if (s->t[i].c == 0) {
            s->n--;
            memmove(&s->t[i], &s->t[i + 1], (size_t)(s->n - i) * sizeof s->t[0]);
        }
        return;
    }
    if (s->n == MX_SUM_TERMS) {
        spoil(s, MX_SUM_COMPLEX);
        return;
    }
    memmove(&s->t[i + 1], &s->t[i], (size_t)(s->n - i) * sizeof s->t[0]);
    s->t[i] = *term;
    s->n++;
}

void mx_sum_add_constant(struct mx_sum *s, int64_t c)
{
    mx_sum_add_term(s, &(struct mx_term){.c = c});
}

void mx_sum_add_factor(struct mx_sum *s, int32_t factor)
{
    mx_sum_add_term(s, &(struct mx_term){.c = 1, .n = 1, .f = {factor}});
}

void mx_sum_add(struct mx_sum *s, const struct mx_sum *other, int64_t k)
{
    spoil(s, other->state);
    for (int i = 0; i < other->n; i++) {
        struct mx_term term = other->t[i];
        if (!mx_mul_i64(term.c, k, &term.c)) {
            spoil(s, MX_SUM_OVERFLOW);
            return;
        }
        mx_sum_add_term(s, &term);
    }
}

static enum mx_sum_state mul_terms(struct mx_term *out, const struct mx_term *a, const struct mx_term *b)
{
    if (!mx_mul_i64(a->c, b->c, &out->c)) {
        return MX_SUM_OVERFLOW;
    }
    if (a->n + b->n > MX_SUM_FACTORS) {
        return MX_SUM_COMPLEX;
    }
    int i = 0, j = 0;
    for (out->n = 0; i < a->n || j < b->n; out->n++) {
        const bool from_a = j == b->n || (i < a->n && a->f[i] <= b->f[j]);
        out->f[out->n] = from_a ? a->f[i++] : b->f[j++];
    }
    return MX_SUM_FINE;
}

/* s += k * term * other */
static void add_product(struct mx_sum *s, const struct mx_term *term, const struct mx_sum *other, int64_t k)
{
    spoil(s, other->state);
    for (int i = 0; i < other->n; i++) {
        struct mx_term product;
        enum mx_sum_state state = mul_terms(&product, term, &other->t[i]);
        if (state == MX_SUM_FINE && !mx_mul_i64(product.c, k, &product.c)) {
            state = MX_SUM_OVERFLOW;
        }
        if (state != MX_SUM_FINE) {
            spoil(s, state);
            return;
        }
        mx_sum_add_term(s, &product);
    }
}

void mx_sum_mul(struct mx_sum *out, const struct mx_sum *a, const struct mx_sum *b)
{
    mx_sum_clear(out);
    spoil(out, a->state);
    for (int i = 0; i < a->n; i++) {
        add_product(out, &a->t[i], b, 1);
    }
}

static bool div_terms(struct mx_term *out, const struct mx_term *a, const struct mx_term *b)
{
    if (b->c == -1 ? a->c == INT64_MIN : a->c % b->c != 0) {
        return false;
    }
    out->c = a->c / b->c;
    out->n = 0;
    int j = 0;
    for (int i = 0; i < a->n; i++) {
        if (j < b->n && a->f[i] == b->f[j]) {
            j++;
        } else {
            out->f[out->n++] = a->f[i];
        }
    }
    return j == b->n;
}

bool mx_sum_div(struct mx_sum *out, const struct mx_sum *a, const struct mx_sum *b)
{
    struct mx_sum rest = *a;
    mx_sum_clear(out);
    /* Each step removes the leading term and adds smaller ones; the bound only limits the time. */
    for (int step = 0; step < 2 * MX_SUM_TERMS && rest.n > 0; step++) {
        struct mx_term quotient;
        if (!div_terms(&quotient, &rest.t[0], &b->t[0])) {
            return false;
        }
        mx_sum_add_term(out, &quotient);
        add_product(&rest, &quotient, b, -1);
        if (rest.state != MX_SUM_FINE || out->state != MX_SUM_FINE) {
            return false;
        }
    }
    return rest.n == 0;
}

int64_t mx_sum_constant(const struct mx_sum *s)
{
    return s->n > 0 && s->t[s->n - 1].n == 0 ? s->t[s->n - 1].c : 0;
}

bool mx_sum_is_constant(const struct mx_sum *s)
{
    return s->n == 0 || s->t[0].n == 0;
}

int64_t mx_sum_gcd(const struct mx_sum *s, int64_t k)
{
    uint64_t a = (uint64_t)k;
    for (int i = 0; i < s->n && s->t[i].n > 0; i++) {
        const int64_t c = s->t[i].c;
        uint64_t b = c < 0 ? -(uint64_t)c : (uint64_t)c;
        while (b) {
            const uint64_t r = a % b;
            a = b;
            b = r;
        }
    }
    /* 2^63 alone does not fit; half of it divides as well. */
    return a > INT64_MAX ? (int64_t)(a / 2) : (int64_t)a;
}
