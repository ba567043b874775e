# SPDX-License-Identifier: Apache-2.0
"""A wheel holds the library and works where nothing else is."""
import os
import subprocess
import sys
import zipfile

import pytest
from conftest import ROOT

pytest.importorskip("setuptools")


def test_an_installed_wheel_passes_the_tests(digits, tmp_path):
    source = os.path.join(ROOT, "bindings", "python")
    build = tmp_path / "source"
    build.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        (build / name).write_bytes(open(os.path.join(source, name), "rb").read())
    (build / "mx2onnx").mkdir()
    for name in os.listdir(os.path.join(source, "mx2onnx")):
        if name.endswith((".py", ".typed")):
            (build / "mx2onnx" / name).write_bytes(open(os.path.join(source, "mx2onnx", name), "rb").read())
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", tmp_path, build], check=True,
                   env=dict(os.environ, MX2ONNX_LIBRARY=os.path.join(os.environ.get("MX2ONNX_BUILD", os.path.join(ROOT, "build")), "examples", "libmx2onnx_python.so")))
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.startswith("mx2onnx-0.9.0-py3-none-")
    with zipfile.ZipFile(wheel) as z:
        names = set(z.namelist())
        assert {"mx2onnx/__init__.py", "mx2onnx/libmx2onnx.so", "mx2onnx/py.typed"} <= names
        assert any(name.endswith("LICENSE") for name in names)
    installed = tmp_path / "installed"
    subprocess.run([*pip, "install", "-q", "--no-deps", "--target", installed, wheel], check=True)
    env = {k: v for k, v in os.environ.items() if k not in ("MX2ONNX_LIBRARY", "PYTHONPATH")}
    code = "import mx2onnx; print(mx2onnx._library.lib.path); print(mx2onnx.Model(%r).inputs[0].name)" % digits.symbol
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=installed,
                         env=env).stdout.split()
    assert out == [str(installed / "mx2onnx" / "libmx2onnx.so"), "data"]
    program = [sys.executable, "-m", "mx2onnx", "inspect", digits.symbol]
    said = subprocess.run(program, check=True, capture_output=True, text=True, env=dict(env, PYTHONPATH=str(installed))).stdout
    assert said.startswith("inputs: 1\n  data  float32")
    script = installed / "bin" / "mx2onnx"
    assert subprocess.run([script, "inspect", digits.symbol], check=True, capture_output=True, text=True,
                          env=dict(env, PYTHONPATH=str(installed))).stdout == said
    tests = [os.path.join(ROOT, "tests", "python", name) for name in ("test_cases.py", "test_custom.py", "test_model.py", "test_program.py")]
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp", tmp_path / "tests", *tests], check=True,
                   env=dict(env, MX2ONNX_INSTALLED="1", PYTHONPATH=str(installed)))
