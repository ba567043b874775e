/* Output heads without their training part, which leaves the data or its sigmoid (src/operator/regression_output.cc, svm_output.cc,
 * make_loss.cc). */
#include "op/op.h"

static const struct mx_attr regression_attrs[] = {
    MX_IGNORED("grad_scale"),
};

static const struct mx_attr svm_attrs[] = {
    MX_IGNORED("margin regularization_coefficient use_linear"),
};

static const struct mx_attr make_loss_attrs[] = {
    MX_IGNORED("grad_scale valid_thresh normalization"),
};

static const struct mx_attr sparse_reg_attrs[] = {
    MX_IGNORED("sparseness_target penalty momentum"),
};

/* The moving average, if any, is not read, and its shape need not fit anything. */
static int infer(struct mx_infer *c)
{
    MX_TRY(mx_same_dtype(c, 0, 0));
    return mx_same_shape(c, 0, 0);
}

static void lower_data(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    out[0] = in[0];
}

static void lower_sigmoid(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    out[0] = ox_unary(b, OX_Sigmoid, in[0]);
}

#define HEAD(name_, attrs_, lower_, ...)                                                                                                   \
    {                                                                                                                                      \
        .name = (name_), MX_IGNORED_ATTRS(attrs_), .inputs = "data label:unread", .infer = infer, .lower = (lower_), __VA_ARGS__           \
    }

const struct mx_op mx_ops_loss[] = {
    HEAD("LinearRegressionOutput", regression_attrs, lower_data, .alias = "_sparse_LinearRegressionOutput"),
    HEAD("LogisticRegressionOutput", regression_attrs, lower_sigmoid, .alias = "_sparse_LogisticRegressionOutput"),
    HEAD("MAERegressionOutput", regression_attrs, lower_data, .alias = "_sparse_MAERegressionOutput"),
    HEAD("SVMOutput", svm_attrs, lower_data, .alias = NULL),
    {
        .name = "MakeLoss",
        MX_IGNORED_ATTRS(make_loss_attrs),
        .infer = infer,
        .lower = lower_data,
        .loss = true,
    },
    {
        .name = "make_loss",
        .alias = "_sparse_make_loss",
        .infer = infer,
        .lower = lower_data,
        .loss = true,
    },
    {
        .name = "IdentityAttachKLSparseReg",
        MX_IGNORED_ATTRS(sparse_reg_attrs),
        .inputs = "data moving_avg:aux:unread",
        .infer = infer,
        .lower = lower_data,
    },
    MX_OPS_END,
};
