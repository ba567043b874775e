#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which conditions of lib/ and ops/ no test decides both ways: a change of one lives (tests/mutate.py).

    meson setup build-coverage -Db_coverage=true -Doptimization=0 -Dtests=enabled
    meson test -C build-coverage --suite fast            and any other test, with its library and programs
    python3 tests/branches.py build-coverage             all of them
    python3 tests/branches.py build-coverage lib/read    those of files that begin so

Prints "path:line never/branches text" for each line that was run: of so many outcomes of its conditions so many never came. Lines that
pass on a status, and those about memory that ran out, are left out: `golden --failing N` decides them.
"""
import collections
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MEMORY = re.compile(r"MX_TRY|\bfailed\b|ox_failed|MX_ASSERT|\bassert\(")


def counts(build):
    """{(path, line): [times run, [times of each branch]]}, of all objects that contain the line."""
    found = collections.defaultdict(lambda: [0, []])
    notes = [os.path.join(at, f) for at, _, files in os.walk(build) for f in files if f.endswith(".gcda")]
    for note in notes:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["gcov", "--json-format", "--branch-probabilities", note], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            for name in os.listdir(folder):
                with gzip.open(os.path.join(folder, name)) as f:
                    add(found, json.load(f)["files"], build)
    return found


def add(found, files, build):
    for file in files:
        path = os.path.relpath(os.path.join(build, file["file"]), ROOT)
        for line in file["lines"] if path.startswith(("lib/", "ops/")) else ():
            place = found[path, line["line_number"]]
            place[0] += line["count"]
            times = [branch["count"] for branch in line["branches"]]
            place[1] += [0] * (len(times) - len(place[1]))
            for i, n in enumerate(times):
                place[1][i] += n


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build, begins = os.path.realpath(sys.argv[1]), tuple(sys.argv[2:]) or ("",)
    lines = {}
    for (path, number), (run, branches) in sorted(counts(build).items()):
        never = branches.count(0)
        if run and never and path.startswith(begins):
            if path not in lines:
                with open(os.path.join(ROOT, path)) as f:
                    lines[path] = f.read().split("\n")
            text = lines[path][number - 1].strip()
            if not MEMORY.search(text):
                print("%s:%d %d/%d %s" % (path, number, never, len(branches), text))


if __name__ == "__main__":
    main()
