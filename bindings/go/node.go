package mx2onnx

// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"strings"
	"unsafe"
)

const mostOutputs = 4096 // of a node, for C

// A Handler converts the nodes of an operator that the library does not know. Infer says what a node gives, Lower writes it as
// ONNX. Lower may be nil with TextUnknownDomain. An error that they return, other than one of the Node's own, is the Cause of the
// Error of the call that was under way.
type Handler struct {
	Infer func(*Node) error
	Lower func(*Node) error
	// Outputs is the number of outputs of every such node; 0 is 1.
	Outputs int
	// CountOutputs is the number of outputs of a node, in place of Outputs. Only names and attributes of the node are known yet.
	CountOutputs func(*Node) (int, error)
	// Overrides: for an operator that the library knows, too.
	Overrides bool
}

// A Node is what a Handler is called for. It ends with the call.
type Node struct {
	n *C.mx2onnx_node
}

// A Value is a value of the ONNX graph; 0 stands for an omitted input.
type Value int32

// What a function of a node returned, on its way through a handler back to the library.
type refusal struct {
	status Status
	text   string
}

func (r *refusal) Error() string { return r.text }

func (r *refusal) Unwrap() error { return r.status }

func refuse(status C.mx2onnx_status) error {
	if status == C.MX2ONNX_OK {
		return nil
	}
	return &refusal{Status(status), Status(status).Error()}
}

// Fail records an error with this text at the node, and returns it for the handler to return.
func (n *Node) Fail(message string) error {
	text := C.CString(strings.ReplaceAll(message, "\x00", " "))
	defer C.free(unsafe.Pointer(text))
	return &refusal{Status(C.mx2onnx_node_fail(n.n, text)), message}
}

// Name is MXNet's name of the node.
func (n *Node) Name() string { return C.GoString(C.mx2onnx_node_name(n.n)) }

// Operator is the name that the handler is registered for.
func (n *Node) Operator() string { return C.GoString(C.mx2onnx_node_operator(n.n)) }

// Opset is the opset that is written.
func (n *Node) Opset() int { return int(C.mx2onnx_node_opset(n.n)) }

// Domain is that of TextUnknownDomain or "".
func (n *Node) Domain() string { return C.GoString(C.mx2onnx_node_domain(n.n)) }

// Attribute is the text of an attribute, as in the file.
func (n *Node) Attribute(key string) (value string, ok bool) {
	if whole(key) != nil {
		return "", false
	}
	text := C.CString(key)
	defer C.free(unsafe.Pointer(text))
	found := C.mx2onnx_node_attribute(n.n, text)
	return C.GoString(found), found != nil
}

// An Attribute is a key with its text.
type Attribute struct{ Key, Value string }

// Attributes are all of them, in the file's order.
func (n *Node) Attributes() []Attribute {
	all := make([]Attribute, C.mx2onnx_node_attribute_count(n.n))
	for i := range all {
		at := C.size_t(i)
		all[i] = Attribute{C.GoString(C.mx2onnx_node_attribute_key(n.n, at)), C.GoString(C.mx2onnx_node_attribute_value(n.n, at))}
	}
	return all
}

// OutputCount is the number of its outputs.
func (n *Node) OutputCount() int { return int(C.mx2onnx_node_output_count(n.n)) }

// InputCount is the number of its inputs.
func (n *Node) InputCount() int { return int(C.mx2onnx_node_input_count(n.n)) }

// InputName is the name of the variable or of the node that input i comes from.
func (n *Node) InputName(i int) string {
	return C.GoString(C.mx2onnx_node_input_name(n.n, C.size_t(i)))
}

// InputDType is the element type of input i.
func (n *Node) InputDType(i int) DType {
	return DType(C.mx2onnx_node_input_dtype(n.n, C.size_t(i)))
}

// InputDims are the sizes of input i, -1 where a dim is dynamic.
func (n *Node) InputDims(i int) []int64 {
	rank := C.mx2onnx_node_input_rank(n.n, C.size_t(i))
	dims := make([]int64, max(0, int(rank)))
	for axis := range dims {
		dims[axis] = int64(C.mx2onnx_node_input_dim(n.n, C.size_t(i), C.size_t(axis)))
	}
	return dims
}

// InputStoredDType is the type in which the file stores an input that is a parameter; DTypeUnknown for any other.
func (n *Node) InputStoredDType(i int) DType {
	return DType(C.mx2onnx_node_input_stored_dtype(n.n, C.size_t(i)))
}

// InputBytes is the size of an input that is a parameter.
func (n *Node) InputBytes(i int) uint64 {
	return uint64(C.mx2onnx_node_input_size(n.n, C.size_t(i)))
}

// ReadInput gives the bytes of an input that is a parameter: dense, row-major, little-endian.
func (n *Node) ReadInput(i int) ([]byte, error) {
	data := make([]byte, n.InputBytes(i))
	return data, n.ReadInputAt(i, 0, data)
}

// ReadInputAt fills data with the bytes from offset on of an input that is a parameter.
func (n *Node) ReadInputAt(i int, offset uint64, data []byte) error {
	return refuse(C.mx2onnx_node_input_read(n.n, C.size_t(i), C.uint64_t(offset), unsafe.Pointer(unsafe.SliceData(data)), C.size_t(len(data))))
}

// SetOutputLike gives an output the type and shape of an input. For Infer, as the next two.
func (n *Node) SetOutputLike(output, input int) error {
	return refuse(C.mx2onnx_node_set_output_like(n.n, C.size_t(output), C.size_t(input)))
}

// SetOutput gives an output a type and sizes; -1 is an independent size unless SetOutputDim says that it equals an input's.
func (n *Node) SetOutput(output int, dtype DType, dims ...int64) error {
	return refuse(C.mx2onnx_node_set_output(n.n, C.size_t(output), C.mx2onnx_dtype(dtype), C.int32_t(len(dims)), dimsOf(dims)))
}

// SetOutputDim makes a dim of an output equal to an input's.
func (n *Node) SetOutputDim(output, axis, input, inputAxis int) error {
	return refuse(C.mx2onnx_node_set_output_dim(n.n, C.size_t(output), C.size_t(axis), C.size_t(input), C.size_t(inputAxis)))
}

// Input is the value of an input. For Lower, as all that follows.
func (n *Node) Input(i int) Value {
	return Value(C.mx2onnx_node_input_value(n.n, C.size_t(i)))
}

// Constant makes a value of the bytes, which are little-endian and are copied.
func (n *Node) Constant(dtype DType, dims []int64, data []byte) (Value, error) {
	var v C.mx2onnx_value
	status := C.bridge_node_add_constant(n.n, C.mx2onnx_dtype(dtype), C.int32_t(len(dims)), dimsOf(dims),
		unsafe.Pointer(unsafe.SliceData(data)), C.size_t(len(data)), &v)
	return Value(v), refuse(status)
}

// Add adds an ONNX node and returns its outputs. An empty domain is ONNX's own; attributes are a JSON object or "".
func (n *Node) Add(opType, domain string, inputs []Value, attributes string, outputs int) ([]Value, error) {
	if err := whole(opType, domain, attributes); err != nil {
		return nil, err
	}
	if outputs < 1 || outputs > mostOutputs {
		return nil, invalid("a node has 1 to %d outputs, not %d", mostOutputs, outputs)
	}
	op, d, a := C.CString(opType), orNil(domain), orNil(attributes)
	defer C.free(unsafe.Pointer(op))
	defer C.free(unsafe.Pointer(d))
	defer C.free(unsafe.Pointer(a))
	values := make([]Value, outputs)
	status := C.bridge_node_add(n.n, op, d, a, C.size_t(len(inputs)), (*C.mx2onnx_value)(unsafe.SliceData(inputs)),
		C.size_t(outputs), (*C.mx2onnx_value)(unsafe.SliceData(values)))
	return values, refuse(status)
}

// SetResult says which value is an output of the MXNet node.
func (n *Node) SetResult(output int, v Value) error {
	return refuse(C.mx2onnx_node_set_result(n.n, C.size_t(output), C.mx2onnx_value(v)))
}
