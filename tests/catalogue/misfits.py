"""Parameters without a symbol on the command line: what is found, what is refused and what is said of it.

    python3 misfits.py MX2ONNX CATALOGUE_SYMBOLS DIGESTS

The names and shapes of published nets come from the digests' texts, which are MXNet's.
"""
import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import unittest

TOOL, SYMBOLS, DIGESTS = (os.path.abspath(p) for p in sys.argv[1:4])
SMALL, MOBILE, SEGMENTS = "cifar_resnet20_v1", "mobilenet0.25", "fastscnn_citys"
TINY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bindings", "cases", "nets.zip")


def arrays_of(net):
    """{name: shape} of what save_parameters writes."""
    told = subprocess.run([SYMBOLS, DIGESTS, net], capture_output=True, text=True, check=True).stdout
    rows = [line.split("|") for line in told.split("\n") if line.startswith("null|") and line.count("|") == 2]
    return {name: tuple(map(int, shape.split(","))) for _, name, shape in rows}


def prefixed(net, replaced=None):
    """{name: shape} as the symbol calls them, by the inputs of its nodes: net_conv0_fwd reads net_conv0_weight."""
    told = subprocess.run([SYMBOLS, DIGESTS, net], capture_output=True, text=True, check=True).stdout
    lines, found = told.split("\n"), {}
    for line in lines:
        parts = line.split("|")
        if len(parts) == 4 and parts[1].endswith("_fwd"):
            for k in (int(e.split(":")[0]) for e in parts[3].split(",")):
                row = lines[k].split("|")
                if row[0] == "null" and len(row) == 3:
                    name = parts[1][:-len("fwd")] + row[1].rsplit(".", 1)[1]
                    found[name if replaced is None else replaced + name.split("_", 1)[1]] = tuple(map(int, row[2].split(",")))
    return found


def parameters(arrays, dtype=0):
    """An NDArray list (src/ndarray/ndarray.cc of MXNet) of zeros; dtype 0 is float32, 2 float16."""
    out = [struct.pack("<QQQ", 0x112, 0, len(arrays))]
    for shape in arrays.values():
        count = 1
        for d in shape:
            count *= d
        out.append(struct.pack("<IiI%dq" % len(shape), 0xF993FAC9, 0, len(shape), *shape) + struct.pack("<iii", 1, 0, dtype))
        out.append(bytes(count * (2 if dtype == 2 else 4)))
    out.append(struct.pack("<Q", len(arrays)))
    out += [struct.pack("<Q", len(n)) + n.encode() for n in arrays]
    return b"".join(out)


class Misfits(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def run_tool(self, *arguments, status=0):
        p = subprocess.run([TOOL, *arguments], cwd=self.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.assertEqual(p.returncode, status, "%s\n%s\n%s" % (arguments, p.stdout, p.stderr))
        return re.sub(r"\s+", " ", p.stdout + p.stderr)

    def write(self, arrays, name="x.params", **more):
        with open(os.path.join(self.folder, name), "wb") as f:
            f.write(arrays if isinstance(arrays, bytes) else parameters(arrays, **more))
        return name

    def convert(self, arrays, *options, status=0, name="x.params", **more):
        said = self.run_tool(self.write(arrays, name, **more), "-o", "y.onnx", *options, status=status)
        self.assertEqual(os.path.exists(os.path.join(self.folder, "y.onnx")), status == 0)
        return said

    # ---- what fits

    def test_parameters_published_alone_are_recognised(self):
        """With the names that they have in their files."""
        for net, prefix, told, shape in (
                ("mtcnn_pnet", "arg:", "recognised as mtcnn_pnet", "(batch, 3, data_dim2, data_dim3)"),
                ("mtcnn_rnet", "arg:", "recognised as mtcnn_rnet", "(batch, 3, 24, 24)"),
                ("mtcnn_onet", "arg:", "recognised as mtcnn_onet", "(batch, 3, 48, 48)"),
                ("d2l_lenet", "", "recognised as d2l_lenet with 10 classes", "(batch, 1, 28, 28)"),
                ("msgnet_21styles", "", "recognised as msgnet_21styles", "style float32 (1, 3, style_dim2, style_dim3)")):
            said = self.convert({prefix + n: s for n, s in arrays_of(net).items()})
            self.assertIn(told, said)
            self.assertIn(shape, said)
            os.remove(os.path.join(self.folder, "y.onnx"))

    def test_published_parameters_are_recognised(self):
        self.assertIn("recognised as cifar_resnet20_v1 with 10 classes", self.convert(arrays_of(SMALL)))

    def test_other_classes_are_recognised(self):
        arrays = dict(arrays_of(SMALL), **{"output.weight": (5, 64), "output.bias": (5,)})
        said = self.convert(arrays)
        self.assertIn("recognised as cifar_resnet20_v1 with 5 classes", said)
        self.assertIn("(batch, 5)", said)

    def test_float16_and_prefixes_of_arg_and_aux_are_recognised(self):
        arrays = {("aux:" if "running" in n else "arg:") + n: s for n, s in arrays_of(SMALL).items()}
        self.assertIn("with 10 classes", self.convert(arrays, dtype=2))

    def test_names_of_the_symbol_are_recognised(self):
        full = prefixed(SMALL)
        self.assertEqual(len(full), len(arrays_of(SMALL)))
        for arrays in (full, prefixed(SMALL, ""), prefixed(SMALL, "mynet7_")):
            self.assertIn("recognised as cifar_resnet20_v1 with 10 classes", self.convert(arrays))
            os.remove(os.path.join(self.folder, "y.onnx"))

    def test_the_name_says_which_of_several(self):
        arrays = prefixed("mobilenet1.0", "")
        said = self.convert(arrays, status=1)
        self.assertIn("mobilenet1.0 with 1000 classes", said)
        self.assertIn("mobilenet1.0_int8", said)
        self.assertIn("mobilenet1.0 was chosen by the file's name", self.convert(arrays, "-v", name="mobilenet1.0-efbb2ca3.params"))

    def test_nothing_else_says_which(self):
        """Nets of one kind that compute different things are not told apart by the number of classes that each was published with."""
        one, other = "center_net_resnet18_v1b_voc", "center_net_resnet18_v1b_coco"
        arrays = arrays_of(one)
        said = self.convert(arrays, status=1)
        self.assertIn("match several nets that compute different results", said)
        self.assertIn(one + " with 20 classes (GluonCV 0.10.5)", said)
        self.assertIn(other + " with 20 classes (GluonCV 0.10.5)", said)
        self.assertIn("they differ first at 'centernet0_centernetdecoder0_topk0', where k is 100 or 40", said)
        self.assertIn("help: choose one with --net NAME", said)
        self.assertIn("recognised as %s with 20 classes" % other, self.convert(arrays, "--net", other))
        os.remove(os.path.join(self.folder, "y.onnx"))
        self.assertIn(one + " was chosen by the file's name", self.convert(arrays, "-v", name=one + "-0123abcd.params"))

    def test_int8_nets_match_by_name_only(self):
        """A net of 8 bits has its ranges in the graph: parameters of the float net match it only if it is named."""
        floats = arrays_of("resnet50_v1")
        self.assertIn("recognised as resnet50_v1 with", self.convert(floats))
        os.remove(os.path.join(self.folder, "y.onnx"))
        said = self.convert(floats, "--net", "resnet50_v1_int8", status=1)
        self.assertIn("the parameters are not those of resnet50_v1_int8", said)
        arrays = {n: s for n, s in arrays_of("resnet50_v1_int8").items() if s}
        said = self.convert(arrays, status=1)
        self.assertIn("resnet50_v1 with 1000 classes", said)
        self.assertIn("resnet50_v1_int8 (GluonCV 0.10.5)", said)

    def test_parts_of_a_net_are_named(self):
        arrays = dict(arrays_of("transformer_en_de_512_encoder"), **arrays_of("transformer_en_de_512_step"))
        said = self.convert(arrays, status=1)
        for part in ("encoder", "decoder", "step"):
            self.assertIn("transformer_en_de_512_%s with 36794 words" % part, said)
            self.assertIn("recognised as transformer_en_de_512_" + part, self.convert(arrays, "--net", "transformer_en_de_512_" + part))
            os.remove(os.path.join(self.folder, "y.onnx"))

    def test_the_name_can_be_given(self):
        self.assertIn("recognised as cifar_resnet20_v1", self.convert(arrays_of(SMALL), "--net", SMALL))

    def test_an_archive_of_sagemaker_is_recognised(self):
        data = io.BytesIO()
        members = {"model_algo-1": parameters(arrays_of(SEGMENTS)), "model_best.params": b"",
                   "hyperparams.json": b'{"algorithm": "fcn", "backbone": "resnet-50", "crop_size": "512"}'}
        with tarfile.open(fileobj=data, mode="w:gz") as t:
            for name, content in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(content)
                t.addfile(info, io.BytesIO(content))
        said = self.run_tool("inspect", self.write(data.getvalue(), "model.tar.gz"))
        self.assertIn("recognised as fastscnn_citys with 19 classes, 512 for the crop", said)
        self.assertIn("(batch, 3, 512, 512)", said)

    def test_crop_is_the_size_of_a_segmentation_net(self):
        arrays = arrays_of(SEGMENTS)
        self.assertIn("19 classes, 320 for the crop", self.convert(arrays, "--crop", "320"))
        os.remove(os.path.join(self.folder, "y.onnx"))
        self.assertIn("cannot be made with these sizes", self.convert(arrays, "--crop", "333", status=1))

    # ---- what does not

    def test_extra_or_missing_parameters_are_named(self):
        arrays = arrays_of(SMALL)
        self.assertIn("1 is not of it ('head.weight')", self.convert(dict(arrays, **{"head.weight": (3, 3)}), status=1))
        short = {n: s for n, s in arrays.items() if n != "output.bias"}
        self.assertIn("the nearest is cifar_resnet20_v1, but 1 array is missing ('output.bias')", self.convert(short, status=1))
        # a net inside of another is neither
        self.assertTrue(set(arrays) - {"output.weight", "output.bias"} < set(arrays_of("cifar_resnet56_v1")))
        self.assertIn("are not those of cifar_resnet20_v1", self.convert(arrays_of("cifar_resnet56_v1"), "--net", SMALL, status=1))

    def test_swapped_shapes_are_named(self):
        arrays = arrays_of(SMALL)
        arrays["output.weight"] = arrays["output.weight"][::-1]
        self.assertIn("1 has another shape ('output.weight' should be (10, 64))", self.convert(arrays, "--classes", "10", status=1))

    def test_parameters_of_another_net_are_refused(self):
        said = self.convert(arrays_of(SMALL), "--net", "cifar_resnet20_v2", status=1)
        self.assertIn("the parameters are not those of cifar_resnet20_v2", said)
        self.assertIn("the catalogue has no net of this name", self.convert(arrays_of(SMALL), "--net", "none", status=1))
        self.convert(arrays_of(SMALL), "--classes", "7", status=1)
        for option in ("crop", "segments"):
            self.assertIn("the option '%s' is 480, which does not apply to cifar_resnet20_v1, the net that the parameters match help: omit the option" % option,
                          self.convert(arrays_of(SMALL), "--" + option, "480", status=1))

    def test_a_name_may_have_another_case_and_the_nearest_is_suggested(self):
        self.assertIn("help: the nearest is 'cifar_resnet20_v1'", self.convert(arrays_of(SMALL), "--net", "cifar_resnet21_v1", status=1))
        self.assertIn("help: 'mx2onnx nets' lists", self.convert(arrays_of(SMALL), "--net", "zzzzzzzz", status=1))
        self.assertIn("recognised as cifar_resnet20_v1", self.convert(arrays_of(SMALL), "--net", "CIFAR_ResNet20_v1"))

    def test_an_unpublished_network_is_not_recognised(self):
        said = self.convert({"encoder.0.weight": (3, 4), "encoder.0.bias": (3,)}, status=1)
        self.assertIn("match none of the", said)
        self.assertIn("call export() in its Python code", said)

    # ---- what was published, and the list

    def test_published_shapes_and_normalisation_are_used(self):
        said = self.run_tool("inspect", self.write(arrays_of(SMALL)))
        self.assertIn("mean 0.4914,0.4822,0.4465", said)
        self.assertIn("(batch, 3, data_dim2, data_dim3)", said)
        nodes = []
        for more in ([], ["--published", "normalization"]):
            said = self.convert(arrays_of(SMALL), "--published", "shapes", *more)
            self.assertIn("(batch, 3, 32, 32)", said)
            nodes.append(int(re.search(r"(\d+) nodes", said).group(1)))
            os.remove(os.path.join(self.folder, "y.onnx"))
        self.assertEqual(nodes[1], nodes[0] + 1)  # Sub; the scale goes into the weights of the convolution

    def test_nets_prints_the_catalogue(self):
        self.assertIn("374 nets of 374", self.run_tool("nets"))
        said = self.run_tool("nets", "ssd_512*voc")
        self.assertIn("ssd_512_resnet18_v1_voc", said)
        self.assertNotIn("ssd_300", said)
        self.assertIn("no name of a published net has", self.run_tool("nets", "nosuch", status=1))
        p = subprocess.run([TOOL, "nets", "--json"], capture_output=True, check=True)
        self.assertEqual(len(json.loads(p.stdout)["nets"]), 374)

    def test_another_catalogue_can_be_used(self):
        self.assertIn("3 nets of 3", self.run_tool("nets", "--catalogue", TINY))
        arrays = {"0.weight": (2, 3), "0.bias": (2,)}
        self.assertIn("recognised as tiny_wide with 2 classes", self.convert(arrays, "--catalogue", TINY))
        with open(TINY, "rb") as f:
            data = f.read()
        self.run_tool("nets", "--catalogue", self.write(data[:-40], "cut.zip"), status=1)
        self.run_tool("nets", "--catalogue", self.write(b"", "empty.zip"), status=1)
        said = self.run_tool("nets", "--catalogue", self.write(b"{}", "net-symbol.json"), status=1)
        self.assertIn("net-symbol.json' is not a catalogue of nets", said)
        self.assertNotIn("damaged", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
