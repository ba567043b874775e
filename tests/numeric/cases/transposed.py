# SPDX-License-Identifier: Apache-2.0
"""Nodes between Transposes, as nets with their channels last have around every convolution. `LEFT` says how many Transposes the graph
keeps (tests/numeric/test_layout.py)."""
from . import build, data, param

CASES, LEFT = [], {}
LAST, FIRST = (0, 2, 3, 1), (0, 3, 1, 2)
SHAPE = (2, 3, 5, 4)  # channels first
HW = {0: "n", 2: "h", 3: "w"}


def add(name, make, left, inputs=None, dynamic=HW, sizes=None, **options):
    """`make(mx, x, ...)` gets x with its channels last."""
    inputs = dict({"x": data(*SHAPE)}, **(inputs or {}))
    dynamic = {"x": dynamic} if dynamic and "x" not in dynamic else dynamic

    def net(mx):
        given = [mx.sym.Variable(n) for n in inputs]
        return make(mx.sym, mx.sym.transpose(given[0], axes=LAST), *given[1:])
    CASES.append(build(name, net, inputs=inputs, dynamic=dynamic, sizes=sizes, **options))
    LEFT[name] = left


def first(s, y):
    return s.transpose(y, axes=FIRST)


# ---- none is left
add("relu", lambda s, x: first(s, s.relu(x)), 0)
add("chain", lambda s, x: first(s, s.exp(s.sigmoid(x) * 2 - 1)), 0)
add("twice_read", lambda s, x: first(s, s.relu(x) + s.sigmoid(x)), 0)
add("two_data", lambda s, x, y: first(s, x * s.transpose(y, axes=LAST)), 0, {"y": data(*SHAPE)}, dynamic={"x": HW, "y": HW})
add("vector", lambda s, x, v: first(s, s.broadcast_mul(x, s.reshape(v, shape=(1, 1, 1, 3)))), 0, {"v": param(3)})
add("vector_input", lambda s, x, v: first(s, s.broadcast_mul(x, s.reshape(v, shape=(1, 1, 1, 3)))), 0, {"v": data(3)})
add("map_of_each_channel", lambda s, x, v: first(s, s.broadcast_add(x, v)), 0, {"v": param(1, 5, 4, 3)}, dynamic={0: "n"})
add("concat", lambda s, x, y: first(s, s.concat(x, s.transpose(y, axes=LAST), dim=3)), 0, {"y": data(2, 2, 5, 4)}, dynamic={"x": HW, "y": HW})
add("concat_rows", lambda s, x: first(s, s.concat(x, s.relu(x), x, dim=-3)), 0)
add("split", lambda s, x: s.Group([first(s, s.relu(part)) for part in s.split(x, num_outputs=3, axis=3)]), 0)
add("split_one_read", lambda s, x: first(s, s.split(x, num_outputs=5, axis=1)[2]), 0, dynamic={0: "n", 3: "w"})
add("slice", lambda s, x: first(s, s.slice(x, begin=(None, 1, None, 0), end=(None, -1, None, 2))), 0)
add("slice_step", lambda s, x: first(s, s.slice(x, begin=(None, 3, None), end=(None, 0, None), step=(1, -2, 1))), 0, dynamic={0: "n"})
add("slice_axis", lambda s, x: first(s, s.slice_axis(x, axis=2, begin=1, end=3)), 0, dynamic={0: "n", 2: "h"})
add("slice_like", lambda s, x, y: first(s, s.slice_like(x, s.transpose(y, axes=LAST), axes=(1, 2))), 0, {"y": data(2, 3, 3, 2)},
    dynamic=None)
add("pad", lambda s, x: first(s, s.pad(x, mode="constant", pad_width=(0, 0, 0, 0, 1, 2, 3, 4), constant_value=0.5)), 0)
add("pad_edge", lambda s, x: first(s, s.pad(x, mode="edge", pad_width=(0, 0, 0, 0, 1, 2, 0, 3))), 0)
add("tile", lambda s, x: first(s, s.tile(x, reps=(1, 2, 3, 1))), 0)
add("broadcast", lambda s, x: first(s, s.broadcast_axis(s.mean(x, axis=(1, 2), keepdims=True), axis=(1, 2), size=(2, 3))), 0)
add("mean", lambda s, x: first(s, s.relu(s.mean(x, axis=(1, 2), keepdims=True))), 0)
add("mean_of_all", lambda s, x: s.mean(s.relu(x), axis=(1, 2)), 0)
add("max_of_channels", lambda s, x: s.max(s.relu(x), axis=3), 0)
add("sum_of_rows", lambda s, x: s.sum(s.relu(x), axis=1), 1)  # the columns come before the channels
add("norm", lambda s, x: first(s, s.broadcast_div(x, s.norm(x, axis=3, keepdims=True) + 1)), 0)
add("softmax", lambda s, x: first(s, s.softmax(x, axis=3)), 0, opsets=(13, 17, 21, 26))
add("softmax_of_columns", lambda s, x: first(s, s.log_softmax(s.relu(x), axis=2)), 0, opsets=(13, 17, 21, 26))
add("argmax", lambda s, x: s.argmax(s.exp(x), axis=3), 0)
add("where", lambda s, x: first(s, s.where(x > 0, x, s.zeros_like(x))), 0)
add("clip_cast", lambda s, x: first(s, s.cast(s.cast(s.clip(x, 0, 9) * 7, dtype="int32"), dtype="float32")), 0)
add("squeeze_excite", lambda s, x: first(s, s.broadcast_mul(x, s.sigmoid(s.mean(x, axis=(1, 2), keepdims=True)))), 0)
add("flat_after_mean", lambda s, x: s.Flatten(s.mean(s.relu(x), axis=(1, 2), keepdims=True)), 0)
add("three_axes", lambda s, x: s.transpose(s.relu(s.transpose(s.reshape(first(s, x), shape=(0, 0, -1)), axes=(2, 0, 1))), axes=(1, 2, 0)), 0)

# ---- some are
add("read_as_it_is", lambda s, x: s.Group([first(s, s.relu(x)), s.relu(x) * 2]), 1)
add("one_of_two", lambda s, x: s.relu(x) + 1, 1)
add("other_data", lambda s, x, y: first(s, s.broadcast_add(s.relu(x), y)), 1, {"y": data(2, 5, 4, 3)},
    dynamic={"x": HW, "y": {0: "n", 1: "h", 2: "w"}})
add("between_two_groups", lambda s, x: s.sigmoid(s.transpose(s.relu(x), axes=(0, 2, 1, 3))) * 2, 1)
add("group_after_group", lambda s, x: s.reshape(first(s, s.relu(s.transpose(s.relu(first(s, s.exp(x))), axes=LAST))), shape=(0, -1)), 0)
add("head_is_data", lambda s, x: s.Group([first(s, s.relu(x)), first(s, x) * 1]), 0)
