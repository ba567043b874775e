/* fft, ifft along the last axis, where real and imaginary parts alternate. ifft gives the real part, and does not divide by the length
 * (src/operator/contrib/fft-inl.h, ifft-inl.h). */
#include <math.h>

#include "op/op.h"

enum { INVERSE = 1 };
enum { MOST_FFT = 2048 };

static int infer(struct mx_infer *c)
{
    const bool inverse = c->node->op->which == INVERSE;
    struct mx_shape s;
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
    struct mx_dim_list dims = mx_dims_like(c, s);
    mx_put_dim(&dims, s.ndim - 1, mx_dim_of(inverse ? size / 2 : 2 * size));
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

/* The matrix of a transform: row by column, the real part before the imaginary one. */
struct turns {
    bool inverse;
    int64_t columns, length;
};

static double turn_at(const void *spec, int64_t i)
{
    const struct turns *t = spec;
    const int64_t row = i / t->columns, column = i % t->columns;
    const int64_t turn = (t->inverse ? row / 2 * column : row * (column / 2)) % t->length;
    const bool sine = (t->inverse ? row : column) % 2 == 1;
    return sine ? -sine_of(4 * turn, 2 * t->length) : sine_of(4 * turn + t->length, 2 * t->length);
}

/* The whole transform is one matrix product. */
static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const bool inverse = n->op->which == INVERSE;
    const int rank = ox_rank(b, in[0]);
    int64_t rows = 0, columns = 0;
    (void)ox_size_at(b, in[0], rank - 1, &rows);
    (void)mx_dim_known(ox_dims_table(b), n->out[0].shape.dims[rank - 1], &columns);
    const struct turns t = {inverse, columns, inverse ? columns : rows};
    out[0] = ox_matmul(b, in[0], ox_computed(b, ox_dtype(b, in[0]), (const int64_t[]){rows, columns}, 2, turn_at, &t, sizeof t));
}

const struct mx_op mx_ops_fft[] = {
    {.name = "_contrib_fft", .single = true, MX_IGNORED_ATTRS("compute_size"), .infer = infer, .lower = lower},
    {.name = "_contrib_ifft", .single = true, MX_IGNORED_ATTRS("compute_size"), .infer = infer, .lower = lower, .which = INVERSE},
    MX_OPS_END,
};
