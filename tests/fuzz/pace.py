#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the progress function is asked for often enough, on the files of attack.py and on nets. Work is counted, not time: the edges
of the control flow that the library passes between two calls of the function, or within a call that does not ask (pace.c).

    python3 tests/fuzz/pace.py BUILD-FOLDER SAMPLES COMPILER... [--only WORD...]

MOST edges are about 10 ms: without the counter the library passes 0.85 to 3.8 million edges in a millisecond (seven of the files, an
x86-64 of 2023 under load). What jansson, libzip and the system do is not counted; they are given small pieces. Exit 1 if a stretch is longer;
where it passed MOST is printed. Skipped (77) where nanopb's sources cannot be fetched (lib/amalgamation).
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

import attack

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MOST = 8500000
WRAPPED = ["memcpy", "memmove", "memset", "memcmp", "strlen", "calloc", "mx2onnx_model_new", "mx2onnx_set_progress", "mx2onnx_model_free"]


def run(*command):
    p = subprocess.run(command, capture_output=True, text=True)
    if p.returncode != 0:
        sys.exit("%s\n%s%s" % (" ".join(command), p.stdout, p.stderr))


def build(folder, amalgamation, compiler):
    """The program with the library, whose edges are counted."""
    library, program = os.path.join(folder, "library.o"), os.path.join(folder, "pace")
    run(*compiler, "-std=c11", "-O1", "-g", "-w", "-fno-builtin", "-fsanitize-coverage=trace-pc", "-c", os.path.join(amalgamation, "mx2onnx.c"),
        "-o", library)
    sources = [s for s in glob.glob(os.path.join(ROOT, "examples", "cli", "*.c")) if not s.endswith("_windows.c")]
    run(*compiler, "-std=gnu11", "-O1", "-g", "-w", "-D_GNU_SOURCE", "-rdynamic", "-finstrument-functions",
        "-finstrument-functions-exclude-file-list=pace.c", *("-I" + os.path.join(ROOT, d) for d in ("include", "examples", "lib")),
        os.path.join(ROOT, "examples", "mx2onnx.c"), *sources, os.path.join(HERE, "pace.c"), library,
        *("-Wl,--wrap=" + name for name in WRAPPED), "-ljansson", "-lzip", "-lm", "-ldl", "-o", program)
    return program


def functions(program, frames):
    """The names of the functions in lines of backtrace_symbols_fd, the innermost first."""
    shown = subprocess.run(["nm", program], capture_output=True, text=True).stdout.split("\n")
    base = {f[2]: int(f[0], 16) for f in (line.split() for line in shown) if len(f) == 3}
    at = [hex(base.get(name, 0) + int(offset, 16) - 1) for name, offset in re.findall(r"/pace\((\w*)\+0x([0-9a-f]+)\)", frames)]
    names = subprocess.run(["addr2line", "-f", "-e", program, *at], capture_output=True, text=True).stdout.split("\n")[0::2]
    return " < ".join([n for n in names if n and n not in ("passed", "count", "__sanitizer_cov_trace_pc")][:10])


def longest(program, folder, arguments):
    """The most edges between two chances to stop, all edges, and the places where MOST was passed."""
    out = os.path.join(folder, "pace")
    p = subprocess.run([program, *arguments, "-o", "out.onnx"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                       errors="replace", env={**os.environ, "PACE_OUT": out, "PACE_LIMIT": str(MOST)})
    with open(out, encoding="utf-8", errors="replace") as f:
        text = f.read()
    counted = re.findall(r"^(\d+) edges at most of (\d+)$", text, re.M)
    if not counted:
        sys.exit("%s ended with status %d and counted nothing: %s" % (arguments, p.returncode, p.stderr[-500:]))
    places = {functions(program, frames) for frames in re.split(r"^passed$", text, flags=re.M)[1:9]}
    return int(counted[-1][0]), int(counted[-1][1]), places


def files(samples):
    """(label, a function that makes the files in a folder and gives the arguments) of what is measured."""
    for label, (make, quick) in attack.ATTACKS.items():
        if quick:
            yield label, lambda folder, make=make: (lambda made: [made[0][0], *made[1]])(attack.write_files(make, folder))
    for path in sorted(glob.glob(os.path.join(samples, "nets", "*", "*-symbol.json"))):
        yield os.path.relpath(path, samples), lambda folder, path=path: [path]


def main():
    arguments = sys.argv[1:]
    words = arguments[arguments.index("--only") + 1:] if "--only" in arguments else []
    folder, samples, *compiler = arguments[:arguments.index("--only")] if words else arguments
    made = subprocess.run(["meson", "compile", "-C", folder, "amalgamation"], capture_output=True, text=True)
    if made.returncode:
        missing = "nanopb's sources cannot be fetched" in made.stdout + made.stderr
        print("NOT TESTED: nanopb's sources cannot be fetched" if missing else made.stdout + made.stderr)
        return 77 if missing else 1
    count = failed = whole = 0
    with tempfile.TemporaryDirectory() as root:
        program = build(root, os.path.join(folder, "lib", "amalgamation"), compiler)
        for label, make in files(samples):
            if words and not any(w in label for w in words):
                continue
            with tempfile.TemporaryDirectory() as own:
                most, edges, places = longest(program, own, make(own))
            count, failed, whole = count + 1, failed + (most > MOST), whole + edges
            print("%10d of %11d edges  %s%s" % (most, edges, label, "  TOO LONG" if most > MOST else ""), flush=True)
            for place in sorted(places):
                print("           passed in", place)
    print("%d files, %d too long, %d edges" % (count, failed, whole))
    return 1 if failed or whole < 100000 * count or not count else 0


if __name__ == "__main__":
    sys.exit(main())
