# SPDX-License-Identifier: Apache-2.0
"""Writes MXNet's parameter files without MXNet (NDArray::Save in src/ndarray/ndarray.cc)."""
import struct

import numpy as np

LIST_MAGIC = 0x112
ARRAY_V2 = 0xF993FAC9
ARRAY_V3 = 0xF993FACA  # NumPy shapes: rank 0 and size 0 are values, not "unknown"
TYPE_FLAGS = {"float32": 0, "float64": 1, "float16": 2, "uint8": 3, "int32": 4, "int8": 5, "int64": 6, "bool": 7}


def save(path, arrays):
    """`arrays`: {"arg:name" or "aux:name": numpy array}."""
    with open(path, "wb") as f:
        f.write(struct.pack("<QQQ", LIST_MAGIC, 0, len(arrays)))
        for a in arrays.values():
            a = np.asarray(a)
            magic = ARRAY_V3 if a.ndim == 0 or a.size == 0 else ARRAY_V2
            f.write(struct.pack("<IiI", magic, 0, a.ndim))  # stored dense
            f.write(struct.pack("<%dq" % a.ndim, *a.shape))
            f.write(struct.pack("<iii", 1, 0, TYPE_FLAGS[a.dtype.name]))  # on the CPU
            f.write(np.ascontiguousarray(a).astype(a.dtype.newbyteorder("<")).data if a.size else b"")
        f.write(struct.pack("<Q", len(arrays)))
        for name in arrays:
            raw = name.encode()
            f.write(struct.pack("<Q", len(raw)) + raw)
