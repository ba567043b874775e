// Package mx2onnx converts MXNet models to ONNX, without MXNet.
//
//	m, err := mx2onnx.Open("resnet-symbol.json") // finds resnet-0000.params
//	if err != nil { ... }
//	defer m.Close()
//	err = m.SetInputShape("data", mx2onnx.Named("batch"), mx2onnx.Size(3), mx2onnx.Size(224), mx2onnx.Size(224))
//	err = m.ExportFile("resnet.onnx")
//
// It calls the C library libmx2onnx, whose header says in full what each call does. A call that fails returns an [*Error]:
// errors.Is finds its status, errors.As its diagnostics. A panic in a function of the caller continues in the call.
//
// The library is found by pkg-config, or with the build tag mx2onnx_flags where CGO_CFLAGS and CGO_LDFLAGS say.
package mx2onnx

// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/cgo"
	"strings"
	"unsafe"
)

// A Model is an MXNet model to be converted. Only one goroutine at a time may use it.
type Model struct {
	m *C.mx2onnx_model
	s *state
}

// New makes an empty model.
func New() (*Model, error) {
	m := &Model{s: &state{}}
	if status := C.mx2onnx_model_new(&m.m); status != C.MX2ONNX_OK {
		return nil, &Error{Status: Status(status), text: Status(status).Error()}
	}
	runtime.SetFinalizer(m, func(m *Model) { m.Close() })
	return m, m.check(C.bridge_set_progress(m.m, m.handle(nil)))
}

// Open loads a symbol file with the parameters next to it, a prefix, a folder or an archive.
func Open(path string) (*Model, error) {
	m, err := New()
	if err == nil {
		err = m.Load(path)
	}
	return m.orClosed(err)
}

func (m *Model) orClosed(err error) (*Model, error) {
	if err != nil {
		if m != nil {
			m.Close()
		}
		return nil, err
	}
	return m, nil
}

// Close frees the model; a second call does nothing. In a callback of the model it does nothing and returns ErrInvalidArgument.
func (m *Model) Close() error {
	if m.s.inside > 0 {
		return invalid("the model is in use: one of its own callbacks cannot call it; call it after the callback has returned")
	}
	C.mx2onnx_model_free(m.m)
	m.m = nil
	runtime.SetFinalizer(m, nil)
	return nil
}

// Cancel ends the call that runs, which returns ErrCancelled. For another goroutine, or a callback; it does nothing to later calls. The
// model must not be closed meanwhile.
func (m *Model) Cancel() {
	C.mx2onnx_cancel(m.m)
	runtime.KeepAlive(m)
}

// Reset makes the model as New made it: without what was loaded and chosen, and without functions.
func (m *Model) Reset() error {
	if err := m.check(C.mx2onnx_model_reset(m.m)); err != nil {
		return err
	}
	m.s.progress = nil
	return m.check(C.bridge_set_progress(m.m, m.handle(nil)))
}

// A handle for a callback, which the library releases.
func (m *Model) handle(fn any) C.uintptr_t {
	return C.uintptr_t(cgo.NewHandle(callback{m.s, fn}))
}

// What a call returned, as an error; a panic of a callback goes on here.
func (m *Model) check(status C.mx2onnx_status) error {
	defer runtime.KeepAlive(m)
	cause := m.s.take()
	if status == C.MX2ONNX_OK {
		return nil
	}
	text := goNames(C.GoString(C.mx2onnx_error(m.m)))
	if text == "" {
		text = Status(status).Error()
	}
	return &Error{Status: Status(status), Diagnostics: m.Diagnostics(), Cause: cause, text: text}
}

// Before and after functions that return no error, as defer m.look()(): a panic of a callback goes on here.
func (m *Model) look() func() {
	looking := m.s.looking
	m.s.looking = true
	return func() {
		defer runtime.KeepAlive(m)
		m.s.looking = looking
		_ = m.s.take()
	}
}

func invalid(format string, args ...any) error {
	return &Error{Status: ErrInvalidArgument, text: fmt.Sprintf(format, args...)}
}

// C reads a text up to its first NUL.
func whole(texts ...string) error {
	for _, text := range texts {
		if strings.IndexByte(text, 0) >= 0 {
			return invalid("the text %q has a NUL character, which C cannot hold", text)
		}
	}
	return nil
}

// Calls with a text that C sees.
func (m *Model) with(text string, call func(*C.char) C.mx2onnx_status) error {
	if err := whole(text); err != nil {
		return err
	}
	s := C.CString(text)
	defer C.free(unsafe.Pointer(s))
	return m.check(call(s))
}

func orNil(text string) *C.char {
	if text == "" {
		return nil
	}
	return C.CString(text)
}

func dimsOf(dims []int64) *C.int64_t {
	return (*C.int64_t)(unsafe.SliceData(dims))
}

func truth(on bool) C.int32_t {
	if on {
		return 1
	}
	return 0
}

// Calls with a copy of the bytes, which the library releases.
func (m *Model) withCopy(data []byte, call func(unsafe.Pointer) C.mx2onnx_status) error {
	copied := C.bridge_copy(unsafe.Pointer(unsafe.SliceData(data)), C.size_t(len(data)))
	if copied == nil {
		return &Error{Status: ErrOutOfMemory, text: ErrOutOfMemory.Error()}
	}
	return m.check(call(copied))
}

// Load loads a symbol file with the parameters next to it, a prefix, a folder or an archive.
func (m *Model) Load(path string) error {
	return m.with(path, func(s *C.char) C.mx2onnx_status { return C.mx2onnx_load(m.m, s) })
}

// LoadBytes loads an archive or a symbol. The bytes are copied, here and below.
func (m *Model) LoadBytes(data []byte) error {
	return m.withCopy(data, func(p unsafe.Pointer) C.mx2onnx_status {
		return C.bridge_load_memory(m.m, p, C.size_t(len(data)))
	})
}

// LoadReaderAt loads an archive or a symbol that is read by pieces until the model is closed.
func (m *Model) LoadReaderAt(r io.ReaderAt, size int64) error {
	if size < 0 {
		return invalid("the size of the reader must not be negative, but is %d", size)
	}
	return m.check(C.bridge_load_callback(m.m, C.uint64_t(size), m.handle(r)))
}

// LoadSymbol loads the graph alone.
func (m *Model) LoadSymbol(path string) error {
	return m.with(path, func(s *C.char) C.mx2onnx_status { return C.mx2onnx_load_symbol_file(m.m, s) })
}

// LoadSymbolBytes loads the graph alone, from JSON in memory.
func (m *Model) LoadSymbolBytes(json []byte) error {
	return m.check(C.mx2onnx_load_symbol_memory(m.m, unsafe.Pointer(unsafe.SliceData(json)), C.size_t(len(json))))
}

// LoadParams adds the arrays of a parameter file, which must stay unchanged until the model is closed.
func (m *Model) LoadParams(path string) error {
	return m.with(path, func(s *C.char) C.mx2onnx_status { return C.mx2onnx_load_params_file(m.m, s) })
}

// LoadParamsBytes adds the arrays of a parameter file in memory.
func (m *Model) LoadParamsBytes(data []byte) error {
	return m.withCopy(data, func(p unsafe.Pointer) C.mx2onnx_status {
		return C.bridge_load_params_memory(m.m, p, C.size_t(len(data)))
	})
}

// LoadParamsReaderAt adds the arrays of a parameter file that is read by pieces until the model is closed.
func (m *Model) LoadParamsReaderAt(r io.ReaderAt, size int64) error {
	if size < 0 {
		return invalid("the size of the reader must not be negative, but is %d", size)
	}
	return m.check(C.bridge_load_params_callback(m.m, C.uint64_t(size), m.handle(r)))
}

// LoadNet makes the graph for parameters without a symbol: that of the published net of this name, or, for "", of the one that they
// fit.
func (m *Model) LoadNet(name string) error {
	if err := whole(name); err != nil {
		return err
	}
	s := orNil(name)
	defer C.free(unsafe.Pointer(s))
	return m.check(C.mx2onnx_load_net(m.m, s))
}

// IdentifyNet finds all published nets that the parameters fit.
func (m *Model) IdentifyNet() ([]Candidate, error) {
	if err := m.check(C.mx2onnx_identify_net(m.m)); err != nil {
		return nil, err
	}
	defer runtime.KeepAlive(m)
	all := make([]Candidate, C.mx2onnx_candidate_count(m.m))
	for i := range all {
		all[i] = Candidate{C.GoString(C.mx2onnx_candidate_name(m.m, C.size_t(i))), C.GoString(C.mx2onnx_candidate_title(m.m, C.size_t(i)))}
	}
	return all, nil
}

// UsePublished chooses what was published with the net for its inputs.
func (m *Model) UsePublished(what Published) error {
	return m.check(C.mx2onnx_use_published(m.m, C.mx2onnx_published(what)))
}

// LoadCatalogue uses another catalogue of published models than the one in the library.
func (m *Model) LoadCatalogue(path string) error {
	return m.with(path, func(s *C.char) C.mx2onnx_status { return C.mx2onnx_load_catalogue_file(m.m, s) })
}

// LoadCatalogueBytes uses another catalogue of published models, from memory.
func (m *Model) LoadCatalogueBytes(data []byte) error {
	return m.check(C.mx2onnx_load_catalogue_memory(m.m, unsafe.Pointer(unsafe.SliceData(data)), C.size_t(len(data))))
}

// SetParam gives a value to a variable: row-major, little-endian.
func (m *Model) SetParam(name string, dtype DType, dims []int64, data []byte) error {
	if err := whole(name); err != nil {
		return err
	}
	return m.withCopy(data, func(p unsafe.Pointer) C.mx2onnx_status {
		s := C.CString(name)
		defer C.free(unsafe.Pointer(s))
		return C.bridge_set_param(m.m, s, C.mx2onnx_dtype(dtype), C.int32_t(len(dims)), dimsOf(dims), p, C.size_t(len(data)))
	})
}

// RemoveParam removes the value that SetParam set. The array with this name in a parameter file is used again.
func (m *Model) RemoveParam(name string) error {
	return m.with(name, func(s *C.char) C.mx2onnx_status { return C.mx2onnx_remove_param(m.m, s) })
}

// A Dim is a size, a name that makes it dynamic, or Unknown. In what a model says of itself a name may be an expression.
type Dim struct {
	Size int64 // -1 where it is not a number
	Name string
}

// Unknown is a dim that inference finds or makes dynamic.
var Unknown = Dim{Size: -1}

// Size is a dim that is known.
func Size(n int64) Dim { return Dim{Size: n} }

// Named is a dim that is dynamic. The name is not the text of a size: Named("14") is refused.
func Named(name string) Dim { return Dim{-1, name} }

// SetInputShape sets the whole shape of an input, with the names of dynamic dimensions. A shape that is refused changes nothing.
func (m *Model) SetInputShape(input string, dims ...Dim) error {
	sizes, names := make([]int64, len(dims)), C.bridge_texts(C.size_t(len(dims)))
	defer C.free(unsafe.Pointer(names))
	for axis, d := range dims {
		if err := whole(d.Name); err != nil {
			return err
		}
		name := orNil(d.Name)
		defer C.free(unsafe.Pointer(name))
		sizes[axis], unsafe.Slice(names, len(dims)+1)[axis] = d.Size, name
	}
	return m.with(input, func(s *C.char) C.mx2onnx_status {
		return C.mx2onnx_set_input_shape(m.m, s, C.int32_t(len(sizes)), dimsOf(sizes), names)
	})
}

// ClearInputShape removes the shape that SetInputShape set.
func (m *Model) ClearInputShape(input string) error {
	return m.with(input, func(s *C.char) C.mx2onnx_status { return C.mx2onnx_set_input_shape(m.m, s, -1, nil, nil) })
}

// SetInputDimName makes a dim dynamic; "" makes it fixed again.
func (m *Model) SetInputDimName(input string, axis int, name string) error {
	if err := whole(name); err != nil {
		return err
	}
	if axis < 0 {
		return invalid("the axis must not be negative, but is %d", axis)
	}
	n := orNil(name)
	defer C.free(unsafe.Pointer(n))
	return m.with(input, func(s *C.char) C.mx2onnx_status {
		return C.mx2onnx_set_input_dim_name(m.m, s, C.size_t(axis), n)
	})
}

// SetInputDType sets the element type of an input; DTypeUnknown sets it back to the default.
func (m *Model) SetInputDType(input string, dtype DType) error {
	return m.with(input, func(s *C.char) C.mx2onnx_status {
		return C.mx2onnx_set_input_dtype(m.m, s, C.mx2onnx_dtype(dtype))
	})
}

// SetInputChannelsLast makes the ONNX input (n, h, w, c) although the MXNet model has (n, c, h, w).
func (m *Model) SetInputChannelsLast(input string, on bool) error {
	return m.with(input, func(s *C.char) C.mx2onnx_status { return C.mx2onnx_set_input_channels_last(m.m, s, truth(on)) })
}

// SetInputChannelsReversed takes BGR for a net of RGB, and the other way round.
func (m *Model) SetInputChannelsReversed(input string, on bool) error {
	return m.with(input, func(s *C.char) C.mx2onnx_status {
		return C.mx2onnx_set_input_channels_reversed(m.m, s, truth(on))
	})
}

// SetInputMean puts (x - mean) * scale after an input: a value a channel, one for all, or none.
func (m *Model) SetInputMean(input string, mean ...float64) error {
	return m.with(input, func(s *C.char) C.mx2onnx_status {
		return C.mx2onnx_set_input_mean(m.m, s, C.size_t(len(mean)), (*C.double)(unsafe.SliceData(mean)))
	})
}

// SetInputScale is the factor of SetInputMean.
func (m *Model) SetInputScale(input string, scale ...float64) error {
	return m.with(input, func(s *C.char) C.mx2onnx_status {
		return C.mx2onnx_set_input_scale(m.m, s, C.size_t(len(scale)), (*C.double)(unsafe.SliceData(scale)))
	})
}

// InputChannelsLast is what SetInputChannelsLast set.
func (m *Model) InputChannelsLast(input string) bool {
	on := false
	m.read(input, func(s *C.char) { on = C.mx2onnx_get_input_channels_last(m.m, s) != 0 })
	return on
}

// InputChannelsReversed is what SetInputChannelsReversed set.
func (m *Model) InputChannelsReversed(input string) bool {
	on := false
	m.read(input, func(s *C.char) { on = C.mx2onnx_get_input_channels_reversed(m.m, s) != 0 })
	return on
}

// InputMean is what SetInputMean or UsePublished set; nil if nothing was.
func (m *Model) InputMean(input string) (mean []float64) {
	m.read(input, func(s *C.char) {
		var n C.size_t
		values := C.mx2onnx_get_input_mean(m.m, s, &n)
		mean = append(mean, unsafe.Slice((*float64)(values), int(n))...)
	})
	return mean
}

// InputScale is what SetInputScale or UsePublished set; nil if nothing was.
func (m *Model) InputScale(input string) (scale []float64) {
	m.read(input, func(s *C.char) {
		var n C.size_t
		values := C.mx2onnx_get_input_scale(m.m, s, &n)
		scale = append(scale, unsafe.Slice((*float64)(values), int(n))...)
	})
	return scale
}

// ChosenShape is what SetInputShape set, and false if nothing was.
func (m *Model) ChosenShape(input string) (dims []Dim, ok bool) {
	m.read(input, func(s *C.char) {
		var rank C.int32_t
		sizes := C.mx2onnx_get_input_shape(m.m, s, &rank)
		if ok = rank >= 0; !ok {
			return
		}
		for axis, size := range unsafe.Slice((*int64)(sizes), int(rank)) {
			dims = append(dims, Dim{size, C.GoString(C.mx2onnx_get_input_dim_name(m.m, s, C.size_t(axis)))})
			if dims[axis].Name != "" {
				dims[axis].Size = -1
			}
		}
	})
	return dims, ok
}

// ChosenDType is what SetInputDType set; DTypeUnknown if nothing was.
func (m *Model) ChosenDType(input string) DType {
	t := DTypeUnknown
	m.read(input, func(s *C.char) { t = DType(C.mx2onnx_get_input_dtype(m.m, s)) })
	return t
}

// ChosenName is what Rename set; "" if nothing was.
func (m *Model) ChosenName(from string) (to string) {
	m.read(from, func(s *C.char) { to = C.GoString(C.mx2onnx_get_rename(m.m, s)) })
	return to
}

// read gives a name to functions of C that only look; not one that C would cut.
func (m *Model) read(name string, get func(*C.char)) {
	if whole(name) != nil {
		return
	}
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	defer runtime.KeepAlive(m)
	get(s)
}

// AddOutput adds an output by MXNet's name; the first call replaces the outputs of the file.
func (m *Model) AddOutput(name string) error {
	return m.with(name, func(s *C.char) C.mx2onnx_status { return C.mx2onnx_add_output(m.m, s) })
}

// ClearOutputs makes the outputs those of the file again.
func (m *Model) ClearOutputs() error { return m.check(C.mx2onnx_clear_outputs(m.m)) }

// Rename calls an input, output or parameter by another name in the ONNX file. from is its name in the MXNet file; "" for to takes the
// new name back.
func (m *Model) Rename(from, to string) error {
	if err := whole(to); err != nil {
		return err
	}
	t := orNil(to)
	defer C.free(unsafe.Pointer(t))
	return m.with(from, func(s *C.char) C.mx2onnx_status { return C.mx2onnx_rename(m.m, s, t) })
}

// CheckExternalData checks that the files that an ONNX model names exist, are long enough and have not changed; a note describes each.
func (m *Model) CheckExternalData(path string) error {
	return m.with(path, func(s *C.char) C.mx2onnx_status { return C.mx2onnx_check_external_data(m.m, s) })
}

// SetNodePrecision says for SetFloat16 in which precision a node, or all of an operator, is.
func (m *Model) SetNodePrecision(name string, precision Precision) error {
	return m.with(name, func(s *C.char) C.mx2onnx_status {
		return C.mx2onnx_set_node_precision(m.m, s, C.mx2onnx_precision(precision))
	})
}

// NodePrecision is what SetNodePrecision set.
func (m *Model) NodePrecision(name string) Precision {
	if whole(name) != nil {
		return PrecisionAuto
	}
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	defer runtime.KeepAlive(m)
	return Precision(C.mx2onnx_get_node_precision(m.m, s))
}

// SetDomainVersion sets the version with which the ONNX model imports a domain other than ONNX's own; 0 sets it back to 1.
func (m *Model) SetDomainVersion(domain string, version int32) error {
	return m.with(domain, func(s *C.char) C.mx2onnx_status { return C.mx2onnx_set_domain_version(m.m, s, C.int32_t(version)) })
}

// DomainVersion is the version with which a domain is imported.
func (m *Model) DomainVersion(domain string) int32 {
	version := int32(0)
	m.read(domain, func(s *C.char) { version = int32(C.mx2onnx_get_domain_version(m.m, s)) })
	return version
}

// SetMetadata sets an entry of the ONNX model's metadata_props.
func (m *Model) SetMetadata(key, value string) error {
	if err := whole(value); err != nil {
		return err
	}
	v := C.CString(value)
	defer C.free(unsafe.Pointer(v))
	return m.with(key, func(s *C.char) C.mx2onnx_status { return C.mx2onnx_set_metadata(m.m, s, v) })
}

// RemoveMetadata removes an entry that SetMetadata set, if there is one.
func (m *Model) RemoveMetadata(key string) error {
	return m.with(key, func(s *C.char) C.mx2onnx_status { return C.mx2onnx_set_metadata(m.m, s, nil) })
}

// ClearMetadata removes all entries that SetMetadata set.
func (m *Model) ClearMetadata() error { return m.check(C.mx2onnx_set_metadata(m.m, nil, nil)) }

// Metadata are the entries that SetMetadata set.
func (m *Model) Metadata() map[string]string {
	defer runtime.KeepAlive(m)
	all := map[string]string{}
	for i := C.size_t(0); i < C.mx2onnx_metadata_count(m.m); i++ {
		key := C.mx2onnx_metadata_key(m.m, i)
		all[C.GoString(key)] = C.GoString(C.mx2onnx_get_metadata(m.m, key))
	}
	return all
}

// SetOption sets a choice that is a number.
func (m *Model) SetOption(which Option, value int64) error {
	return m.check(C.mx2onnx_set_option(m.m, C.mx2onnx_option(which), C.int64_t(value)))
}

// Option is the value that a choice has; math.MinInt64 if the library does not know it.
func (m *Model) Option(which Option) int64 {
	defer runtime.KeepAlive(m)
	return int64(C.mx2onnx_get_option(m.m, C.mx2onnx_option(which)))
}

// ResetOption gives a choice its default value.
func (m *Model) ResetOption(which Option) error {
	return m.check(C.mx2onnx_reset_option(m.m, C.mx2onnx_option(which)))
}

// SetText sets a choice that is a text; "" is its default.
func (m *Model) SetText(which Text, text string) error {
	if err := whole(text); err != nil {
		return err
	}
	s := orNil(text)
	defer C.free(unsafe.Pointer(s))
	return m.check(C.mx2onnx_set_text(m.m, C.mx2onnx_text(which), s))
}

// Text is the text that was set, "" for the default.
func (m *Model) Text(which Text) string {
	defer runtime.KeepAlive(m)
	return C.GoString(C.mx2onnx_get_text(m.m, C.mx2onnx_text(which)))
}

// SetOpset chooses the opset to write; 0 is the default.
func (m *Model) SetOpset(opset int) error { return m.SetOption(OptionOpset, int64(opset)) }

// SetFloat16 makes a float32 model a float16 one, of half the size.
func (m *Model) SetFloat16(mode Float16) error { return m.SetOption(OptionFloat16, int64(mode)) }

// SetExternalData says where the weights of ExportFile go.
func (m *Model) SetExternalData(mode External) error {
	return m.SetOption(OptionExternalData, int64(mode))
}

// SetTarget writes for a program that does not read all of ONNX, one of Targets; "" for none.
func (m *Model) SetTarget(name string) error { return m.SetText(TextTarget, name) }

// SetLog gives every line of the log to fn that is as grave as least, or graver; nil ends it.
func (m *Model) SetLog(least Severity, fn func(severity Severity, message string)) error {
	if fn == nil {
		return m.check(C.bridge_set_log(m.m, C.mx2onnx_severity(least), 0, 0))
	}
	return m.check(C.bridge_set_log(m.m, C.mx2onnx_severity(least), 1, m.handle(fn)))
}

// SetProgress calls fn now and then; an error that it returns ends the call, with that as its Cause. Functions that return no error,
// such as Inputs, do not call it. nil ends it.
func (m *Model) SetProgress(fn func(Progress) error) error {
	m.s.progress = fn
	return nil
}

// SetCustomOperator registers a handler for nodes whose operator, or attribute op_type, is name.
func (m *Model) SetCustomOperator(name string, h Handler) error {
	if h.Outputs < 0 {
		return invalid("Handler.Outputs must not be negative, but is %d", h.Outputs)
	}
	return m.with(name, func(s *C.char) C.mx2onnx_status {
		return C.bridge_set_custom_operator(m.m, s, C.size_t(max(1, h.Outputs)), truth(h.Lower != nil), truth(h.CountOutputs != nil),
			truth(h.Overrides), m.handle(h))
	})
}

// RemoveCustomOperator takes the handler of SetCustomOperator back; "" takes all back.
func (m *Model) RemoveCustomOperator(name string) error {
	if err := whole(name); err != nil {
		return err
	}
	s := orNil(name)
	defer C.free(unsafe.Pointer(s))
	return m.check(C.bridge_remove_custom_operator(m.m, s))
}

// Within makes the calls of the model in call end with the context: one that is under way when the context is done fails with
// ErrCancelled and with the context's cause as Cause. Methods that end in Context are short for it.
//
//	err := m.Within(ctx, func() error { return m.LoadParams(path) })
func (m *Model) Within(ctx context.Context, call func() error) error {
	if ctx.Err() != nil {
		return &Error{Status: ErrCancelled, Cause: context.Cause(ctx), text: ErrCancelled.Error()}
	}
	before := m.s.ctx
	m.s.ctx = ctx
	defer func() { m.s.ctx = before }()
	return call()
}

// OpenContext is Open that ends with the context.
func OpenContext(ctx context.Context, path string) (*Model, error) {
	m, err := New()
	if err == nil {
		err = m.LoadContext(ctx, path)
	}
	return m.orClosed(err)
}

// LoadContext is Load that ends with the context.
func (m *Model) LoadContext(ctx context.Context, path string) error {
	return m.Within(ctx, func() error { return m.Load(path) })
}

// BytesContext is Bytes that ends with the context.
func (m *Model) BytesContext(ctx context.Context) (data []byte, err error) {
	err = m.Within(ctx, func() error { data, err = m.Bytes(); return err })
	return data, err
}

// Infer runs inference, so that inputs and outputs know shapes and types.
func (m *Model) Infer() error { return m.check(C.mx2onnx_infer(m.m)) }

// InferContext is Infer that ends with the context.
func (m *Model) InferContext(ctx context.Context) error { return m.Within(ctx, m.Infer) }

// ExportFile writes the ONNX model; the file is whole or untouched.
func (m *Model) ExportFile(path string) error {
	return m.with(path, func(s *C.char) C.mx2onnx_status { return C.mx2onnx_export_file(m.m, s) })
}

// ExportFileContext is ExportFile that ends with the context.
func (m *Model) ExportFileContext(ctx context.Context, path string) error {
	return m.Within(ctx, func() error { return m.ExportFile(path) })
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// WriteTo writes the ONNX model to w: Model is an io.WriterTo.
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	c := &counter{w: w}
	err := m.check(C.bridge_export_callback(m.m, m.handle(c)))
	return c.n, err
}

// WriteToContext is WriteTo that ends with the context.
func (m *Model) WriteToContext(ctx context.Context, w io.Writer) (n int64, err error) {
	err = m.Within(ctx, func() error { n, err = m.WriteTo(w); return err })
	return n, err
}

// Bytes is the ONNX model in memory.
func (m *Model) Bytes() ([]byte, error) {
	var data unsafe.Pointer
	var size C.size_t
	if err := m.check(C.mx2onnx_export_memory(m.m, &data, &size)); err != nil {
		return nil, err
	}
	defer C.mx2onnx_memory_free(data)
	return append([]byte(nil), unsafe.Slice((*byte)(data), int(size))...), nil
}
