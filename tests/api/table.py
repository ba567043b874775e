"""ops/SUPPORT.md is what the registry prints, and with which element types the recorded cases test each operator.

    python3 table.py MX2ONNX [--rebase]
"""
import json
import os
import subprocess
import sys

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "ops", "SUPPORT.md")
TYPES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "recorded", "types.json")
HEAD = """# Operators that are converted

Printed by `mx2onnx ops --markdown`, with the element types of the first input in the cases recorded from MXNet
(`tests/numeric/tested_types.py`); a test compares. `mx2onnx ops NAME` shows one operator.

"""


def with_types(tool):
    """The tool's table and a column more."""
    def run(form):
        return subprocess.run([tool, "ops", form], check=True, capture_output=True, text=True).stdout

    with open(TYPES, encoding="utf-8") as f:
        types = json.load(f)
    names = {op["name"]: [op["name"]] + op["aliases"] for op in json.loads(run("--json"))}
    lines = run("--markdown").splitlines()
    table = [lines[0] + " tested with |", lines[1] + " --- |"]
    for line in lines[2:]:
        tested = [t for name in names[line.split("`")[1]] for t in types.get(name, [])]
        table.append("%s %s |" % (line, " ".join(dict.fromkeys(tested))))
    return "\n".join(table) + "\n"


def main():
    printed = with_types(sys.argv[1])
    if "--rebase" in sys.argv:
        with open(FILE, "w", encoding="utf-8") as f:
            f.write(HEAD + printed)
    with open(FILE, encoding="utf-8") as f:
        written = f.read()
    if written != HEAD + printed:
        print("ops/SUPPORT.md is not what the operators say: run tests/api/table.py MX2ONNX --rebase")
        return 1
    print("%d operators" % (printed.count("\n") - 2))
    return 0


sys.exit(main())
