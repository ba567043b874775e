/* cross: products of vectors with two or three elements (src/operator/numpy/np_cross-inl.h). For two vectors with two elements the
 * result is the third element only. */
#include "op/op.h"

struct cross {
    int64_t axisa, axisb, axisc;
};

static const struct mx_attr attrs[] = {
    MX_AXIS(struct cross, axisa, "-1"),
    MX_AXIS(struct cross, axisb, "-1"),
    MX_AXIS(struct cross, axisc, "-1"),
};

/* The shape of input i without the vectors' axis, whose size is two or three. */
static int vectors(struct mx_infer *c, int i, struct mx_dim_list *rest, struct mx_shape *s, int64_t *size)
{
    const struct cross *a = c->attrs;
    const char *name = i == 0 ? "axisa" : "axisb";
    int at;
    MX_TRY(mx_input(c, i, s));
    MX_TRY(mx_axis(c, i == 0 ? a->axisa : a->axisb, s->ndim, name, &at));
    MX_TRY(mx_number(c, s->dims[at], "the axis of the vectors", size));
    if (*size != 2 && *size != 3) {
        return mx_infer_fail(c, name, "the vectors along this axis have %lld numbers, but must have 2 or 3", (long long)*size);
    }
    mx_push_dims(rest, s->dims, at);
    mx_push_dims(rest, s->dims + at + 1, s->ndim - at - 1);
    *s = mx_list_shape(rest);
    return MX_OK;
}

static int infer(struct mx_infer *c)
{
    const struct cross *a = c->attrs;
    struct mx_shape x, y, all;
    struct mx_dim_list rest[] = {mx_no_dims(c), mx_no_dims(c)}, dims = mx_no_dims(c);
    int64_t p, q;
    int axis;
    MX_TRY(mx_same_dtype(c, 0, 1));
    MX_TRY(vectors(c, 0, &rest[0], &x, &p));
    MX_TRY(vectors(c, 1, &rest[1], &y, &q));
    if (y.ndim < x.ndim) { /* refused by MXNet 2.0.0b1, or computed wrongly if sizes happen to fit */
        return mx_infer_fail(c, NULL, "the second input has rank %d and the first %d" MX_HELP "expand the second", y.ndim, x.ndim);
    }
    MX_TRY(mx_broadcast_shapes(c, x, y, &all));
    if (p == 2 && q == 2) {
        return mx_output_is(c, 0, all);
    }
    MX_TRY(mx_axis(c, a->axisc, all.ndim + 1, "axisc", &axis));
    mx_push_dims(&dims, all.dims, axis);
    mx_push_dim(&dims, mx_dim_of(3));
    mx_push_dims(&dims, all.dims + axis, all.ndim - axis);
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

/* Element k of the vectors, OX_NONE for the third of two. */
static ox_val number(struct ox_build *b, ox_val x, int64_t axis, int k)
{
    int64_t size;
    const int at = (int)mx_wrap(axis, ox_rank(b, x));
    return ox_size_at(b, x, at, &size) && k >= size ? OX_NONE : ox_squeeze1(b, ox_slice1(b, x, at, k, k + 1), at);
}

/* p * q - r * s, where an operand that is OX_NONE counts as 0. */
static ox_val difference(struct ox_build *b, ox_val p, ox_val q, ox_val r, ox_val s)
{
    const ox_val first = p == OX_NONE || q == OX_NONE ? OX_NONE : ox_mul(b, p, q);
    const ox_val second = r == OX_NONE || s == OX_NONE ? OX_NONE : ox_mul(b, r, s);
    return second == OX_NONE ? first : first == OX_NONE ? ox_unary(b, OX_Neg, second) : ox_sub(b, first, second);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct cross *a = n->attrs;
    ox_val x[3], y[3], parts[3];
    for (int k = 0; k < 3; k++) {
        x[k] = number(b, in[0], a->axisa, k);
        y[k] = number(b, in[1], a->axisb, k);
    }
    if (x[2] == OX_NONE && y[2] == OX_NONE) {
        out[0] = difference(b, x[0], y[1], x[1], y[0]);
        return;
    }
    const int rank = n->out[0].shape.ndim, axis = (int)mx_wrap(a->axisc, rank);
    struct mx_dim_list dims = ox_dims_like(b, n->out[0].shape);
    mx_put_dim(&dims, axis, mx_dim_of(1));
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const ox_val part = ox_unsqueeze1(b, difference(b, x[i], y[j], x[j], y[i]), axis);
        parts[k] = ox_expand(b, part, dims.v, dims.n);
    }
    out[0] = ox_concat(b, parts, 3, axis);
}

const struct mx_op mx_ops_np_cross[] = {
    {
        .name = "_npi_cross",
        MX_ATTRS(attrs, struct cross),
        .inputs = "a b",
        .infer = infer,
        .lower = lower,
        .refuses = "A second input of lower rank than the first: MXNet 2.0.0b1 fails, or computes wrong numbers.",
    },
    MX_OPS_END,
};
