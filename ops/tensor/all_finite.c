/* all_finite, multi_all_finite, allclose: one answer for all elements (src/operator/contrib/all_finite.cc, allclose_op-inl.h). */
#include "op/op.h"

/* 1 if all elements are true, or if there are none. */
static ox_val all_of(struct ox_build *b, ox_val x, enum mx_dtype t)
{
    const ox_val least = ox_reduce(b, OX_ReduceMin, ox_cast(b, x, MX_INT32), NULL, -1, false);
    return ox_cast(b, ox_binary(b, OX_Greater, least, ox_scalar(b, MX_INT32, 0)), t);
}

/* ---- allclose */

struct close {
    double rtol, atol;
    bool equal_nan;
};

static const struct mx_attr close_attrs[] = {
    MX_FLOAT(struct close, rtol, "1e-05"),
    MX_FLOAT(struct close, atol, "1e-08"),
    MX_BOOL(struct close, equal_nan, "True"),
};

static int infer_close(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_output_dtype_is(c, 0, MX_UINT8));
    MX_TRY(mx_output_is_dims(c, 0, NULL, 0));
    MX_TRY(mx_input_dtype_is(c, 1, mx_input_dtype(c, 0)));
    MX_TRY(mx_input(c, 0, &s));
    return mx_input_is(c, 1, s);
}

static void lower_close(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct close *a = n->attrs;
    const enum mx_dtype t = ox_dtype(b, in[0]) == MX_FLOAT64 ? MX_FLOAT64 : MX_FLOAT32;
    const ox_val x = ox_cast(b, in[0], t), y = ox_cast(b, in[1], t);
    const ox_val far = ox_unary(b, OX_Abs, ox_sub(b, x, y));
    const ox_val most = ox_add(b, ox_scaled(b, ox_unary(b, OX_Abs, y), a->rtol), ox_scalar_like(b, y, a->atol));
    const ox_val near = ox_unary(b, OX_Not, ox_binary(b, OX_Greater, far, most));
    const ox_val x_nan = ox_unary(b, OX_IsNaN, x), y_nan = ox_unary(b, OX_IsNaN, y);
    const ox_val any = ox_binary(b, OX_Or, x_nan, y_nan), both = ox_binary(b, OX_And, x_nan, y_nan);
    /* Infinities with the same sign are equal, although their difference is NaN. */
    const ox_val same = ox_binary(b, OX_Or, near, ox_binary(b, OX_Equal, x, y));
    const ox_val numbers = ox_binary(b, OX_And, same, ox_unary(b, OX_Not, any));
    out[0] = all_of(b, a->equal_nan ? ox_binary(b, OX_Or, numbers, both) : numbers, MX_UINT8);
}

/* ---- all_finite: 1 or 0 as float32 (1) */

struct finite {
    int64_t num_arrays;
};

static const struct mx_attr finite_attrs[] = {
    MX_IGNORED("init_output"),
    MX_COUNT(struct finite, num_arrays, "1"),
};

static int infer_finite(struct mx_infer *c)
{
    const mx_dim one = mx_dim_of(1);
    MX_TRY(mx_output_dtype_is(c, 0, MX_FLOAT32));
    MX_TRY(mx_output_is_dims(c, 0, &one, 1));
    MX_TRY(mx_inputs_typed(c));
    for (int i = 0; i < c->node->n_in; i++) {
        const enum mx_dtype t = mx_input_dtype(c, i);
        if (!mx_dtype_is_float(t)) {
            return mx_infer_fail(c, NULL, "input %d is %s, but must be of a float type", i, mx_dtype_name(t));
        }
    }
    return MX_OK;
}

static void lower_finite(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    ox_val all = OX_NONE;
    for (int i = 0; i < n->n_in; i++) {
        const ox_val x = ox_cast(b, in[i], ox_dtype(b, in[i]) == MX_FLOAT16 ? MX_FLOAT32 : ox_dtype(b, in[i]));
        const ox_val wild = ox_binary(b, OX_Or, ox_unary(b, OX_IsInf, x), ox_unary(b, OX_IsNaN, x));
        const ox_val here = all_of(b, ox_unary(b, OX_Not, wild), MX_FLOAT32);
        all = all == OX_NONE ? here : ox_mul(b, all, here);
    }
    out[0] = ox_reshape_ints(b, all, (const int64_t[]){1}, 1);
}

const struct mx_op mx_ops_all_finite[] = {
    {
        .name = "_contrib_allclose",
        .single = true,
        MX_ATTRS(close_attrs, struct close),
        .inputs = "a b",
        .infer = infer_close,
        .lower = lower_close,
    },
    {.name = "all_finite", .single = true, MX_ATTRS(finite_attrs, struct finite), .infer = infer_finite, .lower = lower_finite},
    {
        .name = "multi_all_finite",
        .single = true,
        MX_ATTRS(finite_attrs, struct finite),
        .inputs = "array...:count(num_arrays)",
        .infer = infer_finite,
        .lower = lower_finite,
    },
    MX_OPS_END,
};
