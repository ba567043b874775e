/* Local response normalisation across channels (src/operator/nn/lrn-inl.h). */
#include "op/op.h"

struct lrn {
    double alpha, beta, knorm;
    int64_t nsize;
};

static const struct mx_attr attrs[] = {
    MX_FLOAT(struct lrn, alpha, "0.0001"),
    MX_FLOAT(struct lrn, beta, "0.75"),
    MX_FLOAT(struct lrn, knorm, "2"),
    MX_COUNT(struct lrn, nsize, NULL),
};

static int infer(struct mx_infer *c)
{
    const struct lrn *a = c->attrs;
    struct mx_shape x;
    MX_TRY(mx_positive(c, "nsize", a->nsize));
    MX_TRY(mx_input_rank(c, 0, 4, &x));
    return mx_infer_same(c);
}

/* alpha is divided by the window, as in ONNX. An even window covers one channel less (oneDNN; MXNet's own kernel refuses it) but the
 * divisor is its full length. */
static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct lrn *a = n->attrs;
    const int64_t size = a->nsize % 2 ? a->nsize : a->nsize - 1;
    const double alpha = a->alpha * (double)size / (double)a->nsize;
    out[0] =
        ox_node(b, OX_LRN, OX_IN(in[0]), OX_ATTRS(OX_F("alpha", alpha), OX_F("beta", a->beta), OX_F("bias", a->knorm), OX_I("size", size)));
}

const struct mx_op mx_ops_lrn[] = {
    {.name = "LRN", .single = true, MX_ATTRS(attrs, struct lrn), .infer = infer, .lower = lower},
    MX_OPS_END,
};
