/* unravel_index, ravel_multi_index: positions in a row-major array and their coordinates, which are on the first axis
 * (src/operator/tensor/ravel.h). */
#include "op/op.h"

struct ravel {
    struct mx_tuple shape;
};

static const struct mx_attr attrs[] = {MX_SIZES_NONE(struct ravel, shape, "()")};

static int check(struct mx_infer *c, struct mx_tuple shape)
{
    int64_t size = 1;
    if (shape.n < 1 || shape.n >= MX_MAX_RANK) {
        return mx_infer_fail(c, "shape", MX_SUBJECT "has length %d, but must have length 1 to %d", shape.n, MX_MAX_RANK - 1);
    }
    for (int i = shape.n - 1; i > 0; i--) { /* the first size is unused, and may be -1 */
        if (shape.v[i] < 1 || size > INT64_MAX / shape.v[i]) {
            return mx_infer_fail(c, "shape",
                                 MX_SUBJECT "gives axis %d size %lld, but sizes must be positive, and their product less than 2^63", i,
                                 (long long)shape.v[i]);
        }
        size *= shape.v[i];
    }
    return MX_OK;
}

static int infer_unravel(struct mx_infer *c)
{
    const struct ravel *a = c->attrs;
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(check(c, a->shape));
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    mx_push_dim(&dims, mx_dim_of(a->shape.n));
    mx_push_dims(&dims, s.dims, s.ndim);
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static int infer_ravel(struct mx_infer *c)
{
    const struct ravel *a = c->attrs;
    struct mx_shape s;
    MX_TRY(check(c, a->shape));
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input_rank(c, 0, 2, &s));
    MX_TRY(mx_same_dim(c, s.dims[0], mx_dim_of(a->shape.n), "coordinates and sizes of the shape"));
    return mx_output_is_dims(c, 0, &s.dims[1], 1);
}

/* int64 (n, 1, ...), which broadcasts with data of this rank. */
static ox_val column(struct ox_build *b, const struct mx_int_list *v, int rank)
{
    struct mx_int_list dims = ox_repeated(b, 1, 1 + rank);
    mx_put_int(&dims, 0, v->n);
    return ox_reshape_ints(b, ox_ints(b, v->v, v->n), dims.v, dims.n);
}

static struct mx_int_list strides_of(struct ox_build *b, struct mx_tuple shape)
{
    struct mx_int_list strides = ox_no_ints(b);
    int64_t step = 1;
    for (int i = shape.n - 1; i >= 0; i--) {
        mx_put_int(&strides, i, step);
        step *= i > 0 ? shape.v[i] : 1;
    }
    return strides;
}

static void lower_unravel(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct ravel *a = n->attrs;
    const int rank = ox_rank(b, in[0]), count = a->shape.n;
    const struct mx_int_list strides = strides_of(b, a->shape);
    struct mx_int_list sizes = ox_no_ints(b);
    mx_push_int(&sizes, INT64_MAX); /* the first coordinate is unbounded */
    mx_push_ints(&sizes, a->shape.v + 1, count - 1);
    ox_val x = ox_unsqueeze1(b, ox_cast(b, in[0], MX_INT64), 0);
    if (count > 1) {
        x = ox_div(b, x, column(b, &strides, rank));
        x = ox_node(b, OX_Mod, OX_IN(x, column(b, &sizes, rank)), OX_ATTRS(OX_I("fmod", 1)));
    }
    out[0] = ox_cast(b, x, n->out[0].dtype);
}

static void lower_ravel(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct ravel *a = n->attrs;
    const struct mx_int_list strides = strides_of(b, a->shape);
    const ox_val x = ox_cast(b, in[0], MX_INT64);
    const ox_val parts = ox_mul(b, x, column(b, &strides, 1));
    const ox_val sum = ox_reduce(b, OX_ReduceSum, parts, (const int64_t[]){0}, 1, false);
    out[0] = ox_cast(b, sum, n->out[0].dtype);
}

const struct mx_op mx_ops_ravel[] = {
    {
        .name = "_ravel_multi_index",
        .positions = true,
        .alias = "ravel_multi_index",
        MX_ATTRS(attrs, struct ravel),
        .inputs = "data:exact",
        .infer = infer_ravel,
        .lower = lower_ravel,
    },
    {
        .name = "_unravel_index",
        .alias = "unravel_index _npi_unravel_index",
        MX_ATTRS(attrs, struct ravel),
        .inputs = "data:exact",
        .infer = infer_unravel,
        .lower = lower_unravel,
    },
    MX_OPS_END,
};
