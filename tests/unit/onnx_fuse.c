/* Two nodes that become one, and those that must not. */
#include "build_common.h"

static void fused(struct t *t, const char *want)
{
    assert_int_equal(t->b.status, MX_OK);
    assert_int_equal(ox_finish(&t->m), MX_OK);
    assert_int_equal(ox_join_concats(&t->m), MX_OK);
    assert_int_equal(ox_fuse(&t->m), MX_OK);
    assert_nodes(t, want); /* ox_fuse finishes once more: no node without readers is left */
    end(t);
}

static ox_val concat(struct ox_build *b, ox_val x, ox_val y, int axis)
{
    return ox_concat(b, (const ox_val[]){x, y}, 2, axis);
}

static void a_sum_after_a_product_becomes_a_gemm(void **state)
{
    static const char *const fits[] = {"5", "1", "1,5", "batch,1", "1,1", "batch,5", ""};
    for (int opset = MX2ONNX_OPSET_MIN; opset <= MX2ONNX_OPSET_MAX; opset++) {
        for (size_t i = 0; i < sizeof fits / sizeof fits[0]; i++) {
            struct t t;
            struct ox_build *b = begin(&t, opset);
            ox_val y = ox_matmul(b, input(&t, "x", F32, "batch,4"), input(&t, "w", F32, "4,5"));
            ox_val c = input(&t, "c", F32, fits[i]);
            ox_output(b, i % 2 ? ox_add(b, c, y) : ox_add(b, y, c), "y");
            fused(&t, "0 Gemm(x, w, c) float32 (batch, 5)\n");
        }
    }
}

static void a_gemm_takes_it_too(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "batch,4"), w = input(&t, "w", F32, "5,4"), c = input(&t, "c", F32, "5");
    ox_val bare = ox_node(b, OX_Gemm, OX_IN(x, w), OX_ATTRS(OX_I("transB", 1)));
    ox_val full = ox_node(b, OX_Gemm, OX_IN(x, w, c), OX_ATTRS(OX_I("transB", 1)));
    ox_output(b, ox_add(b, bare, full), "y");
    ox_val without = ox_node(b, OX_Gemm, OX_IN(x, w), OX_ATTRS(OX_I("transB", 1), OX_F("beta", 2))); /* which C would be times */
    ox_output(b, ox_add(b, c, full), "z");
    ox_output(b, ox_add(b, c, without), "beta");
    fused(&t, "0 Gemm(x, w, c) transB=1 float32 (batch, 5)\n"
              "1 Gemm(x, w, %0) transB=1 float32 (batch, 5)\n"
              "2 Gemm(x, w) transB=1 beta=2 float32 (batch, 5)\n"
              "3 Add(c, %0) float32 (batch, 5)\n"
              "4 Add(c, %2) float32 (batch, 5)\n");
}

static void other_products_stay(void **state)
{
    static const struct {
        enum mx_dtype t;
        const char *x, *w, *c;
    } rows[] = {
        {MX_FLOAT32, "batch,4", "4,5", "2,batch,5"}, /* more axes than a product has */
        {MX_FLOAT32, "1,4", "4,5", "batch,5"},       /* the product is repeated */
        {MX_FLOAT32, "batch,4", "4,5", "other,1"},   /* may be another size */
        {MX_FLOAT32, "3,batch,4", "4,5", "5"},       /* no matrix */
        {MX_FLOAT32, "4", "4,5", "5"},
        {MX_FLOAT32, "4", "2,4,5", "1"}, /* a product of rank 2 nevertheless */
        {MX_FLOAT32, "2,batch,4", "4", "1"},
        {MX_FLOAT32, "batch,4", "2,4,5", "1"},
        {MX_FLOAT32, "2,4,4", "4,5", "1"},
        {MX_FLOAT32, "batch,4", "4,5", NULL}, /* perhaps more axes */
        {MX_FLOAT32, "batch,0", "0,5", "5"},  /* nothing to sum */
        {MX_FLOAT32, "batch,k", "k,5", "5"},  /* perhaps nothing */
        {MX_INT32, "batch,4", "4,5", "5"},    /* Gemm has no kernel */
        {MX_INT64, "batch,4", "4,5", "5"},
        {MX_UINT32, "batch,4", "4,5", "5"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 20);
        ox_val x = input(&t, "x", rows[i].t, rows[i].x), w = input(&t, "w", rows[i].t, rows[i].w);
        ox_val product = ox_node(b, OX_MatMul, OX_IN(x, w), OX_NO_ATTRS);
        ox_output(b, ox_add(b, product, rows[i].c ? input(&t, "c", rows[i].t, rows[i].c) : ox_input(b, "c", rows[i].t, MX_SHAPE_UNKNOWN)),
                  "y");
        assert_int_equal(ox_finish(&t.m), MX_OK);
        assert_int_equal(ox_fuse(&t.m), MX_OK);
        assert_int_equal(count_of(&t, OX_MatMul), 1);
        assert_int_equal(count_of(&t, OX_Gemm), 0);
        end(&t);
    }
}

static void a_product_with_other_readers_stays(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "3,4"), w = input(&t, "w", F32, "4,4"), c = input(&t, "c", F32, "3,4");
    ox_val head = ox_matmul(b, x, w);
    ox_val shared = ox_matmul(b, head, w);
    ox_val twice = ox_matmul(b, shared, w);
    ox_output(b, head, "head");
    ox_output(b, ox_add(b, head, c), "a");
    ox_output(b, ox_add(b, shared, c), "b");
    ox_output(b, ox_add(b, twice, twice), "d");
    fused(&t, "0 MatMul(x, w) float32 (3, 4)\n"
              "1 MatMul(%0, w) float32 (3, 4)\n"
              "2 MatMul(%1, w) float32 (3, 4)\n"
              "3 Add(%0, c) float32 (3, 4)\n"
              "4 Add(%1, c) float32 (3, 4)\n"
              "5 Add(%2, %2) float32 (3, 4)\n");
}

static void a_concat_of_concats_is_one(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "2,batch"), y = input(&t, "y", F32, "2,batch");
    ox_val deep = concat(b, concat(b, x, y, 0), y, -2);
    ox_output(b, concat(b, x, concat(b, deep, concat(b, y, x, 0), 0), 0), "z");
    fused(&t, "0 Concat(x, x, y, y, y, x) axis=0 float32 (12, batch)\n");
}

static void other_concats_stay(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "2,2"), y = input(&t, "y", F32, "2,2");
    ox_val shared = concat(b, x, y, 0);
    ox_val left = concat(b, x, y, 1);
    ox_val right = concat(b, y, x, 1);
    ox_output(b, concat(b, left, right, 0), "other_axis");
    ox_output(b, concat(b, shared, x, 0), "one");
    ox_output(b, ox_unary(b, OX_Neg, shared), "two");
    fused(&t, "0 Concat(x, y) axis=0 float32 (4, 2)\n"
              "1 Concat(x, y) axis=1 float32 (2, 4)\n"
              "2 Concat(y, x) axis=1 float32 (2, 4)\n"
              "3 Concat(%1, %2) axis=0 float32 (4, 4)\n"
              "4 Concat(%0, x) axis=0 float32 (6, 2)\n"
              "5 Neg(%0) float32 (4, 2)\n");
}

static ox_val convolution(struct ox_build *b, ox_val x, ox_val w, const int64_t *pads)
{
    return ox_node(b, OX_Conv, OX_IN(x, w), pads ? OX_ATTRS(OX_IS("pads", pads, 4), OX_I("group", 1)) : OX_ATTRS(OX_I("group", 1)));
}

static void a_convolution_takes_the_zeros_about_it(void **state)
{
    static const int64_t begins[] = {0, 0, 1, 0}, ends[] = {0, 0, 0, 3}, own[] = {1, 2, 3, 4};
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "batch,3,8,w"), w = input(&t, "w", F32, "4,3,3,3");
    ox_output(b, convolution(b, ox_pad(b, x, begins, ends, 4, "constant", 0), w, NULL), "y");
    ox_output(b, convolution(b, ox_pad(b, ox_unary(b, OX_Relu, x), begins, ends, 4, "constant", 0), w, own), "z");
    fused(&t, "0 Conv(x, w) group=1 pads=1,0,0,3 float32 (batch, 4, 7, w + 1)\n"
              "1 Relu(x) float32 (batch, 3, 8, w)\n"
              "2 Conv(%1, w) group=1 pads=2,2,3,7 float32 (batch, 4, 11, w + 7)\n");
}

static void other_zeros_stay(void **state)
{
    static const int64_t none[4] = {0}, some[] = {0, 0, 1, 1}, channels[] = {0, 1, 0, 0}, fewer[] = {0, 0, -1, 0};
    static const struct {
        const int64_t *begin;
        const char *mode;
        double value;
    } rows[] = {{some, "edge", 0}, {some, "reflect", 0}, {some, "constant", 1}, {channels, "constant", 0}, {fewer, "constant", 0}};
    for (size_t i = 0; i <= sizeof rows / sizeof rows[0]; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        const bool shared = i == sizeof rows / sizeof rows[0];
        const bool wider = !shared && rows[i].begin == channels;
        ox_val x = input(&t, "x", F32, "2,3,8,8"), w = input(&t, "w", F32, wider ? "4,4,3,3" : "4,3,3,3");
        ox_val more =
            shared ? ox_pad(b, x, some, some, 4, "constant", 0) : ox_pad(b, x, rows[i].begin, none, 4, rows[i].mode, rows[i].value);
        ox_output(b, convolution(b, more, w, NULL), "y");
        if (shared) {
            ox_output(b, more, "padded");
        }
        assert_int_equal(ox_finish(&t.m), MX_OK);
        assert_int_equal(ox_fuse(&t.m), MX_OK);
        assert_int_equal(count_of(&t, OX_Pad), 1);
        end(&t);
    }
}

static void a_convolution_takes_a_number_of_each_channel(void **state)
{
    static const float numbers[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    static const struct {
        int ndim;
        int64_t dims[5];
        bool fits;
    } rows[] = {
        {3, {4, 1, 1}, true},     {4, {1, 4, 1, 1}, true},     {0, {0}, false},       {1, {1}, false},          {2, {1, 1}, false},
        {2, {4, 1}, false},       {5, {1, 1, 4, 1, 1}, false}, {3, {1, 1, 1}, false}, {4, {1, 1, 4, 1}, false}, {3, {4, 4, 1}, false},
        {4, {4, 1, 1, 1}, false}, /* one of each image */
    };
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        const int ndim = rows[i / 2].ndim;
        ox_val y = convolution(b, input(&t, "x", F32, "4,3,6,6"), input(&t, "w", F32, "4,3,3,3"), NULL);
        ox_val c = ox_tensor(b, F32, rows[i / 2].dims, ndim, numbers);
        ox_output(b, ox_node(b, OX_Add, i % 2 ? OX_IN(c, y) : OX_IN(y, c), OX_NO_ATTRS), "y");
        assert_int_equal(ox_finish(&t.m), MX_OK);
        assert_int_equal(ox_fuse(&t.m), MX_OK);
        assert_int_equal(t.m.main.n_nodes, rows[i / 2].fits ? 1 : 2);
        assert_int_equal(t.m.main.nodes[0]->n_in, rows[i / 2].fits ? 3 : 2);
        end(&t);
    }
}

/* Where zeros would be more pads, the node says that they are: a maximum ignores its pads, an average counts them if it says so. */
static void zeros_before_a_pool_become_pads(void **state)
{
    static const int64_t none[4] = {0}, more[] = {0, 0, 1, 1}, own[] = {1, 1, 1, 1};
    static const struct {
        enum ox_op op;
        int64_t counts, kernel;
        const int64_t *own;
        enum mx_dtype type;
        bool kept; /* by a value of -0 */
    } rows[] = {
        {OX_MaxPool, 0, 3, none, MX_FLOAT32, true},     {OX_MaxPool, 0, 3, none, MX_INT8, false},
        {OX_AveragePool, 0, 3, none, MX_FLOAT32, true}, {OX_AveragePool, 1, 3, none, MX_FLOAT32, false},
        {OX_AveragePool, 1, 3, own, MX_FLOAT32, false}, {OX_AveragePool, 1, 2, own, MX_FLOAT32, true},
        {OX_AveragePool, 1, 1, NULL, MX_FLOAT32, true}, {OX_AveragePool, 1, 2, NULL, MX_FLOAT32, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        const int64_t kernel[] = {rows[i].kernel, rows[i].kernel};
        ox_val padded = ox_pad(b, input(&t, "x", rows[i].type, "2,3,8,8"), more, none, 4, "constant", 0);
        const struct ox_attr end_of_list = {.kind = OX_A_END};
        const struct ox_attr *attrs = OX_ATTRS(OX_IS("kernel_shape", kernel, 2), OX_I("count_include_pad", rows[i].counts),
                                               rows[i].own ? (struct ox_attr)OX_IS("pads", rows[i].own, 4) : end_of_list);
        ox_output(b, ox_node(b, rows[i].op, OX_IN(padded), rows[i].op == OX_MaxPool ? OX_ATTRS(OX_IS("kernel_shape", kernel, 2)) : attrs),
                  "y");
        assert_int_equal(ox_finish(&t.m), MX_OK);
        assert_int_equal(ox_fuse(&t.m), MX_OK);
        assert_int_equal(ox_value_of(&t.m, padded)->producer->n_in, rows[i].kept ? 3 : 2);
        end(&t);
    }
}

/* A Pad stays if its axes are an input, and before a convolution that computes its own pads. */
static void zeros_of_other_forms_stay(void **state)
{
    for (int i = 0; i < 3; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 18);
        const ox_val x = input(&t, "x", F32, "2,3,8,8"), pads = OX_INTS(b, 1, 1), axes = OX_INTS(b, 2);
        const ox_val all = input(&t, "pads", MX_INT64, "8"), whole = OX_INTS(b, 0, 0, 1, 0, 0, 0, 1, 0);
        const ox_val padded = ox_node(b, OX_Pad, i == 0 ? OX_IN(x, pads, OX_NONE, axes) : OX_IN(x, i == 1 ? all : whole), OX_NO_ATTRS);
        ox_output(
            b, ox_node(b, OX_Conv, OX_IN(padded, input(&t, "w", F32, "4,3,3,3")), i == 2 ? OX_ATTRS(OX_S("auto_pad", "SAME_UPPER")) : NULL),
            "y");
        assert_int_equal(ox_finish(&t.m), MX_OK);
        assert_int_equal(ox_fuse(&t.m), MX_OK);
        assert_int_equal(count_of(&t, OX_Pad), 1);
        end(&t);
    }
}

static ox_val reduce(struct ox_build *b, enum ox_op op, ox_val x, int64_t a1, int64_t a2, bool keepdims)
{
    return ox_reduce(b, op, x, INTS(a1, a2), a2 < 0 ? 1 : 2, keepdims);
}

static void reductions_over_more_axes_are_joined(void **state)
{
    static const enum ox_op types[] = {OX_ReduceMax, OX_ReduceMean, OX_ReduceMin, OX_ReduceProd, OX_ReduceSum};
    char want[200];
    for (int opset = MX2ONNX_OPSET_MIN; opset <= MX2ONNX_OPSET_MAX; opset++) {
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
            struct t t;
            struct ox_build *b = begin(&t, opset);
            ox_val x = input(&t, "x", F32, "2,batch,4,5");
            const bool is_input = opset >= (i == 4 ? 13 : 18);
            /* axis 2 of what is left is 3 of x */
            ox_val y = reduce(b, types[i], reduce(b, types[i], x, 1, -1, false), 2, -1, false);
            ox_val z = reduce(b, types[i], reduce(b, types[i], x, 0, 2, true), 2, 3, true);
            ox_val all = ox_reduce(b, types[i], reduce(b, types[i], x, 3, -1, false), NULL, -1, false);
            ox_output(b, y, "y");
            ox_output(b, z, "z");
            ox_output(b, all, "all");
            snprintf(want, sizeof want,
                     is_input ? "0 %s(x, [1 3]) keepdims=0 float32 (2, 4)\n1 %s(x, [0 2 3]) keepdims=1 float32 (1, "
                                "batch, 1, 1)\n2 %s(x, [0 1 2 3]) keepdims=0 float32 ()\n"
                              : "0 %s(x) keepdims=0 axes=1,3 float32 (2, 4)\n1 %s(x) keepdims=1 axes=0,2,3 float32 (1, "
                                "batch, 1, 1)\n2 %s(x) keepdims=0 axes=0,1,2,3 float32 ()\n",
                     ox_op_name(types[i]), ox_op_name(types[i]), ox_op_name(types[i]));
            fused(&t, want);
        }
    }
}

static void other_reductions_stay(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 18);
    ox_val x = input(&t, "x", F32, "2,batch,4,5"), i = input(&t, "i", MX_INT32, "2,3,4");
    ox_val shared = reduce(b, OX_ReduceSum, x, 1, -1, true);
    ox_output(b, reduce(b, OX_ReduceSum, shared, 0, -1, true), "one");
    ox_output(b, reduce(b, OX_ReduceSum, shared, 2, -1, true), "two");
    ox_output(b, reduce(b, OX_ReduceSum, reduce(b, OX_ReduceSum, x, 0, -1, true), 1, -1, false), "a");
    ox_output(b, reduce(b, OX_ReduceSum, reduce(b, OX_ReduceMax, x, 2, -1, true), 1, -1, true), "b");
    ox_output(b, reduce(b, OX_ReduceL2, reduce(b, OX_ReduceL2, x, 3, -1, true), 1, -1, true), "c");
    ox_output(b, reduce(b, OX_ReduceMean, reduce(b, OX_ReduceMean, i, 2, -1, true), 1, -1, true), "d");
    ox_val axes = input(&t, "axes", MX_INT64, "1"), open = ox_node(b, OX_ReduceSum, OX_IN(x, axes), OX_NO_ATTRS);
    ox_output(b, ox_node(b, OX_ReduceSum, OX_IN(open, OX_INTS(b, 0)), OX_NO_ATTRS), "e");
    ox_output(b, ox_node(b, OX_ReduceSum, OX_IN(reduce(b, OX_ReduceSum, x, 1, 2, true), axes), OX_NO_ATTRS), "f");
    assert_int_equal(ox_finish(&t.m), MX_OK);
    const int before = t.m.main.n_nodes;
    assert_int_equal(ox_fuse(&t.m), MX_OK);
    assert_int_equal(t.m.main.n_nodes, before);
    end(&t);
}

/* Operators that a caller keeps may be called as ONNX's are. */
static void names_of_other_domains_mean_nothing(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "2,3"), turned = OX_NONE, same = OX_NONE;
    ox_foreign_n(b, "org.example", "Transpose", OX_IN(x), OX_ATTRS(OX_IS("perm", INTS(1, 0), 2)), &turned, 1);
    ox_typed(b, turned, F32, shape(&t, "3,2"));
    ox_output(b, ox_transpose(b, turned, INTS(1, 0), 2), "a");
    ox_foreign_n(b, "org.example", "Reshape", OX_IN(x), OX_NO_ATTRS, &same, 1);
    ox_typed(b, same, F32, shape(&t, "6"));
    ox_output(b, ox_reshape_ints(b, same, INTS(2, 3), 2), "b");
    assert_int_equal(ox_finish(&t.m), MX_OK);
    assert_int_equal(ox_fuse(&t.m), MX_OK);
    assert_int_equal(t.m.main.n_nodes, 4);
    end(&t);
}

/* What a body reads from outside is made once, before it. */
static void bodies_keep_to_themselves(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "3,4"), w = input(&t, "w", F32, "4,4"), c = input(&t, "c", F32, "4");
    ox_val outside = ox_matmul(b, x, w);
    struct ox_graph *then = ox_graph_begin(b, "then");
    ox_val a = ox_add(b, outside, c);
    ox_graph_end(b, &a, 1);
    struct ox_graph *otherwise = ox_graph_begin(b, "else");
    ox_val d = ox_add(b, ox_matmul(b, ox_unary(b, OX_Neg, x), w), c);
    ox_graph_end(b, &d, 1);
    ox_val y =
        ox_node(b, OX_If, OX_IN(input(&t, "which", MX_BOOL, "")), OX_ATTRS(OX_G("then_branch", then), OX_G("else_branch", otherwise)));
    ox_typed(b, y, F32, shape(&t, "3,4"));
    ox_output(b, y, "y");
    assert_int_equal(ox_finish(&t.m), MX_OK);
    assert_int_equal(ox_fuse(&t.m), MX_OK);
    assert_int_equal(then->n_nodes, 1);
    assert_int_equal(then->nodes[0]->op, OX_Add);
    assert_int_equal(otherwise->n_nodes, 2);
    assert_int_equal(otherwise->nodes[1]->op, OX_Gemm);
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_after_a_product_becomes_a_gemm),
        cmocka_unit_test(a_gemm_takes_it_too),
        cmocka_unit_test(other_products_stay),
        cmocka_unit_test(a_product_with_other_readers_stays),
        cmocka_unit_test(a_concat_of_concats_is_one),
        cmocka_unit_test(other_concats_stay),
        cmocka_unit_test(a_convolution_takes_the_zeros_about_it),
        cmocka_unit_test(other_zeros_stay),
        cmocka_unit_test(a_convolution_takes_a_number_of_each_channel),
        cmocka_unit_test(zeros_of_other_forms_stay),
        cmocka_unit_test(zeros_before_a_pool_become_pads),
        cmocka_unit_test(reductions_over_more_axes_are_joined),
        cmocka_unit_test(other_reductions_stay),
        cmocka_unit_test(names_of_other_domains_mean_nothing),
        cmocka_unit_test(bodies_keep_to_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
