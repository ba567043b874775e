# SPDX-License-Identifier: Apache-2.0
"""The writer alone: models that tests/numeric/writer_cases.c builds by hand, read by the onnx package, checked in full and
run in ONNX Runtime. What the tensors must hold is computed here, from the bytes that the program was given."""
import os
import shutil
import subprocess

import numpy as np
import onnx
import onnx.numpy_helper
import onnxruntime
import pytest

onnxruntime.set_default_logger_severity(3)

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("MX2ONNX_BUILD", os.path.join(HERE, "..", "..", "build"))
PROGRAM = os.environ.get("WRITER_CASES", os.path.join(BUILD, "tests", "numeric", "writer_cases"))
TYPES = ["float32", "float64", "float16", "uint8", "int32", "int8", "int64", "bool", "int16", "uint16", "uint32",
         "uint64", "bfloat16"]
VALUES = 2 << 20  # where the values for conversions begin
# What MXNet's type flags are in ONNX.
ONNX_TYPES = {t: getattr(onnx.TensorProto, {"float32": "FLOAT", "float64": "DOUBLE"}.get(t, t.upper())) for t in TYPES}


def values_of(t):
    """A hundred values that fit every type, halves included where the type is a float."""
    v = np.arange(100)
    if t == "bool":
        return v % 2 == 1
    if t == "bfloat16":
        return (v.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)  # exact below 128
    return (v + 0.5 if t.startswith("float") else v).astype(t)


def numbers(t):
    """The same as Python numbers."""
    v = values_of(t)
    return np.arange(100).astype(np.float64) if t == "bfloat16" else v.astype(np.float64)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("writer")
    data = np.random.default_rng(5).standard_normal(VALUES // 4).astype(np.float32).tobytes()
    assert len(data) == VALUES
    for t in TYPES:
        data += values_of(t).tobytes().ljust(1024, b"\0")
    (where / "weights.bin").write_bytes(data)
    subprocess.run([PROGRAM, str(where)], check=True)
    return where


@pytest.fixture(scope="module")
def data(folder):
    return (folder / "weights.bin").read_bytes()


def load(folder, name):
    path = str(folder / (name + ".onnx"))
    onnx.checker.check_model(path, full_check=True)
    return onnx.load(path)


def raw(model, name):
    tensor = next(i for i in model.graph.initializer if i.name == name)
    return tensor, tensor.raw_data


def run(folder, name, feed):
    session = onnxruntime.InferenceSession(str(folder / (name + ".onnx")), providers=["CPUExecutionProvider"])
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, feed)))


def net_result(data, x):
    w = np.frombuffer(data, np.float32, 64 * 32).reshape(64, 32)
    b = np.frombuffer(data, np.float32, 32, 64 * 32 * 4)
    return (x @ w + b).reshape(-1, 4, 8)


@pytest.mark.parametrize("name", ["net_%d" % n for n in range(12, 29)] + ["net_external", "net_external_1",
                                                                            "net_as_inputs"])
def test_a_written_net_has_its_opset_and_ir_version(folder, data, name):
    model = load(folder, name)
    opset = int(name[4:]) if name[4:].isdigit() else 17
    assert [(i.domain, i.version) for i in model.opset_import] == [("", opset)]
    assert model.ir_version == (7 if opset < 15 else 8 if opset < 19 else 9 if opset < 21 else 10)
    assert (model.producer_name, model.producer_version) == ("libmx2onnx", "0.0.test")
    assert "MXNet" in model.doc_string
    assert {i.name: [d.dim_param or d.dim_value for d in i.type.tensor_type.shape.dim]
            for i in model.graph.value_info} == {"matmul": ["batch", 32], "add": ["batch", 32]}
    names = [i.name for i in model.graph.input]
    assert names == (["x", "w", "b"] if name == "net_as_inputs" else ["x"])
    if opset > 26:
        return  # beyond ONNX Runtime 1.31
    for batch in (1, 3):
        x = np.random.default_rng(batch).standard_normal((batch, 64)).astype(np.float32)
        np.testing.assert_allclose(run(folder, name, {"x": x})["y"], net_result(data, x), rtol=1e-4, atol=1e-4)


def places(folder, name):
    model = onnx.load(str(folder / (name + ".onnx")), load_external_data=False)
    return {i.name: {e.key: e.value for e in i.external_data} if i.data_location == onnx.TensorProto.EXTERNAL else None
            for i in model.graph.initializer}


def test_external_weights_have_their_places(folder, data):
    assert places(folder, "net_12") == {"w": None, "b": None, "reshape/shape": None}
    # 8192 bytes of w from the first page on; b has 128, the Reshape's shape 24
    w = {"location": "net_external.onnx.data", "offset": "0", "length": "8192"}
    assert places(folder, "net_external") == {"w": w, "b": None, "reshape/shape": None}
    w1 = {"location": "net_external_1.onnx.data", "offset": "0", "length": "8192"}
    b1 = {"location": "net_external_1.onnx.data", "offset": "8192", "length": "128"}
    assert places(folder, "net_external_1") == {"w": w1, "b": b1, "reshape/shape": None}
    assert (folder / "net_external.onnx.data").read_bytes() == data[:8192]
    assert (folder / "net_external_1.onnx.data").read_bytes() == data[:8192 + 128]
    assert not (folder / "net_12.onnx.data").exists()


def test_external_weights_are_aligned(folder):
    at = {n: p for n, p in places(folder, "views_external").items() if p}
    assert len(at) == 6
    end = 0
    for name, p in sorted(at.items(), key=lambda i: int(i[1]["offset"])):
        offset, length = int(p["offset"]), int(p["length"])
        assert offset % (4096 if length >= 4096 else 64) == 0, name
        assert end <= offset < end + 4096
        end = offset + length
    assert end == (folder / "views_external.onnx.data").stat().st_size


def test_every_dtype_keeps_its_bytes(folder, data):
    model = load(folder, "dtypes")
    for t in TYPES:
        size = 2 if t == "bfloat16" else np.dtype(t).itemsize
        tensor, got = raw(model, t)
        want = data[8:8 + 15 * size]
        if t == "bool":
            want = bytes(1 if x else 0 for x in want)
        assert (tensor.data_type, list(tensor.dims), got) == (ONNX_TYPES[t], [3, 5], want), t
        tensor, got = raw(model, t + "_scalar")
        want = data[16:16 + size] if t != "bool" else bytes([1 if data[16] else 0])
        assert (tensor.data_type, list(tensor.dims), got) == (ONNX_TYPES[t], [], want), t
        tensor, got = raw(model, t + "_empty")
        assert (tensor.data_type, list(tensor.dims), got) == (ONNX_TYPES[t], [0, 5], b""), t
        for suffix, rank in ("", 2), ("_scalar", 0), ("_empty", 2):
            o = next(o for o in model.graph.output if o.name == t + suffix + "_out")
            assert o.type.tensor_type.HasField("shape") and len(o.type.tensor_type.shape.dim) == rank


@pytest.mark.parametrize("source", TYPES)
def test_converted_weights_agree_with_numpy(folder, source):
    model = load(folder, "conversions")
    for target in TYPES:
        _, got = raw(model, "%s_to_%s" % (source, target))
        x = numbers(source)
        if target == "bfloat16":
            exact = x.astype(np.float32).view(np.uint32)
            want = ((exact + 0x7fff + ((exact >> 16) & 1)) >> 16).astype(np.uint16)
        elif target == "bool":
            want = x != 0
        else:
            want = x.astype(target)
        assert got == want.tobytes(), target


def expected_views(data):
    base = np.frombuffer(data, np.float32)
    square = base[:60000].reshape(200, 300)
    return {
        "transposed": square.T,
        "hwio": base[:64 * 32 * 9].reshape(32, 64, 3, 3).transpose(2, 3, 1, 0),
        "flipped": square[::-1, ::-1],
        "sliced": square[::2, 4::6],
        "column": square[:, 7:8],
        "expanded": np.broadcast_to(base[11:41].reshape(1, 30, 1), (4, 30, 5)),
        "one": base[5],
    }


@pytest.mark.parametrize("name", ["views", "views_external"])
def test_views_of_weights_agree_with_numpy(folder, data, name):
    load(folder, name)
    got = run(folder, name, {})
    assert len(got) == (21 if name == "views" else 7)
    for output, value in got.items():
        view, t, _ = output.split("_")
        want = expected_views(data)[view].astype(t)
        assert value.dtype == want.dtype and value.shape == want.shape, output
        np.testing.assert_array_equal(value, want, output)


def test_weights_of_several_pieces_are_joined(folder, data):
    load(folder, "pieces")
    want = np.concatenate([np.frombuffer(data, np.float32, 10, 400), [-1, -2], np.full(1000, 0.5),
                           np.frombuffer(data, np.float64, 10).astype(np.float32)]).astype(np.float32)
    np.testing.assert_array_equal(run(folder, "pieces", {})["joined_out"], want.reshape(2, 511))


def test_attributes_have_their_types(folder):
    model = load(folder, "attributes")
    pool, leaky = model.graph.node[:2]
    assert {a.name: onnx.helper.get_attribute_value(a) for a in pool.attribute} == {
        "kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "auto_pad": b"NOTSET", "ceil_mode": 0}
    assert leaky.attribute[0].f == np.float32(0.1)
    shape = model.graph.input[0].type.tensor_type.shape.dim
    assert [d.WhichOneof("value") for d in shape] == ["dim_param", "dim_value", "dim_param", None]
    assert {i.name: i.type.tensor_type.HasField("shape") for i in model.graph.value_info} == {
        "maxpool": True, "leakyrelu": False}
    x = np.random.default_rng(0).standard_normal((2, 2, 5, 6)).astype(np.float32)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
    pooled = np.max([padded[:, :, i:i + 5, j:j + 6] for i in range(3) for j in range(3)], axis=0)
    got = run(folder, "attributes", {"x": x})
    want = np.where(pooled < 0, pooled * np.float32(0.1), pooled).astype(np.float64)
    np.testing.assert_allclose(got["y"], want, rtol=1e-6)
    np.testing.assert_array_equal(got["floats"], np.array([0.5, -1e30], np.float32))
    assert got["no_ints"].shape == ()
    assert [list(a.ints) for n in model.graph.node for a in n.attribute if a.name == "perm"] == [[]]


def test_bodies_can_read_outer_values(folder):
    model = load(folder, "bodies")
    x = np.random.default_rng(0).standard_normal((2, 3)).astype(np.float32)
    np.testing.assert_allclose(run(folder, "bodies", {"x": x})["y"], x + (0 + 2 + 4), rtol=1e-6)
    body = model.graph.node[0].attribute[0].g
    assert [len(body.input), len(body.output)] == [3, 2]
    assert {i.name for i in body.value_info} == {n.output[0] for n in body.node} - {o.name for o in body.output}


def test_dims_are_written_with_their_names(folder):
    model = load(folder, "dims")
    info = {i.name: [d.dim_param or d.dim_value for d in i.type.tensor_type.shape.dim]
            for i in list(model.graph.value_info) + list(model.graph.output)}
    assert info == {"maxpool": ["n", 2, "floor((h + 1)/2)", 0], "y": ["n", 2, "floor((h + 1)/2)", 0],
                    "x_again": ["n", 2, "h", 0], "y_again": ["n", 2, "floor((h + 1)/2)", 0]}
    x = np.random.default_rng(0).standard_normal((1, 2, 7, 6)).astype(np.float32)
    got = run(folder, "dims", {"x": x})
    np.testing.assert_array_equal(got["y"], np.maximum(x[:, :, ::2, ::2], 0))
    np.testing.assert_array_equal(got["y_again"], got["y"])
    np.testing.assert_array_equal(got["x_again"], x)


def test_a_custom_domain_is_written(folder):
    model = load(folder, "custom")
    assert [(i.domain, i.version) for i in model.opset_import] == [("", 17), ("org.example", 1)]
    assert [list(n.input) for n in model.graph.node] == [["x"], ["", "thing"]]
    assert model.graph.node[0].attribute[0].s == b'a"b'


def test_more_than_2_gib_are_written(folder):
    if shutil.disk_usage(str(folder)).free < 8 << 30:
        pytest.skip("no 8 GiB free")
    table = folder / "table.bin"
    first, last = (np.arange(1 << 20) % 1000).astype(np.float32), (np.arange(1 << 20) % 777).astype(np.float32)
    try:
        with open(table, "wb") as f:
            f.write(first.tobytes())
            f.seek(599 << 22)
            f.write(last.tobytes())
        subprocess.run([PROGRAM, str(folder), str(table)], check=True)
        path = str(folder / "large.onnx")
        assert os.path.getsize(path) < 10000 and os.path.getsize(path + ".data") == 600 << 22
        onnx.checker.check_model(path, full_check=True)
        got = run(folder, "large", {})["y"]
        np.testing.assert_array_equal(got, [first, last])
    finally:
        for name in "table.bin", "large.onnx", "large.onnx.data":
            if (folder / name).exists():
                (folder / name).unlink()
