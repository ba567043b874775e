"""Wheels for systems and processors that nothing else is built for: Linux with glibc from 2.17 on or with musl, Windows, macOS; with
zlib, libzip and jansson inside the library. The compiler is zig's, which brings the C libraries of all of them.

    python3 vendor.py BUILD                               # in bindings/, the library as one file
    python3 wheels.py SOURCES OUTPUT [TARGET]...          # manylinux-x86_64 ... macos-x86_64, as below

The libraries, and the program by itself, are in OUTPUT/natives then, which the packages of other languages take.

SOURCES holds the folders zlib, libzip and jansson, and libarchive with its two headers if archives of tar shall be read
(libarchive itself is looked for when the first one is). Needed are cmake and from PyPI ziglang, setuptools and wheel.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TARGETS = {  # the wheel's platform, the compiler's target, the system as CMake calls it
    "manylinux-x86_64": ("manylinux_2_17_x86_64", "x86_64-linux-gnu.2.17", "Linux"),
    "manylinux-aarch64": ("manylinux_2_17_aarch64", "aarch64-linux-gnu.2.17", "Linux"),
    "musllinux-x86_64": ("musllinux_1_2_x86_64", "x86_64-linux-musl", "Linux"),
    "musllinux-aarch64": ("musllinux_1_2_aarch64", "aarch64-linux-musl", "Linux"),
    "windows-x86_64": ("win_amd64", "x86_64-windows-gnu", "Windows"),
    "macos-arm64": ("macosx_11_0_arm64", "aarch64-macos.11.0", "Darwin"),
    "macos-x86_64": ("macosx_10_15_x86_64", "x86_64-macos.10.15", "Darwin"),
}
SYSTEM = {"Linux": ["-lm", "-ldl", "-Wl,--gc-sections"], "Windows": ["-ladvapi32", "-lshell32"], "Darwin": ["-Wl,-dead_strip"]}
LIBRARY = {  # its file, and how it is linked so that it shows the header's names and the program alone
    "Linux": ("libmx2onnx.so", ["-Wl,-z,defs", "-Wl,-soname,libmx2onnx.so"]),  # and a map
    "Windows": ("mx2onnx.dll", []),
    "Darwin": ("libmx2onnx.dylib", ["-Wl,-install_name,@rpath/libmx2onnx.dylib"]),
}
SMALL = ["-Os", "-fPIC", "-fvisibility=hidden", "-ffunction-sections", "-fdata-sections", "-fno-sanitize=all"]
OPTIONS = {
    "jansson": ["-DJANSSON_BUILD_DOCS=OFF", "-DJANSSON_WITHOUT_TESTS=ON", "-DJANSSON_EXAMPLES=OFF"],
    "libzip": [
        *("-DENABLE_%s=OFF" % x for x in "BZIP2 LZMA ZSTD COMMONCRYPTO GNUTLS MBEDTLS OPENSSL WINDOWS_CRYPTO".split()),
        *("-DBUILD_%s=OFF" % x for x in "SHARED_LIBS TOOLS REGRESS OSSFUZZ EXAMPLES DOC".split()),
    ],
}


def run(*command, **environment):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=dict(os.environ, **environment))
    if done.returncode:
        sys.exit("%s\n%s" % (" ".join(command), done.stdout))


class Target:
    """Compiles for one platform, in a folder."""

    def __init__(self, name, sources, folder):
        self.platform, self.triple, self.system = TARGETS[name]
        self.sources, self.folder = sources, folder
        self.cc = self.tool("cc", "-target", self.triple)
        self.ar, self.ranlib, self.rc = self.tool("ar"), self.tool("ranlib"), self.tool("rc")

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def tool(self, name, *arguments):
        """A program that CMake takes for one of the usual tools."""
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write('#!/bin/sh\nexec %s -m ziglang %s "$@"\n' % (sys.executable, " ".join((name, *arguments))))
        os.chmod(self.path(name), 0o755)
        return self.path(name)

    def zlib(self):
        """Without what reads and writes files, and without its CMakeLists, which wants a shared library, too."""
        source, objects = os.path.join(self.sources, "zlib"), []
        os.makedirs(self.path("include"))
        os.makedirs(self.path("lib"))
        for path in sorted(glob.glob(os.path.join(source, "*.c"))):
            if not os.path.basename(path).startswith("gz"):
                objects.append(self.path(os.path.basename(path) + ".o"))
                run(self.cc, *SMALL, "-DHAVE_UNISTD_H=1", "-Dfdopen=fdopen", "-w", "-c", path, "-o", objects[-1])
        run(self.ar, "rcs", self.path("lib", "libz.a"), *objects)
        for header in ("zlib.h", "zconf.h"):
            shutil.copy(os.path.join(source, header), self.path("include"))

    def cmake(self, name):
        """Installs a static library."""
        options = {
            "CMAKE_SYSTEM_NAME": self.system, "CMAKE_SYSTEM_PROCESSOR": self.triple.split("-")[0], "CMAKE_BUILD_TYPE": "None",
            "CMAKE_C_COMPILER": self.cc, "CMAKE_AR": self.ar, "CMAKE_RANLIB": self.ranlib, "CMAKE_RC_COMPILER": self.rc,
            "CMAKE_C_FLAGS": " ".join((*SMALL, "-w", "-Wno-incompatible-function-pointer-types")), "CMAKE_INSTALL_PREFIX": self.folder, "CMAKE_INSTALL_LIBDIR": "lib",
            "CMAKE_FIND_ROOT_PATH": self.folder, "CMAKE_FIND_ROOT_PATH_MODE_LIBRARY": "ONLY",
            "CMAKE_FIND_ROOT_PATH_MODE_INCLUDE": "ONLY", "BUILD_SHARED_LIBS": "OFF",
            "ZLIB_LIBRARY": self.path("lib", "libz.a"), "ZLIB_INCLUDE_DIR": self.path("include"),
        }
        run("cmake", "-S", os.path.join(self.sources, name), "-B", self.path(name), *OPTIONS[name],
            *("-D%s=%s" % option for option in options.items()))
        run("cmake", "--build", self.path(name), "--target", "install")

    def program(self):
        """The objects of the command line, which is in the library's file."""
        vendor, objects = os.path.join(HERE, "vendor"), []
        defines = ["-D__USE_MINGW_ANSI_STDIO=1", "-D_WIN32_WINNT=0x0602"] if self.system == "Windows" else ["-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64"]
        other = "system.c" if self.system == "Windows" else "system_windows.c"
        for path in sorted(glob.glob(os.path.join(vendor, "cli", "*.c"))):
            if os.path.basename(path) != other:
                objects.append(self.path("cli-" + os.path.basename(path) + ".o"))
                run(self.cc, "-std=c11", *SMALL, "-O2", "-DNDEBUG", "-g0", "-DMX2ONNX_STATIC", *defines, "-I", vendor, "-c", path, "-o", objects[-1])
        return objects

    def link(self, output, *arguments):
        """The library as one file and the command line, with all that they need."""
        headers = os.path.join(self.sources, "libarchive")
        tar = ["-DMX2ONNX_TAR=1", "-I", headers] if os.path.isdir(headers) else []
        run(self.cc, "-std=c11", *SMALL, "-O2", "-DNDEBUG", "-g0", *tar, "-I", self.path("include"), "-s", os.path.join(HERE, "vendor", "mx2onnx.c"),
            *self.objects, "-o", output, "-L", self.path("lib"), "-lzip", "-lz", "-ljansson", *arguments, *SYSTEM[self.system])
        return output

    def map(self):
        """The library's versions of names, and the program's name."""
        with open(os.path.join(HERE, "..", "..", "lib", "mx2onnx.map"), encoding="utf-8") as f, open(self.path("map"), "w", encoding="utf-8") as out:
            out.write(f.read().replace("global:", "global:\n        mx2onnx_program;", 1))
        return self.path("map")

    def build(self):
        """The library, which contains the program, and the program alone."""
        self.zlib()
        for name in OPTIONS:
            self.cmake(name)
        self.objects = self.program()
        name, arguments = LIBRARY[self.system]
        if self.system == "Linux":
            arguments = [*arguments, "-Wl,--version-script=" + self.map()]
        main = os.path.join(HERE, "..", "..", "examples", "mx2onnx.c")
        folders = [os.path.join(HERE, "vendor"), os.path.dirname(main)]
        return self.link(self.path(name), "-shared", *arguments), self.link(
            self.path("mx2onnx" + (".exe" if self.system == "Windows" else "")), "-DMX2ONNX_STATIC", main, *("-I" + f for f in folders))


def licences(sources, library, runtimes=()):
    """A file next to the library: NOTICE, and the licences of what is in it."""
    path = os.path.join(os.path.dirname(library), "LICENSES-OF-OTHERS.txt")
    with open(path, "w", encoding="utf-8") as out:
        with open(os.path.join(HERE, "..", "..", "NOTICE"), encoding="utf-8") as f:
            out.write("%s\n%s holds these libraries.\n" % (f.read(), os.path.basename(library)))
        for name in ("zlib", *OPTIONS):
            with open(os.path.join(sources, name, "LICENSE"), encoding="utf-8", errors="replace") as f:
                out.write("\n---- %s\n\n%s" % (name, f.read()))
        with open(os.path.join(HERE, "vendor", "mx2onnx.c"), encoding="utf-8") as f:
            comments = re.findall(r"/\*.*?\*/", f.read(), re.S)
        for name, author in (("nanopb", "Petteri Aimonen"), ("uthash", "Troy D. Hanson")):
            out.write("\n---- %s\n\n%s\n" % (name, next(c for c in comments if author in c)))
        for name, file in runtimes:
            with open(file, encoding="utf-8", errors="replace") as f:
                out.write("\n---- %s\n\n%s\n" % (name, f.read()))
    return path


def runtimes(triple):
    """[(name, its licence)] of the C library whose parts the compiler adds: zig's files."""
    import ziglang
    libc = os.path.join(os.path.dirname(ziglang.__file__), "lib", "libc")
    files = {"musl": ("musl", "musl/COPYRIGHT"), "windows": ("mingw-w64", "mingw/COPYING")}
    return [(name, os.path.join(libc, *file.split("/"))) for word, (name, file) in files.items() if word in triple]


def native(name, sources, output):
    """The library, the program and their licences, in OUTPUT/NAME."""
    with tempfile.TemporaryDirectory() as folder:
        target = Target(name, sources, folder)
        os.makedirs(os.path.join(output, name), exist_ok=True)
        for built in target.build():
            shutil.copy(built, os.path.join(output, name))
    library = os.path.join(output, name, LIBRARY[target.system][0])
    licences(sources, library, runtimes(target.triple))
    return library


def wheel(name, library, output):
    with tempfile.TemporaryDirectory() as folder:
        package = os.path.join(folder, "package")
        shutil.copytree(HERE, package, ignore=shutil.ignore_patterns("build", "dist", "vendor", "*.egg-info", "__pycache__"))
        run(sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-deps", "--no-build-isolation", "-w", output,
            "--config-settings=--build-option=--plat-name=" + TARGETS[name][0], package,
            MX2ONNX_LIBRARY=library, MX2ONNX_LICENCES=os.path.join(os.path.dirname(library), "LICENSES-OF-OTHERS.txt"))


def main():
    names = sys.argv[3:] or list(TARGETS)
    if len(sys.argv) < 3 or not set(names) <= set(TARGETS):
        sys.exit(__doc__)
    sources, output = (os.path.abspath(folder) for folder in sys.argv[1:3])
    for name in names:
        wheel(name, native(name, sources, os.path.join(output, "natives")), output)


if __name__ == "__main__":
    main()
