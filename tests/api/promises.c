/* What the top of the header promises of every call: the life of texts, the order of calls, loads that fail, structures that grow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/given.h"
#include "../support/models.h"

static const char *sample; /* input data (n, 1, 8, 8), output softmax; its parameters are next to it */

static mx2onnx_model *inferred(void)
{
    mx2onnx_model *m = fresh();
    assert_fine(m, mx2onnx_load(m, sample));
    assert_fine(m, mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){-1, 1, 8, 8}, NULL));
    assert_fine(m, mx2onnx_infer(m));
    return m;
}

static size_t exported(mx2onnx_model *m)
{
    void *data = NULL;
    size_t size = 0;
    assert_fine(m, mx2onnx_export_memory(m, &data, &size));
    mx2onnx_memory_free(data);
    return size;
}

/* ---- texts */

/* No query takes away what another one returned, or takes more memory each time. */
static void queries_leave_texts(void **state)
{
    mx2onnx_model *m = inferred();
    const char *batch = mx2onnx_input_dim_name(m, 0, 0), *output = mx2onnx_output_name(m, 0), *net = mx2onnx_catalogue_text(m, 0);
    assert_string_equal(batch, "batch");
    for (int i = 0; i < 10000; i++) {
        assert_ptr_equal(mx2onnx_input_dim_name(m, 0, 0), batch);
        assert_ptr_equal(mx2onnx_output_dim_name(m, 0, 0), batch);
    }
    const char *other = mx2onnx_catalogue_text(m, 1);
    assert_true(!net || (net != other && net == mx2onnx_catalogue_text(m, 0)));
    assert_ptr_equal(mx2onnx_output_name(m, 0), output);
    mx2onnx_model_free(m);
}

static void a_check_of_files_leaves_the_model(void **state)
{
    mx2onnx_model *m = inferred();
    assert_fails(m, mx2onnx_check_external_data(m, "no/such.onnx"), MX2ONNX_STATUS_NOT_FOUND, "no/such.onnx");
    assert_int_equal(mx2onnx_output_rank(m, 0), 2);
    assert_int_equal(mx2onnx_output_dim(m, 0, 1), 10);
    mx2onnx_model_free(m);
}

static void no_model_has_an_error(void **state)
{
    assert_non_null(strstr(mx2onnx_error(NULL), "NULL"));
}

/* ---- structures */

static void a_larger_structure_is_filled(void **state)
{
    struct {
        mx2onnx_diagnostic d;
        void *later[2];
    } grown;
    mx2onnx_model *m = inferred();
    assert_int_equal(mx2onnx_add_output(m, "nowhere"), MX2ONNX_STATUS_NOT_FOUND);
    memset(&grown, 0xAB, sizeof grown);
    grown.d.struct_size = sizeof grown;
    assert_int_equal(mx2onnx_diagnostic_get(m, mx2onnx_diagnostic_count(m) - 1, &grown.d), MX2ONNX_OK);
    assert_int_equal(grown.d.struct_size, sizeof grown.d);
    assert_null(grown.later[0]);
    assert_null(grown.later[1]);
    assert_string_equal(grown.d.name, "nowhere");
    struct {
        size_t struct_size;
        mx2onnx_severity severity;
        mx2onnx_status status;
        void *beyond;
    } old = {.struct_size = sizeof(size_t) + 2 * sizeof(int32_t), .beyond = &grown};
    mx2onnx_diagnostic *few = (void *)&old;
    assert_int_equal(mx2onnx_diagnostic_get(m, mx2onnx_diagnostic_count(m) - 1, few), MX2ONNX_OK);
    assert_int_equal(old.struct_size, sizeof(size_t) + 2 * sizeof(int32_t));
    assert_int_equal(old.status, MX2ONNX_STATUS_NOT_FOUND);
    assert_ptr_equal(old.beyond, &grown);
    mx2onnx_model_free(m);
}

/* A size between two members: only whole ones are written. */
static void no_member_is_filled_in_part(void **state)
{
    static const struct {
        size_t room, filled;
    } cases[] = {
        {sizeof(size_t), sizeof(size_t)},
        {sizeof(size_t) + 3, sizeof(size_t)},
        {offsetof(mx2onnx_diagnostic, status) + 1, offsetof(mx2onnx_diagnostic, status)},
        {offsetof(mx2onnx_diagnostic, node) + sizeof(char *) / 2, offsetof(mx2onnx_diagnostic, node)},
        {sizeof(mx2onnx_diagnostic) - 1, offsetof(mx2onnx_diagnostic, advice)},
    };
    mx2onnx_model *m = inferred();
    assert_int_equal(mx2onnx_add_output(m, "nowhere"), MX2ONNX_STATUS_NOT_FOUND);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char untouched[sizeof(mx2onnx_diagnostic)];
        mx2onnx_diagnostic d;
        memset(&d, 0xAB, sizeof d);
        memset(untouched, 0xAB, sizeof untouched);
        d.struct_size = cases[i].room;
        assert_int_equal(mx2onnx_diagnostic_get(m, mx2onnx_diagnostic_count(m) - 1, &d), MX2ONNX_OK);
        assert_int_equal(d.struct_size, cases[i].filled);
        assert_memory_equal((char *)&d + cases[i].filled, untouched, sizeof d - cases[i].filled);
    }
    mx2onnx_model_free(m);
}

/* ---- the order of calls */

static void choices_come_before_the_load(void **state)
{
    mx2onnx_model *m = fresh(), *plain = inferred();
    assert_fine(m, mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){-1, 1, 8, 8}, NULL));
    assert_fine(m, mx2onnx_set_input_dim_name(m, "data", 0, "n"));
    assert_fine(m, mx2onnx_set_input_mean(m, "data", 1, (const double[]){1}));
    assert_fine(m, mx2onnx_rename(m, "data", "pixels"));
    assert_fine(m, mx2onnx_add_output(m, "fc1_output"));
    assert_fine(m, mx2onnx_set_node_precision(m, "fc1", MX2ONNX_PRECISION_FLOAT32));
    assert_int_equal(mx2onnx_input_count(m), 0);
    assert_fails(m, mx2onnx_infer(m), MX2ONNX_STATUS_INVALID_ARGUMENT, "no symbol");
    assert_fine(m, mx2onnx_load(m, sample));
    assert_int_equal(mx2onnx_input_count(m), 1);
    assert_fine(m, mx2onnx_infer(m));
    assert_string_equal(mx2onnx_input_name(m, 0), "data");
    assert_string_equal(mx2onnx_input_dim_name(m, 0, 0), "n");
    assert_string_equal(mx2onnx_output_name(m, 0), "fc1");
    assert_true(exported(m) > 0);
    mx2onnx_model_free(plain);
    mx2onnx_model_free(m);
}

static mx2onnx_status choose_shape(mx2onnx_model *m)
{
    return mx2onnx_set_input_shape(m, "dta", 1, (const int64_t[]){1}, NULL);
}
static mx2onnx_status choose_dtype(mx2onnx_model *m)
{
    return mx2onnx_set_input_dtype(m, "dta", MX2ONNX_DTYPE_FLOAT32);
}
static mx2onnx_status choose_name(mx2onnx_model *m)
{
    return mx2onnx_rename(m, "dta", "x");
}
static mx2onnx_status choose_output(mx2onnx_model *m)
{
    return mx2onnx_add_output(m, "dta");
}
static mx2onnx_status choose_precision(mx2onnx_model *m)
{
    return mx2onnx_set_node_precision(m, "dta", MX2ONNX_PRECISION_FLOAT32);
}

static void a_name_chosen_too_early_is_found_out(void **state)
{
    static mx2onnx_status (*const choices[])(mx2onnx_model *) = {choose_shape, choose_dtype, choose_name, choose_output, choose_precision};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        mx2onnx_model *m = fresh();
        assert_fine(m, choices[i](m));
        assert_fine(m, mx2onnx_load(m, sample));
        assert_fails(m, mx2onnx_infer(m), MX2ONNX_STATUS_NOT_FOUND, "'dta'");
        assert_non_null(strstr(mx2onnx_error(m), "'data'")); /* what may be meant */
        assert_fails(m, mx2onnx_infer(m), MX2ONNX_STATUS_NOT_FOUND, "'dta'");
        assert_fine(m, mx2onnx_model_reset(m));
        assert_fine(m, mx2onnx_load(m, sample));
        assert_fails(m, choices[i](m), MX2ONNX_STATUS_NOT_FOUND, "'dta'"); /* at once, with a symbol */
        assert_fine(m, mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){1, 1, 8, 8}, NULL));
        assert_fine(m, mx2onnx_infer(m));
        mx2onnx_model_free(m);
    }
}

/* Every choice with a wrong name, and the same taken back. */
static mx2onnx_status mistake(mx2onnx_model *m, int which, bool back)
{
    static const int64_t dims[] = {3, 4};
    static const double value = 2;
    switch (which) {
    case 0: return mx2onnx_set_input_shape(m, "zz", back ? -1 : 2, dims, NULL);
    case 1: return mx2onnx_set_input_mean(m, "zz", !back, &value);
    case 2: return mx2onnx_set_input_scale(m, "zz", !back, &value);
    case 3: return mx2onnx_rename(m, "zz", back ? NULL : "yy");
    case 4: return mx2onnx_set_node_precision(m, "zz", back ? MX2ONNX_PRECISION_AUTO : MX2ONNX_PRECISION_FLOAT32);
    case 5: return mx2onnx_set_input_dtype(m, "zz", back ? MX2ONNX_DTYPE_UNKNOWN : MX2ONNX_DTYPE_FLOAT32);
    case 6: return mx2onnx_set_input_channels_last(m, "zz", !back);
    default: return mx2onnx_set_input_channels_reversed(m, "zz", !back);
    }
}
enum { MISTAKES = 8 };

static void a_mistake_before_the_load_is_taken_back(void **state)
{
    for (int which = 0; which < MISTAKES; which++) {
        for (int early = 0; early < 2; early++) {
            mx2onnx_model *m = fresh();
            assert_fine(m, mistake(m, which, false));
            if (early) {
                assert_fine(m, mistake(m, which, true));
            }
            assert_fine(m, mx2onnx_load(m, sample));
            assert_fine(m, mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){-1, 1, 8, 8}, NULL));
            if (!early) {
                assert_fails(m, mx2onnx_infer(m), MX2ONNX_STATUS_NOT_FOUND, "'zz'");
                assert_fine(m, mistake(m, which, true));
            }
            assert_fine(m, mx2onnx_infer(m));
            assert_fine(m, mistake(m, which, true));
            assert_fails(m, mistake(m, which, false), MX2ONNX_STATUS_NOT_FOUND, "'zz'");
            assert_fine(m, mx2onnx_infer(m));
            mx2onnx_model_free(m);
        }
    }
}

/* Of two choices for a name the other one still counts, and a call that failed chooses nothing. */
static void a_choice_is_taken_back_in_part(void **state)
{
    mx2onnx_model *m = fresh();
    assert_fine(m, mistake(m, 0, false));
    assert_fine(m, mistake(m, 1, false));
    assert_fine(m, mistake(m, 0, true));
    assert_fine(m, mx2onnx_load(m, sample));
    assert_fine(m, mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){-1, 1, 8, 8}, NULL));
    assert_fails(m, mx2onnx_infer(m), MX2ONNX_STATUS_NOT_FOUND, "'zz'");
    assert_fine(m, mistake(m, 1, true));
    assert_fine(m, mx2onnx_infer(m));
    assert_fine(m, mx2onnx_model_reset(m));
    assert_fails(m, mx2onnx_set_input_dim_name(m, "zz", 0, "n"), MX2ONNX_STATUS_INVALID_ARGUMENT, "axis 0");
    assert_fine(m, mx2onnx_load(m, sample));
    assert_fails(m, mx2onnx_set_input_dim_name(m, "zz", 0, NULL), MX2ONNX_STATUS_NOT_FOUND, "'zz'");
    assert_fine(m, mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){-1, 1, 8, 8}, NULL));
    assert_fine(m, mx2onnx_infer(m));
    mx2onnx_model_free(m);
}

/* A weight without a value becomes an input as long as its shape is chosen. */
static void a_weight_is_one_again(void **state)
{
    mx2onnx_model *m = fresh();
    size_t weight = 0;
    assert_fine(m, mx2onnx_load_symbol_file(m, sample));
    while (mx2onnx_variable_kind(m, weight) != MX2ONNX_VARIABLE_WEIGHT) {
        weight++;
    }
    char *name = strdup(mx2onnx_variable_name(m, weight));
    for (int look = 0; look < 2; look++) {
        assert_fine(m, mx2onnx_set_input_shape(m, name, 1, (const int64_t[]){4}, NULL));
        if (look) {
            assert_int_equal(mx2onnx_variable_kind(m, weight), MX2ONNX_VARIABLE_INPUT);
        }
        assert_fine(m, mx2onnx_set_input_shape(m, name, -1, NULL, NULL));
        assert_int_equal(mx2onnx_variable_kind(m, weight), MX2ONNX_VARIABLE_WEIGHT);
    }
    free(name);
    mx2onnx_model_free(m);
}

/* A dim takes its input's shape from the file only if the call succeeds, and has a name to give. */
static void a_dim_that_is_not_named_leaves_the_shape(void **state)
{
    static const char symbol[] = "{\"nodes\":[{\"op\":\"null\",\"name\":\"x\",\"inputs\":[]},"
                                 "{\"op\":\"null\",\"name\":\"w\",\"attrs\":{\"__shape__\":\"(4, 3)\"},\"inputs\":[]},"
                                 "{\"op\":\"FullyConnected\",\"name\":\"fc\",\"attrs\":{\"num_hidden\":\"4\",\"no_bias\":\"True\"},"
                                 "\"inputs\":[[0,0,0],[1,0,0]]}],\"arg_nodes\":[0,1],\"heads\":[[2,0,0]],"
                                 "\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";
    int32_t rank;
    mx2onnx_model *m = fresh();
    assert_fine(m, mx2onnx_set_input_dim_name(m, "w", 0, NULL));
    assert_fine(m, mx2onnx_load_symbol_memory(m, symbol, strlen(symbol)));
    assert_fails(m, mx2onnx_set_input_dim_name(m, "w", 7, "n"), MX2ONNX_STATUS_INVALID_ARGUMENT, "fewer dimensions");
    assert_fine(m, mx2onnx_set_input_dim_name(m, "w", 0, NULL));
    assert_null(mx2onnx_get_input_shape(m, "w", &rank));
    assert_int_equal(rank, -1);
    assert_int_equal(mx2onnx_variable_kind(m, 1), MX2ONNX_VARIABLE_WEIGHT);
    assert_fine(m, mx2onnx_set_input_dim_name(m, "w", 1, "n"));
    const int64_t *dims = mx2onnx_get_input_shape(m, "w", &rank);
    assert_true(rank == 2 && dims[0] == 4 && dims[1] == 3);
    assert_null(mx2onnx_get_input_dim_name(m, "w", 0));
    assert_string_equal(mx2onnx_get_input_dim_name(m, "w", 1), "n");
    mx2onnx_model_free(m);
}

static void rename_takes_the_name_in_the_file(void **state)
{
    mx2onnx_model *m = inferred();
    assert_fine(m, mx2onnx_rename(m, "data", "x"));
    assert_fails(m, mx2onnx_rename(m, "x", "data"), MX2ONNX_STATUS_NOT_FOUND, "'x'");
    const char *report;
    assert_fine(m, mx2onnx_rename(m, "data", "y"));
    assert_fine(m, mx2onnx_infer(m));
    assert_fine(m, mx2onnx_report_json(m, &report));
    assert_non_null(strstr(report, "\"y\""));
    assert_fine(m, mx2onnx_rename(m, "data", "data"));
    assert_fine(m, mx2onnx_infer(m));
    assert_fine(m, mx2onnx_report_json(m, &report));
    assert_null(strstr(report, "\"y\""));
    assert_non_null(strstr(report, "\"data\""));
    mx2onnx_model_free(m);
}

static void a_value_for_no_variable_is_warned_of(void **state)
{
    const float value[10] = {0};
    mx2onnx_diagnostic d = {.struct_size = sizeof d};
    mx2onnx_model *m = inferred();
    const size_t before = mx2onnx_diagnostic_count(m);
    char name[64];
    snprintf(name, sizeof name, "%sx", mx2onnx_param_name(m, 0));
    assert_fine(m, given_param(m, name, given_array(MX2ONNX_DTYPE_FLOAT32, 1, (const int64_t[]){10}, value, sizeof value), NULL, NULL));
    assert_fine(m, mx2onnx_infer(m));
    assert_int_equal(mx2onnx_diagnostic_count(m), before + 1);
    for (size_t i = 0; i <= before && strcmp(d.name ? d.name : "", name) != 0; i++) {
        assert_int_equal(mx2onnx_diagnostic_get(m, i, &d), MX2ONNX_OK);
    }
    assert_int_equal(d.severity, MX2ONNX_SEVERITY_WARNING);
    assert_string_equal(d.name, name);
    assert_non_null(strstr(d.advice, mx2onnx_param_name(m, 0)));
    mx2onnx_model_free(m);
}

/* ---- options */

/* "the option 7 is unknown" */
static const char *unknown(const char *what, int number)
{
    static char text[64];
    (void)snprintf(text, sizeof text, "the %s %d is unknown", what, number);
    return text;
}

/* Of every option: its default, another value, and back. */
static void options_go_both_ways(void **state)
{
    static const struct {
        mx2onnx_option option;
        int64_t standard, other, bad;
    } all[] = {
        {MX2ONNX_OPTION_OPSET, MX2ONNX_OPSET_AUTO, 13, 10},
        {MX2ONNX_OPTION_FLOAT16, MX2ONNX_FLOAT16_OFF, MX2ONNX_FLOAT16_INSIDE, 3},
        {MX2ONNX_OPTION_TRUST_INDICES, 0, 1, 2},
        {MX2ONNX_OPTION_KEEP_BATCH_NORM, 0, 1, -1},
        {MX2ONNX_OPTION_INITIALIZERS_AS_INPUTS, 0, 1, 2},
        {MX2ONNX_OPTION_SEED, -1, INT32_MAX, INT64_C(1) << 31},
        {MX2ONNX_OPTION_EXTERNAL_DATA, MX2ONNX_EXTERNAL_AUTO, MX2ONNX_EXTERNAL_LINK, 5},
        {MX2ONNX_OPTION_EXTERNAL_THRESHOLD, 1024, 1, 0},
        {MX2ONNX_OPTION_FULL_CHECKSUM, 0, 1, 2},
        {MX2ONNX_OPTION_FSYNC, 0, 1, 2},
        {MX2ONNX_OPTION_CLASSES, 0, 7, -1},
        {MX2ONNX_OPTION_CROP, 0, 480, -1},
        {MX2ONNX_OPTION_SEGMENTS, 0, 3, INT64_C(1) << 31},
        {MX2ONNX_OPTION_VOCABULARY, 0, 30522, -1},
        {MX2ONNX_OPTION_MEMORY_LIMIT, INT64_C(64) << 20, 1 << 20, -1},
        {MX2ONNX_OPTION_EXPANSION_LIMIT, INT64_C(64) << 20, INT64_MAX, -1},
        {MX2ONNX_OPTION_NODES_LIMIT, 1 << 20, 0, -1},
        {MX2ONNX_OPTION_OUTPUT_LIMIT, INT64_C(4) << 30, 0, INT64_MIN},
        {MX2ONNX_OPTION_FOLD_INPUT_SCALE, 0, 1, 2},
        {MX2ONNX_OPTION_NODE_METADATA, 0, 1, 2},
        {MX2ONNX_OPTION_STRUCTURAL_NAMES, 0, 1, 2},
    };
    mx2onnx_model *m = fresh();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_int_equal(all[i].option, i + 1);
        assert_true(mx2onnx_get_option(m, all[i].option) == all[i].standard);
        assert_fine(m, mx2onnx_set_option(m, all[i].option, all[i].other));
        assert_int_equal(mx2onnx_set_option(m, all[i].option, all[i].bad), MX2ONNX_STATUS_INVALID_ARGUMENT);
        assert_true(mx2onnx_error(m)[0] != 0);
        assert_true(mx2onnx_get_option(m, all[i].option) == all[i].other);
        assert_fine(m, mx2onnx_reset_option(m, all[i].option));
        assert_true(mx2onnx_get_option(m, all[i].option) == all[i].standard);
        assert_fine(m, mx2onnx_set_option(m, all[i].option, all[i].standard));
    }
    const mx2onnx_status invalid = MX2ONNX_STATUS_INVALID_ARGUMENT;
    assert_fails(m, mx2onnx_set_option(m, MX2ONNX_OPTION_FSYNC, 2), invalid, "FSYNC is 2, but must be 0 (the default) or 1");
    assert_fails(m, mx2onnx_set_option(m, MX2ONNX_OPTION_FLOAT16, 3), invalid, "FLOAT16 is 3, but must be 0 (the default) to 2");
    assert_fails(m, mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, 10), invalid, "must be 0 (the default), or 11 to 28");
    static const mx2onnx_option none[] = {0, -1, sizeof all / sizeof *all + 1, INT32_MAX};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_fails(m, mx2onnx_set_option(m, none[i], 0), MX2ONNX_STATUS_INVALID_ARGUMENT, unknown("option", none[i]));
        assert_fails(m, mx2onnx_reset_option(m, none[i]), MX2ONNX_STATUS_INVALID_ARGUMENT, unknown("option", none[i]));
        assert_true(mx2onnx_get_option(m, none[i]) == INT64_MIN);
        assert_fails(m, mx2onnx_set_text(m, none[i], "x"), MX2ONNX_STATUS_INVALID_ARGUMENT, unknown("text", none[i]));
        assert_null(mx2onnx_get_text(m, none[i]));
    }
    mx2onnx_model_free(m);
}

static void texts_go_both_ways(void **state)
{
    static const char *const values[] = {NULL, "tract", "org.example", "module.", "me", "mine", "weights.bin"};
    mx2onnx_model *m = inferred();
    const size_t size = exported(m);
    for (mx2onnx_text i = MX2ONNX_TEXT_TARGET; i <= MX2ONNX_TEXT_SIDE_FILE; i++) {
        assert_null(mx2onnx_get_text(m, i));
        assert_fine(m, mx2onnx_set_text(m, i, values[i]));
        assert_string_equal(mx2onnx_get_text(m, i), values[i]);
        assert_int_equal(mx2onnx_set_text(m, i, "\xff"), MX2ONNX_STATUS_INVALID_ARGUMENT);
        assert_string_equal(mx2onnx_get_text(m, i), values[i]);
        assert_fine(m, mx2onnx_set_text(m, i, NULL));
        assert_null(mx2onnx_get_text(m, i));
    }
    assert_int_equal(exported(m), size);
    mx2onnx_model_free(m);
}

static bool has(const char *data, size_t size, const char *text)
{
    const size_t length = strlen(text);
    for (size_t i = 0; i + length <= size; i++) {
        if (memcmp(data + i, text, length) == 0) {
            return true;
        }
    }
    return false;
}

static void texts_are_in_the_model(void **state)
{
    static char data[65536];
    mx2onnx_model *m = inferred();
    assert_fine(m, mx2onnx_set_text(m, MX2ONNX_TEXT_PRODUCER, "the producer"));
    assert_fine(m, mx2onnx_set_text(m, MX2ONNX_TEXT_DOC_STRING, "the doc"));
    assert_fine(m, mx2onnx_set_text(m, MX2ONNX_TEXT_SIDE_FILE, "promises-weights"));
    assert_fine(m, mx2onnx_set_option(m, MX2ONNX_OPTION_EXTERNAL_DATA, MX2ONNX_EXTERNAL_ALWAYS));
    assert_fine(m, mx2onnx_set_option(m, MX2ONNX_OPTION_EXTERNAL_THRESHOLD, 1));
    assert_fine(m, mx2onnx_export_file(m, "promises.onnx"));
    assert_fine(m, mx2onnx_check_external_data(m, "promises.onnx"));
    FILE *f = fopen("promises.onnx", "rb");
    assert_non_null(f);
    const size_t size = fread(data, 1, sizeof data, f);
    fclose(f);
    assert_true(has(data, size, "the producer"));
    assert_true(has(data, size, "the doc"));
    assert_true(has(data, size, "promises-weights"));
    assert_int_equal(mx2onnx_written_file_count(m), 2);
    assert_string_equal(mx2onnx_written_file_name(m, 0), "promises.onnx");
    assert_string_equal(mx2onnx_written_file_name(m, 1), "promises-weights");
    assert_null(mx2onnx_written_file_name(m, 2));
    assert_fails(m, mx2onnx_set_text(m, MX2ONNX_TEXT_SIDE_FILE, "../up"), MX2ONNX_STATUS_INVALID_ARGUMENT, "side file");
    assert_int_equal(remove("promises.onnx") | remove("promises-weights"), 0);
    for (size_t i = 0; i < 2; i++) { /* none of them exists, and a file system may ignore case */
        assert_fine(m, mx2onnx_set_text(m, MX2ONNX_TEXT_SIDE_FILE, i ? "Promises.ONNX" : "promises.onnx"));
        assert_fails(m, mx2onnx_export_file(m, "promises.onnx"), MX2ONNX_STATUS_INVALID_ARGUMENT, "have the same name");
        assert_null(fopen("promises.onnx", "rb"));
    }
    mx2onnx_model_free(m);
}

/* ---- ways back */

static void a_choice_can_be_undone(void **state)
{
    mx2onnx_model *m = inferred();
    const size_t size = exported(m);
    assert_fine(m, mx2onnx_add_output(m, "fc1_output"));
    assert_fine(m, mx2onnx_rename(m, "data", "pixels"));
    assert_fine(m, mx2onnx_set_input_dtype(m, "data", MX2ONNX_DTYPE_FLOAT64));
    assert_fine(m, mx2onnx_set_node_precision(m, "fc1", MX2ONNX_PRECISION_FLOAT32));
    assert_int_equal(mx2onnx_get_node_precision(m, "fc1"), MX2ONNX_PRECISION_FLOAT32);
    assert_int_equal(mx2onnx_get_node_precision(m, "fc2"), MX2ONNX_PRECISION_AUTO);
    assert_true(exported(m) != size);
    assert_fine(m, mx2onnx_clear_outputs(m));
    assert_fine(m, mx2onnx_rename(m, "data", NULL));
    assert_fine(m, mx2onnx_set_input_dtype(m, "data", MX2ONNX_DTYPE_UNKNOWN));
    assert_fine(m, mx2onnx_set_node_precision(m, "fc1", MX2ONNX_PRECISION_AUTO));
    assert_int_equal(exported(m), size);
    assert_string_equal(mx2onnx_output_name(m, 0), "softmax");
    assert_fine(m, mx2onnx_set_input_shape(m, "data", -1, NULL, NULL));
    assert_int_equal(mx2onnx_input_rank(m, 0), -1);
    assert_fine(m, mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){-1, 1, 8, 8}, NULL));
    assert_int_equal(exported(m), size);
    mx2onnx_model_free(m);
}

/* A returned text or list is valid until the next call: also as its argument. */
static void returned_texts_are_taken_as_arguments(void **state)
{
    size_t n;
    mx2onnx_model *m = inferred();
    assert_fine(m, mx2onnx_rename(m, "data", "pixels"));
    assert_fine(m, mx2onnx_set_metadata(m, "key", "a value"));
    assert_fine(m, mx2onnx_set_input_mean(m, "data", 1, (const double[]){0.5}));
    assert_fine(m, mx2onnx_set_text(m, MX2ONNX_TEXT_PRODUCER, "me"));
    for (int i = 0; i < 3; i++) {
        assert_fine(m, mx2onnx_rename(m, mx2onnx_input_name(m, 0), mx2onnx_get_rename(m, "data")));
        assert_fine(m, mx2onnx_set_metadata(m, mx2onnx_metadata_key(m, 0), mx2onnx_get_metadata(m, "key")));
        const double *mean = mx2onnx_get_input_mean(m, "data", &n);
        assert_fine(m, mx2onnx_set_input_mean(m, mx2onnx_input_name(m, 0), n, mean));
        assert_fine(m, mx2onnx_set_input_scale(m, mx2onnx_variable_name(m, 0), n, mx2onnx_get_input_mean(m, "data", NULL)));
        assert_fine(m, mx2onnx_set_text(m, MX2ONNX_TEXT_PRODUCER, mx2onnx_get_text(m, MX2ONNX_TEXT_PRODUCER)));
        assert_fine(m, mx2onnx_add_output(m, mx2onnx_output_name(m, 0)));
        assert_fine(m, mx2onnx_clear_outputs(m));
        assert_fine(m, mx2onnx_set_node_precision(m, mx2onnx_operator_name(m, 0), MX2ONNX_PRECISION_FLOAT32));
        assert_fine(m, mx2onnx_set_input_dim_name(m, "data", 0, mx2onnx_input_dim_name(m, 0, 0)));
        assert_fine(m, mx2onnx_infer(m));
    }
    assert_string_equal(mx2onnx_get_rename(m, "data"), "pixels");
    assert_string_equal(mx2onnx_get_metadata(m, "key"), "a value");
    assert_string_equal(mx2onnx_get_text(m, MX2ONNX_TEXT_PRODUCER), "me");
    assert_true(mx2onnx_get_input_scale(m, "data", &n)[0] == 0.5 && n == 1);
    assert_string_equal(mx2onnx_input_dim_name(m, 0, 0), "batch");
    assert_fine(m, mx2onnx_set_metadata(m, mx2onnx_metadata_key(m, 0), NULL));
    assert_int_equal(mx2onnx_metadata_count(m), 0);
    mx2onnx_model_free(m);
}

/* A precision that was taken back is as none: with float16, too. */
static void a_precision_has_three_states(void **state)
{
    mx2onnx_model *m = inferred();
    assert_fine(m, mx2onnx_set_option(m, MX2ONNX_OPTION_FLOAT16, MX2ONNX_FLOAT16_INSIDE));
    const size_t size = exported(m);
    assert_fine(m, mx2onnx_set_node_precision(m, "fc1", MX2ONNX_PRECISION_FLOAT32));
    assert_true(exported(m) > size);
    assert_fine(m, mx2onnx_set_node_precision(m, "fc1", MX2ONNX_PRECISION_AUTO));
    assert_int_equal(exported(m), size);
    mx2onnx_model_free(m);
}

static void variables_have_kinds(void **state)
{
    mx2onnx_model *m = fresh();
    assert_fine(m, mx2onnx_load_symbol_file(m, sample));
    size_t kinds[3] = {0};
    for (size_t i = 0; i < mx2onnx_variable_count(m); i++) {
        assert_non_null(mx2onnx_variable_name(m, i));
        kinds[mx2onnx_variable_kind(m, i)]++;
    }
    assert_int_equal(kinds[MX2ONNX_VARIABLE_INPUT], mx2onnx_input_count(m));
    assert_true(kinds[MX2ONNX_VARIABLE_WEIGHT] > 3);
    assert_int_equal(kinds[MX2ONNX_VARIABLE_UNUSED], 1); /* the label */
    assert_null(mx2onnx_variable_name(m, mx2onnx_variable_count(m)));
    mx2onnx_model_free(m);
}

static void parts_are_read(void **state)
{
    char whole[4096], part[16];
    mx2onnx_model *m = inferred();
    size_t i = 0;
    while (mx2onnx_param_size(m, i) > sizeof whole || mx2onnx_param_size(m, i) < 32) {
        i++;
    }
    const size_t size = (size_t)mx2onnx_param_size(m, i);
    assert_fine(m, mx2onnx_param_read(m, i, 0, whole, size));
    assert_fine(m, mx2onnx_param_read(m, i, 12, part, sizeof part));
    assert_memory_equal(part, whole + 12, sizeof part);
    assert_fine(m, mx2onnx_param_read(m, i, size, NULL, 0));
    assert_fails(m, mx2onnx_param_read(m, i, size - 15, part, sizeof part), MX2ONNX_STATUS_INVALID_ARGUMENT, "within");
    assert_fails(m, mx2onnx_param_read(m, i, UINT64_MAX, part, 2), MX2ONNX_STATUS_INVALID_ARGUMENT, "within");
    mx2onnx_model_free(m);
}

static int32_t stop_at_once(const mx2onnx_progress *p, void *user)
{
    return 1;
}

/* A read of many bytes asks the progress function, as any other call. */
static void a_long_read_is_cancelled(void **state)
{
    enum { BYTES = 64 << 20 };
    char *data = calloc(BYTES, 1), *out = malloc(BYTES);
    mx2onnx_model *m = fresh();
    assert_non_null(data);
    assert_non_null(out);
    assert_fine(m, given_param(m, "w", given_array(MX2ONNX_DTYPE_UINT8, 1, (const int64_t[]){BYTES}, data, BYTES), data, free));
    assert_fine(m, mx2onnx_param_read(m, 0, 0, out, BYTES));
    assert_fine(m, mx2onnx_set_progress(m, stop_at_once, NULL, NULL));
    assert_fails(m, mx2onnx_param_read(m, 0, 0, out, BYTES), MX2ONNX_STATUS_CANCELLED, "cancelled");
    free(out);
    mx2onnx_model_free(m);
}

/* ---- what was written */

static int32_t refuse(const void *data, size_t size, void *user)
{
    return 1;
}

static void assert_nothing_written(mx2onnx_model *m)
{
    assert_int_equal(mx2onnx_written_opset(m), 0);
    assert_int_equal(mx2onnx_written_node_count(m), 0);
    assert_true(mx2onnx_written_size(m) == 0);
    assert_int_equal(mx2onnx_written_file_count(m), 0);
}

/* Whatever the export failed at, its arguments too. */
static void a_failed_export_has_written_nothing(void **state)
{
    void *data;
    size_t size;
    mx2onnx_model *m = inferred();
    assert_nothing_written(m);
    for (int i = 0; i < 6; i++) {
        assert_true(exported(m) > 0);
        assert_int_equal(mx2onnx_written_opset(m), MX2ONNX_OPSET_DEFAULT);
        assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, 99), MX2ONNX_STATUS_INVALID_ARGUMENT); /* is not an export */
        assert_int_equal(mx2onnx_written_opset(m), MX2ONNX_OPSET_DEFAULT);
        switch (i) {
        case 0: assert_int_equal(mx2onnx_export_file(m, ""), MX2ONNX_STATUS_INVALID_ARGUMENT); break;
        case 1: assert_int_equal(mx2onnx_export_file(m, "no/such/folder"), MX2ONNX_STATUS_NOT_FOUND); break;
        case 2: assert_int_equal(mx2onnx_export_memory(m, NULL, &size), MX2ONNX_STATUS_INVALID_ARGUMENT); break;
        case 3: assert_int_equal(mx2onnx_export_memory(m, &data, NULL), MX2ONNX_STATUS_INVALID_ARGUMENT); break;
        case 4: assert_int_equal(mx2onnx_export_callback(m, NULL, NULL, NULL), MX2ONNX_STATUS_INVALID_ARGUMENT); break;
        default: assert_int_equal(mx2onnx_export_callback(m, refuse, NULL, NULL), MX2ONNX_STATUS_IO);
        }
        assert_nothing_written(m);
    }
    mx2onnx_model_free(m);
}

static int32_t look_at_written(const mx2onnx_progress *p, void *user)
{
    mx2onnx_model *m = user;
    if (p->phase != MX2ONNX_PHASE_WRITE) {
        assert_nothing_written(m);
    } else if (p->done > 0) {
        assert_int_equal(mx2onnx_written_opset(m), MX2ONNX_OPSET_DEFAULT);
    }
    return 0;
}

/* While an export prepares, what is asked for is not that of the one before. */
static void an_unfinished_export_has_written_nothing_yet(void **state)
{
    mx2onnx_model *m = inferred();
    assert_true(exported(m) > 0);
    assert_fine(m, mx2onnx_set_progress(m, look_at_written, m, NULL));
    assert_true(exported(m) > 0);
    assert_fine(m, mx2onnx_set_progress(m, NULL, NULL, NULL));
    mx2onnx_model_free(m);
}

/* ---- handlers */

static mx2onnx_status like(mx2onnx_node *n, void *user)
{
    ++*(int *)user;
    for (size_t i = 0; i < mx2onnx_node_output_count(n); i++) {
        const mx2onnx_status status = mx2onnx_node_set_output_like(n, i, 0);
        if (status != MX2ONNX_OK) {
            return status;
        }
    }
    return MX2ONNX_OK;
}

static mx2onnx_status pass_on(mx2onnx_node *n, void *user)
{
    for (size_t i = 0; i < mx2onnx_node_output_count(n); i++) {
        const mx2onnx_status status = mx2onnx_node_set_result(n, i, mx2onnx_node_input_value(n, 0));
        if (status != MX2ONNX_OK) {
            return status;
        }
    }
    return MX2ONNX_OK;
}

static size_t by_attribute(mx2onnx_node *n, void *user)
{
    const char *count = mx2onnx_node_attribute(n, "count");
    assert_int_equal(mx2onnx_node_input_rank(n, 0), -1); /* not known yet */
    return count ? strtoul(count, NULL, 10) : 0;
}

static void a_known_operator_needs_an_override(void **state)
{
    int calls = 0;
    mx2onnx_handler h = {.struct_size = sizeof h, .output_count = 1, .infer = like, .lower = pass_on};
    mx2onnx_model *m = inferred();
    assert_fine(m, mx2onnx_set_custom_operator(m, "FullyConnected", &h, &calls, NULL));
    assert_fails(m, mx2onnx_infer(m), MX2ONNX_STATUS_INVALID_ARGUMENT, "FullyConnected");
    assert_int_equal(calls, 0);
    h.overrides = 1;
    assert_fine(m, mx2onnx_set_custom_operator(m, "FullyConnected", &h, &calls, NULL));
    assert_fine(m, mx2onnx_infer(m));
    assert_true(calls > 0);
    assert_true(mx2onnx_output_dim(m, 0, 1) != 10); /* its handler keeps the shape */
    assert_fine(m, mx2onnx_set_custom_operator(m, NULL, NULL, NULL, NULL));
    assert_fine(m, mx2onnx_infer(m));
    assert_int_equal(mx2onnx_output_dim(m, 0, 1), 10);
    mx2onnx_model_free(m);
}

static void outputs_depend_on_the_node(void **state)
{
    static const char symbol[] = "{\"nodes\":[{\"op\":\"null\",\"name\":\"x\",\"inputs\":[]},"
                                 "{\"op\":\"many\",\"name\":\"two\",\"attrs\":{\"count\":\"2\"},\"inputs\":[[0,0,0]]},"
                                 "{\"op\":\"many\",\"name\":\"three\",\"attrs\":{\"count\":\"3\"},\"inputs\":[[1,1,0]]}],"
                                 "\"heads\":[[2,2,0],[2,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";
    int calls = 0;
    const mx2onnx_handler h = {.struct_size = sizeof h, .infer = like, .lower = pass_on, .count_outputs = by_attribute};
    mx2onnx_model *m = fresh();
    assert_fine(m, mx2onnx_load_symbol_memory(m, symbol, sizeof symbol - 1));
    assert_fine(m, mx2onnx_set_input_shape(m, "x", 1, (const int64_t[]){3}, NULL));
    assert_fine(m, mx2onnx_set_custom_operator(m, "many", &h, &calls, NULL));
    assert_true(exported(m) > 0);
    assert_string_equal(mx2onnx_output_name(m, 0), "three2");
    mx2onnx_model_free(m);
}

/* ---- names of dims */

/* As the header has it: of a convolution with a stride of 2 and a border of 1. */
static void dims_are_expressions(void **state)
{
    static const char symbol[] =
        "{\"nodes\":[{\"op\":\"null\",\"name\":\"x\",\"inputs\":[]},"
        "{\"op\":\"Pooling\",\"name\":\"p\",\"attrs\":{\"kernel\":\"(3, 3)\",\"stride\":\"(2, 2)\",\"pad\":\"(1, 1)\"},"
        "\"inputs\":[[0,0,0]]}],\"heads\":[[1,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";
    mx2onnx_model *m = fresh();
    assert_fine(m, mx2onnx_load_symbol_memory(m, symbol, sizeof symbol - 1));
    assert_fine(m, mx2onnx_set_input_shape(m, "x", 4, (const int64_t[]){1, 3, -1, 8}, (const char *const[]){NULL, NULL, "h", NULL}));
    assert_fine(m, mx2onnx_infer(m));
    assert_string_equal(mx2onnx_input_dim_name(m, 0, 2), "h");
    assert_string_equal(mx2onnx_output_dim_name(m, 0, 2), "floor((h + 1)/2)");
    assert_null(mx2onnx_output_dim_name(m, 0, 3));
    assert_int_equal(mx2onnx_output_dim(m, 0, 3), 4);
    assert_null(mx2onnx_output_dim_name(m, 0, 4));
    assert_int_equal(mx2onnx_output_dim(m, 0, 4), -1);
    mx2onnx_model_free(m);
}

/* ---- the log and progress */

static void count_severities(const mx2onnx_log_entry *entry, void *user)
{
    assert_int_equal(entry->struct_size, sizeof *entry);
    assert_non_null(entry->message);
    ++((size_t *)user)[entry->severity];
}

static void the_log_is_as_grave_as_asked(void **state)
{
    const char *text;
    for (mx2onnx_severity least = MX2ONNX_SEVERITY_ERROR; least <= MX2ONNX_SEVERITY_DEBUG; least++) {
        size_t lines[4] = {0};
        mx2onnx_model *m = fresh();
        assert_fine(m, mx2onnx_set_log(m, least, count_severities, lines, NULL));
        assert_fine(m, mx2onnx_load(m, sample));
        assert_fine(m, mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){-1, 1, 8, 8}, NULL));
        assert_fine(m, mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text));
        assert_int_equal(mx2onnx_add_output(m, "nowhere"), MX2ONNX_STATUS_NOT_FOUND);
        assert_int_equal(lines[MX2ONNX_SEVERITY_ERROR], 1);
        assert_int_equal(lines[MX2ONNX_SEVERITY_NOTE] > 0, least >= MX2ONNX_SEVERITY_NOTE);
        assert_int_equal(lines[MX2ONNX_SEVERITY_DEBUG] > 0, least >= MX2ONNX_SEVERITY_DEBUG);
        mx2onnx_model_free(m);
    }
}

struct looks {
    mx2onnx_model *m;
    size_t seen;
};

static int32_t look_at_diagnostics(const mx2onnx_progress *p, void *user)
{
    struct looks *l = user;
    (void)p;
    for (size_t i = 0; i < mx2onnx_diagnostic_count(l->m); i++, l->seen++) {
        mx2onnx_diagnostic d = {.struct_size = sizeof d};
        assert_int_equal(mx2onnx_diagnostic_get(l->m, i, &d), MX2ONNX_OK);
        assert_true(d.message && d.node && d.op && d.attribute && d.name && d.advice);
        assert_true(strlen(d.message) < 1000 && strlen(d.node) < 5000);
    }
    return 0;
}

/* Long names are copied, which may ask the caller: the diagnostic is half made then. */
static void progress_may_look_at_the_diagnostics(void **state)
{
    enum { NODES = 60, NAME = 3990 };
    char *symbol = malloc(NODES * (NAME + 100)), name[NAME + 1];
    struct looks l = {fresh(), 0};
    assert_non_null(symbol);
    memset(name, 'n', NAME);
    name[NAME] = 0;
    int n = sprintf(symbol, "{\"nodes\":[{\"op\":\"null\",\"name\":\"x\",\"inputs\":[]}");
    for (int i = 1; i < NODES; i++) {
        n += sprintf(symbol + n, ",{\"op\":\"Nope\",\"name\":\"%s%d\",\"inputs\":[[%d,0,0]]}", name, i, i - 1);
    }
    n += sprintf(symbol + n, "],\"arg_nodes\":[0],\"heads\":[[%d,0,0]]}", NODES - 1);
    assert_fine(l.m, mx2onnx_load_symbol_memory(l.m, symbol, (size_t)n));
    assert_fine(l.m, mx2onnx_set_progress(l.m, look_at_diagnostics, &l, NULL));
    assert_int_equal(mx2onnx_infer(l.m), MX2ONNX_STATUS_UNSUPPORTED);
    assert_true(l.seen > NODES);
    mx2onnx_model_free(l.m);
    free(symbol);
}

static int32_t mark_phase(const mx2onnx_progress *p, void *user)
{
    assert_int_equal(p->struct_size, sizeof *p);
    assert_non_null(p->node);
    assert_true(p->phase == MX2ONNX_PHASE_LOWER || !p->node[0]); /* not the last node of the phase before */
    assert_true(p->phase == MX2ONNX_PHASE_WRITE || p->total == 0);
    ((bool *)user)[p->phase] = true;
    return 0;
}

static void progress_has_the_phase(void **state)
{
    bool seen[MX2ONNX_PHASE_WRITE + 1] = {false};
    mx2onnx_model *m = fresh();
    assert_fine(m, mx2onnx_set_progress(m, mark_phase, seen, NULL));
    assert_fine(m, mx2onnx_load(m, sample));
    assert_true(seen[MX2ONNX_PHASE_LOAD] && !seen[MX2ONNX_PHASE_INFER]);
    assert_fine(m, mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){-1, 1, 8, 8}, NULL));
    assert_fine(m, mx2onnx_infer(m));
    assert_true(seen[MX2ONNX_PHASE_INFER] && !seen[MX2ONNX_PHASE_LOWER] && !seen[MX2ONNX_PHASE_WRITE]);
    assert_true(exported(m) > 0);
    assert_true(seen[MX2ONNX_PHASE_LOWER] && seen[MX2ONNX_PHASE_WRITE]);
    mx2onnx_model_free(m);
}

/* ---- cancelling */

struct guard {
    mx2onnx_model *m;
    size_t calls;
};

static int32_t expect_busy(const mx2onnx_progress *p, void *user)
{
    struct guard *g = user;
    g->calls++;
    assert_int_equal(mx2onnx_set_option(g->m, MX2ONNX_OPTION_FSYNC, 0), MX2ONNX_STATUS_INVALID_ARGUMENT);
    return 0;
}

/* Also while texts are made for the first time: every one of the catalogue is more work than the time between two calls. */
static void progress_is_called_by_a_busy_model_only(void **state)
{
    mx2onnx_model *m = inferred();
    struct guard g = {.m = m};
    assert_fine(m, mx2onnx_set_progress(m, expect_busy, &g, NULL));
    const size_t count = mx2onnx_catalogue_count(m);
    assert_true(count == 0 || g.calls > 0);
    for (size_t i = 0; i < count; i++) {
        assert_non_null(mx2onnx_catalogue_text(m, i));
    }
    assert_non_null(mx2onnx_input_dim_name(m, 0, 0));
    mx2onnx_model_free(m);
}

static int32_t take(const void *data, size_t size, void *user)
{
    return 0;
}

static int32_t cancel_by_progress(const mx2onnx_progress *p, void *user)
{
    mx2onnx_cancel(user);
    return 0;
}

static mx2onnx_status cancel_by_infer(mx2onnx_node *n, void *user)
{
    mx2onnx_cancel(user);
    return mx2onnx_node_set_output_like(n, 0, 0);
}

static void a_call_is_cancelled(void **state)
{
    mx2onnx_model *m = inferred();
    const size_t size = exported(m);
    mx2onnx_cancel(NULL);
    mx2onnx_cancel(m); /* no call is running */
    assert_int_equal(exported(m), size);
    const mx2onnx_handler h = {.struct_size = sizeof h, .output_count = 1, .infer = cancel_by_infer, .lower = pass_on, .overrides = 1};
    assert_fine(m, mx2onnx_set_custom_operator(m, "FullyConnected", &h, m, NULL));
    assert_fails(m, mx2onnx_export_callback(m, take, NULL, NULL), MX2ONNX_STATUS_CANCELLED, "cancelled");
    assert_fine(m, mx2onnx_set_custom_operator(m, "FullyConnected", NULL, NULL, NULL));
    assert_int_equal(exported(m), size);
    assert_fine(m, mx2onnx_set_progress(m, cancel_by_progress, m, NULL));
    const char *text;
    assert_fails(m, mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text), MX2ONNX_STATUS_CANCELLED, "cancelled");
    assert_fine(m, mx2onnx_set_progress(m, NULL, NULL, NULL));
    assert_int_equal(exported(m), size);
    mx2onnx_model_free(m);
}

/* ---- loads that fail */

static const char *copied(const char *name, const void *data, size_t size)
{
    static char path[64];
    snprintf(path, sizeof path, "promises-%s", name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    fclose(f);
    return path;
}

static size_t read_sample(char *text, size_t room)
{
    FILE *f = fopen(sample, "rb");
    assert_non_null(f);
    const size_t size = fread(text, 1, room, f);
    assert_in_range(size, 1, room - 1);
    fclose(f);
    return size;
}

/* The symbol is read before the parameters, which are damaged. */
static void a_load_that_fails_leaves_the_model(void **state)
{
    static char text[65536];
    copied("0000.params", "not parameters at all", 21);
    const char *symbol = copied("symbol.json", text, read_sample(text, sizeof text));
    mx2onnx_model *m = fresh();
    assert_fine(m, mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){1, 1, 8, 8}, NULL));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(mx2onnx_load(m, symbol), MX2ONNX_STATUS_FORMAT);
        assert_int_equal(mx2onnx_input_count(m), 0);
        assert_int_equal(mx2onnx_param_count(m), 0);
        assert_fails(m, mx2onnx_infer(m), MX2ONNX_STATUS_INVALID_ARGUMENT, "no symbol");
    }
    assert_fine(m, mx2onnx_load(m, sample));
    const size_t size = exported(m), params = mx2onnx_param_count(m);
    assert_int_equal(mx2onnx_load(m, symbol), MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_int_equal(mx2onnx_load_params_file(m, "promises-0000.params"), MX2ONNX_STATUS_FORMAT);
    assert_int_equal(mx2onnx_load_net(m, "resnet18_v1"), MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_int_equal(mx2onnx_param_count(m), params);
    assert_int_equal(exported(m), size);
    mx2onnx_model_free(m);
    assert_int_equal(remove("promises-0000.params") | remove("promises-symbol.json"), 0);
}

/* Stops the n-th time. */
static int32_t stop(const mx2onnx_progress *p, void *user)
{
    return --*(int *)user == 0;
}

static void a_load_that_is_cancelled_leaves_the_model(void **state)
{
    int stops = 0;
    for (int n = 1; n < 100; n++) {
        int left = n;
        mx2onnx_model *m = fresh();
        assert_fine(m, mx2onnx_set_progress(m, stop, &left, NULL));
        const mx2onnx_status status = mx2onnx_load(m, sample);
        assert_fine(m, mx2onnx_set_progress(m, NULL, NULL, NULL));
        if (status == MX2ONNX_STATUS_CANCELLED) {
            stops++;
            assert_int_equal(mx2onnx_input_count(m), 0);
            assert_int_equal(mx2onnx_param_count(m), 0);
            assert_fine(m, mx2onnx_load(m, sample));
        }
        assert_fine(m, mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){1, 1, 8, 8}, NULL));
        assert_true(exported(m) > 0);
        mx2onnx_model_free(m);
    }
    assert_true(stops > 0);
}

/* ---- again from the beginning */

static void count(void *user)
{
    ++*(int *)user;
}

static void a_reset_model_is_new(void **state)
{
    int released = 0;
    const float value[10] = {0};
    mx2onnx_model *m = inferred();
    const size_t size = exported(m);
    assert_fine(m,
                given_param(m, "w", given_array(MX2ONNX_DTYPE_FLOAT32, 1, (const int64_t[]){10}, value, sizeof value), &released, count));
    assert_fine(m, mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, 13));
    assert_fine(m, mx2onnx_set_progress(m, stop, &released, count));
    for (int i = 0; i < 3; i++) {
        assert_fine(m, mx2onnx_model_reset(m));
        assert_int_equal(released, 2);
        assert_int_equal(mx2onnx_param_count(m), 0);
        assert_int_equal(mx2onnx_diagnostic_count(m), 0);
        assert_int_equal(mx2onnx_written_size(m), 0);
        assert_fails(m, mx2onnx_infer(m), MX2ONNX_STATUS_INVALID_ARGUMENT, "no symbol");
        assert_fine(m, mx2onnx_load(m, sample));
        assert_fine(m, mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){-1, 1, 8, 8}, NULL));
        assert_int_equal(exported(m), size);
        assert_int_equal(mx2onnx_written_opset(m), MX2ONNX_OPSET_DEFAULT);
    }
    mx2onnx_model_free(m);
}

static void an_export_to_memory_has_all_weights(void **state)
{
    mx2onnx_model *m = inferred();
    void *wanted = NULL, *data = NULL;
    size_t wanted_size = 0, size = 0;
    assert_fine(m, mx2onnx_export_memory(m, &wanted, &wanted_size));
    assert_fine(m, mx2onnx_set_option(m, MX2ONNX_OPTION_EXTERNAL_THRESHOLD, 1));
    for (int32_t mode = MX2ONNX_EXTERNAL_AUTO; mode <= MX2ONNX_EXTERNAL_LINK; mode++) {
        assert_fine(m, mx2onnx_set_option(m, MX2ONNX_OPTION_EXTERNAL_DATA, mode));
        assert_fine(m, mx2onnx_export_memory(m, &data, &size));
        assert_int_equal(size, wanted_size);
        assert_memory_equal(data, wanted, size);
        mx2onnx_memory_free(data);
    }
    mx2onnx_memory_free(wanted);
    mx2onnx_model_free(m);
}

static void a_writer_is_released(void **state)
{
    int released = 0;
    mx2onnx_model *m = inferred();
    assert_fine(m, mx2onnx_export_callback(m, take, &released, count));
    assert_int_equal(released, 1);
    assert_int_equal(mx2onnx_export_callback(m, refuse, &released, count), MX2ONNX_STATUS_IO);
    assert_int_equal(mx2onnx_export_callback(m, NULL, &released, count), MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_int_equal(mx2onnx_export_callback(NULL, take, &released, count), MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_int_equal(released, 4);
    mx2onnx_model_free(m);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_leave_texts),
        cmocka_unit_test(a_check_of_files_leaves_the_model),
        cmocka_unit_test(no_model_has_an_error),
        cmocka_unit_test(a_larger_structure_is_filled),
        cmocka_unit_test(no_member_is_filled_in_part),
        cmocka_unit_test(choices_come_before_the_load),
        cmocka_unit_test(a_name_chosen_too_early_is_found_out),
        cmocka_unit_test(a_mistake_before_the_load_is_taken_back),
        cmocka_unit_test(a_choice_is_taken_back_in_part),
        cmocka_unit_test(a_weight_is_one_again),
        cmocka_unit_test(a_dim_that_is_not_named_leaves_the_shape),
        cmocka_unit_test(rename_takes_the_name_in_the_file),
        cmocka_unit_test(a_value_for_no_variable_is_warned_of),
        cmocka_unit_test(options_go_both_ways),
        cmocka_unit_test(texts_go_both_ways),
        cmocka_unit_test(texts_are_in_the_model),
        cmocka_unit_test(a_choice_can_be_undone),
        cmocka_unit_test(a_precision_has_three_states),
        cmocka_unit_test(variables_have_kinds),
        cmocka_unit_test(parts_are_read),
        cmocka_unit_test(a_long_read_is_cancelled),
        cmocka_unit_test(a_failed_export_has_written_nothing),
        cmocka_unit_test(an_unfinished_export_has_written_nothing_yet),
        cmocka_unit_test(dims_are_expressions),
        cmocka_unit_test(returned_texts_are_taken_as_arguments),
        cmocka_unit_test(a_known_operator_needs_an_override),
        cmocka_unit_test(outputs_depend_on_the_node),
        cmocka_unit_test(the_log_is_as_grave_as_asked),
        cmocka_unit_test(progress_may_look_at_the_diagnostics),
        cmocka_unit_test(progress_has_the_phase),
        cmocka_unit_test(progress_is_called_by_a_busy_model_only),
        cmocka_unit_test(a_call_is_cancelled),
        cmocka_unit_test(a_load_that_fails_leaves_the_model),
        cmocka_unit_test(a_load_that_is_cancelled_leaves_the_model),
        cmocka_unit_test(a_reset_model_is_new),
        cmocka_unit_test(an_export_to_memory_has_all_weights),
        cmocka_unit_test(a_writer_is_released),
    };
    if (argc < 2) {
        return 2;
    }
    sample = argv[1];
    return cmocka_run_group_tests_name("promises", tests, NULL, NULL);
}
