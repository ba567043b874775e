# SPDX-License-Identifier: Apache-2.0
"""Every model of the golden cases (tests/ops), at every opset, through onnx.checker in full and into ONNX Runtime. Types and
dims that the library declares are compared there with what ONNX's own inference finds."""
import os
import subprocess

import onnx
import onnxruntime

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("MX2ONNX_BUILD", os.path.join(HERE, "..", "..", "build"))
PROGRAM = os.path.join(BUILD, "tests", "ops", "golden")
NEWEST_IN_RUNTIME = 26
# ONNX Runtime 1.31 has no CPU kernels for these at opset 22 and above; the export says so in a note.
NO_KERNEL = (22, {"MaxRoiPool", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial"})

onnxruntime.set_default_logger_severity(4)


def check(path, opset):
    model = onnx.load(path)
    domains = {n.domain for n in model.graph.node} - {""}  # of operators that were kept: no runtime here has them
    shapeless = [o for o in model.graph.output if not o.type.tensor_type.HasField("shape")]
    if not domains or not shapeless:  # the checker requires a shape of outputs; that of an operator that is kept may not be known
        onnx.checker.check_model(path, full_check=True)
    opset = opset or next(i.version for i in model.opset_import if not i.domain)  # 0: none was chosen, and the case says which it is
    assert [(i.domain, i.version) for i in model.opset_import] == [("", opset)] + [(d, 1) for d in sorted(domains)]
    for graph in [model.graph]:
        names = [n.name for n in graph.node]
        assert all(names) and len(set(names)) == len(names)
    first, types = NO_KERNEL
    runs = opset < first or not any(n.op_type in types for n in model.graph.node)
    if opset <= NEWEST_IN_RUNTIME and runs and not domains:
        onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


def test_the_checker_accepts_golden_models(tmp_path):
    folder = os.path.join(HERE, "..", "ops")
    subprocess.run([PROGRAM, "--models", str(tmp_path), folder], check=True)
    failures, count = [], 0
    for line in (tmp_path / "list.txt").read_text().splitlines():
        name, opset, what = line.split("\t")
        count += 1
        try:
            check(str(tmp_path / name), int(opset))
        except Exception as e:  # all of them are shown
            failures.append("%s opset %s: %s" % (what, opset, str(e).strip().splitlines()[-1]))
    assert count > 100
    assert not failures, "%d of %d models\n%s" % (len(failures), count, "\n".join(failures))
