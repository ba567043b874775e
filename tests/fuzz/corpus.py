#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The inputs of the fuzz targets, kept as one file for each target: corpus/TARGET.pack.

    build/venv/bin/python tests/fuzz/corpus.py seeds FOLDER     seeds out of tests/data/recorded, in FOLDER/TARGET/
    python3 tests/fuzz/corpus.py pack FOLDER FILE               all inputs of a folder in one file, the shortest first
    python3 tests/fuzz/corpus.py unpack FILE FOLDER
    python3 tests/fuzz/corpus.py inputs BUILD TARGET FOLDER     all that a target begins with: its pack and its samples, each as a file
    python3 tests/fuzz/corpus.py coverage BUILD [TARGET...]     what the kept inputs reach of lib and ops (coverage.sh makes BUILD)

A seed is a recorded case without what it does not need: its text in one line, the shapes and types of its inputs in the
text, small weights after a NUL, large ones as inputs. README.md says how a pack is made out of them.
"""
import argparse
import glob
import hashlib
import json
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MAGIC = b"fuzz inputs\n"
MOST_WEIGHTS = 1024  # bytes of a seed's weights
MOST_TEXT = 12000
CHOICES = 48  # choices.c
SAMPLES = {  # folders of tests/data that are a target's kept inputs too; made: in the build folder
    "archive": ["samples/archives", "samples/npz", "made/read"],
    "export": ["samples/symbols"],
    "load": ["samples/archives", "samples/symbols", "made/read"],
    "params": ["samples/params", "samples/npz", "made/malformed/params", "made/read"],
    "symbol": ["samples/symbols", "samples/nets", "made/malformed/json"],
    "tar": ["samples/archives", "made/read"],
}


def unpack(file):
    with open(file, "rb") as f:
        data = f.read()
    if not data.startswith(MAGIC):
        sys.exit("%s is not a pack" % file)
    at = len(MAGIC)
    while at < len(data):
        size = int.from_bytes(data[at:at + 4], "little")
        yield data[at + 4:at + 4 + size]
        at += 4 + size


def pack(inputs, file):
    with open(file, "wb") as f:
        f.write(MAGIC)
        for data in sorted(set(inputs), key=lambda d: (len(d), d)):
            f.write(len(data).to_bytes(4, "little") + data)


def files_of(folder):
    for path in sorted(glob.glob(os.path.join(folder, "**"), recursive=True)):
        if os.path.isfile(path):
            with open(path, "rb") as f:
                yield f.read()


def write(folder, data):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, hashlib.sha1(data).hexdigest()), "wb") as f:
        f.write(data)


# ---- seeds

def shrunk(text, shapes):
    """The symbol in one line, with {variable: (dims, type flag)} as hints."""
    graph = json.loads(text)
    for key in ("arg_nodes", "node_row_ptr"):
        graph.pop(key, None)
    for node in graph["nodes"]:
        if node["op"] == "null" and node["name"] in shapes:
            dims, flag = shapes[node["name"]]
            dims = "(%s%s)" % (", ".join(map(str, dims)), "," if len(dims) == 1 else "")
            node.setdefault("attrs", {}).update({"__shape__": dims, "__dtype__": str(flag)})
    return json.dumps(graph, separators=(",", ":")).encode()


def recorded_seeds():
    sys.path.insert(0, os.path.join(ROOT, "tests", "numeric"))
    import numpy as np
    import cases
    import convert
    import ndarray_list
    import recorded
    import weights
    scratch = "/tmp/fuzz_seed_%d" % os.getpid()
    for group in cases.groups():
        reader = recorded.Reader(recorded.path("ops", group))
        for c in cases.load(group):
            if c.name not in reader.index:
                continue
            text = reader.index[c.name]["symbol"]
            unknown = -1 if "is_np_shape" in text else 0
            arrays = c.arrays()
            stored = {n: a for n, a in arrays.items() if c.inputs[n].role != "data"}
            small = sum(a.nbytes for a in stored.values()) <= MOST_WEIGHTS
            for dynamic in ({}, c.dynamic) if c.dynamic else ({},):
                shapes = {}
                for name, a in c.inputs.items():
                    if a.role == "data" or not small:
                        dims = [unknown if axis in dynamic.get(name, {}) else d for axis, d in enumerate(a.shape)]
                        shapes[name] = (dims, convert.FLAGS[np.dtype(a.dtype).name])
                seed = shrunk(text, shapes)
                if stored and small:
                    ndarray_list.save(scratch, {("aux:" if c.inputs[n].role == "aux" else "arg:") + n: a for n, a in stored.items()})
                    with open(scratch, "rb") as f:
                        seed += b"\0" + f.read()
                yield seed
    for file in sorted(glob.glob(recorded.path("nets", "*"))):
        index = recorded.Reader(file).index
        made = weights.make(index["symbol"], index["params"], index["scales"])
        shapes = {n: (a.shape, 0) for n, a in made.items()}
        yield shrunk(index["symbol"], {"data": ((1,) + tuple(index["dims"]), 0), **shapes})
    if os.path.exists(scratch):
        os.unlink(scratch)


def make_seeds(folder):
    rnd = random.Random(1)
    known = [s for s in recorded_seeds() if len(s) <= MOST_TEXT + MOST_WEIGHTS]
    known += files_of(os.path.join(ROOT, "tests", "data", "samples", "symbols"))
    for seed in known:
        write(os.path.join(folder, "export"), seed)
        write(os.path.join(folder, "choices"), rnd.randbytes(CHOICES) + seed)
    for _ in range(2000):
        write(os.path.join(folder, "handlers"), rnd.randbytes(rnd.randrange(4, 120)))
        write(os.path.join(folder, "npz"), b"".join(
            bytes([rnd.choice([1, 33, 35, 33, 3, 0, 49]), 3]) + rnd.choice([b"a/d", b"arg", b"a/i", b"w:0"])
            + len(d).to_bytes(2, "little") + d for d in (rnd.randbytes(rnd.randrange(3, 40)) for _ in range(rnd.randrange(1, 5)))))


# ---- coverage

def kept(target, build):
    """The files and folders that the target replays in ordinary test runs."""
    pack_file = os.path.join(HERE, "corpus", ("export" if target == "limits" else target) + ".pack")
    samples = [os.path.join(build if f.startswith("made/") else ROOT, "tests", "data", f.removeprefix("made/"))
               for f in SAMPLES.get(target, [])]
    return samples + [pack_file] * os.path.exists(pack_file)


def first_inputs(build, target):
    """Without any, an engine would begin with nothing."""
    for path in kept(target, build):
        yield from unpack(path) if path.endswith(".pack") else files_of(path)
    if target == "operators":  # a choice for each byte
        rnd = random.Random(1)
        for _ in range(200):
            yield rnd.randbytes(rnd.randrange(16, 256))


def coverage(build, targets):
    programs = [p for p in sorted(glob.glob(os.path.join(build, "fuzz_*"))) if not targets or p.rpartition("fuzz_")[2] in targets]
    profiles = []
    for program in programs:
        target = program.rpartition("fuzz_")[2]
        raw, profile = (os.path.join(build, target + end) for end in (".profraw", ".profdata"))
        subprocess.run([program, *kept(target, build)], env=dict(os.environ, LLVM_PROFILE_FILE=raw), check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["llvm-profdata", "merge", "-sparse", raw, "-o", profile], check=True)
        profiles.append(profile)
        show(target, functions([program], profile))
    profile = os.path.join(build, "all.profdata")
    subprocess.run(["llvm-profdata", "merge", "-sparse", *profiles, "-o", profile], check=True)
    reached = functions(programs, profile)
    show("all", reached)
    with open(os.path.join(build, "never.txt"), "w") as f:
        f.write("".join("%s %s\n" % k for k, hit in sorted(reached.items()) if not hit))
    print("What nothing reaches: %s" % os.path.join(build, "never.txt"))


def show(name, reached):
    done, files = sum(reached.values()), {f for f, _ in reached}
    dark = files - {f for (f, _), hit in reached.items() if hit}
    print("%-10s %5d of %d functions (%.1f%%), %d of %d files never" % (
        name, done, len(reached), 100 * done / max(len(reached), 1), len(dark), len(files)))


def functions(programs, profile):
    """{(file, function): reached} of lib and ops."""
    command = ["llvm-cov", "export", "-skip-expansions", programs[0], "-instr-profile", profile]
    for p in programs[1:]:
        command += ["-object", p]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    reached = {}
    for f in found["data"][0]["functions"]:
        path = os.path.relpath(f["filenames"][0], ROOT)
        if path.startswith(("lib/", "ops/")) and path.endswith(".c"):
            key = (path, f["name"].split(":")[-1])
            reached[key] = reached.get(key, False) or f["count"] > 0
    return reached


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["seeds", "pack", "unpack", "inputs", "coverage"])
    parser.add_argument("paths", nargs="+")
    args = parser.parse_args()
    if args.what == "seeds":
        make_seeds(args.paths[0])
    elif args.what == "pack":
        pack(files_of(args.paths[0]), args.paths[1])
    elif args.what == "unpack":
        for data in unpack(args.paths[0]):
            write(args.paths[1], data)
    elif args.what == "inputs":
        build, target, folder = args.paths
        for data in first_inputs(build, target):
            write(folder, data)
    else:
        coverage(args.paths[0], args.paths[1:])


if __name__ == "__main__":
    sys.exit(main())
