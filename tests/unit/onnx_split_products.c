/* A product whose columns are moved and then split: which becomes a product for each part, and which stays one. */
#include "build_common.h"

enum form {
    PLAIN,
    BIAS,
    BIAS_FIRST,
    LAST_AXIS, /* by its number from the end */
    SPLIT,     /* all above are split, all below stay */
    BATCHES_OF_WEIGHTS,
    PRODUCT_OF_PRODUCT,
    ONE_BIAS,
    FIVE_MOVES,
    ONE_AXIS,
    OTHER_AXIS,
    OTHER_ROWS,
    COLUMNS_IN_THE_MIDDLE,
    NOT_TRANSPOSED,
    FORMS
};

static ox_val weight(struct ox_build *b, enum form form)
{
    float numbers[24 * 24];
    for (int i = 0; i < 24 * 24; i++) {
        numbers[i] = (float)(i % 11);
    }
    if (form == BATCHES_OF_WEIGHTS) {
        return ox_tensor(b, F32, INTS(1, 24, 24), 3, numbers);
    }
    const ox_val w = ox_tensor(b, F32, INTS(3, 24), 2, numbers);
    return form == PRODUCT_OF_PRODUCT ? ox_matmul(b, ox_tensor(b, F32, INTS(3, 3), 2, numbers), w) : w;
}

static ox_val moved(struct ox_build *b, ox_val y, enum form form)
{
    if (form == COLUMNS_IN_THE_MIDDLE) {
        return ox_reshape_ints(b, ox_transpose(b, y, INTS(0, 2, 1), 3), INTS(2, 20, 6), 3);
    }
    if (form == PRODUCT_OF_PRODUCT) {
        return ox_transpose(b, y, INTS(1, 0, 2), 3);
    }
    if (form == FIVE_MOVES) {
        y = ox_transpose(b, ox_reshape_ints(b, y, INTS(2, 2, 12), 3), INTS(1, 0, 2), 3);
        y = ox_transpose(b, ox_reshape_ints(b, y, INTS(2, 1, 2, 12), 4), INTS(2, 0, 1, 3), 4);
        return ox_reshape_ints(b, y, INTS(2, 2, 12), 3);
    }
    y = form == OTHER_ROWS ? ox_reshape_ints(b, y, INTS(1, 3, 16), 3) : ox_reshape_ints(b, y, INTS(2, 2, 12), 3);
    y = form == NOT_TRANSPOSED ? y : ox_transpose(b, y, INTS(1, 0, 2), 3);
    return form == ONE_AXIS ? ox_reshape_ints(b, y, INTS(48), 1) : y;
}

static void columns_that_are_moved_and_split(void **state)
{
    for (int form = PLAIN; form < FORMS; form++) {
        if (form == SPLIT) {
            continue;
        }
        struct t t;
        struct ox_build *b = begin(&t, 17);
        float numbers[24] = {1, 2, 3, 4};
        ox_val w = weight(b, form), parts[2];
        const char *dims = form == BATCHES_OF_WEIGHTS ? "2,1,24" : form == COLUMNS_IN_THE_MIDDLE ? "2,5,3" : "2,1,3";
        ox_val y = ox_matmul(b, input(&t, "x", F32, dims), w);
        const ox_val bias = ox_tensor(b, F32, INTS(form == ONE_BIAS ? 1 : 24), 1, numbers);
        y = form == BIAS || form == ONE_BIAS ? ox_add(b, y, bias) : form == BIAS_FIRST ? ox_add(b, bias, y) : y;
        y = moved(b, y, form);
        const int axis = form == ONE_AXIS ? 0 : form == OTHER_AXIS ? 1 : form == LAST_AXIS ? -1 : 2;
        int64_t half;
        assert_true(ox_size_at(b, y, axis, &half) && half % 2 == 0);
        half /= 2;
        ox_node_n(b, OX_Split, OX_IN(y, OX_INTS(b, half, half)), OX_ATTRS(OX_I("axis", axis)), parts, 2);
        ox_output(b, parts[0], "first");
        ox_output(b, parts[1], "second");
        assert_int_equal(b->status, MX_OK);
        assert_int_equal(ox_finish(&t.m), MX_OK);
        assert_int_equal(count_of(&t, OX_Split), 1);
        assert_int_equal(ox_split_products(&t.m), MX_OK);
        assert_int_equal(ox_finish(&t.m), MX_OK);
        if (count_of(&t, OX_Split) != (form > SPLIT) || count_of(&t, OX_MatMul) != (form < SPLIT ? 2 : 1)) {
            fail_msg("form %d: %d products, %d splits", form, count_of(&t, OX_MatMul), count_of(&t, OX_Split));
        }
        assert_int_equal(ox_check(&t.m, OX_COUNTED), MX_OK);
        end(&t);
    }
}

static void stays(struct t *t, const ox_val parts[2])
{
    ox_output(&t->b, parts[0], "first");
    ox_output(&t->b, parts[1], "second");
    assert_int_equal(t->b.status, MX_OK);
    assert_int_equal(ox_finish(&t->m), MX_OK);
    assert_int_equal(ox_split_products(&t->m), MX_OK);
    assert_int_equal(count_of(t, OX_Split), 1);
    end(t);
}

/* A product without terms, and one without columns, where the rank of x was declared too late for the result to be folded. */
static void a_weight_without_elements_is_left_alone(void **state)
{
    for (int i = 0; i < 2; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        const int columns = i == 0 ? 6 : 0;
        const float none = 0;
        const ox_val x = ox_node(b, OX_Squeeze, OX_IN(input(&t, "x", F32, "?,?")), OX_NO_ATTRS);
        const ox_val y = ox_node(b, OX_MatMul, OX_IN(x, ox_tensor(b, F32, INTS(i == 0 ? 0 : 4, columns), 2, &none)), OX_NO_ATTRS);
        const ox_val turned = ox_node(b, OX_Transpose, OX_IN(y), OX_ATTRS(OX_IS("perm", INTS(1, 0), 2)));
        ox_val parts[2];
        ox_node_n(b, OX_Split, OX_IN(turned, OX_INTS(b, columns / 2, columns / 2)), OX_ATTRS(OX_I("axis", 0)), parts, 2);
        ox_typed(b, x, F32, shape(&t, i == 0 ? "2,0" : "2,4"));
        ox_typed(b, y, F32, shape(&t, i == 0 ? "2,6" : "2,0"));
        ox_typed(b, turned, F32, shape(&t, i == 0 ? "6,2" : "0,2"));
        ox_typed(b, parts[0], F32, shape(&t, i == 0 ? "3,2" : "0,2"));
        ox_typed(b, parts[1], F32, shape(&t, i == 0 ? "3,2" : "0,2"));
        stays(&t, parts);
    }
}

/* The rank of a value may be declared after its Split was made: axis -3 is none of a matrix. */
static void an_axis_beyond_the_rank_is_left_alone(void **state)
{
    for (int i = 0; i < 2; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        ox_val parts[2], y = ox_transpose(b, ox_matmul(b, input(&t, "x", F32, "2,1,3"), weight(b, PLAIN)), INTS(1, 0, 2), 3);
        y = ox_node(b, OX_Reshape, OX_IN(y, input(&t, "shape", MX_INT64, "?")), OX_NO_ATTRS);
        assert_int_equal(ox_rank(b, y), -1);
        ox_node_n(b, OX_Split, OX_IN(y, OX_INTS(b, 1, 1)), OX_ATTRS(OX_I("axis", -3)), parts, 2);
        ox_typed(b, y, F32, shape(&t, i == 0 ? "3,16" : "2,24"));
        ox_typed(b, parts[0], F32, shape(&t, "1,16"));
        ox_typed(b, parts[1], F32, shape(&t, "1,16"));
        stays(&t, parts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(columns_that_are_moved_and_split),
                                       cmocka_unit_test(a_weight_without_elements_is_left_alone),
                                       cmocka_unit_test(an_axis_beyond_the_rank_is_left_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
