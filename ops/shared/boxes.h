/* Boxes in rows: their formats, sorting, and non-maximum suppression. */
#ifndef OPS_BOXES_H
#define OPS_BOXES_H

#include "onnx/builder/build.h"

/* Words of attributes that say what the four numbers of a box are, and their indices. */
enum { MX_CORNER, MX_CENTER };
extern const char *const mx_box_formats[];

/* The numbers for x and y of the first point of boxes (..., 4), and those of the second point, or the size. */
void ox_halves(struct ox_build *b, ox_val boxes, ox_val *out);
/* Column i of rows (B, N, ...): (B, N, 1). */
ox_val ox_column(struct ox_build *b, ox_val rows, int64_t i);

/* int64 (1): a size, or `most` if that is less; below 0 it is never less. */
ox_val ox_at_most(struct ox_build *b, mx_dim size, int64_t most);
/* The `count` largest of x (B, N, ...) along axis 1 in descending order, equal ones in the order of x, and their indices. */
void ox_top(struct ox_build *b, ox_val x, ox_val count, ox_val *values_and_index);
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
