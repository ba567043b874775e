/* The bytes of tensors: pieces, conversions, views; each against the plain definition, element by element.
 * onnx_tensor [large]: with the word also views of several blocks, which take seconds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/num.h"
#include "onnx/tensor/bytes.h"
#include "onnx/write/write.h"

/* What ox_tensor_emit writes, in memory and in this machine's byte order; also checks that ox_tensor_read gives the same. */
static uint8_t *bytes_of(const struct ox_tensor *t, size_t *size)
{
    struct mx_sink *sink;
    void *data;
    assert_int_equal(mx_sink_open_memory(&sink), MX_OK);
    assert_int_equal(ox_tensor_emit(t, sink, NULL), MX_OK);
    assert_int_equal(mx_sink_finish(sink), MX_OK);
    assert_int_equal(mx_sink_commit(sink, NULL), MX_OK);
    mx_sink_take_memory(sink, &data, size);
    mx_sink_close(sink);
    assert_int_equal(*size, ox_tensor_bytes(t));
    mx_little_endian(data, mx_dtype_size(t->dtype), *size / mx_dtype_size(t->dtype));
    uint8_t *again = malloc(*size + 1);
    assert_non_null(again);
    assert_int_equal(ox_tensor_read(t, again), MX_OK);
    assert_memory_equal(again, data, *size);
    free(again);
    return data;
}

/* A file of these elements. */
static struct mx_source *source_of(const void *data, size_t size, size_t element)
{
    struct mx_source *s;
    void *file = mx_calloc(size, 1);
    assert_non_null(file);
    memcpy(file, data, size);
    mx_little_endian(file, element, size / element);
    assert_int_equal(mx_source_open_memory(&s, file, size, true), MX_OK);
    return s;
}

/* ---- pieces */

static void pieces_come_in_order(void **state)
{
    static const float stored[] = {1, 2, 3, 4};
    static const float bytes[] = {10, 11};
    static const float one = 7;
    static const int64_t dims[] = {3, 3};
    static const float expected[] = {2, 3, 10, 11, 7, 7, 7, 4, 1};
    struct mx_source *s = source_of(stored, sizeof stored, sizeof *stored);
    const struct ox_piece pieces[] = {
        {.kind = OX_PIECE_RANGE, .source = s, .offset = 4, .length = 8, .stored = MX_FLOAT32},
        {.kind = OX_PIECE_BYTES, .bytes = (const uint8_t *)bytes, .length = 8, .first = 2},
        {.kind = OX_PIECE_FILL, .bytes = (const uint8_t *)&one, .length = 12, .first = 4},
        {.kind = OX_PIECE_RANGE, .source = s, .offset = 12, .length = 4, .stored = MX_FLOAT32, .first = 7},
        {.kind = OX_PIECE_RANGE, .source = s, .offset = 0, .length = 4, .stored = MX_FLOAT32, .first = 8},
    };
    const struct ox_tensor t = {.dtype = MX_FLOAT32, .ndim = 2, .dims = dims, .pieces = pieces, .n_pieces = 5};
    size_t size;
    uint8_t *data = bytes_of(&t, &size);
    assert_int_equal(size, sizeof expected);
    assert_memory_equal(data, expected, sizeof expected);
    mx_free(data);
    for (int i = 8; i >= 0; i--) {
        float x[9];
        assert_int_equal(ox_tensor_read_some(&t, (uint64_t)i, 9 - (size_t)i, x), MX_OK);
        assert_memory_equal(x, expected + i, (9 - (size_t)i) * sizeof *x);
    }
    float x;
    assert_int_equal(ox_tensor_read_some(&t, 9, 1, &x), MX_INTERNAL);
    mx_source_close(s);
}

static void a_long_fill_is_repeated(void **state)
{
    static const int64_t dims[] = {100003};
    static const int16_t element = -2;
    const struct ox_piece fill = {.kind = OX_PIECE_FILL, .bytes = (const uint8_t *)&element, .length = 200006};
    const struct ox_tensor t = {.dtype = MX_INT16, .ndim = 1, .dims = dims, .pieces = &fill, .n_pieces = 1};
    size_t size;
    uint8_t *data = bytes_of(&t, &size);
    for (size_t i = 0; i < size / 2; i++) {
        int16_t x;
        memcpy(&x, data + 2 * i, 2);
        assert_int_equal(x, -2);
    }
    mx_free(data);
}

static void empty_tensors_and_scalars_have_their_bytes(void **state)
{
    static const int64_t dims[] = {3, 0, 5};
    static const double x = 2.5;
    const struct ox_tensor empty = {.dtype = MX_FLOAT32, .ndim = 3, .dims = dims};
    const struct ox_tensor view = {.dtype = MX_FLOAT32, .ndim = 3, .dims = dims, .base = &empty, .strides = dims};
    const struct ox_piece piece = {.kind = OX_PIECE_BYTES, .bytes = (const uint8_t *)&x, .length = 8};
    const struct ox_tensor scalar = {.dtype = MX_FLOAT64, .pieces = &piece, .n_pieces = 1};
    const struct ox_tensor scalar_view = {.dtype = MX_FLOAT64, .base = &scalar};
    size_t size;
    mx_free(bytes_of(&empty, &size));
    assert_int_equal(size, 0);
    mx_free(bytes_of(&view, &size));
    assert_int_equal(size, 0);
    uint8_t *data = bytes_of(&scalar, &size);
    assert_memory_equal(data, &x, sizeof x);
    mx_free(data);
    data = bytes_of(&scalar_view, &size);
    assert_memory_equal(data, &x, sizeof x);
    mx_free(data);
}

static void sizes_beyond_64_bits_are_the_largest_number(void **state)
{
    static const int64_t dims[] = {INT64_MAX, INT64_MAX}, with_zero[] = {INT64_MAX, INT64_MAX, 0};
    const struct ox_tensor t = {.dtype = MX_FLOAT32, .ndim = 2, .dims = dims};
    const struct ox_tensor zero = {.dtype = MX_FLOAT32, .ndim = 3, .dims = with_zero};
    const struct ox_tensor bytes = {.dtype = MX_FLOAT64, .ndim = 1, .dims = dims};
    assert_true(ox_tensor_elements(&t) == UINT64_MAX);
    assert_true(ox_tensor_bytes(&t) == UINT64_MAX);
    assert_true(ox_tensor_bytes(&bytes) == UINT64_MAX);
    assert_true(ox_tensor_bytes(&zero) == 0);
}

static void a_short_source_is_an_error(void **state)
{
    static const uint8_t stored[100];
    static const int64_t dims[] = {50}, view_dims[] = {25, 2}, strides[] = {1, 25};
    struct mx_source *s = source_of(stored, sizeof stored, sizeof *stored);
    const struct ox_piece piece = {.kind = OX_PIECE_RANGE, .source = s, .offset = 0, .length = 200, .stored = MX_FLOAT32};
    const struct ox_tensor t = {.dtype = MX_FLOAT32, .ndim = 1, .dims = dims, .pieces = &piece, .n_pieces = 1};
    const struct ox_tensor view = {.dtype = MX_FLOAT16, .ndim = 2, .dims = view_dims, .base = &t, .strides = strides};
    struct mx_sink *sink;
    assert_int_equal(mx_sink_open_memory(&sink), MX_OK);
    assert_int_equal(ox_tensor_emit(&t, sink, NULL), MX_IO);
    assert_int_equal(ox_tensor_emit(&view, sink, NULL), MX_IO);
    mx_sink_close(sink);
    mx_source_close(s);
}

/* ---- conversions */

static void check_conversion(enum mx_dtype from, enum mx_dtype to, const void *in, const void *expected)
{
    uint64_t out = 0xaaaaaaaaaaaaaaaaULL;
    ox_convert(from, to, in, &out, 1);
    assert_memory_equal(&out, expected, mx_dtype_size(to));
}

#define CHECK(from_t, from_c, x, to_t, to_c, y) check_conversion(MX_##from_t, MX_##to_t, &(const from_c){(x)}, &(const to_c){(y)})

static void floats_become_integers_as_in_mxnet(void **state)
{
    CHECK(FLOAT32, float, 2.9f, INT32, int32_t, 2);
    CHECK(FLOAT32, float, -2.9f, INT32, int32_t, -2);
    CHECK(FLOAT64, double, -1e10, INT64, int64_t, -10000000000);
    CHECK(FLOAT64, double, 1e19, UINT64, uint64_t, 10000000000000000000u);
    CHECK(FLOAT32, float, 255.5f, UINT8, uint8_t, 255);
    CHECK(FLOAT32, float, NAN, INT64, int64_t, INT64_MIN);
    CHECK(FLOAT32, float, INFINITY, INT64, int64_t, INT64_MIN);
    CHECK(FLOAT32, float, -INFINITY, INT64, int64_t, INT64_MIN);
    CHECK(FLOAT16, uint16_t, 0xc500, INT8, int8_t, -5);
    CHECK(BFLOAT16, uint16_t, 0x4120, INT16, int16_t, 10);
}

/* Numbers that are computed go to integers as MXNet's C does on x86-64: they are truncated, and wrap around. */
static void computed_integers_wrap_around(void **state)
{
    static const struct {
        enum mx_dtype t;
        double in, out;
    } rows[] = {
        {MX_INT8, 128, -128},        {MX_INT8, -129, 127},         {MX_UINT8, -1, 255},
        {MX_UINT8, 300, 44},         {MX_INT16, 32768, -32768},    {MX_UINT16, 65536.9, 0},
        {MX_INT32, 0x1p31, -0x1p31}, {MX_INT32, -0x1p31, -0x1p31}, {MX_UINT32, -1, 0x1p32 - 1},
        {MX_UINT32, 0x1p32, 0},      {MX_INT64, 0x1p63, -0x1p63},  {MX_UINT64, 0x1p63, 0x1p63},
        {MX_INT8, -2.9, -2},         {MX_UINT8, 255.9, 255},       {MX_INT32, (double)NAN, -0x1p31},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        _Alignas(8) uint8_t raw[8];
        double back;
        ox_elements(true, rows[i].t, &rows[i].in, 1, raw);
        ox_convert(rows[i].t, MX_FLOAT64, raw, &back, 1);
        if (!(back == rows[i].out)) {
            fail_msg("row %zu: %g, not %g", i, back, rows[i].out);
        }
    }
}

static void integers_convert_as_in_c(void **state)
{
    CHECK(INT32, int32_t, -1, UINT8, uint8_t, 255);
    CHECK(INT32, int32_t, -1, INT64, int64_t, -1);
    CHECK(UINT32, uint32_t, 4000000000u, INT64, int64_t, 4000000000);
    CHECK(INT64, int64_t, INT64_MIN, FLOAT64, double, -9223372036854775808.0);
    CHECK(UINT64, uint64_t, UINT64_MAX, FLOAT32, float, 18446744073709551616.0f);
    CHECK(INT64, int64_t, 16777217, FLOAT32, float, 16777216.0f);
    CHECK(UINT16, uint16_t, 65535, FLOAT16, uint16_t, 0x7c00);
    CHECK(INT8, int8_t, -3, FLOAT16, uint16_t, 0xc200);
    CHECK(UINT8, uint8_t, 3, BFLOAT16, uint16_t, 0x4040);
    CHECK(BOOL, uint8_t, 1, FLOAT32, float, 1.0f);
}

/* Only numbers that are floats are clamped to what float16 holds. */
static void integers_are_not_clamped(void **state)
{
    static const int32_t ints[] = {70000, -70000, 0};
    static const uint16_t expected[] = {0x7c00, 0xfc00, 0};
    uint16_t out[3];
    ox_convert_as((struct ox_conversion){MX_INT32, MX_FLOAT16, true}, ints, out, 3);
    assert_memory_equal(out, expected, sizeof out);
}

static void floats_are_rounded_to_nearest(void **state)
{
    CHECK(FLOAT64, double, 0.1, FLOAT32, float, 0.1f);
    CHECK(FLOAT32, float, 65504.0f, FLOAT16, uint16_t, 0x7bff);
    CHECK(FLOAT32, float, 65520.0f, FLOAT16, uint16_t, 0x7c00);
    CHECK(FLOAT32, float, 5.9604645e-8f, FLOAT16, uint16_t, 1);
    CHECK(FLOAT32, float, -0.0f, FLOAT16, uint16_t, 0x8000);
    CHECK(FLOAT16, uint16_t, 0x3555, FLOAT32, float, 0.333251953125f);
    CHECK(FLOAT32, float, 1.00390625f, BFLOAT16, uint16_t, 0x3f80); /* half to even */
    CHECK(FLOAT32, float, 1.01171875f, BFLOAT16, uint16_t, 0x3f82);
    CHECK(FLOAT32, float, INFINITY, FLOAT64, double, (double)INFINITY);
}

static void all_but_zero_becomes_true(void **state)
{
    CHECK(BOOL, uint8_t, 200, BOOL, uint8_t, 1);
    CHECK(FLOAT32, float, 0.25f, BOOL, uint8_t, 1);
    CHECK(FLOAT32, float, -0.0f, BOOL, uint8_t, 0);
    CHECK(FLOAT32, float, NAN, BOOL, uint8_t, 1);
    CHECK(INT64, int64_t, INT64_MIN, BOOL, uint8_t, 1);
    CHECK(UINT64, uint64_t, 1ULL << 63, BOOL, uint8_t, 1);
    CHECK(INT8, int8_t, 0, BOOL, uint8_t, 0);
}

static void a_stored_bool_is_made_clean(void **state)
{
    static const uint8_t stored[] = {0, 1, 2, 255}, expected[] = {0, 1, 1, 1};
    static const int64_t dims[] = {4};
    struct mx_source *s = source_of(stored, sizeof stored, sizeof *stored);
    const struct ox_piece piece = {.kind = OX_PIECE_RANGE, .source = s, .length = 4, .stored = MX_BOOL};
    const struct ox_tensor t = {.dtype = MX_BOOL, .ndim = 1, .dims = dims, .pieces = &piece, .n_pieces = 1};
    size_t size;
    uint8_t *data = bytes_of(&t, &size);
    assert_memory_equal(data, expected, 4);
    mx_free(data);
    mx_source_close(s);
}

static void a_long_range_is_converted_in_blocks(void **state)
{
    enum { N = 150001 };
    static const int64_t dims[] = {N};
    double *stored = malloc(N * sizeof *stored);
    assert_non_null(stored);
    for (int i = 0; i < N; i++) {
        stored[i] = i * 0.37 - 1000;
    }
    struct mx_source *s = source_of(stored, N * sizeof *stored, sizeof *stored);
    const struct ox_piece piece = {.kind = OX_PIECE_RANGE, .source = s, .length = N * sizeof *stored, .stored = MX_FLOAT64};
    const struct ox_tensor t = {.dtype = MX_FLOAT32, .ndim = 1, .dims = dims, .pieces = &piece, .n_pieces = 1};
    size_t size;
    uint8_t *data = bytes_of(&t, &size);
    for (int i = 0; i < N; i++) {
        const float x = (float)stored[i];
        assert_memory_equal(data + 4 * (size_t)i, &x, 4);
    }
    mx_free(data);
    mx_source_close(s);
    free(stored);
}

/* ---- views */

/* Element `at` of the view by its definition. */
static int64_t position(const struct ox_tensor *t, int64_t at)
{
    int64_t p = t->start;
    for (int i = t->ndim - 1; i >= 0; i--) {
        p += at % t->dims[i] * t->strides[i];
        at /= t->dims[i];
    }
    return p;
}

static void check_view(const struct ox_tensor *view, enum mx_dtype t, const uint8_t *base)
{
    const size_t from = mx_dtype_size(t), to = mx_dtype_size(view->dtype);
    size_t size;
    uint8_t *data = bytes_of(view, &size);
    for (size_t i = 0; i < size / to; i++) {
        uint64_t element = 0, expected = 0;
        memcpy(&element, base + (size_t)position(view, (int64_t)i) * from, from);
        if (t == view->dtype) {
            expected = element;
        } else {
            ox_convert(t, view->dtype, &element, &expected, 1);
        }
        if (memcmp(data + i * to, &expected, to) != 0) {
            fail_msg("element %zu of %zu differs", i, size / to);
        }
    }
    mx_free(data);
}

static size_t most_elements = 100000; /* of a view */

struct view_case {
    int ndim;
    int64_t dims[6], strides[6], start;
};

/* Over a base of 2 Mi elements, so that the larger ones take several blocks. */
static const struct view_case views[] = {
    {1, {1 << 20}, {1}, 5},
    {1, {1 << 20}, {-1}, 1 << 20},
    {1, {100000}, {7}, 3},
    {1, {100}, {20000}, 3},
    {2, {1500, 1000}, {1, 1500}, 0},         /* a transposed matrix */
    {2, {1000, 1500}, {-1500, -1}, 1499999}, /* turned upside down */
    {2, {5, 300000}, {1, 5}, 0},
    {2, {300000, 5}, {1, 300000}, 0},
    {4, {64, 3, 3, 512}, {4608, 3, 1, 9}, 0}, /* OIHW as OHWI */
    {4, {3, 3, 512, 64}, {3, 1, 9, 4608}, 0}, /* OIHW as HWIO */
    {4, {16, 1, 300, 200}, {1, 7, 16, 4800}, 0},
    {3, {2, 70, 90}, {0, 90, 1}, 10}, /* expanded */
    {3, {70, 2, 90}, {90, 0, 0}, 10},
    {3, {1000, 17, 19}, {323, -19, 2}, 304},
    {6, {2, 3, 4, 5, 6, 7}, {1, 2, 6, 24, 120, 720}, 0},
    {6, {7, 6, 5, 4, 3, 2}, {720, -120, 24, 6, -2, 1}, 604},
    {2, {4000, 40}, {200, 3}, 7},
    {2, {1500, 4000}, {1, 500}, 0}, /* two blocks and more */
    {3, {2, 70000, 40}, {5, 1, 50000}, 0},
    {0, {0}, {0}, 123},
};

static void views_of(enum mx_dtype t, enum mx_dtype to)
{
    enum { N = 2 << 20 };
    static const int64_t dims[] = {N};
    const size_t size = mx_dtype_size(t);
    uint8_t *base = malloc(N * size);
    assert_non_null(base);
    uint32_t x = 1;
    for (size_t i = 0; i < N * size; i++) {
        x = x * 1664525u + 1013904223u;
        base[i] = (uint8_t)(x >> 24);
    }
    struct mx_source *s = source_of(base, N * size, size);
    const uint64_t cut = 1000003 * size;
    const struct ox_piece pieces[] = {
        {.kind = OX_PIECE_RANGE, .source = s, .length = cut, .stored = t},
        {.kind = OX_PIECE_RANGE, .source = s, .offset = cut, .length = N * size - cut, .stored = t, .first = 1000003},
    };
    const struct ox_tensor tensor = {.dtype = t, .ndim = 1, .dims = dims, .pieces = pieces, .n_pieces = 2};
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
        const struct view_case *v = &views[i];
        const struct ox_tensor view = {
            .dtype = to, .ndim = v->ndim, .dims = v->dims, .base = &tensor, .start = v->start, .strides = v->strides};
        if (ox_tensor_elements(&view) <= most_elements) {
            check_view(&view, t, base);
        }
    }
    mx_source_close(s);
    free(base);
}

static void views_of_every_size_are_read(void **state)
{
    views_of(MX_FLOAT32, MX_FLOAT32);
    views_of(MX_INT64, MX_INT64);
    views_of(MX_INT32, MX_FLOAT64);
    views_of(MX_UINT8, MX_BOOL);
}

static int calls;

static int32_t counted_read(uint64_t offset, void *out, size_t size, void *user)
{
    calls++;
    memcpy(out, (const uint8_t *)user + offset, size);
    return 0;
}

/* The columns of a matrix that fits the buffer are read in one go, not element by element. */
static void columns_are_read_together(void **state)
{
    enum { N = 64 };
    static const int64_t flat[] = {N * N}, dims[] = {N, N}, transposed[] = {1, N};
    static float base[N * N];
    for (int i = 0; i < N * N; i++) {
        base[i] = (float)i;
    }
    mx_little_endian(base, sizeof *base, N * N);
    struct mx_source *s;
    assert_int_equal(mx_source_open_callback(&s, sizeof base, counted_read, base), MX_OK);
    const struct ox_piece piece = {.kind = OX_PIECE_RANGE, .source = s, .length = sizeof base, .stored = MX_FLOAT32};
    const struct ox_tensor whole = {.dtype = MX_FLOAT32, .ndim = 1, .dims = flat, .pieces = &piece, .n_pieces = 1};
    const struct ox_tensor view = {.dtype = MX_FLOAT32, .ndim = 2, .dims = dims, .strides = transposed, .base = &whole};
    float out[N * N];
    calls = 0;
    assert_int_equal(ox_tensor_read(&view, out), MX_OK);
    assert_int_equal(calls, 1);
    for (int i = 0; i < N * N; i++) {
        assert_true(out[i] == (float)(i % N * N + i / N));
    }
    mx_source_close(s);
}

static void a_view_of_a_view_is_read(void **state)
{
    enum { N = 60 };
    static const int64_t flat[] = {N}, dims[] = {6, 10}, transposed[] = {1, 6}, again[] = {4, 15}, rows[] = {15, 1};
    int32_t base[N];
    for (int i = 0; i < N; i++) {
        base[i] = i * i;
    }
    const struct ox_piece piece = {.kind = OX_PIECE_BYTES, .bytes = (const uint8_t *)base, .length = sizeof base};
    const struct ox_tensor t = {.dtype = MX_INT32, .ndim = 1, .dims = flat, .pieces = &piece, .n_pieces = 1};
    const struct ox_tensor v1 = {.dtype = MX_FLOAT32, .ndim = 2, .dims = dims, .base = &t, .strides = transposed};
    const struct ox_tensor v2 = {.dtype = MX_INT16, .ndim = 2, .dims = again, .base = &v1, .strides = rows};
    size_t size;
    uint8_t *data = bytes_of(&v2, &size);
    for (int i = 0; i < N; i++) {
        int16_t x;
        memcpy(&x, data + 2 * i, 2);
        assert_int_equal(x, base[i / 10 + i % 10 * 6]);
    }
    mx_free(data);
}

/* ---- rows as int8 */

enum { ROWS = 3, ROW = 700 };

static int8_t wanted_level(float x, float factor, float scale)
{
    const float v = rintf(x * factor * scale);
    return v >= 127 ? 127 : v > -128 ? (int8_t)v : -128;
}

static void rows_are_quantized(void **state)
{
    static const int64_t dims[] = {ROWS, ROW / 7, 7};
    static const float factor[] = {1, -0.5F, 3}, scale[] = {2, 4, 1e30F};
    float x[ROWS * ROW];
    for (int i = 0; i < ROWS * ROW; i++) {
        x[i] = (float)(i % 513 - 256) / 4;
    }
    x[1] = NAN;
    x[2] = INFINITY;
    struct mx_source *s = source_of(x, sizeof x, sizeof *x);
    const struct ox_piece range = {.kind = OX_PIECE_RANGE, .source = s, .length = sizeof x, .stored = MX_FLOAT32};
    const struct ox_tensor base = {.dtype = MX_FLOAT32, .ndim = 3, .dims = dims, .pieces = &range, .n_pieces = 1};
    const struct ox_rows rows = {.of = &base, .row = ROW, .factor = factor, .scale = scale};
    const struct ox_piece piece = {.kind = OX_PIECE_ROWS, .length = ROWS * ROW, .stored = MX_INT8, .rows = &rows};
    const struct ox_tensor t = {.dtype = MX_INT8, .ndim = 3, .dims = dims, .pieces = &piece, .n_pieces = 1};
    size_t size;
    uint8_t *data = bytes_of(&t, &size);
    assert_int_equal(size, ROWS * ROW);
    assert_false(ox_tensor_in_memory(&t));
    for (int i = 0; i < ROWS * ROW; i++) {
        assert_int_equal((int8_t)data[i], wanted_level(x[i], factor[i / ROW], scale[i / ROW]));
    }
    int8_t some[ROW + 2];
    assert_int_equal(ox_tensor_read_some(&t, ROW - 1, sizeof some, some), MX_OK);
    assert_memory_equal(some, data + ROW - 1, sizeof some);
    mx_free(data);
    mx_source_close(s);
}

/* Two groups of two times three rows: each group has three factors. */
static void factors_take_turns(void **state)
{
    static const int64_t dims[] = {4, 3, 5};
    static const float factor[] = {1, 2, 3, -1, -2, -3};
    float x[60], some[20];
    for (int i = 0; i < 60; i++) {
        x[i] = (float)(i + 1);
    }
    const struct ox_piece bytes = {.kind = OX_PIECE_BYTES, .bytes = (const uint8_t *)x, .length = sizeof x};
    const struct ox_tensor base = {.dtype = MX_FLOAT32, .ndim = 3, .dims = dims, .pieces = &bytes, .n_pieces = 1};
    const struct ox_rows rows = {.of = &base, .row = 5, .factor = factor, .cycle = 3, .group = 6};
    const struct ox_piece piece = {.kind = OX_PIECE_ROWS, .length = sizeof x, .stored = MX_FLOAT32, .rows = &rows};
    const struct ox_tensor t = {.dtype = MX_FLOAT32, .ndim = 3, .dims = dims, .pieces = &piece, .n_pieces = 1};
    size_t size;
    uint8_t *data = bytes_of(&t, &size);
    assert_int_equal(size, sizeof x);
    for (int i = 0; i < 60; i++) {
        const float want = x[i] * factor[i / 30 * 3 + i / 5 % 3];
        assert_memory_equal(data + 4 * i, &want, 4);
    }
    assert_int_equal(ox_tensor_read_some(&t, 13, 20, some), MX_OK);
    assert_memory_equal(some, data + 4 * 13, sizeof some);
    mx_free(data);
}

/* ---- progress */

struct told {
    int calls;
    uint64_t done[4];
};

static int32_t tell(uint64_t done, uint64_t total, void *user)
{
    struct told *t = user;
    assert_true(t->calls < 4 && done <= total);
    t->done[t->calls++] = done;
    return 0;
}

static void progress_is_reported_once_a_mebibyte_and_at_the_end(void **state)
{
    struct told told = {0};
    struct ox_meter m = {.total = (2 << 20) + 1, .progress = tell, .user = &told};
    assert_int_equal(ox_meter_add(&m, (1 << 20) - 1), MX_OK);
    assert_int_equal(told.calls, 0);
    assert_int_equal(ox_meter_add(&m, 1), MX_OK);
    assert_int_equal(told.calls, 1);
    assert_int_equal(ox_meter_add(&m, 0), MX_OK);
    assert_int_equal(told.calls, 1);
    assert_int_equal(ox_meter_add(&m, 1 << 20), MX_OK);
    assert_int_equal(told.calls, 2);
    assert_int_equal(ox_meter_add(&m, 1), MX_OK);
    assert_int_equal(told.calls, 3);
    assert_int_equal(ox_meter_add(&m, 0), MX_OK); /* an empty tensor at the end */
    assert_int_equal(told.calls, 3);
    assert_int_equal(told.done[0], 1 << 20);
    assert_int_equal(told.done[1], 2 << 20);
    assert_int_equal(told.done[2], (2 << 20) + 1);
}

static int32_t drop(const void *data, size_t size, void *user)
{
    *(uint64_t *)user += size;
    return 0;
}

/* A caller can stop within a long tensor too. */
static void a_long_range_reports_progress_in_between(void **state)
{
    enum { MIB = 1 << 20, SIZE = 64 * MIB + 3 };
    static const int64_t dims[] = {SIZE};
    struct mx_source *s = NULL;
    struct mx_sink *sink = NULL;
    struct told told = {0};
    uint64_t written = 0;
    void *zeros = mx_calloc(SIZE, 1);
    assert_non_null(zeros);
    assert_int_equal(mx_source_open_memory(&s, zeros, SIZE, true), MX_OK);
    assert_int_equal(mx_sink_open_callback(&sink, drop, &written), MX_OK);
    const struct ox_piece piece = {.kind = OX_PIECE_RANGE, .source = s, .length = SIZE, .stored = MX_UINT8};
    const struct ox_tensor t = {.dtype = MX_UINT8, .ndim = 1, .dims = dims, .pieces = &piece, .n_pieces = 1};
    struct ox_meter m = {.total = SIZE, .progress = tell, .user = &told};
    assert_int_equal(ox_tensor_emit(&t, sink, &m), MX_OK);
    assert_int_equal(mx_sink_finish(sink), MX_OK);
    assert_int_equal(written, SIZE);
    assert_int_equal(told.calls, 3);
    assert_int_equal(told.done[0], 32 * MIB);
    assert_int_equal(told.done[1], 64 * MIB);
    assert_int_equal(told.done[2], SIZE);
    mx_sink_close(sink);
    mx_source_close(s);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "large") == 0) {
        most_elements = SIZE_MAX;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_come_in_order),
        cmocka_unit_test(a_long_fill_is_repeated),
        cmocka_unit_test(columns_are_read_together),
        cmocka_unit_test(empty_tensors_and_scalars_have_their_bytes),
        cmocka_unit_test(sizes_beyond_64_bits_are_the_largest_number),
        cmocka_unit_test(a_short_source_is_an_error),
        cmocka_unit_test(floats_become_integers_as_in_mxnet),
        cmocka_unit_test(computed_integers_wrap_around),
        cmocka_unit_test(integers_convert_as_in_c),
        cmocka_unit_test(integers_are_not_clamped),
        cmocka_unit_test(floats_are_rounded_to_nearest),
        cmocka_unit_test(all_but_zero_becomes_true),
        cmocka_unit_test(a_stored_bool_is_made_clean),
        cmocka_unit_test(a_long_range_is_converted_in_blocks),
        cmocka_unit_test(views_of_every_size_are_read),
        cmocka_unit_test(a_view_of_a_view_is_read),
        cmocka_unit_test(rows_are_quantized),
        cmocka_unit_test(factors_take_turns),
        cmocka_unit_test(progress_is_reported_once_a_mebibyte_and_at_the_end),
        cmocka_unit_test(a_long_range_reports_progress_in_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
