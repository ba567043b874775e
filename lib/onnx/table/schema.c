/* The ONNX operators that may be written: name, first opset in the form meant here, types, shape
 * rule. Facts from the operator registry of onnx 1.23; tests/numeric/test_builder.py compares
 * them. */
#include <string.h>

#include "onnx/table/opset.h"

/* Sorted by name, as strcmp does. */
static const struct ox_schema schemas[] = {
    {"Abs", 1, "T", "T", OX_RULE_SAME},
    {"Acos", 7, "T", "T", OX_RULE_SAME},
    {"Acosh", 9, "T", "T", OX_RULE_SAME},
    {"Add", 1, "TT", "T", OX_RULE_BROADCAST},
    {"AffineGrid", 20, "Ti", "T", OX_RULE_AFFINE_GRID},
    {"And", 1, "bb", "b", OX_RULE_BROADCAST},
    {"ArgMax", 1, "T", "i", OX_RULE_ARG},
    {"ArgMin", 1, "T", "i", OX_RULE_ARG},
    {"Asin", 7, "T", "T", OX_RULE_SAME},
    {"Asinh", 9, "T", "T", OX_RULE_SAME},
    {"Atan", 7, "T", "T", OX_RULE_SAME},
    {"Atanh", 9, "T", "T", OX_RULE_SAME},
    {"Attention", 23, "TTTUTTi", "TTTT", OX_RULE_ATTENTION},
    {"AveragePool", 1, "T", "T", OX_RULE_POOL},
    {"BatchNormalization", 1, "TCCCC", "TTT", OX_RULE_NORM},
    {"Bernoulli", 15, "U", "x", OX_RULE_RANDOM},
    {"BitCast", 26, "U", "x", OX_RULE_CAST},
    {"BitShift", 11, "TT", "T", OX_RULE_BROADCAST},
    {"BitwiseAnd", 18, "TT", "T", OX_RULE_BROADCAST},
    {"BitwiseNot", 18, "T", "T", OX_RULE_SAME},
    {"BitwiseOr", 18, "TT", "T", OX_RULE_BROADCAST},
    {"BitwiseXor", 18, "TT", "T", OX_RULE_BROADCAST},
    {"BlackmanWindow", 17, "I", "x", OX_RULE_WINDOW},
    {"Cast", 1, "U", "x", OX_RULE_CAST},
    {"CastLike", 15, "U.", "x", OX_RULE_CAST},
    {"Ceil", 1, "T", "T", OX_RULE_SAME},
    {"Celu", 12, "T", "T", OX_RULE_SAME},
    {"CenterCropPad", 18, "TI", "T", OX_RULE_CROP_PAD},
    {"Clip", 1, "TTT", "T", OX_RULE_SAME},
    {"Col2Im", 18, "Tii", "T", OX_RULE_COL2IM},
    {"Compress", 9, "Tb", "T", OX_RULE_COMPRESS},
    {"Concat", 1, "T*", "T", OX_RULE_CONCAT},
    {"ConstantOfShape", 9, "i", "x", OX_RULE_OF_SHAPE},
    {"Conv", 1, "TTT", "T", OX_RULE_CONV},
    {"ConvInteger", 10, "U...", "n", OX_RULE_CONV},
    {"ConvTranspose", 1, "TTT", "T", OX_RULE_CONV_T},
    {"Cos", 7, "T", "T", OX_RULE_SAME},
    {"Cosh", 9, "T", "T", OX_RULE_SAME},
    {"CumProd", 26, "TI", "T", OX_RULE_SAME},
    {"CumSum", 11, "TI", "T", OX_RULE_SAME},
    {"DFT", 17, "T.i", "T", OX_RULE_OPEN},
    {"DeformConv", 19, "TTTTT", "T", OX_RULE_DEFORM},
    {"DepthToSpace", 1, "T", "T", OX_RULE_D2S},
    {"DequantizeLinear", 10, "U..", "x", OX_RULE_SAME},
    {"Det", 11, "T", "T", OX_RULE_DET},
    {"Div", 1, "TT", "T", OX_RULE_BROADCAST},
    {"Dropout", 12, "Tfb", "Tb", OX_RULE_SAME},
    {"DynamicQuantizeLinear", 11, "f", "xxx", OX_RULE_SAME},
    {"Einsum", 12, "T*", "T", OX_RULE_EINSUM},
    {"Elu", 1, "T", "T", OX_RULE_SAME},
    {"Equal", 1, "TT", "b", OX_RULE_BROADCAST},
    {"Erf", 9, "T", "T", OX_RULE_SAME},
    {"Exp", 1, "T", "T", OX_RULE_SAME},
    {"Expand", 8, "Ti", "T", OX_RULE_EXPAND},
    {"EyeLike", 9, "U", "x", OX_RULE_SAME},
    {"Flatten", 1, "T", "T", OX_RULE_FLATTEN},
    {"Floor", 1, "T", "T", OX_RULE_SAME},
    {"GRU", 1, "TTTTnT", "TT", OX_RULE_RNN},
    {"Gather", 1, "TI", "T", OX_RULE_GATHER},
    {"GatherElements", 11, "TI", "T", OX_RULE_LIKE_1},
    {"GatherND", 11, "Ti", "T", OX_RULE_GATHER_ND},
    {"Gelu", 20, "T", "T", OX_RULE_SAME},
    {"Gemm", 1, "TTT", "T", OX_RULE_GEMM},
    {"GlobalAveragePool", 1, "T", "T", OX_RULE_GLOBAL_POOL},
    {"GlobalLpPool", 1, "T", "T", OX_RULE_GLOBAL_POOL},
    {"GlobalMaxPool", 1, "T", "T", OX_RULE_GLOBAL_POOL},
    {"Greater", 1, "TT", "b", OX_RULE_BROADCAST},
    {"GreaterOrEqual", 12, "TT", "b", OX_RULE_BROADCAST},
    {"GridSample", 16, "TT", "T", OX_RULE_GRID_SAMPLE},
    {"GroupNormalization", 21, "TTT", "T", OX_RULE_SAME},
    {"HammingWindow", 17, "I", "x", OX_RULE_WINDOW},
    {"HannWindow", 17, "I", "x", OX_RULE_WINDOW},
    {"HardSigmoid", 1, "T", "T", OX_RULE_SAME},
    {"HardSwish", 14, "T", "T", OX_RULE_SAME},
    {"Hardmax", 1, "T", "T", OX_RULE_SAME},
    {"Identity", 1, "U", "U", OX_RULE_SAME},
    {"If", 1, "b", "x", OX_RULE_IF},
    {"InstanceNormalization", 1, "TTT", "T", OX_RULE_SAME},
    {"IsInf", 10, "T", "b", OX_RULE_SAME},
    {"IsNaN", 9, "T", "b", OX_RULE_SAME},
    {"LRN", 1, "T", "T", OX_RULE_SAME},
    {"LSTM", 1, "TTTTnTTT", "TTT", OX_RULE_RNN},
    {"LayerNormalization", 17, "TTT", "Txx", OX_RULE_NORM},
    {"LeakyRelu", 1, "T", "T", OX_RULE_SAME},
    {"Less", 1, "TT", "b", OX_RULE_BROADCAST},
    {"LessOrEqual", 12, "TT", "b", OX_RULE_BROADCAST},
    {"Log", 1, "T", "T", OX_RULE_SAME},
    {"LogSoftmax", 1, "T", "T", OX_RULE_SAME},
    {"Loop", 1, ".b.*", "x", OX_RULE_LOOP},
    {"LpNormalization", 1, "T", "T", OX_RULE_SAME},
    {"LpPool", 1, "T", "T", OX_RULE_POOL},
    {"MatMul", 1, "TT", "T", OX_RULE_MATMUL},
    {"MatMulInteger", 10, "U...", "n", OX_RULE_MATMUL},
    {"Max", 1, "T*", "T", OX_RULE_BROADCAST},
    {"MaxPool", 1, "T", "Ti", OX_RULE_POOL},
    {"MaxRoiPool", 1, "TT", "T", OX_RULE_ROI},
    {"MaxUnpool", 9, "Tii", "T", OX_RULE_OPEN},
    {"Mean", 1, "T*", "T", OX_RULE_BROADCAST},
    {"MeanVarianceNormalization", 9, "T", "T", OX_RULE_SAME},
    {"Min", 1, "T*", "T", OX_RULE_BROADCAST},
    {"Mish", 18, "T", "T", OX_RULE_SAME},
    {"Mod", 10, "TT", "T", OX_RULE_BROADCAST},
    {"Mul", 1, "TT", "T", OX_RULE_BROADCAST},
    {"Multinomial", 7, "T", "x", OX_RULE_RANDOM},
    {"Neg", 1, "T", "T", OX_RULE_SAME},
    {"NonMaxSuppression", 10, "TTiff", "i", OX_RULE_NMS},
    {"NonZero", 9, "T", "i", OX_RULE_NON_ZERO},
    {"Not", 1, "b", "b", OX_RULE_SAME},
    {"OneHot", 9, "iiT", "T", OX_RULE_ONE_HOT},
    {"Or", 1, "bb", "b", OX_RULE_BROADCAST},
    {"PRelu", 1, "TT", "T", OX_RULE_SAME},
    {"Pad", 1, "TiTI", "T", OX_RULE_PAD},
    {"Pow", 1, "TT", "T", OX_RULE_BROADCAST},
    {"QLinearConv", 10, "Uf..f.f.n", "x", OX_RULE_OPEN},
    {"QLinearMatMul", 10, "U.......", "x", OX_RULE_OPEN},
    {"QuantizeLinear", 10, "U..", "x", OX_RULE_SAME},
    {"RMSNormalization", 23, "TT", "T", OX_RULE_SAME},
    {"RNN", 1, "TTTTnT", "TT", OX_RULE_RNN},
    {"RandomNormal", 1, "", "x", OX_RULE_RANDOM},
    {"RandomNormalLike", 1, "U", "x", OX_RULE_RANDOM},
    {"RandomUniform", 1, "", "x", OX_RULE_RANDOM},
    {"RandomUniformLike", 1, "U", "x", OX_RULE_RANDOM},
    {"Range", 11, "TTT", "T", OX_RULE_RANGE},
    {"Reciprocal", 1, "T", "T", OX_RULE_SAME},
    {"ReduceL1", 1, "Ti", "T", OX_RULE_REDUCE},
    {"ReduceL2", 1, "Ti", "T", OX_RULE_REDUCE},
    {"ReduceLogSum", 1, "Ti", "T", OX_RULE_REDUCE},
    {"ReduceLogSumExp", 1, "Ti", "T", OX_RULE_REDUCE},
    {"ReduceMax", 1, "Ti", "T", OX_RULE_REDUCE},
    {"ReduceMean", 1, "Ti", "T", OX_RULE_REDUCE},
    {"ReduceMin", 1, "Ti", "T", OX_RULE_REDUCE},
    {"ReduceProd", 1, "Ti", "T", OX_RULE_REDUCE},
    {"ReduceSum", 1, "Ti", "T", OX_RULE_REDUCE},
    {"ReduceSumSquare", 1, "Ti", "T", OX_RULE_REDUCE},
    {"Relu", 1, "T", "T", OX_RULE_SAME},
    {"Reshape", 1, "Ti", "T", OX_RULE_RESHAPE},
    {"Resize", 10, "T.fi", "T", OX_RULE_RESIZE},
    {"ReverseSequence", 10, "Ti", "T", OX_RULE_SAME},
    {"RoiAlign", 10, "TTi", "T", OX_RULE_ROI},
    {"RotaryEmbedding", 23, "TTTi", "T", OX_RULE_SAME},
    {"Round", 11, "T", "T", OX_RULE_SAME},
    {"STFT", 17, "T.T.", "T", OX_RULE_OPEN},
    {"Scan", 8, ".*", "x", OX_RULE_SCAN},
    {"ScatterElements", 11, "TIT", "T", OX_RULE_SAME},
    {"ScatterND", 11, "TiT", "T", OX_RULE_SAME},
    {"Selu", 1, "T", "T", OX_RULE_SAME},
    {"Shape", 1, "U", "i", OX_RULE_SHAPE},
    {"Shrink", 9, "T", "T", OX_RULE_SAME},
    {"Sigmoid", 1, "T", "T", OX_RULE_SAME},
    {"Sign", 9, "T", "T", OX_RULE_SAME},
    {"Sin", 7, "T", "T", OX_RULE_SAME},
    {"Sinh", 9, "T", "T", OX_RULE_SAME},
    {"Size", 1, "U", "i", OX_RULE_SIZE},
    {"Slice", 1, "TIIII", "T", OX_RULE_SLICE},
    {"Softmax", 1, "T", "T", OX_RULE_SAME},
    {"Softplus", 1, "T", "T", OX_RULE_SAME},
    {"Softsign", 1, "T", "T", OX_RULE_SAME},
    {"SpaceToDepth", 1, "T", "T", OX_RULE_S2D},
    {"Split", 1, "Ti", "T", OX_RULE_SPLIT},
    {"Sqrt", 1, "T", "T", OX_RULE_SAME},
    {"Squeeze", 1, "Ti", "T", OX_RULE_SQUEEZE},
    {"Sub", 1, "TT", "T", OX_RULE_BROADCAST},
    {"Sum", 1, "T*", "T", OX_RULE_BROADCAST},
    {"SwiGLU", 28, "TT", "T", OX_RULE_OPEN},
    {"Swish", 24, "T", "T", OX_RULE_SAME},
    {"Tan", 7, "T", "T", OX_RULE_SAME},
    {"Tanh", 1, "T", "T", OX_RULE_SAME},
    {"TensorScatter", 24, "TTi", "T", OX_RULE_SAME},
    {"ThresholdedRelu", 10, "T", "T", OX_RULE_SAME},
    {"Tile", 1, "Ti", "T", OX_RULE_TILE},
    {"TopK", 1, "Ti", "Ti", OX_RULE_TOP_K},
    {"Transpose", 1, "T", "T", OX_RULE_TRANSPOSE},
    {"Trilu", 14, "Ti", "T", OX_RULE_SAME},
    {"Unique", 11, "T", "Tiii", OX_RULE_UNIQUE},
    {"Unsqueeze", 1, "Ti", "T", OX_RULE_UNSQUEEZE},
    {"Where", 9, "bTT", "T", OX_RULE_BROADCAST},
    {"Xor", 1, "bb", "b", OX_RULE_BROADCAST},
};

enum { COUNT = (int)(sizeof schemas / sizeof schemas[0]) };

const struct ox_schema *ox_schema_of(const char *op_type)
{
    int low = 0;
    int high = COUNT;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const int order = strcmp(op_type, schemas[middle].op_type);
        if (order == 0) {
            return &schemas[middle];
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

int ox_schema_number(const struct ox_schema *s)
{
    return (int)(s - schemas);
}

int ox_schema_count(void)
{
    return COUNT;
}

const struct ox_schema *ox_schema_at(int i)
{
    return &schemas[i];
}
