"""The library as one file: it compiles without a warning, with archives and without, shows the header's names alone, and
a program with it writes the bytes that the library writes.

    python3 amalgamation.py BUILD-FOLDER MX2ONNX SYMBOL SOURCE.c COMPILER...
"""
import os
import subprocess
import sys
import tempfile

BUILD, TOOL, SYMBOL, SOURCE, *COMPILER = sys.argv[1:]
HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARIES = ["-lprotobuf-nanopb", "-ljansson", "-lm", "-ldl"]


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


def check(root, name, expected, options, libraries):
    library = os.path.join(root, "lib" + name + ".so")
    program = os.path.join(root, name)
    run(*COMPILER, "-std=c11", "-Wall", "-Werror", "-fPIC", "-shared", *options, os.path.join(root, "mx2onnx.c"), "-o", library,
        "-Wl,-z,defs", "-Wl,--exclude-libs,ALL", *libraries)
    check_names(library)
    run(*COMPILER, "-std=c11", "-I", root, SOURCE, library, "-o", program)
    run(program, SYMBOL, program + ".onnx")
    if read(program + ".onnx") != expected:
        sys.exit("%s writes another file" % name)


def main():
    run("meson", "compile", "-C", BUILD, "amalgamation")
    with tempfile.TemporaryDirectory() as root:
        for name in ("mx2onnx.c", "mx2onnx.h"):
            with open(os.path.join(root, name), "wb") as f:
                f.write(read(os.path.join(BUILD, "lib", name)))
        run(TOOL, SYMBOL, "-o", root + "/tool.onnx")
        expected = read(root + "/tool.onnx")
        check(root, "archives", expected, [], [*LIBRARIES, "-lzip"])
        check(root, "plain", expected, ["-DMX2ONNX_ZIP=0"], LIBRARIES)
    print("%d bytes each" % len(expected))


main()
