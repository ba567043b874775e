"""The library as one file: it compiles without a warning, with archives and without, needs jansson and libzip alone, shows
the header's names alone, and a program with it writes the bytes that the library writes. Skipped where nanopb's sources
cannot be fetched (lib/amalgamation).

    python3 amalgamation.py BUILD-FOLDER MX2ONNX SYMBOL SOURCE.c COMPILER...
"""
import os
import shutil
import subprocess
import sys
import tempfile

BUILD, TOOL, SYMBOL, SOURCE, *COMPILER = sys.argv[1:]
HERE = os.path.dirname(os.path.abspath(__file__))
COMPILERS = [COMPILER] + [[name] for name in ("gcc", "clang") if shutil.which(name) and name not in COMPILER[-1]]
LIBRARIES = ["-ljansson", "-lm", "-ldl"]


def run(*command):
    p = subprocess.run(command, capture_output=True, text=True)
    if p.returncode != 0:
        sys.exit("%s\n%s%s" % (" ".join(command), p.stdout, p.stderr))
    return p.stdout


def read(path):
    with open(path, "rb") as f:
        return f.read()


def check_names(library):
    shown = [line.split()[0] for line in run("nm", "-D", "-P", "--defined-only", library).splitlines()]
    with open(os.path.join(HERE, "exports.txt"), encoding="utf-8") as f:
        declared = [name for name in f.read().split() if name.startswith("mx2onnx_")]
    if sorted(shown) != sorted(declared):
        sys.exit("the library shows other names: %s" % sorted(set(shown) ^ set(declared))[:9])


def check_inside(compiled):
    """What is linked into a program has names that are ours, nanopb's too."""
    shown = [line.split()[0] for line in run("nm", "-g", "-P", "--defined-only", compiled).splitlines()]
    foreign = [name for name in shown if not name.startswith(("mx2onnx_", "mx_", "ox_"))]
    if foreign or not shown:
        sys.exit("the object shows names that are not ours: %s" % foreign[:9])


def check(root, compiler, name, expected, options, libraries):
    compiled = os.path.join(root, name + ".o")
    library = os.path.join(root, "lib" + name + ".so")
    program = os.path.join(root, name)
    run(*compiler, "-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fPIC", *options, "-c", os.path.join(root, "mx2onnx.c"),
        "-o", compiled)
    check_inside(compiled)
    run(*compiler, "-shared", compiled, "-o", library, "-Wl,-z,defs", *libraries)
    check_names(library)
    run(*compiler, "-std=c11", "-I", root, SOURCE, library, "-o", program)
    run(program, SYMBOL, program + ".onnx")
    if read(program + ".onnx") != expected:
        sys.exit("%s writes another file" % name)


def main():
    made = subprocess.run(["meson", "compile", "-C", BUILD, "amalgamation"], capture_output=True, text=True)
    if made.returncode:
        missing = "nanopb's sources cannot be fetched" in made.stdout + made.stderr
        print("NOT TESTED: nanopb's sources cannot be fetched" if missing else made.stdout + made.stderr)
        return 77 if missing else 1
    with tempfile.TemporaryDirectory() as root:
        for name in ("mx2onnx.c", "mx2onnx.h"):
            with open(os.path.join(root, name), "wb") as f:
                f.write(read(os.path.join(BUILD, "lib", "amalgamation", name)))
        run(TOOL, SYMBOL, "-o", root + "/tool.onnx")
        expected = read(root + "/tool.onnx")
        for compiler in COMPILERS:
            check(root, compiler, "archives", expected, [], [*LIBRARIES, "-lzip"])
            check(root, compiler, "plain", expected, ["-DMX2ONNX_ZIP=0"], LIBRARIES)
    print("%d bytes each" % len(expected))
    return 0


sys.exit(main())
