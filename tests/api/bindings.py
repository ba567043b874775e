"""bindings/api.json is what the header says, and include/README.md what api.json says; no binding misses a function, and Python's has
every type right.

    python3 bindings.py LIBRARY
"""
import ctypes
import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BINDINGS = os.path.join(ROOT, "bindings")


def run(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True)


def folders():
    """The languages: folders of bindings/ with sources in them."""
    names = sorted(os.listdir(BINDINGS))
    return [os.path.join(BINDINGS, n) for n in names if os.path.isdir(os.path.join(BINDINGS, n)) and n not in ("cases", "packaging", "__pycache__")]


def check_names():
    for result in (run(os.path.join(BINDINGS, "api.py"), "--check"), run(os.path.join(BINDINGS, "reference.py"), "--check"), run(os.path.join(BINDINGS, "check.py"), *folders()), run(os.path.join(BINDINGS, "lint.py"))):
        if result.returncode:
            yield result.stdout.strip() + result.stderr.strip()


# What makes a name private, {name} in the language's own spelling: (file, text, the same of a private name).
PRIVATE = {
    "cpp": [("mx2onnx.hpp", "    {type}{name}(", "  private:\n    {type}{name}(")],
    "csharp": [("src/Model.cs", "    public {type} {name}(", "    internal {type} {name}(")],
    "go": [("*.go", "func (m *Model) {name}(", "func (m *Model) un{name}(")],
    "java": [("src/main/java/io/github/mx2onnx/Model.java", "  public {type} {name}(", "  {type} {name}(")],
    "node": [("src/index.d.ts", "\n  {name}(", "\n  other("), ("src/model.js", "  {type}{name}(", "  {type}#{name}(")],
    "python": [("mx2onnx/_model.py", "    def {name}(", "    def _{name}(")],
    "rust": [("mx2onnx/src/*.rs", "    pub fn {name}", "    pub(crate) fn {name}")],
    "wasm": [("mx2onnx.d.ts", "\n  {name}(", "\n  other("), ("mx2onnx.mjs", "\n  {name}(", "\n  #{name}(")],
}
# C's functions, and what languages call them if not so.
SHOWN = {
    "rename": {},
    "graph_text": {},
    "load_catalogue_memory": {"csharp": "LoadCatalogue", "go": "LoadCatalogueBytes", "java": "loadCatalogue", "node": "loadCatalogue",
                              "python": "load_catalogue", "wasm": "loadCatalogue"},
    "model_reset": dict.fromkeys(("cpp", "python", "rust"), "reset"),
    "add_output": {},
    "diagnostic_get": {"cpp": "diagnostics", "python": None, "rust": "diagnostics", "csharp": None, "go": "Diagnostics", "java": "diagnostics",
                       "node": None, "wasm": None},
}


def spelled(language, function, names):
    if function == "model_reset" and function not in names:
        function = "reset"
    words = names.get(language, function)
    if words is None or "_" not in words and words != function:
        return words
    first, *others = words.split("_")
    if language in ("cpp", "python", "rust"):
        return words
    return (first.capitalize() if language in ("csharp", "go") else first) + "".join(w.capitalize() for w in others)


def check_privacy():
    """In each binding, each of SHOWN is missing as soon as it is not public."""
    sys.path.insert(0, BINDINGS)
    import check

    with open(os.path.join(BINDINGS, "api.json"), encoding="utf-8") as f:
        functions = [x["name"] for x in json.load(f)["functions"]]
    read = check.contents
    for language, ways in PRIVATE.items():
        folder, named = os.path.join(BINDINGS, language), {f: spelled(language, f, names) for f, names in SHOWN.items()}
        for file, shown, hidden in ways:
            found = set()

            def changed(path):
                text = read(path)
                for name in filter(None, named.values()) if fnmatch.fnmatch(path, os.path.join(folder, file)) else ():
                    form = re.escape(shown).replace(re.escape("{type}"), r"([\w:<>,&* ]*)").replace(re.escape("{name}"), name)
                    text, n = re.subn(form, hidden.replace("{type}", r"\1").replace("{name}", name), text)
                    found.update([name] if n else [])
                return text

            check.contents = changed
            said = "\n".join(check.check(folder, functions))
            check.contents = read
            for function, name in named.items():
                if name and name not in found:
                    yield "%s has no %s" % (language, shown.format(type="...", name=name))
                elif name and "mx2onnx_%s is " % function not in said:
                    yield "check.py does not see that %s of %s is not public: %s" % (name, language, said)


def check_the_check():
    """A binding without a function fails, also one that only speaks of it, or has it in private; a reason excuses it."""
    check = os.path.join(BINDINGS, "check.py")
    with open(os.path.join(BINDINGS, "api.json"), encoding="utf-8") as f:
        names = [x["name"] for x in json.load(f)["functions"]]
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "a.c"), "w", encoding="utf-8") as f:
            f.write("".join("x = %s;\n" % n for n in names[1:]) + "/* %s */ // %s\n" % (names[0], names[0]))
        if run(check, folder).returncode != 1:
            yield "check.py does not see that %s is missing" % names[0]
        with open(os.path.join(folder, "missing.txt"), "w", encoding="utf-8") as f:
            f.write(names[0] + "  for a reason\n")
        if run(check, folder).returncode != 0:
            yield "check.py does not take a reason"
    last = names[-1][len("mx2onnx_") :]
    with tempfile.TemporaryDirectory() as folder:
        table = "const PROTOTYPES = [\n%s];\nconst WORDS = ['%s'];\n" % ("".join("  'void %s()',\n" % n for n in names), last)
        with open(os.path.join(folder, "native.js"), "w", encoding="utf-8") as f:
            f.write(table)
        with open(os.path.join(folder, "a.js"), "w", encoding="utf-8") as f:
            f.write("".join("lib.%s();\n" % n[len("mx2onnx_") :] for n in names[:-1]))
        found = run(check, folder)
        if found.returncode != 1 or names[-1] + " is missing" not in found.stdout or found.stdout.count("missing") != 1:
            yield "check.py takes what is only declared for what is used: " + found.stdout
    for file, text in (
        ("A.java", "public final class A {\n  private A b() {\n    return call(\"%s\");\n  }\n}\n" % last),
        ("A.java", "final class A {\n  public A b() {\n    return call(\"%s\");\n  }\n}\n" % last),
        ("a.js", "class A {\n  #b() {\n    return this.#call('%s');\n  }\n}\n" % last),
        ("a.go", "package a\n\nfunc b() { C.%s() }\n" % names[-1]),
        ("a.cs", "public class A\n{\n  internal void B()\n  {\n    %s();\n  }\n}\n" % names[-1]),
        ("a.hpp", "namespace detail {\ninline void a()\n{\n    %s();\n}\n}\n" % names[-1]),
        ("a.hpp", "class A {\n  public:\n    int b;\n\n  private:\n    void c() { %s(); }\n};\n" % names[-1]),
        ("a.rs", "pub struct A;\nimpl A {\n    fn b() {\n        %s();\n    }\n}\n" % names[-1]),
        ("a.py", "class A:\n    def b(self):\n        lib.%s()\n" % last),
    ):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, file), "w", encoding="utf-8") as f:
                f.write(text)
            if names[-1] + " is not public" not in run(check, folder).stdout:
                yield "check.py takes what is private for what is public: " + text


# What the package for browsers cannot have: there are no files, and the module is loaded before a model is made.
NODE_ALONE = {"constructor", "open", "export", "checkExternalData", "dispose", "asyncDispose"}


def check_npm():
    """The package for browsers calls what it has as that for Node.js does, and a property is one in both."""
    members = {}
    for language, file in (("Node.js", "node/src/index.d.ts"), ("browsers", "wasm/mx2onnx.d.ts")):
        with open(os.path.join(BINDINGS, file), encoding="utf-8") as f:
            model = re.search(r"^export (?:class|interface) Model\b.*?^}", f.read(), re.S | re.M).group()
        found = re.findall(r"^  (?:static )?(readonly )?(?:\[Symbol\.)?(\w+)\]?[:(]", model, re.M)
        members[language] = {(name, "property" if readonly else "method") for readonly, name in found}
    for language, other in (("Node.js", "browsers"), ("browsers", "Node.js")):
        for name, kind in sorted(members[language] - members[other]):
            if language == "browsers" or name not in NODE_ALONE:
                yield "the npm package for %s has the %s Model.%s, that for %s has not" % (language, kind, name, other)


def check_the_lint():
    """A function without its own comment, with another one's, or with the statuses of none, is found; so are versions."""
    sys.path.insert(0, BINDINGS)
    import api as generator
    import lint

    head = "/* x\n * words */\n#define MX2ONNX_VERSION_MAJOR 2\n#define MX2ONNX_VERSION_MINOR 1\n#define MX2ONNX_VERSION_PATCH 0\n"
    status = "typedef int32_t mx2onnx_status;\nenum mx2onnx_status_values {\n    MX2ONNX_STATUS_IO = -3\n};\n"
    declaration = "%sMX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_%s(void);\n"
    names_map = "MX2ONNX_2.0 {\n    global:\n        mx2onnx_a;\n    local:\n        *;\n};\nMX2ONNX_2.%d {\n    global:\n        mx2onnx_b;\n} MX2ONNX_2.0;\n"

    def found(a, b, minor=1):
        text = head + "/* Codes. */\n" + status + "\n" + declaration % (a, "a") + declaration % (b, "b")
        versions = generator.versions_of(names_map % minor)
        parsed = generator.parse(text, versions)
        generator.date(parsed, parsed)
        lines = [line for line in lint.check(parsed) if "lint.py excuses" not in line] + generator.check(parsed, text, versions)
        return [f["since"] for f in parsed["functions"]], lines

    right = found("/* Reads. IO. */\n", "/* Writes. Statuses as for mx2onnx_a. */\n")
    if right != (["2.0.0", "2.1.0"], []):
        yield "a right header is not right: %s" % (right,)
    for a, b, said in (
        ("/* Reads. IO. */\n", "", "mx2onnx_b has no comment"),
        ("/* Reads. IO. */\n", "/* Reads. IO. */\n", "mx2onnx_b has the comment of mx2onnx_a"),
        ("/* Reads. IO. */\n", "/* Writes. Statuses as for mx2onnx_c. */\n", "mx2onnx_b has the statuses of mx2onnx_c, which is not a function"),
        ("/* Reads. IO. */\n", "/* Writes. Statuses as above. */\n", "mx2onnx_b has statuses, but not those of a function"),
        ("/* Reads. IO. */\n", "/* As mx2onnx_other. IO. */\n", "the comment of mx2onnx_b names mx2onnx_other"),
        ("/* Reads. */\n", "/* Writes. IO. */\n", "mx2onnx_a names no status"),
    ):
        if not any(said in line for line in found(a, b)[1]):
            yield "lint.py does not say: %s; it says %s" % (said, found(a, b)[1])
    if not any("mx2onnx_b, which is 2.7.0" in line for line in found("/* Reads. IO. */\n", "/* Writes. IO. */\n", minor=7)[1]):
        yield "api.py does not see that a version of lib/mx2onnx.map is later than the header's"


def structure_of(py, name):
    """Python's class: CDiagnostic for mx2onnx_diagnostic, CLogEntry for mx2onnx_log_entry."""
    return getattr(py, "C" + "".join(w.capitalize() for w in name.split("_")[1:]))


def check_python(library):
    os.environ["MX2ONNX_LIBRARY"] = library
    sys.path.insert(0, os.path.join(BINDINGS, "python"))
    from mx2onnx import _library as py

    with open(os.path.join(BINDINGS, "api.json"), encoding="utf-8") as f:
        api = json.load(f)
    simple = {"void": None, "size_t": ctypes.c_size_t, "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64}
    simple["uint64_t"] = ctypes.c_uint64
    simple.update((x["name"], ctypes.c_int32) for x in api["enums"] + api["aliases"])
    simple.update((x["name"], getattr(py, x["name"][len("mx2onnx_") :].upper())) for x in api["callbacks"])

    structures = {s["name"]: structure_of(py, s["name"]) for s in api["structs"]}

    def fits(kind, declared):
        kind = kind.replace("const ", "")
        if kind in simple:
            return declared is simple[kind] or (declared and ctypes.sizeof(declared) == ctypes.sizeof(simple[kind]) and kind == "size_t")
        if kind == "char *":
            return declared is ctypes.c_char_p
        if kind == "void *":
            return declared in (ctypes.c_void_p, ctypes.c_char_p)
        target = kind[:-1].strip()
        if target in [h["name"] for h in api["handles"]]:
            return declared is ctypes.c_void_p
        if target in structures:
            return declared is ctypes.POINTER(structures[target])
        inner = {"char *": ctypes.c_char_p, "void *": ctypes.c_void_p, "double": ctypes.c_double}
        inner.update((h["name"] + " *", ctypes.c_void_p) for h in api["handles"])
        return declared is ctypes.POINTER(inner.get(target) or simple[target])

    for f in api["functions"]:
        name = f["name"][len("mx2onnx_") :]
        if name not in py._FUNCTIONS:
            yield "Python does not declare %s" % f["name"]
            continue
        result, arguments = py._FUNCTIONS[name]
        wanted = [a["type"] for a in f["arguments"]]
        if not fits(f["returns"], result) or len(wanted) != len(arguments) or not all(map(fits, wanted, arguments)):
            yield "Python declares %s otherwise: %s(%s)" % (f["name"], f["returns"], ", ".join(wanted))
    extra = set(py._FUNCTIONS) - {f["name"][len("mx2onnx_") :] for f in api["functions"]}
    for name in sorted(extra):
        yield "Python declares mx2onnx_%s, which the header does not" % name
    for x in api["callbacks"]:
        fn = simple[x["name"]]
        if not fits(x["returns"], fn._restype_) or len(x["arguments"]) != len(fn._argtypes_) or not all(
            fits(a["type"], t) for a, t in zip(x["arguments"], fn._argtypes_)
        ):
            yield "Python declares %s otherwise" % x["name"]
    for s in api["structs"]:
        members = [(m["name"], m["type"]) for m in s["members"]]
        fields = structures[s["name"]]._fields_
        if [n for n, _ in members] != [n for n, _ in fields] or not all(fits(t, d) for (_, t), (_, d) in zip(members, fields)):
            yield "Python declares %s otherwise" % s["name"]


def check_words():
    """The header is for reading: a comment on every function, half of its lines at least; no constant outside its type's name."""
    with open(os.path.join(ROOT, "include", "mx2onnx.h"), encoding="utf-8") as f:
        text = f.read()
    comments = sum(c.count("\n") + 1 for c in re.findall(r"/\*.*?\*/", text, flags=re.S))
    lines = sum(1 for line in text.splitlines() if line.strip())
    if 2 * comments < lines:
        yield "only %d of the header's %d lines are comments" % (comments, lines)
    with open(os.path.join(BINDINGS, "api.json"), encoding="utf-8") as f:
        for enum in json.load(f)["enums"]:
            for value in enum["values"]:
                if not value["name"].startswith(enum["prefix"]):
                    yield "%s does not begin with %s" % (value["name"], enum["prefix"])


def main():
    checks = (check_names(), check_the_check(), check_privacy(), check_npm(), check_the_lint(), check_python(os.path.abspath(sys.argv[1])), check_words())
    failures = [f for check in checks for f in check]
    print("\n".join(failures) or "the bindings are what the header says")
    return 1 if failures else 0


sys.exit(main())
