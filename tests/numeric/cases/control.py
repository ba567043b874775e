# SPDX-License-Identifier: Apache-2.0
"""Control flow: bodies over slices, while a condition holds, one of two."""
from . import build, data, param


def cumulate(mx):
    """States and outputs that differ, something read from outside."""
    x, s, w = mx.sym.Variable("x"), mx.sym.Variable("s"), mx.sym.Variable("w")
    outs, states = mx.sym.contrib.foreach(
        lambda d, st: ([d * 2 + st[0], mx.sym.dot(d, w)], [st[0] + mx.sym.tanh(d)]), x, [s])
    return mx.sym.Group(list(outs) + list(states))


def two_data(mx):
    """Two data inputs, two states, an output that is a state."""
    a, b, s, t = [mx.sym.Variable(n) for n in "abst"]
    outs, states = mx.sym.contrib.foreach(
        lambda d, st: (d[0] * d[1], [st[0] + d[0], st[1] - d[1]]), [a, b], [s, t])
    return mx.sym.Group([outs] + list(states))


def vector(mx):
    """Slices of a vector have shape (1)."""
    x, s = mx.sym.Variable("x"), mx.sym.Variable("s")
    outs, states = mx.sym.contrib.foreach(lambda d, st: (d + st[0], [d * st[0]]), x, [s])
    return mx.sym.Group([outs] + list(states))


def nested(mx):
    """A loop in a loop."""
    x, s = mx.sym.Variable("x"), mx.sym.Variable("s")

    def outer(d, st):
        inner, last = mx.sym.contrib.foreach(lambda e, u: (e + u[0], [u[0] * 0.5 + e]), d, [st[0]])
        return inner, [last[0]]

    outs, states = mx.sym.contrib.foreach(outer, x, [s])
    return mx.sym.Group([outs] + list(states))


def count_up(mx):
    """Fewer steps than max_iterations: the sums alone are compared, rows after the last step are undefined."""
    i, s = mx.sym.Variable("i"), mx.sym.Variable("s")
    _, states = mx.sym.contrib.while_loop(lambda i, s: i < 4, lambda i, s: ([s + i], [i + 1, s * 2 + i]), [i, s],
                                          max_iterations=10)
    return mx.sym.Group(list(states))


def all_steps(mx):
    """max_iterations ends the loop: every row is defined."""
    i, s = mx.sym.Variable("i"), mx.sym.Variable("s")
    outs, states = mx.sym.contrib.while_loop(lambda i, s: i < 100, lambda i, s: ([s + i, i], [i + 1, s * 2]), [i, s],
                                             max_iterations=5)
    return mx.sym.Group(list(outs) + list(states))


def branch(mx):
    a, b = mx.sym.Variable("a"), mx.sym.Variable("b")
    return mx.sym.contrib.cond(mx.sym.sum(a) > 0, lambda: a * b + 1, lambda: a - b)


def weights_inside(mx):
    """A layer in the body, its weights closed over; activation and normalisation."""
    x, s = mx.sym.Variable("x"), mx.sym.Variable("s")

    def body(d, st):
        h = mx.sym.FullyConnected(d, num_hidden=4, name="fc") + st[0]
        h = mx.sym.Activation(h, act_type="tanh")
        return h, [h]

    outs, states = mx.sym.contrib.foreach(body, x, [s])
    return mx.sym.Group([outs] + list(states))


CASES = [
    build("foreach_cumulate", cumulate, inputs={"x": data(3, 2, 4), "s": data(2, 4)}, params={"w": param(4, 5)},
          dynamic=[{0: "steps", 1: "batch"}, {0: "batch"}]),
    build("foreach_two_data", two_data, inputs={"a": data(3, 2), "b": data(3, 2), "s": data(2), "t": data(2)},
          dynamic=[{0: "steps"}, {0: "steps"}, None, None]),
    build("foreach_vector", vector, inputs={"x": data(4), "s": data(1)}, dynamic=None),
    build("foreach_nested", nested, inputs={"x": data(2, 3, 4), "s": data(4)}, dynamic=[{0: "outer", 1: "inner"}, None]),
    build("foreach_weights", weights_inside, inputs={"x": data(3, 2, 5), "s": data(2, 4)},
          params={"fc_weight": param(4, 5), "fc_bias": param(4)}, dynamic=[{0: "steps", 1: "batch"}, {0: "batch"}]),
    build("while_few_steps", count_up, inputs={"i": data(1, values=[0.0]), "s": data(1)}, dynamic=None),
    build("while_all_steps", all_steps, inputs={"i": data(1, values=[0.0]), "s": data(1)}, dynamic=None),
    build("cond_then", branch, inputs={"a": data(2, 3, low=0.1, high=1.0), "b": data(2, 3)}, dynamic="batch"),
    build("cond_else", branch, inputs={"a": data(2, 3, low=-1.0, high=-0.1), "b": data(2, 3)}, dynamic="batch"),
]
