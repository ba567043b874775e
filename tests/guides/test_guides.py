# SPDX-License-Identifier: Apache-2.0
"""Every command of README.md and examples/guides is run, and prints what the page says. models.py makes the models that a page speaks of."""
import contextlib
import glob
import html.parser
import http.server
import importlib.util
import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request

import numpy as np
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, "consumers"), os.path.join(HERE, os.pardir, "zoo"),
                os.path.join(HERE, os.pardir, "support"), os.path.join(HERE, os.pardir, os.pardir, "bindings"),
                os.path.join(HERE, os.pardir, os.pardir, "examples", "guides", "site")]

import consumers  # noqa: E402
import files  # noqa: E402
import first_steps  # noqa: E402
import guide  # noqa: E402
import models  # noqa: E402
import mx2onnx  # noqa: E402
import onnxruntime  # noqa: E402
import operators  # noqa: E402

PAGES = os.path.join(models.EXAMPLES, "guides")
LIBRARY = os.path.join(os.environ.get("MX2ONNX_BUILD", os.path.join(models.ROOT, "build")), "examples", "libmx2onnx_python.so")  # with the program
TOOL = os.environ.get("MX2ONNX_TOOL", os.path.join(models.ROOT, "build", "examples", "mx2onnx"))
TOP = "../../README", "../README"
LANGUAGES = ["../../" + os.path.relpath(f, models.ROOT)[:-3] for f in glob.glob(os.path.join(models.ROOT, "bindings", "**", "README.md"), recursive=True)
             if "node_modules" not in f and "cases" not in f and "target" not in f]
NAMES = list(TOP) + sorted(os.path.relpath(f, PAGES)[:-3] for f in glob.glob(os.path.join(PAGES, "**", "*.md"), recursive=True))
OWN = {"to/onnxruntime", "to/service", "to/openvino", "do/cluster"}  # a test each, below


def place(name):
    return os.path.join(PAGES, name + ".md")


class Page:
    """A page, and a folder with what it speaks of."""

    def __init__(self, name, folder, python=sys.executable, **more):
        self.name, self.folder = name, str(folder)
        self.commands, _ = guide.read(place(name))
        if name not in TOP:
            for kind in "*.py", "*.cpp", "*.pbtxt":
                for script in glob.glob(os.path.join(os.path.dirname(place(name)), kind)):
                    shutil.copy(script, self.folder)
        path = os.path.join(models.ROOT, "bindings", "python")
        self.environment = guide.environment(self.folder, python, TOOL, MX2ONNX_LIBRARY=LIBRARY, PYTHONPATH=path, MX2ONNX=models.ROOT,
                                             LD_LIBRARY_PATH=runtime_library(self.folder), **more)

    def run(self, replaced=()):
        """The output of each command."""
        said = []
        for c in self.commands:
            for old, new in replaced:
                c.text = c.text.replace(old, new)
            status, printed, errors = c.run(self.folder, self.environment)
            assert (status != 0) == c.fails, "%s\n%s%s" % (c.text, printed, errors)
            assert guide.agree(c.expected, printed), "%s\nprints\n%s\nand not\n%s" % (c.text, printed, c.expected)
            said.append(printed)
        return said

    def path(self, name):
        return os.path.join(self.folder, name)


def runtime_library(folder):
    """A folder where the program finds the ONNX Runtime of Python's package, as it finds an installed one."""
    there = os.path.join(folder, ".lib")
    os.makedirs(there, exist_ok=True)
    for library in glob.glob(os.path.join(os.path.dirname(onnxruntime.__file__), "capi", "libonnxruntime.so.*"))[:1]:
        os.symlink(library, os.path.join(there, "libonnxruntime.so"))
    return there


@pytest.mark.parametrize("name", NAMES + LANGUAGES)
def test_blocks_state_how_they_are_run(name):
    """Each block says what it is, and why it is not run if it is not."""
    _, wrong = guide.read(place(name))
    assert not wrong


@pytest.mark.parametrize("name", [n for n in NAMES if n not in OWN and guide.read(place(n))[0]])
def test_the_commands_of_a_page_print_what_it_shows(name, tmp_path):
    for make in models.MODELS[name]:
        make(tmp_path)
    page = Page(name, tmp_path)
    said = page.run()
    assert len(said) == len(page.commands) > 0


def session(path):
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


def runtime_of_c(folder):
    """A folder with ONNX Runtime's headers and library: $ORT, the system's, or Go's module with the header and Python's library."""
    if "ORT" in os.environ:
        return os.environ["ORT"]
    include, lib = [os.path.join(folder, "ort", n) for n in ("include", "lib")]
    for name in (include, lib):
        os.makedirs(name)
    there = "/usr/include/onnxruntime/onnxruntime_c_api.h"
    if not os.path.exists(there) and shutil.which("go"):
        command = ["go", "mod", "download", "-json", "github.com/yalue/onnxruntime_go@v1.27.0"]
        told = subprocess.run(command, stdout=subprocess.PIPE, cwd=folder)
        there = os.path.join(json.loads(told.stdout or "{}").get("Dir", ""), "onnxruntime_c_api.h")
    library = glob.glob(os.path.join(os.path.dirname(onnxruntime.__file__), "capi", "libonnxruntime.so.*"))
    if not os.path.exists(there) or not library:
        pytest.skip("neither ONNX Runtime's headers (libonnxruntime-dev) nor Go, whose module has them")
    for header in glob.glob(os.path.join(os.path.dirname(there), "onnxruntime*_c_api.h")):
        shutil.copy(header, include)
    for name in ("libonnxruntime.so", "libonnxruntime.so.1"):
        os.symlink(library[0], os.path.join(lib, name))
    return os.path.dirname(include)


def test_the_page_of_onnx_runtime_compares_faces(tmp_path):
    models.camera(tmp_path)
    rng = np.random.RandomState(1)
    face = rng.randint(0, 256, (112, 112, 3))
    noisy = (face + rng.randint(-20, 21, face.shape)).clip(0, 255)
    frames = np.stack([face, face, noisy, face.transpose(1, 0, 2)[::-1]]).astype(np.uint8)
    frames.tofile(tmp_path / "frames.rgb")
    page = Page("to/onnxruntime", tmp_path, ORT=runtime_of_c(str(tmp_path)))
    said = next(s for s in page.run() if "frame 0" in s)
    # the same by the net in floats, which tests/numeric compares with MXNet
    plain = page.path("plain.onnx")
    subprocess.run([TOOL, page.path("model-symbol.json"), "-o", plain, "--input", "4x3x112x112"], check=True, stdout=subprocess.DEVNULL)
    found, = session(plain).run(None, {"data": frames.transpose(0, 3, 1, 2).astype(np.float32)})
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    assert [float(c) for c in re.findall(r": (\S+)", said)] == pytest.approx(list(found @ found[0]), abs=2e-3)


def served(page):
    """The page's program as a module."""
    spec = importlib.util.spec_from_file_location("serve", page.path("serve.py"))
    serve = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(serve)
    return serve


@pytest.mark.parametrize("arguments,text", [(["none.onnx"], "none.onnx"), (["wrong.onnx"], "wrong.onnx"), (["serve"], "has 2 .onnx files, but must have one")])
def test_the_service_states_what_is_wrong_in_one_line(tmp_path, arguments, text):
    for name in ("wrong.onnx", "other.onnx"):
        (tmp_path / name).write_text("not a model")
    script = os.path.join(PAGES, "to", "serve.py")
    done = subprocess.run([sys.executable, script, *arguments], cwd=str(tmp_path), capture_output=True, text=True, check=False,
                          env=dict(os.environ, SM_MODEL_DIR=str(tmp_path)))
    assert done.returncode == 1 and re.fullmatch("serve.py: .*%s.*\n" % re.escape(text), done.stderr), done.stderr


def test_the_page_of_the_service_serves_the_model(tmp_path):
    for make in models.service, models.linear_learner, models.k_means, models.topics:
        make(tmp_path)
    with socket.socket() as s:
        s.bind(("", 0))
        port = str(s.getsockname()[1])
    page = Page("to/service", tmp_path)
    try:
        page.run([("8080", port)])
    finally:
        if os.path.exists(page.path("pid")):
            with open(page.path("pid")) as f:
                with contextlib.suppress(ProcessLookupError):  # the guide has ended it
                    os.kill(int(f.read()), signal.SIGTERM)
    # the net ends in a softmax: the service must not apply another one
    with open(page.path("picture.rgb"), "rb") as f:
        pixels = f.read()
    shares = session(page.path("model.onnx")).run(None, {"data": np.frombuffer(pixels, np.uint8).reshape(1, 32, 32, 3)})[0][0]
    assert shares.sum() == pytest.approx(1)
    found = served(page).load(page.path("model.onnx"))(pixels)
    assert found == shares.tolist()


@pytest.mark.parametrize("name", ["detection", "segmentation"])
def test_the_service_has_answers_for_pictures_of_detectors_and_segmentation(name, tmp_path):
    """By the rank of the output; a JPEG or PNG is the same picture as its bytes."""
    from PIL import Image as image
    models.pictures(tmp_path)
    model = str(tmp_path / "model.onnx")
    subprocess.run([TOOL, str(tmp_path / (name + "-symbol.json")), "-o", model, "--dynamic", "data=batch,3,16,24:uint8", "--channels-last",
                    "--scale", "0.01"], check=True, stdout=subprocess.DEVNULL)
    pixels = np.random.RandomState(3).randint(0, 256, (16, 24, 3)).astype(np.uint8)
    want = session(model).run(None, {"data": pixels[None]})[-1][0]
    serve = served(Page("to/service", tmp_path)).load(model)
    told = serve(pixels.tobytes())
    if name == "detection":
        rows, = told.values()
        assert list(told) == ["prediction"] and rows == want[want[:, 0] >= 0].tolist() and 0 < len(rows) < len(want)
        assert all(len(row) == 6 and 0 <= row[1] <= 1 and 0 <= min(row[2:]) <= max(row[2:]) <= 1 for row in rows)
    else:
        assert np.array_equal(np.array(image.open(io.BytesIO(told)).resize(want.shape[:0:-1], image.NEAREST)), want.argmax(0))
        assert len(np.unique(want.argmax(0))) > 2
    file = io.BytesIO()
    image.fromarray(pixels).save(file, "PNG")
    for kind in "image/png", "application/x-image":
        assert serve(file.getvalue(), kind) == told
    for body, kind in (pixels.tobytes()[1:], ""), (file.getvalue(), ""), (b"no picture", "image/jpeg"):
        with pytest.raises((ValueError, OSError)):
            serve(body, kind)


def test_the_service_refuses_a_picture_model_that_takes_floats(tmp_path):
    models.pictures(tmp_path)
    serve = served(Page("to/service", tmp_path))
    for shape, said in ("batch,3,16,24", ":uint8"), ("batch,3,16,24:uint8", "--channels-last"):
        subprocess.run([TOOL, str(tmp_path / "segmentation-symbol.json"), "-o", str(tmp_path / "model.onnx"), "--dynamic", shape, "--scale", "1"],
                       check=True, stdout=subprocess.DEVNULL)
        with pytest.raises(ValueError, match=said):
            serve.load(str(tmp_path / "model.onnx"))


@pytest.mark.parametrize("name", ["linear_learner", "regressor", "kmeans", "pca", "topics"])
def test_the_service_gives_rows_what_mxnet_computed(name, tmp_path):
    case = files.Case("sagemaker_" + name, str(tmp_path))
    status, said = case.convert(TOOL)
    assert status == 0, said
    serve = served(Page("to/service", tmp_path)).load(case.onnx)
    rows = np.reshape(case.what["inputs"]["data"]["values"], case.what["inputs"]["data"]["shape"])
    answer = serve("\n".join(",".join(map(repr, row)) for row in rows.tolist()).encode())
    assert answer == serve(json.dumps({"instances": [{"features": row} for row in rows.tolist()]}).encode())
    (kind, told), = answer.items()
    assert kind == ("projections" if name == "pca" else "predictions") and len(told) == len(rows)
    names = {"topics": ["topic_weights"], "regressor": ["score"], "linear_learner": ["score"]}.get(name) or case.what["names"]
    for output, want in zip(names, case.what["outputs"]):
        values = np.reshape(want["values"], want["shape"])
        if name == "topics":  # MXNet's graph ends before the softmax
            values = np.exp(values) / np.exp(values).sum(1, keepdims=True)
        assert np.ravel([row[output] for row in told]) == pytest.approx(np.ravel(values), abs=1e-5)
    assert [row.get("predicted_label") for row in told] == ([int(s >= .361) for s in want["values"]] if name == "linear_learner" else [None] * len(rows))
    for body in b"", b"1,2", b"one,two,three,four,five,six", b"{}", b'{"instances": [3]}', b'{"instances": []}', b"\xff":
        with pytest.raises((ValueError, KeyError, TypeError)):
            serve(body)


def refused(serve, model, body, kind):
    """The status and the error with which the service answers."""
    serve.Handler.predict = serve.load(model)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve.Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        asked = urllib.request.Request("http://127.0.0.1:%d/invocations" % server.server_address[1], body, {"Content-Type": kind})
        try:
            with pytest.raises(urllib.error.HTTPError) as said:
                urllib.request.build_opener(urllib.request.ProxyHandler({})).open(asked)
            return said.value.code, json.load(said.value)["error"]
        finally:
            server.shutdown()


def test_the_service_names_pillow_where_it_is_not_installed(tmp_path, monkeypatch):
    models.pictures(tmp_path)
    model = str(tmp_path / "model.onnx")
    subprocess.run([TOOL, str(tmp_path / "segmentation-symbol.json"), "-o", model, "--dynamic", "data=batch,3,16,24:uint8", "--channels-last", "--scale", "1"],
                   check=True, stdout=subprocess.DEVNULL)
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    status, error = refused(served(Page("to/service", tmp_path)), model, b"picture", "image/png")
    assert status == 500 and "pip install pillow" in error


@pytest.mark.parametrize("body, text", [(b"1,2,3,4\n5,6,7,8", "Got: 2 Expected: 1"), (b'{"a":' * 5000, "recursion")])
def test_the_service_gives_an_answer_where_it_fails_inside(tmp_path, body, text):
    """The connection was closed without an answer."""
    models.linear_learner(tmp_path)
    model = str(tmp_path / "model.onnx")
    subprocess.run([TOOL, str(tmp_path / "linear-learner.tar.gz"), "-o", model, "--input", "data=1x4"], check=True, stdout=subprocess.DEVNULL)
    status, error = refused(served(Page("to/service", tmp_path)), model, body, "text/csv")
    assert status == 400 and text in error, error


def test_the_service_answers_no_number_that_json_does_not_have(tmp_path):
    """The answer had NaN, which is not JSON."""
    models.linear_learner(tmp_path)
    model = str(tmp_path / "model.onnx")
    subprocess.run([TOOL, str(tmp_path / "linear-learner.tar.gz"), "-o", model, "--input", "data=1x4"], check=True, stdout=subprocess.DEVNULL)
    status, error = refused(served(Page("to/service", tmp_path)), model, b"nan,1,2,3", "text/csv")
    assert status == 400 and "not JSON compliant" in error, error


def test_the_container_of_the_service_is_that_of_the_page():
    """What the image runs is the program that the page runs, and the page shows the file."""
    with open(os.path.join(PAGES, "to", "Dockerfile")) as f:
        lines = [line for line in f.read().split("\n") if line and not line.startswith("#")]
    assert lines[-2:] == ['ENTRYPOINT ["python", "/serve.py"]', 'CMD ["serve"]'] and "COPY serve.py /serve.py" in lines
    with open(place("to/service")) as f:
        assert "\n".join("   " + line for line in lines) in f.read()


def apart(path):
    """What is drawn: its text without numbers of boxes, and these."""
    with open(path) as f:
        text = f.read()
    number = r"(?<=[ \"])\d+\.\d+"
    return re.sub(number, "", text), [float(n) for n in re.findall(number, text)]


def test_the_page_of_openvino_runs_the_detector(tmp_path):
    models.detector(tmp_path)
    program, packages, _ = consumers.RUNTIMES["openvino"]
    python = consumers.environment(os.path.join(models.ROOT, "build", "consumers", "env-openvino"), packages)
    page = Page("to/openvino", tmp_path, python)
    said = page.run()[-1]
    found = [(line.split()[0], [float(n) for n in line.split()[2:]]) for line in said.strip().split("\n")]
    # what is in the picture is known
    sys.path.append(page.folder)
    import picture
    there = [(picture.NAMES[kind], box) for kind, *box in picture.draw(100242)[1]]
    assert len(found) == len(there) > 2
    for name, box in there:
        assert any(n == name and abs(np.subtract(b, box)).max() < 6 for n, b in found), (name, box, found)
    drawn, kept = [apart(os.path.join(folder, "boxes.svg")) for folder in (page.folder, os.path.join(PAGES, "to"))]
    assert drawn[0] == kept[0] and np.abs(np.subtract(drawn[1], kept[1])).max() < 0.3, "the guide's picture is another one"


def test_install_lines_are_those_of_the_first_steps():
    """What README.md and the page of installation say to type in one's project is what bindings/first_steps.py follows."""
    run = "".join(text for language in first_steps.LANGUAGES for name, text in first_steps.blocks_of(language) if not name)
    run = re.sub(r" -q\b", "", run)
    for name in "../../README", "start/install":
        with open(place(name)) as f:
            rows = [row for row in f.read().split("\n") if row.startswith("| ") and "$MX2ONNX/bindings" in row]
        lines = [line for row in rows for line in re.findall(r"`([a-z]+ [^`]*)`", row) if not line.startswith("dotnet ")]
        assert len(lines) >= 6
        for line in lines:
            assert re.sub(r" -q\b", "", line) in run, line


class Rows(html.parser.HTMLParser):
    """The rows of a table, each {"id", "status", "group", "cells": texts, "names": what the first cell has in <code>}."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.code = [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "tr" and "id" in attrs:
            self.rows.append({"id": attrs["id"], "status": attrs["data-status"], "group": attrs["data-group"], "cells": [], "names": []})
        elif tag == "td":
            self.rows[-1]["cells"].append("")
        self.code = tag == "code"

    def handle_endtag(self, tag):
        self.code = False

    def handle_data(self, data):
        if self.rows and self.rows[-1]["cells"]:
            self.rows[-1]["cells"][-1] += data
            if self.code and len(self.rows[-1]["cells"]) == 1:
                self.rows[-1]["names"].append(data)


def test_the_page_of_operators_agrees_with_the_program_and_python(tmp_path):
    """The page and its JSON have what the program says, and Python's package; rows without support are of operators that the program refuses."""
    operators.write(TOOL, str(tmp_path))
    text = subprocess.run([TOOL, "ops", "--json"], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert (tmp_path / "operators.json").read_text() == text
    told = json.loads(text)["operators"]
    rows = {row["id"]: row for row in Rows((tmp_path / "operators.md").read_text()).rows}
    assert len(told) > 500 and len(rows) == len(told)
    for op in told:
        row = rows[op["anchor"]]
        assert row["names"] == [op["name"], *op["aliases"]] and row["group"] == op.get("group", "")
        assert row["status"] == row["cells"][1] == op["status"] and op["status"] in operators.STATUS
        for text in op["refuses"] + op["differs"] + op["onnx"] + [op[key] for key in ("why", "help", "source") if key in op]:
            assert text in row["cells"][2], op["name"]
    known = {op["name"]: op for op in told if op["status"] != "no"}
    assert {op.name for op in mx2onnx.known_operators()} == set(known)
    for op in mx2onnx.known_operators():
        for key, value in op._asdict().items():
            assert known[op.name][key] == (list(value) if isinstance(value, tuple) else value), op.name
    names = {name for op in known.values() for name in [op["name"], *op["aliases"]]}
    absent = [name for op in told if op["status"] == "no" for name in [op["name"], *op["aliases"]]]
    assert len(absent) > 5 and not names.intersection(absent)
    for name in absent:
        assert subprocess.run([TOOL, "ops", name], stdout=subprocess.DEVNULL).returncode == 1, name
    assert sum(not op["onnx"] for op in known.values()) < 40 and sum(bool(op["types"]) for op in told) > 400


def test_the_page_of_the_cluster_reports_broken_archives(tmp_path):
    """What the machines wrote is what the program writes; three broken archives are named."""
    models.archives(tmp_path)
    page = Page("do/cluster", tmp_path)
    page.run()
    with open(page.path("report.json")) as f:
        failed = {os.path.basename(r["model"]): r["message"] for r in json.load(f)["failed"]}
    assert sorted(failed) == ["017.zip", "123.zip", "250.zip"] and "web page" in failed["123.zip"]
    subprocess.run([TOOL, page.path("models/000.zip"), "--dynamic", "data=batch,1,8,8", "-q", "-o", page.path("000.onnx")], check=True)
    with open(page.path("000.onnx"), "rb") as f:
        want = f.read()
    written = glob.glob(page.path("converted/*.onnx"))
    assert len(written) == 297 and all(open(name, "rb").read() == want for name in written)


def test_recording_of_the_digits_has_the_numbers_of_mxnet():
    """The same as digits-test.json, which MXNet's training wrote."""
    folder = os.path.join(models.EXAMPLES, "digits")
    with open(os.path.join(folder, "digits-test.json")) as f:
        images = json.load(f)["images"]
    with np.load(os.path.join(folder, "recorded.npz")) as arrays:
        assert sorted(arrays.files) == ["input:data", "output:softmax_output"]
        data, output = arrays["input:data"], arrays["output:softmax_output"]
    assert data.dtype == output.dtype == np.float32 and data.shape == (10, 1, 8, 8)
    assert np.array_equal(data[:, 0] * 16, [i["image"] for i in images])
    assert np.array_equal(output, np.array([i["probabilities"] for i in images], np.float32))


def test_messages_are_errors():
    commands, _ = guide.read(place("do/messages"))
    assert sum(c.fails for c in commands) >= 19
