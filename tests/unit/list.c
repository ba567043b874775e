/* Lists that know their capacity: what is outside is an error of the owner. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/shape.h"
#include "op/infer.h"
#include "op/op.h"

static int64_t size_at(const struct mx_dim_list *l, int64_t i)
{
    int64_t size = -1;
    assert_true(mx_dim_known(NULL, mx_get_dim(l, i), &size));
    return size;
}

static void elements_stay_in_order(void **state)
{
    enum mx_list_error error = MX_LIST_OK;
    struct mx_dim_list l = mx_dim_list(&error);
    const mx_dim more[] = {mx_dim_of(5), mx_dim_of(6)};
    mx_push_dim(&l, mx_dim_of(4));
    mx_push_dims(&l, more, 2);
    mx_push_dims(&l, NULL, -1); /* of an unknown rank */
    mx_put_dim(&l, 1, mx_dim_of(9));
    assert_int_equal(l.n, 3);
    assert_int_equal(size_at(&l, 0), 4);
    assert_int_equal(size_at(&l, 1), 9);
    assert_int_equal(size_at(&l, 2), 6);
    assert_int_equal(mx_list_shape(&l).ndim, 3);
    assert_int_equal(error, MX_LIST_OK);
}

static void a_list_grows_to_the_element_put(void **state)
{
    enum mx_list_error error = MX_LIST_OK;
    struct mx_dim_list dims = mx_dim_list(&error);
    struct mx_int_list ints = mx_int_list(&error);
    mx_put_dim(&dims, 2, mx_dim_of(7));
    mx_put_int(&ints, 2, 7);
    assert_int_equal(dims.n, 3);
    assert_int_equal(ints.n, 3);
    assert_int_equal(size_at(&dims, 1), 1);
    assert_int_equal(mx_get_int(&ints, 1), 0);
    assert_int_equal(mx_get_int(&ints, 2), 7);
    assert_int_equal(error, MX_LIST_OK);
}

static void a_full_list_keeps_what_it_has(void **state)
{
    enum mx_list_error error = MX_LIST_OK;
    struct mx_int_list ints = mx_int_list(&error);
    struct mx_dim_list dims = mx_dim_list(&error);
    mx_fill_ints(&ints, 3, MX_LIST_ROOM);
    assert_int_equal(error, MX_LIST_OK);
    mx_push_int(&ints, 4);
    assert_int_equal(error, MX_LIST_FULL);
    assert_int_equal(ints.n, MX_LIST_ROOM);
    assert_int_equal(mx_get_int(&ints, MX_LIST_ROOM - 1), 3);
    (void)mx_get_int(&ints, -1);
    assert_int_equal(error, MX_LIST_FULL); /* the first error counts */
    error = MX_LIST_OK;
    mx_put_dim(&dims, INT64_MAX, mx_dim_of(4));
    assert_int_equal(error, MX_LIST_FULL);
    assert_int_equal(dims.n, 0);
}

static void an_index_outside_the_list_is_an_error(void **state)
{
    const int64_t outside[] = {-1, 1, MX_LIST_ROOM, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        enum mx_list_error error = MX_LIST_OK;
        struct mx_int_list ints = mx_int_list(&error);
        struct mx_dim_list dims = mx_dim_list(&error);
        mx_push_int(&ints, 8);
        mx_push_dim(&dims, mx_dim_of(8));
        assert_int_equal(mx_get_int(&ints, outside[i]), 0);
        assert_int_equal(error, MX_LIST_OUTSIDE);
        error = MX_LIST_OK;
        assert_int_equal(size_at(&dims, outside[i]), 1);
        assert_int_equal(error, MX_LIST_OUTSIDE);
    }
    enum mx_list_error error = MX_LIST_OK;
    struct mx_int_list ints = mx_int_list(&error);
    mx_put_int(&ints, -1, 8);
    assert_int_equal(error, MX_LIST_OUTSIDE);
    assert_int_equal(ints.n, 0);
}

static void axes_are_a_set(void **state)
{
    struct mx_axes s = {0};
    mx_add_axis(&s, 0);
    mx_add_axis(&s, 63);
    mx_add_axis(&s, 64);
    mx_add_axis(&s, -1);
    assert_true(mx_has_axis(s, 0));
    assert_true(mx_has_axis(s, 63));
    assert_false(mx_has_axis(s, 1));
    assert_false(mx_has_axis(s, 64));
    assert_false(mx_has_axis(s, -1));
}

/* ---- a rule that does not check */

static int too_many(struct mx_infer *c)
{
    struct mx_dim_list dims = mx_no_dims(c);
    for (int i = 0; i < 1000; i++) {
        mx_push_dim(&dims, mx_dim_of(1));
    }
    return MX_OK;
}

static int beyond_the_shape(struct mx_infer *c)
{
    const mx_dim one = mx_dim_of(2);
    return mx_dim_equal(c->dims, mx_shape_at(c, (struct mx_shape){1, &one}, INT64_MAX), mx_dim_of(1)) ? MX_LATER : MX_OK;
}

static int says_why(struct mx_infer *c)
{
    (void)too_many(c);
    return mx_infer_fail(c, "axis", MX_SUBJECT "is wrong");
}

static void a_rule_that_goes_outside_fails(void **state)
{
    const struct {
        int (*infer)(struct mx_infer *);
        int status;
        const char *message, *advice;
    } rules[] = {
        {too_many, MX_SHAPE, "the result would have rank 66 or more, and at most 32 is possible", ""},
        {beyond_the_shape, MX_INTERNAL, "internal error: an index outside of its dimensions", ""},
        {says_why, MX_SHAPE, "'axis' is wrong", ""},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct mx_diags diags = {0};
        struct mx_arena arena = {0};
        struct mx_graph g = {.diags = &diags};
        const struct mx_op op = {.name = "Op", .infer = rules[i].infer};
        const struct mx_node node = {.name = "n", .op_name = "Op", .op = &op};
        struct mx_infer c = {.node = &node, .graph = &g, .arena = &arena, .dims = mx_dims_new(&arena)};
        assert_int_equal(mx_infer_node(&c), rules[i].status);
        assert_int_equal(diags.count, 1);
        assert_int_equal(c.list_error, MX_LIST_OK);
        assert_string_equal(diags.items[0].message, rules[i].message);
        assert_string_equal(diags.items[0].advice, rules[i].advice);
        mx_dims_free(c.dims);
        mx_diags_free(&diags);
        mx_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_stay_in_order),
        cmocka_unit_test(a_list_grows_to_the_element_put),
        cmocka_unit_test(a_full_list_keeps_what_it_has),
        cmocka_unit_test(an_index_outside_the_list_is_an_error),
        cmocka_unit_test(axes_are_a_set),
        cmocka_unit_test(a_rule_that_goes_outside_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
