/* Correlation of two maps: compares patches of the first with patches of the second around them (src/operator/correlation-inl.h). A
 * Scan over the displacements, which may be hundreds. */
#include "op/op.h"
#include "shared/cells.h"

struct correlation {
    int64_t kernel_size, max_displacement, stride1, stride2, pad_size;
    bool is_multiply;
};

static const struct mx_attr attrs[] = {
    MX_COUNT(struct correlation, kernel_size, "1"),
    MX_COUNT(struct correlation, max_displacement, "1"),
    MX_COUNT(struct correlation, stride1, "1"),
    MX_COUNT(struct correlation, stride2, "1"),
    MX_COUNT(struct correlation, pad_size, "0"),
    MX_BOOL(struct correlation, is_multiply, "True"),
};

enum {
    LARGEST = 1 << 16,            /* limit: kernel_size and pad_size of a Correlation */
    MOST_DISPLACEMENTS = 1 << 12, /* limit: displacements of a Correlation */
};

static int64_t radius_of(const struct correlation *a)
{
    return a->max_displacement / a->stride2;
}

static int64_t displacements_of(const struct correlation *a)
{
    const int64_t width = 2 * radius_of(a) + 1;
    return width * width;
}

static int check(struct mx_infer *c, const struct correlation *a)
{
    if (a->kernel_size > LARGEST || a->kernel_size % 2 == 0) {
        return mx_infer_fail(c, "kernel_size",
                             MX_SUBJECT "is %lld, but must be an odd number from 1 to %d (with even ones MXNet reads outside the data)",
                             (long long)a->kernel_size, LARGEST);
    }
    MX_TRY(mx_positive(c, "stride1", a->stride1));
    MX_TRY(mx_positive(c, "stride2", a->stride2));
    MX_TRY(mx_within(c, "pad_size", a->pad_size, 0, LARGEST));
    MX_TRY(mx_within(c, "max_displacement", a->max_displacement, 0, LARGEST));
    return displacements_of(a) <= MOST_DISPLACEMENTS
               ? MX_OK
               : mx_infer_too_large(c, "max_displacement",
                                    MX_SUBJECT "is %lld, which with this stride2 gives more than %d displacements" MX_HELP
                                               "choose a smaller one",
                                    (long long)a->max_displacement, MOST_DISPLACEMENTS);
}

static int infer(struct mx_infer *c)
{
    const struct correlation *a = c->attrs;
    struct mx_shape x;
    MX_TRY(check(c, a));
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input_rank(c, 0, 4, &x));
    MX_TRY(mx_input_is(c, 1, x));
    mx_dim out[4] = {x.dims[0], mx_dim_of(displacements_of(a))};
    const int64_t border = a->max_displacement + (a->kernel_size - 1) / 2;
    for (int i = 0; i < 2; i++) {
        int64_t size;
        const mx_dim inner = mx_dim_addn(c->dims, x.dims[2 + i], 2 * (a->pad_size - border));
        if (mx_dim_known(c->dims, inner, &size) && size < 1) {
            return mx_infer_fail(c, "max_displacement",
                                 MX_SUBJECT "is %lld, which leaves nothing of axis %d" MX_HELP "choose a smaller one, or a larger pad_size",
                                 (long long)a->max_displacement, 2 + i);
        }
        out[2 + i] = mx_dim_ceil_div(c->dims, inner, a->stride1);
    }
    return mx_output_is_dims(c, 0, out, 4);
}

/* If patches are single cells, only every stride1-th is read. */
static int64_t step_of(const struct correlation *a)
{
    return a->kernel_size == 1 ? a->stride1 : 1;
}

struct net {
    struct ox_build *b;
    const struct correlation *a;
    ox_val span; /* int64 (2): rows and columns covered by patches */
};

/* The part of x covered by patches that begin at `start`, int64 (2). */
static ox_val part(struct net *k, ox_val x, ox_val start, const mx_dim *size)
{
    struct ox_build *b = k->b;
    const int64_t step = step_of(k->a);
    const struct mx_shape s = MX_DIMS(ox_dim_at(b, x, 0), ox_dim_at(b, x, 1), size[0], size[1]);
    const ox_val end = ox_add(b, start, k->span);
    const ox_val steps = step == 1 ? OX_NONE : OX_INTS(b, step, step);
    return ox_shaped(b, OX_Slice, OX_IN(x, start, end, OX_INTS(b, 2, 3), steps), OX_NO_ATTRS, s);
}

/* Means over a patch and all channels, (N, h, w). */
static ox_val compare(struct net *k, ox_val x, ox_val y)
{
    struct ox_build *b = k->b;
    const int64_t channels = 1, n = k->a->kernel_size, kernel[] = {n, n};
    const int64_t strides[] = {k->a->stride1, k->a->stride1};
    const ox_val each = k->a->is_multiply ? ox_mul(b, x, y) : ox_unary(b, OX_Abs, ox_sub(b, x, y));
    if (n == 1) {
        return ox_reduce(b, OX_ReduceMean, each, &channels, 1, false);
    }
    const ox_val mean = ox_reduce(b, OX_ReduceMean, each, &channels, 1, true);
    const ox_val pooled = ox_node(b, OX_AveragePool, OX_IN(mean), OX_ATTRS(OX_IS("kernel_shape", kernel, 2), OX_IS("strides", strides, 2)));
    return ox_squeeze1(b, pooled, 1);
}

/* The start of the second map's patches: y and x for each displacement. */
static double start_at(const void *spec, int64_t i)
{
    const struct correlation *a = spec;
    const int64_t r = radius_of(a), width = 2 * r + 1, at = i / 2;
    return (double)(a->max_displacement + ((i % 2 == 0 ? at / width : at % width) - r) * a->stride2);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct correlation *a = n->attrs;
    const struct mx_shape y = n->out[0].shape;
    struct mx_dims *t = ox_dims_table(b);
    mx_dim span[2], size[2];
    for (int i = 0; i < 2; i++) {
        const mx_dim last = mx_dim_muln(t, mx_dim_addn(t, y.dims[2 + i], -1), a->stride1);
        span[i] = mx_dim_addn(t, last, a->kernel_size);
        size[i] = a->kernel_size == 1 ? y.dims[2 + i] : span[i];
    }
    struct net k = {.b = b, .a = a, .span = ox_dims(b, span, 2)};
    const ox_val first = ox_zeros_around(b, in[0], a->pad_size), second = ox_zeros_around(b, in[1], a->pad_size);
    const ox_val own = part(&k, first, OX_INTS(b, a->max_displacement, a->max_displacement), size);
    if (displacements_of(a) == 1) {
        const ox_val other = part(&k, second, OX_INTS(b, a->max_displacement, a->max_displacement), size);
        out[0] = ox_unsqueeze1(b, compare(&k, own, other), 1);
        return;
    }
    struct ox_graph *body = ox_graph_begin(b, "displaced");
    const ox_val start = ox_graph_input(b, MX_INT64, MX_DIMS(mx_dim_of(2)));
    const ox_val mean = compare(&k, own, part(&k, second, start, size));
    ox_graph_end(b, &mean, 1);
    const ox_val starts = ox_computed(b, MX_INT64, (const int64_t[]){displacements_of(a), 2}, 2, start_at, a, sizeof *a);
    const ox_val all = ox_node(b, OX_Scan, OX_IN(starts), OX_ATTRS(OX_G("body", body), OX_I("num_scan_inputs", 1)));
    out[0] = ox_swap_axes(b, all, 0, 1); /* ONNX Runtime's Scan crashes with another axis if a size is 0 */
}

const struct mx_op mx_ops_correlation[] = {
    {
        .name = "Correlation",
        MX_ATTRS(attrs, struct correlation),
        .inputs = "data1 data2",
        .infer = infer,
        .lower = lower,
        .refuses = "An even kernel_size: MXNet reads outside of the data.",
        .differs = "Data without channels: the result is 0; MXNet's is NaN.",
    },
    MX_OPS_END,
};
