/* Operations on dims; the table of dims is in dim_table.c. */
#include "graph/dim.h"

#include <string.h>

#include "base/budget.h"
#include "graph/dim_table.h"

/* ---- queries */

bool mx_dim_known(struct mx_dims *t, mx_dim d, int64_t *size)
{
    d = mx_dim_resolve(t, d);
    if (d.v < 0 && !is_kind(t, d, CONSTANT)) {
        return false;
    }
    if (size) {
        *size = d.v >= 0 ? d.v : node_of(t, d)->constant;
    }
    return true;
}

bool mx_dim_is_unknown(struct mx_dims *t, mx_dim d)
{
    return is_kind(t, mx_dim_resolve(t, d), UNKNOWN);
}

bool mx_dim_is_leaf(struct mx_dims *t, mx_dim d)
{
    d = mx_dim_resolve(t, d);
    return is_kind(t, d, NAME) || is_kind(t, d, UNKNOWN);
}

bool mx_dim_has_unknown(struct mx_dims *t, mx_dim d)
{
    d = mx_dim_resolve(t, d);
    return d.v < 0 && node_of(t, d)->has_unknown;
}

bool mx_dim_equal(struct mx_dims *t, mx_dim a, mx_dim b)
{
    return mx_dim_resolve(t, a).v == mx_dim_resolve(t, b).v;
}

/* ---- arithmetic */

/* Counts the work of an operation in which each term of the one meets each term of the other. */
static void count_terms(const struct mx_dims *t, const struct mx_sum *a, const struct mx_sum *b)
{
    mx_count_work(t->arena->budget, MX_TICK_ITEM * (uint64_t)a->n * (uint64_t)b->n);
}

/* a + k * b, k being 1 or -1 */
static mx_dim add_multiple(struct mx_dims *t, mx_dim a, mx_dim b, int64_t k)
{
    struct mx_sum s, other;
    a = mx_dim_resolve(t, a);
    b = mx_dim_resolve(t, b);
    mx_dims_load(t, a, &s);
    mx_dims_load(t, b, &other);
    count_terms(t, &s, &other);
    mx_sum_add(&s, &other, k);
    return mx_dims_sum(t, &s, (struct origin){k > 0 ? BY_ADD : BY_SUB, a.v, b.v});
}

mx_dim mx_dim_add(struct mx_dims *t, mx_dim a, mx_dim b)
{
    return add_multiple(t, a, b, 1);
}

mx_dim mx_dim_sub(struct mx_dims *t, mx_dim a, mx_dim b)
{
    return add_multiple(t, a, b, -1);
}

mx_dim mx_dim_mul(struct mx_dims *t, mx_dim a, mx_dim b)
{
    struct mx_sum x, y, out;
    a = mx_dim_resolve(t, a);
    b = mx_dim_resolve(t, b);
    mx_dims_load(t, a, &x);
    mx_dims_load(t, b, &y);
    count_terms(t, &x, &y);
    mx_sum_mul(&out, &x, &y);
    return mx_dims_sum(t, &out, (struct origin){BY_MUL, a.v, b.v});
}

mx_dim mx_dim_addn(struct mx_dims *t, mx_dim a, int64_t n)
{
    struct mx_sum s;
    a = mx_dim_resolve(t, a);
    mx_dims_load(t, a, &s);
    mx_sum_add_constant(&s, n);
    return mx_dims_sum(t, &s, (struct origin){BY_ADDN, a.v, n});
}

mx_dim mx_dim_muln(struct mx_dims *t, mx_dim a, int64_t n)
{
    struct mx_sum s, out;
    a = mx_dim_resolve(t, a);
    mx_dims_load(t, a, &s);
    mx_sum_clear(&out);
    mx_sum_add(&out, &s, n);
    return mx_dims_sum(t, &out, (struct origin){BY_MULN, a.v, n});
}

mx_dim mx_dim_floor_div(struct mx_dims *t, mx_dim a, int64_t n)
{
    assert(n > 0);
    a = mx_dim_resolve(t, a);
    return mx_dims_floor(t, a, n);
}

mx_dim mx_dim_ceil_div(struct mx_dims *t, mx_dim a, int64_t n)
{
    return mx_dim_floor_div(t, mx_dim_addn(t, a, n - 1), n);
}

/* a / n where n > 0 is known to divide a. */
static bool div_number(struct mx_dims *t, mx_dim a, int64_t n, mx_dim *out)
{
    struct mx_sum s;
    mx_dims_load(t, a, &s);
    if (mx_sum_constant(&s) % mx_sum_gcd(&s, n) != 0) {
        return false;
    }
    *out = mx_dims_floor(t, a, n);
    return true;
}

bool mx_dim_div_exact(struct mx_dims *t, mx_dim a, mx_dim b, mx_dim *out)
{
    a = mx_dim_resolve(t, a);
    b = mx_dim_resolve(t, b);
    if (b.v >= 0) {
        return b.v > 0 && div_number(t, a, b.v, out);
    }
    if (is_kind(t, b, CONSTANT)) {
        return false;
    }
    struct mx_sum x, y, quotient;
    mx_dims_load(t, a, &x);
    mx_dims_load(t, b, &y);
    count_terms(t, &x, &y);
    const struct origin origin = {BY_DIV, a.v, b.v};
    *out = mx_sum_div(&quotient, &x, &y) ? mx_dims_sum(t, &quotient, origin) : mx_dims_stand_in(t, origin);
    return true;
}

mx_dim mx_dim_product(struct mx_dims *t, const mx_dim *d, int n)
{
    mx_dim product = {1};
    for (int i = 0; i < n; i++) {
        product = mx_dim_mul(t, product, d[i]);
    }
    return product;
}

/* ---- reading */

static void format_terms(struct mx_dims *t, const struct mx_dim_term *terms, int32_t n, struct mx_str *out);

static void format_node(struct mx_dims *t, mx_dim d, struct mx_str *out)
{
    const struct node *node = node_of(t, d);
    switch (node->kind) {
    case NAME: mx_str_append(out, node->name); break;
    case UNKNOWN:
    case STAND_IN: mx_str_append(out, "?"); break;
    case FLOOR: {
        const struct node *numerator = node_of(t, node->floor.numerator);
        const bool brackets = numerator->kind == SUM && numerator->sum.n > 1;
        mx_str_append(out, brackets ? "floor((" : "floor(");
        format_node(t, node->floor.numerator, out);
        mx_str_printf(out, brackets ? ")/%lld)" : "/%lld)", (long long)node->floor.denominator);
        break;
    }
    case SUM: format_terms(t, node->sum.terms, node->sum.n, out); break;
    case CONSTANT: mx_str_printf(out, "%lld", (long long)node->constant); break;
    }
}

static void format_terms(struct mx_dims *t, const struct mx_dim_term *terms, int32_t n, struct mx_str *out)
{
    for (int32_t i = 0; i < n; i++) {
        const uint64_t c = terms[i].coefficient < 0 ? -(uint64_t)terms[i].coefficient : (uint64_t)terms[i].coefficient;
        const char *sign = terms[i].coefficient < 0 ? (i ? " - " : "-") : (i ? " + " : "");
        mx_str_append(out, sign);
        if (c != 1 || terms[i].n_factors == 0) {
            mx_str_printf(out, terms[i].n_factors ? "%llu*" : "%llu", (unsigned long long)c);
        }
        for (int32_t j = 0; j < terms[i].n_factors; j++) {
            mx_str_append(out, j ? "*" : "");
            format_node(t, ref(terms[i].factors[j]), out);
        }
    }
}

void mx_dim_format(struct mx_dims *t, mx_dim d, struct mx_str *out)
{
    d = mx_dim_resolve(t, d);
    if (d.v >= 0) {
        mx_str_printf(out, "%lld", (long long)d.v);
        return;
    }
    const size_t start = out->length;
    format_node(t, d, out);
    const char *first = !out->failed && mx_dim_has_unknown(t, d) ? strchr(out->text + start, '?') : NULL;
    if (first && strchr(first + 1, '?')) { /* "?*? - 7*?" states nothing */
        out->length = start;
        mx_str_append(out, "?");
    }
}

struct mx_dim_factor mx_dim_factor(const struct mx_dims *t, int32_t factor)
{
    const struct node *node = &t->nodes[factor];
    if (node->kind == FLOOR) {
        return (struct mx_dim_factor){.numerator = node->floor.numerator, .denominator = node->floor.denominator};
    }
    return (struct mx_dim_factor){.is_leaf = true, .leaf = ref(factor)};
}

static const struct mx_dim_term *as_term(struct mx_dims *t, int32_t factor)
{
    const struct mx_dim_term term = {1, mx_arena_copy(t->arena, &factor, 1, sizeof factor), 1};
    return term.factors ? mx_arena_copy(t->arena, &term, 1, sizeof term) : NULL;
}

int mx_dim_terms(struct mx_dims *t, mx_dim d, const struct mx_dim_term **terms)
{
    *terms = NULL;
    if (mx_dim_known(t, d, NULL)) {
        return 0;
    }
    d = mx_dim_resolve(t, d);
    struct node *node = node_of(t, d);
    if (node->kind == SUM) {
        *terms = node->sum.terms;
        return node->sum.n;
    }
    if (!node->alone) {
        node->alone = as_term(t, node_number(t, d));
    }
    if (!node->alone) {
        mx_dims_fail(t, MX_OUT_OF_MEMORY);
        return 0;
    }
    *terms = node->alone;
    return 1;
}
