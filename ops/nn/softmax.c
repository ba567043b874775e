/* softmax, log_softmax and softmin, and masked versions of the first two (src/operator/nn/softmax-inl.h). */
#include <math.h>

#include "op/op.h"

struct softmax {
    int64_t axis;
    struct mx_opt_float temperature;
    enum mx_dtype dtype;
    struct mx_opt_bool use_length;
};

static const struct mx_attr attrs[] = {
    MX_AXIS(struct softmax, axis, "-1"),
    MX_FLOAT_NONE(struct softmax, temperature, "None"),
    MX_DTYPE(struct softmax, dtype, "None"),
    MX_BOOL_NONE(struct softmax, use_length, "False"),
};

/* The differences between the operators. log_softmax and softmin accept use_length, but have no input for it. */
struct variant {
    enum ox_op op;
    bool negate;
};
static const struct variant plain = {OX_Softmax, false}, logarithm = {OX_LogSoftmax, false}, minimum = {OX_Softmax, true};

static ox_val cooled(struct ox_build *b, const struct softmax *a, ox_val x)
{
    return a->temperature.given ? ox_div(b, x, ox_scalar_like(b, x, a->temperature.v)) : x;
}

static int infer_types(struct mx_infer *c)
{
    const struct softmax *a = c->attrs;
    MX_TRY(mx_input_is_float(c, 0, "data"));
    if (a->dtype == MX_DTYPE_NONE) {
        return mx_same_dtype(c, 0, 0);
    }
    return mx_dtype_is_float(a->dtype)
               ? mx_output_dtype_is(c, 0, a->dtype)
               : mx_infer_fail(c, "dtype", MX_SUBJECT "is %s, but the result is a float type" MX_HELP "set float16, float32 or float64",
                               mx_dtype_name(a->dtype));
}

static int infer(struct mx_infer *c)
{
    const struct softmax *a = c->attrs;
    struct mx_shape x;
    int axis;
    c->needs_rank = c->node->n_in == 2 || a->axis != -1;
    MX_TRY(infer_types(c));
    MX_TRY(mx_same_shape(c, 0, 0));
    MX_TRY(mx_input(c, 0, &x));
    if (x.ndim == 0 && c->node->n_in == 1 && (a->axis == 0 || a->axis == -1)) { /* CheckAxis of broadcast_reduce_op.h */
        return MX_OK;
    }
    MX_TRY(mx_axis(c, a->axis, x.ndim, "axis", &axis));
    if (c->node->n_in == 2) { /* the data's shape without the axis; for a vector, (1) */
        const struct mx_dim_list length = mx_reduced(c, x, mx_one_axis(axis), false);
        MX_TRY(mx_input_is_dims(c, 1, length.v, length.n));
    }
    return MX_OK;
}

/* The length in the form with which cells are compared along the axis: in its own type if that costs no node, and once where it is the
 * same for many cells (the heads of an attention). */
static ox_val limit_of(struct ox_build *b, ox_val x, ox_val length, int axis)
{
    const ox_val limit = ox_rank(b, x) > 1 ? ox_unsqueeze1(b, length, axis) : length;
    const bool narrow = ox_dtype(b, length) == MX_INT32 && ox_size_at(b, x, axis, NULL);
    return ox_core(b, ox_cast(b, limit, narrow ? MX_INT32 : MX_INT64));
}

/* Only the first `length` cells count; the others become 0, as do all if the length is 0. Anything that depends on the lengths alone is
 * computed once for all layers of a transformer, and the cells then pass through a Min and a Mul: two Where would take ONNX Runtime more
 * than twice as long. If the length is 0 the cells stay finite, so that the Mul gives 0. */
static ox_val masked(struct ox_build *b, ox_val x, ox_val length, int axis)
{
    const ox_val limit = limit_of(b, x, length, axis);
    const ox_val position = ox_along(b, ox_range(b, ox_dim_at(b, x, axis)), axis, ox_rank(b, x));
    const ox_val valid = ox_binary(b, OX_Less, ox_cast(b, position, ox_dtype(b, limit)), limit);
    const ox_val some = ox_binary(b, OX_Less, ox_scalar_like(b, limit, 0), limit);
    const ox_val after = ox_where(b, some, ox_scalar_like(b, x, (double)-INFINITY), ox_scalar_like(b, x, 0));
    const ox_val most = ox_where(b, valid, ox_scalar_like(b, x, (double)INFINITY), after);
    const ox_val share = ox_softmax(b, OX_Softmax, ox_binary(b, OX_Min, x, most), axis);
    return ox_mul(b, share, ox_cast(b, some, ox_dtype(b, x)));
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct softmax *a = n->attrs;
    const struct variant *v = n->op->data;
    const int rank = ox_rank(b, in[0]), axis = rank < 0 ? (int)a->axis : (int)mx_wrap(a->axis, rank);
    const enum mx_dtype given = ox_dtype(b, in[0]), wanted = a->dtype == MX_DTYPE_NONE ? given : a->dtype;
    ox_val x = in[0];
    if (mx_dtype_size(wanted) > mx_dtype_size(given)) {
        x = ox_cast(b, x, wanted); /* before precision is lost */
    }
    x = cooled(b, a, v->negate ? ox_unary(b, OX_Neg, x) : x);
    x = n->n_in == 2 ? masked(b, x, in[1], axis) : ox_softmax(b, v->op, x, axis);
    out[0] = ox_cast(b, x, wanted);
}

/* ---- masked_softmax, masked_log_softmax: cells where the mask is false do not count */

static const struct mx_attr masked_attrs[] = {
    MX_AXIS(struct softmax, axis, "-1"),
    MX_FLOAT_NONE(struct softmax, temperature, "None"),
    MX_IGNORED("normalize"),                            /* subtract the maximum first: the result is the same */
};

static int infer_masked(struct mx_infer *c)
{
    const struct softmax *a = c->attrs;
    struct mx_shape x, mask;
    int axis;
    MX_TRY(mx_input_is_float(c, 0, "data"));
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input_dtype_is(c, 1, MX_BOOL));
    MX_TRY(mx_same_shape(c, 0, 0));
    MX_TRY(mx_input(c, 0, &x));
    MX_TRY(mx_axis(c, a->axis, x.ndim, "axis", &axis));
    MX_TRY(mx_input_rank(c, 1, x.ndim, &mask));
    for (int i = 0; i < x.ndim; i++) {
        MX_TRY(mx_stretch(c, mask.dims[i], x.dims[i]));
    }
    return MX_OK;
}

static void lower_masked(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct softmax *a = n->attrs;
    const struct variant *v = n->op->data;
    const int axis = (int)mx_wrap(a->axis, ox_rank(b, in[0]));
    const ox_val lowest = ox_scalar_like(b, in[0], (double)-INFINITY);
    const ox_val x = ox_softmax(b, v->op, ox_where(b, in[1], cooled(b, a, in[0]), lowest), axis);
    out[0] = ox_where(b, in[1], x, v == &logarithm ? lowest : ox_scalar_like(b, x, 0));
}

#define MASKED(mx, other_name, kind, text)                                                                                                 \
    {                                                                                                                                      \
        .name = (mx), .alias = (other_name), MX_ATTRS(masked_attrs, struct softmax), .inputs = "data mask", .infer = infer_masked,         \
        .lower = lower_masked, .data = &(kind), .single = true, .differs = (text),                                                         \
    }

#define ROW(...)                                                                                                                           \
    {                                                                                                                                      \
        MX_ATTRS(attrs, struct softmax), .single = true, .any_rank = true, .infer = infer, .lower = lower, __VA_ARGS__                     \
    }

const struct mx_op mx_ops_softmax[] = {
    ROW(.name = "softmax", .alias = "_npx_softmax", .inputs = "data length:if(use_length)", .data = &plain,
        .differs = "use_length, and NaN after the length: the row is NaN; MXNet does not read these values.\n"
                   "use_length, a length of 0, and -infinity in the whole row: the row is NaN; MXNet's is 0."),
    ROW(.name = "log_softmax", .alias = "_npx_log_softmax", .data = &logarithm),
    ROW(.name = "softmin", .data = &minimum),
    MASKED("masked_softmax", "_npx_masked_softmax", plain,
           "Rows without an element that is not masked, and temperature below 1: the result is 0; MXNet's is NaN."),
    MASKED("masked_log_softmax", "_npx_masked_log_softmax", logarithm, NULL),
    MX_OPS_END,
};
