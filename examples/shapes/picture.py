#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures of circles, squares and triangles, the same for a number at every run: what train.py learns and examples look at.

    python picture.py picture.npy [NUMBER]      an array (128, 128, 3) of bytes, in RGB
"""
import sys

import numpy as np

SIDE = 128
NAMES = ("circle", "square", "triangle")


def inside(kind, x, y, box):
    """Where a shape is that fills the box."""
    x0, y0, x1, y1 = box
    u, v = (2 * x - x0 - x1) / (x1 - x0), (2 * y - y0 - y1) / (y1 - y0)  # -1 to 1 in the box
    if kind == 0:
        return u * u + v * v <= 1
    if kind == 1:
        return np.maximum(abs(u), abs(v)) <= 1
    return (abs(u) <= (v + 1) / 2) & (v <= 1)


def overlap(a, b):
    return max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))


def draw(number):
    """(picture, [(kind, x0, y0, x1, y1)])"""
    rng = np.random.RandomState(number)
    y, x = np.mgrid[:SIDE, :SIDE]
    slope = rng.uniform(-0.5, 0.5, 2)
    picture = rng.uniform(60, 200, 3) + (slope[0] * (x - SIDE / 2) + slope[1] * (y - SIDE / 2))[..., None]
    found, wanted = [], rng.randint(2, 5)
    for _ in range(10):
        side = rng.uniform(24, 64)
        x0, y0 = rng.uniform(2, SIDE - 2 - side, 2)
        kind, box = rng.randint(len(NAMES)), (x0, y0, x0 + side, y0 + side)
        colour = rng.uniform(0, 255, 3)
        apart = not any(overlap(box, other[1:]) for other in found)
        if len(found) < wanted and apart and abs(colour - picture[int(y0), int(x0)]).max() >= 60:
            picture[inside(kind, x, y, box)] = colour
            found.append((kind,) + box)
    picture += rng.normal(0, 6, picture.shape)
    return picture.clip(0, 255).astype(np.uint8), found


if __name__ == "__main__":
    np.save(sys.argv[1], draw(int(sys.argv[2]) if len(sys.argv) > 2 else 100242)[0])
