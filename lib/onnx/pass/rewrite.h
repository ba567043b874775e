/* Declarations shared by passes over a finished graph. The readers of each value have been counted and stay so (ox_set_inputs);
 * ox_drop_dead removes what a pass no longer needs. Nodes may be in any order until ox_order: a pass adds its own at the end. */
#ifndef OX_REWRITE_H
#define OX_REWRITE_H

#include "onnx/builder/internal.h"
#include "onnx/pass/pass.h"

/* Calls fn with a builder, which adds new nodes after the graph's nodes (order.c). */
typedef int ox_builder_fn(struct ox_build *b, void *user);
int ox_with_builder(struct ox_model *m, ox_builder_fn *fn, void *user) MX_MUST_USE;
/* Rewrites one node. */
typedef int ox_rewrite_fn(struct ox_build *b, struct ox_node *n, void *user, bool *changed);
/* Calls it for each node that the main graph has at the start; counts reads again if something changed. */
int ox_rewrite_nodes(struct ox_model *m, ox_rewrite_fn *rewrite, void *user) MX_MUST_USE;

/* Nodes of the main graph whose first input is one value, in the order of the graph: two or more. */
typedef int ox_siblings_fn(struct ox_model *m, struct ox_node **nodes, int n, void *user);
typedef bool ox_is_fn(const struct ox_model *m, const struct ox_node *n);
/* Calls fn for those with `is` of each value, and removes what it leaves dead. */
int ox_each_siblings(struct ox_model *m, ox_is_fn *is, ox_siblings_fn *fn, void *user) MX_MUST_USE;

/* The node of g that produces x, which a node reads, if nothing else does (an output counts as a reader); otherwise NULL. */
struct ox_node *ox_only_maker(const struct ox_model *m, const struct ox_graph *g, ox_val x);
/* The permutation of a Transpose of a value whose rank is known; NULL for other nodes. */
const int64_t *ox_perm_of(const struct ox_model *m, const struct ox_node *n);
/* True for the node by which the caller has an input's channels reversed. */
bool ox_reverses_channels(const struct ox_node *n);
/* The tensor of a float32 initialiser; NULL if x is not one. */
const struct ox_tensor *ox_float_tensor(const struct ox_model *m, ox_val x);

/* A tensor with these bytes, which are not copied; NULL when memory runs out. */
const struct ox_tensor *ox_bytes_tensor(struct ox_model *m, enum mx_dtype t, const int64_t *dims, int ndim, const void *bytes);
/* Changes one input, as ox_set_inputs does. */
int ox_set_input(struct ox_model *m, struct ox_node *n, int k, ox_val x) MX_MUST_USE;
/* A new initialiser, which nothing reads yet. */
int ox_add_constant(struct ox_model *m, const struct ox_tensor *t, ox_val *out) MX_MUST_USE;

/* The parts of a Split. */
struct ox_parts {
    const struct mx_node *from;
    int axis, n;
    int64_t *sizes;  /* of each part along the axis; copied, as the next one */
    ox_val *results; /* values that the Split produces */
};
int ox_write_split(struct ox_model *m, ox_val x, const struct ox_parts *p) MX_MUST_USE;

/* ---- convolutions, including transposed ones */

enum { OX_CONV_WEIGHT = 1, OX_CONV_BIAS = 2 }; /* inputs */
bool ox_is_conv(const struct ox_node *n);
ox_val ox_conv_bias(const struct ox_node *conv); /* OX_NONE: without */
/* Assigns n factors (one for all channels, or one for each input or output channel) to the rows of rows->of, the weight. False if their
 * number does not match the channels. */
bool ox_conv_rows(const struct ox_node *conv, bool of_inputs, int64_t n, struct ox_rows *rows);
/* The tensor rows->of, multiplied when it is written; NULL when memory runs out. */
const struct ox_tensor *ox_scaled_tensor(struct ox_model *m, struct ox_rows rows);
/* True if reading the tensor takes as many calls, one within the other, as a small stack should have. */
bool ox_is_deep(const struct ox_tensor *t);
/* A larger factor, or one below the inverse, may exceed the range of float32 where two steps do not. */
#define OX_LARGEST_FACTOR 1e9

#endif
