# SPDX-License-Identifier: Apache-2.0
"""What no executor of MXNet records: changes of images at random, and an operator that MXNet calls without a graph only."""
import numpy as np
import pytest

import compare
from test_random import CHECKED, OPSETS, draw, symbol


def image(dtype):
    return np.random.RandomState(1).uniform(0, 255, size=(6, 5, 3)).astype(dtype)


def session(converter, tmp_path, op, attrs, x, opset=17):
    """A session of one node: each run draws anew, each session draws the same. None where no runtime has the kernels."""
    file, out = str(tmp_path / "x-symbol.json"), str(tmp_path / "x.onnx")
    with open(file, "w") as f:
        f.write(symbol(op, attrs, ["x"]))
    converter(file, None, {"x": (x.shape, x.dtype.name)}, {"x": {0: "h"}}, opset, out)
    compare.check(out, opset)
    return compare.session(out) if opset not in CHECKED else None


@pytest.mark.parametrize("opset", OPSETS + CHECKED)
@pytest.mark.parametrize("op, axis", [("left_right", 1), ("top_bottom", 0)])
def test_images_are_flipped_half_of_the_time(converter, tmp_path, op, axis, opset):
    """Turned or not, each about half of the time."""
    x, turned = image("uint8"), 0
    s = session(converter, tmp_path, "_image_random_flip_" + op, {}, x, opset)
    for _ in range(200 if s else 0):
        got, = s.run(None, {"x": x})
        assert (got == x).all() or (got == np.flip(x, axis)).all()
        turned += (got != x).any()
    assert not s or 60 <= turned <= 140


@pytest.mark.parametrize("op", ["brightness", "contrast", "saturation", "hue"])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_brightness_stays_between_its_factors(converter, tmp_path, op, dtype):
    """Two runs differ; brightness stays within its factors."""
    x = image(dtype)
    s = session(converter, tmp_path, "_image_random_" + op, dict(min_factor=0.2, max_factor=0.8), x)
    a, b = (s.run(None, {"x": x})[0] for _ in "ab")
    assert a.dtype == dtype and (a != b).any()
    if op == "brightness":
        for y in (a, b):
            assert (y <= 0.8 * x + 1).all() and (y >= 0.2 * x - 1).all()


def test_lighting_shifts_have_mxnets_deviation(converter, tmp_path):
    """One shift for each channel, with MXNet's directions: their deviation follows from alpha_std."""
    x, shifts = image("float32"), []
    s = session(converter, tmp_path, "_image_random_lighting", dict(alpha_std=0.1), x)
    for _ in range(500):
        y = s.run(None, {"x": x})[0] - x
        assert np.ptp(y, axis=(0, 1)).max() < 1e-3
        shifts.append(y[0, 0])
    deviation = 0.1 * np.sqrt([(55.46 * 0.5675) ** 2 + (4.794 * 0.7192) ** 2, (55.46 * 0.5808) ** 2, (55.46 * 0.5836) ** 2])
    assert (np.abs(np.std(shifts, axis=0) / deviation - 1) < 0.2).all()


def test_jitter_changes_the_image_in_its_type(converter, tmp_path):
    """With nothing to change the image stays; with all four changes it does not, and fits its type."""
    x = image("uint8")
    none = dict(brightness=0, contrast=0, saturation=0, hue=0)
    assert (draw(converter, tmp_path, "_image_random_color_jitter", none, inputs={"x": x})[0] == x).all()
    y, = draw(converter, tmp_path, "_image_random_color_jitter", dict.fromkeys(none, 0.4), inputs={"x": x})
    assert y.dtype == np.uint8 and (y != x).any()


def test_onehot_encode_agrees_with_mxnet(converter, tmp_path):
    """mx.nd.onehot_encode([1, 0, 3], zeros((3, 5))) of MXNet 1.9.1."""
    y, = draw(converter, tmp_path, "_onehot_encode", {}, inputs={"at": np.array([1, 0, 3], np.float32), "out": np.zeros((3, 5), np.float32)})
    assert y.tolist() == [[0, 1, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 1, 0]]


# MXNet has the next three on GPUs alone; what its documentation says of them, by NumPy.

@pytest.mark.parametrize("opset", (11, 17, 21, 26))
@pytest.mark.parametrize("size", [1, 2, 5, 8])
def test_fft_agrees_with_numpy(converter, tmp_path, size, opset):
    x = np.random.RandomState(size).normal(size=(3, size)).astype(np.float32)
    y, = draw(converter, tmp_path, "_contrib_fft", {}, inputs={"x": x}, opset=opset, dynamic={"x": {0: "n"}}) or [None]
    if y is not None:
        want = np.fft.fft(x.astype(np.float64))
        assert np.abs(y - np.stack([want.real, want.imag], -1).reshape(3, -1)).max() < 1e-4
        back, = draw(converter, tmp_path, "_contrib_ifft", {}, inputs={"x": y}, opset=opset)
        assert np.abs(back - x * size).max() < 1e-4


def test_count_sketch_agrees_with_its_definition(converter, tmp_path):
    x = np.random.RandomState(1).normal(size=(3, 5)).astype(np.float32)
    h, s = np.array([[0, 3, 1, 0, 3]], np.float32), np.array([[1, -1, 1, -1, 1]], np.float32)
    y, = draw(converter, tmp_path, "_contrib_count_sketch", dict(out_dim=4), inputs={"x": x, "h": h, "s": s}, dynamic={"x": {0: "n"}})
    want = np.zeros((3, 4), np.float32)
    for i in range(5):
        want[:, int(h[0, i])] += s[0, i] * x[:, i]
    assert np.abs(y - want).max() < 1e-6


def test_unique_may_have_rows_of_nothing(converter, tmp_path):
    """Rows that have no element at run time: ONNX Runtime's Unique would end the process."""
    file, out = str(tmp_path / "x-symbol.json"), str(tmp_path / "x.onnx")
    with open(file, "w") as f:
        f.write(symbol("_npi_unique", dict(axis=0, return_counts=True), ["x"], 2))
    converter(file, None, {"x": ((3, 2), "float32")}, {"x": {0: "n", 1: "m"}}, 17, out)
    s = compare.session(out)
    x, counts = s.run(None, {"x": np.zeros((3, 0), np.float32)})
    assert x.shape == (1, 0) and counts.tolist() == [3]
    x, counts = s.run(None, {"x": np.array([[2, 1], [0, 5], [2, 1]], np.float32)})
    assert x.tolist() == [[0, 5], [2, 1]] and counts.tolist() == [1, 2]
