#!/usr/bin/env python3
"""All C and C++ is laid out by clang-format 14 and .clang-format, with two exceptions: a row of a table keeps its own line, and so does a
macro that is an initialiser.

    tests/lint/format.py            names the files that are laid out otherwise
    tests/lint/format.py --write    lays them out
"""
import argparse
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
VERSION = "14."  # others lay out differently
NAMES = ("clang-format", "clang-format-14", str(Path(sys.executable).with_name("clang-format")))
ROW = re.compile(r"^(?=.{1,133}$)(    [A-Z]\w*\(.*\),|    \w+_END,)$", re.M)
MARK = " // row"  # clang-format never joins lines across such a comment
INITIALISER = re.compile(r"^(#define \w+(?:\(.*?\))? \{\..*\})$", re.M)
HIDDEN = "//@"
BY_HAND = ["include/mx2onnx.h"]  # its declarations begin with four macros


def tool():
    for name in NAMES:
        path = shutil.which(name)
        if path and " version " + VERSION in subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout:
            return path
    return None


def sources():
    listed = subprocess.run(["git", "-c", "safe.directory=" + str(TOP), "ls-files", "*.c", "*.h", "*.hpp", "*.cpp"], cwd=TOP,
                            capture_output=True, text=True, check=True)
    return [TOP / name for name in listed.stdout.split() if name not in BY_HAND]


def laid_out(clang_format, path, text):
    text = INITIALISER.sub(lambda line: HIDDEN + line.group(1), ROW.sub(lambda row: row.group(1) + MARK, text))
    result = subprocess.run([clang_format, "--assume-filename", str(path)], input=text, cwd=TOP, capture_output=True, text=True, check=True)
    return re.sub("^" + HIDDEN, "", re.sub(" *" + MARK.strip() + "$", "", result.stdout, flags=re.M), flags=re.M)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    clang_format = tool()
    if not clang_format:
        print("clang-format %s* is not installed: pip install clang-format==14.0.6" % VERSION)
        return 77

    def check(path):
        text = path.read_text(encoding="utf-8")
        wanted = laid_out(clang_format, path, text)
        if wanted != text and write:
            path.write_text(wanted, encoding="utf-8")
        return wanted != text

    with ThreadPoolExecutor() as pool:
        files = sources()
        different = [path for path, other in zip(files, pool.map(check, files)) if other]
    for path in different:
        print("%s: %s" % (path.relative_to(TOP), "laid out" if write else "not laid out by .clang-format; run tests/lint/format.py --write"))
    if len(files) < 300:
        print("only %d files were found" % len(files))
        return 1
    return 1 if different and not write else 0


if __name__ == "__main__":
    sys.exit(main())
