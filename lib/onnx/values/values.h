/* What is known of the values of the ONNX graph that is being built, errors of the node that is being written, and constants. The lower
 * part of the builder: onnx/builder/build.h includes it. */
#ifndef OX_VALUES_H
#define OX_VALUES_H

#include "graph/dtype.h"
#include "graph/shape.h"
#include "onnx/schema/op.h"
#include "onnx/schema/value.h"

struct ox_build;

/* ---- looking */

enum mx_dtype ox_dtype(struct ox_build *b, ox_val x);
struct mx_shape ox_shape(struct ox_build *b, ox_val x);
int ox_rank(struct ox_build *b, ox_val x);
mx_dim ox_dim_at(struct ox_build *b, ox_val x, int axis);               /* negative counts from the end; unknown without a rank */
bool ox_size_at(struct ox_build *b, ox_val x, int axis, int64_t *size); /* false if not a number */
struct mx_dims *ox_dims_table(struct ox_build *b);                      /* for mx_dim_* */
/* Zeroed memory that lives until the node is written. NULL when memory runs out: the builder has failed, so return. */
void *ox_scratch(struct ox_build *b, size_t count, size_t size) MX_MUST_USE;
/* The same, but it lives as long as the export. */
void *ox_lasting(struct ox_build *b, size_t count, size_t size) MX_MUST_USE;
bool ox_failed(const struct ox_build *b); /* calls do nothing now */
/* Empty lists; the builder fails if one gets too many elements. */
struct mx_dim_list ox_no_dims(struct ox_build *b);
struct mx_int_list ox_no_ints(struct ox_build *b);
/* A list of s's dims; `count` times v; 0, 1, ... count - 1. */
struct mx_dim_list ox_dims_like(struct ox_build *b, struct mx_shape s);
struct mx_int_list ox_repeated(struct ox_build *b, int64_t v, int count);
struct mx_int_list ox_counted(struct ox_build *b, int count);
/* The axes of a set, ascending. */
struct mx_int_list ox_listed(struct ox_build *b, struct mx_axes set);
/* Axis i of n, negative from the end; fails the builder and returns 0 if it is out of range. */
int ox_axis(struct ox_build *b, int64_t axis, int n, enum ox_op op);
/* The sizes, which replace those in the list; false if one is not a number. */
bool ox_shape_numbers(struct ox_build *b, struct mx_shape s, struct mx_int_list *out);
/* True if the opset being written has this ONNX operator and a runtime has a kernel for it. */
bool ox_has(struct ox_build *b, enum ox_op op);
/* True if RoiAlign has half pixels, its attribute coordinate_transformation_mode = "half_pixel". */
bool ox_has_half_pixels(struct ox_build *b);
/* rules/given.c, for a node of ONNX's own that a handler requests. False: its inputs, number of outputs or attributes are not those of
 * the operator's newest form, and the builder has failed. Attributes get the kinds that the rules expect. */
bool ox_check_given_ends(struct ox_build *b, enum ox_op op, const ox_val *in, size_t n_out);
bool ox_check_given_attrs(struct ox_build *b, enum ox_op op, struct ox_attr *attrs);
/* rules/given_shapes.c, with such attributes. False: the shapes of the inputs do not fit together, and the builder has failed. */
bool ox_check_given_shapes(struct ox_build *b, enum ox_op op, const ox_val *in, const struct ox_attr *attrs, size_t n_out);
/* True if x is an initialiser of at most `max` elements that are known here (not a weight in a file) and integers, of any integer or
 * float type. */
bool ox_const_ints(struct ox_build *b, ox_val x, int64_t *out, int max, int *n);
/* The same as a list, which they replace. */
bool ox_const_list(struct ox_build *b, ox_val x, int max, struct mx_int_list *out);
/* The same of exactly one element. */
bool ox_const_int(struct ox_build *b, ox_val x, int64_t *out);
/* True if every element of x is known to be v, for any shape. Weights are not read. */
bool ox_is_all(struct ox_build *b, ox_val x, double v);
/* Bounds on the elements of x that are numbers, by the nodes that make it: an index of ArgMax, class numbers counted at export.
 * False if there are none. */
bool ox_interval(struct ox_build *b, ox_val x, double *lo, double *hi);
/* True if it follows in the same way that each element of x is a number, greater than lo and less than hi. */
bool ox_is_between(struct ox_build *b, ox_val x, double lo, double hi);

/* Sets the type and shape of a value for which the builder has no rule. */
void ox_typed(struct ox_build *b, ox_val x, enum mx_dtype t, struct mx_shape s);
/* A span of a vector. */
struct ox_span {
    int64_t start, count;
};

/* ---- failing */

/* The node cannot be written. `attribute` may be NULL; what follows MX_HELP in the format is the advice (base/diag.h). */
void ox_fail(struct ox_build *b, const char *attribute, const char *format, ...) MX_PRINTF(3, 4);
void ox_oom(struct ox_build *b); /* memory is out, or the call is cancelled */
void ox_warn(struct ox_build *b, const char *attribute, const char *format, ...) MX_PRINTF(3, 4);
void ox_note(struct ox_build *b, const char *attribute, const char *text);
/* The value of a dim that must not be dynamic here; if it is, an error: "fix the size of axis 2 of input 'data'". */
int64_t ox_number(struct ox_build *b, mx_dim d, const char *what);

/* ---- constants */

ox_val ox_scalar(struct ox_build *b, enum mx_dtype t, double v); /* shape () */
ox_val ox_scalar_like(struct ox_build *b, ox_val x, double v);   /* x's type */
static inline ox_val ox_float32(struct ox_build *b, double v)
{
    return ox_scalar(b, MX_FLOAT32, v);
}
ox_val ox_ints(struct ox_build *b, const int64_t *v, int n); /* int64, shape (n) */
ox_val ox_int(struct ox_build *b, int64_t v);                /* int64, shape (1) */
ox_val ox_floats(struct ox_build *b, enum mx_dtype t, const double *v, int n);
/* Any tensor: `data` is copied, row-major, of t's size. */
ox_val ox_tensor(struct ox_build *b, enum mx_dtype t, const int64_t *dims, int ndim, const void *data);
/* Any tensor whose element i, row-major, is at(spec, i), as ox_scalar takes it. A large one is computed while it is written
 * and costs no memory; `size` bytes of `spec` are copied. */
ox_val ox_computed(struct ox_build *b, enum mx_dtype t, const int64_t *dims, int ndim, ox_element_fn at, const void *spec, size_t size);
/* The same value in all elements: an initialiser if the shape is known, otherwise an Expand of a scalar. */
ox_val ox_fill(struct ox_build *b, enum mx_dtype t, struct mx_shape s, double v);

#define OX_INTS(b, ...) ox_ints((b), (const int64_t[]){__VA_ARGS__}, (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))

#endif
