#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random cases of every operator (generators/): compares MXNet, running in a second process, with the conversion in ONNX Runtime.

    python tests/live/differential.py --oracle build/oracle/bin/python --count 100000 --log build/differential
    python tests/live/differential.py --oracle ... --ops Pooling,Reshape --count 500 --seed 7
    python tests/live/differential.py --oracle ... --case Pooling/7/12        one case, with all details
    python tests/live/differential.py --oracle build/oracle2/bin/python --mxnet2 --count 20000

Each case is converted at one opset, with fixed shapes and, where the case has them, with dynamic dims that are run at
two sizes, named and without names. A process that dies or hangs is a mismatch of the case under way. Printed at the end:
cases run, dropped because MXNet refuses them, refused by the converter or, at a size of 0, by ONNX Runtime (each reason
once, to be read by a person), and every mismatch. The exit status is 0 without mismatches. With --log a run that was stopped goes on where it was.
"""
import argparse
import collections
import json
import os
import pickle
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import coverage  # noqa: E402
import generators  # noqa: E402
import side  # noqa: E402

BLOCK = 10000  # cases for one start of each side


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
    sizes = " at %s" % c.other_sizes() if c.dynamic else ""
    return "%s opset %d %s(%s) %s dynamic %s%s%s%s" % (
        c.name, c.opsets[0], c.op, inputs, c.attrs, c.dynamic or None, sizes, " np_shape" * c.np_shape, " open" * c.open)


def outcome(c, result, refusal, answer):
    """What is kept of a case: a line of the log."""
    if result is None:
        return {"outcome": "refused by MXNet", "texts": [refusal]}
    kinds = {kind for kind, _ in answer}
    kept = {"outcome": next((KINDS[k] for k in KINDS if k in kinds), "agreed"),
            "reached": coverage.reached(c, result["symbol"])}
    if kinds:
        kept.update(case=describe(c), found=answer)
    return kept


KINDS = {"mismatch": "mismatch", "refused": "refused by the converter", "empty": "refused by ONNX Runtime at a size of 0"}


class Log:
    """{case: outcome} of what was run before, and a file for what is run now."""

    def __init__(self, path):
        self.done, self.path = {}, path
        if path and os.path.exists(path):
            with open(path) as f:
                for line in f:
                    if line.endswith("\n"):  # the last one may be cut
                        name, kept = json.loads(line)
                        self.done[tuple(name)] = kept

    def add(self, found):
        self.done.update(found)
        if self.path:
            with open(self.path, "a") as f:
                f.writelines(json.dumps([name, kept]) + "\n" for name, kept in found.items())


def run(args, names, log):
    left = [name for name in names if name not in log.done]
    for start in range(0, len(left), BLOCK):
        block = left[start:start + BLOCK]
        made = [generators.make(*name) for name in block]
        results = mxnet_results(args.oracle, block, made)
        answers = compared(args.library, block, results)
        found = {}
        for i, name in enumerate(block):
            result, refusal = results.get(i, (None, "the generator's dims contradict each other"))
            found[name] = outcome(made[i], result, refusal, answers.get(i))
            if args.case and result is not None:
                print(describe(made[i]), result["symbol"], sep="\n")
        log.add(found)
        count = collections.Counter(log.done[name]["outcome"] for name in names if name in log.done)
        print("%d of %d: %s" % (sum(count.values()), len(names), dict(count)), file=sys.stderr, flush=True)


def print_refused(found):
    for wanted in ("refused", "empty"):
        texts = {re.sub(r"[-0-9.]+", "#", text): "%s: %s" % (name[0], text) for name, kept in found.items()
                 for kind, text in kept.get("found", ()) if kind == wanted}
        print(KINDS[wanted] + ":", *sorted(t[:300] for t in texts.values()), sep="\n  ")
    tried = collections.Counter(name[0] for name in found)
    dropped = collections.Counter(name[0] for name, kept in found.items() if kept["outcome"] == "refused by MXNet")
    for op, n in sorted(dropped.items()):
        if n > tried[op] / 2:
            print("%s: MXNet refuses %.0f %% of what the generator makes" % (op, 100 * n / tried[op]))


def print_mismatches(found, show):
    mismatches = collections.defaultdict(list)
    for name, kept in found.items():
        if kept["outcome"] == "mismatch":
            mismatches[name[0]].append((kept["case"], [text for kind, text in kept["found"] if kind == "mismatch"]))
    print("mismatches:")
    for op, cases in sorted(mismatches.items()):
        print("  %s: %d" % (op, len(cases)))
        for what, texts in cases[:show]:
            print("    " + what)
            for t in texts:
                print("      " + t[:600].replace("\n", "\n      "))
    return len(mismatches)


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
    parser.add_argument("--log", help="file for what each case gave; cases that are in it are not run again")
    parser.add_argument("--coverage", action="store_true", help="also print what of each operator was reached")
    args = parser.parse_args()
    if args.case:
        op, seed, index = args.case.rsplit("/", 2)
        names = [(op, int(seed), int(index))]
    else:
        ops = args.ops.split(",") if args.ops else sorted(generators.MXNET2 if args.mxnet2 else generators.GENERATORS)
        names = [(ops[i % len(ops)], args.seed, i // len(ops)) for i in range(args.count)]
    log = Log(args.log)
    run(args, names, log)
    found = {name: log.done[name] for name in names}
    if args.case:
        print(*found[names[0]].get("texts", ()), *["%s: %s" % tuple(f) for f in found[names[0]].get("found", ())], sep="\n")
    if args.coverage:
        coverage.print_all(found)
    print_refused(found)
    bad = print_mismatches(found, args.show)
    count = collections.Counter(kept["outcome"] for kept in found.values())
    print("%d cases: %s" % (len(found), ", ".join("%s: %d" % x for x in sorted(count.items()))))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
