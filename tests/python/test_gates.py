# SPDX-License-Identifier: Apache-2.0
"""Parameters of recurrent layers that a file has gate by gate, as mx.rnn.save_rnn_checkpoint writes them."""
import itertools
import json
import os

import mx2onnx
import numpy as np
import onnx
import pytest

GATES = "ifco"


def symbol(*nodes):
    """Variables are names, operators pairs of an operator and its inputs."""
    made = []
    for n in nodes:
        if isinstance(n, str):
            made.append({"op": "null", "name": n, "inputs": []})
        else:
            op, inputs, attrs = n
            made.append({"op": op, "name": "n%d" % len(made), "attrs": attrs, "inputs": [[i, 0, 0] for i in inputs]})
    read = {i for n in made for i, *_ in n["inputs"]}
    return json.dumps({"nodes": made, "arg_nodes": [i for i, n in enumerate(made) if n["op"] == "null"],
                       "heads": [[i, 0, 0] for i, n in enumerate(made) if i not in read and n["op"] != "null"],
                       "attrs": {"mxnet_version": ["int", 10901]}})


DENSE = symbol("data", "a_i2h_weight", ("FullyConnected", (0, 1), {"num_hidden": "8", "no_bias": "True"}))
ROWS = {q: np.arange(6, dtype=np.float32).reshape(2, 3) + 6 * i for i, q in enumerate(GATES)}


def arrays(of=ROWS):
    return {"a_i2h_%s_weight" % q: a for q, a in of.items()}


def dense(params):
    m = mx2onnx.Model()
    m.load_symbol(DENSE)
    m.load_params(params)
    m.set_input_shape("data", (1, 3))
    return m


def weight(m):
    return onnx.numpy_helper.to_array(onnx.load_from_string(m.export_bytes()).graph.initializer[0])


def test_inference_is_cancelled_at_any_call():
    """A cancelled search was once an array that no file has: names of a megabyte make the library ask in the midst of it."""
    nodes, values = ["data", "state"], {"state": np.zeros((1, 1, 2), np.float32)}
    for v in range(2):
        stem = "ab"[v] * (600000 + 17000 * v)
        nodes += [stem + "parameters", ("RNN", (0, len(nodes), 1), {"mode": "rnn_tanh", "state_size": "2", "num_layers": "1"})]
        values.update({"%sl0_%s_%s" % (stem, g, k): np.ones((2, 2) if k == "weight" else 2, np.float32)
                       for k in ("weight", "bias") for g in ("i2h", "h2h")})
    with mx2onnx.Model() as m:
        m.load_symbol(symbol(*nodes))
        m.load_params(values)
        m.set_input_shape("data", (2, 1, 2))
        ended = 0
        for end in itertools.count(1):
            calls = itertools.count(1)
            m.set_progress(lambda _: next(calls) == end)
            try:
                m.infer()
                break
            except mx2onnx.CancelledError:
                ended += 1
        assert ended > 10, ended


def test_values_that_are_set_take_the_place_of_gates(tmp_path):
    """Looks show what an export does: the array that was joined, one that was set instead, another gate, and one without its gates."""
    def used(m):
        return sorted(n for n, p in m.params.items() if p.used)

    with dense(arrays()) as m:
        gates = sorted(arrays())
        assert used(m) == gates and (weight(m) == np.concatenate(list(ROWS.values()))).all()
        assert [i.name for i in m.inputs] == ["data"]
        m.set_param("a_i2h_weight", np.ones((8, 3), np.float32))
        assert used(m) == ["a_i2h_weight"]
        assert (weight(m) == 1).all() and used(m) == ["a_i2h_weight"]
        m.remove_param("a_i2h_weight")
        assert used(m) == gates
        m.set_param("a_i2h_f_weight", np.full((2, 3), 7, np.float32))
        assert used(m) == gates and (weight(m)[2:4] == 7).all() and (weight(m)[4:] == np.concatenate([ROWS["c"], ROWS["o"]])).all()


def test_a_joined_array_is_not_a_part_of_another():
    """The second layer of p_parameters is a variable, too, whose gates the file has; the vector has the first layer alone."""
    text = symbol("data", "p_l1_i2h_weight", ("FullyConnected", (0, 1), {"num_hidden": "8", "no_bias": "True"}), "p_parameters")
    nodes = dict(json.loads(text), heads=[[2, 0, 0], [3, 0, 0]])
    with mx2onnx.Model() as m:
        m.load_symbol(json.dumps(nodes))
        m.load_params(dict({"p_l1_i2h_%s_weight" % q: a for q, a in ROWS.items()},
                           **{"p_l0_%s_%s" % (g, k): np.ones(1, np.float32) for g in ("i2h", "h2h") for k in ("weight", "bias")}))
        m.set_input_shape("data", (1, 3))
        made = {i.name: list(i.dims) for i in onnx.load_from_string(m.export_bytes()).graph.initializer}
        assert sorted(made.values()) == [[4], [8, 3]]


@pytest.mark.parametrize("change,warning", [
    ({"o": ROWS["o"].astype(np.float64)}, "'a_i2h_o_weight' has another type or shape than 'a_i2h_i_weight'"),
    ({"f": ROWS["f"].T.copy()}, "'a_i2h_f_weight' has another type or shape than 'a_i2h_i_weight'"),
    ({"c": None}, "no file has 'a_i2h_c_weight'")])
def test_gates_that_do_not_fit_are_named(change, warning):
    values = arrays(dict(ROWS, **change))
    with dense({n: a for n, a in values.items() if a is not None}) as m:
        with pytest.raises(mx2onnx.MissingParameterError):
            m.export_bytes()
        assert [d.message for d in m.diagnostics if d.severity == "warning" and d.name == "a_i2h_weight"] \
            == ["'a_i2h_weight' cannot be joined from the arrays of its gates: " + warning]


def test_the_file_is_changed_meanwhile(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, **arrays())
    with dense(path) as m:
        assert len(m.inputs) == 1
        os.truncate(path, 100)
        with pytest.raises(mx2onnx.FileError, match="the parameter file was changed, shortened or removed"):
            m.export(str(tmp_path / "a.onnx"))
    assert os.listdir(tmp_path) == ["a.npz"]


def test_a_handler_reads_the_joined_array():
    with dense(arrays()) as m:
        @m.custom_operator("FullyConnected", overrides=True)
        def lower(node):
            value = node.inputs[1]
            joined = np.concatenate(list(ROWS.values()))
            assert (value.shape, value.nbytes, value.stored_dtype) == ((8, 3), 96, "float32")
            assert (value.numpy() == joined).all() and value.bytes() == joined.tobytes()
            return node.add("MatMul", node.inputs[0], node.constant(joined.T.copy()))

        @lower.infer
        def infer(node):
            node.set_output(0, dtype="float32", shape=(1, 8))

        assert (weight(m) == np.concatenate(list(ROWS.values())).T).all()


def test_a_value_with_a_prefix_is_taken_back():
    """The name that it had without the prefix is that of the joined array again."""
    with dense(arrays()) as m:
        m.param_prefix = "P_"
        m.set_param("P_a_i2h_weight", np.ones((8, 3), np.float32))
        assert m.params["P_a_i2h_weight"].used and (weight(m) == 1).all()
        m.remove_param("P_a_i2h_weight")
        assert all(p.used for p in m.params.values()) and (weight(m) == np.concatenate(list(ROWS.values()))).all()


@pytest.mark.parametrize("gates", ["ifco", "ifc"])
def test_gates_of_what_is_cut_off_are_not_used(gates):
    text = symbol("data", "w", ("FullyConnected", (0, 1), {"num_hidden": "4", "no_bias": "True"}), "a_i2h_weight",
                  ("FullyConnected", (2, 3), {"num_hidden": "8", "no_bias": "True"}))
    values = {"a_i2h_%s_weight" % q: np.ones((2, 4), np.float32) for q in gates}
    with mx2onnx.Model() as m:
        m.load_symbol(text)
        m.load_params(dict(values, w=np.ones((4, 3), np.float32)))
        m.set_input_shape("data", (1, 3))
        m.add_output("n2")
        m.export_bytes()
        assert [n for n, p in m.params.items() if p.used] == ["w"]
        assert not [d for d in m.diagnostics if "joined" in d.message]


def test_gates_do_not_show_that_names_are_those_of_the_graph():
    """save_parameters() wrote the other weight, so structural names are advised, whether or not they lead to a match."""
    text = symbol("data", "a_i2h_weight", ("FullyConnected", (0, 1), {"num_hidden": "8", "no_bias": "True"}), "net0_weight",
                  ("FullyConnected", (2, 3), {"num_hidden": "5", "no_bias": "True"}))
    with mx2onnx.Model() as m:
        m.load_symbol(text)
        m.load_params(dict(arrays(), **{"0.weight": np.ones((7, 7), np.float32)}))
        m.set_input_shape("data", (1, 3))
        m.structural_names = True
        assert [v.name for v in m.variables] == ["data", "net0_weight"]
        with pytest.raises(mx2onnx.MissingParameterError, match="net0_weight"):
            m.export_bytes()
        assert [v.name for v in m.variables] == ["data", "net0_weight"]


def test_a_gate_may_not_be_a_single_number():
    text = symbol("data", "a_i2h_weight", ("FullyConnected", (0, 1), {"num_hidden": "8", "no_bias": "True"}))
    with mx2onnx.Model() as m:
        m.load_symbol(text)
        m.load_params({"a_i2h_%s_weight" % q: np.array(1, np.float32) for q in GATES})
        m.set_input_shape("data", (1, 3))
        with pytest.raises(mx2onnx.MissingParameterError):
            m.export_bytes()
        assert any(d.message.endswith("'a_i2h_i_weight' is a single number") for d in m.diagnostics)


def test_a_vector_of_thousands_of_pieces_is_read_without_a_search():
    """Its elements are read in another order than that of the pieces: each was once searched for from the first piece on."""
    layers, numbers = 64, itertools.count()
    values = {"p_%s%d_%s_%s_%s" % (d, i, g, q, k): np.array([next(numbers)] * 2, np.float32)
              for k in ("weight", "bias") for i in range(layers) for d in "lr" for g in ("i2h", "h2h") for q in GATES}
    joined = np.concatenate(list(values.values()))
    nodes = ["p_parameters", ("Reshape", (0,), {"shape": "(2, -1)"}), ("transpose", (1,), {}), ("Reshape", (2,), {"shape": "(-1,)"})]
    with mx2onnx.Model() as m:
        m.load_symbol(symbol(*nodes))
        m.load_params(values)
        assert (weight(m) == joined.reshape(2, -1).T.ravel()).all()
