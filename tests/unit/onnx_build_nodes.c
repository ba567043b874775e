/* The builder's nodes: errors that stick, forms by opset, casts to where a kernel is, bodies. */
#include <math.h>

#include "build_common.h"
#include "onnx/schema/targets.h"

/* ---- errors */

static void first_error_sticks(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "2,3");
    ox_fail(b, "axis", "not so" MX_HELP "do otherwise");
    ox_fail(b, "axis", "not heard any more");
    assert_true(ox_failed(b));
    assert_int_equal(ox_unary(b, OX_Neg, x), OX_NONE);
    assert_int_equal(ox_scalar(b, F32, 1), OX_NONE);
    assert_int_equal(t.m.main.n_nodes, 0);
    assert_int_equal(t.diags.count, 1);
    assert_string_equal(t.diags.items[0].message, "not so");
    assert_string_equal(t.diags.items[0].advice, "do otherwise");
    assert_string_equal(t.diags.items[0].node, "n");
    assert_string_equal(t.diags.items[0].attribute, "axis");
    assert_int_equal(ox_end_node(b), MX_UNSUPPORTED);
    ox_begin_node(b, NULL);
    assert_false(ox_failed(b));
    assert_int_not_equal(ox_unary(b, OX_Neg, x), OX_NONE);
    end(&t);
}

/* A node has the attributes of the last one of its operator, if they are the same: nets repeat themselves. */
static void attributes_are_shared(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "2,3");
    static const int axes[] = {1, 1, 0, 1};
    for (int i = 0; i < 4; i++) {
        x = ox_softmax(b, OX_Softmax, x, axes[i]);
        x = ox_softmax(b, OX_LogSoftmax, x, 1); /* another operator between */
    }
    struct ox_node *const *n = t.m.main.nodes;
    assert_int_equal(t.m.main.n_nodes, 8);
    assert_ptr_equal(n[0]->attrs, n[2]->attrs);
    assert_ptr_equal(n[1]->attrs, n[7]->attrs);
    assert_ptr_not_equal(n[0]->attrs, n[1]->attrs);
    assert_ptr_not_equal(n[2]->attrs, n[4]->attrs);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(ox_attr_int(n[2 * i]->attrs, "axis", 7), axes[i]);
    }
    end(&t);
}

/* Lists of texts are the same if each text is. */
static void lists_of_texts_are_shared(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val x = input(&t, "x", F32, "2,3");
    const char *const lists[][2] = {{"a", "b"}, {"a", "c"}, {"a", "c"}, {"b", "c"}};
    ox_val y;
    for (int i = 0; i < 4; i++) {
        ox_foreign_n(b, "com.example", "Any", OX_IN(x), OX_ATTRS(OX_SS("words", lists[i], 2)), &y, 1);
        assert_string_equal(((const char *const *)last(&t)->attrs->v)[0], lists[i][0]);
        assert_string_equal(((const char *const *)last(&t)->attrs->v)[1], lists[i][1]);
    }
    assert_ptr_equal(t.m.main.nodes[1]->attrs, t.m.main.nodes[2]->attrs);
    end(&t);
}

/* A node of another domain may have any number of inputs and attributes. */
static void a_foreign_node_can_have_long_lists(void **state)
{
    enum { INPUTS = 20, ATTRS = 30 };
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val x = input(&t, "x", F32, "2,3");
    char names[ATTRS][4];
    struct ox_attr attrs[ATTRS + 1] = {{.kind = OX_A_END}};
    ox_val in[INPUTS + 1], y = OX_NONE;
    for (int i = 0; i < INPUTS; i++) {
        in[i] = x;
    }
    in[INPUTS] = OX_END;
    for (int i = 0; i < ATTRS; i++) {
        snprintf(names[i], sizeof names[i], "a%d", i);
        attrs[i] = (struct ox_attr)OX_I(names[i], i);
    }
    attrs[ATTRS].kind = OX_A_END;
    ox_foreign_n(b, "com.example", "Any", in, attrs, &y, 1);
    assert_int_equal(last(&t)->n_in, INPUTS);
    assert_int_equal(last(&t)->in[INPUTS - 1], x);
    assert_int_equal(ox_count_attrs(last(&t)->attrs), ATTRS);
    assert_int_equal(ox_attr_int(last(&t)->attrs, "a29", -1), 29);
    /* A name is made of the first 63 letters of its type. */
    char type[71], name[67] = "n/";
    memset(type, 'A', 70);
    memset(name + 2, 'a', 63);
    type[70] = 0;
    strcpy(name + 65, "1");
    ox_val out[2];
    ox_foreign_n(b, "com.example", type, in, OX_NO_ATTRS, out, 2);
    ox_output(b, out[0], "y");
    const struct ox_node *n = last(&t);
    assert_int_equal(ox_finish(&t.m), MX_OK);
    assert_int_equal(ox_names(&t.m), MX_OK);
    assert_string_equal(ox_value_of(&t.m, n->out[1])->name, name);
    end(&t);
}

/* Every call takes OX_NONE after an error, and looks at it without harm. */
static void calls_after_an_error_do_no_harm(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 12);
    ox_val out[3];
    ox_fail(b, NULL, "no");
    const ox_val x = ox_unary(b, OX_Neg, OX_NONE);
    const struct mx_shape s = ox_shape(b, x);
    int64_t size = 0;
    assert_true(s.ndim > 0);
    assert_true(mx_dim_known(t.m.dims, s.dims[MX_MAX_RANK - 1], &size));
    assert_true(ox_rank(b, x) > 0 && ox_size_at(b, x, -1, &size) && ox_size_at(b, x, 30, &size));
    assert_int_equal(ox_dtype(b, x), MX_DTYPE_NONE);
    assert_int_equal(ox_number(b, s.dims[0], "this"), 1);
    assert_int_equal(ox_reshape_shape(b, x, s), OX_NONE);
    assert_int_equal(ox_reshape_ints(b, x, INTS(2), 1), OX_NONE);
    assert_int_equal(ox_transpose(b, x, INTS(1, 0), 2), OX_NONE);
    assert_int_equal(ox_swap_axes(b, x, 0, 1), OX_NONE);
    assert_int_equal(ox_squeeze1(b, ox_unsqueeze1(b, x, 0), 0), OX_NONE);
    assert_int_equal(ox_expand(b, x, s.dims, s.ndim), OX_NONE);
    assert_int_equal(ox_concat(b, &x, 1, 0), OX_NONE);
    assert_int_equal(ox_slice1(b, x, 0, 0, 1), OX_NONE);
    assert_int_equal(ox_slice_dims(b, x, INTS(0), s.dims, s.dims, 1), OX_NONE);
    assert_int_equal(ox_gather(b, x, x, 0), OX_NONE);
    assert_int_equal(ox_tile(b, x, INTS(2), 1), OX_NONE);
    assert_int_equal(ox_pad(b, x, INTS(1), INTS(1), 1, "edge", 0), OX_NONE);
    assert_int_equal(ox_reduce(b, OX_ReduceSum, x, NULL, -1, true), OX_NONE);
    assert_int_equal(ox_softmax(b, OX_Softmax, x, 0), OX_NONE);
    assert_int_equal(ox_where(b, x, x, ox_matmul(b, x, x)), OX_NONE);
    assert_int_equal(ox_clip(b, x, ox_scalar_like(b, x, 1), OX_NONE), OX_NONE);
    assert_int_equal(ox_is_true(b, ox_cast(b, x, F32)), OX_NONE);
    assert_int_equal(ox_fill(b, F32, s, 1), OX_NONE);
    assert_int_equal(ox_dims(b, s.dims, s.ndim), OX_NONE);
    assert_int_equal(ox_dim(b, s.dims[0]), OX_NONE);
    ox_split(b, x, 0, INTS(1, 1, 1), 3, out);
    assert_int_equal(out[2], OX_NONE);
    struct ox_graph *g = ox_graph_begin(b, "body");
    assert_non_null(g);
    assert_int_equal(ox_graph_input(b, F32, s), OX_NONE);
    ox_graph_end(b, &x, 1);
    assert_ptr_equal(b->graph, &t.m.main);
    ox_typed(b, x, F32, s);
    ox_warn(b, NULL, "silent");
    assert_int_equal(t.diags.count, 1);
    end(&t);
}

static void wrong_calls_are_internal_errors(void **state)
{
    struct t t;
    for (int i = 0; i < 8; i++) {
        struct ox_build *b = begin(&t, 17);
        ox_val x = input(&t, "x", F32, "2,3");
        ox_val y = input(&t, "y", MX_INT64, "2,3");
        switch (i) {
        case 0:
            ox_add(b, x, y);
            assert_string_equal(message(&t), "internal error: Add of float32 and int64");
            break;
        case 1:
            ox_unary(b, OX_FOREIGN, x);
            assert_non_null(strstr(message(&t), "operator of another domain"));
            break;
        case 2: ox_transpose(b, x, INTS(0, 0), 2); break;
        case 3: ox_squeeze1(b, x, 1); break;
        case 4: ox_softmax(b, OX_Softmax, x, 2); break;
        case 5: ox_unary(b, OX_Neg, OX_NONE); break;
        case 6: {
            struct ox_graph *one = ox_graph_begin(b, "one");
            ox_graph_end(b, &x, 1);
            ox_val out[2];
            ox_node_n(b, OX_If, OX_IN(ox_scalar(b, MX_BOOL, 1)), OX_ATTRS(OX_G("then_branch", one), OX_G("else_branch", one)), out, 2);
            assert_string_equal(message(&t), "internal error: an If without output 1 in both branches");
            break;
        }
        default: ox_slice(b, x, INTS(0), INTS(1), INTS(0), INTS(0), 1);
        }
        assert_int_equal(ox_end_node(b), MX_INTERNAL);
        end(&t);
    }
}

static void a_name_in_place_of_a_number_is_refused(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "data", F32, "batch,3,h");
    mx_dim d = mx_dim_floor_div(t.m.dims, mx_dim_addn(t.m.dims, ox_dim_at(b, x, -1), 1), 2);
    assert_int_equal(ox_number(b, ox_dim_at(b, x, 1), "the channels"), 3);
    assert_false(ox_failed(b));
    ox_number(b, d, "the height");
    assert_string_equal(message(&t), "the height must be a number, but it is floor((h + 1)/2)");
    assert_string_equal(t.diags.items[0].advice, "fix the size of axis 2 of input 'data'");
    end(&t);
    b = begin(&t, 17); /* a size that another value than an input shows */
    x = ox_node(b, OX_NonZero, OX_IN(input(&t, "data", F32, "3")), OX_NO_ATTRS);
    ox_typed(b, x, MX_INT64, shape(&t, "1,found"));
    ox_value_of(&t.m, x)->name = "made";
    ox_number(b, named(&t, "found"), "the height");
    assert_string_equal(t.diags.items[0].advice, "fix the sizes of the inputs");
    end(&t);
}

static void a_size_is_refused_where_nothing_has_it(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    input(&t, "x", F32, "n");
    assert_int_equal(ox_dim(b, named(&t, "m")), OX_NONE);
    assert_non_null(strstr(message(&t), "the size m is needed"));
    assert_int_equal(ox_end_node(b), MX_UNSUPPORTED);
    end(&t);
}

/* ---- opsets */

static void too_new_operators_name_both_opsets(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 13);
    ox_val x = input(&t, "x", F32, "2,3");
    assert_false(ox_has(b, OX_Trilu));
    assert_true(ox_has(b, OX_Softmax));
    assert_int_equal(ox_op_named("NoSuch"), OX_FOREIGN);
    assert_int_equal(ox_op_named("Trilu"), OX_Trilu);
    assert_false(ox_has(b, OX_FOREIGN));
    ox_unary(b, OX_Trilu, x);
    assert_non_null(strstr(message(&t), "opset 14"));
    assert_non_null(strstr(message(&t), "opset 13"));
    end(&t);
    b = begin(&t, 22);
    assert_false(ox_has(b, OX_RoiAlign)); /* no kernel any more */
    assert_true(ox_has(b, OX_Trilu));
    end(&t);
    b = begin(&t, 20);
    assert_false(ox_has(b, OX_GroupNormalization)); /* of another meaning */
    end(&t);
}

/* Axes are an attribute before, an input from then on. */
/* Of several nodes that are refused the one that needs most counts. */
static void the_newest_opset_needed_is_kept(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const struct mx_node others[2] = {{.name = "less", .op_name = "Op"}, {.name = "most", .op_name = "Op"}};
    t.m.newest = 21;
    ox_fail_opset(b, 19, "it");
    ox_begin_node(b, &others[1]);
    ox_fail_opset(b, 20, "it");
    ox_begin_node(b, &others[0]);
    ox_fail_opset(b, 18, "it");
    assert_int_equal(t.m.needs, 20);
    assert_ptr_equal(t.m.needs_for, &others[1]);
    end(&t);
}

static void axes_move_from_attribute_to_input(void **state)
{
    static const struct {
        enum ox_op op;
        const char *name;
        int since;
    } rows[] = {{OX_ReduceSum, "axes", 13}, {OX_ReduceMax, "axes", 18}, {OX_ReduceL2, "axes", 18},
                {OX_Squeeze, "axes", 13},   {OX_Unsqueeze, "axes", 13}, {OX_Split, "split", 13}};
    struct t t;
    for (int opset = MX2ONNX_OPSET_MIN; opset <= MX2ONNX_OPSET_MAX; opset++) {
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            struct ox_build *b = begin(&t, opset);
            ox_val x = input(&t, "x", F32, i < 3 ? "2,6" : "1,6");
            int n = 0;
            ox_val y = ox_node(b, rows[i].op, OX_IN(x, ox_int(b, i == 5 ? 6 : 0)), i == 5 ? OX_ATTRS(OX_I("axis", 1)) : OX_NO_ATTRS);
            assert_int_not_equal(y, OX_NONE);
            const struct ox_node *node = legal(&t, y);
            const int64_t *v = ox_attr_ints(node->attrs, rows[i].name, &n);
            assert_int_equal(node->n_in, opset >= rows[i].since ? 2 : 1);
            assert_true(opset >= rows[i].since ? !v : v && n == 1 && v[0] == (i == 5 ? 6 : 0));
            end(&t);
        }
    }
}

/* A handler may give any number. */
static void batches_of_opset_11_are_fewer_than_dims(void **state)
{
    static const int64_t batches[] = {1, 2, 3, INT64_MAX, INT64_MIN, INT64_C(1) << 32};
    struct t t;
    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
        struct ox_build *b = begin(&t, 11);
        ox_val x = input(&t, "x", F32, "2,6,4"), at = input(&t, "at", MX_INT64, "2,6,1");
        ox_val y = ox_node(b, OX_GatherND, OX_IN(x, at), OX_ATTRS(OX_I("batch_dims", batches[i])));
        assert_int_equal(y != OX_NONE, i < 2);
        assert_true(ox_failed(b) == (i >= 2));
        if (i < 2) {
            assert_false(ox_find_attr(legal(&t, y)->attrs, "batch_dims"));
        }
        end(&t);
    }
}

static void newer_attributes_are_dropped_or_refused(void **state)
{
    const struct {
        enum ox_op op;
        struct ox_attr same, other;
        int since;
    } rows[] = {
        {OX_AveragePool, OX_IS("dilations", INTS(1, 1), 2), OX_IS("dilations", INTS(2, 1), 2), 19},
        {OX_SpaceToDepth, OX_S("mode", "DCR"), OX_S("mode", "CRD"), 28},
        {OX_RoiAlign, OX_S("coordinate_transformation_mode", "output_half_pixel"), OX_S("coordinate_transformation_mode", "half_pixel"),
         16},
    };
    struct t t;
    for (int opset = MX2ONNX_OPSET_MIN; opset <= MX2ONNX_OPSET_MAX; opset++) {
        for (size_t i = 0; i < 2 * (sizeof rows / sizeof rows[0]); i++) {
            const bool other = i % 2 != 0;
            const struct ox_attr attr = other ? rows[i / 2].other : rows[i / 2].same;
            struct ox_build *b = begin(&t, opset);
            ox_val x = input(&t, "x", F32, "1,4,4,4");
            ox_val y = input(&t, "y", F32, "5,4");
            ox_val z = input(&t, "z", MX_INT64, "5");
            const ox_val made =
                ox_emit(b, rows[i / 2].op, i / 2 == 2 ? OX_IN(x, y, z) : OX_IN(x), OX_ATTRS(attr, OX_IS("kernel_shape", INTS(2, 2), 2)));
            assert_true(ox_failed(b) == (other && opset < rows[i / 2].since));
            if (!ox_failed(b)) {
                assert_true((ox_find_attr(legal(&t, made)->attrs, attr.name) != NULL) == (opset >= rows[i / 2].since));
            }
            end(&t);
        }
    }
}

/* Before 14 a 0 copies the size of the input: what has one is made by another node. */
static void reshapes_to_nothing_are_written_at_each_opset(void **state)
{
    struct t t;
    for (int opset = MX2ONNX_OPSET_MIN; opset <= MX2ONNX_OPSET_MAX; opset++) {
        for (int zero = 0; zero < 2; zero++) {
            struct ox_build *b = begin(&t, opset);
            const ox_val y = ox_emit(b, OX_Reshape, OX_IN(input(&t, "x", F32, "n,4"), input(&t, "sizes", MX_INT64, "2")),
                                     OX_ATTRS(OX_I("allowzero", zero)));
            ox_typed(b, y, F32, shape(&t, "m,k"));
            const struct ox_node *n = legal(&t, y);
            assert_int_equal(n->op, zero && opset < 14 ? OX_If : OX_Reshape);
            assert_int_equal(n->n_in, n->op == OX_If ? 1 : 2);
            assert_true(n->op == OX_If || opset < 14 || ox_attr_int(n->attrs, "allowzero", 0) == zero);
            assert_true(opset >= 14 || !ox_find_attr(n->attrs, "allowzero"));
            end(&t);
        }
    }
}

/* At 17 the axis is kept, which is there since 13; the two attributes of 21 go, as they say what holds without them. */
static void each_change_has_its_opset(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "2,3"), scale = input(&t, "scale", F32, "3");
    ox_val y = ox_node(b, OX_QuantizeLinear, OX_IN(x, scale, ox_filled(b, MX_INT8, INTS(3), 1, 0)),
                       OX_ATTRS(OX_I("axis", 1), OX_I("block_size", 0), OX_I("saturate", 1)));
    const struct ox_node *n = legal(&t, y);
    assert_int_equal(ox_count_attrs(n->attrs), 1);
    assert_int_equal(ox_attr_int(n->attrs, "axis", 7), 1);
    end(&t);
}

/* Before 18 a Pad has numbers for every axis, for which the axes, the rank and the numbers of some must be known. */
static void pads_of_some_axes_are_written(void **state)
{
    for (int i = 0; i < 4; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        const ox_val x = i == 1 ? ox_input(b, "x", F32, MX_SHAPE_UNKNOWN) : input(&t, "x", F32, "2,3");
        const ox_val pads = i == 2 ? input(&t, "pads", MX_INT64, "2") : OX_INTS(b, 4, 5),
                     axes = i == 3 ? input(&t, "axes", MX_INT64, "1") : OX_INTS(b, -1);
        const ox_val y = ox_node(b, OX_Pad, OX_IN(x, pads, OX_NONE, axes), OX_NO_ATTRS);
        if (i > 0) {
            assert_int_equal(b->status, MX_UNSUPPORTED);
            assert_string_equal(message(&t), "Pad of computed axes needs opset 18, but opset 17 is written");
        } else {
            ox_output(b, y, "y");
            assert_nodes(&t, "0 Pad(x, [0 4 0 5]) float32 (2, 12)\n");
        }
        end(&t);
    }
}

/* Before 12 the runtime has no Max of integers: of four, each in turn is compared with the largest so far. */
static void a_maximum_of_many_integers_is_written_in_pairs(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 11);
    ox_val in[5] = {0};
    for (int i = 0; i < 4; i++) {
        in[i] = input(&t, (const char *[]){"a", "b", "c", "d"}[i], MX_INT32, "2");
    }
    in[4] = OX_END;
    ox_output(b, ox_node(b, OX_Max, in, OX_NO_ATTRS), "y");
    assert_nodes(&t, "0 Where(%5, %4, d) int32 (2,)\n" /* in the old place: ox_order comes later */
                     "1 Greater(a, b) bool (2,)\n"
                     "2 Where(%1, a, b) int32 (2,)\n"
                     "3 Greater(%2, c) bool (2,)\n"
                     "4 Where(%3, %2, c) int32 (2,)\n"
                     "5 Greater(%4, d) bool (2,)\n");
    end(&t);
}

static void grid_sample_has_other_words(void **state)
{
    struct t t;
    for (int opset = 16; opset <= MX2ONNX_OPSET_MAX; opset++) {
        struct ox_build *b = begin(&t, opset);
        ox_val x = input(&t, "x", F32, "1,1,4,4");
        ox_val g = input(&t, "g", F32, "1,2,2,2");
        ox_val y = ox_node(b, OX_GridSample, OX_IN(x, g), OX_ATTRS(OX_S("mode", "linear")));
        assert_string_equal(ox_attr_string(legal(&t, y)->attrs, "mode", ""), opset < 20 ? "bilinear" : "linear");
        end(&t);
    }
}

static void softmax_of_a_middle_axis_is_transposed_before_opset_13(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 12);
    ox_val x = input(&t, "x", F32, "2,3,batch");
    ox_output(b, ox_softmax(b, OX_Softmax, x, 1), "y");
    ox_output(b, ox_softmax(b, OX_Softmax, x, 2), "z");
    assert_nodes(&t, "0 Transpose(x) perm=0,2,1 float32 (2, batch, 3)\n"
                     "1 Softmax(%0) axis=2 float32 (2, batch, 3)\n"
                     "2 Transpose(%1) perm=0,2,1 float32 (2, 3, batch)\n"
                     "3 Softmax(x) axis=2 float32 (2, 3, batch)\n");
    end(&t);
    b = begin(&t, 13);
    ox_softmax(b, OX_Softmax, input(&t, "x", F32, "2,3,4"), 1);
    assert_int_equal(t.m.main.n_nodes, 1);
    end(&t);
}

static void an_opset_determines_the_ir_version(void **state)
{
    static const int versions[][2] = {{12, 7}, {14, 7}, {15, 8}, {18, 8}, {19, 9}, {20, 9}, {21, 10}, {28, 10}};
    (void)state;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        assert_int_equal(ox_opset_ir_version(versions[i][0]), versions[i][1]);
    }
}

/* ---- types */

static void types_without_a_kernel_are_cast(void **state)
{
    static const struct {
        enum ox_op op;
        enum mx_dtype t;
        int opset;
        enum mx_dtype run;
    } rows[] = {
        {OX_Conv, MX_FLOAT64, 17, MX_FLOAT32},
        {OX_Conv, MX_FLOAT16, 17, MX_FLOAT16},
        {OX_Conv, MX_INT8, 17, MX_FLOAT32},
        {OX_Add, MX_INT8, 12, MX_INT32},
        {OX_Add, MX_INT8, 17, MX_INT32},
        {OX_Add, MX_INT8, 20, MX_INT8},
        {OX_Add, MX_BOOL, 17, MX_INT32},
        {OX_Where, MX_BOOL, 17, MX_UINT8},
        {OX_Where, MX_INT16, 28, MX_INT32},
        {OX_Exp, MX_INT32, 17, MX_FLOAT64},
        {OX_Relu, MX_INT64, 17, MX_FLOAT64}, /* int32 would lose the upper half */
        {OX_Exp, MX_FLOAT64, 17, MX_FLOAT64},
        {OX_Erf, MX_FLOAT64, 17, MX_FLOAT32},
        {OX_CumSum, MX_FLOAT16, 13, MX_FLOAT32},
        {OX_CumSum, MX_FLOAT16, 14, MX_FLOAT16},
        {OX_Transpose, MX_BOOL, 17, MX_BOOL},
        {OX_Resize, MX_INT64, 17, MX_FLOAT32},
        {OX_DepthToSpace, MX_INT32, 17, MX_FLOAT64},
        {OX_ReduceSum, MX_UINT8, 17, MX_INT32},
        {OX_OneHot, MX_INT32, 17, MX_INT64},
        {OX_Neg, MX_BFLOAT16, 17, MX_FLOAT32},
        {OX_RoiAlign, MX_FLOAT32, 21, MX_FLOAT32},
        {OX_RoiAlign, MX_FLOAT32, 22, MX_DTYPE_NONE},
        {OX_ScatterND, MX_FLOAT16, 17, MX_FLOAT16},
        {OX_Cast, MX_BFLOAT16, 12, MX_BFLOAT16},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(ox_kernel_dtype(rows[i].op, NULL, rows[i].t, rows[i].opset), rows[i].run);
    }
    const struct ox_attr adds[] = {OX_S("reduction", "add"), {0}};
    assert_int_equal(ox_kernel_dtype(OX_ScatterND, adds, MX_FLOAT16, 17), MX_FLOAT32);
}

static void a_node_is_computed_between_casts(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", MX_FLOAT64, "2,3");
    ox_val c = input(&t, "c", MX_BOOL, "3");
    ox_output(b, ox_unary(b, OX_Erf, x), "y");
    ox_output(b, ox_where(b, c, c, ox_is_true(b, ox_scalar(b, MX_INT32, 4))), "z");
    assert_int_equal(ox_finish(&t.m), MX_OK);
    assert_int_equal(ox_legalise(&t.m), MX_OK);
    assert_int_equal(ox_order(&t.m), MX_OK);
    assert_nodes(&t, "0 Cast(x) to=0 float32 (2, 3)\n"
                     "1 Erf(%0) float32 (2, 3)\n"
                     "2 Cast(%1) to=1 float64 (2, 3)\n"
                     "3 Cast(c) to=3 uint8 (3,)\n"
                     "4 Where(c, %3, 1) uint8 (3,)\n"
                     "5 Cast(%4) to=7 bool (3,)\n");
    end(&t);
}

/* Two operators in a row without a kernel share one pair of casts. */
static void casts_between_cast_nodes_go(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", MX_FLOAT64, "2,3");
    ox_output(b, ox_unary(b, OX_Erf, ox_unary(b, OX_Tan, x)), "y");
    assert_int_equal(ox_end_node(b), MX_OK);
    assert_int_equal(ox_finish(&t.m), MX_OK);
    assert_int_equal(ox_legalise(&t.m), MX_OK);
    int casts = 0;
    for (int i = 0; i < t.m.main.n_nodes; i++) {
        casts += !t.m.main.nodes[i]->dead && t.m.main.nodes[i]->op == OX_Cast;
    }
    assert_int_equal(casts, 2);
    end(&t);
}

static void operands_of_a_fixed_type_are_cast(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "5,3");
    ox_val i = input(&t, "i", F32, "2");
    ox_val y = ox_gather(b, x, i, 0);
    assert_int_equal(ox_dtype(b, last(&t)->in[1]), MX_INT64);
    assert_int_equal(ox_dtype(b, y), F32);
    ox_gather(b, x, ox_cast(b, i, MX_INT32), 0);
    assert_int_equal(ox_dtype(b, last(&t)->in[1]), MX_INT32);
    ox_node(b, OX_And, OX_IN(x, x), OX_NO_ATTRS);
    assert_int_equal(ox_dtype(b, last(&t)->in[0]), MX_BOOL);
    end(&t);
}

/* float16 data with float32 statistics: legal from 15 on, in float before. */
static void batch_norm_of_halves_is_computed_in_float_before_opset_15(void **state)
{
    struct t t;
    for (int opset = MX2ONNX_OPSET_MIN; opset <= MX2ONNX_OPSET_MAX; opset++) {
        struct ox_build *b = begin(&t, opset);
        ox_val x = input(&t, "x", MX_FLOAT16, "2,3");
        ox_val s = input(&t, "s", F32, "3");
        ox_val y = ox_node(b, OX_BatchNormalization, OX_IN(x, s, s, s, s), OX_NO_ATTRS);
        assert_int_equal(ox_dtype(b, y), MX_FLOAT16);
        const struct ox_node *node = legal(&t, y);
        assert_int_equal(node->op, opset < 15 ? OX_Cast : OX_BatchNormalization);
        assert_int_equal(ox_dtype(b, node->in[0]), opset < 15 ? F32 : MX_FLOAT16);
        assert_int_equal(t.m.main.n_nodes, opset < 15 ? 3 : 1);
        end(&t);
    }
}

/* Data and statistics meet in the wider type. */
static void batch_norm_of_doubles(void **state)
{
    for (int i = 0; i < 2; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        const ox_val x = input(&t, "x", i == 0 ? MX_FLOAT64 : F32, "2,3"), s = input(&t, "s", i == 0 ? F32 : MX_FLOAT64, "3");
        legal(&t, ox_node(b, OX_BatchNormalization, OX_IN(x, s, s, s, s), OX_NO_ATTRS));
        for (int k = 0; k < t.m.main.n_nodes; k++) {
            const struct ox_node *n = t.m.main.nodes[k];
            for (int in = 0; in < n->n_in && n->op == OX_BatchNormalization; in++) {
                assert_int_equal(ox_dtype(b, n->in[in]), MX_FLOAT64);
            }
        }
        assert_int_equal(count_of(&t, OX_BatchNormalization), 1);
        end(&t);
    }
}

static void a_missing_kernel_is_noted_once(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 22);
    ox_val x = input(&t, "x", F32, "1,4,4,4");
    ox_val r = input(&t, "r", F32, "5,4");
    ox_val k = input(&t, "k", MX_INT64, "5");
    for (int i = 0; i < 3; i++) {
        ox_val y = ox_node(b, OX_RoiAlign, OX_IN(x, r, k),
                           OX_ATTRS(OX_S("coordinate_transformation_mode", "half_pixel"), OX_I("sampling_ratio", i)));
        assert_shape(&t, y, "(5, 4, 1, 1)");
        ox_output(b, y, "y");
    }
    assert_int_equal(ox_finish(&t.m), MX_OK);
    assert_int_equal(ox_legalise(&t.m), MX_OK);
    assert_int_equal(t.diags.count, 1);
    assert_int_equal(t.diags.items[0].severity, MX2ONNX_SEVERITY_NOTE);
    assert_non_null(strstr(message(&t), "RoiAlign at opset 22"));
    end(&t);
}

static void there_is_one_cast_per_value_and_type(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "3");
    assert_int_equal(ox_cast(b, x, MX_INT64), ox_cast(b, x, MX_INT64));
    assert_int_equal(ox_cast(b, x, F32), x);
    assert_int_equal(ox_cast(b, ox_cast(b, x, MX_FLOAT64), F32), x);
    ox_val half = ox_cast(b, x, MX_FLOAT16);
    assert_int_not_equal(ox_cast(b, half, F32), x); /* rounds */
    ox_val i = input(&t, "i", MX_INT32, "3");
    ox_val f = ox_cast(b, i, MX_FLOAT64);
    assert_int_equal(ox_cast(b, f, MX_INT32), i);
    assert_int_equal(last(&t)->in[0], i);
    ox_cast(b, f, MX_INT8); /* out of range, float to int is not int to int */
    assert_int_equal(last(&t)->in[0], f);
    end(&t);
}

/* ---- bodies */

static void a_body_is_written_into_its_loop(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val out[2];
    ox_val x = input(&t, "x", F32, "t,4");
    struct ox_graph *g = ox_graph_begin(b, "body");
    ox_val i = ox_graph_input(b, MX_INT64, (struct mx_shape){0, NULL});
    ox_val go = ox_graph_input(b, MX_BOOL, (struct mx_shape){0, NULL});
    ox_val sum = ox_graph_input(b, F32, shape(&t, "4"));
    ox_val row = ox_gather(b, x, i, 0);
    ox_val next = ox_add(b, sum, row);
    ox_graph_end(b, (const ox_val[]){go, next, next}, 3);
    assert_int_equal(g->n_outputs, 3);
    assert_int_equal(g->n_nodes, 4); /* Gather, Add, and Identity of what the body may not hand out as it is */
    ox_val trip = ox_reshape(b, ox_dim(b, named(&t, "t")), NULL, 0);
    ox_node_n(b, OX_Loop, OX_IN(trip, OX_NONE, ox_fill(b, F32, shape(&t, "4"), 0)), OX_ATTRS(OX_G("body", g)), out, 2);
    assert_shape(&t, out[0], "(4,)");
    assert_int_equal(ox_rank(b, out[1]), 2);
    assert_int_equal(ox_dtype(b, out[1]), F32);
    assert_true(mx_dim_is_unknown(t.m.dims, ox_dim_at(b, out[1], 0)));
    end(&t);
}

static void a_node_is_written_once(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val one[2], two[2];
    ox_val x = input(&t, "x", F32, "4,6");
    ox_val y = input(&t, "y", F32, "4,6");
    assert_int_equal(ox_add(b, x, y), ox_add(b, x, y));
    assert_int_not_equal(ox_add(b, x, y), ox_add(b, y, x));
    assert_int_not_equal(ox_add(b, x, y), ox_binary(b, OX_Sub, x, y));
    assert_int_equal(ox_transpose(b, x, INTS(1, 0), 2), ox_transpose(b, x, INTS(1, 0), 2));
    assert_int_not_equal(ox_softmax(b, OX_Softmax, x, 1), ox_softmax(b, OX_Softmax, y, 1));
    ox_val a = ox_node(b, OX_Elu, OX_IN(x), OX_ATTRS(OX_F("alpha", 0.5)));
    assert_int_equal(a, ox_node(b, OX_Elu, OX_IN(x), OX_ATTRS(OX_F("alpha", 0.5))));
    assert_int_not_equal(a, ox_node(b, OX_Elu, OX_IN(x), OX_ATTRS(OX_F("alpha", 0.25))));
    assert_int_not_equal(a, ox_node(b, OX_Elu, OX_IN(x), OX_NO_ATTRS));
    ox_split(b, x, 1, INTS(2, 4), 2, one);
    ox_split(b, x, 1, INTS(2, 4), 2, two);
    assert_int_equal(one[0], two[0]);
    assert_int_equal(one[1], two[1]);
    ox_split(b, x, 1, INTS(3, 3), 2, two);
    assert_int_not_equal(one[0], two[0]);
    end(&t);
}

static void random_nodes_and_nodes_of_a_body_are_not_shared(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "4,6");
    assert_int_not_equal(ox_unary(b, OX_RandomNormalLike, x), ox_unary(b, OX_RandomNormalLike, x));
    ox_val outside = ox_unary(b, OX_Neg, x);
    ox_graph_begin(b, "body");
    assert_int_equal(ox_unary(b, OX_Neg, x), outside); /* a body sees values of the graph around it */
    ox_val inside = ox_unary(b, OX_Exp, x);
    assert_int_equal(ox_unary(b, OX_Exp, x), inside);
    ox_graph_end(b, &inside, 1);
    assert_int_not_equal(ox_unary(b, OX_Exp, x), inside);
    assert_int_equal(ox_unary(b, OX_Neg, x), outside);
    end(&t);
}

/* A body that its operator did not end is closed with the node. */
static void a_failed_body_is_left(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_graph_begin(b, "outer");
    ox_graph_begin(b, "inner");
    ox_fail(b, NULL, "no");
    assert_int_equal(ox_end_node(b), MX_UNSUPPORTED);
    ox_begin_node(b, NULL);
    assert_ptr_equal(b->graph, &t.m.main);
    end(&t);
}

/* What a reduction gives of one element is that element, for some of them. */
static void a_reduction_of_ones_moves_nothing(void **state)
{
    static const enum ox_op same[] = {OX_ReduceMax, OX_ReduceMean, OX_ReduceMin, OX_ReduceProd, OX_ReduceSum};
    static const enum ox_op other[] = {OX_ReduceL1, OX_ReduceL2, OX_ReduceLogSum, OX_ReduceLogSumExp, OX_ReduceSumSquare};
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "1,batch,1,3");
    ox_val ones = input(&t, "ones", MX_INT32, "1,1");
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        assert_int_equal(ox_reduce(b, same[i], x, INTS(0, -2), 2, true), x);
        assert_int_equal(ox_reduce(b, same[i], ones, NULL, -1, true), ones);
        assert_int_not_equal(ox_reduce(b, same[i], x, INTS(0, 1), 2, true), x); /* batch need not be 1 */
        assert_int_not_equal(ox_reduce(b, same[i], x, NULL, -1, true), x);
        assert_int_not_equal(ox_reduce(b, other[i], x, INTS(0), 1, true), x);
    }
    const ox_val twos = ox_filled(b, F32, INTS(2, 1 << 20), 2, 2); /* only 0 and 1 are known to stay */
    assert_null(ox_tensor_of(b, ox_reduce(b, OX_ReduceProd, twos, INTS(0), 1, false)));
    assert_null(ox_tensor_of(b, ox_reduce(b, OX_ReduceSum, ox_filled(b, F32, INTS(2, 1 << 20), 2, 1), INTS(0), 1, false)));
    ox_output(b, ox_reduce(b, OX_ReduceMean, x, INTS(0, 2), 2, false), "y");
    ox_output(b, ox_reduce(b, OX_ReduceSum, ones, NULL, -1, false), "z");
    assert_nodes(&t, "0 Squeeze(x, [0 2]) float32 (batch, 3)\n"
                     "1 Squeeze(ones, [0 1]) int32 ()\n");
    end(&t);
}

/* Nodes by name, as a handler of a custom operator writes them: what does nothing is not written. */
static void nodes_without_effect_are_omitted(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val x = input(&t, "x", F32, "2,1,batch"), flat = input(&t, "flat", F32, "4,6");
    const ox_val axes = ox_int(b, 1), one = ox_scalar(b, F32, 1), zero = ox_scalar(b, F32, 0), some = ox_scalar(b, F32, 3);
    const ox_val yes = ox_scalar(b, MX_BOOL, 1), no = ox_scalar(b, MX_BOOL, 0);
    const struct {
        ox_val got, want;
    } rows[] = {
        {ox_node(b, OX_Identity, OX_IN(x), OX_NO_ATTRS), x},
        {ox_node(b, OX_Dropout, OX_IN(x, some), OX_NO_ATTRS), x},
        {ox_node(b, OX_Cast, OX_IN(x), OX_ATTRS(OX_T("to", F32))), x},
        {ox_node(b, OX_Transpose, OX_IN(x), OX_ATTRS(OX_IS("perm", INTS(0, 1, 2), 3))), x},
        {ox_node(b, OX_Reshape, OX_IN(x, OX_INTS(b, 0, 1, -1)), OX_NO_ATTRS), x},
        {ox_node(b, OX_Unsqueeze, OX_IN(ox_node(b, OX_Squeeze, OX_IN(x, axes), OX_NO_ATTRS), axes), OX_NO_ATTRS), x},
        {ox_node(b, OX_Flatten, OX_IN(flat), OX_NO_ATTRS), flat},
        {ox_node(b, OX_Flatten, OX_IN(flat), OX_ATTRS(OX_I("axis", -1))), flat},
        {ox_node(b, OX_Concat, OX_IN(x), OX_ATTRS(OX_I("axis", 1))), x},
        {ox_node(b, OX_Slice, OX_IN(x, OX_INTS(b, 0, 0), OX_INTS(b, 2, 9)), OX_NO_ATTRS), x},
        {ox_node(b, OX_Slice, OX_IN(x, OX_INTS(b, -2), OX_INTS(b, 2), OX_INTS(b, 0), OX_INTS(b, 1)), OX_NO_ATTRS), x},
        {ox_node(b, OX_Expand, OX_IN(x, OX_INTS(b, 1, 1)), OX_NO_ATTRS), OX_NONE}, /* of fewer dims: written */
        {ox_node(b, OX_Expand, OX_IN(x, OX_INTS(b, 1, 1, 1)), OX_NO_ATTRS), x},
        {ox_node(b, OX_Tile, OX_IN(x, OX_INTS(b, 1, 1, 1)), OX_NO_ATTRS), x},
        {ox_node(b, OX_ReduceMean, OX_IN(x, axes), OX_NO_ATTRS), x},
        {ox_node(b, OX_ReduceMean, OX_IN(x, axes), OX_ATTRS(OX_I("keepdims", 0))), ox_squeeze1(b, x, 1)},
        {ox_node(b, OX_Max, OX_IN(x), OX_NO_ATTRS), x},
        {ox_node(b, OX_Clip, OX_IN(x), OX_NO_ATTRS), x},
        {ox_node(b, OX_Where, OX_IN(yes, x, some), OX_NO_ATTRS), x},
        {ox_node(b, OX_Where, OX_IN(no, some, x), OX_NO_ATTRS), x},
        {ox_node(b, OX_Mul, OX_IN(one, x), OX_NO_ATTRS), x},
        {ox_node(b, OX_Div, OX_IN(x, one), OX_NO_ATTRS), x},
        {ox_node(b, OX_Div, OX_IN(one, x), OX_NO_ATTRS), OX_NONE},
        {ox_node(b, OX_Add, OX_IN(zero, x), OX_NO_ATTRS), x},
        {ox_node(b, OX_Sub, OX_IN(x, zero), OX_NO_ATTRS), x},
        {ox_node(b, OX_Sub, OX_IN(zero, x), OX_NO_ATTRS), OX_NONE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(rows[i].want == OX_NONE ? rows[i].got != x : rows[i].got == rows[i].want, 1);
    }
    assert_false(ox_failed(b));
    end(&t);
}

static void nodes_of_known_values_are_computed(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val x = input(&t, "x", F32, "2,1,3"), y = input(&t, "y", F32, "batch,4");
    const ox_val c = ox_tensor(b, MX_INT64, INTS(2, 3), 2, INTS(1, 2, 3, 4, 5, 6));
    const ox_val outs[] = {
        ox_node(b, OX_Shape, OX_IN(x), OX_NO_ATTRS),
        ox_node(b, OX_Shape, OX_IN(x), OX_ATTRS(OX_I("start", -2), OX_I("end", -1))),
        ox_node(b, OX_Shape, OX_IN(x), OX_ATTRS(OX_I("start", 1), OX_I("end", 9))),
        ox_node(b, OX_Shape, OX_IN(x), OX_ATTRS(OX_I("start", 2), OX_I("end", 1))),
        ox_node(b, OX_Size, OX_IN(x), OX_NO_ATTRS),
        ox_node(b, OX_Flatten, OX_IN(c), OX_ATTRS(OX_I("axis", 0))),
        ox_node(b, OX_Transpose, OX_IN(c), OX_NO_ATTRS),
        ox_node(b, OX_Gather, OX_IN(c, ox_int(b, -1)), OX_ATTRS(OX_I("axis", 1))),
        ox_node(b, OX_Slice, OX_IN(c, ox_int(b, 2), ox_int(b, -9), ox_int(b, 1), ox_int(b, -2)), OX_NO_ATTRS),
        ox_node(b, OX_ConstantOfShape, OX_IN(OX_INTS(b, 2)), OX_NO_ATTRS),
    };
    ox_val parts[2];
    struct mx_str got = {0};
    (void)state;
    ox_node_n(b, OX_Split, OX_IN(c, OX_INTS(b, 1, 2)), OX_ATTRS(OX_I("axis", 1)), parts, 2);
    for (size_t i = 0; i < sizeof outs / sizeof outs[0]; i++) {
        write_value(&t, outs[i], &got);
        mx_str_append(&got, " ");
    }
    write_value(&t, parts[1], &got);
    assert_string_equal(got.text, "[2 1 3] [1] [1 3] [] 6 [1 2 3 4 5 6] [1 4 2 5 3 6] [3 6] [3 1 6 4] [0 0] [2 3 5 6]");
    mx_str_free(&got);
    ox_output(b, ox_node(b, OX_Size, OX_IN(y), OX_NO_ATTRS), "size");
    ox_output(b, ox_node(b, OX_Flatten, OX_IN(y), OX_ATTRS(OX_I("axis", 0))), "flat");
    assert_nodes(&t, "0 Size(y) int64 ()\n"
                     "1 Flatten(y) axis=0 float32 (1, 4*batch)\n");
    end(&t);
}

/* By ONNX's rules. */
static void shapes_of_outputs_are_those_of_onnx(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 20);
    const ox_val x = input(&t, "x", F32, "2,3,4,5"), theta = input(&t, "theta", F32, "2,2,3"), solid = input(&t, "solid", F32, "2,3,4");
    const ox_val wide = input(&t, "wide", F32, "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"), row = input(&t, "row", F32, "5");
    const ox_val index = input(&t, "index", MX_INT64, "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1");
    const ox_val none = ox_tensor(b, MX_INT64, INTS(0), 1, INTS(0));
    (void)state;
    assert_non_null(ox_tensor_of(b, ox_node(b, OX_Add, OX_IN(none, none), OX_NO_ATTRS))); /* no element is known, too */
    assert_shape(&t, ox_node(b, OX_AffineGrid, OX_IN(theta, OX_INTS(b, 2, 3, 5, 7)), OX_NO_ATTRS), "(2, 5, 7, 2)");
    assert_shape(&t, ox_node(b, OX_AffineGrid, OX_IN(solid, OX_INTS(b, 2, 3, 4, 5, 6)), OX_NO_ATTRS), "(2, 4, 5, 6, 3)");
    assert_shape(&t, ox_node(b, OX_CenterCropPad, OX_IN(x, OX_INTS(b, 7, 6, 9, 8)), OX_NO_ATTRS), "(7, 6, 9, 8)");
    assert_shape(&t, ox_node(b, OX_CenterCropPad, OX_IN(x, OX_INTS(b, 7, 6)), OX_ATTRS(OX_IS("axes", INTS(-1, 1), 2))), "(2, 6, 4, 7)");
    assert_shape(&t, ox_node(b, OX_ReduceMax, OX_IN(x, OX_INTS(b, -1, 1)), OX_ATTRS(OX_I("keepdims", 0))), "(2, 4)");
    assert_shape(&t, ox_node(b, OX_Expand, OX_IN(row, OX_INTS(b, 4, 1)), OX_NO_ATTRS), "(4, 5)");
    assert_shape(&t, ox_node(b, OX_Expand, OX_IN(x, OX_INTS(b, 4, 1)), OX_NO_ATTRS), "(2, 3, 4, 5)");
    assert_int_equal(ox_rank(b, ox_node(b, OX_GatherND, OX_IN(wide, index), OX_NO_ATTRS)), 31); /* 16 axes of the index, 15 of the data */
    assert_false(ox_failed(b));
    end(&t);
}

/* So many nodes that some have one hash. */
static void each_list_makes_its_own_node(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val x = input(&t, "x", F32, "1,1,1");
    ox_val last = x;
    (void)state;
    for (int64_t i = 1; i <= 200000; i++) {
        const ox_val y = ox_node(b, OX_MaxPool, OX_IN(x), OX_ATTRS(OX_IS("kernel_shape", INTS(1), 1), OX_IS("strides", INTS(i), 1)));
        assert_true(y > last);
        last = y;
    }
    assert_false(ox_failed(b));
    end(&t);
}

/* With ceil_mode, a window that would begin after the data and the padding before them is omitted. */
static void windows_begin_in_the_data(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val small = input(&t, "small", F32, "1,1,3,3"), large = input(&t, "large", F32, "1,1,4,4");
    const struct ox_attr *attrs = OX_ATTRS(OX_IS("kernel_shape", INTS(2, 2), 2), OX_IS("strides", INTS(2, 2), 2),
                                           OX_IS("pads", INTS(1, 1, 1, 1), 4), OX_I("ceil_mode", 1));
    const struct mx_shape two = ox_shape(b, ox_node(b, OX_MaxPool, OX_IN(small), attrs));
    const struct mx_shape three = ox_shape(b, ox_node(b, OX_MaxPool, OX_IN(large), attrs));
    assert_int_equal(ox_number(b, two.dims[2], "height"), 2);
    assert_int_equal(ox_number(b, three.dims[3], "width"), 3);
    assert_false(ox_failed(b));
    end(&t);
}

/* An attribute that came later than another that the opset has. */
static void an_attribute_newer_than_the_opset_is_refused_next_to_older_ones(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val x = input(&t, "x", MX_INT8, "4,6"), scale = input(&t, "scale", F32, "4,3");
    (void)state;
    ox_node(b, OX_DequantizeLinear, OX_IN(x, scale), OX_ATTRS(OX_I("axis", 1), OX_I("block_size", 2)));
    assert_true(ox_failed(b));
    assert_non_null(strstr(message(&t), "DequantizeLinear with block_size 2 needs opset 21"));
    end(&t);
}

/* A shape that is computed leaves sizes open, up to as many as there may be. */
static void a_computed_shape_leaves_sizes_open(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val x = input(&t, "x", F32, "n"), few = input(&t, "few", MX_INT64, "2"), most = input(&t, "most", MX_INT64, "32");
    const ox_val more = input(&t, "more", MX_INT64, "33");
    (void)state;
    assert_int_equal(ox_rank(b, ox_node(b, OX_Reshape, OX_IN(x, few), OX_NO_ATTRS)), 2);
    assert_int_equal(ox_rank(b, ox_node(b, OX_Reshape, OX_IN(x, most), OX_NO_ATTRS)), MX_MAX_RANK);
    assert_int_equal(ox_rank(b, ox_node(b, OX_Reshape, OX_IN(x, more), OX_NO_ATTRS)), -1);
    assert_shape(&t, ox_node(b, OX_HannWindow, OX_IN(ox_scalar(b, MX_INT64, 0)), OX_NO_ATTRS), "(0,)");
    assert_int_equal(ox_rank(b, ox_node(b, OX_Unsqueeze, OX_IN(x, few), OX_NO_ATTRS)), -1);
    assert_int_equal(ox_rank(b, ox_node(b, OX_Squeeze, OX_IN(x, few), OX_NO_ATTRS)), -1);
    assert_false(ox_failed(b));
    end(&t);
}

/* The axis of a DFT is an input, -2 where none is given; before opset 20 it is written as an attribute. */
static void the_axis_of_a_transform_becomes_an_attribute(void **state)
{
    struct t t;
    (void)state;
    for (int given = 0; given < 2; given++) {
        struct ox_build *b = begin(&t, 17);
        const ox_val x = input(&t, "x", F32, "2,8,4,1");
        const struct ox_node *n =
            legal(&t, ox_node(b, OX_DFT, OX_IN(x, OX_NONE, given ? ox_scalar(b, MX_INT64, 1) : OX_NONE), OX_NO_ATTRS));
        assert_int_equal(ox_attr_int(n->attrs, "axis", -9), given ? 1 : 2);
        end(&t);
    }
}

/* Heads apart, and heads in the last axis. */
static void attention_has_the_queries_shape(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 24);
    const ox_val q = input(&t, "q", F32, "2,3,4,5"), k = input(&t, "k", F32, "2,3,6,5"), v = input(&t, "v", F32, "2,3,6,7");
    const ox_val x = input(&t, "x", F32, "2,4,6");
    (void)state;
    assert_shape(&t, ox_node(b, OX_Attention, OX_IN(q, k, v), OX_NO_ATTRS), "(2, 3, 4, 7)");
    const ox_val flat = ox_node(b, OX_Attention, OX_IN(x, x, x), OX_ATTRS(OX_I("q_num_heads", 2), OX_I("kv_num_heads", 2)));
    assert_int_equal(ox_rank(b, flat), 3);
    assert_int_equal(ox_number(b, ox_dim_at(b, flat, 0), "batch") * 10 + ox_number(b, ox_dim_at(b, flat, 1), "length"), 24);
    assert_false(ox_failed(b));
    end(&t);
}

/* After the largest seed comes the least. */
static void each_random_node_has_its_own_seed(void **state)
{
    static const int64_t wanted[] = {INT32_MAX - 1, INT32_MAX, INT32_MIN, INT32_MIN + 1};
    static const int64_t dims[] = {2};
    struct t t;
    struct ox_build *b = begin(&t, 17);
    t.m.seeded = true;
    t.m.seed = INT32_MAX - 1;
    for (int i = 0; i < 4; i++) {
        ox_node(b, OX_RandomNormal, OX_IN(OX_END), OX_ATTRS(OX_IS("shape", dims, 1)));
    }
    ox_node(b, OX_RandomNormal, OX_IN(OX_END), OX_ATTRS(OX_IS("shape", dims, 1), OX_F("seed", 5)));
    assert_int_equal(t.m.main.n_nodes, 5);
    for (int i = 0; i < 5; i++) {
        assert_true(ox_find_attr(t.m.main.nodes[i]->attrs, "seed")->f == (i < 4 ? (double)wanted[i] : 5));
    }
    assert_int_equal(t.m.seed, INT32_MIN + 2);
    end(&t);
}

/* ---- groups of nodes */

static ox_val resized(struct ox_build *b, ox_val x, const double *factors, const char *mode, const char *coordinates, const char *nearest)
{
    return ox_node(b, OX_Resize, OX_IN(x, OX_NONE, ox_floats(b, F32, factors, 4)),
                   OX_ATTRS(OX_S("mode", mode), OX_S("coordinate_transformation_mode", coordinates), OX_S("nearest_mode", nearest)));
}

/* The height is repeated after the width, if whole pixels were repeated there. */
static void pixels_are_repeated_by_one_node(void **state)
{
    static const double wide[] = {1, 1, 1, 2}, less[] = {1, 1, 1, 0.5}, high[] = {1, 1, 2, 1}, deep[] = {1, 2, 1, 1}, many[] = {2, 1, 1, 1};
    static const double half[] = {1, 1, 1, 1.5}, most[] = {1, 1, 1, 1025}, fewer[] = {1, 1, 0.5, 2};
    struct t t;
    struct ox_build *b = begin(&t, 18);
    const ox_val x = input(&t, "x", F32, "1,2,5,6"), scales = ox_floats(b, F32, wide, 4);
    const ox_val both = ox_repeat_pixels(b, ox_repeat_pixels(b, x, 3, 2), 2, 3);
    const struct ox_attr *plain = OX_ATTRS(OX_S("mode", "nearest"), OX_S("coordinate_transformation_mode", "asymmetric"),
                                           OX_S("nearest_mode", "floor"), OX_IS("axes", INTS(0, 1, 2, 3), 4));
    const struct ox_attr *nearest =
        OX_ATTRS(OX_S("mode", "nearest"), OX_S("coordinate_transformation_mode", "asymmetric"), OX_S("nearest_mode", "floor"));
    const ox_val others[] = {
        resized(b, x, wide, "linear", "asymmetric", "floor"),
        resized(b, x, wide, "nearest", "half_pixel", "floor"),
        resized(b, x, wide, "nearest", "asymmetric", "ceil"),
        resized(b, x, less, "nearest", "asymmetric", "floor"),
        resized(b, x, high, "nearest", "asymmetric", "floor"),
        resized(b, x, deep, "nearest", "asymmetric", "floor"),
        resized(b, x, many, "nearest", "asymmetric", "floor"),
        resized(b, x, half, "nearest", "asymmetric", "floor"),
        resized(b, x, most, "nearest", "asymmetric", "floor"),
        resized(b, x, fewer, "nearest", "asymmetric", "floor"),
        ox_node(b, OX_Resize, OX_IN(x, OX_NONE, input(&t, "scales", F32, "4")), nearest),
        ox_node(b, OX_Resize, OX_IN(x, OX_NONE, scales), plain),
        ox_node(b, OX_Resize, OX_IN(x, OX_NONE, OX_NONE, OX_INTS(b, 1, 2, 5, 12)), plain),
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(ox_repeat_pixels(b, others[i], 2, 3), OX_NONE);
    }
    assert_int_equal(ox_repeat_pixels(b, x, 3, 1025), OX_NONE);
    assert_int_equal(ox_repeat_pixels(b, input(&t, "long", F32, "1,2,5,16384"), 3, 2), OX_NONE);
    assert_int_equal(ox_repeat_pixels(b, input(&t, "empty", F32, "1,2,5,0"), 3, 2), OX_NONE);
    ox_output(b, both, "y");
    assert_nodes(&t, "0 Resize(x, -, [1 1 3 2]) mode=nearest coordinate_transformation_mode=asymmetric nearest_mode=floor"
                     " float32 (1, 2, 15, 12)\n");
    end(&t);
}

/* A target without uint8 and int32 multiplies the levels of a bias, which is a constant. */
static void levels_of_a_bias_are_multiplied(void **state)
{
    static const struct ox_target targets[] = {{.name = "int8", .signed_levels = true}, {.name = "any"}};
    const int8_t levels[] = {1, 2, 3};
    for (int i = 0; i < 2; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        t.m.target = &targets[i];
        const ox_val level = input(&t, "level", F32, ""), bias = ox_tensor(b, MX_INT8, INTS(3), 1, levels);
        ox_dequantize(b, bias, level);
        assert_int_equal(last(&t)->op, i == 0 ? OX_Mul : OX_DequantizeLinear);
        ox_dequantize(b, input(&t, "sums", MX_INT32, "2,3"), level);
        assert_int_equal(last(&t)->op, i == 0 ? OX_Mul : OX_DequantizeLinear);
        ox_dequantize(b, input(&t, "x", MX_INT8, "3"), level);
        assert_int_equal(last(&t)->op, OX_DequantizeLinear);
        end(&t);
    }
}

/* Zeros that an average counts are a Pad before it, unless windows are left out that begin in them. */
static void pads_of_averages_for_a_target(void **state)
{
    static const struct {
        bool explicit_padding;
        int64_t counts, ceil, pads[4];
        const char *want;
    } rows[] = {
        {true, 1, 0, {1, 0, 0, 0}, "Pad"}, {true, 1, 0, {0, 0, 0, 1}, "Pad"}, {true, 1, 0, {0, 0, 0, 0}, NULL},
        {true, 0, 0, {0, 1, 0, 0}, NULL},  {true, 1, 1, {0, 1, 0, 0}, NULL},  {false, 1, 0, {0, 1, 0, 0}, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct t t;
        const struct ox_target target = {.name = "one", .explicit_padding = rows[i].explicit_padding};
        struct ox_build *b = begin(&t, 17);
        t.m.target = &target;
        const struct ox_attr attrs[] = {OX_IS("kernel_shape", INTS(2, 2), 2),
                                        OX_IS("pads", rows[i].pads, 4),
                                        OX_I("count_include_pad", rows[i].counts),
                                        OX_I("ceil_mode", rows[i].ceil),
                                        {.kind = OX_A_END}};
        const struct ox_node *n = legal(&t, ox_node(b, OX_AveragePool, OX_IN(input(&t, "data", F32, "1,2,4,4")), attrs));
        const struct ox_node *before = ox_value_of(&t.m, n->in[0])->producer;
        assert_string_equal(before ? ox_node_type(before) : "none", rows[i].want ? rows[i].want : "none");
        assert_int_equal(!ox_find_attr(n->attrs, "pads"), before != NULL);
        assert_int_equal(!ox_find_attr(n->attrs, "count_include_pad"), before != NULL);
        end(&t);
    }
}

static void products_of_halves_are_split_for_a_target(void **state)
{
    static const struct {
        bool wide;
        enum mx_dtype t;
        const char *factor; /* an attribute; NULL: none */
        bool adds;
        enum ox_op want;
    } rows[] = {
        {true, MX_FLOAT16, NULL, false, OX_MatMul}, {true, MX_FLOAT16, NULL, true, OX_Add},    {true, MX_FLOAT32, NULL, true, OX_Gemm},
        {true, MX_FLOAT16, "alpha", true, OX_Gemm}, {true, MX_FLOAT16, "beta", true, OX_Gemm}, {false, MX_FLOAT16, NULL, true, OX_Gemm},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct t t;
        const struct ox_target target = {.name = "one", .wide_gemm = rows[i].wide};
        struct ox_build *b = begin(&t, 17);
        t.m.target = &target;
        const ox_val x = input(&t, "data", rows[i].t, "2,4"), w = input(&t, "w", rows[i].t, "4,3");
        const struct ox_attr attrs[] = {{.name = rows[i].factor, .kind = rows[i].factor ? OX_A_FLOAT : OX_A_END, .f = 2},
                                        {.kind = OX_A_END}};
        const ox_val y = ox_node(b, OX_Gemm, OX_IN(x, w, rows[i].adds ? input(&t, "c", rows[i].t, "3") : OX_NONE), attrs);
        ox_output(b, y, "y");
        assert_int_equal(ox_finish(&t.m), MX_OK);
        assert_int_equal(ox_legalise(&t.m), MX_OK);
        assert_int_equal(count_of(&t, rows[i].want), 1);
        end(&t);
    }
}

static double third(const void *spec, int64_t i)
{
    return (double)(i % 3);
}

/* A choice between data and finite numbers by a mask that is known is arithmetic. */
static void masks_are_arithmetic_for_a_target(void **state)
{
    enum { MASK, DATA, OTHER };
    static const struct {
        bool in_floats;
        enum mx_dtype t;
        int changed; /* this input is a constant instead of data, or the other way round; -1: none */
        double other;
        enum ox_op want;
    } rows[] = {
        {true, MX_FLOAT32, -1, 2, OX_Add},      {true, MX_FLOAT16, -1, 2, OX_Add},          {false, MX_FLOAT32, -1, 2, OX_Where},
        {true, MX_INT32, -1, 2, OX_Where},      {true, MX_FLOAT32, MASK, 2, OX_Where},      {true, MX_FLOAT32, DATA, 2, OX_Where},
        {true, MX_FLOAT32, OTHER, 2, OX_Where}, {true, MX_FLOAT32, -1, INFINITY, OX_Where}, {true, MX_FLOAT32, -1, -INFINITY, OX_Where},
        {true, MX_FLOAT32, -1, NAN, OX_Where},
    };
    static const int64_t dims[] = {OX_LARGE, 2}; /* not computed by folding */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct t t;
        const struct ox_target target = {.name = "one", .masks_in_floats = rows[i].in_floats};
        struct ox_build *b = begin(&t, 17);
        t.m.target = &target;
        const int changed = rows[i].changed;
        const ox_val mask = changed == MASK ? input(&t, "mask", MX_BOOL, "2") : ox_tensor(b, MX_BOOL, INTS(2), 1, (const uint8_t[]){1, 0});
        const ox_val x = changed == DATA ? ox_computed(b, rows[i].t, dims, 2, third, NULL, 0) : input(&t, "data", rows[i].t, "131072,2");
        const ox_val y = changed == OTHER ? input(&t, "other", rows[i].t, "1") : ox_scalar(b, rows[i].t, rows[i].other);
        ox_output(b, ox_node(b, OX_Where, OX_IN(mask, x, y), OX_NO_ATTRS), "y");
        assert_int_equal(ox_finish(&t.m), MX_OK);
        assert_int_equal(ox_legalise(&t.m), MX_OK);
        assert_int_equal(count_of(&t, OX_Where), rows[i].want == OX_Where);
        assert_int_equal(count_of(&t, OX_Add), rows[i].want == OX_Add);
        end(&t);
    }
}

static void a_magnitude_needs_no_abs(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val x = input(&t, "x", F32, "1"), y = input(&t, "y", F32, "1"), size = ox_unary(b, OX_Abs, x);
    const ox_val one = ox_floats(b, F32, (const double[]){1}, 1);
    ox_val far[13] = {size}; /* as many nodes after the Abs */
    for (int i = 1; i < 13; i++) {
        far[i] = ox_binary(b, OX_Max, far[i - 1], one);
    }
    const struct {
        ox_val high, low; /* low: OX_NONE for -high */
        int more;         /* Abs that are added */
    } rows[] = {
        {size, OX_NONE, 0},
        {ox_binary(b, OX_Max, size, one), OX_NONE, 0},
        {ox_mul(b, ox_binary(b, OX_Max, size, one), size), OX_NONE, 0},
        {far[11], OX_NONE, 0}, /* and a Squeeze */
        {far[12], OX_NONE, 1},
        {x, OX_NONE, 1},
        {ox_binary(b, OX_Max, size, y), OX_NONE, 1},
        {ox_mul(b, y, size), OX_NONE, 1},
        {ox_unary(b, OX_Exp, x), ox_unary(b, OX_Neg, y), 2}, /* another range than -high to high */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int before = count_of(&t, OX_Abs);
        ox_reach(b, rows[i].low == OX_NONE ? ox_unary(b, OX_Neg, rows[i].high) : rows[i].low, rows[i].high);
        assert_int_equal(count_of(&t, OX_Abs) - before, rows[i].more);
    }
    assert_false(ox_failed(b));
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_error_sticks),
        cmocka_unit_test(attributes_are_shared),
        cmocka_unit_test(lists_of_texts_are_shared),
        cmocka_unit_test(a_foreign_node_can_have_long_lists),
        cmocka_unit_test(pixels_are_repeated_by_one_node),
        cmocka_unit_test(levels_of_a_bias_are_multiplied),
        cmocka_unit_test(pads_of_averages_for_a_target),
        cmocka_unit_test(products_of_halves_are_split_for_a_target),
        cmocka_unit_test(masks_are_arithmetic_for_a_target),
        cmocka_unit_test(a_magnitude_needs_no_abs),
        cmocka_unit_test(calls_after_an_error_do_no_harm),
        cmocka_unit_test(wrong_calls_are_internal_errors),
        cmocka_unit_test(a_name_in_place_of_a_number_is_refused),
        cmocka_unit_test(a_size_is_refused_where_nothing_has_it),
        cmocka_unit_test(too_new_operators_name_both_opsets),
        cmocka_unit_test(the_newest_opset_needed_is_kept),
        cmocka_unit_test(axes_move_from_attribute_to_input),
        cmocka_unit_test(batches_of_opset_11_are_fewer_than_dims),
        cmocka_unit_test(newer_attributes_are_dropped_or_refused),
        cmocka_unit_test(reshapes_to_nothing_are_written_at_each_opset),
        cmocka_unit_test(each_change_has_its_opset),
        cmocka_unit_test(pads_of_some_axes_are_written),
        cmocka_unit_test(a_maximum_of_many_integers_is_written_in_pairs),
        cmocka_unit_test(grid_sample_has_other_words),
        cmocka_unit_test(softmax_of_a_middle_axis_is_transposed_before_opset_13),
        cmocka_unit_test(an_opset_determines_the_ir_version),
        cmocka_unit_test(types_without_a_kernel_are_cast),
        cmocka_unit_test(a_node_is_computed_between_casts),
        cmocka_unit_test(casts_between_cast_nodes_go),
        cmocka_unit_test(operands_of_a_fixed_type_are_cast),
        cmocka_unit_test(batch_norm_of_halves_is_computed_in_float_before_opset_15),
        cmocka_unit_test(batch_norm_of_doubles),
        cmocka_unit_test(a_missing_kernel_is_noted_once),
        cmocka_unit_test(there_is_one_cast_per_value_and_type),
        cmocka_unit_test(a_body_is_written_into_its_loop),
        cmocka_unit_test(a_node_is_written_once),
        cmocka_unit_test(random_nodes_and_nodes_of_a_body_are_not_shared),
        cmocka_unit_test(a_failed_body_is_left),
        cmocka_unit_test(a_reduction_of_ones_moves_nothing),
        cmocka_unit_test(nodes_without_effect_are_omitted),
        cmocka_unit_test(nodes_of_known_values_are_computed),
        cmocka_unit_test(shapes_of_outputs_are_those_of_onnx),
        cmocka_unit_test(each_list_makes_its_own_node),
        cmocka_unit_test(windows_begin_in_the_data),
        cmocka_unit_test(an_attribute_newer_than_the_opset_is_refused_next_to_older_ones),
        cmocka_unit_test(a_computed_shape_leaves_sizes_open),
        cmocka_unit_test(the_axis_of_a_transform_becomes_an_attribute),
        cmocka_unit_test(attention_has_the_queries_shape),
        cmocka_unit_test(each_random_node_has_its_own_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
