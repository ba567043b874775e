/* _contrib_quantized_conv, quantized_fully_connected: int32 sums of products of 8-bit integers, and the range that maps an int32 to a
 * float (src/operator/quantization). */
#include "op/op.h"
#include "shared/quantized.h"
#include "shared/window.h"

struct product {
    struct mx_window_attrs window;
    int64_t num_filter, num_group, num_hidden;
    bool no_bias, flatten;
};

static const struct mx_attr conv_attrs[] = {
    MX_WINDOW_ATTRS(struct product),
    MX_COUNT(struct product, num_filter, NULL),
    MX_COUNT(struct product, num_group, "1"),
    MX_BOOL(struct product, no_bias, "False"),
    MX_WINDOW_LAYOUT(struct product),
    MX_IGNORED("workspace cudnn_tune cudnn_off"),
};

static const struct mx_attr dense_attrs[] = {
    MX_COUNT(struct product, num_hidden, NULL),
    MX_BOOL(struct product, no_bias, "False"),
    MX_BOOL(struct product, flatten, "True"),
};

/* The index of the first range: those of the data, the weight, the bias. */
static int ranges_at(const struct product *a)
{
    return a->no_bias ? 2 : 3;
}

/* Types, the bias and the ranges. */
static int infer_common(struct mx_infer *c, int64_t width)
{
    const struct product *a = c->attrs;
    const int at = ranges_at(a);
    MX_TRY(mx_input_dtype_is(c, 1, MX_INT8));
    MX_TRY(mx_output_dtype_is(c, 0, MX_INT32));
    if (!a->no_bias) {
        MX_TRY(mx_input_dtype_is(c, 2, MX_INT8));
        MX_TRY(mx_input_is(c, 2, MX_DIMS(mx_dim_of(width))));
    }
    MX_TRY(mx_infer_ranges(c, at, 2 * at, 1, 2));
    return mx_input_is_byte(c, 0, "data");
}

/* The float that an int32 of 2^31 - 1 represents. */
static void write_range(struct ox_build *b, ox_val data_level, ox_val weight_level, ox_val *out)
{
    const ox_val level = ox_mul(b, data_level, weight_level);
    mx_write_range(b, ox_mul(b, level, ox_float32(b, INT32_MAX)), out);
}

/* The bias times `factor`; fractions are truncated. */
static ox_val rescaled_bias(struct ox_build *b, ox_val bias, ox_val factor)
{
    return ox_cast(b, ox_mul(b, ox_cast(b, bias, MX_FLOAT32), factor), MX_INT32);
}

/* ---- convolution */

static int infer_conv(struct mx_infer *c)
{
    const struct product *a = c->attrs;
    struct mx_window w;
    struct mx_shape x;
    MX_TRY(mx_window_init(c, &a->window, &w));
    if (w.channels_last) {
        return mx_infer_fail(c, "layout", "the channels are last, which MXNet cannot run either" MX_HELP "use NCHW");
    }
    MX_TRY(mx_positive(c, "num_filter", a->num_filter));
    if (a->num_group != 1) {
        return mx_infer_fail(c, "num_group",
                             MX_SUBJECT "is %lld, but must be 1 for a quantised convolution, in MXNet too" MX_HELP
                                        "exclude this node from quantisation",
                             (long long)a->num_group);
    }
    MX_TRY(infer_common(c, a->num_filter));
    MX_TRY(mx_input_rank(c, 0, w.n + 2, &x));
    MX_TRY(mx_window_weight(c, &w, mx_dim_of(a->num_filter), x.dims[1]));
    return mx_window_output(c, &w, mx_dim_of(a->num_filter), mx_window_size);
}

/* With uint8 data a bias is added unchanged, since the only kernel for such data does so (mkldnn_quantized_conv.cc); int8 data are for
 * GPUs, which rescale it (quantized_conv.cu). */
static ox_val conv_bias(struct ox_build *b, const ox_val *in, ox_val unit)
{
    if (ox_dtype(b, in[0]) == MX_UINT8) {
        ox_warn(b, "no_bias", "the bias is added without regard to its range, as MXNet does with uint8 data");
        return ox_cast(b, in[2], MX_INT32);
    }
    const ox_val level = mx_level(b, ox_reach(b, in[7], in[8]), 127);
    return rescaled_bias(b, in[2], ox_div(b, level, unit));
}

static void lower_conv(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct product *a = n->attrs;
    const int at = ranges_at(a);
    const struct mx_window w = mx_window_of(&a->window);
    const ox_val data = mx_level(b, ox_reach(b, in[at], in[at + 1]), 127);
    const ox_val weight = mx_level(b, ox_reach(b, in[at + 2], in[at + 3]), 127);
    write_range(b, data, weight, out);
    out[0] = ox_node(b, OX_ConvInteger, OX_IN(in[0], in[1]),
                     OX_ATTRS(OX_IS("kernel_shape", w.kernel, w.n), OX_IS("strides", w.stride, w.n), OX_IS("dilations", w.dilate, w.n),
                              OX_IS("pads", w.pad, 2 * w.n)));
    if (!a->no_bias) {
        const ox_val bias = conv_bias(b, in, ox_mul(b, data, weight));
        out[0] = ox_add(b, out[0], ox_unsqueeze(b, bias, (const int64_t[]){1, 2, 3}, w.n));
    }
}

/* ---- fully connected */

static int infer_dense(struct mx_infer *c)
{
    const struct product *a = c->attrs;
    struct mx_shape x;
    struct mx_dim_list out = mx_no_dims(c);
    MX_TRY(mx_positive(c, "num_hidden", a->num_hidden));
    MX_TRY(infer_common(c, a->num_hidden));
    MX_TRY(mx_input_at_least(c, 0, 2, &x));
    const int rank = a->flatten ? 2 : x.ndim;
    const mx_dim width = a->flatten ? mx_dim_product(c->dims, x.dims + 1, x.ndim - 1) : x.dims[x.ndim - 1];
    MX_TRY(mx_input_is_dims(c, 1, (const mx_dim[]){mx_dim_of(a->num_hidden), width}, 2));
    for (int i = 0; i < rank; i++) {
        mx_put_dim(&out, i, i < rank - 1 ? x.dims[i] : mx_dim_of(a->num_hidden));
    }
    return mx_output_is_dims(c, 0, out.v, out.n);
}

/* The number of steps per 1 in a range. */
static ox_val scale_of(struct ox_build *b, double levels, ox_val reach)
{
    return ox_div(b, ox_float32(b, levels), reach);
}

/* In MXNet's order of operations, since a result just below an integer is truncated. */
static ox_val dense_bias(struct ox_build *b, const ox_val *in)
{
    const double levels = mx_levels(ox_dtype(b, in[0]));
    const ox_val data = scale_of(b, levels, ox_reach(b, in[3], in[4]));
    const ox_val weight = scale_of(b, 127.5, ox_reach(b, in[5], in[6]));
    const ox_val reach = ox_reach(b, in[7], in[8]);
    const ox_val factor = ox_mul(b, ox_mul(b, data, weight), reach);
    return rescaled_bias(b, in[2], mx_level(b, factor, 127.5));
}

/* With uint8 data the range counts 255 levels for a weight, while the bias is scaled by the real number (quantization_utils.h,
 * QuantizationRangeForMultiplication; mkldnn_quantized_fully_connected.cc). */
static void lower_dense(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct product *a = n->attrs;
    const int at = ranges_at(a), rank = ox_rank(b, in[0]);
    const bool is_signed = ox_dtype(b, in[0]) == MX_INT8;
    const ox_val data = ox_reach(b, in[at], in[at + 1]);
    const ox_val weight = ox_reach(b, in[at + 2], in[at + 3]);
    const ox_val data_level = mx_level(b, data, 127);
    write_range(b, data_level, mx_level(b, weight, is_signed ? 127 : 255), out);
    ox_val x = in[0];
    if (a->flatten && rank > 2) {
        const mx_dim width = mx_dim_product(ox_dims_table(b), ox_shape(b, x).dims + 1, rank - 1);
        x = ox_reshape(b, x, (const mx_dim[]){ox_dim_at(b, x, 0), width}, 2);
    }
    const ox_val turned = ox_swap_axes(b, in[1], 0, 1);
    out[0] = ox_node(b, OX_MatMulInteger, OX_IN(x, turned), OX_NO_ATTRS);
    if (!a->no_bias) {
        out[0] = ox_add(b, out[0], dense_bias(b, in));
    }
}

#define ROW(mx, table, rule, write, ...)                                                                                                   \
    {                                                                                                                                      \
        QUANTIZED("_contrib_quantized_" mx, "_npx_quantized_" mx,                                                                          \
                  "data weight:learned bias:unless(no_bias) min_data max_data min_weight max_weight "                                      \
                  "min_bias:unless(no_bias) max_bias:unless(no_bias)",                                                                     \
                  rule, write),                                                                                                            \
            MX_ATTRS(table, struct product), __VA_ARGS__                                                                                   \
    }

const struct mx_op mx_ops_quantized_product[] = {
    ROW("conv", conv_attrs, infer_conv, lower_conv,
        .refuses = "A layout with the channels last: MXNet does not run it either.\nnum_group other than 1: MXNet does not run it either."),
    ROW("fully_connected", dense_attrs, infer_dense, lower_dense, .refuses = NULL),
    MX_OPS_END,
};
