/* What the header promises of every call: whose an error is, what a busy model refuses, how long a text lives, when what was
 * borrowed is released. Only the public header. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/given.h"
#include "../support/models.h"
#include "../support/test_if.h"

static const char *archives;        /* a folder: mlp.mar, mlp.tar.gz */
static const char *sample, *params; /* a symbol file with its parameters: input data (n, 1, 8, 8) */

static mx2onnx_model *loaded(void)
{
    mx2onnx_model *m = fresh();
    assert_int_equal(mx2onnx_load(m, sample), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){1, 1, 8, 8}, NULL), MX2ONNX_OK);
    return m;
}

/* ---- whose an error is */

static size_t errors_of(const mx2onnx_model *m)
{
    size_t errors = 0;
    for (size_t i = 0; i < mx2onnx_diagnostic_count(m); i++) {
        mx2onnx_diagnostic d = {.struct_size = sizeof d};
        assert_int_equal(mx2onnx_diagnostic_get(m, i, &d), MX2ONNX_OK);
        errors += d.severity == MX2ONNX_SEVERITY_ERROR;
    }
    return errors;
}

/* The error of the last call, and of no other. */
static void assert_error(const mx2onnx_model *m, mx2onnx_status status, mx2onnx_status wanted, const char *text)
{
    assert_int_equal(status, wanted);
    if (!strstr(mx2onnx_error(m), text)) {
        fail_msg("'%s' is not in: %s", text, mx2onnx_error(m));
    }
    assert_int_equal(errors_of(m), 1);
}

static void assert_succeeds(const mx2onnx_model *m, mx2onnx_status status)
{
    assert_int_equal(status, MX2ONNX_OK);
    assert_string_equal(mx2onnx_error(m), "");
    assert_int_equal(errors_of(m), 0);
}

static void an_error_is_that_of_the_last_call(void **state)
{
    mx2onnx_model *m = loaded();
    const int64_t dims[] = {1, 1, 8, 8};
    assert_error(m, mx2onnx_set_input_shape(m, "nosuch", 4, dims, NULL), MX2ONNX_STATUS_NOT_FOUND, "'nosuch'");
    assert_error(m, mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, 99), MX2ONNX_STATUS_INVALID_ARGUMENT, "OPSET is 99");
    assert_error(m, mx2onnx_add_output(m, "nowhere"), MX2ONNX_STATUS_NOT_FOUND, "'nowhere'");
    assert_succeeds(m, mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, 13));
    assert_error(m, mx2onnx_load_params_file(m, "no.params"), MX2ONNX_STATUS_NOT_FOUND, "'no.params'");
    assert_error(m, mx2onnx_export_file(m, ""), MX2ONNX_STATUS_INVALID_ARGUMENT, "mx2onnx_export_file: the path");
    assert_succeeds(m, mx2onnx_infer(m));
    assert_error(m, mx2onnx_param_read(m, 999, 0, NULL, 0), MX2ONNX_STATUS_INVALID_ARGUMENT, "parameter");
    char *bytes = malloc((size_t)mx2onnx_param_size(m, 0));
    assert_non_null(bytes);
    assert_succeeds(m, mx2onnx_param_read(m, 0, 0, bytes, (size_t)mx2onnx_param_size(m, 0)));
    free(bytes);
    mx2onnx_model_free(m);
}

/* What only looks is not a call: it neither forgets an error nor adds one. */
static void looking_leaves_the_error(void **state)
{
    mx2onnx_model *m = loaded();
    assert_int_equal(mx2onnx_add_output(m, "nowhere"), MX2ONNX_STATUS_NOT_FOUND);
    assert_int_equal(mx2onnx_input_count(m), 1);
    const char *report = NULL;
    assert_int_equal(mx2onnx_report_json(m, &report), MX2ONNX_OK);
    assert_non_null(strstr(report, "nowhere"));
    assert_error(m, MX2ONNX_STATUS_NOT_FOUND, MX2ONNX_STATUS_NOT_FOUND, "'nowhere'");
    mx2onnx_model_free(m);
}

static const char unknown_symbol[] =
    "{\"nodes\":[{\"op\":\"null\",\"name\":\"x\",\"inputs\":[]},{\"op\":\"Odd\",\"name\":\"a\",\"inputs\":[[0,0,0]]},"
    "{\"op\":\"Even\",\"name\":\"b\",\"inputs\":[[1,0,0]]}],\"arg_nodes\":[0],\"heads\":[[2,0,0]]}";

/* A look may come first: the errors still belong to the call that fails, each time it is made. */
static mx2onnx_status infer_nothing(mx2onnx_node *n, void *user)
{
    (void)n, (void)user;
    return MX2ONNX_OK;
}

static mx2onnx_status set_array(mx2onnx_model *m, const char *name, mx2onnx_dtype dtype, int32_t rank, const int64_t *dims)
{
    static const float one = 1;
    const mx2onnx_array a = {.struct_size = sizeof a, .dtype = dtype, .rank = rank, .dims = dims, .data = &one, .size = sizeof one};
    return mx2onnx_set_param(m, name, &a, NULL, NULL);
}

static mx2onnx_status set_handler(mx2onnx_model *m, const char *name, size_t outputs, bool infers)
{
    const mx2onnx_handler h = {.struct_size = sizeof h, .output_count = outputs, .infer = infers ? infer_nothing : NULL};
    return mx2onnx_set_custom_operator(m, name, &h, NULL, NULL);
}

/* Each argument at its limits, and just beyond them. */
static void arguments_have_limits(void **state)
{
    static const int64_t dims[33] = {1, -1, -2};
    static const char *const names[] = {"n", NULL, "", "\xff", "a\tb"};
    static const double values[2] = {1, 2}, infinite[] = {0, HUGE_VAL}, none[] = {0, NAN};
    static double many[32768];
    const int32_t unknown = MX2ONNX_DTYPE_UNKNOWN, f32 = MX2ONNX_DTYPE_FLOAT32;
    mx2onnx_model *m = fresh();
#define WRONG(call, text) assert_error(m, call, MX2ONNX_STATUS_INVALID_ARGUMENT, text)
#define RIGHT(call) assert_succeeds(m, call)
    (void)state;
    WRONG(set_array(m, NULL, f32, 0, NULL), "the name is NULL");
    WRONG(set_array(m, "\xff", f32, 0, NULL), "the name is not UTF-8");
    WRONG(set_array(m, "w", unknown, 0, NULL), "the element type -1 is unknown");
    WRONG(set_array(m, "w", f32, -1, dims), "the shape is not valid: the rank is not 0 to 32, or the sizes are NULL or negative");
    WRONG(set_array(m, "w", f32, 33, dims), "the shape is not valid: the rank is not 0 to 32, or the sizes are NULL or negative");
    WRONG(set_array(m, "w", f32, 1, NULL), "the shape is not valid: the rank is not 0 to 32, or the sizes are NULL or negative");
    WRONG(set_array(m, "w", f32, 2, dims), "the shape is not valid: the rank is not 0 to 32, or the sizes are NULL or negative");
    RIGHT(set_array(m, "w", f32, 1, dims));
    RIGHT(set_array(m, "w", f32, 0, NULL));
    WRONG(mx2onnx_remove_param(m, NULL), "the name is NULL");
    WRONG(mx2onnx_load(m, ""), "the path is empty");
    WRONG(mx2onnx_load_symbol_file(m, ""), "the path is empty");
    WRONG(mx2onnx_load_params_file(m, ""), "the path is empty");
    WRONG(mx2onnx_load_catalogue_file(m, ""), "the path is empty");

    WRONG(mx2onnx_set_input_shape(m, NULL, 0, NULL, NULL), "the input's name is NULL");
    WRONG(mx2onnx_set_input_shape(m, "x", -2, NULL, NULL), "the rank is -2, but must be -1 to 32");
    WRONG(mx2onnx_set_input_shape(m, "x", 33, dims, NULL), "the rank is 33, but must be -1 to 32");
    WRONG(mx2onnx_set_input_shape(m, "x", 1, NULL, NULL), "the sizes are NULL");
    WRONG(mx2onnx_set_input_shape(m, "x", 3, dims, NULL), "dimension 2 is -2, but must be 0 or more, or -1 if it is not known");
    WRONG(mx2onnx_set_input_shape(m, "x", 1, dims, names + 2), "the name of dimension 0 is empty or not UTF-8, or has control characters");
    WRONG(mx2onnx_set_input_shape(m, "x", 1, dims, names + 3), "the name of dimension 0 is empty or not UTF-8, or has control characters");
    WRONG(mx2onnx_set_input_shape(m, "x", 1, dims, names + 4), "the name of dimension 0 is empty or not UTF-8, or has control characters");
    RIGHT(mx2onnx_set_input_shape(m, "x", 2, dims, names));
    RIGHT(mx2onnx_set_input_shape(m, "x", 0, NULL, NULL));
    RIGHT(mx2onnx_set_input_shape(m, "x", 32, (const int64_t[32]){0}, NULL));
    WRONG(mx2onnx_set_input_dim_name(m, "x", 32, "n"), "the axis is 32, but must be below 32");
    WRONG(mx2onnx_set_input_dim_name(m, "x", 0, ""), "the dimension's name is empty or not UTF-8, or has control characters");
    WRONG(mx2onnx_set_input_dim_name(m, NULL, 0, "n"), "the input's name is NULL");
    RIGHT(mx2onnx_set_input_dim_name(m, "x", 31, "n"));
    RIGHT(mx2onnx_set_input_shape(m, "x", -1, NULL, NULL));

    WRONG(mx2onnx_set_input_dtype(m, NULL, f32), "the input's name is NULL");
    WRONG(mx2onnx_set_input_dtype(m, "x", 99), "the element type 99 is unknown");
    RIGHT(mx2onnx_set_input_dtype(m, "x", f32));
    RIGHT(mx2onnx_set_input_dtype(m, "x", unknown));
    WRONG(mx2onnx_set_input_channels_last(m, NULL, 1), "the input's name is NULL");
    WRONG(mx2onnx_set_input_channels_reversed(m, NULL, 1), "the input's name is NULL");
    WRONG(mx2onnx_set_input_mean(m, NULL, 0, NULL), "the input's name is NULL");
    WRONG(mx2onnx_set_input_scale(m, NULL, 0, NULL), "the input's name is NULL");
    WRONG(mx2onnx_set_input_mean(m, "x", 1, NULL), "the values are NULL");
    WRONG(mx2onnx_set_input_mean(m, "x", 32768, many), "32768 values are given, but at most 32767 are possible");
    WRONG(mx2onnx_set_input_mean(m, "x", 2, infinite), "the value of channel 1 is inf, but must be finite");
    WRONG(mx2onnx_set_input_mean(m, "x", 2, none), "the value of channel 1 is nan, but must be finite");
    RIGHT(mx2onnx_set_input_mean(m, "x", 32767, many));
    RIGHT(mx2onnx_set_input_mean(m, "x", 2, values));
    RIGHT(mx2onnx_set_input_mean(m, "x", 0, NULL));

    WRONG(mx2onnx_add_output(m, NULL), "the output's name is empty");
    WRONG(mx2onnx_add_output(m, ""), "the output's name is empty");
    WRONG(mx2onnx_rename(m, NULL, "b"), "a name is empty");
    WRONG(mx2onnx_rename(m, "", "b"), "a name is empty");
    WRONG(mx2onnx_rename(m, "a", ""), "a name is empty");
    WRONG(mx2onnx_rename(m, "a", "b\n"), "the new name 'b\n' is not UTF-8, or has control characters; give one without them");
    RIGHT(mx2onnx_rename(m, "a", "b"));
    RIGHT(mx2onnx_rename(m, "a", NULL));
    WRONG(mx2onnx_set_node_precision(m, "", MX2ONNX_PRECISION_AUTO), "the name is empty");
    WRONG(mx2onnx_set_node_precision(m, "n", MX2ONNX_PRECISION_AUTO - 1), "the precision -1 is unknown");
    WRONG(mx2onnx_set_node_precision(m, "n", MX2ONNX_PRECISION_FLOAT16 + 1), "the precision 3 is unknown");
    RIGHT(mx2onnx_set_node_precision(m, "n", MX2ONNX_PRECISION_FLOAT16));
    RIGHT(mx2onnx_set_node_precision(m, "n", MX2ONNX_PRECISION_AUTO));

    WRONG(set_handler(m, NULL, 1, true), "a handler needs a name, 1 to 65536 outputs or a function that counts them, and infer");
    WRONG(set_handler(m, "", 1, true), "a handler needs a name, 1 to 65536 outputs or a function that counts them, and infer");
    WRONG(set_handler(m, "op", 0, true), "a handler needs a name, 1 to 65536 outputs or a function that counts them, and infer");
    WRONG(set_handler(m, "op", 65537, true), "a handler needs a name, 1 to 65536 outputs or a function that counts them, and infer");
    WRONG(set_handler(m, "op", 1, false), "a handler needs a name, 1 to 65536 outputs or a function that counts them, and infer");
    WRONG(set_handler(m, "\xff", 1, true), "the operator's name is not UTF-8");
    RIGHT(set_handler(m, "op", 1, true));
    RIGHT(set_handler(m, "op", 65536, true));

    WRONG(mx2onnx_set_option(m, 0, 0), "the option 0 is unknown");
    WRONG(mx2onnx_reset_option(m, 0), "the option 0 is unknown");
    WRONG(mx2onnx_set_text(m, 0, NULL), "the text 0 is unknown");
    WRONG(mx2onnx_set_text(m, MX2ONNX_TEXT_SOURCE_NAME, "\xff"), "the text is not UTF-8");
    WRONG(mx2onnx_set_text(m, MX2ONNX_TEXT_SOURCE_NAME, ""), "the name of the source is empty");
    WRONG(mx2onnx_set_text(m, MX2ONNX_TEXT_UNKNOWN_DOMAIN, ""), "'' is ONNX's own domain; give another one, such as mxnet");
    WRONG(mx2onnx_set_text(m, MX2ONNX_TEXT_UNKNOWN_DOMAIN, "ai.onnx"), "'ai.onnx' is ONNX's own domain");
    WRONG(mx2onnx_set_text(m, MX2ONNX_TEXT_UNKNOWN_DOMAIN, "a\n"),
          "the domain 'a\n' is not UTF-8, or has control characters; give one without them");
    WRONG(mx2onnx_set_text(m, MX2ONNX_TEXT_SIDE_FILE, "a/b"), "'a/b' is not a name for a side file: it is a folder, or has '/'");
    RIGHT(mx2onnx_set_text(m, MX2ONNX_TEXT_SIDE_FILE, "a.b"));
    WRONG(mx2onnx_set_metadata(m, NULL, "v"), "the key is NULL");
    WRONG(mx2onnx_set_metadata(m, "", "v"), "the key is empty");
    WRONG(mx2onnx_set_metadata(m, "a\n", "v"), "the key 'a\n' is not UTF-8, or has control characters; give one without them");
    WRONG(mx2onnx_set_metadata(m, "input:x", "v"),
          "'input:x' is a key that the library writes itself; choose one that is not 'source_framework'");
    WRONG(mx2onnx_set_metadata(m, "source_framework", "v"), "'source_framework' is a key that the library writes itself");
    WRONG(mx2onnx_set_text(m, MX2ONNX_TEXT_SIDE_FILE, ""), "the name of the side file is empty");
    WRONG(mx2onnx_set_metadata(m, "k", "\xff"), "the value is not UTF-8");
    RIGHT(mx2onnx_set_metadata(m, "k", "v\n"));
    WRONG(mx2onnx_set_domain_version(m, NULL, 1), "the domain is NULL");
    WRONG(mx2onnx_set_domain_version(m, "", 1), "'' is ONNX's own domain; set its version with MX2ONNX_OPTION_OPSET");
    WRONG(mx2onnx_set_domain_version(m, "ai.onnx", 1), "'ai.onnx' is ONNX's own domain");
    WRONG(mx2onnx_set_domain_version(m, "a\n", 1), "the domain 'a\n' is not UTF-8, or has control characters");
    WRONG(mx2onnx_set_domain_version(m, "a", -1), "the version of 'a' is -1, but must be 1 or more, or 0, which takes it back");
    RIGHT(mx2onnx_set_domain_version(m, "a", 2));
    assert_int_equal(mx2onnx_get_domain_version(m, "a"), 2);
    RIGHT(mx2onnx_set_domain_version(m, "a", 0));
    assert_int_equal(mx2onnx_get_domain_version(m, "a"), 1);
#undef WRONG
#undef RIGHT
    mx2onnx_model_free(m);
}

static void an_inference_fails_again_and_again(void **state)
{
    mx2onnx_model *m = fresh();
    assert_succeeds(m, mx2onnx_load_symbol_memory(m, unknown_symbol, sizeof unknown_symbol - 1));
    assert_int_equal(mx2onnx_operator_count(m), 2);
    assert_string_equal(mx2onnx_error(m), "");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(mx2onnx_infer(m), MX2ONNX_STATUS_UNSUPPORTED);
        assert_int_equal(errors_of(m), 2);
        assert_non_null(strstr(mx2onnx_error(m), "'Odd'"));
    }
    assert_succeeds(m, mx2onnx_set_option(m, MX2ONNX_OPTION_FSYNC, 0));
    assert_int_equal(mx2onnx_operator_count(m), 2);
    assert_int_equal(mx2onnx_export_file(m, "never.onnx"), MX2ONNX_STATUS_UNSUPPORTED);
    assert_int_equal(errors_of(m), 2);
    mx2onnx_model_free(m);
}

/* Notes of a load stay as long as the model, those of an inference as long as they hold. */
static void notes_stay_with_what_they_are_of(void **state)
{
    static const char labelled[] =
        "{\"nodes\":[{\"op\":\"null\",\"name\":\"x\",\"inputs\":[]},{\"op\":\"null\",\"name\":\"label\",\"inputs\":[]},"
        "{\"op\":\"SoftmaxOutput\",\"name\":\"s\",\"inputs\":[[0,0,0],[1,0,0]]},"
        "{\"op\":\"MakeLoss\",\"name\":\"l\",\"inputs\":[[1,0,0]]}],"
        "\"arg_nodes\":[0,1],\"heads\":[[2,0,0],[3,0,0]]}";
    mx2onnx_model *m = fresh();
    assert_succeeds(m, mx2onnx_load_memory(m, labelled, sizeof labelled - 1, NULL, NULL));
    assert_int_equal(mx2onnx_diagnostic_count(m), 1); /* no parameters */
    assert_succeeds(m, mx2onnx_set_input_shape(m, "x", 2, (const int64_t[]){2, 3}, NULL));
    assert_succeeds(m, mx2onnx_infer(m));
    const size_t inferred = mx2onnx_diagnostic_count(m);
    assert_true(inferred > 1); /* the loss is left out */
    assert_succeeds(m, mx2onnx_infer(m));
    assert_int_equal(mx2onnx_diagnostic_count(m), inferred);
    assert_error(m, mx2onnx_add_output(m, "nowhere"), MX2ONNX_STATUS_NOT_FOUND, "nowhere");
    assert_int_equal(mx2onnx_diagnostic_count(m), inferred + 1);
    assert_succeeds(m, mx2onnx_set_input_shape(m, "x", 2, (const int64_t[]){2, 4}, NULL));
    assert_int_equal(mx2onnx_diagnostic_count(m), 1);
    mx2onnx_model_free(m);
}

static int32_t cannot_read(uint64_t offset, void *buffer, size_t size, void *user)
{
    (void)offset, (void)buffer, (void)size, (void)user;
    return 1;
}

static void no_failure_is_without_a_text(void **state)
{
    mx2onnx_model *m = loaded();
    assert_int_equal(mx2onnx_load_params_callback(m, 100, cannot_read, NULL, NULL), MX2ONNX_STATUS_IO);
    assert_string_equal(mx2onnx_error(m), "'params' cannot be read: the read callback returned an error");
    assert_int_equal(mx2onnx_load_callback(m, 100, cannot_read, NULL, NULL), MX2ONNX_STATUS_IO);
    assert_string_equal(mx2onnx_error(m), "'model' cannot be read: the read callback returned an error");
    mx2onnx_model_free(m);
}

/* ---- how long a text lives */

static void no_text_takes_another_away(void **state)
{
    mx2onnx_model *m = loaded();
    const char *graph = NULL, *symbol = NULL;
    assert_succeeds(m, mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &graph));
    assert_succeeds(m, mx2onnx_graph_text(m, MX2ONNX_GRAPH_MXNET, &symbol));
    const char *graphs[2] = {NULL};
    assert_succeeds(m, mx2onnx_graph_json(m, MX2ONNX_GRAPH_MXNET, &graphs[MX2ONNX_GRAPH_MXNET]));
    assert_succeeds(m, mx2onnx_graph_json(m, MX2ONNX_GRAPH_ONNX, &graphs[MX2ONNX_GRAPH_ONNX]));
    const char *json = NULL;
    assert_int_equal(mx2onnx_report_json(m, &json), MX2ONNX_OK);
    assert_non_null(strstr(graph, "Conv("));
    assert_non_null(strstr(symbol, "Convolution("));
    assert_non_null(strstr(graphs[MX2ONNX_GRAPH_MXNET], "\"op\":\"Convolution\""));
    assert_non_null(strstr(graphs[MX2ONNX_GRAPH_ONNX], "\"op\":\"Conv\""));
    assert_int_equal(json[0], '{');
    mx2onnx_model_free(m);
}

static void outputs_are_untouched_on_an_error(void **state)
{
    mx2onnx_model *m = fresh();
    const char *text = "as it was";
    assert_error(m, mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text), MX2ONNX_STATUS_INVALID_ARGUMENT, "no symbol");
    assert_error(m, mx2onnx_graph_text(m, MX2ONNX_GRAPH_MXNET, &text), MX2ONNX_STATUS_INVALID_ARGUMENT, "no symbol");
    assert_error(m, mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, NULL), MX2ONNX_STATUS_INVALID_ARGUMENT, "out is NULL");
    assert_error(m, mx2onnx_graph_json(m, MX2ONNX_GRAPH_ONNX, &text), MX2ONNX_STATUS_INVALID_ARGUMENT, "no symbol");
    assert_error(m, mx2onnx_graph_json(m, MX2ONNX_GRAPH_MXNET, &text), MX2ONNX_STATUS_INVALID_ARGUMENT, "no symbol");
    assert_error(m, mx2onnx_graph_json(m, MX2ONNX_GRAPH_ONNX, NULL), MX2ONNX_STATUS_INVALID_ARGUMENT, "out is NULL");
    for (mx2onnx_graph graph = -1; graph <= 2; graph += 3) {
        const char *wrong = graph < 0 ? "the graph -1 is unknown" : "the graph 2 is unknown";
        assert_error(m, mx2onnx_graph_text(m, graph, &text), MX2ONNX_STATUS_INVALID_ARGUMENT, wrong);
        assert_error(m, mx2onnx_graph_json(m, graph, &text), MX2ONNX_STATUS_INVALID_ARGUMENT, wrong);
    }
    assert_string_equal(text, "as it was");
    mx2onnx_model_free(m);
}

/* ---- a busy model */

struct intruder {
    mx2onnx_model *m;
    int calls;
};

/* Tries everything that a callback may not do. */
static void intrude(struct intruder *i)
{
    const int64_t dims[] = {2, 1, 8, 8};
    const int32_t refused = MX2ONNX_STATUS_INVALID_ARGUMENT;
    mx2onnx_model *m = i->m;
    void *data = NULL;
    size_t size = 0;
    const char *text = NULL;
    i->calls++;
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 4, dims, NULL), refused);
    assert_non_null(strstr(mx2onnx_error(m), "in use"));
    assert_int_equal(mx2onnx_load(m, sample), refused);
    assert_int_equal(mx2onnx_load_symbol_file(m, sample), refused);
    assert_int_equal(mx2onnx_load_params_file(m, params), refused);
    assert_int_equal(mx2onnx_load_memory(m, "{}", 2, NULL, NULL), refused);
    assert_int_equal(given_param(m, "data", given_array(0, 4, dims, dims, 0), NULL, NULL), refused);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, 13), refused);
    assert_int_equal(mx2onnx_set_log(m, MX2ONNX_SEVERITY_DEBUG, NULL, NULL, NULL), refused);
    assert_int_equal(mx2onnx_set_progress(m, NULL, NULL, NULL), refused);
    assert_int_equal(mx2onnx_set_custom_operator(m, "Odd", NULL, NULL, NULL), refused);
    assert_int_equal(mx2onnx_infer(m), refused);
    assert_int_equal(mx2onnx_export_file(m, "never.onnx"), refused);
    assert_int_equal(mx2onnx_export_memory(m, &data, &size), refused);
    assert_int_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text), refused);
    assert_int_equal(mx2onnx_graph_json(m, MX2ONNX_GRAPH_MXNET, &text), refused);
    assert_int_equal(mx2onnx_param_read(m, 0, 0, NULL, 0), refused);
    assert_int_equal(mx2onnx_input_count(m), 0);
    assert_int_equal(mx2onnx_param_count(m), 0);
    assert_int_equal(mx2onnx_report_json(m, &text), refused);
    assert_int_equal(mx2onnx_model_reset(m), refused);
    mx2onnx_model_free(m);
    (void)mx2onnx_diagnostic_count(m);
}

static void intrude_by_log(const mx2onnx_log_entry *entry, void *user)
{
    (void)entry;
    intrude(user);
}

static int32_t intrude_by_progress(const mx2onnx_progress *p, void *user)
{
    (void)p;
    intrude(user);
    return 0;
}

static int32_t intrude_by_write(const void *data, size_t size, void *user)
{
    (void)data, (void)size;
    intrude(user);
    return 0;
}

static mx2onnx_status intrude_by_infer(mx2onnx_node *n, void *user)
{
    intrude(user);
    return mx2onnx_node_set_output_like(n, 0, 0);
}

static mx2onnx_status intrude_by_lower(mx2onnx_node *n, void *user)
{
    intrude(user);
    return mx2onnx_node_set_result(n, 0, mx2onnx_node_input_value(n, 0));
}

static int count_bytes(const char *data, size_t size, int c)
{
    int n = 0;
    for (size_t i = 0; i < size; i++) {
        n += data[i] == c;
    }
    return n;
}

static void a_busy_model_refuses(void **state)
{
    struct intruder i = {.m = fresh()};
    void *plain = NULL, *data = NULL;
    size_t plain_size = 0, size = 0;
    mx2onnx_model *other = loaded();
    assert_succeeds(other, mx2onnx_export_memory(other, &plain, &plain_size));
    assert_succeeds(i.m, mx2onnx_set_log(i.m, MX2ONNX_SEVERITY_DEBUG, intrude_by_log, &i, NULL));
    assert_succeeds(i.m, mx2onnx_set_progress(i.m, intrude_by_progress, &i, NULL));
    assert_succeeds(i.m, mx2onnx_load(i.m, sample));
    assert_succeeds(i.m, mx2onnx_set_input_shape(i.m, "data", 4, (const int64_t[]){1, 1, 8, 8}, NULL));
    assert_int_equal(mx2onnx_set_option(i.m, MX2ONNX_OPTION_OPSET, 99), MX2ONNX_STATUS_INVALID_ARGUMENT); /* is logged */
    assert_true(i.calls > 0);
    assert_succeeds(i.m, mx2onnx_export_memory(i.m, &data, &size));
    assert_int_equal(size, plain_size);
    assert_memory_equal(data, plain, size);
    const int calls = i.calls;
    assert_succeeds(i.m, mx2onnx_export_callback(i.m, intrude_by_write, &i, NULL));
    assert_true(i.calls > calls);
    assert_true(count_bytes(data, size, 'C') > 0);
    mx2onnx_memory_free(data);
    mx2onnx_memory_free(plain);
    mx2onnx_model_free(i.m);
    mx2onnx_model_free(other);
}

/* A look that opens the catalogue works as a call does: it asks the progress function, and the model is busy meanwhile. */
static void the_model_is_busy_during_a_query(void **state)
{
    struct intruder i = {.m = loaded()};
    assert_succeeds(i.m, mx2onnx_set_progress(i.m, intrude_by_progress, &i, NULL));
    const bool any = mx2onnx_catalogue_count(i.m) > 0;
    assert_true(i.calls > 0 || !any); /* none in a library without the catalogue */
    assert_int_equal(any, mx2onnx_catalogue_text(i.m, 0) != NULL);
    assert_true(mx2onnx_param_count(i.m) > 0); /* busy no more */
    mx2onnx_model_free(i.m);
}

static void not_logged(const mx2onnx_log_entry *entry, void *user)
{
    fail_msg("a look logs: %s", entry->message);
}

/* Nor does it where the library was built without the catalogue. */
static void the_catalogue_is_looked_at_in_silence(void **state)
{
    mx2onnx_model *m = loaded();
    assert_succeeds(m, mx2onnx_set_log(m, MX2ONNX_SEVERITY_ERROR, not_logged, NULL, NULL));
    assert_int_equal(mx2onnx_catalogue_count(m) > 0, mx2onnx_catalogue_name(m, 0) != NULL);
    mx2onnx_model_free(m);
}

static int32_t never(const mx2onnx_progress *p, void *user)
{
    fail_msg("a removed progress function is called");
    return 0;
}

/* Looking asks the progress function of now, not that of the last call. */
static void removed_callbacks_are_not_called(void **state)
{
    mx2onnx_model *m = loaded();
    assert_succeeds(m, mx2onnx_set_progress(m, never, NULL, NULL));
    assert_succeeds(m, mx2onnx_set_progress(m, NULL, NULL, NULL));
    assert_int_equal(mx2onnx_input_count(m), 1); /* reads the graph for the first time */
    mx2onnx_model_free(m);
}

static void a_busy_model_refuses_handlers(void **state)
{
    struct intruder i = {.m = fresh()};
    const char *text = NULL;
    assert_succeeds(i.m, mx2onnx_load_symbol_memory(i.m, unknown_symbol, sizeof unknown_symbol - 1));
    assert_succeeds(i.m, mx2onnx_set_input_shape(i.m, "x", 1, (const int64_t[]){3}, NULL));
    assert_succeeds(i.m, mx2onnx_set_custom_operator(i.m, "Odd",
                                                     &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler),
                                                                              .output_count = 1,
                                                                              .infer = intrude_by_infer,
                                                                              .lower = intrude_by_lower},
                                                     &i, NULL));
    assert_succeeds(i.m, mx2onnx_set_custom_operator(i.m, "Even",
                                                     &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler),
                                                                              .output_count = 1,
                                                                              .infer = intrude_by_infer,
                                                                              .lower = intrude_by_lower},
                                                     &i, NULL));
    assert_succeeds(i.m, mx2onnx_graph_text(i.m, MX2ONNX_GRAPH_ONNX, &text));
    assert_true(i.calls >= 4);
    mx2onnx_model_free(i.m);
}

/* ---- what was borrowed */

static void count(void *user)
{
    ++*(int *)user;
}

static char *slurp(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *size = (size_t)ftell(f);
    rewind(f);
    char *data = malloc(*size);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *size, f), *size);
    fclose(f);
    return data;
}

static void on_log(const mx2onnx_log_entry *entry, void *user)
{
    (void)entry, (void)user;
}

static int32_t on_progress(const mx2onnx_progress *p, void *user)
{
    (void)p, (void)user;
    return 0;
}

static mx2onnx_status like(mx2onnx_node *n, void *user)
{
    return mx2onnx_node_set_output_like(n, 0, 0);
}

static void functions_are_released_once(void **state)
{
    int log[2] = {0}, progress[2] = {0}, custom[3] = {0};
    mx2onnx_model *m = loaded();
    assert_succeeds(m, mx2onnx_set_log(m, MX2ONNX_SEVERITY_DEBUG, on_log, &log[0], count));
    assert_succeeds(m, mx2onnx_set_log(m, MX2ONNX_SEVERITY_DEBUG, on_log, &log[1], count));
    assert_int_equal(log[0], 1);
    assert_succeeds(m, mx2onnx_set_log(m, MX2ONNX_SEVERITY_DEBUG, NULL, NULL, NULL));
    assert_int_equal(log[1], 1);
    assert_succeeds(m, mx2onnx_set_progress(m, on_progress, &progress[0], count));
    assert_succeeds(m, mx2onnx_set_progress(m, NULL, &progress[1], count));
    assert_int_equal(progress[0], 1);
    assert_int_equal(progress[1], 1); /* nothing is called with it */
    assert_succeeds(m, mx2onnx_set_custom_operator(
                           m, "a", &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = like},
                           &custom[0], count));
    assert_succeeds(m, mx2onnx_set_custom_operator(
                           m, "b", &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = like},
                           &custom[1], count));
    assert_succeeds(m, mx2onnx_set_custom_operator(m, "a", NULL, NULL, NULL));
    assert_int_equal(custom[0], 1);
    assert_succeeds(
        m, mx2onnx_set_custom_operator(
               m, "b", &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = like, .lower = like},
               &custom[2], count));
    assert_int_equal(custom[1], 1);
    assert_int_equal(custom[2], 0);
    mx2onnx_model_free(m);
    assert_int_equal(log[0] + log[1] + progress[0] + progress[1] + custom[0] + custom[1] + custom[2], 7);
}

static void functions_are_released_after_an_error_too(void **state)
{
    int released = 0;
    const int32_t invalid = MX2ONNX_STATUS_INVALID_ARGUMENT;
    assert_int_equal(mx2onnx_set_log(NULL, MX2ONNX_SEVERITY_DEBUG, on_log, &released, count), invalid);
    assert_int_equal(mx2onnx_set_progress(NULL, on_progress, &released, count), invalid);
    assert_int_equal(mx2onnx_set_custom_operator(
                         NULL, "a",
                         &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = like, .lower = like},
                         &released, count),
                     invalid);
    assert_int_equal(mx2onnx_load_memory(NULL, "x", 1, &released, count), invalid);
    assert_int_equal(mx2onnx_load_callback(NULL, 1, cannot_read, &released, count), invalid);
    assert_int_equal(mx2onnx_load_params_memory(NULL, "x", 1, &released, count), invalid);
    assert_int_equal(mx2onnx_load_params_callback(NULL, 1, cannot_read, &released, count), invalid);
    assert_int_equal(given_param(NULL, "a", given_array(0, 0, NULL, "1234", 4), &released, count), invalid);
    assert_int_equal(released, 8);
    mx2onnx_model *m = loaded();
    released = 0;
    assert_error(m,
                 mx2onnx_set_custom_operator(
                     m, "",
                     &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = like, .lower = like},
                     &released, count),
                 invalid, "a name");
    assert_error(m,
                 mx2onnx_set_custom_operator(
                     m, "a",
                     &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler), .output_count = 0, .infer = like, .lower = like},
                     &released, count),
                 invalid, "outputs");
    assert_error(m,
                 mx2onnx_set_custom_operator(
                     m, "a",
                     &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = NULL, .lower = like},
                     &released, count),
                 invalid, "infer");
    assert_error(m, mx2onnx_load_memory(m, NULL, 1, &released, count), invalid, "mx2onnx_load_memory");
    assert_error(m, mx2onnx_load_callback(m, 1, NULL, &released, count), invalid, "mx2onnx_load_callback");
    assert_error(m, mx2onnx_load_params_memory(m, NULL, 1, &released, count), invalid, "NULL");
    assert_error(m, mx2onnx_load_params_callback(m, 1, NULL, &released, count), invalid, "NULL");
    assert_error(m, given_param(m, NULL, given_array(0, 0, NULL, "1234", 4), &released, count), invalid, "name");
    assert_error(m, given_param(m, "a", given_array(77, 0, NULL, "1234", 4), &released, count), invalid, "element type");
    assert_error(m, given_param(m, "a", given_array(0, -1, NULL, "1234", 4), &released, count), invalid, "shape");
    assert_error(m, given_param(m, "a", given_array(0, 0, NULL, NULL, 4), &released, count), invalid, "data");
    assert_int_equal(released, 11);
    assert_error(m, mx2onnx_load_params_memory(m, "xyz", 3, &released, count), MX2ONNX_STATUS_FORMAT, "params");
    assert_error(m, given_param(m, "a", given_array(0, 0, NULL, "1234", 3), &released, count), invalid, "3 bytes");
    mx2onnx_model_free(m);
    assert_int_equal(released, 13);
}

static void copies_go_into_memory_of_the_library(void **state)
{
    size_t size, wanted_size, got_size;
    char *data = slurp(params, &size);
    void *copy = mx2onnx_memory_new(size), *wanted = NULL, *got = NULL;
    assert_non_null(copy);
    memcpy(copy, data, size);
    free(data);
    mx2onnx_model *plain = loaded(), *m = fresh();
    assert_succeeds(plain, mx2onnx_export_memory(plain, &wanted, &wanted_size));
    assert_succeeds(m, mx2onnx_load_symbol_file(m, sample));
    assert_succeeds(m, mx2onnx_load_params_memory(m, copy, size, copy, mx2onnx_memory_free));
    assert_succeeds(m, mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){1, 1, 8, 8}, NULL));
    assert_succeeds(m, mx2onnx_export_memory(m, &got, &got_size));
    assert_int_equal(got_size, wanted_size);
    assert_memory_equal(got, wanted, got_size);
    mx2onnx_memory_free(got);
    mx2onnx_memory_free(wanted);
    mx2onnx_model_free(plain);
    mx2onnx_model_free(m);
    void *nothing = mx2onnx_memory_new(0);
    assert_non_null(nothing);
    mx2onnx_memory_free(nothing);
    assert_null(mx2onnx_memory_new(SIZE_MAX));
}

/* A file as in a browser: pieces on demand. */
struct blob {
    char *data;
    size_t size;
    int reads, released;
    bool broken; /* from now on */
};

static int32_t read_blob(uint64_t offset, void *buffer, size_t size, void *user)
{
    struct blob *b = user;
    assert_true(offset <= b->size && size <= b->size - offset && size > 0);
    b->reads++;
    memcpy(buffer, b->data + offset, size);
    return b->broken;
}

static void release_blob(void *user)
{
    ((struct blob *)user)->released++;
}

/* The model that a file gives, and one that reads the same by pieces: the same bytes. */
static void assert_same_export(mx2onnx_model *file, mx2onnx_model *pieces)
{
    void *wanted = NULL, *got = NULL;
    size_t wanted_size = 0, size = 0;
    assert_succeeds(file, mx2onnx_export_memory(file, &wanted, &wanted_size));
    assert_succeeds(pieces, mx2onnx_export_memory(pieces, &got, &size));
    assert_int_equal(size, wanted_size);
    assert_memory_equal(got, wanted, size);
    mx2onnx_memory_free(got);
    mx2onnx_memory_free(wanted);
}

static void parameters_are_read_by_pieces(void **state)
{
    struct blob b = {0};
    b.data = slurp(params, &b.size);
    mx2onnx_model *file = loaded(), *m = fresh();
    assert_succeeds(m, mx2onnx_load_symbol_file(m, sample));
    assert_succeeds(m, mx2onnx_load_params_callback(m, b.size, read_blob, &b, release_blob));
    assert_succeeds(m, mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){1, 1, 8, 8}, NULL));
    assert_same_export(file, m);
    assert_true(b.reads > 1);
    b.broken = true;
    const size_t size = (size_t)mx2onnx_param_size(m, 0);
    char *bytes = malloc(size);
    assert_non_null(bytes);
    assert_error(m, mx2onnx_param_read(m, 0, 0, bytes, size), MX2ONNX_STATUS_IO, "cannot be read: the read callback returned an error");
    void *data = NULL;
    assert_error(m, mx2onnx_export_memory(m, &data, &(size_t){0}), MX2ONNX_STATUS_IO, "read callback returned an error");
    assert_null(data);
    b.broken = false;
    assert_succeeds(m, mx2onnx_param_read(m, 0, 0, bytes, size));
    free(bytes);
    assert_int_equal(b.released, 0);
    mx2onnx_model_free(m);
    assert_int_equal(b.released, 1);
    mx2onnx_model_free(file);
    free(b.data);
}

/* Compressed members and sparse arrays too. */
static void npz_is_read_by_pieces(void **state)
{
    static const char *const names[] = {"npz_float32.npz", "npz_sparse.npz", "npz_names.npz"};
    for (size_t i = 0; i < 3; i++) {
        char path[1000];
        struct blob b = {0};
        snprintf(path, sizeof path, "%s/../npz/2.0.0b1/%s", archives, names[i]);
        b.data = slurp(path, &b.size);
        mx2onnx_model *file = fresh(), *pieces = fresh();
        assert_succeeds(file, mx2onnx_load_params_file(file, path));
        assert_succeeds(pieces, mx2onnx_load_params_callback(pieces, b.size, read_blob, &b, release_blob));
        assert_true(mx2onnx_param_count(file) > 0);
        assert_int_equal(mx2onnx_param_count(pieces), mx2onnx_param_count(file));
        for (size_t k = 0; k < mx2onnx_param_count(file); k++) {
            const size_t size = (size_t)mx2onnx_param_size(file, k);
            char *wanted = malloc(size + 1), *got = malloc(size + 1);
            assert_non_null(wanted);
            assert_non_null(got);
            assert_string_equal(mx2onnx_param_name(pieces, k), mx2onnx_param_name(file, k));
            assert_int_equal(mx2onnx_param_size(pieces, k), size);
            assert_succeeds(file, mx2onnx_param_read(file, k, 0, wanted, size));
            assert_succeeds(pieces, mx2onnx_param_read(pieces, k, 0, got, size));
            assert_memory_equal(got, wanted, size);
            free(wanted);
            free(got);
        }
        mx2onnx_model_free(file);
        mx2onnx_model_free(pieces);
        assert_int_equal(b.released, 1);
        free(b.data);
    }
}

static void archives_are_read_from_memory_and_by_pieces(void **state)
{
    static const char *const names[] = {"mlp.mar", "mlp-0.4.model", "mlp.tar.gz"};
    for (size_t i = 0; i < (MX2ONNX_TAR ? 3 : 2); i++) {
        char path[1000];
        struct blob b = {0};
        snprintf(path, sizeof path, "%s/%s", archives, names[i]);
        b.data = slurp(path, &b.size);
        mx2onnx_model *file = fresh(), *memory = fresh(), *pieces = fresh();
        assert_succeeds(file, mx2onnx_load(file, path));
        assert_succeeds(memory, mx2onnx_load_memory(memory, b.data, b.size, &b, release_blob));
        assert_succeeds(pieces, mx2onnx_load_callback(pieces, b.size, read_blob, &b, release_blob));
        const char *input = mx2onnx_input_name(file, 0);
        mx2onnx_model *const all[] = {file, memory, pieces};
        for (size_t k = 0; mx2onnx_input_rank(file, 0) < 0 && k < 3; k++) {
            assert_succeeds(all[2 - k], mx2onnx_set_input_shape(all[2 - k], input, 2, (const int64_t[]){2, 5}, NULL));
        }
        assert_int_equal(mx2onnx_param_count(memory), mx2onnx_param_count(file));
        assert_int_equal(mx2onnx_param_count(pieces), mx2onnx_param_count(file));
        if (mx2onnx_infer(file) == MX2ONNX_OK) {
            assert_same_export(file, memory);
            assert_same_export(file, pieces);
        } else {
            fail_msg("%s: %s", names[i], mx2onnx_error(file));
        }
        mx2onnx_model_free(file);
        mx2onnx_model_free(memory);
        mx2onnx_model_free(pieces);
        assert_int_equal(b.released, 2);
        free(b.data);
    }
}

static void versions_agree(void **state)
{
    char text[32];
    mx2onnx_model *m = fresh();
    const int32_t n = mx2onnx_version_number();
    assert_int_equal(n, MX2ONNX_VERSION_NUMBER);
    snprintf(text, sizeof text, "%d.%d.%d", n / 1000000, n / 1000 % 1000, n % 1000);
    assert_string_equal(text, mx2onnx_version());
    assert_int_equal(mx2onnx_has_feature(MX2ONNX_FEATURE_ZIP), MX2ONNX_ZIP);
    assert_int_equal(mx2onnx_has_feature(MX2ONNX_FEATURE_TAR), MX2ONNX_TAR);
    assert_int_equal(mx2onnx_has_feature(MX2ONNX_FEATURE_CATALOGUE), mx2onnx_catalogue_count(m) > 0);
    assert_int_equal(mx2onnx_opset_min(), MX2ONNX_OPSET_MIN);
    assert_int_equal(mx2onnx_opset_max(), MX2ONNX_OPSET_MAX);
    assert_int_equal(mx2onnx_opset_default(), MX2ONNX_OPSET_DEFAULT);
    assert_int_equal(mx2onnx_has_feature(0), 0);
    assert_int_equal(mx2onnx_has_feature(12345), 0);
    mx2onnx_model_free(m);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_is_that_of_the_last_call),
        cmocka_unit_test(looking_leaves_the_error),
        cmocka_unit_test(arguments_have_limits),
        cmocka_unit_test(an_inference_fails_again_and_again),
        cmocka_unit_test(notes_stay_with_what_they_are_of),
        cmocka_unit_test(no_failure_is_without_a_text),
        cmocka_unit_test(no_text_takes_another_away),
        cmocka_unit_test(outputs_are_untouched_on_an_error),
        cmocka_unit_test(a_busy_model_refuses),
        cmocka_unit_test(the_model_is_busy_during_a_query),
        cmocka_unit_test(the_catalogue_is_looked_at_in_silence),
        cmocka_unit_test(removed_callbacks_are_not_called),
        cmocka_unit_test(a_busy_model_refuses_handlers),
        cmocka_unit_test(functions_are_released_once),
        cmocka_unit_test(functions_are_released_after_an_error_too),
        cmocka_unit_test(copies_go_into_memory_of_the_library),
        cmocka_unit_test(parameters_are_read_by_pieces),
        TEST_IF(MX2ONNX_ZIP, npz_is_read_by_pieces),
        TEST_IF(MX2ONNX_ZIP, archives_are_read_from_memory_and_by_pieces),
        cmocka_unit_test(versions_agree),
    };
    if (argc < 4) {
        return 2;
    }
    sample = argv[1];
    params = argv[2];
    archives = argv[3];
    return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}
