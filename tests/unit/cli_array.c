/* Numbers that an element type does not have become the nearest ones that it has: a C cast of them is undefined. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/array.h"

static double converted(double x, mx2onnx_dtype dtype)
{
    struct cli_array a = {.dtype = MX2ONNX_DTYPE_FLOAT64, .rank = 1, .dims = {1}, .count = 1};
    assert_true(cli_array_allocate(&a));
    *(double *)a.data = x;
    assert_true(cli_array_convert(&a, dtype));
    const double y = cli_array_get(&a, 0);
    cli_array_free(&a);
    return y;
}

static void numbers_out_of_range_become_the_nearest(void **state)
{
    static const struct {
        mx2onnx_dtype dtype;
        double low, high;
    } types[] = {
        {MX2ONNX_DTYPE_UINT8, 0, UINT8_MAX},
        {MX2ONNX_DTYPE_INT8, INT8_MIN, INT8_MAX},
        {MX2ONNX_DTYPE_UINT16, 0, UINT16_MAX},
        {MX2ONNX_DTYPE_INT16, INT16_MIN, INT16_MAX},
        {MX2ONNX_DTYPE_UINT32, 0, UINT32_MAX},
        {MX2ONNX_DTYPE_INT32, INT32_MIN, INT32_MAX},
        {MX2ONNX_DTYPE_UINT64, 0, 0x1.fffffffffffffp63},
        {MX2ONNX_DTYPE_INT64, -0x1p63, 0x1.fffffffffffffp62},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const mx2onnx_dtype t = types[i].dtype;
        const double high = types[i].high, low = types[i].low;
        assert_true(converted(high, t) >= high && converted(high, t) <= high);
        assert_true(converted(low, t) >= low && converted(low, t) <= low);
        assert_true(converted(high * 2 + 2, t) >= high && converted(high * 2 + 2, t) <= high);
        assert_true(converted(low * 2 - 2, t) >= low && converted(low * 2 - 2, t) <= low);
        assert_true(converted((double)INFINITY, t) >= high && converted((double)INFINITY, t) <= high);
        assert_true(converted(-(double)INFINITY, t) >= low && converted(-(double)INFINITY, t) <= low);
        assert_int_equal(converted((double)NAN, t), 0);
    }
}

static void fractions_are_cut_off(void **state)
{
    assert_int_equal(converted(2.9, MX2ONNX_DTYPE_INT32), 2);
    assert_int_equal(converted(-2.9, MX2ONNX_DTYPE_INT8), -2);
    assert_int_equal(converted(-0.9, MX2ONNX_DTYPE_UINT8), 0);
    assert_int_equal(converted(0.1, MX2ONNX_DTYPE_BOOL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_out_of_range_become_the_nearest),
        cmocka_unit_test(fractions_are_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
