#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The half of zoo.py that runs where MXNet 1.9.1 is.

Reads a JSON text a line: {"net", "folder", "seconds"}; writes a JSON text a line when that net is done: {"net", "nodes",
"error"}. In the folder are then net-symbol.json, net-0000.params, run.npz ("iS/NAME" and "oS/K": input NAME and output K at
size S; 0 is the static one, the others are the net's `sizes`) and what the net's `pack` made.

MXNet and GluonCV are read once; each net is built in a child, since Gluon counts names through the life of a process.
"""
import json
import os
import signal
import sys
import traceback
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, "oracle")]
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np  # noqa: E402

for name in ("bool", "int", "float", "object"):  # what GluonCV and GluonNLP know from an older NumPy
    if name not in np.__dict__:
        setattr(np, name, getattr(__import__("builtins"), name))

import calibrate  # noqa: E402
import mxnet as mx  # noqa: E402

import nets as zoo  # noqa: E402
import sets  # noqa: E402
import weights  # noqa: E402

CALIBRATION_BATCH = 4
DRAWS = 5  # of inputs, until MXNet's own answer does not hang on the last bits
NUDGE = 3e-6


def arrays(net, sizes, draw=0):
    rng = np.random.RandomState(zlib.crc32(json.dumps([net.name, sizes, draw], sort_keys=True).encode()) & 0x7FFFFFFF)
    shapes = net.shapes(sizes)
    return {n: i.array(rng, shapes[n]) for n, i in net.inputs.items()}


def zeros(net, sizes):
    return {n: np.zeros(shape, np.float32) for n, shape in net.label_shapes(sizes).items()}


def parameters(net, symbol, given):
    """{name: array}: those that the net brings, the others by rule."""
    aux = symbol.list_auxiliary_states()
    shapes, _, aux_shapes = symbol.infer_shape(**net.shapes(), **net.label_shapes())
    wanted = dict(zip(symbol.list_arguments(), shapes), **dict(zip(aux, aux_shapes)))
    known = {*net.inputs, *net.labels, *given}
    wanted = {n: s for n, s in wanted.items() if n not in known and (n in aux or not n.endswith("label"))}
    text = symbol.tojson()
    batched = "batch" in {d for names in net.dynamic.values() for d in names.values()}
    sizes = {"batch": CALIBRATION_BATCH} if batched else None
    inputs = dict(arrays(net, sizes), **zeros(net, sizes))
    made = weights.make(text, wanted, {})
    scales = calibrate.scales(text, dict(made, **given, **inputs)) if wanted else {}
    made.update(weights.make(text, {n: s for n, s in wanted.items() if len(s) == 1}, scales))
    if net.tune:
        net.tune(made)
    return dict(made, **given)


def forward(net, bound):
    outputs = [o.asnumpy() for o in bound.forward(is_train=False)]
    return outputs if net.kept is None else [outputs[k] for k in net.kept]


def answer(net, symbol, params, sizes):
    """(inputs, outputs) of MXNet. Detections hang on comparisons of scores and overlaps: an input is drawn at which
    they stay what they are when it is changed by about as much as another order of sums would."""
    for draw in range(DRAWS):
        inputs = arrays(net, sizes, draw)
        bound = calibrate.bind(symbol, dict(params, **inputs, **zeros(net, sizes)))
        outputs = forward(net, bound)
        if net.compare == "elements":
            break
        rng = np.random.RandomState(draw)
        for n, a in inputs.items():
            bound.arg_dict[n][:] = a * (1 + NUDGE * rng.normal(size=a.shape))
        try:
            if sets.difference(net, forward(net, bound), outputs) <= net.bound:
                break
        except AssertionError:
            pass
    return inputs, outputs


def build(net, folder):
    made = net.make()
    symbol, given = made if isinstance(made, tuple) else (made, {})
    known = set(symbol.list_arguments()) | set(symbol.list_auxiliary_states())
    params = parameters(net, symbol, {n: np.asarray(a) for n, a in given.items() if n in known})
    aux = set(symbol.list_auxiliary_states())
    symbol.save(os.path.join(folder, "net-symbol.json"))
    params = {n: mx.nd.array(a, dtype=a.dtype) for n, a in params.items()}
    mx.nd.save(os.path.join(folder, "net-0000.params"), {("aux:" if n in aux else "arg:") + n: a for n, a in params.items()})
    runs, run = {}, net.reference(symbol) if net.reference else symbol
    for s, sizes in enumerate([None] + net.sizes):
        inputs, outputs = answer(net, run, params, sizes)
        runs.update({"i%d/%s" % (s, n): a for n, a in inputs.items()})
        runs.update({"o%d/%d" % (s, k): o for k, o in enumerate(outputs)})
    np.savez(os.path.join(folder, "run.npz"), **runs)
    nodes = sum(n["op"] != "null" for n in json.loads(symbol.tojson())["nodes"])
    packed = net.pack(folder) if net.pack else None
    return {"nodes": nodes, "packed": packed}


def child(net, folder, pipe):
    os.dup2(2, 1)  # what libraries print is not an answer
    try:
        told = build(net, folder)
    except BaseException as e:  # noqa: B902 any failure of a net is its result
        traceback.print_exc()
        told = {"error": "%s: %s" % (type(e).__name__, str(e).strip().split("\n")[0][:300])}
    with os.fdopen(pipe, "w") as f:
        json.dump(told, f)
    os._exit(0)


def main():
    import gluoncv  # noqa: F401 only to have it read before the first net
    known = zoo.load()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        ask = json.loads(line)
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reader)
            signal.alarm(ask["seconds"])
            child(known[ask["net"]], ask["folder"], writer)
        os.close(writer)
        with os.fdopen(reader) as f:
            text = f.read()
        _, status = os.waitpid(pid, 0)
        told = json.loads(text) if text else {"error": "MXNet: not done after %d s" % ask["seconds"]
                                                if os.WTERMSIG(status) == signal.SIGALRM else
                                                "MXNet: ended by signal %d" % os.WTERMSIG(status)}
        answers.write(json.dumps(dict(told, net=ask["net"])) + "\n")
        answers.flush()


if __name__ == "__main__":
    sys.exit(main())
