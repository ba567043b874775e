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
    found = re.findall(r'\{"([^"]+)",\s+"([^"]+)"\}', table)
    assert len(found) == table.count("{")
    return found


# Options of the command line, and the names of the same choice in Python's export_model ("Model." where only the class has it), in C and in
# the packages for Node.js and WebAssembly. Options of the program alone are in OF_THE_PROGRAM.
NAMES = [
    ("-o", "onnx_file_path", "mx2onnx_export_file", "export"),
    ("--input", "in_shapes in_types", "mx2onnx_set_input_shape mx2onnx_set_input_dtype", "inputShape inputDtype"),
    ("--dynamic", "dynamic_input_shapes", "mx2onnx_set_input_shape", "inputShape"),
    ("--channels-last", "channels_last", "mx2onnx_set_input_channels_last", "inputChannelsLast"),
    ("--reverse-channels", "reverse_channels", "mx2onnx_set_input_channels_reversed", "inputChannelsReversed"),
    ("--mean --scale", "mean scale", "mx2onnx_set_input_mean mx2onnx_set_input_scale", "inputMean inputScale"),
    ("--output", "outputs", "mx2onnx_add_output", "addOutput"),
    ("--set", "params", "mx2onnx_set_param", "setParam"),
    ("--rename", "rename", "mx2onnx_rename", "rename"),
    ("--metadata", "Model.set_metadata", "mx2onnx_set_metadata", "setMetadata"),
    ("--prefix", "prefix", "MX2ONNX_TEXT_PARAM_PREFIX", "paramPrefix"),
    ("--structural-names", "structural_names", "MX2ONNX_OPTION_STRUCTURAL_NAMES", "structuralNames"),
    ("--net", "Model.load_net", "mx2onnx_load_net", "loadNet"),
    ("--classes", "Model.classes", "MX2ONNX_OPTION_CLASSES", "classes"),
    ("--crop", "Model.crop", "MX2ONNX_OPTION_CROP", "crop"),
    ("--segments", "Model.segments", "MX2ONNX_OPTION_SEGMENTS", "segments"),
    ("--published", "Model.use_published", "mx2onnx_use_published", "usePublished"),
    ("--catalogue", "Model.load_catalogue", "mx2onnx_load_catalogue_file", "loadCatalogue"),
    ("--opset", "opset_version", "MX2ONNX_OPTION_OPSET", "opset"),
    ("--custom", "custom_operators", "mx2onnx_set_custom_operator", "customOperator"),
    ("--keep-unknown", "unknown_domain", "MX2ONNX_TEXT_UNKNOWN_DOMAIN", "unknownDomain"),
    ("--float16", "float16", "MX2ONNX_OPTION_FLOAT16", "float16"),
    ("--keep-float32", "keep_float32", "mx2onnx_set_node_precision", "setNodePrecision"),
    ("--force-float16", "Model.set_node_precision", "mx2onnx_set_node_precision", "setNodePrecision"),
    ("--external", "external_data external_threshold", "MX2ONNX_OPTION_EXTERNAL_DATA MX2ONNX_OPTION_EXTERNAL_THRESHOLD", "externalData externalThreshold"),
    ("--full-checksum", "Model.full_checksum", "MX2ONNX_OPTION_FULL_CHECKSUM", "fullChecksum"),
    ("--initializers-as-inputs", "initializers_as_inputs", "MX2ONNX_OPTION_INITIALIZERS_AS_INPUTS", "initializersAsInputs"),
    ("--keep-batch-norm", "keep_batch_norm", "MX2ONNX_OPTION_KEEP_BATCH_NORM", "keepBatchNorm"),
    ("--fold-input-scale", "Model.fold_input_scale", "MX2ONNX_OPTION_FOLD_INPUT_SCALE", "foldInputScale"),
    ("--node-metadata", "Model.node_metadata", "MX2ONNX_OPTION_NODE_METADATA", "nodeMetadata"),
    ("--for", "target", "MX2ONNX_TEXT_TARGET", "target"),
    ("--trust-indices", "trust_indices", "MX2ONNX_OPTION_TRUST_INDICES", "trustIndices"),
    ("--seed", "seed", "MX2ONNX_OPTION_SEED", "seed"),
    ("--fsync", "fsync", "MX2ONNX_OPTION_FSYNC", "fsync"),
    ("--no-limits", "Model.memory_limit Model.expansion_limit Model.nodes_limit Model.output_limit",
     "MX2ONNX_OPTION_MEMORY_LIMIT MX2ONNX_OPTION_EXPANSION_LIMIT MX2ONNX_OPTION_NODES_LIMIT MX2ONNX_OPTION_OUTPUT_LIMIT",
     "memoryLimit expansionLimit nodesLimit outputLimit"),
    ("--verbose", "verbose", "mx2onnx_set_log", "onLog"),
]
OF_THE_PROGRAM = {"--json", "--quiet", "--version", "--help"}
NAMED_IN = {1: ["bindings/python/mx2onnx/_export.py", "bindings/python/mx2onnx/_model.py"], 2: ["include/mx2onnx.h"],
            3: ["bindings/node/src/options.d.ts", "bindings/node/src/index.d.ts"]}


def in_languages(options):
    """The table of NAMES, if it has every option of these, and the names are in the sources."""
    known = {re.split(r"[ \[]", option.split(", ")[-1])[0] for option, _ in options} - OF_THE_PROGRAM
    listed = {option for row in NAMES for option in row[0].split()}
    if known != listed:
        sys.exit("NAMES of generate.py lacks %s, and has %s" % (sorted(known - listed), sorted(listed - known)))
    for column, files in NAMED_IN.items():
        texts = "".join(open(os.path.join(ROOT, file), encoding="utf-8").read() for file in files)
        for name in " ".join(row[column] for row in NAMES).split():
            if not re.search(r"\b%s\b" % name.replace("Model.", ""), texts):
                sys.exit("%s, which NAMES of generate.py has, is not in %s" % (name, " or ".join(files)))
    lines = ["## In other languages", "", "One choice has one meaning everywhere. Python's names are arguments of `export_model`, or members of `Model` where they say so.",
             "Names of C in capitals are for `mx2onnx_set_option` and `mx2onnx_set_text`. Node.js and WebAssembly pass the names of options to",
             "`setOptions`. The other packages have C's names in the form of their language.", "",
             "| command line | Python | C | Node.js, WebAssembly |", "| --- | --- | --- | --- |"]
    return lines + ["| %s |" % " | ".join(", ".join("`%s`" % n for n in cell.split()) for cell in row) for row in NAMES] + [""]


def command_line(tool):
    manual = run(tool, "--manual")
    lines = ["<!-- made by examples/guides/site/generate.py -->", "# Command line", "",
             "Every command and option of `mx2onnx`, as `mx2onnx COMMAND --help` prints it, and the names of the same choices",
             "[in other languages](#in-other-languages) and in [other converters](#options-of-other-converters). A long option may be",
             "abbreviated: `--metad` is `--metadata`.", "", "```text"]
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
    lines += ["", *in_languages(commands(manual)[0][2]), "## Options of other converters", "", "If you type one of these, the program names its own.", "",
              "| other converters | mx2onnx |", "| --- | --- |"]
    lines += ["| %s | %s |" % (", ".join("`-%s%s`" % ("-" * (len(n) > 1), n) for n in names.split()), prose(advice)) for names, advice in peers()]
    lines += ["", "Also searched as: --fp16, --half, --input_shape, --simplify, --target, options, flags, man page, help, arguments, name of an option in Python, opset_version."]
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
