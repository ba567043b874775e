#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The library on other platforms: builds it for each, runs its tests there and compares what it exports with what the
native build exports, byte for byte. On Debian, with build/venv.

    build/venv/bin/python tests/platforms/run.py                     all platforms
    build/venv/bin/python tests/platforms/run.py s390x windows       these
    build/venv/bin/python tests/platforms/run.py --quick s390x wasm  the model of examples/digits and 100 cases, no unit tests
    build/venv/bin/python tests/platforms/run.py --here windows      the files as they are, not as they were committed
    python3 tests/platforms/run.py --build wasm                      built and no more, of the files as they are

What is built and run is the last commit, in its own tree (build/platforms/tree): edits meanwhile change nothing. Each
platform's result goes to results.json, from which README.md's table is made. A platform is a cross file of meson in cross/,
the packages that it needs and how its programs are run. jansson, libzip, zlib, nanopb and cmocka are built from Debian's
source packages.
"""
import argparse
import ast
import configparser
import datetime
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor

import command_line
import dependencies
from dependencies import HERE, ROOT

sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
import documents  # noqa: E402

TOP = os.path.join(ROOT, "build", "platforms")
TREE = os.path.join(TOP, "tree")
RESULTS = os.path.join(HERE, "results.json")
AMALGAMATION = os.path.join(ROOT, "build", "lib", "amalgamation", "mx2onnx.c")
FLOATS = {"x86": ["-msse2", "-mfpmath=sse"], "s390x": ["-fexcess-precision=fast"]}  # as in the project's meson.build
SUITES = ("unit", "golden", "bad", "fuzz", "wasm")

PLATFORMS = {  # name: what it is, Debian packages
    "aarch64": ("Linux, qemu", "gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static"),
    "armhf": ("Linux, 32 bits, qemu", "gcc-arm-linux-gnueabihf libc6-dev-armhf-cross qemu-user-static"),
    "riscv64": ("Linux, qemu", "gcc-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user-static"),
    "s390x": ("Linux, big-endian, qemu", "gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user-static"),
    "i386": ("Linux, 32 bits, qemu", "gcc-i686-linux-gnu libc6-dev-i386-cross qemu-user-static"),
    "musl": ("Linux x86-64, static", "musl-tools"),
    "windows": ("Windows x64 by mingw-w64, wine", "gcc-mingw-w64-x86-64 wine64"),
    "wasm": ("WebAssembly by emscripten, node", "emscripten nodejs node-acorn"),
    "wasi": ("WebAssembly with WASI by zig, wasmtime", "llvm"),
    "macos-arm64": ("macOS 11 on arm64 by zig, built and not run", "llvm"),
    "macos-x86_64": ("macOS 10.15 on x86-64 by zig, built and not run", "llvm"),
}
EVERYWHERE = "meson ninja-build pkg-config gcc libc6-dev uthash-dev nanopb"
ZIG = os.path.join(TOP, "zig")  # a virtual environment with zig, which brings what macOS is linked with, and a meson that knows it;
                                # and what wheels are made with


def say(text):
    print("== " + text, flush=True)


class Failed(SystemExit):
    """A command failed; if it is not caught, it ends the program."""


def call(*command, **options):
    """Runs a command; its output goes to a log, whose end is shown when it fails."""
    log = options.pop("log")
    with open(log, "ab") as out:
        code = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, **options).returncode
    if code != 0:
        with open(log, errors="replace") as f:
            raise Failed("%s\n%s\nfailed; the log is %s" % (f.read()[-4000:], " ".join(command), log))


class Platform:
    """A cross file and the folder with what is made from it; in a quick run without libzip and cmocka."""

    needed = ("convert_many",)

    def __init__(self, name, quick):
        self.name, self.quick = name, quick
        self.folder = os.path.join(TOP, name + ("-quick" if quick else ""))
        self.cross = os.path.join(HERE, "cross", name + ".ini")
        self.build, self.log = os.path.join(self.folder, "build"), os.path.join(self.folder, "log.txt")
        os.makedirs(self.folder, exist_ok=True)
        cross = configparser.ConfigParser()
        cross.read(self.cross)
        self.binaries = {k: ast.literal_eval(v) for k, v in cross["binaries"].items()}
        self.host = {k: ast.literal_eval(v) for k, v in cross["host_machine"].items()}
        wrapper = self.binaries.get("exe_wrapper", [])
        self.wrapper = [wrapper] if isinstance(wrapper, str) else wrapper
        self.env = dict(os.environ)  # of programs; for wine, where it finds its world and the library
        self.env.update(WINEPREFIX=os.path.join(self.folder, "wine"), WINEDEBUG="-all", WINEPATH=os.path.join(self.build, "lib"),
                        LC_ALL="C.UTF-8")
        self.env.setdefault("NODE_PATH", "/usr/share/nodejs")  # emcc's passes over JavaScript want acorn
        self.env.pop("CC", None)
        if self.binaries["c"][0] == "zig":
            self.env["PATH"] = os.path.join(ZIG, "bin") + os.pathsep + self.env["PATH"]
        self.suffix = {"windows": ".exe", "emscripten": ".js"}.get(self.host["system"], "")

    def configure(self, some):
        prefix = dependencies.build(self.folder, self.binaries, self.host, lambda *c: call(*c, env=self.env, log=self.log),
                                    self.quick)
        env = dict(self.env, PKG_CONFIG_LIBDIR=os.path.join(prefix, "lib", "pkgconfig"))
        if not os.path.exists(os.path.join(self.build, "build.ninja")):
            call("meson", "setup", self.build, ROOT, "--cross-file", self.cross, "--buildtype=debugoptimized", "-Dwerror=true", "-Ddebug=false", "-Dtar=disabled",
                 "-Dzip=" + ("disabled" if self.quick else "enabled"), "--wrap-mode=nodownload",
                 "-Dc_args=-isystem%s/include" % prefix, "-Dc_link_args=-L%s/lib" % prefix, env=env, log=self.log,
                 cwd=self.folder)  # where zig, asked which linker it has, leaves a file
        call("meson", "compile", "-C", self.build, *(self.needed if some else ()), env=env, log=self.log)

    def test(self):
        """(tests that passed, tests that ran)."""
        suites = [a for s in SUITES for a in ("--suite", s)]
        with open(self.log, "ab") as log:
            p = subprocess.run(["meson", "test", "-C", self.build, "--no-rebuild", "-t", "30", "--print-errorlogs"] + suites,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=self.env)
            log.write(p.stdout)
        counts = {k: int(n) for k, n in re.findall(r"^(\w[\w ]*?): +(\d+) *$", p.stdout.decode(errors="replace"), re.M)}
        return counts.get("Ok", 0), sum(counts.get(k, 0) for k in ("Ok", "Fail", "Timeout", "Unexpected Pass"))

    def program(self, *path):
        return self.wrapper + [os.path.join(self.build, *(path or ("tests", "numeric", "convert_many"))) + self.suffix]

    def try_command_line(self, wanted):
        """The same of the program; `wanted`: the sha256 of what the digits become."""
        with open(self.log, "a") as log:
            return command_line.run(self.program("examples", "mx2onnx"), self.env, wanted, log)

    def compiles(self, *flags):
        compiler = self.binaries["c"] if isinstance(self.binaries["c"], list) else [self.binaries["c"]]
        with open(self.log, "ab") as log:
            p = subprocess.run([*compiler, "-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", *flags,
                                "-isystem", os.path.join(self.folder, "deps", "include"), "-c", AMALGAMATION,
                                "-o", os.path.join(self.folder, "amalgamation.o")],
                               stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=self.env)
        return p.returncode == 0

    def check_amalgamation(self):
        """The library as one file: do names of this system's headers clash with its own? And is it an error where floats would be
        computed in another precision than theirs?"""
        floats = FLOATS.get(self.host["cpu_family"])
        if not floats:
            return int(self.compiles()), 1
        return self.compiles(*floats) + (not self.compiles()), 2

    def convert(self, lines):
        return convert(self.program(), lines, os.path.join(self.folder, "out"), self.env)

    def result(self, sets, native):
        """What the table says of it."""
        row = {"unit": "-", "ok": True}
        if not self.quick:
            passed, ran = map(sum, zip(self.test(), self.try_command_line(native["nets"][0]), self.check_amalgamation()))
            row["unit"], row["ok"] = "%d of %d" % (passed, ran), passed == ran > 0
        for key, lines in sets.items():
            got = self.convert(lines)
            same = sum(w == g for w, g in zip(native[key], got))
            show(self.name, lines, native[key], got)
            row[key] = "%d of %d" % (same, len(lines))
            row["ok"] = row["ok"] and same == len(lines)
        return row


def convert(program, lines, out, env=None):
    """[sha256 of what was exported, or the refusal] of each line, by as many processes as there are processors."""
    n = os.cpu_count() or 1
    with ThreadPoolExecutor(n) as pool:
        parts = list(pool.map(lambda i: convert_part(program, lines[i::n], "%s-%d" % (out, i), env), range(n)))
    return [parts[i % n][i // n] for i in range(len(lines))]


def convert_part(program, lines, out, env):
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    text = "".join("%d %s\n" % (i, line) for i, line in enumerate(lines))
    p = subprocess.run(program + [out], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    answers = p.stdout.decode().replace("\r\n", "\n").splitlines()
    answers = [a for a in answers if re.match(r"\d+ -?\d+ ", a)]
    found = []
    for i in range(len(lines)):
        file = os.path.join(out, "%d.onnx" % i)
        words = answers[i].split(" ", 2) if i < len(answers) else ["", "no answer", p.stderr.decode(errors="replace")[-500:]]
        if words[1] == "0":
            with open(file, "rb") as f:
                found.append(hashlib.sha256(f.read()).hexdigest())
        else:
            found.append(" ".join(words[1:]).replace(out, ""))
    shutil.rmtree(out)
    return found


class Wasm(Platform):
    """The module of bindings/wasm in node."""

    needed = ("mx2onnx-core",)

    def program(self, *path):
        return ["node", os.path.join(HERE, "convert_many.mjs"), self.build]

    def try_command_line(self, wanted):
        return 0, 0  # a module has none


def is_archive(line):
    """Does it name a model in an archive, or parameters that are one, as MXNet 2 saves them?"""
    _, params, *_ = line.split()
    return params == "+" or zipfile.is_zipfile(params)


class Wasi(Platform):
    """The library as one file, without its own files and without archives, in wasmtime."""

    def configure(self, some):
        prefix = dependencies.build(self.folder, self.binaries, self.host, lambda *c: call(*c, env=self.env, log=self.log), True)
        os.makedirs(self.build, exist_ok=True)
        call(*self.binaries["c"], "-std=c11", "-O2", "-w", "-DMX2ONNX_ZIP=0", "-I%s/include" % ROOT, "-I%s/include" % prefix, AMALGAMATION,
             os.path.join(ROOT, "tests", "numeric", "convert_many.c"), "-L%s/lib" % prefix, "-ljansson",
             "-o", os.path.join(self.build, "convert_many.wasm"), env=self.env, log=self.log)

    def program(self, *path):
        return [os.path.join(ZIG, "bin", "python"), os.path.join(HERE, "wasi.py"), os.path.join(self.build, "convert_many.wasm")]

    def test(self):
        return 0, 0

    def try_command_line(self, wanted):
        return 0, 0

    def compiles(self, *flags):
        return super().compiles("-DMX2ONNX_ZIP=0", *flags)

    def result(self, sets, native):
        some = {key: [i for i, line in enumerate(lines) if not is_archive(line)] for key, lines in sets.items()}
        return super().result(*({key: [all_of[key][i] for i in some[key]] for key in sets} for all_of in (sets, native)))


class Windows(Platform):
    """Also a program outside, which pkg-config's words link to the static library: names that it imports from a DLL do not link."""

    def links_statically(self):
        place, deps = os.path.join(self.folder, "outside"), os.path.join(self.folder, "deps", "lib", "pkgconfig")
        shutil.rmtree(place, ignore_errors=True)
        call("meson", "install", "-C", self.build, "--no-rebuild", "--destdir", place, env=self.env, log=self.log)
        (pc,) = glob.glob(os.path.join(place, "**", "mx2onnx.pc"), recursive=True)
        env = dict(self.env, PKG_CONFIG_LIBDIR=os.path.dirname(pc) + os.pathsep + deps, WINEPATH="")
        words = subprocess.run(["pkg-config", "--define-prefix", "--static", "--cflags", "--libs", "mx2onnx"], check=True, stdout=subprocess.PIPE, text=True, env=env).stdout
        program, digits = os.path.join(place, "main.exe"), command_line.DIGITS + "-symbol.json"
        outputs = [os.path.join(place, name + ".onnx") for name in ("outside", "program")]
        call(self.binaries["c"], os.path.join(ROOT, "tests", "release", "main.c"), "-static", *words.split(), "-o", program, env=env, log=self.log)
        call(*self.wrapper, program, digits, outputs[0], env=env, log=self.log)
        call(*self.program("examples", "mx2onnx"), digits, "--input", "data=1x1x8x8", "-o", outputs[1], env=self.env, log=self.log)
        with open(outputs[0], "rb") as f, open(outputs[1], "rb") as g:
            return f.read() == g.read()

    def try_command_line(self, wanted):
        passed, ran = super().try_command_line(wanted)
        return passed + self.links_statically(), ran + 1


class Mac(Platform):
    """Built, and looked at from outside."""

    needed = ()
    oldest = {"macos-arm64": "11.0", "macos-x86_64": "10.15"}

    def dump(self, file, *what):
        return subprocess.run(["llvm-objdump", "--macho", *what, os.path.join(self.build, file)], check=True, capture_output=True,
                              text=True).stdout.splitlines()[1:]

    def faults(self):
        library = "lib/libmx2onnx.0.dylib"
        if self.dump(library, "--dylib-id") != ["@rpath/libmx2onnx.0.dylib"]:
            yield "the library's name is not found where it is moved"
        if self.dump(library, "--dylibs-used")[0].split(" ", 1)[1] != "(compatibility version 0.0.0, current version 0.0.0)":
            yield "the library has other versions than meson gives it on macOS"
        if "path @loader_path/../lib (" not in "\n".join(self.dump("examples/mx2onnx", "--private-headers")):
            yield "the program does not find the library next to it"
        exported = {line.split()[-1] for line in self.dump(library, "--exports-trie") if line.startswith("0x")}
        exported -= {"__mh_dylib_header", "___dso_handle"}  # zig's linker exports these
        with open(os.path.join(ROOT, "bindings", "api.json")) as f:
            wanted = {"_" + function["name"] for function in json.load(f)["functions"]}
        if exported != wanted:
            yield "it exports other names than the header's: " + " ".join(sorted(exported ^ wanted))
        for file in (library, "examples/mx2onnx"):
            used = {line.split()[0] for line in self.dump(file, "--dylibs-used")}
            if not used <= {"@rpath/libmx2onnx.0.dylib", "/usr/lib/libSystem.B.dylib"}:
                yield "%s needs %s" % (file, " ".join(sorted(used)))
            if "minos " + self.oldest[self.name] not in "\n".join(self.dump(file, "--private-headers")):
                yield "%s is not for macOS %s" % (file, self.oldest[self.name])

    def result(self, sets, native):
        faults = list(self.faults())
        if not self.quick and self.check_amalgamation() != (1, 1):
            faults.append("the library as one file does not compile")
        print("".join("%s: %s\n" % (self.name, fault) for fault in faults), end="")
        return {"unit": "%d wrong" % len(faults) if faults else "nothing wrong", "ok": not faults, **dict.fromkeys(sets, "-")}


def show(name, lines, want, got):
    for i, (w, g) in enumerate(zip(want, got)):
        if w != g:
            print("%s: %s\n    native: %s\n    there:  %s" % (name, lines[i], w, g))


def build(name, quick, some):
    """The platform, built; some: only what converts."""
    platform = {"wasm": Wasm, "wasi": Wasi, "macos-arm64": Mac, "macos-x86_64": Mac, "windows": Windows}.get(name, Platform)(name, quick)
    say("%s: building; the log is %s" % (name, os.path.relpath(platform.log)))
    platform.configure(some)
    return platform


def check(name, sets, native, quick):
    """The platform's result."""
    started = time.time()
    platform = build(name, quick, quick)
    say("%s: built after %.0f s" % (name, time.time() - started))
    row = {"day": datetime.date.today().isoformat(), **platform.result(sets, native)}
    say("%s: unit tests %s, nets %s, cases %s, %.0f s" % (name, row["unit"], row["nets"], row["cases"],
                                                        time.time() - started))
    return row


def keep(name, row, quick, results):
    """The result replaces the platform's last one; that of a quick run is kept next to it, until the next whole one."""
    found = documents.load(results)
    found.pop(name + ", quick", None)
    found[name + (", quick" if quick else "")] = row
    documents.save(results, found)


def write_table():
    """README.md's table, from the results."""
    path, results = os.path.join(HERE, "README.md"), documents.load(RESULTS)
    lines = ["| platform | what it is | day | commit | tests | nets identical | cases identical |", "| --- " * 7 + "|"]
    for name, (what, _) in PLATFORMS.items():
        for key in (name, name + ", quick"):
            if key in results:
                row = results[key]
                lines.append("| %s |" % " | ".join((key, what, row["day"], row.get("commit", "-"), row["unit"], row["nets"], row["cases"])))
    documents.write(path, documents.with_table(path, "<!-- made by run.py -->", "<!-- end -->", lines))


def install(packages):
    wanted = sorted(set((EVERYWHERE + " " + packages).split()))
    status = subprocess.run(["dpkg-query", "-W", "-f=${Package} ${db:Status-Status}\n"] + wanted, capture_output=True,
                            text=True).stdout.splitlines()
    missing = [p for p in wanted if p + " installed" not in status]
    if missing:
        say("Installing " + " ".join(missing))
        root = [] if os.getuid() == 0 else ["sudo"]
        env = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        for command in (["update", "-q"], ["install", "-q", "-y", "--no-install-recommends"] + missing):
            subprocess.run(root + ["apt-get"] + command, check=True, env=env, stdin=subprocess.DEVNULL)


def install_for(names, more):
    install(" ".join(PLATFORMS[name][1] for name in names) + more)
    if any(name.startswith(("macos", "wasi")) for name in names):
        install_zig()


def install_zig():
    """From PyPI, with `zig` as a command."""
    program = os.path.join(ZIG, "bin", "zig")
    if not os.path.exists(program):
        say("Installing zig")
        python = os.path.join(ZIG, "bin", "python")
        subprocess.run([sys.executable, "-m", "venv", ZIG], check=True)
        packages = ["meson==1.12.1", "ziglang==0.17.1", "setuptools==80.9.0", "wheel==0.45.1", "wasmtime==50.0.1"]
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
        with open(program, "w") as f:
            f.write("#!/bin/sh\nexec '%s' -m ziglang \"$@\"\n" % python)
        os.chmod(program, 0o755)


def build_native():
    """The program that converts, of the same files as everything else here; and the library as one file."""
    build, log = os.path.join(ROOT, "build"), os.path.join(TOP, "native.txt")
    if not os.path.exists(os.path.join(build, "build.ninja")):
        call("meson", "setup", build, ROOT, "--buildtype=debugoptimized", log=log)
    env = dict(os.environ, NANOPB_SOURCES=dependencies.sources(("nanopb",))["nanopb"])
    call("meson", "compile", "-C", build, "convert_many", "amalgamation", env=env, log=log)
    return [os.path.join(build, "tests", "numeric", "convert_many")]


def run_here(names, quick, results, commit):
    """Of this tree's files, which are those of `commit` if it has a name. True if nothing differs."""
    import corpus  # which needs NumPy, and building does not
    install_for(names, "" if quick else " cmake")
    say("native: building")
    program = build_native()
    sets = corpus.make(os.path.join(TOP, "corpus"), quick)
    native = {key: convert(program, lines, os.path.join(TOP, "native")) for key, lines in sets.items()}
    say("native: %s" % ", ".join("%d %s, %d of them refused" % (
        len(f), key, sum(not re.fullmatch("[0-9a-f]{64}", x) for x in f)) for key, f in native.items()))
    ok = True
    for name in names:
        try:
            row = {"commit": commit, **check(name, sets, native, quick)}
            keep(name, row, quick, results)
            ok = ok and row["ok"]
        except Failed as failure:  # which stops none of the others
            print(failure)
            ok = False
    return ok


def run_committed(arguments):
    """The same in a tree of the last commit, of whose files only those that changed since the last run are written."""
    os.makedirs(TREE, exist_ok=True)
    env = dict(os.environ, GIT_INDEX_FILE=os.path.join(TOP, "index"))
    subprocess.run(["git", "--work-tree", TREE, "read-tree", "--reset", "-u", "HEAD"], cwd=ROOT, env=env, check=True)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    there = os.path.join(TREE, os.path.relpath(os.path.abspath(__file__), ROOT))
    return subprocess.run([sys.executable, there, "--here", "--results", RESULTS, "--commit", commit] + arguments).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--here", action="store_true")
    parser.add_argument("--build", action="store_true")
    parser.add_argument("--results", default=RESULTS, help=argparse.SUPPRESS)
    parser.add_argument("--commit", default="-", help=argparse.SUPPRESS)
    parser.add_argument("platforms", nargs="*")
    args = parser.parse_args()
    os.makedirs(TOP, exist_ok=True)
    if args.build:
        install_for(args.platforms, " cmake")
        if "wasi" in args.platforms:  # which is built of the library as one file
            build_native()
        for name in args.platforms:
            build(name, False, True)
        return 0
    if args.here:
        return 0 if run_here(args.platforms or list(PLATFORMS), args.quick, args.results, args.commit) else 1
    ok = run_committed(sys.argv[1:])
    write_table()
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
