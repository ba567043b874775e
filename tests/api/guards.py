"""A package that would be incomplete is not packed: Python's source distribution, npm's packages, Rust's crate and Java's jar without
the library, where the tools are installed. Nor does a package's README.md speak of a checkout. A release with a path of the machine that made it is refused, too.

    python3 guards.py ROOT
"""
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.join(ROOT, "bindings"))
import first_steps  # noqa: E402

WHEEL = """try:
    import setuptools.command.bdist_wheel
except ImportError:
    import wheel.bdist_wheel
"""
LACKS = shutil.ignore_patterns("vendor", "native", "node_modules", "target", "build", "__pycache__", "*.egg-info", "*.wasm", "mx2onnx-core.mjs", "natives")


def refused(folder, words, *command, **more):
    """It fails, says why, and leaves no package."""
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=dict(os.environ, **more))
    made = [n for n in os.listdir(folder) if n.endswith((".tgz", ".tar.gz", ".crate")) or n == "dist"]
    if done.returncode == 0 or words not in done.stdout or made:
        sys.exit("%s in %s: ended with %d, made %s\n%s" % (" ".join(command), folder, done.returncode, made, done.stdout))
    print("%s is refused" % " ".join(command))


def has(*command):
    return shutil.which(command[0]) and subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE).returncode == 0


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name in ("python", "node", "wasm", "rust", "java"):
            shutil.copytree(os.path.join(ROOT, "bindings", name), os.path.join(folder, name), ignore=LACKS)
        if has(sys.executable, "-c", WHEEL):
            refused(os.path.join(folder, "python"), "vendor.py", sys.executable, "setup.py", "-q", "sdist")
        if has("npm", "--version"):
            refused(os.path.join(folder, "node"), "bindings/release.py", "npm", "pack")
            refused(os.path.join(folder, "wasm"), "ENOENT", "npm", "pack")
        home = first_steps.newest_java()
        if home and has("mvn", "-q", "-B", "-f", os.path.join(folder, "java"), "enforcer:help"):
            refused(os.path.join(folder, "java"), "bindings/release.py", "mvn", "-q", "-B", "verify", "-DskipTests", JAVA_HOME=home)
        if has("rustc", "--version"):  # as it is when it is out of the tree
            crate = os.path.join(folder, "rust", "mx2onnx-sys")
            os.remove(os.path.join(folder, "rust", "Cargo.toml"))
            version = next(line.split('"')[1] for line in open(os.path.join(crate, "Cargo.toml"), encoding="utf-8") if line.startswith("version"))
            script = os.path.join(crate, "build.rs")
            with open(script, encoding="utf-8") as f:  # without the crates that it uses after the guard
                text = f.read().split("    if let Ok(folder)")[0] + "}\n"
            with open(script, "w", encoding="utf-8") as f:
                f.write(text)
            subprocess.run(["rustc", "--edition", "2021", "-o", os.path.join(folder, "build-script"), script], check=True)
            refused(crate, "vendor/mx2onnx.c", os.path.join(folder, "build-script"), CARGO_PKG_VERSION=version)
        paths(folder)
        keys(folder)
    documents()


def keys(folder):
    """A key that is empty, as GitHub gives a secret that was not set: the release is not signed."""
    import release
    for text, wanted in (("", None), ("\n", None), ("a key", "a key\n")):
        os.environ["MX2ONNX_TEST_KEY"] = text
        path = release.key_from("MX2ONNX_TEST_KEY", folder)
        found = path and open(path, encoding="utf-8").read()
        if found != wanted:
            sys.exit("the key %r is read as %r" % (text, found))
        if path:
            os.remove(path)


def documents():
    """What is replaced in a package's README.md is there."""
    import project
    import readmes
    for package in readmes.FILES:
        found = readmes.faults(readmes.published(ROOT, package, project.values(ROOT)))
        if found:
            sys.exit("the README.md of the package %s has what only a checkout has: %s" % (package, found))


def paths(folder):
    """What release.py looks for in each package, when all are made."""
    sys.path.insert(0, os.path.join(ROOT, "bindings"))
    import release
    maker = release.Release.__new__(release.Release)
    maker.output, maker.work = os.path.join(folder, "output"), os.path.join(folder, "work")
    os.makedirs(maker.output)
    for name, data, refused_one in (("a", b"lib/read/json.c /usr/lib", False), ("b", maker.work.encode() + b"/tree/x.c", True), ("__pycache__/c", b"", True),
                                    ("d", os.path.join(tempfile.gettempdir(), "tmpab_12cde", "lib.so").encode(), True)):
        with zipfile.ZipFile(os.path.join(maker.output, "package.whl"), "w") as z:
            z.writestr(name, data)
        try:
            maker.look()
            found = False
        except SystemExit:
            found = True
        if found != refused_one:
            sys.exit("a release with %s in the file %s is %s" % (data, name, "refused" if found else "made"))
    print("paths of a machine are refused")


if __name__ == "__main__":
    sys.exit(main())
