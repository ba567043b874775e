/* Cast, and the casts that automatic mixed precision adds to a graph. */
#include "op/op.h"

struct cast {
    enum mx_dtype dtype;
};

static const struct mx_attr cast_attrs[] = {MX_DTYPE(struct cast, dtype, NULL)};

/* amp_cast.h converts these types only; other types, including float64, pass unchanged. */
static bool amp_type(enum mx_dtype t)
{
    return t == MX_FLOAT32 || t == MX_FLOAT16 || t == MX_BFLOAT16;
}

enum { AMP = 1 };

static int infer(struct mx_infer *c)
{
    const struct cast *a = c->attrs;
    const enum mx_dtype t = mx_input_dtype(c, 0);
    MX_TRY(mx_check_dtype(c, a->dtype));
    MX_TRY(mx_output_dtype_is(c, 0, c->node->op->which == AMP && !amp_type(t) ? t : a->dtype));
    return mx_same_shape(c, 0, 0);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    for (int i = 0; i < n->n_out; i++) {
        out[i] = ox_cast(b, in[i], n->out[i].dtype);
    }
}

/* ---- amp_multicast */

struct multicast {
    int64_t num_outputs;
    bool cast_narrow;
};

static const struct mx_attr multicast_attrs[] = {
    MX_COUNT(struct multicast, num_outputs, NULL),
    MX_BOOL(struct multicast, cast_narrow, "False"),
};

/* AMPMultiCastType in amp_cast.h: float32 if any input is; with `cast_narrow`, float16 or bfloat16 if any is. */
static enum mx_dtype common_type(struct mx_infer *c)
{
    const struct multicast *a = c->attrs;
    enum mx_dtype found = a->cast_narrow ? MX_FLOAT32 : mx_input_dtype(c, 0);
    for (int i = 0; i < c->node->n_in; i++) {
        const enum mx_dtype t = mx_input_dtype(c, i);
        if (a->cast_narrow ? t == MX_FLOAT16 || t == MX_BFLOAT16 : t == MX_FLOAT32) {
            found = t;
        }
    }
    return found;
}

static int infer_multicast(struct mx_infer *c)
{
    int later = MX_OK;
    for (int i = 0; i < c->node->n_in; i++) {
        const int status = mx_same_shape(c, i, i);
        if (status < 0) {
            return status;
        }
        later = status == MX_LATER ? status : later;
    }
    MX_TRY(mx_inputs_typed(c));
    const enum mx_dtype common = common_type(c);
    for (int i = 0; i < c->node->n_in; i++) {
        const enum mx_dtype t = mx_input_dtype(c, i);
        MX_TRY(mx_output_dtype_is(c, i, amp_type(t) ? common : t));
    }
    return later;
}

const struct mx_op mx_ops_cast[] = {
    {
        .name = "Cast",
        .alias = "_npi_cast _npx_cast cast",
        MX_ATTRS(cast_attrs, struct cast),
        .infer = infer,
        .lower = lower,
        .any_rank = true,
        .differs =
            "A number outside of the range of an integer dtype, or NaN: the result depends on the runtime, and MXNet's on the processor.",
    },
    {
        .name = "amp_cast",
        .alias = "_npi_amp_cast",
        MX_ATTRS(cast_attrs, struct cast),
        .infer = infer,
        .lower = lower,
        .which = AMP,
        .any_rank = true,
    },
    {
        .name = "amp_multicast",
        .alias = "_npi_amp_multicast",
        MX_ATTRS(multicast_attrs, struct multicast),
        .inputs = "data...:count(num_outputs)",
        .outputs = "output...:count(num_outputs)",
        .infer = infer_multicast,
        .lower = lower,
    },
    MX_OPS_END,
};
