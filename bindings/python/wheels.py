"""Wheels for every Linux of one processor: glibc from 2.17 on and musl, with zlib, libzip and jansson inside the library.

    python3 vendor.py BUILD                                      # in bindings/, the library as one file
    python3 wheels.py SOURCES OUTPUT [manylinux|musllinux]...

SOURCES holds the folders zlib, libzip and jansson, and libarchive with its two headers if archives of tar shall be read
(libarchive itself is looked for when the first one is). Needed are cmake, binutils and from PyPI ziglang, whose compiler
brings the C libraries, setuptools and wheel.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MACHINE = os.uname().machine
TARGETS = {  # the wheel's platform, the compiler's target
    "manylinux": ("manylinux_2_17_" + MACHINE, MACHINE + "-linux-gnu.2.17"),
    "musllinux": ("musllinux_1_2_" + MACHINE, MACHINE + "-linux-musl"),
}
SMALL = "-Os -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections -fno-sanitize=all"
OPTIONS = {
    "zlib": ["-DZLIB_BUILD_EXAMPLES=OFF"],
    "jansson": ["-DJANSSON_BUILD_DOCS=OFF", "-DJANSSON_WITHOUT_TESTS=ON", "-DJANSSON_EXAMPLES=OFF"],
    "libzip": [
        *("-DENABLE_%s=OFF" % x for x in ("BZIP2", "LZMA", "ZSTD", "COMMONCRYPTO", "GNUTLS", "MBEDTLS", "OPENSSL")),
        *("-DBUILD_%s=OFF" % x for x in ("SHARED_LIBS", "TOOLS", "REGRESS", "OSSFUZZ", "EXAMPLES", "DOC")),
    ],
}


def run(*command, **environment):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=dict(os.environ, **environment))
    if done.returncode:
        sys.exit("%s\n%s" % (" ".join(command), done.stdout))


def compiler(folder, target):
    """A program that CMake takes for a compiler."""
    path = os.path.join(folder, "cc")
    with open(path, "w", encoding="utf-8") as f:
        f.write('#!/bin/sh\nexec %s -m ziglang cc -target %s "$@"\n' % (sys.executable, target))
    os.chmod(path, 0o755)
    return path


def install(name, source, folder, cc):
    """Builds a static library with CMake, into folder."""
    build = os.path.join(folder, name)
    run("cmake", "-S", source, "-B", build, "-DCMAKE_C_COMPILER=" + cc, "-DCMAKE_C_FLAGS=" + SMALL, "-DCMAKE_INSTALL_PREFIX=" + folder,
        "-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=" + MACHINE, "-DCMAKE_INSTALL_LIBDIR=lib",
        "-DCMAKE_FIND_ROOT_PATH=" + folder, "-DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY", "-DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY",
        "-DZLIB_LIBRARY=%s/lib/libz.a" % folder, *OPTIONS[name])
    run("cmake", "--build", build, "--target", "install")
    for shared in glob.glob(os.path.join(folder, "lib", "*.so*")):
        os.remove(shared)


def library(sources, folder, cc):
    for name in OPTIONS:
        install(name, os.path.join(sources, name), folder, cc)
    tar = []
    if os.path.isdir(os.path.join(sources, "libarchive")):
        tar = ["-DMX2ONNX_TAR=1", "-I", os.path.join(sources, "libarchive")]
    found = os.path.join(folder, "libmx2onnx.so")
    run(cc, "-std=c11", "-O2", "-DNDEBUG", *SMALL.split()[1:], "-g0", *tar, "-I", folder + "/include", "-shared", "-s",
        os.path.join(HERE, "vendor", "mx2onnx.c"), "-o", found, "-L", folder + "/lib", "-lzip", "-lz", "-ljansson", "-lm", "-ldl",
        "-Wl,--gc-sections", "-Wl,-z,defs", "-Wl,--version-script=" + os.path.join(HERE, "..", "..", "lib", "mx2onnx.map"))
    return found


def licences(sources, folder):
    path = os.path.join(folder, "LICENSES-OF-OTHERS.txt")
    with open(path, "w", encoding="utf-8") as out:
        with open(os.path.join(HERE, "..", "..", "NOTICE"), encoding="utf-8") as f:
            out.write(f.read() + "\nlibmx2onnx.so holds these libraries.\n")
        for name in OPTIONS:
            with open(os.path.join(sources, name, "LICENSE"), encoding="utf-8", errors="replace") as f:
                out.write("\n---- %s\n\n%s" % (name, f.read()))
        with open(os.path.join(HERE, "vendor", "mx2onnx.c"), encoding="utf-8") as f:
            comments = re.findall(r"/\*.*?\*/", f.read(), re.S)
        for name, author in (("nanopb", "Petteri Aimonen"), ("uthash", "Troy D. Hanson")):
            out.write("\n---- %s\n\n%s\n" % (name, next(c for c in comments if author in c)))
    return path


def wheel(kind, sources, output):
    platform, target = TARGETS[kind]
    with tempfile.TemporaryDirectory() as folder:
        cc = compiler(folder, target)
        source = os.path.join(folder, "source")
        shutil.copytree(HERE, source, ignore=shutil.ignore_patterns("build", "dist", "vendor", "*.egg-info", "__pycache__"))
        found = library(sources, folder, cc)
        run(sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-deps", "--no-build-isolation", "-w", output,
            "--config-settings=--build-option=--plat-name=" + platform, source,
            MX2ONNX_LIBRARY=found, MX2ONNX_LICENCES=licences(sources, folder))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    for kind in sys.argv[3:] or TARGETS:
        wheel(kind, os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))


main()
