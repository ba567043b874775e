# SPDX-License-Identifier: Apache-2.0
"""Recorded cases with shapes that they were not made for, empty and scalar ones among them, under both of MXNet's meanings of 0: each
is converted or refused, and never an internal error, which is the library's name for a malformed graph of its making."""
import json
import random

import mx2onnx
import pytest

import cases
import recorded

SHAPES = ((), (0,), (1,), (2,), (3,), (0, 3), (2, 3), (3, 2), (1, 1), (3, 3), (2, 0, 3), (2, 3, 4), (1, 3, 4, 4), (2, 3, 8, 8), (1, 2, 3, 4, 5))
VARIANTS = 20  # of each case
GROUPS = [g for g in cases.groups() if recorded.Reader(recorded.path("ops", g)).index]


def changed(rnd, shape):
    """The shape with one dim more, less, or of another size."""
    dims = list(shape)
    at = rnd.randrange(len(dims) + 1)
    how = rnd.randrange(3) if at < len(dims) else 0
    dims[at:at + (how > 0)] = [rnd.choice((0, 1, 2, 3))] if how < 2 else []
    return tuple(dims)


def draw_shapes(rnd, shapes):
    """All of one shape, each of any, or the case's with one or more of them changed; of some none at all, which inference has to find."""
    how, same, one = rnd.randrange(5), rnd.choice(SHAPES), rnd.choice(sorted(shapes)) if shapes else None
    drawn = {name: same if how == 0 else rnd.choice(SHAPES) if how == 1 or rnd.random() < 0.2 else changed(rnd, shape)
             for name, shape in shapes.items()}
    drawn = drawn if how < 3 else {name: drawn[name] if name == one else shape for name, shape in shapes.items()}
    return {name: shape for name, shape in drawn.items() if rnd.random() < 0.8} if rnd.random() < 0.4 else drawn


def convert(symbol, shapes, types, opset, numpy_shape):
    graph = json.loads(symbol)
    graph.setdefault("attrs", {})["is_np_shape"] = ["int", numpy_shape]
    with mx2onnx.Model() as m:
        m.load_symbol(json.dumps(graph).encode())
        for name, dtype in types.items():
            m.set_input_dtype(name, dtype)
        for name, shape in shapes.items():
            m.set_input_shape(name, shape)
        m.opset = opset
        return m.graph_text()


@pytest.mark.parametrize("group", GROUPS)
def test_inference_agrees_with_mxnet_at_other_shapes(group):
    rnd, index, converted = random.Random(group), recorded.Reader(recorded.path("ops", group)).index, 0
    for case in cases.load(group):
        for _ in range(VARIANTS if case.name in index else 0):
            shapes = draw_shapes(rnd, {n: a.shape for n, a in case.inputs.items()})
            types = {n: a.dtype for n, a in case.inputs.items()}
            opset, numpy_shape = rnd.choice((11, 13, 17, 21, 23, 26)), rnd.randrange(2)
            try:
                convert(index[case.name]["symbol"], shapes, types, opset, numpy_shape)
                converted += 1
            except mx2onnx.Error as error:
                assert error.status != "INTERNAL", (case.name, shapes, opset, numpy_shape, str(error))
    assert converted > 0 or all(case.error for case in cases.load(group))
