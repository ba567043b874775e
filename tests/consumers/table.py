#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the table of README.md from results.json.

    python3 tests/consumers/table.py            fails if the table is another
    python3 tests/consumers/table.py --rebase   writes it
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "support"))

import documents  # noqa: E402

README = os.path.join(HERE, "README.md")
BEGIN, BEGIN_FLOAT16, END = "<!-- made by table.py -->", "<!-- float16: made by table.py -->", "<!-- end -->"
GOOD, GOOD_FLOAT16 = 1e-3, 2e-2


def load(name):
    return documents.load(os.path.join(HERE, name))


def cell(told, reasons, used, good, place):
    if told is None:
        return ""
    if told.get("runs"):
        return "runs"
    if told.get("difference", 1) <= good:
        return "%.0e" % told["difference"]
    text = told.get("error") or told.get("wrong") or "%.2g" % told["difference"]
    for i, (word, _) in enumerate(reasons):
        if word in text:
            used.add(i)
            return "no [%d](#%s%d)" % (i + 1, place, i + 1)
    return "**%s**" % text.replace("|", "/").replace("\n", " ")[:60]


def table(file, good, place):
    """`place` begins the anchors of the reasons."""
    results, reasons, used = load(file), load("reasons.json"), set()
    runtimes = sorted({r for net in results.values() for r in net})
    lines = ["| net | %s |" % " | ".join(runtimes), "| --- |%s" % (" --- |" * len(runtimes))]
    for net in sorted(results):
        lines.append("| %s | %s |" % (net, " | ".join(cell(results[net].get(r), reasons, used, good, place) for r in runtimes)))
    count = [sum("runs" in n.get(r, {}) or n.get(r, {}).get("difference", 1) <= good for n in results.values()) for r in runtimes]
    lines.append("| **of %d** | %s |" % (len(results), " | ".join("**%d**" % c for c in count)))
    lines += [""] + ['%d. <a id="%s%d"></a>%s' % (i + 1, place, i + 1, text) for i, (_, text) in enumerate(reasons) if i in used]
    return lines


def main():
    same = True
    for begin, file, good, place in ((BEGIN, "results.json", GOOD, ""), (BEGIN_FLOAT16, "float16.json", GOOD_FLOAT16, "float16-")):
        text = documents.with_table(README, begin, END, table(file, good, place))
        if "--rebase" in sys.argv[1:]:
            documents.write(README, text)
        same = documents.is_text(README, text, "run tests/consumers/table.py --rebase") and same
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
