/* SequenceMask, SequenceLast, SequenceReverse: sequences of different lengths in one batch (src/operator/sequence_mask-inl.h,
 * sequence_last-inl.h, sequence_reverse-inl.h). Lengths can be of any type and are truncated. */
#include "op/op.h"

struct sequence {
    bool use_sequence_length;
    double value;
    int64_t axis;
};

static const struct mx_attr attrs[] = {
    MX_BOOL(struct sequence, use_sequence_length, "False"),
    MX_AXIS(struct sequence, axis, "0"),
};
static const struct mx_attr mask_attrs[] = {
    MX_BOOL(struct sequence, use_sequence_length, "False"),
    MX_FLOAT(struct sequence, value, "0"),
    MX_AXIS(struct sequence, axis, "0"),
};

/* Data are (time, batch, ...), or with axis 1, which not every operator has, (batch, time, ...), and the lengths (batch). */
static int infer_data(struct mx_infer *c, struct mx_shape *s)
{
    const struct sequence *a = c->attrs;
    const int last_axis = c->node->op->which;
    MX_TRY(mx_same_dtype(c, 0, 0));
    if (a->axis < 0 || a->axis > last_axis) {
        return mx_infer_fail(c, "axis", MX_SUBJECT "is %lld, but the time axis must be 0%s", (long long)a->axis,
                             last_axis > 0 ? " or 1" : "");
    }
    MX_TRY(mx_input_at_least(c, 0, 2, s));
    return a->use_sequence_length ? mx_input_is_dims(c, 1, &s->dims[1 - a->axis], 1) : MX_OK;
}

/* Lengths without a known type get that of the data. */
static int length_type(struct mx_infer *c)
{
    const bool open = c->node->n_in == 2 && mx_input_dtype(c, 1) == MX_DTYPE_NONE;
    return open ? mx_input_dtype_is(c, 1, mx_input_dtype(c, 0)) : MX_OK;
}

static int infer(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_same_shape(c, 0, 0));
    MX_TRY(infer_data(c, &s));
    return length_type(c);
}

/* ---- SequenceMask */

static void lower_mask(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct sequence *a = n->attrs;
    const int rank = ox_rank(b, in[0]), time = (int)a->axis;
    out[0] = in[0];
    if (!a->use_sequence_length) {
        return;
    }
    const bool narrow = ox_dtype(b, in[1]) == MX_INT32 && ox_size_at(b, in[0], time, NULL);
    const enum mx_dtype t = narrow ? MX_INT32 : MX_INT64;
    const ox_val steps = ox_cast(b, ox_range(b, ox_dim_at(b, in[0], time)), t);
    const ox_val within = ox_binary(b, OX_Less, ox_along(b, steps, time, rank), ox_along(b, ox_cast(b, in[1], t), 1 - time, rank));
    const enum mx_dtype own = n->out[0].dtype;
    const ox_val value = ox_scalar(b, mx_dtype_is_float(own) ? own : MX_FLOAT64, a->value);
    out[0] = ox_where(b, within, in[0], ox_cast(b, value, own)); /* values too large for an integer type wrap around */
}

/* ---- SequenceLast */

static int infer_last(struct mx_infer *c)
{
    const struct sequence *a = c->attrs;
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(infer_data(c, &s));
    mx_push_dims(&dims, s.dims, a->axis);
    mx_push_dims(&dims, s.dims + a->axis + 1, s.ndim - a->axis - 1);
    MX_TRY(mx_output_is_dims(c, 0, dims.v, dims.n));
    return length_type(c);
}

static void lower_last(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct sequence *a = n->attrs;
    if (!a->use_sequence_length) {
        out[0] = ox_gather(b, in[0], ox_scalar(b, MX_INT64, -1), (int)a->axis);
        return;
    }
    const ox_val at = ox_sub(b, ox_cast(b, in[1], MX_INT64), ox_scalar(b, MX_INT64, 1));
    const ox_val step = ox_unsqueeze1(b, at, 1);
    if (a->axis == 1) {
        out[0] = ox_node(b, OX_GatherND, OX_IN(in[0], step), OX_ATTRS(OX_I("batch_dims", 1)));
        return;
    }
    const ox_val row = ox_unsqueeze1(b, ox_range(b, ox_dim_at(b, in[0], 1)), 1);
    const ox_val index = ox_concat(b, (const ox_val[]){step, row}, 2, 1);
    out[0] = ox_node(b, OX_GatherND, OX_IN(in[0], index), OX_NO_ATTRS);
}

/* ---- SequenceReverse */

static void lower_reverse(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct sequence *a = n->attrs;
    if (!a->use_sequence_length) {
        out[0] = ox_reverse(b, in[0], &a->axis, 1);
        return;
    }
    out[0] =
        ox_node(b, OX_ReverseSequence, OX_IN(in[0], ox_cast(b, in[1], MX_INT64)), OX_ATTRS(OX_I("batch_axis", 1), OX_I("time_axis", 0)));
}

#define ROW(mx, other_names, table, rule, write, last_axis)                                                                                \
    {                                                                                                                                      \
        .name = (mx), .alias = (other_names), MX_ATTRS(table, struct sequence), .infer = (rule), .lower = (write), .which = (last_axis),   \
        .inputs = "data sequence_length:exact:if(use_sequence_length)",                                                                    \
    }

const struct mx_op mx_ops_sequence[] = {
    ROW("SequenceLast", "_npx_sequence_last", attrs, infer_last, lower_last, 1),
    ROW("SequenceMask", "_npx_sequence_mask", mask_attrs, infer, lower_mask, 1),
    ROW("SequenceReverse", "_npx_sequence_reverse", attrs, infer, lower_reverse, 0),
    MX_OPS_END,
};
