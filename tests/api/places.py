# SPDX-License-Identifier: Apache-2.0
"""examples/cli/places.c has the files of the operators, as a program that is linked to their tables prints them, and what the tests
recorded of each: types.json and onnx.json of tests/data/recorded.

    python3 places.py PRINTER MX2ONNX [--rebase]
"""
import json
import os
import subprocess
import sys

RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "recorded")
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "cli", "places.c")
HEAD = """/* Made by tests/api/places.py. */
/* clang-format off */
#include "cli/places.h"

const struct cli_place cli_places[] = {
"""
MIDDLE = """};
const size_t cli_n_places = sizeof(cli_places) / sizeof(cli_places[0]);

const struct cli_tested cli_tested[] = {
"""
TAIL = """};
const size_t cli_n_tested = sizeof(cli_tested) / sizeof(cli_tested[0]);
"""
WIDTH = 100  # of the words in a line


def literals(words):
    """The words as C strings, one a line."""
    lines = list(words[:1]) or [""]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) > WIDTH:
            lines[-1] += " "
            lines.append(word)
        else:
            lines[-1] += " " + word
    return "\n     ".join('"%s"' % line for line in lines)


def made(printer):
    files = {}
    for line in subprocess.run([printer], check=True, capture_output=True, text=True).stdout.splitlines():
        file, name = line.split()
        files.setdefault(file, []).append(name)
    return files


def load(name):
    with open(os.path.join(RECORDED, name), encoding="utf-8") as f:
        return json.load(f)


def tested(told):
    """The rows of what the tests recorded, under the names of the registry."""
    types, onnx = load("types.json"), load("onnx.json")
    for op in sorted(told, key=lambda op: op["name"]):
        names = [op["name"], *op["aliases"]]
        found = [list(dict.fromkeys(word for name in names for word in known.get(name, ()))) for known in (types, onnx)]
        if any(found):
            yield '    {"%s",\n     %s,\n     %s},\n' % (op["name"], *map(literals, found))


def main():
    files = made(sys.argv[1])
    told = json.loads(subprocess.run([sys.argv[2], "ops", "--json"], check=True, capture_output=True, text=True).stdout)["operators"]
    told = [op for op in told if op["status"] != "no"]
    text = HEAD + "".join('    {"%s",\n     %s},\n' % (file, literals(files[file])) for file in sorted(files)) + MIDDLE + "".join(tested(told)) + TAIL
    if "--rebase" in sys.argv:
        with open(FILE, "w", encoding="utf-8") as f:
            f.write(text)
    with open(FILE, encoding="utf-8") as f:
        if f.read() != text:
            print("examples/cli/places.c is not what the tables say: run tests/api/places.py PRINTER MX2ONNX --rebase")
            return 1
    there = {op["name"]: op["source"] for op in told}
    wanted = {name: "ops/" + file for file, names in files.items() for name in names}
    wrong = [name for name in sorted({*there, *wanted}) if there.get(name) != wanted.get(name)]
    if wrong:
        print("mx2onnx ops has no file, or another one: " + " ".join(wrong))
        return 1
    print("%d operators in %d files" % (sum(map(len, files.values())), len(files)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
