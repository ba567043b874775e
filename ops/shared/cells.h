/* Values between the cells of a map. */
#ifndef OPS_CELLS_H
#define OPS_CELLS_H

#include "onnx/builder/build.h"

/* Points of maps whose cells are rows: cell (y, x) of a map is row base + y * width * step + x * step. A point outside
 * reads the nearest cell inside. */
struct ox_sample {
    ox_val rows; /* (rows, n): n numbers of each cell */
    ox_val base; /* int64; y, x and base broadcast */
    ox_val y, x; /* floats */
    mx_dim height, width;
    int64_t step; /* 1 unless maps lie interleaved */
};
/* (points..., n), bilinearly. */
ox_val ox_bilinear(struct ox_build *b, const struct ox_sample *s);
/* Weighted sums of x (N, C, H, W) over regions: image (R), int64, along_y (R, h, H), along_x (R, w, W) to (R, C, h, w). */
ox_val ox_weigh_regions(struct ox_build *b, ox_val x, ox_val image, ox_val along_y, ox_val along_x);

#endif
