#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet computes for one net of each family, for tests/numeric/test_zoo.py.

    python tests/zoo/record.py [NET ...]         (the Python of an oracle environment: its MXNet's nets)

Writes tests/data/recorded/zoo/NET.zip: the symbol, the shapes of the parameters, one number per BatchNorm, what the net
changes of the rule's weights, its constants, and the outputs at the static and the first dynamic size. Of a large
output every n-th element is kept. Anchors are kept as far as these sizes read them.
"""
import importlib.metadata
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, "numeric")]

import nets  # noqa: E402

NETS = """ssd_300_mobilenet0.25_voc yolo3_mobilenet0.25_voc mask_rcnn_fpn_resnet18_v1b_coco center_net_resnet18_v1b_dcnv2_voc
danet_resnet50_citys deeplab_resnet50_citys fastscnn_citys hrnet_w18_small_v1_s mobile_pose_mobilenetv3_small
alpha_pose_resnet101_v1b_coco inceptionv1_kinetics400 i3d_nl5_resnet50_v1_kinetics400 slowfast_4x16_resnet50_kinetics400
monodepth2_resnet18_kitti_mono_640x192 siamrpn_alexnet_v2_otb15
mx2_mobilenet0.25 mx2_resnet18_v1 mx2_densenet121 mx2_inceptionv3 mx2_squeezenet1.1 mx2_vgg11_bn mx2_encoder mx2_lstm mx2_lstm_both_ways
mx2_lstm_from_zeros mx2_gru mx2_lstm_cells mx2_foreach mx2_while_loop mx2_cond mx2_indexing mx2_interpolation mx2_statistics mx2_deformable mx2_layers""".split()


def cropped(a):
    """Anchors (1, 1, height, width, n) of a part of each side: they are grids for images of 512 pixels and more."""
    side = a.shape[2] // (12 if a.shape[2] > 128 else 4) if a.ndim >= 4 and a.shape[2] >= 16 else None
    return a[:, :, :side, :side] if side else a


def with_shapes(text, given):
    """The symbol where the variables of these arrays have the arrays' shapes."""
    graph = json.loads(text)
    for n in graph["nodes"]:
        if n["name"] in given:
            n["attrs"]["__shape__"] = str(given[n["name"]].shape)
    return json.dumps(graph)


def record(name):
    import numpy as np

    import oracle
    import recorded
    import sets
    import weights
    net = nets.load()[name]
    oracle.prepare()
    os.environ.update(net.environment)
    made = net.make()
    symbol, given = made if isinstance(made, tuple) else (made, {})
    known = set(symbol.list_inputs())
    given = {n: cropped(np.asarray(a)) for n, a in given.items() if n in known}
    text = with_shapes(symbol.tojson(), given)
    symbol = oracle.calibrate.load(text) if given else symbol  # MXNet 2 does not read the argsort that it writes
    wanted, scales, _ = oracle.recipe(net, symbol, given)
    made = weights.make(text, wanted, scales)
    tuned = {n: a.copy() for n, a in made.items()}
    if net.tune:
        net.tune(tuned)
    factors = {n: float("%.9g" % (tuned[n].sum() / made[n].sum())) for n in made if (tuned[n] != made[n]).any()}
    writer, runs = recorded.Writer(), []
    params = {n: a * np.float32(factors.get(n, 1)) for n, a in made.items()}
    for sizes in [None] + net.sizes[:1]:
        draw, _, outputs = oracle.answer(net, net.reference(symbol) if net.reference else symbol, dict(params, **given), sizes)
        runs.append({"sizes": sizes, "draw": draw, "shapes": [list(o.shape) for o in outputs],
                     "outputs": [writer.put(sets.thin(net, o)) for o in outputs]})
    file = recorded.path("zoo", name)
    writer.save(file, {"symbol": text, "params": {n: list(s) for n, s in wanted.items()},
                       "aux": symbol.list_auxiliary_states(), "scales": scales, "factors": factors, "runs": runs,
                       "given": {n: writer.put(a) for n, a in given.items()}})
    print("%-45s %d bytes" % (name, os.path.getsize(file)), flush=True)


def main():
    if sys.argv[1:2] == ["--worker"]:
        return record(sys.argv[2])
    here, known = importlib.metadata.version("mxnet"), nets.load()
    chosen = sys.argv[1:] or [n for n in NETS if known[n].mxnet == here]
    return max(subprocess.run([sys.executable, os.path.abspath(__file__), "--worker", n]).returncode
               for n in chosen)  # a process for each: Gluon counts its names through the life of a process


if __name__ == "__main__":
    sys.exit(main())
