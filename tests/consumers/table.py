#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the table of README.md from results.json.

    python3 tests/consumers/table.py            fails if the table is another
    python3 tests/consumers/table.py --rebase   writes it
"""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BEGIN, END = "<!-- made by table.py -->\n", "<!-- end -->\n"
GOOD = 1e-3


def load(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return json.load(f)


def cell(told, reasons, used):
    if told is None:
        return ""
    if told.get("difference", 1) <= GOOD:
        return "%.0e" % told["difference"]
    text = told.get("error") or told.get("wrong") or "%.2g" % told["difference"]
    for i, (word, _) in enumerate(reasons):
        if word in text:
            used.add(i)
            return "no [%d](#%d)" % (i + 1, i + 1)
    return "**%s**" % text.replace("|", "/").replace("\n", " ")[:60]


def table():
    results, reasons, used = load("results.json"), load("reasons.json"), set()
    runtimes = sorted({r for net in results.values() for r in net})
    lines = ["| net | %s |" % " | ".join(runtimes), "| --- |%s" % (" --- |" * len(runtimes))]
    for net in sorted(results):
        lines.append("| %s | %s |" % (net, " | ".join(cell(results[net].get(r), reasons, used) for r in runtimes)))
    good = [sum(n.get(r, {}).get("difference", 1) <= GOOD for n in results.values()) for r in runtimes]
    lines.append("| **of %d** | %s |" % (len(results), " | ".join("**%d**" % g for g in good)))
    lines += [""] + ['%d. <a id="%d"></a>%s' % (i + 1, i + 1, text) for i, (_, text) in enumerate(reasons) if i in used]
    return "\n".join(lines) + "\n"


def main():
    path = os.path.join(HERE, "README.md")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    head, rest = text.split(BEGIN)
    made = head + BEGIN + table() + END + rest.split(END)[1]
    if "--rebase" in sys.argv[1:]:
        with open(path, "w", encoding="utf-8") as f:
            f.write(made)
    elif made != text:
        sys.exit("the table of tests/consumers/README.md is not that of results.json: table.py --rebase")


if __name__ == "__main__":
    main()
