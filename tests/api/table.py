"""The support table of ops/README.md is what the registry prints.

    python3 table.py MX2ONNX [--rebase]
"""
import os
import subprocess
import sys

README = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "ops", "README.md")
BEGIN = "<!-- mx2onnx ops --markdown -->\n"
END = "<!-- end -->\n"


def main():
    printed = subprocess.run(
        [sys.argv[1], "ops", "--markdown"], check=True, capture_output=True, text=True
    ).stdout
    with open(README, encoding="utf-8") as f:
        before, _, rest = f.read().partition(BEGIN)
    table, end, after = rest.partition(END)
    if not end:
        print("ops/README.md has no place for the table: %s...%s" % (BEGIN, END))
        return 1
    if "--rebase" in sys.argv:
        with open(README, "w", encoding="utf-8") as f:
            f.write(before + BEGIN + printed + END + after)
        return 0
    if table != printed:
        print("ops/README.md is older than the operators: run tests/api/table.py MX2ONNX --rebase")
        return 1
    print("%d operators" % (printed.count("\n") - 2))
    return 0


sys.exit(main())
