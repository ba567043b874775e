/* The builder's constants: made once, moved without a copy, computed where they are small; and
 * memory running out. */
#include <math.h>

#include "alloc_fail.h"
#include "base/num.h"
#include "build_common.h"
#include "onnx/schema/targets.h"
#include "onnx/tensor/bytes.h"
#include "onnx/write/write.h"

/* ---- making */

static void small_constants_are_made_once(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    assert_int_equal(ox_scalar(b, F32, 2), ox_scalar(b, F32, 2));
    assert_int_not_equal(ox_scalar(b, F32, 2), ox_scalar(b, MX_FLOAT64, 2));
    assert_int_not_equal(ox_scalar(b, F32, 2), ox_floats(b, F32, (const double[]){2}, 1));
    assert_int_not_equal(ox_scalar(b, F32, 0), ox_scalar(b, F32, -0.0));
    assert_int_equal(OX_INTS(b, 1, 2), ox_ints(b, INTS(1, 2), 2));
    assert_int_not_equal(OX_INTS(b, 1, 2), OX_INTS(b, 2, 1));
    assert_int_equal(ox_ints(b, NULL, 0), ox_ints(b, NULL, 0));
    assert_int_equal(ox_fill(b, F32, shape(&t, "1,1"), 3), ox_fill(b, F32, shape(&t, "1,1"), 3));
    ox_val masks[2];
    for (int i = 0; i < 2; i++) { /* positions before others, as each layer of a decoder asks */
        ox_val p = ox_node(b, OX_Range, OX_IN(ox_int(b, 0), ox_int(b, 40), ox_int(b, 1)), OX_NO_ATTRS);
        masks[i] = ox_binary(b, OX_LessOrEqual, ox_unsqueeze1(b, p, 0), ox_unsqueeze1(b, p, 1));
        assert_non_null(ox_tensor_of(b, masks[i]));
        assert_shape(&t, masks[i], "(40, 40)");
    }
    assert_int_equal(masks[0], masks[1]);
    end(&t);
}

/* A large one is not remembered: looking for an equal one would read all its bytes. */
static void large_constants_are_not_remembered(void **state)
{
    static const double large[2 * OX_SMALL];
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const size_t before = b->n_memo;
    assert_int_not_equal(ox_floats(b, MX_FLOAT64, large, 2 * OX_SMALL), OX_NONE);
    assert_int_equal(b->n_memo, before);
    assert_int_not_equal(ox_floats(b, MX_FLOAT64, large, OX_SMALL), OX_NONE);
    assert_int_equal(b->n_memo, before + 1);
    end(&t);
}

static void numbers_beyond_a_type_wrap_around(void **state)
{
    static const struct {
        enum mx_dtype t;
        double v;
        int64_t want;
    } rows[] = {
        {MX_INT8, 1000, -24},
        {MX_INT8, -1000, 24},
        {MX_UINT8, -1, 255},
        {MX_INT32, 1e300, INT32_MIN},
        {MX_INT64, 1e300, INT64_MIN},
        {MX_INT64, -1e300, INT64_MIN},
        {MX_INT32, (double)NAN, INT32_MIN},
        {MX_BOOL, 0.5, 1},
        {MX_UINT32, 4294967295.0, 4294967295},
        {MX_INT64, 123456789012345.0, 123456789012345},
        {MX_INT16, -2.9, -2},
    };
    struct t t;
    struct ox_build *b = begin(&t, 17);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t v = -7;
        int n = 0;
        assert_true(ox_const_ints(b, ox_scalar(b, rows[i].t, rows[i].v), &v, 1, &n));
        assert_int_equal(n, 1);
        assert_int_equal(v, rows[i].want);
    }
    end(&t);
}

static void integers_of_constants_are_known(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    int64_t v[4];
    int n = 0;
    assert_true(ox_const_ints(b, ox_floats(b, F32, (const double[]){3, -4}, 2), v, 4, &n));
    assert_true(n == 2 && v[0] == 3 && v[1] == -4);
    assert_false(ox_const_ints(b, ox_scalar(b, F32, 0.5), v, 4, &n));
    assert_true(ox_const_ints(b, ox_scalar(b, MX_FLOAT64, -9007199254740991.0), v, 4, &n) && v[0] == -9007199254740991);
    assert_false(ox_const_ints(b, ox_scalar(b, MX_FLOAT64, 9007199254740992.0), v, 4, &n)); /* 2^53 + 1 looks the same */
    assert_false(ox_const_ints(b, OX_INTS(b, 1, 2, 3, 4, 5), v, 4, &n));
    assert_false(ox_const_ints(b, input(&t, "x", MX_INT64, "2"), v, 4, &n));
    assert_false(ox_const_ints(b, OX_NONE, v, 4, &n));
    assert_false(ox_failed(b));
    end(&t);
}

/* Integers by their digits, floats by those of the mantissa and by the greatest exponent. */
static void each_type_holds_those_with_fewer_digits(void **state)
{
    static const struct {
        enum mx_dtype t;
        bool is_float, is_signed;
        int digits, exponent;
    } types[] = {
        {MX_BOOL, false, false, 1, 0},      {MX_UINT8, false, false, 8, 0},    {MX_INT8, false, true, 7, 0},
        {MX_UINT16, false, false, 16, 0},   {MX_INT16, false, true, 15, 0},    {MX_UINT32, false, false, 32, 0},
        {MX_INT32, false, true, 31, 0},     {MX_UINT64, false, false, 64, 0},  {MX_INT64, false, true, 63, 0},
        {MX_FLOAT16, true, true, 11, 15},   {MX_BFLOAT16, true, true, 8, 127}, {MX_FLOAT32, true, true, 24, 127},
        {MX_FLOAT64, true, true, 53, 1023},
    };
    const size_t n = sizeof types / sizeof types[0];
    (void)state;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            const bool fits = types[k].digits >= types[i].digits && types[k].exponent >= types[i].exponent
                              && (types[k].is_float || !types[i].is_float) && (types[k].is_signed || !types[i].is_signed);
            const bool unasked = types[k].t == MX_BFLOAT16 && (types[i].t == MX_UINT8 || types[i].t == MX_INT8);
            assert_int_equal(ox_lossless(types[i].t, types[k].t), i == k || (fits && !unasked));
        }
    }
}

static void one_known_integer_is_read(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    int64_t v[2] = {-7, -7};
    (void)state;
    assert_false(ox_const_int(b, OX_INTS(b, 1, 2), v));
    assert_false(ox_const_int(b, ox_floats(b, F32, (const double[]){1, 2}, 2), v));
    assert_false(ox_const_int(b, ox_ints(b, NULL, 0), v));
    assert_false(ox_const_int(b, ox_scalar(b, F32, 0.5), v));
    assert_false(ox_const_int(b, OX_NONE, v));
    assert_true(v[0] == -7 && v[1] == -7);
    assert_true(ox_const_int(b, OX_INTS(b, 3), v) && v[0] == 3);
    assert_true(ox_const_int(b, ox_scalar(b, F32, -4), v) && v[0] == -4);
    assert_false(ox_failed(b));
    end(&t);
}

/* ---- moving: compared with the same done to the elements one by one */

enum { ROWS = 6, COLUMNS = 5, DEPTH = 4, COUNT = ROWS * COLUMNS * DEPTH };

static float weights[COUNT];

/* A parameter of float32 over a source. */
static ox_val param(struct ox_build *b, const char *name, int ndim, const int64_t *dims, struct ox_piece piece)
{
    piece.kind = OX_PIECE_RANGE;
    piece.stored = F32;
    return ox_param(b, name, &(struct ox_tensor){.dtype = F32, .ndim = ndim, .dims = dims, .pieces = &piece, .n_pieces = 1});
}

static ox_val weight(struct t *t, struct mx_source **source)
{
    for (int i = 0; i < COUNT; i++) {
        weights[i] = (float)i;
    }
    mx_little_endian(weights, sizeof *weights, COUNT);
    assert_int_equal(mx_source_open_memory(source, weights, sizeof weights, false), MX_OK);
    return param(&t->b, "w", 3, INTS(ROWS, COLUMNS, DEPTH), (struct ox_piece){.source = *source, .length = sizeof weights});
}

static void assert_elements(struct t *t, ox_val x, const char *dims, int (*index)(int i), int n)
{
    struct ox_data d;
    assert_non_null(ox_tensor_of(&t->b, x));
    assert_shape(t, x, dims);
    assert_true(ox_data_read(&t->b, x, OX_SMALL, &d));
    assert_int_equal(d.count, n);
    for (int i = 0; i < n; i++) {
        assert_int_equal((int)(d.f ? d.f[i] : (double)d.i[i]), index(i));
    }
    ox_data_free(&d);
}

static int same(int i)
{
    return i;
}

static int transposed(int i) /* (4, 6, 5) */
{
    return i % 5 * DEPTH + i / 5 % 6 * COLUMNS * DEPTH + i / 30;
}

static int rows_back(int i) /* rows 5, 3, 1 */
{
    return (5 - 2 * (i / 20)) * 20 + i % 20;
}

static int last_column(int i) /* (6, 1, 4) */
{
    return i / 4 * 20 + 16 + i % 4;
}

static int middle_depth(int i) /* (6, 5, 2) */
{
    return i / 2 * 4 + 1 + i % 2;
}

static int swapped_halves(int i)
{
    return (i + COUNT / 2) % COUNT;
}

static int columns_twice(int i) /* (6, 10, 4) */
{
    return i / 40 * 20 + i % 20;
}

static int spread(int i) /* (2, 5, 4) of (1, 5, 4), row 2 */
{
    return 40 + i % 20;
}

static int of_transposed_rows(int i) /* (30, 4) of the transposed (4, 6, 5) reshaped to (4, 30), transposed back */
{
    return transposed(i % 4 * 30 + i / 4);
}

static int odd_columns(int i) /* columns 1 and 3 of (6, 5, 4), then as (6, 2, 1, 4) */
{
    return i / 8 * 20 + (1 + 2 * (i / 4 % 2)) * 4 + i % 4;
}

static int last_and_second_column(int i) /* (6, 2, 4) */
{
    return i / 8 * 20 + (i / 4 % 2 ? 4 : 16) + i % 4;
}

static void a_moved_weight_is_not_copied(void **state)
{
    struct t t;
    struct mx_source *source = NULL;
    struct ox_build *b = begin(&t, 17);
    ox_val w = weight(&t, &source);
    ox_val tr = ox_transpose(b, w, INTS(2, 0, 1), 3);
    const size_t before = t.m.arena.total;
    assert_elements(&t, w, "(6, 5, 4)", same, COUNT);
    assert_elements(&t, ox_reshape_ints(b, w, INTS(0, -1), 2), "(6, 20)", same, COUNT);
    assert_elements(&t, tr, "(4, 6, 5)", transposed, COUNT);
    assert_elements(&t, ox_transpose(b, tr, INTS(1, 2, 0), 3), "(6, 5, 4)", same, COUNT);
    assert_elements(&t, ox_transpose(b, ox_reshape_ints(b, tr, INTS(4, 30), 2), INTS(1, 0), 2), "(30, 4)", of_transposed_rows, COUNT);
    assert_elements(&t, ox_reshape_ints(b, tr, INTS(5, 24), 2), "(5, 24)", transposed, COUNT);
    assert_elements(&t, ox_reshape_ints(b, tr, INTS(4, 6, 5, 1, 1), 5), "(4, 6, 5, 1, 1)", transposed, COUNT);
    assert_elements(&t, ox_slice(b, w, INTS(-1), INTS(INT64_MIN + 1), INTS(0), INTS(-2), 1), "(3, 5, 4)", rows_back, 60);
    assert_elements(&t, ox_slice(b, w, INTS(9), INTS(INT64_MIN + 1), INTS(0), INTS(-2), 1), "(3, 5, 4)", rows_back, 60);
    assert_elements(&t, ox_slice1(b, w, 1, -1, INT64_MAX), "(6, 1, 4)", last_column, 24);
    assert_elements(&t, ox_squeeze1(b, ox_slice1(b, w, 1, -1, INT64_MAX), 1), "(6, 4)", last_column, 24);
    assert_elements(&t, ox_gather(b, w, ox_scalar(b, MX_INT64, 4), 1), "(6, 4)", last_column, 24);
    const ox_val odd = ox_tensor(b, MX_INT64, INTS(2, 1), 2, INTS(1, 3));
    assert_elements(&t, ox_gather(b, w, odd, 1), "(6, 2, 1, 4)", odd_columns, 48);
    assert_elements(&t, ox_gather(b, w, ox_tensor(b, MX_INT64, INTS(2), 1, INTS(-1, 1)), 1), "(6, 2, 4)", last_and_second_column, 48);
    assert_elements(&t, ox_slice1(b, w, 2, 1, 3), "(6, 5, 2)", middle_depth, 60);
    assert_elements(&t, ox_cast(b, w, MX_FLOAT16), "(6, 5, 4)", same, COUNT);
    assert_elements(&t, ox_cast(b, tr, MX_FLOAT64), "(4, 6, 5)", transposed, COUNT);
    assert_elements(&t, ox_cast(b, ox_cast(b, tr, MX_FLOAT16), MX_INT32), "(4, 6, 5)", transposed, COUNT);
    assert_elements(&t, ox_expand(b, ox_slice1(b, w, 0, 2, 3), shape(&t, "2,5,4").dims, 3), "(2, 5, 4)", spread, 40);
    ox_val halves[2];
    ox_split(b, w, 0, INTS(3, 3), 2, halves);
    ox_val swapped = ox_concat(b, (const ox_val[]){halves[1], halves[0]}, 2, 0);
    assert_elements(&t, swapped, "(6, 5, 4)", swapped_halves, COUNT);
    assert_int_equal(ox_tensor_of(b, swapped)->n_pieces, 2);
    assert_int_equal(ox_tensor_of(b, ox_concat(b, halves, 2, 0))->n_pieces, 1);
    assert_int_equal(ox_tensor_of(b, ox_slice1(b, swapped, 1, 0, 1))->n_pieces, 6);   /* none is empty */
    assert_null(ox_tensor_of(b, ox_reshape_ints(b, tr, INTS(4, 30), 2))->base->base); /* two axes that follow each other are one */
    assert_null(ox_tensor_of(b, ox_reshape_ints(b, tr, INTS(4, 2, 3, 5), 4))->base->base);
    assert_non_null(ox_tensor_of(b, ox_reshape_ints(b, tr, INTS(5, 24), 2))->base->base);
    assert_elements(&t, ox_concat(b, (const ox_val[]){w, w}, 2, 1), "(6, 10, 4)", columns_twice, 2 * COUNT);
    assert_true(t.m.arena.total - before < 1 << 18);
    assert_int_equal(t.m.main.n_nodes, 0);
    assert_false(ox_failed(b));
    mx_source_close(source);
    end(&t);
}

/* Each of them has an equivalent without the copy that would be wrong, or read one element of three. */
static void views_are_copied_where_they_cannot_be_composed(void **state)
{
    enum { N = 100 * 90 };
    static float numbers[N];
    struct t t;
    struct mx_source *source = NULL;
    struct ox_build *b = begin(&t, 17);
    const struct ox_tensor *cast;
    double v;
    for (int i = 0; i < N; i++) {
        numbers[i] = (float)i;
    }
    assert_int_equal(mx_source_open_memory(&source, numbers, sizeof numbers, false), MX_OK);
    const ox_val w = param(b, "w", 2, INTS(100, 90), (struct ox_piece){.source = source, .length = sizeof numbers});
    const ox_val tr = ox_swap_axes(b, w, 0, 1), nested = ox_reshape_ints(b, tr, INTS(100, 90), 2);
    assert_non_null(ox_tensor_of(b, nested)->base->base);
    assert_null(ox_tensor_of(b, ox_reshape_ints(b, ox_swap_axes(b, nested, 0, 1), INTS(100, 90), 2)));
    assert_null(ox_tensor_of(b, ox_cast(b, ox_cast(b, nested, MX_FLOAT16), F32)));
    /* An axis of size 1 may have any stride. */
    const ox_val line = ox_transpose(b, ox_reshape_ints(b, w, INTS(100, 1, 90), 3), INTS(2, 1, 0), 3);
    assert_null(ox_tensor_of(b, ox_reshape_ints(b, line, INTS(90, 100), 2))->base->base);
    /* Contiguous in the base, which has another type. */
    const ox_val copy = ox_tensor(b, F32, INTS(100, 90), 2, numbers);
    cast = ox_tensor_of(b, ox_swap_axes(b, ox_cast(b, ox_swap_axes(b, copy, 0, 1), MX_FLOAT64), 0, 1));
    assert_int_equal(cast->dtype, MX_FLOAT64);
    for (int i = 0; i < N; i += 4321) {
        assert_int_equal(ox_tensor_read_some(cast, (uint64_t)i, 1, &v), MX_OK);
        assert_int_equal((int)v, i);
    }
    assert_false(ox_failed(b));
    mx_source_close(source);
    end(&t);
}

static double counted(const void *spec, int64_t i)
{
    return (double)(i * *(const int64_t *)spec);
}

/* Neighbours that look like one piece: equal fills are one, others are not, and neither are two formulas. */
static void neighbours_are_joined_if_they_continue(void **state)
{
    enum { N = 5000 };
    static const int64_t by[] = {1, 2};
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val one = ox_fill(b, F32, shape(&t, "5000"), 1), two = ox_fill(b, F32, shape(&t, "5000"), 2);
    const ox_val f = ox_computed(b, F32, INTS(2 * N), 1, counted, &by[0], sizeof by[0]);
    const ox_val g = ox_computed(b, F32, INTS(2 * N), 1, counted, &by[1], sizeof by[1]);
    const ox_val first = ox_slice1(b, f, 0, 0, N);
    const struct {
        ox_val x, y;
        int pieces;
        double last;
    } rows[] = {
        {one, one, 1, 1},
        {one, two, 2, 2},
        {first, ox_slice1(b, f, 0, N, 2 * N), 1, 2 * N - 1},
        {first, ox_slice1(b, g, 0, N, 2 * N), 2, 2 * (2 * N - 1)},
        {first, ox_slice1(b, f, 0, N - 1, 2 * N - 1), 2, 2 * N - 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ox_tensor *joined = ox_tensor_of(b, ox_concat(b, (const ox_val[]){rows[i].x, rows[i].y}, 2, 0));
        float v;
        assert_int_equal(joined->n_pieces, rows[i].pieces);
        assert_int_equal(ox_tensor_read_some(joined, 2 * N - 1, 1, &v), MX_OK);
        assert_int_equal((int)v, (int)rows[i].last);
    }
    end(&t);
}

/* A result has at most 4096 pieces. */
static void a_weight_of_many_joined_rows_stays_a_concat(void **state)
{
    (void)state;
    for (int rows = 2048; rows <= 2049; rows++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        const int64_t dims[] = {rows, 1};
        int64_t *numbers = mx_calloc(2 * (size_t)rows, sizeof *numbers);
        assert_non_null(numbers);
        for (int i = 0; i < 2 * rows; i++) {
            numbers[i] = i;
        }
        const ox_val x[] = {ox_tensor(b, MX_INT64, dims, 2, numbers), ox_tensor(b, MX_INT64, dims, 2, numbers + rows)};
        const struct ox_tensor *joined =
            ox_view_concat(b, (const struct ox_tensor *[]){ox_tensor_of(b, x[0]), ox_tensor_of(b, x[1])}, 2, 1);
        assert_int_equal(joined ? joined->n_pieces : 0, rows == 2048 ? 4096 : 0);
        mx_free(numbers);
        end(&t);
    }
}

/* The first rows, and more of them from row 4 on. */
static ox_val joined_rows(struct ox_build *b, ox_val w, int first, int more)
{
    const ox_val parts[] = {ox_slice1(b, w, 0, 0, first), ox_slice1(b, w, 0, 4, 4 + more)};
    return ox_concat(b, parts, 2, 0);
}

/* As in a tied layer, which transposes the embedding, and one whose parameter is cast for each reader. */
static void a_weight_in_one_form_is_made_once(void **state)
{
    struct t t;
    struct mx_source *source = NULL;
    struct ox_build *b = begin(&t, 17);
    const ox_val w = weight(&t, &source);
    const ox_val tr = ox_transpose(b, w, INTS(2, 0, 1), 3);
    assert_int_equal(ox_transpose(b, w, INTS(2, 0, 1), 3), tr);
    assert_int_equal(ox_transpose(b, tr, INTS(1, 2, 0), 3), w);
    assert_int_equal(ox_reshape_ints(b, ox_reshape_ints(b, w, INTS(-1), 1), INTS(6, 5, 4), 3), w);
    assert_int_equal(ox_cast(b, w, MX_FLOAT16), ox_cast(b, w, MX_FLOAT16));
    assert_int_equal(ox_slice1(b, w, 0, 2, 4), ox_slice1(b, w, 0, -4, -2));
    assert_int_equal(ox_reshape_ints(b, tr, INTS(4, 30), 2), ox_reshape_ints(b, tr, INTS(4, -1), 2));
    const ox_val others[] = {w,
                             tr,
                             ox_transpose(b, w, INTS(1, 0, 2), 3),
                             ox_transpose(b, ox_reshape_ints(b, w, INTS(6, 5, 2, 2), 4), INTS(0, 2, 1, 3), 4),
                             ox_reshape_ints(b, w, INTS(6, 20), 2),
                             ox_cast(b, w, MX_FLOAT16),
                             ox_cast(b, w, MX_FLOAT64),
                             ox_cast(b, tr, MX_FLOAT64),
                             ox_slice1(b, w, 0, 2, 4),
                             ox_slice1(b, w, 0, 3, 5),
                             ox_slice1(b, w, 1, 1, 3),
                             ox_slice1(b, w, 1, 2, 4),
                             joined_rows(b, w, 2, 1),
                             joined_rows(b, w, 1, 2)};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        for (size_t k = 0; k < i; k++) { /* also where the pieces begin at the same places and only their lengths differ */
            assert_int_not_equal(others[i], others[k]);
        }
    }
    assert_false(ox_failed(b));
    mx_source_close(source);
    end(&t);
}

/* A body's casts of a weight are those of the graph around it. */
static void a_weight_of_a_body_is_that_of_the_model(void **state)
{
    struct t t;
    struct mx_source *source = NULL;
    struct ox_build *b = begin(&t, 17);
    const ox_val w = weight(&t, &source);
    struct ox_graph *g = ox_graph_begin(b, "body");
    assert_non_null(g);
    const ox_val inside = ox_cast(b, w, MX_FLOAT64);
    ox_graph_end(b, &inside, 1);
    assert_int_equal(ox_cast(b, w, MX_FLOAT64), inside);
    assert_false(ox_failed(b));
    mx_source_close(source);
    end(&t);
}

/* Ones of any size are one element, through reshapes, slices and joins. */
static void fills_stay_small(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = ox_fill(b, MX_FLOAT16, shape(&t, "100,100,10"), 1);
    x = ox_reshape_ints(b, ox_slice1(b, x, 0, 10, 50), INTS(40, -1), 2);
    x = ox_expand(b, ox_cast(b, x, F32), shape(&t, "3,40,1000").dims, 3);
    const struct ox_tensor *view = ox_tensor_of(b, ox_concat(b, (const ox_val[]){x, x}, 2, 0));
    assert_non_null(view);
    assert_int_equal(view->n_pieces, 1);
    assert_int_equal(view->pieces[0].kind, OX_PIECE_FILL);
    assert_int_equal(view->pieces[0].length, 6 * 40 * 1000 * 4);
    assert_int_equal(ox_tensor_bytes(view), 6 * 40 * 1000 * 4);
    end(&t);
}

/* A file of a few bytes may ask for any size: that is made at run time. */
static void huge_fills_are_not_stored(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    assert_null(ox_tensor_of(b, ox_fill(b, F32, shape(&t, "1000,1000,1000"), 1)));
    const ox_val small = ox_fill(b, F32, shape(&t, "1,1000"), 1);
    assert_null(ox_tensor_of(b, ox_expand(b, small, shape(&t, "1000000,1000").dims, 2)));
    ox_computed(b, F32, INTS(1 << 27, 1 << 27), 2, NULL, NULL, 0);
    assert_string_equal(message(&t), "a constant has more than 2^53 elements");
    end(&t);
}

/* ---- computing */

static void small_constants_are_added_and_multiplied(void **state)
{
    static const struct {
        enum ox_op op;
        double x, y, want;
        bool integers;
    } rows[] = {
        {OX_Add, 3, 4, 7, true},
        {OX_Sub, 3, 4, -1, true},
        {OX_Mul, 3, -4, -12, true},
        {OX_Div, -7, 2, -3, true},
        {OX_Mod, -7, 3, 2, true},
        {OX_Mod, 7, -3, -2, true},
        {OX_Max, 3, 4, 4, true},
        {OX_Min, 3, 4, 3, true},
        {OX_Add, 0.5, 4, 4.5, false},
        {OX_Div, 1, 4, 0.25, false},
        {OX_Pow, 2, 0.5, 1.41421354, false},
        {OX_Min, -1, 4, -1, false},
        {OX_Less, 3, 4, 1, true},
        {OX_GreaterOrEqual, 4, 4, 1, false},
        {OX_Greater, 4, 4, 0, false},
        {OX_LessOrEqual, 4, 4, 1, true},
        {OX_Equal, 4, 4, 1, false},
    };
    struct t t;
    struct ox_build *b = begin(&t, 17);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ox_data d;
        const enum mx_dtype type = rows[i].integers ? MX_INT64 : F32;
        ox_val z = ox_binary(b, rows[i].op, ox_scalar(b, type, rows[i].x), ox_scalar(b, type, rows[i].y));
        assert_true(ox_data_read(b, z, 1, &d));
        const double got = d.f ? d.f[0] : (double)d.i[0];
        assert_true(fabs(got - rows[i].want) < 1e-7);
        ox_data_free(&d);
    }
    assert_int_equal(t.m.main.n_nodes, 0);
    /* What C leaves undefined is the runtime's. */
    ox_binary(b, OX_Div, ox_ints(b, INTS(INT64_MIN), 1), ox_int(b, -1));
    ox_binary(b, OX_Add, ox_ints(b, INTS(INT64_MAX), 1), ox_int(b, 1));
    assert_int_equal(t.m.main.n_nodes, 2);
    end(&t);
}

static void signs_of_small_constants_are_computed(void **state)
{
    static const struct {
        enum ox_op op;
        double want[5]; /* of -2, -1, 0, 1 and 2 */
    } rows[] = {
        {OX_Neg, {2, 1, 0, -1, -2}},
        {OX_Abs, {2, 1, 0, 1, 2}},
        {OX_Sign, {-1, -1, 0, 1, 1}},
    };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        struct t t;
        struct ox_data d;
        struct ox_build *b = begin(&t, 17);
        const ox_val x = i % 2 ? ox_ints(b, INTS(-2, -1, 0, 1, 2), 5) : ox_floats(b, F32, (const double[]){-2, -1, 0, 1, 2}, 5);
        assert_true(ox_data_read(b, ox_unary(b, rows[i / 2].op, x), 5, &d));
        for (int k = 0; k < 5; k++) {
            assert_true((d.f ? d.f[k] : (double)d.i[k]) == rows[i / 2].want[k]);
        }
        assert_int_equal(t.m.main.n_nodes, 0);
        ox_data_free(&d);
        end(&t);
    }
}

static void small_constants_are_reduced(void **state)
{
    static const struct {
        enum ox_op op;
        const char *want;
        int n;
        int64_t axes[2];
        bool keepdims;
    } rows[] = {
        {OX_ReduceSum, "[6 15]", 1, {1}, false},    {OX_ReduceSum, "[5 7 9]", 1, {0}, true},   {OX_ReduceSum, "21", -1, {0}, false},
        {OX_ReduceProd, "[6 120]", 1, {-1}, false}, {OX_ReduceMax, "[4 5 6]", 1, {-2}, false}, {OX_ReduceMin, "[1]", 2, {0, 1}, true},
    };
    static const char *const shapes[] = {"(2,)", "(1, 3)", "()", "(2,)", "(3,)", "(1, 1)"};
    for (int opset = MX2ONNX_OPSET_MIN; opset <= MX2ONNX_OPSET_MAX; opset++) {
        for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
            const size_t k = i / 2;
            struct t t;
            struct ox_build *b = begin(&t, opset);
            const ox_val x = i % 2 ? ox_ints(b, INTS(1, 2, 3, 4, 5, 6), 6) : ox_floats(b, F32, (const double[]){1, 2, 3, 4, 5, 6}, 6);
            const ox_val y = ox_reduce(b, rows[k].op, ox_reshape_ints(b, x, INTS(2, 3), 2), rows[k].axes, rows[k].n, rows[k].keepdims);
            struct mx_str got = {0};
            assert_shape(&t, y, shapes[k]);
            write_value(&t, y, &got);
            assert_string_equal(got.text, rows[k].want);
            assert_int_equal(t.m.main.n_nodes, 0);
            mx_str_free(&got);
            end(&t);
        }
    }
}

/* Anchors: up to OX_LARGE elements each, and LARGE_IN_ALL; what grows beyond is the runtime's. */
static void arithmetic_on_larger_constants_is_computed_up_to_a_limit(void **state)
{
    enum { SIDE = 300, FITTING = (1 << 20) / (SIDE * SIDE) };
    static float numbers[SIDE];
    struct t t;
    struct ox_build *b = begin(&t, 17);
    struct mx_source *source = NULL;
    struct ox_data d;
    for (int i = 0; i < SIDE; i++) {
        numbers[i] = (float)i;
    }
    mx_little_endian(numbers, sizeof *numbers, SIDE);
    assert_int_equal(mx_source_open_memory(&source, numbers, sizeof numbers, false), MX_OK);
    const ox_val row = param(b, "r", 1, INTS(SIDE), (struct ox_piece){.source = source, .length = sizeof numbers});
    const ox_val column = ox_reshape_ints(b, row, INTS(SIDE, 1), 2);
    const ox_val sum = ox_add(b, column, row);
    assert_shape(&t, sum, "(300, 300)");
    assert_true(ox_data_read(b, sum, SIDE * SIDE, &d));
    assert_true(d.f[SIDE * 7 + 5] == 12 && d.f[SIDE * SIDE - 1] == 2 * (SIDE - 1));
    ox_data_free(&d);
    ox_mul(b, ox_reshape_ints(b, row, INTS(SIDE, 1, 1), 3), sum); /* 27 million */
    assert_int_equal(t.m.main.n_nodes, 1);
    for (int i = 1; i < FITTING; i++) {
        ox_sub(b, ox_scalar(b, F32, i), sum);
    }
    assert_int_equal(t.m.main.n_nodes, 1);
    ox_sub(b, ox_scalar(b, F32, 0.5), sum);
    assert_int_equal(t.m.main.n_nodes, 2);
    mx_source_close(source);
    end(&t);
}

static void assert_numbers(struct t *t, ox_val x, const char *dims, const double *want, int n)
{
    struct ox_data d;
    assert_shape(t, x, dims);
    assert_true(ox_data_read(&t->b, x, n, &d));
    assert_int_equal(d.count, n);
    for (int i = 0; i < n; i++) {
        assert_true(fabs((d.f ? d.f[i] : (double)d.i[i]) - want[i]) < 1e-7);
    }
    ox_data_free(&d);
}
#define NUMBERS(t, x, dims, ...)                                                                                                           \
    assert_numbers((t), (x), (dims), (const double[]){__VA_ARGS__}, (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)))

static void reductions_of_constants_are_computed(void **state)
{
    static const float x[] = {1, 2, 3, -4, 5, 6.5F, 7, 8, 9, 10, -11, 12};
    static const int32_t i[] = {1, 2, 3, 4, 5, 6};
    static const float big[] = {3e38F, 3e38F, -3e38F, NAN};
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val f = ox_tensor(b, F32, INTS(2, 3, 2), 3, x), n = ox_tensor(b, MX_INT32, INTS(2, 3), 2, i);
    NUMBERS(&t, ox_reduce(b, OX_ReduceSum, f, INTS(1), 1, true), "(2, 1, 2)", 9, 4.5, 5, 30);
    NUMBERS(&t, ox_reduce(b, OX_ReduceSum, f, INTS(0, -1), 2, false), "(3,)", 18, 18, 12.5);
    NUMBERS(&t, ox_reduce(b, OX_ReduceMax, f, INTS(2), 1, false), "(2, 3)", 2, 3, 6.5, 8, 10, 12);
    NUMBERS(&t, ox_reduce(b, OX_ReduceMin, f, NULL, -1, false), "()", -11);
    NUMBERS(&t, ox_reduce(b, OX_ReduceProd, n, INTS(1), 1, false), "(2,)", 6, 120);
    NUMBERS(&t, ox_reduce(b, OX_ReduceSum, n, INTS(0), 1, true), "(1, 3)", 5, 7, 9);
    assert_int_equal(t.m.main.n_nodes, 0);
    /* At run time the sums may be infinite on their way. */
    ox_reduce(b, OX_ReduceSum, ox_tensor(b, F32, INTS(3), 1, big), NULL, -1, true);
    ox_reduce(b, OX_ReduceMax, ox_tensor(b, F32, INTS(2), 1, big + 2), NULL, -1, true);
    assert_int_equal(t.m.main.n_nodes, 2);
    end(&t);
}

static bool same_number(double x, double y)
{
    return (isnan(x) && isnan(y)) || !(x < y || x > y) || fabs(x - y) < 1e-7;
}

/* A constant of these elements, or a node if `want` is NULL. */
static void assert_folds(struct t *t, ox_val x, const double *want, int n, const char *what)
{
    struct ox_data d;
    if (!want) {
        if (ox_tensor_of(&t->b, x)) {
            fail_msg("%s is computed", what);
        }
        return;
    }
    if (!ox_data_read(&t->b, x, n, &d)) {
        fail_msg("%s is not computed", what);
    }
    assert_int_equal(d.count, n);
    for (int i = 0; i < n; i++) {
        const double got = d.f ? d.f[i] : (double)d.i[i];
        if (isnan(got) != isnan(want[i]) || !same_number(got, want[i])) {
            fail_msg("%s: element %d is %g, not %g", what, i, got, want[i]);
        }
    }
    ox_data_free(&d);
}
#define FOLDS(t, x, ...)                                                                                                                   \
    assert_folds((t), (x), (const double[]){__VA_ARGS__}, (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)), #x)
#define STAYS(t, x) assert_folds((t), (x), NULL, 0, #x)

static ox_val flags(struct ox_build *b, bool first, bool second)
{
    return ox_tensor(b, MX_BOOL, INTS(2), 1, (const uint8_t[]){first, second});
}

static void every_operator_of_two_constants_is_computed(void **state)
{
    static const int64_t least = INT64_MIN, most = INT64_MAX, large = INT64_C(1) << 62;
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val x = ox_ints(b, INTS(-7, -6, 3, 6, 7), 5), three = ox_int(b, 3), minus = ox_int(b, -3);
    const ox_val f = ox_floats(b, F32, (const double[]){-2, 0.5, 3, NAN, INFINITY}, 5), half = ox_scalar(b, F32, 0.5);
    const ox_val nan = ox_scalar(b, F32, NAN), yes = ox_tensor(b, MX_BOOL, INTS(2, 1), 2, (const uint8_t[]){1, 0});
    FOLDS(&t, ox_binary(b, OX_Add, x, three), -4, -3, 6, 9, 10);
    FOLDS(&t, ox_binary(b, OX_Sub, x, three), -10, -9, 0, 3, 4);
    FOLDS(&t, ox_binary(b, OX_Mul, x, minus), 21, 18, -9, -18, -21);
    FOLDS(&t, ox_binary(b, OX_Div, x, three), -2, -2, 1, 2, 2);
    FOLDS(&t, ox_binary(b, OX_Div, x, minus), 2, 2, -1, -2, -2);
    FOLDS(&t, ox_binary(b, OX_Mod, x, three), 2, 0, 0, 0, 1);
    FOLDS(&t, ox_binary(b, OX_Mod, x, minus), -1, 0, 0, 0, -2);
    FOLDS(&t, ox_binary(b, OX_Max, x, three), 3, 3, 3, 6, 7);
    FOLDS(&t, ox_binary(b, OX_Min, x, three), -7, -6, 3, 3, 3);
    FOLDS(&t, ox_binary(b, OX_Equal, x, three), 0, 0, 1, 0, 0);
    FOLDS(&t, ox_binary(b, OX_Less, x, three), 1, 1, 0, 0, 0);
    FOLDS(&t, ox_binary(b, OX_LessOrEqual, x, three), 1, 1, 1, 0, 0);
    FOLDS(&t, ox_binary(b, OX_Greater, x, three), 0, 0, 0, 1, 1);
    FOLDS(&t, ox_binary(b, OX_GreaterOrEqual, x, three), 0, 0, 1, 1, 1);
    FOLDS(&t, ox_binary(b, OX_And, yes, flags(b, true, false)), 1, 0, 0, 0);
    FOLDS(&t, ox_binary(b, OX_Or, yes, flags(b, true, false)), 1, 1, 1, 0);
    FOLDS(&t, ox_binary(b, OX_Xor, yes, flags(b, true, false)), 0, 1, 1, 0);
    STAYS(&t, ox_binary(b, OX_Pow, x, three));
    FOLDS(&t, ox_binary(b, OX_Add, f, half), -1.5, 1, 3.5, NAN, INFINITY);
    FOLDS(&t, ox_binary(b, OX_Sub, f, half), -2.5, 0, 2.5, NAN, INFINITY);
    FOLDS(&t, ox_binary(b, OX_Mul, f, half), -1, 0.25, 1.5, NAN, INFINITY);
    FOLDS(&t, ox_binary(b, OX_Div, f, half), -4, 1, 6, NAN, INFINITY);
    FOLDS(&t, ox_binary(b, OX_Pow, f, ox_scalar(b, F32, 2)), 4, 0.25, 9, NAN, INFINITY);
    FOLDS(&t, ox_binary(b, OX_Max, f, half), 0.5, 0.5, 3, NAN, INFINITY);
    FOLDS(&t, ox_binary(b, OX_Min, f, half), -2, 0.5, 0.5, NAN, 0.5);
    FOLDS(&t, ox_binary(b, OX_Max, f, nan), NAN, NAN, NAN, NAN, NAN);
    FOLDS(&t, ox_binary(b, OX_Min, f, nan), NAN, NAN, NAN, NAN, NAN);
    FOLDS(&t, ox_binary(b, OX_Equal, f, half), 0, 1, 0, 0, 0);
    FOLDS(&t, ox_binary(b, OX_Less, f, half), 1, 0, 0, 0, 0);
    FOLDS(&t, ox_binary(b, OX_LessOrEqual, f, half), 1, 1, 0, 0, 0);
    FOLDS(&t, ox_binary(b, OX_Greater, f, half), 0, 0, 1, 0, 1);
    FOLDS(&t, ox_binary(b, OX_GreaterOrEqual, f, half), 0, 1, 1, 0, 1);
    STAYS(&t, ox_node(b, OX_Mod, OX_IN(f, half), OX_ATTRS(OX_I("fmod", 1))));
    /* What C leaves undefined is the runtime's. */
    STAYS(&t, ox_binary(b, OX_Add, ox_int(b, most), ox_int(b, 1)));
    FOLDS(&t, ox_binary(b, OX_Add, ox_int(b, most), ox_int(b, -1)), (double)(most - 1));
    STAYS(&t, ox_binary(b, OX_Sub, ox_int(b, least), ox_int(b, 1)));
    STAYS(&t, ox_binary(b, OX_Sub, ox_int(b, -1), ox_int(b, least)));
    FOLDS(&t, ox_binary(b, OX_Sub, ox_int(b, -1), ox_int(b, most)), (double)least);
    STAYS(&t, ox_binary(b, OX_Mul, ox_int(b, large), ox_int(b, 2)));
    STAYS(&t, ox_binary(b, OX_Div, ox_int(b, least), ox_int(b, -1)));
    STAYS(&t, ox_binary(b, OX_Mod, ox_int(b, least), ox_int(b, -1)));
    FOLDS(&t, ox_binary(b, OX_Div, ox_int(b, least), ox_int(b, 2)), (double)least / 2);
    STAYS(&t, ox_binary(b, OX_Div, ox_ints(b, INTS(1, 2), 2), ox_ints(b, INTS(1, 0), 2)));
    STAYS(&t, ox_binary(b, OX_Mod, ox_ints(b, INTS(1, 2), 2), ox_ints(b, INTS(1, 0), 2)));
    STAYS(&t, ox_binary(b, OX_Add, ox_ints(b, INTS(1, most), 2), ox_ints(b, INTS(1, 1), 2))); /* not only the last one counts */
    STAYS(&t, ox_binary(b, OX_Add, ox_ints(b, INTS(most, 1), 2), ox_ints(b, INTS(1, 1), 2)));
    STAYS(&t, ox_binary(b, OX_Sub, ox_ints(b, INTS(least, 1), 2), ox_ints(b, INTS(1, 1), 2)));
    STAYS(&t, ox_binary(b, OX_Mul, ox_ints(b, INTS(most, 1), 2), ox_ints(b, INTS(2, 1), 2)));
    STAYS(&t, ox_binary(b, OX_Div, ox_ints(b, INTS(1, 2), 2), ox_ints(b, INTS(0, 1), 2)));
    end(&t);
}

static void every_operator_of_one_constant_is_computed(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val f = ox_floats(b, F32, (const double[]){-2.5, -0.5, 0, 0.25, 1.5, 2.5}, 6), i = ox_ints(b, INTS(-3, 0, 4), 3);
    const ox_val p = ox_floats(b, F32, (const double[]){0.25, 1, 4}, 3), least = ox_ints(b, INTS(INT64_MIN), 1);
    FOLDS(&t, ox_unary(b, OX_Abs, f), 2.5, 0.5, 0, 0.25, 1.5, 2.5);
    FOLDS(&t, ox_unary(b, OX_Ceil, f), -2, 0, 0, 1, 2, 3);
    FOLDS(&t, ox_unary(b, OX_Floor, f), -3, -1, 0, 0, 1, 2);
    FOLDS(&t, ox_unary(b, OX_Round, f), -2, 0, 0, 0, 2, 2);
    FOLDS(&t, ox_unary(b, OX_Neg, f), 2.5, 0.5, 0, -0.25, -1.5, -2.5);
    FOLDS(&t, ox_unary(b, OX_Sign, f), -1, -1, 0, 1, 1, 1);
    FOLDS(&t, ox_unary(b, OX_Reciprocal, p), 4, 1, 0.25);
    FOLDS(&t, ox_unary(b, OX_Sqrt, p), 0.5, 1, 2);
    FOLDS(&t, ox_unary(b, OX_Exp, p), (float)exp(0.25), (float)exp(1), (float)exp(4));
    FOLDS(&t, ox_unary(b, OX_Log, p), (float)log(0.25), 0, (float)log(4));
    FOLDS(&t, ox_unary(b, OX_Tanh, p), (float)tanh(0.25), (float)tanh(1), (float)tanh(4));
    FOLDS(&t, ox_unary(b, OX_Abs, i), 3, 0, 4);
    FOLDS(&t, ox_unary(b, OX_Neg, i), 3, 0, -4);
    FOLDS(&t, ox_unary(b, OX_Sign, i), -1, 0, 1);
    FOLDS(&t, ox_unary(b, OX_Not, flags(b, true, false)), 0, 1);
    STAYS(&t, ox_unary(b, OX_Abs, least));
    STAYS(&t, ox_unary(b, OX_Neg, least));
    STAYS(&t, ox_unary(b, OX_Sqrt, i));
    end(&t);
}

static void constants_are_broadcast_gathered_and_repeated(void **state)
{
    static const float x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val cube = ox_tensor(b, F32, INTS(2, 3, 2), 3, x), pair = ox_tensor(b, F32, INTS(2, 1, 1), 3, x);
    const ox_val row = ox_tensor(b, F32, INTS(1, 3), 2, x), column = ox_tensor(b, F32, INTS(2, 1), 2, x + 6);
    const ox_val choice = ox_tensor(b, MX_BOOL, INTS(2, 1), 2, (const uint8_t[]){0, 1}), one = ox_scalar(b, F32, 20);
    FOLDS(&t, ox_add(b, pair, ox_add(b, row, column)), 9, 10, 11, 10, 11, 12, 10, 11, 12, 11, 12, 13);
    FOLDS(&t, ox_sub(b, row, column), -6, -5, -4, -7, -6, -5);
    FOLDS(&t, ox_sub(b, column, row), 6, 5, 4, 7, 6, 5);
    FOLDS(&t, ox_where(b, choice, row, one), 20, 20, 20, 1, 2, 3);
    FOLDS(&t, ox_where(b, choice, column, row), 1, 2, 3, 8, 8, 8);
    FOLDS(&t, ox_node(b, OX_Where, OX_IN(choice, ox_ints(b, INTS(5, 6), 2), ox_int(b, 7)), OX_NO_ATTRS), 7, 7, 5, 6);
    FOLDS(&t, ox_node(b, OX_Gather, OX_IN(cube, ox_ints(b, INTS(2, -3), 2)), OX_ATTRS(OX_I("axis", 1))), 5, 6, 1, 2, 11, 12, 7, 8);
    FOLDS(&t, ox_node(b, OX_Gather, OX_IN(cube, ox_int(b, 1)), OX_ATTRS(OX_I("axis", -1))), 2, 4, 6, 8, 10, 12);
    FOLDS(&t, ox_node(b, OX_Gather, OX_IN(cube, ox_ints(b, INTS(-1), 1)), OX_NO_ATTRS), 7, 8, 9, 10, 11, 12);
    STAYS(&t, ox_node(b, OX_Gather, OX_IN(cube, ox_ints(b, INTS(0, 3), 2)), OX_ATTRS(OX_I("axis", 1))));
    STAYS(&t, ox_node(b, OX_Gather, OX_IN(cube, ox_ints(b, INTS(0, -4), 2)), OX_ATTRS(OX_I("axis", 1))));
    FOLDS(&t, ox_node(b, OX_Tile, OX_IN(row, OX_INTS(b, 2, 2)), OX_NO_ATTRS), 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3);
    FOLDS(&t, ox_node(b, OX_Tile, OX_IN(column, OX_INTS(b, 1, 3)), OX_NO_ATTRS), 7, 7, 7, 8, 8, 8);
    FOLDS(&t, ox_node(b, OX_Tile, OX_IN(ox_ints(b, INTS(1, 2), 2), OX_INTS(b, 2)), OX_NO_ATTRS), 1, 2, 1, 2);
    STAYS(&t, ox_node(b, OX_Range, OX_IN(ox_int(b, 0), ox_int(b, 4097), ox_int(b, 1)), OX_NO_ATTRS));
    FOLDS(&t, ox_node(b, OX_Range, OX_IN(ox_int(b, 1), ox_int(b, 6), ox_int(b, 2)), OX_NO_ATTRS), 1, 3, 5);
    FOLDS(&t, ox_node(b, OX_Range, OX_IN(ox_int(b, 5), ox_int(b, -1), ox_int(b, -3)), OX_NO_ATTRS), 5, 2);
    FOLDS(&t, ox_node(b, OX_Range, OX_IN(ox_scalar(b, F32, 1), ox_scalar(b, F32, 2), ox_scalar(b, F32, 0.5)), OX_NO_ATTRS), 1, 1.5);
    assert_shape(&t, ox_node(b, OX_Range, OX_IN(ox_int(b, 5), ox_int(b, 5), ox_int(b, 1)), OX_NO_ATTRS), "(0,)");
    assert_shape(&t, ox_node(b, OX_Range, OX_IN(ox_int(b, 5), ox_int(b, 4), ox_int(b, 1)), OX_NO_ATTRS), "(0,)");
    STAYS(&t, ox_node(b, OX_Range, OX_IN(ox_int(b, 5), ox_int(b, 5), ox_int(b, 0)), OX_NO_ATTRS)); /* an error of the runtime */
    STAYS(&t, ox_node(b, OX_ReduceMax, OX_IN(ox_ints(b, NULL, 0)), OX_NO_ATTRS));
    end(&t);
}

/* The last number of elements, or the last size of a number, for which a constant is computed, and the next. */
static void constants_are_computed_up_to_the_limits(void **state)
{
    static float numbers[5000];
    static const int64_t exact = INT64_C(1) << 53;
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val two = ox_int(b, 2), one = ox_int(b, 1);
    for (int i = 0; i < 5000; i++) {
        numbers[i] = (float)i;
    }
    for (int more = 0; more < 2; more++) {
        const ox_val end_at = ox_int(b, 4096 + more), large = ox_tensor(b, F32, INTS(5000), 1, numbers);
        assert_int_equal(!ox_tensor_of(b, ox_node(b, OX_Range, OX_IN(ox_int(b, 0), end_at, one), OX_NO_ATTRS)), more);
        assert_int_equal(
            !ox_tensor_of(b, ox_node(b, OX_Range, OX_IN(ox_int(b, exact - 2 + more), ox_int(b, exact - 1 + more), two), OX_NO_ATTRS)),
            more);
        assert_int_equal(!ox_tensor_of(b, ox_node(b, OX_Range, OX_IN(one, ox_int(b, exact - 1 + more), ox_int(b, exact - 1)), OX_NO_ATTRS)),
                         more);
        b->folded = (1 << 20) - 5000 + more;
        assert_int_equal(!ox_tensor_of(b, ox_add(b, large, ox_floats(b, F32, (const double[]){more + 1}, 1))), more);
        b->folded = 0;
        b->fold_read = (1 << 24) + more;
        assert_int_equal(!ox_tensor_of(b, ox_add(b, ox_int(b, 11), ox_int(b, 12 + more))), more);
        b->fold_read = 0;
        const ox_val many = ox_tensor(b, F32, INTS(64 + more), 1, numbers), others = ox_tensor(b, F32, INTS(65), 1, numbers + 1 + more);
        b->held = (UINT64_C(16) << 20) + (uint64_t)more;
        assert_int_equal(!ox_tensor_of(b, ox_unary(b, OX_Neg, others)), more);
        b->held = (16 << 20) + 1;
        assert_int_equal(!ox_tensor_of(b, ox_unary(b, OX_Exp, many)), more);
        b->held = 0;
    }
    end(&t);
}

static void results_of_gather_and_tile_are_computed_up_to_the_limits(void **state)
{
    static const int64_t ones[MX_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                              1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static int64_t places[4097];
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val pair = ox_ints(b, INTS(5, 6), 2), square = ox_reshape_ints(b, ox_ints(b, INTS(1, 2, 3, 4), 4), INTS(2, 2), 2);
    const ox_val deep = ox_tensor(b, MX_INT64, ones, MX_MAX_RANK, ones);
    for (int i = 0; i < 4097; i++) {
        places[i] = i % 2;
    }
    for (int more = 0; more < 2; more++) {
        const ox_val many = ox_tensor(b, MX_INT64, INTS(4096 + more), 1, places);
        assert_int_equal(!ox_tensor_of(b, ox_node(b, OX_Gather, OX_IN(pair, many), OX_NO_ATTRS)), more);
        assert_int_equal(!ox_tensor_of(b, ox_node(b, OX_Tile, OX_IN(pair, OX_INTS(b, 2048 + more)), OX_NO_ATTRS)), more);
    }
    /* Without elements, but of more than 2^53 places if the empty axis had one. */
    const ox_val none = ox_tensor(b, MX_INT64, INTS(INT64_C(1) << 50, 0, 1), 3, ones);
    const ox_val sixteen = ox_tensor(b, MX_INT64, INTS(2, 8), 2, (const int64_t[16]){0});
    STAYS(&t, ox_node(b, OX_Gather, OX_IN(none, sixteen), OX_ATTRS(OX_I("axis", 2))));
    STAYS(&t, ox_node(b, OX_Tile, OX_IN(none, OX_INTS(b, 1, 1, 16)), OX_NO_ATTRS));
    STAYS(&t, ox_node(b, OX_Tile, OX_IN(none, OX_INTS(b, 1, 1, 4097)), OX_NO_ATTRS));
    FOLDS(&t, ox_node(b, OX_Gather, OX_IN(pair, deep), OX_NO_ATTRS), 6);
    STAYS(&t, ox_node(b, OX_Gather, OX_IN(square, deep), OX_NO_ATTRS));
    end(&t);
}

static void softmax_of_constants_is_computed(void **state)
{
    static const float x[] = {1, 1, 1, 4, 1, 1, 1, 1}, bad[] = {1, INFINITY};
    for (int opset = MX2ONNX_OPSET_MIN; opset <= MX2ONNX_OPSET_MAX; opset++) {
        struct t t;
        struct ox_build *b = begin(&t, opset);
        const double e = exp(-3) / (1 + exp(-3)), h = 0.5;
        NUMBERS(&t, ox_softmax(b, OX_Softmax, ox_tensor(b, F32, INTS(2, 2, 2), 3, x), 1), "(2, 2, 2)", h, e, h, 1 - e, h, h, h, h);
        NUMBERS(&t, ox_softmax(b, OX_Softmax, ox_tensor(b, F32, INTS(2, 4), 2, x), -1), "(2, 4)", e / (1 + 2 * e), e / (1 + 2 * e),
                e / (1 + 2 * e), (1 - e) / (1 + 2 * e), 0.25, 0.25, 0.25, 0.25);
        assert_int_equal(t.m.main.n_nodes, 0);
        ox_softmax(b, OX_Softmax, ox_tensor(b, F32, INTS(2), 1, bad), 0);
        assert_int_equal(t.m.main.n_nodes, 1);
        end(&t);
    }
}

static void small_constants_are_clipped(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    struct ox_data d;
    ox_val x = ox_clip(b, ox_ints(b, INTS(-4, 2, 9), 3), ox_int(b, 0), ox_int(b, 5));
    ox_val y = ox_clip(b, ox_fill(b, F32, shape(&t, "2"), 7.5), ox_scalar(b, F32, 9), ox_scalar(b, F32, 8)); /* crossed: the upper one */
    assert_true(ox_data_read(b, x, 3, &d));
    assert_memory_equal(d.i, INTS(0, 2, 5), 3 * sizeof(int64_t));
    ox_data_free(&d);
    assert_true(ox_data_read(b, y, 2, &d));
    assert_true(d.f[0] > 7.9 && d.f[0] < 8.1);
    ox_data_free(&d);
    assert_int_equal(t.m.main.n_nodes, 0);
    end(&t);
}

/* Positions: int64, float32 as MXNet has them, int64 again. */
static void integers_are_clipped_without_their_casts(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val i = input(&t, "i", MX_INT64, "n");
    ox_val there_and_back = ox_cast(b, ox_cast(b, i, F32), MX_INT64);
    ox_val half = ox_cast(b, ox_cast(b, i, MX_FLOAT16), MX_INT64);
    ox_output(b, ox_clip(b, there_and_back, ox_int(b, 0), ox_int(b, 511)), "y");
    ox_output(b, ox_clip(b, there_and_back, ox_int(b, 0), ox_int(b, (1 << 24) + 2)), "z");
    ox_output(b, ox_clip(b, half, ox_int(b, 0), ox_int(b, 511)), "w");
    assert_nodes(&t, "0 Cast(i) to=0 float32 (n,)\n"
                     "1 Cast(%0) to=6 int64 (n,)\n"
                     "2 Cast(i) to=2 float16 (n,)\n"
                     "3 Cast(%2) to=6 int64 (n,)\n"
                     "4 Clip(i, 0, 511) int64 (n,)\n"
                     "5 Clip(%1, 0, 1.67772e+07) int64 (n,)\n"
                     "6 Clip(%3, 0, 511) int64 (n,)\n");
    end(&t);
}

/* Of floats that hold every integer up to the bounds, which may be the last such ones. */
static void integers_are_clipped_without_floats_up_to_the_limits(void **state)
{
    static const int64_t single = INT64_C(1) << 24, real = INT64_C(1) << 53;
    const struct {
        enum mx_dtype through;
        int64_t least, greatest;
        bool direct;
    } rows[] = {
        {MX_FLOAT32, -single, single, true}, {MX_FLOAT32, -single - 1, single, false}, {MX_FLOAT32, -single, single + 1, false},
        {MX_FLOAT64, -real, real, true},     {MX_FLOAT64, -real - 1, real, false},     {MX_FLOAT64, -real, real + 1, false},
        {MX_FLOAT16, 0, 1, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        const ox_val x = input(&t, "i", MX_INT64, "n");
        ox_output(b,
                  ox_clip(b, ox_cast(b, ox_cast(b, x, rows[i].through), MX_INT64), ox_int(b, rows[i].least), ox_int(b, rows[i].greatest)),
                  "y");
        assert_int_equal(ox_finish(&t.m), MX_OK);
        assert_int_equal(count_of(&t, OX_Clip), 1);
        assert_int_equal(t.m.main.n_nodes, rows[i].direct ? 1 : 3);
        end(&t);
    }
}

/* For a runtime whose casts keep fractions, floats are clipped before the cast as long as they hold each row's number. */
static void float_indices_are_clipped_up_to_the_limits(void **state)
{
    static const struct {
        enum mx_dtype t;
        int64_t size; /* of the table: the last row has the number below it */
        const char *clips;
    } rows[] = {
        {MX_FLOAT16, (1 << 11) + 1, "float16"},
        {MX_FLOAT16, (1 << 11) + 2, "int64"},
        {MX_FLOAT32, (1 << 24) + 1, "float32"},
        {MX_FLOAT32, (1 << 24) + 2, "int64"},
        {MX_FLOAT64, MX_MAX_ELEMENTS, "float64"},
        {MX_INT64, 5, "int64"},
        {MX_INT32, 5, "int32"},
        {F32, 5, "int64"}, /* another target */
    };
    const size_t n_rows = sizeof rows / sizeof *rows;
    for (size_t i = 0; i < n_rows; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        const struct ox_target target = {.casts_keep_fractions = i + 1 < n_rows};
        t.m.target = &target;
        const ox_val x = input(&t, "x", rows[i].t, "n"), row = ox_index(b, x, rows[i].size);
        assert_false(ox_failed(b));
        int clips = 0;
        for (int k = 0; k < t.m.main.n_nodes; k++) {
            const struct ox_node *n = t.m.main.nodes[k];
            if (n->op == OX_Clip) {
                assert_string_equal(mx_dtype_name(t.m.values[n->out[0]].dtype), rows[i].clips);
                clips++;
            }
        }
        assert_int_equal(clips, 1);
        assert_int_not_equal(row, x);
        end(&t);
    }
}

/* A sum over nothing is computed over one zero. */
static void products_over_nothing_are_zero(void **state)
{
    static const char *const dims[][3] = {
        {"2,0", "0", "(2,)"}, {"0", "0,3", "(3,)"}, {"2,0", "0,3", "(2, 3)"}, {"0", "0", "()"}, {"5,2,0", "5,0,3", "(5, 2, 3)"}};
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
        struct t t;
        struct ox_build *b = begin(&t, 17);
        const ox_val z = ox_matmul(b, input(&t, "x", F32, dims[i][0]), input(&t, "y", F32, dims[i][1]));
        assert_shape(&t, z, dims[i][2]);
        const struct ox_node *n = t.m.values[z].producer;
        int64_t size = 0;
        if (n) {
            assert_true(ox_size_at(b, n->in[0], -1, &size) && size == 1);
            assert_true(ox_size_at(b, n->in[1], ox_rank(b, n->in[1]) > 1 ? -2 : -1, &size) && size == 1);
        } else {
            struct ox_data d;
            assert_true(ox_data_read(b, z, 30, &d));
            for (int k = 0; k < d.count; k++) {
                assert_true(fabs(d.f[k]) <= 0);
            }
            ox_data_free(&d);
        }
        end(&t);
    }
}

/* What broadcasting repeats need not be repeated before. */
static void operands_are_not_spread(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "batch,300,400");
    ox_val m = input(&t, "m", MX_BOOL, "batch,1,400");
    const struct mx_shape whole = ox_shape(b, x);
    ox_val ones = ox_fill(b, F32, whole, 1);
    ox_val low = ox_mul(b, ones, ox_scalar(b, F32, -2));
    ox_val y = ox_where(b, ox_expand(b, m, whole.dims, 3), x, low);
    ox_output(b, y, "y");
    ox_output(b, ox_add(b, ox_fill(b, F32, shape(&t, "300,400"), 3), y), "z");
    assert_nodes(&t, "0 Where(m, x, -2) float32 (batch, 300, 400)\n"
                     "1 Add(3, %0) float32 (batch, 300, 400)\n");
    end(&t);
}

/* A shape with sizes that nothing states cannot be written again. */
static void an_operand_of_unknown_sizes_stays(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    const ox_val ones = ox_node(b, OX_Expand, OX_IN(ox_float32(b, 1), input(&t, "sizes", MX_INT64, "2")), OX_NO_ATTRS);
    ox_typed(b, ones, F32, shape(&t, "?,3"));
    ox_mul(b, ones, ox_float32(b, 2));
    assert_false(ox_failed(b));
    assert_int_equal(last(&t)->op, OX_Mul);
    const ox_val open = ox_node(b, OX_Expand, OX_IN(ox_float32(b, 0), input(&t, "rank", MX_INT64, "n")), OX_NO_ATTRS);
    assert_int_equal(ox_rank(b, open), -1);
    ox_node(b, OX_Gemm, OX_IN(open, ox_fill(b, F32, shape(&t, "3,4"), 1)), OX_NO_ATTRS);
    assert_int_equal(last(&t)->op, OX_Gemm);
    assert_false(ox_failed(b));
    end(&t);
}

/* A number for each class, combined with a mask over all boxes, is not written for each box. */
static void a_broadcast_constant_is_not_materialised(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val mask = input(&t, "mask", MX_BOOL, "batch,90000,3"), known = input(&t, "known", MX_BOOL, "1,90000,3");
    ox_val ids = ox_reshape_ints(b, ox_floats(b, F32, (const double[]){0, 1, 2}, 3), INTS(1, 1, 3), 3);
    ox_val y = ox_add(b, ox_fill(b, F32, shape(&t, "batch,90000,1"), 0), ids);
    ox_output(b, ox_where(b, mask, y, ox_scalar(b, F32, -1)), "y");
    ox_val z = ox_add(b, ids, ox_fill(b, F32, shape(&t, "1,90000,1"), 0.5));
    ox_output(b, ox_where(b, known, z, ox_scalar(b, F32, -1)), "z");
    ox_output(b, z, "spread");
    const ox_val wide = ox_expand(b, ids, shape(&t, "1,90000,3").dims, 3);
    ox_output(b, ox_where(b, known, ox_mul(b, wide, wide), ox_scalar(b, F32, -1)), "two");
    assert_nodes(&t, "0 Where(mask, [0 1 2], -1) float32 (batch, 90000, 3)\n"
                     "1 Expand([0.5 1.5 2.5], [1 90000 1]) float32 (1, 90000, 3)\n"
                     "2 Where(known, [0.5 1.5 2.5], -1) float32 (1, 90000, 3)\n"
                     "3 Where(known, [0 1 4], -1) float32 (1, 90000, 3)\n");
    end(&t);
}

/* A cell's first step. */
static void zeros_times_a_weight_are_zeros(void **state)
{
    static const float numbers[12] = {0};
    struct t t;
    struct ox_build *b = begin(&t, 17);
    struct mx_source *source = NULL;
    assert_int_equal(mx_source_open_memory(&source, numbers, sizeof numbers, false), MX_OK);
    const ox_val w = param(b, "w", 2, INTS(3, 4), (struct ox_piece){.source = source, .length = sizeof numbers});
    const ox_val c = ox_floats(b, F32, (const double[]){1, 2, 3}, 3);
    const struct ox_attr *turned = OX_ATTRS(OX_I("transB", 1));
    const ox_val x = input(&t, "x", F32, "batch,4");
    const ox_val one = ox_fill(b, F32, shape(&t, "1,4"), 0), many = ox_fill(b, F32, shape(&t, "batch,4"), 0);
    const ox_val known = ox_node(b, OX_Gemm, OX_IN(one, w, c), turned);
    const ox_val bare = ox_node(b, OX_Gemm, OX_IN(one, w), turned);
    assert_shape(&t, known, "(1, 3)");
    assert_shape(&t, bare, "(1, 3)");
    assert_true(ox_is_all(b, bare, 0));
    const struct ox_attr *both = OX_ATTRS(OX_I("transA", 1), OX_I("transB", 1));
    assert_shape(&t, ox_node(b, OX_Gemm, OX_IN(ox_fill(b, F32, shape(&t, "4,1"), 0), w, c), both), "(1, 3)");
    assert_int_equal(count_of(&t, OX_Gemm), 0);
    const ox_val dynamic = ox_node(b, OX_Gemm, OX_IN(many, w, c), turned);
    assert_shape(&t, dynamic, "(batch, 3)");
    assert_int_equal(count_of(&t, OX_Gemm), 0);
    ox_node(b, OX_Gemm, OX_IN(x, w, c), turned);
    ox_node(b, OX_Gemm, OX_IN(one, x), turned); /* x may be infinite */
    ox_node(b, OX_Gemm, OX_IN(one, w, c), OX_ATTRS(OX_I("transB", 1), OX_F("beta", 2)));
    assert_int_equal(count_of(&t, OX_Gemm), 3);
    mx_source_close(source);
    end(&t);
}

static void an_operand_that_determines_the_shape_stays(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "1,3");
    ox_val big = ox_expand(b, x, shape(&t, "5,3").dims, 2);
    ox_output(b, ox_add(b, big, ox_unary(b, OX_Exp, big)), "y"); /* one of the two gives way */
    ox_output(b, ox_add(b, big, x), "z");
    ox_output(b, ox_mul(b, ox_fill(b, F32, shape(&t, "200,300"), 3), ox_scalar(b, F32, 2)), "w");
    assert_nodes(&t, "0 Expand(x, [5 1]) float32 (5, 3)\n"
                     "1 Exp(%0) float32 (5, 3)\n"
                     "2 Add(x, %1) float32 (5, 3)\n"
                     "3 Add(%0, x) float32 (5, 3)\n"
                     "4 Identity(%-1) float32 (200, 300)\n");
    end(&t);
}

static void an_operand_that_changes_nothing_is_removed(void **state)
{
    struct t t;
    struct ox_build *b = begin(&t, 17);
    ox_val x = input(&t, "x", F32, "batch,3");
    ox_val i = input(&t, "i", MX_INT32, "3");
    assert_int_equal(ox_mul(b, x, ox_scalar(b, F32, 1)), x);
    assert_int_equal(ox_mul(b, ox_fill(b, F32, shape(&t, "3"), 1), x), x);
    assert_int_equal(ox_mul(b, x, ox_floats(b, F32, (const double[]){1, 1, 1}, 3)), x);
    assert_int_equal(ox_div(b, x, ox_scalar(b, F32, 1)), x);
    assert_int_equal(ox_sub(b, x, ox_scalar(b, F32, 0)), x);
    assert_int_equal(ox_add(b, i, ox_scalar(b, MX_INT32, 0)), i);
    assert_int_equal(ox_add(b, x, ox_scalar(b, F32, 0)), x);
    assert_int_equal(t.m.main.n_nodes, 0);
    ox_mul(b, x, ox_fill(b, F32, shape(&t, "5,1,3"), 1)); /* grows */
    ox_div(b, ox_scalar(b, F32, 1), x);
    ox_sub(b, x, ox_scalar(b, F32, -0.0));
    ox_mul(b, x, ox_floats(b, F32, (const double[]){1, 1, 2}, 3));
    assert_int_equal(t.m.main.n_nodes, 4);
    end(&t);
}

/* A row ends within a block that is read, and the last block is not full. */
static void a_row_has_its_largest_magnitude(void **state)
{
    enum { N = 3, LENGTH = 250 };
    float x[N * LENGTH], reach[N] = {0};
    struct t t;
    struct ox_build *b = begin(&t, 17);
    (void)state;
    for (int i = 0; i < N * LENGTH; i++) {
        x[i] = (float)(i % 2 ? -i : i);
    }
    assert_true(ox_row_reach(b, ox_tensor(b, MX_FLOAT32, INTS(N, LENGTH), 2, x), reach));
    for (int i = 0; i < N; i++) {
        assert_true(reach[i] == (float)((i + 1) * LENGTH - 1));
    }
    end(&t);
}

/* ---- failing */

static void an_unreadable_parameter_ends_the_export(void **state)
{
    static const float few[2] = {1, 2};
    struct t t;
    struct mx_source *source = NULL;
    struct ox_build *b = begin(&t, 17);
    assert_int_equal(mx_source_open_memory(&source, few, sizeof few, false), MX_OK);
    ox_val w = param(b, "w", 1, INTS(8), (struct ox_piece){.source = source, .length = 32}); /* says 32 bytes, has 8 */
    assert_int_equal(ox_unary(b, OX_Sqrt, w), OX_NONE);
    assert_int_equal(b->fatal, MX_IO);
    assert_int_equal(ox_end_node(b), MX_IO);
    ox_begin_node(b, NULL);
    assert_true(ox_failed(b));
    end(&t);
    float reach[8];
    b = begin(&t, 17);
    assert_false(ox_row_reach(b, param(b, "w", 1, INTS(8), (struct ox_piece){.source = source, .length = 32}), reach));
    assert_int_equal(ox_end_node(b), MX_IO);
    assert_string_equal(message(&t), OX_UNREAD);
    mx_source_close(source);
    end(&t);
}

/* A bit of everything; true if the builder came through. */
static bool everything(void *user)
{
    struct t t;
    struct ox_build *b = &t.b;
    ox_val out[3];
    memset(&t, 0, sizeof t);
    t.m.opset = 13;
    t.m.dims = mx_dims_new(&t.m.arena);
    bool fine = t.m.dims && ox_build_init(b, &t.m, &t.diags) == MX_OK;
    if (fine) {
        ox_begin_node(b, NULL);
        mx_dim dims[] = {mx_dim_named(t.m.dims, "batch"), mx_dim_of(6), mx_dim_named(t.m.dims, "h")};
        ox_val x = ox_input(b, "x", MX_FLOAT64, (struct mx_shape){3, dims});
        ox_val y = ox_unary(b, OX_Erf, ox_reshape(b, x, (mx_dim[]){dims[2], dims[0], dims[1]}, 3));
        y = ox_add(b, y, ox_fill(b, MX_FLOAT64, ox_shape(b, y), 2));
        y = ox_softmax(b, OX_Softmax, ox_transpose(b, y, INTS(2, 0, 1), 3), 0);
        ox_split(b, y, 0, INTS(1, 2, 3), 3, out);
        ox_val c = ox_concat(
            b, (const ox_val[]){ox_floats(b, F32, (const double[]){1, 2}, 2), ox_fill(b, F32, (struct mx_shape){1, dims + 1}, 0)}, 2, 0);
        c = ox_mul(b, ox_cast(b, c, MX_FLOAT64), ox_scalar(b, MX_FLOAT64, 3));
        struct ox_graph *g = ox_graph_begin(b, "yes");
        ox_val z = ox_add(b, out[1], ox_scalar(b, MX_FLOAT64, 1));
        ox_graph_end(b, &z, 1);
        struct ox_graph *h = ox_graph_begin(b, "no");
        ox_graph_end(b, &out[1], 1);
        ox_val one = ox_reshape(b, ox_is_true(b, ox_dim(b, dims[2])), NULL, 0);
        z = ox_node(b, OX_If, OX_IN(one), OX_ATTRS(OX_G("then_branch", g), OX_G("else_branch", h)));
        ox_output(b, z, "z");
        ox_output(b, c, "c");
        const float factors[] = {1, 2, 3, 4};
        const ox_val left = ox_tensor(b, F32, INTS(2, 2), 2, factors);
        ox_output(b, ox_matmul(b, left, left), "product");
        ox_output(b, ox_quantize_rows(b, left, factors, factors + 2), "rows");
        fine = ox_end_node(b) == MX_OK && mx_dims_status(t.m.dims) == MX_OK;
    }
    end(&t);
    return fine;
}

static void each_allocation_may_fail(void **state)
{
    size_t runs = 0;
    const char *wrong = alloc_fail_each(everything, NULL, &runs);
    if (wrong) {
        fail_msg("%s", wrong);
    }
    assert_true(runs > 5);
}

/* Numbers of a handler's Slice may be any. */
static void slices_by_the_farthest_steps_are_computed(void **state)
{
    static const struct {
        struct ox_range range;
        struct ox_part part; /* of 6 elements */
    } rows[] = {
        {{5, INT64_MIN, INT64_MIN}, {5, 1, 1}},
        {{0, INT64_MAX, INT64_MAX}, {0, 1, 1}},
        {{5, INT64_MIN, -2}, {5, -2, 3}},
        {{-1, INT64_MIN, -5}, {5, -5, 2}},
        {{-1, INT64_MIN, -6}, {5, 1, 1}},
        {{0, 6, 5}, {0, 5, 2}},
        {{4, 2, 1}, {4, 1, 0}},
        {{2, 4, INT64_MIN}, {2, 1, 0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct ox_part p = ox_part_of(rows[i].range, 6), want = rows[i].part;
        if (p.start != want.start || p.step != want.step || p.count != want.count) {
            fail_msg("row %zu: %lld %lld %lld", i, (long long)p.start, (long long)p.step, (long long)p.count);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_constants_are_made_once),
        cmocka_unit_test(large_constants_are_not_remembered),
        cmocka_unit_test(slices_by_the_farthest_steps_are_computed),
        cmocka_unit_test(numbers_beyond_a_type_wrap_around),
        cmocka_unit_test(integers_of_constants_are_known),
        cmocka_unit_test(each_type_holds_those_with_fewer_digits),
        cmocka_unit_test(one_known_integer_is_read),
        cmocka_unit_test(a_moved_weight_is_not_copied),
        cmocka_unit_test(views_are_copied_where_they_cannot_be_composed),
        cmocka_unit_test(neighbours_are_joined_if_they_continue),
        cmocka_unit_test(a_weight_of_many_joined_rows_stays_a_concat),
        cmocka_unit_test(a_weight_in_one_form_is_made_once),
        cmocka_unit_test(a_weight_of_a_body_is_that_of_the_model),
        cmocka_unit_test(fills_stay_small),
        cmocka_unit_test(huge_fills_are_not_stored),
        cmocka_unit_test(small_constants_are_added_and_multiplied),
        cmocka_unit_test(signs_of_small_constants_are_computed),
        cmocka_unit_test(small_constants_are_reduced),
        cmocka_unit_test(arithmetic_on_larger_constants_is_computed_up_to_a_limit),
        cmocka_unit_test(reductions_of_constants_are_computed),
        cmocka_unit_test(softmax_of_constants_is_computed),
        cmocka_unit_test(small_constants_are_clipped),
        cmocka_unit_test(integers_are_clipped_without_their_casts),
        cmocka_unit_test(integers_are_clipped_without_floats_up_to_the_limits),
        cmocka_unit_test(float_indices_are_clipped_up_to_the_limits),
        cmocka_unit_test(products_over_nothing_are_zero),
        cmocka_unit_test(operands_are_not_spread),
        cmocka_unit_test(an_operand_of_unknown_sizes_stays),
        cmocka_unit_test(a_broadcast_constant_is_not_materialised),
        cmocka_unit_test(zeros_times_a_weight_are_zeros),
        cmocka_unit_test(an_operand_that_determines_the_shape_stays),
        cmocka_unit_test(an_operand_that_changes_nothing_is_removed),
        cmocka_unit_test(a_row_has_its_largest_magnitude),
        cmocka_unit_test(an_unreadable_parameter_ends_the_export),
        cmocka_unit_test(each_allocation_may_fail),
        cmocka_unit_test(every_operator_of_two_constants_is_computed),
        cmocka_unit_test(every_operator_of_one_constant_is_computed),
        cmocka_unit_test(constants_are_broadcast_gathered_and_repeated),
        cmocka_unit_test(constants_are_computed_up_to_the_limits),
        cmocka_unit_test(results_of_gather_and_tile_are_computed_up_to_the_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
