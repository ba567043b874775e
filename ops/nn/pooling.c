/* Pooling (src/operator/nn/pooling.cc, pool.h) and the Pooling_v1 of old graphs (src/operator/pooling_v1-inl.h).
 *
 * The convention "full" rounds the output size up. It is written as "valid" with more padding at the end: `stride - 1` more cells turn
 * floor into ceil for any input size, and a known size needs only the missing cells. ONNX's ceil_mode is of little help: it drops windows
 * that begin in the end padding, and runtimes disagree on its divisors when padding counts. */
#include "op/op.h"
#include "shared/quantized.h"
#include "shared/window.h"

enum pool_type { MAX, AVG, SUM, LP };
enum convention { VALID, FULL, SAME };

struct pool {
    struct mx_window_attrs window;
    int pool_type, pooling_convention;
    struct mx_opt_bool count_include_pad;
    bool global_pool;
    struct mx_opt_int p_value;
    int output_size;
};

static const char *const not_given[] = {"None", NULL};
static const char *const pool_types[] = {"max", "avg", "sum", "lp", NULL};
static const char *const pool_types_v1[] = {"max", "avg", "sum", NULL};
static const char *const conventions[] = {"valid", "full", "same", NULL};
static const char *const conventions_v1[] = {"valid", "full", NULL};

static const struct mx_attr attrs[] = {
    MX_WINDOW_ROW(struct pool, kernel, "()"),
    MX_ENUM(struct pool, pool_type, "max", pool_types),
    MX_BOOL(struct pool, global_pool, "False"),
    MX_ENUM(struct pool, pooling_convention, "valid", conventions),
    MX_WINDOW_ROW(struct pool, stride, "()"),
    MX_WINDOW_ROW(struct pool, pad, "()"),
    MX_INT_NONE(struct pool, p_value, "None"),
    MX_BOOL_NONE(struct pool, count_include_pad, "None"),
    MX_WINDOW_LAYOUT(struct pool),
    MX_IGNORED("cudnn_off"),
    MX_ENUM(struct pool, output_size, "None", not_given),           /* MXNet 2's, for what is AdaptiveAvgPooling2D in MXNet 1 */
};

static const struct mx_attr attrs_v1[] = {
    MX_WINDOW_ROW(struct pool, kernel, "()"),
    MX_ENUM(struct pool, pool_type, "max", pool_types_v1),
    MX_BOOL(struct pool, global_pool, "False"),
    MX_ENUM(struct pool, pooling_convention, "valid", conventions_v1),
    MX_WINDOW_ROW(struct pool, stride, "()"),
    MX_WINDOW_ROW(struct pool, pad, "()"),
};

enum { ZEROS_TAKE_PART = 1 }; /* of Pooling_v1: padding counts as real zeros, in the maximum and in the divisor */

/* True if ONNX has the operator for all axes after the channels, which runtimes optimise best. */
static bool has_global(const struct pool *a, enum mx_dtype dtype)
{
    return (a->pool_type == MAX || a->pool_type == AVG) && !mx_layout_channels_last(a->window.layout)
           && dtype != MX_FLOAT64; /* no kernel */
}

static int infer_global(struct mx_infer *c, const struct pool *a)
{
    struct mx_shape x;
    MX_TRY(mx_input(c, 0, &x));
    if (x.ndim < 3 || x.ndim > 2 + MX_MAX_SPATIAL) {
        return mx_infer_fail(c, NULL, "the data has rank %d, but must have rank 3, 4 or 5", x.ndim);
    }
    mx_dim out[2 + MX_MAX_SPATIAL];
    const int channels = mx_layout_channels_last(a->window.layout) ? x.ndim - 1 : 1;
    for (int i = 0; i < x.ndim; i++) {
        out[i] = i == 0 || i == channels ? x.dims[i] : mx_dim_of(1);
    }
    return mx_output_is_dims(c, 0, out, x.ndim);
}

static int check(struct mx_infer *c, const struct pool *a)
{
    if (a->pool_type == LP && (a->p_value.v < 1 || a->p_value.v > 3)) {
        return mx_infer_fail(c, "p_value", MX_SUBJECT "is %lld, but must be 1, 2 or 3 for pool_type lp", (long long)a->p_value.v);
    }
    if (a->pooling_convention == SAME && !a->global_pool) {
        return mx_infer_fail(c, "pooling_convention",
                             MX_SUBJECT "is \"same\", which MXNet 1.x cannot run either" MX_HELP "use \"valid\" or \"full\" with pad");
    }
    return MX_OK;
}

static int infer(struct mx_infer *c)
{
    const struct pool *a = c->attrs;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(check(c, a));
    c->needs_rank = !a->global_pool || !has_global(a, mx_output_dtype(c, 0));
    if (a->global_pool) {
        return infer_global(c, a);
    }
    struct mx_window w;
    struct mx_shape x;
    MX_TRY(mx_window_init(c, &a->window, &w));
    w.ceil = a->pooling_convention == FULL;
    MX_TRY(mx_input_rank(c, 0, w.n + 2, &x));
    return mx_window_output(c, &w, x.dims[mx_window_channels(&w)], mx_window_size);
}

static ox_val cube(struct ox_build *b, ox_val x)
{
    return ox_binary(b, OX_Pow, x, ox_scalar_like(b, x, 3));
}

/* Reductions need no transposition. */
static ox_val lower_global(struct ox_build *b, const struct pool *a, ox_val x)
{
    const int rank = ox_rank(b, x);
    const bool last = mx_layout_channels_last(a->window.layout);
    int64_t axes[MX_MAX_SPATIAL];
    for (int i = 0; i < rank - 2; i++) {
        axes[i] = last ? 1 + i : 2 + i;
    }
    if (has_global(a, ox_dtype(b, x))) {
        return ox_unary(b, a->pool_type == MAX ? OX_GlobalMaxPool : OX_GlobalAveragePool, x);
    }
    const int64_t power = a->pool_type == LP ? a->p_value.v : 1;
    const enum ox_op op = a->pool_type == MAX   ? OX_ReduceMax
                          : a->pool_type == AVG ? OX_ReduceMean
                          : power == 2          ? OX_ReduceL2
                                                : OX_ReduceSum;
    const ox_val y = ox_reduce(b, op, power == 3 ? cube(b, x) : x, axes, rank - 2, true);
    return power == 3 ? ox_signed_pow(b, y, 1.0 / 3) : y;
}

/* Padding of the windows' axes, for data with channels first. */
struct pads {
    const struct mx_window *w;
    int64_t begin[MX_MAX_SPATIAL], end[MX_MAX_SPATIAL];
};

/* The cells to add to the end padding so that rounding down gives the size of "full". */
static struct pads surplus_of(struct ox_build *b, const struct pool *a, const struct mx_window *w, ox_val x)
{
    struct pads p = {.w = w};
    for (int i = 0; i < w->n && a->pooling_convention == FULL; i++) {
        int64_t size;
        p.end[i] = w->stride[i] - 1;
        if (ox_size_at(b, x, 2 + i, &size)) {
            const int64_t rest = (size + (2 * w->pad[i] - w->kernel[i])) % w->stride[i];
            p.end[i] = rest ? w->stride[i] - rest : 0;
        }
    }
    return p;
}

static struct pads pads_of(const struct mx_window *w)
{
    struct pads p = {.w = w};
    for (int i = 0; i < w->n; i++) {
        p.begin[i] = p.end[i] = w->pad[i];
    }
    return p;
}

static struct pads add_surplus(struct pads p, const struct pads *surplus)
{
    for (int i = 0; i < p.w->n; i++) {
        p.end[i] += surplus->end[i];
    }
    return p;
}

/* There is never less at the end than at the beginning. */
static bool is_zero(const struct pads *p)
{
    for (int i = 0; i < p->w->n; i++) {
        if (p->end[i]) {
            return false;
        }
    }
    return true;
}

/* False if a window can be entirely in the padding, which runtimes refuse. */
static bool fits(const struct pads *p)
{
    for (int i = 0; i < p->w->n; i++) {
        if (p->end[i] >= p->w->kernel[i]) {
            return false;
        }
    }
    return true;
}

/* ONNX Runtime's PadFusion adds a Pad with zeros to the padding of the pooling after it, even if that changes a maximum or a divisor.
 * It leaves a Pad with negative zeros alone, which gives the same numbers. */
static const double zero = -0.0;

static ox_val pad(struct ox_build *b, ox_val x, const struct pads *p, double value)
{
    int64_t begin[2 + MX_MAX_SPATIAL] = {0}, end[2 + MX_MAX_SPATIAL] = {0};
    if (is_zero(p)) {
        return x;
    }
    for (int i = 0; i < p->w->n; i++) {
        begin[2 + i] = p->begin[i];
        end[2 + i] = p->end[i];
    }
    return ox_pad(b, x, begin, end, p->w->n + 2, "constant", value);
}

static double lowest(struct ox_build *b, ox_val x)
{
    return mx_dtype_lowest(ox_dtype(b, x));
}

/* One pooling node. `attr` is its own attribute. Padding that it does not accept becomes a Pad node. */
static ox_val pool_node(struct ox_build *b, enum ox_op op, ox_val x, struct pads p, struct ox_attr attr)
{
    const struct mx_window *w = p.w;
    int64_t pads[2 * MX_MAX_SPATIAL];
    if (!fits(&p)) {
        x = pad(b, x, &p, op == OX_MaxPool ? lowest(b, x) : zero);
        p = (struct pads){.w = w};
    }
    for (int i = 0; i < w->n; i++) {
        pads[i] = p.begin[i];
        pads[w->n + i] = p.end[i];
    }
    return ox_node(
        b, op, OX_IN(x),
        OX_ATTRS(OX_IS("kernel_shape", w->kernel, w->n), OX_IS("strides", w->stride, w->n), OX_IS("pads", pads, 2 * w->n), attr));
}

/* The mean over whole windows, with padding counted as zeros. */
static ox_val window_mean(struct ox_build *b, ox_val x, struct pads p)
{
    return pool_node(b, OX_AveragePool, x, p, (struct ox_attr)OX_I("count_include_pad", 1));
}

static ox_val window_sum(struct ox_build *b, ox_val x, struct pads p)
{
    double cells = 1;
    for (int i = 0; i < p.w->n; i++) {
        cells *= (double)p.w->kernel[i];
    }
    const ox_val mean = window_mean(b, x, p);
    return ox_scaled(b, mean, cells);
}

/* The inverse of the share of a window's length that counts, along spatial axis i, for each position of the result. Where nothing
 * counts the sum is 0, whatever the divisor; but 3D pooling divides after summing (pool_sum_3d_ncdhw_cpu), so a window that begins right
 * after the last cell gives NaN. */
static ox_val inverse_share(struct ox_build *b, const struct mx_window *w, int i, mx_dim in, mx_dim out, int64_t counted)
{
    const ox_val places = ox_mul(b, ox_range(b, out), ox_scalar(b, MX_INT64, (double)w->stride[i]));
    const ox_val begin = ox_sub(b, places, ox_scalar(b, MX_INT64, (double)w->pad[i]));
    const ox_val end = ox_add(b, begin, ox_scalar(b, MX_INT64, (double)w->kernel[i]));
    const ox_val last = ox_dim_as(b, mx_dim_addn(ox_dims_table(b), in, counted), MX_INT64);
    const ox_val first = ox_binary(b, OX_Max, begin, ox_scalar(b, MX_INT64, (double)-counted));
    const ox_val cells = ox_sub(b, ox_binary(b, OX_Min, end, last), first);
    const ox_val divisor = w->n == 3 ? cells : ox_binary(b, OX_Max, cells, ox_scalar(b, MX_INT64, 1));
    return ox_div(b, ox_scalar(b, MX_FLOAT64, (double)w->kernel[i]), ox_cast(b, divisor, MX_FLOAT64));
}

/* The average if a window can be entirely outside, where it is 0. */
static ox_val average_of_some(struct ox_build *b, ox_val x, struct pads p, bool include)
{
    const struct mx_window *w = p.w;
    ox_val y = window_mean(b, x, p);
    for (int i = 0; i < w->n; i++) {
        const ox_val share = inverse_share(b, w, i, ox_dim_at(b, x, 2 + i), ox_dim_at(b, y, 2 + i), include ? w->pad[i] : 0);
        y = ox_mul(b, y, ox_cast(b, ox_along(b, share, 2 + i, w->n + 2), ox_dtype(b, y)));
    }
    return y;
}

/* The divisor counts the cells of the padded input that the window covers, without the surplus, which ceil_mode would cut off; without
 * count_include_pad, only the cells of the input (pool.h, pool_sum_2d_nchw_cpu). */
static ox_val average(struct ox_build *b, const struct pool *a, ox_val x, struct pads padding, struct pads surplus)
{
    const bool include = !a->count_include_pad.given || a->count_include_pad.v;
    const struct pads both = add_surplus(padding, &surplus), none = {.w = padding.w};
    if (include && is_zero(&surplus)) {
        return window_mean(b, x, padding);
    }
    if (!fits(include ? &surplus : &both)) {
        return average_of_some(b, x, both, include);
    }
    if (include) {
        x = pad(b, x, &padding, zero);
        return pool_node(b, OX_AveragePool, x, none, (struct ox_attr)OX_I("ceil_mode", 1));
    }
    return pool_node(b, OX_AveragePool, x, both, (struct ox_attr)OX_I("count_include_pad", 0));
}

static ox_val max_pool(struct ox_build *b, ox_val x, struct pads p)
{
    return pool_node(b, OX_MaxPool, x, p, (struct ox_attr){.kind = OX_A_END});
}

static ox_val lower_windows(struct ox_build *b, const struct pool *a, bool zeros_take_part, ox_val x, const struct mx_window *w)
{
    const struct pads padding = pads_of(w), surplus = surplus_of(b, a, w, x), both = add_surplus(padding, &surplus);
    switch ((enum pool_type)a->pool_type) {
    case MAX:
        if (zeros_take_part && !is_zero(&padding)) {
            x = pad(b, pad(b, x, &padding, zero), &surplus, lowest(b, x));
            return max_pool(b, x, (struct pads){.w = w});
        }
        return max_pool(b, x, both);
    case AVG: return zeros_take_part ? window_mean(b, x, both) : average(b, a, x, padding, surplus);
    case SUM: return window_sum(b, x, both);
    case LP: break;
    }
    if (a->p_value.v == 2) {
        return pool_node(b, OX_LpPool, x, both, (struct ox_attr)OX_I("p", 2));
    }
    return a->p_value.v == 1 ? window_sum(b, x, both) : ox_signed_pow(b, window_sum(b, cube(b, x), both), 1.0 / 3);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct pool *a = n->attrs;
    if (a->global_pool) {
        out[0] = lower_global(b, a, in[0]);
        return;
    }
    const struct mx_window w = mx_window_of(&a->window);
    out[0] = mx_channels_back(b, &w, lower_windows(b, a, n->op->which == ZEROS_TAKE_PART, mx_channels_first(b, &w, in[0]), &w));
}

/* ---- _contrib_quantized_pooling: integers with a range, which stays the same; an average is rounded half to even
 * (src/operator/quantization/quantized_pooling.cc). Written with levels of 1, so that runtimes either fuse it into a pooling of integers
 * or compute it as it is. */

static int infer_quantized(struct mx_infer *c)
{
    const struct pool *a = c->attrs;
    if (a->pool_type != MAX && a->pool_type != AVG) {
        return mx_infer_fail(c, "pool_type",
                             "quantised pooling exists for max and avg only, in MXNet too" MX_HELP "exclude this node from quantisation");
    }
    MX_TRY(mx_infer_ranges(c, 1, 2, 1, 2));
    MX_TRY(mx_input_is_byte(c, 0, "data"));
    return infer(c);
}

/* True if a window can be entirely outside the input. */
static bool may_be_empty(struct ox_build *b, const struct pool *a, ox_val x)
{
    if (a->global_pool) {
        return false;
    }
    const struct mx_window w = mx_window_of(&a->window);
    const struct pads surplus = surplus_of(b, a, &w, x), both = add_surplus(pads_of(&w), &surplus);
    return !fits(&both);
}

static void lower_quantized(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct pool *a = n->attrs;
    const ox_val one = ox_float32(b, 1), x = ox_dequantize(b, in[0], one);
    lower(b, n, &x, out);
    if (a->pool_type == MAX && may_be_empty(b, a, x)) { /* the lowest number of the data's type */
        out[0] = ox_binary(b, OX_Max, out[0], ox_scalar_like(b, out[0], lowest(b, in[0])));
    }
    out[0] = ox_quantize(b, out[0], one, ox_dtype(b, in[0]));
    out[1] = in[1];
    out[2] = in[2];
}

const struct mx_op mx_ops_pooling[] = {
    {
        .name = "Pooling",
        .alias = "_npx_pooling",
        MX_ATTRS(attrs, struct pool),
        .infer = infer,
        .lower = lower,
        .any_rank = true,
        .refuses = "pooling_convention=\"same\": MXNet 1.x does not run it either.",
    },
    {
        .name = "Pooling_v1",
        MX_ATTRS(attrs_v1, struct pool),
        .infer = infer,
        .lower = lower,
        .which = ZEROS_TAKE_PART,
        .differs =
            "pooling_convention=\"full\" and pool_type=\"max\", where a window is outside of the data: the result is the lowest number "
            "of the type; MXNet's is -infinity.",
    },
    {
        .name = "_contrib_quantized_pooling",
        .alias = "_npx_quantized_pooling",
        MX_ATTRS(attrs, struct pool),
        .inputs = "data min_data max_data",
        .outputs = "output min_output max_output",
        .infer = infer_quantized,
        .lower = lower_quantized,
        .refuses = "pool_type other than \"max\" and \"avg\": MXNet has no quantised form of it.\n"
                   "pooling_convention=\"same\": MXNet 1.x does not run it either.",
    },
    MX_OPS_END,
};
