/* The weights that are in no parameter file, among a model's variables. Only the public header. */
#ifndef TESTS_MISSING_H
#define TESTS_MISSING_H

#include <mx2onnx.h>

/* The name of weight i; NULL past the end. */
static inline const char *missing_name(mx2onnx_model *m, size_t i)
{
    for (size_t k = 0; k < mx2onnx_variable_count(m); k++) {
        if (mx2onnx_variable_kind(m, k) == MX2ONNX_VARIABLE_WEIGHT && i-- == 0) {
            return mx2onnx_variable_name(m, k);
        }
    }
    return NULL;
}

static inline size_t missing_count(mx2onnx_model *m)
{
    size_t n = 0;
    for (size_t i = 0; i < mx2onnx_variable_count(m); i++) {
        n += mx2onnx_variable_kind(m, i) == MX2ONNX_VARIABLE_WEIGHT;
    }
    return n;
}

#endif
