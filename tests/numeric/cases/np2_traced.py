# SPDX-License-Identifier: Apache-2.0
"""Control flow that MXNet 2 traces when it exports a Gluon block: 2.0.0b1 writes its nodes without attributes."""
from . import build, data

ORACLE = "2.0.0b1"


def traced(forward):
    def make(mx):
        class Block(mx.gluon.HybridBlock):
            def forward(self, x):
                return forward(mx, x)

        block = Block()
        block.hybridize()
        block(mx.np.ones((2, 3)))
        return block._cached_graph[1]  # what export() writes
    return make


def foreach(mx, x):
    return mx.npx.foreach(lambda d, s: (d + s, s * 2), x, mx.np.ones((3,)))[0]


def while_loop(mx, x):
    return mx.npx.while_loop(lambda i: i.sum() < 5, lambda i: ([i], [i + 1]), [x], max_iterations=4)[1][0]


def cond(mx, x):
    return mx.npx.cond(lambda a: a.sum() > 0, lambda a: a + 1, lambda a: a - 1, [x])


CASES = [build(f.__name__, traced(f), {"data": data(2, 3)}, np_shape=True, error="is missing") for f in (foreach, while_loop, cond)]
