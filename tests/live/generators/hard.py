# SPDX-License-Identifier: Apache-2.0
"""Random cases: the operators that work on numbers, with values at which computations go wrong.

"hard/NAME" is a case of NAME's generator. Its floating data are numbers at the limits of their type, halves, numbers that a sum with
a half rounds, and what is not finite; its integers those at the limits of their type. In some cases the data, or an operand, are
constants, so that the exporter computes with them. Each element is compared by its own size: next to 1e30 any other one is close to 0.

What C leaves undefined is left out: integers divided by 0, the least one by -1, floats beyond an integer type.
"""
import numpy as np

from . import GENERATORS, MXNET2, build, data

LARGE = (8388607, 8388609, 16777215, 1e9, 1e30)
SMALL = (.5, 1.5, 2.5, .49999997, 1, .1, 3, 1e-9, 1e-30, 0.0)
FINITE = tuple(s * v for v in LARGE + SMALL for s in (1, -1))
INFINITE = float("inf")
SPECIAL = (float("nan"), float("inf"), -float("inf"))
# Sums of numbers of all sizes depend on their order, and MXNet's own sums, which keep what was rounded off, are NaN where they overflow
FAMILIES = ((1e30, 2e30, 0, 3e30), (1e-30, 2e-30, 0, -1e-30), (1e-9, 2e-9, 3e-9), (1, 2, SPECIAL[0]), (1, SPECIAL[1]),
            (1, SPECIAL[2]), (1e3, 2e3, 3e3), (.49999997, 1.5, 2.5), (16777215, 1, 8388609))
MODERATE = ((1e-9, 2e-9, 0), (10, -20), (.49999997, 1.5, 2.5))
BEYOND = .4  # share of the elements that are hard


def limits(dtype):
    """The largest, least and smallest numbers of a floating type."""
    f = np.finfo(dtype)
    return tuple(float(s * v) for v in (f.max, f.tiny) for s in (1, -1))


def reals(dtype):
    return FINITE + SPECIAL + limits(dtype)


def wholes(dtype):
    i = np.iinfo(dtype)
    return [v for v in (i.min, i.min + 1, i.max - 1, i.max, 0, 1, 2, -1, -2, 7, -7) if v >= i.min]


def put(r, a, choices, share=BEYOND):
    """Replaces a share of the elements of an input."""
    seed = str(r.rng.randint(1 << 30))
    made = a.make(seed).reshape(-1)
    if not made.size:  # at another size there would be zeros, which divide
        return
    for i in range(made.size):
        if r.chance(share):
            with np.errstate(over="ignore"):
                made[i] = np.asarray(r.pick(*choices)).astype(a.dtype)
    a.values = made.reshape(a.shape)


def any_numbers(r, a, i, op):
    if np.dtype(a.dtype).kind == "f":
        single = op in SINGLE and a.dtype == "float64"
        slope = op == "LeakyReLU" and a.role == "param"  # an infinite one times 0 is NaN
        chosen = FINITE + SPECIAL + (() if op in ("LeakyReLU", "np2_digamma") else limits("float32" if single else a.dtype))
        with np.errstate(over="ignore"):
            chosen = [float(np.asarray(v).astype("float32" if single else a.dtype)) for v in chosen]
        put(r, a, [v for v in chosen if not (op in POLES and not (v > 0 or v % 1 > 0) or op in NO_NAN and v != v
                                             or slope and not abs(v) < INFINITE)])
    elif np.dtype(a.dtype).kind in "iu" and op not in TAME_INTEGERS:
        put(r, a, wholes(a.dtype))


def moderate(r, a, i, op):
    """What no kernel loses digits of: oneDNN's do not pass on NaN, and those of ONNX Runtime take differences of products."""
    if a.role == "data" and np.dtype(a.dtype).kind == "f":
        put(r, a, r.pick(*MODERATE), r.pick(.5, 1))


def one_family(r, a, i, op):
    if np.dtype(a.dtype).kind == "f":
        most = 1e5 if a.dtype != "float16" else 100  # sums of float16 end at 65504
        left = [f for f in FAMILIES if op not in SMALL_SUMS or all(v == 0 or 1e-10 < abs(v) < most for v in f)]
        put(r, a, r.pick(*left), r.pick(.5, 1))
    elif np.dtype(a.dtype).kind in "iu" and op not in TAME_INTEGERS:
        put(r, a, wholes(a.dtype))


def different(r, a, i, op):
    """No two elements are equal, and none is NaN: their order is known."""
    n = int(np.prod(a.shape))
    real = np.dtype(a.dtype).kind == "f"
    with np.errstate(over="ignore"):
        chosen = np.unique(np.asarray([v for v in reals(a.dtype) if not v != v] if real else wholes(a.dtype)).astype(a.dtype))
    rest = np.arange(20, 20 + n).astype(a.dtype)
    pool = r.rng.permutation(np.concatenate([chosen, rest]))[:n]
    if len(np.unique(pool)) == n:
        a.values = pool.reshape(a.shape)


def dividend_and_divisor(r, a, i, op):
    """Of integers neither the least one, nor a divisor of 0."""
    reverse = "_scalar" in op and op.rpartition(".")[2].lstrip("_").removeprefix("np2_").removeprefix("np_")[0] == "r"
    if np.dtype(a.dtype).kind == "f":
        exact = a.dtype != "float64" or "_scalar" not in op  # else the last bit of the number decides what is left
        put(r, a, [v for v in reals(a.dtype) if exact or not 1e6 < abs(v) < INFINITE and not 0 < abs(v) < 1e-6])
    elif np.dtype(a.dtype).kind in "iu":
        low = np.iinfo(a.dtype).min
        divides = i == 1 or reverse
        put(r, a, [v for v in wholes(a.dtype) if v != low and not (divides and v == 0) and abs(v) < 1 << 53])  # MXNet divides doubles


def conversion(r, a, i, op):
    """Floats that the integer types can hold; the type is the case's."""
    put(r, a, (0.0, -0.0, .5, 1.5, .49999997, 2.5, 100.7) if np.dtype(a.dtype).kind == "f" else wholes(a.dtype))


def truth(r, a, i, op):
    put(r, a, (0.0, -0.0, 1e-30, 1, float("nan")) if np.dtype(a.dtype).kind == "f" else (0, 1))


# ONNX Runtime has float32 kernels alone: there float64 has the precision and the range of that
SINGLE = set("arccos arccosh arcsin arcsinh arctan arctanh cosh sinh tan erf softsign hard_sigmoid Activation LeakyReLU".split())
SINGLE.update("np." + n for n in "arccos arccosh arcsin arcsinh arctan arctanh cosh sinh tan".split())
POLES = ("gamma", "gammaln", "rcbrt", "np2_digamma")  # at 0 and the negative integers, where the side that -0 is on decides
NO_NAN = set("sign np_sign Activation broadcast_hypot _hypot _hypot_scalar np.hypot np_hypot".split())  # their `differs` are about it
# Their `differs` is about numbers that are not finite, or whose squares are not; in products the order of the factors decides.
SMALL_SUMS = set("moments nansum norm np_norm np_average np_mean np_sum np_std np_var np2_norm np2_reduce_std np2_reduce_var prod nanprod "
                 "np_prod np2_reduce_prod dot np.dot np_diff np2_reduce_mean np2_reduce_sum".split())
# MXNet's functions round a double to the integer type, which is undefined where it overflows; ONNX Runtime's sums do the same.
TAME_INTEGERS = set()


def names(text, prefixes=("",)):
    return [p + n for n in text.split() for p in prefixes]


EXACT, CLOSE, SCALED = 0, 1, 2  # SCALED: by the largest element, as the generator says
POLICIES = {}


def policy(listed, values, how):
    for name in listed:
        POLICIES[name] = (values, how)


policy(names("rint round floor ceil trunc fix sign abs negative relu square logical_not np_absolute np_ceil np_floor np_negative np_sign "
             "np_square np_trunc np_logical_not np_rint np_isnan np_isfinite npx_relu np.fix np.isinf np.isfinite np.isnan np.isposinf "
             "np.isneginf np.nan_to_num np.bitwise_not ones_like zeros_like _copy"), any_numbers, EXACT)
policy(names("arccos arcsin arctan arcsinh arccosh arctanh cbrt cos cosh degrees erf exp expm1 log log10 log1p log2 radians rcbrt "
             "reciprocal rsqrt sigmoid LogisticRegressionOutput sin sinh softsign sqrt tan tanh erfinv gamma gammaln smooth_l1 Activation LeakyReLU "
             "np_cos np_exp np_log np_log2 np_sqrt np_tanh npx_sigmoid np.arccos np.arccosh np.arcsin np.arcsinh np.arctan np.arctanh "
             "np.cbrt np.cosh np.degrees np.expm1 np.log10 np.log1p np.radians np.reciprocal np.sin np.sinh np.tan np_around div_sqrt_dim "
             "quadratic np2_function np2_digamma"), any_numbers, CLOSE)
policy(names("equal not_equal greater greater_equal lesser lesser_equal maximum minimum logical_and logical_or logical_xor",
             ("_", "broadcast_")), any_numbers, EXACT)
policy(["_%s_scalar" % n for n in ("plus minus rminus mul maximum minimum equal not_equal greater greater_equal lesser lesser_equal "
                                   "logical_and logical_or logical_xor").split()], any_numbers, EXACT)
policy(names("broadcast_add broadcast_sub broadcast_mul elemwise_add elemwise_sub elemwise_mul _grad_add where clip np_where np.where "
             "np.clip np.maximum np.minimum np.copysign np_copysign np.bitwise_and np.bitwise_or "
             "np.bitwise_xor"), any_numbers, EXACT)
policy(names("add subtract multiply equal not_equal greater greater_equal less less_equal", ("np.", "np_", "np2_")), any_numbers, CLOSE)
policy(["np_%s_scalar" % n for n in "add subtract rsubtract multiply equal not_equal greater greater_equal less less_equal".split()],
       any_numbers, CLOSE)
policy(["np2_%s_scalar" % n for n in "equal not_equal greater greater_equal less less_equal logical_and logical_or logical_xor fmax fmin"
        .split()] + names("np2_logical_and np2_logical_or np2_logical_xor np2_fmax np2_fmin"), any_numbers, EXACT)
policy(names("broadcast_hypot _hypot _hypot_scalar np.hypot np_hypot np.arctan2 np_arctan2 np.arctan2_scalar np.rarctan2_scalar "
             "np.ldexp np.ldexp_scalar np.rldexp_scalar broadcast_power _power _power_scalar _rpower_scalar np.power np_power "
             "np_power_scalar np_rpower_scalar np2_power np2_logaddexp np2_logaddexp_scalar np.copysign_scalar np.rcopysign_scalar"),
       any_numbers, CLOSE)
policy(names("broadcast_div broadcast_mod elemwise_div _mod _div_scalar _rdiv_scalar _mod_scalar _rmod_scalar np.mod np.true_divide "
             "np_mod np_true_divide np_mod_scalar np_rmod_scalar np_true_divide_scalar np_rtrue_divide_scalar np2_fmod np2_fmod_scalar "
             "np2_rfmod_scalar np2_floor_divide np2_floor_divide_scalar np2_rfloor_divide_scalar np2_mod np2_true_divide"),
       dividend_and_divisor, CLOSE)
policy(names("sum mean prod nansum nanprod norm moments _square_sum np_sum np_prod np_mean np_norm cumsum np.cumsum "
             "add_n np2_reduce_sum np2_reduce_mean np2_reduce_std np2_reduce_var np2_reduce_prod np2_cumsum np2_norm np_average np_diff "
             "np_ediff1d dot np.dot"), one_family, CLOSE)
policy(names("softmax log_softmax softmin softmax/dtype SoftmaxActivation SoftmaxOutput L2Normalization LayerNorm "
             "InstanceNorm GroupNorm BatchNorm LRN hard_sigmoid np2_masked_softmax np2_group_norm "
             "np_std np_var np2_activation"), moderate, SCALED)
policy(names("max min np_max np_min np2_reduce_max np2_reduce_min argmax argmin argmax_channel np.argmax np.argmin sort argsort topk "
             "np_unique"), different, EXACT)
policy(names("np_percentile"), different, CLOSE)
policy(names("Cast"), conversion, EXACT)
policy(names("amp_cast amp_multicast"), any_numbers, CLOSE)
policy(names("np_all np_any np2_reduce_all np2_reduce_any boolean_mask npx_nonzero all_finite multi_all_finite contrib.allclose"), truth,
       EXACT)

TAME_INTEGERS.update(n for n, (v, how) in POLICIES.items() if how == CLOSE and v is any_numbers and
                     not any(w in n for w in ("add", "subtract", "multiply", "equal", "greater", "less")))
TAME_INTEGERS.update("sum nansum np_sum mean moments norm np_norm np_average np_mean np_std np_var np2_norm np2_reduce_mean np2_reduce_std "
                     "np2_reduce_var np2_reduce_sum np_square np_ceil np_floor np_rint np_trunc np.fix np_absolute".split())
TAME_INTEGERS.update("np2_" + n for n in "equal not_equal greater greater_equal less less_equal".split())  # MXNet 2 compares int64 as float64

# Below it a float64 is 0 in ONNX Runtime's float32 kernels, and a float16 has few digits
NEXT_TO_0 = {"float16": 2e-6}
# Sums that cancel: logarithms of numbers next to 1, exponentials less 1
NOISE = {"quadratic": 1e-3, "np2_digamma": 1e-5, "moments": 1e-6, "dot": 1e-6, "np.dot": 1e-6, "gamma": 2e-6, "gammaln": 2e-6,
         "LeakyReLU": 1e-6, "Activation": 1e-6, "np_diff": 1e-15}
ROUNDING = {"float16": 2e-3, "float32": 4e-6, "float64": 1e-6}


def rounded(op, how, g, w, rtol):
    """Which elements are MXNet's up to rounding. In EXACT cases it is that of numbers among the attributes, whose last bit may differ."""
    kind = "float32" if op in SINGLE and w.dtype == "float64" else w.dtype.name
    share = max(ROUNDING[kind], rtol or 0) if how == CLOSE else 4e-16
    noise = NOISE.get(op, NEXT_TO_0.get(w.dtype.name, 1e-37))
    with np.errstate(all="ignore"):
        x, y = g.astype(np.float64), w.astype(np.float64)
        return np.isfinite(g) & np.isfinite(w) & (np.abs(x - y) <= share * np.abs(y) + noise)


def by_element(op, how):
    """Fails unless each element is MXNet's: exactly, or up to rounding."""
    def agree(got, want, rtol=None, atol=None):
        assert len(got) == len(want), "%d outputs, MXNet has %d" % (len(got), len(want))
        for i, (g, w) in enumerate(zip(got, want)):
            assert g.dtype == w.dtype and g.shape == w.shape, "output %d is %s %s, MXNet's %s %s" % (i, g.dtype, g.shape, w.dtype, w.shape)
            same = g == w
            if w.dtype.kind == "f":
                same |= np.isnan(g) & np.isnan(w)
                if how == CLOSE or w.dtype == "float64":
                    same |= rounded(op, how, g, w, rtol)
            assert same.all(), "output %d: %d of %d elements differ: %s\nMXNet: %s" % (i, (~same).sum(), w.size, g[~same][:9], w[~same][:9])
    return agree


def scalar(r, c, op):
    """The number of an operator with one, which its data's type holds."""
    dtype = np.dtype(next(iter(c.inputs.values())).dtype)
    whole = dtype.kind != "f"
    careful = POLICIES[op][0] is dividend_and_divisor
    if whole and (op in TAME_INTEGERS or dtype.kind == "b"):
        return
    if dtype.kind != "b" and c.attrs.get("is_int", whole) != whole:
        return
    v = r.pick(*(wholes(dtype) if whole else FINITE + SPECIAL[op in NO_NAN:]))
    if whole and (abs(v) > 1 << 53 or careful and v in (0, np.iinfo(dtype).min)):
        return
    if (careful or dtype == "float64" and np.isfinite(v)) and not whole and not 1e-6 < abs(v) < 1e8:  # MXNet reads others inexactly
        return
    c.attrs["scalar"] = v if whole else float(v)


def constant(r, c):
    """Data become constants: all of them, next to data that have nothing to do with them, or some."""
    given = [n for n, a in c.inputs.items() if a.role == "data"]
    chosen = given if len(given) == 1 or r.chance() else [r.pick(*given)]
    inner = build("case", c.make, {}, **{})
    inner.op, inner.attrs, inner.outputs, inner.inputs = c.op, c.attrs, c.outputs, dict(c.inputs)
    sizes = {d for n in chosen for d in c.dynamic.pop(n, {}).values()}
    c.dynamic = {n: {a: d for a, d in dims.items() if d not in sizes} for n, dims in c.dynamic.items()}
    for n in chosen:
        c.inputs[n].role = "param"
    if len(chosen) == len(given):
        free = "free"
        of_numpy = c.np_shape

        def make(mx):
            import record
            s = record.make_symbol(mx, inner)
            x = mx.sym.Variable(free)
            return mx.sym.Group([x.as_np_ndarray() * 1 if of_numpy else x * 1] + list(s))
        c.make, c.outputs = make, None
        c.inputs[free] = data(2)
        c.dynamic = {free: {0: "free"}}


def hard(name, make, r):
    c = make(r)
    values, how = POLICIES[name]
    if "a_min" in c.attrs and r.chance():
        c.attrs["a_min"], c.attrs["a_max"] = sorted(r.pick(*FINITE, *SPECIAL[1:]) for _ in range(2))
    half = any(a.dtype == "float16" for a in c.inputs.values())
    for i, a in enumerate(c.inputs.values()):
        if half and np.dtype(a.dtype).kind in "iu":  # ONNX Runtime casts integers to float32 at once
            continue
        if a.values is None or values is any_numbers and np.dtype(a.dtype).kind == "f":
            values(r, a, i, name)
    if "scalar" in c.attrs and name != "smooth_l1" and r.chance():
        scalar(r, c, name)
    if values is different:
        c.dynamic = {}  # at another size elements would be repeated
    if c.make is None and name not in ("boolean_mask", "npx_nonzero") and r.chance(.3):
        constant(r, c)
    if how != SCALED:
        c.agree = by_element(name, how)
    return c


for _all in (GENERATORS, MXNET2):
    for _name in sorted(set(POLICIES) & set(_all)):
        _all["hard/" + _name] = lambda r, name=_name, make=_all[_name]: hard(name, make, r)
