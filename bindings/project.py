"""The project's address, maintainers and their e-mail, its names in registries, and the versions of MXNet whose files it reads, which
project.json sets: in all other places. And copies of LICENSE and NOTICE in the folders of packages.

    python3 project.py                      fails where a place that should have one lacks it, or a file has another's
    python3 project.py address VALUE        sets it everywhere; so maintainers, email, group, scope, mxnet
    --root FOLDER                           the tree to work on

The version is version.py's. What is derived from the address is written with it: the module path of Go is the address without its
scheme, with the folder after it. The group is Maven's, and Java's package, in whose folders its files are; on GitHub it is io.github, a dot and the owner,
which Maven Central asks for. The scope is npm's. MXNet's versions are written "0.8 to 2.0".
"""
import argparse
import glob
import json
import os
import re
import shutil
import sys

import version

HERE = os.path.dirname(os.path.abspath(__file__))
MAIN = "bindings/project.json"
FIELDS = ("address", "maintainers", "email", "group", "scope", "mxnet")
NAMES = {"email": r"[\w.+-]+@[\w-]+(\.[\w-]+)+", "group": r"[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)+", "scope": r"@[a-z0-9][a-z0-9-]*",
         "mxnet": r"0\.\d+ to 2\.\d+"}

# The metadata that must have them; every other place may.
PLACES = {
    ".github/ISSUE_TEMPLATE/config.yml": ["address"],
    "CITATION.cff": ["address", "maintainers"],
    "CODE_OF_CONDUCT.md": ["address"],
    "README.md": ["mxnet"],
    "SECURITY.md": ["address"],
    "bindings/csharp/Mx2onnx.csproj": ["address", "maintainers"],
    "bindings/go/README.md": ["module"],
    "bindings/go/example_test.go": ["module"],
    "bindings/go/go.mod": ["module"],
    "bindings/java/README.md": ["group"],
    "bindings/java/pom.xml": ["address", "maintainers", "email", "group"],
    "bindings/node/package.json": ["address", "maintainers"],
    "bindings/node/src/native.js": ["scope"],
    "bindings/packaging/Dockerfile": ["address"],
    "bindings/packaging/conda/meta.yaml": ["address"],
    "bindings/packaging/debian/changelog": ["maintainers", "email"],
    "bindings/packaging/debian/control": ["address", "maintainers", "email"],
    "bindings/packaging/debian/copyright": ["address", "maintainers"],
    "bindings/packaging/debian/watch": ["address"],
    "bindings/packaging/homebrew/mx2onnx.rb": ["address"],
    "bindings/packaging/vcpkg/portfile.cmake": ["address"],
    "bindings/packaging/vcpkg/vcpkg.json": ["address"],
    "bindings/python/pyproject.toml": ["address", "maintainers"],
    "bindings/rust/mx2onnx-sys/Cargo.toml": ["address"],
    "bindings/rust/mx2onnx/Cargo.toml": ["address"],
    "bindings/wasm/package.json": ["address", "maintainers"],
    "examples/guides/start/install.md": ["address"],
    "include/mx2onnx.h": ["mxnet"],
    "tests/fuzz/oss-fuzz/Dockerfile": ["address"],
    "tests/fuzz/oss-fuzz/project.yaml": ["address", "email"],
}

PACKAGES = ["bindings/" + folder for folder in
            ("csharp", "go", "java", "node", "python", "rust/mx2onnx", "rust/mx2onnx-sys", "wasm")]

# Where programs and data have their own names that look like these.
OTHERS = ("tests/data/", "tests/api/project.py")
ADDRESS = re.compile(r"\b[\w-]+(?:\.[\w-]+)+/[\w.-]+/libmx2onnx\b")
EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.(?:com|de|dev|edu|eu|example|fi|fr|info|io|net|nl|org|uk)\b")
HOST = re.compile(r"\b(?:lib)?mx2onnx\.(?:example|invalid|test|org|net|com|io|dev)\b|\bmaintainers@")
GROUP = re.compile(r"\bio[./]github[./](\w+)")
SCOPE = re.compile(r"(?<![\w.])@(?!types/)[\w-]+/(?=PLATFORM|\$\{name\}|(?:linux|darwin|win32)-(?:x64|arm64))")
RANGE = re.compile(r"(?<![\w.])%s(?![\w.]*\w)" % NAMES["mxnet"])
JAVA = "bindings/java/src"
LEAVE = re.compile(r"\d|^git@")  # of what looks like an e-mail: versions of packages, and of remotes


def values(root=os.path.dirname(HERE)):
    found = json.loads(version.read(root, MAIN))
    return {**found, "module": found["address"].split("://", 1)[1] + "/bindings/go"}


def found(pattern, hint, text):
    """What matches in a text, which most texts without the hint cannot."""
    return pattern.finditer(text) if hint in text else ()


def text_files(root):
    """(file, its text) of the tree."""
    for file in version.files(root):
        if not file.startswith(OTHERS):
            try:
                yield file, version.read(root, file)
            except UnicodeDecodeError:
                pass


def faults(root):
    project = values(root)
    for file, fields in PLACES.items():
        text = version.read(root, file) if os.path.exists(os.path.join(root, file)) else ""
        for field in fields:
            if project[field] not in text:
                yield "%s has not the project's %s, %s" % (file, field, project[field])
    owner = re.match(r"https://github\.com/([\w-]+)/", project["address"])
    if owner and project["group"] != "io.github." + owner.group(1).lower().replace("-", "_"):
        yield "the group %s is not of the address's owner: set io.github.%s" % (project["group"], owner.group(1).lower().replace("-", "_"))
    for name in ("LICENSE", "NOTICE"):  # which go into the package
        for folder in PACKAGES:
            file = folder + "/" + name
            if not os.path.exists(os.path.join(root, file)) or version.read(root, file) != version.read(root, name):
                yield "%s is not a copy of %s" % (file, name)
    for file, text in text_files(root):
        for m in found(ADDRESS, "/libmx2onnx", text):
            if m.group() != project["address"].split("://", 1)[1]:
                yield "%s has another address: %s" % (file, m.group())
        for m in found(EMAIL, "@", text):
            if m.group() != project["email"] and not LEAVE.search(m.group()):
                yield "%s has another e-mail: %s" % (file, m.group())
        for m in found(GROUP, "github", text):
            if m.group().replace("/", ".") != project["group"]:
                yield "%s has another group: %s" % (file, m.group())
        for m in found(SCOPE, "@", text):
            if m.group() != project["scope"] + "/":
                yield "%s has another scope: %s" % (file, m.group())
        for m in found(RANGE, " to 2.", text):
            if m.group() != project["mxnet"]:
                yield "%s has other versions of MXNet: %s" % (file, m.group())
        for m in found(HOST, "mx2onnx.", text) or found(HOST, "@", text):
            yield "%s has an invented host: %s" % (file, m.group())


def set_field(root, field, value):
    old, new = values(root)[field], value
    if field == "address":  # also where it has no scheme
        old, new = (a.split("://", 1)[1] for a in (old, new))
    for file, text in list(text_files(root)):
        if field == "mxnet":
            changed = RANGE.sub(new, text)
        else:
            changed = text.replace(old, new) if field != "scope" else re.sub(r"%s(?=[/\"])" % re.escape(old), new, text)  # not Python's @mx2onnx.NAME
        if changed != text:
            version.write(root, file, changed)
    if field == "group":
        move(root, old.split("."), new.split("."))


def move(root, old, new):
    """Java's folders, and their names in texts."""
    for file, text in list(text_files(root)):
        if "/".join(old) in text:
            version.write(root, file, text.replace("/".join(old), "/".join(new)))
    for folder in glob.glob(os.path.join(root, JAVA, "*", "java")):
        there, to = os.path.join(folder, *old), os.path.join(folder, *new)
        if os.path.isdir(there) and there != to:
            shutil.move(there, there + ".moved")
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.move(there + ".moved", to)
            for depth in range(len(old) - 1, 0, -1):
                if os.path.isdir(os.path.join(folder, *old[:depth])) and not os.listdir(os.path.join(folder, *old[:depth])):
                    os.rmdir(os.path.join(folder, *old[:depth]))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("field", nargs="?", choices=FIELDS)
    arguments.add_argument("value", nargs="?")
    arguments.add_argument("--root", default=os.path.dirname(HERE))
    a = arguments.parse_args()
    if (a.field is None) != (a.value is None):
        arguments.error("a field and its value, or neither")
    if a.field == "address" and not re.fullmatch(r"https://[\w.-]+/[\w.-]+/libmx2onnx", a.value):
        arguments.error("'%s' is not an address such as https://HOST/OWNER/libmx2onnx" % a.value)
    if a.field in NAMES and not re.fullmatch(NAMES[a.field], a.value):
        arguments.error("'%s' is not like %s" % (a.value, values(a.root)[a.field]))
    if a.field:
        set_field(a.root, a.field, a.value)
    failures = list(faults(a.root))
    print("\n".join(failures) if failures else "%(name)s %(version)s, %(address)s, %(maintainers)s <%(email)s>" % values(a.root))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
