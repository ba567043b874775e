# SPDX-License-Identifier: Apache-2.0
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import convert  # noqa: E402


def pytest_addoption(parser):
    parser.addoption("--route", default="capi", choices=["capi", "python", "cli"], help="how the converter is called")
    parser.addoption("--library", help="libmx2onnx.so (default: MX2ONNX_LIBRARY, else build/)")
    parser.addoption("--tool", help="the command line mx2onnx (default: MX2ONNX_TOOL, else build/examples/)")


@pytest.fixture(scope="session")
def converter(request):
    o = request.config.getoption
    return convert.route(o("--route"), o("--library"), o("--tool"))
