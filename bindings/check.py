"""No binding misses a function: looks for every name of bindings/api.json where a binding's code uses it.

    python3 check.py FOLDER...

A name counts as mx2onnx_NAME, as a text "NAME" or 'NAME', also where it is made of two ("input" and "_count"), or as lib.NAME. Tables that only declare the functions of C do not count, nor
do tests and examples: what only they name cannot be reached by who uses the binding. A folder may have files of another one:
shared.txt names them, a line each. What a binding leaves out on purpose is in its missing.txt, a line each: the name, blanks, the
reason.
"""

import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ENDINGS = (".c", ".cc", ".cpp", ".cs", ".cts", ".go", ".h", ".hpp", ".java", ".js", ".kt", ".mjs", ".mts", ".py", ".rs", ".ts")
SKIPPED = {"__pycache__", "bin", "build", "dist", "examples", "mx2onnx-sys", "node_modules", "obj", "target", "test", "tests", "vendor"}
DECLARATIONS = {  # of files that also have code
    "Native.cs": re.compile(r"^.*\bextern\b.*$", re.M),
    "Native.java": re.compile(r'""".*?"""', re.S),
    "_library.py": re.compile(r"^_FUNCTIONS\b.*?^}", re.S | re.M),
    "native.js": re.compile(r"^const PROTOTYPES = \[.*?^\];", re.S | re.M),
}
TESTS = re.compile(r"(_test\.go|\btest\.mjs|^example\.\w+)$")
GENERATED = {"mx2onnx.h", "vendored.c"}  # by vendor.py
C_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', re.S)


def code_of(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    table = DECLARATIONS.get(os.path.basename(path))
    if table:
        text, found = table.subn("", text)
        if not found:
            raise SystemExit("%s has no declarations where check.py looks for them" % path)
    if path.endswith(".py"):
        return re.sub(r"(?m)^\s*#.*$", "", text)
    return C_COMMENT.sub(lambda m: m.group() if m.group().startswith('"') else " ", text)


def sources(folder):
    for path, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in SKIPPED and not f.startswith("."))
        for name in sorted(files):
            if TESTS.search(name):
                continue
            if name.endswith(ENDINGS) and name not in GENERATED and not os.path.islink(os.path.join(path, name)):
                yield os.path.join(path, name)
    shared = os.path.join(folder, "shared.txt")
    if os.path.exists(shared):
        with open(shared, encoding="utf-8") as f:
            yield from (os.path.join(folder, line.strip()) for line in f if line.strip() and not line.startswith("#"))


def names_in(folder):
    found, words, ends = set(), set(), set()
    for path in sources(folder):
        code = code_of(path)
        found.update(re.findall(r"\bmx2onnx_(\w+)", code))
        found.update(re.findall(r"\blib\.(\w+)", code))
        texts = {name for _, name in re.findall(r"""(["'])(\w+)\1""", code)}
        words.update(texts)
        ends.update(t for t in texts if t.startswith("_"))
    return found | words | {word + end for word in words for end in ends}


def left_out(folder):
    """{name: reason} of missing.txt."""
    path = os.path.join(folder, "missing.txt")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as f:
        lines = [line.split(None, 1) for line in f if line.strip() and not line.startswith("#")]
    return {line[0]: line[1].strip() if len(line) > 1 else "" for line in lines}


def check(folder, functions):
    found, allowed = names_in(folder), left_out(folder)
    for name in functions:
        short = name[len("mx2onnx_") :]
        if short not in found and name not in allowed:
            yield "%s: %s is missing" % (folder, name)
        elif short in found and name in allowed:
            yield "%s: %s is there, but missing.txt leaves it out" % (folder, name)
    for name, reason in allowed.items():
        if name not in functions:
            yield "%s: missing.txt names %s, which is not a function" % (folder, name)
        elif not reason:
            yield "%s: missing.txt says no reason for %s" % (folder, name)


def main():
    with open(os.path.join(HERE, "api.json"), encoding="utf-8") as f:
        functions = [x["name"] for x in json.load(f)["functions"]]
    folders = sys.argv[1:]
    failures = [text for folder in folders for text in check(folder, functions)]
    print("\n".join(failures) or "%d functions in each of %d bindings" % (len(functions), len(folders)))
    return 1 if failures or not folders else 0


if __name__ == "__main__":
    sys.exit(main())
