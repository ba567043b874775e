/* Everything that the library knows of opsets: which ONNX operator exists since when, what moved
 * from attribute to input, which element types have a kernel in ONNX Runtime's CPU provider.
 * Nothing outside lib/onnx asks. */
#ifndef OX_OPSET_H
#define OX_OPSET_H

#include <stdbool.h>

#include "graph/dtype.h"

/* The first opset of the default domain with this operator; 0 if we never write it. */
int ox_opset_since(const char *op_type);
/* The opset at which `argument` of op_type became an input; before, it is an attribute. 0: always
 * an input. */
int ox_opset_input_since(const char *op_type, const char *argument);
/* The smallest IR version for a model of this opset (onnx-opsets.md 1). */
int ox_opset_ir_version(int opset);

/* The type in which a node of op_type must run when its data has type t, at this opset: t itself
 * where a kernel exists, else the type to cast to (and back). NONE: there is no kernel at all. */
enum mx_dtype ox_kernel_dtype(const char *op_type, enum mx_dtype t, int opset);

/* How typing.c finds the shapes of an operator's outputs. */
enum ox_rule {
#define OX_RULE_MAP(X)                                                                             \
    X(SAME, same)                                                                                  \
    X(BROADCAST, broadcast) X(CONV, conv) X(CONV_T, conv_transpose) X(POOL, pool) X(               \
        GLOBAL_POOL, global_pool) X(GEMM, gemm) X(MATMUL, matmul) X(REDUCE, reduce) X(ARG, arg)    \
        X(RESHAPE, reshape) X(TRANSPOSE, transpose) X(SQUEEZE, squeeze) X(UNSQUEEZE, unsqueeze)    \
            X(FLATTEN, flatten) X(CONCAT, concat) X(SPLIT, split) X(SLICE, slice)                  \
                X(GATHER, gather) X(LIKE_1, like_1) X(GATHER_ND, gather_nd) X(EXPAND, expand)      \
                    X(TILE, tile) X(PAD, pad) X(RESIZE, resize) X(TOP_K, top_k)                    \
                        X(ONE_HOT, one_hot) X(SHAPE, shape) X(SIZE, size) X(RANGE, range)          \
                            X(NON_ZERO, non_zero) X(EINSUM, einsum) X(RNN, rnn) X(NMS, nms)        \
                                X(ROI, roi) X(GRID_SAMPLE, grid_sample) X(DEFORM, deform)          \
                                    X(COMPRESS, compress) X(OF_SHAPE, of_shape)                    \
                                        X(D2S, depth_to_space) X(S2D, space_to_depth) X(DET, det)  \
                                            X(COL2IM, col2im) X(CROP_PAD, crop_pad) X(NORM, norm)  \
                                                X(CAST, cast) X(AFFINE_GRID, affine_grid)          \
                                                    X(RANDOM, random) X(UNIQUE, unique)            \
                                                        X(WINDOW, window) X(ATTENTION, attention)  \
                                                            X(IF, if_) X(LOOP, loop) X(SCAN, scan) \
                                                                X(OPEN, open)
#define OX_RULE_ENUM(constant, function) OX_RULE_##constant,
    OX_RULE_MAP(OX_RULE_ENUM)
#undef OX_RULE_ENUM
};

/* An ONNX operator in its newest form. A letter per input and output says its element type; the
 * last input's repeats after a '*':
 *   T  the data type, one for all, cast to where a kernel is
 *   C  a float that T is joined with; float32 may stand beside float16 from OX_MIXED_SINCE on
 *   U  another type, free
 *   I  int32 or int64    i  int64    n  int32    b  bool    f  float32
 *   .  not looked at; as the first input: may be left out
 *   x  (outputs) typing.c says which */
enum { OX_MIXED_SINCE = 15 };
struct ox_schema {
    const char *op_type;
    int since;
    const char *in, *out;
    enum ox_rule rule;
};
const struct ox_schema *ox_schema_of(const char *op_type); /* NULL if we never write it */
int ox_schema_number(const struct ox_schema *s);
int ox_schema_count(void);
const struct ox_schema *ox_schema_at(int i);

/* kernels.c: the types that run, bit 1 << mx_dtype each. Sorted by operator; "Op:form" is a form of
 * its own. */
struct ox_kernel {
    const char *op_type;
    int first, last; /* opsets */
    unsigned types;
};
extern const struct ox_kernel ox_kernels[];
extern const int ox_kernel_count;

#endif
