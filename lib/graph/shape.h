/* Shapes: a rank and dims. */
#ifndef MX_GRAPH_SHAPE_H
#define MX_GRAPH_SHAPE_H

#include "graph/dim.h"

enum { MX_MAX_RANK = 32 };

struct mx_shape {
    int ndim; /* -1: the rank is unknown, dims is NULL */
    const mx_dim *dims;
};

#define MX_SHAPE_UNKNOWN ((struct mx_shape){-1, NULL})

/* An axis or an index that may count from the end (-1: the last of n), counted from the front; not checked. */
static inline int64_t mx_wrap(int64_t i, int64_t n)
{
    return i < 0 ? i + n : i;
}

/* Appends `count` dims to the n existing ones (nothing if it is negative); returns the new number. */
static inline int mx_append_dims(mx_dim *dims, int n, const mx_dim *more, int count)
{
    for (int i = 0; i < count; i++) {
        dims[n++] = more[i];
    }
    return n;
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
/* "(1, 3, batch)", "?" */
void mx_shape_format(struct mx_dims *t, struct mx_shape s, struct mx_str *out);

#endif
