/* Symbols made out of the operators' tables (operators_make.c): each is converted or refused, within its cost, and never an internal
 * error. */
#include "operators.h"
#include "cost.h"

static void choose(mx2onnx_model *m, struct fuzz_bytes *b)
{
    const int32_t opsets = MX2ONNX_OPSET_MAX - MX2ONNX_OPSET_MIN + 1;
    const unsigned how = fuzz_byte(b);
    if (how % 2) {
        (void)mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, MX2ONNX_OPSET_MIN + (int32_t)(how / 2) % opsets);
    }
    if (fuzz_below(b, 16) == 1) {
        (void)mx2onnx_set_option(m, MX2ONNX_OPTION_FLOAT16, 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char made[FUZZ_MADE];
    struct fuzz_bytes b = {data, size};
    const size_t bytes = fuzz_make(&b, made);
    if (bytes > 0) {
        fuzz_cost((const uint8_t *)made, bytes, choose, &b);
    }
    return 0;
}
