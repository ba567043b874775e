"""The library's binary interface is that of tests/api/abi-MACHINE.xml, or has more: abidiff finds what was taken away or
changed, in functions and in the types that they take. Skipped without abidiff (Debian's abigail-tools), on a machine without
such a file, and without debug information.

    python3 abi.py LIBRARY [--rebase]
"""
import os
import platform
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(HERE, "..", "..", "include")
FILE = os.path.join(HERE, "abi-%s.xml" % platform.machine())
SKIP = 77
WRITE = ["--headers-dir", INCLUDE, "--drop-private-types", "--exported-interfaces-only", "--no-corpus-path", "--no-comp-dir-path",
         "--no-show-locs", "--no-elf-needed", "--type-id-style", "hash"]


def has_debug_information(library):
    shown = subprocess.run(["readelf", "-S", "--wide", library], capture_output=True, text=True).stdout
    return ".debug_info" in shown


def main():
    library = sys.argv[1]
    if not shutil.which("abidiff") or not has_debug_information(library):
        print("no abidiff, or no debug information")
        return SKIP
    if "--rebase" in sys.argv:
        subprocess.run(["abidw", *WRITE, "--out-file", FILE, library], check=True)
    if not os.path.exists(FILE):
        print("no %s" % os.path.basename(FILE))
        return SKIP
    result = subprocess.run(["abidiff", "--headers-dir2", INCLUDE, "--drop-private-types", "--exported-interfaces-only", "--no-added-syms",
                             FILE, library], capture_output=True, text=True)
    print(result.stdout + result.stderr or "as it was")
    return 1 if result.returncode else 0


sys.exit(main())
