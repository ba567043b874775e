/* Everything that the library knows of opsets: which ONNX operator exists since when, what moved from attribute to
 * input, which element types have a kernel in ONNX Runtime's CPU provider. Nothing outside lib/onnx asks. */
#ifndef OX_OPSET_H
#define OX_OPSET_H

#include <stdbool.h>

#include "graph/dtype.h"

/* The first opset of the default domain with this operator; 0 if we never write it. */
int ox_opset_since(const char *op_type);
/* The opset at which `argument` of op_type became an input; before, it is an attribute. 0: always an input. */
int ox_opset_input_since(const char *op_type, const char *argument);
/* The smallest IR version for a model of this opset (onnx-opsets.md 1). */
int ox_opset_ir_version(int opset);

/* The type in which a node of op_type must run when its data has type t, at this opset: t itself where a kernel
 * exists, else the type to cast to (and back). */
enum mx_dtype ox_kernel_dtype(const char *op_type, enum mx_dtype t, int opset);

#endif
