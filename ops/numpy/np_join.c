/* NumPy's concatenate, and operators that first reshape their inputs. */
#include "op/op.h"

struct join {
    int64_t num_args;
    struct mx_opt_int axis; /* not given: the inputs are flattened */
};

static const struct mx_attr concatenate_attrs[] = {
    MX_COUNT(struct join, num_args, NULL),
    MX_AXIS_NONE(struct join, axis, "0"),
};

static const struct mx_attr stack_attrs[] = {
    MX_COUNT(struct join, num_args, NULL),
    MX_IGNORED("dim"),                     /* hstack and dstack determine their axis themselves */
};

enum kind { CONCATENATE, VSTACK, HSTACK, DSTACK, COLUMN_STACK };

/* Makes the dims of an input those with which it is concatenated. */
static void make_part(struct mx_dims *t, const struct join *a, enum kind kind, struct mx_dim_list *dims)
{
    const int rank = dims->n;
    const mx_dim one = mx_dim_of(1), first = rank > 0 ? dims->v[0] : one;
    switch (kind) {
    case CONCATENATE:
        if (!a->axis.given) {
            const mx_dim all = mx_dim_product(t, dims->v, rank);
            dims->n = 0;
            mx_push_dim(dims, all);
        }
        break;
    case VSTACK: /* atleast_2d */
    case DSTACK: /* atleast_3d */
        if (rank < 2) {
            mx_put_dim(dims, 0, one);
            mx_put_dim(dims, 1, first);
        }
        if (rank < 3 && kind == DSTACK) {
            mx_put_dim(dims, 2, one);
        }
        break;
    case HSTACK:       /* atleast_1d */
    case COLUMN_STACK: /* a vector becomes a column */
        mx_put_dim(dims, 0, first);
        if (rank < 2 && kind == COLUMN_STACK) {
            mx_put_dim(dims, 1, one);
        }
        break;
    }
}

static int64_t join_axis(const struct join *a, enum kind kind, int rank)
{
    switch (kind) {
    case CONCATENATE: return a->axis.given ? a->axis.v : 0;
    case VSTACK: return 0;
    case DSTACK: return 2;
    case HSTACK:
    case COLUMN_STACK: break;
    }
    return rank > 1 ? 1 : 0;
}

/* States what the parts have in common; their sizes along the axis add up. */
static int infer(struct mx_infer *c)
{
    const struct join *a = c->attrs;
    const enum kind kind = (enum kind)c->node->op->which;
    mx_dim sum = mx_dim_of(0);
    struct mx_dim_list first = mx_no_dims(c);
    int axis = 0;
    MX_TRY(mx_same_dtype(c, 0, -1));
    for (int i = 0; i < c->node->n_in; i++) {
        struct mx_shape s;
        MX_TRY(mx_input(c, i, &s));
        struct mx_dim_list dims = mx_dims_like(c, s);
        make_part(c->dims, a, kind, &dims);
        if (i == 0) {
            first = dims;
            MX_TRY(mx_axis(c, join_axis(a, kind, dims.n), dims.n, "axis", &axis));
        } else if (dims.n != first.n) {
            return mx_infer_fail(c, NULL, "the inputs have ranks %d and %d, which must be equal", first.n, dims.n);
        }
        sum = mx_dim_add(c->dims, sum, mx_get_dim(&dims, axis));
        for (int d = 0; i > 0 && d < dims.n; d++) {
            MX_TRY(d == axis ? MX_OK : mx_same_dim(c, mx_get_dim(&first, d), mx_get_dim(&dims, d), "sizes of the inputs"));
        }
    }
    mx_put_dim(&first, axis, sum);
    return mx_output_is_dims(c, 0, first.v, first.n);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct join *a = n->attrs;
    const enum kind kind = (enum kind)n->op->which;
    const int rank = n->out[0].shape.ndim;
    const int64_t axis = join_axis(a, kind, rank);
    ox_val *parts = ox_scratch(b, (size_t)n->n_in, sizeof *parts);
    if (!parts) {
        return;
    }
    for (int i = 0; i < n->n_in; i++) {
        struct mx_dim_list dims = ox_dims_like(b, ox_shape(b, in[i]));
        make_part(ox_dims_table(b), a, kind, &dims);
        parts[i] = ox_reshape(b, in[i], dims.v, dims.n);
    }
    out[0] = n->n_in == 1 ? parts[0] : ox_concat(b, parts, n->n_in, (int)mx_wrap(axis, rank));
}

#define ROW(mx, table, kind)                                                                                                               \
    {                                                                                                                                      \
        .name = (mx), MX_ATTRS(table, struct join), .inputs = "data...:count(num_args)", .infer = infer, .lower = lower, .which = (kind),  \
    }

const struct mx_op mx_ops_np_join[] = {
    ROW("_npi_column_stack", stack_attrs, COLUMN_STACK),
    ROW("_npi_concatenate", concatenate_attrs, CONCATENATE),
    ROW("_npi_dstack", stack_attrs, DSTACK),
    ROW("_npi_hstack", stack_attrs, HSTACK),
    ROW("_npi_vstack", stack_attrs, VSTACK),
    MX_OPS_END,
};
