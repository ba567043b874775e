/* Dropout: nothing at inference, unless mode says "always" (src/operator/nn/dropout-inl.h). */
#include "op/op.h"

struct dropout {
    double p;
    int mode;
    struct mx_tuple axes;
};

enum { TRAINING, ALWAYS };
static const char *const modes[] = {"training", "always", NULL};

static const struct mx_attr attrs[] = {
    MX_FLOAT(struct dropout, p, "0.5"),
    MX_ENUM(struct dropout, mode, "training", modes),
    MX_AXES_NONE(struct dropout, axes, "()"),
    MX_IGNORED("cudnn_off"),
};

static int infer(struct mx_infer *c)
{
    const struct dropout *a = c->attrs;
    MX_TRY(mx_fraction(c, "p", a->p));
    c->needs_rank = a->mode != TRAINING && a->axes.n > 0;
    MX_TRY(mx_infer_same(c));
    MX_TRY(mx_input_is_float(c, 0, "data"));
    for (int i = 0; i < a->axes.n; i++) {
        int axis;
        MX_TRY(mx_axis(c, a->axes.v[i], mx_output(c, 0).ndim, "axes", &axis));
    }
    return MX_OK;
}

/* ONNX Runtime's EliminateDropout removes the node, whatever its training_mode, unless its mask is read. */
static ox_val drop(struct ox_build *b, ox_val x, double p)
{
    enum { KEPT, MASK };
    ox_val y[2];
    const ox_val ratio = ox_float32(b, p), training_mode = ox_scalar(b, MX_BOOL, 1);
    ox_node_n(b, OX_Dropout, OX_IN(x, ratio, training_mode), OX_NO_ATTRS, y, 2);
    return ox_where(b, y[MASK], y[KEPT], ox_scalar_like(b, x, 0));
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct dropout *a = n->attrs;
    if (a->mode == TRAINING || a->p == 0) {
        out[0] = in[0];
    } else if (a->axes.n < 1) {
        out[0] = drop(b, in[0], a->p);
    } else { /* one mask, shared along these axes: dropout is applied to ones of the shape that has 1 there */
        const struct mx_shape x = ox_shape(b, in[0]);
        struct mx_dim_list dims = ox_no_dims(b);
        mx_push_dims(&dims, x.dims, x.ndim);
        for (int i = 0; i < a->axes.n; i++) {
            mx_put_dim(&dims, mx_wrap(a->axes.v[i], x.ndim), mx_dim_of(1));
        }
        const ox_val ones = ox_fill(b, ox_dtype(b, in[0]), mx_list_shape(&dims), 1);
        out[0] = ox_mul(b, in[0], drop(b, ones, a->p));
    }
}

const struct mx_op mx_ops_dropout[] = {
    {
        .name = "Dropout",
        .alias = "_npx_dropout",
        MX_ATTRS(attrs, struct dropout),
        .infer = infer,
        .lower = lower,
        .any_rank = true,
        .differs = "mode=\"always\": which elements are dropped is random, and differs from MXNet's choice.",
    },
    MX_OPS_END,
};
