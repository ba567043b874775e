//go:build mx2onnx_flags

package mx2onnx

// The library is where CGO_CFLAGS and CGO_LDFLAGS say.

// #cgo LDFLAGS: -lmx2onnx
import "C"
