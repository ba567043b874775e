/* Nodes that handlers request: what their shapes are, what an older opset makes of them, and what is refused. Only the public header. */
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

enum { INPUTS = 4, WORDS = 8, NUMBERS = 40, UNSUPPORTED = MX2ONNX_STATUS_UNSUPPORTED };

static const char symbol[] = "{\"nodes\":[{\"op\":\"null\",\"name\":\"a\",\"inputs\":[]},{\"op\":\"null\",\"name\":\"b\",\"inputs\":[]},"
                             "{\"op\":\"null\",\"name\":\"c\",\"inputs\":[]},{\"op\":\"null\",\"name\":\"d\",\"inputs\":[]},"
                             "{\"op\":\"given\",\"name\":\"g\",\"inputs\":[[0,0,0],[1,0,0],[2,0,0],[3,0,0]]}],"
                             "\"arg_nodes\":[0,1,2,3],\"heads\":[[4,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";

/* inputs: a word for each: "2x3" is an input of float32 with this shape, "?" in it an unknown size; "[1,2]" a constant vector of int64;
 * "f[1.5]" one of float32; "s1.5" and "n2" constant numbers of float32 and int64; "u2x3" zeros of uint8; "i3" three int64 that are
 * computed; "r3" the sum of three float32; "*" a float32 of unknown rank; "-" an input that is left out. want: a part of the text of the
 * graph, or the start of the error. */
struct row {
    int opset;
    const char *op, *attributes, *inputs;
    size_t outputs;
    const char *want;
};

/* The sizes of "2x?x3". */
static size_t shape_of(const char *word, int64_t *dims)
{
    size_t n = 0;
    for (bool more = true; more; n++) {
        dims[n] = *word == '?' ? -1 : strtoll(word, NULL, 10);
        word += strspn(word, "?0123456789");
        more = *word++ == 'x';
    }
    return n;
}

static mx2onnx_value zeros(mx2onnx_node *n, const char *word)
{
    static const char none[4096];
    int64_t dims[WORDS];
    mx2onnx_value y = 0;
    const size_t rank = shape_of(word, dims);
    size_t size = 1;
    for (size_t i = 0; i < rank; i++) {
        size *= (size_t)dims[i];
    }
    assert_int_equal(given_constant(n, given_array(MX2ONNX_DTYPE_UINT8, (int32_t)rank, dims, none, size), &y), MX2ONNX_OK);
    return y;
}

static mx2onnx_value vector(mx2onnx_node *n, const char *word)
{
    int64_t ints[NUMBERS], count = 0;
    float floats[NUMBERS];
    const bool is_float = *word == 'f' || *word == 's', is_scalar = *word == 'n' || *word == 's';
    mx2onnx_value y = 0;
    for (word += *word == 'f' ? 2 : 1; *word && !strchr(" ]", *word); word += *word == ',') {
        ints[count] = strtoll(word, NULL, 10);
        floats[count++] = strtof(word, NULL);
        word += strspn(word, "-.e0123456789");
    }
    const mx2onnx_array array = is_float
                                    ? given_array(MX2ONNX_DTYPE_FLOAT32, is_scalar ? 0 : 1, &count, floats, sizeof *floats * (size_t)count)
                                    : given_array(MX2ONNX_DTYPE_INT64, is_scalar ? 0 : 1, &count, ints, sizeof *ints * (size_t)count);
    assert_int_equal(given_constant(n, array, &y), MX2ONNX_OK);
    return y;
}

/* What another domain makes of an input, cast to a type of ONNX's number. */
static mx2onnx_value computed(mx2onnx_node *n, mx2onnx_value x, bool known, const char *attributes)
{
    mx2onnx_value y = x;
    if (!known) {
        assert_int_equal(given_node(n, "Any", "com.example", 1, &x, NULL, 1, &y), MX2ONNX_OK);
    }
    assert_int_equal(given_node(n, "Cast", NULL, 1, &y, attributes, 1, &y), MX2ONNX_OK);
    return y;
}

/* The node of the row; what another domain makes of its outputs is the result. */
static mx2onnx_status lower_row(mx2onnx_node *n, void *user)
{
    const struct row *r = user;
    mx2onnx_value in[WORDS] = {0}, out[WORDS] = {0}, y = 0;
    size_t count = 0, data = 0;
    for (const char *word = r->inputs; *word; count++) {
        if (strchr("[fns", *word)) {
            in[count] = vector(n, word);
        } else if (*word == 'u') {
            in[count] = zeros(n, word + 1);
        } else if (*word == 'i') {
            in[count] = computed(n, mx2onnx_node_input_value(n, data++), true, "{\"to\": 7}");
        } else if (*word == 'r') {
            const mx2onnx_value x = mx2onnx_node_input_value(n, data++);
            assert_int_equal(given_node(n, "ReduceSum", NULL, 1, &x, "{\"keepdims\": 0}", 1, &in[count]), MX2ONNX_OK);
        } else if (*word == '*') {
            in[count] = computed(n, mx2onnx_node_input_value(n, 0), false, "{\"to\": 1}");
        } else if (*word != '-') {
            in[count] = mx2onnx_node_input_value(n, data++);
        }
        word += strcspn(word, " ");
        word += *word == ' ';
    }
    const mx2onnx_status status = given_node(n, r->op, NULL, count, in, r->attributes, r->outputs, out);
    if (status != MX2ONNX_OK) {
        return status;
    }
    assert_int_equal(given_node(n, "Use", "com.example", r->outputs, out, NULL, 1, &y), MX2ONNX_OK);
    return mx2onnx_node_set_result(n, 0, y);
}

static mx2onnx_status infer_one(mx2onnx_node *n, void *user)
{
    return mx2onnx_node_set_output(n, 0, MX2ONNX_DTYPE_FLOAT32, 1, (const int64_t[]){1});
}

static void set_inputs(mx2onnx_model *m, const char *word)
{
    int64_t dims[WORDS] = {1};
    char name[2] = "a";
    for (; *word; word += *word == ' ') {
        if (strchr("0123456789?ir", *word)) {
            const size_t rank = shape_of(word + (*word == 'i' || *word == 'r'), dims);
            assert_int_equal(mx2onnx_set_input_shape(m, name, (int32_t)rank, dims, NULL), MX2ONNX_OK);
            name[0]++;
        }
        word += strcspn(word, " ");
    }
    for (dims[0] = 1; name[0] < 'a' + INPUTS; name[0]++) {
        assert_int_equal(mx2onnx_set_input_shape(m, name, 1, dims, NULL), MX2ONNX_OK);
    }
}

static int differing; /* rows of the running test */

static void check(const struct row *r, int wanted)
{
    struct row own = *r;
    static const char at[] = "node 'g' (given): ";
    const char *text = NULL;
    mx2onnx_model *m = NULL;
    const mx2onnx_handler handler = {.struct_size = sizeof handler, .output_count = 1, .infer = infer_one, .lower = lower_row};
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load_symbol_memory(m, symbol, sizeof symbol - 1), MX2ONNX_OK);
    set_inputs(m, r->inputs);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, r->opset), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_custom_operator(m, "given", &handler, &own, NULL), MX2ONNX_OK);
    const mx2onnx_status status = mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text);
    const char *got = status == MX2ONNX_OK ? text : mx2onnx_error(m);
    const char *place = strstr(got, status == MX2ONNX_OK ? r->want : at);
    if ((int)status != wanted || !place || (status != MX2ONNX_OK && strncmp(place + sizeof at - 1, r->want, strlen(r->want)) != 0)) {
        print_error("%s %s (%s): status %d\n%s\n", r->op, r->attributes, r->inputs, (int)status, got);
        differing++;
    }
    mx2onnx_model_free(m);
}

static void check_rows(const struct row *rows, size_t n, int status)
{
    differing = 0;
    for (size_t i = 0; i < n; i++) {
        check(&rows[i], status);
    }
    assert_int_equal(differing, 0);
}

#define CHECK(rows, status) check_rows(rows, sizeof(rows) / sizeof *(rows), status)

#define EIGHT "0,0,0,0,0,0,0,0"
#define FORTY "[" EIGHT "," EIGHT "," EIGHT "," EIGHT "," EIGHT "]"

static void shapes_that_do_not_fit_are_refused(void **state)
{
    static const struct row rows[] = {
        {21, "Concat", "{\"axis\": 1}", "2x3 3x3", 1,
         "input 1 of ONNX's Concat has shape (3, 3), which differs from that of input 0, (2, 3), on other axes than 1"},
        {21, "Concat", "{\"axis\": 0}", "2x3 2x4", 1,
         "input 1 of ONNX's Concat has shape (2, 4), which differs from that of input 0, (2, 3), on other axes than 0"},
        {21, "MaxPool", "{\"kernel_shape\": [2]}", "2x3", 1, "input 0 of ONNX's MaxPool has shape (2, 3), but must have at least rank 3"},
        {21, "AveragePool", "{\"kernel_shape\": [2]}", "2x3", 1,
         "input 0 of ONNX's AveragePool has shape (2, 3), but must have at least rank 3"},
        {21, "LpPool", "{\"kernel_shape\": [2]}", "2x3", 1, "input 0 of ONNX's LpPool has shape (2, 3), but must have at least rank 3"},
        {21, "GlobalLpPool", "{}", "2x3", 1, "input 0 of ONNX's GlobalLpPool has shape (2, 3), but must have at least rank 3"},
        {21, "Multinomial", "{}", "3", 1, "input 0 of ONNX's Multinomial has shape (3,), but must have rank 2"},
        {21, "EyeLike", "{}", "3", 1, "input 0 of ONNX's EyeLike has shape (3,), but must have rank 2"},
        {21, "AffineGrid", "{}", "2x3 [1,2,5,6]", 1, "input 0 of ONNX's AffineGrid has shape (2, 3), but must have rank 3"},
        {21, "Col2Im", "{}", "12x20 [5,6] [2,2]", 1, "input 0 of ONNX's Col2Im has shape (12, 20), but must have rank 3"},
        {21, "MaxRoiPool", "{\"pooled_shape\": [2, 2]}", "1x2x3 5x5", 1,
         "input 0 of ONNX's MaxRoiPool has shape (1, 2, 3), but must have rank 4"},
        {21, "MaxRoiPool", "{\"pooled_shape\": [2, 2]}", "1x2x3x3 5", 1,
         "input 1 of ONNX's MaxRoiPool has shape (5,), but must have rank 2"},
        {21, "Concat", "{\"axis\": 1}", "2x3 2x3x1", 1,
         "input 1 of ONNX's Concat has shape (2, 3, 1), which differs from that of input 0, (2, 3), on other axes than 1"},
        {21, "Expand", "{}", "2x3 [2,4]", 1, "input 0 of ONNX's Expand has shape (2, 3), which cannot be broadcast to (2, 4)"},
        {21, "Gemm", "{\"transB\": 1}", "2x3 5x4", 1, "ONNX's Gemm of shapes (2, 3) and (5, 4) multiplies rows of 3 with columns of 4"},
        {21, "Gemm", "{}", "2x3 3x4 3x4", 1, "input 2 of ONNX's Gemm has shape (3, 4), which cannot be broadcast to (2, 4)"},
        {21, "MatMul", "{}", "5x2x3 4x3x2", 1, "input 1 of ONNX's MatMul has shape (4, 3, 2), which cannot be broadcast to (5, 2, 3)"},
        {21, "MatMul", "{}", "2x3 4x3", 1, "ONNX's MatMul of shapes (2, 3) and (4, 3) multiplies rows of 3 with columns of 4"},
        {21, "Conv", "{\"kernel_shape\": [3, 3]}", "1x1x5x5 1x1x3x2", 1,
         "'kernel_shape' has 3 on axis 1, but input 1 of ONNX's Conv has 2"},
        {21, "Conv", "{\"dilations\": [1, 3]}", "1x1x5x5 1x1x3x3", 1,
         "the kernel of ONNX's Conv has 3 on axis 1 with dilation 3, but the input has 5 there, and 0 of padding"},
        {21, "Conv", "{\"strides\": [1]}", "1x1x5x5 1x1x3x3", 1,
         "'strides' has length 1, but must have 2 for an input of shape (1, 1, 5, 5) in ONNX's Conv"},
        {21, "MaxPool", "{\"kernel_shape\": [2], \"pads\": [0, 2]}", "1x1x5", 1,
         "'pads' has 2 on axis 0, but must be less than kernel_shape, 2, in ONNX's MaxPool"},
        {21, "MaxPool", "{\"kernel_shape\": [3], \"pads\": [3, 0]}", "1x1x5", 1,
         "'pads' has 3 on axis 0, but must be less than kernel_shape, 3, in ONNX's MaxPool"},
        {21, "MaxPool", "{\"kernel_shape\": [6]}", "1x1x5", 1,
         "the kernel of ONNX's MaxPool has 6 on axis 0 with dilation 1, but the input has 5 there, and 0 of padding"},
        {21, "CenterCropPad", "{\"axes\": [2]}", "2x3 [1]", 1,
         "'axes' of ONNX's CenterCropPad has axis 2, but must have axes from -2 to 1"},
        {21, "CenterCropPad", "{\"axes\": [0, -2]}", "2x3 [1,1]", 1, "'axes' of ONNX's CenterCropPad has axis -2 twice"},
        {21, "Squeeze", "{}", "2x3 [1]", 1,
         "input 1 of ONNX's Squeeze has axis 1, but input 0 of shape (2, 3) does not have the size 1 there"},
        {21, "Squeeze", "{}", "2x3 [2]", 1, "input 1 of ONNX's Squeeze has axis 2, but must have axes from -2 to 1"},
        {21, "Transpose", "{\"perm\": [0]}", "2x3", 1,
         "'perm' has length 1, but must have 2 for an input of shape (2, 3) in ONNX's Transpose"},
        {21, "Transpose", "{\"perm\": [0, -1]}", "2x3", 1, "'perm' has axis -1, but must have the axes from 0 to 1 in ONNX's Transpose"},
        {21, "Transpose", "{\"perm\": [-2, 1]}", "2x3", 1, "'perm' has axis -2, but must have the axes from 0 to 1 in ONNX's Transpose"},
        {21, "Slice", "{}", "2x3 [0,0,0] [1,1,1]", 1, "input 1 of ONNX's Slice has 3 elements, but input 0 of shape (2, 3) has 2 axes"},
        {21, "Slice", "{}", "2x3 [0] [1] [4]", 1, "input 3 of ONNX's Slice has axis 4, but must have axes from -2 to 1"},
        {21, "Split", "{}", "2x3", 3, "ONNX's Split gives 3 parts of 1, which are more than 2"},
        {21, "Split", "{\"num_outputs\": 2}", "2x3 [1,1]", 2,
         "'num_outputs' is 2, but ONNX's Split has 2 outputs, whose sizes are in input 1"},
        {21, "Split", "{\"num_outputs\": 3}", "2x3", 2, "'num_outputs' is 3, but ONNX's Split has 2 outputs"},
        {21, "Split", "{\"axis\": 1}", "2x3 [1,1]", 2, "the sizes in input 1 of ONNX's Split do not add up to 3, the size that is split"},
        {21, "Split", "{\"axis\": 1}", "2x3 [4,-1]", 2, "the sizes in input 1 of ONNX's Split do not add up to 3, the size that is split"},
        {21, "Reshape", "{}", "2x3 [4]", 1,
         "input 0 of ONNX's Reshape has shape (2, 3) with 6 elements, which is not the product 4 as in input 1"},
        {21, "Reshape", "{}", "2x3 [4,-1]", 1,
         "input 0 of ONNX's Reshape has shape (2, 3) with 6 elements, which is not a multiple of 4 as in input 1"},
        {21, "Reshape", "{}", "2x3 [-1,-1]", 1, "input 1 of ONNX's Reshape has -1 as element 1, which is there twice"},
        {21, "Reshape", "{}", "2x3 [-2,3]", 1, "input 1 of ONNX's Reshape has -2 as element 0, which is negative"},
        {21, "Reshape", "{}", "2x3 [2,3,0]", 1,
         "input 1 of ONNX's Reshape has 0 as element 2, which is for a size that input 0 does not have"},
        {21, "Reshape", "{}", "2x3 [-1,4]", 1,
         "input 0 of ONNX's Reshape has shape (2, 3) with 6 elements, which is not a multiple of 4 as in input 1"},
        {21, "ReduceSum", "{}", "2x3x4 [3]", 1, "input 1 of ONNX's ReduceSum has axis 3, but must have axes from -3 to 2"},
        {21, "ReduceSum", "{}", "2x3x4 [-4]", 1, "input 1 of ONNX's ReduceSum has axis -4, but must have axes from -3 to 2"},
        {21, "ReduceSum", "{}", "2x3x4 [0,-3]", 1, "input 1 of ONNX's ReduceSum has axis -3 twice"},
        {21, "Unsqueeze", "{}", "2x3 [4]", 1, "input 1 of ONNX's Unsqueeze has axis 4, but must have axes from -3 to 2"},
        {21, "Unsqueeze", "{}", "2x3 [0,4]", 1, "input 1 of ONNX's Unsqueeze has axis 4, but must have axes from -4 to 3"},
        {21, "Pad", "{}", "2x3 [0,0] - [2]", 1, "input 3 of ONNX's Pad has axis 2, but must have axes from -2 to 1"},
        {21, "Slice", "{}", "2x3 [0,0] [1,1] [1,-1]", 1, "input 3 of ONNX's Slice has axis -1 twice"},
        {21, "Flatten", "{\"axis\": 3}", "2x3", 1, "'axis' is 3, but must be -2 to 2 for an input of shape (2, 3) in ONNX's Flatten"},
        {21, "Flatten", "{\"axis\": -3}", "2x3", 1, "'axis' is -3, but must be -2 to 2 for an input of shape (2, 3) in ONNX's Flatten"},
        {21, "OneHot", "{\"axis\": 3}", "i2x3 [4] f[0,1]", 1,
         "'axis' is 3, but must be -3 to 2 for an input of shape (2, 3) in ONNX's OneHot"},
        {21, "OneHot", "{\"axis\": -4}", "i2x3 [4] f[0,1]", 1,
         "'axis' is -4, but must be -3 to 2 for an input of shape (2, 3) in ONNX's OneHot"},
        {21, "Softmax", "{\"axis\": 2}", "2x3", 1, "'axis' is 2, but must be -2 to 1 for an input of shape (2, 3) in ONNX's Softmax"},
        {21, "Softmax", "{\"axis\": -3}", "2x3", 1, "'axis' is -3, but must be -2 to 1 for an input of shape (2, 3) in ONNX's Softmax"},
        {21, "DequantizeLinear", "{\"axis\": 2}", "u2x3 f[1,2,3]", 1,
         "'axis' is 2, but must be -2 to 1 for an input of shape (2, 3) in ONNX's DequantizeLinear"},
        {21, "QuantizeLinear", "{\"axis\": 2}", "2x3 f[1,2,3]", 1,
         "'axis' is 2, but must be -2 to 1 for an input of shape (2, 3) in ONNX's QuantizeLinear"},
        {21, "PRelu", "{}", "2x3 4", 1, "input 1 of ONNX's PRelu has shape (4,), which cannot be broadcast to (2, 3)"},
        {21, "PRelu", "{}", "3 2x3", 1, "input 1 of ONNX's PRelu has shape (2, 3), which cannot be broadcast to (3,)"},
        {21, "PRelu", "{}", "1x3 2x3", 1, "input 1 of ONNX's PRelu has shape (2, 3), which cannot be broadcast to (1, 3)"},
        {21, "LayerNormalization", "{}", "2x3x4 3", 1,
         "input 1 of ONNX's LayerNormalization has shape (3,), which cannot be broadcast to (4,)"},
        {21, "LayerNormalization", "{\"axis\": 1}", "2x3x4 3x4 2x4", 1,
         "input 2 of ONNX's LayerNormalization has shape (2, 4), which cannot be broadcast to (3, 4)"},
        {23, "RMSNormalization", "{\"axis\": -2}", "2x3x4 2x4", 1,
         "input 1 of ONNX's RMSNormalization has shape (2, 4), which cannot be broadcast to (3, 4)"},
        {21, "Slice", "{}", "2x3 [0,0] [2,2] - [1,0]", 1, "input 4 of ONNX's Slice has the step 0 as element 1"},
        {21, "Slice", "{}", "2x3 [0] [2] [1] [0]", 1, "input 4 of ONNX's Slice has the step 0 as element 0"},
        {21, "Resize", "{}", "1x1x4x4 - f[1,1,2,0]", 1,
         "input 2 of ONNX's Resize has the scale 0 as element 3, but must have positive numbers"},
        {21, "Resize", "{}", "1x1x4x4 - f[1,1,-2,1]", 1,
         "input 2 of ONNX's Resize has the scale -2 as element 2, but must have positive numbers"},
        {21, "Resize", "{}", "2x3 - [1,0]", 1, "input 2 of ONNX's Resize has the scale 0 as element 1, but must have positive numbers"},
        {21, "Resize", "{\"axes\": [2, 3]}", "1x1x4x4 - f[1e39,1]", 1,
         "input 2 of ONNX's Resize has the scale inf as element 0, but must have positive numbers"},
        {21, "Concat", "{\"axis\": 0}", "2x3 - 2x3", 1, "input 1 is left out, but ONNX's Concat reads all inputs"},
        {21, "Max", "{}", "2x3 2x3 - 2x3", 1, "input 2 is left out, but ONNX's Max reads all inputs"},
        {21, "Squeeze", "{}", "1x1 " FORTY, 1, "input 1 of ONNX's Squeeze has 40 elements, but input 0 of shape (1, 1) allows 2 axes"},
        {21, "ReduceSum", "{}", "2x3 " FORTY, 1, "input 1 of ONNX's ReduceSum has 40 elements, but input 0 of shape (2, 3) allows 2 axes"},
        {21, "Unsqueeze", "{}", "2x3 " FORTY, 1, "input 1 of ONNX's Unsqueeze has 40 elements, but input 0 of shape (2, 3) allows 30 axes"},
        {21, "Add", "{}", "- 2x3", 1, "input 0 is left out, but ONNX's Add needs it"},
        {21, "Add", "{}", "2x3 -", 1, "input 1 is left out, but ONNX's Add needs it"},
        {21, "ConvTranspose", "{}", "- 1x1x3x3", 1, "input 0 is left out, but ONNX's ConvTranspose needs it"},
        {21, "Add", "{}", "2x3 2x4", 1, "input 1 of ONNX's Add has shape (2, 4), which cannot be broadcast to (2, 3)"},
        {21, "Sum", "{}", "2x1 3 4x2", 1, "input 2 of ONNX's Sum has shape (4, 2), which cannot be broadcast to (2, 3)"},
        {21, "MatMul", "{}", "3 4x2", 1, "ONNX's MatMul of shapes (3,) and (4, 2) multiplies rows of 3 with columns of 4"},
        {21, "MatMul", "{}", "2x3 4", 1, "ONNX's MatMul of shapes (2, 3) and (4,) multiplies rows of 3 with columns of 4"},
        {21, "MatMulInteger", "{}", "u2x3 u4x2", 1,
         "ONNX's MatMulInteger of shapes (2, 3) and (4, 2) multiplies rows of 3 with columns of 4"},
        {21, "Gemm", "{\"transA\": 1}", "2x3 3x4", 1, "ONNX's Gemm of shapes (2, 3) and (3, 4) multiplies rows of 2 with columns of 3"},
        {21, "Gemm", "{}", "2x3 4x3", 1, "ONNX's Gemm of shapes (2, 3) and (4, 3) multiplies rows of 3 with columns of 4"},
        {21, "Split", "{}", "6x2 [1,2,3]", 2, "input 1 of ONNX's Split has 3 elements, but the number of outputs is 2"},
        {21, "Split", "{}", "6x2 [1,4]", 2, "the sizes in input 1 of ONNX's Split do not add up to 6, the size that is split"},
        {21, "Split", "{}", "6x2", 4, "ONNX's Split gives 4 parts of 2, which are more than 6"},
        {21, "Split", "{\"axis\": 1}", "2x3 [2,-1,2]", 3,
         "the sizes in input 1 of ONNX's Split do not add up to 3, the size that is split"},
        {21, "Split", "{}", "2x3 n2", 1, "input 1 of ONNX's Split has shape (), but must have rank 1"},
        {21, "Slice", "{}", "2x3 n0 n1", 1, "input 1 of ONNX's Slice has shape (), but must have rank 1"},
        {21, "Slice", "{}", "2x3 [0] [1] n0", 1, "input 3 of ONNX's Slice has shape (), but must have rank 1"},
        {21, "Tile", "{}", "3 n2", 1, "input 1 of ONNX's Tile has shape (), but must have rank 1"},
        {21, "CenterCropPad", "{}", "3 n2", 1, "input 1 of ONNX's CenterCropPad has shape (), but must have rank 1"},
        {21, "Clip", "{}", "3 - f[1]", 1, "input 2 of ONNX's Clip has shape (1,), but must have rank 0"},
        {21, "Reshape", "{\"allowzero\": 1}", "2x3 [0,-1]", 1,
         "input 0 of ONNX's Reshape has shape (2, 3) with 6 elements, which is not a multiple of 0 as in input 1"},
    };
    CHECK(rows, UNSUPPORTED);
}

static void axes_of_a_scalar_are_refused(void **state)
{
    static const struct row rows[] = {
        {21, "Transpose", "{\"perm\": [0]}", "s1", 1, "'perm' has length 1, but must have 0 for an input of shape () in ONNX's Transpose"},
        {21, "Softmax", "{\"axis\": 0}", "s1", 1, "'axis' is 0, but must be 0 to -1 for an input of shape () in ONNX's Softmax"},
        {21, "CenterCropPad", "{\"axes\": [0]}", "s1 [1]", 1, "'axes' of ONNX's CenterCropPad has axis 0, but must have axes from 0 to -1"},
        {21, "ReduceSum", "{}", "s1 [0]", 1, "input 1 of ONNX's ReduceSum has axis 0, but must have axes from 0 to -1"},
        {21, "Squeeze", "{}", "s1 [0]", 1, "input 1 of ONNX's Squeeze has axis 0, but must have axes from 0 to -1"},
        {21, "Slice", "{}", "s1 [0] [1]", 1, "input 1 of ONNX's Slice has 1 elements, but input 0 of shape () has 0 axes"},
        {21, "Tile", "{}", "s1 [2]", 1, "input 1 of ONNX's Tile has 1 elements, but must have 0"},
        {21, "Reshape", "{}", "s1 [2]", 1,
         "input 0 of ONNX's Reshape has shape () with 1 elements, which is not the product 2 as in input 1"},
        {21, "Unsqueeze", "{}", "s1 [1]", 1, "input 1 of ONNX's Unsqueeze has axis 1, but must have axes from -1 to 0"},
        {21, "Gather", "{}", "s1 [0]", 1, "input 0 of ONNX's Gather has shape (), but must have at least rank 1"},
        {21, "OneHot", "{\"axis\": 1}", "n1 [4] f[0,1]", 1, "'axis' is 1, but must be -1 to 0 for an input of shape () in ONNX's OneHot"},
        {21, "PRelu", "{}", "s1 3", 1, "input 1 of ONNX's PRelu has shape (3,), which cannot be broadcast to ()"},
    };
    CHECK(rows, UNSUPPORTED);
}

/* Every row of the table of sizes in lib/onnx/rules/given_shapes.c. */
static void sizes_that_differ_are_refused(void **state)
{
    static const struct row rows[] = {
        {21, "BatchNormalization", "{}", "2x4 3 4 4 f[1,1,1,1]", 1,
         "axis 0 of input 1 of ONNX's BatchNormalization has the size 3, but must have 4, as axis 1 of input 0"},
        {21, "BatchNormalization", "{}", "2x4 4 3 4 f[1,1,1,1]", 1,
         "axis 0 of input 2 of ONNX's BatchNormalization has the size 3, but must have 4, as axis 1 of input 0"},
        {21, "BatchNormalization", "{}", "2x4 4 4 3 f[1,1,1,1]", 1,
         "axis 0 of input 3 of ONNX's BatchNormalization has the size 3, but must have 4, as axis 1 of input 0"},
        {21, "BatchNormalization", "{}", "2x4 4 4 4 f[1,1,1]", 1,
         "axis 0 of input 4 of ONNX's BatchNormalization has the size 3, but must have 4, as axis 1 of input 0"},
        {21, "Conv", "{}", "1x4x6x6 8x3x2x2", 1,
         "axis 1 of input 0 of ONNX's Conv has the size 4, but must have 3 times group, as axis 1 of input 1"},
        {21, "Conv", "{}", "1x3x6x6 8x3x2x2 7", 1,
         "axis 0 of input 2 of ONNX's Conv has the size 7, but must have 8, as axis 0 of input 1"},
        {21, "ConvInteger", "{}", "u1x4x6x6 u8x3x2x2", 1,
         "axis 1 of input 0 of ONNX's ConvInteger has the size 4, but must have 3 times group, as axis 1 of input 1"},
        {21, "ConvTranspose", "{}", "1x4x6x6 3x8x2x2", 1,
         "axis 1 of input 0 of ONNX's ConvTranspose has the size 4, but must have 3, as axis 0 of input 1"},
        {21, "ConvTranspose", "{}", "1x3x6x6 3x8x2x2 7", 1,
         "axis 0 of input 2 of ONNX's ConvTranspose has the size 7, but must have 8 times group, as axis 1 of input 1"},
        {21, "DeformConv", "{}", "1x4x6x6 8x3x2x2 1x8x5x5", 1,
         "axis 1 of input 0 of ONNX's DeformConv has the size 4, but must have 3 times group, as axis 1 of input 1"},
        {21, "DeformConv", "{}", "1x3x6x6 8x3x2x2 1x8x5x5 7", 1,
         "axis 0 of input 3 of ONNX's DeformConv has the size 7, but must have 8, as axis 0 of input 1"},
        {21, "GRU", "{\"hidden_size\": 4}", "5x2x3 1x12x5 1x12x4", 1,
         "axis 2 of input 1 of ONNX's GRU has the size 5, but must have 3, as axis 2 of input 0"},
        {21, "GRU", "{\"hidden_size\": 4}", "5x2x3 1x12x3 1x9x4", 1,
         "axis 1 of input 2 of ONNX's GRU has the size 9, but must have 12, as axis 1 of input 1"},
        {21, "GridSample", "{}", "2x4x6x6 3x5x7x2", 1,
         "axis 0 of input 1 of ONNX's GridSample has the size 3, but must have 2, as axis 0 of input 0"},
        {21, "GroupNormalization", "{\"num_groups\": 2}", "2x4x3 3 4", 1,
         "axis 0 of input 1 of ONNX's GroupNormalization has the size 3, but must have 4, as axis 1 of input 0"},
        {21, "GroupNormalization", "{\"num_groups\": 2}", "2x4x3 4 3", 1,
         "axis 0 of input 2 of ONNX's GroupNormalization has the size 3, but must have 4, as axis 1 of input 0"},
        {21, "InstanceNormalization", "{}", "2x4x3 3 4", 1,
         "axis 0 of input 1 of ONNX's InstanceNormalization has the size 3, but must have 4, as axis 1 of input 0"},
        {21, "InstanceNormalization", "{}", "2x4x3 4 3", 1,
         "axis 0 of input 2 of ONNX's InstanceNormalization has the size 3, but must have 4, as axis 1 of input 0"},
        {21, "LSTM", "{\"hidden_size\": 4}", "5x2x3 1x16x5 1x16x4", 1,
         "axis 2 of input 1 of ONNX's LSTM has the size 5, but must have 3, as axis 2 of input 0"},
        {21, "LSTM", "{\"hidden_size\": 4}", "5x2x3 1x16x3 1x12x4", 1,
         "axis 1 of input 2 of ONNX's LSTM has the size 12, but must have 16, as axis 1 of input 1"},
        {21, "NonMaxSuppression", "{}", "1x5x4 2x3x5", 1,
         "axis 0 of input 1 of ONNX's NonMaxSuppression has the size 2, but must have 1, as axis 0 of input 0"},
        {21, "NonMaxSuppression", "{}", "1x5x4 1x3x6", 1,
         "axis 2 of input 1 of ONNX's NonMaxSuppression has the size 6, but must have 5, as axis 1 of input 0"},
        {21, "QLinearConv", "{}", "u1x4x6x6 s1 u1 u8x3x2x2 s1 u1 s1 u1", 1,
         "axis 1 of input 0 of ONNX's QLinearConv has the size 4, but must have 3 times group, as axis 1 of input 3"},
        {21, "RNN", "{\"hidden_size\": 4}", "5x2x3 1x4x5 1x4x4", 1,
         "axis 2 of input 1 of ONNX's RNN has the size 5, but must have 3, as axis 2 of input 0"},
        {21, "RNN", "{\"hidden_size\": 4}", "5x2x3 1x4x3 1x6x4", 1,
         "axis 1 of input 2 of ONNX's RNN has the size 6, but must have 4, as axis 1 of input 1"},
        {21, "RoiAlign", "{}", "1x4x6x6 2x4 [0]", 1,
         "axis 0 of input 2 of ONNX's RoiAlign has the size 1, but must have 2, as axis 0 of input 1"},
    };
    CHECK(rows, UNSUPPORTED);
}

/* Every row of the table of multiples. */
static void sizes_that_are_not_multiples_are_refused(void **state)
{
    static const struct row rows[] = {
        {21, "Conv", "{\"group\": 2}", "1x6x6x6 5x3x2x2", 1,
         "'group' is 2, but the size of input 1 of ONNX's Conv on axis 0, 5, is not a multiple of it"},
        {21, "ConvInteger", "{\"group\": 2}", "u1x6x6x6 u5x3x2x2", 1,
         "'group' is 2, but the size of input 1 of ONNX's ConvInteger on axis 0, 5, is not a multiple of it"},
        {21, "ConvTranspose", "{\"group\": 2}", "1x3x6x6 3x4x2x2", 1,
         "'group' is 2, but the size of input 1 of ONNX's ConvTranspose on axis 0, 3, is not a multiple of it"},
        {21, "DeformConv", "{\"group\": 2}", "1x6x6x6 5x3x2x2 1x8x5x5", 1,
         "'group' is 2, but the size of input 1 of ONNX's DeformConv on axis 0, 5, is not a multiple of it"},
        {21, "DepthToSpace", "{\"blocksize\": 2}", "1x6x2x2", 1,
         "'blocksize' is 2, but the size of input 0 of ONNX's DepthToSpace on axis 1, 6, is not a multiple of its square"},
        {21, "GroupNormalization", "{\"num_groups\": 3}", "3x4x3 4 4", 1,
         "'num_groups' is 3, but the size of input 0 of ONNX's GroupNormalization on axis 1, 4, is not a multiple of it"},
        {21, "QLinearConv", "{\"group\": 2}", "u1x6x6x6 s1 u1 u5x3x2x2 s1 u1 s1 u1", 1,
         "'group' is 2, but the size of input 3 of ONNX's QLinearConv on axis 0, 5, is not a multiple of it"},
        {21, "SpaceToDepth", "{\"blocksize\": 2}", "1x6x3x2", 1,
         "'blocksize' is 2, but the size of input 0 of ONNX's SpaceToDepth on axis 2, 3, is not a multiple of it"},
        {21, "SpaceToDepth", "{\"blocksize\": 2}", "1x6x2x3", 1,
         "'blocksize' is 2, but the size of input 0 of ONNX's SpaceToDepth on axis 3, 3, is not a multiple of it"},
    };
    CHECK(rows, UNSUPPORTED);
}

/* Every row of the table of lengths. */
static void vectors_of_other_lengths_are_refused(void **state)
{
    static const struct row rows[] = {
        {21, "CenterCropPad", "{}", "2x3 [1]", 1, "input 1 of ONNX's CenterCropPad has 1 elements, but must have 2"},
        {21, "CenterCropPad", "{}", "2x3 [1,1,1]", 1, "input 1 of ONNX's CenterCropPad has 3 elements, but must have 2"},
        {21, "CenterCropPad", "{\"axes\": [1]}", "2x3 [1,1]", 1, "input 1 of ONNX's CenterCropPad has 2 elements, but must have 1"},
        {21, "CenterCropPad", "{}", "2x3 []", 1, "input 1 of ONNX's CenterCropPad has 0 elements, but must have 2"},
        {21, "Pad", "{}", "2x3 [1,1]", 1, "input 1 of ONNX's Pad has 2 elements, but must have 4"},
        {21, "Pad", "{}", "2x3 [0,0,1] - [0]", 1, "input 1 of ONNX's Pad has 3 elements, but must have 2"},
        {21, "Pad", "{}", "2x3 []", 1, "input 1 of ONNX's Pad has 0 elements, but must have 4"},
        {21, "Resize", "{}", "2x3 f[0,0] f[1,2]", 1, "input 1 of ONNX's Resize has 2 elements, but must have 4"},
        {21, "Resize", "{}", "2x3 - f[1]", 1, "input 2 of ONNX's Resize has 1 elements, but must have 2"},
        {21, "Resize", "{}", "2x3 - - [6]", 1, "input 3 of ONNX's Resize has 1 elements, but must have 2"},
        {21, "Resize", "{\"axes\": [1]}", "2x3 - - [2,6]", 1, "input 3 of ONNX's Resize has 2 elements, but must have 1"},
        {21, "Slice", "{}", "2x3 [0,0] [1]", 1, "input 2 of ONNX's Slice has 1 elements, but must have 2"},
        {21, "Slice", "{}", "2x3 [0] []", 1, "input 2 of ONNX's Slice has 0 elements, but must have 1"},
        {21, "Slice", "{}", "2x3 [0] [1] [0,1]", 1, "input 3 of ONNX's Slice has 2 elements, but must have 1"},
        {21, "Slice", "{}", "2x3 [0] [1] []", 1, "input 3 of ONNX's Slice has 0 elements, but must have 1"},
        {21, "Slice", "{}", "2x3 [0] [1] [0] [1,1]", 1, "input 4 of ONNX's Slice has 2 elements, but must have 1"},
        {21, "Slice", "{}", "2x3 [0] [1] [0] []", 1, "input 4 of ONNX's Slice has 0 elements, but must have 1"},
        {21, "Tile", "{}", "2x3 [1]", 1, "input 1 of ONNX's Tile has 1 elements, but must have 2"},
        {21, "Tile", "{}", "2x3 []", 1, "input 1 of ONNX's Tile has 0 elements, but must have 2"},
    };
    CHECK(rows, UNSUPPORTED);
}

/* Each attribute by which rules divide or that counts something, as a number and in a list. */
static void numbers_out_of_range_are_refused(void **state)
{
    static const struct row rows[] = {
        {21, "DepthToSpace", "{\"blocksize\": 0}", "1x8x2x2", 1, "'blocksize' is 0, but must be 1 to 2147483647"},
        {21, "Conv", "{\"dilations\": [1, 0]}", "1x1x5x5 1x1x3x3", 1, "'dilations' is 0, but must be 1 to 2147483647"},
        {21, "Conv", "{\"group\": 0}", "1x1x5x5 1x1x3x3", 1, "'group' is 0, but must be 1 to 2147483647"},
        {21, "RNN", "{\"hidden_size\": 0}", "5x2x3 1x4x3 1x4x4", 1, "'hidden_size' is 0, but must be 1 to 2147483647"},
        {21, "MaxPool", "{\"kernel_shape\": [0]}", "1x1x5", 1, "'kernel_shape' is 0, but must be 1 to 2147483647"},
        {21, "GroupNormalization", "{\"num_groups\": 0}", "2x4x3 4 4", 1, "'num_groups' is 0, but must be 1 to 2147483647"},
        {21, "Split", "{\"num_outputs\": 0}", "2x3", 2, "'num_outputs' is 0, but must be 1 to 2147483647"},
        {21, "RoiAlign", "{\"output_height\": 0}", "1x4x6x6 1x4 [0]", 1, "'output_height' is 0, but must be 1 to 2147483647"},
        {21, "RoiAlign", "{\"output_width\": 0}", "1x4x6x6 1x4 [0]", 1, "'output_width' is 0, but must be 1 to 2147483647"},
        {21, "RandomNormal", "{\"shape\": [-2, 3]}", "", 1, "'shape' is -2, but must be 0 to 2147483647"},
        {21, "ConvTranspose", "{\"output_shape\": [0, 1]}", "1x1x5x5 1x1x3x3", 1, "'output_shape' is 0, but must be 1 to 2147483647"},
        {21, "MaxRoiPool", "{\"pooled_shape\": [2, 0]}", "1x4x6x6 1x5", 1, "'pooled_shape' is 0, but must be 1 to 2147483647"},
        {21, "Multinomial", "{\"sample_size\": 0}", "2x3", 1, "'sample_size' is 0, but must be 1 to 2147483647"},
        {21, "MaxPool", "{\"kernel_shape\": [2], \"strides\": [0]}", "1x1x5", 1, "'strides' is 0, but must be 1 to 2147483647"},
        {21, "Conv", "{\"group\": 2147483648}", "1x1x5x5 1x1x3x3", 1, "'group' is 2147483648, but must be 1 to 2147483647"},
        {21, "Softmax", "{\"axis\": 2147483648}", "2x3", 1, "'axis' is 2147483648, but must be -2147483648 to 2147483647"},
        {21, "Softmax", "{\"axis\": -2147483649}", "2x3", 1, "'axis' is -2147483649, but must be -2147483648 to 2147483647"},
        {21, "Softmax", "{\"axis\": 2147483647}", "2x3", 1, "'axis' is 2147483647, but must be -2 to 1"},
        {21, "Softmax", "{\"axis\": -2147483648}", "2x3", 1, "'axis' is -2147483648, but must be -2 to 1"},
    };
    CHECK(rows, UNSUPPORTED);
}

static void shapes_that_fit_are_written(void **state)
{
    static const struct row rows[] = {
        {21, "Concat", "{\"axis\": 1}", "2x3 2x4", 1, "Concat(a, b) {axis=1} : float32 (2, 7)"},
        {21, "Concat", "{\"axis\": -1}", "?x3 2x4", 1, "Concat(a, b) {axis=1} : float32 (2, 7)"},
        {21, "Gemm", "{\"transA\": 1}", "3x2 3x4 4", 1, "Gemm(a, b, c) {transA=1} : float32 (2, 4)"},
        {21, "MatMul", "{}", "5x2x3 1x3x2", 1, "MatMul(a, b) : float32 (5, 2, 2)"},
        {21, "MatMul", "{}", "5x1x2x3 4x3x2", 1, "MatMul(a, b) : float32 (5, 4, 2, 2)"},
        {21, "Squeeze", "{}", "2x1x3 [1]", 1, "Squeeze(a, g/axes) : float32 (2, 3)"},
        {21, "Squeeze", "{}", "2x1x3", 1, "Squeeze(a, g/axes) : float32 (2, 3)"},
        {21, "Slice", "{}", "4x3 [1] [3]", 1, "Slice(a, g/starts, g/ends, g/axes) : float32 (2, 3)"},
        {21, "Slice", "{}", "4x3 [3] [0] [0] [-2]", 1, "Slice(a, g/starts, g/ends, g/ends, g/steps) : float32 (2, 3)"},
        {21, "Split", "{\"axis\": 1}", "2x3 [1,2]", 2, "Split(a, g/sizes) {axis=1} : float32 (2, 1), float32 (2, 2)"},
        {21, "Split", "{\"axis\": 1, \"num_outputs\": 2}", "2x3", 2, "Split(a) {axis=1, num_outputs=2} : float32 (2, 2), float32 (2, 1)"},
        {21, "Reshape", "{}", "2x3 [3,-1]", 1, "Reshape(a, g/shape) : float32 (3, 2)"},
        {21, "Reshape", "{}", "2x?x3 [0,-1]", 1, "Reshape(a, g/shape) : float32 (2, 3*a_dim1)"},
        {21, "Reshape", "{\"allowzero\": 1}", "?x3 [3,0]", 1, "Reshape(a, g/shape) {allowzero=1} : float32 (3, 0)"},
        {21, "CenterCropPad", "{\"axes\": [1]}", "2x3 [5]", 1, "CenterCropPad(a, g/const) {axes=[1]} : float32 (2, 5)"},
        {21, "Flatten", "{\"axis\": 2}", "2x?x3x4", 1, "Flatten(a) {axis=2} : float32 (2*a_dim1, 12)"},
        {21, "LayerNormalization", "{\"axis\": -2}", "2x3x4 3x4", 3,
         "LayerNormalization(a, b) {axis=-2} : float32 (2, 3, 4), float32 (2, 1, 1), float32 (2, 1, 1)"},
        {21, "LayerNormalization", "{}", "3 3", 2, "LayerNormalization(a, b) : float32 (3,), float32 (1,)"},
        {21, "MaxPool", "{\"kernel_shape\": [2], \"auto_pad\": \"SAME_UPPER\", \"strides\": [2]}", "1x1x5", 1,
         "MaxPool(a) {kernel_shape=[2], auto_pad=\"SAME_UPPER\", strides=[2]} : float32 (1, 1, 3)"},
        {21, "MaxPool", "{\"kernel_shape\": [2], \"auto_pad\": \"SAME_LOWER\", \"strides\": [2]}", "1x1x?", 1,
         "MaxPool(a) {kernel_shape=[2], auto_pad=\"SAME_LOWER\", strides=[2]} : float32 (1, 1, floor((a_dim2 + 1)/2))"},
        {21, "Conv", "{\"pads\": [1, 0]}", "1x1x2 1x1x3", 1, "Conv(a, b) {pads=[1, 0]} : float32 (1, 1, 1)"},
        {21, "Conv", "{\"pads\": [0, 1]}", "1x1x2 1x1x3", 1, "Conv(a, b) {pads=[0, 1]} : float32 (1, 1, 1)"},
        {21, "MaxPool", "{\"kernel_shape\": [6], \"auto_pad\": \"SAME_UPPER\"}", "1x1x5", 1,
         "MaxPool(a) {kernel_shape=[6], auto_pad=\"SAME_UPPER\"} : float32 (1, 1, 5)"},
        {21, "MaxPool", "{\"kernel_shape\": [6], \"strides\": [2], \"ceil_mode\": 1}", "1x1x5", 1,
         "MaxPool(a) {kernel_shape=[6], strides=[2], ceil_mode=1} : float32 (1, 1, 1)"},
        {21, "MaxPool", "{\"kernel_shape\": [7], \"strides\": [2], \"ceil_mode\": 1}", "1x1x5", 1,
         "MaxPool(a) {kernel_shape=[7], strides=[2], ceil_mode=1} : float32 (1, 1, 0)"},
        {21, "Resize", "{\"axes\": [1]}", "2x3 - - [6]", 1, "Resize(a, -, -, g/sizes) {axes=[1]} : float32 (2, 6)"},
        {21, "Resize", "{}", "2x? - f[1,1.5]", 1, "Resize(a, -, g/scales) : float32 (2, ?)"},
        {21, "DepthToSpace", "{\"blocksize\": 2}", "1x8x2x3", 1, "DepthToSpace(a) {blocksize=2} : float32 (1, 2, 4, 6)"},
        {21, "RNN", "{\"hidden_size\": 2, \"activations\": [\"LeakyRelu\"], \"activation_alpha\": [1]}", "1x1x3 1x2x3 1x2x2", 1,
         "RNN(a, b, c) {hidden_size=2, activations=[\"LeakyRelu\"], activation_alpha=[1]} : float32 (1, 1, 1, 2)"},
        {21, "LRN", "{\"size\": 3}", "1x2x3x3", 1, "LRN(a) {size=3} : float32 (1, 2, 3, 3)"},
        {21, "OneHot", "{\"axis\": 0}", "i3 [4] f[0,1]", 1, "OneHot(g/cast, g/depth, g/values) {axis=0} : float32 (4, 3)"},
        {21, "Resize", "{}", "2x3 f[] f[1,2]", 1, "Resize(a, g/roi, g/scales) : float32 (2, 6)"},
        {21, "Resize", "{}", "2x3 - f[] [2,6]", 1, "Resize(a, -, g/scales, g/sizes) : float32 (2, 6)"},
        {21, "Resize", "{}", "2x3 - f[1,2] []", 1, "Resize(a, -, g/scales, g/sizes) : float32 (?, ?)"},
        {21, "Transpose", "{}", "2x3x4", 1, "float32 (4, 3, 2)"},
        {21, "Transpose", "{}", "2x?x4", 1, "float32 (4, a_dim1, 2)"},
        {21, "TopK", "{}", "2x5 [3]", 2, "TopK(a, g/k) : float32 (2, 3), int64 (2, 3)"},
        {21, "Compress", "{}", "2x3 u2", 1, "Compress(a, g/const) : float32 (?,)"},
    };
    CHECK(rows, MX2ONNX_OK);
}

/* A row at least for each rule, with sizes that differ. The shapes are those that ONNX infers, or what its definition says. */
static void shapes_are_as_onnx_defines_them(void **state)
{
    static const struct row rows[] = {
        {26, "Gather", "{\"axis\": 1}", "2x3x4 i5", 1, "Gather(a, g/cast) {axis=1} : float32 (2, 5, 4)"},
        {26, "Gather", "{\"axis\": -1}", "2x3x4 i5", 1, "Gather(a, g/cast) {axis=2} : float32 (2, 3, 5)"},
        {26, "Gather", "{\"axis\": 1}", "2x3x4 n1", 1, "Gather(a, g/indices) {axis=1} : float32 (2, 4)"},
        {26, "Gather", "{}", "?x3 i5", 1, "Gather(a, g/cast) {axis=0} : float32 (5, 3)"},
        {26, "GatherND", "{}", "2x3x4 [1]", 1, "GatherND(a, g/const) : float32 (3, 4)"},
        {26, "GatherND", "{}", "2x3x4 [1,2]", 1, "GatherND(a, g/const) : float32 (4,)"},
        {26, "GatherND", "{\"batch_dims\": 1}", "2x3x4 i2x2", 1, "GatherND(a, g/cast) {batch_dims=1} : float32 (2,)"},
        {26, "GatherND", "{\"batch_dims\": 1}", "2x3x4 i2x1", 1, "GatherND(a, g/cast) {batch_dims=1} : float32 (2, 4)"},
        {26, "GatherND", "{}", "2x3x4x5 i6x7x2", 1, "GatherND(a, g/cast) : float32 (6, 7, 4, 5)"},
        {26, "Compress", "{\"axis\": 1}", "2x3x4 u3", 1, "Compress(a, g/const) {axis=1} : float32 (2, ?, 4)"},
        {26, "Compress", "{\"axis\": -1}", "2x3x4 u4", 1, "Compress(a, g/const) {axis=-1} : float32 (2, 3, ?)"},
        {26, "Compress", "{}", "2x3 u6", 1, "Compress(a, g/const) : float32 (?,)"},
        {26, "OneHot", "{}", "i2x3 [5] f[0,1]", 1, "OneHot(g/cast, g/depth, g/values) : float32 (2, 3, 5)"},
        {26, "OneHot", "{\"axis\": 1}", "i2x3 [5] f[0,1]", 1, "OneHot(g/cast, g/depth, g/values) {axis=1} : float32 (2, 5, 3)"},
        {26, "OneHot", "{\"axis\": -3}", "i2x3 [5] f[0,1]", 1, "OneHot(g/cast, g/depth, g/values) {axis=-3} : float32 (5, 2, 3)"},
        {26, "OneHot", "{\"axis\": -2}", "i2x3 [5] f[0,1]", 1, "OneHot(g/cast, g/depth, g/values) {axis=-2} : float32 (2, 5, 3)"},
        {26, "OneHot", "{}", "i2x3 i1 f[0,1]", 1, "OneHot(g/cast, g/cast_1, g/values) : float32 (2, 3, ?)"},
        {26, "TopK", "{\"axis\": 0}", "4x5 [3]", 2, "TopK(a, g/k) {axis=0} : float32 (3, 5), int64 (3, 5)"},
        {26, "TopK", "{\"axis\": -2}", "4x5x6 [3]", 2, "TopK(a, g/k) {axis=-2} : float32 (4, 3, 6), int64 (4, 3, 6)"},
        {26, "ArgMax", "{}", "2x3x4", 1, "ArgMax(a) : int64 (1, 3, 4)"},
        {26, "ArgMax", "{\"axis\": 1}", "2x3x4", 1, "ArgMax(a) {axis=1} : int64 (2, 1, 4)"},
        {26, "ArgMax", "{\"axis\": -1, \"keepdims\": 0}", "2x3x4", 1, "ArgMax(a) {axis=-1, keepdims=0} : int64 (2, 3)"},
        {26, "ArgMin", "{\"axis\": 1, \"keepdims\": 0}", "2x3x4", 1, "ArgMin(a) {axis=1, keepdims=0} : int64 (2, 4)"},
        {26, "Unique", "{}", "2x3", 4, "Unique(a) : float32 (?,), int64 (?,), int64 (6,), int64 (?,)"},
        {26, "Unique", "{\"axis\": 1}", "2x3", 4, "Unique(a) {axis=1} : float32 (2, ?), int64 (?,), int64 (3,), int64 (?,)"},
        {26, "Unique", "{\"axis\": -2}", "2x3", 4, "Unique(a) {axis=-2} : float32 (?, 3), int64 (?,), int64 (2,), int64 (?,)"},
        {26, "Size", "{}", "2x?", 1, "Size(a) : int64 ()"},
        {26, "ConstantOfShape", "{}", "i3", 1, "ConstantOfShape(g/cast) : float32 (?, ?, ?)"},
        {26, "Range", "{}", "i1 n5 n1", 1, "Range(g/cast, g/limit, g/delta) : int64 (?,)"},
        {26, "NonZero", "{}", "2x3x4", 1, "NonZero(a) : int64 (3, ?)"},
        {26, "NonZero", "{}", "2", 1, "NonZero(a) : int64 (1, ?)"},
        {21, "RandomNormal", "{\"shape\": [2, 3]}", "", 1, "RandomNormal() {shape=[2, 3]} : float32 (2, 3)"},
        {21, "RandomNormal", "{\"shape\": [2, 3], \"dtype\": 11}", "", 1, "RandomNormal() {shape=[2, 3], dtype=float64} : float64 (2, 3)"},
        {21, "RandomNormalLike", "{}", "2x3", 1, "RandomNormalLike(a) : float32 (2, 3)"},
        {21, "RandomNormalLike", "{\"dtype\": 11}", "2x3", 1, "RandomNormalLike(a) {dtype=float64} : float64 (2, 3)"},
        {21, "Multinomial", "{\"sample_size\": 5}", "2x3", 1, "Multinomial(a) {sample_size=5} : int32 (2, 5)"},
        {21, "Multinomial", "{}", "2x3", 1, "Multinomial(a) : int32 (2, 1)"},
        {21, "Multinomial", "{\"sample_size\": 5, \"dtype\": 7}", "2x3", 1, "Multinomial(a) {sample_size=5, dtype=int64} : int64 (2, 5)"},
        {21, "Bernoulli", "{}", "2x3", 1, "Bernoulli(a) : float32 (2, 3)"},
        {21, "Bernoulli", "{\"dtype\": 11}", "2x3", 1, "Bernoulli(a) {dtype=float64} : float64 (2, 3)"},
        {26, "Reshape", "{}", "2x3x4 [4,-1]", 1, "Reshape(a, g/shape) : float32 (4, 6)"},
        {26, "Reshape", "{}", "2x?x4 [0,0,2,-1]", 1, "Reshape(a, g/shape) : float32 (2, a_dim1, 2, 2)"},
        {26, "Reshape", "{}", "2x3x4 [-1,0]", 1, "Reshape(a, g/shape) : float32 (8, 3)"},
        {26, "Reshape", "{}", "?x6 [-1,3]", 1, "Reshape(a, g/shape) : float32 (2*batch, 3)"},
        {26, "Reshape", "{}", "2x3 i3", 1, "Reshape(a, g/cast) : float32 (?, ?, ?)"},
        {26, "Reshape", "{}", "2x?x4 [-1]", 1, "Reshape(a, g/shape) : float32 (8*a_dim1,)"},
        {26, "Transpose", "{\"perm\": [1, 2, 0]}", "2x3x4", 1, "Transpose(a) {perm=[1, 2, 0]} : float32 (3, 4, 2)"},
        {26, "Transpose", "{}", "2x?x4", 1, "Transpose(a) {perm=[2, 1, 0]} : float32 (4, a_dim1, 2)"},
        {26, "Squeeze", "{}", "1x3x1 [0,-1]", 1, "Squeeze(a, g/axes) : float32 (3,)"},
        {26, "Squeeze", "{}", "1x3x1 [2]", 1, "Squeeze(a, g/axes) : float32 (1, 3)"},
        {26, "Squeeze", "{}", "1x3x1", 1, "Squeeze(a, g/axes) : float32 (3,)"},
        {26, "Squeeze", "{}", "1x3x?", 1, "Squeeze(a) : float32 ?"},
        {26, "Unsqueeze", "{}", "2x3 [1]", 1, "Unsqueeze(a, g/axes) : float32 (2, 1, 3)"},
        {26, "Unsqueeze", "{}", "2x3 [0,-1]", 1, "Unsqueeze(a, g/axes) : float32 (1, 2, 3, 1)"},
        {26, "Unsqueeze", "{}", "2x3 [-2]", 1, "Unsqueeze(a, g/axes) : float32 (2, 1, 3)"},
        {26, "Unsqueeze", "{}", "2x3 [1,2]", 1, "Unsqueeze(a, g/axes) : float32 (2, 1, 1, 3)"},
        {26, "Expand", "{}", "3x1 [2,1,4]", 1, "Expand(a, g/shape) : float32 (2, 3, 4)"},
        {26, "Expand", "{}", "3x1 [4]", 1, "Expand(a, g/shape) : float32 (3, 4)"},
        {26, "Expand", "{}", "?x1 [1,4]", 1, "Expand(a, g/shape) : float32 (batch, 4)"},
        {26, "Expand", "{}", "3x1 i3", 1, "Expand(a, g/cast) : float32 (?, ?, ?)"},
        {26, "Expand", "{}", "2x3x1 i2", 1, "Expand(a, g/cast) : float32 (?, ?, ?)"},
        {26, "Expand", "{}", "* i2", 1, "Expand(g/cast, g/cast_1) : float32 ?"},
        {26, "Tile", "{}", "2x3 [3,2]", 1, "Tile(a, g/repeats) : float32 (6, 6)"},
        {26, "Tile", "{}", "2x? [3,2]", 1, "Tile(a, g/repeats) : float32 (6, 2*a_dim1)"},
        {26, "Tile", "{}", "2x3 i2", 1, "Tile(a, g/cast) : float32 (?, ?)"},
        {26, "Concat", "{\"axis\": 0}", "2x3 4x3", 1, "Concat(a, b) {axis=0} : float32 (6, 3)"},
        {26, "Concat", "{\"axis\": -2}", "2x3 4x3 1x3", 1, "Concat(a, b, c) {axis=0} : float32 (7, 3)"},
        {26, "Concat", "{\"axis\": 1}", "2x? 2x4", 1, "Concat(a, b) {axis=1} : float32 (2, a_dim1 + 4)"},
        {26, "Concat", "{\"axis\": 1}", "?x3 2x4", 1, "Concat(a, b) {axis=1} : float32 (2, 7)"},
        {26, "Split", "{\"axis\": 1}", "2x7", 3, "Split(a) {axis=1, num_outputs=3} : float32 (2, 3), float32 (2, 3), float32 (2, 1)"},
        {26, "Split", "{\"axis\": -1}", "2x6x4", 2, "Split(a) {axis=-1, num_outputs=2} : float32 (2, 6, 2), float32 (2, 6, 2)"},
        {26, "Split", "{}", "5x2 [1,4]", 2, "Split(a, g/sizes) : float32 (1, 2), float32 (4, 2)"},
        {26, "Split", "{\"axis\": 1}", "2x?", 2,
         "Split(a) {axis=1, num_outputs=2} : float32 (2, floor((a_dim1 + 1)/2)), float32 (2, a_dim1 - floor((a_dim1 + 1)/2))"},
        {26, "Split", "{\"axis\": -1}", "2x?x9 [2,3,4]", 3,
         "Split(a, g/sizes) {axis=-1} : float32 (2, a_dim1, 2), float32 (2, a_dim1, 3), float32 (2, a_dim1, 4)"},
        {26, "Slice", "{}", "5x6 [1] [4]", 1, "Slice(a, g/starts, g/ends, g/axes) : float32 (3, 6)"},
        {26, "Slice", "{}", "5x6 [1,2] [4,5] [1,0]", 1, "Slice(a, g/starts, g/ends, g/axes) : float32 (3, 3)"},
        {26, "Slice", "{}", "5x6 [1] [-1] [1] [2]", 1, "Slice(a, g/starts, g/ends, g/starts, g/steps) : float32 (5, 2)"},
        {26, "Slice", "{}", "5x6 [4] [0] [-1] [-1]", 1, "Slice(a, g/starts, g/ends, g/axes, g/steps) : float32 (5, 4)"},
        {26, "Slice", "{}", "5x6 [-2] [9223372036854775807] [0]", 1, "Slice(a, g/starts, g/ends, g/axes) : float32 (2, 6)"},
        {26, "Slice", "{}", "5x? [-2] [9223372036854775807] [1]", 1, "Slice(a, g/starts, g/ends, g/axes) : float32 (5, ?)"},
        {26, "Slice", "{}", "5x? [2] [9223372036854775807] [1]", 1, "Slice(a, g/starts, g/ends, g/axes) : float32 (5, ?)"},
        {26, "Slice", "{}", "5x? [2] [-1] [1]", 1, "Slice(a, g/starts, g/ends, g/axes) : float32 (5, ?)"},
        {26, "Slice", "{}", "5x? [1] [4] [1]", 1, "Slice(a, g/starts, g/ends, g/starts) : float32 (5, ?)"},
        {26, "Slice", "{}", "5x? [-4] [-1] [1]", 1, "Slice(a, g/starts, g/ends, g/axes) : float32 (5, ?)"},
        {26, "Slice", "{}", "5x? [0] [9223372036854775807] [1] [2]", 1,
         "Slice(a, g/starts, g/ends, g/axes, g/steps) : float32 (5, floor((a_dim1 + 1)/2))"},
        {26, "Slice", "{}", "5x? [1] [9223372036854775807] [1] [3]", 1, "Slice(a, g/starts, g/ends, g/starts, g/steps) : float32 (5, ?)"},
        {26, "Slice", "{}", "5x? [-1] [-9223372036854775807] [1] [-1]", 1,
         "Slice(a, g/starts, g/ends, g/axes, g/starts) : float32 (5, a_dim1)"},
        {26, "Slice", "{}", "5x? [9223372036854775807] [-9223372036854775808] [1] [-2]", 1,
         "Slice(a, g/starts, g/ends, g/axes, g/steps) : float32 (5, floor((a_dim1 + 1)/2))"},
        {26, "Slice", "{}", "5x? [-5] [-1] [1] [2]", 1, "Slice(a, g/starts, g/ends, g/axes, g/steps) : float32 (5, ?)"},
        {26, "Slice", "{}", "5x? [4] [1] [1]", 1, "Slice(a, g/starts, g/ends, g/ends) : float32 (5, 0)"},
        {26, "Slice", "{}", "5x? [-1] [-4] [1]", 1, "Slice(a, g/starts, g/ends, g/axes) : float32 (5, 0)"},
        {26, "Slice", "{}", "5x? [-2] [1] [1]", 1, "Slice(a, g/starts, g/ends, g/ends) : float32 (5, ?)"},
        {26, "Slice", "{}", "5x? [3] [0] [1] [-1]", 1, "Slice(a, g/starts, g/ends, g/axes, g/steps) : float32 (5, ?)"},
        {26, "Slice", "{}", "5x6 [1,1] [4,4] [0,1] [1,2]", 1, "Slice(a, g/starts, g/ends, g/axes, g/steps) : float32 (3, 2)"},
        {26, "Slice", "{}", "5x6 i1 [4] [0]", 1, "Slice(a, g/cast, g/ends, g/axes) : float32 (?, 6)"},
        {26, "Slice", "{}", "5x6 [1] i1 [0]", 1, "Slice(a, g/starts, g/cast, g/axes) : float32 (?, 6)"},
        {26, "Slice", "{}", "5x6 [1] [4] [0] i1", 1, "Slice(a, g/starts, g/ends, g/axes, g/cast) : float32 (?, 6)"},
        {26, "Pad", "{}", "2x3 [1,2,3,4]", 1, "Pad(a, g/pads) : float32 (6, 9)"},
        {26, "Pad", "{}", "2x? [1,2,3,4]", 1, "Pad(a, g/pads) : float32 (6, a_dim1 + 6)"},
        {26, "Pad", "{}", "2x3 [1,2] - [1]", 1, "Pad(a, g/pads, -, g/axes) : float32 (2, 6)"},
        {26, "Pad", "{}", "2x3x4 [1,2,3,4] - [-1,0]", 1, "Pad(a, g/pads, -, g/axes) : float32 (8, 3, 8)"},
        {26, "Pad", "{}", "2x3 [-1,0,0,-2]", 1, "Pad(a, g/pads) : float32 (1, 1)"},
        {26, "Pad", "{\"mode\": \"reflect\"}", "2x3 [0,1,0,2]", 1, "Pad(a, g/pads) {mode=\"reflect\"} : float32 (2, 6)"},
        {26, "Pad", "{}", "2x3 i4", 1, "Pad(a, g/cast) : float32 (?, ?)"},
        {26, "CenterCropPad", "{}", "2x3 [5,1]", 1, "CenterCropPad(a, g/const) : float32 (5, 1)"},
        {26, "CenterCropPad", "{\"axes\": [-1]}", "2x3x4 [9]", 1, "CenterCropPad(a, g/const) {axes=[-1]} : float32 (2, 3, 9)"},
        {26, "CenterCropPad", "{\"axes\": [2, 0]}", "2x3x4 [9,8]", 1, "CenterCropPad(a, g/const) {axes=[2, 0]} : float32 (8, 3, 9)"},
        {26, "Conv", "{}", "1x2x7x9 3x2x2x4", 1, "Conv(a, b) : float32 (1, 3, 6, 6)"},
        {26, "Conv", "{\"strides\": [2, 3]}", "1x2x7x9 3x2x2x4", 1, "Conv(a, b) {strides=[2, 3]} : float32 (1, 3, 3, 2)"},
        {26, "Conv", "{\"pads\": [1, 0, 2, 3]}", "1x2x7x9 3x2x2x4", 1, "Conv(a, b) {pads=[1, 0, 2, 3]} : float32 (1, 3, 9, 9)"},
        {26, "Conv", "{\"dilations\": [3, 2]}", "1x2x7x9 3x2x2x4", 1, "Conv(a, b) {dilations=[3, 2]} : float32 (1, 3, 4, 3)"},
        {26, "Conv", "{\"auto_pad\": \"SAME_UPPER\", \"strides\": [2, 3]}", "1x2x7x10 3x2x2x4", 1,
         "Conv(a, b) {auto_pad=\"SAME_UPPER\", strides=[2, 3]} : float32 (1, 3, 4, 4)"},
        {26, "Conv", "{\"auto_pad\": \"VALID\", \"strides\": [2, 3]}", "1x2x7x10 3x2x2x4", 1,
         "Conv(a, b) {auto_pad=\"VALID\", strides=[2, 3]} : float32 (1, 3, 3, 3)"},
        {26, "Conv", "{\"kernel_shape\": [2, 4], \"group\": 2}", "1x2x7x9 4x1x2x4", 1,
         "Conv(a, b) {kernel_shape=[2, 4], group=2} : float32 (1, 4, 6, 6)"},
        {26, "Conv", "{\"pads\": [1, 1], \"strides\": [2]}", "1x2x? 3x2x3", 1,
         "Conv(a, b) {pads=[1, 1], strides=[2]} : float32 (1, 3, floor((a_dim2 + 1)/2))"},
        {26, "ConvInteger", "{}", "u1x2x7x9 u3x2x2x4", 1, "ConvInteger(g/const, g/const_1) : int32 (1, 3, 6, 6)"},
        {26, "ConvTranspose", "{}", "1x2x5x6 2x3x2x4", 1, "ConvTranspose(a, b) : float32 (1, 3, 6, 9)"},
        {26, "ConvTranspose", "{\"strides\": [2, 3]}", "1x2x5x6 2x3x2x4", 1,
         "ConvTranspose(a, b) {strides=[2, 3]} : float32 (1, 3, 10, 19)"},
        {26, "ConvTranspose", "{\"strides\": [2, 3], \"output_padding\": [1, 2]}", "1x2x5x6 2x3x2x4", 1,
         "ConvTranspose(a, b) {strides=[2, 3], output_padding=[1, 2]} : float32 (1, 3, 11, 21)"},
        {26, "ConvTranspose", "{\"pads\": [1, 0, 0, 2]}", "1x2x5x6 2x3x2x4", 1,
         "ConvTranspose(a, b) {pads=[1, 0, 0, 2]} : float32 (1, 3, 5, 7)"},
        {26, "ConvTranspose", "{\"dilations\": [3, 2]}", "1x2x5x6 2x3x2x4", 1,
         "ConvTranspose(a, b) {dilations=[3, 2]} : float32 (1, 3, 8, 12)"},
        {26, "ConvTranspose", "{\"group\": 2}", "1x2x5x6 2x3x2x4", 1, "ConvTranspose(a, b) {group=2} : float32 (1, 6, 6, 9)"},
        {26, "ConvTranspose", "{\"output_shape\": [11, 19], \"strides\": [2, 3]}", "1x2x5x6 2x3x2x4", 1,
         "ConvTranspose(a, b) {output_shape=[11, 19], strides=[2, 3]} : float32 (1, 3, 11, 19)"},
        {26, "ConvTranspose", "{\"strides\": [2], \"pads\": [1, 0]}", "1x2x? 2x3x3", 1,
         "ConvTranspose(a, b) {strides=[2], pads=[1, 0]} : float32 (1, 3, 2*a_dim2)"},
        {26, "ConvTranspose", "{\"strides\": [2, 3], \"auto_pad\": \"SAME_LOWER\"}", "1x2x5x6 2x3x2x4", 1,
         "ConvTranspose(a, b) {strides=[2, 3], auto_pad=\"SAME_LOWER\"} : float32 (1, 3, 10, 18)"},
        {26, "ConvTranspose", "{\"strides\": [3, 2], \"auto_pad\": \"SAME_UPPER\"}", "1x2x5x? 2x3x2x4", 1,
         "ConvTranspose(a, b) {strides=[3, 2], auto_pad=\"SAME_UPPER\"} : float32 (1, 3, ?, 2*a_dim3)"},
        {26, "ConvTranspose", "{\"strides\": [3, 3], \"auto_pad\": \"SAME_UPPER\", \"output_padding\": [1, 0]}", "1x2x5x6 2x3x2x4", 1,
         "output_padding=[1, 0]} : float32 (1, 3, 15, 18)"},
        {26, "ConvTranspose", "{\"strides\": [2, 3], \"auto_pad\": \"VALID\"}", "1x2x5x6 2x3x2x4", 1,
         "ConvTranspose(a, b) {strides=[2, 3], auto_pad=\"VALID\"} : float32 (1, 3, 10, 19)"},
        {26, "ConvTranspose", "{\"kernel_shape\": [2, 4]}", "1x2x5x6 2x3x2x4", 1,
         "ConvTranspose(a, b) {kernel_shape=[2, 4]} : float32 (1, 3, 6, 9)"},
        {26, "MaxPool", "{\"kernel_shape\": [2, 3]}", "1x2x7x9", 2,
         "MaxPool(a) {kernel_shape=[2, 3]} : float32 (1, 2, 6, 7), int64 (1, 2, 6, 7)"},
        {26, "MaxPool", "{\"kernel_shape\": [2, 3], \"strides\": [3, 2]}", "1x2x7x9", 1,
         "MaxPool(a) {kernel_shape=[2, 3], strides=[3, 2]} : float32 (1, 2, 2, 4)"},
        {26, "MaxPool", "{\"kernel_shape\": [2, 3], \"strides\": [3, 4], \"ceil_mode\": 1}", "1x2x7x9", 1,
         "MaxPool(a) {kernel_shape=[2, 3], strides=[3, 4], ceil_mode=1} : float32 (1, 2, 3, 3)"},
        {26, "MaxPool", "{\"kernel_shape\": [3], \"strides\": [4], \"ceil_mode\": 1, \"pads\": [1, 2]}", "1x2x9", 1,
         "MaxPool(a) {kernel_shape=[3], strides=[4], ceil_mode=1, pads=[1, 2]} : float32 (1, 2, 3)"},
        {26, "MaxPool", "{\"kernel_shape\": [2], \"strides\": [2], \"ceil_mode\": 1, \"pads\": [0, 1]}", "1x2x4", 1,
         "MaxPool(a) {kernel_shape=[2], strides=[2], ceil_mode=1, pads=[0, 1]} : float32 (1, 2, 2)"},
        {26, "MaxPool", "{\"kernel_shape\": [2], \"strides\": [2], \"ceil_mode\": 1, \"pads\": [1, 1]}", "1x2x4", 1,
         "MaxPool(a) {kernel_shape=[2], strides=[2], ceil_mode=1, pads=[1, 1]} : float32 (1, 2, 3)"},
        {26, "MaxPool", "{\"kernel_shape\": [2], \"strides\": [3], \"ceil_mode\": 1, \"pads\": [0, 1]}", "1x2x5", 1,
         "MaxPool(a) {kernel_shape=[2], strides=[3], ceil_mode=1, pads=[0, 1]} : float32 (1, 2, 2)"},
        {26, "MaxPool", "{\"kernel_shape\": [2], \"strides\": [3], \"ceil_mode\": 1, \"pads\": [0, 1]}", "1x2x6", 1,
         "MaxPool(a) {kernel_shape=[2], strides=[3], ceil_mode=1, pads=[0, 1]} : float32 (1, 2, 2)"},
        {26, "MaxPool", "{\"kernel_shape\": [2], \"strides\": [3], \"ceil_mode\": 1, \"pads\": [0, 1]}", "1x2x7", 1,
         "MaxPool(a) {kernel_shape=[2], strides=[3], ceil_mode=1, pads=[0, 1]} : float32 (1, 2, 3)"},
        {26, "MaxPool", "{\"kernel_shape\": [2, 3], \"dilations\": [3, 2], \"pads\": [1, 2, 0, 1]}", "1x2x7x9", 1,
         "MaxPool(a) {kernel_shape=[2, 3], dilations=[3, 2], pads=[1, 2, 0, 1]} : float32 (1, 2, 5, 8)"},
        {26, "MaxPool", "{\"kernel_shape\": [2], \"strides\": [2]}", "1x2x?", 1,
         "MaxPool(a) {kernel_shape=[2], strides=[2]} : float32 (1, 2, floor(a_dim2/2))"},
        {26, "MaxPool", "{\"kernel_shape\": [3], \"strides\": [2], \"ceil_mode\": 1, \"pads\": [1, 1]}", "1x2x?", 1,
         "MaxPool(a) {kernel_shape=[3], strides=[2], ceil_mode=1, pads=[1, 1]} : float32 (1, 2, floor(a_dim2/2) + 1)"},
        {26, "AveragePool", "{\"kernel_shape\": [2, 3], \"strides\": [1, 2]}", "1x2x7x9", 1,
         "AveragePool(a) {kernel_shape=[2, 3], strides=[1, 2]} : float32 (1, 2, 6, 4)"},
        {26, "LpPool", "{\"kernel_shape\": [2, 3]}", "1x2x7x9", 1, "LpPool(a) {kernel_shape=[2, 3]} : float32 (1, 2, 6, 7)"},
        {26, "GlobalMaxPool", "{}", "1x2x7x9", 1, "GlobalMaxPool(a) : float32 (1, 2, 1, 1)"},
        {26, "GlobalAveragePool", "{}", "1x2x7", 1, "GlobalAveragePool(a) : float32 (1, 2, 1)"},
        {21, "GlobalLpPool", "{}", "1x2x7x8x9", 1, "GlobalLpPool(a) : float32 (1, 2, 1, 1, 1)"},
        {21, "MaxRoiPool", "{\"pooled_shape\": [3, 4]}", "1x2x8x8 5x5", 1, "MaxRoiPool(a, b) {pooled_shape=[3, 4]} : float32 (5, 2, 3, 4)"},
        {21, "RoiAlign", "{\"output_height\": 3, \"output_width\": 4}", "1x2x8x8 5x4 i5", 1,
         "RoiAlign(a, b, g/cast) {output_height=3, output_width=4} : float32 (5, 2, 3, 4)"},
        {21, "RoiAlign", "{}", "1x2x8x8 5x4 i5", 1, "RoiAlign(a, b, g/cast) : float32 (5, 2, 1, 1)"},
        {21, "RoiAlign", "{\"output_height\": 3}", "1x2x8x8 ?x4 i5", 1,
         "RoiAlign(a, b, g/cast) {output_height=3} : float32 (batch, 2, 3, 1)"},
        {26, "GridSample", "{}", "2x3x5x6 2x7x8x2", 1, "GridSample(a, b) : float32 (2, 3, 7, 8)"},
        {26, "GridSample", "{}", "2x3x4x5x6 2x7x8x9x3", 1, "GridSample(a, b) : float32 (2, 3, 7, 8, 9)"},
        {26, "AffineGrid", "{}", "2x2x3 [2,5,6,7]", 1, "AffineGrid(a, g/const) : float32 (2, 6, 7, 2)"},
        {26, "AffineGrid", "{}", "2x3x4 [2,5,6,7,8]", 1, "AffineGrid(a, g/const) : float32 (2, 6, 7, 8, 3)"},
        {26, "Resize", "{}", "1x2x4x5 - f[1,1,2,3]", 1, "Resize(a, -, g/scales) : float32 (1, 2, 8, 15)"},
        {26, "Resize", "{}", "1x2x4x5 - f[1,1,0.5,0.3]", 1, "Resize(a, -, g/scales) : float32 (1, 2, 2, 1)"},
        {26, "Resize", "{}", "1x2x4x? - f[1,1,2,3]", 1, "Resize(a, -, g/scales) : float32 (1, 2, 8, 3*a_dim3)"},
        {26, "Resize", "{}", "1x2x4x? - f[1,1,2,1]", 1, "Resize(a, -, g/scales) : float32 (1, 2, 8, a_dim3)"},
        {26, "Resize", "{}", "1x2x4x5 - - [1,2,7,8]", 1, "Resize(a, -, -, g/sizes) : float32 (1, 2, 7, 8)"},
        {26, "Resize", "{\"axes\": [3, 2]}", "1x2x4x5 - f[2,3]", 1, "Resize(a, -, g/scales) {axes=[3, 2]} : float32 (1, 2, 12, 10)"},
        {26, "Resize", "{\"axes\": [-1, -2]}", "1x2x4x5 - - [7,8]", 1, "Resize(a, -, -, g/sizes) {axes=[-1, -2]} : float32 (1, 2, 8, 7)"},
        {26, "DepthToSpace", "{\"blocksize\": 3}", "1x18x2x5", 1, "DepthToSpace(a) {blocksize=3} : float32 (1, 2, 6, 15)"},
        {26, "SpaceToDepth", "{\"blocksize\": 3}", "1x2x6x9", 1, "SpaceToDepth(a) {blocksize=3} : float32 (1, 18, 2, 3)"},
        {26, "DepthToSpace", "{\"blocksize\": 2}", "1x8x?x5", 1, "DepthToSpace(a) {blocksize=2} : float32 (1, 2, 2*a_dim2, 10)"},
        {26, "SpaceToDepth", "{\"blocksize\": 2}", "1x?x6x8", 1, "SpaceToDepth(a) {blocksize=2} : float32 (1, 4*a_dim1, 3, 4)"},
        {26, "Col2Im", "{}", "2x12x20 [5,6] [2,2]", 1, "Col2Im(a, g/const, g/const_1) : float32 (2, 3, 5, 6)"},
        {26, "Col2Im", "{}", "2x12x20 [5,6] [3,2]", 1, "Col2Im(a, g/const, g/const_1) : float32 (2, 2, 5, 6)"},
        {26, "Gemm", "{}", "2x3 3x4", 1, "Gemm(a, b) : float32 (2, 4)"},
        {26, "Gemm", "{\"transA\": 1}", "3x2 3x4 1x4", 1, "Gemm(a, b, c) {transA=1} : float32 (2, 4)"},
        {26, "Gemm", "{\"transB\": 1}", "2x3 4x3", 1, "Gemm(a, b) {transB=1} : float32 (2, 4)"},
        {26, "MatMul", "{}", "2x3 3x4", 1, "MatMul(a, b) : float32 (2, 4)"},
        {26, "MatMul", "{}", "3 3x4", 1, "MatMul(a, b) : float32 (4,)"},
        {26, "MatMul", "{}", "2x3 3", 1, "MatMul(a, b) : float32 (2,)"},
        {26, "MatMul", "{}", "3 3", 1, "MatMul(a, b) : float32 ()"},
        {26, "MatMul", "{}", "5x2x3 3", 1, "MatMul(a, b) : float32 (5, 2)"},
        {26, "MatMul", "{}", "3 5x3x4", 1, "MatMul(a, b) : float32 (5, 4)"},
        {26, "MatMul", "{}", "5x1x2x3 6x3x4", 1, "MatMul(a, b) : float32 (5, 6, 2, 4)"},
        {26, "MatMul", "{}", "?x2x3 1x3x4", 1, "MatMul(a, b) : float32 (batch, 2, 4)"},
        {26, "MatMulInteger", "{}", "u5x2x3 u3x4", 1, "MatMulInteger(g/const, g/const_1) : int32 (5, 2, 4)"},
        {26, "Det", "{}", "5x3x3", 1, "Det(a) : float32 (5,)"},
        {26, "Det", "{}", "3x3", 1, "Det(a) : float32 ()"},
        {26, "Einsum", "{\"equation\": \"ij,jk->ik\"}", "2x3 3x4", 1, "Einsum(a, b) {equation=\"ij,jk->ik\"} : float32 (2, 4)"},
        {26, "Einsum", "{\"equation\": \"ij,jk\"}", "2x3 3x4", 1, "Einsum(a, b) {equation=\"ij,jk\"} : float32 (2, 4)"},
        {26, "Einsum", "{\"equation\": \"b i j , b j k -> b k i\"}", "5x2x3 5x3x4", 1,
         "Einsum(a, b) {equation=\"b i j , b j k -> b k i\"} : float32 (5, 4, 2)"},
        {26, "Einsum", "{\"equation\": \"zy,yx\"}", "2x3 3x4", 1, "Einsum(a, b) {equation=\"zy,yx\"} : float32 (4, 2)"},
        {26, "Einsum", "{\"equation\": \"ii->i\"}", "3x3", 1, "Einsum(a) {equation=\"ii->i\"} : float32 (3,)"},
        {26, "Einsum", "{\"equation\": \"ij,ij->ij\"}", "1x3 2x3", 1, "Einsum(a, b) {equation=\"ij,ij->ij\"} : float32 (2, 3)"},
        {26, "Einsum", "{\"equation\": \"...ij\"}", "2x3", 1, "Einsum(a) {equation=\"...ij\"} : float32 ?"},
        {26, "Einsum", "{\"equation\": \"\\u00e9j->j\"}", "2x3", 1, " : float32 ?"},
        {26, "Einsum", "{\"equation\": \"ij->\\u00e9\"}", "2x3", 1, " : float32 ?"},
        {26, "Einsum", "{\"equation\": \"ij->ik\"}", "2x3", 1, " : float32 ?"},
        {26, "Einsum", "{\"equation\": \"...ij->...ji\"}", "2x3", 1, "Einsum(a) {equation=\"...ij->...ji\"} : float32 ?"},
        {26, "Einsum", "{\"equation\": \"ij->ji\"}", "2x?", 1, "Einsum(a) {equation=\"ij->ji\"} : float32 (a_dim1, 2)"},
        {26, "ReduceSum", "{}", "2x3x4", 1, "ReduceSum(a) : float32 (1, 1, 1)"},
        {26, "ReduceSum", "{\"keepdims\": 0}", "2x3x4", 1, "ReduceSum(a) {keepdims=0} : float32 ()"},
        {26, "ReduceSum", "{}", "2x3x4 [1]", 1, "ReduceSum(a, g/axes) {keepdims=1} : float32 (2, 1, 4)"},
        {26, "ReduceSum", "{\"keepdims\": 0}", "2x3x4 [0,2]", 1, "ReduceSum(a, g/axes) {keepdims=0} : float32 (3,)"},
        {26, "ReduceSum", "{\"keepdims\": 0}", "2x3x4 [-1]", 1, "ReduceSum(a, g/axes) {keepdims=0} : float32 (2, 3)"},
        {26, "ReduceSum", "{}", "2x3x4 i1", 1, "ReduceSum(a, g/cast) : float32 (?, ?, ?)"},
        {26, "ReduceSum", "{\"keepdims\": 0}", "2x3x4 i1", 1, "ReduceSum(a, g/cast) {keepdims=0} : float32 ?"},
        {26, "ReduceMax", "{\"keepdims\": 0}", "2x?x4 [2]", 1, "ReduceMax(a, g/axes) {keepdims=0} : float32 (2, a_dim1)"},
        {26, "ReduceL2", "{\"keepdims\": 0}", "2x3x4 [0]", 1, "ReduceL2(a, g/axes) {keepdims=0} : float32 (3, 4)"},
        {26, "BatchNormalization", "{}", "2x3x4 3 3 3 f[1,1,1]", 1, "BatchNormalization(a, b, c, d, g/var) : float32 (2, 3, 4)"},
        {26, "BatchNormalization", "{\"training_mode\": 1}", "2x3x4 3 3 3 f[1,1,1]", 3,
         "BatchNormalization(a, b, c, d, g/var) {training_mode=1} : float32 (2, 3, 4), float32 (3,), float32 (3,)"},
        {26, "LayerNormalization", "{}", "2x3x4 4", 3,
         "LayerNormalization(a, b) : float32 (2, 3, 4), float32 (2, 3, 1), float32 (2, 3, 1)"},
        {26, "LayerNormalization", "{\"axis\": 1}", "2x3x4 3x4", 3,
         "LayerNormalization(a, b) {axis=1} : float32 (2, 3, 4), float32 (2, 1, 1), float32 (2, 1, 1)"},
        {26, "LayerNormalization", "{\"axis\": 0}", "2x3x4 2x3x4", 2,
         "LayerNormalization(a, b) {axis=0} : float32 (2, 3, 4), float32 (1, 1, 1)"},
        {26, "HannWindow", "{}", "n5", 1, "HannWindow(g/const) : float32 (5,)"},
        {26, "HammingWindow", "{\"output_datatype\": 11}", "n5", 1, "HammingWindow(g/const) {output_datatype=float64} : float64 (5,)"},
        {26, "NonMaxSuppression", "{}", "1x5x4 1x3x5", 1, "NonMaxSuppression(a, b) : int64 (?, 3)"},
        {26, "RNN", "{\"hidden_size\": 6}", "5x2x3 1x6x3 1x6x6", 2,
         "RNN(a, b, c) {hidden_size=6} : float32 (5, 1, 2, 6), float32 (1, 2, 6)"},
        {26, "GRU", "{\"hidden_size\": 4, \"direction\": \"bidirectional\"}", "5x2x3 2x12x3 2x12x4", 2,
         "GRU(a, b, c) {hidden_size=4, direction=\"bidirectional\"} : float32 (5, 2, 2, 4), float32 (2, 2, 4)"},
        {26, "LSTM", "{\"hidden_size\": 4}", "5x2x3 1x16x3 1x16x4", 3,
         "LSTM(a, b, c) {hidden_size=4} : float32 (5, 1, 2, 4), float32 (1, 2, 4), float32 (1, 2, 4)"},
        {26, "LSTM", "{\"hidden_size\": 4, \"direction\": \"reverse\"}", "?x2x3 1x16x3 1x16x4", 3,
         "LSTM(a, b, c) {hidden_size=4, direction=\"reverse\"} : float32 (batch, 1, 2, 4), float32 (1, 2, 4), float32 (1, 2, 4)"},
        {26, "Attention", "{}", "2x3x5x4 2x3x6x4 2x3x6x7", 1, "Attention(a, b, c) : float32 (2, 3, 5, 7)"},
        {26, "Cast", "{\"to\": 11}", "2x3", 1, "Cast(a) {to=float64} : float64 (2, 3)"},
        {26, "Cast", "{\"to\": 6}", "2x?", 1, "Cast(a) {to=int32} : int32 (2, a_dim1)"},
        {26, "CastLike", "{}", "2x3 u1", 1, "CastLike(a, g/const) : uint8 (2, 3)"},
        {26, "EyeLike", "{}", "3x3", 1, "EyeLike(a) : float32 (3, 3)"},
        {26, "EyeLike", "{\"dtype\": 7}", "3x4", 1, "EyeLike(a) {dtype=int64} : int64 (3, 4)"},
        {26, "DynamicQuantizeLinear", "{}", "2x3", 3, "DynamicQuantizeLinear(a) : uint8 (2, 3), float32 (), uint8 ()"},
        {26, "QuantizeLinear", "{}", "2x3 s0.5", 1, "QuantizeLinear(a, g/const) : uint8 (2, 3)"},
        {26, "QuantizeLinear", "{\"output_dtype\": 3}", "2x3 s0.5", 1, "QuantizeLinear(a, g/const) {output_dtype=int8} : int8 (2, 3)"},
        {26, "DequantizeLinear", "{}", "u2x3 s0.5", 1, "DequantizeLinear(g/const, g/const_1) : float32 (2, 3)"},
        {26, "Add", "{}", "2x3 3", 1, "Add(a, b) : float32 (2, 3)"},
        {26, "Add", "{}", "2x1 1x3", 1, "Add(a, b) : float32 (2, 3)"},
        {26, "Add", "{}", "2x? 1x3", 1, "Add(a, b) : float32 (2, 3)"},
        {26, "Add", "{}", "2x? 2x1", 1, "Add(a, b) : float32 (2, a_dim1)"},
        {26, "Sum", "{}", "2x1 3 4x1x1", 1, "Sum(a, b, c) : float32 (4, 2, 3)"},
        {26, "Less", "{}", "2x3 1", 1, "Less(a, b) : bool (2, 3)"},
        {26, "Where", "{}", "u2x1 1x3 4x1x1", 1, "Where(g/const, a, b) : float32 (4, 2, 3)"},
        {26, "Max", "{}", "2x1 3", 1, "Max(a, b) : float32 (2, 3)"},
        {26, "Clip", "{}", "2x3 s0 s1", 1, "Clip(a, g/min, g/max) : float32 (2, 3)"},
        {26, "PRelu", "{}", "2x3x4 3x1", 1, "PRelu(a, b) : float32 (2, 3, 4)"},
        {26, "Softmax", "{\"axis\": 0}", "2x3", 1, "Softmax(a) {axis=0} : float32 (2, 3)"},
        {26, "Dropout", "{}", "2x3", 2, "Dropout(a) : float32 (2, 3), bool (2, 3)"},
        {26, "ScatterND", "{}", "2x3 i1x1 1x3", 1, "ScatterND(a, g/cast, c) : float32 (2, 3)"},
        {26, "ScatterElements", "{\"axis\": 1}", "2x3 i1x2 1x2", 1, "ScatterElements(a, g/cast, c) {axis=1} : float32 (2, 3)"},
        {26, "Trilu", "{}", "2x3", 1, "Trilu(a) : float32 (2, 3)"},
        {26, "CumSum", "{}", "2x3 n1", 1, "CumSum(a, g/const) : float32 (2, 3)"},
        {26, "ReverseSequence", "{}", "4x2x3 i2", 1, "ReverseSequence(a, g/cast) : float32 (4, 2, 3)"},
        {26, "IsNaN", "{}", "2x3", 1, "IsNaN(a) : bool (2, 3)"},
        {26, "GroupNormalization", "{\"num_groups\": 2}", "2x4x3 4 4", 1, "GroupNormalization(a, b, c) {num_groups=2} : float32 (2, 4, 3)"},
        {26, "InstanceNormalization", "{}", "2x4x3 4 4", 1, "InstanceNormalization(a, b, c) : float32 (2, 4, 3)"},
        {26, "RMSNormalization", "{}", "2x3 3", 1, "RMSNormalization(a, b) : float32 (2, 3)"},
        {26, "RotaryEmbedding", "{}", "1x2x3x4 5x2 5x2 i1x3", 1, "RotaryEmbedding(a, b, c, g/cast) : float32 (1, 2, 3, 4)"},
        {26, "LpNormalization", "{}", "2x3", 1, "LpNormalization(a) : float32 (2, 3)"},
    };
    CHECK(rows, MX2ONNX_OK);
}

static void nothing_and_scalars_have_shapes(void **state)
{
    static const struct row rows[] = {
        {21, "Split", "{}", "4x2 [0,4]", 2, "Split(a, g/sizes) : float32 (0, 2), float32 (4, 2)"},
        {21, "OneHot", "{}", "i3 [0] f[0,1]", 1, "OneHot(g/cast, g/depth, g/values) : float32 (3, 0)"},
        {21, "OneHot", "{}", "n1 [4] f[0,1]", 1, "OneHot(g/const, g/depth, g/values) : float32 (4,)"},
        {21, "HannWindow", "{}", "n0", 1, "HannWindow(g/const) : float32 (0,)"},
        {21, "HannWindow", "{}", "n-1", 1, "HannWindow(g/const) : float32 (?,)"},
        {21, "TopK", "{}", "2x5 [0]", 2, "TopK(a, g/k) : float32 (2, 0), int64 (2, 0)"},
        {21, "Expand", "{}", "3x1 [0]", 1, "Expand(a, g/shape) : float32 (3, 0)"},
        {21, "Slice", "{}", "5x? [2] [2] [1]", 1, "Slice(a, g/starts, g/starts, g/axes) : float32 (5, 0)"},
        {21, "Unsqueeze", "{}", "s1 [0]", 1, "float32 (1,) = [1]"},
        {21, "Flatten", "{\"axis\": 0}", "s1", 1, "float32 (1, 1) = [1]"},
        {21, "PRelu", "{}", "s1 s1", 1, "PRelu(g/const, g/const) : float32 ()"},
        {21, "Resize", "{}", "s1 - f[]", 1, "Resize(g/const, -, g/scales) : float32 ()"},
        {21, "Pad", "{}", "s1 []", 1, "Pad(g/const, g/pads) : float32 ()"},
        {21, "NonZero", "{}", "s1", 1, "NonZero(g/const) : int64 (0, ?)"},
        {21, "Reshape", "{\"allowzero\": 1}", "r2 [-1]", 1, "Reshape(g/reducesum, g/shape) : float32 (1,)"},
        {21, "Reshape", "{}", "r2 [1,-1]", 1, "Reshape(g/reducesum, g/shape) : float32 (1, 1)"},
        {21, "Reshape", "{}", "r2 []", 1, "com.example::Use(g/reducesum)"},
        {21, "Unsqueeze", "{}", "r2 [-1,0]", 1, "Unsqueeze(g/reducesum, g/axes) : float32 (1, 1)"},
        {21, "Expand", "{}", "r2 [2,3]", 1, "Expand(g/reducesum, g/shape) : float32 (2, 3)"},
        {21, "Squeeze", "{}", "r2", 1, "com.example::Use(g/reducesum)"},
        {21, "Transpose", "{}", "r2", 1, "com.example::Use(g/reducesum)"},
        {21, "ReduceMax", "{}", "r2", 1, "ReduceMax(g/reducesum) : float32 ()"},
        {21, "Add", "{}", "r2 r2", 1, "Add(g/reducesum, g/reducesum_1) : float32 ()"},
        {21, "Add", "{}", "r2 3", 1, "Add(g/reducesum, b) : float32 (3,)"},
        {21, "Max", "{}", "r2 2x1 3", 1, "Max(g/reducesum, b, c) : float32 (2, 3)"},
        {21, "Where", "{}", "u2x1 r2 3", 1, "Where(g/const, g/reducesum, b) : float32 (2, 3)"},
        {21, "Unique", "{}", "r2", 4, "Unique(g/reducesum) : float32 (?,), int64 (?,), int64 (1,), int64 (?,)"},
        {21, "Softmax", "{}", "r2", 1,
         "Softmax(g/reshape) {axis=0} : float32 (1,)\ng/reshape_1 = Reshape(g/softmax, g/shape_1) : float32 ()"},
        {21, "Einsum", "{\"equation\": \",i->i\"}", "r2 3", 1, "Einsum(g/reducesum, b) {equation=\",i->i\"} : float32 (3,)"},
        {21, "Einsum", "{\"equation\": \"i,i->\"}", "3 3", 1, "Einsum(a, b) {equation=\"i,i->\"} : float32 ()"},
        {21, "CenterCropPad", "{}", "r2 []", 1, "CenterCropPad(g/reducesum, g/const) : float32 ()"},
        {21, "RandomNormalLike", "{}", "r2", 1, "RandomNormalLike(g/reducesum) : float32 ()"},
        {21, "Shape", "{}", "s1", 1, "int64 (0,) = []"},
        {21, "Size", "{}", "s1", 1, "int64 () = 1"},
    };
    CHECK(rows, MX2ONNX_OK);
}

/* Without axes they reduce all, unless an attribute says that they then reduce none. */
static void reductions_without_axes_are_over_all(void **state)
{
    static const struct row rows[] = {
        {21, "ReduceSum", "{}", "2x3x4", 1, "ReduceSum(a) : float32 (1, 1, 1)"},
        {21, "ReduceSum", "{}", "2x3x4 []", 1, "ReduceSum(a, g/axes) : float32 (1, 1, 1)"},
        {21, "ReduceSum", "{\"noop_with_empty_axes\": 1}", "2x3x4", 1, "com.example::Use(a)"},
        {21, "ReduceSum", "{\"noop_with_empty_axes\": 1, \"keepdims\": 0}", "2x3x4 []", 1, "com.example::Use(a)"},
        {21, "ReduceSum", "{\"noop_with_empty_axes\": 1}", "f[1,2]", 1, "float32 (2,) = [1, 2]"},
        {21, "ReduceSum", "{\"noop_with_empty_axes\": 1}", "f[1,2] [0]", 1, "float32 (1,) = [3]"},
        {21, "ReduceL2", "{\"noop_with_empty_axes\": 1}", "2x3x4", 1, "ReduceL2(a) {noop_with_empty_axes=1} : float32 (2, 3, 4)"},
        {21, "ReduceL2", "{\"noop_with_empty_axes\": 1, \"keepdims\": 0}", "2x3x4 []", 1,
         "ReduceL2(a, g/axes) {noop_with_empty_axes=1, keepdims=0} : float32 (2, 3, 4)"},
        {21, "ReduceL2", "{\"noop_with_empty_axes\": 1}", "2x3x4 i2", 1,
         "ReduceL2(a, g/cast) {noop_with_empty_axes=1} : float32 (?, ?, ?)"},
    };
    CHECK(rows, MX2ONNX_OK);
}

static void inputs_of_unknown_shape_are_accepted(void **state)
{
    static const struct row rows[] = {
        {21, "Concat", "{\"axis\": 1}", "* *", 1, "Concat(g/cast, g/cast_1) {axis=1} : float32 ?"},
        {21, "Concat", "{\"axis\": 1}", "2x3 *", 1, "Concat(a, g/cast) {axis=1} : float32 (2, ?)"},
        {21, "Concat", "{\"axis\": -1}", "* 2x3", 1, "Concat(g/cast, a) {axis=-1} : float32 ?"},
        {21, "Transpose", "{\"perm\": [1, 0]}", "*", 1, "Transpose(g/cast) {perm=[1, 0]} : float32 ?"},
        {21, "Flatten", "{\"axis\": 2}", "*", 1, "Flatten(g/cast) {axis=2} : float32 (?, ?)"},
        {21, "Squeeze", "{}", "* [-9223372036854775808]", 1, "Squeeze(g/cast, g/axes) : float32 ?"},
        {21, "Tile", "{}", "* [2,2]", 1, "Tile(g/cast, g/repeats) : float32 ?"},
        {21, "Split", "{}", "*", 2, "Split(g/cast) {num_outputs=2} : float32 ?, float32 ?"},
        {21, "Split", "{\"axis\": 1}", "2x3 i2", 2, "Split(a, g/cast) {axis=1} : float32 (2, ?), float32 (2, ?)"},
        {21, "Slice", "{}", "* [1] [3] [0]", 1, "Slice(g/cast, g/starts, g/ends, g/axes) : float32 ?"},
        {21, "Slice", "{}", "4x3 [1] [3] i1", 1, "Slice(a, g/starts, g/ends, g/cast) : float32 (?, ?)"},
        {21, "Slice", "{}", "4x3 i1 i1", 1, "Slice(a, g/cast, g/cast_1) : float32 (?, ?)"},
        {21, "Slice", "{}", "4x3 [1] [3] [0] [-9223372036854775808]", 1, "Slice(a, g/starts, g/ends, g/axes, g/steps) : float32 (?, 3)"},
        {21, "Squeeze", "{}", "* [1]", 1, "Squeeze(g/cast, g/axes) : float32 ?"},
        {21, "Squeeze", "{}", "2x1x3 i1", 1, "Squeeze(a, g/cast) : float32 ?"},
        {21, "CenterCropPad", "{\"axes\": [0]}", "* [3]", 1, "CenterCropPad(g/cast, g/const) {axes=[0]} : float32 ?"},
        {21, "CenterCropPad", "{}", "2x3 i2", 1, "CenterCropPad(a, g/cast) : float32 (?, ?)"},
        {21, "Resize", "{}", "* - f[1,2]", 1, "Resize(g/cast, -, g/scales) : float32 ?"},
        {21, "Resize", "{\"axes\": [1]}", "2x3 - - i1", 1, "Resize(a, -, -, g/cast) {axes=[1]} : float32 (2, ?)"},
        {21, "Resize", "{}", "2x3 - f[1,10000000000]", 1, "Resize(a, -, g/scales) : float32 (2, ?)"},
        {21, "MatMul", "{}", "* 2x3", 1, "MatMul(g/cast, a) : float32 ?"},
        {21, "Gemm", "{}", "* 2x3", 1, "Gemm(g/cast, a) : float32 (?, 3)"},
        {21, "Conv", "{}", "* 1x1x3x3", 1, "Conv(g/cast, a) : float32 ?"},
        {21, "Conv", "{}", "1x1x5x5 *", 1, "Conv(a, g/cast) : float32 (1, ?, ?, ?)"},
        {21, "ConvTranspose", "{}", "* 1x1x3x3", 1, "ConvTranspose(g/cast, a) : float32 ?"},
        {21, "MaxPool", "{\"kernel_shape\": [2]}", "*", 1, "MaxPool(g/cast) {kernel_shape=[2]} : float32 ?"},
        {21, "DepthToSpace", "{\"blocksize\": 2}", "*", 1, "DepthToSpace(g/cast) {blocksize=2} : float32 ?"},
        {21, "Col2Im", "{}", "* [5,5] [1,5]", 1, "Col2Im(g/cast, g/const, g/const_1) : float32 ?"},
        {21, "Col2Im", "{}", "1x5x5 i2 [1,5]", 1, "Col2Im(a, g/cast, g/const) : float32 ?"},
        {21, "AffineGrid", "{}", "1x2x3 i4", 1, "AffineGrid(a, g/cast) : float32 ?"},
        {21, "MaxRoiPool", "{\"pooled_shape\": [2, 3]}", "* 5x5", 1, "MaxRoiPool(g/cast, a) {pooled_shape=[2, 3]} : float32 (5, ?, 2, 3)"},
        {21, "RoiAlign", "{}", "1x2x3x3 * i5", 1, " : float32 (?, 2, 1, 1)"},
        {21, "GridSample", "{}", "* 1x2x2x2", 1, "GridSample(g/cast, a) : float32 ?"},
        {21, "LayerNormalization", "{\"axis\": -1}", "* 3", 2, "LayerNormalization(g/cast, a) {axis=-1} : float32 ?, float32 ?"},
        {21, "Gather", "{\"axis\": 1}", "* [0]", 1, "Gather(g/cast, g/indices) {axis=1} : float32 ?"},
        {21, "OneHot", "{\"axis\": 0}", "* [4] f[0,1]", 1, "OneHot(g/cast_1, g/depth, g/values) {axis=0} : float32 ?"},
        {21, "TopK", "{}", "* [3]", 2, "TopK(g/cast, g/k) : float32 ?, int64 ?"},
        {21, "TopK", "{}", "2x5 i1", 2, "TopK(a, g/cast) : float32 (2, ?), int64 (2, ?)"},
        {21, "Expand", "{}", "* [2,3]", 1, "Expand(g/cast, g/shape) : float32 ?"},
        {21, "Reshape", "{}", "* [2,-1]", 1, "Reshape(g/cast, g/shape) : float32 (2, ?)"},
        {21, "Reshape", "{}", "* [0,-1]", 1, "Reshape(g/cast, g/shape) : float32 (?, ?)"},
        {21, "Shape", "{\"start\": 1}", "*", 1, "Shape(g/cast) {start=1} : int64 (?,)"},
        {21, "ReduceSum", "{}", "* [1]", 1, "ReduceSum(g/cast, g/axes) : float32 ?"},
        {21, "Unsqueeze", "{}", "* [1]", 1, "Unsqueeze(g/cast, g/axes) : float32 ?"},
        {21, "Pad", "{}", "* [0,0,1,1]", 1, "Pad(g/cast, g/pads) : float32 ?"},
        {21, "Pad", "{}", "2x3 [1,1] - i1", 1, "Pad(a, g/pads, -, g/cast) : float32 (?, ?)"},
        {21, "BatchNormalization", "{}", "* 3 3 3 3", 1, "BatchNormalization(g/cast, a, b, c, d) : float32 ?"},
        {21, "Flatten", "{\"axis\": -1}", "*", 1, "Flatten(g/cast) {axis=-1} : float32 (?, ?)"},
        {21, "Compress", "{\"axis\": 1}", "* u3", 1, "Compress(g/cast, g/const) {axis=1} : float32 ?"},
        {21, "ArgMax", "{\"axis\": 1}", "*", 1, "ArgMax(g/cast) {axis=1} : int64 ?"},
        {21, "Unique", "{\"axis\": 0}", "*", 4, "Unique(g/cast) {axis=0} : float32 ?, int64 (?,), int64 (?,), int64 (?,)"},
        {21, "NonZero", "{}", "*", 1, "NonZero(g/cast) : int64 (?, ?)"},
        {21, "Gather", "{}", "2x3 *", 1, "Gather(a, g/cast_1) {axis=0} : float32 ?"},
        {21, "GatherND", "{}", "* [1]", 1, "GatherND(g/cast, g/const) : float32 ?"},
        {21, "GatherND", "{}", "2x3 *", 1, "GatherND(a, g/cast_1) : float32 ?"},
        {21, "GatherND", "{}", "2x3 i3x?", 1, "GatherND(a, g/cast) : float32 ?"},
        {21, "TopK", "{}", "2x5 [1,2]", 2, "TopK(a, g/k) : float32 (2, ?), int64 (2, ?)"},
        {21, "OneHot", "{}", "i2x3 [-5] f[0,1]", 1, "OneHot(g/cast, g/depth, g/values) : float32 (2, 3, ?)"},
        {21, "Conv", "{}", "1x1x5x5 1x1x3x?", 1, "Conv(a, b) : float32 (1, 1, 3, ?)"},
        {21, "Conv", "{\"kernel_shape\": [3, 2]}", "1x1x5x5 1x1x3x?", 1, "Conv(a, b) {kernel_shape=[3, 2]} : float32 (1, 1, 3, 4)"},
        {21, "ConvTranspose", "{}", "1x1x5x5 *", 1, "ConvTranspose(a, g/cast) : float32 (1, ?, ?, ?)"},
        {21, "Resize", "{}", "2x3 - [1,2]", 1, "Resize(a, -, g/scales) : float32 (2, 6)"},
        {21, "GridSample", "{}", "1x1x4x4 *", 1, "GridSample(a, g/cast) : float32 ?"},
        {21, "AffineGrid", "{}", "1x2x3 [1,2]", 1, "AffineGrid(a, g/const) : float32 ?"},
        {21, "Col2Im", "{}", "1x5x5 [5,5] i2", 1, "Col2Im(a, g/const, g/cast) : float32 ?"},
        {21, "Col2Im", "{}", "1x5x5 [5,5] [0,5]", 1, "Col2Im(a, g/const, g/const_1) : float32 (1, ?, 5, 5)"},
        {21, "Col2Im", "{}", "1x5x5 [5,5] [4611686018427387904,4]", 1, "Col2Im(a, g/const, g/const_1) : float32 (1, ?, 5, 5)"},
        {21, "Det", "{}", "*", 1, "Det(g/cast) : float32 ?"},
        {21, "Einsum", "{\"equation\": \"ij->ji\"}", "*", 1, ": float32 (?, ?)"},
        {21, "MatMul", "{}", "2x3 *", 1, "MatMul(a, g/cast) : float32 ?"},
        {21, "MatMul", "{}", "2x3 ?x4", 1, "MatMul(a, b) : float32 (2, 4)"},
        {21, "Gemm", "{}", "2x3 *", 1, "Gemm(a, g/cast) : float32 (2, ?)"},
        {23, "Attention", "{}", "1x2x3x4 1x2x5x4 *", 1, "Attention(a, b, g/cast) : float32 ?"},
        {21, "RNN", "{\"hidden_size\": 4}", "* 1x4x3 1x4x4", 1, "RNN(g/cast, a, b) {hidden_size=4} : float32 (?, 1, ?, 4)"},
        {21, "Multinomial", "{}", "*", 1, "Multinomial(g/cast) : int32 ?"},
        {21, "Reshape", "{}", "2x3 i?", 1, "Reshape(a, g/cast) : float32 ?"},
        {21, "Reshape", "{\"allowzero\": 1}", "?x3 [0,-1]", 1, "Reshape(a, g/shape) {allowzero=1} : float32 (0, ?)"},
        {21, "Squeeze", "{}", "1x?", 1, "Squeeze(a) : float32 ?"},
        {21, "Split", "{}", "?x3 [-1,3]", 2, "Split(a, g/sizes) : float32 (?, 3), float32 (3, 3)"},
        {21, "Pad", "{}", "2x3 [1,1,1,1] - i2", 1, "Pad(a, g/pads, -, g/cast) : float32 (?, ?)"},
        {21, "Slice", "{}", "5x6 [1] [2] - i1", 1, "Slice(a, g/starts, g/ends, -, g/cast) : float32 (?, 6)"},
        {21, "Slice", "{}", "5x6 i? i?", 1, "Slice(a, g/cast, g/cast_1) : float32 (?, ?)"},
        {21, "Concat", "{\"axis\": 0}", "2x3 2x?", 1, "Concat(a, b) {axis=0} : float32 (4, 3)"},
        {21, "PRelu", "{}", "* 4", 1, "PRelu(g/cast, a) : float32 ?"},
        {21, "PRelu", "{}", "2x? 3", 1, "PRelu(a, b) : float32 (2, a_dim1)"},
        {21, "PRelu", "{}", "2x3 ?", 1, "PRelu(a, b) : float32 (2, 3)"},
        {21, "DequantizeLinear", "{\"axis\": 5}", "u2x3 s1", 1, "{axis=5} : float32 (2, 3)"},
        {21, "Where", "{}", "u1 * 2x3", 1, "Where("},
        {21, "Dropout", "{}", "2x3 s0.5 u1", 1, "Dropout(a, "},
        {21, "Cast", "{\"to\": 10, \"saturate\": 0}", "2x3", 1, "Cast(a) {to=float16, saturate=0}"},
        {21, "ReduceL2", "{\"keepdims\": 0, \"noop_with_empty_axes\": 1}", "2x3", 1,
         "ReduceL2(a) {keepdims=0, noop_with_empty_axes=1} : float32 (2, 3)"},
        {21, "Slice", "{}", "?x3 [0] [-9223372036854775808]", 1, "Slice(a, g/starts, g/ends, g/starts) : float32 (?, 3)"},
        {21, "Slice", "{}", "?x3 [5] [-9223372036854775806]", 1, "Slice(a, g/starts, g/ends, g/axes) : float32 (?, 3)"},
        {21, "Slice", "{}", "?x3 [-3] [-9223372036854775808]", 1, "Slice(a, g/starts, g/ends, g/axes) : float32 (0, 3)"},
        {21, "Resize", "{}", "5000000000x3 - f[999999936,1]", 1, "Resize(a, -, g/scales) : float32 (?, 3)"},
        {21, "Split", "{}", "u0x3", 2, ": uint8 (0, 3), uint8 (0, 3)"},
    };
    CHECK(rows, MX2ONNX_OK);
}

static void nodes_on_constants_are_computed(void **state)
{
    static const struct row rows[] = {
        {21, "Round", "{}", "f[0.5,1.5,-2.5]", 1, "float32 (3,) = [0, 2, -2]"},
        {21, "Abs", "{}", "[-3]", 1, "int64 (1,) = [3]"},
        {21, "Range", "{}", "s0 s1.5 s0.5", 1, "float32 (3,) = [0, 0.5, 1]"},
        {21, "Tile", "{}", "[1,2] [2]", 1, "int64 (4,) = [1, 2, 1, 2]"},
        {21, "Gather", "{}", "[5,6,7] [2,0]", 1, "int64 (2,) = [7, 5]"},
        {21, "Gather", "{}", "[5,6,7] [-1]", 1, "int64 (1,) = [7]"},
        {21, "Clip", "{}", "f[1,2,3] s1.5 s2.5", 1, "float32 (3,) = [1.5, 2, 2.5]"},
        {21, "Gather", "{}", "[5,6,7] [-2,-1]", 1, "int64 (2,) = [6, 7]"},
        {21, "Gather", "{}", "[5,6,7] f[0,2]", 1, "int64 (2,) = [5, 7]"},
        {21, "Concat", "{\"axis\": 0}", "[] []", 1, "int64 (0,)"},
        {21, "Slice", "{}", "[5,6,7] [2] [1]", 1, "int64 (0,)"},
        {21, "Softmax", "{}", "f[]", 1, "float32 (0,)"},
        {21, "Shape", "{\"start\": -9, \"end\": 1}", "2x3", 1, "int64 (1,) = [2]"},
    };
    CHECK(rows, MX2ONNX_OK);
}

/* Overflow, indices outside, and too much for the file: the runtime decides. */
static void constants_of_odd_nodes_are_not_computed(void **state)
{
    static const struct row rows[] = {
        {21, "Abs", "{}", "[-9223372036854775808]", 1, "Abs(g/const) : int64 (1,)"},
        {21, "Tile", "{}", "[1,2] [-1]", 1, "Tile(g/const, g/repeats) : int64 (?,)"},
        {21, "Tile", "{}", "[1,2] [1000000000]", 1, "Tile(g/const, g/repeats) : int64 (2000000000,)"},
        {21, "Gather", "{}", "[5,6,7] [3]", 1, "Gather(g/const, g/indices) {axis=0} : int64 (1,)"},
        {21, "Range", "{}", "s0 s100000000 s1", 1, "Range(g/const, g/limit, g/delta) : float32 (100000000,)"},
        {21, "Range", "{}", "n0 n5 n0", 1, "Range(g/const, g/limit, g/const) : int64 (?,)"},
        {21, "Range", "{}", "[0,1] [5] [1]", 1, "Range(g/const, g/limit, g/delta) : int64 (?,)"},
        {21, "Range", "{}", "[0] [5,6] [1]", 1, "Range(g/const, g/limit, g/delta) : int64 (?,)"},
        {21, "Range", "{}", "[0] [5] [1,2]", 1, "Range(g/const, g/limit, g/delta) : int64 (?,)"},
        {21, "ReduceMax", "{}", "[] [0]", 1, "ReduceMax(g/const"},
        {21, "Gather", "{}", "[5,6,7] [-4]", 1, "Gather(g/const, g/indices) {axis=0} : int64 (1,)"},
        {21, "ReduceSum", "{}", "[1,2] []", 1, "ReduceSum(g/const, g/axes) : int64 (1,)"},
        {21, "Expand", "{}", "s1 [1099511627776,1099511627776]", 1, "Expand(g/const, g/shape) : float32 (1099511627776, 1099511627776)"},
    };
    CHECK(rows, MX2ONNX_OK);
}

static void forms_of_older_opsets_are_written(void **state)
{
    static const struct row rows[] = {
        {17, "Pad", "{}", "2x3 [1,2] - [1]", 1, "Pad(a, g/pads) : float32 (2, 6)"},
        {17, "Pad", "{}", "2x3 [1,2] - [1]", 1, "init g/pads : int64 (4,) = [0, 1, 0, 2]"},
        {11, "Pad", "{}", "2x3 [1,2] - [-2]", 1, "Pad(a, g/pads) : float32 (5, 3)"},
        {14, "Shape", "{\"start\": 1}", "2x?x?", 1, "Gather(shape, gather/indices) {axis=0} : int64 (2,)"},
        {14, "Shape", "{\"start\": 1, \"end\": -1}", "2x?x3", 1, "Gather(shape, gather/indices) {axis=0} : int64 (1,)"},
        {14, "Shape", "{\"start\": 1}", "*", 1, "Slice(g/shape, g/starts, g/ends, g/axes) : int64 (?,)"},
        {14, "Shape", "{\"start\": -2, \"end\": -1}", "*", 1, "init g/starts : int64 (1,) = [-2]\ninit g/ends : int64 (1,) = [-1]"},
        {14, "Shape", "{\"start\": 1}", "*", 1, "init g/ends : int64 (1,) = [9223372036854775807]\n"},
        {14, "Shape", "{\"start\": 0}", "*", 1, "g/shape = Shape(g/cast) : int64 (?,)\ng = "},
        {14, "Shape", "{\"start\": 0, \"end\": 1}", "*", 1,
         "g/shape = Shape(g/cast) : int64 (?,)\ng/slice = Slice(g/shape, g/starts, g/ends, g/starts) : int64 (?,)"},
        {14, "Shape", "{\"start\": 0, \"end\": 9}", "2x?x?", 1, "shape = Shape(a) : int64 (3,)\ng = "},
        {14, "Shape", "{\"start\": -2}", "2x?x?", 1, "init gather/indices : int64 (2,) = [1, 2]\n"},
        {11, "GatherND", "{\"batch_dims\": 1}", "2x3x4 i2x1", 1,
         "g/gather = Gather(g/cast, g/indices) {axis=1} : int64 (2, 1)\n"
         "g/mul = Mul(g/gather, g/const) : int64 (2, 1)\n"
         "g/shape = Shape(g/cast) : int64 (2,)\n"
         "g/gather_1 = Gather(g/shape, g/const) : int64 ()\n"
         "g/range = Range(g/const, g/gather_1, g/delta) : int64 (?,)\n"
         "g/reshape = Reshape(g/range, g/shape_1) : int64 (?, 1)\n"
         "g/add = Add(g/mul, g/reshape) : int64 (2, 1)\n"
         "g/concat = Concat(g/add, g/cast) {axis=1} : int64 (2, 2)\n"
         "g/gathernd = GatherND(a, g/concat) : float32 (2, 4)"},
        {11, "GatherND", "{\"batch_dims\": 1}", "2x3x4 i2x1", 1,
         "init g/indices : int64 (1,) = [0]\ninit g/const : int64 () = 0\ninit g/delta : int64 () = 1\n"
         "init g/shape_1 : int64 (2,) = [-1, 1]"},
        {11, "GatherND", "{\"batch_dims\": 2}", "2x3x4 i2x3x1", 1, "init g/shape_1 : int64 (3,) = [1, -1, 1]"},
        {11, "GatherND", "{\"batch_dims\": 2}", "2x3x4 i2x3x1", 1, "init g/shape_3 : int64 (3,) = [-1, 1, 1]"},
        {11, "GatherND", "{\"batch_dims\": 2}", "2x3x4 i2x3x1", 1, " : int64 (2, 3, 3)\ng/gathernd = GatherND(a, "},
        {12, "Resize", "{}", "2x3 - f[1,2]", 1, "Resize(a, g/roi, g/scales) : float32 (2, 6)"},
        {12, "Resize", "{}", "2x3 - - [2,6]", 1, "Resize(a, g/roi, g/roi, g/sizes) : float32 (2, 6)"},
        {12, "Resize", "{}", "2x3 - - [2,6]", 1, "init g/roi : float32 (0,) = []"},
        {13, "Resize", "{}", "2x3 - f[1,2]", 1, "Resize(a, -, g/scales) : float32 (2, 6)"},
        {19, "DFT", "{}", "2x3x4x1 - [1]", 1, "DFT(a) {axis=1} : float32 ?"},
        {19, "DFT", "{}", "2x3x4x1 - [-3]", 1, "DFT(a) {axis=1} : float32 ?"},
        {19, "DFT", "{}", "2x3x4x1", 1, "DFT(a) {axis=2} : float32 ?"},
        {20, "DFT", "{}", "2x3x4x1 - [1]", 1, "DFT(a, -, g/const) : float32 ?"},
        {13, "Reshape", "{\"allowzero\": 1}", "2x3 i2", 1,
         "g/reducemin = ReduceMin(g/cast) {keepdims=0} : int64 ()\n"
         "g/cast_1 = Cast(g/reducemin) {to=bool} : bool ()\n"
         "g/if = If(g/cast_1) {then_branch=<body>, else_branch=<body>} : float32 (?, ?)\n"
         "    then_branch:\n"
         "        g/reshape = Reshape(a, g/cast) : float32 (?, ?)\n"
         "        output g/reshape : float32 (?, ?)\n"
         "    else_branch:\n"
         "        g/expand = Expand(g/const, g/cast) : float32 (?, ?)\n"},
        {13, "Reshape", "{\"allowzero\": 0}", "2x3 i2", 1, "g/reshape = Reshape(a, g/cast) : float32 (?, ?)"},
        {12, "BatchNormalization", "{\"training_mode\": 0}", "2x3 3 3 3 f[1,1,1]", 1,
         "BatchNormalization(a, b, c, d, g/var) : float32 (2, 3)"},
        {15, "RoiAlign", "{\"coordinate_transformation_mode\": \"output_half_pixel\"}", "1x1x4x4 2x4 i2", 1,
         "RoiAlign(a, b, g/cast) : float32 (2, 1, 1, 1)"},
        {19, "GridSample", "{\"mode\": \"linear\"}", "1x1x4x4 1x2x2x2", 1, "GridSample(a, b) {mode=\"bilinear\"} : float32 (1, 1, 2, 2)"},
        {19, "GridSample", "{\"mode\": \"cubic\"}", "1x1x4x4 1x2x2x2", 1, "GridSample(a, b) {mode=\"bicubic\"} : float32 (1, 1, 2, 2)"},
        {19, "GridSample", "{\"mode\": \"nearest\"}", "1x1x4x4 1x2x2x2", 1, "GridSample(a, b) {mode=\"nearest\"} : float32 (1, 1, 2, 2)"},
        {20, "GridSample", "{\"mode\": \"linear\"}", "1x1x4x4 1x2x2x2", 1, "GridSample(a, b) {mode=\"linear\"} : float32 (1, 1, 2, 2)"},
        {18, "AveragePool", "{\"kernel_shape\": [2], \"dilations\": [1]}", "1x1x5", 1,
         "AveragePool(a) {kernel_shape=[2]} : float32 (1, 1, 4)"},
        {12, "Softmax", "{}", "*", 1, "Softmax(g/cast) {axis=-1} : float32 ?"},
        {12, "Softmax", "{\"axis\": -1}", "*", 1, "Softmax(g/cast) {axis=-1} : float32 ?"},
        {13, "Softmax", "{\"axis\": 1}", "*", 1, "Softmax(g/cast) {axis=1} : float32 ?"},
        {12, "Reshape", "{\"allowzero\": 1}", "2x1x3 [3,-1]", 1, "Reshape(a, g/shape) : float32 (3, 2)"},
        {12, "Squeeze", "{}", "2x1x3 [1]", 1, "Squeeze(a) {axes=[1]} : float32 (2, 3)"},
        {12, "Split", "{\"axis\": 1}", "2x3 [1,2]", 2, "Split(a) {axis=1, split=[1, 2]} : float32 (2, 1), float32 (2, 2)"},
        {17, "Split", "{\"axis\": 1}", "*", 2, "Split(g/cast) {axis=1} : float32 ?, float32 ?"},
        {17, "Split", "{\"axis\": 1}", "2x4", 2, "Split(a) {axis=1} : float32 (2, 2), float32 (2, 2)"},
        {11, "GreaterOrEqual", "{}", "2x3 3", 1,
         "g/greater = Greater(a, b) : bool (2, 3)\ng/equal = Equal(a, b) : bool (2, 3)\ng/or = Or(g/greater, g/equal) : bool (2, 3)"},
        {11, "LessOrEqual", "{}", "2x3 3", 1,
         "g/less = Less(a, b) : bool (2, 3)\ng/equal = Equal(a, b) : bool (2, 3)\ng/or = Or(g/less, g/equal) : bool (2, 3)"},
        {11, "Clip", "{}", "i3 - n5", 1,
         "g/greater = Greater(g/cast, g/const) : bool (3,)\ng/where = Where(g/greater, g/const, g/cast) : int64 (3,)"},
        {11, "Clip", "{}", "i3 n1 n5", 1,
         "g/less = Less(g/cast, g/const) : bool (3,)\ng/where = Where(g/less, g/const, g/cast) : int64 (3,)\n"
         "g/greater = Greater(g/where, g/const_1) : bool (3,)\ng/where_1 = Where(g/greater, g/const_1, g/where) : int64 (3,)"},
        {11, "Clip", "{}", "2x3 s1 s5", 1, "Clip(a, g/min, g/max) : float32 (2, 3)"},
        {11, "Min", "{}", "i3 i3", 1,
         "g/less = Less(g/cast, g/cast_1) : bool (3,)\ng/where = Where(g/less, g/cast, g/cast_1) : int64 (3,)"},
        {11, "Min", "{}", "2x3 3", 1, "Min(a, b) : float32 (2, 3)"},
        {11, "Max", "{}", "i3 i3 i3", 1, "Where(g/greater_1, g/where, g/cast_2) : int64 (3,)"},
        {11, "Clip", "{}", "i3 n0", 1, "Where(g/less, g/const, g/cast) : int64 (3,)"},
    };
    CHECK(rows, MX2ONNX_OK);
}

static void forms_of_newer_opsets_are_refused(void **state)
{
    static const struct row rows[] = {
        {17, "Pad", "{}", "2x3 [1,2] - i1", 1, "Pad of computed axes needs opset 18, but opset 17 is written"},
        {17, "Pad", "{}", "2x3 i2 - [1]", 1, "Pad of computed axes needs opset 18, but opset 17 is written"},
        {17, "Resize", "{\"axes\": [1]}", "2x3 - - [6]", 1, "Resize of selected axes needs opset 18, but opset 17 is written"},
        {17, "DFT", "{}", "2x3x1 - i1", 1, "DFT of a computed axis needs opset 20, but opset 17 is written"},
        {17, "Split", "{\"axis\": 1}", "2x3", 2, "Splitting into unequal parts by their number needs opset 18, but opset 17 is written"},
        {15, "RoiAlign", "{}", "1x1x4x4 2x4 i2", 1, "RoiAlign with half pixels needs opset 16, but opset 15 is written"},
        {11, "GatherND", "{\"batch_dims\": -1}", "2x3x4 i2x1", 1, "GatherND with batches needs opset 12, but opset 11 is written"},
        {11, "GatherND", "{\"batch_dims\": 2}", "2x3x4 i2x1", 1, "GatherND with batches needs opset 12, but opset 11 is written"},
        {13, "BatchNormalization", "{\"training_mode\": 1}", "2x3 3 3 3 f[1,1,1]", 1,
         "BatchNormalization with training_mode 1 needs opset 14, but opset 13 is written"},
        {15, "RoiAlign", "{\"coordinate_transformation_mode\": \"half_pixel\"}", "1x1x4x4 2x4 i2", 1,
         "RoiAlign with coordinate_transformation_mode \"half_pixel\" needs opset 16, but opset 15 is written"},
        {18, "AveragePool", "{\"kernel_shape\": [2], \"dilations\": [2]}", "1x1x5", 1,
         "this value of 'dilations' of AveragePool needs opset 19, but opset 18 is written"},
        {12, "Split", "{\"axis\": 1}", "2x3 i2", 2, "Split with computed split needs opset 13, but opset 12 is written"},
        {12, "Trilu", "{}", "2x3", 1, "the ONNX operator Trilu needs opset 14, but opset 12 is written"},
        {12, "Cast", "{\"to\": 16}", "2x3", 1, "Casting bfloat16 needs opset 13, but opset 12 is written"},
        {12, "LogSoftmax", "{\"axis\": 1}", "*", 1,
         "LogSoftmax along axis 1 of a value of unknown rank needs opset 13, but opset 12 is written"},
        {12, "Squeeze", "{}", "2x1 i1", 1, "Squeeze with computed axes needs opset 13, but opset 12 is written"},
        {21, "DequantizeLinear", "{\"output_dtype\": 1}", "u2x3 s1", 1,
         "this value of 'output_dtype' of DequantizeLinear needs opset 23, but opset 21 is written"},
        {18, "Pad", "{\"mode\": \"wrap\"}", "2x3 [1,1,1,1]", 1, "Pad with mode \"wrap\" needs opset 19, but opset 18 is written"},
        {17, "ScatterND", "{\"reduction\": \"max\"}", "2x3 i1x1 1x3", 1,
         "ScatterND with reduction \"max\" needs opset 18, but opset 17 is written"},
    };
    CHECK(rows, UNSUPPORTED);
}

/* Also where one of the inputs would change nothing. */
static void inputs_of_other_types_are_refused(void **state)
{
    static const struct row rows[] = {
        {21, "Add", "{}", "2x3 [0]", 1, "Add of float32 and int64"},
        {21, "Concat", "{\"axis\": 0}", "[1,2] f[1.5]", 1, "Concat of int64 and float32"},
    };
    CHECK(rows, MX2ONNX_STATUS_INVALID_ARGUMENT);
}

static void attributes_of_other_types_are_refused(void **state)
{
    static const struct row rows[] = {
        {21, "Softmax", "{\"axis\": null}", "2x3", 1, "attribute 'axis' is not a number, a text, or a list of one kind of them"},
        {21, "Softmax", "{\"axis\": {}}", "2x3", 1, "attribute 'axis' is not a number, a text, or a list of one kind of them"},
        {21, "Softmax", "{\"axis\": true}", "2x3", 1, "attribute 'axis' is not a number, a text, or a list of one kind of them"},
        {21, "Transpose", "{\"perm\": [1, \"0\"]}", "2x3", 1, "attribute 'perm' is not a number, a text, or a list of one kind of them"},
        {21, "Transpose", "{\"perm\": [[1, 0]]}", "2x3", 1, "attribute 'perm' is not a number, a text, or a list of one kind of them"},
        {21, "RNN", "{\"activations\": [1, 2]}", "5x2x3 1x4x3 1x4x4", 1,
         "'activations' is a list of 2, but must be a list of texts in ONNX's RNN"},
    };
    CHECK(rows, UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_that_do_not_fit_are_refused),
        cmocka_unit_test(axes_of_a_scalar_are_refused),
        cmocka_unit_test(sizes_that_differ_are_refused),
        cmocka_unit_test(sizes_that_are_not_multiples_are_refused),
        cmocka_unit_test(vectors_of_other_lengths_are_refused),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(shapes_that_fit_are_written),
        cmocka_unit_test(shapes_are_as_onnx_defines_them),
        cmocka_unit_test(nothing_and_scalars_have_shapes),
        cmocka_unit_test(reductions_without_axes_are_over_all),
        cmocka_unit_test(inputs_of_unknown_shape_are_accepted),
        cmocka_unit_test(nodes_on_constants_are_computed),
        cmocka_unit_test(constants_of_odd_nodes_are_not_computed),
        cmocka_unit_test(forms_of_older_opsets_are_written),
        cmocka_unit_test(forms_of_newer_opsets_are_refused),
        cmocka_unit_test(inputs_of_other_types_are_refused),
        cmocka_unit_test(attributes_of_other_types_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
