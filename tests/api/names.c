/* Names that are not text: a caller's are refused, a file's too, and a path is reported as text. Only the public header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "../support/given.h"
#include "mx2onnx.h"

#define NODES(name)                                                                                                                        \
    "{\"nodes\":[{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]},{\"op\":\"Nowhere\",\"name\":\"" name "\",\"inputs\":[[0,0,0]]},"       \
    "{\"op\":\"relu\",\"name\":\"act\",\"inputs\":[[1,0,0]]}],\"arg_nodes\":[0],\"heads\":[[2,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}"

static const char *const not_utf8[] = {"b\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"};
static const char *const control[] = {"a\nb", "\x1b[2J", "\x7f"};
enum { BAD = sizeof not_utf8 / sizeof not_utf8[0], CONTROL = sizeof control / sizeof control[0] };
static const int64_t dims[] = {-1, 64};
static const double one[] = {1};
static int freed;

static void count_free(void *user)
{
    freed++;
}

static int32_t do_nothing(mx2onnx_node *n, void *user)
{
    return 0;
}

static mx2onnx_model *loaded(void)
{
    mx2onnx_model *m = NULL;
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load_symbol_memory(m, NODES("fc"), strlen(NODES("fc"))), MX2ONNX_OK);
    return m;
}

/* Its status, and what is reported about it, as JSON with nothing left out. */
static void refused(mx2onnx_model *m, int32_t status)
{
    assert_int_equal(status, MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(mx2onnx_error(m), "not UTF-8"));
    const char *text = NULL;
    assert_int_equal(mx2onnx_report_json(m, &text), MX2ONNX_OK);
    json_t *report = text ? json_loads(text, 0, NULL) : NULL;
    assert_non_null(report);
    assert_int_equal(json_array_size(json_object_get(report, "diagnostics")), mx2onnx_diagnostic_count(m));
    assert_true(mx2onnx_diagnostic_count(m) > 0);
    json_decref(report);
}

static void every_function_refuses_a_name(void **state)
{
    mx2onnx_model *m = loaded();
    for (int i = 0; i < BAD; i++) {
        const char *bad = not_utf8[i];
        refused(m, mx2onnx_set_input_shape(m, bad, 2, dims, NULL));
        refused(m, mx2onnx_set_input_dim_name(m, bad, 0, "batch"));
        refused(m, mx2onnx_set_input_dtype(m, bad, MX2ONNX_DTYPE_FLOAT32));
        refused(m, mx2onnx_set_input_channels_last(m, bad, 1));
        refused(m, mx2onnx_set_input_channels_reversed(m, bad, 1));
        refused(m, mx2onnx_set_input_mean(m, bad, 1, one));
        refused(m, mx2onnx_set_input_scale(m, bad, 1, one));
        refused(m, mx2onnx_add_output(m, bad));
        refused(m, mx2onnx_rename(m, bad, "x"));
        refused(m, mx2onnx_set_node_precision(m, bad, MX2ONNX_PRECISION_FLOAT32));
        refused(m, mx2onnx_set_text(m, MX2ONNX_TEXT_TARGET, bad));
        refused(m, mx2onnx_set_text(m, MX2ONNX_TEXT_PARAM_PREFIX, bad));
        refused(m, mx2onnx_load_net(m, bad));
        freed = 0;
        refused(m, given_param(m, bad, given_array(MX2ONNX_DTYPE_FLOAT64, 1, (const int64_t[]){1}, one, sizeof one), NULL, count_free));
        refused(m, mx2onnx_set_custom_operator(
                       m, bad, &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = do_nothing},
                       NULL, count_free));
        assert_int_equal(freed, 2);
    }
    mx2onnx_model_free(m);
}

/* These appear in the ONNX file. */
static void new_names_are_plain_text(void **state)
{
    mx2onnx_model *m = loaded();
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 2, dims, NULL), MX2ONNX_OK);
    for (int i = 0; i < BAD + CONTROL; i++) {
        const char *bad = i < BAD ? not_utf8[i] : control[i - BAD];
        refused(m, mx2onnx_set_input_dim_name(m, "data", 0, bad));
        refused(m, mx2onnx_rename(m, "act", bad));
        refused(m, mx2onnx_set_text(m, MX2ONNX_TEXT_UNKNOWN_DOMAIN, bad));
    }
    assert_int_equal(mx2onnx_set_input_dim_name(m, "data", 0,
                                                "Gr\xc3\xb6\xc3\x9f"
                                                "e"),
                     MX2ONNX_OK);
    assert_int_equal(mx2onnx_rename(m, "act", "\xe5\x87\xba"), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_text(m, MX2ONNX_TEXT_UNKNOWN_DOMAIN, "org.\xc3\xa9"), MX2ONNX_OK);
    mx2onnx_model_free(m);
}

static int32_t like_input(mx2onnx_node *n, void *user)
{
    return mx2onnx_node_set_output_like(n, 0, 0);
}

static int refusals;

static int32_t add_badly(mx2onnx_node *n, void *user)
{
    const mx2onnx_value x = mx2onnx_node_input_value(n, 0);
    mx2onnx_value y;
    for (int i = 0; i < BAD + CONTROL; i++) {
        const char *bad = i < BAD ? not_utf8[i] : control[i - BAD];
        refusals += given_node(n, bad, "org.example", 1, &x, NULL, 1, &y) == MX2ONNX_STATUS_INVALID_ARGUMENT;
        refusals += given_node(n, "Op", bad, 1, &x, NULL, 1, &y) == MX2ONNX_STATUS_INVALID_ARGUMENT;
    }
    return MX2ONNX_STATUS_UNSUPPORTED;
}

static void a_handler_adds_no_such_names(void **state)
{
    mx2onnx_model *m = loaded();
    void *data = NULL;
    size_t size = 0;
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 2, dims, NULL), MX2ONNX_OK);
    assert_int_equal(
        mx2onnx_set_custom_operator(
            m, "Nowhere",
            &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = like_input, .lower = add_badly},
            NULL, NULL),
        MX2ONNX_OK);
    assert_int_not_equal(mx2onnx_export_memory(m, &data, &size), MX2ONNX_OK);
    assert_int_equal(refusals, 2 * (BAD + CONTROL));
    mx2onnx_model_free(m);
}

static void names_of_a_symbol_are_text(void **state)
{
    static const char *const symbols[] = {NODES("b\xff"), NODES("\xed\xa0\x80"), NODES("a\\u0000b"), NODES("\\ud800")};
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        mx2onnx_model *m = NULL;
        assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
        assert_int_equal(mx2onnx_load_symbol_memory(m, symbols[i], strlen(symbols[i])), MX2ONNX_STATUS_FORMAT);
        mx2onnx_model_free(m);
    }
}

static void a_path_is_reported_as_text(void **state)
{
    mx2onnx_model *m = loaded();
    assert_int_equal(mx2onnx_load_params_file(m, "no/such\xff/file"), MX2ONNX_STATUS_NOT_FOUND);
    assert_non_null(strstr(mx2onnx_error(m), "no/such\\xff/file"));
    const char *text = NULL;
    assert_int_equal(mx2onnx_report_json(m, &text), MX2ONNX_OK);
    assert_non_null(strstr(text, "no/such\\\\xff/file"));
    mx2onnx_model_free(m);
}

/* ---- names in the file */

/* A field of a message of protobuf: its number, and its bytes if it is a text or a message. Returns where the next one is. */
static const unsigned char *next_field(const unsigned char *at, uint64_t *field, const unsigned char **bytes, uint64_t *size)
{
    uint64_t numbers[2] = {0}; /* the tag, and a number or a length */
    *bytes = NULL;
    for (int i = 0; i < 2; i++) {
        int shift = 0;
        do {
            numbers[i] |= (uint64_t)(*at & 0x7f) << shift;
            shift += 7;
        } while (*at++ & 0x80);
        assert_true((numbers[0] & 7) == 0 || (numbers[0] & 7) == 2); /* a model without parameters has no others */
    }
    *field = numbers[0] >> 3;
    *size = numbers[1];
    *bytes = (numbers[0] & 7) == 2 ? at : NULL;
    return *bytes ? at + *size : at;
}

/* Adds the names of a graph's inputs, then those of its outputs, to text: "a b -> c". */
static void names_of(const unsigned char *graph, uint64_t size, char *text)
{
    for (uint64_t list = 11; list <= 12; list++) { /* GraphProto: input = 11, output = 12; ValueInfoProto: name = 1 */
        strcat(text, list == 12 ? "->" : "");
        for (const unsigned char *at = graph, *value, *name; at < graph + size;) {
            uint64_t field, length;
            at = next_field(at, &field, &value, &length);
            if (field == list) {
                (void)next_field(value, &field, &name, &length);
                assert_int_equal(field, 1);
                sprintf(strchr(text, 0), "%.*s ", (int)length, (const char *)name);
            }
        }
    }
}

static void names_in_file(mx2onnx_model *m, char *text)
{
    void *data = NULL;
    size_t length = 0;
    *text = 0;
    if (mx2onnx_export_memory(m, &data, &length) != MX2ONNX_OK) {
        fail_msg("%s", mx2onnx_error(m));
    }
    for (const unsigned char *at = data, *bytes; at < (unsigned char *)data + length;) {
        uint64_t field, size;
        at = next_field(at, &field, &bytes, &size);
        if (field == 7) { /* ModelProto: graph = 7 */
            names_of(bytes, size, text);
        }
    }
    mx2onnx_memory_free(data);
}

static void names_told(mx2onnx_model *m, char *text)
{
    *text = 0;
    const char *report;
    size_t i;
    json_t *input;
    assert_int_equal(mx2onnx_report_json(m, &report), MX2ONNX_OK);
    json_t *told = json_loads(report, 0, NULL);
    json_array_foreach(json_object_get(told, "inputs"), i, input)
    {
        sprintf(strchr(text, 0), "%s ", json_string_value(json_object_get(input, "name")));
    }
    json_decref(told);
    strcat(text, "->");
    for (i = 0; i < mx2onnx_output_count(m); i++) {
        sprintf(strchr(text, 0), "%s ", mx2onnx_output_name(m, i));
    }
}

/* Every name once in the file, and what is reported of the model is what the file has. */
static void names_given_twice_are_made_unique(void **state)
{
    static const char sum[] =
        "{\"nodes\":[{\"op\":\"null\",\"name\":\"a\",\"inputs\":[]},{\"op\":\"null\",\"name\":\"b\",\"inputs\":[]},"
        "{\"op\":\"elemwise_add\",\"name\":\"sum\",\"inputs\":[[0,0,0],[1,0,0]]},{\"op\":\"relu\",\"name\":\"act\",\"inputs\":[[2,0,0]]}],"
        "\"arg_nodes\":[0,1],\"heads\":[[2,0,0],[3,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";
    static const struct {
        const char *renames[4], *output, *wanted;
        size_t notes;
    } cases[] = {
        {{0}, NULL, "a b ->sum act ", 0},
        {{"a", "b", "b", "a"}, NULL, "b a ->sum act ", 0},
        {{0}, "a", "a ->a_1 ", 1},
        {{"a", "c", "a", NULL}, "a", "a ->a_1 ", 1}, /* taken back */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mx2onnx_model *m = NULL;
        char told[100], file[100];
        const char *report = NULL;
        assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
        assert_int_equal(mx2onnx_load_symbol_memory(m, sum, sizeof sum - 1), MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_input_shape(m, "a", 1, (const int64_t[]){4}, NULL), MX2ONNX_OK);
        for (int k = 0; k < 4 && cases[i].renames[k]; k += 2) {
            assert_int_equal(mx2onnx_rename(m, cases[i].renames[k], cases[i].renames[k + 1]), MX2ONNX_OK);
        }
        if (cases[i].output) {
            assert_int_equal(mx2onnx_add_output(m, cases[i].output), MX2ONNX_OK);
        }
        assert_true(mx2onnx_output_count(m) > 0); /* a look */
        assert_int_equal(mx2onnx_infer(m), MX2ONNX_OK);
        assert_int_equal(mx2onnx_diagnostic_count(m), cases[i].notes);
        names_told(m, told);
        names_in_file(m, file);
        assert_string_equal(file, cases[i].wanted);
        assert_string_equal(told, file);
        names_told(m, told);
        assert_string_equal(told, file);
        assert_int_equal(mx2onnx_diagnostic_count(m), cases[i].notes);
        assert_int_equal(mx2onnx_report_json(m, &report), MX2ONNX_OK);
        json_t *json = json_loads(report, 0, NULL);
        const json_t *last = json_array_get(json_object_get(json, "outputs"), mx2onnx_output_count(m) - 1);
        assert_string_equal(json_string_value(json_object_get(last, "name")), mx2onnx_output_name(m, mx2onnx_output_count(m) - 1));
        json_decref(json);
        mx2onnx_model_free(m);
    }
}

/* A name that another value has, or that two of them get: the file would silently have yet another one. */
static void a_chosen_name_may_not_be_taken(void **state)
{
    static const char symbol[] =
        "{\"nodes\":[{\"op\":\"null\",\"name\":\"a\",\"inputs\":[]},{\"op\":\"null\",\"name\":\"w\",\"inputs\":[]},"
        "{\"op\":\"FullyConnected\",\"name\":\"fc\",\"attrs\":{\"num_hidden\":\"2\",\"no_bias\":\"True\"},"
        "\"inputs\":[[0,0,0],[1,0,0]]},"
        "{\"op\":\"relu\",\"name\":\"act\",\"inputs\":[[2,0,0]]},"
        "{\"op\":\"SliceChannel\",\"name\":\"halves\",\"attrs\":{\"num_outputs\":\"2\"},\"inputs\":[[3,0,0]]}],"
        "\"arg_nodes\":[0,1],\"heads\":[[3,0,0],[4,0,0],[4,1,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";
    static const struct {
        const char *renames[6], *error;
    } cases[] = {
        {{"a", "act"}, "'a' gets the name 'act', but 'act' has this name in the model; choose another name"},
        {{"act", "a"}, "'act' gets the name 'a', but 'a' has this name in the model; choose another name"},
        {{"act", "w"}, "'act' gets the name 'w', but 'w' has this name in the model; choose another name"},
        {{"act", "fc"}, "'act' gets the name 'fc', but 'fc' has this name in the model; choose another name"},
        {{"w", "halves1"}, "'w' gets the name 'halves1', but 'halves1' has this name in the model; choose another name"},
        {{"halves0", "x", "halves1", "x"},
         "'halves0' gets the name 'x', which is chosen for 'halves1' too; choose another name for one of them"},
        {{"a", "act", "act", "a"}, NULL},
        {{"a", "act", "act", "b", "w", "a"}, NULL},
        {{"fc", "x", "act", "x"}, NULL}, /* fc has no name in the file: a warning */
        {{"act", "a", "act", "act"}, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mx2onnx_model *m = NULL;
        const float weight[8] = {0};
        const mx2onnx_array w = {.struct_size = sizeof w,
                                 .dtype = MX2ONNX_DTYPE_FLOAT32,
                                 .rank = 2,
                                 .dims = (const int64_t[]){2, 4},
                                 .data = weight,
                                 .size = sizeof weight};
        assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
        assert_int_equal(mx2onnx_load_symbol_memory(m, symbol, sizeof symbol - 1), MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_param(m, "w", &w, NULL, NULL), MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_input_shape(m, "a", 2, (const int64_t[]){3, 4}, NULL), MX2ONNX_OK);
        for (int k = 0; k < 6 && cases[i].renames[k]; k += 2) {
            assert_int_equal(mx2onnx_rename(m, cases[i].renames[k], cases[i].renames[k + 1]), MX2ONNX_OK);
        }
        assert_int_equal(mx2onnx_infer(m), cases[i].error ? MX2ONNX_STATUS_INVALID_ARGUMENT : MX2ONNX_OK);
        assert_string_equal(mx2onnx_error(m), cases[i].error ? cases[i].error : "");
        mx2onnx_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_refuses_a_name),  cmocka_unit_test(new_names_are_plain_text),
        cmocka_unit_test(a_handler_adds_no_such_names),   cmocka_unit_test(names_of_a_symbol_are_text),
        cmocka_unit_test(a_path_is_reported_as_text),     cmocka_unit_test(names_given_twice_are_made_unique),
        cmocka_unit_test(a_chosen_name_may_not_be_taken),
    };
    return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
