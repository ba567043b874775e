/* Average pooling to a given size (src/operator/contrib/adaptive_avg_pooling.cc): output cell i is
 * the mean of input cells floor(i * in / out) .. ceil((i + 1) * in / out), which may overlap. */
#include <math.h>

#include "op/op.h"

struct adaptive {
    struct mx_tuple output_size;
};

static const struct mx_attr attrs[] = {MX_SIZES_NONE(struct adaptive, output_size, "()")};

enum { LARGEST = 1 << 15 };        /* limit: height and width that AdaptiveAvgPooling2D makes */
enum { LARGEST_MATRIX = 1 << 24 }; /* limit: elements of a matrix of means of AdaptiveAvgPooling2D */

/* Absent: 1 x 1; a single number: a square. */
static int64_t target(const struct adaptive *a, int i)
{
    return a->output_size.n == 1 ? a->output_size.v[0] : a->output_size.n == 2 ? a->output_size.v[i] : 1;
}

static int infer(struct mx_infer *c)
{
    const struct adaptive *a = c->attrs;
    struct mx_shape x;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input_rank(c, 0, 4, &x));
    if (target(a, 0) < 1 || target(a, 1) < 1 || target(a, 0) > LARGEST || target(a, 1) > LARGEST) {
        return mx_infer_fail(c, "output_size", MX_SUBJECT "is (%lld, %lld), but must be 1 to %d", (long long)target(a, 0),
                             (long long)target(a, 1), LARGEST);
    }
    return mx_output_is_dims(c, 0, (const mx_dim[]){x.dims[0], x.dims[1], mx_dim_of(target(a, 0)), mx_dim_of(target(a, 1))}, 4);
}

struct means {
    int64_t in, out;
};

static double mean_at(const void *spec, int64_t at)
{
    const struct means *m = spec;
    const int64_t i = at / m->in, j = at % m->in;
    const int64_t begin = i * m->in / m->out, end = ((i + 1) * m->in + m->out - 1) / m->out;
    return j >= begin && j < end ? 1.0 / (double)(end - begin) : 0;
}

/* The matrix (out, in) of means, for a known size. */
static ox_val constant_means(struct ox_build *b, int64_t in, int64_t out, enum mx_dtype t)
{
    const struct means m = {in, out};
    return ox_computed(b, t, (const int64_t[]){out, in}, 2, mean_at, &m, sizeof m);
}

static double counted_at(const void *first, int64_t i)
{
    return (double)(*(const int64_t *)first + i);
}

/* first, first + 1, ... (`n` numbers), along axis `axis` of two. */
static ox_val counted(struct ox_build *b, int64_t first, int64_t n, int axis)
{
    return ox_computed(b, MX_INT64, (const int64_t[]){axis == 0 ? n : 1, axis == 0 ? 1 : n}, 2, counted_at, &first, sizeof first);
}

/* The same, computed at run time: cell j counts for i if begin(i) <= j < end(i). `i` runs along axis `axis`. */
static ox_val computed_means(struct ox_build *b, mx_dim in, int64_t out, int axis, enum mx_dtype t)
{
    const ox_val size = ox_dim(b, in), count = ox_int(b, out);
    const ox_val below = ox_mul(b, counted(b, 0, out, axis), size);
    const ox_val above = ox_mul(b, counted(b, 1, out, axis), size);
    const ox_val begin = ox_div(b, below, count);
    const ox_val end = ox_div(b, ox_add(b, above, ox_int(b, out - 1)), count);
    const ox_val all = ox_range(b, in), cell = axis == 0 ? all : ox_unsqueeze1(b, all, 1);
    const ox_val inside = ox_binary(b, OX_And, ox_binary(b, OX_GreaterOrEqual, cell, begin), ox_binary(b, OX_Less, cell, end));
    return ox_div(b, ox_cast(b, inside, t), ox_cast(b, ox_sub(b, end, begin), t));
}

/* Means over one spatial axis: a product from the left for rows, from the right for columns. */
static ox_val average(struct ox_build *b, ox_val x, int axis, int64_t out)
{
    int64_t size;
    const enum mx_dtype t = ox_dtype(b, x);
    const mx_dim in = ox_dim_at(b, x, axis);
    if (!ox_size_at(b, x, axis, &size)) {
        const ox_val means = computed_means(b, in, out, axis - 2, t);
        return axis == 2 ? ox_matmul(b, means, x) : ox_matmul(b, x, means);
    }
    if (size == out) {
        return x;
    }
    if (size > LARGEST_MATRIX / out) {
        ox_fail(b, "output_size",
                "pooling %lld cells to %lld needs a matrix that is too large" MX_HELP "use sizes where one divides the other",
                (long long)size, (long long)out);
        return OX_NONE;
    }
    const ox_val means = constant_means(b, size, out, t);
    return axis == 2 ? ox_matmul(b, means, x) : ox_matmul(b, x, ox_swap_axes(b, means, 0, 1));
}

/* True if all output cells cover the same number of input cells without overlap; returns that number. */
static bool divides(struct ox_build *b, ox_val x, int axis, int64_t out, int64_t *cells)
{
    int64_t size;
    const bool yes = ox_size_at(b, x, axis, &size) && size % out == 0;
    *cells = yes ? size / out : 0;
    return yes;
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct adaptive *a = n->attrs;
    const int64_t h = target(a, 0), w = target(a, 1);
    const enum mx_dtype t = ox_dtype(b, in[0]);
    int64_t cells[2];
    if (ox_is_empty(b, in[0])) { /* means of nothing */
        out[0] = ox_expand(b, ox_scalar(b, t, (double)NAN), n->out[0].shape.dims, n->out[0].shape.ndim);
        return;
    }
    if (h == 1 && w == 1) {
        out[0] = t == MX_FLOAT64 ? ox_reduce(b, OX_ReduceMean, in[0], (const int64_t[]){2, 3}, 2, true)
                                 : ox_unary(b, OX_GlobalAveragePool, in[0]);
        return;
    }
    const bool even_rows = divides(b, in[0], 2, h, &cells[0]), even_columns = divides(b, in[0], 3, w, &cells[1]);
    if (even_rows && even_columns) {
        const bool same = cells[0] == 1 && cells[1] == 1;
        out[0] =
            same ? in[0] : ox_node(b, OX_AveragePool, OX_IN(in[0]), OX_ATTRS(OX_IS("kernel_shape", cells, 2), OX_IS("strides", cells, 2)));
        return;
    }
    out[0] = average(b, average(b, in[0], 2, h), 3, w);
}

const struct mx_op mx_ops_adaptive_avg_pooling[] = {
    {
        .name = "_contrib_AdaptiveAvgPooling2D",
        MX_ATTRS(attrs, struct adaptive),
        .infer = infer,
        .lower = lower,
        .refuses =
            "output_size above 32768.\n"
            "An axis that is not a multiple of its output_size, where the product of both is above 16777216: the matrix of weights would "
            "be too large.",
        .differs =
            "Data without pixels at run time, not at export: the result is 0, or the model fails at run time; MXNet's result is NaN.",
    },
    MX_OPS_END,
};
