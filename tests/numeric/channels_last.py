# SPDX-License-Identifier: Apache-2.0
"""A symbol with its channels last: what a net of Convolution(layout="NHWC") is, which MXNet runs on GPUs alone. It
computes what the symbol with its channels first does, of the same parameters with their axes moved."""
import json

import numpy as np

CHANNELS_BY_LAYOUT = ("Convolution", "Deconvolution", "Pooling")
CHANNELS_BY_AXIS = {"BatchNorm": ("axis", 1), "Concat": ("dim", 1), "SliceChannel": ("axis", 1), "softmax": ("axis", -1)}


def last(a):
    return np.ascontiguousarray(np.moveaxis(a, 1, -1))


def symbol(text, heads_first=()):
    """`text` over data with four axes, the channels last. Before the nodes `heads_first` the channels are moved
    to where they were."""
    net = json.loads(text)
    old, new, number = net["nodes"], [], []
    for n in old:
        n = dict(n, inputs=[[number[i[0]]] + i[1:] for i in n["inputs"]], attrs=dict(n.get("attrs", {})))
        if n["op"] in CHANNELS_BY_LAYOUT:
            n["attrs"]["layout"] = "NHWC"
        elif n["op"] in CHANNELS_BY_AXIS:
            name, default = CHANNELS_BY_AXIS[n["op"]]
            if int(n["attrs"].get(name, default)) == 1:
                n["attrs"][name] = "3"
        elif n["op"] == "Crop":  # to the size of its second input; the operator itself knows channels first only
            n["op"], n["attrs"] = "slice_like", {"axes": "(1, 2)"}
        elif n["op"] == "Pad":
            pads = json.loads("[%s]" % n["attrs"]["pad_width"].strip("()"))
            n["attrs"]["pad_width"] = str(tuple(pads[:2] + pads[4:] + pads[2:4]))
        elif n["op"] == "_contrib_AdaptiveAvgPooling2D" and n["attrs"]["output_size"] == "1":
            n["op"], n["attrs"] = "mean", {"axis": "(1, 2)", "keepdims": "True"}
        if n["name"] in heads_first:
            new.append({"op": "transpose", "name": n["name"] + "_first", "attrs": {"axes": "(0, 3, 1, 2)"}, "inputs": [n["inputs"][0]]})
            n["inputs"][0] = [len(new) - 1, 0, 0]
        number.append(len(new))
        new.append(n)
    net["heads"] = [[number[h[0]]] + h[1:] for h in net["heads"]]
    net["arg_nodes"] = [i for i, n in enumerate(new) if n["op"] == "null"]
    net["nodes"] = new
    net.pop("node_row_ptr", None)
    return json.dumps(net)


def params(text, made):
    """The parameters of a symbol with its channels first, for that with its channels last."""
    weights = {n["inputs"][1][0] for n in json.loads(text)["nodes"] if n["op"] in ("Convolution", "Deconvolution")}
    moved = {json.loads(text)["nodes"][i]["name"] for i in weights}
    return {n: last(a) if n in moved and a.ndim == 4 else a for n, a in made.items()}
