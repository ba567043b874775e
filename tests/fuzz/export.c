/* A whole conversion of any bytes, with few choices, which depend on the number of bytes. */
#include "model.h"

static void choose(mx2onnx_model *m, size_t size)
{
    for (size_t i = 0; size % 8 == 0 && i < mx2onnx_input_count(m); i++) {
        const char *name = mx2onnx_input_name(m, i);
        (void)mx2onnx_set_input_channels_last(m, name, size % 5 == 0);
        (void)mx2onnx_set_input_channels_reversed(m, name, size % 7 == 0);
        (void)mx2onnx_set_input_mean(m, name, size % 3 == 0 ? 1 : 3, (const double[]){1, 2, 3});
    }
    const int32_t count = MX2ONNX_OPSET_MAX - MX2ONNX_OPSET_MIN + 1;
    fuzz_expect(mx2onnx_set_text(m, MX2ONNX_TEXT_UNKNOWN_DOMAIN, size % 3 == 0 ? "mxnet" : NULL) == MX2ONNX_OK);
    fuzz_expect(mx2onnx_set_option(m, MX2ONNX_OPTION_FLOAT16, (int32_t)(size / 17 % 3)) == MX2ONNX_OK);
    fuzz_expect(mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, MX2ONNX_OPSET_MIN + (int32_t)(size % (size_t)count)) == MX2ONNX_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mx2onnx_model *m = fuzz_load(data, size);
    if (m) {
        fuzz_shapes(m, size > 0 && data[size - 1] % 3 == 0 ? 2 : 4);
        choose(m, size);
        (void)fuzz_convert(m, NULL);
        mx2onnx_model_free(m);
    }
    return 0;
}
