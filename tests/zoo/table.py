#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MATRIX.md and the summary in README.md here are made of results.json, OPSET11.md of opset11.json; without --rebase this compares.

    python3 tests/zoo/table.py [--rebase]
"""
import math
import os
import re
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, "support")]

import documents  # noqa: E402
import net  # noqa: E402
import nets  # noqa: E402

OLDEST = os.path.join(HERE, "OPSET11.md")
MATRIX = os.path.join(HERE, "MATRIX.md")
NOISE = 0.05  # of a ratio of times: so far from 1 quality.py finds a graph next to itself, one time in ten further
README = os.path.join(HERE, "README.md")
DIGESTS = os.path.join(HERE, os.pardir, "data", "recorded", "catalogue.tsv")
BEGIN, END = "<!-- zoo: made by tests/zoo/table.py -->", "<!-- /zoo -->"
HEAD = """# The model zoo, net by net

Made of `results.json` by `table.py`; [README.md](README.md) says how the results came about. *static* and *dynamic*: the
greatest difference from MXNet (1.9.1; of gluon 2: 2.0.0b1) as a share of its greatest number; at the size of the export, and over three sizes
that the file was not exported with. *nodes*: of MXNet's graph, of ours, of MXNet's own exporter's, of ours after onnxsim.
*time*: one inference in ONNX Runtime, ours over the exporter's. "as": of the same operators, attributes,
edges and sizes as that net, which is measured. A dash: not measured.
"""


def cell(r):
    if r is None or r.get("missing"):
        return "-"
    if not r["green"]:
        return "**fails**"
    text = "%.0e" % r["difference"] if r.get("difference") is not None else "checked"
    return text + (" (%s)" % ", ".join(r["dims"]) if "dims" in r else "")


def quality(results, name, noted):
    """[exporter's nodes, onnxsim's, time]"""
    q = results[name].get("quality", {})
    if "as" in q:
        return ["as %s" % q["as"], "", ""]
    cells = {k: str(q.get(k, "-")) for k in ("exporter", "simplified", "time")}
    cells["time" if "time" in q else "exporter"] += noted(q.get("why", ""))
    cells["simplified"] += noted(q.get("why_simplified", ""))
    return list(cells.values())


def note(r):
    errors = [r[k]["error"] for k in ("static", "dynamic") if r.get(k, {}).get("error")]
    bound = ["bound %.0e" % r["bound"]] if r.get("bound", net.BOUND) != net.BOUND else []
    return "; ".join(bound + ([r["reason"]] if r.get("reason") else []) + errors[:1])


def matrix(results):
    lines, notes = [HEAD], []

    def noted(text):
        text = text.replace("\n", " ").replace("|", "/")
        if text and text not in notes:
            notes.append(text)
        return " [%d]" % (notes.index(text) + 1) if text else ""
    for family in sorted({r["family"] for r in results.values()}):
        lines.append("\n## %s\n\n| net | static | dynamic | nodes: MXNet | ours | exporter | onnxsim | time |" % family)
        lines.append("| --- | --- | --- | --- | --- | --- | --- | --- |")
        for name, r in results.items():
            if r["family"] == family:
                lines.append("| %s%s%s | %s | %s | %s | %s | %s |" % (
                    name, "\\*" if r["matrix"] else "", noted(note(r)), cell(r["static"]), cell(r.get("dynamic")),
                    r.get("mxnet", {}).get("nodes", "-"), nodes(results, name), " | ".join(quality(results, name, noted))))
    lines.append("\n\\* named in the support matrix that GluonCV or GluonNLP publishes")
    lines += ["\n[%d] %s" % (i + 1, text) for i, text in enumerate(notes)]
    return "\n".join(lines) + "\n"


def nodes(results, name):
    q = results[name].get("quality", {})
    return results[q.get("as", name)].get("quality", {}).get("ours", results[name]["static"].get("nodes", "-"))


def green(r):
    return r["static"]["green"] and r.get("dynamic", {"green": True})["green"]


def catalogue():
    """The nets of lib/catalogue, each of which has MXNet's own graph (tests/catalogue)."""
    with open(DIGESTS, encoding="utf-8") as f:
        return {line.split("\t")[0] for line in f}


def summary(results):
    lines = ["| family | nets | from symbol | with dynamic dims | from parameters alone |", "| --- | --- | --- | --- | --- |"]
    alone = catalogue()
    for family in sorted({r["family"] for r in results.values()}):
        names = [n for n, r in results.items() if r["family"] == family]
        rows = [results[n] for n in names]
        dynamic = [r["dynamic"] for r in rows if "dynamic" in r]
        lines.append("| %s | %d | %d | %d of %d | %s |" % (
            family, len(rows), sum(r["static"]["green"] for r in rows), sum(d["green"] for d in dynamic), len(dynamic),
            sum(re.sub("^mx_", "", n) in alone for n in names) or ""))
    for key, title in net.MATRICES.items():
        rows = [r for r in results.values() if r["matrix"] == key]
        if rows:
            lines.append("\nOf the %d nets in %s's published matrix %d agree with MXNet 1.9.1: %.0f%%." % (
                len(rows), title, sum(map(green, rows)), math.floor(100 * sum(map(green, rows)) / len(rows))))
    return lines + measured(results)


def measured(results):
    """What the graphs cost next to the exporter's, and what onnxsim would still find."""
    found = {n: r["quality"] for n, r in results.items() if "as" not in r.get("quality", {"as": ""})}
    pairs = {n: q["ours"] / q["exporter"] for n, q in found.items() if isinstance(q.get("exporter"), int)}
    times = {n: q["time"] for n, q in found.items() if isinstance(q.get("time"), float)}
    if not pairs or not times:
        return []
    fewer = sum(isinstance(q["simplified"], int) and q["simplified"] < q["ours"] for q in found.values())
    return ["""
%d of the nets, %d distinct graphs, are measured next to MXNet's own exporter and onnxsim:

| the library's graphs over the exporter's | graphs | geometric mean | worst |  |
| --- | --- | --- | --- | --- |
| nodes | %s | more nodes: %d |
| time of an inference in ONNX Runtime | %s | slower by more than noise (%.0f%%): %d |

The exporter fails at the other %d. onnxsim finds nodes to remove in %d of the library's graphs.""" % (
        sum("quality" in r for r in results.values()), len(found), spread(pairs), sum(p > 1 for p in pairs.values()),
        spread(times), 100 * NOISE, sum(t > 1 + NOISE for t in times.values()), len(found) - len(pairs), fewer)]


def spread(ratios):
    worst = max(ratios, key=ratios.get)
    mean = math.exp(statistics.mean(map(math.log, ratios.values())))
    return "%d | %.2f | %.2f (%s)" % (len(ratios), mean, ratios[worst], worst)


OLDEST_HEAD = """# The model zoo at opset 11

Made of `opset11.json` by `table.py`. Opset 11 is the oldest that is written; toolchains of edge devices ask for it. `opset11.py` converts each
net at its static size and with its dynamic dims; a file counts if the checker takes it and ONNX Runtime loads it. Numbers are
compared for one net of each family (`tests/numeric/test_zoo.py`).
"""


def oldest(results):
    """What opset 11 cannot say, and how many nets need none of it."""
    lines = [OLDEST_HEAD, "| family | nets | static | with dynamic dims |", "| --- | --- | --- | --- |"]
    for family in sorted({r["family"] for r in results.values()}):
        rows = [r for r in results.values() if r["family"] == family]
        dynamic = [r["dynamic"] for r in rows if "dynamic" in r]
        lines.append("| %s | %d | %d | %d of %d |" % (family, len(rows), sum("nodes" in r["static"] for r in rows),
                                                     sum("nodes" in d for d in dynamic), len(dynamic)))
    lines += ["\n## Nets that are refused\n", "| net | operator of MXNet | what the message says |", "| --- | --- | --- |"]
    for name, r in sorted(results.items()):
        for key in ("static", "dynamic"):
            said = r.get(key, {})
            if "nodes" not in said and said and (key == "static" or said != r["static"]):
                which = name if said == r.get("dynamic", said) == r["static"] else "%s, %s" % (name, key)
                for op, text, _ in said.get("refused", [["", said.get("error", ""), 1]]):
                    lines.append("| %s | %s | %s |" % (which, "`%s`" % op if op else "", text.replace("|", "/")))
    return "\n".join(lines) + "\n"


def renew(path, text):
    if "--rebase" in sys.argv:
        documents.write(path, text)
    return documents.is_text(path, text, "run tests/zoo/table.py --rebase")


def main():
    results = documents.load(os.path.join(HERE, "results.json"))
    known, bad = nets.load(), 0
    for name, r in results.items():
        if name not in known or (r["family"], r["matrix"]) != (known[name].family, known[name].matrix):
            print("results.json has %s in another way than nets/" % name)
            bad = 1
    for n in known.values():  # what was not measured is not green
        results.setdefault(n.name, {"family": n.family, "matrix": n.matrix, "static": {"green": False, "missing": True}})
    results = dict(sorted(results.items()))
    bad |= not renew(MATRIX, matrix(results))
    bad |= not renew(README, documents.with_table(README, BEGIN, END, summary(results)))
    at_11 = documents.load(os.path.join(HERE, "opset11.json"))
    missing = sorted(set(known) - set(at_11))
    if missing:
        print("opset11.json lacks %s: run opset11.py --skip-done" % ", ".join(missing))
    return bad | bool(missing) | (not renew(OLDEST, oldest(at_11)))


if __name__ == "__main__":
    sys.exit(main())
