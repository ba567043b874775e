#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The figures of README.md and of the guides, from the results that tests/zoo, tests/bench and tests/consumers keep.

    python3 examples/guides/site/facts.py            fails where a page has other figures
    python3 examples/guides/site/facts.py --rebase   writes them
"""
import os
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))

import documents  # noqa: E402

BEGIN, END = "<!-- facts: made by examples/guides/site/facts.py -->", "<!-- end of facts -->"
GOOD = 1e-3  # as tests/consumers/table.py


def results(folder):
    return documents.load(os.path.join(ROOT, "tests", folder, "results.json"))


def seconds(s):
    return "%.0f ms" % (s * 1e3) if s < 0.1 else "%.2f s" % s


def mib(kib):
    return "%.0f MiB" % (kib / 1024)


def zoo():
    found = results("zoo")
    green = [r for r in found.values() if r["static"]["green"] and r.get("dynamic", {"green": True})["green"]]
    matrix = {k: [r for r in found.values() if r["matrix"] == k] for k in ("gluoncv", "gluonnlp")}
    measured = [r["quality"] for r in found.values() if "as" not in r.get("quality", {"as": ""})]
    fails = sum(not isinstance(q.get("exporter"), int) for q in measured)
    return {"nets": len(found), "green": len(green), "gluoncv": len(matrix["gluoncv"]), "gluonnlp": len(matrix["gluonnlp"]),
            "matrix_green": all(r in green for k in matrix for r in matrix[k]), "graphs": len(measured), "fails": fails}


def bench():
    found = results("bench")
    ours, theirs = (found["exporter"]["found"]["resnet50_v1"][k] for k in ("tool", "mxnet"))
    return ours, theirs, found["copy"]["found"]["1 GiB"]["inline"]


def runtimes():
    """Models, and how many of them each runtime runs."""
    found = results("consumers")
    names = {r for net in found.values() for r in net}
    return len(found), sorted(sum(n.get(r, {}).get("difference", 1) <= GOOD for n in found.values()) for r in names)


def readme(link):
    z, (ours, theirs, copy), (models, runs) = zoo(), bench(), runtimes()
    assert z["matrix_green"]
    return [
        "- **Accuracy:** %d of %d test models agree with MXNet in ONNX Runtime, among them all %d models of GluonCV 0.10's published matrix and"
        % (z["green"], z["nets"], z["gluoncv"]),
        "  all %d of GluonNLP's. MXNet's own exporter fails at %d of %d graphs. [Every model](%s),"
        % (z["gluonnlp"], z["fails"], z["graphs"], link("tests/zoo/MATRIX.md")),
        "  [how results are compared](%s)." % link("tests/zoo/README.md"),
        "- **Speed:** ResNet-50 converts in %s and %s of memory; MXNet's exporter takes %s and %s. 1 GiB of weights takes %s"
        % (seconds(ours["seconds"]), mib(ours["peak_kib"]), seconds(theirs["seconds"]), mib(theirs["peak_kib"]), seconds(copy["seconds"])),
        "  and %s. [All measurements](%s)." % (mib(copy["peak_kib"]), link("tests/bench/README.md")),
        "- **Runtimes:** %d models are run in %d runtimes; each runs %d to %d of them, and every \"no\" has its reason:"
        % (models, len(runs), runs[0], runs[-1]),
        "  [runtime matrix](%s). TensorRT is not among them: it needs a GPU, which the tests do not have." % link("tests/consumers/README.md"),
    ]


def exporter(link):
    z, (ours, theirs, _) = zoo(), bench()
    return [
        "- ResNet-50 takes %.0f times less time and %.0f times less memory, as a whole process ([all measurements](%s))."
        % (theirs["seconds"] / ours["seconds"], theirs["peak_kib"] / ours["peak_kib"], link("tests/bench/README.md")),
        "- MXNet's exporter fails at %d of the %d graphs of the tests' models ([each of them](%s))."
        % (z["fails"], z["graphs"], link("tests/zoo/MATRIX.md")),
    ]


PAGES = {"README.md": readme, "examples/guides/README.md": readme, "examples/guides/from/mxnet-onnx.md": exporter}


def main():
    same = True
    for page, make in PAGES.items():
        path = os.path.join(ROOT, page)
        lines = make(lambda target: os.path.relpath(os.path.join(ROOT, target), os.path.dirname(path)).replace(os.sep, "/"))
        text = documents.with_table(path, BEGIN, END, lines)
        if "--rebase" in sys.argv[1:]:
            documents.write(path, text)
        same = documents.is_text(path, text, "run examples/guides/site/facts.py --rebase") and same
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
