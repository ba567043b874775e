#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The kept inputs, and models out of the operators' tables, under MemorySanitizer, which finds what is read before it is written. All code
has to be built with it: jansson and nanopb come from their sources (tests/platforms/dependencies.py), and without archives nothing else
is needed.

    python3 tests/fuzz/msan.py [MODELS]        in build-msan/; 200,000 models by default
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, os.pardir, os.pardir))
TOP = os.path.join(ROOT, "build-msan")
BUILD = os.path.join(TOP, "build")
sys.path.insert(0, os.path.join(ROOT, "tests", "platforms"))

import dependencies  # noqa: E402

CLANG = ["clang", "-g", "-O1", "-fno-omit-frame-pointer", "-fsanitize=memory", "-fsanitize-memory-track-origins"]
WRAPPED = "-Wl," + ",".join("--wrap=mx_" + name for name in ("calloc", "realloc", "free", "spool_write"))
SAMPLES = os.path.join(ROOT, "tests", "data", "samples")
TARGETS = {  # more sources, more flags, inputs
    **{name: (["model.c"], [], [os.path.join(HERE, "corpus", name + ".pack")]) for name in ("choices", "export", "handlers")},
    "params": ([], [], [os.path.join(SAMPLES, "params")]),
    "symbol": ([], [], [os.path.join(SAMPLES, "symbols"), os.path.join(SAMPLES, "nets")]),
    "operators": (["model.c", "cost.c", "operators_make.c"], [WRAPPED], ["--random"]),
}


def call(*command, **more):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, **more)


def configure():
    prefix = dependencies.build(TOP, {"c": CLANG, "ar": "ar"}, {"system": "linux", "cpu": "any"}, call, True)
    environment = dict(os.environ, CC=" ".join(CLANG), PKG_CONFIG_LIBDIR=os.path.join(prefix, "lib", "pkgconfig"))
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        call("meson", "setup", BUILD, ROOT, "-Dtar=disabled", "-Dzip=disabled", "-Dtests=disabled", "-Dhardening=false", "-Db_lundef=false",
             "--buildtype=debugoptimized", "-Doptimization=1", "-Dc_args=-isystem%s/include" % prefix, "-Dc_link_args=-L%s/lib" % prefix, env=environment)
    call("ninja", "-C", BUILD, "lib/libmx2onnx-inside.a")
    return prefix


def build(target, prefix):
    sources, flags, _ = TARGETS[target]
    program = os.path.join(BUILD, "fuzz_" + target)
    files = [os.path.join(HERE, name) for name in [target + ".c", "replay.c"] + sources]
    call(*CLANG, "-std=gnu11", "-D_GNU_SOURCE", "-I" + os.path.join(ROOT, "include"), "-I" + os.path.join(ROOT, "lib"), *files, *flags,
         os.path.join(BUILD, "lib", "libmx2onnx-inside.a"), "-L" + os.path.join(prefix, "lib"), "-ljansson", "-lprotobuf-nanopb", "-lm", "-ldl",
         "-o", program)
    return program


def main():
    prefix = configure()
    models = sys.argv[1] if len(sys.argv) > 1 else "200000"
    for target, (_, _, inputs) in TARGETS.items():
        print(target, flush=True)
        call(build(target, prefix), *inputs, *([models] if target == "operators" else []))


main()
