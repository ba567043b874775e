/* Regions of maps, and values between the cells of a map. */
#ifndef OPS_CELLS_H
#define OPS_CELLS_H

#include "onnx/builder/build.h"
#include "op/op.h"

/* Input 0 is a map (N, C, H, W), *map, and input 1 *regions rows of so many columns; output 0 has their type. */
int mx_input_regions(struct mx_infer *c, int columns, struct mx_shape *map, mx_dim *regions) MX_MUST_USE;

/* 0, 1, ... for the samples along one axis of a bin: `ratio` of them, or, if that is not positive, as many as the largest bin has, whose
 * own numbers are their sizes rounded up; *count is the number in each bin. */
ox_val ox_samples(struct ox_build *b, ox_val bin, int64_t ratio, ox_val *count);
/* True for points from -1 to the number of cells. */
ox_val ox_on_map(struct ox_build *b, ox_val at, mx_dim cells);

/* A map (N, C, H, W) with so many rows and columns of zeros around it. */
ox_val ox_zeros_around(struct ox_build *b, ox_val map, int64_t width);

/* Points of maps whose cells are rows: cell (y, x) of a map is row base + y * width * step + x * step. A point outside
 * reads the nearest cell inside. */
struct ox_sample {
    ox_val rows; /* (rows, n): n numbers of each cell */
    ox_val base; /* int64; y, x and base broadcast */
    ox_val y, x; /* floats */
    mx_dim height, width;
    int64_t step; /* 1 unless maps are interleaved */
};
/* (points..., n), bilinearly. */
ox_val ox_bilinear(struct ox_build *b, const struct ox_sample *s);
/* Weighted sums of x (N, C, H, W) over regions: image (R), int64, along_y (R, h, H), along_x (R, w, W) to (R, C, h, w). */
ox_val ox_weigh_regions(struct ox_build *b, ox_val x, ox_val image, ox_val along_y, ox_val along_x);

#endif
