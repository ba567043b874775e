/* Handlers of custom operators that do what the bytes say: every call of mx2onnx_node_* with ordinary and odd arguments, in infer and
 * in lower, and calls of the model from inside. The handled node is in the middle of a small net, so that what it writes meets
 * inference, fusing and the writer. */
#include <stdio.h>
#include <string.h>

#include "../support/given.h"
#include "model.h"

enum { VALUES = 64 };

/* clang-format off: a node a line */
#define NODE(op, name, attrs, inputs) "{\"op\":\"" op "\",\"name\":\"" name "\",\"attrs\":{" attrs "},\"inputs\":[" inputs "]}"
static const char symbol[] =
    "{\"nodes\":[" NODE("null", "data", "\"__shape__\":\"(0, 3, 8, 8)\"", "") "," NODE("null", "w", "\"__shape__\":\"(4, 3, 3, 3)\"", "") "," NODE("relu", "r", "", "[0,0,0]") "," NODE(
        "Custom", "c", "\"op_type\":\"mine\",\"axis\":\"1\"",
        "[2,0,0],[0,0,0],[1,0,0]") "," NODE("Convolution", "conv", "\"kernel\":\"(3, 3)\",\"num_filter\":\"4\",\"no_bias\":\"True\"",
                                            "[3,0,0],[1,0,0]") "," NODE("mine", "d", "",
                                                                        "[4,0,0]") "," NODE("elemwise_add", "add", "",
                                                                                            "[3,1,0],[5,0,0]") "," NODE("Concat", "cat",
                                                                                                                        "\"num_args\":\"2\",\"dim\":\"0\"",
                                                                                                                        "[3,0,0],[6,0,0]") "," NODE("softmax",
                                                                                                                                                    "s",
                                                                                                                                                    "",
                                                                                                                                                    "[7,0,0]") "],"
                                                                                                                                                               "\"heads\":[[8,0,0],[4,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";
/* clang-format on */

struct world {
    mx2onnx_model *m;
    struct fuzz_bytes bytes;
};

static const char *op_type(struct fuzz_bytes *b)
{
    static const char *const ops[] = {"Relu",
                                      "Add",
                                      "Mul",
                                      "Sub",
                                      "Div",
                                      "Cast",
                                      "CastLike",
                                      "BitCast",
                                      "Pad",
                                      "Conv",
                                      "ConvTranspose",
                                      "Gemm",
                                      "MatMul",
                                      "Reshape",
                                      "Transpose",
                                      "Concat",
                                      "Split",
                                      "Slice",
                                      "Gather",
                                      "GatherND",
                                      "GatherElements",
                                      "ScatterND",
                                      "ScatterElements",
                                      "Squeeze",
                                      "Unsqueeze",
                                      "Shape",
                                      "Size",
                                      "Expand",
                                      "Tile",
                                      "ReduceSum",
                                      "ReduceMean",
                                      "ReduceMax",
                                      "ReduceL2",
                                      "ArgMax",
                                      "TopK",
                                      "OneHot",
                                      "Range",
                                      "ConstantOfShape",
                                      "Constant",
                                      "Identity",
                                      "If",
                                      "Loop",
                                      "Scan",
                                      "BatchNormalization",
                                      "LayerNormalization",
                                      "InstanceNormalization",
                                      "GroupNormalization",
                                      "Softmax",
                                      "LogSoftmax",
                                      "Clip",
                                      "Where",
                                      "NonZero",
                                      "NonMaxSuppression",
                                      "Resize",
                                      "Upsample",
                                      "GridSample",
                                      "RoiAlign",
                                      "MaxPool",
                                      "AveragePool",
                                      "GlobalAveragePool",
                                      "LSTM",
                                      "GRU",
                                      "RNN",
                                      "CumSum",
                                      "Trilu",
                                      "EyeLike",
                                      "RandomNormal",
                                      "RandomUniformLike",
                                      "Multinomial",
                                      "Einsum",
                                      "QuantizeLinear",
                                      "DequantizeLinear",
                                      "DynamicQuantizeLinear",
                                      "QLinearConv",
                                      "QLinearMatMul",
                                      "ConvInteger",
                                      "MatMulInteger",
                                      "DepthToSpace",
                                      "SpaceToDepth",
                                      "Dropout",
                                      "Flatten",
                                      "LRN",
                                      "MeanVarianceNormalization",
                                      "Compress",
                                      "Unique",
                                      "Optional",
                                      "SequenceEmpty",
                                      "SequenceAt",
                                      "StringNormalizer",
                                      "TfIdfVectorizer",
                                      "Bernoulli",
                                      "Det",
                                      "Mod",
                                      "Pow",
                                      "Sum",
                                      "Max",
                                      "Mean",
                                      "Equal",
                                      "And",
                                      "Not",
                                      "Xor",
                                      "BitShift",
                                      "IsNaN",
                                      "Sign",
                                      "Erf",
                                      "Gelu",
                                      "HardSwish",
                                      "PRelu",
                                      "LeakyRelu",
                                      "Celu",
                                      "Attention",
                                      "Hardmax",
                                      "DFT",
                                      "Nope",
                                      ""};
    return ops[fuzz_below(b, sizeof ops / sizeof *ops)];
}

/* A JSON object of attributes, or text that is none. */
static const char *attributes(struct fuzz_bytes *b, char *text, size_t size)
{
    static const char *const keys[] = {"axis",
                                       "axes",
                                       "pads",
                                       "mode",
                                       "perm",
                                       "kernel_shape",
                                       "strides",
                                       "dilations",
                                       "group",
                                       "to",
                                       "value",
                                       "alpha",
                                       "keepdims",
                                       "epsilon",
                                       "num_outputs",
                                       "split",
                                       "auto_pad",
                                       "dtype",
                                       "k",
                                       "largest",
                                       "equation",
                                       "body",
                                       "shape",
                                       "output_padding",
                                       "num_scan_inputs",
                                       "hidden_size",
                                       "direction",
                                       "start",
                                       "end",
                                       "blocksize",
                                       "ceil_mode",
                                       "seed",
                                       "",
                                       "a key"};
    static const char *const values[] = {"0",
                                         "1",
                                         "-1",
                                         "2",
                                         "[1]",
                                         "[]",
                                         "[0,1]",
                                         "[1,1]",
                                         "[3,3]",
                                         "[0,0,1,1]",
                                         "[1,1,1,1]",
                                         "[0,0,1,1,0,0,1,1]",
                                         "[0,2,3,1]",
                                         "[3,2,1,0]",
                                         "\"constant\"",
                                         "\"edge\"",
                                         "\"SAME_UPPER\"",
                                         "\"ij,jk->ik\"",
                                         "\"\"",
                                         "0.5",
                                         "1e300",
                                         "[0.5,1]",
                                         "[\"a\",\"b\"]",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "[9223372036854775807,1]",
                                         "[1,\"a\"]",
                                         "{}",
                                         "null",
                                         "true",
                                         "[-1,-9]",
                                         "7",
                                         "\"bidirectional\"",
                                         "4294967296",
                                         "[[1]]",
                                         "\"\\u0000\""};
    static const char *const broken[] = {"", "[]", "{\"a\":", "{\"a\":1,\"a\":2}", "nul", "{}"};
    const unsigned count = fuzz_below(b, 6);
    if (count == 5) {
        return fuzz_below(b, 2) ? NULL : broken[fuzz_below(b, 6)];
    }
    int n = snprintf(text, size, "{");
    for (unsigned i = 0; i < count; i++) {
        const char *key = keys[fuzz_below(b, sizeof keys / sizeof *keys)];
        n += snprintf(text + n, size - (size_t)n, "%s\"%s\":%s", i ? "," : "", key, values[fuzz_below(b, sizeof values / sizeof *values)]);
    }
    snprintf(text + n, size - (size_t)n, "}");
    return text;
}

/* The model from inside of a callback: looking is allowed, what changes it must be refused. */
static void call_model(struct world *w)
{
    struct fuzz_bytes *b = &w->bytes;
    mx2onnx_model *m = w->m;
    void *data = NULL;
    size_t size;
    const char *text;
    switch (fuzz_below(b, 12)) {
    case 0: fuzz_expect(mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, 13) != MX2ONNX_OK); break;
    case 1: fuzz_expect(mx2onnx_load_symbol_memory(m, symbol, sizeof symbol - 1) != MX2ONNX_OK); break;
    case 2: fuzz_expect(mx2onnx_export_memory(m, &data, &size) != MX2ONNX_OK); break;
    case 3: fuzz_expect(mx2onnx_infer(m) != MX2ONNX_OK); break;
    case 4: mx2onnx_model_free(m); break;
    case 5: fuzz_expect(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text) != MX2ONNX_OK); break;
    case 6: fuzz_expect(mx2onnx_set_input_shape(m, "data", 2, (const int64_t[]){1, 2}, NULL) != MX2ONNX_OK); break;
    case 7: fuzz_expect(mx2onnx_add_output(m, "r_output") != MX2ONNX_OK); break;
    case 8: fuzz_expect(mx2onnx_report_json(m, &text) != MX2ONNX_OK); break;
    case 9:
        (void)mx2onnx_error(m);
        (void)mx2onnx_input_count(m);
        (void)mx2onnx_output_rank(m, 0);
        break;
    case 10: fuzz_expect(given_param(m, "w", given_array(MX2ONNX_DTYPE_FLOAT32, 0, NULL, "abcd", 4), NULL, NULL) != MX2ONNX_OK); break;
    default: (void)mx2onnx_graph_text(m, MX2ONNX_GRAPH_MXNET, &text);
    }
}

static size_t odd_index(struct fuzz_bytes *b)
{
    const unsigned byte = fuzz_byte(b);
    return byte < 250 ? byte % 5 : byte < 253 ? SIZE_MAX : (size_t)INT32_MAX + byte;
}

static void look_at_node(mx2onnx_node *n, struct fuzz_bytes *b)
{
    const size_t i = odd_index(b);
    (void)mx2onnx_node_name(n);
    (void)mx2onnx_node_attribute(n, fuzz_below(b, 2) ? "axis" : "");
    (void)mx2onnx_node_input_dtype(n, i);
    (void)mx2onnx_node_input_rank(n, i);
    (void)mx2onnx_node_input_dim(n, i, odd_index(b));
    fuzz_expect(mx2onnx_node_input_count(n) <= 3);
}

static int32_t infer(mx2onnx_node *n, void *user)
{
    struct world *w = user;
    struct fuzz_bytes *b = &w->bytes;
    int64_t dims[40];
    int32_t status = MX2ONNX_OK, y;
    for (unsigned steps = 1 + fuzz_below(b, 4); steps > 0; steps--) {
        const unsigned what = fuzz_byte(b);
        const size_t output = odd_index(b), rank = what > 250 ? 40 : what % 6;
        for (size_t i = 0; i < rank; i++) {
            dims[i] = fuzz_size(b);
        }
        if (what < 60) {
            status = mx2onnx_node_set_output_like(n, output % 3, 0);
        } else if (what < 130) {
            status = mx2onnx_node_set_output_like(n, 0, 0) | mx2onnx_node_set_output_like(n, 1, odd_index(b));
        } else if (what < 180) {
            status = mx2onnx_node_set_output(n, output, (int32_t)fuzz_below(b, 14) - 1, (int32_t)rank, dims);
        } else if (what < 210) {
            status = mx2onnx_node_set_output_dim(n, output, odd_index(b), odd_index(b), odd_index(b));
        } else if (what < 225) {
            look_at_node(n, b);
        } else if (what < 235) {
            status = given_node(n, "Relu", NULL, 0, NULL, NULL, 1, &y);
        } else if (what < 240) {
            return mx2onnx_node_fail(n, what % 2 ? "no" : NULL);
        } else {
            call_model(w);
        }
    }
    return status;
}

static int32_t add_constant(mx2onnx_node *n, struct fuzz_bytes *b, int32_t *value)
{
    static const uint8_t zeros[4096];
    int64_t dims[40];
    const unsigned byte = fuzz_byte(b);
    const int32_t dtype = (int32_t)fuzz_below(b, 14) - 1;
    const size_t rank = byte > 250 ? 33 : byte % 5;
    size_t size = dtype == MX2ONNX_DTYPE_FLOAT32 || dtype == MX2ONNX_DTYPE_INT32   ? 4
                  : dtype == MX2ONNX_DTYPE_INT64 || dtype == MX2ONNX_DTYPE_FLOAT64 ? 8
                                                                                   : 1;
    for (size_t i = 0; i < rank; i++) {
        dims[i] = byte % 16 ? (int64_t)fuzz_below(b, 4) : fuzz_size(b);
        size = dims[i] >= 0 && dims[i] < 64 && size < 4096 ? size * (size_t)dims[i] : 4096;
    }
    return given_constant(n, given_array(dtype, (int32_t)rank, dims, zeros, size < sizeof zeros ? size : sizeof zeros), value);
}

static int32_t add_node(mx2onnx_node *n, struct fuzz_bytes *b, int32_t *values, unsigned *count)
{
    char text[1024];
    int32_t inputs[8], outputs[8];
    const char *op = op_type(b), *domain = fuzz_below(b, 8) ? NULL : fuzz_below(b, 2) ? "my.dom" : "";
    const unsigned n_in = fuzz_below(b, 6), n_out = fuzz_below(b, 8) ? 1 : fuzz_below(b, 6);
    for (unsigned i = 0; i < n_in; i++) {
        const unsigned byte = fuzz_byte(b);
        inputs[i] = byte < 250 ? values[byte % *count] : byte == 250 ? 0 : byte < 253 ? -1 : INT32_MAX;
    }
    const int32_t status = given_node(n, op, domain, n_in, inputs, attributes(b, text, sizeof text), n_out, outputs);
    for (unsigned i = 0; i < n_out && status == MX2ONNX_OK && *count < VALUES; i++) {
        values[(*count)++] = outputs[i];
    }
    return status;
}

static int32_t lower(mx2onnx_node *n, void *user)
{
    struct world *w = user;
    struct fuzz_bytes *b = &w->bytes;
    int32_t values[VALUES] = {mx2onnx_node_input_value(n, 0), mx2onnx_node_input_value(n, 1), mx2onnx_node_input_value(n, 2)}, value = 0;
    unsigned count = mx2onnx_node_input_count(n) < 3 ? 1 : 3;
    int32_t status = MX2ONNX_OK;
    for (unsigned steps = fuzz_below(b, 12); steps > 0 && status == MX2ONNX_OK; steps--) {
        const unsigned what = fuzz_byte(b);
        if (what < 140) {
            status = add_node(n, b, values, &count);
        } else if (what < 200) {
            status = add_constant(n, b, &value);
            if (status == MX2ONNX_OK && count < VALUES) {
                values[count++] = value;
            }
        } else if (what < 215) {
            look_at_node(n, b);
        } else if (what < 225) {
            (void)mx2onnx_node_set_result(n, odd_index(b), (int32_t)fuzz_size(b));
        } else if (what < 230) {
            (void)mx2onnx_node_set_output_like(n, 0, 0);
        } else if (what < 235) {
            return mx2onnx_node_fail(n, "no");
        } else {
            call_model(w);
        }
    }
    if (fuzz_byte(b) % 16 == 15) {
        return (int32_t)fuzz_size(b);
    }
    (void)mx2onnx_node_set_result(n, 1, values[fuzz_below(b, count)]);
    return mx2onnx_node_set_result(n, 0, values[count - 1]);
}

static int32_t progress(const mx2onnx_progress *p, void *user)
{
    struct world *w = user;
    if (fuzz_byte(&w->bytes) % 4 == 1) {
        call_model(w);
    }
    return fuzz_byte(&w->bytes) % 32 == 31;
}

static void log_line(const mx2onnx_log_entry *entry, void *user)
{
    struct world *w = user;
    fuzz_expect(entry->severity >= 0 && entry->message != NULL);
    if (fuzz_byte(&w->bytes) % 16 == 1) {
        call_model(w);
    }
}

static int32_t take(const void *data, size_t size, void *user)
{
    struct world *w = user;
    if (fuzz_byte(&w->bytes) % 4 == 1) {
        call_model(w);
    }
    return fuzz_byte(&w->bytes) % 32 == 31;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct world w = {.bytes = {data, size}};
    if (mx2onnx_model_new(&w.m) != MX2ONNX_OK) {
        return 0;
    }
    const char *text;
    const unsigned how = fuzz_byte(&w.bytes);
    fuzz_expect(mx2onnx_load_symbol_memory(w.m, symbol, sizeof symbol - 1) == MX2ONNX_OK);
    fuzz_expect(mx2onnx_set_custom_operator(
                    w.m, "mine",
                    &(const mx2onnx_handler){
                        .struct_size = sizeof(mx2onnx_handler), .output_count = 2, .infer = infer, .lower = how % 32 == 31 ? NULL : lower},
                    &w, NULL)
                == MX2ONNX_OK);
    (void)mx2onnx_set_option(w.m, MX2ONNX_OPTION_OPSET,
                             MX2ONNX_OPSET_MIN + (int32_t)fuzz_below(&w.bytes, MX2ONNX_OPSET_MAX - MX2ONNX_OPSET_MIN + 1));
    (void)mx2onnx_set_text(w.m, MX2ONNX_TEXT_UNKNOWN_DOMAIN, how & 1 ? "mxnet" : NULL);
    (void)mx2onnx_set_option(w.m, MX2ONNX_OPTION_FLOAT16, how & 2 ? MX2ONNX_FLOAT16_ALL : MX2ONNX_FLOAT16_OFF);
    (void)mx2onnx_set_progress(w.m, how & 4 ? progress : NULL, &w, NULL);
    (void)mx2onnx_set_log(w.m, MX2ONNX_SEVERITY_DEBUG, how & 8 ? log_line : NULL, &w, NULL);
    (void)mx2onnx_set_input_shape(w.m, "w", 4, (const int64_t[]){4, 3, 3, 3}, NULL);
    const int32_t status = mx2onnx_export_callback(w.m, take, &w, NULL);
    fuzz_expect(status == MX2ONNX_OK || mx2onnx_error(w.m)[0]);
    fuzz_expect(status != MX2ONNX_STATUS_INTERNAL);
    (void)mx2onnx_graph_text(w.m, MX2ONNX_GRAPH_ONNX, &text);
    const char *report;
    const mx2onnx_status reported = mx2onnx_report_json(w.m, &report);
    fuzz_expect(reported == MX2ONNX_OK || reported == MX2ONNX_STATUS_CANCELLED);
    mx2onnx_model_free(w.m);
    return 0;
}
