# SPDX-License-Identifier: Apache-2.0
"""SageMaker's built-in algorithms that are nets, in the archives that a training leaves. Linear learner and topic model are written
from public archives; image classification, object detection and sequence to sequence are nets that MXNet's examples and Sockeye have.
"""
import json
import os
import tarfile
import zipfile

from net import Input, Net, uniform
from nets import detection, sockeye
from nets.general import FM, factorization_machine, few, small_factors
from nets.layers import S, batches, bn, conv, relu

WORDS, TOPICS = 2000, 10


# ---- the nets

def linear(head, classes=1):
    """Linear learner."""
    def make():
        x = S.dot(S.Variable("data"), S.Variable("fc0_weight", shape=(200, classes)))
        x = S.broadcast_add(x, S.Variable("fc0_bias", shape=(1, classes)))
        return getattr(S, head)(x, S.Variable("out_label"))
    return make


def topics():
    """The topic model: a variational autoencoder over counts of words, whose heads are losses. The topics are one of its inner
    values."""
    data, x = S.Variable("data"), S.Variable("data")
    for k, width in enumerate((30, 20)):
        x = S.Activation(S.FullyConnected(x, num_hidden=width, name="enc_%d" % k), act_type="sigmoid")
    mean, logsigma = (S.FullyConnected(x, num_hidden=TOPICS, name=n) for n in ("mean", "logsigma"))
    divergence = S.sum((1 - S.square(mean) + logsigma * 2 - S.exp(logsigma * 2)) * -.5, axis=1)
    count = S.sum(data, axis=1)
    empty = count == S.zeros_like(count)
    drawn = S.sample_normal(S.zeros_like(mean), S.ones_like(mean))
    y = S.FullyConnected(relu(mean + drawn * S.exp(logsigma)), num_hidden=WORDS, name="projection")
    loss = S.sum(data * -1.0 * S.log_softmax(y), axis=1)
    divergence, loss = (x / (count + empty) * (S.ones_like(count) - empty) for x in (divergence, loss))
    total = divergence * S.ones_like(S.Variable("n_epoch")) + loss
    return S.Group([S.MakeLoss(total, name="total_loss"), S.BlockGrad(divergence, name="kld"), S.BlockGrad(loss, name="recons"),
                    S.BlockGrad(loss + divergence, name="logppx")])


def resnet():
    """Image classification: example/image-classification's resnet.py."""
    def unit(x, filters, stride, match, name):
        first = relu(bn(x, name + "_bn1"), name + "_relu1")
        y = relu(bn(conv(first, filters, 3, stride, name=name + "_conv1"), name + "_bn2"), name + "_relu2")
        y = conv(y, filters, 3, name=name + "_conv2")
        return y + (x if match else conv(first, filters, 1, stride, name=name + "_sc"))

    x = bn(S.identity(S.Variable("data"), name="id"), "bn_data", fix_gamma=True)
    x = relu(bn(conv(x, 64, 7, 2, 3, name="conv0"), "bn0"), "relu0")
    x = S.Pooling(x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max")
    for stage, filters in enumerate((64, 128, 256, 512), 1):
        for k in (1, 2):
            x = unit(x, filters, 2 if k == 1 and stage > 1 else 1, k > 1, "stage%d_unit%d" % (stage, k))
    x = S.Pooling(relu(bn(x, "bn1"), "relu1"), global_pool=True, kernel=(7, 7), pool_type="avg", name="pool1")
    return S.SoftmaxOutput(S.FullyConnected(S.Flatten(x), num_hidden=257, name="fc1"), name="softmax")


# ---- the archives

def pack_into(names):
    """model.tar.gz of these files: {name: file in the folder, or JSON}."""
    def pack(folder):
        with tarfile.open(os.path.join(folder, "model.tar.gz"), "w:gz", compresslevel=1) as archive:
            for name, data in names.items():
                if not isinstance(data, str):
                    with open(os.path.join(folder, "more.json"), "w") as f:
                        json.dump(data, f)
                archive.add(os.path.join(folder, data if isinstance(data, str) else "more.json"), name)
        return "model.tar.gz"
    return pack


def model_algo(symbol, params, **more):
    """A zip in a tar."""
    def pack(folder):
        with zipfile.ZipFile(os.path.join(folder, "algo.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(os.path.join(folder, "net-symbol.json"), symbol)
            archive.write(os.path.join(folder, "net-0000.params"), params)
            for name, data in more.items():
                archive.writestr(name.replace("_", "-") + ".json", json.dumps(data))
        return pack_into({"model_algo-1": "algo.zip"})(folder)
    return pack


def learner(kind, threshold):
    return model_algo("mx-mod-symbol.json", "mx-mod-0000.params", manifest={"mx-mod": "mxnet_module", "version": 1},
                      additional_params={"threshold": threshold, "predictor_type": kind})


# ---- the list

def small(params):
    """Sums over all features that a sigmoid does not round."""
    params["fc0_weight"] *= .05


def linear_learner(kind, head, classes=1, threshold=.5):
    return Net("sagemaker_linear_" + kind, "sagemaker", linear(head, classes), {"data": Input((1, 200))},
               labels={"out_label": lambda shapes: (shapes["data"][0],) + (() if classes > 1 else (1,))},
               tune=small, pack=learner(kind, threshold), **batches("data"))


NETS = [
    linear_learner("binary_classifier", "LogisticRegressionOutput", threshold=.03),
    linear_learner("multiclass_classifier", "SoftmaxOutput", 7),
    linear_learner("regressor", "LinearRegressionOutput"),
    Net("sagemaker_topics", "sagemaker", topics, {"data": Input((1, WORDS), draw=few)}, options=("--output", "mean_output"),
        labels={"n_epoch": lambda shapes: (shapes["data"][0],)}, reference=lambda symbol: symbol.get_internals()["mean_output"],
        reason="cut at the topics, as SageMaker serves them", pack=model_algo("symbol.json", "params", meta={"version": 1}),
        **batches("data")),
    Net("sagemaker_factorization_machines", "sagemaker", factorization_machine, FM, tune=small_factors,
        pack=model_algo("symbol.json", "params", meta={}), **batches("data")),
    Net("sagemaker_image_classification", "sagemaker", resnet, {"data": Input((1, 3, 224, 224), draw=uniform(-1, 1))},
        pack=pack_into({"image-classification-symbol.json": "net-symbol.json", "image-classification-0010.params": "net-0000.params",
                        "model-shapes.json": [{"shape": [32, 3, 224, 224], "name": "data"}]}), **batches("data")),
    Net("sagemaker_object_detection", "sagemaker", detection.ssd(detection.ssd_resnet50_layers, False, True),
        detection.IMAGE, labels={"label": detection.boxes}, kept=(0, 3), compare=detection.with_scores, tune=detection.small_steps,
        pack=pack_into({"model_algo_1-symbol.json": "net-symbol.json", "model_algo_1-0000.params": "net-0000.params",
                        "hyperparams.json": {"image_shape": "300"}}), **detection.BATCH),
    Net("sagemaker_seq2seq", "sagemaker", sockeye.trained("rnn"), sockeye.INPUTS,
        labels={"target_label": lambda shapes: shapes["target"]},
        pack=pack_into({"symbol.json": "net-symbol.json", "params.best": "net-0000.params", "vocab.src.json": {}, "vocab.trg.json": {}}),
        **batches(*sockeye.INPUTS)),
]
