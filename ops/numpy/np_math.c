/* _npi_ediff1d, _npi_gcd, _npi_lcm, _npi_polyval (src/operator/numpy/np_ediff1d_op-inl.h,
 * np_polynomial_op-inl.h; mshadow_op.h, lcm). */
#include <math.h>

#include "op/op.h"
#include "shared/loop.h"

/* ---- ediff1d: differences of all elements, between the values given for both ends */

struct ediff {
    bool to_begin_arr_given, to_end_arr_given;
    struct mx_opt_float to_begin_scalar, to_end_scalar;
};

static const struct mx_attr ediff_attrs[] = {
    MX_BOOL(struct ediff, to_begin_arr_given, "False"),
    MX_BOOL(struct ediff, to_end_arr_given, "False"),
    MX_FLOAT_NONE(struct ediff, to_begin_scalar, "None"),
    MX_FLOAT_NONE(struct ediff, to_end_scalar, "None"),
};

static int infer_ediff(struct mx_infer *c)
{
    const struct ediff *a = c->attrs;
    const int scalars = (a->to_begin_scalar.given && !a->to_begin_arr_given) + (a->to_end_scalar.given && !a->to_end_arr_given);
    struct mx_shape s;
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input(c, 0, &s));
    mx_dim all = mx_dim_product(c->dims, s.dims, s.ndim);
    all = mx_dim_addn(c->dims, all, scalars - !mx_dim_equal(c->dims, all, mx_dim_of(0)));
    for (int i = 1; i < c->node->n_in; i++) {
        MX_TRY(mx_input(c, i, &s));
        all = mx_dim_add(c->dims, all, mx_dim_product(c->dims, s.dims, s.ndim));
    }
    return mx_dim_has_unknown(c->dims, all) ? MX_LATER : mx_output_is_dims(c, 0, &all, 1);
}

static ox_val number(struct ox_build *b, enum mx_dtype t, double v)
{
    return ox_flat(b, ox_scalar(b, t, mx_dtype_is_float(t) ? v : trunc(v)));
}

static void lower_ediff(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct ediff *a = n->attrs;
    const enum mx_dtype t = n->out[0].dtype;
    const ox_val x = ox_flat(b, in[0]);
    ox_val parts[3];
    int k = 0, from = 1;
    if (a->to_begin_arr_given) {
        parts[k++] = ox_flat(b, in[from++]);
    } else if (a->to_begin_scalar.given) {
        parts[k++] = number(b, t, a->to_begin_scalar.v);
    }
    parts[k++] = ox_sub(b, ox_slice1(b, x, 0, 1, INT64_MAX), ox_slice1(b, x, 0, 0, -1));
    if (a->to_end_arr_given) {
        parts[k++] = ox_flat(b, in[from]);
    } else if (a->to_end_scalar.given) {
        parts[k++] = number(b, t, a->to_end_scalar.v);
    }
    out[0] = ox_concat(b, parts, k, 0);
}

/* ---- gcd, lcm: Euclid's algorithm until each remainder is 0 */

static int whole(struct mx_infer *c)
{
    const enum mx_dtype t = mx_input_dtype(c, 0);
    return t == MX_BOOL || mx_dtype_is_float(t) ? mx_infer_fail(
               c, NULL, "the data is %s, but the operator is defined for integers only" MX_HELP "cast the data", mx_dtype_name(t))
                                                : MX_OK;
}

enum { LCM, GCD };

static int infer_lcm(struct mx_infer *c)
{
    MX_TRY(whole(c));
    return mx_infer_broadcast(c);
}

static int infer_lcm_scalar(struct mx_infer *c)
{
    MX_TRY(whole(c));
    return ((const struct mx_scalar *)c->attrs)->is_int
               ? mx_infer_same(c)
               : mx_infer_fail(c, "scalar", MX_SUBJECT "is %g, but must be an integer", ((const struct mx_scalar *)c->attrs)->scalar);
}

/* The greatest common divisor of two tensors with the same shape and no negative elements; for 0 and 0 it is 0. */
static ox_val divisor(struct ox_build *b, ox_val x, ox_val y)
{
    const ox_val zero = ox_scalar(b, MX_INT64, 0);
    ox_val end[2];
    struct ox_loop l = ox_loop_begin(b, "divisor");
    const ox_val high = ox_loop_state(&l, x), low = ox_loop_state(&l, y);
    const ox_val done = ox_binary(b, OX_Equal, low, zero);
    const ox_val rest = ox_mod(b, high, low);
    const ox_val next_high = ox_where(b, done, high, low);
    const ox_val next_low = ox_where(b, done, zero, rest);
    const ox_val most = ox_reduce(b, OX_ReduceMax, next_low, NULL, -1, false);
    const ox_val go = ox_binary(b, OX_Greater, most, zero);
    ox_loop_end(&l, go, (const ox_val[]){next_high, next_low}, 2);
    ox_loop_run(&l, OX_NONE, end);
    return end[0];
}

static void lower_lcm(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct mx_shape s = n->out[0].shape;
    const struct mx_scalar *a = n->attrs;
    const ox_val second = n->n_in > 1 ? in[1] : ox_scalar(b, MX_INT64, mx_number_in(n->out[0].dtype, a->scalar));
    ox_val v[2] = {in[0], second};
    for (int i = 0; i < 2; i++) {
        v[i] = ox_unary(b, OX_Abs, ox_cast(b, v[i], MX_INT64));
        v[i] = ox_expand(b, v[i], s.dims, s.ndim);
    }
    const ox_val greatest = divisor(b, v[0], v[1]);
    if (n->op->which == GCD) {
        out[0] = ox_cast(b, greatest, n->out[0].dtype);
        return;
    }
    const ox_val common = ox_binary(b, OX_Max, greatest, ox_scalar(b, MX_INT64, 1));
    out[0] = ox_cast(b, ox_mul(b, ox_div(b, v[0], common), v[1]), n->out[0].dtype);
}

/* ---- polyval: Horner's scheme */

enum { MOST_UNROLLED = 32 };

static int infer_polyval(struct mx_infer *c)
{
    struct mx_shape p, x;
    MX_TRY(mx_same_dtype(c, 0, 1));
    MX_TRY(mx_input_rank(c, 0, 1, &p));
    MX_TRY(mx_input(c, 1, &x));
    return mx_output_is(c, 0, x);
}

/* The previous sum times x, plus the coefficient at `at`, int64 (). */
static ox_val step(struct ox_build *b, ox_val p, ox_val x, ox_val sum, ox_val at)
{
    return ox_add(b, ox_mul(b, sum, x), ox_gather(b, p, at, 0));
}

static void lower_polyval(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const ox_val start = ox_fill(b, n->out[0].dtype, n->out[0].shape, 0);
    int64_t count;
    if (ox_size_at(b, in[0], 0, &count) && count <= MOST_UNROLLED) {
        out[0] = start;
        for (int64_t i = 0; i < count; i++) {
            out[0] = step(b, in[0], in[1], out[0], ox_scalar(b, MX_INT64, (double)i));
        }
        return;
    }
    struct ox_loop l = ox_loop_begin(b, "polynomial");
    const ox_val next = step(b, in[0], in[1], ox_loop_state(&l, start), l.at);
    ox_loop_end(&l, l.go, &next, 1);
    ox_loop_times(&l, ox_dim_at(b, in[0], 0), out);
}

#define OF_NUMBER(mx, kind, text)                                                                                                          \
    {                                                                                                                                      \
        .name = (mx), MX_SCALAR_ATTRS, .infer = infer_lcm_scalar, .lower = lower_lcm, .which = (kind), .refuses = (text),                  \
    }

const struct mx_op mx_ops_np_math[] = {
    {
        .name = "_npi_ediff1d",
        MX_ATTRS(ediff_attrs, struct ediff),
        .inputs = "input1 input2:if(to_begin_arr_given) input3:if(to_end_arr_given)",
        .infer = infer_ediff,
        .lower = lower_ediff,
    },
    {.name = "_npi_gcd", .inputs = "lhs rhs", .infer = infer_lcm, .lower = lower_lcm, .which = GCD},
    {.name = "_npi_lcm", .inputs = "lhs rhs", .infer = infer_lcm, .lower = lower_lcm, .which = LCM},
    OF_NUMBER("_npi_gcd_scalar", GCD, "A scalar that is not an integer: MXNet truncates it."),
    OF_NUMBER("_npi_lcm_scalar", LCM, "A scalar that is not an integer: MXNet crashes."),
    {.name = "_npi_polyval", .single = true, .inputs = "p x", .infer = infer_polyval, .lower = lower_polyval},
    MX_OPS_END,
};
