"""What `meson install` puts in place is enough to build and run a program, with the shared and with the static library.

    python3 install.py BUILD-FOLDER SYMBOL SOURCE.c closed|open COMPILER...
"""
import glob
import os
import subprocess
import sys
import tempfile

BUILD, SYMBOL, SOURCE, CLOSED, *COMPILER = sys.argv[1:]


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
    """libarchive is opened when it is needed: nobody links to it."""
    with open(pc, encoding="utf-8") as f:
        if "archive" in f.read():
            sys.exit("mx2onnx.pc speaks of libarchive")


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
        files = [open(os.path.join(root, n + ".onnx"), "rb").read() for n in ("shared", "static", "tool")]
        if len(set(files)) != 1 or not files[0]:
            sys.exit("the programs write different files")
    print("%d bytes each" % len(files[0]))


main()
