"""Every place has the version of meson.build, and bindings/version.py finds and sets them all.

    python3 version.py ROOT
"""
import os
import shutil
import sys
import tempfile

ROOT = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.join(ROOT, "bindings"))
import version  # noqa: E402


def copied(folder):
    """The places alone."""
    now = version.parts(version.current(ROOT))
    for file in {file.format(**now) for file, _, _ in version.PLACES}:
        os.makedirs(os.path.join(folder, os.path.dirname(file)), exist_ok=True)
        shutil.copy(os.path.join(ROOT, file), os.path.join(folder, file))
    return folder


def check(what, holds):
    if not holds:
        sys.exit("version.py: " + what)


def main():
    path = os.environ["PATH"]
    os.environ["PATH"] = ""  # as where git is not installed
    check("without git no file is found", "meson.build" in version.files(ROOT))
    os.environ["PATH"] = path
    failures = list(version.faults(ROOT))
    check("the tree's places differ:\n" + "\n".join(failures), not failures)
    with tempfile.TemporaryDirectory() as folder:
        copied(folder)
        for wanted in ("10.2.3", "0.37.1"):
            version.set_version(folder, wanted)
            check("%s is not set everywhere: %s" % (wanted, list(version.faults(folder))), not list(version.faults(folder)))
            check("the version is not " + wanted, version.current(folder) == wanted)
            name = "bindings/packaging/debian/libmx2onnx%s.symbols" % wanted.split(".")[0]
            check(name + " is not there", os.path.exists(os.path.join(folder, name)))
        now = version.parts(version.current(folder))
        for file in sorted({file.format(**now) for file, _, _ in version.PLACES}):  # each place that is forgotten is found
            text = version.read(folder, file)
            version.write(folder, file, text.replace("37", "36").replace("0", "5"))
            check("a wrong version in %s is not found" % file, list(version.faults(folder)))
            version.write(folder, file, text)
        version.write(folder, "notes.txt", "in version 0.37.1, and nowhere else")
        check("a place that is not listed is not found", any("notes.txt:1" in f for f in version.faults(folder)))
        version.write(folder, "notes.txt", "since 0.37.1; 10.37.1 and 0.37.1.2 are others")
        check("another number is taken for the version: %s" % list(version.faults(folder)), not list(version.faults(folder)))


if __name__ == "__main__":
    main()
