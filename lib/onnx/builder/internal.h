/* What the files of the builder share, and the passes use. ops/ includes build.h only. */
#ifndef OX_BUILD_INTERNAL_H
#define OX_BUILD_INTERNAL_H

#include "onnx/builder/build.h"
#include "onnx/rules/rules.h"
#include "onnx/values/state.h"

/* emit.c. The node itself, without the simplifications of ox_node; inputs of a fixed type must have it. */
ox_val ox_emit(struct ox_build *b, enum ox_op op, const ox_val *in, const struct ox_attr *attrs);
void ox_emit_call(struct ox_call *c, ox_val *out);

/* simplify.c: calls that need no node. True: out is filled, or the builder has failed. */
bool ox_simplify(struct ox_call *c, ox_val *out);

/* reuse.c: the bytes of an attribute's value, or of what it points to; of a list of texts its length. */
const void *ox_attr_bytes(const struct ox_attr *a, size_t *size);
/* True if these are the call's attributes. */
bool ox_same_attrs(const struct ox_call *c, const struct ox_attr *attrs);
/* reuse.c: True if an equal node was written: out is filled. Otherwise ox_may_reuse is called with the new node's first output. */
bool ox_reuse(struct ox_call *c, ox_val *out);
void ox_may_reuse(struct ox_call *c, ox_val out);

/* turn.c. ox_turned: a Transpose of x, or the Reshape that does the same. ox_turned_back: the value whose Transpose is x; x may lack its
 * leading axes of size 1. */
ox_val ox_turned(struct ox_build *b, ox_val x, const int64_t *perm, int n);
ox_val ox_turned_back(struct ox_build *b, ox_val x, const int64_t *perm, int n);

/* reduce.c: true for reductions that return a single element unchanged. */
bool ox_gives_the_one(enum ox_op op);

/* product.c: the product of two constant matrices, computed when it is written. True: *out is the product. */
bool ox_fold_product(struct ox_call *c, ox_val *out);

/* broadcast.c: replaces operands that repeat a smaller value, if broadcasting repeats it anyway. */
void ox_shrink_operands(struct ox_call *c);
/* Arithmetic on constants with equal elements only. True: *out is the result. */
bool ox_fold_spread(struct ox_call *c, ox_val *out);
bool ox_is_one_number(struct ox_build *b, ox_val x); /* a constant */

bool ox_dim_readable(struct ox_build *b, mx_dim d); /* true if ox_dim can write it */

#endif
