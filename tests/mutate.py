#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How strong are the tests? Changes one operator, constant, word or statement of lib/ and ops/ at a time and looks which test notices.

    python3 tests/mutate.py FOLDER --count 100 --seed 1     100 changes, drawn by the seed, in a copy of the tree in FOLDER
    python3 tests/mutate.py FOLDER --minutes 60 --only ops/nn lib/graph/dim.c
    python3 tests/mutate.py FOLDER --file changes.tsv       those of a file: path, line as it is, line as it becomes
    python3 tests/mutate.py FOLDER --report                 the figures of all that ran in FOLDER, by file

A change that compiles is tried in this order until something fails: the golden texts, the rest of the fast suite and the
medium suite; every recorded case is converted, fixed and dynamic, and those whose bytes are others are run in ONNX Runtime and
compared with MXNet's results; the short ones of the other numeric tests; golden texts, fast and medium suite with the address
and undefined-behaviour sanitizers (not with --no-sanitizers). What no test notices is alive: a test is missing, or the change means the same. Changes of the second kind
stand in tests/mutants_same.tsv (path, line, changed line, why) and are not tried. FOLDER/results.tsv keeps what was tried;
a change in it is not tried again. Needs the virtual environment of tests/run.sh.
"""
import argparse
import collections
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SAME = os.path.join(ROOT, "tests", "mutants_same.tsv")
NUMERIC = os.path.join(ROOT, "tests", "numeric")
OPSETS = (12, 17, 26)
SANITIZERS = ["-Db_sanitize=address,undefined", "-Db_lundef=false", "-Dc_args=-fno-sanitize-recover=all"]
MOST_RUN = 40  # cases that are compared with MXNet's results
SHORT = ("batch_norm", "builder", "known_mistakes", "layers", "preprocess", "rnn", "routes", "samples", "scale")

# ---- what can be changed

TOKEN = re.compile(r"""
    (?P<skip>/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:\\\n|[^\n])*|'(?:\\.|[^'\\])+')
  | (?P<string>"(?:\\.|[^"\\\n])*")
  | (?P<number>\b\d+(?:\.\d*)?(?:e[+-]?\d+)?[uUlLf]*\b)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<operator><=|>=|==|!=|&&|\|\||\+=|-=|\+\+|--|->|<<|>>|[<>+\-*/%!&|])
    """, re.X | re.S | re.M)
OPERATORS = {"<": ["<="], "<=": ["<"], ">": [">="], ">=": [">"], "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
             "+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["/"], "+=": ["-="], "-=": ["+="], "&": ["|"], "|": ["&"],
             "<<": [">>"], ">>": ["<<"]}
SPACED = {"+", "-", "*", "/", "%", "&", "|", "<", ">"}  # with a blank on both sides, or it is a sign, a pointer or a type
PAIRS = [("true", "false"), ("break", "continue"), ("begin", "end"), ("first", "last"), ("rows", "columns"), ("min", "max"),
         ("lower", "upper"), ("before", "after"), ("FLOAT32", "FLOAT64"), ("INT64", "INT32"), ("OK", "LATER"),
         ("ceil", "floor"), ("add", "sub"), ("mul", "div"), ("MIN", "MAX"), ("height", "width"), ("left", "right")]
SWAPS = {a: b for pair in PAIRS for a, b in (pair, pair[::-1])}
CALL = re.compile(r"[ \t]+(?!return\b|goto\b)[a-z_A-Z][\w.>\[\]-]*(?:\(.*\)| (?:=|\+=|\|=) .*);")
LENGTH = re.compile(r"\n[ \t]+(?:[a-z_]\w* )+\*?\w+(?:\[\w+\])?(?:, \w+\[\w+\])*\[\d+\]\Z")  # of an array that is declared


def swapped(word):
    """MX_FLOAT32 -> MX_FLOAT64, and so on: what has no such twin does not compile."""
    parts = re.split(r"(_)", word)
    for i, part in enumerate(parts):
        if part in SWAPS:
            yield "".join(parts[:i] + [SWAPS[part]] + parts[i + 1:])


def more(number):
    """The same literal, one more; 0 for 1 as well."""
    m = re.fullmatch(r"(\d+)((?:\.\d*)?(?:e[+-]?\d+)?)([uUlLf]*)", number)
    if not m or len(m.group(1)) > 15:
        return
    yield str(int(m.group(1)) + 1) + m.group(2) + m.group(3)
    if number == "1":
        yield "0"


def texts(source):
    """The operators' names and numbers among the literals of a file."""
    found = set(re.findall(r'"[A-Z][A-Za-z0-9]+"', source))
    return sorted(found)


def tokens(source):
    """(from, to, replacement)"""
    names = texts(source)
    for m in TOKEN.finditer(source):
        kind, text, a, b = m.lastgroup, m.group(), m.start(), m.end()
        if kind == "operator":
            blanks = source[a - 1:a] == " " and source[b:b + 1] == " "
            if text == "!" and source[b:b + 1] != "=":
                yield a, b, ""
            for new in OPERATORS.get(text, ()):
                if blanks or text not in SPACED:
                    yield a, b, new
        elif kind == "number" and source[a - 1] not in ".x" and not LENGTH.search(source[:b + 1], source.rfind("\n", 0, a)):
            yield from ((a, b, new) for new in more(text))
        elif kind == "word":
            yield from ((a, b, new) for new in swapped(text))
        elif kind == "string":
            if text in names and len(names) > 1:
                yield a, b, names[(names.index(text) + 1) % len(names)]
            elif re.fullmatch(r'"\d+(\.\d+)?"', text):
                yield a, b, '"' + next(more(text[1:-1]), text[1:-1]) + '"'


def changes(path):
    """(path, line, changed line, position) of one file: every place, every way."""
    with open(os.path.join(ROOT, path)) as f:
        source = f.read()
    starts = [0] + [m.end() for m in re.finditer("\n", source)]
    body = False
    found = []
    for a, b, new in tokens(source):
        start = source.rfind("\n", 0, a) + 1
        end = source.find("\n", b)
        found.append((start, source[start:end], source[start:a] + new + source[b:end]))
    for start in starts:
        end = source.find("\n", start)
        line = source[start:end] if end >= 0 else ""
        body = line == "{" or body and line != "}"
        if body and CALL.fullmatch(line):
            found.append((start, line, re.match(r"[ \t]*", line).group() + ";"))
    return [(path, old, new, start) for start, old, new in found if old.startswith((" ", "\t")) and old != new]


def sources(only):
    listed = subprocess.run(["git", "ls-files", "lib", "ops"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [f for f in listed.split() if f.endswith(".c") and (not only or any(f.startswith(o) for o in only))]


def key(path, old, new):
    return path, " ".join(old.split()), " ".join(new.split())


def read_table(path):
    if not os.path.exists(path):
        return []
    with open(path) as f:
        return [line.rstrip("\n").split("\t") for line in f if line.strip() and not line.startswith("#")]


def from_file(path):
    """Changes of a table, each at its first place."""
    for file, old, new, *_ in read_table(path):
        with open(os.path.join(ROOT, file)) as f:
            source = f.read()
        at = [m.start() for m in re.finditer(r"^.*$", source, re.M) if key("", m.group(), "") == key("", old, "")]
        if at:
            line = source[at[0]:source.find("\n", at[0])]
            yield file, line, line[:len(line) - len(line.lstrip())] + new.strip(), at[0]
        else:
            print("no such line: %s: %s" % (file, old))


# ---- builds and tests

class Works:
    """A copy of the tree with a build and, for what lives in it, one with sanitizers."""

    def __init__(self, folder, sanitizers):
        self.builds = ["plain", "san"] if sanitizers else ["plain"]
        self.folder = os.path.abspath(folder)
        self.tree = os.path.join(self.folder, "tree")
        self.venv = os.path.join(ROOT, "build", "venv", "bin", "python")
        self.limit = {}
        self.env = dict(os.environ, OMP_NUM_THREADS="1", ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1",
                        PYTHONPATH=os.path.join(self.tree, "bindings", "python"),
                        MX2ONNX_LIBRARY=self.path("plain", "lib", "libmx2onnx.so"),
                        MX2ONNX_TOOL=self.path("plain", "examples", "mx2onnx"), MX2ONNX_BUILD=self.path("plain"))

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def copy(self):
        """The tree as git knows it, and only what is another, so that builds stay up to date."""
        listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
        kept = set()
        for file in filter(None, listed):
            source, target = os.path.join(ROOT, file), os.path.join(self.tree, file)
            if not os.path.exists(source):
                continue
            kept.add(target)
            with open(source, "rb") as f:
                new = f.read()
            if os.path.exists(target):
                with open(target, "rb") as f:
                    if f.read() == new:
                        continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(source, target)
            shutil.copymode(source, target)
        for at, _, files in os.walk(self.tree):
            for file in files:
                if os.path.join(at, file) not in kept:
                    os.unlink(os.path.join(at, file))

    def setup(self):
        options = ["-Doptimization=1", "-Ddebug=false", "-Dwerror=false"]
        for name in self.builds:
            if not os.path.exists(self.path(name, "build.ninja")):
                self.run(["meson", "setup", self.path(name), self.tree] + options + (SANITIZERS if name == "san" else []), 600, must=True)
            self.run(["ninja", "-C", self.path(name)], 3600, must=True)

    def run(self, words, limit, must=False, cwd=None, **env):
        try:
            p = subprocess.run(words, timeout=limit, cwd=cwd or self.folder, env=dict(self.env, **env), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        except subprocess.TimeoutExpired:
            return False
        if must and p.returncode:
            sys.exit("%s:\n%s" % (" ".join(words), p.stdout[-4000:]))
        self.said = p.stdout
        return p.returncode == 0

    def timed(self, name, words, **more_arguments):
        """The first time without a change: it must pass, and says how long it may take later."""
        if name not in self.limit:
            start = time.time()
            self.run(words, 3600, must=True, **more_arguments)
            self.limit[name] = 20 + 6 * (time.time() - start)
            return True
        return self.run(words, self.limit[name], **more_arguments)

    def golden(self, build):
        return self.timed("golden " + build, [self.path(build, "tests", "ops", "golden"), os.path.join(self.tree, "tests", "ops")])

    def suites(self, build):
        skip = {"golden", "bench", "bench_table", "install", "exports"}
        if not hasattr(self, "tests"):
            self.run(["meson", "test", "-C", self.path(build), "--list"], 60, must=True)
            rows = [line for line in self.said.split("\n") if " / " in line and ("fast" in line or "medium" in line)]
            self.tests = sorted({row.split(" / ")[1].split()[0] for row in rows} - skip)
        return self.timed("suites " + build,
                          ["meson", "test", "-C", self.path(build), "--no-rebuild", "-t", "20", "--maxfail", "1"] + self.tests)

    # ---- numbers

    def conversions(self):
        """The answers of convert_many: {case: status and digest}."""
        if not os.path.exists(self.path("cases", "list")):
            os.makedirs(self.path("cases"), exist_ok=True)
            self.run([self.venv, os.path.join(self.tree, "tests", "mutate.py"), self.folder, "--cases"], 600, must=True)
        with open(self.path("cases", "list")) as f:
            try:
                p = subprocess.run([self.path("plain", "tests", "numeric", "convert_many")], stdin=f, capture_output=True,
                                   text=True, errors="replace", timeout=240)
            except subprocess.TimeoutExpired:
                return None
        if p.returncode:
            return None
        return dict(line.split(" ", 1) for line in p.stdout.splitlines())

    def numbers(self):
        """Do the recorded cases whose bytes are others agree with MXNet? The number of them, or None if one does not."""
        now = self.conversions()
        if now is None:
            return None
        if not hasattr(self, "right"):
            self.right = now
        other = sorted(k for k in self.right if now.get(k) != self.right[k])
        if other:
            other = random.Random(1).sample(other, min(MOST_RUN, len(other)))
            if not self.run([self.venv, os.path.join(self.tree, "tests", "mutate.py"), self.folder, "--compare"] + other, 600):
                return None
        return len(other)

    def rest(self):
        files = ["test_%s.py" % f for f in SHORT]
        return self.timed("rest", [self.venv, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--basetemp",
                                   self.path("pytest")] + [os.path.join(self.tree, "tests", "numeric", f) for f in files])

    def try_change(self):
        """Who notices: "build", "golden", "suites", "numbers", "rest", "sanitizers" or nobody: "alive"."""
        library = os.path.join("lib", os.path.basename(os.path.realpath(self.path("plain", "lib", "libmx2onnx.so"))))
        if not self.run(["ninja", "-C", self.path("plain"), library, "tests/ops/golden"], 900):
            return "build"
        if not self.golden("plain"):
            return "golden"
        if not self.run(["ninja", "-C", self.path("plain")], 900):
            return "build"
        if not self.suites("plain"):
            return "suites"
        if self.numbers() is None:
            return "numbers"
        if not self.rest():
            return "rest"
        if "san" in self.builds:
            self.run(["ninja", "-C", self.path("san")], 1800)
            return "alive" if self.golden("san") and self.suites("san") else "sanitizers"
        return "alive"


def write_cases(folder):
    """FOLDER/cases: every recorded case as files, and the lines that convert_many reads."""
    sys.path.insert(0, NUMERIC)
    import sanitize
    at = os.path.join(folder, "cases")
    with open(os.path.join(at, "list"), "w") as f:
        for name, files, inputs, dynamic, _ in sanitize.every_case(at, ""):
            for opset in OPSETS:
                for way, dims in {"fixed": {}, **({"dynamic": dynamic} if dynamic else {})}.items():
                    row = ["%s:%d:%s" % (name, opset, way)] + files + [opset] + sanitize.words(inputs, dims)
                    f.write(" ".join(map(str, row)) + "\n")


def compare_cases(folder, keys):
    """Runs these cases as tests/numeric/test_ops.py does."""
    import pathlib
    sys.path.insert(0, NUMERIC)
    import cases
    import convert
    import test_ops
    known = {"%s/%s" % (c.group, c.name): c for group in cases.groups() for c in cases.load(group)}
    converter = convert.route("capi")
    with tempfile.TemporaryDirectory() as scratch:
        for k in keys:
            name, opset, way = k.rsplit(":", 2)
            c, opset = known[name], int(opset)
            if c.error or c.dynamic_error:
                test = test_ops.test_error if opset in c.opsets and (way == "dynamic") == bool(c.dynamic_error) else None
            elif way == "dynamic":
                test = test_ops.test_dynamic if min(c.opsets) <= opset <= max(c.opsets) else None
            else:
                test = test_ops.test_static if min(c.opsets) <= opset <= max(c.opsets) else None
            if test:
                test(converter, c, opset, pathlib.Path(scratch))


# ---- the run

def report(rows):
    by_file = collections.defaultdict(collections.Counter)
    total = collections.Counter()
    for path, _, _, _, result, *_ in rows:
        by_file[path][result] += 1
        total[result] += 1
    for path, n in sorted(by_file.items()):
        if n["alive"]:
            print("%-40s %3d of %3d alive" % (path, n["alive"], sum(n.values())))
    count = sum(total.values())
    print("%d changes that compile: %s; %d alive (%.1f%%)" % (
        count, ", ".join("%s %d" % (k, n) for k, n in total.most_common() if k != "alive"), total["alive"],
        100 * total["alive"] / max(count, 1)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=10 ** 9, help="changes that compile")
    parser.add_argument("--minutes", type=float, default=10 ** 9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", help="files or folders of lib and ops")
    parser.add_argument("--file", help="the changes of a table instead of random ones")
    parser.add_argument("--no-sanitizers", action="store_true", help="without the last step, which is the slowest")
    parser.add_argument("--again", action="store_true", help="also what was tried already")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--cases", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--compare", nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args()
    results = os.path.join(args.folder, "results.tsv")
    if args.cases:
        return write_cases(args.folder)
    if args.compare:
        return compare_cases(args.folder, args.compare)
    if args.report:
        return report(read_table(results))
    if args.file:
        todo = list(from_file(args.file))
    else:
        todo = sorted(c for path in sources(args.only) for c in changes(path))
        random.Random(args.seed).shuffle(todo)
    same = {key(*row[:3]) for row in read_table(SAME)}
    tried = set() if args.again or args.file else {key(*row[:3]) for row in read_table(results)}
    works = Works(args.folder, not args.no_sanitizers)
    os.makedirs(works.folder, exist_ok=True)
    works.copy()
    works.setup()
    for build in works.builds:
        works.golden(build), works.suites(build)
    works.numbers(), works.rest()
    print("%d places; without a change: %s" % (len(todo), ", ".join("%s %.0f s" % (k, (v - 20) / 6) for k, v in works.limit.items())),
          flush=True)
    rows, end = [], time.time() + 60 * args.minutes
    for path, old, new, start in todo:
        if len(rows) >= args.count or time.time() > end:
            break
        if key(path, old, new) in same or key(path, old, new) in tried:
            continue
        target = os.path.join(works.tree, path)
        with open(target) as f:
            source = f.read()
        if source[start:start + len(old)] != old:
            continue
        began = time.time()
        try:
            with open(target, "w") as f:
                f.write(source[:start] + new + source[start + len(old):])
            result = works.try_change()
        finally:
            with open(target, "w") as f:
                f.write(source)
        if result == "build":
            continue
        row = [path, old.strip(), new.strip(), str(source.count("\n", 0, start) + 1), result, "%.0f" % (time.time() - began)]
        rows.append(row)
        with open(results, "a") as f:
            f.write("\t".join(row) + "\n")
        if result == "alive":
            print("alive %s:%s: `%s` -> `%s`" % (path, row[3], row[1], row[2]), flush=True)
    report(rows)


if __name__ == "__main__":
    sys.exit(main())
