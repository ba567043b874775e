# SPDX-License-Identifier: Apache-2.0
"""Sockeye 1.18: the net that its training keeps as symbol.json, which gives the probabilities of each word of a translation, and
the one that its `score` program makes of it. Both are unrolled to given lengths. Decoding is a program of Python."""
import os

from net import Input, Net
from nets.layers import batches

SOURCE, TARGET, VOCABULARY = 12, 10, (200, 300)
SIZES = {"transformer": "--num-embed 64 --num-layers 2 --transformer-model-size 64 --transformer-attention-heads 4 "
                        "--transformer-feed-forward-num-hidden 128",
         "rnn": "--num-embed 32 --rnn-num-hidden 48",
         "cnn": "--num-embed 32 --num-layers 2 --cnn-num-hidden 48"}


def programs():
    """Sockeye's modules. It wants to be read before MXNet, for the sake of its processes, which it does not have here."""
    from sockeye import multiprocessing_utils
    multiprocessing_utils.initialize = lambda: None
    from sockeye import arguments, data_io, inference, model, scoring, train, training
    return arguments, data_io, inference, model, scoring, train, training


def configuration(kind):
    import argparse
    arguments, data_io, _, _, _, train, _ = programs()
    parser = argparse.ArgumentParser()
    arguments.add_train_cli_args(parser)
    files = [word for option in ("--source", "--target", "--validation-source", "--validation-target")
             for word in (option, __file__)]
    given = parser.parse_args(["--encoder", kind, "--decoder", kind, "--output", "."] + files + SIZES[kind].split())
    data = data_io.DataConfig(data_statistics=None, max_seq_len_source=SOURCE, max_seq_len_target=TARGET, num_source_factors=1)
    return train.create_model_config(given, [VOCABULARY[0]], VOCABULARY[1], SOURCE, TARGET, data)


def described():
    from mxnet.io import DataDesc
    return ([DataDesc("source", (1, SOURCE, 1)), DataDesc("target", (1, TARGET))], [DataDesc("target_label", (1, TARGET))],
            (SOURCE, TARGET))


def trained(kind):
    def make():
        import tempfile
        import mxnet as mx
        training, config = programs()[-1], configuration(kind)
        with tempfile.TemporaryDirectory() as folder:  # it writes symbol.json there
            training.TrainingModel(config, [mx.cpu()], folder, *described(), bucketing=False)
            return mx.sym.load(os.path.join(folder, "symbol.json"))
    return make


def scoring(kind):
    """Without its parameters, which it would load at once."""
    def make():
        import mxnet as mx
        _, _, inference, model, score, _, _ = programs()
        config = configuration(kind)
        net = score.ScoringModel.__new__(score.ScoringModel)
        model.SockeyeModel.__init__(net, config)
        net.context, net.score_type, net.softmax_temperature, net.constant_length_ratio = [mx.cpu()], "logprob", None, -1.0
        net.length_penalty, net.brevity_penalty = inference.LengthPenalty(1.0, 0.0), inference.BrevityPenalty(0.0)
        net._initialize(*described())
        return net.module.symbol
    return make


def model_folder(folder):
    """The files of a trained model; params.best is a link there."""
    out = os.path.join(folder, "model")
    os.mkdir(out)
    os.rename(os.path.join(folder, "net-symbol.json"), os.path.join(out, "symbol.json"))
    os.rename(os.path.join(folder, "net-0000.params"), os.path.join(out, "params.best"))
    for name, text in (("config", "!ModelConfig\n"), ("vocab.src.0.json", "{}"), ("vocab.trg.0.json", "{}")):
        with open(os.path.join(out, name), "w") as f:
            f.write(text)
    return "model"


# ---- the list

def sentences(count):
    """Words, then zeros."""
    def draw(rng, shape):
        x = rng.randint(1, count, size=shape)
        for row in x:
            row[rng.randint(3, len(row) + 1):] = 0
        return x
    return draw


INPUTS = {"source": Input((1, SOURCE, 1), draw=sentences(VOCABULARY[0])), "target": Input((1, TARGET), draw=sentences(VOCABULARY[1]))}
SCORED = dict(INPUTS, target_label=Input((1, TARGET), draw=sentences(VOCABULARY[1])))

NETS = [Net("sockeye_" + kind, "sockeye", trained(kind), INPUTS, labels={"target_label": lambda shapes: shapes["target"]},
            pack=model_folder, **batches(*INPUTS)) for kind in SIZES]
NETS += [Net("sockeye_%s_scores" % kind, "sockeye", scoring(kind), SCORED, **batches(*SCORED)) for kind in SIZES]
