# SPDX-License-Identifier: Apache-2.0
"""The files of tests/data/recorded/files (tests/oracle/record_files.py), and the command line on them."""
import json
import os
import subprocess
import zipfile

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "data", "recorded", "files")
NAMES = sorted(f[:-4] for f in os.listdir(FOLDER) if f.endswith(".zip"))


def read_case(name):
    with zipfile.ZipFile(os.path.join(FOLDER, name + ".zip")) as z:
        return json.loads(z.read("case.json"))


def has_numbers(name):
    case = read_case(name)
    return "error" not in case and case["outputs"] is not None


class Case:
    def __init__(self, name, folder):
        """Unpacks the files into the folder."""
        self.what = read_case(name)
        with zipfile.ZipFile(os.path.join(FOLDER, name + ".zip")) as z:
            z.extractall(folder, [n for n in z.namelist() if n.startswith("model/")])
        self.folder = os.path.join(folder, "model")
        self.onnx = os.path.join(folder, "out.onnx")

    def convert(self, tool, *options):
        """The process's status, and all that it says."""
        command = [tool, *self.what["give"], *self.what["options"], *options, "-o", self.onnx]
        p = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        return p.returncode, p.stdout + p.stderr
