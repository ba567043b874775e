/* NumPy's concatenate, and operators that first reshape their inputs. */
#include "onnx/build.h"
#include "op/op.h"

struct join {
    int64_t num_args;
    int64_t axis; /* MX_NONE: the inputs are flattened */
};

static const struct mx_attr concatenate_attrs[] = {
    MX_INT(struct join, num_args, NULL),
    MX_INT_NONE(struct join, axis, "0"),
    MX_ATTRS_END,
};

static const struct mx_attr stack_attrs[] = {
    MX_INT(struct join, num_args, NULL),
    MX_IGNORED("dim"), /* hstack and dstack determine their axis themselves */
    MX_ATTRS_END,
};

enum kind { CONCATENATE, VSTACK, HSTACK, DSTACK, COLUMN_STACK };

static int count(const void *attrs)
{
    const struct join *a = attrs;
    return mx_count(a->num_args);
}

/* The shape with which an input is concatenated. dims has room for MX_MAX_RANK + 1. */
static int part_shape(struct mx_dims *t, const struct join *a, enum kind kind, struct mx_shape s,
                      mx_dim *dims)
{
    const mx_dim one = mx_dim_of(1);
    mx_append_dims(dims, 0, s.dims, s.ndim);
    switch (kind) {
    case CONCATENATE:
        if (a->axis == MX_NONE) {
            dims[0] = mx_shape_elements(t, s);
            return 1;
        }
        return s.ndim;
    case VSTACK: /* atleast_2d */
        dims[1] = s.ndim == 0 ? one : s.ndim == 1 ? s.dims[0] : dims[1];
        dims[0] = s.ndim < 2 ? one : dims[0];
        return s.ndim < 2 ? 2 : s.ndim;
    case HSTACK: /* atleast_1d */
        dims[0] = s.ndim == 0 ? one : dims[0];
        return s.ndim == 0 ? 1 : s.ndim;
    case DSTACK: /* atleast_3d */
        dims[2] = s.ndim < 3 ? one : dims[2];
        dims[1] = s.ndim == 0 ? one : s.ndim == 1 ? s.dims[0] : dims[1];
        dims[0] = s.ndim < 2 ? one : dims[0];
        return s.ndim < 3 ? 3 : s.ndim;
    case COLUMN_STACK: /* a vector becomes a column */
        dims[1] = s.ndim < 2 ? one : dims[1];
        dims[0] = s.ndim == 0 ? one : dims[0];
        return s.ndim < 2 ? 2 : s.ndim;
    }
    return s.ndim;
}

static int64_t join_axis(const struct join *a, enum kind kind, int rank)
{
    switch (kind) {
    case CONCATENATE:
        return a->axis == MX_NONE ? 0 : a->axis;
    case VSTACK:
        return 0;
    case DSTACK:
        return 2;
    case HSTACK:
    case COLUMN_STACK:
        break;
    }
    return rank > 1 ? 1 : 0;
}

/* States what the parts have in common; their sizes along the axis add up. */
static int infer(struct mx_infer *c)
{
    const struct join *a = c->attrs;
    const enum kind kind = (enum kind)c->node->op->which;
    mx_dim first[MX_MAX_RANK + 1], dims[MX_MAX_RANK + 1], sum = mx_dim_of(0);
    int rank = 0, axis = 0;
    MX_TRY(mx_same_dtype(c, 0, -1));
    for (int i = 0; i < c->node->n_in; i++) {
        struct mx_shape s;
        MX_TRY(mx_input(c, i, &s));
        const int n = part_shape(c->dims, a, kind, s, i == 0 ? first : dims);
        if (i == 0) {
            rank = n;
            MX_TRY(mx_axis(c, join_axis(a, kind, n), n, "axis", &axis));
        } else if (n != rank) {
            return mx_infer_fail(c, NULL, "its inputs have rank %d and %d", rank, n);
        }
        sum = mx_dim_add(c->dims, sum, i == 0 ? first[axis] : dims[axis]);
        for (int d = 0; i > 0 && d < rank; d++) {
            MX_TRY(d == axis ? MX_OK : mx_same_dim(c, first[d], dims[d], "sizes of the inputs"));
        }
    }
    first[axis] = sum;
    return mx_output_is_dims(c, 0, first, rank);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct join *a = n->attrs;
    const enum kind kind = (enum kind)n->op->which;
    const int rank = n->out[0].shape.ndim;
    const int64_t axis = join_axis(a, kind, rank);
    ox_val *parts = ox_scratch(b, (size_t)n->n_in, sizeof(*parts));
    if (!parts) {
        return;
    }
    for (int i = 0; i < n->n_in; i++) {
        mx_dim dims[MX_MAX_RANK + 1];
        const int ndim = part_shape(ox_dims_table(b), a, kind, ox_shape(b, in[i]), dims);
        parts[i] = ox_reshape(b, in[i], dims, ndim);
    }
    out[0] = n->n_in == 1 ? parts[0]
                          : ox_concat(b, parts, n->n_in, (int)mx_wrap(axis, rank));
}

#define ROW(mx, table, kind)                                                                       \
    {                                                                                              \
        .name = (mx), MX_ATTRS(table, struct join), .inputs = "data...", .n_inputs = count,        \
        .infer = infer, .lower = lower, .which = (kind),                                           \
    }

const struct mx_op mx_ops_np_join[] = {
    ROW("_npi_column_stack", stack_attrs, COLUMN_STACK),
    ROW("_npi_concatenate", concatenate_attrs, CONCATENATE),
    ROW("_npi_dstack", stack_attrs, DSTACK),
    ROW("_npi_hstack", stack_attrs, HSTACK),
    ROW("_npi_vstack", stack_attrs, VSTACK),
    MX_OPS_END,
};
