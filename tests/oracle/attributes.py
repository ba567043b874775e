# SPDX-License-Identifier: Apache-2.0
"""Prints lib/onnx/schema/attributes.inc: the attributes of ONNX's operators in their newest form, from the registry of the onnx package.

    python tests/oracle/attributes.py >lib/onnx/schema/attributes.inc
"""
import os
import re

import onnx.defs

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
HEAD = """/* The attributes of the operators of operators.inc in their newest form, printed by tests/oracle/attributes.py: all, and those of them
 * that are floats or lists of floats. Operators without any are left out. */
"""
FLOATS = (onnx.defs.OpSchema.AttrType.FLOAT, onnx.defs.OpSchema.AttrType.FLOATS)


def rows():
    with open(os.path.join(ROOT, "lib", "onnx", "schema", "operators.inc"), encoding="utf-8") as f:
        names = re.findall(r"^OX_OPERATOR\((\w+),", f.read(), re.M)
    for name in names:
        schema = onnx.defs.get_schema(name, onnx.defs.onnx_opset_version(), "")
        if schema.attributes:
            floats = sorted(a for a, what in schema.attributes.items() if what.type in FLOATS)
            yield 'OX_ATTRIBUTES(%s,\n              "%s",\n              "%s")' % (name, " ".join(sorted(schema.attributes)), " ".join(floats))


def text():
    return HEAD + "".join(row + "\n" for row in rows())


if __name__ == "__main__":
    print(text(), end="")
