/* The opset of a model for which none was requested. Only the public header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../support/given.h"
#include "mx2onnx.h"

/* data -> Mish -> Gelu: operators of handlers that write the ONNX operator of their name, which exists from opset 18 and 20 on. */
#define SYMBOL(second)                                                                                                                     \
    "{\"nodes\":[{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]},"                                                                       \
    "{\"op\":\"Custom\",\"name\":\"first\",\"attrs\":{\"op_type\":\"Mish\"},\"inputs\":[[0,0,0]]},"                                        \
    "{\"op\":\"Custom\",\"name\":\"second\",\"attrs\":{\"op_type\":\"" second "\"},\"inputs\":[[1,0,0]]}],"                                \
    "\"arg_nodes\":[0],\"heads\":[[2,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}"

static const char both[] = SYMBOL("Gelu"), refused[] = SYMBOL("Refused");

/* What the handlers and the log were given. */
struct told {
    int32_t inferred, lowered; /* the opset of the last call */
    int errors, notes;
    int32_t refuses; /* an opset, in infer */
};

static mx2onnx_status infer(mx2onnx_node *n, void *user)
{
    struct told *told = user;
    told->inferred = mx2onnx_node_opset(n);
    return told->inferred == told->refuses ? mx2onnx_node_fail(n, "is refused") : mx2onnx_node_set_output_like(n, 0, 0);
}

static mx2onnx_status lower(mx2onnx_node *n, void *user)
{
    mx2onnx_value x = mx2onnx_node_input_value(n, 0), y;
    ((struct told *)user)->lowered = mx2onnx_node_opset(n);
    const mx2onnx_status status = given_node(n, mx2onnx_node_operator(n), NULL, 1, &x, NULL, 1, &y);
    return status != MX2ONNX_OK ? status : mx2onnx_node_set_result(n, 0, y);
}

static mx2onnx_status refuse(mx2onnx_node *n, void *user)
{
    (void)user;
    return mx2onnx_node_fail(n, "is refused");
}

static void listen(const mx2onnx_log_entry *entry, void *user)
{
    struct told *told = user;
    told->errors += entry->severity == MX2ONNX_SEVERITY_ERROR;
    told->notes += entry->severity == MX2ONNX_SEVERITY_NOTE;
}

static mx2onnx_model *loaded(const char *symbol, struct told *told)
{
    mx2onnx_model *m = NULL;
    mx2onnx_handler handler = {.struct_size = sizeof handler, .output_count = 1, .infer = infer, .lower = lower};
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load_symbol_memory(m, symbol, strlen(symbol)), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 2, (const int64_t[]){2, 4}, NULL), MX2ONNX_OK);
    static const char *const names[] = {"Mish", "Gelu", "Refused"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        handler.lower = strcmp(names[i], "Refused") == 0 ? refuse : lower;
        if (strstr(symbol, names[i])) { /* a note would report the others */
            assert_int_equal(mx2onnx_set_custom_operator(m, names[i], &handler, told, NULL), MX2ONNX_OK);
        }
    }
    assert_int_equal(mx2onnx_set_log(m, MX2ONNX_SEVERITY_NOTE, listen, told, NULL), MX2ONNX_OK);
    return m;
}

/* The only diagnostic. */
static mx2onnx_diagnostic the_only(const mx2onnx_model *m)
{
    mx2onnx_diagnostic d = {.struct_size = sizeof d};
    assert_int_equal(mx2onnx_diagnostic_count(m), 1);
    assert_int_equal(mx2onnx_diagnostic_get(m, 0, &d), MX2ONNX_OK);
    return d;
}

static void the_lowest_sufficient_opset_is_chosen(void **state)
{
    struct told told = {0};
    void *chosen = NULL, *requested = NULL;
    size_t size = 0, other = 0;
    mx2onnx_model *m = loaded(both, &told);
    for (int again = 0; again < 2; again++) {
        told.errors = told.notes = 0;
        mx2onnx_memory_free(chosen);
        assert_int_equal(mx2onnx_export_memory(m, &chosen, &size), MX2ONNX_OK);
        assert_int_equal(mx2onnx_written_opset(m), 20);
        assert_int_equal(mx2onnx_get_option(m, MX2ONNX_OPTION_OPSET), MX2ONNX_OPSET_AUTO);
        const mx2onnx_diagnostic d = the_only(m);
        assert_int_equal(d.severity, MX2ONNX_SEVERITY_NOTE);
        assert_string_equal(d.node, "second");
        assert_non_null(strstr(d.message, "opset 20"));
        assert_int_equal(told.inferred, 20);
        assert_int_equal(told.lowered, 20);
        assert_int_equal(told.errors, 0);
        assert_true(told.notes >= 1);
    }
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, 20), MX2ONNX_OK);
    assert_int_equal(mx2onnx_export_memory(m, &requested, &other), MX2ONNX_OK);
    assert_int_equal(mx2onnx_diagnostic_count(m), 0);
    assert_int_equal(size, other);
    assert_memory_equal(chosen, requested, size);
    mx2onnx_memory_free(chosen);
    mx2onnx_memory_free(requested);
    mx2onnx_model_free(m);
}

static void one_that_is_requested_is_exact(void **state)
{
    struct told told = {0};
    const char *text = NULL;
    mx2onnx_model *m = loaded(both, &told);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, MX2ONNX_OPSET_DEFAULT), MX2ONNX_OK);
    assert_int_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text), MX2ONNX_STATUS_UNSUPPORTED);
    assert_non_null(strstr(mx2onnx_error(m), "opset 18"));
    assert_int_equal(mx2onnx_diagnostic_count(m), 1);
    assert_int_equal(told.errors, 1);
    assert_int_equal(told.lowered, MX2ONNX_OPSET_DEFAULT);
    assert_int_equal(mx2onnx_reset_option(m, MX2ONNX_OPTION_OPSET), MX2ONNX_OK);
    assert_int_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text), MX2ONNX_OK);
    assert_ptr_equal(strstr(text, "opset 20\n"), text);
    mx2onnx_model_free(m);
}

/* The handler is asked again, for the opset that the target reads. */
static void a_target_has_its_own_opset(void **state)
{
    struct told told = {0};
    mx2onnx_model *m = loaded(both, &told);
    assert_int_equal(mx2onnx_infer(m), MX2ONNX_OK);
    assert_int_equal(told.inferred, MX2ONNX_OPSET_DEFAULT);
    assert_int_equal(mx2onnx_set_text(m, MX2ONNX_TEXT_TARGET, "ncnn"), MX2ONNX_OK);
    assert_int_equal(mx2onnx_infer(m), MX2ONNX_OK);
    assert_int_equal(told.inferred, 12);
    mx2onnx_model_free(m);
}

/* tract reads opset 18: enough for the first node, not for the second. */
static void a_target_has_a_newest_opset(void **state)
{
    struct told told = {0};
    const char *text = NULL;
    mx2onnx_model *m = loaded(both, &told);
    assert_int_equal(mx2onnx_set_text(m, MX2ONNX_TEXT_TARGET, "tract"), MX2ONNX_OK);
    assert_int_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text), MX2ONNX_STATUS_UNSUPPORTED);
    const char *error = mx2onnx_error(m);
    if (!strstr(error, "'second'") || !strstr(error, "opset 20") || !strstr(error, "tract") || !strstr(error, "18")) {
        fail_msg("%s", error);
    }
    assert_int_equal(told.errors, 1);
    assert_int_equal(mx2onnx_set_text(m, MX2ONNX_TEXT_TARGET, "openvino"), MX2ONNX_OK);
    assert_int_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text), MX2ONNX_OK);
    assert_ptr_equal(strstr(text, "opset 20\n"), text);
    mx2onnx_model_free(m);
}

/* The first diagnostic of the severity, with its advice; "" if there is none. */
static const char *said(const mx2onnx_model *m, mx2onnx_severity severity, char text[300])
{
    mx2onnx_diagnostic d = {.struct_size = sizeof d};
    text[0] = 0;
    for (size_t i = 0; !text[0] && mx2onnx_diagnostic_get(m, i, &d) == MX2ONNX_OK; i++) {
        (void)snprintf(text, 300, "%s%s%s", d.severity == severity ? d.message : "", d.severity == severity ? ": " : "",
                       d.severity == severity ? d.advice : "");
    }
    return text;
}

/* What the target cannot read is written as requested, with a warning; without a target it is a note about ONNX Runtime. */
static void an_opset_above_that_of_the_target_is_warned_of(void **state)
{
    static const struct {
        const char *target;
        int opset;
        const char *warning, *note;
    } cases[] = {
        {"opencv4", 28, "opencv4 reads opsets up to 17, but 28 is written: leave MX2ONNX_OPTION_OPSET at its default", ""},
        {"opencv4", 17, "", ""},
        {"tract", 20, "tract reads opsets up to 18, but 20 is written: leave MX2ONNX_OPTION_OPSET at its default", ""},
        {NULL, 27, "", "ONNX Runtime reads opsets up to 26, but 27 is written: leave MX2ONNX_OPTION_OPSET at its default"},
        {NULL, 26, "", ""},
    };
    static const char symbol[] = "{\"nodes\":[{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]},"
                                 "{\"op\":\"relu\",\"name\":\"y\",\"inputs\":[[0,0,0]]}],\"arg_nodes\":[0],\"heads\":[[1,0,0]]}";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mx2onnx_model *m = NULL;
        void *data = NULL;
        size_t size = 0;
        char text[300];
        assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
        assert_int_equal(mx2onnx_load_symbol_memory(m, symbol, sizeof symbol - 1), MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_input_shape(m, "data", 1, (int64_t[]){2}, NULL), MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_text(m, MX2ONNX_TEXT_TARGET, cases[i].target), MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, cases[i].opset), MX2ONNX_OK);
        assert_int_equal(mx2onnx_export_memory(m, &data, &size), MX2ONNX_OK);
        assert_int_equal(mx2onnx_written_opset(m), cases[i].opset);
        assert_string_equal(said(m, MX2ONNX_SEVERITY_WARNING, text), cases[i].warning);
        assert_string_equal(said(m, MX2ONNX_SEVERITY_NOTE, text), cases[i].note);
        mx2onnx_memory_free(data);
        mx2onnx_model_free(m);
    }
}

/* An error that no opset helps is the only one that is reported. */
/* What was inferred at another opset is inferred again, and what is wrong then is logged as well. */
static void a_handler_may_refuse_an_opset(void **state)
{
    struct told told = {.refuses = 20};
    mx2onnx_model *m = loaded(both, &told);
    void *data = NULL;
    size_t size = 0;
    (void)state;
    assert_int_equal(mx2onnx_infer(m), MX2ONNX_OK);
    assert_int_equal(told.errors, 0);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, 20), MX2ONNX_OK);
    assert_int_equal(mx2onnx_export_memory(m, &data, &size), MX2ONNX_STATUS_UNSUPPORTED);
    assert_int_equal(told.errors, 1);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, 21), MX2ONNX_OK);
    assert_int_equal(mx2onnx_export_memory(m, &data, &size), MX2ONNX_OK);
    assert_int_equal(told.errors, 1);
    mx2onnx_memory_free(data);
    mx2onnx_model_free(m);
}

/* Metadata of nodes exist from IR version 10 on, which newer opsets have in any case. */
static void metadata_of_nodes_need_an_ir_version(void **state)
{
    static const struct {
        int opset;
        const char *with, *without;
    } rows[] = {{20, "\"ir_version\":10,", "\"ir_version\":9,"},
                {21, "\"ir_version\":10,", "\"ir_version\":10,"},
                {28, "\"ir_version\":10,", "\"ir_version\":10,"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct told told = {0};
        mx2onnx_model *m = loaded(both, &told);
        const char *text = NULL;
        assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, rows[i].opset), MX2ONNX_OK);
        for (int with = 0; with < 2; with++) {
            assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_NODE_METADATA, with), MX2ONNX_OK);
            assert_int_equal(mx2onnx_graph_json(m, MX2ONNX_GRAPH_ONNX, &text), MX2ONNX_OK);
            if (!strstr(text, with ? rows[i].with : rows[i].without)) {
                fail_msg("row %zu, %d: %.100s", i, with, text);
            }
        }
        mx2onnx_model_free(m);
    }
}

static void other_errors_remain(void **state)
{
    struct told told = {0};
    const char *text = NULL;
    mx2onnx_model *m = loaded(refused, &told);
    assert_int_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text), MX2ONNX_STATUS_UNSUPPORTED);
    assert_non_null(strstr(mx2onnx_error(m), "is refused"));
    assert_int_equal(told.errors, 1);
    assert_int_equal(mx2onnx_diagnostic_count(m), 2);
    mx2onnx_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_sufficient_opset_is_chosen),
        cmocka_unit_test(one_that_is_requested_is_exact),
        cmocka_unit_test(a_target_has_its_own_opset),
        cmocka_unit_test(a_target_has_a_newest_opset),
        cmocka_unit_test(an_opset_above_that_of_the_target_is_warned_of),
        cmocka_unit_test(a_handler_may_refuse_an_opset),
        cmocka_unit_test(metadata_of_nodes_need_an_ir_version),
        cmocka_unit_test(other_errors_remain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
