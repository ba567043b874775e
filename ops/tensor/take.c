/* take, pick, batch_take: elements at indices. The indices can be of any type, and floats are truncated; indices outside are moved
 * inside, while ONNX would count negative ones from the end (src/operator/tensor/indexing_op.h, broadcast_reduce_op.h). */
#include "op/op.h"

enum mode { CLIP, WRAP, RAISE };

/* Indices in a type that ONNX's Gather accepts. */
static ox_val whole_numbers(struct ox_build *b, ox_val index)
{
    return ox_dtype(b, index) == MX_INT32 ? index : ox_cast(b, index, MX_INT64);
}

/* Indices limited to 0 .. size-1 on the axis of x. */
static ox_val bring_inside(struct ox_build *b, ox_val index, ox_val x, int axis, enum mode mode)
{
    int64_t size;
    const bool known = ox_size_at(b, x, axis, &size);
    if (mode == RAISE || (known && ox_is_between(b, index, -1, (double)size))) {
        return whole_numbers(b, index);
    }
    if (known && mode == CLIP) {
        return ox_index(b, index, size);
    }
    index = whole_numbers(b, index);
    if (!known) {
        index = ox_cast(b, index, MX_INT64);
    }
    const enum mx_dtype t = ox_dtype(b, index);
    const ox_val count = known ? ox_scalar(b, t, (double)size) : ox_dim_as(b, ox_dim_at(b, x, axis), t);
    return mode == WRAP ? ox_node(b, OX_Mod, OX_IN(index, count), OX_ATTRS(OX_I("fmod", 0)))
                        : ox_clip(b, index, ox_scalar(b, t, 0), ox_sub(b, count, ox_scalar(b, t, 1)));
}

/* ---- take */

struct take {
    int64_t axis;
    int mode;
};

static const char *const take_modes[] = {"clip", "wrap", "raise", NULL};
static const struct mx_attr take_attrs[] = {
    MX_AXIS(struct take, axis, "0"),
    MX_ENUM(struct take, mode, "clip", take_modes),
};

static int infer_take(struct mx_infer *c)
{
    const struct take *a = c->attrs;
    struct mx_shape s, index;
    struct mx_dim_list dims = mx_no_dims(c);
    int axis;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_input(c, 1, &index));
    MX_TRY(mx_axis(c, a->axis, s.ndim, "axis", &axis));
    mx_push_dims(&dims, s.dims, axis);
    mx_push_dims(&dims, index.dims, index.ndim);
    mx_push_dims(&dims, s.dims + axis + 1, s.ndim - axis - 1);
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower_take(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct take *a = n->attrs;
    const int axis = (int)mx_wrap(a->axis, ox_rank(b, in[0]));
    out[0] = ox_gather(b, in[0], bring_inside(b, in[1], in[0], axis, (enum mode)a->mode), axis);
}

/* ---- pick: one element of each row along the axis */

struct pick {
    struct mx_opt_int axis;
    bool keepdims;
    int mode;
};

static const char *const pick_modes[] = {"clip", "wrap", NULL};
static const struct mx_attr pick_attrs[] = {
    MX_AXIS_NONE(struct pick, axis, "-1"),
    MX_BOOL(struct pick, keepdims, "False"),
    MX_ENUM(struct pick, mode, "clip", pick_modes),
};

static int infer_pick(struct mx_infer *c)
{
    const struct pick *a = c->attrs;
    struct mx_shape s, index;
    int axis;
    MX_TRY(mx_same_dtype(c, 0, 0));
    if (!a->axis.given) {
        return mx_infer_fail(c, "axis", MX_SUBJECT "is None" MX_HELP "give an axis");
    }
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_axis(c, a->axis.v, s.ndim, "axis", &axis));
    const struct mx_dim_list dims = mx_reduced(c, s, mx_one_axis(axis), a->keepdims);
    MX_TRY(mx_output_is_dims(c, 0, dims.v, dims.n));
    MX_TRY(mx_input(c, 1, &index));
    const struct mx_dim_list rest = mx_reduced(c, s, mx_one_axis(axis), index.ndim == s.ndim);
    return mx_input_is_dims(c, 1, rest.v, rest.n);
}

static void lower_pick(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct pick *a = n->attrs;
    const int rank = ox_rank(b, in[0]);
    const int axis = (int)mx_wrap(a->axis.v, rank);
    ox_val index = bring_inside(b, in[1], in[0], axis, a->mode == 0 ? CLIP : WRAP);
    if (ox_rank(b, index) < rank) {
        index = ox_unsqueeze1(b, index, axis);
    }
    out[0] = ox_node(b, OX_GatherElements, OX_IN(in[0], index), OX_ATTRS(OX_I("axis", axis)));
    if (n->out[0].shape.ndim < rank) {
        out[0] = ox_squeeze1(b, out[0], axis);
    }
}

/* ---- batch_take: pick on the last axis of data taken as a matrix; indices are int32 */

static int infer_batch(struct mx_infer *c)
{
    struct mx_shape data;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input_dtype_is(c, 1, MX_INT32));
    MX_TRY(mx_same_shape(c, 1, 0));
    MX_TRY(mx_input_at_least(c, 0, 2, &data));
    return mx_same_dim(c, mx_dim_product(c->dims, data.dims, data.ndim - 1), mx_shape_elements(c->dims, mx_output(c, 0)),
                       "rows of a and number of indices");
}

static void lower_batch(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const mx_dim last = ox_dim_at(b, in[0], -1);
    const mx_dim rows = mx_shape_elements(ox_dims_table(b), n->out[0].shape);
    const ox_val x = ox_reshape(b, in[0], (const mx_dim[]){rows, last}, 2);
    const ox_val index = ox_reshape(b, bring_inside(b, in[1], x, 1, CLIP), (const mx_dim[]){rows, mx_dim_of(1)}, 2);
    out[0] = ox_node(b, OX_GatherElements, OX_IN(x, index), OX_ATTRS(OX_I("axis", 1)));
    out[0] = ox_reshape_shape(b, out[0], n->out[0].shape);
}

const struct mx_op mx_ops_take[] = {
    {.name = "batch_take", .inputs = "a indices:exact", .infer = infer_batch, .lower = lower_batch},
    {
        .name = "pick",
        .alias = "_npx_pick choose_element_0index",
        MX_ATTRS(pick_attrs, struct pick),
        .inputs = "data index:exact",
        .infer = infer_pick,
        .lower = lower_pick,
    },
    {
        .name = "take",
        .alias = "_npi_take",
        MX_ATTRS(take_attrs, struct take),
        .inputs = "a indices:exact",
        .infer = infer_take,
        .lower = lower_take,
    },
    MX_OPS_END,
};
