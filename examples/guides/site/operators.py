# SPDX-License-Identifier: Apache-2.0
"""The page of operators, and operators.json: what 'mx2onnx ops --json' prints."""
import collections
import html
import json
import os
import subprocess

STATUS = {
    "full": "every node is converted",
    "partial": "some nodes are an error, all others are converted",
    "differs": "every node is converted; results may differ in the cases stated",
    "random": "converted; values are random, and differ from MXNet's",
    "training only": "left out of the graph, with the outputs that need it",
    "no": "not converted",
}
OPSET = 17  # whose form is shown
FIRST = 11  # that the library writes


def told(tool):
    """What the program says, as text."""
    return subprocess.run([tool, "ops", "--json"], check=True, capture_output=True, text=True).stdout


def code(names):
    return " ".join("<code>%s</code>" % html.escape(n) for n in names)


def row(e):
    """A row of the table: the name, what it is, and what is to be known of it."""
    ids = "".join('<a id="op-%s"></a>' % html.escape(n) for n in e["aliases"])
    notes = ["<b>Refused:</b> " + html.escape(t) for t in e["refuses"]] + ["<b>Differs:</b> " + html.escape(t) for t in e["differs"]]
    if e["status"] == "no":
        notes = [html.escape(e["why"]), "<b>Instead:</b> " + html.escape(e["help"])]
    tested = "tested with " + " ".join(e["types"]) if e["types"] else "" if e["status"] == "no" else "not compared with MXNet by itself"
    if (e["opset"] or 0) > FIRST:
        notes.append("<b>From opset %d on.</b>" % e["opset"])
    becomes = "becomes " + code(e["onnx"]) if e["onnx"] else "" if e["status"] in ("no", "training only") else "becomes no node"
    more = [tested, becomes] + ([e["source"]] if "source" in e else [])
    also = "<div class=also>%s</div>" % code(e["aliases"]) if e["aliases"] else ""
    return ('<tr id="op-%s" data-status="%s" data-group="%s" data-mxnet="%s" data-type="%s"><td>%s<code>%s</code>%s</td><td>%s</td><td>%s<div class=also>%s</div></td></tr>'
            % (html.escape(e["name"]), e["status"], e.get("group", ""), " ".join(e["mxnet"]), " ".join(e["types"]), ids, html.escape(e["name"]), also, e["status"],
               "".join("<p>%s</p>" % n for n in notes), "; ".join(m for m in more if m)))


def select(name, every, values):
    return '<select name="%s" aria-label="%s"><option value="">%s</option>%s</select>' % (
        name, name, every, "".join("<option>%s</option>" % v for v in values))


def page(entries):
    count = collections.Counter(e["status"] for e in entries)
    names = sum(1 + len(e["aliases"]) for e in entries if e["status"] != "no")
    return "\n".join([
        "# Operators", "",
        "Find out whether your operator is supported, and whether its results differ from MXNet's. The table has %d operators under %d names,\nand %d that are not converted." % (
            len(entries) - count["no"], names, count["no"]),
        "For a whole model, run `mx2onnx inspect net-symbol.json`, or drop the model on [the page in your browser](../start/browser.md).", "",
        "| status | operators | meaning |", "| --- | --- | --- |",
        *("| %s | %d | %s |" % (s, count[s], text) for s, text in STATUS.items() if count[s]), "",
        "An operator needs opset %d, unless its row states another. *Types* are those of the first input in the cases that are compared with MXNet." % FIRST,
        "Each case runs at opsets 11, 13, 17, 21 and 26, and at others that change what is written. *Becomes* lists the ONNX operators that its",
        "cases write at opset %d. Constants, and operators that return their input, do not become nodes." % OPSET, "",
        "`mx2onnx ops NAME` prints the same about one operator. [operators.json](operators.json) is the output of `mx2onnx ops --json`. To link to an",
        "operator, add `#op-NAME` to this page's address, with any of its names.", "",
        "```{raw} html",
        '<form id="filter" hidden><input type="search" placeholder="Pooling, mx.sym.Pooling, npx.pooling" aria-label="Name of an operator">',
        *('<label><input type="checkbox" value="%s" checked> %s</label>' % (s, s) for s in STATUS if count[s]),
        select("group", "all groups", sorted({e["group"] for e in entries if "group" in e})),
        select("mxnet", "MXNet 1.x and 2.0", ["1.x", "2.0"]),
        select("type", "all types", sorted({t for e in entries for t in e["types"]})),
        '<output></output></form>',
        '<div class="table-wrapper"><table id="operator-table"><thead><tr><th>operator</th><th>status</th><th>to know</th></tr></thead><tbody>',
        *map(row, entries),
        "</tbody></table></div>",
        '<script src="../_static/operators.js"></script>',
        "```", "",
        "An operator that is not in the table is not converted: see [Operators of your own](../do/custom.md).", "",
        "Also searched as: supported operators, layer support, is X supported, unsupported, operator coverage, get_operator_support."]) + "\n"


def write(tool, folder):
    """The page and the JSON; the entries, sorted by name."""
    text = told(tool)
    entries = sorted(json.loads(text)["operators"], key=lambda e: e["name"].lower().lstrip("_"))
    with open(os.path.join(folder, "operators.md"), "w", encoding="utf-8") as f:
        f.write(page(entries))
    with open(os.path.join(folder, "operators.json"), "w", encoding="utf-8") as f:
        f.write(text)
    return entries
