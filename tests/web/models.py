# SPDX-License-Identifier: Apache-2.0
"""Models for the test of the page, into a folder: nets that MXNet ran, with what it computed; one that cannot be converted; one
whose names are hostile; one that is deep; and 1 and 3 GiB of parameters.

    python models.py FOLDER
"""
import json
import os
import struct
import sys
import tarfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, os.pardir, "numeric"), os.path.join(HERE, os.pardir, "zoo")]

import ndarray_list  # noqa: E402
import nets as zoo  # noqa: E402
import recorded  # noqa: E402
import weights  # noqa: E402

GIB = 1 << 30
LAYERS, WIDTH = 8, 1 << 14  # of the large model: arrays of 128 MiB
HOSTILE = ["<script>document.title='x'</script>", "\u202etxt.exe\u202c", "<img src=x onerror=\"document.title='y'\">", "n" * 3000, "&amp;\u200b\u0007'\""]


def write(folder, name, symbol, params):
    with open(os.path.join(folder, name + "-symbol.json"), "w", encoding="utf-8") as f:
        f.write(symbol)
    if params:
        ndarray_list.save(os.path.join(folder, name + "-0000.params"), params)


def stored(index, made):
    return {("aux:" if n in index["aux"] else "arg:") + n: a for n, a in made.items()}


def record(folder, name, inputs, outputs):
    np.savez(os.path.join(folder, name + ".npz"), **{"input:" + n: a for n, a in inputs.items()},
             **{"output:" + n: a for n, a in outputs.items()})


def outputs_of(symbol):
    """MXNet's names of the outputs."""
    graph = json.loads(symbol)
    names = []
    for node, output, *_ in graph["heads"]:
        same = [o for n, o, *_ in graph["heads"] if n == node]
        names.append(graph["nodes"][node]["name"] + "_output" + (str(output) if len(same) > 1 else ""))
    return names


def net(folder, name):
    """A net of tests/data/recorded/nets."""
    reader = recorded.Reader(recorded.path("nets", name))
    index = reader.index
    write(folder, name, index["symbol"], stored(index, weights.make(index["symbol"], index["params"], index["scales"])))
    outputs = dict(zip(outputs_of(index["symbol"]), map(reader.get, index["runs"]["1"])))
    record(folder, name, {"data": weights.data(name, (1,) + tuple(index["dims"]), *index["range"])}, outputs)


def detector(folder, name):
    """A net of tests/data/recorded/zoo; the outputs are ids, scores and boxes."""
    reader, known = recorded.Reader(recorded.path("zoo", name)), zoo.load()[name]
    index = reader.index
    made = {n: a * np.float32(index["factors"].get(n, 1)) for n, a in weights.make(index["symbol"], index["params"], index["scales"]).items()}
    made.update({n: reader.get(e) for n, e in index["given"].items()})
    write(folder, name, index["symbol"], stored(index, made))
    run = index["runs"][0]
    record(folder, name, known.arrays(run["sizes"], run["draw"]), dict(zip(outputs_of(index["symbol"]), map(reader.get, run["outputs"]))))


def chain(names, operators, attributes, arrays=()):
    """A symbol that applies one operator after the other; each reads its own array where `arrays` says so."""
    nodes = [{"op": "null", "name": "data", "inputs": []}]
    last = 0
    for k, (name, op) in enumerate(zip(names, operators)):
        inputs = [[last, 0, 0]]
        if k < len(arrays):
            nodes.append({"op": "null", "name": arrays[k], "inputs": []})
            inputs.append([len(nodes) - 1, 0, 0])
        nodes.append({"op": op, "name": name, "attrs": attributes, "inputs": inputs})
        last = len(nodes) - 1
    return json.dumps({"nodes": nodes, "arg_nodes": [i for i, n in enumerate(nodes) if n["op"] == "null"], "heads": [[last, 0, 0]]})


def large(folder, name, size):
    """So many bytes in arrays of zeros, which take no room on the disk, except for a last number that is not 0."""
    names = ["w%d" % k for k in range(LAYERS)]
    write(folder, name, chain(["add%d" % k for k in range(LAYERS)], ["broadcast_add"] * LAYERS, {}, names), None)
    shape = (size // LAYERS // 4 // WIDTH, WIDTH)
    with open(os.path.join(folder, name + "-0000.params"), "wb") as f:
        f.write(struct.pack("<QQQ", ndarray_list.LIST_MAGIC, 0, LAYERS))
        for k in range(LAYERS):
            f.write(struct.pack("<IiIqqiii", ndarray_list.ARRAY_V2, 0, 2, *shape, 1, 0, 0))
            f.seek(size // LAYERS - 4, os.SEEK_CUR)
            f.write(struct.pack("<f", k + 1))
        f.write(struct.pack("<Q", LAYERS))
        for name in names:
            f.write(struct.pack("<Q", len(name) + 4) + b"arg:" + name.encode())


def pose(folder, name):
    """Heat maps of 17 key points, as GluonCV's simple_pose has them: the mean of every 4 x 4 pixels, less for each further point."""
    means = np.stack([np.full((3, 4, 4), 1 / (48 * (k + 1)), np.float32) for k in range(17)])
    write(folder, name, chain(["heat"], ["Convolution"], {"kernel": "(4, 4)", "stride": "(4, 4)", "num_filter": "17", "no_bias": "True"}, ["w"]),
          {"arg:w": means})


def mask(folder, name):
    """A score for each of 4 classes at every pixel, as nets of segmentation have them: light, and the three colours."""
    colours = np.concatenate([np.full((1, 3), 0.5), 1.5 * np.eye(3)]).astype(np.float32).reshape(4, 3, 1, 1)
    write(folder, name, chain(["scores"], ["Convolution"], {"kernel": "(1, 1)", "num_filter": "4", "no_bias": "True"}, ["w"]), {"arg:w": colours})


def main(folder):
    os.makedirs(folder, exist_ok=True)
    for name in ("mobilefacenet", "densenet121"):
        net(folder, name)
    detector(folder, "ssd_300_mobilenet0.25_voc")
    pose(folder, "pose")
    mask(folder, "mask")
    write(folder, "fails", chain(["good", "mine", "yours"], ["relu", "Custom", "_contrib_nobody_knows"], {"op_type": "secret"}), None)
    write(folder, "hostile", chain(HOSTILE, ["relu", "tanh", "sigmoid", "relu", "tanh"], {"note": HOSTILE[0]}), None)
    write(folder, "deep", chain(["r%d" % k for k in range(1000)], ["relu", "tanh"] * 500, {}), None)
    write(folder, "thousands", chain(["r%d" % k for k in range(3000)], ["relu", "tanh"] * 1500, {}), None)
    with tarfile.open(os.path.join(folder, "face.tar.gz"), "w:gz", compresslevel=1) as tar:
        for end in ("-symbol.json", "-0000.params"):
            tar.add(os.path.join(folder, "mobilefacenet" + end), "./model/mobilefacenet" + end)
    large(folder, "large", GIB)
    large(folder, "huge", 3 * GIB)


main(sys.argv[1])
