#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How comments, texts and names of tests are written: CONTRIBUTING.md has the rules, tests/guides/style.py checks the pages.

    tests/lint/english.py            fails where a file has more offences of a rule than english.tsv allows
    tests/lint/english.py --rebase   writes fewer into english.tsv, never more
    tests/lint/english.py FILE...    prints each offence of these files
"""
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests" / "support"))

import baseline  # noqa: E402

BASELINE = Path(__file__).with_name("english.tsv")
FOLDERS = ("include", "lib", "ops", "examples/cli", "examples/export", "tests", "bindings")
TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)  # of C
PYTHON = re.compile(r'"""(.*?)"""|#([^\n]*)|"((?:\\.|[^"\\\n])*)"', re.S)
TEST = re.compile(r"^static void (\w+)\(void \*\*state\)|^\s*def test_(\w+)\(", re.M)
RULES = {  # (what is not written, what is written instead)
    "is no": (r"(?<!\bthere )(?<!\bThere )\b(?:is|are|was|were) no\b(?! (?:longer|more)\b)", "is not a"),
    "place": (r"\bbeside\b|(?<!left )\bbehind\b", "next to, after"),
    "verbs": (r"\b(?:stands?|lies)\b(?! (?:for|in the way))|\bhand(?:s|ed)? on\b|\btells?\b(?! (?:apart|which))", "is, passes, states, reports"),
    "nobody": (r"\bnobody\b|\bno ?one\b", "the passive with an agent"),
    "whole number": (r"\bwhole numbers?\b", "integer"),
    "fronted": (r"\bbut for\b|, which then\b|\bas \S+ has it\b", "a clause with a subject and a verb"),
}
TEST_NAMES = r"^(?:what|that|where|a_look|those)_"


def files():
    out = subprocess.run(["git", "ls-files", *FOLDERS], cwd=TOP, capture_output=True, text=True, check=True).stdout
    return [f for f in out.splitlines() if f.endswith((".c", ".h", ".inc", ".py")) and not f.endswith(("english.py", "style.py"))
            and "/vendor/" not in f and "/third_party/" not in f]


def parts(file, text):
    if file.endswith(".py"):
        return [(m.start(), next(g for g in m.groups() if g is not None)) for m in PYTHON.finditer(text)]
    return [(m.start(), m.group()) for m in TEXT.finditer(text)]


def offences(file):
    """(rule, what), ..."""
    text = (TOP / file).read_text(encoding="utf-8")
    for start, part in parts(file, text):
        plain = re.sub(r"\s+\*?\s*", " ", part)
        for rule, (pattern, _) in RULES.items():
            for m in re.finditer(pattern, plain):
                yield rule, "line %d: %s" % (text.count("\n", 0, start) + 1, plain[max(0, m.start() - 40):m.end() + 30])
    if file.startswith("tests/"):
        for m in TEST.finditer(text):
            name = m.group(1) or m.group(2)
            if re.match(TEST_NAMES, name):
                yield "test name", "line %d: %s" % (text.count("\n", 0, m.start()) + 1, name)


if __name__ == "__main__":
    sys.exit(baseline.main(BASELINE, "tests/lint/english.py", "files", files(), offences, RULES))
