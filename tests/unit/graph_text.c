/* The MXNet graph as text: mx2onnx_graph_text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "mx2onnx.h"

#define ONE(name, attrs) "{\"op\":\"null\",\"name\":\"" name "\",\"attrs\":{" attrs "},\"inputs\":[]},"

/* Outputs have a number where a node has several; a variable's attributes and hidden ones mean nothing here. */
static void nodes_and_outputs_are_printed(void **state)
{
    static const char symbol[] = "{\"nodes\":[" ONE("data", "\"__shape__\":\"(2, 4)\",\"__lr_mult__\":\"2\"") ONE(
        "w",
        "\"__dtype__\":\"0\",\"axis\":\"1\"") "{\"op\":\"SliceChannel\",\"name\":\"cut\",\"attrs\":{\"num_outputs\":\"2\",\"axis\":\"1\",\"__ctx__\":\"a\"},\"inputs\":[[0,0,0]]},"
                                              "{\"op\":\"elemwise_add\",\"name\":\"sum\",\"inputs\":[[2,1,0],[1,0,0]]}],"
                                              "\"heads\":[[3,0,0],[2,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";
    mx2onnx_model *m = NULL;
    const char *text = NULL;
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load_symbol_memory(m, symbol, sizeof symbol - 1), MX2ONNX_OK);
    assert_int_equal(mx2onnx_graph_text(m, MX2ONNX_GRAPH_MXNET, &text), MX2ONNX_OK);
    assert_string_equal(text, "input data : float32 (2, 4)\n"
                              "cut = SliceChannel(data) {num_outputs=2, axis=1} : float32 (2, 2), float32 (2, 2)\n"
                              "input w : float32 (2, 2)\n"
                              "sum = elemwise_add(cut[1], w) : float32 (2, 2)\n"
                              "output sum\n"
                              "output cut[0]\n");
    mx2onnx_model_free(m);
}

/* A size of 0 in the file is open where 0 is not a size, also when another axis gets a name. */
static void an_open_size_gets_a_name(void **state)
{
    static const char *const symbols[] = {
        "{\"nodes\":[" ONE("data", "\"__shape__\":\"(2, 0, 0)\"") "{\"op\":\"relu\",\"name\":\"r\",\"inputs\":[[0,0,0]]}],"
                                                                  "\"heads\":[[1,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}",
        "{\"nodes\":[" ONE(
            "data",
            "\"__shape__\":\"(2, -1, 0)\"") "{\"op\":\"relu\",\"name\":\"r\",\"inputs\":[[0,0,0]]}],"
                                            "\"heads\":[[1,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",20000],\"is_np_shape\":[\"int\",1]}}"};
    static const char *const wanted[] = {"input data : float32 (2, n, data_dim2)\nr = relu(data) : float32 (2, n, data_dim2)\noutput r\n",
                                         "input data : float32 (2, n, 0)\nr = relu(data) : float32 (2, n, 0)\noutput r\n"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        mx2onnx_model *m = NULL;
        const char *text = NULL;
        assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
        assert_int_equal(mx2onnx_load_symbol_memory(m, symbols[i], strlen(symbols[i])), MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_input_dim_name(m, "data", 1, "n"), MX2ONNX_OK);
        if (mx2onnx_graph_text(m, MX2ONNX_GRAPH_MXNET, &text) != MX2ONNX_OK) {
            fail_msg("%s", mx2onnx_error(m));
        }
        assert_string_equal(text, wanted[i]);
        mx2onnx_model_free(m);
    }
}

/* As many outputs as a node or the graph reads, if nothing else says how many there are. */
static void an_unknown_operator_has_the_outputs_that_are_read(void **state)
{
    static const char symbol[] = "{\"nodes\":[" ONE("data", "") "{\"op\":\"my_op\",\"name\":\"a\",\"inputs\":[[0,0,0]]},"
                                                                "{\"op\":\"my_op\",\"name\":\"b\",\"inputs\":[[1,2,0],[0,0,0]]},"
                                                                "{\"op\":\"my_op\",\"name\":\"c\",\"inputs\":[[2,0,0],[1,1,0]]}],"
                                                                "\"heads\":[[3,1,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";
    static const struct {
        const char *node;
        int inputs, outputs;
        const char *input[2], *output[3];
    } wanted[] = {
        {"a", 1, 3, {"data"}, {"a_output0", "a_output1", "a_output2"}},
        {"b", 2, 1, {"a_output2", "data"}, {"b_output"}},
        {"c", 2, 2, {"b_output", "a_output1"}, {"c_output0", "c_output1"}},
    };
    mx2onnx_model *m = NULL;
    const char *text = NULL;
    (void)state;
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load_symbol_memory(m, symbol, sizeof symbol - 1), MX2ONNX_OK);
    assert_int_equal(mx2onnx_graph_json(m, MX2ONNX_GRAPH_MXNET, &text), MX2ONNX_OK);
    json_t *graph = json_loads(text, 0, NULL), *nodes = json_object_get(graph, "nodes");
    assert_int_equal(json_array_size(nodes), 3);
    for (size_t i = 0; i < 3; i++) {
        const json_t *node = json_array_get(nodes, i), *in = json_object_get(node, "inputs"), *out = json_object_get(node, "outputs");
        assert_string_equal(json_string_value(json_object_get(node, "name")), wanted[i].node);
        assert_int_equal(json_array_size(in), wanted[i].inputs);
        assert_int_equal(json_array_size(out), wanted[i].outputs);
        for (int k = 0; k < wanted[i].inputs; k++) {
            assert_string_equal(json_string_value(json_array_get(in, (size_t)k)), wanted[i].input[k]);
        }
        for (int k = 0; k < wanted[i].outputs; k++) {
            assert_string_equal(json_string_value(json_object_get(json_array_get(out, (size_t)k), "name")), wanted[i].output[k]);
        }
    }
    json_decref(graph);
    mx2onnx_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_and_outputs_are_printed),
        cmocka_unit_test(an_open_size_gets_a_name),
        cmocka_unit_test(an_unknown_operator_has_the_outputs_that_are_read),
    };
    return cmocka_run_group_tests_name("graph_text", tests, NULL, NULL);
}
