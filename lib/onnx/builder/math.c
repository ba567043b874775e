/* Groups of nodes over values: moments, matmul, where, clip, mod. */
#include <math.h>

#include "onnx/builder/internal.h"
#include "onnx/schema/targets.h"

ox_val ox_moments(struct ox_build *b, ox_val x, const int64_t *axes, int n, ox_val *mean, ox_val *variance)
{
    *mean = ox_reduce(b, OX_ReduceMean, x, axes, n, true);
    const ox_val centred = ox_sub(b, x, *mean);
    *variance = ox_reduce(b, OX_ReduceMean, ox_mul(b, centred, centred), axes, n, true);
    return centred;
}

ox_val ox_arg(struct ox_build *b, enum ox_op op, ox_val x, int64_t axis, bool keepdims)
{
    const int rank = ox_rank(b, x);
    const int64_t at = ox_failed(b) || rank < 0 ? axis : ox_axis(b, axis, rank, op);
    return ox_node(b, op, OX_IN(x), OX_ATTRS(OX_I("axis", at), OX_I("keepdims", keepdims)));
}

/* The largest number below 1/2 is added. 1/2 would make it 1, and the odd numbers from 2^23 on even; halves are rounded up all the same, as
 * their sum with it is rounded to the integer above them. A float16 is computed as a float32. */
ox_val ox_round_away(struct ox_build *b, ox_val x)
{
    const enum mx_dtype t = ox_dtype(b, x);
    const ox_val size = ox_cast(b, ox_unary(b, OX_Abs, x), t == MX_FLOAT64 ? MX_FLOAT64 : MX_FLOAT32);
    const ox_val up = ox_add(b, size, ox_scalar_like(b, size, t == MX_FLOAT64 ? 0x1.fffffffffffffp-2 : 0x1.fffffep-2));
    return ox_mul(b, ox_unary(b, OX_Sign, x), ox_cast(b, ox_unary(b, OX_Floor, up), t));
}

ox_val ox_scaled(struct ox_build *b, ox_val x, double factor)
{
    return factor == 1 ? x : ox_mul(b, x, ox_scalar_like(b, x, factor));
}

ox_val ox_signed_pow(struct ox_build *b, ox_val x, double power)
{
    const ox_val size = ox_binary(b, OX_Pow, ox_unary(b, OX_Abs, x), ox_scalar_like(b, x, power));
    return ox_mul(b, ox_unary(b, OX_Sign, x), size);
}

/* x with one element, a zero, along an axis of size 0. */
static ox_val one_zero(struct ox_build *b, ox_val x, int axis)
{
    const struct mx_shape s = ox_shape(b, x);
    struct mx_dim_list dims = ox_no_dims(b);
    for (int i = 0; i < s.ndim; i++) {
        mx_push_dim(&dims, i == axis ? mx_dim_of(1) : s.dims[i]);
    }
    return ox_fill(b, ox_dtype(b, x), mx_list_shape(&dims), 0);
}

ox_val ox_apart(struct ox_build *b, ox_val x)
{
    const struct ox_node *n = ox_value_of(b->model, x)->producer;
    const int rank = ox_rank(b, x);
    int n_perm = 0;
    const int64_t *perm = ox_node_is(n, OX_Transpose) ? ox_attr_ints(n->attrs, "perm", &n_perm) : NULL;
    if (n_perm < 3 || n_perm != rank || (perm[rank - 1] != 0 && perm[rank - 2] != 0) || ox_size_at(b, n->in[0], 0, NULL)) {
        return x;
    }
    const struct mx_int_list same = ox_repeated(b, 0, rank);
    const ox_val y = ox_emit(b, OX_Reshape, OX_IN(x, ox_ints(b, same.v, same.n)), OX_NO_ATTRS);
    ox_typed(b, y, ox_dtype(b, x), ox_shape(b, x));
    return y;
}

ox_val ox_matmul(struct ox_build *b, ox_val x, ox_val y)
{
    int64_t inner;
    if (ox_rank(b, x) > 0 && ox_size_at(b, x, -1, &inner) && inner == 0) {
        /* For a sum over no elements, ONNX Runtime returns whatever was in memory. */
        const int rank = ox_rank(b, y);
        x = one_zero(b, x, ox_rank(b, x) - 1);
        y = one_zero(b, y, rank > 1 ? rank - 2 : 0);
    }
    return ox_node(b, OX_MatMul, OX_IN(ox_apart(b, x), ox_apart(b, y)), OX_NO_ATTRS);
}

ox_val ox_softmax(struct ox_build *b, enum ox_op op, ox_val x, int axis)
{
    return ox_node(b, op, OX_IN(x), OX_ATTRS(OX_I("axis", axis)));
}

ox_val ox_where(struct ox_build *b, ox_val condition, ox_val x, ox_val y)
{
    return ox_node(b, OX_Where, OX_IN(condition, x, y), OX_NO_ATTRS);
}

/* A bound as a tensor of rank 0. */
static ox_val bound(struct ox_build *b, ox_val x)
{
    return x == OX_NONE || ox_rank(b, x) == 0 ? x : ox_reshape(b, x, NULL, 0);
}

/* Every integer up to this one is exact in the float type t. */
static int64_t whole_up_to(enum mx_dtype t)
{
    return t == MX_FLOAT64 ? (int64_t)1 << 53 : t == MX_FLOAT32 ? 1 << 24 : t == MX_FLOAT16 ? 1 << 11 : 0;
}

/* True if x is a constant integer, and the float type t represents all integers up to it exactly. As float16, an integer that is beyond it
 * may be infinite. */
static bool exact_bound(struct ox_build *b, ox_val x, enum mx_dtype t)
{
    const int64_t most = t == MX_FLOAT16 ? 0 : whole_up_to(t);
    int64_t v;
    return ox_const_int(b, x, &v) && v >= -most && v <= most;
}

/* The input of the Cast that produces x, OX_NONE if x is not the result of one. */
static ox_val cast_from(struct ox_build *b, ox_val x)
{
    const struct ox_node *n = ox_value_of(b->model, x)->producer;
    return ox_node_is(n, OX_Cast) ? n->in[0] : OX_NONE;
}

/* Integers cast to a float and back before they are clipped, as positions are before a lookup: the float rounds only values that are
 * clipped anyway. */
static ox_val without_float(struct ox_build *b, ox_val x, ox_val lo, ox_val hi)
{
    const ox_val middle = cast_from(b, x), whole = cast_from(b, middle);
    const enum mx_dtype t = ox_dtype(b, middle);
    if (!mx_dtype_is_integer(ox_dtype(b, whole)) || !ox_lossless(ox_dtype(b, whole), ox_dtype(b, x)) || !exact_bound(b, lo, t)
        || !exact_bound(b, hi, t)) {
        return x;
    }
    return ox_cast(b, whole, ox_dtype(b, x));
}

ox_val ox_clip(struct ox_build *b, ox_val x, ox_val lo, ox_val hi)
{
    if (ox_failed(b) || (lo == OX_NONE && hi == OX_NONE)) {
        return ox_failed(b) ? OX_NONE : x;
    }
    x = without_float(b, x, lo, hi);
    return ox_node(b, OX_Clip, OX_IN(x, bound(b, lo), bound(b, hi)), OX_NO_ATTRS);
}

/* The cast comes first: NaN, and values too large for an integer, then read row 0, as with MXNet's own cast. Runtimes that compute
 * integers as floats clip no others, and keep fractions. */
ox_val ox_index(struct ox_build *b, ox_val x, int64_t size)
{
    const enum mx_dtype t = ox_dtype(b, x), whole = t == MX_INT32 && size <= INT32_MAX ? MX_INT32 : MX_INT64;
    if (b->model->trust_indices || ox_is_between(b, x, -1, (double)size)) {
        return ox_cast(b, x, whole);
    }
    const bool counted = mx_dtype_is_integer(ox_dtype(b, cast_from(b, x)));
    if (b->model->target && b->model->target->casts_keep_fractions && !counted && size - 1 <= whole_up_to(t)) {
        const ox_val inside = ox_clip(b, x, ox_scalar(b, t, 0), ox_scalar(b, t, (double)(size - 1)));
        return ox_cast(b, ox_unary(b, OX_Floor, inside), whole);
    }
    return ox_clip(b, ox_cast(b, x, whole), ox_scalar(b, whole, 0), ox_scalar(b, whole, (double)(size - 1)));
}

static ox_val node_mod(struct ox_build *b, ox_val x, ox_val y, int fmod)
{
    return ox_node(b, OX_Mod, OX_IN(x, y), OX_ATTRS(OX_I("fmod", fmod)));
}

ox_val ox_divisor(struct ox_build *b, ox_val y)
{
    if (ox_is_between(b, y, 0, (double)INFINITY)) {
        return y;
    }
    const ox_val by_zero = ox_binary(b, OX_Equal, y, ox_scalar_like(b, y, 0));
    const bool is_signed = mx_dtype_is_signed(ox_dtype(b, y)) && !ox_is_between(b, y, -1, (double)INFINITY);
    const ox_val replaced = is_signed ? ox_binary(b, OX_Or, by_zero, ox_binary(b, OX_Equal, y, ox_scalar_like(b, y, -1))) : by_zero;
    return ox_where(b, replaced, ox_scalar_like(b, y, 1), y);
}

/* mshadow_op.h, struct mod: 0 for a divisor of 0. For integers the divisor is replaced there, which has the remainder 0. */
ox_val ox_mod(struct ox_build *b, ox_val x, ox_val y)
{
    if (!mx_dtype_is_float(ox_dtype(b, x))) {
        return node_mod(b, x, ox_divisor(b, y), 0);
    }
    const ox_val zero = ox_scalar_like(b, x, 0);
    const ox_val c_fmod = node_mod(b, x, y, 1);
    const ox_val wrong_side = ox_binary(b, OX_Less, ox_mul(b, ox_unary(b, OX_Sign, c_fmod), y), zero);
    const ox_val r = ox_where(b, wrong_side, ox_add(b, c_fmod, y), c_fmod);
    return ox_where(b, ox_binary(b, OX_Equal, y, zero), zero, r);
}
