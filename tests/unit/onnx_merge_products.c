/* Small products of one value become one; larger and fewer ones stay. */
#include "build_common.h"

static float numbers[4096]; /* 1, 2, 3, ... */

static ox_val weight(struct ox_build *b, int first, int64_t rows, int64_t columns)
{
    return ox_tensor(b, F32, INTS(rows, columns), 2, numbers + first);
}

static ox_val vector(struct ox_build *b, int first, int64_t n)
{
    return ox_tensor(b, F32, INTS(n), 1, numbers + first);
}

static void merged(struct t *t, const char *want)
{
    assert_int_equal(t->b.status, MX_OK);
    assert_int_equal(ox_finish(&t->m), MX_OK);
    assert_int_equal(ox_merge_products(&t->m), MX_OK);
    assert_int_equal(ox_order(&t->m), MX_OK);
    assert_nodes(t, want);
    end(t);
}

static void three_products_with_biases_are_merged(void **state)
{
    for (int opset = MX2ONNX_OPSET_MIN; opset <= MX2ONNX_OPSET_MAX; opset++) {
        struct t t;
        struct ox_build *b = begin(&t, opset);
        ox_val x = input(&t, "x", F32, "batch,7,2");
        ox_val one = ox_matmul(b, x, weight(b, 0, 2, 1));
        ox_val two = ox_matmul(b, x, weight(b, 2, 2, 2));
        ox_val three = ox_matmul(b, x, weight(b, 6, 2, 1));
        ox_output(b, ox_add(b, one, vector(b, 0, 1)), "one");
        ox_output(b, ox_add(b, vector(b, 1, 2), two), "two");
        ox_output(b, ox_add(b, three, vector(b, 3, 1)), "three");
        merged(&t, opset >= 13 ? "0 MatMul(x, [1 3 4 7 2 5 6 8]) float32 (batch, 7, 4)\n"
                                 "1 Add(%0, [1 2 3 4]) float32 (batch, 7, 4)\n"
                                 "2 Split(%1, [1 2 1]) axis=2 float32 (batch, 7, 1)\n"
                               : "0 MatMul(x, [1 3 4 7 2 5 6 8]) float32 (batch, 7, 4)\n"
                                 "1 Add(%0, [1 2 3 4]) float32 (batch, 7, 4)\n"
                                 "2 Split(%1) axis=2 split=1,2,1 float32 (batch, 7, 1)\n");
    }
}

/* One of the sums adds something else: the products alone are merged. */
static void sums_of_other_kinds_stay(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "batch,2");
    ox_val one = ox_matmul(b, x, weight(b, 0, 2, 1));
    ox_val two = ox_matmul(b, x, weight(b, 2, 2, 1));
    ox_val three = ox_matmul(b, x, weight(b, 4, 2, 1));
    ox_output(b, ox_add(b, one, vector(b, 0, 1)), "one");
    ox_output(b, ox_add(b, two, input(&t, "c", F32, "1")), "two");
    ox_output(b, three, "three");
    merged(&t, "0 MatMul(x, [1 3 5 2 4 6]) float32 (batch, 3)\n"
               "1 Split(%0, [1 1 1]) axis=1 float32 (batch, 1)\n"
               "2 Add(%1, [1]) float32 (batch, 1)\n"
               "3 Add(%1.1, c) float32 (batch, 1)\n");
}

static void other_products_stay(void **state)
{
    static const struct {
        enum mx_dtype t;
        int64_t rows, columns;
        int n;
    } rows[] = {
        {MX_FLOAT32, 4, 1, 2},   /* two */
        {MX_FLOAT32, 4, 6, 3},   /* 18 columns */
        {MX_FLOAT32, 300, 1, 3}, /* a weight that is not small */
        {MX_FLOAT64, 4, 1, 3},   {MX_INT32, 4, 1, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        char name[2] = "a";
        ox_val x = ox_node(b, OX_Cast, OX_IN(input(&t, "x", MX_UINT8, "5,?")), OX_ATTRS(OX_T("to", rows[i].t)));
        for (int k = 0; k < rows[i].n; k++, name[0]++) {
            ox_val w = ox_cast(b, weight(b, k, rows[i].rows, rows[i].columns), rows[i].t);
            ox_output(b, ox_matmul(b, x, w), name);
        }
        assert_int_equal(ox_finish(&t.m), MX_OK);
        const int before = t.m.main.n_nodes;
        assert_int_equal(ox_merge_products(&t.m), MX_OK);
        assert_int_equal(t.m.main.n_nodes, before);
        end(&t);
    }
}

static void products_are_merged_up_to_the_limits(void **state)
{
    static const struct {
        const char *x;
        int64_t rows, columns;
        int n, left;
    } rows[] = {
        {"5,?", 256, 1, 3, 1},                      /* weights that are just small enough */
        {"5,?", 257, 1, 3, 3},                      /* and are not */
        {"5,?", 4, 4, 4, 1},                        /* 16 columns */
        {"5,?", 4, 4, 5, 2},                        /* the last one stays */
        {"5,?", 4, 5, 4, 2},   {"5,?", 4, 8, 3, 3}, /* two are not enough */
        {"5,?", 4, 16, 3, 3},  {"5,?", 4, 17, 3, 3}, {"5,?", 1, 1, 16, 1},
        {"5,?", 1, 1, 17, 2},  {"5,?", 4, 1, 2, 2},  {"4", 4, 1, 3, 3}, /* a vector has no columns */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        char name[2] = "a";
        const ox_val x = input(&t, "x", F32, rows[i].x);
        for (int k = 0; k < rows[i].n; k++, name[0]++) {
            ox_output(b, ox_matmul(b, x, weight(b, k, rows[i].rows, rows[i].columns)), name);
        }
        assert_int_equal(ox_finish(&t.m), MX_OK);
        assert_int_equal(ox_merge_products(&t.m), MX_OK);
        int left = 0;
        for (int k = 0; k < t.m.main.n_nodes; k++) {
            left += ox_node_is(t.m.main.nodes[k], OX_MatMul) && !t.m.main.nodes[k]->dead;
        }
        if (left != rows[i].left) {
            fail_msg("row %zu: %d products are left", i, left);
        }
        end(&t);
    }
}

/* The rows of x are open, so nothing says which weight is wrong. */
static void weights_of_other_heights_stay(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val x = input(&t, "x", F32, "?,?");
    ox_output(b, ox_matmul(b, x, weight(b, 0, 250, 1)), "a");
    ox_output(b, ox_matmul(b, x, weight(b, 0, 100, 1)), "b");
    ox_output(b, ox_matmul(b, x, weight(b, 0, 1, 1)), "c");
    assert_int_equal(ox_finish(&t.m), MX_OK);
    assert_int_equal(ox_merge_products(&t.m), MX_OK);
    assert_int_equal(count_of(&t, OX_MatMul), 3);
    end(&t);
}

static void products_with_empty_weights_stay(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    char name[2] = "a";
    const ox_val x = input(&t, "x", F32, "5,0");
    for (int k = 0; k < 3; k++, name[0]++) {
        ox_output(b, ox_node(b, OX_MatMul, OX_IN(x, weight(b, 0, 0, k + 1)), OX_NO_ATTRS), name);
    }
    assert_int_equal(ox_finish(&t.m), MX_OK);
    assert_int_equal(ox_merge_products(&t.m), MX_OK);
    assert_int_equal(count_of(&t, OX_MatMul), 3);
    end(&t);
}

/* Sums are merged only where each product has one of its own, of a constant with as many columns. */
static void sums_that_differ_stay(void **state)
{
    for (int i = 0; i < 4; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        ox_val x = input(&t, "x", F32, "batch,2");
        ox_val one = ox_matmul(b, x, weight(b, 0, 2, 2));
        ox_val two = ox_matmul(b, x, weight(b, 4, 2, 2));
        ox_val three = ox_matmul(b, x, weight(b, 8, 2, 2));
        ox_output(b, ox_add(b, one, vector(b, 0, 2)), "one");
        ox_output(b, ox_add(b, two, i == 1 ? ox_reshape_ints(b, vector(b, 2, 2), INTS(1, 2), 2) : vector(b, 2, 2)), "two");
        ox_output(b, i == 3 ? ox_sub(b, three, vector(b, 4, 2)) : ox_add(b, three, i == 2 ? vector(b, 4, 1) : vector(b, 4, 2)), "three");
        assert_int_equal(ox_finish(&t.m), MX_OK);
        assert_int_equal(ox_merge_products(&t.m), MX_OK);
        assert_int_equal(ox_order(&t.m), MX_OK);
        assert_int_equal(t.m.main.nodes[0]->op, OX_MatMul);
        assert_int_equal(t.m.main.nodes[1]->op, i == 0 ? OX_Add : OX_Split);
        assert_int_equal(t.m.main.n_nodes, i == 0 ? 3 : 5);
        end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_products_with_biases_are_merged),
        cmocka_unit_test(sums_of_other_kinds_stay),
        cmocka_unit_test(other_products_stay),
        cmocka_unit_test(products_are_merged_up_to_the_limits),
        cmocka_unit_test(weights_of_other_heights_stay),
        cmocka_unit_test(products_with_empty_weights_stay),
        cmocka_unit_test(sums_that_differ_stay),
    };
    for (int i = 0; i < 4096; i++) {
        numbers[i] = (float)(i + 1);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
