"""The version, which project.json sets, and the major version, which is the number in the shared library's name: in all other places.

    python3 version.py            fails where a place has another version, or a file has a version of the library in a place that is
                                  not listed here
    python3 version.py X.Y.Z      sets it everywhere, renames files that have the major version in their names, and writes api.json
                                  and include/README.md
    --root FOLDER                 the tree to work on

The versions of other software are left alone, whatever their numbers: a version is that of what is named before it on its line, and
the library's where that is mx2onnx, or only the word "version" ("MXNet 1.0.0" and "mxnet_version = 1.0.0" are MXNet's). In manifests
of dependencies "version" belongs to the package whose name is before it.

After a new version `cases/make.py LIBRARY` writes the cases, since the models name their producer; after a new major version
`tests/api/abi.py LIBRARY --rebase` writes the interface with which later versions are compared.
"""
import argparse
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FULL = r"\d+\.\d+\.\d+"
MAIN = "bindings/project.json", r'^  "version": "(%s)",$' % FULL

# File, pattern whose groups are replaced, and what each group is.
PLACES = [
    MAIN + ("{full}",),
    ("meson.build", r"^  version: '(%s)',$" % FULL, "{full}"),
    ("CITATION.cff", r"^version: (%s)$" % FULL, "{full}"),
    ("include/mx2onnx.h", r"^#define MX2ONNX_VERSION_MAJOR (\d+)$", "{major}"),
    ("include/mx2onnx.h", r"^#define MX2ONNX_VERSION_MINOR (\d+)$", "{minor}"),
    ("include/mx2onnx.h", r"^#define MX2ONNX_VERSION_PATCH (\d+)$", "{patch}"),
    ("README.md", r"^Version (%s) is" % FULL, "{full}"),
    ("SECURITY.md", r"^\| the newest minor version \((\d+\.\d+)\)", "{major}.{minor}"),
    ("examples/guides/start/install.md", r" Version (%s) is" % FULL, "{full}"),
    ("bindings/csharp/Mx2onnx.csproj", r"<Version>(%s)</Version>" % FULL, "{full}"),
    ("bindings/csharp/README.md", r"`libmx2onnx\.so\.(\d+)`", "{major}"),
    ("bindings/csharp/src/Finder.cs", r'"libmx2onnx\.so\.(\d+)"', "{major}"),
    ("bindings/csharp/src/Finder.cs", r'"libmx2onnx\.(\d+)\.dylib"', "{major}"),
    ("bindings/csharp/test.sh", r"libmx2onnx\.so\.(\d+)\b", "{major}"),
    ("bindings/java/README.md", r"mx2onnx-(%s)\.jar" % FULL, "{full}"),
    ("bindings/java/pom.xml", r"^  <version>(%s)</version>" % FULL, "{full}"),
    ("bindings/java/src/main/java/io/github/mx2onnx/Mx2onnx.java", r'@return "(%s)"' % FULL, "{full}"),
    ("bindings/java/src/main/java/io/github/mx2onnx/Native.java", r'"libmx2onnx\.so\.(\d+)"', "{major}"),
    ("bindings/node/package.json", r'^  "version": "(%s)",$' % FULL, "{full}"),
    ("bindings/node/build.js", r"'libmx2onnx\.so\.(\d+)'", "{major}"),
    ("bindings/node/src/native.js", r"'libmx2onnx\.so\.(\d+)'", "{major}"),
    ("bindings/python/mx2onnx/__init__.py", r'^__version__ = "(%s)"$' % FULL, "{full}"),
    ("bindings/python/setup.py", r"libmx2onnx\.so\.(%s)" % FULL, "{full}"),
    ("bindings/python/mx2onnx/_library.py", r'"libmx2onnx\.so\.(\d+)"', "{major}"),
    ("bindings/python/mx2onnx/_library.py", r'"libmx2onnx\.(\d+)\.dylib"', "{major}"),
    ("bindings/rust/mx2onnx/Cargo.toml", r'^version = "(%s)"$' % FULL, "{full}"),
    ("bindings/rust/mx2onnx/Cargo.toml", r'^mx2onnx-sys = \{ version = "(%s)"' % FULL, "{full}"),
    ("bindings/rust/mx2onnx-sys/Cargo.toml", r'^version = "(%s)"$' % FULL, "{full}"),
    ("bindings/rust/mx2onnx-sys/src/lib.rs", r"^pub const MX2ONNX_VERSION_MAJOR: i32 = (\d+);", "{major}"),
    ("bindings/rust/mx2onnx-sys/src/lib.rs", r"^pub const MX2ONNX_VERSION_MINOR: i32 = (\d+);", "{minor}"),
    ("bindings/rust/mx2onnx-sys/src/lib.rs", r"^pub const MX2ONNX_VERSION_PATCH: i32 = (\d+);", "{patch}"),
    ("bindings/rust/mx2onnx-sys/build.rs", r'range_version\("(\d+\.\d+)"\.\.', "{major}.{minor}"),
    ("bindings/rust/mx2onnx-sys/build.rs", r'range_version\("[\d.]+"\.\."(\d+\.\d+)"\)', "{next}"),
    ("bindings/wasm/package.json", r'^  "version": "(%s)",$' % FULL, "{full}"),
    ("bindings/packaging/README.md", r"libmx2onnx(\d+), libmx2onnx-dev", "{major}"),
    ("bindings/packaging/conda/meta.yaml", r'set version = "(%s)"' % FULL, "{full}"),
    ("bindings/packaging/homebrew/mx2onnx.rb", r"/v(%s)/libmx2onnx-" % FULL, "{full}"),
    ("bindings/packaging/homebrew/mx2onnx.rb", r"/libmx2onnx-(%s)\.tar" % FULL, "{full}"),
    ("bindings/packaging/vcpkg/vcpkg.json", r'^  "version": "(%s)",$' % FULL, "{full}"),
    ("bindings/packaging/debian/changelog", r"\Alibmx2onnx \((%s)-" % FULL, "{full}"),
    ("bindings/packaging/debian/control", r"\blibmx2onnx(\d+)\b", "{major}"),
    ("bindings/packaging/debian/libmx2onnx{major}.symbols", r"\Alibmx2onnx\.so\.(\d+) ", "{major}"),
    ("bindings/packaging/debian/libmx2onnx{major}.symbols", r"\A\S+ libmx2onnx(\d+) ", "{major}"),
    ("tests/api/install.py", r"^find_package\(mx2onnx (\d+\.\d+) REQUIRED", "{major}.{minor}"),
    ("tests/platforms/run.py", r"libmx2onnx\.(\d+)\.dylib", "{major}"),
    ("tests/platforms/run.py", r"compatibility version (\d+\.0\.0), current", "{major}.0.0"),
    ("tests/platforms/run.py", r"current version (\d+\.0\.0)\)", "{major}.0.0"),
    ("tests/python/test_wheel.py", r"mx2onnx-(%s)-py3" % FULL, "{full}"),
]
RENAMED = "bindings/packaging/debian", "libmx2onnx{major}."

# What has its own versions, or of the past.
FOREIGN = ("build", "debian", "subprojects", "tests/data", "CHANGELOG.md", "tests/api/contract.json", ".git")
PAST = re.compile(r"[Ss]ince(?: v?|\": \")%s\Z" % FULL)
# A number of three parts, what can be directly before it, a name, and the package of a manifest's line.
NUMBER = re.compile(FULL + r"(?!\w|\.\d)")
BEFORE = re.compile(r"(?:(?<![\w.])v?|\.so\.)\Z")
NAME = re.compile(r"[A-Za-z_][\w./@-]*")
PACKAGE = re.compile(r"(?:<artifactId>|\bname\b\W+|node_modules/)([\w@/.-]+)[^\w\n]*(?:/\w+>)?\s*$")


def parts(version):
    major, minor, patch = (int(n) for n in version.split("."))
    return {"full": version, "major": major, "minor": minor, "patch": patch, "next": "%d.0" % (major + 1)}


def read(root, file):
    with open(os.path.join(root, file), encoding="utf-8", newline="") as f:
        return f.read()


def write(root, file, text):
    with open(os.path.join(root, file), "w", encoding="utf-8", newline="") as f:
        f.write(text)


def current(root):
    return re.search(MAIN[1], read(root, MAIN[0]), re.M).group(1)


def files(root):
    """Those of the tree, not what was built in it."""
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):  # git is not installed, or the tree is not a repository
        listed = ""
    names = [n for n in listed.split("\0") if n]
    for folder, folders, inside in os.walk(root if not names else os.devnull):
        folders[:] = [f for f in folders if not os.path.exists(os.path.join(folder, f, "meson-info"))]
        names += [os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/") for name in inside]
    return [n for n in names if n and not any(n == f or n.startswith(f + "/") for f in FOREIGN) and os.path.isfile(os.path.join(root, n))]


def matches(root, file, pattern):
    return list(re.finditer(pattern, read(root, file), re.M))


def is_ours(text, at):
    """Is the number at this place of a text the library's version?"""
    start = text.rfind("\n", 0, at) + 1
    before = text[start:at]
    if not BEFORE.search(before[-4:].rjust(4)) or text.startswith("0.0.0", at):
        return False
    names = NAME.findall(before)
    if names and names[-1] == "v":
        names.pop()
    if not names:
        return False
    named = re.sub(r"[\W_]*version[\W_]*", "", names[-1], flags=re.I)
    if named:
        return "mx2onnx" in named.lower()
    above = text[text.rfind("\n", 0, max(start - 1, 0)) + 1 : start]
    package = PACKAGE.search(above if len(names) == 1 else before[: before.rindex(names[-1])])
    return not package or "mx2onnx" in package.group(1)


def faults(root):
    now = parts(current(root))
    known = {}
    for file, pattern, form in PLACES:
        file, wanted = file.format(**now), form.format(**now)
        if not os.path.exists(os.path.join(root, file)):
            yield "%s is not there" % file
            continue
        found = matches(root, file, pattern)
        known.setdefault(file, set()).update(m.start(1) for m in found)
        if not found:
            yield "%s: nothing is like %s" % (file, pattern)
        for m in found:
            if m.group(1) != wanted:
                yield "%s: '%s' is not of version %s" % (file, m.group(0), now["full"])
    for file in files(root):
        try:
            text = read(root, file)
        except UnicodeDecodeError:
            continue
        for m in NUMBER.finditer(text):
            if m.start() not in known.get(file, ()) and is_ours(text, m.start()) and not PAST.search(text, m.start() - 12, m.end()):
                line = text.count("\n", 0, m.start()) + 1
                yield "%s:%d has version %s in a place that bindings/version.py does not know" % (file, line, m.group())


def set_version(root, version):
    old, new = parts(current(root)), parts(version)
    folder, start = RENAMED
    for name in sorted(os.listdir(os.path.join(root, folder))):
        if name.startswith(start.format(**old)):
            os.rename(os.path.join(root, folder, name),
                      os.path.join(root, folder, start.format(**new) + name[len(start.format(**old)):]))
    for file, pattern, form in PLACES:
        file, wanted = file.format(**new), form.format(**new)
        text = read(root, file)
        for m in reversed(list(re.finditer(pattern, text, re.M))):
            text = text[: m.start(1)] + wanted + text[m.end(1):]
        write(root, file, text)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("version", nargs="?")
    arguments.add_argument("--root", default=os.path.dirname(HERE))
    a = arguments.parse_args()
    if a.version and not re.fullmatch(FULL, a.version):
        arguments.error("'%s' is not a version, such as 1.2.3" % a.version)
    if a.version:
        set_version(a.root, a.version)
        for generator in (os.path.join(a.root, "bindings", name) for name in ("api.py", "reference.py")):
            if os.path.exists(generator):
                subprocess.run([sys.executable, generator], check=True, stdout=subprocess.DEVNULL)
    failures = list(faults(a.root))
    print("\n".join(failures) if failures else "version %s" % current(a.root))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
