/* Crop of height and width, to given numbers or to the size of another input (src/operator/crop-inl.h). */
#include "op/op.h"

struct crop {
    int64_t num_args;
    struct mx_tuple offset, h_w;
    bool center_crop;
};

static const struct mx_attr attrs[] = {
    MX_COUNT(struct crop, num_args, NULL),
    MX_SIZES_NONE(struct crop, offset, "(0, 0)"),
    MX_SIZES_NONE(struct crop, h_w, "(0, 0)"),
    MX_BOOL(struct crop, center_crop, "False"),
};

static int check(struct mx_infer *c, const struct crop *a)
{
    if (a->num_args < 1 || a->num_args > 2) {
        return mx_infer_fail(c, "num_args", MX_SUBJECT "is %lld, but must be 1 or 2", (long long)a->num_args);
    }
    if (a->num_args == 1 && (a->h_w.n != 2 || a->h_w.v[0] < 1 || a->h_w.v[1] < 1)) {
        return mx_infer_fail_attr(c, "h_w", "two positive numbers: height and width");
    }
    for (int i = 0; i < 2 && !a->center_crop; i++) {
        if (a->offset.n != 2 || a->offset.v[i] < 0 || a->offset.v[i] > INT32_MAX) {
            return mx_infer_fail_attr(c, "offset", "two numbers from 0 to 2^31 - 1: y and x");
        }
    }
    return MX_OK;
}

static int infer(struct mx_infer *c)
{
    const struct crop *a = c->attrs;
    struct mx_shape x, like;
    MX_TRY(check(c, a));
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input_rank(c, 0, 4, &x));
    mx_dim out[4] = {x.dims[0], x.dims[1]};
    if (a->num_args == 2) {
        MX_TRY(mx_input_rank(c, 1, 4, &like));
    }
    for (int i = 0; i < 2; i++) {
        int64_t size, cropped;
        out[2 + i] = a->num_args == 2 ? like.dims[2 + i] : mx_dim_of(a->h_w.v[i]);
        if (mx_dim_known(c->dims, x.dims[2 + i], &size) && mx_dim_known(c->dims, out[2 + i], &cropped)
            && cropped > size - (a->center_crop ? 0 : a->offset.v[i])) {
            return mx_infer_fail(c, "offset", "axis %d has %lld cells, which are too few to crop %lld at this offset", 2 + i,
                                 (long long)size, (long long)cropped);
        }
    }
    return mx_output_is_dims(c, 0, out, 4);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct crop *a = n->attrs;
    struct mx_dims *t = ox_dims_table(b);
    mx_dim begin[2], end[2];
    for (int i = 0; i < 2; i++) {
        const mx_dim size = n->out[0].shape.dims[2 + i];
        begin[i] = a->center_crop ? mx_dim_floor_div(t, mx_dim_sub(t, ox_dim_at(b, in[0], 2 + i), size), 2) : mx_dim_of(a->offset.v[i]);
        end[i] = mx_dim_add(t, begin[i], size);
    }
    out[0] = ox_slice_dims(b, in[0], (const int64_t[]){2, 3}, begin, end, 2);
}

const struct mx_op mx_ops_crop[] = {
    {.name = "Crop", MX_ATTRS(attrs, struct crop), .inputs = "arg...:count(num_args)", .infer = infer, .lower = lower},
    MX_OPS_END,
};
