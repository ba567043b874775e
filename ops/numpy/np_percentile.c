/* _npi_percentile, _npi_average: the element at a given share of the sorted elements, and weighted means
 * (src/operator/numpy/np_percentile_op-inl.h, np_broadcast_reduce_op.h). */
#include <math.h>

#include "op/op.h"
#include "shared/sums.h"

static const char *const interpolations[] = {"linear", "lower", "higher", "midpoint", "nearest", NULL};
enum { LINEAR, LOWER, HIGHER, MIDPOINT, NEAREST };

struct reduction {
    struct mx_tuple axis;
    int interpolation;
    bool keepdims, returned, weighted;
    struct mx_opt_float q_scalar;
};

/* ---- percentile */

static const struct mx_attr percentile_attrs[] = {
    MX_AXES_NONE(struct reduction, axis, "None"),
    MX_ENUM(struct reduction, interpolation, "linear", interpolations),
    MX_BOOL(struct reduction, keepdims, "False"),
    MX_FLOAT_NONE(struct reduction, q_scalar, "None"),
};

static int infer_percentile(struct mx_infer *c)
{
    const struct reduction *a = c->attrs;
    const enum mx_dtype t = mx_input_dtype(c, 0);
    struct mx_shape s, q = {0, NULL};
    struct mx_dim_list dims = mx_no_dims(c);
    if (a->q_scalar.given && !(a->q_scalar.v >= 0 && a->q_scalar.v <= 100)) {
        return mx_infer_fail(c, "q_scalar", MX_SUBJECT "is %g, but must be 0 to 100", a->q_scalar.v);
    }
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_check_axes(c, a->axis, s.ndim, "axis"));
    const struct mx_axes reduced = mx_tuple_axes(a->axis, s.ndim);
    if (c->node->n_in > 1) {
        MX_TRY(mx_input(c, 1, &q));
    }
    if (q.ndim > 1) {
        return mx_infer_fail(c, "q", MX_SUBJECT "has rank %d, but must be a number or a vector", q.ndim);
    }
    if (q.ndim == 1) {
        mx_push_dim(&dims, q.dims[0]);
    }
    mx_push_reduced(&dims, s, reduced, a->keepdims);
    MX_TRY(mx_output_is_dims(c, 0, dims.v, dims.n));
    MX_TRY(mx_inputs_typed(c));
    return mx_output_dtype_is(c, 0, t == MX_FLOAT64 ? MX_FLOAT64 : MX_FLOAT32);
}

/* The reduced axes merged into one at the end, which has `count` elements, sorted. */
static ox_val sorted(struct ox_build *b, ox_val x, struct mx_axes reduced, mx_dim count)
{
    const struct mx_shape s = ox_shape(b, x);
    struct mx_int_list perm = ox_listed(b, mx_other_axes(reduced, s.ndim));
    struct mx_dim_list dims = ox_no_dims(b);
    ox_val top[2];
    mx_push_axes(&perm, reduced);
    mx_push_reduced(&dims, s, reduced, false);
    mx_push_dim(&dims, count);
    const ox_val rows = ox_reshape(b, ox_transpose(b, x, perm.v, perm.n), dims.v, dims.n);
    ox_node_n(b, OX_TopK, OX_IN(rows, ox_dim(b, count)), OX_ATTRS(OX_I("axis", -1), OX_I("largest", 0)), top, 2);
    return top[0];
}

/* float32 (k) or (), as in MXNet: the position of each percentile among n elements. */
static ox_val places(struct ox_build *b, const struct mx_node *n, const ox_val *in, mx_dim count)
{
    const struct reduction *a = n->attrs;
    int64_t size;
    if (a->q_scalar.given && mx_dim_known(ox_dims_table(b), count, &size)) {
        return ox_float32(b, a->q_scalar.v * (double)(size - 1) / 100);
    }
    const ox_val q = a->q_scalar.given ? ox_scalar(b, MX_FLOAT64, a->q_scalar.v) : ox_cast(b, in[1], MX_FLOAT64);
    const mx_dim last = mx_dim_addn(ox_dims_table(b), count, -1);
    const ox_val scaled = ox_mul(b, q, ox_dim_as(b, last, MX_FLOAT64));
    return ox_cast(b, ox_div(b, scaled, ox_scalar(b, MX_FLOAT64, 100)), MX_FLOAT32);
}

static ox_val at(struct ox_build *b, ox_val rows, ox_val place)
{
    return ox_gather(b, rows, ox_cast(b, place, MX_INT64), ox_rank(b, rows) - 1);
}

/* Interpolates between the elements below and above; the one above the last is the last itself. */
static ox_val between(struct ox_build *b, ox_val rows, ox_val place, mx_dim count)
{
    const enum mx_dtype t = ox_dtype(b, rows);
    const mx_dim last = mx_dim_addn(ox_dims_table(b), count, -1);
    const ox_val below = ox_unary(b, OX_Floor, place), one = ox_float32(b, 1);
    const ox_val next = ox_binary(b, OX_Min, ox_add(b, below, one), ox_dim_as(b, last, MX_FLOAT32));
    const ox_val above = ox_sub(b, place, below);
    const ox_val low = ox_mul(b, at(b, rows, below), ox_cast(b, ox_sub(b, one, above), t));
    return ox_add(b, low, ox_mul(b, at(b, rows, next), ox_cast(b, above, t)));
}

static ox_val picked(struct ox_build *b, int interpolation, ox_val rows, ox_val place, mx_dim count)
{
    const ox_val floor = ox_unary(b, OX_Floor, place), ceil = ox_unary(b, OX_Ceil, place);
    switch (interpolation) {
    case LOWER: return at(b, rows, floor);
    case HIGHER: return at(b, rows, ceil);
    case NEAREST: return at(b, rows, ox_round_away(b, place));
    case MIDPOINT: return between(b, rows, ox_scaled(b, ox_add(b, floor, ceil), 0.5), count);
    default: return between(b, rows, place, count);
    }
}

static void lower_percentile(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct reduction *a = n->attrs;
    const struct mx_axes reduced = mx_tuple_axes(a->axis, ox_rank(b, in[0]));
    const mx_dim count = mx_shape_along(ox_dims_table(b), ox_shape(b, in[0]), reduced);
    const ox_val rows = sorted(b, ox_cast(b, in[0], n->out[0].dtype), reduced, count);
    const ox_val place = places(b, n, in, count);
    ox_val x = picked(b, a->interpolation, rows, place, count);
    if (ox_rank(b, place) == 1) {
        x = ox_move_axis(b, x, ox_rank(b, x) - 1, 0);
    }
    out[0] = ox_reshape_shape(b, x, n->out[0].shape);
}

/* ---- average */

static const struct mx_attr average_attrs[] = {
    MX_AXES_NONE(struct reduction, axis, "None"),
    MX_BOOL(struct reduction, returned, "False"),
    MX_BOOL(struct reduction, weighted, "True"),
};

static int infer_average(struct mx_infer *c)
{
    const struct reduction *a = c->attrs;
    const bool returned = c->node->n_out > 1;
    struct mx_shape s, w;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, -1));
    if (returned) {
        MX_TRY(mx_output_dtype_is(c, 1, mx_output_dtype(c, 0)));
    }
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_check_axes_of_any(c, a->axis, s.ndim, "axis"));
    const struct mx_axes reduced = mx_tuple_axes(a->axis, s.ndim);
    mx_push_reduced(&dims, s, reduced, false);
    MX_TRY(mx_output_is_dims(c, 0, dims.v, dims.n));
    if (!a->weighted) {
        return returned ? mx_output_is_dims(c, 1, NULL, 0) : MX_OK;
    }
    MX_TRY(mx_input(c, 1, &w));
    if (w.ndim != s.ndim) {
        if (w.ndim != 1 || a->axis.n != 1 || s.ndim == 0) {
            return mx_infer_fail(c, "weights", MX_SUBJECT "has rank %d and a rank %d" MX_HELP "give a vector and one axis", w.ndim, s.ndim);
        }
        MX_TRY(mx_same_dim(c, w.dims[0], mx_shape_at(c, s, mx_wrap(a->axis.v[0], s.ndim)), "weights"));
        return returned ? mx_output_is_dims(c, 1, NULL, 0) : MX_OK;
    }
    MX_TRY(mx_input_is(c, 1, s));
    return returned ? mx_output_is_dims(c, 1, dims.v, dims.n) : MX_OK;
}

static ox_val total(struct ox_build *b, ox_val x, struct mx_axes reduced)
{
    const struct mx_int_list axes = ox_listed(b, reduced);
    return ox_reduce(b, OX_ReduceSum, x, axes.v, axes.n, false);
}

static void lower_average(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct reduction *a = n->attrs;
    const enum mx_dtype t = n->out[0].dtype;
    const struct mx_shape s = ox_shape(b, in[0]);
    const struct mx_axes reduced = mx_tuple_axes(a->axis, s.ndim);
    ox_val weights = ox_dim_as(b, mx_shape_along(ox_dims_table(b), s, reduced), t), x = in[0];
    if (a->weighted && ox_rank(b, in[1]) == s.ndim) {
        x = ox_mul(b, x, in[1]);
        weights = total(b, in[1], reduced);
    } else if (a->weighted) {
        x = ox_mul(b, x, ox_along(b, in[1], (int)mx_wrap(a->axis.v[0], s.ndim), s.ndim));
        weights = ox_reduce(b, OX_ReduceSum, in[1], NULL, -1, false);
    }
    out[0] = ox_div(b, total(b, x, reduced), weights);
    if (n->n_out > 1) {
        out[1] = weights;
    }
}

const struct mx_op mx_ops_np_percentile[] = {
    {
        .name = "_npi_average",
        .single = true,
        MX_ATTRS(average_attrs, struct reduction),
        .inputs = "a weights:if(weighted)",
        .outputs = "output0 output1:if(returned)",
        .infer = infer_average,
        .lower = lower_average,
        .differs = MX_OVERFLOWS,
    },
    {
        .name = "_npi_percentile",
        .single = true,
        MX_ATTRS(percentile_attrs, struct reduction),
        .inputs = "a q:unless(q_scalar)",
        .infer = infer_percentile,
        .lower = lower_percentile,
        .differs = "Empty data: the model fails at run time; MXNet returns uninitialised memory.\n"
                   "NaN in the data: both results are arbitrary.",
    },
    MX_OPS_END,
};
