//! Declarations of libmx2onnx, made from its header by bindings/rust/generate.py. `mx2onnx.h` says what each does.
#![allow(non_camel_case_types)]

use std::ffi::{c_char, c_void};
pub const MX2ONNX_VERSION_MAJOR: i32 = 0;
pub const MX2ONNX_VERSION_MINOR: i32 = 9;
pub const MX2ONNX_VERSION_PATCH: i32 = 0;
pub const MX2ONNX_OPSET_MIN: i32 = 11;
pub const MX2ONNX_OPSET_MAX: i32 = 28;
pub const MX2ONNX_OPSET_DEFAULT: i32 = 17;
pub const MX2ONNX_OPSET_AUTO: i32 = 0;

/// A value of the ONNX graph, as a number; 0 is an omitted input. It is valid in the call of lower that got it.
pub type mx2onnx_value = i32;

/// What a call returns; success is MX2ONNX_OK, which is short for MX2ONNX_STATUS_OK.
pub type mx2onnx_status = i32;
pub const MX2ONNX_STATUS_OK: mx2onnx_status = 0;
pub const MX2ONNX_STATUS_INVALID_ARGUMENT: mx2onnx_status = -1;
pub const MX2ONNX_STATUS_OUT_OF_MEMORY: mx2onnx_status = -2;
pub const MX2ONNX_STATUS_IO: mx2onnx_status = -3;
pub const MX2ONNX_STATUS_NOT_FOUND: mx2onnx_status = -4;
pub const MX2ONNX_STATUS_FORMAT: mx2onnx_status = -5;
pub const MX2ONNX_STATUS_UNSUPPORTED: mx2onnx_status = -6;
pub const MX2ONNX_STATUS_SHAPE: mx2onnx_status = -7;
pub const MX2ONNX_STATUS_MISSING_PARAMETER: mx2onnx_status = -8;
pub const MX2ONNX_STATUS_TOO_LARGE: mx2onnx_status = -9;
pub const MX2ONNX_STATUS_CANCELLED: mx2onnx_status = -10;
pub const MX2ONNX_STATUS_INTERNAL: mx2onnx_status = -11;

/// Optional parts of the library.
pub type mx2onnx_feature = i32;
pub const MX2ONNX_FEATURE_ZIP: mx2onnx_feature = 1;
pub const MX2ONNX_FEATURE_TAR: mx2onnx_feature = 2;
pub const MX2ONNX_FEATURE_CATALOGUE: mx2onnx_feature = 3;

/// Element types; the numbers are MXNet's type flags (mshadow/base.h).
pub type mx2onnx_dtype = i32;
pub const MX2ONNX_DTYPE_UNKNOWN: mx2onnx_dtype = -1;
pub const MX2ONNX_DTYPE_FLOAT32: mx2onnx_dtype = 0;
pub const MX2ONNX_DTYPE_FLOAT64: mx2onnx_dtype = 1;
pub const MX2ONNX_DTYPE_FLOAT16: mx2onnx_dtype = 2;
pub const MX2ONNX_DTYPE_UINT8: mx2onnx_dtype = 3;
pub const MX2ONNX_DTYPE_INT32: mx2onnx_dtype = 4;
pub const MX2ONNX_DTYPE_INT8: mx2onnx_dtype = 5;
pub const MX2ONNX_DTYPE_INT64: mx2onnx_dtype = 6;
pub const MX2ONNX_DTYPE_BOOL: mx2onnx_dtype = 7;
pub const MX2ONNX_DTYPE_INT16: mx2onnx_dtype = 8;
pub const MX2ONNX_DTYPE_UINT16: mx2onnx_dtype = 9;
pub const MX2ONNX_DTYPE_UINT32: mx2onnx_dtype = 10;
pub const MX2ONNX_DTYPE_UINT64: mx2onnx_dtype = 11;
pub const MX2ONNX_DTYPE_BFLOAT16: mx2onnx_dtype = 12;

/// A value of MX2ONNX_OPTION_FLOAT16.
pub type mx2onnx_float16 = i32;
pub const MX2ONNX_FLOAT16_OFF: mx2onnx_float16 = 0;
pub const MX2ONNX_FLOAT16_ALL: mx2onnx_float16 = 1;
pub const MX2ONNX_FLOAT16_INSIDE: mx2onnx_float16 = 2;

/// A value of MX2ONNX_OPTION_EXTERNAL_DATA.
pub type mx2onnx_external = i32;
pub const MX2ONNX_EXTERNAL_AUTO: mx2onnx_external = 0;
pub const MX2ONNX_EXTERNAL_NEVER: mx2onnx_external = 1;
pub const MX2ONNX_EXTERNAL_ALWAYS: mx2onnx_external = 2;
pub const MX2ONNX_EXTERNAL_IN_PLACE: mx2onnx_external = 3;
pub const MX2ONNX_EXTERNAL_LINK: mx2onnx_external = 4;

/// Options with a number. A switch is 0 or 1.
pub type mx2onnx_option = i32;
pub const MX2ONNX_OPTION_OPSET: mx2onnx_option = 1;
pub const MX2ONNX_OPTION_FLOAT16: mx2onnx_option = 2;
pub const MX2ONNX_OPTION_TRUST_INDICES: mx2onnx_option = 3;
pub const MX2ONNX_OPTION_KEEP_BATCH_NORM: mx2onnx_option = 4;
pub const MX2ONNX_OPTION_INITIALIZERS_AS_INPUTS: mx2onnx_option = 5;
pub const MX2ONNX_OPTION_SEED: mx2onnx_option = 6;
pub const MX2ONNX_OPTION_EXTERNAL_DATA: mx2onnx_option = 7;
pub const MX2ONNX_OPTION_EXTERNAL_THRESHOLD: mx2onnx_option = 8;
pub const MX2ONNX_OPTION_FULL_CHECKSUM: mx2onnx_option = 9;
pub const MX2ONNX_OPTION_FSYNC: mx2onnx_option = 10;
pub const MX2ONNX_OPTION_CLASSES: mx2onnx_option = 11;
pub const MX2ONNX_OPTION_CROP: mx2onnx_option = 12;
pub const MX2ONNX_OPTION_SEGMENTS: mx2onnx_option = 13;
pub const MX2ONNX_OPTION_VOCABULARY: mx2onnx_option = 14;
pub const MX2ONNX_OPTION_MEMORY_LIMIT: mx2onnx_option = 15;
pub const MX2ONNX_OPTION_EXPANSION_LIMIT: mx2onnx_option = 16;
pub const MX2ONNX_OPTION_NODES_LIMIT: mx2onnx_option = 17;
pub const MX2ONNX_OPTION_OUTPUT_LIMIT: mx2onnx_option = 18;
pub const MX2ONNX_OPTION_FOLD_INPUT_SCALE: mx2onnx_option = 19;
pub const MX2ONNX_OPTION_NODE_METADATA: mx2onnx_option = 20;
pub const MX2ONNX_OPTION_STRUCTURAL_NAMES: mx2onnx_option = 21;

/// Options with a text.
pub type mx2onnx_text = i32;
pub const MX2ONNX_TEXT_TARGET: mx2onnx_text = 1;
pub const MX2ONNX_TEXT_UNKNOWN_DOMAIN: mx2onnx_text = 2;
pub const MX2ONNX_TEXT_PARAM_PREFIX: mx2onnx_text = 3;
pub const MX2ONNX_TEXT_PRODUCER: mx2onnx_text = 4;
pub const MX2ONNX_TEXT_DOC_STRING: mx2onnx_text = 5;
pub const MX2ONNX_TEXT_SIDE_FILE: mx2onnx_text = 6;
pub const MX2ONNX_TEXT_SOURCE_NAME: mx2onnx_text = 7;

/// Applies to the inputs what was published with the net, which never happens automatically: the shapes, with a dynamic batch; or
/// mean and scale, for RGB images with values from 0 to 255. Replaces what was set for the inputs before; their own
/// functions take it back. INVALID_ARGUMENT if the model has no net, or nothing was published for it.
pub type mx2onnx_published = i32;
pub const MX2ONNX_PUBLISHED_SHAPES: mx2onnx_published = 0;
pub const MX2ONNX_PUBLISHED_NORMALIZATION: mx2onnx_published = 1;

/// For MX2ONNX_OPTION_FLOAT16: the type of the node `name`, or of every node of the operator `name`. AUTO takes back what was set
/// for this name, FLOAT32 keeps the node as it is, FLOAT16 converts it even where the library would not. If several names concern
/// a node, the one that was set last applies. NOT_FOUND if the graph has no such node or operator. INVALID_ARGUMENT.
pub type mx2onnx_precision = i32;
pub const MX2ONNX_PRECISION_AUTO: mx2onnx_precision = 0;
pub const MX2ONNX_PRECISION_FLOAT32: mx2onnx_precision = 1;
pub const MX2ONNX_PRECISION_FLOAT16: mx2onnx_precision = 2;

/// The severity of a diagnostic or a log line.
pub type mx2onnx_severity = i32;
pub const MX2ONNX_SEVERITY_ERROR: mx2onnx_severity = 0;
pub const MX2ONNX_SEVERITY_WARNING: mx2onnx_severity = 1;
pub const MX2ONNX_SEVERITY_NOTE: mx2onnx_severity = 2;
pub const MX2ONNX_SEVERITY_DEBUG: mx2onnx_severity = 3;

/// What a call is doing. Be prepared for new values.
pub type mx2onnx_phase = i32;
pub const MX2ONNX_PHASE_OTHER: mx2onnx_phase = 0;
pub const MX2ONNX_PHASE_LOAD: mx2onnx_phase = 1;
pub const MX2ONNX_PHASE_INFER: mx2onnx_phase = 2;
pub const MX2ONNX_PHASE_LOWER: mx2onnx_phase = 3;
pub const MX2ONNX_PHASE_WRITE: mx2onnx_phase = 4;

/// What a variable without a value is.
pub type mx2onnx_variable = i32;
pub const MX2ONNX_VARIABLE_INPUT: mx2onnx_variable = 0;
pub const MX2ONNX_VARIABLE_WEIGHT: mx2onnx_variable = 1;
pub const MX2ONNX_VARIABLE_UNUSED: mx2onnx_variable = 2;

/// A graph of the model.
pub type mx2onnx_graph = i32;
pub const MX2ONNX_GRAPH_MXNET: mx2onnx_graph = 0;
pub const MX2ONNX_GRAPH_ONNX: mx2onnx_graph = 1;

#[repr(C)]
pub struct mx2onnx_model {
    _private: [u8; 0],
    _pinned: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

#[repr(C)]
pub struct mx2onnx_node {
    _private: [u8; 0],
    _pinned: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct mx2onnx_array {
    pub struct_size: usize,
    pub dtype: mx2onnx_dtype,
    pub rank: i32,
    pub dims: *const i64,
    pub data: *const c_void,
    pub size: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct mx2onnx_log_entry {
    pub struct_size: usize,
    pub severity: mx2onnx_severity,
    pub message: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct mx2onnx_progress {
    pub struct_size: usize,
    pub phase: mx2onnx_phase,
    pub node: *const c_char,
    pub done: u64,
    pub total: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct mx2onnx_handler {
    pub struct_size: usize,
    pub output_count: usize,
    pub overrides: i32,
    pub infer: Option<mx2onnx_custom_fn>,
    pub lower: Option<mx2onnx_custom_fn>,
    pub count_outputs: Option<mx2onnx_outputs_fn>,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct mx2onnx_onnx_node {
    pub struct_size: usize,
    pub op_type: *const c_char,
    pub domain: *const c_char,
    pub attributes: *const c_char,
    pub input_count: usize,
    pub inputs: *const mx2onnx_value,
    pub output_count: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct mx2onnx_diagnostic {
    pub struct_size: usize,
    pub severity: mx2onnx_severity,
    pub status: mx2onnx_status,
    pub node: *const c_char,
    pub op: *const c_char,
    pub attribute: *const c_char,
    pub name: *const c_char,
    pub message: *const c_char,
    pub advice: *const c_char,
}

pub type mx2onnx_release_fn = unsafe extern "C" fn(user: *mut c_void);

pub type mx2onnx_read_fn = unsafe extern "C" fn(offset: u64, buffer: *mut c_void, size: usize, user: *mut c_void) -> i32;

pub type mx2onnx_log_fn = unsafe extern "C" fn(entry: *const mx2onnx_log_entry, user: *mut c_void);

pub type mx2onnx_progress_fn = unsafe extern "C" fn(progress: *const mx2onnx_progress, user: *mut c_void) -> i32;

pub type mx2onnx_custom_fn = unsafe extern "C" fn(node: *mut mx2onnx_node, user: *mut c_void) -> mx2onnx_status;

pub type mx2onnx_outputs_fn = unsafe extern "C" fn(node: *mut mx2onnx_node, user: *mut c_void) -> usize;

pub type mx2onnx_write_fn = unsafe extern "C" fn(data: *const c_void, size: usize, user: *mut c_void) -> i32;

extern "C" {
    pub fn mx2onnx_status_name(status: mx2onnx_status) -> *const c_char;
    pub fn mx2onnx_status_text(status: mx2onnx_status) -> *const c_char;
    pub fn mx2onnx_version() -> *const c_char;
    pub fn mx2onnx_version_number() -> i32;
    pub fn mx2onnx_has_feature(feature: mx2onnx_feature) -> i32;
    pub fn mx2onnx_opset_min() -> i32;
    pub fn mx2onnx_opset_max() -> i32;
    pub fn mx2onnx_opset_default() -> i32;
    pub fn mx2onnx_dtype_name(dtype: mx2onnx_dtype) -> *const c_char;
    pub fn mx2onnx_dtype_from_name(name: *const c_char) -> mx2onnx_dtype;
    pub fn mx2onnx_model_new(out: *mut *mut mx2onnx_model) -> mx2onnx_status;
    pub fn mx2onnx_model_free(m: *mut mx2onnx_model);
    pub fn mx2onnx_model_reset(m: *mut mx2onnx_model) -> mx2onnx_status;
    pub fn mx2onnx_memory_new(size: usize) -> *mut c_void;
    pub fn mx2onnx_memory_free(data: *mut c_void);
    pub fn mx2onnx_load(m: *mut mx2onnx_model, path: *const c_char) -> mx2onnx_status;
    pub fn mx2onnx_load_memory(m: *mut mx2onnx_model, data: *const c_void, size: usize, user: *mut c_void, release: Option<mx2onnx_release_fn>) -> mx2onnx_status;
    pub fn mx2onnx_load_callback(m: *mut mx2onnx_model, size: u64, read: Option<mx2onnx_read_fn>, user: *mut c_void, release: Option<mx2onnx_release_fn>) -> mx2onnx_status;
    pub fn mx2onnx_load_symbol_file(m: *mut mx2onnx_model, path: *const c_char) -> mx2onnx_status;
    pub fn mx2onnx_load_symbol_memory(m: *mut mx2onnx_model, data: *const c_void, size: usize) -> mx2onnx_status;
    pub fn mx2onnx_load_params_file(m: *mut mx2onnx_model, path: *const c_char) -> mx2onnx_status;
    pub fn mx2onnx_load_params_memory(m: *mut mx2onnx_model, data: *const c_void, size: usize, user: *mut c_void, release: Option<mx2onnx_release_fn>) -> mx2onnx_status;
    pub fn mx2onnx_load_params_callback(m: *mut mx2onnx_model, size: u64, read: Option<mx2onnx_read_fn>, user: *mut c_void, release: Option<mx2onnx_release_fn>) -> mx2onnx_status;
    pub fn mx2onnx_set_param(m: *mut mx2onnx_model, name: *const c_char, value: *const mx2onnx_array, user: *mut c_void, release: Option<mx2onnx_release_fn>) -> mx2onnx_status;
    pub fn mx2onnx_remove_param(m: *mut mx2onnx_model, name: *const c_char) -> mx2onnx_status;
    pub fn mx2onnx_set_option(m: *mut mx2onnx_model, option: mx2onnx_option, value: i64) -> mx2onnx_status;
    pub fn mx2onnx_get_option(m: *const mx2onnx_model, option: mx2onnx_option) -> i64;
    pub fn mx2onnx_reset_option(m: *mut mx2onnx_model, option: mx2onnx_option) -> mx2onnx_status;
    pub fn mx2onnx_set_text(m: *mut mx2onnx_model, which: mx2onnx_text, text: *const c_char) -> mx2onnx_status;
    pub fn mx2onnx_get_text(m: *const mx2onnx_model, which: mx2onnx_text) -> *const c_char;
    pub fn mx2onnx_set_domain_version(m: *mut mx2onnx_model, domain: *const c_char, version: i32) -> mx2onnx_status;
    pub fn mx2onnx_get_domain_version(m: *const mx2onnx_model, domain: *const c_char) -> i32;
    pub fn mx2onnx_set_metadata(m: *mut mx2onnx_model, key: *const c_char, value: *const c_char) -> mx2onnx_status;
    pub fn mx2onnx_get_metadata(m: *const mx2onnx_model, key: *const c_char) -> *const c_char;
    pub fn mx2onnx_metadata_count(m: *const mx2onnx_model) -> usize;
    pub fn mx2onnx_metadata_key(m: *const mx2onnx_model, i: usize) -> *const c_char;
    pub fn mx2onnx_target_count() -> usize;
    pub fn mx2onnx_target_name(i: usize) -> *const c_char;
    pub fn mx2onnx_target_text(i: usize) -> *const c_char;
    pub fn mx2onnx_load_net(m: *mut mx2onnx_model, name: *const c_char) -> mx2onnx_status;
    pub fn mx2onnx_identify_net(m: *mut mx2onnx_model) -> mx2onnx_status;
    pub fn mx2onnx_candidate_count(m: *const mx2onnx_model) -> usize;
    pub fn mx2onnx_candidate_name(m: *const mx2onnx_model, i: usize) -> *const c_char;
    pub fn mx2onnx_candidate_title(m: *const mx2onnx_model, i: usize) -> *const c_char;
    pub fn mx2onnx_net_title(m: *const mx2onnx_model) -> *const c_char;
    pub fn mx2onnx_use_published(m: *mut mx2onnx_model, what: mx2onnx_published) -> mx2onnx_status;
    pub fn mx2onnx_catalogue_count(m: *mut mx2onnx_model) -> usize;
    pub fn mx2onnx_catalogue_name(m: *mut mx2onnx_model, i: usize) -> *const c_char;
    pub fn mx2onnx_catalogue_text(m: *mut mx2onnx_model, i: usize) -> *const c_char;
    pub fn mx2onnx_catalogue_json(m: *mut mx2onnx_model, i: usize) -> *const c_char;
    pub fn mx2onnx_load_catalogue_file(m: *mut mx2onnx_model, path: *const c_char) -> mx2onnx_status;
    pub fn mx2onnx_load_catalogue_memory(m: *mut mx2onnx_model, data: *const c_void, size: usize) -> mx2onnx_status;
    pub fn mx2onnx_set_input_shape(m: *mut mx2onnx_model, input: *const c_char, rank: i32, dims: *const i64, dim_names: *const *const c_char) -> mx2onnx_status;
    pub fn mx2onnx_get_input_shape(m: *const mx2onnx_model, input: *const c_char, rank: *mut i32) -> *const i64;
    pub fn mx2onnx_set_input_dim_name(m: *mut mx2onnx_model, input: *const c_char, axis: usize, dim_name: *const c_char) -> mx2onnx_status;
    pub fn mx2onnx_get_input_dim_name(m: *const mx2onnx_model, input: *const c_char, axis: usize) -> *const c_char;
    pub fn mx2onnx_set_input_dtype(m: *mut mx2onnx_model, input: *const c_char, dtype: mx2onnx_dtype) -> mx2onnx_status;
    pub fn mx2onnx_get_input_dtype(m: *const mx2onnx_model, input: *const c_char) -> mx2onnx_dtype;
    pub fn mx2onnx_set_input_channels_last(m: *mut mx2onnx_model, input: *const c_char, on: i32) -> mx2onnx_status;
    pub fn mx2onnx_get_input_channels_last(m: *const mx2onnx_model, input: *const c_char) -> i32;
    pub fn mx2onnx_set_input_channels_reversed(m: *mut mx2onnx_model, input: *const c_char, on: i32) -> mx2onnx_status;
    pub fn mx2onnx_get_input_channels_reversed(m: *const mx2onnx_model, input: *const c_char) -> i32;
    pub fn mx2onnx_set_input_mean(m: *mut mx2onnx_model, input: *const c_char, n: usize, mean: *const f64) -> mx2onnx_status;
    pub fn mx2onnx_get_input_mean(m: *const mx2onnx_model, input: *const c_char, n: *mut usize) -> *const f64;
    pub fn mx2onnx_set_input_scale(m: *mut mx2onnx_model, input: *const c_char, n: usize, scale: *const f64) -> mx2onnx_status;
    pub fn mx2onnx_get_input_scale(m: *const mx2onnx_model, input: *const c_char, n: *mut usize) -> *const f64;
    pub fn mx2onnx_add_output(m: *mut mx2onnx_model, name: *const c_char) -> mx2onnx_status;
    pub fn mx2onnx_clear_outputs(m: *mut mx2onnx_model) -> mx2onnx_status;
    pub fn mx2onnx_rename(m: *mut mx2onnx_model, from: *const c_char, to: *const c_char) -> mx2onnx_status;
    pub fn mx2onnx_get_rename(m: *const mx2onnx_model, from: *const c_char) -> *const c_char;
    pub fn mx2onnx_set_node_precision(m: *mut mx2onnx_model, name: *const c_char, precision: mx2onnx_precision) -> mx2onnx_status;
    pub fn mx2onnx_get_node_precision(m: *const mx2onnx_model, name: *const c_char) -> mx2onnx_precision;
    pub fn mx2onnx_set_log(m: *mut mx2onnx_model, least: mx2onnx_severity, f: Option<mx2onnx_log_fn>, user: *mut c_void, release: Option<mx2onnx_release_fn>) -> mx2onnx_status;
    pub fn mx2onnx_set_progress(m: *mut mx2onnx_model, f: Option<mx2onnx_progress_fn>, user: *mut c_void, release: Option<mx2onnx_release_fn>) -> mx2onnx_status;
    pub fn mx2onnx_cancel(m: *mut mx2onnx_model);
    pub fn mx2onnx_set_custom_operator(m: *mut mx2onnx_model, name: *const c_char, handler: *const mx2onnx_handler, user: *mut c_void, release: Option<mx2onnx_release_fn>) -> mx2onnx_status;
    pub fn mx2onnx_node_name(n: *const mx2onnx_node) -> *const c_char;
    pub fn mx2onnx_node_operator(n: *const mx2onnx_node) -> *const c_char;
    pub fn mx2onnx_node_opset(n: *const mx2onnx_node) -> i32;
    pub fn mx2onnx_node_domain(n: *const mx2onnx_node) -> *const c_char;
    pub fn mx2onnx_node_attribute(n: *const mx2onnx_node, key: *const c_char) -> *const c_char;
    pub fn mx2onnx_node_attribute_count(n: *const mx2onnx_node) -> usize;
    pub fn mx2onnx_node_attribute_key(n: *const mx2onnx_node, i: usize) -> *const c_char;
    pub fn mx2onnx_node_attribute_value(n: *const mx2onnx_node, i: usize) -> *const c_char;
    pub fn mx2onnx_node_output_count(n: *const mx2onnx_node) -> usize;
    pub fn mx2onnx_node_input_count(n: *const mx2onnx_node) -> usize;
    pub fn mx2onnx_node_input_name(n: *const mx2onnx_node, i: usize) -> *const c_char;
    pub fn mx2onnx_node_input_dtype(n: *const mx2onnx_node, i: usize) -> mx2onnx_dtype;
    pub fn mx2onnx_node_input_rank(n: *const mx2onnx_node, i: usize) -> i32;
    pub fn mx2onnx_node_input_dim(n: *const mx2onnx_node, i: usize, axis: usize) -> i64;
    pub fn mx2onnx_node_input_stored_dtype(n: *const mx2onnx_node, i: usize) -> mx2onnx_dtype;
    pub fn mx2onnx_node_input_size(n: *const mx2onnx_node, i: usize) -> u64;
    pub fn mx2onnx_node_input_read(n: *mut mx2onnx_node, i: usize, offset: u64, out: *mut c_void, size: usize) -> mx2onnx_status;
    pub fn mx2onnx_node_fail(n: *mut mx2onnx_node, message: *const c_char) -> mx2onnx_status;
    pub fn mx2onnx_node_set_output_like(n: *mut mx2onnx_node, output: usize, input: usize) -> mx2onnx_status;
    pub fn mx2onnx_node_set_output(n: *mut mx2onnx_node, output: usize, dtype: mx2onnx_dtype, rank: i32, dims: *const i64) -> mx2onnx_status;
    pub fn mx2onnx_node_set_output_dim(n: *mut mx2onnx_node, output: usize, axis: usize, input: usize, input_axis: usize) -> mx2onnx_status;
    pub fn mx2onnx_node_input_value(n: *const mx2onnx_node, i: usize) -> mx2onnx_value;
    pub fn mx2onnx_node_add_constant(n: *mut mx2onnx_node, array: *const mx2onnx_array, value: *mut mx2onnx_value) -> mx2onnx_status;
    pub fn mx2onnx_node_add(n: *mut mx2onnx_node, node: *const mx2onnx_onnx_node, outputs: *mut mx2onnx_value) -> mx2onnx_status;
    pub fn mx2onnx_node_set_result(n: *mut mx2onnx_node, output: usize, value: mx2onnx_value) -> mx2onnx_status;
    pub fn mx2onnx_infer(m: *mut mx2onnx_model) -> mx2onnx_status;
    pub fn mx2onnx_input_count(m: *mut mx2onnx_model) -> usize;
    pub fn mx2onnx_input_name(m: *mut mx2onnx_model, i: usize) -> *const c_char;
    pub fn mx2onnx_input_dtype(m: *mut mx2onnx_model, i: usize) -> mx2onnx_dtype;
    pub fn mx2onnx_input_rank(m: *mut mx2onnx_model, i: usize) -> i32;
    pub fn mx2onnx_input_dim(m: *mut mx2onnx_model, i: usize, axis: usize) -> i64;
    pub fn mx2onnx_input_dim_name(m: *mut mx2onnx_model, i: usize, axis: usize) -> *const c_char;
    pub fn mx2onnx_variable_count(m: *mut mx2onnx_model) -> usize;
    pub fn mx2onnx_variable_name(m: *mut mx2onnx_model, i: usize) -> *const c_char;
    pub fn mx2onnx_variable_kind(m: *mut mx2onnx_model, i: usize) -> mx2onnx_variable;
    pub fn mx2onnx_output_count(m: *mut mx2onnx_model) -> usize;
    pub fn mx2onnx_output_name(m: *mut mx2onnx_model, i: usize) -> *const c_char;
    pub fn mx2onnx_output_dtype(m: *mut mx2onnx_model, i: usize) -> mx2onnx_dtype;
    pub fn mx2onnx_output_rank(m: *mut mx2onnx_model, i: usize) -> i32;
    pub fn mx2onnx_output_dim(m: *mut mx2onnx_model, i: usize, axis: usize) -> i64;
    pub fn mx2onnx_output_dim_name(m: *mut mx2onnx_model, i: usize, axis: usize) -> *const c_char;
    pub fn mx2onnx_param_count(m: *const mx2onnx_model) -> usize;
    pub fn mx2onnx_param_name(m: *const mx2onnx_model, i: usize) -> *const c_char;
    pub fn mx2onnx_param_dtype(m: *const mx2onnx_model, i: usize) -> mx2onnx_dtype;
    pub fn mx2onnx_param_rank(m: *const mx2onnx_model, i: usize) -> i32;
    pub fn mx2onnx_param_dims(m: *const mx2onnx_model, i: usize) -> *const i64;
    pub fn mx2onnx_param_size(m: *const mx2onnx_model, i: usize) -> u64;
    pub fn mx2onnx_param_used(m: *mut mx2onnx_model, i: usize) -> i32;
    pub fn mx2onnx_param_read(m: *mut mx2onnx_model, i: usize, offset: u64, out: *mut c_void, size: usize) -> mx2onnx_status;
    pub fn mx2onnx_operator_count(m: *mut mx2onnx_model) -> usize;
    pub fn mx2onnx_operator_name(m: *mut mx2onnx_model, i: usize) -> *const c_char;
    pub fn mx2onnx_operator_node_count(m: *mut mx2onnx_model, i: usize) -> usize;
    pub fn mx2onnx_operator_supported(m: *mut mx2onnx_model, i: usize) -> i32;
    pub fn mx2onnx_known_operator_count() -> usize;
    pub fn mx2onnx_known_operator_name(i: usize) -> *const c_char;
    pub fn mx2onnx_known_operator_aliases(i: usize) -> *const c_char;
    pub fn mx2onnx_known_operator_opset(i: usize) -> i32;
    pub fn mx2onnx_known_operator_status(i: usize) -> *const c_char;
    pub fn mx2onnx_known_operator_refuses(i: usize) -> *const c_char;
    pub fn mx2onnx_known_operator_differs(i: usize) -> *const c_char;
    pub fn mx2onnx_export_file(m: *mut mx2onnx_model, path: *const c_char) -> mx2onnx_status;
    pub fn mx2onnx_export_memory(m: *mut mx2onnx_model, data: *mut *mut c_void, size: *mut usize) -> mx2onnx_status;
    pub fn mx2onnx_export_callback(m: *mut mx2onnx_model, f: Option<mx2onnx_write_fn>, user: *mut c_void, release: Option<mx2onnx_release_fn>) -> mx2onnx_status;
    pub fn mx2onnx_check_external_data(m: *mut mx2onnx_model, path: *const c_char) -> mx2onnx_status;
    pub fn mx2onnx_diagnostic_count(m: *const mx2onnx_model) -> usize;
    pub fn mx2onnx_diagnostic_get(m: *const mx2onnx_model, i: usize, out: *mut mx2onnx_diagnostic) -> mx2onnx_status;
    pub fn mx2onnx_error(m: *const mx2onnx_model) -> *const c_char;
    pub fn mx2onnx_written_opset(m: *const mx2onnx_model) -> i32;
    pub fn mx2onnx_written_node_count(m: *const mx2onnx_model) -> usize;
    pub fn mx2onnx_written_size(m: *const mx2onnx_model) -> u64;
    pub fn mx2onnx_written_file_count(m: *const mx2onnx_model) -> usize;
    pub fn mx2onnx_written_file_name(m: *const mx2onnx_model, i: usize) -> *const c_char;
    pub fn mx2onnx_report_json(m: *mut mx2onnx_model, out: *mut *const c_char) -> mx2onnx_status;
    pub fn mx2onnx_graph_text(m: *mut mx2onnx_model, graph: mx2onnx_graph, out: *mut *const c_char) -> mx2onnx_status;
    pub fn mx2onnx_graph_json(m: *mut mx2onnx_model, graph: mx2onnx_graph, out: *mut *const c_char) -> mx2onnx_status;
}
