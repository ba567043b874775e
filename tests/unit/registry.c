/* The registry: every name once, and the word lists of all descriptors: the words after the names of inputs are known, and are read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "onnx/rules/rules.h"
#include "op/registry.h"

static const struct mx_op *find(const char *name)
{
    for (size_t i = 0; i < mx_registry_count(); i++) {
        if (strcmp(mx_registry_nth(i)->name, name) == 0) {
            return mx_registry_nth(i);
        }
    }
    fail_msg("there is no operator %s", name);
    return NULL;
}

/* The names of the inputs that have the role. */
static void assert_inputs_with(const char *op_name, enum mx_role role, const char *names)
{
    const struct mx_op *op = find(op_name);
    const uint32_t with = mx_op_inputs_with(op, role);
    struct mx_str found = {0};
    for (int i = 0; i < 32; i++) {
        char name[64];
        if (mx_has_bit(with, i)) {
            mx_op_input_name(op, i, name);
            mx_str_printf(&found, "%s%s", found.text ? " " : "", name);
        }
    }
    assert_string_equal(found.text ? found.text : "", names);
    mx_str_free(&found);
}

static void inputs_have_their_roles(void **state)
{
    assert_inputs_with("Convolution", MX_LEARNED, "weight bias");
    assert_inputs_with("Convolution", MX_AUX, "");
    assert_inputs_with("BatchNorm", MX_LEARNED, "gamma beta");
    assert_inputs_with("GroupNorm", MX_LEARNED, "gamma beta");
    assert_inputs_with("BatchNorm", MX_AUX, "moving_mean moving_var");
    assert_inputs_with("IdentityAttachKLSparseReg", MX_AUX, "moving_avg");
    assert_inputs_with("IdentityAttachKLSparseReg", MX_UNREAD, "moving_avg");
    assert_inputs_with("Embedding", MX_EXACT, "data");
    assert_inputs_with("_contrib_box_encode", MX_EXACT, "anchors refs");
    assert_inputs_with("relu", MX_EXACT, "");
    assert_true(mx_has_bit(24, 4));
    assert_false(mx_has_bit(24, 5));
    assert_false(mx_has_bit(UINT32_MAX, 32));
}

static void inputs_have_their_names(void **state)
{
    char name[64];
    mx_op_input_name(find("BatchNorm"), 4, name);
    assert_string_equal(name, "moving_var");
    mx_op_input_name(find("SoftmaxOutput"), 1, name);
    assert_string_equal(name, "label");
    mx_op_input_name(find("relu"), 0, name);
    assert_string_equal(name, "data");
    mx_op_input_name(find("Concat"), 3, name);
    assert_string_equal(name, "arg3");
}

/* Their numbers, with attributes as a file has them. */
static int counted(const char *op_name, const char *key, const char *text, bool outputs)
{
    const struct mx_op *op = find(op_name);
    struct mx_attr_text texts[4] = {{.key = key, .text = text}};
    struct mx_node node = {.op = op, .op_name = op_name, .name = "x", .attr_text = texts, .n_attr_text = 1};
    struct mx_arena arena = {0};
    struct mx_diags diags = {0};
    const void *attrs = NULL;
    for (const struct mx_attr *row = op->attrs; row < op->attrs + op->n_attrs; row++) { /* those that are required */
        if (!row->fallback && strcmp(row->name, key) != 0) {
            texts[node.n_attr_text++] = (struct mx_attr_text){.key = row->name, .text = row->words ? row->words[0] : "1"};
        }
    }
    assert_int_equal(mx_attrs_parse(&node, &arena, &diags, &attrs), MX_OK);
    const int n = outputs ? mx_op_n_outputs(op, attrs) : mx_op_n_inputs(op, attrs);
    mx_arena_free(&arena);
    mx_diags_free(&diags);
    return n;
}

/* As MXNet's ListArguments and NumVisibleOutputs say. */
static void conditions_decide_how_many_there_are(void **state)
{
    assert_int_equal(counted("FullyConnected", "no_bias", "False", false), 3);
    assert_int_equal(counted("FullyConnected", "no_bias", "True", false), 2);
    assert_int_equal(counted("LeakyReLU", "act_type", "leaky", false), 1);
    assert_int_equal(counted("LeakyReLU", "act_type", "prelu", false), 2);
    assert_int_equal(counted("LeakyReLU", "act_type", "rrelu", true), 2);
    assert_int_equal(counted("softmax", "use_length", "None", false), 1);
    assert_int_equal(counted("softmax", "use_length", "True", false), 2);
    assert_int_equal(counted("_npi_percentile", "q_scalar", "None", false), 2);
    assert_int_equal(counted("_npi_percentile", "q_scalar", "0", false), 1);
    assert_int_equal(counted("_npi_delete", "int_ind", "0", false), 1);
    assert_int_equal(counted("_npi_delete", "int_ind", "None", false), 2);
    assert_int_equal(counted("Concat", "num_args", "7", false), 7);
    assert_int_equal(counted("Concat", "num_args", "0", false), 1);
    assert_int_equal(counted("SliceChannel", "num_outputs", "5", true), 5);
    assert_int_equal(counted("_contrib_quantized_conv", "no_bias", "True", false), 6);
    assert_int_equal(counted("RNN", "mode", "lstm", false), 4);
    assert_int_equal(counted("RNN", "mode", "gru", false), 3);
    assert_int_equal(mx_op_n_inputs(find("Concat"), NULL), -1);
}

/* "attribute" or "attribute=word", of a kind that can be a condition, or a count. */
static bool describes(const struct mx_op *op, const char *text, size_t length, bool count)
{
    static const bool kinds[] = {
        [MX_ATTR_BOOL] = true,       [MX_ATTR_BOOL_NONE] = true,   [MX_ATTR_INT_NONE] = true, [MX_ATTR_FLOAT_NONE] = true,
        [MX_ATTR_TUPLE_NONE] = true, [MX_ATTR_FLOATS_NONE] = true, [MX_ATTR_STRING] = false};
    const char *equals = memchr(text, '=', length);
    const size_t n = equals ? (size_t)(equals - text) : length;
    const struct mx_attr *row = mx_attr_row(op, text, n);
    bool has_word = false;
    for (const char *const *word = row ? row->words : NULL; equals && word && *word; word++) {
        has_word = has_word || (strlen(*word) == length - n - 1 && memcmp(*word, equals + 1, length - n - 1) == 0);
    }
    return row && row->offset < op->attrs_size && (count ? row->kind == MX_ATTR_INT : equals ? has_word : kinds[row->kind]);
}

static bool is_condition(const struct mx_op *op, const char *text, size_t n)
{
    static const char *const forms[] = {"if(", "unless(", "count("};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        const size_t name = strlen(forms[k]);
        if (n > name && text[n - 1] == ')' && strncmp(text, forms[k], name) == 0) {
            return describes(op, text + name, n - name - 1, k == 2);
        }
    }
    return false;
}

/* "name:learned:exact:if(attribute)", or a last "name...". */
static void check_word(const struct mx_op *op, const char *word)
{
    static const char *const known[] = {"learned", "aux", "unread", "exact"};
    const size_t length = mx_word_length(word);
    size_t at = strcspn(word, " :");
    assert_true(at > 0);
    while (at < length) {
        const char *role = word + at + 1;
        const size_t n = strcspn(role, " :");
        bool is_known = is_condition(op, role, n);
        for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
            is_known = is_known || (strlen(known[k]) == n && strncmp(role, known[k], n) == 0);
        }
        if (!is_known) {
            fail_msg("%s: '%.*s' is not a word for an input", op->name, (int)n, role);
        }
        at += 1 + n;
    }
}

static void every_word_of_an_input_is_read(void **state)
{
    for (size_t i = 0; i < mx_registry_count(); i++) {
        const struct mx_op *op = mx_registry_nth(i);
        bool unread = false;
        int k = 0;
        for (const char *w = op->inputs ? op->inputs : ""; *w; w = mx_next_word(w), k++) {
            check_word(op, w);
            const bool is_unread = mx_has_bit(mx_op_inputs_with(op, MX_UNREAD), k);
            if (unread && !is_unread) {
                fail_msg("%s: input %d is read, the one before it is not", op->name, k);
            }
            unread = is_unread;
        }
        assert_true(k <= 32);
        for (const char *w = op->outputs ? op->outputs : ""; *w; w = mx_next_word(w)) {
            check_word(op, w);
        }
        assert_null(op->outputs ? strstr(op->outputs, ":learned") : NULL);
    }
}

/* Rows of the types that run cover every opset once: for calls that no word chooses, and for those of each word from some
 * opset on. */
static void rows_of_a_kernel_cover_all_opsets(void **state)
{
    for (int op = 1; op < OX_OPERATORS; op++) {
        const struct ox_kernel *before = NULL;
        for (const struct ox_kernel *k = ox_kernels[op]; k && k->last > 0; before = k++) {
            const bool begins = !before || before->attr != k->attr || before->words != k->words;
            const int from = ox_schemas[op].since < 11 ? 11 : ox_schemas[op].since;
            if ((begins ? !k->attr && k->first > from : k->first != before->last + 1) || k->last < k->first
                || (begins && before && before->last != 99) || (k[1].last == 0 && k->last != 99)) {
                fail_msg("%s: the row of opsets %d to %d", ox_schemas[op].name, k->first, k->last);
            }
        }
    }
}

static bool same_kernels(const struct ox_kernel *x, const struct ox_kernel *y)
{
    for (; x->last > 0 && y->last > 0; x++, y++) {
        if (x->first != y->first || x->last != y->last || x->types != y->types || x->attr || y->attr) {
            return false;
        }
    }
    return x->last == y->last;
}

/* ONNX Runtime has one piece of code for them: what one runs in, the others do, too. */
static void operators_of_a_family_run_in_the_same_types(void **state)
{
    enum { SINGLES = 1 << MX_FLOAT32 | 1 << MX_FLOAT16, FLOATS = SINGLES | 1 << MX_FLOAT64, WIDE = 1 << MX_INT32 | 1 << MX_INT64 };
    enum { MOST = 12 };
    static const struct {
        enum ox_op ops[MOST + 1];
        unsigned types; /* of the newest row, at least */
    } families[] = {
        {{OX_Acos, OX_Acosh, OX_Asin, OX_Asinh, OX_Atan, OX_Atanh, OX_Cosh, OX_Sinh, OX_Tan}, SINGLES},
        {{OX_Elu, OX_HardSigmoid, OX_LeakyRelu, OX_Selu, OX_Softplus, OX_Softsign, OX_ThresholdedRelu, OX_PRelu, OX_Erf}, SINGLES},
        {{OX_AveragePool, OX_Conv, OX_ConvTranspose, OX_GlobalAveragePool, OX_GlobalMaxPool, OX_LpPool, OX_MaxUnpool, OX_Resize}, SINGLES},
        {{OX_GRU, OX_LSTM, OX_RNN}, SINGLES},
        {{OX_Hardmax, OX_InstanceNormalization, OX_LRN, OX_Mean, OX_Det}, SINGLES},
        {{OX_Ceil, OX_Cos, OX_Exp, OX_Floor, OX_Log, OX_Reciprocal, OX_Round, OX_Sigmoid, OX_Sin, OX_Sqrt, OX_Tanh}, FLOATS},
        {{OX_BatchNormalization, OX_Gemm, OX_LogSoftmax, OX_LpNormalization, OX_Softmax, OX_Sum}, FLOATS},
        {{OX_Concat, OX_Flatten, OX_Gather, OX_GatherElements, OX_GatherND, OX_Reshape, OX_Shape, OX_Slice, OX_Split, OX_Squeeze,
          OX_Transpose, OX_Unsqueeze},
         FLOATS | WIDE | 1 << MX_BOOL | 1 << MX_BFLOAT16},
        {{OX_Compress, OX_Expand, OX_ReverseSequence, OX_Size, OX_Tile}, FLOATS | WIDE | 1 << MX_BOOL},
        {{OX_Add, OX_Div, OX_Mul, OX_Sub, OX_Greater, OX_GreaterOrEqual, OX_Less, OX_LessOrEqual}, FLOATS | WIDE},
        {{OX_ReduceL1, OX_ReduceL2, OX_ReduceLogSum, OX_ReduceMean, OX_ReduceProd, OX_ReduceSum, OX_ReduceSumSquare}, FLOATS | WIDE},
        {{OX_ReduceMax, OX_ReduceMin}, FLOATS | WIDE | 1 << MX_BOOL},
        {{OX_Max, OX_Min}, FLOATS | WIDE},
        {{OX_Abs, OX_Mod}, FLOATS | WIDE},
        {{OX_And, OX_Not, OX_Or, OX_Xor}, 1 << MX_BOOL},
        {{OX_BitwiseAnd, OX_BitwiseNot, OX_BitwiseOr, OX_BitwiseXor}, WIDE},
        {{OX_BlackmanWindow, OX_HammingWindow, OX_HannWindow}, WIDE},
        {{OX_DepthToSpace, OX_SpaceToDepth}, FLOATS},
        {{OX_RandomNormal, OX_RandomUniform}, 0},
        {{OX_RandomNormalLike, OX_RandomUniformLike}, 0},
    };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const struct ox_kernel *first = ox_kernels[families[i].ops[0]], *last = first;
        for (const enum ox_op *op = families[i].ops; *op; op++) {
            if (!same_kernels(first, ox_kernels[*op])) {
                fail_msg("%s and %s", ox_schemas[families[i].ops[0]].name, ox_schemas[*op].name);
            }
        }
        while (last[1].last > 0) {
            last++;
        }
        if ((last->types & families[i].types) != families[i].types) {
            fail_msg("%s lacks types", ox_schemas[families[i].ops[0]].name);
        }
    }
}

/* The type in which a node runs: its own, or the first substitute that has a kernel; without any, its own is left to the runtime. */
static void nodes_run_in_a_type_that_has_a_kernel(void **state)
{
    static const struct {
        enum ox_op op;
        int opset;
        enum mx_dtype data, runs;
    } rows[] = {
        {OX_Sigmoid, 17, MX_FLOAT64, MX_FLOAT64},
        {OX_Sigmoid, 17, MX_BFLOAT16, MX_FLOAT32},
        {OX_Sigmoid, 17, MX_BOOL, MX_FLOAT32},
        {OX_Sigmoid, 17, MX_INT8, MX_FLOAT32},
        {OX_Sigmoid, 17, MX_UINT8, MX_FLOAT32},
        {OX_Sigmoid, 17, MX_INT16, MX_FLOAT32},
        {OX_Sigmoid, 17, MX_UINT16, MX_FLOAT32},
        {OX_Sigmoid, 17, MX_INT32, MX_FLOAT64},
        {OX_Sigmoid, 17, MX_UINT32, MX_FLOAT64},
        {OX_Sigmoid, 17, MX_INT64, MX_FLOAT64},
        {OX_Sigmoid, 17, MX_UINT64, MX_FLOAT64},
        {OX_Acos, 17, MX_FLOAT64, MX_FLOAT32},
        {OX_Acos, 17, MX_FLOAT16, MX_FLOAT16},
        {OX_Acos, 17, MX_INT64, MX_FLOAT32},
        {OX_Acos, 17, MX_UINT64, MX_FLOAT32},
        {OX_IsInf, 17, MX_FLOAT16, MX_FLOAT32},
        {OX_CumSum, 17, MX_BOOL, MX_INT32},
        {OX_CumSum, 17, MX_INT8, MX_INT32},
        {OX_CumSum, 17, MX_UINT32, MX_INT64},
        {OX_CumSum, 13, MX_FLOAT16, MX_FLOAT32},
        {OX_CumSum, 14, MX_FLOAT16, MX_FLOAT16},
        {OX_OneHot, 17, MX_BOOL, MX_INT64},
        {OX_OneHot, 17, MX_INT8, MX_INT64},
        {OX_OneHot, 17, MX_INT32, MX_INT64},
        {OX_Where, 17, MX_BOOL, MX_UINT8},
        {OX_Where, 17, MX_UINT64, MX_INT64},
        {OX_EyeLike, 17, MX_FLOAT16, MX_FLOAT32},
        {OX_BitShift, 17, MX_INT32, MX_INT32},
        {OX_And, 17, MX_FLOAT32, MX_FLOAT32},
        {OX_Identity, 17, MX_BFLOAT16, MX_BFLOAT16},
        {OX_RoiAlign, 21, MX_FLOAT32, MX_FLOAT32},
        {OX_RoiAlign, 22, MX_FLOAT32, MX_DTYPE_NONE},
        {OX_CumProd, 25, MX_INT8, MX_INT8},
        {OX_CumProd, 26, MX_UINT32, MX_UINT32},
        {OX_CumProd, 26, MX_UINT64, MX_UINT64},
        {OX_CumProd, 26, MX_INT8, MX_INT32},
        {OX_MatMul, 17, MX_UINT64, MX_UINT64},
        {OX_MatMul, 17, MX_UINT8, MX_INT32},
        {OX_Pad, 12, MX_BFLOAT16, MX_FLOAT32},
        {OX_Pad, 12, MX_INT16, MX_INT32},
        {OX_Pad, 12, MX_INT64, MX_INT64},
        {OX_Pad, 12, MX_BOOL, MX_UINT8},
        {OX_Pad, 13, MX_BOOL, MX_BOOL},
        {OX_MaxPool, 11, MX_INT8, MX_FLOAT32},
        {OX_MaxPool, 12, MX_INT8, MX_INT8},
        {OX_Pow, 11, MX_INT32, MX_FLOAT64},
        {OX_Pow, 12, MX_INT32, MX_INT32},
        {OX_Einsum, 12, MX_INT64, MX_INT64},
        {OX_TopK, 19, MX_INT8, MX_INT32},
        {OX_TopK, 20, MX_INT8, MX_INT8},
        {OX_Trilu, 19, MX_INT32, MX_INT64},
        {OX_Trilu, 20, MX_BOOL, MX_BOOL},
        {OX_Equal, 19, MX_INT8, MX_INT32},
        {OX_Equal, 20, MX_INT8, MX_INT8},
        {OX_Neg, 17, MX_UINT8, MX_INT32},
        {OX_Relu, 13, MX_INT32, MX_FLOAT64},
        {OX_Relu, 14, MX_INT32, MX_INT32},
        {OX_Sign, 12, MX_BFLOAT16, MX_FLOAT32},
        {OX_Sigmoid, 17, MX_DTYPE_NONE, MX_DTYPE_NONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const enum mx_dtype t = ox_kernel_dtype(rows[i].op, NULL, rows[i].data, rows[i].opset);
        if (t != rows[i].runs) {
            fail_msg("row %zu, %s: %d", i, ox_schemas[rows[i].op].name, (int)t);
        }
    }
}

/* A word of an attribute may choose other kernels. */
static void words_have_their_own_kernels(void **state)
{
    const struct ox_attr add[] = {OX_S("reduction", "add"), {.kind = OX_A_END}}, max[] = {OX_S("reduction", "max"), {.kind = OX_A_END}};
    const struct ox_attr none[] = {OX_S("reduction", "none"), {.kind = OX_A_END}};
    assert_int_equal(ox_kernel_dtype(OX_ScatterND, NULL, MX_FLOAT16, 18), MX_FLOAT16);
    assert_int_equal(ox_kernel_dtype(OX_ScatterND, none, MX_FLOAT16, 18), MX_FLOAT16);
    assert_int_equal(ox_kernel_dtype(OX_ScatterND, add, MX_FLOAT16, 18), MX_FLOAT32);
    assert_int_equal(ox_kernel_dtype(OX_ScatterND, add, MX_BOOL, 18), MX_BOOL);
    assert_int_equal(ox_kernel_dtype(OX_ScatterND, max, MX_BOOL, 18), MX_UINT8);
}

/* As in ONNX's table of releases up to 10; from then on it changed nothing that is written here. */
static void opsets_have_their_ir_versions(void **state)
{
    static const int versions[] = {6, 7, 7, 7, 8, 8, 8, 8, 9, 9, 10, 10, 10, 10, 10, 10, 10, 10};
    for (int i = 0; i < (int)(sizeof versions / sizeof *versions); i++) {
        assert_int_equal(ox_opset_ir_version(11 + i), versions[i]);
    }
}

/* A second operator of the same name or alias would take the place of the first. */
static void test_each_name_has_one_operator(void **state)
{
    struct mx_arena arena = {0};
    struct mx_map map = {0};
    size_t names = mx_registry_count();
    for (size_t i = 0; i < mx_registry_count(); i++) {
        const char *alias = mx_registry_nth(i)->alias;
        for (const char *w = alias ? alias : ""; *w; w = mx_next_word(w)) {
            names++;
        }
    }
    assert_int_equal(mx_registry_map(&map, &arena), MX_OK);
    assert_int_equal(mx_map_count(&map), names);
    assert_null(mx_registry_nth(mx_registry_count()));
    mx_map_free(&map);
    mx_arena_free(&arena);
}

static int called(const struct mx_op *op, const char *name)
{
    return mx_op_input_called(op, name, strlen(name));
}

/* A word that repeats has a number, written as printf writes it. */
static void inputs_are_found_by_name(void **state)
{
    static const struct mx_op op = {.name = "op", .inputs = "data:exact weight:learned arg..."}, one = {.name = "one"};
    static const struct {
        const char *name;
        int i;
    } rows[] = {
        {"data", 0},   {"weight", 1}, {"arg0", 2},   {"arg7", 9},   {"arg10", 12}, {"arg999999999", 1000000001},
        {"dat", -1},   {"data0", -1}, {"arg", -1},   {"arg07", -1}, {"arg00", -1}, {"arg1000000000", -1},
        {"arg-1", -1}, {"arg+1", -1}, {"arg1x", -1}, {"arg 1", -1}, {"", -1},      {"arg...", -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (called(&op, rows[i].name) != rows[i].i) {
            fail_msg("'%s' is input %d", rows[i].name, called(&op, rows[i].name));
        }
    }
    assert_int_equal(mx_op_input_called(&op, "arg12_x", 5), 14);
    assert_int_equal(called(&one, "data"), 0);
    assert_int_equal(called(&one, "data0"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_have_their_roles),
        cmocka_unit_test(inputs_have_their_names),
        cmocka_unit_test(inputs_are_found_by_name),
        cmocka_unit_test(every_word_of_an_input_is_read),
        cmocka_unit_test(rows_of_a_kernel_cover_all_opsets),
        cmocka_unit_test(operators_of_a_family_run_in_the_same_types),
        cmocka_unit_test(nodes_run_in_a_type_that_has_a_kernel),
        cmocka_unit_test(words_have_their_own_kernels),
        cmocka_unit_test(opsets_have_their_ir_versions),
        cmocka_unit_test(conditions_decide_how_many_there_are),
        cmocka_unit_test(test_each_name_has_one_operator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
