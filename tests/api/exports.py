"""The shared library exports exactly the names in exports.txt, the header declares exactly these, and lib/mx2onnx.map gives each its
version.

    python3 exports.py LIBRARY [--rebase]    --rebase writes both lists from the header; then link again
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIST = os.path.join(HERE, "exports.txt")
MAP = os.path.join(HERE, "..", "..", "lib", "mx2onnx.map")
HEADER = os.path.join(HERE, "..", "..", "include", "mx2onnx.h")


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in lines.splitlines() if line.strip()]
    return {row[-1].split("@")[0] for row in rows if row[-2] != "A"}  # A: the version's own name


def without_version(library):
    """Where the linker knows versions, every name has one: a program that was linked once finds what it was linked to."""
    shown = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", library], capture_output=True, text=True).stdout
    if "@@" not in shown:
        return ["the exported names have no version (lib/mx2onnx.map)"]
    return ["%s has no version" % n for n in re.findall(r" T (\w+)$", shown, flags=re.M)]


def declared():
    with open(HEADER, encoding="utf-8") as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    return set(re.findall(r"^(?:MX2ONNX_NODISCARD )?MX2ONNX_API[^;(]*?(\w+)\(", text, flags=re.M))


def mapped():
    with open(MAP, encoding="utf-8") as f:
        return set(re.findall(r"^        (mx2onnx_\w+);$", f.read(), flags=re.M))


def write_map(names):
    """New names go to the first version; after a release they get one of their own, by hand."""
    with open(MAP, encoding="utf-8") as f:
        text = f.read()
    names -= set(re.findall(r"^        (mx2onnx_\w+);$", text.split("\n}", 1)[1], flags=re.M))  # of later versions
    rows = "".join("        %s;\n" % name for name in sorted(names))
    with open(MAP, "w", encoding="utf-8") as f:
        f.write(re.sub(r"(?s)(global:\n).*?(    local:)", lambda m: m.group(1) + rows + m.group(2), text, count=1))


def main():
    names = exported(sys.argv[1])
    if "--rebase" in sys.argv:
        with open(LIST, "w", encoding="utf-8") as f:
            f.writelines(name + "\n" for name in sorted(declared()))
        write_map(declared())
    with open(LIST, encoding="utf-8") as f:
        listed = set(f.read().split())
    failures = []
    for other, what in ((names, "exported by the library"), (declared(), "declared in the header"), (mapped(), "in lib/mx2onnx.map")):
        failures += ["%s is in exports.txt and not %s" % (n, what) for n in sorted(listed - other)]
        failures += ["%s is %s and not in exports.txt" % (n, what) for n in sorted(other - listed)]
    failures += ["%s is outside the prefix mx2onnx_" % n for n in sorted(names) if not n.startswith("mx2onnx_")]
    failures += without_version(sys.argv[1])
    print("\n".join(failures) or "%d names" % len(names))
    return 1 if failures or not names else 0


sys.exit(main())
