/* Names that are not text: a caller's are refused, a file's too, and what is told of a path is text. Only the public header. */
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

#include "mx2onnx.h"

#define NODES(name) "{\"nodes\":[{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]},{\"op\":\"Nowhere\",\"name\":\"" name "\",\"inputs\":[[0,0,0]]}," \
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

/* Its status, and what is told about it, as JSON with nothing left out. */
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
        refused(m, mx2onnx_set_input_shape(m, bad, 2, dims));
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
        refused(m, mx2onnx_set_param(m, bad, MX2ONNX_DTYPE_FLOAT64, 1, (const int64_t[]){1}, one, sizeof one, NULL, count_free));
        refused(m, mx2onnx_set_custom_operator(m, bad, &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler), .outputs = 1, .infer = do_nothing}, NULL, count_free));
        assert_int_equal(freed, 2);
    }
    mx2onnx_model_free(m);
}

/* These appear in the ONNX file. */
static void new_names_are_plain_text(void **state)
{
    mx2onnx_model *m = loaded();
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 2, dims), MX2ONNX_OK);
    for (int i = 0; i < BAD + CONTROL; i++) {
        const char *bad = i < BAD ? not_utf8[i] : control[i - BAD];
        refused(m, mx2onnx_set_input_dim_name(m, "data", 0, bad));
        refused(m, mx2onnx_rename(m, "act", bad));
        refused(m, mx2onnx_set_text(m, MX2ONNX_TEXT_UNKNOWN_DOMAIN, bad));
    }
    assert_int_equal(mx2onnx_set_input_dim_name(m, "data", 0, "Gr\xc3\xb6\xc3\x9f" "e"), MX2ONNX_OK);
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
        refusals += mx2onnx_node_add(n, bad, "org.example", 1, &x, NULL, 1, &y) == MX2ONNX_STATUS_INVALID_ARGUMENT;
        refusals += mx2onnx_node_add(n, "Op", bad, 1, &x, NULL, 1, &y) == MX2ONNX_STATUS_INVALID_ARGUMENT;
    }
    return MX2ONNX_STATUS_UNSUPPORTED;
}

static void a_handler_adds_no_such_names(void **state)
{
    mx2onnx_model *m = loaded();
    void *data = NULL;
    size_t size = 0;
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 2, dims), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_custom_operator(m, "Nowhere", &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler), .outputs = 1, .infer = like_input, .lower = add_badly}, NULL, NULL), MX2ONNX_OK);
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

static void a_path_is_told_as_text(void **state)
{
    mx2onnx_model *m = loaded();
    assert_int_equal(mx2onnx_load_params_file(m, "no/such\xff/file"), MX2ONNX_STATUS_NOT_FOUND);
    assert_non_null(strstr(mx2onnx_error(m), "no/such\\xff/file"));
    const char *text = NULL;
    assert_int_equal(mx2onnx_report_json(m, &text), MX2ONNX_OK);
    assert_non_null(strstr(text, "no/such\\\\xff/file"));
    mx2onnx_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_refuses_a_name),
        cmocka_unit_test(new_names_are_plain_text),
        cmocka_unit_test(a_handler_adds_no_such_names),
        cmocka_unit_test(names_of_a_symbol_are_text),
        cmocka_unit_test(a_path_is_told_as_text),
    };
    return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
