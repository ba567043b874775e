/* Shapes and types of results: convolution, pooling, matrices, reductions, recurrence, bodies. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "onnx/rules/shapes.h"

/* ---- windows */

struct window { /* on one axis: the cells including those that dilation skips, the step > 0, the padding before and after */
    int64_t extent, stride, begin, end;
};

/* The number of windows on an axis. In ceil mode the last one may reach over the end, but must not start in the padding there. */
static mx_dim windows(const struct ox_call *c, mx_dim d, struct window w, bool ceil_mode)
{
    const int64_t over = w.end - w.extent + w.stride;
    const int64_t more = w.begin + (!ceil_mode ? over : over < 0 ? over + w.stride - 1 : w.stride - 1);
    int64_t size;
    if (!mx_dim_known(ox_t(c), d, &size)) {
        return mx_dim_floor_div(ox_t(c), mx_dim_addn(ox_t(c), d, more), w.stride);
    }
    const int64_t n = mx_floor_div(size + more, w.stride);
    return mx_dim_of(n > 0 ? n : 0);
}

/* The extent of the kernel with dilation; 0 if unknown. */
static int64_t extent(const struct ox_call *c, int i, struct mx_shape w)
{
    int64_t k = ox_int_at(c, "kernel_shape", i, 0);
    if (k == 0 && w.ndim > i + 2) {
        (void)mx_dim_known(ox_t(c), w.dims[i + 2], &k);
    }
    int64_t reach;
    return k > 0 && mx_mul_i64(k - 1, ox_int_at(c, "dilations", i, 1), &reach) ? reach + 1 : 0;
}

bool ox_pads_to_same(const struct ox_call *c)
{
    return strncmp(ox_attr_string(c->attrs, "auto_pad", "NOTSET"), "SAME", 4) == 0;
}

static void slide(struct ox_call *c, struct mx_shape x, struct mx_shape w, mx_dim channels, bool ceil_mode)
{
    struct mx_dim_list dims = ox_no_dims(c->b);
    if (x.ndim < 2) {
        return;
    }
    mx_put_dim(&dims, 0, x.dims[0]);
    mx_put_dim(&dims, 1, channels);
    for (int i = 0; i + 2 < x.ndim; i++) {
        const int64_t k = extent(c, i, w);
        const int64_t stride = ox_int_at(c, "strides", i, 1);
        const int64_t begin = ox_int_at(c, "pads", i, 0);
        const int64_t end = ox_int_at(c, "pads", i + x.ndim - 2, 0);
        if (ox_pads_to_same(c)) {
            mx_put_dim(&dims, i + 2, mx_dim_ceil_div(ox_t(c), x.dims[i + 2], stride));
        } else {
            mx_put_dim(&dims, i + 2, k > 0 ? windows(c, x.dims[i + 2], (struct window){k, stride, begin, end}, ceil_mode) : ox_any(c));
        }
    }
    for (int i = 0; i < c->n_out; i++) {
        ox_set(c, i, dims.v, dims.n);
    }
}

void ox_rule_conv(struct ox_call *c)
{
    const struct mx_shape w = ox_in_shape(c, 1);
    slide(c, ox_in_shape(c, 0), w, w.ndim > 0 ? w.dims[0] : ox_any(c), false);
}

void ox_rule_pool(struct ox_call *c)
{
    const struct mx_shape x = ox_in_shape(c, 0);
    slide(c, x, MX_SHAPE_UNKNOWN, x.ndim > 1 ? x.dims[1] : ox_any(c), ox_attr_int(c->attrs, "ceil_mode", 0) != 0);
}

void ox_rule_global_pool(struct ox_call *c)
{
    const struct mx_shape x = ox_in_shape(c, 0);
    struct mx_dim_list dims = ox_no_dims(c->b);
    for (int i = 0; i < x.ndim; i++) {
        mx_push_dim(&dims, i < 2 ? x.dims[i] : mx_dim_of(1));
    }
    if (x.ndim >= 0) {
        ox_set(c, 0, dims.v, dims.n);
    }
}

void ox_rule_conv_transpose(struct ox_call *c)
{
    const struct mx_shape x = ox_in_shape(c, 0);
    const struct mx_shape w = ox_in_shape(c, 1);
    struct mx_dim_list dims = ox_no_dims(c->b);
    int n;
    const int64_t *wanted = ox_attr_ints(c->attrs, "output_shape", &n);
    const bool same = ox_pads_to_same(c);
    if (x.ndim < 2) {
        return;
    }
    mx_push_dim(&dims, x.dims[0]);
    mx_push_dim(&dims, w.ndim > 1 ? mx_dim_muln(ox_t(c), w.dims[1], ox_attr_int(c->attrs, "group", 1)) : ox_any(c));
    for (int i = 0; i + 2 < x.ndim; i++) {
        const int64_t k = extent(c, i, w);
        const int64_t stride = ox_int_at(c, "strides", i, 1);
        const int64_t more = ox_int_at(c, "output_padding", i, 0) + k - stride;
        const int64_t pads = same ? more : ox_int_at(c, "pads", i, 0) + ox_int_at(c, "pads", i + x.ndim - 2, 0);
        mx_push_dim(&dims, wanted                         ? mx_dim_of(ox_int_at(c, "output_shape", i, 1))
                           : k == 0 || (same && more < 0) ? ox_any(c) /* ONNX and ONNX Runtime do not agree on it */
                                                          : mx_dim_addn(ox_t(c), mx_dim_muln(ox_t(c), x.dims[i + 2], stride), more - pads));
    }
    ox_set(c, 0, dims.v, dims.n);
}

void ox_rule_roi(struct ox_call *c)
{
    const struct mx_shape x = ox_in_shape(c, 0);
    const struct mx_shape rois = ox_in_shape(c, 1);
    const bool align = c->op == OX_RoiAlign;
    const mx_dim dims[] = {
        rois.ndim == 2 ? rois.dims[0] : ox_any(c),
        x.ndim == 4 ? x.dims[1] : ox_any(c),
        mx_dim_of(align ? ox_attr_int(c->attrs, "output_height", 1) : ox_int_at(c, "pooled_shape", 0, 1)),
        mx_dim_of(align ? ox_attr_int(c->attrs, "output_width", 1) : ox_int_at(c, "pooled_shape", 1, 1)),
    };
    ox_set(c, 0, dims, 4);
}

void ox_rule_grid_sample(struct ox_call *c)
{
    const struct mx_shape x = ox_in_shape(c, 0);
    const struct mx_shape grid = ox_in_shape(c, 1);
    struct mx_dim_list dims = ox_no_dims(c->b);
    if (x.ndim < 3 || grid.ndim != x.ndim) {
        return;
    }
    for (int i = 0; i < x.ndim; i++) {
        mx_push_dim(&dims, i < 2 ? x.dims[i] : grid.dims[i - 1]);
    }
    ox_set(c, 0, dims.v, dims.n);
}

void ox_rule_affine_grid(struct ox_call *c)
{
    struct mx_dim_list size = ox_no_dims(c->b);
    struct mx_dim_list dims = ox_no_dims(c->b);
    if (!ox_vector_dims(c->b, ox_call_in(c, 1), &size) || size.n < 4) {
        return;
    }
    mx_push_dim(&dims, size.v[0]);
    mx_push_dims(&dims, size.v + 2, size.n - 2);
    mx_push_dim(&dims, mx_dim_of(size.n - 2));
    ox_set(c, 0, dims.v, dims.n);
}

/* ---- resizing */

static mx_dim scaled(const struct ox_call *c, mx_dim d, double scale)
{
    int64_t size;
    if (scale >= 1e9) {
        return ox_any(c);
    }
    if (mx_dim_known(ox_t(c), d, &size)) {
        const double product = floor((double)size * (double)(float)scale);
        return product < 0x1p62 ? mx_dim_of((int64_t)product) : ox_any(c);
    }
    if (scale <= floor(scale)) {
        return mx_dim_muln(ox_t(c), d, (int64_t)scale);
    }
    return ox_any(c);
}

void ox_rule_resize(struct ox_call *c)
{
    const struct mx_shape x = ox_in_shape(c, 0);
    struct mx_dim_list dims = ox_dims_like(c->b, x);
    struct mx_dim_list sizes = ox_no_dims(c->b);
    struct ox_data scales = {0};
    int n_axes;
    const int64_t *axes = ox_attr_ints(c->attrs, "axes", &n_axes);
    if (x.ndim < 0) {
        return;
    }
    const bool by_size = ox_call_in(c, 3) != OX_NONE;
    const bool known = by_size ? ox_vector_dims(c->b, c->in[3], &sizes) : ox_data_read(c->b, ox_call_in(c, 2), MX_MAX_RANK, &scales);
    const int n = by_size ? sizes.n : (int)scales.count;
    for (int i = 0; i < (axes ? n_axes : x.ndim); i++) {
        const int64_t axis = axes ? mx_wrap(axes[i], x.ndim) : i;
        mx_put_dim(&dims, axis, !known || i >= n ? ox_any(c) : by_size ? mx_get_dim(&sizes, i) : scaled(c, x.dims[axis], scales.f[i]));
    }
    ox_data_free(&scales);
    ox_set(c, 0, dims.v, dims.n);
}

/* Channels as pixels, or the reverse. */
void ox_rule_blocks(struct ox_call *c)
{
    const struct mx_shape x = ox_in_shape(c, 0);
    const int64_t block = ox_attr_int(c->attrs, "blocksize", 1);
    const bool to_space = c->op == OX_DepthToSpace;
    if (x.ndim != 4) {
        return;
    }
    mx_dim dims[] = {x.dims[0], x.dims[1], x.dims[2], x.dims[3]};
    for (int i = 1; i < 4; i++) {
        const int64_t by = i == 1 ? block * block : block;
        dims[i] = to_space == (i > 1) ? mx_dim_muln(ox_t(c), dims[i], by) : mx_dim_floor_div(ox_t(c), dims[i], by);
    }
    ox_set(c, 0, dims, 4);
}

void ox_rule_col2im(struct ox_call *c)
{
    const struct mx_shape x = ox_in_shape(c, 0);
    struct mx_dim_list image = ox_no_dims(c->b);
    struct mx_dim_list dims = ox_no_dims(c->b);
    struct mx_int_list block = ox_no_ints(c->b);
    int64_t product = 1;
    if (x.ndim != 3 || !ox_vector_dims(c->b, ox_call_in(c, 1), &image) || !ox_in_ints(c, 2, &block)) {
        return;
    }
    for (int i = 0; i < block.n; i++) {
        product = mx_mul_i64(product, block.v[i], &product) ? product : 0;
    }
    mx_push_dim(&dims, x.dims[0]);
    mx_push_dim(&dims, product > 0 ? mx_dim_floor_div(ox_t(c), x.dims[1], product) : ox_any(c));
    mx_push_dims(&dims, image.v, image.n);
    ox_set(c, 0, dims.v, dims.n);
}

/* ---- matrices */

void ox_rule_gemm(struct ox_call *c)
{
    const struct mx_shape a = ox_in_shape(c, 0);
    const struct mx_shape w = ox_in_shape(c, 1);
    const bool ta = ox_attr_int(c->attrs, "transA", 0) != 0;
    const bool tw = ox_attr_int(c->attrs, "transB", 0) != 0;
    const mx_dim dims[] = {a.ndim == 2 ? a.dims[ta ? 1 : 0] : ox_any(c), w.ndim == 2 ? w.dims[tw ? 0 : 1] : ox_any(c)};
    ox_set(c, 0, dims, 2);
}

void ox_rule_matmul(struct ox_call *c)
{
    const struct mx_shape x = ox_in_shape(c, 0);
    const struct mx_shape y = ox_in_shape(c, 1);
    struct mx_dim_list dims = ox_no_dims(c->b);
    if (x.ndim < 1 || y.ndim < 1) {
        return;
    }
    mx_push_dims(&dims, x.dims, x.ndim - 2);
    ox_join(ox_t(c), &dims, (struct mx_shape){y.ndim - 2, y.dims});
    if (x.ndim > 1) {
        mx_push_dim(&dims, x.dims[x.ndim - 2]);
    }
    if (y.ndim > 1) {
        mx_push_dim(&dims, y.dims[y.ndim - 1]);
    }
    ox_set(c, 0, dims.v, dims.n);
}

void ox_rule_det(struct ox_call *c)
{
    const struct mx_shape x = ox_in_shape(c, 0);
    ox_set(c, 0, x.dims, x.ndim - 2);
}

/* "ij,jk->ik": each letter is a dim; without "->" the result has the letters that occur once, sorted. */
void ox_rule_einsum(struct ox_call *c)
{
    const char *p = ox_attr_string(c->attrs, "equation", "");
    mx_dim of[128];
    int seen[128] = {0};
    struct mx_dim_list dims = ox_no_dims(c->b);
    int input = 0;
    int at = 0;
    for (; *p && strncmp(p, "->", 2) != 0; p++) {
        const struct mx_shape s = ox_in_shape(c, input);
        const unsigned letter = (unsigned char)*p;
        if (*p == ',') {
            input++;
            at = 0;
        } else if (*p == '.' || letter >= 128) {
            return;
        } else if (*p != ' ') {
            const mx_dim d = at < s.ndim ? s.dims[at] : ox_any(c);
            of[letter] = seen[letter] ? ox_broadcast_dim(ox_t(c), of[letter], d) : d;
            seen[letter]++;
            at++;
        }
    }
    if (*p) {
        for (p += 2; *p; p++) {
            const unsigned letter = (unsigned char)*p;
            if (*p == '.' || letter >= 128 || (*p != ' ' && !seen[letter])) {
                return;
            }
            if (*p != ' ') {
                mx_push_dim(&dims, of[letter]);
            }
        }
    } else {
        for (int letter = 0; letter < 128; letter++) {
            if (seen[letter] == 1) {
                mx_push_dim(&dims, of[letter]);
            }
        }
    }
    ox_set(c, 0, dims.v, dims.n);
}

void ox_rule_reduce(struct ox_call *c)
{
    const struct mx_shape x = ox_in_shape(c, 0);
    const bool keep = ox_attr_int(c->attrs, "keepdims", 1) != 0;
    const bool named = ox_call_in(c, 1) != OX_NONE;
    struct mx_int_list axes = ox_no_ints(c->b);
    struct mx_axes gone = {0};
    const bool known = named && ox_in_ints(c, 1, &axes), each = ox_attr_int(c->attrs, "noop_with_empty_axes", 0) != 0;
    if (!named && !keep && !each) {
        ox_set(c, 0, NULL, 0);
        return;
    }
    if (x.ndim < 0 || (named && !known)) {
        if (keep && x.ndim >= 0) {
            ox_set_open(c, 0, x.ndim);
        }
        return;
    }
    const bool all = axes.n == 0 && !each;
    for (int i = 0; i < (all ? x.ndim : axes.n); i++) {
        mx_add_axis(&gone, all ? i : axes.v[i]); /* ox_reduce counts axes from 0 */
    }
    ox_set_reduced(c, x, gone, keep);
}

/* ---- normalisation, attention */

/* The first output is like the input, others are statistics: per channel, or over the axes that LayerNormalization keeps. */
void ox_rule_norm(struct ox_call *c)
{
    const struct mx_shape x = ox_in_shape(c, 0);
    struct mx_dim_list dims = ox_no_dims(c->b);
    const bool layer = c->op == OX_LayerNormalization;
    c->shapes[0] = x;
    for (int i = 1; i < c->n_out; i++) {
        const int64_t axis = ox_attr_int(c->attrs, "axis", -1);
        c->dtypes[i] = layer ? MX_FLOAT32 : c->dtypes[i];
        if (x.ndim < (layer ? 1 : 2)) {
            continue;
        }
        for (int k = 0; k < x.ndim; k++) {
            mx_put_dim(&dims, k, k < (axis < 0 ? axis + x.ndim : axis) ? x.dims[k] : mx_dim_of(1));
        }
        ox_set(c, i, layer ? dims.v : &x.dims[1], layer ? x.ndim : 1);
    }
}

void ox_rule_attention(struct ox_call *c)
{
    const struct mx_shape q = ox_in_shape(c, 0);
    const struct mx_shape v = ox_in_shape(c, 2);
    if (q.ndim == 4 && v.ndim == 4) {
        const mx_dim dims[] = {q.dims[0], q.dims[1], q.dims[2], v.dims[3]};
        ox_set(c, 0, dims, 4);
    } else if (q.ndim == 3) {
        const mx_dim dims[] = {q.dims[0], q.dims[1], ox_any(c)};
        ox_set(c, 0, dims, 3);
    }
}

void ox_rule_window(struct ox_call *c)
{
    int64_t n;
    const bool known = ox_in_int(c, 0, &n) && n >= 0;
    const mx_dim size = known ? mx_dim_of(n) : ox_any(c);
    c->dtypes[0] = (enum mx_dtype)ox_attr_int(c->attrs, "output_datatype", MX_FLOAT32);
    ox_set(c, 0, &size, 1);
}

void ox_rule_nms(struct ox_call *c)
{
    const mx_dim dims[] = {ox_any(c), mx_dim_of(3)};
    ox_set(c, 0, dims, 2);
}

/* ---- recurrence */

void ox_rule_rnn(struct ox_call *c)
{
    const struct mx_shape x = ox_in_shape(c, 0);
    const bool both = strcmp(ox_attr_string(c->attrs, "direction", "forward"), "bidirectional") == 0;
    const mx_dim size = mx_dim_of(ox_attr_int(c->attrs, "hidden_size", 0));
    const mx_dim ways = mx_dim_of(both ? 2 : 1);
    const mx_dim time = x.ndim == 3 ? x.dims[0] : ox_any(c);
    const mx_dim batch = x.ndim == 3 ? x.dims[1] : ox_any(c);
    const mx_dim all[] = {time, ways, batch, size};
    ox_set(c, 0, all, 4);
    for (int i = 1; i < c->n_out; i++) {
        ox_set(c, i, all + 1, 3);
    }
}

/* ---- bodies */

static const struct ox_graph *body_of(const struct ox_call *c, const char *name)
{
    return ox_find_attr(c->attrs, name)->graph;
}

/* If two shapes disagree, nothing is known. */
static void set_joined(struct ox_call *c, int i, struct mx_shape a, struct mx_shape b)
{
    struct mx_dim_list dims = ox_no_dims(c->b);
    if (a.ndim < 0 || a.ndim != b.ndim) {
        return;
    }
    for (int k = 0; k < a.ndim; k++) {
        mx_push_dim(&dims, mx_dim_equal(ox_t(c), a.dims[k], b.dims[k]) ? a.dims[k] : ox_any(c));
    }
    ox_set(c, i, dims.v, dims.n);
}

void ox_rule_if(struct ox_call *c)
{
    const struct ox_graph *yes = body_of(c, "then_branch");
    const struct ox_graph *no = body_of(c, "else_branch");
    for (int i = 0; i < c->n_out; i++) {
        if (i >= yes->n_outputs || i >= no->n_outputs) {
            /* Not by a file: both bodies are written with an output for each of the node. */
            ox_broken(c->b, "internal error: an If without output %d in both branches", i);
            return;
        }
        const struct ox_value *a = ox_value_of(c->b->model, yes->outputs[i]);
        const struct ox_value *b = ox_value_of(c->b->model, no->outputs[i]);
        c->dtypes[i] = a->dtype;
        set_joined(c, i, a->shape, b->shape);
    }
}

/* A body's output with an additional axis in front. */
static void set_stacked(struct ox_call *c, int i, mx_dim length, struct mx_shape s)
{
    struct mx_dim_list dims = ox_no_dims(c->b);
    if (s.ndim < 0) {
        return;
    }
    mx_push_dim(&dims, length);
    mx_push_dims(&dims, s.dims, s.ndim);
    ox_set(c, i, dims.v, dims.n);
}

/* Outputs: the results of the body after the first `skipped` of them. The first `states` replace inputs, from `first_in` on; the others
 * are stacked. */
static void set_results(struct ox_call *c, int states, int skipped, int first_in, mx_dim length)
{
    const struct ox_graph *body = body_of(c, "body");
    for (int i = 0; i < c->n_out; i++) {
        if (i + skipped >= body->n_outputs) {
            /* Not by a file: as for If. */
            ox_broken(c->b, "internal error: a %s whose body lacks output %d", c->schema->name, i + skipped);
            return;
        }
        const struct ox_value *v = ox_value_of(c->b->model, body->outputs[i + skipped]);
        c->dtypes[i] = v->dtype;
        if (i < states) {
            set_joined(c, i, v->shape, ox_in_shape(c, i + first_in));
        } else {
            set_stacked(c, i, length, v->shape);
        }
    }
}

void ox_rule_loop(struct ox_call *c)
{
    set_results(c, c->n_in - 2, 1, 2, ox_any(c));
}

/* It is written by ops/ only, which scans along the first axes. */
void ox_rule_scan(struct ox_call *c)
{
    const int states = c->n_in - (int)ox_attr_int(c->attrs, "num_scan_inputs", 1);
    const struct mx_shape first = ox_in_shape(c, states);
    set_results(c, states, 0, 0, first.ndim > 0 ? first.dims[0] : ox_any(c));
}
