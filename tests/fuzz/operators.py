#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models out of the operators' tables (operators_make.c), written and read again: what is written passes onnx.checker with its full
check, and ONNX Runtime loads and runs it or refuses it with an error.

    build/venv/bin/python tests/fuzz/operators.py build --count 20000 --seed 7

Each part runs in a separate process, so that one that dies costs no others; what it was doing
is repeated model by model. The exit status is 1 if a model did not pass, and each of them is then a file in --found.
"""
import argparse
import collections
import math
import multiprocessing
import os
import re
import resource
import subprocess
import sys
import threading

import corpus

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "bindings", "python"))
PART = 250
LARGEST = 1 << 20  # elements of an input that is made for a run
LARGEST_VALUE = 1 << 26  # elements of a value that ONNX Runtime may compute
SECONDS = 20  # of a run of a model with a loop
MEMORY = 6 << 30  # address space of a process


def models(build, count, seed):
    made = subprocess.run([os.path.join(build, "tests", "fuzz", "operators_print"), str(count), str(seed)], check=True, capture_output=True)
    path = os.path.join(build, "operators-%d.pack" % os.getpid())
    with open(path, "wb") as f:
        f.write(made.stdout)
    try:
        return list(corpus.unpack(path))
    finally:
        os.unlink(path)


def convert(made, opset):
    import mx2onnx
    symbol, _, params = made.partition(b"\0")
    with mx2onnx.Model() as m:
        try:
            m.load_symbol(symbol)
            if params:
                m.load_params(params)
            m.opset = opset
            return m.export_bytes()
        except mx2onnx.Error as error:
            assert error.status != "INTERNAL", str(error)
            return None


def feed(session, types):
    """Ones of the inputs' types, 2 for open dims; None if an input is too large."""
    import numpy as np
    inputs = {}
    for i in session.get_inputs():
        shape = [d if isinstance(d, int) else 2 for d in i.shape]
        if i.type not in types or np.prod([max(float(d), 1) for d in shape]) > LARGEST:
            return None
        inputs[i.name] = np.ones(shape, types[i.type])
    return inputs


def elements(value):
    """The elements of a value of the model, 2 for each open dim; 0 if it has no shape."""
    shape = value.type.tensor_type.shape if value.type.tensor_type.HasField("shape") else None
    return math.prod(d.dim_value if d.HasField("dim_value") else 2 for d in shape.dim) if shape else 0


def largest_value(graph):
    """The elements of the largest value that the graph or a body in it makes."""
    bodies = [a.g for n in graph.node for a in n.attribute if a.HasField("g")]
    return max([elements(v) for v in (*graph.value_info, *graph.output)] + [largest_value(b) for b in bodies], default=0)


def run(data, model):
    """What ONNX Runtime makes of the model: ran, refused by its loader or when run, too large. ONNX Runtime computes whatever a model
    asks for until memory ends, while it loads as well: one with a value that is too large is loaded without that, and not run. A loop
    may be as long as a draw is large (2^31 rounds of a Poisson sample with that mean): such a run is stopped."""
    largest, has_loop = largest_value(model.graph), any(n.op_type == "Loop" for n in model.graph.node)
    import numpy as np
    import onnxruntime
    types = {"tensor(%s)" % name: t for name, t in {
        "float": np.float32, "double": np.float64, "float16": np.float16, "uint8": np.uint8, "int8": np.int8, "int32": np.int32,
        "int64": np.int64, "bool": np.bool_, "int16": np.int16, "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64}.items()}
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    if largest > LARGEST_VALUE:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its own exceptions have no common base
        return "not loaded: " + reason(error)
    if largest > LARGEST_VALUE:
        return "not run: a value is too large"
    inputs = feed(session, types)
    if inputs is None:
        return "not run: an input is too large"
    chosen = onnxruntime.RunOptions()
    timer = threading.Timer(SECONDS, setattr, (chosen, "terminate", True))
    if has_loop:
        timer.start()
    try:
        session.run(None, inputs, chosen)
    except Exception as error:
        return "not run: " + ("a loop is long" if chosen.terminate else reason(error))
    finally:
        timer.cancel()
    return "ran"


def reason(error):
    """The error without names and numbers, so that it can be counted."""
    return re.sub(r"[0-9]+", "N", re.sub(r"'[^']*'|\"[^\"]*\"|\([^()]*\)", "..", str(error)))[:90]


def check(made, opset):
    """Why the model fails, or what became of it."""
    import onnx
    data = convert(made, opset)
    if data is None:
        return None, "refused"
    model = onnx.load_from_string(data)
    try:
        onnx.checker.check_model(model, full_check=True)
    except Exception as error:
        return "onnx.checker: " + str(error).strip().split("\n")[-1][:200], "wrong"
    return None, run(data, model)


def part(made, opset, pipe):
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    pipe.send([(at, *check(data, opset)) for at, data in made])


def in_process(made, opset, seconds):
    """The results of the part; None if the process died or did not end."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=part, args=(made, opset, theirs))
    process.start()
    theirs.close()
    try:
        return ours.recv() if ours.poll(seconds) else None
    except EOFError:
        return None
    finally:
        process.kill()
        process.join()


def results(made, opset):
    for first in range(0, len(made), PART):
        numbered = list(enumerate(made))[first:first + PART]
        whole = in_process(numbered, opset, 600)
        if whole is not None:
            yield from whole
            continue
        for model in numbered:
            one = in_process([model], opset, 60)
            yield one[0] if one else (model[0], "the process died or did not end", "died")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--opset", type=int, default=17)
    parser.add_argument("--found", help="a folder for the models that fail")
    args = parser.parse_args()
    os.environ.setdefault("MX2ONNX_LIBRARY", os.path.join(os.path.abspath(args.build), "lib", "libmx2onnx.so"))
    made, counts, failed = models(args.build, args.count, args.seed), collections.Counter(), 0
    for at, why, what in results(made, args.opset):
        counts[what] += 1
        if why:
            failed += 1
            print("model %d of seed %d: %s" % (at, args.seed, why), flush=True)
            if args.found:
                os.makedirs(args.found, exist_ok=True)
                with open(os.path.join(args.found, "%d-%d" % (args.seed, at)), "wb") as f:
                    f.write(made[at])
    for what, n in counts.most_common():
        print("%7d %s" % (n, what))
    print("%d passed, %d failed" % (len(made) - failed, failed))
    return 1 if failed or not counts["ran"] else 0


if __name__ == "__main__":
    sys.exit(main())
