/* The builder alone: models made through onnx/builder/build.h, one per case and opset, for test_builder.py,
 * which says what they must compute.
 *
 * usage: builder_cases FOLDER OPSET      writes FOLDER/NAME.onnx for every case
 *                                        and prints "NAME nodes" or "NAME - error"
 *        builder_cases --operators       prints the table of ONNX operators */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "onnx/builder/internal.h"
#include "onnx/pass/pass.h"
#include "onnx/write/write.h"

struct t {
    struct ox_build b;
    struct ox_model m;
    struct mx_diags diags;
};

#define F32 MX_FLOAT32

/* Dims as text: "2,batch,4". */
static struct mx_shape shape(struct t *t, const char *text)
{
    mx_dim dims[MX_MAX_RANK];
    int n = 0;
    char copy[200];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *p = strtok(copy, ","); p; p = strtok(NULL, ",")) {
        dims[n++] = *p >= '0' && *p <= '9' ? mx_dim_of(atoll(p)) : mx_dim_named(t->m.dims, p);
    }
    return mx_shape_of(&t->m.arena, dims, n);
}

static ox_val in(struct t *t, const char *name, enum mx_dtype type, const char *dims)
{
    return ox_input(&t->b, name, type, shape(t, dims));
}

static void out(struct t *t, const char *name, ox_val x)
{
    if (!ox_failed(&t->b)) {
        ox_output(&t->b, x, name);
    }
}

static mx_dim dim(struct t *t, const char *name)
{
    return mx_dim_named(t->m.dims, name);
}

/* float32 0, 1, 2, ... */
static ox_val counting(struct t *t, int n, const int64_t *dims, int ndim)
{
    double v[64];
    for (int i = 0; i < n; i++) {
        v[i] = i;
    }
    ox_val x = ox_floats(&t->b, F32, v, n);
    return ox_reshape_ints(&t->b, x, dims, ndim);
}

#define CASE(name) static void name(struct t *t, struct ox_build *b)
#define I(...)                                                                                                                             \
    (const int64_t[])                                                                                                                      \
    {                                                                                                                                      \
        __VA_ARGS__                                                                                                                        \
    }

/* ---- constants */

CASE(constants)
{
    ox_val x = in(t, "x", F32, "2,3");
    out(t, "scalar", ox_add(b, x, ox_scalar(b, F32, 0.5)));
    out(t, "floats", ox_mul(b, x, ox_floats(b, F32, (const double[]){1, 2, 3}, 3)));
    out(t, "fill", ox_add(b, x, ox_fill(b, F32, shape(t, "2,3"), 7)));
    out(t, "ints", ox_cast(b, ox_add(b, ox_cast(b, x, MX_INT64), OX_INTS(b, 1, 2, 3)), F32));
}

CASE(fill_dynamic)
{
    ox_val x = in(t, "x", F32, "batch,3,h");
    out(t, "y", ox_fill(b, F32, ox_shape(b, x), 2.5));
    out(t, "z", ox_fill(b, MX_INT64, shape(t, "h,2,batch"), -3));
}

CASE(folded)
{
    ox_val x = in(t, "x", F32, "4");
    ox_val two = ox_scalar(b, F32, 2);
    ox_val a = ox_div(b, ox_add(b, two, ox_scalar(b, F32, 1)), ox_scalar(b, F32, 4)); /* 0.75 */
    ox_val r = ox_node(b, OX_Sqrt, OX_IN(ox_scalar(b, F32, 16)), OX_NO_ATTRS);
    ox_val c = ox_node(b, OX_Where, OX_IN(ox_node(b, OX_Less, OX_IN(a, two), OX_NO_ATTRS), a, r), OX_NO_ATTRS);
    out(t, "y", ox_add(b, ox_mul(b, x, c), r));
    ox_val p = ox_reduce(b, OX_ReduceProd, OX_INTS(b, 2, 3, 4), I(0), 1, true);
    out(t, "p", ox_add(b, ox_cast(b, x, MX_INT64), ox_sub(b, p, ox_int(b, 1))));
    ox_val g = ox_gather(b, OX_INTS(b, 5, 6, 7, 8), OX_INTS(b, 3, 0, -2, 1), 0);
    out(t, "g", ox_add(b, ox_cast(b, x, MX_INT64), g));
    ox_val range = ox_node(b, OX_Range, OX_IN(ox_scalar(b, F32, 1), ox_scalar(b, F32, 9), two), OX_NO_ATTRS);
    out(t, "range", ox_add(b, x, range));
    out(t, "mod",
        ox_add(b, ox_cast(b, x, MX_INT64), ox_node(b, OX_Mod, OX_IN(OX_INTS(b, -7, 7, -7, 7), OX_INTS(b, 3, 3, -3, -3)), OX_NO_ATTRS)));
    out(t, "tile", ox_add(b, x, ox_tile(b, ox_floats(b, F32, (const double[]){1, 2}, 2), I(2), 1)));
}

/* Views of constants: each is added to an input so that a runtime reads it. */
CASE(views)
{
    ox_val c = counting(t, 24, I(2, 3, 4), 3);
    ox_val x = in(t, "x", F32, "1");
    out(t, "transposed", ox_add(b, x, ox_transpose(b, c, I(2, 0, 1), 3)));
    out(t, "reshaped", ox_add(b, x, ox_reshape_ints(b, ox_transpose(b, c, I(1, 0, 2), 3), I(3, 8), 2)));
    out(t, "sliced", ox_add(b, x, ox_slice(b, c, I(-1, 0), I(INT64_MIN + 1, 3), I(2, 1), I(-2, 2), 2)));
    out(t, "joined", ox_add(b, x, ox_concat(b, (const ox_val[]){c, c}, 2, 1)));
    out(t, "expanded", ox_add(b, x, ox_expand(b, ox_slice1(b, c, 1, 1, 2), shape(t, "5,2,3,4").dims, 4)));
    out(t, "cast", ox_add(b, ox_cast(b, x, MX_INT32), ox_cast(b, c, MX_INT32)));
    ox_val parts[3];
    ox_split(b, c, 2, I(1, 1, 2), 3, parts);
    out(t, "split", ox_add(b, x, parts[2]));
    out(t, "row", ox_add(b, x, ox_gather(b, c, ox_scalar(b, MX_INT64, -1), 1)));
}

/* ---- shapes */

CASE(reshape)
{
    ox_val x = in(t, "x", F32, "2,3,4");
    out(t, "ints", ox_reshape_ints(b, x, I(0, -1), 2));
    out(t, "dims", ox_reshape(b, x, shape(t, "6,4").dims, 2));
    out(t, "twice", ox_reshape_ints(b, ox_unsqueeze1(b, ox_reshape_ints(b, x, I(24), 1), 0), I(4, 6), 2));
    out(t, "scalar", ox_reshape(b, ox_slice(b, x, I(0, 1, 2), I(1, 2, 3), I(0, 1, 2), NULL, 3), NULL, 0));
}

CASE(reshape_dynamic)
{
    ox_val x = in(t, "x", F32, "batch,6,h,w");
    struct mx_dims *d = ox_dims_table(b);
    mx_dim hw = mx_dim_mul(d, dim(t, "h"), dim(t, "w"));
    mx_dim bh = mx_dim_mul(d, dim(t, "batch"), dim(t, "h"));
    out(t, "flat", ox_reshape(b, x, (mx_dim[]){dim(t, "batch"), mx_dim_of(6), hw}, 3));
    out(t, "split", ox_reshape(b, x, (mx_dim[]){dim(t, "batch"), mx_dim_of(2), mx_dim_of(3), dim(t, "h"), dim(t, "w")}, 5));
    out(t, "moved", ox_reshape(b, ox_transpose(b, x, I(0, 2, 3, 1), 4), (mx_dim[]){bh, dim(t, "w"), mx_dim_of(6)}, 3));
    ox_val flat = ox_reshape(b, x, (mx_dim[]){mx_dim_mul(d, bh, mx_dim_mul(d, dim(t, "w"), mx_dim_of(6)))}, 1);
    out(t, "all", ox_mul(b, flat, ox_scalar(b, F32, 2)));
    out(t, "back",
        ox_reshape(b, ox_mul(b, flat, ox_scalar(b, F32, 3)),
                   (mx_dim[]){dim(t, "h"), dim(t, "w"), mx_dim_of(3), mx_dim_muln(d, dim(t, "batch"), 2)}, 4));
}

CASE(axes)
{
    ox_val x = in(t, "x", F32, "2,1,3");
    out(t, "unsqueezed", ox_unsqueeze(b, x, I(0, -1), 2));
    out(t, "squeezed", ox_squeeze1(b, x, 1));
    out(t, "both", ox_squeeze1(b, ox_unsqueeze1(b, ox_unary(b, OX_Neg, x), 0), 0));
    out(t, "swapped", ox_swap_axes(b, x, 0, -1));
    out(t, "flattened", ox_node(b, OX_Flatten, OX_IN(x), OX_ATTRS(OX_I("axis", 2))));
    ox_val p = in(t, "p", F32, "batch,1,h");
    out(t, "unsqueezed_p", ox_unsqueeze(b, p, I(1), 1));
    out(t, "squeezed_p", ox_squeeze1(b, p, -2));
    out(t, "flattened_p", ox_node(b, OX_Flatten, OX_IN(p), OX_ATTRS(OX_I("axis", 1))));
}

CASE(transpose)
{
    ox_val x = in(t, "x", F32, "2,3,4");
    ox_val y = ox_transpose(b, x, I(2, 0, 1), 3);
    out(t, "y", ox_unary(b, OX_Neg, y));
    out(t, "identity", ox_unary(b, OX_Neg, ox_transpose(b, y, I(1, 2, 0), 3)));
    out(t, "joined", ox_transpose(b, y, I(0, 2, 1), 3));
    out(t, "plain", ox_node(b, OX_Transpose, OX_IN(x), OX_NO_ATTRS));
}

CASE(expand)
{
    ox_val x = in(t, "x", F32, "1,3");
    ox_val p = in(t, "p", F32, "batch,1,h");
    out(t, "y", ox_expand(b, x, shape(t, "4,2,3").dims, 3));
    out(t, "z", ox_expand(b, x, shape(t, "batch,2,3").dims, 3));
    out(t, "p_", ox_expand(b, p, shape(t, "2,batch,5,h").dims, 4));
}

CASE(sizes)
{
    ox_val x = in(t, "x", F32, "batch,6,h,w");
    struct mx_dims *d = ox_dims_table(b);
    mx_dim half = mx_dim_addn(d, mx_dim_floor_div(d, mx_dim_addn(d, dim(t, "h"), -1), 2), 1);
    mx_dim minus = mx_dim_floor_div(d, mx_dim_sub(d, mx_dim_of(20), dim(t, "h")), 3);
    mx_dim list[] = {half, mx_dim_muln(d, dim(t, "w"), 3), mx_dim_mul(d, dim(t, "batch"), dim(t, "h")), minus, mx_dim_of(9)};
    out(t, "one", ox_dim(b, dim(t, "w")));
    out(t, "list", ox_dims(b, list, 5));
    out(t, "whole", ox_dims(b, ox_shape(b, x).dims, 4));
    out(t, "part", ox_dims(b, ox_shape(b, x).dims + 1, 3));
    out(t, "again", ox_add(b, ox_dim(b, half), ox_dim(b, dim(t, "w"))));
    out(t, "shape", ox_node(b, OX_Shape, OX_IN(ox_unary(b, OX_Neg, x)), OX_ATTRS(OX_I("start", 1), OX_I("end", -1))));
}

/* A size that only the run knows, made by an operator. */
CASE(sizes_made)
{
    ox_val x = in(t, "x", F32, "n");
    ox_val nz = ox_node(b, OX_NonZero, OX_IN(x), OX_NO_ATTRS);
    mx_dim k = ox_dim_at(b, nz, 1);
    out(t, "count", ox_dim(b, k));
    out(t, "twice", ox_reshape(b, ox_concat(b, (const ox_val[]){nz, nz}, 2, 0), (mx_dim[]){k, mx_dim_of(2)}, 2));
    out(t, "fill", ox_fill(b, F32, (struct mx_shape){1, &k}, 4));
}

/* ---- parts */

CASE(concat)
{
    ox_val x = in(t, "x", F32, "2,3");
    ox_val p = in(t, "p", F32, "batch,3");
    out(t, "y", ox_concat(b, (const ox_val[]){x, x, x}, 3, -1));
    out(t, "z", ox_concat(b, (const ox_val[]){x, p}, 2, 0));
    out(t, "one", ox_unary(b, OX_Neg, ox_concat(b, &x, 1, 0)));
}

CASE(slice)
{
    ox_val x = in(t, "x", F32, "5,6,7");
    ox_val p = in(t, "p", F32, "batch,h");
    out(t, "y", ox_slice(b, x, I(1, -1), I(4, INT64_MIN + 1), I(0, -1), I(2, -3), 2));
    out(t, "all", ox_unary(b, OX_Neg, ox_slice(b, x, I(0, 0), I(9, INT64_MAX), I(0, 1), NULL, 2)));
    out(t, "one", ox_slice1(b, x, 1, 2, -1));
    out(t, "empty", ox_slice1(b, x, 1, 4, 2));
    out(t, "p_", ox_slice1(b, p, 1, 1, INT64_MAX));
    out(t, "last", ox_slice1(b, p, 1, -2, INT64_MAX));
    out(t, "back", ox_slice(b, p, I(-1), I(INT64_MIN + 1), I(1), I(-2), 1));
    struct mx_dims *d = ox_dims_table(b);
    mx_dim half = mx_dim_floor_div(d, dim(t, "h"), 2);
    out(t, "half", ox_slice_dims(b, p, I(1), &half, (mx_dim[]){dim(t, "h")}, 1));
    out(t, "first", ox_slice_dims(b, p, I(1), (mx_dim[]){mx_dim_of(0)}, &half, 1));
    mx_dim rest = ox_dim_at(b, ox_slice1(b, p, 1, 1, INT64_MAX), 1);
    out(t, "rest", ox_dim(b, rest));
}

CASE(split)
{
    ox_val x = in(t, "x", F32, "batch,6");
    ox_val y[3];
    ox_val z[2];
    ox_split(b, x, 1, I(1, 2, 3), 3, y);
    out(t, "a", y[0]);
    out(t, "c", y[2]);
    ox_node_n(b, OX_Split, OX_IN(x), OX_ATTRS(OX_I("axis", -1), OX_I("num_outputs", 2)), z, 2);
    out(t, "half", z[1]);
}

CASE(gather)
{
    ox_val x = in(t, "x", F32, "5,6");
    ox_val i = in(t, "i", MX_INT32, "2,2");
    out(t, "y", ox_gather(b, x, i, 1));
    out(t, "z", ox_gather(b, x, ox_scalar(b, MX_INT64, 2), 0));
    ox_val f = in(t, "f", F32, "3");
    out(t, "by_float", ox_gather(b, x, f, 0));
    out(t, "elements", ox_node(b, OX_GatherElements, OX_IN(x, i), OX_ATTRS(OX_I("axis", 0))));
    out(t, "nd", ox_node(b, OX_GatherND, OX_IN(x, i), OX_NO_ATTRS));
}

CASE(tile)
{
    ox_val x = in(t, "x", F32, "2,3");
    ox_val p = in(t, "p", F32, "batch,3");
    out(t, "y", ox_tile(b, x, I(1, 2), 2));
    out(t, "p_", ox_tile(b, p, I(3, 1), 2));
    out(t, "one", ox_unary(b, OX_Neg, ox_tile(b, x, I(1, 1), 2)));
}

CASE(pad)
{
    ox_val x = in(t, "x", F32, "2,3,4");
    ox_val p = in(t, "p", F32, "batch,h");
    out(t, "constant", ox_pad(b, x, I(0, 1, 2), I(1, 0, 1), 3, "constant", 1.5));
    out(t, "zero", ox_pad(b, x, I(0, 1, 2), I(1, 0, -1), 3, "constant", 0));
    out(t, "edge", ox_pad(b, x, I(0, 1, 2), I(0, 0, 1), 3, "edge", 0));
    out(t, "reflect", ox_pad(b, x, I(0, 1, 2), I(0, 0, 1), 3, "reflect", 0));
    out(t, "p_", ox_pad(b, p, I(0, 2), I(0, 1), 2, "constant", 0));
    out(t, "nothing", ox_unary(b, OX_Neg, ox_pad(b, x, I(0, 0, 0), I(0, 0, 0), 3, "edge", 0)));
    out(t, "axes", ox_node(b, OX_Pad, OX_IN(x, OX_INTS(b, 1, 2), OX_NONE, OX_INTS(b, -1)), OX_ATTRS(OX_S("mode", "constant"))));
    out(t, "bools", ox_pad(b, ox_is_true(b, x), I(0, 0, 1), I(0, 0, 0), 3, "constant", 1));
}

/* ---- arithmetic */

CASE(reduce)
{
    static const enum ox_op ops[] = {OX_ReduceSum, OX_ReduceMean, OX_ReduceMax,       OX_ReduceMin,      OX_ReduceProd,
                                     OX_ReduceL1,  OX_ReduceL2,   OX_ReduceLogSumExp, OX_ReduceSumSquare};
    ox_val x = in(t, "x", F32, "2,3,4");
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s_axis", ox_op_name(ops[i]));
        out(t, name, ox_reduce(b, ops[i], x, I(-1, 0), 2, false));
        snprintf(name, sizeof name, "%s_keep", ox_op_name(ops[i]));
        out(t, name, ox_reduce(b, ops[i], x, I(1), 1, true));
        snprintf(name, sizeof name, "%s_all", ox_op_name(ops[i]));
        out(t, name, ox_reduce(b, ops[i], x, NULL, -1, false));
    }
    ox_val p = in(t, "p", F32, "batch,h,w");
    out(t, "p_", ox_reduce(b, OX_ReduceSum, p, I(1, 2), 2, true));
    out(t, "node", ox_node(b, OX_ReduceMax, OX_IN(x, OX_INTS(b, 2)), OX_ATTRS(OX_I("keepdims", 0))));
}

CASE(softmax)
{
    ox_val x = in(t, "x", F32, "2,3,4");
    out(t, "last", ox_softmax(b, OX_Softmax, x, -1));
    out(t, "middle", ox_softmax(b, OX_Softmax, x, 1));
    out(t, "log", ox_softmax(b, OX_LogSoftmax, x, 0));
    out(t, "node", ox_node(b, OX_Softmax, OX_IN(x), OX_ATTRS(OX_I("axis", 1))));
    out(t, "default_", ox_node(b, OX_Softmax, OX_IN(x), OX_NO_ATTRS));
}

CASE(matmul)
{
    ox_val x = in(t, "x", F32, "batch,3,4");
    ox_val y = in(t, "y", F32, "4,5");
    ox_val c = in(t, "c", F32, "5");
    out(t, "z", ox_matmul(b, x, y));
    ox_val flat = ox_reshape_ints(b, x, I(-1, 4), 2);
    out(t, "gemm", ox_node(b, OX_Gemm, OX_IN(flat, y, c), OX_ATTRS(OX_F("alpha", 0.5))));
    out(t, "einsum", ox_node(b, OX_Einsum, OX_IN(x, y), OX_ATTRS(OX_S("equation", "bij,jk->bki"))));
}

CASE(where)
{
    ox_val x = in(t, "x", F32, "2,3");
    ox_val y = in(t, "y", F32, "2,3");
    ox_val c = ox_node(b, OX_Greater, OX_IN(x, y), OX_NO_ATTRS);
    out(t, "floats", ox_where(b, c, x, y));
    out(t, "scalar", ox_where(b, c, x, ox_scalar(b, F32, 0)));
    out(t, "bools", ox_where(b, c, ox_is_true(b, x), ox_node(b, OX_Not, OX_IN(c), OX_NO_ATTRS)));
    out(t, "int16", ox_where(b, c, ox_cast(b, x, MX_INT16), ox_cast(b, y, MX_INT16)));
    out(t, "int64", ox_where(b, c, ox_cast(b, x, MX_INT64), ox_cast(b, y, MX_INT64)));
    out(t, "broadcast", ox_where(b, ox_is_true(b, ox_slice1(b, x, 0, 0, 1)), x, y));
}

CASE(clip)
{
    ox_val x = in(t, "x", F32, "2,3");
    out(t, "both", ox_clip(b, x, ox_scalar(b, F32, -0.5), ox_scalar(b, F32, 0.5)));
    out(t, "low", ox_clip(b, x, ox_scalar(b, F32, 0), OX_NONE));
    out(t, "high", ox_clip(b, x, OX_NONE, ox_floats(b, F32, (const double[]){0.25}, 1)));
    ox_val i = ox_cast(b, x, MX_INT16);
    out(t, "int16", ox_clip(b, i, ox_scalar_like(b, i, -1), ox_scalar_like(b, i, 1)));
}

CASE(neutral)
{
    ox_val x = in(t, "x", F32, "2,3");
    ox_val y = ox_mul(b, x, ox_scalar(b, F32, 1));
    y = ox_div(b, y, ox_fill(b, F32, shape(t, "2,3"), 1));
    y = ox_sub(b, y, ox_scalar(b, F32, 0));
    y = ox_cast(b, ox_cast(b, ox_cast(b, y, MX_FLOAT64), F32), F32);
    out(t, "y", ox_unary(b, OX_Neg, y));
    out(t, "grown", ox_mul(b, x, ox_fill(b, F32, shape(t, "4,2,3"), 1)));
}

/* ---- types without a kernel */

CASE(kernels)
{
    static const enum mx_dtype types[] = {MX_FLOAT64, MX_FLOAT16, MX_INT8, MX_UINT8, MX_INT32, MX_INT64};
    ox_val x = in(t, "x", F32, "1,2,6,6");
    ox_val w = in(t, "w", F32, "3,2,3,3");
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char name[64];
        ox_val a = ox_cast(b, x, types[i]);
        ox_val k = ox_cast(b, w, types[i]);
        const char *n = mx_dtype_name(types[i]);
        snprintf(name, sizeof name, "conv_%s", n);
        out(t, name, ox_node(b, OX_Conv, OX_IN(a, k), OX_ATTRS(OX_IS("pads", I(1, 0, 1, 0), 4), OX_IS("strides", I(2, 1), 2))));
        snprintf(name, sizeof name, "max_%s", n);
        out(t, name, ox_binary(b, OX_Max, a, ox_scalar(b, types[i], 1)));
        snprintf(name, sizeof name, "mul_%s", n);
        out(t, name, ox_mul(b, a, ox_scalar(b, types[i], 2)));
        snprintf(name, sizeof name, "sum_%s", n);
        out(t, name, ox_reduce(b, OX_ReduceSum, a, I(2, 3), 2, false));
        snprintf(name, sizeof name, "exp_%s", n);
        out(t, name, ox_unary(b, OX_Exp, ox_clip(b, a, OX_NONE, ox_scalar(b, types[i], 1))));
        snprintf(name, sizeof name, "arg_%s", n);
        out(t, name, ox_node(b, OX_ArgMax, OX_IN(a), OX_ATTRS(OX_I("axis", 3))));
        snprintf(name, sizeof name, "less_%s", n);
        out(t, name, ox_binary(b, OX_Less, a, ox_scalar(b, types[i], 1)));
        snprintf(name, sizeof name, "pow_%s", n);
        out(t, name, ox_binary(b, OX_Pow, a, ox_scalar(b, types[i], 2)));
    }
}

CASE(batch_norm)
{
    ox_val x = in(t, "x", F32, "batch,3,h");
    double v[] = {1, 2, 3};
    double s[] = {0.5, 1, 2};
    ox_val a = ox_floats(b, F32, v, 3);
    ox_val c = ox_floats(b, F32, s, 3);
    const struct ox_attr *attrs = OX_ATTRS(OX_F("epsilon", 1e-3), OX_I("training_mode", 0));
    out(t, "y", ox_node(b, OX_BatchNormalization, OX_IN(x, a, c, a, c), attrs));
    out(t, "half", ox_node(b, OX_BatchNormalization, OX_IN(ox_cast(b, x, MX_FLOAT16), a, c, a, c), attrs));
    out(t, "double_", ox_node(b, OX_BatchNormalization, OX_IN(ox_cast(b, x, MX_FLOAT64), a, c, a, c), attrs));
}

/* ---- layers */

CASE(conv)
{
    ox_val x = in(t, "x", F32, "batch,2,h,w");
    ox_val w = in(t, "k", F32, "4,1,3,3");
    ox_val y = ox_node(b, OX_Conv, OX_IN(x, w), OX_ATTRS(OX_IS("pads", I(1, 1, 0, 0), 4), OX_I("group", 2), OX_IS("strides", I(1, 2), 2)));
    out(t, "y", y);
    out(t, "size", ox_dims(b, ox_shape(b, y).dims, 4));
    ox_val d = in(t, "d", F32, "2,4,3,3");
    ox_val z = ox_node(b, OX_ConvTranspose, OX_IN(x, d),
                       OX_ATTRS(OX_IS("strides", I(2, 2), 2), OX_IS("pads", I(1, 1, 1, 1), 4), OX_IS("output_padding", I(1, 0), 2)));
    out(t, "z", z);
    out(t, "z_size", ox_dims(b, ox_shape(b, z).dims, 4));
    ox_val p =
        ox_node(b, OX_MaxPool, OX_IN(x), OX_ATTRS(OX_IS("kernel_shape", I(3, 3), 2), OX_IS("strides", I(2, 2), 2), OX_I("ceil_mode", 1)));
    out(t, "p", p);
    out(t, "p_size", ox_dims(b, ox_shape(b, p).dims, 4));
    out(t, "average", ox_node(b, OX_AveragePool, OX_IN(x), OX_ATTRS(OX_IS("kernel_shape", I(2, 2), 2), OX_IS("dilations", I(1, 1), 2))));
    out(t, "global", ox_node(b, OX_GlobalAveragePool, OX_IN(x), OX_NO_ATTRS));
}

CASE(resize)
{
    ox_val x = in(t, "x", F32, "1,1,4,4");
    ox_val p = in(t, "p", F32, "1,1,h,w");
    ox_val scales = ox_floats(b, F32, (const double[]){1, 1, 2, 2}, 4);
    const struct ox_attr *nearest =
        OX_ATTRS(OX_S("mode", "nearest"), OX_S("nearest_mode", "floor"), OX_S("coordinate_transformation_mode", "asymmetric"));
    out(t, "scaled", ox_node(b, OX_Resize, OX_IN(x, OX_NONE, scales), nearest));
    out(t, "sized", ox_node(b, OX_Resize, OX_IN(x, OX_NONE, OX_NONE, OX_INTS(b, 1, 1, 8, 8)), nearest));
    ox_val y = ox_node(b, OX_Resize, OX_IN(p, OX_NONE, scales), nearest);
    out(t, "p_", y);
    out(t, "p_size", ox_dims(b, ox_shape(b, y).dims, 4));
    out(t, "int64", ox_node(b, OX_Resize, OX_IN(ox_cast(b, x, MX_INT64), OX_NONE, scales), nearest));
}

CASE(indices)
{
    ox_val x = in(t, "x", F32, "2,6");
    ox_val v[2];
    ox_node_n(b, OX_TopK, OX_IN(x, ox_int(b, 2)), OX_ATTRS(OX_I("axis", 1)), v, 2);
    out(t, "top", v[0]);
    out(t, "at", v[1]);
    out(t, "arg", ox_node(b, OX_ArgMin, OX_IN(x), OX_ATTRS(OX_I("axis", 0), OX_I("keepdims", 0), OX_I("select_last_index", 0))));
    ox_val i = ox_node(b, OX_ArgMax, OX_IN(x), OX_ATTRS(OX_I("axis", 1), OX_I("keepdims", 0)));
    ox_val on_off = ox_floats(b, F32, (const double[]){0, 1}, 2);
    out(t, "hot", ox_node(b, OX_OneHot, OX_IN(ox_cast(b, i, F32), ox_int(b, 6), on_off), OX_ATTRS(OX_I("axis", -1))));
    out(t, "hot_int", ox_node(b, OX_OneHot, OX_IN(i, ox_int(b, 6), ox_cast(b, on_off, MX_INT32)), OX_NO_ATTRS));
    out(t, "cumsum", ox_node(b, OX_CumSum, OX_IN(x, ox_scalar(b, MX_INT64, 1)), OX_NO_ATTRS));
    ox_val u = ox_mul(b, x, ox_scalar(b, F32, 10));
    out(t, "scattered",
        ox_node(b, OX_ScatterND, OX_IN(x, ox_tensor(b, MX_INT64, I(1, 1), 2, I(1)), ox_slice1(b, u, 0, 0, 1)), OX_NO_ATTRS));
    out(t, "compressed", ox_node(b, OX_Compress, OX_IN(x, ox_is_true(b, OX_INTS(b, 0, 1, 1))), OX_ATTRS(OX_I("axis", 1))));
}

CASE(rnn)
{
    ox_val x = in(t, "x", F32, "t,batch,2");
    ox_val w = in(t, "w", F32, "1,12,2");
    ox_val r = in(t, "r", F32, "1,12,3");
    ox_val v[3];
    ox_node_n(b, OX_LSTM, OX_IN(x, w, r), OX_ATTRS(OX_I("hidden_size", 3), OX_I("layout", 0)), v, 3);
    out(t, "y", v[0]);
    out(t, "h", v[1]);
    out(t, "c", v[2]);
}

/* ---- bodies */

/* Sum of t rows by a Loop; the body reads an outer value and a size of the outer graph. */
CASE(loop)
{
    ox_val x = in(t, "x", F32, "t,n");
    ox_val s[2];
    struct ox_graph *g = ox_graph_begin(b, "body");
    ox_val i = ox_graph_input(b, MX_INT64, (struct mx_shape){0, NULL});
    ox_val go = ox_graph_input(b, MX_BOOL, (struct mx_shape){0, NULL});
    ox_val acc = ox_graph_input(b, F32, shape(t, "n"));
    ox_val row = ox_gather(b, x, i, 0);
    ox_val sum = ox_add(b, acc, row);
    ox_val scaled = ox_mul(b, sum, ox_cast(b, ox_reshape(b, ox_dim(b, dim(t, "n")), NULL, 0), F32));
    ox_graph_end(b, (const ox_val[]){go, sum, scaled}, 3);
    ox_val trip = ox_reshape(b, ox_dim(b, dim(t, "t")), NULL, 0);
    ox_val zero = ox_fill(b, F32, shape(t, "n"), 0);
    ox_node_n(b, OX_Loop, OX_IN(trip, OX_NONE, zero), OX_ATTRS(OX_G("body", g)), s, 2);
    out(t, "sum", s[0]);
    out(t, "all", s[1]);
    out(t, "n_", ox_dim(b, dim(t, "n")));
}

CASE(branches)
{
    ox_val x = in(t, "x", F32, "2,3");
    ox_val c = ox_reshape(b, ox_is_true(b, in(t, "c", MX_INT32, "1")), NULL, 0);
    struct ox_graph *yes = ox_graph_begin(b, "yes");
    ox_graph_end(b, (const ox_val[]){ox_unary(b, OX_Neg, x)}, 1);
    struct ox_graph *no = ox_graph_begin(b, "no");
    ox_graph_end(b, &x, 1);
    out(t, "y", ox_node(b, OX_If, OX_IN(c), OX_ATTRS(OX_G("then_branch", yes), OX_G("else_branch", no))));
}

CASE(scan)
{
    ox_val x = in(t, "x", F32, "t,n");
    ox_val v[2];
    struct ox_graph *g = ox_graph_begin(b, "body");
    ox_val state = ox_graph_input(b, F32, shape(t, "n"));
    ox_val row = ox_graph_input(b, F32, shape(t, "n"));
    ox_val sum = ox_add(b, state, row);
    ox_graph_end(b, (const ox_val[]){sum, ox_unary(b, OX_Neg, sum)}, 2);
    ox_val zero = ox_fill(b, F32, shape(t, "n"), 0);
    ox_node_n(b, OX_Scan, OX_IN(zero, x), OX_ATTRS(OX_G("body", g), OX_I("num_scan_inputs", 1)), v, 2);
    out(t, "sum", v[0]);
    out(t, "all", v[1]);
}

/* ---- newer than some opsets: an error there that names both */

CASE(layer_norm)
{
    ox_val x = in(t, "x", F32, "2,4");
    ox_val one = ox_fill(b, F32, shape(t, "4"), 1);
    out(t, "y", ox_node(b, OX_LayerNormalization, OX_IN(x, one), OX_NO_ATTRS));
}

CASE(grid_sample)
{
    ox_val x = in(t, "x", F32, "1,1,4,4");
    ox_val g = in(t, "grid", F32, "1,2,2,2");
    out(t, "y", ox_node(b, OX_GridSample, OX_IN(x, g), OX_ATTRS(OX_S("mode", "linear"), OX_I("align_corners", 1))));
}

static const struct {
    const char *name;
    void (*build)(struct t *t, struct ox_build *b);
} cases[] = {
#define ROW(name) {#name, name},
    ROW(constants) ROW(fill_dynamic) ROW(folded) ROW(views) ROW(reshape) ROW(reshape_dynamic) ROW(axes) ROW(transpose) ROW(expand)
        ROW(sizes) ROW(sizes_made) ROW(concat) ROW(slice) ROW(split) ROW(gather) ROW(tile) ROW(pad) ROW(reduce) ROW(softmax) ROW(matmul)
            ROW(where) ROW(clip) ROW(neutral) ROW(kernels) ROW(batch_norm) ROW(conv) ROW(resize) ROW(indices) ROW(rnn) ROW(loop)
                ROW(branches) ROW(scan) ROW(layer_norm) ROW(grid_sample)};

static int count_nodes(const struct ox_graph *g)
{
    int n = 0;
    for (int i = 0; i < g->n_nodes; i++) {
        n += !g->nodes[i]->dead;
    }
    return n;
}

static int write_model(struct t *t, const char *path)
{
    struct ox_plan *plan = NULL;
    struct mx_sink *sink = NULL;
    const char *reason = NULL;
    const struct ox_write_options options = {.producer_version = "test"};
    int status = ox_run_passes(&t->m, false, false);
    status = status == MX_OK ? ox_plan_new(&plan, &t->m, &options, &t->diags) : status;
    status = status == MX_OK ? mx_sink_open_file(&sink, path, false, &reason) : status;
    status = status == MX_OK ? ox_plan_write(plan, sink, NULL, &t->diags) : status;
    status = status == MX_OK ? mx_sink_finish(sink) : status;
    status = status == MX_OK ? mx_sink_commit(sink, NULL) : status;
    mx_sink_close(sink);
    ox_plan_free(plan);
    return status;
}

static int one(size_t i, const char *folder, int opset)
{
    struct t t;
    struct mx_str path = {0};
    memset(&t, 0, sizeof t);
    t.m.opset = opset;
    t.m.ir_version = ox_opset_ir_version(opset);
    t.m.dims = mx_dims_new(&t.m.arena);
    if (!t.m.dims || ox_build_init(&t.b, &t.m, &t.diags) != MX_OK) {
        return 2;
    }
    ox_begin_node(&t.b, NULL);
    cases[i].build(&t, &t.b);
    int status = ox_end_node(&t.b);
    ox_build_free(&t.b);
    mx_str_printf(&path, "%s/%s.onnx", folder, cases[i].name);
    status = status == MX_OK ? write_model(&t, path.text) : status;
    if (status == MX_OK) {
        printf("%s %d\n", cases[i].name, count_nodes(&t.m.main));
    } else {
        printf("%s - %s\n", cases[i].name, t.diags.count > 0 ? t.diags.items[0].message : "?");
    }
    mx_str_free(&path);
    mx_free(t.m.values);
    mx_dims_free(t.m.dims);
    mx_arena_free(&t.m.arena);
    mx_diags_free(&t.diags);
    return 0;
}

static int print_operators(void)
{
    for (int i = OX_FOREIGN + 1; i < OX_OPERATORS; i++) {
        const struct ox_schema *s = &ox_schemas[i];
        printf("%s\t%d\t%s\t%s\t%zu\t%zu\n", s->name, s->since, s->in, s->out, s->needs, s->gives);
    }
    return 0;
}

int main(int argc, char **argv)
{
    int status = argc == 3 ? 0 : 2;
    if (argc == 2 && strcmp(argv[1], "--operators") == 0) {
        return print_operators();
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && status == 0; i++) {
        status = one(i, argv[1], atoi(argv[2]));
    }
    return status;
}
