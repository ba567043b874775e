/* broadcast_to, broadcast_axis, broadcast_like: dims of size 1 are expanded. */
#include "op/op.h"

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    out[0] = ox_expand(b, in[0], n->out[0].shape.dims, n->out[0].shape.ndim);
}

/* ---- broadcast_to: 0 keeps the input's size */

struct to {
    struct mx_tuple shape;
};

static const struct mx_attr to_attrs[] = {MX_SIZES_NONE(struct to, shape, "()")};

static int infer_to(struct mx_infer *c)
{
    const struct to *a = c->attrs;
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 0));
    if (a->shape.n < 1 || a->shape.n > MX_MAX_RANK) {
        return mx_infer_fail(c, "shape", MX_SUBJECT "has length %d" MX_HELP "give one for each dimension of the input", a->shape.n);
    }
    MX_TRY(mx_input_rank(c, 0, a->shape.n, &s));
    for (int i = 0; i < s.ndim; i++) {
        if (a->shape.v[i] < 0 || a->shape.v[i] > INT32_MAX) {
            return mx_infer_fail(c, "shape",
                                 MX_SUBJECT "holds the size %lld" MX_HELP "use 0 to keep the input's size, or a positive number",
                                 (long long)a->shape.v[i]);
        }
        mx_put_dim(&dims, i, a->shape.v[i] == 0 ? s.dims[i] : mx_dim_of(a->shape.v[i]));
    }
    MX_TRY(mx_output_is_dims(c, 0, dims.v, dims.n));
    for (int i = 0; i < s.ndim; i++) {
        MX_TRY(mx_stretch(c, s.dims[i], mx_get_dim(&dims, i)));
    }
    return MX_OK;
}

/* ---- broadcast_axis: the listed axes have size 1 and get these sizes */

struct over {
    struct mx_tuple axis, size;
};

static const struct mx_attr over_attrs[] = {
    MX_AXES_NONE(struct over, axis, "()"),
    MX_SIZES_NONE(struct over, size, "()"),
};

static int infer_over(struct mx_infer *c)
{
    const struct over *a = c->attrs;
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 0));
    if (a->axis.n != a->size.n) {
        return mx_infer_fail(c, "size", MX_SUBJECT "has length %d and axis has length %d" MX_HELP "give one size for each axis", a->size.n,
                             a->axis.n);
    }
    MX_TRY(mx_input(c, 0, &s));
    mx_push_dims(&dims, s.dims, s.ndim);
    for (int i = 0; i < a->axis.n; i++) {
        int axis;
        MX_TRY(mx_axis(c, a->axis.v[i], s.ndim, "axis", &axis));
        MX_TRY(mx_check_size(c, "size", a->size.v[i], !c->graph->np_shape));
        MX_TRY(mx_same_dim(c, s.dims[axis], mx_dim_of(1), "the size of the axis to broadcast"));
        mx_put_dim(&dims, axis, mx_dim_of(a->size.v[i]));
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

/* ---- broadcast_like: rhs gives the sizes, for all axes or for pairs of axes */

struct like {
    struct mx_tuple lhs_axes, rhs_axes;
};

static const struct mx_attr like_attrs[] = {
    MX_AXES_NONE(struct like, lhs_axes, "None"),
    MX_AXES_NONE(struct like, rhs_axes, "None"),
};

static int infer_like(struct mx_infer *c)
{
    const struct like *a = c->attrs;
    const bool pairs = a->lhs_axes.given && a->rhs_axes.given;
    struct mx_shape l, r;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &l));
    MX_TRY(mx_input(c, 1, &r));
    if (!pairs && l.ndim != r.ndim) {
        return mx_infer_fail(c, NULL, "lhs has rank %d and rhs rank %d, but the ranks must be equal unless lhs_axes and rhs_axes are given",
                             l.ndim, r.ndim);
    }
    if (pairs && (a->lhs_axes.n != a->rhs_axes.n || a->lhs_axes.n == 0)) {
        return mx_infer_fail(c, "lhs_axes", MX_SUBJECT "has length %d and rhs_axes has length %d, but both must have the same, at least 1",
                             a->lhs_axes.n, a->rhs_axes.n);
    }
    for (int i = 0; i < l.ndim; i++) {
        mx_put_dim(&dims, i, pairs ? l.dims[i] : r.dims[i]);
    }
    for (int i = 0; pairs && i < a->lhs_axes.n; i++) {
        int x, y;
        MX_TRY(mx_axis(c, a->lhs_axes.v[i], l.ndim, "lhs_axes", &x));
        MX_TRY(mx_axis(c, a->rhs_axes.v[i], r.ndim, "rhs_axes", &y));
        mx_put_dim(&dims, x, r.dims[y]);
    }
    MX_TRY(mx_output_is_dims(c, 0, dims.v, dims.n));
    for (int i = 0; i < l.ndim; i++) {
        MX_TRY(mx_stretch(c, l.dims[i], mx_get_dim(&dims, i)));
    }
    return MX_OK;
}

const struct mx_op mx_ops_broadcast[] = {
    {.name = "broadcast_axis", .alias = "broadcast_axes", MX_ATTRS(over_attrs, struct over), .infer = infer_over, .lower = lower},
    {
        .name = "broadcast_like",
        .alias = "_npx_broadcast_like",
        MX_ATTRS(like_attrs, struct like),
        .inputs = "lhs rhs",
        .infer = infer_like,
        .lower = lower,
    },
    {.name = "broadcast_to", MX_ATTRS(to_attrs, struct to), .infer = infer_to, .lower = lower},
    MX_OPS_END,
};
