# SPDX-License-Identifier: Apache-2.0
"""The files of tests/data/recorded: a zip of an index and one block of array bytes, the same for the same content."""
import json
import os
import zipfile

import numpy as np

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "data", "recorded")


def path(kind, name):
    return os.path.normpath(os.path.join(ROOT, kind, name + ".zip"))


class Writer:
    def __init__(self):
        self.blocks, self.at = [], 0

    def put(self, a):
        """Keeps an array; the result stands for it in the index."""
        a = np.asarray(a)
        raw = np.ascontiguousarray(a).tobytes()
        self.blocks.append(raw)
        self.at += len(raw)
        return {"dtype": a.dtype.name, "shape": list(a.shape), "at": self.at - len(raw)}

    def save(self, file, index):
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with zipfile.ZipFile(file + ".new", "w") as z:
            for name, content in (("index.json", json.dumps(index, sort_keys=True, indent=0).encode()),
                                  ("data.bin", b"".join(self.blocks))):
                entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
                entry.external_attr = 0o644 << 16
                z.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
        os.replace(file + ".new", file)


class Reader:
    def __init__(self, file):
        with zipfile.ZipFile(file) as z:
            self.index = json.loads(z.read("index.json"))
            self.data = z.read("data.bin")

    def get(self, entry):
        dtype, shape = np.dtype(entry["dtype"]), entry["shape"]
        count = int(np.prod(shape, dtype=np.int64))
        return np.frombuffer(self.data, dtype, count, entry["at"]).reshape(shape)
