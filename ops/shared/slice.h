/* The part of an axis selected by begin, end, step as in the attributes of slice (src/operator/tensor/matrix_op-inl.h,
 * GetIndexRange). */
#ifndef OPS_SLICE_H
#define OPS_SLICE_H

#include "op/op.h"

/* Elements begin, begin + step, ...: `count` of them. */
struct mx_range {
    int64_t begin, step, count;
};

static inline int64_t mx_range_clip(int64_t index, int64_t size, int64_t low, int64_t high)
{
    const int64_t at = mx_wrap(index, size);
    return at < low ? low : at > high ? high : at;
}

/* For an axis of known size; step must not be 0. */
static inline struct mx_range mx_range_of(struct mx_opt_int begin, struct mx_opt_int end, int64_t step, int64_t size)
{
    const bool up = step > 0;
    const int64_t low = up ? 0 : -1, high = up ? size : size - 1;
    const int64_t from = !begin.given ? (up ? 0 : size - 1) : mx_range_clip(begin.v, size, low, high);
    const int64_t to = !end.given ? (up ? size : -1) : mx_range_clip(end.v, size, low, high);
    const int64_t length = up ? to - from : from - to, width = up ? step : -step;
    return (struct mx_range){from, step, length > 0 ? (length - 1) / width + 1 : 0};
}

/* Element i of a list of steps that may be shorter than the number of axes, or contain None. */
static inline int64_t mx_range_step(struct mx_places steps, int i)
{
    return i < steps.n && steps.v[i].given ? steps.v[i].v : 1;
}

/* The place after the one at an index, which may count from the end. */
static inline int64_t mx_place_after(int64_t index)
{
    return index == -1 || index == INT64_MAX ? INT64_MAX : index + 1;
}

/* int64 (any): the positions of such a range on an axis whose size is known only at run time. */
ox_val mx_range_places(struct ox_build *b, struct mx_opt_int begin, struct mx_opt_int end, int64_t step, mx_dim size);

#endif
