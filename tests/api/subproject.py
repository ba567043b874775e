"""A project that has this one as a subproject builds the library and nothing else, of the kind it asks for, and no warning
of ours stops it. Without libzip, too, and where it makes unity builds of subprojects.

    python3 subproject.py SOURCE-FOLDER SYMBOL
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile

SOURCE, SYMBOL = sys.argv[1:]
PROJECT = """project('consumer', 'c', default_options: ['werror=true'])
executable('consumer', 'minimal.c', dependencies: dependency('mx2onnx', fallback: 'mx2onnx'))
"""


def run(*command):
    p = subprocess.run(command, capture_output=True, text=True)
    if p.returncode != 0:
        sys.exit("%s\n%s%s" % (" ".join(command), p.stdout, p.stderr))
    return p.stdout


def configure(root, kind, *options):
    """The build folder, and the names of what the library adds to the build."""
    build = os.path.join(root, "build-" + kind)
    run("meson", "setup", build, root, "-Ddefault_library=" + kind, *options)
    targets = json.loads(run("meson", "introspect", "--targets", build))
    return build, sorted((t["name"], t["type"]) for t in targets if t.get("subproject") == "mx2onnx")


def check_warnings(build):
    """Of the options that make warnings errors, the last one holds."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        commands = [c["command"].split() for c in json.load(f) if re.search("mx2onnx-(inside|parts)", c["command"])]
    for command in commands:
        if [word for word in command if word in ("-Werror", "-Wno-error")][-1:] == ["-Werror"]:
            sys.exit("warnings are errors in " + command[-1])
    if len(commands) < 100:
        sys.exit("only %d files of the library are compiled" % len(commands))


def check_targets(targets, expected):
    libraries = [t for t in targets if t[1] != "custom"]
    if libraries != sorted(expected):
        sys.exit("the build has %s, not %s" % (libraries, expected))


def main():
    with tempfile.TemporaryDirectory() as root:
        os.mkdir(os.path.join(root, "subprojects"))
        os.symlink(SOURCE, os.path.join(root, "subprojects", "mx2onnx"))
        with open(os.path.join(root, "meson.build"), "w", encoding="utf-8") as f:
            f.write(PROJECT)
        with open(os.path.join(SOURCE, "examples", "minimal.c"), encoding="utf-8") as f:
            source = f.read()
        with open(os.path.join(root, "minimal.c"), "w", encoding="utf-8") as f:
            f.write(source)
        build, targets = configure(root, "shared")
        check_warnings(build)
        check_targets(targets, [("mx2onnx", "shared library"), ("mx2onnx-inside", "static library"), ("mx2onnx-parts", "static library")])
        build, targets = configure(root, "static", "--unity", "subprojects", "-Dmx2onnx:zip=disabled", "-Dmx2onnx:tar=disabled")
        check_targets(targets, [(name, "static library") for name in ("mx2onnx", "mx2onnx-hidden", "mx2onnx-inside", "mx2onnx-parts")])
        run("meson", "compile", "-C", build)
        written = os.path.join(root, "net.onnx")
        program = os.path.join(build, "consumer")
        run(program, SYMBOL, written)
        if os.path.getsize(written) < 1000:
            sys.exit("the program wrote no net")
        if "zip" in run("ldd", program):
            sys.exit("without libzip the program needs it")
        archive = os.path.join(root, "net.zip")
        with zipfile.ZipFile(archive, "w") as z:
            z.write(SYMBOL, "net-symbol.json")
        p = subprocess.run([program, archive, written], capture_output=True, text=True)
        if p.returncode != 1 or not re.match(r"'.*net.zip' is a zip archive, which this build .*libzip.*; unpack it", p.stderr):
            sys.exit("of a zip archive the library without libzip says: " + p.stderr)
    print("shared and static")


main()
