# SPDX-License-Identifier: Apache-2.0
"""Models in MXNet's memory, converted in its process: the bytes are those of the files that MXNet saves of the same model.

    MX2ONNX_LIBRARY=build/lib/libmx2onnx.so build/oracle/bin/python tests/live/in_memory.py
"""
import os
import sys
import tempfile
import unittest

os.environ["MXNET_SUBGRAPH_BACKEND"] = "NONE"
import mxnet as mx
from mxnet import gluon

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir))
sys.path.insert(0, os.path.join(ROOT, "bindings", "python"))
import mx2onnx  # noqa: E402

SHAPE = (2, 3, 8, 8)


def block(dtype="float32"):
    mx.random.seed(1)
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Conv2D(4, 3), gluon.nn.BatchNorm(), gluon.nn.PReLU(), gluon.nn.Flatten(), gluon.nn.Dense(5))
    net.cast(dtype)
    net.initialize(mx.init.Uniform(1))
    return net


class InMemory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = lambda name: os.path.join(folder.name, name)

    def converted(self, *model, **options):
        mx2onnx.export_model(*model, in_shapes=[SHAPE], onnx_file_path=self.path("net.onnx"), **options)
        with open(self.path("net.onnx"), "rb") as f:
            return f.read()

    def test_a_block_gives_the_file_of_its_export(self):
        for dtype in ("float32", "float64"):
            net = block(dtype)
            with self.assertRaisesRegex(ValueError, "call hybridize"):
                mx2onnx.export_model(net, in_shapes=[SHAPE], onnx_file_path=self.path("net.onnx"))
            net.hybridize()
            net(mx.nd.ones(SHAPE, dtype=dtype))
            net.export(self.path("net"))
            types = {"in_types": dtype}
            want = self.converted(self.path("net-symbol.json"), self.path("net-0000.params"), **types)
            self.assertGreater(len(want), 1000)
            symbol, stored = mx.sym.load(self.path("net-symbol.json")), mx.nd.load(self.path("net-0000.params"))
            arg, aux = ({n[4:]: a for n, a in stored.items() if n.startswith(kind)} for kind in ("arg:", "aux:"))
            self.assertEqual(len(aux), 2)
            for model in ((net,), (net, None), (symbol, net.collect_params()), (symbol, stored), (symbol, [arg, aux]), (symbol, (arg, aux)),
                          (symbol, dict(arg, **aux)), (symbol.tojson(), stored), (symbol, {n: a.asnumpy() for n, a in dict(arg, **aux).items()})):
                self.assertEqual(self.converted(*model, **types), want)
            with mx2onnx.Model(net) as m:
                m.set_input_shape("data", SHAPE)
                m.set_input_dtype("data", dtype)
                self.assertEqual(m.export_bytes(), want)

    def test_a_module_gives_the_file_of_its_checkpoint(self):
        data = mx.sym.Variable("data")
        net = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.BatchNorm(data, name="bn"), num_hidden=3, name="fc"), name="softmax")
        module = mx.mod.Module(net, label_names=["softmax_label"])
        module.bind([("data", SHAPE)], [("softmax_label", SHAPE[:1])], for_training=False)
        module.init_params(mx.init.Uniform(1))
        module.save_checkpoint(self.path("net"), 7)
        want = self.converted(self.path("net-symbol.json"), self.path("net-0007.params"))
        self.assertEqual(self.converted(module.symbol, module.get_params()), want)
        self.assertEqual(self.converted(*mx.model.load_checkpoint(self.path("net"), 7)[:1], mx.model.load_checkpoint(self.path("net"), 7)[1:]), want)


if __name__ == "__main__":
    unittest.main()
