#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes what NumPy, SciPy and Python's zipfile and tarfile write and MXNet does not, and damaged archives.

    python3 make.py FOLDER      FOLDER/read; says which files it made

NumPy is not needed: the headers written here are NumPy's byte for byte.
"""

import gzip
import io
import pathlib
import struct
import sys
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
OUT = pathlib.Path(sys.argv[1]) / "read"
OUT.mkdir(parents=True, exist_ok=True)
STAMP = (1980, 1, 1, 0, 0, 0)


def npy(descr, shape, data, version=(1, 0), fortran=False):
    text = repr({"descr": descr, "fortran_order": fortran, "shape": shape})[:-1] + ", }"
    # room for the first dimension to grow
    text += " " * (21 - len(repr(shape[-1 if fortran else 0]))) if shape else ""
    length = "<H" if version == (1, 0) else "<I"
    before = 8 + struct.calcsize(length)
    text += " " * (-(before + len(text) + 1) % 64) + "\n"
    return b"\x93NUMPY" + bytes(version) + struct.pack(length, len(text)) + text.encode() + data


def numbers(descr, values, shape=None, **options):
    codes = {"f2": "e", "f4": "f", "f8": "d", "i2": "h", "i4": "i", "i8": "q", "u2": "H", "u4": "I", "u8": "Q"}
    data = struct.pack("%s%d%s" % (descr[0], len(values), codes[descr[1:]]), *values)
    return npy(descr, (len(values),) if shape is None else shape, data, **options)


def member(archive, name, data, method):
    info = zipfile.ZipInfo(name, STAMP)
    info.compress_type = method
    archive.writestr(info, data)


def write_zip(name, members, method=zipfile.ZIP_STORED):
    with zipfile.ZipFile(OUT / name, "w") as archive:
        for key, data in members.items():
            member(archive, key, data, method)


CUBE = (2, 3, 4)
BY_COLUMNS = [12 * i + 4 * j + k for k in range(4) for j in range(3) for i in range(2)]
write_zip("deflated.npz", {"arg:w.npy": numbers("<f4", range(24), CUBE), "aux:m.npy": npy("<f8", (100, 100), bytes(80000))},
          zipfile.ZIP_DEFLATED)
write_zip("fortran.npz", {"f.npy": numbers("<f4", BY_COLUMNS, CUBE, fortran=True),
                          "fb.npy": numbers(">i2", BY_COLUMNS, CUBE, fortran=True), "row.npy": numbers("<i4", range(3))})
write_zip("big_endian.npz", {"_%s.npy" % k: numbers(">" + k, range(6), (2, 3))
                             for k in ["f2", "f4", "f8", "i2", "i4", "i8", "u2", "u4", "u8"]})
write_zip("versions.npz", {"v%d.npy" % v: numbers("<f4", range(24), CUBE, version=(v, 0)) for v in (1, 2, 3)})

# A header of Python 2, and one of 300 bytes, of whose length MXNet 2 uses the low byte only.
text = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }"
text += b" " * ((-(10 + len(text) + 1)) % 64) + b"\n"
two_by_three = struct.pack("<6f", *range(6))
(OUT / "python2.npy").write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text + two_by_three)
text = text[:-1].replace(b"L", b" ").ljust(309) + b"\n"
(OUT / "long_header.npy").write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text + two_by_three)

# bfloat16 as MXNet 2 writes it; 1, -2, 3.5
text = b"{'descr': '<b2', 'fortran_order': False, 'shape': (3,), }".ljust(117) + b"\n"
(OUT / "bfloat16.npy").write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text
                                    + struct.pack("<3H", 0x3F80, 0xC000, 0x4060))

# The layout of scipy.sparse.save_npz, with the 32-bit indices of SciPy on Windows.
write_zip("scipy_csr.npz", {
    "csr/indices.npy": numbers("<i4", [2, 0, 2]),
    "csr/indptr.npy": numbers("<i4", [0, 1, 1, 3]),
    "csr/format.npy": npy("|S3", (), b"csr"),
    "csr/shape.npy": numbers("<i4", [3, 3]),
    "csr/data.npy": numbers("<f4", [1, 2, 3]),
}, zipfile.ZIP_DEFLATED)


def rows(name, shape=(3, 2), indices=(0, 2), data=(1, 2, 3, 4), data_shape=(2, 2), form="row_sparse", replaced=()):
    """A row_sparse array, and with other parts what is none."""
    return {"%s/%s.npy" % (name, k): v for k, v in {**{
        "shape": numbers("<i4", shape), "indices": numbers("<i4", indices), "data": numbers("<f4", data, data_shape),
        "format": npy("|S%d" % len(form), (), form.encode())}, **dict(replaced)}.items()}


write_zip("rows.npz", {**rows("w"), **rows("empty", shape=(3, 0), data=(), data_shape=(2, 0)),
                       **rows("none", shape=(0, 2), indices=(), data=(), data_shape=(0, 2)),
                       "byte.npy": npy(">u1", (3,), b"123")})
POINTERS = {"indptr": numbers("<i4", [0, 1, 1, 3])}
for name, parts in {
        "format": {"form": "row_sparse_array"},
        "shape_rank": {"replaced": {"shape": numbers("<i4", [3, 2], (1, 2))}},
        "shape_type": {"replaced": {"shape": numbers("<f4", [3, 2])}},
        "shape_33": {"shape": [1] * 33},
        "shape_0": {"shape": ()},
        "csr_vector": {"form": "csr", "shape": (3,), "replaced": POINTERS},
        "index_type": {"replaced": {"indices": numbers("<f4", [0, 2])}},
        "index_rank": {"replaced": {"indices": numbers("<i4", [0, 2], (2, 1))}},
        "part_of_row": {"data": range(5), "data_shape": (5,)},
        "rows": {"indices": (0, 1, 2)},
        "empty_rows": {"shape": (3, 0)},
        "csr_values": {"form": "csr", "shape": (3, 3), "indices": (2, 0, 2), "data": (1, 2), "data_shape": (2,), "replaced": POINTERS},
}.items():
    write_zip("sparse_%s.npz" % name, rows("w", **parts))
# Like a sparse array, but not just one: four arrays and a fifth.
write_zip("folder.npz", {"a/%s.npy" % k: numbers("<i8", range(2))
                         for k in ["data", "indices", "shape", "format", "other"]})

# What no MXNet has.
write_zip("complex.npz", {"c.npy": npy("<c8", (2,), bytes(16))})
write_zip("objects.npz", {"o.npy": npy([("x", "<f4"), ("y", "<f4")], (2,), bytes(16))})
write_zip("no_arrays.zip", {"readme.txt": b"nothing here"})
write_zip("empty.zip", {})

# One bit of a compressed member's data is flipped and its CRC kept: the CRC in the directory no longer fits.
write_zip("crc.npz", {"w.npy": numbers("<f4", range(100))}, zipfile.ZIP_DEFLATED)
data = bytearray((OUT / "crc.npz").read_bytes())
at = data.rfind(b"PK\1\2")
data[at + 16] ^= 1
data[14] ^= 1
(OUT / "crc.npz").write_bytes(data)

# A member whose directory entry claims 4 GB from 100 bytes.
data = bytearray((OUT / "deflated.npz").read_bytes())
at = data.find(b"PK\1\2")
data[at + 24:at + 28] = struct.pack("<I", 0xFFFFFFF0)
(OUT / "bomb.npz").write_bytes(data)

# ---- tar archives, laid out as SageMaker does

NETS = HERE.parent / "samples" / "nets" / "1.9.1"
SYMBOL, PARAMS = (NETS / "mlp-symbol.json").read_bytes(), (NETS / "mlp-0000.params").read_bytes()
SHAPES = b'[{"shape": [32, 5], "name": "data"}]'


def tar(members, form=tarfile.GNU_FORMAT):
    """Of {name: bytes}; a name that ends in "/" is a folder, bytes that begin with "->" make a link, "=>" a hard one, with these bytes."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            if name.endswith("/"):
                info.type = tarfile.DIRTYPE
            elif data[:2] == b"->":
                info.type, info.linkname = tarfile.SYMTYPE, data[2:].decode()
            else:
                info.size = len(data)
                if data[:2] == b"=>":
                    info.type, info.linkname = tarfile.LNKTYPE, data[2:].decode()
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def write_tar(name, members, form=tarfile.GNU_FORMAT):
    data = tar(members, form)
    (OUT / name).write_bytes(gzip.compress(data, mtime=0) if name.endswith("gz") else data)


def zipped(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for key, data in members.items():
            member(archive, key, data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


write_tar("image_classification.tar.gz", {
    "._image-classification-symbol.json": b"\0\5\26\7", "image-classification-symbol.json": SYMBOL,
    "image-classification-0009.params": b"\0", "image-classification-0010.params": PARAMS, "model-shapes.json": SHAPES})
write_tar("object_detection.tar.gz", {"model_algo_1-symbol.json": SYMBOL, "model_algo_1-0000.params": PARAMS,
                                      "hyperparams.json": b'{"image_shape": "300"}'})
write_tar("segmentation.tar.gz", {"model_algo-1": PARAMS, "model_best.params": PARAMS, "hyperparams.json": b"{}"})
write_tar("factorization.tar.gz", {"model_algo-1": zipped({"symbol.json": SYMBOL, "params": PARAMS,
                                                           "meta.json": b"{}"})})
write_tar("hosts.tar.gz", {"model_algo-%d" % i: zipped({"symbol.json": SYMBOL, "params": PARAMS, "meta.json": b"{}"}) for i in (2, 1)})
write_tar("plain.tar", {"./": b"", "./code/": b"", "./code/inference.py": b"pass", "./model-symbol.json": SYMBOL,
                        "./model-0000.params": PARAMS, "./model-shapes.json": SHAPES,
                        "./link-symbol.json": b"->/etc/hostname", "./hard-symbol.json": b"=>./model-symbol.json", "../../out-0001.params": b"\0"})
write_tar("pax.tar.gz", {"\u00e4/" + "long/" * 30 + "\u00fc-symbol.json": SYMBOL}, tarfile.PAX_FORMAT)
write_tar("long_name.tar.gz", {"x" * 4096 + "/model-symbol.json": SYMBOL}, tarfile.PAX_FORMAT)
write_tar("ten_models.tar.gz", {"m%d-symbol.json" % i: SYMBOL for i in range(10)})
write_tar("large.tar.gz", {"net-symbol.json": SYMBOL, "net-0000.params": bytes(range(251)) * 25000})
(OUT / "large.zip").write_bytes(zipped({"net-symbol.json": SYMBOL, "net-0000.params": bytes(range(251)) * 25000}))
(OUT / "tabs-symbol.json").write_bytes(SYMBOL.replace(b'"relu"', b'"\trelu\t"', 1))
(OUT / "twice.tar.gz").write_bytes(gzip.compress((OUT / "image_classification.tar.gz").read_bytes(), mtime=0))
write_tar("nothing.tar.gz", {"readme.txt": b"nothing here"})
write_tar("empty.tar.gz", {})
(OUT / "no_tar.gz").write_bytes(gzip.compress(PARAMS, mtime=0))
whole = (OUT / "image_classification.tar.gz").read_bytes()
(OUT / "truncated.tar.gz").write_bytes(whole[:len(whole) // 2])
(OUT / "garbled.tar.gz").write_bytes(whole[:60] + bytes(b ^ 0x5A for b in whole[60:120]) + whole[120:])

# A file of 64 GiB that is not there, and one of nothing but holes (GNU's sparse format of 1997).
header = tarfile.TarInfo("model-0000.params")
header.size = 64 << 30
(OUT / "bomb.tar.gz").write_bytes(gzip.compress(header.tobuf(tarfile.GNU_FORMAT) + bytes(1024), mtime=0))
header.size = 0
data = bytearray(header.tobuf(tarfile.GNU_FORMAT))
data[156:157] = b"S"
data[386:410] = b"%011o\0%011o\0" % (8 << 20, 0)
data[483:495] = b"%011o\0" % (8 << 20)
data[148:156] = b" " * 8
data[148:156] = b"%06o\0 " % sum(data)
(OUT / "sparse.tar").write_bytes(bytes(data) + bytes(1024))

print(*sorted(file.name for file in OUT.iterdir()), sep="\n")
