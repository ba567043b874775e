#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random cases of every operator (generators.py): MXNet 1.9.1 running beside against the conversion in ONNX Runtime.

    python tests/live/differential.py --oracle build/oracle/bin/python --count 20000
    python tests/live/differential.py --oracle ... --ops Pooling,Reshape --count 500 --seed 7
    python tests/live/differential.py --oracle ... --case Pooling/7/12        one case, with all details

Each case is converted at one opset, with fixed shapes and, where the case has them, with dynamic dims that are run at
two sizes. Printed at the end: cases run, dropped because MXNet refuses them, refused by the converter (each reason once,
to be read by a person), and every mismatch. The exit status is 0 without mismatches.
"""
import argparse
import collections
import os
import pickle
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "numeric"))
sys.path.insert(0, HERE)

import numpy as np  # noqa: E402

import compare  # noqa: E402
import convert  # noqa: E402
import generators  # noqa: E402
import ndarray_list  # noqa: E402

BLOCK = 500  # cases for one start of MXNet
# ONNX Runtime has float32 kernels alone for many operators, and attributes are float32: there float64 is that exact
compare.TOLERANCE["float64"] = 1e-6
REFUSALS = (-6, -7)  # UNSUPPORTED; SHAPE: a size of 0, a dim that must be fixed


def mxnet_results(oracle, names, numbers, native):
    """{number: (result, refusal)} for these of the names; a crash of MXNet is the refusal of the case that was under
    way."""
    done = {}
    env = dict(os.environ, MXNET_MKLDNN_ENABLED="0") if native else None
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        while len(done) < len(numbers):
            left = [i for i in numbers if i not in done]
            text = "".join("%d %s %d %d\n" % ((i,) + names[i]) for i in left)
            p = subprocess.run([oracle, os.path.join(HERE, "mxnet_side.py"), out], input=text, text=True, env=env,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            before = len(done)
            if os.path.exists(out):
                with open(out, "rb") as f:
                    while f.peek(1):
                        number, result, refusal = pickle.load(f)
                        done[number] = (result, refusal)
                os.unlink(out)
            if p.returncode != 0:
                if p.returncode > 0 and len(done) == before:
                    sys.exit(p.stderr)
                first = next((i for i in left if i not in done), None)
                if first is not None:
                    done[first] = (None, "MXNet ended with status %d" % p.returncode)
    return done


def export(converter, c, symbol, folder, dynamic):
    files = [os.path.join(folder, f) for f in ("case-symbol.json", "case.params", "case.onnx")]
    with open(files[0], "w") as f:
        f.write(symbol)
    arrays = c.arrays()
    stored = {("aux:" if c.inputs[n].role == "aux" else "arg:") + n: a for n, a in arrays.items()
              if c.inputs[n].role != "data"}
    if stored:
        ndarray_list.save(files[1], stored)
    signature = {n: (a.shape, np.dtype(a.dtype).name) for n, a in c.inputs.items() if a.role == "data"}
    converter(files[0], files[1] if stored else None, signature, c.dynamic if dynamic else {}, c.opsets[0], files[2])
    compare.check(files[2], c.opsets[0])
    s = compare.session(files[2])
    compare.check_signature(s, signature, c.dynamic if dynamic else {})
    return s


def try_case(converter, c, result, folder):
    """What went wrong: [(kind, text)] with kind "refused" or "mismatch"."""
    found = []
    for dynamic in [False, True] if c.dynamic else [False]:
        way = "dynamic" if dynamic else "fixed"
        try:
            s = export(converter, c, result["symbol"], folder, dynamic)
            for run, sizes in enumerate(c.runs() if dynamic else c.runs()[:1]):
                compare.agree(compare.run(s, c.arrays(run), sizes), result["runs"][run], c.rtol, c.atol)
        except convert.ConversionError as e:
            found.append(("refused" if e.status in REFUSALS else "mismatch", "%s: %s" % (way, e)))
        except Exception as e:  # a mismatch is counted and the run goes on
            found.append(("mismatch", "%s: %s: %s" % (way, type(e).__name__, e)))
    return found


def describe(c):
    inputs = ", ".join("%s %s%s" % (a.role, a.dtype, list(a.shape)) for a in c.inputs.values())
    return "%s opset %d %s(%s) %s dynamic %s" % (c.name, c.opsets[0], c.op, inputs, c.attrs, c.dynamic or None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", required=True, help="the Python of the oracle environment (tests/oracle/setup.sh)")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ops", help="names in generators.py, separated by commas (default: all)")
    parser.add_argument("--case", help="OPERATOR/SEED/INDEX: this case alone")
    parser.add_argument("--library", help="libmx2onnx.so (default: MX2ONNX_LIBRARY, else build/)")
    parser.add_argument("--show", type=int, default=3, help="mismatches to show for each operator")
    args = parser.parse_args()
    converter = convert.route("capi", args.library)
    if args.case:
        op, seed, index = args.case.rsplit("/", 2)
        names = [(op, int(seed), int(index))]
    else:
        ops = args.ops.split(",") if args.ops else sorted(generators.GENERATORS)
        names = [(ops[i % len(ops)], args.seed, i // len(ops)) for i in range(args.count)]
    count = collections.Counter()
    refused, mismatches, dropped = {}, collections.defaultdict(list), collections.Counter()
    for start in range(0, len(names), BLOCK):
        block = names[start:start + BLOCK]
        made = [generators.make(*name) for name in block]
        results = {}
        for native in (False, True):
            results.update(mxnet_results(args.oracle, block, [i for i, c in enumerate(made)
                                                              if c is not None and c.native == native], native))
        for i, name in enumerate(block):
            c, (result, refusal) = made[i], results.get(i, (None, "the generator's dims contradict each other"))
            if result is None:
                count["refused by MXNet"] += 1
                dropped[name[0]] += 1
                if args.case:
                    print(refusal)
                continue
            count["run"] += 1
            with tempfile.TemporaryDirectory() as folder:
                found = try_case(converter, c, result, folder)
            if args.case:
                print(describe(c), result["symbol"], *[("%s: %s" % x)[:4000] for x in found], sep="\n")
            for kind, text in found:
                if kind == "refused":
                    refused.setdefault(re.sub(r"[-0-9.]+", "#", text), text)
            kinds = {kind for kind, _ in found}
            count["mismatch" if "mismatch" in kinds else "refused by the converter" if kinds else "agreed"] += 1
            if "mismatch" in kinds:
                mismatches[name[0]].append((describe(c), [t for k, t in found if k == "mismatch"]))
        print("%d of %d: %s" % (start + len(block), len(names), dict(count)), file=sys.stderr, flush=True)
    print("refused by the converter:")
    for text in sorted(refused.values()):
        print("  " + text)
    for op, ratio in sorted((o, n / sum(x[0] == o for x in names)) for o, n in dropped.items()):
        if ratio > 0.5:
            print("%s: MXNet refuses %.0f %% of what the generator makes" % (op, 100 * ratio))
    print("mismatches:")
    for op, found in sorted(mismatches.items()):
        print("  %s: %d" % (op, len(found)))
        for what, texts in found[:args.show]:
            print("    " + what)
            for t in texts:
                print("      " + t[:600].replace("\n", "\n      "))
    print(", ".join("%s: %d" % (k, v) for k, v in sorted(count.items())))
    return 1 if mismatches else 0


if __name__ == "__main__":
    sys.exit(main())
