#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the nets of the zoo with MXNet, converts them and compares what ONNX Runtime computes.

    python tests/zoo/zoo.py --oracle build/oracle/bin/python                            all nets
    python tests/zoo/zoo.py --oracle build/oracle/bin/python --family pose yolo3_darknet53_voc
    python tests/zoo/zoo.py --oracle build/oracle/bin/python --routes capi,python,cli --opsets 12,13,17,21,26,28 lenet
    python tests/zoo/zoo.py --oracle2 build/oracle2/bin/python --family "gluon 2"
    python tests/zoo/zoo.py --list

Each net is converted at its static size and with its dynamic dims; the file passes the checker, and runs at the static
size and at the net's three other ones. With several routes each must write the same file (what is packed or needs options
goes by the command line alone). A line is printed for each net, its result goes into the file of --results, the tables are
made of that file (table.py). The exit status is 0 if all nets agree.
"""
import argparse
import concurrent.futures
import filecmp
import fnmatch
import json
import os
import queue
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, "numeric")]

import numpy as np  # noqa: E402

import child  # noqa: E402
import compare  # noqa: E402
import convert  # noqa: E402
import nets as zoo  # noqa: E402
import sets  # noqa: E402

CHECKED_ONLY = 28  # no runtime takes this opset yet


def one(net, routes, folder, opset, dynamic):
    """Converts and runs; returns (nodes, greatest relative differences)."""
    names, first = net.dynamic if dynamic else {}, None
    inputs = {n: (shape, net.inputs[n].dtype) for n, shape in net.shapes().items()}
    for name, route in routes.items():
        out = os.path.join(folder, name + ".onnx")
        route(os.path.join(folder, "net-symbol.json"), os.path.join(folder, "net-0000.params"), inputs, names, opset, out)
        assert first is None or filecmp.cmp(first, out, shallow=False), "%s wrote another file" % name
        first = first or out
    try:
        nodes, found = len(compare.check(first, opset).graph.node), []
        if opset == CHECKED_ONLY:
            return nodes, found
        s = compare.session(first)
        compare.check_signature(s, inputs, names)
        with np.load(os.path.join(folder, "run.npz")) as runs:
            for k, sizes in list(enumerate([None] + net.sizes))[1 if dynamic else 0:None if dynamic else 1]:
                fed = {n: runs["i%d/%s" % (k, n)] for n in net.inputs}
                want = [runs["o%d/%d" % (k, i)] for i in range(sum(f.startswith("o%d/" % k) for f in runs.files))]
                found.append(sets.difference(net, compare.run(s, fed, sizes), want))
        return nodes, found
    finally:
        for name in routes:
            if os.path.exists(os.path.join(folder, name + ".onnx")):
                os.unlink(os.path.join(folder, name + ".onnx"))


def attempt(net, routes, folder, opset, dynamic):
    """The result of one conversion: {"green", "nodes", "difference", "error"}."""
    result = {"green": False}
    if dynamic:
        result["dims"] = sorted({d for names in net.dynamic.values() for d in names.values()})
    try:
        result["nodes"], found = one(net, routes, folder, opset, dynamic)
        result["difference"] = float("%.2g" % max(found)) if found else None
        result["green"] = not found or max(found) <= net.bound
    except Exception as e:  # a net that fails is a result; the others are still of interest
        text = str(e) if isinstance(e, (AssertionError, convert.ConversionError)) else "%s: %s" % (type(e).__name__, e)
        result["error"] = text.replace(folder + os.sep, "")[:500]
    return result


def entry(net):
    return {"family": net.family, "matrix": net.matrix, **({"bound": net.bound, "reason": net.reason} if net.reason else {})}


def try_net(net, oracles, args):
    folder, result, start = tempfile.mkdtemp(), entry(net), time.time()
    try:
        oracle = oracles[net.mxnet].get()
        answer = oracle.ask(net=net.name, folder=folder, seconds=args.seconds)
        oracles[net.mxnet].put(oracle)
        if "error" in answer:
            raise RuntimeError("MXNet: " + answer["error"])
        result["mxnet"] = {"nodes": answer["nodes"]}
        routes = {n: convert.Tool(args.tool, net.options, answer["packed"] and os.path.join(folder, answer["packed"]))
                  if n == "cli" else convert.route(n, args.library)
                  for n in (["cli"] if answer["packed"] or net.options else args.routes)}
        for opset in args.opsets:
            for dynamic in (False, True) if net.dynamic else (False,):
                key = "dynamic" if dynamic else "static"
                r = attempt(net, routes, folder, opset, dynamic)
                if key not in result or not r["green"]:  # of several opsets the first that fails, else the first
                    if key not in result or result[key]["green"]:
                        result[key] = dict(r, **({} if r["green"] else {"opset": opset}))
    except Exception as e:
        result["static"] = {"green": False, "error": str(e)[:500]}
    finally:
        shutil.rmtree(folder)
    return result, time.time() - start


def line(name, result, seconds):
    parts = ["%-45s %4.0f s" % (name, seconds)]
    for key in ("static", "dynamic"):
        r = result.get(key)
        if r:
            parts.append("%s %s%s" % (key, "green" if r["green"] else "FAILS",
                                      " %.0e" % r["difference"] if r.get("difference") is not None else ""))
    parts.append("nodes %s -> %s" % (result.get("mxnet", {}).get("nodes"), result["static"].get("nodes")))
    errors = [r["error"] for r in (result.get("static"), result.get("dynamic")) if r and r.get("error")]
    return "\n    ".join(["  ".join(parts)] + errors)


def green(result):
    return result["static"]["green"] and result.get("dynamic", {"green": True})["green"]


def read(path):
    if not os.path.exists(path):
        return {}
    with open(path) as f:
        return json.load(f)


def merge(path, found):
    """Results of earlier runs stay; quality.py's part of a net too."""
    results = read(path)
    for name, r in found.items():
        if "quality" in results.get(name, {}) and "quality" not in r:
            r["quality"] = results[name]["quality"]
        results[name] = r
    with open(path + ".new", "w") as f:
        json.dump(dict(sorted(results.items())), f, indent=1)
        f.write("\n")
    os.replace(path + ".new", path)


def tool(args):
    return args.tool or os.environ.get("MX2ONNX_TOOL") or os.path.join(convert.ROOT, "build", "examples", "mx2onnx")


def choose(known, args):
    """The nets that are asked for by name (with * and ?) or by family."""
    if not args.net and not args.family:
        return list(known.values())
    for pattern in args.net:
        if not fnmatch.filter(known, pattern):
            sys.exit("no net is called " + pattern)
    return [n for n in known.values() if n.family in args.family
            or any(fnmatch.fnmatchcase(n.name, p) for p in args.net)]


def each(chosen, pythons, args, attempt):
    """(name, attempt(net, oracles, args)) of each net, as they end; oracles are those of the net's MXNet, as many as there are jobs."""
    oracles = {version: queue.Queue() for version in {n.mxnet for n in chosen}}
    for version, servers in oracles.items():
        for _ in range(args.jobs):
            servers.put(child.Server(pythons[version], "oracle.py"))
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        tasks = {pool.submit(attempt, n, oracles, args): n for n in chosen}
        for task in concurrent.futures.as_completed(tasks):
            yield tasks[task].name, task.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net", nargs="*", help="names or patterns (default: all)")
    parser.add_argument("--family", action="append", default=[], help="may be repeated")
    parser.add_argument("--list", action="store_true", help="print the names")
    parser.add_argument("--skip-green", action="store_true", help="leave out what is green in the results")
    parser.add_argument("--oracle", help="the Python where MXNet is (tests/oracle/setup.sh)")
    parser.add_argument("--oracle2", help="the Python where MXNet 2 is (tests/oracle/setup.sh --mxnet2)")
    parser.add_argument("--library", help="libmx2onnx.so (default: MX2ONNX_LIBRARY, else build/)")
    parser.add_argument("--tool", help="the command line mx2onnx (default: MX2ONNX_TOOL, else build/examples/)")
    parser.add_argument("--routes", default="cli", type=lambda t: t.split(","), help="of capi, python, cli")
    parser.add_argument("--opsets", default="17", type=lambda t: [int(o) for o in t.split(",")])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=900, help="for a net in MXNet (default: 900)")
    parser.add_argument("--results", default=os.path.join(HERE, "results.json"))
    args = parser.parse_args()
    chosen = choose(zoo.load(), args)
    if args.list:
        print("\n".join("%-45s %s" % (n.name, n.family) for n in chosen))
        return 0
    pythons = {"1.9.1": args.oracle, "2.0.0b1": args.oracle2}
    wanted = {n.mxnet for n in chosen}
    for mxnet_version in sorted(wanted):
        if not pythons[mxnet_version]:
            parser.error("%s is wanted for nets of MXNet %s" % ("--oracle" if mxnet_version == "1.9.1" else "--oracle2", mxnet_version))
    args.tool = tool(args)
    if args.skip_green:
        before = read(args.results)
        chosen = [n for n in chosen if n.name not in before or not green(before[n.name])]
    failed = 0
    for name, (result, seconds) in each(chosen, pythons, args, try_net):
        failed += not green(result)
        print(line(name, result, seconds), flush=True)
        merge(args.results, {name: result})
    print("%d of %d nets are green" % (len(chosen) - failed, len(chosen)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
