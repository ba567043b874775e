#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet computes for the cases of tests/numeric/cases.

Run it with the Python of an oracle environment (see README.md here). It records the groups whose oracle is the MXNet
of that environment: 1.9.1, or 2.0.0b1 for the groups that say so (cases.oracle).

    python tests/oracle/record.py            all groups of this MXNet
    python tests/oracle/record.py nn reduce  some
    python tests/oracle/record.py --check    compare with what is stored, write nothing

One file per group goes to tests/data/recorded/ops. A case that MXNet refuses (or on which it crashes) is listed at the
end, is not stored, and makes the exit status 1.
"""
import argparse
import contextlib
import importlib.metadata
import os
import pickle
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "numeric"))
os.environ.setdefault("OMP_NUM_THREADS", "1")  # sums in one order on every machine
os.environ["MXNET_SUBGRAPH_BACKEND"] = "NONE"  # each operator as it is, nothing folded

import numpy as np  # noqa: E402

import cases  # noqa: E402
import recorded  # noqa: E402


def wanted(group, native, skip):
    """The cases to run; native None: whatever they say of themselves."""
    return [c for c in cases.load(group) if native in (None, c.native) and c.name not in skip]


# ---- in the worker: MXNet runs in a separate process, since a bad case can take the process down

def make_symbol(mx, c):
    """The symbol of a case, with its variables called as the case calls its inputs."""
    if c.make is not None:
        return c.make(mx)
    use_np = c.op.startswith(("np.", "npx.", "_internal._np"))
    variables = []
    for name in c.inputs:
        v = mx.sym.Variable(name)
        variables.append(v.as_np_ndarray() if use_np else v)
    op = mx.sym
    for part in c.op.split("."):
        op = getattr(op, part)
    s = op(*variables, name="op", **c.attrs) if not use_np else op(*variables, **c.attrs)
    if isinstance(s, (list, tuple)):
        s = mx.sym.Group(list(s))
    if c.outputs is not None:
        s = mx.sym.Group([s[i] for i in c.outputs])
    return s


def infer(mx, s, given, auxes):
    """The outputs in inference mode, of {variable: array}."""
    if hasattr(s, "bind"):
        e = s.bind(mx.cpu(), {n: a for n, a in given.items() if n not in auxes}, grad_req="null",
                   aux_states={n: a for n, a in given.items() if n in auxes})
        return e.forward(is_train=False)
    # MXNet 2's executor wants the backward pass of each operator, even with no gradient asked for; Gluon calls this
    outputs = mx.nd.CachedOp(s)(*[given[n] for n in s.list_inputs()], default_device=mx.cpu())
    return outputs if isinstance(outputs, (list, tuple)) else [outputs]


def called(mx, c, arrays):
    """The outputs of the case's operator, called without a graph."""
    op = mx.nd
    for part in c.op.split("."):
        op = getattr(op, part)
    outputs = op(*arrays, **c.attrs, **({"out": arrays[0]} if c.in_place else {}))
    return outputs if isinstance(outputs, (list, tuple)) else [outputs]


def execute(mx, c, s, run):
    """The outputs of one run in inference mode. Labels that the case leaves out are fed zeros."""
    arrays = c.arrays(run)
    auxes = set(s.list_auxiliary_states())
    missing = [n for n in s.list_arguments() + sorted(auxes) if n not in arrays]
    given = {n: mx.nd.array(a, dtype=a.dtype) if not c.np_shape else mx.np.array(a, dtype=a.dtype)
             for n, a in arrays.items()}
    if missing:
        if not all(n.endswith("label") for n in missing):
            raise ValueError("the case has no input for %s" % ", ".join(missing))
        shapes = s.infer_shape(**{n: a.shape for n, a in arrays.items()})[0]
        for n, shape in zip(s.list_arguments(), shapes):
            if n in missing:
                given[n] = mx.nd.zeros(shape)
    spare = [n for n in arrays if n not in s.list_arguments() and n not in auxes]
    if spare:
        raise ValueError("the symbol has no variable %s" % ", ".join(spare))
    for n, a in c.inputs.items():
        if (a.role == "aux") != (n in auxes):
            raise ValueError("input %s %s an auxiliary state" % (n, "is" if n in auxes else "is not"))
    if c.imperative:
        return [o.asnumpy() for o in called(mx, c, list(given.values()))]
    try:
        outputs = called(mx, c, list(given.values())) if c.in_place else infer(mx, s, given, auxes)
    except mx.base.MXNetError as e:  # MXNet 2 calls no graph in which the backward pass of an operator is declared wrongly
        if c.op is None or "Number of inputs to operator _backward" not in str(e):
            raise
        outputs = called(mx, c, [given[n] for n in c.inputs])
    made = [o.asnumpy() for o in outputs]
    mx.nd.waitall()  # asnumpy() does not wait for an output without elements: its error would appear in the next case
    return made


@contextlib.contextmanager
def semantics(mx, of_numpy):
    """NumPy's shapes and arrays, or MXNet's old ones; neither MXNet has the arrays without the shapes."""
    order = [mx.util.np_shape, mx.util.np_array]
    with contextlib.ExitStack() as stack:
        for switch in order if of_numpy else reversed(order):
            stack.enter_context(switch(of_numpy))
        yield


def record_case(mx, c):
    with semantics(mx, c.np_shape):
        s = make_symbol(mx, c)
        result = {"symbol": s.tojson(), "runs": []}
        if c.error is None:
            result["runs"] = [execute(mx, c, s, run) for run in range(len(c.runs()))]
    return result


def worker(group, native, retry, out, skip):
    import mxnet as mx
    with open(out, "ab") as f:
        for c in wanted(group, None if retry else native, skip):
            try:
                entry = (c.name, record_case(mx, c), None)
            except Exception as e:  # MXNet's refusal is a result: it is reported, the others go on
                entry = (c.name, None, "%s: %s" % (type(e).__name__, short(str(e))))
            pickle.dump(entry, f)
            f.flush()


def short(message):
    """The line of MXNet's error that says what is wrong."""
    lines = [x.strip() for x in message.splitlines() if x.strip()]
    telling = [x for x in lines if "Check failed" in x or "Error" in x or "Cannot" in x]
    return (telling or lines or [""])[0][:300]


# ---- in the parent

def run_worker(group, native, skip=(), retry=False):
    """{case name: (result, refusal)}; a crash is the refusal of the case that was under way."""
    done = {}
    while True:
        left = wanted(group, None if retry else native, set(done) | set(skip))
        if not left:
            return done
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            env = dict(os.environ, MXNET_MKLDNN_ENABLED="0", MXNET_ONEDNN_ENABLED="0") if native else None
            p = subprocess.run([sys.executable, os.path.abspath(__file__), "--worker", out, group]
                               + (["--native"] if native else []) + (["--retry"] if retry else [])
                               + ["--skip", ",".join(list(done) + list(skip))], env=env,
                               stderr=subprocess.PIPE, text=True)
            if os.path.exists(out):
                with open(out, "rb") as f:
                    while f.peek(1):
                        name, result, refusal = pickle.load(f)
                        done[name] = (result, refusal)
            elif p.returncode > 0:
                sys.exit(p.stderr)
        if p.returncode != 0:
            crashed = next((c.name for c in left if c.name not in done), None)
            if crashed is None:
                sys.exit(p.stderr)
            done[crashed] = (None, "the process of MXNet ended with status %d: %s"
                             % (p.returncode, short(p.stderr or "")))


def record_group(group):
    """(file content as index and writer, refusals)."""
    declared = cases.load(group)
    done = run_worker(group, False)
    done.update(run_worker(group, True))
    others = [name for name, (_, refusal) in done.items() if refusal is None or "MKLDNN" not in refusal]
    done.update(run_worker(group, True, others, retry=True))  # types that only oneDNN refuses
    writer, index, refused = recorded.Writer(), {}, []
    for c in declared:
        result, refusal = done[c.name]
        if refusal is not None:
            refused.append("%s/%s: %s" % (group, c.name, refusal))
            continue
        index[c.name] = {"digest": c.digest(), "symbol": result["symbol"],
                         "runs": [[writer.put(o) for o in outputs] for outputs in result["runs"]]}
        if c.drawn:
            index[c.name]["drawn"] = c.drawn
        for outputs in result["runs"]:
            if any(o.dtype.kind == "f" and o.size and not np.isfinite(o).any() for o in outputs):
                print("%s/%s: an output is nothing but NaN or infinite" % (group, c.name))
    return index, writer, refused


def differences(file, index, writer):
    """What a new recording says that differs from the stored one."""
    if not os.path.exists(file):
        return ["%s is missing" % os.path.basename(file)]
    old, new = recorded.Reader(file), recorded.Reader.__new__(recorded.Reader)
    new.index, new.data = index, b"".join(writer.blocks)
    found = []
    for name in sorted(set(index) | set(old.index)):
        if name not in old.index or name not in index:
            found.append("%s: only in the %s recording" % (name, "new" if name in index else "stored"))
            continue
        a, b = old.index[name], index[name]
        if a["digest"] != b["digest"] or a["symbol"] != b["symbol"]:
            found.append("%s: case or symbol changed" % name)
        for r, (x, y) in enumerate(zip(a["runs"], b["runs"])):
            for i, (p, q) in enumerate(zip(x, y)):
                p, q = old.get(p), new.get(q)
                if p.dtype != q.dtype or p.shape != q.shape:
                    found.append("%s: run %d output %d: type or shape changed" % (name, r, i))
                elif not np.allclose(p, q, rtol=1e-5, atol=1e-6, equal_nan=True):
                    found.append("%s: run %d output %d: values changed" % (name, r, i))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("group", nargs="*", help="files of tests/numeric/cases without .py (default: all)")
    parser.add_argument("--check", action="store_true", help="compare with what is stored, write nothing")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--native", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--retry", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--skip", default="", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        return worker(args.group[0], args.native, args.retry, args.worker, args.skip.split(","))
    here = importlib.metadata.version("mxnet")
    groups = args.group or [g for g in cases.groups() if cases.oracle(g) == here]
    for group in groups:
        if cases.oracle(group) != here:
            sys.exit("%s is recorded with MXNet %s, this is %s" % (group, cases.oracle(group), here))
    bad = []
    for group in groups:
        index, writer, refused = record_group(group)
        bad += refused
        file = recorded.path("ops", group)
        if args.check:
            bad += ["%s/%s" % (group, d) for d in differences(file, index, writer)]
        else:
            writer.save(file, index)
            print("%s: %d cases, %d bytes" % (group, len(index), os.path.getsize(file)))
    for line in bad:
        print(line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
