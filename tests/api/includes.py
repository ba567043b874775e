"""Who may include whom, what the library may not call, which files may have exported functions, and that no two structures share a
name: the library as one file holds them all.

    base <- everything; graph <- read, catalogue, op, pass, onnx (onnx: only dims, shapes and element types); model <- api; a file of
    ops/ includes op/op.h, onnx/builder/build.h and headers of ops/shared, no other header of the project; nothing includes ops/. The
    program includes mx2onnx.h and op/absent.h. Exported functions are in lib/api alone.
"""
import os
import re
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SYMBOLIC = {"graph/dim.h", "graph/dtype.h", "graph/shape.h"}

# layer: the layers whose headers it may include.
ALLOWED = {
    "base": {"base"},
    "graph": {"base", "graph"},
    "read": {"base", "graph", "read"},
    "catalogue": {"base", "graph", "read", "catalogue"},
    "op": {"base", "graph", "onnx", "op"},
    "onnx": {"base", "graph", "onnx"},
    "pass": {"base", "graph", "read", "op", "onnx", "pass"},
    "model": {"base", "graph", "read", "catalogue", "op", "onnx", "pass", "model"},
    "api": {"base", "graph", "read", "catalogue", "op", "onnx", "pass", "model", "api"},
}
# (layer, header): why a layer sees it all the same
EXCEPTIONS = {
    ("onnx", "graph/graph.h"): "errors and names are those of the MXNet node that is being written",
    ("read", "op/attr.h"): "MXNet's upgrade steps parse attribute texts",
    ("read", "op/registry.h"): "MXNet's upgrade steps add the variables that an operator's inputs lack",
}
FORBIDDEN = re.compile(r"\b(printf|fprintf|vprintf|puts|putchar|perror|getenv|setlocale|strtod|strtof|atof|atoi|abort|exit)\s*\(")
ALLOCATION = re.compile(r"(?<![\w.>])(malloc|calloc|realloc|strdup|strndup)\s*\(")


def sources(folder):
    for path, _, files in os.walk(os.path.join(ROOT, folder)):
        for name in sorted(files):
            if name.endswith((".c", ".h")):
                full = os.path.join(path, name)
                with open(full, encoding="utf-8") as f:
                    yield os.path.relpath(full, ROOT).replace(os.sep, "/"), f.read()


def without_comments(text):
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)


def includes(text):
    return re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, flags=re.M)


def check_layers():
    for path, text in sources("lib"):
        layer = path.split("/")[1]
        for header in includes(text):
            if header in ("mx2onnx.h", "onnx/write/onnx.pb.h"):
                continue
            target = header.split("/")[0] if "/" in header else ""
            if (layer, header) in EXCEPTIONS:
                continue
            if target not in ALLOWED[layer] or (layer == "onnx" and target == "graph" and header not in SYMBOLIC):
                yield "%s includes %s, which its layer may not see" % (path, header)


def check_ops():
    for path, text in sources("ops"):
        for header in includes(text):
            if header not in ("op/op.h", "onnx/builder/build.h") and not header.startswith("shared/"):
                yield "%s includes %s; an operator sees op/op.h, onnx/builder/build.h and ops/shared only" % (path, header)


def check_program():
    for path, text in sources("examples/cli"):
        for header in includes(text):
            if header not in ("mx2onnx.h", "op/absent.h") and not os.path.exists(os.path.join(ROOT, "examples", header)):
                yield "%s includes %s, which the packages that compile the program do not have: bindings/vendor.py copies op/absent.h alone" % (path, header)


def check_calls():
    for folder in ("lib", "ops"):
        for path, text in sources(folder):
            text = without_comments(text)
            for number, line in enumerate(text.splitlines(), 1):
                found = FORBIDDEN.search(line)
                if not found and path != "lib/base/alloc.c":
                    found = ALLOCATION.search(line)
                if found:
                    yield "%s:%d calls %s" % (path, number, found.group(1))


def check_api():
    for path, text in sources("lib"):
        for name in re.findall(r"^[a-z][\w *]*?\b(mx2onnx_\w+)\([^;{]*\)\s*\n?\{", without_comments(text), flags=re.M):
            if not re.fullmatch(r"lib/api/\w+\.c", path):
                yield "%s defines %s; exported functions are in lib/api" % (path, name)


def check_structures():
    where = {}
    for folder in ("lib", "ops"):
        for path, text in sources(folder):
            path = re.sub(r"/io_os_\w+\.c", "/io_os.c", path)  # each system has one
            for name in re.findall(r"^(?:struct|union|enum) ((?:mx|ox)_\w+) \{", without_comments(text), flags=re.M):
                if where.get(name, path) != path or (name in where and not path.endswith("/io_os.c")):
                    yield "%s and %s each have a %s" % (where[name], path, name)
                where[name] = path


def main():
    failures = [f for check in (check_layers, check_ops, check_program, check_calls, check_api, check_structures) for f in check()]
    print("\n".join(failures) or "layers are kept")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
