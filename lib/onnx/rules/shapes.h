/* Declarations shared by the rules in shapes.c, nn_shapes.c and index_shapes.c: reading a call, setting its outputs. */
#ifndef OX_TYPING_H
#define OX_TYPING_H

#include "onnx/rules/rows.h"

static inline struct mx_dims *ox_t(const struct ox_call *c)
{
    return c->b->model->dims;
}

/* The shape of input i; rank -1 if it is absent or unknown. */
struct mx_shape ox_in_shape(const struct ox_call *c, int i);
int ox_axis_of(const struct ox_call *c, int64_t missing, int ndim);  /* attribute "axis" as 0..ndim-1; -1 if out of range */
void ox_set(struct ox_call *c, int i, const mx_dim *dims, int ndim); /* ndim < 0: unknown */
mx_dim ox_any(const struct ox_call *c);                              /* an unknown */
/* n unknown dims. */
void ox_set_open(struct ox_call *c, int i, int ndim);
/* s with another size on an axis. */
void ox_set_axis(struct ox_call *c, int i, struct mx_shape s, int axis, mx_dim size);
/* s without these axes, or with the size 1 there. */
void ox_set_reduced(struct ox_call *c, struct mx_shape s, struct mx_axes axes, bool keep);
/* The sizes in input i, or as many unknown ones as it has elements. */
void ox_set_sizes(struct ox_call *c, int i);
/* What broadcasting s to these dims gives. */
void ox_join(struct mx_dims *t, struct mx_dim_list *dims, struct mx_shape s);
/* The part of its input's shape that a Shape reads, if the rank is known. */
struct mx_shape ox_shape_part(const struct ox_call *c);
/* The two sizes of a Flatten; false if they are not known. */
bool ox_flat_dims(const struct ox_call *c, mx_dim *dims);
/* True if pads are chosen for the size of the input, divided or, when transposed, multiplied by the stride. */
bool ox_pads_to_same(const struct ox_call *c);
int64_t ox_int_at(const struct ox_call *c, const char *attr, int i, int64_t missing); /* element of an INTS */
bool ox_in_ints(const struct ox_call *c, int i, struct mx_int_list *out);             /* input i as constant numbers, at most MX_MAX_RANK */
bool ox_in_int(const struct ox_call *c, int i, int64_t *out);                         /* as a single number */

#endif
