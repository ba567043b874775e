#include "model.h"

#include <string.h>

#include "../support/missing.h"

enum { LIMIT = 4 << 20 }; /* a small file may ask for an endless fill */

mx2onnx_model *fuzz_load(const uint8_t *data, size_t size)
{
    mx2onnx_model *m;
    if (mx2onnx_model_new(&m) != MX2ONNX_OK) {
        return NULL;
    }
    const uint8_t *nul = size > 0 ? memchr(data, 0, size) : NULL;
    const size_t text = nul ? (size_t)(nul - data) : size;
    if (mx2onnx_load_symbol_memory(m, data, text) != MX2ONNX_OK) {
        fuzz_expect(mx2onnx_error(m)[0] != 0);
        mx2onnx_model_free(m);
        return NULL;
    }
    if (nul) {
        (void)mx2onnx_load_params_memory(m, nul + 1, size - text - 1, NULL, NULL);
    }
    return m;
}

void fuzz_shapes(mx2onnx_model *m, int32_t rank)
{
    static const int64_t dims[] = {2, 3, 8, 8};
    for (size_t i = 0; i < mx2onnx_input_count(m); i++) {
        const char *name = mx2onnx_input_name(m, i);
        fuzz_expect(name != NULL);
        if (mx2onnx_input_rank(m, i) < 0) {
            (void)mx2onnx_set_input_shape(m, name, rank, dims, NULL);
            (void)mx2onnx_set_input_dim_name(m, name, 0, "batch");
        }
    }
    for (size_t n = missing_count(m); n > 0; n--) {
        (void)mx2onnx_set_input_shape(m, missing_name(m, n - 1), rank, dims, NULL);
    }
}

struct out {
    uint64_t bytes;
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

static void look(mx2onnx_model *m)
{
    for (size_t i = 0; i < mx2onnx_output_count(m); i++) {
        fuzz_expect(mx2onnx_output_name(m, i) != NULL);
        (void)mx2onnx_output_dtype(m, i);
        for (int32_t k = 0; k < mx2onnx_output_rank(m, i); k++) {
            (void)mx2onnx_output_dim(m, i, (size_t)k);
            (void)mx2onnx_output_dim_name(m, i, (size_t)k);
        }
    }
    for (size_t i = 0; i < mx2onnx_input_count(m); i++) {
        (void)mx2onnx_input_dtype(m, i);
        for (int32_t k = 0; k < mx2onnx_input_rank(m, i); k++) {
            (void)mx2onnx_input_dim_name(m, i, (size_t)k);
        }
    }
    for (size_t i = 0; i < mx2onnx_operator_count(m); i++) {
        fuzz_expect(mx2onnx_operator_name(m, i) != NULL && mx2onnx_operator_node_count(m, i) > 0);
        (void)mx2onnx_operator_supported(m, i);
    }
    for (size_t i = 0; i < mx2onnx_param_count(m); i++) {
        fuzz_expect(mx2onnx_param_name(m, i) != NULL);
        (void)mx2onnx_param_used(m, i);
    }
    for (size_t i = 0; i < mx2onnx_diagnostic_count(m); i++) {
        mx2onnx_diagnostic d = {.struct_size = sizeof d};
        fuzz_expect(mx2onnx_diagnostic_get(m, i, &d) == MX2ONNX_OK && d.message[0]);
    }
    const char *text;
    fuzz_expect(mx2onnx_report_json(m, &text) == MX2ONNX_OK);
}

int32_t fuzz_convert(mx2onnx_model *m, uint64_t *bytes)
{
    struct out first = {0}, again = {0};
    const char *text;
    const bool has_text = mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text) == MX2ONNX_OK;
    fuzz_expect(has_text || mx2onnx_error(m)[0]);
    const int32_t status = mx2onnx_export_callback(m, take, &first, NULL);
    fuzz_expect(status == MX2ONNX_OK || mx2onnx_error(m)[0]);
    fuzz_expect(status != MX2ONNX_STATUS_INTERNAL);
    fuzz_expect(has_text || status != MX2ONNX_OK);
    look(m);
    fuzz_expect((mx2onnx_graph_json(m, MX2ONNX_GRAPH_ONNX, &text) == MX2ONNX_OK) == (status == MX2ONNX_OK));
    (void)mx2onnx_graph_text(m, MX2ONNX_GRAPH_MXNET, &text);
    fuzz_expect(mx2onnx_graph_json(m, MX2ONNX_GRAPH_MXNET, &text) == MX2ONNX_OK || mx2onnx_error(m)[0]);
    if (status == MX2ONNX_OK) {
        fuzz_expect(mx2onnx_export_callback(m, take, &again, NULL) == MX2ONNX_OK && again.bytes == first.bytes);
    }
    if (bytes) {
        *bytes = first.bytes;
    }
    return status;
}
