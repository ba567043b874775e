/* Whether the shapes of a node that a handler requests fit together: otherwise a runtime refuses the whole model. A size that is not known
 * is taken. The rules are tables where they can be. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "onnx/rules/shapes.h"

#define HELP MX_HELP "change the inputs, their order or the attributes of the node"

/* ---- looking */

static int rank_of(const struct ox_call *c, int in)
{
    return ox_in_shape(c, in).ndim;
}

/* The size of an axis, which may count from the end; false if it is not known. */
static bool size_of(const struct ox_call *c, int in, int64_t axis, int64_t *size)
{
    const struct mx_shape s = ox_in_shape(c, in);
    const int64_t k = mx_wrap(axis, s.ndim);
    return k >= 0 && k < s.ndim && mx_dim_known(ox_t(c), s.dims[k], size);
}

/* The number of elements of a vector; false if it is not known. */
static bool length_of(const struct ox_call *c, int in, int64_t *length)
{
    return rank_of(c, in) == 1 && size_of(c, in, 0, length);
}

static const char *shape_text(const struct ox_call *c, struct mx_shape s)
{
    struct mx_str text = {0};
    mx_shape_format(ox_t(c), s, &text);
    const char *kept = text.failed ? NULL : mx_arena_strdup(&c->b->scratch, text.text);
    mx_str_free(&text);
    return kept ? kept : "";
}

/* ---- ranks */

static void check_same_rank(struct ox_call *c, int in)
{
    const int wanted = rank_of(c, 0);
    if (wanted >= 0 && rank_of(c, in) != wanted) {
        ox_fail(c->b, NULL, "input %d of ONNX's %s has shape %s, but must have the rank of input 0, whose shape is %s" HELP, in,
                c->schema->name, shape_text(c, ox_in_shape(c, in)), shape_text(c, ox_in_shape(c, 0)));
    }
}

static void check_rank(struct ox_call *c, int in, int wanted, bool more)
{
    const int rank = rank_of(c, in);
    if (rank < wanted || (rank > wanted && !more)) {
        ox_fail(c->b, NULL, "input %d of ONNX's %s has shape %s, but must have %srank %d" HELP, in, c->schema->name,
                shape_text(c, ox_in_shape(c, in)), more ? "at least " : "", wanted);
    }
}

static void check_ranks(struct ox_call *c)
{
    const char *word = c->schema->ranks ? c->schema->ranks : "";
    for (int i = 0; *word; i++, word = mx_next_word(word)) {
        if (*word == '-' || rank_of(c, i) < 0) {
            continue;
        }
        if (*word == '=') {
            check_same_rank(c, i);
        } else {
            check_rank(c, i, *word - '0', word[1] == '+');
        }
    }
}

/* ---- sizes */

/* The axis of an input has the size of another's, or a multiple of it. */
static const struct {
    enum ox_op op;
    int input, axis, like, like_axis;
    const char *times; /* an attribute; NULL: once */
} sizes[] = {
    {OX_BatchNormalization, 1, 0, 0, 1, NULL},
    {OX_BatchNormalization, 2, 0, 0, 1, NULL},
    {OX_BatchNormalization, 3, 0, 0, 1, NULL},
    {OX_BatchNormalization, 4, 0, 0, 1, NULL},
    {OX_Conv, 0, 1, 1, 1, "group"},
    {OX_Conv, 2, 0, 1, 0, NULL},
    {OX_ConvInteger, 0, 1, 1, 1, "group"},
    {OX_ConvTranspose, 0, 1, 1, 0, NULL},
    {OX_ConvTranspose, 2, 0, 1, 1, "group"},
    {OX_DeformConv, 0, 1, 1, 1, "group"},
    {OX_DeformConv, 3, 0, 1, 0, NULL},
    {OX_GRU, 1, 2, 0, 2, NULL},
    {OX_GRU, 2, 1, 1, 1, NULL},
    {OX_GridSample, 1, 0, 0, 0, NULL},
    {OX_GroupNormalization, 1, 0, 0, 1, NULL},
    {OX_GroupNormalization, 2, 0, 0, 1, NULL},
    {OX_InstanceNormalization, 1, 0, 0, 1, NULL},
    {OX_InstanceNormalization, 2, 0, 0, 1, NULL},
    {OX_LSTM, 1, 2, 0, 2, NULL},
    {OX_LSTM, 2, 1, 1, 1, NULL},
    {OX_NonMaxSuppression, 1, 0, 0, 0, NULL},
    {OX_NonMaxSuppression, 1, 2, 0, 1, NULL},
    {OX_QLinearConv, 0, 1, 3, 1, "group"},
    {OX_RNN, 1, 2, 0, 2, NULL},
    {OX_RNN, 2, 1, 1, 1, NULL},
    {OX_RoiAlign, 2, 0, 1, 0, NULL},
};

static void check_sizes(struct ox_call *c)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int64_t size, other, wanted;
        const int64_t times = sizes[i].times ? ox_attr_int(c->attrs, sizes[i].times, 1) : 1;
        if (sizes[i].op == c->op && size_of(c, sizes[i].input, sizes[i].axis, &size)
            && size_of(c, sizes[i].like, sizes[i].like_axis, &other) && (!mx_mul_i64(other, times, &wanted) || wanted != size)) {
            ox_fail(c->b, NULL, "axis %d of input %d of ONNX's %s has the size %lld, but must have %lld%s%s, as axis %d of input %d" HELP,
                    sizes[i].axis, sizes[i].input, c->schema->name, (long long)size, (long long)other, sizes[i].times ? " times " : "",
                    sizes[i].times ? sizes[i].times : "", sizes[i].like_axis, sizes[i].like);
        }
    }
}

/* The size of an axis is a multiple of an attribute, or of its square. */
static const struct {
    enum ox_op op;
    int input, axis;
    const char *attribute;
    bool square;
} multiples[] = {
    {OX_Conv, 1, 0, "group", false},        {OX_ConvInteger, 1, 0, "group", false},      {OX_ConvTranspose, 1, 0, "group", false},
    {OX_DeformConv, 1, 0, "group", false},  {OX_DepthToSpace, 0, 1, "blocksize", true},  {OX_GroupNormalization, 0, 1, "num_groups", false},
    {OX_QLinearConv, 3, 0, "group", false}, {OX_SpaceToDepth, 0, 2, "blocksize", false}, {OX_SpaceToDepth, 0, 3, "blocksize", false},
};

static void check_multiples(struct ox_call *c)
{
    for (size_t i = 0; i < sizeof multiples / sizeof *multiples; i++) {
        int64_t size;
        const int64_t by = ox_attr_int(c->attrs, multiples[i].attribute, 1);
        if (multiples[i].op == c->op && size_of(c, multiples[i].input, multiples[i].axis, &size)
            && size % (multiples[i].square ? by * by : by) != 0) {
            ox_fail(c->b, multiples[i].attribute,
                    MX_SUBJECT "is %lld, but the size of input %d of ONNX's %s on axis %d, %lld, is not a multiple of it%s" HELP,
                    (long long)by, multiples[i].input, c->schema->name, multiples[i].axis, (long long)size,
                    multiples[i].square ? "s square" : "");
        }
    }
}

/* ---- broadcasting */

static void fail_broadcast(struct ox_call *c, int in, struct mx_shape to)
{
    ox_fail(c->b, NULL, "input %d of ONNX's %s has shape %s, which cannot be broadcast to %s" HELP, in, c->schema->name,
            shape_text(c, ox_in_shape(c, in)), shape_text(c, to));
}

/* What broadcasting `s` to the sizes of `dims` gives, from the end; false if it is not possible. */
static bool join(const struct ox_call *c, struct mx_dim_list *dims, struct mx_shape s)
{
    for (int i = 1; i <= s.ndim && i <= dims->n; i++) {
        int64_t x, y;
        if (mx_dim_known(ox_t(c), dims->v[dims->n - i], &x) && mx_dim_known(ox_t(c), s.dims[s.ndim - i], &y) && x != y && x != 1
            && y != 1) {
            return false;
        }
    }
    ox_join(ox_t(c), dims, s);
    return true;
}

static void check_broadcast(struct ox_call *c)
{
    struct mx_dim_list dims = ox_no_dims(c->b);
    for (int i = 0; i < c->n_in; i++) {
        const struct mx_shape s = ox_in_shape(c, i);
        const struct mx_dim_list before = dims;
        if (s.ndim >= 0 && !join(c, &dims, s)) {
            fail_broadcast(c, i, mx_list_shape(&before));
            return;
        }
    }
}

/* An input that must not make the others' shape larger. */
static void check_one_way(struct ox_call *c, int in, struct mx_shape to)
{
    const struct mx_shape s = ox_in_shape(c, in);
    const int more = s.ndim - to.ndim;
    bool fits = to.ndim < 0 || more <= 0;
    for (int i = 0; i < s.ndim && to.ndim >= 0 && fits; i++) {
        int64_t x, y;
        fits = !mx_dim_known(ox_t(c), s.dims[i], &x) || x == 1 || !mx_dim_known(ox_t(c), to.dims[i - more], &y) || x == y;
    }
    if (!fits) {
        fail_broadcast(c, in, to);
    }
}

static void check_slope(struct ox_call *c)
{
    check_one_way(c, 1, ox_in_shape(c, 0));
}

/* Scale and bias of the axes from "axis" on. */
static void check_scale(struct ox_call *c)
{
    const struct mx_shape x = ox_in_shape(c, 0);
    const int axis = ox_axis_of(c, -1, x.ndim);
    for (int i = 1; axis >= 0 && i < c->n_in; i++) {
        check_one_way(c, i, (struct mx_shape){x.ndim - axis, x.dims + axis});
    }
}

static void check_expand(struct ox_call *c)
{
    struct mx_dim_list dims = ox_no_dims(c->b);
    const struct mx_shape s = ox_in_shape(c, 0);
    if (s.ndim >= 0 && ox_vector_dims(c->b, ox_call_in(c, 1), &dims)) {
        const struct mx_dim_list wanted = dims;
        if (!join(c, &dims, s)) {
            fail_broadcast(c, 0, mx_list_shape(&wanted));
        }
    }
}

/* ---- matrices */

static void check_inner(struct ox_call *c, int64_t axis, int64_t other)
{
    int64_t x, y;
    if (size_of(c, 0, axis, &x) && size_of(c, 1, other, &y) && x != y) {
        ox_fail(c->b, NULL, "ONNX's %s of shapes %s and %s multiplies rows of %lld with columns of %lld" HELP, c->schema->name,
                shape_text(c, ox_in_shape(c, 0)), shape_text(c, ox_in_shape(c, 1)), (long long)x, (long long)y);
    }
}

static void check_matmul(struct ox_call *c)
{
    const struct mx_shape x = ox_in_shape(c, 0), y = ox_in_shape(c, 1);
    struct mx_dim_list dims = ox_no_dims(c->b);
    check_inner(c, -1, y.ndim == 1 ? -1 : -2);
    if (x.ndim > 2 && y.ndim > 2) {
        mx_push_dims(&dims, x.dims, x.ndim - 2);
        if (!join(c, &dims, (struct mx_shape){y.ndim - 2, y.dims})) {
            fail_broadcast(c, 1, x);
        }
    }
}

static void check_gemm(struct ox_call *c)
{
    const struct mx_shape x = ox_in_shape(c, 0), y = ox_in_shape(c, 1);
    const int tx = ox_attr_int(c->attrs, "transA", 0) != 0, ty = ox_attr_int(c->attrs, "transB", 0) != 0;
    if (x.ndim == 2 && y.ndim == 2) {
        const mx_dim to[] = {x.dims[tx], y.dims[1 - ty]};
        check_inner(c, 1 - tx, ty);
        check_one_way(c, 2, (struct mx_shape){2, to});
    }
}

/* ---- windows */

static bool has_kernel(const struct ox_call *c, int i, int64_t *size)
{
    int n;
    const int64_t *kernel = ox_attr_ints(c->attrs, "kernel_shape", &n);
    if (i < n) {
        *size = kernel[i];
        return true;
    }
    return size_of(c, 1, i + 2, size); /* a pool has one input */
}

/* A window of a pool is not within the padding, and no window is larger than the input with it. */
static void check_window(struct ox_call *c, int i, int spatial)
{
    int64_t size, kernel, weight, extent;
    const int64_t begin = ox_int_at(c, "pads", i, 0), end = ox_int_at(c, "pads", i + spatial, 0);
    const int64_t padding = begin + end;
    const bool pools = c->schema->rule == ox_rule_pool;
    if (!has_kernel(c, i, &kernel)) {
        return;
    }
    if (!pools && size_of(c, 1, i + 2, &weight) && weight != kernel) {
        ox_fail(c->b, "kernel_shape", MX_SUBJECT "has %lld on axis %d, but input 1 of ONNX's %s has %lld" HELP, (long long)kernel, i,
                c->schema->name, (long long)weight);
    } else if (pools && (begin >= kernel || end >= kernel)) {
        ox_fail(c->b, "pads", MX_SUBJECT "has %lld on axis %d, but must be less than kernel_shape, %lld, in ONNX's %s" HELP,
                (long long)(begin >= kernel ? begin : end), i, (long long)kernel, c->schema->name);
    } else if (c->schema->rule != ox_rule_conv_transpose && size_of(c, 0, i + 2, &size)
               && (!mx_mul_i64(kernel - 1, ox_int_at(c, "dilations", i, 1), &extent) || extent >= size + padding)) {
        ox_fail(c->b, NULL,
                "the kernel of ONNX's %s has %lld on axis %d with dilation %lld, but the input has %lld there, and %lld of padding" HELP,
                c->schema->name, (long long)kernel, i, (long long)ox_int_at(c, "dilations", i, 1), (long long)size, (long long)padding);
    }
}

static void check_windows(struct ox_call *c)
{
    const int spatial = rank_of(c, 0) - 2;
    const bool part = ox_pads_to_same(c) || ox_attr_int(c->attrs, "ceil_mode", 0) != 0; /* the last window may be larger */
    for (int i = 0; i < spatial && !part; i++) {
        check_window(c, i, spatial);
    }
}

/* Lists with a number for each axis of the window, or two. */
static void check_window_lists(struct ox_call *c)
{
    static const char *const lists[] = {"dilations", "kernel_shape", "output_padding", "output_shape", "strides", "pads"};
    const int spatial = rank_of(c, 0) - 2;
    for (size_t i = 0; i < sizeof lists / sizeof *lists && spatial > 0; i++) {
        int n;
        const int wanted = strcmp(lists[i], "pads") == 0 ? 2 * spatial : spatial;
        if (ox_attr_ints(c->attrs, lists[i], &n) && n != wanted) {
            ox_fail(c->b, lists[i], MX_SUBJECT "has length %d, but must have %d for an input of shape %s in ONNX's %s" HELP, n, wanted,
                    shape_text(c, ox_in_shape(c, 0)), c->schema->name);
        }
    }
}

/* ---- axes */

/* Fails the builder if an axis is out of range or occurs twice. `what`: the attribute or "input 1" */
static void check_axes(struct ox_call *c, const char *what, const int64_t *axes, int n, int rank)
{
    struct mx_axes seen = {0};
    for (int i = 0; i < n; i++) {
        const int64_t axis = mx_wrap(axes[i], rank);
        if (axis < 0 || axis >= rank) {
            ox_fail(c->b, NULL, "%s of ONNX's %s has axis %lld, but must have axes from %d to %d" HELP, what, c->schema->name,
                    (long long)axes[i], -rank, rank - 1);
        } else if (mx_has_axis(seen, axis)) {
            ox_fail(c->b, NULL, "%s of ONNX's %s has axis %lld twice" HELP, what, c->schema->name, (long long)axes[i]);
        }
        mx_add_axis(&seen, axis);
    }
}

/* The axis of Flatten may be after the last one, and that of OneHot is one of the output. */
static void check_axis(struct ox_call *c)
{
    const bool quantizes = ox_op_in(c->op, OX_OPS(OX_DequantizeLinear, OX_QuantizeLinear)); /* by one number: without an axis */
    const struct ox_attr *a = ox_find_attr(c->attrs, "axis");
    const int rank = rank_of(c, 0);
    const int more = ox_op_in(c->op, OX_OPS(OX_Flatten, OX_OneHot));
    if (!a || rank < 0 || (quantizes && rank_of(c, 1) != 1)) {
        return;
    }
    const int64_t least = c->op == OX_Flatten ? -rank : -rank - more;
    if (a->i < least || a->i >= rank + more) {
        ox_fail(c->b, "axis", MX_SUBJECT "is %lld, but must be %lld to %d for an input of shape %s in ONNX's %s" HELP, (long long)a->i,
                (long long)least, rank + more - 1, shape_text(c, ox_in_shape(c, 0)), c->schema->name);
    }
}

static void check_axes_attribute(struct ox_call *c)
{
    int n;
    const int64_t *axes = ox_attr_ints(c->attrs, "axes", &n);
    if (axes && rank_of(c, 0) >= 0) {
        check_axes(c, "'axes'", axes, n, rank_of(c, 0));
    }
}

static void check_axes_input(struct ox_call *c, int in)
{
    struct mx_int_list axes = ox_no_ints(c->b);
    const int rank = rank_of(c, 0);
    const int most = c->op == OX_Unsqueeze ? MX_MAX_RANK - rank : rank;
    int64_t length;
    if (rank >= 0 && ox_in_ints(c, in, &axes)) {
        check_axes(c, in == 1 ? "input 1" : "input 3", axes.v, axes.n, c->op == OX_Unsqueeze ? rank + axes.n : rank);
    } else if (rank >= 0 && length_of(c, in, &length) && length > most) {
        ox_fail(c->b, NULL, "input %d of ONNX's %s has %lld elements, but input 0 of shape %s allows %d axes" HELP, in, c->schema->name,
                (long long)length, shape_text(c, ox_in_shape(c, 0)), most);
    }
}

static void check_reduced(struct ox_call *c)
{
    check_axes_input(c, 1);
}

static void check_third(struct ox_call *c)
{
    check_axes_input(c, 3);
}

static void check_squeeze(struct ox_call *c)
{
    struct mx_int_list axes = ox_no_ints(c->b);
    check_axes_input(c, 1);
    if (ox_failed(c->b) || !ox_in_ints(c, 1, &axes)) {
        return;
    }
    for (int i = 0; i < axes.n; i++) {
        int64_t size;
        if (size_of(c, 0, axes.v[i], &size) && size != 1) {
            ox_fail(c->b, NULL, "input 1 of ONNX's %s has axis %lld, but input 0 of shape %s does not have the size 1 there" HELP,
                    c->schema->name, (long long)axes.v[i], shape_text(c, ox_in_shape(c, 0)));
        }
    }
}

static void check_transpose(struct ox_call *c)
{
    int n;
    const int64_t *perm = ox_attr_ints(c->attrs, "perm", &n);
    const int rank = rank_of(c, 0);
    if (perm && rank >= 0 && n != rank) {
        ox_fail(c->b, "perm", MX_SUBJECT "has length %d, but must have %d for an input of shape %s in ONNX's %s" HELP, n, rank,
                shape_text(c, ox_in_shape(c, 0)), c->schema->name);
    } else if (perm) { /* the rank may become known later */
        for (int i = 0; i < n; i++) {
            if (perm[i] < 0) { /* ONNX does not count from the end here */
                ox_fail(c->b, "perm", MX_SUBJECT "has axis %lld, but must have the axes from 0 to %d in ONNX's %s" HELP, (long long)perm[i],
                        n - 1, c->schema->name);
            }
        }
        check_axes(c, "'perm'", perm, n, n);
    }
}

/* ---- lengths of vectors */

enum { THE_RANK = -1 };

/* An input is a vector with as many elements as input 0 has axes, or as another vector or the attribute "axes" has elements. */
static const struct {
    enum ox_op op;
    int input, like, times; /* like: the other vector; without it, "axes" or the rank */
    bool may_be_empty;
} lengths[] = {
    {OX_CenterCropPad, 1, THE_RANK, 1, false},
    {OX_Pad, 1, 3, 2, false},
    {OX_Resize, 1, THE_RANK, 2, true},
    {OX_Resize, 2, THE_RANK, 1, true},
    {OX_Resize, 3, THE_RANK, 1, true},
    {OX_Slice, 2, 1, 1, false},
    {OX_Slice, 3, 1, 1, false},
    {OX_Slice, 4, 1, 1, false},
    {OX_Tile, 1, THE_RANK, 1, false},
};

static bool length_wanted(const struct ox_call *c, int like, int64_t *length)
{
    int n;
    const bool named = ox_attr_ints(c->attrs, "axes", &n);
    if (like >= 0 && ox_call_in(c, like) != OX_NONE) {
        return length_of(c, like, length);
    }
    *length = named ? n : rank_of(c, 0);
    return *length >= 0;
}

static void check_lengths(struct ox_call *c)
{
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        int64_t length, wanted;
        if (lengths[i].op != c->op || !length_of(c, lengths[i].input, &length) || !length_wanted(c, lengths[i].like, &wanted)) {
            continue;
        }
        wanted *= lengths[i].times;
        if (length != wanted && (length > 0 || !lengths[i].may_be_empty)) {
            ox_fail(c->b, NULL, "input %d of ONNX's %s has %lld elements, but must have %lld" HELP, lengths[i].input, c->schema->name,
                    (long long)length, (long long)wanted);
        }
    }
}

/* Without axes, starts are of the first ones. */
static void check_slice(struct ox_call *c)
{
    struct mx_int_list steps = ox_no_ints(c->b);
    int64_t length;
    const bool stepped = ox_in_ints(c, 4, &steps);
    check_axes_input(c, 3);
    for (int i = 0; stepped && i < steps.n; i++) {
        if (steps.v[i] == 0) {
            ox_fail(c->b, NULL, "input 4 of ONNX's %s has the step 0 as element %d" HELP, c->schema->name, i);
        }
    }
    if (rank_of(c, 0) >= 0 && length_of(c, 1, &length) && length > rank_of(c, 0)) {
        ox_fail(c->b, NULL, "input 1 of ONNX's %s has %lld elements, but input 0 of shape %s has %d axes" HELP, c->schema->name,
                (long long)length, shape_text(c, ox_in_shape(c, 0)), rank_of(c, 0));
    }
}

static void check_resize(struct ox_call *c)
{
    struct ox_data scales;
    if (!ox_data_read(c->b, ox_call_in(c, 2), MX_MAX_RANK, &scales)) {
        return;
    }
    for (int i = 0; i < scales.count; i++) {
        const double scale = scales.f ? scales.f[i] : (double)scales.i[i];
        if (!(scale > 0 && isfinite(scale))) {
            ox_fail(c->b, NULL, "input 2 of ONNX's %s has the scale %g as element %d, but must have positive numbers" HELP, c->schema->name,
                    scale, i);
        }
    }
    ox_data_free(&scales);
}

/* ---- joins and parts */

static void check_concat(struct ox_call *c)
{
    const struct mx_shape first = ox_in_shape(c, 0);
    const int axis = ox_axis_of(c, 0, first.ndim);
    for (int i = 1; axis >= 0 && i < c->n_in; i++) {
        const struct mx_shape s = ox_in_shape(c, i);
        bool fits = s.ndim < 0 || s.ndim == first.ndim;
        for (int k = 0; fits && k < s.ndim; k++) {
            int64_t x, y;
            fits = k == axis || !mx_dim_known(ox_t(c), first.dims[k], &x) || !mx_dim_known(ox_t(c), s.dims[k], &y) || x == y;
        }
        if (!fits) {
            ox_fail(c->b, NULL, "input %d of ONNX's %s has shape %s, which differs from that of input 0, %s, on other axes than %d" HELP, i,
                    c->schema->name, shape_text(c, s), shape_text(c, first), axis);
        }
    }
}

/* Parts of one size; only the last may be smaller, and none is empty. */
static void check_parts(struct ox_call *c, int64_t size)
{
    const int64_t part = size / c->n_out + (size % c->n_out != 0);
    if (size > 0 && part * (c->n_out - 1) >= size) {
        ox_fail(c->b, NULL, "ONNX's %s gives %d parts of %lld, which are more than %lld" HELP, c->schema->name, c->n_out, (long long)part,
                (long long)size);
    }
}

static void check_sum(struct ox_call *c, int64_t size)
{
    int64_t sum = 0;
    int n = 0;
    int64_t *parts = ox_scratch(c->b, (size_t)c->n_out + 1, sizeof *parts);
    if (!parts || !ox_const_ints(c->b, c->in[1], parts, c->n_out, &n)) {
        return;
    }
    for (int i = 0; i < n && sum >= 0; i++) {
        sum = parts[i] >= 0 && parts[i] <= size - sum ? sum + parts[i] : -1;
    }
    if (sum != size) {
        ox_fail(c->b, NULL, "the sizes in input 1 of ONNX's %s do not add up to %lld, the size that is split" HELP, c->schema->name,
                (long long)size);
    }
}

static void check_split(struct ox_call *c)
{
    int64_t size, length;
    const bool listed = ox_call_in(c, 1) != OX_NONE;
    const struct ox_attr *count = ox_find_attr(c->attrs, "num_outputs");
    if (count && (listed || count->i != c->n_out)) {
        ox_fail(c->b, "num_outputs", MX_SUBJECT "is %lld, but ONNX's %s has %d outputs%s" MX_HELP "leave it out", (long long)count->i,
                c->schema->name, c->n_out, listed ? ", whose sizes are in input 1" : "");
    } else if (length_of(c, 1, &length) && length != c->n_out) {
        ox_fail(c->b, NULL, "input 1 of ONNX's %s has %lld elements, but the number of outputs is %d" HELP, c->schema->name,
                (long long)length, c->n_out);
    } else if (size_of(c, 0, ox_attr_int(c->attrs, "axis", 0), &size)) {
        (listed ? check_sum : check_parts)(c, size);
    }
}

static bool multiply_known(const struct ox_call *c, struct mx_shape s, int64_t *product)
{
    *product = 1;
    for (int i = 0; i < s.ndim; i++) {
        int64_t size;
        if (!mx_dim_known(ox_t(c), s.dims[i], &size) || !mx_mul_i64(*product, size, product)) {
            return false;
        }
    }
    return s.ndim >= 0;
}

/* The product leaves out one size of -1, whose place *open is. False if a size is not possible. */
static bool multiply_target(struct ox_call *c, const struct mx_int_list *target, int64_t *product, bool *known, int *open)
{
    const bool zero = ox_attr_int(c->attrs, "allowzero", 0) != 0;
    *product = 1;
    *known = true;
    for (int i = 0; i < target->n; i++) {
        int64_t size = target->v[i];
        if (size < -1 || (size == -1 && *open >= 0) || (size == 0 && !zero && rank_of(c, 0) >= 0 && i >= rank_of(c, 0))) {
            ox_fail(c->b, NULL, "input 1 of ONNX's %s has %lld as element %d, which is %s" HELP, c->schema->name, (long long)size, i,
                    size < -1    ? "negative"
                    : size == -1 ? "there twice"
                                 : "for a size that input 0 does not have");
            return false;
        }
        *open = size == -1 ? i : *open;
        *known = *known && (size != 0 || zero || size_of(c, 0, i, &size)) && (size == -1 || mx_mul_i64(*product, size, product));
    }
    return true;
}

static void check_reshape(struct ox_call *c)
{
    struct mx_int_list target = ox_no_ints(c->b);
    int64_t elements, product;
    bool known;
    int open = -1;
    if (!ox_in_ints(c, 1, &target) || !multiply_target(c, &target, &product, &known, &open)
        || !multiply_known(c, ox_in_shape(c, 0), &elements) || !known) {
        return;
    }
    if (open < 0 ? product != elements : product == 0 || elements % product != 0) {
        ox_fail(c->b, NULL, "input 0 of ONNX's %s has shape %s with %lld elements, which is not %s %lld as in input 1" HELP,
                c->schema->name, shape_text(c, ox_in_shape(c, 0)), (long long)elements, open < 0 ? "the product" : "a multiple of",
                (long long)product);
    }
}

/* ---- all */

static const struct {
    enum ox_op op;
    void (*check)(struct ox_call *c);
} own[] = {
    {OX_Concat, check_concat},
    {OX_Expand, check_expand},
    {OX_Gemm, check_gemm},
    {OX_LayerNormalization, check_scale},
    {OX_MatMul, check_matmul},
    {OX_MatMulInteger, check_matmul},
    {OX_PRelu, check_slope},
    {OX_Pad, check_third},
    {OX_RMSNormalization, check_scale},
    {OX_Reshape, check_reshape},
    {OX_Resize, check_resize},
    {OX_Slice, check_slice},
    {OX_Split, check_split},
    {OX_Squeeze, check_squeeze},
    {OX_Transpose, check_transpose},
    {OX_Unsqueeze, check_reduced},
};

/* Of operators whose outputs' shapes follow one rule. */
static const struct {
    void (*rule)(struct ox_call *c), (*check)(struct ox_call *c);
} by_rule[] = {
    {ox_rule_broadcast, check_broadcast},    {ox_rule_conv, check_window_lists},
    {ox_rule_conv, check_windows},           {ox_rule_conv_transpose, check_window_lists},
    {ox_rule_conv_transpose, check_windows}, {ox_rule_pool, check_window_lists},
    {ox_rule_pool, check_windows},           {ox_rule_reduce, check_reduced},
};

bool ox_check_given_shapes(struct ox_build *b, enum ox_op op, const ox_val *in, const struct ox_attr *attrs, size_t n_out)
{
    struct ox_call_room room;
    struct ox_call c = {.b = b, .op = op, .n_out = (int)n_out};
    ox_open_call(&c, &room, in, attrs);
    if (ox_failed(b)) {
        return false;
    }
    check_ranks(&c);
    check_sizes(&c);
    check_multiples(&c);
    check_axis(&c);
    check_axes_attribute(&c);
    check_lengths(&c);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (own[i].op == op) {
            own[i].check(&c);
        }
    }
    for (size_t i = 0; i < sizeof by_rule / sizeof *by_rule; i++) {
        if (by_rule[i].rule == c.schema->rule) {
            by_rule[i].check(&c);
        }
    }
    return !ox_failed(b);
}
