//go:build !mx2onnx_flags

package mx2onnx

// #cgo pkg-config: mx2onnx
import "C"
