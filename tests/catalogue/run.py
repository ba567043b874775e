#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Published nets from save_parameters files, converted by the command line, and the same nets through export(): both have the same outputs in
ONNX Runtime, bit for bit, and agree with MXNet's. Nets of sentences are compared with MXNet alone: parts of them cannot be exported.

    python tests/catalogue/run.py --oracle build/oracle/bin/python --tool build/examples/mx2onnx [NET...] > tests/catalogue/results.txt

By hand, some minutes; needs ONNX Runtime here and MXNet there.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnxruntime

HERE = os.path.dirname(os.path.abspath(__file__))
ORACLE = os.path.join(HERE, os.pardir, "oracle")
EVERY = (1, 2, 5, 23)
BOUND = 1e-4  # max|difference| <= BOUND * max|reference|
ROWS = "rows of detections"  # with random weights scores tie, and the order of rows depends on the last bits

NETS = [  # name, input, numbers of classes, other sizes, what is not compared with MXNet
    ("mobilenet0.25", "2x3x64x64", EVERY, "", ""),
    ("resnet18_v1", "2x3x64x64", EVERY, "", ""),
    ("resnet18_v2", "2x3x64x64", (5,), "", ""),
    ("cifar_resnet20_v1", "2x3x32x32", EVERY, "", ""),
    ("squeezenet1.1", "2x3x224x224", (1, 23), "", ""),
    ("densenet121", "1x3x224x224", (5,), "", ""),
    ("mobilenetv3_small", "2x3x64x64", (2, 23), "", ""),
    ("shufflenet_v1", "2x3x64x64", (5,), "", ""),
    ("hrnet_w18_small_v1_c", "1x3x64x64", (5,), "", ""),
    ("ssd_300_mobilenet0.25_custom", "1x3x128x128", EVERY, "", ROWS),
    ("yolo3_mobilenet0.25_custom", "1x3x96x96", EVERY, "", ROWS),
    ("center_net_resnet18_v1b_voc", "1x3x64x64", (5,), "", ROWS),
    ("faster_rcnn_resnet50_v1b_custom", "1x3x96x96", (2, 5), "", ROWS),
    ("fcn_resnet50_voc", "1x3x64x64", (1, 5, 23), "crop=64", ""),
    ("psp_resnet50_ade", "1x3x64x64", (5,), "crop=64", ""),
    ("fastscnn_citys", "1x3x64x64", (2, 23), "crop=64", ""),
    ("resnet18_v1b_kinetics400", "3x3x64x64", (1, 5), "segments=3", ""),
    ("simple_pose_resnet18_v1b", "1x3x64x64", (None,), "", ""),
]
STATES = ",".join("%s_r%d=2x128,%s_c%d=2x1024" % (way, i, way, i) for way in ("forward", "backward") for i in range(2))
SENTENCES = [  # name, inputs, words; the step of the Transformer is compared with decode_step(), word by word
    ("standard_lstm_lm_200", "data=5x2,h0=2x2x200,c0=2x2x200", 1000),
    ("awd_lstm_lm_600", "data=5x2,h0=1x2x600,c0=1x2x600,h1=1x2x600,c1=1x2x600,h2=1x2x200,c2=1x2x200", 1000),
    ("big_rnn_lm_2048_512", "data=5x2,r0=2x512,c0=2x2048", 1000),
    ("distilbert_6_768_12", "data=2x9", 1000),
    ("bert_12_768_12_qa", "data0=2x9,data1=2x9,data2=2", 1000),
    ("gpt2_117m", "data=2x7", 1000),
    ("gpt2_117m_states", ",".join(["data=2x7"] + ["past%d=2x12x5x64" % i for i in range(24)]), 1000),
    ("transformer_en_de_512_encoder", "data=2x7,valid_length=2", 1000),
    ("transformer_en_de_512_decoder", "data=2x7,memory=2x9x512,memory_mask=2x9,valid_length=2", 1000),
    ("transformer_en_de_512_step", "data=2x7,memory=2x9x512,memory_mask=2x9", 1000),
    ("elmo_2x1024_128_2048cnn_1xhighway", "data=2x6x50,%s,mask=2x6" % STATES, None),
]


class Failed(Exception):
    """What a program said that failed."""


def run(*command):
    p = subprocess.run(command, capture_output=True, text=True)
    if p.returncode:
        raise Failed(" ".join((p.stdout + p.stderr).split())[-200:])
    return p.stdout


def outputs(path, data):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(None, {i.name: data["i:" + i.name] for i in session.get_inputs()})


def difference(got, want):
    if len(got) != len(want):
        raise Failed("%d outputs, MXNet has %d" % (len(got), len(want)))
    return max(float(np.abs(g.astype(np.float64) - w).max() / max(np.abs(w).max(), 1e-30)) for g, w in zip(got, want))


def build(options, folder, name, inputs, given):
    """What make_net.py records of a net, whose files it leaves in the folder."""
    program = os.path.join(ORACLE, "published", "make_net.py")
    run("env", "PYTHONPATH=" + ORACLE, options.oracle, program, folder, name, inputs, *given)
    return np.load(os.path.join(folder, "run.npz"))


def wanted(recorded):
    return [recorded["o%d" % i] for i in range(sum(n[0] == "o" for n in recorded.files))]


def show(good, what, said, same, off):
    fits = re.search(r"recognised as (.*)", said).group(1)
    print("%-4s %-34s %-52s %-6s %s" % ("ok" if good else "BAD", what, fits, same, off), flush=True)
    return good


def check(options, name, size, classes, more, rows, folder):
    given = ([] if classes is None else ["classes=%d" % classes]) + more.split()
    recorded = build(options, folder, name, "data=" + size, given)
    sizes = [w for part in more.split() for w in ("--" + part.split("=")[0], part.split("=")[1])]
    files = [os.path.join(folder, n) for n in ("alone.onnx", "ordinary.onnx")]
    said = run(options.tool, os.path.join(folder, "x.params"), "-o", files[0], "--net", name, "--input", size, *sizes)
    run(options.tool, os.path.join(folder, "net-symbol.json"), "-o", files[1], "--input", size)
    alone, ordinary = [outputs(f, recorded) for f in files]
    same = len(alone) == len(ordinary) and all(np.array_equal(a, b, equal_nan=True) for a, b in zip(alone, ordinary))
    off = difference(alone, wanted(recorded))
    good = same and (bool(rows) or off <= BOUND)
    return show(good, " ".join([name] + given), said, "same" if same else "OTHER", rows or "%.1e" % off)


def check_sentence(options, name, inputs, words, folder):
    given = ["vocabulary=%d" % words] if words else []
    recorded = build(options, folder, name, inputs, given)
    path = os.path.join(folder, "alone.onnx")
    shapes = [w for i in inputs.split(",") for w in ("--input", i)]
    said = run(options.tool, os.path.join(folder, "x.params"), "-o", path, "--net", name, *shapes)
    off = difference(outputs(path, recorded), wanted(recorded))
    return show(off <= BOUND, " ".join([name] + given), said, "", "%.1e" % off)


def jobs(options):
    """(name, what checks it in a folder)"""
    for name, size, numbers, more, rows in NETS:
        for classes in numbers:
            yield name, lambda folder, c=classes, n=name, s=size, m=more, r=rows: check(options, n, s, c, m, r, folder)
    for name, inputs, words in SENTENCES:
        yield name, lambda folder, n=name, i=inputs, w=words: check_sentence(options, n, i, w, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", required=True)
    parser.add_argument("--tool", required=True)
    parser.add_argument("nets", nargs="*")
    options = parser.parse_args()
    good, count = 0, 0
    for name, job in jobs(options):
        if options.nets and name not in options.nets:
            continue
        count += 1
        with tempfile.TemporaryDirectory() as folder:
            try:
                good += job(folder)
            except Failed as e:
                print("BAD  %s: %s" % (name, e), flush=True)
    print("%d of %d agree" % (good, count))
    return good != count


if __name__ == "__main__":
    sys.exit(main())
