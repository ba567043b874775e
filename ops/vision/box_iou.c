/* box_iou: the overlap of each box in one list with each box in another (src/operator/contrib/bounding_box-inl.h, compute_overlap). */
#include "op/op.h"
#include "shared/boxes.h"

struct overlap {
    int format;
};

static const struct mx_attr attrs[] = {MX_ENUM(struct overlap, format, "corner", mx_box_formats)};

static int infer(struct mx_infer *c)
{
    struct mx_dim_list out = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, -1));
    for (int i = 0; i < 2; i++) {
        struct mx_shape s;
        MX_TRY(mx_input_at_least(c, i, 2, &s));
        MX_TRY(mx_same_dim(c, s.dims[s.ndim - 1], mx_dim_of(4), "coordinates of a box"));
        mx_push_dims(&out, s.dims, s.ndim - 1);
    }
    return mx_output_is_dims(c, 0, out.v, out.n);
}

struct boxes {
    ox_val low, high; /* (n, 1, 2) or (1, n, 2) */
    ox_val area;      /* (n, 1) or (1, n) */
};

static ox_val product(struct ox_build *b, ox_val x)
{
    return ox_reduce(b, OX_ReduceProd, x, (const int64_t[]){-1}, 1, false);
}

/* A box with swapped corners on one axis or both has area 0 (BoxArea). */
static struct boxes look(struct ox_build *b, const struct overlap *a, ox_val x, int axis)
{
    const struct mx_shape s = ox_shape(b, x);
    const struct mx_shape rows = MX_DIMS(mx_dim_product(ox_dims_table(b), s.dims, s.ndim - 1), mx_dim_of(4));
    const ox_val zero = ox_scalar_like(b, x, 0);
    ox_val part[2];
    ox_halves(b, ox_unsqueeze1(b, ox_reshape_shape(b, x, rows), axis), part);
    struct boxes boxes = {.low = part[0], .high = part[1]};
    ox_val size = part[1];
    if (a->format == MX_CENTER) {
        const ox_val half = ox_mul(b, size, ox_scalar_like(b, x, 0.5));
        boxes.low = ox_sub(b, part[0], half);
        boxes.high = ox_add(b, part[0], half);
    } else {
        size = ox_sub(b, part[1], part[0]);
    }
    boxes.area = product(b, ox_binary(b, OX_Max, size, zero));
    return boxes;
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct boxes l = look(b, n->attrs, in[0], 1), r = look(b, n->attrs, in[1], 0);
    const ox_val zero = ox_scalar_like(b, in[0], 0), one = ox_scalar_like(b, in[0], 1);
    const ox_val span = ox_sub(b, ox_binary(b, OX_Min, l.high, r.high), ox_binary(b, OX_Max, l.low, r.low));
    const ox_val common = product(b, ox_binary(b, OX_Max, span, zero));
    const ox_val overlaps = ox_binary(b, OX_Greater, common, zero);
    const ox_val together = ox_sub(b, ox_add(b, l.area, r.area), common);
    /* without an intersection the areas may be 0 as well */
    const ox_val iou = ox_div(b, common, ox_where(b, overlaps, together, one));
    out[0] = ox_reshape_shape(b, iou, n->out[0].shape);
}

const struct mx_op mx_ops_box_iou[] = {
    {
        .name = "_contrib_box_iou",
        .alias = "_npx_box_iou",
        .positions = true,
        MX_ATTRS(attrs, struct overlap),
        .inputs = "lhs:exact rhs:exact",
        .infer = infer,
        .lower = lower,
    },
    MX_OPS_END,
};
