/* The cost of any model (cost.h). */
#include "cost.h"

static void choose(mx2onnx_model *m, struct fuzz_bytes *unused)
{
    fuzz_shapes(m, 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_cost(data, size, choose, NULL);
    return 0;
}
