/* Lists of dims and of integers whose length depends on a rank or on a number of a file. They know their capacity: an index outside is an
 * error of the list's owner, never an access to other memory. Every list has an owner, which looks at its error at the end: a rule of
 * inference (op/infer.h), the builder (onnx/builder/build.h). Where there is none, an array of the arena has the exact length
 * (tests/api/arrays.py refuses a list without an owner). */
#ifndef MX_GRAPH_LIST_H
#define MX_GRAPH_LIST_H

#include "graph/dim.h"

enum { MX_MAX_RANK = 32 }; /* limit: rank of a tensor */

/* Two numbers for each axis, as pads have, or the axes of two operands; and a little more for those that are added on the way. */
enum { MX_LIST_ROOM = 2 * MX_MAX_RANK + 2 };

enum mx_list_error {
    MX_LIST_OK,
    MX_LIST_FULL,   /* something was added to a full list, and is lost */
    MX_LIST_OUTSIDE /* an element was read that the list does not have */
};

struct mx_dim_list {
    enum mx_list_error *error; /* its owner's */
    int n;                     /* the elements that v has; the others have no value */
    mx_dim v[MX_LIST_ROOM];
};

struct mx_int_list {
    enum mx_list_error *error;
    int n;
    int64_t v[MX_LIST_ROOM];
};

static inline struct mx_dim_list mx_dim_list(enum mx_list_error *error)
{
    struct mx_dim_list l;
    l.error = error;
    l.n = 0;
    return l;
}

static inline struct mx_int_list mx_int_list(enum mx_list_error *error)
{
    struct mx_int_list l;
    l.error = error;
    l.n = 0;
    return l;
}

/* The first error counts. */
static inline void mx_list_fail(enum mx_list_error *error, enum mx_list_error found)
{
    if (*error == MX_LIST_OK) {
        *error = found;
    }
}

/* The index if an element can be put there; otherwise -1, with an error. */
static inline int mx_list_place(enum mx_list_error *error, int64_t i)
{
    if (i >= 0 && i < MX_LIST_ROOM) {
        return (int)i;
    }
    mx_list_fail(error, i < 0 ? MX_LIST_OUTSIDE : MX_LIST_FULL);
    return -1;
}

/* Element i becomes d. A list that was shorter grows; the dims between are 1. */
static inline void mx_put_dim(struct mx_dim_list *l, int64_t i, mx_dim d)
{
    const int at = mx_list_place(l->error, i);
    while (at >= l->n) {
        l->v[l->n++] = mx_dim_of(1);
    }
    if (at >= 0) {
        l->v[at] = d;
    }
}

/* Element i becomes v. A list that was shorter grows; the numbers between are 0. */
static inline void mx_put_int(struct mx_int_list *l, int64_t i, int64_t v)
{
    const int at = mx_list_place(l->error, i);
    while (at >= l->n) {
        l->v[l->n++] = 0;
    }
    if (at >= 0) {
        l->v[at] = v;
    }
}

static inline void mx_push_dim(struct mx_dim_list *l, mx_dim d)
{
    mx_put_dim(l, l->n, d);
}

static inline void mx_push_int(struct mx_int_list *l, int64_t v)
{
    mx_put_int(l, l->n, v);
}

/* Appends `count` elements (none if it is negative). */
static inline void mx_push_dims(struct mx_dim_list *l, const mx_dim *more, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        mx_push_dim(l, more[i]);
    }
}

static inline void mx_push_ints(struct mx_int_list *l, const int64_t *more, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        mx_push_int(l, more[i]);
    }
}

/* `count` times the same number. */
static inline void mx_fill_ints(struct mx_int_list *l, int64_t v, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        mx_push_int(l, v);
    }
}

/* Element i; 1 and an error if there is none. */
static inline mx_dim mx_get_dim(const struct mx_dim_list *l, int64_t i)
{
    if (i >= 0 && i < l->n) {
        return l->v[i];
    }
    mx_list_fail(l->error, MX_LIST_OUTSIDE);
    return mx_dim_of(1);
}

/* Element i; 0 and an error if there is none. */
static inline int64_t mx_get_int(const struct mx_int_list *l, int64_t i)
{
    if (i >= 0 && i < l->n) {
        return l->v[i];
    }
    mx_list_fail(l->error, MX_LIST_OUTSIDE);
    return 0;
}

/* A set of axes. One outside of 0..63 is not kept. */
struct mx_axes {
    uint64_t bits;
};

static inline bool mx_has_axis(struct mx_axes s, int64_t axis)
{
    return axis >= 0 && axis < 64 && (s.bits >> axis & 1) != 0;
}

static inline void mx_add_axis(struct mx_axes *s, int64_t axis)
{
    if (axis >= 0 && axis < 64) {
        s->bits |= UINT64_C(1) << axis;
    }
}

/* The set of one axis. */
static inline struct mx_axes mx_one_axis(int64_t axis)
{
    struct mx_axes s = {0};
    mx_add_axis(&s, axis);
    return s;
}

/* Those of 0, 1, ... n - 1 that are not in the set. */
static inline struct mx_axes mx_other_axes(struct mx_axes s, int n)
{
    struct mx_axes others = {0};
    for (int i = 0; i < n; i++) {
        mx_add_axis(&others, mx_has_axis(s, i) ? -1 : i);
    }
    return others;
}

/* Appends the axes, ascending. */
static inline void mx_push_axes(struct mx_int_list *l, struct mx_axes s)
{
    for (int i = 0; i < MX_LIST_ROOM; i++) {
        if (mx_has_axis(s, i)) {
            mx_push_int(l, i);
        }
    }
}

#endif
