/* tril: what lies above diagonal k becomes 0; a vector stands in each row of a square
 * (src/operator/numpy/np_tril_op-inl.h). */
#include "onnx/build.h"
#include "op/op.h"

struct tril {
    int64_t k;
};

static const struct mx_attr attrs[] = {
    MX_INT(struct tril, k, "0"),
    MX_ATTRS_END,
};

static int infer(struct mx_infer *c)
{
    const struct tril *a = c->attrs;
    struct mx_shape s;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    if (s.ndim == 0 || a->k > INT32_MAX || a->k < -INT32_MAX) {
        return mx_infer_fail(c, "k", "%lld does not fit an input of rank %d", (long long)a->k,
                             s.ndim);
    }
    const mx_dim square[] = {s.dims[0], s.dims[0]};
    return s.ndim == 1 ? mx_output_is_dims(c, 0, square, 2) : mx_output_is(c, 0, s);
}

/* bool (rows, columns): column <= row + k. */
static ox_val mask(struct ox_build *b, mx_dim rows, mx_dim columns, int64_t k)
{
    const ox_val row = ox_add(b, ox_range(b, rows), ox_scalar(b, MX_INT64, (double)k));
    return ox_binary(b, OX_LessOrEqual, ox_range(b, columns), ox_unsqueeze1(b, row, 1));
}

/* The mask of known sizes, or OX_NONE. */
static ox_val stored_mask(struct ox_build *b, ox_val x, int64_t k)
{
    int64_t rows, columns;
    if (!ox_size_at(b, x, -2, &rows) || !ox_size_at(b, x, -1, &columns) || rows == 0 || columns == 0
        || rows > (1 << 16) / columns) {
        return OX_NONE;
    }
    bool *v = ox_scratch(b, (size_t)(rows * columns), sizeof(*v));
    for (int64_t i = 0; i < rows * columns && !ox_failed(b); i++) {
        v[i] = i % columns <= i / columns + k;
    }
    return ox_tensor(b, MX_BOOL, (const int64_t[]){rows, columns}, 2, v);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct tril *a = n->attrs;
    const struct mx_shape s = n->out[0].shape;
    ox_val x = in[0];
    if (ox_rank(b, x) == 1) {
        x = ox_expand(b, x, s.dims, 2);
    }
    if (ox_has(b, OX_Trilu)) {
        out[0] = ox_node(b, OX_Trilu, OX_IN(x, ox_scalar(b, MX_INT64, (double)a->k)),
                         OX_ATTRS(OX_I("upper", 0)));
        return;
    }
    ox_val lower_part = stored_mask(b, x, a->k);
    if (lower_part == OX_NONE) {
        lower_part = mask(b, s.dims[s.ndim - 2], s.dims[s.ndim - 1], a->k);
    }
    out[0] = ox_where(b, lower_part, x, ox_scalar_like(b, x, 0));
}

const struct mx_op mx_ops_np_tril[] = {
    {.name = "_npi_tril", MX_ATTRS(attrs, struct tril), .infer = infer, .lower = lower},
    MX_OPS_END,
};
