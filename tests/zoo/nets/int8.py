# SPDX-License-Identifier: Apache-2.0
"""GluonCV's quantised nets, from the symbol files that GluonCV brings: fused nodes in 8 bits, the range of the image found at
run time. Their parameters are made by the rule of the other nets, and the calibrated ranges are put to what these give."""
import glob
import json
import os

from net import Input, Net, trace

CALIBRATION = 4  # images
SCALE = 20.0  # what SSD's normalised features are multiplied by


def published(name):
    import gluoncv
    folder = os.path.join(os.path.dirname(gluoncv.__file__), "model_zoo", "quantized")
    with open(*glob.glob(os.path.join(folder, name + "-symbol.json"))) as f:
        return json.load(f)


def floats(graph):
    """The net in floats: fused nodes taken apart, the last of each called as the fused one."""
    nodes, at = [], {}

    def add(op, name, inputs, attrs):
        nodes.append({"op": op, "name": name, "inputs": inputs, **({"attrs": attrs} if attrs else {})})
        return [len(nodes) - 1, 0, 0]

    for k, n in enumerate(graph["nodes"]):
        inputs, attrs = [at[e[0], e[1]] for e in n["inputs"] if (e[0], e[1]) in at], n.get("attrs", {})
        if n["op"] in ("_contrib_quantize_v2", "_contrib_dequantize"):
            at[k, 0] = inputs[0]
        elif n["op"] == "_contrib_quantized_pooling":
            at[k, 0] = add("Pooling", n["name"], inputs[:1], attrs)
        elif n["op"] == "_sg_mkldnn_conv":
            inner, inputs = n["subgraphs"][0]["nodes"], iter(inputs)
            place = {}
            for i, m in enumerate(inner):
                name = n["name"] if i == len(inner) - 1 else m["name"]
                place[i] = (next(inputs) if m["op"] == "null" else
                            add(m["op"], name, [place[e[0]] for e in m["inputs"]], m.get("attrs", {})))
            at[k, 0] = place[len(inner) - 1]
        else:
            entry = add(n["op"], n["name"], inputs, attrs)
            at.update({(k, i): [entry[0], i, 0] for i in range(int(attrs.get("num_outputs", 1)))})
    heads = [at[h[0], h[1]] for h in graph["heads"]]
    return json.dumps({"nodes": nodes, "heads": heads, "attrs": graph["attrs"], "node_row_ptr": list(range(len(nodes) + 1)),
                       "arg_nodes": [i for i, n in enumerate(nodes) if n["op"] == "null"]})


def parameters(text, shape, constants):
    """({name: array}, images)"""
    import calibrate
    import mxnet as mx
    import numpy as np
    import weights
    symbol = mx.sym.load_json(text)
    shapes, _, aux = symbol.infer_shape(data=shape)
    wanted = dict(zip(symbol.list_arguments(), shapes), **dict(zip(symbol.list_auxiliary_states(), aux)))
    given = {n: np.full(s, SCALE, np.float32) for n, s in wanted.items() if n.endswith("normalize_scale")}
    given.update((n, a) for n, a in constants.items() if n in wanted)
    text = symbol.tojson()
    images = np.random.RandomState(1).normal(size=(CALIBRATION,) + tuple(shape[1:])).astype(np.float32)
    wanted = {n: s for n, s in wanted.items() if n != "data" and n not in given}
    scales = calibrate.scales(text, dict(weights.make(text, wanted, {}), data=images, **given))
    return dict(weights.make(text, wanted, scales), **given), images


def calibrated(name, size, floating=None):
    """(graph, parameters, the greatest magnitude of the images)."""
    import calibrate
    import mxnet as mx
    import numpy as np
    constants = {}
    if floating:
        from gluoncv.model_zoo import get_model
        constants = trace(get_model(floating, pretrained=False, pretrained_base=False))[1]
    graph = published(name)
    text = floats(graph)
    made, images = parameters(text, (1, 3, size, size), constants)
    inside = mx.sym.load_json(text).get_internals()
    nodes = [n for n in graph["nodes"] if n["op"] == "_sg_mkldnn_conv"]
    values = calibrate.bind(mx.sym.Group([inside[n["name"] + "_output"] for n in nodes]),
                            dict(made, data=images)).forward(is_train=False)
    for n, v in zip(nodes, values):
        v = v.asnumpy()
        n["attrs"].update(min_calib_range="%f" % v.min(), max_calib_range="%f" % v.max())
    return graph, made, float(np.abs(images).max())


def whole(name, size, floating=None):
    """The net. `floating`: the one in GluonCV that brings the constants, anchors."""
    def make():
        import mxnet as mx
        graph, made, _ = calibrated(name, size, floating)
        return mx.sym.load_json(json.dumps(graph)), made
    return make


def layers(name, size):
    """The net's quantised layers side by side, each with the shapes, weights and ranges that it has in the net, but reading
    the first elements of an input."""
    def make():
        import mxnet as mx
        import numpy as np
        graph, made, reach = calibrated(name, size)
        nodes, inside = graph["nodes"], mx.sym.load_json(floats(graph)).get_internals()
        shapes = dict(zip(inside.list_outputs(), inside.infer_shape(data=(1, 3, size, size))[1]))
        data = {n: mx.sym.Variable(n) for n in ("unsigned", "signed")}
        variables, params, outputs = {}, dict(made), []

        def fed(k):
            """Whole numbers in place of output 0 of node k, and their range."""
            n = nodes[k]
            if k not in variables and n["op"] == "_contrib_quantized_pooling":
                x, low, high, _ = fed(n["inputs"][0][0])
                variables[k] = [None, low, high, nodes[n["inputs"][0][0]]]
            elif k not in variables:
                attrs = n["attrs"]
                ends = [float(attrs.get(e + "_calib_range", v)) for e, v in (("min", -reach), ("max", reach))]
                params.update({"%s_%d" % (e, k): np.array([v], np.float32) for e, v in zip(("min", "max"), ends)})
                variables[k] = [None, mx.sym.Variable("min_%d" % k), mx.sym.Variable("max_%d" % k), n]
            if variables[k][0] is None:
                shape = shapes["data" if n["op"] == "_contrib_quantize_v2" else n["name"] + "_output"]
                maker = variables[k][3]["attrs"]
                positive = "with_relu" in maker or "with_postsum_relu" in maker
                x = mx.sym.slice_axis(data["unsigned" if positive else "signed"], axis=0, begin=0, end=int(np.prod(shape)))
                variables[k][0] = mx.sym.reshape(x, shape=shape)
            return variables[k]

        for n in nodes:
            if "quantized_" in n["name"]:
                symbol = rebuilt(n, [nodes[e[0]]["name"] if nodes[e[0]]["op"] == "null" else fed(e[0])[e[1]]
                                     for e in n["inputs"]])
                outputs.append(symbol[0])
        return mx.sym.Group(outputs), params
    return make


def rebuilt(node, inputs):
    """The symbol of one node over other inputs: symbols, or names of variables."""
    import mxnet as mx
    names = [i if isinstance(i, str) else "input%d" % k for k, i in enumerate(inputs)]
    variables = [{"op": "null", "name": n, "inputs": []} for n in names]
    graph = {"nodes": variables + [dict(node, inputs=[[k, 0, 0] for k in range(len(names))])],
             "arg_nodes": list(range(len(names))), "heads": [[len(names), 0, 0]],
             "attrs": {"mxnet_version": ["int", 10500]}}
    symbol = mx.sym.load_json(json.dumps(graph))
    return symbol(**{n: i for n, i in zip(names, inputs) if not isinstance(i, str)})


# ---- how far a net may be off

def off_by_one(got, want):
    """The share of the integers that differ: they may be off by one."""
    import numpy as np
    off = [np.abs(g.astype(int) - w.astype(int)) for g, w in zip(got, want)]
    assert max(o.max() for o in off) <= 1, "an integer is off by more than one"
    return float(sum(o.sum() for o in off) / sum(o.size for o in off))


HALVES = "values half way between two levels are rounded either way"


def images(*sizes):
    return {"dynamic": {"data": {0: "batch", 2: "height", 3: "width"}},
            "sizes": [dict(zip(("batch", "height", "width"), s)) for s in sizes]}


def nets():
    """Small images: the fewer numbers are rounded, the more inputs there are without one that is half way."""
    small, larger = images((2, 16, 16), (1, 32, 16), (1, 16, 32)), images((2, 32, 32), (1, 64, 32), (1, 32, 64))
    for name, size, sizes in (("mobilenet1.0_int8", 64, larger), ("resnet50_v1_int8", 32, small)):
        yield Net(name, "int8", whole(name, 128), {"data": Input((1, 3, size, size))}, "gluoncv", **sizes)
        yield Net(name + "_layers", "int8", layers(name, 64), {
            "unsigned": Input((1 << 16,), "uint8", lambda rng, shape: abs(rng.normal(size=shape) * 60).clip(0, 255)),
            "signed": Input((1 << 16,), "int8", lambda rng, shape: (rng.normal(size=shape) * 40).clip(-128, 127)),
        }, compare=off_by_one, bound=2e-5, reason=HALVES)
    vgg = images((2, 300, 332), (1, 364, 300), (1, 332, 332))
    for name, size, sizes in (("ssd_300_vgg16_atrous_voc", 300, vgg), ("ssd_512_vgg16_atrous_voc", 300, vgg),
                              ("ssd_512_mobilenet1.0_voc", 64, larger), ("ssd_512_resnet50_v1_voc", 32, small)):
        yield Net(name + "_int8", "int8", whole(name + "_int8", max(size, 128), name), {"data": Input((1, 3, size, size))},
                  "gluoncv", compare="detections", **sizes)


NETS = list(nets())
