/* Operators that the caller converts. Only the public header. */
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
#include "mx2onnx.h"

/* relu -> Custom(op_type=my_leaky, slope=0.2) -> tanh */
static const char symbol[] =
    "{\"nodes\":[{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]},"
    "{\"op\":\"relu\",\"name\":\"r\",\"inputs\":[[0,0,0]]},"
    "{\"op\":\"Custom\",\"name\":\"c\",\"attrs\":{\"op_type\":\"my_leaky\",\"slope\":\"0.2\"},\"inputs\":[[1,0,0]]},"
    "{\"op\":\"tanh\",\"name\":\"t\",\"inputs\":[[2,0,0]]}],"
    "\"arg_nodes\":[0],\"heads\":[[3,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";

static mx2onnx_model *loaded(void)
{
    mx2onnx_model *m = NULL;
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load_symbol_memory(m, symbol, sizeof symbol - 1), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 2, (const int64_t[]){-1, 4}, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_input_dim_name(m, "data", 0, "n"), MX2ONNX_OK);
    return m;
}

static int calls; /* of infer_like */

static int32_t infer_like(mx2onnx_node *n, void *user)
{
    calls++;
    return mx2onnx_node_set_output_like(n, 0, 0);
}

static int32_t infer_first(mx2onnx_node *n, void *user)
{
    return mx2onnx_node_set_output_like(n, 0, 0);
}

static int32_t infer_number(mx2onnx_node *n, void *user)
{
    return mx2onnx_node_set_output(n, 0, MX2ONNX_DTYPE_FLOAT32, 0, NULL);
}

static int32_t infer_second(mx2onnx_node *n, void *user)
{
    return mx2onnx_node_set_output_like(n, 1, 0);
}

static int32_t lower_leaky(mx2onnx_node *n, void *user)
{
    const int32_t x = mx2onnx_node_input_value(n, 0);
    int32_t y;
    assert_string_equal(mx2onnx_node_name(n), "c");
    assert_string_equal(mx2onnx_node_attribute(n, "slope"), "0.2");
    assert_null(mx2onnx_node_attribute(n, "colour"));
    assert_int_equal(mx2onnx_node_input_count(n), 1);
    assert_int_equal(mx2onnx_node_input_dtype(n, 0), MX2ONNX_DTYPE_FLOAT32);
    assert_int_equal(mx2onnx_node_input_rank(n, 0), 2);
    assert_int_equal(mx2onnx_node_input_dim(n, 0, 0), -1);
    assert_int_equal(mx2onnx_node_input_dim(n, 0, 1), 4);
    const int32_t status = given_node(n, "LeakyRelu", user, 1, &x, "{\"alpha\": 0.2}", 1, &y);
    return status != MX2ONNX_OK ? status : mx2onnx_node_set_result(n, 0, y);
}

static int32_t lower_as_it_is(mx2onnx_node *n, void *user)
{
    return mx2onnx_node_set_result(n, 0, mx2onnx_node_input_value(n, 0));
}

static void a_handler_adds_an_operator_of_onnx(void **state)
{
    static char no_domain[] = "";
    for (int named = 0; named < 2; named++) {
        calls = 0;
        mx2onnx_model *m = loaded();
        void *domain = named ? no_domain : NULL;
        assert_int_equal(mx2onnx_set_custom_operator(
                             m, "my_leaky",
                             &(const mx2onnx_handler){
                                 .struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = infer_like, .lower = lower_leaky},
                             domain, NULL),
                         MX2ONNX_OK);
        const char *text = NULL;
        if (mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text) != MX2ONNX_OK) {
            fail_msg("%s", mx2onnx_error(m));
        }
        assert_non_null(strstr(text, "c = LeakyRelu(r) {alpha=0.2} : float32 (n, 4)"));
        assert_true(calls > 0);
        mx2onnx_model_free(m);
    }
}

/* (n, 4) -> (n, 2), of a domain that only the caller's runtime knows. */
static int32_t infer_half(mx2onnx_node *n, void *user)
{
    const int32_t status = mx2onnx_node_set_output(n, 0, MX2ONNX_DTYPE_FLOAT32, 2, (const int64_t[]){-1, 2});
    return status != MX2ONNX_OK ? status : mx2onnx_node_set_output_dim(n, 0, 0, 0, 0);
}

static int32_t lower_foreign(mx2onnx_node *n, void *user)
{
    const float half = 0.5f;
    int32_t in[] = {mx2onnx_node_input_value(n, 0), 0, 0}, y;
    const int32_t status = given_constant(n, given_array(MX2ONNX_DTYPE_FLOAT32, 1, (const int64_t[]){1}, &half, sizeof half), &in[2]);
    if (status != MX2ONNX_OK
        || given_node(n, "Halve", "com.example", 3, in, "{\"axes\": [0, 1], \"scale\": [0.5, 1], \"mode\": \"fast\"}", 1, &y)
               != MX2ONNX_OK) {
        return MX2ONNX_STATUS_UNSUPPORTED;
    }
    return mx2onnx_node_set_result(n, 0, y);
}

static void a_handler_adds_an_operator_of_another_domain(void **state)
{
    void *data = NULL;
    size_t size = 0;
    mx2onnx_model *m = loaded();
    assert_int_equal(mx2onnx_set_custom_operator(
                         m, "my_leaky",
                         &(const mx2onnx_handler){
                             .struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = infer_half, .lower = lower_foreign},
                         NULL, NULL),
                     MX2ONNX_OK);
    const char *text = NULL;
    if (mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text) != MX2ONNX_OK) {
        fail_msg("%s", mx2onnx_error(m));
    }
    assert_non_null(strstr(text, "com.example::Halve(r, -, c/const) {axes=[0, 1], scale=[0.5, 1], mode=\"fast\"} : float32 (n, 2)"));
    assert_non_null(strstr(text, "t = Tanh(c) : float32 (n, 2)"));
    assert_int_equal(mx2onnx_export_memory(m, &data, &size), MX2ONNX_OK);
    mx2onnx_memory_free(data);
    mx2onnx_model_free(m);
}

/* The handler says the shapes, the node is kept. */
static void a_handler_of_shapes_keeps_the_node(void **state)
{
    mx2onnx_model *m = loaded();
    assert_int_equal(mx2onnx_set_custom_operator(
                         m, "my_leaky",
                         &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = infer_half}, NULL,
                         NULL),
                     MX2ONNX_OK);
    assert_int_equal(mx2onnx_infer(m), MX2ONNX_STATUS_UNSUPPORTED);
    assert_non_null(strstr(mx2onnx_error(m), "has no lower function"));
    assert_int_equal(mx2onnx_set_text(m, MX2ONNX_TEXT_UNKNOWN_DOMAIN, "org.example"), MX2ONNX_OK);
    const char *text = NULL;
    if (mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text) != MX2ONNX_OK) {
        fail_msg("%s", mx2onnx_error(m));
    }
    assert_non_null(strstr(text, "c = org.example::Custom(r) {op_type=\"my_leaky\", slope=\"0.2\"} : float32 (n, 2)"));
    assert_int_equal(mx2onnx_set_text(m, MX2ONNX_TEXT_UNKNOWN_DOMAIN, NULL), MX2ONNX_OK);
    assert_int_not_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &(const char *){NULL}), MX2ONNX_OK);
    mx2onnx_model_free(m);
}

static void an_operator_without_a_handler_is_refused(void **state)
{
    mx2onnx_model *m = loaded();
    assert_int_equal(mx2onnx_infer(m), MX2ONNX_STATUS_UNSUPPORTED);
    assert_non_null(strstr(mx2onnx_error(m), "'my_leaky'"));
    mx2onnx_model_free(m);
}

static int32_t lack_memory(mx2onnx_node *n, void *user)
{
    return MX2ONNX_STATUS_OUT_OF_MEMORY;
}

static int32_t refuse(mx2onnx_node *n, void *user)
{
    return mx2onnx_node_fail(n, user);
}

static int32_t forget(mx2onnx_node *n, void *user)
{
    return MX2ONNX_OK;
}

static int32_t misuse(mx2onnx_node *n, void *user)
{
    int32_t y;
    const int32_t wrong = 12345;
    return given_node(n, "Relu", NULL, 1, &wrong, NULL, 1, &y);
}

static int32_t misspell(mx2onnx_node *n, void *user)
{
    int32_t y;
    const int32_t x = mx2onnx_node_input_value(n, 0);
    return given_node(n, "Rleu", NULL, 1, &x, NULL, 1, &y);
}

/* The builder would call it an internal error of an operator of the library. */
static int32_t nothing_to_add(mx2onnx_node *n, void *user)
{
    int32_t y;
    return given_node(n, "Sum", NULL, 0, NULL, NULL, 1, &y);
}

static int32_t bad_json(mx2onnx_node *n, void *user)
{
    int32_t y;
    const int32_t x = mx2onnx_node_input_value(n, 0);
    return given_node(n, "Relu", NULL, 1, &x, "{\"a\": ", 1, &y);
}

/* Each is refused, and the first is reported. */
static int32_t wrong_arguments(mx2onnx_node *n, void *user)
{
    enum { MOST = 4096 };
    int32_t in[MOST + 1], out[MOST + 1];
    for (size_t i = 0; i <= MOST; i++) {
        in[i] = mx2onnx_node_input_value(n, 0);
    }
    const mx2onnx_status invalid = MX2ONNX_STATUS_INVALID_ARGUMENT;
    assert_int_equal(given_node(n, "", NULL, 1, in, NULL, 1, out), invalid);
    assert_int_equal(given_node(n, NULL, NULL, 1, in, NULL, 1, out), invalid);
    assert_int_equal(given_node(n, "Relu", NULL, 1, NULL, NULL, 1, out), invalid);
    assert_int_equal(given_node(n, "Sum", NULL, MOST + 1, in, NULL, 1, out), invalid);
    assert_int_equal(given_node(n, "Split", NULL, 1, in, NULL, MOST + 1, out), invalid);
    assert_int_equal(mx2onnx_node_set_result(n, 0, 12345), invalid);
    return MX2ONNX_OK;
}

static int32_t list_of_4097(mx2onnx_node *n, void *user)
{
    char list[2 * 4097 + 16] = "{\"a\": [1";
    int32_t y;
    const int32_t x = mx2onnx_node_input_value(n, 0);
    for (size_t i = 1; i < 4097; i++) {
        strcat(list, ",1");
    }
    return given_node(n, "Any", "com.example", 1, &x, strcat(list, "]}"), 1, &y);
}

/* As many inputs and outputs as the operator does not have. */
struct wrong_count {
    const char *op;
    size_t inputs, outputs;
};

static int32_t miscount(mx2onnx_node *n, void *user)
{
    const struct wrong_count *w = user;
    const int32_t x = mx2onnx_node_input_value(n, 0), in[] = {x, x, x};
    int32_t out[4];
    const int32_t status = given_node(n, w->op, NULL, w->inputs, in, NULL, w->outputs, out);
    assert_int_equal(status, MX2ONNX_STATUS_INVALID_ARGUMENT);
    return mx2onnx_node_set_result(n, 0, x);
}

static void wrong_numbers_of_inputs_and_outputs_are_refused(void **state)
{
    static const struct {
        struct wrong_count count;
        const char *text;
    } cases[] = {
        {{"Relu", 2, 1}, "the number of inputs is 2, but ONNX's Relu has at most 1"},
        {{"Add", 3, 1}, "the number of inputs is 3, but ONNX's Add has at most 2"},
        {{"Relu", 1, 2}, "the number of outputs is 2, but ONNX's Relu has at most 1"},
        {{"Dropout", 1, 3}, "the number of outputs is 3, but ONNX's Dropout has at most 2"},
        {{"TopK", 2, 1}, "the number of outputs is 1, but ONNX's TopK has at least 2"},
        {{"DynamicQuantizeLinear", 1, 2}, "the number of outputs is 2, but ONNX's DynamicQuantizeLinear has at least 3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wrong_count count = cases[i].count;
        mx2onnx_model *m = loaded();
        assert_int_equal(
            mx2onnx_set_custom_operator(
                m, "my_leaky",
                &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = infer_like, .lower = miscount},
                &count, NULL),
            MX2ONNX_OK);
        assert_int_not_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &(const char *){NULL}), MX2ONNX_OK);
        if (!strstr(mx2onnx_error(m), cases[i].text)) {
            fail_msg("case %zu: %s", i, mx2onnx_error(m));
        }
        mx2onnx_model_free(m);
    }
}

static int32_t lower_float(mx2onnx_node *n, void *user)
{
    const int32_t x = mx2onnx_node_input_value(n, 0);
    int32_t y;
    const int32_t status = given_node(n, "LeakyRelu", NULL, 1, &x, "{\"alpha\": 3}", 1, &y);
    return status != MX2ONNX_OK ? status : mx2onnx_node_set_result(n, 0, y);
}

/* Values that a call keeps, and those that a later call uses. */
struct kept {
    int32_t input, result;
    bool use_input, use_result;
};

static int32_t lower_kept_value(mx2onnx_node *n, void *user)
{
    struct kept *k = user;
    int32_t y, x = mx2onnx_node_input_value(n, 0);
    x = k->use_input ? k->input : k->use_result ? k->result : x;
    const int32_t status = given_node(n, "Relu", NULL, 1, &x, NULL, 1, &y);
    if (status != MX2ONNX_OK) {
        return status;
    }
    k->input = mx2onnx_node_input_value(n, 0);
    k->result = y;
    return mx2onnx_node_set_result(n, 0, y);
}

static void values_of_another_call_are_refused(void **state)
{
    const mx2onnx_handler handler = {.struct_size = sizeof handler, .output_count = 1, .infer = infer_like, .lower = lower_kept_value};
    for (int i = 0; i < 3; i++) {
        struct kept k = {0};
        mx2onnx_model *m = loaded();
        assert_int_equal(mx2onnx_set_custom_operator(m, "my_leaky", &handler, &k, NULL), MX2ONNX_OK);
        assert_int_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &(const char *){NULL}), MX2ONNX_OK);
        assert_true(k.input > 0 && k.result > 0 && k.input != k.result);
        k.use_input = i == 1;
        k.use_result = i == 2;
        assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, 15), MX2ONNX_OK); /* it is lowered again */
        const mx2onnx_status status = mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &(const char *){NULL});
        assert_int_equal(status, i == 0 ? MX2ONNX_OK : MX2ONNX_STATUS_UNSUPPORTED);
        assert_true(i == 0 || strstr(mx2onnx_error(m), "is not one of this node: a handler can use"));
        mx2onnx_model_free(m);
    }
}

/* AttributeProto: name (1) "alpha", f (2) 3.0f, type (20) FLOAT (1). */
static void an_integer_becomes_a_float_where_one_is_meant(void **state)
{
    static const unsigned char wanted[] = {10, 5, 'a', 'l', 'p', 'h', 'a', 2 << 3 | 5, 0, 0, 0x40, 0x40, 0xA0, 1, 1};
    mx2onnx_model *m = loaded();
    void *data = NULL;
    size_t size = 0, at = 0;
    assert_int_equal(
        mx2onnx_set_custom_operator(
            m, "my_leaky",
            &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = infer_like, .lower = lower_float},
            NULL, NULL),
        MX2ONNX_OK);
    assert_int_equal(mx2onnx_export_memory(m, &data, &size), MX2ONNX_OK);
    while (at + sizeof wanted <= size && memcmp((char *)data + at, wanted, sizeof wanted) != 0) {
        at++;
    }
    assert_true(at + sizeof wanted <= size);
    mx2onnx_memory_free(data);
    mx2onnx_model_free(m);
}

/* The handler may ask for the rank of each. */
static void a_handler_is_not_asked_before_the_shapes_of_its_inputs_are_known(void **state)
{
    mx2onnx_model *m = NULL;
    calls = 0;
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load_symbol_memory(m, symbol, sizeof symbol - 1), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_custom_operator(
                         m, "my_leaky",
                         &(const mx2onnx_handler){
                             .struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = infer_like, .lower = lower_as_it_is},
                         NULL, NULL),
                     MX2ONNX_OK);
    assert_int_equal(mx2onnx_infer(m), MX2ONNX_STATUS_SHAPE);
    assert_int_equal(calls, 0);
    mx2onnx_model_free(m);
}

static void errors_of_handlers_are_reported(void **state)
{
    char why[] = "not today";
    const struct {
        mx2onnx_custom_fn infer, lower;
        const char *text;
        mx2onnx_status status;
        size_t more; /* outputs after the first */
    } cases[] = {
        {refuse, lower_leaky, "not today", MX2ONNX_STATUS_UNSUPPORTED, 0},
        {infer_like, refuse, "not today", MX2ONNX_STATUS_UNSUPPORTED, 0},
        {lack_memory, lower_leaky, "out of memory", MX2ONNX_STATUS_OUT_OF_MEMORY, 0},
        {infer_like, lack_memory, "out of memory", MX2ONNX_STATUS_OUT_OF_MEMORY, 0},
        {infer_like, forget, "did not set output 0", MX2ONNX_STATUS_UNSUPPORTED, 0},
        {infer_like, misuse, "value 12345 is not one of this node", MX2ONNX_STATUS_UNSUPPORTED, 0},
        {infer_like, misspell, "ONNX has no operator 'Rleu'; see onnx.ai", MX2ONNX_STATUS_UNSUPPORTED, 0},
        {infer_like, nothing_to_add, "node 'c' (Custom): Sum without its first input", MX2ONNX_STATUS_INVALID_ARGUMENT, 0},
        {infer_like, wrong_arguments, "the operator's name is empty", MX2ONNX_STATUS_UNSUPPORTED, 0},
        {infer_like, list_of_4097, "'a' has 4097 elements, but must have at most 4096", MX2ONNX_STATUS_UNSUPPORTED, 0},
        {infer_like, bad_json, "not a JSON object", MX2ONNX_STATUS_UNSUPPORTED, 0},
        {forget, lower_leaky, "the infer function of its handler does not declare the shape of output 0", MX2ONNX_STATUS_SHAPE, 0},
        {forget, lower_leaky, "does not declare the shape of output 0", MX2ONNX_STATUS_SHAPE, 2},
        {infer_first, lower_leaky, "does not declare the shape of output 1", MX2ONNX_STATUS_SHAPE, 1},
        {infer_number, lower_leaky, "does not declare the shape of output 1", MX2ONNX_STATUS_SHAPE, 1},
        {infer_number, lower_leaky, "does not declare the shape of output 1", MX2ONNX_STATUS_SHAPE, 2},
        {infer_second, lower_leaky, "does not declare the shape of output 0", MX2ONNX_STATUS_SHAPE, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mx2onnx_model *m = loaded();
        assert_int_equal(mx2onnx_set_custom_operator(m, "my_leaky",
                                                     &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler),
                                                                              .output_count = 1 + cases[i].more,
                                                                              .infer = cases[i].infer,
                                                                              .lower = cases[i].lower},
                                                     why, NULL),
                         MX2ONNX_OK);
        const mx2onnx_status status = mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &(const char *){NULL});
        if (status != cases[i].status) {
            fail_msg("case %zu: status %d", i, (int)status);
        }
        if (!strstr(mx2onnx_error(m), cases[i].text)) {
            fail_msg("case %zu: %s", i, mx2onnx_error(m));
        }
        mx2onnx_model_free(m);
    }
}

/* The shape of its first output follows from the graph after it. */
static void a_handler_that_declares_nothing_lacks_a_type(void **state)
{
    static const char text[] = "{\"nodes\":[{\"op\":\"null\",\"name\":\"x\",\"attrs\":{\"__shape__\":\"(2, 3)\"},\"inputs\":[]},"
                               "{\"op\":\"my_leaky\",\"name\":\"c\",\"inputs\":[[0,0,0]]},"
                               "{\"op\":\"Cast\",\"name\":\"t\",\"attrs\":{\"dtype\":\"float32\"},\"inputs\":[[1,0,0]]},"
                               "{\"op\":\"elemwise_add\",\"name\":\"y\",\"inputs\":[[0,0,0],[2,0,0]]}],"
                               "\"arg_nodes\":[0],\"heads\":[[3,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";
    const mx2onnx_handler handler = {.struct_size = sizeof handler, .output_count = 2, .infer = forget, .lower = lower_leaky};
    mx2onnx_model *m = NULL;
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load_symbol_memory(m, text, sizeof text - 1), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_custom_operator(m, "my_leaky", &handler, NULL, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_infer(m), MX2ONNX_STATUS_SHAPE);
    if (!strstr(mx2onnx_error(m), "does not declare the type of output 0")) {
        fail_msg("%s", mx2onnx_error(m));
    }
    mx2onnx_model_free(m);
}

/* An operator of another domain that is called as one of ONNX's own is not taken for that. */
static void a_kept_operator_is_not_taken_for_a_cast(void **state)
{
    static const char kept[] = "{\"nodes\":[{\"op\":\"CastLike\",\"name\":\"k\",\"inputs\":[]},"
                               "{\"op\":\"elemwise_add\",\"name\":\"t\",\"inputs\":[[0,0,0],[0,0,0]]}],"
                               "\"arg_nodes\":[],\"heads\":[[1,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";
    mx2onnx_model *m = NULL;
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load_symbol_memory(m, kept, sizeof kept - 1), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_text(m, MX2ONNX_TEXT_UNKNOWN_DOMAIN, "my.domain"), MX2ONNX_OK);
    const char *text = NULL;
    if (mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text) == MX2ONNX_OK) {
        assert_non_null(strstr(text, "my.domain::CastLike()"));
    } else {
        assert_non_null(strstr(mx2onnx_error(m), "'"));
    }
    mx2onnx_model_free(m);
}

static int32_t lower_foreign_cast(mx2onnx_node *n, void *user)
{
    int32_t y;
    const int32_t status = given_node(n, user, "my.domain", 0, NULL, NULL, 1, &y);
    return status != MX2ONNX_OK ? status : mx2onnx_node_set_result(n, 0, y);
}

static void a_foreign_operator_is_not_taken_for_a_cast(void **state)
{
    static const char *const names[] = {"Cast", "CastLike", "BitCast"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[16];
        mx2onnx_model *m = loaded();
        strcpy(name, names[i]);
        assert_int_equal(mx2onnx_set_custom_operator(m, "my_leaky",
                                                     &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler),
                                                                              .output_count = 1,
                                                                              .infer = infer_like,
                                                                              .lower = lower_foreign_cast},
                                                     name, NULL),
                         MX2ONNX_OK);
        const char *text = NULL;
        assert_int_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text), MX2ONNX_OK);
        assert_non_null(strstr(text, "my.domain::"));
        mx2onnx_model_free(m);
    }
}

/* Of what a node of another domain gives only the result is known; what is between has no type. */
static int32_t lower_untyped(mx2onnx_node *n, void *user)
{
    int32_t y[2] = {mx2onnx_node_input_value(n, 0), 0};
    int32_t status = given_node(n, "Foo", "my.domain", 1, y, NULL, 2, y);
    status = status != MX2ONNX_OK ? status : given_node(n, "Relu", NULL, 1, y, NULL, 1, y);
    status = status != MX2ONNX_OK ? status : given_node(n, "Bar", "my.domain", 1, y, NULL, 1, y);
    return status != MX2ONNX_OK ? status : mx2onnx_node_set_result(n, 0, y[0]);
}

static void values_without_a_type_are_written(void **state)
{
    mx2onnx_model *m = loaded();
    const char *text = NULL;
    void *data = NULL;
    size_t size = 0;
    assert_int_equal(mx2onnx_set_custom_operator(
                         m, "my_leaky",
                         &(const mx2onnx_handler){
                             .struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = infer_like, .lower = lower_untyped},
                         NULL, NULL),
                     MX2ONNX_OK);
    if (mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text) != MX2ONNX_OK) {
        fail_msg("%s", mx2onnx_error(m));
    }
    assert_non_null(strstr(text, "c/foo0, c/foo1 = my.domain::Foo(r) : unknown ?, unknown ?"));
    assert_non_null(strstr(text, "c/relu = Relu(c/foo0) : unknown ?"));
    assert_non_null(strstr(text, "c = my.domain::Bar(c/relu) : float32"));
    assert_int_equal(mx2onnx_export_memory(m, &data, &size), MX2ONNX_OK);
    assert_true(size > 0);
    mx2onnx_memory_free(data);
    mx2onnx_model_free(m);
}

/* Types are given as ONNX's numbers, as in the operator's attribute: 7 is int64. */
static int32_t lower_cast(mx2onnx_node *n, void *user)
{
    int32_t y = mx2onnx_node_input_value(n, 0);
    int32_t status = given_node(n, "Cast", NULL, 1, &y, user, 1, &y);
    status = status != MX2ONNX_OK ? status : given_node(n, "Cast", NULL, 1, &y, "{\"to\": 1}", 1, &y);
    return status != MX2ONNX_OK ? status : mx2onnx_node_set_result(n, 0, y);
}

static int32_t output_dim_far_off(mx2onnx_node *n, void *user)
{
    const int32_t status = mx2onnx_node_set_output_like(n, 0, 0);
    return status != MX2ONNX_OK ? status : mx2onnx_node_set_output_dim(n, 0, (size_t)1 << 4 * sizeof(size_t), 0, 0);
}

static int32_t lower_with(mx2onnx_node *n, void *user)
{
    const char *const *words = user;
    int32_t in[] = {mx2onnx_node_input_value(n, 0), 0, mx2onnx_node_input_value(n, 0)}, y;
    (void)given_constant(n, given_array(MX2ONNX_DTYPE_INT64, 1, (const int64_t[]){1}, &(int64_t){7}, 8), &in[1]);
    const int32_t status = given_node(n, words[0], NULL, words[2] ? (size_t)words[2][0] - '0' : 2, in, words[1], 1, &y);
    return status != MX2ONNX_OK ? status : mx2onnx_node_set_result(n, 0, y);
}

/* A convolution of what a Pad with these attributes gives, and a OneHot along an axis far off. */
static int32_t lower_padded(mx2onnx_node *n, void *user)
{
    static const float ones[16] = {1};
    static const int64_t pads[] = {0, 0, 1, 1, 0, 0, 1, 1}, image[] = {1, 1, 4, 4}, kernel[] = {1, 1, 1, 1}, two = 2;
    int32_t in[3] = {0}, hot[3] = {0}, y = 0;
    (void)given_constant(n, given_array(MX2ONNX_DTYPE_FLOAT32, 4, image, ones, sizeof ones), &in[0]);
    (void)given_constant(n, given_array(MX2ONNX_DTYPE_INT64, 1, (const int64_t[]){8}, pads, sizeof pads), &in[1]);
    int32_t status = given_node(n, "Pad", NULL, 2, in, user, 1, &y);
    in[0] = y;
    (void)given_constant(n, given_array(MX2ONNX_DTYPE_FLOAT32, 4, kernel, ones, 4), &in[1]);
    status = status != MX2ONNX_OK ? status : given_node(n, "Conv", NULL, 2, in, "{}", 1, &y);
    (void)given_constant(n, given_array(MX2ONNX_DTYPE_INT64, 1, (const int64_t[]){2}, pads, 16), &hot[0]);
    (void)given_constant(n, given_array(MX2ONNX_DTYPE_INT64, 0, NULL, &two, 8), &hot[1]);
    (void)given_constant(n, given_array(MX2ONNX_DTYPE_FLOAT32, 1, (const int64_t[]){2}, ones, 8), &hot[2]);
    status = status != MX2ONNX_OK ? status : given_node(n, "OneHot", NULL, 3, hot, "{\"axis\": 77}", 1, &hot[0]);
    return status != MX2ONNX_OK ? status : mx2onnx_node_set_result(n, 0, y);
}

/* These attributes were once read past their end. Any status is right, as long as the call returns. */
static void odd_attributes_of_a_pad_do_no_harm(void **state)
{
    static const char *const cases[] = {"{\"pads\": [1]}", "{\"mode\": 1}", "{\"mode\": \"\"}", "{\"pads\": 1}", "{}"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *attributes = strdup(cases[i]);
        mx2onnx_model *m = loaded();
        assert_int_equal(mx2onnx_set_custom_operator(
                             m, "my_leaky",
                             &(const mx2onnx_handler){
                                 .struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = infer_like, .lower = lower_padded},
                             attributes, free),
                         MX2ONNX_OK);
        const mx2onnx_status status = mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &(const char *){NULL});
        assert_true(status == MX2ONNX_OK || mx2onnx_error(m)[0]);
        mx2onnx_model_free(m);
    }
}

static void attributes_of_handlers_are_checked(void **state)
{
    char to_int64[] = "{\"to\": 7}", to_nothing[] = "{\"to\": 99}", to_name[] = "{\"to\": \"float16\"}";
    const char *strided[] = {"Conv", "{\"strides\": [0]}", NULL}, *far[] = {"Conv", "{\"group\": 4294967296}", NULL},
               *short_[] = {"MatMul", "{}", "1"};
    const char *no_to[] = {"Cast", "{}", "1"}, *scalar[] = {"MaxPool", "{\"kernel_shape\": 2}", "1"},
               *list[] = {"Softmax", "{\"axis\": [1]}", "1"};
    const char *fraction[] = {"Softmax", "{\"axis\": 0.5}", "1"}, *tensor[] = {"ConstantOfShape", "{\"value\": 1}", "1"};
    const char *graph[] = {"If", "{\"then_branch\": 1}", "1"}, *word[] = {"Gelu", "{\"approximate\": \"erf\"}", "1"};
    const char *texts[] = {"RNN", "{\"activations\": [\"Tanh\", \"tanh\"]}", "3"}, *empty[] = {"GRU", "{\"activations\": []}", "3"};
    const char *tile[] = {"Tile", "{}", "2"}, *off[] = {"Softmax", "{\"axis\": 5}", "1"},
               *perm[] = {"Transpose", "{\"perm\": [0, 0]}", "1"};
    const struct {
        mx2onnx_custom_fn infer, lower;
        void *user;
        const char *text;
    } cases[] = {
        {infer_like, lower_cast, to_nothing, "not the number of an element type"},
        {output_dim_far_off, lower_leaky, NULL, "axis 4294967296 of the output or axis 0 of the input does not exist"},
        {infer_like, lower_with, strided, "'strides' is 0, but must be 1 to 2147483647"},
        {infer_like, lower_with, far, "'group' is 4294967296"},
        {infer_like, lower_cast, to_name,
         "'to' is \"float16\", but ONNX has numbers for element types; write 10, which is onnx.TensorProto's"},
        {infer_like, lower_with, no_to, "node 'c' (Custom): 'to' is missing, but ONNX's Cast needs it; add it to"},
        {infer_like, lower_with, scalar, "'kernel_shape' is 2, but must be a list of integers in ONNX's MaxPool; write it in brackets"},
        {infer_like, lower_with, list, "'axis' is a list of 1, but must be an integer in ONNX's Softmax"},
        {infer_like, lower_with, fraction, "'axis' is 0.5, but must be an integer in ONNX's Softmax"},
        {infer_like, lower_with, tensor, "'value' is 1, but must be a tensor in ONNX's ConstantOfShape; handlers cannot give one"},
        {infer_like, lower_with, graph, "'then_branch' is 1, but must be a graph in ONNX's If; handlers cannot give one"},
        {infer_like, lower_with, word, "'approximate' is \"erf\", which ONNX's Gelu does not have; choose one of: none, tanh"},
        {infer_like, lower_with, texts, "'activations' is \"tanh\", which ONNX's RNN does not have; choose one of: Affine, Elu,"},
        {infer_like, lower_with, empty, "'hidden_size' is missing, but ONNX's GRU needs it"},
        {infer_like, lower_with, tile, "node 'c' (Custom): input 1 of ONNX's Tile has 1 elements, but must have 2; change the inputs"},
        {infer_like, lower_with, off, "'axis' is 5, but must be -2 to 1 for an input of shape "},
        {infer_like, lower_with, perm, "'perm' of ONNX's Transpose has axis 0 twice"},
        {infer_like, lower_with, short_, "the number of inputs is 1, but ONNX's MatMul has at least 2"},
    };
    mx2onnx_model *m = loaded();
    assert_int_equal(
        mx2onnx_set_custom_operator(
            m, "my_leaky",
            &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = infer_like, .lower = lower_cast},
            to_int64, NULL),
        MX2ONNX_OK);
    const char *text = NULL;
    assert_int_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text), MX2ONNX_OK);
    assert_non_null(strstr(text, "Cast(r) {to=int64} : int64"));
    assert_non_null(strstr(text, "{to=float32}"));
    mx2onnx_model_free(m);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        m = loaded();
        assert_int_equal(mx2onnx_set_custom_operator(m, "my_leaky",
                                                     &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler),
                                                                              .output_count = 1,
                                                                              .infer = cases[i].infer,
                                                                              .lower = cases[i].lower},
                                                     cases[i].user, NULL),
                         MX2ONNX_OK);
        assert_int_not_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &(const char *){NULL}), MX2ONNX_OK);
        if (!strstr(mx2onnx_error(m), cases[i].text)) {
            fail_msg("case %zu: %s", i, mx2onnx_error(m));
        }
        mx2onnx_model_free(m);
    }
}

static mx2onnx_status lower_with_constant(mx2onnx_node *n, void *user)
{
    int32_t value;
    const mx2onnx_status status = mx2onnx_node_add_constant(n, user, &value);
    return status != MX2ONNX_OK ? status : mx2onnx_node_set_result(n, 0, value);
}

static mx2onnx_status infer_with_constant(mx2onnx_node *n, void *user)
{
    int32_t value;
    return mx2onnx_node_add_constant(n, user, &value);
}

static void constants_of_handlers_are_checked(void **state)
{
    enum { SIZE = sizeof(mx2onnx_array), F32 = MX2ONNX_DTYPE_FLOAT32 };
    static const float data[6] = {1, 2, 3, 4, 5, 6};
    static const int64_t dims[] = {2, 3}, negative[] = {2, -3}, large[] = {INT64_MAX, 3};
    static mx2onnx_array right = {SIZE, F32, 2, dims, data, sizeof data};
    static struct {
        mx2onnx_custom_fn infer, lower;
        mx2onnx_array array;
        const char *text;
    } cases[] = {
        {infer_with_constant, lower_with_constant, {SIZE, F32, 2, dims, data, sizeof data}, "this function may be called in lower only"},
        {infer_like, lower_with_constant, {0, F32, 2, dims, data, sizeof data}, "struct_size"},
        {infer_like, lower_with_constant, {SIZE, 99, 2, dims, data, sizeof data}, "the element type 99 is unknown"},
        {infer_like,
         lower_with_constant,
         {SIZE, F32, 2, negative, data, sizeof data},
         "the shape of rank 2 is not valid: the rank may be 0 to 32, and each size 0 or more"},
        {infer_like, lower_with_constant, {SIZE, F32, 2, large, data, sizeof data}, "the shape has more elements than memory can hold"},
        {infer_like, lower_with_constant, {SIZE, F32, 2, dims, NULL, sizeof data}, "the data is NULL"},
        {infer_like,
         lower_with_constant,
         {SIZE, F32, 2, dims, data, sizeof data - 1},
         "the size is 23 bytes, but the shape and the type have 24"},
    };
    for (size_t i = 0; i <= sizeof cases / sizeof *cases; i++) {
        const bool fails = i < sizeof cases / sizeof *cases;
        const mx2onnx_handler handler = {.struct_size = sizeof handler,
                                         .output_count = 1,
                                         .infer = fails ? cases[i].infer : infer_like,
                                         .lower = fails ? cases[i].lower : lower_with_constant};
        const char *text = NULL;
        mx2onnx_model *m = loaded();
        assert_int_equal(mx2onnx_set_input_shape(m, "data", 2, dims, NULL), MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_custom_operator(m, "my_leaky", &handler, fails ? &cases[i].array : &right, NULL), MX2ONNX_OK);
        assert_int_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text) == MX2ONNX_OK, !fails);
        if (fails && !strstr(mx2onnx_error(m), cases[i].text)) {
            fail_msg("case %zu: %s", i, mx2onnx_error(m));
        }
        mx2onnx_model_free(m);
    }
}

static void set_leaky(mx2onnx_model *m, const char *name)
{
    assert_int_equal(
        mx2onnx_set_custom_operator(
            m, name,
            &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = infer_like, .lower = lower_leaky},
            NULL, NULL),
        MX2ONNX_OK);
}

/* The note on handlers that no node has; NULL if there is none. */
static const char *note_on_handlers(mx2onnx_model *m, const char **advice)
{
    for (size_t i = 0; i < mx2onnx_diagnostic_count(m); i++) {
        mx2onnx_diagnostic d = {.struct_size = sizeof d};
        assert_int_equal(mx2onnx_diagnostic_get(m, i, &d), MX2ONNX_OK);
        if (strstr(d.message, "of the handlers")) {
            assert_int_equal(d.severity, MX2ONNX_SEVERITY_NOTE);
            *advice = d.advice;
            return d.message;
        }
    }
    return NULL;
}

static void handlers_without_a_node_are_noted(void **state)
{
    static const char *const others[] = {"my_leakyy", "b", "c", "d"};
    const char *advice = NULL, *text = NULL;
    mx2onnx_model *m = loaded();
    set_leaky(m, "my_leaky");
    assert_int_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text), MX2ONNX_OK);
    assert_null(note_on_handlers(m, &advice));
    set_leaky(m, others[0]);
    assert_int_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text), MX2ONNX_OK);
    assert_string_equal(note_on_handlers(m, &advice), "the model has no node for 1 of the handlers: 'my_leakyy'");
    assert_string_equal(advice, "its nearest operator is 'my_leaky'");
    for (size_t i = 1; i < 4; i++) {
        set_leaky(m, others[i]);
    }
    assert_int_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text), MX2ONNX_OK);
    assert_string_equal(note_on_handlers(m, &advice), "the model has no node for 4 of the handlers: 'my_leakyy', 'b', 'c', ...");
    assert_int_equal(mx2onnx_set_custom_operator(m, others[0], NULL, NULL, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text), MX2ONNX_OK);
    assert_string_equal(note_on_handlers(m, &advice), "the model has no node for 3 of the handlers: 'b', 'c', 'd'");
    assert_string_equal(advice, "");
    mx2onnx_model_free(m);
}

/* A node that no output needs is one of the model's; it has no handler, even where the library converts the operator. */
static void handlers_of_unneeded_nodes_are_accepted(void **state)
{
    static const char nodes[] =
        "{\"nodes\":[{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]},"
        "{\"op\":\"relu\",\"name\":\"r\",\"inputs\":[[0,0,0]]},"
        "{\"op\":\"tanh\",\"name\":\"t\",\"inputs\":[[0,0,0]]},"
        "{\"op\":\"Custom\",\"name\":\"c\",\"attrs\":{\"op_type\":\"my_leaky\"},\"inputs\":[[0,0,0]]},"
        "{\"op\":\"Nobody\",\"name\":\"n\",\"inputs\":[[0,0,0]],\"subgraphs\":[{\"nodes\":["
        "{\"op\":\"null\",\"name\":\"x\",\"inputs\":[]},{\"op\":\"Inner\",\"name\":\"i\",\"inputs\":[[0,0,0]]}],\"heads\":[[1,0,0]]}]}],"
        "\"arg_nodes\":[0],\"heads\":[[1,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";
    static const struct {
        const char *name;
        int32_t overrides;
        mx2onnx_status status;
        const char *note; /* NULL: none */
    } cases[] = {
        {"my_leaky", 0, MX2ONNX_OK, NULL},
        {"Inner", 0, MX2ONNX_OK, NULL},
        {"tanh", 1, MX2ONNX_OK, NULL},
        {"tanh", 0, MX2ONNX_STATUS_INVALID_ARGUMENT, NULL},
        {"sigmoid", 0, MX2ONNX_OK, "the model has no node for 1 of the handlers: 'sigmoid'"},
        {"Other", 0, MX2ONNX_OK, "the model has no node for 1 of the handlers: 'Other'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const mx2onnx_handler h = {
            .struct_size = sizeof h, .output_count = 1, .infer = infer_like, .lower = lower_leaky, .overrides = cases[i].overrides};
        const char *advice = NULL, *text = NULL;
        mx2onnx_model *m = NULL;
        assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
        assert_int_equal(mx2onnx_load_symbol_memory(m, nodes, sizeof nodes - 1), MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_input_shape(m, "data", 1, (const int64_t[]){2}, NULL), MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_custom_operator(m, cases[i].name, &h, NULL, NULL), MX2ONNX_OK);
        assert_int_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text), cases[i].status);
        const char *note = note_on_handlers(m, &advice);
        if (!note != !cases[i].note || (note && strcmp(note, cases[i].note) != 0)) {
            fail_msg("case %zu: %s", i, note ? note : "none");
        }
        mx2onnx_model_free(m);
    }
}

static void bad_arguments_of_handlers_are_refused(void **state)
{
    mx2onnx_model *m = loaded();
    assert_int_equal(
        mx2onnx_set_custom_operator(
            NULL, "x",
            &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = infer_half, .lower = lower_leaky},
            NULL, NULL),
        MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_int_equal(
        mx2onnx_set_custom_operator(
            m, "",
            &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = infer_half, .lower = lower_leaky},
            NULL, NULL),
        MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_int_equal(
        mx2onnx_set_custom_operator(
            m, "x",
            &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler), .output_count = 0, .infer = infer_half, .lower = lower_leaky},
            NULL, NULL),
        MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_int_equal(
        mx2onnx_set_custom_operator(
            m, "x",
            &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = NULL, .lower = lower_leaky}, NULL,
            NULL),
        MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_int_equal(mx2onnx_set_text(NULL, MX2ONNX_TEXT_UNKNOWN_DOMAIN, "mxnet"), MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_int_equal(mx2onnx_set_text(m, MX2ONNX_TEXT_UNKNOWN_DOMAIN, ""), MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_null(mx2onnx_node_name(NULL));
    assert_int_equal(mx2onnx_node_input_count(NULL), 0);
    assert_int_equal(mx2onnx_node_output_count(NULL), 0);
    assert_int_equal(mx2onnx_node_attribute_count(NULL), 0);
    mx2onnx_model_free(m);
}

/* c(data, w) with attributes twice and of MXNet's own, w a parameter */
static const char with_weights[] =
    "{\"nodes\":[{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]},{\"op\":\"null\",\"name\":\"w\",\"inputs\":[]},"
    "{\"op\":\"Custom\",\"name\":\"c\",\"attrs\":{\"op_type\":\"my_leaky\",\"__shape__\":\"(1,)\",\"slope\":\"0.2\",\"_own\":\"1\",\"__own\":\"2\"},"
    "\"inputs\":[[0,0,0],[1,0,0]]}],\"arg_nodes\":[0,1],\"heads\":[[2,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";
static const float weights[] = {1.5f, -2, 0.25f};

static size_t many = 5000;

/* All of them by number, notes in between not counted. */
static mx2onnx_status infer_many(mx2onnx_node *n, void *user)
{
    char want[32];
    assert_int_equal(mx2onnx_node_attribute_count(n), many);
    for (size_t i = 0; i < mx2onnx_node_attribute_count(n); i++) {
        snprintf(want, sizeof want, "k%zu", i);
        assert_string_equal(mx2onnx_node_attribute_key(n, i), want);
        assert_string_equal(mx2onnx_node_attribute_value(n, i), want + 1);
    }
    ++*(int *)user;
    return mx2onnx_node_set_output_like(n, 0, 0);
}

/* By a scan for each, 200,000 would take minutes. */
static void attributes_are_found_by_number_without_a_scan(void **state)
{
    mx2onnx_model *m = NULL;
    int asked = 0;
    char *text = malloc(64 * many + 300);
    assert_non_null(text);
    char *end = text
                + sprintf(text, "{\"nodes\":[{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]},{\"op\":\"long\",\"name\":\"c\","
                                "\"inputs\":[[0,0,0]],\"attrs\":{\"__a__\":\"1\"");
    for (size_t i = 0; i < many; i++) {
        end += sprintf(end, ",\"k%zu\":\"%zu\",\"__k%zu__\":\"1\"", i, i, i);
    }
    end += sprintf(end, "}}],\"arg_nodes\":[0],\"heads\":[[1,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}");
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load_symbol_memory(m, text, (size_t)(end - text)), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 1, (const int64_t[]){4}, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_custom_operator(
                         m, "long",
                         &(const mx2onnx_handler){
                             .struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = infer_many, .lower = lower_as_it_is},
                         &asked, NULL),
                     MX2ONNX_OK);
    const char *graph = NULL;
    assert_int_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &graph), MX2ONNX_OK);
    assert_true(asked > 0);
    mx2onnx_model_free(m);
    free(text);
}

/* What both functions can ask. */
static void ask(mx2onnx_node *n)
{
    float copy[3] = {0};
    assert_string_equal(mx2onnx_node_operator(n), "my_leaky");
    assert_int_equal(mx2onnx_node_opset(n), 15);
    assert_string_equal(mx2onnx_node_domain(n), "org.example");
    assert_int_equal(mx2onnx_node_attribute_count(n), 4);
    assert_string_equal(mx2onnx_node_attribute_key(n, 0), "op_type");
    assert_string_equal(mx2onnx_node_attribute_value(n, 0), "my_leaky");
    assert_string_equal(mx2onnx_node_attribute_key(n, 1), "slope");
    assert_string_equal(mx2onnx_node_attribute_value(n, 1), "0.2");
    assert_string_equal(mx2onnx_node_attribute_key(n, 2), "_own");
    assert_string_equal(mx2onnx_node_attribute_key(n, 3), "__own"); /* MXNet gives it to a Custom operator, too */
    assert_null(mx2onnx_node_attribute_key(n, 4));
    assert_int_equal(mx2onnx_node_output_count(n), 1);
    assert_string_equal(mx2onnx_node_input_name(n, 0), "data");
    assert_string_equal(mx2onnx_node_input_name(n, 1), "w");
    assert_null(mx2onnx_node_input_name(n, 2));
    assert_int_equal(mx2onnx_node_input_size(n, 0), 0);
    assert_int_equal(mx2onnx_node_input_stored_dtype(n, 0), MX2ONNX_DTYPE_UNKNOWN);
    assert_int_equal(mx2onnx_node_input_size(n, 1), sizeof weights);
    assert_int_equal(mx2onnx_node_input_stored_dtype(n, 1), MX2ONNX_DTYPE_FLOAT32);
    assert_int_equal(mx2onnx_node_input_read(n, 1, 0, copy, sizeof copy), MX2ONNX_OK);
    assert_memory_equal(copy, weights, sizeof copy);
    assert_int_equal(mx2onnx_node_input_read(n, 1, sizeof copy, NULL, 0), MX2ONNX_OK);
}

static mx2onnx_status infer_asking(mx2onnx_node *n, void *user)
{
    ++*(int *)user;
    ask(n);
    return mx2onnx_node_set_output_like(n, 0, 0);
}

static mx2onnx_status lower_asking(mx2onnx_node *n, void *user)
{
    ++*(int *)user;
    ask(n);
    return mx2onnx_node_set_result(n, 0, mx2onnx_node_input_value(n, 0));
}

static mx2onnx_model *with_parameter(void)
{
    mx2onnx_model *m = NULL;
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load_symbol_memory(m, with_weights, sizeof with_weights - 1), MX2ONNX_OK);
    assert_int_equal(given_param(m, "w", given_array(MX2ONNX_DTYPE_FLOAT32, 1, (const int64_t[]){3}, weights, sizeof weights), NULL, NULL),
                     MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 1, (const int64_t[]){3}, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_text(m, MX2ONNX_TEXT_UNKNOWN_DOMAIN, "org.example"), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, 15), MX2ONNX_OK);
    return m;
}

static void handlers_can_ask_for_everything(void **state)
{
    int asked = 0;
    const char *text = NULL;
    mx2onnx_model *m = with_parameter();
    assert_int_equal(mx2onnx_set_custom_operator(
                         m, "my_leaky",
                         &(const mx2onnx_handler){
                             .struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = infer_asking, .lower = lower_asking},
                         &asked, NULL),
                     MX2ONNX_OK);
    if (mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text) != MX2ONNX_OK) {
        fail_msg("%s", mx2onnx_error(m));
    }
    assert_true(asked >= 2);
    mx2onnx_model_free(m);
}

static mx2onnx_status infer_far_axis(mx2onnx_node *n, void *user)
{
    const int64_t open[] = {-1};
    assert_int_equal(mx2onnx_node_set_output(n, 0, MX2ONNX_DTYPE_FLOAT32, 1, open), MX2ONNX_OK);
    return mx2onnx_node_set_output_dim(n, 0, ((size_t)1 << 31) + (size_t) * (int *)user, 0, 0);
}

static mx2onnx_status infer_far_input_axis(mx2onnx_node *n, void *user)
{
    const int64_t open[] = {-1};
    assert_int_equal(mx2onnx_node_set_output(n, 0, MX2ONNX_DTYPE_FLOAT32, 1, open), MX2ONNX_OK);
    return mx2onnx_node_set_output_dim(n, 0, 0, 0, SIZE_MAX);
}

static mx2onnx_status infer_bad_read(mx2onnx_node *n, void *user)
{
    char little;
    return mx2onnx_node_input_read(n, 1, UINT64_MAX, &little, 1);
}

static mx2onnx_status infer_long_read(mx2onnx_node *n, void *user)
{
    char large[sizeof weights];
    return mx2onnx_node_input_read(n, 1, 1, large, sizeof large);
}

static mx2onnx_status infer_read_into_nothing(mx2onnx_node *n, void *user)
{
    return mx2onnx_node_input_read(n, 1, 0, NULL, 1);
}

static mx2onnx_status infer_says_and_goes_on(mx2onnx_node *n, void *user)
{
    (void)mx2onnx_node_fail(n, "I said so");
    return mx2onnx_node_set_output_like(n, 0, 0);
}

static mx2onnx_status infer_without_a_reason(mx2onnx_node *n, void *user)
{
    return mx2onnx_node_fail(n, "");
}

static mx2onnx_status infer_with_no_text(mx2onnx_node *n, void *user)
{
    return mx2onnx_node_fail(n, NULL);
}

static mx2onnx_status infer_dim_of_an_output_that_is_not_set(mx2onnx_node *n, void *user)
{
    return mx2onnx_node_set_output_dim(n, 0, 0, 0, 0);
}

static mx2onnx_status infer_negative_rank(mx2onnx_node *n, void *user)
{
    return mx2onnx_node_set_output(n, 0, MX2ONNX_DTYPE_FLOAT32, -1, NULL);
}

/* -1 is a size that is not known. */
static mx2onnx_status infer_negative_dim(mx2onnx_node *n, void *user)
{
    return mx2onnx_node_set_output(n, 0, MX2ONNX_DTYPE_FLOAT32, 2, (const int64_t[]){-1, -2});
}

static mx2onnx_status infer_high_rank(mx2onnx_node *n, void *user)
{
    static const int64_t dims[33];
    return mx2onnx_node_set_output(n, 0, MX2ONNX_DTYPE_FLOAT32, 33, dims);
}

static mx2onnx_status infer_no_dims(mx2onnx_node *n, void *user)
{
    return mx2onnx_node_set_output(n, 0, MX2ONNX_DTYPE_FLOAT32, 1, NULL);
}

static mx2onnx_status infer_far_output(mx2onnx_node *n, void *user)
{
    return mx2onnx_node_set_output(n, 1, MX2ONNX_DTYPE_FLOAT32, 0, NULL);
}

static mx2onnx_status infer_strange_type(mx2onnx_node *n, void *user)
{
    return mx2onnx_node_set_output(n, 0, MX2ONNX_DTYPE_UNKNOWN, 0, NULL);
}

static mx2onnx_status infer_far_like(mx2onnx_node *n, void *user)
{
    return mx2onnx_node_set_output_like(n, 1, 0);
}

static mx2onnx_status infer_like_far(mx2onnx_node *n, void *user)
{
    return mx2onnx_node_set_output_like(n, 0, mx2onnx_node_input_count(n));
}

/* An error at the node, whatever the handler does with the status. */
static void misuse_is_an_error(void **state)
{
    static const struct {
        mx2onnx_custom_fn infer;
        const char *text;
    } cases[] = {
        {infer_far_axis, "axis 2147483648 of the output or axis 0 of the input does not exist"},
        {infer_far_input_axis, "axis 0 of the output or axis 18446744073709551615 of the input does not exist"},
        {infer_bad_read, "mx2onnx_node_input_size"},
        {infer_long_read, "mx2onnx_node_input_size"},
        {infer_read_into_nothing, "out is NULL"},
        {infer_says_and_goes_on, "I said so"},
        {infer_without_a_reason, "node 'c' (Custom): the handler refused it"},
        {infer_with_no_text, "node 'c' (Custom): the handler refused it"},
        {infer_dim_of_an_output_that_is_not_set, "axis 0 of the output or axis 0 of the input does not exist, or the output is not set"},
        {infer_negative_rank, "the shape of rank -1 is not valid: the rank may be 0 to 32, and each size -1 or more"},
        {infer_negative_dim, "the shape of rank 2 is not valid: the rank may be 0 to 32, and each size -1 or more"},
        {infer_high_rank, "the shape of rank 33 is not valid: the rank may be 0 to 32, and each size -1 or more"},
        {infer_no_dims, "the sizes are NULL"},
        {infer_far_output, "output 1 does not exist: the node has 1"},
        {infer_strange_type, "the element type -1 is unknown"},
        {infer_far_like, "output 1 or input 0 does not exist: the node has 1 and 2"},
        {infer_like_far, "output 0 or input 2 does not exist: the node has 1 and 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int zero = 0;
        mx2onnx_model *m = with_parameter();
        assert_int_equal(mx2onnx_set_custom_operator(
                             m, "my_leaky",
                             &(const mx2onnx_handler){
                                 .struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = cases[i].infer, .lower = lower_asking},
                             &zero, NULL),
                         MX2ONNX_OK);
        assert_int_equal(mx2onnx_infer(m), MX2ONNX_STATUS_UNSUPPORTED);
        if (!strstr(mx2onnx_error(m), cases[i].text)) {
            fail_msg("case %zu: %s", i, mx2onnx_error(m));
        }
        mx2onnx_model_free(m);
    }
}

/* A parameter file with "w", of three numbers, in the caller's memory. */
static const unsigned char file_of_w[] =
    "\x12\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\xC9\xFA\x93\xF9\0\0\0\0\1\0\0\0\3\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"
    "\0\0\0\0\0\0\x80\x3F\0\0\x80\x3F\0\0\x80\x3F\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0w";

static int32_t read_file_of_w(uint64_t offset, void *out, size_t size, void *user)
{
    memcpy(out, file_of_w + offset, size);
    return *(const int32_t *)user;
}

static mx2onnx_status infer_reading(mx2onnx_node *n, void *user)
{
    char copy[12];
    return mx2onnx_node_input_read(n, 1, 0, copy, sizeof copy);
}

static void a_file_that_a_handler_cannot_read_ends_the_call(void **state)
{
    int32_t fails = 0;
    mx2onnx_model *m = NULL;
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load_symbol_memory(m, with_weights, sizeof with_weights - 1), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load_params_callback(m, sizeof file_of_w - 1, read_file_of_w, &fails, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 1, (const int64_t[]){3}, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_custom_operator(
                         m, "my_leaky",
                         &(const mx2onnx_handler){
                             .struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = infer_reading, .lower = lower_asking},
                         NULL, NULL),
                     MX2ONNX_OK);
    fails = 1;
    assert_int_equal(mx2onnx_infer(m), MX2ONNX_STATUS_UNSUPPORTED);
    assert_string_equal(mx2onnx_error(m), "node 'c' (Custom): mx2onnx_node_input_read: the values cannot be read: the read callback "
                                          "returned an error");
    mx2onnx_model_free(m);
}

/* custom [large]: with the word a node of so many attributes that it takes seconds. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handlers_can_ask_for_everything),
        cmocka_unit_test(misuse_is_an_error),
        cmocka_unit_test(a_file_that_a_handler_cannot_read_ends_the_call),
        cmocka_unit_test(a_handler_adds_an_operator_of_onnx),
        cmocka_unit_test(a_handler_adds_an_operator_of_another_domain),
        cmocka_unit_test(an_operator_without_a_handler_is_refused),
        cmocka_unit_test(a_handler_is_not_asked_before_the_shapes_of_its_inputs_are_known),
        cmocka_unit_test(errors_of_handlers_are_reported),
        cmocka_unit_test(a_handler_that_declares_nothing_lacks_a_type),
        cmocka_unit_test(handlers_without_a_node_are_noted),
        cmocka_unit_test(handlers_of_unneeded_nodes_are_accepted),
        cmocka_unit_test(bad_arguments_of_handlers_are_refused),
        cmocka_unit_test(a_handler_of_shapes_keeps_the_node),
        cmocka_unit_test(a_kept_operator_is_not_taken_for_a_cast),
        cmocka_unit_test(a_foreign_operator_is_not_taken_for_a_cast),
        cmocka_unit_test(values_without_a_type_are_written),
        cmocka_unit_test(attributes_of_handlers_are_checked),
        cmocka_unit_test(constants_of_handlers_are_checked),
        cmocka_unit_test(odd_attributes_of_a_pad_do_no_harm),
        cmocka_unit_test(wrong_numbers_of_inputs_and_outputs_are_refused),
        cmocka_unit_test(values_of_another_call_are_refused),
        cmocka_unit_test(an_integer_becomes_a_float_where_one_is_meant),
        cmocka_unit_test(attributes_are_found_by_number_without_a_scan),
    };
    if (argc > 1 && strcmp(argv[1], "large") == 0) {
        many = 200000;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
