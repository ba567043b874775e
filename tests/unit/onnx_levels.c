/* Levels of uint8 for a target that reads those of int8 only. */
#include "build_common.h"
#include "onnx/schema/targets.h"

static const struct ox_target target = {.name = "int8", .signed_levels = true};

static ox_val quantized(struct ox_build *b, ox_val x, const struct ox_attr *attrs)
{
    return ox_node(b, OX_QuantizeLinear, OX_IN(x, ox_float32(b, 0.5)), attrs);
}

static ox_val numbers(struct ox_build *b, ox_val x)
{
    return ox_node(b, OX_DequantizeLinear, OX_IN(x, ox_float32(b, 0.5)), OX_NO_ATTRS);
}

static void sign(struct t *t)
{
    assert_int_equal(t->b.status, MX_OK);
    assert_int_equal(ox_finish(&t->m), MX_OK);
    assert_int_equal(ox_sign_levels(&t->m), MX_OK);
    assert_int_equal(ox_check(&t->m, OX_COUNTED), MX_OK);
}

/* What follows the first node, whose Relu is in a later place: ox_order comes later. */
#define NODES(type)                                                                                                                        \
    "1 DequantizeLinear(%0, 1.00394, 0) float32 (2, 3)\n"                                                                                  \
    "2 Transpose(%1) perm=1,0 float32 (3, 2)\n"                                                                                            \
    "3 QuantizeLinear(%2, 1.00394, 0) " type "int8 (3, 2)\n"                                                                               \
    "4 Transpose(%3) perm=1,0 int8 (2, 3)\n"                                                                                               \
    "5 DequantizeLinear(%4, 1.00394, 0) float32 (2, 3)\n"                                                                                  \
    "6 Relu(x) float32 (2, 3)\n"

/* A zero point of uint8 may be left out, and its type may be named. Below 0 is cut by a Relu, unless that was done before. */
static void levels_without_a_zero_point_become_signed(void **state)
{
    for (int named = 0; named < 2; named++) {
        struct t t;
        struct ox_build *b = begin(&t, 21);
        t.m.target = &target;
        const struct ox_attr *attrs = named ? OX_ATTRS(OX_T("output_dtype", MX_UINT8)) : OX_NO_ATTRS;
        ox_val x = quantized(b, input(&t, "x", F32, "2,3"), attrs);
        x = ox_swap_axes(b, numbers(b, x), 0, 1);
        ox_output(b, numbers(b, ox_swap_axes(b, quantized(b, x, attrs), 0, 1)), "y");
        sign(&t);
        assert_nodes(&t, named ? "0 QuantizeLinear(%6, 1.00394, 0) output_dtype=5 int8 (2, 3)\n" NODES("output_dtype=5 ")
                               : "0 QuantizeLinear(%6, 1.00394, 0) int8 (2, 3)\n" NODES(""));
        end(&t);
    }
}

/* All levels stay as they are where one is an output, is read as a number, joined with other data, or not counted from 0. */
static void some_levels_stay_unsigned(void **state)
{
    for (int i = 0; i < 7; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 21);
        t.m.target = &target;
        const enum mx_dtype expected = i == 6 ? MX_INT8 : MX_UINT8;
        const ox_val x = input(&t, "x", F32, "1,1,2,3"), q = quantized(b, x, OX_NO_ATTRS), other = input(&t, "levels", MX_UINT8, "1,1,2,3");
        const ox_val scale = ox_float32(b, 0.5), zero = ox_scalar(b, MX_UINT8, i == 6 ? 0 : 128);
        const ox_val any =
            ox_node(b, OX_MaxUnpool, OX_IN(x, input(&t, "places", MX_INT64, "1,1,2,3")), OX_ATTRS(OX_IS("kernel_shape", INTS(1, 1), 2)));
        const ox_val y = i == 0   ? q
                         : i == 1 ? ox_cast(b, q, MX_INT32)
                         : i == 2 ? numbers(b, ox_concat(b, (const ox_val[]){q, other}, 2, 1))
                         : i == 3 ? ox_node(b, OX_DequantizeLinear, OX_IN(q, scale, zero), OX_NO_ATTRS)
                         : i == 4 ? numbers(b, ox_node(b, OX_QuantizeLinear, OX_IN(x, scale, zero), OX_NO_ATTRS))
                         : i == 5 ? ox_node(b, OX_DequantizeLinear, OX_IN(q, any), OX_NO_ATTRS)
                                  : ox_node(b, OX_DequantizeLinear, OX_IN(q, scale, zero), OX_NO_ATTRS);
        ox_output(b, y, "y");
        sign(&t);
        for (int k = 0; k < t.m.main.n_nodes; k++) {
            const struct ox_node *n = t.m.main.nodes[k];
            assert_int_equal(n->op == OX_QuantizeLinear ? ox_value_of(&t.m, n->out[0])->dtype : expected, expected);
        }
        assert_int_equal(t.diags.count, i < 6);
        end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_without_a_zero_point_become_signed),
        cmocka_unit_test(some_levels_stay_unsigned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
