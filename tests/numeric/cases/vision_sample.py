# SPDX-License-Identifier: Apache-2.0
"""Maps read between their cells: samplers and deformable convolutions."""
import numpy as np

from . import build, case, data, param

SAMPLER, GRID, TRANSFORMER = "BilinearSampler", "GridGenerator", "SpatialTransformer"
OPSETS = (12, 13, 15, 16, 17, 19, 20, 21, 22, 26)
MAPS = [{0: "n", 1: "c", 2: "h", 3: "w"}, {0: "n", 2: "oh", 3: "ow"}]
AFFINE = dict(transform_type="affine", target_shape=(5, 6))
THETA = [[1, 0, 0, 0, 1, 0], [0.7, -0.3, 0.2, 0.4, 1.2, -0.1]]
FIRST = dict(transform_type="affine", sampler_type="bilinear", target_shape=(5, 6))

CASES = [
    case("sampler", SAMPLER, [data(2, 3, 6, 7), data(2, 2, 4, 5, low=-1.3, high=1.3)], dynamic=MAPS, opsets=OPSETS),
    case("sampler_corners", SAMPLER, [data(1, 2, 4, 5), data(values=[[[[-1, 1, -1, 0]], [[-1, -1, 1, 0]]]])], dynamic=None),
    case("sampler_far", SAMPLER, [data(2, 3, 6, 7), data(2, 2, 4, 5, low=-5, high=5)], dynamic=MAPS),
    case("sampler_one_cell", SAMPLER, [data(2, 3, 1, 1), data(2, 2, 4, 5)], dynamic=[{0: "n"}, {0: "n"}]),
    case("sampler_f16", SAMPLER, [data(2, 3, 6, 7, dtype="float16"), data(2, 2, 4, 5, dtype="float16")], dynamic=None,
         opsets=OPSETS),
    case("sampler_f64", SAMPLER, [data(2, 3, 6, 7, dtype="float64"), data(2, 2, 4, 5, dtype="float64")], dynamic=MAPS,
         opsets=OPSETS, rtol=1e-6),
    case("sampler_grid_rank", SAMPLER, [data(2, 3, 6, 7), data(2, 3, 4, 5)], dynamic=None, error="its shape"),
    case("grid_affine", GRID, [data(values=THETA)], AFFINE),
    case("grid_affine_column", GRID, [data(values=THETA)], dict(AFFINE, target_shape=(5, 1))),
    case("grid_affine_no_target", GRID, [data(values=THETA)], dict(transform_type="affine"), error="target_shape"),
    case("grid_warp", GRID, [data(2, 2, 4, 5, low=-2, high=2)], dict(transform_type="warp"), dynamic=[{0: "n", 2: "h", 3: "w"}]),
    case("transformer", TRANSFORMER, [data(2, 3, 6, 7), data(values=THETA)], FIRST, opsets=OPSETS,
         dynamic=[{0: "n", 1: "c", 2: "h", 3: "w"}, {0: "n"}]),
    case("transformer_same_size", TRANSFORMER, [data(2, 3, 5, 6), data(values=THETA)], FIRST),
    case("transformer_f64", TRANSFORMER, [data(2, 3, 6, 7, dtype="float64"), data(values=THETA, dtype="float64")], FIRST,
         rtol=1e-6),
    case("transformer_column", TRANSFORMER, [data(2, 3, 6, 7), data(values=THETA)], dict(FIRST, target_shape=(5, 1)),
         error="target_shape"),
    build("flow", lambda mx: mx.sym.BilinearSampler(mx.sym.Variable("x"), mx.sym.GridGenerator(
        mx.sym.Variable("flow"), transform_type="warp")), {"x": data(2, 3, 6, 7), "flow": data(2, 2, 6, 7, low=-3, high=3)},
        dynamic={"x": {0: "n", 2: "h", 3: "w"}, "flow": {0: "n", 2: "h", 3: "w"}}),
]
