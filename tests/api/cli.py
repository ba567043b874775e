"""The command line as a user meets it: what it prints, where, and the exit status.

    python3 cli.py MX2ONNX SYMBOL
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL, SYMBOL = (os.path.abspath(p) for p in sys.argv[1:3])
PARAMS = SYMBOL.replace("-symbol.json", "-0000.params")
SHAPE = ["--input", "data=1x1x8x8"]


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def run_tool(self, *arguments, status=0, binary=False):
        p = subprocess.run([TOOL, *arguments], cwd=self.folder, capture_output=True, stdin=subprocess.DEVNULL)
        out = p.stdout if binary else p.stdout.decode()
        err = p.stderr.decode()
        self.assertEqual(p.returncode, status, "%s\n%s\n%s" % (arguments, out, err))
        return out, err

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    # ---- help

    def test_help_teaches(self):
        for arguments in (["--help"], ["convert", "--help"], ["inspect", "--help"], ["ops", "--help"], ["-h"]):
            out, err = self.run_tool(*arguments)
            self.assertIn("mx2onnx", out)
            self.assertRegex(out, "Examples|First steps")
            self.assertEqual(err, "")

    def test_nothing_given(self):
        out, err = self.run_tool(status=2)
        self.assertEqual(out, "")
        self.assertIn("mx2onnx inspect", err)

    def test_version(self):
        out, _ = self.run_tool("--version")
        self.assertRegex(out, r"^mx2onnx \d+\.\d+\.\d+\n$")

    # ---- convert

    def test_convert(self):
        out, err = self.run_tool(SYMBOL, PARAMS, "-o", "net.onnx", *SHAPE)
        self.assertIn("wrote net.onnx", out)
        self.assertEqual(err, "")
        self.assertIn(b"conv1_weight", self.read("net.onnx"))

    def test_default_name_and_parameters_beside(self):
        self.run_tool("convert", SYMBOL, *SHAPE)
        self.assertEqual(os.listdir(self.folder), ["digits.onnx"])
        self.run_tool(SYMBOL, PARAMS, "-o", "again.onnx", *SHAPE)
        self.assertEqual(self.read("digits.onnx"), self.read("again.onnx"))

    def test_shape_without_a_name(self):
        self.run_tool(SYMBOL, "-o", "a.onnx", "--input", "1x1x8x8")
        self.run_tool(SYMBOL, "-o", "b.onnx", "--input", "data=1,1,8,8:float32")
        self.assertEqual(self.read("a.onnx"), self.read("b.onnx"))

    def test_standard_output(self):
        bytes_, err = self.run_tool(SYMBOL, "-o", "-", *SHAPE, binary=True)
        self.run_tool(SYMBOL, "-o", "net.onnx", *SHAPE)
        self.assertEqual(bytes_, self.read("net.onnx"))

    def test_dynamic(self):
        self.run_tool(SYMBOL, "-o", "net.onnx", "--dynamic", "data=batch,1,8,8")
        self.assertIn(b"batch", self.read("net.onnx"))

    def test_output_and_rename(self):
        out, _ = self.run_tool(
            SYMBOL, "-o", "net.onnx", *SHAPE, "--output", "fc1_output", "--output", "pool1_output",
            "--rename", "fc1=hidden", "--json"
        )
        report = json.loads(out)
        self.assertEqual([o["name"] for o in report["outputs"]], ["hidden", "pool1"])

    def test_external(self):
        self.run_tool(SYMBOL, "-o", "net.onnx", *SHAPE, "--external", "always:1")
        self.assertEqual(sorted(os.listdir(self.folder)), ["net.onnx", "net.onnx.data"])
        self.assertIn(b"net.onnx.data", self.read("net.onnx"))
        self.assertNotIn(self.folder.encode(), self.read("net.onnx"))

    def test_preprocessing(self):
        out, _ = self.run_tool("inspect", "--graph", SYMBOL, "--input", "1x1x8x8:uint8", "--channels-last",
                               "--scale", "1e-10")  # too small to go into the weights
        self.assertIn("input data : uint8 (1, 8, 8, 1)", out)
        self.assertIn("float32 () = 1e-10", out)
        out, _ = self.run_tool("inspect", "--graph", SYMBOL, *SHAPE, "--reverse-channels=data", "--mean", "data=1e-1")
        self.assertIn("= 0.1", out)
        for wrong in (["--mean", "data="], ["--mean", "data=1;2"], ["--scale", "1,,2"], ["--scale", "x"]):
            self.run_tool(SYMBOL, *SHAPE, *wrong, status=2)
        for wrong in (["--mean", "data=1,2"], ["--scale", "nan"], ["--channels-last=image"], ["--mean", "image=1"]):
            self.run_tool(SYMBOL, *SHAPE, *wrong, status=1)

    def test_float16(self):
        self.run_tool(SYMBOL, "-o", "single.onnx", *SHAPE)
        self.run_tool(SYMBOL, "-o", "half.onnx", *SHAPE, "--float16")
        self.run_tool(SYMBOL, "-o", "inside.onnx", *SHAPE, "--float16=inside", "--keep-float32", "relu2")
        self.assertLess(len(self.read("half.onnx")), 0.6 * len(self.read("single.onnx")))
        out, _ = self.run_tool("inspect", "--graph", SYMBOL, *SHAPE, "--float16", "--force-float16", "softmax")
        self.assertIn("output softmax : float16", out)
        self.run_tool(SYMBOL, *SHAPE, "--float16=half", status=2)
        _, err = self.run_tool(SYMBOL, *SHAPE, "--keep-float32", "nobody", status=1)
        self.assertIn("nobody", err)

    def test_opsets(self):
        for opset in (12, 28):
            self.run_tool(SYMBOL, "-o", "net.onnx", *SHAPE, "--opset", str(opset))

    def test_quiet_and_verbose(self):
        self.assertEqual(self.run_tool(SYMBOL, "-q", *SHAPE), ("", ""))
        out, _ = self.run_tool(SYMBOL, "-v", *SHAPE)
        self.assertIn("nodes", out)
        self.assertIn("softmax", out)

    def test_json(self):
        out, _ = self.run_tool(SYMBOL, "--json", *SHAPE)
        self.assertEqual(json.loads(out)["inputs"][0]["shape"], [1, 1, 8, 8])

    # ---- errors

    def test_usage_errors(self):
        for arguments, word in (
            (["--no-such-option", SYMBOL], "no-such-option"),
            (["-o", "x.onnx"], "which model"),
            ([SYMBOL, "--input", "data=1x"], "data=1x"),
            ([SYMBOL, "--input", "data=1xx3"], "data=1xx3"),
            ([SYMBOL, "--input", "="], "="),
            ([SYMBOL, "--input", "data=1x1x8x8:float33"], "float33"),
            ([SYMBOL, "--input", "data=99999999999999999999"], "99999999999999999999"),
            ([SYMBOL, "--dynamic", "data=1,1,8,8"], "names no dim"),
            ([SYMBOL, "--rename", "a"], "OLD=NEW"),
            ([SYMBOL, "--opset", "11"], "12 to 28"),
            ([SYMBOL, "--opset", "17x"], "17x"),
            ([SYMBOL, "--external", "sometimes"], "sometimes"),
            ([SYMBOL, "--external", "auto:5"], "auto:5"),
            (["inspect"], "which model"),
            (["ops", "--yaml"], "yaml"),
        ):
            out, err = self.run_tool(*arguments, status=2)
            self.assertEqual(out, "", arguments)
            self.assertIn(word, err)
            self.assertEqual(os.listdir(self.folder), [])

    def test_no_such_file(self):
        out, err = self.run_tool("no-such-symbol.json", status=1)
        self.assertIn("no-such", err)
        self.assertIn("error", err)

    def test_unknown_input_and_output(self):
        _, err = self.run_tool(SYMBOL, "--input", "image=1x1x8x8", status=1)
        self.assertIn("image", err)
        _, err = self.run_tool(SYMBOL, *SHAPE, "--output", "fc99_output", status=1)
        self.assertIn("fc99_output", err)

    def test_unsupported_operators_are_all_listed(self):
        with open(SYMBOL, encoding="utf-8") as f:
            text = f.read()
        text = text.replace('"Pooling"', '"PoolingOfTomorrow"').replace('"Dropout"', '"DropoutOfTomorrow"')
        with open(self.path("new-symbol.json"), "w", encoding="utf-8") as f:
            f.write(text)
        with open(self.path("new.onnx"), "w", encoding="utf-8") as f:
            f.write("as it was")
        _, err = self.run_tool("new-symbol.json", PARAMS, "-o", "new.onnx", *SHAPE, status=1)
        self.assertIn("PoolingOfTomorrow", err)
        self.assertIn("DropoutOfTomorrow", err)
        self.assertEqual(self.read("new.onnx"), b"as it was")
        out, _ = self.run_tool("inspect", "new-symbol.json", PARAMS)
        self.assertRegex(out, r"PoolingOfTomorrow +\d+  not supported")

    def test_unknown_operators_are_kept(self):
        with open(self.path("net-symbol.json"), "w") as f:
            json.dump({"nodes": [{"op": "null", "name": "data", "inputs": []},
                                 {"op": "Mystery", "name": "m", "inputs": [[0, 0, 0]], "attrs": {"a": "1"}},
                                 {"op": "elemwise_add", "name": "s", "inputs": [[1, 0, 0], [0, 0, 0]]}],
                       "arg_nodes": [0], "heads": [[2, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}, f)
        shape = ["--input", "data=2x3"]
        self.run_tool("net-symbol.json", *shape, status=1)
        self.run_tool("net-symbol.json", *shape, "--keep-unknown", "-o", "kept.onnx")
        self.assertIn(b"Mystery", self.read("kept.onnx"))
        out, _ = self.run_tool("inspect", "--graph", "net-symbol.json", *shape, "--keep-unknown=org.example")
        self.assertIn("m = org.example::Mystery(data)", out)

    def test_json_after_an_error(self):
        out, err = self.run_tool(SYMBOL, "--json", "--input", "data=1x1x1x1", status=1)
        report = json.loads(out)
        self.assertTrue([d for d in report["diagnostics"] if d["severity"] == "error"], report)
        self.assertIn("error", err)

    def test_damaged_parameters(self):
        with open(self.path("bad.params"), "wb") as f:
            f.write(b"\x12\x01\0\0\0\0\0\0 this is not a list of arrays")
        _, err = self.run_tool(SYMBOL, "bad.params", *SHAPE, status=1)
        self.assertIn("bad.params", err)

    # ---- inspect

    def test_inspect(self):
        out, err = self.run_tool("inspect", SYMBOL, *SHAPE)
        self.assertRegex(out, r"inputs: 1\n  data +float32 +\(1, 1, 8, 8\)")
        self.assertRegex(out, r"outputs: 1\n  softmax +float32 +\(1, 10\)")
        self.assertRegex(out, r"parameters: \d+ arrays, \d+ numbers, ")
        self.assertRegex(out, r"Convolution +2\n")
        self.assertNotIn("not supported", out)
        self.assertEqual(err, "")

    def test_inspect_without_shapes(self):
        out, _ = self.run_tool("inspect", SYMBOL)
        self.assertRegex(out, r"inputs: 1\n  data +float32 ")

    def test_inspect_graph(self):
        out, _ = self.run_tool("inspect", SYMBOL, "--dynamic", "data=batch,1,8,8", "--graph")
        self.assertRegex(out, r"Conv\b")
        self.assertIn("batch", out)
        out, _ = self.run_tool("inspect", SYMBOL, *SHAPE, "--symbol")
        self.assertIn("Convolution", out)

    def test_inspect_json(self):
        out, _ = self.run_tool("inspect", SYMBOL, *SHAPE, "--json")
        report = json.loads(out)
        self.assertEqual(report["inputs"][0]["name"], "data")
        self.assertIn("Convolution", [o["name"] for o in report["operators"]])

    # ---- ops

    def test_ops(self):
        out, _ = self.run_tool("ops")
        self.assertRegex(out, r"(?m)^Pooling +12 ")
        out, _ = self.run_tool("ops", "--json")
        names = [o["name"] for o in json.loads(out)]
        self.assertEqual(names, sorted(names))
        self.assertIn("Convolution", names)

    def test_one_operator(self):
        out, _ = self.run_tool("ops", "Pooling", "Convolution")
        self.assertRegex(out, r"^Pooling\n  from opset 12\n")
        self.assertRegex(out, r"\nConvolution\n")
        (one,) = json.loads(self.run_tool("ops", "Pooling", "--json")[0])
        self.assertEqual(one["name"], "Pooling")

    def test_an_alias_is_found(self):
        out, _ = self.run_tool("ops", "--json")
        row = next(o for o in json.loads(out) if o["aliases"])
        out, _ = self.run_tool("ops", row["aliases"][0])
        self.assertTrue(out.startswith(row["name"] + "\n"), out)

    def test_a_typo_gives_the_nearest(self):
        for typo, name in (("Convolutoin", "Convolution"), ("pooling", "Pooling"), ("FulyConected", "FullyConnected")):
            _, err = self.run_tool("ops", typo, status=1)
            self.assertIn("did you mean " + name, err)
        _, err = self.run_tool("ops", "qqqqqqqq", status=1)
        self.assertIn("mx2onnx ops", err)

    def test_markdown(self):
        out, _ = self.run_tool("ops", "--markdown")
        rows = out.splitlines()
        self.assertTrue(all(len(re.findall(r"(?<!\\)\|", row)) == 5 for row in rows), out)


unittest.main(argv=sys.argv[:1])
