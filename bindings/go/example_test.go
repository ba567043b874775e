package mx2onnx_test

import (
	"fmt"
	"log"
	"os"

	"github.com/mx2onnx/libmx2onnx/bindings/go"
)

func Example() {
	m, err := mx2onnx.Open("../../examples/digits/digits-symbol.json")
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	if err := m.SetInputShape("data", mx2onnx.Named("batch"), mx2onnx.Size(1), mx2onnx.Size(8), mx2onnx.Size(8)); err != nil {
		log.Fatal(err)
	}
	data, err := m.Bytes() // or m.ExportFile(path), m.WriteTo(w)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(data) > 50000, m.Outputs()[0].Name, m.Outputs()[0].Dims)
	// Output: true softmax [{-1 batch} {10 }]
}

// An operator of one's own, and a model from memory.
func ExampleModel_SetCustomOperator() {
	symbol, err := os.ReadFile("../cases/leaky-symbol.json") // x -> Custom(op_type="leaky", slope=0.25) -> tanh
	if err != nil {
		log.Fatal(err)
	}
	m, err := mx2onnx.New()
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	leaky := mx2onnx.Handler{
		Infer: func(n *mx2onnx.Node) error { return n.SetOutputLike(0, 0) },
		Lower: func(n *mx2onnx.Node) error {
			slope, ok := n.Attribute("slope")
			if !ok {
				return n.Fail("a leaky needs a slope")
			}
			y, err := n.Add("LeakyRelu", "", []mx2onnx.Value{n.Input(0)}, `{"alpha": `+slope+`}`, 1)
			if err != nil {
				return err
			}
			return n.SetResult(0, y[0])
		},
	}
	for _, err := range []error{
		m.LoadSymbolBytes(symbol),
		m.SetCustomOperator("leaky", leaky),
		m.SetInputShape("x", mx2onnx.Named("n"), mx2onnx.Size(4)),
	} {
		if err != nil {
			log.Fatal(err)
		}
	}
	if _, err := m.Bytes(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Written().Nodes, "nodes")
	// Output: 2 nodes
}
