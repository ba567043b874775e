"""The rows of lib/onnx/schema/kernels.c from measured kernels (operator, form, range of opsets, version of ONNX Runtime, a column for each type).

    kernels.py           prints them
    kernels.py --check   compares the file with them

The table is tests/data/recorded/runtime_types.tsv: a model of one node for each form and type, in ONNX Runtime 1.31 and 1.16.
"""
import csv
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir)
TABLE = os.path.join(ROOT, "tests", "data", "recorded", "runtime_types.tsv")
WRITTEN = os.path.join(ROOT, "lib", "onnx", "schema", "kernels.c")

NAMES = {
    "float": "F32", "double": "F64", "float16": "F16", "uint8": "U8", "int32": "I32", "int8": "I8",
    "int64": "I64", "bool": "B", "int16": "I16", "uint16": "U16", "uint32": "U32", "uint64": "U64",
    "bfloat16": "BF16",
}
GROUPS = [
    ("ALL", "F32 F64 F16 U8 I32 I8 I64 B I16 U16 U32 U64".split()),
    ("NUMBERS", "F32 F64 F16 U8 I32 I8 I64 I16 U16 U32 U64".split()),
    ("INTS", "U8 I32 I8 I64 I16 U16 U32 U64".split()),
    ("FLOATS", "F32 F64 F16".split()),
    ("SINGLES", "F32 F16".split()),
    ("WIDE", "I32 I64".split()),
]
# Forms that the library does not write, or that it writes only after a cast that it adds.
SKIPPED = {
    "Conv": ["4d"], "ConvTranspose": [], "MaxPool": ["4d"], "Mod": ["fmod=0"], "ArgMax": ["select_last_index=1"],
    "ArgMin": ["select_last_index=1"], "BatchNormalization": ["X=T, stats float", "training_mode=1"],
    "LSTM": ["layout=1"], "GRU": ["layout=1"], "RNN": ["layout=1", "Relu"],
    "GridSample": ["grid float, X=T"], "LayerNormalization": ["Mean,InvStdDev outputs"], "Dropout": None,
    "Resize": ["cubic 5-D", "cubic antialias", "linear antialias", "axes attr linear", "keep_aspect_ratio not_larger",
               "half_pixel_symmetric linear", "linear channels-last"],
    "Cast": None, "CastLike": None, "Constant": None,
}
# For these one form decides.
ONLY = {
    "OneHot": ["indices=int64,depth=int64"], "ScatterElements": ["none,indices=int64"], "ScatterND": ["none"],
    "Gather": ["indices=int64"], "GatherElements": ["indices=int64"], "CumSum": ["axis=int64"],
    "Einsum": ["matmul", "batch", "transpose/reduce"],
    "AveragePool": ["1d", "2d", "3d"], "Slice": ["-"], "Gelu": ["-"],
    "Bernoulli": ["-"], "Multinomial": ["T in, int32 out"], "RandomNormalLike": ["-"], "RandomUniformLike": ["-"],
}
CHOSEN = {  # forms that a word of an attribute chooses
    "ScatterElements": ("reduction", [["max", "min"], ["add", "mul"]]),
    "ScatterND": ("reduction", [["max", "min"], ["add", "mul"]]),
    "Gelu": ("approximate", [["tanh"]]),
}
# Run as function bodies, which the runtime takes up to opset 18 only (in float and float16 it needs none); the table was
# measured at the first opset of each range.
STALE = {"HardSwish", "LeakyRelu", "Mish", "PRelu"}
# At opset 11 the library writes other operators instead where a type has no kernel (lib/onnx/pass/legalise.c).
INSTEAD = {"Clip": ["Where", "Less"], "Max": ["Where", "Greater"], "Min": ["Where", "Less"],
           "GreaterOrEqual": ["Greater", "Equal"], "LessOrEqual": ["Less", "Equal"]}
QUANT = ("Quantize", "QLinear", "MatMulInteger", "ConvInteger", "Sequence", "ConcatFrom", "SplitTo", "Loop", "Scan",
         "If", "NegativeLog", "SoftmaxCross", "STFT", "MelWeight", "Identity")
NEWEST = 26  # opset that was measured
EXACT = ["int8", "uint8", "int16", "uint16", "bool", "int32", "uint32"]


def load(path):
    rows = list(csv.DictReader(open(path), delimiter="\t"))
    table = {}
    for r in rows:
        table.setdefault(r["op"], []).append(r)
    return table


def runs(r, t):
    return r[t] in ("ok", "cast") or (r[t] == "func" and (t in ("float", "float16") or r["op"] not in STALE))


def mask_at(rows, forms, opset):
    """The types that run at this opset, in every form; what an older runtime lacks counts where a wider type is exact."""
    def fits(r, ort):
        return r["ort"] == ort and r["variant"] in forms and int(r["opset_first"]) <= opset <= int(r["opset_last"])
    new = [r for r in rows if fits(r, "1.31.1")]
    if not new:
        return None
    good = {t for t in NAMES if all(runs(r, t) for r in new)}
    old = [r for r in rows if fits(r, "1.16.3")]
    older = {t for t in good if t in EXACT and any(not runs(r, t) for r in old)}
    if good - older and not (older == good):
        good -= older
    return frozenset(NAMES[t] for t in good)


def text(mask):
    left, words = set(mask), []
    for name, members in GROUPS:
        if set(members) <= left:
            words.append(name)
            left -= set(members)
    words += sorted(left)
    return " | ".join(words) or "0"


def instead_at_11(op, table):
    """The types of what is written instead of the operator, which it has at opset 12."""
    all_forms = [mask_at(table[other], {r["variant"] for r in table[other]}, 11) for other in INSTEAD[op]]
    return frozenset.intersection(mask_at(table[op], {r["variant"] for r in table[op]}, 12), *all_forms)


def ranges(rows, forms, table):
    out, op = [], rows[0]["op"]
    for opset in range(11, NEWEST + 1):
        mask = mask_at(rows, forms, opset)
        if opset == 11 and op in INSTEAD:
            mask = (mask or frozenset()) | instead_at_11(op, table)
        if mask is None:
            continue
        if out and out[-1][1] == opset - 1 and out[-1][2] == mask:
            out[-1][1] = opset
        else:
            out.append([opset, opset, mask])
    return [(first, "ON" if last == NEWEST else last, mask) for first, last, mask in out]


def rows_of(op, table, full):
    """The rows of one operator: its forms first. None if it runs in every type."""
    rows, (attr, lists) = table[op], CHOSEN.get(op, ("", []))
    out = []
    for words in lists:
        for first, last, mask in ranges(rows, set(words), table):
            out.append('FORM("%s", "%s", %d, %s, %s)' % (attr, " ".join(words), first, last, text(mask)))
    forms = {r["variant"] for r in rows} - set(SKIPPED.get(op, ()))
    found = ranges(rows, set(ONLY.get(op, forms)), table)
    if not found or all(mask == full for _, _, mask in found):
        return None
    return out + ["RUNS(%d, %s, %s)" % (first, last, text(mask)) for first, last, mask in found]


def all_rows():
    full = frozenset(NAMES.values())
    table = load(TABLE)
    for op in sorted(table):
        if op.startswith(QUANT) or op.endswith("QuantizeLinear") or SKIPPED.get(op, ()) is None:
            continue
        listed = rows_of(op, table, full)
        if listed:
            head = "    [OX_%s] = ROWS(" % op
            line = head + ", ".join(listed) + "),"
            yield line if len(line) <= 120 else head + (",\n" + " " * len(head)).join(listed) + "),"


def without_blanks(text):
    return re.sub(r"\s", "", text)


def main():
    if sys.argv[1:] != ["--check"]:
        print(*all_rows(), sep="\n")
        return 0
    with open(WRITTEN) as f:
        written = {row for row in re.split(r"(?=\[OX_)", without_blanks(f.read().partition("ox_kernels[OX_OPERATORS] = {")[2].partition("\n};")[0])) if row}
    measured = {without_blanks(row) for row in all_rows()}
    for row in sorted(written ^ measured):
        print("%s only: %s" % ("kernels.c" if row in written else "measured", row))
    return 1 if written != measured else 0


if __name__ == "__main__":
    sys.exit(main())
