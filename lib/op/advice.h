/* Help for messages of inference: the shape that an input of the model should have. Each appends a text, "... mx2onnx_set_input_shape:
 * data=1x3x224x224", or nothing if it has no advice. */
#ifndef MX_OP_ADVICE_H
#define MX_OP_ADVICE_H

#include "base/str.h"
#include "op/infer.h"

/* A parameter does not fit: the usual cause is the size of the data before it. */
#define MX_ADVICE_OTHER_MODEL "set the input shape that the model was trained with, or load the parameters of this model"

/* Sizes of the data differ. */
void mx_advise_shapes(const struct mx_infer *c, struct mx_str *out);
/* The node's input i has one dimension less than the `ndim` that it needs: it may be an example without a batch. */
void mx_advise_batch(const struct mx_infer *c, int i, int ndim, struct mx_str *out);
/* The channels of a convolution's data are not those of its weight: the sizes of the input may be in another order. */
void mx_advise_order(const struct mx_infer *c, struct mx_str *out);
/* Two shapes differ on axis 0 by the size of the batch: a part of the net is for one example. */
void mx_advise_one_example(const struct mx_infer *c, struct mx_shape a, struct mx_shape b, struct mx_str *out);
/* A dim that is known at run time only must be this number: the names in it have a certain size. */
void mx_advise_size(const struct mx_infer *c, mx_dim open, int64_t number, struct mx_str *out);

/* The input of the model that a node of `ndim` dimensions is, or was made of by nodes of one input that keep the rank: (data - 127.5) *
 * 0.0078125. NULL: there is none. */
const struct mx_node *mx_input_of(const struct mx_node *node, int ndim);

#endif
