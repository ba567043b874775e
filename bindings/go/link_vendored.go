//go:build mx2onnx_vendored

package mx2onnx

// The library is vendored.c, which bindings/vendor.py makes.

// #cgo pkg-config: jansson libzip
// #cgo CFLAGS: -I${SRCDIR} -std=gnu11 -DMX2ONNX_STATIC
// #cgo LDFLAGS: -lm
import "C"
