/* dot, matmul and tensordot: the axes of tensors are arranged into matrices, which are multiplied. */
#include "op/op.h"

/* The axes of a tensor that are summed and those that are kept, in the order of the product. */
struct operand {
    struct mx_int_list summed, kept;
};

struct tensordot {
    struct mx_tuple a_axes_summed, b_axes_summed;
    int64_t axes;
};

static const struct mx_attr axes_attrs[] = {
    MX_AXES_NONE(struct tensordot, a_axes_summed, NULL),
    MX_AXES_NONE(struct tensordot, b_axes_summed, NULL),
};

static const struct mx_attr int_axes_attrs[] = {MX_INT(struct tensordot, axes, NULL)};

enum form { DOT, MATMUL, TENSORDOT, TENSORDOT_INT };

static bool summed_axes(const struct mx_node *n, int x, int y, struct operand o[2])
{
    const int form = n->op->which;
    const struct tensordot *a = n->attrs;
    if (form == DOT) { /* the last axis of the first, the second to last of the second */
        mx_push_int(&o[0].summed, x - 1);
        mx_push_int(&o[1].summed, y > 1 ? y - 2 : 0);
        return true;
    }
    const int64_t axes = a->axes > 0 ? a->axes : 0; /* a negative number is none */
    if (form == TENSORDOT_INT && (axes > x || axes > y)) {
        return false;
    }
    const int count[2] = {form == TENSORDOT ? a->a_axes_summed.n : (int)axes, form == TENSORDOT ? a->b_axes_summed.n : (int)axes};
    if (count[0] != count[1]) {
        return false;
    }
    for (int i = 0; i < count[0]; i++) {
        const int64_t p = form == TENSORDOT ? a->a_axes_summed.v[i] : x - count[0] + i;
        const int64_t q = form == TENSORDOT ? a->b_axes_summed.v[i] : i;
        if (p < -x || p >= x || q < -y || q >= y) {
            return false;
        }
        mx_push_int(&o[0].summed, mx_wrap(p, x));
        mx_push_int(&o[1].summed, mx_wrap(q, y));
    }
    return true;
}

/* Finds the axes that are kept. False if one is summed twice. */
static bool kept_axes(struct operand *o, int rank)
{
    struct mx_axes summed = {0};
    for (int i = 0; i < o->summed.n; i++) {
        if (mx_has_axis(summed, o->summed.v[i])) {
            return false;
        }
        mx_add_axis(&summed, o->summed.v[i]);
    }
    mx_push_axes(&o->kept, mx_other_axes(summed, rank));
    return true;
}

/* False if the axes do not fit the ranks. */
static bool find_axes(const struct mx_node *n, int x, int y, struct operand o[2])
{
    return summed_axes(n, x, y, o) && kept_axes(&o[0], x) && kept_axes(&o[1], y);
}

static int infer(struct mx_infer *c)
{
    struct operand o[] = {{mx_no_ints(c), mx_no_ints(c)}, {mx_no_ints(c), mx_no_ints(c)}};
    struct mx_shape s[2];
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 1));
    MX_TRY(mx_input(c, 0, &s[0]));
    MX_TRY(mx_input(c, 1, &s[1]));
    if (s[0].ndim == 0 || s[1].ndim == 0) { /* a scalar is a factor */
        return mx_output_is(c, 0, s[0].ndim == 0 ? s[1] : s[0]);
    }
    if (!find_axes(c->node, s[0].ndim, s[1].ndim, o)) {
        return mx_infer_fail(c, NULL, "the axes to sum over do not match inputs of rank %d and %d", s[0].ndim, s[1].ndim);
    }
    for (int i = 0; i < o[0].summed.n; i++) {
        MX_TRY(mx_same_dim(c, mx_shape_at(c, s[0], o[0].summed.v[i]), mx_shape_at(c, s[1], mx_get_int(&o[1].summed, i)),
                           "sizes of the axes to sum over"));
    }
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < o[k].kept.n; i++) {
            mx_push_dim(&dims, mx_shape_at(c, s[k], o[k].kept.v[i]));
        }
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static int infer_matmul(struct mx_infer *c)
{
    struct mx_shape x, y, batch;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 1));
    MX_TRY(mx_input(c, 0, &x));
    MX_TRY(mx_input(c, 1, &y));
    if (x.ndim == 0 || y.ndim == 0) {
        return mx_infer_fail(c, NULL, "an input has rank 0" MX_HELP "use multiply instead");
    }
    MX_TRY(mx_same_dim(c, x.dims[x.ndim - 1], y.dims[y.ndim > 1 ? y.ndim - 2 : 0], "sizes of the axes to sum over"));
    const struct mx_shape lx = {x.ndim > 2 ? x.ndim - 2 : 0, x.dims};
    const struct mx_shape ly = {y.ndim > 2 ? y.ndim - 2 : 0, y.dims};
    MX_TRY(mx_broadcast_shapes(c, lx, ly, &batch));
    mx_push_dims(&dims, batch.dims, batch.ndim);
    if (x.ndim > 1) {
        mx_push_dim(&dims, x.dims[x.ndim - 2]);
    }
    if (y.ndim > 1) {
        mx_push_dim(&dims, y.dims[y.ndim - 1]);
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

/* x as a matrix (kept, summed), or (summed, kept) with `swapped`. */
static ox_val matrix(struct ox_build *b, ox_val x, const struct operand *o, bool swapped)
{
    const int rank = ox_rank(b, x);
    struct mx_int_list perm = ox_no_ints(b);
    mx_dim sizes[2] = {mx_dim_of(1), mx_dim_of(1)};
    for (int i = 0; i < rank; i++) {
        const bool kept = swapped ? i >= o->summed.n : i < o->kept.n;
        const int64_t axis =
            kept ? mx_get_int(&o->kept, swapped ? i - o->summed.n : i) : mx_get_int(&o->summed, swapped ? i : i - o->kept.n);
        mx_push_int(&perm, axis);
        sizes[kept == swapped] = mx_dim_mul(ox_dims_table(b), sizes[kept == swapped], ox_dim_at(b, x, (int)axis));
    }
    return ox_reshape(b, ox_transpose(b, x, perm.v, perm.n), sizes, 2);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    struct operand o[] = {{ox_no_ints(b), ox_no_ints(b)}, {ox_no_ints(b), ox_no_ints(b)}};
    const int x = ox_rank(b, in[0]), y = ox_rank(b, in[1]);
    if (x == 0 || y == 0) {
        out[0] = ox_mul(b, in[0], in[1]);
        return;
    }
    if (ox_is_empty(b, in[0]) || ox_is_empty(b, in[1])) {
        out[0] = ox_fill(b, n->out[0].dtype, n->out[0].shape, 0);
        return;
    }
    if (n->op->which == MATMUL || (n->op->which == DOT && y <= 2)) { /* MatMul needs no reshape */
        out[0] = ox_matmul(b, in[0], in[1]);
        return;
    }
    (void)find_axes(n, x, y, o);
    const ox_val product = ox_matmul(b, matrix(b, in[0], &o[0], false), matrix(b, in[1], &o[1], true));
    out[0] = ox_reshape_shape(b, product, n->out[0].shape);
}

#define ROW(mx, other_name, rule, form)                                                                                                    \
    .name = (mx), .alias = (other_name), .inputs = "a b", .infer = (rule), .lower = lower, .which = (form)

const struct mx_op mx_ops_np_product[] = {
    {ROW("_np_dot", "_npi_dot", infer, DOT)},
    {ROW("_npi_matmul", "_contrib_tvm_dot", infer_matmul, MATMUL)},
    {ROW("_npi_tensordot", NULL, infer, TENSORDOT), MX_ATTRS(axes_attrs, struct tensordot)},
    {ROW("_npi_tensordot_int_axes", NULL, infer, TENSORDOT_INT), MX_ATTRS(int_axes_attrs, struct tensordot)},
    MX_OPS_END,
};
