#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "alloc_fail.h"
#include "base/diag.h"
#include "base/str.h"

struct seen {
    int count;
    int level;
    char last[256];
};

static void log_line(int32_t level, const char *message, void *user)
{
    struct seen *seen = user;
    seen->count++;
    seen->level = level;
    strncpy(seen->last, message, sizeof seen->last - 1);
}

static const char *format(const struct mx_diag *diag)
{
    static char text[256];
    struct mx_str s = {0};
    mx_diag_format(diag, &s);
    assert_false(s.failed);
    strncpy(text, s.text, sizeof text - 1);
    mx_str_free(&s);
    return text;
}

static void a_message_has_its_parts(void **state)
{
    struct mx_diags d = {0};
    char name[] = "pool3";
    const struct mx_where where = {.node = name, .op = "Pooling", .attribute = "kernel"};
    assert_int_equal(mx_fail(&d, MX_UNSUPPORTED, where, "\"%s\" cannot be written" MX_HELP "use \"%s\"; or not", "same", "full"),
                     MX_UNSUPPORTED);
    memset(name, 'x', 5);
    assert_int_equal(d.count, 1);
    assert_int_equal(d.errors, 1);
    assert_int_equal(d.items[0].severity, MX2ONNX_SEVERITY_ERROR);
    assert_int_equal(d.items[0].status, MX_UNSUPPORTED);
    assert_string_equal(d.items[0].node, "pool3");
    assert_string_equal(d.items[0].message, "\"same\" cannot be written");
    assert_string_equal(d.items[0].advice, "use \"full\"; or not");
    assert_string_equal(format(&d.items[0]), "node 'pool3' (Pooling): 'kernel': \"same\" cannot be written; use \"full\"; or not");
    (void)mx_fail(&d, MX_IO, mx_named("a's.zip"), MX_SUBJECT "is damaged" MX_HELP "copy it again");
    assert_string_equal(d.items[1].name, "a's.zip");
    assert_string_equal(d.items[1].message, "'a's.zip' is damaged");
    assert_string_equal(format(&d.items[1]), "'a's.zip' is damaged; copy it again");
    (void)mx_fail(&d, MX_IO, mx_named("x"), "'%s' is not known", "y");
    assert_string_equal(d.items[2].name, "x");
    assert_string_equal(format(&d.items[2]), "'x': 'y' is not known");
    mx_diags_truncate(&d, 1);
    mx_warn(&d, (struct mx_where){.node = "a"}, "w");
    mx_note(&d, (struct mx_where){.op = "Proposal"}, "n %d", 5);
    mx_fail(&d, MX_IO, (struct mx_where){0}, "no file");
    assert_int_equal(d.count, 4);
    assert_int_equal(d.errors, 2);
    assert_int_equal(d.items[1].severity, MX2ONNX_SEVERITY_WARNING);
    assert_int_equal(d.items[1].status, MX_OK);
    assert_string_equal(format(&d.items[1]), "node 'a': w");
    assert_int_equal(d.items[2].severity, MX2ONNX_SEVERITY_NOTE);
    assert_string_equal(format(&d.items[2]), "operator Proposal: n 5");
    assert_string_equal(format(&d.items[3]), "no file");
    assert_string_equal(d.items[3].node, "");
    assert_string_equal(d.items[3].advice, "");
    mx_diags_free(&d);
    assert_int_equal(alloc_fail_live(), 0);
}

/* The advice begins at the mark of the format, not at one inside a name. */
static void a_verb_continues_the_name_only_after_the_mark(void **state)
{
    struct mx_diags d = {0};
    const struct mx_where where = {.node = "pool3", .op = "Pooling", .attribute = "kernel"};
    (void)mx_fail(&d, MX_SHAPE, where, MX_SUBJECT "repeats %d" MX_HELP "use %d", 4, 3);
    assert_string_equal(d.items[0].message, "'kernel' repeats 4");
    assert_string_equal(d.items[0].advice, "use 3");
    (void)mx_fail(&d, MX_SHAPE, where, "is %d a verb?", 4);
    assert_string_equal(d.items[1].message, "is 4 a verb?");
    (void)mx_fail(&d, MX_SHAPE, MX_NOWHERE, MX_SUBJECT "is missing");
    assert_string_equal(d.items[2].message, "is missing");
    mx_diags_free(&d);
}

static void advice_begins_at_the_mark_of_the_format(void **state)
{
    struct mx_diags d = {0};
    mx_fail(&d, MX_SHAPE, (struct mx_where){0}, "input '%s' is open" MX_HELP "fix '%s'", "a" MX_HELP "b; c", "c" MX_HELP "d");
    assert_string_equal(d.items[0].message, "input 'a" MX_HELP "b; c' is open");
    assert_string_equal(d.items[0].advice, "fix 'c" MX_HELP "d'");
    mx_fail(&d, MX_SHAPE, (struct mx_where){0}, "no '%s'; none", "a" MX_HELP "b");
    assert_string_equal(d.items[1].message, "no 'a" MX_HELP "b'; none");
    assert_string_equal(d.items[1].advice, "");
    mx_fail(&d, MX_SHAPE, (struct mx_where){0}, "%s" MX_HELP "%s", "alone", "");
    assert_string_equal(d.items[2].message, "alone");
    assert_string_equal(d.items[2].advice, "");
    char name[20001] = "";
    memset(name, 'x', sizeof name - 1);
    mx_fail(&d, MX_SHAPE, (struct mx_where){0}, "no '%s'" MX_HELP "give it", name);
    assert_string_equal(d.items[3].message + strlen(d.items[3].message) - 4, "x...");
    assert_string_equal(d.items[3].advice, "");
    name[15996] = 0; /* the mark of the advice would be among the points */
    mx_fail(&d, MX_SHAPE, (struct mx_where){0}, "%s." MX_HELP "give it", name);
    assert_string_equal(d.items[4].message + 15995, "x...");
    assert_string_equal(d.items[4].advice, "");
    mx_diags_free(&d);
}

/* Between characters, if the name has any. */
static void long_names_are_cut(void **state)
{
    static const struct {
        int length; /* of 'x', before the characters */
        const char *character, *end;
    } rows[] = {{3999, "\xC3\xA9", "x..."}, {3998, "\xC3\xA9", "\xC3\xA9..."}, {3997, "\xF0\x9F\x98\x80", "x..."}, {3999, "x", "xx..."}};
    struct mx_diags d = {0};
    char name[6000];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int filled = snprintf(name, sizeof name, "%0*d%s%s", rows[i].length, 0, rows[i].character, rows[i].character);
        for (char *zero = name; *zero == '0'; zero++) {
            *zero = 'x';
        }
        assert_true(filled > 4000);
        mx_note(&d, mx_named(name), "a note");
        assert_string_equal(d.items[i].name + strlen(d.items[i].name) - strlen(rows[i].end), rows[i].end);
        assert_true(strlen(d.items[i].name) <= 4003);
    }
    memset(name, 0x80, sizeof name - 1);
    mx_note(&d, mx_named(name), "a note");
    assert_string_equal(d.items[4].name, "...");
    mx_note(&d, mx_named("a"), "'ab' is longer");
    assert_string_equal(format(&d.items[5]), "'a': 'ab' is longer");
    mx_diags_free(&d);
}

static void diagnostics_are_logged(void **state)
{
    struct seen seen = {0};
    struct mx_diags d = {.log = log_line, .log_user = &seen};
    mx_fail(&d, MX_FORMAT, (struct mx_where){.node = "x"}, "bad %d" MX_HELP "mend it", 1);
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.level, MX2ONNX_SEVERITY_ERROR);
    assert_string_equal(seen.last, "node 'x': bad 1; mend it");
    mx_log(&d, 3, "pass %s", "canon");
    assert_int_equal(seen.level, 3);
    assert_string_equal(seen.last, "pass canon");
    assert_int_equal(d.count, 1);
    mx_diags_truncate(&d, 0);
    assert_int_equal(d.count, 0);
    assert_int_equal(d.errors, 0);
    mx_note(&d, (struct mx_where){0}, "again");
    assert_int_equal(seen.count, 3);
    mx_diags_free(&d);
    mx_log(&d, 3, "not logged");
    assert_int_equal(seen.count, 3);
}

static void notes_give_way_to_errors(void **state)
{
    struct mx_diags d = {0};
    for (int i = 0; i < 1500; i++) {
        mx_note(&d, (struct mx_where){0}, "note %d", i);
    }
    for (int i = 0; i < 500; i++) {
        mx_fail(&d, MX_SHAPE, (struct mx_where){0}, "error %d", i);
    }
    assert_int_equal(d.count, 1000);
    assert_int_equal(d.errors, 500);
    assert_string_equal(d.items[999].message, "error 0");
    assert_string_equal(mx_diags_first_error(&d), "error 0 (there are 499 more errors; the diagnostics have the first)");
    mx_diags_free(&d);
}

static void test_the_first_error_counts_the_others(void **state)
{
    struct mx_diags d = {0};
    assert_string_equal(mx_diags_first_error(&d), "");
    mx_note(&d, (struct mx_where){0}, "loaded");
    assert_string_equal(mx_diags_first_error(&d), "");
    mx_fail(&d, MX_SHAPE, (struct mx_where){.node = "a"}, "first" MX_HELP "do this");
    mx_fail(&d, MX_SHAPE, (struct mx_where){.node = "b"}, "second");
    assert_string_equal(mx_diags_first_error(&d), "node 'a': first; do this (the diagnostics have 1 more error)");
    mx_fail(&d, MX_SHAPE, (struct mx_where){.node = "c"}, "third");
    assert_string_equal(mx_diags_first_error(&d), "node 'a': first; do this (the diagnostics have 2 more errors)");
    mx_diags_truncate(&d, 2);
    assert_int_equal(d.count, 2);
    assert_int_equal(d.errors, 1);
    assert_string_equal(mx_diags_first_error(&d), "node 'a': first; do this");
    mx_diags_truncate(&d, 1);
    assert_int_equal(d.errors, 0);
    assert_string_equal(mx_diags_first_error(&d), "");
    mx_diags_truncate(&d, 99);
    assert_int_equal(d.count, 1);
    mx_fail(&d, MX_IO, (struct mx_where){0}, "third");
    assert_string_equal(mx_diags_first_error(&d), "third");
    mx_diags_free(&d);
}

/* The status comes back whatever happens, and no text is NULL. */
static bool task(void *user)
{
    struct mx_diags d = {0};
    const int *width = user; /* of the number, so that in some run each text is the first of a block */
    bool fine = true;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(mx_fail(&d, MX_IO, (struct mx_where){"n", "o", "a", "x"}, "message %*d" MX_HELP "advice", *width, i), MX_IO);
        assert_int_equal(d.errors, i + 1);
    }
    for (size_t i = 0; i < d.count; i++) {
        const struct mx_diag *x = &d.items[i];
        assert_null(strpbrk(x->message, MX_HELP));
        fine = fine && strcmp(x->node, "n") == 0 && strcmp(x->advice, "advice") == 0 && strncmp(x->message, "message", 7) == 0
               && strcmp(x->op, "o") == 0 && strcmp(x->attribute, "a") == 0;
    }
    fine = fine && d.count == 20;
    mx_diags_free(&d);
    return fine;
}

static void test_each_failed_allocation_leaves_the_diagnostics_whole(void **state)
{
    for (int width = 1; width < 400; width += 2) {
        const char *wrong = alloc_fail_each(task, &width, NULL);
        if (wrong) {
            fail_msg("%s", wrong);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_has_its_parts),
        cmocka_unit_test(a_verb_continues_the_name_only_after_the_mark),
        cmocka_unit_test(advice_begins_at_the_mark_of_the_format),
        cmocka_unit_test(long_names_are_cut),
        cmocka_unit_test(diagnostics_are_logged),
        cmocka_unit_test(notes_give_way_to_errors),
        cmocka_unit_test(test_the_first_error_counts_the_others),
        cmocka_unit_test(test_each_failed_allocation_leaves_the_diagnostics_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
