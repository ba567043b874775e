/* A whole conversion from any bytes: a symbol's text and, behind a NUL, a parameter file. The graph's text, the reports and
 * an export; whatever happens, an error has a diagnostic and an export that has succeeded can be had again. */
#include <stdbool.h>
#include <string.h>

#include "fuzz.h"
#include "mx2onnx.h"

enum { LIMIT = 4 << 20 }; /* a small file may ask for an endless fill */

struct out {
    size_t bytes;
    bool full;
};

static int32_t take(const void *data, size_t size, void *user)
{
    struct out *out = user;
    fuzz_expect(data != NULL || size == 0);
    out->bytes += size;
    out->full = out->bytes > LIMIT;
    return out->full;
}

/* Inputs of which the file says nothing get a shape, so that there is something to convert. */
static void choose(mx2onnx_model *m, const uint8_t *data, size_t size)
{
    static const int64_t dims[] = {2, 3, 8, 8};
    const size_t rank = size > 0 && data[size - 1] % 3 == 0 ? 2 : 4;
    for (size_t i = 0; i < mx2onnx_input_count(m); i++) {
        const char *name = mx2onnx_input_name(m, i);
        fuzz_expect(name != NULL);
        if (mx2onnx_input_rank(m, i) < 0) {
            (void)mx2onnx_set_input_shape(m, name, rank, dims);
            (void)mx2onnx_set_input_dim_name(m, name, 0, "batch");
        }
        (void)mx2onnx_set_input_channels_last(m, name, size % 5 == 0);
        (void)mx2onnx_set_input_channels_reversed(m, name, size % 7 == 0);
        (void)mx2onnx_set_input_mean(m, name, size % 4, (const double[]){1, 2, 3});
    }
    for (size_t n = mx2onnx_missing_count(m); n > 0; n--) {
        (void)mx2onnx_set_input_shape(m, mx2onnx_missing_name(m, n - 1), rank, dims);
    }
    const int32_t count = MX2ONNX_OPSET_MAX - MX2ONNX_OPSET_MIN + 1;
    fuzz_expect(mx2onnx_set_unknown_domain(m, size % 3 == 0 ? "mxnet" : NULL) == MX2ONNX_OK);
    fuzz_expect(mx2onnx_set_float16(m, (int32_t)(size / 17 % 3)) == MX2ONNX_OK);
    fuzz_expect(mx2onnx_set_opset(m, MX2ONNX_OPSET_MIN + (int32_t)(size % (size_t)count)) == MX2ONNX_OK);
}

static void look(mx2onnx_model *m)
{
    for (size_t i = 0; i < mx2onnx_output_count(m); i++) {
        fuzz_expect(mx2onnx_output_name(m, i) != NULL);
        for (int32_t k = 0; k < mx2onnx_output_rank(m, i); k++) {
            (void)mx2onnx_output_dim(m, i, (size_t)k);
            (void)mx2onnx_output_dim_name(m, i, (size_t)k);
        }
    }
    for (size_t i = 0; i < mx2onnx_operator_count(m); i++) {
        fuzz_expect(mx2onnx_operator_name(m, i) != NULL && mx2onnx_operator_uses(m, i) > 0);
    }
    fuzz_expect(mx2onnx_report_text(m) != NULL);
    fuzz_expect(mx2onnx_report_json(m) != NULL);
}

static void convert(mx2onnx_model *m)
{
    struct out first = {0}, again = {0};
    const bool has_text = mx2onnx_graph_text(m) != NULL;
    fuzz_expect(has_text || mx2onnx_error(m)[0]);
    const int32_t status = mx2onnx_export_callback(m, take, &first);
    fuzz_expect(status == MX2ONNX_OK || mx2onnx_error(m)[0]);
    fuzz_expect(status != MX2ONNX_INTERNAL);
    fuzz_expect(has_text || status != MX2ONNX_OK);
    look(m);
    if (status == MX2ONNX_OK) {
        fuzz_expect(mx2onnx_export_callback(m, take, &again) == MX2ONNX_OK && again.bytes == first.bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mx2onnx_model *m;
    if (mx2onnx_model_new(&m) != MX2ONNX_OK) {
        return 0;
    }
    const uint8_t *nul = size > 0 ? memchr(data, 0, size) : NULL;
    const size_t text = nul ? (size_t)(nul - data) : size;
    if (mx2onnx_load_symbol_memory(m, data, text) == MX2ONNX_OK) {
        if (nul) {
            (void)mx2onnx_load_params_memory(m, nul + 1, size - text - 1);
        }
        choose(m, data, size);
        convert(m);
    } else {
        fuzz_expect(mx2onnx_error(m)[0] != 0);
    }
    mx2onnx_model_free(m);
    return 0;
}
