#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good the graphs of the zoo are: nodes and speed beside MXNet's exporter, nodes beside onnxsim.

    python tests/zoo/quality.py --oracle PY --exporter PY --simplifier PY            all nets
    python tests/zoo/quality.py --oracle PY --exporter PY --simplifier PY --family pose alexnet

A PY is the Python of an environment: with MXNet 1.9.1; with MXNet 1.9.1 and onnx 1.14; with onnxsim. Each net is
converted at its static size by us and by MXNet's exporter; both run in ONNX Runtime by turns, and `time` is the median of
ours over theirs. Graphs of the same operators and edges are measured once ("as"). The numbers go into the file of --results.
"""
import argparse
import collections
import os
import shutil
import statistics
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, "numeric")]

import numpy as np  # noqa: E402
import onnx  # noqa: E402

import child  # noqa: E402
import compare  # noqa: E402
import convert  # noqa: E402
import nets as zoo  # noqa: E402
import zoo as runner  # noqa: E402

TURNS, AT_LEAST = 7, 0.5  # runs of each graph; seconds, for small nets


def operators(path):
    return collections.Counter(n.op_type for n in onnx.load(path, load_external_data=False).graph.node)


def ratio(ours, theirs, arrays):
    """The median of ours over theirs, run by turns; of processor time, since others run beside."""
    sessions, found = [compare.session(p) for p in (ours, theirs)], []
    feeds = [{i.name: arrays[i.name] for i in s.get_inputs()} for s in sessions]
    for s, f in zip(sessions, feeds):
        s.run(None, f)
    start = time.process_time()
    while len(found) < TURNS or time.process_time() - start < AT_LEAST:
        times = []
        for s, f in zip(sessions, feeds):
            at = time.process_time()
            s.run(None, f)
            times.append(time.process_time() - at)
        found.append(times[0] / times[1])
    return statistics.median(found)


def measure(net, servers, args, folder):
    """{"ours", "exporter", "simplified": nodes; "time"}; what fails is a text."""
    told = servers["oracle"].ask(net=net.name, folder=folder, run=False, seconds=args.seconds)
    if "error" in told:
        raise RuntimeError("MXNet: " + told["error"])
    inputs = {n: (s, net.inputs[n].dtype) for n, s in net.shapes().items()}
    ours, theirs = os.path.join(folder, "ours.onnx"), os.path.join(folder, "exporter.onnx")
    tool = convert.Tool(args.tool, net.options, told["packed"] and os.path.join(folder, told["packed"]))
    tool(os.path.join(folder, "net-symbol.json"), os.path.join(folder, "net-0000.params"), inputs, {}, 17, ours)
    mine = operators(ours)
    found = {"ours": sum(mine.values())}
    simple = servers["simplifier"].ask(model=ours, seconds=args.seconds)
    found["simplified"] = "fails" if "error" in simple else sum(simple["nodes"].values())
    if "error" not in simple:
        report(net.name, "onnxsim", mine, simple["nodes"])
    other = servers["exporter"].ask(folder=folder, inputs=inputs, seconds=args.seconds)
    if "error" in other:
        found["exporter"] = "fails"
        print("    exporter: " + other["error"])
        return found
    found["exporter"] = sum(operators(theirs).values())
    report(net.name, "exporter", mine, operators(theirs))
    rng = np.random.RandomState(0)
    arrays = {n: i.array(rng, i.shape) for n, i in net.inputs.items()}
    try:
        found["time"] = float("%.3g" % ratio(ours, theirs, arrays))
    except Exception as e:  # a graph of the exporter that no runtime takes
        print("    exporter's graph: %s" % str(e)[:200])
        found["time"] = "fails"
    return found


def report(name, other, mine, theirs):
    """Which operators we have more of, where we have more nodes."""
    if sum(mine.values()) > sum(theirs.values()):
        print("    %s leaves fewer: we have more of %s, fewer of %s" % (
            other, dict(mine - collections.Counter(theirs)), dict(collections.Counter(theirs) - mine)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net", nargs="*", help="names or patterns (default: all)")
    parser.add_argument("--family", action="append", default=[], help="may be repeated")
    for name in ("oracle", "exporter", "simplifier"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--tool", help="the command line mx2onnx (default: MX2ONNX_TOOL, else build/examples/)")
    parser.add_argument("--seconds", type=int, default=900, help="for each step")
    parser.add_argument("--skip-measured", action="store_true", help="leave out what has numbers in the results")
    parser.add_argument("--results", default=os.path.join(HERE, "results.json"))
    args = parser.parse_args()
    args.tool = runner.tool(args)
    servers = {n: child.Server(getattr(args, n), n + ".py") for n in ("oracle", "exporter", "simplifier")}
    seen = {}
    for net in runner.choose(zoo.load(), args):
        before = runner.read(args.results).get(net.name, {})
        if args.skip_measured and "quality" in before:
            seen.setdefault(before["quality"].get("graph"), net.name)
            continue
        graph = servers["oracle"].ask(net=net.name, seconds=args.seconds).get("graph")
        folder = tempfile.mkdtemp()
        try:
            found = {"as": seen[graph]} if graph in seen else measure(net, servers, args, folder)
        except Exception as e:
            print("%s: %s" % (net.name, e), flush=True)
            continue
        finally:
            shutil.rmtree(folder)
        if "as" not in found:
            seen[graph] = net.name
            found["graph"] = graph
        print("%-45s %s" % (net.name, {k: v for k, v in found.items() if k != "graph"}), flush=True)
        runner.merge(args.results, {net.name: dict(before, quality=found)})


if __name__ == "__main__":
    sys.exit(main())
