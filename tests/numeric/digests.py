#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which bytes are written for each recorded case, fixed and dynamic, at five opsets as far as it runs at them, and for each net, dynamic,
at opset 17: digests of models that agreed with MXNet. Of a case that cannot be converted it is the error.

    python tests/numeric/digests.py      writes tests/data/recorded/digests.tsv

A row is written only after its case has agreed: the models that have changed run in ONNX Runtime and are compared with MXNet's results,
and errors with their texts, as test_ops.py and test_nets.py do. So a change of the library that should not change any model is known at
once to have changed none.
"""
import collections
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

import pytest

import convert
import sanitize
import test_ops

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(HERE, "..", "data", "recorded", "digests.tsv")
OPSETS = (11, 13, 17, 21, 26)
OPSET_OF_NETS = 17


def compared(c):
    """(opset, whether dynamic, test) of each conversion of a case that can be compared with MXNet's result or with its error."""
    ways = [] if c.error or c.check_only is not None else [(False, test_ops.test_a_case_agrees_with_static_dims)]
    ways += [(True, test_ops.test_a_case_agrees_with_dynamic_dims)] if ways and c.dynamic and not c.dynamic_error else []
    refused = [(c.opsets[0], c.dynamic_error is not None, test_ops.test_a_case_is_refused_with_its_message)]
    return [(opset, dynamic, test) for dynamic, test in ways for opset in OPSETS
            if min(c.opsets) <= opset <= max(c.opsets)] + (refused if c.error or c.dynamic_error else [])


def lines(folder):
    """What convert_many reads: every case and net, whose files are written into FOLDER."""
    for name, files, inputs, dims, c in sanitize.every_case(folder, ""):
        for opset, dynamic, _ in compared(c):
            yield " ".join(map(str, [name] + files + [opset] + sanitize.words(inputs, dims if dynamic else {})))
    for name, files, inputs, dims, _ in sanitize.every_net(folder, ""):  # large files
        yield " ".join(map(str, [name] + files + [OPSET_OF_NETS] + sanitize.words(inputs, dims)))


def collect(program):
    """{case: digest of what is written, or of errors}."""
    with tempfile.TemporaryDirectory() as folder:
        said = subprocess.run([program], input="\n".join(lines(folder)) + "\n", text=True, check=True, stdout=subprocess.PIPE).stdout
    found = collections.defaultdict(hashlib.sha256)
    for line in said.splitlines():
        name, status, text = line.split(" ", 2)
        found[name].update(("%s %s\n" % (status, text)).encode())
    return {name: digest.hexdigest()[:12] for name, digest in found.items()}


def stored():
    if not os.path.exists(FILE):
        return {}
    with open(FILE) as f:
        return dict(line.rstrip("\n").split("\t") for line in f)


def disagrees(changed):
    """Runs the cases and nets of these names; True if one does not agree with MXNet."""
    converter = convert.route("capi")
    wrong = False
    with tempfile.TemporaryDirectory() as folder:
        for c in test_ops.ALL:
            if "%s/%s" % (c.group, c.name) not in changed:
                continue
            try:
                for opset, _, test in compared(c):
                    test(converter, c, opset, pathlib.Path(folder))
            except (AssertionError, convert.ConversionError, pytest.fail.Exception) as e:
                print("%s/%s: %s" % (c.group, c.name, e))
                wrong = True
    nets = any(name.startswith("nets/") for name in changed)
    return wrong or bool(nets and pytest.main(["-q", "-x", os.path.join(HERE, "test_nets.py")]))


def program():
    return os.path.join(os.environ.get("MX2ONNX_BUILD") or os.path.join(HERE, "..", "..", "build"), "tests", "numeric", "convert_many")


def main():
    before, now = stored(), collect(program())
    changed = {name for name, digest in now.items() if before.get(name) != digest}
    print("%d of %d have changed" % (len(changed), len(now)), flush=True)
    if changed and disagrees(changed):
        return 1
    with open(FILE, "w") as f:
        f.writelines("%s\t%s\n" % row for row in sorted(now.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
