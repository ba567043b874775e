#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How comments, texts, READMEs and names of tests are written: CONTRIBUTING.md has the rules, tests/guides/style.py checks the pages.

    tests/lint/english.py            fails if a file breaks a rule
    tests/lint/english.py FILE...    checks these files alone
"""
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
LIKE_C = (".c", ".h", ".inc", ".cpp", ".hpp", ".cs", ".go", ".java", ".js", ".mjs", ".rs", ".ts")
PROSE = (".md", ".sh", "meson.build", ".css", ".html", ".yml")
GOLDEN, TITLE = re.compile(r"tests/ops/.*\.txt$"), re.compile(r"^# (.*)", re.M)
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.S)
TEXT = re.compile(r"/\*.*?\*/|//[^\n]*|'(?:\\.|[^\\\n])'" + r'|"(?:\\.|[^"\\\n])*"', re.S)
PYTHON = re.compile(r'"""(.*?)"""|#([^\n]*)|"((?:\\.|[^"\\\n])*)"', re.S)
TEST = re.compile(r"^static void (?:test_)?(\w+)\(void \*\*state\)|^[ \t]*def test_(\w+)\(", re.M)
OTHER_TEST = re.compile(r"^func Test(\w+)\(t |@Test\s+void (\w+)\(|#\[test\]\s+fn (\w+)|^\s*(?:await )?(?:test|it)\('([^'\n]+)'", re.M)
RULES = {  # (what is not written, what is written instead)
    "is no": (r"(?<!\bthere )(?<!\bThere )\b(?:is|are|was|were|be|been) no\b(?! (?:longer|more)\b)", "is not a"),
    "place": (r"\bbeside\b|(?<!left )\bbehind\b", "next to, after"),
    "verbs": (r"\b(?:stands?|stood|lies?|lay|lying)\b(?! (?:for|in the way|out))|\bhand(?:s|ed|ing)? on\b|\b(?:tells?|told|telling)\b(?! (?:apart|which))",
              "is, passes, states, reports"),
    "nobody": (r"\bnobody\b|\bno ?one\b", "the passive with an agent"),
    "whole number": (r"\bwhole numbers?\b", "integer"),
    "fronted": (r"\bbut for\b|, which then\b|\bas (?:\S+ ){1,4}ha(?:s|d|ve) it\b", "a clause with a subject and a verb"),
    "of which": (r"(?<!each )(?<!all )(?<!most )\bof which\b|, say,|\bfor which there (?:is|are) no\b", "whose, a separate sentence"),
    "own": (r"(?<!one )(?<!all )\bof (?:its|their|our) own\b", "its own, a separate"),
    "somebody": (r"\bsome ?(?:body|one)\b(?!/)|\bwhoever\b", "the caller, the program"),
    "idiom": (r"\bturn(?:s|ed|ing)? out\b|\bfor want of\b|\bh[au]ngs? on\b|\bby way of\b|\bto and fro\b|\bf[ae]lls? together\b|\bas good as\b", "is, without, depends on, through"),
}
REPORTS = re.compile(r"\b(?:(?:mx|ox|mx_infer|mx_build)_(?:v?fail|v?warn|note|fail_opset|too_large)|cli_usage|cli_error)\(")
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|(?:MX|CLI)_HELP|MX_SUBJECT|[(),?:]')
VERB = re.compile(r'"(?:is|are|has|must|holds|would|may|covers|lists|asks|pads|gives|names|describes|does|selects|starts|cannot|matches) ')
TEST_NAMES = re.compile(r"(?:what|that|where|a look|those) |[^ ]+$")  # a word alone, or a clause, does not say what holds
TEST_VERBS = re.compile(r"\b(?:names? (?:the|an?|its|both)|" + "|".join("""
    accepts adds agrees? answers appears are asks? averages becomes? begins? brings can cannot carry cause changes? chooses?
    comes? compares? completes continues? contradict converts? counts? covers? decide declares? defines depend describes?
    determines dies differs? do does doubles draws drops edits encode ends enlarges escapes fail failed fails finds fits?
    folds follow gets? gives? go goes grows? has have hears hides? holds? infer is keeps? knows? lacks? leads learn leaves?
    lives loads logs makes match matches may mean meets mixes moves? must needs? offers outlives overflows? overlap
    overrides? panics pass passes permutes precede prints? puts? raises? reads receives refuses remain removes renames
    replaces? reports resolve restores runs? says? serves shares? shifts shows? shrinks speak splits? starts states? stays?
    sticks stops? swallows takes? teaches throws tidies turns uses vanish varies waits walks was were wins? works? would
    wraps? writes""".split()) + r")\b")
RELATIVE = re.compile(r"\b(?:that(?! of)|which|whose)\b")


def files():
    out = subprocess.run(["git", "ls-files"], cwd=TOP, capture_output=True, text=True, check=True).stdout
    return [f for f in out.splitlines() if (f.endswith(LIKE_C + PROSE + (".py",)) or GOLDEN.match(f))
            and not f.endswith(("english.py", "style.py", "CODE_OF_CONDUCT.md")) and "/vendor/" not in f and "/third_party/" not in f]


def parts(file, text):
    """(start, comment or text), ...: a string without a blank is a name. Code in a page and the graphs of golden tests are not prose."""
    if file.endswith(PROSE):
        text = CODE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
        return [(m.start(), m.group()) for m in re.finditer(r"[^\n]+(?:\n[^\n]+)*", text)]
    if GOLDEN.match(file):
        return [(m.start(), m.group(1)) for m in TITLE.finditer(text)]
    if file.endswith(".py"):
        return [(m.start(), next(g for g in m.groups() if g is not None)) for m in PYTHON.finditer(text) if m.group(3) is None or " " in m.group(3)]
    return [(m.start(), m.group()) for m in TEXT.finditer(text) if m.group()[0] == "/" or " " in m.group()]


def semicolons(text):
    """(start, format), ... of messages with "; " before the mark of the help, or without one."""
    for call in REPORTS.finditer(text):
        depth, help_follows = 1, False
        for m in TOKEN.finditer(text, call.end()):
            depth += (m.group() == "(") - (m.group() == ")")
            if depth == 0:
                break
            help_follows = m.group().endswith("_HELP") or help_follows and m.group()[0] == '"'
            if m.group()[0] == '"' and "; " in m.group() and not help_follows:
                yield m.start(), m.group()


def no_subject(text):
    """(start, format), ... of messages that begin with a verb without the mark that puts the subject before it."""
    for call in REPORTS.finditer(text):
        depth, before = 1, ""
        for m in TOKEN.finditer(text, call.end()):
            depth += (m.group() == "(") - (m.group() == ")")
            if depth == 0:
                break
            if VERB.match(m.group()) and before in ("(", ",", "?", ":"):
                yield m.start(), m.group()
            before = m.group()


def tests(file, text):
    """(start, name), ... of each test: its words with blanks between them."""
    for m in (OTHER_TEST if file.startswith("bindings/") else TEST).finditer(text):
        name = next(g for g in m.groups() if g)
        yield m.start(), name.replace("_", " ") if "_" in name or " " in name else re.sub("(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name).lower()


def says_something(name):
    """Has a verb of TEST_VERBS, and a second one if the first is that of a relative clause."""
    verb = TEST_VERBS.search(name)
    return bool(verb) and (not RELATIVE.search(name[:verb.start()]) or bool(TEST_VERBS.search(name, verb.end())))


def offences(file):
    """(line, rule, what is there, what is written instead), ..."""
    text = (TOP / file).read_text(encoding="utf-8")
    for start, part in [*parts(file, text), *tests(file, text)]:
        plain = re.sub(r"\s+\*?\s*", " ", part)
        for rule, (pattern, instead) in RULES.items():
            for m in re.finditer(pattern, plain):
                yield text.count("\n", 0, start) + 1, rule, plain[max(0, m.start() - 40):m.end() + 30], instead
    if file.startswith(("lib/", "ops/", "examples/cli/")):
        for start, what in semicolons(text):
            yield text.count("\n", 0, start) + 1, "semicolon", what, 'advice after MX_HELP or CLI_HELP, anything else as part of the sentence'
        for start, what in no_subject(text):
            yield text.count("\n", 0, start) + 1, "subject", what, 'MX_SUBJECT before it, or a sentence with a subject'
    if file.startswith(("tests/", "bindings/")) and not file.endswith("meson.build"):
        for start, name in tests(file, text):
            if TEST_NAMES.match(name) or not says_something(name):
                yield text.count("\n", 0, start) + 1, "test name", name, "a sentence that says what should hold, as in negative_axis_counts_from_the_end; TEST_VERBS has the verbs"


def main():
    chosen, found = sys.argv[1:] or files(), 0
    for file in chosen:
        for line, rule, what, instead in offences(file):
            found += 1
            print("%s:%d: %s: %s\n    write %s" % (file, line, rule, what, instead))
    print("%d offences in %d files" % (found, len(chosen)))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
