# SPDX-License-Identifier: Apache-2.0
"""Random cases, kept: what the generators of tests/live drew once (tests/live/draw.py). Their recording holds the
declarations as well, so that a generator may change without them."""
import os

import recorded

from . import Array, Case

OPTIONS = ("dynamic", "sizes", "rtol", "atol", "opsets", "native", "np_shape")


def declaration(c, symbol):
    return {"symbol": symbol, "inputs": {n: a.text() for n, a in c.inputs.items()},
            "options": {o: getattr(c, o) for o in OPTIONS if getattr(c, o)}}


def read(name, said):
    inputs = {}
    for n, (role, shape, dtype, values, low, high, kind) in said["inputs"].items():
        inputs[n] = Array(role, shape, dtype, values and values[0], low, high, kind)
    options = dict(said["options"])
    options["dynamic"] = {n: {int(axis): dim for axis, dim in dims.items()}
                          for n, dims in options.get("dynamic", {}).items()}
    c = Case(name, None, lambda mx: mx.sym.load_json(said["symbol"]), inputs, {}, options)
    c.drawn = said
    return c


FILE = recorded.path("ops", "drawn")
CASES = [read(name, entry["drawn"]) for name, entry in recorded.Reader(FILE).index.items()] if os.path.exists(FILE) else []
