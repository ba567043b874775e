/* What the rules of typing.c and typing_nn.c share: reading a call, setting its outputs. */
#ifndef OX_TYPING_H
#define OX_TYPING_H

#include "onnx/build/internal.h"
#include "onnx/table/rows.h"

static inline struct mx_dims *ox_t(const struct ox_call *c)
{
    return c->b->model->dims;
}

/* Shape of input i; rank -1 if it was left out or is not known. */
struct mx_shape ox_in_shape(const struct ox_call *c, int i);
int ox_axis_of(const struct ox_call *c, int64_t missing,
               int ndim); /* attribute "axis" in 0..ndim-1; -1: out of it */
void ox_set(struct ox_call *c, int i, const mx_dim *dims, int ndim);
mx_dim ox_any(const struct ox_call *c); /* an unknown */
/* n unknown dims. */
void ox_set_open(struct ox_call *c, int i, int ndim);
int64_t ox_int_at(const struct ox_call *c, const char *attr, int i,
                  int64_t missing); /* element of an INTS */
bool ox_in_ints(const struct ox_call *c, int i, int64_t *out,
                int *n); /* input i as known numbers, MX_MAX_RANK at most */
bool ox_in_int(const struct ox_call *c, int i, int64_t *out); /* as one number */

#endif
