# SPDX-License-Identifier: Apache-2.0
"""The C API, the Python package and the command line write the same file."""
import os

import pytest

import convert

DIGITS = os.path.join(convert.ROOT, "examples", "digits")


@pytest.mark.parametrize("dynamic", [{}, {"data": {0: "batch"}}], ids=["fixed", "dynamic"])
@pytest.mark.parametrize("opset", [11, 17, 26])
def test_routes_agree(request, opset, dynamic, tmp_path):
    written = {}
    for name in ("capi", "python", "cli"):
        out = str(tmp_path / "digits.onnx")  # one name: it may occur in the file
        o = request.config.getoption
        convert.route(name, o("--library"), o("--tool"))(
            os.path.join(DIGITS, "digits-symbol.json"), os.path.join(DIGITS, "digits-0000.params"),
            {"data": ((1, 1, 8, 8), "float32")}, dynamic, opset, out)
        with open(out, "rb") as f:
            written[name] = f.read()
        os.unlink(out)
    assert written["python"] == written["capi"]
    assert written["cli"] == written["capi"]
