/* Replaces two nodes by one: a product or a convolution and what is added to it, zeros around the input of convolutions, a reduction of a
 * reduction. Only convolutions may share the value between them, and only that of a Pad, so this runs after the graph is finished and its
 * readers are counted. */
#include <string.h>

#include "base/budget.h"
#include "base/num.h"
#include "onnx/pass/rewrite.h"

/* The node of type `op` whose result x is read by `reader` alone, in the same graph; NULL if there is none. */
static struct ox_node *maker_for(const struct ox_model *m, const struct ox_graph *reader, ox_val x, enum ox_op op)
{
    struct ox_node *n = ox_only_maker(m, reader, x);
    return ox_node_is(n, op) ? n : NULL;
}

/* ---- products */

static bool is_matrix(const struct ox_model *m, ox_val x)
{
    return m->values[x].shape.ndim == 2;
}

/* Gemm's C is broadcast along rows or columns, and never enlarges the product. */
static bool fits_product(const struct ox_model *m, ox_val c, struct mx_shape product)
{
    const struct mx_shape s = m->values[c].shape;
    if (s.ndim < 0 || s.ndim > 2 || product.ndim != 2) {
        return false;
    }
    for (int i = 0; i < s.ndim; i++) {
        int64_t size;
        if (!mx_dim_equal(m->dims, s.dims[i], product.dims[2 - s.ndim + i]) && !(mx_dim_known(m->dims, s.dims[i], &size) && size == 1)) {
            return false;
        }
    }
    return true;
}

/* A product of two matrices to which nothing is added yet. A product over no elements is left alone: it is all zeros, which not every
 * Gemm implementation knows. */
static struct ox_node *product_of(const struct ox_model *m, const struct ox_graph *g, ox_val x)
{
    struct ox_node *n = maker_for(m, g, x, OX_MatMul);
    int64_t inner = 0;
    if (!n) {
        n = maker_for(m, g, x, OX_Gemm);
        if (n && (n->n_in > 2 || ox_find_attr(n->attrs, "beta"))) {
            return NULL;
        }
    }
    if (!n || !is_matrix(m, n->in[0]) || !is_matrix(m, n->in[1])) {
        return NULL;
    }
    const mx_dim contracted = m->values[n->in[0]].shape.dims[ox_attr_int(n->attrs, "transA", 0) ? 0 : 1];
    return mx_dim_known(m->dims, contracted, &inner) && inner > 0 ? n : NULL;
}

/* Add(MatMul(a, b), c) is Gemm(a, b, c) if c fits; for floats only, like Gemm's own factors. */
static int add_to_product(struct ox_model *m, struct ox_graph *g, struct ox_node *add)
{
    struct ox_node *product = NULL;
    ox_val other = OX_NONE;
    for (int i = 0; i < 2 && !product; i++) {
        product = product_of(m, g, add->in[i]);
        other = add->in[1 - i];
        if (product && !fits_product(m, other, m->values[add->in[i]].shape)) {
            product = NULL;
        }
    }
    if (!product || !mx_dtype_is_float(m->values[add->out[0]].dtype)) {
        return MX_OK;
    }
    MX_TRY(ox_set_inputs(m, add, (const ox_val[]){product->in[0], product->in[1], other}, 3));
    add->op = OX_Gemm;
    add->attrs = product->attrs;
    ox_remove_node(m, product);
    return MX_OK;
}

/* ---- biases */

/* True for a constant with a number for each channel of `of`, and nothing along its other axes. */
static bool is_bias(const struct ox_model *m, ox_val c, const struct ox_value *of)
{
    const struct ox_tensor *t = m->values[c].tensor;
    const int more = t ? of->shape.ndim - t->ndim : -1;
    bool fits = t && (more == 0 || more == 1);
    for (int i = 0; fits && i < t->ndim; i++) {
        fits = mx_dim_equal(m->dims, mx_dim_of(t->dims[i]), more + i == 1 ? of->shape.dims[1] : mx_dim_of(1));
    }
    return fits;
}

/* Add(Conv(x, w), c) is Conv(x, w, c) for a constant of each channel. */
static int add_to_convolution(struct ox_build *b, struct ox_graph *g, struct ox_node *add)
{
    struct ox_model *m = b->model;
    struct ox_node *conv = NULL;
    ox_val c = OX_NONE;
    for (int i = 0; i < 2 && !conv; i++) {
        conv = ox_only_maker(m, g, add->in[i]);
        c = add->in[1 - i];
        conv = ox_is_conv(conv) && ox_conv_bias(conv) == OX_NONE && is_bias(m, c, &m->values[add->in[i]]) ? conv : NULL;
    }
    if (!conv) {
        return MX_OK;
    }
    const ox_val bias = ox_reshape_ints(b, c, (const int64_t[]){-1}, 1);
    MX_TRY(ox_status(b));
    MX_TRY(ox_set_inputs(m, add, (const ox_val[]){conv->in[0], conv->in[OX_CONV_WEIGHT], bias}, 3));
    add->op = conv->op;
    add->attrs = conv->attrs;
    ox_remove_node(m, conv);
    return MX_OK;
}

/* ---- padding */

/* The pads, two for each of ndim axes, of a Pad that adds zeros on spatial axes only; false if it does not. */
static bool spatial_zeros(struct ox_build *b, const struct ox_node *pad, int ndim, struct mx_int_list *pads)
{
    if (strcmp(ox_attr_string(pad->attrs, "mode", "constant"), "constant") != 0 || pad->n_in > 2 || ndim < 3
        || !ox_const_list(b, pad->in[1], 2 * ndim, pads)) {
        return false;
    }
    bool fits = pads->n == 2 * ndim;
    for (int i = 0; fits && i < pads->n; i++) {
        fits = pads->v[i] >= 0 && (i % ndim > 1 || pads->v[i] == 0);
    }
    return fits;
}

/* The attributes with these pads, which they keep, in place of theirs. */
static const struct ox_attr *padded(struct ox_model *m, const struct ox_attr *attrs, const int64_t *pads, int n)
{
    struct ox_attr *all = ox_copy_attrs(&m->arena, attrs, 1);
    int kept = 0;
    if (!all) {
        return NULL;
    }
    for (int i = 0; all[i].kind != OX_A_END; i++) {
        if (strcmp(all[i].name, "pads") != 0) {
            all[kept++] = all[i];
        }
    }
    all[kept++] = (struct ox_attr)OX_IS("pads", pads, n);
    all[kept] = (struct ox_attr){.kind = OX_A_END};
    return all;
}

/* Conv(Pad(x)) with zeros is Conv(x) with more pads; several convolutions may read the Pad, which stays for other readers. */
static int pad_of_convolution(struct ox_build *b, struct ox_node *conv)
{
    struct ox_model *m = b->model;
    const struct ox_value *v = &m->values[conv->in[0]];
    struct ox_node *pad = v->producer;
    const int ndim = v->shape.ndim, spatial = ndim - 2;
    struct mx_int_list more = ox_no_ints(b);
    int n;
    const int64_t *own = ox_attr_ints(conv->attrs, "pads", &n);
    if (!ox_node_is(pad, OX_Pad) || ox_find_attr(conv->attrs, "auto_pad") || !spatial_zeros(b, pad, ndim, &more)
        || (own && n != 2 * spatial)) {
        return MX_OK;
    }
    int64_t *pads = MX_ARENA_ARRAY(&m->arena, int64_t, 2 * (size_t)spatial);
    MX_TRY_ALLOC(pads);
    for (int i = 0; i < spatial; i++) {
        if (!mx_add_i64(more.v[2 + i], own ? own[i] : 0, &pads[i])
            || !mx_add_i64(more.v[ndim + 2 + i], own ? own[spatial + i] : 0, &pads[spatial + i])) {
            return MX_OK;
        }
    }
    const struct ox_attr *attrs = padded(m, conv->attrs, pads, 2 * spatial);
    MX_TRY_ALLOC(attrs);
    conv->attrs = attrs;
    MX_TRY(ox_set_input(m, conv, 0, pad->in[0]));
    if (m->values[pad->out[0]].dead) {
        ox_remove_node(m, pad);
    }
    return MX_OK;
}

/* True if padding with zeros is not the same as more pads for this pooling: a maximum ignores pads, an average does unless it counts them,
 * and pads are less than the kernel. */
static bool pads_otherwise(const struct ox_node *pool, const struct mx_int_list *more, int ndim)
{
    int n = 0, n_own = 0;
    const int spatial = ndim - 2;
    const int64_t *kernel = ox_attr_ints(pool->attrs, "kernel_shape", &n), *own = ox_attr_ints(pool->attrs, "pads", &n_own);
    bool counts = ox_node_is(pool, OX_AveragePool) && ox_attr_int(pool->attrs, "count_include_pad", 0) != 0 && n == spatial;
    for (int i = 0; counts && i < 2 * spatial; i++) {
        counts = more->v[(i < spatial ? 2 : 4) + i] + (i < n_own ? own[i] : 0) < kernel[i % spatial];
    }
    return !counts;
}

/* A Pad with zeros that only a pooling reads, or its cast: ONNX Runtime's PadFusion writes it as more pads, even where these are not zeros.
 * It compares the bytes of the value with those of 0, and leaves a Pad with -0 alone. */
static int pad_of_pooling(struct ox_build *b, struct ox_graph *g, struct ox_node *pool)
{
    struct ox_model *m = b->model;
    struct ox_node *cast = maker_for(m, g, pool->in[0], OX_Cast), *pad = maker_for(m, g, cast ? cast->in[0] : pool->in[0], OX_Pad);
    const int ndim = m->values[pool->in[0]].shape.ndim;
    struct mx_int_list more = ox_no_ints(b);
    if (!pad || !mx_dtype_is_float(m->values[pad->in[0]].dtype) || !spatial_zeros(b, pad, ndim, &more)
        || !pads_otherwise(pool, &more, ndim)) {
        return MX_OK;
    }
    const ox_val in[] = {pad->in[0], pad->in[1], ox_scalar(b, m->values[pad->in[0]].dtype, -0.0)};
    MX_TRY(ox_status(b));
    return ox_set_inputs(m, pad, in, 3);
}

/* ---- reductions */

/* True if reducing some axes and then others equals reducing all of them; a mean of integers is rounded each time. */
static bool joins(const struct ox_model *m, const struct ox_node *n)
{
    return ox_node_is(n, OX_ReduceMax) || ox_node_is(n, OX_ReduceMin) || ox_node_is(n, OX_ReduceProd) || ox_node_is(n, OX_ReduceSum)
           || (ox_node_is(n, OX_ReduceMean) && mx_dtype_is_float(m->values[n->out[0]].dtype));
}

/* The axes of a reduction of a value of this rank; false if they are not known. */
static bool axes_of(struct ox_build *b, const struct ox_node *n, int rank, struct mx_axes *marked)
{
    struct mx_int_list axes = ox_counted(b, rank);
    if (n->n_in > 1 && (!ox_const_list(b, n->in[1], MX_MAX_RANK, &axes) || axes.n == 0)) {
        return false;
    }
    for (int i = 0; i < axes.n; i++) {
        const int64_t axis = mx_wrap(axes.v[i], rank);
        if (axis < 0 || axis >= rank) { /* which may be declared after the node was checked */
            return false;
        }
        mx_add_axis(marked, axis);
    }
    return rank >= 0;
}

/* Makes n reduce x over the marked axes. */
static int set_axes(struct ox_build *b, struct ox_node *n, ox_val x, struct mx_axes marked)
{
    struct ox_model *m = b->model;
    const struct mx_int_list axes = ox_listed(b, marked);
    const ox_val in[] = {x, ox_ints(b, axes.v, axes.n)};
    const struct ox_attr *attrs = ox_copy_attrs(&m->arena, OX_ATTRS(OX_I("keepdims", ox_attr_int(n->attrs, "keepdims", 1))), 0);
    MX_TRY_ALLOC(attrs);
    MX_TRY(ox_status(b));
    n->attrs = attrs;
    return ox_set_inputs(m, n, in, 2);
}

static int reduce_of_reduce(struct ox_build *b, struct ox_graph *g, struct ox_node *n)
{
    struct ox_model *m = b->model;
    struct ox_node *inner = joins(m, n) ? maker_for(m, g, n->in[0], n->op) : NULL;
    struct mx_axes marked = {0}, left = {0};
    const bool keep = ox_attr_int(n->attrs, "keepdims", 1) != 0;
    if (!inner || keep != (ox_attr_int(inner->attrs, "keepdims", 1) != 0)) {
        return MX_OK;
    }
    const int rank = m->values[inner->in[0]].shape.ndim;
    if (!axes_of(b, inner, rank, &marked) || !axes_of(b, n, m->values[n->in[0]].shape.ndim, &left)) {
        return ox_status(b);
    }
    for (int i = 0, at = 0; i < rank; i++) {
        if (keep || !mx_has_axis(marked, i)) {
            if (mx_has_axis(left, at++)) {
                mx_add_axis(&marked, i);
            }
        }
    }
    MX_TRY(set_axes(b, n, inner->in[0], marked));
    ox_remove_node(m, inner);
    return MX_OK;
}

/* ---- all nodes */

static int fuse_graph(struct ox_model *m, struct ox_graph *g, void *user)
{
    for (int i = 0; i < g->n_nodes; i++) {
        struct ox_node *n = g->nodes[i];
        MX_TRY(mx_tick(m->arena.budget, MX_TICK_NODE));
        MX_TRY(ox_node_is(n, OX_Add)    ? add_to_product(m, g, n)
               : ox_node_is(n, OX_Conv) ? pad_of_convolution(user, n)
                                        : reduce_of_reduce(user, g, n));
        MX_TRY(ox_node_is(n, OX_Add) ? add_to_convolution(user, g, n) : MX_OK);
    }
    return MX_OK;
}

static int keep_pads(struct ox_model *m, struct ox_graph *g, void *user)
{
    for (int i = 0; i < g->n_nodes; i++) {
        struct ox_node *n = g->nodes[i];
        MX_TRY(mx_tick(m->arena.budget, MX_TICK_NODE));
        MX_TRY(ox_node_is(n, OX_MaxPool) || ox_node_is(n, OX_AveragePool) ? pad_of_pooling(user, g, n) : MX_OK);
    }
    return MX_OK;
}

static int fuse(struct ox_build *b, void *user)
{
    MX_TRY(ox_each_graph(b->model, fuse_graph, b));
    MX_TRY(ox_each_graph(b->model, keep_pads, b));
    ox_drop_dead(b->model);
    return ox_status(b);
}

int ox_fuse(struct ox_model *m)
{
    return ox_with_builder(m, fuse, NULL);
}
