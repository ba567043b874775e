#!/usr/bin/env python3
"""What static analysis finds in lib, ops and the program: nothing, except what is listed here with the reason.

    tests/lint/analyse.py BUILD cppcheck|clang-tidy|gcc
"""
import json
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PARTS = ("lib/", "ops/", "examples/cli/")
# (check, file, what it is about): not a fault, because
FALSE = {
    ("unknownEvaluationOrder", "ops/rnn/rnn.c", "list[n++]"): "the n of the initialiser is the name of a member",
    ("legacyUninitvar", "ops/tensor/reshape.c", "have"): "it is set where mx_dim_known is true",
    ("uninitvar", "lib/base/io_sink.c", "&ignored"): "it is written, never read",
    ("uninitvar", "lib/base/io_source.c", "&ignored"): "it is written, never read",
    ("memleak", "examples/cli/many.c", "more"): "o->models has it",
    ("memleak", "examples/cli/verify.c", "more"): "v->values has it",
    ("memleak", "examples/cli/verify.c", "data"): "v->file has it",
    ("sizeofDivisionMemfunc", "lib/api/api.c", ""): "the division is an argument of the function that counts the bytes",
    ("sizeofDivisionMemfunc", "lib/api/choose.c", ""): "the division is an argument of the function that counts the bytes",
    ("sizeofDivisionMemfunc", "lib/api/custom.c", ""): "the division is an argument of the function that counts the bytes",
    ("internalAstError", "lib/catalogue/catalogue.c", ""): "a structure's literal in a conditional",
    ("internalAstError", "lib/graph/dim_table.c", ""): "a structure's literal in a conditional",
    ("bugprone-not-null-terminated-result", "examples/cli/choices.c", ""): "the NUL is compared, too",
    ("bugprone-unused-return-value", "lib/graph/dim_unify.c", ""): "an unknown that was just resolved can be bound",
    ("bugprone-suspicious-memory-comparison", "lib/onnx/builder/reuse.c", "double"): "-0.0 is not 0.0, and NaN is NaN",
    ("bugprone-suspicious-memory-comparison", "lib/onnx/values/const.c", "double"): "-0.0 is not 0.0, and NaN is NaN",
    ("bugprone-misplaced-widening-cast", "ops/shared/window.c", ""): "%lld takes a long long, which int64_t need not be",
    ("-Wanalyzer-null-dereference", "lib/base/io_sink.c", "side"): "only a sink that has a side file is asked for it",
    ("-Wanalyzer-null-dereference", "lib/read/symbol.c", "'p'"): "a text that was loaded is not NULL",
    ("-Wanalyzer-null-dereference", "lib/read/symbol.c", "'text'"): "a text that was loaded is not NULL",
    ("-Wanalyzer-null-argument", "lib/read/symbol.c", "'text'"): "a text that was loaded is not NULL",
    ("-Wanalyzer-use-of-uninitialized-value", "lib/read/params_sparse.c", "'pointers'"): "it is set where open_indices returns OK",
    ("-Wanalyzer-null-dereference", "lib/onnx/values/const.c", "'t'"): "it is a tensor where the builder has not failed",
    ("-Wanalyzer-null-argument", "lib/onnx/values/const.c", ""): "dims are NULL for a rank of 0 only",
    ("-Wanalyzer-malloc-leak", "examples/cli/print.c", "<unknown>"): "the caller of cli_json_add has the text",
    ("-Wanalyzer-use-of-uninitialized-value", "lib/onnx/pass/layout.c", ""): "a permutation has each axis, so its inverse is whole",
    ("-Wanalyzer-null-dereference", "lib/onnx/pass/scale.c", "'conv'"): "the caller found a convolution",
}
CPPCHECK = ["--std=c11", "--quiet", "--enable=warning,performance,portability", "--inline-suppr", "--suppress=missingInclude", "-j2",
            "--template={file}:{line}: {message} [{id}]", "--template-location=", "-Iinclude", "-Ilib", "-Iops"]
TIDY = ("-*,bugprone-*,misc-redundant-expression,"  # gcc follows the paths
        "-bugprone-easily-swappable-parameters,-bugprone-narrowing-conversions,-bugprone-branch-clone,-bugprone-assignment-in-if-condition,"
        "-bugprone-reserved-identifier,-bugprone-implicit-widening-of-multiplication-result,-bugprone-macro-parentheses,"
        "-bugprone-suspicious-include,-bugprone-sizeof-expression,-bugprone-integer-division")
FINDING = re.compile(r"^(.*?):(\d+):(?:\d+:)? (?:(?:warning|error|performance|portability|style): )?(.*) \[(-?[\w.,+-]+)\]$")


def commands(build):
    """{file: the command that compiles it, without what names outputs}"""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = Path(entry["directory"], entry["file"]).resolve()
        name = str(path.relative_to(TOP)) if TOP in path.parents else ""
        if name.startswith(PARTS) and name.endswith(".c") and name not in found:
            words = [w for w in shlex.split(entry["command"]) if w not in ("ccache", "-MD", "-Werror", "-c")][1:]
            for option in ("-MQ", "-MF", "-o"):
                at = words.index(option)
                del words[at:at + 2]
            found[name] = (entry["directory"], words)
    return found


def run(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def all_of(build, command):
    """Its output for each file."""
    files = commands(build)
    with ThreadPoolExecutor(2) as pool:
        for result in pool.map(lambda item: run(command(item[0], item[1][1]), item[1][0]), files.items()):
            yield from (result.stdout + result.stderr).splitlines()


def cppcheck(build, tool):
    result = run([tool, *CPPCHECK, *(part.rstrip("/") for part in PARTS)], TOP)
    return (result.stdout + result.stderr).splitlines()


def clang_tidy(build, tool):
    known = [w for w in ("-std=c11", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64")]
    return all_of(build, lambda name, words: [tool, "--quiet", "--checks=" + TIDY, str(TOP / name), "--", *known,
                                              *(w for w in words if w.startswith(("-I", "-D")))])


def gcc(build, tool):
    return all_of(build, lambda name, words: [tool, *words, "-c", "-o", "/dev/null", "-fanalyzer", "-fdiagnostics-color=never",
                                              "-fdiagnostics-path-format=none"])


TOOLS = {"cppcheck": (cppcheck, ["cppcheck"]), "clang-tidy": (clang_tidy, ["clang-tidy-14", "clang-tidy"]), "gcc": (gcc, ["gcc"])}


def main():
    build, which = Path(sys.argv[1]).resolve(), sys.argv[2]
    analyse, names = TOOLS[which]
    tool = next(filter(None, map(shutil.which, names)), None)
    if not tool:
        print("%s is not installed" % names[0])
        return 77
    files = commands(build)
    if len(files) < 250:
        print("only %d files are compiled in %s" % (len(files), build))
        return 1
    failures = set()
    for line in analyse(build, tool):
        m = FINDING.match(line)
        if not m or "note:" in line:
            continue
        path = Path(build, m.group(1)) if not m.group(1).startswith(PARTS) else TOP / m.group(1)
        name = str(path.resolve()).replace(str(TOP) + "/", "")
        check, text = m.group(4), m.group(3).replace("\u2018", "'").replace("\u2019", "'")
        if name.startswith(PARTS) and not any(check == c and name == f and about in text for c, f, about in FALSE):
            failures.add("%s:%s: %s [%s]" % (name, m.group(2), text, check))
    print("\n".join(sorted(failures)) or "%s finds nothing in %d files" % (which, len(files)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
