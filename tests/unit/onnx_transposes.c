/* Chains of nodes that keep every element: which are written with fewer, and where the Transpose is then. */
#include "build_common.h"

static void joined(struct t *t, const char *want)
{
    assert_int_equal(t->b.status, MX_OK);
    assert_int_equal(ox_finish(&t->m), MX_OK);
    assert_int_equal(ox_join_transposes(&t->m), MX_OK);
    assert_int_equal(ox_order(&t->m), MX_OK);
    assert_nodes(t, want);
    end(t);
}

/* Sizes of 2, 2, 2 and 3 that are cut and joined on both axes. */
static void transposes_between_two_reshapes_become_one(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = ox_transpose(b, ox_reshape_ints(b, input(&t, "x", F32, "4,6"), INTS(2, 2, 6), 3), INTS(1, 0, 2), 3);
    x = ox_transpose(b, ox_reshape_ints(b, x, INTS(2, 2, 2, 3), 4), INTS(0, 1, 3, 2), 4);
    ox_output(b, ox_reshape_ints(b, x, INTS(4, 6), 2), "y");
    joined(&t, "0 Reshape(x, [2 2 2 3]) float32 (2, 2, 2, 3)\n"
               "1 Transpose(%0) perm=1,0,3,2 float32 (2, 2, 3, 2)\n"
               "2 Reshape(%1, [4 6]) float32 (4, 6)\n");
}

/* The axes of the data are whole, those of the result are not. */
static void a_transpose_before_a_reshape_has_the_axes_of_the_data(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = ox_reshape_ints(b, input(&t, "x", F32, "2,3,4"), INTS(2, 1, 3, 4), 4);
    ox_output(b, ox_reshape_ints(b, ox_transpose(b, x, INTS(2, 1, 0, 3), 4), INTS(6, 4), 2), "y");
    joined(&t, "0 Transpose(x) perm=1,0,2 float32 (3, 2, 4)\n"
               "1 Reshape(%0, [6 4]) float32 (6, 4)\n");
}

/* The other way about, and the last node is the Transpose. */
static void a_transpose_after_a_reshape_has_the_axes_of_the_result(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = ox_reshape_ints(b, input(&t, "x", F32, "6,4"), INTS(2, 1, 3, 4), 4);
    ox_output(b, ox_reshape_ints(b, ox_transpose(b, x, INTS(2, 1, 0, 3), 4), INTS(3, 2, 4), 3), "y");
    joined(&t, "0 Reshape(x, [2 3 4]) float32 (2, 3, 4)\n"
               "1 Transpose(%0) perm=1,0,2 float32 (3, 2, 4)\n");
}

/* One node where the sizes of the data fit the result as they are, whichever end is asked first. */
static void a_transpose_alone_remains_where_the_sizes_fit(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = ox_reshape_ints(b, input(&t, "x", F32, "2,1,3"), INTS(2, 3), 2);
    ox_output(b, ox_reshape_ints(b, ox_swap_axes(b, x, 0, 1), INTS(3, 1, 2), 3), "y");
    joined(&t, "0 Transpose(x) perm=2,1,0 float32 (3, 1, 2)\n");
}

/* A node that something else reads is written anyway: the chain after it may become one node, but the one that ends there saves none. */
static void nodes_with_other_readers_are_kept(void **state)
{
    for (int i = 0; i < 2; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        const ox_val flat = ox_reshape_ints(b, input(&t, "x", F32, "2,1,3"), INTS(2, 3), 2), turned = ox_swap_axes(b, flat, 0, 1);
        ox_output(b, ox_unary(b, OX_Exp, i == 0 ? flat : turned), "z");
        ox_output(b, ox_reshape_ints(b, turned, INTS(3, 1, 2), 3), "y");
        joined(&t, i == 0 ? "0 Reshape(x, [2 3]) float32 (2, 3)\n"
                            "1 Exp(%0) float32 (2, 3)\n"
                            "2 Transpose(x) perm=2,1,0 float32 (3, 1, 2)\n"
                          : "0 Reshape(x, [2 3]) float32 (2, 3)\n"
                            "1 Transpose(%0) perm=1,0 float32 (3, 2)\n"
                            "2 Exp(%1) float32 (3, 2)\n"
                            "3 Reshape(%1, [3 1 2]) float32 (3, 1, 2)\n");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transposes_between_two_reshapes_become_one),
        cmocka_unit_test(a_transpose_before_a_reshape_has_the_axes_of_the_data),
        cmocka_unit_test(a_transpose_after_a_reshape_has_the_axes_of_the_result),
        cmocka_unit_test(a_transpose_alone_remains_where_the_sizes_fit),
        cmocka_unit_test(nodes_with_other_readers_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
