"""Functions of lib, ops and examples are short and have few parameters, and lines fit a screen: the limits are below."""
import re
import sys

from includes import sources, without_comments

LONGEST, MEDIAN, P90 = 53, 10, 21  # lines, from the line of the name to the closing brace
PARAMETERS, WITH_MORE = 5, 14      # at most WITH_MORE functions have more parameters
COLUMNS = 140
FOLDERS = ("lib", "ops", "examples")
DEFINITION = re.compile(r"^(?!typedef|struct \w+ \{|enum|union)\w[^;{}=#]*?\b(\w+)\(([^;{}]*)\)\n\{\n(.*?)^\}$", re.M | re.S)


def parameters(text):
    while True:
        inner = re.sub(r"\([^()]*\)", "", text)  # those of pointers to functions
        if inner == text:
            return 0 if text.strip() in ("", "void") else text.count(",") + 1
        text = inner


def functions():
    """(place, lines, parameters) of each."""
    for folder in FOLDERS:
        for path, text in sources(folder):
            for f in DEFINITION.finditer(without_comments(text)) if path.endswith(".c") else ():
                yield "%s: %s" % (path, f.group(1)), f.group(0).count("\n") + 1, parameters(f.group(2))


def long_lines():
    for folder in FOLDERS:
        for path, text in sources(folder):
            for number, line in enumerate(text.split("\n"), 1):
                if len(line) > COLUMNS:
                    yield "%s:%d has %d columns, %d at most" % (path, number, len(line), COLUMNS)


def main():
    found = list(functions())
    if len(found) < 2500:
        print("only %d functions were found: are they written otherwise?" % len(found))
        return 1
    failures = ["%s has %d lines, %d at most" % (f[0], f[1], LONGEST) for f in found if f[1] > LONGEST]
    failures += long_lines()
    lines = sorted(f[1] for f in found)
    for what, value, most in (("median", lines[len(lines) // 2], MEDIAN), ("90th percentile", lines[len(lines) * 9 // 10], P90)):
        if value > most:
            failures.append("the %s of the functions' lines is %d, %d at most" % (what, value, most))
    many = [f for f in found if f[2] > PARAMETERS]
    if len(many) > WITH_MORE:
        failures.append("%d functions have more than %d parameters, %d may:" % (len(many), PARAMETERS, WITH_MORE))
        failures += ["  %s has %d" % (f[0], f[2]) for f in many]
    print("\n".join(failures) or "%d functions: median %d lines, 90th percentile %d, longest %d; %d with more than %d parameters"
          % (len(found), lines[len(lines) // 2], lines[len(lines) * 9 // 10], lines[-1], len(many), PARAMETERS))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
