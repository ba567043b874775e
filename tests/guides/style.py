#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the pages are written: README.md, the guides, the READMEs of the languages and what else is on the site.

    python3 tests/guides/style.py            fails if a page breaks a rule
    python3 tests/guides/style.py PAGE...    checks these pages alone
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, os.pardir, os.pardir))
sys.path.insert(0, os.path.join(ROOT, "examples", "guides", "site"))

import stage  # noqa: E402

MOST_WORDS, MOST_IN_CELL, MOST_IN_HELP, MOST_COLUMNS, MOST_OF_CODE, MOST_LINES = 35, 25, 30, 140, 92, 120
GUIDES = re.compile(r"examples/guides/(?:start|from|to|do|lookup)/")
REFERENCE = {"lookup/command-line.md", "lookup/models.md"}  # made by a program: no "Next"
WORDS = {  # rule: (what is not written, what is written instead)
    "words": (r"\bbeside\b|\bbehind\b|\bhangs? on\b|\bstands\b|\blies\b|\bby way of\b|\bnobody\b|\bof its own\b|\bis looked for\b|\bcomes? out\b|\bthe way on\b"
              r"|\bmay be left out\b|\bwhere MXNet is\b(?! installed)", "next to, after, depends on, is in, through, no one, omit"),
    "person": (r"(?<![\w'/.-])(?:[Ww]e|[Oo]urs?|us)(?![\w'/.-])", "you, mx2onnx, the library"),
    "tone": (r"\b(?:simply|just|easily|of course|please|obviously)\b", "nothing"),
    "terms": (r"(?<!mx2onnx )\bnets?\b|\bdims?\b|\bORT\b|\bremed(?:y|ies)\b", "model, dimension, ONNX Runtime, advice"),
    "spelling": (r"\b(?:quanti|normali|initiali|recogni|optimi|seriali|organi)z(?:e|es|ed|ing|ation)\b|\bcolors?\b|\bbehaviors?\b|\bcenters?\b", "British forms"),
    "nothing": (r"\b(?:is|are) no\b(?! (?:longer|MXNet|error|C#))(?<!here is no)(?<!here are no)", "is not a"),
}
LIMITS = {"lib/LIMITS.md", "examples/guides/lookup/limits.md"}  # their figures are what they state
UNIT = re.compile(r"(?<![\w.-])\d[\d.,]*(?: ?(?:ms|s|GB|MB|KB|GiB|MiB|KiB|%)| times| x)(?![\w-])(?! ?[\d(a-z])")
FORMAT = {"2 GiB", "4 GiB"}  # of ONNX files, of WebAssembly's memory
MADE = re.compile(r"<!-- [\w ]+: made by.*?<!-- (?:end|/)[^>]*-->|<!-- made by.*?(?:<!-- end -->|\Z)", re.S)
CODE = re.compile(r"^( *)```.*?^\1```$", re.M | re.S)
NAMES = re.compile(r"CODE(?: CODE)+")  # a list of options
CONSOLE = re.compile(r"^( *)```console\n.*?^\1```$", re.M | re.S)


def declared():
    """The names of the header."""
    with open(os.path.join(ROOT, "include", "mx2onnx.h"), encoding="utf-8") as f:
        return set(re.findall(r"\b(?:mx2onnx|MX2ONNX)_\w+", f.read()))


def pages():
    return sorted(set(stage.pages()[0]) - {"ops/SUPPORT.md", "tests/zoo/MATRIX.md", "include/README.md"} | {"README.md", "examples/README.md"})


def without_output(text):
    """Of what a console shows, only the commands: the program's own lines are as long as they are."""
    return CONSOLE.sub(lambda m: "\n".join(line for line in m.group().split("\n") if line.lstrip().startswith(("$ ", "```"))), text)


def prose(text):
    """Without code, addresses and HTML."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r'``.*?``|`[^`]*`|"[^"\n]*"', "CODE", text)  # what is quoted is a message
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return re.sub(r"<[^>\n]*>|https?:\S+", "", text)


def sentences(paragraph):
    return re.split(r"(?<=[.!?])\s+|(?<=[:;])\s+(?=[A-Z`*\[\"(])", " ".join(paragraph.split()))


def words(text):
    return re.findall(r"\w[\w'./-]*", text)


def offences(page):
    """[(rule, what)]"""
    with open(os.path.join(ROOT, page), encoding="utf-8") as f:
        text = f.read()
    made = text.startswith("<!-- made by")
    without = CODE.sub("", text)
    told = prose(without)
    searched = re.search(r"^Also searched as: .*\Z", told, re.M | re.S)
    told = told[:searched.start()] if searched else told
    without = re.sub(r"^Also searched as: .*\Z", "", without, flags=re.M | re.S)
    for rule, (pattern, _) in WORDS.items():
        if rule == "terms" and page.startswith("tests/"):  # pages for developers, who read nets and dims in the code
            continue
        for m in re.finditer(pattern, told):
            yield rule, told[max(0, m.start() - 30):m.end() + 20].replace("\n", " ")
    paragraphs = [p for p in re.split(r"\n\s*\n|\n(?=\s*(?:- |\d+\. |> ))", told) if p.strip() and not p.lstrip().startswith(("|", "#"))]
    for paragraph in paragraphs:
        for sentence in sentences(paragraph):
            if len(words(NAMES.sub("CODE", sentence))) > MOST_WORDS:
                yield "long sentence", sentence[:80]
        if paragraph.count(";") > 1 and not paragraph.lstrip().startswith(("- ", "Next:")):
            yield "semicolons", paragraph.strip()[:80]
    for line in told.split("\n"):
        if line.startswith("| "):
            for cell in line.strip("| ").split(" | "):
                if len(words(cell)) > MOST_IN_CELL:
                    yield "long cell", cell[:80]
    for line in re.sub(r"\]\([^)]*\)", "]", MADE.sub("", without_output(text))).split("\n"):
        if len(line) > MOST_COLUMNS and not line.startswith("|") and not made:
            yield "long line", line[:80]
    if not made and page not in LIMITS and not page.startswith("tests/"):
        for m in UNIT.finditer(prose(MADE.sub("", without))):
            if m.group() not in FORMAT:
                yield "figure", m.group()
    if GUIDES.match(page) or page == "README.md":
        for m in re.finditer(r"\b(mx2onnx_[a-z]\w*|MX2ONNX_(?:OPTION|TEXT|STATUS)_\w+)", text):
            if m.group() not in declared():
                yield "not in mx2onnx.h", m.group()
    if GUIDES.match(page):  # a page of the site is as wide
        for m in CODE.finditer(text):  # what a console shows is wrapped
            for line in m.group().split("\n")[1:] if not m.group().lstrip().startswith(("```console", "```text")) else ():
                if len(line) > MOST_OF_CODE:
                    yield "long line of code", line.strip()[:80]
    if page.endswith("lookup/command-line.md"):  # made from the table of options
        for name, help_text in re.findall(r"^- `(-[^`]*)`: (.*)$", text, re.M):
            if len(help_text.split()) > MOST_IN_HELP:
                yield "help of more than %d words" % MOST_IN_HELP, name
    headings = re.findall(r"^(#+) (.*)$", without, re.M)
    if [h for h, _ in headings].count("#") != 1:
        yield "title", "not one of level 1"
    for (above, _), (level, title) in zip(headings, headings[1:]):
        if len(level) > len(above) + 1:
            yield "title", "a level is skipped before " + title
    for _, title in headings:
        if title.endswith("."):
            yield "title", title
    for m in re.finditer(r"\[(?:here|this|link|click here)\]", without):
        yield "link text", m.group()
    for _, kind in re.findall(r"^( *)```(.*)\n", "\n".join(m.group() for m in CODE.finditer(text)), re.M):
        if kind.startswith(("{",)):
            yield "block", kind
    for m in re.finditer(r"^(?:    |\t)\S.*$", re.sub(r"^ *(?:[-*]|\d+\.) (?:.*\n)(?:(?: {2,}.*)?\n)*", "", without, flags=re.M), re.M):
        yield "block", "without a fence: " + m.group().strip()[:60]
        break
    for kind in re.findall(r"^> \[!(\w+)\]", text, re.M):
        if kind not in ("NOTE", "WARNING"):
            yield "admonition", kind
    if page == "README.md" and text.count("\n") > MOST_LINES:
        yield "long page", "%d lines" % text.count("\n")
    if GUIDES.match(page):
        end = text.rstrip().split("\n\n")
        if not end[-1].startswith("Also searched as: "):
            yield "end", "no 'Also searched as'"
        if page[len("examples/guides/"):] not in REFERENCE and (not end[-2].startswith("Next: ") or end[-2].count("](") > 3):
            yield "end", "no 'Next' of at most three links"


def main():
    chosen, found = sys.argv[1:] or pages(), 0
    for page in chosen:
        for rule, what in offences(page):
            found += 1
            print("%s: %s: %s" % (page, rule, what) + ("\n    write " + WORDS[rule][1] if rule in WORDS else ""))
    print("%d offences, %d pages" % (found, len(chosen)))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
