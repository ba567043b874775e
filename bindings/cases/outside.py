"""Writes outside.onnx: a model of one node whose weights are in two files of this folder, with a checksum of the first."""

import os
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))


def field(number, content):
    """A field of a protocol buffer: a number, a text or a message."""
    if isinstance(content, int):
        return bytes([number << 3, content])
    content = content.encode() if isinstance(content, str) else content
    size = bytes([len(content)]) if len(content) < 128 else bytes([len(content) & 127 | 128, len(content) >> 7])
    return bytes([number << 3 | 2]) + size + content


def pair(number, key, value):
    return field(number, field(1, key) + field(2, value))


def weight(name, file, offset):
    """Two float32 after `offset` bytes of the file."""
    place = (("location", file), ("offset", str(offset)), ("length", "8"))
    entries = b"".join(pair(13, key, value) for key, value in place)
    return field(5, field(1, 2) + field(2, 1) + field(8, name) + entries + field(14, 1))


def value(number, name):
    shape = field(2, field(1, field(1, 2)))
    return field(number, field(1, name) + field(2, field(1, field(1, 1) + shape)))


def main():
    with open(os.path.join(HERE, "leaky-symbol.json"), "rb") as f:
        text = f.read()
    graph = field(1, field(1, "a") + field(1, "b") + field(2, "y") + field(4, "Add")) + field(2, "outside")
    graph += weight("a", "leaky-symbol.json", 1) + weight("b", "split-symbol.json", 16) + value(12, "y")
    model = field(1, 8) + field(7, graph) + field(8, field(2, 17))
    model += pair(14, "mx2onnx_file:leaky-symbol.json", "%d bytes, crc32 %08x" % (len(text), zlib.crc32(text)))
    with open(os.path.join(HERE, "outside.onnx"), "wb") as f:
        f.write(model)


if __name__ == "__main__":
    main()
