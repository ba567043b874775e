#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One export inside a Python process: `mxnet` with MXNet's own exporter, `mx2onnx` with this package.

    python exporter_side.py MODULE PREFIX INPUTS FILE TOLD

INPUTS: [[name, shape, type], ...] as make_net.py prints it. The file TOLD gets the seconds of the export and of the import
before it.
"""
import importlib
import json
import sys
import time

import numpy as np


def main():
    module, prefix, inputs, path, told = sys.argv[1:]
    inputs = json.loads(inputs)
    begin = time.perf_counter()
    export = importlib.import_module("mxnet.onnx" if module == "mxnet" else module).export_model
    imported = time.perf_counter()
    export(prefix + "-symbol.json", prefix + "-0000.params", [tuple(i[1]) for i in inputs],
           [np.dtype(i[2]).type for i in inputs], path)
    seconds = time.perf_counter() - imported
    with open(told, "w") as f:
        f.write("%f %f\n" % (seconds, imported - begin))


if __name__ == "__main__":
    main()
