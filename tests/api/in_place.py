"""Weights that stay in their parameter file (--external in-place, link), and mx2onnx check, on the command line: which files are
made, what is refused, what of a change is seen. tests/numeric/test_in_place.py has what onnx and ONNX Runtime read.

    python3 in_place.py MX2ONNX SYMBOL
"""
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
import zlib

TOOL, SYMBOL = (os.path.abspath(p) for p in sys.argv[1:3])
PARAMS = SYMBOL.replace("-symbol.json", "-0000.params")
SHAPE = ["--input", "data=1x1x8x8"]
PLACE, LINK = ["--external", "in-place:1"], ["--external", "link:1"]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "bench"))

import models  # noqa: E402
import strict  # noqa: E402


class InPlace(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        os.mkdir(self.path("out"))
        shutil.copy(SYMBOL, self.path("net-symbol.json"))
        shutil.copy(PARAMS, self.path("net-0000.params"))

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def read(self, *names):
        with open(self.path(*names), "rb") as f:
            return f.read()

    def write(self, data, *names):
        with open(self.path(*names), "wb") as f:
            f.write(data)

    def run_tool(self, *arguments, status=0, **more):
        p = subprocess.run([TOOL, *arguments], cwd=self.folder, capture_output=True, timeout=600, **more)
        self.assertEqual(p.returncode, status, p.stdout + p.stderr)
        return p.stdout.decode() + p.stderr.decode()

    def convert(self, *arguments, status=0):
        return self.run_tool("net-symbol.json", *SHAPE, *arguments, status=status)

    def files(self, folder="."):
        return sorted(os.listdir(self.path(folder)))

    # ---- what is written

    def test_computed_weights_are_written_next_to_those_in_place(self):
        before = self.read("net-0000.params")
        report = json.loads(self.convert(*PLACE, "-o", "net.onnx", "--json"))
        self.assertEqual(report["written"]["files"], ["net.onnx", "net.onnx.data", "net-0000.params"])
        self.assertEqual(report["written"]["bytes"], len(self.read("net.onnx")) + len(self.read("net.onnx.data")))
        self.assertLess(len(self.read("net.onnx.data")), 23000)  # two weights of convolutions with a BatchNorm in them
        self.assertEqual(self.read("net-0000.params"), before)
        self.assertIn(b"mx2onnx_file:net-0000.params\x12", self.read("net.onnx"))
        text = "%d bytes, crc32 %08x" % (len(before), zlib.crc32(before))
        self.assertIn(text.encode(), self.read("net.onnx"))

    def test_nothing_is_copied(self):
        out = self.convert(*PLACE, "-o", "net.onnx", "--keep-batch-norm")
        self.assertIn("'net-0000.params' holds weights of the model", out)
        self.assertNotIn("hard links", out)
        self.assertEqual(self.files(), ["net-0000.params", "net-symbol.json", "net.onnx", "out"])
        self.assertLess(len(self.read("net.onnx")), 5000)

    def test_nothing_stays(self):
        """Half of each weight is computed."""
        out = self.convert(*PLACE, "-o", "net.onnx", "--float16")
        self.assertIn("no weights stay in the parameter file", out)
        self.assertNotIn(b"mx2onnx_file:net-0000.params", self.read("net.onnx"))

    def test_a_stream_has_no_files(self):
        self.assertIn("standard output cannot have a side file", self.convert(*PLACE, "-o", "-", status=2))
        if os.path.exists("/dev/full"):
            self.assertIn("device or a pipe", self.convert(*PLACE, "-o", "/dev/full", status=1))

    def test_archives_are_unpacked(self):
        """Parameters that are in an archive with their symbol are copied."""
        with zipfile.ZipFile(self.path("net.zip"), "w") as z, tarfile.open(self.path("net.tar"), "w") as t:
            for name in ("net-symbol.json", "net-0000.params"):
                z.write(self.path(name), name)
                t.add(self.path(name), name)
        self.run_tool("net.zip", *SHAPE, *PLACE, "-o", "net.onnx")
        self.assertNotIn(b"mx2onnx_file:net-0000.params", self.read("net.onnx"))
        self.assertGreater(len(self.read("net.onnx.data")), 50000)

    # ---- the folder of the parameter file

    def test_a_file_in_another_folder_is_refused(self):
        out = self.convert(*PLACE, "-o", "out/net.onnx", status=1)
        self.assertIn("is not in the folder of the ONNX model", out)
        self.assertIn("--external link", out)
        self.assertEqual(self.files("out"), [])

    def test_a_link_holds_the_weights(self):
        out = self.convert(*LINK, "-o", "out/net.onnx")
        self.assertIn("onnx.load and onnx.checker refuse", out)
        self.assertEqual(self.files("out"), ["net-0000.params", "net.onnx", "net.onnx.data"])
        self.assertTrue(os.path.samefile(self.path("out", "net-0000.params"), self.path("net-0000.params")))
        for choice in (LINK, PLACE):  # and again, where it is there
            self.assertIn("onnx.load and onnx.checker refuse", self.convert(*choice, "-o", "out/net.onnx"))
        self.run_tool("check", "out/net.onnx")

    def test_a_link_is_made_to_the_target_of_a_symbolic_link(self):
        os.mkdir(self.path("store"))
        os.rename(self.path("net-0000.params"), self.path("store", "blob"))
        os.symlink("store/blob", self.path("net-0000.params"))
        self.assertIn("symbolic link", self.convert(*PLACE, "-o", "net.onnx", status=1))
        self.convert(*LINK, "-o", "out/net.onnx")
        self.assertFalse(os.path.islink(self.path("out", "net-0000.params")))
        self.assertTrue(os.path.samefile(self.path("out", "net-0000.params"), self.path("store", "blob")))

    def test_nothing_is_written_over(self):
        for mode in (PLACE, LINK):
            self.write(b"mine", "out", "net-0000.params")
            self.assertIn("not the parameter file that was loaded", self.convert(*mode, "-o", "out/net.onnx", status=1))
            self.assertEqual(self.read("out", "net-0000.params"), b"mine")
            self.assertEqual(self.files("out"), ["net-0000.params"])
            os.unlink(self.path("out", "net-0000.params"))
            os.symlink("nowhere", self.path("out", "net-0000.params"))
            self.assertIn("symbolic link", self.convert(*mode, "-o", "out/net.onnx", status=1))
            os.unlink(self.path("out", "net-0000.params"))

    def test_a_failure_takes_the_link_back(self):
        os.mkdir(self.path("out", "net.onnx"))
        self.assertIn("it is a folder", self.convert(*LINK, "-o", "out/net.onnx", status=1))
        self.assertEqual(self.files("out"), ["net.onnx"])
        os.rmdir(self.path("out", "net.onnx"))
        shutil.copy(self.path("net-0000.params"), self.path("net.onnx"))  # any name is fine for parameters
        out = self.run_tool("net-symbol.json", "net.onnx", *SHAPE, *LINK, "-o", "out/net.onnx", status=1)
        self.assertIn("file that the model was read from", out)
        self.assertEqual(self.files("out"), [])

    def test_a_failure_takes_all_links_back(self):
        models.write(lambda g, n: models.mlp(g, n, 16), 3, self.path("mlp"))
        parts = ["a.params", "b.params", "c.params"]
        for i, part in enumerate(parts):
            models.write_params(self.path(part), {"fc%d_weight" % i: (16, 16)})
        command = ["mlp-symbol.json", *parts, "--input", "data=1x16", *LINK, "-o", "out/net.onnx"]
        self.run_tool(*command)
        self.assertEqual(self.files("out"), parts + ["net.onnx"])
        for part in parts:
            shutil.rmtree(self.path("out"))
            os.mkdir(self.path("out"))
            self.write(b"mine", "out", part)
            self.run_tool(*command, status=1)
            self.assertEqual(self.files("out"), [part])

    def test_invalid_names_of_side_files_are_refused(self):
        for name in (b"a\\b.params", b"a:b.params", b"a\nb.params", b"\xff.params"):
            os.rename(self.path("net-0000.params"), os.path.join(os.fsencode(self.folder), name))
            out = self.run_tool("net-symbol.json", os.fsdecode(name), *SHAPE, *PLACE, "-o", "net.onnx", status=1)
            self.assertIn("not a valid name for a side file", out)
            os.rename(os.path.join(os.fsencode(self.folder), name), self.path("net-0000.params"))
        self.assertEqual(self.files(), ["net-0000.params", "net-symbol.json", "out"])

    # ---- check

    def test_check_reports_unchanged_files(self):
        self.convert(*PLACE, "-o", "net.onnx")
        out = self.run_tool("check", "net.onnx")
        self.assertIn("'net-0000.params' is unchanged", out)
        self.assertIn("'net.onnx.data' is unchanged (22656 bytes, crc32 %08x)" % zlib.crc32(self.read("net.onnx.data")), out)
        os.rename(self.path("net.onnx.data"), self.path("gone"))
        params = self.read("net-0000.params")
        self.write(params[:100] + bytes([params[100] ^ 1]) + params[101:], "net-0000.params")
        out = self.run_tool("check", "net.onnx", status=1)
        self.assertIn("'net.onnx.data': the file cannot be read: no such file", out)
        self.assertIn("'net-0000.params': the file was changed after the conversion", out)
        self.write(params[:-20000], "net-0000.params")
        self.assertIn("the model reads up to byte", self.run_tool("check", "net.onnx", status=1))
        self.write(params, "net-0000.params")
        os.rename(self.path("gone"), self.path("net.onnx.data"))
        self.run_tool("check", "net.onnx")

    def test_check_accepts_a_model_without_side_files(self):
        self.convert("-o", "net.onnx")
        self.assertIn("contains all its weights", self.run_tool("check", "net.onnx"))
        self.assertIn("'mx2onnx check'", self.run_tool("inspect", "net.onnx", status=1))
        self.run_tool("check", status=2)
        self.run_tool("check", "--all", "net.onnx", status=2)

    def test_check_refuses_what_is_not_a_model(self):
        self.convert(*PLACE, "-o", "net.onnx")
        model = self.read("net.onnx")
        for bad in (b"", b"\x08", b"{}", model[:-1], model[:200], b"\xff" * 50, model + b"\x07", b"\x3a\xff\xff\xff\xff\x0f", b"\x02\x01x",
                    b"\0\0", model + b"\0\0", model + b"\5abcd"):
            self.write(bad, "bad.onnx")
            self.run_tool("check", "bad.onnx", status=1)

    def test_a_large_hole_is_damage_without_a_long_read(self):
        """Zeros are fields of number 0, two bytes each: the reader does not go through all of them."""
        with open(self.path("hole.onnx"), "wb") as f:
            f.truncate(1 << 40)
        self.assertIn("damaged", self.run_tool("check", "hole.onnx", status=1))

    def test_check_does_not_look_elsewhere(self):
        self.convert(*PLACE, "-o", "net.onnx")
        model, name = self.read("net.onnx"), b"net-0000.params"
        for there in (b"../00000.params", b"out/0000.params", b"/et-0000.params", b"C:t-0000.params", b"..\\00000.params"[:15], b"net-0000\n.param"):
            self.assertEqual(len(there), len(name))
            self.write(model.replace(name, there), "odd.onnx")
            self.assertIn("not a plain file name", self.run_tool("check", "odd.onnx", status=1))

    def test_checksums_are_of_samples_or_of_everything(self):
        """What the header says: of a large file 256 blocks are read; with a full checksum all of it."""
        models.write(lambda g, n: models.mlp(g, n, 512), 2, self.path("large"))
        shape = ["--input", "data=1x512"]
        self.run_tool("large-symbol.json", *shape, *PLACE, "-o", "few.onnx")
        self.run_tool("large-symbol.json", *shape, *PLACE, "-o", "all.onnx", "--full-checksum")
        params = self.read("large-0000.params")
        size = len(params)
        samples = [i * (size - 1024) // 255 for i in range(256)]
        few = zlib.crc32(b"".join(params[at:at + 1024] for at in samples))
        self.assertIn(b"%d bytes, crc32 %08x of 256 samples" % (size, few), self.read("few.onnx"))
        self.assertIn(b"%d bytes, crc32 %08x" % (size, zlib.crc32(params)), self.read("all.onnx"))
        self.assertIn("unchanged", self.run_tool("check", "few.onnx", "all.onnx"))
        for at, seen in ((0, True), (samples[7], True), (samples[7] + 1023, True), (samples[7] + 1024, False), (size - 1, True)):
            self.write(params[:at] + bytes([params[at] ^ 1]) + params[at + 1:], "large-0000.params")
            self.run_tool("check", "all.onnx", status=1)
            self.run_tool("check", "few.onnx", status=1 if seen else 0)


if __name__ == "__main__":
    strict.main()
