/* roll, rot90, diff: moves elements along axes, or subtracts neighbours. */
#include "op/op.h"

/* ---- roll: src/operator/numpy/np_matrix_op-inl.h, NumpyRollCompute */

struct roll {
    struct mx_tuple shift, axis;
};

static const struct mx_attr roll_attrs[] = {
    MX_SIZES_NONE(struct roll, shift, "None"),
    MX_AXES_NONE(struct roll, axis, "None"),
};

static int infer_roll(struct mx_infer *c)
{
    const struct roll *a = c->attrs;
    struct mx_shape s;
    MX_TRY(mx_infer_same(c));
    MX_TRY(mx_input(c, 0, &s));
    if (a->shift.n < 1 || (!a->axis.given && a->shift.n != 1) || (a->axis.given && a->shift.n != 1 && a->shift.n != a->axis.n)) {
        return mx_infer_fail(c, "shift", MX_SUBJECT "has length %d" MX_HELP "give one, or one for each axis", a->shift.n);
    }
    for (int i = 0; i < a->axis.n; i++) {
        int axis;
        MX_TRY(mx_axis(c, a->axis.v[i], s.ndim, "axis", &axis));
    }
    return MX_OK;
}

/* One axis: its end is moved to the front. With a dynamic size the elements are gathered. */
static ox_val roll_axis(struct ox_build *b, ox_val x, int axis, int64_t shift)
{
    int64_t size;
    if (shift == 0) {
        return x;
    }
    if (!ox_size_at(b, x, axis, &size)) {
        const mx_dim n = ox_dim_at(b, x, axis);
        const ox_val from = ox_sub(b, ox_range(b, n), ox_int(b, shift));
        return ox_gather(b, x, ox_mod(b, from, ox_dim(b, n)), axis);
    }
    shift = size == 0 ? 0 : (shift % size + size) % size;
    if (shift == 0) {
        return x;
    }
    const ox_val parts[] = {ox_slice1(b, x, axis, size - shift, size), ox_slice1(b, x, axis, 0, size - shift)};
    return ox_concat(b, parts, 2, axis);
}

static void lower_roll(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct roll *a = n->attrs;
    const int rank = ox_rank(b, in[0]);
    if (!a->axis.given) {
        const ox_val flat = ox_flat(b, in[0]);
        out[0] = ox_reshape_shape(b, roll_axis(b, flat, 0, a->shift.v[0]), n->out[0].shape);
        return;
    }
    out[0] = in[0];
    for (int i = 0; i < a->axis.n; i++) {
        const int64_t axis = mx_wrap(a->axis.v[i], rank);
        out[0] = roll_axis(b, out[0], (int)axis, a->shift.v[a->shift.n == 1 ? 0 : i]);
    }
}

/* ---- rot90 */

struct rot90 {
    int64_t k;
    struct mx_tuple axes;
};

static const struct mx_attr rot90_attrs[] = {
    MX_INT(struct rot90, k, "1"),
    MX_AXES_NONE(struct rot90, axes, "None"),
};

static const int64_t first_axes[] = {0, 1};

static const int64_t *plane(const struct rot90 *a)
{
    return a->axes.n == 2 ? a->axes.v : first_axes;
}

static int turns(const struct rot90 *a)
{
    return (int)((a->k % 4 + 4) % 4);
}

static int infer_rot90(struct mx_infer *c)
{
    const struct rot90 *a = c->attrs;
    struct mx_shape s;
    int p, q;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_axis(c, plane(a)[0], s.ndim, "axes", &p));
    MX_TRY(mx_axis(c, plane(a)[1], s.ndim, "axes", &q));
    if (p == q || (a->axes.given && a->axes.n != 2)) {
        return mx_infer_fail_attr(c, "axes", "two different axes");
    }
    for (int i = 0; i < s.ndim; i++) {
        mx_put_dim(&dims, i, turns(a) % 2 == 0 ? s.dims[i] : s.dims[i == p ? q : i == q ? p : i]);
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower_rot90(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct rot90 *a = n->attrs;
    const int64_t p = plane(a)[0], q = plane(a)[1];
    const ox_val x = in[0];
    switch (turns(a)) {
    case 0: out[0] = x; break;
    case 1: out[0] = ox_swap_axes(b, ox_reverse(b, x, &q, 1), (int)p, (int)q); break;
    case 2: out[0] = ox_reverse(b, ox_reverse(b, x, &p, 1), &q, 1); break;
    default: out[0] = ox_reverse(b, ox_swap_axes(b, x, (int)p, (int)q), &q, 1); break;
    }
}

/* ---- diff */

struct diff {
    int64_t n, axis;
};

static const struct mx_attr diff_attrs[] = {
    MX_COUNT(struct diff, n, "1"),
    MX_AXIS(struct diff, axis, "-1"),
};

enum { MAX_DIFF = 1000 }; /* limit: repetitions of diff */

static int infer_diff(struct mx_infer *c)
{
    const struct diff *a = c->attrs;
    struct mx_shape s;
    int axis;
    int64_t size;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_axis(c, a->axis, s.ndim, "axis", &axis));
    MX_TRY(mx_within(c, "n", a->n, 0, MAX_DIFF));
    mx_push_dims(&dims, s.dims, s.ndim);
    const bool known = mx_dim_known(c->dims, s.dims[axis], &size);
    mx_put_dim(&dims, axis, known && size < a->n ? mx_dim_of(0) : mx_dim_addn(c->dims, s.dims[axis], -a->n));
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

/* MXNet adds the elements times binomial coefficients, from the last one on, and rounds each sum (src/operator/numpy/np_diff-inl.h,
 * diff_forward). Its coefficients are int32, and larger ones overflow. */
enum { MAX_SUMMED = 33 };

static ox_val sum_of(struct ox_build *b, ox_val x, int axis, int64_t n)
{
    ox_val sum = OX_NONE;
    double coefficient = 1;
    for (int64_t k = 0; k <= n; k++) {
        const ox_val part = ox_slice1(b, x, axis, n - k, k == 0 ? INT64_MAX : -k);
        const ox_val term = k == 0 || k == n ? part : ox_mul(b, part, ox_scalar(b, ox_dtype(b, x), coefficient));
        sum = k == 0 ? term : k % 2 ? ox_sub(b, sum, term) : ox_add(b, sum, term);
        coefficient = coefficient * (double)(n - k) / (double)(k + 1);
    }
    return sum;
}

static void lower_diff(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct diff *a = n->attrs;
    const int rank = ox_rank(b, in[0]);
    const int axis = (int)mx_wrap(a->axis, rank);
    if (mx_dtype_is_float(ox_dtype(b, in[0])) && a->n <= MAX_SUMMED) {
        out[0] = sum_of(b, in[0], axis, a->n);
        return;
    }
    out[0] = in[0];
    for (int64_t i = 0; i < a->n && !ox_failed(b); i++) {
        out[0] = ox_sub(b, ox_slice1(b, out[0], axis, 1, INT64_MAX), ox_slice1(b, out[0], axis, 0, -1));
    }
}

const struct mx_op mx_ops_np_shift[] = {
    {.name = "_np_roll", .alias = "_npi_roll", MX_ATTRS(roll_attrs, struct roll), .infer = infer_roll, .lower = lower_roll},
    {.name = "_npi_rot90", MX_ATTRS(rot90_attrs, struct rot90), .infer = infer_rot90, .lower = lower_rot90},
    {.name = "_npi_diff", MX_ATTRS(diff_attrs, struct diff), .inputs = "a", .infer = infer_diff, .lower = lower_diff},
    MX_OPS_END,
};
