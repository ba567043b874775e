# SPDX-License-Identifier: Apache-2.0
"""Operators of the caller: handlers in Python, what they see, what they may do wrong."""
import io
import json
import zipfile

import mx2onnx
import pytest

np = pytest.importorskip("numpy")
onnx = pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")


def symbol(inputs=1, **attributes):
    """relu -> Custom(op_type=my_leaky) -> tanh; further inputs of the operator are parameters w1, w2, ..."""
    nodes = [{"op": "null", "name": "data", "inputs": []}, {"op": "relu", "name": "r", "inputs": [[0, 0, 0]]}]
    extra = [{"op": "null", "name": "w%d" % i, "inputs": []} for i in range(1, inputs)]
    nodes += extra
    nodes.append({"op": "Custom", "name": "c", "attrs": dict({"op_type": "my_leaky", "slope": "0.25"}, **attributes),
                  "inputs": [[1, 0, 0]] + [[2 + i, 0, 0] for i in range(len(extra))]})
    nodes.append({"op": "tanh", "name": "t", "inputs": [[len(nodes) - 1, 0, 0]]})
    return json.dumps({"nodes": nodes, "arg_nodes": [0] + [2 + i for i in range(len(extra))],
                       "heads": [[len(nodes) - 1, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}})


def loaded(*arguments, **more):
    model = mx2onnx.Model()
    model.load_symbol(symbol(*arguments, **more))
    model.set_input_shape("data", ("n", 4))
    return model


@mx2onnx.custom_operator("my_leaky")
def negated(node):
    """What it computes differs from all around it: -slope * x."""
    return node.add("Mul", node.inputs[0], -float(node.attributes["slope"]))


X = np.array([[1, -2, 3, 0.5], [0, 8, -1, 2]], np.float32)


def run(data, x=X):
    onnx.checker.check_model(onnx.load_from_string(data), full_check=True)
    return ort.InferenceSession(data, providers=["CPUExecutionProvider"]).run(None, {"data": x})[0]


WANT = np.tanh(-0.25 * np.maximum(X, 0))


@pytest.mark.parametrize("form", ["list", "dict", "function", "pair", "class", "object"])
def test_handlers_may_be_classes_or_functions(form, tmp_path):
    class Handler:
        outputs = 1

        def infer(self, node):
            node.set_output(0, like=0)

        def lower(self, node):
            return negated(node)

    given = {"list": [negated], "dict": {"my_leaky": negated}, "function": {"my_leaky": negated.lower},
             "pair": {"my_leaky": (lambda node: node.set_output(like=0), negated.lower)},
             "class": {"my_leaky": Handler}, "object": {"my_leaky": Handler()}}[form]
    target = mx2onnx.export_model(symbol(), [], [(2, 4)], onnx_file_path=str(tmp_path / "x.onnx"), custom_operators=given)
    with open(target, "rb") as f:
        np.testing.assert_allclose(run(f.read()), WANT, rtol=1e-6)
    with pytest.raises(TypeError):
        mx2onnx.export_model(symbol(), [], [(2, 4)], onnx_file_path=str(tmp_path / "y.onnx"), custom_operators={"my_leaky": 7})


def test_a_node_has_its_name_attributes_and_inputs():
    seen = []
    with loaded(2, colour="red") as m:
        m.set_param("w1", np.arange(4, dtype=np.float32))
        m.opset = 15

        @m.custom_operator("my_leaky")
        def lower(node):
            seen.append((node.name, node.operator, node.opset, node.domain, node.output_count, dict(node.attributes)))
            seen.append([(i.name, i.dtype, i.shape, i.stored_dtype, i.nbytes) for i in node.inputs])
            assert node.inputs[1].numpy().tolist() == [0, 1, 2, 3] and len(node.inputs[1].bytes()) == 16
            with pytest.raises(ValueError, match="'r' is not a parameter"):
                node.inputs[0].bytes()
            with pytest.raises(TypeError):
                node.attributes["slope"] = "1"
            seen.append(node)
            return node.add("Add", *node.inputs)

        x = run(m.export_bytes())
        np.testing.assert_allclose(x, np.tanh(np.maximum(X, 0) + np.arange(4)), rtol=1e-6)
    assert seen[0] == ("c", "my_leaky", 15, None, 1, {"op_type": "my_leaky", "slope": "0.25", "colour": "red"})
    assert seen[1] == [("r", "float32", (mx2onnx.Dim(0, 0), 4), None, 0), ("w1", "float32", (4,), "float32", 16)]
    for call in (lambda: seen[2].add("Relu", seen[2].inputs[0]), lambda: seen[2].inputs[1].bytes(), lambda: seen[2].set_output(like=0)):
        with pytest.raises(ValueError, match="used after its handler returned"):
            call()


def test_a_handler_can_give_shapes_types_and_another_domain():
    """(n, 4) -> (n, 2) float16: dim n is the input's; attributes keep their kinds."""
    with loaded() as m:
        @m.custom_operator("my_leaky")
        def lower(node):
            return node.add("Halve", node.inputs[0], None, node.constant([0.5]), domain="com.example",
                            axes=(0, 1), scale=np.array([0.5, 1.0]), mode="fast", factor=1.0, count=np.int64(3))

        @lower.infer
        def infer(node):
            node.set_output(0, dtype="float16", shape=(node.inputs[0].shape[0], 2))

        graph = m.graph_text()
        assert ('c = com.example::Halve(r, -, c/const) {axes=[0, 1], scale=[0.5, 1], mode="fast", factor=1, count=3}'
                ' : float16 (n, 2)') in graph
        proto = onnx.load_from_string(m.export_bytes())
        node = next(n for n in proto.graph.node if n.op_type == "Halve")
        kinds = {a.name: a.type for a in node.attribute}
        A = onnx.AttributeProto
        assert kinds == {"axes": A.INTS, "scale": A.FLOATS, "mode": A.STRING, "factor": A.FLOAT, "count": A.INT}


@pytest.mark.parametrize("value,want", [(2.0, 2), ([1.0, 2.0, 3.0, 4.0], [1, 2, 3, 4]), (np.full((1, 4), 3, np.float32), 3),
                                        ((b"\0\0\x80\x3f", "float32", (1,)), 1)])
def test_a_handler_writes_constants_of_every_type(value, want):
    with loaded() as m:
        @m.custom_operator("my_leaky")
        def lower(node):
            c = node.constant(*value) if isinstance(value, tuple) else node.constant(value)
            return node.add("Mul", node.inputs[0], c)

        np.testing.assert_allclose(run(m.export_bytes()), np.tanh(np.maximum(X, 0) * np.array(want, np.float32)), rtol=1e-6)


def test_a_handler_may_have_several_outputs():
    nodes = json.loads(symbol())
    nodes["heads"] = [[2, 0, 0], [2, 1, 0]]
    with mx2onnx.Model() as m:
        m.load_symbol(json.dumps(nodes))
        m.set_input_shape("data", (2, 4))

        @m.custom_operator("my_leaky", outputs=2)
        def lower(node):
            return node.add("Neg", node.inputs[0]), node.add("Abs", node.inputs[0])

        assert [o.shape for o in (m.infer(), m.outputs)[1]] == [(2, 4), (2, 4)]
        a, b = ort.InferenceSession(m.export_bytes()).run(None, {"data": X})
        assert (a == -np.maximum(X, 0)).all() and (b == np.maximum(X, 0)).all()

        @m.custom_operator("my_leaky", outputs=2)
        def split(node):
            return node.add("Split", node.inputs[0], node.constant([1, 1]), outputs=2, axis=0)

        @split.infer
        def _(node):
            for i in range(2):
                node.set_output(i, shape=(1, 4))

        # infer is set after the handler was registered, and counts
        a, b = ort.InferenceSession(m.export_bytes()).run(None, {"data": X})
        assert a.tolist() == [[1, 0, 3, 0.5]] and b.tolist() == [[0, 8, 0, 2]]


class Oops(BaseException):
    pass


@pytest.mark.parametrize("where", ["infer", "lower"])
@pytest.mark.parametrize("how", ["export", "export_bytes", "infer", "graph_text"])
def test_an_exception_comes_out_unchanged(where, how, tmp_path):
    error = Oops("mine")

    def bad(node):
        raise error

    if (where, how) == ("lower", "infer"):
        how = "export"
    with loaded() as m:
        m.add_custom_operator(mx2onnx.CustomOperator("my_leaky", bad if where == "lower" else negated.lower,
                                                     bad if where == "infer" else None))
        with pytest.raises(Oops) as e:
            getattr(m, how)(*([tmp_path / "x.onnx"] if how == "export" else []))
        assert e.value is error and list(tmp_path.iterdir()) == []
        m.add_custom_operator(negated)
        np.testing.assert_allclose(run(m.export_bytes()), WANT, rtol=1e-6)
        m.remove_custom_operator("my_leaky")
        with pytest.raises(mx2onnx.UnsupportedError, match="my_leaky.*Model.custom_operator"):
            m.export_bytes()


def test_fail_names_the_node():
    with loaded() as m:
        @m.custom_operator("my_leaky")
        def lower(node):
            node.fail("slopes under 1 are not for us")

        with pytest.raises(mx2onnx.UnsupportedError, match="'c'.*slopes under 1") as e:
            m.export_bytes()
        (d,) = [d for d in e.value.diagnostics if d.severity == "error"]
        assert (d.node, d.status) == ("c", "UNSUPPORTED") and e.value.status == "UNSUPPORTED"


def test_calls_that_are_refused_in_a_handler_raise_errors():
    with loaded() as m:
        @m.custom_operator("my_leaky")
        def lower(node):
            return node.add("NoSuchOperator", node.inputs[0])

        with pytest.raises(mx2onnx.Error, match="'c'.*Node.add: ONNX has no operator 'NoSuchOperator'"):
            m.export_bytes()

        @m.custom_operator("my_leaky")
        def again(node):
            with pytest.raises(mx2onnx.InvalidArgumentError):
                m.opset = 13
            with pytest.raises(mx2onnx.InvalidArgumentError):
                m.export_bytes()
            m.close()  # the model is in use; see below
            return negated(node)

        with pytest.raises(mx2onnx.InvalidArgumentError, match="in use"):
            m.export_bytes()


def test_each_way_gives_the_same_bytes(tmp_path):
    """Files, bytes, file objects and pieces: one result; and what a file object raises comes out."""
    with loaded() as m:
        m.add_custom_operator(negated)
        want = m.export_bytes()
        m.export(tmp_path / "a.onnx")
        assert (tmp_path / "a.onnx").read_bytes() == want
        with open(tmp_path / "b.onnx", "wb", buffering=0) as f:
            assert m.export(f) is f
        assert (tmp_path / "b.onnx").read_bytes() == want

        class Trickle(io.RawIOBase):
            got = b""

            def write(self, data):
                self.got += bytes(data[:7])
                return min(7, len(data))

        t = Trickle()
        m.export(t)
        assert t.got == want
        with pytest.raises(io.UnsupportedOperation):
            with open(tmp_path / "b.onnx", "rb") as f:
                m.export(f)


def test_a_model_is_loaded_from_bytes_and_files(digits, tmp_path):
    with mx2onnx.Model(digits.symbol) as m:
        want = m.export_bytes()
    with open(digits.symbol, "rb") as s, open(digits.params, "rb") as p:
        data, params = s.read(), p.read()
        for sym, par in ((data, params), (s, p), (bytearray(data), memoryview(params)), (io.BytesIO(data), io.BytesIO(params))):
            with mx2onnx.Model(sym) as m:
                m.load_params(par)
                assert m.export_bytes() == want
    with zipfile.ZipFile(tmp_path / "m.zip", "w") as z:
        z.write(digits.symbol, "digits-symbol.json")
        z.write(digits.params, "digits-0000.params")
    with open(tmp_path / "m.zip", "rb") as f:
        for source in (f, (tmp_path / "m.zip").read_bytes(), tmp_path / "m.zip"):
            with mx2onnx.Model(source) as m:
                assert len(m.export_bytes()) == len(want)

    class Broken(io.BytesIO):
        def read(self, n=-1):
            raise Oops("cable")

    with pytest.raises(Oops, match="cable"):
        mx2onnx.Model(Broken(data))
    with pytest.raises(mx2onnx.FormatError):
        mx2onnx.Model(b"{]")


def test_errors_have_types_and_speak_python(digits, tmp_path):
    assert issubclass(mx2onnx.NotFoundError, mx2onnx.Error)
    with mx2onnx.Model(digits.symbol) as m:
        with pytest.raises(mx2onnx.NotFoundError):
            m.set_input_shape("nosuch", (1,))
        with pytest.raises(mx2onnx.InvalidArgumentError):
            m.opset = 99
        with pytest.raises(mx2onnx.NotFoundError, match="its folder does not exist"):
            m.export(tmp_path / "no" / "such.onnx")
        m.set_progress(lambda p: True)
        with pytest.raises(mx2onnx.CancelledError):
            m.export(tmp_path / "x.onnx")


def test_every_function_in_a_message_is_pythons():
    """The library's advice names functions of the C header; the names that Python shows in their place exist."""
    import re
    from conftest import ROOT
    import os

    from mx2onnx import _errors
    names = set()
    for folder in ("lib", "ops"):
        for path, _, files in os.walk(os.path.join(ROOT, folder)):
            for name in files:
                if name.endswith((".c", ".h")):
                    with open(os.path.join(path, name), encoding="utf-8") as f:
                        for text in re.findall(r'"((?:\\.|[^"\\\n])*)"', f.read()):
                            names.update(re.findall(r"\bmx2onnx_[a-z]\w+", text))
    names -= {"mx2onnx_version", "mx2onnx_status_name"}  # in code that makes C
    names -= {"mx2onnx_set_option", "mx2onnx_set_text"}  # the option's own name follows
    names -= {"mx2onnx_file"}  # a key in a model's metadata
    assert "mx2onnx_add_output" in names
    options = re.findall(r"MX2ONNX_(?:OPTION|TEXT)_\w+", open(os.path.join(ROOT, "include", "mx2onnx.h"), encoding="utf-8").read())
    assert len(set(options)) > 20
    for option in options:
        owner, _, attribute = _errors.text_of(option.encode()).split(" (")[0].partition(".")
        assert owner == "Model" and hasattr(mx2onnx.Model, attribute), option
    for name in names:
        word = _errors.text_of(name.encode()).split(" (")[0]  # (export_model: its argument)
        owner, _, attribute = word.rpartition(".")
        found = getattr(mx2onnx, owner) if owner else mx2onnx
        assert hasattr(found, attribute.rstrip("()")) or owner in ("Param", "Input"), (name, word)


def test_the_number_of_outputs_may_depend_on_the_node(tmp_path):
    seen = []

    def count(node):
        seen.append((node.name, node.operator, [i.name for i in node.inputs]))
        return int(node.attributes["n"])

    @mx2onnx.custom_operator("mine", outputs=count)
    def mine(node):
        assert node.output_count == 2
        return [node.add("Relu", node.inputs[0]), node.add("Neg", node.inputs[0])]

    symbol = {"nodes": [{"op": "null", "name": "x", "inputs": []}, {"op": "Custom", "name": "c", "attrs": {"op_type": "mine", "n": "2"}, "inputs": [[0, 0, 0]]}],
              "arg_nodes": [0], "heads": [[1, 0, 0], [1, 1, 0]]}
    with mx2onnx.Model(json.dumps(symbol).encode()) as m:
        m.set_input_shape("x", (2, 4))
        m.add_custom_operator(mine)
        assert m.export_bytes() and len(m.outputs) == 2 and seen[0] == ("c", "mine", ["x"])
        mine.outputs = lambda node: 1 / 0
        m.add_custom_operator(mine)
        with pytest.raises(ZeroDivisionError):
            m.export_bytes()
        m.remove_custom_operator()
        with pytest.raises(mx2onnx.UnsupportedError):
            m.export_bytes()


def test_a_known_operator_needs_an_override():
    symbol = {"nodes": [{"op": "null", "name": "x", "inputs": []}, {"op": "relu", "name": "r", "inputs": [[0, 0, 0]]}], "arg_nodes": [0], "heads": [[1, 0, 0]]}
    with mx2onnx.Model(json.dumps(symbol).encode()) as m:
        m.set_input_shape("x", (2, 4))
        m.add_custom_operator(mx2onnx.CustomOperator("relu", lambda node: node.add("Elu", node.inputs[0])))
        with pytest.raises(mx2onnx.InvalidArgumentError):
            m.export_bytes()
        m.add_custom_operator(mx2onnx.CustomOperator("relu", lambda node: node.add("Elu", node.inputs[0]), overrides=True))
        assert "Elu" in m.graph_text()


def failure(lower):
    with loaded() as model:
        model.add_custom_operator(mx2onnx.custom_operator("my_leaky")(lower))
        with pytest.raises(mx2onnx.Error) as e:
            model.export_bytes()
    return str(e.value)


def test_unknown_attributes_of_onnx_are_refused():
    """It was written, and the file was refused by every runtime."""
    text = failure(lambda node: node.add("LeakyRelu", node.inputs[0], slope=0.3))
    assert "ONNX's LeakyRelu has no attribute 'slope' in its newest form, which handlers write: its attributes are alpha" in text
    assert "ONNX's Relu has no attribute 'alpha' in its newest form, which handlers write: it has none" in failure(lambda node: node.add("Relu", node.inputs[0], alpha=0.3))


@pytest.mark.parametrize("op, attributes, words", [
    ("Cast", {}, "node 'c' (Custom): 'to' is missing, but ONNX's Cast needs it"),
    ("Cast", {"to": "float16"}, "'to' is \"float16\", but ONNX has numbers for element types; write 10, which is onnx.TensorProto's number"),
    ("LpPool", {"kernel_shape": 1}, "'kernel_shape' is 1, but must be a list of integers in ONNX's LpPool"),
    ("Gelu", {"approximate": "erf"}, "'approximate' is \"erf\", which ONNX's Gelu does not have"),
])
def test_attributes_of_another_form_are_refused(op, attributes, words):
    assert words in failure(lambda node: node.add(op, node.inputs[0], **attributes))


def test_shapes_must_fit_together():
    text = failure(lambda node: node.add("Add", node.inputs[0], np.zeros(3, np.float32)))
    assert "node 'c' (Custom): input 1 of ONNX's Add has shape (3,), which cannot be broadcast to (n, 4)" in text
    assert "ONNX's MatMul of shapes (n, 4) and (3, 2) multiplies rows of 4 with columns of 3" in failure(
        lambda node: node.add("MatMul", node.inputs[0], np.zeros((3, 2), np.float32)))


def test_unknown_operators_of_onnx_are_refused():
    assert "ONNX has no operator 'LeakyRelux'; see onnx.ai" in failure(lambda node: node.add("LeakyRelux", node.inputs[0]))


def test_a_handler_may_not_write_another_rank_than_it_declares():
    """It was called an internal error; it is the handler's."""
    text = failure(lambda node: node.add("Shape", node.inputs[0]))
    assert "its handler writes output 0 as int64 of rank 1, but declares float32 of rank 2" in text and "infer" in text


def test_a_handler_may_not_write_another_size_than_it_declares():
    """No runtime loaded the file."""
    text = failure(lambda node: node.add("ReduceMax", node.inputs[0], np.array([1]), keepdims=1))
    assert "its handler writes output 0 with shape (n, 1), but declares (n, 4)" in text and "infer" in text


def test_an_infer_function_must_declare_the_shape():
    """The shapes of the model's inputs were asked for, though they are known."""
    with loaded() as model:
        model.add_custom_operator(mx2onnx.CustomOperator("my_leaky", negated.lower, lambda node: None))
        with pytest.raises(mx2onnx.Error) as e:
            model.export_bytes()
    text = str(e.value)
    assert "the infer function of its handler does not declare the shape of output 0; declare both, shape and type" in text


def test_a_handler_may_not_declare_a_number_for_a_name():
    """What follows was written for that number alone; builds with assertions stopped with an internal error."""
    handler = mx2onnx.custom_operator("op")(lambda node: node.add("Relu", node.inputs[0]))
    handler.infer(lambda node: node.set_output(0, dtype="float32", shape=(2, 4)))
    graph = {"nodes": [{"op": "null", "name": "x", "inputs": []},
                       {"op": "Custom", "name": "y", "attrs": {"op_type": "op"}, "inputs": [[0, 0, 0]]},
                       {"op": "mean", "name": "z", "attrs": {"axis": "0"}, "inputs": [[1, 0, 0]]}],
             "arg_nodes": [0], "heads": [[2, 0, 0]]}
    with mx2onnx.Model() as m:
        m.load_symbol(json.dumps(graph).encode())
        m.set_input_shape("x", ("n", 4))
        m.add_custom_operator(handler)
        with pytest.raises(mx2onnx.UnsupportedError, match=r"'y' .*shape \(n, 4\), but declares \(2, 4\)"):
            m.export_bytes()


def test_handlers_must_be_a_dict(tmp_path):
    with pytest.raises(TypeError, match="a dict of op_type to a handler"):
        mx2onnx.export_model(symbol(), [], [(2, 4)], onnx_file_path=str(tmp_path / "x.onnx"), custom_operators=lambda node: node)


@pytest.mark.parametrize("what", ["input", "result"])
def test_values_of_another_call_are_refused(what):
    kept = []

    def handler(node):
        y = node.add("Relu", kept[0] if kept else node.inputs[0])
        kept.append(node.inputs[0] if what == "input" else y)
        return y

    for _ in range(2):  # of two models, whose values may have the same numbers
        with loaded() as m:
            m.custom_operator("my_leaky")(handler)
            if not kept:
                m.export_bytes()
                continue
            with pytest.raises(ValueError, match="used after its handler returned"):
                m.export_bytes()
