#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of fixed limits in lib/LIMITS.md: one row for each constant of lib/ and ops/ with a comment `limit: WHAT` on its line.

    tests/lint/limits.py            fails where the table differs from the code
    tests/lint/limits.py --write    writes it
"""
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PAGE = TOP / "lib" / "LIMITS.md"
TABLE = re.compile(r"(?<=<!-- limits -->\n).*?(?=<!-- /limits -->)", re.S)
LIMIT = re.compile(r"^(.*?)/\* limit: (.*?) \*/$", re.M)
CONSTANT = re.compile(r"(?:#define (?P<macro>\w+) (?P<text>.+)|(?P<name>\w+) = (?P<value>[^,;}]+?) *[,;}]*)\s*$")
KNOWN = {"INT16_MAX": 2 ** 15 - 1, "INT32_MAX": 2 ** 31 - 1}


def constants(text):
    """Those of a file, for limits that are made of others."""
    found = re.findall(r"\b([A-Z][A-Z_0-9]*) = ([\dA-Z_ <+*()-]+?)\s*[,}\n]", text)
    values = dict(KNOWN)
    for name, value in found:
        try:
            values[name] = evaluate(value, values)
        except (NameError, SyntaxError):
            pass
    return values


def evaluate(text, values):
    """The value of a constant expression of C."""
    text = re.sub(r"\(u?int\d+_t\)|U?INT64_C(?=\()", "", text)
    if not re.fullmatch(r"[\w <+*()-]+", text):
        raise SyntaxError(text)
    return eval(text, {"__builtins__": {}}, values)


def shown(value):
    """A power of two from 2^20 on, and what is a little less than one; other numbers with commas."""
    if value >= 1 << 20:
        above = 1 << value.bit_length()
        if value & (value - 1) == 0:
            return "2^%d" % (value.bit_length() - 1)
        if above - value <= 2 ** 21:
            return "2^%d - %s" % (value.bit_length(), format(above - value, ","))
    return format(value, ",")


def rows():
    for path in sorted([*TOP.glob("lib/**/*.[ch]"), *TOP.glob("ops/**/*.[ch]")]):
        text = path.read_text(encoding="utf-8")
        for code, what in LIMIT.findall(text):
            found = CONSTANT.search(code.strip())
            if not found:
                sys.exit("%s: a comment 'limit: %s' must follow a constant on its line" % (path.relative_to(TOP), what))
            value = evaluate(found["text"] or found["value"], constants(text))
            yield "| %s | %s | %s |\n" % (what, shown(value), path.relative_to(TOP))


def main():
    page = PAGE.read_text(encoding="utf-8")
    made = "| what | maximum | where |\n| --- | --- | --- |\n" + "".join(rows())
    if not TABLE.search(page):
        sys.exit("%s has no marks <!-- limits -->" % PAGE.relative_to(TOP))
    new = TABLE.sub(lambda _: made, page)
    if "--write" in sys.argv[1:]:
        PAGE.write_text(new, encoding="utf-8")
    elif new != page:
        sys.exit("lib/LIMITS.md differs from the constants of the code: tests/lint/limits.py --write")


if __name__ == "__main__":
    main()
