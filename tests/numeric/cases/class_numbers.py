# SPDX-License-Identifier: Apache-2.0
"""Class numbers and indices whose range follows from the graph (lib/onnx/rules/interval.c)."""
import numpy as np

from . import build, data, param

BY_CLASS = dict(overlap_thresh=0.45, valid_thresh=0.01, topk=30, id_index=0, score_index=1, coord_start=2)


def corners(count, seed=3):
    rng = np.random.RandomState(seed)
    at, size = rng.uniform(0, 40, size=(1, count, 2)), rng.uniform(10, 25, size=(1, count, 2))
    return data(values=np.concatenate([at, at + size], 2))


def per_class(mx, **attrs):
    """As GluonCV's SSD and R-CNN: rows of each class one after the other, ids from a template of zeros, -1 for low scores."""
    score, box = mx.sym.Variable("score"), mx.sym.Variable("box")
    template = mx.sym.zeros_like(mx.sym.slice_axis(score, axis=-1, begin=0, end=1))
    ids = mx.sym.concat(*[template + i for i in range(4)], dim=-1)
    mask = score > 0.2
    ids = mx.sym.where(mask, ids, mx.sym.ones_like(ids) * -1)
    kept = mx.sym.where(mask, score, mx.sym.zeros_like(score))
    rows = [mx.sym.concat(mx.sym.slice_axis(ids, axis=-1, begin=i, end=i + 1),
                          mx.sym.slice_axis(kept, axis=-1, begin=i, end=i + 1), box, dim=-1) for i in range(4)]
    return mx.sym.contrib.box_nms(mx.sym.concat(*rows, dim=1), **dict(BY_CLASS, **attrs))


def as_yolo(mx):
    """As GluonCV's YOLO: scores times 0 plus the numbers of the classes, classes in front."""
    score = mx.sym.expand_dims(mx.sym.transpose(mx.sym.sigmoid(mx.sym.Variable("score")), axes=(2, 0, 1)), axis=-1)
    ids = mx.sym.broadcast_add(score * 0, mx.sym.reshape(mx.sym.arange(0, 4), shape=(4, 1, 1, 1)))
    box = mx.sym.tile(mx.sym.expand_dims(mx.sym.Variable("box"), axis=0), reps=(4, 1, 1, 1))
    rows = mx.sym.transpose(mx.sym.concat(ids, score, box, dim=-1), axes=(1, 0, 2, 3))
    return mx.sym.contrib.box_nms(mx.sym.reshape(rows, shape=(0, -1, 6)), **BY_CLASS)


def by_argmax(mx):
    score, box = mx.sym.Variable("score"), mx.sym.Variable("box")
    rows = mx.sym.concat(mx.sym.argmax(score, axis=-1, keepdims=True), mx.sym.max(score, axis=-1, keepdims=True), box,
                         dim=-1)
    return mx.sym.contrib.box_nms(rows, **dict(BY_CLASS, topk=-1))


def boxes_and_scores(count=24):
    return {"score": data(1, count, 4, kind="distinct", low=0.01, high=1), "box": corners(count)}


def embed(mx, ids):
    return mx.sym.Embedding(ids, mx.sym.Variable("table"), input_dim=5, output_dim=3)


def take_of_chosen(mx):
    x = mx.sym.Variable("x")
    index = mx.sym.where(x > 0, mx.sym.round(mx.sym.sigmoid(x)), mx.sym.ones_like(x) * 4)
    return mx.sym.take(mx.sym.Variable("table"), index)


def take_of_sums(combine):
    """The sum of int8 numbers wraps around, and is then below 0."""
    def make(mx):
        p = mx.sym.cast(mx.sym.argmax(mx.sym.Variable("x"), axis=1), "int8")
        return mx.sym.take(mx.sym.Variable("table"), combine(p))
    return make


FAR = {"x": data(values=np.eye(101, dtype="float32")[[0, 100, 50, 63]]), "table": param(256, 2)}
NO_NUMBER = {"x": data(values=[[np.nan, 0.5], [-9, 9]], dtype="float32"), "table": param(5, 3)}
TABLE = {"x": data(2, 6, 5), "table": param(5, 3)}
MORE_ROWS = [{1: "rows"}, {1: "rows"}]

CASES = [
    build("per_class", per_class, inputs=boxes_and_scores(), dynamic=MORE_ROWS),
    build("per_class_background", lambda mx: per_class(mx, background_id=0), inputs=boxes_and_scores()),
    build("per_class_forced", lambda mx: per_class(mx, force_suppress=True), inputs=boxes_and_scores()),
    build("as_yolo", as_yolo, inputs=boxes_and_scores(), dynamic=MORE_ROWS),
    build("by_argmax", by_argmax, inputs=boxes_and_scores(40), dynamic=MORE_ROWS),
    build("embedding_of_argmax", lambda mx: embed(mx, mx.sym.argmax(mx.sym.Variable("x"), axis=2)), inputs=TABLE,
          dynamic=[{0: "n", 1: "m"}]),
    build("embedding_of_longer_argmax", lambda mx: embed(mx, mx.sym.argmax(mx.sym.Variable("x"), axis=1)), inputs=TABLE),
    build("embedding_of_difference",
          lambda mx: embed(mx, 4 - mx.sym.argmax(mx.sym.Variable("x"), axis=2) * 2), inputs=TABLE),
    build("take_of_chosen", take_of_chosen, inputs=TABLE),
    build("take_wrapped", lambda mx: mx.sym.take(mx.sym.Variable("table"), mx.sym.argmin(mx.sym.Variable("x"), axis=2) - 2,
                                                 mode="wrap"), inputs=TABLE),
    build("take_of_sum", take_of_sums(lambda p: p + p), inputs=FAR),
    build("take_of_product", take_of_sums(lambda p: p * 2), inputs=FAR),
    build("take_of_difference", take_of_sums(lambda p: p - (p * -1)), inputs=FAR),
    build("take_of_nan", lambda mx: mx.sym.take(mx.sym.Variable("table"), mx.sym.sigmoid(mx.sym.Variable("x"))), inputs=NO_NUMBER),
    build("take_of_nan_or_tanh", lambda mx: mx.sym.take(mx.sym.Variable("table"), mx.sym.tanh(mx.sym.Variable("x")) + 1),
          inputs=NO_NUMBER),
]
