/* What the files next to a model say: names of inputs and outputs, a threshold, the size of a crop; and the note on a topic model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "alloc_fail.h"
#include "model/model.h"

#define VARIABLE(name) "{\"op\":\"null\",\"name\":\"" name "\",\"inputs\":[]}"
#define NODE(op, name, inputs) ",{\"op\":\"" op "\",\"name\":\"" name "\",\"inputs\":[" inputs "]}"
#define SPLIT "{\"op\":\"SliceChannel\",\"name\":\"halves\",\"attrs\":{\"num_outputs\":\"2\"},\"inputs\":[[0,0,0]]}"

static mx2onnx_model *loaded(const char *nodes, const char *heads)
{
    mx2onnx_model *m = NULL;
    char text[4096];
    const int n = snprintf(text, sizeof text,
                           "{\"nodes\":[%s],\"arg_nodes\":[],\"heads\":[%s],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}", nodes, heads);
    assert_in_range(n, 1, sizeof text - 1);
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load_symbol_memory(m, text, (size_t)n), MX2ONNX_OK);
    return m;
}

static void apply(mx2onnx_model *m, const char *settings)
{
    json_t *root = json_loads(settings, 0, NULL);
    assert_non_null(root);
    assert_int_equal(mx_settings_apply(m, root), MX_OK);
    json_decref(root);
}

/* The names of the inputs and outputs in the ONNX model, with blanks between them. */
static const char *names_of(mx2onnx_model *m)
{
    static char text[8192];
    text[0] = 0;
    for (size_t i = 0; i < mx2onnx_input_count(m) + mx2onnx_output_count(m); i++) {
        const size_t n = mx2onnx_input_count(m);
        strcat(strcat(text, i > 0 ? " " : ""), i < n ? m->prepared.input_names[i] : mx2onnx_output_name(m, i - n));
    }
    return text;
}

static void inputs_get_the_names_of_a_predictor(void **state)
{
    static const struct {
        const char *inputs[2], *settings, *names;
    } cases[] = {
        {{"data0", "data1"}, "{\"input_names\": [\"past\", \"future\"]}", "past future sum"},
        {{"data1", "data0"}, "{\"input_names\": [\"past\", \"future\"]}", "future past sum"},
        {{"data0", "data1"}, "{\"input_names\": [\"past\"]}", "past data1 sum"},
        {{"data0", "data1"}, "{\"input_names\": []}", "data0 data1 sum"},
        {{"data0", "data1"}, "{\"input_names\": [7, \"\"]}", "data0 data1 sum"},
        {{"data0", "data1"}, "{\"input_names\": [\"a\\nb\", \"c\"]}", "data0 c sum"},
        {{"data", "data1"}, "{\"input_names\": [\"past\"]}", "past data1 sum"},
        {{"data", "data1"}, "{\"input_names\": [\"past\", \"future\"]}", "data future sum"},
        {{"data-1", "datax"}, "{\"input_names\": [\"past\", \"future\"]}", "data-1 datax sum"},
        {{"date0", "mydata0"}, "{\"input_names\": [\"past\", \"future\"]}", "date0 mydata0 sum"},
        {{"data01", "data1x"}, "{\"input_names\": [\"past\", \"future\"]}", "future data1x sum"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char nodes[512];
        snprintf(nodes, sizeof nodes, VARIABLE("%s") "," VARIABLE("%s") NODE("elemwise_add", "sum", "[0,0,0],[1,0,0]"), cases[i].inputs[0],
                 cases[i].inputs[1]);
        mx2onnx_model *m = loaded(nodes, "[2,0,0]");
        apply(m, cases[i].settings);
        if (strcmp(names_of(m), cases[i].names) != 0) {
            fail_msg("case %zu: %s", i, names_of(m));
        }
        mx2onnx_model_free(m);
    }
}

/* The user's own name stays, and a parameter is not an input. */
static void some_variables_keep_their_names(void **state)
{
    static const char settings[] = "{\"input_names\": [\"past\", \"future\"]}";
    static const int64_t dims[] = {2};
    mx2onnx_model *m = loaded(VARIABLE("data0") "," VARIABLE("data1") NODE("elemwise_add", "sum", "[0,0,0],[1,0,0]"), "[2,0,0]");
    assert_int_equal(mx2onnx_rename(m, "data0", "mine"), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_param(m, "data1",
                                       &(const mx2onnx_array){.struct_size = sizeof(mx2onnx_array),
                                                              .dtype = MX2ONNX_DTYPE_FLOAT32,
                                                              .rank = 1,
                                                              .dims = dims,
                                                              .data = "\0\0\0\0\0\0\0",
                                                              .size = 8},
                                       NULL, NULL),
                     MX2ONNX_OK);
    apply(m, settings);
    assert_string_equal(names_of(m), "mine sum");
    assert_null(mx_map_get(&m->choices.renames, "data1"));
    mx2onnx_model_free(m);
}

/* Of two inputs with one name the second gets another one in the file, too. */
static void names_of_settings_are_made_unique(void **state)
{
    const char *text = NULL;
    mx2onnx_model *m = loaded(VARIABLE("data0") "," VARIABLE("data1") NODE("elemwise_add", "sum", "[0,0,0],[1,0,0]"), "[2,0,0]");
    assert_int_equal(mx2onnx_set_input_shape(m, "data0", 1, (const int64_t[]){2}, NULL), MX2ONNX_OK);
    apply(m, "{\"input_names\": [\"past\", \"past\"]}");
    assert_int_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text), MX2ONNX_OK);
    assert_non_null(strstr(text, "input past_1 : float32 (2,)\nsum = Add(past, past_1) "));
    mx2onnx_model_free(m);
}

/* Over a name that the settings gave, and not one that another value has. */
static void the_user_renames_after_the_settings(void **state)
{
    static const struct {
        const char *name, *names; /* NULL: refused */
    } cases[] = {{"mine", "mine future sum"}, {"data0", "data0 future sum"}, {"future", NULL}, {"sum", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = NULL;
        mx2onnx_model *m = loaded(VARIABLE("data0") "," VARIABLE("data1") NODE("elemwise_add", "sum", "[0,0,0],[1,0,0]"), "[2,0,0]");
        assert_int_equal(mx2onnx_set_input_shape(m, "data0", 1, (const int64_t[]){2}, NULL), MX2ONNX_OK);
        apply(m, "{\"input_names\": [\"past\", \"future\"]}");
        assert_int_equal(mx2onnx_rename(m, "data0", cases[i].name), MX2ONNX_OK);
        const int status = mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text);
        assert_int_equal(status, cases[i].names ? MX2ONNX_OK : MX2ONNX_STATUS_INVALID_ARGUMENT);
        if (cases[i].names) {
            assert_string_equal(names_of(m), cases[i].names);
        }
        mx2onnx_model_free(m);
    }
}

/* The name of the only output, which the settings gave, is known to every choice; another one is not. */
static void the_user_names_the_output_as_the_settings_do(void **state)
{
    for (int i = 0; i < 3; i++) {
        mx2onnx_model *m = loaded(VARIABLE("x") NODE("relu", "r", "[0,0,0]"), "[1,0,0]");
        apply(m, "{\"predictor_type\": \"regressor\"}");
        if (i == 0) {
            assert_int_equal(mx2onnx_rename(m, "score", "mine"), MX2ONNX_OK);
            assert_string_equal(names_of(m), "x mine");
        } else if (i == 1) {
            assert_int_equal(mx2onnx_add_output(m, "score"), MX2ONNX_OK);
            assert_string_equal(names_of(m), "x score");
        } else {
            assert_int_equal(mx2onnx_rename(m, "scores", "mine"), MX2ONNX_STATUS_NOT_FOUND);
        }
        mx2onnx_model_free(m);
    }
}

/* Whichever allocation fails, no name and no threshold stays: the load that the settings belong to fails, and with it goes their memory. */
static void settings_that_fail_leave_nothing(void **state)
{
    enum { COUNT = 60, LENGTH = 20000 }; /* more than one block of memory */
    static char settings[COUNT * (LENGTH + 4) + 64] = "{\"predictor_type\": \"binary_classifier\", \"threshold\": 0.5, \"input_names\": [",
                                                nodes[4096] = VARIABLE("data0");
    for (int i = 0; i < COUNT; i++) {
        char name[LENGTH + 8];
        snprintf(name, sizeof name, "%s\"%0*d\"", i > 0 ? "," : "", LENGTH, i);
        strcat(settings, name);
        snprintf(name, sizeof name, "," VARIABLE("data%d"), i);
        strcat(nodes, i > 0 ? name : "");
    }
    strcat(nodes, NODE("relu", "r", "[0,0,0]"));
    json_t *root = json_loads(strcat(settings, "]}"), 0, NULL);
    assert_non_null(root);
    size_t failed = 0;
    bool happened = true;
    for (size_t n = 1; happened; n++) {
        mx2onnx_model *m = loaded(nodes, "[60,0,0]");
        alloc_fail_at(n, false);
        const int status = mx_settings_apply(m, root); /* a note may be lost */
        happened = alloc_fail_happened();
        alloc_fail_at(0, false);
        failed += status != MX_OK;
        assert_int_equal(status, status == MX_OK ? MX_OK : MX_OUT_OF_MEMORY);
        assert_int_equal(mx_map_count(&m->choices.renames), status == MX_OK ? COUNT + 1 : 0);
        assert_int_equal(m->loaded.output_name != NULL, status == MX_OK);
        assert_int_equal(mx_model_metadata(m, "sagemaker:threshold") != NULL, status == MX_OK);
        mx2onnx_model_free(m);
    }
    json_decref(root);
    assert_true(failed >= 3);
}

/* 64 names, and no more. */
static void a_list_of_names_has_a_limit(void **state)
{
    for (int count = 64; count <= 65; count++) {
        char settings[1024] = "{\"input_names\": [\"n\"";
        for (int i = 1; i < count; i++) {
            strcat(settings, ", \"n\"");
        }
        mx2onnx_model *m = loaded(VARIABLE("data3") NODE("relu", "r", "[0,0,0]"), "[1,0,0]");
        apply(m, strcat(settings, "]}"));
        assert_string_equal(names_of(m), count == 64 ? "n r" : "data3 r");
        mx2onnx_model_free(m);
    }
}

static void the_output_of_a_linear_learner_is_a_score(void **state)
{
    static const struct {
        const char *nodes, *heads, *settings, *names;
    } cases[] = {
        {VARIABLE("x") NODE("relu", "r", "[0,0,0]"), "[1,0,0]", "{\"predictor_type\": \"regressor\"}", "x score"},
        {VARIABLE("x") NODE("relu", "r", "[0,0,0]"), "[1,0,0]", "{\"predictor_type\": 1}", "x r"},
        {VARIABLE("x") NODE("relu", "r", "[0,0,0]"), "[1,0,0]", "{}", "x r"},
        {VARIABLE("x") NODE("relu", "r", "[0,0,0]"), "[1,0,0]", "[]", "x r"},
        {VARIABLE("x") NODE("relu", "r", "[0,0,0]"), "[1,0,0],[1,0,0]", "{\"predictor_type\": \"regressor\"}", "x r r_1"},
        {VARIABLE("x") NODE("relu", "chosen", "[0,0,0]"), "[1,0,0]", "{\"predictor_type\": \"regressor\"}", "x mine"},
        {VARIABLE("x") NODE("relu", "score", "[0,0,0]") NODE("relu", "r", "[1,0,0]"), "[2,0,0]", "{\"predictor_type\": \"regressor\"}",
         "x r"},
        {VARIABLE("x") "," SPLIT, "[1,1,0]", "{\"predictor_type\": \"regressor\"}", "x halves1"},
        {VARIABLE("x") "," VARIABLE("y"), "[1,0,0]", "{\"predictor_type\": \"regressor\"}", "y y_1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mx2onnx_model *m = loaded(cases[i].nodes, cases[i].heads);
        if (strstr(cases[i].nodes, "chosen")) {
            assert_int_equal(mx2onnx_rename(m, "chosen", "mine"), MX2ONNX_OK);
        }
        apply(m, cases[i].settings);
        if (strcmp(names_of(m), cases[i].names) != 0 || !m->loaded.output_name != !strstr(cases[i].names, "score")) {
            fail_msg("case %zu: %s", i, names_of(m));
        }
        mx2onnx_model_free(m);
    }
}

static void the_threshold_of_a_classifier_is_kept(void **state)
{
    static const struct {
        const char *settings, *given, *threshold;
    } cases[] = {
        {"{\"predictor_type\": \"binary_classifier\", \"threshold\": 0.36}", NULL, "0.36"},
        {"{\"predictor_type\": \"binary_classifier\", \"threshold\": 1}", NULL, "1"},
        {"{\"predictor_type\": \"binary_classifier\", \"threshold\": 0.36}", "0.5", "0.5"},
        {"{\"predictor_type\": \"binary_classifier\", \"threshold\": \"0.36\"}", NULL, NULL},
        {"{\"predictor_type\": \"binary_classifier\"}", NULL, NULL},
        {"{\"predictor_type\": \"regressor\", \"threshold\": 0.36}", NULL, NULL},
        {"{\"predictor_type\": 7, \"threshold\": 0.36}", NULL, NULL},
        {"{\"threshold\": 0.36}", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mx2onnx_model *m = loaded(VARIABLE("x") NODE("relu", "r", "[0,0,0]"), "[1,0,0]");
        assert_int_equal(cases[i].given ? mx2onnx_set_metadata(m, "sagemaker:threshold", cases[i].given) : MX_OK, MX_OK);
        apply(m, cases[i].settings);
        const char *found = mx_model_metadata(m, "sagemaker:threshold");
        if (!found != !cases[i].threshold || (found && strcmp(found, cases[i].threshold) != 0)) {
            fail_msg("case %zu: %s", i, found ? found : "none");
        }
        mx2onnx_model_free(m);
    }
}

static void crops_are_positive_numbers(void **state)
{
    static const struct {
        const char *settings;
        int64_t crop;
    } cases[] = {
        {"{\"crop_size\": \"240\"}", 240},      {"{\"crop_size\": 240}", 240},   {"{\"crop_size\": 2147483647}", INT32_MAX},
        {"{\"crop_size\": 2147483648}", 0},     {"{\"crop_size\": 0}", 0},       {"{\"crop_size\": -5}", 0},
        {"{\"crop_size\": \"2147483648\"}", 0}, {"{\"crop_size\": \"-5\"}", 0},  {"{\"crop_size\": \"24x\"}", 0},
        {"{\"crop_size\": \"\"}", 0},           {"{\"crop_size\": 240.5}", 0},   {"{\"crop_size\": [240]}", 0},
        {"{\"crop_size\": null}", 0},           {"{\"base_size\": \"240\"}", 0}, {"[\"crop_size\", 240]", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *root = json_loads(cases[i].settings, 0, NULL);
        assert_non_null(root);
        if (mx_settings_crop(root) != cases[i].crop) {
            fail_msg("case %zu: %lld", i, (long long)mx_settings_crop(root));
        }
        json_decref(root);
    }
    assert_int_equal(mx_settings_crop(NULL), 0);
}

static void topics_are_noted_where_the_outputs_are_losses(void **state)
{
    static const struct {
        const char *names[3], *heads, *output;
        size_t notes;
    } cases[] = {
        {{"mean", "kld", "recons"}, "[2,0,0],[3,0,0]", NULL, 1},
        {{"mean", "kld", "recons"}, "[2,0,0],[3,0,0]", "mean", 0},
        {{"mean", "kld", "recons"}, "[1,0,0],[2,0,0],[3,0,0]", NULL, 0},
        {{"mean", "kld", "recons"}, "[2,0,0]", NULL, 0},
        {{"mean", "kld", "recons"}, "[3,0,0]", NULL, 0},
        {{"mean2", "kld", "recons"}, "[2,0,0],[3,0,0]", NULL, 0},
        {{"mean", "kl", "recons"}, "[2,0,0],[3,0,0]", NULL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char nodes[512];
        snprintf(nodes, sizeof nodes,
                 VARIABLE("x") NODE("relu", "%s", "[0,0,0]") NODE("relu", "%s", "[1,0,0]") NODE("relu", "%s", "[1,0,0]"), cases[i].names[0],
                 cases[i].names[1], cases[i].names[2]);
        mx2onnx_model *m = loaded(nodes, cases[i].heads);
        assert_int_equal(cases[i].output ? mx2onnx_add_output(m, cases[i].output) : MX_OK, MX_OK);
        const size_t before = mx2onnx_diagnostic_count(m);
        assert_int_equal(mx_settings_note_topics(m), MX_OK);
        if (mx2onnx_diagnostic_count(m) - before != cases[i].notes) {
            fail_msg("case %zu", i);
        }
        mx2onnx_model_free(m);
    }
    mx2onnx_model *m = loaded(VARIABLE("mean") NODE("relu", "kld", "[0,0,0]") NODE("relu", "recons", "[0,0,0]"), "[1,0,0],[2,0,0]");
    const size_t before = mx2onnx_diagnostic_count(m); /* the variable is not what computes the topics */
    assert_int_equal(mx_settings_note_topics(m), MX_OK);
    assert_int_equal(mx2onnx_diagnostic_count(m), before);
    mx2onnx_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_get_the_names_of_a_predictor),
        cmocka_unit_test(some_variables_keep_their_names),
        cmocka_unit_test(names_of_settings_are_made_unique),
        cmocka_unit_test(the_user_renames_after_the_settings),
        cmocka_unit_test(the_user_names_the_output_as_the_settings_do),
        cmocka_unit_test(settings_that_fail_leave_nothing),
        cmocka_unit_test(a_list_of_names_has_a_limit),
        cmocka_unit_test(the_output_of_a_linear_learner_is_a_score),
        cmocka_unit_test(the_threshold_of_a_classifier_is_kept),
        cmocka_unit_test(crops_are_positive_numbers),
        cmocka_unit_test(topics_are_noted_where_the_outputs_are_losses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
