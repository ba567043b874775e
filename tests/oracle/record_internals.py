#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records every value inside the sample net, by the lines that mx2onnx.verify gives, to tests/data/recorded/internals.npz.

    build/oracle/bin/python tests/oracle/record_internals.py
"""
import json
import os

os.environ["MXNET_SUBGRAPH_BACKEND"] = "NONE"  # oneDNN's graphs do not give what is inside

import mxnet as mx  # noqa: E402
import numpy as np  # noqa: E402

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir))
FOLDER = os.path.join(ROOT, "examples", "digits")
OUT = os.path.join(ROOT, "tests", "data", "recorded", "internals.npz")


def main():
    with open(os.path.join(FOLDER, "digits-test.json"), encoding="utf-8") as f:
        images = json.load(f)["images"]
    picture = np.array([i["image"] for i in images[:2]], np.float32)[:, None] / 16
    sym, arg, aux = mx.model.load_checkpoint(os.path.join(FOLDER, "digits"), 0)
    sym = mx.sym.Group([i for i in sym.get_internals() if "_output" in i.list_outputs()[0]])
    x = {"data": picture}
    ex = sym.simple_bind(mx.cpu(), grad_req="null", **{n: a.shape for n, a in x.items()})
    ex.copy_params_from(arg, aux, allow_extra_params=True)
    out = ex.forward(is_train=False, **{n: mx.nd.array(a, dtype=a.dtype) for n, a in x.items()})
    np.savez_compressed(OUT, **{"input:" + n: a for n, a in x.items()},
                        **{"output:" + n: o.asnumpy() for n, o in zip(sym.list_outputs(), out)})


if __name__ == "__main__":
    main()
