/* Slices that divide an axis become one Split; others stay. */
#include "build_common.h"

static ox_val slice(struct ox_build *b, ox_val x, int axis, int64_t start, int64_t end)
{
    return ox_slice1(b, x, axis, start, end);
}

static void joined(struct t *t, const char *want)
{
    assert_int_equal(t->b.status, MX_OK);
    assert_int_equal(ox_finish(&t->m), MX_OK);
    assert_int_equal(ox_join_slices(&t->m), MX_OK);
    assert_int_equal(ox_check(&t->m, OX_COUNTED), MX_OK);
    assert_int_equal(ox_legalise(&t->m), MX_OK);
    assert_int_equal(ox_order(&t->m), MX_OK);
    assert_nodes(t, want);
    end(t);
}

/* In any order, with bounds counted from either end, next to sizes that are open; a part may be an output. */
static void parts_of_an_axis_are_one_split(void **state)
{
    (void)state;
    for (int opset = MX2ONNX_OPSET_MIN; opset <= MX2ONNX_OPSET_MAX; opset++) {
        struct t t;
        struct ox_build *b = begin(&t, opset);
        ox_val x = input(&t, "x", F32, "batch,7,?");
        ox_val last = ox_unary(b, OX_Exp, slice(b, x, 1, -4, INT64_MAX));
        ox_output(b, last, "last");
        ox_output(b, slice(b, x, 1, 0, 1), "first");
        ox_output(b, ox_unary(b, OX_Neg, slice(b, x, -2, 1, -4)), "middle");
        joined(&t, opset >= 13 ? "0 Split(x, [1 2 4]) axis=1 float32 (batch, 1, ?)\n"
                                 "1 Exp(%0.2) float32 (batch, 4, ?)\n"
                                 "2 Neg(%0.1) float32 (batch, 2, ?)\n"
                               : "0 Split(x) axis=1 split=1,2,4 float32 (batch, 1, ?)\n"
                                 "1 Exp(%0.2) float32 (batch, 4, ?)\n"
                                 "2 Neg(%0.1) float32 (batch, 2, ?)\n");
    }
}

static void two_values_are_split_apart(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    (void)state;
    ox_val x = input(&t, "x", MX_INT64, "2,0"), y = ox_unary(b, OX_Neg, x);
    ox_output(b, ox_add(b, slice(b, x, 0, 0, 1), slice(b, x, 0, 1, 2)), "sum");
    ox_output(b, ox_add(b, slice(b, y, 0, 0, 1), slice(b, y, 0, 1, 2)), "other");
    joined(&t, "0 Split(x, [1 1]) axis=0 int64 (1, 0)\n"
               "1 Add(%0, %0.1) int64 (1, 0)\n"
               "2 Neg(x) int64 (2, 0)\n"
               "3 Split(%2, [1 1]) axis=0 int64 (1, 0)\n"
               "4 Add(%3, %3.1) int64 (1, 0)\n");
}

static void other_slices_stay(void **state)
{
    static const struct {
        const char *dims;
        int axis[2];
        int64_t start[2], end[2], step[2];
    } rows[] = {
        {"7,7", {0, 0}, {0, 3}, {2, 7}, {1, 1}},              /* a gap */
        {"7,7", {0, 0}, {0, 2}, {3, 7}, {1, 1}},              /* an overlap */
        {"7,7", {0, 0}, {1, 3}, {3, 7}, {1, 1}},              /* not from the beginning */
        {"7,7", {0, 0}, {0, 3}, {3, 6}, {1, 1}},              /* not to the end */
        {"7,7", {0, 1}, {0, 3}, {3, 7}, {1, 1}},              /* two axes */
        {"7,7", {0, 0}, {0, 3}, {3, 7}, {1, 2}},              /* a step */
        {"7,7", {0, 0}, {6, 1}, {INT64_MIN + 1, 7}, {-6, 1}}, /* backwards */
        {"7,7", {0, 0}, {0, 0}, {7, 0}, {2, 1}},              /* nothing */
        {"n,7", {0, 0}, {0, 3}, {3, INT64_MAX}, {1, 1}},      /* an open size */
        {NULL, {0, 0}, {0, 3}, {3, 7}, {1, 1}},               /* an open rank */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        ox_val x = rows[i].dims ? input(&t, "x", F32, rows[i].dims) : ox_input(b, "x", F32, MX_SHAPE_UNKNOWN);
        for (int k = 0; k < 2; k++) {
            const int64_t axis = rows[i].axis[k];
            const ox_val bounds[] = {x, ox_int(b, rows[i].start[k]), ox_int(b, rows[i].end[k]), ox_int(b, axis), OX_END};
            ox_output(b,
                      rows[i].dims ? ox_slice(b, x, &rows[i].start[k], &rows[i].end[k], &axis, &rows[i].step[k], 1)
                                   : ox_node(b, OX_Slice, bounds, OX_NO_ATTRS),
                      k ? "b" : "a");
        }
        assert_int_equal(b->status, MX_OK);
        assert_int_equal(ox_finish(&t.m), MX_OK);
        const int before = t.m.main.n_nodes;
        assert_int_equal(ox_join_slices(&t.m), MX_OK);
        assert_int_equal(t.m.main.n_nodes, before);
        for (int k = 0; k < before; k++) {
            assert_int_not_equal(t.m.main.nodes[k]->op, OX_Split);
        }
        end(&t);
    }
}

/* A third reader takes a part that another one has too, several axes at once, or what is known at run time. */
static void one_more_slice_keeps_all(void **state)
{
    for (int k = 0; k < 6; k++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        ox_val in[] = {OX_NONE, OX_INTS(b, 0), OX_INTS(b, 2), OX_INTS(b, 0), OX_INTS(b, 1), OX_END};
        (void)state;
        ox_val x = input(&t, "x", F32, "4,4");
        ox_output(b, k == 2 ? ox_unary(b, OX_Neg, x) : slice(b, x, 0, 0, 2), "a"); /* 2: the other one would be the first part */
        ox_output(b, slice(b, x, 0, 2, 4), "b");
        in[0] = x;
        if (k > 1) {
            in[k - 1] = input(&t, "i", MX_INT64, "1");
        }
        ox_output(b,
                  k > 1   ? ox_node(b, OX_Slice, in, OX_NO_ATTRS)
                  : k > 0 ? ox_slice(b, x, INTS(0, 0), INTS(2, 2), INTS(0, 1), NULL, 2)
                          : slice(b, x, 0, 1, 3),
                  "c");
        assert_int_equal(ox_finish(&t.m), MX_OK);
        assert_int_equal(ox_join_slices(&t.m), MX_OK);
        assert_int_equal(t.m.main.n_nodes, 3);
        end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_an_axis_are_one_split),
        cmocka_unit_test(two_values_are_split_apart),
        cmocka_unit_test(other_slices_stay),
        cmocka_unit_test(one_more_slice_keeps_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
