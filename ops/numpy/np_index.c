/* _npi_bincount, _npi_diag_indices_from, _npi_unique, _npx_nonzero, _npx_constraint_check: counts
 * and positions (src/operator/numpy/np_bincount_op.cc, np_unique_op.cc, np_nonzero_op.cc). */
#include "op/op.h"

struct index {
    int64_t minlength;
    struct mx_opt_int axis;
    bool has_weights, return_index, return_inverse, return_counts;
};

/* ---- bincount */

static const struct mx_attr bincount_attrs[] = {
    MX_COUNT(struct index, minlength, "0"),
    MX_BOOL(struct index, has_weights, "False"),
};

static int infer_bincount(struct mx_infer *c)
{
    const struct index *a = c->attrs;
    const enum mx_dtype t = mx_input_dtype(c, 0);
    struct mx_shape s;
    MX_TRY(mx_input_rank(c, 0, 1, &s));
    if (mx_dtype_is_float(t) || t == MX_BOOL) {
        return mx_infer_fail(c, "data", MX_SUBJECT "is %s, but must be an integer type", mx_dtype_name(t));
    }
    const mx_dim bins = mx_open_dim(c, 0, 1, 0);
    MX_TRY(mx_output_is_dims(c, 0, &bins, 1));
    if (!a->has_weights) {
        return mx_output_dtype_is(c, 0, t);
    }
    MX_TRY(mx_input_is(c, 1, s));
    return mx_output_dtype_is(c, 0, mx_input_dtype(c, 1));
}

/* The maximum of no elements is below any number of bins. */
static void lower_bincount(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct index *a = n->attrs;
    const enum mx_dtype t = n->out[0].dtype;
    const ox_val x = ox_cast(b, in[0], MX_INT64), one = ox_scalar(b, MX_INT64, 1);
    const ox_val most = ox_add(b, ox_reduce(b, OX_ReduceMax, x, NULL, -1, false), one);
    const ox_val bins = ox_binary(b, OX_Max, most, ox_scalar(b, MX_INT64, (double)a->minlength));
    const ox_val all = ox_node(b, OX_Range, OX_IN(ox_scalar(b, MX_INT64, 0), bins, one), OX_NO_ATTRS);
    ox_typed(b, all, MX_INT64, n->out[0].shape);
    const ox_val hits = ox_binary(b, OX_Equal, ox_unsqueeze1(b, x, 1), all);
    if (a->has_weights) {
        const ox_val counted = ox_where(b, hits, ox_unsqueeze1(b, in[1], 1), ox_scalar(b, ox_dtype(b, in[1]), 0));
        out[0] = ox_reduce(b, OX_ReduceSum, counted, (const int64_t[]){0}, 1, false);
        return;
    }
    const ox_val counts = ox_reduce(b, OX_ReduceSum, ox_cast(b, hits, MX_INT64), (const int64_t[]){0}, 1, false);
    out[0] = ox_cast(b, counts, t);
}

/* ---- diag_indices_from: the same numbers for each axis */

static int infer_diag_indices(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_output_dtype_is(c, 0, MX_INT64));
    MX_TRY(mx_input_at_least(c, 0, 2, &s));
    for (int i = 1; i < s.ndim; i++) {
        MX_TRY(mx_same_dim(c, s.dims[0], s.dims[i], "sizes of all axes"));
    }
    const mx_dim dims[] = {mx_dim_of(s.ndim), s.dims[0]};
    return mx_output_is_dims(c, 0, dims, 2);
}

static void lower_diag_indices(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    out[0] = ox_expand(b, ox_range(b, n->out[0].shape.dims[1]), n->out[0].shape.dims, 2);
}

/* ---- unique */

static const struct mx_attr unique_attrs[] = {
    MX_BOOL(struct index, return_index, "False"),
    MX_BOOL(struct index, return_inverse, "False"),
    MX_BOOL(struct index, return_counts, "False"),
    MX_AXIS_NONE(struct index, axis, "None"),
};

static int infer_unique(struct mx_infer *c)
{
    const struct index *a = c->attrs;
    const bool is_inverse[] = {false, !a->return_index && a->return_inverse, a->return_index && a->return_inverse, false};
    struct mx_shape s;
    int axis = 0;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    mx_dim from = mx_dim_product(c->dims, s.dims, s.ndim);
    if (a->axis.given) {
        MX_TRY(mx_axis(c, a->axis.v, s.ndim, "axis", &axis));
        from = s.dims[axis];
    }
    const mx_dim found = mx_open_dim(c, 0, a->axis.given ? s.ndim : 1, axis);
    struct mx_dim_list dims = a->axis.given ? mx_dims_like(c, s) : mx_no_dims(c);
    mx_put_dim(&dims, axis, found);
    MX_TRY(mx_output_is_dims(c, 0, dims.v, dims.n));
    for (int i = 1; i < c->node->n_out; i++) {
        MX_TRY(mx_output_dtype_is(c, i, MX_INT64));
        MX_TRY(mx_output_is_dims(c, i, is_inverse[i] ? &from : &found, 1));
    }
    return MX_OK;
}

/* The first axis other than `axis` that may be empty at run time; -1: none. */
static int perhaps_empty(struct ox_build *b, ox_val x, int axis)
{
    int64_t size;
    for (int i = 0; i < ox_rank(b, x); i++) {
        if (i != axis && !ox_size_at(b, x, i, &size)) {
            return i;
        }
    }
    return -1;
}

static void lower_unique(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct index *a = n->attrs;
    const bool wanted[] = {true, a->return_index, a->return_inverse, a->return_counts};
    const enum mx_dtype t = n->out[0].dtype;
    ox_val found[4], x = t == MX_BOOL ? ox_cast(b, in[0], MX_INT8) : in[0];
    int k = 0;
    if (!a->axis.given) {
        x = ox_flat(b, x);
    }
    const int64_t axis = a->axis.given ? mx_wrap(a->axis.v, ox_rank(b, x)) : 0;
    const int open = perhaps_empty(b, x, (int)axis);
    if (open >= 0) { /* rows without elements terminate ONNX Runtime's process: each row gets one more, the same */
        const struct mx_int_list before = ox_repeated(b, 0, ox_rank(b, x));
        struct mx_int_list after = before;
        mx_put_int(&after, open, 1);
        x = ox_pad(b, x, before.v, after.v, after.n, "constant", 0);
    }
    ox_node_n(b, OX_Unique, OX_IN(x), OX_ATTRS(OX_I("sorted", 1), OX_I("axis", axis)), found, 4);
    found[0] = open >= 0 ? ox_slice1(b, found[0], open, 0, -1) : found[0];
    for (int i = 0; i < 4; i++) {
        if (wanted[i]) {
            ox_typed(b, found[i], i == 0 ? ox_dtype(b, x) : MX_INT64, n->out[k].shape);
            out[k++] = i == 0 ? ox_cast(b, found[0], t) : found[i];
        }
    }
}

/* ---- nonzero: for each element that is not 0 a row with its indices; a scalar counts as a vector of one */

static int infer_nonzero(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_output_dtype_is(c, 0, MX_INT64));
    MX_TRY(mx_input(c, 0, &s));
    const mx_dim dims[] = {mx_open_dim(c, 0, 2, 0), mx_dim_of(s.ndim > 0 ? s.ndim : 1)};
    return mx_output_is_dims(c, 0, dims, 2);
}

static void lower_nonzero(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const ox_val x = ox_rank(b, in[0]) > 0 ? in[0] : ox_unsqueeze1(b, in[0], 0);
    const ox_val found = ox_unary(b, OX_NonZero, ox_is_true(b, x));
    out[0] = ox_swap_axes(b, found, 0, 1);
}

/* ---- constraint_check */

static int infer_check(struct mx_infer *c)
{
    MX_TRY(mx_input_dtype_is(c, 0, MX_BOOL));
    MX_TRY(mx_output_dtype_is(c, 0, MX_BOOL));
    return mx_output_is_dims(c, 0, NULL, 0);
}

static void lower_check(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const ox_val least = ox_reduce(b, OX_ReduceMin, ox_cast(b, in[0], MX_INT32), NULL, -1, false);
    out[0] = ox_binary(b, OX_Greater, least, ox_scalar(b, MX_INT32, 0));
}

const struct mx_op mx_ops_np_index[] = {
    {
        .name = "_npi_bincount",
        .positions = true,
        MX_ATTRS(bincount_attrs, struct index),
        .inputs = "data:exact weights:if(has_weights)",
        .infer = infer_bincount,
        .lower = lower_bincount,
    },
    {.name = "_npi_diag_indices_from", .infer = infer_diag_indices, .lower = lower_diag_indices},
    {
        .name = "_npi_unique",
        MX_ATTRS(unique_attrs, struct index),
        .inputs = "data:exact",
        .outputs = "output0 output1:if(return_index) output2:if(return_inverse) output3:if(return_counts)",
        .infer = infer_unique,
        .lower = lower_unique,
        .differs = "Empty data and an axis: the result keeps the other axes of the data; MXNet's is an empty vector.",
    },
    {
        .name = "_npx_constraint_check",
        MX_IGNORED_ATTRS("msg"),
        .inputs = "input:exact",
        .infer = infer_check,
        .lower = lower_check,
        .differs = "A constraint that does not hold: the result is False; MXNet stops with the message.",
    },
    {
        .name = "_npx_nonzero",
        .inputs = "x:exact",
        .infer = infer_nonzero,
        .lower = lower_nonzero,
        .differs = "A scalar: it counts as a vector of one element; MXNet's result is an empty vector.",
    },
    MX_OPS_END,
};
