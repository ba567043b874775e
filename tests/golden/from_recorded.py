#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden cases (tests/ops) from the recorded numeric ones, for operators that no hand-written golden file names.

    python tests/golden/from_recorded.py BUILD           write tests/ops/GROUP/FILE_recorded.txt anew
    python tests/golden/from_recorded.py BUILD --list    name the operators that have no golden case at all; those with
                                                         subgraphs are written by hand

GROUP/FILE is the source of the operator below ops/. Each operator gets one case, the one with the most attributes: with dynamic
dims where there is such a case. An operator keeps its case when cases by hand are added, most of which are of errors. Titles name
the recording, whose numbers tests/numeric compares with MXNet's at every opset. The expectations come from
BUILD/tests/ops/golden --rebase: read the difference before you commit it. Needs NumPy.
"""
import argparse
import ctypes
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir))
sys.path.insert(0, os.path.join(ROOT, "tests", "numeric"))

import numpy as np  # noqa: E402

import cases  # noqa: E402
import recorded  # noqa: E402

OPS = os.path.join(ROOT, "tests", "ops")
SUFFIX = "_recorded.txt"
LONG, ONE_OPSET = 60, "opset 17"  # a case of more lines shows this opset alone
MAX_ELEMENTS = 20000  # of an input; only dims are written, but small ones read better
MAX_NODES = 4
MAX_VALUES = 64  # of an integer parameter: indices and thresholds decide what is written
PLAIN_NAME = re.compile(r"[A-Za-z0-9_./-]+\Z")


def operators(build):
    """{name: [alias, ...]} of the registry."""
    lib = ctypes.CDLL(os.path.join(build, "lib", "libmx2onnx.so"))
    lib.mx2onnx_known_operator_count.restype = ctypes.c_size_t
    for f in (lib.mx2onnx_known_operator_name, lib.mx2onnx_known_operator_aliases):
        f.restype, f.argtypes = ctypes.c_char_p, [ctypes.c_size_t]
    return {lib.mx2onnx_known_operator_name(i).decode(): lib.mx2onnx_known_operator_aliases(i).decode().split()
            for i in range(lib.mx2onnx_known_operator_count())}


def unnamed(ops, files):
    """The operators that no case in `files` has as a node."""
    used = set()
    for file in files:
        with open(file) as f:
            used |= set(re.findall(r"= (\w+)\(.*\)(?: \{.*\})?$", f.read(), re.M))
    return sorted(o for o, aliases in ops.items() if not used & {o, *aliases})


def source(operator):
    """Its "group/file" below ops/: where its name is a row or a descriptor's; some rows say two names in one."""
    texts = {}
    for file in sorted(glob.glob(os.path.join(ROOT, "ops", "*", "*.c"))):
        with open(file) as f:
            texts[os.path.relpath(file, os.path.join(ROOT, "ops"))[:-2]] = f.read()
    for name in (operator, re.sub("_scalar$", "", operator), re.sub("^_(random|sample)_|_like$", "", operator)):
        for form in (r'(?:\.name = |^ +[A-Z_]+\()"%s"', r'^ +\{"%s"', r'"%s"', r"\b%s\b"):
            for stem, text in texts.items():
                if re.search(form % re.escape(name), text, re.M):
                    return stem
    raise KeyError(operator)


# ---- what of the recordings the format can say

class Candidate:
    def __init__(self, c, symbol, ops):
        self.c, self.symbol = c, symbol
        self.nodes = [n for n in symbol["nodes"] if n["op"] != "null"]
        canonical = {a: o for o, aliases in ops.items() for a in aliases}
        self.ops = {canonical.get(n["op"], n["op"]) for n in self.nodes}

    def sayable(self):
        c, graph = self.c, self.symbol.get("attrs", {})
        return (not c.error and c.check_only is None and len(self.nodes) <= MAX_NODES and set(graph) <= {"mxnet_version", "is_np_shape"}
                and not any("subgraphs" in n for n in self.symbol["nodes"])
                and all(PLAIN_NAME.match(n["name"]) for n in self.symbol["nodes"])
                and all(np.prod(a.shape) <= MAX_ELEMENTS for a in c.inputs.values())
                and set(c.inputs) <= {n["name"] for n in self.symbol["nodes"]})

    def dynamic(self):
        return bool(self.c.dynamic) and not self.c.dynamic_error

    def rank(self):
        """The least is the best: few nodes, float32, every opset, many attributes, few elements."""
        arrays = self.c.inputs.values()
        return (len(self.nodes), sum(np.dtype(a.dtype).kind == "f" and a.dtype != "float32" for a in arrays),
                not any(a.dtype == "float32" for a in arrays), self.c.opsets != cases.DEFAULT_OPSETS,
                -sum(len(n.get("attrs", {})) for n in self.nodes), sum(np.prod(a.shape) for a in arrays), self.c.name)


def candidates(ops):
    for group in cases.groups():
        stored = recorded.Reader(recorded.path("ops", group)).index
        for c in cases.load(group):
            if c.name in stored and stored[c.name]["digest"] == c.digest():
                one = Candidate(c, json.loads(stored[c.name]["symbol"]), ops)
                if one.sayable():
                    yield one


def choose(found, operator):
    """(candidate, with dynamic dims?), or None."""
    ranked = sorted((k for k in found if operator in k.ops), key=Candidate.rank)
    if not ranked:
        return None
    dynamic = next((k for k in ranked if k.dynamic() and len(k.nodes) == len(ranked[0].nodes)), None)
    return (dynamic, True) if dynamic else (ranked[0], False)


# ---- text

def value_text(value):
    outside = re.sub(r"[\[(][^\[\]()]*[\])]", "", value)
    if not value or value != value.strip() or any(c in outside for c in ',{}"()[]'):
        return '"%s"' % value.replace("\\", "\\\\").replace('"', '\\"')
    return value


def attrs_text(attrs):
    return " {%s}" % ", ".join("%s=%s" % (k, value_text(v)) for k, v in sorted(attrs.items())) if attrs else ""


def array_text(c, name, dynamic):
    a = c.inputs[name]
    names = c.dynamic.get(name, {}) if dynamic else {}
    dims = ", ".join(names.get(axis, str(d)) for axis, d in enumerate(a.shape))
    text = "%s %s %s (%s)" % ("input" if a.role == "data" else "param", name, np.dtype(a.dtype).name, dims)
    if a.role != "data":
        v = c.arrays()[name].ravel()
        if v.dtype == np.float16:
            v = v.view(np.uint16)
        if v.size <= (4 if v.dtype.kind == "f" else MAX_VALUES):
            text += " = " + " ".join(str(x if v.dtype.kind == "f" else int(x)) for x in v)
    return text


def case_text(k, dynamic):
    c, nodes = k.c, k.symbol["nodes"]
    lines = ["# %s/%s, %s" % (c.group, c.name, "dynamic dims" if dynamic else "fixed dims")]
    graph = k.symbol.get("attrs", {})
    if graph.get("mxnet_version", ["int", 10901])[1] != 10901:
        lines.append("version %d" % graph["mxnet_version"][1])
    if graph.get("is_np_shape", ["int", 0])[1]:
        lines.append("np_shape 1")
    if c.opsets != cases.DEFAULT_OPSETS:
        lines.append("opset " + " ".join(map(str, c.opsets)))
    reference = [n["name"] for n in nodes]

    def entry(e):
        return reference[e[0]] + ("[%d]" % e[1] if e[1] else "")

    for n in nodes:
        attrs = n.get("attrs", {})
        if n["op"] != "null":
            lines.append("%s = %s(%s)%s" % (n["name"], n["op"], ", ".join(map(entry, n["inputs"])), attrs_text(attrs)))
            continue
        if attrs:
            lines.append("var %s%s" % (n["name"], attrs_text(attrs)))
        if n["name"] in c.inputs:
            lines.append(array_text(c, n["name"], dynamic))
    if [e[:2] for e in k.symbol["heads"]] != [[len(nodes) - 1, 0]]:
        lines.append("output " + " ".join(map(entry, k.symbol["heads"])))
    return "\n".join(lines) + "\n"


def rebase(build):
    subprocess.run([os.path.join(build, "tests", "ops", "golden"), "--rebase", OPS, SUFFIX], check=True,
                   stdout=subprocess.DEVNULL)


def shorten(file):
    """Fewer opsets for cases that became too long."""
    with open(file) as f:
        parts = re.split(r"^(?=# )", f.read(), flags=re.M)
    for i, part in enumerate(parts):
        if part.count("\n") > LONG and "\nopset " not in part.partition("\n---\n")[0]:
            title, _, rest = part.partition("\n")
            parts[i] = "%s\n%s\n%s" % (title, ONE_OPSET, rest)
    with open(file, "w") as f:
        f.write("".join(parts))


def write(build, ops, missing):
    found, files, seen = list(candidates(ops)), {}, set()
    for operator in missing:
        chosen = choose(found, operator)
        if chosen and chosen not in seen:
            seen.add(chosen)
            files.setdefault(source(operator), []).append(case_text(*chosen))
    for old in glob.glob(os.path.join(OPS, "*", "*" + SUFFIX)):
        os.unlink(old)
    paths = [os.path.join(OPS, stem + SUFFIX) for stem in files]
    for path, texts in zip(paths, files.values()):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write("\n".join(text + "---\n" for text in texts))
    rebase(build)
    for path in paths:
        shorten(path)
    rebase(build)
    print("%d cases in %d files" % (len(seen), len(paths)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", metavar="BUILD", help="the build folder")
    parser.add_argument("--list", action="store_true", help="name what has no golden case, write nothing")
    arguments = parser.parse_args()
    ops = operators(arguments.build)
    texts = glob.glob(os.path.join(OPS, "*", "*.txt"))
    if not arguments.list:
        recorded_before = set(ops) - set(unnamed(ops, [t for t in texts if t.endswith(SUFFIX)]))
        unwritten = set(unnamed(ops, [t for t in texts if not t.endswith(SUFFIX)]))
        write(arguments.build, ops, sorted(recorded_before | unwritten))
        texts = glob.glob(os.path.join(OPS, "*", "*.txt"))
    left = unnamed(ops, texts)
    print("%d of %d operators have no golden case: %s" % (len(left), len(ops), " ".join(left)))


if __name__ == "__main__":
    main()
