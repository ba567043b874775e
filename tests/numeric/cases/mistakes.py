# SPDX-License-Identifier: Apache-2.0
"""Nets on which other converters of MXNet's models went wrong: tests/numeric/test_known_mistakes.py says which and how."""
import numpy as np

from . import aux, build, case, data, param


def norm(mx, **attrs):
    y = mx.sym.Convolution(mx.sym.Variable("x"), kernel=(3, 3), num_filter=4, no_bias=True, name="c")
    return mx.sym.BatchNorm(y, name="n", **attrs)


NORM = {"c_weight": param(4, 3, 3, 3), "n_gamma": param(values=[3.0] * 4), "n_beta": param(4),
        "n_moving_mean": aux(4), "n_moving_var": aux(4, low=0.5, high=2)}


def boxes(count, classes):
    """Rows of class, score and corners: many overlap, no two scores are equal."""
    rng = np.random.RandomState(7)
    at, size = rng.uniform(0, 60, size=(count, 2)), rng.uniform(10, 25, size=(count, 2))
    score = (rng.permutation(count) + 1) / (count + 1)
    return np.column_stack([rng.randint(0, classes, size=count), score, at, at + size])[None].tolist()


def nms(name, classes, **attrs):
    return case(name, "contrib.box_nms", [data(values=boxes(300, classes))],
                dict(overlap_thresh=0.5, valid_thresh=0.01, coord_start=2, score_index=1, **attrs), dynamic=None)


def dense(mx, x, hidden, name):
    return mx.sym.FullyConnected(x, num_hidden=hidden, name=name)


def one_name(mx):
    """A Gluon block that is called twice gives two nodes of one name."""
    x = mx.sym.Variable("x")
    return mx.sym.Group([dense(mx, x, 3, "f"), mx.sym.FullyConnected(x * 2, mx.sym.Variable("g_weight"),
                                                                     mx.sym.Variable("g_bias"), num_hidden=3, name="f")])


def backwards(mx):
    """The heads are neither the last nodes nor in the nodes' order, and one is read by the other."""
    first = dense(mx, mx.sym.Variable("x"), 3, "f")
    second = mx.sym.Activation(first, act_type="tanh")
    dense(mx, second, 2, "unused")
    return mx.sym.Group([second, first])


def softmax(label, **attrs):
    def make(mx):
        y = dense(mx, mx.sym.Variable("x"), 5, "f")
        return mx.sym.SoftmaxOutput(y, label(mx), name="s", **attrs)
    return make


def label_input(mx):
    return mx.sym.Variable("y")


def label_behind_reshape(mx):
    return mx.sym.reshape(mx.sym.Variable("y"), shape=(-1,))


DENSE = {"f_weight": param(3, 4), "f_bias": param(3)}
WIDE = {"f_weight": param(5, 4), "f_bias": param(5)}

CASES = [
    build("gamma_absent", norm, {"x": data(2, 3, 6, 6)}, NORM),
    build("gamma_fixed", lambda mx: norm(mx, fix_gamma=True), {"x": data(2, 3, 6, 6)}, NORM),
    build("gamma_learned", lambda mx: norm(mx, fix_gamma=False), {"x": data(2, 3, 6, 6)}, NORM),
    nms("nms_classes", 3, id_index=0),
    nms("nms_all_classes", 3, id_index=0, force_suppress=True),
    nms("nms_topk", 1, topk=100),
    nms("nms_no_topk", 1),
    case("lrn", "LRN", [data(2, 6, 4, 4, low=1, high=5)], dict(nsize=3, alpha=0.5)),
    case("lrn_1", "LRN", [data(2, 6, 4, 4, low=1, high=5)], dict(nsize=3, alpha=0.5, knorm=1)),
    case("softmax_multi", "SoftmaxOutput", [data(2, 3, 4, 5), data(2, 4, 5)], dict(multi_output=True)),
    case("softmax_preserve", "SoftmaxOutput", [data(2, 3, 4), data(2, 3)], dict(preserve_shape=True)),
    case("softmax_flat", "SoftmaxOutput", [data(2, 3, 4), data(2, 3)]),
    case("softmax_axis", "softmax", [data(2, 3, 4)], dict(axis=1)),
    build("one_name", one_name, {"x": data(2, 4)}, dict(DENSE, g_weight=param(3, 4), g_bias=param(3))),
    build("backwards", backwards, {"x": data(2, 4)}, DENSE),
    build("label", softmax(label_input), {"x": data(2, 4), "y": data(2)}, WIDE),
    build("label_behind_reshape", softmax(label_behind_reshape), {"x": data(2, 4), "y": data(2)}, WIDE),
    build("double", lambda mx: dense(mx, mx.sym.Variable("x"), 3, "f"), {"x": data(2, 4, dtype="float64")},
          {"f_weight": param(3, 4, dtype="float64"), "f_bias": param(3, dtype="float64")}),
]
