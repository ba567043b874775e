# SPDX-License-Identifier: Apache-2.0
"""Eigenvalues, singular values, and norms by them."""
import numpy as np

from . import case, data

CASES = []


def add(name, op, inputs, attrs=None, **options):
    CASES.append(case(name, op, inputs, attrs, np_shape=True, **options))


def symmetric(*shape, dtype="float32", seed=1):
    x = np.random.RandomState(seed).normal(size=shape)
    return data(values=(x + np.swapaxes(x, -1, -2)) / 2, dtype=dtype)


def matrix(*shape, dtype="float32", seed=2):
    return data(values=np.random.RandomState(seed).normal(size=shape), dtype=dtype)


N = [{0: "n"}]
for name, shape in (("1", (1, 1)), ("2", (2, 2)), ("3", (3, 3)), ("4", (4, 4)), ("batch", (3, 5, 5)), ("batches", (2, 2, 3, 3)), ("large", (17, 17))):
    dynamic = N if len(shape) > 2 else None
    options = dict(dynamic=dynamic, sizes={"n": shape[0]} if dynamic else None, atol=1e-5)
    for t in ("float32", "float64"):
        x = symmetric(*shape, dtype=t)
        CASES.append(case("syevd_%s_%s" % (name, t), "linalg.syevd", [x], **options))
        add("eigvalsh_%s_%s" % (name, t), "np.linalg.eigvalsh", [x], **options)
        add("eigh_%s_%s" % (name, t), "np.linalg.eigh", [x], dict(UPLO="L"), **options)
    add("eigh_upper_" + name, "np.linalg.eigh", [matrix(*shape)], dict(UPLO="U"), **options)
    add("eigvalsh_lower_" + name, "np.linalg.eigvalsh", [matrix(*shape)], dict(UPLO="L"), **options)
OPEN = [{0: "m", 1: "m"}]
add("eigvalsh_upper", "np.linalg.eigvalsh", [matrix(3, 3)], dict(UPLO="U"), dynamic=None, atol=1e-5)
add("eigvalsh_open", "np.linalg.eigvalsh", [symmetric(3, 3)], dynamic=OPEN, sizes={"m": 2}, atol=1e-5)
add("eigvalsh_i32", "np.linalg.eigvalsh", [data(values=[[2, 1], [1, 3]], dtype="int32")], dynamic=None)
add("eigvalsh_diagonal", "np.linalg.eigvalsh", [data(values=[[3, 0, 0], [0, 1, 0], [0, 0, 3]])], dynamic=None, atol=1e-5)
add("eigh_f16", "np.linalg.eigh", [data(2, 2, dtype="float16")], dict(UPLO="L"), error="float32 and float64")

for name, shape in (("1", (1, 1)), ("row", (1, 4)), ("square", (3, 3)), ("wide", (3, 5)), ("batch", (2, 3, 4)), ("large", (12, 15))):
    dynamic = N if len(shape) > 2 else None
    options = dict(dynamic=dynamic, sizes={"n": shape[0]} if dynamic else None, atol=1e-5)
    for t in ("float32", "float64"):
        add("svd_%s_%s" % (name, t), "np.linalg.svd", [matrix(*shape, dtype=t)], **options)
        add("pinv_%s_%s" % (name, t), "np._internal.pinv_scalar_rcond", [matrix(*shape, dtype=t)], dict(rcond=1e-5), **options)
        add("pinv_high_%s_%s" % (name, t), "np._internal.pinv_scalar_rcond", [matrix(*shape[:-2], shape[-1], shape[-2], dtype=t)], dict(rcond=1e-5), **options)
    add("pinv_tensor_" + name, "np._internal.pinv", [matrix(*shape), data(values=np.full(shape[:-2], 1e-5))], dynamic=None, atol=1e-5)
add("svd_open", "np.linalg.svd", [matrix(2, 3)], dynamic=[{0: "m", 1: "n"}], sizes={"m": 2, "n": 3}, atol=1e-5)
add("svd_high", "np.linalg.svd", [matrix(3, 2)], error="more rows")
add("pinv_open", "np._internal.pinv_scalar_rcond", [matrix(4, 2)], dict(rcond=1e-5), dynamic=[{0: "m", 1: "n"}], sizes={"m": 4, "n": 2}, atol=1e-5)
add("pinv_deficient", "np._internal.pinv_scalar_rcond", [data(values=[[1, 2], [2, 4]])], dict(rcond=1e-3), dynamic=None, atol=1e-5)
add("pinv_cut", "np._internal.pinv_scalar_rcond", [data(values=[[2, 0, 0], [0, 1, 0], [0, 0, 0.1]])], dict(rcond=0.2), dynamic=None, atol=1e-5)

# ---- norms: flag -2 flat, 1 Frobenius, 2 nuclear
X, NM = data(3, 4, 5), [{0: "n", 2: "m"}]
for keep in (False, True):
    k = dict(keepdims=keep)
    tag = "_keep" * keep
    add("norm_flat" + tag, "np._internal.norm", [X], dict(flag=-2, **k), dynamic=NM)
    for ord in (1, 2, 3, 0.5, -1.5, 0):
        add("norm_vector_%s%s" % (str(ord).replace("-", "m").replace(".", "_"), tag), "np._internal.norm", [X], dict(ord=ord, axis=(1,), **k), dynamic=NM)
    add("norm_fro" + tag, "np._internal.norm", [X], dict(flag=1, axis=(0, 2), **k), dynamic=NM)
    for ord in (1, -1):
        add("norm_matrix_%s%s" % (str(ord).replace("-", "m"), tag), "np._internal.norm", [X], dict(ord=ord, axis=(0, 2), **k), dynamic=NM)
    for ord in (2, -2):
        add("norm_spectral_%s%s" % (str(ord).replace("-", "m"), tag), "np._internal.norm", [X], dict(ord=ord, axis=(1, 2), flag=0, **k),
            dynamic=[{0: "n"}], atol=1e-5)
    add("norm_nuclear" + tag, "np._internal.norm", [X], dict(flag=2, axis=(0, 2), **k), dynamic=[{1: "n"}], atol=1e-5)
add("norm_vector", "np._internal.norm", [data(6)], dict(ord=2, flag=-1))
add("norm_vector_frobenius", "np._internal.norm", [data(6)], dict(flag=1))
add("norm_matrix", "np._internal.norm", [data(3, 4)], dict(flag=1))
add("norm_matrix_back", "np._internal.norm", [data(3, 4)], dict(ord=1, axis=(-1, -2)))
add("norm_nuclear_all", "np._internal.norm", [data(3, 4)], dict(flag=2), dynamic=None, atol=1e-5)
add("norm_f64", "np._internal.norm", [data(3, 4, dtype="float64")], dict(ord=3, axis=(1,)), rtol=1e-6)
add("norm_f16", "np._internal.norm", [data(3, 4, dtype="float16")], dict(ord=2, axis=(1,)))
add("norm_i32", "np._internal.norm", [data(3, dtype="int32")], error="needs a float type")
for name, attrs in (("spectral", dict(ord=2)), ("fro", dict(flag=1)), ("one", dict(ord=1))):
    add("norm_last_axes_" + name, "np._internal.norm", [data(3, 4, 5)], attrs, atol=1e-5)
for ord in (3, -3, 0, 0.5, float("inf"), float("-inf")):  # the row sums, as for infinity
    add("norm_matrix_%s" % str(ord).replace("-", "m").replace(".", "_"), "np._internal.norm", [X], dict(ord=ord, axis=(2, 0)), dynamic=NM)
add("norm_nuclear_3", "np._internal.norm", [data(3, 4)], dict(ord=3, flag=2), dynamic=None)
add("norm_fro_vector_3", "np._internal.norm", [data(3, 4)], dict(ord=3, axis=(1,), flag=1))
add("norm_scalar", "np._internal.norm", [data()], dict(ord=2), error="give one axis or two")
