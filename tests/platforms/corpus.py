# SPDX-License-Identifier: Apache-2.0
"""What every platform converts: the model of examples/digits, recorded nets, models of every version of MXNet, archives
and the recorded cases of all operators, as lines for tests/numeric/convert_many."""
import json
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, os.pardir, os.pardir))
sys.path.insert(0, os.path.join(ROOT, "tests", "numeric"))

import ndarray_list  # noqa: E402
import recorded  # noqa: E402
import sanitize  # noqa: E402

SAMPLES = os.path.join(ROOT, "tests", "data", "samples")
OPSETS = ("11", "13", "17,float16", "17,keep", "28")
LARGEST = 32 << 20  # bytes of parameters
QUICK_CASES = 100


def line(files, opset, inputs, dynamic):
    return " ".join(map(str, list(files) + [opset] + sanitize.words(inputs, dynamic)))


def forms(files, inputs, dynamic):
    """A net at 17 with fixed and dynamic inputs, and with fixed ones in other forms."""
    yield line(files, "17", inputs, dynamic)
    for opset in ("17",) + OPSETS:
        yield line(files, opset, inputs, {})


def digits():
    files = [os.path.join(ROOT, "examples", "digits", "digits" + end) for end in ("-symbol.json", "-0000.params")]
    return forms(files, {"data": ((1, 1, 8, 8), "float32")}, {"data": {0: "batch"}})


def bytes_of(net):
    shapes = recorded.Reader(recorded.path("nets", net)).index["params"].values()
    return sum(4 * int(np.prod(s)) for s in shapes)


def nets(folder):
    names = sorted(f[:-4] for f in os.listdir(os.path.dirname(recorded.path("nets", "x"))) if f.endswith(".zip"))
    for name in names:
        if bytes_of(name) <= LARGEST:
            for _, files, inputs, dynamic, _ in sanitize.every_net(folder, "nets/" + name + ".zip"):
                yield from forms(files, inputs, dynamic)


def saved(folder, shapes, given="-"):
    """The models of a folder, their parameters next to the symbol or `given`; `shapes`: {model: {input: shape}}."""
    for symbol in sorted(n for n in os.listdir(folder) if n.endswith("-symbol.json")):
        name = symbol[:-len("-symbol.json")]
        params = [n for n in sorted(os.listdir(folder)) if n.startswith(name + "-") and n.endswith(".params")]
        files = [os.path.join(folder, n) for n in (symbol, *params[:1])]
        inputs = {n: (s, "float32") for n, s in shapes.get(name, {}).items()}
        yield line(files if params else files + [given], "17", inputs, {})


def versions(made):
    """What each version of MXNet saved."""
    given = os.path.join(made, "attrs.params")  # of the models that are only symbols
    ndarray_list.save(given, {"arg:w": np.arange(20, dtype=np.float32).reshape(4, 5) / 16})
    with open(os.path.join(SAMPLES, "nets", "expected.json")) as f:
        expected = json.load(f)
    for version in sorted(os.listdir(os.path.join(SAMPLES, "nets"))):
        folder = os.path.join(SAMPLES, "nets", version)
        if os.path.isdir(folder):
            yield from saved(folder, {n: e["inputs"] for n, e in expected.get(version, {}).items() if "inputs" in e},
                             given)
    for version in sorted(os.listdir(os.path.join(SAMPLES, "symbols"))):
        folder = os.path.join(SAMPLES, "symbols", version)
        with open(os.path.join(folder, "expected.json")) as f:
            yield from saved(folder, {n: e.get("data_shapes") or {} for n, e in json.load(f).items()})


def archives():
    """Those that every build reads: .tar.gz needs libarchive."""
    for name in sorted(os.listdir(os.path.join(SAMPLES, "archives"))):
        if not name.endswith(".tar.gz"):
            yield line([os.path.join(SAMPLES, "archives", name), "+"], "17", {"data": ((2, 5), "float32")}, {})


def operators(folder):
    for _, files, inputs, _, _ in sanitize.every_case(folder, ""):
        yield line(files, "17", inputs, {})


def make(folder, quick):
    """{set: [line]}, the files that they name in the folder. Quick: the digits and the first of every so many cases."""
    os.makedirs(folder, exist_ok=True)
    if quick:
        cases = list(operators(folder))
        return {"nets": list(digits()), "cases": cases[::max(1, len(cases) // QUICK_CASES)][:QUICK_CASES]}
    return {"nets": [*digits(), *nets(folder), *versions(folder), *archives()], "cases": list(operators(folder))}
