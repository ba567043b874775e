/* What a caller may choose: CHOICES bytes of choices, then a model as in export.c. Two rounds: a model is exported again with other
 * choices. */
#include <stdio.h>
#include <string.h>

#include "../support/given.h"
#include "model.h"

enum { CHOICES = 48 };

/* A name out of the model, or one that is not there. */
static const char *some_name(mx2onnx_model *m, struct fuzz_bytes *b, char *room, size_t size)
{
    static const char *const ends[] = {"", "_output", "_output0", "0", "_weight", "/x"};
    const unsigned kind = fuzz_below(b, 4), i = fuzz_below(b, 8);
    const char *name = kind == 0 ? mx2onnx_input_name(m, i) : kind == 1 ? mx2onnx_output_name(m, i) : mx2onnx_param_name(m, i);
    if (kind == 3 || !name) {
        name = mx2onnx_operator_name(m, i);
    }
    const int n = snprintf(room, size, "%s%s", name ? name : "data", ends[fuzz_below(b, 6)]);
    fuzz_expect(n >= 0);
    return room;
}

static void choose_input(mx2onnx_model *m, struct fuzz_bytes *b)
{
    static const char *const dim_names[] = {"batch", "n", "", "batch", "a b", "floor(n/2)", "\xff", NULL};
    char name[512];
    int64_t dims[10];
    (void)some_name(m, b, name, sizeof name);
    const unsigned what = fuzz_below(b, 8), rank = fuzz_below(b, 9);
    for (unsigned i = 0; i < rank; i++) {
        dims[i] = fuzz_size(b);
    }
    switch (what) {
    case 0:
    case 1: (void)mx2onnx_set_input_shape(m, name, (int32_t)rank, dims, NULL); break;
    case 2: (void)mx2onnx_set_input_dim_name(m, name, rank, dim_names[fuzz_below(b, 8)]); break;
    case 3: (void)mx2onnx_set_input_dtype(m, name, (int32_t)fuzz_below(b, 15) - 1); break;
    case 4:
        (void)mx2onnx_set_input_channels_last(m, name, (int32_t)rank % 2);
        (void)mx2onnx_set_input_channels_reversed(m, name, (int32_t)rank / 2);
        break;
    case 5: (void)mx2onnx_set_input_mean(m, name, rank % 5, (const double[]){1, 0, -2.5, 1e300, 0.0 / 1}); break;
    case 6: (void)mx2onnx_set_input_scale(m, name, rank % 5, (const double[]){0.5, 0, 1e-300, 2, 3}); break;
    default: {
        static const uint8_t zeros[4096];
        static const int64_t small[] = {2, 3, 4, 4};
        const unsigned k = rank % 5;
        size_t n = 4;
        for (unsigned i = 0; i < k; i++) {
            n *= (size_t)small[i];
        }
        (void)given_param(m, name, given_array(MX2ONNX_DTYPE_FLOAT32, (int32_t)k, small, zeros, n), NULL, NULL);
    }
    }
}

static void choose_output(mx2onnx_model *m, struct fuzz_bytes *b)
{
    static const char *const renamed[] = {"data", "out", "", "softmax", "a/b", "\xc3\x28"};
    char name[512];
    (void)some_name(m, b, name, sizeof name);
    switch (fuzz_below(b, 4)) {
    case 0:
    case 1: (void)mx2onnx_add_output(m, name); break;
    case 2: (void)mx2onnx_rename(m, name, renamed[fuzz_below(b, 6)]); break;
    default: (void)mx2onnx_set_node_precision(m, name, (int32_t)fuzz_below(b, 3));
    }
}

static void choose_form(mx2onnx_model *m, struct fuzz_bytes *b)
{
    const int32_t value = (int32_t)fuzz_byte(b);
    switch (fuzz_below(b, 8)) {
    case 0:
        (void)mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, MX2ONNX_OPSET_MIN - 1 + value % (MX2ONNX_OPSET_MAX - MX2ONNX_OPSET_MIN + 3));
        break;
    case 1: (void)mx2onnx_set_option(m, MX2ONNX_OPTION_FLOAT16, value % 4); break;
    case 2: (void)mx2onnx_set_text(m, MX2ONNX_TEXT_UNKNOWN_DOMAIN, value % 3 == 0 ? NULL : value % 3 == 1 ? "mxnet" : "ai.onnx"); break;
    case 3:
        (void)mx2onnx_set_option(m, MX2ONNX_OPTION_EXTERNAL_DATA, value % 6);
        (void)mx2onnx_set_option(m, MX2ONNX_OPTION_EXTERNAL_THRESHOLD, fuzz_size(b));
        break;
    case 4: (void)mx2onnx_set_option(m, MX2ONNX_OPTION_INITIALIZERS_AS_INPUTS, value % 2); break;
    case 5:
        (void)mx2onnx_set_option(m, MX2ONNX_OPTION_KEEP_BATCH_NORM, value % 2);
        (void)mx2onnx_set_option(m, MX2ONNX_OPTION_STRUCTURAL_NAMES, value / 2 % 2);
        break;
    case 6: (void)mx2onnx_set_option(m, MX2ONNX_OPTION_SEED, value << 23 & INT32_MAX); break;
    default: (void)mx2onnx_infer(m);
    }
}

static void choose(mx2onnx_model *m, struct fuzz_bytes *b, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const unsigned kind = fuzz_below(b, 4);
        if (kind == 0) {
            choose_output(m, b);
        } else if (kind == 1) {
            choose_form(m, b);
        } else {
            choose_input(m, b);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < CHOICES) {
        return 0;
    }
    struct fuzz_bytes b = {data, CHOICES};
    const unsigned first = fuzz_below(&b, 8), second = fuzz_below(&b, 4);
    const int32_t rank = (int32_t)fuzz_below(&b, 6);
    mx2onnx_model *m = fuzz_load(data + CHOICES, size - CHOICES);
    if (m) {
        choose(m, &b, first);
        fuzz_shapes(m, rank < 1 || rank > 3 ? 4 : rank);
        choose_form(m, &b);
        (void)fuzz_convert(m, NULL);
        choose(m, &b, second);
        (void)fuzz_convert(m, NULL);
        mx2onnx_model_free(m);
    }
    return 0;
}
