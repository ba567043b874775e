#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs nets of the zoo, converted, in the runtimes that people take ONNX files to, and compares with MXNet's results.

    python tests/consumers/consumers.py --oracle build/oracle/bin/python                       all nets, all runtimes
    python tests/consumers/consumers.py --oracle ... --runtime opencv4 --net 'bert*' ssd300
    python tests/consumers/consumers.py --oracle ... --float16                                 float16 inside, in the runtimes that have it
    python3 tests/consumers/table.py --rebase

Each runtime has its own environment under --environments, made at first use from PyPI. A result is the greatest
difference as a share of the greatest number (tests/zoo/sets.py), or what the runtime said.
"""
import argparse
import fnmatch
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, os.pardir, os.pardir))
sys.path[:0] = [os.path.join(ROOT, "tests", "zoo")]

import numpy as np  # noqa: E402
import onnx  # noqa: E402

import child  # noqa: E402
import nets as zoo  # noqa: E402
import sets  # noqa: E402

NETS = ("resnet50_v1b", "mobilenetv3_small", "densenet121", "inceptionv3", "resnest50", "arcface_r18", "retinaface_mnet025",
        "simple_pose_resnet18_v1b", "fcn_resnet50_voc", "deeplab_resnet50_ade", "ssd_300_vgg16_atrous_voc",
        "yolo3_mobilenet1.0_voc", "center_net_resnet18_v1b_voc", "faster_rcnn_resnet50_v1b_voc",
        "mask_rcnn_resnet50_v1b_coco", "fused_lstm_lm", "bucketing_lstm", "bert_12_768_12", "gpt2_117m",
        "mobilenet1.0_int8", "resnet50_v1_int8")

NPM, ALONE, SYSTEM = "npm:", "alone:", "system:"
# name: (program, packages, what --for is given). Packages are PyPI's, without prefix; npm's; PyPI's without what they ask for;
# or the system's: Debian's PyTorch is for processors, PyPI's brings gigabytes for GPUs
RUNTIMES = {
    "onnxruntime": ("ort.py", ["onnxruntime==1.31.1"], None),
    "openvino": ("openvino.py", ["openvino==2026.4.1"], None),
    "opencv5": ("opencv.py", ["opencv-python-headless==5.0.0.93"], "opencv5"),
    "opencv4": ("opencv.py", ["opencv-python-headless==4.14.0.94"], "opencv4"),
    "tract": ("tract.py", ["tract==0.23.9"], "tract"),
    "onnxruntime-node": ("node.py", ["npm:onnxruntime-node@1.30.0"], None),
    "onnxruntime-web": ("node.py", ["npm:onnxruntime-web@1.30.0"], None),
    "mnn": ("mnn.py", ["MNN==3.6.1", "onnx==1.18.0"], None),
    "ncnn": ("ncnn.py", ["ncnn==1.0.20261020", "alone:pnnx==20261020"], "ncnn"),
    "onnx2torch": ("pytorch.py", ["system:torch", "system:torchvision", "alone:onnx2torch==1.5.15", "onnx==1.18.0"], "opencv4"),
    "tvm": ("tvm.py", ["apache-tvm==0.27.0.post1", "onnx==1.23.2"], None),
    "reference": ("reference.py", ["onnx==1.23.2"], None),
}
FLOAT16 = ("onnxruntime", "openvino", "tract")


def environment(folder, packages):
    """The Python of an environment that has these packages."""
    python, mark = os.path.join(folder, "bin", "python"), os.path.join(folder, "packages.txt")
    wanted = "\n".join(packages)
    if not os.path.exists(mark) or open(mark).read() != wanted:
        node, alone, system = [[p[len(prefix):] for p in packages if p.startswith(prefix)] for prefix in (NPM, ALONE, SYSTEM)]
        wheels = ["numpy"] + [p for p in packages if ":" not in p]
        creator = ["/usr/bin/python3", "-m", "venv", "--system-site-packages"] if system else [sys.executable, "-m", "venv"]
        subprocess.run([*creator, "--clear", folder], check=True)
        pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, *wheels], check=True)
        if alone:
            subprocess.run([*pip, "--no-deps", *alone], check=True)
        if node:  # the scripts of these packages fetch what only GPUs need
            subprocess.run(["npm", "install", "--silent", "--ignore-scripts", "--prefix", folder, *node], check=True)
        with open(mark, "w") as f:
            f.write(wanted)
    return python


def make(net, oracle, folder):
    """Symbol, parameters, inputs and MXNet's outputs, made once."""
    os.makedirs(folder, exist_ok=True)
    if not os.path.exists(os.path.join(folder, "run.npz")):
        told = oracle().ask(net=net.name, folder=folder, seconds=900)
        if "error" in told:
            sys.exit("%s: MXNet: %s" % (net.name, told["error"]))
    with np.load(os.path.join(folder, "run.npz")) as run:
        names = [n for n in run.files if n.startswith("i0/")]
        inputs = {n[3:]: run[n] for n in names}
        outputs = [run["o0/%d" % k] for k in range(sum(n.startswith("o0/") for n in run.files))]
    return inputs, outputs


def convert(tool, name, files, inputs, target, opset, out, options=()):
    command = [tool, *files, "-o", out, "--opset", opset, *options]
    for given, array in inputs.items():
        command += ["--input", "%s=%s:%s" % (given, "x".join(map(str, array.shape)), array.dtype)]
    command += ["--for", target] if target else []
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError("%s does not convert: %s" % (name, done.stderr))


def compare(net, want, path, float16=False):
    """Of detections in float16 the shapes alone: which of two near boxes is kept depends on the last bits of their scores."""
    with np.load(path) as got:
        got = [got["arr_%d" % k] for k in range(len(got.files))]
    if len(got) != len(want):
        return {"error": "%d outputs, MXNet has %d" % (len(got), len(want))}
    if float16 and net.compare == "detections":
        return {"runs": True} if [g.shape for g in got] == [w.shape for w in want] else {"wrong": "other shapes"}
    got = [g.reshape(w.shape).astype(w.dtype) if g.size == w.size else g for g, w in zip(got, want)]
    try:
        return {"difference": sets.difference(net, got, want)}
    except AssertionError as e:
        return {"wrong": str(e) or "other numbers"}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--net", nargs="+", default=["*"])
    p.add_argument("--runtime", nargs="+", default=["*"])
    p.add_argument("--oracle", default=os.path.join(ROOT, "build", "oracle", "bin", "python"))
    p.add_argument("--tool", default=os.environ.get("MX2ONNX_TOOL", os.path.join(ROOT, "build", "examples", "mx2onnx")))
    p.add_argument("--folder", default=os.path.join(ROOT, "build", "consumers"), help="nets and environments")
    p.add_argument("--results", help="results.json, with --float16 float16.json")
    p.add_argument("--float16", action="store_true", help="weights and computation in float16, inputs and outputs in float32")
    p.add_argument("--opset", default="auto", help="auto: 17, or the newest that the target reads if that is older")
    p.add_argument("--processor", type=int, default=300, help="seconds of processor time that a net may take")
    p.add_argument("--seconds", type=int, default=3600)
    p.add_argument("--default", action="store_true", help="the file as it is without --for, whatever the runtime")
    args = p.parse_args()
    args.results = args.results or os.path.join(HERE, "float16.json" if args.float16 else "results.json")
    known, oracles, servers = zoo.load(), [], {}

    def oracle():
        if not oracles:
            oracles.append(child.Server(args.oracle, "oracle.py"))
        return oracles[0]

    def server(name):
        if name not in servers:
            program, packages, _ = RUNTIMES[name]
            python = environment(os.path.join(args.folder, "env-" + name), packages)
            servers[name] = child.Server(python, os.path.join(HERE, "runtimes", program))
        return servers[name]

    results = json.load(open(args.results)) if os.path.exists(args.results) else {}
    for name in NETS:
        if not any(fnmatch.fnmatch(name, pattern) for pattern in args.net):
            continue
        net, folder = known[name], os.path.join(args.folder, "nets", name)
        inputs, want = make(net, oracle, folder)
        given, written = os.path.join(folder, "inputs.npz"), os.path.join(folder, "outputs.npz")
        np.savez(given, **inputs)
        for runtime, (_, _, target) in RUNTIMES.items():
            if not any(fnmatch.fnmatch(runtime, pattern) for pattern in args.runtime) or args.float16 and (runtime not in FLOAT16 or "int8" in name):
                continue
            target = None if args.default else target
            model = os.path.join(folder, "%s.onnx" % (target or "net"))
            files = [os.path.join(folder, f) for f in ("net-symbol.json", "net-0000.params")]
            try:
                convert(args.tool, name, files + list(net.options), inputs, target, args.opset, model, ["--float16=inside"] if args.float16 else [])
            except RuntimeError as e:
                told = {"error": str(e)}
            else:
                names = [o.name for o in onnx.load(model, load_external_data=False).graph.output]
                told = server(runtime).ask(model=model, inputs=given, names=names, outputs=written, processor=args.processor,
                                           seconds=args.seconds)
                told = told if "error" in told else compare(net, want, written, args.float16)
                if child.TOO_LONG in told.get("error", ""):
                    told = {"error": "more than %d s of processor time" % args.processor}
            print("%-30s %-12s %s" % (name, runtime, told), flush=True)
            results.setdefault(name, {})[runtime] = told
            with open(args.results, "w") as f:
                json.dump(results, f, indent=1, sort_keys=True)
                f.write("\n")


if __name__ == "__main__":
    main()
