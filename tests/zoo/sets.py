# SPDX-License-Identifier: Apache-2.0
"""How far outputs are from MXNet's, as a share of the greatest number in MXNet's."""
import numpy as np

TIE = 1e-5  # between scores
FAR = 0.05  # another row, not the same one with other numbers
MOST = 2048  # elements of an output that are recorded


def difference(net, got, want, others=0.0):
    """The greatest relative difference. Fails where a shape, a type or the place of a NaN is another."""
    assert len(got) == len(want), "%d outputs, MXNet has %d" % (len(got), len(want))
    for i, (g, w) in enumerate(zip(got, want)):
        assert g.shape == w.shape and g.dtype == w.dtype, "output %d is %s %s, MXNet's %s %s" % (
            i, g.dtype, list(g.shape), w.dtype, list(w.shape))
    if callable(net.compare):
        return net.compare(got, want)
    return detections(got, want, others) if net.compare == "detections" else elements(got, want)


def elements(got, want):
    worst = 0.0
    for i, (g, w) in enumerate(zip(got, want)):
        if w.dtype.kind != "f":
            assert (g == w).all(), "output %d: %d of %d integers differ" % (i, (g != w).sum(), w.size)
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


def detections(got, want, others=0.0):
    """Rows as sets: outputs side by side are (class, score, rest); a class of -1 is not a row. Each of MXNet's rows takes
    the nearest row of its class. A row may be another if its score is that of the last one kept: a tie. A share of `others` may be other
    rows altogether: where numbers are rounded, an overlap crosses the threshold now and then."""
    scale = [np.abs(w[np.isfinite(w)]).max() for w in want]
    got, want = (np.concatenate([o.reshape(o.shape[:2] + (-1,)).astype(np.float64) / (s if i else 1)
                                 for i, (o, s) in enumerate(zip(outputs, scale))], 2) for outputs in (got, want))
    assert (want[..., 0] >= 0).any(), "MXNet finds nothing: there is nothing to compare"
    return max(rows(g[g[:, 0] >= 0], w[w[:, 0] >= 0], others) for g, w in zip(got, want))


def rows(got, want, others):
    others = int(others * len(want))
    assert len(got) == len(want), "%d rows, MXNet has %d" % (len(got), len(want))
    worst = 0.0
    for c in np.unique(want[:, 0]):
        left, last = got[got[:, 0] == c], want[:, 1].min()
        for row in want[want[:, 0] == c]:
            near = np.abs(left - row).max(1) if len(left) else np.array([np.inf])
            k = near.argmin()
            if near[k] > TIE and row[1] - last < TIE:
                continue
            if near[k] > FAR and others > 0:
                others -= 1
                continue
            assert np.isfinite(near[k]), "class %d: MXNet has more rows" % c
            worst, left = max(worst, float(near[k])), np.delete(left, k, 0)
    return worst


def thin(net, a):
    """What is recorded of an output: every n-th element; of detections every n-th of a row."""
    if net.compare == "detections":
        flat = a.reshape(a.shape[:2] + (-1,)) if a.ndim > 3 else a
        return flat[..., ::16] if a.ndim > 3 else flat
    return a.reshape(-1)[::max(1, a.size // MOST)]
