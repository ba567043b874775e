"""The reference of the C functions as a page of Markdown, include/README.md, from bindings/api.json.

    python3 reference.py            writes the page
    python3 reference.py --check    fails where it is not up to date

By the header's sections and in its order: each function with its declaration, its words and the version since which it exists;
enumerations and structures as tables. Every name that the header declares links to its place.
"""
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
OUTPUT = os.path.join(HERE, "..", "include", "README.md")
WIDTH = 100
HEAD = """<!-- made by bindings/reference.py -->
# Reference of mx2onnx.h

This page is made from the comments of [mx2onnx.h](mx2onnx.h). [C, first program](../bindings/README.md#c) explains how to compile a
program, and [examples](../examples/README.md) has more programs.
"""
SEARCHED = "Also searched as: C library, C library no Python, C library without Python, C API, mx2onnx.h, cancel progress, cancel conversion, progress callback, memory limit, ABI, thread safety.\n"
# "  OPSET           the opset to write": an entry of a list of values; "  a symbol file (...)": one of a list.
ENTRY = re.compile(r"^  ((?:\.\.\._)?[A-Z][A-Z0-9_]*(?:, [A-Z][A-Z0-9_]*)*)\s+(\S.*)$")
ITEM = re.compile(r"^  (?=\S)")


def anchor(name):
    return "[`%s`](#%s)" % (name, name.lower())


class Page:
    def __init__(self, api):
        self.api = api
        self.items = {}
        for kind in ("functions", "enums", "structs", "callbacks", "aliases", "handles"):
            self.items.update((x["name"], (kind, x)) for x in api[kind])
        self.places = {name: name for name in self.items}
        self.places.update((v["name"], e["name"]) for e in api["enums"] for v in e["values"])

    # ---- words

    def link(self, match):
        name = match.group(1)
        return "[`%s`](#%s)" % (name, self.places[name].lower()) if name in self.places else "`%s`" % name

    def prose(self, text):
        """A paragraph's text: names become links; what Markdown would read as its own is escaped."""
        pieces = re.split(r"(`[^`]*`)", text)
        for i in range(0, len(pieces), 2):
            escaped = re.sub(r"([*<\\]|(?<!\w)_|_(?!\w))", r"\\\1", pieces[i])
            pieces[i] = re.sub(r"\b((?:mx2onnx|MX2ONNX)_\w*[^\W_]\b)(?:\(\))?", self.link, escaped)
        return "".join(pieces)

    def blocks(self, text):
        """Paragraphs, lists and examples of a comment."""
        out, state = [], ""
        for line in text.split("\n"):
            if not line.strip():
                kind = ""
            elif ITEM.match(line):
                kind = "item"
            elif line.startswith("    "):
                kind = state if state in ("item", "example") else "example"
            elif line.startswith("   "):
                kind = state
            else:
                kind = "text"
            if kind != state and kind and out and out[-1]:
                out.append("")
            if kind == "example":
                out.append(line)
            elif kind == "item" and ITEM.match(line):
                out.append("- " + self.prose(re.sub(r"^(\w+)  +", r"`\1`: ", line.strip())))
            elif kind == "item":
                out.append("  " + self.prose(line.strip()))
            else:
                out.append(self.prose(line.strip()))
            state = kind
        return "\n".join(out).strip("\n")

    def values(self, e):
        """The words before the list of values, {value: its words}, and the words after."""
        words, rest, current = {}, [], []
        for line in e["doc"].split("\n"):
            entry = ENTRY.match(line)
            if entry:
                current = [n.strip() for n in entry.group(1).split(",")]
                words.update((n, entry.group(2)) for n in current)
            elif current and line.startswith("   "):
                words.update((n, words[n] + " " + line.strip()) for n in current)
            else:
                current = []
                rest.append(line)
        return "\n".join(rest), words

    # ---- what the header declares

    def enum(self, e):
        intro, words = self.values(e)
        rows = ["| value | | | |", "| --- | --- | --- | --- |"]
        used = set()
        for v in e["values"]:
            short = v["name"][len(e["prefix"]) :]
            known = [n for n in words if n == short or (n.startswith("..._") and short.endswith(n[len("...") :]))]
            used.update(known)
            texts = [v.get("doc", "")] + [words[n] for n in known]
            text = self.prose("; ".join(t for t in texts if t)).replace("|", "\\|")
            rows.append("| `%s` | %d | %s | since %s |" % (v["name"], v["value"], text, v["since"]))
        unused = set(words) - used
        if unused:
            raise SystemExit("reference.py: the comment of %s has words for %s, which are not among its values" % (e["name"], sorted(unused)))
        return "%s\n\n%s" % (self.blocks(intro), "\n".join(rows))

    def struct(self, s):
        rows = ["| member | type | | |", "| --- | --- | --- | --- |"]
        for m in s["members"]:
            text = self.prose(m["doc"]).replace("|", "\\|")
            rows.append("| `%s` | %s | %s | since %s |" % (m["name"], self.type(m["type"]), text, m["since"]))
        return "%s\n\n%s" % (self.blocks(s["doc"]), "\n".join(rows))

    def type(self, text):
        base = re.search(r"mx2onnx_\w+", text)
        return "[`%s`](#%s)" % (text, base.group()) if base and base.group() in self.places else "`%s`" % text

    def declaration(self, f, name, before=""):
        def spelled(kind, word):
            return kind + word if kind.endswith("*") else "%s %s" % (kind, word)

        arguments = [spelled(a["type"], a["name"]) for a in f["arguments"]] or ["void"]
        lines = [before + spelled(f["returns"], name) + "("]
        for i, a in enumerate(arguments):
            piece = a + (", " if i + 1 < len(arguments) else ");")
            if len(lines[-1] + piece.rstrip()) > WIDTH:
                lines.append("        ")
            lines[-1] += piece
        return "```c\n%s\n```" % "\n".join(line.rstrip() for line in lines)

    def function(self, f):
        words = "As %s." % anchor(f["shares"]) if "shares" in f else self.blocks(f["doc"])
        return "%s\n\n%s\n\nSince %s." % (self.declaration(f, f["name"]), words, f["since"])

    def item(self, name):
        kind, x = self.items[name]
        body = {
            "functions": self.function,
            "enums": self.enum,
            "structs": self.struct,
            "callbacks": lambda x: "%s\n\n%s" % (self.declaration(x, "(*%s)" % x["name"], "typedef "), self.blocks(x["doc"])),
            "aliases": lambda x: "```c\ntypedef %s %s;\n```\n\n%s" % (x["type"], x["name"], self.blocks(x["doc"])),
            "handles": lambda x: "```c\ntypedef struct %s %s;\n```\n\n%s" % (x["name"], x["name"], self.blocks(x["doc"])),
        }[kind](x)
        since = "" if kind == "functions" else "\n\nSince %s." % x["since"]
        return "### %s\n\n%s%s\n" % (name, body, since)

    def constants(self, names):
        if not names:
            return []
        out = []
        for name in names:
            if not out or name in self.api["constants_doc"]:
                out.append("\n%s\n\n| constant | |\n| --- | --- |" % self.blocks(self.api["constants_doc"].get(name, "")))
            out.append("| `%s` | %d |" % (name, self.api["constants"][name]))
        return ["\n".join(out).strip("\n") + "\n"]

    def section(self, s):
        constants = [n for n in s["names"] if n in self.api["constants"]]
        parts = ["## %s\n" % s["name"]] + ([self.blocks(s["doc"]) + "\n"] if s["doc"] else [])
        return parts + self.constants(constants) + [self.item(n) for n in s["names"] if n in self.items]

    def text(self):
        contents = ["| section | |", "| --- | --- |"]
        for s in self.api["sections"]:
            names = [n for n in s["names"] if n in self.items]
            contents.append("| [%s](#%s) | %s |" % (s["name"], s["name"].replace(" ", "-"), ", ".join(anchor(n) for n in names)))
        parts = [HEAD, "\n".join(contents) + "\n", "## overview\n", self.blocks(self.api["doc"]) + "\n"]
        for s in self.api["sections"]:
            parts += self.section(s)
        return "\n".join(parts) + "\n" + SEARCHED


def main():
    with open(os.path.join(HERE, "api.json"), encoding="utf-8") as f:
        wanted = Page(json.load(f)).text()
    if "--check" in sys.argv:
        found = ""
        if os.path.exists(OUTPUT):
            with open(OUTPUT, encoding="utf-8") as f:
                found = f.read()
        if found != wanted:
            print("include/README.md is not what bindings/api.json says; run python3 bindings/reference.py")
            return 1
    else:
        with open(OUTPUT, "w", encoding="utf-8", newline="\n") as f:
            f.write(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
