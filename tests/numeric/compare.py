# SPDX-License-Identifier: Apache-2.0
"""Checks an ONNX file, runs it in ONNX Runtime and compares with what MXNet computed."""
import contextlib
import functools

import numpy as np
import onnx
import onnxruntime
from onnxruntime.capi.onnxruntime_pybind11_state import Fail

# max|difference| <= TOLERANCE * max|reference|; integers and bools are exact
TOLERANCE = {"float16": 1e-2, "float32": 1e-4, "float64": 1e-9}


def check(path, opset):
    """The checker's full check, and the stamp."""
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    stamp = [o.version for o in model.opset_import if o.domain in ("", "ai.onnx")]
    assert stamp == [opset], "opset %d was asked for, the file says %s" % (opset, stamp)
    return model


def opened(path, threads, exact, level):
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", exact)
    options.graph_optimization_level = level
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


@functools.lru_cache(None)
def has_exact_sums():
    """Of uint8 and int8 products, which saturate on processors without VNNI."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as f:
        return "vnni" in f.read()
    return False


def session(path, threads=1):
    """Sums of uint8 and int8 products are exact: the runtime is asked for it. It cannot rewrite a graph for them where two nodes read one
    weight. Without VNNI such a graph runs as it is written, in float32."""
    level = onnxruntime.GraphOptimizationLevel
    try:
        return opened(path, threads, "1", level.ORT_ENABLE_ALL)
    except Fail:
        return opened(path, threads, "0", level.ORT_ENABLE_ALL if has_exact_sums() else level.ORT_DISABLE_ALL)


def check_signature(s, inputs, dynamic):
    """Inputs carry the names, dims and dim names that were asked for. `inputs`: {name: (shape, dtype)}; one that
    inference does not read may be gone, but nothing may be there besides."""
    for given in s.get_inputs():
        assert given.name in inputs, "the model has an input '%s', for which the case has no value" % given.name
        shape = [dynamic.get(given.name, {}).get(axis, d) for axis, d in enumerate(inputs[given.name][0])]
        assert list(given.shape) == shape, "input '%s' is %s, not %s" % (given.name, given.shape, shape)


def run(s, arrays, sizes=None):
    """The outputs; their shapes must be those that the file declares (sizes: {dim name: size})."""
    got = s.run(None, {i.name: arrays[i.name] for i in s.get_inputs()})
    for o, a in zip(s.get_outputs(), got):
        declared = [(sizes or {}).get(d, d) for d in o.shape]
        assert len(declared) == a.ndim and all(isinstance(d, str) or d is None or d == n
                                               for d, n in zip(declared, a.shape)), \
            "output '%s' is declared %s and came as %s" % (o.name, o.shape, list(a.shape))
    return got


def difference(got, want):
    """(max|got - want|, max|want|) over what is finite."""
    finite = np.isfinite(want)
    if not finite.any():
        return 0.0, 0.0
    g, w = got[finite].astype(np.float64), want[finite].astype(np.float64)
    return float(np.abs(g - w).max()), float(np.abs(w).max())


def ties_only(got, want, share):
    """Are few integers off, and those by one?"""
    off = np.abs(got.astype(np.int64) - want.astype(np.int64)) if want.dtype.kind in "iu" else got != want
    return share > 0 and off.max(initial=0) <= 1 and off.sum() <= max(1, share * want.size)


def agree(got, want, rtol=None, atol=None, ties=0):
    """Fails unless the outputs are MXNet's in number, type, shape and value."""
    assert len(got) == len(want), "%d outputs, MXNet has %d" % (len(got), len(want))
    for i, (g, w) in enumerate(zip(got, want)):
        assert g.dtype == w.dtype, "output %d is %s, MXNet's %s" % (i, g.dtype, w.dtype)
        assert g.shape == w.shape, "output %d is %s, MXNet's %s" % (i, g.shape, w.shape)
        if w.dtype.kind != "f":
            assert (g == w).all() or ties_only(g, w, ties), "output %d: %d of %d elements differ:\n%s\nMXNet:\n%s" % (
                i, (g != w).sum(), w.size, g, w)
            continue
        special = ~np.isfinite(w)
        assert np.array_equal(np.isfinite(g), ~special) and np.array_equal(
            g[special], w[special], equal_nan=True), "output %d: NaN or infinity elsewhere:\n%s\nMXNet:\n%s" % (i, g, w)
        most, scale = difference(g, w)
        bound = (TOLERANCE[w.dtype.name] if rtol is None else rtol) * scale + (1e-9 if atol is None else atol)
        assert most <= bound, "output %d: differs by %.3g where %.3g is allowed:\n%s\nMXNet:\n%s" % (
            i, most, bound, g, w)
