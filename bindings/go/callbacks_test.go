package mx2onnx

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"testing"
)

var errMine = errors.New("mine")

func panicOf(call func()) (p any) {
	defer func() { p = recover() }()
	call()
	return nil
}

// A panic stays with the look or the setter that asks the progress function, and an error is the cause of no later call.
func TestLooksDoNotCallTheProgressFunction(t *testing.T) {
	looks := map[string]func(*Model){
		"Inputs": func(m *Model) { m.Inputs() }, "Outputs": func(m *Model) { m.Outputs() }, "Variables": func(m *Model) { m.Variables() }, "Params": func(m *Model) { m.Params() }, "Operators": func(m *Model) { m.Operators() },
		"Catalogue": func(m *Model) { m.Catalogue() },
	}
	for name, look := range looks {
		m := open(t)
		m.SetProgress(func(p Progress) error { return errMine })
		if p := panicOf(func() { look(m) }); p != nil {
			t.Errorf("%s: %v", name, p)
		}
		if len(m.Inputs()) != 1 {
			t.Errorf("%s: an empty answer", name)
		}
		m.SetProgress(nil) // which a setter may ask
		if err := m.SetOpset(99); !errors.Is(err, ErrInvalidArgument) || errors.Is(err, errMine) {
			t.Errorf("%s: %v", name, err)
		}
		m.SetProgress(func(p Progress) error { return errMine })
		if _, err := m.Bytes(); !errors.Is(err, errMine) {
			t.Errorf("%s: %v", name, err)
		}
		m.SetProgress(nil)
		if _, err := m.Bytes(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAPanicOfALogComesOut(t *testing.T) {
	m := open(t)
	lines := 0
	m.SetLog(SeverityDebug, func(Severity, string) { lines++; panic(errMine) })
	if p := panicOf(func() { m.GraphText(GraphONNX) }); p != errMine || lines != 1 {
		t.Errorf("%v, %d lines", p, lines)
	}
	if p := panicOf(func() { m.AddOutput("nosuch") }); p != errMine || lines != 2 {
		t.Errorf("%v, %d lines", p, lines)
	}
	m.SetLog(SeverityNote, nil)
	if _, err := m.GraphText(GraphONNX); err != nil {
		t.Error(err)
	}
}

type reader struct {
	io.ReaderAt
	give func(n int) (int, error)
}

func (r *reader) ReadAt(p []byte, offset int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, offset)
	if r.give != nil {
		return r.give(len(p))
	}
	return n, err
}

// A count that is not the size, without an error, passed for all bytes.
func TestCountsOfReadersAndWritersAreChecked(t *testing.T) {
	data, err := os.ReadFile(digits)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]func(n int) (int, error){
		"less": func(n int) (int, error) { return n - 1, nil }, "more": func(n int) (int, error) { return n + 1, nil },
		"none": func(n int) (int, error) { return 0, nil }, "negative": func(n int) (int, error) { return -1, nil },
		"mine": func(n int) (int, error) { return 0, errMine },
	}
	for name, give := range counts {
		m, _ := New()
		err := m.LoadReaderAt(&reader{bytes.NewReader(data), give}, int64(len(data)))
		var failure *Error
		if !errors.Is(err, ErrIO) || !errors.As(err, &failure) || failure.Cause == nil || errors.Is(err, errMine) != (name == "mine") {
			t.Errorf("%s: %v", name, err)
		}
		m.Close()
		m = open(t)
		if _, err := m.WriteTo(writer(give)); !errors.Is(err, ErrIO) || errors.Is(err, errMine) != (name == "mine") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := m.WriteTo(io.Discard); err != nil {
			t.Error(err)
		}
	}
}

type writer func(n int) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(len(p)) }

func TestAModelIsNotClosedInACallback(t *testing.T) {
	m := open(t)
	var err error
	m.SetProgress(func(p Progress) error { err = m.Close(); return nil })
	if data, failed := m.Bytes(); failed != nil || len(data) == 0 || !errors.Is(err, ErrInvalidArgument) {
		t.Error(failed, err)
	}
}

func TestNumbersAndTextsMustFit(t *testing.T) {
	m := open(t)
	if math.MaxInt > math.MaxInt32 {
		for _, opset := range []int{1 << 32, -1 << 32, 1<<32 + 13} {
			if err := m.SetOpset(opset); !errors.Is(err, ErrInvalidArgument) {
				t.Error(opset, err)
			}
		}
	}
	calls := []func(s string) error{
		func(s string) error { return m.Rename("data", s) }, func(s string) error { return m.Rename(s, "x") },
		func(s string) error { return m.SetInputShape(s, Size(1)) },
		func(s string) error { return m.SetInputShape("data", Named(s), Size(1), Size(8), Size(8)) },
		func(s string) error { return m.SetInputDimName("data", 0, s) }, func(s string) error { return m.SetInputDimName(s, 0, "n") },
		func(s string) error { return m.SetInputDType(s, DTypeInt8) }, func(s string) error { return m.AddOutput(s) },
		func(s string) error { return m.SetTarget(s) }, func(s string) error { return m.SetText(TextUnknownDomain, s) },
		func(s string) error { return m.LoadNet(s) }, func(s string) error { return m.LoadParams(s) },
		func(s string) error { return m.SetParam(s, DTypeInt8, []int64{1}, []byte{1}) }, func(s string) error { return m.SetText(TextParamPrefix, s) },
		func(s string) error { return m.SetCustomOperator(s, Handler{}) }, func(s string) error { return m.ExportFile(s) },
		func(s string) error { return m.SetInputDimName("data", -1, "n") },
		func(s string) error { return m.SetCustomOperator("a", Handler{Outputs: -1}) },
		func(s string) error { return m.LoadReaderAt(nil, -1) }, func(s string) error { return m.LoadParamsReaderAt(nil, -1) },
	}
	for i, call := range calls {
		if err := call("data\x00x"); !errors.Is(err, ErrInvalidArgument) {
			t.Error(i, err)
		}
	}
	if DTypeFromName("int8\x00") != DTypeUnknown {
		t.Error("the name of a type")
	}
	if err := m.Infer(); err != nil || m.Inputs()[0].Name != "data" || m.Inputs()[0].Dims[0].Name != "batch" {
		t.Error(err, m.Inputs())
	}
}

func TestArgumentsOfANodeMustFit(t *testing.T) {
	uses := []func(n *Node) error{
		func(n *Node) error { _, err := n.Add("Re\x00lu", "", []Value{n.Input(0)}, "", 1); return err },
		func(n *Node) error { _, err := n.Add("Relu", "", []Value{n.Input(0)}, "", -1); return err },
		func(n *Node) error { _, err := n.Add("Relu", "", []Value{n.Input(0)}, "", 1<<40); return err },
		func(n *Node) error { return n.SetResult(-1, n.Input(0)) },
	}
	for i, use := range uses {
		m, err := Open("../cases/leaky-symbol.json")
		if err != nil {
			t.Fatal(err)
		}
		m.SetInputShape("x", Size(1), Size(4))
		m.SetCustomOperator("leaky", Handler{Infer: func(n *Node) error { return n.SetOutputLike(0, 0) }, Lower: use})
		if _, err := m.Bytes(); err == nil {
			t.Error(i, "no error")
		}
		m.Close()
	}
}
