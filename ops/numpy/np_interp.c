/* interp: values of a piecewise linear function given by points (src/operator/numpy/np_interp_op-inl.h). Everything is float64. */
#include "op/op.h"

struct interp {
    struct mx_opt_float left, right, period;
    double x_scalar;
    bool x_is_scalar;
};

static const struct mx_attr attrs[] = {
    MX_FLOAT_NONE(struct interp, left, "None"), MX_FLOAT_NONE(struct interp, right, "None"),  MX_FLOAT_NONE(struct interp, period, "None"),
    MX_DOUBLE(struct interp, x_scalar, "0"),    MX_BOOL(struct interp, x_is_scalar, "False"),
};

static int infer(struct mx_infer *c)
{
    const struct interp *a = c->attrs;
    struct mx_shape xp, fp, x = {0, NULL};
    for (int i = 0; i < c->node->n_in; i++) {
        if (mx_input_dtype(c, i) != MX_DTYPE_NONE && mx_input_dtype(c, i) != MX_FLOAT64) {
            return mx_infer_fail(c, NULL, "an input is %s, but MXNet has this operator for float64 only" MX_HELP "cast it",
                                 mx_dtype_name(mx_input_dtype(c, i)));
        }
        MX_TRY(mx_input_dtype_is(c, i, MX_FLOAT64));
    }
    MX_TRY(mx_output_dtype_is(c, 0, MX_FLOAT64));
    if (a->period.given && !(a->period.v > 0)) { /* for a negative one MXNet continues the points in the wrong direction */
        return mx_infer_fail(c, "period", MX_SUBJECT "is %g, but must be a positive number", a->period.v);
    }
    MX_TRY(mx_input_rank(c, 0, 1, &xp));
    MX_TRY(mx_input_rank(c, 1, 1, &fp));
    MX_TRY(mx_same_dim(c, xp.dims[0], fp.dims[0], "numbers of points"));
    if (mx_dim_equal(c->dims, xp.dims[0], mx_dim_of(0)) || mx_dim_equal(c->dims, fp.dims[0], mx_dim_of(0))) {
        return mx_infer_fail(c, NULL, "xp and fp are empty, but must have at least one point");
    }
    if (!a->x_is_scalar) {
        MX_TRY(mx_input(c, 2, &x));
    }
    return mx_output_is(c, 0, x);
}

/* The points sorted within one period, with the last one repeated before them and the first one after them. */
static void wrap(struct ox_build *b, double period, ox_val *xp, ox_val *fp)
{
    const ox_val length = ox_scalar(b, MX_FLOAT64, period);
    ox_val sorted[2];
    ox_node_n(b, OX_TopK, OX_IN(ox_mod(b, *xp, length), ox_dim(b, ox_dim_at(b, *xp, 0))),
              OX_ATTRS(OX_I("axis", 0), OX_I("largest", 0), OX_I("sorted", 1)), sorted, 2);
    const ox_val values = ox_gather(b, *fp, sorted[1], 0);
    const ox_val before = ox_slice1(b, sorted[0], 0, -1, INT64_MAX), after = ox_slice1(b, sorted[0], 0, 0, 1);
    *xp = ox_concat(b, (const ox_val[]){ox_sub(b, before, length), sorted[0], ox_add(b, after, length)}, 3, 0);
    *fp = ox_concat(b, (const ox_val[]){ox_slice1(b, values, 0, -1, INT64_MAX), values, ox_slice1(b, values, 0, 0, 1)}, 3, 0);
}

/* The element at an end of a vector, or the number given for values beyond it. */
static ox_val end_of(struct ox_build *b, ox_val v, bool last, struct mx_opt_float instead)
{
    const ox_val end = ox_squeeze1(b, last ? ox_slice1(b, v, 0, -1, INT64_MAX) : ox_slice1(b, v, 0, 0, 1), 0);
    return instead.given ? ox_scalar(b, MX_FLOAT64, instead.v) : end;
}

/* The interval that contains x: the number of points that are not beyond x minus one, and no interval after the last. */
static ox_val interval(struct ox_build *b, ox_val x, ox_val xp)
{
    const ox_val reached = ox_binary(b, OX_GreaterOrEqual, ox_unsqueeze1(b, x, -1), xp);
    const ox_val count = ox_reduce(b, OX_ReduceSum, ox_cast(b, reached, MX_INT64), (const int64_t[]){-1}, 1, false);
    const ox_val points = ox_dim_as(b, ox_dim_at(b, xp, 0), MX_INT64);
    return ox_clip(b, ox_sub(b, count, ox_scalar(b, MX_INT64, 1)), ox_scalar(b, MX_INT64, 0), ox_sub(b, points, ox_scalar(b, MX_INT64, 2)));
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct interp *a = n->attrs;
    static const struct mx_opt_float none = {0};
    ox_val xp = in[0], fp = in[1], x = a->x_is_scalar ? ox_scalar(b, MX_FLOAT64, a->x_scalar) : in[2];
    if (a->period.given) {
        x = ox_mod(b, x, ox_scalar(b, MX_FLOAT64, a->period.v));
        wrap(b, a->period.v, &xp, &fp);
    }
    const ox_val first = end_of(b, xp, false, none), last = end_of(b, xp, true, none);
    const ox_val left = end_of(b, fp, false, a->period.given ? none : a->left);
    const ox_val right = end_of(b, fp, true, a->period.given ? none : a->right);
    int64_t points;
    ox_val y = end_of(b, fp, true, none);
    if (!ox_size_at(b, xp, 0, &points) || points > 1) {
        const ox_val i = interval(b, x, xp), next = ox_add(b, i, ox_scalar(b, MX_INT64, 1));
        const ox_val x0 = ox_gather(b, xp, i, 0), y0 = ox_gather(b, fp, i, 0);
        const ox_val slope = ox_div(b, ox_sub(b, ox_gather(b, fp, next, 0), y0), ox_sub(b, ox_gather(b, xp, next, 0), x0));
        y = ox_where(b, ox_binary(b, OX_Equal, x, last), y, ox_add(b, ox_mul(b, slope, ox_sub(b, x, x0)), y0));
    }
    y = ox_where(b, ox_binary(b, OX_Greater, x, last), right, y);
    y = ox_where(b, ox_binary(b, OX_Less, x, first), left, y);
    out[0] = ox_where(b, ox_unary(b, OX_IsNaN, x), x, y);
}

const struct mx_op mx_ops_np_interp[] = {
    {
        .name = "_npi_interp",
        .positions = true,
        MX_ATTRS(attrs, struct interp),
        .inputs = "xp fp x:unless(x_is_scalar)",
        .infer = infer,
        .lower = lower,
        .refuses = "period of 0 or less: MXNet continues the points in the wrong direction.",
        .differs = "xp that does not ascend, without period: both results are arbitrary.",
    },
    MX_OPS_END,
};
