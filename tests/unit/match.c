/* Structural names of a file and a graph's own: which are matched, and what is ambiguous. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "model/model.h"

enum { MOST = 4 };

struct array {
    const char *name; /* NULL: there is none */
    int64_t dims[3];  /* ended by 0 */
};

/* Layers that read the same input: fully connected ones of `units`, or products of each element where that is 0. */
struct layer {
    const char *weight; /* NULL: there is none */
    int units;
};

static void put_layers(struct mx_str *out, const struct layer *layers, size_t n)
{
    mx_str_append(out, "{\"nodes\":[{\"op\":\"null\",\"name\":\"x\",\"inputs\":[]}");
    for (size_t i = 0; i < n; i++) {
        mx_str_printf(out, ",{\"op\":\"null\",\"name\":\"%s\",\"inputs\":[]}", layers[i].weight);
        if (layers[i].units > 0) {
            mx_str_printf(out,
                          ",{\"op\":\"FullyConnected\",\"name\":\"y%zu\",\"attrs\":{\"num_hidden\":\"%d\",\"no_bias\":\"True\"},"
                          "\"inputs\":[[0,0,0],[%zu,0,0]]}",
                          i, layers[i].units, 2 * i + 1);
        } else {
            mx_str_printf(out, ",{\"op\":\"broadcast_mul\",\"name\":\"y%zu\",\"inputs\":[[0,0,0],[%zu,0,0]]}", i, 2 * i + 1);
        }
    }
    mx_str_append(out, "],\"arg_nodes\":[],\"heads\":[[2,0,0]");
    for (size_t i = 1; i < n; i++) {
        mx_str_printf(out, ",[%zu,0,0]", 2 * i + 2);
    }
    mx_str_append(out, "],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}");
}

static mx2onnx_model *loaded(const struct layer *layers, size_t n)
{
    mx2onnx_model *m = NULL;
    struct mx_str text = {0};
    put_layers(&text, layers, n);
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load_symbol_memory(m, text.text, text.length), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_STRUCTURAL_NAMES, 1), MX2ONNX_OK);
    mx_str_free(&text);
    return m;
}

static void set(mx2onnx_model *m, const struct array *a)
{
    static const float zeros[64];
    mx2onnx_array array = {.struct_size = sizeof array, .dtype = MX2ONNX_DTYPE_FLOAT32, .dims = a->dims, .data = zeros, .size = 4};
    for (; a->dims[array.rank] > 0; array.rank++) {
        array.size *= (size_t)a->dims[array.rank];
    }
    assert_int_equal(mx2onnx_set_param(m, a->name, &array, NULL, NULL), MX2ONNX_OK);
}

static void layers_of_a_file_are_matched(void **state)
{
    static const struct {
        struct layer layers[MOST];
        struct array arrays[MOST];
        const char *said; /* a part of the error, or of the note if `matched` */
        bool matched;
    } rows[] = {
        {{{"weight", 3}}, {{"0.weight", {3, 2}}}, "'0.weight' to 'weight' and others", true},
        {{{"a_weight", 3}}, {{"weight", {3, 2}}}, "'weight' to 'a_weight' and others", true},
        {{{"a9_weight", 3}, {"a10_weight", 3}},
         {{"0.weight", {3, 2}}, {"1.weight", {3, 2}}},
         "'1.weight' to 'a10_weight' and others",
         true},
        {{{"a10_weight", 3}, {"a9_weight", 3}},
         {{"0.weight", {3, 2}}, {"1.weight", {3, 2}}},
         "'a9_weight' may be '0.weight' or '1.weight', which have the same kind and shape",
         false},
        {{{"a01_weight", 3}, {"a1_weight", 3}},
         {{"0.weight", {3, 2}}, {"1.weight", {3, 2}}},
         "'a1_weight' may be '0.weight' or '1.weight', which have the same kind and shape",
         false},
        {{{"a1_weight", 4}, {"a2_weight", 3}}, {{"0.weight", {3, 2}}, {"1.weight", {4, 2}}}, "'0.weight' to 'a2_weight' and others", true},
        {{{"a_weight", 3}}, {{"0.weight", {4, 2}}}, "no array of the file has the kind 'weight' and fits (3, 2)", false},
        {{{"a_weight", 0}},
         {{"0.weight", {2}}, {"1.weight", {2, 1}}},
         "'a_weight' may be '0.weight' or '1.weight', which both fit what is known of its shape",
         false},
        {{{"a_weight", 0}},
         {{"0.weight", {2}}, {"1.weight", {2}}},
         "'a_weight' may be '0.weight' or '1.weight', which have the same kind and shape",
         false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = 0;
        struct mx_str said = {0};
        while (n < MOST && rows[i].layers[n].weight) {
            n++;
        }
        mx2onnx_model *m = loaded(rows[i].layers, n);
        for (size_t k = 0; k < MOST && rows[i].arrays[k].name; k++) {
            set(m, &rows[i].arrays[k]);
        }
        assert_int_equal(mx2onnx_set_input_shape(m, "x", 2, (const int64_t[]){1, 2}, NULL), MX2ONNX_OK);
        const int32_t status = mx2onnx_infer(m);
        for (size_t k = 0; k < m->diags.count; k++) {
            mx_diag_format(&m->diags.items[k], &said);
        }
        if (status != (rows[i].matched ? MX2ONNX_OK : MX2ONNX_STATUS_MISSING_PARAMETER)
            || !strstr(said.text ? said.text : "", rows[i].said)) {
            fail_msg("row %zu: %d, %s", i, status, said.text ? said.text : "nothing");
        }
        mx_str_free(&said);
        mx2onnx_model_free(m);
    }
}

/* In another order than the graph uses them each would be compared with each. */
static void the_number_of_layers_in_another_order_has_a_limit(void **state)
{
    enum { COUNT = 2049 };
    static struct layer layers[COUNT];
    static char names[COUNT][32], arrays[COUNT][32];
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "a%d_weight", i);
        snprintf(arrays[i], sizeof arrays[i], "%d.weight", i);
        layers[i] = (struct layer){names[i], i == 0 ? 3 : 4};
    }
    mx2onnx_model *m = loaded(layers, COUNT);
    for (int i = 0; i < COUNT; i++) {
        set(m, &(const struct array){arrays[i], {i == COUNT - 1 ? 3 : 4, 2}});
    }
    assert_int_equal(mx2onnx_set_input_shape(m, "x", 2, (const int64_t[]){1, 2}, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_infer(m), MX2ONNX_STATUS_TOO_LARGE);
    assert_non_null(strstr(mx2onnx_error(m), "more than 2048 layers are not matched by their shapes"));
    mx2onnx_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_of_a_file_are_matched),
        cmocka_unit_test(the_number_of_layers_in_another_order_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
