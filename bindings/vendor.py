"""Puts the library as one file into the packages that compile it themselves: Rust's feature `vendored`, Go's build tag
mx2onnx_vendored, `npm run build` of Node's, Python's sdist. Before such a package is made or such a build runs:

    python3 bindings/vendor.py BUILD          # meson's build folder, where `meson compile amalgamation` runs
"""

import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDERS = ("rust/mx2onnx-sys/vendor", "node/vendor", "python/vendor")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    subprocess.run(["meson", "compile", "-C", sys.argv[1], "amalgamation"], check=True, stdout=subprocess.DEVNULL)
    made = os.path.join(sys.argv[1], "lib", "amalgamation")
    for folder in FOLDERS:
        os.makedirs(os.path.join(HERE, folder), exist_ok=True)
        for name in ("mx2onnx.c", "mx2onnx.h"):
            shutil.copyfile(os.path.join(made, name), os.path.join(HERE, folder, name))
    # The command line is in Python's package.
    cli = os.path.join(HERE, "python", "vendor", "cli")
    shutil.copytree(os.path.join(HERE, "..", "examples", "cli"), cli, dirs_exist_ok=True)
    os.makedirs(os.path.join(cli, "op"), exist_ok=True)
    shutil.copy(os.path.join(HERE, "..", "lib", "op", "absent.h"), os.path.join(cli, "op"))  # the one header of the library that it uses
    # Go compiles the C files of the package's own folder, those that the tags choose.
    shutil.copyfile(os.path.join(made, "mx2onnx.h"), os.path.join(HERE, "go", "mx2onnx.h"))
    with open(os.path.join(made, "mx2onnx.c"), encoding="utf-8") as f:
        text = f.read()
    with open(os.path.join(HERE, "go", "vendored.c"), "w", encoding="utf-8") as f:
        f.write("//go:build mx2onnx_vendored\n\n" + text)


main()
