# SPDX-License-Identifier: Apache-2.0
"""full and linspace of NumPy, in whose place MXNet 2 writes the same operators with other attributes."""
from . import build, data


def made(op, *args, **attrs):
    return lambda mx: mx.sym.Group([mx.sym.Variable("x").as_np_ndarray() * 1, getattr(mx.sym.np, op)(*args, **attrs)])


CASES = [build(name, f, {"x": data(2)}, np_shape=True) for name, f in (
    ("full", made("full", (2, 3), 2.5)), ("full_int", made("full", (3,), 7, dtype="int32")),
    ("linspace", made("linspace", 0, 1, 5)), ("linspace_to", made("linspace", -2, 4.5, 4, endpoint=False)))]
