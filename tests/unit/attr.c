/* Which texts each kind of attribute takes, each form tried on MXNet 1.9.1. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

#include "graph/graph.h"
#include "op/op.h"

struct all {
    int64_t i, count, axis, wide, any;
    struct mx_opt_int in, axis_none;
    bool b;
    struct mx_opt_bool bn;
    double f, d;
    struct mx_opt_float fn;
    struct mx_tuple t, tn, counts, axes;
    struct mx_places p;
    struct mx_floats fs, fsn;
    int e;
    enum mx_dtype dt;
    const char *s;
};

static const char *const words[] = {"max", "avg", "None", NULL};

static const struct mx_attr table[] = {
    MX_INT(struct all, i, NULL),
    MX_COUNT(struct all, count, "0"),
    MX_AXIS(struct all, axis, "-1"),
    MX_LONG(struct all, wide, "0"),
    MX_INT64(struct all, any, "0"),
    MX_INT_NONE(struct all, in, "None"),
    MX_AXIS_NONE(struct all, axis_none, "None"),
    MX_BOOL(struct all, b, "True"),
    MX_BOOL_NONE(struct all, bn, "None"),
    MX_FLOAT(struct all, f, "0.001"),
    MX_DOUBLE(struct all, d, "0.001"),
    MX_FLOAT_NONE(struct all, fn, "None"),
    MX_SIZES(struct all, t, "()"),
    MX_SIZES_NONE(struct all, tn, "None"),
    MX_COUNTS(struct all, counts, "()"),
    MX_AXES_NONE(struct all, axes, "()"),
    MX_PLACES(struct all, p, "None"),
    MX_FLOATS(struct all, fs, "(0.5,)"),
    MX_FLOATS_NONE(struct all, fsn, "None"),
    MX_ENUM(struct all, e, "avg", words),
    MX_DTYPE(struct all, dt, "None"),
    MX_STRING(struct all, s, ""),
    MX_IGNORED("workspace"),
};

static const struct mx_op op = {MX_ATTRS(table, struct all)};

static struct mx_arena arena;

static const struct mx_attr *row(const char *name)
{
    const struct mx_attr *r = mx_attr_row(&op, name, strlen(name));
    assert_non_null(r);
    return r;
}

static bool parse(const char *name, const char *text, struct all *out)
{
    *out = (struct all){0};
    return mx_attr_parse_text(row(name), text, &arena, (char *)out + row(name)->offset);
}

static void accepts(const char *name, const char *const *texts)
{
    struct all a;
    for (; *texts; texts++) {
        if (!parse(name, *texts, &a)) {
            fail_msg("%s refuses \"%s\"", name, *texts);
        }
    }
}

static void refuses(const char *name, const char *const *texts)
{
    struct all a;
    for (; *texts; texts++) {
        if (parse(name, *texts, &a)) {
            fail_msg("%s accepts \"%s\"", name, *texts);
        }
    }
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static void mxnets_forms_of_values_are_accepted(void **state)
{
    accepts("i", LIST("2", "+2", "02", " 2 ", "-7", "\t2\t", "\n2\n", "\r2\r"));
    accepts("in", LIST("None", "-1", "1L", " 12L "));
    accepts("b", LIST("0", "1", "true", "false", "True", "FALSE"));
    accepts("bn", LIST("None", "0", "1", "true", "False"));
    accepts("f", LIST("0.5", ".5", "1.", "5e-1", "5E-1", "1e-05", "+0.5", "1", "inf", "-inf", "Infinity", "nan"));
    accepts("t", LIST("(3, 3)", "[3,3]", "(3,)", "(3,3,)", "(3L, 3L)", "( 3 , 3 )", "()", "3", " (3, 3) "));
    accepts("tn", LIST("None", " None ", "()", "(0L, 1L)", "1"));
    accepts("p", LIST("None", "(None, 1)", "[None,1]", "(0L, 1L)", "1", "(9223372036854775807, -9223372036854775808)"));
    accepts("fs", LIST("(0.1, 0.2)", "[1,2]", "()", "0.5"));
    accepts("fsn", LIST("None", "(0.1, 0.2)", "()"));
    accepts("e", LIST("max", "avg", "None"));
    accepts("dt", LIST("float32", "float64", "float16", "uint8", "int8", "int32", "int64", "bool", "bfloat16", "None"));
}

/* Each blank is looked at once: by their square, this test does not end. */
static void test_many_blanks_are_read_once(void **state)
{
    enum { BLANKS = 4 << 20 };
    struct all a;
    char *text = malloc(BLANKS + 1);
    assert_non_null(text);
    memset(text, ' ', BLANKS);
    text[0] = '7';
    text[BLANKS] = 0;
    assert_true(parse("i", text, &a));
    assert_int_equal(a.i, 7);
    free(text);
}

static void other_forms_of_values_are_refused(void **state)
{
    refuses("i", LIST("2L", "2.0", "0x2", "2e0", "", "x", "99999999999999999999"));
    refuses("in", LIST("none", "(0,)", "1.0", ""));
    refuses("b", LIST("T", "yes", "None", "2", ""));
    refuses("bn", LIST("yes", "2", ""));
    refuses("f", LIST("1L", "None", "", "0x1p3", "1e400", "a"));
    refuses("t", LIST("None", "(None, 1)", "(3 3)", "(3, 3", "3, 3", "(3.0, 3.0)", "((1,2),(3,4))", "(1) x", "", "(,)", "(1,,2)"));
    refuses("tn", LIST("none", "(None, 1)", "(None"));
    refuses("p", LIST("(none, 1)", "(None"));
    refuses("fs", LIST("(0.1, 0.2", "0.1, 0.2", "(a)", "0.1 0.2", "None", ""));
    refuses("fsn", LIST("none", "(None, 1)"));
    refuses("e", LIST("Max", "0", " max", ""));
    refuses("dt", LIST("0", "float", "<class 'numpy.float32'>", ""));
}

static int parse_node(struct mx_attr_text *texts, int n, const struct all **out, struct mx_diags *diags)
{
    const struct mx_node node = {.op = &op, .op_name = "Op", .name = "x", .attr_text = texts, .n_attr_text = n};
    const void *p = NULL;
    const int status = mx_attrs_parse(&node, &arena, diags, &p);
    *out = p;
    return status;
}

#define TEN(text) text text text text text text text text text text

/* A text that is longer than any value of its kind is refused, and not cut. */
static void texts_that_are_too_long_are_refused(void **state)
{
    refuses("i", LIST("1" TEN("      ") "    x"));
    refuses("in", LIST("None" TEN("      ") "x", TEN("1234567"), TEN("xxxxxxx")));
    refuses("b", LIST("truetrue", "falsefalse", "1       0"));
    refuses("bn", LIST("Nonesuch", "truetrue", "1       0"));
    refuses("f", LIST(TEN(TEN("xxxxxx"))));
    refuses("d", LIST(TEN(TEN("xxxxxx"))));
    refuses("fn", LIST("None" TEN("      ") "x", TEN(TEN("xxxxxx"))));
}

/* A quarter of a MiB. */
static void a_text_has_at_most_a_quarter_of_a_mib(void **state)
{
    enum { MOST = 1 << 18 };
    const struct all *a;
    char *text = malloc(MOST + 2);
    (void)state;
    assert_non_null(text);
    memset(text, 'x', MOST + 1);
    for (int more = 0; more < 2; more++) {
        struct mx_diags diags = {0};
        struct mx_attr_text given[] = {{"i", "5"}, {"s", text}};
        text[MOST + more] = 0;
        assert_int_equal(parse_node(given, 2, &a, &diags), more ? MX_TOO_LARGE : MX_OK);
        assert_int_equal(diags.count, more);
        assert_true(!more || strcmp(diags.items[0].message, "'s' has 262145 bytes, and at most 262144 are possible") == 0);
        assert_true(more || strlen(a->s) == MOST);
        mx_diags_free(&diags);
        text[MOST] = 'x';
    }
    free(text);
}

/* What the messages say of each kind. */
static void each_kind_is_described(void **state)
{
    static const struct {
        const char *name, *text, *said;
    } rows[] = {
        {"i", "x", "\"x\" is not an integer from -2147483648 to 2147483647"},
        {"count", "-1", "\"-1\" is not an integer from 0 to 2147483647"},
        {"axis", "32", "\"32\" is not an integer from -32 to 31"},
        {"wide", "281474976710657", "\"281474976710657\" is not an integer up to 281474976710656"},
        {"any", "x", "\"x\" is not an integer"},
        {"in", "x", "\"x\" is not an integer from -2147483648 to 2147483647 or None"},
        {"axis_none", "x", "\"x\" is not an integer from -32 to 31 or None"},
        {"b", "x", "\"x\" is not True or False"},
        {"bn", "x", "\"x\" is not True, False or None"},
        {"f", "x", "\"x\" is not a number"},
        {"d", "x", "\"x\" is not a number"},
        {"fn", "x", "\"x\" is not a number or None"},
        {"t", "x", "\"x\" is not a tuple such as (3, 3) of integers up to 281474976710656"},
        {"tn", "x", "\"x\" is not a tuple such as (3, 3) of integers up to 281474976710656 or None"},
        {"counts", "x", "\"x\" is not a tuple such as (3, 3) of integers from 0 to 2147483647"},
        {"axes", "x", "\"x\" is not a tuple such as (3, 3) of integers from -32 to 31 or None"},
        {"p", "x", "\"x\" is not a tuple such as (0, None) of integers and None"},
        {"fs", "x", "\"x\" is not a tuple of numbers such as (0.5, 1.0)"},
        {"fsn", "x", "\"x\" is not a tuple of numbers such as (0.5, 1.0) or None"},
        {"e", "x", "\"x\" is not one of \"max\", \"avg\", \"None\""},
        {"dt", "x", "\"x\" is not an element type such as float32"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mx_diags diags = {0};
        const struct all *a;
        const bool first = strcmp(rows[i].name, "i") == 0;
        struct mx_attr_text given[] = {{rows[i].name, rows[i].text}, {"i", "5"}};
        assert_int_equal(parse_node(given, first ? 1 : 2, &a, &diags), MX_FORMAT);
        assert_int_equal(diags.count, 1);
        assert_string_equal(diags.items[0].attribute, rows[i].name);
        assert_string_equal(diags.items[0].message, rows[i].said);
        mx_diags_free(&diags);
    }
}

/* Numbers in their range only: what MXNet's int cannot hold, an axis that no tensor has, a negative count. */
static void numbers_out_of_range_are_refused(void **state)
{
    accepts("i", LIST("-2147483648", "2147483647"));
    refuses("i", LIST("-2147483649", "2147483648", "9223372036854775807"));
    accepts("count", LIST("0", "2147483647"));
    refuses("count", LIST("-1", "2147483648"));
    accepts("axis", LIST("-32", "31"));
    refuses("axis", LIST("-33", "32", "9223372036854775807"));
    accepts("wide", LIST("-281474976710656", "281474976710656"));
    refuses("wide", LIST("-281474976710657", "281474976710657"));
    accepts("any", LIST("-9223372036854775808", "9223372036854775807"));
    accepts("in", LIST("2147483647"));
    refuses("in", LIST("2147483648", "-9223372036854775808"));
    accepts("axis_none", LIST("None", "-32"));
    refuses("axis_none", LIST("32"));
    accepts("counts", LIST("()", "(0, 2147483647)"));
    refuses("counts", LIST("None", "(0, -1)", "(2147483648,)", "-1"));
    accepts("axes", LIST("(-32, 31)"));
    refuses("axes", LIST("(0, 32)", "-33"));
    refuses("tn", LIST("(281474976710657,)"));
}

static void values_are_parsed(void **state)
{
    struct all a;
    assert_true(parse("t", "(1, -2, 3L)", &a));
    assert_int_equal(a.t.n, 3);
    assert_int_equal(a.t.v[1], -2);
    assert_int_equal(a.t.v[2], 3);
    assert_true(a.t.given);
    assert_true(parse("tn", "None", &a));
    assert_false(a.tn.given);
    assert_int_equal(a.tn.n, 0);
    assert_true(parse("tn", "()", &a));
    assert_true(a.tn.given);
    assert_true(parse("p", "(None, 4)", &a));
    assert_int_equal(a.p.n, 2);
    assert_false(a.p.v[0].given);
    assert_true(a.p.v[1].given);
    assert_int_equal(a.p.v[1].v, 4);
    assert_true(parse("p", "None", &a));
    assert_int_equal(a.p.n, 0);
    assert_true(parse("fsn", "None", &a));
    assert_false(a.fsn.given);
    assert_int_equal(a.fsn.n, 0);
    assert_true(parse("in", "None", &a));
    assert_false(a.in.given);
    assert_true(parse("in", "0", &a));
    assert_true(a.in.given);
    assert_true(parse("f", "0.001", &a));
    assert_true(a.f == (double)0.001f); /* a float field holds the binary32 */
    assert_true(parse("d", "0.001", &a));
    assert_true(a.d == 0.001);
    assert_true(parse("e", "None", &a));
    assert_int_equal(a.e, 2);
    assert_true(parse("bn", "None", &a));
    assert_false(a.bn.given);
    assert_true(parse("bn", "1", &a));
    assert_true(a.bn.given && a.bn.v);
    assert_true(parse("bn", "False", &a));
    assert_true(a.bn.given && !a.bn.v);
    assert_true(parse("f", "-inf", &a));
    assert_true(isinf(a.f) && a.f < 0);
}

/* Their exponents are none of the type's, but the numbers are. */
static void numbers_with_other_exponents_are_read(void **state)
{
    static const struct {
        const char *name, *text;
        double value;
    } rows[] = {
        {"f", "0.0000001e39", 1e32},   {"f", "0.0000001e38", 1e31},   {"f", "-0.0000001e40", -1e33},
        {"f", "1000000e-39", 1e-33},   {"f", "1000000e-38", 1e-32},   {"f", "1e-99999999999999999999", 0},
        {"d", "0.0000001e309", 1e302}, {"d", "1000000e-309", 1e-303}, {"d", "-1e-99999999999999999999", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct all a;
        assert_true(parse(rows[i].name, rows[i].text, &a));
        const double got = *rows[i].name == 'f' ? a.f : a.d, error = *rows[i].name == 'f' ? 1e-6 : 1e-14;
        if (!(fabs(got - rows[i].value) <= fabs(rows[i].value) * error)) {
            fail_msg("%s: %g", rows[i].text, got);
        }
    }
}

static void a_tuple_has_a_longest_length(void **state)
{
    struct all a;
    char text[2 * MX_MAX_TUPLE + 4] = "(";
    for (int n = 1; n <= MX_MAX_TUPLE + 1; n++) {
        strcpy(text + 2 * n - 1, "1,");
    }
    strcpy(text + 1 + 2 * MX_MAX_TUPLE + 1, ")");
    assert_false(parse("t", text, &a));
    struct mx_diags diags = {0};
    const struct all *parsed;
    struct mx_attr_text given[] = {{"i", "5"}, {"t", text}};
    assert_int_equal(parse_node(given, 2, &parsed, &diags), MX_TOO_LARGE);
    assert_string_equal(diags.items[0].message, "'t' has 4097 elements, and at most 4096 are possible");
    mx_diags_free(&diags);
    strcpy(text + 1 + 2 * MX_MAX_TUPLE, ")");
    assert_true(parse("t", text, &a));
    assert_int_equal(a.t.n, MX_MAX_TUPLE);
}

static int64_t condition(const char *text)
{
    static const struct all values = {.count = 7, .e = 1, .b = true, .bn = {true, false}, .in = {true, 0}, .tn = {.given = true}};
    char longer[64]; /* what follows is not part of it */
    strcat(strcpy(longer, text), ")z");
    return mx_attr_number(&op, &values, longer, strlen(text));
}

static void conditions_of_lists_are_compared_whole(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } rows[] = {{"e=avg", 1}, {"e=max", 0}, {"e=av", 0}, {"e=avh", 0}, {"e=avgz", 0},    {"e", 0},
                {"count", 7}, {"b", 1},     {"bn", 0},   {"in", 1},    {"axis_none", 0}, {"tn", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (condition(rows[i].text) != rows[i].value) {
            fail_msg("%s is %lld", rows[i].text, (long long)condition(rows[i].text));
        }
    }
}

static void parsed_fields_are_found_by_name_and_kind(void **state)
{
    const struct mx_op bare = {.name = "Op"};
    const struct all values = {.count = 7, .e = 1};
    const struct mx_node node = {.op = &op, .attrs = &values}, without = {.op = &bare};
    assert_ptr_equal(mx_attr_field(&node, "count", MX_ATTR_INT), &values.count);
    assert_null(mx_attr_field(&node, "count", MX_ATTR_DOUBLE));
    assert_null(mx_attr_field(&node, "workspace", MX_ATTR_STRING));
    assert_null(mx_attr_field(&node, "other", MX_ATTR_INT));
    assert_null(mx_attr_field(&without, "count", MX_ATTR_INT));
    assert_string_equal(mx_attr_word(&node, "e"), "avg");
    assert_null(mx_attr_word(&node, "count"));
}

static void unknown_attributes_are_refused_unless_hidden(void **state)
{
    struct mx_diags diags = {0};
    const struct all *a;
    struct mx_attr_text given[] = {{"i", "5"}, {"e", "max"}, {"__lr_mult__", "2"}, {"workspace", "1024"}};
    assert_int_equal(parse_node(given, 4, &a, &diags), MX_OK);
    assert_int_equal(a->i, 5);
    assert_int_equal(a->e, 0);
    assert_true(a->b);
    assert_int_equal(a->t.n, 0);
    assert_false(a->tn.given);
    assert_int_equal(a->dt, MX_DTYPE_NONE);
    assert_int_equal(diags.count, 0);

    struct mx_attr_text unknown[] = {{"i", "5"}, {"colour", "red"}};
    assert_int_equal(parse_node(unknown, 2, &a, &diags), MX_UNSUPPORTED);
    assert_int_equal(diags.count, 1);
    assert_string_equal(diags.items[0].attribute, "colour");
    mx_diags_truncate(&diags, 0);

    struct mx_attr_text hidden[] = {{"i", "5"}, {"__colour__", "red"}};
    assert_int_equal(parse_node(hidden, 2, &a, &diags), MX_OK);
    struct mx_attr_text half_hidden[] = {{"i", "5"}, {"__colour", "red"}};
    assert_int_equal(parse_node(half_hidden, 2, &a, &diags), MX_UNSUPPORTED);
    mx_diags_truncate(&diags, 0);

    assert_int_equal(parse_node(NULL, 0, &a, &diags), MX_FORMAT);
    assert_string_equal(diags.items[0].attribute, "i");
    mx_diags_truncate(&diags, 0);

    struct mx_attr_text wrong[] = {{"i", "5"}, {"e", "median"}};
    assert_int_equal(parse_node(wrong, 2, &a, &diags), MX_FORMAT);
    assert_string_equal(diags.items[0].message, "\"median\" is not one of \"max\", \"avg\", \"None\"");
    mx_diags_truncate(&diags, 0);

    struct mx_attr_text far[] = {{"i", "5"}, {"axis", "32"}};
    assert_int_equal(parse_node(far, 2, &a, &diags), MX_FORMAT);
    assert_string_equal(diags.items[0].attribute, "axis");
    assert_string_equal(diags.items[0].message, "\"32\" is not an integer from -32 to 31");
    mx_diags_truncate(&diags, 0);

    struct mx_attr_text none[] = {{"i", "5"}, {"counts", "None"}};
    assert_int_equal(parse_node(none, 2, &a, &diags), MX_FORMAT);
    assert_string_equal(diags.items[0].message, "\"None\" is not a tuple such as (3, 3) of integers from 0 to 2147483647");
    mx_diags_free(&diags);
}

static int free_arena(void **state)
{
    mx_arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mxnets_forms_of_values_are_accepted),
        cmocka_unit_test(test_many_blanks_are_read_once),
        cmocka_unit_test(other_forms_of_values_are_refused),
        cmocka_unit_test(texts_that_are_too_long_are_refused),
        cmocka_unit_test(a_text_has_at_most_a_quarter_of_a_mib),
        cmocka_unit_test(each_kind_is_described),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(values_are_parsed),
        cmocka_unit_test(numbers_with_other_exponents_are_read),
        cmocka_unit_test(a_tuple_has_a_longest_length),
        cmocka_unit_test(conditions_of_lists_are_compared_whole),
        cmocka_unit_test(parsed_fields_are_found_by_name_and_kind),
        cmocka_unit_test(unknown_attributes_are_refused_unless_hidden),
    };
    return cmocka_run_group_tests(tests, NULL, free_arena);
}
