package mx2onnx

// #include <mx2onnx.h>
import "C"

import (
	"fmt"
	"regexp"
	"strings"
)

// The library's advice names functions and choices of the C header. Names and paths of the caller are in quotes.
var cName = regexp.MustCompile(`(^|[ (])(mx2onnx|MX2ONNX)_\w+`)

// Those whose names are others here; all else is the same name in camel case.
var otherNames = map[string]string{
	"mx2onnx_model_reset":         "Reset",
	"mx2onnx_catalogue_name":      "Catalogue",
	"mx2onnx_param_size":          "Param.Bytes",
	"mx2onnx_load_catalogue_file": "LoadCatalogue",
	"mx2onnx_node_input_size":     "Node.InputBytes",
}

// "mx2onnx_set_input_shape: data=1x3xSIZE", the form of the command line, and "mx2onnx_set_option: OPSET is 9".
var (
	cShape  = regexp.MustCompile(`\bmx2onnx_set_input_shape: ([^\s=]+)=([\w?,]*[\w?])`)
	cOption = regexp.MustCompile(`\bmx2onnx_set_option: ([A-Z0-9_]+) `)
	aSize   = regexp.MustCompile(`^(\d+|[A-Z]+)$`)
)

// goShape is SetInputShape("data", Size(1), Size(3), Size(SIZE)). A word such as SIZE is for the reader.
func goShape(found string) string {
	parts := cShape.FindStringSubmatch(found)
	separator := "x"
	if strings.Contains(parts[2], ",") {
		separator = ","
	}
	args := []string{fmt.Sprintf("%q", parts[1])}
	for _, dim := range strings.Split(parts[2], separator) {
		switch {
		case dim == "DIMS":
			args = append(args, dim)
		case dim == "?":
			args = append(args, "Unknown")
		case aSize.MatchString(dim):
			args = append(args, "Size("+dim+")")
		default:
			args = append(args, fmt.Sprintf("Named(%q)", dim))
		}
	}
	return "SetInputShape(" + strings.Join(args, ", ") + ")"
}

// goNames puts a text of the library into the words of this package: mx2onnx_add_output is AddOutput.
func goNames(text string) string {
	text = cShape.ReplaceAllStringFunc(text, goShape)
	text = cOption.ReplaceAllString(text, "MX2ONNX_OPTION_$1 ")
	return cName.ReplaceAllStringFunc(text, func(found string) string {
		name := strings.TrimLeft(found, " (")
		before := found[:len(found)-len(name)]
		if other, ok := otherNames[name]; ok {
			return before + other
		}
		var b strings.Builder
		for _, word := range strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return c == '_' })[1:] {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
		return before + b.String()
	})
}

// A Status says of what kind an error is. A Status is an error itself, for errors.Is.
type Status int32

const (
	StatusOK Status = 0

	ErrInvalidArgument  Status = C.MX2ONNX_STATUS_INVALID_ARGUMENT
	ErrOutOfMemory      Status = C.MX2ONNX_STATUS_OUT_OF_MEMORY
	ErrIO               Status = C.MX2ONNX_STATUS_IO
	ErrNotFound         Status = C.MX2ONNX_STATUS_NOT_FOUND
	ErrFormat           Status = C.MX2ONNX_STATUS_FORMAT
	ErrUnsupported      Status = C.MX2ONNX_STATUS_UNSUPPORTED
	ErrShape            Status = C.MX2ONNX_STATUS_SHAPE
	ErrMissingParameter Status = C.MX2ONNX_STATUS_MISSING_PARAMETER
	ErrTooLarge         Status = C.MX2ONNX_STATUS_TOO_LARGE
	ErrCancelled        Status = C.MX2ONNX_STATUS_CANCELLED
	ErrInternal         Status = C.MX2ONNX_STATUS_INTERNAL
)

// String is the name of the status, "NOT_FOUND".
func (s Status) String() string {
	return C.GoString(C.mx2onnx_status_name(C.mx2onnx_status(s)))
}

// Error is a sentence for the status.
func (s Status) Error() string {
	return C.GoString(C.mx2onnx_status_text(C.mx2onnx_status(s)))
}

// A Severity says how much a diagnostic or a line of the log matters.
type Severity int32

const (
	SeverityError   Severity = C.MX2ONNX_SEVERITY_ERROR
	SeverityWarning Severity = C.MX2ONNX_SEVERITY_WARNING
	SeverityNote    Severity = C.MX2ONNX_SEVERITY_NOTE
	SeverityDebug   Severity = C.MX2ONNX_SEVERITY_DEBUG // in the log only
)

// A Diagnostic is something that there is to say of a model: an error, a warning or a note. Texts that do not apply are empty.
type Diagnostic struct {
	Severity  Severity
	Status    Status
	Node      string // MXNet's name of the node
	Op        string // its operator
	Attribute string // the operator's attribute
	Name      string // the input, output, parameter or file that is meant instead of a node
	Message   string // what is wrong
	Advice    string // the way out
}

// An Error is why a call failed. errors.Is finds its Status (ErrNotFound, ...) and what a callback of the caller's returned.
type Error struct {
	Status      Status
	Diagnostics []Diagnostic
	Cause       error // what a reader, a writer, a handler, a progress function or a context gave; else nil
	text        string
}

// Error is the first error of the call, or what a callback of the caller's returned, as a sentence.
func (e *Error) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("mx2onnx: %s: %v", e.text, e.Cause)
	}
	return "mx2onnx: " + e.text
}

// Unwrap gives the status and the cause to errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	if e.Cause != nil {
		return []error{e.Status, e.Cause}
	}
	return []error{e.Status}
}
