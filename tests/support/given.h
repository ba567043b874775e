/* What the API takes in structures, from arguments: for tests, which give many. */
#ifndef TESTS_GIVEN_H
#define TESTS_GIVEN_H

#include <mx2onnx.h>

static inline mx2onnx_array given_array(mx2onnx_dtype dtype, int32_t rank, const int64_t *dims, const void *data, size_t size)
{
    return (mx2onnx_array){.struct_size = sizeof(mx2onnx_array), .dtype = dtype, .rank = rank, .dims = dims, .data = data, .size = size};
}

/* mx2onnx_set_param */
static inline mx2onnx_status given_param(mx2onnx_model *m, const char *name, mx2onnx_array value, void *user, mx2onnx_release_fn release)
{
    return mx2onnx_set_param(m, name, &value, user, release);
}

/* mx2onnx_node_add_constant */
static inline mx2onnx_status given_constant(mx2onnx_node *n, mx2onnx_array array, mx2onnx_value *value)
{
    return mx2onnx_node_add_constant(n, &array, value);
}

/* mx2onnx_node_add */
static inline mx2onnx_status given_node(mx2onnx_node *n, const char *op_type, const char *domain, size_t input_count,
                                        const mx2onnx_value *inputs, const char *attributes, size_t output_count, mx2onnx_value *outputs)
{
    const mx2onnx_onnx_node node = {.struct_size = sizeof node,
                                    .op_type = op_type,
                                    .domain = domain,
                                    .attributes = attributes,
                                    .input_count = input_count,
                                    .inputs = inputs,
                                    .output_count = output_count};
    return mx2onnx_node_add(n, &node, outputs);
}

#endif
