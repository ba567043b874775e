/* Builds ONNX graphs by hand, without the builder, for tests of what comes after it. Out of memory is a failed test. */
#ifndef TESTS_ONNX_HAND_H
#define TESTS_ONNX_HAND_H

#include "onnx/ir/ir.h"
#include "onnx/pass/pass.h"

struct hand {
    struct ox_model m;
    struct mx_arena dims_arena;
};

/* NULL memory makes these return false; the rest then is not to be called. */
bool hand_begin(struct hand *h, int opset);
void hand_end(struct hand *h);

/* A shape of numbers, and of "3", "batch" and "?" texts. */
struct mx_shape hand_shape(struct hand *h, int ndim, const int64_t *dims);
struct mx_shape hand_shape_texts(struct hand *h, int ndim, const char *const *dims);
ox_val hand_value(struct hand *h, const char *name, enum mx_dtype t, struct mx_shape s);
ox_val hand_input(struct hand *h, const char *name, enum mx_dtype t, struct mx_shape s);
/* The tensor is copied, not what it points to. */
ox_val hand_tensor(struct hand *h, const char *name, struct ox_tensor t);
/* A constant from bytes that are copied. */
ox_val hand_const(struct hand *h, const char *name, enum mx_dtype t, int ndim, const int64_t *dims, const void *data);
/* A node in g with n_out new outputs of type t and shape s; out[0..n_out-1]. in and attrs are copied; NULL attrs: none. */
struct ox_node *hand_node(struct hand *h, struct ox_graph *g, enum ox_op op, int n_in, const ox_val *in, const struct ox_attr *attrs,
                          enum mx_dtype t, struct mx_shape s, int n_out, ox_val *out);
void hand_output(struct hand *h, ox_val v, const char *name);
/* Puts a body together. */
struct ox_graph *hand_body(struct hand *h, const char *name);
void hand_body_input(struct hand *h, struct ox_graph *g, ox_val v);
void hand_body_output(struct hand *h, struct ox_graph *g, ox_val v);

#define HAND_DIMS(h, ...) hand_shape((h), (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]){__VA_ARGS__})
#define HAND_TEXTS(h, ...)                                                                                                                 \
    hand_shape_texts((h), (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)), (const char *const[]){__VA_ARGS__})
#define HAND_SCALAR (hand_shape(NULL, 0, NULL))

#endif
