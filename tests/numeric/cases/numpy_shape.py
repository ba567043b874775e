# SPDX-License-Identifier: Apache-2.0
"""NumPy's reshapes, joins, products, einsum, padding and tensors made from attributes."""
from . import FROM_12, build, case, data, param

NM = [{0: "n", 1: "m"}]
CASES = []


def np_case(name, op, inputs, attrs=None, **options):
    return case(name, op, inputs, attrs, np_shape=True, **options)


# ---- reshape
RESHAPE = "np.reshape"
XRESHAPE = "npx.reshape"
for name, shape, new in (("", (2, 3, 4), (4, 6)), ("_open", (2, 3, 4), (-1, 4)), ("_open_first", (2, 12), (2, -1, 3)),
                         ("_scalar", (1, 1), ()), ("_from_scalar", (), (1, 1)), ("_flat", (2, 3), (-1,)),
                         ("_empty", (0, 3), (3, 0, 2)), ("_empty_open", (0, 3), (-1, 3)), ("_same", (2, 3), (2, 3))):
    CASES.append(np_case("reshape" + name, RESHAPE, [data(*shape)], dict(newshape=new),
                         dynamic=None if new[:1] != (-1,) or 0 in shape else "batch"))
for name, shape, attrs in (
        ("copy", (2, 3, 4), dict(newshape=(-2, -1))), ("merge_rest", (2, 3, 4), dict(newshape=(-5, -4))),
        ("merge_last", (2, 3, 4), dict(newshape=(-2, -5))), ("rest", (2, 3, 4), dict(newshape=(-4,))),
        ("split", (2, 6, 4), dict(newshape=(-2, -6, 2, 3, -4))), ("split_open", (2, 6, 4), dict(newshape=(-2, -6, -1, 3, -4))),
        ("drop", (2, 1, 4), dict(newshape=(-2, -3, -1))), ("add_ones", (2, 3), dict(newshape=(-4, 1, 1))),
        ("open", (2, 3, 4), dict(newshape=(-1, 4))), ("number", (2, 3, 4), dict(newshape=(-2, 12))),
        ("reverse", (10, 5, 4), dict(newshape=(-1, -2), reverse=True)),
        ("reverse_split", (3, 8, 4), dict(newshape=(-4, 2, 4, -6, -2), reverse=True))):
    CASES.append(np_case("xreshape_" + name, XRESHAPE, [data(*shape)], attrs))
CASES += [
    np_case("xreshape_first_split", XRESHAPE, [data(2, 3, 4)], dict(newshape=(-6, 1, 2, -4)), dynamic=None),
    np_case("xreshape_dims", XRESHAPE, [data(2, 3, 4)], dict(newshape=(-5, -2)), dynamic=NM),
    np_case("xreshape_scalar", XRESHAPE, [data(1, 1)], dict(newshape=(-3, -3)), dynamic=None),
    np_case("xreshape_empty", XRESHAPE, [data(0, 3)], dict(newshape=(-2, 3)), dynamic=None),
    np_case("reshape_i32", RESHAPE, [data(2, 3, dtype="int32")], dict(newshape=(3, 2)), dynamic=None),
]

# ---- dims come, go and move
CASES += [
    np_case("squeeze", "np.squeeze", [data(2, 1, 3, 1)]),
    np_case("squeeze_axis", "np.squeeze", [data(2, 1, 3, 1)], dict(axis=1)),
    np_case("squeeze_axes", "np.squeeze", [data(2, 1, 3, 1)], dict(axis=(-1, 1))),
    np_case("squeeze_scalar", "np.squeeze", [data(1, 1)], dynamic=None),
    np_case("squeeze_rank0", "np.squeeze", [data()]),
    np_case("squeeze_empty", "np.squeeze", [data(0, 1)], dynamic=None),
    np_case("expand_dims", "np.expand_dims", [data(2, 3)], dict(axis=1)),
    np_case("expand_dims_rank0", "np.expand_dims", [data()], dict(axis=0)),
    np_case("transpose", "np.transpose", [data(2, 3, 4)], dynamic=NM),
    np_case("transpose_axes", "np.transpose", [data(2, 3, 4)], dict(axes=(1, 0, 2)), dynamic=NM),
    np_case("transpose_negative", "np.transpose", [data(2, 3, 4)], dict(axes=(-1, 0, 1)), dynamic=NM),
    np_case("transpose_rank0", "np.transpose", [data()]),
    np_case("transpose_empty", "np.transpose", [data(0, 3)], dynamic=None),
    np_case("moveaxis", "np.moveaxis", [data(2, 3, 4)], dict(source=0, destination=-1), dynamic=NM),
    np_case("moveaxis_two", "np.moveaxis", [data(2, 3, 4, 5)], dict(source=(0, -1), destination=(2, 0)), dynamic=NM),
    np_case("swapaxes", "np.swapaxes", [data(2, 3, 4)], dict(axis1=0, axis2=-1), dynamic=NM),
    np_case("flip", "np.flip", [data(2, 3, 4)], dict(axis=1), dynamic=NM),
    np_case("flip_two", "np.flip", [data(2, 3, 4)], dict(axis=(0, 2)), dynamic=NM),
    np_case("broadcast_to", "np.broadcast_to", [data(3, 1)], dict(shape=(2, 3, 4)), dynamic=None),
    np_case("broadcast_to_rank0", "np.broadcast_to", [data()], dict(shape=(2, 3))),
    np_case("broadcast_to_keep", "np._internal.broadcast_to", [data(3, 1)], dict(shape=(2, -2, 4))),
    np_case("broadcast_to_empty", "np.broadcast_to", [data(1, 3)], dict(shape=(0, 3)), dynamic=None),
]
for n in (1, 2, 3):
    path = "np.atleast_%dd" % n
    CASES += [np_case("atleast_%d_rank%d" % (n, rank), path, [data(*(2, 3, 4, 2)[:rank])],
                      dynamic=NM if rank > 1 else "batch") for rank in range(5)]


# ---- joins
def joined(name, **attrs):
    def make(mx):
        return getattr(mx.sym.np, name)([mx.sym.Variable(n).as_np_ndarray() for n in ("a", "b", "c")], **attrs)
    return make


def join(name, op, shapes, dynamic=None, dtype="float32", **attrs):
    inputs = {n: data(*s, dtype=dtype) for n, s in zip("abc", shapes)}
    return build(name, joined(op, **attrs), inputs, np_shape=True,
                 dynamic=None if dynamic is None else dict(zip("abc", dynamic)))


N3 = [{0: "n"}] * 3
CASES += [
    join("concatenate", "concatenate", [(2, 3), (1, 3), (4, 3)], [{0: "x"}, {0: "y"}, {0: "z"}]),
    join("concatenate_axis1", "concatenate", [(2, 3), (2, 1), (2, 2)], N3, axis=1),
    join("concatenate_negative", "concatenate", [(2, 3), (2, 1), (2, 2)], N3, axis=-1),
    join("concatenate_flat", "concatenate", [(2, 3), (4,), (1, 2, 2)], [{0: "n"}, None, None], axis=None),
    join("concatenate_empty", "concatenate", [(2, 3), (0, 3), (1, 3)]),
    join("concatenate_i32", "concatenate", [(2,), (3,), (1,)], dtype="int32"),
    join("concatenate_bool", "concatenate", [(2,), (3,), (1,)], dtype="bool"),
    join("concatenate_i8", "concatenate", [(2,), (3,), (1,)], dtype="int8"),
    join("stack", "stack", [(2, 3)] * 3, N3),
    join("stack_last", "stack", [(2, 3)] * 3, N3, axis=-1),
    join("stack_rank0", "stack", [()] * 3),
    join("stack_empty", "stack", [(0, 2)] * 3, axis=1),
    join("vstack", "vstack", [(2, 3), (3,), (1, 3)], [{0: "n"}, None, None]),
    join("vstack_vectors", "vstack", [(3,)] * 3, N3),
    join("vstack_scalars", "vstack", [()] * 3),
    join("hstack", "hstack", [(2, 3), (2, 1), (2, 2)], N3),
    join("hstack_vectors", "hstack", [(3,), (2,), (1,)], [{0: "n"}, None, None]),
    join("hstack_scalars", "hstack", [()] * 3),
    join("dstack", "dstack", [(2, 3), (2, 3, 1), (2, 3, 2)], N3),
    join("dstack_vectors", "dstack", [(3,)] * 3, N3),
    join("dstack_scalars", "dstack", [()] * 3),
    join("column_stack", "column_stack", [(2, 3), (2,), (2, 2)], N3),
    join("column_stack_vectors", "column_stack", [(3,)] * 3, N3),
]

# ---- products
for name, x, y, dynamic in (
        ("vectors", (4,), (4,), [{0: "k"}] * 2), ("matrices", (2, 4), (4, 3), [{0: "n"}, None]),
        ("scalar_left", (), (2, 3), [None, {0: "n"}]), ("scalar_right", (2, 3), (), [{0: "n"}, None]),
        ("scalars", (), (), None), ("matrix_vector", (2, 4), (4,), [{0: "n"}, None]),
        ("tensor_vector", (2, 3, 4), (4,), NM + [None]), ("vector_matrix", (4,), (4, 3), None),
        ("vector_tensor", (4,), (2, 4, 3), [None, {0: "n"}]), ("tensor_matrix", (2, 3, 4), (4, 5), NM + [None]),
        ("tensors", (2, 3, 4), (5, 4, 2), [{0: "n"}, {0: "m"}]), ("empty", (2, 0), (0, 3), None),
        ("empty_rows", (0, 4), (4, 3), None)):
    CASES.append(np_case("dot_" + name, "np.dot", [data(*x), data(*y)], dynamic=dynamic))
for name, x, y, dynamic in (
        ("vectors", (4,), (4,), [{0: "k"}] * 2), ("matrices", (2, 4), (4, 3), [{0: "n"}, None]),
        ("matrix_vector", (2, 4), (4,), [{0: "n"}, None]), ("vector_matrix", (4,), (4, 3), None),
        ("batch", (5, 2, 4), (5, 4, 3), [{0: "n"}] * 2), ("broadcast", (5, 1, 2, 4), (3, 4, 2), [{0: "n"}, None]),
        ("batch_vector", (5, 2, 4), (4,), [{0: "n"}, None]), ("vector_batch", (4,), (5, 4, 3), [None, {0: "n"}]),
        ("empty", (2, 0), (0, 3), None)):
    CASES.append(np_case("matmul_" + name, "np.matmul", [data(*x), data(*y)], dynamic=dynamic))
CASES += [
    np_case("matmul_param", "np.matmul", [data(2, 4), param(4, 3)]),
    np_case("dot_f64", "np.dot", [data(2, 4, dtype="float64"), data(4, 3, dtype="float64")], dynamic=None),
    np_case("matmul_f64", "np.matmul", [data(2, 4, dtype="float64"), data(4, 3, dtype="float64")], dynamic=None),
]
for name, x, y, axes, dynamic in (
        ("1", (2, 3, 4), (4, 5), 1, NM + [None]), ("2", (2, 3, 4), (3, 4, 5), 2, [{0: "n"}, None]),
        ("0", (2, 3), (4,), 0, [{0: "n"}, None]), ("all", (3, 4), (3, 4), 2, [{0: "n"}] * 2),
        ("lists", (2, 3, 4), (4, 3, 5), ([1, 2], [1, 0]), [{0: "n"}, None]),
        ("lists_first", (3, 2, 4), (3, 5), ([0], [0]), None), ("negative", (2, 3, 4), (5, 4), ([-1], [-1]), NM + [None]),
        ("dynamic_sum", (2, 3, 4), (5, 3), ([1], [1]), [{1: "k"}, {1: "k"}]), ("none", (2, 3), (4, 5), ([], []), None),
        ("scalar", (), (2, 3), 0, None), ("empty", (2, 0), (0, 3), 1, None)):
    CASES.append(np_case("tensordot_" + name, "np.tensordot", [data(*x), data(*y)], dict(axes=axes), dynamic=dynamic))


# ---- einsum
def summed(subscripts, n):
    def make(mx):
        return mx.sym.np.einsum(subscripts, *[mx.sym.Variable("x%d" % i).as_np_ndarray() for i in range(n)])
    return make


for name, text, shapes, dynamic in (
        ("matmul", "ij,jk->ik", [(2, 3), (3, 4)], [{0: "n"}, None]), ("implicit", "ij,jk", [(2, 3), (3, 4)], [{0: "n"}, None]),
        ("implicit_order", "ba", [(2, 3)], [{0: "n"}]), ("trace", "ii", [(3, 3)], None),
        ("diagonal", "ii->i", [(3, 3)], None), ("sum", "ij->", [(2, 3)], [{0: "n"}]),
        ("transpose", "ijk->kij", [(2, 3, 4)], [{0: "n"}]), ("outer", "i,j->ij", [(2,), (3,)], [{0: "n"}, None]),
        ("batch", "bij,bkj->bik", [(2, 3, 4), (2, 5, 4)], [{0: "n"}, {0: "n"}]),
        ("ellipsis", "...j,j->...", [(2, 3, 4), (4,)], [{0: "n"}, None]),
        ("ellipsis_implicit", "...ij,...jk", [(2, 3, 4), (4, 5)], [{0: "n"}, None]),
        ("ellipsis_both", "i...,j...->ij...", [(2, 3, 4), (5, 1, 4)], [{0: "n"}, None]),
        ("ellipsis_broadcast", "...ij,...ij->...ij", [(2, 1, 3), (2, 4, 3)], None),
        ("spaces", " i j , j -> i ", [(2, 3), (3,)], [{0: "n"}, None]), ("capitals", "Ab,bC->AC", [(2, 3), (3, 4)], None),
        ("three", "ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)], [{0: "n"}, None, None]),
        ("broadcast", "ij,ij->ij", [(1, 3), (2, 3)], None), ("scalar", ",i->i", [(), (3,)], None),
        ("attention", "bnqd,bnkd->bnqk", [(2, 2, 3, 4), (2, 2, 5, 4)], [{0: "b", 2: "q"}, {0: "b", 2: "k"}])):
    inputs = {"x%d" % i: data(*s) for i, s in enumerate(shapes)}
    CASES.append(build("einsum_" + name, summed(text, len(shapes)), inputs, np_shape=True, opsets=FROM_12,
                       dynamic=dynamic and dict(zip(inputs, dynamic))))
for t in ("float16", "float64", "int32", "int64", "int8", "uint8"):
    CASES.append(build("einsum_" + t, summed("ij,jk->ik", 2), {"x0": data(2, 3, dtype=t), "x1": data(3, 2, dtype=t)},
                       np_shape=True, dynamic=None, opsets=FROM_12))

# ---- pad, tril
MODES = ("constant", "edge", "reflect", "symmetric", "maximum", "minimum")
for mode in MODES:
    CASES += [
        np_case("pad_" + mode, "np.pad", [data(4, 5)], dict(pad_width=((1, 2), (3, 0)), mode=mode), dynamic=NM),
        np_case("pad_vector_" + mode, "np.pad", [data(4)], dict(pad_width=(2, 1), mode=mode)),
        np_case("pad_nothing_" + mode, "np.pad", [data(4, 2)], dict(pad_width=((0, 0), (0, 0)), mode=mode)),
        np_case("pad_i32_" + mode, "np.pad", [data(3, 4, dtype="int32")], dict(pad_width=((1, 1), (0, 2)), mode=mode)),
        np_case("pad_f16_" + mode, "np.pad", [data(3, 4, dtype="float16")], dict(pad_width=((1, 1), (0, 2)), mode=mode)),
        np_case("pad_i8_" + mode, "np.pad", [data(3, 4, dtype="int8")], dict(pad_width=((1, 1), (0, 2)), mode=mode)),
    ]
for mode in ("edge", "reflect", "symmetric"):
    CASES += [
        np_case("pad_far_" + mode, "np.pad", [data(3, 2)], dict(pad_width=((7, 9), (5, 6)), mode=mode), dynamic=None),
        np_case("pad_one_" + mode, "np.pad", [data(1, 2)], dict(pad_width=((3, 2), (0, 0)), mode=mode), dynamic=None),
    ]
CASES += [
    np_case("pad_value", "np.pad", [data(2, 3)], dict(pad_width=((1, 1), (0, 2)), mode="constant", constant_values=2.5)),
    np_case("pad_rank4", "np.pad", [data(2, 2, 3, 3)], dict(pad_width=((0, 0), (0, 0), (1, 1), (2, 1)), mode="reflect")),
    np_case("pad_empty", "np.pad", [data(0, 2)], dict(pad_width=((1, 1), (0, 0)), mode="constant"), dynamic=None),
    np_case("pad_far_dynamic", "np.pad", [data(4, 2)], dict(pad_width=((1, 1), (5, 0)), mode="reflect")),
]
for k in (-3, -1, 0, 1, 9):
    CASES += [np_case("tril_%s" % str(k).replace("-", "m"), "np.tril", [data(3, 4)], dict(k=k), dynamic=NM),
              np_case("tril_vector_%s" % str(k).replace("-", "m"), "np.tril", [data(3)], dict(k=k))]
CASES += [
    np_case("tril_batch", "np.tril", [data(2, 2, 3, 3)], dynamic=[{0: "n", 2: "h", 3: "w"}]),
    np_case("tril_i32", "np.tril", [data(3, 3, dtype="int32")], dict(k=0)),
    np_case("tril_f16", "np.tril", [data(3, 3, dtype="float16")], dict(k=-1)),
    np_case("tril_i8", "np.tril", [data(3, 3, dtype="int8")], dict(k=1)),
]


# ---- from attributes
def made(name, *args, **attrs):
    def make(mx):
        f = mx.sym.np
        for part in name.split("."):
            f = getattr(f, part)
        return mx.sym.Variable("x").as_np_ndarray() * 1, f(*args, **attrs)
    return lambda mx: mx.sym.Group(list(make(mx)))


for name, args, attrs in (
        ("zeros", ((2, 3),), {}), ("zeros_rank0", ((),), {}), ("zeros_empty", ((0, 3),), {}),
        ("zeros_bool", ((2,),), dict(dtype="bool")), ("zeros_i8", (3,), dict(dtype="int8")),
        ("ones", ((2, 3),), {}), ("ones_rank0", ((),), {}), ("ones_i64", ((2,),), dict(dtype="int64")),
        ("ones_f16", ((2,),), dict(dtype="float16")), ("ones_bool", ((2,),), dict(dtype="bool")),
        ("arange", (5,), {}), ("arange_start", (1, 7, 2), {}), ("arange_negative", (5, 1, -2), {}),
        ("arange_empty", (5, 1), {}), ("arange_fraction", (0, 0.3, 0.1), {}), ("arange_i32", (1, 5), dict(dtype="int32")),
        ("arange_i32_fraction", (0.5, 5, 1.7), dict(dtype="int32")), ("arange_f64", (0.5, 5, 0.7), dict(dtype="float64")),
        ("eye", (3,), {}), ("eye_wide", (2, 4), dict(k=1)), ("eye_below", (4, 2), dict(k=-1)), ("eye_outside", (2, 2), dict(k=5)),
        ("eye_empty", (0,), {}), ("eye_no_columns", (2, 0), {}), ("eye_i32", (3,), dict(dtype="int32")),
        ("identity", (3,), {}), ("identity_bool", (2,), dict(dtype="bool")), ("identity_empty", (0,), {}),
        ("identity_f64", (2,), dict(dtype="float64")),
        ("hanning", (5,), {}), ("hanning_one", (1,), {}), ("hamming", (6,), {}), ("blackman", (7,), {}),
        ("linspace", (0, 1, 5), {}), ("full", ((2, 3), 2.5), {})):
    CASES.append(build(name, made(name.split("_")[0], *args, **attrs), {"x": data(2)}, np_shape=True))
