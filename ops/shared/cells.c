/* Groups of nodes that interpolate in a map, or add up parts of it. */
#include "shared/cells.h"

int mx_input_regions(struct mx_infer *c, int columns, struct mx_shape *map, mx_dim *regions)
{
    struct mx_shape rois;
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input_rank(c, 0, 4, map));
    MX_TRY(mx_input_rank(c, 1, 2, &rois));
    *regions = rois.dims[0];
    return mx_input_is(c, 1, MX_DIMS(rois.dims[0], mx_dim_of(columns)));
}

ox_val ox_samples(struct ox_build *b, ox_val bin, int64_t ratio, ox_val *count)
{
    const enum mx_dtype t = ox_dtype(b, bin);
    if (ratio > 0) {
        *count = ox_scalar(b, t, (double)ratio);
        return ox_cast(b, ox_range(b, mx_dim_of(ratio)), t);
    }
    *count = ox_unary(b, OX_Ceil, bin);
    const ox_val most = ox_reduce(b, OX_ReduceMax, *count, NULL, -1, false);
    return ox_node(b, OX_Range, OX_IN(ox_scalar(b, t, 0), most, ox_scalar(b, t, 1)), OX_NO_ATTRS);
}

ox_val ox_on_map(struct ox_build *b, ox_val at, mx_dim cells)
{
    const enum mx_dtype t = ox_dtype(b, at);
    const ox_val low = ox_binary(b, OX_GreaterOrEqual, at, ox_scalar(b, t, -1));
    return ox_binary(b, OX_And, low, ox_binary(b, OX_LessOrEqual, at, ox_dim_as(b, cells, t)));
}

ox_val ox_zeros_around(struct ox_build *b, ox_val map, int64_t width)
{
    const int64_t around[] = {0, 0, width, width};
    return ox_pad(b, map, around, around, 4, "constant", 0);
}

/* size - 1 as a scalar of type t. */
static ox_val last_of(struct ox_build *b, mx_dim size, enum mx_dtype t)
{
    int64_t n = 0;
    if (mx_dim_known(ox_dims_table(b), size, &n)) {
        return ox_scalar(b, t, (double)(n - 1));
    }
    return ox_dim_as(b, mx_dim_addn(ox_dims_table(b), size, -1), t);
}

/* Along one axis: the cells before and after a point, as row indices, and the point's distance from the first relative to the second. */
struct between {
    ox_val before, after, part;
};

static struct between look(struct ox_build *b, ox_val at, mx_dim size, ox_val rows)
{
    const enum mx_dtype t = ox_dtype(b, at);
    const ox_val last = last_of(b, size, t);
    const ox_val inside = ox_clip(b, at, ox_scalar(b, t, 0), last);
    const ox_val low = ox_unary(b, OX_Floor, inside);
    const ox_val high = ox_binary(b, OX_Min, ox_add(b, low, ox_scalar(b, t, 1)), last);
    return (struct between){
        .before = ox_mul(b, ox_cast(b, low, MX_INT64), rows),
        .after = ox_mul(b, ox_cast(b, high, MX_INT64), rows),
        .part = ox_unsqueeze1(b, ox_sub(b, inside, low), -1),
    };
}

static ox_val lerp(struct ox_build *b, ox_val x, ox_val y, ox_val part)
{
    return ox_add(b, x, ox_mul(b, ox_sub(b, y, x), part));
}

ox_val ox_bilinear(struct ox_build *b, const struct ox_sample *s)
{
    struct mx_dims *t = ox_dims_table(b);
    const mx_dim line = mx_dim_muln(t, s->width, s->step);
    const struct between x = look(b, s->x, s->width, ox_scalar(b, MX_INT64, (double)s->step));
    const struct between y = look(b, s->y, s->height, ox_dim_as(b, line, MX_INT64));
    const enum mx_dtype type = ox_dtype(b, s->rows);
    const ox_val part = ox_cast(b, x.part, type);
    ox_val of[2];
    for (int i = 0; i < 2; i++) {
        const ox_val start = ox_add(b, i == 0 ? y.before : y.after, s->base);
        of[i] = lerp(b, ox_gather(b, s->rows, ox_add(b, start, x.before), 0), ox_gather(b, s->rows, ox_add(b, start, x.after), 0), part);
    }
    return lerp(b, of[0], of[1], ox_cast(b, y.part, type));
}

ox_val ox_weigh_regions(struct ox_build *b, ox_val x, ox_val image, ox_val along_y, ox_val along_x)
{
    const struct mx_shape y = ox_shape(b, along_y);
    const ox_val turned = ox_swap_axes(b, along_x, 1, 2);
    const struct mx_shape s = ox_shape(b, turned);
    if (ox_failed(b) || y.ndim != 3 || s.ndim != 3) {
        return OX_NONE;
    }
    struct ox_graph *body = ox_graph_begin(b, "region");
    const ox_val i = ox_graph_input(b, MX_INT64, (struct mx_shape){0, NULL});
    const ox_val rows = ox_graph_input(b, ox_dtype(b, along_y), (struct mx_shape){2, y.dims + 1});
    const ox_val columns = ox_graph_input(b, ox_dtype(b, turned), (struct mx_shape){2, s.dims + 1});
    const ox_val lines = ox_matmul(b, ox_gather(b, x, i, 0), columns);
    const ox_val sums = ox_matmul(b, rows, lines);
    ox_graph_end(b, &sums, 1);
    return ox_node(b, OX_Scan, OX_IN(image, along_y, turned), OX_ATTRS(OX_G("body", body), OX_I("num_scan_inputs", 3)));
}
