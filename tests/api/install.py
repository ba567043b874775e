"""What `meson install` puts in place is enough to build and run a program, with the shared and with the static library.

    python3 install.py BUILD-FOLDER SYMBOL SOURCE.c COMPILER...
"""
import glob
import os
import subprocess
import sys
import tempfile

BUILD, SYMBOL, SOURCE, *COMPILER = sys.argv[1:]


def run(*command, **environment):
    p = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, **environment))
    if p.returncode != 0:
        sys.exit("%s\n%s%s" % (" ".join(command), p.stdout, p.stderr))
    return p.stdout


def main():
    with tempfile.TemporaryDirectory() as root:
        run("meson", "install", "--no-rebuild", "-C", BUILD, "--destdir", root)
        (pc,) = glob.glob(root + "/**/mx2onnx.pc", recursive=True)
        folder = os.path.dirname(os.path.dirname(pc))
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
        # Not "pkg-config --static", which asks for static forms of what jansson and libzip need, too.
        with open(pc, encoding="utf-8") as f:
            fields = dict(line.rstrip("\n").split(": ", 1) for line in f if ": " in line)
        needed = [word for word in fields["Requires.private"].replace(",", " ").split() if word[0].isalpha()]
        static = [folder + "/libmx2onnx.a", *fields["Libs.private"].split()]
        static += run("pkg-config", "--libs", *needed).split() if needed else []
        for name, libraries in (("shared", shared), ("static", static)):
            program = os.path.join(root, name)
            run(*COMPILER, SOURCE, "-I", os.path.dirname(header), *libraries, "-o", program)
            run(program, SYMBOL, program + ".onnx", LD_LIBRARY_PATH=folder)
        run(tool, SYMBOL, "-o", root + "/tool.onnx", LD_LIBRARY_PATH=folder)
        files = [open(os.path.join(root, n + ".onnx"), "rb").read() for n in ("shared", "static", "tool")]
        if len(set(files)) != 1 or not files[0]:
            sys.exit("the programs write different files")
    print("%d bytes each" % len(files[0]))


main()
