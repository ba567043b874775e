"""Every place has the version of bindings/project.json, and bindings/version.py finds and sets them all.

    python3 version.py ROOT
"""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.join(ROOT, "bindings"))
import version  # noqa: E402

# Versions that other software in the tree has, too: MXNet 1.0.0 and 1.9.1, GluonNLP 0.10.0.
SHARED = ("1.0.0", "0.10.0", "1.9.1")
OURS = (
    "in version %s, and nowhere else", "mx2onnx@v%s", "pip install mx2onnx==%s", "libmx2onnx.so.%s", "mx2onnx-%s.tar.gz",
    'MX2ONNX_VERSION = "%s"', "mx2onnx.__version__ == '%s'", '{"name": "mx2onnx",\n "version": "%s"}', '[package]\nversion = "%s"',
    "<artifactId>mx2onnx</artifactId>\n<version>%s</version>", "libmx2onnx (%s-1)", '{"name": "mx2onnx", "version": "%s"}', '"mx2onnx": "^%s"',
)
FOREIGN = (
    "since %s", "Since: since v%s", "MXNet %s", "gluonnlp==%s", '"license": "BlueOak-%s"', "1%s", "%s.2", "mx2onnx takes MXNet %sb1",
    "mxnet_version=%s", 'mxnet.__version__ == "%s"', '"node": ">=%s"', '"samples/%s/mlp"', "converted by mx2onnx from GluonCV %s",
    "<artifactId>plugin</artifactId>\n<version>%s</version>", '"node_modules/plugin": {\n"version": "%s",',
    '[[package]]\nname = "plugin"\nversion = "%s"', '{"name": "plugin", "version": "%s"}',
)


def copied(folder):
    """The whole tree, except what has its own versions."""
    for file in version.files(ROOT):
        os.makedirs(os.path.join(folder, os.path.dirname(file)), exist_ok=True)
        shutil.copy(os.path.join(ROOT, file), os.path.join(folder, file))


def check(what, holds):
    if not holds:
        sys.exit("version.py: " + what)


def check_set(folder, wanted):
    done = subprocess.run([sys.executable, os.path.join(folder, "bindings", "version.py"), wanted], stdout=subprocess.PIPE, text=True)
    check("%s is not set everywhere: %s" % (wanted, done.stdout), done.returncode == 0 and done.stdout == "version %s\n" % wanted)
    check("the version is not " + wanted, version.current(folder) == wanted)
    name = "bindings/packaging/debian/libmx2onnx%s.symbols" % wanted.split(".")[0]
    check(name + " is not there", os.path.exists(os.path.join(folder, name)))


def check_notes(folder, now):
    """What is taken for the library's version, and what for another's. The faults are those of this file alone."""
    listed, version.files = version.files, lambda root: ["notes.txt"]
    for texts, ours in ((OURS, True), (FOREIGN, False)):
        for text in texts:
            version.write(folder, "notes.txt", text % now)
            found = [f for f in version.faults(folder) if f.startswith("notes.txt:")]
            check("'%s' is taken for %s version" % (text % now, "another's" if ours else "the library's"), bool(found) == ours)
    version.files = listed


def main():
    path = os.environ["PATH"]
    os.environ["PATH"] = ""  # as where git is not installed
    check("without git no file is found", "meson.build" in version.files(ROOT))
    os.environ["PATH"] = path
    failures = list(version.faults(ROOT))
    check("the tree's places differ:\n" + "\n".join(failures), not failures)
    with tempfile.TemporaryDirectory() as folder:
        copied(folder)
        for wanted in SHARED + ("10.2.3", "0.37.1"):
            check_set(folder, wanted)
        check_notes(folder, "0.37.1")
        version.files = lambda root: []  # of the places alone
        now = version.parts(version.current(folder))
        for file in sorted({file.format(**now) for file, _, _ in version.PLACES}):  # each place that is forgotten is found
            text = version.read(folder, file)
            version.write(folder, file, text.replace("37", "36").replace("0", "5"))
            check("a wrong version in %s is not found" % file, list(version.faults(folder)))
            version.write(folder, file, text)


if __name__ == "__main__":
    main()
