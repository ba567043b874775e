/* SPDX-License-Identifier: Apache-2.0
 * Between Go and mx2onnx.h: a `user` is a runtime/cgo.Handle, which is a number and no pointer. */
#ifndef MX2ONNX_GO_BRIDGE_H
#define MX2ONNX_GO_BRIDGE_H

#include <mx2onnx.h>

/* Copies `size` bytes into memory that the library releases; NULL when memory runs out. */
void *bridge_copy(const void *data, size_t size);

/* Room for `n` texts, all NULL, which the caller frees. */
const char **bridge_texts(size_t n);

mx2onnx_status bridge_node_add_constant(mx2onnx_node *n, mx2onnx_dtype dtype, int32_t rank, const int64_t *dims, const void *data,
                                        size_t size, mx2onnx_value *value);
mx2onnx_status bridge_node_add(mx2onnx_node *n, const char *op_type, const char *domain, const char *attributes, size_t input_count,
                               const mx2onnx_value *inputs, size_t output_count, mx2onnx_value *outputs);
mx2onnx_status bridge_load_memory(mx2onnx_model *m, void *copy, size_t size);
mx2onnx_status bridge_load_params_memory(mx2onnx_model *m, void *copy, size_t size);
mx2onnx_status bridge_set_param(mx2onnx_model *m, const char *name, mx2onnx_dtype dtype, int32_t rank, const int64_t *dims, void *copy,
                                size_t size);
mx2onnx_status bridge_load_callback(mx2onnx_model *m, uint64_t size, uintptr_t user);
mx2onnx_status bridge_load_params_callback(mx2onnx_model *m, uint64_t size, uintptr_t user);
mx2onnx_status bridge_set_log(mx2onnx_model *m, mx2onnx_severity least, int32_t on, uintptr_t user);
mx2onnx_status bridge_set_progress(mx2onnx_model *m, uintptr_t user);
mx2onnx_status bridge_set_custom_operator(mx2onnx_model *m, const char *name, size_t outputs, int32_t lowers, int32_t counts,
                                          int32_t overrides, uintptr_t user);
mx2onnx_status bridge_remove_custom_operator(mx2onnx_model *m, const char *name);
mx2onnx_status bridge_export_callback(mx2onnx_model *m, uintptr_t user);

#endif
