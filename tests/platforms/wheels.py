#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The wheels of bindings/python/wheels.py: makes them, looks at each from outside, and runs those that something here can run; what
they write is compared with what the native build writes. On Debian, with build/venv.

    build/venv/bin/python tests/platforms/wheels.py                       all
    build/venv/bin/python tests/platforms/wheels.py windows-x86_64        this one
    build/venv/bin/python tests/platforms/wheels.py --made                those that the last run made

macOS's are not run. A Python for Windows comes from Maven's archive, one for arm64 from Debian's. For musl there is none: a C program
is built with the library out of the wheel, and the command line.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

import corpus
import dependencies
import run

OUT = os.path.join(run.TOP, "wheels")
PYTHON = os.path.join(run.ROOT, "bindings", "python")
ELF = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
MAC = {"/usr/lib/libSystem.B.dylib", "@rpath/libmx2onnx.dylib"}
WHEELS = {  # the tag of its platform, the library, its format as llvm-readobj calls it, what it may need, Debian packages
    "manylinux-x86_64": ("manylinux_2_17_x86_64", "libmx2onnx.so", "elf64-x86-64", ELF, ""),
    "manylinux-aarch64": ("manylinux_2_17_aarch64", "libmx2onnx.so", "elf64-littleaarch64", ELF, "qemu-user-static"),
    "musllinux-x86_64": ("musllinux_1_2_x86_64", "libmx2onnx.so", "elf64-x86-64", {"libc.so"}, "musl"),
    "musllinux-aarch64": ("musllinux_1_2_aarch64", "libmx2onnx.so", "elf64-littleaarch64", {"libc.so"}, "qemu-user-static"),
    "windows-x86_64": ("win_amd64", "mx2onnx.dll", "COFF-x86-64", {"KERNEL32.dll", "ADVAPI32.dll", "SHELL32.dll"}, "wine64 maven"),
    "macos-arm64": ("macosx_11_0_arm64", "libmx2onnx.dylib", "Mach-O arm64", MAC, ""),
    "macos-x86_64": ("macosx_10_15_x86_64", "libmx2onnx.dylib", "Mach-O 64-bit x86-64", MAC, ""),
}
WINDOWS_PYTHON = "org.bytedeco:cpython:3.12.1-1.5.10:jar:windows-x86_64"
ARM64_PYTHON = ["python3-minimal", "libpython3-stdlib", "musl"]


CLEAN = {k: v for k, v in os.environ.items() if not k.startswith("MX2ONNX_")}


def output(*command, env=CLEAN):
    return subprocess.run(command, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=env).stdout


# ---- from outside

def exported(library):
    if library.endswith(".dll"):
        return set(re.findall(r"Name: (\w+)", output("llvm-readobj", "--coff-exports", library)))
    if library.endswith(".dylib"):
        words = [line.split() for line in output("llvm-objdump", "--macho", "--exports-trie", library).splitlines()]
        names = {w[-1][1:] for w in words if w and w[0].startswith("0x")}
        return names - {"_mh_dylib_header", "__dso_handle"}  # zig's linker exports these
    names = [line.split()[-1].split("@")[0] for line in output("llvm-nm", "-D", "--defined-only", library).splitlines()]
    return {name for name in names if not name.startswith("MX2ONNX_")}  # versions


def faults_of_library(library, file_format, needed):
    seen = output("llvm-readobj", "--file-headers", "--needed-libs", library)
    if "Format: %s\n" % file_format not in seen:
        yield "it is " + seen.split("\n", 3)[2]
    needs = set(re.search(r"NeededLibraries \[(.*?)\]", seen, re.S).group(1).split())
    more = {n for n in needs - needed if not n.startswith("api-ms-win-crt-")}
    if more:
        yield "it needs " + " ".join(sorted(more))
    with open(library, "rb") as f:
        newer = [v for v in re.findall(rb"GLIBC_2\.(\d+)", f.read()) if int(v) > 17]
    if newer:
        yield "it needs glibc 2.%d" % max(map(int, newer))
    with open(os.path.join(run.ROOT, "bindings", "api.json")) as f:
        wanted = {function["name"] for function in json.load(f)["functions"]}
    wanted.add("mx2onnx_program")
    if exported(library) != wanted:
        yield "it exports other names than the header's and the program: " + " ".join(sorted(exported(library) ^ wanted)[:9])


def faults(name, wheel, packages):
    """What is wrong with a wheel, which was unpacked to `packages`."""
    tag, library, file_format, needed, _ = WHEELS[name]
    if not os.path.basename(wheel).endswith("-py3-none-%s.whl" % tag):
        yield "it is called " + os.path.basename(wheel)
    with zipfile.ZipFile(wheel) as z:
        names = set(z.namelist())
        (said,) = [z.read(n).decode() for n in names if n.endswith(".dist-info/WHEEL")]
    if "Tag: py3-none-%s\n" % tag not in said.replace("\r", "") or "Root-Is-Purelib: false" not in said:
        yield "it says " + said
    wanted = {"mx2onnx/" + os.path.basename(p) for p in glob.glob(os.path.join(PYTHON, "mx2onnx", "*.py"))}
    wanted |= {"mx2onnx/" + n for n in ("py.typed", "LICENSES-OF-OTHERS.txt", library)}
    found = {n for n in names if n.startswith("mx2onnx/")}
    if found != wanted:
        yield "it holds " + " ".join(sorted(found ^ wanted))
    if not any(n.endswith("LICENSE") for n in names):
        yield "it has no licence"
    yield from faults_of_library(os.path.join(packages, "mx2onnx", library), file_format, needed)


# ---- Pythons of others

def windows_python():
    folder = os.path.join(run.TOP, "python-windows")
    top = os.path.join(folder, "org", "bytedeco", "cpython", "windows-x86_64")
    if not os.path.exists(os.path.join(top, "python.exe")):
        run.say("Fetching a Python for Windows")
        plugin, log = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:", os.path.join(run.TOP, "maven.txt")
        run.call("mvn", "-B", "-q", plugin + "copy", "-Dartifact=" + WINDOWS_PYTHON,
                 "-DoutputDirectory=" + folder, log=log)
        with zipfile.ZipFile(glob.glob(os.path.join(folder, "*.jar"))[0]) as z:
            z.extractall(folder, [n for n in z.namelist() if "/windows-x86_64/" in n and "/test/" not in n])
    env = dict(CLEAN, WINEPREFIX=os.path.join(run.TOP, "wine-python"), WINEDEBUG="-all", LC_ALL="C.UTF-8")
    return ["/usr/lib/wine/wine64", os.path.join(top, "python.exe")], env


def arm64_root():
    """A folder with Debian's Python and musl for arm64."""
    root = os.path.join(run.TOP, "arm64")
    if not os.path.exists(os.path.join(root, "done")):
        run.say("Fetching a Python for arm64")
        lists = os.path.join(run.TOP, "arm64-apt")
        os.makedirs(lists, exist_ok=True)
        open(os.path.join(lists, "status"), "w").close()
        apt = dependencies.apt(lists, "deb [arch=arm64]", "APT::Architecture=arm64", "APT::Architectures::=arm64",
                               "Dir::State::status=%s/status" % lists)
        subprocess.run(apt + ["install", "-y", "--no-install-recommends", "--download-only", *ARM64_PYTHON], check=True,
                       stdin=subprocess.DEVNULL)
        for package in glob.glob(os.path.join(lists, "cache", "archives", "*.deb")):
            subprocess.run(["dpkg-deb", "-x", package, root], check=True)
        open(os.path.join(root, "done"), "w").close()
    return root


def arm64_python():
    root = arm64_root()
    return ["qemu-aarch64-static", "-L", root, os.path.realpath(os.path.join(root, "usr", "bin", "python3"))], CLEAN


PYTHONS = {"manylinux-x86_64": lambda: ([sys.executable], CLEAN), "manylinux-aarch64": arm64_python, "windows-x86_64": windows_python}


# ---- do they write the same?

def answers(python, packages, lines, out, env):
    """What a Python writes with a wheel: [sha256, or the word for the refusal] of each line; and what it knows."""
    program = [*python, os.path.join(run.HERE, "try_wheel.py"), packages]
    return run.convert(program, lines, out, env) + output(*program, env=env).split()


def compile_for_musl(triple, sources, library, program):
    run.call(os.path.join(run.ZIG, "bin", "zig"), "cc", "-target", triple, "-dynamic", "-std=c11", "-D_GNU_SOURCE", "-O1", "-fno-sanitize=all",
             *("-I" + os.path.join(run.ROOT, folder) for folder in ("include", "examples")), *sources, library, "-lm", "-o", program,
             log=os.path.join(OUT, "musl.txt"))


def musl_answers(name, library, lines, out):
    """The same of a program in C; of what it knows, the catalogue's names."""
    triple = name.split("-")[1] + "-linux-musl"
    wrapper = ["qemu-aarch64-static", "-L", arm64_root()] if "aarch64" in name else []
    many, tool = (os.path.join(OUT, name + end) for end in ("-convert_many", "-mx2onnx"))
    examples = os.path.join(run.ROOT, "examples")
    command_line = [p for p in glob.glob(os.path.join(examples, "cli", "*.c")) if not p.endswith("_windows.c")]
    compile_for_musl(triple, [os.path.join(run.ROOT, "tests", "numeric", "convert_many.c")], library, many)
    compile_for_musl(triple, [os.path.join(examples, "mx2onnx.c"), *command_line], library, tool)
    env = dict(CLEAN, LD_LIBRARY_PATH=os.path.dirname(library))
    return run.convert([*wrapper, many], lines, out, env), output(*wrapper, tool, "nets", env=env)


def check(name, lines, native):
    """The wheel's row, with what is wrong."""
    packages = os.path.join(OUT, name)
    shutil.rmtree(packages, ignore_errors=True)
    (wheel,) = glob.glob(os.path.join(OUT, "*-%s.whl" % WHEELS[name][0]))
    with zipfile.ZipFile(wheel) as z:
        z.extractall(packages)
    found = list(faults(name, wheel, packages))
    if name in PYTHONS:
        python, env = PYTHONS[name]()
        run.say("%s: %s" % (name, output(*python, "--version", env=env).strip()))
        got, want = answers(python, packages, lines, os.path.join(OUT, "out"), env), native["python"]
    elif name.startswith("musl"):
        got, nets = musl_answers(name, os.path.join(packages, "mx2onnx", WHEELS[name][1]), lines, os.path.join(OUT, "out"))
        want = native["c"]
        if nets != native["nets"]:
            found.append("it knows other nets")
    else:
        got, want = [], []
    run.show(name, lines + ["what it knows"] * 9, want, got)
    same = sum(w == g for w, g in zip(want, got))
    if same < len(want):
        found.append("%d of %d differ" % (len(want) - same, len(want)))
    run.say("%s: %d KB, %s; %s" % (name, os.path.getsize(wheel) // 1000, "%d of %d the same" % (same, len(want)) if want else "not run",
                                   ", ".join(found) or "nothing wrong"))
    return not found


def make(names):
    """They are in OUT then. The sources are where wheels.py looks for them."""
    sources = os.path.join(run.TOP, "wheel-sources")
    os.makedirs(sources, exist_ok=True)
    for package, folder in dependencies.sources().items():
        link = os.path.join(sources, package)
        if not os.path.islink(link):
            os.symlink(folder, link)
    log = os.path.join(OUT, "log.txt")
    env = dict(os.environ, NANOPB_SOURCES=os.path.join(sources, "nanopb"))
    run.call(sys.executable, os.path.join(run.ROOT, "bindings", "vendor.py"), os.path.join(run.ROOT, "build"), env=env, log=log)
    for name in names:
        run.say("%s: building" % name)
        run.call(os.path.join(run.ZIG, "bin", "python"), os.path.join(PYTHON, "wheels.py"), sources, OUT, name, log=log)


def native_answers(lines):
    """By C and by Python, which write the same."""
    out, build = os.path.join(OUT, "out"), os.path.join(run.ROOT, "build")
    c = run.convert(run.build_native(), lines, out)
    run.call("meson", "compile", "-C", build, "./examples/mx2onnx:executable", log=os.path.join(OUT, "log.txt"))
    python = answers([sys.executable], PYTHON, lines, out, dict(CLEAN, MX2ONNX_LIBRARY=os.path.join(build, "lib", "libmx2onnx.so")))
    run.show("Python", lines, [x for x in c if len(x) == 64], [x for x in python if len(x) == 64][:-1])
    return {"c": c, "python": python, "nets": output(os.path.join(build, "examples", "mx2onnx"), "nets")}


def main():
    made = "--made" in sys.argv
    names = [n for n in sys.argv[1:] if n != "--made"] or list(WHEELS)
    if not set(names) <= set(WHEELS):
        sys.exit(__doc__)
    os.makedirs(OUT, exist_ok=True)
    run.install("cmake llvm " + " ".join(WHEELS[name][4] for name in names))
    run.install_zig()
    if not made:
        make(names)
    folder = os.path.join(run.TOP, "corpus")
    lines = corpus.make(folder, True)["cases"] + [*corpus.digits(), *corpus.versions(folder), *corpus.archives()]
    native = native_answers(lines)
    return 0 if all([check(name, lines, native) for name in names]) else 1


if __name__ == "__main__":
    sys.exit(main())
