#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files as people hold them, and what is computed from them, to tests/data/recorded/files/NAME.zip: the files, and case.json with what is
given to the program, what it must say, and inputs with outputs of MXNet 1.9.1, or of NumPy where only arrays are left (SageMaker's
k-means and PCA, whose meaning SageMaker's documentation says).

    build/oracle/bin/python tests/oracle/record_files.py [NAME ...]
"""
import gzip
import io
import json
import os
import shutil
import sys
import tarfile
import tempfile
import zipfile

os.environ["MXNET_SUBGRAPH_BACKEND"] = "NONE"

import mxnet as mx  # noqa: E402
import numpy as np  # noqa: E402
from mxnet import gluon  # noqa: E402
from mxnet.gluon import nn, rnn  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, os.pardir, "data", "recorded", "files")
BATCH = 3


def numbers(a):
    return {"shape": list(a.shape), "values": [float(v) for v in np.asarray(a, np.float32).ravel()]}


def random(*shape):
    return np.random.uniform(-1, 1, shape).astype(np.float32)


def write(name, data):
    with open(name, "wb") as f:
        f.write(data)


def tar_of(members):
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as g, tarfile.open(fileobj=g, mode="w") as t:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zip_of(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in sorted(members.items()):
            z.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def bytes_of(path):
    with open(path, "rb") as f:
        return f.read()


# ---- symbols with structural names


def structural(net, x, **case):
    """net(sym.var).save and save_parameters; all parameters get random values, so that any wrong match changes the result."""
    net.initialize()
    net.hybridize()
    net(mx.nd.array(x))
    for name, p in sorted(net.collect_params().items()):
        low, high = (0.5, 1.5) if name.endswith(("_var", "gamma")) else (-0.6, 0.6)
        p.set_data(mx.nd.array(np.random.uniform(low, high, p.shape)))
    net(mx.sym.var("data")).save("net-symbol.json")
    net.save_parameters("net.params")
    options = ["--structural-names", "--input", "data=" + "x".join(map(str, x.shape))]
    return {"give": ["net-symbol.json", "net.params"], "options": options, "inputs": {"data": numbers(x)},
            "outputs": [numbers(net(mx.nd.array(x)).asnumpy())], **case}


class Chain(gluon.HybridBlock):
    """Layers that are registered in one order and used in another."""

    def __init__(self, layers, used):
        super().__init__()
        with self.name_scope():
            for i, layer in enumerate(layers):
                setattr(self, "layer%d" % i, layer())
        self.used = used

    def hybrid_forward(self, F, x):
        for i in self.used:
            x = getattr(self, "layer%d" % i)(x)
        return x


class Residual(gluon.HybridBlock):
    """As the zoo's ResNets: the shortcut is registered after the body, and its nodes come before it in the symbol."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.body = nn.HybridSequential(prefix="")
            for _ in range(2):
                self.body.add(nn.Conv2D(4, 3, padding=1), nn.BatchNorm())
            self.shortcut = nn.HybridSequential(prefix="")
            self.shortcut.add(nn.Conv2D(4, 1), nn.BatchNorm())
            self.head = nn.Dense(3)

    def hybrid_forward(self, F, x):
        shortcut = self.shortcut(x)
        return self.head(F.relu(shortcut + self.body(x)))


class Recurrent(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.lstm = rnn.LSTM(3, num_layers=2, bidirectional=True, layout="NTC")
            self.head = nn.Dense(2, flatten=False)

    def hybrid_forward(self, F, x):
        return self.head(self.lstm(x))


def structural_mlp():
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation="relu"), nn.Dense(4, activation="relu"), nn.BatchNorm(), nn.Dense(2))
    return structural(net, random(BATCH, 4), says=["'3.weight' to"])


def structural_layer():
    """One layer alone, whose names in the file have no dot."""
    return structural(nn.Dense(3), random(BATCH, 4))


def structural_residual():
    return structural(Residual(), random(BATCH, 2, 5, 5))


def structural_rnn():
    return structural(Recurrent(), random(BATCH, 5, 2))


def structural_permuted():
    """Only the shapes tell which is which."""
    sizes = [lambda: nn.Dense(2), lambda: nn.Dense(5), lambda: nn.Dense(3)]
    return structural(Chain(sizes, (1, 2, 0)), random(BATCH, 4))


def structural_norms():
    """Layers of as many arrays, whose kinds tell which is which."""
    return structural(Chain([nn.LayerNorm, lambda: nn.Dense(4)], (1, 0)), random(BATCH, 4))


def structural_many():
    """Their numbers have one digit or two."""
    return structural(Chain([lambda: nn.Dense(2)] + [lambda: nn.Dense(4)] * 12, (*range(1, 13), 0)), random(BATCH, 4))


def structural_ambiguous():
    """Two layers of one shape, used in another order than they were made in."""
    return dict(structural(Chain([lambda: nn.Dense(4)] * 2, (1, 0)), random(BATCH, 4)),
                error=["'layer0.weight' or 'layer1.weight'", "save symbol and parameters together with export()"])


def structural_unnumbered():
    """Names without numbers, in another order than the file's, do not identify arrays."""
    layers = [lambda: nn.Dense(2), lambda: nn.Dense(4, prefix="up_"), lambda: nn.Dense(4, prefix="down_")]
    return dict(structural(Chain(layers, (1, 2, 0)), random(BATCH, 4)), error=["'layer1.weight' or 'layer2.weight'"])


class Heads(gluon.HybridBlock):
    """Layers of one shape, used in the order that is given, with prefixes of the user."""

    def __init__(self, prefixes, used):
        super().__init__()
        with self.name_scope():
            self.near, self.far = (nn.Dense(4, prefix=prefix) for prefix in prefixes)
        self.used = used

    def hybrid_forward(self, F, x):
        return F.concat(*[getattr(self, name)(x) for name in self.used], dim=1)


def structural_prefixes():
    """The order of the file fits that of use, but is another one: a name that says nothing is not a reason to take it for right."""
    return dict(structural(Heads(("zz_", "aa_"), ("far", "near")), random(BATCH, 4)), error=["'near.weight' or 'far.weight'"])


def structural_number_in_one():
    """Only one of the names has a number, so they say nothing about the order."""
    return dict(structural(Heads((None, "aa_"), ("near", "far")), random(BATCH, 4)), error=["'near.weight' or 'far.weight'"])


def structural_word_after_number():
    """The layer with a word comes after one without, which has the same shape."""
    return structural(Heads((None, "far_"), ("near", "far")), random(BATCH, 4))


def structural_words_in_order():
    """Nets whose words are inside the names, in the order of use."""
    return parts("near_", "far_")


def parts(*prefixes):
    near, far = (nn.HybridSequential(prefix=prefix) for prefix in prefixes)
    for part in near, far:
        with part.name_scope():
            part.add(nn.Dense(4), nn.Dense(4))
    return structural(Parts(near, far), random(BATCH, 4))


NOT_SURE = ["'near.1.weight' or 'far.0.weight'"]


def structural_word_of_one():
    """The name of the other net in the graph has not the word of the file."""
    return dict(parts("near_", "other_"), error=NOT_SURE)


def structural_words_in_first():
    return dict(parts("near_far_", "far_"), error=NOT_SURE)


def structural_words_in_second():
    return dict(parts("near_", "far_near_"), error=NOT_SURE)


def structural_longer_word():
    """One of the words is the beginning of the other; in the graph they are the ends of names."""
    near, nearer = nn.HybridSequential(prefix="near_"), nn.HybridSequential(prefix="nearer_")
    for part in near, nearer:
        with part.name_scope():
            part.add(nn.Dense(4, prefix=""))

    class Net(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.near, self.nearer = near, nearer

        def hybrid_forward(self, F, x):
            return self.nearer(F.relu(self.near(x)))
    return structural(Net(), random(BATCH, 4))


def structural_words_inside():
    """The same nets in another block: the word that distinguishes them is not the first one of their names in the file."""
    class Outer(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            near, far = nn.HybridSequential(prefix="near_"), nn.HybridSequential(prefix="far_")
            for part in near, far:
                with part.name_scope():
                    part.add(nn.Dense(4), nn.Dense(4))
            self.inside = Parts(near, far)

        def hybrid_forward(self, F, x):
            return self.inside(x)
    return structural(Outer(), random(BATCH, 4))


class Parts(gluon.HybridBlock):
    def __init__(self, near, far):
        super().__init__()
        self.near, self.far = near, far

    def hybrid_forward(self, F, x):
        return self.far(F.relu(self.near(x)))


def structural_shape_without_name():
    """Only with the input's shape does one array fit the first convolution."""
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, padding=1), Residual())
    case = structural(net, random(BATCH, 2, 5, 5))
    return dict(case, options=["--structural-names", "--input", case["options"][2][len("data="):]])


class Anchors(gluon.HybridBlock):
    """Constants whose attributes have another name, as the anchors of GluonCV's SSD."""

    def __init__(self, index):
        super().__init__()
        with self.name_scope():
            self.anchors = self.params.get_constant("anchor_%d" % index, random(1, 4))

    def hybrid_forward(self, F, x, anchors):
        return F.broadcast_mul(x, anchors)


def constants():
    net = nn.HybridSequential()
    net.add(nn.Dense(4), Anchors(0), nn.Dense(4), Anchors(1))
    return net


def structural_constants():
    return structural(constants(), random(BATCH, 4))


class Offsets(gluon.HybridBlock):
    """Constants of two names next to the layers of their block, as the outputs of GluonCV's YOLO."""

    def __init__(self, index):
        super().__init__()
        with self.name_scope():
            self.anchors = self.params.get_constant("anchor_%d" % index, random(1, 4))
            self.offsets = self.params.get_constant("offset_%d" % index, random(4, 1))
            self.prediction = nn.Dense(4)

    def hybrid_forward(self, F, x, anchors, offsets):
        return F.broadcast_mul(F.dot(self.prediction(x), offsets), anchors)


def structural_offsets():
    return structural(Chain([lambda i=i: Offsets(i) for i in range(3)], (0, 1, 2)), random(BATCH, 4))


def structural_constant_missing():
    """A constant of the block is not an input of the model."""
    case = structural(constants(), random(BATCH, 4))
    arrays = mx.nd.load("net.params")
    arrays.pop("1.anchors")
    mx.nd.save("net.params", arrays)
    return dict(case, error=["'anchors1_anchor_1': no array of the file"])


def constant_missing():
    """The same in the files of export()."""
    case = structural(constants(), random(BATCH, 4))
    names = {"0": "dense0", "2": "dense1"}
    arrays = {"arg:%s_%s" % (names[layer], kind): a for (layer, kind), a in ((n.split("."), a) for n, a in mx.nd.load("net.params").items())
              if layer in names}
    mx.nd.save("net.params", arrays)
    return dict(case, options=case["options"][1:], error=["2 of 6 parameters are missing from the parameter files: 'anchors0_anchor_0'"])


class Named(gluon.HybridBlock):
    """Layers of one shape that have their attributes' names, made in another order than they are used in; those of a stack do not."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.query, self.key, self.value = (nn.Dense(4, flatten=False, prefix=name + "_") for name in ("query", "key", "value"))
            self.stack = nn.HybridSequential()
            self.stack.add(nn.Dense(4, flatten=False), nn.Dense(4, flatten=False))

    def hybrid_forward(self, F, x):
        x = self.value(x) - self.stack(F.relu(self.key(x)))
        return F.broadcast_mul(x, self.query(x))


def structural_words():
    """The words say which is which, though the order of the file is not that of use."""
    return structural(Named(), random(BATCH, 2, 4))


class Exchanged(gluon.HybridBlock):
    """Each layer has the other's word in the graph."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.query, self.key = nn.Dense(5, prefix="key_"), nn.Dense(2, prefix="query_")

    def hybrid_forward(self, F, x):
        return F.concat(self.key(x), self.query(x), dim=1)


def structural_words_exchanged():
    """A word does not join layers of different shapes."""
    return structural(Exchanged(), random(BATCH, 4))


class Tied(gluon.HybridBlock):
    """A layer that is used twice under two names, with the bias, and a decoder that has the weight of the embedding and its own bias."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.embed = nn.Embedding(6, 4)
            self.first = nn.Dense(4, flatten=False)
            self.second = nn.Dense(4, flatten=False, params=self.first.params)
            self.decoder = nn.Dense(6, flatten=False, params=self.embed.params)

    def hybrid_forward(self, F, x):
        return self.decoder(self.second(F.relu(self.first(self.embed(x)))))


def structural_tied():
    """save_parameters writes a shared array once for each name; load_parameters sets it as often."""
    case = structural(Tied(), np.float32([[0, 3, 5], [1, 2, 4], [5, 5, 0]]))
    assert len(mx.nd.load("net.params")) == 7
    return case


def structural_tied_apart():
    """Copies that differ: load_parameters would keep the last one, and what was meant is not known."""
    case = structural(Tied(), np.float32([[0, 3, 5]]))
    arrays = mx.nd.load("net.params")
    arrays["second.weight"][0, 0] += 1
    mx.nd.save("net.params", arrays)
    return dict(case, error=["'first.weight' or 'second.weight'"])


class OwnBias(gluon.HybridBlock):
    """A layer with the weight of another and a separate bias."""

    def __init__(self, weight):
        super().__init__()
        with self.name_scope():
            self.weight, self.bias = weight, self.params.get("bias", shape=(4,))

    def hybrid_forward(self, F, x, weight, bias):
        return F.FullyConnected(x, weight, bias, num_hidden=4)


class TiedInPart(gluon.HybridBlock):
    """A layer that is used twice comes after two that have one weight and two biases."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.layer0 = nn.Dense(4, in_units=4)
            self.layer1 = OwnBias(self.layer0.weight)
            self.layer2 = nn.Dense(4, in_units=4)
            self.layer3 = nn.Dense(4, in_units=4, params=self.layer2.params)

    def hybrid_forward(self, F, x):
        return self.layer3(F.relu(self.layer2(self.layer1(F.relu(self.layer0(x))))))


def structural_tied_in_part():
    return structural(TiedInPart(), random(BATCH, 4))


class TiedScaled(gluon.HybridBlock):
    """With a parameter of the outermost block, whose name has no dot."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.tied = Tied()
            self.scale = self.params.get("scale", shape=(1, 6))

    def hybrid_forward(self, F, x, scale):
        return F.broadcast_mul(self.tied(x), scale)


def structural_tied_scaled():
    return structural(TiedScaled(), np.float32([[0, 3, 5], [1, 2, 4], [5, 5, 0]]))


def structural_other_net():
    case = structural_mlp()
    net = nn.HybridSequential()
    net.add(nn.Dense(4), nn.Dense(7), nn.BatchNorm(), nn.Dense(2))
    net.initialize()
    net(mx.nd.array(random(1, 4)))
    net.save_parameters("net.params")
    return dict(case, says=[], error=["no array of the file has the kind 'weight' and fits (4,", "may be of another net"])


def structural_without_option():
    case = structural_rnn()
    return dict(case, options=case["options"][1:], error=["18 of 18 parameters are missing from the parameter files", "--structural-names"])


# ---- SageMaker's own algorithms


def saved(arrays):
    mx.nd.save("arrays", {n: mx.nd.array(a) for n, a in arrays.items()} if isinstance(arrays, dict) else [mx.nd.array(a) for a in arrays])
    data = bytes_of("arrays")
    os.unlink("arrays")
    return data


def sagemaker(members, x, outputs, **case):
    write("model.tar.gz", tar_of(members))
    return {"give": ["model.tar.gz"], "options": [], "inputs": {"data": numbers(x)}, "outputs": [numbers(o) for o in outputs], **case}


def sagemaker_kmeans():
    centres, x = random(4, 6), random(BATCH, 6)
    distances = np.sqrt(((x[:, None].astype(np.float64) - centres) ** 2).sum(2))
    return sagemaker({"model_algo-1": saved([centres])}, x, [distances.argmin(1), distances.min(1)],
                     names=["closest_cluster", "distance_to_cluster"], says=["SageMaker's k-means"])


def sagemaker_pca():
    mean, v, x = random(1, 6), random(6, 3), random(BATCH, 6)
    return sagemaker({"model_algo-1": saved({"s": np.array([1, 2, 3], np.float32), "v": v, "mean": mean})}, x,
                     [(x.astype(np.float64) - mean) @ v], names=["projection"], says=["SageMaker's PCA"])


def sagemaker_pca_without_mean():
    v, x = random(6, 3), random(BATCH, 6)
    return sagemaker({"model_algo-1": saved({"s": np.array([1, 2, 3], np.float32), "v": v})}, x, [x.astype(np.float64) @ v],
                     names=["projection"])


def linear_learner(head):
    """A symbol of its form: the weight is of (features, 1), and the output has a number for its name."""
    data, weight, bias = mx.sym.var("data"), mx.sym.var("fc0_weight", shape=(5, 1)), mx.sym.var("fc0_bias", shape=(1, 1))
    symbol = head(mx.sym.broadcast_add(mx.sym.dot(data, weight), bias), mx.sym.var("out_label"))
    arrays = {"fc0_weight": random(5, 1), "fc0_bias": random(1, 1)}
    x = random(BATCH, 5)
    bound = symbol.simple_bind(mx.cpu(), grad_req="null", data=x.shape, out_label=(BATCH, 1))
    bound.copy_params_from({n: mx.nd.array(a) for n, a in arrays.items()})
    y = bound.forward(is_train=False, data=mx.nd.array(x))[0].asnumpy()
    return symbol, arrays, x, y


def sagemaker_linear_learner(kind="binary_classifier", hosts=1, **case):
    symbol, arrays, x, y = linear_learner(mx.sym.LinearRegressionOutput if kind == "regressor" else mx.sym.LogisticRegressionOutput)
    settings = {"threshold": 0.361, "loss_type": "logistic", "metrics_params": {"threshold": 0.5}, "predictor_type": kind}
    inner = zip_of({"mx-mod-symbol.json": symbol.tojson(), "mx-mod-0000.params": saved({"arg:" + n: a for n, a in arrays.items()}),
                    "additional-params.json": json.dumps(settings), "manifest.json": "{}"})
    case = {"metadata": {"sagemaker:threshold": "0.361"}, "says": ["threshold 0.361"], "names": ["score"], **case}
    return dict(sagemaker({"model_algo-%d" % (i + 1): inner for i in range(hosts)}, x, [y], **case), options=["--dynamic", "data=batch,5"])


def sagemaker_hosts():
    return sagemaker_linear_learner(hosts=2, says=["trained on 2 hosts"])


def sagemaker_regressor():
    return sagemaker_linear_learner(kind="regressor", metadata={"sagemaker:threshold": None},
                                    says=["'linearregressionoutput0': the output is called 'score', as SageMaker's endpoint calls it"])


def sagemaker_topics():
    """A small one of the form of SageMaker's neural topic model: the outputs are the parts of the loss."""
    mean = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="mean")
    recons = mx.sym.FullyConnected(mx.sym.relu(mean), num_hidden=6, no_bias=True, name="dec")
    kld = mx.sym.sum(mx.sym.square(mean), axis=1)
    losses = [("kld", kld), ("recons", mx.sym.sum(mx.sym.square(recons), axis=1))]
    symbol = mx.sym.Group([mx.sym.MakeLoss(kld, name="total_loss")] + [mx.sym.BlockGrad(s, name=n) for n, s in losses])
    arrays = {"mean_weight": random(3, 6), "mean_bias": random(3), "dec_weight": random(6, 3)}
    x = random(BATCH, 6)
    bound = mx.sym.Group([symbol.get_internals()["mean_output"]]).simple_bind(mx.cpu(), grad_req="null", data=x.shape)
    bound.copy_params_from({n: mx.nd.array(arrays[n]) for n in ("mean_weight", "mean_bias")})
    topics = bound.forward(is_train=False, data=mx.nd.array(x))[0].asnumpy()
    inner = zip_of({"symbol.json": symbol.tojson(), "params": saved({"arg:" + n: a for n, a in arrays.items()})})
    return dict(sagemaker({"model_algo-1": inner}, x, [topics], names=["mean"]),
                options=["--dynamic", "data=batch,6", "--output", "mean_output"])


def sagemaker_topics_without_output():
    case = sagemaker_topics()
    return dict(case, options=case["options"][:2], outputs=None, names=["kld", "recons"],
                says=["choose mean_output with --output, and compute its softmax: the share of each topic"])


# ---- GluonTS


class Forecast(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.scale, self.shift = nn.Dense(2, flatten=False), nn.Dense(2, flatten=False)

    def hybrid_forward(self, F, target, seen):
        return self.scale(target) * seen + self.shift(target)


def gluonts_predictor():
    net = Forecast()
    net.initialize(mx.init.Normal(1))
    net.hybridize()
    target, seen = random(BATCH, 4), random(BATCH, 2)
    y = net(mx.nd.array(target), mx.nd.array(seen)).asnumpy()
    net.export("prediction_net", epoch=0)
    write("parameters.json", json.dumps({"batch_size": 32, "freq": "H", "input_names": ["past_target", "past_observed_values"]}).encode())
    write("type.txt", b"gluonts.mx.model.predictor.SymbolBlockPredictor")
    return {"give": ["."], "options": ["--input", "past_target=%dx4" % BATCH, "--input", "data1=%dx2" % BATCH],
            "inputs": {"past_target": numbers(target), "past_observed_values": numbers(seen)}, "outputs": [numbers(y)],
            "says": ["'data0': the input is called 'past_target', as parameters.json says"]}


def gluonts_deepar():
    """DeepAR as its estimator makes it; the draws are random, and tests/zoo compares their quartiles."""
    import pathlib
    os.environ["TQDM_DISABLE"] = "1"
    from gluonts.dataset.common import ListDataset
    from gluonts.mx.model.deepar import DeepAREstimator
    from gluonts.mx.trainer import Trainer
    data = ListDataset([{"start": "2020-01-01", "target": np.random.uniform(5, 15, 80)} for _ in range(3)], freq="D")
    estimator = DeepAREstimator(freq="D", prediction_length=4, context_length=12, lags_seq=[1, 2, 3, 7], num_layers=1, num_cells=8,
                                num_parallel_samples=20, trainer=Trainer(epochs=1, num_batches_per_epoch=1, hybridize=False))
    estimator.train(data).as_symbol_block_predictor(dataset=data).serialize(pathlib.Path("."))
    shapes = {"feat_static_cat": (1,), "feat_static_real": (1,), "past_time_feat": (19, 4), "past_target": (19,), "past_observed_values": (19,),
              "future_time_feat": (4, 4), "past_is_pad": (19,)}
    return {"give": ["."], "options": [o for n, s in shapes.items() for o in ("--dynamic", "%s=%s" % (n, ",".join(map(str, ("batch",) + s))))],
            "inputs": {}, "outputs": None, "names": list(shapes),
            "says": ["'data3': the input is called 'past_target', as parameters.json says"]}


def gluonts_without_shapes():
    case = gluonts_predictor()
    return dict(case, options=[], says=[], error=["error: 'past_observed_values': the shape of input 'past_observed_values' is unknown",
                                         "--input past_observed_values=DIMS"])


# ---- checkpoints of mx.rnn, which have the gates one by one


def checkpoint(cells, steps=3, **case):
    """save_rnn_checkpoint of cells that are unrolled one after the other, and Module's own results. Module knows the shape of each batch."""
    x = random(BATCH, steps, 4)
    y = mx.sym.var("data")
    for cell in cells:
        y, _ = cell.unroll(steps, inputs=y, layout="NTC", merge_outputs=True)
    module = mx.mod.Module(y, label_names=None)
    module.bind([("data", x.shape)], for_training=False)
    module.init_params(mx.init.Uniform(0.6))
    arrays, aux = module.get_params()
    arrays = {n: mx.nd.array(random(*a.shape) * 0.6) for n, a in arrays.items()}
    module.set_params(arrays, aux)
    module.forward(mx.io.DataBatch([mx.nd.array(x)]), is_train=False)
    mx.rnn.save_rnn_checkpoint(cells, "net", 4, y, arrays, aux)
    return {"give": ["net-symbol.json"], "options": ["--input", "data=" + "x".join(map(str, x.shape))], "inputs": {"data": numbers(x)},
            "outputs": [numbers(o.asnumpy()) for o in module.get_outputs()], **case}


def rnn_cells():
    return checkpoint([mx.rnn.LSTMCell(3, prefix="a_"), mx.rnn.GRUCell(2, prefix="b_"), mx.rnn.RNNCell(3, prefix="c_")])


def rnn_fused_lstm():
    return checkpoint([mx.rnn.FusedRNNCell(3, num_layers=2, mode="lstm", bidirectional=True, prefix="lstm_")])


def rnn_fused_gru():
    return checkpoint([mx.rnn.FusedRNNCell(3, num_layers=3, mode="gru", prefix="gru_")])


def rnn_fused_tanh():
    return checkpoint([mx.rnn.FusedRNNCell(3, num_layers=1, mode="rnn_tanh", bidirectional=True, prefix="rnn_")])


def rnn_gate_missing():
    """A bias of the last gate is not in the file."""
    case = checkpoint([mx.rnn.FusedRNNCell(3, num_layers=1, mode="lstm", prefix="lstm_")])
    arrays = mx.nd.load("net-0004.params")
    del arrays["arg:lstm_l0_h2h_o_bias"]
    mx.nd.save("net-0004.params", arrays)
    return dict(case, inputs={}, outputs=None, error=["'lstm_parameters'"])


CASES = [rnn_cells, rnn_fused_lstm, rnn_fused_gru, rnn_fused_tanh, rnn_gate_missing, structural_mlp, structural_layer, structural_residual, structural_rnn, structural_permuted, structural_norms, structural_many, structural_ambiguous,
         structural_unnumbered, structural_words, structural_words_exchanged, structural_prefixes, structural_number_in_one,
         structural_word_after_number, structural_words_in_order, structural_word_of_one, structural_words_in_first, structural_words_in_second,
         structural_longer_word, structural_words_inside, structural_shape_without_name,
         structural_constants, structural_offsets, structural_constant_missing, constant_missing,
         structural_tied, structural_tied_apart, structural_tied_in_part, structural_tied_scaled, structural_other_net, structural_without_option, sagemaker_kmeans, sagemaker_pca, sagemaker_pca_without_mean,
         sagemaker_linear_learner, sagemaker_hosts, sagemaker_regressor, sagemaker_topics, sagemaker_topics_without_output, gluonts_predictor, gluonts_without_shapes, gluonts_deepar]


def record(case):
    np.random.seed(7)
    mx.random.seed(7)
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    with mx.name.NameManager():  # names begin with 0
        what = case()
    members = {os.path.join("model", n): bytes_of(n) for n in os.listdir(".")}
    members["case.json"] = json.dumps(what, indent=1, sort_keys=True)
    os.chdir(HERE)
    shutil.rmtree(folder)
    os.makedirs(OUT, exist_ok=True)
    write(os.path.join(OUT, case.__name__ + ".zip"), zip_of(members))


def main():
    for case in CASES:
        if len(sys.argv) == 1 or case.__name__ in sys.argv[1:]:
            record(case)


if __name__ == "__main__":
    main()
