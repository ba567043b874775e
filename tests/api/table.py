"""ops/SUPPORT.md is what the registry prints.

    python3 table.py MX2ONNX [--rebase]
"""
import os
import subprocess
import sys

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "ops", "SUPPORT.md")
HEAD = """# Operators that are converted

Printed by `mx2onnx ops --markdown`; a test compares. `mx2onnx ops NAME` shows one.

"""


def main():
    printed = subprocess.run([sys.argv[1], "ops", "--markdown"], check=True, capture_output=True, text=True).stdout
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
