#include "shared/slice.h"

/* The ends may be outside the axis, so the size is open. */
static ox_val cut(struct ox_build *b, ox_val places, int64_t begin, int64_t end, int64_t step)
{
    const ox_val in[] = {places, ox_int(b, begin), ox_int(b, end), ox_int(b, 0), step == 1 ? OX_END : ox_int(b, step), OX_END};
    const mx_dim open = mx_dim_unknown(ox_dims_table(b));
    places = ox_node(b, OX_Slice, in, OX_NO_ATTRS);
    ox_typed(b, places, MX_INT64, (struct mx_shape){1, &open});
    return places;
}

/* For a negative step the positions between the ends are computed first, since ONNX's Slice starts at the first position if its start is
 * before it, where MXNet's selects nothing. */
ox_val mx_range_places(struct ox_build *b, struct mx_opt_int begin, struct mx_opt_int end, int64_t step, mx_dim size)
{
    const ox_val all = ox_range(b, size);
    if (step > 0) {
        return cut(b, all, begin.given ? begin.v : 0, end.given ? end.v : INT64_MAX, step);
    }
    const int64_t first = end.given ? mx_place_after(end.v) : 0, after = begin.given ? mx_place_after(begin.v) : INT64_MAX;
    const ox_val between = first == 0 && after == INT64_MAX ? all : cut(b, all, first, after, 1);
    return cut(b, between, INT64_MAX, INT64_MIN + 1, step);
}
