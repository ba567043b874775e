#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "alloc_fail.h"
#include "base/budget.h"
#include "base/json_out.h"
#include "base/str.h"

static void appended_text_is_kept(void **state)
{
    struct mx_str s = {0};
    assert_null(s.text);
    mx_str_append(&s, "");
    assert_string_equal(s.text, "");
    mx_str_append(&s, "abc");
    mx_str_append_bytes(&s, "d\0e", 3);
    assert_int_equal(s.length, 6);
    assert_memory_equal(s.text, "abcd\0e", 7);
    mx_str_append_bytes(&s, NULL, 0);
    assert_int_equal(s.length, 6);
    mx_str_clear(&s);
    assert_string_equal(s.text, "");
    assert_int_equal(s.length, 0);
    mx_str_printf(&s, "%d of %s", 3, "4");
    assert_string_equal(s.text, "3 of 4");
    mx_str_free(&s);
    assert_null(s.text);
    mx_str_clear(&s);
    mx_str_free(&s);
    assert_int_equal(alloc_fail_live(), 0);
}

static void a_string_grows(void **state)
{
    struct mx_str s = {0};
    char big[5000];
    memset(big, 'y', sizeof big - 1);
    big[sizeof big - 1] = 0;
    for (int i = 0; i < 100; i++) {
        mx_str_append(&s, "x");
        mx_str_printf(&s, "%s", i % 10 ? "-" : big);
    }
    assert_false(s.failed);
    assert_int_equal(s.length, 100 + 90 + 10 * (sizeof big - 1));
    assert_int_equal(strlen(s.text), s.length);
    mx_str_append_bytes(&s, "z", SIZE_MAX - 4); /* cannot be: no byte is read */
    assert_true(s.failed);
    mx_str_append(&s, "more");
    assert_int_equal(s.length, 100 + 90 + 10 * (sizeof big - 1));
    mx_str_free(&s);
}

static void a_string_stays_in_the_budget(void **state)
{
    struct mx_budget budget = {.limits = {[MX_LIMIT_MEMORY] = 10000}};
    struct mx_str s = {.budget = &budget};
    for (int i = 0; i < 4000; i++) {
        mx_str_append(&s, "x");
    }
    assert_false(s.failed);
    assert_int_equal(budget.memory, s.capacity);
    mx_str_clear(&s);
    assert_int_equal(budget.memory, s.capacity);
    for (int i = 0; i < 20000; i++) {
        mx_str_append(&s, "x");
    }
    assert_true(s.failed);
    assert_true(s.length < 10000);
    assert_int_equal(budget.status, MX_TOO_LARGE);
    assert_int_equal(budget.limit, MX_LIMIT_MEMORY);
    assert_int_equal(budget.memory, s.capacity);
    mx_str_free(&s);
    assert_int_equal(budget.memory, 0);
    assert_ptr_equal(s.budget, &budget);
    assert_int_equal(alloc_fail_live(), 0);
}

/* A name may hold a newline, but a line of a graph's text is one line: newlines since its beginning become blanks. */
static void a_line_is_one_line(void **state)
{
    struct mx_str s = {0};
    (void)state;
    mx_str_end_line(&s, 0);
    assert_string_equal(s.text, "\n");
    mx_str_append(&s, "\na\n\nb\n");
    mx_str_end_line(&s, 1);
    assert_string_equal(s.text, "\n a  b \n");
    mx_str_end_line(&s, s.length);
    assert_string_equal(s.text, "\n a  b \n\n");
    mx_str_free(&s);
}

static void prefixes_and_suffixes_are_found(void **state)
{
    assert_true(mx_starts_with("arg:x", "arg:"));
    assert_true(mx_starts_with("x", ""));
    assert_false(mx_starts_with("ar", "arg"));
    assert_true(mx_ends_with("a-symbol.json", ".json"));
    assert_true(mx_ends_with("", ""));
    assert_false(mx_ends_with("son", ".json"));
    assert_false(mx_ends_with("x.jsoN", ".json"));
}

static void words_have_letters_and_digits(void **state)
{
    static const char *const words[] = {"a", "Z", "z", "A", "_", "a0", "a9_Z"};
    static const char *const others[] = {"", "0", "9a", "a-", "a ", "@", "[", "`", "{", "a/", "a:", "\xC3\xA9"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        assert_true(mx_is_word(words[i]));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_false(mx_is_word(others[i]));
    }
}

/* The first and last of each length; then ones that are too long, surrogates, too large, cut off, and not the first byte. */
static void only_shortest_forms_are_utf8(void **state)
{
    static const char *const good[] = {"\x7F",         "\xC2\x80",     "\xDF\xBF",         "\xE0\xA0\x80",    "\xED\x9F\xBF",
                                       "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"};
    static const char *const bad[] = {"\xC1\xBF",         "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                      "\xF5\x80\x80\x80", "\xC2",         "\xE1\x80",         "\xF1\x80\x80", "\xE1\x80\x7F",
                                      "\xF1\x80\x80\xC0", "\x80"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(mx_is_utf8(good[i]));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(mx_is_utf8(bad[i]));
    }
}

static void long_texts_and_what_is_not_a_number_are_json(void **state)
{
    enum { LONG = 3 << 16 };
    static char text[LONG + 1], expected[LONG + 4];
    struct mx_str s = {0};
    struct mx_json j = {.out = &s};
    for (int i = 0; i < LONG; i++) {
        text[i] = (char)('a' + i % 23);
    }
    text[LONG - 2] = '"';
    snprintf(expected, sizeof expected, "\"%.*s\\\"%c\"", LONG - 2, text, text[LONG - 1]);
    mx_json_text(&j, text);
    assert_string_equal(s.text, expected);
    mx_str_clear(&s);
    mx_json_double(&j, -(double)INFINITY);
    mx_json_double(&j, (double)NAN);
    mx_json_double(&j, 2);
    mx_json_double(&j, 1e30);
    assert_string_equal(s.text, ",\"-inf\",\"nan\",2.0,1e+30");
    mx_str_free(&s);
}

static bool task(void *user)
{
    struct mx_str s = {0};
    for (int i = 0; i < 50; i++) {
        mx_str_append(&s, "some text ");
        mx_str_printf(&s, "%d", i);
    }
    const bool fine = !s.failed;
    mx_str_free(&s);
    return fine;
}

static void test_a_failed_allocation_keeps_the_text(void **state)
{
    const char *wrong = alloc_fail_each(task, NULL, NULL);
    if (wrong) {
        fail_msg("%s", wrong);
    }
    struct mx_str s = {0};
    mx_str_append(&s, "kept");
    alloc_fail_at(1, true);
    mx_str_printf(&s, "%200d", 1);
    mx_str_append(&s, "lost");
    alloc_fail_at(0, false);
    assert_true(s.failed);
    assert_string_equal(s.text, "kept");
    mx_str_free(&s);
}

static void the_distance_counts_edits(void **state)
{
    (void)state;
    char name[66] = {0};
    assert_int_equal(mx_distance("", ""), 0);
    assert_int_equal(mx_distance("", "abc"), 3);
    assert_int_equal(mx_distance("softmax", "softmax"), 0);
    assert_int_equal(mx_distance("sofmax", "softmax"), 1);
    assert_int_equal(mx_distance("kitten", "sitting"), 3);
    memset(name, 'a', 64);
    assert_int_equal(mx_distance(name, "a"), 63);
    assert_int_equal(mx_distance("a", name), 63);
    name[64] = 'a';
    assert_true(mx_distance(name, "a") == SIZE_MAX);
    assert_true(mx_distance("a", name) == SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appended_text_is_kept),
        cmocka_unit_test(a_string_grows),
        cmocka_unit_test(a_string_stays_in_the_budget),
        cmocka_unit_test(a_line_is_one_line),
        cmocka_unit_test(prefixes_and_suffixes_are_found),
        cmocka_unit_test(the_distance_counts_edits),
        cmocka_unit_test(test_a_failed_allocation_keeps_the_text),
        cmocka_unit_test(words_have_letters_and_digits),
        cmocka_unit_test(only_shortest_forms_are_utf8),
        cmocka_unit_test(long_texts_and_what_is_not_a_number_are_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
