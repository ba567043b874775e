"""A custom operator, a named dim, everything in memory: python example.py

The net is relu -> Custom(op_type="my_leaky", slope=0.25) -> tanh; a model of your own has files in place of the text."""

import json

import mx2onnx

SYMBOL = json.dumps(
    {
        "nodes": [
            {"op": "null", "name": "data", "inputs": []},
            {"op": "relu", "name": "r", "inputs": [[0, 0, 0]]},
            {"op": "Custom", "name": "c", "attrs": {"op_type": "my_leaky", "slope": "0.25"}, "inputs": [[1, 0, 0]]},
            {"op": "tanh", "name": "t", "inputs": [[2, 0, 0]]},
        ],
        "arg_nodes": [0],
        "heads": [[3, 0, 0]],
    }
)


@mx2onnx.custom_operator("my_leaky")
def my_leaky(node: mx2onnx.Node) -> mx2onnx.Result:
    """As ONNX: one node, the value of the only output."""
    result: mx2onnx.Result = node.add("LeakyRelu", node.inputs[0], alpha=float(node.attributes["slope"]))
    return result


@my_leaky.infer
def shapes(node: mx2onnx.Node) -> None:
    node.set_output(0, like=0)


with mx2onnx.Model() as model:
    model.load_symbol(SYMBOL)
    model.set_input_shape("data", ("batch", 4))
    model.add_custom_operator(my_leaky)
    try:
        data = model.export_bytes()
    except mx2onnx.UnsupportedError as e:
        for d in e.diagnostics:
            print(d.node, d.message, d.advice)
        raise
    print(len(data), "bytes;", model.report["written"]["nodes"], "nodes")
    print(model.graph_text())
