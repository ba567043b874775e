/* Groups of nodes shared by detection heads. */
#include <float.h>

#include "shared/boxes.h"

const char *const mx_box_formats[] = {"corner", "center", NULL};

void ox_halves(struct ox_build *b, ox_val boxes, ox_val *out)
{
    ox_split(b, boxes, ox_rank(b, boxes) - 1, (const int64_t[]){2, 2}, 2, out);
}

ox_val ox_column(struct ox_build *b, ox_val rows, int64_t i)
{
    return ox_slice1(b, rows, 2, i, i + 1);
}

ox_val ox_at_most(struct ox_build *b, mx_dim size, int64_t most)
{
    int64_t known;
    if (mx_dim_known(ox_dims_table(b), size, &known)) {
        return ox_int(b, most >= 0 && most < known ? most : known);
    }
    return most < 0 ? ox_dim(b, size) : ox_binary(b, OX_Min, ox_int(b, most), ox_dim(b, size));
}

void ox_top(struct ox_build *b, ox_val x, ox_val count, ox_val *values_and_index)
{
    ox_node_n(b, OX_TopK, OX_IN(x, count), OX_ATTRS(OX_I("axis", 1)), values_and_index, 2);
}

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
    const double least = -(double)FLT_MAX;
    const ox_val boxes = n->center ? ox_slice1(b, n->boxes, 2, n->first, n->first + 4) : not_inside_out(b, n->boxes, n->first);
    const ox_val limit = n->limit > 0 ? ox_int(b, n->limit) : ox_dim(b, ox_dim_at(b, n->scores, 2));
    const ox_val iou = ox_floats(b, MX_FLOAT32, &n->iou, 1);
    const ox_val above = n->above != OX_NONE ? ox_reshape_shape(b, n->above, MX_DIMS(mx_dim_of(1))) : ox_floats(b, MX_FLOAT32, &least, 1);
    return ox_node(b, OX_NonMaxSuppression, OX_IN(boxes, n->scores, limit, iou, above), OX_ATTRS(OX_I("center_point_box", n->center)));
}

ox_val ox_only_kept(struct ox_build *b, ox_val kept, ox_val x, double other)
{
    const ox_val at = ox_gather(b, kept, OX_INTS(b, 0, 2), 1);
    const ox_val values = ox_node(b, OX_GatherND, OX_IN(x, at), OX_NO_ATTRS);
    const ox_val base = ox_fill(b, ox_dtype(b, x), ox_shape(b, x), other);
    return ox_node(b, OX_ScatterND, OX_IN(base, at, values), OX_NO_ATTRS);
}
