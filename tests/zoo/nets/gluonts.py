# SPDX-License-Identifier: Apache-2.0
"""The prediction networks of GluonTS 0.11, built by its own estimators and kept as its predictors keep them
(`as_symbol_block_predictor(data).serialize(folder)`). Inputs are data0, data1, ... in the order of the predictor's input_names.

Those that draw samples are compared by their quartiles.
"""
from net import Input, Net, trace, uniform, words
from nets.layers import batches
from nets.sequences import moments, observed, predictor_folder

AHEAD, CONTEXT, SAMPLES, BINS = 4, 12, 10000, 1024
LAGS = (1, 2, 3, 7)
HISTORY = CONTEXT + max(LAGS)
FEATURES = 4  # three of the day, and the age of the series


def network(estimator):
    """The prediction network of an estimator after one batch of training, which is what makes its parameters."""
    def make():
        import os
        import warnings
        import numpy as np
        os.environ["TQDM_DISABLE"] = "1"
        warnings.filterwarnings("ignore")
        from gluonts.dataset.common import ListDataset
        from gluonts.mx.trainer import Trainer
        rng = np.random.RandomState(0)
        series = [{"start": "2020-01-01", "target": rng.uniform(5, 15, 80), "feat_static_cat": [0]} for _ in range(3)]
        trainer = Trainer(epochs=1, num_batches_per_epoch=1, hybridize=False)
        predictor = estimator(prediction_length=AHEAD, trainer=trainer).train(ListDataset(series, freq="D"))
        return trace(predictor.prediction_net, *["data%d" % k for k in range(len(predictor.input_names))])
    return make


# ---- the estimators, smaller than by default

def feed_forward(**more):
    from gluonts.mx.model.simple_feedforward import SimpleFeedForwardEstimator
    return SimpleFeedForwardEstimator(context_length=CONTEXT, num_parallel_samples=SAMPLES, **more)


def distribution(**more):
    return feed_forward(sampling=False, **more)


def deepar(**more):
    from gluonts.mx.model.deepar import DeepAREstimator
    return DeepAREstimator(freq="D", context_length=CONTEXT, lags_seq=list(LAGS), num_parallel_samples=SAMPLES, **more)


def transformer(**more):
    from gluonts.mx.model.transformer import TransformerEstimator
    return TransformerEstimator(freq="D", context_length=CONTEXT, lags_seq=list(LAGS), num_parallel_samples=SAMPLES, **more)


def wavenet(**more):
    from gluonts.mx.model.wavenet import WaveNetEstimator
    return WaveNetEstimator(freq="D", train_window_length=16, seasonality=7, num_bins=BINS, num_parallel_samples=SAMPLES, **more)


def tft(**more):
    from gluonts.mx.model.tft import TemporalFusionTransformerEstimator
    return TemporalFusionTransformerEstimator(freq="D", context_length=CONTEXT, **more)


def mq_cnn(**more):
    from gluonts.mx.model.seq2seq import MQCNNEstimator
    return MQCNNEstimator(freq="D", context_length=CONTEXT, **more)


def mq_rnn(**more):
    from gluonts.mx.model.seq2seq import MQRNNEstimator
    return MQRNNEstimator(freq="D", context_length=CONTEXT, **more)


def n_beats(**kinds):
    def make(**more):
        from gluonts.mx.model.n_beats import NBEATSEstimator
        return NBEATSEstimator(freq="D", context_length=CONTEXT, **kinds, **more)
    return make


# ---- the list

def values(*shape):
    return Input(shape, draw=uniform(5, 15))


def seen(*shape):
    return Input(shape, draw=observed)


def category():
    return Input((1, 1), draw=words(1))


def predictor(name, estimator, *inputs, **options):
    named = {"data%d" % k: i for k, i in enumerate(inputs) if i}
    return Net("gluonts_" + name, "gluonts", network(estimator), named, pack=predictor_folder, **batches(*named), **options)


def forked(features):
    """Inputs of the quantile forecasters."""
    return (values(1, CONTEXT, 1), Input((1, CONTEXT, features)), Input((1, CONTEXT, AHEAD, features)), category(),
            seen(1, CONTEXT, 1))


DRAWN = {"compare": moments, "bound": .07, "reason": "random draws: their quartiles are compared"}

NETS = [
    predictor("feed_forward", feed_forward, values(1, CONTEXT), **DRAWN),
    predictor("feed_forward_distribution", distribution, values(1, CONTEXT)),
    predictor("deepar", deepar, category(), Input((1, 1)), Input((1, HISTORY, FEATURES)), values(1, HISTORY), seen(1, HISTORY),
              Input((1, AHEAD, FEATURES)), Input((1, HISTORY), draw=words(1)), **DRAWN),
    predictor("transformer", transformer, category(), Input((1, HISTORY, FEATURES)), values(1, HISTORY), seen(1, HISTORY),
              Input((1, AHEAD, FEATURES)), **DRAWN),
    predictor("wavenet", wavenet, category(), Input((1, 16), draw=words(BINS)), seen(1, 16), Input((1, FEATURES, 16)),
              Input((1, FEATURES, AHEAD)), values(1, 1), environment={"MXNET_MKLDNN_ENABLED": "0"}, **DRAWN),
    predictor("tft", tft, values(1, CONTEXT), seen(1, CONTEXT), Input((1, CONTEXT, 1)), Input((1, CONTEXT, 1), draw=words(1)),
              Input((1, CONTEXT + AHEAD, 3)), Input((1, CONTEXT + AHEAD, 1), draw=words(1)), Input((1, 1)), category()),
    predictor("mq_cnn", mq_cnn, *forked(3)),
    predictor("mq_rnn", mq_rnn, *forked(1)),
    predictor("n_beats", n_beats(num_stacks=3), values(1, CONTEXT), seen(1, CONTEXT)),
    predictor("n_beats_interpretable", n_beats(num_stacks=2, num_blocks=[2], widths=[64, 128], stack_types=["T", "S"],
              expansion_coefficient_lengths=[3], sharing=[True]), values(1, CONTEXT), seen(1, CONTEXT)),
]
