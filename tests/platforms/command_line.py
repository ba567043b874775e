# SPDX-License-Identifier: Apache-2.0
"""The program on a platform: names that no code page has, errors, and an export that is interrupted."""
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, os.pardir, os.pardir))
DIGITS = os.path.join(ROOT, "examples", "digits", "digits")
sys.path.insert(0, os.path.join(ROOT, "tests", "bench"))

import models  # noqa: E402

FOLDER, NAME = "Größe 模型", "цифры"


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


class CommandLine(unittest.TestCase):
    tool, env, wanted = [], None, ""  # the program, its environment, what the digits become with any batch size

    def setUp(self):
        self.top = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.top)
        self.folder = os.path.join(self.top, FOLDER)
        os.mkdir(self.folder)

    def run_tool(self, *arguments, status=0):
        p = subprocess.run([*self.tool, *arguments], cwd=self.top, env=self.env, capture_output=True, stdin=subprocess.DEVNULL, timeout=300)
        out, err = p.stdout.decode().replace("\r\n", "\n"), p.stderr.decode().replace("\r\n", "\n")
        self.assertEqual(p.returncode, status, out + err)
        return out, err

    def test_help_and_version_are_printed(self):
        self.assertIn("mx2onnx inspect", self.run_tool("--help")[0])
        self.assertRegex(self.run_tool("--version")[0], r"^mx2onnx \d+\.\d+\.\d+\n$")
        self.assertEqual(self.run_tool("--input", status=2)[0], "")

    def test_names_may_have_all_alphabets(self):
        for end in ("-symbol.json", "-0000.params"):
            shutil.copy(DIGITS + end, os.path.join(self.folder, NAME + end))
        out = FOLDER + "/" + NAME + ".onnx"
        self.run_tool(FOLDER + "/" + NAME + "-symbol.json", "--dynamic", "data=batch,1,8,8", "-o", out)
        self.assertEqual(digest(os.path.join(self.top, out)), self.wanted)
        self.assertEqual(sorted(os.listdir(self.folder)), [NAME + end for end in ("-0000.params", "-symbol.json", ".onnx")])
        self.assertIn("parameters: 14 arrays", self.run_tool("inspect", FOLDER)[0])  # the folder as a model

    def test_a_missing_file_is_named(self):
        _, err = self.run_tool(FOLDER + "/" + NAME + "-symbol.json", "-o", FOLDER + "/" + NAME + ".onnx", status=1)
        self.assertIn("'%s/%s-symbol.json' does not exist\n" % (FOLDER, NAME), err)
        self.assertEqual(os.listdir(self.folder), [])

    def test_an_interrupted_export_keeps_the_target(self):
        """Ctrl-C while half a GiB of weights is written, transposed, which takes its time: the target stays, and nothing else does.
        What was done before it came was too fast, and the next one has twice as much to write."""
        signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored, and a program would see that
        target, large = os.path.join(self.folder, "net.onnx"), os.path.join(self.top, "large")
        for layers in (8, 16, 32, 64):
            symbol, params, shape = models.write(lambda g, n: models.mlp(g, n, flatten=False), layers, large, False)
            with open(target, "w") as f:
                f.write("as it was")
            tool = subprocess.Popen([*self.tool, symbol, params, "--input", "x".join(map(str, shape)), "-o", "net.onnx"], cwd=self.folder,
                                    env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            while tool.poll() is None and os.listdir(self.folder) == ["net.onnx"]:
                time.sleep(0.001)
            tool.send_signal(signal.SIGINT)
            err = tool.communicate(timeout=300)[1].decode()
            if tool.returncode != 0:
                break
        self.assertNotEqual(tool.returncode, 0, "every export was done before the signal came")
        self.assertIn("net.onnx is as it was", err)
        with open(target) as f:
            self.assertEqual(f.read(), "as it was")
        self.assertEqual(os.listdir(self.folder), ["net.onnx"])


def run(tool, env, wanted, log):
    """(tests that passed, tests that ran)."""
    CommandLine.tool, CommandLine.env, CommandLine.wanted = tool, env, wanted
    result = unittest.TextTestRunner(stream=log).run(unittest.defaultTestLoader.loadTestsFromTestCase(CommandLine))
    return result.testsRun - len(result.failures) - len(result.errors), result.testsRun
