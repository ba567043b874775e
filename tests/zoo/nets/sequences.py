# SPDX-License-Identifier: Apache-2.0
"""Nets over sequences: unrolled and fused recurrent cells, reading text in images, language models, text
classification, and the forecasting networks of GluonTS."""
import json
import os

from net import Input, Net, trace, words
from nets.layers import S, batches, bn, conv, relu

VOCABULARY = 10000


# ---- language models of the Module API (example/rnn)

def bucketing_lstm(length=16, hidden=200, layers=2, cell="LSTMCell"):
    """One bucket of example/rnn/bucketing: cells unrolled, begin states of zeros whose batch is not known."""
    def make():
        import mxnet as mx
        stack = mx.rnn.SequentialRNNCell()
        for k in range(layers):
            stack.add(getattr(mx.rnn, cell)(num_hidden=hidden, prefix="%s_l%d_" % (cell.lower(), k)))
        x = S.Embedding(S.Variable("data"), input_dim=VOCABULARY, output_dim=hidden, name="embed")
        x, _ = stack.unroll(length, inputs=x, merge_outputs=True)
        x = S.FullyConnected(S.Reshape(x, shape=(-1, hidden)), num_hidden=VOCABULARY, name="pred")
        return S.SoftmaxOutput(x, S.Reshape(S.Variable("softmax_label"), shape=(-1,)), name="softmax")
    return make


def fused_lm(mode="lstm", bidirectional=False, length=16, hidden=200):
    """The same over MXNet's RNN operator (cudnn_rnn_bucketing.py), which makes its begin states itself."""
    def make():
        import mxnet as mx
        cell = mx.rnn.FusedRNNCell(hidden, num_layers=2, mode=mode, bidirectional=bidirectional, prefix=mode + "_")
        x = S.Embedding(S.Variable("data"), input_dim=VOCABULARY, output_dim=hidden, name="embed")
        x, _ = cell.unroll(length, inputs=x, merge_outputs=True, layout="NTC")
        x = S.FullyConnected(S.Reshape(x, shape=(-1, hidden * (1 + bidirectional))), num_hidden=VOCABULARY, name="pred")
        return S.SoftmaxOutput(x, S.Reshape(S.Variable("softmax_label"), shape=(-1,)), name="softmax")
    return make


def word_language_model():
    """example/gluon/word_language_model with tied weights; states come in and go out."""
    import mxnet as mx
    nn, width = mx.gluon.nn, 200

    class Model(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__(prefix="model_")
            with self.name_scope():
                self.encoder = nn.Embedding(VOCABULARY, width)
                self.rnn = mx.gluon.rnn.LSTM(width, 2, dropout=.2, input_size=width)
                self.drop = nn.Dropout(.2)
                self.decoder = nn.Dense(VOCABULARY, in_units=width, flatten=False, params=self.encoder.params)

        def hybrid_forward(self, F, x, h, c):
            out, states = self.rnn(self.drop(self.encoder(x)), [h, c])
            return self.decoder(self.drop(out)), states[0], states[1]

    return trace(Model(), "data", "h", "c")


# ---- text in images (example/ctc, CRNN)

def crnn():
    """Convolutions down to a height of 1, a bidirectional LSTM along the width, a CTC head (its loss is gone)."""
    import mxnet as mx
    x = S.Variable("data")
    layers = ((64, 2, 2), (128, 2, 2), (256, 0, 0), (256, 2, 1), (512, 0, 0), (512, 2, 1))
    for k, (filters, down, across) in enumerate(layers):
        x = conv(x, filters, 3, name="conv%d" % k, bias=True)
        x = relu(bn(x, "bn%d" % k) if k in (2, 4) else x, "relu%d" % k)
        if down:
            x = S.Pooling(x, kernel=(2, 2), stride=(down, across), pad=(0, 0 if across == 2 else 1), pool_type="max",
                          name="pool%d" % k)
    x = relu(bn(conv(x, 512, 2, pad=0, name="conv6"), "bn6"), "relu6")
    x = S.transpose(S.squeeze(x, axis=2), axes=(2, 0, 1))
    for k in range(2):
        cell = mx.rnn.FusedRNNCell(256, mode="lstm", bidirectional=True, prefix="blstm%d_" % k)
        x = S.RNN(x, cell.params.get("parameters"), S.zeros((2, 0, 256)), S.zeros((2, 0, 256)), mode="lstm",
                  num_layers=1, bidirectional=True, state_size=256, name="blstm%d" % k)
    x = S.FullyConnected(S.Reshape(x, shape=(-3, -2)), num_hidden=37, name="pred_fc")
    return S.softmax(x, axis=-1, name="pred")


def ctc_ocr(length=20, hidden=100):
    """example/ctc: two unrolled layers over the columns of an image; its head is the classes with their gradient blocked,
    and the loss."""
    def make():
        import mxnet as mx
        stack = mx.rnn.SequentialRNNCell()
        for k in range(2):
            stack.add(mx.rnn.LSTMCell(hidden, prefix="l%d_" % k))
        x, _ = stack.unroll(length, inputs=S.Variable("data"), layout="NTC")
        pred = S.FullyConnected(S.Concat(*x, dim=0), num_hidden=11, name="pred")
        loss = S.contrib.ctc_loss(S.Reshape(pred, shape=(-4, length, -1, 0)), S.Variable("label"))
        classes = S.BlockGrad(S.MakeLoss(S.SoftmaxActivation(pred)))
        return S.Group([classes, S.MakeLoss(loss)])
    return make


def lstnet(window=24, series=8, skip=4):
    """example/multivariate_time_series: convolution, a recurrent layer, one over every skip-th step, and a linear part."""
    import mxnet as mx
    x = S.Variable("data")
    y = S.Pad(S.Reshape(x, shape=(0, 1, window, series)), mode="constant", constant_value=0,
              pad_width=(0, 0, 0, 0, 5, 0, 0, 0))
    y = relu(S.Convolution(y, kernel=(6, series), num_filter=50, name="conv"))
    y = S.Dropout(S.transpose(S.Reshape(y, shape=(0, 0, 0)), axes=(0, 2, 1)), p=.2)
    out, _ = mx.rnn.GRUCell(50, prefix="rnn_").unroll(window, inputs=y, merge_outputs=False, layout="NTC")
    far, _ = mx.rnn.GRUCell(10, prefix="skip_").unroll(window, inputs=y, merge_outputs=False, layout="NTC")
    recent = S.concat(*[far[k] for k in range(window - 1, window - skip - 1, -1)], dim=1)
    nonlinear = S.FullyConnected(S.concat(out[-1], recent, dim=1), num_hidden=series, name="fc")
    parts = []
    for k in range(series):
        one = S.slice_axis(x, axis=2, begin=k, end=k + 1)
        parts.append(S.FullyConnected(one, num_hidden=1, name="ar%d" % k))
    return S.LinearRegressionOutput(nonlinear + S.concat(*parts, dim=1), S.Variable("softmax_label"), name="lro")


def speech_lstmp():
    """example/speech_recognition of old: LSTM with projection over frames, one score a frame."""
    x = S.Variable("data")
    for k in range(3):
        x = S.RNN(S.transpose(x, axes=(1, 0, 2)), S.Variable("lstmp%d_parameters" % k), S.zeros((1, 0, 128)),
                  S.zeros((1, 0, 256)), mode="lstm", num_layers=1, state_size=256, projection_size=128,
                  state_outputs=True, name="lstmp%d" % k)[0]
        x = S.transpose(x, axes=(1, 0, 2))
    x = S.FullyConnected(x, num_hidden=1955, flatten=False, name="pred")
    return S.SoftmaxOutput(x, S.Variable("softmax_label"), preserve_shape=True, name="softmax")


# ---- text classification

def text_cnn(length=56, width=128):
    """example/cnn_text_classification: three widths of words, the greatest answer of each."""
    x = S.Embedding(S.Variable("data"), input_dim=VOCABULARY, output_dim=width, name="vocab_embed")
    x = S.Reshape(x, shape=(-1, 1, length, width))
    pooled = []
    for size in (3, 4, 5):
        y = relu(S.Convolution(x, kernel=(size, width), num_filter=100, name="convolution%d" % size))
        pooled.append(S.Pooling(y, pool_type="max", kernel=(length - size + 1, 1), stride=(1, 1)))
    x = S.Dropout(S.Reshape(S.Concat(*pooled, dim=1), shape=(-1, 300)), p=.5)
    return S.SoftmaxOutput(S.FullyConnected(x, num_hidden=2, name="cls"), S.Variable("softmax_label"), name="softmax")


def char_cnn():
    """Crepe: six convolutions over one-hot characters."""
    x = S.transpose(S.one_hot(S.Variable("data"), depth=70), axes=(0, 2, 1))
    for k, (size, pool) in enumerate(((7, 3), (7, 3), (3, 0), (3, 0), (3, 0), (3, 3))):
        x = relu(S.Convolution(x, kernel=(size,), num_filter=256, name="conv%d" % k))
        if pool:
            x = S.Pooling(x, kernel=(pool,), stride=(pool,), pool_type="max")
    for k in range(2):
        x = S.Dropout(relu(S.FullyConnected(x, num_hidden=1024, name="fc%d" % k)), p=.5)
    return S.SoftmaxOutput(S.FullyConnected(x, num_hidden=14, name="fc2"), S.Variable("softmax_label"), name="softmax")


# ---- GluonTS

HISTORY, CONTEXT, AHEAD, LAGS, SAMPLES = 40, 24, 2, (1, 2, 3, 7, 14), 2000


def mean_scale(x, observed):
    """MeanScaler: of what was observed, else the mean of the batch, at least 1e-10; (batch, 1)."""
    count = S.sum(observed, axis=1)
    total = S.sum(S.abs(x) * observed, axis=1)
    over_all = S.broadcast_div(S.sum(total), S.maximum(S.sum(count), 1.0))
    scale = S.where(count > 0, total / S.maximum(count, 1.0), S.broadcast_mul(over_all, S.ones_like(count)))
    return S.expand_dims(S.maximum(scale, 1e-10), axis=1)


def lagged(x, length, lags):
    """The last `length` values as they were `lags` steps before, side by side."""
    return S.stack(*[S.slice_axis(x, axis=1, begin=-lag - length, end=-lag if lag else None) for lag in lags], axis=-1)


def deepar(samples):
    """The prediction network: cells unrolled over the past; then either the parameters of Student's t for the past, or
    `samples` paths drawn step by step."""
    def make():
        import mxnet as mx
        rnn = mx.gluon.rnn.HybridSequentialRNNCell(prefix="deepar_rnn_")
        with rnn.name_scope():
            for k in range(2):
                cell = mx.gluon.rnn.LSTMCell(hidden_size=40)
                cell = mx.gluon.rnn.ResidualCell(cell) if k else cell
                rnn.add(mx.gluon.rnn.ZoneoutCell(cell, zoneout_states=.1))
        heads = [mx.gluon.nn.Dense(1, flatten=False, prefix="deepar_distr_%s_" % n) for n in ("mu", "sigma", "nu")]

        def parameters(x, scale):
            mu, sigma, nu = (S.squeeze(head(x), axis=-1) for head in heads)
            sigma, nu = S.Activation(sigma, act_type="softrelu"), 2.0 + S.Activation(nu, act_type="softrelu")
            return S.broadcast_mul(mu, scale), S.broadcast_mul(sigma, scale), nu

        def unrolled(x, times, static, scale, length, lags, states):
            x = S.broadcast_div(lagged(x, length, lags), S.expand_dims(scale, axis=-1))
            static = S.repeat(S.expand_dims(static, axis=1), axis=1, repeats=length)
            x = S.concat(S.reshape(x, shape=(-1, length, len(lags))), times, static, dim=-1)
            return rnn.unroll(inputs=x, length=length, layout="NTC", merge_outputs=True, begin_state=states)

        cat, real, times, past, seen, ahead = (S.Variable("data%d" % k) for k in range(6))
        scale = mean_scale(S.slice_axis(past, axis=1, begin=-CONTEXT, end=None),
                           S.slice_axis(seen, axis=1, begin=-CONTEXT, end=None))
        embedding = mx.gluon.nn.Embedding(10, 5, prefix="deepar_cat_0_embedding_")
        static = S.concat(S.squeeze(embedding(cat), axis=1), real, S.log(scale), dim=1)
        times = S.slice_axis(times, axis=1, begin=HISTORY - CONTEXT, end=None)
        begin = rnn.begin_state(func=S.zeros, dtype="float32", batch_size=0)
        out, states = unrolled(past, times, static, scale, CONTEXT, LAGS, begin)
        if not samples:
            return S.Group(list(parameters(out, scale)))
        past, ahead, static, scale = (S.repeat(x, repeats=samples, axis=0) for x in (past, ahead, static, scale))
        states, drawn = [S.repeat(x, repeats=samples, axis=0) for x in states], []
        for k in range(AHEAD):
            step = S.slice_axis(ahead, axis=1, begin=k, end=k + 1)
            out, states = unrolled(past, step, static, scale, 1, [lag - 1 for lag in LAGS], states)
            mu, sigma, nu = parameters(out, scale)
            gamma = S.sample_gamma(nu / 2.0, 2.0 / (nu * S.square(sigma)))
            new = S.sample_normal(mu, S.rsqrt(gamma))
            past = S.concat(past, new, dim=1)
            drawn.append(new)
        return S.reshape(S.concat(*drawn, dim=1), shape=(-1, samples, AHEAD))
    return make


def simple_feed_forward():
    """Its deterministic half: the parameters of Student's t for the steps ahead."""
    import mxnet as mx
    past, seen = S.Variable("past_target"), S.Variable("past_observed")
    scale, layers, width = mean_scale(past, seen), mx.gluon.nn.HybridSequential(prefix="sff_"), 10
    with layers.name_scope():
        layers.add(mx.gluon.nn.Dense(40, activation="relu"), mx.gluon.nn.Dense(40, activation="relu"),
                   mx.gluon.nn.Dense(AHEAD * width), mx.gluon.nn.HybridLambda(
                       lambda F, x, *args: F.reshape(x, (-1, AHEAD, width))))
    x = layers(S.broadcast_div(past, scale))
    heads = [mx.gluon.nn.Dense(1, flatten=False, prefix="sff_distr_%s_" % n) for n in ("mu", "sigma", "nu")]
    mu, sigma, nu = (S.squeeze(head(x), axis=-1) for head in heads)
    return S.Group([S.broadcast_mul(mu, scale), S.broadcast_mul(S.Activation(sigma, act_type="softrelu"), scale),
                    2.0 + S.Activation(nu, act_type="softrelu")])


def moments(got, want):
    """Of many draws: how far median and quartiles of each step are apart, as a share of the spread between quartiles.
    By chance that is about 0.04 for 2000 draws."""
    import numpy as np
    a, b = (np.percentile(x[0], (25, 50, 75), axis=1) for x in (got, want))
    return float((np.abs(a - b) / (b[2] - b[0])).max())


def observed(rng, shape):
    return rng.uniform(size=shape) < .9


def predictor_folder(folder):
    """The files of Predictor.serialize."""
    out = os.path.join(folder, "predictor")
    os.mkdir(out)
    os.rename(os.path.join(folder, "net-symbol.json"), os.path.join(out, "prediction_net-symbol.json"))
    os.rename(os.path.join(folder, "net-0000.params"), os.path.join(out, "prediction_net-0000.params"))
    for name, data in (("prediction_net-in_out_format.json", {"in_format": [0], "out_format": 0}),
                       ("input_transform.json", {"__kind__": "instance"}), ("parameters.json", {"freq": "1H"}),
                       ("version.json", {"model": "0.5.2", "gluonts": "0.5.2"})):
        with open(os.path.join(out, name), "w") as f:
            json.dump(data, f)
    with open(os.path.join(out, "type.txt"), "w") as f:
        f.write("gluonts.model.predictor.SymbolBlockPredictor")
    return "predictor"


# ---- the list

def tokens(name, make, length=16, labelled=True):
    return Net(name, "nlp", make, {"data": Input((1, length), draw=words(VOCABULARY))}, **batches("data"),
               labels={"softmax_label": lambda shapes: shapes["data"]} if labelled else None)


FORECAST = {"data0": Input((1, 1), draw=words(10)), "data1": Input((1, 1)), "data2": Input((1, HISTORY, 3)),
            "data3": Input((1, HISTORY), draw=lambda rng, shape: rng.uniform(5, 15, size=shape)),
            "data4": Input((1, HISTORY), draw=observed)}
SAMPLED = dict(FORECAST, data5=Input((1, AHEAD, 3)))

NETS = [
    tokens("bucketing_lstm", bucketing_lstm()),
    tokens("bucketing_gru", bucketing_lstm(cell="GRUCell")),
    tokens("bucketing_rnn", bucketing_lstm(cell="RNNCell")),
    tokens("fused_lstm_lm", fused_lm()),
    tokens("fused_gru_lm_bidirectional", fused_lm("gru", True)),
    Net("word_language_model", "nlp", word_language_model,
        {"data": Input((12, 1), draw=words(VOCABULARY)), "h": Input((2, 1, 200)), "c": Input((2, 1, 200))},
        dynamic={"data": {0: "length", 1: "batch"}, "h": {1: "batch"}, "c": {1: "batch"}},
        sizes=[{"batch": 2, "length": 7}, {"batch": 1, "length": 1}, {"batch": 3, "length": 5}]),
    Net("crnn", "ocr", crnn, {"data": Input((1, 1, 32, 100))}, dynamic={"data": {0: "batch", 3: "width"}},
        sizes=[{"batch": 2, "width": 120}, {"batch": 1, "width": 64}, {"batch": 3, "width": 33}]),
    Net("speech_lstmp", "speech", speech_lstmp, {"data": Input((1, 20, 40))},
        dynamic={"data": {0: "batch", 1: "frames"}},
        sizes=[{"batch": 2, "frames": 7}, {"batch": 1, "frames": 33}, {"batch": 3, "frames": 1}]),
    Net("ctc_ocr", "ocr", ctc_ocr(), {"data": Input((1, 20, 30))}, kept=(0,),
        labels={"label": lambda shapes: (shapes["data"][0], 4)}, **batches("data")),
    Net("lstnet", "forecasting", lstnet, {"data": Input((1, 24, 8))}, **batches("data")),
    tokens("text_cnn", text_cnn, 56, labelled=False),
    Net("char_cnn", "nlp", char_cnn, {"data": Input((1, 150), draw=words(70))}, **batches("data")),
    Net("deepar", "forecasting", deepar(0), FORECAST, pack=predictor_folder, **batches(*FORECAST)),
    Net("deepar_sampling", "forecasting", deepar(SAMPLES), SAMPLED, compare=moments, bound=.15,
        reason="random draws: their quartiles are compared", **batches(*SAMPLED)),
    Net("simple_feed_forward", "forecasting", simple_feed_forward, {
            "past_target": Input((1, HISTORY), draw=lambda rng, shape: rng.uniform(5, 15, size=shape)),
            "past_observed": Input((1, HISTORY), draw=observed)}, **batches("past_target", "past_observed")),
]
