# SPDX-License-Identifier: Apache-2.0
"""The results of bench.py: the file that keeps them, and the table in README.md here."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "support"))

import documents  # noqa: E402

RESULTS = os.path.join(HERE, "results.json")
README = os.path.join(HERE, "README.md")
BEGIN, END = "<!-- benchmark: made by tests/bench/bench.py -->", "<!-- end of benchmark -->"
TITLES = {"resnet50_v1": "ResNet-50", "vgg16": "VGG-16", "bert_24_1024_16": "BERT-large", "gpt2_345m": "GPT-2 345M",
          "chain": "a chain", "fan": "many readers side by side", "constants": "readers with their own constants",
          "rnn": "unrolled LSTM cells"}


def keep(section, found, machine):
    """What was found before stays where it is not found again."""
    results = documents.load(RESULTS)
    found = dict(results.get(section, {}).get("found", {}), **found)
    results[section] = {"machine": machine, "found": found}
    documents.save(RESULTS, results)
    documents.write(README, documents.with_table(README, BEGIN, END, lines(results)))


def check():
    text = documents.with_table(README, BEGIN, END, lines(documents.load(RESULTS)))
    return 0 if documents.is_text(README, text, "run bench.py") else 1


def lines(results):
    rows = [r for section, make in (("copy", copy_rows), ("half", half_rows), ("place", place_rows), ("exporter", exporter_rows),
                                    ("nodes", node_rows), ("looks", look_rows), ("inside", inside_rows), ("start", start_rows))
            if section in results for r in make(results[section]["found"])]
    table = [("what", "mx2onnx", "compared with", "target"), ("---",) * 4] + rows
    machines = [results[s]["machine"] for s in results]
    some = machines[0] if machines else {}
    note = "%s cores of %s, %s GiB, %s %s, %s." % tuple(some.get(k, "?") for k in (
        "cores", "processor", "memory_gib", "system", "kernel", "filesystem"))
    return ["| " + " | ".join(r) + " |" for r in table] + ["", note]


def mib(kib):
    return "%.0f MiB" % (kib / 1024)


def seconds(s):
    return "%.0f ms" % (s * 1e3) if s < 0.1 else "%.2f s" % s if s < 10 else "%.0f s" % s


def met(ok, text):
    return text + ("" if ok else " (missed)")


def cp_rows(found, what):
    ways = {"inline": "in one file", "external": "in a side file", "transposed": "transposed"}
    for size in ("100 MB", "512 MB", "1 GiB", "6 GiB"):
        for way in ways:
            f = found.get(size, {}).get(way)
            if f:
                aim = met(f["ratio"] <= 1.15, "1.15") if size in ("1 GiB", "6 GiB") else ""
                yield ("%s of weights%s, %s" % (size, what, ways[way]),
                       "%s, %s" % (seconds(f["seconds"]), mib(f["peak_kib"])), "%.2f x `cp`" % f["ratio"], aim)


def copy_rows(found):
    return cp_rows(found, "")


def half_rows(found):
    return cp_rows(found, " to float16")


def place_rows(found):
    f = found["6 GiB"]["place"]
    ok = f["seconds"] <= 0.01 and f["peak_kib"] <= 16 << 10
    yield ("6 GiB of weights, left in place", "%.1f ms, %s" % (f["seconds"] * 1e3, mib(f["peak_kib"])),
           "%.1f ms of processor time" % (f["cpu"] * 1e3), met(ok, "10 ms, 16 MiB"))
    for way, words in (("place", ""), ("place_nodes", ", BatchNorm too")):
        s = found.get("session", {}).get(way)
        if s:
            yield ("ResNet-50 to a loaded ONNX Runtime session, weights in place" + words, seconds(s["seconds"]),
                   "%.2f x an ordinary file (%.2f x its processor time)" % (s["ratio"], s["cpu_ratio"]), met(s["ratio"] <= 1, "1.00"))


def exporter_rows(found):
    for net, title in TITLES.items():
        if net not in found:
            continue
        tool, ours, theirs = (found[net][k] for k in ("tool", "mx2onnx", "mxnet"))
        if "failed" in theirs:
            yield (title + ", whole process", "%s, %s" % (seconds(tool["seconds"]), mib(tool["peak_kib"])),
                   "MXNet's exporter: " + theirs["failed"], "")
            continue
        faster, smaller = theirs["seconds"] / tool["seconds"], theirs["peak_kib"] / tool["peak_kib"]
        yield (title + ", whole process", "%s, %s" % (seconds(tool["seconds"]), mib(tool["peak_kib"])),
               "MXNet's exporter: %s, %s (%.0f x, %.0f x)" % (
                   seconds(theirs["seconds"]), mib(theirs["peak_kib"]), faster, smaller),
               met(faster >= 30 and smaller >= 20, "30 x, 20 x") if net == "resnet50_v1" else "")
        if "failed" in ours:
            continue
        yield (title + ", inside Python", seconds(ours["export_seconds"]),
               "MXNet's exporter: %s (%.0f x)" % (seconds(theirs["export_seconds"]),
                                                theirs["export_seconds"] / ours["export_seconds"]), "")


def node_rows(found):
    for shape in ("chain", "fan", "constants", "rnn"):
        if shape not in found:
            continue
        most, some = found[shape]["1000000"], found[shape]["10000"]
        grows = most["us_per_node"] / some["us_per_node"]
        ok = grows <= 1.5 and most["us_per_node"] < 20 and most["bytes_per_node"] <= 1024
        yield ("1,000,000 nodes: " + TITLES[shape],
               "%s, %s" % (seconds(most["seconds"]), mib(most["peak_kib"])),
               "%.1f µs and %d bytes a node; %.2f x the time a node of 10,000" % (
                   most["us_per_node"], most["bytes_per_node"], grows), met(ok, "20 µs, 1024 bytes, 1.5 x"))


def look_rows(found):
    most, half = found["10000"], found["5000"]
    yield ("10,000 values set one by one, with a look at the model after each", seconds(most["seconds"]),
           "%.2f x the time of 5,000" % (most["seconds"] / half["seconds"]), met(most["seconds"] < 0.2, "0.20 s"))


def inside_rows(found):
    for where, most in (("memory", 48), ("callback", 32)):
        f = found[where]
        more = (f["peak_kib"] - (f["output_kib"] if where == "memory" else 0)) / 1024
        yield ("1 GiB of weights to %s" % ("a buffer" if where == "memory" else "a callback"),
               "%s, %s" % (seconds(f["seconds"]), mib(f["peak_kib"])),
               "%.0f MiB in addition to the output" % more, met(more <= most, "no copy of the weights"))


def start_rows(found):
    p, i = found["process"], found["inside"]
    yield ("30 nodes, as a process", "%.1f ms" % (p["seconds"] * 1e3), "%.1f ms of processor time" % (p["cpu"] * 1e3),
           met(p["seconds"] < 0.01, "10 ms"))
    own = i["load_ms"] + i["first_ms"]
    yield ("30 nodes, inside a process", "%.1f ms" % (i["others_ms"] + own),
           "%.1f ms to load what it is linked with, %.1f ms to load the library, %.1f ms to convert, %.2f ms the next time" % (
               i["others_ms"], i["load_ms"], i["first_ms"], i["later_ms"]), met(own < 1, "1 ms in addition to what it is linked with"))


if __name__ == "__main__":
    sys.exit(check())
