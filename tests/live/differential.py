#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random cases of every operator (generators/): MXNet running beside against the conversion in ONNX Runtime.

    python tests/live/differential.py --oracle build/oracle/bin/python --count 20000
    python tests/live/differential.py --oracle ... --ops Pooling,Reshape --count 500 --seed 7
    python tests/live/differential.py --oracle ... --case Pooling/7/12        one case, with all details
    python tests/live/differential.py --oracle build/oracle2/bin/python --mxnet2 --count 20000

Each case is converted at one opset, with fixed shapes and, where the case has them, with dynamic dims that are run at
two sizes. Printed at the end: cases run, dropped because MXNet refuses them, refused by the converter (each reason once,
to be read by a person), and every mismatch. The exit status is 0 without mismatches.
"""
import argparse
import collections
import os
import pickle
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import generators  # noqa: E402
import side  # noqa: E402

BLOCK = 500  # cases for one start of each side


def mxnet_results(oracle, block, made):
    """{number: (result, refusal)} of the cases that the dice gave."""
    results = {}
    for native in (False, True):
        results.update(side.run([oracle, os.path.join(HERE, "mxnet_side.py")],
                                {i: block[i] for i, c in enumerate(made) if c is not None and c.native == native},
                                dict(os.environ, MXNET_MKLDNN_ENABLED="0", MXNET_ONEDNN_ENABLED="0") if native else None))
    return results


def compared(library, block, results):
    """{number: [(kind, text)]} of the cases that MXNet took."""
    took = {i: result for i, (result, _) in results.items() if result is not None}
    with tempfile.NamedTemporaryFile() as f:
        pickle.dump({block[i]: result for i, result in took.items()}, f)
        f.flush()
        found = side.run([sys.executable, os.path.join(HERE, "onnx_side.py"), library or "", f.name],
                         {i: block[i] for i in took})
    return {i: [("mismatch", why)] if answer is None else answer for i, (answer, why) in found.items()}


def describe(c):
    inputs = ", ".join("%s %s%s" % (a.role, a.dtype, list(a.shape)) for a in c.inputs.values())
    return "%s opset %d %s(%s) %s dynamic %s" % (c.name, c.opsets[0], c.op, inputs, c.attrs, c.dynamic or None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", required=True, help="the Python of the oracle environment (tests/oracle/setup.sh)")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ops", help="names in generators/, separated by commas (default: all)")
    parser.add_argument("--case", help="OPERATOR/SEED/INDEX: this case alone")
    parser.add_argument("--mxnet2", action="store_true", help="the oracle is MXNet 2.0.0b1: what it has alone or has changed")
    parser.add_argument("--library", help="libmx2onnx.so (default: MX2ONNX_LIBRARY, else build/)")
    parser.add_argument("--show", type=int, default=3, help="mismatches to show for each operator")
    args = parser.parse_args()
    if args.case:
        op, seed, index = args.case.rsplit("/", 2)
        names = [(op, int(seed), int(index))]
    else:
        ops = args.ops.split(",") if args.ops else sorted(generators.MXNET2 if args.mxnet2 else generators.GENERATORS)
        names = [(ops[i % len(ops)], args.seed, i // len(ops)) for i in range(args.count)]
    count = collections.Counter()
    refused, mismatches, dropped = {}, collections.defaultdict(list), collections.Counter()
    for start in range(0, len(names), BLOCK):
        block = names[start:start + BLOCK]
        made = [generators.make(*name) for name in block]
        results = mxnet_results(args.oracle, block, made)
        answers = compared(args.library, block, results)
        for i, name in enumerate(block):
            c, (result, refusal) = made[i], results.get(i, (None, "the generator's dims contradict each other"))
            if result is None:
                count["refused by MXNet"] += 1
                dropped[name[0]] += 1
                if args.case:
                    print(refusal)
                continue
            count["run"] += 1
            found = answers[i]
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
