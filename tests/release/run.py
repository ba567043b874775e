#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs each package of a release where nothing of this tree is, converts the digits there and compares the hash. On Debian, as root.

    python3 tests/release/run.py                        all, of a release of the last commit, which is made first
    python3 tests/release/run.py --release FOLDER       of one that is there
    python3 tests/release/run.py npm crates             these
    python3 tests/release/run.py --quick                what takes a minute: what needs no compiler of other systems is made and looked at, and
                                                        used on this machine as far as its tools are here
    --install                                           release.py and this install what they need

NAME.sh is run in a chroot made by debootstrap; its first lines say in which Debian, and which files of the release it gets. Each
NAME.onnx that it names must be there afterwards with the hash that bindings/cases has; a script that converts nothing says so. The results
go to results.json with the commit that the release was made of, and from there to the table in bindings/README.md.
"""
import argparse
import datetime
import glob
import hashlib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TOP = os.path.join(ROOT, "build", "release-test")
RESULTS = os.path.join(HERE, "results.json")
sys.path.append(os.path.join(ROOT, "tests", "support"))
import documents  # noqa: E402
import here  # noqa: E402
import metadata  # noqa: E402


def say(text):
    print("== " + text, flush=True)


def wanted_hash():
    """Of the digits for one image, as every language writes them."""
    with open(os.path.join(ROOT, "bindings", "cases", "cases.json"), encoding="utf-8") as f:
        text = f.read()
    cases = json.loads(text)
    steps = next(c["steps"] for c in (cases["cases"] if isinstance(cases, dict) else cases) if c["name"] == "file to file")
    return next(s["expect"]["sha256"] for s in steps if s["do"] == "export_file")


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def codename():
    with open("/etc/os-release", encoding="utf-8") as f:
        return re.search(r"^VERSION_CODENAME=(\w+)", f.read(), re.M).group(1)


class Script:
    """NAME.sh, and what its first lines say."""

    def __init__(self, name):
        self.name = name
        with open(os.path.join(HERE, name + ".sh"), encoding="utf-8") as f:
            self.text = f.read()
        first, second, *_ = self.text.splitlines()
        self.release = first.replace("# in: ", "").replace("here", codename())
        self.patterns = second.replace("# files: ", "").split()
        self.where = "a chroot of Debian " + self.release
        self.how = " ".join(line[2:] for line in itertools.takewhile(lambda line: line.startswith("# "), self.text.splitlines()[2:]))
        self.outputs = sorted(set(re.findall(r"/([\w-]+)\.onnx", self.text)))
        self.converts = "It converts nothing." not in self.text

    def prepare(self, release):
        folder = os.path.join(TOP, self.name)
        shutil.rmtree(folder, ignore_errors=True)
        for name in ("net", "tests", "release", "out"):
            os.makedirs(os.path.join(folder, name))
        for path in glob.glob(os.path.join(ROOT, "examples", "digits", "digits-*")) + [os.path.join(HERE, "main.c")]:
            shutil.copy(path, os.path.join(folder, "net"))
        for name in ("crates.sh", "freethreaded.sh", "go.sh", "homebrew.rb", "registry.mjs", "threads.py", "vcpkg.cmake"):
            shutil.copy(os.path.join(HERE, name), os.path.join(folder, "tests"))
        for pattern in self.patterns:
            found = glob.glob(os.path.join(release, pattern))
            if not found:
                raise SystemExit("%s: the release has no %s" % (self.name, pattern))
            for path in found:
                to = os.path.join(folder, "release", os.path.relpath(path, release))
                os.makedirs(os.path.dirname(to), exist_ok=True)
                shutil.copytree(path, to, dirs_exist_ok=True) if os.path.isdir(path) else shutil.copy(path, to)
        with open(os.path.join(HERE, "prologue.sh"), encoding="utf-8") as f, open(os.path.join(folder, "run.sh"), "w", encoding="utf-8") as out:
            out.write(f.read() + self.text)
        return folder

    def run(self, release, wanted):
        """What is wrong, or ""."""
        folder = self.prepare(release)
        log = os.path.join(folder, "log.txt")
        with open(log, "wb") as out:
            status = subprocess.run(["bash", os.path.join(ROOT, "tests", "platforms", "bare.sh"), self.release, "with", folder],
                                    stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT).returncode
        if status:
            with open(log, encoding="utf-8", errors="replace") as f:
                return "it ended with %d:\n%s" % (status, f.read()[-3000:])
        return differences(os.path.join(folder, "out"), self.outputs, wanted) if self.converts else ""


def differences(folder, names, wanted):
    found = {name: digest(os.path.join(folder, name + ".onnx")) if os.path.exists(os.path.join(folder, name + ".onnx")) else "nothing" for name in names}
    return "; ".join("%s: %s" % (name, sha) for name, sha in found.items() if sha != wanted) or ("" if names else "it writes nothing")


def commit_of(release):
    """The last commit, short, if the release has its time; else "another"."""
    commit, when = subprocess.run(["git", "-c", "safe.directory=" + ROOT, "-C", ROOT, "log", "-1", "--abbrev=8", "--format=%h %ct"], check=True,
                                  stdout=subprocess.PIPE, text=True).stdout.split()
    with tarfile.open(glob.glob(os.path.join(release, "libmx2onnx-*.tar.gz"))[0]) as tar:
        return commit if tar.next().mtime == int(when) else "another"


def write_table():
    found, all_of = documents.load(RESULTS), tests()
    lines = ["| test | how it was installed or tried | where | converted by | hash | day | commit |", "| --- " * 7 + "|"]
    for name in sorted(found):
        row, test = found[name], all_of[name]
        how = getattr(test, "how", None) or test.__doc__
        equal = "failed" if not row["ok"] else "equal" if row["outputs"] else "-"
        lines.append("| %s | %s | %s | %s | %s | %s | %s |" % (
            name, how[0].upper() + how[1:].rstrip("."), row["where"], ", ".join(row["outputs"]), equal, row["day"], row["commit"]))
    path = os.path.join(ROOT, "bindings", "README.md")
    documents.write(path, documents.with_table(path, "<!-- made by tests/release/run.py -->", "<!-- end -->", lines))


def tests():
    """{name: how it is tried}: the scripts, and what is tried on this machine."""
    scripts = sorted(os.path.basename(p)[:-3] for p in glob.glob(os.path.join(HERE, "*.sh")))
    return {**{n: Script(n) for n in scripts if n != "prologue"}, **here.TESTS}


def make(folder, *options):
    say("Making a release of the last commit")
    subprocess.run([sys.executable, os.path.join(ROOT, "bindings", "release.py"), folder, *options], check=True, stdin=subprocess.DEVNULL)


def quick():
    with tempfile.TemporaryDirectory(prefix="quick-", dir=TOP) as top:  # two may run at once
        folder = os.path.join(top, "release")
        make(folder, "--last-commit", "--only", "source,amalgamation,go,recipes" + (",crates" if shutil.which("cargo") else ""), "--work", os.path.join(top, "work"))
        found = [here.look(folder), here.use_go(folder, os.path.join(top, "go"), wanted_hash()), here.described(folder, metadata.QUICK)]
    failures = [f for f in found if f]
    for failure in failures:
        print(failure)
    print("%d passed, %d failed" % (len(found) - len(failures), len(failures)))
    return bool(failures)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("names", nargs="*")
    arguments.add_argument("--release")
    arguments.add_argument("--quick", action="store_true")
    arguments.add_argument("--install", action="store_true")
    a = arguments.parse_args()
    os.makedirs(TOP, exist_ok=True)
    if a.quick:
        return quick()
    all_of = tests()
    if not set(a.names) <= set(all_of):
        arguments.error("the tests are " + " ".join(all_of))
    if a.install:
        subprocess.run(["bash", "-c", ". examples/setup.sh && install_packages debootstrap wine64"], cwd=ROOT, check=True)
    release = os.path.abspath(a.release or os.path.join(TOP, "release"))
    if not a.release:
        make(release, *(["--install"] if a.install else []))
    wanted, commit, failed = wanted_hash(), commit_of(release), 0
    for name in a.names or list(all_of):
        start, test = time.time(), all_of[name]
        try:
            wrong = test.run(release, wanted)
        except SystemExit as e:
            wrong = str(e)
        say("%s: %s, %.0f s" % (name, wrong or "%s with the hash %s" % (", ".join(test.outputs), wanted[:8]) if wrong or test.outputs else "nothing wrong", time.time() - start))
        failed += bool(wrong)
        results = documents.load(RESULTS) if os.path.exists(RESULTS) else {}  # another run may have written it
        results[name] = {"where": test.where, "outputs": test.outputs, "ok": not wrong, "day": datetime.date.today().isoformat(), "commit": commit}
        documents.save(RESULTS, results)
    write_table()
    print("%d passed, %d failed" % (len(a.names or all_of) - failed, failed))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
