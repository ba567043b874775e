#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages that say what the program says: lookup/command-line.md and lookup/models.md.

    python3 examples/guides/site/generate.py MX2ONNX            fails where a page is not up to date
    python3 examples/guides/site/generate.py MX2ONNX --rebase   writes them
"""
import itertools
import json
import os
import re
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))

import documents  # noqa: E402

GUIDES = os.path.join(ROOT, "examples", "guides")


def run(tool, *arguments):
    return subprocess.run([tool, *arguments], check=True, capture_output=True, text=True).stdout


# ---- the command line, from the manual page, which the program makes of its table of options


def plain(troff):
    """Text without troff's escapes; what is bold or slanted is not marked."""
    text = re.sub(r"^\\&", "", troff)
    return re.sub(r"\\f[BIR]", "", text).replace("\\-", "-").replace("\\e", "\\")


def sections(manual):
    parts = re.split(r"^\.SH (.+)\n", manual, flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2]))


def commands(manual):
    """[(name, text, [(option, help)])]"""
    parts = re.split(r"^\.SS mx2onnx (\S+)\n", sections(manual)["COMMANDS"], flags=re.M)[1:]
    found = []
    for name, body in zip(parts[::2], parts[1::2]):
        text, *options = body.split(".TP\n")
        found.append((name, plain(text.strip()), [tuple(plain(p).strip() for p in o.split("\n", 1)) for o in options]))
    return found


def prose(text):
    """A help text as Markdown: options, files, names in capitals and examples as code."""
    words = r"(?<![\w`-])(--[a-z][\w-]*(?:=\w+)?|[a-z_0-9]+=[\w?,.:-]+[\w?]|[\w./-]*\*?[\w-]*\.(?:json|params|onnx|npz|npy|zip|mar|gz|tgz|data|so|dll|dylib)\b)"
    text = re.sub(r"'(mx2onnx [^']+)'", r"`\1`", text)
    text = text.replace("shapes, or normalization", "`shapes`, or `normalization`")  # values of --published
    pieces = re.split(r"(`[^`]*`)", text)
    pieces[::2] = [re.sub(words, r"`\1`", p) for p in pieces[::2]]
    text = "".join(pieces).replace("` `", " ").replace("mx2onnx `", "`mx2onnx ")
    pieces = re.split(r"(`[^`]*`)", text)
    pieces[::2] = [p.replace("*", "\\*").replace("<", "\\<") for p in pieces[::2]]
    return "".join(pieces)


def peers():
    """[(names, advice)] of the options of other converters, for which the program has an answer."""
    with open(os.path.join(ROOT, "examples", "cli", "options.c"), encoding="utf-8") as f:
        table = re.search(r"\} peers\[\] = \{\n(.*?)\n    \};", f.read(), re.S).group(1)
    found = re.findall(r'\{"([^"]+)", "([^"]+)"\}', table)
    assert len(found) >= 10
    return found


def command_line(tool):
    manual = run(tool, "--manual")
    lines = ["<!-- made by examples/guides/site/generate.py -->", "# Command line", "",
             "Every command and option of `mx2onnx`, as `mx2onnx COMMAND --help` prints it, and the names that",
             "[other converters](#options-of-other-converters) use for the same.", "", "```text"]
    lines += [plain(line) for line in sections(manual)["SYNOPSIS"].strip().split("\n") if not line.startswith(".")] + ["```", ""]
    seen = {}
    for name, text, options in commands(manual):
        lines += ["## mx2onnx " + name, "", prose(text), ""]
        for option in options:
            if seen.setdefault(option, name) == name:
                lines.append("- `%s`: %s" % (option[0], prose(option[1])))
        shared = {}
        for option in options:
            if seen[option] != name:
                shared.setdefault(seen[option], []).append("`%s`" % option[0].split("[")[0].split(" ")[0].rstrip(","))
        for owner, names in shared.items():
            lines += ["- as in [%s](#mx2onnx-%s): %s" % (owner, owner, " ".join(names))]
        lines.append("")
    lines += ["## Examples", "", "```text"]
    lines += [plain(line.strip("\n")) for line in sections(manual)["EXAMPLES"].split("\n") if line and line not in (".nf", ".fi")]
    lines += ["```", "", "## Exit status", ""]
    for status in sections(manual)["EXIT STATUS"].split(".TP\n")[1:]:
        number, text = status.strip().split("\n", 1)
        meaning, *cases = plain(text).split("; ")
        lines.append("- %s: %s" % (plain(number), prose(meaning)))
        for case in cases:
            names, text = case.split(": ", 1)
            lines.append("  - %s: %s" % (", ".join("`%s`" % name for name in names.split(", ")), prose(text)))
    lines += ["", "## Options of other converters", "", "If you type one of these, the program names its own.", "",
              "| other converters | mx2onnx |", "| --- | --- |"]
    lines += ["| %s | %s |" % (", ".join("`--%s`" % n for n in names.split()), prose(advice)) for names, advice in peers()]
    lines += ["", "Also searched as: --fp16, --half, --input_shape, --simplify, --target, options, flags, man page, help, arguments."]
    return "\n".join(lines) + "\n"


# ---- models


def fields(entry):
    """What the page says of a net: classes or words, shapes of its inputs, source."""
    shapes = []
    for shape, same in itertools.groupby("(%s)" % ", ".join("any" if d is None else str(d) for d in shape) for shape in entry["inputs"]):
        n = len(list(same))
        shapes += ["%d times %s" % (n, shape)] if n > 2 else [shape] * n
    size = entry.get("classes") or ("vocabulary %d" % entry["vocabulary"] if "vocabulary" in entry else "")
    return str(size), ", ".join(shapes), entry["source"]


def difference(result):
    if not result or result.get("missing"):
        return ""
    return "%.0e" % result["difference"] if result.get("difference") is not None else "agrees"


def models(tool):
    nets = json.loads(run(tool, "nets", "--json"))["nets"]
    results = documents.load(os.path.join(ROOT, "tests", "zoo", "results.json"))
    families = {}
    for entry in nets:
        name = entry["name"]
        result = results.get(name) or results.get("mx_" + name) or {}
        families.setdefault(result.get("family", "others"), []).append((name, *fields(entry), result))
    lines = ["<!-- made by examples/guides/site/generate.py -->", "# Models without a symbol file", "",
             "mx2onnx recognises these %d published models by their [parameters alone](../from/params.md), with any number of classes."
             % len(nets),
             "`mx2onnx nets NAME` prints the same, with the published mean and deviation.", "",
             "The last two columns are the greatest difference from MXNet in ONNX Runtime, as a share of the greatest number: at a fixed size,",
             "and with dynamic dimensions. An empty cell was not compared. [Every model that was compared](../../../tests/zoo/MATRIX.md) has those",
             "that need their symbol file, too.", "",
             "Any model of supported operators can be converted with its symbol file, in this list or not.", ""]
    for family in sorted(families, key=lambda f: (f == "others", f)):
        lines += ["## " + family[0].upper() + family[1:].replace("_", " "), "", "| model | classes | input | published by | fixed | dynamic |",
                  "| --- | --- | --- | --- | --- | --- |"]
        for name, classes, shape, source, result in families[family]:
            lines.append("| `%s` | %s | %s | %s | %s | %s |" % (
                name, classes, shape, source, difference(result.get("static")), difference(result.get("dynamic"))))
        lines.append("")
    lines.append("Also searched as: model zoo, pretrained, supported models, resnet, mobilenet, ssd, yolo3, faster_rcnn, bert, list of models.")
    return "\n".join(lines) + "\n"


PAGES = {"lookup/command-line.md": command_line, "lookup/models.md": models}


def main():
    tool, same = sys.argv[1], True
    for page, make in PAGES.items():
        path, text = os.path.join(GUIDES, *page.split("/")), make(tool)
        if "--rebase" in sys.argv[2:]:
            documents.write(path, text)
        same = documents.is_text(path, text, "run examples/guides/site/generate.py MX2ONNX --rebase") and same
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
