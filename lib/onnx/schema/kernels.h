/* The element types for which ONNX Runtime's CPU provider has kernels, by operator and opset. */
#ifndef OX_KERNELS_H
#define OX_KERNELS_H

#include "graph/dtype.h"
#include "onnx/schema/op.h"

/* The types that have a kernel, bit 1 << mx_dtype for each. */
struct ox_kernel {
    int first, last; /* opsets; the row after the last has none */
    unsigned types;
    const char *attr, *words; /* only if this attribute is one of these words; NULL: in all other cases */
};
extern const struct ox_kernel *const ox_kernels[OX_OPERATORS]; /* NULL: it runs in every type */

#endif
