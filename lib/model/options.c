/* Options that are numbers: their ranges and defaults, and what other parts of the model hold of them. */
#include "model/model.h"

const struct mx_option mx_options[MX_OPTIONS] = {
    [MX2ONNX_OPTION_OPSET] = {"OPSET", MX2ONNX_OPSET_MIN, MX2ONNX_OPSET_MAX, MX2ONNX_OPSET_AUTO},
    [MX2ONNX_OPTION_FLOAT16] = {"FLOAT16", MX2ONNX_FLOAT16_OFF, MX2ONNX_FLOAT16_INSIDE, MX2ONNX_FLOAT16_OFF},
    [MX2ONNX_OPTION_TRUST_INDICES] = {"TRUST_INDICES", 0, 1, 0},
    [MX2ONNX_OPTION_KEEP_BATCH_NORM] = {"KEEP_BATCH_NORM", 0, 1, 0},
    [MX2ONNX_OPTION_INITIALIZERS_AS_INPUTS] = {"INITIALIZERS_AS_INPUTS", 0, 1, 0},
    [MX2ONNX_OPTION_SEED] = {"SEED", 0, INT32_MAX, -1},
    [MX2ONNX_OPTION_EXTERNAL_DATA] = {"EXTERNAL_DATA", MX2ONNX_EXTERNAL_AUTO, MX2ONNX_EXTERNAL_LINK, MX2ONNX_EXTERNAL_AUTO},
    [MX2ONNX_OPTION_EXTERNAL_THRESHOLD] = {"EXTERNAL_THRESHOLD", 1, INT64_MAX, 1024},
    [MX2ONNX_OPTION_FULL_CHECKSUM] = {"FULL_CHECKSUM", 0, 1, 0},
    [MX2ONNX_OPTION_FSYNC] = {"FSYNC", 0, 1, 0},
    [MX2ONNX_OPTION_CLASSES] = {"CLASSES", 1, INT32_MAX, 0},
    [MX2ONNX_OPTION_CROP] = {"CROP", 1, INT32_MAX, 0},
    [MX2ONNX_OPTION_SEGMENTS] = {"SEGMENTS", 1, INT32_MAX, 0},
    [MX2ONNX_OPTION_VOCABULARY] = {"VOCABULARY", 1, INT32_MAX, 0},
    [MX2ONNX_OPTION_MEMORY_LIMIT] = {"MEMORY_LIMIT", 0, INT64_MAX, INT64_C(64) << 20},
    [MX2ONNX_OPTION_EXPANSION_LIMIT] = {"EXPANSION_LIMIT", 0, INT64_MAX, INT64_C(64) << 20},
    [MX2ONNX_OPTION_NODES_LIMIT] = {"NODES_LIMIT", 0, INT64_MAX, INT64_C(1) << 20},
    [MX2ONNX_OPTION_FOLD_INPUT_SCALE] = {"FOLD_INPUT_SCALE", 0, 1, 0},
    [MX2ONNX_OPTION_NODE_METADATA] = {"NODE_METADATA", 0, 1, 0},
    [MX2ONNX_OPTION_STRUCTURAL_NAMES] = {"STRUCTURAL_NAMES", 0, 1, 0},
    [MX2ONNX_OPTION_OUTPUT_LIMIT] = {"OUTPUT_LIMIT", 0, INT64_MAX, INT64_C(4) << 30},
};

void mx_options_init(mx2onnx_model *m)
{
    for (int i = 0; i < MX_OPTIONS; i++) {
        m->choices.options[i] = mx_options[i].standard;
    }
    mx_options_applied(m);
}

void mx_options_applied(mx2onnx_model *m)
{
    for (int i = 0; i < MX_LIMITS; i++) {
        m->budget.limits[i] = (uint64_t)m->choices.options[MX2ONNX_OPTION_MEMORY_LIMIT + i];
    }
    for (int i = 0; i < MX_SIZES; i++) {
        m->choices.net_sizes.of[i] = m->choices.options[MX2ONNX_OPTION_CLASSES + i];
    }
}
