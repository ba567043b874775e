"""No binding misses a function: looks for every name of bindings/api.json in what a binding's public names use.

    python3 check.py FOLDER...

surface.py says what is public in each language, and what using a function of C is. A function that only private code, tests or examples
use cannot be reached by who uses the binding, and is missing. Those of INSIDE serve other calls; there any use is enough. A folder may
have files of another one: shared.txt names them, a line each. What a binding leaves out on purpose is in its missing.txt, a line each:
the name, blanks, the reason.
"""

import json
import os
import re
import sys

import surface

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = {"__pycache__", "bin", "build", "dist", "examples", "mx2onnx-sys", "node_modules", "obj", "target", "test", "tests", "vendor"}
TESTS = re.compile(r"(_test\.go|\btest\.mjs|^example\.\w+)$")
GENERATED = {"mx2onnx.h", "vendored.c"}  # by vendor.py
INSIDE = {
    "dtype_from_name", "dtype_name", "error", "memory_free", "memory_new", "model_free", "model_new", "status_name", "status_text",
}


def sources(folder):
    for path, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in SKIPPED and not f.startswith("."))
        for name in sorted(files):
            if TESTS.search(name):
                continue
            if name.endswith(surface.ENDINGS) and name not in GENERATED and not os.path.islink(os.path.join(path, name)):
                yield os.path.join(path, name)
    shared = os.path.join(folder, "shared.txt")
    if os.path.exists(shared):
        with open(shared, encoding="utf-8") as f:
            yield from (os.path.join(folder, line.strip()) for line in f if line.strip() and not line.startswith("#"))


def contents(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def left_out(folder):
    """{name: reason} of missing.txt."""
    path = os.path.join(folder, "missing.txt")
    lines = contents(path).splitlines() if os.path.exists(path) else []
    parts = [line.split(None, 1) for line in lines if line.strip() and not line.startswith("#")]
    return {part[0]: part[1].strip() if len(part) > 1 else "" for part in parts}


def check(folder, functions):
    public, used = surface.public([(path, contents(path)) for path in sources(folder)])
    found, allowed = public | (used & INSIDE), left_out(folder)
    for name in functions:
        short = name[len("mx2onnx_") :]
        if short not in found and name not in allowed:
            yield "%s: %s is %s" % (folder, name, "not public" if short in used else "missing")
        elif short in found and name in allowed:
            yield "%s: %s is there, but missing.txt leaves it out" % (folder, name)
    for name, reason in allowed.items():
        if name not in functions:
            yield "%s: missing.txt names %s, which is not a function" % (folder, name)
        elif not reason:
            yield "%s: missing.txt says no reason for %s" % (folder, name)


def main():
    functions = [x["name"] for x in json.loads(contents(os.path.join(HERE, "api.json")))["functions"]]
    folders = sys.argv[1:]
    failures = [text for folder in folders for text in check(folder, functions)]
    print("\n".join(failures) or "%d functions in each of %d bindings" % (len(functions), len(folders)))
    return 1 if failures or not folders else 0


if __name__ == "__main__":
    sys.exit(main())
