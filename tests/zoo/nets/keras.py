# SPDX-License-Identifier: Apache-2.0
"""Nets of Keras-MXNet 2.2.4, as its save_mxnet_model writes them: an input NAME is called /NAME1, Dense is a dot, and images with
their channels last are transposed around each convolution."""
from net import Input, Net, uniform, words
from nets.layers import batches


def saved(build, last=False):
    """The symbol of a Keras model: it is there once the model has predicted."""
    def make():
        import os
        import tempfile
        import numpy as np
        with tempfile.TemporaryDirectory() as folder:
            os.environ.update(KERAS_BACKEND="mxnet", KERAS_HOME=folder)
            keras = module()
            import mxnet as mx
            keras.backend.set_image_data_format("channels_last" if last else "channels_first")
            model = build(keras.layers)
            model.compile("sgd", ["mse"] * len(model.outputs))
            model.predict([np.zeros((2,) + tuple(map(int, x.shape[1:]))) for x in model.inputs])
            keras.models.save_mxnet_model(model, os.path.join(folder, "net"))
            return mx.sym.load(os.path.join(folder, "net-symbol.json"))
    return make


def module():
    """Keras, which looks for abstract classes where Python 3.9 and before had them."""
    import collections.abc
    for name in ("Iterable", "Mapping", "Sequence"):
        setattr(collections, name, getattr(collections.abc, name))
    import keras
    return keras


def model(inputs, outputs):
    from keras.models import Model
    return Model(inputs, outputs)


# ---- the nets

def mlp(L):
    x = data = L.Input((20,), name="data")
    for width in (64, 32):
        x = L.Dropout(.3)(L.BatchNormalization()(L.Dense(width, activation="relu")(x)))
    return model(data, L.Dense(5, activation="softmax")(x))


def two_inputs(L):
    numbers, others = L.Input((10,), name="numbers"), L.Input((4,), name="others")
    x = L.concatenate([L.Dense(8, activation="tanh")(numbers), L.Dense(8, activation="elu")(others)])
    return model([numbers, others], [L.Dense(3, activation="softmax")(x), L.Dense(1)(x)])


def cnn(shape):
    def build(L):
        x = data = L.Input(shape, name="data")
        for filters in (8, 16):
            x = L.MaxPooling2D()(L.Conv2D(filters, 3, padding="same", activation="relu")(x))
        x = L.Activation("relu")(L.BatchNormalization()(L.Conv2D(32, 3)(x)))
        return model(data, L.Dense(10, activation="softmax")(L.Dense(32, activation="relu")(L.Flatten()(x))))
    return build


def lstm(L):
    data = L.Input((12,), name="data")
    x = L.LSTM(24, unroll=True)(L.Embedding(50, 8, input_length=12)(data))
    return model(data, L.Dense(1, activation="sigmoid")(x))


def gru(L):
    data = L.Input((12,), name="data")
    x = L.Bidirectional(L.GRU(24, return_sequences=True))(L.Embedding(50, 8, input_length=12)(data))
    return model(data, L.Dense(1, activation="sigmoid")(L.GlobalMaxPooling1D()(x)))


def text_cnn(L):
    data = L.Input((20,), name="data")
    x = L.GlobalMaxPooling1D()(L.Conv1D(32, 3, activation="relu")(L.Embedding(50, 16, input_length=20)(data)))
    return model(data, L.Dense(3, activation="softmax")(x))


def application(file, name, shape):
    def build(L):
        import importlib
        net = getattr(importlib.import_module("keras.applications." + file), name)
        return net(weights=None, input_tensor=L.Input(shape, name="data"), classes=10)
    return build


# ---- the list

def scaled(last):
    """The rule takes the first axis of weights for their outputs. Keras' kernels have these last, but of images whose channels
    come first."""
    def tune(params):
        import numpy as np
        for name, a in params.items():
            if name.endswith("kernel1") and (a.ndim < 4 or last):
                inputs = a.shape[:2] if "depthwise" in name else a.shape[:-1]
                a *= np.sqrt(np.prod(a.shape[1:]) / np.prod(inputs))
    return tune


def rows(name, build, shape, last=False, draw=None):
    return Net("keras_" + name, "keras", saved(build, last), {"/data1": Input((1,) + shape, draw=draw)}, tune=scaled(last),
               **batches("/data1"))


def image(name, build, shape, last=False):
    return rows(name, build, shape, last, uniform(-1, 1))


NETS = [
    rows("mlp", mlp, (20,)),
    Net("keras_two_inputs", "keras", saved(two_inputs), {"/numbers1": Input((1, 10)), "/others1": Input((1, 4))},
        tune=scaled(False), **batches("/numbers1", "/others1")),
    image("cnn", cnn((1, 28, 28)), (1, 28, 28)),
    image("cnn_channels_last", cnn((28, 28, 1)), (28, 28, 1), True),
    rows("lstm", lstm, (12,), draw=words(50)),
    rows("gru_both_ways", gru, (12,), draw=words(50)),
    rows("text_cnn", text_cnn, (20,), draw=words(50)),
    image("resnet50", application("resnet50", "ResNet50", (3, 64, 64)), (3, 64, 64)),
    image("resnet50_channels_last", application("resnet50", "ResNet50", (64, 64, 3)), (64, 64, 3), True),
    image("mobilenet_v2", application("mobilenet_v2", "MobileNetV2", (3, 96, 96)), (3, 96, 96)),
    image("mobilenet_v2_channels_last", application("mobilenet_v2", "MobileNetV2", (96, 96, 3)), (96, 96, 3), True),
    image("inception_v3", application("inception_v3", "InceptionV3", (3, 139, 139)), (3, 139, 139)),
    image("densenet121", application("densenet", "DenseNet121", (3, 64, 64)), (3, 64, 64)),
    image("xception_channels_last", application("xception", "Xception", (96, 96, 3)), (96, 96, 3), True),
]
