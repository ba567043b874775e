/* Boxes: non-maximum suppression and the rows that it keeps. */
#ifndef OPS_BOXES_H
#define OPS_BOXES_H

#include "onnx/builder/build.h"

/* Rows of x (B, N, ...) at index (B, K) or (B, K, 1), int64: (B, K, ...). */
ox_val ox_rows_at(struct ox_build *b, ox_val x, ox_val index);

/* Non-maximum suppression: of two boxes of one class that overlap by more than `iou`, the one with the lower score is
 * dropped; of equal scores, the later one. */
struct ox_nms {
    ox_val boxes;  /* (B, N, columns), four of them from `first` on: x1 y1 x2 y2, or with `center` x y width height */
    ox_val scores; /* (B, classes, N) */
    ox_val above;  /* float scalar: boxes with a score that is not above it do not take part; OX_NONE: all do */
    double iou;    /* from 0 to 1 */
    int64_t first;
    int64_t limit; /* boxes to keep of each class; 0: any number */
    bool center;
};
/* int64 (kept, 3): image, class and box of each box that is kept. */
ox_val ox_nms(struct ox_build *b, const struct ox_nms *n);
/* x (B, N) or (B, N, 1) at the kept boxes, `other` elsewhere. */
ox_val ox_only_kept(struct ox_build *b, ox_val kept, ox_val x, double other);

#endif
