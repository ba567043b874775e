use crate::error::{in_rust, Diagnostic, ErrorKind, Severity};
use crate::model::Model;
use crate::Result;
use mx2onnx_sys as sys;
use std::ffi::{c_char, CStr, CString};
use std::fmt;

/// # Safety
/// `s` is NULL or a text that lives during the call.
pub(crate) unsafe fn text_or_none(s: *const c_char) -> Option<String> {
    (!s.is_null()).then(|| CStr::from_ptr(s).to_string_lossy().into_owned())
}

/// # Safety
/// As with `text_or_none`.
pub(crate) unsafe fn text(s: *const c_char) -> String {
    text_or_none(s).unwrap_or_default()
}

/// # Safety
/// `s` is a text of the library that lives for ever.
pub(crate) unsafe fn static_text(s: *const c_char) -> &'static str {
    CStr::from_ptr(s).to_str().unwrap_or_default()
}

macro_rules! numbers {
    ($(#[$doc:meta])* $name:ident { $($(#[$each:meta])* $value:ident = $raw:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $(
                $(#[$each])*
                #[doc = concat!("`", stringify!($raw), "`")]
                $value,
            )*
        }

        impl $name {
            pub(crate) fn raw(self) -> i32 {
                match self { $($name::$value => sys::$raw,)* }
            }
        }
    };
}

numbers! {
    /// An element type; its `Display` is NumPy's name.
    DType {
        Unknown = MX2ONNX_DTYPE_UNKNOWN, Float32 = MX2ONNX_DTYPE_FLOAT32, Float64 = MX2ONNX_DTYPE_FLOAT64,
        Float16 = MX2ONNX_DTYPE_FLOAT16, UInt8 = MX2ONNX_DTYPE_UINT8, Int32 = MX2ONNX_DTYPE_INT32, Int8 = MX2ONNX_DTYPE_INT8,
        Int64 = MX2ONNX_DTYPE_INT64, Bool = MX2ONNX_DTYPE_BOOL, Int16 = MX2ONNX_DTYPE_INT16, UInt16 = MX2ONNX_DTYPE_UINT16,
        UInt32 = MX2ONNX_DTYPE_UINT32, UInt64 = MX2ONNX_DTYPE_UINT64, BFloat16 = MX2ONNX_DTYPE_BFLOAT16,
    }
}
numbers! {
    /// Where the weights of [`Model::export`] go.
    External {
        Auto = MX2ONNX_EXTERNAL_AUTO, Never = MX2ONNX_EXTERNAL_NEVER, Always = MX2ONNX_EXTERNAL_ALWAYS,
        InPlace = MX2ONNX_EXTERNAL_IN_PLACE, Link = MX2ONNX_EXTERNAL_LINK,
    }
}
numbers! {
    /// What of a model becomes float16.
    Float16 { Off = MX2ONNX_FLOAT16_OFF, All = MX2ONNX_FLOAT16_ALL, Inside = MX2ONNX_FLOAT16_INSIDE, }
}
numbers! {
    /// The type of a node in a float16 model: see [`Model::set_node_precision`].
    Precision {
        /// As the library chooses.
        Auto = MX2ONNX_PRECISION_AUTO,
        /// The node stays as it is.
        Float32 = MX2ONNX_PRECISION_FLOAT32,
        /// The node is converted even where the library would not.
        Float16 = MX2ONNX_PRECISION_FLOAT16,
    }
}
numbers! {
    /// What was published with a net for its inputs.
    Published { Shapes = MX2ONNX_PUBLISHED_SHAPES, Normalization = MX2ONNX_PUBLISHED_NORMALIZATION, }
}
numbers! {
    /// A graph of the model: MXNet's, as it is converted, or the one that an export would write.
    Graph { Mxnet = MX2ONNX_GRAPH_MXNET, Onnx = MX2ONNX_GRAPH_ONNX, }
}
numbers! {
    /// What a library can be built without.
    Feature { Zip = MX2ONNX_FEATURE_ZIP, Tar = MX2ONNX_FEATURE_TAR, Catalogue = MX2ONNX_FEATURE_CATALOGUE, }
}

numbers! {
    /// A choice that is a number; a switch is 0 or 1.
    Choice {
        /// The opset to write; 0, the default, is 17, or the oldest above it that the model needs; for a target that does not read 17,
        /// the newest that it reads.
        Opset = MX2ONNX_OPTION_OPSET,
        /// A Float16.
        Float16 = MX2ONNX_OPTION_FLOAT16,
        /// 1: indices of Embedding and take are inside their tables, so a Clip is not written.
        TrustIndices = MX2ONNX_OPTION_TRUST_INDICES,
        /// 1: a BatchNorm after a convolution stays a node and is not folded into the weights.
        KeepBatchNorm = MX2ONNX_OPTION_KEEP_BATCH_NORM,
        /// 1: parameters are graph inputs, too.
        InitializersAsInputs = MX2ONNX_OPTION_INITIALIZERS_AS_INPUTS,
        /// The seed of random operators; -1, the default, leaves it to the runtime.
        Seed = MX2ONNX_OPTION_SEED,
        /// An External.
        ExternalData = MX2ONNX_OPTION_EXTERNAL_DATA,
        /// The least bytes of an array that is stored outside of the model file.
        ExternalThreshold = MX2ONNX_OPTION_EXTERNAL_THRESHOLD,
        /// 1: checksums are of all bytes, not of samples.
        FullChecksum = MX2ONNX_OPTION_FULL_CHECKSUM,
        /// 1: files are flushed to the disk before they get their names.
        Fsync = MX2ONNX_OPTION_FSYNC,
        /// The number of classes of published models that later loads consider; 0, the default: read from the parameters.
        Classes = MX2ONNX_OPTION_CLASSES,
        /// The side of the square images of a published segmentation model; 0, the default: as published.
        Crop = MX2ONNX_OPTION_CROP,
        /// The number of segments of a published video model; 0, the default: as published.
        Segments = MX2ONNX_OPTION_SEGMENTS,
        /// The number of words of a published language model; 0, the default: read from the parameters.
        Vocabulary = MX2ONNX_OPTION_VOCABULARY,
        /// The limit of bytes used by the graph and its constants.
        MemoryLimit = MX2ONNX_OPTION_MEMORY_LIMIT,
        /// The limit of bytes of unpacked archives and sparse arrays.
        ExpansionLimit = MX2ONNX_OPTION_EXPANSION_LIMIT,
        /// The limit of ONNX nodes that an export writes.
        NodesLimit = MX2ONNX_OPTION_NODES_LIMIT,
        /// The limit of bytes that an export writes.
        OutputLimit = MX2ONNX_OPTION_OUTPUT_LIMIT,
        /// 1: a factor of an input is merged into the first convolution, too.
        FoldInputScale = MX2ONNX_OPTION_FOLD_INPUT_SCALE,
        /// 1: each ONNX node's metadata name the MXNet node that it comes from, and its operator.
        NodeMetadata = MX2ONNX_OPTION_NODE_METADATA,
        /// 1: arrays with the names of Gluon's save_parameters are matched to the symbol's by kind, shape and order.
        StructuralNames = MX2ONNX_OPTION_STRUCTURAL_NAMES,
    }
}
numbers! {
    /// A choice that is a text.
    Text {
        /// The program that will read the file, if it does not read all of ONNX.
        Target = MX2ONNX_TEXT_TARGET,
        /// The domain in which unknown operators are written.
        UnknownDomain = MX2ONNX_TEXT_UNKNOWN_DOMAIN,
        /// A prefix to ignore when names of the symbol and of the parameter files are matched.
        ParamPrefix = MX2ONNX_TEXT_PARAM_PREFIX,
        /// Producer_name of the ONNX model.
        Producer = MX2ONNX_TEXT_PRODUCER,
        /// Doc_string of the ONNX model.
        DocString = MX2ONNX_TEXT_DOC_STRING,
        /// The name of the side file for weights, without a folder.
        SideFile = MX2ONNX_TEXT_SIDE_FILE,
        /// The name, in messages, of the bytes that are loaded after it is set.
        SourceName = MX2ONNX_TEXT_SOURCE_NAME,
    }
}

impl DType {
    pub(crate) fn from_raw(raw: i32) -> DType {
        use DType::*;
        let all = [Float32, Float64, Float16, UInt8, Int32, Int8, Int64, Bool, Int16, UInt16, UInt32, UInt64, BFloat16];
        all.into_iter().find(|d| d.raw() == raw).unwrap_or(Unknown)
    }

    /// The type for NumPy's name of it, or `Unknown`.
    pub fn from_name(name: &str) -> DType {
        CString::new(name).map_or(DType::Unknown, |n| DType::from_raw(unsafe { sys::mx2onnx_dtype_from_name(n.as_ptr()) }))
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&unsafe { text(sys::mx2onnx_dtype_name(self.raw())) })
    }
}

impl Precision {
    pub(crate) fn from_raw(raw: i32) -> Precision {
        match raw {
            sys::MX2ONNX_PRECISION_FLOAT32 => Precision::Float32,
            sys::MX2ONNX_PRECISION_FLOAT16 => Precision::Float16,
            _ => Precision::Auto,
        }
    }
}

/// What a call is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// It loads files.
    Load,
    /// It infers shapes and types.
    Infer,
    /// It makes the ONNX graph.
    Lower,
    /// It writes.
    Write,
    /// Anything else.
    Other,
}

impl Phase {
    pub(crate) fn from_raw(raw: i32) -> Phase {
        match raw {
            sys::MX2ONNX_PHASE_LOAD => Phase::Load,
            sys::MX2ONNX_PHASE_INFER => Phase::Infer,
            sys::MX2ONNX_PHASE_LOWER => Phase::Lower,
            sys::MX2ONNX_PHASE_WRITE => Phase::Write,
            _ => Phase::Other,
        }
    }
}

/// How far a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// What the call is doing.
    pub phase: Phase,
    /// Bytes written in [`Phase::Write`]; 0 in any other.
    pub done: u64,
    /// Bytes to be written; 0 in any other phase.
    pub total: u64,
    /// The node at which the call is, or "".
    pub node: &'a str,
}

/// What a variable without a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum VariableKind {
    /// An input of the model.
    Input,
    /// A weight that is in no parameter file.
    Weight,
    /// Not used at inference time: a label.
    Unused,
    /// A kind that this crate does not know.
    Other(i32),
}

impl VariableKind {
    fn from_raw(raw: i32) -> VariableKind {
        match raw {
            sys::MX2ONNX_VARIABLE_INPUT => VariableKind::Input,
            sys::MX2ONNX_VARIABLE_WEIGHT => VariableKind::Weight,
            sys::MX2ONNX_VARIABLE_UNUSED => VariableKind::Unused,
            other => VariableKind::Other(other),
        }
    }
}

/// A variable of the symbol that has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variable {
    /// Its name in the MXNet file.
    pub name: String,
    /// What it is.
    pub kind: VariableKind,
}

/// A published net that parameters fit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Candidate {
    /// As the catalogue calls it, for `load_net`.
    pub name: String,
    /// With its sizes, `resnet50_v1 with 10 classes`.
    pub title: String,
}

type GetValues = unsafe extern "C" fn(*const sys::mx2onnx_model, *const c_char, *mut usize) -> *const f64;

/// A dim of a shape.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dim {
    /// A size.
    Size(i64),
    /// Dynamic; in what a model says of itself it may be an expression, `floor((h + 1)/2)`.
    Named(String),
    /// Left to inference, or not known.
    Open,
}

impl Dim {
    /// A dim that may have any size, with this name.
    pub fn named(name: impl Into<String>) -> Dim {
        Dim::Named(name.into())
    }

    pub(crate) fn size(&self) -> i64 {
        match self {
            Dim::Size(n) => *n,
            _ => -1,
        }
    }

    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Dim::Named(name) => Some(name),
            _ => None,
        }
    }
}

impl From<i64> for Dim {
    fn from(n: i64) -> Dim {
        Dim::Size(n)
    }
}
impl From<i32> for Dim {
    fn from(n: i32) -> Dim {
        Dim::Size(n.into())
    }
}
impl From<&str> for Dim {
    fn from(name: &str) -> Dim {
        Dim::named(name)
    }
}

/// An input or output of a model; no dims while not even the rank is known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tensor {
    /// Its name: an input's in the MXNet file, an output's in the ONNX file.
    pub name: String,
    /// The element type; [`DType::Unknown`] while it is not known.
    pub dtype: DType,
    /// Its dims; `None` while the rank is not known.
    pub dims: Option<Vec<Dim>>,
}

/// An array of a parameter file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Param {
    /// Its name, without "arg:" or "aux:".
    pub name: String,
    /// The element type in which it is stored.
    pub dtype: DType,
    /// Its dims.
    pub dims: Vec<i64>,
    /// Its bytes, dense.
    pub bytes: u64,
    /// The graph reads it.
    pub used: bool,
}

/// An operator of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Operator {
    /// Its MXNet name.
    pub name: String,
    /// The number of nodes.
    pub uses: usize,
    /// Whether the library converts it.
    pub supported: bool,
}

/// What the last export wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// The opset.
    pub opset: i32,
    /// The number of nodes.
    pub nodes: usize,
    /// The size, with that of a side file.
    pub bytes: u64,
    /// The files that belong to an export to a file, without a folder: the model, its side file, and parameter files that it
    /// refers to.
    pub files: Vec<String>,
}

/// An operator that the library knows.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KnownOperator {
    /// Its canonical MXNet name.
    pub name: String,
    /// Its other names, separated by spaces.
    pub aliases: String,
    /// How far it is converted: `full`, `partial` (some nodes are refused), `differs`, `random` or `training only`.
    pub status: String,
    /// Which of its nodes are not converted, and result in an error: a line for each kind.
    pub refuses: String,
    /// Where its results may differ from MXNet's, and why: a line for each case.
    pub differs: String,
    /// The first opset in which it can be written.
    pub opset: i32,
}

/// A program that a file can be written for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Target {
    /// Its name, for [`Text::Target`].
    pub name: String,
    /// A sentence about it.
    pub text: String,
}

/// The operators that the library knows, in no particular order.
pub fn known_operators() -> Vec<KnownOperator> {
    let known = |i| unsafe {
        KnownOperator {
            name: text(sys::mx2onnx_known_operator_name(i)),
            aliases: text(sys::mx2onnx_known_operator_aliases(i)),
            status: text(sys::mx2onnx_known_operator_status(i)),
            refuses: text(sys::mx2onnx_known_operator_refuses(i)),
            differs: text(sys::mx2onnx_known_operator_differs(i)),
            opset: sys::mx2onnx_known_operator_opset(i),
        }
    };
    (0..unsafe { sys::mx2onnx_known_operator_count() }).map(known).collect()
}

/// The programs that can be a target.
pub fn targets() -> Vec<Target> {
    let target = |i| unsafe { Target { name: text(sys::mx2onnx_target_name(i)), text: text(sys::mx2onnx_target_text(i)) } };
    (0..unsafe { sys::mx2onnx_target_count() }).map(target).collect()
}

/// The version of the library that runs.
pub fn version() -> &'static str {
    unsafe { static_text(sys::mx2onnx_version()) }
}

/// The same to compare: 1002003 is 1.2.3.
pub fn version_number() -> i32 {
    unsafe { sys::mx2onnx_version_number() }
}

/// The oldest and the newest opset that the library writes.
pub fn opset_range() -> std::ops::RangeInclusive<i32> {
    unsafe { sys::mx2onnx_opset_min()..=sys::mx2onnx_opset_max() }
}

/// The opset that the library writes by default.
pub fn opset_default() -> i32 {
    unsafe { sys::mx2onnx_opset_default() }
}

/// Whether the running library was built with this feature.
pub fn has_feature(feature: Feature) -> bool {
    unsafe { sys::mx2onnx_has_feature(feature.raw()) != 0 }
}

macro_rules! tensors {
    ($m:expr, $count:ident, $name:ident, $dtype:ident, $rank:ident, $dim:ident, $dim_name:ident) => {{
        let m = $m;
        let dim = |i, axis| unsafe {
            match sys::$dim(m, i, axis) {
                size if size >= 0 => Dim::Size(size),
                _ => text_or_none(sys::$dim_name(m, i, axis)).map_or(Dim::Open, Dim::Named),
            }
        };
        let tensor = |i| unsafe {
            let rank = sys::$rank(m, i);
            let dims = (rank >= 0).then(|| (0..rank as usize).map(|axis| dim(i, axis)).collect());
            Tensor { name: text(sys::$name(m, i)), dtype: DType::from_raw(sys::$dtype(m, i)), dims }
        };
        (0..unsafe { sys::$count(m) }).map(tensor).collect()
    }};
}

impl Model {
    /// In the symbol's order.
    pub fn inputs(&self) -> Vec<Tensor> {
        self.look(|m| {
            tensors!(
                m,
                mx2onnx_input_count,
                mx2onnx_input_name,
                mx2onnx_input_dtype,
                mx2onnx_input_rank,
                mx2onnx_input_dim,
                mx2onnx_input_dim_name
            )
        })
    }
    /// With the names that they will have in the ONNX file.
    pub fn outputs(&self) -> Vec<Tensor> {
        self.look(|m| {
            tensors!(
                m,
                mx2onnx_output_count,
                mx2onnx_output_name,
                mx2onnx_output_dtype,
                mx2onnx_output_rank,
                mx2onnx_output_dim,
                mx2onnx_output_dim_name
            )
        })
    }
    /// The published net that the graph was made of, "resnet18_v1 with 10 classes".
    pub fn net(&self) -> Option<String> {
        let title = unsafe { sys::mx2onnx_net_title(self.as_ptr()) };
        if title.is_null() {
            None
        } else {
            Some(unsafe { text(title) })
        }
    }
    /// The version with which a domain is imported.
    pub fn domain_version(&self, domain: &str) -> i32 {
        CString::new(domain).map_or(0, |d| self.look(|m| unsafe { sys::mx2onnx_get_domain_version(m, d.as_ptr()) }))
    }
    /// The entries that [`Model::set_metadata`] set, sorted by key.
    pub fn metadata(&self) -> Vec<(String, String)> {
        self.look(|m| {
            let entry = |i| unsafe {
                let key = sys::mx2onnx_metadata_key(m, i);
                (text(key), text(sys::mx2onnx_get_metadata(m, key)))
            };
            (0..unsafe { sys::mx2onnx_metadata_count(m) }).map(entry).collect()
        })
    }
    /// What [`Model::input_channels_last`] set.
    pub fn has_channels_last(&self, input: &str) -> bool {
        CString::new(input).is_ok_and(|i| self.look(|m| unsafe { sys::mx2onnx_get_input_channels_last(m, i.as_ptr()) }) != 0)
    }
    /// What [`Model::input_channels_reversed`] set.
    pub fn has_channels_reversed(&self, input: &str) -> bool {
        CString::new(input).is_ok_and(|i| self.look(|m| unsafe { sys::mx2onnx_get_input_channels_reversed(m, i.as_ptr()) }) != 0)
    }
    /// What [`Model::input_mean`] or [`Model::use_published`] set; empty if nothing was.
    pub fn mean_of(&self, input: &str) -> Vec<f64> {
        self.values(input, sys::mx2onnx_get_input_mean)
    }
    /// What [`Model::input_scale`] or [`Model::use_published`] set; empty if nothing was.
    pub fn scale_of(&self, input: &str) -> Vec<f64> {
        self.values(input, sys::mx2onnx_get_input_scale)
    }
    /// What [`Model::input_shape`] set; None if nothing was.
    pub fn chosen_shape(&self, input: &str) -> Option<Vec<Dim>> {
        let input = CString::new(input).ok()?;
        self.look(|m| unsafe {
            let mut rank = -1;
            let sizes = sys::mx2onnx_get_input_shape(m, input.as_ptr(), &mut rank);
            let dim = |axis: usize| {
                let size = *sizes.add(axis);
                let name = text_or_none(sys::mx2onnx_get_input_dim_name(m, input.as_ptr(), axis));
                name.map_or(if size < 0 { Dim::Open } else { Dim::Size(size) }, Dim::Named)
            };
            usize::try_from(rank).ok().map(|rank| (0..rank).map(dim).collect())
        })
    }
    /// What [`Model::input_dtype`] set; [`DType::Unknown`] if nothing was.
    pub fn chosen_dtype(&self, input: &str) -> DType {
        let dtype = |i: CString| self.look(|m| DType::from_raw(unsafe { sys::mx2onnx_get_input_dtype(m, i.as_ptr()) }));
        CString::new(input).map_or(DType::Unknown, dtype)
    }
    /// The name that [`Model::rename`] set; None if it set none.
    pub fn chosen_name(&self, from: &str) -> Option<String> {
        let from = CString::new(from).ok()?;
        self.look(|m| unsafe { text_or_none(sys::mx2onnx_get_rename(m, from.as_ptr())) })
    }
    fn values(&self, input: &str, get: GetValues) -> Vec<f64> {
        let Ok(input) = CString::new(input) else { return Vec::new() };
        self.look(|m| unsafe {
            let mut n = 0;
            let values = get(m, input.as_ptr(), &mut n);
            if n > 0 { std::slice::from_raw_parts(values, n).to_vec() } else { Vec::new() }
        })
    }
    /// The nets of the catalogue: name, and what is known of it in a line.
    pub fn nets(&self) -> Vec<(String, String)> {
        self.look(|m| {
            let net = |i| unsafe { (text(sys::mx2onnx_catalogue_name(m, i)), text(sys::mx2onnx_catalogue_text(m, i))) };
            (0..unsafe { sys::mx2onnx_catalogue_count(m) }).map(net).collect()
        })
    }
    /// The same nets, each as a JSON object, which lib/schema/net.json describes.
    pub fn nets_as_json(&self) -> Vec<String> {
        self.look(|m| {
            let net = |i| unsafe { text(sys::mx2onnx_catalogue_json(m, i)) };
            (0..unsafe { sys::mx2onnx_catalogue_count(m) }).map(net).collect()
        })
    }
    /// The variables of the symbol that have no value, in the order of MXNet's `list_inputs()`.
    pub fn variables(&self) -> Vec<Variable> {
        self.look(|m| {
            let variable = |i| unsafe {
                let kind = VariableKind::from_raw(sys::mx2onnx_variable_kind(m, i));
                Variable { name: text(sys::mx2onnx_variable_name(m, i)), kind }
            };
            (0..unsafe { sys::mx2onnx_variable_count(m) }).map(variable).collect()
        })
    }
    /// The arrays of the parameter files and of [`Model::set_param`], in the order of loading.
    pub fn params(&self) -> Vec<Param> {
        self.look(|m| {
            let param = |i| unsafe {
                let dims = sys::mx2onnx_param_dims(m, i);
                let rank = if dims.is_null() { 0 } else { sys::mx2onnx_param_rank(m, i).max(0) as usize };
                Param {
                    name: text(sys::mx2onnx_param_name(m, i)),
                    dtype: DType::from_raw(sys::mx2onnx_param_dtype(m, i)),
                    dims: (0..rank).map(|axis| *dims.add(axis)).collect(),
                    bytes: sys::mx2onnx_param_size(m, i),
                    used: sys::mx2onnx_param_used(m, i) != 0,
                }
            };
            (0..unsafe { sys::mx2onnx_param_count(m) }).map(param).collect()
        })
    }
    /// The bytes of `params()[i]`: dense, little-endian.
    pub fn read_param(&mut self, i: usize) -> Result<Vec<u8>> {
        let mut data = vec![0; unsafe { sys::mx2onnx_param_size(self.as_ptr(), i) } as usize];
        self.read_param_at(i, 0, &mut data)?;
        Ok(data)
    }
    /// Fills `to` with the bytes of `params()[i]` from `offset` on.
    pub fn read_param_at(&mut self, i: usize, offset: u64, to: &mut [u8]) -> Result<&mut Self> {
        let status = unsafe { sys::mx2onnx_param_read(self.as_ptr(), i, offset, to.as_mut_ptr().cast(), to.len()) };
        self.check(status)
    }
    /// Most used first.
    pub fn operators(&self) -> Vec<Operator> {
        self.look(|m| {
            let operator = |i| unsafe {
                Operator {
                    name: text(sys::mx2onnx_operator_name(m, i)),
                    uses: sys::mx2onnx_operator_node_count(m, i),
                    supported: sys::mx2onnx_operator_supported(m, i) != 0,
                }
            };
            (0..unsafe { sys::mx2onnx_operator_count(m) }).map(operator).collect()
        })
    }
    /// The model's current diagnostics.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let m = self.as_ptr();
        let get = |i| unsafe {
            let mut d: sys::mx2onnx_diagnostic = std::mem::zeroed();
            d.struct_size = std::mem::size_of_val(&d);
            (sys::mx2onnx_diagnostic_get(m, i, &mut d) == sys::MX2ONNX_STATUS_OK).then(|| Diagnostic {
                severity: Severity::from_raw(d.severity),
                kind: ErrorKind::from_status(d.status),
                node: text(d.node),
                op: text(d.op),
                attribute: text(d.attribute),
                name: text(d.name),
                message: in_rust(&text(d.message)),
                advice: in_rust(&text(d.advice)),
            })
        };
        (0..unsafe { sys::mx2onnx_diagnostic_count(m) }).filter_map(get).collect()
    }
    /// What the last export wrote.
    pub fn written(&self) -> Written {
        let m = self.as_ptr();
        unsafe {
            Written {
                opset: sys::mx2onnx_written_opset(m),
                nodes: sys::mx2onnx_written_node_count(m),
                bytes: sys::mx2onnx_written_size(m),
                files: (0..sys::mx2onnx_written_file_count(m)).map(|i| text(sys::mx2onnx_written_file_name(m, i))).collect(),
            }
        }
    }
    /// Everything known about the model and the last export, as JSON.
    pub fn report_json(&mut self) -> Result<String> {
        let mut out = std::ptr::null();
        let status = unsafe { sys::mx2onnx_report_json(self.as_ptr(), &mut out) };
        self.check_alone(status)?;
        Ok(unsafe { text(out) })
    }
    /// A graph as text for people, with a node on each line; MXNet's after inference.
    pub fn graph_text(&mut self, graph: Graph) -> Result<String> {
        let mut out = std::ptr::null();
        let status = unsafe { sys::mx2onnx_graph_text(self.as_ptr(), graph.raw(), &mut out) };
        self.check(status)?;
        Ok(unsafe { text(out) })
    }
    /// A graph as JSON for programs, which lib/schema/graph.json describes; MXNet's also where inference fails.
    pub fn graph_json(&mut self, graph: Graph) -> Result<String> {
        let mut out = std::ptr::null();
        let status = unsafe { sys::mx2onnx_graph_json(self.as_ptr(), graph.raw(), &mut out) };
        self.check(status)?;
        Ok(unsafe { text(out) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of a later library.
    #[test]
    fn unknown_numbers_are_accepted() {
        assert_eq!(DType::from_raw(99), DType::Unknown);
        assert_eq!(Phase::from_raw(99), Phase::Other);
        assert_eq!(VariableKind::from_raw(99), VariableKind::Other(99));
        assert_eq!(Precision::from_raw(99), Precision::Auto);
        assert_eq!(Severity::from_raw(99), Severity::Debug);
        let kind = ErrorKind::from_status(-99).unwrap();
        assert_eq!((kind, kind.name(), kind.status()), (ErrorKind::Other(-99), "UNKNOWN", -99));
    }
}
