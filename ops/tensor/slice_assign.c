/* _slice_assign, _slice_assign_scalar: the first input with a slice of it replaced (src/operator/tensor/matrix_op-inl.h). Each axis has
 * a mask, and the index into the slice for each of its positions. */
#include "op/op.h"
#include "shared/slice.h"

struct assign {
    struct mx_places begin, end, step;
    double scalar;
};

static const struct mx_attr attrs[] = {
    MX_PLACES(struct assign, begin, NULL),
    MX_PLACES(struct assign, end, NULL),
    MX_STEPS(struct assign, step, "()"),
};

static const struct mx_attr scalar_attrs[] = {
    MX_DOUBLE(struct assign, scalar, "0"),
    MX_PLACES(struct assign, begin, NULL),
    MX_PLACES(struct assign, end, NULL),
    MX_STEPS(struct assign, step, "()"),
};

static bool is_whole(const struct assign *a, int i)
{
    return i >= a->begin.n || (!a->begin.v[i].given && !a->end.v[i].given && mx_range_step(a->step, i) == 1);
}

static struct mx_range range_of(const struct assign *a, int i, int64_t size)
{
    return mx_range_of(a->begin.v[i], a->end.v[i], mx_range_step(a->step, i), size);
}

static int check(struct mx_infer *c, const struct assign *a, struct mx_shape *s)
{
    if (a->begin.n != a->end.n || (a->step.n > 0 && a->step.n != a->begin.n)) {
        return mx_infer_fail(c, "end", "begin, end and step have lengths %d, %d and %d, which must be equal", a->begin.n, a->end.n,
                             a->step.n);
    }
    MX_TRY(mx_input(c, 0, s));
    if (a->begin.n > s->ndim) {
        return mx_infer_fail(c, "begin", MX_SUBJECT "has length %d, but the input has rank %d" MX_HELP "give at most one for each axis",
                             a->begin.n, s->ndim);
    }
    for (int i = 0; i < a->begin.n; i++) {
        if (mx_range_step(a->step, i) == 0) {
            return mx_infer_fail(c, "step", MX_SUBJECT "is 0 for axis %d" MX_HELP "use another step", i);
        }
    }
    return MX_OK;
}

static int infer(struct mx_infer *c)
{
    const struct assign *a = c->attrs;
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_same_shape(c, 0, 0));
    MX_TRY(check(c, a, &s));
    for (int i = 0; i < s.ndim; i++) {
        int64_t size;
        mx_put_dim(&dims, i, s.dims[i]);
        if (!is_whole(a, i) && mx_dim_known(c->dims, s.dims[i], &size)) {
            mx_put_dim(&dims, i, mx_dim_of(range_of(a, i, size).count));
        } else if (!is_whole(a, i) && c->node->n_in > 1) {
            struct mx_shape v; /* the value's shape */
            MX_TRY(mx_input_rank(c, 1, s.ndim, &v));
            mx_put_dim(&dims, i, v.dims[i]);
        }
    }
    return c->node->n_in > 1 ? mx_input_is_dims(c, 1, dims.v, dims.n) : MX_OK;
}

/* The index in the slice of position i on the axis; -1: none. */
static int64_t element_of(const struct mx_range *r, int64_t i)
{
    const int64_t k = (i - r->begin) / r->step;
    return (i - r->begin) % r->step == 0 && k >= 0 && k < r->count ? k : -1;
}

static double is_hit(const void *range, int64_t i)
{
    return element_of(range, i) >= 0;
}

static double source_at(const void *range, int64_t i)
{
    const int64_t k = element_of(range, i);
    return k >= 0 ? (double)k : 0;
}

/* For each position on an axis of this size, true if it is in the slice. bool (size, 1, ...), with `after` axes after the first. */
static ox_val mask(struct ox_build *b, struct mx_range r, int64_t size, int after)
{
    struct mx_int_list dims = ox_no_ints(b);
    for (int i = 0; i <= after; i++) {
        mx_put_int(&dims, i, i == 0 ? size : 1);
    }
    return ox_computed(b, MX_BOOL, dims.v, dims.n, is_hit, &r, sizeof r);
}

/* x with its elements at the positions of the slice along the axis, and arbitrary values elsewhere. */
static ox_val spread(struct ox_build *b, ox_val x, struct mx_range r, int axis, int64_t size)
{
    return ox_gather(b, x, ox_computed(b, MX_INT64, &size, 1, source_at, &r, sizeof r), axis);
}

/* The same for an axis of dynamic size: int64 (size), for each position 1 + the index in the slice, 0 if it is not in the slice. */
static ox_val elements(struct ox_build *b, const struct assign *a, int i, mx_dim size)
{
    const ox_val one = ox_scalar(b, MX_INT64, 1);
    const ox_val places = mx_range_places(b, a->begin.v[i], a->end.v[i], mx_range_step(a->step, i), size);
    const ox_val count = ox_squeeze1(b, ox_unary(b, OX_Shape, places), 0);
    const ox_val numbers = ox_node(b, OX_Range, OX_IN(one, ox_add(b, count, one), one), OX_NO_ATTRS);
    const ox_val none = ox_fill(b, MX_INT64, (struct mx_shape){1, &size}, 0);
    return ox_node(b, OX_ScatterElements, OX_IN(none, places, numbers), OX_ATTRS(OX_I("axis", 0)));
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct assign *a = n->attrs;
    const int rank = ox_rank(b, in[0]);
    ox_val value = n->n_in > 1 ? in[1] : ox_scalar_like(b, in[0], a->scalar), hit = OX_NONE;
    for (int i = 0; i < rank && !ox_failed(b); i++) {
        int64_t size = 0;
        if (is_whole(a, i)) {
            continue;
        }
        ox_val on_axis;
        if (ox_size_at(b, in[0], i, &size)) {
            const struct mx_range r = range_of(a, i, size);
            if (r.count == 0) {
                out[0] = in[0];
                return;
            }
            on_axis = mask(b, r, size, rank - 1 - i);
            value = n->n_in > 1 ? spread(b, value, r, i, size) : value;
        } else {
            const ox_val zero = ox_scalar(b, MX_INT64, 0), at = elements(b, a, i, ox_dim_at(b, in[0], i));
            const ox_val found = ox_binary(b, OX_Greater, at, zero);
            const ox_val from = ox_binary(b, OX_Max, ox_sub(b, at, ox_scalar(b, MX_INT64, 1)), zero);
            on_axis = ox_along(b, found, i, rank);
            value = n->n_in > 1 ? ox_gather(b, value, from, i) : value;
        }
        hit = hit == OX_NONE ? on_axis : ox_binary(b, OX_And, hit, on_axis);
    }
    if (hit != OX_NONE) {
        out[0] = ox_where(b, hit, value, in[0]);
        return;
    }
    out[0] = n->n_in > 1 ? value : ox_fill(b, ox_dtype(b, in[0]), n->out[0].shape, a->scalar);
}

const struct mx_op mx_ops_slice_assign[] = {
    {
        .name = "_slice_assign",
        .alias = "_crop_assign _npi_slice_assign",
        MX_ATTRS(attrs, struct assign),
        .inputs = "lhs rhs",
        .infer = infer,
        .lower = lower,
    },
    {
        .name = "_slice_assign_scalar",
        .alias = "_crop_assign_scalar _npi_slice_assign_scalar",
        MX_ATTRS(scalar_attrs, struct assign),
        .infer = infer,
        .lower = lower,
    },
    MX_OPS_END,
};
