# SPDX-License-Identifier: Apache-2.0
"""What the program of each runtime shares. A question is {"model", "inputs", "names", "outputs", "seconds"}: an ONNX file,
an .npz of its inputs, the names of its outputs, an .npz to write. Each is answered in a child, so that a runtime may die of it; it is read there too, since not
every one survives a fork."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path = [p for p in sys.path if os.path.abspath(p or ".") != HERE]  # files here have the names of packages
sys.path.append(os.path.join(HERE, os.pardir, os.pardir, "zoo"))

import numpy as np  # noqa: E402

import child  # noqa: E402


def serve(run):
    """`run(model, inputs, names)` gives the outputs of these names."""
    def work(ask):
        with np.load(ask["inputs"]) as stored:
            got = run(ask["model"], {n: stored[n] for n in stored.files}, ask["names"])
        np.savez(ask["outputs"], *[np.asarray(o) for o in got])
        return {}
    child.serve(work)
