/* Operators whose result at inference is their first input. */
#include "op/op.h"

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    out[0] = in[0];
}

#define ROW(mx, other_names, ...)                                                                                                          \
    {                                                                                                                                      \
        .name = (mx), .alias = (other_names), .infer = mx_infer_same, .lower = lower, .any_rank = true, __VA_ARGS__                        \
    }

const struct mx_op mx_ops_identity[] = {
    ROW("BlockGrad", "_sparse_stop_gradient stop_gradient _npx_stop_gradient", .inputs = NULL),
    ROW("_CrossDeviceCopy", NULL, .inputs = NULL),
    ROW("_contrib_gradientmultiplier", NULL, MX_IGNORED_ATTRS("scalar is_int")),
    ROW("_copy", "_np_copy identity _npi_copy", .inputs = NULL),
    ROW("_copyto", "_npi_copyto", .inputs = NULL),
    ROW("_identity_with_attr_like_rhs", NULL, .inputs = "lhs rhs"),
    /* Sparse storage only changes how the numbers are stored. */
    ROW("cast_storage", "_sparse_cast_storage", MX_IGNORED_ATTRS("stype")),
    MX_OPS_END,
};
