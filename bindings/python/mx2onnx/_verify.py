"""Does an ONNX file compute what MXNet computed?"""

from __future__ import annotations

import importlib.util
import itertools
import os
import re
import zipfile
import zlib
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _arguments as arguments
from . import _wire

TOLERANCE, HALF_TOLERANCE = 1e-4, 2e-2
_FLOAT16 = 10  # of onnx.TensorProto
_OF_THIS_MODEL = "record data of this model with the script that 'mx2onnx verify --recorder' prints"
_IF_RENAMED = "if it has another name in the data, save its array as %s:%s; else " + _OF_THIS_MODEL
_A_TOLERANCE = "a tolerance is a share of the largest number, from 0 to below 1, such as 1e-4: write 2 percent as 0.02"
_KEEP_NAN = ("the file has NaN or infinity where MXNet has numbers; MXNet's oneDNN kernels turn NaN into 0 at a ReLU: to keep it, record with "
             "MXNET_MKLDNN_ENABLED=0")
_KNOWN_DOMAINS = ("", "ai.onnx", "ai.onnx.ml", "ai.onnx.preview.training")  # and Microsoft's
MOST_NAMES = 8  # of a list in a message
MOST_TURNED = 5  # axes of an inner value that is compared in another order, too


class Comparison:
    """The comparison of one value.

    error: the greatest difference, as a share of MXNet's largest number; inf if the shapes differ, or if NaN or infinity are at other
        places, as `why` explains
    where, got, want: the index of this difference, ONNX Runtime's number and MXNet's
    nan: how many numbers are NaN in both
    odd: how many are NaN or infinity in the file where MXNet has numbers
    axes: the order of axes, if the value has another one in the file and was compared after a Transpose"""

    def __init__(
        self, name: str, error: float, where: Optional[Tuple[int, ...]] = None, got: float = 0.0, want: float = 0.0, why: str = "",
        nan: int = 0
    ) -> None:
        self.name, self.error, self.where, self.got, self.want, self.why = name, error, where, got, want, why
        self.nan, self.odd = nan, 0
        self.axes: Optional[Tuple[int, ...]] = None

    def __str__(self) -> str:
        turned = "; after a Transpose by %s" % list(self.axes) if self.axes else ""
        if self.why:
            return "%s: %s%s" % (self.name, self.why, turned)
        nan = "; NaN in both: %d" % self.nan if self.nan else ""
        found = "no difference" if self.where is None else (
            "greatest difference %.2g (relative to the largest number), at %s: ONNX %.7g, MXNet %.7g"
            % (self.error, list(self.where), self.got, self.want))
        return "%s: %s%s%s" % (self.name, found, nan, turned)


class Verification:
    """What verify found. It is true if everything agrees.

    outputs: a Comparison for each output
    values: a Comparison for each recorded value that the file still has, outputs too, in the order of the nodes
    tolerance: the one that was used
    float16: whether the file computes in float16
    first: the first of these that differs, or None
    node: the node that computes it (op_type, inputs, outputs, attributes)"""

    def __init__(
        self, tolerance: float, outputs: List[Comparison], values: List[Comparison], nodes: List[_wire.Node], float16: bool, chosen: bool
    ) -> None:
        self.tolerance, self.outputs, self.values, self.float16 = tolerance, outputs, values, float16
        self._chosen = chosen
        self._made = {o for n in nodes for o in n.outputs}
        self.first = next((c for c in values if not c.error <= tolerance), None)
        self.node = self.first and next(n for n in nodes if self.first and self.first.name in n.outputs)

    def __bool__(self) -> bool:
        return all(c.error <= self.tolerance for c in self.outputs)

    def __repr__(self) -> str:
        return "<mx2onnx.Verification: %s>" % str(self).replace("\n", "; ")

    def _head(self) -> str:
        """What was compared."""
        inside, count = len(self.values) - len(self.outputs), len(self.outputs)
        head = "compared with MXNet: %d output%s" % (count, "" if count == 1 else "s")
        return head + (", %d inside" % inside if inside else "; the data has no values of inner nodes")

    def __str__(self) -> str:
        lines = [self._head()] + ["%s %s" % ("ok   " if c.error <= self.tolerance else "WRONG", c) for c in self.outputs]
        inside = len(self.values) > len(self.outputs)
        if self.float16 and not self._chosen:
            lines.append("the file computes in float16, so the tolerance is 2e-2")
        elif self.float16 and not (self and self.first is None):
            lines.append("the file computes in float16, for which a tolerance of 2e-2 is usual")
        if not (self and self.first is None) and any(c.odd for c in self.values):
            lines.append(_KEEP_NAN)
        if not self and not inside:
            lines.append("if the data has values of inner nodes, the first node that differs is named")
        if self.first and self.node and inside:
            known = {c.name: c for c in self.values}
            lines += ["the first that differs is of %s" % self.node.op_type, "  %s" % self.first]
            lines += ["  attribute %s = %s" % (name, _text(value)) for name, value in self.node.attributes.items()]
            lines += ["  input %s" % (known[i] if i in known else i + ": not recorded")
                      for i in self.node.inputs if i in known or i in self._made]
        return "\n".join(lines)


def _text(value: object) -> str:
    """An attribute's value; "..." for tensors, graphs and lists of texts, which are not read."""
    if isinstance(value, list):
        return "[%s]" % ", ".join(map(_text, value)) if value else "..."
    return "%.7g" % value if isinstance(value, float) else str(value)


def _read_arrays(path: Union[str, "os.PathLike[str]"]) -> Dict[str, Any]:
    import numpy as np

    try:
        loaded = np.load(path)
    except (ValueError, EOFError, zipfile.BadZipFile):
        raise ValueError("%s is not an .npz of arrays, or is damaged; the first argument is the ONNX file, the second the data"
                         % os.fspath(path)) from None
    if isinstance(loaded, np.ndarray):
        raise ValueError('%s is one array; verify needs an .npz with arrays called "input:NAME" and "output:NAME"' % os.fspath(path))
    with loaded as stored:
        try:
            return {n: stored[n] for n in stored.files}
        except (ValueError, EOFError, zipfile.BadZipFile, zlib.error) as e:
            raise ValueError("%s is damaged (%s); copy or record it again" % (os.fspath(path), e)) from None


def verify(
    model: Union[str, "os.PathLike[str]"],
    data: Union[str, "os.PathLike[str]", Mapping[str, Any]],
    tolerance: Optional[float] = None,
    providers: Sequence[str] = ("CPUExecutionProvider",),
) -> Verification:
    """Runs an ONNX file in ONNX Runtime and compares it with what MXNet computed. Needs numpy and onnxruntime.

    model: path of the ONNX file.
    data: path of an .npz, or a dict, of "input:NAME" and "output:NAME" with MXNet's names. `mx2onnx verify --recorder` prints the script
        that records them where MXNet is installed.
    tolerance: the greatest difference that passes, as a share of the largest number of the value (default: 1e-4, or 2e-2 for a file that
        computes in float16).

    Returns a Verification. If inner values were recorded, as that script does, it names the first node that differs. Values that the ONNX
    model no longer has, such as a convolution whose BatchNorm was folded into its weights, are not compared.
    """
    for package in ("numpy", "onnxruntime"):
        if importlib.util.find_spec(package) is None:
            raise ImportError("verify needs numpy and onnxruntime, and %s is not installed: pip install numpy onnxruntime" % package, name=package)
    if not isinstance(model, (str, os.PathLike)):
        raise TypeError("the model is the path of an ONNX file, not an object of type %s" % type(model).__name__)
    if not isinstance(data, (str, os.PathLike)) and not hasattr(data, "items"):
        raise TypeError("the data is the path of an .npz, or a dict of name to array, not an object of type %s" % type(data).__name__)
    if tolerance is not None and not 0 <= arguments.number(tolerance, "a tolerance") < 1:
        raise ValueError("the tolerance is %g; %s" % (tolerance, _A_TOLERANCE))
    if isinstance(data, (str, os.PathLike)):
        data = _read_arrays(data)
    inputs = {n[len("input:"):]: a for n, a in data.items() if n.startswith("input:")}
    recorded = {_onnx_name(n[len("output:"):]): a for n, a in data.items() if n.startswith("output:")}
    if not inputs or not recorded:
        lacks = [kind for kind, arrays in (('"input:NAME"', inputs), ('"output:NAME"', recorded)) if not arrays]
        raise ValueError("the data has no arrays that are called %s; %s" % (" and ".join(lacks), _OF_THIS_MODEL))
    with open(model, "rb") as f:
        file = f.read()
    try:
        nodes = _wire.nodes(file)
    except ValueError as e:
        raise ValueError("%s: %s" % (os.fspath(model), e)) from None
    try:
        session, outputs = _session(model, file, [], providers)
    except ImportError:
        raise
    except Exception:
        _check_domains(model, nodes)
        raise
    _check_inputs(session, inputs)
    float16 = any(i.type == "tensor(float16)" for i in session.get_inputs()) or any(
        n.op_type == "Cast" and n.attributes.get("to") == _FLOAT16 for n in nodes)
    most = float(tolerance) if tolerance is not None else HALF_TOLERANCE if float16 else TOLERANCE
    made = [o for n in nodes for o in n.outputs]
    firsts = {o[:-1] for o in made if o.endswith("0")} - set(made)
    for name in {o + "0" for o in firsts & set(recorded)} - set(recorded):  # of several outputs: lstm0_rnn0_output in MXNet is lstm0_rnn00
        recorded[name] = recorded[name[:-1]]
    inner = [name for name in made if name in recorded and name not in outputs]
    if inner:
        session, _ = _session(model, file, inner, providers)
    unknown = [name for name in outputs if name not in recorded]
    if unknown:
        raise ValueError(
            "no value is recorded for the output %s; the data has %s; %s"
            % (unknown[0], _listed(sorted(recorded)), _IF_RENAMED % ("output", unknown[0]))
        )
    if not outputs:
        raise ValueError("%s: the model has no outputs, so nothing is compared" % os.fspath(model))
    given = {i.name: _as_type(i.name, inputs[i.name], i.type) for i in session.get_inputs()}
    names = outputs + inner
    got = dict(zip(names, session.run(names, given)))
    compared = {name: _compare_output(name, got[name], recorded[name]) for name in outputs}
    compared.update((name, _compare_inner(name, got[name], recorded[name], most)) for name in inner)
    if not any(got[n].size or compared[n].error for n in outputs):
        raise ValueError("the outputs have no numbers, so nothing is compared; record an input for which the model has results")
    return Verification(most, [compared[n] for n in outputs], [compared[n] for n in made if n in compared], nodes, float16, tolerance is not None)


def _onnx_name(name: str) -> str:
    """MXNet's conv0_output is conv0 in the ONNX file, split0_output1 is split01."""
    match = re.fullmatch(r"(.+)_output(\d*)", name)
    return match.group(1) + match.group(2) if match else name


def _opened(onnxruntime: Any, source: bytes, folder: str, providers: Sequence[str], exact: str, level: Any) -> Any:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # what is an error is raised
    options.graph_optimization_level = level
    options.add_session_config_entry("session.x64quantprecision", exact)
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", folder)
    return onnxruntime.InferenceSession(source, options, providers=list(providers))


def _has_vnni() -> bool:
    """Linux names VNNI among the abilities of the processor, on which the runtime's sums of uint8 and int8 products are exact."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as f:
            return "vnni" in f.read()
    except OSError:
        return False


def _session(
    path: Union[str, "os.PathLike[str]"], file: bytes, further: List[str], providers: Sequence[str]
) -> Tuple[Any, List[str]]:
    """On an x86 processor without VNNI, the runtime's sums of uint8 and int8 products saturate unless it is asked for exact ones. It cannot
    rewrite a graph for them where two nodes read one weight; without VNNI such a graph runs as it is written, in float32."""
    try:
        import onnxruntime
        from onnxruntime.capi.onnxruntime_pybind11_state import Fail
    except ImportError:
        raise ImportError("verify runs the model in ONNX Runtime: pip install onnxruntime") from None
    level = onnxruntime.GraphOptimizationLevel
    source = _wire.with_outputs(file, further) if further else file
    fused = level.ORT_ENABLE_BASIC if further else level.ORT_ENABLE_ALL  # the runtime must not fuse what is looked at
    folder = os.path.dirname(os.path.abspath(path))
    try:
        session = _opened(onnxruntime, source, folder, providers, "1", fused)
    except Fail:
        session = _opened(onnxruntime, source, folder, providers, "0", fused if _has_vnni() else level.ORT_DISABLE_ALL)
    return session, [o.name for o in session.get_outputs()][:len(session.get_outputs()) - len(further)]


def _check_inputs(session: Any, inputs: Dict[str, Any]) -> None:
    wanted = [i.name for i in session.get_inputs()]
    missing = [n for n in wanted if n not in inputs]
    if missing:
        raise ValueError(
            "the data has no input:%s; the model reads %s, and the data has %s; %s"
            % (missing[0], _listed(wanted), _listed(list(inputs)), _IF_RENAMED % ("input", missing[0]))
        )
    for i in session.get_inputs():
        _check_shape(i.name, inputs[i.name], i.shape)


def _check_domains(path: Union[str, "os.PathLike[str]"], nodes: List[_wire.Node]) -> None:
    """An operator of a domain that ONNX Runtime does not have is why it does not load the file."""
    for node in nodes:
        if node.domain not in _KNOWN_DOMAINS and not node.domain.startswith("com.microsoft"):
            raise ValueError(
                "%s: ONNX Runtime does not have the operator '%s' of the domain '%s'; compare in a program that registers this operator, or "
                "convert the model with custom_operators in place of unknown_domain" % (os.fspath(path), node.op_type, node.domain)
            )


def _check_shape(name: str, array: Any, wanted: Any) -> None:
    import numpy as np

    shape = list(np.shape(array))
    if not _takes(wanted, shape):
        dims = ", ".join(str(d) if isinstance(d, int) else "?" for d in wanted)
        last = [0, *range(2, len(shape)), 1]
        advice = "record data of this shape, or convert the model with dynamic=True for other shapes"
        if len(shape) > 2 and _takes(wanted, [shape[axis] for axis in last]):
            advice = "for a file with channels_last, save the array after a Transpose by %s; or compare a file without it" % last
        raise ValueError("input:%s has the shape %s, but the model takes [%s]; %s" % (name, shape, dims, advice))


def _takes(wanted: Any, shape: List[int]) -> bool:
    """The model takes any shape where it states none."""
    return not wanted or (len(wanted) == len(shape) and all(w == d for w, d in zip(wanted, shape) if isinstance(w, int)))


def _listed(names: List[str]) -> str:
    """The first names of a list."""
    return ", ".join(names[:MOST_NAMES] + ["..."] * (len(names) > MOST_NAMES))


def _as_type(name: str, array: Any, kind: str) -> Any:
    import numpy as np

    try:
        dtype = np.dtype(_dtype(kind))
    except TypeError:
        dtype = np.dtype("V")
    if dtype.kind not in "biuf":  # V: ml_dtypes' bfloat16, if that is loaded
        raise ValueError("the model's input '%s' is a %s, which ONNX Runtime does not take from Python; use the program, mx2onnx verify" % (name, kind))
    return np.asarray(array).astype(dtype)


def _dtype(text: str) -> str:
    """ "tensor(float)" as NumPy calls it."""
    return {"float": "float32", "double": "float64"}.get(text[7:-1], text[7:-1])


def _compare(name: str, got: Any, want: Any) -> Comparison:
    import numpy as np

    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape:
        return Comparison(name, float("inf"), why="shape %s, MXNet has %s" % (list(got.shape), list(want.shape)))
    g, w = got.astype(np.float64), want.astype(np.float64)
    odd = ~np.isfinite(w) | ~np.isfinite(g)
    if not np.array_equal(g[odd], w[odd], equal_nan=True):
        found = Comparison(name, float("inf"))
        found.odd = int((np.isfinite(w) & odd).sum())
        reverse, both = int((np.isfinite(g) & odd).sum()), odd & ~np.isfinite(g) & ~np.isfinite(w)
        other = int((both & ~((g == w) | (np.isnan(g) & np.isnan(w)))).sum())
        found.why = ", ".join(text % (n, g.size) for text, n in (
            ("NaN or infinity where MXNet has numbers: %d of %d", found.odd), ("numbers where MXNet has NaN or infinity: %d of %d", reverse),
            ("a NaN or infinity other than MXNet has: %d of %d", other)) if n)
        return found
    nan = int(np.isnan(g).sum())
    difference = np.where(odd, 0, np.abs(np.where(odd, 0, g) - np.where(odd, 0, w)))
    scale = np.abs(w[~odd]).max() if (~odd).any() else 0
    if not difference.size or not difference.max() > 0:
        return Comparison(name, 0.0, nan=nan)
    where = np.unravel_index(int(difference.argmax()), difference.shape)
    error = float(difference.max() / scale) if scale else float("inf")
    return Comparison(name, error, tuple(int(i) for i in where), float(g[where]), float(w[where]), nan=nan)


def _compare_output(name: str, got: Any, want: Any) -> Comparison:
    """NaN alone agrees with any other model that gives it."""
    found = _compare(name, got, want)
    if found.nan and found.nan == want.size:
        found.error, found.why = float("inf"), "all numbers are NaN in both, so nothing is compared"
    return found


def _compare_inner(name: str, got: Any, want: Any, tolerance: float) -> Comparison:
    """Where a Transpose was moved, the value after it has another order of axes than MXNet's, under the same name. An order that agrees is
    taken; of another shape, the one that differs least."""
    import numpy as np

    got, want = np.asarray(got), np.asarray(want)
    best = _compare(name, got, want)
    for axes in itertools.permutations(range(got.ndim)) if got.ndim == want.ndim <= MOST_TURNED else ():
        if best.error <= tolerance:
            break
        if axes == tuple(range(got.ndim)) or tuple(got.shape[a] for a in axes) != want.shape:
            continue
        other = _compare(name, got.transpose(axes), want)
        if other.error <= tolerance or (got.shape != want.shape and (other.error < best.error or best.axes is None)):
            other.axes, best = axes, other
    return best
