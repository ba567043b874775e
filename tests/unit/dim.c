/* Dims against plain integer arithmetic: an expression is built twice, as a dim and as a number for some sizes of its
 * names, and must give that number when it is read back term by term.
 *
 * dim [large]: with the word also chains of bindings as long as a large model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc_fail.h"
#include "base/budget.h"
#include "graph/dtype.h"
#include "graph/shape.h"
#include "graph/sum.h"

static int chain_length = 5000;

struct fixture {
    struct mx_arena arena;
    struct mx_dims *t;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    f->t = mx_dims_new(&f->arena);
    return f->t ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    mx_dims_free(f->t);
    mx_arena_free(&f->arena);
    free(f);
    return alloc_fail_live() == 0 ? 0 : -1;
}

static void check_text(struct mx_dims *t, mx_dim d, const char *expected)
{
    struct mx_str s = {0};
    mx_dim_format(t, d, &s);
    assert_false(s.failed);
    assert_string_equal(s.text, expected);
    mx_str_free(&s);
}

/* Each term of a sum meets each term of the other. */
static void work_with_long_sums_is_counted(void **state)
{
    struct fixture *f = *state;
    struct mx_budget budget;
    mx_budget_init(&budget);
    mx_dim sums[2] = {mx_dim_of(0), mx_dim_of(0)}, quotient;
    for (int i = 0; i < 2 * MX_SUM_TERMS; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%d", i);
        sums[i % 2] = mx_dim_add(f->t, sums[i % 2], mx_dim_named(f->t, name));
    }
    f->arena.budget = &budget;
    for (int i = 0; i < 3; i++) {
        budget.work = 0;
        (void)(i == 0 ? mx_dim_mul(f->t, sums[0], sums[1]) : i == 1 ? mx_dim_add(f->t, sums[0], sums[1]) : mx_dim_of(0));
        assert_true(i < 2 || mx_dim_div_exact(f->t, sums[0], sums[1], &quotient));
        assert_true(budget.work >= MX_SUM_TERMS * MX_SUM_TERMS * MX_TICK_ITEM);
    }
    f->arena.budget = NULL;
}

/* ---- reading an expression back */

struct sizes {
    const mx_dim *leaves;
    const int64_t *values;
    int n;
};

static int64_t value_of(struct mx_dims *t, mx_dim d, const struct sizes *sizes)
{
    int64_t known;
    if (mx_dim_known(t, d, &known)) {
        return known;
    }
    const struct mx_dim_term *terms;
    const int n = mx_dim_terms(t, d, &terms);
    assert_true(n > 0);
    int64_t sum = 0;
    for (int i = 0; i < n; i++) {
        int64_t product = terms[i].coefficient;
        assert_true(product != 0);
        for (int j = 0; j < terms[i].n_factors; j++) {
            const struct mx_dim_factor f = mx_dim_factor(t, terms[i].factors[j]);
            if (f.is_leaf) {
                int k = 0;
                while (k < sizes->n && !mx_dim_equal(t, f.leaf, sizes->leaves[k])) {
                    k++;
                }
                assert_true(k < sizes->n);
                product *= sizes->values[k];
            } else {
                const int64_t numerator = value_of(t, f.numerator, sizes);
                /* What makes a truncating division right. */
                assert_true(numerator >= 0 && f.denominator > 1);
                product *= numerator / f.denominator;
            }
        }
        sum += product;
    }
    return sum;
}

static uint32_t seed;

static uint32_t any(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % n;
}

static int64_t floor_of(int64_t a, int64_t b)
{
    int64_t q = a / b;
    while (q * b > a) {
        q--;
    }
    return q;
}

enum { LEAVES = 3, POINTS = 4, OPERATIONS = 14 };

struct operation {
    uint32_t what;
    int a, b; /* operands */
    int64_t k, m;
};

static struct operation any_operation(int n)
{
    const int a = (int)any((uint32_t)n), b = (int)any((uint32_t)n);
    const int64_t k = (int64_t)any(9) - 3, m = 1 + any(7);
    return (struct operation){any(7), a, b, k, m};
}

static int64_t of_numbers(const struct operation *o, int64_t x, int64_t y)
{
    switch (o->what) {
    case 0: return x + y;
    case 1: return x - y;
    case 2: return x * y;
    case 3: return x + o->k;
    case 4: return x * o->k;
    case 5: return floor_of(x, o->m);
    default: return floor_of(x + o->m - 1, o->m);
    }
}

static mx_dim of_dims(struct mx_dims *t, const struct operation *o, const mx_dim *d)
{
    switch (o->what) {
    case 0: return mx_dim_add(t, d[o->a], d[o->b]);
    case 1: return mx_dim_sub(t, d[o->a], d[o->b]);
    case 2: return mx_dim_mul(t, d[o->a], d[o->b]);
    case 3: return mx_dim_addn(t, d[o->a], o->k);
    case 4: return mx_dim_muln(t, d[o->a], o->k);
    case 5: return mx_dim_floor_div(t, d[o->a], o->m);
    default: return mx_dim_ceil_div(t, d[o->a], o->m);
    }
}

/* With leaves that are names, or unknowns that are bound to numbers in the end. */
static void random_expressions_agree_with_integers(void **state)
{
    static const int64_t points[POINTS][LEAVES] = {{1, 2, 3}, {7, 5, 8}, {0, 16, 9}, {31, 4, 10}};
    seed = 2463534242u;
    int compared = 0, replaced = 0;
    for (int round = 0; round < 3000; round++) {
        struct mx_arena arena = {0};
        struct mx_dims *t = mx_dims_new(&arena);
        mx_dim d[LEAVES + OPERATIONS];
        int64_t v[LEAVES + OPERATIONS][POINTS];
        const bool open = round % 2;
        for (int i = 0; i < LEAVES; i++) {
            static const char *const names[] = {"a", "b", "c"};
            d[i] = open ? mx_dim_unknown(t) : mx_dim_named(t, names[i]);
            for (int p = 0; p < POINTS; p++) {
                v[i][p] = points[p][i];
            }
        }
        int n = LEAVES;
        bool small = true;
        for (; n < LEAVES + OPERATIONS && small; n++) {
            const struct operation o = any_operation(n);
            d[n] = of_dims(t, &o, d);
            for (int p = 0; p < POINTS; p++) {
                v[n][p] = of_numbers(&o, v[o.a][p], v[o.b][p]);
                small = small && v[n][p] < 1000000 && v[n][p] > -1000000;
            }
        }
        const int point = (int)any(POINTS);
        const struct sizes sizes = {d, points[point], LEAVES};
        for (int i = LEAVES; i < n && !open; i++) {
            if (mx_dim_has_unknown(t, d[i])) {
                replaced++; /* grew too long */
                break;
            }
            assert_true(value_of(t, d[i], &sizes) == v[i][point]);
            compared++;
        }
        /* Long ones are replaced by unknowns that a binding cannot know: compare up to there. */
        mx_dim_resolve(t, d[n - 1]);
        for (int i = 0; i < LEAVES && open; i++) {
            assert_true(mx_dim_unify(t, mx_dim_of(points[point][i]), d[i]));
            mx_dim_resolve(t, d[any((uint32_t)n)]);
        }
        for (int i = 0; i < n && open; i++) {
            int64_t known;
            if (!mx_dim_known(t, d[i], &known)) {
                replaced++;
                break;
            }
            assert_true(known == v[i][point]);
            compared++;
        }
        assert_int_equal(mx_dims_status(t), MX_OK);
        mx_dims_free(t);
        mx_arena_free(&arena);
    }
    assert_true(compared > 30000);
    assert_true(replaced < 300);
}

enum { OPEN = 40, STEPS = 300 };

/* Every dim has a number that the table learns only where an unknown is bound, be it a leaf or what represents a dim that is too long. An
 * operation that runs again has the same result, or what has become of it. */
static void dims_that_become_known_agree_with_integers(void **state)
{
    int known_later = 0;
    (void)state;
    seed = 88172645u;
    for (int round = 0; round < 400; round++) {
        struct mx_arena arena = {0};
        struct mx_dims *t = mx_dims_new(&arena);
        struct operation operations[OPEN + STEPS];
        mx_dim d[OPEN + STEPS];
        int64_t v[OPEN + STEPS];
        int n = 0;
        for (; n < OPEN; n++) {
            d[n] = mx_dim_unknown(t);
            v[n] = any(6);
        }
        for (; n < OPEN + STEPS; n++) {
            operations[n] = any_operation(n);
            v[n] = of_numbers(&operations[n], v[operations[n].a], v[operations[n].b]);
            if (v[n] > 1000000 || v[n] < -1000000) {
                n--;
                continue;
            }
            d[n] = of_dims(t, &operations[n], d);
            const int bound = (int)any((uint32_t)n);
            if (any(8) == 0 && v[bound] >= 0 && mx_dim_is_unknown(t, d[bound])) {
                assert_true(mx_dim_unify(t, d[bound], mx_dim_of(v[bound])));
            }
            const int again = OPEN + (int)any((uint32_t)(n + 1 - OPEN));
            const mx_dim repeated = of_dims(t, &operations[again], d);
            int64_t known;
            if (mx_dim_known(t, repeated, &known)) {
                assert_true(known == v[again]);
                known_later++;
            }
            assert_true(!mx_dim_known(t, d[again], &known) || known == v[again]);
        }
        assert_int_equal(mx_dims_status(t), MX_OK);
        mx_dims_free(t);
        mx_arena_free(&arena);
    }
    assert_true(known_later > 1000);
}

/* ---- the normal form */

static void equal_dims_have_one_form(void **state)
{
    struct mx_dims *t = ((struct fixture *)*state)->t;
    const mx_dim n = mx_dim_named(t, "batch"), h = mx_dim_named(t, "h"), w = mx_dim_named(t, "w");
    assert_true(mx_dim_equal(t, n, mx_dim_named(t, "batch")));
    assert_false(mx_dim_equal(t, n, h));
    check_text(t, mx_dim_of(3), "3");
    check_text(t, n, "batch");
    check_text(t, mx_dim_muln(t, n, 2), "2*batch");
    check_text(t, mx_dim_unknown(t), "?");
    check_text(t, mx_dim_muln(t, mx_dim_unknown(t), 6), "6*?");
    check_text(t, mx_dim_addn(t, mx_dim_mul(t, mx_dim_unknown(t), mx_dim_unknown(t)), -7), "?");
    check_text(t, mx_dim_sub(t, mx_dim_of(3), n), "-batch + 3");
    check_text(t, mx_dim_addn(t, mx_dim_mul(t, h, mx_dim_mul(t, w, h)), -4), "h*h*w - 4");
    check_text(t, mx_dim_floor_div(t, mx_dim_muln(t, h, 2), 3), "floor(2*h/3)");
    check_text(t, mx_dim_mul(t, n, mx_dim_floor_div(t, mx_dim_addn(t, h, 5), 4)), "batch*floor((h + 1)/4) + batch");
    /* (N * 12) / 12, H + 1 - 1, N - N, N * 0 */
    assert_true(mx_dim_equal(t, mx_dim_floor_div(t, mx_dim_muln(t, n, 12), 12), n));
    assert_true(mx_dim_equal(t, mx_dim_addn(t, mx_dim_addn(t, h, 1), -1), h));
    assert_true(mx_dim_equal(t, mx_dim_sub(t, n, n), mx_dim_of(0)));
    assert_true(mx_dim_equal(t, mx_dim_muln(t, n, 0), mx_dim_of(0)));
    /* floor((n*x + r)/n), floor(floor(x/a)/b), and two ways to write a convolution of stride 2 */
    assert_true(mx_dim_equal(t, mx_dim_floor_div(t, mx_dim_addn(t, mx_dim_muln(t, h, 4), 3), 4), h));
    assert_true(mx_dim_equal(t, mx_dim_floor_div(t, mx_dim_floor_div(t, h, 6), 4), mx_dim_floor_div(t, h, 24)));
    assert_true(mx_dim_equal(t, mx_dim_floor_div(t, mx_dim_addn(t, mx_dim_muln(t, h, 4), 2), 6),
                             mx_dim_floor_div(t, mx_dim_addn(t, mx_dim_muln(t, h, 2), 1), 3)));
    check_text(t, mx_dim_floor_div(t, mx_dim_addn(t, mx_dim_muln(t, h, 2), 1), 4), "floor(h/2)");
    const mx_dim conv = mx_dim_addn(t, mx_dim_floor_div(t, mx_dim_addn(t, h, -1), 2), 1);
    assert_true(mx_dim_equal(t, conv, mx_dim_ceil_div(t, h, 2)));
    check_text(t, conv, "floor((h + 1)/2)");
    assert_true(mx_dim_equal(t, mx_dim_ceil_div(t, conv, 2), mx_dim_ceil_div(t, h, 4)));
    /* The order of operations does not show. */
    assert_true(mx_dim_equal(t, mx_dim_mul(t, mx_dim_add(t, n, h), w), mx_dim_add(t, mx_dim_mul(t, w, h), mx_dim_mul(t, n, w))));
    const mx_dim three[] = {w, n, h}, other[] = {h, w, n};
    assert_true(mx_dim_equal(t, mx_dim_product(t, three, 3), mx_dim_product(t, other, 3)));
    assert_true(mx_dim_equal(t, mx_dim_product(t, three, 0), mx_dim_of(1)));
}

static void a_negative_size_is_known(void **state)
{
    struct mx_dims *t = ((struct fixture *)*state)->t;
    int64_t size = 0;
    const mx_dim d = mx_dim_sub(t, mx_dim_of(3), mx_dim_of(5));
    assert_true(mx_dim_known(t, d, &size));
    assert_int_equal(size, -2);
    check_text(t, d, "-2");
    assert_true(mx_dim_equal(t, d, mx_dim_addn(t, mx_dim_of(1), -3)));
    assert_true(mx_dim_known(t, mx_dim_floor_div(t, mx_dim_of(0), 3), NULL));
    assert_true(mx_dim_known(t, mx_dim_floor_div(t, d, 4), &size));
    assert_int_equal(size, -1);
    assert_true(mx_dim_equal(t, mx_dim_addn(t, d, 5), mx_dim_of(3)));
    const mx_dim x = mx_dim_unknown(t);
    assert_false(mx_dim_unify(t, x, d));
    assert_false(mx_dim_unify(t, mx_dim_of(2), d));
    assert_true(mx_dim_is_unknown(t, x));
    const struct mx_dim_term *terms;
    assert_int_equal(mx_dim_terms(t, d, &terms), 0);
    assert_int_equal(mx_dim_terms(t, mx_dim_of(2), &terms), 0);
}

static void only_exact_division_has_a_result(void **state)
{
    struct mx_dims *t = ((struct fixture *)*state)->t;
    const mx_dim n = mx_dim_named(t, "n"), h = mx_dim_named(t, "h"), x = mx_dim_unknown(t);
    mx_dim q = mx_dim_of(99);
    assert_false(mx_dim_div_exact(t, mx_dim_of(7), mx_dim_of(2), &q));
    assert_false(mx_dim_div_exact(t, mx_dim_of(7), mx_dim_of(0), &q));
    assert_false(mx_dim_div_exact(t, mx_dim_addn(t, mx_dim_muln(t, n, 4), 3), mx_dim_of(2), &q));
    assert_false(mx_dim_div_exact(t, n, mx_dim_addn(t, mx_dim_of(0), -1), &q));
    assert_true(mx_dim_equal(t, q, mx_dim_of(99)));
    assert_true(mx_dim_div_exact(t, mx_dim_of(12), mx_dim_of(4), &q) && mx_dim_equal(t, q, mx_dim_of(3)));
    assert_true(mx_dim_div_exact(t, mx_dim_muln(t, n, 12), mx_dim_of(4), &q));
    assert_true(mx_dim_equal(t, q, mx_dim_muln(t, n, 3)));
    assert_true(mx_dim_div_exact(t, mx_dim_mul(t, n, mx_dim_mul(t, h, x)), mx_dim_mul(t, x, n), &q));
    assert_true(mx_dim_equal(t, q, h));
    const mx_dim a = mx_dim_addn(t, n, 3), b = mx_dim_addn(t, h, -2), c = mx_dim_floor_div(t, h, 2);
    const mx_dim product = mx_dim_mul(t, mx_dim_mul(t, a, b), c);
    assert_true(mx_dim_div_exact(t, product, b, &q) && mx_dim_equal(t, q, mx_dim_mul(t, a, c)));
    assert_true(mx_dim_div_exact(t, product, mx_dim_mul(t, c, a), &q) && mx_dim_equal(t, q, b));
    assert_true(mx_dim_div_exact(t, mx_dim_of(0), n, &q) && mx_dim_equal(t, q, mx_dim_of(0)));
    /* Not seen: a division at run time, or an unknown, the same for the same question. */
    assert_true(mx_dim_div_exact(t, mx_dim_mul(t, n, h), mx_dim_of(6), &q));
    check_text(t, q, "floor(n*h/6)");
    assert_true(mx_dim_div_exact(t, n, h, &q) && mx_dim_is_unknown(t, q));
    mx_dim again = mx_dim_of(1);
    assert_true(mx_dim_div_exact(t, n, h, &again) && mx_dim_equal(t, q, again));
    assert_true(mx_dim_unify(t, q, mx_dim_of(5)));
    assert_true(mx_dim_div_exact(t, n, h, &again) && mx_dim_equal(t, again, mx_dim_of(5)));
}

/* ---- unification */

static void unified_dims_are_equal(void **state)
{
    struct mx_dims *t = ((struct fixture *)*state)->t;
    const mx_dim n = mx_dim_named(t, "n"), h = mx_dim_named(t, "h");
    mx_dim x = mx_dim_unknown(t);
    assert_true(mx_dim_unify(t, mx_dim_of(3), mx_dim_of(3)));
    assert_false(mx_dim_unify(t, mx_dim_of(3), mx_dim_of(4)));
    /* A number, an expression, another unknown; what was built before follows. */
    const mx_dim half = mx_dim_floor_div(t, x, 2);
    assert_true(mx_dim_is_unknown(t, x) && mx_dim_has_unknown(t, half) && !mx_dim_is_unknown(t, half));
    assert_true(mx_dim_is_leaf(t, x) && !mx_dim_is_leaf(t, half) && !mx_dim_is_leaf(t, mx_dim_addn(t, x, 1))
                && !mx_dim_is_leaf(t, mx_dim_of(3)));
    assert_true(mx_dim_is_leaf(t, mx_dim_named(t, "leaf")));
    const uint64_t before = mx_dims_bindings(t);
    assert_true(mx_dim_unify(t, x, mx_dim_of(9)));
    assert_int_equal(mx_dims_bindings(t), before + 1);
    assert_true(mx_dim_equal(t, half, mx_dim_of(4)));
    assert_false(mx_dim_unify(t, x, mx_dim_of(8)));
    assert_true(mx_dim_unify(t, x, mx_dim_of(9)));
    assert_int_equal(mx_dims_bindings(t), before + 1);

    x = mx_dim_unknown(t);
    mx_dim y = mx_dim_unknown(t);
    const mx_dim sum = mx_dim_addn(t, mx_dim_muln(t, y, 2), 1);
    assert_true(mx_dim_unify(t, y, x));
    assert_true(mx_dim_unify(t, x, mx_dim_addn(t, n, 1)));
    check_text(t, sum, "2*n + 3");
    assert_false(mx_dim_has_unknown(t, sum));

    /* c*x + c0 = number */
    x = mx_dim_unknown(t);
    assert_false(mx_dim_unify(t, mx_dim_addn(t, mx_dim_muln(t, x, 2), 1), mx_dim_of(4)));
    assert_false(mx_dim_unify(t, mx_dim_addn(t, x, 5), mx_dim_of(4)));
    assert_true(mx_dim_is_unknown(t, x));
    assert_true(mx_dim_unify(t, mx_dim_of(7), mx_dim_addn(t, mx_dim_muln(t, x, 2), 1)));
    assert_true(mx_dim_equal(t, x, mx_dim_of(3)));

    /* Against an expression: x - 2 = n; 12*x = 48*n; n*x = n*5 */
    x = mx_dim_unknown(t);
    assert_true(mx_dim_unify(t, mx_dim_addn(t, x, -2), n));
    check_text(t, x, "n + 2");
    x = mx_dim_unknown(t);
    assert_true(mx_dim_unify(t, mx_dim_muln(t, x, 12), mx_dim_muln(t, n, 48)));
    check_text(t, x, "4*n");
    x = mx_dim_unknown(t);
    assert_true(mx_dim_unify(t, mx_dim_mul(t, n, x), mx_dim_muln(t, n, 5)));
    check_text(t, x, "5");

    x = mx_dim_unknown(t);
    assert_true(mx_dim_unify(t, mx_dim_muln(t, x, 2), n)); /* nothing that could be written down */
    assert_true(mx_dim_is_unknown(t, x));

    /* Occurs. */
    x = mx_dim_unknown(t);
    assert_false(mx_dim_unify(t, x, mx_dim_addn(t, x, 1)));
    assert_true(mx_dim_unify(t, x, mx_dim_addn(t, mx_dim_floor_div(t, x, 2), 1)));
    assert_true(mx_dim_is_unknown(t, x));
    assert_true(mx_dim_unify(t, x, mx_dim_addn(t, mx_dim_muln(t, x, 2), -3)));
    assert_true(mx_dim_equal(t, x, mx_dim_of(3)));

    /* Names stay what they are. */
    assert_true(mx_dim_unify(t, n, h));
    assert_false(mx_dim_equal(t, n, h));
    assert_true(mx_dim_unify(t, n, mx_dim_of(4)));
    assert_true(mx_dim_unify(t, n, mx_dim_of(0)));
    assert_false(mx_dim_known(t, n, NULL));
    assert_true(mx_dim_unify(t, mx_dim_floor_div(t, n, 2), mx_dim_of(4)));
    assert_false(mx_dim_unify(t, n, mx_dim_addn(t, n, 1)));
    assert_false(mx_dim_unify(t, mx_dim_muln(t, n, 3), mx_dim_muln(t, n, 4)));
    assert_false(mx_dim_unify(t, mx_dim_addn(t, mx_dim_add(t, n, h), 1), h));
    assert_false(mx_dim_unify(t, mx_dim_muln(t, n, 2), mx_dim_of(5)));
}

/* Of two unknowns the newer is bound: what is there already stays as it is. */
static void the_newer_of_two_unknowns_is_bound(void **state)
{
    struct mx_dims *t = ((struct fixture *)*state)->t;
    const mx_dim old = mx_dim_unknown(t), fresh = mx_dim_unknown(t);
    assert_true(mx_dim_unify(t, old, fresh));
    assert_true(mx_dim_resolve(t, old).v == old.v);
    assert_true(mx_dim_resolve(t, fresh).v == old.v);
}

static void test_a_bound_name_replaces_the_unknown(void **state)
{
    struct mx_dims *t = ((struct fixture *)*state)->t;
    const mx_dim x = mx_dim_unknown(t), twice = mx_dim_muln(t, x, 2);
    assert_false(mx_dims_has_name(t, "len"));
    assert_string_equal(mx_dim_bind_name(t, x, "len"), "len");
    assert_true(mx_dims_has_name(t, "len"));
    check_text(t, twice, "2*len");
    assert_true(mx_dim_equal(t, x, mx_dim_named(t, "len")));
    assert_null(mx_dim_bind_name(t, x, "other")); /* it is not an unknown any more */
    check_text(t, x, "len");
    assert_null(mx_dim_bind_name(t, mx_dim_of(3), "three"));
    assert_false(mx_dims_has_name(t, "other") || mx_dims_has_name(t, "three"));
}

/* Two dims of one name would be one size. */
static void test_bind_name_is_new(void **state)
{
    struct mx_dims *t = ((struct fixture *)*state)->t;
    const mx_dim chosen = mx_dim_named(t, "batch"), x = mx_dim_unknown(t), y = mx_dim_unknown(t);
    assert_string_equal(mx_dim_bind_name(t, x, "batch"), "batch_1");
    assert_string_equal(mx_dim_bind_name(t, y, "batch"), "batch_2");
    assert_false(mx_dim_equal(t, x, chosen) || mx_dim_equal(t, y, chosen) || mx_dim_equal(t, x, y));
}

/* ---- size and time */

/* Bindings that form a chain, in both directions and with questions in between. In a large chain a step that walks it
 * would need 10^10 steps. */
static void long_chains_of_unknowns_resolve_fast(void **state)
{
    struct mx_dims *t = ((struct fixture *)*state)->t;
    const int n = chain_length;
    char text[32];
    mx_dim *x = calloc((size_t)n, sizeof *x);
    snprintf(text, sizeof text, "? + %d", n - 1);
    for (int way = 0; way < 3; way++) {
        for (int i = 0; i < n; i++) {
            x[i] = mx_dim_unknown(t);
        }
        for (int i = 0; i + 1 < n; i++) {
            const int at = way == 2 ? n - 2 - i : i;
            assert_true(mx_dim_unify(t, x[at], mx_dim_addn(t, x[at + 1], 1)));
            if (way == 1) {
                mx_dim_resolve(t, x[0]);
                mx_dim_resolve(t, x[i / 2]);
            }
        }
        check_text(t, x[0], text);
        assert_true(mx_dim_unify(t, x[0], mx_dim_of(n + 6)));
        assert_true(mx_dim_equal(t, x[n - 1], mx_dim_of(7)));
    }
    free(x);
    assert_int_equal(mx_dims_status(t), MX_OK);
}

/* A deep net over an image of open size: strided and unstrided layers, each output a separate unknown at first. */
static void test_the_sizes_of_a_deep_net_have_a_short_form(void **state)
{
    struct mx_dims *t = ((struct fixture *)*state)->t;
    mx_dim d = mx_dim_unknown(t);
    const mx_dim input = d;
    for (int i = 0; i < 100000; i++) {
        const mx_dim out = mx_dim_unknown(t);
        const bool strided = i % 20000 == 0;
        assert_true(mx_dim_unify(t, out, strided ? mx_dim_ceil_div(t, d, 2) : mx_dim_addn(t, mx_dim_addn(t, d, 2), -2)));
        d = out;
    }
    check_text(t, d, "floor((? + 31)/32)");
    mx_dim_bind_name(t, input, "h");
    check_text(t, d, "floor((h + 31)/32)");
}

/* Names are found again, however often the table grew. */
static void names_are_found_after_the_table_grew(void **state)
{
    struct mx_dims *t = ((struct fixture *)*state)->t;
    mx_dim first[1000];
    for (int i = 0; i < 2000; i++) {
        char name[16];
        snprintf(name, sizeof name, "m%d", i % 1000);
        const mx_dim d = mx_dim_named(t, name);
        first[i % 1000] = i < 1000 ? d : first[i % 1000];
        assert_int_equal(d.v, first[i % 1000].v);
    }
}

static void a_dim_that_is_too_long_becomes_unknown(void **state)
{
    struct mx_dims *t = ((struct fixture *)*state)->t;
    /* Too long: an unknown instead, the same for the same sum; nothing failed. */
    mx_dim sum = mx_dim_of(0), product = mx_dim_of(1);
    char name[16];
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "n%d", i % 100);
        const mx_dim leaf = mx_dim_named(t, name);
        sum = mx_dim_add(t, sum, leaf);
        product = mx_dim_mul(t, product, leaf);
    }
    assert_true(mx_dim_has_unknown(t, sum));
    assert_true(mx_dim_has_unknown(t, product));
    mx_dim d = mx_dim_named(t, "h");
    for (int i = 0; i < 2000; i++) { /* cannot be merged: grows until it is cut */
        d = mx_dim_add(t, mx_dim_floor_div(t, mx_dim_muln(t, d, 2), 3), mx_dim_floor_div(t, d, 2));
    }
    const struct mx_dim_term *terms;
    assert_true(mx_dim_terms(t, d, &terms) <= 32);
    struct mx_str s = {0};
    mx_dim_format(t, d, &s);
    assert_true(s.length > 0 && s.length < 10000);
    mx_str_free(&s);
    mx_dim deep = mx_dim_named(t, "w");
    for (int i = 0; i < 500; i++) { /* a floor of a floor, which cannot be merged either */
        deep = mx_dim_floor_div(t, mx_dim_muln(t, deep, 2), 3);
    }
    assert_true(mx_dim_has_unknown(t, deep));
    for (int less = 0; less < 2; less++) { /* 32 terms of 7 names are 256, one name less leaves room for a division */
        mx_dim whole = mx_dim_of(0);
        for (int i = 0; i < 32; i++) {
            mx_dim term = mx_dim_of(1);
            for (int k = i == 0 ? less : 0; k < 7; k++) {
                snprintf(name, sizeof name, "n%d", i + k);
                term = mx_dim_mul(t, term, i == 5 && k == 0 ? mx_dim_unknown(t) : mx_dim_named(t, name));
            }
            whole = mx_dim_add(t, whole, term);
        }
        assert_false(mx_dim_is_unknown(t, whole));
        assert_int_equal(mx_dim_is_unknown(t, mx_dim_floor_div(t, whole, 2)), !less);
    }
    mx_dim a = mx_dim_named(t, "n0");
    for (int i = 1; i < 32; i++) {
        snprintf(name, sizeof name, "n%d", i % 100);
        a = mx_dim_add(t, a, mx_dim_named(t, name));
    }
    assert_false(mx_dim_has_unknown(t, a)); /* 32 terms are still fine */
    const mx_dim squared = mx_dim_mul(t, a, a);
    assert_true(mx_dim_is_unknown(t, squared));
    assert_true(mx_dim_equal(t, squared, mx_dim_mul(t, a, a)));
    assert_true(mx_dim_unify(t, mx_dim_unknown(t), a));
    assert_int_equal(mx_dims_status(t), MX_OK);
}

static mx_dim half(struct mx_dims *t, mx_dim d)
{
    return mx_dim_floor_div(t, d, 2);
}

static mx_dim third_of_next_half(struct mx_dims *t, mx_dim d) /* floor((d + 2) / 6), 33 terms */
{
    return mx_dim_floor_div(t, mx_dim_addn(t, half(t, d), 1), 3);
}

static mx_dim next(struct mx_dims *t, mx_dim d)
{
    return mx_dim_addn(t, d, 1);
}

static mx_dim square(struct mx_dims *t, mx_dim d)
{
    return mx_dim_mul(t, d, d);
}

static mx_dim with_another(struct mx_dims *t, mx_dim d)
{
    return mx_dim_add(t, d, mx_dim_named(t, "another"));
}

static mx_dim without_another(struct mx_dims *t, mx_dim d)
{
    return mx_dim_sub(t, d, mx_dim_named(t, "another"));
}

static mx_dim by_another(struct mx_dims *t, mx_dim d)
{
    mx_dim quotient = mx_dim_of(0);
    assert_true(mx_dim_div_exact(t, d, mx_dim_named(t, "another"), &quotient));
    return quotient;
}

/* The unknown in place of a dim that is too long may become anything: then that is the result of the operation. */
static void a_dim_that_is_too_long_becomes_what_it_is_unified_with(void **state)
{
    static mx_dim (*const operations[])(struct mx_dims *, mx_dim) = {third_of_next_half, next,      square, with_another,
                                                                     without_another,    by_another};
    struct mx_dims *t = ((struct fixture *)*state)->t;
    for (int i = 0; i < 6; i++) {
        for (int what = 0; what < 4; what++) {
            mx_dim sum = mx_dim_of(0);
            for (int k = 0; k < 32; k++) {
                sum = mx_dim_add(t, sum, mx_dim_unknown(t));
            }
            const mx_dim result = operations[i](t, sum), name = mx_dim_named(t, "short");
            assert_true(mx_dim_is_unknown(t, result));
            const mx_dim other = what == 0   ? mx_dim_of(0)
                                 : what == 1 ? mx_dim_of(100000000)
                                 : what == 2 ? name
                                             : mx_dim_addn(t, mx_dim_muln(t, half(t, name), 7), 5);
            assert_true(mx_dim_unify(t, result, other));
            assert_true(mx_dim_equal(t, operations[i](t, sum), other));
        }
    }
    assert_int_equal(mx_dims_status(t), MX_OK);
}

static void sums_beyond_int64_are_handled(void **state)
{
    struct mx_dims *t = ((struct fixture *)*state)->t;
    const mx_dim big = mx_dim_of(INT64_MAX);
    assert_true(mx_dim_equal(t, mx_dim_addn(t, mx_dim_addn(t, big, -1), 1), big));
    assert_int_equal(mx_dims_status(t), MX_OK);
    const mx_dim d = mx_dim_muln(t, big, 2);
    assert_int_not_equal(mx_dims_status(t), MX_OK);
    assert_int_equal(mx_dims_status(t), MX_TOO_LARGE);
    assert_false(mx_dim_known(t, d, NULL));
    /* Everything still answers. */
    assert_true(mx_dim_unify(t, d, mx_dim_named(t, "n")));
    mx_dim_floor_div(t, mx_dim_mul(t, d, d), 3);
    check_text(t, d, "?");
}

static void coefficients_beyond_int64_are_handled(void **state)
{
    const int64_t most = INT64_C(1) << 62;
    for (int i = 0; i < 4; i++) {
        struct mx_arena arena = {0};
        struct mx_dims *t = mx_dims_new(&arena);
        const mx_dim n = mx_dim_named(t, "n"), large = mx_dim_muln(t, n, most), below = mx_dim_muln(t, n, -most);
        const mx_dim d = i == 0   ? mx_dim_add(t, large, large)
                         : i == 1 ? mx_dim_mul(t, mx_dim_muln(t, n, INT64_C(1) << 40), large)
                         : i == 2 ? mx_dim_muln(t, below, 2) /* INT64_MIN, which has no negative */
                                  : mx_dim_sub(t, below, large);
        check_text(t, d, "?");
        assert_int_equal(mx_dims_status(t), MX_TOO_LARGE);
        mx_dims_free(t);
        mx_arena_free(&arena);
    }
    /* x - 2^62*n = 2^62*n, where no coefficient is too large: x is 2^63*n, which is. */
    struct mx_dims *t = ((struct fixture *)*state)->t;
    const mx_dim n = mx_dim_named(t, "n"), x = mx_dim_unknown(t);
    assert_true(mx_dim_unify(t, mx_dim_add(t, x, mx_dim_muln(t, n, -most)), mx_dim_muln(t, n, most)));
    assert_true(mx_dim_is_unknown(t, x));
    assert_int_equal(mx_dims_status(t), MX_OK);
}

/* The difference has too many terms to be solved. */
static void long_sums_are_assumed_to_be_equal(void **state)
{
    struct mx_dims *t = ((struct fixture *)*state)->t;
    mx_dim sum[2] = {mx_dim_of(0), mx_dim_of(0)};
    char name[16];
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "n%d", i);
        sum[i % 2] = mx_dim_add(t, sum[i % 2], mx_dim_named(t, name));
    }
    assert_false(mx_dims_assumed(t));
    assert_true(mx_dim_unify(t, sum[0], sum[1]));
    assert_true(mx_dims_assumed(t));
    assert_int_equal(mx_dims_status(t), MX_OK);
}

/* ---- shapes */

static void check_shape(struct mx_dims *t, struct mx_shape s, const char *expected)
{
    struct mx_str text = {0};
    mx_shape_format(t, s, &text);
    assert_string_equal(text.text, expected);
    mx_str_free(&text);
}

static void a_shape_is_printed_with_its_names(void **state)
{
    struct fixture *f = *state;
    struct mx_dims *t = f->t;
    const mx_dim n = mx_dim_named(t, "batch"), x = mx_dim_unknown(t);
    const mx_dim dims[] = {mx_dim_of(1), mx_dim_of(3), n, x};
    const struct mx_shape known = mx_shape_of(&f->arena, dims, 2), rigid = mx_shape_of(&f->arena, dims, 3);
    const struct mx_shape open = mx_shape_of(&f->arena, dims, 4), scalar = mx_shape_of(&f->arena, NULL, 0);
    check_shape(t, known, "(1, 3)");
    check_shape(t, rigid, "(1, 3, batch)");
    check_shape(t, open, "(1, 3, batch, ?)");
    check_shape(t, scalar, "()");
    check_shape(t, mx_shape_of(&f->arena, dims, 1), "(1,)");
    check_shape(t, MX_SHAPE_UNKNOWN, "?");
    assert_int_equal(mx_shape_of(&f->arena, dims, -1).ndim, -1);
    assert_true(mx_shape_known(t, known) && mx_shape_known(t, scalar));
    assert_false(mx_shape_known(t, rigid) || mx_shape_known(t, open) || mx_shape_known(t, MX_SHAPE_UNKNOWN));
    assert_true(mx_shape_has_unknown(t, open) && mx_shape_has_unknown(t, MX_SHAPE_UNKNOWN));
    assert_false(mx_shape_has_unknown(t, rigid) || mx_shape_has_unknown(t, scalar));
    assert_true(mx_shape_equal(t, rigid, mx_shape_of(&f->arena, dims, 3)));
    assert_false(mx_shape_equal(t, rigid, known));
    assert_false(mx_shape_equal(t, MX_SHAPE_UNKNOWN, MX_SHAPE_UNKNOWN));
    const mx_dim other[] = {mx_dim_of(1), mx_dim_of(4)};
    assert_false(mx_shape_equal(t, known, mx_shape_of(&f->arena, other, 2)));
    assert_true(mx_dim_equal(t, mx_shape_elements(t, scalar), mx_dim_of(1)));
    check_text(t, mx_shape_elements(t, rigid), "3*batch");
    assert_true(mx_dim_is_unknown(t, mx_shape_elements(t, MX_SHAPE_UNKNOWN)));
    assert_true(mx_dim_unify(t, x, mx_dim_of(2)));
    check_text(t, mx_shape_elements(t, open), "6*batch");
}

static void every_dtype_has_a_name_and_a_flag(void **state)
{
    for (int i = 0; i < MX_DTYPE_COUNT; i++) {
        const enum mx_dtype t = (enum mx_dtype)i;
        assert_int_equal(mx_dtype_from_name(mx_dtype_name(t)), t);
        assert_int_equal(mx_dtype_from_flag(i), t);
        assert_true(mx_dtype_size(t) > 0 && mx_dtype_onnx(t) > 0);
        assert_int_equal(mx_dtype_is_float(t) + mx_dtype_is_integer(t) + (t == MX_BOOL), 1);
    }
    assert_string_equal(mx_dtype_name(MX_DTYPE_NONE), "unknown");
    assert_int_equal(mx_dtype_from_name("float"), MX_DTYPE_NONE);
    assert_int_equal(mx_dtype_from_name("unknown"), MX_DTYPE_NONE);
    assert_int_equal(mx_dtype_from_flag(-1), MX_DTYPE_NONE);
    assert_int_equal(mx_dtype_from_flag(13), MX_DTYPE_NONE);
    assert_int_equal(mx_dtype_from_flag(1LL << 32), MX_DTYPE_NONE);
    assert_int_equal(mx_dtype_size(MX_DTYPE_NONE), 0);
    assert_int_equal(mx_dtype_onnx(MX_DTYPE_NONE), 0);
    assert_true(mx_dtype_lowest(MX_DTYPE_NONE) == 0 && mx_dtype_largest(MX_DTYPE_NONE) == 0);
    assert_int_equal(mx_dtype_size(MX_FLOAT16), 2);
    assert_int_equal(mx_dtype_onnx(MX_INT64), 7);
    assert_true(mx_dtype_is_signed(MX_INT8) && mx_dtype_is_signed(MX_BFLOAT16));
    assert_false(mx_dtype_is_signed(MX_UINT32) || mx_dtype_is_signed(MX_BOOL) || mx_dtype_is_signed(MX_DTYPE_NONE));
    assert_false(mx_dtype_is_integer(MX_DTYPE_NONE) || mx_dtype_is_float(MX_DTYPE_NONE));
}

/* ---- without memory */

static bool task(void *user)
{
    struct mx_arena arena = {0};
    struct mx_dims *t = mx_dims_new(&arena);
    bool fine = t != NULL;
    if (t) {
        mx_dim x = mx_dim_unknown(t);
        const mx_dim first = x;
        for (int i = 0; i < 150; i++) {
            char name[16];
            snprintf(name, sizeof name, "n%d", i % 100);
            const mx_dim y = mx_dim_unknown(t);
            mx_dim q;
            if (!mx_dim_div_exact(t, mx_dim_mul(t, mx_dim_addn(t, x, 1), mx_dim_named(t, name)), y, &q)) {
                q = y;
            }
            mx_dim_unify(t, q, mx_dim_floor_div(t, mx_dim_addn(t, x, -i), 3));
            x = y;
        }
        mx_dim_unify(t, first, mx_dim_of(12));
        const struct mx_dim_term *terms;
        const mx_dim d = mx_dim_mul(t, mx_dim_addn(t, x, 2), mx_dim_addn(t, first, 1));
        const bool read = mx_dim_terms(t, d, &terms) > 0;
        mx_dim_bind_name(t, x, "end");
        fine = read && mx_dims_status(t) == MX_OK;
        if (mx_dims_status(t) != MX_OK && mx_dims_status(t) != MX_OUT_OF_MEMORY) {
            fail_msg("the reason is lost");
        }
    }
    mx_dims_free(t);
    mx_arena_free(&arena);
    return fine;
}

static void test_each_failed_allocation_is_reported(void **state)
{
    size_t runs = 0;
    const char *wrong = alloc_fail_each(task, NULL, &runs);
    if (wrong) {
        fail_msg("%s", wrong);
    }
    assert_true(runs > 10);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "large") == 0) {
        chain_length = 100000;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_expressions_agree_with_integers),
        cmocka_unit_test(dims_that_become_known_agree_with_integers),
        cmocka_unit_test_setup_teardown(work_with_long_sums_is_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(equal_dims_have_one_form, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_negative_size_is_known, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_exact_division_has_a_result, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unified_dims_are_equal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_newer_of_two_unknowns_is_bound, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_bound_name_replaces_the_unknown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bind_name_is_new, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_chains_of_unknowns_resolve_fast, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_sizes_of_a_deep_net_have_a_short_form, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_are_found_after_the_table_grew, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_dim_that_is_too_long_becomes_unknown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_dim_that_is_too_long_becomes_what_it_is_unified_with, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sums_beyond_int64_are_handled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(coefficients_beyond_int64_are_handled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_sums_are_assumed_to_be_equal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_shape_is_printed_with_its_names, set_up, tear_down),
        cmocka_unit_test(every_dtype_has_a_name_and_a_flag),
        cmocka_unit_test(test_each_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
