/* Output heads without their training part, which leaves the data or its sigmoid (src/operator/regression_output.cc, svm_output.cc,
 * make_loss.cc). */
#include "op/op.h"

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

#define HEAD(name_, ignored, lower_, ...)                                                                                                  \
    {                                                                                                                                      \
        .name = (name_), MX_IGNORED_ATTRS(ignored), .inputs = "data label:unread", .infer = infer, .lower = (lower_), __VA_ARGS__          \
    }

const struct mx_op mx_ops_loss[] = {
    HEAD("LinearRegressionOutput", "grad_scale", lower_data, .alias = "_sparse_LinearRegressionOutput"),
    HEAD("LogisticRegressionOutput", "grad_scale", lower_sigmoid, .alias = "_sparse_LogisticRegressionOutput"),
    HEAD("MAERegressionOutput", "grad_scale", lower_data, .alias = "_sparse_MAERegressionOutput"),
    HEAD("SVMOutput", "margin regularization_coefficient use_linear", lower_data, .alias = NULL),
    {.name = "MakeLoss", MX_IGNORED_ATTRS("grad_scale valid_thresh normalization"), .infer = infer, .lower = lower_data, .loss = true},
    {.name = "make_loss", .alias = "_sparse_make_loss", .infer = infer, .lower = lower_data, .loss = true},
    {
        .name = "IdentityAttachKLSparseReg",
        MX_IGNORED_ATTRS("sparseness_target penalty momentum"),
        .inputs = "data moving_avg:aux:unread",
        .infer = infer,
        .lower = lower_data,
    },
    MX_OPS_END,
};
