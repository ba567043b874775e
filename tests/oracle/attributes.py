# SPDX-License-Identifier: Apache-2.0
"""Prints lib/onnx/schema/attributes.inc: the attributes of ONNX's operators in their newest form, from the registry of the onnx package.

    python tests/oracle/attributes.py >lib/onnx/schema/attributes.inc
"""
import os
import re

import onnx.defs

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
HEAD = """/* The attributes of the operators of operators.inc in their newest form, printed by tests/oracle/attributes.py: their names, a letter for the
 * kind of each, and the names of those that are required. i: an integer, f: a float, s: a text, capitals: lists of them, g: a graph, t: a
 * tensor. Operators without any are left out. */
"""
LETTERS = {"INT": "i", "FLOAT": "f", "STRING": "s", "INTS": "I", "FLOATS": "F", "STRINGS": "S", "GRAPH": "g", "TENSOR": "t"}
# ONNX Runtime refuses nodes without them.
ALSO_REQUIRED = {"GRU": ("hidden_size",), "LSTM": ("hidden_size",), "RNN": ("hidden_size",)}


def rows():
    with open(os.path.join(ROOT, "lib", "onnx", "schema", "operators.inc"), encoding="utf-8") as f:
        names = re.findall(r"^OX_OPERATOR\((\w+),", f.read(), re.M)
    for name in names:
        schema = onnx.defs.get_schema(name, onnx.defs.onnx_opset_version(), "")
        if schema.attributes:
            names = sorted(schema.attributes)
            kinds = "".join(LETTERS[schema.attributes[a].type.name] for a in names)
            required = " ".join(a for a in names if schema.attributes[a].required or a in ALSO_REQUIRED.get(name, ()))
            yield 'OX_ATTRIBUTES(%s,\n              "%s",\n              "%s", "%s")' % (name, " ".join(names), kinds, required)


def text():
    return HEAD + "".join(row + "\n" for row in rows())


if __name__ == "__main__":
    print(text(), end="")
