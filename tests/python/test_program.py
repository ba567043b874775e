# SPDX-License-Identifier: Apache-2.0
"""python -m mx2onnx: the C program inside the package's library, with handlers of operators in Python."""
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

np = pytest.importorskip("numpy")
onnxruntime = pytest.importorskip("onnxruntime")

from conftest import ROOT  # noqa: E402

TOOL = os.environ.get("MX2ONNX_TOOL", os.path.join(ROOT, "build", "examples", "mx2onnx"))
BUILD = os.environ.get("MX2ONNX_BUILD", os.path.join(ROOT, "build"))
WITH_PROGRAM = os.path.join(BUILD, "examples", "libmx2onnx_python.so")
HANDLERS = """import mx2onnx
import constants

print("a text of the file")

@mx2onnx.custom_operator("my_leaky")
def my_leaky(node):
    return node.add("LeakyRelu", node.inputs[0], alpha=constants.SLOPE * float(node.attributes["slope"]))
"""


def environment(**more):
    inside = {} if "MX2ONNX_INSTALLED" in os.environ else {"MX2ONNX_LIBRARY": WITH_PROGRAM,
                                                            "PYTHONPATH": os.path.join(ROOT, "bindings", "python")}
    return dict(os.environ, **dict(inside, **more))


def program(*arguments, status=0, text=True, **env):
    done = subprocess.run([sys.executable, "-m", "mx2onnx", *map(str, arguments)], capture_output=True, text=text, stdin=subprocess.DEVNULL,
                          env=environment(**env))
    assert done.returncode == status, done.stderr
    return done.stdout, done.stderr


@pytest.fixture
def net(tmp_path):
    """x, doubled by a Custom node with a slope, as net-symbol.json; with handlers, which import a file next to theirs."""
    nodes = [{"op": "null", "name": "x", "inputs": []},
             {"op": "Custom", "name": "c", "attrs": {"op_type": "my_leaky", "slope": "0.25"}, "inputs": [[0, 0, 0]]}]
    (tmp_path / "net-symbol.json").write_text(json.dumps({"nodes": nodes, "arg_nodes": [0], "heads": [[1, 0, 0]]}))
    (tmp_path / "mine.py").write_text(HANDLERS)
    (tmp_path / "constants.py").write_text("SLOPE = 2\n")
    return tmp_path / "net-symbol.json"


def check_net(model, dtype=np.float32):
    session = onnxruntime.InferenceSession(model if isinstance(model, bytes) else str(model), providers=["CPUExecutionProvider"])
    x = np.array([[-1, 0, 3], [4, -5, 0.5]], dtype)
    assert session.run(None, {session.get_inputs()[0].name: x})[0].tolist() == np.where(x < 0, x / 2, x).tolist()


@pytest.mark.parametrize("arguments", [["--help"], ["help", "verify"], ["--manual"], ["--completion", "fish"], ["ops", "Pooling"],
                                       ["nets", "resnet50", "--json"]])
def test_it_prints_the_same_as_the_c_program(arguments):
    want = subprocess.run([TOOL, *arguments], capture_output=True, text=True, check=True)
    assert program(*arguments) == (want.stdout, want.stderr) and len(want.stdout) > 100


def test_a_conversion_writes_the_same_bytes(digits, tmp_path):
    arguments = [digits.symbol, digits.params, "--dynamic", "data=n,1,8,8", "-o"]
    subprocess.run([TOOL, *arguments, str(tmp_path / "c.onnx")], check=True, capture_output=True)
    assert program(*arguments, tmp_path / "python.onnx")[0].startswith("wrote ")
    assert (tmp_path / "c.onnx").read_bytes() == (tmp_path / "python.onnx").read_bytes()


def test_tests_of_the_c_program_pass(digits, tmp_path):
    """Some of the C program's own tests, with this program in its place."""
    script = tmp_path / "mx2onnx"
    script.write_text("#!%s\nimport sys\nfrom mx2onnx._program import main\nsys.exit(main())\n" % sys.executable)
    script.chmod(0o755)
    tests = ["a_program_without_arguments_shows_its_use", "exit_statuses_are_the_same_in_each_text", "standard_output_gets_the_same_bytes",
             "json_reports_the_conversion", "names_are_escaped", "many_reads_a_list", "only_terminals_get_colour"]
    code = ("import sys; sys.path.insert(0, %r); sys.argv = ['cli.py', %r, %r]; import strict; strict.main = lambda: None\n"
            "import cli, unittest\nunittest.main(cli, argv=['cli', *%r])" % (
                os.path.join(ROOT, "tests", "api"), str(script), digits.symbol, ["CommandLine.test_" + t for t in tests]))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment())
    assert done.returncode == 0 and "Ran %d tests" % len(tests) in done.stderr, done.stderr


def test_the_program_runs_handlers_of_a_file(net, tmp_path):
    out, err = program(net, "--dynamic", "n,3", "--custom", tmp_path / "mine.py", "-o", tmp_path / "net.onnx")
    assert re.search(r"(?m)^  1 node$", out) and err == "a text of the file\n"
    check_net(tmp_path / "net.onnx")


def test_handlers_work_with_other_options(net, tmp_path):
    """Options work as in the C program: names, opset, the model on standard output, the graph, JSON, many models."""
    custom = ["--dynamic", "n,3", "--custom", tmp_path / "mine.py"]
    check_net(program(net, *custom, "-o", "-", text=False)[0])
    out = program("inspect", net, *custom, "--rename", "x=image", "--graph", "--opset", "16")[0]
    assert out.startswith("opset 16\n") and "c = LeakyRelu(image) {alpha=0.5} : float32 (n, 3)" in out
    assert json.loads(program("inspect", net, *custom, "--json")[0])["outputs"][0]["name"] == "c"
    out = program("many", tmp_path, "-o", tmp_path / "out", *custom)[0]
    assert "1 of 1 model converted" in out
    check_net(tmp_path / "out" / "net.onnx")


@pytest.mark.parametrize("text,status,message", [
    (None, 2, "'--custom FILE': No such file or directory help: check the path of the Python file, which must have a function with "
              "@mx2onnx.custom_operator(NAME)"),
    ("x = (", 2, "'--custom FILE': SyntaxError in line 1: '(' was never closed"),
    ("import mx2onnx\nimport nothing_there", 2, "'--custom FILE': ModuleNotFoundError in line 2: No module named 'nothing_there'"),
    ("import mx2onnx\nraise ValueError('boom')", 2, "'--custom FILE': ValueError in line 2: boom"),
    ("open('nothing_there')", 2, "'--custom FILE': FileNotFoundError in line 1: [Errno 2] No such file"),
    ("raise SystemExit(3)", 2, "'--custom FILE': SystemExit in line 1: 3"),
    ("def my_leaky(node):\n    pass\n", 2, "'--custom FILE': it has no handler: no function with @mx2onnx.custom_operator(NAME) "
                                       "help: correct the file, which must"),
    (HANDLERS + '\n@mx2onnx.custom_operator("my_leaky")\ndef again(node):\n    pass\n', 2,
     "'--custom FILE': it has a handler for 'my_leaky', for which the same file has one, too"),
    (HANDLERS.replace("constants.SLOPE", "constants.SLOP"), 1,
     "node 'c' (Custom): its handler in FILE: AttributeError in line 8: module 'constants' has no attribute 'SLOP'"),
    (HANDLERS + "\nmy_leaky.infer(lambda node: node.fail('no shape'))\n", 1, "node 'c' (Custom): no shape"),
    (HANDLERS.replace("LeakyRelu", "LeakyRelux"), 1, "ONNX has no operator 'LeakyRelux'"),
    (HANDLERS.replace('"my_leaky"', '"my_laeky"'), 1, "node 'c' (Custom): the operator 'my_leaky' is unknown: it is Python code that is not in the model's files, "
                                                      "and the handler of 'my_laeky' is for another one"),
])
def test_wrong_handlers_are_an_error(net, tmp_path, text, status, message):
    file = tmp_path / "wrong.py"
    if text is not None:
        file.write_text(text)
    err = program(net, "--dynamic", "n,3", "--custom", file, "-o", tmp_path / "net.onnx", status=status)[1]
    assert message.replace("FILE", str(file)) in " ".join(err.split()) and "Traceback" not in err
    assert not (tmp_path / "net.onnx").exists()


def test_two_files_may_not_have_a_handler_of_one_operator(net, tmp_path):
    """The last one was used."""
    (tmp_path / "again.py").write_text(HANDLERS)
    err = program(net, "--dynamic", "n,3", "--custom", tmp_path / "mine.py", "--custom", tmp_path / "again.py", status=2)[1]
    assert "again.py': it has a handler for 'my_leaky', for which %s has one, too" % (tmp_path / "mine.py") in " ".join(err.split())


def test_the_c_program_says_how_to_run_handlers(net):
    """The C program says what to do."""
    done = subprocess.run([TOOL, str(net), "--custom", "mine.py"], capture_output=True, text=True)
    assert done.returncode == 2 and "'--custom mine.py' is a Python file, which this program does not run" in done.stderr
    assert "with MX2ONNX_LIBRARY unset, run pip install ./bindings/python" in " ".join(done.stderr.split())
    done = subprocess.run([TOOL, str(net), "--dynamic", "n,3"], capture_output=True, text=True)
    assert done.returncode == 1 and "--custom FILE.py" in done.stderr


@pytest.mark.skipif("MX2ONNX_INSTALLED" in os.environ, reason="its library contains the program")
def test_a_library_without_the_program_leads_to_one_with_it(net, tmp_path):
    """Where --custom sends, MX2ONNX_LIBRARY may name a library without the program: each piece of advice leads to one with it."""
    err = program("--version", status=1, MX2ONNX_LIBRARY=os.path.join(BUILD, "lib", "libmx2onnx.so"))[1]
    assert "libmx2onnx.so contains no program" in err
    advised = re.search(r"MX2ONNX_LIBRARY=(\S+)", err).group(1)
    program(net, "--dynamic", "n,3", "--custom", tmp_path / "mine.py", "-o", tmp_path / "net.onnx", MX2ONNX_LIBRARY=advised)
    check_net(tmp_path / "net.onnx")

    alone = shutil.copy(os.path.join(BUILD, "lib", "libmx2onnx.so"), tmp_path)
    err = program("--version", status=1, MX2ONNX_LIBRARY=alone)[1]
    assert "with MX2ONNX_LIBRARY unset, run pip install ./bindings/python" in err

    shutil.copytree(os.path.join(ROOT, "bindings", "python", "mx2onnx"), tmp_path / "installed" / "mx2onnx")
    shutil.copy(WITH_PROGRAM, tmp_path / "installed" / "mx2onnx" / "libmx2onnx.so")
    err = program("--version", status=1, MX2ONNX_LIBRARY=alone, PYTHONPATH=str(tmp_path / "installed"))[1]
    assert "help: unset MX2ONNX_LIBRARY: the package's own library contains it" in err
    assert program("--version", MX2ONNX_LIBRARY="", PYTHONPATH=str(tmp_path / "installed"))[0]


@pytest.mark.skipif("MX2ONNX_INSTALLED" in os.environ, reason="it has a library")
def test_a_missing_library_is_an_error():
    nothing = environment(MX2ONNX_LIBRARY="nothing/libmx2onnx.so")
    done = subprocess.run([sys.executable, "-c", "import mx2onnx"], capture_output=True, text=True, env=nothing)
    assert done.returncode == 1 and "ImportError: libmx2onnx cannot be loaded: nothing/libmx2onnx.so" in done.stderr
    assert "pip install ./bindings/python" in done.stderr
    if hasattr(sys, "orig_argv"):
        err = program("--version", status=1, MX2ONNX_LIBRARY="nothing/libmx2onnx.so")[1]
        assert err.startswith("mx2onnx: error: libmx2onnx cannot be loaded: nothing/libmx2onnx.so") and "Traceback" not in err


def test_verify_finds_the_package_of_onnx_runtime(digits, tmp_path):
    program(digits.symbol, digits.params, "--input", "2x1x8x8", "-o", tmp_path / "net.onnx")
    data = os.path.join(ROOT, "tests", "data", "recorded", "internals.npz")
    out = program("verify", tmp_path / "net.onnx", "--data", data)[0]
    assert out.startswith("compared with MXNet: 1 output") and "\nok    softmax" in out
    found = json.loads(program("verify", tmp_path / "net.onnx", "--data", data, "--json", "--tolerance", "0", status=1)[0])
    assert found["agrees"] is False and found["first"]["value"]["ok"] is False
