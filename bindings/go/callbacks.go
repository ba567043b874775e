package mx2onnx

// #include <mx2onnx.h>
import "C"

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/cgo"
	"unsafe"
)

// What outlives a call: what a callback returned or panicked with, and the context of the call. A Model and its callbacks
// share it, so that callbacks do not keep their Model reachable.
type state struct {
	thrown   error
	panicked any
	inside   int  // callbacks that are running
	unheard  bool // thrown or panicked is a log's, which cannot end the call
	looking  bool // a function runs that returns no error: no progress, which could end it with one
	ctx      context.Context
	progress func(Progress) error
}

// What callbacks left for the call that is at its end; nothing in a callback, where the call is still under way.
func (s *state) take() (thrown error) {
	if s.inside > 0 {
		return nil
	}
	thrown, panicked := s.thrown, s.panicked
	s.thrown, s.panicked, s.unheard = nil, nil, false
	if panicked != nil {
		panic(panicked)
	}
	return thrown
}

// A callback is what a handle stands for.
type callback struct {
	*state
	fn any
}

// Runs body for C; the first error or panic is kept for the call that is under way, and after it nothing runs.
func (c callback) run(failed C.int32_t, body func() error) (status C.int32_t) {
	if c.thrown != nil || c.panicked != nil {
		return failed
	}
	c.inside++
	defer func() {
		c.inside--
		if p := recover(); p != nil {
			status = failed
			if c.panicked == nil { // else it was a reader's, in a handler
				c.panicked = p
			}
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
	if c.thrown == nil {
		c.thrown = err
	}
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
		if err == nil {
			err = fmt.Errorf("ReadAt returned %d bytes of %d and no error", n, int(size))
		}
		return err
	})
}

//export mx2onnxGoWrite
func mx2onnxGoWrite(data unsafe.Pointer, size C.size_t, user C.uintptr_t) C.int32_t {
	c := handled(user)
	return c.run(1, func() error {
		n, err := c.fn.(io.Writer).Write(unsafe.Slice((*byte)(data), int(size)))
		if err == nil && n != int(size) {
			err = fmt.Errorf("%w: Write wrote %d bytes of %d and returned no error", io.ErrShortWrite, n, int(size))
		}
		return err
	})
}

//export mx2onnxGoProgress
func mx2onnxGoProgress(p *C.mx2onnx_progress, user C.uintptr_t) C.int32_t {
	c := handled(user)
	if c.thrown != nil || c.panicked != nil { // what failed ends the call itself, unless it is a log
		return C.int32_t(truth(c.unheard))
	}
	return c.run(1, func() error {
		if c.looking {
			return nil
		}
		if c.ctx != nil && c.ctx.Err() != nil {
			return context.Cause(c.ctx)
		}
		if c.progress != nil {
			return c.progress(Progress{Phase(p.phase), uint64(p.done), uint64(p.total), C.GoString(p.node)})
		}
		return nil
	})
}

//export mx2onnxGoLog
func mx2onnxGoLog(entry *C.mx2onnx_log_entry, user C.uintptr_t) {
	c := handled(user)
	c.run(0, func() error {
		c.unheard = true // if it panics
		c.fn.(func(Severity, string))(Severity(entry.severity), C.GoString(entry.message))
		c.unheard = false
		return nil
	})
}

//export mx2onnxGoCount
func mx2onnxGoCount(n *C.mx2onnx_node, user C.uintptr_t) C.size_t {
	c := handled(user)
	node := &Node{n}
	defer func() { node.n = nil }()
	count := 0
	c.run(0, func() (err error) {
		count, err = c.fn.(Handler).CountOutputs(node)
		if err != nil {
			count = 0
		} else if count < 0 {
			err = invalid("CountOutputs must not return a negative number, but returned %d", count)
		}
		return err
	})
	return C.size_t(max(0, count))
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
