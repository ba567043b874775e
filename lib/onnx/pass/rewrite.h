/* What the passes over a finished graph share (fuse, merge_products, batch_norm, scale). The readers of each value are
 * counted by then; a pass marks what it takes away, and ox_drop_dead removes it. */
#ifndef OX_REWRITE_H
#define OX_REWRITE_H

#include "onnx/build/internal.h"
#include "onnx/pass/pass.h"

/* The node of g that makes x for one reader alone; NULL if there is none. */
struct ox_node *ox_only_maker(const struct ox_model *m, const struct ox_graph *g, ox_val x);
/* The tensor of an initialiser of float32; NULL if x is none. */
const struct ox_tensor *ox_float_tensor(const struct ox_model *m, ox_val x);

/* n goes, and its only output with it. */
void ox_take_out(struct ox_model *m, struct ox_node *n);
/* x has one reader less; a constant that nothing reads goes. */
void ox_unread(struct ox_model *m, ox_val x);
/* A tensor of these bytes, which are not copied; NULL when memory runs out. */
const struct ox_tensor *ox_bytes_tensor(struct ox_model *m, enum mx_dtype t, const int64_t *dims, int ndim,
                                        const void *bytes);
/* A new initialiser with one reader. */
int ox_add_constant(struct ox_model *m, const struct ox_tensor *t, ox_val *out) MX_MUST_USE;

/* ---- convolutions, transposed ones too */

enum { OX_CONV_WEIGHT = 1, OX_CONV_BIAS = 2 }; /* inputs */
bool ox_is_conv(const struct ox_node *n);
ox_val ox_conv_bias(const struct ox_node *conv); /* OX_NONE: without */
/* Puts n factors, one for all or one for each channel of its inputs or outputs, where they go in rows->of, the weight.
 * False if there are not as many channels. */
bool ox_conv_rows(const struct ox_node *conv, bool of_inputs, int64_t n, struct ox_rows *rows);
/* The tensor rows->of, multiplied while it is written; NULL when memory runs out. */
const struct ox_tensor *ox_scaled_tensor(struct ox_model *m, struct ox_rows rows);
/* A factor beyond this, or below its inverse, may leave the range of float32 where two steps do not. */
#define OX_LARGEST_FACTOR 1e9

#endif
