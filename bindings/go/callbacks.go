package mx2onnx

// #include <mx2onnx.h>
import "C"

import (
	"context"
	"errors"
	"io"
	"runtime/cgo"
	"unsafe"
)

// What outlives a call: what a callback returned or panicked with, and the context of the call. A Model and its callbacks
// share it, so that callbacks do not keep their Model reachable.
type state struct {
	thrown   error
	panicked any
	ctx      context.Context
	progress func(done, total uint64) error
}

// A callback is what a handle stands for.
type callback struct {
	*state
	fn any
}

// Runs body for C; what it returns or panics with is kept for the call that is under way.
func (c callback) run(failed C.int32_t, body func() error) (status C.int32_t) {
	defer func() {
		if p := recover(); p != nil {
			c.panicked, status = p, failed
		}
	}()
	err := body()
	if err == nil {
		return C.MX2ONNX_OK
	}
	var refused *refusal
	if errors.As(err, &refused) {
		return C.int32_t(refused.status)
	}
	c.thrown = err
	return failed
}

func handled(user C.uintptr_t) callback {
	return cgo.Handle(user).Value().(callback)
}

//export mx2onnxGoRead
func mx2onnxGoRead(offset C.uint64_t, buffer unsafe.Pointer, size C.size_t, user C.uintptr_t) C.int32_t {
	c := handled(user)
	return c.run(1, func() error {
		n, err := c.fn.(io.ReaderAt).ReadAt(unsafe.Slice((*byte)(buffer), int(size)), int64(offset))
		if n == int(size) {
			return nil // ReadAt may say io.EOF with the last bytes
		}
		return err
	})
}

//export mx2onnxGoWrite
func mx2onnxGoWrite(data unsafe.Pointer, size C.size_t, user C.uintptr_t) C.int32_t {
	c := handled(user)
	return c.run(1, func() error {
		_, err := c.fn.(io.Writer).Write(unsafe.Slice((*byte)(data), int(size)))
		return err
	})
}

//export mx2onnxGoProgress
func mx2onnxGoProgress(done, total C.uint64_t, user C.uintptr_t) C.int32_t {
	c := handled(user)
	return c.run(1, func() error {
		if c.ctx != nil && c.ctx.Err() != nil {
			return context.Cause(c.ctx)
		}
		if c.progress != nil {
			return c.progress(uint64(done), uint64(total))
		}
		return nil
	})
}

//export mx2onnxGoLog
func mx2onnxGoLog(severity C.int32_t, message *C.char, user C.uintptr_t) {
	c := handled(user)
	c.run(0, func() error {
		c.fn.(func(Severity, string))(Severity(severity), C.GoString(message))
		return nil
	})
}

//export mx2onnxGoHandle
func mx2onnxGoHandle(n *C.mx2onnx_node, lower C.int32_t, user C.uintptr_t) C.int32_t {
	c := handled(user)
	h := c.fn.(Handler)
	node := &Node{n}
	defer func() { node.n = nil }()
	return c.run(C.MX2ONNX_STATUS_UNSUPPORTED, func() error {
		if lower != 0 {
			return h.Lower(node)
		}
		return h.Infer(node)
	})
}

//export mx2onnxGoRelease
func mx2onnxGoRelease(user C.uintptr_t) {
	cgo.Handle(user).Delete()
}
