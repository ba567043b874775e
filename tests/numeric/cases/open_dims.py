# SPDX-License-Identifier: Apache-2.0
"""Several inputs whose dims have no names (test_a_case_agrees_with_unnamed_dims): sizes that differ between inputs, for which one name would be a false
promise."""
from . import build, case, data



def np_case(name, op, inputs, attrs=None, **options):
    return case(name, op, inputs, attrs, np_shape=True, **options)


AB, CD = {0: "a", 1: "b"}, {0: "c", 1: "d"}


def like_rois(mx):
    """Positions along one input, joined with a value of another."""
    rois, x = mx.sym.Variable("rois"), mx.sym.Variable("x")
    return mx.sym.Group([mx.sym.contrib.arange_like(rois, axis=0), mx.sym.sum(x, axis=1)])


def loop(mx):
    """States of different lengths; every step is made."""
    i, s, t = [mx.sym.Variable(n) for n in "ist"]
    outs, states = mx.sym.contrib.while_loop(
        lambda i, s, t: i < 100, lambda i, s, t: ([mx.sym.broadcast_add(s, i), t * 2], [i + 1, s * 2, mx.sym.broadcast_sub(t, i)]),
        [i, s, t], max_iterations=3)
    return mx.sym.Group(list(outs) + list(states))


def two_towers(mx):
    """Nothing ties the inputs together."""
    a, b = mx.sym.Variable("a"), mx.sym.Variable("b")
    return mx.sym.Group([mx.sym.relu(a), mx.sym.tanh(b)])


def chained(mx):
    """What is known of c comes from a and b: its rows are theirs together."""
    a, b, c = [mx.sym.Variable(n) for n in "abc"]
    return mx.sym.concat(a, b, dim=0) + c


CASES = [
    case("slice_like", "slice_like", [data(3, 4), data(2, 3)], dynamic=[AB, CD], sizes=dict(a=6, b=5, c=4, d=1)),
    case("slice_like_axis", "slice_like", [data(3, 4), data(2, 3)], dict(axes=(1,)), dynamic=[AB, CD], sizes=dict(a=2, b=7, c=5, d=6)),
    case("slice_like_rank", "slice_like", [data(3, 4, 2), data(2, 3)], dict(axes=(0, 1)), dynamic=[AB, CD],
         sizes=dict(a=6, b=5, c=4, d=1)),
    case("reshape_like", "reshape_like", [data(4, 6), data(3, 8)], dynamic=[AB, CD], sizes=dict(a=5, b=8, c=4, d=10)),
    case("reshape_like_part", "reshape_like", [data(30, 7), data(2, 3, 5)],
         dict(lhs_begin=0, lhs_end=1, rhs_begin=0, rhs_end=3), dynamic=[{0: "a", 1: "b"}, {0: "c", 1: "d", 2: "e"}],
         sizes=dict(a=24, b=2, c=4, d=2, e=3)),
    case("broadcast_like", "broadcast_like", [data(1, 3), data(4, 3)], dynamic=[None, {0: "n"}], sizes=dict(n=7)),
    case("broadcast_like_axes", "broadcast_like", [data(2, 1), data(4, 5)], dict(lhs_axes=(1,), rhs_axes=(0,)),
         dynamic=[{0: "a"}, CD], sizes=dict(a=3, c=6, d=2)),
    case("np_dot", "np.dot", [data(2, 3), data(3, 4)], dynamic=[{0: "n", 1: "k"}, {0: "k", 1: "m"}], sizes=dict(n=5, k=2, m=6)),
    case("np_dot_vector", "np.dot", [data(5), data(5)], dynamic=[{0: "k"}, {0: "k"}], sizes=dict(k=2)),
    case("dot", "dot", [data(2, 3), data(3, 4)], dynamic=[{0: "n", 1: "k"}, {0: "k", 1: "m"}], sizes=dict(n=5, k=2, m=6)),
    case("batch_dot", "batch_dot", [data(2, 3, 4), data(2, 4, 5)], dynamic=[{0: "n", 1: "h"}, {0: "n", 2: "w"}],
         sizes=dict(n=3, h=1, w=2)),
    case("box_iou", "contrib.box_iou", [data(3, 4, low=0.0, high=1.0), data(5, 4, low=0.0, high=1.0)],
         dynamic=[{0: "a"}, {0: "b"}], sizes=dict(a=6, b=2)),
    case("concat", "concat", [data(2, 3), data(5, 3)], dict(dim=0), dynamic=[{0: "a"}, {0: "b"}], sizes=dict(a=4, b=1)),
    case("add", "elemwise_add", [data(2, 3), data(2, 3)], dynamic=[AB, AB], sizes=dict(a=4, b=1)),
    case("outer_add", "broadcast_add", [data(2, 1), data(1, 3)], dynamic=[{0: "a"}, {1: "b"}], sizes=dict(a=4, b=1)),
    case("where", "where", [data(2, 3), data(2, 3), data(2, 3)], dynamic=[AB, AB, AB], sizes=dict(a=4, b=1)),
    case("take", "take", [data(4, 3), data(2, 5, low=0, high=3)], dynamic=[AB, CD], sizes=dict(a=6, b=2, c=1, d=4)),
    case("pick", "pick", [data(4, 3), data(4, low=0, high=2)], dynamic=[{0: "a"}, {0: "a"}], sizes=dict(a=7)),
    case("roi_pooling", "ROIPooling", [data(2, 3, 8, 8), data(values=[[0, 0, 0, 7, 7], [1, 2, 2, 5, 5], [0, 1, 1, 4, 6]])],
         dict(pooled_size=(2, 2), spatial_scale=1.0), dynamic=[{0: "n"}, {0: "r"}], sizes=dict(n=3, r=4), opsets=(12, 17, 21)),
    build("arange_like_rois", like_rois, inputs={"rois": data(5, 4), "x": data(2, 3)}, dynamic=[{0: "r"}, AB],
          sizes=dict(r=3, a=6, b=2)),
    build("while_loop", loop, inputs={"i": data(1, values=[0.0]), "s": data(2, 3), "t": data(4)}, dynamic=[None, {0: "a"}, {0: "b"}],
          sizes=dict(a=5, b=2)),
    build("two_towers", two_towers, inputs={"a": data(2, 3), "b": data(4, 3)}, dynamic=[AB, CD], sizes=dict(a=1, b=5, c=3, d=2)),
    build("chained", chained, inputs={"a": data(2, 3), "b": data(4, 3), "c": data(6, 3)}, dynamic=[{0: "a"}, {0: "b"}, {0: "c"}],
          sizes=dict(a=1, b=5, c=6)),

    # ---- one side is a number, the other is open
    np_case("norm_nuclear_columns", "np._internal.norm", [data(3, 4)], dict(flag=2), dynamic=[{1: "w"}], sizes=dict(w=6), atol=1e-5),
    np_case("svd_columns", "np.linalg.svd", [data(3, 4)], dynamic=[{1: "w"}], sizes=dict(w=6), atol=1e-5),
    np_case("pinv_columns", "np._internal.pinv_scalar_rcond", [data(4, 3)], dict(rcond=1e-5), dynamic=[{1: "w"}], sizes=dict(w=6),
            atol=1e-4),
    np_case("diag_columns", "np.diag", [data(3, 4)], dict(k=1), dynamic=[{1: "w"}], sizes=dict(w=2)),
    np_case("diagonal_columns", "np.diagonal", [data(3, 4)], dict(offset=-1), dynamic=[{1: "w"}], sizes=dict(w=1)),
    np_case("tril_columns", "np.tril", [data(3, 4)], dict(k=1), dynamic=[{1: "w"}], sizes=dict(w=6)),
    case("crop_like_open", "Crop", [data(2, 3, 7, 8), data(2, 1, 4, 5)], dict(num_args=2, offset=(2, 1)), dynamic=[None, {2: "h", 3: "w"}],
         sizes=dict(h=3, w=7)),
    case("resize_like_open", "contrib.BilinearResize2D", [data(2, 3, 4, 6), data(2, 1, 8, 9)], dict(mode="like"),
         dynamic=[None, {2: "h", 3: "w"}], sizes=dict(h=5, w=12)),
    case("image_resize_width", "image.resize", [data(4, 6, 3)], dict(size=3, keep_ratio=True), dynamic=[{1: "w"}], sizes=dict(w=3)),
    case("multibox_prior_width", "contrib.MultiBoxPrior", [data(1, 3, 4, 6)], dict(sizes=(0.5, 0.25), ratios=(1, 2)), dynamic=[{3: "w"}],
         sizes=dict(w=3)),
]
