"""Every place has the address, the maintainers and the e-mail of bindings/project.json, and bindings/project.py finds and sets them all.

    python3 project.py ROOT
"""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.join(ROOT, "bindings"))
import project  # noqa: E402
import version  # noqa: E402

OTHERS = ("write to maintainers@somewhere.example", "see github.com/stranger/libmx2onnx", "https://mx2onnx.example/docs", "ask a.person@mail.org",
          "import io.github.stranger.Model;", "src/io/github/stranger/Model.java", "npm install @stranger/linux-x64", "models of MXNet 0.7 to 2.0", "from 0.8 to 2.1.")
NONE = ("typescript@v4.0.1", "node@18.20.8", "git@v2.1", "com.example is a domain of your own", "@types/node", "@babel/core", "0.04 to 2.0.1", "ran 0.7 to 2.0s")
NEW = {"address": "https://code.forge.dev/group/libmx2onnx", "maintainers": "Somebody else", "email": "people@forge.dev", "group": "dev.forge.models",
       "scope": "@forge-models", "mxnet": "0.9 to 2.5"}


def check(what, holds):
    if not holds:
        sys.exit("project.py: " + what)


def copied(folder):
    for file in version.files(ROOT):
        os.makedirs(os.path.join(folder, os.path.dirname(file)), exist_ok=True)
        shutil.copy(os.path.join(ROOT, file), os.path.join(folder, file))


def check_notes(folder):
    listed, project.text_files = project.text_files, lambda root: [("notes.txt", version.read(root, "notes.txt"))]
    for texts, wrong in ((OTHERS, True), (NONE, False)):
        for text in texts:
            version.write(folder, "notes.txt", text)
            found = [f for f in project.faults(folder) if f.startswith("notes.txt")]
            check("'%s' is taken for %s" % (text, "the project's" if wrong else "another's"), bool(found) == wrong)
    os.remove(os.path.join(folder, "notes.txt"))
    project.text_files = listed


def check_lacks(folder):
    """A place without its value, and a package without its licence."""
    now, listed, project.text_files = project.values(folder), project.text_files, lambda root: []
    for file, fields in project.PLACES.items():
        text = version.read(folder, file)
        for field in fields:
            version.write(folder, file, text.replace(now[field], "nothing"))
            check("%s may lack the %s" % (file, field), any(f.startswith(file) for f in project.faults(folder)))
        version.write(folder, file, text)
    for package in project.PACKAGES:
        text = version.read(folder, package + "/NOTICE")
        os.remove(os.path.join(folder, package, "NOTICE"))
        check(package + " may lack its NOTICE", list(project.faults(folder)))
        version.write(folder, package + "/NOTICE", text)
    project.text_files = listed


def main():
    failures = list(project.faults(ROOT))
    check("the tree's places differ:\n" + "\n".join(failures), not failures)
    with tempfile.TemporaryDirectory() as folder:
        copied(folder)
        check_notes(folder)
        check_lacks(folder)
        for field, value in NEW.items():
            done = subprocess.run([sys.executable, os.path.join(folder, "bindings", "project.py"), field, value], stdout=subprocess.PIPE, text=True)
            check("%s is not set everywhere: %s" % (field, done.stdout), done.returncode == 0)
            check("the %s is not %s" % (field, value), project.values(folder)[field] == value)
        check("a decorator of Python is taken for npm's scope", "@mx2onnx.custom_operator(" in version.read(folder, "bindings/python/README.md"))
        check("Java's folders are not those of its package", os.path.exists(os.path.join(folder, project.JAVA, "main", "java", "dev", "forge", "models", "Model.java"))
              and not os.path.exists(os.path.join(folder, project.JAVA, "main", "java", "io")))
        version.write(folder, project.MAIN, version.read(folder, project.MAIN).replace("https://code.forge.dev/group", "https://github.com/some-body"))
        check("a group of another owner is taken", any("io.github.some_body" in f for f in project.faults(folder)))


if __name__ == "__main__":
    main()
