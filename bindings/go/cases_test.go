package mx2onnx

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// The shared cases; their README says what each step means.
const casesFolder = "../cases"

var errThrown = errors.New("thrown on purpose") // "an error of the language's own"

type step struct {
	Do, File, Name, DType, Input, Old, New, Mode, Which, Choice, Handler string
	Dims, Values                                                         []any
	Bytes                                                                []int
	Prefix, Domain, Path                                                 string
	Axis, Opset, Outputs                                                 int
	Seed                                                                 int32
	Threshold, Value                                                     uint64
	On, Keep, Throw                                                      bool
	Expect                                                               map[string]any
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

type brokenReader struct{}

func (brokenReader) ReadAt([]byte, int64) (int, error) { return 0, errThrown }

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errThrown }

func like(n *Node) error { return n.SetOutputLike(0, 0) }

func result(n *Node, values []Value, err error) error {
	for i := 0; err == nil && i < len(values); i++ {
		err = n.SetResult(i, values[i])
	}
	return err
}

func leaky(n *Node) error {
	slope, _ := n.Attribute("slope")
	y, err := n.Add("LeakyRelu", "", []Value{n.Input(0)}, `{"alpha": `+slope+`}`, 1)
	return result(n, y, err)
}

func splitInfer(n *Node) error {
	dims := n.InputDims(0)
	dims[1] /= 2
	for output := 0; output < n.OutputCount(); output++ {
		if err := n.SetOutput(output, n.InputDType(0), dims...); err != nil {
			return err
		}
		for axis, d := range dims {
			if d < 0 {
				if err := n.SetOutputDim(output, axis, 0, axis); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func splitLower(n *Node) error {
	half := uint64(n.InputDims(0)[1] / 2)
	data := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, half), half)
	sizes, err := n.Constant(DTypeInt64, []int64{2}, data)
	if err != nil {
		return err
	}
	y, err := n.Add("Split", "", []Value{n.Input(0), sizes}, `{"axis": 1}`, 2)
	return result(n, y, err)
}

func table(n *Node) error {
	data, err := n.ReadInput(1)
	if err != nil {
		return err
	}
	var turned []byte
	for i := len(data) - 4; i >= 0; i -= 4 {
		turned = append(turned, data[i:i+4]...)
	}
	value, err := n.Constant(n.InputStoredDType(1), []int64{int64(len(data) / 4)}, turned)
	if err != nil {
		return err
	}
	y, err := n.Add("Mul", "", []Value{n.Input(0), value}, "", 1)
	return result(n, y, err)
}

func describe(n *Node) error {
	parts := []string{"name=" + n.Name(), "operator=" + n.Operator(), fmt.Sprintf("opset=%d", n.Opset()), "domain=" + n.Domain()}
	for _, a := range n.Attributes() {
		parts = append(parts, a.Key+"="+a.Value)
	}
	parts = append(parts, fmt.Sprintf("outputs=%d", n.OutputCount()))
	for i := 0; i < n.InputCount(); i++ {
		dims := strings.ReplaceAll(strings.Trim(fmt.Sprint(n.InputDims(i)), "[]"), " ", ",")
		parts = append(parts, fmt.Sprintf("input=%s %s (%s) %s %d", n.InputName(i), n.InputDType(i), dims, n.InputStoredDType(i), n.InputBytes(i)))
	}
	text, _ := json.Marshal(map[string]string{"text": strings.Join(parts, ";")})
	y, err := n.Add("Describe", n.Domain(), []Value{n.Input(0)}, string(text), 1)
	return result(n, y, err)
}

func throw(*Node) error { return errThrown }

func handlerOf(name string, m *Model) Handler {
	return map[string]Handler{
		"leaky":          {Infer: like, Lower: leaky},
		"split2":         {Infer: splitInfer, Lower: splitLower},
		"table":          {Infer: like, Lower: table},
		"describe":       {Infer: like, Lower: describe},
		"refuse":         {Infer: func(n *Node) error { return n.Fail("refused on purpose") }, Lower: leaky},
		"throw in infer": {Infer: throw, Lower: leaky},
		"throw in lower": {Infer: like, Lower: throw},
		"shape only":     {Infer: like, Lower: nil},
		"busy": {Infer: func(n *Node) error {
			if err := m.SetOpset(13); !errors.Is(err, ErrInvalidArgument) || len(m.Inputs()) != 0 {
				return errors.New("a busy model must refuse")
			}
			return like(n)
		}, Lower: leaky},
	}[name]
}

var options = map[string]Option{"OPSET": OptionOpset, "FLOAT16": OptionFloat16, "TRUST_INDICES": OptionTrustIndices, "KEEP_BATCH_NORM": OptionKeepBatchNorm, "INITIALIZERS_AS_INPUTS": OptionInitializersAsInputs, "SEED": OptionSeed, "EXTERNAL_DATA": OptionExternalData, "EXTERNAL_THRESHOLD": OptionExternalThreshold, "FULL_CHECKSUM": OptionFullChecksum, "FSYNC": OptionFsync, "CLASSES": OptionClasses, "CROP": OptionCrop, "SEGMENTS": OptionSegments, "VOCABULARY": OptionVocabulary, "MEMORY_LIMIT": OptionMemoryLimit, "EXPANSION_LIMIT": OptionExpansionLimit, "NODES_LIMIT": OptionNodesLimit, "OUTPUT_LIMIT": OptionOutputLimit}

type caseRun struct {
	t       *testing.T
	m       *Model
	folder  string
	found   map[string]any
	logged  int
	watched []any
}

func (r *caseRun) file(s step) []byte {
	data, err := os.ReadFile(filepath.Join(casesFolder, s.File))
	if err != nil {
		r.t.Fatal(err)
	}
	return data
}

func (r *caseRun) load(s step) (error, bool) {
	where := filepath.Join(casesFolder, s.File)
	switch s.Do {
	case "load":
		return r.m.Load(where), true
	case "load_symbol":
		return r.m.LoadSymbol(where), true
	case "load_params":
		return r.m.LoadParams(where), true
	case "load_memory":
		return r.m.LoadBytes(r.file(s)), true
	case "load_symbol_memory":
		return r.m.LoadSymbolBytes(r.file(s)), true
	case "load_params_memory":
		return r.m.LoadParamsBytes(r.file(s)), true
	case "load_callback", "load_params_callback":
		load, data := r.m.LoadReaderAt, r.file(s)
		if s.Do == "load_params_callback" {
			load = r.m.LoadParamsReaderAt
		}
		if s.Throw {
			return load(brokenReader{}, int64(len(data))), true
		}
		return load(bytes.NewReader(data), int64(len(data))), true
	case "set_param":
		data := make([]byte, len(s.Bytes))
		for i, b := range s.Bytes {
			data[i] = byte(b)
		}
		var dims []int64
		for _, d := range s.Dims {
			dims = append(dims, int64(d.(float64)))
		}
		return r.m.SetParam(s.Name, DTypeFromName(s.DType), dims, data), true
	case "param_prefix":
		return r.m.SetText(TextParamPrefix, s.Prefix), true
	}
	return r.loadNet(s)
}

func (r *caseRun) loadNet(s step) (error, bool) {
	switch s.Do {
	case "load_catalogue":
		return r.m.LoadCatalogue(filepath.Join(casesFolder, s.File)), true
	case "load_net":
		err := r.m.LoadNet(s.Name)
		if err == nil {
			r.found["net"] = r.m.NetTitle()
		}
		return err, true
	case "identify_net":
		_, err := r.m.IdentifyNet()
		return err, true
	case "use_published":
		what := map[string]Published{"SHAPES": PublishedShapes, "NORMALIZATION": PublishedNormalization}
		return r.m.UsePublished(what[s.Choice]), true
	case "nets":
		nets := []any{}
		for _, n := range r.m.Catalogue() {
			nets = append(nets, map[string]any{"name": n.Name, "text": n.Text})
		}
		r.found["nets"] = nets
		return nil, true
	}
	return nil, false
}

func (r *caseRun) choose(s step) (error, bool) {
	var values []float64
	for _, v := range s.Values {
		values = append(values, v.(float64))
	}
	switch s.Do {
	case "input_shape":
		dims := make([]Dim, len(s.Dims))
		for i, d := range s.Dims {
			if name, ok := d.(string); ok {
				dims[i] = Named(name)
			} else {
				dims[i] = Size(int64(d.(float64)))
			}
		}
		return r.m.SetInputShape(s.Input, dims...), true
	case "input_dim_name":
		return r.m.SetInputDimName(s.Input, s.Axis, s.Name), true
	case "input_dtype":
		return r.m.SetInputDType(s.Input, DTypeFromName(s.DType)), true
	case "channels_last":
		return r.m.SetInputChannelsLast(s.Input, s.On), true
	case "channels_reversed":
		return r.m.SetInputChannelsReversed(s.Input, s.On), true
	case "mean":
		return r.m.SetInputMean(s.Input, values...), true
	case "scale":
		return r.m.SetInputScale(s.Input, values...), true
	case "add_output":
		return r.m.AddOutput(s.Name), true
	case "rename":
		return r.m.Rename(s.Old, s.New), true
	case "opset":
		return r.m.SetOpset(s.Opset), true
	case "target":
		return r.m.SetTarget(s.Name), true
	case "trust_indices":
		return r.m.SetOption(OptionTrustIndices, int64(truth(s.On))), true
	case "option":
		err := r.m.SetOption(options[s.Which], int64(s.Value))
		r.found["option"] = r.m.Option(options[s.Which])
		return err, true
	case "reset_option":
		err := r.m.ResetOption(options[s.Which])
		r.found["option"] = r.m.Option(options[s.Which])
		return err, true
	case "external_data":
		mode := map[string]External{"AUTO": ExternalAuto, "NEVER": ExternalNever, "ALWAYS": ExternalAlways, "IN_PLACE": ExternalInPlace, "LINK": ExternalLink}[s.Mode]
		if err := r.m.SetExternalData(mode); err != nil {
			return err, true
		}
		return r.m.SetOption(OptionExternalThreshold, int64(s.Threshold)), true
	case "full_checksum":
		return r.m.SetOption(OptionFullChecksum, int64(truth(s.On))), true
	case "check_file":
		return r.m.CheckExternalData(filepath.Join(casesFolder, s.File)), true
	case "initializers_as_inputs":
		return r.m.SetOption(OptionInitializersAsInputs, int64(truth(s.On))), true
	case "keep_batch_norm":
		return r.m.SetOption(OptionKeepBatchNorm, int64(truth(s.On))), true
	case "fsync":
		return r.m.SetOption(OptionFsync, int64(truth(s.On))), true
	case "float16":
		return r.m.SetFloat16(map[string]Float16{"OFF": Float16Off, "ALL": Float16All, "INSIDE": Float16Inside}[s.Mode]), true
	case "keep_float32":
		return r.m.SetNodePrecision(s.Name, map[bool]Precision{true: PrecisionFloat32, false: PrecisionFloat16}[s.Keep]), true
	case "seed":
		return r.m.SetOption(OptionSeed, int64(s.Seed)), true
	case "unknown_domain":
		return r.m.SetText(TextUnknownDomain, s.Domain), true
	}
	return nil, false
}

// The error of a step, also one that a function panicked with because it returns none.
func (r *caseRun) take(s step) (err error) {
	defer func() {
		if p := recover(); p == errThrown {
			err = errThrown
		} else if p != nil {
			panic(p)
		}
	}()
	for _, kind := range []func(step) (error, bool){r.load, r.choose, r.callbacks, r.run} {
		if err, known := kind(s); known {
			return err
		}
	}
	r.t.Fatalf("no such step: %s", s.Do)
	return nil
}

func (r *caseRun) callbacks(s step) (error, bool) {
	switch {
	case s.Do == "custom_operator" && s.Handler == "":
		return r.m.RemoveCustomOperator(s.Name), true
	case s.Do == "custom_operator":
		h := handlerOf(s.Handler, r.m)
		h.Outputs = s.Outputs
		return r.m.SetCustomOperator(s.Name, h), true
	case s.Do == "progress" && s.Handler == "":
		return r.m.SetProgress(nil), true
	case s.Do == "progress":
		return r.m.SetProgress(func(p Progress) error {
			r.watched = []any{p.Done, p.Total}
			return map[string]error{"cancel": ErrCancelled, "throw": errThrown}[s.Handler]
		}), true
	case s.Do == "log" && s.Handler == "":
		return r.m.SetLog(SeverityNote, nil), true
	case s.Do == "log":
		return r.m.SetLog(SeverityNote, func(Severity, string) {
			if s.Handler == "throw" {
				panic(errThrown)
			}
			r.logged++
		}), true
	}
	return nil, false
}

func (r *caseRun) run(s step) (error, bool) {
	switch s.Do {
	case "infer":
		return r.m.Infer(), true
	case "look":
		return r.look(), true
	case "export_file":
		target := filepath.Join(r.folder, "model.onnx")
		if s.Path != "" {
			target = filepath.Join(r.folder, s.Path)
		}
		err := r.m.ExportFile(target)
		for key, file := range map[string]string{"sha256": target, "data_sha256": target + ".data"} {
			if data, missing := os.ReadFile(file); missing == nil {
				r.found[key] = digest(data)
				os.Remove(file)
			}
		}
		if left, _ := os.ReadDir(r.folder); len(left) != 0 {
			return fmt.Errorf("the export left %v", left), true
		}
		return err, true
	case "export_memory":
		data, err := r.m.Bytes()
		r.found["sha256"] = digest(data)
		return err, true
	case "export_stream":
		if s.Throw {
			_, err := r.m.WriteTo(brokenWriter{})
			return err, true
		}
		var b bytes.Buffer
		n, err := r.m.WriteTo(&b)
		if err == nil && n != int64(b.Len()) {
			err = errors.New("WriteTo miscounts")
		}
		r.found["sha256"] = digest(b.Bytes())
		return err, true
	}
	return nil, false
}

func tensors(all []Tensor) []any {
	list := []any{}
	for _, t := range all {
		var dims any
		if t.Dims != nil {
			values := []any{}
			for _, d := range t.Dims {
				switch {
				case d.Size >= 0:
					values = append(values, d.Size)
				case d.Name != "":
					values = append(values, d.Name)
				default:
					values = append(values, nil)
				}
			}
			dims = values
		}
		list = append(list, map[string]any{"name": t.Name, "dtype": t.DType.String(), "dims": dims})
	}
	return list
}

func (r *caseRun) look() error {
	params, operators := []any{}, []any{}
	for i, p := range r.m.Params() {
		data, err := r.m.ReadParam(i)
		if err != nil || uint64(len(data)) != p.Bytes {
			return fmt.Errorf("ReadParam: %d bytes, %v", len(data), err)
		}
		params = append(params, map[string]any{"name": p.Name, "dtype": p.DType.String(), "dims": p.Dims, "used": p.Used, "sha256": digest(data)})
	}
	for _, o := range r.m.Operators() {
		operators = append(operators, map[string]any{"name": o.Name, "uses": o.Uses, "supported": o.Supported})
	}
	w := r.m.Written()
	r.found["inputs"], r.found["outputs"] = tensors(r.m.Inputs()), tensors(r.m.Outputs())
	variables := []any{}
	for _, v := range r.m.Variables() {
		variables = append(variables, map[string]any{"name": v.Name, "kind": []string{"INPUT", "WEIGHT", "UNUSED"}[v.Kind]})
	}
	r.found["variables"] = variables
	r.found["params"], r.found["operators"] = params, operators
	r.found["written"] = map[string]any{"opset": w.Opset, "nodes": w.Nodes, "bytes": w.Bytes}
	return nil
}

func (r *caseRun) diagnostics() []any {
	list := []any{}
	severities := []string{"ERROR", "WARNING", "NOTE", "DEBUG"}
	for _, d := range r.m.Diagnostics() {
		name := d.Name
		if name != "" {
			name = path.Base(name)
		}
		list = append(list, map[string]any{"severity": severities[d.Severity], "status": d.Status.String(), "node": d.Node, "op": d.Op,
			"attribute": d.Attribute, "name": name})
	}
	return list
}

func (r *caseRun) step(s step) {
	r.found, r.logged, r.watched = map[string]any{}, 0, nil
	err := r.take(s)
	var failure *Error
	switch {
	case err == nil:
		r.found["status"] = "OK"
	case errors.Is(err, errThrown):
		r.found["status"] = "THROWN"
	case errors.As(err, &failure) && errors.Is(err, failure.Status):
		r.found["status"] = failure.Status.String()
	default:
		r.t.Fatalf("%s: %v", s.Do, err)
	}
	r.found["diagnostics"], r.found["log"], r.found["progress"] = r.diagnostics(), r.logged, r.watched
	plain, _ := json.Marshal(r.found)
	var found map[string]any
	json.Unmarshal(plain, &found)
	for key, wanted := range s.Expect {
		if !reflect.DeepEqual(found[key], wanted) {
			r.t.Errorf("%s: %s is %v instead of %v (%v)", s.Do, key, found[key], wanted, err)
		}
	}
}

func TestSharedCasesHold(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(casesFolder, "cases.json"))
	if err != nil {
		t.Skip("the cases are in the repository only")
	}
	var all struct {
		Cases []struct {
			Name  string
			Steps []step
		}
	}
	if err := json.Unmarshal(data, &all); err != nil || len(all.Cases) == 0 {
		t.Fatal(err)
	}
	for _, c := range all.Cases {
		t.Run(c.Name, func(t *testing.T) {
			m, err := New()
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			r := &caseRun{t: t, m: m, folder: t.TempDir()}
			for _, s := range c.Steps {
				r.step(s)
			}
		})
	}
}
