/* The passes: from what the builder left to what is written. passes.c has their order. */
#ifndef OX_PASS_H
#define OX_PASS_H

#include "onnx/ir/ir.h"

/* What holds of a graph after a pass; check.c asks. */
enum {
    OX_COUNTED = 1, /* uses are true, and nothing dead is left or read */
    OX_ORDERED = 2, /* values are made before they are read */
    OX_NAMED = 4,   /* every value and node has a name */
};
int ox_check(const struct ox_model *m, unsigned what) MX_MUST_USE; /* INTERNAL with a message */

/* Runs all passes. `weights`: weights may change. `trace`: the graph after each pass is logged, at level 3. */
int ox_run_passes(struct ox_model *m, bool weights, bool trace) MX_MUST_USE;

typedef int ox_pass(struct ox_model *m);
ox_pass ox_finish;           /* what nothing reads goes, heads become outputs of their own */
ox_pass ox_split_products;   /* a product that is moved and split becomes one for each part */
ox_pass ox_join_transposes;  /* two Transposes with a Reshape between them become one */
ox_pass ox_fuse;             /* two nodes that one does as well become one */
ox_pass ox_merge_products;   /* small products of one value become one */
ox_pass ox_fold_batch_norms; /* BatchNormalization after a convolution goes into its weights */
ox_pass ox_fold_scales;      /* numbers that multiply what a convolution reads or gives go into its weights */
ox_pass ox_sign_levels;      /* quantised values become int8, where the target asks for it */
ox_pass ox_legalise;         /* the newest form of each node becomes that of the opset, in types that have kernels */
ox_pass ox_order;            /* nodes and values in an order that depends on the graph alone */
ox_pass ox_names;            /* unique names for values and nodes */

/* finish.c: counts reads again, and takes out what nothing reads. */
int ox_count_reads(struct ox_model *m) MX_MUST_USE;

#endif
