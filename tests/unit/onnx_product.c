/* The product of constants: its elements, in every part, and what is left to the runtime. */
#include "build_common.h"
#include "onnx/tensor/bytes.h"
#include "onnx/write/write.h"

enum { MOST = 200000 };

static float left[MOST], right[MOST], bias[64];

static void fill(void)
{
    for (int i = 0; i < MOST; i++) {
        left[i] = (float)(i % 13 - 6);
        right[i] = (float)(i % 7 - 3) / 4;
    }
    for (int i = 0; i < 64; i++) {
        bias[i] = (float)i;
    }
}

static ox_val matrix(struct ox_build *b, const float *data, int64_t rows, int64_t columns)
{
    return ox_tensor(b, F32, INTS(rows, columns), 2, data);
}

static float wanted(int64_t i, int64_t j, int64_t k, int64_t n, bool turned, bool with_bias)
{
    double sum = with_bias ? (double)bias[j] : 0;
    for (int64_t p = 0; p < k; p++) {
        sum += (double)left[i * k + p] * (double)right[turned ? j * k + p : p * n + j];
    }
    return (float)sum;
}

/* All of it at once and from an odd place on. */
static void assert_product(struct t *t, ox_val y, int64_t m, int64_t k, int64_t n, bool turned, bool with_bias)
{
    const struct ox_tensor *found = ox_tensor_of(&t->b, y);
    assert_non_null(found);
    assert_false(ox_tensor_in_memory(found));
    assert_int_equal(ox_tensor_elements(found), m * n);
    float *all = mx_calloc((size_t)(m * n), sizeof *all);
    assert_int_equal(ox_tensor_read(found, all), MX_OK);
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) {
            const float want = wanted(i, j, k, n, turned, with_bias);
            assert_memory_equal(&all[i * n + j], &want, sizeof want);
        }
    }
    float some[5];
    for (int64_t first = 0; first + 5 <= m * n; first += 3) {
        assert_int_equal(ox_tensor_read_some(found, (uint64_t)first, 5, some), MX_OK);
        assert_memory_equal(some, all + first, sizeof some);
    }
    mx_free(all);
}

static void elements_are_the_sums(void **state)
{
    static const int64_t sizes[][3] = {{3, 4, 5}, {1, 100, 60}, {7, 1, 1}, {2, 40000, 3}, {40, 3000, 50}, {1, 70000, 2}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const int64_t m = sizes[s][0], k = sizes[s][1], n = sizes[s][2];
        for (int form = 0; form < 4; form++) {
            struct t t;
            struct ox_build *b = begin(&t, 17);
            const bool turned = form >= 2, with_bias = form == 1 || form == 3;
            ox_val x = matrix(b, left, m, k), y = turned ? matrix(b, right, n, k) : matrix(b, right, k, n);
            ox_val c = with_bias ? ox_tensor(b, F32, INTS(1, n), 2, bias) : OX_NONE;
            ox_val z = form == 0 ? ox_matmul(b, x, y) : ox_node(b, OX_Gemm, OX_IN(x, y, c), OX_ATTRS(OX_I("transB", turned)));
            assert_product(&t, z, m, k, n, turned, with_bias);
            assert_int_equal(t.m.main.n_nodes, 0);
            end(&t);
        }
    }
}

static void transposed_weights_are_read_as_they_are_stored(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = matrix(b, left, 9, 200), w = matrix(b, right, 90, 200);
    assert_product(&t, ox_matmul(b, x, ox_swap_axes(b, w, 0, 1)), 9, 200, 90, true, false);
    ox_val v = matrix(b, right, 200, 90);
    ox_val turned_back = ox_node(b, OX_Gemm, OX_IN(x, ox_swap_axes(b, v, 0, 1)), OX_ATTRS(OX_I("transB", 1)));
    assert_product(&t, turned_back, 9, 200, 90, false, false);
    const ox_val halves = ox_swap_axes(b, ox_cast(b, w, MX_FLOAT16), 0, 1); /* the numbers are exact in float16 */
    assert_product(&t, ox_matmul(b, x, ox_cast(b, halves, F32)), 9, 200, 90, true, false);
    float got = 0, want = 0; /* row 10 on of the weight */
    const struct ox_tensor *product = ox_tensor_of(b, ox_matmul(b, x, ox_slice1(b, ox_swap_axes(b, w, 0, 1), 1, 10, 60)));
    for (int p = 0; p < 200; p++) {
        want += left[p] * right[10 * 200 + p]; /* multiples of 1/4 are exact */
    }
    assert_int_equal(ox_tensor_read_some(product, 0, 1, &got), MX_OK);
    assert_memory_equal(&got, &want, sizeof want);
    end(&t);
}

/* A product is cut as a weight in a file is. */
static void a_product_is_cut_and_turned(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    float got[6];
    ox_val parts[2];
    ox_val y = ox_matmul(b, matrix(b, left, 3, 4), matrix(b, right, 4, 4));
    ox_split(b, y, 1, INTS(2, 2), 2, parts);
    assert_int_equal(ox_tensor_read(ox_tensor_of(b, parts[1]), got), MX_OK);
    for (int i = 0; i < 6; i++) {
        const float want = wanted(i / 2, 2 + i % 2, 4, 4, false, false);
        assert_memory_equal(&got[i], &want, sizeof want);
    }
    ox_val turned = ox_swap_axes(b, parts[0], 0, 1);
    assert_int_equal(ox_tensor_read(ox_tensor_of(b, turned), got), MX_OK);
    for (int i = 0; i < 6; i++) {
        const float want = wanted(i % 3, i / 3, 4, 4, false, false);
        assert_memory_equal(&got[i], &want, sizeof want);
    }
    assert_int_equal(t.m.main.n_nodes, 0);
    end(&t);
}

static void products_that_would_grow_or_lack_a_rule_are_left_to_the_runtime(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = matrix(b, left, 4, 4), c = ox_tensor(b, F32, INTS(4, 1), 2, bias);
    ox_val column = matrix(b, left, 100, 1), row = matrix(b, right, 1, 100);
    ox_val i = ox_cast(b, x, MX_INT32), d = ox_cast(b, x, MX_FLOAT64);
    ox_matmul(b, x, input(&t, "data", F32, "4,4"));
    ox_matmul(b, column, row); /* would be much larger than what it is made of */
    ox_matmul(b, i, i);
    ox_matmul(b, d, d);
    ox_matmul(b, ox_reshape_ints(b, x, INTS(2, 2, 4), 3), x);
    ox_node(b, OX_Gemm, OX_IN(x, x, c), OX_NO_ATTRS); /* another number for each row */
    ox_node(b, OX_Gemm, OX_IN(x, x, x), OX_NO_ATTRS); /* and for each element */
    ox_node(b, OX_Gemm, OX_IN(x, x, ox_scalar(b, F32, 1)), OX_NO_ATTRS);
    ox_node(b, OX_Gemm, OX_IN(x, x), OX_ATTRS(OX_F("alpha", 2)));
    ox_node(b, OX_Gemm, OX_IN(x, x), OX_ATTRS(OX_F("alpha", 0.5)));
    ox_node(b, OX_Gemm, OX_IN(x, x, ox_tensor(b, F32, INTS(4), 1, bias)), OX_ATTRS(OX_F("beta", 2)));
    ox_node(b, OX_Gemm, OX_IN(x, x), OX_ATTRS(OX_I("transA", 1)));
    ox_node(b, OX_Gemm, OX_IN(x, x, input(&t, "bias", F32, "4")), OX_NO_ATTRS);
    assert_int_equal(count_of(&t, OX_MatMul), 5);
    assert_int_equal(count_of(&t, OX_Gemm), 8);
    /* 2^64 elements are not 0. */
    const int64_t many = INT64_C(1) << 32;
    ox_matmul(b, ox_filled(b, F32, INTS(many, 1), 2, 1), ox_filled(b, F32, INTS(1, many), 2, 1));
    assert_int_equal(count_of(&t, OX_MatMul), 6);
    end(&t);
}

/* Otherwise each of its elements would be computed again for each element of the product. */
static void products_of_products_are_left_to_the_runtime(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    float got[16];
    ox_val x = matrix(b, left, 4, 4), product = ox_matmul(b, x, x), row = ox_matmul(b, matrix(b, left, 1, 4), x);
    assert_int_equal(t.m.main.n_nodes, 0);
    ox_matmul(b, product, x);
    ox_matmul(b, x, product);
    ox_matmul(b, x, ox_swap_axes(b, product, 0, 1));
    ox_node(b, OX_Gemm, OX_IN(x, x, row), OX_NO_ATTRS);
    assert_int_equal(count_of(&t, OX_MatMul), 3);
    assert_int_equal(count_of(&t, OX_Gemm), 1);
    /* Nor is a view of one read again by a view. */
    const ox_val long_row = ox_matmul(b, matrix(b, left, 6, 2), matrix(b, right, 2, 4)), turned = ox_swap_axes(b, long_row, 0, 1);
    assert_null(ox_tensor_of(b, ox_reshape_ints(b, turned, INTS(3, 8), 2)));
    assert_null(ox_tensor_of(b, ox_cast(b, ox_cast(b, turned, MX_FLOAT16), F32)));
    /* It is cast when it is written. */
    assert_int_equal(ox_tensor_read(ox_tensor_of(b, ox_cast(b, product, MX_INT32)), got), MX_OK);
    for (int i = 0; i < 16; i++) {
        const int32_t want = (int32_t)(left[i / 4 * 4] * left[i % 4] + left[i / 4 * 4 + 1] * left[4 + i % 4]
                                       + left[i / 4 * 4 + 2] * left[8 + i % 4] + left[i / 4 * 4 + 3] * left[12 + i % 4]);
        assert_memory_equal(&got[i], &want, sizeof want);
    }
    end(&t);
}

/* The limits, each from both sides. */
static void products_are_computed_up_to_the_limits(void **state)
{
    static const struct {
        int64_t m, k, n;
        bool computed;
    } growth[] = {{12, 2, 24, true}, {12, 2, 25, false}, {24, 2, 12, true}, {25, 2, 12, false}};
    for (size_t i = 0; i < sizeof growth / sizeof *growth; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        ox_matmul(b, matrix(b, left, growth[i].m, growth[i].k), matrix(b, right, growth[i].k, growth[i].n));
        assert_int_equal(count_of(&t, OX_MatMul), !growth[i].computed);
        end(&t);
    }
    for (int more = 0; more < 2; more++) { /* terms, of all products together */
        struct t t;
        struct ox_build *b = begin(&t, 17);
        b->terms = (UINT64_C(1) << 32) - 2 * (3 * 5 * 7) + (uint64_t)more;
        ox_matmul(b, matrix(b, left, 3, 5), matrix(b, right, 5, 7));
        assert_int_equal(count_of(&t, OX_MatMul), 0);
        ox_matmul(b, matrix(b, right, 3, 5), matrix(b, left, 5, 7));
        assert_int_equal(count_of(&t, OX_MatMul), more);
        end(&t);
    }
    for (int more = 0; more < 2; more++) { /* elements of a view */
        struct t t;
        struct ox_build *b = begin(&t, 17);
        ox_val all = matrix(b, left, 32768 + more, 3), columns[2];
        ox_split(b, all, 1, INTS(2, 1), 2, columns);
        ox_matmul(b, columns[0], matrix(b, right, 2, 1));
        assert_int_equal(count_of(&t, OX_MatMul), more);
        end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_the_sums),
        cmocka_unit_test(transposed_weights_are_read_as_they_are_stored),
        cmocka_unit_test(a_product_is_cut_and_turned),
        cmocka_unit_test(products_that_would_grow_or_lack_a_rule_are_left_to_the_runtime),
        cmocka_unit_test(products_of_products_are_left_to_the_runtime),
        cmocka_unit_test(products_are_computed_up_to_the_limits),
    };
    fill();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
