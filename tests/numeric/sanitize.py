#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converts every recorded case and net in an instrumented build: fixed and dynamic, at many opsets, without running them.

    CC=clang meson setup build-asan --buildtype=debugoptimized -Db_sanitize=address,undefined -Db_lundef=false
    ninja -C build-asan
    python tests/numeric/sanitize.py build-asan/tests/numeric/convert_many
    python tests/numeric/sanitize.py valgrind -q --error-exitcode=9 --leak-check=full build/tests/numeric/convert_many

The program is given all cases of one opset at a time. Whatever it finds ends it with an error; a case that should convert
and does not, or the other way round, is reported as well.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

import cases
import convert
import ndarray_list
import recorded
import weights

OPSETS = (11, 13, 17, 21, 26, 28)


def write(folder, name, symbol, stored):
    """The words of the case's files."""
    files = [os.path.join(folder, name.replace("/", "+") + end) for end in ("-symbol.json", ".params")]
    with open(files[0], "w") as f:
        f.write(symbol)
    if stored:
        ndarray_list.save(files[1], stored)
    return [files[0], files[1] if stored else "-"]


def words(inputs, dynamic):
    """INPUT TYPE RANK {DIM} of all inputs."""
    made = []
    for name, (shape, dtype) in inputs.items():
        dims = [dynamic.get(name, {}).get(axis, d) for axis, d in enumerate(shape)]
        made += [name, convert.FLAGS[dtype], len(dims)] + dims
    return made


def every_case(folder, match):
    """(name, files, inputs, dynamic dims, the case or None)."""
    for group in cases.groups():
        reader = recorded.Reader(recorded.path("ops", group))
        for c in cases.load(group):
            name = "%s/%s" % (group, c.name)
            if c.name not in reader.index or match not in name:
                continue
            arrays = c.arrays()
            stored = {("aux:" if c.inputs[n].role == "aux" else "arg:") + n: a for n, a in arrays.items()
                      if c.inputs[n].role != "data"}
            inputs = {n: (a.shape, np.dtype(a.dtype).name) for n, a in c.inputs.items() if a.role == "data"}
            yield (name, write(folder, name, reader.index[c.name]["symbol"], stored), inputs, c.dynamic, c)


def every_net(folder, match):
    nets = os.path.dirname(recorded.path("nets", "x"))
    for file in sorted(f for f in os.listdir(nets) if f.endswith(".zip") and match in "nets/" + f):
        index = recorded.Reader(os.path.join(nets, file)).index
        made = weights.make(index["symbol"], index["params"], index["scales"])
        stored = {("aux:" if n in index["aux"] else "arg:") + n: a for n, a in made.items()}
        yield ("nets/" + file[:-4], write(folder, "net_" + file[:-4], index["symbol"], stored),
               {"data": ((1,) + tuple(index["dims"]), "float32")}, {"data": {0: "batch"}}, None)


def must_fail(c, opset, dynamic):
    """True or False; None where the case does not say."""
    if c is None:
        return False
    if c.error:
        return True if opset in c.opsets and not dynamic else None
    return bool(dynamic and c.dynamic_error) if opset >= min(c.opsets) else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opsets", default=",".join(map(str, OPSETS)))
    parser.add_argument("--match", default="", help="a part of the cases' names")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    wrong, env = 0, dict(os.environ, UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1")
    with tempfile.TemporaryDirectory() as folder:
        made = [c for source in (every_case, every_net) for c in source(folder, args.match)]
        for opset in map(int, args.opsets.split(",")):
            lines, fails = [], {}
            for name, files, inputs, dynamic, c in made:
                ways = {"fixed": {}, **({"dynamic": dynamic} if dynamic else {})}
                for way, dims in ways.items():
                    key = "%s:%d:%s" % (name, opset, way)
                    lines.append(" ".join(map(str, [key] + files + [opset] + words(inputs, dims))))
                    fails[key] = must_fail(c, opset, bool(dims))
            p = subprocess.run(args.program, input="\n".join(lines) + "\n", text=True, stdout=subprocess.PIPE,
                               env=env)
            answers = [line.split(" ", 2) for line in p.stdout.splitlines()]
            for key, status, text in answers:
                if fails[key] not in (None, status != "0"):
                    print("%s: status %s %s" % (key, status, text))
                    wrong += 1
            print("opset %d: %d conversions, %d of them refused, exit status %d" % (
                opset, len(answers), sum(status != "0" for _, status, _ in answers), p.returncode), flush=True)
            if p.returncode != 0 or len(answers) != len(lines):
                print("it ended at %s" % (lines[len(answers)] if len(answers) < len(lines) else "its end"))
                return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
