"""Makes the files beside it: what NumPy and Python's zipfile write and MXNet does not. Run where NumPy is."""

import io
import pathlib
import struct
import zipfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
STAMP = (1980, 1, 1, 0, 0, 0)


def npy(array, version=None, fortran=False):
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asfortranarray(array) if fortran else array, version=version)
    return out.getvalue()


def member(archive, name, data, method):
    info = zipfile.ZipInfo(name, STAMP)
    info.compress_type = method
    archive.writestr(info, data)


def write_zip(name, members, method=zipfile.ZIP_STORED):
    with zipfile.ZipFile(HERE / name, "w") as archive:
        for key, data in members.items():
            member(archive, key, data, method)


cube = np.arange(24, dtype="<f4").reshape(2, 3, 4)
write_zip("deflated.npz", {"arg:w.npy": npy(cube), "aux:m.npy": npy(np.zeros((100, 100), "<f8"))},
          zipfile.ZIP_DEFLATED)
write_zip("fortran.npz", {"f.npy": npy(cube, fortran=True), "fb.npy": npy(cube.astype(">i2"), fortran=True),
                          "row.npy": npy(np.arange(3, dtype="<i4"), fortran=True)})
write_zip("big_endian.npz", {k + ".npy": npy(np.arange(6).reshape(2, 3).astype(k.replace("_", ">")))
                             for k in ["_f2", "_f4", "_f8", "_i2", "_i4", "_i8", "_u2", "_u4", "_u8"]})
write_zip("versions.npz", {"v1.npy": npy(cube, (1, 0)), "v2.npy": npy(cube, (2, 0)), "v3.npy": npy(cube, (3, 0))})

# A header of Python 2, and one of 300 bytes, of whose length MXNet 2 uses the low byte only.
text = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }"
text += b" " * ((-(10 + len(text) + 1)) % 64) + b"\n"
two_by_three = np.arange(6, dtype="<f4").tobytes()
(HERE / "python2.npy").write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text + two_by_three)
text = text[:-1].replace(b"L", b" ").ljust(309) + b"\n"
(HERE / "long_header.npy").write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text + two_by_three)

# bfloat16 as MXNet 2 writes it; 1, -2, 3.5
text = b"{'descr': '<b2', 'fortran_order': False, 'shape': (3,), }".ljust(117) + b"\n"
(HERE / "bfloat16.npy").write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text
                                    + struct.pack("<3H", 0x3F80, 0xC000, 0x4060))

# The layout of scipy.sparse.save_npz, with the 32-bit indices of SciPy on Windows.
write_zip("scipy_csr.npz", {
    "csr/indices.npy": npy(np.array([2, 0, 2], "<i4")),
    "csr/indptr.npy": npy(np.array([0, 1, 1, 3], "<i4")),
    "csr/format.npy": npy(np.array(b"csr")),
    "csr/shape.npy": npy(np.array([3, 3], "<i4")),
    "csr/data.npy": npy(np.array([1, 2, 3], "<f4")),
}, zipfile.ZIP_DEFLATED)
# Like a sparse array, but not just one: four arrays and a fifth.
write_zip("folder.npz", {"a/%s.npy" % k: npy(np.arange(2, dtype="<i8"))
                         for k in ["data", "indices", "shape", "format", "other"]})

# What no MXNet has.
write_zip("complex.npz", {"c.npy": npy(np.zeros(2, "<c8"))})
write_zip("objects.npz", {"o.npy": npy(np.zeros(2, [("x", "<f4"), ("y", "<f4")]))})
write_zip("no_arrays.zip", {"readme.txt": b"nothing here"})
write_zip("empty.zip", {})

# One bit of the data of a compressed member flipped behind the CRC's back: the CRC of the directory is another.
write_zip("crc.npz", {"w.npy": npy(np.arange(100, dtype="<f4"))}, zipfile.ZIP_DEFLATED)
data = bytearray((HERE / "crc.npz").read_bytes())
at = data.rfind(b"PK\1\2")
data[at + 16] ^= 1
data[14] ^= 1
(HERE / "crc.npz").write_bytes(data)

# A member whose directory entry claims 4 GB from 100 bytes.
data = bytearray((HERE / "deflated.npz").read_bytes())
at = data.find(b"PK\1\2")
data[at + 24:at + 28] = struct.pack("<I", 0xFFFFFFF0)
(HERE / "bomb.npz").write_bytes(data)
