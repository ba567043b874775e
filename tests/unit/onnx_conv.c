/* Constants next to a convolution: those that go into its weights, factors and batch norms, and those that are only noted. */
#include <math.h>

#include "build_common.h"

static ox_val filled(struct ox_build *b, int ndim, const int64_t *dims, double value)
{
    float numbers[4 * 4 * 3 * 3];
    for (int i = 0; i < 4 * 4 * 3 * 3; i++) {
        numbers[i] = (float)(value * (1 + i % 7));
    }
    return ox_tensor(b, F32, dims, ndim, numbers);
}

enum form { PLAIN, NO_BIAS, NO_FILTERS, SHARED_WEIGHT, SHARED_BIAS, OPEN_WEIGHT, OPEN_BIAS, DECONVOLUTION };

static ox_val convolution(struct t *t, ox_val x, enum form form)
{
    struct ox_build *b = &t->b;
    const enum ox_op op = form == DECONVOLUTION ? OX_ConvTranspose : OX_Conv;
    const ox_val w = form == NO_FILTERS    ? filled(b, 4, INTS(0, 4, 3, 3), 1)
                     : form == OPEN_WEIGHT ? input(t, "w", F32, "4,4,3,3")
                                           : filled(b, 4, INTS(4, 4, 3, 3), 0.5);
    const ox_val c = form == OPEN_BIAS                                                ? input(t, "b", F32, "4")
                     : form == NO_BIAS || form == NO_FILTERS || form == DECONVOLUTION ? OX_NONE
                                                                                      : filled(b, 1, INTS(4), 2);
    if (form == SHARED_WEIGHT) {
        ox_output(b, ox_node(b, OX_Conv, OX_IN(input(t, "z", F32, "1,4,5,5"), w), OX_NO_ATTRS), "z");
    } else if (form == SHARED_BIAS) {
        ox_output(b, ox_unary(b, OX_Exp, ox_node(b, OX_Add, OX_IN(input(t, "z", F32, "4"), c), OX_NO_ATTRS)), "z");
    }
    return ox_node(b, op, OX_IN(x, w, c), OX_NO_ATTRS);
}

static void factors_are_merged_into_convolutions(void **state)
{
    static const struct {
        enum ox_op op;
        bool first; /* the constant is the first input */
        int ndim;
        int64_t dims[5];
        double value;
        enum form form;
        bool folds;
    } rows[] = {
        {OX_Mul, false, 0, {0}, 2, PLAIN, true},
        {OX_Mul, true, 0, {0}, 2, PLAIN, true},
        {OX_Div, false, 0, {0}, 2, PLAIN, true},
        {OX_Div, true, 0, {0}, 2, PLAIN, false},
        {OX_Add, false, 0, {0}, 2, PLAIN, false},
        {OX_Mul, false, 4, {1, 4, 1, 1}, 2, PLAIN, true},
        {OX_Mul, false, 3, {4, 1, 1}, 2, PLAIN, true},
        {OX_Mul, false, 3, {4, 1, 1}, 2, NO_BIAS, true},
        {OX_Mul, false, 3, {4, 1, 1}, 2, DECONVOLUTION, true},
        {OX_Mul, false, 2, {4, 1}, 2, PLAIN, false},
        {OX_Mul, false, 1, {4}, 2, PLAIN, false},
        {OX_Mul, false, 4, {4, 1, 1, 1}, 2, PLAIN, false},
        {OX_Mul, false, 4, {1, 4, 4, 1}, 2, PLAIN, false},
        {OX_Mul, false, 5, {1, 1, 1, 1, 1}, 2, PLAIN, false}, /* which adds an axis */
        {OX_Mul, false, 0, {0}, 1e10, PLAIN, false},
        {OX_Mul, false, 0, {0}, -1e10, PLAIN, false},
        {OX_Mul, false, 0, {0}, 1e-10, PLAIN, false},
        {OX_Div, false, 0, {0}, 1e-10, PLAIN, false},
        {OX_Mul, false, 0, {0}, NAN, PLAIN, false},
        {OX_Mul, false, 3, {4, 1, 1}, 3e-10, PLAIN, false}, /* the last one is not too small */
        {OX_Mul, false, 4, {1, 4, 1, 1}, 2, NO_FILTERS, false},
        {OX_Mul, false, 0, {0}, 2, SHARED_WEIGHT, false},
        {OX_Mul, false, 0, {0}, 2, SHARED_BIAS, false},
        {OX_Mul, false, 0, {0}, 2, OPEN_WEIGHT, false},
        {OX_Mul, false, 0, {0}, 2, OPEN_BIAS, false},
    };
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        const bool after = i % 2, first = rows[i / 2].first;
        const ox_val c = filled(b, rows[i / 2].ndim, rows[i / 2].dims, rows[i / 2].value);
        ox_val x = ox_unary(b, OX_Relu, input(&t, "x", F32, "4,4,4,4"));
        if (rows[i / 2].ndim == 5 && !after) { /* no convolution reads it */
            end(&t);
            continue;
        }
        for (int k = 0; k < 2; k++) {
            x = k == after ? ox_node(b, rows[i / 2].op, first ? OX_IN(c, x) : OX_IN(x, c), OX_NO_ATTRS)
                           : convolution(&t, x, rows[i / 2].form);
        }
        ox_output(b, x, "y");
        assert_int_equal(ox_finish(&t.m), MX_OK);
        const int before = count_of(&t, rows[i / 2].op);
        assert_int_equal(ox_fold_scales(&t.m), MX_OK);
        if (count_of(&t, rows[i / 2].op) != before - rows[i / 2].folds) {
            fail_msg("row %zu, %s the convolution", i / 2, after ? "after" : "before");
        }
        assert_int_equal(ox_check(&t.m, OX_COUNTED), MX_OK);
        end(&t);
    }
}

/* A program may look for the number by which a net multiplies its input. */
static void the_factor_of_an_input_stays(void **state)
{
    static const struct {
        enum ox_op op;                     /* before the factor */
        bool first;                        /* the constant is its first input */
        enum { CALLER, NOBODY, NET } node; /* to which it belongs */
        bool folds;
    } rows[] = {
        {OX_Identity, false, NET, false},  {OX_Add, false, NET, false},  {OX_Sub, true, NET, false},      {OX_Cast, false, NET, false},
        {OX_Transpose, false, NET, false}, {OX_Relu, false, NET, true},  {OX_PRelu, false, NET, true},    {OX_Max, false, NET, true},
        {OX_Slice, false, CALLER, false},  {OX_Slice, false, NET, true}, {OX_Slice, false, NOBODY, true},
    };
    for (size_t i = 0; i < 4 * sizeof rows / sizeof rows[0]; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        const struct mx_node of_caller = {.name = "input", .op_name = "preprocess", .is_preprocessing = true};
        const enum ox_op op = rows[i / 4].op;
        const bool folds_all = i % 4 == 1, chosen = i % 4 == 2, channels = i % 4 == 3;
        const ox_val three = ox_float32(b, 3);
        ox_val x = input(&t, "x", op == OX_Cast ? MX_UINT8 : F32, "4,4,4,4");
        t.m.fold_input_scale = folds_all;
        b->node = rows[i / 4].node == CALLER ? &of_caller : rows[i / 4].node == NET ? &t.node : NULL;
        x = op == OX_Identity    ? x
            : op == OX_Cast      ? ox_cast(b, x, F32)
            : op == OX_Transpose ? ox_transpose(b, x, INTS(0, 3, 1, 2), 4)
            : op == OX_Relu      ? ox_unary(b, OX_Relu, x)
            : op == OX_Slice     ? ox_slice(b, x, INTS(-1), INTS(INT64_MIN + 1), INTS(1), INTS(-1), 1)
                                 : ox_node(b, op, rows[i / 4].first ? OX_IN(three, x) : OX_IN(x, three), OX_NO_ATTRS);
        b->node = chosen ? &of_caller : &t.node;
        x = ox_mul(b, x, channels ? filled(b, 3, INTS(4, 1, 1), 2) : ox_float32(b, 2));
        ox_output(b, convolution(&t, x, PLAIN), "y");
        assert_int_equal(ox_finish(&t.m), MX_OK);
        assert_int_equal(ox_fold_scales(&t.m), MX_OK);
        if (count_of(&t, OX_Mul) != !(rows[i / 4].folds || i % 4 > 0)) {
            fail_msg("row %zu, %zu", i / 4, i % 4);
        }
        end(&t);
    }
}

static void a_sum_of_two_values_is_scaled_in_the_weight(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val sum = ox_add(b, input(&t, "x", F32, "1,4,4,4"), input(&t, "z", F32, "1,4,4,4"));
    ox_output(b, convolution(&t, ox_mul(b, sum, ox_float32(b, 2)), PLAIN), "y");
    assert_int_equal(ox_finish(&t.m), MX_OK);
    assert_int_equal(ox_fold_scales(&t.m), MX_OK);
    assert_int_equal(count_of(&t, OX_Mul), 0);
    end(&t);
}

/* Each factor is one more call when the weight is read. */
static void a_weight_is_scaled_a_few_times(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val y = convolution(&t, input(&t, "x", F32, "4,4,4,4"), PLAIN);
    for (int i = 0; i < 40; i++) {
        y = ox_mul(b, y, ox_float32(b, 1.5));
    }
    ox_output(b, y, "y");
    assert_int_equal(ox_finish(&t.m), MX_OK);
    assert_int_equal(ox_fold_scales(&t.m), MX_OK);
    assert_int_equal(count_of(&t, OX_Mul), 40 - 16);
    end(&t);
}

/* Of two MXNet nodes, a number and numbers. */
static void factors_of_factors_are_merged(void **state)
{
    static const struct {
        enum ox_op inner, outer;
        bool same_node, no_node, of_input;
        int64_t size, inner_size;
        double value;
        bool folds;
    } rows[] = {
        {OX_Mul, OX_Mul, false, false, false, 4, 1, 2, true},     {OX_Div, OX_Mul, false, false, false, 4, 1, 2, true},
        {OX_Add, OX_Mul, false, false, false, 4, 1, 2, false},    {OX_Mul, OX_Div, false, false, false, 4, 1, 2, false},
        {OX_Mul, OX_Add, false, false, false, 4, 1, 2, false},    {OX_Mul, OX_Mul, true, false, false, 4, 1, 2, false},
        {OX_Mul, OX_Mul, false, true, false, 4, 1, 2, false},     {OX_Mul, OX_Mul, false, false, true, 4, 1, 2, false},
        {OX_Mul, OX_Mul, false, false, false, 1, 1, 2, false},    {OX_Mul, OX_Mul, false, false, false, 4, 4, 2, false},
        {OX_Mul, OX_Mul, false, false, false, 4, 1, 1e10, false},
    };
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        const struct mx_node outer = {.name = "m", .op_name = "Op"};
        const ox_val c = filled(b, 1, INTS(rows[i / 2].size), 3), d = filled(b, 1, INTS(rows[i / 2].inner_size), rows[i / 2].value);
        const ox_val data = input(&t, "x", F32, "2,4"), start = rows[i / 2].of_input ? data : ox_unary(b, OX_Abs, data);
        const ox_val x = ox_node(b, rows[i / 2].inner, OX_IN(start, d), OX_NO_ATTRS);
        b->node = rows[i / 2].same_node ? &t.node : rows[i / 2].no_node ? NULL : &outer;
        ox_output(b, ox_node(b, rows[i / 2].outer, i % 2 ? OX_IN(c, x) : OX_IN(x, c), OX_NO_ATTRS), "y");
        assert_int_equal(ox_finish(&t.m), MX_OK);
        assert_int_equal(ox_fold_scales(&t.m), MX_OK);
        if (t.m.main.n_nodes != 3 - rows[i / 2].folds - rows[i / 2].of_input) {
            fail_msg("row %zu: %d nodes", i / 2, t.m.main.n_nodes);
        }
        end(&t);
    }
}

/* Rows differ from the first one, which is merged, in one thing. */
static void batch_norms_are_merged_into_convolutions(void **state)
{
    static const struct {
        bool merges;
        enum form form;
        int64_t sizes[4]; /* of gamma, beta, mean and variance; -1: 4, but not a constant */
        double variance, gamma;
        int n_out;
        bool open_rank;
        double mean;
    } rows[] = {
        {true, PLAIN, {4, 4, 4, 4}, 1, 1, 1, false, 2},
        {true, NO_BIAS, {4, 4, 4, 4}, 1, 1, 1, false, 2},
        {true, DECONVOLUTION, {4, 4, 4, 4}, 1, 1, 1, false, 2},
        {true, PLAIN, {4, 4, 4, 4}, 1, 1, 1, true, 2},
        {false, SHARED_WEIGHT, {4, 4, 4, 4}, 1, 1, 1, false, 2},
        {true, SHARED_BIAS, {4, 4, 4, 4}, 1, 1, 1, false, 2},
        {false, OPEN_WEIGHT, {4, 4, 4, 4}, 1, 1, 1, false, 2},
        {false, OPEN_BIAS, {4, 4, 4, 4}, 1, 1, 1, false, 2},
        {false, NO_FILTERS, {0, 0, 0, 0}, 1, 1, 1, false, 2},
        {false, PLAIN, {-1, 4, 4, 4}, 1, 1, 1, false, 2},
        {false, PLAIN, {4, -1, 4, 4}, 1, 1, 1, false, 2},
        {false, PLAIN, {4, 4, -1, 4}, 1, 1, 1, false, 2},
        {false, PLAIN, {4, 4, 4, -1}, 1, 1, 1, false, 2},
        {false, PLAIN, {4, 4, 4, 3}, 1, 1, 1, true, 2},
        {false, PLAIN, {4, 3, 4, 4}, 1, 1, 1, true, 2},
        {false, PLAIN, {3, 3, 3, 3}, 1, 1, 1, true, 2},
        {false, PLAIN, {1, 1, 1, 1}, 1, 1, 1, true, 2},
        {false, PLAIN, {4, 4, 4, 4}, -1, 1, 1, false, 2},
        {false, PLAIN, {4, 4, 4, 4}, 1, 1e12, 1, false, 2},
        {false, PLAIN, {4, 4, 4, 4}, 1, NAN, 1, false, 2},
        {false, PLAIN, {4, 4, 4, 4}, 1, 1, 3, false, 2},
        {false, PLAIN, {4, 4, 4, 4}, 1, 1e8, 1, false, 4e37}, /* a product of them is infinite */
        {false, NO_BIAS, {3, 3, 3, 3}, 1, 1, 1, true, 2},
        {false, DECONVOLUTION, {3, 3, 3, 3}, 1, 1, 1, true, 2},
    };
    static const char *const names[] = {"gamma", "beta", "mean", "variance"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        ox_val in[6] = {OX_NONE, OX_NONE, OX_NONE, OX_NONE, OX_NONE, OX_END}, out[3];
        in[0] = convolution(&t, rows[i].open_rank ? ox_input(b, "x", F32, MX_SHAPE_UNKNOWN) : input(&t, "x", F32, "1,4,5,5"), rows[i].form);
        for (int k = 0; k < 4; k++) {
            const double value = k == 0 ? rows[i].gamma : k == 1 ? 1 : k == 2 ? rows[i].mean : rows[i].variance;
            in[k + 1] = rows[i].sizes[k] < 0 ? input(&t, names[k], F32, "4") : filled(b, 1, &rows[i].sizes[k], value);
        }
        ox_node_n(b, OX_BatchNormalization, in, rows[i].n_out == 3 ? OX_ATTRS(OX_I("training_mode", 1)) : OX_NO_ATTRS, out, rows[i].n_out);
        for (int k = 0; k < rows[i].n_out; k++) {
            ox_output(b, out[k], names[k]);
        }
        assert_int_equal(ox_finish(&t.m), MX_OK);
        assert_int_equal(ox_fold_batch_norms(&t.m), MX_OK);
        if (count_of(&t, OX_BatchNormalization) != !rows[i].merges) {
            fail_msg("row %zu", i);
        }
        for (int k = 0; rows[i].form == SHARED_BIAS && k < t.m.main.n_nodes; k++) { /* the other reader has the numbers as they were */
            struct mx_int_list numbers = ox_no_ints(b);
            const struct ox_node *n = t.m.main.nodes[k];
            assert_true(n->op != OX_Add || (ox_const_list(b, n->in[1], 4, &numbers) && numbers.v[3] == 8));
        }
        assert_int_equal(ox_check(&t.m, OX_COUNTED), MX_OK);
        end(&t);
    }
}

/* The vectors of one that stays become float16, unless a number does not fit. */
static void vectors_of_batch_norms_become_halves(void **state)
{
    static const struct {
        enum mx_dtype t;
        int64_t sizes[2];
        double gamma, mean, variance;
        bool changes;
    } rows[] = {
        {MX_FLOAT16, {4, 4}, 1, 3, 1, true},    {MX_FLOAT32, {4, 4}, 1, 3, 1, false},  {MX_FLOAT16, {-1, 4}, 1, 3, 1, false},
        {MX_FLOAT16, {4, -1}, 1, 3, 1, false},  {MX_FLOAT16, {4, 3}, 1, 3, 1, false},  {MX_FLOAT16, {4, 4}, 7e4, 0, 1, false},
        {MX_FLOAT16, {4, 4}, 1e4, 3, 1, false}, {MX_FLOAT16, {4, 4}, 1, 3, -1, false}, {MX_FLOAT16, {4, 4}, 1, 3, 1e8, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        const int64_t *sizes = rows[i].sizes, four = 4;
        const ox_val x = ox_input(b, "x", rows[i].t, MX_SHAPE_UNKNOWN);
        const ox_val gamma = sizes[0] < 0 ? input(&t, "gamma", F32, "4") : filled(b, 1, &sizes[0], rows[i].gamma);
        const ox_val beta = sizes[1] < 0 ? input(&t, "beta", F32, "4") : filled(b, 1, &sizes[1], 2);
        const ox_val variance = filled(b, 1, &four, rows[i].variance);
        ox_output(b, ox_node(b, OX_BatchNormalization, OX_IN(x, gamma, beta, filled(b, 1, &four, rows[i].mean), variance), OX_NO_ATTRS),
                  "y");
        assert_int_equal(ox_finish(&t.m), MX_OK);
        assert_int_equal(ox_fold_batch_norms(&t.m), MX_OK);
        const enum mx_dtype type = ox_dtype(b, t.m.main.nodes[0]->in[1]);
        if (type != (rows[i].changes ? MX_FLOAT16 : MX_FLOAT32)) {
            fail_msg("row %zu", i);
        }
        end(&t);
    }
}

/* What a net does to an input by numbers is noted once, if it both shifts and scales; "1" is a vector in place of a number. */
static void numbers_before_a_convolution_are_noted(void **state)
{
    static const struct {
        const char *steps; /* operators; capitals: the number is the first input */
        const char *note;
    } rows[] = {
        {"-*", "(x - 127.5) * 127.5"},
        {"*+", "x * 127.5 + 127.5"},
        {"+/", "(x + 127.5) / 127.5"},
        {"PM", "(x + 127.5) * 127.5"},
        {"c-*t", "(x - 127.5) * 127.5"},
        {"-*-*", "((x - 127.5) * 127.5 - 127.5) * 127.5"},
        {"-*-*-", NULL},
        {"-", NULL},
        {"*", NULL},
        {"", NULL},
        {"D*", NULL},
        {"+Q", NULL},
        {"-1", NULL},
        {"1*", NULL},
        {"-r*", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        ox_val x = input(&t, "x", *rows[i].steps == 'c' ? MX_UINT8 : F32, "4,4,4,4");
        for (const char *s = rows[i].steps; *s; s++) {
            const ox_val c = *s == '1' ? filled(b, 1, INTS(4), 3) : ox_float32(b, 127.5);
            const bool first = *s == 'P' || *s == 'M' || *s == 'D' || *s == 'Q';
            const enum ox_op op = *s == '+' || *s == 'P'   ? OX_Add
                                  : *s == '-' || *s == 'D' ? OX_Sub
                                  : *s == '/' || *s == 'Q' ? OX_Div
                                                           : OX_Mul;
            x = *s == 'c'   ? ox_cast(b, x, F32)
                : *s == 't' ? ox_transpose(b, x, INTS(0, 3, 1, 2), 4)
                : *s == 'r' ? ox_unary(b, OX_Relu, x)
                            : ox_node(b, op, first ? OX_IN(c, x) : OX_IN(x, c), OX_NO_ATTRS);
        }
        ox_output(b, convolution(&t, x, PLAIN), "y");
        ox_val other = input(&t, "other", F32, "4,4,4,4");
        for (int k = 0; k < 2; k++) { /* twice: two convolutions of one input */
            const ox_val scaled = ox_mul(b, ox_add(b, other, ox_float32(b, 1 + k)), ox_float32(b, 2 + k));
            ox_output(b, ox_node(b, OX_Conv, OX_IN(scaled, filled(b, 4, INTS(4, 4, 1, 1), 1 + k)), OX_NO_ATTRS), k ? "z" : "u");
        }
        assert_int_equal(ox_finish(&t.m), MX_OK);
        assert_int_equal(ox_note_inputs(&t.m), MX_OK);
        const struct ox_input_note *note = t.m.input_notes;
        assert_non_null(note);
        assert_string_equal(note->text, "(x + 1) * 2");
        note = note->next;
        assert_string_equal(note ? note->text : "none", rows[i].note ? rows[i].note : "none");
        assert_true(!note || !note->next);
        end(&t);
    }
}

/* At most 16 inputs are noted. */
static void many_inputs_are_noted_in_part(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    char names[17][8];
    for (int i = 0; i < 17; i++) {
        snprintf(names[i], sizeof names[i], "x%d", i);
        const ox_val x = ox_sub(b, input(&t, names[i], F32, "4,4,4,4"), ox_float32(b, 3));
        ox_output(b, convolution(&t, ox_mul(b, x, ox_float32(b, 2)), PLAIN), names[i]);
    }
    assert_int_equal(ox_finish(&t.m), MX_OK);
    assert_int_equal(ox_note_inputs(&t.m), MX_OK);
    int count = 0;
    for (const struct ox_input_note *note = t.m.input_notes; note; note = note->next) {
        assert_string_equal(note->text, "(x - 3) * 2");
        count++;
    }
    assert_int_equal(count, 16);
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_are_merged_into_convolutions),
        cmocka_unit_test(the_factor_of_an_input_stays),
        cmocka_unit_test(a_sum_of_two_values_is_scaled_in_the_weight),
        cmocka_unit_test(a_weight_is_scaled_a_few_times),
        cmocka_unit_test(factors_of_factors_are_merged),
        cmocka_unit_test(batch_norms_are_merged_into_convolutions),
        cmocka_unit_test(numbers_before_a_convolution_are_noted),
        cmocka_unit_test(many_inputs_are_noted_in_part),
        cmocka_unit_test(vectors_of_batch_norms_become_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
