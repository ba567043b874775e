/* What a JSON value is charged against what jansson takes for it, and how reading it ends. */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "read/json.h"

static uint64_t held;

static void *take(size_t size)
{
    void *p = malloc(size);
    held += p ? malloc_usable_size(p) + sizeof(size_t) : 0;
    return p;
}

static void give(void *p)
{
    held -= p ? malloc_usable_size(p) + sizeof(size_t) : 0;
    free(p);
}

/* A list of many such values, or an object where `keys`. */
static void list_of(struct mx_str *text, const char *value, bool keys)
{
    mx_str_append(text, keys ? "{" : "[");
    for (int i = 0; i < 5000; i++) {
        if (keys) {
            mx_str_printf(text, "%s\"%x\":%s", i ? "," : "", i, value);
        } else {
            mx_str_printf(text, "%s%s", i ? "," : "", value);
        }
    }
    mx_str_append(text, keys ? "}" : "]");
}

/* No value takes more than is charged for it, nor less than a third: a charge that is far too high would refuse good files. */
static void a_value_is_charged_what_it_takes(void **state)
{
    static const char *const values[] = {"[]",
                                         "{}",
                                         "0",
                                         "1.5",
                                         "\"\"",
                                         "\"a\"",
                                         "[0]",
                                         "{\"a\":0}",
                                         "[1,0,0]",
                                         "\"a text that is longer than most\"",
                                         "\"\\\"\\\\\"",
                                         "[[[]]]",
                                         "{\"a\":{\"b\":[{}]}}"};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof values / sizeof *values; i++) {
        struct mx_str text = {0};
        list_of(&text, values[i / 2], i % 2);
        struct mx_json_text t = {.at = text.text, .end = text.text + text.length};
        held = 0;
        json_t *value = mx_json_load(&t, 0, NULL);
        assert_non_null(value);
        if (held > t.charged || t.charged > 3 * held) {
            fail_msg("%s%s: %llu bytes, charged %llu", i % 2 ? "key: " : "", values[i / 2], (unsigned long long)held,
                     (unsigned long long)t.charged);
        }
        json_decref(value);
        mx_str_free(&text);
    }
}

/* Where a value ends, and what it is, does not depend on the pieces. */
static void a_value_ends_where_it_does_in_one_piece(void **state)
{
    (void)state;
    for (int length = 0; length < 3000; length += 37) {
        struct mx_str text = {0};
        mx_str_append(&text, "[\"");
        for (int i = 0; i < length; i++) {
            mx_str_append(&text, i % 3 ? "x" : "\\\"");
        }
        mx_str_append(&text, "\"]");
        const size_t size = text.length;
        mx_str_append(&text, " {\"next\": 1}");
        struct mx_json_text t = {.at = text.text, .end = text.text + text.length};
        json_error_t error;
        json_t *value = mx_json_load(&t, JSON_DISABLE_EOF_CHECK, &error);
        assert_non_null(value);
        assert_int_equal(error.position, (int)size);
        assert_int_equal(json_string_length(json_array_get(value, 0)), length);
        json_decref(value);
        assert_null(mx_json_load(&t, 0, NULL)); /* something follows it */
        mx_str_free(&text);
    }
}

static void refused_before_it_is_held(void **state)
{
    struct mx_budget budget;
    struct mx_str text = {0};
    (void)state;
    mx_budget_init(&budget);
    budget.limits[MX_LIMIT_MEMORY] = 1 << 20;
    list_of(&text, "{\"a\":[{},{},{},{},{},{},{},{},{},{}]}", false);
    struct mx_json_text t = {.at = text.text, .end = text.text + text.length, .budget = &budget};
    held = 0;
    assert_null(mx_json_load(&t, 0, NULL));
    assert_int_equal(budget.status, MX_TOO_LARGE);
    assert_true(t.charged <= 1 << 20);
    mx_budget_release(&budget, t.charged);
    assert_int_equal(budget.memory, 0);
    mx_str_free(&text);
}

static int32_t count_call(uint64_t done, uint64_t total, void *user)
{
    ++*(int *)user;
    return 0;
}

/* What is large is freed in pieces, between which the caller is asked; a value with another reference stays whole. */
static void large_values_are_freed_in_pieces(void **state)
{
    for (int keys = 0; keys < 2; keys++) {
        struct mx_str text = {0};
        int calls = 0;
        struct mx_budget budget = {.progress = count_call, .user = &calls};
        mx_str_append(&text, "{\"a\":");
        list_of(&text, "[1,{\"x\":2}]", keys);
        mx_str_append(&text, ",\"b\":");
        list_of(&text, "3", !keys);
        mx_str_append(&text, "}");
        struct mx_json_text t = {.at = text.text, .end = text.text + text.length};
        held = 0;
        json_t *value = mx_json_load(&t, 0, NULL);
        assert_non_null(value);
        json_t *kept = json_incref(json_object_get(value, "b"));
        mx_json_free(value, &budget);
        assert_true(calls > 5000 * MX_TICK_VALUE / (1 << 22));
        assert_int_equal(keys ? json_array_size(kept) : json_object_size(kept), 5000);
        mx_json_free(kept, NULL);
        assert_int_equal(held, 0);
        mx_json_free(NULL, NULL);
        mx_str_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_is_charged_what_it_takes),
        cmocka_unit_test(a_value_ends_where_it_does_in_one_piece),
        cmocka_unit_test(refused_before_it_is_held),
        cmocka_unit_test(large_values_are_freed_in_pieces),
    };
    json_set_alloc_funcs(take, give);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
