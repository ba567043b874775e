/* The passes between lowering and writing: dead nodes, equal constants, heads; and the invariants' check. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/map.h"
#include "base/str.h"
#include "graph/graph.h"
#include "onnx/write/write.h"
#include "onnx_hand.h"

static ox_val node(struct hand *h, enum ox_op op, int n_in, const ox_val *in)
{
    ox_val out;
    hand_node(h, &h->m.main, op, n_in, in, NULL, MX_FLOAT32, HAND_DIMS(h, 2), 1, &out);
    return out;
}
#define NODE(h, op, ...) node((h), (op), (int)(sizeof((const ox_val[]){__VA_ARGS__}) / sizeof(ox_val)), (const ox_val[]){__VA_ARGS__})

/* Finishes, names, checks and compares the dump. */
static void expect(struct hand *h, const char *text)
{
    struct mx_diags diags = {0};
    h->m.diags = &diags;
    struct mx_str out = {0};
    assert_int_equal(ox_finish(&h->m), MX_OK);
    assert_int_equal(ox_names(&h->m), MX_OK);
    assert_int_equal(ox_check(&h->m, OX_ORDERED | OX_NAMED), MX_OK);
    ox_dump(&h->m, &out);
    assert_false(out.failed);
    assert_string_equal(out.text, text);
    assert_int_equal(diags.count, 0);
    mx_str_free(&out);
    mx_diags_free(&diags);
    hand_end(h);
}

static void a_node_without_readers_is_removed(void **state)
{
    static const float two[] = {1, 2};
    static const int64_t dims[] = {2};
    struct hand h;
    hand_begin(&h, 13);
    const ox_val x = hand_input(&h, "x", MX_FLOAT32, HAND_DIMS(&h, 2));
    hand_input(&h, "unread", MX_FLOAT32, HAND_DIMS(&h, 2));
    const ox_val w = hand_const(&h, "w", MX_FLOAT32, 1, dims, two);
    hand_const(&h, "unused", MX_FLOAT32, 1, dims, two);
    const ox_val only_dead = hand_const(&h, "dead", MX_FLOAT32, 1, dims, two);
    const ox_val y = NODE(&h, OX_Add, x, w);
    const ox_val d1 = NODE(&h, OX_Mul, y, only_dead);
    NODE(&h, OX_Neg, NODE(&h, OX_Neg, d1));
    hand_output(&h, NODE(&h, OX_Relu, y), "y");
    expect(&h, "opset 13\n"
               "input x : float32 (2,)\n"
               "input unread : float32 (2,)\n"
               "init w : float32 (2,) = [1, 2]\n"
               "add = Add(x, w) : float32 (2,)\n"
               "y = Relu(add) : float32 (2,)\n"
               "output y : float32 (2,)\n");
}

static void heads_of_every_kind_are_outputs(void **state)
{
    static const int64_t dims[] = {2};
    static const float two[] = {1, 2};
    struct hand h;
    hand_begin(&h, 13);
    const ox_val x = hand_input(&h, "x", MX_FLOAT32, HAND_DIMS(&h, 2));
    const ox_val w = hand_const(&h, "w", MX_FLOAT32, 1, dims, two);
    const ox_val y = NODE(&h, OX_Relu, x);
    hand_output(&h, NODE(&h, OX_Neg, y), "n");
    hand_output(&h, y, "y");
    hand_output(&h, y, "y_again");
    hand_output(&h, x, "x_out");
    hand_output(&h, w, "w_out");
    hand_output(&h, y, "y_third");
    expect(&h, "opset 13\n"
               "input x : float32 (2,)\n"
               "init w : float32 (2,) = [1, 2]\n"
               "y = Relu(x) : float32 (2,)\n"
               "n = Neg(y) : float32 (2,)\n"
               "y_again = Identity(y) : float32 (2,)\n"
               "x_out = Identity(x) : float32 (2,)\n"
               "w_out = Identity(w) : float32 (2,)\n"
               "y_third = Identity(y) : float32 (2,)\n"
               "output n : float32 (2,)\n"
               "output y : float32 (2,)\n"
               "output y_again : float32 (2,)\n"
               "output x_out : float32 (2,)\n"
               "output w_out : float32 (2,)\n"
               "output y_third : float32 (2,)\n");
}

/* A Loop whose body reads an outer value that only it needs, and holds a node that nothing reads. */
static void dead_nodes_of_a_body_are_removed(void **state)
{
    static const int64_t trips = 3;
    static const uint8_t yes = 1;
    struct hand h;
    ox_val keep, sum, dead, y;
    hand_begin(&h, 13);
    struct mx_shape s = HAND_DIMS(&h, 2);
    const ox_val x = hand_input(&h, "x", MX_FLOAT32, s);
    const ox_val n = hand_const(&h, NULL, MX_INT64, 0, NULL, &trips);
    const ox_val c = hand_const(&h, NULL, MX_BOOL, 0, NULL, &yes);
    const ox_val outer = NODE(&h, OX_Neg, x);
    struct ox_graph *g = hand_body(&h, "body");
    const ox_val i = hand_value(&h, NULL, MX_INT64, HAND_SCALAR), go = hand_value(&h, NULL, MX_BOOL, HAND_SCALAR);
    const ox_val carried = hand_value(&h, NULL, MX_FLOAT32, s);
    hand_body_input(&h, g, i);
    hand_body_input(&h, g, go);
    hand_body_input(&h, g, carried);
    hand_node(&h, g, OX_Identity, 1, &go, NULL, MX_BOOL, HAND_SCALAR, 1, &keep);
    hand_node(&h, g, OX_Abs, 1, &carried, NULL, MX_FLOAT32, s, 1, &dead);
    hand_node(&h, g, OX_Add, 2, (const ox_val[]){carried, outer}, NULL, MX_FLOAT32, s, 1, &sum);
    hand_body_output(&h, g, keep);
    hand_body_output(&h, g, sum);
    hand_node(&h, &h.m.main, OX_Loop, 3, (const ox_val[]){n, c, x}, OX_ATTRS(OX_G("body", g)), MX_FLOAT32, s, 1, &y);
    hand_output(&h, y, "y");
    expect(&h, "opset 13\n"
               "input x : float32 (2,)\n"
               "init loop/const : int64 () = 3\n"
               "init loop/const_1 : bool () = 1\n"
               "neg = Neg(x) : float32 (2,)\n"
               "y = Loop(loop/const, loop/const_1, x) {body=<body>} : float32 (2,)\n"
               "    body:\n"
               "        input in : int64 ()\n"
               "        input in_1 : bool ()\n"
               "        input in_2 : float32 (2,)\n"
               "        identity = Identity(in_1) : bool ()\n"
               "        add = Add(in_2, neg) : float32 (2,)\n"
               "        output identity : bool ()\n"
               "        output add : float32 (2,)\n"
               "output y : float32 (2,)\n");
}

static void the_dump_shows_everything(void **state)
{
    static const int64_t dims[] = {6, 1}, many[] = {17};
    static const float floats[] = {0.1f, -1e-30f, 3.4028235e38f, 16777216, 1e-45f, -0.0f};
    static const float seventeen[17];
    static const double one = 1.5;
    const struct ox_piece fill = {.kind = OX_PIECE_FILL, .bytes = (const uint8_t *)&one, .length = 136};
    const int64_t ints[] = {-1, 3};
    const double reals[] = {0.5, 3e7};
    struct hand h;
    ox_val y, z[2];
    hand_begin(&h, 20);
    const ox_val x = hand_input(&h, "x", MX_FLOAT16, HAND_TEXTS(&h, "n", "?", "3"));
    const ox_val f = hand_const(&h, "f", MX_FLOAT32, 2, dims, floats);
    const ox_val m = hand_const(&h, "m", MX_FLOAT32, 1, many, seventeen);
    const ox_val o = hand_tensor(&h, "o", (struct ox_tensor){.dtype = MX_FLOAT64, .ndim = 1, .dims = many, .pieces = &fill, .n_pieces = 1});
    hand_node(&h, &h.m.main, OX_FOREIGN, 5, (const ox_val[]){x, OX_NONE, f, m, o},
              OX_ATTRS(OX_I("i", -4), OX_F("f", 0.1), OX_S("s", "a \"b\"\\"), OX_IS("is", ints, 2), OX_FS("fs", reals, 2),
                       OX_IS("none", ints, 0), OX_T("to", MX_BFLOAT16)),
              MX_UINT8, MX_SHAPE_UNKNOWN, 1, &y)
        ->foreign = &(const struct ox_foreign){"org.example", "Thing"};
    hand_node(&h, &h.m.main, OX_Split, 1, &y, OX_ATTRS(OX_I("axis", 0)), MX_UINT8, HAND_TEXTS(&h, "n"), 2, z);
    hand_output(&h, z[1], "z");
    expect(&h, "opset 20\n"
               "input x : float16 (n, ?, 3)\n"
               "init f : float32 (6, 1) = [0.1, -1e-30, 3.4028235e+38, 16777216, 1e-45, -0]\n"
               "init m : float32 (17,)\n"
               "init o : float64 (17,) = all 1.5\n"
               "thing = org.example::Thing(x, -, f, m, o) {i=-4, f=0.1, s=\"a \\\"b\\\"\\\\\", is=[-1, 3], "
               "fs=[0.5, 30000000], none=[], to=bfloat16} : uint8 ?\n"
               "split0, z = Split(thing) {axis=0} : uint8 (n,), uint8 (n,)  # split\n"
               "output z : uint8 (n,)\n");
}

static void the_json_shows_everything(void **state)
{
    static const char form[] =
        "{\"schema\":1,\"graph\":\"onnx\",\"ir_version\":9,\"opset\":20,\"domains\":{\"org.example\":1},"
        "\"inputs\":[{\"name\":\"x\",\"dtype\":\"float16\",\"shape\":[\"n\",null,3]}%s],\"outputs\":[{\"name\":\"y\",\"dtype\":\"uint8\",\"shape\":null}],"
        "\"parameters\":[{\"name\":\"w\",\"dtype\":\"float32\",\"shape\":[2]},{\"name\":\"c\",\"dtype\":\"float32\",\"shape\":[2]}],"
        "\"nodes\":[{\"name\":\"thing\",\"op\":\"Thing\",\"domain\":\"org.example\",\"inputs\":[\"x\",\"\",\"c\"],"
        "\"outputs\":[{\"name\":\"y\",\"dtype\":\"uint8\",\"shape\":null},{\"name\":\"more\",\"dtype\":\"uint8\",\"shape\":null}],"
        "\"attributes\":{\"i\":{\"type\":\"INT\",\"value\":-4},\"f\":{\"type\":\"FLOAT\",\"value\":0.1},\"s\":{\"type\":\"STRING\",\"value\":\"a \\\"b\\\"\"},"
        "\"is\":{\"type\":\"INTS\",\"value\":[-1,3]},\"fs\":{\"type\":\"FLOATS\",\"value\":[0.5,0.1]},\"ss\":{\"type\":\"STRINGS\",\"value\":[\"a\",\"b\"]},"
        "\"to\":{\"type\":\"INT\",\"value\":16},\"g\":{\"type\":\"GRAPH\",\"value\":{\"inputs\":[],"
        "\"outputs\":[{\"name\":\"inner\",\"dtype\":\"float32\",\"shape\":[2]}],\"parameters\":[],"
        "\"nodes\":[{\"name\":\"\",\"op\":\"Neg\",\"inputs\":[\"w\"],\"outputs\":[{\"name\":\"inner\",\"dtype\":\"float32\",\"shape\":[2]}],"
        "\"attributes\":{}}]}}},\"mxnet\":{\"node\":\"net0_thing\",\"op\":\"Custom\"}}]}";
    char want[2000];
    static const int64_t dims[] = {2};
    static const float two[] = {1, 2};
    const int64_t ints[] = {-1, 3};
    const double reals[] = {0.5, 0.1};
    const char *const texts[] = {"a", "b"};
    for (int as_inputs = 0; as_inputs < 2; as_inputs++) {
        struct hand h;
        struct mx_str out = {0};
        struct mx_map domains = {0};
        ox_val y[2], z;
        const struct mx_node from = {.name = "net0_thing", .op_name = "Custom"};
        hand_begin(&h, 20);
        h.m.ir_version = 9;
        const ox_val x = hand_input(&h, "x", MX_FLOAT16, HAND_TEXTS(&h, "n", "?", "3"));
        const ox_val w = hand_const(&h, "w", MX_FLOAT32, 1, dims, two), c = hand_const(&h, "c", MX_FLOAT32, 1, dims, two);
        h.m.values[w].is_param = true;
        struct ox_graph *g = hand_body(&h, "body");
        hand_node(&h, g, OX_Neg, 1, &w, NULL, MX_FLOAT32, HAND_DIMS(&h, 2), 1, &z);
        h.m.values[z].name = "inner";
        hand_body_output(&h, g, z);
        struct ox_node *n = hand_node(&h, &h.m.main, OX_FOREIGN, 3, (const ox_val[]){x, OX_NONE, c},
                                      OX_ATTRS(OX_I("i", -4), OX_F("f", 0.1), OX_S("s", "a \"b\""), OX_IS("is", ints, 2),
                                               OX_FS("fs", reals, 2), OX_SS("ss", texts, 2), OX_T("to", MX_BFLOAT16), OX_G("g", g)),
                                      MX_UINT8, MX_SHAPE_UNKNOWN, 2, y);
        n->foreign = &(const struct ox_foreign){"org.example", "Thing"};
        n->name = "thing";
        n->from = &from;
        h.m.values[y[0]].name = "y";
        h.m.values[y[1]].name = "more";
        hand_output(&h, y[0], "y");
        assert_int_equal(ox_json(&h.m, &domains, as_inputs, &out), MX_OK);
        snprintf(want, sizeof want, form, as_inputs ? ",{\"name\":\"w\",\"dtype\":\"float32\",\"shape\":[2]}" : "");
        assert_string_equal(out.text, want);
        mx_str_free(&out);
        mx_map_free(&domains);
        hand_end(&h);
    }
}

/* ---- the check finds what is broken */

static void expect_broken(struct hand *h, const char *part)
{
    struct mx_diags diags = {0};
    h->m.diags = &diags;
    assert_int_equal(ox_names(&h->m), MX_OK);
    assert_int_equal(ox_check(&h->m, OX_ORDERED | OX_NAMED), MX_INTERNAL);
    assert_int_equal(diags.count, 1);
    if (!strstr(diags.items[0].message, part)) {
        fail_msg("'%s' is not in '%s'", part, diags.items[0].message);
    }
    mx_diags_free(&diags);
    hand_end(h);
}

static ox_val begin(struct hand *h)
{
    hand_begin(h, 17);
    return hand_input(h, "x", MX_FLOAT32, HAND_DIMS(h, 2));
}

static void a_value_read_too_early_is_found(void **state)
{
    struct hand h;
    const ox_val x = begin(&h);
    const ox_val y = NODE(&h, OX_Neg, x), z = NODE(&h, OX_Abs, y);
    struct ox_node *first = h.m.main.nodes[0];
    h.m.main.nodes[0] = h.m.main.nodes[1];
    h.m.main.nodes[1] = first;
    hand_output(&h, z, "z");
    expect_broken(&h, "read before it is made: 'neg'");
}

static void an_invalid_value_is_found(void **state)
{
    static const int64_t dims[] = {2}, out_of_range[] = {40};
    static const float two[] = {1, 2};
    struct hand h;
    ox_val x = begin(&h);
    hand_output(&h, NODE(&h, OX_Neg, x), "y");
    h.m.values[h.m.main.outputs[0]].dtype = MX_DTYPE_NONE;
    expect_broken(&h, "no element type or shape: 'y'");

    x = begin(&h);
    NODE(&h, OX_Neg, x);
    h.m.main.nodes[0]->out = h.m.main.nodes[0]->in;
    expect_broken(&h, "defined twice: 'x'");

    x = begin(&h);
    const ox_val w = hand_const(&h, "w", MX_FLOAT32, 1, dims, two);
    hand_output(&h, NODE(&h, OX_Add, x, w), "y");
    struct ox_tensor longer = *h.m.values[w].tensor;
    longer.dims = out_of_range;
    h.m.values[w].tensor = &longer;
    expect_broken(&h, "another size than its shape: 'w'");

    x = begin(&h);
    static const int64_t one[] = {1};
    const struct ox_piece nothing = {.kind = OX_PIECE_BYTES, .length = 1};
    const struct ox_tensor flag = {.dtype = MX_BOOL, .ndim = 1, .dims = one, .pieces = &nothing, .n_pieces = 1};
    hand_output(&h, NODE(&h, OX_And, x, hand_tensor(&h, "flag", flag)), "y");
    expect_broken(&h, "an initialiser without data: 'flag'");

    x = begin(&h);
    const ox_val v = hand_const(&h, "v", MX_FLOAT32, 1, dims, two);
    const int64_t strides[] = {2};
    const struct ox_tensor view = {.dtype = MX_FLOAT32, .ndim = 1, .dims = dims, .base = h.m.values[v].tensor, .strides = strides};
    hand_output(&h, NODE(&h, OX_Add, x, hand_tensor(&h, "view", view)), "y");
    expect_broken(&h, "a view beyond its tensor: 'view'");
}

/* Each message comes from one thing that is wrong in a graph of two nodes. */
static void a_broken_node_is_found(void **state)
{
    static const char *const messages[] = {
        "a node that is dead or without a name: 'Neg'",
        "a node that is dead or without a name: 'Neg'",
        "a node that is dead or without a name: 'Neg'",
        "a node without outputs: 'Neg'",
        "made by another node: 'neg'",
        "made by another node: 'neg'",
        "no such value: '%99'",
        "no such value: '%-1'",
        "a value without a name: '%2'",
        "a value without a name: ''",
        "a value without a name: 'Neg'",
        "no element type or shape: 'neg'",
        "made, but dead: 'neg'",
    };
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        const struct mx_node from = {.name = "mine", .op_name = "negative"};
        struct mx_diags diags = {0};
        struct hand h;
        const ox_val x = begin(&h), y = NODE(&h, OX_Neg, x);
        hand_output(&h, NODE(&h, OX_Abs, y), "z");
        h.m.diags = &diags;
        assert_int_equal(ox_finish(&h.m), MX_OK);
        assert_int_equal(ox_names(&h.m), MX_OK);
        assert_int_equal(ox_check(&h.m, OX_COUNTED | OX_ORDERED | OX_NAMED), MX_OK);
        struct ox_graph other = h.m.main;
        struct ox_node *n = h.m.main.nodes[0];
        struct ox_value *v = &h.m.values[y];
        ox_val end = i == 6 ? 99 : i == 7 ? -1 : OX_NONE;
        n->from = i == 0 ? &from : NULL;
        n->dead = i == 0;
        n->name = i == 1 ? NULL : i == 2 ? "" : n->name;
        n->n_out = i == 3 ? 0 : n->n_out;
        v->producer = i == 4 ? h.m.main.nodes[1] : n;
        n->graph = i == 5 ? &other : n->graph;
        n->in = i == 6 || i == 7 ? &end : n->in;
        v->name = i == 8 ? NULL : i == 9 ? "" : v->name;
        n->out = i == 10 ? &end : n->out;
        v->shape.dims = i == 11 ? NULL : v->shape.dims;
        v->dead = i == 12;
        assert_int_equal(ox_check(&h.m, OX_COUNTED | OX_ORDERED | OX_NAMED), MX_INTERNAL);
        if (!strstr(diags.items[0].message, messages[i])) {
            fail_msg("'%s' is not in '%s'", messages[i], diags.items[0].message);
        }
        assert_string_equal(diags.items[0].node, i == 0 ? "mine" : "");
        mx_diags_free(&diags);
        hand_end(&h);
    }
}

static int count_graph(struct ox_model *m, struct ox_graph *g, void *user)
{
    (*(int *)user)++;
    return MX_OK;
}

static void a_body_within_bodies_is_visited(void **state)
{
    for (int depth = OX_MAX_DEPTH - 1; depth <= OX_MAX_DEPTH + 1; depth++) {
        struct mx_diags diags = {0};
        struct hand h;
        int count = 0;
        const ox_val x = begin(&h);
        struct ox_graph *inside = hand_body(&h, "inside");
        ox_val y;
        hand_node(&h, inside, OX_Neg, 1, &x, NULL, MX_FLOAT32, HAND_DIMS(&h, 2), 1, &y);
        for (int i = 0; i < depth; i++) {
            struct ox_graph *around = i < depth - 1 ? hand_body(&h, "around") : &h.m.main;
            hand_body_output(&h, inside, y);
            hand_node(&h, around, OX_If, 1, &x, OX_ATTRS(OX_G("then_branch", inside)), MX_FLOAT32, HAND_DIMS(&h, 2), 1, &y);
            inside = around;
        }
        h.m.diags = &diags;
        assert_int_equal(ox_each_graph(&h.m, count_graph, &count), MX_OK);
        assert_int_equal(count, depth + 1);
        assert_int_equal(ox_check(&h.m, 0), depth > OX_MAX_DEPTH ? MX_INTERNAL : MX_OK);
        assert_true(depth <= OX_MAX_DEPTH || strstr(diags.items[0].message, "a body that is nested too deep at 'If'"));
        mx_diags_free(&diags);
        hand_end(&h);
    }
}

/* A value of a body does not exist after the body. */
static void a_value_read_outside_its_body_is_found(void **state)
{
    struct hand h;
    ox_val inner, y;
    const ox_val x = begin(&h);
    struct ox_graph *g = hand_body(&h, "body");
    hand_node(&h, g, OX_Neg, 1, &x, NULL, MX_FLOAT32, HAND_DIMS(&h, 2), 1, &inner);
    hand_body_output(&h, g, inner);
    hand_node(&h, &h.m.main, OX_If, 1, &x, OX_ATTRS(OX_G("then_branch", g)), MX_FLOAT32, HAND_DIMS(&h, 2), 1, &y);
    hand_output(&h, NODE(&h, OX_Add, y, inner), "z");
    expect_broken(&h, "read before it is made: 'neg'");
}

/* Each by itself makes an initialiser wrong; the first does not. */
static void wrong_initialisers_are_found(void **state)
{
    static const char no_data[] = "an initialiser without data: 'v'", beyond[] = "a view beyond its tensor: 'v'",
                      other[] = "an initialiser of another type or rank than its value: 'v'",
                      size[] = "an initialiser of another size than its shape: 'v'";
    static const int64_t six[] = {6}, two_by_two[] = {2, 2}, none[] = {0};
    static const float data[6];
    static const struct {
        const char *message; /* NULL: it is right */
        enum { PIECE, VIEW } form;
        int kind; /* of a piece */
        int64_t length, start, strides[2];
        enum mx_dtype type;
        int ndim;
    } rows[] = {
        {NULL, PIECE, OX_PIECE_BYTES, 16, 0, {0}, MX_FLOAT32, 2},
        {size, PIECE, OX_PIECE_BYTES, 12, 0, {0}, MX_FLOAT32, 2},
        {size, PIECE, OX_PIECE_BYTES, 20, 0, {0}, MX_FLOAT32, 2},
        {other, PIECE, OX_PIECE_BYTES, 16, 0, {0}, MX_INT32, 2},
        {other, PIECE, OX_PIECE_BYTES, 16, 0, {0}, MX_FLOAT32, 1},
        {no_data, PIECE, OX_PIECE_RANGE, 16, 0, {0}, MX_FLOAT32, 2},
        {no_data, PIECE, OX_PIECE_ROWS, 16, 0, {0}, MX_FLOAT32, 2},
        {no_data, PIECE, OX_PIECE_PRODUCT, 16, 0, {0}, MX_FLOAT32, 2},
        {no_data, PIECE, OX_PIECE_FORMULA, 16, 0, {0}, MX_FLOAT32, 2},
        {"in another place", PIECE, OX_PIECE_BYTES, 16, 1, {0}, MX_FLOAT32, 2},
        {NULL, VIEW, 0, 0, 0, {4, 1}, MX_FLOAT32, 2},
        {beyond, VIEW, 0, 0, 1, {4, 1}, MX_FLOAT32, 2},
        {beyond, VIEW, 0, 0, 0, {5, 1}, MX_FLOAT32, 2},
        {beyond, VIEW, 0, 0, 0, {4, 2}, MX_FLOAT32, 2},
        {NULL, VIEW, 0, 0, 5, {-4, -1}, MX_FLOAT32, 2},
        {beyond, VIEW, 0, 0, 4, {-4, -1}, MX_FLOAT32, 2},
        {NULL, VIEW, 0, 0, 1, {4, -1}, MX_FLOAT32, 2},
        {beyond, VIEW, 0, 0, 0, {4, -1}, MX_FLOAT32, 2},
        {NULL, VIEW, 0, 0, 5, {0, 0}, MX_FLOAT32, 2},
        {beyond, VIEW, 0, 0, 6, {0, 0}, MX_FLOAT32, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mx_diags diags = {0};
        struct hand h;
        const ox_val x = begin(&h), base = hand_const(&h, "base", MX_FLOAT32, 1, six, data);
        struct ox_piece piece = {.kind = rows[i].kind, .stored = MX_FLOAT32, .length = (uint64_t)rows[i].length};
        piece.bytes = rows[i].kind == OX_PIECE_BYTES ? (const uint8_t *)data : NULL;
        struct ox_tensor t = {.dtype = MX_FLOAT32, .ndim = 2, .dims = two_by_two};
        if (rows[i].form == VIEW) {
            t.base = h.m.values[base].tensor;
            t.start = rows[i].start;
            t.strides = rows[i].strides;
        } else {
            piece.first = (uint64_t)rows[i].start;
            t.pieces = &piece;
            t.n_pieces = 1;
        }
        const ox_val v = hand_tensor(&h, "v", t);
        h.m.values[v].dtype = rows[i].type;
        h.m.values[v].shape.ndim = rows[i].ndim;
        hand_output(&h, NODE(&h, OX_Add, x, v), "y");
        h.m.diags = &diags;
        const int status = ox_check(&h.m, 0);
        if (status != (rows[i].message ? MX_INTERNAL : MX_OK) || (rows[i].message && !strstr(diags.items[0].message, rows[i].message))) {
            fail_msg("row %zu: status %d: %s", i, status, diags.count ? diags.items[0].message : "");
        }
        mx_diags_free(&diags);
        hand_end(&h);
    }
    struct hand h;
    const int64_t strides[] = {1};
    begin(&h);
    const ox_val base = hand_const(&h, "base", MX_FLOAT32, 1, six, data);
    const struct ox_tensor empty = {
        .dtype = MX_FLOAT32, .ndim = 1, .dims = none, .base = h.m.values[base].tensor, .start = 6, .strides = strides};
    hand_tensor(&h, "empty", empty);
    const struct ox_piece nothing = {.kind = OX_PIECE_BYTES};
    hand_tensor(&h, "bare", (struct ox_tensor){.dtype = MX_FLOAT32, .ndim = 1, .dims = none, .pieces = &nothing, .n_pieces = 1});
    assert_int_equal(ox_check(&h.m, 0), MX_OK);
    hand_end(&h);
}

/* Only what is said to hold is checked. */
static void only_what_should_hold_is_checked(void **state)
{
    struct hand h;
    struct mx_diags diags = {0};
    const ox_val x = begin(&h), y = NODE(&h, OX_Neg, x);
    hand_output(&h, NODE(&h, OX_Abs, y), "z");
    h.m.diags = &diags;
    assert_int_equal(ox_finish(&h.m), MX_OK);
    struct ox_node **n = h.m.main.nodes, *first = n[0];
    h.m.values[y].uses++;
    assert_int_equal(ox_check(&h.m, OX_ORDERED), MX_OK);
    assert_int_equal(ox_check(&h.m, OX_COUNTED), MX_INTERNAL);
    h.m.values[y].uses--;
    assert_int_equal(ox_check(&h.m, OX_COUNTED), MX_OK);
    assert_int_equal(ox_check(&h.m, OX_NAMED), MX_INTERNAL);
    n[0] = n[1];
    n[1] = first;
    assert_int_equal(ox_check(&h.m, OX_COUNTED), MX_OK);
    assert_int_equal(ox_check(&h.m, OX_ORDERED), MX_INTERNAL);
    mx_diags_free(&diags);
    hand_end(&h);
}

/* The invariants are checked after each pass. */
static void a_wrong_count_is_found_after_a_pass(void **state)
{
    static const char *const messages[] = {"counted wrongly: '%2'", "read before it is made: '%2'", "made, but dead: '%3'",
                                           "a node that is dead or without a name: 'Neg'", "made by another node: '%2'"};
    for (int i = 0; i < 6; i++) {
        struct mx_diags diags = {0};
        struct hand h;
        const ox_val x = begin(&h), y = NODE(&h, OX_Neg, x);
        h.m.values[x].name = NULL;
        hand_output(&h, NODE(&h, OX_Abs, y), "z");
        assert_int_equal(ox_finish(&h.m), MX_OK);
        h.m.diags = &diags;
        struct ox_graph *g = &h.m.main;
        if (i == 1) {
            h.m.values[y].uses++;
        } else if (i == 2) {
            g->nodes[0] = g->nodes[--g->n_nodes];
        } else if (i == 3) {
            h.m.values[g->nodes[1]->out[0]].dead = true;
        } else if (i == 4) {
            g->nodes[0]->dead = true;
        } else if (i == 5) {
            h.m.values[y].producer = g->nodes[1];
        }
        assert_int_equal(ox_check(&h.m, OX_COUNTED), i == 0 ? MX_OK : MX_INTERNAL);
        if (i > 0 && !strstr(diags.items[0].message, messages[i - 1])) {
            fail_msg("%s", diags.items[0].message);
        }
        mx_diags_free(&diags);
        hand_end(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_without_readers_is_removed),   cmocka_unit_test(heads_of_every_kind_are_outputs),
        cmocka_unit_test(dead_nodes_of_a_body_are_removed),    cmocka_unit_test(the_dump_shows_everything),
        cmocka_unit_test(the_json_shows_everything),           cmocka_unit_test(a_value_read_too_early_is_found),
        cmocka_unit_test(an_invalid_value_is_found),           cmocka_unit_test(a_broken_node_is_found),
        cmocka_unit_test(a_body_within_bodies_is_visited),     cmocka_unit_test(a_value_read_outside_its_body_is_found),
        cmocka_unit_test(a_wrong_count_is_found_after_a_pass), cmocka_unit_test(wrong_initialisers_are_found),
        cmocka_unit_test(only_what_should_hold_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
