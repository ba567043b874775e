/* Making dims equal: the difference of the two is 0, and is solved for an unknown if it can be. */
#include "graph/dim_table.h"

static void bind(struct mx_dims *t, int32_t unknown, mx_dim value)
{
    assert(!is_kind(t, value, CONSTANT)); /* no size is negative: of a sum, cannot_be_zero found that */
    t->nodes[unknown].resolved = value;
    t->bindings++;
}

/* True if the unknown occurs in item i of a resolved dim. */
static bool occurs(const struct mx_dims *t, int32_t unknown, int32_t in)
{
    const struct node *node = &t->nodes[in];
    if (in == unknown || !node->has_unknown) {
        return in == unknown;
    }
    if (node->kind == FLOOR) {
        return occurs(t, unknown, node_number(t, node->floor.numerator));
    }
    for (int32_t i = 0; node->kind == SUM && i < node->sum.n; i++) {
        for (int32_t j = 0; j < node->sum.terms[i].n_factors; j++) {
            if (occurs(t, unknown, node->sum.terms[i].factors[j])) {
                return true;
            }
        }
    }
    return false;
}

/* Divides the terms of s, which is 0, by the leaves that all of them hold: (N*3 - N*x) becomes 3 - x. A size that is 0
 * at run time would allow more, but that is not intended. */
static void cancel_common(const struct mx_dims *t, struct mx_sum *s)
{
    const struct mx_term first = s->t[0];
    for (int j = 0; j < first.n; j++) {
        struct mx_sum factor, quotient;
        mx_sum_clear(&factor);
        mx_sum_add_factor(&factor, first.f[j]);
        if (t->nodes[first.f[j]].kind == NAME && mx_sum_div(&quotient, s, &factor)) {
            *s = quotient;
        }
    }
}

/* True if the sum cannot be 0 for any values of its factors, which are >= 0. */
static bool cannot_be_zero(const struct mx_sum *s)
{
    const int64_t constant = mx_sum_constant(s);
    if (mx_sum_is_constant(s)) {
        return constant != 0;
    }
    if (constant % mx_sum_gcd(s, 0) != 0) {
        return true;
    }
    bool one_sign = constant != 0;
    for (int i = 0; i < s->n; i++) {
        one_sign &= (s->t[i].c > 0) == (constant > 0);
    }
    return one_sign;
}

/* True if term i has the form c * x, where x is an unknown that occurs nowhere else and c divides the rest. */
static bool is_solvable(const struct mx_dims *t, const struct mx_sum *s, int i)
{
    const struct mx_term *x = &s->t[i];
    if (x->n != 1 || t->nodes[x->f[0]].kind != UNKNOWN) {
        return false;
    }
    for (int k = 0; k < s->n; k++) {
        const struct mx_term *other = &s->t[k];
        if (other->c == INT64_MIN || other->c % x->c != 0) {
            return false;
        }
        for (int j = 0; k != i && j < other->n; j++) {
            if (occurs(t, x->f[0], other->f[j])) {
                return false;
            }
        }
    }
    return true;
}

/* The term to solve for, or -1. Of several unknowns the newest, which comes last, so that older ones stay as they are. */
static int find_solvable(const struct mx_dims *t, const struct mx_sum *s)
{
    int best = -1;
    for (int i = 0; i < s->n; i++) {
        best = is_solvable(t, s, i) ? i : best;
    }
    return best;
}

/* s = 0: binds an unknown of it if one can be singled out. */
static bool solve(struct mx_dims *t, const struct mx_sum *s)
{
    if (cannot_be_zero(s)) {
        return false;
    }
    const int at = find_solvable(t, s);
    if (at < 0) {
        return true;
    }
    const struct mx_term x = s->t[at];
    struct mx_sum value;
    mx_sum_clear(&value);
    for (int i = 0; i < s->n; i++) {
        if (i != at) {
            struct mx_term term = s->t[i];
            term.c = -(term.c / x.c);
            mx_sum_add_term(&value, &term);
        }
    }
    bind(t, x.f[0], mx_dims_sum(t, &value, (struct origin){BY_UNIFY, x.f[0], (int64_t)t->bindings}));
    return true;
}

/* x = d for an unknown x: needs no sum, for which d may be too long. False if the case is not that simple. */
static bool bind_alone(struct mx_dims *t, mx_dim x, mx_dim d)
{
    if (!is_kind(t, x, UNKNOWN) || is_kind(t, d, CONSTANT) || (d.v < 0 && occurs(t, node_number(t, x), node_number(t, d)))) {
        return false;
    }
    bind(t, node_number(t, x), d);
    return true;
}

bool mx_dim_unify(struct mx_dims *t, mx_dim a, mx_dim b)
{
    a = mx_dim_resolve(t, a);
    b = mx_dim_resolve(t, b);
    if (a.v == b.v || t->status != MX_OK) {
        return true;
    }
    if (a.v >= 0 && b.v >= 0) {
        return false;
    }
    /* Of two unknowns, bind the newer, which has the lower reference. */
    const mx_dim first = a.v < b.v ? a : b, second = a.v < b.v ? b : a;
    if (bind_alone(t, first, second) || bind_alone(t, second, first)) {
        return true;
    }
    struct mx_sum s, other;
    mx_dims_load(t, a, &s);
    mx_dims_load(t, b, &other);
    mx_sum_add(&s, &other, -1);
    const bool fine = s.state == MX_SUM_FINE;
    if (fine && a.v != 0 && b.v != 0) {
        cancel_common(t, &s);
    }
    const uint64_t bound = t->bindings;
    const bool may_be = !fine || solve(t, &s);
    t->assumed = t->assumed || (may_be && t->bindings == bound);
    return may_be;
}

const char *mx_dim_bind_name(struct mx_dims *t, mx_dim unknown, const char *name)
{
    unknown = mx_dim_resolve(t, unknown);
    if (t->status != MX_OK || !is_kind(t, unknown, UNKNOWN)) {
        return NULL;
    }
    const char *own = name;
    for (int k = 1; own && mx_dims_has_name(t, own); k++) {
        own = mx_arena_printf(t->arena, "%s_%d", name, k);
    }
    const mx_dim named = own ? mx_dim_named(t, own) : mx_dims_fail(t, MX_OUT_OF_MEMORY);
    if (t->status != MX_OK) {
        return NULL;
    }
    bind(t, node_number(t, unknown), named);
    return node_of(t, named)->name;
}
