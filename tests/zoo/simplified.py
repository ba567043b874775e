#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What onnxsim and onnxslim still find to remove from the library's graphs.

    python tests/zoo/simplified.py --oracle PY --simplifier PY                    all nets of MXNet 1.9.1, small ones first: hours
    python tests/zoo/simplified.py --oracle PY --simplifier PY resnest50 'ssd*'   these
    python tests/zoo/simplified.py --oracle PY --simplifier PY --minutes 20       what can be done in this time

--oracle is the Python of the environment with MXNet, --simplifier that of one with both tools (simplifier-requirements.txt). A
net is converted at its static size and opset 17. A find is a tool's graph with fewer nodes; each must be in EXPLAINED, or the exit status
is 1. simplified.json keeps what was found, and nets that are in it with the same graph are not asked again.
"""
import argparse
import collections
import fnmatch
import json
import os
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, "numeric")]

import child  # noqa: E402
import nets as zoo  # noqa: E402
import quality  # noqa: E402
import zoo as runner  # noqa: E402

TOOLS = ("onnxsim", "onnxslim")

# (tool, nets, operators that the tool removes, why they stay)
EXPLAINED = [
    ("onnxsim", ("arcface*", "mobilefacenet*", "2d106det*", "gender_age*", "scrfd*", "retinaface*"), {"Mul"},
     "programs find out from the number that multiplies images whether they must normalise them (lib/onnx/pass/scale.c)"),
    *((tool, ("*_lstm_lm_*", "word_language_model", "*bert*", "ernie_*"), {"Add", "MatMul", "Squeeze", "Transpose"},
       "a product and a sum of known sizes become Reshape, Gemm and Reshape, as ONNX Runtime writes them when it loads a file") for tool in TOOLS),
    *((tool, ("deepar_sampling", "gluonts_deepar", "gluonts_feed_forward", "gluonts_transformer"),
       {"Add", "Log", "MatMul", "Mul", "RandomNormal", "RandomUniform", "Softmax", "Unsqueeze"},
       "two draws of random numbers that look the same are taken for one, but must be independent") for tool in TOOLS),
    *((tool, ("gluonts_n_beats_interpretable", "sockeye_transformer*"), {"Add", "Concat", "Cos", "MatMul", "Sin", "Unsqueeze"},
       "the last bit of a sine differs between systems, a file does not: those of constants are computed when the model runs") for tool in TOOLS),
    *((tool, ("keras_lstm",), {"Add"}, "a state of zeros times a weight: the library does not read weights to know that none is infinite")
      for tool in TOOLS),
    ("onnxsim", ("gluonts_feed_forward_distribution",), {"Add", "Identity", "MatMul"},
     "an output that is a constant has a node; a product and a sum become Reshape and Gemm"),
    ("onnxsim", ("gpt2_*",), {"Add", "MatMul", "Reshape", "Transpose", "Gemm"},
     "products of queries, keys and values are joined into one that is split, which is slower"),
]


def reason(tool, net, fewer):
    """Why these nodes stay, or None."""
    return next((why for t, nets, ops, why in EXPLAINED
                 if t == tool and any(fnmatch.fnmatch(net, n) for n in nets) and set(fewer) <= ops), None)


def found(mine, theirs):
    """{"fewer", "more"} of the tool's operators, or {} if it has as many nodes as the library."""
    mine, theirs = collections.Counter(mine), collections.Counter(theirs)
    return {} if sum(theirs.values()) >= sum(mine.values()) else {
        "fewer": dict(sorted((mine - theirs).items())), "more": dict(sorted((theirs - mine).items()))}


def look(net, servers, args, folder, before):
    """What is kept of a net: the nodes, and what each tool finds."""
    path = quality.convert_net(net, servers, args, folder, "never")
    mine, digest = quality.operators(path), quality.digest(path)
    if before.get("digest") == digest:
        return before
    kept = {"nodes": sum(mine.values()), "digest": digest}
    for tool in TOOLS:
        told = servers["simplifier"].ask(model=path, tool=tool, seconds=args.seconds)
        kept[tool] = {"fails": quality.reason(told["error"])} if "error" in told else found(mine, told["nodes"])
    return kept


def unexplained(net, kept):
    for tool in TOOLS:
        fewer = kept[tool].get("fewer")
        if fewer and not reason(tool, net, fewer):
            yield "%s: %s has fewer of %s, more of %s" % (net, tool, fewer, kept[tool]["more"])


def summary(results):
    for tool in TOOLS:
        finds = {n: k for n, k in results.items() if "fewer" in k[tool]}
        fails = sum("fails" in k[tool] for k in results.values())
        print("%s: %d nets, finds in %d, fails at %d" % (tool, len(results), len(finds), fails))
    lines = [line for net, kept in sorted(results.items()) for line in unexplained(net, kept)]
    print(*["not explained:"] * bool(lines), *lines, sep="\n  ")
    return 1 if lines else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net", nargs="*", help="names or patterns (default: all)")
    parser.add_argument("--family", action="append", default=[], help="may be repeated")
    parser.add_argument("--oracle")
    parser.add_argument("--simplifier")
    parser.add_argument("--check", action="store_true", help="is each find in simplified.json explained?")
    parser.add_argument("--tool", help="the command line mx2onnx (default: MX2ONNX_TOOL, else build/examples/)")
    parser.add_argument("--seconds", type=int, default=600, help="for each step")
    parser.add_argument("--minutes", type=float, default=1e9, help="after which no net is begun")
    parser.add_argument("--results", default=os.path.join(HERE, "simplified.json"))
    args = parser.parse_args()
    results = runner.read(args.results)
    if args.check:
        return summary(results)
    args.tool = runner.tool(args)
    servers = {n: child.Server(getattr(args, n), n + ".py") for n in ("oracle", "simplifier")}
    sizes = {n: r.get("quality", {}) for n, r in runner.read(os.path.join(HERE, "results.json")).items()}
    chosen = [n for n in runner.choose(zoo.load(), args) if n.mxnet == "1.9.1" and "as" not in sizes.get(n.name, {})]
    chosen.sort(key=lambda n: sizes.get(n.name, {}).get("ours", 1000))
    start = time.time()
    for net in chosen:
        if time.time() - start > 60 * args.minutes:
            break
        folder = tempfile.mkdtemp()
        try:
            results[net.name] = look(net, servers, args, folder, results.get(net.name, {}))
        except Exception as e:
            print("%s: %s" % (net.name, e), flush=True)
            continue
        finally:
            shutil.rmtree(folder)
        print(net.name, json.dumps(results[net.name]), flush=True)
        runner.merge(args.results, {net.name: results[net.name]})
    return summary(results)


if __name__ == "__main__":
    sys.exit(main())
