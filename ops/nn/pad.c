/* Pad of the spatial axes (src/operator/pad-inl.h). */
#include "op/op.h"

struct pad {
    int mode;
    struct mx_tuple pad_width; /* (before, after) for each axis */
    double constant_value;
};

enum { CONSTANT, EDGE, REFLECT };
static const char *const modes[] = {"constant", "edge", "reflect", NULL};

static const struct mx_attr attrs[] = {
    MX_ENUM(struct pad, mode, NULL, modes),
    MX_SIZES_NONE(struct pad, pad_width, NULL),
    MX_DOUBLE(struct pad, constant_value, "0"),
};

static bool is_width(int64_t n)
{
    return n >= 0 && n <= INT32_MAX;
}

static int infer(struct mx_infer *c)
{
    const struct pad *a = c->attrs;
    struct mx_shape x;
    struct mx_dim_list out = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 0));
    if (a->pad_width.n < 2 || a->pad_width.n % 2 != 0 || a->pad_width.n > 2 * MX_MAX_RANK) {
        return mx_infer_fail(c, "pad_width", MX_SUBJECT "has length %d, but must have two numbers for each axis", a->pad_width.n);
    }
    MX_TRY(mx_input_rank(c, 0, a->pad_width.n / 2, &x));
    for (int i = 0; i < x.ndim; i++) {
        const int64_t before = a->pad_width.v[2 * i], after = a->pad_width.v[2 * i + 1];
        int64_t size;
        if (!is_width(before) || !is_width(after)) {
            return mx_infer_fail(c, "pad_width", MX_SUBJECT "pads axis %d by %lld and %lld, but both must be 0 to 2^31 - 1", i,
                                 (long long)before, (long long)after);
        }
        if (a->mode == REFLECT && mx_dim_known(c->dims, x.dims[i], &size) && (before >= size || after >= size) && before + after > 0) {
            return mx_infer_fail(c, "pad_width", "mode reflect can add fewer cells than the axis has, and axis %d has %lld", i,
                                 (long long)size);
        }
        mx_put_dim(&out, i, mx_dim_addn(c->dims, x.dims[i], before + after));
    }
    return mx_output_is_dims(c, 0, out.v, out.n);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct pad *a = n->attrs;
    const int rank = a->pad_width.n / 2;
    struct mx_int_list begin = ox_no_ints(b);
    struct mx_int_list end = ox_no_ints(b);
    for (int i = 0; i < rank; i++) {
        mx_put_int(&begin, i, a->pad_width.v[2 * i]);
        mx_put_int(&end, i, a->pad_width.v[2 * i + 1]);
    }
    out[0] = ox_pad(b, in[0], begin.v, end.v, end.n, modes[a->mode], a->constant_value);
}

const struct mx_op mx_ops_pad[] = {
    {.name = "Pad", .alias = "pad _npx_pad", MX_ATTRS(attrs, struct pad), .infer = infer, .lower = lower},
    MX_OPS_END,
};
