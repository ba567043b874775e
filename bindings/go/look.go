package mx2onnx

// #include <stdlib.h>
// #include <mx2onnx.h>
import "C"

import (
	"runtime"
	"unsafe"
)

// A DType is an element type; String is NumPy's name of it.
type DType int32

const (
	DTypeUnknown  DType = C.MX2ONNX_DTYPE_UNKNOWN
	DTypeFloat32  DType = C.MX2ONNX_DTYPE_FLOAT32
	DTypeFloat64  DType = C.MX2ONNX_DTYPE_FLOAT64
	DTypeFloat16  DType = C.MX2ONNX_DTYPE_FLOAT16
	DTypeUint8    DType = C.MX2ONNX_DTYPE_UINT8
	DTypeInt32    DType = C.MX2ONNX_DTYPE_INT32
	DTypeInt8     DType = C.MX2ONNX_DTYPE_INT8
	DTypeInt64    DType = C.MX2ONNX_DTYPE_INT64
	DTypeBool     DType = C.MX2ONNX_DTYPE_BOOL
	DTypeInt16    DType = C.MX2ONNX_DTYPE_INT16
	DTypeUint16   DType = C.MX2ONNX_DTYPE_UINT16
	DTypeUint32   DType = C.MX2ONNX_DTYPE_UINT32
	DTypeUint64   DType = C.MX2ONNX_DTYPE_UINT64
	DTypeBfloat16 DType = C.MX2ONNX_DTYPE_BFLOAT16
)

// String is NumPy's name of the type.
func (d DType) String() string { return C.GoString(C.mx2onnx_dtype_name(C.mx2onnx_dtype(d))) }

// DTypeFromName is the type for NumPy's name of it, or DTypeUnknown.
func DTypeFromName(name string) DType {
	if whole(name) != nil {
		return DTypeUnknown
	}
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	return DType(C.mx2onnx_dtype_from_name(s))
}

// External says where weights go.
type External int32

const (
	ExternalAuto   External = C.MX2ONNX_EXTERNAL_AUTO
	ExternalNever  External = C.MX2ONNX_EXTERNAL_NEVER
	ExternalAlways External = C.MX2ONNX_EXTERNAL_ALWAYS
	// ExternalInPlace leaves arrays that need no change in the parameter file, which must be next to the model.
	ExternalInPlace External = C.MX2ONNX_EXTERNAL_IN_PLACE
	// ExternalLink is the same, and a parameter file that is elsewhere gets a hard link next to the model.
	ExternalLink External = C.MX2ONNX_EXTERNAL_LINK
)

// Float16 says what of a model becomes float16.
type Float16 int32

const (
	Float16Off    Float16 = C.MX2ONNX_FLOAT16_OFF
	Float16All    Float16 = C.MX2ONNX_FLOAT16_ALL
	Float16Inside Float16 = C.MX2ONNX_FLOAT16_INSIDE
)

// Precision is that of a node in a float16 model.
type Precision int32

const (
	PrecisionAuto    Precision = C.MX2ONNX_PRECISION_AUTO // as the library decides
	PrecisionFloat32 Precision = C.MX2ONNX_PRECISION_FLOAT32
	PrecisionFloat16 Precision = C.MX2ONNX_PRECISION_FLOAT16
)

// Phase is what a call is doing.
type Phase int32

const (
	PhaseOther Phase = C.MX2ONNX_PHASE_OTHER
	PhaseLoad  Phase = C.MX2ONNX_PHASE_LOAD
	PhaseInfer Phase = C.MX2ONNX_PHASE_INFER
	PhaseLower Phase = C.MX2ONNX_PHASE_LOWER
	PhaseWrite Phase = C.MX2ONNX_PHASE_WRITE
)

// Progress is how far a call is.
type Progress struct {
	Phase       Phase
	Done, Total uint64 // bytes written and to be written, in PhaseWrite
	Node        string // at which it is, or ""
}

// Published is something that was published with a net for its inputs.
type Published int32

const (
	PublishedShapes        Published = C.MX2ONNX_PUBLISHED_SHAPES
	PublishedNormalization Published = C.MX2ONNX_PUBLISHED_NORMALIZATION
)

// Graph is a graph of the model.
type Graph int32

const (
	// GraphMXNet is MXNet's, as it is converted.
	GraphMXNet Graph = C.MX2ONNX_GRAPH_MXNET
	// GraphONNX is the one that an export would write.
	GraphONNX Graph = C.MX2ONNX_GRAPH_ONNX
)

// An Option is a choice that is a number; a switch is 0 or 1.
type Option int32

const (
	// OptionOpset is the opset to write; 0, the default, is 17, or the oldest above it that the model needs;
	// for a target that does not read 17, the newest that it reads.
	OptionOpset Option = C.MX2ONNX_OPTION_OPSET
	// OptionFloat16 is a Float16.
	OptionFloat16 Option = C.MX2ONNX_OPTION_FLOAT16
	// OptionTrustIndices is a switch: indices of Embedding and take are inside their tables, so a Clip is not written.
	OptionTrustIndices Option = C.MX2ONNX_OPTION_TRUST_INDICES
	// OptionKeepBatchNorm is a switch: a BatchNorm after a convolution stays a node and is not folded into the weights.
	OptionKeepBatchNorm Option = C.MX2ONNX_OPTION_KEEP_BATCH_NORM
	// OptionInitializersAsInputs is a switch: parameters are graph inputs, too.
	OptionInitializersAsInputs Option = C.MX2ONNX_OPTION_INITIALIZERS_AS_INPUTS
	// OptionSeed is the seed of random operators; -1, the default, leaves it to the runtime.
	OptionSeed Option = C.MX2ONNX_OPTION_SEED
	// OptionExternalData is an External.
	OptionExternalData Option = C.MX2ONNX_OPTION_EXTERNAL_DATA
	// OptionExternalThreshold is the least bytes of an array that is stored outside of the model file.
	OptionExternalThreshold Option = C.MX2ONNX_OPTION_EXTERNAL_THRESHOLD
	// OptionFullChecksum is a switch: checksums are of all bytes, not of samples.
	OptionFullChecksum Option = C.MX2ONNX_OPTION_FULL_CHECKSUM
	// OptionFsync is a switch: files are flushed to the disk before they get their names.
	OptionFsync Option = C.MX2ONNX_OPTION_FSYNC
	// OptionClasses is the number of classes of published models that later loads consider; 0, the default: read from the parameters.
	OptionClasses Option = C.MX2ONNX_OPTION_CLASSES
	// OptionCrop is the side of the square images of a published segmentation model; 0, the default: as published.
	OptionCrop Option = C.MX2ONNX_OPTION_CROP
	// OptionSegments is the number of segments of a published video model; 0, the default: as published.
	OptionSegments Option = C.MX2ONNX_OPTION_SEGMENTS
	// OptionVocabulary is the number of words of a published language model; 0, the default: read from the parameters.
	OptionVocabulary Option = C.MX2ONNX_OPTION_VOCABULARY
	// OptionMemoryLimit is the limit of bytes used by the graph and its constants.
	OptionMemoryLimit Option = C.MX2ONNX_OPTION_MEMORY_LIMIT
	// OptionExpansionLimit is the limit of bytes of unpacked archives and sparse arrays.
	OptionExpansionLimit Option = C.MX2ONNX_OPTION_EXPANSION_LIMIT
	// OptionNodesLimit is the limit of ONNX nodes that an export writes.
	OptionNodesLimit Option = C.MX2ONNX_OPTION_NODES_LIMIT
	// OptionOutputLimit is the limit of bytes that an export writes.
	OptionOutputLimit Option = C.MX2ONNX_OPTION_OUTPUT_LIMIT
	// OptionFoldInputScale is a switch: a factor of an input is merged into the first convolution, too.
	OptionFoldInputScale Option = C.MX2ONNX_OPTION_FOLD_INPUT_SCALE
	// OptionNodeMetadata is a switch: each ONNX node's metadata name the MXNet node that it comes from, and its operator.
	OptionNodeMetadata Option = C.MX2ONNX_OPTION_NODE_METADATA
	// OptionStructuralNames is a switch: the names of Gluon's save_parameters are matched to the symbol's by kind, shape and order.
	OptionStructuralNames Option = C.MX2ONNX_OPTION_STRUCTURAL_NAMES
)

// A Text is a choice that is a text.
type Text int32

const (
	// TextTarget is the program that will read the file, if it does not read all of ONNX.
	TextTarget Text = C.MX2ONNX_TEXT_TARGET
	// TextUnknownDomain is the domain in which unknown operators are written.
	TextUnknownDomain Text = C.MX2ONNX_TEXT_UNKNOWN_DOMAIN
	// TextParamPrefix is a prefix to ignore when names of the symbol and of the parameter files are matched.
	TextParamPrefix Text = C.MX2ONNX_TEXT_PARAM_PREFIX
	// TextProducer is producer_name of the ONNX model.
	TextProducer Text = C.MX2ONNX_TEXT_PRODUCER
	// TextDocString is doc_string of the ONNX model.
	TextDocString Text = C.MX2ONNX_TEXT_DOC_STRING
	// TextSideFile is the name of the side file for weights, without a folder.
	TextSideFile Text = C.MX2ONNX_TEXT_SIDE_FILE
	// TextSourceName is the name, in messages, of the bytes that are loaded after it is set.
	TextSourceName Text = C.MX2ONNX_TEXT_SOURCE_NAME
)

// Feature is what a library can be built without.
type Feature int32

const (
	FeatureZip Feature = C.MX2ONNX_FEATURE_ZIP
	FeatureTar Feature = C.MX2ONNX_FEATURE_TAR
	// FeatureCatalogue is that of published nets.
	FeatureCatalogue Feature = C.MX2ONNX_FEATURE_CATALOGUE
)

// HasFeature returns whether the running library was built with the feature.
func HasFeature(f Feature) bool { return C.mx2onnx_has_feature(C.mx2onnx_feature(f)) != 0 }

// Version is that of the library that runs.
func Version() string { return C.GoString(C.mx2onnx_version()) }

// VersionNumber is the same to compare: 1002003 is 1.2.3.
func VersionNumber() int { return int(C.mx2onnx_version_number()) }

// OpsetRange is the oldest and the newest opset that the library writes, and the one that it writes by default.
func OpsetRange() (oldest, newest, standard int) {
	return int(C.mx2onnx_opset_min()), int(C.mx2onnx_opset_max()), int(C.mx2onnx_opset_default())
}

// A KnownOperator is an operator that the library knows.
type KnownOperator struct {
	Name, Aliases string
	Opset         int
	Status        string // how far it is converted: "full", "partial" (some nodes are refused), "differs", "random" or "training only"
	Refuses       string // which of its nodes are not converted, and result in an error: a line for each kind
	Differs       string // where its results may differ from MXNet's, and why: a line for each case
}

// KnownOperators are the operators that the library knows.
func KnownOperators() []KnownOperator {
	all := make([]KnownOperator, C.mx2onnx_known_operator_count())
	for i := range all {
		at := C.size_t(i)
		all[i] = KnownOperator{C.GoString(C.mx2onnx_known_operator_name(at)), C.GoString(C.mx2onnx_known_operator_aliases(at)),
			int(C.mx2onnx_known_operator_opset(at)), C.GoString(C.mx2onnx_known_operator_status(at)),
			C.GoString(C.mx2onnx_known_operator_refuses(at)), C.GoString(C.mx2onnx_known_operator_differs(at))}
	}
	return all
}

// A Target is a program that a file can be written for.
type Target struct{ Name, Text string }

// Targets are the programs that a file can be written for.
func Targets() []Target {
	all := make([]Target, C.mx2onnx_target_count())
	for i := range all {
		all[i] = Target{C.GoString(C.mx2onnx_target_name(C.size_t(i))), C.GoString(C.mx2onnx_target_text(C.size_t(i)))}
	}
	return all
}

// A Tensor is an input or output of a model. Dims is nil while not even the rank is known.
type Tensor struct {
	Name  string
	DType DType
	Dims  []Dim
}

// Inputs are the model's, in the symbol's order.
func (m *Model) Inputs() []Tensor {
	defer m.look()()
	all := make([]Tensor, C.mx2onnx_input_count(m.m))
	for i := range all {
		at := C.size_t(i)
		all[i] = Tensor{Name: C.GoString(C.mx2onnx_input_name(m.m, at)), DType: DType(C.mx2onnx_input_dtype(m.m, at))}
		if rank := int(C.mx2onnx_input_rank(m.m, at)); rank >= 0 {
			all[i].Dims = make([]Dim, rank)
			for axis := range all[i].Dims {
				size := C.mx2onnx_input_dim(m.m, at, C.size_t(axis))
				all[i].Dims[axis] = dimOf(size, C.mx2onnx_input_dim_name(m.m, at, C.size_t(axis)))
			}
		}
	}
	return all
}

// Outputs are the model's, with the names that they will have in the ONNX file.
func (m *Model) Outputs() []Tensor {
	defer m.look()()
	all := make([]Tensor, C.mx2onnx_output_count(m.m))
	for i := range all {
		at := C.size_t(i)
		all[i] = Tensor{Name: C.GoString(C.mx2onnx_output_name(m.m, at)), DType: DType(C.mx2onnx_output_dtype(m.m, at))}
		if rank := int(C.mx2onnx_output_rank(m.m, at)); rank >= 0 {
			all[i].Dims = make([]Dim, rank)
			for axis := range all[i].Dims {
				size := C.mx2onnx_output_dim(m.m, at, C.size_t(axis))
				all[i].Dims[axis] = dimOf(size, C.mx2onnx_output_dim_name(m.m, at, C.size_t(axis)))
			}
		}
	}
	return all
}

func dimOf(size C.int64_t, name *C.char) Dim {
	if size >= 0 {
		return Dim{Size: int64(size)}
	}
	return Dim{-1, C.GoString(name)}
}

// A PublishedNet is a net of the catalogue, and what is known of it in a line, and as JSON (lib/schema/net.json).
type PublishedNet struct{ Name, Text, JSON string }

// A Candidate is a published net that parameters fit; the title has its sizes.
type Candidate struct{ Name, Title string }

// Catalogue are the published nets that the library knows.
func (m *Model) Catalogue() []PublishedNet {
	defer m.look()()
	all := make([]PublishedNet, C.mx2onnx_catalogue_count(m.m))
	for i := range all {
		n := C.size_t(i)
		all[i] = PublishedNet{C.GoString(C.mx2onnx_catalogue_name(m.m, n)), C.GoString(C.mx2onnx_catalogue_text(m.m, n)),
			C.GoString(C.mx2onnx_catalogue_json(m.m, n))}
	}
	return all
}

// NetTitle is the published model that the graph was made for, "resnet18_v1 with 10 classes"; "" if the graph came from a symbol.
func (m *Model) NetTitle() string {
	defer runtime.KeepAlive(m)
	return C.GoString(C.mx2onnx_net_title(m.m))
}

// A VariableKind says what a variable without a value is.
type VariableKind int32

const (
	VariableInput  VariableKind = C.MX2ONNX_VARIABLE_INPUT
	VariableWeight VariableKind = C.MX2ONNX_VARIABLE_WEIGHT // in no parameter file; an export needs it
	VariableUnused VariableKind = C.MX2ONNX_VARIABLE_UNUSED // at inference time: a label
)

// A Variable is a variable without a value.
type Variable struct {
	Name string
	Kind VariableKind
}

// Variables are those without a value, in the order of MXNet's list_inputs().
func (m *Model) Variables() []Variable {
	defer m.look()()
	all := make([]Variable, C.mx2onnx_variable_count(m.m))
	for i := range all {
		all[i] = Variable{C.GoString(C.mx2onnx_variable_name(m.m, C.size_t(i))), VariableKind(C.mx2onnx_variable_kind(m.m, C.size_t(i)))}
	}
	return all
}

// A Param is an array of a parameter file or of SetParam.
type Param struct {
	Name  string
	DType DType
	Dims  []int64
	Bytes uint64
	Used  bool // the graph reads it
}

// Params are the arrays of the parameter files and of SetParam.
func (m *Model) Params() []Param {
	defer m.look()()
	all := make([]Param, C.mx2onnx_param_count(m.m))
	for i := range all {
		at := C.size_t(i)
		dims := unsafe.Slice((*int64)(C.mx2onnx_param_dims(m.m, at)), int(C.mx2onnx_param_rank(m.m, at)))
		all[i] = Param{C.GoString(C.mx2onnx_param_name(m.m, at)), DType(C.mx2onnx_param_dtype(m.m, at)),
			append([]int64{}, dims...), uint64(C.mx2onnx_param_size(m.m, at)), C.mx2onnx_param_used(m.m, at) != 0}
	}
	return all
}

// ReadParam gives the bytes of Params()[i]: dense, little-endian.
func (m *Model) ReadParam(i int) ([]byte, error) {
	data := make([]byte, C.mx2onnx_param_size(m.m, C.size_t(i)))
	return data, m.ReadParamAt(i, 0, data)
}

// ReadParamAt fills data with the bytes of Params()[i] from offset on.
func (m *Model) ReadParamAt(i int, offset uint64, data []byte) error {
	return m.check(C.mx2onnx_param_read(m.m, C.size_t(i), C.uint64_t(offset), unsafe.Pointer(unsafe.SliceData(data)), C.size_t(len(data))))
}

// An Operator is one of the graph's.
type Operator struct {
	Name      string
	Uses      int
	Supported bool
}

// Operators are the graph's, most used first.
func (m *Model) Operators() []Operator {
	defer m.look()()
	all := make([]Operator, C.mx2onnx_operator_count(m.m))
	for i := range all {
		at := C.size_t(i)
		all[i] = Operator{C.GoString(C.mx2onnx_operator_name(m.m, at)), int(C.mx2onnx_operator_node_count(m.m, at)),
			C.mx2onnx_operator_supported(m.m, at) != 0}
	}
	return all
}

// Diagnostics returns the model's current diagnostics.
func (m *Model) Diagnostics() []Diagnostic {
	defer runtime.KeepAlive(m)
	all := make([]Diagnostic, C.mx2onnx_diagnostic_count(m.m))
	for i := range all {
		d := C.mx2onnx_diagnostic{struct_size: C.sizeof_mx2onnx_diagnostic}
		if C.mx2onnx_diagnostic_get(m.m, C.size_t(i), &d) == C.MX2ONNX_OK {
			all[i] = Diagnostic{Severity(d.severity), Status(d.status), C.GoString(d.node), C.GoString(d.op),
				C.GoString(d.attribute), C.GoString(d.name), goNames(C.GoString(d.message)), goNames(C.GoString(d.advice))}
		}
	}
	return all
}

// Written is what the last export wrote.
type Written struct {
	Opset, Nodes int
	Bytes        uint64
	Files        []string // without a folder: the model, its side file, and parameter files that belong to it
}

// Written is what the last export wrote.
func (m *Model) Written() Written {
	defer runtime.KeepAlive(m)
	files := make([]string, C.mx2onnx_written_file_count(m.m))
	for i := range files {
		files[i] = C.GoString(C.mx2onnx_written_file_name(m.m, C.size_t(i)))
	}
	return Written{int(C.mx2onnx_written_opset(m.m)), int(C.mx2onnx_written_node_count(m.m)), uint64(C.mx2onnx_written_size(m.m)), files}
}

// ReportJSON is everything known about the model and the last export, as JSON.
func (m *Model) ReportJSON() (string, error) {
	var text *C.char
	defer runtime.KeepAlive(m)
	status := C.mx2onnx_report_json(m.m, &text)
	if cause := m.s.take(); status != C.MX2ONNX_OK { // the report holds the diagnostics, so this status is not among them
		return "", &Error{Status: Status(status), Cause: cause, text: Status(status).Error()}
	}
	return C.GoString(text), nil
}

// GraphText is a graph as text for people, with a node on each line; MXNet's as far as it can be inferred.
func (m *Model) GraphText(graph Graph) (string, error) {
	var text *C.char
	err := m.check(C.mx2onnx_graph_text(m.m, C.mx2onnx_graph(graph), &text))
	return C.GoString(text), err
}

// GraphJSON is a graph as JSON for programs, which lib/schema/graph.json describes; MXNet's also where inference fails.
func (m *Model) GraphJSON(graph Graph) (string, error) {
	var text *C.char
	err := m.check(C.mx2onnx_graph_json(m.m, C.mx2onnx_graph(graph), &text))
	return C.GoString(text), err
}
