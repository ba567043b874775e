/* Every allocation of a conversion fails once: a clean error, no leak. The linker sends the
 * library's calls to the functions __wrap_* here; jansson's go through its own hooks.
 *
 * alloc FILE... [each]: without the word one allocation of 23 fails, counted from another one for each conversion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "alloc_wrap.h"
#include "given.h"
#include "mx2onnx.h"
#include "test_if.h"

static const char *sample, *quantized, *nets, *archives[2];
static int64_t dims[] = {1, 1, 8, 8}; /* of the input */

static size_t stride = 23;

/* The next call that fails, of a series that begins with *n 0. */
static void fail_next(size_t *n)
{
    static size_t series;
    *n += *n > 0 ? stride : 1 + series++ % stride;
    allocations.fail_at = *n;
    allocations.calls = 0;
    allocations.failed = false;
}

static void *json_alloc(size_t size)
{
    /* A single failure jansson may overlook: it drops a character of a string. */
    void *p = allocations.for_good && allocation_fails(1, size) ? NULL : malloc(size);
    allocations.live += p != NULL;
    return p;
}

static void json_release(void *p)
{
    allocations.live -= p != NULL;
    free(p);
}

/* What a conversion results in. */
struct result {
    int32_t status;
    void *data;
    size_t size;
};

static int32_t float16 = MX2ONNX_FLOAT16_OFF;
static const char *params;                                          /* what is exported is a file that names this one */
static char place_params[1024], place_onnx[1024], place_data[1024]; /* files that the test writes */
static char elsewhere_params[1024];                                 /* a file of the same name in the folder above */

static int32_t use_place(mx2onnx_model *m)
{
    const bool links = params == elsewhere_params;
    if (links) { /* that of the conversion before */
        remove(place_params);
    }
    mx2onnx_status status = mx2onnx_load_symbol_file(m, sample);
    if (status == MX2ONNX_OK) {
        status = mx2onnx_load_params_file(m, params);
    }
    if (status == MX2ONNX_OK) {
        status = mx2onnx_set_input_shape(m, "data", 4, dims, NULL);
    }
    if (status == MX2ONNX_OK) {
        status = mx2onnx_set_option(m, MX2ONNX_OPTION_EXTERNAL_DATA, links ? MX2ONNX_EXTERNAL_LINK : MX2ONNX_EXTERNAL_IN_PLACE);
        status = status == MX2ONNX_OK ? mx2onnx_set_option(m, MX2ONNX_OPTION_EXTERNAL_THRESHOLD, 1) : status;
    }
    if (status == MX2ONNX_OK) {
        status = mx2onnx_export_file(m, place_onnx);
    }
    return status == MX2ONNX_OK ? mx2onnx_check_external_data(m, place_onnx) : status;
}

/* Parameters without a symbol, of a net in a catalogue. */
static int32_t use_net(mx2onnx_model *m, struct result *r)
{
    static const float weight[] = {1, 2, 3, 4, 5, 6}, bias[] = {5, 6};
    static const int64_t shape[] = {2, 3}, input[] = {1, 3};
    int32_t status = mx2onnx_load_catalogue_file(m, sample);
    if (status == MX2ONNX_OK) {
        status = given_param(m, "0.weight", given_array(MX2ONNX_DTYPE_FLOAT32, 2, shape, weight, sizeof weight), NULL, NULL);
    }
    if (status == MX2ONNX_OK) {
        status = given_param(m, "0.bias", given_array(MX2ONNX_DTYPE_FLOAT32, 1, shape, bias, sizeof bias), NULL, NULL);
    }
    if (status == MX2ONNX_OK) {
        status = given_param(m, "0.bias", given_array(MX2ONNX_DTYPE_FLOAT32, 1, shape, weight, 2 * sizeof *weight), NULL, NULL);
    }
    if (status == MX2ONNX_OK) {
        status = given_param(m, "extra", given_array(MX2ONNX_DTYPE_FLOAT32, 1, shape, weight, 2 * sizeof *weight), NULL, NULL);
    }
    if (status == MX2ONNX_OK) { /* the nearest net is named */
        status = mx2onnx_identify_net(m);
        status = status == MX2ONNX_STATUS_NOT_FOUND ? MX2ONNX_OK : status;
    }
    if (status == MX2ONNX_OK) {
        status = mx2onnx_remove_param(m, "extra");
    }
    if (status == MX2ONNX_OK) {
        status = given_param(m, "0.bias", given_array(MX2ONNX_DTYPE_FLOAT32, 1, shape, bias, sizeof bias), NULL, NULL);
    }
    if (status == MX2ONNX_OK) {
        status = mx2onnx_set_metadata(m, "key", "value");
    }
    if (status == MX2ONNX_OK) {
        status = mx2onnx_set_domain_version(m, "com.example", 2);
    }
    if (status == MX2ONNX_OK) {
        status = mx2onnx_identify_net(m);
    }
    if (status == MX2ONNX_OK) {
        status = mx2onnx_load_net(m, NULL);
    }
    if (status == MX2ONNX_OK) {
        status = mx2onnx_set_input_shape(m, "data", 2, input, NULL);
    }
    return status == MX2ONNX_OK ? mx2onnx_export_memory(m, &r->data, &r->size) : status;
}

static int32_t use_sample(mx2onnx_model *m, struct result *r)
{
    if (params) {
        return use_place(m);
    }
    if (strstr(sample, "nets.zip")) {
        return use_net(m, r);
    }
    int32_t status = mx2onnx_load(m, sample);
    if (status == MX2ONNX_OK) {
        status = mx2onnx_set_input_shape(m, "data", 4, dims, NULL);
    }
    if (status == MX2ONNX_OK) {
        status = mx2onnx_set_input_dim_name(m, "data", 0, "batch");
    }
    if (status == MX2ONNX_OK) {
        status = mx2onnx_rename(m, "softmax", "probabilities");
    }
    if (status == MX2ONNX_OK) {
        status = mx2onnx_set_option(m, MX2ONNX_OPTION_FLOAT16, float16);
    }
    if (status == MX2ONNX_OK) {
        status = mx2onnx_set_node_precision(m, "softmax", MX2ONNX_PRECISION_FLOAT32);
    }
    if (status == MX2ONNX_OK) {
        status = mx2onnx_export_memory(m, &r->data, &r->size);
    }
    return status;
}

static int32_t (*use)(mx2onnx_model *m, struct result *r) = use_sample;

static struct result convert(void)
{
    struct result r = {0};
    mx2onnx_model *m = (mx2onnx_model *)&r; /* a call that fails makes it NULL, which the functions below take */
    r.status = mx2onnx_model_new(&m);
    assert_true(r.status == MX2ONNX_OK || m == NULL);
    if (r.status == MX2ONNX_OK) {
        r.status = use(m, &r);
    }
    /* Inside a text jansson calls it an invalid token. */
    if (r.status != MX2ONNX_OK && r.status != MX2ONNX_STATUS_OUT_OF_MEMORY
        && !(allocations.for_good && r.status == MX2ONNX_STATUS_FORMAT)) {
        fail_msg("allocation %zu fails with %s: %s", allocations.fail_at, mx2onnx_status_name(r.status), mx2onnx_error(m));
    }
    if (m) {
        assert_non_null(mx2onnx_error(m)); /* looking after an error works */
    }
    mx2onnx_model_free(m);
    return r;
}

static void no_leak(void)
{
    assert_int_equal(allocations.live, 0);
}

static void every_allocation_fails(void)
{
    allocations.fail_at = 0;
    const struct result good = convert();
    assert_int_equal(good.status, MX2ONNX_OK);
    size_t n = 0;
    do {
        fail_next(&n);
        struct result r = convert();
        allocations.fail_at = 0;
        if (r.status == MX2ONNX_OK) {
            assert_int_equal(r.size, good.size);
            assert_true(good.size == 0 || memcmp(r.data, good.data, good.size) == 0);
            mx2onnx_memory_free(r.data);
        } else {
            assert_null(r.data);
        }
    } while (allocations.failed);
    assert_true(n > 20);
    mx2onnx_memory_free(good.data);
    no_leak();
}

static void nth_allocation_fails(void **state)
{
    allocations.for_good = false;
    every_allocation_fails();
}

static void nth_allocation_fails_in_float16(void **state)
{
    allocations.for_good = false;
    float16 = MX2ONNX_FLOAT16_INSIDE;
    every_allocation_fails();
    float16 = MX2ONNX_FLOAT16_OFF;
}

static void copy_params(const char *to)
{
    char from[1024];
    unsigned char block[4096];
    snprintf(from, sizeof from, "%.*s-0000.params", (int)(strstr(sample, "-symbol.json") - sample), sample);
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_true(in && out);
    for (size_t n; (n = fread(block, 1, sizeof block, in)) > 0;) {
        assert_int_equal(fwrite(block, 1, n, out), n);
    }
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

static void every_allocation_fails_with(const char *file)
{
    allocations.for_good = false;
    params = file;
    copy_params(params);
    every_allocation_fails();
    remove(place_onnx);
    remove(place_data);
    remove(params);
    params = NULL;
}

static void nth_allocation_fails_in_place(void **state)
{
    every_allocation_fails_with(place_params);
}

static void nth_allocation_fails_while_a_link_is_made(void **state)
{
    every_allocation_fails_with(elsewhere_params);
    remove(place_params);
}

static void nth_allocation_fails_without_symbol(void **state)
{
    const char *before = sample;
    allocations.for_good = false;
    sample = nets;
    every_allocation_fails();
    sample = before;
}

static void nth_allocation_fails_in_int8(void **state)
{
    const char *before = sample;
    allocations.for_good = false;
    sample = quantized;
    dims[1] = 2;
    dims[2] = dims[3] = 4;
    every_allocation_fails();
    sample = before;
    dims[1] = 1;
    dims[2] = dims[3] = 8;
}

/* Operators with lists of inputs, made constants and bodies, nodes that are fused and in older forms: what they take while they are
 * lowered. */
static const char many[] =
    "{\"nodes\":["
    "{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]},"
    "{\"op\":\"add_n\",\"name\":\"sum\",\"attrs\":{\"num_args\":\"3\"},\"inputs\":[[0,0,0],[0,0,0],[0,0,0]]},"
    "{\"op\":\"stack\",\"name\":\"stack\",\"attrs\":{\"num_args\":\"3\"},\"inputs\":[[0,0,0],[1,0,0],[0,0,0]]},"
    "{\"op\":\"UpSampling\",\"name\":\"up\",\"attrs\":{\"scale\":\"2\",\"sample_type\":\"nearest\",\"num_args\":\"3\"},"
    "\"inputs\":[[0,0,0],[1,0,0],[0,0,0]]},"
    "{\"op\":\"split\",\"name\":\"parts\",\"attrs\":{\"num_outputs\":\"3\",\"axis\":\"1\"},\"inputs\":[[3,0,0]]},"
    "{\"op\":\"_contrib_MultiBoxPrior\",\"name\":\"anchors\",\"attrs\":{\"sizes\":\"(0.5, 0.25)\"},\"inputs\":[[0,0,0]]},"
    "{\"op\":\"_slice_assign_scalar\",\"name\":\"assign\",\"attrs\":{\"begin\":\"(0, 0, 2)\",\"end\":\"(1, 1, 6)\"},"
    "\"inputs\":[[1,0,0]]},"
    "{\"op\":\"diag\",\"name\":\"diag\",\"attrs\":{\"axis1\":\"2\",\"axis2\":\"3\"},\"inputs\":[[6,0,0]]},"
    "{\"op\":\"_eye\",\"name\":\"eye\",\"attrs\":{\"N\":\"200\"},\"inputs\":[]},"
    "{\"op\":\"im2col\",\"name\":\"columns\",\"attrs\":{\"kernel\":\"(3, 3)\"},\"inputs\":[[0,0,0]]},"
    "{\"op\":\"Reshape\",\"name\":\"square\",\"attrs\":{\"shape\":\"(8, 8)\"},\"inputs\":[[0,0,0]]},"
    "{\"op\":\"dot\",\"name\":\"product\",\"inputs\":[[10,0,0],[10,0,0]]},"
    "{\"op\":\"elemwise_add\",\"name\":\"gemm\",\"inputs\":[[11,0,0],[10,0,0]]},"
    "{\"op\":\"sum\",\"name\":\"total\",\"attrs\":{\"axis\":\"1\"},\"inputs\":[[12,0,0]]}],"
    "\"arg_nodes\":[0],\"heads\":[[2,0,0],[4,0,0],[4,1,0],[4,2,0],[5,0,0],[7,0,0],[8,0,0],[9,0,0],[13,0,0]],"
    "\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";
static const char *bodies[3]; /* symbols with _cond, _foreach, _while_loop; NULL: `many` */

static int32_t use_bodies(mx2onnx_model *m, const char *path, struct result *r)
{
    static const struct {
        char symbol; /* the first letter of its file's name */
        const char *input;
        int32_t rank;
        int64_t dims[4];
    } shapes[] = {
        {'m', "data", 4, {1, 1, 8, 8}}, {'c', "a", 1, {1}}, {'c', "b", 1, {1}}, {'f', "data", 2, {3, 2}},
        {'f', "init0", 1, {2}},         {'w', "i", 1, {1}}, {'w', "s", 1, {1}},
    };
    int32_t status = path ? mx2onnx_load(m, path) : mx2onnx_load_symbol_memory(m, many, sizeof many - 1);
    if (status == MX2ONNX_OK && !path) {
        status = mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, MX2ONNX_OPSET_MIN);
    }
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && status == MX2ONNX_OK; i++) {
        if (shapes[i].symbol == (path ? strrchr(path, '/')[1] : 'm')) {
            status = mx2onnx_set_input_shape(m, shapes[i].input, shapes[i].rank, shapes[i].dims, NULL);
        }
    }
    return status == MX2ONNX_OK ? mx2onnx_export_memory(m, &r->data, &r->size) : status;
}

static int32_t convert_bodies(const char *path, bool must)
{
    struct result r = {0};
    mx2onnx_model *m = NULL;
    r.status = mx2onnx_model_new(&m);
    if (r.status == MX2ONNX_OK) {
        r.status = use_bodies(m, path, &r);
    }
    if (r.status != MX2ONNX_OK && (must || r.status != MX2ONNX_STATUS_OUT_OF_MEMORY)) {
        fail_msg("allocation %zu: %s: %s", allocations.fail_at, mx2onnx_status_name(r.status), m ? mx2onnx_error(m) : "no model");
    }
    mx2onnx_memory_free(r.data);
    mx2onnx_model_free(m);
    return r.status;
}

/* Once alone, and once with all that come after it. */
static void nth_allocation_fails_in_lists_and_bodies(void **state)
{
    for (int i = 0; i < 8; i++) {
        const char *path = i / 2 < 3 ? bodies[i / 2] : NULL;
        allocations.for_good = i % 2 == 1;
        allocations.fail_at = 0;
        assert_int_equal(convert_bodies(path, true), MX2ONNX_OK);
        size_t n = 0;
        do {
            fail_next(&n);
            (void)convert_bodies(path, false);
        } while (allocations.failed);
        allocations.fail_at = 0;
        assert_true(n > 100);
        no_leak();
    }
    allocations.for_good = false;
}

/* A matrix and the vector of a fused cell, whose gates are set one by one; a shape of the file; a type that ONNX Runtime has no kernel for. */
static const char gated[] =
    "{\"nodes\":[{\"op\":\"null\",\"name\":\"x\",\"attrs\":{\"__shape__\":\"(3,1,2)\"},\"inputs\":[]},{\"op\":\"null\",\"name\":\"a_i2h_weight\",\"inputs\":[]},"
    "{\"op\":\"null\",\"name\":\"p_parameters\",\"inputs\":[]},{\"op\":\"null\",\"name\":\"s\",\"inputs\":[]},"
    "{\"op\":\"FullyConnected\",\"name\":\"f\",\"attrs\":{\"num_hidden\":\"4\",\"no_bias\":\"True\",\"flatten\":\"False\"},"
    "\"inputs\":[[0,0,0],[1,0,0]]},"
    "{\"op\":\"RNN\",\"name\":\"r\",\"attrs\":{\"mode\":\"rnn_tanh\",\"state_size\":\"1\",\"num_layers\":\"2\"},"
    "\"inputs\":[[4,0,0],[2,0,0],[3,0,0]]},"
    "{\"op\":\"Cast\",\"name\":\"c\",\"attrs\":{\"dtype\":\"uint8\"},\"inputs\":[[0,0,0]]},"
    "{\"op\":\"_maximum_scalar\",\"name\":\"m\",\"attrs\":{\"scalar\":\"3\"},\"inputs\":[[6,0,0]]}],"
    "\"arg_nodes\":[0,1,2,3],\"heads\":[[5,0,0],[7,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";

static int32_t use_gates(mx2onnx_model *m, struct result *r)
{
    static const struct {
        const char *name;
        int64_t dims[3];
    } arrays[] = {
        {"a_i2h_i_weight", {1, 2}},
        {"a_i2h_f_weight", {1, 2}},
        {"a_i2h_c_weight", {1, 2}},
        {"a_i2h_o_weight", {1, 2}},
        {"p_l0_i2h_weight", {1, 4}},
        {"p_l0_h2h_weight", {1, 1}},
        {"p_l1_i2h_weight", {1, 1}},
        {"p_l1_h2h_weight", {1, 1}},
        {"p_l0_i2h_bias", {1}},
        {"p_l0_h2h_bias", {1}},
        {"p_l1_i2h_bias", {1}},
        {"p_l1_h2h_bias", {1}},
        {"s", {2, 1, 1}},
    };
    static const float values[] = {1, 2, 3, 4};
    int32_t status = mx2onnx_load_symbol_memory(m, gated, sizeof gated - 1);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays && status == MX2ONNX_OK; i++) {
        mx2onnx_array a = {.struct_size = sizeof a, .dtype = MX2ONNX_DTYPE_FLOAT32, .dims = arrays[i].dims, .data = values, .size = 4};
        for (; a.rank < 3 && a.dims[a.rank] > 0; a.rank++) {
            a.size *= (size_t)a.dims[a.rank];
        }
        status = mx2onnx_set_param(m, arrays[i].name, &a, NULL, NULL);
    }
    return status == MX2ONNX_OK ? mx2onnx_export_memory(m, &r->data, &r->size) : status;
}

/* Two layers that are matched by the order of their names. */
static int32_t use_structural_names(mx2onnx_model *m, struct result *r)
{
    static const char two[] =
        "{\"nodes\":[{\"op\":\"null\",\"name\":\"x\",\"inputs\":[]},{\"op\":\"null\",\"name\":\"d0_weight\",\"inputs\":[]},"
        "{\"op\":\"FullyConnected\",\"name\":\"d0\",\"attrs\":{\"num_hidden\":\"2\",\"no_bias\":\"True\"},\"inputs\":[[0,0,0],[1,0,0]]},"
        "{\"op\":\"null\",\"name\":\"d1_weight\",\"inputs\":[]},"
        "{\"op\":\"FullyConnected\",\"name\":\"d1\",\"attrs\":{\"num_hidden\":\"2\",\"no_bias\":\"True\"},\"inputs\":[[2,0,0],[3,0,0]]}],"
        "\"arg_nodes\":[0,1,3],\"heads\":[[4,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";
    static const float values[] = {1, 2, 3, 4};
    const mx2onnx_array a = {.struct_size = sizeof a,
                             .dtype = MX2ONNX_DTYPE_FLOAT32,
                             .rank = 2,
                             .dims = (const int64_t[]){2, 2},
                             .data = values,
                             .size = sizeof values};
    int32_t status = mx2onnx_load_symbol_memory(m, two, sizeof two - 1);
    status = status == MX2ONNX_OK ? mx2onnx_set_param(m, "0.weight", &a, NULL, NULL) : status;
    status = status == MX2ONNX_OK ? mx2onnx_set_param(m, "1.weight", &a, NULL, NULL) : status;
    status = status == MX2ONNX_OK ? mx2onnx_set_option(m, MX2ONNX_OPTION_STRUCTURAL_NAMES, 1) : status;
    status = status == MX2ONNX_OK ? mx2onnx_set_input_shape(m, "x", 2, (const int64_t[]){1, 2}, NULL) : status;
    return status == MX2ONNX_OK ? mx2onnx_export_memory(m, &r->data, &r->size) : status;
}

static void nth_allocation_fails_in_small_models(void **state)
{
    const size_t usual = stride;
    stride = 1;
    allocations.for_good = false;
    use = use_gates;
    every_allocation_fails();
    use = use_structural_names;
    every_allocation_fails();
    use = use_sample;
    stride = usual;
}

/* Archives with a file of shapes, and with the size of an image. What is loaded with less memory is the same. */
static void nth_allocation_fails_in_archives(void **state)
{
    const size_t usual = stride;
    stride = 1; /* there are few */
    for (int i = 0; i < 2; i++) {
        const char *text = NULL;
        char *good = NULL;
        size_t n = 0;
        do {
            mx2onnx_model *m = NULL;
            assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
            if (good) {
                fail_next(&n);
            }
            const mx2onnx_status status = mx2onnx_load(m, archives[i]);
            allocations.fail_at = 0;
            assert_true(status == MX2ONNX_OK || status == MX2ONNX_STATUS_OUT_OF_MEMORY);
            if (status == MX2ONNX_OK) {
                assert_int_equal(mx2onnx_graph_json(m, MX2ONNX_GRAPH_MXNET, &text), MX2ONNX_OK); /* whose shapes do not fit */
                good = good ? good : strdup(text);
                assert_string_equal(text, good);
            }
            mx2onnx_model_free(m);
        } while (allocations.failed || n == 0);
        free(good);
        assert_true(n > 100);
        no_leak();
    }
    stride = usual;
}

/* A node of more inputs than the builder's scratch has room for. */
static char *many_inputs(const char *op, const char *attrs)
{
    enum { INPUTS = 17000 };
    char *text = malloc(100 * INPUTS + 1000), *end = text;
    assert_non_null(text);
    end += sprintf(end, "{\"nodes\":[");
    for (int i = 0; i < INPUTS; i++) {
        end += sprintf(end, "{\"op\":\"null\",\"name\":\"v%d\",\"attrs\":{\"__shape__\":\"(1,2,3,4)\"},\"inputs\":[]},", i);
    }
    end += sprintf(end, "{\"op\":\"%s\",\"name\":\"y\",\"attrs\":{%s\"num_args\":\"%d\"},\"inputs\":[", op, attrs, INPUTS);
    for (int i = 0; i < INPUTS; i++) {
        end += sprintf(end, "%s[%d,0,0]", i > 0 ? "," : "", i);
    }
    sprintf(end, "]}],\"arg_nodes\":[],\"heads\":[[%d,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}", INPUTS);
    return text;
}

static int32_t lowered(mx2onnx_model *m)
{
    const char *graph = NULL;
    const int32_t status = mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &graph);
    if (status != MX2ONNX_OK && status != MX2ONNX_STATUS_OUT_OF_MEMORY) {
        fail_msg("allocation %zu: %s", allocations.fail_at, mx2onnx_error(m));
    }
    return status;
}

/* Handlers once wrote past the end of the scratch memory when it could not grow. */
static void large_allocation_fails_at_many_inputs(void **state)
{
    static const char *const cases[][2] = {
        {"add_n", ""},
        {"stack", "\"axis\":\"0\","},
        {"UpSampling", "\"scale\":\"2\",\"sample_type\":\"nearest\","},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = many_inputs(cases[i][0], cases[i][1]);
        mx2onnx_model *m = NULL;
        size_t n = 0;
        assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
        assert_int_equal(mx2onnx_load_symbol_memory(m, text, strlen(text)), MX2ONNX_OK);
        assert_int_equal(lowered(m), MX2ONNX_OK);
        allocations.least = 1 << 16; /* a list of that many inputs or more */
        do {
            fail_next(&n);
            (void)lowered(m);
        } while (allocations.failed);
        allocations.fail_at = allocations.least = 0;
        assert_true(n > 4);
        mx2onnx_model_free(m);
        no_leak();
        free(text);
    }
}

/* ---- handlers */

static mx2onnx_status note(mx2onnx_status status)
{
    if (status != MX2ONNX_OK && status != MX2ONNX_STATUS_OUT_OF_MEMORY) {
        fail_msg("allocation %zu: a handler's call returns %s", allocations.fail_at, mx2onnx_status_name(status));
    }
    return status;
}

static mx2onnx_status infer_same(mx2onnx_node *n, void *user)
{
    return note(mx2onnx_node_set_output_like(n, 0, 0));
}

static mx2onnx_status lower_scaled(mx2onnx_node *n, void *user)
{
    static const float zeros[5000];
    const int64_t size = sizeof zeros / sizeof *zeros;
    const mx2onnx_value x = mx2onnx_node_input_value(n, 0);
    mx2onnx_value in[2] = {0, x};
    mx2onnx_status status = note(given_constant(n, given_array(MX2ONNX_DTYPE_FLOAT32, 1, &size, zeros, sizeof zeros), &in[0]));
    if (status == MX2ONNX_OK) {
        status =
            note(given_node(n, "Join", "com.example", 2, in, "{\"text\": \"a\", \"texts\": [\"b\", \"c\"], \"ints\": [1, 2]}", 1, &in[1]));
    }
    if (status == MX2ONNX_OK) {
        status = note(given_node(n, "Transpose", NULL, 1, &x, "{\"perm\": [3, 2, 1, 0]}", 1, &in[0]));
    }
    return status == MX2ONNX_OK ? note(mx2onnx_node_set_result(n, 0, in[1])) : status;
}

static void handlers_learn_that_memory_is_out(void **state)
{
    static const char symbol[] = "{\"nodes\":[{\"op\":\"null\",\"name\":\"x\",\"attrs\":{\"__shape__\":\"(1,2,3,4)\"},\"inputs\":[]},"
                                 "{\"op\":\"own\",\"name\":\"y\",\"inputs\":[[0,0,0]]}],\"arg_nodes\":[0],\"heads\":[[1,0,0]]}";
    const mx2onnx_handler handler = {.struct_size = sizeof handler, .output_count = 1, .infer = infer_same, .lower = lower_scaled};
    const size_t usual = stride;
    mx2onnx_model *m = NULL;
    size_t n = 0;
    stride = 1; /* there are few */
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load_symbol_memory(m, symbol, sizeof symbol - 1), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_custom_operator(m, "own", &handler, NULL, NULL), MX2ONNX_OK);
    assert_int_equal(lowered(m), MX2ONNX_OK);
    do {
        fail_next(&n);
        (void)lowered(m);
    } while (allocations.failed);
    allocations.fail_at = 0;
    stride = usual;
    assert_true(n > 20);
    mx2onnx_model_free(m);
    no_leak();
}

/* ---- what is set */

static const double numbers[2] = {0.5, 0.25};
static const int64_t shapes[2][4] = {{1, 1, 8, 8}, {2, 1, 9, 9}};
static const char *const texts[2] = {"one", "another"};

static mx2onnx_status set_metadata(mx2onnx_model *m, int i)
{
    return mx2onnx_set_metadata(m, "key", texts[i]);
}

static bool has_metadata(mx2onnx_model *m, int i)
{
    const char *text = mx2onnx_get_metadata(m, "key");
    return text && strcmp(text, texts[i]) == 0 && mx2onnx_metadata_count(m) == 1;
}

static mx2onnx_status set_domain_version(mx2onnx_model *m, int i)
{
    return mx2onnx_set_domain_version(m, "com.example", 2 + i);
}

static bool has_domain_version(mx2onnx_model *m, int i)
{
    return mx2onnx_get_domain_version(m, "com.example") == 2 + i;
}

static mx2onnx_status set_text(mx2onnx_model *m, int i)
{
    return mx2onnx_set_text(m, MX2ONNX_TEXT_PARAM_PREFIX, texts[i]);
}

static bool has_text(mx2onnx_model *m, int i)
{
    const char *text = mx2onnx_get_text(m, MX2ONNX_TEXT_PARAM_PREFIX);
    return text && strcmp(text, texts[i]) == 0;
}

static mx2onnx_status set_shape(mx2onnx_model *m, int i)
{
    return mx2onnx_set_input_shape(m, "data", 4, shapes[i], NULL);
}

static bool has_shape(mx2onnx_model *m, int i)
{
    int32_t rank = 0;
    const int64_t *shape = mx2onnx_get_input_shape(m, "data", &rank);
    return shape && rank == 4 && memcmp(shape, shapes[i], sizeof shapes[i]) == 0;
}

static mx2onnx_status set_dim_name(mx2onnx_model *m, int i)
{
    return mx2onnx_set_input_dim_name(m, "data", 2, texts[i]);
}

static bool has_dim_name(mx2onnx_model *m, int i)
{
    const char *name = mx2onnx_get_input_dim_name(m, "data", 2);
    return name && strcmp(name, texts[i]) == 0;
}

static mx2onnx_status set_dtype(mx2onnx_model *m, int i)
{
    return mx2onnx_set_input_dtype(m, "data", i ? MX2ONNX_DTYPE_FLOAT64 : MX2ONNX_DTYPE_FLOAT16);
}

static bool has_dtype(mx2onnx_model *m, int i)
{
    return mx2onnx_get_input_dtype(m, "data") == (i ? MX2ONNX_DTYPE_FLOAT64 : MX2ONNX_DTYPE_FLOAT16);
}

static mx2onnx_status set_mean(mx2onnx_model *m, int i)
{
    return mx2onnx_set_input_mean(m, "data", 1, &numbers[i]);
}

static bool has_number(const double *values, size_t n, int i)
{
    return values && n == 1 && memcmp(values, &numbers[i], sizeof *values) == 0;
}

static bool has_mean(mx2onnx_model *m, int i)
{
    size_t n = 0;
    const double *values = mx2onnx_get_input_mean(m, "data", &n);
    return has_number(values, n, i);
}

static mx2onnx_status set_scale(mx2onnx_model *m, int i)
{
    return mx2onnx_set_input_scale(m, "data", 1, &numbers[i]);
}

static bool has_scale(mx2onnx_model *m, int i)
{
    size_t n = 0;
    const double *values = mx2onnx_get_input_scale(m, "data", &n);
    return has_number(values, n, i);
}

static mx2onnx_status set_name(mx2onnx_model *m, int i)
{
    return mx2onnx_rename(m, "softmax", texts[i]);
}

static bool has_name(mx2onnx_model *m, int i)
{
    const char *name = mx2onnx_get_rename(m, "softmax");
    return name && strcmp(name, texts[i]) == 0;
}

static mx2onnx_status set_precision(mx2onnx_model *m, int i)
{
    return mx2onnx_set_node_precision(m, "softmax", i ? MX2ONNX_PRECISION_FLOAT16 : MX2ONNX_PRECISION_FLOAT32);
}

static bool has_precision(mx2onnx_model *m, int i)
{
    return mx2onnx_get_node_precision(m, "softmax") == (i ? MX2ONNX_PRECISION_FLOAT16 : MX2ONNX_PRECISION_FLOAT32);
}

static mx2onnx_status set_channels(mx2onnx_model *m, int i)
{
    return i ? mx2onnx_set_input_channels_last(m, "data", 1) : mx2onnx_set_input_channels_reversed(m, "data", 1);
}

static bool has_channels(mx2onnx_model *m, int i)
{
    return (mx2onnx_get_input_channels_reversed(m, "data") == 1) && (mx2onnx_get_input_channels_last(m, "data") == i);
}

static mx2onnx_status set_param(mx2onnx_model *m, int i)
{
    return given_param(m, "value", given_array(MX2ONNX_DTYPE_FLOAT64, 1, (const int64_t[]){1 + i}, numbers, 8 + 8 * (size_t)i), NULL, NULL);
}

static bool has_param(mx2onnx_model *m, int i)
{
    for (size_t k = 0; k < mx2onnx_param_count(m); k++) {
        if (strcmp(mx2onnx_param_name(m, k), "value") == 0) {
            return mx2onnx_param_size(m, k) == 8 + 8 * (size_t)i;
        }
    }
    return false;
}

/* A call that lacks memory says so, and what was set before it stays. */
static void nth_allocation_fails_in_what_is_set(void **state)
{
    static const struct {
        const char *name;
        mx2onnx_status (*set)(mx2onnx_model *m, int i);
        bool (*has)(mx2onnx_model *m, int i);
    } all[] = {
        {"metadata", set_metadata, has_metadata},
        {"domain_version", set_domain_version, has_domain_version},
        {"text", set_text, has_text},
        {"shape", set_shape, has_shape},
        {"dim_name", set_dim_name, has_dim_name},
        {"dtype", set_dtype, has_dtype},
        {"mean", set_mean, has_mean},
        {"scale", set_scale, has_scale},
        {"rename", set_name, has_name},
        {"precision", set_precision, has_precision},
        {"channels", set_channels, has_channels},
        {"param", set_param, has_param},
    };
    const size_t usual = stride;
    stride = 1;
    for (size_t k = 0; k < 4 * (sizeof all / sizeof *all); k++) {
        const int before = k % 2 == 1, i = before;
        const size_t row = k / 4;
        size_t n = 0;
        allocations.for_good = k % 4 > 1;
        do {
            mx2onnx_model *m = NULL;
            assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
            assert_int_equal(mx2onnx_load_symbol_file(m, sample), MX2ONNX_OK);
            assert_int_equal(set_shape(m, 0), MX2ONNX_OK);
            assert_int_equal(before ? all[row].set(m, 0) : MX2ONNX_OK, MX2ONNX_OK);
            fail_next(&n);
            const mx2onnx_status status = all[row].set(m, i);
            allocations.fail_at = 0;
            if ((status != MX2ONNX_OK && (status != MX2ONNX_STATUS_OUT_OF_MEMORY || !allocations.failed))
                || (status == MX2ONNX_OK && !all[row].has(m, i)) || (status != MX2ONNX_OK && before && !all[row].has(m, 0))) {
                fail_msg("%s %d: allocation %zu fails with %s", all[row].name, i, n, mx2onnx_status_name(status));
            }
            assert_int_equal(all[row].set(m, i), MX2ONNX_OK);
            assert_true(all[row].has(m, i));
            mx2onnx_model_free(m);
        } while (allocations.failed);
        no_leak();
    }
    allocations.for_good = false;
    stride = usual;
}

static void memory_runs_out(void **state)
{
    allocations.for_good = true;
    every_allocation_fails();
}

static void every_allocation_fails_in(const char *(*text_function)(mx2onnx_model *))
{
    size_t n = 0;
    do {
        mx2onnx_model *m = NULL;
        assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
        assert_int_equal(mx2onnx_load(m, sample), MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){1, 1, 8, 8}, NULL), MX2ONNX_OK);
        fail_next(&n);
        const char *text = text_function(m);
        allocations.fail_at = 0;
        assert_true(allocations.failed || text);
        mx2onnx_model_free(m);
        if (allocations.live != 0) {
            fail_msg("%ld blocks are left when allocation %zu fails%s", allocations.live, n, allocations.for_good ? " for good" : "");
        }
    } while (allocations.failed);
}

/* A text, or an error that says of what. */
static const char *text_of(mx2onnx_model *m, mx2onnx_graph graph,
                           mx2onnx_status(MX2ONNX_CALL *function)(mx2onnx_model *, mx2onnx_graph, const char **))
{
    const char *text = NULL;
    const mx2onnx_status status = function(m, graph, &text);
    assert_int_equal(status == MX2ONNX_OK, mx2onnx_error(m)[0] == 0);
    return text;
}

static const char *graph_text(mx2onnx_model *m)
{
    return text_of(m, MX2ONNX_GRAPH_ONNX, mx2onnx_graph_text);
}

static const char *symbol_text(mx2onnx_model *m)
{
    return text_of(m, MX2ONNX_GRAPH_MXNET, mx2onnx_graph_text);
}

static const char *graph_json(mx2onnx_model *m)
{
    return text_of(m, MX2ONNX_GRAPH_ONNX, mx2onnx_graph_json);
}

static const char *symbol_json(mx2onnx_model *m)
{
    return text_of(m, MX2ONNX_GRAPH_MXNET, mx2onnx_graph_json);
}

/* The text is NULL if the report itself fails. */
static const char *report_json(mx2onnx_model *m)
{
    const char *text = NULL;
    const mx2onnx_status status = mx2onnx_report_json(m, &text);
    assert_int_equal(status == MX2ONNX_OK, text != NULL);
    return text;
}

static void nth_allocation_fails_in_texts(void **state)
{
    static const char *(*const functions[])(mx2onnx_model *) = {
        report_json, graph_text, symbol_text, graph_json, symbol_json,
    };
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        allocations.for_good = false;
        every_allocation_fails_in(functions[i]);
        allocations.for_good = true;
        every_allocation_fails_in(functions[i]);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nth_allocation_fails),
        cmocka_unit_test(nth_allocation_fails_in_float16),
        cmocka_unit_test(nth_allocation_fails_in_int8),
        TEST_IF(MX2ONNX_ZIP, nth_allocation_fails_without_symbol),
        cmocka_unit_test(nth_allocation_fails_in_place),
        cmocka_unit_test(nth_allocation_fails_while_a_link_is_made),
        cmocka_unit_test(nth_allocation_fails_in_lists_and_bodies),
        cmocka_unit_test(nth_allocation_fails_in_small_models),
        TEST_IF(MX2ONNX_TAR, nth_allocation_fails_in_archives),
        cmocka_unit_test(large_allocation_fails_at_many_inputs),
        cmocka_unit_test(handlers_learn_that_memory_is_out),
        cmocka_unit_test(nth_allocation_fails_in_what_is_set),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(nth_allocation_fails_in_texts),
    };
    if (argc < 10) {
        return 2;
    }
    const char *name = strrchr(argv[1], '/') + 1;
    snprintf(place_params, sizeof place_params, "%s.params", argv[1]);
    snprintf(elsewhere_params, sizeof elsewhere_params, "%.*s../%s.params", (int)(name - argv[1]), argv[1], name);
    snprintf(place_onnx, sizeof place_onnx, "%s.onnx", argv[1]);
    snprintf(place_data, sizeof place_data, "%s.onnx.data", argv[1]);
    sample = argv[2];
    quantized = argv[3];
    for (int i = 0; i < 3; i++) {
        bodies[i] = argv[4 + i];
    }
    nets = argv[7];
    archives[0] = argv[8];
    archives[1] = argv[9];
    stride = argc > 10 && strcmp(argv[10], "each") == 0 ? 1 : stride;
    json_set_alloc_funcs(json_alloc, json_release);
    return cmocka_run_group_tests_name("alloc", tests, NULL, NULL);
}
