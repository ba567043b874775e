/* SPDX-License-Identifier: Apache-2.0 */
#include "bridge.h"

#include <stdlib.h>
#include <string.h>

/* In callbacks.go. */
extern int32_t mx2onnxGoRead(uint64_t offset, void *buffer, size_t size, uintptr_t user);
extern int32_t mx2onnxGoWrite(void *data, size_t size, uintptr_t user);
extern int32_t mx2onnxGoProgress(mx2onnx_progress *progress, uintptr_t user);
extern void mx2onnxGoLog(mx2onnx_log_entry *entry, uintptr_t user);
extern size_t mx2onnxGoCount(mx2onnx_node *n, uintptr_t user);
extern int32_t mx2onnxGoHandle(mx2onnx_node *n, int32_t lower, uintptr_t user);
extern void mx2onnxGoRelease(uintptr_t user);

static int32_t read_piece(uint64_t offset, void *buffer, size_t size, void *user)
{
    return mx2onnxGoRead(offset, buffer, size, (uintptr_t)user);
}

static int32_t write_piece(const void *data, size_t size, void *user)
{
    return mx2onnxGoWrite((void *)data, size, (uintptr_t)user);
}

static int32_t progress(const mx2onnx_progress *now, void *user)
{
    return mx2onnxGoProgress((mx2onnx_progress *)now, (uintptr_t)user);
}

static void log_line(const mx2onnx_log_entry *entry, void *user)
{
    mx2onnxGoLog((mx2onnx_log_entry *)entry, (uintptr_t)user);
}

static size_t count_outputs(mx2onnx_node *n, void *user)
{
    return mx2onnxGoCount(n, (uintptr_t)user);
}

static mx2onnx_status infer(mx2onnx_node *n, void *user)
{
    return mx2onnxGoHandle(n, 0, (uintptr_t)user);
}

static mx2onnx_status lower(mx2onnx_node *n, void *user)
{
    return mx2onnxGoHandle(n, 1, (uintptr_t)user);
}

static void release(void *user)
{
    mx2onnxGoRelease((uintptr_t)user);
}

void *bridge_copy(const void *data, size_t size)
{
    void *copy = mx2onnx_memory_new(size > 0 ? size : 1);
    if (copy != NULL && size > 0) {
        memcpy(copy, data, size);
    }
    return copy;
}

const char **bridge_texts(size_t n)
{
    return calloc(n + 1, sizeof(char *));
}

mx2onnx_status bridge_node_add_constant(mx2onnx_node *n, mx2onnx_dtype dtype, int32_t rank, const int64_t *dims, const void *data,
                                        size_t size, mx2onnx_value *value)
{
    const mx2onnx_array array = {.struct_size = sizeof array, .dtype = dtype, .rank = rank, .dims = dims, .data = data, .size = size};
    return mx2onnx_node_add_constant(n, &array, value);
}

mx2onnx_status bridge_node_add(mx2onnx_node *n, const char *op_type, const char *domain, const char *attributes, size_t input_count,
                               const mx2onnx_value *inputs, size_t output_count, mx2onnx_value *outputs)
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

mx2onnx_status bridge_load_memory(mx2onnx_model *m, void *copy, size_t size)
{
    return mx2onnx_load_memory(m, copy, size, copy, mx2onnx_memory_free);
}

mx2onnx_status bridge_load_params_memory(mx2onnx_model *m, void *copy, size_t size)
{
    return mx2onnx_load_params_memory(m, copy, size, copy, mx2onnx_memory_free);
}

mx2onnx_status bridge_set_param(mx2onnx_model *m, const char *name, mx2onnx_dtype dtype, int32_t rank, const int64_t *dims, void *copy,
                                size_t size)
{
    const mx2onnx_array value = {.struct_size = sizeof value, .dtype = dtype, .rank = rank, .dims = dims, .data = copy, .size = size};
    return mx2onnx_set_param(m, name, &value, copy, mx2onnx_memory_free);
}

mx2onnx_status bridge_load_callback(mx2onnx_model *m, uint64_t size, uintptr_t user)
{
    return mx2onnx_load_callback(m, size, read_piece, (void *)user, release);
}

mx2onnx_status bridge_load_params_callback(mx2onnx_model *m, uint64_t size, uintptr_t user)
{
    return mx2onnx_load_params_callback(m, size, read_piece, (void *)user, release);
}

mx2onnx_status bridge_set_log(mx2onnx_model *m, mx2onnx_severity least, int32_t on, uintptr_t user)
{
    return mx2onnx_set_log(m, least, on ? log_line : NULL, (void *)user, on ? release : NULL);
}

mx2onnx_status bridge_set_progress(mx2onnx_model *m, uintptr_t user)
{
    return mx2onnx_set_progress(m, progress, (void *)user, release);
}

mx2onnx_status bridge_set_custom_operator(mx2onnx_model *m, const char *name, size_t outputs, int32_t lowers, int32_t counts,
                                          int32_t overrides, uintptr_t user)
{
    const mx2onnx_handler handler = {
        .struct_size = sizeof handler,
        .output_count = outputs,
        .infer = infer,
        .lower = lowers ? lower : NULL,
        .count_outputs = counts ? count_outputs : NULL,
        .overrides = overrides,
    };
    return mx2onnx_set_custom_operator(m, name, &handler, (void *)user, release);
}

mx2onnx_status bridge_remove_custom_operator(mx2onnx_model *m, const char *name)
{
    return mx2onnx_set_custom_operator(m, name, NULL, NULL, NULL);
}

mx2onnx_status bridge_export_callback(mx2onnx_model *m, uintptr_t user)
{
    return mx2onnx_export_callback(m, write_piece, (void *)user, release);
}
