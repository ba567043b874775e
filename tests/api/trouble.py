"""The command line where the disk is full, the reader gone, the file too large for one message, or the user impatient: the
target is whole or as it was, nothing else is left behind, and the error says what happened.

    python3 trouble.py MX2ONNX SYMBOL
"""
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TOOL, SYMBOL = (os.path.abspath(p) for p in sys.argv[1:3])
SHAPE = ["--input", "data=1x1x8x8"]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "bench"))

import models  # noqa: E402


def limited(size):
    """Files of the process end at `size`, as on a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def table(g, rows):
    """A fully connected layer, and an array that nothing reads: in the parameter file the layer's weight comes behind it."""
    g.finish(g.node("FullyConnected", "fc", [g.variable("data"), g.variable("fc_weight")], num_hidden=4, no_bias=True))
    return (1, 64), {"unused": (rows, 1024), "fc_weight": (4, 64)}


class Trouble(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        with open(self.path("net.onnx"), "w") as f:
            f.write("as it was")

    def path(self, name):
        return os.path.join(self.folder, name)

    def model(self, make, size, random=False):
        symbol, params, shape = models.write(make, size, self.path("large"), random)
        return [symbol, params, "--input", "x".join(map(str, shape))]

    def fails(self, arguments, word, **more):
        p = subprocess.run([TOOL, *arguments], cwd=self.folder, capture_output=True, timeout=60, **more)
        self.assertEqual(p.returncode, 1, p.stderr)
        self.assertIn(word, p.stderr.decode())
        self.untouched()

    def untouched(self):
        with open(self.path("net.onnx")) as f:
            self.assertEqual(f.read(), "as it was")
        rest = set(os.listdir(self.folder)) - {"net.onnx", "large-symbol.json", "large-0000.params"}
        self.assertEqual(rest, set())

    # ---- large models, whose parameter file is all holes

    def test_more_than_2_gib_in_one_file(self):
        six_gib = self.model(models.mlp, 96)
        began = time.monotonic()
        self.fails([*six_gib, "-o", "net.onnx", "--external", "never"], "remedy: allow external data")
        self.fails([*six_gib, "-o", "-"], "export it to a file")
        self.assertLess(time.monotonic() - began, 20)

    def test_more_than_2_gib_goes_beside(self):
        """Nobody waits for 6 GiB here: the side file, which comes first, is cut off."""
        self.fails([*self.model(models.mlp, 96), "-o", "net.onnx"], "larger than the system allows", preexec_fn=limited(1 << 20))

    def test_weights_behind_4_gib(self):
        arguments = self.model(table, (9 << 30) // 4096)
        names = 8 + sum(8 + len("arg:" + n) for n in ("unused", "fc_weight"))
        weight = bytes(range(256)) * 4
        with open(self.path("large-0000.params"), "r+b") as f:
            f.seek(-names - len(weight), os.SEEK_END)
            f.write(weight)
        subprocess.run([TOOL, *arguments, "-q", "-o", "table.onnx"], cwd=self.folder, check=True)
        with open(self.path("table.onnx"), "rb") as f:
            self.assertIn(weight, f.read())

    # ---- the disk

    def test_full_disk(self):
        for side in ("never", "always:1"):
            for size in (0, 1000, 30000):
                self.fails([SYMBOL, "-o", "net.onnx", *SHAPE, "--external", side], "larger than the system allows",
                           preexec_fn=limited(size))

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_full_device(self):
        self.fails([SYMBOL, "-o", "/dev/full", *SHAPE], "no space left")

    @unittest.skipUnless(os.getuid() == 0, "only root mounts")
    def test_full_file_system(self):
        large = self.model(models.mlp, 1)
        disk = tempfile.mkdtemp()
        self.addCleanup(os.rmdir, disk)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", disk], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("mounting is not allowed")
        try:
            self.fails([*large, "-o", os.path.join(disk, "net.onnx")], "no space left")
            self.assertEqual(os.listdir(disk), [])
        finally:
            subprocess.run(["umount", disk], check=True)

    def test_closed_pipe(self):
        tool = subprocess.Popen([TOOL, *self.model(models.mlp, 1), "-o", "-"], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, restore_signals=False)  # SIGPIPE stays ignored
        self.assertEqual(len(tool.stdout.read(100)), 100)
        tool.stdout.close()
        error = tool.stderr.read().decode()
        tool.stderr.close()
        self.assertEqual(tool.wait(timeout=60), 1)
        self.assertIn("cannot be written", error)

    # ---- interruption

    def interrupted(self, number):
        """The exit status of a process that got the signal while it wrote."""
        tool = subprocess.Popen([TOOL, *self.model(models.mlp, 8), "-o", "net.onnx"], cwd=self.folder,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while tool.poll() is None:
            written = [e.stat().st_size for e in os.scandir(self.folder) if e.name.endswith(".tmp")]
            if written and written[0] > 1 << 20:
                tool.send_signal(number)
                break
        _, error = tool.communicate(timeout=60)
        return tool.returncode, error.decode()

    def test_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            status, error = self.interrupted(number)
            self.assertEqual(status, 1, error)
            self.assertIn("net.onnx is as it was", error)
            self.untouched()

    def test_killed(self):
        self.assertEqual(self.interrupted(signal.SIGKILL)[0], -signal.SIGKILL)
        left = [n for n in os.listdir(self.folder) if n.startswith(".mx2onnx-") and n.endswith(".tmp")]
        self.assertEqual(len(left), 1)
        os.unlink(self.path(left[0]))
        self.untouched()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
