#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the converted detector in OpenVINO and draws what it found.

    python boxes.py MODEL.onnx PICTURE.npy PICTURE.svg
"""
import base64
import struct
import sys
import zlib

import numpy as np
import openvino

NAMES, COLOURS = ("circle", "square", "triangle"), ("#d81b60", "#1e88e5", "#fb8c00")
SURE, LARGER, SHADES = 0.5, 3, 8


def detect(path, pixels):
    """[(class, score, (x0, y0, x1, y1))] of what the model is sure of."""
    model = openvino.Core().compile_model(path, "CPU")
    classes, scores, boxes = [model([pixels[None]])[o][0] for o in model.outputs]
    return [(int(c), float(s), b) for c, s, b in zip(classes[:, 0], scores[:, 0], boxes) if s > SURE]


def png(pixels):
    """The bytes of a picture file: rows of RGB, each with the filter 0 before it. Few shades of a colour: noise takes space."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels // (256 // SHADES) * (255 // (SHADES - 1)))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def svg(pixels, found):
    height, width, _ = pixels.shape
    picture = base64.b64encode(png(pixels)).decode()
    lines = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">'
             % (width * LARGER, height * LARGER, width, height),
             '<image width="%d" height="%d" href="data:image/png;base64,%s"/>' % (width, height, picture)]
    for kind, score, (x0, y0, x1, y1) in found:
        colour, y = COLOURS[kind], max(y0, 8)
        lines += ['<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="none" stroke="%s" stroke-width="1.5"/>'
                  % (x0, y0, x1 - x0, y1 - y0, colour),
                  '<rect x="%.1f" y="%.1f" width="48" height="8" fill="%s"/>' % (x0, y - 8, colour),
                  '<text x="%.1f" y="%.1f" font-family="sans-serif" font-size="6.5" fill="white">%s %.2f</text>'
                  % (x0 + 1, y - 2, NAMES[kind], score)]
    return "\n".join(lines + ["</svg>", ""])


def main():
    path, picture, target = sys.argv[1:]
    pixels = np.load(picture)
    found = detect(path, pixels)
    for kind, score, box in found:
        print("%-8s %.2f  %s" % (NAMES[kind], score, " ".join("%.0f" % v for v in box)))
    with open(target, "w") as f:
        f.write(svg(pixels, found))


if __name__ == "__main__":
    main()
