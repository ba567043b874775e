/* Groups of nodes shared by detection heads: boxes selected by non-maximum suppression. */
#include <float.h>

#include "shared/boxes.h"

ox_val ox_rows_at(struct ox_build *b, ox_val x, ox_val index)
{
    const ox_val at = ox_rank(b, index) == 2 ? ox_unsqueeze1(b, index, 2) : index;
    return ox_node(b, OX_GatherND, OX_IN(x, at), OX_ATTRS(OX_I("batch_dims", 1)));
}

/* Runtimes sort the corners of a box first; in MXNet a box with swapped corners overlaps nothing. If its upper corner is set to the
 * lower one, the box has no area, and no runtime uses it to suppress others. */
static ox_val not_inside_out(struct ox_build *b, ox_val boxes, int64_t first)
{
    const ox_val low = ox_slice1(b, boxes, 2, first, first + 2);
    const ox_val high = ox_binary(b, OX_Max, ox_slice1(b, boxes, 2, first + 2, first + 4), low);
    return ox_concat(b, (const ox_val[]){low, high}, 2, 2);
}

/* The limits are vectors of one element, as in ONNX's own tests: not every runtime accepts scalars. */
ox_val ox_nms(struct ox_build *b, const struct ox_nms *n)
{
    const mx_dim one[] = {mx_dim_of(1)};
    const double least = -(double)FLT_MAX;
    const ox_val boxes = n->center ? ox_slice1(b, n->boxes, 2, n->first, n->first + 4) : not_inside_out(b, n->boxes, n->first);
    const ox_val limit = n->limit > 0 ? ox_int(b, n->limit) : ox_dim(b, ox_dim_at(b, n->scores, 2));
    const ox_val iou = ox_floats(b, MX_FLOAT32, &n->iou, 1);
    const ox_val above = n->above != OX_NONE ? ox_reshape(b, n->above, one, 1) : ox_floats(b, MX_FLOAT32, &least, 1);
    return ox_node(b, OX_NonMaxSuppression, OX_IN(boxes, n->scores, limit, iou, above), OX_ATTRS(OX_I("center_point_box", n->center)));
}

ox_val ox_only_kept(struct ox_build *b, ox_val kept, ox_val x, double other)
{
    const ox_val at = ox_gather(b, kept, OX_INTS(b, 0, 2), 1);
    const ox_val values = ox_node(b, OX_GatherND, OX_IN(x, at), OX_NO_ATTRS);
    const ox_val base = ox_fill(b, ox_dtype(b, x), ox_shape(b, x), other);
    return ox_node(b, OX_ScatterND, OX_IN(base, at, values), OX_NO_ATTRS);
}
