/* quadratic, allclose, all_finite, multi_all_finite, _onehot_encode, _sparse_retain, count_sketch, fft, ifft: rarely used operators
 * (src/operator/contrib, src/operator/tensor/sparse_retain.cc). */
#include <math.h>

#include "onnx/builder/build.h"
#include "op/op.h"

enum { MOST_FFT = 2048 };

/* ---- quadratic: x (a x + b) + c, in floats */

struct legacy {
    double a, b, c, rtol, atol;
    bool equal_nan;
    int64_t num_arrays, out_dim;
};

static const struct mx_attr quadratic_attrs[] = {
    MX_FLOAT(struct legacy, a, "0"),
    MX_FLOAT(struct legacy, b, "0"),
    MX_FLOAT(struct legacy, c, "0"),
    MX_ATTRS_END,
};

static ox_val k(struct ox_build *b, ox_val x, double v)
{
    return ox_scalar_like(b, x, v);
}

static void lower_quadratic(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct legacy *a = n->attrs;
    const enum mx_dtype t = n->out[0].dtype;
    const ox_val x = ox_cast(b, in[0], mx_dtype_is_float(t) ? t : MX_FLOAT32);
    const ox_val factor = ox_add(b, ox_scaled(b, x, a->a), k(b, x, a->b));
    out[0] = ox_cast(b, ox_add(b, ox_mul(b, x, factor), k(b, x, a->c)), t);
}

/* ---- allclose */

static const struct mx_attr close_attrs[] = {
    MX_FLOAT(struct legacy, rtol, "1e-05"),
    MX_FLOAT(struct legacy, atol, "1e-08"),
    MX_BOOL(struct legacy, equal_nan, "True"),
    MX_ATTRS_END,
};

static int infer_close(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_output_dtype_is(c, 0, MX_UINT8));
    MX_TRY(mx_output_is_dims(c, 0, NULL, 0));
    MX_TRY(mx_input_dtype_is(c, 1, mx_input_dtype(c, 0)));
    MX_TRY(mx_input(c, 0, &s));
    return mx_input_is(c, 1, s);
}

/* 1 if all elements are true, or if there are none. */
static ox_val all_of(struct ox_build *b, ox_val x, enum mx_dtype t)
{
    const ox_val least = ox_reduce(b, OX_ReduceMin, ox_cast(b, x, MX_INT32), NULL, -1, false);
    return ox_cast(b, ox_binary(b, OX_Greater, least, ox_scalar(b, MX_INT32, 0)), t);
}

static void lower_close(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct legacy *a = n->attrs;
    const enum mx_dtype t = ox_dtype(b, in[0]) == MX_FLOAT64 ? MX_FLOAT64 : MX_FLOAT32;
    const ox_val x = ox_cast(b, in[0], t), y = ox_cast(b, in[1], t);
    const ox_val far = ox_unary(b, OX_Abs, ox_sub(b, x, y));
    const ox_val most = ox_add(b, ox_scaled(b, ox_unary(b, OX_Abs, y), a->rtol), k(b, y, a->atol));
    const ox_val near = ox_unary(b, OX_Not, ox_binary(b, OX_Greater, far, most));
    const ox_val x_nan = ox_unary(b, OX_IsNaN, x), y_nan = ox_unary(b, OX_IsNaN, y);
    const ox_val any = ox_binary(b, OX_Or, x_nan, y_nan), both = ox_binary(b, OX_And, x_nan, y_nan);
    /* Infinities with the same sign are equal, although their difference is NaN. */
    const ox_val same = ox_binary(b, OX_Or, near, ox_binary(b, OX_Equal, x, y));
    const ox_val numbers = ox_binary(b, OX_And, same, ox_unary(b, OX_Not, any));
    out[0] = all_of(b, a->equal_nan ? ox_binary(b, OX_Or, numbers, both) : numbers, MX_UINT8);
}

/* ---- all_finite: 1 or 0 as float32 (1) */

static const struct mx_attr finite_attrs[] = {
    MX_IGNORED("init_output"),
    MX_COUNT(struct legacy, num_arrays, "1"),
    MX_ATTRS_END,
};

static int finite_inputs(const void *attrs)
{
    return mx_count(((const struct legacy *)attrs)->num_arrays);
}

static int infer_finite(struct mx_infer *c)
{
    const mx_dim one = mx_dim_of(1);
    MX_TRY(mx_output_dtype_is(c, 0, MX_FLOAT32));
    MX_TRY(mx_output_is_dims(c, 0, &one, 1));
    MX_TRY(mx_inputs_typed(c));
    for (int i = 0; i < c->node->n_in; i++) {
        const enum mx_dtype t = mx_input_dtype(c, i);
        if (!mx_dtype_is_float(t)) {
            return mx_infer_fail(c, NULL, "input %d is %s, but must be of a float type", i, mx_dtype_name(t));
        }
    }
    return MX_OK;
}

static void lower_finite(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    ox_val all = OX_NONE;
    for (int i = 0; i < n->n_in; i++) {
        const ox_val x = ox_cast(b, in[i], ox_dtype(b, in[i]) == MX_FLOAT16 ? MX_FLOAT32 : ox_dtype(b, in[i]));
        const ox_val wild = ox_binary(b, OX_Or, ox_unary(b, OX_IsInf, x), ox_unary(b, OX_IsNaN, x));
        const ox_val here = all_of(b, ox_unary(b, OX_Not, wild), MX_FLOAT32);
        all = all == OX_NONE ? here : ox_mul(b, all, here);
    }
    out[0] = ox_reshape_ints(b, all, (const int64_t[]){1}, 1);
}

/* ---- onehot_encode: indices (n) into the shape of rhs (n, classes) */

static int infer_onehot(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_same_dtype(c, 0, 1));
    MX_TRY(mx_input_rank(c, 1, 2, &s));
    MX_TRY(mx_input_is_dims(c, 0, s.dims, 1));
    return mx_output_is(c, 0, s);
}

static void lower_onehot(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const ox_val at = ox_unsqueeze1(b, ox_cast(b, in[0], MX_INT64), 1);
    const ox_val classes = ox_range(b, n->out[0].shape.dims[1]);
    out[0] = ox_cast(b, ox_binary(b, OX_Equal, at, classes), n->out[0].dtype);
}

/* ---- sparse_retain: the listed rows, zeros elsewhere */

static int infer_retain(struct mx_infer *c)
{
    struct mx_shape s, index;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input_at_least(c, 0, 1, &s));
    MX_TRY(mx_input_rank(c, 1, 1, &index));
    return mx_output_is(c, 0, s);
}

static void lower_retain(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const int rank = ox_rank(b, in[0]);
    const ox_val row = ox_unsqueeze1(b, ox_range(b, ox_dim_at(b, in[0], 0)), 1);
    const ox_val hits = ox_binary(b, OX_Equal, row, ox_cast(b, in[1], MX_INT64));
    const ox_val count = ox_reduce(b, OX_ReduceSum, ox_cast(b, hits, MX_INT64), (const int64_t[]){1}, 1, false);
    const ox_val kept = ox_binary(b, OX_Greater, count, ox_scalar(b, MX_INT64, 0));
    out[0] = ox_where(b, ox_along(b, kept, 0, rank), in[0], k(b, in[0], 0));
}

/* ---- count_sketch: element i of the last axis, with a sign, is added to position h[i] */

static const struct mx_attr sketch_attrs[] = {
    MX_COUNT(struct legacy, out_dim, NULL),
    MX_IGNORED("processing_batch_size"),
    MX_ATTRS_END,
};

static int infer_sketch(struct mx_infer *c)
{
    const struct legacy *a = c->attrs;
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input(c, 0, &s));
    if ((s.ndim != 2 && s.ndim != 4) || a->out_dim < 1) {
        return s.ndim == 2 || s.ndim == 4 ? mx_positive(c, "out_dim", a->out_dim)
                                          : mx_infer_fail(c, "data", MX_SUBJECT "has rank %d, but must have rank 2 or 4", s.ndim);
    }
    for (int i = 0; i < s.ndim; i++) {
        mx_put_dim(&dims, i, i < s.ndim - 1 ? s.dims[i] : mx_dim_of(a->out_dim));
    }
    const mx_dim row[] = {mx_dim_of(1), s.dims[s.ndim - 1]};
    MX_TRY(mx_input_is_dims(c, 1, row, 2));
    MX_TRY(mx_input_is_dims(c, 2, row, 2));
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower_sketch(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct legacy *a = n->attrs;
    const ox_val place = ox_swap_axes(b, ox_cast(b, in[1], MX_INT64), 0, 1);
    const ox_val hits = ox_binary(b, OX_Equal, place, ox_range(b, mx_dim_of(a->out_dim)));
    const ox_val signs = ox_where(b, hits, ox_swap_axes(b, in[2], 0, 1), k(b, in[2], 0));
    out[0] = ox_matmul(b, in[0], signs);
}

/* ---- fft, ifft along the last axis, where real and imaginary parts alternate. ifft gives the real part, and does not divide by the
 * length */

enum { INVERSE = 1 };

static const struct mx_attr fft_attrs[] = {
    MX_IGNORED("compute_size"),
    MX_ATTRS_END,
};

static int infer_fft(struct mx_infer *c)
{
    const bool inverse = c->node->op->which == INVERSE;
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    int64_t size;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    if (s.ndim != 2 && s.ndim != 4) {
        return mx_infer_fail(c, "data", MX_SUBJECT "has rank %d, but must have rank 2 or 4", s.ndim);
    }
    MX_TRY(mx_number(c, s.dims[s.ndim - 1], "the last axis", &size));
    if (size < 1 || size > MOST_FFT || (inverse && size % 2 != 0)) {
        return mx_infer_fail(c, "data", "the last axis has size %lld, but must have 1 to %d, and for ifft an even size", (long long)size,
                             MOST_FFT);
    }
    for (int i = 0; i < s.ndim; i++) {
        mx_put_dim(&dims, i, i < s.ndim - 1 ? s.dims[i] : mx_dim_of(inverse ? size / 2 : 2 * size));
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

/* sin(pi a / half), a >= 0. The angle passed to the C library is at most pi / 2: near multiples of pi libraries differ, and that of
 * mingw-w64 has an error in the fifth digit of a result that should be 0. */
static double sine_of(int64_t a, int64_t half)
{
    a %= 2 * half;
    const double sign = a > half ? -1 : 1;
    a = a > half ? a - half : a;
    a = 2 * a > half ? half - a : a;
    return sign * sin(3.14159265358979323846 * (double)a / (double)half);
}

/* The whole transform is one matrix product. */
static void lower_fft(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const bool inverse = n->op->which == INVERSE;
    const int rank = ox_rank(b, in[0]);
    int64_t rows = 0, columns = 0;
    (void)ox_size_at(b, in[0], rank - 1, &rows);
    (void)mx_dim_known(ox_dims_table(b), n->out[0].shape.dims[rank - 1], &columns);
    const int64_t length = inverse ? columns : rows;
    double *v = ox_scratch(b, (size_t)(rows * columns) + 1, sizeof *v);
    for (int64_t i = 0; i < rows * columns && !ox_failed(b); i++) {
        const int64_t row = i / columns, column = i % columns;
        const int64_t turn = (inverse ? row / 2 * column : row * (column / 2)) % length;
        const bool sine = (inverse ? row : column) % 2 == 1;
        v[i] = sine ? -sine_of(4 * turn, 2 * length) : sine_of(4 * turn + length, 2 * length);
    }
    const ox_val flat = ox_floats(b, ox_dtype(b, in[0]), v, (int)(rows * columns));
    out[0] = ox_matmul(b, in[0], ox_reshape_ints(b, flat, (const int64_t[]){rows, columns}, 2));
}

const struct mx_op mx_ops_legacy[] = {
    {
        .name = "_contrib_allclose",
        .single = true,
        MX_ATTRS(close_attrs, struct legacy),
        .inputs = "a b",
        .infer = infer_close,
        .lower = lower_close,
    },
    {
        .name = "_contrib_count_sketch",
        MX_ATTRS(sketch_attrs, struct legacy),
        .inputs = "data h:exact s",
        .infer = infer_sketch,
        .lower = lower_sketch,
    },
    {
        .name = "_contrib_fft",
        .single = true,
        MX_ATTRS(fft_attrs, struct legacy),
        .infer = infer_fft,
        .lower = lower_fft,
    },
    {
        .name = "_contrib_ifft",
        .single = true,
        MX_ATTRS(fft_attrs, struct legacy),
        .infer = infer_fft,
        .lower = lower_fft,
        .which = INVERSE,
    },
    {
        .name = "_contrib_quadratic",
        MX_ATTRS(quadratic_attrs, struct legacy),
        .infer = mx_infer_same,
        .lower = lower_quadratic,
    },
    {
        .name = "_onehot_encode",
        .alias = "onehot_encode",
        .inputs = "lhs:exact rhs",
        .infer = infer_onehot,
        .lower = lower_onehot,
    },
    {
        .name = "_sparse_retain",
        .alias = "sparse_retain",
        .inputs = "data indices:exact",
        .infer = infer_retain,
        .lower = lower_retain,
    },
    {
        .name = "all_finite",
        .single = true,
        MX_ATTRS(finite_attrs, struct legacy),
        .infer = infer_finite,
        .lower = lower_finite,
    },
    {
        .name = "multi_all_finite",
        .single = true,
        MX_ATTRS(finite_attrs, struct legacy),
        .inputs = "array...",
        .n_inputs = finite_inputs,
        .infer = infer_finite,
        .lower = lower_finite,
    },
    MX_OPS_END,
};
