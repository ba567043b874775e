#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good the graphs of the zoo are: nodes and speed compared with MXNet's exporter, nodes compared with onnxsim.

    python tests/zoo/quality.py --oracle PY --exporter PY --simplifier PY            all nets
    python tests/zoo/quality.py --oracle PY --exporter PY --simplifier PY --family pose alexnet

A PY is the Python of an environment: with MXNet 1.9.1; with MXNet 1.9.1 and onnx 1.12; with onnxsim. Each net is
converted at its static size by us and by MXNet's exporter; both run in ONNX Runtime by turns, and `time` is the median of
ours over theirs. Nets of the same operators, attributes, edges and sizes are measured once ("as"), and again when our graph is another
("digest").
The numbers go into the file of --results.
"""
import argparse
import collections
import json
import os
import re
import shutil
import statistics
import sys
import tempfile
import time
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, "numeric")]

import numpy as np  # noqa: E402
import onnx  # noqa: E402

import child  # noqa: E402
import compare  # noqa: E402
import convert  # noqa: E402
import nets as zoo  # noqa: E402
import sets  # noqa: E402
import zoo as runner  # noqa: E402

TURNS, AT_LEAST, AT_MOST = 7, 0.5, 15  # runs of each graph; seconds, for small nets; seconds, for large ones
SLOWER = 4  # times as many, before ours is said to be slower
SAME = 1e-2  # up to which the exporter's graph computes what ours does


def nodes(path):
    return onnx.load(path, load_external_data=False).graph.node


def operators(path):
    return collections.Counter(n.op_type for n in nodes(path))


def digest(path):
    """Of operators and edges: values are numbered as they appear."""
    number = collections.defaultdict(lambda: len(number))
    return zlib.crc32(json.dumps([[n.op_type, [number[v] for v in n.input], [number[v] for v in n.output]]
                                  for n in nodes(path)]).encode())


class Graph:
    """A graph in ONNX Runtime, in one thread, with its inputs, and its outputs of a first run."""

    def __init__(self, path, arrays):
        self.session = compare.session(path)
        self.feed = {i.name: arrays[i.name] for i in self.session.get_inputs()}
        self.outputs = self.session.run(None, self.feed)

    def time(self):
        """Processor time, since other processes run at the same time."""
        start = time.process_time()
        self.session.run(None, self.feed)
        return time.process_time() - start


def ratio(ours, theirs, more=1):
    """The median of ours over theirs, run by turns."""
    found, start = [], time.process_time()
    while len(found) < more * TURNS or time.process_time() - start < more * AT_LEAST:
        found.append(ours.time() / theirs.time())
        if time.process_time() - start > AT_MOST and len(found) >= 3:
            break
    return statistics.median(found)


def apart(ours, theirs):
    """How far the exporter's outputs are from ours; it may have them in another order."""
    return max(min([distance(t, o) for t in theirs if t.shape == o.shape] + [float("inf")]) for o in ours)


def distance(got, want):
    try:
        return sets.elements([got.astype(want.dtype)], [want])
    except AssertionError:
        return float("inf")


def reason(text):
    """An error, short and without what differs from run to run or from net to net."""
    text = re.sub(r"^.*\[ONNXRuntimeError\] : \d+ : \w+ : |^RuntimeError: |\[\d\d:\d\d:\d\d\] \S+ ?|/\S*/", "", text.split("\n")[0])
    return " ".join(re.sub(r"'?\bName:'\S*'|graph.cc:\d+ | between \d+ and \d+.*", "", text).split())[:140]


def convert_net(net, servers, args, folder, run):
    """The path of the library's graph, in a folder with net-symbol.json and net-0000.params."""
    told = servers["oracle"].ask(net=net.name, folder=folder, run=run, seconds=args.seconds)
    if "error" in told:
        raise RuntimeError("MXNet: " + told["error"])
    ours = os.path.join(folder, "ours.onnx")
    convert.Tool(args.tool, net.options)(os.path.join(folder, "net-symbol.json"), os.path.join(folder, "net-0000.params"),
                                         inputs_of(net), {}, 17, ours)
    return ours


def inputs_of(net):
    return {n: (s, net.inputs[n].dtype) for n, s in net.shapes().items()}


def measure(net, servers, args, folder, before):
    """{"ours", "exporter", "simplified": nodes; "time"; "digest" of this library's graph}; what fails is "fails" and has a "why"
    ("why_simplified"). None if our graph is what it was before."""
    if "digest" in before and not args.again \
            and digest(convert_net(net, servers, args, folder, "never")) == before["digest"]:
        return None
    ours, theirs = convert_net(net, servers, args, folder, False), os.path.join(folder, "exporter.onnx")
    mine = operators(ours)
    found = {"ours": sum(mine.values()), "digest": digest(ours)}
    simple = servers["simplifier"].ask(model=ours, seconds=args.seconds)
    if "error" not in simple and any(simple["nodes"].get(k, 0) < n for k, n in mine.items() if k.startswith("Random")):
        simple = {"error": "draws once what is drawn more than once"}
    if "error" in simple:
        found.update(simplified="fails", why_simplified="onnxsim: " + reason(simple["error"]))
    else:
        found["simplified"] = sum(simple["nodes"].values())
        report("onnxsim", mine, simple["nodes"])
    theirs_before = {k: before[k] for k in ("exporter", "time", "why") if k in before}
    if theirs_before and not isinstance(before.get("time"), float) and not args.again:
        return dict(found, **theirs_before)  # what failed, fails
    other = servers["exporter"].ask(folder=folder, inputs=inputs_of(net), labels=net.label_shapes(), seconds=args.seconds)
    if "error" in other:
        return dict(found, exporter="fails", why="exporter: " + reason(other["error"]))
    found["exporter"] = sum(operators(theirs).values())
    report("exporter", mine, operators(theirs))
    return dict(found, **compared(net, (ours, theirs)))


def compared(net, paths):
    """{"time"}, and "why" where there is something to say about the exporter's graph."""
    rng = np.random.RandomState(0)
    arrays = {n: i.array(rng, i.shape) for n, i in net.inputs.items()}
    mine = Graph(paths[0], arrays)
    try:
        other = Graph(paths[1], arrays)
    except Exception as e:
        return {"time": "fails", "why": "the exporter's graph does not run: " + reason(str(e))}
    found = ratio(mine, other)
    if found > 1:
        found = ratio(mine, other, SLOWER)
    told = {"time": float("%.3g" % found)}
    if net.compare == "elements" and apart(mine.outputs, other.outputs) > SAME:
        told["why"] = "the exporter's graph does not compute what MXNet does"
    return told


def report(other, mine, theirs):
    """Prints which operators there are more of, where this library writes more nodes."""
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
    parser.add_argument("--again", action="store_true", help="what was measured and is as it was, too")
    parser.add_argument("--results", default=os.path.join(HERE, "results.json"))
    args = parser.parse_args()
    args.tool = runner.tool(args)
    servers = {n: child.Server(getattr(args, n), n + ".py") for n in ("oracle", "exporter", "simplifier")}
    before = runner.read(args.results)
    chosen = runner.choose(zoo.load(), args)
    chosen.sort(key=lambda net: "quality" in before.get(net.name, {}))  # what has no numbers at all comes first
    for net in chosen:
        start, folder = time.time(), tempfile.mkdtemp()
        try:
            found = quality(net, servers, args, folder)
        except Exception as e:
            print("%s: %s" % (net.name, e), flush=True)
            continue
        finally:
            shutil.rmtree(folder)
        text = "as it was" if found is None else {k: v for k, v in found.items() if k not in ("graph", "digest")}
        print("%-45s %3.0f s %s" % (net.name, time.time() - start, text), flush=True)
        if found:
            runner.merge(args.results, {net.name: dict(runner.read(args.results).get(net.name, {}), quality=found)})


def quality(net, servers, args, folder):
    """The entry of a net in the results, or None if nothing is new."""
    results = {n: r["quality"] for n, r in runner.read(args.results).items() if "quality" in r}
    told = servers["oracle"].ask(net=net.name, seconds=args.seconds)
    if "error" in told:
        raise RuntimeError("MXNet: " + told["error"])
    same = [n for n, q in results.items() if q.get("graph") == told["graph"] and n != net.name]
    if same:
        return {"as": same[0]}
    found = measure(net, servers, args, folder, results.get(net.name, {}))
    return found and dict(found, graph=told["graph"])


if __name__ == "__main__":
    sys.exit(main())
