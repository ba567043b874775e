#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How strong are the tests? Changes an operator, constant, word or statement of lib/ or ops/ and looks which test notices.

    python3 tests/mutate.py FOLDER --count 100 --seed 1     100 changes, drawn by the seed, in a copy of the tree in FOLDER
    python3 tests/mutate.py FOLDER --minutes 60 --only ops/nn lib/graph/dim.c
    python3 tests/mutate.py FOLDER --file changes.tsv       those of a file: path, line as it is, line as it becomes
    python3 tests/mutate.py FOLDER --alive                  those that lived in FOLDER, with the tests as they are now
    python3 tests/mutate.py --rows                          whether mutants_same.tsv fits the tree
    python3 tests/mutate.py FOLDER --report                 the figures of all that ran in FOLDER, by file

A change that compiles is tried by these steps until one fails:

    golden      the golden texts
    digests     the bytes of every recorded case and net, fixed and dynamic, at five opsets
    fast        the other tests of the fast suite, those first that noticed most so far, then the shortest
    python      the tests of the Python package
    numeric     the short ones of the other numeric tests
    sanitizers  golden texts and fast suite in a build with the address and undefined-behaviour sanitizers
    medium      the medium suite

The last four are slow and left out with --quick. Tests of the tree's form, and those that build the library again, are not asked.
A test that takes more than six times its usual time, and 20 s, or more memory than all need, has noticed. A change that does not
compile is not counted.

What no test notices is alive: a test is missing, or the change means the same. Of the second kind are changes from which the
compiler makes the same code, and those in tests/mutants_same.tsv (path, line, changed line, why); they are counted and not tried.
FOLDER/results.tsv keeps what was tried; a change in it is not tried again. Needs the virtual environment of tests/run.sh. FOLDER
is best in memory. A changed library may write or remove files outside of FOLDER: do not run this as a user who may remove /dev/null.
"""
import argparse
import collections
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SAME = os.path.join(ROOT, "tests", "mutants_same.tsv")
NUMERIC = os.path.join(ROOT, "tests", "numeric")
SANITIZERS = ["-Db_sanitize=address,undefined", "-Db_lundef=false", "-Dc_args=-fno-sanitize-recover=all"]
STEPS = ("golden", "digests", "fast", "python", "numeric", "sanitizers", "medium")
SLOW = 4  # of them, the last ones
MOST_MEMORY = 12 << 30
SHORT = ("attributes", "batch_norm", "builder", "files", "handlers", "in_place", "known_mistakes", "layers", "preprocess", "random", "random_numpy",
         "rare", "rnn", "routes", "samples", "scale", "sequences", "split_products", "targets", "tied")
FORM = {"includes", "floors", "header_c99", "header_cxx11", "abi", "exports", "install", "subproject", "amalgamation", "bench",
        "bench_table", "golden"}  # golden is its own step

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
CALL = re.compile(r"[ \t]+(?!return\b|goto\b|assert\b)[a-z_A-Z][\w.>\[\]-]*(?:\(.*\)| (?:=|\+=|\|=) .*);")
EXTREME = re.compile(r"(?:[=,|&?:{] |[({]|return )([\w.>\[\]-]+) ([<>]=?) ([\w.>\[\]-]+) \? (?:\1 : \3|\3 : \1)(?![\w.(\[-])")
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
    extremes = {m.start(2) for m in EXTREME.finditer(source)}  # the lesser or greater of two, which are the same where they are equal
    for m in TOKEN.finditer(source):
        kind, text, a, b = m.lastgroup, m.group(), m.start(), m.end()
        if kind == "operator" and a not in extremes:
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


def same_rows():
    """Of changes that mean the same; a row whose line is no longer there must go."""
    rows = read_table(SAME)
    for path, old, *_ in rows:
        lines = []
        if os.path.exists(os.path.join(ROOT, path)):
            with open(os.path.join(ROOT, path)) as f:
                lines = [" ".join(line.split()) for line in f]
        if " ".join(old.split()) not in lines:
            sys.exit("%s: %s does not have the line: %s" % (SAME, path, old))
    return rows


def from_table(rows):
    """Changes of a table, each at the place that is nearest to the line number that it may name."""
    for file, old, new, *more_words in rows:
        source = ""
        if os.path.exists(os.path.join(ROOT, file)):
            with open(os.path.join(ROOT, file)) as f:
                source = f.read()
        at = [m.start() for m in re.finditer(r"^.*$", source, re.M) if key("", m.group(), "") == key("", old, "")]
        if at:
            number = int(more_words[0]) if more_words and more_words[0].isdigit() else 0
            start = min(at, key=lambda a: abs(source.count("\n", 0, a) + 1 - number))
            line = source[start:source.find("\n", start)]
            yield file, line, line[:len(line) - len(line.lstrip())] + new.strip(), start
        else:
            print("no such line: %s: %s" % (file, old))


# ---- builds and tests

class Noticed(Exception):
    """What noticed."""


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Works:
    """A copy of the tree with a build and, for what lives in it, one with sanitizers."""

    def __init__(self, folder, steps):
        self.folder = os.path.abspath(folder)
        self.tree = self.path("tree")
        self.steps = steps
        self.builds = ["plain", "san"] if "sanitizers" in steps else ["plain"]
        self.venv = os.path.join(ROOT, "build", "venv", "bin", "python")
        self.right_digests = None  # what convert_many prints without a change
        self.usual = {}  # seconds of each test without a change
        self.kills = collections.Counter()
        self.env = dict(os.environ, OMP_NUM_THREADS="1", TMPDIR=self.path("tmp"),
                        ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1:hard_rss_limit_mb=4096",
                        PYTHONPATH=os.path.join(self.tree, "bindings", "python"),
                        MX2ONNX_LIBRARY=self.path("plain", "lib", "libmx2onnx.so"),
                        MX2ONNX_TOOL=self.path("plain", "examples", "mx2onnx"), MX2ONNX_BUILD=self.path("plain"))

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def copy(self):
        """The tree as git knows it, and only what is another, so that builds stay up to date."""
        listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True,
                                text=True, check=True).stdout.split("\n")
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
        """Builds what is not changed, and runs every test: it must pass, and says how long it may take later."""
        os.makedirs(self.path("tmp"), exist_ok=True)
        options = ["--buildtype=debugoptimized", "-Doptimization=1", "-Ddebug=false"]
        for name in self.builds:
            if not os.path.exists(self.path(name, "build.ninja")):
                self.must(["meson", "setup", self.path(name), self.tree] + options + (SANITIZERS if name == "san" else []))
            self.must(["ninja", "-C", self.path(name)])
        self.library = os.path.join("lib", os.path.basename(os.path.realpath(self.path("plain", "lib", "libmx2onnx.so"))))
        self.code = self.read_library()
        self.tests = {name: self.tests_of(name) for name in self.builds}
        for step in self.steps:
            try:
                getattr(self, step)()
            except Noticed as e:
                sys.exit("without a change %s fails:\n%s" % (e, self.said[-4000:]))

    def tests_of(self, build):
        """By suite; not all builds have all."""
        tests = {"fast": [], "medium": []}
        for t in json.loads(self.must(["meson", "introspect", self.path(build), "--tests"])):
            suites = [s.split(":")[1] for s in t["suite"]]
            if t["name"] not in FORM and suites[0] in tests:
                t["key"] = "%s/%s" % (suites[-1], t["name"])
                tests[suites[0]].append(t)
        return tests

    def read_library(self):
        with open(self.path("plain", self.library), "rb") as f:
            return f.read()

    def run(self, words, limit, stdin=None, plain=True, cwd=None, **env):
        """The exit status, or None after LIMIT seconds; self.said is what it printed. Nothing of it runs on."""
        p = subprocess.Popen(words, cwd=cwd or self.folder, env=dict(self.env, **env), stdin=stdin or subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                             start_new_session=True, preexec_fn=limits if plain else None)
        try:
            self.said = p.communicate(timeout=limit)[0]
            return p.returncode
        except subprocess.TimeoutExpired:
            return None
        finally:
            try:
                os.killpg(p.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            p.communicate()

    def must(self, words):
        if self.run(words, 3600, plain=False):
            sys.exit("%s:\n%s" % (" ".join(words), self.said[-4000:]))
        return self.said

    def ask(self, name, words, **more_arguments):
        """Runs a test, which may take longer than the first time, but not much."""
        start = time.time()
        status = self.run(words, 20 + 6 * self.usual[name] if name in self.usual else 3600, **more_arguments)
        if status is None:
            raise Noticed(name + ", timeout")
        if status:
            raise Noticed(name)
        self.usual.setdefault(name, time.time() - start)

    # ---- the steps

    def ask_golden(self, build):
        self.ask(build + " golden", [self.path(build, "tests", "ops", "golden"), os.path.join(self.tree, "tests", "ops")],
                 plain=build == "plain")

    def ask_suite(self, suite, build):
        usual = self.usual
        for t in sorted(self.tests[build][suite], key=lambda t: (-self.kills["plain " + t["key"]], usual.get("plain " + t["key"], 0))):
            self.ask(build + " " + t["key"], t["cmd"], plain=build == "plain", cwd=self.path(build), **t["env"])

    def golden(self):
        self.ask_golden("plain")

    def fast(self):
        if self.run(["ninja", "-C", self.path("plain")], 900, plain=False):
            raise Noticed("build")
        self.ask_suite("fast", "plain")

    def digests(self):
        if not os.path.exists(self.path("cases")):
            os.makedirs(self.path("cases"))
            self.must([self.venv, os.path.join(self.tree, "tests", "mutate.py"), self.folder, "--cases"])
        with open(self.path("cases", "lines")) as f:
            self.ask("digests", [self.path("plain", "tests", "numeric", "convert_many")], stdin=f)
        if (self.right_digests or self.said) != self.said:
            raise Noticed("digests")
        self.right_digests = self.said

    def pytest(self, name, *words):
        self.ask(name, [self.venv, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--basetemp", self.path("pytest"), *words])

    def numeric(self):
        self.pytest("numeric", *(os.path.join(self.tree, "tests", "numeric", "test_%s.py" % f) for f in SHORT))

    def python(self):
        self.pytest("python", os.path.join(self.tree, "tests", "python"))

    def medium(self):
        self.ask_suite("medium", "plain")

    def sanitizers(self):
        if self.run(["ninja", "-C", self.path("san")], 1800, plain=False):
            raise Noticed("build")
        self.ask_golden("san")
        self.ask_suite("fast", "san")

    def try_change(self):
        """(step, what) that noticed, or ("alive", "")."""
        if self.run(["ninja", "-C", self.path("plain"), self.library, "tests/ops/golden"], 900, plain=False):
            return "build", ""
        if self.read_library() == self.code:
            return "same", "code"
        for step in self.steps:
            try:
                getattr(self, step)()
            except Noticed as e:
                self.kills[str(e)] += 1
                return step, str(e)
        return "alive", ""


def write_cases(folder):
    """FOLDER/cases: every recorded case and net as files, and the lines that convert_many reads."""
    sys.path.insert(0, NUMERIC)
    import digests
    with open(os.path.join(folder, "cases", "lines"), "w") as f:
        f.writelines(line + "\n" for line in digests.lines(os.path.join(folder, "cases")))


# ---- the run

def report(rows):
    by_file = collections.defaultdict(collections.Counter)
    total, what = collections.Counter(), collections.Counter()
    for path, _, _, _, result, _, noticed in rows:
        by_file[path][result] += 1
        total[result] += 1
        what[noticed] += 1
    for path, n in sorted(by_file.items()):
        if n["alive"]:
            print("%-40s %3d of %3d alive" % (path, n["alive"], sum(n.values())))
    count = sum(total.values())
    print("by test: " + ", ".join("%s %d" % (k, n) for k, n in what.most_common() if k))
    print("%d changes that compile: %s; %d mean the same; %d alive (%.1f%%)" % (
        count, ", ".join("%s %d" % (s, total[s]) for s in STEPS if total[s]), total["same"], total["alive"],
        100 * total["alive"] / max(count, 1)))


def write_results(path, rows):
    with open(path, "w") as f:
        f.writelines("\t".join(row) + "\n" for row in rows)


def run(works, todo, args, results):
    """Tries the changes and keeps what came of them in RESULTS."""
    same = {key(*row[:3]) for row in same_rows()}
    rows = {key(*row[:3]) + (row[3],): row for row in read_table(results)}
    count, end = 0, time.time() + 60 * args.minutes
    for path, old, new, start in todo:
        if count >= args.count or time.time() > end:
            break
        target = os.path.join(works.tree, path)
        with open(target) as f:
            source = f.read()
        number = str(source.count("\n", 0, start) + 1)
        known = key(path, old, new) + (number,)
        if source[start:start + len(old)] != old or "_windows" in path:  # which is not compiled
            continue
        if known in rows and not (args.file or args.alive):
            count += rows[known][4] != "build"
            continue
        began = time.time()
        result, noticed = "same", ""
        if key(path, old, new) not in same:
            try:
                with open(target, "w") as f:
                    f.write(source[:start] + new + source[start + len(old):])
                result, noticed = works.try_change()
            finally:
                with open(target, "w") as f:
                    f.write(source)
        count += result != "build"
        rows[known] = [path, old.strip(), new.strip(), number, result, "%.0f" % (time.time() - began), noticed]
        write_results(results, rows.values())
        if result == "alive":
            print("alive %s:%s: `%s` -> `%s`" % (path, number, old.strip(), new.strip()), flush=True)
    report([row for row in rows.values() if row[4] != "build"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--count", type=int, default=10 ** 9, help="changes that compile")
    parser.add_argument("--minutes", type=float, default=10 ** 9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", help="files or folders of lib and ops")
    parser.add_argument("--file", help="the changes of a table instead of random ones")
    parser.add_argument("--alive", action="store_true", help="again those that lived, instead of random ones")
    parser.add_argument("--quick", action="store_true", help="without the slow steps")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--rows", action="store_true", help="only whether each line of mutants_same.tsv is there; needs no folder")
    parser.add_argument("--cases", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.rows:
        return 0 if same_rows() else 1
    if not args.folder:
        parser.error("FOLDER is missing")
    results = os.path.join(args.folder, "results.tsv")
    if args.cases:
        return write_cases(args.folder)
    if args.report:
        return report([row for row in read_table(results) if row[4] != "build"])
    if args.file or args.alive:
        todo = list(from_table(read_table(args.file) if args.file else [r for r in read_table(results) if r[4] == "alive"]))
    else:
        todo = sorted(c for path in sources(args.only) for c in changes(path))
        random.Random(args.seed).shuffle(todo)
    works = Works(args.folder, STEPS[:-SLOW] if args.quick else STEPS)
    os.makedirs(works.folder, exist_ok=True)
    works.copy()
    works.setup()
    print("%d places; seconds without a change: %s" % (
        len(todo), ", ".join("%s %.1f" % (k, v) for k, v in sorted(works.usual.items(), key=lambda i: -i[1])[:16])), flush=True)
    run(works, todo, args, results)


if __name__ == "__main__":
    sys.exit(main())
