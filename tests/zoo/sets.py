# SPDX-License-Identifier: Apache-2.0
"""How far outputs are from MXNet's, as a share of the greatest number in MXNet's."""
import numpy as np


def difference(net, got, want):
    """The greatest relative difference. Fails where a shape, a type or the place of a NaN is another."""
    assert len(got) == len(want), "%d outputs, MXNet has %d" % (len(got), len(want))
    for i, (g, w) in enumerate(zip(got, want)):
        assert g.shape == w.shape and g.dtype == w.dtype, "output %d is %s %s, MXNet's %s %s" % (
            i, g.dtype, list(g.shape), w.dtype, list(w.shape))
    if callable(net.compare):
        return net.compare(got, want)
    return {"elements": elements, "detections": detections}[net.compare](got, want)


def elements(got, want):
    worst = 0.0
    for i, (g, w) in enumerate(zip(got, want)):
        if w.dtype.kind != "f":
            assert (g == w).all(), "output %d: %d of %d whole numbers differ" % (i, (g != w).sum(), w.size)
            continue
        finite = np.isfinite(w)
        assert np.array_equal(finite, np.isfinite(g)) and np.array_equal(g[~finite], w[~finite], equal_nan=True), \
            "output %d: NaN or infinity elsewhere" % i
        if finite.any():
            most = np.abs(g[finite].astype(np.float64) - w[finite]).max()
            scale = np.abs(w[finite]).max()
            assert scale > 0 or most == 0, "output %d: MXNet's is zero" % i
            worst = max(worst, float(most / scale) if scale else 0.0)
    return worst


def detections(got, want):
    """Rows as sets: outputs side by side are (class, score, rest); a class of -1 is no row. Each of MXNet's rows takes
    the nearest row of its class. A row may be missing if its score is that of the last one kept: a tie."""
    got, want = (np.concatenate([o.reshape(o.shape[:2] + (-1,)) for o in outputs], 2).astype(np.float64)
                 for outputs in (got, want))
    assert (want[..., 0] >= 0).any(), "MXNet finds nothing: there is nothing to compare"
    kept = want[want[..., 0] >= 0]
    scale = np.array([1.0, np.abs(kept[:, 1]).max()] + [np.abs(kept[:, 2:]).max()] * (want.shape[2] - 2))
    worst = 0.0
    for g, w in zip(got, want):
        g, w = g[g[:, 0] >= 0] / scale, w[w[:, 0] >= 0] / scale
        assert len(g) == len(w), "%d rows, MXNet has %d" % (len(g), len(w))
        left = np.ones(len(g), bool)
        for row in w:
            near = np.abs(g - row).max(1) + np.where(left & (g[:, 0] == row[0]), 0, np.inf)
            k = near.argmin()
            if near[k] > 1e-3 and row[1] - w[:, 1].min() < 1e-5:
                continue
            worst = max(worst, float(near[k]))
            left[k] = False
    return worst
