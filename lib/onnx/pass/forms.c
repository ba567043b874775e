/* Forms that no list of changes covers, operator by operator: what an older opset cannot express (ox_refuse_..., called when the node is
 * made) and how it expresses the rest (ox_older_..., called by legalise), and forms of targets. Rows of schema/operators.inc name them. */
#include <math.h>
#include <string.h>

#include "onnx/builder/internal.h"
#include "onnx/pass/pass.h"
#include "onnx/rules/rows.h"
#include "onnx/schema/targets.h"

/* Before 12 Max, Min and Clip compute in floats, Clip in those of at most 32 bits. */
static bool is_small_float(struct ox_build *b, ox_val x)
{
    return ox_dtype(b, x) == MX_FLOAT32 || ox_dtype(b, x) == MX_FLOAT16;
}

static void become_where(struct ox_call *c, ox_val condition, ox_val x, ox_val y)
{
    c->op = OX_Where;
    for (int i = c->n_in - 1; i > 2; i--) {
        ox_set_in(c, i, OX_NONE);
    }
    ox_set_in(c, 2, y);
    ox_set_in(c, 1, x);
    ox_set_in(c, 0, condition);
}

void ox_older_extreme(struct ox_call *c)
{
    struct ox_build *b = c->b;
    const enum ox_op better = c->op == OX_Max ? OX_Greater : OX_Less;
    ox_val best = c->in[0];
    if (is_small_float(b, best) || ox_dtype(b, best) == MX_FLOAT64) {
        return;
    }
    for (int i = 1; i < c->n_in - 1; i++) {
        best = ox_emit(b, OX_Where, OX_IN(ox_emit(b, better, OX_IN(best, c->in[i]), OX_NO_ATTRS), best, c->in[i]), OX_NO_ATTRS);
    }
    const ox_val last = c->in[c->n_in - 1];
    become_where(c, ox_emit(b, better, OX_IN(best, last), OX_NO_ATTRS), best, last);
}

/* Where the least exceeds the greatest, the result is the greatest, as in Clip. */
void ox_older_clip(struct ox_call *c)
{
    struct ox_build *b = c->b;
    ox_val x = c->in[0];
    const ox_val least = ox_call_in(c, 1), greatest = ox_call_in(c, 2);
    if (is_small_float(b, x)) {
        return;
    }
    if (greatest == OX_NONE) {
        become_where(c, ox_emit(b, OX_Less, OX_IN(x, least), OX_NO_ATTRS), least, x);
        return;
    }
    if (least != OX_NONE) {
        x = ox_emit(b, OX_Where, OX_IN(ox_emit(b, OX_Less, OX_IN(x, least), OX_NO_ATTRS), least, x), OX_NO_ATTRS);
    }
    become_where(c, ox_emit(b, OX_Greater, OX_IN(x, greatest), OX_NO_ATTRS), greatest, x);
}

/* Neither holds for NaN, so that it is not the opposite of Less. */
void ox_older_or_equal(struct ox_call *c)
{
    struct ox_build *b = c->b;
    const ox_val more = ox_emit(b, c->op == OX_GreaterOrEqual ? OX_Greater : OX_Less, OX_IN(c->in[0], c->in[1]), OX_NO_ATTRS);
    const ox_val equal = ox_emit(b, OX_Equal, OX_IN(c->in[0], c->in[1]), OX_NO_ATTRS);
    c->op = OX_Or;
    ox_set_in(c, 0, more);
    ox_set_in(c, 1, equal);
}

void ox_refuse_gather_nd(struct ox_call *c)
{
    const int64_t batches = ox_attr_int(c->attrs, "batch_dims", 0);
    if (c->b->model->opset < 12 && batches != 0 && (batches < 0 || batches >= ox_rank(c->b, c->in[1]))) {
        ox_fail_opset(c->b, 12, "GatherND with batches");
    }
}

/* Before 12 GatherND has no batches: the positions along them precede each index. */
void ox_older_gather_nd(struct ox_call *c)
{
    struct ox_build *b = c->b;
    const int batches = (int)ox_attr_int(c->attrs, "batch_dims", 0), rank = ox_rank(b, c->in[1]);
    ox_drop_attr(c, "batch_dims");
    for (int axis = batches - 1; axis >= 0 && !ox_failed(b); axis--) {
        const ox_val x = c->in[1];
        struct mx_int_list dims = ox_repeated(b, 1, rank);
        mx_put_int(&dims, axis, -1);
        const ox_val sizes = ox_emit(b, OX_Shape, OX_IN(x), OX_NO_ATTRS);
        const ox_val size = ox_emit(b, OX_Gather, OX_IN(sizes, ox_scalar(b, MX_INT64, axis)), OX_NO_ATTRS);
        const ox_val range = ox_emit(b, OX_Range, OX_IN(ox_scalar(b, MX_INT64, 0), size, ox_scalar(b, MX_INT64, 1)), OX_NO_ATTRS);
        const ox_val along = ox_emit(b, OX_Reshape, OX_IN(range, ox_ints(b, dims.v, dims.n)), OX_NO_ATTRS);
        const ox_val first = ox_emit(b, OX_Gather, OX_IN(x, ox_int(b, 0)), OX_ATTRS(OX_I("axis", rank - 1)));
        const ox_val none = ox_emit(b, OX_Mul, OX_IN(first, ox_scalar(b, MX_INT64, 0)), OX_NO_ATTRS);
        const ox_val at = ox_emit(b, OX_Add, OX_IN(none, along), OX_NO_ATTRS);
        ox_set_in(c, 1, ox_emit(b, OX_Concat, OX_IN(at, x), OX_ATTRS(OX_I("axis", rank - 1))));
    }
}

void ox_refuse_resize(struct ox_call *c)
{
    if (c->b->model->opset < 18 && ox_find_attr(c->attrs, "axes")) {
        ox_fail_opset(c->b, 18, "Resize of selected axes");
    }
}

/* Before 13 both roi and scales are required; unused ones are empty tensors. */
void ox_older_resize(struct ox_call *c)
{
    const int64_t none[] = {0};
    for (int i = 1; i <= 2; i++) {
        if (ox_call_in(c, i) == OX_NONE) {
            ox_set_in(c, i, ox_tensor(c->b, MX_FLOAT32, none, 1, none));
        }
    }
}

void ox_refuse_pad(struct ox_call *c)
{
    const ox_val axes = ox_call_in(c, 3);
    if (c->b->model->opset < 18 && axes != OX_NONE
        && (ox_rank(c->b, c->in[0]) < 0 || !ox_tensor_of(c->b, axes) || !ox_tensor_of(c->b, ox_call_in(c, 1)))) {
        ox_fail_opset(c->b, 18, "Pad of computed axes");
    }
}

/* Since 18 the axes of a Pad are an input; before, there are pads for every axis. */
void ox_older_pad(struct ox_call *c)
{
    struct ox_build *b = c->b;
    struct mx_int_list axes = ox_no_ints(b);
    struct mx_int_list few = ox_no_ints(b);
    if (ox_call_in(c, 3) == OX_NONE) {
        return;
    }
    const int rank = ox_rank(b, c->in[0]);
    if (!ox_const_list(b, c->in[3], MX_MAX_RANK, &axes) || !ox_const_list(b, c->in[1], 2 * MX_MAX_RANK, &few) || few.n != 2 * axes.n) {
        /* Not by a file: as above; ox_pad and ox_slice make both lists together. */
        ox_broken(b, "internal error: %d pads for %d axes", few.n, axes.n);
        return;
    }
    const int n = axes.n;
    struct mx_int_list all = ox_repeated(b, 0, 2 * rank);
    for (int i = 0; i < n && !ox_failed(b); i++) {
        const int k = ox_axis(b, mx_get_int(&axes, i), rank, OX_Pad);
        mx_put_int(&all, k, mx_get_int(&few, i));
        mx_put_int(&all, rank + k, mx_get_int(&few, n + i));
    }
    ox_set_in(c, 1, ox_ints(b, all.v, all.n));
    ox_set_in(c, 3, OX_NONE);
}

/* Before 13 all axes from "axis" on are treated as one, so that only the last axis is one alone; which it is must be known
 * (ox_simplify_softmax). */
void ox_refuse_softmax(struct ox_call *c)
{
    const int64_t axis = ox_attr_int(c->attrs, "axis", -1);
    if (c->b->model->opset >= c->schema->any_axis_since || ox_rank(c->b, c->in[0]) >= 0) {
        return;
    }
    if (axis != -1) {
        ox_fail_opset(c->b, c->schema->any_axis_since, "%s along axis %d of a value of unknown rank", c->schema->name, (int)axis);
    }
    ox_drop_attr(c, "axis");
    ox_add_attr(c, (struct ox_attr)OX_I("axis", -1)); /* which was 1 if omitted */
}

void ox_refuse_dft(struct ox_call *c)
{
    const ox_val axis = ox_call_in(c, 2);
    if (c->b->model->opset < 20 && axis != OX_NONE && !ox_tensor_of(c->b, axis)) {
        ox_fail_opset(c->b, 20, "DFT of a computed axis");
    }
}

/* Since 20 the axis is an input with default -2; before, an attribute with default 1. */
void ox_older_dft(struct ox_call *c)
{
    struct ox_build *b = c->b;
    int64_t axis = -2;
    (void)ox_const_int(b, ox_call_in(c, 2), &axis);
    ox_set_in(c, 2, OX_NONE);
    const int rank = ox_rank(b, c->in[0]);
    ox_add_attr(c, (struct ox_attr)OX_I("axis", rank > 0 ? ox_axis(b, axis, rank, OX_DFT) : axis));
}

static struct ox_graph *branch(struct ox_build *b, const char *name, enum ox_op op, const ox_val *in)
{
    struct ox_graph *g = ox_graph_begin(b, name);
    const ox_val x = ox_emit(b, op, in, OX_NO_ATTRS);
    ox_graph_end(b, &x, 1);
    return g;
}

/* Before 14 a size of 0 copies the input's size: a shape with a 0 becomes a constant instead of a Reshape. */
void ox_older_reshape(struct ox_call *c)
{
    struct ox_build *b = c->b;
    const ox_val x = c->in[0], sizes = c->in[1];
    const bool zero = ox_attr_int(c->attrs, "allowzero", 0) != 0;
    ox_drop_attr(c, "allowzero");
    if (!zero) {
        return;
    }
    const ox_val least = ox_emit(b, OX_ReduceMin, OX_IN(sizes), OX_ATTRS(OX_I("keepdims", 0)));
    struct ox_graph *some = branch(b, "some", OX_Reshape, OX_IN(x, sizes));
    struct ox_graph *none = branch(b, "none", OX_Expand, OX_IN(ox_scalar_like(b, x, 0), sizes));
    c->op = OX_If;
    ox_set_in(c, 1, OX_NONE);
    ox_set_in(c, 0, ox_is_true(b, least));
    ox_add_attr(c, (struct ox_attr)OX_G("then_branch", some));
    ox_add_attr(c, (struct ox_attr)OX_G("else_branch", none));
}

/* Part of a shape: Shape has start and end since 15; before, those sizes are taken from the whole shape. */
void ox_older_shape(struct ox_call *c)
{
    struct ox_build *b = c->b;
    const int rank = ox_rank(b, c->in[0]);
    const int64_t start = ox_attr_int(c->attrs, "start", 0);
    const int64_t end = ox_attr_int(c->attrs, "end", rank >= 0 ? rank : INT64_MAX);
    const bool part = start != 0 || ox_find_attr(c->attrs, "end");
    ox_drop_attr(c, "start");
    ox_drop_attr(c, "end");
    if (!part) {
        return;
    }
    const ox_val whole = ox_emit(b, OX_Shape, OX_IN(c->in[0]), OX_NO_ATTRS);
    ox_set_in(c, 0, whole);
    if (start >= 0 && end > start && end <= rank) {
        struct mx_int_list axes = ox_no_ints(b);
        for (int64_t i = start; i < end; i++) {
            mx_push_int(&axes, i);
        }
        c->op = OX_Gather;
        ox_set_in(c, 1, ox_ints(b, axes.v, axes.n));
        ox_add_attr(c, (struct ox_attr)OX_I("axis", 0));
        return;
    }
    c->op = OX_Slice;
    ox_set_in(c, 1, ox_int(b, start));
    ox_set_in(c, 2, ox_int(b, end));
    ox_set_in(c, 3, ox_int(b, 0));
}

/* ---- forms that are refused alone */

/* The newest form has an attribute for the number of outputs, which a caller may omit. */
void ox_refuse_split(struct ox_call *c)
{
    if (ox_call_in(c, 1) == OX_NONE && !ox_find_attr(c->attrs, "num_outputs")) {
        ox_add_attr(c, (struct ox_attr)OX_I("num_outputs", c->n_out));
    }
    int64_t size;
    const int axis = (int)ox_attr_int(c->attrs, "axis", 0);
    if (c->b->model->opset < 18 && ox_call_in(c, 1) == OX_NONE && ox_size_at(c->b, c->in[0], axis, &size) && size % c->n_out != 0) {
        ox_fail_opset(c->b, 18, "Splitting into unequal parts by their number");
    }
}

void ox_refuse_cast(struct ox_call *c)
{
    if (c->b->model->opset < 13 && (ox_dtype(c->b, c->in[0]) == MX_BFLOAT16 || c->dtypes[0] == MX_BFLOAT16)) {
        ox_fail_opset(c->b, 13, "Casting bfloat16");
    }
}

/* The newest form uses half pixels if the attribute is omitted. */
void ox_refuse_roi_align(struct ox_call *c)
{
    if (!ox_has_half_pixels(c->b) && !ox_find_attr(c->attrs, "coordinate_transformation_mode")) {
        ox_fail_opset(c->b, 16, "RoiAlign with half pixels");
    }
}

/* ---- what a target computes differently */

void ox_target_average_pool(struct ox_call *c)
{
    int n;
    bool padded = false;
    const int64_t *pads = ox_attr_ints(c->attrs, "pads", &n);
    const int rank = 2 + n / 2;
    if (!c->b->model->target->explicit_padding || ox_attr_int(c->attrs, "count_include_pad", 0) == 0 || rank > MX_MAX_RANK
        || ox_attr_int(c->attrs, "ceil_mode", 0) != 0) { /* which omits windows that begin in the padding */
        return;
    }
    struct mx_int_list begin = ox_repeated(c->b, 0, 2), end = ox_repeated(c->b, 0, 2);
    for (int i = 0; i < n / 2; i++) {
        mx_push_int(&begin, pads[i]);
        mx_push_int(&end, pads[n / 2 + i]);
        padded = padded || pads[i] != 0 || pads[n / 2 + i] != 0;
    }
    if (padded) {
        ox_set_in(c, 0, ox_pad(c->b, c->in[0], begin.v, end.v, rank, "constant", 0));
        ox_drop_attr(c, "pads");
        ox_drop_attr(c, "count_include_pad");
    }
}

void ox_target_gemm(struct ox_call *c)
{
    struct ox_build *b = c->b;
    if (!b->model->target->wide_gemm || ox_dtype(b, c->in[0]) != MX_FLOAT16 || ox_find_attr(c->attrs, "alpha")
        || ox_find_attr(c->attrs, "beta")) {
        return;
    }
    const char *const turned[] = {"transA", "transB"};
    for (int i = 0; i < 2; i++) {
        if (ox_attr_int(c->attrs, turned[i], 0) != 0) {
            ox_set_in(c, i, ox_transpose(b, c->in[i], (const int64_t[]){1, 0}, 2));
        }
        ox_drop_attr(c, turned[i]);
    }
    const ox_val addend = ox_call_in(c, 2);
    if (addend == OX_NONE) {
        c->op = OX_MatMul;
        return;
    }
    const ox_val product = ox_emit(b, OX_MatMul, OX_IN(c->in[0], c->in[1]), OX_NO_ATTRS);
    c->op = OX_Add;
    ox_set_in(c, 2, OX_NONE);
    ox_set_in(c, 1, addend);
    ox_set_in(c, 0, product);
}

/* x where a constant condition is true and finite constants elsewhere, for runtimes without constants of bool. */
void ox_target_where(struct ox_call *c)
{
    struct ox_build *b = c->b;
    const ox_val condition = c->in[0], x = c->in[1], y = c->in[2];
    if (!b->model->target->masks_in_floats || !ox_tensor_of(b, condition) || !mx_dtype_is_float(ox_dtype(b, x)) || ox_tensor_of(b, x)
        || !ox_tensor_of(b, y) || !ox_is_between(b, y, -(double)INFINITY, (double)INFINITY)) {
        return;
    }
    const ox_val kept = ox_cast(b, condition, ox_dtype(b, x));
    const ox_val other = ox_mul(b, ox_sub(b, ox_scalar_like(b, x, 1), kept), y);
    const ox_val masked = ox_mul(b, x, kept);
    c->op = OX_Add;
    ox_set_in(c, 2, OX_NONE);
    ox_set_in(c, 1, other);
    ox_set_in(c, 0, masked);
}
