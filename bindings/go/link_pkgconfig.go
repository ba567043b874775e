//go:build !mx2onnx_flags && !mx2onnx_vendored

package mx2onnx

// #cgo pkg-config: mx2onnx
import "C"
