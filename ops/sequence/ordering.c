/* topk, sort, argsort (src/operator/tensor/ordering_op-inl.h). Among equal elements the one with the lower index comes first, in both
 * directions, as in ONNX Runtime. In MXNet this holds for up to 16 elements: its sort is not stable. */
#include "op/op.h"

enum ret_typ { VALUE, INDICES, MASK, BOTH };

struct ordering {
    struct mx_opt_int axis;
    int64_t k;
    int ret_typ;
    bool is_ascend;
    enum mx_dtype dtype; /* of the indices */
};

static const char *const ret_typs[] = {"value", "indices", "mask", "both", NULL};
static const struct mx_attr topk_attrs[] = {
    MX_AXIS_NONE(struct ordering, axis, "-1"),
    MX_INT(struct ordering, k, "1"),
    MX_ENUM(struct ordering, ret_typ, "indices", ret_typs),
    MX_BOOL(struct ordering, is_ascend, "False"),
    MX_DTYPE(struct ordering, dtype, "float32"),
};
static const struct mx_attr sort_attrs[] = {
    MX_AXIS_NONE(struct ordering, axis, "-1"),
    MX_BOOL(struct ordering, is_ascend, "True"),
};
static const struct mx_attr argsort_attrs[] = {
    MX_AXIS_NONE(struct ordering, axis, "-1"),
    MX_BOOL(struct ordering, is_ascend, "True"),
    MX_DTYPE(struct ordering, dtype, "float32"),
    MX_IGNORED("is_ascend_s"),                   /* MXNet 2's name for is_ascend in files that it writes */
};

/* sort and argsort lack k, so that they are topk over the whole axis. For argsort `which` is what it returns. */
static enum ret_typ ret_typ_of(const struct mx_node *n)
{
    return (enum ret_typ)(n->op->which == INDICES ? INDICES : ((const struct ordering *)n->attrs)->ret_typ);
}

static bool is_whole(const struct ordering *a)
{
    return a->k <= 0;
}

static int infer_types(struct mx_infer *c, enum ret_typ what)
{
    const struct ordering *a = c->attrs;
    const int of_indices = what == BOTH ? 1 : 0;
    if (what != INDICES) {
        MX_TRY(mx_same_dtype(c, 0, 0));
    }
    if (what == INDICES || what == BOTH) {
        MX_TRY(mx_output_dtype_is(c, of_indices, a->dtype));
    }
    return MX_OK;
}

static int infer(struct mx_infer *c)
{
    const struct ordering *a = c->attrs;
    const enum ret_typ what = ret_typ_of(c->node);
    const bool whole = is_whole(a);
    struct mx_shape s;
    int axis = 0;
    int64_t size;
    MX_TRY(infer_types(c, what));
    MX_TRY(mx_input(c, 0, &s));
    const mx_dim all = mx_shape_elements(c->dims, s);
    const struct mx_shape out = !a->axis.given && what != MASK ? (struct mx_shape){1, &all} : s;
    if (a->axis.given) {
        MX_TRY(mx_axis(c, a->axis.v, s.ndim, "axis", &axis));
    }
    const mx_dim along = a->axis.given ? s.dims[axis] : all;
    if (!whole && mx_dim_known(c->dims, along, &size) && a->k > size) {
        return mx_infer_fail(c, "k", MX_SUBJECT "is %lld, but the axis has only %lld elements" MX_HELP "choose a smaller k",
                             (long long)a->k, (long long)size);
    }
    struct mx_dim_list dims = mx_dims_like(c, out);
    if (what != MASK && !whole) {
        mx_put_dim(&dims, axis, mx_dim_of(a->k));
    }
    for (int i = 0; i < c->node->n_out; i++) {
        MX_TRY(mx_output_is_dims(c, i, dims.v, dims.n));
    }
    return MX_OK;
}

/* 1 where an element is among the first k, 0 elsewhere. */
static ox_val mask(struct ox_build *b, ox_val x, ox_val index, int axis, struct mx_shape s)
{
    const enum mx_dtype t = ox_dtype(b, x);
    const ox_val none = ox_fill(b, t, ox_shape(b, x), 0), ones = ox_fill(b, t, ox_shape(b, index), 1);
    const ox_val y = ox_node(b, OX_ScatterElements, OX_IN(none, index, ones), OX_ATTRS(OX_I("axis", axis)));
    return ox_reshape_shape(b, y, s);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct ordering *a = n->attrs;
    const enum ret_typ what = ret_typ_of(n);
    const bool flat = !a->axis.given;
    const ox_val x = flat ? ox_flat(b, in[0]) : in[0];
    const int axis = flat ? 0 : (int)mx_wrap(a->axis.v, ox_rank(b, x));
    const bool whole = is_whole(a);
    const mx_dim count = whole ? ox_dim_at(b, x, axis) : mx_dim_of(a->k);
    if (what == MASK && whole) {
        out[0] = ox_fill(b, n->out[0].dtype, n->out[0].shape, 1);
        return;
    }
    ox_val y[2];
    ox_node_n(b, OX_TopK, OX_IN(x, ox_dim(b, count)), OX_ATTRS(OX_I("axis", axis), OX_I("largest", !a->is_ascend)), y, 2);
    if (what == MASK) {
        out[0] = mask(b, x, y[1], axis, n->out[0].shape);
        return;
    }
    out[0] = what == INDICES ? ox_cast(b, y[1], a->dtype) : y[0];
    if (what == BOTH) {
        out[1] = ox_cast(b, y[1], a->dtype);
    }
}

#define OF_NAN "NaN in the data: both results are in an arbitrary order."
#define OF_TIES                                                                                                                            \
    "More than 16 elements along the axis, some of them equal: of these the one with the lower index comes first; MXNet's order is "       \
    "arbitrary."

const struct mx_op mx_ops_ordering[] = {
    {
        .name = "argsort",
        .positions = true,
        .alias = "_npi_argsort",
        MX_ATTRS(argsort_attrs, struct ordering),
        .infer = infer,
        .lower = lower,
        .which = INDICES,
        .differs = OF_NAN "\n" OF_TIES,
    },
    {.name = "sort", .alias = "_npi_sort", MX_ATTRS(sort_attrs, struct ordering), .infer = infer, .lower = lower, .differs = OF_NAN},
    {
        .name = "topk",
        .positions = true,
        .alias = "_npx_topk",
        MX_ATTRS(topk_attrs, struct ordering),
        .outputs = "output0 output1:if(ret_typ=both)",
        .infer = infer,
        .lower = lower,
        .differs = OF_NAN "\n" OF_TIES,
    },
    MX_OPS_END,
};
