#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "alloc_fail.h"
#include "base/arena.h"

/* Sizes around the block sizes: memory is zeroed, aligned, and no two pieces overlap. */
static void pieces_are_aligned_and_do_not_overlap(void **state)
{
    static const size_t sizes[] = {0, 1, 15, 16, 17, 1000, 1024, 1025, 4095, 4096, 5000, 70000, 1 << 20, 3 << 20};
    enum { N = sizeof sizes / sizeof sizes[0], ROUNDS = 20 };
    struct mx_arena a = {0};
    unsigned char *p[ROUNDS][N];
    size_t sum = 0;
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < N; i++) {
            if (sizes[i] > 5000 && r > 2) {
                continue;
            }
            p[r][i] = mx_arena_alloc(&a, sizes[i], 1);
            assert_non_null(p[r][i]);
            assert_int_equal((uintptr_t)p[r][i] % _Alignof(int64_t), 0);
            assert_int_equal((uintptr_t)p[r][i] % _Alignof(void *), 0);
            for (size_t k = 0; k < sizes[i]; k++) {
                if (p[r][i][k] != 0) {
                    fail_msg("not zeroed");
                }
            }
            memset(p[r][i], r * N + i + 1, sizes[i]);
            sum += sizes[i];
        }
    }
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < N; i++) {
            for (size_t k = 0; k < sizes[i] && (sizes[i] <= 5000 || r <= 2); k++) {
                if (p[r][i][k] != (unsigned char)(r * N + i + 1)) {
                    fail_msg("overwritten");
                }
            }
        }
    }
    assert_true(a.total >= sum);
    mx_arena_free(&a);
    assert_int_equal(a.total, 0);
    assert_null(a.block);
    assert_int_equal(alloc_fail_live(), 0);
    mx_arena_free(&a);
}

static void a_size_that_overflows_is_refused(void **state)
{
    struct mx_arena a = {0};
    assert_null(mx_arena_alloc(&a, SIZE_MAX, 1));
    assert_null(mx_arena_alloc(&a, SIZE_MAX - 20, 1));
    assert_null(mx_arena_alloc(&a, SIZE_MAX / 2, 3));
    assert_null(mx_arena_alloc(&a, 3, SIZE_MAX / 2));
    assert_non_null(mx_arena_alloc(&a, SIZE_MAX, 0));
    assert_non_null(MX_ARENA_NEW(&a, int));
    mx_arena_free(&a);
}

/* What is allocated next is zeroed, in memory that was used before, unless there was much. */
static void cleared_memory_is_used_again(void **state)
{
    static const size_t many[] = {1, 100, 2000};
    struct mx_arena a = {0};
    mx_arena_clear(&a);
    assert_int_equal(a.total, 0);
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        for (size_t k = 0; k < many[i]; k++) {
            memset(mx_arena_alloc(&a, 1000, 1), 'x', 1000);
        }
        mx_arena_clear(&a);
        assert_true(a.total <= 1 << 20);
        const char *next = mx_arena_alloc(&a, 1000, 1);
        for (size_t k = 0; k < 1000; k++) {
            assert_int_equal(next[k], 0);
        }
    }
    memset(mx_arena_alloc(&a, 3 << 20, 1), 'x', 3 << 20);
    mx_arena_free(&a);
    memset(mx_arena_alloc(&a, 3 << 20, 1), 'x', 3 << 20);
    mx_arena_clear(&a);
    assert_int_equal(a.total, 0);
    assert_int_equal(alloc_fail_live(), 0);
}

static void texts_are_copied(void **state)
{
    struct mx_arena a = {0};
    assert_string_equal(mx_arena_strdup(&a, "conv0"), "conv0");
    assert_string_equal(mx_arena_strdup(&a, ""), "");
    assert_string_equal(mx_arena_strndup(&a, "conv0", 3), "con");
    assert_string_equal(mx_arena_strndup(&a, "conv0", 99), "conv0");
    assert_string_equal(mx_arena_strndup(&a, "conv0", 0), "");
    assert_string_equal(mx_arena_printf(&a, "%s_%d", "fc", 12), "fc_12");
    const int n[] = {1, 2, 3};
    const int *copy = mx_arena_copy(&a, n, 3, sizeof n[0]);
    assert_memory_equal(copy, n, sizeof n);
    assert_non_null(mx_arena_copy(&a, NULL, 0, 4));
    char big[9000];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = 0;
    assert_string_equal(mx_arena_printf(&a, "%s", big), big);
    mx_arena_free(&a);
}

static bool task(void *user)
{
    struct mx_arena a = {0};
    bool fine = true;
    for (int i = 0; i < 40; i++) {
        fine = fine && mx_arena_alloc(&a, 300, (size_t)i) && mx_arena_printf(&a, "%d", i) && mx_arena_strdup(&a, "abc");
    }
    mx_arena_free(&a);
    return fine;
}

static void test_each_failed_allocation_is_reported(void **state)
{
    size_t runs = 0;
    const char *wrong = alloc_fail_each(task, NULL, &runs);
    if (wrong) {
        fail_msg("%s", wrong);
    }
    assert_true(runs >= 3);
}

/* The end of the text too, at every length. */
static void a_text_has_its_own_room(void **state)
{
    struct mx_arena a = {0};
    char given[64];
    for (size_t n = 0; n < sizeof given; n++) {
        struct mx_arena_text text = {0};
        memset(given, 'x', n);
        given[n] = 0;
        assert_non_null(mx_arena_set_text(&a, &text, given));
        char *next = mx_arena_alloc(&a, 1, 1);
        assert_non_null(next);
        *next = 'y';
        assert_string_equal(text.text, given);
    }
    mx_arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_aligned_and_do_not_overlap),
        cmocka_unit_test(a_size_that_overflows_is_refused),
        cmocka_unit_test(cleared_memory_is_used_again),
        cmocka_unit_test(texts_are_copied),
        cmocka_unit_test(test_each_failed_allocation_is_reported),
        cmocka_unit_test(a_text_has_its_own_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
