# SPDX-License-Identifier: Apache-2.0
"""Transposes between nodes that can compute in any order of axes vanish."""
import onnx
import pytest

import channels_last
import compare
import ndarray_list
import recorded
import test_nets
import test_ops
import weights
from cases import load, transposed

NETS = ["cifar_resnet20_v1", "darknet53", "densenet121", "googlenet", "inceptionv3", "mobilenet1.0", "mobilenetv2_1.0", "resnet18_v1",
        "resnet50_v2", "resnext50_32x4d", "se_resnext50_32x4d", "squeezenet1.1", "unet", "vgg16_bn", "xception"]


def transposes(file):
    return sum(n.op_type == "Transpose" for n in onnx.load(file, load_external_data=False).graph.node)


@pytest.mark.parametrize("c", load("transposed"), ids=lambda c: c.name)
def test_only_the_listed_transposes_are_left(converter, c, tmp_path):
    """What these graphs compute is tested with all other cases."""
    assert transposes(test_ops.export(converter, c, 17, tmp_path, True)) == transposed.LEFT[c.name]


class LastNet(test_nets.Net):
    """A recorded net with its channels last."""

    def __init__(self, name, folder):
        super().__init__(name, folder)
        index = recorded.Reader(recorded.path("nets", name)).index
        made = channels_last.params(index["symbol"], weights.make(index["symbol"], index["params"], index["scales"]))
        with open(self.symbol, "w") as f:
            f.write(channels_last.symbol(index["symbol"]))
        ndarray_list.save(self.params, {("aux:" if n in index["aux"] else "arg:") + n: a for n, a in made.items()})


@pytest.mark.parametrize("name", NETS)
def test_channels_last_agree_with_channels_first(converter, name, tmp_path):
    """The net with its channels first is the truth: MXNet runs convolutions of channels-last data on GPUs alone."""
    net, out = LastNet(name, tmp_path), str(tmp_path / "net.onnx")
    for opset, dynamic in ((11, {}), (17, {"data": {0: "batch"}}), (21, {"data": {0: "batch"}})):
        x = channels_last.last(net.data(3))
        converter(net.symbol, net.params, {"data": (x.shape, "float32")}, dynamic, opset, out)
        compare.check(out, opset)
        got = compare.run(compare.session(out), {"data": x})
        compare.agree(got, [channels_last.last(w) if w.ndim == 4 else w for w in net.outputs[3]])
        assert transposes(out) <= 2
