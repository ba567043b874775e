/* Nodes between two Transposes that undo each other: which compute in the order of the data, and which do not. */
#include "build_common.h"

static void laid_out(struct t *t, const char *want)
{
    assert_int_equal(t->b.status, MX_OK);
    assert_int_equal(ox_finish(&t->m), MX_OK);
    assert_int_equal(ox_choose_layouts(&t->m), MX_OK);
    assert_nodes(t, want);
    end(t);
}

/* Data of (2, 3, 4, 5) with its channels last. */
static ox_val last_channels(struct t *t)
{
    return ox_transpose(&t->b, input(t, "x", F32, "2,3,4,5"), INTS(0, 2, 3, 1), 4);
}

static void back(struct t *t, ox_val y)
{
    ox_output(&t->b, ox_transpose(&t->b, y, INTS(0, 3, 1, 2), 4), "y");
}

static void an_operand_may_be_left_out(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    back(&t, ox_node(b, OX_Clip, OX_IN(last_channels(&t), OX_NONE, ox_scalar(b, F32, 6)), OX_NO_ATTRS));
    laid_out(&t, "0 Clip(x, -, 6) float32 (2, 3, 4, 5)\n");
}

/* The sum over the last axis has the other two in the order of the transposed data, also where the last of the two did not move ahead. */
static void axes_that_are_left_keep_their_order(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val x = ox_transpose(b, input(&t, "x", F32, "2,3,4"), INTS(1, 0, 2), 3);
    const ox_val y = ox_unary(b, OX_Exp, x);
    ox_output(b, ox_transpose(b, y, INTS(1, 0, 2), 3), "y");
    ox_output(b, ox_transpose(b, ox_unary(b, OX_Sin, y), INTS(1, 0, 2), 3), "z");
    ox_output(b, ox_reduce(b, OX_ReduceMax, y, INTS(2), 1, false), "kept");
    laid_out(&t, "0 ReduceMax(%2) keepdims=0 axes=2 float32 (3, 2)\n" /* in the old place: ox_order comes later */
                 "1 Exp(x) float32 (2, 3, 4)\n"
                 "2 Transpose(%1) perm=1,0,2 float32 (3, 2, 4)\n"
                 "3 Sin(%1) float32 (2, 3, 4)\n");
}

/* What has no axis that is known here stays between the Transposes. */
static void nodes_without_known_axes_stay(void **state)
{
    static const enum ox_op ops[] = {OX_LpNormalization, OX_ReduceSum, OX_Slice, OX_Pad};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 18);
        const ox_val x = last_channels(&t), axes = input(&t, "axes", MX_INT64, "1"), one = ox_int(b, 1);
        const ox_val y = ops[i] == OX_LpNormalization ? ox_node(b, OX_LpNormalization, OX_IN(x), OX_NO_ATTRS)
                         : ops[i] == OX_ReduceSum     ? ox_node(b, OX_ReduceSum, OX_IN(x, axes), OX_NO_ATTRS)
                         : ops[i] == OX_Slice         ? ox_node(b, OX_Slice, OX_IN(x, one, ox_int(b, 3), axes), OX_NO_ATTRS)
                                                      : ox_node(b, OX_Pad, OX_IN(x, ox_ints(b, INTS(1, 1), 2), OX_NONE, axes), OX_NO_ATTRS);
        back(&t, y);
        assert_int_equal(ox_finish(&t.m), MX_OK);
        assert_int_equal(ox_choose_layouts(&t.m), MX_OK);
        assert_int_equal(t.m.main.n_nodes, 3);
        assert_int_equal(count_of(&t, OX_Transpose), 2);
        assert_true(!t.m.main.nodes[1]->dead && t.m.main.nodes[1]->op == ops[i]);
        end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_operand_may_be_left_out),
        cmocka_unit_test(axes_that_are_left_keep_their_order),
        cmocka_unit_test(nodes_without_known_axes_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
