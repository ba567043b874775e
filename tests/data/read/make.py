"""Makes the files beside it: what NumPy and Python's zipfile and tarfile write and MXNet does not. Run where NumPy is."""

import gzip
import io
import pathlib
import struct
import tarfile
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

# ---- tar archives, laid out as SageMaker does

NETS = HERE.parent / "samples" / "nets" / "1.9.1"
SYMBOL, PARAMS = (NETS / "mlp-symbol.json").read_bytes(), (NETS / "mlp-0000.params").read_bytes()
SHAPES = b'[{"shape": [32, 5], "name": "data"}]'


def tar(members, form=tarfile.GNU_FORMAT):
    """Of {name: bytes}; a name that ends in "/" is a folder, bytes that begin with "->" make a link."""
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
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def write_tar(name, members, form=tarfile.GNU_FORMAT):
    data = tar(members, form)
    (HERE / name).write_bytes(gzip.compress(data, mtime=0) if name.endswith("gz") else data)


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
write_tar("plain.tar", {"./": b"", "./code/": b"", "./code/inference.py": b"pass", "./model-symbol.json": SYMBOL,
                        "./model-0000.params": PARAMS, "./model-shapes.json": SHAPES,
                        "./link-symbol.json": b"->/etc/hostname", "../../out-0001.params": b"\0"})
write_tar("pax.tar.gz", {"\u00e4/" + "long/" * 30 + "\u00fc-symbol.json": SYMBOL}, tarfile.PAX_FORMAT)
write_tar("ten_models.tar.gz", {"m%d-symbol.json" % i: SYMBOL for i in range(10)})
write_tar("large.tar.gz", {"net-symbol.json": SYMBOL, "net-0000.params": bytes(range(251)) * 25000})
(HERE / "large.zip").write_bytes(zipped({"net-symbol.json": SYMBOL, "net-0000.params": bytes(range(251)) * 25000}))
write_tar("nothing.tar.gz", {"readme.txt": b"nothing here"})
write_tar("empty.tar.gz", {})
(HERE / "no_tar.gz").write_bytes(gzip.compress(PARAMS, mtime=0))
whole = (HERE / "image_classification.tar.gz").read_bytes()
(HERE / "truncated.tar.gz").write_bytes(whole[:len(whole) // 2])
(HERE / "garbled.tar.gz").write_bytes(whole[:60] + bytes(b ^ 0x5A for b in whole[60:120]) + whole[120:])

# A file of 64 GiB that is not there, and one of nothing but holes (GNU's sparse format of 1997).
header = tarfile.TarInfo("model-0000.params")
header.size = 64 << 30
(HERE / "bomb.tar.gz").write_bytes(gzip.compress(header.tobuf(tarfile.GNU_FORMAT) + bytes(1024), mtime=0))
header.size = 0
data = bytearray(header.tobuf(tarfile.GNU_FORMAT))
data[156:157] = b"S"
data[386:410] = b"%011o\0%011o\0" % (8 << 20, 0)
data[483:495] = b"%011o\0" % (8 << 20)
data[148:156] = b" " * 8
data[148:156] = b"%06o\0 " % sum(data)
(HERE / "sparse.tar").write_bytes(bytes(data) + bytes(1024))
