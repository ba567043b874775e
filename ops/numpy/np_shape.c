/* NumPy's shape operators: moveaxis, rollaxis, broadcast_to, atleast_1d and similar. */
#include "op/op.h"

/* ---- moveaxis */

struct move {
    struct mx_tuple source, destination;
};

static const struct mx_attr move_attrs[] = {
    MX_AXES_NONE(struct move, source, NULL),
    MX_AXES_NONE(struct move, destination, NULL),
};

/* perm[destination] = source; axes that are not listed fill the rest in order. Axes must be in range. */
static void permutation(const struct move *a, int rank, struct mx_int_list *perm)
{
    struct mx_axes moved = {0};
    struct mx_int_list rest = mx_int_list(perm->error);
    mx_fill_ints(perm, -1, rank);
    for (int i = 0; i < a->source.n; i++) {
        const int64_t from = mx_wrap(a->source.v[i], rank);
        mx_put_int(perm, mx_wrap(a->destination.v[i], rank), from);
        mx_add_axis(&moved, from);
    }
    mx_push_axes(&rest, mx_other_axes(moved, rank));
    for (int i = 0, k = 0; i < rank; i++) {
        if (mx_get_int(perm, i) < 0) {
            mx_put_int(perm, i, mx_get_int(&rest, k++));
        }
    }
}

static int infer_move(struct mx_infer *c)
{
    const struct move *a = c->attrs;
    struct mx_shape s;
    struct mx_int_list perm = mx_no_ints(c);
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    if (a->source.n != a->destination.n) {
        return mx_infer_fail(c, "destination", MX_SUBJECT "has length %d and source has length %d, but the two must be equal",
                             a->destination.n, a->source.n);
    }
    MX_TRY(mx_check_axes(c, a->source, s.ndim, "source"));
    MX_TRY(mx_check_axes(c, a->destination, s.ndim, "destination"));
    permutation(a, s.ndim, &perm);
    for (int i = 0; i < s.ndim; i++) {
        mx_push_dim(&dims, mx_shape_at(c, s, mx_get_int(&perm, i)));
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower_move(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    struct mx_int_list perm = ox_no_ints(b);
    permutation(n->attrs, ox_rank(b, in[0]), &perm);
    out[0] = ox_transpose(b, in[0], perm.v, perm.n);
}

/* ---- rollaxis: moves an axis to before `start` (np_matrix_op-inl.h, NumpyRollaxisShape) */

struct rollaxis {
    int64_t axis, start;
};

static const struct mx_attr rollaxis_attrs[] = {
    MX_AXIS(struct rollaxis, axis, NULL),
    MX_INT(struct rollaxis, start, "0"),
};

/* The old and the new position of the axis, both in range. */
static void rolled(const struct rollaxis *a, int rank, int *from, int *to)
{
    *from = (int)mx_wrap(a->axis, rank);
    *to = (int)mx_wrap(a->start, rank);
    *to -= *from < *to;
}

static int infer_rollaxis(struct mx_infer *c)
{
    const struct rollaxis *a = c->attrs;
    struct mx_shape s;
    int from, to;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_axis(c, a->axis, s.ndim, "axis", &from));
    if (a->start != s.ndim) { /* after the last */
        MX_TRY(mx_axis(c, a->start, s.ndim, "start", &to));
    }
    rolled(a, s.ndim, &from, &to);
    for (int i = 0, rest = 0; i < s.ndim; i++) {
        rest += rest == from;
        mx_put_dim(&dims, i, s.dims[i == to ? from : rest++]);
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower_rollaxis(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    int from, to;
    rolled(n->attrs, ox_rank(b, in[0]), &from, &to);
    out[0] = ox_move_axis(b, in[0], from, to);
}

/* ---- broadcast_to: -2 keeps the input's size (NumpyBroadcastToShape) */

struct to {
    struct mx_tuple shape;
};

static const struct mx_attr to_attrs[] = {MX_SIZES_NONE(struct to, shape, "()")};

enum { KEEP = -2 };

static int infer_to(struct mx_infer *c)
{
    const struct to *a = c->attrs;
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    if (a->shape.n < s.ndim || a->shape.n > MX_MAX_RANK) {
        return mx_infer_fail(c, "shape",
                             MX_SUBJECT "has length %d, but the input has rank %d" MX_HELP "give at least one size for each axis",
                             a->shape.n, s.ndim);
    }
    for (int i = 0; i < a->shape.n; i++) {
        const int from = i - (a->shape.n - s.ndim);
        const int64_t v = a->shape.v[i];
        if ((v < 0 && (v != KEEP || from < 0)) || v > INT32_MAX) {
            return mx_infer_fail(c, "shape", MX_SUBJECT "holds the size %lld" MX_HELP "use a size of 0 or more", (long long)v);
        }
        mx_put_dim(&dims, i, v == KEEP ? s.dims[from] : mx_dim_of(v));
        MX_TRY(from >= 0 ? mx_stretch(c, s.dims[from], mx_get_dim(&dims, i)) : MX_OK);
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower_to(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    out[0] = ox_expand(b, in[0], n->out[0].shape.dims, n->out[0].shape.ndim);
}

/* ---- atleast_1d, _2d, _3d (src/operator/numpy/np_init_op.cc, AtleastNDShape) */

struct at_least {
    int64_t num_args;
};

static const struct mx_attr at_least_attrs[] = {MX_COUNT(struct at_least, num_args, NULL)};

static int infer_at_least(struct mx_infer *c)
{
    const int rank = c->node->op->which;
    for (int i = 0; i < c->node->n_in; i++) {
        mx_dim dims[3] = {mx_dim_of(1), mx_dim_of(1), mx_dim_of(1)};
        struct mx_shape s;
        MX_TRY(mx_output_dtype_is(c, i, mx_input_dtype(c, i)));
        MX_TRY(mx_input(c, i, &s));
        if (s.ndim >= rank) {
            MX_TRY(mx_output_is(c, i, s));
            continue;
        }
        /* (n) becomes (1, n) or (1, n, 1), (n, m) becomes (n, m, 1). */
        for (int k = 0; k < s.ndim; k++) {
            dims[s.ndim == 1 ? 1 : k] = s.dims[k];
        }
        MX_TRY(mx_output_is_dims(c, i, dims, rank));
    }
    return MX_OK;
}

static void lower_at_least(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    for (int i = 0; i < n->n_out; i++) {
        out[i] = ox_reshape_shape(b, in[i], n->out[i].shape);
    }
}

#define AT_LEAST(mx, other_names, rank)                                                                                                    \
    {                                                                                                                                      \
        .name = (mx), .alias = (other_names), MX_ATTRS(at_least_attrs, struct at_least), .inputs = "arys...:count(num_args)",              \
        .outputs = "output...:count(num_args)", .infer = infer_at_least, .lower = lower_at_least, .which = (rank),                         \
    }

const struct mx_op mx_ops_np_shape[] = {
    {
        .name = "_np_moveaxis",
        .alias = "_npi_moveaxis",
        MX_ATTRS(move_attrs, struct move),
        .inputs = "a",
        .infer = infer_move,
        .lower = lower_move,
    },
    {
        .name = "_npi_broadcast_to",
        .alias = "_np_broadcast_to",
        MX_ATTRS(to_attrs, struct to),
        .inputs = "array",
        .infer = infer_to,
        .lower = lower_to,
    },
    {.name = "_npi_rollaxis", MX_ATTRS(rollaxis_attrs, struct rollaxis), .infer = infer_rollaxis, .lower = lower_rollaxis},
    AT_LEAST("_np_atleast_1d", "_npi_atleast_1d", 1),
    AT_LEAST("_np_atleast_2d", "_npi_atleast_2d", 2),
    AT_LEAST("_np_atleast_3d", "_npi_atleast_3d", 3),
    MX_OPS_END,
};
