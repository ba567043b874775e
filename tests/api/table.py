"""ops/SUPPORT.md is what the registry prints, and with which element types the recorded cases test each operator
(tests/numeric/tested_types.py).

    python3 table.py MX2ONNX [--rebase]
"""
import json
import os
import subprocess
import sys

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "ops", "SUPPORT.md")
TYPES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "recorded", "types.json")
HEAD = """# Operators

Find out whether your operator is converted, which of its nodes are refused, and where results differ from MXNet's. `mx2onnx ops NAME`
prints the same about one operator, and `mx2onnx inspect net-symbol.json` lists the operators of a model.

| status | meaning |
| --- | --- |
| full | every node is converted |
| partial | nodes under *refused* end in an error, all others are converted |
| differs | every node is converted; results may differ in the cases stated |
| random | converted; values are random, and differ from MXNet's |
| training only | left out of the graph, with the outputs that need it |
| no | not converted; under *refused* is the reason and what to do instead |

All operators can be written from opset 11 on, unless the row states otherwise. *Tested with* lists the element types of the first input in
the cases recorded from MXNet. It has the word *recorded* where the first input of every case is the result of another node, or does not
exist. A dash means that no case is recorded, because MXNet 1.9.1 runs the operator only on GPUs, in special builds, without a graph, or
with sparse arrays: golden tests show what is written, and most of these operators are compared with their definition. It is empty for what
is not converted, and for random operators whose tests compare moments. An operator that is not in the table is not converted. A dynamic
axis that needs a fixed size, such as the columns of boxes, is an error that names the axis.

Three differences are not repeated in the rows. float64: ONNX Runtime has float32 kernels alone for convolution, average pooling, LRN, instance
normalisation, recurrent layers, resizing, `arccos`, `arccosh`, `arcsin`, `arcsinh`, `arctan`, `arctanh`, `cosh`, `erf`, `sinh`, `softsign`
and `tan`, so that the model computes these in float32. NaN: runtimes and MXNet's oneDNN each have kernels, such as those of relu, softmax and
LRN, that drop it. int64: sums are exact up to 2^53, because ONNX Runtime computes them in float64.
Integer data with a scalar that is infinite or NaN is refused: MXNet's result depends on the processor.

"""


def with_types(tool):
    """The tool's table and a column more."""
    def run(form):
        return subprocess.run([tool, "ops", form], check=True, capture_output=True, text=True).stdout

    with open(TYPES, encoding="utf-8") as f:
        types = json.load(f)
    operators = json.loads(run("--json"))["operators"]
    names, status = {op["name"]: [op["name"]] + op["aliases"] for op in operators}, {op["name"]: op["status"] for op in operators}
    lines = run("--markdown").splitlines()
    table = [lines[0] + " tested with |", lines[1] + " --- |"]
    for line in lines[2:]:
        op = line.split("`")[1]
        known = [name for name in names[op] if name in types]
        tested = dict.fromkeys(t for name in known for t in types[name])
        compared = status[op] in ("full", "partial", "differs")
        table.append("%s %s |" % (line, " ".join(tested) or (("recorded" if known else "–") if compared else "")))
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
