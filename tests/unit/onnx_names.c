/* Names of values and nodes: which keep theirs, which get a suffix, which are reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "graph/graph.h"
#include "onnx_hand.h"

static struct mx_node mxnet(const char *name, int n_out)
{
    return (struct mx_node){.op_name = "Thing", .name = name, .n_out = n_out};
}

/* ONNX nodes that write the MXNet node `from`. */
static struct ox_node *add(struct hand *h, const struct mx_node *from, enum ox_op op, ox_val in, int n_out, ox_val *out)
{
    struct ox_node *n = hand_node(h, &h->m.main, op, 1, &in, NULL, MX_FLOAT32, HAND_DIMS(h, 2), n_out, out);
    n->from = from;
    return n;
}

static void result(struct hand *h, ox_val v, const struct mx_node *n, int index)
{
    assert_int_equal(ox_result(&h->m, v, n, index), MX_OK);
}

static void finish(struct hand *h, struct mx_diags *diags)
{
    assert_int_equal(ox_finish(&h->m), MX_OK);
    h->m.diags = diags;
    assert_int_equal(ox_names(&h->m), MX_OK);
    assert_int_equal(ox_check(&h->m, OX_ORDERED | OX_NAMED), MX_OK);
}

#define NAME(h, v, text) assert_string_equal((h).m.values[v].name, (text))

static void helper_values_are_named_after_their_node(void **state)
{
    const struct mx_node pool = mxnet("pool0", 1), split = mxnet("split0", 2);
    const int64_t two[] = {2}, halves[] = {1, 1};
    struct mx_diags diags = {0};
    struct hand h;
    ox_val a, b, c, s[2];
    hand_begin(&h, 17);
    const ox_val x = hand_input(&h, "x", MX_FLOAT32, HAND_DIMS(&h, 2));
    struct ox_node *pad1 = add(&h, &pool, OX_Pad, x, 1, &a);
    struct ox_node *pad2 = add(&h, &pool, OX_Pad, a, 1, &b);
    struct ox_node *max = add(&h, &pool, OX_MaxPool, b, 1, &c);
    result(&h, c, &pool, 0);
    struct ox_node *cut = add(&h, &split, OX_Split, c, 2, s);
    const ox_val sizes = hand_const(&h, NULL, MX_INT64, 1, two, halves);
    cut->in = (ox_val[]){c, sizes};
    cut->n_in = 2;
    result(&h, s[0], &split, 0);
    result(&h, s[1], &split, 1);
    hand_output(&h, s[0], "split00");
    hand_output(&h, s[1], "other");
    finish(&h, &diags);
    NAME(h, a, "pool0/pad");
    NAME(h, b, "pool0/pad_1");
    NAME(h, c, "pool0");
    NAME(h, s[0], "split00");
    NAME(h, s[1], "other");
    NAME(h, sizes, "split0/sizes");
    assert_string_equal(pad1->name, "pool0/pad");
    assert_string_equal(pad2->name, "pool0/pad_1");
    assert_string_equal(max->name, "pool0");
    assert_string_equal(cut->name, "split0");
    assert_int_equal(diags.count, 0);
    mx_diags_free(&diags);
    hand_end(&h);
}

/* Inputs before outputs before parameters before nodes; each loser is reported. */
static void inputs_win_over_outputs_parameters_and_nodes(void **state)
{
    const struct mx_node same = mxnet("x", 1), y_node = mxnet("y", 1);
    static const int64_t two[] = {2};
    static const float data[] = {1, 2};
    struct mx_diags diags = {0};
    struct hand h;
    ox_val a, b, c;
    hand_begin(&h, 17);
    const ox_val x = hand_input(&h, "x", MX_FLOAT32, HAND_DIMS(&h, 2));
    const ox_val p = hand_const(&h, "y", MX_FLOAT32, 1, two, data);
    struct ox_node *n1 = add(&h, &same, OX_Neg, x, 1, &a);
    result(&h, a, &same, 0);
    struct ox_node *n2 = add(&h, &y_node, OX_Neg, p, 1, &b);
    result(&h, b, &y_node, 0);
    add(&h, NULL, OX_Add, a, 1, &c);
    h.m.main.nodes[2]->in = (ox_val[]){a, b};
    h.m.main.nodes[2]->n_in = 2;
    hand_output(&h, c, "y");
    hand_output(&h, x, "x");
    finish(&h, &diags);
    NAME(h, x, "x");
    NAME(h, c, "y");
    NAME(h, h.m.main.outputs[1], "x_1");
    NAME(h, p, "y_1");
    NAME(h, a, "x_2");
    NAME(h, b, "y_2");
    assert_string_equal(n1->name, "x"); /* nodes have their own names */
    assert_string_equal(n2->name, "y");
    assert_int_equal(diags.count, 4);
    assert_int_equal(diags.errors, 0);
    for (size_t i = 0; i < diags.count; i++) {
        assert_int_equal(diags.items[i].severity, MX2ONNX_SEVERITY_NOTE);
    }
    mx_diags_free(&diags);
    hand_end(&h);
}

/* A made-up name gives way to a real one that comes later. */
static void a_later_real_name_wins(void **state)
{
    const struct mx_node pool = mxnet("pool0", 1), odd = mxnet("pool0/pad", 1), again = mxnet("pool0/pad", 1);
    struct mx_diags diags = {0};
    struct hand h;
    ox_val a, b, c, d;
    hand_begin(&h, 17);
    const ox_val x = hand_input(&h, "x", MX_FLOAT32, HAND_DIMS(&h, 2));
    struct ox_node *pad = add(&h, &pool, OX_Pad, x, 1, &a);
    add(&h, &pool, OX_MaxPool, a, 1, &b);
    result(&h, b, &pool, 0);
    struct ox_node *n1 = add(&h, &odd, OX_Neg, b, 1, &c);
    result(&h, c, &odd, 0);
    struct ox_node *n2 = add(&h, &again, OX_Neg, c, 1, &d);
    result(&h, d, &again, 0);
    add(&h, NULL, OX_Relu, d, 1, &d);
    hand_output(&h, d, "out");
    finish(&h, &diags);
    NAME(h, c, "pool0/pad");
    assert_string_equal(n1->name, "pool0/pad");
    assert_string_equal(n2->name, "pool0/pad_1");
    NAME(h, a, "pool0/pad_2");
    assert_string_equal(pad->name, "pool0/pad_2");
    assert_int_equal(diags.count, 1);
    mx_diags_free(&diags);
    hand_end(&h);
}

static void a_passed_through_value_keeps_its_name(void **state)
{
    const struct mx_node conv = mxnet("conv0", 1), dropout = mxnet("dropout0", 1);
    struct mx_diags diags = {0};
    struct hand h;
    ox_val a, b;
    hand_begin(&h, 17);
    const ox_val x = hand_input(&h, "x", MX_FLOAT32, HAND_DIMS(&h, 2));
    struct ox_node *n = add(&h, &conv, OX_Conv, x, 1, &a);
    result(&h, a, &conv, 0);
    result(&h, a, &dropout, 0);
    add(&h, NULL, OX_Relu, a, 1, &b);
    hand_output(&h, b, "y");
    finish(&h, &diags);
    NAME(h, a, "conv0");
    assert_string_equal(n->name, "conv0");
    mx_diags_free(&diags);
    hand_end(&h);
}

/* A weight that is only used transposed keeps its name; if the weight itself is used too, it is a helper. */
static void a_weight_that_is_moved_keeps_its_name(void **state)
{
    static const float bytes[6];
    static const int64_t dims[] = {2, 3}, turned[] = {3, 2}, strides[] = {1, 3};
    const struct mx_node dot = mxnet("dot0", 1), fold = mxnet("fold0", 1);
    struct mx_source *source;
    struct mx_diags diags = {0};
    struct hand h;
    assert_int_equal(mx_source_open_memory(&source, bytes, sizeof bytes, false), MX_OK);
    hand_begin(&h, 17);
    const struct ox_piece p[] = {
        {.kind = OX_PIECE_RANGE, .source = source, .length = 24, .stored = MX_FLOAT32},
        {.kind = OX_PIECE_RANGE, .source = source, .offset = 12, .length = 12, .stored = MX_FLOAT16},
    };
    ox_val x = hand_input(&h, "x", MX_FLOAT32, HAND_DIMS(&h, 2)), v[6];
    struct ox_tensor w = {.dtype = MX_FLOAT32, .ndim = 2, .dims = dims, .pieces = &p[0], .n_pieces = 1};
    struct ox_tensor u = {.dtype = MX_FLOAT16, .ndim = 2, .dims = dims, .pieces = &p[1], .n_pieces = 1};
    for (int i = 0; i < 2; i++) {
        struct ox_tensor *base = i == 0 ? &w : &u;
        const ox_val whole = hand_tensor(&h, i == 0 ? "w" : "u", *base);
        v[3 * i] = whole;
        v[3 * i + 1] =
            hand_tensor(&h, NULL, (struct ox_tensor){.dtype = base->dtype, .ndim = 2, .dims = turned, .base = base, .strides = strides});
        struct ox_node *n = add(&h, &dot, OX_MatMul, x, 1, &x);
        n->in = mx_arena_copy(&h.m.arena, (const ox_val[]){n->in[0], v[3 * i + 1], i == 1 ? whole : OX_NONE}, 3, sizeof(ox_val));
        n->n_in = 3;
    }
    const int64_t one[] = {1};
    v[2] = hand_const(&h, NULL, MX_FLOAT32, 1, one, bytes);
    result(&h, v[2], &fold, 0);
    struct ox_node *n = add(&h, &dot, OX_Add, x, 1, &x);
    n->in = mx_arena_copy(&h.m.arena, (const ox_val[]){n->in[0], v[2]}, 2, sizeof(ox_val));
    n->n_in = 2;
    hand_output(&h, x, "fold0");
    finish(&h, &diags);
    NAME(h, v[1], "w");
    NAME(h, v[3], "u");
    NAME(h, v[4], "dot0/const");
    NAME(h, v[2], "fold0_1"); /* its name is an output's: not a parameter, so nothing is reported */
    assert_int_equal(diags.count, 0);
    mx_diags_free(&diags);
    hand_end(&h);
    mx_source_close(source);
}

/* Thousands of one name cost no search: the last gets its number at once. */
static void many_nodes_of_one_name_get_numbers_without_a_search(void **state)
{
    enum { N = 3000 };
    const struct mx_node block = mxnet("block", 1);
    struct mx_diags diags = {0};
    struct hand h;
    hand_begin(&h, 17);
    ox_val x = hand_input(&h, "x", MX_FLOAT32, HAND_DIMS(&h, 2));
    for (int i = 0; i < N; i++) {
        add(&h, &block, OX_Neg, x, 1, &x);
        result(&h, x, &block, 0);
    }
    hand_output(&h, x, "y");
    finish(&h, &diags);
    char last[32];
    snprintf(last, sizeof last, "block_%d", N - 2);
    NAME(h, h.m.main.nodes[N - 2]->out[0], last);
    assert_int_equal(diags.errors, 0);
    mx_diags_free(&diags);
    hand_end(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(helper_values_are_named_after_their_node),
        cmocka_unit_test(inputs_win_over_outputs_parameters_and_nodes),
        cmocka_unit_test(a_later_real_name_wins),
        cmocka_unit_test(a_passed_through_value_keeps_its_name),
        cmocka_unit_test(a_weight_that_is_moved_keeps_its_name),
        cmocka_unit_test(many_nodes_of_one_name_get_numbers_without_a_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
