#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files as people hold them: what the program says of them, and names and metadata of what it writes. tests/numeric/test_files.py
compares the numbers.

    python3 recorded_files.py MX2ONNX
"""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "support"))

import files  # noqa: E402
import strict  # noqa: E402

TOOL = os.path.abspath(sys.argv[1])


class RecordedFiles(unittest.TestCase):
    def check(self, name):
        with tempfile.TemporaryDirectory() as folder:
            case = files.Case(name, folder)
            status, said = case.convert(TOOL)
            self.assertEqual(status, 1 if "error" in case.what else 0, said)
            for text in case.what.get("error", []) + case.what.get("says", []):
                self.assertIn(text, said)
            if status == 0:
                self.check_model(case, said)

    def check_model(self, case, said):
        for name in list(case.what["inputs"]) + case.what.get("names", []):
            self.assertRegex(said, r"(input|output) +%s " % name)
        with open(case.onnx, "rb") as f:
            model = f.read()
        for key, value in case.what.get("metadata", {}).items():
            entry = b"\x0a" + bytes([len(key)]) + key.encode()
            self.assertEqual(entry in model, value is not None, key)
            if value is not None:
                self.assertIn(entry + b"\x12" + bytes([len(value)]) + value.encode(), model)


for each in files.NAMES:
    setattr(RecordedFiles, "test_" + each, lambda self, name=each: self.check(name))

if __name__ == "__main__":
    strict.main()
