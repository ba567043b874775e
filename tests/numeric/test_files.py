# SPDX-License-Identifier: Apache-2.0
"""Files as people hold them (tests/oracle/record_files.py), by the command line, against what MXNet or NumPy computed. What the program
says of them, and of those that it refuses, is in tests/api/recorded_files.py."""
import os
import sys

import numpy as np
import pytest

import compare
import convert

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "support"))

import files  # noqa: E402


def array(what):
    return np.array(what["values"], np.float32).reshape(what["shape"])


@pytest.mark.parametrize("opset", (11, 17, 26))
@pytest.mark.parametrize("name", [name for name in files.NAMES if files.has_numbers(name)])
def test_files_give_mxnets_numbers(name, opset, request, tmp_path):
    tool = os.path.abspath(request.config.getoption("--tool") or os.environ.get("MX2ONNX_TOOL")
                           or os.path.join(convert.ROOT, "build", "examples", "mx2onnx"))
    case = files.Case(name, str(tmp_path))
    status, said = case.convert(tool, "--opset", str(opset))
    assert status == 0, said
    compare.check(case.onnx, opset)
    got = compare.session(case.onnx).run(case.what.get("names"), {n: array(a) for n, a in case.what["inputs"].items()})
    compare.agree(got, [array(a) for a in case.what["outputs"]], rtol=1e-5)
