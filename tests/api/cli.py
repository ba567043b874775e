"""The command line as a user meets it: what it prints, where, and the exit status.

    python3 cli.py MX2ONNX SYMBOL
"""
import fcntl
import io
import json
import math
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import termios
import unittest
import zipfile

import strict

TOOL, SYMBOL = (os.path.abspath(p) for p in sys.argv[1:3])
ZIP = "nozip" not in sys.argv[3:]  # are zip archives read?
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

    def test_help_fits_a_terminal(self):
        for arguments in (["--help"], *([c, "--help"] for c in self.COMMANDS)):
            lines = self.run_tool(*arguments)[0].splitlines()
            self.assertGreater(len(lines), 15)
            self.assertEqual([line for line in lines if len(line) > 80], [], arguments)

    def test_recorder_is_a_script_that_states_its_use(self):
        """tests/oracle/record_internals.py runs it with MXNet."""
        script, _ = self.run_tool("verify", "--recorder")
        before, _, _ = script.partition("import mxnet")  # MXNet's own fusion is wrong for some nets
        self.assertIn('os.environ["MXNET_SUBGRAPH_BACKEND"] = "NONE"\n', before)
        done = subprocess.run([sys.executable, "-"], input=script, stderr=subprocess.PIPE, universal_newlines=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("python record.py net-symbol.json net-0000.params data=picture.npy\n", done.stderr)
        for words, said in (((SYMBOL, PARAMS, "nofile"), "an input is given as NAME=FILE.npy, such as data=picture.npy\n"),
                            ((SYMBOL, PARAMS, "data=nofile"), "'nofile' is not a file\n"),
                            ((SYMBOL, "nofile", "data=" + PARAMS), "'nofile' is not a file\n")):
            done = subprocess.run([sys.executable, "-", *words], input=script, stderr=subprocess.PIPE, universal_newlines=True)
            self.assertEqual((done.returncode, done.stderr), (1, said))

    def test_a_program_without_arguments_shows_its_use(self):
        out, err = self.run_tool(status=2)
        self.assertEqual(out, "")
        self.assertIn("mx2onnx inspect", err)

    def test_version_is_the_librarys(self):
        for given in ("--version", "-V", "version"):
            out, _ = self.run_tool(given)
            self.assertRegex(out, r"^mx2onnx \d+\.\d+\.\d+\n$")

    COMMANDS = ("convert", "many", "inspect", "ops", "verify", "check", "nets")

    def options_of(self, command):
        return set(re.findall(r"(?m)^  (?:-\w, )?--([\w-]+)", self.run_tool(command, "--help")[0]))

    def test_documents_say_what_help_says(self):
        """The manual page and every completion have every option of the table."""
        options = set().union(*map(self.options_of, self.COMMANDS))
        self.assertGreater(len(options), 20)
        manual, _ = self.run_tool("--manual")
        self.assertEqual(set(re.findall(r"\\fB\\-\\-([\w\\-]+)\\fR", manual)), {o.replace("-", "\\-") for o in options})
        for shell, form in (("bash", "--%s"), ("zsh", "--%s"), ("fish", "-l %s")):
            text, _ = self.run_tool("--completion", shell)
            self.assertEqual([o for o in options if form % o not in text], [], shell)
        self.assertIn("'--completion csh' is not a shell that is known\n    help: use bash, zsh or fish", self.run_tool("--completion", "csh", status=2)[1])
        self.run_tool("--completion", status=2)

    def test_completions_are_the_options_of_each_command(self):
        """Exactly the options of its help, in bash and zsh; fish has a row for each option."""
        bash, zsh, fish = (self.run_tool("--completion", shell)[0] for shell in ("bash", "zsh", "fish"))
        blocks = dict(re.findall(r"(?ms)^    (\w+)\)\n        _arguments -s (.*?) ;;$", zsh))
        words = dict(re.findall(r'(?m)^    (\w+)\) words="(.*)" ;;$', bash))
        self.assertEqual((set(words), set(blocks)), (set(self.COMMANDS),) * 2)
        self.assertEqual(set(re.findall(r"-n __fish_use_subcommand -a (\w+)", fish)), set(self.COMMANDS))
        for command in self.COMMANDS:
            options = self.options_of(command)
            self.assertIn("help", options)
            self.assertEqual(set(re.findall(r"--([\w-]+)", words[command])), options)
            self.assertEqual(set(re.findall(r"(?m)^ +'\*--([\w-]+?)=?-?\[", blocks[command])), options)
            for option in options:
                rows = re.findall(r"(?m)^complete -c mx2onnx -n '(not )?__fish_seen_subcommand_from([^']*)'.* -l %s " % option, fish)
                self.assertTrue(any((command in names.split()) != bool(no) for no, names in rows), (command, option))

    def test_exit_statuses_are_the_same_in_each_text(self):
        """The overview and the manual page have one table, the help of a command its part of it; every command keeps it."""
        def table(*arguments):
            text = self.run_tool(*arguments)[0].split("Exit status:\n")[1]
            return {n: " ".join(said.split()) for n, said in re.findall(r"(?ms)^  (\d)  (.*?)(?=^  \d|\Z)", text)}
        rows = table("--help")
        self.assertEqual(sorted(rows), ["0", "1", "2"])
        manual = self.run_tool("--manual")[0].split(".SH EXIT STATUS\n")[1].split(".SH")[0]
        self.assertEqual({n: " ".join(text.split()) for n, text in re.findall(r"\.TP\n\\fB(\d)\\fR\n(.*)\n", manual)}, rows)
        for command in self.COMMANDS:
            own = {}
            for status, said in rows.items():
                general, *parts = said.split("; ")
                for names, text in (part.split(": ") for part in parts):
                    general += ": " + text if command in names.split(", ") else ""
                own[status] = general
            self.assertEqual(table(command, "--help"), own)
        self.assertEqual(table("verify", "--help")["0"], "success: all outputs agree")
        self.run_tool(SYMBOL, *SHAPE, "-q", "-o", "net.onnx")
        for good, failing, wrong in (
            ([SYMBOL, *SHAPE], ["no-symbol.json"], [SYMBOL, "--seed", "x"]),
            (["inspect", SYMBOL], ["inspect", "no-symbol.json"], ["inspect"]),
            (["ops", "Pooling"], ["ops", "Nothing"], ["ops", "--no"]),
            (["check", "net.onnx"], ["check", "no.onnx"], ["check"]),
            (["many", os.path.dirname(SYMBOL), "-o", "out"], ["many", "no", "-o", "out"], ["many", os.path.dirname(SYMBOL)]),
            (["nets", "resnet"] if ZIP else ["nets", "--help"], ["nets", "nosuch"], ["nets", "a", "b"]),
            (["verify", "--help"], ["verify", "net.onnx", "--data", "no.npz"], ["verify", "net.onnx"]),
            (["verify", "--help"], ["verify", "no.onnx", "--data", PARAMS], ["verify", "net.onnx", "--data", PARAMS, "--tolerance", "-1"]),
        ):
            self.run_tool(*good)
            _, err = self.run_tool(*failing, status=1)
            self.assertIn("mx2onnx: error: ", err)
            _, err = self.run_tool(*wrong, status=2)
            self.assertRegex(err, r"^mx2onnx: error: .*\n    help: .*\n\Z")

    @unittest.skipUnless(shutil.which("bash"), "no bash")
    def test_bash_completes_options_files_and_words(self):
        script, _ = self.run_tool("--completion", "bash")
        path = dict(os.environ, PATH=os.path.dirname(TOOL) + os.pathsep + os.environ["PATH"])
        for name in ("net-symbol.json", "net-0000.params"):
            open(self.path(name), "w").close()
        for line, found in ((["mx2onnx", "--inp"], ["--input"]), (["mx2onnx", "net-s"], ["net-symbol.json"]), (["mx2onnx", "ins"], ["inspect"]),
                            (["mx2onnx", "a", "--external", "al"], ["always"]), (["mx2onnx", "inspect", "--gr"], ["--graph"]),
                            (["mx2onnx", "ops", "--mark"], ["--markdown"]), (["mx2onnx", "--float"], ["--float16="]),
                            (["mx2onnx", "ops", "BatchNormA"], ["BatchNormAddRelu"]), (["mx2onnx", "ops", "5"], [])):
            p = subprocess.run(["bash", "-c", script + "\ncompopt() { :; }\nCOMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1))\n_mx2onnx\n"
                                "printf '%s\\n' \"${COMPREPLY[@]}\"", "bash", *line], cwd=self.folder, capture_output=True, text=True, env=path)
            self.assertEqual((p.stdout.split(), p.stderr), (found, ""), line)

    @unittest.skipUnless(shutil.which("man") or shutil.which("groff"), "no man")
    def test_manual_is_well_formed(self):
        manual, _ = self.run_tool("--manual")
        with open(self.path("mx2onnx.1"), "w") as f:
            f.write(manual)
        groff = ["groff", "-man", "-ww", "-Tutf8", "mx2onnx.1"] if shutil.which("groff") else ["man", "--warnings", "-l", "mx2onnx.1"]
        p = subprocess.run(groff, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        text = re.sub(".\x08|\x1b\\[[0-9;]*m", "", p.stdout)
        for wanted in ("--keep-batch-norm", "BUGS", "/issues", "SEE ALSO"):
            self.assertIn(wanted, text)

    def shape_of(self, *arguments):
        """The shape that the report gives the input."""
        out, _ = self.run_tool(SYMBOL, "-o", "net.onnx", *arguments)
        return re.search(r"data +float32 +(\(.*\))", out).group(1)

    def test_unknown_dims_are_open(self):
        """-1, None, ? and MXNet's 0 are open, each for itself; one name -1 for all of them made a file that no runtime takes."""
        for dims in ("-1,1,8,8", "None,1,8,8", "?,1,8,8", "0,1,8,8", "*,1,8,8", "-,1,8,8", "any,1,8,8"):
            self.assertEqual(self.shape_of("--dynamic", dims), "(batch, 1, 8, 8)", dims)
        for dims in ("0x1x8x8", "?x1x8x8"):
            self.assertEqual(self.shape_of("--input", dims), "(batch, 1, 8, 8)", dims)
        self.assertEqual(self.shape_of("--dynamic", "data=-1,1,None,?"), "(batch, 1, data_dim2, data_dim3)")

    def test_limits_are_for_files_that_are_not_trusted(self):
        ranges = [{"op": "_arange", "name": "r%d" % i, "attrs": {"start": str(i), "stop": str(i + 4096), "dtype": "float64"}, "inputs": []}
                  for i in range(3000)]  # of 32 KiB each
        joined = {"op": "Concat", "name": "y", "attrs": {"num_args": "3000", "dim": "0"}, "inputs": [[i, 0, 0] for i in range(3000)]}
        with open(os.path.join(self.folder, "ranges-symbol.json"), "w") as f:
            json.dump({"nodes": [*ranges, joined], "arg_nodes": [], "heads": [[3000, 0, 0]]}, f)
        self.assertRegex(self.run_tool("ranges-symbol.json", status=1)[1],
                         r"the model takes more bytes of memory than its size allows \(\d{8}\)\n    help: if it can be trusted, give --no-limits\n")
        self.assertIn("output  y  float64   (12288000,)\n", self.run_tool("ranges-symbol.json", "--no-limits")[0])

    def test_dims_may_have_blanks_and_parentheses(self):
        for dims in ("1, 1, 8, 8", " 1,1 ,8,8 ", "(1, 1, 8, 8)", "[1,1,8,8]"):
            self.assertEqual(self.shape_of("--input", "data=" + dims), "(1, 1, 8, 8)", dims)
        self.assertEqual(self.shape_of("--dynamic", "data= batch , 1, 8, 8"), "(batch, 1, 8, 8)")

    def test_python_has_a_word_for_an_open_dim(self):
        for dims in ("Nonex1x8x8", "None,1,8,8"):
            self.assertEqual(self.shape_of("--input", dims), "(batch, 1, 8, 8)", dims)
        self.assertEqual(self.shape_of("--input", "data=1x1xNonex8"), "(1, 1, data_dim2, 8)")

    def test_dims_without_a_meaning_are_refused(self):
        _, err = self.run_tool(SYMBOL, "--dynamic", "b,1,b,8", status=1)
        self.assertIn("axes 0 and 2 have the same name 'b'", err)
        _, err = self.run_tool(SYMBOL, "--input", "batchx1x8x8", status=2)
        self.assertIn("batch,3,224,224", err)
        for dims, word in (("data=1x1xSIZExSIZE", "SIZE"), ("1xLENGTH", "LENGTH"), ("data=?x1xHEIGHTx8", "HEIGHT"),  # advice as it is printed
                           ("1.5x1x8x8", "1.5"), ("data=1,1.5,8,8", "1.5"), ("(1, 1, 8, 8a)", "8a")):
            _, err = self.run_tool(SYMBOL, "--input", dims, status=2)
            self.assertIn("'%s': '%s' is not a size\n    help: use a number in its place, or ? for any size" % (dims, word), err)
        _, err = self.run_tool(SYMBOL, "--input", "data = 1x1x8x8", status=2)
        self.assertIn("'data = 1x1x8x8' has a blank before =\n    help: omit it", err)
        self.assertEqual(self.shape_of("--input", "data= 1x1x8x8"), "(1, 1, 8, 8)")
        for dims in ("1x1x-2x8", "data=1,1,-2,8", "(1, 1, -2, 8)"):
            _, err = self.run_tool(SYMBOL, "--input", dims, status=2)
            self.assertIn("'%s': '-2' is not a size" % dims, err)
        _, err = self.run_tool(SYMBOL, "--input", "1x8x8", status=1)
        self.assertIn("add the batch dimension with --input data=1x1x8x8", err)
        _, err = self.run_tool(SYMBOL, "--dynamic", "batch,1,8", "-o", "x.onnx", status=1)  # "1xbatchx1x8" was advised
        self.assertIn("'data' has shape (batch, 1, 8), but must have 4 dimensions\n    help: set the shape that the model was trained with", err)
        with open(SYMBOL) as f:
            graph = json.load(f)
        graph = {"nodes": [graph["nodes"][0], {"op": "_minus_scalar", "name": "less", "attrs": {"scalar": "127.5"}, "inputs": [[0, 0, 0]]},
                           {"op": "Pooling", "name": "pool", "attrs": {"kernel": "(2, 2)"}, "inputs": [[1, 0, 0]]}],
                 "arg_nodes": [0], "heads": [[2, 0, 0]]}
        with open(self.path("net-symbol.json"), "w") as f:
            json.dump(graph, f)
        _, err = self.run_tool("net-symbol.json", "--input", "3x8x8", status=1)  # the input is normalised first
        self.assertIn("add the batch dimension with --input %s=1x3x8x8" % graph["nodes"][0]["name"], err)

    def test_the_prefix_of_wolframs_files_is_a_model(self):
        for name, source in (("net.json", SYMBOL), ("net.params", PARAMS)):
            shutil.copy(source, self.path(name))
        self.run_tool("net", *SHAPE, "-o", "a.onnx")
        self.run_tool(SYMBOL, *SHAPE, "-o", "b.onnx")
        self.assertEqual(self.read("a.onnx"), self.read("b.onnx"))

    def test_a_parameter_file_brings_its_symbol(self):
        """It was compared with published nets alone."""
        for name, source in (("net-symbol.json", SYMBOL), ("net-0012.params", PARAMS)):
            shutil.copy(source, self.path(name))
        out, _ = self.run_tool("net-0012.params", *SHAPE, "-o", "a.onnx")
        self.assertIn("note: 'net-0012.params': these are the parameters of 'net-symbol.json', which was read, too\n", out)
        self.run_tool(SYMBOL, *SHAPE, "-o", "b.onnx")
        self.assertEqual(self.read("a.onnx"), self.read("b.onnx"))
        self.assertIn("net-symbol.json", self.run_tool("inspect", "net-0012.params")[0])
        _, err = self.run_tool("net.json", status=1)
        self.assertIn("'net.json' does not exist\n    help: did you mean 'net-symbol.json'?", err)
        _, err = self.run_tool("m.onnx", status=1)
        self.assertIn("'m.onnx' does not exist, and neither does 'm.onnx-symbol.json'\n", err)

    def test_options_without_effect_are_reported(self):
        _, err = self.run_tool(SYMBOL, "--input", "fc1_weight=64x100", *SHAPE, status=1)
        self.assertIn("'fc1_weight' is a parameter of another shape", err)
        _, err = self.run_tool(SYMBOL, *SHAPE, "--classes", "3", status=2)
        self.assertIn("--classes is for parameters without a symbol", err)
        for option in ("--published", "--catalogue") if ZIP else ():
            value = "shapes" if option == "--published" else os.path.join(os.path.dirname(SYMBOL), "..", "..", "bindings", "cases", "nets.zip")
            _, err = self.run_tool("inspect", SYMBOL, option, value, status=2)
            self.assertIn("%s is for parameters without a symbol file, but this model has one\n    help: omit it" % option, err)
        out, err = self.run_tool(SYMBOL, *SHAPE, "--prefix", "zzz")
        self.assertIn("the prefix 'zzz' has no effect", out + err)
        out, _ = self.run_tool(SYMBOL, "--input", "data=:float64", "--dynamic", "data=batch,1,8,8")  # a type and a shape
        self.assertIn("float64   (batch, 1, 8, 8)", out)

    def test_a_name_without_effect_is_reported(self):
        """A node that is not an output has no name in the file; as an output it has."""
        _, err = self.run_tool(SYMBOL, *SHAPE, "--rename", "fc1=x", "--rename", "fc2_weight=w")
        self.assertIn("warning: 'fc1' is not an input, output or parameter of the ONNX model, so the name 'x' has no effect", err)
        self.assertIn("choose it with --output", err)
        self.assertNotIn("fc2_weight", err)
        out, err = self.run_tool(SYMBOL, *SHAPE, "--output", "fc1", "--rename", "fc1=x", "--rename", "fc2_weight=w")
        self.assertIn("output  x ", out)
        self.assertNotIn("'fc1'", err)
        self.assertIn("warning: 'fc2_weight' is not", err)

    def test_options_may_not_replace_each_other(self):
        """Of two values for one thing, only the last had an effect."""
        for one, two, name in ((SHAPE, SHAPE, "'data'"), (["--input", "1x1x8x8"], ["--input", "data=2x1x8x8"], "'data'"),
                               (["--dynamic", "data=b,1,8,8"], ["--dynamic", "n,1,8,8"], "'data'"), (["--mean", "data=1"], ["--mean", "data=2"], "'data'"),
                               (SHAPE, ["--dynamic", "b,1,8,8"], "'data'"), (["--dynamic", "b,1,8,8"], ["--input", "1x1x8x8"], "the model's only input"),
                               (["--mean", "1"], ["--mean", "data=2"], "'data'"),
                               (["--scale", "1"], ["--scale", "1"], "the model's only input"),
                               (["--rename", "fc1=a"], ["--rename", "fc1=b"], "'fc1'"),
                               (["--rename", "data=p", "--mean", "p=1"], ["--mean", "data=1"], "'data'"),
                               (["--set", "data=1"], ["--set", "data=2"], "'data'"),
                               (["--output", "fc1"], ["--output", "fc1"], "'fc1'"), (["--custom", "a.py"], ["--custom", "a.py"], "'a.py'"),
                               (["--float16", "--keep-float32", "fc1"], ["--keep-float32", "fc1"], "'fc1'"),
                               (["--float16", "--keep-float32", "fc1"], ["--force-float16", "fc1"], "'fc1'")):
            _, err = self.run_tool("inspect", SYMBOL, *one, *two, status=2)
            self.assertIn("'%s' and '%s' are both for %s\n    help: omit one of them" % (" ".join(one[-2:]), " ".join(two), name), err)
        _, err = self.run_tool("inspect", SYMBOL, "--channels-last", "--channels-last=data", status=2)
        self.assertIn("'--channels-last' and '--channels-last=data' are both for 'data'\n", err)
        for option in ("--channels-last", "--reverse-channels"):  # "data" was a file that cannot be read
            _, err = self.run_tool(SYMBOL, option, "data", *SHAPE, status=2)
            self.assertIn("'data' is taken for a file\n    help: did you mean %s=data?" % option, err)
        self.run_tool("inspect", SYMBOL, *SHAPE, "--float16", "--keep-float32", "fc1", "--force-float16", "fc2", "--rename", "fc1=a",
                      "--rename", "fc2=b")
        single = {"-o": "a.onnx", "--opset": "17", "--prefix": "a_", "--net": "a", "--classes": "2", "--crop": "2", "--segments": "2",
                  "--catalogue": "a", "--external": "auto", "--for": "ncnn", "--seed": "1"}
        for option, value in single.items():
            _, err = self.run_tool(SYMBOL, option, value, option, "x", status=2)
            self.assertIn("'%s %s' and '%s x' are the same option\n    help: omit one of them" % (option, value, option), err)
        for option in ("--float16", "--keep-unknown"):
            _, err = self.run_tool(SYMBOL, option, option + "=inside", status=2)
            self.assertIn("'%s' and '%s=inside' are the same option" % (option, option), err)
        for option in ("--data", "--tolerance", "--runtime"):
            _, err = self.run_tool("verify", "a.onnx", option, "0.1", option, "0.2", status=2)
            self.assertIn("'%s 0.1' and '%s 0.2' are the same option" % (option, option), err)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_constant_that_its_input_cannot_have(self):
        """It became another value, or replaced an input that was to be preprocessed."""
        for value, words in (("1e60", "the input is float32, which does not have this value"), ("1e-60", "float32, which does not have"),
                             ("abc", "does not have a name and a number"), ("1e400", "does not have a name and a number")):
            _, err = self.run_tool(SYMBOL, *SHAPE, "--set", "data=" + value, status=2)
            self.assertIn("'--set data=%s'" % value, err)
            self.assertIn(words, err)
        nodes = [{"op": "null", "name": "data", "inputs": []}, {"op": "null", "name": "b", "inputs": []},
                 {"op": "elemwise_add", "name": "sum", "inputs": [[0, 0, 0], [1, 0, 0]]}]
        with open(self.path("sum-symbol.json"), "w") as f:
            json.dump({"nodes": nodes, "arg_nodes": [0, 1], "heads": [[2, 0, 0]]}, f)
        for value in ("nan", "1.5", "3e9", "-inf"):
            _, err = self.run_tool("sum-symbol.json", "--input", "data=4:int32", "--input", "b=4:int32", "--set", "data=" + value, status=2)
            self.assertIn("'--set data=%s': the input is int32, which does not have this value\n    help: use a number of this type" % value, err)
        for option in (["--mean", "3"], ["--scale", "data=3"], ["--channels-last"], ["--reverse-channels"]):
            _, err = self.run_tool(SYMBOL, *SHAPE, "--set", "data=1", *option, status=2)
            self.assertIn("'--set data' and '%s' are both for 'data', and a constant is not preprocessed" % option[0], err)
        self.assertEqual(os.listdir(self.folder), ["sum-symbol.json"])
        for value in ("1", "-inf", "0"):
            self.run_tool(SYMBOL, *SHAPE, "--set", "data=" + value)

    def test_useless_numbers_of_a_normalisation_are_refused(self):
        for options, status, words in (
            (["--mean", "inf"], 2, "'--mean inf' has a value that is infinite or not a number\n    help: use finite numbers"),
            (["--scale", "data=nan"], 2, "'--scale data=nan' has a value that is infinite"),
            (["--scale", "0"], 1, "'data' has a scale of 0, by which every value becomes 0"),
            (["--scale", "1e-60"], 1, "'data' has 1e-60 as its scale, which is 0 in float32, the type of the input"),
            (["--mean", "1e60"], 1, "'data' has 1e+60 as its mean, which is infinite in float32, the type of the input"),
        ):
            _, err = self.run_tool(SYMBOL, *SHAPE, *options, status=status)
            self.assertIn(words, err)
        _, err = self.run_tool(SYMBOL, "--input", "1x1x8x8:float16", "--mean", "70000", status=1)
        self.assertIn("'data' has 70000 as its mean, which is infinite in float16, the type of the input\n    help: use another value, or float32", err)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_missing_option_is_named_by_the_one_that_needs_it(self):
        for option, needed in ((["--keep-float32", "fc1"], "--float16"), (["--force-float16", "fc1"], "--float16"), (["--full-checksum"], "--external")):
            _, err = self.run_tool(SYMBOL, *SHAPE, *option, status=2)
            self.assertIn("'%s' needs '%s': " % (" ".join(option), needed), err)
            self.assertEqual(os.listdir(self.folder), [])
        self.run_tool(SYMBOL, *SHAPE, "--full-checksum", "--external", "always:1")
        _, err = self.run_tool("inspect", SYMBOL, "--keep-float32", "fc1", status=2)
        self.assertIn("needs '--float16'", err)

    def test_contradictory_options_are_refused(self):
        """In either order, and nothing is written."""
        shows = ("--graph", "--passes", "--symbol", "--json")
        pairs = [("inspect", [a], [b]) for i, a in enumerate(shows) for b in shows[i + 1:] if b != "--json" or a == "--passes"]
        pairs += [("inspect", ["-v"], [a]) for a in shows]
        pairs += [("convert", a.split(), b.split()) for a, b in (
            ("-q", "-v"), ("--published normalization", "--mean 1"), ("--published normalization", "--scale 1"),
            ("--full-checksum", "--external never"), ("--external always:1", "-o -"), ("--external in-place", "-o -"), ("--external link", "-o -"),
            ("--fsync", "-o -"), ("--keep-batch-norm", "--initializers-as-inputs"), ("--fold-input-scale", "--keep-batch-norm"),
            ("--fold-input-scale", "--initializers-as-inputs"))]
        for command, one, two in pairs:
            for given in (one + two, two + one):
                out, err = self.run_tool(command, SYMBOL, *SHAPE, *given, status=2)
                self.assertIn("'%s' and '%s' exclude each other: " % (" ".join(one), " ".join(two)), err)
                self.assertEqual((out, os.listdir(self.folder)), ("", []))
        _, err = self.run_tool(SYMBOL, "--full-checksum", "--external", "auto", "-o", "-", status=2)
        self.assertIn("'--full-checksum' and '-o -' exclude each other", err)
        _, err = self.run_tool("ops", "--json", "--markdown", status=2)
        self.assertIn("'--json' and '--markdown' exclude each other", err)
        self.run_tool(SYMBOL, *SHAPE, "--external", "auto", "-o", "-", binary=True)
        self.run_tool(SYMBOL, *SHAPE, "--json", "-v")
        self.run_tool("inspect", SYMBOL, "-v", "-v")

    def test_an_input_can_become_a_constant(self):
        """--set: the states of a recurrent net."""
        nodes = [{"op": "null", "name": n, "inputs": []} for n in ("data", "state")]
        nodes.append({"op": "broadcast_add", "name": "sum", "inputs": [[0, 0, 0], [1, 0, 0]]})
        with open(self.path("rnn-symbol.json"), "w", encoding="utf-8") as f:
            json.dump({"nodes": nodes, "arg_nodes": [0, 1], "heads": [[2, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}, f)
        shapes = ["--input", "data=2x3", "--input", "state=1x3"]
        out, _ = self.run_tool("rnn-symbol.json", *shapes, "--set", "state=0.5")
        self.assertEqual(re.findall(r"^  input +(\S+)", out, re.M), ["data"])
        out, _ = self.run_tool("inspect", "--graph", "rnn-symbol.json", *shapes, "--set", "state=0.5")
        self.assertIn("init state : float32 (1, 3)", out)
        self.assertIn(struct.pack("<3f", 0.5, 0.5, 0.5), self.read("rnn.onnx"))
        _, err = self.run_tool("rnn-symbol.json", *shapes, "--set", "stat=1", status=1)
        self.assertIn("no input of this name", err)
        _, err = self.run_tool("rnn-symbol.json", *shapes, "--set", "state", status=2)
        self.assertIn("NAME=NUMBER", err)
        _, err = self.run_tool("rnn-symbol.json", "--input", "data=2x3", "--dynamic", "state=n,3", "--set", "state=1", status=2)
        self.assertIn("size 'n' of this input is known at run time only\n    help: set a number for 'n' with --input NAME=DIMS at all inputs", err)
        nodes[2]["op"] = "elemwise_add"  # the shape of the state follows from the data's
        with open(self.path("rnn-symbol.json"), "w", encoding="utf-8") as f:
            json.dump({"nodes": nodes, "arg_nodes": [0, 1], "heads": [[2, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}, f)
        _, err = self.run_tool("rnn-symbol.json", "--dynamic", "data=batch,3", "--set", "state=1", status=2)
        self.assertIn("'--set state': a constant has a fixed shape, but size 'batch'", err)
        self.run_tool("rnn-symbol.json", "--input", "data=2x3", "--set", "state=1")

    def test_the_image_of_sagemakers_hyperparameters_is_the_shape(self):
        """hyperparams.json: the side, or channels and both sides; nothing else is taken."""
        with open(self.path("model_algo_1-symbol.json"), "w") as f:
            json.dump({"nodes": [{"op": "null", "name": "data", "inputs": []}, {"op": "relu", "name": "y", "inputs": [[0, 0, 0]]}],
                       "arg_nodes": [0], "heads": [[1, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}, f)
        for given, shape in (("300", "(batch, 3, 300, 300)"), ("1,8,9", "(batch, 1, 8, 9)"), ("8,8", None), ("1,8,8,8", None), ("x", None),
                             ("", None), ("0", None), (8, None), ("1,8,", None), ("99999999999999999999", None)):
            with open(self.path("hyperparams.json"), "w") as f:
                json.dump({"image_shape": given, "network": "resnet-50"}, f)
            out, err = self.run_tool(".", status=0 if shape else 1)
            self.assertIn(shape or "", out)
            self.assertIn("" if shape else "the shape of input 'data' is unknown", err)
            self.assertEqual("image_shape in './hyperparams.json' is '%s'" % given in err, not shape and given != 8)
        self.assertIn("(2, 3, 4, 4)", self.run_tool(".", "--input", "2x3x4x4")[0])
        for given in ("300,", "3+4+5", "3,+4,5x", ",300", "3,,4"):
            with open(self.path("hyperparams.json"), "w") as f:
                json.dump({"image_shape": given}, f)
            self.assertIn("image_shape in './hyperparams.json' is '%s', but must be" % given, self.run_tool(".", status=1)[1])
            self.assertIn("(2, 3, 4, 4)", self.run_tool(".", "--input", "2x3x4x4")[0])

    def test_an_unreadable_file_next_to_the_model_is_warned_of(self):
        """It may be another program's: the model is converted, with a warning."""
        for name in ("hyperparams.json", "model-shapes.json", "signature.json", "parameters.json", "additional-params.json"):
            os.mkdir(self.path(name))
            _, err = self.run_tool(SYMBOL, *SHAPE)
            self.assertNotIn(name, err)  # SYMBOL is in another folder
            shutil.copy(SYMBOL, self.path("net-symbol.json"))
            shutil.copy(PARAMS, self.path("net-0000.params"))
            _, err = self.run_tool("net-symbol.json", *SHAPE)
            self.assertIn(name + "' cannot be opened (", err)
            os.rmdir(self.path(name))

    def test_options_of_other_converters_are_answered(self):
        for option, said in (("--fp16", "--float16"), ("--input_shape", "--input data=1x3x224x224"), ("--batch=8", "--dynamic"),
                             ("--simplify", "merged by default"), ("--epoch=3", "net-0003.params"), ("--model", "without an option: mx2onnx net-symbol.json"),
                             ("--opset_version", "--opset N"),
                             ("--target-opset=11", "--opset N"), ("--output_names", "--output NAME"), ("--data_type", "--float16"),
                             ("--mean_values=[1]", "--mean 123.7"), ("--scale_values", "--scale S"), ("--nhwc", "--channels-last")):
            _, err = self.run_tool(SYMBOL, *SHAPE, option, status=2)
            self.assertIn(said, err)
        for option in (["--target", "ncnn"], ["--target=ncnn"]):  # the name of Python's argument is taken, too
            self.assertIn("opset 12\n", self.run_tool(SYMBOL, *SHAPE, *option)[0])
        _, err = self.run_tool(SYMBOL, *SHAPE, "--for", "opencv", status=2)
        self.assertRegex(err.split("\n")[1], "help: did you mean opencv4 or opencv5\\? the programs are .*opencv4, opencv5")
        for program, meant in (("trt", "tensorrt"), ("ort", "onnxruntime"), ("tensort", "tensorrt")):
            self.assertIn("did you mean %s? the programs are" % meant, self.run_tool(SYMBOL, *SHAPE, "--for", program, status=2)[1])
        self.assertIn("known program\n    help: the programs are", self.run_tool(SYMBOL, *SHAPE, "--for", "qqqqqqq", status=2)[1])

    def test_out_is_not_an_abbreviation(self):
        """It would be one of --output, which takes the name of an output."""
        for words in ((SYMBOL, "--out", "result"), (SYMBOL, "--out=net.onnx"), ("many", ".", "--out", "folder")):
            _, err = self.run_tool(*words, status=2)
            self.assertIn("'--out' is not an option\n    help: to set the output use -o FILE\n", err)
        self.run_tool(SYMBOL, *SHAPE, "--outp", "fc1", "-o", "x.onnx")

    def test_letters_of_other_converters_are_answered(self):
        self.assertIn("without an option: mx2onnx net-symbol.json", self.run_tool("-s", SYMBOL, "-p", PARAMS, status=2)[1])
        self.assertIn("after the symbol file: mx2onnx net-symbol.json net-0000.params", self.run_tool(SYMBOL, "-p", PARAMS, status=2)[1])

    def write_chain(self, *operators):
        nodes = [{"op": "null", "name": "x", "inputs": []}]
        nodes += [{"op": op, "name": "node%d" % i, "inputs": [[i, 0, 0]]} for i, op in enumerate(operators)]
        with open(self.path("net-symbol.json"), "w") as f:
            json.dump({"nodes": nodes, "arg_nodes": [0], "heads": [[len(operators), 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}, f)

    def test_ops_is_named_for_what_it_describes(self):
        for operators, said in ((("MyFlatten", "MyOther"), "not supported: 2 kinds of operator\n"),
                                (("MyFlatten", "_CustomFunction"), "not supported: 2 kinds of operator; 'mx2onnx ops _CustomFunction' states why\n")):
            self.write_chain(*operators)
            self.assertIn(said, self.run_tool("inspect", "net-symbol.json")[0])
        self.assertIn("autograd.Function", self.run_tool("ops", "_CustomFunction", status=1)[0])

    def test_missing_parameters_are_noted_where_there_may_be_any(self):
        note = "note: the symbol file has no parameter file next to it"
        self.write_chain("relu")
        self.assertNotIn(note, self.run_tool("inspect", "net-symbol.json", "--input", "x=1x2")[0])
        shutil.copy(SYMBOL, self.path("net-symbol.json"))
        self.assertIn(note, self.run_tool("inspect", "net-symbol.json", *SHAPE)[0])

    def test_a_folder_in_place_of_parameters_is_refused(self):
        shutil.copy(SYMBOL, self.path("net-symbol.json"))
        shutil.copy(PARAMS, self.path("net-0000.params"))
        self.assertIn("help: did you mean 'net-0000.params'?\n", self.run_tool("net", "--net", "resnet50_v1", status=1)[1])
        os.mkdir(self.path("empty"))
        self.assertIn("it is a folder\n    help: give the path of a file in it\n", self.run_tool("net-symbol.json", "empty", status=1)[1])

    def test_nearest_net_begins_with_the_given_name(self):
        for name in ("resnet18", "resnet50"):
            self.assertIn("the nearest is '%s_v1'\n" % name, self.run_tool(PARAMS, "--net", name, status=1)[1])

    def test_an_operator_of_onnx_leads_to_mxnets(self):
        for name, meant in (("LSTM", "RNN?"), ("GRU", "RNN?"), ("BatchNormalization", "BatchNorm, "), ("Gemm", "FullyConnected?")):
            self.assertIn("help: did you mean " + meant, self.run_tool("ops", name, status=1)[1])

    def test_kinds_of_float16_are_in_the_help(self):
        self.assertIn("--float16[=all|inside]", self.run_tool("--help", "convert")[0] + self.run_tool("convert", "--help")[0])

    def test_old_opsets_are_refused(self):
        _, err = self.run_tool(SYMBOL, *SHAPE, "--opset", "10", status=2)
        self.assertIn("from 11 to 28: for an older toolchain", err)
        _, err = self.run_tool(SYMBOL, *SHAPE, "--opset", "99", status=2)
        self.assertNotIn("older", err)

    def test_an_opset_above_that_of_the_program_is_reported(self):
        _, err = self.run_tool(SYMBOL, *SHAPE, "--for", "opencv4", "--opset", "28")
        self.assertIn("warning: opencv4 reads opsets up to 17, but 28 is written\n    help: omit --opset\n", err)
        out, err = self.run_tool(SYMBOL, *SHAPE, "--opset", "27")
        self.assertIn("note: ONNX Runtime reads opsets up to 26, but 27 is written\n    help: omit --opset\n", out)

    def test_a_misplaced_argument_gets_a_suggestion(self):
        _, err = self.run_tool(SYMBOL, *SHAPE, "--output", "x.onnx", status=2)
        self.assertIn("use -o x.onnx", err)
        _, err = self.run_tool(SYMBOL, PARAMS, "x.onnx", *SHAPE, status=2)
        self.assertIn("use -o x.onnx", err)
        _, err = self.run_tool("inspct", SYMBOL, status=2)
        self.assertIn("there is no command or file 'inspct'\n    help: did you mean mx2onnx inspect?", err)
        self.run_tool(PARAMS, SYMBOL, *SHAPE)
        self.assertEqual(self.run_tool("inspect", PARAMS, SYMBOL, *SHAPE), self.run_tool("inspect", SYMBOL, PARAMS, *SHAPE))
        _, err = self.run_tool("no/such/net-symbol.json", status=1)
        self.assertIn("'no/such/net-symbol.json' does not exist\n", err)
        _, err = self.run_tool("verify", "--nonsense", status=2)
        self.assertIn("'mx2onnx verify --help'", err)
        self.assertEqual(self.run_tool("help", "verify"), self.run_tool("verify", "--help"))
        self.assertIn("there is no command 'verfy'\n    help: did you mean mx2onnx help verify?", self.run_tool("help", "verfy", status=2)[1])
        self.assertEqual(self.run_tool("help"), self.run_tool("--help"))
        for words, meant in ((["--float16", "inside"], "--float16=inside"), (["--input", "data", "1x1x8x8"], "--input data=1x1x8x8"),
                             (["--dynamic", "data", "n,1,8,8"], "--dynamic data=n,1,8,8")):
            _, err = self.run_tool(SYMBOL, *words, status=2)
            self.assertIn("'%s' is taken for a file\n    help: did you mean %s?" % (words[-1], meant), err)
        for words, meant in ((["--input", "1", "1", "8", "8"], "--input 1x1x8x8"), (["--input", "data", "1", "1", "8", "8"], "--input data=1x1x8x8"),
                             (["--input", "data=1", "1", "8", "8"], "--input data=1x1x8x8"), (["--dynamic", "n", "1", "8", "8"], "--dynamic n,1,8,8"),
                             (["--dynamic", "1", "1", "?", "?"], "--dynamic '1,1,?,?'"), (["--mean", "1.5", "2", "3", *SHAPE], "--mean 1.5,2,3"),
                             (["--scale", "data=0.5", "2"], "--scale data=0.5,2")):
            _, err = self.run_tool(SYMBOL, *words, status=2)
            self.assertIn("'%s' has blanks between its numbers\n    help: write them as one word: %s\n" % (" ".join(words[:3]), meant), err)
        for words in (["12", "--input", "1x1x8x8"], ["--input", "1x1x8x8", "12"], ["--dynamic", "n,1,8,8", "12"]):
            _, err = self.run_tool(SYMBOL, *words, status=2)
            self.assertIn("'12' is taken for a file\n    help: to choose an epoch give its parameter file: ", err)
        self.assertIn("a model is not read from standard input\n    help: give a file", self.run_tool("-", status=2)[1])
        self.assertIn("'/dev/null' cannot be opened: it is not a regular file", self.run_tool("/dev/null", status=1)[1])

    def test_names_that_the_model_does_not_have(self):
        """Each error has a help: the nearest name, or where the names are."""
        for words, name, remedy in ((["--rename", "fc1_output=x"], "fc1_output", "the nearest is 'fc1'"),
                                    (["--rename", "softmax_ouput=x"], "softmax_ouput", "the nearest is 'softmax'"),
                                    (["--rename", "qqqqqq=x"], "qqqqqq", "'mx2onnx inspect MODEL --symbol' lists them"),
                                    (["--output", "qqqqqq"], "qqqqqq", "'mx2onnx inspect MODEL --symbol' lists them"),
                                    (["--float16", "--keep-float32", "nosuchnode"], "nosuchnode", "'mx2onnx inspect MODEL --symbol' lists them")):
            _, err = self.run_tool(SYMBOL, *SHAPE, *words, status=1)
            self.assertRegex(err, r"error: '%s': the model has no .* of this name\n    help: %s\n" % (name, remedy))
        layers = [("null", "data", [], {}), ("relu", "resnetv10_pool1_fwd", [0], {}), ("null", "resnetv10_pool1_bias", [], {}),
                  ("broadcast_add", "resnetv10_pool2_fwd", [1, 2], {})]
        net = self.write_net("net", layers, {"resnetv10_pool1_bias": (1,)})
        for name, found in (("pool1", "'resnetv10_pool1_fwd'"), ("fwd", "'resnetv10_pool1_fwd', 'resnetv10_pool2_fwd'"), ("pool2_output", "'resnetv10_pool2_fwd'"), ("bias", "'resnetv10_pool1_bias'")):
            _, err = self.run_tool(*net, "--input", "1x2", "--output", name, status=1)
            self.assertIn("no output, node or variable of this name\n    help: names that contain it: %s\n" % found, err)

    def test_sizes_that_do_not_fit_have_a_remedy(self):
        one, several = ("\n    help: set %s that the model was trained with\n" % shapes
                        for shapes in ("the input shapes", "input shapes that fit together, as those do"))
        for nodes, given, said in (
                ([("null", "data", [], {}), ("SliceChannel", "s", [0], {"num_outputs": "3"})], ["--input", "1x7"],
                 "axis 1 has size 7, which is not a multiple of 3"),
                ([("null", "data", [], {}), ("Reshape", "r", [0], {"shape": "(4, -1)"})], ["--input", "1x2x3"],
                 "-1 cannot be determined, because the input has 6 elements, and 4, the product of the other sizes, does not divide them"),
                ([("null", "a", [], {}), ("null", "b", [], {}), ("elemwise_sub", "s", [0, 1], {})], ["--input", "a=4x3", "--input", "b=5x3"],
                 "'lhs' has shape (4, 3), but elemwise_sub needs (5, 3) here"),
                ([("null", "a", [], {}), ("null", "b", [], {}), ("broadcast_sub", "s", [0, 1], {})], ["--input", "a=4x3", "--input", "b=5x3"],
                 "sizes to broadcast: 4 and 5 differ, but must be equal")):
            _, err = self.run_tool(*self.write_net("net", nodes, {"unused": (1,)}), *given, status=1)
            self.assertIn(said + (one if len(given) == 2 else several), err)

    def test_parameters_that_are_missing_may_become_inputs(self):
        layer = [("null", "data", [], {}), ("null", "w", [], {}), ("null", "b", [], {}), ("FullyConnected", "fc", [0, 1, 2], {"num_hidden": "3"})]
        net = self.write_net("net", layer, {"w": (3, 4)})
        _, err = self.run_tool(*net, "--input", "1x4", status=1)
        self.assertIn("help: give the file that holds them: mx2onnx NET-symbol.json FILE.params, or make an input of one with --input b=DIMS\n", err)
        self.assertIn("input   b     float32   (3,)\n", self.run_tool(*net, "--input", "data=1x4", "--input", "b=3")[0])

    def test_channels_in_another_order_are_named(self):
        _, err = self.run_tool(SYMBOL, "--input", "1x8x8x1", status=1)
        self.assertIn("channels of data and weight: 8 and 1 differ, but must be equal\n    help: write sizes in the order of the net", err)
        self.assertIn("--channels-last changes the order in the ONNX model alone", err)
        _, err = self.run_tool(SYMBOL, "--input", "8x9x1", "--channels-last", status=1)
        self.assertIn("add the batch dimension, and write the channels after it, with --input data=1x1x8x9", err)
        self.run_tool(SYMBOL, "--input", "1x1x8x8", "--channels-last", "-o", self.path("last.onnx"))

    def test_a_compiled_model_is_named_as_one(self):
        """SageMaker Neo's."""
        nodes = [{"op": "null", "name": "data", "inputs": []},
                 {"op": "tvm_op", "name": "t", "attrs": {"func_name": "fused_nn_conv2d"}, "inputs": [[0, 0, 0]]}]
        with open(self.path("compiled_model.json"), "w", encoding="utf-8") as f:
            json.dump({"nodes": nodes, "arg_nodes": [0], "heads": [[1, 0, 0]], "attrs": {"storage_id": ["list_int", [0, 1]]}}, f)
        _, err = self.run_tool("compiled_model.json", status=1)
        self.assertIn("a graph that TVM compiled, as SageMaker Neo does", err)
        self.assertIn("help: convert the MXNet model that was compiled", err)

    def test_inspect_shows_the_shapes_next_to_an_unknown_operator(self):
        """What was given is shown, and no parameter is said to be without a use."""
        with open(SYMBOL, encoding="utf-8") as f:
            symbol = json.load(f)
        next(n for n in symbol["nodes"] if n["op"] == "Activation")["op"] = "mystery"
        with open(self.path("digits-symbol.json"), "w", encoding="utf-8") as f:
            json.dump(symbol, f)
        out, _ = self.run_tool("inspect", "digits-symbol.json", PARAMS, "--dynamic", "data=n,1,8,8")
        self.assertRegex(out, r"data  \?         \(n, 1, 8, 8\)\n")
        self.assertNotIn("the graph does not read", out)
        self.assertIn("the operator 'mystery' is unknown", out)

    def test_the_input_without_a_shape_is_named_and_not_the_state(self):
        """The input is named that has no shape, not the state whose size follows from it."""
        nodes = [{"op": "null", "name": "x", "inputs": []}, {"op": "_zeros", "name": "begin", "attrs": {"shape": "(0, 3)"}, "inputs": []},
                 {"op": "elemwise_add", "name": "sum", "inputs": [[0, 0, 0], [1, 0, 0]]}]
        with open(self.path("net-symbol.json"), "w", encoding="utf-8") as f:
            json.dump({"nodes": nodes[1:2] + [{"op": "null", "name": "x", "inputs": []},
                       {"op": "broadcast_like", "name": "y", "inputs": [[0, 0, 0], [1, 0, 0]]}], "arg_nodes": [1], "heads": [[2, 0, 0]]}, f)
        _, err = self.run_tool("net-symbol.json", status=1)
        self.assertIn("the shape of input 'x' is unknown", err)
        self.assertNotIn("leaves a size open", err)

    def test_an_option_needs_a_name_where_there_are_several_inputs(self):
        nodes = [{"op": "null", "name": n, "inputs": []} for n in ("left", "right")]
        nodes.append({"op": "broadcast_add", "name": "sum", "inputs": [[0, 0, 0], [1, 0, 0]]})
        with open(self.path("two-symbol.json"), "w", encoding="utf-8") as f:
            json.dump({"nodes": nodes, "arg_nodes": [0, 1], "heads": [[2, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}, f)
        for option, given, form in ((["--input", "2x3"], "2x3", "NAME=2x3"), (["--mean", "1"], "1", "NAME=1"),
                                    (["--channels-last"], "--channels-last", "--channels-last=NAME"),
                                    (["--reverse-channels"], "--reverse-channels", "--reverse-channels=NAME")):
            _, err = self.run_tool("two-symbol.json", *option, status=2)
            self.assertIn("'%s' needs the name of an input, because the model has 2: 'left', 'right'\n    help: write %s" % (given, form), err)

        for one, two, form in ((["--input", "4"], ["--input", "2x4"], "--input left=4 --input right=2x4"),
                               (["--input", "4"], ["--dynamic", "n,4"], "--input left=4 --dynamic right=n,4"),
                               (["--channels-last"], ["--channels-last"], "--channels-last=left --channels-last=right")):
            _, err = self.run_tool("two-symbol.json", *one, *two, status=2)
            self.assertIn("'%s' and '%s' need the names of their inputs, because the model has 2\n    help: write for example %s\n"
                          % (" ".join(one), " ".join(two), form), err)
        for option in ("--input", "--dynamic"):
            _, err = self.run_tool("two-symbol.json", option, "left=n,4,right=n,4", status=2)
            self.assertIn("'left=n,4,right=n,4' has shapes of several inputs\n    help: write %s once for each input\n" % option, err)

    def test_arrays_without_a_network_are_described(self):
        """A matrix that nothing names, a PCA whose parts do not fit, and the mean image of an old net."""
        def write(name, arrays):
            """An NDArray list; a nameless one if the names are empty."""
            data = b"".join(struct.pack("<IiI%dq" % len(d), 0xF993FAC9, 0, len(d), *d) + struct.pack("<iii", 1, 0, 0) + b"\0" * 4 * math.prod(d)
                            for d in arrays.values())
            names = [n.encode() for n in arrays if n]
            with open(self.path(name), "wb") as f:
                f.write(struct.pack("<QQQ", 0x112, 0, len(arrays)) + data + struct.pack("<Q", len(names))
                        + b"".join(struct.pack("<Q", len(n)) + n for n in names))
            return self.run_tool(name, status=1)[1]
        self.assertIn("name the file model_algo-1", write("centres.nd", {"": (3, 4)}))
        self.assertIn("    help: load the whole archive of the training job", write("model_algo-1", {"": (3, 4, 2)}))
        self.assertIn("match none of the", write("model_algo-1", {"s": (2,), "v": (4, 2), "mean": (1, 3)}))
        self.assertIn("a mean image", write("mean_224.nd", {"mean_img": (3, 2, 2)}))
        _, err = self.run_tool(SYMBOL, PARAMS, self.path("mean_224.nd"), *SHAPE, "-o", "x.onnx")
        self.assertIn("warning: 'mean_img': the model has no variable of this name, so this parameter file is not used\n"
                      "    help: set the mean of each channel with --mean, or subtract this mean image in your program\n", err)
        write("other.nd", {"arg:x": (1,), "arg:y": (1,)})
        _, err = self.run_tool(SYMBOL, PARAMS, self.path("other.nd"), *SHAPE, "-o", "x.onnx")
        self.assertIn("warning: 'x': the model has no variable of this name, and none of any other array of its file, so this parameter file is not "
                      "used\n    help: omit it, or check that it belongs to this model\n", err)

    @unittest.skipUnless(ZIP, "built without zip")
    def test_a_folder_of_sagemaker_is_read_as_its_archive(self):
        """A zip without an ending, once or by each host of the training."""
        os.mkdir(self.path("model"))
        for host in ("1", "2"):
            with zipfile.ZipFile(self.path("model/model_algo-" + host), "w") as z:
                for file in (SYMBOL, PARAMS):
                    z.write(file, os.path.basename(file))
            self.run_tool("model", *SHAPE, "-q", "-o", "folder.onnx")
            self.run_tool("model/model_algo-1", *SHAPE, "-q", "-o", "file.onnx")
            self.assertEqual(self.read("folder.onnx"), self.read("file.onnx"))

    @unittest.skipUnless(ZIP, "built without zip")
    def test_the_missing_shape_is_suggested(self):
        """The remedy has the input's name, and the dims that follow from the first weight."""
        nodes = [{"op": "null", "name": n, "inputs": []} for n in ("x", "fc_weight", "fc_bias")]
        nodes.append({"op": "FullyConnected", "name": "fc", "attrs": {"num_hidden": "3"}, "inputs": [[0, 0, 0], [1, 0, 0], [2, 0, 0]]})
        nodes += [{"op": "null", "name": "my_label", "inputs": []}, {"op": "broadcast_add", "name": "s", "inputs": [[3, 0, 0], [4, 0, 0]]}]
        with open(self.path("mlp-symbol.json"), "w", encoding="utf-8") as f:
            json.dump({"nodes": nodes, "arg_nodes": [0, 1, 2, 4], "heads": [[5, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}, f)
        with zipfile.ZipFile(self.path("mlp.npz"), "w") as z:
            for name, dims in (("fc_weight", (3, 4)), ("fc_bias", (3,))):
                head = repr({"descr": "<f4", "fortran_order": False, "shape": dims}).encode().ljust(117) + b"\n"
                z.writestr(name + ".npy", b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head + b"\0" * 4 * math.prod(dims))
        _, err = self.run_tool("mlp-symbol.json", "mlp.npz", status=1)
        self.assertIn("--input x=1x4", err)
        self.assertIn("choose an output that needs no label with --output fc_output, or set the shape with --input my_label=1, and give", " ".join(err.split()))
        out, _ = self.run_tool("mlp-symbol.json", "mlp.npz", "--output", "fc_output", "--input", "x=1x4")
        self.assertIn("output  fc ", out)
        _, err = self.run_tool("mlp-symbol.json", "mlp.npz", "--set", "my_label=0", status=2)
        self.assertIn("'--set my_label=0': a constant has a fixed shape, but that of this input is unknown", err)
        self.assertIn("--input my_label=DIMS, where DIMS", err)
        out, _ = self.run_tool("mlp-symbol.json", "mlp.npz", "--set", "my_label=0", "--input", "my_label=1", "--input", "x=1x4")
        self.assertNotIn("my_label", out)

    def test_advice_keeps_sizes_that_a_note_has(self):
        """A picture with its channels last, less a mean of three: only the note had the 3."""
        nodes = [("null", "data", [], {}), ("transpose", "t", [0], {"axes": "(2, 0, 1)"}), ("expand_dims", "e", [1], {"axis": "0"}),
                 ("null", "mean", [], {}), ("broadcast_sub", "s", [2, 3], {})]
        net = self.write_net("net", nodes, {"mean": (1, 3, 1, 1)})
        out, _ = self.run_tool(*net)
        self.assertIn("to fix: --input data=1xSIZEx3\n    to name: --dynamic data=batch,data_dim1,3\n", out)

    def test_advice_keeps_names_that_are_given(self):
        nodes = [("null", "data", [], {}), ("null", "w", [], {}), ("Convolution", "c", [0, 1], {"kernel": "(3, 3)", "num_filter": "4", "no_bias": "True"})]
        net = self.write_net("net", nodes, {"w": (4, 3, 3, 3)})
        for given, advised in (("n,c,12,12", "data=n,3,12,12"), ("batch,c,?,12", "'data=?x3x?x12'"), ("n,c,h,?", "'data=n,3,h,?'")):
            _, err = self.run_tool(*net, "--dynamic", "data=" + given)
            self.assertIn("warning: node 'c' (Convolution): 'channels of data and weight': the file runs only where c is 3\n"
                          "    help: fix the size with --input %s\n" % advised, err)
            _, err = self.run_tool(*net, "--input", advised.strip("'"))
            self.assertEqual(err, "")

    def test_messages_have_the_new_name_of_an_input(self):
        """They had the symbol's, which inspect does not show then."""
        net = self.write_net("net", [("null", "data3", [], {}), ("relu", "r", [0], {})], {"unused": (1,)})
        _, err = self.run_tool(*net, "--rename", "data3=past", status=1)
        self.assertIn("error: 'past': the shape of input 'past' is unknown\n    help: set it with --input past=DIMS,", err)
        for name in ("past", "data3"):
            self.run_tool(*net, "--rename", "data3=past", "--input", name + "=1x2")

    def test_slips_are_answered(self):
        for arguments, said in (
                ((SYMBOL, "--output", "fc1_output,pool1_output"), "'--output fc1_output,pool1_output' has several names\n    help: repeat the option"),
                ((SYMBOL, "--input", "data:1x1x8x8"), "'data:1x1x8x8' has a colon before the shape\n    help: write data=1x1x8x8\n"),
                (("inspect", SYMBOL, "-o", "x"), "'mx2onnx MODEL -o FILE' converts"),
                ((SYMBOL, "-o=y.onnx"), "'-o=y.onnx' names a file that begins with =\n    help: write it as -o y.onnx\n"),
                ((SYMBOL, "-o", ""), "the option '-o' has an empty value\n    help: write it as -o FILE\n")):
            self.assertIn(said, self.run_tool(*arguments, status=2)[1])
        self.assertIn("no output, node or variable of this name", self.run_tool(SYMBOL, "--output", "fc1_output,x", status=1)[1])

    @unittest.skipUnless(ZIP, "built without zip")
    def test_the_shape_of_a_label_fits_the_data(self):
        """It was 1, whatever the batch is."""
        nodes = [("null", "data", [], {}), ("null", "my_label", [], {}), ("SoftmaxOutput", "softmax", [0, 1], {}),
                 ("one_hot", "h", [1], {"depth": "4"}), ("broadcast_mul", "loss", [2, 3], {})]
        net = [*self.write_net("net", nodes, {"unused": (1,)}), "--output", "loss"]
        for data, label in (("b,4", "b"), ("?,4", "batch"), ("b.c,4", "?"), ("max,4", "?"), ("7,n", "7")):
            _, err = self.run_tool(*net, "--dynamic", "data=" + data, status=1)
            self.assertIn("--input %s, and give" % ("'my_label=?'" if label == "?" else "my_label=" + label), " ".join(err.split()))
            out, _ = self.run_tool(*net, "--dynamic", "data=" + data, "--input", "my_label=" + label)
            self.assertIn("output  loss", out)

    def run_advised(self, command):
        """What is advised, as a user copies it into a shell."""
        os.makedirs(self.path("bin"), exist_ok=True)
        if not os.path.exists(self.path("bin/mx2onnx")):
            os.symlink(TOOL, self.path("bin/mx2onnx"))
        p = subprocess.run(["sh", "-c", command], cwd=self.folder, capture_output=True, text=True,
                           env=dict(os.environ, PATH=self.path("bin") + ":" + os.environ["PATH"]))
        self.assertEqual(p.returncode, 0, "%s\n%s" % (command, p.stderr))
        return p.stdout

    @unittest.skipUnless(ZIP, "built without zip")
    def test_advice_is_quoted_for_a_shell(self):
        """Names with blanks and quotes were printed as they are."""
        data = "my data's $HOME *"
        quoted = "'my data'\\''s $HOME *="
        net = [("null", data, [], {}), ("null", "w", [], {}), ("FullyConnected", "fc", [0, 1], {"num_hidden": "3", "no_bias": "True"})]
        self.write_net("net", net, {"w": (3, 4)})
        _, err = self.run_tool("net-symbol.json", "net.npz", status=1)
        advice = re.search(r"set it with (--input .*)", err).group(1)
        self.assertEqual(advice, "--input %s1x4'" % quoted)
        out = self.run_advised("mx2onnx net-symbol.json net.npz -o x.onnx " + advice)
        self.assertIn("input   %s  float32   (1, 4)\n" % data, out)
        self.write_net("flat", [("null", data, [], {}), ("relu", "r", [0], {})], {"unused": (1,)})
        self.assertIn("--input %sDIMS'" % quoted, self.run_tool("flat-symbol.json", "flat.npz", status=1)[1])
        fixed = [("null", data, [], {"__shape__": "(0, 4, 0)"}), ("relu", "r", [0], {})]
        self.write_net("open", fixed, {"unused": (1,)})
        out, _ = self.run_tool("open-symbol.json", "open.npz", "-o", "x.onnx")
        open_net = "mx2onnx open-symbol.json open.npz -o x.onnx "
        fix, name = re.search(r"to fix: (.*)", out).group(1), re.search(r"to name: (.*)", out).group(1)
        self.assertIn(" float32   (1, 4, 9)\n", self.run_advised(open_net + fix.replace("SIZE", "9")))
        self.assertNotIn("to name", self.run_advised(open_net + name))

    def test_paths_in_advice_are_quoted_for_a_shell(self):
        folder = "a folder's"
        os.makedirs(self.path(folder))
        shutil.copy(SYMBOL, self.path(folder + "/net-symbol.json"))
        shutil.copy(PARAMS, self.path(folder + "/net-0007.params"))
        _, err = self.run_tool(folder + "/net", "7", *SHAPE, status=2)
        advice = re.search(r"give its parameter file: (.*)", err).group(1)
        self.assertEqual(advice, "mx2onnx 'a folder'\\''s/net' 'a folder'\\''s/net-0007.params'")
        self.assertIn("wrote", self.run_advised(advice + " -o x.onnx " + " ".join(SHAPE)))
        _, err = self.run_tool("many", folder, status=2)
        self.assertIn("1 of 1 model converted", self.run_advised(re.search(r"for example: (.*)", err).group(1) + " " + " ".join(SHAPE)))
        for arguments in ((SYMBOL, PARAMS, "b $(touch c).onnx"), (SYMBOL, "--output", "b $(touch c).onnx")):
            _, err = self.run_tool(*arguments, *SHAPE, status=2)
            advice = re.search(r"use (-o .*)", err).group(1)
            self.run_advised("mx2onnx '%s' '%s' %s %s" % (SYMBOL, PARAMS, advice, " ".join(SHAPE)))
            self.assertTrue(os.path.exists(self.path("b $(touch c).onnx")))
            os.remove(self.path("b $(touch c).onnx"))
        self.assertFalse(os.path.exists(self.path("c")))

    def write_net(self, name, nodes, arrays):
        """A symbol of (operator, name, inputs, attributes), whose last one is the output, and arrays of zeros."""
        nodes = [{"op": op, "name": n, "inputs": [[i, 0, 0] for i in inputs], "attrs": attributes} for op, n, inputs, attributes in nodes]
        with open(self.path(name + "-symbol.json"), "w", encoding="utf-8") as f:
            json.dump({"nodes": nodes, "arg_nodes": [i for i, n in enumerate(nodes) if n["op"] == "null"], "heads": [[len(nodes) - 1, 0, 0]],
                       "attrs": {"mxnet_version": ["int", 10901]}}, f)
        with zipfile.ZipFile(self.path(name + ".npz"), "w") as z:
            for array, dims in arrays.items():
                head = repr({"descr": "<f4", "fortran_order": False, "shape": dims}).encode().ljust(117) + b"\n"
                z.writestr(array + ".npy", b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head + b"\0" * 4 * math.prod(dims))
        return name + "-symbol.json", name + ".npz"

    @unittest.skipUnless(ZIP, "built without zip")
    def test_parameters_of_another_model_are_recognised(self):
        layer = ("FullyConnected", "y", [0, 1], {"num_hidden": "4", "no_bias": "True"})
        self.write_net("other", [("null", "x", [], {}), ("null", "y_weight", [], {}), layer], {"y_weight": (4, 4)})
        _, err = self.run_tool("other-symbol.json", PARAMS, "--input", "1x4", status=1)
        self.assertRegex(err, r"1 of 1 parameter is missing from the parameter files: 'y_weight', and none of the files' arrays, such as '\w+', is in "
                              r"the symbol\n    help: load the parameter file of this model: this one is probably of another\n")
        self.write_net("part", [("null", "x", [], {}), ("null", "y_weight", [], {}), layer, ("null", "z_weight", [], {}),
                                ("FullyConnected", "z", [2, 3], {"num_hidden": "4", "no_bias": "True"})],
                       {"y_weight": (4, 4), "w_weight": (4, 4)})
        _, err = self.run_tool("part-symbol.json", "part.npz", "--input", "1x4", status=1)
        self.assertRegex(err, r"1 of 2 parameters is missing from the parameter files: 'z_weight', and 1 of the files' 2 arrays, such as 'w_weight', "
                              r"is not read by the graph\n    help: load the parameter file of this model: this one is probably of another\n")

    @unittest.skipUnless(ZIP, "built without zip")
    def test_nodes_without_a_name_get_one(self):
        """Each gets one that says what it is."""
        net = self.write_net("net", [("null", "", [], {"__shape__": "(2, 3)"}), ("null", "", [], {"__shape__": "(2, 3)"}), ("broadcast_add", "", [0, 1], {}),
                                     ("relu", "", [2], {}), ("relu", "", [3], {})], {"unused": (1,)})
        out, err = self.run_tool(*net)
        self.assertRegex(out, r"input +null .*\n +input +null_1 .*\n +output +relu ")
        self.assertNotIn("a number was appended", out + err)

    def test_nodes_without_a_name_get_one_in_a_body(self):
        body = {"nodes": [{"op": "null", "name": "", "inputs": []}, {"op": "null", "name": "", "inputs": []},
                          {"op": "elemwise_add", "name": "", "inputs": [[0, 0, 0], [1, 0, 0]]},
                          {"op": "_mul_scalar", "name": "", "attrs": {"scalar": "2"}, "inputs": [[2, 0, 0]]}],
                "arg_nodes": [0, 1], "heads": [[2, 0, 0], [3, 0, 0]]}
        loop = {"op": "_foreach", "name": "", "inputs": [[0, 0, 0], [1, 0, 0]], "subgraphs": [body],
                "attrs": {"in_data_locs": "[0]", "in_state_locs": "[1]", "remain_locs": "[]", "num_args": "3", "num_out_data": "1", "num_outputs": "2"}}
        nodes = [{"op": "null", "name": "data", "inputs": []}, {"op": "null", "name": "s", "inputs": []}, loop]
        with open(self.path("loop-symbol.json"), "w", encoding="utf-8") as f:
            json.dump({"nodes": nodes, "arg_nodes": [0, 1], "heads": [[2, 0, 0], [2, 1, 0]], "attrs": {"mxnet_version": ["int", 10901]}}, f)
        self.assertIn("wrote loop.onnx", self.run_tool("loop-symbol.json", "--input", "data=3x4", "--input", "s=4")[0])

    @unittest.skipUnless(ZIP, "built without zip")
    def test_messages_about_missing_parameters_fit_the_files(self):
        """A prefix is named if it finds most of them; another net's files are suspected if they have as many arrays without a use."""
        nodes = [("null", "x", [], {})]
        for k in range(1, 4):
            nodes += [("null", "fc%d_weight" % k, [], {}), ("FullyConnected", "fc%d" % k, [2 * k - 2, 2 * k - 1], {"num_hidden": "4", "no_bias": "True"})]
        for count, names, said in ((5, ("fc1_weight", "module.fc2_weight"), "1 of them is there if the prefix 'module.' is ignored\n"),
                                   (5, ("module.fc1_weight",), "missing from the parameter files: 'fc1_weight', 'fc2_weight'\n"),
                                   (7, ("fc1_weight", "other"), "missing from the parameter files: 'fc2_weight', 'fc3_weight'\n")):
            net = self.write_net("net", nodes[:count], {n: (4, 4) for n in names})
            self.assertIn(said, self.run_tool(*net, "--input", "x=1x4", status=1)[1], names)
        nodes[3][3].update({"__lr_mult__": "1.0", "__wd_mult__": "1.0", "__shape__": "(4, 4)", "__dtype__": "0", "__storage_type__": "0"})
        net = self.write_net("net", nodes[:5], {"fc1_weight": (4, 4)})
        self.assertIn("1 of 2 parameters is missing from the parameter files: 'fc2_weight'\n",
                      self.run_tool(*net, "--structural-names", "--input", "x=1x4", status=1)[1])

    @unittest.skipUnless(ZIP, "built without zip")
    def test_inputs_with_the_names_of_weights_are_warned_of(self):
        for name, warned in (("weight", True), ("a_gamma", True), ("a.beta", True), ("inbeta", False), ("weight_a", False)):
            net = self.write_net("net", [("null", "x", [], {}), ("null", name, [], {"__shape__": "(1, 4)"}), ("broadcast_add", "y", [0, 1], {})], {"unused": (1,)})
            self.assertEqual("'%s' is missing from the parameter files, so it becomes an input" % name in self.run_tool(*net, "--input", "x=2x4")[1], warned, name)

    @unittest.skipUnless(ZIP, "built without zip")
    def test_the_shape_of_a_parameter_may_not_be_changed(self):
        layer = ("FullyConnected", "y", [0, 1], {"num_hidden": "3", "no_bias": "True"})
        net = self.write_net("net", [("null", "x", [], {}), ("null", "w", [], {}), layer], {"w": (3, 4)})
        for option, shape, fits in (("--input", "3x4", True), ("--input", "?x4", True), ("--input", "5x4", False), ("--input", "3", False),
                                    ("--dynamic", "n,4", False)):
            _, err = self.run_tool(*net, "--input", "x=2x4", option, "w=" + shape, status=0 if fits else 1)
            self.assertEqual("'w' is a parameter of another shape, not an input" in err, not fits, shape)

    @unittest.skipUnless(ZIP, "built without zip")
    def test_structural_names_are_found_by_shapes_and_words(self):
        """A word of several layers says nothing; neither do shapes of any rank; copies are left out only as far as there are too many arrays."""
        def names(nodes, arrays, shape, status=0):
            return "".join(self.run_tool(*self.write_net("net", nodes, arrays), "--structural-names", "--input", "x=" + shape, status=status))
        def layer(name, of, size=4):
            return ("FullyConnected", name, of, {"num_hidden": str(size), "no_bias": "True"})
        words = [("null", "x", [], {}), ("null", "net_query_weight", [], {}), layer("a", [0, 1], 5), ("null", "net_more_query_weight", [], {}), layer("b", [2, 3])]
        self.assertIn("'one.query.weight' to 'net_more_query_weight'", names(words, {"one.query.weight": (4, 5), "two.weight": (5, 4)}, "2x4"))
        ranks = [("null", "x", [], {}), ("null", "d1_weight", [], {}), ("broadcast_mul", "a", [0, 1], {}), ("null", "d0_weight", [], {}),
                 ("broadcast_mul", "b", [2, 3], {})]
        self.assertIn("'d1_weight' may be 'one.weight' or 'two.weight', which both fit what is known of its shape",
                      names(ranks, {"one.weight": (4,), "two.weight": (4, 4), "three.weight": (4, 4, 4)}, "4x4", 1))
        tied = [("null", "x", [], {}), ("null", "net_dense0_weight", [], {}), layer("a", [0, 1]), layer("b", [2, 1]), ("null", "net_dense1_weight", [], {}),
                layer("c", [3, 4])]
        self.assertIn("'c.weight' to 'net_dense1_weight'", names(tied, {n + ".weight": (4, 4) for n in "abc"}, "2x4"))

    def test_weights_of_a_body_are_weights(self):
        """Without parameters they became inputs of the model."""
        body = [("null", "x-0", [], {}), ("null", "w", [], {}), ("FullyConnected", "y", [0, 1], {"num_hidden": "4", "no_bias": "True"}),
                ("null", "s-0", [], {}), ("elemwise_add", "t", [2, 3], {})]
        loop = {"in_data_locs": "[0]", "in_state_locs": "[2]", "remain_locs": "[1]", "num_args": "4", "num_out_data": "1", "num_outputs": "2"}
        self.write_net("loop", [("null", "x", [], {}), ("null", "w", [], {}), ("null", "s", [], {}), ("_foreach", "f", [0, 2, 1], loop)], {"w": (4, 3)})
        self.write_net("body", body, {})
        with open(self.path("loop-symbol.json"), encoding="utf-8") as f, open(self.path("body-symbol.json"), encoding="utf-8") as inner:
            symbol, inner = json.load(f), json.load(inner)
        symbol["nodes"][3]["subgraphs"] = [dict(inner, heads=[[2, 0, 0], [4, 0, 0]])]
        with open(self.path("loop-symbol.json"), "w", encoding="utf-8") as f:
            json.dump(symbol, f)
        os.rename(self.path("loop.npz"), self.path("its.npz"))
        shapes = "--input", "x=5x2x3", "--input", "s=2x4"
        _, err = self.run_tool("loop-symbol.json", *shapes, "-o", "x.onnx", status=1)
        self.assertIn("no parameter file is loaded, but 1 parameter is needed: 'w'\n", err)
        self.run_tool("loop-symbol.json", *shapes, "--input", "w=4x3", "-o", "x.onnx")
        if ZIP:
            self.run_tool("loop-symbol.json", "its.npz", *shapes, "-o", "x.onnx")

    @unittest.skipUnless(ZIP, "built without zip")
    def test_structural_names_may_be_those_of_the_outermost_block(self):
        """These have no dot, and the file was called that of another model."""
        layer = ("FullyConnected", "net_fc_fwd", [0, 1], {"num_hidden": "4", "no_bias": "True"})
        self.write_net("top", [("null", "x", [], {}), ("null", "net_fc_weight", [], {}), layer, ("null", "net_scale", [], {}),
                               ("broadcast_mul", "y", [2, 3], {})], {"scale": (1, 4), "fc.weight": (4, 3)})
        _, err = self.run_tool("top-symbol.json", "top.npz", "--input", "x=2x3", status=1)
        self.assertIn("(--structural-names): the file holds the names of save_parameters()\n", err)

    @unittest.skipUnless(ZIP, "built without zip")
    def test_a_parameter_that_no_layer_uses_is_not_an_input(self):
        """self.factor = self.params.get("scale") is "0.factor" in the file; it became an input, with structural names and without."""
        parameter = {"__lr_mult__": "1.0", "__wd_mult__": "1.0", "__shape__": "(1, 4)", "__dtype__": "0", "__storage_type__": "0"}
        nodes = [("null", "x", [], {}), ("null", "net_scale", [], parameter), ("broadcast_mul", "y", [0, 1], {}), ("null", "z", [], {}),
                 ("broadcast_add", "sum", [2, 3], {})]
        net = self.write_net("net", nodes, {"0.factor": (1, 4)})
        shapes = ["--input", "x=2x4", "--input", "z=2x4"]
        out, _ = self.run_tool(*net, *shapes, "--structural-names", "-o", "net.onnx", "--json")
        self.assertEqual([i["name"] for i in json.loads(out)["inputs"]], ["x", "z"])
        self.assertIn("net_scale", self.run_tool(*net, *shapes, status=1)[1])

    def test_inspect_succeeds_where_a_model_cannot_be_converted(self):
        """It has shown the model, which may not be converted as it is."""
        for line in ("success: the model was read", "even if it cannot be converted as it is", "failure: a file cannot be read"):
            self.assertIn(line, " ".join(self.run_tool("inspect", "--help")[0].split()))
        nodes = [("null", "x", [], {}), ("no_such_operator", "y", [0], {})]
        self.write_net("net", nodes, {})
        out, _ = self.run_tool("inspect", "net-symbol.json")
        self.assertIn("before it can be converted:", out)
        out, _ = self.run_tool("inspect", "net-symbol.json", "--json")
        self.assertIn("error", [d["severity"] for d in json.loads(out)["diagnostics"]])
        self.run_tool("inspect", "net-symbol.json", "--graph", status=1)
        self.run_tool("inspect", "nothing-symbol.json", status=1)

    def test_advice_in_json_has_options(self):
        """It named functions of C: mx2onnx_set_input_shape."""
        self.write_net("net", [("null", "x", [], {}), ("null", "y_weight", [], {}), ("FullyConnected", "y", [0, 1], {"num_hidden": "3", "no_bias": "True"})],
                       {"y_weight": (3, 4)})
        net = ["net-symbol.json", "net.npz"] if ZIP else ["net-symbol.json"]
        for command in (["inspect", *net, "--json"], [*net, "--json"]):
            out, _ = self.run_tool(*command, status=0 if command[0] == "inspect" else 1)
            self.assertEqual("mx2onnx_" in out, False)
            if ZIP:
                self.assertEqual(json.loads(out)["diagnostics"][-1]["advice"], "set it with --input x=1x4")

    def test_names_of_nets_may_have_capitals(self):
        self.assertEqual(self.run_tool("nets", "ResNet50*V1B"), self.run_tool("nets", "resnet50*v1b"))
        self.assertEqual(self.run_tool("nets", "resnet-50_v1b"), self.run_tool("nets", "resnet50_v1b"))
        self.assertIn("inceptionv3 ", self.run_tool("nets", "inception_v3")[0])
        self.assertIn("help: did you mean resnet50_v1?", self.run_tool("nets", "restnet50_v1", status=1)[1])
        self.assertIn("help: 'mx2onnx nets' lists them", self.run_tool("nets", "zzz", status=1)[1])

    def test_an_input_can_be_called_by_its_new_name(self):
        """--mean took the old name alone, and wherever --rename was written."""
        for option in (["--mean", "NAME=0.5", "--scale", "NAME=2"], ["--channels-last=NAME"], ["--reverse-channels=NAME"]):
            files = []
            for name in ("data", "pixels"):
                for rename_first in (True, False):
                    options = ["--input", name + "=1x1x8x8", *(o.replace("NAME", name) for o in option)]
                    rename = ["--rename", "data=pixels"]
                    self.run_tool(SYMBOL, PARAMS, "-o", "net.onnx", *(rename + options if rename_first else options + rename))
                    files.append(self.read("net.onnx"))
            self.assertEqual(files, files[:1] * 4)

    def test_a_prefix_without_effect_is_reported(self):
        _, err = self.run_tool(SYMBOL, PARAMS, *SHAPE, "--prefix", "zzz")
        self.assertIn("the prefix 'zzz' has no effect: no name in the symbol or a parameter file begins with it\n    help: correct or omit it", err)

    def test_the_model_needs_no_option(self):
        _, err = self.run_tool("-i", SYMBOL, status=2)
        self.assertIn("'-i' is not an option\n    help: give the model without an option", err)

    def test_the_end_of_a_prefix_may_be_omitted(self):
        for name, source in (("net-symbol.json", SYMBOL), ("net-0012.params", PARAMS)):
            shutil.copy(source, self.path(name))
        self.run_tool("net-symbol", *SHAPE)
        self.assertTrue(os.path.exists(self.path("net.onnx")))

    def test_a_program_without_an_onnx_reader_is_answered(self):
        """TensorFlow was taken for TensorRT."""
        for name, said in (("tensorflow", "omit it, and give the ONNX file to onnx2tf"), ("TFLite", "onnx2tf"), ("pytorch", "--for opencv4"),
                           ("CoreML", "coremltools"), ("mnn", "omit it"), ("tensorrtx", "did you mean tensorrt?")):
            _, err = self.run_tool(SYMBOL, *SHAPE, "--for", name, status=2)
            self.assertIn(said, err)
            self.assertEqual("tensorrt" in err, name == "tensorrtx", err)

    def test_a_file_of_nearly_this_name_is_suggested(self):
        os.mkdir(self.path("models"))
        for name in ("net-symbol.json", "net-0012.params"):
            shutil.copy(SYMBOL if name.endswith("json") else PARAMS, self.path("models/" + name))
        near = "help: did you mean 'models/net-symbol.json'?"
        for typed in ("net-symbl.json", "ent-symbol.json", "nett", "net-symbol.jsn", "NET", "NET-SYMBOL.JSON", "net-", "Net-sym"):
            self.assertIn(near, self.run_tool("models/" + typed, status=1)[1], typed)
        for typed in ("other-symbol.json", "no", "net-symbol.pb", "model"):
            self.assertIn("help: check the path", self.run_tool("models/" + typed, status=1)[1], typed)
        self.assertIn("did you mean 'models/net-0012.params'?", self.run_tool("models/net-symbol.json", "models/net-012.params", status=1)[1])
        os.symlink("nothing", self.path("models/link-symbol.json"))
        self.assertIn("help: check the path", self.run_tool("models/link-symbol.json", status=1)[1])

    def test_an_epoch_may_not_be_a_number(self):
        """As load_checkpoint takes it."""
        for command in ([], ["inspect"]):
            for model in ("models/net", "models/net-symbol.json"):
                _, err = self.run_tool(*command, model, "12", status=2)
                self.assertIn("'12' is taken for a file\n    help: to choose an epoch give its parameter file: mx2onnx %s models/net-0012.params"
                              % model, " ".join(err.split(" ")))

    @unittest.skipUnless(ZIP, "built without zip")
    def test_names_that_cannot_be_matched_are_the_reason(self):
        """Without a name, the shape's option said that the model has no inputs."""
        nodes = [("null", "x", [], {}), ("null", "d1_weight", [], {}), ("dot", "q", [0, 1], {}), ("null", "d0_weight", [], {}), ("dot", "k", [2, 3], {})]
        net = self.write_net("net", nodes, {"one.weight": (4, 4), "two.weight": (4, 4)})
        reason = self.run_tool(*net, "--structural-names", "--input", "x=3x4", status=1)
        for option in (["--input", "3x4"], ["--dynamic", "batch,4"], ["--mean", "1"]):
            self.assertEqual(self.run_tool(*net, "--structural-names", *option, status=1), reason)
        self.assertIn("may be 'one.weight' or 'two.weight'", reason[1])

    @unittest.skipUnless(ZIP, "built without zip")
    def test_the_shape_before_the_first_layer_is_suggested(self):
        """Through what has one data input: a constant, a BatchNorm, transposes."""
        def remedy(nodes, arrays):
            return self.run_tool(*self.write_net("net", nodes, arrays), status=1)[1]
        linear = [("null", "x", [], {}), ("null", "w", [], {}), ("dot", "y", [0, 1], {})]
        self.assertIn("--input x=1x5", remedy(linear, {"w": (5, 2)}))
        linear[2] = ("dot", "y", [0, 1], {"transpose_b": "True"})
        self.assertIn("--input x=1x2", remedy(linear, {"w": (5, 2)}))
        image = [("null", "x", [], {}), ("null", "mean", [], {}), ("broadcast_sub", "s", [0, 1], {}),
                 ("transpose", "t", [2], {"axes": "(0, 3, 1, 2)"}), ("null", "w", [], {}),
                 ("Convolution", "c", [3, 4], {"kernel": "(3, 3)", "num_filter": "4", "no_bias": "True"})]
        self.assertIn("--input x=1xHEIGHTxWIDTHx3", remedy(image, {"mean": (1, 1, 1, 3), "w": (4, 3, 3, 3)}))
        image[3] = ("transpose", "t", [2], {"axes": "(0, -1, 1, 2)"})
        self.assertIn("--input x=1xHEIGHTxWIDTHx3", remedy(image, {"mean": (1, 1, 1, 3), "w": (4, 3, 3, 3)}))
        last = [*image[:3], ("null", "w", [], {}),
                ("Convolution", "c", [2, 3], {"kernel": "(5, 6)", "num_filter": "4", "no_bias": "True", "layout": "NHWC"})]
        self.assertIn("--input x=1xHEIGHTxWIDTHx3", remedy(last, {"mean": (1, 1, 1, 3), "w": (4, 5, 6, 3)}))
        for axes in ("(0, 3, 1)", "(0, 3, 1, 1)", "(0, 3, 1, 9)", "(0, 3, 1, 2, 4)"):
            image[3] = ("transpose", "t", [2], {"axes": axes})
            self.assertNotIn("HEIGHT", remedy(image, {"mean": (1, 1, 1, 3), "w": (4, 3, 3, 3)}), axes)

    @unittest.skipUnless(ZIP, "built without zip")
    def test_a_model_compiled_by_neo_is_refused(self):
        compiled = {"func_name": "fused_dense", "flatten_data": "0", "num_inputs": "1", "num_outputs": "1"}
        files = self.write_net("neo", [("null", "data", [], {}), ("tvm_op", "y", [0], compiled)], {"data_unused": (1,)})
        self.assertIn("SageMaker Neo", self.run_tool(files[0], "--input", "1x3", status=1)[1])
        del compiled["flatten_data"]
        files = self.write_net("own", [("null", "data", [], {}), ("tvm_op", "y", [0], compiled)], {"data_unused": (1,)})
        self.assertIn("the operator 'tvm_op' is unknown", self.run_tool(files[0], "--input", "1x3", status=1)[1])

    def test_completion_knows_all_commands(self):
        for shell in ("bash", "zsh", "fish"):
            out, _ = self.run_tool("--completion", shell)
            for command in self.COMMANDS:
                self.assertRegex(out, r"\b%s\b" % command)
        out, _ = self.run_tool("--completion", "bash")
        self.assertRegex(out, r"--data\) COMPREPLY=\(\$\(compgen -f")

    def test_completions_have_the_options_of_help(self):
        bash, zsh, fish = (self.run_tool("--completion", shell)[0] for shell in ("bash", "zsh", "fish"))
        conditions = [(re.search(r"-n '(not )?__fish_seen_subcommand_from([a-z ]*)'", line), set(re.findall(r" -l ([\w-]+)", line.split(" -d '")[0])))
                      for line in fish.splitlines() if "__fish_seen_subcommand_from" in line]
        for command in self.COMMANDS:
            wanted = set(re.findall(r"(?m)^  (?:-\w, )?--([\w-]+)", self.run_tool(command, "--help")[0]))
            self.assertGreater(len(wanted), 1)
            words = re.search(r'(?m)^    %s\) words="(.*)" ;;$' % command, bash).group(1)
            self.assertEqual(set(re.findall(r"--([\w-]+)", words)), wanted, command)
            part = re.search(r"(?ms)^    %s\)\n(.*?) ;;$" % command, zsh).group(1)
            self.assertEqual(set(re.findall(r"(?m)^ +'\*?--([\w-]+)", part)), wanted, command)
            offered = set()
            for condition, names in conditions:
                offered |= names if (command in condition.group(2).split()) != bool(condition.group(1)) else set()
            self.assertEqual(offered, wanted, command)

    @unittest.skipUnless(ZIP and shutil.which("bash"), "built without zip, so without the catalogue, or no bash")
    def test_published_nets_are_completed(self):
        with open(self.path("bash"), "w") as f:
            f.write(self.run_tool("--completion", "bash")[0])
        os.makedirs(self.path("bin"))
        os.symlink(TOOL, self.path("bin/mx2onnx"))
        p = subprocess.run(["bash", "-c", 'source ./bash; COMP_WORDS=(mx2onnx --net alexn); COMP_CWORD=2; _mx2onnx; echo "${COMPREPLY[@]}"'],
                           cwd=self.folder, capture_output=True, text=True, env=dict(os.environ, PATH=self.path("bin") + ":" + os.environ["PATH"]))
        self.assertEqual((p.stdout, p.stderr), ("alexnet\n", ""))

    @unittest.skipUnless(shutil.which("zsh") and shutil.which("fish"), "no zsh or no fish")
    def test_each_shell_can_read_its_completions(self):
        """Each shell takes its script; fish and bash complete by it."""
        for shell in ("bash", "zsh", "fish"):
            with open(self.path(shell), "w") as f:
                f.write(self.run_tool("--completion", shell)[0])
            p = subprocess.run([shell, "-n", self.path(shell)], capture_output=True, text=True)
            self.assertEqual((p.returncode, p.stderr), (0, ""), shell)
        def fish(line):
            return subprocess.run(["fish", "--no-config", "-c", "source fish; complete -C '%s'" % line], cwd=self.folder,
                                  capture_output=True, text=True, env=dict(os.environ, HOME=self.folder)).stdout
        commands = {line.split("\t")[0] for line in fish("mx2onnx ").splitlines()}
        self.assertLessEqual(set(self.COMMANDS), commands)
        self.assertRegex(fish("mx2onnx verify --da"), r"(?m)^--data\b")
        self.assertNotIn("--opset", fish("mx2onnx verify --op"))

    def test_opsets_are_completed(self):
        least, most = json.loads(self.run_tool("ops", "--json")[0])["opsets"]
        self.assertIn("auto %s" % " ".join(map(str, range(least, most + 1))), self.run_tool("--completion", "bash")[0])

    def test_the_nearest_option_is_suggested(self):
        _, err = self.run_tool(SYMBOL, "--inptu", "data=1x1x8x8", status=2)
        self.assertIn("did you mean --input", err)
        _, err = self.run_tool(SYMBOL, "--input", status=2)
        self.assertIn("'--input' needs a value\n    help: write it as --input NAME=DIMS[:TYPE]", err)
        self.assertIn("the option '-o' needs a value\n    help: write it as -o FILE", self.run_tool(SYMBOL, "-o", status=2)[1])
        _, err = self.run_tool("inspect", SYMBOL, "--quiet", status=2)
        self.assertIn("the option '--quiet' is not one of this command\n    help: use it with convert, many\n", err)
        _, err = self.run_tool(SYMBOL, "--markdown", status=2)
        self.assertIn("the option '--markdown' is not one of this command\n    help: use it with ops\n", err)
        self.assertNotIn("did you mean", err)
        for command, typo in (("verify", "foo"), ("verify", "inputs"), ("inspect", "externl"), ("check", "fp16"), ("inspect", "out-file"), ("ops", "batch")):
            _, err = self.run_tool(command, "--" + typo, status=2)  # only an option of the command is suggested
            self.assertIn("'--%s' is not an option\n    help: see 'mx2onnx %s --help'" % (typo, command), err)
        self.assertIn("did you mean --data?", self.run_tool("verify", "--daat", status=2)[1])
        self.assertIn("'--dat' needs a value\n    help: see 'mx2onnx verify --help'", self.run_tool("verify", "--dat", status=2)[1])
        for text in ("-input", "-output=z.onnx"):  # "-output=z.onnx" wrote a file "utput=z.onnx"
            _, err = self.run_tool(SYMBOL, text, status=2)
            self.assertIn("the option '%s' has one dash\n    help: write it with two: -%s" % (text, text), err)
        _, err = self.run_tool("--hlep", status=2)
        self.assertIn("'--hlep' is not an option\n    help: did you mean --help?", err)
        self.assertNotIn("value", err)
        _, err = self.run_tool(SYMBOL, "--keep-batch-norm=3", status=2)
        self.assertIn("the option '--keep-batch-norm' takes no value, but '--keep-batch-norm=3' has one\n    help: use --keep-batch-norm", err)
        self.assertNotIn("there is no", err)

    # ---- convert

    def test_convert_prints_a_summary(self):
        out, err = self.run_tool(SYMBOL, "-o", "net.onnx", *SHAPE)
        self.assertRegex(out, r"^wrote net.onnx \(56\.\d KB\), opset 17\n"
                              r"  input   data     float32   \(1, 1, 8, 8\)\n  output  softmax  float32   \(1, 10\)\n  11 nodes\n$")
        out, _ = self.run_tool(SYMBOL, "-o", "net.onnx", *SHAPE, "--opset", "13", "--external", "always:1")
        self.assertRegex(out, r"^wrote net.onnx \(\d\.\d KB\) with its weights in net.onnx.data \(\d+\.\d KB\), opset 13\n")

    def test_open_dims_are_listed(self):
        """Without a shape: which dims are open, and how to give them."""
        for command in ("convert", "inspect"):
            out, _ = self.run_tool(command, SYMBOL)
            self.assertIn("  3 dimensions of 'data' are open\n    to fix: --input data=1x1xSIZExSIZE\n"
                          "    to name: --dynamic data=batch,1,data_dim2,data_dim3\n", out)
            for given in (SHAPE, ["--dynamic", "n,1,8,8"], ["--dynamic", "data=n,1,8,8"]):
                self.assertNotIn("open", self.run_tool(command, SYMBOL, *given)[0])

    def test_open_dims_may_have_their_names(self):
        """The shapes file of SageMaker leaves the batch open: to name it "batch", as it is called already, was advised."""
        for name, source in (("net-symbol.json", SYMBOL), ("net-0000.params", PARAMS)):
            shutil.copy(source, self.path(name))
        with open(self.path("net-shapes.json"), "w") as f:
            json.dump([{"shape": [4, 1, 8, 8], "name": "data"}], f)
        for command in ("convert", "inspect"):
            out, _ = self.run_tool(command, "net-symbol.json")
            self.assertIn("float32   (batch, 1, 8, 8)" if command == "convert" else "(batch, 1, 8, 8)", out)
            self.assertIn("  1 dimension of 'data' is open\n    to fix: --input data=1x1x8x8\n", out)
            self.assertNotIn("to name", out)

    def test_open_dims_keep_the_order_of_the_net(self):
        """Dims keep the order of the net; what is printed can be given."""
        for command in ("convert", "inspect"):
            for option in ("--channels-last", "--channels-last=data"):
                out, _ = self.run_tool(command, SYMBOL, option)
                (fix, name) = re.findall(r"^    to (?:fix|name): (--\w+) (\S+)$", out, re.M)
                self.assertEqual((fix, name), (("--input", "data=1x1xSIZExSIZE"), ("--dynamic", "data=batch,1,data_dim2,data_dim3")))
        self.run_tool(SYMBOL, "--channels-last", fix[0], fix[1].replace("SIZE", "8"))
        self.run_tool(SYMBOL, "--channels-last", *name)

    def many_notes(self):
        """80 nodes of one name and three operators: 79 equal notes."""
        nodes = [{"op": "null", "name": "data", "inputs": []}]
        nodes += [{"op": ("sin", "cos", "tan")[i % 3], "name": "same", "inputs": [[i, 0, 0]]} for i in range(80)]
        with open(self.path("many-symbol.json"), "w") as f:
            json.dump({"nodes": nodes, "arg_nodes": [0], "heads": [[80, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}, f)

    def test_notes_are_counted_by_kind(self):
        self.many_notes()
        short, _ = self.run_tool("many-symbol.json", "--input", "2x3", "-o", "x.onnx")
        long, _ = self.run_tool("many-symbol.json", "--input", "2x3", "-v", "-o", "x.onnx")
        self.assertLess(len(short.splitlines()), 10)
        self.assertEqual(short.count("two nodes have this name"), 1)
        more = int(re.search(r"(?m)^    and (\d+) more of this kind \(-v lists them\)$", short).group(1))
        self.assertEqual(len(re.findall("(?m)^  note: ", long)), more + len(re.findall("(?m)^  note: ", short)))
        self.assertGreater(more, 50)

    def test_errors_are_counted_as_far_as_they_are_kept(self):
        """The library keeps 1000 diagnostics."""
        for count, more in ((25, "5 more of this kind (--json lists them)"), (1500, "980 or more of this kind (--json lists the first)")):
            nodes = [{"op": "null", "name": "x", "inputs": []}]
            nodes += [{"op": "Mine", "name": "n%d" % i, "inputs": [[i, 0, 0]]} for i in range(count)]
            with open(self.path("mine-symbol.json"), "w") as f:
                json.dump({"nodes": nodes, "arg_nodes": [0], "heads": [[count, 0, 0]]}, f)
            _, err = self.run_tool("mine-symbol.json", "--input", "2x3", status=1)
            self.assertIn("    and %s\n" % more, err)

    def test_a_prefix_matches_parameters_of_other_names(self):
        """Gluon strips the prefix of a block when it saves, other programs add one."""
        with open(SYMBOL, encoding="utf-8") as f:
            symbol = json.load(f)
        for node in symbol["nodes"]:
            if node["op"] == "null" and node["name"] != "data":
                node["name"] = "resnet_" + node["name"]
        with open(self.path("net-symbol.json"), "w", encoding="utf-8") as f:
            json.dump(symbol, f)
        _, err = self.run_tool("net-symbol.json", PARAMS, *SHAPE, status=1)
        self.assertRegex(err, r"14 of 14 parameters are missing from the parameter files: 'resnet_conv1_weight', .*but 14 of them are there")
        self.assertIn("--prefix resnet_)", err)
        self.run_tool("net-symbol.json", PARAMS, *SHAPE, "--prefix", "resnet_", "-o", "net.onnx")
        self.run_tool(SYMBOL, PARAMS, *SHAPE, "-o", "plain.onnx")
        self.assertEqual(self.read("net.onnx").count(self.read("plain.onnx")[-2000:-1000]), 1)

    def test_missing_parameters_are_counted(self):
        with open(SYMBOL, encoding="utf-8") as f:
            text = f.read().replace('"fc2_', '"fc9_')
        with open(self.path("net-symbol.json"), "w", encoding="utf-8") as f:
            f.write(text)
        _, err = self.run_tool("net-symbol.json", PARAMS, *SHAPE, status=1)
        self.assertIn("2 of 14 parameters are missing from the parameter files: 'fc9_weight', 'fc9_bias'", err)

    def test_convert_writes_the_weights_without_messages(self):
        out, err = self.run_tool(SYMBOL, PARAMS, "-o", "net.onnx", *SHAPE)
        self.assertIn("wrote net.onnx", out)
        self.assertEqual(err, "")
        self.assertIn(b"conv1_weight", self.read("net.onnx"))

    def test_the_name_and_the_parameters_are_found_without_options(self):
        self.run_tool("convert", SYMBOL, *SHAPE)
        self.assertEqual(os.listdir(self.folder), ["digits.onnx"])
        self.run_tool(SYMBOL, PARAMS, "-o", "again.onnx", *SHAPE)
        self.assertEqual(self.read("digits.onnx"), self.read("again.onnx"))

    def test_a_shape_may_lack_a_name(self):
        self.run_tool(SYMBOL, "-o", "a.onnx", "--input", "1x1x8x8")
        self.run_tool(SYMBOL, "-o", "b.onnx", "--input", "data=1,1,8,8:float32")
        self.assertEqual(self.read("a.onnx"), self.read("b.onnx"))

    def test_standard_output_gets_the_same_bytes(self):
        bytes_, err = self.run_tool(SYMBOL, "-o", "-", *SHAPE, binary=True)
        self.run_tool(SYMBOL, "-o", "net.onnx", *SHAPE)
        self.assertEqual(bytes_, self.read("net.onnx"))

    def test_dynamic_names_a_dimension(self):
        self.run_tool(SYMBOL, "-o", "net.onnx", "--dynamic", "data=batch,1,8,8")
        self.assertIn(b"batch", self.read("net.onnx"))

    def test_an_output_is_chosen_and_renamed(self):
        out, _ = self.run_tool(
            SYMBOL, "-o", "net.onnx", *SHAPE, "--output", "fc1_output", "--output", "pool1_output",
            "--rename", "fc1=hidden", "--json"
        )
        report = json.loads(out)
        self.assertEqual([o["name"] for o in report["outputs"]], ["hidden", "pool1"])

    def test_metadata_is_written_into_the_file(self):
        self.run_tool(SYMBOL, "-o", "net.onnx", *SHAPE, "--metadata", "version=2=3", "--metadata", "empty=")
        self.assertIn(b"\x0a\x05empty\x12\x00", self.read("net.onnx"))
        self.assertIn(b"\x0a\x07version\x12\x032=3", self.read("net.onnx"))
        _, err = self.run_tool(SYMBOL, "-o", "net.onnx", *SHAPE, "--metadata", "input:data=x", status=1)
        self.assertIn("help: choose one that is not 'source_framework' and does not begin with 'input:' or 'mx2onnx_file:'\n", err)

    def test_external_writes_weights_into_a_data_file(self):
        self.run_tool(SYMBOL, "-o", "net.onnx", *SHAPE, "--external", "always:1")
        self.assertEqual(sorted(os.listdir(self.folder)), ["net.onnx", "net.onnx.data"])
        self.assertIn(b"net.onnx.data", self.read("net.onnx"))
        self.assertNotIn(self.folder.encode(), self.read("net.onnx"))

    def test_inputs_are_shown_by_their_names_in_the_file(self):
        for command in ((), ("inspect",)):
            out, _ = self.run_tool(*command, SYMBOL, *SHAPE, "--rename", "data=pixels", "--rename", "fc1_weight=w")
            self.assertRegex(out, r"pixels +float32 +\(1, 1, 8, 8\)")

    def test_graphs_are_printed_as_json(self):
        onnx = json.loads(self.run_tool("inspect", SYMBOL, *SHAPE, "--json", "--graph")[0])
        mxnet = json.loads(self.run_tool("inspect", SYMBOL, *SHAPE, "--symbol", "--json")[0])
        self.assertEqual((onnx["graph"], mxnet["graph"], mxnet["inferred"]), ("onnx", "mxnet", True))
        self.assertIn("Conv", [n["op"] for n in onnx["nodes"]])
        self.assertIn("Convolution", [n["op"] for n in mxnet["nodes"]])
        wrong = ["inspect", SYMBOL, "--input", "1x1x8", "--json"]
        self.assertFalse(json.loads(self.run_tool(*wrong, "--symbol")[0])["inferred"])
        out, err = self.run_tool(*wrong[:-1], "--symbol")  # only the error was printed
        self.assertIn("input data : float32 (1, 1, 8)\n", out)
        self.assertIn(" : float32 ?\n", out)
        self.assertTrue(out.endswith("output softmax\n"), out)
        self.assertIn("mx2onnx: error: node 'conv1' (Convolution): 'data' has shape (1, 1, 8), but must have 4 dimensions\n", err)
        out, err = self.run_tool(*wrong, "--graph", status=1)
        self.assertEqual(out, "")
        self.assertIn("mx2onnx: ", err)
        self.assertIn("errors", {d["severity"] + "s" for d in json.loads(self.run_tool(*wrong)[0])["diagnostics"]})

    def test_node_metadata_is_written_on_request(self):
        self.run_tool(SYMBOL, "-o", "plain.onnx", *SHAPE)
        self.run_tool(SYMBOL, "-o", "told.onnx", *SHAPE, "--node-metadata")
        self.assertNotIn(b"mxnet_node", self.read("plain.onnx"))
        self.assertIn(b"mxnet_node\x12\x05conv1", self.read("told.onnx"))

    def test_preprocessing_without_an_input_is_refused(self):
        for option in ("--mean=softmax_label=1", "--scale=fc1_weight=2", "--reverse-channels=softmax_label", "--channels-last=softmax_label"):
            _, err = self.run_tool(SYMBOL, *SHAPE, option, "-o", "x.onnx", status=1)
            self.assertIn(" is not an input of the model that is written, so its preprocessing would have no effect\n    help: ", err)

    def test_preprocessing_options_change_the_input(self):
        out, _ = self.run_tool("inspect", "--graph", SYMBOL, "--input", "1x1x8x8:uint8", "--channels-last",
                               "--scale", "1e-10")  # too small to go into the weights
        self.assertIn("input data : uint8 (1, 8, 8, 1)", out)
        self.assertIn("float32 () = 1e-10", out)
        out, _ = self.run_tool("inspect", "--graph", SYMBOL, *SHAPE, "--reverse-channels=data", "--mean", "data=1e-1")
        self.assertIn("= 0.1", out)
        for wrong in (["--mean", "data="], ["--mean", "data=1;2"], ["--scale", "1,,2"], ["--scale", "x"], ["--scale", "nan"]):
            self.run_tool(SYMBOL, *SHAPE, *wrong, status=2)
        for wrong in (["--mean", "data=1,2"], ["--channels-last=image"], ["--mean", "image=1"]):
            self.run_tool(SYMBOL, *SHAPE, *wrong, status=1)

    def test_float16_makes_the_file_smaller(self):
        self.run_tool(SYMBOL, "-o", "single.onnx", *SHAPE)
        self.run_tool(SYMBOL, "-o", "half.onnx", *SHAPE, "--float16")
        self.run_tool(SYMBOL, "-o", "inside.onnx", *SHAPE, "--float16=inside", "--keep-float32", "relu2")
        self.assertLess(len(self.read("half.onnx")), 0.6 * len(self.read("single.onnx")))
        out, _ = self.run_tool("inspect", "--graph", SYMBOL, *SHAPE, "--float16", "--force-float16", "softmax")
        self.assertIn("output softmax : float16", out)
        self.run_tool(SYMBOL, *SHAPE, "--float16=half", status=2)
        _, err = self.run_tool(SYMBOL, *SHAPE, "--float16", "--keep-float32", "nosuch", status=1)
        self.assertIn("nosuch", err)

    def test_the_oldest_and_newest_opset_are_written(self):
        for opset in (11, 28):
            self.run_tool(SYMBOL, "-o", "net.onnx", *SHAPE, "--opset", str(opset))

    def test_an_opset_is_chosen_unless_one_is_requested(self):
        with open(self.path("bits-symbol.json"), "w") as f:
            json.dump({"nodes": [{"op": "null", "name": "data", "inputs": []},
                                 {"op": "_npi_bitwise_and", "name": "both", "inputs": [[0, 0, 0], [0, 0, 0]]}],
                       "arg_nodes": [0], "heads": [[1, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}, f)
        for how in ((), ("--opset", "auto")):
            out, err = self.run_tool("bits-symbol.json", "-o", "bits.onnx", "--input", "data=2x3:int32", *how)
            self.assertIn("opset 18\n", out)
            self.assertRegex(out + err, "both.*opset 18")
        _, err = self.run_tool("bits-symbol.json", "-o", "bits.onnx", "--input", "data=2x3:int32", "--opset", "17", status=1)
        self.assertIn("choose opset 18", err)

    def test_completion_knows_the_programs_of_the_library(self):
        """The command line completes the programs that the library knows."""
        _, err = self.run_tool("inspect", SYMBOL, "--for", "opencv9", status=2)
        programs = re.search("the programs are (.*)", err).group(1).split(", ")
        self.assertIn("ncnn", programs)
        completion, _ = self.run_tool("--completion", "bash")
        self.assertEqual(re.search('--for[)].* -W "([^"]+)"', completion).group(1).split(), programs)
        for program in programs:
            out, _ = self.run_tool(SYMBOL, *SHAPE, "--for", program, "-o", program + ".onnx")
            self.assertIn("opset %d" % (12 if program == "ncnn" else 17), out)

    def test_completion_offers_every_status(self):
        """'training only' is two words for a shell; each word that is offered is taken."""
        for shell, pattern in (("bash", '--status[)].* -W "([^"]+)"'), ("zsh", "--status.*[(]([^()]*full[^()]*)[)]"), ("fish", " -l status .*-a '([^']+)'")):
            found = re.search(pattern, self.run_tool("--completion", shell)[0]).group(1).split()
            self.assertEqual(found, ["full", "partial", "differs", "random", "training-only", "no"], shell)
        for word in found:
            self.assertIn("'mx2onnx ops NAME' shows", self.run_tool("ops", "--status", word)[0])

    def test_quiet_prints_nothing_and_verbose_prints_nodes(self):
        self.assertEqual(self.run_tool(SYMBOL, "-q", *SHAPE), ("", ""))
        self.assertEqual(self.run_tool(SYMBOL, "-q", *SHAPE, "-o", "-", binary=True)[1], "")
        out, _ = self.run_tool(SYMBOL, "-v", *SHAPE)
        self.assertIn("nodes", out)
        self.assertIn("softmax", out)

    def test_json_reports_the_conversion(self):
        out, _ = self.run_tool(SYMBOL, "--json", *SHAPE)
        self.assertEqual(json.loads(out)["inputs"][0]["shape"], [1, 1, 8, 8])
        quiet, err = self.run_tool(SYMBOL, "--json", "-q", *SHAPE)  # the report was asked for; what --quiet leaves out is text
        self.assertEqual((quiet, err), (out, ""))

    def test_json_of_check_is_that_of_the_text(self):
        self.run_tool(SYMBOL, *SHAPE, "-q", "-o", "net.onnx", "--external", "always:1")
        out, err = self.run_tool("check", "net.onnx", "--json")
        found = json.loads(out)
        (model,) = found["models"]
        self.assertEqual((found["schema"], model["model"], model["ok"], model["status"], err), (1, "net.onnx", True, "OK", ""))
        self.assertEqual([(d["severity"], d["name"]) for d in model["diagnostics"]], [("note", "net.onnx.data")])
        text, _ = self.run_tool("check", "net.onnx")
        self.assertIn(model["diagnostics"][0]["message"], text)
        with open(self.path("net.onnx.data"), "r+b") as f:
            f.write(b"other")
        out, err = self.run_tool("check", "none.onnx", "net.onnx", "--json", status=1)
        models = json.loads(out)["models"]
        self.assertEqual([(m["ok"], m["status"]) for m in models], [(False, "NOT_FOUND"), (False, "FORMAT")])
        for model in models:
            self.assertTrue([d for d in model["diagnostics"] if d["severity"] == "error" and d["message"] in err.replace("\n", " ")], err)

    def test_json_of_verify_has_the_error(self):
        for model, data in (("none.onnx", PARAMS), ("net.onnx", "none.npz")):
            out, err = self.run_tool("verify", model, "--data", data, "--json", status=1)
            found = json.loads(out)
            self.assertEqual((found["schema"], found["model"], found["data"], found["tolerance"], found["agrees"]), (1, model, data, 1e-4, False))
            self.assertIn(found["failure"], err.replace("\n    help: ", "; "))

    @unittest.skipUnless(ZIP, "built without zip")
    def test_verify_reports_a_missing_model(self):
        with zipfile.ZipFile(self.path("data.npz"), "w") as z:
            for name in ("input:data", "output:softmax"):
                z.writestr(name + ".npy", b"\x93NUMPY\1\0\x46\0" + b"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }".ljust(69) + b"\n" + bytes(4))
        _, err = self.run_tool("verify", "none.onnx", "--data", "data.npz", status=1)
        self.assertEqual(err, "mx2onnx: error: none.onnx: No such file or directory\n    help: check the path\n")

    @unittest.skipUnless(ZIP, "built without zip")
    def test_an_archive_with_a_password_is_refused(self):
        """Both headers of each member say that it is encrypted."""
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            with zipfile.ZipFile(self.path("net.zip"), "w", method) as z:
                z.write(SYMBOL, "net-symbol.json")
                z.write(PARAMS, "net-0000.params")
            with open(self.path("net.zip"), "rb") as f:
                packed = bytearray(f.read())
            for signature, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
                for found in re.finditer(signature, bytes(packed)):
                    packed[found.start() + at] |= 1
            with open(self.path("net.zip"), "wb") as f:
                f.write(packed)
            for options in ((), ("--external", "in-place")):
                _, err = self.run_tool("net.zip", *SHAPE, *options, "-o", "net.onnx", status=1)
                self.assertIn("'net.zip': the member 'net-symbol.json' is encrypted\n    help: pack the archive again without a password\n", err)

    @unittest.skipUnless(ZIP, "built without zip")
    def test_a_whole_model_may_not_have_other_files(self):
        """The advice was what had been done: to load it as a whole model, or to give it as the symbol file."""
        _, err = self.run_tool(SYMBOL, SYMBOL, status=1)
        self.assertIn("is JSON text, not parameters\n    help: give it as the symbol file, and only one such file\n", err)
        with zipfile.ZipFile(self.path("net.zip"), "w") as z:
            z.write(SYMBOL, "net-symbol.json")
        with tarfile.open(self.path("net.tar"), "w") as t:
            t.add(SYMBOL, "net-symbol.json")
        for kind in ("zip", "tar"):
            _, err = self.run_tool("net." + kind, PARAMS, status=1)
            self.assertIn("'net.%s' is a %s archive\n    help: load it as a whole model, without other files\n" % (kind, kind), err)

    # ---- many

    def test_a_folder_of_several_models_is_for_many(self):
        os.makedirs(self.path("models"))
        for name in ("age", "gender"):
            shutil.copy(SYMBOL, self.path("models/%s-symbol.json" % name))
            shutil.copy(PARAMS, self.path("models/%s-0000.params" % name))
        _, err = self.run_tool("convert", "models", status=1)
        self.assertIn("'models' holds several models: 'age-symbol.json', 'gender-symbol.json'\n"
                      "    help: give the symbol file of one, or convert all of a folder with 'mx2onnx many'\n", err)
        self.assertIn("2 of 2 models converted", self.run_tool("many", "models", "-o", "converted", *SHAPE)[0])
        with tarfile.open(self.path("models.tar.gz"), "w:gz") as tar:
            tar.add(self.path("models"), "models")
        _, err = self.run_tool("models.tar.gz", status=1)
        self.assertIn("    help: unpack it, then give the symbol file of one, or convert all of a folder with 'mx2onnx many'\n", err)

    def tree(self):
        """Two models that are whole, in their own folders, and one whose parameters end early; and a link to all of it."""
        for folder in ("models/a/b", "models/c", "models/cut"):
            os.makedirs(self.path(folder))
            for file in (SYMBOL, PARAMS):
                shutil.copy(file, self.path(folder))
        os.truncate(self.path("models/cut/digits-0000.params"), 500)
        open(self.path("models/notes.json"), "w").close()
        os.symlink("..", self.path("models/a/again"))

    def files(self, folder):
        return sorted(os.path.relpath(os.path.join(f, n), self.path(folder)) for f, _, names in os.walk(self.path(folder)) for n in names)

    def test_many_converts_the_rest_if_one_model_fails(self):
        """A model that fails stops no other one; the folders stay; each file is what convert writes."""
        self.tree()
        out, err = self.run_tool("many", "models", "-o", "new/out", *SHAPE, status=1)
        self.assertEqual(out, "2 of 3 models converted, 1 failed\n")
        self.assertEqual(self.files("new"), ["out/a/b/digits.onnx", "out/c/digits.onnx"])
        progress, failures = err.splitlines()[:3], err.splitlines()[3:]
        self.assertRegex(progress[0], r"^\[1/3\] models/a/b/digits-symbol.json -> new/out/a/b/digits.onnx \(\d+\.\d KB\)$")
        self.assertEqual(progress[2], "[3/3] models/cut/digits-symbol.json: failed")
        self.assertTrue(failures[0].startswith("mx2onnx: error: models/cut/digits-symbol.json: 'models/cut/digits-0000.params' ends within array 0"), failures)
        self.assertEqual(failures[1:], ["    help: copy the file again: it is damaged or was not copied completely"])
        self.run_tool(SYMBOL, *SHAPE, "-q", "-o", "one.onnx")
        self.assertEqual(self.read("new/out/c/digits.onnx"), self.read("one.onnx"))
        shutil.rmtree(self.path("models/cut"))
        self.assertEqual(self.run_tool("many", "models/", "-o", "again/", "-q", *SHAPE), ("", ""))
        self.assertEqual(self.files("again"), ["a/b/digits.onnx", "c/digits.onnx"])

    def test_many_reports_as_json(self):
        self.tree()
        out, err = self.run_tool("many", "models", "-o", "out", "--json", *SHAPE, status=1)
        found = json.loads(out)
        self.assertEqual((sorted(found), found["schema"]), (["converted", "failed", "schema"], 1))
        self.assertEqual(found["converted"][1], {"model": "models/c/digits-symbol.json", "onnx": "out/c/digits.onnx",
                                                 "bytes": os.path.getsize(self.path("out/c/digits.onnx")), "warnings": 0, "diagnostics": []})
        (failed,) = found["failed"]
        self.assertEqual((failed["model"], failed["status"]), ("models/cut/digits-symbol.json", "FORMAT"))
        self.assertEqual([(d["severity"], d["message"]) for d in failed["diagnostics"]], [("error", failed["message"])])
        self.assertIn("%s: %s\n    help: %s\n" % (failed["model"], failed["message"], failed["advice"]), err)
        self.assertIn("2 of 3 models converted, 1 failed\n", err)
        out, err = self.run_tool("many", "models/cut", "-o", "out", "--json", "-q", *SHAPE, status=1)
        self.assertEqual((json.loads(out)["converted"], len(err.splitlines())), ([], 2))

    def test_many_shows_warnings(self):
        """They were counted only."""
        os.mkdir(self.path("models"))
        for file in (SYMBOL, PARAMS):
            shutil.copy(file, self.path("models"))
        out, err = self.run_tool("many", "models", "-o", "out", *SHAPE, "--prefix", "nosuch_", "--json")
        (model,) = json.loads(out)["converted"]
        self.assertEqual((model["warnings"], model["diagnostics"][0]["severity"]), (1, "warning"))
        self.assertRegex(err, r"^\[1/1\] .*, 1 warning\n  warning: the prefix 'nosuch_' has no effect")
        self.assertIn("\n1 of 1 model converted, 1 with warnings\n", err)
        self.assertEqual(self.run_tool("many", "models", "-o", "out", *SHAPE, "--prefix", "nosuch_", "-q"), ("", ""))

    def test_a_damaged_file_is_named_by_its_path(self):
        """Only the name without the folder was shown, which several files of a run may have."""
        os.makedirs(self.path("one/two"))
        shutil.copy(SYMBOL, self.path("one/two/net-symbol.json"))
        with open(PARAMS, "rb") as f, open(self.path("one/two/net-0000.params"), "wb") as cut:
            cut.write(f.read(500))
        with open(self.path("one/bad-symbol.json"), "w") as f:
            f.write('{"nodes": [')
        for given in (["one/two"], ["one/two/net"], ["one/two/net-symbol.json", "one/two/net-0000.params"]):
            self.assertIn("'one/two/net-0000.params' ends within array 0", self.run_tool(*given, status=1)[1])
        self.assertIn("'one/bad-symbol.json', line ", self.run_tool("one/bad-symbol.json", status=1)[1])
        if ZIP:
            with zipfile.ZipFile(self.path("one/net.zip"), "w") as z:
                for name in ("net-symbol.json", "net-0000.params"):
                    z.write(self.path("one/two/" + name), "inside/" + name)
            self.assertIn("'one/net.zip/inside/net-0000.params' ends within array 0", self.run_tool("one/net.zip", status=1)[1])

    def test_the_file_that_gives_shapes_is_named(self):
        """Nothing said where they came from."""
        for file, content in (("model-shapes.json", [{"name": "data", "shape": [1, 1, 8, 8]}]),
                              ("signature.json", {"inputs": [{"data_name": "data", "data_shape": [0, 1, 8, 8]}]}),
                              ("hyperparams.json", {"image_shape": "1,8,8"})):
            os.makedirs(self.path(file + "/net"))
            for one in (SYMBOL, PARAMS):
                shutil.copy(one, self.path(file + "/net"))
            with open(self.path(file + "/net/" + file), "w") as f:
                json.dump(content, f)
            out, _ = self.run_tool(file + "/net", "-o", "net.onnx")
            self.assertIn("note: 'data': its shape is taken from '%s/net/%s', unless another one is set\n" % (file, file), out)
            self.assertIn("(batch, 1, 8, 8)", out)
            out, _ = self.run_tool(file + "/net", "-o", "net.onnx", "--dynamic", "n,1,8,8")
            self.assertNotIn("is taken from", out)
        with open(self.path(file + "/net/" + file), "w") as f:
            json.dump({"image_shape": "8"}, f)
        said = "'data': its shape is taken from '%s/net/%s', and may be another model's\n" % (file, file)
        for command in ([], ["inspect"], ["many", "-o", "out"]):
            out, err = self.run_tool(*command, file + "/net", status=0 if command == ["inspect"] else 1)
            self.assertEqual((out + err).count("is taken from"), 1)
            self.assertIn(said, out + err)
        self.assertNotIn("is taken from", self.run_tool(file + "/net", "--input", "1x3x8x8", status=1)[1])

    def test_the_file_of_a_folder_has_its_name(self):
        """The folder . became ..onnx, which is hidden."""
        os.makedirs(self.path("net/sub"))
        for file in (SYMBOL, PARAMS):
            shutil.copy(file, self.path("net"))
        for folder, given, file in (("net", ".", "model"), ("net", "./", "model"), ("net/sub", "..", "model"), ("net/sub", "../../net/.", "net"),
                                    (".", "net", "net"), (".", "net//", "net"), (".", "net/./", "net"), (".", "net/sub/..", "model")):
            subprocess.run([TOOL, given, *SHAPE, "-q"], cwd=self.path(folder), check=True)
            os.remove(self.path(folder + "/" + file + ".onnx"))
        self.assertEqual(self.files("."), ["net/digits-0000.params", "net/digits-symbol.json"])

    @unittest.skipUnless(ZIP, "built without zip")
    def test_many_converts_archives(self):
        os.mkdir(self.path("models"))
        for name in ("a.zip", "b.mar", "c.model", "d.ZIP", "pictures.gz"):
            with zipfile.ZipFile(self.path("models/" + name), "w") as z:
                for file in (SYMBOL, PARAMS):
                    z.write(file, os.path.basename(file))
        for name, text in (("pieces.model", "\n\x0e\n\x05<unk>"), ("empty.model", "")):  # of SentencePiece
            with open(self.path("models/" + name), "w") as f:
                f.write(text)
        self.run_tool("many", "models", "-o", "out", *SHAPE)
        self.assertEqual(self.files("out"), ["a.onnx", "b.onnx", "c.onnx", "d.onnx"])

    def test_many_reads_a_list(self):
        """In a file and on standard input, with the line ends of either system; a path from elsewhere stays below the folder."""
        self.tree()
        lines = "models/c/digits\r\n\n../%s/models/a/b/digits-symbol.json\n%s" % (os.path.basename(self.folder), SYMBOL)
        with open(self.path("list"), "w", newline="") as f:
            f.write(lines)
        out, _ = self.run_tool("many", "@list", "-o", "out", "--json", *SHAPE)
        written = [r["onnx"] for r in json.loads(out)["converted"]]
        self.assertEqual(written[0], "out/models/c/digits.onnx")
        self.assertEqual(written[1], "out/%s/models/a/b/digits.onnx" % os.path.basename(self.folder))
        self.assertEqual(written[2], "out" + SYMBOL.replace("-symbol.json", ".onnx"))
        self.assertEqual(len(self.files("out")), 3)
        p = subprocess.run([TOOL, "many", "-", "-o", "other", *SHAPE], cwd=self.folder, capture_output=True, input=lines.encode())
        self.assertEqual((p.returncode, p.stdout), (0, b"3 of 3 models converted\n"))
        self.assertEqual(self.files("other"), self.files("out"))

    def test_many_escapes_the_help(self):
        os.mkdir(self.path("models"))
        with open(SYMBOL, encoding="utf-8") as f:
            text = f.read()
        with open(self.path("models/net-symbol.json"), "w", encoding="utf-8") as f:
            f.write(text.replace('"fc1"', '"fc\\u001b1"'))
        _, err = self.run_tool("many", "models", "-o", "out", "--output", "fc1_output", status=1)
        self.assertIn("    help: the nearest is 'fc\\x1b1'\n", err)

    def test_many_replaces_no_model_of_the_same_run(self):
        """A model that would replace another is not converted, and stops no other."""
        with open(self.path("list"), "w") as f:
            f.write("%s\n%s\n" % (SYMBOL, SYMBOL.replace("-symbol.json", "")))
        out, err = self.run_tool("many", "@list", "-o", "out", "--json", *SHAPE, status=1)
        self.assertRegex(" ".join(err.split()), r"digits: it is not converted, because it would be written to 'out.*digits\.onnx', like '.*digits-symbol\.json'")
        self.assertEqual([(f["model"], f["status"]) for f in json.loads(out)["failed"]], [(SYMBOL.replace("-symbol.json", ""), "INVALID_ARGUMENT")])
        self.assertEqual((len(json.loads(out)["converted"]), sorted(os.listdir(self.folder)), len(self.files("out"))), (1, ["list", "out"], 1))

    def test_many_fails_without_a_model(self):
        os.makedirs(self.path("empty/folder"))
        open(self.path("list"), "w").close()
        for given, said in (("empty", "no model was found in 'empty'\n    help: give a folder with *-symbol.json"), ("@list", "no model was found in 'list'"),
                            ("nosuch", "'nosuch' does not exist\n    help: check the path"), ("@nosuch", "'nosuch' cannot be read: No such file")):
            out, err = self.run_tool("many", given, "-o", "out", "--json", status=1)
            self.assertIn("mx2onnx: error: ", err)
            self.assertIn(said, err)
            self.assertEqual((json.loads(out)["converted"], json.loads(out)["failed"]), ([], []))
            self.assertEqual(len(err.splitlines()), 2, err)  # a folder is not counted among the models

    def test_many_refuses_wrong_options_once(self):
        """What is wrong for any model is said once, before the first; what is wrong for one is that model's failure."""
        self.tree()
        for wrong, said in ((["--opset", "9"], "11 to 28"), (["--input", "1x1x8x8:float33"], "float33"), (["--set", "a=b"], "NAME=NUMBER"),
                            (["--input", "a=1", "--input", "a=2"], "both for 'a'"), (["--classes", "x"], "1 or more"), (["-v"], "is not an option"),
                            (["--metadata", "a=1", "--metadata", "a=2"], "was given before"), (["--published", "x"], "normalization"), (["c"], "one folder")):
            out, err = self.run_tool("many", "models", "-o", "out", *wrong, status=2)
            self.assertIn(said, err)
            self.assertEqual((out, len(err.splitlines()), os.path.exists(self.path("out"))), ("", 2, False))
        for arguments in (["many", "-o", "out"], ["many", "models"], ["many", "models", "-o", "-"], ["many", "", "-o", "out"]):
            self.run_tool(*arguments, status=2)
        out, err = self.run_tool("many", "models/c", "-o", "out", "--classes", "3", "--json", status=1)
        (failed,) = json.loads(out)["failed"]
        self.assertIn("--classes is for parameters without a symbol", failed["message"])
        self.assertNotIn("--help", err)

    def test_many_fails_where_nothing_can_be_written(self):
        self.tree()
        open(self.path("file"), "w").close()
        for out in ("file", "file/out"):
            _, err = self.run_tool("many", "models", "-o", out, *SHAPE, status=1)
            self.assertIn("error: the folder '%s' cannot be created: " % out, err)
            self.assertEqual((err.splitlines()[1:], self.read("file")), (["    help: write to another folder, because a file has this name"], b""))

    def test_many_leaves_no_folder_of_a_model_that_failed(self):
        """Only folders that were not there before are removed, and the folder to write to if nothing was converted."""
        self.tree()
        self.run_tool("many", "models", "-o", "out", *SHAPE, status=1)
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["a", "c"])
        self.run_tool("many", "models/cut", "-o", "new/out", *SHAPE, status=1)
        self.assertFalse(os.path.exists(self.path("new")))
        os.makedirs(self.path("old/cut"))
        self.run_tool("many", "models", "-o", "old", "--output", "nosuch", *SHAPE, status=1)
        self.assertEqual((os.listdir(self.path("old")), os.listdir(self.path("old/cut"))), (["cut"], []))

    # ---- errors

    def test_usage_errors_are_named(self):
        for arguments, word in (
            (["--no-such-option", SYMBOL], "no-such-option"),
            (["-o", "x.onnx"], "no model is given"),
            ([SYMBOL, "--input", "data=1x"], "data=1x"),
            ([SYMBOL, "--input", "data=1xx3"], "data=1xx3"),
            ([SYMBOL, "--input", "="], "="),
            ([SYMBOL, "--input", "data=1x1x8x8:float33"], "float33"),
            ([SYMBOL, "--input", "data=99999999999999999999"], "99999999999999999999"),
            ([SYMBOL, "--dynamic", "data=1,1,8,8"], "has no name"),
            ([SYMBOL, "--rename", "a"], "OLD=NEW"),
            ([SYMBOL, "--metadata", "a"], "KEY=VALUE"),
            ([SYMBOL, "--metadata", "=a"], "KEY=VALUE"),
            ([SYMBOL, "--metadata", "a=1", "--metadata", "a=2"], "was given before"),
            ([SYMBOL, "--opset", "10"], "11 to 28"),
            ([SYMBOL, "--opset", "17x"], "17x"),
            ([SYMBOL, "--opset", "1\x1f7"], "'--opset 1\\x1f7' is not an opset that can be written\n    help: use auto"),
            ([SYMBOL, "--external", "sometimes"], "sometimes"),
            ([SYMBOL, "--external", "auto:5"], "auto:5"),
            ([SYMBOL, "--external", "always:0"], "always:0"),
            (["inspect"], "no model is given"),
            (["ops", "--yaml"], "yaml"),
        ):
            out, err = self.run_tool(*arguments, status=2)
            self.assertEqual(out, "", arguments)
            self.assertIn(word, err)
            self.assertEqual(os.listdir(self.folder), [])

    def test_no_message_names_a_function_of_c(self):
        """Messages are about the command line, not about the C library's functions."""
        for arguments, status in (([""], 1), (["inspect", ""], 1), (["check", ""], 1), ([SYMBOL, "--keep-unknown="], 2)):
            _, err = self.run_tool(*arguments, status=status)
            self.assertNotIn("mx2onnx_", err)
        self.assertIn("'--keep-unknown=' is not a domain", err)

    def test_a_net_may_not_be_given_with_a_symbol(self):
        _, err = self.run_tool(SYMBOL, "--net", "nope", status=2)
        self.assertIn("--net is for parameters without a symbol file, but '%s' is one" % SYMBOL, err)

    def test_an_unknown_net_is_not_found(self):
        """As text and as JSON."""
        (text, reason), (json_text, json_reason) = (self.run_tool("nets", *how, "nosuch", status=1) for how in ((), ("--json",)))
        self.assertEqual((text, json.loads(json_text)["nets"], json_reason), ("", [], reason))
        self.assertTrue(not ZIP or "no name of a published net has 'nosuch' in it\n    help: 'mx2onnx nets' lists them" in reason, reason)

    def test_check_reports_a_missing_file(self):
        out, err = self.run_tool("check", "nosuch.onnx", status=1)
        self.assertEqual(out, "nosuch.onnx: cannot be checked\n")
        self.assertIn("nosuch.onnx", err)
        self.run_tool(SYMBOL, *SHAPE, "-o", "net.onnx", "--external", "always:1")
        os.remove(self.path("net.onnx.data"))
        self.assertIn("net.onnx: failed\n", self.run_tool("check", "net.onnx", status=1)[0])

    def test_a_missing_file_is_named(self):
        out, err = self.run_tool("no-such-symbol.json", status=1)
        self.assertIn("no-such", err)
        self.assertIn("error", err)

    def test_unknown_inputs_and_outputs_are_named(self):
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

    def test_an_unknown_operator_of_a_fork_names_the_fork(self):
        with open(self.path("net-symbol.json"), "w") as f:
            json.dump({"nodes": [{"op": "null", "name": "data", "inputs": []}, {"op": "QActivation", "name": "q", "inputs": [[0, 0, 0]]}],
                       "arg_nodes": [0], "heads": [[1, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}, f)
        _, err = self.run_tool("net-symbol.json", "--input", "2x3", status=1)
        self.assertIn("the operator 'QActivation' is unknown: it is a binary operator of the fork BMXNet\n    help: register a handler", err)
        self.assertIn("It is a binary operator of the fork BMXNet.", self.run_tool("ops", "QActivation", status=1)[0])

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

    def test_a_domain_after_a_blank_is_not_taken_for_a_file(self):
        for given in ([SYMBOL, "--keep-unknown", "my.domain"], ["--keep-unknown", "my.domain", SYMBOL]):
            _, err = self.run_tool(*given, *SHAPE, status=2)
            self.assertIn("'my.domain' is taken for a file\n    help: did you mean --keep-unknown=my.domain?", err)
        self.run_tool(*SHAPE, "-o", "x.onnx", "--keep-unknown", SYMBOL.replace("-symbol.json", ""))

    def test_a_prefix_may_have_a_parameter_file(self):
        self.run_tool(SYMBOL.replace("-symbol.json", ""), PARAMS, *SHAPE, "-q", "-o", "prefix.onnx")
        self.run_tool(SYMBOL, PARAMS, *SHAPE, "-q", "-o", "files.onnx")
        self.assertEqual(self.read("prefix.onnx"), self.read("files.onnx"))
        self.assertIn("'nosuch'", self.run_tool("nosuch", PARAMS, status=1)[1])

    def test_shapes_of_kept_operators_can_be_given(self):
        with open(self.path("net-symbol.json"), "w") as f:
            json.dump({"nodes": [{"op": "null", "name": "data", "inputs": []},
                                 {"op": "Mystery", "name": "m", "inputs": [[0, 0, 0]]},
                                 {"op": "Reshape", "name": "r", "inputs": [[1, 0, 0]], "attrs": {"shape": "(0, -1)"}},
                                 {"op": "mean", "name": "s", "inputs": [[1, 2, 0]]},
                                 {"op": "relu", "name": "dead", "inputs": [[1, 1, 0]]}],
                       "arg_nodes": [0], "heads": [[2, 0, 0], [3, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}, f)
        given = ["net-symbol.json", "--input", "data=2x3", "--keep-unknown"]
        for options, said in (([], "'m' of this operator is unknown"),
                              (["--dynamic", "m=n,4,5"], "'m_output2' of this operator is unknown"),
                              (["--input", "m=2x4x5", "--input", "m_output2=7", "--input", "m_output5=7"], "'m_output5': nothing"),
                              (["--input", "m=2x4x5", "--input", "m_output2=7", "--mean", "m=1"], "the node is not an input"),
                              (["--input", "m=2x4x5", "--input", "r=7"], "'r': the model has no input"),
                              (["--output", "m_output3"], "'m_output3': the model has no output")):
            _, err = self.run_tool(*given, *options, status=1)
            self.assertIn(said, err)
        _, err = self.run_tool(*given, status=1)
        self.assertIn("set it with --input m=DIMS", err)
        out, _ = self.run_tool("inspect", "--graph", *given, "--dynamic", "m=n,4,5", "--input", "m_output2=7:float64")
        self.assertIn("output r : float32 (n, 20)", out)
        self.assertIn("output s : float64 (1,)", out)
        out, _ = self.run_tool("inspect", "--graph", *given, "--output", "m_output")
        self.assertIn("m = mxnet::Mystery(data)", out)

    def test_detections_of_a_training_symbol_stay_without_its_parameters(self):
        """The convolutions' weights are absent, but are not labels: only the loss is left out."""
        names = ["data", "label", "conv_weight", "conv_bias", "loc_weight", "loc_bias"]
        conv = {"kernel": "(1, 1)", "num_filter": "4"}
        nodes = [{"op": "null", "name": n, "inputs": []} for n in names] + [
            {"op": "Convolution", "name": "conv", "attrs": conv, "inputs": [[0, 0, 0], [2, 0, 0], [3, 0, 0]]},
            {"op": "SoftmaxOutput", "name": "cls_prob", "attrs": {"multi_output": "True"}, "inputs": [[6, 0, 0], [1, 0, 0]]},
            {"op": "Convolution", "name": "loc", "attrs": conv, "inputs": [[0, 0, 0], [4, 0, 0], [5, 0, 0]]},
            {"op": "elemwise_mul", "name": "product", "inputs": [[7, 0, 0], [8, 0, 0]]},
            {"op": "MakeLoss", "name": "det_out", "attrs": {"grad_scale": "0"}, "inputs": [[9, 0, 0]]},
            {"op": "elemwise_sub", "name": "error", "inputs": [[8, 0, 0], [1, 0, 0]]},
            {"op": "MakeLoss", "name": "loc_loss", "inputs": [[11, 0, 0]]}]
        with open(self.path("ssd-symbol.json"), "w") as f:
            json.dump({"nodes": nodes, "arg_nodes": list(range(6)), "heads": [[7, 0, 0], [12, 0, 0], [10, 0, 0]],
                       "attrs": {"mxnet_version": ["int", 10901]}}, f)
        out, _ = self.run_tool("inspect", "ssd-symbol.json")
        self.assertRegex(out, "outputs: 2\n +cls_prob .*\n +det_out ")
        self.assertIn("node 'loc_loss' (MakeLoss): the output", out)
        self.assertNotIn("'det_out'", out)

    def test_many_with_a_file_says_what_to_write(self):
        out, err = self.run_tool("many", SYMBOL, "-o", "out", status=1)
        self.assertIn("help: for a single model use mx2onnx FILE -o FILE.onnx", out + err)

    def kept(self, nodes, heads, *options, status=0):
        """What the program prints for a symbol with unknown operators that all read node 0."""
        variables = [i for i, n in enumerate(nodes) if n[0] == "null"]
        with open(self.path("kept-symbol.json"), "w") as f:
            json.dump({"nodes": [{"op": op, "name": name, "inputs": [[i, k, 0] for i, k in inputs], "attrs": attrs} for op, name, inputs, attrs in nodes],
                       "arg_nodes": variables, "heads": [[i, 0, 0] for i in heads], "attrs": {"mxnet_version": ["int", 10901]}}, f)
        return self.run_tool("inspect", "--graph", "kept-symbol.json", "--input", "data=2x3", "--keep-unknown", *options, status=status)

    DATA = ("null", "data", [], {})

    def test_a_shape_is_of_one_output(self):
        """m_output1 is the node of this name, and not output 1 of m too."""
        nodes = [self.DATA, ("Mystery", "m", [(0, 0)], {}), ("Mystery", "m_output1", [(0, 0)], {}), ("exp", "y", [(1, 1)], {}),
                 ("exp", "z", [(2, 0)], {})]
        out, _ = self.kept(nodes, [3, 4], "--input", "m_output1=2x7")
        self.assertIn("output z : float32 (2, 7)", out)
        self.assertIn("output y : float32 ?", out)

    def test_each_open_size_of_kept_operators_has_its_own_name(self):
        nodes = [self.DATA, ("Mystery", "m", [(0, 0)], {}), ("exp", "y", [(1, 0)], {}), ("exp", "z", [(1, 1)], {})]
        for sizes in ("-1,3,-1", "m,3,m"):
            out, _ = self.kept(nodes, [2, 3], "--dynamic", "m=" + sizes, "--dynamic", "m_output1=-1,3,-1")
            shapes = [line.split("(")[1].rstrip(")").split(", ") for line in out.splitlines() if line.startswith("output ")]
            names = shapes[0][::2] + shapes[1][::2]
            self.assertEqual(len(set(names)), 4, out)

    def test_the_kept_operator_that_is_the_cause_is_named(self):
        """The first one, m, is read by a node that needs no shape."""
        nodes = [self.DATA, ("Mystery", "m", [(0, 0)], {}), ("exp", "a", [(1, 0)], {}), ("Mystery", "n", [(0, 0)], {}),
                 ("exp", "b", [(3, 0)], {}), ("softmax", "z", [(4, 0)], {"axis": "1"})]
        _, err = self.kept(nodes, [2, 5], "--output", "a", "--output", "z", status=1)
        self.assertIn("the shape of output 'n' of this operator is unknown, but node 'z' (softmax) needs it", err)
        self.kept(nodes, [2, 5], "--input", "n=2x3")

    def test_a_kept_operator_is_found_by_its_new_name(self):
        """Two nodes have the same name: what the message calls the second one is what its shape is stated for."""
        nodes = [self.DATA, ("Mystery", "m", [(0, 0)], {}), ("Mystery", "m", [(0, 0)], {}), ("Flatten", "y", [(1, 0)], {}),
                 ("Flatten", "z", [(2, 0)], {})]
        _, err = self.kept(nodes, [3, 4], "--input", "m=2x3x4", status=1)
        self.assertIn("set it with --input m_1=DIMS", err)
        out, _ = self.kept(nodes, [3, 4], "--input", "m=2x3x4", "--input", "m_1=5x6x7")
        self.assertIn("(2, 12)", out)
        self.assertIn("(5, 42)", out)
        self.assertIn("no input of this name", self.kept(nodes, [3, 4], "--input", "m_2=2x3x4", status=1)[1])
        further = [*nodes[:4], ("Flatten", "z", [(2, 1)], {})]
        out, _ = self.kept(further, [3, 4], "--input", "m=2x3x4", "--input", "m_1_output1=5x6x7")
        self.assertIn("(5, 42)", out)
        for name in ("m_2_output1", "mm1_output1", "m_1_outpuT1", "1"):
            self.assertIn("no input of this name", self.kept(further, [3, 4], "--input", name + "=2x3x4", status=1)[1])

    def test_json_has_the_error(self):
        out, err = self.run_tool(SYMBOL, "--json", "--input", "data=1x1x1x1", status=1)
        report = json.loads(out)
        self.assertTrue([d for d in report["diagnostics"] if d["severity"] == "error"], report)
        self.assertIn("error", err)

    def test_damaged_parameters_are_named_once(self):
        with open(self.path("bad.params"), "wb") as f:
            f.write(b"\x12\x01\0\0\0\0\0\0 this is not a list of arrays")
        _, err = self.run_tool(SYMBOL, "bad.params", *SHAPE, status=1)
        self.assertEqual(err.count("bad.params"), 1, err)

    # ---- names that are not meant for terminals

    EVIL = "a\x1b[2K\rwrote ok\nmx2onnx: error\x7f\u0085\u009b31m\u202egnp\u2066\u200f\u061c\u2028"

    def evil_model(self, op="relu", name=EVIL, inputs=None, head="head" + EVIL):
        nodes = [{"op": "null", "name": n, "inputs": []} for n in (inputs or [name])]
        nodes.append({"op": op, "name": head, "inputs": [[i, 0, 0] for i in range(len(nodes))], "attrs": {"evil" + self.EVIL: self.EVIL}})
        with open(self.path("evil-symbol.json"), "w") as f:
            json.dump({"nodes": nodes, "arg_nodes": list(range(len(nodes) - 1)), "heads": [[len(nodes) - 1, 0, 0]],
                       "attrs": {"mxnet_version": ["int", 10901]}}, f)

    def assertHarmless(self, text, lines=None):
        """Nothing but line ends and what can be seen."""
        self.assertEqual(re.findall("[\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]", text), [])
        self.assertNotRegex(text, r"(?m)^(wrote ok|mx2onnx: error.x7f)")

    def test_names_are_escaped(self):
        self.evil_model()
        shape = ["--input", "2x3"]
        for arguments, status in (
            (["inspect", "evil-symbol.json"], 0), (["inspect", "evil-symbol.json", *shape, "--symbol"], 0),
            (["inspect", "evil-symbol.json", *shape, "--graph"], 0), (["inspect", "evil-symbol.json", *shape, "-v"], 0),
            (["evil-symbol.json", *shape, "-o", "x.onnx"], 0), (["evil-symbol.json", *shape, "-v", "-v", "-o", "x.onnx"], 0),
            (["evil-symbol.json", "-o", "x" + self.EVIL.replace("/", "") + ".onnx"], 1),
            (["evil-symbol.json", *shape, "-o", "x" + self.EVIL + ".onnx"], 0),
            (["evil-symbol.json", *shape, "-o", self.EVIL + "/x.onnx"], 1),
            (["evil-symbol.json", "--input", self.EVIL + "=1xx"], 2), (["evil-symbol.json", "--input", self.EVIL + "x=1x1"], 1),
            (["evil-symbol.json", "--" + self.EVIL], 2), (["evil-symbol.json", "--external", self.EVIL], 2),
            (["no" + self.EVIL], 1), (["ops", self.EVIL], 1), (["evil-symbol.json", *shape, "--output", "no" + self.EVIL], 1),
        ):
            out, err = self.run_tool(*arguments, status=status)
            self.assertHarmless(out + err)
        out, _ = self.run_tool("inspect", "evil-symbol.json")
        self.assertIn(r"a\x1b[2K\rwrote ok\nmx2onnx: error\x7f\u0085\u009b", out)

    def test_operators_are_escaped(self):
        self.evil_model(op="Op" + self.EVIL)
        for arguments, status in ((["inspect"], 0), (["convert"], 1)):
            out, err = self.run_tool(*arguments, "evil-symbol.json", "--input", "2x3", status=status)
            self.assertIn("Op", out + err)
            self.assertHarmless(out + err)

    def test_json_keeps_names_and_is_escaped(self):
        self.evil_model()
        for arguments in (["inspect", "evil-symbol.json", "--json"], ["evil-symbol.json", "--input", "2x3", "--json", "-o", "x.onnx"]):
            out, _ = self.run_tool(*arguments)
            self.assertHarmless(out)
            self.assertEqual(json.loads(out)["inputs"][0]["name"], self.EVIL)

    def test_bytes_that_are_not_utf8_are_escaped(self):
        out, err = self.run_tool(b"\xff\x9b\xc0\x80-symbol.json", status=1)
        self.assertIn(r"\xff\x9b\xc0\x80-symbol.json", err)
        self.assertHarmless(err)

    def test_long_names_are_shortened(self):
        self.evil_model(name="n" * 100000, head="h" * 100000)
        for arguments in (["inspect", "evil-symbol.json"], ["evil-symbol.json", "--input", "n" * 100000 + "=2x3", "-o", "x.onnx"]):
            out, err = self.run_tool(*arguments)
            self.assertLess(len(out + err), 4000)
            self.assertIn("nnn...nnn", out + err)

    # ---- JSON, also where the model cannot be read

    def test_json_has_the_error_of_a_damaged_symbol(self):
        for name, text in (("cut-symbol.json", '{"nodes": [{"op"'), ("empty-symbol.json", ""), ("list-symbol.json", "[]")):
            with open(self.path(name), "w") as f:
                f.write(text)
            for command in ("convert", "inspect"):
                out, err = self.run_tool(command, name, "--json", status=1)
                self.assertEqual(json.loads(out)["diagnostics"][0]["severity"], "error")
                self.assertIn("error", err)
        out, _ = self.run_tool("no-such-symbol.json", "--json", status=1)
        self.assertTrue(json.loads(out)["diagnostics"])

    def test_json_never_mixes_with_the_model(self):
        out, err = self.run_tool(SYMBOL, *SHAPE, "--json", "-o", "-", binary=True)
        self.assertIn('"outputs"', err)
        out, err = self.run_tool(SYMBOL, "--input", "1x1x1x1", "--json", "-o", "-", status=1)
        self.assertEqual(out, "")
        self.assertIn('"diagnostics"', err)

    # ---- files of other programs

    def test_other_files_are_named(self):
        """As model, as symbol and as parameters: what the file is, and what to do."""
        self.run_tool(SYMBOL, *SHAPE, "-q", "-o", "net.onnx")
        torch, script = io.BytesIO(), io.BytesIO()
        for file, member in ((torch, "archive/data.pkl"), (script, "net/data/0")):
            with zipfile.ZipFile(file, "w") as z:
                z.writestr(member, b"\x80\x02")
        meta = b"\x0a\x1c" + b"\x2a" * 28
        files = {
            "ONNX model already; it needs no conversion": self.read("net.onnx"),
            "PyTorch file, not an MXNet file; load it in Python and export it to ONNX with torch.onnx.export": torch.getvalue(),
            "is a PyTorch file": script.getvalue(),
            "Python pickle, not an MXNet file; if it is PyTorch's, export": b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.",
            "TensorFlow's (a SavedModel or a frozen graph), not an MXNet file; export it to ONNX with tf2onnx":
                b"\x08\x01\x12\x9e\x01" + meta * 5,
            "is TensorFlow's (a SavedModel or a frozen graph)": b"\x0a\x2a\x0a\x05input\x12\x0bPlaceholder" + b"\x2a\x12" * 11,
            "TensorFlow Lite model": b"\x1c\0\0\0TFL3" + bytes(40),
            "HDF5 file, as Keras writes them": b"\x89HDF\r\n\x1a\n" + bytes(40),
            "engine of TensorRT, which holds no graph": b"ftrt\0\0\0\0\x01\0\0\0" + bytes(40),
            "is an engine of TensorRT": b"ptrt\0\0\0\0\x01\0\0\0" + bytes(40),
            "pointer of Git LFS, not the file itself; fetch the file with 'git lfs pull'":
                b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
            "web page or XML, probably the error page of a download": b"<!DOCTYPE html>\n<html>",
            "compressed with bzip2; unpack it": b"BZh91AY&SY" + bytes(40),
            "compressed with 7-Zip": b"7z\xbc\xaf\x27\x1c\0\x04" + bytes(40),
            "compressed with xz": b"\xfd7zXZ\0" + bytes(40),
            "compressed with zstd": b"\x28\xb5\x2f\xfd" + bytes(40),
            "compressed with RAR": b"Rar!\x1a\x07\x01\0" + bytes(40),
            "safetensors file: weights of another framework": b"\x40\0\0\0\0\0\0\0{\"w\":{\"dtype\":\"F32\"}}" + bytes(40),
            "holds parameters of a model that TVM compiled, as SageMaker Neo does; convert the MXNet model that was compiled":
                b"\xb7\x9c\x04\x05\x4f\x8d\xe5\xf7" + bytes(40),
            "GGUF file": b"GGUF\x03\0\0\0" + bytes(40),
        }
        for text, data in files.items():
            with open(self.path("file"), "wb") as f:
                f.write(data)
            for arguments in (["file"], ["inspect", "file"], ["file", PARAMS], [SYMBOL, "file"]):
                _, err = self.run_tool(*arguments, status=1)
                self.assertIn(text, " ".join(err.replace("\n    help: ", "; ").split()), arguments)

    def test_folders_and_archives_of_others_are_recognised(self):
        for name, text in (("saved_model.pb", "SavedModel of TensorFlow, not an MXNet model; export it to ONNX with tf2onnx"),
                           ("pytorch_model.bin", "is a model of PyTorch"), ("model.onnx", "holds an ONNX model already"),
                           ("model.weights.h5", "is a model of Keras")):
            os.mkdir(self.path("folder"))
            open(os.path.join(self.folder, "folder", name), "w").close()
            with zipfile.ZipFile(self.path("archive.zip"), "w") as z:
                z.writestr("metadata.json", "{}")
                z.writestr("x/" + name, "")
            for model in ("folder", "archive.zip")[:1 + ZIP]:
                _, err = self.run_tool("inspect", model, status=1)
                self.assertIn(text, err.replace("\n    help: ", "; "))
            shutil.rmtree(self.path("folder"))

    # ---- inspect

    def test_inspect_shows_inputs_outputs_and_parameters(self):
        out, err = self.run_tool("inspect", SYMBOL, *SHAPE)
        self.assertRegex(out, r"inputs: 1\n  data +float32 +\(1, 1, 8, 8\)")
        self.assertRegex(out, r"outputs: 1\n  softmax +float32 +\(1, 10\)")
        self.assertRegex(out, r"parameters: \d+ arrays, \d+ numbers, ")
        self.assertRegex(out, r"Convolution +2\n")
        self.assertNotIn("not supported", out)
        self.assertEqual(err, "")

    def test_inspect_needs_no_shapes(self):
        out, _ = self.run_tool("inspect", SYMBOL)
        self.assertRegex(out, r"inputs: 1\n  data +float32 ")

    def test_inspect_shows_shapes_before_a_net_can_be_converted(self):
        shutil.copy(self.path(SYMBOL), self.path("alone-symbol.json"))  # without parameters: their shapes follow from the graph's
        out, _ = self.run_tool("inspect", "alone-symbol.json", "--dynamic", "data=n,1,8,8")
        self.assertRegex(out, r"inputs: 1\n  data +float32 +\(n, 1, 8, 8\)\noutputs: 1\n  softmax +float32 +\(n, 10\)\n")
        self.assertIn("before it can be converted:\n  error: no parameter file is loaded, but 14 parameters are needed: ", out)
        out, _ = self.run_tool("inspect", "alone-symbol.json", "--dynamic", "data=n,1,8,8", "--symbol")
        self.assertRegex(out, r"\ninput fc1_weight : float32 \(64, 128\)\n")
        nodes = [("null", "x", [], {}), ("Reshape", "wrong", [0], {"shape": "(3, 5)"}), ("abs", "after", [1], {}),
                 ("exp", "other", [0], {}), ("broadcast_add", "sum", [2, 3], {})]
        self.write_net("fault", nodes, {})
        out, _ = self.run_tool("inspect", "fault-symbol.json", "--input", "x=2x4", "--symbol")
        self.assertEqual(out, "input x : float32 (2, 4)\nwrong = Reshape(x) {shape=(3, 5)} : float32 (3, 5)\n"
                              "after = abs(wrong) : float32 (3, 5)\nother = exp(x) : float32 (2, 4)\n"
                              "sum = broadcast_add(after, other) : float32 ?\noutput sum\n")

    def test_inspect_prints_each_graph(self):
        out, _ = self.run_tool("inspect", SYMBOL, "--dynamic", "data=batch,1,8,8", "--graph")
        self.assertRegex(out, r"Conv\b")
        self.assertIn("batch", out)
        out, _ = self.run_tool("inspect", SYMBOL, *SHAPE, "--symbol")
        self.assertIn("Convolution", out)

    def test_one_of_many_outputs_is_found(self):
        """An output is found by its number also where there are more than 64 of them."""
        nodes = [{"op": "null", "name": "x", "inputs": []},
                 {"op": "SliceChannel", "name": "s", "attrs": {"num_outputs": "100"}, "inputs": [[0, 0, 0]]}]
        with open(self.path("net-symbol.json"), "w") as f:
            json.dump({"nodes": nodes, "arg_nodes": [0], "heads": [[1, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}, f)
        for number in (0, 63, 64, 99):
            out, _ = self.run_tool("inspect", "--graph", "net-symbol.json", "--input", "x=2x100", "--output", "s_output%d" % number)
            self.assertIn("output s%d :" % number, out)
        self.run_tool("inspect", "--graph", "net-symbol.json", "--input", "x=2x100", "--output", "s_output100", status=1)

    def test_a_name_unlike_all_others_has_no_suggestion(self):
        for name, meant in (("nosuch", None), ("sofmax", "softmax"), ("_contrib_box_nmss", "_contrib_box_nms")):
            _, err = self.run_tool("ops", name, status=1)
            self.assertEqual(meant is not None, "did you mean" in err, err)
            self.assertIn(meant or name, err)

    def test_inspect_passes(self):
        out, _ = self.run_tool("inspect", SYMBOL, *SHAPE, "--passes")
        last = out.split("after names:\n")[1]
        self.assertEqual(last.strip(), self.run_tool("inspect", SYMBOL, *SHAPE, "--graph")[0].strip())
        self.assertEqual(re.findall(r"^after (\w+):", out, re.M)[:3], ["lower", "finish", "inputs"])
        self.assertRegex(out, "(?m)^after [a-z_]+: no change$")
        graphs = re.split(r"(?m)^after \w+:\n", re.sub(r"(?m)^after \w+: no change\n", "", out))[1:]
        self.assertTrue(len(graphs) > 1 and all(a.strip() != b.strip() for a, b in zip(graphs, graphs[1:])))

    def test_inspect_reports_as_json(self):
        out, _ = self.run_tool("inspect", SYMBOL, *SHAPE, "--json")
        report = json.loads(out)
        self.assertEqual(report["inputs"][0]["name"], "data")
        self.assertIn("Convolution", [o["name"] for o in report["operators"]])

    # ---- terminals

    def on_terminal(self, *arguments, columns=80, **environment):
        """What a terminal of that width gets."""
        parent, child = pty.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        env = dict(os.environ, TERM="xterm", **environment)
        env.pop("NO_COLOR", None) if "NO_COLOR" not in environment else None
        tool = subprocess.Popen([TOOL, *arguments], cwd=self.folder, stdout=child, stderr=subprocess.DEVNULL, env=env)
        os.close(child)
        out = b""
        while True:
            try:
                block = os.read(parent, 4096)
            except OSError:  # Linux says EIO once the other side is closed
                block = b""
            if not block:
                break
            out += block
        os.close(parent)
        self.assertEqual(tool.wait(timeout=600), 0)
        return out.decode().replace("\r\n", "\n")

    def test_only_terminals_get_colour(self):
        self.assertIn("\033[", self.on_terminal("inspect", SYMBOL))
        self.assertNotIn("\033", self.on_terminal("inspect", SYMBOL, NO_COLOR="1"))
        self.assertIn("\033[", self.on_terminal("inspect", SYMBOL, NO_COLOR=""))
        self.assertNotIn("\033", self.run_tool("inspect", SYMBOL)[0])

    @unittest.skipUnless(ZIP, "built without zip")
    def test_nets_fit_a_terminal(self):
        out = self.on_terminal("nets", columns=80, NO_COLOR="1")
        lines = out.replace("\r", "").splitlines()
        self.assertGreater(len(lines), 700)
        self.assertEqual([line for line in lines if len(line) > 80], [])
        self.assertRegex(out, r"(?m)^alexnet classes 1000; input \(any, 3, 224, 224\);")

    @unittest.skipUnless(ZIP, "built without zip")
    def test_nets_are_printed_as_json(self):
        """What programs read out of the line before has fields now."""
        nets = {net["name"]: net for net in json.loads(self.run_tool("nets", "--json")[0])["nets"]}
        self.assertGreater(len(nets), 300)
        self.assertEqual(nets["alexnet"], {"name": "alexnet", "source": "GluonCV 0.10.5, MXNet 1.9.1", "classes": 1000,
                                           "inputs": [[None, 3, 224, 224]], "mean": [0.485, 0.456, 0.406], "deviation": [0.229, 0.224, 0.225]})
        lm = nets["awd_lstm_lm_1150"]
        self.assertEqual((lm["vocabulary"], lm["inputs"][0], len(lm["inputs"]), "mean" in lm), (33278, [None, None], 7, False))
        self.assertEqual([n["name"] for n in json.loads(self.run_tool("nets", "resnet50_v1b", "--json")[0])["nets"]],
                         sorted(n for n in nets if "resnet50_v1b" in n))

    @staticmethod
    def described(line):
        """What the line of a net says, in the form of the JSON."""
        name, rest = line.split(maxsplit=1)
        net = {"name": name, "inputs": []}
        parts = rest.split("; ")
        net["source"] = parts.pop()
        for part in parts:
            kind, value = part.split(" ", 1)
            if kind == "input":
                for times, dims in re.findall(r"(?:\A|, )(?:(\d+) times )?\(([^)]*)\)(?=, |\Z)", value):
                    net["inputs"] += [[None if d == "any" else int(d) for d in dims.split(", ")]] * int(times or 1)
            elif kind == "mean":
                mean, deviation = re.fullmatch(r"(\S+) and deviation (\S+) of images from 0 to 1", value).groups()
                net.update(mean=[float(v) for v in mean.split(",")], deviation=[float(v) for v in deviation.split(",")])
            else:
                net[kind] = int(value)
        return net

    @unittest.skipUnless(ZIP, "built without zip")
    def test_nets_are_the_same_as_text_and_as_json(self):
        """Both say the same of every net, and the text repeats no word."""
        nets = json.loads(self.run_tool("nets", "--json")[0])["nets"]
        *lines, last = self.run_tool("nets")[0].splitlines()
        self.assertEqual(([self.described(line) for line in lines], last), (nets, "%d nets of %d" % (len(nets), len(nets))))
        self.assertEqual([line for line in lines if line.count("input ") > 1 or re.search(r"\b[012] times", line)], [])
        self.assertRegex("\n".join(lines), r"(?m)^gpt2_117m_states .*; input \(any, any\), 24 times \(any, 12, any, 64\);")

    def test_there_are_columns_where_there_is_room(self):
        rows = {n: len(self.on_terminal("ops", columns=n).splitlines()) for n in (60, 110, 170)}
        one = len(self.run_tool("ops")[0].splitlines())
        self.assertEqual(rows, {60: one, 110: (one - 1 + 1) // 2 + 1, 170: (one - 1 + 2) // 3 + 1})
        for columns in (60, 110, 170):  # words stay whole
            for line in self.on_terminal("inspect", SYMBOL, columns=columns, NO_COLOR="1").splitlines():
                self.assertTrue(len(line) <= columns or line.startswith("    to name:"), line)

    # ---- ops

    def test_ops_shows_operators_with_their_status(self):
        out, _ = self.run_tool("ops")
        self.assertRegex(out, r"(?m)^Pooling +11  partial$")
        self.assertNotRegex(out, r"(?m) $")
        operators = json.loads(self.run_tool("ops", "--json")[0])["operators"]
        names = [o["name"] for o in operators]
        self.assertEqual(names, sorted(names))
        self.assertIn("Convolution", names)
        self.assertEqual({o["status"] for o in operators}, {"full", "partial", "differs", "random", "training only", "no"})
        for o in operators:
            self.assertEqual(o["status"] == "no", o["opset"] is None and "group" not in o and bool(o.get("why")) and bool(o.get("help")), o)
            self.assertEqual(o["status"] == "partial", bool(o["refuses"]), o)
            self.assertFalse(o["status"] == "full" and o["differs"], o)
            for line in o["refuses"] + o["differs"]:
                self.assertRegex(line, r"^[A-Z\d\"a-z_].*[^.]\.$")

    def test_one_operator_is_described_in_full(self):
        out, _ = self.run_tool("ops", "Pooling", "Convolution")
        self.assertRegex(out, r'^Pooling\n  from opset 11\n(  .*\n)*  refused, with an error:\n    pooling_convention="same": ')
        self.assertRegex(out, r"\nConvolution\n")
        self.assertRegex(out, r"(?m)^  becomes AveragePool .*MaxPool")
        self.assertIn("  compared with MXNet for float16 float32", out)
        (one,) = json.loads(self.run_tool("ops", "Pooling", "--json")[0])["operators"]
        self.assertEqual(one["name"], "Pooling")

    def test_operators_are_chosen_by_status_and_group(self):
        every = json.loads(self.run_tool("ops", "--json")[0])["operators"]
        for status, group in (("partial", "vision"), ("no", None), (None, "random"), ("training only", None)):
            options = (["--status", status] if status else []) + (["--group", group] if group else [])
            want = [o for o in every if status in (None, o["status"]) and group in (None, o.get("group"))]
            self.assertTrue(want)
            self.assertEqual(json.loads(self.run_tool("ops", "--json", *options)[0])["operators"], want)
            self.assertEqual(len(self.run_tool("ops", *options)[0].splitlines()), len(want) + 1)
        self.assertEqual(json.loads(self.run_tool("ops", "--json", "--status", "no", "Pooling")[0])["operators"], [])
        self.assertEqual(self.run_tool("ops", "--status", "full", "Custom")[0], "")
        _, err = self.run_tool("ops", "--status", "bad", status=2)
        self.assertIn("use full, partial, differs, random, 'training only' or no", err)
        _, err = self.run_tool("ops", "--group", "nothing", status=2)
        self.assertIn("attention, control, image, linalg, nn, numpy, quantize, random, rnn, sequence, tensor, vision", err)

    def test_an_unconverted_operator_has_advice(self):
        for name in ("Custom", "QActivation"):
            out, _ = self.run_tool("ops", name, status=1)
            self.assertRegex(out, r"(?m)^  status: no\n  not converted:\n    .*\n    instead: Register a handler")

    def test_an_alias_is_found(self):
        out, _ = self.run_tool("ops", "--json")
        row = next(o for o in json.loads(out)["operators"] if o["aliases"])
        out, _ = self.run_tool("ops", row["aliases"][0])
        self.assertTrue(out.startswith(row["name"] + "\n"), out)

    def test_a_name_may_have_another_case_or_lack_its_prefix(self):
        for given, name in (("convolution", "Convolution"), ("mx.sym.pooling", "Pooling"), ("box_nms", "_contrib_box_nms"), ("softmax", "softmax"),
                            ("F.contrib.box_nms", "_contrib_box_nms"), ("mx.sym.Pooling", "Pooling")):
            self.assertTrue(self.run_tool("ops", given)[0].startswith(name + "\n"), given)

    def test_a_typo_gives_the_nearest(self):
        for typo, name in (("Convolutoin", "Convolution"), ("FulyConected", "FullyConnected"), ("mx.sym.poling", "Pooling"),
                           ("conv", "Convolution, Deconvolution, QConvolution?"), ("_contrib_box_nmss", "_contrib_box_nms")):
            _, err = self.run_tool("ops", typo, status=1)
            self.assertIn("did you mean " + name, err)
        _, err = self.run_tool("ops", "qqqqqqqq", status=1)
        self.assertIn("mx2onnx ops", err)

    def test_ops_writes_a_markdown_table(self):
        out, _ = self.run_tool("ops", "--markdown")
        rows = out.splitlines()
        self.assertTrue(all(len(re.findall(r"(?<!\\)\|", row)) == 6 for row in rows), out)
        self.assertRegex(out, r"(?m)^\| `_npx_index_add` \|.*\| An opset below 16\.")


strict.main()
