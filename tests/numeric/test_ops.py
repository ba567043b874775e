# SPDX-License-Identifier: Apache-2.0
"""Every declared case, converted and run in ONNX Runtime, against what MXNet 1.9.1 computed (tests/oracle/record.py)."""
import collections
import json
import os
import re
import subprocess

import numpy as np
import onnx
import pytest

import becomes
import cases
import compare
import convert
import digests
import differences
import ndarray_list
import recorded
import tested_types

NEWEST = 28  # written and checked; no runtime takes it yet
NEWEST_IN_RUNTIME = 26
DYNAMIC = (11, 17, 21)  # a form that depends on dynamic dims differs between these


class Stored:
    """What is recorded of all groups."""

    def __init__(self):
        self.readers = {}

    def entry(self, c):
        if c.group not in self.readers:
            file = recorded.path("ops", c.group)
            if not os.path.exists(file):
                pytest.fail("nothing is recorded for %s: run tests/oracle/record.py %s" % (c.group, c.group))
            self.readers[c.group] = recorded.Reader(file)
        found = self.readers[c.group].index.get(c.name)
        if found is None or found["digest"] != c.digest():
            pytest.fail("%s/%s %s: run tests/oracle/record.py %s" % (
                c.group, c.name, "is not recorded" if found is None else "changed since it was recorded", c.group))
        return found

    def outputs(self, c, run):
        reader = self.readers[c.group]
        return [reader.get(e) for e in reader.index[c.name]["runs"][run]]


STORED = Stored()
ALL = [c for group in cases.groups() for c in cases.load(group)]


def grid(make):
    """Test parameters (case, opset) for the opsets that `make` gives for a case."""
    return [pytest.param(c, opset, id="%s/%s-%d" % (c.group, c.name, opset)) for c in ALL for opset in make(c)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One for all: a folder for each of many thousand tests costs more than the tests."""
    return tmp_path_factory.mktemp("case")


def convert_case(converter, c, opset, folder, dynamic):
    """The path of the ONNX file."""
    symbol, params, out = (str(folder / f) for f in ("case-symbol.json", "case.params", "case.onnx"))
    if os.path.exists(out):
        os.unlink(out)
    with open(symbol, "w") as f:
        f.write(STORED.entry(c)["symbol"])
    arrays = c.arrays()
    stored = {("aux:" if c.inputs[n].role == "aux" else "arg:") + n: a for n, a in arrays.items()
              if c.inputs[n].role != "data"}
    if stored:
        ndarray_list.save(params, stored)
    dynamic = dynamic if isinstance(dynamic, dict) else c.dynamic if dynamic else {}
    converter(symbol, params if stored else None, signature(c), dynamic, opset, out)
    return out


def open_dims(c):
    return {name: dict.fromkeys(dims) for name, dims in c.dynamic.items()}


def export(converter, c, opset, folder, dynamic):
    """Converts and checks; the path of the ONNX file."""
    out = convert_case(converter, c, opset, folder, dynamic)
    compare.check(out, opset)
    return out


def signature(c):
    return {n: (a.shape, np.dtype(a.dtype).name) for n, a in c.inputs.items() if a.role == "data"}


@pytest.mark.parametrize("c,opset", grid(lambda c: () if c.error else c.opsets))
def test_a_case_agrees_with_static_dims(converter, c, opset, folder):
    out = export(converter, c, opset, folder, False)
    if c.check_only is None:
        s = compare.session(out)
        compare.check_signature(s, signature(c), {})
        compare.agree(compare.run(s, c.arrays()), STORED.outputs(c, 0), c.rtol, c.atol, c.ties)


def form(path):
    """What the file says, whatever its stamp: opsets of one form are tested once."""
    model = onnx.load(path)
    del model.opset_import[:]
    model.ir_version = 0
    return model.SerializeToString()


@pytest.mark.parametrize("c", [pytest.param(c, id="%s/%s" % (c.group, c.name)) for c in ALL if not c.error])
def test_each_form_of_a_case_agrees(converter, c, folder):
    """Between the opsets that every case is run at, wherever what is written changes."""
    before = None
    for opset in range(min(c.opsets), NEWEST_IN_RUNTIME + 1):
        out = convert_case(converter, c, opset, folder, False)
        now = form(out)
        if now != before and opset not in c.opsets:
            compare.check(out, opset)
            if c.check_only is None and opset <= max(c.opsets):
                compare.agree(compare.run(compare.session(out), c.arrays()), STORED.outputs(c, 0), c.rtol, c.atol, c.ties)
        before = now


def dynamic_opsets(c):
    if c.error or c.dynamic_error or not c.dynamic:
        return ()
    return [o for o in c.opsets if o in DYNAMIC] or c.opsets


@pytest.mark.parametrize("c,opset", grid(dynamic_opsets))
def test_a_case_agrees_with_dynamic_dims(converter, c, opset, folder):
    out = export(converter, c, opset, folder, True)
    if c.check_only is not None:
        return
    s = compare.session(out)
    compare.check_signature(s, signature(c), c.dynamic)
    for run, sizes in enumerate(c.runs()):
        compare.agree(compare.run(s, c.arrays(run), sizes), STORED.outputs(c, run), c.rtol, c.atol, c.ties)


@pytest.mark.parametrize("c,opset", grid(lambda c: dynamic_opsets(c) and (17 if 17 in c.opsets else c.opsets[-1],)))
def test_a_case_agrees_with_unnamed_dims(converter, c, opset, folder):
    """Dims without names: two that get one name are equal in every run, and the file runs at every size."""
    if c.open_error:
        with pytest.raises(convert.ConversionError, match=re.escape(c.open_error)):
            convert_case(converter, c, opset, folder, open_dims(c))
        return
    out = convert_case(converter, c, opset, folder, open_dims(c))
    compare.check(out, opset)
    if c.check_only is not None:
        return
    s = compare.session(out)
    for run in range(len(c.runs())):
        arrays, sizes = c.arrays(run), {}
        for i in s.get_inputs():
            for dim, size in zip(i.shape, arrays[i.name].shape):
                assert sizes.setdefault(dim, size) == size, "%s of %s is %s elsewhere" % (dim, i.name, sizes[dim])
        compare.agree(compare.run(s, arrays, {}), STORED.outputs(c, run), c.rtol, c.atol, c.ties)


@pytest.mark.parametrize("c,opset", grid(lambda c: () if c.error else (NEWEST,)))
def test_a_case_can_be_written_at_the_newest_opset(converter, c, opset, folder):
    export(converter, c, opset, folder, False)


@pytest.mark.parametrize("c,opset", grid(lambda c: c.opsets if c.error or c.dynamic_error else ()))
def test_a_case_is_refused_with_its_message(converter, c, opset, folder):
    with pytest.raises(convert.ConversionError) as e:
        export(converter, c, opset, folder, c.dynamic_error is not None)
    assert (c.error or c.dynamic_error) in str(e.value)
    assert not (folder / "case.onnx").exists()


def test_each_refusal_has_an_error(converter, request, folder):
    """What an operator is said to refuse is refused: as many cases fail at its nodes as it has lines."""
    failing = collections.Counter()
    for c in ALL:
        if not c.error and not c.dynamic_error:
            continue
        with pytest.raises(convert.ConversionError) as e:
            convert_case(converter, c, c.opsets[0], folder, c.dynamic_error is not None)
        failing.update(re.findall(r"node '[^']*' \((\w+)\): ", str(e.value))[:1])
    shown = subprocess.run([convert.program(request.config.getoption("--tool")), "ops", "--json"], check=True, capture_output=True, text=True)
    for op in json.loads(shown.stdout)["operators"]:
        cases_of_it = sum(failing[name] for name in [op["name"], *op["aliases"]])
        assert cases_of_it >= len(op["refuses"]), "%s refuses %s, and %d cases fail" % (op["name"], op["refuses"], cases_of_it)


def test_each_difference_has_a_case(converter, request, folder):
    """What an operator is said to convert with another result is converted: each line names cases that hold the operator."""
    known, shows = {"%s/%s" % (c.group, c.name): c for c in ALL}, {}
    for text, names in differences.DIFFERENCES.items():
        shows[text] = set()
        for name in names.split():
            c = known[name.rstrip("*")]
            assert not c.error and (not name.endswith("*") or c.dynamic and not c.dynamic_error), name
            convert_case(converter, c, 17 if 17 in c.opsets else c.opsets[-1], folder, name.endswith("*"))
            shows[text].update(node["op"] for node in json.loads(STORED.entry(c)["symbol"])["nodes"])
    with open(becomes.FILE) as f:
        converted = json.load(f)
    shown = subprocess.run([convert.program(request.config.getoption("--tool")), "ops", "--json"], check=True, capture_output=True, text=True)
    said = set()
    for op in json.loads(shown.stdout)["operators"]:
        names = {op["name"], *op["aliases"]}
        for text in op["differs"]:
            said.add(text)
            found = converted if op["status"] == "random" else shows.get(text, ())
            assert not names.isdisjoint(found), "no case in differences.py shows '%s' of %s" % (text, op["name"])
    assert set(shows) <= said, "no operator says %s" % sorted(set(shows) - said)


def test_recordings_are_declared():
    """No recording outlives its case."""
    folder = os.path.dirname(recorded.path("ops", "x"))
    stored = {f[:-4] for f in os.listdir(folder) if f.endswith(".zip")}
    assert stored <= set(cases.groups())
    for group in stored:
        names = {c.name for c in cases.load(group)}
        assert set(recorded.Reader(recorded.path("ops", group)).index) <= names


def test_types_are_listed():
    """The support table says with which types each operator is tested."""
    with open(tested_types.FILE) as f:
        assert json.load(f) == tested_types.collect(), "run tests/numeric/tested_types.py and tests/api/table.py --rebase"


def test_onnx_operators_are_listed(request, folder):
    """'mx2onnx ops' says what each operator becomes; none is without an answer but what is of training only."""
    with open(becomes.FILE) as f:
        stored = json.load(f)
    found = becomes.collect(convert_case, folder, request.config.getoption("--library"))
    assert stored == found, "run tests/numeric/becomes.py and tests/api/places.py PRINTER MX2ONNX --rebase"
    shown = subprocess.run([convert.program(request.config.getoption("--tool")), "ops", "--json"], check=True, capture_output=True, text=True)
    for op in json.loads(shown.stdout)["operators"]:
        names = [name for name in [op["name"], *op["aliases"]] if name in found]
        assert names or op["status"] in ("no", "training only"), op["name"]
        assert set(op["onnx"]) == {name for n in names for name in found[n]}, op["name"]


def test_digests_are_those_of_models_that_agreed():
    assert digests.collect(digests.program()) == digests.stored(), "run tests/numeric/digests.py, which compares with MXNet what has changed"
