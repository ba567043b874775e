/* _eye, _npi_eye, _npi_identity: ones on a diagonal (src/operator/tensor/init_op.h, EyeFill). */
#include "op/op.h"

struct eye {
    int64_t N, M, k;
    struct mx_opt_int columns;
    struct mx_tuple shape; /* for identity */
    enum mx_dtype dtype;
};

/* Without M the matrix is square; the older operator uses 0 for that. */
static const struct mx_attr attrs[] = {
    MX_LONG(struct eye, N, NULL),
    MX_LONG(struct eye, M, "0"),
    MX_LONG(struct eye, k, "0"),
    MX_IGNORED("ctx"),
    MX_DTYPE(struct eye, dtype, "float32"),
};

static const struct mx_attr numpy_attrs[] = {
    MX_LONG(struct eye, N, NULL),
    MX_ATTR_NAMED("M", struct eye, columns, struct mx_opt_int, MX_ATTR_INT_NONE, "None", MX_IS_LONG),
    MX_LONG(struct eye, k, "0"),
    MX_IGNORED("ctx"),
    MX_DTYPE(struct eye, dtype, "float32"),
};

static const struct mx_attr identity_attrs[] = {
    MX_SIZES_NONE(struct eye, shape, "()"),
    MX_IGNORED("ctx"),
    MX_DTYPE(struct eye, dtype, "float32"),
};

static int output_sized(struct mx_infer *c, int64_t rows, int64_t columns)
{
    const struct eye *a = c->attrs;
    const int64_t least = c->graph->np_shape ? 0 : 1;
    if (rows < least || columns < least) {
        return mx_infer_fail(c, NULL, "a matrix of %lld x %lld is not possible: it must have %lld or more rows and columns",
                             (long long)rows, (long long)columns, (long long)least);
    }
    MX_TRY(mx_made_size(c, NULL, rows, columns));
    const mx_dim dims[] = {mx_dim_of(rows), mx_dim_of(columns)};
    MX_TRY(mx_output_dtype_is(c, 0, a->dtype == MX_DTYPE_NONE ? MX_FLOAT32 : a->dtype));
    return mx_output_is_dims(c, 0, dims, 2);
}

static int infer(struct mx_infer *c)
{
    const struct eye *a = c->attrs;
    return output_sized(c, a->N, a->columns.given ? a->columns.v : a->M > 0 ? a->M : a->N);
}

static int infer_identity(struct mx_infer *c)
{
    const struct eye *a = c->attrs;
    if (a->shape.n != 2) {
        return mx_infer_fail(c, "shape", MX_SUBJECT "has length %d, but must have length 2", a->shape.n);
    }
    return output_sized(c, a->shape.v[0], a->shape.v[1]);
}

static double is_diagonal(const void *columns_k, int64_t i)
{
    const int64_t *v = columns_k;
    return i % v[0] - i / v[0] == v[1];
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct eye *a = n->attrs;
    const struct mx_shape s = n->out[0].shape;
    const int64_t rows = ox_number(b, s.dims[0], "rows");
    const int64_t columns = ox_number(b, s.dims[1], "columns");
    const int64_t columns_k[] = {columns, a->k};
    out[0] = ox_computed(b, n->out[0].dtype, (const int64_t[]){rows, columns}, 2, is_diagonal, columns_k, sizeof columns_k);
}

const struct mx_op mx_ops_eye[] = {
    {.name = "_eye", MX_ATTRS(attrs, struct eye), .inputs = "", .infer = infer, .lower = lower},
    {.name = "_npi_eye", MX_ATTRS(numpy_attrs, struct eye), .inputs = "", .infer = infer, .lower = lower},
    {.name = "_npi_identity", MX_ATTRS(identity_attrs, struct eye), .inputs = "", .infer = infer_identity, .lower = lower},
    MX_OPS_END,
};
