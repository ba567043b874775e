/* Rules shared by many operators. */
#include "op/infer.h"
#include "op/op.h"
#include <math.h>

/* Puts the common shape of all inputs into `out`, preferring known sizes over names. */
static int common_shape(struct mx_infer *c, struct mx_shape *out)
{
    *out = mx_output(c, 0);
    for (int i = 0; i < c->node->n_in; i++) {
        const struct mx_shape s = mx_in_value(c->node, i)->shape;
        if (s.ndim >= 0 && (out->ndim < 0 || mx_shape_known(c->dims, s))) {
            *out = s;
        }
    }
    return out->ndim < 0 ? MX_LATER : MX_OK;
}

int mx_same_shape(struct mx_infer *c, int in, int out)
{
    struct mx_shape s = mx_output(c, out);
    if (s.ndim >= 0) {
        MX_TRY(mx_input_is(c, in, s));
    }
    MX_TRY(mx_input(c, in, &s));
    return mx_output_is(c, out, s);
}

int mx_input_square(struct mx_infer *c, int i, struct mx_shape *out)
{
    MX_TRY(mx_input_at_least(c, i, 2, out));
    return mx_same_dim(c, out->dims[out->ndim - 2], out->dims[out->ndim - 1], "sides of the matrix");
}

int mx_input_wide(struct mx_infer *c, int i, struct mx_shape *out)
{
    int64_t rows, columns;
    MX_TRY(mx_input_at_least(c, i, 2, out));
    if (mx_dim_known(c->dims, out->dims[out->ndim - 2], &rows) && mx_dim_known(c->dims, out->dims[out->ndim - 1], &columns)
        && rows > columns) {
        return mx_infer_fail(c, NULL, "the matrix has %lld rows and %lld columns, but must not have more rows than columns",
                             (long long)rows, (long long)columns);
    }
    return MX_OK;
}

int mx_infer_same(struct mx_infer *c)
{
    MX_TRY(mx_same_dtype(c, 0, -1));
    struct mx_shape s;
    MX_TRY(common_shape(c, &s));
    for (int i = 0; i < c->node->n_in; i++) {
        MX_TRY(mx_input_is(c, i, s));
    }
    return mx_output_is(c, 0, s);
}

/* One axis of a broadcast. An unknown next to a known size other than 1 may still be 1: it waits. */
static int broadcast_dim(struct mx_infer *c, mx_dim a, mx_dim b, mx_dim *out)
{
    int64_t x, y;
    const bool a_known = mx_dim_known(c->dims, a, &x), b_known = mx_dim_known(c->dims, b, &y);
    if ((a_known && x == 1) || (b_known && y == 1)) {
        *out = a_known && x == 1 ? b : a;
        return MX_OK;
    }
    if (!mx_dim_equal(c->dims, a, b)) {
        if (!c->last && (mx_dim_is_unknown(c->dims, a) || mx_dim_is_unknown(c->dims, b))) {
            return MX_LATER;
        }
        MX_TRY(mx_same_dim(c, a, b, "sizes to broadcast"));
    }
    *out = b_known ? b : a;
    return MX_OK;
}

int mx_broadcast_shapes(struct mx_infer *c, struct mx_shape a, struct mx_shape b, struct mx_shape *out)
{
    const struct mx_shape wide = a.ndim >= b.ndim ? a : b, narrow = a.ndim >= b.ndim ? b : a;
    struct mx_dim_list dims = mx_no_dims(c);
    const int lead = wide.ndim - narrow.ndim;
    for (int i = 0; i < wide.ndim; i++) {
        mx_dim d = wide.dims[i];
        if (i >= lead) {
            MX_TRY(broadcast_dim(c, wide.dims[i], narrow.dims[i - lead], &d));
        }
        mx_push_dim(&dims, d);
    }
    *out = mx_shape_of(c->scratch, dims.v, dims.n);
    return out->ndim < 0 ? MX_OUT_OF_MEMORY : MX_OK;
}

int mx_stretch(struct mx_infer *c, mx_dim from, mx_dim to)
{
    int64_t size;
    if (mx_dim_known(c->dims, from, &size) && size == 1) {
        return MX_OK;
    }
    if (mx_dim_is_unknown(c->dims, from) && !c->last) {
        return MX_LATER; /* may be 1 */
    }
    return mx_same_dim(c, from, to, "the size to broadcast to");
}

int mx_broadcast_inputs(struct mx_infer *c)
{
    struct mx_shape all = {0, NULL}, s;
    for (int i = 0; i < c->node->n_in; i++) {
        MX_TRY(mx_input(c, i, &s));
        MX_TRY(mx_broadcast_shapes(c, all, s, &all));
    }
    return mx_output_is(c, 0, all);
}

int mx_infer_broadcast(struct mx_infer *c)
{
    MX_TRY(mx_same_dtype(c, 0, -1));
    return mx_broadcast_inputs(c);
}

int mx_made_size(struct mx_infer *c, const char *attribute, int64_t rows, int64_t columns)
{
    const int64_t most = INT64_C(1) << 40; /* limit: elements of a matrix or window that an operator makes */
    if (rows < 0 || columns < 0) {
        return mx_infer_fail(c, attribute, "the size %lld is negative" MX_HELP "use 0 or more", (long long)(rows < 0 ? rows : columns));
    }
    if (columns > most || (columns > 0 && rows > most / columns) || rows > most) {
        return mx_infer_too_large(c, attribute, "%lld x %lld has more than 2^40 elements", (long long)rows, (long long)columns);
    }
    return MX_OK;
}

/* elemwise_binary_scalar_op.h, NumpyBinaryScalarType: an integer tensor keeps its type and the number is truncated to an integer,
 * unless the file marks it as non-integer. */
const struct mx_attr mx_scalar_attrs[] = {
    MX_DOUBLE(struct mx_scalar, scalar, "1"),
    MX_BOOL(struct mx_scalar, is_int, "True"),
};

int mx_infer_scalar(struct mx_infer *c)
{
    const bool is_int = ((const struct mx_scalar *)c->attrs)->is_int;
    const enum mx_dtype in = mx_input_dtype(c, 0);
    enum mx_dtype t = in;
    if (in == MX_BOOL) {
        t = is_int ? MX_INT64 : MX_FLOAT64;
    } else if (!is_int && mx_dtype_is_integer(in)) {
        t = MX_FLOAT64;
    } else if (in == MX_DTYPE_NONE && is_int) {
        MX_TRY(mx_input_dtype_is(c, 0, mx_output_dtype(c, 0)));
    }
    const double scalar = ((const struct mx_scalar *)c->attrs)->scalar;
    if (mx_dtype_is_integer(t) && !isfinite(scalar)) {
        return mx_infer_fail(c, "scalar", MX_SUBJECT "is %g, but the data is %s" MX_HELP "cast the data to a float type", scalar,
                             mx_dtype_name(in));
    }
    MX_TRY(mx_output_dtype_is(c, 0, t));
    return mx_same_shape(c, 0, 0);
}

int mx_infer_ranges(struct mx_infer *c, int in, int n_in, int out, int n_out)
{
    const mx_dim one = mx_dim_of(1);
    for (int i = in; i < in + n_in; i++) {
        MX_TRY(mx_input_dtype_is(c, i, MX_FLOAT32));
        MX_TRY(mx_input_is_dims(c, i, &one, 1));
    }
    for (int i = out; i < out + n_out; i++) {
        MX_TRY(mx_output_dtype_is(c, i, MX_FLOAT32));
        MX_TRY(mx_output_is_dims(c, i, &one, 1));
    }
    return MX_OK;
}

double mx_number_in(enum mx_dtype t, double v)
{
    const double cycle = t == MX_UINT8 || t == MX_INT8 ? 256 : 0;
    v = mx_dtype_is_integer(t) ? trunc(v) : v;
    if (cycle == 0 || !(fabs(v) < 2147483648.0)) {
        return v;
    }
    const double wrapped = v - cycle * floor(v / cycle);
    return t == MX_INT8 && wrapped > INT8_MAX ? wrapped - cycle : wrapped;
}
