#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records every value inside the sample net, by the script of `mx2onnx verify --recorder`, to tests/data/recorded/internals.npz.

    build/oracle/bin/python tests/oracle/record_internals.py build/examples/mx2onnx
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir))
FOLDER = os.path.join(ROOT, "examples", "digits")
OUT = os.path.join(ROOT, "tests", "data", "recorded", "internals.npz")


def main():
    with open(os.path.join(FOLDER, "digits-test.json"), encoding="utf-8") as f:
        images = json.load(f)["images"]
    script = subprocess.run([sys.argv[1], "verify", "--recorder"], check=True, stdout=subprocess.PIPE).stdout
    with tempfile.TemporaryDirectory() as folder:
        np.save(os.path.join(folder, "picture.npy"), np.array([i["image"] for i in images[:2]], np.float32)[:, None] / 16)
        files = [os.path.join(FOLDER, "digits" + end) for end in ("-symbol.json", "-0000.params")]
        subprocess.run([sys.executable, "-", *files, "data=picture.npy"], input=script, cwd=folder, check=True)
        with np.load(os.path.join(folder, "recorded.npz")) as recorded:
            np.savez_compressed(OUT, **recorded)


if __name__ == "__main__":
    main()
