#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converts the nets of the zoo at opset 11, the oldest, which toolchains of edge devices ask for.

    python tests/zoo/opset11.py --oracle build/oracle/bin/python [--oracle2 build/oracle2/bin/python] [--jobs 2] [NET...]

Each net is converted at its static size and with its dynamic dims. A file passes the checker and ONNX Runtime loads it; it is not
run: zoo.py --opsets 11 compares numbers. Results go into opset11.json, and table.py makes OPSET11.md from it. --skip-done
continues a run that was ended. The exit status is 1 if a file is not valid or a net is refused for another reason than the opset.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, "numeric"), os.path.join(HERE, os.pardir, "support")]

import compare  # noqa: E402
import documents  # noqa: E402
import nets as zoo  # noqa: E402
import zoo as runner  # noqa: E402

OPSET = 11
RESULTS = os.path.join(HERE, "opset11.json")


class Report:
    """A route of zoo.py's kind: the command line; what it reports is kept."""

    def __init__(self, tool, options, model):
        self.tool, self.options, self.model = os.path.abspath(tool), list(options), model

    def __call__(self, symbol, params, inputs, dynamic, out):
        command = [self.tool, "convert", *([self.model] if self.model else [symbol, params]), "-o", out, "--opset", str(OPSET), "--json",
                   *self.options]
        for name, (shape, dtype) in inputs.items():
            if dynamic.get(name):
                command += ["--dynamic", "%s=%s:%s" % (name, ",".join(
                    dynamic[name].get(axis, str(d)) for axis, d in enumerate(shape)), dtype)]
            else:
                command += ["--input", "%s=%s:%s" % (name, "x".join(map(str, shape)) or "()", dtype)]
        return json.loads(subprocess.run(command, capture_output=True, text=True).stdout)


def attempt(net, convert, folder, dynamic):
    """{"nodes"}: a valid file; or {"refused": [[operator, message, nodes], ...]}; or {"error"}."""
    out = os.path.join(folder, "net.onnx")
    inputs = {n: (shape, net.inputs[n].dtype) for n, shape in net.shapes().items()}
    try:
        report = convert(os.path.join(folder, "net-symbol.json"), os.path.join(folder, "net-0000.params"), inputs,
                         net.dynamic if dynamic else {}, out)
        errors = [d for d in report["diagnostics"] if d["severity"] == "error"]
        if errors:
            texts = [(d.get("op") or "", d["message"]) for d in errors]
            return {"refused": [[*t, texts.count(t)] for t in dict.fromkeys(texts)]}
        found = {"nodes": len(compare.check(out, OPSET).graph.node)}
        compare.session(out)
        return found
    except Exception as e:  # a net that fails is a result; the others are still of interest
        return {"error": ("%s: %s" % (type(e).__name__, e)).replace(folder + os.sep, "")[:500]}
    finally:
        if os.path.exists(out):
            os.unlink(out)


def try_net(net, oracles, args):
    folder, result = tempfile.mkdtemp(), {"family": net.family}
    try:
        oracle = oracles[net.mxnet].get()
        answer = oracle.ask(net=net.name, folder=folder, seconds=args.seconds, run=True if net.pack else "never")
        oracles[net.mxnet].put(oracle)
        if "error" in answer:
            return dict(result, static={"error": "MXNet: " + answer["error"]})
        convert = Report(args.tool, net.options, answer["packed"] and os.path.join(folder, answer["packed"]))
        for key in ("static", "dynamic") if net.dynamic else ("static",):
            result[key] = attempt(net, convert, folder, key == "dynamic")
    finally:
        shutil.rmtree(folder)
    return result


def bad(result):
    return any("error" in result.get(k, {}) for k in ("static", "dynamic"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net", nargs="*", help="names or patterns (default: all)")
    parser.add_argument("--family", action="append", default=[], help="may be repeated")
    parser.add_argument("--skip-done", action="store_true", help="leave out what is in the results")
    parser.add_argument("--oracle", help="the Python where MXNet is (tests/oracle/setup.sh --zoo)")
    parser.add_argument("--oracle2", help="the Python where MXNet 2 is (default: leave out its nets)")
    parser.add_argument("--tool", help="the command line mx2onnx (default: MX2ONNX_TOOL, else build/examples/)")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=900, help="for a net in MXNet (default: 900)")
    args = parser.parse_args()
    args.tool = runner.tool(args)
    pythons = {"1.9.1": args.oracle, "2.0.0b1": args.oracle2}
    results = documents.load(RESULTS)
    chosen = [n for n in runner.choose(zoo.load(), args) if pythons[n.mxnet] and not (args.skip_done and n.name in results)]
    failed = 0
    for name, result in runner.each(chosen, pythons, args, try_net):
        results[name] = result
        failed += bad(result)
        print("%-45s %s" % (name, json.dumps({k: v for k, v in result.items() if k != "family"})), flush=True)
        documents.save(RESULTS, results)
    print("%d nets, %d of them with errors" % (len(chosen), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
