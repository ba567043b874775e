"""The command line where the disk is full, the reader gone, the file too large for one message, or the user impatient: the
target is whole or as it was, nothing else is left behind, and the error says what happened.

    python3 trouble.py MX2ONNX SYMBOL STOP.so
"""
import os
import resource
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

TOOL, SYMBOL, STOP = (os.path.abspath(p) for p in sys.argv[1:4])
SHAPE = ["--input", "data=1x1x8x8"]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "bench"))

import models  # noqa: E402
import strict  # noqa: E402


def limited(size):
    """Files of the process end at `size`, as on a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def table(g, rows):
    """A fully connected layer, and an array that nothing reads: the layer's weight follows it in the parameter file."""
    g.finish(g.node("FullyConnected", "fc", [g.variable("data"), g.variable("fc_weight")], num_hidden=4, no_bias=True))
    return (1, 64), {"unused": (rows, 1024), "fc_weight": (4, 64)}

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU)  # which end the program


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
        p = subprocess.run([TOOL, *arguments], cwd=self.folder, capture_output=True, timeout=600, **more)
        self.assertEqual(p.returncode, 1, p.stderr)
        self.assertIn(word, p.stderr.decode())
        self.untouched()

    def untouched(self):
        with open(self.path("net.onnx")) as f:
            self.assertEqual(f.read(), "as it was")
        rest = set(os.listdir(self.folder)) - {"net.onnx", "large-symbol.json", "large-0000.params"}
        self.assertEqual(rest, set())

    # ---- large models, whose parameter file is all holes

    def test_more_than_2_gib_in_one_file_is_refused(self):
        six_gib = self.model(models.mlp, 96)
        self.fails([*six_gib, "-o", "net.onnx", "--external", "never"], "help: omit --external never")
        self.fails([*six_gib, "-o", "-"], "export it to a file")

    def test_more_than_2_gib_goes_into_a_side_file(self):
        """Nobody waits for 6 GiB here: the side file, which comes first, is cut off."""
        self.fails([*self.model(models.mlp, 96), "-o", "net.onnx"], "larger than the system allows", preexec_fn=limited(1 << 20))

    def test_weights_after_4_gib_are_read(self):
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

    def test_a_full_disk_is_an_error(self):
        for side in ("never", "always:1"):
            for size in (0, 1000, 30000):
                self.fails([SYMBOL, "-o", "net.onnx", *SHAPE, "--external", side], "larger than the system allows",
                           preexec_fn=limited(size))

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_full_device_is_an_error(self):
        self.fails([SYMBOL, "-o", "/dev/full", *SHAPE], "no space left")

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_output_of_the_program_is_lost(self):
        """Not only the ONNX file: what the commands print goes somewhere too."""
        for arguments in (["inspect", SYMBOL], ["inspect", SYMBOL, "--json"], ["inspect", SYMBOL, "--graph"], ["ops"], ["ops", "--json"],
                          ["--help"], ["convert", "--help"], ["--version"], [SYMBOL, *SHAPE, "--json", "-o", "net.onnx"],
                          ["--completion", "bash"], ["--manual"]):
            with open("/dev/full", "w") as full:
                p = subprocess.run([TOOL, *arguments], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, timeout=600)
            self.assertEqual(p.returncode, 1, arguments)
            self.assertIn(b"no space left", p.stderr)

    def test_a_device_has_no_side_file(self):
        os.mkfifo(self.path("pipe"))
        for target in ("/dev/null", "pipe"):
            p = subprocess.run([TOOL, SYMBOL, *SHAPE, "-o", target, "--external", "always:1"], cwd=self.folder, capture_output=True,
                               timeout=600)
            self.assertEqual(p.returncode, 1, p.stdout)
            self.assertIn(b"cannot have a side file", p.stderr)
            self.assertFalse(os.path.lexists("/dev/null.data"))
        subprocess.run([TOOL, SYMBOL, *SHAPE, "-o", "/dev/null"], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        os.unlink(self.path("pipe"))
        self.untouched()

    def test_the_size_is_what_was_written(self):
        """It was that of the file afterwards, which a device does not have, and a side file of an earlier export was named."""
        wanted = subprocess.run([TOOL, SYMBOL, *SHAPE, "-o", "file"], cwd=self.folder, check=True, capture_output=True).stdout
        os.unlink(self.path("file"))
        os.mkfifo(self.path("pipe"))
        with open(self.path("pipe.data"), "w") as f:
            f.write("of another model")
        for target in ("/dev/null", "pipe"):
            reader = subprocess.Popen(["cat", self.path(target)], stdout=subprocess.DEVNULL)
            p = subprocess.run([TOOL, SYMBOL, *SHAPE, "-o", target], cwd=self.folder, check=True, capture_output=True, timeout=600)
            reader.wait()
            self.assertEqual(p.stdout.splitlines()[0], wanted.splitlines()[0].replace(b"file", target.encode()))
        os.unlink(self.path("pipe"))
        os.unlink(self.path("pipe.data"))
        self.untouched()

    def test_the_error_names_the_file(self):
        os.mkdir(self.path("net.onnx.data"))
        for arguments, word in ((["-o", "no/such/deep.onnx"], "'no/such/deep.onnx' cannot be written: its folder does not exist"),
                                (["-o", "net.onnx", "--external", "always:1"], "'net.onnx.data' cannot be written: it is a folder\n    help: give the path of a file in it"),
                                (["-o", "net.onnx.data"], "'net.onnx.data' cannot be written: it is a folder\n    help: give the path of a file in it"),
                                (["-o", "."], "'.' cannot be written: it is a folder\n    help: give the path of a file in it"),
                                (["-o", "x" * 300], "cannot be written: the name is too long\n    help: write to another place"),
                                *([(["-o", "/proc/x.onnx"], "'/proc/x.onnx' cannot be written: its folder takes no files\n    help: choose another folder")]
                                  if os.path.isdir("/proc/self") else [])):
            p = subprocess.run([TOOL, SYMBOL, *SHAPE, *arguments], cwd=self.folder, capture_output=True, timeout=600)
            self.assertEqual(p.returncode, 1)
            self.assertIn(word, p.stderr.decode())
        os.rmdir(self.path("net.onnx.data"))
        self.untouched()

    # ---- the model's own files

    def own_copy(self):
        shutil.copy(SYMBOL, self.path("net-symbol.json"))
        shutil.copy(SYMBOL.replace("-symbol.json", "-0000.params"), self.path("net-0000.params"))

    def bytes(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def refuses(self, arguments, *files):
        """Nothing is written, and the files are what they were."""
        before = [self.bytes(n) for n in files]
        p = subprocess.run([TOOL, *arguments, *SHAPE], cwd=self.folder, capture_output=True, timeout=600)
        self.assertEqual(p.returncode, 1, p.stdout)
        self.assertIn(b"file that the model was read from", p.stderr)
        self.assertEqual([self.bytes(n) for n in files], before)

    def test_an_output_never_replaces_an_input(self):
        self.own_copy()
        source = ("net-symbol.json", "net-0000.params")
        os.symlink("net-0000.params", self.path("soft.onnx"))
        os.link(self.path("net-symbol.json"), self.path("hard.onnx"))
        os.symlink("net-0000.params", self.path("side.onnx.data"))
        os.mkdir(self.path("sub"))
        for name in (*source, "soft.onnx", "hard.onnx", "./sub/../net-0000.params", os.path.join(self.folder, "net-symbol.json")):
            self.refuses(["net-symbol.json", "-o", name], *source)
            self.refuses(["net-symbol.json", "net-0000.params", "-o", name], *source)
            self.refuses(["net", "-o", name], *source)
        self.refuses(["net-symbol.json", "-o", "side.onnx", "--external", "always:1"], *source)
        self.assertFalse(os.path.exists(self.path("side.onnx")))

    def test_an_output_never_replaces_an_archive(self):
        self.own_copy()
        with zipfile.ZipFile(self.path("net.zip"), "w") as z, tarfile.open(self.path("net.tar.gz"), "w:gz") as t:
            for name in ("net-symbol.json", "net-0000.params"):
                z.write(self.path(name), name)
                t.add(self.path(name), name)
        self.refuses(["net.zip", "-o", "net.zip"], "net.zip")
        probe = subprocess.run([TOOL, "inspect", "net.tar.gz"], cwd=self.folder, capture_output=True)
        if probe.returncode == 0:  # built with libarchive
            self.refuses(["net.tar.gz", "-o", "net.tar.gz"], "net.tar.gz")

    def test_model_and_side_file_are_two(self):
        with open(self.path("two.onnx.data"), "w") as f:
            f.write("x")
        os.symlink("two.onnx.data", self.path("two.onnx"))
        p = subprocess.run([TOOL, SYMBOL, *SHAPE, "-o", "two.onnx", "--external", "always:1"], cwd=self.folder, capture_output=True)
        self.assertEqual(p.returncode, 1)
        self.assertIn(b"are the same file", p.stderr)

    def test_a_backslash_in_the_name_of_a_side_file_is_refused(self):
        """A letter on this system and a separator on another, where the model would name a file in a folder."""
        self.fails([SYMBOL, *SHAPE, "-q", "-o", "b\\c.onnx", "--external", "always:1"], "not a valid name for a side file")
        subprocess.run([TOOL, SYMBOL, *SHAPE, "-q", "-o", "b\\c.onnx"], cwd=self.folder, check=True)
        self.assertTrue(os.path.exists(self.path("b\\c.onnx")))

    @unittest.skipUnless(os.getuid() == 0, "only root mounts")
    def test_a_full_file_system_is_an_error(self):
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

    def test_a_closed_pipe_is_an_error(self):
        tool = subprocess.Popen([TOOL, *self.model(models.mlp, 1), "-o", "-"], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, restore_signals=False)  # SIGPIPE stays ignored
        self.assertEqual(len(tool.stdout.read(100)), 100)
        tool.stdout.close()
        error = tool.stderr.read().decode()
        tool.stderr.close()
        self.assertEqual(tool.wait(timeout=600), 1)
        self.assertIn("cannot be written", error)

    # ---- interruption

    def stopped(self, moment, *arguments):
        """A process that stopped itself at that moment (tests/support/stop.c)."""
        environment = dict(os.environ, LD_PRELOAD=STOP, STOP_AT=moment)
        environment["ASAN_OPTIONS"] = ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "verify_asan_link_order=0"]))
        tool = subprocess.Popen([TOOL, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
        self.addCleanup(tool.kill)
        _, status = os.waitpid(tool.pid, os.WUNTRACED)
        self.assertTrue(os.WIFSTOPPED(status), status)
        return tool

    def goes_on(self, tool, number):
        """The exit status of a stopped process that finds the signal, and what it says."""
        tool.send_signal(number)
        tool.send_signal(signal.SIGCONT)
        _, error = tool.communicate(timeout=600)
        return tool.returncode, error.decode()

    def interrupted(self, number):
        """The same of one that is in the middle of its writing."""
        tool = self.stopped("writev 9", *self.model(models.mlp, 1), "-o", "net.onnx")
        self.assertEqual([os.stat(self.path(n)).st_size > 0 for n in os.listdir(self.folder) if n.endswith(".tmp")], [True])
        return self.goes_on(tool, number)

    def test_an_interrupted_process_tidies_up_and_dies_of_the_signal(self):
        """The process dies of the signal, as a shell wants to know it, once it has tidied up."""
        for number in SIGNALS:
            status, error = self.interrupted(number)
            self.assertEqual(status, -number, error)
            self.assertIn("net.onnx is as it was", error)
            self.untouched()

    def test_long_work_is_interrupted_before_the_first_byte(self):
        """Long work before the first byte is stopped, too."""
        tool = self.stopped("sigaction %d" % signal.SIGTERM, *self.model(models.chain, 200000), "-o", "net.onnx")
        self.assertEqual(self.goes_on(tool, signal.SIGTERM)[0], -signal.SIGTERM)
        self.untouched()

    def test_nohup_goes_on(self):
        """A signal that was ignored stays ignored."""
        tool = subprocess.run(["sh", "-c", "trap '' HUP; \"$@\" & kill -HUP $!; wait $!", "sh", TOOL, SYMBOL, *SHAPE, "-o", "net.onnx"],
                              cwd=self.folder, capture_output=True, timeout=600)
        self.assertEqual(tool.returncode, 0, tool.stderr)

    def test_an_export_is_interrupted_while_a_pipe_waits(self):
        """Nobody reads the FIFO, so the program waits for ever; the first signal ends it."""
        os.mkfifo(self.path("pipe"))
        tool = self.stopped("open pipe", SYMBOL, *SHAPE, "-o", "pipe")
        self.assertEqual(self.goes_on(tool, signal.SIGINT)[0], -signal.SIGINT)
        os.unlink(self.path("pipe"))
        self.untouched()

    def test_a_killed_process_leaves_one_temporary_file(self):
        self.assertEqual(self.interrupted(signal.SIGKILL)[0], -signal.SIGKILL)
        left = [n for n in os.listdir(self.folder) if n.startswith(".mx2onnx-") and n.endswith(".tmp")]
        self.assertEqual(len(left), 1)
        os.unlink(self.path(left[0]))
        self.untouched()


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # SIGQUIT and SIGXCPU would leave a core
    # A run in the background may ignore them (nohup, a shell's &), and so would the programs that it starts.
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    strict.main()
