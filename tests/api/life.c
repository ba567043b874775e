/* The life of a model as a caller sees it: arguments, order of calls, what comes back. Only the
 * public header. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/given.h"
#include "../support/missing.h"
#include "mx2onnx.h"

static const char *sample; /* a symbol file with its parameters next to it: input data (n, 1, 8, 8),
                              output softmax */

static mx2onnx_model *loaded(void)
{
    mx2onnx_model *m = NULL;
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    if (mx2onnx_load(m, sample) != MX2ONNX_OK) {
        fail_msg("%s", mx2onnx_error(m));
    }
    return m;
}

static void set_shape(mx2onnx_model *m)
{
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){1, 1, 8, 8}, NULL), MX2ONNX_OK);
}

static void version_agrees(void **state)
{
    char text[32];
    snprintf(text, sizeof(text), "%d.%d.%d", MX2ONNX_VERSION_MAJOR, MX2ONNX_VERSION_MINOR, MX2ONNX_VERSION_PATCH);
    assert_string_equal(mx2onnx_version(), text);
    assert_string_equal(mx2onnx_version(), BUILD_VERSION);
}

static void statuses_have_names(void **state)
{
    static const struct {
        int32_t code;
        const char *name, *text;
    } all[] = {
#define ROW(code, name, text) {code, #name, text},
        MX2ONNX_STATUS_MAP(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        assert_int_equal(all[i].code, -(int32_t)i);
        assert_string_equal(mx2onnx_status_name(all[i].code), all[i].name);
        assert_string_equal(mx2onnx_status_text(all[i].code), all[i].text);
    }
    assert_string_equal(mx2onnx_status_name(1), "UNKNOWN");
    assert_string_equal(mx2onnx_status_name(-99), "UNKNOWN");
}

static void element_types_go_both_ways(void **state)
{
    static const char *const names[] = {"float32", "float64", "float16", "uint8",  "int32",  "int8",    "int64",
                                        "bool",    "int16",   "uint16",  "uint32", "uint64", "bfloat16"};
    for (int32_t i = 0; i < 13; i++) {
        assert_string_equal(mx2onnx_dtype_name(i), names[i]);
        assert_int_equal(mx2onnx_dtype_from_name(names[i]), i);
    }
    assert_string_equal(mx2onnx_dtype_name(-1), "unknown");
    assert_string_equal(mx2onnx_dtype_name(13), "unknown");
    assert_int_equal(mx2onnx_dtype_from_name("complex64"), MX2ONNX_DTYPE_UNKNOWN);
    assert_int_equal(mx2onnx_dtype_from_name(NULL), MX2ONNX_DTYPE_UNKNOWN);
}

static void null_is_refused(void **state)
{
    const int32_t invalid = MX2ONNX_STATUS_INVALID_ARGUMENT;
    void *data = NULL;
    size_t size = 0;
    const char *text = NULL;
    mx2onnx_diagnostic d = {.struct_size = sizeof(d)};
    assert_int_equal(mx2onnx_model_new(NULL), invalid);
    mx2onnx_model_free(NULL);
    mx2onnx_memory_free(NULL);
    assert_int_equal(mx2onnx_load(NULL, sample), invalid);
    assert_int_equal(mx2onnx_load_symbol_file(NULL, sample), invalid);
    assert_int_equal(mx2onnx_load_symbol_memory(NULL, "{}", 2), invalid);
    assert_int_equal(mx2onnx_load_params_file(NULL, sample), invalid);
    assert_int_equal(mx2onnx_load_params_memory(NULL, "", 0, NULL, NULL), invalid);
    assert_int_equal(given_param(NULL, "a", given_array(0, 0, NULL, "1234", 4), NULL, NULL), invalid);
    assert_int_equal(mx2onnx_set_input_shape(NULL, "a", 0, NULL, NULL), invalid);
    assert_int_equal(mx2onnx_set_input_dim_name(NULL, "a", 0, "n"), invalid);
    assert_int_equal(mx2onnx_set_input_dtype(NULL, "a", 0), invalid);
    assert_int_equal(mx2onnx_add_output(NULL, "a"), invalid);
    assert_int_equal(mx2onnx_rename(NULL, "a", "b"), invalid);
    assert_int_equal(mx2onnx_set_option(NULL, MX2ONNX_OPTION_OPSET, 17), invalid);
    assert_int_equal(mx2onnx_reset_option(NULL, MX2ONNX_OPTION_OPSET), invalid);
    assert_int_equal(mx2onnx_set_option(NULL, MX2ONNX_OPTION_INITIALIZERS_AS_INPUTS, 1), invalid);
    assert_int_equal(mx2onnx_set_option(NULL, MX2ONNX_OPTION_KEEP_BATCH_NORM, 1), invalid);
    assert_int_equal(mx2onnx_set_option(NULL, MX2ONNX_OPTION_FOLD_INPUT_SCALE, 1), invalid);
    assert_int_equal(mx2onnx_set_text(NULL, MX2ONNX_TEXT_TARGET, "tract"), invalid);
    assert_int_equal(mx2onnx_set_option(NULL, MX2ONNX_OPTION_TRUST_INDICES, 1), invalid);
    assert_int_equal(mx2onnx_set_option(NULL, MX2ONNX_OPTION_FSYNC, 1), invalid);
    assert_int_equal(mx2onnx_set_option(NULL, MX2ONNX_OPTION_FULL_CHECKSUM, 1), invalid);
    assert_int_equal(mx2onnx_check_external_data(NULL, "x"), invalid);
    assert_int_equal(mx2onnx_set_log(NULL, MX2ONNX_SEVERITY_DEBUG, NULL, NULL, NULL), invalid);
    assert_int_equal(mx2onnx_set_progress(NULL, NULL, NULL, NULL), invalid);
    assert_int_equal(mx2onnx_infer(NULL), invalid);
    assert_int_equal(mx2onnx_param_read(NULL, 0, 0, NULL, 0), invalid);
    assert_int_equal(mx2onnx_export_file(NULL, "x"), invalid);
    assert_int_equal(mx2onnx_export_memory(NULL, &data, &size), invalid);
    assert_int_equal(mx2onnx_export_callback(NULL, NULL, NULL, NULL), invalid);
    assert_int_equal(mx2onnx_diagnostic_get(NULL, 0, &d), invalid);
    assert_int_equal(mx2onnx_model_reset(NULL), invalid);
    assert_int_equal(mx2onnx_report_json(NULL, &text), invalid);
    assert_int_equal(mx2onnx_graph_text(NULL, MX2ONNX_GRAPH_ONNX, &text), invalid);
    assert_int_equal(mx2onnx_graph_text(NULL, MX2ONNX_GRAPH_MXNET, &text), invalid);
    assert_int_equal(mx2onnx_graph_json(NULL, MX2ONNX_GRAPH_ONNX, &text), invalid);
    assert_int_equal(mx2onnx_graph_json(NULL, MX2ONNX_GRAPH_MXNET, &text), invalid);
    assert_non_null(mx2onnx_error(NULL));
}

static void looking_without_a_model_finds_nothing(void **state)
{
    assert_int_equal(mx2onnx_input_count(NULL), 0);
    assert_int_equal(mx2onnx_output_count(NULL), 0);
    assert_int_equal(mx2onnx_param_count(NULL), 0);
    assert_int_equal(mx2onnx_operator_count(NULL), 0);
    assert_int_equal(mx2onnx_diagnostic_count(NULL), 0);
    assert_null(mx2onnx_input_name(NULL, 0));
    assert_null(mx2onnx_output_name(NULL, 0));
    assert_null(mx2onnx_param_name(NULL, 0));
    assert_null(mx2onnx_operator_name(NULL, 0));
}

static void bad_arguments_say_what(void **state)
{
    mx2onnx_model *m = loaded();
    assert_int_equal(mx2onnx_load(m, NULL), MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(mx2onnx_error(m), "load"));
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, MX2ONNX_OPSET_MIN - 1), MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, MX2ONNX_OPSET_MAX + 1), MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_EXTERNAL_DATA, MX2ONNX_EXTERNAL_LINK + 1), MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_int_equal(mx2onnx_set_input_dtype(m, "data", 99), MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 1, NULL, NULL), MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 1, (const int64_t[]){-2}, NULL), MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_int_equal(given_param(m, "data", given_array(MX2ONNX_DTYPE_FLOAT32, 1, (const int64_t[]){2}, "1234", 4), NULL, NULL),
                     MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_int_equal(mx2onnx_rename(m, "data", ""), MX2ONNX_STATUS_INVALID_ARGUMENT);
    mx2onnx_model_free(m);
}

static void unknown_names_are_not_found(void **state)
{
    mx2onnx_model *m = loaded();
    assert_int_equal(mx2onnx_set_input_shape(m, "no_such", 1, (const int64_t[]){1}, NULL), MX2ONNX_STATUS_NOT_FOUND);
    assert_non_null(strstr(mx2onnx_error(m), "no_such"));
    assert_int_equal(mx2onnx_set_input_dtype(m, "no_such", MX2ONNX_DTYPE_FLOAT32), MX2ONNX_STATUS_NOT_FOUND);
    assert_int_equal(mx2onnx_set_input_dim_name(m, "no_such", 0, "n"), MX2ONNX_STATUS_NOT_FOUND);
    assert_int_equal(mx2onnx_add_output(m, "no_such_output"), MX2ONNX_STATUS_NOT_FOUND);
    mx2onnx_model_free(m);
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load(m, "no-such-folder/no-such-symbol.json"), MX2ONNX_STATUS_NOT_FOUND);
    assert_non_null(strstr(mx2onnx_error(m), "'no-such-folder/no-such-symbol.json' does not exist")); /* as it was given */
    mx2onnx_model_free(m);
}

static void an_empty_model_cannot_be_exported(void **state)
{
    mx2onnx_model *m = NULL;
    void *data = &m;
    size_t size = 7;
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_string_equal(mx2onnx_error(m), "");
    assert_int_equal(mx2onnx_input_count(m), 0);
    assert_true(mx2onnx_export_memory(m, &data, &size) < 0);
    assert_ptr_equal(data, &m); /* outputs are untouched on an error */
    assert_int_equal(size, 7);
    assert_true(mx2onnx_error(m)[0] != 0);
    assert_true(mx2onnx_infer(m) < 0);
    mx2onnx_model_free(m);
}

static void a_symbol_loads_once(void **state)
{
    mx2onnx_model *m = loaded();
    assert_true(mx2onnx_load_symbol_file(m, sample) < 0);
    assert_int_equal(mx2onnx_input_count(m), 1); /* and the first one stays */
    mx2onnx_model_free(m);
}

static void queries_describe_inputs_and_outputs(void **state)
{
    mx2onnx_model *m = loaded();
    set_shape(m);
    assert_int_equal(mx2onnx_infer(m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_input_count(m), 1);
    assert_string_equal(mx2onnx_input_name(m, 0), "data");
    assert_int_equal(mx2onnx_input_dtype(m, 0), MX2ONNX_DTYPE_FLOAT32);
    assert_int_equal(mx2onnx_input_rank(m, 0), 4);
    assert_int_equal(mx2onnx_input_dim(m, 0, 3), 8);
    assert_int_equal(mx2onnx_output_count(m), 1);
    assert_string_equal(mx2onnx_output_name(m, 0), "softmax");
    assert_int_equal(mx2onnx_output_rank(m, 0), 2);
    assert_int_equal(mx2onnx_output_dim(m, 0, 0), 1);
    assert_int_equal(mx2onnx_output_dim(m, 0, 1), 10);
    assert_null(mx2onnx_input_name(m, 1));
    assert_null(mx2onnx_output_name(m, 1));
    assert_int_equal(mx2onnx_input_dim(m, 0, 4), -1);
    assert_int_equal(mx2onnx_input_rank(m, 5), -1);
    mx2onnx_model_free(m);
}

/* Not one of the weights is asked for as if it were data. */
static void missing_weights_are_not_inputs(void **state)
{
    mx2onnx_model *m;
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load_symbol_file(m, sample), MX2ONNX_OK);
    assert_int_equal(mx2onnx_input_count(m), 1);
    assert_string_equal(mx2onnx_input_name(m, 0), "data");
    const size_t count = missing_count(m);
    assert_true(count > 3);
    assert_null(missing_name(m, count));
    char name[64];
    snprintf(name, sizeof name, "%s", missing_name(m, 0));
    assert_int_equal(mx2onnx_set_input_shape(m, name, 1, (const int64_t[]){-1}, NULL), MX2ONNX_OK);
    assert_int_equal(missing_count(m), count - 1);
    assert_int_equal(mx2onnx_input_count(m), 2);
    mx2onnx_model_free(m);
    m = loaded();
    assert_int_equal(missing_count(m), 0);
    mx2onnx_model_free(m);
}

static void parameters_can_be_listed(void **state)
{
    mx2onnx_model *m = loaded();
    const size_t count = mx2onnx_param_count(m);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        const int64_t *dims = mx2onnx_param_dims(m, i);
        uint64_t bytes = 4; /* all of the sample are float32 */
        for (int32_t axis = 0; axis < mx2onnx_param_rank(m, i); axis++) {
            bytes *= (uint64_t)dims[axis];
        }
        assert_int_equal(mx2onnx_param_dtype(m, i), MX2ONNX_DTYPE_FLOAT32);
        assert_int_equal(mx2onnx_param_size(m, i), bytes);
        assert_true(mx2onnx_param_used(m, i));
        assert_null(strchr(mx2onnx_param_name(m, i), ':'));
        void *data = malloc((size_t)bytes);
        assert_int_equal(mx2onnx_param_read(m, i, 0, data, (size_t)bytes), MX2ONNX_OK);
        assert_int_equal(mx2onnx_param_read(m, i, 0, data, (size_t)bytes + 1), MX2ONNX_STATUS_INVALID_ARGUMENT);
        free(data);
    }
    assert_null(mx2onnx_param_name(m, count));
    assert_true(mx2onnx_param_read(m, count, 0, NULL, 0) < 0);
    mx2onnx_model_free(m);
}

static void operators_can_be_listed(void **state)
{
    mx2onnx_model *m = loaded();
    const size_t count = mx2onnx_operator_count(m);
    assert_true(count > 3);
    for (size_t i = 0; i < count; i++) {
        assert_true(mx2onnx_operator_node_count(m, i) > 0);
        assert_true(i == 0 || mx2onnx_operator_node_count(m, i) <= mx2onnx_operator_node_count(m, i - 1));
        assert_true(mx2onnx_operator_supported(m, i));
    }
    assert_null(mx2onnx_operator_name(m, count));
    mx2onnx_model_free(m);
}

static void each_known_operator_is_described(void **state)
{
    const size_t count = mx2onnx_known_operator_count();
    assert_true(count > 50);
    for (size_t i = 0; i < count; i++) {
        assert_true(mx2onnx_known_operator_name(i)[0]);
        assert_in_range(mx2onnx_known_operator_opset(i), MX2ONNX_OPSET_MIN, MX2ONNX_OPSET_MAX);
        assert_non_null(mx2onnx_known_operator_aliases(i));
        assert_non_null(mx2onnx_known_operator_refuses(i));
        assert_non_null(mx2onnx_known_operator_differs(i));
        assert_non_null(mx2onnx_known_operator_status(i));
    }
    assert_null(mx2onnx_known_operator_name(count));
}

static void dynamic_dims_have_names(void **state)
{
    mx2onnx_model *m = loaded();
    set_shape(m);
    assert_int_equal(mx2onnx_set_input_dim_name(m, "data", 0, "batch"), MX2ONNX_OK);
    assert_int_equal(mx2onnx_infer(m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_input_dim(m, 0, 0), -1);
    assert_string_equal(mx2onnx_input_dim_name(m, 0, 0), "batch");
    assert_int_equal(mx2onnx_output_dim(m, 0, 0), -1);
    assert_string_equal(mx2onnx_output_dim_name(m, 0, 0), "batch");
    assert_int_equal(mx2onnx_set_input_dim_name(m, "data", 0, NULL), MX2ONNX_OK);
    set_shape(m);
    assert_int_equal(mx2onnx_infer(m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_output_dim(m, 0, 0), 1);
    assert_int_equal(mx2onnx_set_input_dim_name(m, "data", 9, "far"), MX2ONNX_STATUS_INVALID_ARGUMENT);
    mx2onnx_model_free(m);
}

static mx2onnx_status rename_one(mx2onnx_model *m, const char *name)
{
    return mx2onnx_rename(m, name, "x");
}

static mx2onnx_status keep_one(mx2onnx_model *m, const char *name)
{
    return mx2onnx_set_node_precision(m, name, MX2ONNX_PRECISION_FLOAT32);
}

static void an_unknown_name_is_refused_with_the_nearest(void **state)
{
    (void)state;
    mx2onnx_model *m = loaded();
    mx2onnx_diagnostic d = {.struct_size = sizeof d};
    mx2onnx_status (*const calls[])(mx2onnx_model *, const char *) = {rename_one, mx2onnx_add_output, keep_one};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        assert_int_equal(calls[i](m, "sofmax"), MX2ONNX_STATUS_NOT_FOUND);
        assert_int_equal(mx2onnx_diagnostic_get(m, 0, &d), MX2ONNX_OK);
        assert_string_equal(d.name, "sofmax");
        assert_string_equal(d.advice, "the nearest is 'softmax'");
        assert_int_equal(calls[i](m, "nothing like it"), MX2ONNX_STATUS_NOT_FOUND);
        assert_int_equal(mx2onnx_diagnostic_get(m, 0, &d), MX2ONNX_OK);
        assert_string_equal(d.advice, "mx2onnx_graph_text lists them");
    }
    assert_int_equal(rename_one(m, "fc1_output"), MX2ONNX_STATUS_NOT_FOUND); /* it is called fc1 in the file */
    assert_int_equal(mx2onnx_diagnostic_get(m, 0, &d), MX2ONNX_OK);
    assert_string_equal(d.advice, "the nearest is 'fc1'");
    assert_int_equal(rename_one(m, "fc1_outpxx"), MX2ONNX_STATUS_NOT_FOUND); /* two letters from _output */
    assert_int_equal(mx2onnx_diagnostic_get(m, 0, &d), MX2ONNX_OK);
    assert_string_equal(d.advice, "the nearest is 'fc1'");
    assert_int_equal(mx2onnx_rename(m, "softmax0", "probabilities"), MX2ONNX_OK); /* an output of a node that has several */
    assert_int_equal(mx2onnx_rename(m, "softmax_output", "probabilities"), MX2ONNX_STATUS_NOT_FOUND);
    mx2onnx_model_free(m);
}

static void two_exports_with_the_same_choices_are_equal(void **state)
{
    mx2onnx_model *m = loaded();
    void *first = NULL, *second = NULL, *other = NULL;
    size_t first_size = 0, second_size = 0, other_size = 0;
    set_shape(m);
    assert_int_equal(mx2onnx_export_memory(m, &first, &first_size), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, 13), MX2ONNX_OK);
    assert_int_equal(mx2onnx_rename(m, "softmax", "probabilities"), MX2ONNX_OK);
    assert_int_equal(mx2onnx_export_memory(m, &other, &other_size), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, MX2ONNX_OPSET_DEFAULT), MX2ONNX_OK);
    assert_int_equal(mx2onnx_rename(m, "softmax", "softmax"), MX2ONNX_OK);
    assert_int_equal(mx2onnx_export_memory(m, &second, &second_size), MX2ONNX_OK);
    assert_int_equal(first_size, second_size);
    assert_memory_equal(first, second, first_size);
    assert_true(other_size != first_size);
    mx2onnx_memory_free(first);
    mx2onnx_memory_free(second);
    mx2onnx_memory_free(other);
    mx2onnx_model_free(m);
}

struct gathered {
    char *bytes;
    size_t size;
};

static int32_t gather(const void *data, size_t size, void *user)
{
    struct gathered *g = user;
    g->bytes = realloc(g->bytes, g->size + size);
    memcpy(g->bytes + g->size, data, size);
    g->size += size;
    return 0;
}

static void callback_gets_the_same_bytes(void **state)
{
    mx2onnx_model *m = loaded();
    struct gathered g = {0};
    void *data = NULL;
    size_t size = 0;
    set_shape(m);
    assert_int_equal(mx2onnx_export_memory(m, &data, &size), MX2ONNX_OK);
    assert_int_equal(mx2onnx_export_callback(m, gather, &g, NULL), MX2ONNX_OK);
    assert_int_equal(g.size, size);
    assert_memory_equal(g.bytes, data, size);
    free(g.bytes);
    mx2onnx_memory_free(data);
    mx2onnx_model_free(m);
}

static int32_t stop(const mx2onnx_progress *p, void *user)
{
    assert_true(p->done <= p->total);
    ++*(int *)user;
    return 1;
}

static void progress_can_stop(void **state)
{
    mx2onnx_model *m = loaded();
    void *data = NULL;
    size_t size = 0;
    int calls = 0;
    set_shape(m);
    assert_int_equal(mx2onnx_set_progress(m, stop, &calls, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_export_memory(m, &data, &size), MX2ONNX_STATUS_CANCELLED);
    assert_int_equal(calls, 1);
    assert_null(data);
    assert_int_equal(mx2onnx_set_progress(m, NULL, NULL, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_export_memory(m, &data, &size), MX2ONNX_OK);
    mx2onnx_memory_free(data);
    mx2onnx_model_free(m);
}

static void a_failed_call_leaves_a_diagnostic(void **state)
{
    mx2onnx_model *m = loaded();
    assert_int_equal(mx2onnx_add_output(m, "no_such_output"), MX2ONNX_STATUS_NOT_FOUND);
    const size_t count = mx2onnx_diagnostic_count(m);
    assert_true(count > 0);
    mx2onnx_diagnostic d = {.struct_size = sizeof(d)};
    assert_int_equal(mx2onnx_diagnostic_get(m, count - 1, &d), MX2ONNX_OK);
    assert_int_equal(d.severity, MX2ONNX_SEVERITY_ERROR);
    assert_int_equal(d.status, MX2ONNX_STATUS_NOT_FOUND);
    assert_true(d.message[0] && d.node && d.op && d.attribute && d.advice);
    assert_true(mx2onnx_diagnostic_get(m, count, &d) < 0);
    assert_true(mx2onnx_diagnostic_get(m, 0, NULL) < 0);
    d.struct_size = 1; /* no such version of the struct */
    assert_int_equal(mx2onnx_diagnostic_get(m, 0, &d), MX2ONNX_STATUS_INVALID_ARGUMENT);
    mx2onnx_model_free(m);
}

static void count_lines(const mx2onnx_log_entry *entry, void *user)
{
    assert_in_range(entry->severity, 0, 3);
    assert_true(entry->message[0] != 0);
    ++*(int *)user;
}

static void log_hears_errors(void **state)
{
    mx2onnx_model *m = loaded();
    int lines = 0;
    assert_int_equal(mx2onnx_set_log(m, MX2ONNX_SEVERITY_DEBUG, count_lines, &lines, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_add_output(m, "no_such_output"), MX2ONNX_STATUS_NOT_FOUND);
    assert_true(lines > 0);
    mx2onnx_model_free(m);
}

static void list_passes(const mx2onnx_log_entry *entry, void *user)
{
    if (strncmp(entry->message, "after ", 6) == 0) {
        strncat(user, entry->message + 6, strcspn(entry->message + 6, ":"));
        strcat(user, " ");
    }
}

/* Those that change weights are left out where the weights must stay. */
static void passes_are_logged(void **state)
{
    static const char *const passes[] = {
        "lower finish inputs layout split_products transposes concats fuse slices merge_products batch_norm scale signed_levels tie "
        "legalise order names ",
        "lower finish inputs layout transposes concats fuse slices signed_levels tie legalise order names "};
    for (int keep = 0; keep < 2; keep++) {
        mx2onnx_model *m = loaded();
        char list[512] = "";
        const char *text = NULL;
        set_shape(m);
        assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_KEEP_BATCH_NORM, keep), MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_log(m, MX2ONNX_SEVERITY_DEBUG, list_passes, list, NULL), MX2ONNX_OK);
        assert_int_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text), MX2ONNX_OK);
        assert_string_equal(list, passes[keep]);
        mx2onnx_model_free(m);
    }
}

static void graphs_can_be_printed(void **state)
{
    mx2onnx_model *m = loaded();
    set_shape(m);
    const char *symbol = NULL, *graph = NULL;
    assert_int_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_MXNET, &symbol), MX2ONNX_OK);
    assert_int_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &graph), MX2ONNX_OK);
    assert_non_null(strstr(symbol, "Convolution"));
    assert_non_null(strstr(graph, "Conv"));
    const char *report = NULL;
    assert_int_equal(mx2onnx_report_json(m, &report), MX2ONNX_OK);
    assert_non_null(strstr(report, "data"));
    assert_int_equal(report[0], '{');
    mx2onnx_model_free(m);
}

static void inner_values_become_the_outputs(void **state)
{
    mx2onnx_model *m = loaded();
    set_shape(m);
    assert_int_equal(mx2onnx_add_output(m, "fc1_output"), MX2ONNX_OK);
    assert_int_equal(mx2onnx_add_output(m, "pool1_output"), MX2ONNX_OK);
    assert_int_equal(mx2onnx_infer(m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_output_count(m), 2);
    assert_string_equal(mx2onnx_output_name(m, 0), "fc1");
    assert_string_equal(mx2onnx_output_name(m, 1), "pool1");
    assert_int_equal(mx2onnx_add_output(m, "fc2_output"), MX2ONNX_OK);
    assert_int_equal(mx2onnx_output_count(m), 3);
    assert_string_equal(mx2onnx_output_name(m, 2), "fc2");
    assert_int_equal(mx2onnx_clear_outputs(m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_output_count(m), 1);
    mx2onnx_model_free(m);
}

static void an_input_with_a_value_is_not_an_input(void **state)
{
    static const float zeros[64];
    mx2onnx_model *m = loaded();
    assert_int_equal(
        given_param(m, "data", given_array(MX2ONNX_DTYPE_FLOAT32, 4, (const int64_t[]){1, 1, 8, 8}, zeros, sizeof(zeros)), NULL, NULL),
        MX2ONNX_OK);
    assert_int_equal(mx2onnx_infer(m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_input_count(m), 0);
    assert_int_equal(mx2onnx_output_dim(m, 0, 0), 1);
    mx2onnx_model_free(m);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_agrees),
        cmocka_unit_test(statuses_have_names),
        cmocka_unit_test(element_types_go_both_ways),
        cmocka_unit_test(null_is_refused),
        cmocka_unit_test(looking_without_a_model_finds_nothing),
        cmocka_unit_test(bad_arguments_say_what),
        cmocka_unit_test(unknown_names_are_not_found),
        cmocka_unit_test(an_empty_model_cannot_be_exported),
        cmocka_unit_test(a_symbol_loads_once),
        cmocka_unit_test(queries_describe_inputs_and_outputs),
        cmocka_unit_test(missing_weights_are_not_inputs),
        cmocka_unit_test(parameters_can_be_listed),
        cmocka_unit_test(operators_can_be_listed),
        cmocka_unit_test(each_known_operator_is_described),
        cmocka_unit_test(dynamic_dims_have_names),
        cmocka_unit_test(an_unknown_name_is_refused_with_the_nearest),
        cmocka_unit_test(two_exports_with_the_same_choices_are_equal),
        cmocka_unit_test(callback_gets_the_same_bytes),
        cmocka_unit_test(progress_can_stop),
        cmocka_unit_test(a_failed_call_leaves_a_diagnostic),
        cmocka_unit_test(log_hears_errors),
        cmocka_unit_test(passes_are_logged),
        cmocka_unit_test(graphs_can_be_printed),
        cmocka_unit_test(inner_values_become_the_outputs),
        cmocka_unit_test(an_input_with_a_value_is_not_an_input),
    };
    if (argc < 2) {
        return 2;
    }
    sample = argv[1];
    return cmocka_run_group_tests_name("life", tests, NULL, NULL);
}
