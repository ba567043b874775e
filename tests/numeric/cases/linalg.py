# SPDX-License-Identifier: Apache-2.0
"""Linear algebra on the last two axes. Factorisations get matrices that are far from singular."""
import numpy as np

from . import build, case, data, param

N = [{0: "n"}]


def definite(seed, *shape):
    """Symmetric and positive definite."""
    a = np.random.RandomState(seed).normal(size=shape)
    return a @ np.swapaxes(a, -1, -2) + 2 * np.eye(shape[-1])


def lower(seed, *shape):
    return np.tril(np.random.RandomState(seed).uniform(-1, 1, size=shape)) + 2 * np.eye(shape[-1])


def any_of(seed, *shape):
    return np.random.RandomState(seed).normal(size=shape)


def one(name, op, a, attrs=None, dtype="float32", **options):
    """One matrix, or a batch of them; the second run has one more in the batch."""
    options.setdefault("dynamic", N if a.ndim > 2 else None)
    return case(name, op, [data(values=a, dtype=dtype)], attrs, **options)


def two(name, op, a, b, attrs=None, dtype="float32", **options):
    options.setdefault("dynamic", [{0: "n"}, {0: "n"}] if a.ndim > 2 else None)
    return case(name, op, [data(values=a, dtype=dtype), data(values=b, dtype=dtype)], attrs, **options)


def triangular(op):
    """trmm or trsm in every orientation."""
    a, tall, wide = any_of(1, 4, 4) + 4 * np.eye(4), any_of(2, 4, 3), any_of(3, 3, 4)
    return [two("%s_%d%d%d" % (op, t, r, l), "linalg." + op, a, wide if r else tall,
                dict(transpose=bool(t), rightside=bool(r), lower=bool(l), alpha=1 if t else -2.5))
            for t in (0, 1) for r in (0, 1) for l in (0, 1)]


CASES = triangular("trmm") + triangular("trsm") + [
    two("trmm_batch", "linalg.trmm", any_of(4, 2, 3, 3), any_of(5, 2, 3, 5)),
    two("trmm_f64", "linalg.trmm", any_of(6, 2, 1, 3, 3), any_of(7, 2, 1, 5, 3), dict(rightside=True), "float64"),
    two("trsm_batch", "linalg.trsm", lower(8, 2, 3, 3), any_of(9, 2, 3, 5)),
    two("trsm_f64", "linalg.trsm", lower(10, 2, 3, 3), any_of(11, 2, 5, 3), dict(rightside=True, alpha=0.5), "float64"),
    two("trsm_rank4", "linalg.trsm", lower(12, 2, 2, 3, 3), any_of(13, 2, 2, 3, 1)),
    two("trsm_size1", "linalg.trsm", lower(14, 1, 1), any_of(15, 1, 2)),
    two("trsm_dynamic", "linalg.trsm", np.ones((3, 3)) * 2, any_of(16, 3, 2),
        dynamic=[{0: "k", 1: "k"}, {0: "k", 1: "m"}]),
    two("trsm_dynamic_upper", "linalg.trsm", np.ones((3, 3)) * 2, any_of(17, 3, 2), dict(lower=False),
        dynamic=[{0: "k", 1: "k"}, {0: "k"}]),
    two("trsm_sizes", "linalg.trsm", lower(14, 3, 3), any_of(15, 3, 2), dict(rightside=True), error="needs (2, 2)"),

    one("potrf", "linalg.potrf", definite(20, 4, 4)),
    one("potrf_batch", "linalg.potrf", definite(21, 2, 3, 3)),
    one("potrf_upper", "linalg.potrf", definite(22, 2, 3, 3), dict(lower=False)),
    one("potrf_f64", "linalg.potrf", definite(23, 2, 2, 5, 5), dtype="float64"),
    one("potrf_size1", "linalg.potrf", definite(24, 1, 1)),
    one("potrf_half", "linalg.potrf", np.tril(definite(25, 4, 4)) + np.triu(np.full((4, 4), 7.0), 1)),
    case("potrf_dynamic", "linalg.potrf", [data(values=np.array([[4.0]]))], dynamic=[{0: "k", 1: "k"}],
         sizes={"k": 1}),
    one("cholesky_np", "np.linalg.cholesky", definite(26, 2, 3, 3), np_shape=True),
    one("potri", "linalg.potri", lower(27, 4, 4)),
    one("potri_batch", "linalg.potri", lower(28, 2, 3, 3)),
    one("potri_upper", "linalg.potri", any_of(29, 2, 3, 3) + 3 * np.eye(3), dict(lower=False)),
    one("potri_f64", "linalg.potri", lower(30, 3, 3), dtype="float64"),
    build("gaussian", lambda mx: mx.sym.linalg.sumlogdiag(mx.sym.linalg.potrf(mx.sym.linalg.syrk(
        mx.sym.Variable("x")) + mx.sym.Variable("eye"))), {"x": data(2, 3, 3)},
        {"eye": param(values=np.array([np.eye(3)] * 2))}, dynamic=None),

    one("gelqf", "linalg.gelqf", any_of(40, 3, 5)),
    one("gelqf_square", "linalg.gelqf", any_of(41, 4, 4)),
    one("gelqf_batch", "linalg.gelqf", any_of(42, 2, 2, 3)),
    one("gelqf_f64", "linalg.gelqf", any_of(43, 2, 2, 3, 4), dtype="float64"),
    one("gelqf_done", "linalg.gelqf", np.array([[2.0, 0, 0], [1, 3, 4]])),
    one("gelqf_row", "linalg.gelqf", any_of(44, 1, 4)),
    one("gelqf_dynamic", "linalg.gelqf", any_of(45, 2, 5), dynamic=[{1: "n"}]),
    one("gelqf_tall", "linalg.gelqf", any_of(46, 5, 3), error="rows"),

    one("sumlogdiag", "linalg.sumlogdiag", definite(50, 3, 3)),
    one("sumlogdiag_batch", "linalg.sumlogdiag", definite(51, 2, 3, 3)),
    one("sumlogdiag_rank4", "linalg.sumlogdiag", definite(52, 2, 2, 3, 3), dtype="float64"),
    case("sumlogdiag_dynamic", "linalg.sumlogdiag", [data(3, 3, low=1, high=2)], dynamic=[{0: "k", 1: "k"}]),

    one("extractdiag", "linalg.extractdiag", any_of(60, 3, 3)),
    one("extractdiag_above", "linalg.extractdiag", any_of(61, 2, 4, 4), dict(offset=1)),
    one("extractdiag_below", "linalg.extractdiag", any_of(62, 2, 4, 4), dict(offset=-2), dtype="float64"),
    case("extractdiag_dynamic", "linalg.extractdiag", [data(2, 3, 3)], dict(offset=-1),
         dynamic=[{0: "n", 1: "k", 2: "k"}]),
    case("extractdiag_dynamic_above", "linalg.extractdiag", [data(3, 3)], dict(offset=1), dynamic=[{0: "k", 1: "k"}]),
    one("extractdiag_outside", "linalg.extractdiag", any_of(63, 3, 3), dict(offset=3), error="offset"),
    case("makediag", "linalg.makediag", [data(3)], dynamic=[{0: "k"}]),
    case("makediag_above", "linalg.makediag", [data(2, 3)], dict(offset=1), dynamic=[{0: "n", 1: "k"}]),
    case("makediag_below", "linalg.makediag", [data(2, 2, 3, dtype="float64")], dict(offset=-2)),
    case("extracttrian", "linalg.extracttrian", [data(4, 4)], dynamic=None),
    case("extracttrian_upper", "linalg.extracttrian", [data(2, 4, 4)], dict(lower=False)),
    case("extracttrian_above", "linalg.extracttrian", [data(2, 4, 4)], dict(offset=1)),
    case("extracttrian_below", "linalg.extracttrian", [data(2, 4, 4, dtype="float64")], dict(offset=-2, lower=False)),
    case("extracttrian_outside", "linalg.extracttrian", [data(2, 3, 3)], dict(offset=3), error="offset"),
    case("maketrian", "linalg.maketrian", [data(6)], dynamic=None),
    case("maketrian_upper", "linalg.maketrian", [data(2, 6)], dict(lower=False)),
    case("maketrian_above", "linalg.maketrian", [data(2, 6)], dict(offset=2)),
    case("maketrian_below", "linalg.maketrian", [data(2, 1, 6, dtype="float64")], dict(offset=-1, lower=False)),
    case("maketrian_odd", "linalg.maketrian", [data(2, 5)], error="triangle"),

    one("inverse", "linalg.inverse", any_of(70, 4, 4)),
    one("inverse_swap", "linalg.inverse", np.array([[0.0, 2, 1], [1, 0, 3], [4, 1, 0]])),
    one("inverse_batch", "linalg.inverse", any_of(71, 2, 3, 3)),
    one("inverse_f64", "linalg.inverse", any_of(72, 2, 2, 5, 5), dtype="float64"),
    one("inverse_size1", "linalg.inverse", any_of(73, 1, 1)),
    one("inverse_np", "np.linalg.inv", any_of(74, 2, 3, 3), np_shape=True),
    case("inverse_dynamic", "linalg.inverse", [data(3, 3, kind="normal")], dynamic=[{0: "k", 1: "k"}], rtol=1e-3),
    one("det", "linalg.det", any_of(80, 4, 4)),
    one("det_batch", "linalg.det", any_of(81, 2, 3, 3)),
    one("det_f64", "linalg.det", any_of(82, 2, 2, 5, 5), dtype="float64"),
    one("det_f64_one", "linalg.det", any_of(83, 3, 3), dtype="float64"),
    one("det_np", "np.linalg.det", any_of(84, 3, 3), np_shape=True),
    one("det_zero", "linalg.det", np.array([[1.0, 2], [2, 4]])),
    one("slogdet", "linalg.slogdet", any_of(85, 4, 4)),
    one("slogdet_batch", "linalg.slogdet", any_of(86, 3, 3, 3)),
    one("slogdet_f64", "linalg.slogdet", any_of(87, 2, 2, 5, 5), dtype="float64"),
    one("slogdet_zero", "linalg.slogdet", np.array([[1.0, 2], [2, 4]])),
    one("slogdet_large", "linalg.slogdet", any_of(88, 40, 40) * 20),
    one("slogdet_np", "np.linalg.slogdet", any_of(89, 3, 3), np_shape=True),
    two("solve", "np.linalg.solve", any_of(90, 3, 3), any_of(91, 3, 2), np_shape=True),
    two("solve_vector", "np.linalg.solve", any_of(92, 3, 3), any_of(93, 3), np_shape=True),
    two("solve_batch", "np.linalg.solve", any_of(94, 2, 3, 3), any_of(95, 2, 3, 2), np_shape=True),
    two("solve_f64", "np.linalg.solve", any_of(96, 3, 3), any_of(97, 3, 4), dtype="float64", np_shape=True),
    one("tensorinv", "np.linalg.tensorinv", any_of(98, 2, 3, 6), np_shape=True, dynamic=None),
    one("tensorinv_1", "np.linalg.tensorinv", any_of(99, 6, 3, 2), dict(ind=1), np_shape=True, dynamic=None),
    two("tensorsolve", "np.linalg.tensorsolve", any_of(100, 2, 3, 6), any_of(101, 2, 3), np_shape=True, dynamic=None),
    two("tensorsolve_axes", "np.linalg.tensorsolve", any_of(102, 2, 6, 3), any_of(103, 6), dict(axes=(0, 2)),
        np_shape=True, dynamic=None),
]
