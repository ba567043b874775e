#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records, by the script of `mx2onnx verify --recorder`, every value inside the sample net, to tests/data/recorded/internals.npz, and nets
that the script once did not record, or whose outputs verify did not find, to tests/data/recorded/recorder/NAME.zip.

    build/oracle/bin/python tests/oracle/record_internals.py build/examples/mx2onnx
"""
import io
import json
import os
import subprocess
import sys
import tempfile
import zipfile

import mxnet as mx
import numpy as np
from mxnet import gluon
from mxnet.contrib import quantization

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir))
SAMPLE = os.path.join(ROOT, "examples", "digits")
OUT = os.path.join(ROOT, "tests", "data", "recorded")


def random(*shape):
    return np.random.uniform(-1, 1, shape).astype(np.float32)


def exported(block, *inputs):
    """Its files, after a run with these inputs."""
    block.initialize(mx.init.Uniform(0.5))
    block.hybridize()
    block(*[mx.nd.array(a, dtype=a.dtype) for a in inputs])
    block.export("net")


def saved(symbol, params):
    symbol.save("net-symbol.json")
    mx.nd.save("net-0000.params", params)


def drawn(symbol, **shapes):
    """Parameters for all arguments that no shape is given for."""
    found = zip(symbol.list_arguments(), symbol.infer_shape(**shapes)[0])
    return {name: mx.nd.array(random(*shape)) for name, shape in found if name not in shapes}


# ---- nets, as files in the current folder; the result is their inputs


class States(gluon.HybridBlock):
    def __init__(self):
        super().__init__(prefix="")
        with self.name_scope():
            self.lstm, self.dense = gluon.rnn.LSTM(4), gluon.nn.Dense(3, flatten=False)

    def hybrid_forward(self, F, x, h, c):
        y, states = self.lstm(x, [h, c])
        return [self.dense(y)] + states


def states():
    """Outputs called state and statecell: lstm0_rnn0_state_output."""
    inputs = {"data0": random(5, 2, 3), "data1": random(1, 2, 4), "data2": random(1, 2, 4)}
    exported(States(), *inputs.values())
    return inputs


def words():
    """One visible output of two, an output called score, and a file without a parameter."""
    data, cls, box, info = (mx.sym.var(name) for name in ("data", "cls", "box", "info"))
    proposal = mx.sym.contrib.MultiProposal(cls, box, info, output_score=True, rpn_pre_nms_top_n=20, rpn_post_nms_top_n=5, scales=(8,),
                                            ratios=(1,), name="proposal")
    saved(mx.sym.Group([mx.sym.topk(data, k=2, ret_typ="value", axis=1, name="topk"), mx.sym.contrib.box_nms(data, name="nms"), proposal]), {})
    return {"data": np.abs(random(2, 5, 6)), "cls": np.abs(random(1, 2, 4, 4)), "box": random(1, 4, 4, 4), "info": np.array([[64, 64, 1]], np.float32)}


def numpy_shapes():
    """The files of set_np(), whose parameters load in that mode only, and an output called out."""
    with mx.util.np_shape(True), mx.util.np_array(True):
        x, weight = (mx.sym.var(name).as_np_ndarray() for name in ("data", "weight"))
        y = mx.sym.npx.fully_connected(x, weight, None, num_hidden=3, no_bias=True, flatten=False)
        mx.sym.np.concatenate([y, mx.sym.np.sum(y, axis=0, keepdims=True)], axis=0).save("net-symbol.json")
        mx.npx.save("net-0000.params", {"arg:weight": mx.np.array(random(3, 4))})
    return {"data": random(2, 4)}


def int8():
    """Weights of int8, which were bound as float32."""
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=6, name="fc1")
    net = mx.sym.FullyConnected(mx.sym.Activation(net, act_type="relu", name="relu"), num_hidden=3, name="fc2")
    params = drawn(net, data=(2, 8))
    data = random(16, 8)
    net, params, _ = quantization.quantize_model(net, params, {}, label_names=None, calib_mode="naive", num_calib_examples=16,
                                                 calib_data=mx.io.NDArrayIter(data, batch_size=8), quantized_dtype="int8")
    saved(net, params)
    return {"data": data[:2]}


def float16():
    """MXNet has no FullyConnected of float16 on CPUs: it is computed in float32."""
    net = gluon.nn.Dense(3, in_units=4)
    net.cast("float16")
    net.initialize(mx.init.Uniform(0.5))
    saved(net(mx.sym.var("data", dtype="float16")), {name: p.data() for name, p in net.collect_params().items()})
    return {"data": random(2, 4)}


def label():
    """A label whose shape MXNet does not infer is given as zeros."""
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, flatten=False, name="fc")
    net = mx.sym.SoftmaxOutput(mx.sym.Reshape(net, shape=(-1, 3), name="rows"), mx.sym.Reshape(mx.sym.var("softmax_label"), shape=(-1,)), name="softmax")
    shapes = {"data": (2, 4, 5), "softmax_label": (2, 4)}
    saved(net, drawn(net, **shapes))
    return {"data": random(2, 4, 5), "softmax_label": np.zeros((2, 4), np.float32)}


NETS = [states, words, numpy_shapes, int8, float16, label]


def run(script, files, inputs):
    """The bytes of what the script records."""
    with tempfile.TemporaryDirectory() as folder:
        for name, array in inputs.items():
            np.save(os.path.join(folder, name + ".npy"), array)
        words = ["%s=%s.npy" % (name, name) for name in inputs]
        subprocess.run([sys.executable, "-", *files, *words], input=script, cwd=folder, check=True)
        return bytes_of(os.path.join(folder, "recorded.npz"))


def bytes_of(path):
    with open(path, "rb") as f:
        return f.read()


def record_net(script, net):
    np.random.seed(7)
    mx.random.seed(7)
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with mx.name.NameManager():  # names begin with 0
            inputs = net()
        files = {name: bytes_of(name) for name in ("net-symbol.json", "net-0000.params")}
        files["recorded.npz"] = run(script, [os.path.join(folder, name) for name in files], inputs)
        os.chdir(before)
    with zipfile.ZipFile(os.path.join(OUT, "recorder", net.__name__ + ".zip"), "w") as z:
        for name, data in files.items():
            z.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)


def main():
    with open(os.path.join(SAMPLE, "digits-test.json"), encoding="utf-8") as f:
        images = json.load(f)["images"]
    script = subprocess.run([sys.argv[1], "verify", "--recorder"], check=True, stdout=subprocess.PIPE).stdout
    picture = np.array([i["image"] for i in images[:2]], np.float32)[:, None] / 16
    files = [os.path.join(SAMPLE, "digits" + end) for end in ("-symbol.json", "-0000.params")]
    with np.load(io.BytesIO(run(script, files, {"data": picture}))) as recorded:
        np.savez_compressed(os.path.join(OUT, "internals.npz"), **recorded)
    os.makedirs(os.path.join(OUT, "recorder"), exist_ok=True)
    for net in NETS:
        record_net(script, net)


if __name__ == "__main__":
    main()
