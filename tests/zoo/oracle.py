#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The half of zoo.py that runs where MXNet is: 1.9.1, or 2.0.0b1 for the nets of Gluon 2.

Reads a JSON text a line: {"net", "folder", "seconds"}, with "run": false if only symbol and parameters are wanted, "never"
if any parameters will do, and without "folder" if only the answer is; writes one when the net is done: {"nodes", "graph",
"packed"} or {"error"}. In the folder are then net-symbol.json, net-0000.params, run.npz ("iS/NAME" and "oS/K": input NAME
and output K at size S; 0 is the static one, the others are the net's `sizes`) and what the net's `pack` made.

MXNet and GluonCV are read once; each net is built in a child, since Gluon counts names through the life of a process.
"""
import json
import os
import re
import sys
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, "oracle")]
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np  # noqa: E402

for name in ("bool", "int", "float", "object"):  # what GluonCV and GluonNLP know from an older NumPy
    if name not in np.__dict__:
        setattr(np, name, getattr(__import__("builtins"), name))

import calibrate  # noqa: E402
import child  # noqa: E402
import mxnet as mx  # noqa: E402

import nets as zoo  # noqa: E402
from net import rewired  # noqa: E402
import sets  # noqa: E402
import weights  # noqa: E402

CALIBRATION_BATCH = 4
DRAWS = 40  # of inputs, until MXNet's own answer does not depend on the last bits
NUDGE, ROUNDING = 1e-5, 1e-6  # shares by which an input and a score are changed
RANGE = 2.0 ** -23  # share by which calibrated ranges are changed
SAME = 1e-3  # up to which rows of nudged inputs are still the same
SCORES = ("sigmoid", "softmax", "SoftmaxActivation", "SoftmaxOutput", "Activation")


def zeros(net, sizes):
    return {n: np.zeros(shape, np.float32) for n, shape in net.label_shapes(sizes).items()}


def lacking(net, symbol, given):
    """{parameter: shape} of those that the net does not bring."""
    aux = symbol.list_auxiliary_states()
    shapes, _, aux_shapes = symbol.infer_shape_partial(**net.shapes(), **net.label_shapes())  # masks leave sizes open
    wanted = dict(zip(symbol.list_arguments(), shapes), **dict(zip(aux, aux_shapes)))
    known = {*net.inputs, *net.labels, *given}
    return {n: s for n, s in wanted.items() if n not in known and (n in aux or not n.endswith("label"))}


def recipe(net, symbol, given):
    """What the rule makes weights of: {parameter: shape} and {BatchNorm: variance}; and them, made without the
    latter. `given`: the net's own."""
    wanted = lacking(net, symbol, given)
    batched = "batch" in {d for names in net.dynamic.values() for d in names.values()}
    sizes = {"batch": CALIBRATION_BATCH} if batched else None
    made = weights.make(symbol.tojson(), wanted, {})
    inputs = dict(net.arrays(sizes), **zeros(net, sizes))
    used = {n: a.copy() for n, a in made.items()} if net.tune else made
    if net.tune:
        net.tune(used)  # what reads regions must see the regions that there will be
    reads = net.reference(symbol) if net.reference else symbol
    return wanted, calibrate.scales(reads.tojson(), dict(used, **given, **inputs)) if wanted else {}, made


def sketch(net, symbol, given):
    """{name: array}: those that the net brings, any numbers for the others: as long as files are not run, they are enough. Each begins at
    its own place, since layers with equal weights would be one."""
    numbers = np.random.RandomState(0).uniform(0.5, 1.5, 99991).astype(np.float32)
    return dict({n: np.resize(np.roll(numbers, zlib.crc32(n.encode()) % len(numbers)), s)
                 for n, s in lacking(net, symbol, given).items()}, **given)


def parameters(net, symbol, given):
    """{name: array}: those that the net brings, the others by rule."""
    wanted, scales, made = recipe(net, symbol, given)
    made.update(weights.make(symbol.tojson(), {n: s for n, s in wanted.items() if len(s) == 1}, scales))
    if net.tune:
        net.tune(made)
    return dict(made, **given)


def forward(net, bound):
    outputs = [o.asnumpy() for o in bound.forward(is_train=False)]
    return outputs if net.kept is None else [outputs[k] for k in net.kept]


def shaken(symbol):
    """The symbol where scores are rounded in another way: sure ones, all 1, are no longer in the order of their places."""
    def noisy(add, i, node):
        if node["op"] in SCORES:
            noise = add("_random_normal_like", [[i, 0, 0]], loc="1", scale=str(ROUNDING))
            return add("elemwise_mul", [[i, 0, 0], noise])
        return None

    return rewired(symbol, noisy)


def rounded(symbol, share):
    """The quantised symbol where calibrated ranges are other ones in their last bits, by turns greater and less along the
    layers: a number about half way between two levels is rounded in another way."""
    graph, sign = json.loads(symbol.tojson()), {}
    for i, n in enumerate(graph["nodes"]):
        attrs = n.get("attrs", {})
        sign[i] = sign[n["inputs"][0][0]] if n["inputs"] else 1
        if attrs.get("max_calib_range", "None") != "None":
            sign[i] = -sign[i]
            for end in ("min_calib_range", "max_calib_range"):
                attrs[end] = "%.9g" % (float(attrs[end]) * (1 + sign[i] * share))
    return mx.sym.load_json(json.dumps(graph))


def others(net, symbol):
    """Symbols that give the same answer if the net's does not depend on its last bits, and the share by which their inputs are
    changed."""
    quantised = re.search(r'_calib_range": "[-0-9]', symbol.tojson()) and not callable(net.compare)
    found = [rounded(symbol, RANGE), rounded(symbol, -RANGE)] if quantised else [symbol]
    if net.compare == "detections":
        return [shaken(s) for s in found], 0 if quantised else NUDGE
    return found if quantised else [], 0


def same(net, symbol, params, inputs, outputs, draw, nudge):
    """Is the answer of this symbol to changed inputs the same?"""
    rng = np.random.RandomState(draw)
    mx.random.seed(draw)
    changed = {n: (a * (1 + nudge * rng.normal(size=a.shape))).astype(a.dtype) for n, a in inputs.items()}
    try:
        found = forward(net, calibrate.bind(symbol, dict(params, **changed)))
        return sets.difference(net, found, outputs) <= (SAME if nudge else net.bound)
    except AssertionError:
        return False


def answer(net, symbol, params, sizes):
    """(number of the draw, inputs, outputs) of MXNet. Detections depend on comparisons of scores and overlaps, quantised nets on
    how halves are rounded: an input is drawn at which the answer stays what it is when these are changed a little."""
    params = dict(params, **zeros(net, sizes))
    changed, nudge = others(net, symbol)
    for draw in range(DRAWS):
        inputs = net.arrays(sizes, draw)
        outputs = forward(net, calibrate.bind(symbol, dict(params, **inputs)))
        if all(same(net, other, params, inputs, outputs, draw, nudge) for other in changed):
            return draw, inputs, outputs
    raise AssertionError("what MXNet answers depends on the last bits of each input drawn, at %s" % sizes)


def build(net, folder, run):
    os.environ.update(net.environment)
    made = net.make()
    symbol, given = made if isinstance(made, tuple) else (made, {})
    nodes = json.loads(symbol.tojson())["nodes"]
    operators = [[n["op"], n["inputs"], sorted(n.get("attrs", {}).items())] for n in nodes if n["op"] != "null"]
    told = {"nodes": len(operators), "graph": zlib.crc32(json.dumps([operators, list(net.shapes().values())]).encode())}
    return told if folder is None else dict(told, packed=write(net, folder, run, symbol, given))


def write(net, folder, run, symbol, given):
    known = set(symbol.list_arguments()) | set(symbol.list_auxiliary_states())
    params = (sketch if run == "never" else parameters)(
        net, symbol, {n: np.asarray(a) for n, a in given.items() if n in known})
    aux = set(symbol.list_auxiliary_states())
    symbol.save(os.path.join(folder, "net-symbol.json"))
    named = {n: ("aux:" if n in aux else "arg:") + n for n in params}
    file = os.path.join(folder, "net-0000.params")
    if calibrate.MXNET2:  # as HybridBlock.export does: an archive of NumPy's arrays
        mx.npx.savez(file, **{named[n]: mx.np.array(a, dtype=a.dtype) for n, a in params.items()})
    else:
        params = {n: mx.nd.array(a, dtype=a.dtype) for n, a in params.items()}
        mx.nd.save(file, {named[n]: a for n, a in params.items()})
    if run is not True:
        return None
    runs, reference = {}, net.reference(symbol) if net.reference else symbol
    for s, sizes in enumerate([None] + net.sizes):
        _, inputs, outputs = answer(net, reference, params, sizes)
        runs.update({"i%d/%s" % (s, n): a for n, a in inputs.items()})
        runs.update({"o%d/%d" % (s, k): o for k, o in enumerate(outputs)})
    np.savez(os.path.join(folder, "run.npz"), **runs)
    return net.pack(folder) if net.pack else None


def prepare():
    """Once in a process: NumPy's shapes and arrays where they are the rule."""
    if calibrate.MXNET2:
        mx.npx.set_np()


def main():
    prepare()
    if not calibrate.MXNET2:
        import gluoncv  # noqa: F401 only to have it read before the first net
    known = zoo.load()
    child.serve(lambda ask: build(known[ask["net"]], ask.get("folder"), ask.get("run", True)))


if __name__ == "__main__":
    sys.exit(main())
