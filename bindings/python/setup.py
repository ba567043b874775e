"""Puts the shared library into the wheel, with the command line in the same file: the file that MX2ONNX_LIBRARY names, else one built by
meson from the checkout that this folder is in, else one compiled from vendor/, which a source distribution brings (bindings/vendor.py)."""

import glob
import os
import shlex
import shutil
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = os.path.dirname(os.path.abspath(__file__))
SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


def library(build_folder):
    chosen = os.environ.get("MX2ONNX_LIBRARY")
    if chosen:
        return chosen
    root = os.path.join(HERE, "..", "..")
    if not os.path.exists(os.path.join(root, "meson.build")):
        return compiled(build_folder)
    if not os.path.exists(os.path.join(build_folder, "build.ninja")):
        subprocess.check_call(["meson", "setup", build_folder, root, "--buildtype=release"])
    subprocess.check_call(["meson", "compile", "-C", build_folder, "./examples/mx2onnx_python:shared_library"])
    return [f for f in glob.glob(os.path.join(build_folder, "examples", "*mx2onnx_python" + SUFFIX)) if os.path.isfile(f)][0]


def program(vendor):
    """The command line's files."""
    other = "system.c" if sys.platform == "win32" else "system_windows.c"
    return [f for f in sorted(glob.glob(os.path.join(vendor, "cli", "*.c"))) if os.path.basename(f) != other]


def compiled(build_folder):
    vendor = os.path.join(HERE, "vendor")
    source = os.path.join(vendor, "mx2onnx.c")
    if not os.path.exists(source):
        sys.exit("mx2onnx: build the wheel in a checkout of libmx2onnx, or name the library in MX2ONNX_LIBRARY")
    try:
        found = subprocess.check_output(["pkg-config", "--cflags", "--libs", "jansson", "libzip"]).decode().split()
    except (OSError, subprocess.CalledProcessError):
        sys.exit("mx2onnx: pkg-config does not find jansson and libzip (on Debian: pkg-config libjansson-dev libzip-dev)")
    os.makedirs(build_folder, exist_ok=True)
    path = os.path.join(build_folder, "libmx2onnx" + SUFFIX)
    flags = ["-std=c11", "-O2", "-DNDEBUG", "-fPIC", "-shared", "-fvisibility=hidden", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64"]
    given = [f for name in ("CPPFLAGS", "CFLAGS", "LDFLAGS") for f in shlex.split(os.environ.get(name, ""))]  # a distribution's
    compiler = shlex.split(os.environ.get("CC", "cc"))
    subprocess.check_call([*compiler, *flags, *given, "-I", vendor, source, *program(vendor), "-o", path, *found, "-lm",
                           *(["-ldl"] if sys.platform.startswith("linux") else [])])
    return path


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        build_folder = os.path.abspath(os.path.join(self.get_finalized_command("build").build_base, "meson"))
        found = library(build_folder)
        suffix = next(s for s in (".dll", ".dylib", ".so") if s in os.path.basename(found))  # libmx2onnx.so.0.9.0, too
        name = ("mx2onnx" if suffix == ".dll" else "libmx2onnx") + suffix
        shutil.copyfile(found, os.path.join(self.build_lib, "mx2onnx", name))
        if os.environ.get("MX2ONNX_LICENCES"):  # of what is linked into it
            shutil.copy(os.environ["MX2ONNX_LICENCES"], os.path.join(self.build_lib, "mx2onnx"))


class AnyPython(bdist_wheel):
    """The library does not depend on Python, so one wheel serves every version of it on this platform."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class Complete(sdist):
    def run(self):
        if not all(os.path.exists(os.path.join(HERE, "vendor", name)) for name in ("mx2onnx.c", "mx2onnx.h", "cli")):
            sys.exit("mx2onnx: a source distribution without vendor/mx2onnx.c and vendor/cli cannot be installed: bindings/vendor.py puts it there, "
                     "and bindings/release.py makes the package")
        super().run()


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return True


setup(distclass=WithLibrary, cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": AnyPython, "sdist": Complete})
