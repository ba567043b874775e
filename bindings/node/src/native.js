// SPDX-License-Identifier: Apache-2.0
// The functions of include/mx2onnx.h. Function pointers are plain pointers here, as koffi.register gives them.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import koffi from 'koffi';

const PROTOTYPES = [
  'const char *mx2onnx_status_name(int32_t status)',
  'const char *mx2onnx_status_text(int32_t status)',
  'const char *mx2onnx_version(void)',
  'int32_t mx2onnx_version_number(void)',
  'int32_t mx2onnx_has_feature(int32_t feature)',
  'const char *mx2onnx_dtype_name(int32_t dtype)',
  'int32_t mx2onnx_dtype_from_name(const char *name)',
  'int32_t mx2onnx_model_new(_Out_ void **out)',
  'void mx2onnx_model_free(void *m)',
  'int32_t mx2onnx_model_reset(void *m)',
  'void *mx2onnx_memory_new(size_t size)',
  'void mx2onnx_memory_free(void *data)',
  'int32_t mx2onnx_load(void *m, const char *path)',
  'int32_t mx2onnx_load_memory(void *m, void *data, size_t size, void *user, void *release)',
  'int32_t mx2onnx_load_callback(void *m, uint64_t size, void *read, void *user, void *release)',
  'int32_t mx2onnx_load_symbol_file(void *m, const char *path)',
  'int32_t mx2onnx_load_symbol_memory(void *m, void *data, size_t size)',
  'int32_t mx2onnx_load_params_file(void *m, const char *path)',
  'int32_t mx2onnx_load_params_memory(void *m, void *data, size_t size, void *user, void *release)',
  'int32_t mx2onnx_load_params_callback(void *m, uint64_t size, void *read, void *user, void *release)',
  'int32_t mx2onnx_load_net(void *m, const char *name)',
  'int32_t mx2onnx_identify_net(void *m)',
  'size_t mx2onnx_candidate_count(void *m)',
  'const char *mx2onnx_candidate_name(void *m, size_t i)',
  'const char *mx2onnx_candidate_title(void *m, size_t i)',
  'const char *mx2onnx_net_title(void *m)',
  'int32_t mx2onnx_use_published(void *m, int32_t what)',
  'size_t mx2onnx_catalogue_count(void *m)',
  'const char *mx2onnx_catalogue_name(void *m, size_t i)',
  'const char *mx2onnx_catalogue_text(void *m, size_t i)',
  'const char *mx2onnx_catalogue_json(void *m, size_t i)',
  'int32_t mx2onnx_load_catalogue_file(void *m, const char *path)',
  'int32_t mx2onnx_load_catalogue_memory(void *m, void *data, size_t size)',
  'int32_t mx2onnx_set_param(void *m, const char *name, const mx2onnx_array *value, void *user, void *release)',
  'int32_t mx2onnx_remove_param(void *m, const char *name)',
  'int32_t mx2onnx_set_input_shape(void *m, const char *input, int32_t rank, const int64_t *dims, const char **dim_names)',
  'int32_t mx2onnx_set_input_dim_name(void *m, const char *input, size_t axis, const char *dim_name)',
  'int32_t mx2onnx_set_input_dtype(void *m, const char *input, int32_t dtype)',
  'int32_t mx2onnx_set_input_channels_last(void *m, const char *input, int32_t on)',
  'int32_t mx2onnx_set_input_channels_reversed(void *m, const char *input, int32_t on)',
  'int32_t mx2onnx_set_input_mean(void *m, const char *input, size_t n, const double *mean)',
  'int32_t mx2onnx_set_input_scale(void *m, const char *input, size_t n, const double *scale)',
  'void *mx2onnx_get_input_shape(void *m, const char *input, _Out_ int32_t *rank)',
  'const char *mx2onnx_get_input_dim_name(void *m, const char *input, size_t axis)',
  'int32_t mx2onnx_get_input_dtype(void *m, const char *input)',
  'const char *mx2onnx_get_rename(void *m, const char *from)',
  'int32_t mx2onnx_get_input_channels_last(void *m, const char *input)',
  'int32_t mx2onnx_get_input_channels_reversed(void *m, const char *input)',
  'void *mx2onnx_get_input_mean(void *m, const char *input, _Out_ size_t *n)',
  'void *mx2onnx_get_input_scale(void *m, const char *input, _Out_ size_t *n)',
  'int32_t mx2onnx_add_output(void *m, const char *name)',
  'int32_t mx2onnx_rename(void *m, const char *from, const char *to)',
  'size_t mx2onnx_target_count(void)',
  'const char *mx2onnx_target_name(size_t i)',
  'const char *mx2onnx_target_text(size_t i)',
  'int32_t mx2onnx_set_option(void *m, int32_t option, int64_t value)',
  'int64_t mx2onnx_get_option(void *m, int32_t option)',
  'int32_t mx2onnx_reset_option(void *m, int32_t option)',
  'int32_t mx2onnx_set_text(void *m, int32_t which, const char *text)',
  'const char *mx2onnx_get_text(void *m, int32_t which)',
  'int32_t mx2onnx_set_domain_version(void *m, const char *domain, int32_t version)',
  'int32_t mx2onnx_get_domain_version(void *m, const char *domain)',
  'int32_t mx2onnx_set_metadata(void *m, const char *key, const char *value)',
  'const char *mx2onnx_get_metadata(void *m, const char *key)',
  'size_t mx2onnx_metadata_count(void *m)',
  'const char *mx2onnx_metadata_key(void *m, size_t i)',
  'int32_t mx2onnx_opset_min()',
  'int32_t mx2onnx_opset_max()',
  'int32_t mx2onnx_opset_default()',
  'int32_t mx2onnx_check_external_data(void *m, const char *path)',
  'int32_t mx2onnx_set_node_precision(void *m, const char *name, int32_t precision)',
  'int32_t mx2onnx_get_node_precision(void *m, const char *name)',
  'int32_t mx2onnx_clear_outputs(void *m)',
  'int32_t mx2onnx_set_log(void *m, int32_t least, void *fn, void *user, void *release)',
  'int32_t mx2onnx_set_progress(void *m, void *fn, void *user, void *release)',
  'int32_t mx2onnx_set_custom_operator(void *m, const char *name, const mx2onnx_handler *handler, void *user, void *release)',
  'const char *mx2onnx_node_name(void *n)',
  'const char *mx2onnx_node_operator(void *n)',
  'int32_t mx2onnx_node_opset(void *n)',
  'const char *mx2onnx_node_domain(void *n)',
  'const char *mx2onnx_node_attribute(void *n, const char *key)',
  'size_t mx2onnx_node_attribute_count(void *n)',
  'const char *mx2onnx_node_attribute_key(void *n, size_t i)',
  'const char *mx2onnx_node_attribute_value(void *n, size_t i)',
  'size_t mx2onnx_node_output_count(void *n)',
  'size_t mx2onnx_node_input_count(void *n)',
  'const char *mx2onnx_node_input_name(void *n, size_t i)',
  'int32_t mx2onnx_node_input_dtype(void *n, size_t i)',
  'int32_t mx2onnx_node_input_rank(void *n, size_t i)',
  'int64_t mx2onnx_node_input_dim(void *n, size_t i, size_t axis)',
  'int32_t mx2onnx_node_input_stored_dtype(void *n, size_t i)',
  'uint64_t mx2onnx_node_input_size(void *n, size_t i)',
  'int32_t mx2onnx_node_input_read(void *n, size_t i, uint64_t offset, void *out, size_t size)',
  'int32_t mx2onnx_node_fail(void *n, const char *message)',
  'int32_t mx2onnx_node_set_output_like(void *n, size_t output, size_t input)',
  'int32_t mx2onnx_node_set_output(void *n, size_t output, int32_t dtype, int32_t rank, const int64_t *dims)',
  'int32_t mx2onnx_node_set_output_dim(void *n, size_t output, size_t axis, size_t input, size_t input_axis)',
  'int32_t mx2onnx_node_input_value(void *n, size_t i)',
  'int32_t mx2onnx_node_add_constant(void *n, const mx2onnx_array *array, _Out_ int32_t *value)',
  'int32_t mx2onnx_node_add(void *n, const mx2onnx_onnx_node *node, _Out_ int32_t *outputs)',
  'int32_t mx2onnx_node_set_result(void *n, size_t output, int32_t value)',
  'int32_t mx2onnx_infer(void *m)',
  'size_t mx2onnx_input_count(void *m)',
  'const char *mx2onnx_input_name(void *m, size_t i)',
  'int32_t mx2onnx_input_dtype(void *m, size_t i)',
  'int32_t mx2onnx_input_rank(void *m, size_t i)',
  'int64_t mx2onnx_input_dim(void *m, size_t i, size_t axis)',
  'const char *mx2onnx_input_dim_name(void *m, size_t i, size_t axis)',
  'size_t mx2onnx_variable_count(void *m)',
  'const char *mx2onnx_variable_name(void *m, size_t i)',
  'int32_t mx2onnx_variable_kind(void *m, size_t i)',
  'size_t mx2onnx_output_count(void *m)',
  'const char *mx2onnx_output_name(void *m, size_t i)',
  'int32_t mx2onnx_output_dtype(void *m, size_t i)',
  'int32_t mx2onnx_output_rank(void *m, size_t i)',
  'int64_t mx2onnx_output_dim(void *m, size_t i, size_t axis)',
  'const char *mx2onnx_output_dim_name(void *m, size_t i, size_t axis)',
  'size_t mx2onnx_param_count(void *m)',
  'const char *mx2onnx_param_name(void *m, size_t i)',
  'int32_t mx2onnx_param_dtype(void *m, size_t i)',
  'int32_t mx2onnx_param_rank(void *m, size_t i)',
  'void *mx2onnx_param_dims(void *m, size_t i)',
  'uint64_t mx2onnx_param_size(void *m, size_t i)',
  'int32_t mx2onnx_param_used(void *m, size_t i)',
  'int32_t mx2onnx_param_read(void *m, size_t i, uint64_t offset, void *out, size_t size)',
  'size_t mx2onnx_operator_count(void *m)',
  'const char *mx2onnx_operator_name(void *m, size_t i)',
  'size_t mx2onnx_operator_node_count(void *m, size_t i)',
  'int32_t mx2onnx_operator_supported(void *m, size_t i)',
  'size_t mx2onnx_known_operator_count(void)',
  'const char *mx2onnx_known_operator_name(size_t i)',
  'const char *mx2onnx_known_operator_aliases(size_t i)',
  'int32_t mx2onnx_known_operator_opset(size_t i)',
  'const char *mx2onnx_known_operator_status(size_t i)',
  'const char *mx2onnx_known_operator_refuses(size_t i)',
  'const char *mx2onnx_known_operator_differs(size_t i)',
  'int32_t mx2onnx_export_file(void *m, const char *path)',
  'int32_t mx2onnx_export_memory(void *m, _Out_ void **data, _Out_ size_t *size)',
  'int32_t mx2onnx_export_callback(void *m, void *fn, void *user, void *release)',
  'size_t mx2onnx_diagnostic_count(void *m)',
  'int32_t mx2onnx_diagnostic_get(void *m, size_t i, _Inout_ mx2onnx_diagnostic *out)',
  'const char *mx2onnx_error(void *m)',
  'int32_t mx2onnx_written_opset(void *m)',
  'size_t mx2onnx_written_node_count(void *m)',
  'uint64_t mx2onnx_written_size(void *m)',
  'size_t mx2onnx_written_file_count(void *m)',
  'const char *mx2onnx_written_file_name(void *m, size_t i)',
  'void mx2onnx_cancel(void *m)',
  'int32_t mx2onnx_report_json(void *m, _Out_ const char **out)',
  'int32_t mx2onnx_graph_text(void *m, int32_t graph, _Out_ const char **out)',
  'int32_t mx2onnx_graph_json(void *m, int32_t graph, _Out_ const char **out)',
];

koffi.struct('mx2onnx_diagnostic', {
  struct_size: 'size_t',
  severity: 'int32_t',
  status: 'int32_t',
  node: 'const char *',
  op: 'const char *',
  attribute: 'const char *',
  name: 'const char *',
  message: 'const char *',
  advice: 'const char *',
});

koffi.struct('mx2onnx_log_entry', { struct_size: 'size_t', severity: 'int32_t', message: 'const char *' });

koffi.struct('mx2onnx_progress', { struct_size: 'size_t', phase: 'int32_t', node: 'const char *', done: 'uint64_t', total: 'uint64_t' });

koffi.struct('mx2onnx_handler', {
  struct_size: 'size_t',
  output_count: 'size_t',
  overrides: 'int32_t',
  infer: 'void *',
  lower: 'void *',
  count_outputs: 'void *',
});

koffi.struct('mx2onnx_array', {
  struct_size: 'size_t',
  dtype: 'int32_t',
  rank: 'int32_t',
  dims: 'const int64_t *',
  data: 'void *',
  size: 'size_t',
});

koffi.struct('mx2onnx_onnx_node', {
  struct_size: 'size_t',
  op_type: 'const char *',
  domain: 'const char *',
  attributes: 'const char *',
  input_count: 'size_t',
  inputs: 'const int32_t *',
  output_count: 'size_t',
});

/** The functions that take a structure after a handle or a name, which gets its size here. */
const STRUCTURES = { set_param: [2, 'mx2onnx_array'], node_add_constant: [1, 'mx2onnx_array'], node_add: [1, 'mx2onnx_onnx_node'] };

export const callbacks = {
  log: koffi.pointer(koffi.proto('void mx2onnx_log_fn(void *entry, void *user)')),
  progress: koffi.pointer(koffi.proto('int32_t mx2onnx_progress_fn(void *progress, void *user)')),
  outputs: koffi.pointer(koffi.proto('size_t mx2onnx_outputs_fn(void *node, void *user)')),
  read: koffi.pointer(koffi.proto('int32_t mx2onnx_read(uint64_t offset, void *buffer, size_t size, void *user)')),
  write: koffi.pointer(koffi.proto('int32_t mx2onnx_write(const void *data, size_t size, void *user)')),
  custom: koffi.pointer(koffi.proto('int32_t mx2onnx_custom(void *node, void *user)')),
};

const FILE = { win32: 'mx2onnx.dll', darwin: 'libmx2onnx.dylib' }[process.platform] ?? 'libmx2onnx.so.0';

/** MX2ONNX_LIBRARY, else the package for this platform, else the system's. */
function find() {
  if (process.env.MX2ONNX_LIBRARY) return process.env.MX2ONNX_LIBRARY;
  const platform = `${process.platform}-${process.arch}`;
  const inside = fileURLToPath(new URL(`../native/${platform}/${FILE}`, import.meta.url));
  if (existsSync(inside)) return inside;
  for (const name of [platform, `${platform}-musl`]) { // npm installs the one whose C library is this system's
    try {
      return createRequire(import.meta.url).resolve(`@mx2onnx/${name}/${FILE}`);
    } catch {}
  }
  return FILE;
}

function load() {
  const path = find();
  let library;
  try {
    library = koffi.load(path);
  } catch (cause) {
    throw new Error(`libmx2onnx cannot be loaded (${path}); install it, or name its file in MX2ONNX_LIBRARY`, { cause });
  }
  const found = {};
  for (const prototype of PROTOTYPES) {
    const name = /mx2onnx_(\w+)\(/.exec(prototype)[1];
    const call = library.func(prototype);
    const [at, type] = STRUCTURES[name] ?? [];
    const sized = (value, i) => (i === at ? { struct_size: koffi.sizeof(type), ...value } : value);
    found[name] = type ? (...values) => call(...values.map(sized)) : call;
  }
  return [found, library.symbol('mx2onnx_memory_free')];
}

/** lib.model_new and so on, and the address of mx2onnx_memory_free, a release function. */
export const [lib, memoryFree] = load();
export { koffi };
