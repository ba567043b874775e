/* NumPy's vectors and index arrays that are made from attributes. */
#include <math.h>

#include "op/op.h"

/* ---- windows: a - b cos(x) + c cos(2x), x = 2 pi i / (M - 1) (src/operator/numpy/np_window_op.h) */

struct window {
    struct mx_opt_int M;
    enum mx_dtype dtype;
};

static const struct mx_attr window_attrs[] = {
    MX_INT_NONE(struct window, M, "None"),
    MX_IGNORED("ctx"),
    MX_DTYPE(struct window, dtype, "float32"),
};

struct cosines {
    double a, b, c;
};

static const struct cosines hanning = {0.5, 0.5, 0}, hamming = {0.54, 0.46, 0}, blackman = {0.42, 0.5, 0.08};

/* The output is a vector, whose length the attribute gives. */
static int output_vector(struct mx_infer *c, const char *attribute, int64_t length, enum mx_dtype t)
{
    MX_TRY(mx_made_size(c, attribute, length, 1));
    const mx_dim size = mx_dim_of(length);
    MX_TRY(mx_output_dtype_is(c, 0, t == MX_DTYPE_NONE ? MX_FLOAT32 : t));
    return mx_output_is_dims(c, 0, &size, 1);
}

static int infer_window(struct mx_infer *c)
{
    const struct window *a = c->attrs;
    return output_vector(c, "M", a->M.v > 0 ? a->M.v : 0, a->dtype);
}

struct window_spec {
    int64_t count;
    struct cosines w;
    bool integers;
};

static double window_at(const void *spec, int64_t i)
{
    const struct window_spec *s = spec;
    if (s->count == 1) {
        return 1;
    }
    const double x = 2 * 3.14159265358979323846 * (double)i / (double)(s->count - 1);
    return s->integers ? 0 : s->w.a - s->w.b * cos(x) + (s->w.c > 0 ? s->w.c * cos(2 * x) : 0);
}

static void lower_window(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct window *a = n->attrs;
    const struct cosines *w = n->op->data;
    /* MXNet converts the coefficients to the type first. */
    const struct window_spec s = {a->M.v > 0 ? a->M.v : 0, *w, mx_dtype_is_integer(a->dtype)};
    out[0] = ox_computed(b, n->out[0].dtype, &s.count, 1, window_at, &s, sizeof s);
}

/* ---- logspace */

struct logspace {
    double start, stop, base;
    int64_t num;
    bool endpoint;
    enum mx_dtype dtype;
};

static const struct mx_attr logspace_attrs[] = {
    MX_DOUBLE(struct logspace, start, NULL),     MX_DOUBLE(struct logspace, stop, NULL),
    MX_INT(struct logspace, num, NULL),          MX_BOOL(struct logspace, endpoint, "True"),
    MX_DOUBLE(struct logspace, base, "10"),      MX_IGNORED("ctx"),
    MX_DTYPE(struct logspace, dtype, "float32"),
};

static int infer_logspace(struct mx_infer *c)
{
    const struct logspace *a = c->attrs;
    return output_vector(c, "num", a->num, a->dtype);
}

struct powers {
    double base, start, step;
    bool integers;
};

static double power_at(const void *spec, int64_t i)
{
    const struct powers *p = spec;
    const double v = pow(p->base, p->start + p->step * (double)i);
    return p->integers ? trunc(v) : v;
}

static void lower_logspace(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct logspace *a = n->attrs;
    const enum mx_dtype t = n->out[0].dtype;
    const int64_t intervals = a->endpoint ? a->num - 1 : a->num;
    const double step = intervals > 0 ? (a->stop - a->start) / (double)intervals : 0;
    const struct powers p = {a->base, a->start, step, mx_dtype_is_integer(t)};
    out[0] = ox_computed(b, t, &a->num, 1, power_at, &p, sizeof p);
}

/* ---- indices: (rank, dimensions ...), for axis k the index along it */

struct indices {
    struct mx_tuple dimensions;
    enum mx_dtype dtype;
};

static const struct mx_attr indices_attrs[] = {
    MX_SIZES_NONE(struct indices, dimensions, NULL),
    MX_DTYPE(struct indices, dtype, "None"),         /* int32 in MXNet 1, int64 in 2 */
    MX_IGNORED("ctx"),
};

static int infer_indices(struct mx_infer *c)
{
    const struct indices *a = c->attrs;
    struct mx_dim_list dims = mx_no_dims(c);
    int64_t count = a->dimensions.n;
    if (!a->dimensions.given || a->dimensions.n >= MX_MAX_RANK) {
        return mx_infer_fail(c, "dimensions", MX_SUBJECT "has length %d, but must have length 0 to %d", a->dimensions.n, MX_MAX_RANK - 1);
    }
    mx_push_dim(&dims, mx_dim_of(count));
    for (int i = 0; i < a->dimensions.n; i++) {
        const int64_t size = a->dimensions.v[i];
        MX_TRY(mx_made_size(c, "dimensions", count, size));
        count *= size;
        mx_push_dim(&dims, mx_dim_of(size));
    }
    MX_TRY(mx_output_dtype_is(c, 0, a->dtype != MX_DTYPE_NONE ? a->dtype : mx_is_mxnet2(c) ? MX_INT64 : MX_INT32));
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

/* Element i of axis k and its index in that axis: all axes have the same number of elements. */
static double index_at(const void *spec, int64_t i)
{
    const struct indices *a = spec;
    int64_t each = 1;
    for (int k = 0; k < a->dimensions.n; k++) {
        each *= a->dimensions.v[k];
    }
    const int64_t axis = i / each;
    for (int k = 0; k <= axis; k++) {
        i %= each;
        each /= a->dimensions.v[k];
    }
    return (double)(i / each);
}

static void lower_indices(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct indices *a = n->attrs;
    struct mx_int_list dims = ox_no_ints(b);
    mx_push_int(&dims, a->dimensions.n);
    mx_push_ints(&dims, a->dimensions.v, a->dimensions.n);
    out[0] = ox_computed(b, n->out[0].dtype, dims.v, dims.n, index_at, a, sizeof *a);
}

#define FROM_ATTRS(mx, table, type, rule, function, value)                                                                                 \
    {                                                                                                                                      \
        .name = (mx), MX_ATTRS(table, type), .inputs = "", .infer = (rule), .lower = (function), .data = (value),                          \
    }

const struct mx_op mx_ops_np_fill[] = {
    FROM_ATTRS("_npi_blackman", window_attrs, struct window, infer_window, lower_window, &blackman),
    FROM_ATTRS("_npi_hamming", window_attrs, struct window, infer_window, lower_window, &hamming),
    FROM_ATTRS("_npi_hanning", window_attrs, struct window, infer_window, lower_window, &hanning),
    FROM_ATTRS("_npi_indices", indices_attrs, struct indices, infer_indices, lower_indices, NULL),
    FROM_ATTRS("_npi_logspace", logspace_attrs, struct logspace, infer_logspace, lower_logspace, NULL),
    MX_OPS_END,
};
