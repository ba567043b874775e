# SPDX-License-Identifier: Apache-2.0
"""onnxruntime-node, and onnxruntime-web's WebAssembly: what browsers run. The package is the one that the environment has."""
from serve import serve, tool

PROVIDERS = {"onnxruntime-node": "cpu", "onnxruntime-web": "wasm"}


def run(model, inputs, outputs):
    import json
    import os
    import sys
    import tempfile
    import numpy as np
    modules = os.path.join(sys.prefix, "node_modules")
    package, = [p for p in PROVIDERS if os.path.isdir(os.path.join(modules, p))]
    with tempfile.TemporaryDirectory() as folder:
        def at(name):
            return os.path.join(folder, name)
        given = [{"name": n, "type": str(a.dtype), "dims": a.shape, "file": at("i%d" % k)}
                 for k, (n, a) in enumerate(inputs.items())]
        for i in given:
            inputs[i["name"]].tofile(i["file"])
        asked = {"package": package, "packages": modules + os.sep, "provider": PROVIDERS[package], "model": model,
                 "inputs": given, "outputs": [{"name": n, "file": at("o%d" % k)} for k, n in enumerate(outputs)],
                 "told": at("told.json")}
        with open(at("asked.json"), "w") as f:
            json.dump(asked, f)
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "node.mjs")
        tool("node", script, at("asked.json"))
        with open(at("told.json")) as f:
            told = json.load(f)
        return [np.fromfile(o["file"], o["type"]).reshape(o["dims"]) for o in told]


serve(run)
