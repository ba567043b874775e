# SPDX-License-Identifier: Apache-2.0
"""What the program of each runtime shares. A question is {"model", "inputs", "names", "outputs", "processor", "seconds"}:
an ONNX file, an .npz of its inputs, the names of its outputs, an .npz to write, the seconds of processor time that each
process may take, and the seconds by the clock. Each is answered in a child, so that a runtime may die of it; it is read
there too, since not every one survives a fork."""
import os
import resource
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path = [p for p in sys.path if os.path.abspath(p or ".") != HERE]  # files here have the names of packages
sys.path.append(os.path.join(HERE, os.pardir, os.pardir, "zoo"))

os.environ["PIP_NO_INDEX"] = "1"  # MNN installs its telemetry otherwise, each time that it is imported

import numpy as np  # noqa: E402

import child  # noqa: E402


def tool(*command, **more):
    """Runs a program; what it said at the end is the error if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode == -signal.SIGXCPU:
        raise RuntimeError(child.TOO_LONG)
    told = [line for line in (done.stderr or done.stdout).split("\n") if line.strip()]
    if done.returncode < 0:  # who aborts has said why
        ended = "%s ended by signal %d" % (os.path.basename(command[0]), -done.returncode)
        raise RuntimeError(": ".join([ended] + told[-1:] * (done.returncode == -signal.SIGABRT)))
    if done.returncode != 0:
        raise RuntimeError("\n".join([t for t in told if "Error" in t] or told[-1:]) or "status %d" % done.returncode)
    return done.stdout


def serve(run):
    """`run(model, inputs, names)` gives the outputs of these names."""
    def work(ask):
        resource.setrlimit(resource.RLIMIT_CPU, (ask["processor"], ask["processor"] + 1))
        with np.load(ask["inputs"]) as stored:
            got = run(ask["model"], {n: stored[n] for n in stored.files}, ask["names"])
        np.savez(ask["outputs"], *[np.asarray(o) for o in got])
        return {}
    child.serve(work)
