/* Choices with queries between them: what a query prepared is kept, so that a program may go through all inputs of a graph in this way.
 * The answers follow the choices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "missing.h"
#include "model/model.h"

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

#define VARIABLE(name) "{\"op\":\"null\",\"name\":\"" name "\",\"inputs\":[]}"

/* a fully connected layer without parameters, and a split with two outputs */
static mx2onnx_model *layers(void)
{
    return loaded(
        VARIABLE("a") "," VARIABLE("w1") "," VARIABLE("w2") "," VARIABLE(
            "b") ",{\"op\":\"FullyConnected\",\"name\":\"fc1\",\"attrs\":{\"num_hidden\":\"4\",\"no_bias\":\"True\"},\"inputs\":[[0,0,0],[1,0,0]]}"
                 ",{\"op\":\"FullyConnected\",\"name\":\"fc2\",\"attrs\":{\"num_hidden\":\"4\",\"no_bias\":\"True\"},\"inputs\":[[4,0,0],[2,0,0]]}"
                 ",{\"op\":\"elemwise_add\",\"name\":\"sum\",\"inputs\":[[5,0,0],[3,0,0]]}"
                 ",{\"op\":\"SliceChannel\",\"name\":\"halves\",\"attrs\":{\"num_outputs\":\"2\"},\"inputs\":[[6,0,0]]}",
        "[7,0,0],[7,1,0]");
}

static int32_t shape(mx2onnx_model *m)
{
    return mx2onnx_set_input_shape(m, "a", 2, (const int64_t[]){2, 4}, NULL);
}
static int32_t dim_name(mx2onnx_model *m)
{
    return mx2onnx_set_input_dim_name(m, "a", 0, "batch");
}
static int32_t type(mx2onnx_model *m)
{
    return mx2onnx_set_input_dtype(m, "a", MX2ONNX_DTYPE_FLOAT64);
}
static int32_t layout(mx2onnx_model *m)
{
    return mx2onnx_set_input_channels_last(m, "a", 1);
}
static int32_t channels(mx2onnx_model *m)
{
    return mx2onnx_set_input_channels_reversed(m, "a", 1);
}
static int32_t mean(mx2onnx_model *m)
{
    return mx2onnx_set_input_mean(m, "a", 1, (const double[]){1});
}
static int32_t scale(mx2onnx_model *m)
{
    return mx2onnx_set_input_scale(m, "b", 1, (const double[]){2});
}
static int32_t weight(mx2onnx_model *m)
{
    return mx2onnx_set_input_shape(m, "w2", 2, (const int64_t[]){4, 4}, NULL);
}
static int32_t input_name(mx2onnx_model *m)
{
    return mx2onnx_rename(m, "a", "pixels");
}
static int32_t output_name(mx2onnx_model *m)
{
    return mx2onnx_rename(m, "halves1", "second");
}
static int32_t halves(mx2onnx_model *m)
{
    return mx2onnx_set_option(m, MX2ONNX_OPTION_FLOAT16, MX2ONNX_FLOAT16_ALL);
}
static int32_t by_node(mx2onnx_model *m)
{
    return mx2onnx_set_node_precision(m, "fc1", MX2ONNX_PRECISION_FLOAT32);
}
static int32_t by_operator(mx2onnx_model *m)
{
    return mx2onnx_set_node_precision(m, "FullyConnected", MX2ONNX_PRECISION_FLOAT16);
}

static int32_t (*const choices[])(mx2onnx_model *) = {shape,  dim_name,   type,        layout, channels, mean,       scale,
                                                      weight, input_name, output_name, halves, by_node,  by_operator};

static void a_query_keeps_what_it_prepared(void **state)
{
    (void)state;
    mx2onnx_model *m = layers();
    assert_int_equal(mx2onnx_input_count(m), 2);
    assert_int_equal(missing_count(m), 2);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        const struct mx_graph *graph = m->prepared.graph;
        assert_int_equal(choices[i](m), MX2ONNX_OK);
        assert_int_equal(m->prepared.stage, MX_STAGE_CANON); /* nothing was dropped */
        assert_non_null(mx2onnx_input_name(m, 0));
        assert_non_null(mx2onnx_output_name(m, 0));
        assert_ptr_equal(m->prepared.graph, graph);
    }
    mx2onnx_model_free(m);
}

static void inference_is_dropped(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        mx2onnx_model *m = layers();
        assert_int_equal(mx2onnx_set_input_shape(m, "a", 2, (const int64_t[]){3, 4}, NULL), MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_input_shape(m, "w1", 2, (const int64_t[]){4, 4}, NULL), MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_input_shape(m, "w2", 2, (const int64_t[]){4, 4}, NULL), MX2ONNX_OK);
        assert_int_equal(mx2onnx_infer(m), MX2ONNX_OK);
        assert_int_equal(mx2onnx_output_dim(m, 0, 0), 3);
        assert_int_equal(choices[i](m), MX2ONNX_OK);
        assert_int_equal(m->prepared.stage, MX_STAGE_NONE);
        assert_int_equal(mx2onnx_output_rank(m, 0), -1);
        mx2onnx_model_free(m);
    }
}

/* In the graph's order, whatever the order of the choices. */
static void weights_become_inputs(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "w1", "w2", "b"};
    mx2onnx_model *m = layers();
    assert_string_equal(missing_name(m, 0), "w1");
    assert_string_equal(missing_name(m, 1), "w2");
    assert_int_equal(mx2onnx_set_input_shape(m, "w2", 2, (const int64_t[]){4, 4}, NULL), MX2ONNX_OK);
    assert_int_equal(missing_count(m), 1);
    assert_string_equal(missing_name(m, 0), "w1");
    assert_string_equal(mx2onnx_input_name(m, 1), "w2");
    assert_int_equal(mx2onnx_set_input_dtype(m, "w2", MX2ONNX_DTYPE_FLOAT32), MX2ONNX_OK); /* once more */
    assert_int_equal(mx2onnx_input_count(m), 3);
    assert_int_equal(mx2onnx_set_input_shape(m, "w1", 2, (const int64_t[]){4, 4}, NULL), MX2ONNX_OK);
    assert_int_equal(missing_count(m), 0);
    assert_int_equal(mx2onnx_input_count(m), 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(mx2onnx_input_name(m, i), names[i]);
    }
    mx2onnx_model_free(m);
}

/* A graph that cannot be sorted is listed as it is in the file, although the sort has begun in another order. */
static void weights_of_a_graph_with_a_cycle_are_listed_as_in_the_file(void **state)
{
    (void)state;
    static const char *const names[] = {"w1", "a", "w2"};
    mx2onnx_model *m = loaded(
        VARIABLE("w1") "," VARIABLE("a") "," VARIABLE(
            "w2") ",{\"op\":\"FullyConnected\",\"name\":\"fc1\",\"attrs\":{\"num_hidden\":\"4\",\"no_bias\":\"True\"},\"inputs\":[[1,0,0],[2,0,0]]}"
                  ",{\"op\":\"FullyConnected\",\"name\":\"fc2\",\"attrs\":{\"num_hidden\":\"4\",\"no_bias\":\"True\"},\"inputs\":[[3,0,0],[0,0,0]]}"
                  ",{\"op\":\"elemwise_add\",\"name\":\"sum\",\"inputs\":[[4,0,0],[5,0,0]]}",
        "[5,0,0]");
    assert_int_equal(missing_count(m), 2);
    assert_string_equal(missing_name(m, 1), "w2");
    assert_int_equal(mx2onnx_set_input_shape(m, "w2", 2, (const int64_t[]){4, 4}, NULL), MX2ONNX_OK);
    assert_string_equal(missing_name(m, 0), "w1");
    assert_int_equal(mx2onnx_set_input_shape(m, "w1", 2, (const int64_t[]){4, 4}, NULL), MX2ONNX_OK);
    assert_int_equal(missing_count(m), 0);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(mx2onnx_input_name(m, i), names[i]);
    }
    assert_int_equal(mx2onnx_infer(m), MX2ONNX_STATUS_FORMAT);
    mx2onnx_model_free(m);
}

static void outputs_are_named_again(void **state)
{
    (void)state;
    mx2onnx_model *m = layers();
    assert_string_equal(mx2onnx_output_name(m, 1), "halves1");
    assert_int_equal(mx2onnx_rename(m, "halves1", "second"), MX2ONNX_OK);
    assert_string_equal(mx2onnx_output_name(m, 1), "second");
    assert_int_equal(mx2onnx_rename(m, "halves1", "last"), MX2ONNX_OK); /* the later one counts */
    assert_string_equal(mx2onnx_output_name(m, 1), "last");
    assert_int_equal(mx2onnx_rename(m, "halves0", "last"), MX2ONNX_OK);
    assert_string_equal(mx2onnx_output_name(m, 0), "last");
    assert_string_equal(mx2onnx_output_name(m, 1), "last_1");
    mx2onnx_model_free(m);
}

/* An error of the preparation belongs to the call that needed it. */
static void errors_do_not_stay(void **state)
{
    (void)state;
    mx2onnx_model *m = layers();
    assert_int_equal(mx2onnx_infer(m), MX2ONNX_STATUS_MISSING_PARAMETER);
    assert_true(strstr(mx2onnx_error(m), "w1") != NULL);
    assert_int_equal(mx2onnx_set_input_shape(m, "w1", 2, (const int64_t[]){4, 4}, NULL), MX2ONNX_OK);
    assert_string_equal(mx2onnx_error(m), "");
    assert_int_equal(mx2onnx_infer(m), MX2ONNX_STATUS_MISSING_PARAMETER);
    assert_null(strstr(mx2onnx_error(m), "w1"));
    mx2onnx_model_free(m);
}

/* What MXNet calls outputs: the longest name of a node counts, of nodes with one name the last. */
static void outputs_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *name, *node;
        int index;
    } cases[] = {
        {"fc", "fc", 0},
        {"fc_output", "fc_output", 0},
        {"fc_output_output", "fc_output", 0},
        {"split_output1", "split", 1},
        {"split_output0", "split", 0},
        {"split_output", "split", 0},
        {"x", "x", 0},
        {"norm_mean", "norm", 1},
        {"same_output1", "same", 1},
        {"x_output", NULL, 0},
        {"split_output2147483646", "split", 2147483646}, /* their number is not known here */
        {"split_output2147483647", NULL, 0},
        {"split_12", NULL, 0},
        {"split_mean", NULL, 0},
        {"split_", NULL, 0},
        {"_output", NULL, 0},
        {"output", NULL, 0},
        {"fc_output_output_output", NULL, 0},
        {"fc1", NULL, 0},
        {"fc_0123456789012345678901234567890123456789012345678901234567890123456789output", NULL, 0},
    };
    mx2onnx_model *m =
        loaded(VARIABLE("x") ",{\"op\":\"relu\",\"name\":\"fc\",\"inputs\":[[0,0,0]]}"
                             ",{\"op\":\"relu\",\"name\":\"fc_output\",\"inputs\":[[1,0,0]]}"
                             ",{\"op\":\"SliceChannel\",\"name\":\"split\",\"attrs\":{\"num_outputs\":\"2\"},\"inputs\":[[2,0,0]]}"
                             ",{\"op\":\"LayerNorm\",\"name\":\"norm\",\"inputs\":[[3,0,0],[0,0,0],[0,0,0]]}"
                             ",{\"op\":\"relu\",\"name\":\"same\",\"inputs\":[[0,0,0]]}"
                             ",{\"op\":\"SliceChannel\",\"name\":\"same\",\"attrs\":{\"num_outputs\":\"2\"},\"inputs\":[[0,0,0]]}",
               "[4,0,0]");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mx_entry e;
        const int status = mx_model_find_output(m, cases[i].name, &e);
        if (status != (cases[i].node ? MX_OK : MX_NOT_FOUND)) {
            fail_msg("%s: status %d", cases[i].name, status);
        }
        if (cases[i].node) {
            assert_string_equal(e.node->name, cases[i].node);
            assert_int_equal(e.index, cases[i].index);
        }
    }
    mx2onnx_model_free(m);
}

/* A number only where one word names several outputs. */
static void outputs_have_their_own_names(void **state)
{
    (void)state;
    const char *json = NULL;
    mx2onnx_model *m =
        loaded(VARIABLE("x") ",{\"op\":\"LayerNorm\",\"name\":\"norm\",\"attrs\":{\"output_mean_var\":\"True\"},"
                             "\"inputs\":[[0,0,0],[0,0,0],[0,0,0]]}"
                             ",{\"op\":\"SliceChannel\",\"name\":\"split\",\"attrs\":{\"num_outputs\":\"3\"},\"inputs\":[[0,0,0]]}",
               "[1,0,0],[1,1,0],[1,2,0],[2,0,0],[2,1,0],[2,2,0]");
    assert_int_equal(mx2onnx_graph_json(m, MX2ONNX_GRAPH_MXNET, &json), MX2ONNX_OK);
    static const char *const names[] = {"norm_output", "norm_mean", "norm_std", "split_output0", "split_output1", "split_output2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "\"%s\"", names[i]);
        if (!strstr(json, quoted)) {
            fail_msg("no %s in %s", quoted, json);
        }
    }
    mx2onnx_model_free(m);
}

static mx2onnx_status set_value(mx2onnx_model *m, const char *name, int64_t rows)
{
    static const float zeros[64];
    const mx2onnx_array value = {.struct_size = sizeof value,
                                 .dtype = MX2ONNX_DTYPE_FLOAT32,
                                 .rank = 2,
                                 .dims = (const int64_t[]){rows, 4},
                                 .data = zeros,
                                 .size = (size_t)rows * 16};
    return mx2onnx_set_param(m, name, &value, NULL, NULL);
}

/* Writes everything that looks return of variables, inputs, outputs and parameters. */
static void tell(mx2onnx_model *m, char *text, size_t size)
{
    size_t n = 0;
#define TELL(...) n += (size_t)snprintf(text + n, n < size ? size - n : 0, __VA_ARGS__)
    for (size_t i = 0; i < mx2onnx_variable_count(m); i++) {
        TELL("%s:%d ", mx2onnx_variable_name(m, i), mx2onnx_variable_kind(m, i));
    }
    for (size_t i = 0; i < mx2onnx_input_count(m); i++) {
        TELL("in %s ", mx2onnx_input_name(m, i));
    }
    for (size_t i = 0; i < mx2onnx_output_count(m); i++) {
        TELL("out %s %d %d %d ", mx2onnx_output_name(m, i), mx2onnx_output_dtype(m, i), mx2onnx_output_rank(m, i),
             (int)mx2onnx_output_dim(m, i, 0));
    }
    for (size_t i = 0; i < mx2onnx_param_count(m); i++) {
        TELL("param %s %d %d ", mx2onnx_param_name(m, i), (int)mx2onnx_param_dims(m, i)[0], mx2onnx_param_used(m, i));
    }
    for (size_t i = 0; i < mx2onnx_operator_count(m); i++) {
        TELL("op %s %d %d ", mx2onnx_operator_name(m, i), (int)mx2onnx_operator_node_count(m, i), mx2onnx_operator_supported(m, i));
    }
    assert_in_range(n, 1, size - 1);
}

/* Graphs in which a value changes lists alone, and those in which it changes outputs: labels, losses, a head that is a variable, an output
 * that has not its own name because of an input. */
static mx2onnx_model *labelled(void)
{
    return loaded(VARIABLE("a") "," VARIABLE("w1") "," VARIABLE(
                      "label") ",{\"op\":\"FullyConnected\",\"name\":\"fc\",\"attrs\":{\"num_"
                               "hidden\":\"4\",\"no_bias\":\"True\"},\"inputs\":[[0,0,0],[1,0,0]]}"
                               ",{\"op\":\"SoftmaxOutput\",\"name\":\"softmax\",\"inputs\":[[3,0,0],[2,0,0]]}"
                               ",{\"op\":\"negative\",\"name\":\"margin\",\"inputs\":[[2,0,0]]}",
                  "[4,0,0],[5,0,0]");
}
static mx2onnx_model *labels_alone(void)
{
    return loaded(
        VARIABLE("a") "," VARIABLE("label") "," VARIABLE("b") ",{\"op\":\"SoftmaxOutput\",\"name\":\"one\",\"inputs\":[[0,0,0],[1,0,0]]}"
                                                              ",{\"op\":\"SoftmaxOutput\",\"name\":\"two\",\"inputs\":[[0,0,0],[2,0,0]]}"
                                                              ",{\"op\":\"elemwise_add\",\"name\":\"first\",\"inputs\":[[3,0,0],[1,0,0]]}"
                                                              ",{\"op\":\"elemwise_add\",\"name\":\"second\",\"inputs\":[[4,0,0],[2,0,0]]}",
        "[5,0,0],[6,0,0]");
}
static mx2onnx_model *with_a_loss(void)
{
    return loaded(VARIABLE("a") "," VARIABLE("b") ",{\"op\":\"sin\",\"name\":\"s\",\"inputs\":[[0,0,0]]}"
                                                  ",{\"op\":\"elemwise_sub\",\"name\":\"d\",\"inputs\":[[2,0,0],[1,0,0]]}"
                                                  ",{\"op\":\"MakeLoss\",\"name\":\"loss\",\"inputs\":[[3,0,0]]}",
                  "[2,0,0],[4,0,0]");
}
static mx2onnx_model *a_head_is_a_variable(void)
{
    return loaded(VARIABLE("a") "," VARIABLE("b") ",{\"op\":\"elemwise_add\",\"name\":\"sum\",\"inputs\":[[0,0,0],[1,0,0]]}",
                  "[2,0,0],[1,0,0]");
}
static mx2onnx_model *output_and_input_of_a_name(void)
{
    mx2onnx_model *m =
        loaded(VARIABLE("a") "," VARIABLE("b") ",{\"op\":\"elemwise_add\",\"name\":\"sum\",\"inputs\":[[0,0,0],[1,0,0]]}", "[2,0,0]");
    assert_int_equal(mx2onnx_rename(m, "sum", "a"), MX2ONNX_OK);
    return m;
}
static mx2onnx_model *two_variables_of_a_name(void)
{
    return loaded(
        VARIABLE("a") "," VARIABLE("b") "," VARIABLE("b") ",{\"op\":\"elemwise_add\",\"name\":\"sum\",\"inputs\":[[0,0,0],[1,0,0]]}",
        "[3,0,0]");
}

/* Operators that the library does not know: alone, as op_type, in a body; and a label that only a head reads which is left out. */
#define OPERATOR(op, name, in) ",{\"op\":\"" op "\",\"name\":\"" name "\",\"inputs\":[" in "]}"
static mx2onnx_model *unknown_operators(void)
{
    return loaded(VARIABLE("a") "," VARIABLE("w1") OPERATOR("first", "u", "[0,0,0]") OPERATOR("second", "v", "[2,0,0],[1,0,0]")
                      OPERATOR("first", "w", "[3,0,0]") ",{\"op\":\"Custom\",\"name\":\"c\",\"attrs\":{\"op_type\":\"third\"},\"inputs\":["
                                                        "[4,0,0]]}" OPERATOR("sin", "s", "[5,0,0]"),
                  "[6,0,0]");
}
static mx2onnx_model *unknown_and_bad(void)
{
    return loaded(VARIABLE("a") "," VARIABLE("b") OPERATOR("first", "u", "[0,0,0]") OPERATOR("FullyConnected", "fc", "[2,0,0],[1,0,0]"),
                  "[3,0,0]");
}
static mx2onnx_model *an_op_type_of_an_operators_name(void)
{
    return loaded(VARIABLE("a") OPERATOR("first", "u", "[0,0,0]") ",{\"op\":\"Custom\",\"name\":\"c\",\"attrs\":{\"op_type\":\"first\"},"
                                                                  "\"inputs\":[[1,0,0]]}" OPERATOR("second", "v", "[2,0,0]"),
                  "[3,0,0]");
}
static mx2onnx_model *unknown_in_a_body(void)
{
    return loaded(
        VARIABLE("a") ",{\"op\":\"_foreach\",\"name\":\"each\",\"inputs\":[[0,0,0]],\"attrs\":{\"num_args\":\"2\",\"num_outputs\":\"1\","
                      "\"num_out_data\":\"1\",\"in_state_locs\":\"()\",\"in_data_locs\":\"(0,)\",\"remain_locs\":\"()\"},\"subgraphs\":[{"
                      "\"nodes\":[" VARIABLE("x") OPERATOR("second", "inner", "[0,0,0]") OPERATOR(
                          "third", "more", "[1,0,0]") "],\"arg_nodes\":[0],\"heads\":[[2,0,0]]}]}" OPERATOR("first", "u", "[1,0,0]"),
        "[2,0,0]");
}

static int32_t like_the_first(mx2onnx_node *n, void *user)
{
    (void)user;
    return mx2onnx_node_set_output_like(n, 0, 0);
}

static int32_t nothing(mx2onnx_node *n, void *user)
{
    (void)user;
    return mx2onnx_node_set_result(n, 0, mx2onnx_node_input_value(n, 0));
}

/* Kinds: without a handler, with one, with one that does not write, with one for operators that the library knows. */
enum { NO_HANDLER, HANDLER, KEEPING, OVERRIDING, KINDS };

static void set_handler(mx2onnx_model *m, const char *name, int kind)
{
    const mx2onnx_handler handler = {.struct_size = sizeof handler,
                                     .output_count = 1,
                                     .infer = like_the_first,
                                     .lower = kind == KEEPING ? NULL : nothing,
                                     .overrides = kind == OVERRIDING};
    assert_int_equal(mx2onnx_set_custom_operator(m, name, kind == NO_HANDLER ? NULL : &handler, NULL, NULL), MX2ONNX_OK);
}

static unsigned drawn(unsigned *state, unsigned n)
{
    *state = *state * 1103515245 + 12345;
    return (*state >> 16) % n;
}

/* One that is set again counts once, and none when it is removed. */
static void handlers_are_counted(void **state)
{
    (void)state;
    static const struct {
        int kind;
        size_t count;
    } steps[] = {{HANDLER, 1}, {HANDLER, 1}, {NO_HANDLER, 0}, {NO_HANDLER, 0}, {HANDLER, 1}};
    mx2onnx_model *m = unknown_operators();
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        set_handler(m, "first", steps[i].kind);
        assert_int_equal(m->choices.customs.count, steps[i].count);
    }
    mx2onnx_model_free(m);
}

/* Handlers and values are set in a random order, with a look after each; a model to which they are given at once says the same. */
static void handlers_between_queries_give_the_same_model(void **state)
{
    (void)state;
    static mx2onnx_model *(*const nets[])(void) = {unknown_operators, unknown_and_bad, an_op_type_of_an_operators_name,
                                                   unknown_in_a_body, labelled,        with_a_loss};
    static const char *const operators[] = {"first", "second", "third", "sin", "fourth", "Custom", NULL};
    static const char *const values[] = {"a", "w1", "b", "label", "nothing"};
    enum { STEPS = 12, ROUNDS = 400 };
    unsigned seed = 1;
    for (int round = 0; round < ROUNDS; round++) {
        const char *names[STEPS];
        int kinds[STEPS];
        mx2onnx_model *(*const net)(void) = nets[drawn(&seed, sizeof nets / sizeof *nets)];
        const char *domain = drawn(&seed, 4) == 0 ? "kept" : NULL;
        mx2onnx_model *m = net();
        assert_int_equal(mx2onnx_set_text(m, MX2ONNX_TEXT_UNKNOWN_DOMAIN, domain), MX2ONNX_OK);
        for (int i = 0; i < STEPS; i++) {
            const bool value = drawn(&seed, 4) == 0;
            char said[1024], fresh[1024];
            names[i] = value ? values[drawn(&seed, 5)] : operators[drawn(&seed, 30) ? drawn(&seed, 6) : 6];
            kinds[i] = value ? -1 : !names[i] || !drawn(&seed, 5) ? NO_HANDLER : 1 + (int)drawn(&seed, 8) % (KINDS - 1);
            mx2onnx_model *other = net();
            assert_int_equal(mx2onnx_set_text(other, MX2ONNX_TEXT_UNKNOWN_DOMAIN, domain), MX2ONNX_OK);
            for (int j = 0; j <= i; j++) {
                mx2onnx_model *const models[] = {other, j == i ? m : NULL};
                for (int k = 0; k < 2 && models[k]; k++) {
                    if (kinds[j] < 0) {
                        assert_int_equal(set_value(models[k], names[j], 4), MX2ONNX_OK);
                    } else {
                        set_handler(models[k], names[j], kinds[j]);
                    }
                }
            }
            tell(m, said, sizeof said);
            tell(other, fresh, sizeof fresh);
            assert_string_equal(said, fresh);
            mx2onnx_model_free(other);
        }
        mx2onnx_model_free(m);
    }
}

/* Thousands of values and handlers, and a look after each, prepare the graph twice: with and without operators that are unknown. */
static void queries_are_prepared_once(void **state)
{
    (void)state;
    enum { COUNT = 2000, LONGEST = 128 };
    char name[LONGEST];
    mx2onnx_model *m = NULL;
    char *text = malloc((size_t)COUNT * 2 * LONGEST);
    assert_non_null(text);
    int n = sprintf(text, "{\"nodes\":[{\"op\":\"null\",\"name\":\"x\",\"inputs\":[]}");
    for (int i = 0; i < COUNT; i++) {
        n += sprintf(text + n, ",{\"op\":\"null\",\"name\":\"w%d\",\"inputs\":[]},", i);
        n += sprintf(text + n, "{\"op\":\"mine%d\",\"name\":\"u%d\",\"inputs\":[[%d,0,0],[%d,0,0]]}", i, i, 2 * i, 2 * i + 1);
    }
    n += sprintf(text + n, "],\"arg_nodes\":[],\"heads\":[[%d,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}", 2 * COUNT);
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load_symbol_memory(m, text, (size_t)n), MX2ONNX_OK);
    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(name, sizeof name, "w%d", i);
        assert_int_equal(set_value(m, name, 4), MX2ONNX_OK);
        (void)snprintf(name, sizeof name, "unread%d", i);
        assert_int_equal(set_value(m, name, 4), MX2ONNX_OK);
        assert_int_equal(mx2onnx_variable_count(m), COUNT - i);
        (void)snprintf(name, sizeof name, "mine%d", i);
        set_handler(m, name, HANDLER);
        assert_int_equal(mx2onnx_operator_count(m), COUNT);
    }
    assert_true(mx2onnx_operator_supported(m, COUNT - 1));
    assert_int_equal(mx2onnx_output_count(m), 1);
    assert_int_equal(m->prepared.count, 2);
    mx2onnx_model_free(m);
    free(text);
}

/* Values of variables that the chosen outputs do not read. */
static void values_that_the_graph_does_not_read_are_not_listed(void **state)
{
    (void)state;
    mx2onnx_model *m = layers();
    assert_int_equal(mx2onnx_add_output(m, "fc1"), MX2ONNX_OK);
    assert_int_equal(mx2onnx_variable_count(m), 4);
    assert_int_equal(set_value(m, "w2", 4), MX2ONNX_OK);
    assert_int_equal(set_value(m, "b", 4), MX2ONNX_OK);
    assert_int_equal(mx2onnx_variable_count(m), 2);
    assert_string_equal(mx2onnx_variable_name(m, 1), "w1");
    assert_int_equal(m->prepared.count, 1);
    mx2onnx_model_free(m);
}

/* Values are set in each order, with looks between them; a model to which they are given at once says the same. */
static void values_between_queries_give_the_same_model(void **state)
{
    (void)state;
    static mx2onnx_model *(*const nets[])(void) = {
        layers, labelled, labels_alone, with_a_loss, a_head_is_a_variable, output_and_input_of_a_name, two_variables_of_a_name};
    static const char *const names[] = {"a", "arg:w1", "w2", "b", "label", "nothing"};
    enum { NAMES = sizeof names / sizeof *names };
    for (size_t k = 0; k < sizeof nets / sizeof *nets; k++) {
        for (size_t order = 0; order < (size_t)NAMES * NAMES; order++) {
            mx2onnx_model *m = nets[k]();
            for (size_t i = 0; i <= NAMES; i++) { /* one of them twice, in another shape */
                char said[1024], fresh[1024];
                mx2onnx_model *other = nets[k]();
                for (size_t j = 0; j <= i; j++) {
                    const char *name = names[(order + j * (order / NAMES + 1)) % NAMES];
                    assert_int_equal(set_value(other, name, j == NAMES ? 2 : 4), MX2ONNX_OK);
                    assert_int_equal(j == i ? set_value(m, name, j == NAMES ? 2 : 4) : MX2ONNX_OK, MX2ONNX_OK);
                }
                tell(m, said, sizeof said);
                tell(other, fresh, sizeof fresh);
                assert_string_equal(said, fresh);
                mx2onnx_model_free(other);
            }
            mx2onnx_model_free(m);
        }
    }
}

static void values_keep_the_graph(void **state)
{
    (void)state;
    mx2onnx_model *m = layers();
    assert_int_equal(mx2onnx_input_count(m), 2);
    const struct mx_graph *graph = m->prepared.graph;
    assert_int_equal(set_value(m, "w2", 4), MX2ONNX_OK);
    assert_int_equal(missing_count(m), 1);
    assert_int_equal(set_value(m, "w1", 4), MX2ONNX_OK);
    assert_int_equal(missing_count(m), 0);
    assert_int_equal(set_value(m, "w1", 2), MX2ONNX_OK); /* once more */
    assert_int_equal(set_value(m, "b", 2), MX2ONNX_OK);
    assert_int_equal(mx2onnx_input_count(m), 1);
    assert_ptr_equal(m->prepared.graph, graph);
    assert_int_equal(mx2onnx_remove_param(m, "b"), MX2ONNX_OK);
    assert_int_equal(mx2onnx_input_count(m), 2);
    mx2onnx_model_free(m);
}

/* The parameters of a whole net where a part is converted: w1 and w2 are not what w3 means. */
static void values_of_other_layers_are_in_one_warning(void **state)
{
    static const struct {
        size_t count;
        const char *message;
    } cases[] = {
        {1, "the model has no variable of this name, so the value is not used"},
        {2, "the model has no variable of this name, nor of those of 1 other array that was set, so their values are not used"},
        {20, "the model has no variable of this name, nor of those of 19 other arrays that were set, so their values are not used"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mx2onnx_diagnostic d = {.struct_size = sizeof d};
        mx2onnx_model *m = layers();
        for (size_t k = 0; k < cases[i].count; k++) {
            char name[32];
            snprintf(name, sizeof name, "w%zu", 3 + k);
            assert_int_equal(set_value(m, name, 4), MX2ONNX_OK);
        }
        assert_int_equal(set_value(m, "w1", 4) | set_value(m, "w2", 4), MX2ONNX_OK);
        assert_int_equal(shape(m), MX2ONNX_OK);
        assert_int_equal(mx2onnx_infer(m), MX2ONNX_OK);
        assert_int_equal(mx2onnx_diagnostic_count(m), 1);
        assert_int_equal(mx2onnx_diagnostic_get(m, 0, &d), MX2ONNX_OK);
        assert_string_equal(d.message, cases[i].message);
        assert_string_equal(d.name, "w3");
        mx2onnx_model_free(m);
    }
}

/* The matrix of a cell has a value as soon as its last gate has one. */
static void gates_that_are_set_are_looked_for(void **state)
{
    static const char *const gates[] = {"l_i2h_i_weight", "l_i2h_f_weight", "l_i2h_c_weight", "l_i2h_o_weight"};
    mx2onnx_model *m =
        loaded(VARIABLE("x") "," VARIABLE("l_i2h_weight") ",{\"op\":\"FullyConnected\",\"name\":\"f\",\"attrs\":{\"num_hidden\":"
                                                          "\"4\",\"no_bias\":\"True\"},\"inputs\":[[0,0,0],[1,0,0]]}",
               "[2,0,0]");
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++) {
        assert_int_equal(missing_count(m), 1);
        assert_int_equal(set_value(m, gates[i], 1), MX2ONNX_OK);
    }
    assert_int_equal(missing_count(m), 0);
    assert_int_equal(mx2onnx_remove_param(m, gates[0]), MX2ONNX_OK);
    assert_int_equal(missing_count(m), 1);
    mx2onnx_model_free(m);
}

/* The input is not searched for among outputs, because the graph of the outputs does not exist. */
static void inputs_are_found_where_no_graph_can_be_made(void **state)
{
    mx2onnx_model *m =
        loaded(VARIABLE("x") ",{\"op\":\"relu\",\"name\":\"a\",\"inputs\":[[2,0,0]]},{\"op\":\"relu\",\"name\":\"b\",\"inputs\":[[1,0,0]]}",
               "[2,0,0]");
    assert_int_equal(mx2onnx_set_input_shape(m, "y", 0, NULL, NULL), MX2ONNX_STATUS_NOT_FOUND);
    assert_non_null(strstr(mx2onnx_error(m), "no input of this name"));
    assert_int_equal(mx2onnx_set_input_shape(m, "x", 0, NULL, NULL), MX2ONNX_OK);
    mx2onnx_model_free(m);
}

/* A shape that was stated of an output which nothing reads is an error, until it is taken back. */
static void a_shape_of_no_output_is_taken_back(void **state)
{
    mx2onnx_model *m = loaded(VARIABLE("x") ",{\"op\":\"Nobody\",\"name\":\"n\",\"inputs\":[[0,0,0]]}"
                                            ",{\"op\":\"relu\",\"name\":\"r\",\"inputs\":[[1,0,0]]}",
                              "[2,0,0]");
    assert_int_equal(mx2onnx_set_text(m, MX2ONNX_TEXT_UNKNOWN_DOMAIN, "mxnet"), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_input_shape(m, "x", 1, (const int64_t[]){2}, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_input_shape(m, "n", 1, (const int64_t[]){3}, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_input_shape(m, "n_output1", 1, (const int64_t[]){4}, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_infer(m), MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(mx2onnx_error(m), "'n_output1': nothing in the model reads an output of this name"));
    assert_int_equal(mx2onnx_set_input_shape(m, "n_output1", -1, NULL, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_infer(m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_output_dim(m, 0, 0), 3);
    mx2onnx_model_free(m);
}

/* What a program wrote of a size that it did not turn into a number: each is refused, and what is almost one of them is a name. */
static void texts_of_sizes_are_refused_as_names_of_dims(void **state)
{
    static const char *const sizes[] = {"1",   "-1",   "+1",   "1_000", "-1_0", "0x1F", "0XaF", "-0b11", "0B1", "0o17", "0O7", "4.5",
                                        "1e3", "None", "NULL", "True",  "any",  "?",    "*",    "-",     " h",  "h ",   "0_1", "inf"};
    static const char *const names[] = {"h", "_1", "x1", "1x", "0x", "0xg", "0z1", "x", "0x_1", "-h", "nones", "1_000h", "batch size"};
    mx2onnx_model *m = layers();
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (mx2onnx_set_input_shape(m, "a", 1, (const int64_t[]){-1}, &sizes[i]) != MX2ONNX_STATUS_INVALID_ARGUMENT) {
            fail_msg("'%s' is taken", sizes[i]);
        }
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (mx2onnx_set_input_shape(m, "a", 1, (const int64_t[]){-1}, &names[i]) != MX2ONNX_OK) {
            fail_msg("'%s': %s", names[i], mx2onnx_error(m));
        }
    }
    mx2onnx_model_free(m);
}

/* A message names eight inputs. */
static void a_message_has_eight_inputs_at_most(void **state)
{
    for (int count = 8; count <= 9; count++) {
        char nodes[1024] = VARIABLE("i0"), heads[128] = "[0,0,0]";
        for (int i = 1; i < count; i++) {
            snprintf(nodes + strlen(nodes), sizeof nodes - strlen(nodes), "," VARIABLE("i%d"), i);
            snprintf(heads + strlen(heads), sizeof heads - strlen(heads), ",[%d,0,0]", i);
        }
        mx2onnx_model *m = loaded(nodes, heads);
        assert_int_equal(mx2onnx_set_input_dtype(m, "z", MX2ONNX_DTYPE_FLOAT64), MX2ONNX_STATUS_NOT_FOUND);
        const char *inputs = strstr(mx2onnx_error(m), "use one of its inputs: ");
        assert_non_null(inputs);
        assert_string_equal(inputs + strlen("use one of its inputs: "), count == 8 ? "'i0', 'i1', 'i2', 'i3', 'i4', 'i5', 'i6', 'i7'"
                                                                                   : "'i0', 'i1', 'i2', 'i3', 'i4', 'i5', 'i6', 'i7', ...");
        mx2onnx_model_free(m);
    }
}

/* A name for an axis needs a rank: the file gives none for these. */
static void an_axis_of_an_unknown_rank_has_no_name(void **state)
{
    static const char *const inputs[] = {"x", "n"};
    mx2onnx_model *m = loaded(VARIABLE("x") ",{\"op\":\"Nobody\",\"name\":\"n\",\"inputs\":[[0,0,0]]}"
                                            ",{\"op\":\"relu\",\"name\":\"r\",\"inputs\":[[1,0,0]]}",
                              "[2,0,0]");
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(mx2onnx_set_input_dim_name(m, inputs[i], 0, "h"), MX2ONNX_STATUS_INVALID_ARGUMENT);
        assert_non_null(strstr(mx2onnx_error(m), "axis 0 cannot be named, because the input has no known rank"));
        assert_int_equal(mx2onnx_set_input_shape(m, inputs[i], 1, (const int64_t[]){-1}, NULL), MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_input_dim_name(m, inputs[i], 0, "h"), MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_input_dim_name(m, inputs[i], 1, "h"), MX2ONNX_STATUS_INVALID_ARGUMENT);
        assert_non_null(strstr(mx2onnx_error(m), "axis 1 cannot be named, because the input has fewer dimensions"));
    }
    mx2onnx_model_free(m);
}

/* Nodes without a name are called as their operators, in small letters; of inputs without one none has the name of the other. */
static void nodes_without_a_name_get_one(void **state)
{
    static const char *const names[] = {"null", "null_1", "_contrib_bilinearresize2d", "_contrib_bilinearresize2d_1"};
    mx2onnx_model *m = loaded(
        VARIABLE("") "," VARIABLE(
            "") ",{\"op\":\"_contrib_BilinearResize2D\",\"name\":\"\",\"attrs\":{\"height\":\"2\",\"width\":\"2\"},\"inputs\":[[0,0,0]]}"
                ",{\"op\":\"_contrib_BilinearResize2D\",\"name\":\"\",\"attrs\":{\"height\":\"2\",\"width\":\"2\"},\"inputs\":[[1,0,0]]}",
        "[2,0,0],[3,0,0]");
    (void)state;
    assert_int_equal(mx2onnx_input_count(m), 2);
    assert_int_equal(mx2onnx_output_count(m), 2);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(i < 2 ? mx2onnx_input_name(m, i) : mx2onnx_output_name(m, i - 2), names[i]);
    }
    mx2onnx_model_free(m);
}

/* A variable may be called as a further output of an unknown operator: what is chosen for that name is the variable's. */
static void a_variable_may_be_called_as_an_output_is(void **state)
{
    mx2onnx_model *m = loaded(VARIABLE("x") "," VARIABLE("n_output1") ",{\"op\":\"Nobody\",\"name\":\"n\",\"inputs\":[[0,0,0]]}"
                                                                      ",{\"op\":\"relu\",\"name\":\"r\",\"inputs\":[[2,1,0]]}"
                                                                      ",{\"op\":\"relu\",\"name\":\"s\",\"inputs\":[[1,0,0]]}",
                              "[3,0,0],[4,0,0]");
    (void)state;
    assert_int_equal(mx2onnx_set_text(m, MX2ONNX_TEXT_UNKNOWN_DOMAIN, "mxnet"), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_input_shape(m, "x", 1, (const int64_t[]){2}, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_input_shape(m, "n_output1", 1, (const int64_t[]){5}, NULL), MX2ONNX_OK);
    (void)mx2onnx_infer(m);
    assert_int_equal(mx2onnx_output_rank(m, 0), -1);
    assert_int_equal(mx2onnx_output_rank(m, 1), 1);
    assert_int_equal(mx2onnx_output_dim(m, 1, 0), 5);
    mx2onnx_model_free(m);
}

static int32_t cancel(const mx2onnx_progress *p, void *user)
{
    (void)p;
    (void)user;
    return 1;
}

static void values_after_a_cancelled_look_are_taken(void **state)
{
    (void)state;
    mx2onnx_model *m = layers();
    assert_int_equal(mx2onnx_set_progress(m, cancel, NULL, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_input_count(m), 0);
    assert_int_equal(mx2onnx_set_progress(m, NULL, NULL, NULL), MX2ONNX_OK);
    assert_int_equal(set_value(m, "missing", 2), MX2ONNX_OK);
    assert_int_equal(set_value(m, "w1", 4), MX2ONNX_OK);
    assert_int_equal(mx2onnx_input_count(m), 2);
    mx2onnx_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_after_a_cancelled_look_are_taken),
        cmocka_unit_test(a_query_keeps_what_it_prepared),
        cmocka_unit_test(values_between_queries_give_the_same_model),
        cmocka_unit_test(handlers_are_counted),
        cmocka_unit_test(handlers_between_queries_give_the_same_model),
        cmocka_unit_test(queries_are_prepared_once),
        cmocka_unit_test(values_that_the_graph_does_not_read_are_not_listed),
        cmocka_unit_test(values_keep_the_graph),
        cmocka_unit_test(inference_is_dropped),
        cmocka_unit_test(weights_become_inputs),
        cmocka_unit_test(weights_of_a_graph_with_a_cycle_are_listed_as_in_the_file),
        cmocka_unit_test(outputs_are_named_again),
        cmocka_unit_test(errors_do_not_stay),
        cmocka_unit_test(values_of_other_layers_are_in_one_warning),
        cmocka_unit_test(gates_that_are_set_are_looked_for),
        cmocka_unit_test(inputs_are_found_where_no_graph_can_be_made),
        cmocka_unit_test(a_shape_of_no_output_is_taken_back),
        cmocka_unit_test(texts_of_sizes_are_refused_as_names_of_dims),
        cmocka_unit_test(a_message_has_eight_inputs_at_most),
        cmocka_unit_test(an_axis_of_an_unknown_rank_has_no_name),
        cmocka_unit_test(nodes_without_a_name_get_one),
        cmocka_unit_test(a_variable_may_be_called_as_an_output_is),
        cmocka_unit_test(outputs_are_found),
        cmocka_unit_test(outputs_have_their_own_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
