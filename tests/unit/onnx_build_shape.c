/* The builder's shapes: what reshapes, transposes, slices and so on are written as, what they make,
 * sizes at run time. */
#include "build_common.h"
#include "shared/random_numbers.h"

#define DIMS(t, text) shape((t), (text)).dims

/* ---- reshape */

static void a_reshape_is_written_in_its_shortest_form(void **state)
{
    static const struct {
        const char *from, *to, *shape; /* shape: as written; NULL: no node */
    } rows[] = {
        {"2,3,4", "6,4", "[6 4]"},
        {"2,3,4", "2,3,4", NULL},
        {"batch,3,4", "batch,12", "[0 12]"},
        {"batch,3,4", "batch,3,4", NULL},
        {"batch,3,4", "3,batch,4", "[3 -1 4]"},
        {"batch,3,h", "batch,h,3", "[0 -1 3]"},
        {"batch,12,h", "batch,3,4,h", "[0 3 4 -1]"},
        {"batch,h,6", "batch,h,2,3", "[0 0 2 3]"},
        {"batch,h,w", "w,h,batch", "%0"},
        {"2,1", "2", "[2]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct t t;
        struct mx_str line = {0};
        struct ox_build *b = begin(&t, 17);
        ox_val x = input(&t, "x", F32, rows[i].from);
        ox_val y = ox_reshape_shape(b, x, shape(&t, rows[i].to));
        assert_int_not_equal(y, OX_NONE);
        assert_true(ox_shapes_equal(b, ox_shape(b, y), shape(&t, rows[i].to)));
        if (!rows[i].shape) {
            assert_int_equal(y, x);
        } else {
            assert_int_equal(last(&t)->op, OX_Reshape);
            if (rows[i].shape[0] == '[') {
                write_value(&t, last(&t)->in[1], &line);
                assert_string_equal(line.text, rows[i].shape);
            } else {
                assert_null(ox_tensor_of(b, last(&t)->in[1]));
            }
        }
        mx_str_free(&line);
        end(&t);
    }
}

/* A Reshape that a handler adds: its sizes are those of the vector that it reads. */
static void a_reshape_has_the_sizes_of_a_vector(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val x = input(&t, "x", F32, "batch,h,6");
    const ox_val sizes = ox_dims(b, DIMS(&t, "h,batch,3,2"), 4);
    assert_shape(&t, ox_emit(b, OX_Reshape, OX_IN(x, sizes), OX_NO_ATTRS), "(h, batch, 3, 2)");
    const ox_val given = input(&t, "sizes", MX_INT64, "2");
    assert_int_equal(ox_rank(b, ox_emit(b, OX_Reshape, OX_IN(x, given), OX_NO_ATTRS)), 2);
    end(&t);
}

static void a_computed_reshape_reads_few_sizes(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "batch,h,w");
    ox_output(b, ox_reshape(b, x, DIMS(&t, "w,h,batch"), 3), "y");
    assert_nodes(&t, "0 Shape(x) start=2 end=3 int64 (1,)\n"
                     "1 Concat(%0, [0 -1]) axis=0 int64 (3,)\n"
                     "2 Reshape(x, %1) float32 (w, h, batch)\n");
    end(&t);
}

/* The -1 is the size that takes the most nodes. */
static void the_dearest_size_is_left_to_the_runtime(void **state)
{
    static const struct {
        const char *to, *nodes;
    } rows[] = {
        {"w+3,h", "0 Shape(x) start=0 end=1 int64 (1,)\n"
                  "1 Concat([-1], %0) axis=0 int64 (2,)\n"
                  "2 Reshape(x, %1) float32 (w + 3, h)\n"},
        {"w,h+3", "0 Shape(x) start=1 end=2 int64 (1,)\n"
                  "1 Concat(%0, [-1]) axis=0 int64 (2,)\n"
                  "2 Reshape(x, %1) float32 (w, h + 3)\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        const ox_val x = input(&t, "x", F32, "h,w");
        ox_output(b, ox_reshape(b, x, DIMS(&t, rows[i].to), 2), "y");
        assert_nodes(&t, rows[i].nodes);
        end(&t);
    }
}

/* Axes that become two need no size. */
static void a_flatten_reads_no_size(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "1,batch,h");
    ox_output(b, ox_reshape(b, x, DIMS(&t, "batch,h"), 2), "y");
    assert_nodes(&t, "0 Flatten(x) axis=2 float32 (batch, h)\n");
    end(&t);
}

/* If MXNet has results at sizes of 0, a -1 occurs only with numbers. */
static void reshapes_hold_at_sizes_of_0(void **state)
{
    static const struct {
        const char *from, *to, *nodes;
    } rows[] = {
        {"batch,3,4", "batch,12", "0 Reshape(x, [0 12]) float32 (batch, 12)\n"},
        {"batch,h,6", "batch,h,2,3", "0 Reshape(x, [0 0 2 3]) float32 (batch, h, 2, 3)\n"},
        {"batch,3,4", "3,batch,4", "0 Reshape(x, [3 -1 4]) float32 (3, batch, 4)\n"},
        {"batch,3,h", "batch,h,3",
         "0 Shape(x) start=0 end=1 int64 (1,)\n"
         "1 Shape(x) start=2 end=3 int64 (1,)\n"
         "2 Concat(%0, %1, [3]) axis=0 int64 (3,)\n"
         "3 Reshape(x, %2) allowzero=1 float32 (batch, h, 3)\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        t.m.zero_sizes = true;
        ox_val x = input(&t, "x", F32, rows[i].from);
        ox_output(b, ox_reshape_shape(b, x, shape(&t, rows[i].to)), "y");
        assert_nodes(&t, rows[i].nodes);
        end(&t);
    }
}

/* A size that nothing can read is the -1; two of them are an error. */
static void one_size_of_a_reshape_may_be_unreadable(void **state)
{
    for (int zero_sizes = 0; zero_sizes < 2; zero_sizes++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        t.m.zero_sizes = zero_sizes;
        ox_val x = input(&t, "x", F32, "4,h,6");
        ox_val y = ox_reshape(b, x, (mx_dim[]){named(&t, "h"), named(&t, "hidden")}, 2);
        assert_int_not_equal(y, OX_NONE);
        assert_true(ox_dim_readable(b, named(&t, "hidden"))); /* now it can be read off y */
        ox_reshape(b, x, (mx_dim[]){named(&t, "closed"), named(&t, "open"), mx_dim_of(2)}, 3);
        assert_true(ox_failed(b));
        end(&t);
    }
}

/* The same before it is written: those that stay where they are, and one that is left open, cost nothing. */
static void sizes_that_a_reshape_can_have(void **state)
{
    static const struct {
        const char *from, *to;
        bool can;
    } rows[] = {{"n,4", "n,m", true},  {"n,4", "m,4", true},     {"n,4", "n,m,k", false},
                {"n,4", "m,n", false}, {"n,m,4", "n,m,k", true}, {"", "1", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        assert_int_equal(ox_can_reshape(b, shape(&t, rows[i].from), shape(&t, rows[i].to)), rows[i].can);
        end(&t);
    }
}

/* An Expand is last: a reader that broadcasts does without it. */
static void an_expanded_value_is_reshaped_before(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val x = input(&t, "x", F32, "batch,1,1"), wide = ox_expand(b, x, DIMS(&t, "batch,3,1"), 3);
    const ox_val led = ox_expand(b, input(&t, "y", F32, "h,1"), DIMS(&t, "1,h,5"), 3); /* an axis of 1 in front, and one at the end */
    ox_output(b, ox_reshape(b, wide, DIMS(&t, "batch,3"), 2), "y");
    ox_output(b, ox_reshape(b, led, DIMS(&t, "h,5,1"), 3), "z");
    ox_output(b, ox_reshape(b, wide, DIMS(&t, "3,batch"), 2), "moved"); /* which is more than that */
    ox_output(b, ox_reshape(b, wide, DIMS(&t, "batch,3,1,1"), 4), "longer");
    assert_nodes(&t, "0 Expand(x, [1 3 1]) float32 (batch, 3, 1)\n"
                     "1 Reshape(x, [0 1]) float32 (batch, 1)\n"
                     "2 Expand(%1, [1 3]) float32 (batch, 3)\n"
                     "3 Reshape(y, [0 1 1]) float32 (h, 1, 1)\n"
                     "4 Expand(%3, [1 5 1]) float32 (h, 5, 1)\n"
                     "5 Reshape(%0, [3 -1]) float32 (3, batch)\n"
                     "6 Reshape(x, [0 1 1 1]) float32 (batch, 1, 1, 1)\n"
                     "7 Expand(%6, [1 3 1 1]) float32 (batch, 3, 1, 1)\n");
    end(&t);
}

/* What a runtime's own operator gives, before its shape is stated. */
static void nodes_of_an_unknown_rank_are_left_as_they_are(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val i = input(&t, "i", MX_INT64, "1,1,4,4"), y = input(&t, "y", F32, "4,3");
    const ox_val x = ox_node(b, OX_MaxUnpool, OX_IN(input(&t, "x", F32, "1,1,4,4"), i), OX_ATTRS(OX_IS("kernel_shape", INTS(2, 2), 2)));
    const ox_val turned = ox_transpose(b, x, INTS(1, 2, 0), 3), again = ox_transpose(b, turned, INTS(1, 0), 2);
    assert_int_equal(ox_rank(b, turned), -1);
    assert_int_equal(ox_value_of(&t.m, again)->producer->in[0], turned);
    ox_matmul(b, turned, y);
    assert_int_equal(last(&t)->op, OX_MatMul);
    assert_int_equal(last(&t)->in[0], turned);
    ox_squeeze1(b, x, 0);
    assert_int_equal(last(&t)->op, OX_Squeeze);
    assert_int_equal(ox_rank(b, ox_node(b, OX_GlobalAveragePool, OX_IN(x), OX_NO_ATTRS)), -1);
    ox_reshape_ints(b, x, INTS(0, -1), 2);
    assert_int_equal(last(&t)->op, OX_Reshape);
    assert_int_equal(last(&t)->in[0], x);
    ox_reduce(b, OX_ReduceMax, x, INTS(-1), 1, true);
    assert_int_equal(last(&t)->op, OX_ReduceMax);
    assert_int_equal(last(&t)->n_in, 2);
    ox_reduce(b, OX_ReduceMax, x, NULL, -1, false);
    assert_int_equal(last(&t)->n_in, 1);
    assert_false(ox_failed(b));
    end(&t);
}

/* The value of an If has a shape if both branches have it. */
static void branches_of_an_unknown_rank_leave_the_rank_open(void **state)
{
    for (int i = 0; i < 3; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        const ox_val x = input(&t, "x", F32, "1,1,4,4"), places = input(&t, "places", MX_INT64, "1,1,4,4");
        struct ox_graph *body[2];
        for (int k = 0; k < 2; k++) {
            const bool unknown = i == 2 || i == k;
            body[k] = ox_graph_begin(b, "body");
            const ox_val y = unknown ? ox_node(b, OX_MaxUnpool, OX_IN(x, places), OX_ATTRS(OX_IS("kernel_shape", INTS(1, 1), 2)))
                                     : ox_unary(b, OX_Exp, x);
            ox_graph_end(b, &y, 1);
        }
        const struct ox_attr *bodies = OX_ATTRS(OX_G("then_branch", body[0]), OX_G("else_branch", body[1]));
        assert_int_equal(ox_rank(b, ox_node(b, OX_If, OX_IN(input(&t, "yes", MX_BOOL, "")), bodies)), -1);
        assert_false(ox_failed(b));
        end(&t);
    }
}

/* Sizes are not readable when the graph that computed them has been removed. */
static void a_shape_of_unreadable_sizes_is_read(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val x = ox_node(b, OX_NonZero, OX_IN(input(&t, "x", F32, "2,3")), OX_NO_ATTRS);
    ox_value_of(&t.m, x)->shape = shape(&t, "2,hidden+1");
    ox_node(b, OX_Shape, OX_IN(x), OX_NO_ATTRS);
    assert_int_equal(last(&t)->op, OX_Shape);
    assert_false(ox_failed(b));
    end(&t);
}

/* A shape that a constant gives of the last Reshape may not be one of the value before it. */
static void only_reshapes_by_constants_are_skipped(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val x = input(&t, "x", F32, "h,w,6"), swapped = ox_reshape(b, x, DIMS(&t, "w,h,6"), 3);
    ox_reshape(b, swapped, DIMS(&t, "w,h,2,3"), 4);
    assert_int_equal(last(&t)->in[0], swapped);
    ox_reshape(b, swapped, DIMS(&t, "h,w,2,3"), 4);
    assert_int_equal(last(&t)->in[0], x);
    end(&t);
}

static void a_reshape_to_another_number_of_elements_is_refused(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_reshape_ints(b, input(&t, "x", F32, "2,3"), INTS(4, -1), 2);
    assert_string_equal(message(&t), "the number of elements does not match the new shape");
    end(&t);
}

static void reshape_chains_become_one(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "batch,3,4");
    ox_val y = ox_reshape_ints(b, ox_unsqueeze1(b, ox_reshape_ints(b, x, INTS(0, -1), 2), 0), INTS(-1, 4, 3), 3);
    ox_output(b, y, "y");
    assert_int_equal(ox_squeeze1(b, ox_unsqueeze1(b, x, 1), 1), x);
    assert_int_equal(ox_reshape_ints(b, ox_reshape_ints(b, x, INTS(-1), 1), INTS(-1, 3, 4), 3), x);
    assert_nodes(&t, "0 Reshape(x, [0 4 3]) float32 (batch, 4, 3)\n");
    end(&t);
}

/* A size of 0 would mean "copy". */
static void nothing_is_a_constant(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 12);
    ox_val x = input(&t, "x", F32, "0,3");
    ox_val y = ox_reshape(b, x, DIMS(&t, "3,0,2"), 3);
    assert_non_null(ox_tensor_of(b, y));
    assert_shape(&t, y, "(3, 0, 2)");
    assert_int_equal(t.m.main.n_nodes, 0);
    end(&t);
}

/* ---- transpose */

static void inverse_transposes_vanish(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "batch,3,h,w");
    ox_val y = ox_transpose(b, x, INTS(0, 2, 3, 1), 4);
    assert_shape(&t, y, "(batch, h, w, 3)");
    assert_int_equal(ox_transpose(b, y, INTS(0, 3, 1, 2), 4), x);
    assert_int_equal(ox_transpose(b, x, INTS(0, 1, -2, -1), 4), x);
    ox_val z = ox_swap_axes(b, y, -1, 0);
    assert_int_equal(last(&t)->in[0], x);
    assert_shape(&t, z, "(3, h, w, batch)");
    end(&t);
}

/* ---- slices */

static void slices_have_their_sizes(void **state)
{
    static const struct {
        const char *from;
        int64_t start, end, step;
        const char *to;
    } rows[] = {
        {"10", 2, 5, 1, "(3,)"},
        {"10", -3, INT64_MAX, 1, "(3,)"},
        {"10", 8, 2, 1, "(0,)"},
        {"10", -1, INT64_MIN + 1, -1, "(10,)"},
        {"10", 9, 0, -4, "(3,)"},
        {"10", -1, -10, -1, "(9,)"},
        {"10", 1, 99, 3, "(3,)"},
        {"h", 1, INT64_MAX, 1, "(h - 1,)"},
        {"h", 0, -2, 1, "(h - 2,)"},
        {"h", -4, INT64_MAX, 1, "(4,)"},
        {"h", 2, 6, 1, "(4,)"},
        {"h", -5, -2, 1, "(3,)"},
        {"h", 0, INT64_MAX, 2, "(floor((h + 1)/2),)"},
        {"h", -1, INT64_MIN + 1, -1, "(h,)"},
        {"h", (INT64_C(1) << 53) + 1, INT64_MAX, 1, "(0,)"}, /* no tensor has as many elements */
        {"h", INT64_MAX, INT64_MAX, 1, "(0,)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        ox_val x = input(&t, "x", F32, rows[i].from);
        assert_shape(&t, ox_slice(b, x, &rows[i].start, &rows[i].end, INTS(-1), &rows[i].step, 1), rows[i].to);
        assert_int_equal(t.m.main.n_nodes, 1);
        end(&t);
    }
}

static void slices_of_everything_are_omitted(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "batch,10");
    ox_val part[1];
    assert_int_equal(ox_slice(b, x, INTS(0, 0), INTS(INT64_MAX, 10), INTS(0, 1), NULL, 2), x);
    assert_int_equal(ox_slice1(b, x, 1, -10, 12), x);
    assert_int_equal(ox_slice_dims(b, x, INTS(0), DIMS(&t, "0"), DIMS(&t, "batch"), 1), x);
    assert_int_equal(ox_tile(b, x, INTS(1, 1), 2), x);
    assert_int_equal(ox_pad(b, x, INTS(0, 0), INTS(0, 0), 2, "constant", 1), x);
    assert_int_equal(ox_concat(b, &x, 1, 0), x);
    assert_int_equal(ox_expand(b, x, DIMS(&t, "batch,10"), 2), x);
    ox_split(b, x, 1, INTS(10), 1, part);
    assert_int_equal(part[0], x);
    assert_int_equal(ox_node(b, OX_Identity, OX_IN(x), OX_NO_ATTRS), x);
    assert_int_equal(ox_node(b, OX_Dropout, OX_IN(x), OX_NO_ATTRS), x);
    assert_int_equal(t.m.main.n_nodes, 0);
    end(&t);
}

static void sliced_sizes_are_sizes(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "batch,10,h");
    ox_val sizes = ox_node(b, OX_Shape, OX_IN(x), OX_NO_ATTRS);
    ox_output(b, ox_slice1(b, sizes, 0, 1, 2), "ten");
    ox_output(b, ox_slice1(b, sizes, 0, -1, INT64_MAX), "h");
    ox_output(b, ox_slice(b, sizes, INTS(2), INTS(INT64_MIN + 1), INTS(0), INTS(-1), 1), "back");
    assert_nodes(&t, "0 Shape(x) start=2 end=3 int64 (1,)\n"
                     "1 Shape(x) start=0 end=1 int64 (1,)\n"
                     "2 Concat(%0, [10], %1) axis=0 int64 (3,)\n"
                     "3 Identity([10]) int64 (1,)\n");
    end(&t);
}

static void only_sliced_axes_are_named(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "batch,10,h");
    ox_output(b, ox_slice(b, x, INTS(0, 2, 0), INTS(INT64_MAX, 4, INT64_MAX), INTS(0, 1, 2), NULL, 3), "y");
    assert_nodes(&t, "0 Slice(x, [2], [4], [1]) float32 (batch, 2, h)\n");
    end(&t);
}

static void empty_parts_are_not_joined(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "batch,3");
    ox_val none = ox_fill(b, F32, shape(&t, "0,3"), 0);
    assert_int_equal(ox_concat(b, (const ox_val[]){none, x, none}, 3, 0), x);
    ox_val y = ox_concat(b, (const ox_val[]){x, x, input(&t, "y", F32, "4,3")}, 3, -2);
    assert_shape(&t, y, "(2*batch + 4, 3)");
    end(&t);
}

/* ---- sizes at run time */

static void a_size_is_written_once(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "batch,h");
    mx_dim half = mx_dim_floor_div(t.m.dims, mx_dim_addn(t.m.dims, named(&t, "h"), -1), 2);
    ox_val d = ox_dim(b, half);
    assert_int_equal(ox_dim(b, half), d);
    assert_int_equal(ox_dim(b, mx_dim_of(7)), ox_int(b, 7));
    ox_output(b, d, "d");
    ox_output(b, ox_dim(b, mx_dim_addn(t.m.dims, half, 3)), "e");
    ox_output(b, ox_dims(b, ox_shape(b, ox_unary(b, OX_Neg, x)).dims, 2), "s");
    assert_int_equal(ox_dims(b, ox_shape(b, x).dims, 2), ox_node(b, OX_Shape, OX_IN(x), OX_NO_ATTRS));
    assert_nodes(&t, "0 Shape(x) start=1 end=2 int64 (1,)\n"
                     "1 Add(%0, [1]) int64 (1,)\n"
                     "2 Div(%1, [2]) int64 (1,)\n"
                     "3 Sub(%2, [1]) int64 (1,)\n"
                     "4 Add(%2, [2]) int64 (1,)\n"
                     "5 Shape(x) int64 (2,)\n");
    end(&t);
}

static void sizes_are_gathered_before_shape_has_a_range(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 13);
    input(&t, "x", F32, "batch,3,h");
    ox_output(b, ox_dim(b, named(&t, "h")), "h");
    ox_output(b, ox_dims(b, DIMS(&t, "batch,5,3,h"), 4), "s");
    assert_nodes(&t, "0 Gather(%4, [2]) axis=0 int64 (1,)\n"
                     "1 Gather(%4, [0]) axis=0 int64 (1,)\n"
                     "2 Gather(%4, [1 2]) axis=0 int64 (2,)\n"
                     "3 Concat(%1, [5], %2) axis=0 int64 (4,)\n"
                     "4 Shape(x) int64 (3,)\n"); /* what a pass adds is at the end until ox_order */
    end(&t);
}

/* ONNX's Div cuts toward zero, so no numerator may become negative where the size itself does not.
 */
static void floors_have_positive_numerators(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    input(&t, "x", F32, "h");
    mx_dim d = mx_dim_floor_div(t.m.dims, mx_dim_sub(t.m.dims, mx_dim_of(20), named(&t, "h")), 3);
    ox_output(b, ox_dim(b, d), "d");
    assert_nodes(&t, "0 Shape(x) int64 (1,)\n"
                     "1 Mul(%0, [2]) int64 (1,)\n"
                     "2 Add(%1, [2]) int64 (1,)\n"
                     "3 Div(%2, [3]) int64 (1,)\n"
                     "4 Sub(%3, %0) int64 (1,)\n"
                     "5 Add(%4, [6]) int64 (1,)\n");
    end(&t);
}

/* A list of sizes is written once, and its shape is known where it is used. */
static void lists_of_sizes_are_known(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    input(&t, "x", F32, "batch,h");
    ox_val list = ox_dims(b, DIMS(&t, "h,2,batch"), 3);
    assert_int_equal(ox_dims(b, DIMS(&t, "h,2,batch"), 3), list);
    assert_shape(&t, ox_node(b, OX_Expand, OX_IN(input(&t, "y", F32, "1"), list), OX_NO_ATTRS), "(h, 2, batch)");
    assert_shape(&t, ox_node(b, OX_ConstantOfShape, OX_IN(list), OX_NO_ATTRS), "(h, 2, batch)");
    ox_val n = ox_squeeze1(b, ox_dim(b, named(&t, "h")), 0);
    ox_val range = ox_node(b, OX_Range, OX_IN(ox_scalar(b, MX_INT64, 0), n, ox_scalar(b, MX_INT64, 1)), OX_NO_ATTRS);
    assert_shape(&t, range, "(h,)");
    end(&t);
}

/* In a body: sizes of outer values are computed outside, sizes of the body's own values inside and
 * not kept. */
static void sizes_in_bodies_are_computed_outside_where_possible(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    input(&t, "x", F32, "batch,h");
    struct ox_graph *g = ox_graph_begin(b, "body");
    ox_graph_input(b, F32, shape(&t, "inner"));
    ox_val outer = ox_dim(b, named(&t, "h"));
    assert_int_equal(t.m.main.n_nodes, 1);
    assert_int_equal(g->n_nodes, 0);
    ox_val inner = ox_dim(b, mx_dim_add(t.m.dims, named(&t, "inner"), named(&t, "h")));
    assert_int_equal(t.m.main.n_nodes, 1);
    assert_int_equal(g->n_nodes, 2);
    ox_graph_end(b, &inner, 1);
    assert_int_equal(ox_dim(b, named(&t, "h")), outer);
    assert_int_equal(ox_dim(b, named(&t, "inner")), OX_NONE);
    assert_true(ox_failed(b));
    end(&t);
}

/* ---- what nodes make */

static void shapes_of_nodes_are_those_of_onnx(void **state)
{
    const struct {
        enum ox_op op;
        const char *in[3];
        struct ox_attr attrs[4];
        const char *out;
    } rows[] = {
        {OX_Conv,
         {"batch,3,h,32", "8,3,3,3"},
         {OX_IS("strides", INTS(2, 2), 2), OX_IS("pads", INTS(1, 1, 1, 1), 4)},
         "(batch, 8, floor((h + 1)/2), 16)"},
        {OX_Conv, {"1,3,9", "8,3,3"}, {OX_IS("dilations", INTS(2), 1)}, "(1, 8, 5)"},
        {OX_ConvTranspose,
         {"batch,3,h", "3,4,4"},
         {OX_IS("strides", INTS(2), 1), OX_IS("pads", INTS(1, 1), 2), OX_I("group", 3)},
         "(batch, 12, 2*h)"},
        {OX_MaxPool,
         {"1,3,7,h"},
         {OX_IS("kernel_shape", INTS(2, 2), 2), OX_IS("strides", INTS(2, 2), 2), OX_I("ceil_mode", 1)},
         "(1, 3, 4, floor((h + 1)/2))"},
        /* the last window would start in the padding */
        {OX_MaxPool,
         {"1,3,4,4"},
         {OX_IS("kernel_shape", INTS(2, 2), 2), OX_IS("strides", INTS(3, 3), 2), OX_IS("pads", INTS(0, 0, 1, 1), 4), OX_I("ceil_mode", 1)},
         "(1, 3, 2, 2)"},
        {OX_GlobalAveragePool, {"batch,3,h,w"}, {{0}}, "(batch, 3, 1, 1)"},
        {OX_Gemm, {"batch,4", "5,4"}, {OX_I("transB", 1)}, "(batch, 5)"},
        {OX_MatMul, {"batch,3,4", "4,5"}, {{0}}, "(batch, 3, 5)"},
        {OX_MatMul, {"1,3,4", "batch,4,5"}, {{0}}, "(batch, 3, 5)"},
        {OX_MatMul, {"4", "4,5"}, {{0}}, "(5,)"},
        {OX_Add, {"batch,1,h", "3,1"}, {{0}}, "(batch, 3, h)"},
        {OX_Add, {"batch,h", "h"}, {{0}}, "(batch, h)"},
        {OX_Gather, {"5,h", "2,batch"}, {OX_I("axis", 1)}, "(5, 2, batch)"},
        {OX_GatherND, {"5,h,7", "batch,2"}, {{0}}, "(batch, 7)"},
        {OX_GatherND, {"5,h,7", "batch,3"}, {{0}}, "(batch,)"},
        {OX_GatherND, {"5,h,7", "5,4,2"}, {OX_I("batch_dims", 1)}, "(5, 4)"},
        {OX_GatherND, {"5,h,7", "5,h,1,1"}, {OX_I("batch_dims", 2)}, "(5, h, 1)"},
        /* more than the data has */
        {OX_GatherND, {"5,h,7", "batch,4"}, {{0}}, "?"},
        {OX_GatherND, {"5,h,7", "5,4,3"}, {OX_I("batch_dims", 1)}, "?"},
        {OX_GatherND, {"5,h,7", "5,h,7,1"}, {OX_I("batch_dims", 3)}, "?"},
        {OX_GatherND, {"5,h", "5,h,7,0"}, {OX_I("batch_dims", 3)}, "?"},
        {OX_GatherND, {"5,h,7", "5,4,1"}, {OX_I("batch_dims", -1)}, "?"},
        {OX_GatherElements, {"5,h", "2,h"}, {{0}}, "(2, h)"},
        {OX_ArgMax, {"batch,5"}, {OX_I("axis", -1), OX_I("keepdims", 0)}, "(batch,)"},
        {OX_Flatten, {"batch,3,h"}, {{0}}, "(batch, 3*h)"},
        {OX_Softmax, {"batch,3"}, {{0}}, "(batch, 3)"},
        {OX_DepthToSpace, {"batch,12,h,4"}, {OX_I("blocksize", 2)}, "(batch, 3, 2*h, 8)"},
        {OX_SpaceToDepth, {"batch,3,4,6"}, {OX_I("blocksize", 2)}, "(batch, 12, 2, 3)"},
        {OX_Einsum, {"batch,3,h", "4,3"}, {OX_S("equation", "bij,ki->bkj")}, "(batch, 4, h)"},
        {OX_Einsum, {"batch,3", "3,4"}, {OX_S("equation", "zi, ia")}, "(4, batch)"},
        {OX_LSTM, {"t,batch,3", "2,16,3", "2,16,4"}, {OX_I("hidden_size", 4), OX_S("direction", "bidirectional")}, "(t, 2, batch, 4)"},
        {OX_RoiAlign,
         {"1,8,9,9", "n,4", "n"},
         {OX_I("output_height", 3), OX_I("output_width", 2), OX_S("coordinate_transformation_mode", "output_half_pixel")},
         "(n, 8, 3, 2)"},
        {OX_GridSample, {"batch,3,4,5", "batch,h,w,2"}, {{0}}, "(batch, 3, h, w)"},
        {OX_DeformConv, {"batch,4,h,8", "6,4,3,3", "batch,18,h,6"}, {OX_IS("pads", INTS(1, 0, 1, 0), 4)}, "(batch, 6, h, 6)"},
        {OX_NonZero, {"3,4"}, {{0}}, "(2, ?)"},
        {OX_Compress, {"3,4", "4"}, {OX_I("axis", 1)}, "(3, ?)"},
        {OX_Det, {"batch,4,4"}, {{0}}, "(batch,)"},
        {OX_InstanceNormalization, {"batch,3,h", "3", "3"}, {{0}}, "(batch, 3, h)"},
        {OX_LRN, {"batch,3,4,4"}, {OX_I("size", 3)}, "(batch, 3, 4, 4)"},
        {OX_LayerNormalization, {"batch,3", "3"}, {{0}}, "(batch, 3)"},
        {OX_Where, {"batch,1", "3", "1"}, {{0}}, "(batch, 3)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 20);
        ox_val in[4] = {OX_END, OX_END, OX_END, OX_END};
        struct ox_attr attrs[5];
        memset(attrs, 0, sizeof attrs);
        for (int k = 0; k < 4 && rows[i].attrs[k].name; k++) {
            attrs[k] = rows[i].attrs[k];
        }
        for (int k = 0; k < 3 && rows[i].in[k]; k++) {
            in[k] = input(&t, "x", F32, rows[i].in[k]);
        }
        assert_shape(&t, ox_emit(b, rows[i].op, in, attrs), rows[i].out);
        end(&t);
    }
}

static void shapes_are_computed_from_constants(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 18);
    ox_val two[2];
    ox_val x = input(&t, "x", F32, "batch,3,h,4");
    ox_val scales = ox_floats(b, F32, (const double[]){1, 1, 2, 1.5}, 4);
    assert_shape(&t, ox_node(b, OX_Resize, OX_IN(x, OX_NONE, scales), OX_NO_ATTRS), "(batch, 3, 2*h, 6)");
    assert_shape(&t, ox_node(b, OX_Resize, OX_IN(x, OX_NONE, OX_NONE, OX_INTS(b, 8, 9)), OX_ATTRS(OX_IS("axes", INTS(-1, 2), 2))),
                 "(batch, 3, 9, 8)");
    assert_shape(&t, ox_tile(b, x, INTS(2, 1, 3, 1), 4), "(2*batch, 3, 3*h, 4)");
    assert_shape(&t, ox_pad(b, x, INTS(0, 1, 2, 0), INTS(0, 0, -1, 0), 4, "constant", 0), "(batch, 4, h + 1, 4)");
    ox_node_n(b, OX_TopK, OX_IN(x, ox_int(b, 2)), OX_ATTRS(OX_I("axis", 1)), two, 2);
    assert_shape(&t, two[1], "(batch, 2, h, 4)");
    assert_int_equal(ox_dtype(b, two[1]), MX_INT64);
    ox_val i = input(&t, "i", MX_INT64, "batch");
    assert_shape(&t, ox_node(b, OX_OneHot, OX_IN(i, ox_int(b, 5), ox_floats(b, F32, (const double[]){0, 1}, 2)), OX_ATTRS(OX_I("axis", 0))),
                 "(5, batch)");
    ox_node_n(b, OX_Split, OX_IN(x), OX_ATTRS(OX_I("axis", 2), OX_I("num_outputs", 2)), two, 2);
    assert_shape(&t, two[0], "(batch, 3, floor((h + 1)/2), 4)");
    assert_shape(&t, ox_reduce(b, OX_ReduceMax, x, INTS(-1, 1), 2, false), "(batch, h)");
    assert_shape(&t, ox_reduce(b, OX_ReduceMax, x, INTS(2), 1, true), "(batch, 3, 1, 4)");
    assert_shape(&t, ox_reduce(b, OX_ReduceMax, x, NULL, -1, false), "()");
    assert_shape(&t, ox_reduce(b, OX_ReduceMax, x, NULL, -1, true), "(1, 1, 1, 1)");
    end(&t);
}

static void lengths_of_ranges_are_exact(void **state)
{
    static const struct {
        int64_t start, end, step;
        const char *shape; /* NULL: more than there are numbers of */
    } rows[] = {
        {0, 1000000000, 3, "(333333334,)"},
        {0, 999999999, 3, "(333333333,)"},
        {1000000000, 0, -7, "(142857143,)"},
        {-5, 1000000000, 1, "(1000000005,)"},
        {INT64_MIN, INT64_MAX, 4, "(4611686018427387904,)"},
        {INT64_MIN, INT64_MAX, 1, NULL},
        {5, 5, 1, "(0,)"},
        {5, 4, 1, "(0,)"},
        {4, 5, -1, "(0,)"},
        {5, 5, -2, "(0,)"},
        {5, 5, 2, "(0,)"},
        {INT64_C(1) << 60, INT64_C(1) << 60, 2, "(0,)"}, /* numbers that are too large for a constant */
        {INT64_C(1) << 60, INT64_C(1) << 60, -2, "(0,)"},
        {INT64_C(1) << 60, (INT64_C(1) << 60) - 5, 2, "(0,)"},
        {INT64_C(1) << 60, (INT64_C(1) << 60) + 5, -2, "(0,)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        const ox_val x =
            ox_node(b, OX_Range, OX_IN(ox_int(b, rows[i].start), ox_int(b, rows[i].end), ox_int(b, rows[i].step)), OX_NO_ATTRS);
        if (rows[i].shape) {
            assert_shape(&t, x, rows[i].shape);
        } else {
            assert_true(mx_dim_is_unknown(b->model->dims, ox_dim_at(b, x, 0)));
        }
        end(&t);
    }
    /* Up to a size known at run time: that size, from 0 and by 1. */
    for (int i = 0; i < 3; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        const ox_val h = ox_dim_as(b, ox_dim_at(b, input(&t, "x", F32, "h"), 0), MX_INT64);
        const ox_val start = ox_scalar(b, MX_INT64, i == 1), step = ox_scalar(b, MX_INT64, i == 2 ? 2 : 1);
        assert_int_equal(mx_dim_equal(t.m.dims, ox_dim_at(b, ox_node(b, OX_Range, OX_IN(start, h, step), OX_NO_ATTRS), 0), named(&t, "h")),
                         i == 0);
        end(&t);
    }
}

/* If the builder names no value, the operator does, also through the cast after the node. */
static void operators_may_say_the_shape(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", MX_FLOAT64, "1,1,4,4");
    ox_val i = input(&t, "i", MX_INT64, "1,1,4,4");
    ox_val y = ox_node(b, OX_MaxUnpool, OX_IN(x, i), OX_ATTRS(OX_IS("kernel_shape", INTS(2, 2), 2)));
    assert_int_equal(ox_rank(b, y), -1);
    ox_typed(b, y, MX_FLOAT64, shape(&t, "1,1,8,rows"));
    assert_shape(&t, y, "(1, 1, 8, rows)");
    const struct ox_node *cast = legal(&t, y);
    assert_int_equal(cast->op, OX_Cast);
    assert_shape(&t, cast->in[0], "(1, 1, 8, rows)");
    assert_int_equal(ox_dtype(b, cast->in[0]), F32);
    assert_int_not_equal(ox_dim(b, named(&t, "rows")), OX_NONE);
    end(&t);
}

/* ---- more dimensions than possible */

static void more_dimensions_than_possible_are_refused(void **state)
{
    const mx_dim ones[] = {mx_dim_of(1), mx_dim_of(1), mx_dim_of(1), mx_dim_of(1), mx_dim_of(1), mx_dim_of(1),
                           mx_dim_of(1), mx_dim_of(1), mx_dim_of(1), mx_dim_of(1), mx_dim_of(1)}; /* 11 */
    const int64_t numbers[MX_MAX_RANK + 1] = {0};
    const float element = 1;
    for (int i = 0; i < 9; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        struct mx_dim_list many = ox_no_dims(b);
        for (int k = 0; k < 3; k++) {
            mx_push_dims(&many, ones, 11);
        }
        const struct mx_shape s = mx_list_shape(&many);
        ox_val x = input(&t, "x", F32, "1");
        switch (i) {
        case 0: ox_fill(b, F32, s, 1); break;
        case 1: ox_reshape_shape(b, x, s); break;
        case 2: ox_expand(b, x, s.dims, s.ndim); break;
        case 3: ox_tensor(b, F32, numbers, MX_MAX_RANK + 1, &element); break;
        case 4: ox_typed(b, ox_node(b, OX_NonZero, OX_IN(x), OX_NO_ATTRS), MX_INT64, s); break;
        case 5:
            ox_graph_begin(b, "body");
            ox_graph_input(b, F32, s);
            break;
        case 6:
            ox_normal(b, s, F32); /* drew for gamma samples of 32 dimensions */
            break;
        case 7: /* of a size known at run time */
            mx_put_dim(&many, 0, named(&t, "n"));
            ox_normal(b, mx_list_shape(&many), F32);
            break;
        default: ox_computed(b, F32, numbers, MX_MAX_RANK + 1, NULL, NULL, 0);
        }
        assert_true(ox_failed(b));
        assert_string_equal(message(&t), "the result would have rank 33, and at most 32 is possible");
        assert_int_equal(ox_end_node(b), MX_UNSUPPORTED);
        end(&t);
    }
}

/* The value between two others that have 32 dimensions. */
static void one_axis_too_many_is_an_unknown_rank(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const struct mx_int_list all = ox_repeated(b, 1, MX_MAX_RANK);
    ox_val x = ox_reshape_ints(b, input(&t, "x", F32, "1"), all.v, all.n);
    ox_val y = ox_unsqueeze1(b, x, 0);
    assert_int_equal(ox_rank(b, x), MX_MAX_RANK);
    assert_int_equal(ox_rank(b, y), -1);
    assert_false(ox_failed(b));
    ox_fill(b, F32, ox_shape(b, y), 0);
    assert_string_equal(message(&t), "the rank of a tensor is unknown but needed here");
    assert_int_equal(ox_end_node(b), MX_UNSUPPORTED);
    end(&t);
}

static void lists_of_the_builder_have_their_elements(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "2,3");
    struct mx_axes set = {0};
    mx_add_axis(&set, 3);
    mx_add_axis(&set, 1);
    const struct mx_int_list listed = ox_listed(b, set), counted = ox_counted(b, 3), none = ox_counted(b, -1);
    assert_int_equal(listed.n, 2);
    assert_int_equal(listed.v[0], 1);
    assert_int_equal(listed.v[1], 3);
    assert_int_equal(counted.n, 3);
    assert_int_equal(counted.v[2], 2);
    assert_int_equal(none.n, 0);
    assert_int_equal(ox_dims_like(b, ox_shape(b, x)).n, 2);
    assert_int_equal(ox_dims_like(b, MX_SHAPE_UNKNOWN).n, 0);
    assert_false(ox_failed(b));
    (void)mx_get_int(&counted, 3);
    assert_true(ox_failed(b)); /* before the error has a message */
    assert_int_equal(ox_transpose(b, x, INTS(1, 0), 2), OX_NONE);
    assert_int_equal(ox_end_node(b), MX_INTERNAL);
    assert_string_equal(message(&t), "internal error: an index outside of a list");
    ox_begin_node(b, &t.node);
    assert_false(ox_failed(b));
    (void)ox_repeated(b, 0, 1000);
    assert_int_equal(ox_end_node(b), MX_UNSUPPORTED);
    assert_string_equal(message(&t), "the result would have rank at least 66, and at most 32 is possible");
    ox_begin_node(b, &t.node);
    (void)ox_repeated(b, 0, 1000);
    ox_begin_node(b, &t.node); /* the walk does not ask after an error elsewhere */
    assert_false(ox_failed(b));
    assert_int_equal(ox_end_node(b), MX_OK);
    end(&t);
}

/* A Pad of a rank whose numbers are more than 34. */
static void a_pad_of_high_rank_has_a_shape(void **state)
{
    enum { RANK = 18 };
    struct t t;
    struct ox_build *b = begin(&t, 17);
    int64_t pads[2 * RANK] = {0};
    (void)state;
    pads[0] = 1;
    pads[2 * RANK - 1] = 2;
    const ox_val x = input(&t, "x", F32, "2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,3"),
                 y = ox_node(b, OX_Pad, OX_IN(x, ox_ints(b, pads, 2 * RANK)), OX_NO_ATTRS);
    assert_int_equal(ox_rank(b, y), RANK);
    assert_int_equal(ox_number(b, ox_dim_at(b, y, 0), "first"), 3);
    assert_int_equal(ox_number(b, ox_dim_at(b, y, RANK - 1), "last"), 5);
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reshape_is_written_in_its_shortest_form),
        cmocka_unit_test(more_dimensions_than_possible_are_refused),
        cmocka_unit_test(one_axis_too_many_is_an_unknown_rank),
        cmocka_unit_test(lists_of_the_builder_have_their_elements),
        cmocka_unit_test(a_computed_reshape_reads_few_sizes),
        cmocka_unit_test(the_dearest_size_is_left_to_the_runtime),
        cmocka_unit_test(a_reshape_has_the_sizes_of_a_vector),
        cmocka_unit_test(a_flatten_reads_no_size),
        cmocka_unit_test(reshapes_hold_at_sizes_of_0),
        cmocka_unit_test(one_size_of_a_reshape_may_be_unreadable),
        cmocka_unit_test(sizes_that_a_reshape_can_have),
        cmocka_unit_test(an_expanded_value_is_reshaped_before),
        cmocka_unit_test(nodes_of_an_unknown_rank_are_left_as_they_are),
        cmocka_unit_test(branches_of_an_unknown_rank_leave_the_rank_open),
        cmocka_unit_test(a_shape_of_unreadable_sizes_is_read),
        cmocka_unit_test(only_reshapes_by_constants_are_skipped),
        cmocka_unit_test(a_reshape_to_another_number_of_elements_is_refused),
        cmocka_unit_test(reshape_chains_become_one),
        cmocka_unit_test(nothing_is_a_constant),
        cmocka_unit_test(inverse_transposes_vanish),
        cmocka_unit_test(slices_have_their_sizes),
        cmocka_unit_test(slices_of_everything_are_omitted),
        cmocka_unit_test(sliced_sizes_are_sizes),
        cmocka_unit_test(only_sliced_axes_are_named),
        cmocka_unit_test(empty_parts_are_not_joined),
        cmocka_unit_test(a_size_is_written_once),
        cmocka_unit_test(sizes_are_gathered_before_shape_has_a_range),
        cmocka_unit_test(floors_have_positive_numerators),
        cmocka_unit_test(lists_of_sizes_are_known),
        cmocka_unit_test(sizes_in_bodies_are_computed_outside_where_possible),
        cmocka_unit_test(shapes_of_nodes_are_those_of_onnx),
        cmocka_unit_test(shapes_are_computed_from_constants),
        cmocka_unit_test(lengths_of_ranges_are_exact),
        cmocka_unit_test(operators_may_say_the_shape),
        cmocka_unit_test(a_pad_of_high_rank_has_a_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
