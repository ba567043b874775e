/* The passes, which turn the graph that the builder made into the one that is written. passes.c has their order. */
#ifndef OX_PASS_H
#define OX_PASS_H

#include "onnx/ir/ir.h"

/* What is true of a graph after a pass; check.c verifies it. */
enum {
    OX_COUNTED = 1, /* use counts are right, and nothing dead is left or read */
    OX_ORDERED = 2, /* values are produced before they are read */
    OX_NAMED = 4,   /* every value and node has a name */
};
int ox_check(const struct ox_model *m, unsigned what) MX_MUST_USE; /* INTERNAL with a message */

/* Runs all passes. `weights`: weights may change. `trace`: the graph after each pass is logged, with the severity DEBUG. */
int ox_run_passes(struct ox_model *m, bool weights, bool trace) MX_MUST_USE;

typedef int ox_pass(struct ox_model *m);
ox_pass ox_finish;           /* removes what nothing reads, gives each head its own output */
ox_pass ox_note_inputs;      /* notes what is done to an input before a convolution */
ox_pass ox_choose_layouts;   /* computes groups of nodes over transposed data where that needs fewer Transposes */
ox_pass ox_split_products;   /* splits a product whose result is moved and split into one product for each part */
ox_pass ox_join_transposes;  /* writes Reshapes and Transposes one after the other with the fewest nodes */
ox_pass ox_join_concats;     /* makes a Concat that only Concats read part of them */
ox_pass ox_join_slices;      /* replaces Slices that divide an axis among them by one Split */
ox_pass ox_fuse;             /* replaces two nodes by one that does the same */
ox_pass ox_merge_products;   /* merges small products of the same value */
ox_pass ox_fold_batch_norms; /* merges BatchNormalization after a convolution into its weights */
ox_pass ox_fold_scales;      /* merges constant factors of a convolution's input or output into its weights */
ox_pass ox_sign_levels;      /* makes quantised values int8, if the target needs that */
ox_pass ox_tie_weights;      /* writes a weight once that is read both as it is and transposed */
ox_pass ox_legalise;         /* rewrites nodes from their newest form to that of the opset, in types that have kernels */
ox_pass ox_order;            /* puts nodes and values into an order that depends on the graph alone */
ox_pass ox_names;            /* gives values and nodes unique names */

/* finish.c: counts reads again, and removes what nothing reads. */
int ox_count_reads(struct ox_model *m) MX_MUST_USE;

#endif
