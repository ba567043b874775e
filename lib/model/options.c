/* Options that are numbers: their ranges and defaults, and what other parts of the model hold of them. */
#include "model/model.h"

#define OPTION(name, ...) [MX2ONNX_OPTION_##name] = {#name, __VA_ARGS__}

const struct mx_option mx_options[MX_OPTIONS] = {
    OPTION(OPSET, MX2ONNX_OPSET_MIN, MX2ONNX_OPSET_MAX, MX2ONNX_OPSET_AUTO),
    OPTION(FLOAT16, MX2ONNX_FLOAT16_OFF, MX2ONNX_FLOAT16_INSIDE, MX2ONNX_FLOAT16_OFF),
    OPTION(TRUST_INDICES, 0, 1, 0),
    OPTION(KEEP_BATCH_NORM, 0, 1, 0),
    OPTION(INITIALIZERS_AS_INPUTS, 0, 1, 0),
    OPTION(SEED, 0, INT32_MAX, -1),
    OPTION(EXTERNAL_DATA, MX2ONNX_EXTERNAL_AUTO, MX2ONNX_EXTERNAL_LINK, MX2ONNX_EXTERNAL_AUTO),
    OPTION(EXTERNAL_THRESHOLD, 1, INT64_MAX, 1024),
    OPTION(FULL_CHECKSUM, 0, 1, 0),
    OPTION(FSYNC, 0, 1, 0),
    OPTION(CLASSES, 1, INT32_MAX, 0),
    OPTION(CROP, 1, INT32_MAX, 0),
    OPTION(SEGMENTS, 1, INT32_MAX, 0),
    OPTION(VOCABULARY, 1, INT32_MAX, 0),
    OPTION(MEMORY_LIMIT, 0, INT64_MAX, INT64_C(64) << 20),
    OPTION(EXPANSION_LIMIT, 0, INT64_MAX, INT64_C(64) << 20),
    OPTION(NODES_LIMIT, 0, INT64_MAX, INT64_C(1) << 20),
    OPTION(FOLD_INPUT_SCALE, 0, 1, 0),
    OPTION(NODE_METADATA, 0, 1, 0),
    OPTION(STRUCTURAL_NAMES, 0, 1, 0),
    OPTION(OUTPUT_LIMIT, 0, INT64_MAX, INT64_C(4) << 30),
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
