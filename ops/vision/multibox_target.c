/* MultiBoxTarget: the training targets of an SSD (src/operator/contrib/multibox_target.cc). Saved training symbols contain it next to
 * the detection head. */
#include "op/op.h"

const struct mx_op mx_ops_multibox_target[] = {
    {
        .name = "_contrib_MultiBoxTarget",
        .positions = true,
        .alias = "MultiBoxTarget _npx_multibox_target",
        MX_IGNORED_ATTRS("overlap_threshold ignore_label negative_mining_ratio negative_mining_thresh minimum_negative_samples variances"),
        .inputs = "anchor label cls_pred",
        .outputs = "loc_target loc_mask cls_target",
        .training_only = true,
    },
    MX_OPS_END,
};
