# SPDX-License-Identifier: Apache-2.0
"""Prints lib/onnx/schema/attributes.inc: the attributes of ONNX's operators in their newest form, from the registry of the onnx package.

    python tests/oracle/attributes.py >lib/onnx/schema/attributes.inc
"""
import os
import re
import textwrap

import onnx.defs

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
HEAD = """/* The attributes of the operators of operators.inc in their newest form, printed by tests/oracle/attributes.py: a word for each, with a
 * letter for its kind, and "!" if it is required. i: an integer, f: a float, s: a text, capitals: lists of them, g: a graph, t: a tensor.
 * Operators without any are left out. */
"""
COLUMNS = 140
LETTERS = {"INT": "i", "FLOAT": "f", "STRING": "s", "INTS": "I", "FLOATS": "F", "STRINGS": "S", "GRAPH": "g", "TENSOR": "t"}
# ONNX Runtime refuses nodes without them.
ALSO_REQUIRED = {"GRU": ("hidden_size",), "LSTM": ("hidden_size",), "RNN": ("hidden_size",)}


def rows():
    with open(os.path.join(ROOT, "lib", "onnx", "schema", "operators.inc"), encoding="utf-8") as f:
        names = re.findall(r"^OX_OPERATOR\((\w+),", f.read(), re.M)
    for name in names:
        schema = onnx.defs.get_schema(name, onnx.defs.onnx_opset_version(), "")
        if schema.attributes:
            words = " ".join("%s:%s%s" % (a, LETTERS[what.type.name], "!" * (what.required or a in ALSO_REQUIRED.get(name, ())))
                             for a, what in sorted(schema.attributes.items()))
            row = 'OX_ATTRIBUTES(%s, "%s")' % (name, words)
            yield row if len(row) <= COLUMNS else 'OX_ATTRIBUTES(%s,\n              "%s")' % (
                name, ' "\n              "'.join(textwrap.wrap(words, COLUMNS - 18)))


def text():
    return HEAD + "".join(row + "\n" for row in rows())


if __name__ == "__main__":
    print(text(), end="")
