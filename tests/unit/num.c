#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

/* Accepted and refused forms, tried on MXNet 1.9.1. */
static void integers_have_mxnets_forms(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {
        {"2", 2},
        {"+2", 2},
        {"02", 2},
        {"-1", -1},
        {"0", 0},
        {"-0", 0},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
        {"0000000000000000000000000000012", 12},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        int64_t v = 77;
        assert_true(mx_parse_int(good[i].text, &v));
        assert_true(v == good[i].value);
    }
    static const char *const bad[] = {"",
                                      "-",
                                      "+",
                                      "2L",
                                      "2.0",
                                      "0x2",
                                      "2e0",
                                      " 2",
                                      "2 ",
                                      "--2",
                                      "+-2",
                                      "None",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "99999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t v = 77;
        assert_false(mx_parse_int(bad[i], &v));
        assert_int_equal(v, 77);
    }
    const char *tuple = "3L, 4)", *end = NULL;
    int64_t v = 0;
    assert_true(mx_scan_int(tuple, &end, &v));
    assert_int_equal(v, 3);
    assert_ptr_equal(end, tuple + 1);
}

static void doubles_have_pythons_forms(void **state)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {
        {"0.5", 0.5},
        {".5", 0.5},
        {"1.", 1},
        {"5e-1", 0.5},
        {"5E-1", 0.5},
        {"1e-05", 1e-05},
        {"+0.5", 0.5},
        {"1", 1},
        {"0.5f", 0.5},
        {"0.5F", 0.5},
        {"-.5e+1", -5},
        {"inf", HUGE_VAL},
        {"-inf", -HUGE_VAL},
        {"Infinity", HUGE_VAL},
        {"+INF", HUGE_VAL},
        {"3e+38", 3e38},
        {"1e-45", 1e-45},
        {"0", 0},
        {"00.10", 0.1},
        {"1e22", 1e22},
        {"123456789012345678901234567890", 123456789012345678901234567890.0},
        {"4.9e-324", 4.9e-324},
        {"1.7976931348623157e308", 1.7976931348623157e308},
        {"0.1000000000000000055511151231257827", 0.1},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        double v = 77;
        assert_true(mx_parse_double(good[i].text, &v));
        assert_true(v == good[i].value);
    }
    double v = 0;
    assert_true(mx_parse_double("nan", &v) && isnan(v));
    assert_true(mx_parse_double("-NaN", &v) && isnan(v));
    assert_true(mx_parse_double("-0.0", &v) && v == 0 && signbit(v));
    static const char *const bad[] = {"",   ".",   "-",   "e5",    "1L",     "None", " 1", "1 ",   "0x1p3",  "0X10",
                                      "1e", "1e+", "1..", "1e400", "-1e400", "1ff",  "in", "infi", "nan(1)", "1,5"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        v = 77;
        assert_false(mx_parse_double(bad[i], &v));
        assert_true(v == 77);
    }
    const char *tuple = "1.5e-2, 3)", *end = NULL;
    assert_true(mx_scan_double(tuple, &end, &v));
    assert_ptr_equal(end, tuple + 6);
    assert_true(v == 1.5e-2);
}

/* Expected texts are Python's repr, without ".0". */
static int rounds = 3000;

static void doubles_are_printed_shortest(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.1, "0.1"},
        {1e-05, "1e-05"},
        {0.0001, "0.0001"},
        {1, "1"},
        {-1, "-1"},
        {100, "100"},
        {0, "0"},
        {-0.0, "-0"},
        {1e15, "1000000000000000"},
        {1e16, "1e+16"},
        {123456.789, "123456.789"},
        {1.0 / 3, "0.3333333333333333"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {-3e38, "-3e+38"},
        {1e100, "1e+100"},
        {0.00001234, "1.234e-05"},
        {9007199254740993.0, "9007199254740992"},
        {0.1 + 0.2, "0.30000000000000004"},
        {HUGE_VAL, "inf"},
        {-HUGE_VAL, "-inf"},
        {2.5, "2.5"},
        {1234567890123456.7, "1234567890123456.8"},
    };
    char text[32];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mx_format_double(text, cases[i].value);
        assert_string_equal(text, cases[i].text);
    }
    mx_format_double(text, (double)NAN);
    assert_string_equal(text, "nan");
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < rounds; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        double d, back = 0;
        memcpy(&d, &x, sizeof d);
        if (!isnan(d) && !isinf(d)) {
            mx_format_double(text, d);
            assert_true(mx_parse_double(text, &back) && memcmp(&back, &d, sizeof d) == 0);
        }
    }
}

/* In a locale that writes a comma, if the machine has one of these; else in C. */
static void the_locale_changes_no_number(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "ps_AF", "C"};
    for (size_t i = 0; !setlocale(LC_ALL, names[i]); i++) {
    }
    double v = 0;
    char text[32];
    const bool read = mx_parse_double("1.5", &v);
    mx_format_double(text, 1234.5);
    setlocale(LC_ALL, "C");
    assert_true(read && v == 1.5);
    assert_string_equal(text, "1234.5");
}

static void overflow_of_int64_is_found(void **state)
{
    static const int64_t values[] = {0,
                                     1,
                                     -1,
                                     2,
                                     -2,
                                     3,
                                     1 << 20,
                                     3037000499,
                                     3037000500,
                                     -3037000500,
                                     INT64_MAX / 2,
                                     INT64_MIN / 2,
                                     INT64_MAX - 1,
                                     INT64_MAX,
                                     INT64_MIN + 1,
                                     INT64_MIN};
    enum { N = sizeof values / sizeof values[0] };
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            const int64_t a = values[i], b = values[j];
            int64_t expected, got = 77;
            bool fine = !__builtin_mul_overflow(a, b, &expected);
            assert_int_equal(mx_mul_i64(a, b, &got), fine);
            assert_true(got == (fine ? expected : 77));
            got = 77;
            fine = !__builtin_add_overflow(a, b, &expected);
            assert_int_equal(mx_add_i64(a, b, &got), fine);
            assert_true(got == (fine ? expected : 77));
            uint64_t uexpected, ugot = 77;
            fine = !__builtin_mul_overflow((uint64_t)a, (uint64_t)b, &uexpected);
            assert_int_equal(mx_mul_u64((uint64_t)a, (uint64_t)b, &ugot), fine);
            assert_true(ugot == (fine ? uexpected : 77));
            ugot = 77;
            fine = !__builtin_add_overflow((uint64_t)a, (uint64_t)b, &uexpected);
            assert_int_equal(mx_add_u64((uint64_t)a, (uint64_t)b, &ugot), fine);
            assert_true(ugot == (fine ? uexpected : 77));
        }
    }
    assert_int_equal(mx_floor_div(7, 2), 3);
    assert_int_equal(mx_floor_div(-7, 2), -4);
    assert_int_equal(mx_floor_div(-8, 2), -4);
    assert_int_equal(mx_floor_div(-1, 1000), -1);
    assert_int_equal(mx_floor_div(0, 5), 0);
    assert_true(mx_floor_div(INT64_MIN, 1) == INT64_MIN);
}

static float of_bits(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static uint32_t bits_of(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

/* The definition, in double: a half is sign, 5 bits of exponent, 10 of fraction. */
static double half_value(unsigned h)
{
    const unsigned exponent = h >> 10 & 31u, fraction = h & 1023u;
    return exponent ? ldexp(1024 + fraction, (int)exponent - 25) : ldexp(fraction, -24);
}

static void every_half_converts_to_float_and_back(void **state)
{
    for (unsigned h = 0; h < 0x7c00; h++) {
        const float f = mx_half_to_float((uint16_t)h);
        assert_true((double)f == half_value(h));
        assert_true(mx_half_to_float((uint16_t)(h | 0x8000)) == -f);
        assert_int_equal(mx_float_to_half(f), h);
        assert_int_equal(mx_float_to_half(-f), h | 0x8000);
        /* The middle between two goes to the even one, its neighbours to the nearer. */
        const float middle = (float)((half_value(h) + half_value(h + 1)) / 2);
        assert_int_equal(mx_float_to_half(middle), h + 1 == 0x7c00 ? 0x7c00 : h + (h & 1u));
        assert_int_equal(mx_float_to_half(of_bits(bits_of(middle) - 1)), h);
        assert_int_equal(mx_float_to_half(of_bits(bits_of(middle) + 1)), h + 1);
    }
    assert_int_equal(mx_float_to_half(HUGE_VALF), 0x7c00);
    assert_int_equal(mx_float_to_half(-1e30f), 0xfc00);
    assert_true(isinf(mx_half_to_float(0x7c00)));
    for (unsigned h = 0x7c01; h < 0x8000; h++) {
        assert_true(isnan(mx_half_to_float((uint16_t)h)));
        assert_int_equal(mx_float_to_half(of_bits(bits_of(mx_half_to_float((uint16_t)h)))) & 0x7c00, 0x7c00);
    }
    const uint16_t nan = mx_float_to_half(of_bits(0x7f800001u)); /* a NaN whose high bits are 0 */
    assert_true((nan & 0x7c00u) == 0x7c00u && (nan & 0x3ffu) != 0);
}

static void floats_are_rounded_or_clamped_to_halves(void **state)
{
    static const struct {
        float from;
        uint16_t plain, clamped;
    } rows[] = {
        {0, 0, 0},
        {1, 0x3c00, 0x3c00},
        {65504, 0x7bff, 0x7bff},
        {65519, 0x7bff, 0x7bff},
        {65520, 0x7c00, 0x7bff},
        {1e30f, 0x7c00, 0x7bff},
        {HUGE_VALF, 0x7c00, 0x7c00},
        {0x1p-24f, 1, 1},
        {0x1p-25f, 0, 1},
        {1e-40f, 0, 1},
    };
    enum { N = sizeof rows / sizeof rows[0] };
    float in[2 * N];
    uint16_t plain[2 * N], clamped[2 * N];
    for (int i = 0; i < N; i++) {
        in[i] = rows[i].from;
        in[N + i] = -rows[i].from;
    }
    mx_floats_to_halves(in, plain, 2 * N, false);
    mx_floats_to_halves(in, clamped, 2 * N, true);
    for (int i = 0; i < N; i++) {
        assert_int_equal(plain[i], rows[i].plain);
        assert_int_equal(plain[N + i], rows[i].plain | 0x8000);
        assert_int_equal(clamped[i], rows[i].clamped);
        assert_int_equal(clamped[N + i], rows[i].clamped | 0x8000);
    }
    const float nan = of_bits(0x7f800001u);
    mx_floats_to_halves(&nan, clamped, 1, true);
    assert_true(isnan(mx_half_to_float(clamped[0])));
}

/* The processor's way against the portable one: every sign, exponent and fraction that a half has, with what is cut around
 * the middle between two. */
static void test_halves_are_the_same_on_every_processor(void **state)
{
    static const uint32_t cut[] = {0, 1, 0xfff, 0x1000, 0x1001, 0x1ffe, 0x1fff, 0xaaa};
    for (uint32_t high = 0; high < 1u << 19; high++) {
        float in[8];
        uint16_t fast[8], portable[8];
        for (int i = 0; i < 8; i++) {
            in[i] = of_bits(high << 13 | cut[i]);
        }
        for (int clamp = 0; clamp < 2; clamp++) {
            mx_floats_to_halves(in, fast, 8, clamp);
            mx_floats_to_halves_portably(in, portable, 8, clamp);
            assert_memory_equal(fast, portable, sizeof fast);
        }
    }
}

static void bfloat16_converts_to_float(void **state)
{
    /* flag 12 with the bytes 80 3F 00 C0 60 40 is 1, -2, 3.5 */
    assert_true(mx_bfloat16_to_float(0x3f80) == 1.0f);
    assert_true(mx_bfloat16_to_float(0xc000) == -2.0f);
    assert_true(mx_bfloat16_to_float(0x4060) == 3.5f);
    assert_int_equal(mx_float_to_bfloat16(3.5f), 0x4060);
    assert_int_equal(mx_float_to_bfloat16(of_bits(0x3f808000u)), 0x3f80); /* half way, even stays */
    assert_int_equal(mx_float_to_bfloat16(of_bits(0x3f818000u)), 0x3f82);
    assert_int_equal(mx_float_to_bfloat16(of_bits(0x3f808001u)), 0x3f81);
    assert_int_equal(mx_float_to_bfloat16(of_bits(0x7f7fffffu)), 0x7f80);
    assert_int_equal(mx_float_to_bfloat16(HUGE_VALF), 0x7f80);
    assert_true(isnan(mx_bfloat16_to_float(mx_float_to_bfloat16(of_bits(0x7f800001u)))));
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "large") == 0) {
        rounds = 20000;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_have_mxnets_forms),
        cmocka_unit_test(doubles_have_pythons_forms),
        cmocka_unit_test(doubles_are_printed_shortest),
        cmocka_unit_test(the_locale_changes_no_number),
        cmocka_unit_test(overflow_of_int64_is_found),
        cmocka_unit_test(every_half_converts_to_float_and_back),
        cmocka_unit_test(floats_are_rounded_or_clamped_to_halves),
        cmocka_unit_test(test_halves_are_the_same_on_every_processor),
        cmocka_unit_test(bfloat16_converts_to_float),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
