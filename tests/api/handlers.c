/* Handlers that write any operator of ONNX with any inputs and attributes: an error, or a graph; never a crash. Only the
 * public header. The numbers are drawn from a fixed seed; an argument gives another one and the number of rounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/given.h"
#include "mx2onnx.h"

static const char symbol[] = "{\"nodes\":[{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]},"
                             "{\"op\":\"Custom\",\"name\":\"c\",\"attrs\":{\"op_type\":\"any\"},\"inputs\":[[0,0,0]]},"
                             "{\"op\":\"elemwise_add\",\"name\":\"t\",\"inputs\":[[1,0,0],[1,1,0]]}],"
                             "\"arg_nodes\":[0],\"heads\":[[2,0,0],[1,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";

static const char operators[] =
    "Abs Add AffineGrid And ArgMax ArgMin Attention AveragePool BatchNormalization Bernoulli BitCast BitShift BlackmanWindow "
    "Cast CastLike CenterCropPad Clip Col2Im Compress Concat ConstantOfShape Conv ConvInteger ConvTranspose CumSum DFT "
    "DeformConv DepthToSpace DequantizeLinear Det Div Dropout DynamicQuantizeLinear Einsum Equal Expand EyeLike Flatten GRU "
    "Gather GatherElements GatherND Gelu Gemm GlobalAveragePool GlobalLpPool GridSample GroupNormalization HannWindow "
    "Hardmax Identity If InstanceNormalization LRN LSTM LayerNormalization LogSoftmax Loop LpNormalization LpPool MatMul "
    "MatMulInteger Max MaxPool MaxRoiPool MaxUnpool Mean MeanVarianceNormalization Mod Mul Multinomial NonMaxSuppression "
    "NonZero Not OneHot PRelu Pad Pow QLinearConv QLinearMatMul QuantizeLinear RMSNormalization RNN RandomNormal "
    "RandomNormalLike RandomUniform Range ReduceL2 ReduceMax ReduceMean ReduceProd ReduceSum Relu Reshape Resize "
    "ReverseSequence RoiAlign RotaryEmbedding STFT Scan ScatterElements ScatterND Shape Size Slice Softmax SpaceToDepth "
    "Split Squeeze Sub Sum Swish TensorScatter Tile TopK Transpose Trilu Unique Unsqueeze Where";
static const char names[] =
    "allowzero alpha approximate auto_pad axes axis batch_dims beta blocksize body branch_dims ceil_mode channels_last "
    "coordinate_transformation_mode count_include_pad detect_positive dilations direction domain dtype end epsilon equation "
    "exclusive fmod group hidden_size interleaved is_causal k kernel_shape keepdims k_outer largest layout "
    "linear_before_reset mode noop_with_empty_axes num_groups num_outputs num_scan_inputs onesided output_datatype "
    "output_dtype output_height output_padding output_shape output_width p pads perm periodic pooled_shape ratio reduction "
    "reverse sample_size saturate scan_input_axes scan_output_axes seed shape sizes sorted start stash_type storage_order "
    "strides then_branch to transA transB upper value training_mode";
static const char *const values[] = {
    "0",
    "1",
    "2",
    "-1",
    "3",
    "7",
    "-2147483649",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "0.5",
    "1e300",
    "\"\"",
    "\"constant\"",
    "\"NOTSET\"",
    "\"SAME_UPPER\"",
    "\"bidirectional\"",
    "\"bij,bjk->bik\"",
    "\"none\"",
    "[]",
    "[0]",
    "[1]",
    "[-1]",
    "[1, 1]",
    "[0, 1, 1, 1]",
    "[0, 0, 1, 1, 0, 0, 1, 1]",
    "[2, 2]",
    "[9223372036854775807, 2]",
    "[-9223372036854775808]",
    "[0.5, 2.5]",
    "[\"a\", \"b\"]",
    "[3, 2, 1, 0]",
    "[1e308]",
};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static uint64_t state_ = 1;

static unsigned draw(unsigned n)
{
    state_ = state_ * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(state_ >> 33) % n;
}

/* A word of a list, with a NUL at its end. */
static const char *word(const char *list, char *out)
{
    unsigned count = 1;
    for (const char *p = list; *p; p++) {
        count += *p == ' ';
    }
    for (unsigned skip = draw(count); skip > 0; list++) {
        skip -= *list == ' ';
    }
    const size_t n = strcspn(list, " ");
    memcpy(out, list, n);
    out[n] = 0;
    return out;
}

static void attributes(char *text, size_t size)
{
    const unsigned n = draw(3) == 0 ? draw(4) : 0;
    size_t at = (size_t)snprintf(text, size, "{");
    for (unsigned i = 0; i < n; i++) {
        char name[64];
        at += (size_t)snprintf(text + at, size - at, "%s\"%s\": %s", i > 0 ? ", " : "", word(names, name), values[draw(COUNT(values))]);
    }
    snprintf(text + at, size - at, "}");
}

static int32_t infer_two(mx2onnx_node *n, void *user)
{
    const int32_t status = mx2onnx_node_set_output_like(n, 0, 0);
    return status == MX2ONNX_OK ? mx2onnx_node_set_output_like(n, 1, 0) : status;
}

static int32_t constant(mx2onnx_node *n)
{
    static const int64_t ints[] = {1, 0, 0, 1, 2, 1, 1, 2};
    static const float floats[] = {0.5f, 1, 2, -1, 0, 3, 4, 5};
    static const int64_t shapes[][3] = {{1}, {8}, {2, 4}, {4, 2}, {2, 2, 2}, {0}};
    static const int32_t ranks[] = {1, 1, 2, 2, 3, 1};
    int32_t y = 0;
    const unsigned shape = draw(COUNT(ranks)), is_int = draw(3) == 0;
    size_t size = is_int ? 8 : 4;
    for (int32_t i = 0; i < ranks[shape]; i++) {
        size *= (size_t)shapes[shape][i];
    }
    (void)given_constant(n,
                         given_array(is_int ? MX2ONNX_DTYPE_INT64 : MX2ONNX_DTYPE_FLOAT32, ranks[shape], shapes[shape],
                                     is_int ? (const void *)ints : floats, size),
                         &y);
    return y;
}

/* Some nodes, each of what is there already. */
static int32_t lower_any(mx2onnx_node *n, void *user)
{
    int32_t known[64] = {mx2onnx_node_input_value(n, 0)};
    unsigned count = 1;
    for (; count < 4; count++) {
        known[count] = constant(n);
    }
    for (unsigned steps = 1 + draw(4) * draw(2); steps > 0; steps--) {
        char type[64], text[1024];
        int32_t in[8] = {0}, out[4] = {0};
        const unsigned n_in = 1 + draw(2) + (draw(4) == 0) * draw(4), n_out = draw(8) ? 1 : 1 + draw(3);
        for (unsigned i = 0; i < n_in; i++) {
            in[i] = draw(8) == 0 ? 0 : known[draw(count)];
        }
        attributes(text, sizeof text);
        const int32_t status = given_node(n, word(operators, type), draw(8) == 0 ? "my.domain" : NULL, n_in, in, text, n_out, out);
        if (status != MX2ONNX_OK) {
            return status;
        }
        for (unsigned i = 0; i < n_out; i++) {
            known[count++] = out[i];
        }
    }
    const int32_t status = mx2onnx_node_set_result(n, 0, known[draw(count)]);
    return status == MX2ONNX_OK ? mx2onnx_node_set_result(n, 1, known[count - 1]) : status;
}

static unsigned rounds = 1000;

static void graphs_of_any_handler_are_written_or_refused(void **state)
{
    unsigned written = 0;
    for (unsigned i = 0; i < rounds; i++) {
        mx2onnx_model *m = NULL;
        void *data = NULL;
        size_t size = 0;
        const int32_t rank = 1 + (int32_t)draw(5);
        const int64_t dims[] = {draw(2) ? -1 : 2, 4, draw(3), 3, 2};
        assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
        assert_int_equal(mx2onnx_load_symbol_memory(m, symbol, sizeof symbol - 1), MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_input_shape(m, "data", rank, dims, NULL), MX2ONNX_OK);
        assert_int_equal(
            mx2onnx_set_custom_operator(
                m, "any",
                &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler), .output_count = 2, .infer = infer_two, .lower = lower_any},
                NULL, NULL),
            MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, 12 + (int32_t)draw(17)), MX2ONNX_OK);
        if (mx2onnx_export_memory(m, &data, &size) == MX2ONNX_OK) {
            written++;
        } else {
            assert_true(strlen(mx2onnx_error(m)) > 0);
        }
        mx2onnx_memory_free(data);
        mx2onnx_model_free(m);
    }
    if (written < rounds / 50) { /* the rounds would say little */
        fail_msg("%u of %u are written", written, rounds);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(graphs_of_any_handler_are_written_or_refused)};
    if (argc > 2) {
        state_ = strtoull(argv[1], NULL, 10);
        rounds = (unsigned)strtoul(argv[2], NULL, 10);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
