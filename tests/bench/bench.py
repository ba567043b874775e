#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed and memory, as ratios taken side by side.

    python3 tests/bench/bench.py                                   all but the comparison with MXNet's exporter
    python3 tests/bench/bench.py --only nodes,start                some of copy, half, place, nodes, looks, inside, start, exporter
    python3 tests/bench/bench.py --oracle PYTHON --exporter PYTHON the comparison too
    python3 tests/bench/bench.py --quick                           small sizes, a few seconds: does everything run?
    python3 tests/bench/bench.py --check                           is README's table that of results.json?

The oracle (tests/oracle/setup.sh) makes the nets; the exporter is a Python with what
tests/oracle/exporter-requirements.txt names.
results.json keeps what other sections found before; README.md gets the table. README.md here says what is measured.
"""
import argparse
import importlib.util
import json
import os
import platform
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

import models
import table

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
EXPORTER_MEMORY = 20 << 30
NETS = ("resnet50_v1", "vgg16", "bert_24_1024_16", "gpt2_345m")


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.tool = os.path.join(args.build, "examples", "mx2onnx")
        self.library = os.path.join(args.build, "lib", "libmx2onnx.so")
        self.runner = os.path.join(args.build, "tests", "bench", "run")
        self.inside = os.path.join(args.build, "tests", "bench", "inside")
        self.looks = os.path.join(args.build, "tests", "bench", "looks")

    def path(self, name):
        return os.path.join(self.folder, name)

    def convert(self, model, out, *options):
        symbol, params, shape = model
        return [self.tool, symbol, params, "-q", "--input", "data=" + by(shape), "-o", self.path(out), *options]

    def run(self, command, **more):
        """What one process took. None if it failed."""
        p = subprocess.run([self.runner, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
        if p.returncode != 0:
            sys.stderr.write(p.stderr[-500:])
            return None
        seconds, cpu, kib = p.stdout.split()
        return {"seconds": float(seconds), "cpu": float(cpu), "peak_kib": int(kib)}

    def clean(self):
        for name in os.listdir(self.folder):
            if name.startswith("out"):
                os.unlink(self.path(name))

    def interleaved(self, commands, runs, base=None):
        """{name: figures}: each command `runs` times after a warm-up, in a new order at each turn, since a command may
        be slower because of the one before it. Medians; ratios to the command `base`, turn by turn."""
        taken = {name: [] for name in commands}
        for turn in range(runs + (runs > 1)):
            for name in random.sample(list(commands), len(commands)):
                self.clean()
                if base and not self.args.quick:
                    os.sync()  # or this one waits for the disk that the last one filled
                figures = self.run(commands[name])
                if figures is None:
                    sys.exit("failed: " + " ".join(commands[name]))
                if turn > 0 or runs == 1:
                    taken[name].append(figures)
        self.clean()
        return {name: dict(summary(list_), **ratios(list_, taken[base]) if base and name != base else {})
                for name, list_ in taken.items()}


def by(shape):
    return "x".join(map(str, shape))


def summary(taken):
    return {"seconds": round(statistics.median(t["seconds"] for t in taken), 4),
            "cpu": round(statistics.median(t["cpu"] for t in taken), 4),
            "peak_kib": max(t["peak_kib"] for t in taken), "runs": len(taken)}


def ratios(taken, base):
    return {"ratio": round(statistics.median(a["seconds"] / b["seconds"] for a, b in zip(taken, base)), 3),
            "cpu_ratio": round(statistics.median(a["cpu"] / b["cpu"] for a, b in zip(taken, base)), 3)}


# ---- sections: each returns what it found, for results.json

def against_cp(bench, options):
    """{size: {...}}. What does not fit into one file of 2 GiB is external."""
    args, found = bench.args, {}
    sizes = (("8 MiB", 2, 1024),) if args.quick else (("100 MB", 100, 500), ("1 GiB", 16, 4096), ("6 GiB", 96, 4096))
    for size, layers, width in sizes:
        if args.sizes and size not in args.sizes.split(","):
            continue
        model = models.write(lambda g, n: models.mlp(g, n, width), layers, bench.path("mlp"))
        commands = {"inline": bench.convert(model, "out.onnx", *options)} if size != "6 GiB" else {}
        commands["external"] = bench.convert(model, "out.onnx", "--external", "always", *options)
        commands["cp"] = ["cp", model[1], bench.path("out")]
        found[size] = bench.interleaved(commands, args.runs, "cp")
        show(" ".join((size,) + options), found[size])
        os.unlink(model[1])
    return found


def copy(bench):
    return dict(against_cp(bench, ()), **transposed(bench))


def transposed(bench):
    """Weights that are written column by column."""
    args = bench.args
    if args.sizes and "512 MB" not in args.sizes.split(","):
        return {}
    width = 1024 if args.quick else 8192
    model = models.write(lambda g, n: models.mlp(g, n, width, flatten=False), 2, bench.path("turned"))
    commands = {"transposed": bench.convert(model, "out.onnx"), "cp": ["cp", model[1], bench.path("out")]}
    found = bench.interleaved(commands, args.runs, "cp")
    show("512 MB transposed", found)
    os.unlink(model[1])
    return {"512 MB": found}


def place(bench):
    """6 GiB that stay where they are; and from files to a loaded session, where this Python has ONNX Runtime."""
    args, found = bench.args, {}
    layers = 2 if args.quick else 96
    model = models.write(lambda g, n: models.mlp(g, n, 4096), layers, bench.path("mlp"), random=False)  # holes: nothing is read
    os.mkdir(bench.path("place"))
    here = [os.path.join(bench.folder, "place", os.path.basename(p)) for p in model[:2]]
    for before, after in zip(model[:2], here):
        os.rename(before, after)
    command = bench.convert((*here, model[2]), os.path.join("place", "net.onnx"), "--external", "in-place")
    found["6 GiB"] = bench.interleaved({"place": command}, 2 if args.quick else 30)
    show("6 GiB in place", found["6 GiB"])
    if importlib.util.find_spec("onnxruntime"):
        net = models.write(models.resnet, 0, os.path.join(bench.folder, "place", "resnet"))
        p = subprocess.run([sys.executable, os.path.join(HERE, "session.py"), bench.tool, *net[:2], by(net[2]),
                            "1" if args.quick else str(2 * args.runs), os.path.join(bench.folder, "place")],
                           check=True, stdout=subprocess.PIPE, text=True)
        found["session"] = json.loads(p.stdout)
        print("  session", found["session"], flush=True)
    shutil.rmtree(bench.path("place"))
    return found


def half(bench):
    return against_cp(bench, ("--float16",))


def nodes(bench):
    """{shape: {count: {...}}}; memory is what a node adds to that of the smallest graph."""
    args, found = bench.args, {}
    counts = (100, 1000) if args.quick else (1000, 10000, 100000, 1000000)
    for name, make in (("chain", models.chain), ("fan", models.fan), ("constants", models.constants), ("rnn", models.rnn)):
        commands = {}
        for count in counts:
            model = models.write(make, count, bench.path("%s-%d" % (name, count)))
            commands[str(count)] = bench.convert(model, "out.onnx")
        figures = bench.interleaved(commands, min(args.runs, 3))
        base = figures[str(counts[0])]["peak_kib"]
        for count in counts:
            f = figures[str(count)]
            f["us_per_node"] = round(f["seconds"] / count * 1e6, 3)
            f["cpu_us_per_node"] = round(f["cpu"] / count * 1e6, 3)
            f["bytes_per_node"] = round((f["peak_kib"] - base) * 1024 / (count - counts[0])) if count > counts[0] else None
        found[name] = figures
        show(name, figures)
    return found


def looks(bench):
    """Values set one by one, with a look at the model after each."""
    found = {}
    for count in (100, 200) if bench.args.quick else (2500, 5000, 10000):
        symbol = bench.path("scales-%d-symbol.json" % count)
        with open(symbol, "w") as f:
            models.scales(models.Graph(f), count)
        taken = []
        for _ in range(bench.args.runs):
            p = subprocess.run([bench.looks, bench.library, symbol], check=True, stdout=subprocess.PIPE, text=True)
            taken.append([float(w) for w in p.stdout.split()])
        found[str(count)] = {"seconds": round(statistics.median(t[1] for t in taken) / 1e3, 5), "set": int(taken[0][0]), "runs": len(taken)}
        print("  looks", count, found[str(count)], flush=True)
    return found


def inside(bench):
    """Exports of one process to memory and to a callback: seconds against a file, and the peak against the output."""
    args, found = bench.args, {}
    model = models.write(lambda g, n: models.mlp(g, n, 1024 if args.quick else 4096), 1 if args.quick else 16, bench.path("mlp"))
    for turn in range(args.runs):
        for where in random.sample(("memory", "callback", "file"), 3):
            bench.clean()
            p = subprocess.run([bench.inside, bench.library, where, "1", model[0], model[1], by(model[2]),
                                bench.path("out.onnx")], check=True, stdout=subprocess.PIPE, text=True)
            _, _, first, _, kib, size = p.stdout.split()
            found.setdefault(where, []).append((float(first) / 1e3, int(kib), int(size)))
    bench.clean()
    os.unlink(model[1])
    return {where: {"seconds": round(statistics.median(t[0] for t in taken), 4), "peak_kib": max(t[1] for t in taken),
                    "output_kib": taken[0][2] // 1024, "runs": len(taken)} for where, taken in found.items()}


def linked_with(library):
    told = subprocess.run(["readelf", "-d", library], check=True, stdout=subprocess.PIPE, text=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", told)


def start(bench):
    """The small model of examples/digits: as a process, and inside one that had loaded neither the library nor what it links."""
    prefix = os.path.join(ROOT, "examples", "digits", "digits")
    model = (prefix + "-symbol.json", prefix + "-0000.params", (1, 1, 8, 8))
    runs = 5 if bench.args.quick else 50
    found = bench.interleaved({"process": bench.convert(model, "out.onnx")}, runs)
    taken = []
    for _ in range(runs):
        p = subprocess.run([bench.inside, ":".join(linked_with(bench.library) + [bench.library]), "memory", "20", model[0], model[1],
                            by(model[2])], check=True, stdout=subprocess.PIPE, text=True)
        taken.append([float(w) for w in p.stdout.split()])
    found["inside"] = {name: round(statistics.median(t[i] for t in taken), 3)
                       for i, name in enumerate(("others_ms", "load_ms", "first_ms", "later_ms"))}
    found["inside"]["runs"] = runs
    show("start", {"process": found["process"]})
    print("  inside", found["inside"])
    return found


def exporter(bench):
    """Whole nets through MXNet's exporter and through this library, as processes and inside of Python."""
    found = {}
    for net in NETS[:1] if bench.args.quick else NETS:
        prefix = bench.path(net)
        p = subprocess.run([bench.args.oracle, os.path.join(HERE, "make_net.py"), net, prefix], check=True,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        shapes = [w for name, shape, dtype in json.loads(p.stdout)
                  for w in ("--input", "%s=%s:%s" % (name, by(shape), dtype))]
        sides = {"tool": [bench.tool, prefix + "-symbol.json", prefix + "-0000.params", "-q", "-o",
                          bench.path("out.onnx"), *shapes]}
        for module in ("mx2onnx", "mxnet"):
            sides[module] = [bench.args.exporter, os.path.join(HERE, "exporter_side.py"), module, prefix, p.stdout,
                             bench.path("out.onnx"), bench.path("out.told")]
        taken = {name: [] for name in sides}
        for turn in range(bench.args.runs if net == NETS[0] else 1):  # the others take a minute each, and 20 times ours
            for name in random.sample(list(sides), len(sides)):
                taken[name].append(one_export(bench, sides[name]))
        found[net] = {name: side_summary(list_) for name, list_ in taken.items()}
        print("  %s %s" % (net, found[net]), flush=True)
        if not bench.args.quick:  # it may take hours to the end
            table.keep("exporter", found, machine(bench.folder))
        bench.clean()
        os.unlink(prefix + "-0000.params")
    return found


def one_export(bench, command):
    """In a limited memory, and with one thread: spinning threads of OpenMP would only slow MXNet down."""
    env = dict(os.environ, OMP_NUM_THREADS="1", MX2ONNX_LIBRARY=bench.library,
               PYTHONPATH=os.path.join(ROOT, "bindings", "python"))

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (EXPORTER_MEMORY, EXPORTER_MEMORY))
    bench.clean()
    figures = bench.run(command, env=env, preexec_fn=limit)
    if figures and os.path.exists(bench.path("out.told")):
        with open(bench.path("out.told")) as f:
            figures["export_seconds"], figures["import_seconds"] = map(float, f.read().split())
    return figures


def side_summary(taken):
    if None in taken:
        return {"failed": "not done within %d GiB of memory" % (EXPORTER_MEMORY >> 30)}
    alone = {k: round(statistics.median(t[k] for t in taken), 4)
             for k in ("export_seconds", "import_seconds") if k in taken[0]}
    return dict(summary(taken), **alone)


SECTIONS = {"copy": copy, "half": half, "place": place, "nodes": nodes, "looks": looks, "inside": inside, "start": start, "exporter": exporter}


# ---- what it ran on

def machine(folder):
    """No names of hosts, no paths."""
    with open("/proc/cpuinfo") as f:
        model = [line.split(":", 1)[1].strip() for line in f if line.startswith("model name")]
    with open("/proc/meminfo") as f:
        memory = int(f.readline().split()[1])
    with open("/proc/mounts") as f:
        mounts = [line.split()[1:3] for line in f]
    kind = max((len(place), kind) for place, kind in mounts if (folder + "/").startswith(place.rstrip("/") + "/"))[1]
    return {"cores": os.cpu_count(), "processor": model[0] if model else "?", "memory_gib": round(memory / (1 << 20)),
            "kernel": platform.release().split("-")[0], "filesystem": kind, "system": platform.system(),
            "load": round(os.getloadavg()[2], 1)}


def show(title, figures):
    print(title)
    for name, f in figures.items():
        print("  %-10s %9.4f s  cpu %9.4f s  ratio %7s (cpu %s)  peak %8.1f MiB" % (
            name, f["seconds"], f["cpu"], f.get("ratio", "-"), f.get("cpu_ratio", "-"), f["peak_kib"] / 1024), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--only", help="sections, separated by commas")
    parser.add_argument("--sizes", help="of copy and half, separated by commas: 100 MB,512 MB,1 GiB,6 GiB")
    parser.add_argument("--oracle", help="a Python with MXNet 1.9.1, GluonCV and GluonNLP")
    parser.add_argument("--exporter", help="a Python with MXNet 1.9.1 and onnx")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", help="where the files go, 13 GB of them (default: a temporary folder)")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if args.check:
        return table.check()
    chosen = args.only.split(",") if args.only else [s for s in SECTIONS if s != "exporter" or args.exporter]
    folder = tempfile.mkdtemp(prefix="mx2onnx-bench-", dir=args.folder)
    try:
        bench = Bench(args, folder)
        for name in chosen:
            found = dict(SECTIONS[name](bench))
            if not args.quick:
                table.keep(name, found, machine(folder))
    finally:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
