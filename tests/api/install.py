"""What `meson install` puts in place is enough to build and run a program, with the shared and with the static library, by
pkg-config and, where it is there, by CMake.

    python3 install.py BUILD-FOLDER SYMBOL SOURCE.c closed|open COMPILER...
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

BUILD, SYMBOL, SOURCE, CLOSED, *COMPILER = sys.argv[1:]
CMAKE = """cmake_minimum_required(VERSION 3.14)
project(consumer C)
find_package(mx2onnx 9 QUIET)
if(mx2onnx_FOUND)
  message(FATAL_ERROR "any version will do")
endif()
find_package(mx2onnx 0.9 REQUIRED COMPONENTS ${KIND})
add_executable(consumer %s)
target_link_libraries(consumer mx2onnx::mx2onnx)
"""


def run(*command, **environment):
    p = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, **environment))
    if p.returncode != 0:
        sys.exit("%s\n%s%s" % (" ".join(command), p.stdout, p.stderr))
    return p.stdout


def check_static(library):
    """The static library shows the names of the header and no other."""
    if CLOSED != "closed":
        return
    shown = [line.split()[0] for line in run("nm", "-P", "-g", "--defined-only", library).splitlines() if " " in line]
    inside = [name for name in shown if not name.startswith("mx2onnx_")]
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "exports.txt"), encoding="utf-8") as f:
        declared = [name for name in f.read().split() if name.startswith("mx2onnx_")]
    if inside or sorted(shown) != sorted(declared):
        sys.exit("the static library shows %s, lacks %s" % (inside, sorted(set(declared) - set(shown))))


def check_pkg_config(pc):
    """libarchive is opened when it is needed; a program does not link to it. Only who links statically imports no names from a DLL."""
    with open(pc, encoding="utf-8") as f:
        text = f.read()
    if "archive" in text:
        sys.exit("mx2onnx.pc speaks of libarchive")
    static = [line.split(":")[0] for line in text.splitlines() if "-DMX2ONNX_STATIC" in line]
    if static != ["Cflags.private"]:
        sys.exit("-DMX2ONNX_STATIC is in %s of mx2onnx.pc, not in Cflags.private alone" % static)


def check_cmake(root, prefix):
    """A program by find_package, for each kind of library, found through a link to the folder of libraries: /lib to /usr/lib."""
    source = os.path.join(root, "consumer")
    os.mkdir(source)
    linked = os.path.join(root, "linked")
    os.mkdir(linked)
    for folder in glob.glob(prefix + "/lib*"):
        os.symlink(folder, os.path.join(linked, os.path.basename(folder)))
    with open(os.path.join(source, "CMakeLists.txt"), "w", encoding="utf-8") as f:
        f.write(CMAKE % SOURCE)
    for kind in ("shared", "static"):
        build = os.path.join(root, "cmake-" + kind)
        run("cmake", "-G", "Ninja", "-S", source, "-B", build, "-DCMAKE_PREFIX_PATH=" + linked, "-DKIND=" + kind)
        run("cmake", "--build", build)
        needs = run("ldd", build + "/consumer")
        if ("libmx2onnx" in needs) != (kind == "shared"):
            sys.exit("CMake links to the other library than the %s one: %s" % (kind, needs))
        run(build + "/consumer", SYMBOL, build + ".onnx")
        yield build


def main():
    with tempfile.TemporaryDirectory() as root:
        run("meson", "install", "--no-rebuild", "-C", BUILD, "--destdir", root)
        (pc,) = glob.glob(root + "/**/mx2onnx.pc", recursive=True)
        folder = os.path.dirname(os.path.dirname(pc))
        if not glob.glob(root + "/**/share/licenses/mx2onnx/LICENSE", recursive=True):
            sys.exit("no licence is installed")
        (header,) = glob.glob(root + "/**/mx2onnx.h", recursive=True)
        for document in ("man/man1/mx2onnx.1", "bash-completion/completions/mx2onnx.bash", "zsh/site-functions/_mx2onnx",
                         "fish/vendor_completions.d/mx2onnx.fish"):
            (found,) = glob.glob(root + "/**/share/" + document, recursive=True)
            with open(found, encoding="utf-8") as f:
                if "keep-batch-norm" not in f.read().replace("\\-", "-"):
                    sys.exit("%s lacks an option" % document)
        (tool,) = glob.glob(root + "/**/bin/mx2onnx", recursive=True)
        pkg_config = dict(PKG_CONFIG_PATH=os.path.dirname(pc))
        shared = run("pkg-config", "--libs", "mx2onnx", PKG_CONFIG_SYSROOT_DIR=root, **pkg_config).split()
        whole = run("pkg-config", "--static", "--libs", "mx2onnx", PKG_CONFIG_SYSROOT_DIR=root, **pkg_config).split()
        static = [folder + "/libmx2onnx.a" if word == "-lmx2onnx" else word for word in whole]
        check_static(folder + "/libmx2onnx.a")
        check_pkg_config(pc)
        for name, libraries in (("shared", shared), ("static", static)):
            program = os.path.join(root, name)
            run(*COMPILER, SOURCE, "-I", os.path.dirname(header), *libraries, "-o", program)
            run(program, SYMBOL, program + ".onnx", LD_LIBRARY_PATH=folder)
        run(tool, SYMBOL, "-o", root + "/tool.onnx", LD_LIBRARY_PATH="")  # which knows where its library is
        by_cmake = list(check_cmake(root, os.path.dirname(os.path.dirname(header)))) if shutil.which("cmake") else []
        files = [open(os.path.join(root, n + ".onnx"), "rb").read() for n in ("shared", "static", "tool", *by_cmake)]
        if len(set(files)) != 1 or not files[0]:
            sys.exit("the programs write different files")
    print("%d bytes each of %d programs" % (len(files[0]), len(files)))


main()
