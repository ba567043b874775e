/* ox_interval: how small and how large elements can be, by the nodes that make them. */
#include <math.h>

#include "build_common.h"

/* Nothing is known where hi is UNKNOWN. */
#define UNKNOWN ((double)NAN)
struct row {
    ox_val x;
    double lo, hi;
};

static void check(struct ox_build *b, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double lo = 99, hi = UNKNOWN;
        assert_int_not_equal(rows[i].x, OX_NONE);
        const bool known = ox_interval(b, rows[i].x, &lo, &hi);
        if (known != !isnan(rows[i].hi) || (known && !(lo == rows[i].lo && hi == rows[i].hi))) {
            fail_msg("row %zu: %g to %g, not %g to %g", i, lo, hi, rows[i].lo, rows[i].hi);
        }
    }
    assert_false(ox_failed(b));
}

#define CHECK(b, rows) check(b, rows, sizeof rows / sizeof *rows)

static ox_val number(struct ox_build *b, double v)
{
    return ox_scalar(b, F32, v);
}

static ox_val to(struct ox_build *b, ox_val x, enum mx_dtype t)
{
    return ox_node(b, OX_Cast, OX_IN(x), OX_ATTRS(OX_T("to", t)));
}

static ox_val cut(struct ox_build *b, ox_val x, int64_t axis, int64_t begin, int64_t end)
{
    return ox_node(b, OX_Slice, OX_IN(x, ox_int(b, begin), ox_int(b, end), ox_int(b, axis)), OX_NO_ATTRS);
}

/* float32: a number from 0 to most, by ArgMax. */
static ox_val position(struct t *t, const char *name, int most)
{
    struct ox_build *b = &t->b;
    const ox_val x = input(t, name, F32, most == 1 ? "4,2" : "4,3");
    assert_true(most == 1 || most == 2);
    return to(b, ox_node(b, OX_ArgMax, OX_IN(x), OX_ATTRS(OX_I("axis", 1))), F32);
}

static void the_result_of_arithmetic_has_bounds(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val p = position(&t, "p", 1), signs = ox_sub(b, position(&t, "signs", 2), number(b, 1));
    const ox_val small = to(b, p, MX_INT8), many = ox_mul(b, small, ox_scalar(b, MX_INT8, 127));
    const ox_val none = ox_floats(b, F32, (const double[]){2, (double)NAN, 7}, 3);
    const ox_val x = input(&t, "x", F32, "4,5"), open = input(&t, "open", F32, "batch,5"), yes = input(&t, "yes", MX_BOOL, "4,5");
    const ox_val s = ox_unary(b, OX_Sigmoid, x), h = ox_unary(b, OX_Tanh, x), c = ox_floats(b, F32, (const double[]){2, -3, 7}, 3);
    const ox_val below = ox_sub(b, s, number(b, 4)), up = ox_mul(b, s, number(b, 10));
    const struct row rows[] = {
        {x, 0, UNKNOWN},
        {c, -3, 7},
        {s, 0, 1},
        {h, -1, 1},
        {ox_softmax(b, OX_Softmax, x, 1), 0, 1},
        {ox_unary(b, OX_Neg, s), 0, UNKNOWN},
        {ox_node(b, OX_ArgMax, OX_IN(x), OX_ATTRS(OX_I("axis", 1))), 0, 4},
        {ox_node(b, OX_ArgMin, OX_IN(x), OX_NO_ATTRS), 0, 3},
        {ox_node(b, OX_ArgMax, OX_IN(open), OX_NO_ATTRS), 0, UNKNOWN},
        {ox_add(b, s, h), -1, 2},
        {ox_add(b, s, x), 0, UNKNOWN},
        {ox_add(b, x, s), 0, UNKNOWN},
        {below, -4, -3},
        {ox_sub(b, h, s), -2, 1},
        {ox_sub(b, x, s), 0, UNKNOWN},
        {ox_sub(b, s, x), 0, UNKNOWN},
        {ox_mul(b, below, below), 9, 16},
        {ox_mul(b, below, h), -4, 4},
        {ox_mul(b, h, below), -4, 4},
        {ox_mul(b, below, up), -40, 0},
        {ox_mul(b, x, h), 0, UNKNOWN},
        {ox_mul(b, h, x), 0, UNKNOWN},
        {ox_where(b, yes, s, h), -1, 1},
        {ox_where(b, yes, below, h), -4, 1},
        {ox_where(b, yes, x, h), 0, UNKNOWN},
        {ox_where(b, yes, h, x), 0, UNKNOWN},
        {none, 2, 7},
        {to(b, ox_mul(b, signs, number(b, 2.5)), MX_INT64), -2, 2},
        {to(b, ox_mul(b, p, number(b, 10)), MX_UINT8), 0, 10},
        {to(b, signs, MX_UINT8), 0, UNKNOWN},
        {to(b, ox_mul(b, signs, number(b, 127)), MX_INT8), -127, 127},
        {to(b, ox_mul(b, p, number(b, 128)), MX_INT8), 0, UNKNOWN},
        {to(b, ox_mul(b, p, number(b, 255)), MX_UINT8), 0, 255},
        {to(b, ox_mul(b, p, number(b, 256)), MX_UINT8), 0, UNKNOWN},
        {to(b, s, MX_INT64), 0, UNKNOWN}, /* it may be NaN */
        {to(b, h, MX_INT64), 0, UNKNOWN},
        {to(b, ox_where(b, yes, s, number(b, 1)), MX_INT64), 0, UNKNOWN},
        {to(b, ox_where(b, yes, number(b, 1), s), MX_INT64), 0, UNKNOWN},
        {to(b, ox_add(b, number(b, 1), s), MX_INT64), 0, UNKNOWN},
        {to(b, ox_sub(b, s, number(b, 1)), MX_INT64), 0, UNKNOWN},
        {to(b, ox_mul(b, number(b, 1), s), MX_INT64), 0, UNKNOWN},
        {to(b, ox_mul(b, ox_add(b, p, none), number(b, 1)), MX_INT64), 0, UNKNOWN},
        {to(b, ox_sub(b, number(b, 1), s), MX_INT64), 0, UNKNOWN},
        {to(b, ox_mul(b, number(b, 2), s), MX_INT64), 0, UNKNOWN},
        {ox_floats(b, F32, NULL, 0), 0, UNKNOWN},
        {many, 0, 127},
        {ox_add(b, many, small), 0, UNKNOWN}, /* integers wrap around */
        {ox_sub(b, many, ox_scalar(b, MX_INT8, -1)), 0, UNKNOWN},
        {ox_mul(b, many, ox_scalar(b, MX_INT8, 2)), 0, UNKNOWN},
        {ox_add(b, many, ox_scalar(b, MX_INT8, -127)), -127, 0},
        {to(b, ox_mul(b, h, number(b, 2048)), MX_FLOAT16), -2048, 2048},
        {to(b, ox_mul(b, h, number(b, 2049)), MX_FLOAT16), 0, UNKNOWN},
        {to(b, s, MX_BOOL), 0, UNKNOWN},
        {to(b, x, MX_INT32), 0, UNKNOWN},
    };
    (void)state;
    CHECK(b, rows);
    end(&t);
}

static void nodes_that_move_values_keep_the_bounds(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val x = input(&t, "x", F32, "4,5"), s = ox_unary(b, OX_Sigmoid, x), h = ox_unary(b, OX_Tanh, x);
    const ox_val ints = input(&t, "ints", MX_INT64, "4,2"), pairs = input(&t, "pairs", MX_INT64, "3,1");
    const ox_val both = ox_concat(b, (const ox_val[]){s, h}, 2, 1), above = ox_concat(b, (const ox_val[]){s, h}, 2, 0);
    const ox_val turned = ox_transpose(b, both, INTS(1, 0), 2);
    ox_val parts[2];
    ox_split(b, s, 1, INTS(2, 3), 2, parts);
    const struct row rows[] = {
        {both, -1, 1},
        {cut(b, both, 1, 0, 5), 0, 1},
        {cut(b, both, -1, 2, 5), 0, 1},
        {cut(b, both, 1, 5, 10), -1, 1},
        {cut(b, both, 1, 4, 6), -1, 1},
        {cut(b, both, 0, 0, 2), -1, 1},
        {cut(b, above, 0, 0, 4), 0, 1},
        {cut(b, above, 0, 1, 5), -1, 1},
        {cut(b, above, 1, 0, 4), -1, 1},
        {cut(b, both, 1, -10, -5), -1, 1}, /* counted from the end: not followed */
        {ox_node(b, OX_Slice, OX_IN(both, ox_int(b, 0), ox_int(b, 5), ox_int(b, 1), ox_int(b, 2)), OX_NO_ATTRS), -1, 1},
        {cut(b, cut(b, above, 1, 0, 4), 0, 0, 4), 0, 1},
        {cut(b, ox_concat(b, (const ox_val[]){s, x}, 2, 1), 1, 0, 5), 0, 1},
        {cut(b, ox_concat(b, (const ox_val[]){s, x}, 2, 1), 1, 0, 6), 0, UNKNOWN},
        {ox_gather(b, both, ox_scalar(b, MX_INT64, 4), 1), 0, 1},
        {ox_gather(b, both, ox_scalar(b, MX_INT64, -1), 1), -1, 1},
        {ox_gather(b, both, ox_scalar(b, MX_INT64, -6), 1), 0, 1},
        {cut(b, above, 0, 0, -4), -1, 1},
        {ox_gather(b, both, OX_INTS(b, 0, 1), 1), -1, 1},
        {cut(b, turned, 0, 0, 5), 0, 1},
        {cut(b, turned, 0, 5, 10), -1, 1},
        {cut(b, turned, 1, 0, 2), -1, 1},
        {cut(b, ox_reshape_ints(b, both, INTS(2, 2, 10), 3), 2, 0, 5), 0, 1},
        {cut(b, ox_reshape_ints(b, both, INTS(2, 2, 10), 3), 0, 0, 1), -1, 1},
        {cut(b, ox_reshape_ints(b, both, INTS(40), 1), 0, 0, 5), -1, 1},
        {cut(b, ox_add(b, both, number(b, 1)), 1, 0, 5), 1, 2},
        {ox_node(b, OX_Expand, OX_IN(s, OX_INTS(b, 3, 4, 5)), OX_NO_ATTRS), 0, 1},
        {ox_tile(b, s, INTS(2, 1), 2), 0, 1},
        {ox_unsqueeze1(b, s, 0), 0, 1},
        {ox_squeeze1(b, cut(b, s, 0, 0, 1), 0), 0, 1},
        {parts[1], 0, 1},
        {ox_node(b, OX_GatherElements, OX_IN(s, ints), OX_ATTRS(OX_I("axis", 1))), 0, 1},
        {ox_node(b, OX_GatherND, OX_IN(s, ints), OX_NO_ATTRS), 0, 1},
        {cut(b, ox_node(b, OX_GatherND, OX_IN(both, pairs), OX_NO_ATTRS), 1, 0, 5), 0, 1},
    };
    (void)state;
    CHECK(b, rows);
    end(&t);
}

/* A caller's operators may give values without a rank, and its nodes may name no axes. */
static void values_of_an_unknown_rank_keep_the_bounds(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val places = input(&t, "places", MX_INT64, "1,1,4,4"), pairs = input(&t, "pairs", MX_INT64, "3,1");
    const ox_val any =
        ox_node(b, OX_MaxUnpool, OX_IN(input(&t, "x", F32, "1,1,4,4"), places), OX_ATTRS(OX_IS("kernel_shape", INTS(2, 2), 2)));
    const ox_val s = ox_unary(b, OX_Sigmoid, any), h = ox_unary(b, OX_Tanh, any), at = input(&t, "at", MX_INT64, "1");
    const struct ox_attr *last_axis = OX_ATTRS(OX_I("axis", -1));
    assert_int_equal(ox_rank(b, s), -1);
    const struct row rows[] = {
        {ox_node(b, OX_Slice, OX_IN(s, ox_int(b, 0), ox_int(b, 5)), OX_NO_ATTRS), 0, 1},
        {cut(b, s, -1, 0, 5), 0, 1},
        {cut(b, s, 1, 0, 5), 0, 1},
        {ox_node(b, OX_Slice, OX_IN(s, at, ox_int(b, 5), ox_int(b, 1)), OX_NO_ATTRS), 0, 1},
        {ox_node(b, OX_Slice, OX_IN(s, ox_int(b, 1), at, ox_int(b, 1)), OX_NO_ATTRS), 0, 1},
        {ox_node(b, OX_Slice, OX_IN(s, ox_int(b, 1), ox_int(b, 5), at), OX_NO_ATTRS), 0, 1},
        {ox_node(b, OX_Gather, OX_IN(s, ox_int(b, 0)), last_axis), 0, 1},
        {ox_node(b, OX_GatherND, OX_IN(s, pairs), OX_NO_ATTRS), 0, 1},
        {ox_node(b, OX_Transpose, OX_IN(s), OX_NO_ATTRS), 0, 1},
        {ox_node(b, OX_Concat, OX_IN(s, h), last_axis), -1, 1},
        {cut(b, ox_node(b, OX_Concat, OX_IN(s, h), last_axis), -1, 0, 5), -1, 1},
        {ox_node(b, OX_Reshape, OX_IN(s, OX_INTS(b, 4, 4)), OX_NO_ATTRS), 0, 1},
        {cut(b, ox_node(b, OX_Reshape, OX_IN(s, OX_INTS(b, 4, 4)), OX_NO_ATTRS), 1, 0, 2), 0, 1},
    };
    (void)state;
    CHECK(b, rows);
    end(&t);
}

/* A constant that is transposed and cut is another view of its elements. */
static void elements_of_a_view_are_its_own(void **state)
{
    enum { N = 100 * 90 };
    static double numbers[N];
    struct t t;
    struct ox_build *b = begin(&t, 17);
    for (int i = 0; i < N; i++) {
        numbers[i] = i;
    }
    const ox_val all = ox_reshape_ints(b, ox_floats(b, F32, numbers, N), INTS(100, 90), 2), turned = ox_swap_axes(b, all, 0, 1);
    const struct row rows[] = {{turned, 0, N - 1}, {ox_slice1(b, turned, 0, 10, 80), 10, 99 * 90 + 79}};
    assert_non_null(ox_tensor_of(b, rows[1].x)->base);
    CHECK(b, rows);
    end(&t);
    (void)state;
}

/* A walk has 64 steps at most, and sees 2048 values. */
static void long_walks_are_given_up(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val s = ox_unary(b, OX_Sigmoid, input(&t, "x", F32, "4,5"));
    ox_val chain[64], twice[11];
    for (int i = 0; i < 64; i++) {
        chain[i] = ox_add(b, i == 0 ? s : chain[i - 1], number(b, 1));
    }
    for (int i = 0; i < 11; i++) {
        const ox_val x = i == 0 ? s : twice[i - 1];
        twice[i] = ox_add(b, x, x);
    }
    const struct row rows[] = {{chain[62], 63, 64}, {chain[63], 0, UNKNOWN}, {twice[9], 0, 1024}, {twice[10], 0, UNKNOWN}};
    CHECK(b, rows);
    end(&t);
    (void)state;
}

static void indices_are_numbers_between_limits(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val p = position(&t, "p", 2), s = ox_unary(b, OX_Sigmoid, p);
    const ox_val none = ox_floats(b, F32, (const double[]){1, (double)NAN}, 2), inf = number(b, (double)INFINITY);
    assert_true(ox_is_between(b, p, -1, 3));
    assert_false(ox_is_between(b, p, 0, 3) || ox_is_between(b, p, -1, 2));
    assert_false(ox_is_between(b, s, -1, 3) || ox_is_between(b, none, -1, 3) || ox_is_between(b, OX_NONE, -1, 3));
    assert_false(ox_is_between(b, ox_mul(b, p, inf), -1, (double)INFINITY)); /* 0 times infinity */
    assert_false(ox_is_between(b, inf, -1, (double)INFINITY));
    end(&t);
    (void)state;
}

static void nothing_is_known_without_a_value(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    double lo = 5, hi = 6;
    const ox_val s = ox_unary(b, OX_Sigmoid, input(&t, "x", F32, "4,5"));
    assert_false(ox_interval(b, OX_NONE, &lo, &hi));
    assert_true(ox_interval(b, s, &lo, &hi));
    assert_true(lo >= 0 && hi <= 1);
    ox_fail(b, NULL, "no more");
    assert_false(ox_interval(b, s, &lo, &hi));
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_result_of_arithmetic_has_bounds),
        cmocka_unit_test(nodes_that_move_values_keep_the_bounds),
        cmocka_unit_test(values_of_an_unknown_rank_keep_the_bounds),
        cmocka_unit_test(elements_of_a_view_are_its_own),
        cmocka_unit_test(long_walks_are_given_up),
        cmocka_unit_test(indices_are_numbers_between_limits),
        cmocka_unit_test(nothing_is_known_without_a_value),
    };
    return cmocka_run_group_tests_name("onnx_interval", tests, NULL, NULL);
}
