/* Products of integers that wrap around. */
#ifndef OPS_WRAPPED_PRODUCT_H
#define OPS_WRAPPED_PRODUCT_H

#include "onnx/builder/build.h"

/* The product of integers over axes, which wraps around as MXNet's does, where a runtime's ReduceProd saturates. */
ox_val ox_wrapped_product(struct ox_build *b, ox_val x, struct mx_axes axes, bool keepdims);

#endif
