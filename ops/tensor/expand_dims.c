/* expand_dims and squeeze: dims of size 1 are added and removed. */
#include "op/op.h"

struct expand {
    int64_t axis;
};

static const struct mx_attr expand_attrs[] = {MX_AXIS(struct expand, axis, NULL)};

static int infer_expand(struct mx_infer *c)
{
    const struct expand *a = c->attrs;
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    int axis;
    MX_TRY(mx_same_dtype(c, 0, 0));
    if (mx_output(c, 0).ndim > 0) {
        MX_TRY(mx_input_rank(c, 0, mx_output(c, 0).ndim - 1, &s));
    }
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_axis(c, a->axis, s.ndim + 1, "axis", &axis));
    for (int i = 0, from = 0; i <= s.ndim; i++) {
        mx_put_dim(&dims, i, i == axis ? mx_dim_of(1) : s.dims[from++]);
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower_expand(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct expand *a = n->attrs;
    out[0] = ox_unsqueeze1(b, in[0], a->axis);
}

/* ---- squeeze (SqueezeShape); NumPy's may give a scalar (NumpySqueezeShape), the legacy one keeps a dim */

struct squeeze {
    struct mx_tuple axis;
};
enum { KEEPS_ONE, MAY_BE_SCALAR };

static const struct mx_attr squeeze_attrs[] = {MX_AXES_NONE(struct squeeze, axis, "None")};

/* Finds the dims to remove: without axes, all of size 1; a dim that is open at export is assumed not to be 1. */
static int find_dropped(struct mx_infer *c, struct mx_shape s, struct mx_axes *drop)
{
    const struct squeeze *a = c->attrs;
    MX_TRY(s.ndim > 0 ? mx_check_axes(c, a->axis, s.ndim, "axis") : MX_OK);
    for (int i = 0; i < a->axis.n && s.ndim > 0; i++) {
        const int64_t axis = mx_wrap(a->axis.v[i], s.ndim);
        mx_add_axis(drop, axis);
        MX_TRY(mx_same_dim(c, mx_shape_at(c, s, axis), mx_dim_of(1), "the size of the axis to squeeze"));
    }
    for (int i = 0; !a->axis.given && i < s.ndim; i++) {
        if (mx_dim_has_unknown(c->dims, s.dims[i]) && !c->last) {
            return MX_LATER;
        }
        if (mx_dim_equal(c->dims, s.dims[i], mx_dim_of(1))) {
            mx_add_axis(drop, i);
        }
    }
    return MX_OK;
}

static int infer_squeeze(struct mx_infer *c)
{
    struct mx_shape s;
    struct mx_axes drop = {0};
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    if (s.ndim == 0 && c->node->op->which == KEEPS_ONE) {
        return mx_infer_fail(c, NULL, "the input has rank 0, but must have rank 1 or more");
    }
    MX_TRY(find_dropped(c, s, &drop));
    struct mx_dim_list dims = mx_reduced(c, s, drop, false);
    if (c->node->op->which == MAY_BE_SCALAR) {
        dims = mx_no_dims(c);
        mx_push_reduced(&dims, s, drop, false);
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower_squeeze(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct squeeze *a = n->attrs;
    const struct mx_shape s = ox_shape(b, in[0]);
    struct mx_int_list axes = ox_no_ints(b);
    mx_push_ints(&axes, a->axis.v, s.ndim > 0 ? a->axis.n : 0);
    for (int i = 0; !a->axis.given && i < s.ndim; i++) {
        if (mx_dim_equal(ox_dims_table(b), s.dims[i], mx_dim_of(1))) {
            mx_push_int(&axes, i);
        }
    }
    const int k = axes.n - (axes.n == s.ndim && n->op->which == KEEPS_ONE);
    out[0] = k <= 0 ? in[0] : ox_squeeze(b, in[0], axes.v, k);
}

#define OF_DYNAMIC "A dynamic axis that is 1 at run time, without the attribute axis: it stays; MXNet removes it."

const struct mx_op mx_ops_expand_dims[] = {
    {
        .name = "expand_dims",
        .alias = "_npi_expand_dims",
        MX_ATTRS(expand_attrs, struct expand),
        .infer = infer_expand,
        .lower = lower_expand,
    },
    {
        .name = "squeeze",
        MX_ATTRS(squeeze_attrs, struct squeeze),
        .infer = infer_squeeze,
        .lower = lower_squeeze,
        .which = KEEPS_ONE,
        .differs = OF_DYNAMIC,
    },
    {
        .name = "_np_squeeze",
        .alias = "_npi_squeeze",
        .inputs = "a",
        MX_ATTRS(squeeze_attrs, struct squeeze),
        .infer = infer_squeeze,
        .lower = lower_squeeze,
        .which = MAY_BE_SCALAR,
        .differs = OF_DYNAMIC,
    },
    MX_OPS_END,
};
