# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/recorded/float32_functions.txt: the operators that MXNet's AMP leaves in float32.

    build/oracle/bin/python tests/oracle/float32_functions.py
"""
import os

from mxnet.contrib.amp.lists import symbol_fp16

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "recorded", "float32_functions.txt")

with open(FILE, "w") as f:
    f.writelines(name + "\n" for name in sorted(set(symbol_fp16.FP32_FUNCS)))
