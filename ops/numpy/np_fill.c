/* Matrices and vectors made from attributes, NumPy's. */
#include <math.h>

#include "onnx/build.h"
#include "op/op.h"

enum { MAX_ELEMENTS = 1 << 26 }; /* they are stored */

/* ---- eye, identity */

struct eye {
    int64_t N, M, k;
    struct mx_tuple shape; /* of identity */
    enum mx_dtype dtype;
};

static const struct mx_attr eye_attrs[] = {
    MX_INT(struct eye, N, NULL), MX_INT_NONE(struct eye, M, "None"),     MX_INT(struct eye, k, "0"),
    MX_IGNORED("ctx"),           MX_DTYPE(struct eye, dtype, "float32"), MX_ATTRS_END,
};

static const struct mx_attr identity_attrs[] = {
    MX_TUPLE(struct eye, shape, "()"),
    MX_IGNORED("ctx"),
    MX_DTYPE(struct eye, dtype, "float32"),
    MX_ATTRS_END,
};

static int output_sized(struct mx_infer *c, int64_t rows, int64_t columns)
{
    const struct eye *a = c->attrs;
    if (rows < 0 || columns < 0 || columns > MAX_ELEMENTS
        || (columns > 0 && rows > MAX_ELEMENTS / columns) || rows > MAX_ELEMENTS) {
        return mx_infer_fail(c, NULL, "%lld x %lld is no size that can be converted",
                             (long long)rows, (long long)columns);
    }
    const mx_dim dims[] = {mx_dim_of(rows), mx_dim_of(columns)};
    MX_TRY(mx_output_dtype_is(c, 0, a->dtype == MX_DTYPE_NONE ? MX_FLOAT32 : a->dtype));
    return mx_output_is_dims(c, 0, dims, 2);
}

static int infer_eye(struct mx_infer *c)
{
    const struct eye *a = c->attrs;
    return output_sized(c, a->N, a->M == MX_NONE ? a->N : a->M);
}

static int infer_identity(struct mx_infer *c)
{
    const struct eye *a = c->attrs;
    if (a->shape.n != 2) {
        return mx_infer_fail(c, "shape", "has %d sizes; give two", a->shape.n);
    }
    return output_sized(c, a->shape.v[0], a->shape.v[1]);
}

static void lower_eye(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct eye *a = n->attrs;
    const struct mx_shape s = n->out[0].shape;
    const int64_t rows = ox_number(b, s.dims[0], "rows"),
                  columns = ox_number(b, s.dims[1], "columns");
    (void)in;
    if (rows == 0 || columns == 0) {
        out[0] = ox_fill(b, n->out[0].dtype, s, 0);
        return;
    }
    double *v = ox_scratch(b, (size_t)(rows * columns), sizeof(*v));
    for (int64_t i = 0; i < rows && !ox_failed(b); i++) {
        if (a->k >= -i && a->k < columns - i) {
            v[i * columns + i + a->k] = 1;
        }
    }
    out[0] = ox_reshape_shape(b, ox_floats(b, n->out[0].dtype, v, (int)(rows * columns)), s);
}

/* ---- windows: a - b cos(x) + c cos(2x), x = 2 pi i / (M - 1) (src/operator/numpy/np_window_op.h)
 */

struct window {
    int64_t M;
    enum mx_dtype dtype;
};

static const struct mx_attr window_attrs[] = {
    MX_INT_NONE(struct window, M, "None"),
    MX_IGNORED("ctx"),
    MX_DTYPE(struct window, dtype, "float32"),
    MX_ATTRS_END,
};

struct cosines {
    double a, b, c;
};

static const struct cosines hanning = {0.5, 0.5, 0}, hamming = {0.54, 0.46, 0},
                            blackman = {0.42, 0.5, 0.08};

static int infer_window(struct mx_infer *c)
{
    const struct window *a = c->attrs;
    if (a->M > MAX_ELEMENTS) {
        return mx_infer_fail(c, "M", "is %lld; that is too many", (long long)a->M);
    }
    const mx_dim size = mx_dim_of(a->M > 0 ? a->M : 0);
    MX_TRY(mx_output_dtype_is(c, 0, a->dtype == MX_DTYPE_NONE ? MX_FLOAT32 : a->dtype));
    return mx_output_is_dims(c, 0, &size, 1);
}

static void lower_window(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct window *a = n->attrs;
    const struct cosines *w = n->op->data;
    const int64_t count = a->M > 0 ? a->M : 0;
    double *v = ox_scratch(b, (size_t)count + 1, sizeof(*v));
    (void)in;
    for (int64_t i = 0; i < count && !ox_failed(b); i++) {
        const double x =
            count > 1 ? 2 * 3.14159265358979323846 * (double)i / (double)(count - 1) : 0;
        v[i] = count > 1 ? w->a - w->b * cos(x) + w->c * cos(2 * x) : 1;
        if (mx_dtype_is_integer(a->dtype) && count > 1) {
            v[i] = 0; /* MXNet brings the coefficients to the type first */
        }
    }
    out[0] = count == 0 ? ox_fill(b, n->out[0].dtype, n->out[0].shape, 0)
                        : ox_floats(b, n->out[0].dtype, v, (int)count);
}

#define FROM_ATTRS(mx, table, type, rule, function, ...)                                           \
    {                                                                                              \
        .name = (mx), MX_ATTRS(table, type), .inputs = "", .infer = (rule), .lower = (function),   \
        __VA_ARGS__                                                                                \
    }

const struct mx_op mx_ops_np_fill[] = {
    FROM_ATTRS("_npi_blackman", window_attrs, struct window, infer_window, lower_window,
               .data = &blackman),
    FROM_ATTRS("_npi_eye", eye_attrs, struct eye, infer_eye, lower_eye, .data = NULL),
    FROM_ATTRS("_npi_hamming", window_attrs, struct window, infer_window, lower_window,
               .data = &hamming),
    FROM_ATTRS("_npi_hanning", window_attrs, struct window, infer_window, lower_window,
               .data = &hanning),
    FROM_ATTRS("_npi_identity", identity_attrs, struct eye, infer_identity, lower_eye,
               .data = NULL),
    MX_OPS_END,
};
