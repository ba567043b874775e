# SPDX-License-Identifier: Apache-2.0
"""The steps of bindings/cases, which every language takes."""
import hashlib
import io
import json
import os

import mx2onnx
import pytest
from conftest import ROOT

FOLDER = os.path.join(ROOT, "bindings", "cases")
with open(os.path.join(FOLDER, "cases.json"), encoding="utf-8") as f:
    CASES = json.load(f)["cases"]


def digest(data):
    return hashlib.sha256(data).hexdigest()


def path_of(file):
    return os.path.join(FOLDER, file)


def contents(file):
    with open(path_of(file), "rb") as f:
        return f.read()


class Thrown(Exception):
    pass


def throw(*_):
    raise Thrown("of the language")


def like(node):
    node.set_output(0, like=0)


def leaky(node):
    return node.add("LeakyRelu", node.inputs[0], alpha=float(node.attributes["slope"]))


def split_infer(node):
    shape = [d // 2 if axis == 1 else d for axis, d in enumerate(node.inputs[0].shape)]
    for output in range(node.output_count):
        node.set_output(output, node.inputs[0].dtype, shape)


def split(node):
    half = node.inputs[0].shape[1] // 2
    return node.add("Split", node.inputs[0], [half, half], outputs=2, axis=1)


def table(node):
    data = node.inputs[1].bytes()
    turned = b"".join(reversed([data[i : i + 4] for i in range(0, len(data), 4)]))
    return node.add("Mul", node.inputs[0], node.constant(turned, node.inputs[1].stored_dtype, (len(data) // 4,)))


def describe(node):
    parts = ["name=" + node.name, "operator=" + node.operator, "opset=%d" % node.opset, "domain=" + (node.domain or "")]
    parts += ["%s=%s" % item for item in node.attributes.items()] + ["outputs=%d" % node.output_count]
    for i in node.inputs:
        dims = ",".join("-1" if isinstance(d, mx2onnx.Dim) else str(d) for d in i.shape)
        parts.append("input=%s %s (%s) %s %d" % (i.name, i.dtype or "unknown", dims, i.stored_dtype or "unknown", i.nbytes))
    return node.add("Describe", node.inputs[0], domain=node.domain, text=";".join(parts))


class Reader(io.BytesIO):
    def read(self, n=-1):
        throw()


class Writer:
    write = staticmethod(throw)


ATTRIBUTES = ["param_prefix", "unknown_domain", "opset", "seed", "target", "trust_indices", "fsync", "keep_batch_norm", "initializers_as_inputs",
              "full_checksum"]


class Run:
    def __init__(self, folder):
        self.folder = folder
        self.model = m = mx2onnx.Model()
        self.do_input_dtype = lambda input, dtype: m.set_input_dtype(input, dtype)
        self.do_channels_last = lambda input, on: m.set_input_channels_last(input, on)
        self.do_channels_reversed = lambda input, on: m.set_input_channels_reversed(input, on)
        self.do_mean = lambda input, values: m.set_input_mean(input, values)
        self.do_scale = lambda input, values: m.set_input_scale(input, values)
        self.do_input_shape = lambda input, dims: m.set_input_shape(input, [None if d == -1 else d for d in dims])
        self.do_input_dim_name = m.set_input_dim_name
        self.do_add_output, self.do_rename, self.do_keep_float32 = m.add_output, m.rename, lambda name, keep: m.set_node_precision(name, "float32" if keep else "float16")
        self.do_infer = m.infer
        for name in ATTRIBUTES:
            setattr(self, "do_" + name, self.setter(name))

    def setter(self, attribute):
        return lambda **arguments: setattr(self.model, attribute, *arguments.values())

    def do_external_data(self, mode, threshold):
        self.model.external_data = mode.lower().replace("_", "-")
        self.model.external_threshold = threshold

    def do_float16(self, mode):
        self.model.float16 = mode != "OFF" and mode.lower()

    def do_option(self, which, value):
        setattr(self.model, which.lower(), value)

    def do_reset_option(self, which):
        delattr(self.model, which.lower())

    def do_load(self, file):
        self.model.load(path_of(file))

    def do_load_memory(self, file):
        self.model.load(contents(file))

    def do_load_callback(self, file, throw=False):
        self.model.load((Reader if throw else io.BytesIO)(contents(file)))

    def do_load_symbol(self, file):
        self.model.load_symbol(path_of(file))

    def do_load_symbol_memory(self, file):
        self.model.load_symbol(contents(file))

    def do_load_params(self, file):
        self.model.load_params(path_of(file))

    def do_load_params_memory(self, file):
        self.model.load_params(contents(file))

    def do_load_params_callback(self, file, throw=False):
        self.model.load_params((Reader if throw else io.BytesIO)(contents(file)))

    def do_load_catalogue(self, file):
        self.model.load_catalogue(path_of(file))

    def do_check_file(self, file):
        self.model.check_external_data(path_of(file))

    def do_load_net(self, name):
        self.model.load_net(name)
        return {"net": self.model.net_title}

    def do_identify_net(self):
        assert self.model.identify_net()

    def do_use_published(self, choice):
        self.model.use_published(choice.lower())

    def do_nets(self):
        return {"nets": [{"name": n, "text": t} for n, t in self.model.catalogue.items()]}

    def do_set_param(self, name, dtype, dims, bytes):
        np = pytest.importorskip("numpy")
        self.model.set_param(name, np.array(bytes, np.uint8).view(dtype).reshape(dims))

    def do_log(self, handler):
        def collect(level, message):
            self.lines += 1

        self.model.set_log({"collect": collect, "throw": throw, None: None}[handler])

    def do_progress(self, handler):
        def watch(progress):
            self.watched = [progress.done, progress.total]

        self.model.set_progress({"cancel": lambda *_: True, "throw": throw, "watch": watch, None: None}[handler])

    def busy(self, node):
        with pytest.raises(mx2onnx.InvalidArgumentError):
            self.model.opset = 13
        assert self.model.inputs == []
        like(node)

    def do_custom_operator(self, name, handler, outputs):
        if handler is None:
            self.model.remove_custom_operator(name)
            return
        infer, lower = {
            "leaky": (None, leaky), "split2": (split_infer, split), "table": (like, table), "describe": (like, describe),
            "refuse": (lambda node: node.fail("refused on purpose"), leaky), "throw in infer": (throw, leaky),
            "throw in lower": (like, throw), "busy": (self.busy, leaky), "shape only": (like, None),
        }[handler]
        self.model.add_custom_operator(mx2onnx.CustomOperator(name, lower, infer, outputs))

    def do_export_file(self, path="model.onnx"):
        target = self.folder / path
        try:
            self.model.export(target)
            got = {"sha256": digest(target.read_bytes())}
            target.unlink()
            for data in self.folder.glob("*.data"):
                got["data_sha256"] = digest(data.read_bytes())
                data.unlink()
            return got
        finally:
            assert list(self.folder.iterdir()) == []

    def do_export_memory(self):
        return {"sha256": digest(self.model.export_bytes())}

    def do_export_stream(self, throw=False):
        target = Writer() if throw else io.BytesIO()
        self.model.export(target)
        return {"sha256": digest(target.getvalue())}

    def do_look(self):
        m = self.model

        def values(found):
            return [{"name": v.name, "dtype": v.dtype or "unknown", "dims": None if v.shape is None else list(v.shape)} for v in found]

        got = {"inputs": values(m.inputs), "outputs": values(m.outputs), "variables": [{"name": v.name, "kind": v.kind.upper()} for v in m.variables]}
        got["params"] = [{"name": p.name, "dtype": p.dtype, "dims": list(p.shape), "used": p.used, "sha256": digest(p.bytes())}
                         for p in m.params.values()]
        got["operators"] = [o._asdict() for o in m.operators]
        got["written"] = {key: getattr(m.written, key) for key in ("opset", "nodes", "bytes")}
        return got

    def step(self, do, expect, **arguments):
        self.lines, self.watched = 0, None
        got = {"status": "OK"}
        try:
            got.update(getattr(self, "do_" + do)(**arguments) or {})
        except Thrown:
            got["status"] = "THROWN"
        except mx2onnx.Error as e:
            assert type(e) is not mx2onnx.Error
            got["status"] = e.status
        got.update(log=self.lines, progress=self.watched)
        if "option" in expect:
            got["option"] = getattr(self.model, arguments["which"].lower()) or 0  # None is the automatic opset
        got["diagnostics"] = [
            {"severity": d.severity.upper(), "status": d.status, "node": d.node, "op": d.op, "attribute": d.attribute,
             "name": d.name.rsplit("/", 1)[-1]} for d in self.model.diagnostics
        ]
        for key, want in expect.items():
            assert got[key] == want, (do, key)


@pytest.mark.parametrize("case", CASES, ids=[c["name"] for c in CASES])
def test_a_case_of_the_bindings_holds(case, tmp_path):
    run = Run(tmp_path)
    with run.model:
        for step in case["steps"]:
            run.step(**step)
