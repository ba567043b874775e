/* The real alloc.c; the other tests replace it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/alloc.h"

static void allocations_are_zeroed_and_overflow_is_refused(void **state)
{
    assert_null(mx_calloc(SIZE_MAX, 2));
    assert_null(mx_realloc(NULL, SIZE_MAX / 2, 4));
    unsigned char *p = mx_calloc(3, 5);
    for (int i = 0; i < 15; i++) {
        assert_int_equal(p[i], 0);
    }
    memset(p, 7, 15);
    p = mx_realloc(p, 25, 4000);
    assert_non_null(p);
    assert_int_equal(p[14], 7);
    p = mx_realloc(p, 0, 4);
    assert_non_null(p);
    p = mx_realloc(p, SIZE_MAX, 0);
    assert_non_null(p);
    mx_free(p);
    p = mx_calloc(0, 7);
    assert_non_null(p);
    mx_free(p);
    p = mx_calloc(SIZE_MAX, 0);
    assert_non_null(p);
    mx_free(p);
    mx_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_zeroed_and_overflow_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
