#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "alloc_fail.h"
#include "base/arena.h"
#include "base/map.h"

static void a_value_is_found_by_its_key(void **state)
{
    struct mx_map m = {0};
    int one = 1, two = 2;
    assert_null(mx_map_get(&m, "a"));
    assert_int_equal(mx_map_count(&m), 0);
    assert_int_equal(mx_map_set(&m, "a", &one), MX_OK);
    assert_int_equal(mx_map_set(&m, "", &two), MX_OK);
    assert_ptr_equal(mx_map_get(&m, "a"), &one);
    assert_ptr_equal(mx_map_get(&m, ""), &two);
    assert_null(mx_map_get(&m, "A"));
    assert_null(mx_map_get(&m, "aa"));
    assert_int_equal(mx_map_count(&m), 2);
    mx_map_free(&m);
    assert_null(mx_map_get(&m, "a"));
    mx_map_free(&m);
    assert_int_equal(alloc_fail_live(), 0);
}

/* A replaced value's key may be freed with it. */
static void a_replaced_key_may_be_freed(void **state)
{
    struct mx_map m = {0};
    char first[] = "name", second[] = "name";
    int one = 1, two = 2;
    assert_int_equal(mx_map_set(&m, first, &one), MX_OK);
    assert_int_equal(mx_map_set(&m, second, &two), MX_OK);
    memset(first, 'x', 4);
    assert_ptr_equal(mx_map_get(&m, "name"), &two);
    assert_int_equal(mx_map_count(&m), 1);
    mx_map_free(&m);
}

static void many_values_are_found_by_their_keys(void **state)
{
    enum { N = 20000 };
    struct mx_arena a = {0};
    struct mx_map m = {0};
    static int values[N];
    char name[40];
    for (int i = 0; i < N; i++) {
        assert_int_equal(mx_map_set(&m, mx_arena_printf(&a, "stage%d_conv%d_weight", i % 7, i), &values[i]), MX_OK);
    }
    assert_int_equal(mx_map_count(&m), N);
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "stage%d_conv%d_weight", i % 7, i);
        assert_ptr_equal(mx_map_get(&m, name), &values[i]);
    }
    assert_null(mx_map_get(&m, "stage0_conv1_weight"));
    mx_map_free(&m);
    mx_arena_free(&a);
    assert_int_equal(alloc_fail_live(), 0);
}

static bool task(void *user)
{
    char(*names)[16] = user;
    struct mx_map m = {0};
    bool fine = true;
    size_t set = 0;
    for (int i = 0; i < 400; i++) {
        const bool done = mx_map_set(&m, names[i], names[i]) == MX_OK;
        fine = fine && done;
        set += done;
        if ((mx_map_get(&m, names[i]) == names[i]) != done) {
            fail_msg("a failed set left something");
        }
    }
    assert_int_equal(mx_map_count(&m), set);
    mx_map_free(&m);
    return fine;
}

static void test_each_failed_allocation_is_reported(void **state)
{
    static char names[400][16];
    for (int i = 0; i < 400; i++) {
        snprintf(names[i], sizeof names[i], "n%d", i);
    }
    size_t runs = 0;
    const char *wrong = alloc_fail_each(task, names, &runs);
    if (wrong) {
        fail_msg("%s", wrong);
    }
    assert_true(runs > 5); /* blocks of items, and uthash growing */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_is_found_by_its_key),
        cmocka_unit_test(a_replaced_key_may_be_freed),
        cmocka_unit_test(many_values_are_found_by_their_keys),
        cmocka_unit_test(test_each_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
