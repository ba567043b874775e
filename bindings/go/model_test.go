package mx2onnx

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

const digits = "../../examples/digits/digits-symbol.json"

func open(t *testing.T) *Model {
	t.Helper()
	m, err := Open(digits)
	if err == nil {
		err = m.SetInputShape("data", Named("batch"), Size(1), Size(8), Size(8))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func TestAContextEndsAnExport(t *testing.T) {
	m := open(t)
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := m.WriteToContext(ctx, io.Discard); err != nil {
		t.Fatal(err)
	}
	cancel()
	_, err := m.WriteToContext(ctx, io.Discard)
	if !errors.Is(err, context.Canceled) || !errors.Is(err, ErrCancelled) {
		t.Error(err)
	}
	target := t.TempDir() + "/model.onnx"
	if err := m.ExportFileContext(ctx, target); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := os.Stat(target); err == nil {
		t.Error("a cancelled export left a file")
	}
	if _, err := m.Bytes(); err != nil {
		t.Errorf("after the context: %v", err)
	}
}

// Every call that takes time ends with a context: loads did not.
func TestAContextEndsEveryCall(t *testing.T) {
	m := open(t)
	done, cancel := context.WithCancelCause(context.Background())
	calls := map[string]func(ctx context.Context) error{
		"Open":  func(ctx context.Context) error { _, err := OpenContext(ctx, digits); return err },
		"Load":  func(ctx context.Context) error { e, _ := New(); defer e.Close(); return e.LoadContext(ctx, digits) },
		"Infer": m.InferContext,
		"Bytes": func(ctx context.Context) error { _, err := m.BytesContext(ctx); return err },
		"GraphText": func(ctx context.Context) error {
			return m.Within(ctx, func() error { _, err := m.GraphText(GraphONNX); return err })
		},
		"IdentifyNet": func(ctx context.Context) error {
			return m.Within(ctx, func() error { _, err := m.IdentifyNet(); return err })
		},
	}
	for name, call := range calls {
		if err := call(done); name != "IdentifyNet" && err != nil {
			t.Error(name, err)
		}
	}
	cancel(errMine)
	for name, call := range calls {
		if err := call(done); !errors.Is(err, ErrCancelled) || !errors.Is(err, errMine) {
			t.Error(name, err)
		}
	}
	// while it is under way
	within, stop := context.WithCancel(context.Background())
	m.SetProgress(func(p Progress) error { stop(); return nil })
	if _, err := m.BytesContext(within); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	m.SetProgress(nil)
	if _, err := m.Bytes(); err != nil {
		t.Error(err)
	}
}

func TestOptionsAreSetAndReset(t *testing.T) {
	m := open(t)
	oldest, newest, standard := OpsetRange()
	if oldest > standard || standard > newest || m.Option(OptionOpset) != 0 || m.Option(OptionSeed) != -1 || m.Option(99) != math.MinInt64 {
		t.Error(oldest, newest, standard)
	}
	for _, err := range []error{m.SetOpset(oldest), m.SetFloat16(Float16All), m.SetExternalData(ExternalInPlace), m.SetTarget("opencv4"),
		m.SetOption(OptionSeed, 3), m.SetText(TextProducer, "a test")} {
		if err != nil {
			t.Error(err)
		}
	}
	if m.Option(OptionOpset) != int64(oldest) || m.Option(OptionFloat16) != int64(Float16All) || m.Text(TextTarget) != "opencv4" || m.Text(TextDocString) != "" {
		t.Error("what was set")
	}
	for _, err := range []error{m.ResetOption(OptionOpset), m.ResetOption(OptionFloat16), m.ResetOption(OptionExternalData), m.SetTarget("")} {
		if err != nil {
			t.Error(err)
		}
	}
	if data, err := m.Bytes(); err != nil || !strings.Contains(string(data), "a test") {
		t.Error(err)
	}
	for _, err := range []error{m.SetOpset(newest + 1), m.SetOption(OptionFsync, 2), m.SetOption(99, 1), m.ResetOption(99), m.SetText(99, "x")} {
		if !errors.Is(err, ErrInvalidArgument) {
			t.Error(err)
		}
	}
}

func TestEachChoiceCanBeTakenBack(t *testing.T) {
	m := open(t)
	want, _ := m.Bytes()
	m.SetInputShape("data", Size(2), Size(1), Size(8), Size(8))
	m.SetInputDType("data", DTypeFloat64)
	m.AddOutput("fc1_output")
	m.Rename("data", "pixels")
	if data, err := m.Bytes(); err != nil || string(data) == string(want) {
		t.Error(err)
	}
	for _, err := range []error{m.SetInputDType("data", DTypeUnknown), m.ClearOutputs(), m.Rename("data", ""), m.ClearInputShape("data"),
		m.SetInputShape("data", Named("batch"), Size(1), Size(8), Size(8))} {
		if err != nil {
			t.Error(err)
		}
	}
	if data, err := m.Bytes(); err != nil || string(data) != string(want) {
		t.Error(err)
	}
	if err := m.SetNodePrecision("softmax", PrecisionFloat16); err != nil || m.NodePrecision("softmax") != PrecisionFloat16 || m.NodePrecision("fc1") != PrecisionAuto {
		t.Error(err)
	}
	all, err := m.ReadParam(0)
	part := make([]byte, 8)
	if err != nil || m.ReadParamAt(0, 4, part) != nil || string(part) != string(all[4:12]) || m.ReadParamAt(0, uint64(len(all)), part) == nil {
		t.Error(err)
	}
	phases := map[Phase]bool{}
	m.SetProgress(func(p Progress) error {
		phases[p.Phase] = true
		if p.Total > 0 && p.Phase != PhaseWrite {
			t.Error(p)
		}
		return nil
	})
	m.Bytes()
	if !phases[PhaseLower] || !phases[PhaseWrite] {
		t.Error(phases)
	}
}

func TestHandlersAreUsed(t *testing.T) {
	graph := func(node, heads string) []byte {
		return []byte(`{"nodes": [{"op": "null", "name": "x", "inputs": []}, ` + node + `], "arg_nodes": [0], "heads": ` + heads + `}`)
	}
	relu := func(op string, outputs int) func(n *Node) error {
		return func(n *Node) error {
			for i := 0; i < outputs; i++ {
				y, err := n.Add(op, "", []Value{n.Input(0)}, "", 1)
				if err == nil {
					err = n.SetResult(i, y[0])
				}
				if err != nil {
					return err
				}
			}
			return nil
		}
	}
	infer := func(n *Node) error {
		for i := 0; i < n.OutputCount(); i++ {
			if err := n.SetOutputLike(i, 0); err != nil {
				return err
			}
		}
		return nil
	}
	m, _ := New()
	defer m.Close()
	m.LoadSymbolBytes(graph(`{"op": "Custom", "name": "c", "attrs": {"op_type": "mine", "n": "2"}, "inputs": [[0, 0, 0]]}`, "[[1, 0, 0], [1, 1, 0]]"))
	m.SetInputShape("x", Size(2), Size(4))
	h := Handler{Infer: infer, Lower: relu("Relu", 2), CountOutputs: func(n *Node) (int, error) {
		count, _ := n.Attribute("n")
		return int(count[0] - '0'), nil
	}}
	if err := m.SetCustomOperator("mine", h); err != nil {
		t.Error(err)
	}
	if _, err := m.Bytes(); err != nil || len(m.Outputs()) != 2 {
		t.Error(err)
	}
	h.CountOutputs = func(*Node) (int, error) { return 0, errMine }
	m.SetCustomOperator("mine", h)
	if _, err := m.Bytes(); !errors.Is(err, errMine) {
		t.Error(err)
	}
	h.CountOutputs = func(n *Node) (int, error) { return 2, n.Fail("not counted on purpose") }
	m.SetCustomOperator("mine", h)
	if _, err := m.Bytes(); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "not counted on purpose") {
		t.Error(err)
	}
	if _, err := m.Bytes(); m.RemoveCustomOperator("") != nil || err == nil {
		t.Error(err)
	}
	if _, err := m.Bytes(); !errors.Is(err, ErrUnsupported) {
		t.Error(err)
	}
	m.Reset()
	m.LoadSymbolBytes(graph(`{"op": "relu", "name": "r", "inputs": [[0, 0, 0]]}`, "[[1, 0, 0]]"))
	m.SetInputShape("x", Size(2), Size(4))
	h = Handler{Infer: infer, Lower: relu("Elu", 1)}
	m.SetCustomOperator("relu", h)
	if _, err := m.Bytes(); !errors.Is(err, ErrInvalidArgument) {
		t.Error(err)
	}
	h.Overrides = true
	m.SetCustomOperator("relu", h)
	if text, err := m.GraphText(GraphONNX); err != nil || !strings.Contains(text, "Elu") {
		t.Error(text, err)
	}
}

func TestCancelEndsACall(t *testing.T) {
	m := open(t)
	entered, leave := make(chan bool, 1000), make(chan bool)
	m.SetProgress(func(Progress) error { entered <- true; <-leave; return nil })
	go func() {
		<-entered
		m.Cancel()
		close(leave)
	}()
	if _, err := m.Bytes(); !errors.Is(err, ErrCancelled) {
		t.Error(err)
	}
	m.SetProgress(nil)
	m.Cancel()
	folder := t.TempDir()
	m.SetExternalData(ExternalAlways)
	m.SetOption(OptionExternalThreshold, 1)
	m.SetText(TextSideFile, "weights.bin")
	if err := m.ExportFile(folder + "/model.onnx"); err != nil || strings.Join(m.Written().Files, " ") != "model.onnx weights.bin" {
		t.Error(m.Written(), err)
	}
}

func TestAResetModelIsNew(t *testing.T) {
	m := open(t)
	want, _ := m.Bytes()
	m.SetProgress(func(p Progress) error { return errMine })
	if _, err := m.Bytes(); !errors.Is(err, errMine) {
		t.Error(err)
	}
	if err := m.Reset(); err != nil || len(m.Inputs()) != 0 || len(m.Params()) != 0 {
		t.Error(err)
	}
	// a choice may come before the load
	m.SetInputShape("data", Named("batch"), Size(1), Size(8), Size(8))
	if err := m.Load(digits); err != nil {
		t.Error(err)
	}
	if data, err := m.Bytes(); err != nil || string(data) != string(want) {
		t.Error(err)
	}
	var inside error
	m.SetProgress(func(p Progress) error { inside = m.Reset(); return nil })
	if _, err := m.Bytes(); err != nil || !errors.Is(inside, ErrInvalidArgument) {
		t.Error(err, inside)
	}
}

func TestAPanicComesOut(t *testing.T) {
	m := open(t)
	m.SetProgress(func(p Progress) error { panic("on purpose") })
	func() {
		defer func() {
			if p := recover(); p != "on purpose" {
				t.Errorf("recovered %v", p)
			}
		}()
		m.Bytes()
		t.Error("no panic came out")
	}()
	m.SetProgress(nil)
	if _, err := m.Bytes(); err != nil {
		t.Error(err)
	}
}

func TestAnErrorHasItsDiagnostics(t *testing.T) {
	_, err := Open("nosuch-symbol.json")
	var failure *Error
	if !errors.Is(err, ErrNotFound) || errors.Is(err, ErrFormat) || !errors.As(err, &failure) {
		t.Fatal(err)
	}
	if len(failure.Diagnostics) != 1 || !strings.Contains(err.Error(), failure.Diagnostics[0].Message) {
		t.Errorf("%v: %+v", err, failure.Diagnostics)
	}
}

// Each name of C that a message has is one of this package.
func TestAdviceIsAboutGo(t *testing.T) {
	for text, want := range map[string]string{
		"fix the size with mx2onnx_set_input_shape: data=1x3xSIZE": `fix the size with SetInputShape("data", Size(1), Size(3), Size(SIZE))`,
		"set it with mx2onnx_set_input_shape: data=batch,?,8; and": `set it with SetInputShape("data", Named("batch"), Unknown, Size(8)); and`,
		"give mx2onnx_set_input_shape: w=DIMS":                     `give SetInputShape("w", DIMS)`,
		"mx2onnx_set_option: OPSET is 9, but must be":              "OptionOpset is 9, but must be",
		"leave MX2ONNX_OPTION_OPSET at its default":                "leave OptionOpset at its default",
		"(MX2ONNX_TEXT_UNKNOWN_DOMAIN), or mx2onnx_add_output":     "(TextUnknownDomain), or AddOutput",
		"these bytes are not within mx2onnx_param_size":            "these bytes are not within Param.Bytes",
		"libmx2onnx_x is a name, mx2onnx is not one of C":          "libmx2onnx_x is a name, mx2onnx is not one of C",
		"cannot open '/tmp/mx2onnx_data/mx2onnx_net.params'":       "cannot open '/tmp/mx2onnx_data/mx2onnx_net.params'",
		"node 'mx2onnx_fc1' (mx2onnx_add_output)":                  "node 'mx2onnx_fc1' (AddOutput)",
		"mx2onnx__": "",
	} {
		if got := goNames(text); got != want {
			t.Errorf("%q instead of %q", got, want)
		}
	}
	m := open(t)
	err := m.SetOption(OptionOpset, 1)
	if err == nil || !strings.Contains(err.Error(), "OptionOpset is 1, ") || strings.Contains(m.Diagnostics()[0].Message, "mx2onnx_") {
		t.Error(err)
	}
}

func TestAClosedModelIsEmpty(t *testing.T) {
	m := open(t)
	m.Close()
	m.Close()
	if _, err := m.Bytes(); !errors.Is(err, ErrInvalidArgument) {
		t.Error(err)
	}
	if len(m.Inputs()) != 0 || len(m.Diagnostics()) != 0 {
		t.Error("a closed model has contents")
	}
}

func TestTextsDescribeTheModel(t *testing.T) {
	m := open(t)
	if _, err := m.Bytes(); err != nil {
		t.Fatal(err)
	}
	graph, err := m.GraphText(GraphONNX)
	if err != nil || !strings.Contains(graph, "Conv") {
		t.Error(graph, err)
	}
	for which, op := range map[Graph]string{GraphMXNet: `"op":"Convolution"`, GraphONNX: `"op":"Conv"`} {
		if text, err := m.GraphJSON(which); err != nil || !strings.Contains(text, op) {
			t.Error(text, err)
		}
	}
	if symbol, err := m.GraphText(GraphMXNet); err != nil || !strings.Contains(symbol, "Convolution") {
		t.Error(symbol, err)
	}
	if report, err := m.ReportJSON(); err != nil || !strings.HasPrefix(report, "{") || !strings.Contains(report, "softmax") {
		t.Error(report, err)
	}
	if !strings.HasPrefix(Version(), "0.") || VersionNumber() < 1000 || !HasFeature(FeatureZip) || HasFeature(99) {
		t.Error("version and features")
	}
	for _, o := range KnownOperators() {
		if o.Name == "Pooling" && (o.Status != "partial" || o.Refuses == "") || o.Name == "Cast" && (o.Status != "differs" || o.Differs == "") {
			t.Error(o)
		}
	}
	if len(KnownOperators()) < 100 || len(Targets()) == 0 || Targets()[0].Text == "" {
		t.Error("what the library knows")
	}
}

// What is released is collected: a model that is never closed, and its callbacks with it.
func TestAModelIsCollectedWithItsFunctions(t *testing.T) {
	freed := make(chan bool, 1)
	func() {
		m, err := Open(digits)
		if err != nil {
			t.Fatal(err)
		}
		m.SetLog(SeverityDebug, func(Severity, string) {})
		runtime.SetFinalizer(m.s, func(*state) { freed <- true })
	}()
	for i := 0; i < 100; i++ {
		runtime.GC()
		select {
		case <-freed:
			return
		default:
			runtime.Gosched()
		}
	}
	t.Error("the model stays")
}

func TestSettingsAreReadAndTakenBack(t *testing.T) {
	m := open(t)
	want, err := m.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	ok(m.SetMetadata("b", "two"))
	ok(m.SetMetadata("a", ""))
	if all := m.Metadata(); len(all) != 2 || all["b"] != "two" || all["a"] != "" {
		t.Error(all)
	}
	if err := m.SetMetadata("input:data", "x"); !errors.Is(err, ErrInvalidArgument) {
		t.Error(err)
	}
	if data, err := m.Bytes(); err != nil || !strings.Contains(string(data), "\n\x01b\x12\x03two") {
		t.Error(err)
	}
	ok(m.RemoveMetadata("a"))
	if all := m.Metadata(); len(all) != 1 {
		t.Error(all)
	}
	ok(m.ClearMetadata())
	if all := m.Metadata(); len(all) != 0 {
		t.Error(all)
	}
	chosen, err := New()
	ok(err)
	defer chosen.Close()
	if dims, any := chosen.ChosenShape("data"); any || chosen.ChosenDType("data") != DTypeUnknown || chosen.ChosenName("data") != "" {
		t.Error(dims, any)
	}
	ok(chosen.SetInputShape("data", Named("n"), Size(1), Unknown))
	ok(chosen.SetInputDType("data", DTypeUint8))
	ok(chosen.Rename("data", "pixels"))
	dims, any := chosen.ChosenShape("data")
	if !any || !reflect.DeepEqual(dims, []Dim{Named("n"), Size(1), Unknown}) {
		t.Error(dims, any)
	}
	if chosen.ChosenDType("data") != DTypeUint8 || chosen.ChosenName("data") != "pixels" {
		t.Error(chosen.ChosenDType("data"), chosen.ChosenName("data"))
	}
	ok(m.SetInputMean("data", 1))
	ok(m.SetInputScale("data", 0.5))
	ok(m.SetInputChannelsLast("data", true))
	mean, scale := m.InputMean("data"), m.InputScale("data")
	if len(mean) != 1 || mean[0] != 1 || len(scale) != 1 || scale[0] != 0.5 || !m.InputChannelsLast("data") || m.InputChannelsReversed("data") {
		t.Error(mean, scale)
	}
	ok(m.SetInputMean("data"))
	ok(m.SetInputScale("data"))
	ok(m.SetInputChannelsLast("data", false))
	if mean := m.InputMean("data"); mean != nil || m.InputScale("no") != nil {
		t.Error(mean)
	}
	for _, p := range m.Params() {
		if p.Name == "fc1_bias" {
			ok(m.SetParam(p.Name, p.DType, p.Dims, make([]byte, p.Bytes)))
		}
	}
	if data, err := m.Bytes(); err != nil || bytes.Equal(data, want) {
		t.Error(err)
	}
	ok(m.RemoveParam("fc1_bias"))
	if data, err := m.Bytes(); err != nil || !bytes.Equal(data, want) {
		t.Error(err)
	}
	if err := m.RemoveParam("fc1_bias"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	ok(m.SetDomainVersion("ai.onnx.ml", 3))
	if v := m.DomainVersion("ai.onnx.ml"); v != 3 {
		t.Error(v)
	}
	ok(m.SetDomainVersion("ai.onnx.ml", 0))
	if v := m.DomainVersion("ai.onnx.ml"); v != 1 {
		t.Error(v)
	}
	data, err := os.ReadFile("../cases/nets.zip")
	ok(err)
	ok(m.LoadCatalogueBytes(data))
	if len(m.Catalogue()) == 0 {
		t.Error("no nets")
	}
	if all, err := m.IdentifyNet(); !errors.Is(err, ErrNotFound) || all != nil {
		t.Error(all, err)
	}
}

// Numbers of a later library.
func TestUnknownNumbersAreAccepted(t *testing.T) {
	if s := Status(-99); s.String() != "UNKNOWN" || s.Error() == "" {
		t.Error(s)
	}
	if d := DType(99); d.String() != "unknown" {
		t.Error(d)
	}
}
