/* UpSampling: repeated cells, or a transposed convolution with stored weights
 * (src/operator/nn/upsampling.cc). */
#include "op/op.h"

struct upsampling {
    int64_t scale, num_filter, num_args;
    int sample_type, multi_input_mode;
};

enum { NEAREST, BILINEAR };
enum { CONCAT, SUM };
static const char *const sample_types[] = {"nearest", "bilinear", NULL};
static const char *const multi_input_modes[] = {"concat", "sum", NULL};

static const struct mx_attr attrs[] = {
    MX_COUNT(struct upsampling, scale, NULL),
    MX_COUNT(struct upsampling, num_filter, "0"),
    MX_ENUM(struct upsampling, sample_type, NULL, sample_types),
    MX_ENUM(struct upsampling, multi_input_mode, "concat", multi_input_modes),
    MX_COUNT(struct upsampling, num_args, NULL),
    MX_IGNORED("workspace"),
};

static int n_inputs(const void *attrs_)
{
    const struct upsampling *a = attrs_;
    return a->sample_type == BILINEAR ? 2 : mx_count(a->num_args);
}

static int64_t kernel_of(const struct upsampling *a)
{
    return 2 * a->scale - a->scale % 2;
}

static int infer_bilinear(struct mx_infer *c, mx_dim channels)
{
    const struct upsampling *a = c->attrs;
    const mx_dim k = mx_dim_of(kernel_of(a));
    MX_TRY(mx_positive(c, "num_filter", a->num_filter));
    MX_TRY(mx_same_dim(c, channels, mx_dim_of(a->num_filter), "num_filter and channels"));
    return mx_input_is_dims(c, 1, (const mx_dim[]){channels, mx_dim_of(1), k, k}, 4);
}

/* True if size is known to divide target, *factor times. */
static bool factor_of(struct mx_dims *t, mx_dim target, mx_dim size, int64_t *factor)
{
    mx_dim ratio;
    return mx_dim_div_exact(t, target, size, &ratio) && mx_dim_known(t, ratio, factor);
}

/* Each input is enlarged by its own factor, the same in both axes, to the size that the first one reaches. */
static int infer_nearest(struct mx_infer *c, mx_dim *out)
{
    const struct upsampling *a = c->attrs;
    for (int i = 1; i < c->node->n_in; i++) {
        struct mx_shape x;
        int64_t factors[4], size, target;
        MX_TRY(mx_input_rank(c, i, 4, &x));
        MX_TRY(mx_same_dim(c, x.dims[0], out[0], "batch"));
        if (a->multi_input_mode == SUM) {
            MX_TRY(mx_same_dim(c, x.dims[1], out[1], "channels"));
        } else {
            out[1] = mx_dim_add(c->dims, out[1], x.dims[1]);
        }
        for (int axis = 2; axis < 4; axis++) {
            factors[axis] = 0;
            if (!factor_of(c->dims, out[axis], x.dims[axis], &factors[axis]) && mx_dim_known(c->dims, x.dims[axis], &size)
                && mx_dim_known(c->dims, out[axis], &target)) {
                return mx_infer_fail(c, "scale", "input %d has size %lld, which does not divide the output's size %lld", i, (long long)size,
                                     (long long)target);
            }
        }
        if (factors[2] > 0 && factors[3] > 0 && factors[2] != factors[3]) {
            return mx_infer_fail(c, "scale", "input %d is enlarged by %lld and %lld, but one factor is for height and width", i,
                                 (long long)factors[2], (long long)factors[3]);
        }
    }
    return MX_OK;
}

static int infer(struct mx_infer *c)
{
    const struct upsampling *a = c->attrs;
    struct mx_shape x;
    MX_TRY(mx_within(c, "scale", a->scale, 1, 1000));
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input_rank(c, 0, 4, &x));
    mx_dim out[4] = {x.dims[0], x.dims[1], mx_dim_muln(c->dims, x.dims[2], a->scale), mx_dim_muln(c->dims, x.dims[3], a->scale)};
    MX_TRY(a->sample_type == BILINEAR ? infer_bilinear(c, x.dims[1]) : infer_nearest(c, out));
    return mx_output_is_dims(c, 0, out, 4);
}

static ox_val bilinear(struct ox_build *b, const struct upsampling *a, const ox_val *in)
{
    const int64_t k = kernel_of(a), p = a->scale / 2; /* ceil((scale - 1) / 2) */
    return ox_node(b, OX_ConvTranspose, OX_IN(in[0], in[1]),
                   OX_ATTRS(OX_IS("kernel_shape", ((const int64_t[]){k, k}), 2),
                            OX_IS("strides", ((const int64_t[]){a->scale, a->scale}), 2), OX_IS("pads", ((const int64_t[]){p, p, p, p}), 4),
                            OX_I("group", a->num_filter)));
}

static ox_val repeat(struct ox_build *b, ox_val x, const mx_dim *target)
{
    struct mx_dims *t = ox_dims_table(b);
    int64_t factor;
    if (factor_of(t, target[2], ox_dim_at(b, x, 2), &factor) || factor_of(t, target[3], ox_dim_at(b, x, 3), &factor)) {
        return factor == 1 ? x : ox_enlarge(b, x, factor, factor);
    }
    const mx_dim sizes[4] = {ox_dim_at(b, x, 0), ox_dim_at(b, x, 1), target[2], target[3]};
    return ox_node(b, OX_Resize, OX_IN(x, OX_NONE, OX_NONE, ox_dims(b, sizes, 4)),
                   OX_ATTRS(OX_S("mode", "nearest"), OX_S("coordinate_transformation_mode", "asymmetric"), OX_S("nearest_mode", "floor")));
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct upsampling *a = n->attrs;
    if (a->sample_type == BILINEAR) {
        out[0] = bilinear(b, a, in);
        return;
    }
    ox_val *parts = ox_scratch(b, (size_t)n->n_in, sizeof *parts);
    if (!parts) {
        return;
    }
    for (int i = 0; i < n->n_in; i++) {
        parts[i] = repeat(b, in[i], n->out[0].shape.dims);
    }
    if (a->multi_input_mode == CONCAT) {
        out[0] = ox_concat(b, parts, n->n_in, 1);
        return;
    }
    out[0] = parts[0];
    for (int i = 1; i < n->n_in; i++) {
        out[0] = ox_add(b, out[0], parts[i]);
    }
}

const struct mx_op mx_ops_upsampling[] = {
    {.name = "UpSampling", MX_ATTRS(attrs, struct upsampling), .inputs = "arg...", .n_inputs = n_inputs, .infer = infer, .lower = lower},
    MX_OPS_END,
};
