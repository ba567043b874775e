"""Makes a release of the last commit: all packages, in a folder.

    python3 release.py OUTPUT                   everything; the checkout must be clean
    python3 release.py OUTPUT --only NAME,...   some, and what they are made of
    --tag vX.Y.Z          fails if that is not the version's name
    --key FILE            signs SHA256SUMS with this private key of ssh-keygen; --key-variable NAME: the key is in the environment
    --install             installs what it needs from Debian's archive
    --work FOLDER         where it works, build/release

The same commit gives the same bytes on machines with the same tools: archives are in order, with the commit's time. A package that would
be incomplete is not made. What a package holds and how it is published is in packaging/README.md; tests/release installs each.
"""
import argparse
import contextlib
import glob
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path += [os.path.join(HERE, "packaging"), os.path.join(ROOT, "tests", "platforms")]
sys.dont_write_bytecode = True
import archives  # noqa: E402
import dependencies  # noqa: E402
import first_steps  # noqa: E402
import nuget  # noqa: E402
import project  # noqa: E402
import readmes  # noqa: E402
import run as platforms  # noqa: E402
import sbom  # noqa: E402
import version  # noqa: E402
import winget  # noqa: E402

DEBIAN = ("cmake debhelper dpkg-dev emscripten gcc libarchive-dev libjansson-dev libnanopb-dev libzip-dev lintian llvm meson "
          "mono-mcs mono-runtime nanopb ninja-build openssh-client pkg-config python3 python3-venv uthash-dev")
# Debian's package of a program that often comes from elsewhere, and that Debian's then conflicts with.
PROGRAMS = {"cargo": "cargo", "go": "golang-go", "mvn": "maven", "node": "nodejs", "npm": "npm"}
TARGETS = ("manylinux-x86_64", "manylinux-aarch64", "musllinux-x86_64", "musllinux-aarch64", "windows-x86_64", "macos-arm64", "macos-x86_64")
# npm: the platform's name, and what npm compares with the machine. The file is called as koffi looks for it.
NPM = {
    "manylinux-x86_64": ("linux-x64", {"os": ["linux"], "cpu": ["x64"], "libc": ["glibc"]}),
    "manylinux-aarch64": ("linux-arm64", {"os": ["linux"], "cpu": ["arm64"], "libc": ["glibc"]}),
    "musllinux-x86_64": ("linux-x64-musl", {"os": ["linux"], "cpu": ["x64"], "libc": ["musl"]}),
    "musllinux-aarch64": ("linux-arm64-musl", {"os": ["linux"], "cpu": ["arm64"], "libc": ["musl"]}),
    "windows-x86_64": ("win32-x64", {"os": ["win32"], "cpu": ["x64"]}),
    "macos-arm64": ("darwin-arm64", {"os": ["darwin"], "cpu": ["arm64"]}),
    "macos-x86_64": ("darwin-x64", {"os": ["darwin"], "cpu": ["x64"]}),
}
# Java's os.arch, as Native.java asks for it. There is no musl: its file needs another C library under the same name.
JAVA = {"manylinux-x86_64": "linux-amd64", "manylinux-aarch64": "linux-aarch64", "windows-x86_64": "windows-amd64",
        "macos-arm64": "macos-aarch64", "macos-x86_64": "macos-x86_64"}
OTHERS = "LICENSES-OF-OTHERS.txt"
AMALGAMATION = """# libmx2onnx {version} as one file

Converts MXNet models to ONNX. Compile it with your program, and link to jansson and libzip:

```sh
cc -std=c11 -O2 -c mx2onnx.c
cc -I. main.c mx2onnx.o -o main -ljansson -lzip -lm
```

`mx2onnx.h` has every function; `mx2onnx.hpp` is for C++. The first lines of `mx2onnx.c` name the options. More is at
<{address}>.
"""
PROGRAM = """# mx2onnx {version}

Converts MXNet models to ONNX: the program, which needs nothing, and the library with its headers for C and C++.

```sh
./mx2onnx resnet50-symbol.json --dynamic data=batch,3,224,224
./mx2onnx --help
```

The guides are at <{address}>.
"""


def say(text):
    print("== " + text, flush=True)


def call(*command, **options):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        sys.exit("%s\n%s\nended with %d" % (done.stdout[-6000:], " ".join(command), done.returncode))
    return done.stdout


def need(what, holds):
    """A package that would be incomplete is not made."""
    if not holds:
        sys.exit("release.py: " + what)


def once(function):
    """What several packages are made of is made for the first."""
    def made(self, *arguments):
        key = (function.__name__, *arguments)
        if key not in self.made:
            self.made[key] = function(self, *arguments)
        return self.made[key]
    return made


class Release:
    def __init__(self, output, work):
        self.output, self.work, self.made = os.path.abspath(output), os.path.abspath(work), {}
        self.tree = os.path.join(self.work, "tree")
        self.project = project.values(ROOT)
        self.version = self.project["version"]
        self.epoch = int(call("git", "-C", ROOT, "log", "-1", "--format=%ct"))
        self.env = dict(os.environ, SOURCE_DATE_EPOCH=str(self.epoch), TZ="UTC", LC_ALL="C.UTF-8")
        for name in ("CC", "CXX", "CFLAGS", "LDFLAGS", "MX2ONNX_LIBRARY"):
            self.env.pop(name, None)
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(self.tree)
        os.makedirs(self.output, exist_ok=True)
        archive = subprocess.run(["git", "-C", ROOT, "archive", "HEAD"], check=True, stdout=subprocess.PIPE).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            tar.extractall(self.tree, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))

    def folder(self, *names):
        """A new one, to work in."""
        path = os.path.join(self.work, *names)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path

    def out(self, *names):
        path = os.path.join(self.output, *names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def empty(self, *names):
        """A folder of the output, without what was there."""
        path = self.out(*names)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path

    def name(self, ending, of="libmx2onnx"):
        return "%s-%s%s" % (of, self.version, ending)

    # ---- what the packages are made of

    @once
    def sources(self):
        """{library: folder}: from Debian's source packages, except those that are in the source archive, too."""
        return {**dependencies.sources(("jansson", "libarchive", "libzip", "zlib")), "nanopb": self.nanopb(), "uthash": self.uthash()}

    @once
    def nanopb(self):
        """As its wrap says."""
        call("meson", "subprojects", "download", "nanopb", cwd=self.tree)
        (folder,) = glob.glob(os.path.join(self.tree, "subprojects", "nanopb-*"))
        return folder

    @once
    def uthash(self):
        """Its header, as it is installed, which must be of the wrap's version."""
        folder = self.folder("uthash")
        os.makedirs(os.path.join(folder, "include"))
        shutil.copy("/usr/include/uthash.h", os.path.join(folder, "include"))
        found = sbom.version_of("uthash", folder)
        need("uthash.h is %s, and its wrap another version's" % found, "uthash-%s\n" % found in version.read(self.tree, "subprojects/uthash.wrap"))
        return folder

    @once
    def generated(self):
        """meson's build folder, with what its generators write; and the library as one file in the packages that compile it."""
        env = dict(self.env, NANOPB_SOURCES=self.nanopb())
        build = os.path.join(self.tree, "build")
        say("Generating")
        call("meson", "setup", build, self.tree, "-Dtests=disabled", env=env)
        call(sys.executable, os.path.join(self.tree, "bindings", "vendor.py"), build, env=env)
        return build

    @once
    def source(self):
        """The commit, with what needs generators, and the two libraries that no system has in one place."""
        build = self.generated()
        top = self.folder("source", self.name(""))
        shutil.rmtree(top)
        shutil.copytree(self.tree, top, symlinks=True, ignore=lambda folder, names: [n for n in names if ignored(os.path.relpath(
            os.path.join(folder, n), self.tree).replace(os.sep, "/"))])
        for name in ("onnx.pb.c", "onnx.pb.h"):
            shutil.copy(os.path.join(build, "lib", "onnx", "write", name), os.path.join(top, "lib", "onnx", "write"))
        nanopb = os.path.join(top, "subprojects", os.path.basename(self.nanopb()))
        os.makedirs(nanopb)
        for name in ("pb.h", "pb_common.c", "pb_common.h", "pb_decode.c", "pb_decode.h", "pb_encode.c", "pb_encode.h", "LICENSE.txt", "meson.build"):
            shutil.copy(os.path.join(self.nanopb(), name), nanopb)
        uthash_version = sbom.version_of("uthash", self.uthash())
        uthash = os.path.join(top, "subprojects", "uthash-" + uthash_version)
        os.makedirs(uthash)
        shutil.copy(os.path.join(self.uthash(), "include", "uthash.h"), uthash)
        with open(os.path.join(uthash, "meson.build"), "w", encoding="utf-8") as f:
            f.write("project('uthash', 'c', version: '%s', license: 'BSD-1-Clause')\n"
                    "uthash_dep = declare_dependency(include_directories: include_directories('.', is_system: true))\n"
                    "meson.override_dependency('uthash', uthash_dep)\n" % uthash_version)
        path = self.out(self.name(".tar.gz"))
        archives.tar_gz(path, top, self.name("/"), self.epoch)
        return path

    @once
    def natives(self, name):
        """A folder with the library, the program and the licences of what is in them, for one platform."""
        self.generated()
        sources = self.folder("native-sources", name)
        for library, folder in self.sources().items():
            os.symlink(os.path.join(folder, "libarchive") if library == "libarchive" else folder, os.path.join(sources, library))
        output = os.path.join(self.work, "natives")
        say("Building for " + name)
        script = ("import os, sys; sys.path.insert(0, sys.argv[1]); import wheels; wheels.native(*sys.argv[2:])")
        call(self.python(), "-c", script, os.path.join(self.tree, "bindings", "python"), name, sources, output, env=self.env)
        folder = os.path.join(output, name)
        need("%s lacks a file: %s" % (name, os.listdir(folder)), len(os.listdir(folder)) == 3)
        return folder

    def library(self, name):
        """Of a platform: its path."""
        folder = self.natives(name)
        (path,) = [os.path.join(folder, n) for n in os.listdir(folder) if n.endswith((".so", ".dll", ".dylib"))]
        return path

    @once
    def python(self):
        """Of a virtual environment with zig and what wheels are made with."""
        platforms.install_zig()
        return os.path.join(platforms.ZIG, "bin", "python")

    # ---- the packages

    def make_source(self):
        self.source()

    def make_amalgamation(self):
        """The library as one file."""
        made = os.path.join(self.generated(), "lib", "amalgamation")
        files = [(n, os.path.join(made, n)) for n in ("mx2onnx.c", "mx2onnx.h")]
        files += [("mx2onnx.hpp", os.path.join(self.tree, "bindings", "cpp", "mx2onnx.hpp"))]
        files += [(n, os.path.join(self.tree, n)) for n in ("LICENSE", "NOTICE", "CHANGELOG.md")]
        readme = os.path.join(self.folder("amalgamation"), "README.md")
        version.write("/", readme, AMALGAMATION.format(**self.project))
        files += [("README.md", readme)]
        archives.zip_of(self.out(self.name("-amalgamation.zip")), [(self.name("-amalgamation/") + n, p) for n, p in sorted(files)], self.epoch)

    @once
    def program(self, name):
        """The archive of the program, and of the library with its header, for machines of one platform that have no package."""
        top = self.folder("programs", name)
        for file in os.listdir(self.natives(name)):
            shutil.copy(os.path.join(self.natives(name), file), top)
        for file in ("include/mx2onnx.h", "bindings/cpp/mx2onnx.hpp", "LICENSE", "NOTICE"):
            shutil.copy(os.path.join(self.tree, file), top)
        version.write(top, "README.md", PROGRAM.format(**self.project))
        path = self.out("programs", self.name("-%s.%s" % (name, "zip" if name.startswith("windows") else "tar.gz"), "mx2onnx"))
        if name.startswith("windows"):
            archives.zip_of(path, archives.files_of(top), self.epoch)
        else:
            archives.tar_gz(path, top, self.name("-%s/" % name, "mx2onnx"), self.epoch)
        return path

    def make_programs(self):
        for name in TARGETS:
            self.program(name)

    def make_wheels(self):
        script = "import os, sys; sys.path.insert(0, sys.argv[1]); import wheels; wheels.wheel(*sys.argv[2:])"
        output = self.folder("wheels")
        for name in TARGETS:
            call(self.python(), "-c", script, os.path.join(self.tree, "bindings", "python"), name, self.library(name), output, env=self.env)
        for path in sorted(glob.glob(os.path.join(output, "*.whl"))):
            with zipfile.ZipFile(path) as z:
                names = {n.split("/")[-1] for n in z.namelist()}
            need("%s lacks the library or a licence" % path, {"LICENSE", "NOTICE", OTHERS} <= names and any(n.endswith((".so", ".dll", ".dylib")) for n in names))
            shutil.copy(path, self.out("python", os.path.basename(path)))
        need("there are not %d wheels" % len(TARGETS), len(glob.glob(os.path.join(output, "*.whl"))) == len(TARGETS))

    def make_sdist(self):
        self.generated()
        output = self.folder("sdist")
        call(self.python(), "setup.py", "-q", "sdist", "-d", output, cwd=os.path.join(self.tree, "bindings", "python"), env=self.env)
        (made,) = glob.glob(os.path.join(output, "*.tar.gz"))
        top = archives.tar_folder(made, self.folder("sdist-files"))
        archives.tar_gz(self.out("python", os.path.basename(made)), top, os.path.basename(top) + "/", self.epoch)

    def make_crates(self):
        self.generated()
        rust, target = os.path.join(self.tree, "bindings", "rust"), self.folder("cargo")
        package = ("cargo", "package", "-q", "--allow-dirty", "--no-verify", "--target-dir", target)
        if tuple(int(n) for n in re.findall(r"\d+", call("cargo", "--version"))[:2]) >= (1, 90):
            call(*package, "-p", "mx2onnx-sys", "-p", "mx2onnx", cwd=rust, env=self.env)
        else:  # it looks for the one in the registry, to which it belongs only later
            for name in ("mx2onnx-sys", "mx2onnx"):
                call(*package, "-p", name, "--config", "patch.crates-io.mx2onnx-sys.path='%s'" % os.path.join(rust, "mx2onnx-sys"), cwd=rust, env=self.env)
        for name, wanted in (("mx2onnx-sys", {"vendor/mx2onnx.c", "vendor/mx2onnx.h"}), ("mx2onnx", set())):
            path = os.path.join(target, "package", self.name(".crate", name))
            with tarfile.open(path) as tar:
                lacks = {self.name("/" + n, name) for n in wanted | {"LICENSE", "NOTICE", "README.md"}} - set(tar.getnames())
            need("%s lacks %s" % (path, lacks), not lacks)
            shutil.copy(path, self.out("rust", os.path.basename(path)))

    def npm_pack(self, folder):
        output = self.empty("npm") if "npm" not in self.made else self.out("npm")
        self.made["npm"] = True
        call("npm", "pack", "--silent", "--pack-destination", output, cwd=folder, env=self.env)

    def make_npm(self):
        """The package, and one for each platform: npm installs that of the machine."""
        self.generated()
        said = json.loads(version.read(self.tree, "bindings/node/package.json"))
        for name, (platform, only) in NPM.items():
            folder = self.folder("npm", platform)
            library = self.library(name)
            file = "libmx2onnx.so." + self.version.split(".")[0] if library.endswith(".so") else os.path.basename(library)
            shutil.copy(library, os.path.join(folder, file))
            for path in (os.path.join(self.tree, "LICENSE"), os.path.join(self.tree, "NOTICE"), os.path.join(self.natives(name), OTHERS)):
                shutil.copy(path, folder)
            package = {"name": self.project["scope"] + "/" + platform, "version": self.version, "description": "libmx2onnx for %s, for the package mx2onnx" % platform}
            package.update({key: said[key] for key in ("license", "author", "homepage", "bugs", "repository", "engines")}, **only)
            package["files"] = [file, "LICENSE", "NOTICE", OTHERS]
            version.write(folder, "package.json", json.dumps(package, indent=2) + "\n")
            version.write(folder, "README.md", "The library of the package `mx2onnx` for %s. Install `mx2onnx`, which depends on it.\n" % platform)
            self.npm_pack(folder)
        node = os.path.join(self.tree, "bindings", "node")
        said["optionalDependencies"] = {self.project["scope"] + "/" + platform: self.version for platform, _ in NPM.values()}
        version.write(node, "package.json", json.dumps(said, indent=2) + "\n")
        self.npm_pack(node)

    def make_wasm(self):
        folder = self.wasm()
        self.npm_pack(folder)

    @once
    def wasm(self):
        """The folder of the module, with everything."""
        say("Building the WebAssembly module")
        self.sources()
        there = os.path.join(self.tree, os.path.relpath(dependencies.SOURCES, ROOT))
        os.makedirs(os.path.dirname(there), exist_ok=True)
        os.symlink(dependencies.SOURCES, there)
        call(sys.executable, os.path.join(self.tree, "tests", "platforms", "run.py"), "--build", "wasm", env=self.env)
        built = os.path.join(self.tree, "build", "platforms", "wasm", "build", "bindings", "wasm")
        folder = self.folder("wasm")
        for name in json.loads(version.read(self.tree, "bindings/wasm/package.json"))["files"] + ["package.json", "README.md"]:
            for place in (built, os.path.join(self.tree, "bindings", "wasm")):
                if os.path.exists(os.path.join(place, name)):
                    shutil.copy(os.path.join(place, name), folder)
                    break
        # musl's build has the same libraries and C library
        text = version.read(self.natives("musllinux-x86_64"), OTHERS).replace("libmx2onnx.so holds", "mx2onnx-core.wasm holds")
        need("the licences of the WebAssembly module are not its own", "mx2onnx-core.wasm holds" in text and "---- musl" in text)
        version.write(folder, OTHERS, text + mit("Emscripten's runtime", "2010 The Emscripten Authors"))
        return folder

    def make_jar(self):
        """The jar with the libraries in it, sources and documentation, as a repository of Maven has them."""
        java = os.path.join(self.tree, "bindings", "java")
        for name, platform in JAVA.items():
            folder = os.path.join(java, "src", "main", "resources", "natives", platform)
            os.makedirs(folder)
            file = os.path.basename(self.library(name))
            shutil.copy(self.library(name), os.path.join(folder, "libmx2onnx.so." + self.version.split(".")[0] if file.endswith(".so") else file))
            shutil.copy(os.path.join(self.natives(name), OTHERS), os.path.join(folder, OTHERS))
        home = first_steps.newest_java()
        need("no JDK of 22 or newer is in JAVA_HOME or /usr/lib/jvm", home)
        call("mvn", "-q", "-B", "package", "-DskipTests", "-Dproject.build.outputTimestamp=%d" % self.epoch, cwd=java, env=dict(self.env, JAVA_HOME=home))
        top = "%s/mx2onnx/%s/mx2onnx-%s" % (self.project["group"].replace(".", "/"), self.version, self.version)
        shutil.copy(os.path.join(java, "pom.xml"), self.out("maven", *(top + ".pom").split("/")))
        for ending in (".jar", "-sources.jar", "-javadoc.jar"):
            path = self.out("maven", *(top + ending).split("/"))
            shutil.copy(os.path.join(java, "target", self.name(ending, "mx2onnx")), path)
            archives.zip_again(path, self.epoch)
        with zipfile.ZipFile(self.out("maven", *(top + ".jar").split("/"))) as z:
            names = set(z.namelist())
        with zipfile.ZipFile(self.out("maven", *(top + "-sources.jar").split("/"))) as z:
            need("the jar of sources has libraries", not any(n.startswith("natives/") for n in z.namelist()))
        need("the jar lacks natives, licences or README.md", {"META-INF/LICENSE", "META-INF/NOTICE", "META-INF/README.md"} <= names and sum(n.startswith("natives/") for n in names) == 2 * len(JAVA))
        for path in glob.glob(self.out("maven", *top.split("/")) + "*"):
            for kind in ("md5", "sha1"):
                if not path.endswith((".md5", ".sha1")):
                    version.write("/", path + "." + kind, sbom.digest(path, kind))

    def make_nupkg(self):
        project_folder = os.path.join(self.tree, "bindings", "csharp")
        path = nuget.pack(project_folder, self.natives, self.folder("nuget"), os.path.dirname(self.out("nuget", "x")), self.epoch)
        with zipfile.ZipFile(path) as z:
            natives = [n for n in z.namelist() if n.startswith("runtimes/") and n.endswith((".so", ".dll", ".dylib"))]
        need("the package of NuGet lacks a platform", len(natives) == len(TARGETS))

    def make_go(self):
        """The module of the tag bindings/go/vX.Y.Z, which must contain vendored.c and mx2onnx.h, as a proxy of Go serves it."""
        self.generated()
        folder, module = os.path.join(self.tree, "bindings", "go"), self.project["module"]
        shutil.rmtree(os.path.join(folder, "testdata"), ignore_errors=True)
        files = [(n, p) for n, p in archives.files_of(folder)]
        need("Go's module lacks the library", {"vendored.c", "mx2onnx.h", "LICENSE", "NOTICE"} <= {n for n, _ in files})
        top = ("go", *module.split("/"), "@v")
        tag = "v" + self.version
        archives.zip_of(self.out(*top, tag + ".zip"), [("%s@%s/%s" % (module, tag, n), p) for n, p in files], self.epoch)
        shutil.copy(os.path.join(folder, "go.mod"), self.out(*top, tag + ".mod"))
        version.write("/", self.out(*top, tag + ".info"), json.dumps({"Version": tag, "Time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.epoch))}))
        version.write("/", self.out(*top, "list"), tag + "\n")

    def make_debian(self):
        """Of the source archive, for the Debian release of this machine. Its tests are those of `source`."""
        work = self.folder("debian")
        env = dict(self.env, DEB_BUILD_OPTIONS="nocheck", DEB_BUILD_PROFILES="nocheck")
        call("bash", os.path.join(self.tree, "bindings", "packaging", "debian", "build.sh"), work, self.source(), env=env)
        output = self.empty("debian")
        for path in glob.glob(os.path.join(work, "*.deb")) + glob.glob(os.path.join(work, "*.dsc")) + glob.glob(os.path.join(work, "*.tar.*")):
            shutil.copy(path, output)

    def make_recipes(self):
        """conda's, vcpkg's, Homebrew's and the container's, with the hashes of the source archive."""
        packaging, archive = os.path.join(self.tree, "bindings", "packaging"), self.source()
        for name, kind in (("conda/meta.yaml", "sha256"), ("vcpkg/portfile.cmake", "sha512"), ("homebrew/mx2onnx.rb", "sha256")):
            text, n = re.subn(r"(%s:? \"?)0(\"?) +#.*" % kind, r"\g<1>%s\2" % sbom.digest(archive, kind), version.read(packaging, name), flags=re.I)
            need("%s has no place for a hash" % name, n == 1)
            version.write("/", self.out(*name.split("/")), text)
        recipe = self.out("conda", "meta.yaml")
        text, n = re.subn(r"OWNER  #.*", self.project["address"].split("/")[-2], version.read("/", recipe))
        need("conda's recipe has no place for its maintainer", n == 1)
        version.write("/", recipe, text)
        for name in ("vcpkg/vcpkg.json", "vcpkg/usage", "Dockerfile"):
            shutil.copy(os.path.join(packaging, name), self.out(*name.split("/")))

    def make_winget(self):
        archive = self.program("windows-x86_64")
        for name, text in winget.files(self.project, os.path.basename(archive), sbom.digest(archive)).items():
            version.write("/", self.out("winget", name), text)

    def make_site(self):
        """The documentation with the page that converts in the browser; that page alone where the tree has no documentation."""
        env, made = dict(self.env, MX2ONNX_MODULE=self.wasm()), os.path.join("build", "web", "site")
        guides = os.path.join("examples", "guides", "site.sh")
        if os.path.exists(os.path.join(self.tree, guides)):
            call("meson", "compile", "-C", self.generated(), "./examples/mx2onnx:executable", env=env)
            call("bash", guides, "build", "--converter", cwd=self.tree, env=env)
            made = os.path.join("build", "site")
            self.theme_licences(os.path.join(self.tree, made))
        else:
            call("bash", os.path.join("examples", "web", "site.sh"), cwd=self.tree, env=env)
        output = self.empty("site")
        shutil.copytree(os.path.join(self.tree, made), output, dirs_exist_ok=True)
        need("the site has no first page", os.path.exists(os.path.join(output, "index.html")))
        (module,) = glob.glob(os.path.join(output, "**", "mx2onnx-core.wasm"), recursive=True)
        version.write(os.path.dirname(module), OTHERS,
                      version.read(self.wasm(), OTHERS) + mit("packages: onnxruntime-web", "Microsoft Corporation"))

    def theme_licences(self, site):
        """Of what Sphinx and its theme put into the site."""
        packages = os.path.join(self.tree, "build", "venv-site", "lib", "*", "site-packages")
        text = "The folder _static holds these.\n"
        for name in ("furo", "sphinx", "sphinx_basic_ng"):
            (path,) = glob.glob(os.path.join(packages, name + "-*.dist-info", "**", "LICENSE*"), recursive=True)
            text += "\n---- %s\n\n%s" % (name, version.read("/", path))
        version.write(site, OTHERS, text)

    def toolchain(self):
        """[(name, version, where)] of what compilers and the page add to packages."""
        zig = "of zig " + call(self.python(), "-m", "ziglang", "version").strip()
        web = json.loads(version.read(self.tree, "examples/web/package.json"))
        return [("musl", zig, "musllinux"), ("mingw-w64", zig, "Windows"), ("compiler-rt", zig, "programs/, wheels, jar, nupkg, npm"),
                ("emscripten", call("emcc", "-dumpversion").strip(), "WebAssembly, with its musl and compiler-rt"),
                ("onnxruntime-web", web["dependencies"]["onnxruntime-web"], "site/")]

    def make_sbom(self):
        version.write("/", self.out(self.name(".spdx.json")), sbom.document(self.project, self.sources(), self.toolchain(), [
            f for f in self.files() if not f[0].startswith("site/")], self.epoch))

    # ---- the end

    def files(self):
        """All of the output except what is made of them."""
        return [(n, p) for n, p in archives.files_of(self.output) if not n.startswith("SHA256SUMS") and not n.endswith(".spdx.json")]

    def look(self):
        """Nothing in a package is of the machine that made it."""
        home = os.path.expanduser("~")
        places = {self.work, ROOT, os.path.join(home, ".cargo"), os.path.join(home, ".pyenv")}
        traces = [re.escape(path.encode()) + rb"(?![\w.-])" for path in sorted(places)]
        traces.append(re.escape(tempfile.gettempdir().encode()) + rb"/tmp[a-z0-9_]{8}/")
        for name, path in self.files():
            for inside, data in archives.contents(path):
                need("%s in %s was made by Python here" % (inside, name), "__pycache__" not in inside)
                for trace in traces:
                    found = re.search(trace, data)
                    need("%s in %s has a path of this machine: %s" % (inside, name, found and found.group()), not found)

    def sums(self):
        lines = ["%s  %s\n" % (sbom.digest(p), n) for n, p in archives.files_of(self.output) if not n.startswith("SHA256SUMS")]
        version.write("/", self.out("SHA256SUMS"), "".join(lines))


def mit(name, holder):
    """A part of LICENSES-OF-OTHERS.txt."""
    return "\n---- %s\n\nCopyright (c) %s\n\n%s" % (name, holder, version.read(HERE, "packaging/mit.txt"))


def key_from(variable, folder):
    """The file of the key in an environment's variable; None if it is empty, as a secret is that was not set."""
    text = os.environ.get(variable, "").strip()
    if not text:
        say("Not signed: %s is empty" % variable)
        return None
    path = os.path.join(folder, "key")
    with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="utf-8") as f:
        f.write(text + "\n")
    return path


def sign(key, sums):
    """Next to the file, as ssh-keygen verifies it."""
    if os.path.exists(sums + ".sig"):
        os.remove(sums + ".sig")
    call("ssh-keygen", "-Y", "sign", "-f", key, "-n", "libmx2onnx", sums)


def ignored(path):
    """Of the stage, what was built or fetched there."""
    return bool(re.match(r"build$|subprojects/(nanopb-|packagecache)|bindings/(node|python|rust/mx2onnx-sys)/vendor$|bindings/go/(vendored.c|mx2onnx.h)$"
                         r"|bindings/python/(build|dist|.*egg-info)|bindings/java/(target|src/main/resources/natives)|.*__pycache__$", path))


ALL = ("source", "amalgamation", "programs", "wheels", "sdist", "crates", "npm", "wasm", "jar", "nupkg", "go", "debian", "recipes", "winget", "site", "sbom")
LANGUAGES = ("wheels", "sdist", "crates", "npm", "wasm", "jar", "nupkg", "go")  # whose README.md is that of a package


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("output")
    arguments.add_argument("--only", metavar="NAME,...", default=",".join(ALL))
    arguments.add_argument("--tag")
    arguments.add_argument("--key")
    arguments.add_argument("--key-variable")
    arguments.add_argument("--install", action="store_true")
    arguments.add_argument("--last-commit", action="store_true", help=argparse.SUPPRESS)  # the checkout may have changes, which stay out
    arguments.add_argument("--work", default=os.path.join(ROOT, "build", "release"))
    a = arguments.parse_args()
    os.umask(0o022)  # files' modes are in some packages
    os.environ.update(GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="safe.directory", GIT_CONFIG_VALUE_0="*")  # in a container the checkout is another user's
    names = a.only.split(",")
    if not set(names) <= set(ALL):
        arguments.error("--only takes " + ", ".join(ALL))
    changed = "" if a.last_commit else call("git", "-C", ROOT, "status", "--porcelain")
    need("the checkout is not clean:\n" + changed, not changed)
    faults = [*version.faults(ROOT), *project.faults(ROOT)]
    need("\n".join(faults), not faults)
    if a.install:
        more = [package for program, package in PROGRAMS.items() if not shutil.which(program)]
        platforms.install(" ".join([DEBIAN, *more, *([] if first_steps.newest_java() else ["openjdk-25-jdk-headless"])]))
    release = Release(a.output, a.work)
    need("the tag %s is not v%s" % (a.tag, release.version), a.tag in (None, "v" + release.version))
    need("the e-mail %(email)s receives nothing: `python3 bindings/project.py email ADDRESS` sets one that the maintainers read" % release.project,
         not (a.tag and re.search(r"@users\.noreply\.|\.(example|invalid|test)$", release.project["email"])))
    for name in ALL:
        if name in names:
            say("Making " + name)
            with readmes.in_tree(release.tree, release.project) if name in LANGUAGES else contextlib.nullcontext():
                getattr(release, "make_" + name)()
    release.look()
    release.sums()
    key = key_from(a.key_variable, release.work) if a.key_variable else a.key
    if key:
        sign(key, release.out("SHA256SUMS"))
        if a.key_variable:
            os.remove(key)
    say("%s is in %s" % (release.name(""), release.output))
    return 0


if __name__ == "__main__":
    sys.exit(main())
