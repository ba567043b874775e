/* Shapes: a rank and dims. */
#ifndef MX_GRAPH_SHAPE_H
#define MX_GRAPH_SHAPE_H

#include "graph/dtype.h"
#include "graph/list.h"

struct mx_shape {
    int ndim; /* -1: the rank is unknown, dims is NULL */
    const mx_dim *dims;
};

/* The largest number of elements. ONNX's own shape inference computes sizes as doubles (Slice) and adds to sizes without looking (a
 * window's padding), so it has no right answer for larger ones. */
#define MX_MAX_ELEMENTS (INT64_C(1) << 53) /* limit: elements of a tensor, sizes of 0 left out */

/* The product of the dims in *out, if it is at most MX_MAX_ELEMENTS without the dims of 0: then so is every stride of the tensor and every
 * product of some of the dims, whatever the order. False if it is not, or a dim is negative. */
bool mx_elements(const int64_t *dims, int ndim, int64_t *out);

#define MX_SHAPE_UNKNOWN ((struct mx_shape){-1, NULL})
/* The shape of these dims. */
#define MX_DIMS(...) ((struct mx_shape){(int)(sizeof((const mx_dim[]){__VA_ARGS__}) / sizeof(mx_dim)), (const mx_dim[]){__VA_ARGS__}})

/* An axis or an index that may count from the end (-1: the last of n), counted from the front; what is out of range stays so. */
static inline int64_t mx_wrap(int64_t i, int64_t n)
{
    return i < 0 && i >= -n ? i + n : i;
}

/* The elements of a list, which keeps them. */
static inline struct mx_shape mx_list_shape(const struct mx_dim_list *l)
{
    return (struct mx_shape){l->n, l->v};
}

/* A copy of the dims in the arena. ndim is -1 when memory runs out. */
struct mx_shape mx_shape_of(struct mx_arena *a, const mx_dim *dims, int ndim);
/* True if every dim is known. */
bool mx_shape_known(struct mx_dims *t, struct mx_shape s);
/* True if any dim, or the rank, is unknown. */
bool mx_shape_has_unknown(struct mx_dims *t, struct mx_shape s);
bool mx_shape_equal(struct mx_dims *t, struct mx_shape a, struct mx_shape b);
/* The number of elements; an unknown dim if the rank is unknown. */
mx_dim mx_shape_elements(struct mx_dims *t, struct mx_shape s);
/* The product of the dims on these axes. */
mx_dim mx_shape_along(struct mx_dims *t, struct mx_shape s, struct mx_axes axes);
/* True if the number of elements is known to be 0. */
bool mx_shape_is_empty(struct mx_dims *t, struct mx_shape s);
/* "(1, 3, batch)", "?" */
void mx_shape_format(struct mx_dims *t, struct mx_shape s, struct mx_str *out);
/* The members of a value in an object that is open: "name", "dtype", and "shape", a list of sizes, expressions, and null for unknown ones,
 * or null. */
struct mx_json;
void mx_value_json(struct mx_dims *t, const char *name, enum mx_dtype dtype, struct mx_shape s, struct mx_json *out);

#endif
