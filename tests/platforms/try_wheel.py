# SPDX-License-Identifier: Apache-2.0
"""A wheel in some Python: python try_wheel.py PACKAGES FOLDER does what tests/numeric/convert_many does, with the mx2onnx in
PACKAGES; python try_wheel.py PACKAGES prints what is known, what a handler in Python writes, and the program's version."""
import hashlib
import json
import os
import subprocess
import sys

sys.path.insert(0, sys.argv[1])

import mx2onnx  # noqa: E402

TYPES = ["float32", "float64", "float16", "uint8", "int32", "int8", "int64", "bool"]
NODES = [{"op": "null", "name": "x", "inputs": []},
         {"op": "Custom", "name": "leaky", "attrs": {"op_type": "my_leaky", "slope": "0.25"}, "inputs": [[0, 0, 0]]}]
CUSTOM = json.dumps({"nodes": NODES, "arg_nodes": [0], "heads": [[1, 0, 0]]})


def load(m, symbol, params, as_file):
    if params == "+":
        return m.load(symbol)
    m.load_symbol(symbol)
    if params != "-":
        m.load_params(open(params, "rb") if as_file else params)


def convert(words, n, path):
    symbol, params, opset = words[:3]
    words = words[3:]
    with mx2onnx.Model() as m:
        load(m, symbol, params, n % 2)
        while words:
            name, dtype, rank = words[0], TYPES[int(words[1])], int(words[2])
            m.set_input_shape(name, [int(d) if d.isdigit() else d for d in words[3:3 + rank]])
            m.set_input_dtype(name, dtype)
            words = words[3 + rank:]
        m.opset = int(opset.split(",")[0])
        m.float16 = ",float16" in opset
        m.keep_batch_norm = ",keep" in opset
        m.export(path)


def convert_many(folder):
    for n, line in enumerate(sys.stdin):
        name, *words = line.split()
        try:
            convert(words, n, os.path.join(folder, "%d.onnx" % n))
            print(name, "0 0")
        except mx2onnx.Error as e:
            print(name, "-1", e.status)


def look():
    @mx2onnx.custom_operator("my_leaky")
    def leaky(node):
        return node.add("LeakyRelu", node.inputs[0], alpha=float(node.attributes["slope"]))

    with mx2onnx.Model() as m:
        print(mx2onnx.__version__, len(m.catalogue), "nets")
        m.load_symbol(CUSTOM)
        m.add_custom_operator(leaky)
        m.set_input_shape("x", ("n", 4))
        print(hashlib.sha256(m.export_bytes()).hexdigest())
    # the program, in a separate process
    print(subprocess.run([sys.executable, "-m", "mx2onnx", "--version"], stdout=subprocess.PIPE, env=dict(os.environ, PYTHONPATH=sys.argv[1])).stdout.decode())


convert_many(sys.argv[2]) if len(sys.argv) > 2 else look()
