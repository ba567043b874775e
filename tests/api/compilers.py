"""Compilers say what MX2ONNX_NODISCARD and MX2ONNX_DEPRECATED ask them to, and nothing where a program means it.

    python3 compilers.py INCLUDE CC [CXX]
"""
import os
import subprocess
import sys
import tempfile

IGNORED = "void f(mx2onnx_model *m) { %smx2onnx_infer(m); }\n"
OLD = 'MX2ONNX_DEPRECATED("use g") static int old(void) { return 0; }\nint f(void) { return old(); }\n'


def compiles(compiler, text, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.cpp" if "++" in " ".join(options) else "x.c")
        with open(path, "w") as f:
            f.write("#include <mx2onnx.h>\n" + text)
        return subprocess.run([*compiler.split(), "-Werror", "-fsyntax-only", "-I", sys.argv[1], *options, path], capture_output=True).returncode == 0


def main():
    failures = []
    for compiler, text, options, wanted in (
        (sys.argv[2], OLD, ["-std=c11"], False),
        (sys.argv[2], OLD, ["-std=c11", "-DMX2ONNX_NO_WARNINGS"], True),
        *[(cxx, IGNORED % cast, ["-std=c++17"], bool(cast)) for cxx in sys.argv[3:] for cast in ("", "(void)")],
        *[(cxx, OLD, ["-std=c++17"], False) for cxx in sys.argv[3:]],
    ):
        if compiles(compiler, text, *options) != wanted:
            failures.append("%s %s %s: %s" % (compiler, " ".join(options), "is refused" if wanted else "is not refused", text))
    sys.exit("\n".join(failures) or 0)


main()
