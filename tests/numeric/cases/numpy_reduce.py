# SPDX-License-Identifier: Apache-2.0
"""NumPy's reductions: axes, types, scalars, no elements."""
from . import case, data

NAN = float("nan")
NM = [{0: "n", 1: "m"}]
CASES = []


def np_case(name, op, inputs, attrs=None, **options):
    return case(name, op, inputs, attrs, np_shape=True, **options)


TYPES = ["bool", "int8", "uint8", "int32", "int64", "float16", "float32", "float64"]
FLOATS = TYPES[5:]
AXES = {"all": {}, "0": dict(axis=0), "1": dict(axis=1), "last": dict(axis=-1), "two": dict(axis=(0, 2)),
        "unsorted": dict(axis=(2, 0)), "none": dict(axis=()), "keep": dict(axis=(1,), keepdims=True),
        "keep_all": dict(keepdims=True)}
OPS = ["sum", "prod", "max", "min", "mean", "std", "var", "all", "any"]
for op in OPS:
    truth = op in ("all", "any")
    values = dict(kind="int", low=0, high=1) if truth else dict(low=0.5, high=2) if op == "prod" else dict(low=-2, high=3)
    for name, attrs in AXES.items():
        if truth and "unsorted" in name:
            continue
        CASES.append(np_case("%s_%s" % (op, name), "np." + op, [data(2, 3, 4, **values)], attrs, dynamic=NM,
                             atol=1e-6 if name == "none" else None))
    CASES += [
        np_case(op + "_rank0", "np." + op, [data(**values)], atol=1e-6),
        np_case(op + "_rank0_axis", "np." + op, [data(**values)], dict(axis=-1), atol=1e-6),
        np_case(op + "_rank1", "np." + op, [data(5, **values)], dict(axis=0)),
    ]
    if op in ("max", "min", "all", "any"):
        CASES.append(np_case(op + "_nothing_left", "np." + op, [data(0, 3, **values)], dict(axis=1), dynamic=None))
    if op not in ("max", "min"):
        CASES += [np_case(op + "_empty", "np." + op, [data(0, 3, **values)], dynamic=None),
                  np_case(op + "_empty_axis", "np." + op, [data(0, 3, **values)], dict(axis=0), dynamic=None)]
    for t in TYPES:
        if (t == "bool" and op in ("std", "var")) or t == "float32":
            continue
        low, high = (0, 1) if t == "bool" or truth else (1, 2) if op == "prod" else (0, 9) if t == "uint8" else (-9, 9)
        x = data(3, 4, dtype=t, low=low, high=high, kind="uniform" if t in FLOATS and not truth else "int")
        CASES.append(np_case("%s_%s" % (op, t), "np." + op, [x], dict(axis=0)))

# ---- dtype
for op in ("sum", "prod", "mean", "std", "var"):
    for t in TYPES:
        for to in TYPES:
            if t == "bool" and (op in ("std", "var") or (op != "mean" and to not in ("int32", "int64", "float32", "float64"))):
                continue
            if to == "uint8" or (to == "bool" and op in ("std", "var")):
                continue
            low, high = (0, 1) if t == "bool" else (1, 2) if op == "prod" else (0, 9) if t == "uint8" else (-9, 9)
            x = data(3, 4, dtype=t, low=low, high=high, kind="uniform" if t in FLOATS else "int")
            CASES.append(np_case("%s_%s_to_%s" % (op, t, to), "np." + op, [x], dict(axis=1, dtype=to), dynamic=NM,
                                 rtol=1e-2 if "float16" in (t, to) else 1e-6 if "float32" in (t, to) else None))

CASES += [
    np_case("sum_i8_wraps", "np.sum", [data(values=[100, 100, 100], dtype="int8")]),
    np_case("sum_u8_wraps", "np.sum", [data(values=[100, 100, 100], dtype="uint8")]),
    np_case("prod_i8_wraps", "np.prod", [data(values=[100, 3, -5], dtype="int8")]),
    np_case("mean_i8_many", "np.mean", [data(300, dtype="int8", low=90, high=110)]),
    np_case("mean_i8_to_i8", "np.mean", [data(300, dtype="int8", low=90, high=110)], dict(dtype="int8"), dynamic=None),
    np_case("mean_i32_negative", "np.mean", [data(values=[-1, -2, -5], dtype="int32")], dict(dtype="int32")),
    np_case("sum_f32_to_i32", "np.sum", [data(values=[1.5, 1.5, -2.7, 0.9])], dict(dtype="int32")),
    np_case("sum_f32_to_bool", "np.sum", [data(values=[[0.3, 0.3], [0.5, -0.5]])], dict(axis=1, dtype="bool")),
    np_case("all_values", "np.all", [data(values=[[1.0, 0.5, NAN], [1.0, 0.0, -1.0]])], dict(axis=1)),
    np_case("any_values", "np.any", [data(values=[[0.0, 0.0, NAN], [0.0, 0.0, 0.0]])], dict(axis=1)),
    np_case("var_ddof", "np.var", [data(3, 4)], dict(ddof=1), dynamic=NM),
    np_case("var_ddof_axis", "np.var", [data(3, 4)], dict(axis=1, ddof=2, keepdims=True), dynamic=NM),
    np_case("std_ddof", "np.std", [data(3, 4)], dict(axis=0, ddof=1), dynamic=NM),
    np_case("std_ddof_f16", "np.std", [data(3, 4, dtype="float16")], dict(axis=0, ddof=1)),
    np_case("var_ddof_all", "np.var", [data(4)], dict(ddof=4), dynamic=None),
    np_case("var_ddof_more", "np.var", [data(4)], dict(ddof=6), dynamic=None),
    np_case("var_i32_ddof", "np.var", [data(5, dtype="int32", low=-9, high=9)], dict(ddof=1)),
    np_case("var_large_mean", "np.var", [data(50, low=999, high=1001)], rtol=1e-3),
    np_case("std_constant", "np.std", [data(values=[3.0] * 5)], atol=1e-6),
]

# ---- argmax, argmin
for op in ("argmax", "argmin"):
    path = "np._internal." + op
    d = dict(kind="distinct")
    CASES += [
        np_case(op, path, [data(2, 3, 4, **d)], dict(axis=1), dynamic=NM),
        np_case(op + "_negative", path, [data(2, 3, 4, **d)], dict(axis=-1, keepdims=True), dynamic=NM),
        np_case(op + "_flat", path, [data(2, 3, 4, **d)], dynamic=NM),
        np_case(op + "_flat_keep", path, [data(2, 3, 4, **d)], dict(keepdims=True), dynamic=NM),
        np_case(op + "_rank1", path, [data(5, **d)], dict(axis=0)),
        np_case(op + "_rank0", path, [data(**d)]),
        np_case(op + "_nothing_left", path, [data(0, 3, **d)], dict(axis=1), dynamic=None),
        np_case(op + "_ties", path, [data(values=[[3.0, 1.0, 3.0, 1.0]])], dict(axis=1)),
    ]
    CASES += [np_case("%s_%s" % (op, t), path, [data(2, 7, dtype=t, kind="distinct", low=0, high=28)], dict(axis=1))
              for t in ("int8", "uint8", "int32", "int64", "float16", "float64")]

# ---- of scalars and bools
CASES.append(np_case("argmax_scalar", "np.argmax", [data(values=3.0)], dict(axis=0), dynamic=None))
CASES.append(np_case("argmin_scalar", "np.argmin", [data(values=3.0)], dict(axis=-1), dynamic=None))
CASES.append(np_case("sum_scalar_last", "np.sum", [data(values=3.0)], dict(axis=-1), dynamic=None))
CASES.append(np_case("cumsum_bool", "np.cumsum", [data(values=[True, False, True], dtype="bool")], dict(axis=0)))
CASES.append(np_case("squeeze_scalar", "np.squeeze", [data(values=3.0)], dict(axis=0), dynamic=None))
CASES.append(np_case("einsum_bool", "np._internal.einsum", [data(2, 3, dtype="bool"), data(3, 4, dtype="bool")],
                     dict(subscripts="ij,jk->ik", optimize=0), opsets=(12, 17, 21)))
