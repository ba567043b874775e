/* What is set can be read and taken back: metadata, versions of domains, values of variables, preprocessing; and what a later header
 * may have: other structures and numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/given.h"
#include "../support/models.h"
#include "../support/test_if.h"

/* Input data (n, 1, 8, 8), output softmax, parameters next to it; the library's catalogue; one of small nets. */
static const char *sample, *catalogue, *small;

static mx2onnx_model *loaded(void)
{
    mx2onnx_model *m = fresh();
    assert_fine(m, mx2onnx_load(m, sample));
    assert_fine(m, mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){-1, 1, 8, 8}, NULL));
    return m;
}

struct bytes {
    unsigned char *data;
    size_t size;
};

static struct bytes exported(mx2onnx_model *m)
{
    void *data = NULL;
    struct bytes b = {0};
    assert_fine(m, mx2onnx_export_memory(m, &data, &b.size));
    b.data = data;
    return b;
}

/* The place of these bytes; SIZE_MAX if they are not there. */
static size_t place_of(struct bytes b, const void *wanted, size_t size)
{
    for (size_t i = 0; i + size <= b.size; i++) {
        if (memcmp(b.data + i, wanted, size) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* A StringStringEntryProto: field 1 is the key, field 2 the value. */
static size_t place_of_entry(struct bytes b, const char *key, const char *value)
{
    unsigned char entry[128];
    const size_t k = strlen(key), v = strlen(value);
    size_t n = 0;
    assert_true(k < 50 && v < 50);
    entry[n++] = 0x0A;
    entry[n++] = (unsigned char)k;
    memcpy(entry + n, key, k);
    n += k;
    entry[n++] = 0x12;
    entry[n++] = (unsigned char)v;
    memcpy(entry + n, value, v);
    return place_of(b, entry, n + v);
}

static void assert_same(struct bytes a, struct bytes b)
{
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
}

/* ---- metadata */

static void metadata_is_written_sorted(void **state)
{
    mx2onnx_model *m = loaded(), *other = loaded();
    const struct bytes plain = exported(m);
    assert_int_equal(mx2onnx_metadata_count(m), 0);
    assert_null(mx2onnx_metadata_key(m, 0));
    assert_fine(m, mx2onnx_set_metadata(m, "b", "two"));
    assert_fine(m, mx2onnx_set_metadata(m, "c", ""));
    assert_fine(m, mx2onnx_set_metadata(m, "a", "1"));
    assert_fine(m, mx2onnx_set_metadata(m, "a", "a\nline and \xc3\xa4"));
    assert_fine(other, mx2onnx_set_metadata(other, "a", "a\nline and \xc3\xa4"));
    assert_fine(other, mx2onnx_set_metadata(other, "b", "two"));
    assert_fine(other, mx2onnx_set_metadata(other, "c", ""));
    assert_int_equal(mx2onnx_metadata_count(m), 3);
    assert_string_equal(mx2onnx_metadata_key(m, 0), "a");
    assert_string_equal(mx2onnx_metadata_key(m, 1), "b");
    assert_string_equal(mx2onnx_metadata_key(m, 2), "c");
    assert_null(mx2onnx_metadata_key(m, 3));
    assert_string_equal(mx2onnx_get_metadata(m, "b"), "two");
    assert_string_equal(mx2onnx_get_metadata(m, "c"), "");
    assert_null(mx2onnx_get_metadata(m, "d"));
    assert_null(mx2onnx_get_metadata(m, NULL));
    const struct bytes first = exported(m), second = exported(other);
    assert_same(first, second);
    const size_t own = place_of_entry(first, "source_framework", "Apache MXNet"), a = place_of_entry(first, "a", "a\nline and \xc3\xa4");
    assert_true(own < a && a < place_of_entry(first, "b", "two"));
    assert_true(place_of_entry(first, "b", "two") < place_of_entry(first, "c", ""));
    assert_true(place_of_entry(first, "c", "") < SIZE_MAX);

    assert_fine(m, mx2onnx_set_metadata(m, "b", NULL));
    assert_fine(m, mx2onnx_set_metadata(m, "b", NULL)); /* not there: nothing to remove */
    assert_int_equal(mx2onnx_metadata_count(m), 2);
    const struct bytes third = exported(m);
    assert_true(place_of_entry(third, "b", "two") == SIZE_MAX);
    assert_fine(m, mx2onnx_set_metadata(m, NULL, NULL));
    assert_int_equal(mx2onnx_metadata_count(m), 0);
    const struct bytes none = exported(m);
    assert_same(none, plain);
    assert_fine(other, mx2onnx_model_reset(other));
    assert_int_equal(mx2onnx_metadata_count(other), 0);
    mx2onnx_memory_free(plain.data);
    mx2onnx_memory_free(first.data);
    mx2onnx_memory_free(second.data);
    mx2onnx_memory_free(third.data);
    mx2onnx_memory_free(none.data);
    mx2onnx_model_free(m);
    mx2onnx_model_free(other);
}

static void metadata_has_limits(void **state)
{
    static const char *const own[] = {"source_framework", "input:data", "input:", "mx2onnx_file:a.data"};
    mx2onnx_model *m = fresh();
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        assert_fails(m, mx2onnx_set_metadata(m, own[i], "x"), MX2ONNX_STATUS_INVALID_ARGUMENT, "itself");
        assert_fails(m, mx2onnx_set_metadata(m, own[i], NULL), MX2ONNX_STATUS_INVALID_ARGUMENT, "itself");
    }
    assert_fails(m, mx2onnx_set_metadata(m, "", "x"), MX2ONNX_STATUS_INVALID_ARGUMENT, "empty");
    assert_fails(m, mx2onnx_set_metadata(m, "a\n", "x"), MX2ONNX_STATUS_INVALID_ARGUMENT, "control");
    assert_fails(m, mx2onnx_set_metadata(m, "\xff", "x"), MX2ONNX_STATUS_INVALID_ARGUMENT, "UTF-8");
    assert_fails(m, mx2onnx_set_metadata(m, "a", "\xff"), MX2ONNX_STATUS_INVALID_ARGUMENT, "UTF-8");
    assert_fails(m, mx2onnx_set_metadata(m, NULL, "x"), MX2ONNX_STATUS_INVALID_ARGUMENT, "NULL");
    assert_fine(m, mx2onnx_set_metadata(m, "source_framework_version", "1.9.1"));
    assert_int_equal(mx2onnx_metadata_count(m), 1);
    char key[16];
    for (int i = 1; i < 4096; i++) {
        snprintf(key, sizeof key, "k%d", i);
        assert_fine(m, mx2onnx_set_metadata(m, key, "v"));
    }
    assert_fails(m, mx2onnx_set_metadata(m, "one more", "v"), MX2ONNX_STATUS_TOO_LARGE, "4096");
    assert_fine(m, mx2onnx_set_metadata(m, "k1", "another"));
    assert_fine(m, mx2onnx_set_metadata(m, "k2", NULL));
    assert_fine(m, mx2onnx_set_metadata(m, "one more", "v"));
    assert_fine(m, mx2onnx_set_option(m, MX2ONNX_OPTION_MEMORY_LIMIT, 1 << 20));
    char *large = malloc((2 << 20) + 1);
    assert_non_null(large);
    memset(large, 'x', 2 << 20);
    large[2 << 20] = 0;
    assert_fails(m, mx2onnx_set_metadata(m, "k1", large), MX2ONNX_STATUS_TOO_LARGE, "memory");
    assert_string_equal(mx2onnx_get_metadata(m, "k1"), "another");
    free(large);
    mx2onnx_model_free(m);
}

/* ---- values of variables */

static void count(void *user)
{
    ++*(int *)user;
}

static size_t param_called(mx2onnx_model *m, const char *name)
{
    size_t i = 0;
    while (i < mx2onnx_param_count(m) && strcmp(mx2onnx_param_name(m, i), name) != 0) {
        i++;
    }
    return i;
}

static void a_value_is_removed(void **state)
{
    mx2onnx_model *m = loaded();
    const struct bytes plain = exported(m);
    const size_t params = mx2onnx_param_count(m), i = param_called(m, "fc1_bias");
    const uint64_t size = mx2onnx_param_size(m, i);
    const int64_t length = mx2onnx_param_dims(m, i)[0];
    float *ones = malloc((size_t)size);
    assert_non_null(ones);
    assert_int_equal(size, (uint64_t)length * sizeof *ones);
    for (int64_t k = 0; k < length; k++) {
        ones[k] = 1;
    }
    int released = 0;
    for (int turn = 0; turn < 3; turn++) {
        const char *name = turn == 1 ? "arg:fc1_bias" : "fc1_bias";
        assert_fine(m, given_param(m, name, given_array(MX2ONNX_DTYPE_FLOAT32, 1, &length, ones, (size_t)size), &released, count));
        assert_fine(m, given_param(m, name, given_array(MX2ONNX_DTYPE_FLOAT32, 1, &length, ones, (size_t)size), &released, count));
        assert_int_equal(released, 2 * turn + 1);
        const struct bytes changed = exported(m);
        assert_true(place_of(changed, ones, (size_t)size) < SIZE_MAX);
        assert_true(place_of(plain, ones, (size_t)size) == SIZE_MAX);
        assert_int_equal(mx2onnx_param_count(m), params);
        assert_fine(m, mx2onnx_remove_param(m, name));
        assert_int_equal(released, 2 * turn + 2);
        const struct bytes again = exported(m);
        assert_same(again, plain);
        mx2onnx_memory_free(changed.data);
        mx2onnx_memory_free(again.data);
        assert_fails(m, mx2onnx_remove_param(m, name), MX2ONNX_STATUS_NOT_FOUND, "fc1_bias");
    }
    assert_fails(m, mx2onnx_remove_param(m, "no such"), MX2ONNX_STATUS_NOT_FOUND, "no such");
    assert_fails(m, mx2onnx_remove_param(m, "fc1_weight"), MX2ONNX_STATUS_NOT_FOUND, "no value was set");
    assert_fails(m, mx2onnx_remove_param(m, NULL), MX2ONNX_STATUS_INVALID_ARGUMENT, "NULL");
    mx2onnx_memory_free(plain.data);
    mx2onnx_model_free(m);
    free(ones);
    assert_int_equal(released, 6);
}

/* An input that became a constant is an input again; what was set for no file's array is not in the list any more. */
static void a_constant_is_an_input_again(void **state)
{
    static const float zeros[64] = {0};
    mx2onnx_model *m = loaded();
    const size_t params = mx2onnx_param_count(m);
    const struct bytes plain = exported(m);
    for (int turn = 0; turn < 2; turn++) {
        assert_fine(m, mx2onnx_set_text(m, MX2ONNX_TEXT_PARAM_PREFIX, turn ? "da" : NULL));
        assert_fine(m, given_param(m, "unused", given_array(MX2ONNX_DTYPE_FLOAT32, 1, (const int64_t[]){1}, zeros, 4), NULL, NULL));
        assert_fine(m, given_param(m, "data", given_array(MX2ONNX_DTYPE_FLOAT32, 4, (const int64_t[]){1, 1, 8, 8}, zeros, sizeof zeros),
                                   NULL, NULL));
        assert_int_equal(mx2onnx_param_count(m), params + 2);
        assert_int_equal(mx2onnx_input_count(m), 0);
        assert_fine(m, mx2onnx_remove_param(m, "unused"));
        assert_int_equal(mx2onnx_param_count(m), params + 1);
        assert_string_equal(mx2onnx_param_name(m, params), "data");
        assert_fine(m, mx2onnx_remove_param(m, "data"));
        assert_int_equal(mx2onnx_param_count(m), params);
        assert_int_equal(mx2onnx_input_count(m), 1);
    }
    assert_fine(m, mx2onnx_set_text(m, MX2ONNX_TEXT_PARAM_PREFIX, NULL));
    const struct bytes again = exported(m);
    assert_same(again, plain);
    mx2onnx_memory_free(plain.data);
    mx2onnx_memory_free(again.data);
    mx2onnx_model_free(m);
}

/* Of a value and the array of a file the later one is used; a load that fails leaves both. */
static void a_later_file_takes_the_place(void **state)
{
    static const float value[] = {7, 8, 9};
    /* An NDArray list with "w", float32 of (3). */
    static const unsigned char file[] = {0x12, 1,  0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0,   0,  1, 0, 0,   0,  0, 0,
                                         0,    0,  0xc9, 0xfa, 0x93, 0xf9, 0, 0, 0, 0, 1, 0, 0, 0, 3,   0,  0, 0, 0,   0,  0, 0,
                                         1,    0,  0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 128, 63, 0, 0, 128, 63, 0, 0,
                                         128,  63, 1,    0,    0,    0,    0, 0, 0, 0, 1, 0, 0, 0, 0,   0,  0, 0, 'w'};
    const int64_t length = 3;
    float read[3];
    int released = 0;
    mx2onnx_model *m = fresh();
    assert_fine(m, given_param(m, "w", given_array(MX2ONNX_DTYPE_FLOAT32, 1, &length, value, sizeof value), &released, count));
    assert_true(mx2onnx_load_params_memory(m, file, sizeof file - 1, NULL, NULL) != MX2ONNX_OK);
    assert_fine(m, mx2onnx_param_read(m, 0, 0, read, sizeof read));
    assert_memory_equal(read, value, sizeof value);
    assert_fine(m, mx2onnx_remove_param(m, "w"));
    assert_int_equal(released, 1);
    assert_true(mx2onnx_load_params_memory(m, file, sizeof file - 1, NULL, NULL) != MX2ONNX_OK);
    assert_int_equal(mx2onnx_param_count(m), 0);
    assert_fine(m, given_param(m, "w", given_array(MX2ONNX_DTYPE_FLOAT32, 1, &length, value, sizeof value), &released, count));
    assert_fine(m, mx2onnx_load_params_memory(m, file, sizeof file, NULL, NULL));
    assert_int_equal(mx2onnx_param_count(m), 1);
    assert_fine(m, mx2onnx_param_read(m, 0, 0, read, sizeof read));
    assert_true(read[0] == 1 && read[2] == 1);
    assert_fails(m, mx2onnx_remove_param(m, "w"), MX2ONNX_STATUS_NOT_FOUND, "'w'");
    assert_fine(m, given_param(m, "w", given_array(MX2ONNX_DTYPE_FLOAT32, 1, &length, value, sizeof value), &released, count));
    assert_fine(m, mx2onnx_param_read(m, 0, 0, read, sizeof read));
    assert_memory_equal(read, value, sizeof value);
    assert_fine(m, mx2onnx_remove_param(m, "w"));
    assert_fine(m, mx2onnx_param_read(m, 0, 0, read, sizeof read));
    assert_true(read[0] == 1 && read[2] == 1);
    mx2onnx_model_free(m);
    assert_int_equal(released, 3);
}

/* ---- preprocessing and names */

static void preprocessing_is_read(void **state)
{
    mx2onnx_model *m = fresh();
    size_t n = 9;
    assert_int_equal(mx2onnx_get_input_channels_last(m, "data"), 0);
    assert_null(mx2onnx_get_input_mean(m, "data", &n));
    assert_int_equal(n, 0);
    assert_fine(m, mx2onnx_set_input_channels_last(m, "data", 7));
    assert_fine(m, mx2onnx_set_input_channels_reversed(m, "data", 1));
    assert_fine(m, mx2onnx_set_input_mean(m, "data", 3, (const double[]){1, 2, 0.5}));
    assert_fine(m, mx2onnx_set_input_scale(m, "data", 1, (const double[]){0.25}));
    assert_int_equal(mx2onnx_get_input_channels_last(m, "data"), 1);
    assert_int_equal(mx2onnx_get_input_channels_reversed(m, "data"), 1);
    const double *mean = mx2onnx_get_input_mean(m, "data", &n), *scale = mx2onnx_get_input_scale(m, "data", NULL);
    assert_int_equal(n, 3);
    assert_true(mean[0] == 1 && mean[1] == 2 && mean[2] == 0.5 && scale[0] == 0.25);
    assert_null(mx2onnx_get_input_scale(m, "other", &n));
    assert_int_equal(n, 0);
    assert_null(mx2onnx_get_input_scale(NULL, "data", &n));
    assert_null(mx2onnx_get_input_scale(m, NULL, &n));
    assert_int_equal(mx2onnx_get_input_channels_last(m, NULL), 0);
    assert_int_equal(mx2onnx_get_input_channels_reversed(NULL, "data"), 0);
    assert_fine(m, mx2onnx_set_input_mean(m, "data", 0, NULL));
    assert_fine(m, mx2onnx_set_input_channels_last(m, "data", 0));
    assert_null(mx2onnx_get_input_mean(m, "data", &n));
    assert_int_equal(n, 0);
    assert_int_equal(mx2onnx_get_input_channels_last(m, "data"), 0);
    mx2onnx_model_free(m);
}

/* What was set is returned before the load, after it and after inference: not what inference made of it. */
static void choices_are_read(void **state)
{
    int32_t rank = 9;
    mx2onnx_model *m = fresh();
    assert_null(mx2onnx_get_input_shape(m, "data", &rank));
    assert_int_equal(rank, -1);
    assert_null(mx2onnx_get_input_dim_name(m, "data", 0));
    assert_int_equal(mx2onnx_get_input_dtype(m, "data"), MX2ONNX_DTYPE_UNKNOWN);
    assert_null(mx2onnx_get_rename(m, "data"));
    assert_fine(m, mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){-1, 1, 8, 8}, NULL));
    assert_fine(m, mx2onnx_set_input_dim_name(m, "data", 0, "n"));
    assert_fine(m, mx2onnx_set_input_dtype(m, "data", MX2ONNX_DTYPE_UINT8));
    assert_fine(m, mx2onnx_set_input_channels_last(m, "data", 1));
    assert_fine(m, mx2onnx_set_input_mean(m, "data", 1, (const double[]){1}));
    assert_fine(m, mx2onnx_rename(m, "data", "pixels"));
    for (int when = 0; when < 3; when++) {
        const int64_t *dims = mx2onnx_get_input_shape(m, "data", &rank);
        assert_int_equal(rank, 4);
        assert_true(dims[0] == -1 && dims[1] == 1 && dims[2] == 8 && dims[3] == 8);
        assert_string_equal(mx2onnx_get_input_dim_name(m, "data", 0), "n");
        assert_null(mx2onnx_get_input_dim_name(m, "data", 1));
        assert_null(mx2onnx_get_input_dim_name(m, "data", 4));
        assert_int_equal(mx2onnx_get_input_dtype(m, "data"), MX2ONNX_DTYPE_UINT8);
        assert_string_equal(mx2onnx_get_rename(m, "data"), "pixels");
        assert_fine(m, when == 0 ? mx2onnx_load(m, sample) : mx2onnx_infer(m));
    }
    assert_int_equal(mx2onnx_input_dim(m, 0, 1), 8); /* the ONNX input's, channels last */
    assert_null(mx2onnx_get_input_shape(m, "other", NULL));
    assert_null(mx2onnx_get_input_shape(NULL, "data", &rank));
    assert_int_equal(rank, -1);
    assert_null(mx2onnx_get_input_dim_name(m, NULL, 0));
    assert_int_equal(mx2onnx_get_input_dtype(NULL, "data"), MX2ONNX_DTYPE_UNKNOWN);
    assert_null(mx2onnx_get_rename(m, NULL));
    assert_fine(m, mx2onnx_set_input_shape(m, "data", -1, NULL, NULL));
    assert_fine(m, mx2onnx_set_input_dtype(m, "data", MX2ONNX_DTYPE_UNKNOWN));
    assert_fine(m, mx2onnx_rename(m, "data", NULL));
    assert_null(mx2onnx_get_input_shape(m, "data", &rank));
    assert_null(mx2onnx_get_input_dim_name(m, "data", 0));
    assert_int_equal(mx2onnx_get_input_dtype(m, "data"), MX2ONNX_DTYPE_UNKNOWN);
    assert_null(mx2onnx_get_rename(m, "data"));
    assert_fine(m, mx2onnx_set_input_shape(m, "data", 0, NULL, NULL)); /* a scalar is a shape */
    assert_non_null(mx2onnx_get_input_shape(m, "data", &rank));
    assert_int_equal(rank, 0);
    mx2onnx_model_free(m);
}

/* The name that setters take, before and after inference; the ONNX file has the new one. */
static void an_input_keeps_its_name(void **state)
{
    const char *report;
    mx2onnx_model *m = loaded();
    assert_fine(m, mx2onnx_rename(m, "data", "pixels"));
    assert_fine(m, mx2onnx_rename(m, "fc1_bias", "shift"));
    assert_string_equal(mx2onnx_input_name(m, 0), "data");
    assert_fine(m, mx2onnx_infer(m));
    assert_string_equal(mx2onnx_input_name(m, 0), "data");
    assert_string_equal(mx2onnx_variable_name(m, 0), "data");
    assert_fine(m, mx2onnx_set_input_dim_name(m, mx2onnx_input_name(m, 0), 0, "n"));
    const struct bytes onnx = exported(m);
    assert_string_equal(mx2onnx_input_name(m, 0), "data");
    assert_true(place_of(onnx, "pixels", 6) < SIZE_MAX && place_of(onnx, "shift", 5) < SIZE_MAX);
    assert_true(place_of(onnx, "fc1_bias", 8) == SIZE_MAX);
    assert_fine(m, mx2onnx_report_json(m, &report));
    assert_non_null(strstr(report, "\"pixels\""));
    mx2onnx_memory_free(onnx.data);
    mx2onnx_model_free(m);
}

/* ---- domains and handlers */

static const char own[] = "{\"nodes\":[{\"op\":\"null\",\"name\":\"x\",\"inputs\":[]},"
                          "{\"op\":\"mine\",\"name\":\"own\",\"inputs\":[[0,0,0]]}],"
                          "\"heads\":[[1,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";

static mx2onnx_status like(mx2onnx_node *n, void *user)
{
    return mx2onnx_node_set_output_like(n, 0, 0);
}

static mx2onnx_status in_ml(mx2onnx_node *n, void *user)
{
    mx2onnx_value x = mx2onnx_node_input_value(n, 0), y;
    *(const char **)user = mx2onnx_node_input_name(n, 0);
    assert_string_equal(*(const char **)user, "x");
    const mx2onnx_status status = given_node(n, "Scaler", "ai.onnx.ml", 1, &x, "{\"offset\": [0.5], \"scale\": [2.0]}", 1, &y);
    return status != MX2ONNX_OK ? status : mx2onnx_node_set_result(n, 0, y);
}

static mx2onnx_model *with_own(const mx2onnx_handler *handler, void *user)
{
    mx2onnx_model *m = fresh();
    assert_fine(m, mx2onnx_load_symbol_memory(m, own, sizeof own - 1));
    assert_fine(m, mx2onnx_set_input_shape(m, "x", 1, (const int64_t[]){3}, NULL));
    if (handler) {
        assert_fine(m, mx2onnx_set_custom_operator(m, "mine", handler, user, NULL));
    }
    return m;
}

/* OperatorSetIdProto: the domain is field 1, the version field 2. */
static bool imports(struct bytes b, const char *domain, unsigned char version)
{
    unsigned char import[64] = {0x0A, (unsigned char)strlen(domain)};
    memcpy(import + 2, domain, strlen(domain));
    import[2 + strlen(domain)] = 0x10;
    import[3 + strlen(domain)] = version;
    return place_of(b, import, strlen(domain) + 4) < SIZE_MAX;
}

static void assert_imports(mx2onnx_model *m, const char *domain, unsigned char version)
{
    const struct bytes b = exported(m);
    assert_true(imports(b, domain, version));
    mx2onnx_memory_free(b.data);
}

static void a_domain_has_a_version(void **state)
{
    const char *name;
    const mx2onnx_handler h = {.struct_size = sizeof h, .output_count = 1, .infer = like, .lower = in_ml};
    mx2onnx_model *m = with_own(&h, &name);
    assert_fine(m, mx2onnx_rename(m, "x", "features"));
    assert_int_equal(mx2onnx_get_domain_version(m, "ai.onnx.ml"), 1);
    assert_imports(m, "ai.onnx.ml", 1);
    assert_fine(m, mx2onnx_set_domain_version(m, "ai.onnx.ml", 3));
    assert_fine(m, mx2onnx_set_domain_version(m, "com.example", 9)); /* no node has it */
    assert_int_equal(mx2onnx_get_domain_version(m, "ai.onnx.ml"), 3);
    assert_imports(m, "ai.onnx.ml", 3);
    const char *json = NULL;
    assert_fine(m, mx2onnx_graph_json(m, MX2ONNX_GRAPH_ONNX, &json));
    assert_non_null(strstr(json, "\"domains\":{\"ai.onnx.ml\":3}"));
    const struct bytes b = exported(m);
    assert_true(place_of(b, "com.example", 11) == SIZE_MAX);
    mx2onnx_memory_free(b.data);
    assert_fine(m, mx2onnx_set_domain_version(m, "ai.onnx.ml", 0));
    assert_int_equal(mx2onnx_get_domain_version(m, "ai.onnx.ml"), 1);
    assert_imports(m, "ai.onnx.ml", 1);
    assert_fails(m, mx2onnx_set_domain_version(m, "ai.onnx.ml", -1), MX2ONNX_STATUS_INVALID_ARGUMENT, "is -1, but must be 1 or more");
    assert_fails(m, mx2onnx_set_domain_version(m, "", 2), MX2ONNX_STATUS_INVALID_ARGUMENT, "ONNX's own");
    assert_fails(m, mx2onnx_set_domain_version(m, "ai.onnx", 2), MX2ONNX_STATUS_INVALID_ARGUMENT, "ONNX's own");
    assert_fails(m, mx2onnx_set_domain_version(m, NULL, 2), MX2ONNX_STATUS_INVALID_ARGUMENT, "NULL");
    assert_fails(m, mx2onnx_set_domain_version(m, "a\n", 2), MX2ONNX_STATUS_INVALID_ARGUMENT, "control");
    assert_int_equal(mx2onnx_get_domain_version(m, ""), 0);
    assert_int_equal(mx2onnx_get_domain_version(m, NULL), 0);
    assert_int_equal(mx2onnx_get_domain_version(NULL, "ai.onnx.ml"), 0);
    assert_fine(m, mx2onnx_set_domain_version(m, "mxnet", 4));
    const mx2onnx_handler kept = {.struct_size = sizeof kept, .output_count = 1, .infer = like};
    assert_fine(m, mx2onnx_set_custom_operator(m, "mine", &kept, NULL, NULL));
    assert_fine(m, mx2onnx_set_text(m, MX2ONNX_TEXT_UNKNOWN_DOMAIN, "mxnet"));
    assert_imports(m, "mxnet", 4);
    assert_fine(m, mx2onnx_model_reset(m));
    assert_int_equal(mx2onnx_get_domain_version(m, "mxnet"), 1);
    mx2onnx_model_free(m);
}

static mx2onnx_status in_onnx(mx2onnx_node *n, void *user)
{
    const mx2onnx_value x = mx2onnx_node_input_value(n, 0);
    mx2onnx_value y = 0;
    assert_int_equal(given_node(n, "Relu", "ai.onnx", 1, &x, NULL, 1, &y), MX2ONNX_OK);
    return mx2onnx_node_set_result(n, 0, y);
}

/* The most frequent ones first, and those that are as frequent by their names. */
static void operators_are_sorted(void **state)
{
    static const struct {
        const char *nodes, *sorted;
    } rows[] = {
        {"sin", "sin 1"},
        {"sin cos cos", "cos 2 sin 1"},
        {"cos cos sin", "cos 2 sin 1"},
        {"sin relu cos", "cos 1 relu 1 sin 1"},
        {"sin cos cos tan tan tan exp exp relu", "tan 3 cos 2 exp 2 relu 1 sin 1"},
        {"tan tan tan exp exp sin relu cos cos", "tan 3 cos 2 exp 2 relu 1 sin 1"},
        {"relu sin exp cos exp cos tan tan tan", "tan 3 cos 2 exp 2 relu 1 sin 1"},
        {"abs floor ceil sin cos exp tan abs floor abs", "abs 3 floor 2 ceil 1 cos 1 exp 1 sin 1 tan 1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char symbol[2000], nodes[200], sorted[200] = "";
        int n = 0;
        mx2onnx_model *m = fresh();
        strcpy(nodes, rows[i].nodes);
        char *end = symbol + sprintf(symbol, "{\"nodes\":[{\"op\":\"null\",\"name\":\"x\",\"inputs\":[]}");
        for (const char *op = strtok(nodes, " "); op; op = strtok(NULL, " "), n++) {
            end += sprintf(end, ",{\"op\":\"%s\",\"name\":\"n%d\",\"inputs\":[[%d,0,0]]}", op, n, n);
        }
        sprintf(end, "],\"arg_nodes\":[0],\"heads\":[[%d,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}", n);
        assert_fine(m, mx2onnx_load_symbol_memory(m, symbol, strlen(symbol)));
        for (size_t k = 0; k < mx2onnx_operator_count(m); k++) {
            sprintf(sorted + strlen(sorted), "%s%s %d", k > 0 ? " " : "", mx2onnx_operator_name(m, k),
                    (int)mx2onnx_operator_node_count(m, k));
        }
        assert_string_equal(sorted, rows[i].sorted);
        mx2onnx_model_free(m);
    }
}

/* "ai.onnx" is another name of ONNX's own domain, which is imported once. */
static void a_domain_of_onnx_has_two_names(void **state)
{
    const char *name, *json = NULL;
    const mx2onnx_handler h = {.struct_size = sizeof h, .output_count = 1, .infer = like, .lower = in_onnx};
    mx2onnx_model *m = with_own(&h, &name);
    assert_fine(m, mx2onnx_graph_json(m, MX2ONNX_GRAPH_ONNX, &json));
    assert_non_null(strstr(json, "\"domains\":{}"));
    const struct bytes b = exported(m);
    assert_true(place_of(b, "ai.onnx", 7) == SIZE_MAX);
    mx2onnx_memory_free(b.data);
    mx2onnx_model_free(m);
    assert_null(mx2onnx_known_operator_aliases(mx2onnx_known_operator_count()));
    assert_null(mx2onnx_known_operator_refuses(mx2onnx_known_operator_count()));
    assert_null(mx2onnx_known_operator_differs(mx2onnx_known_operator_count()));
    assert_null(mx2onnx_known_operator_status(mx2onnx_known_operator_count()));
}

static size_t refuse(mx2onnx_node *n, void *user)
{
    assert_int_equal(mx2onnx_node_fail(n, "its outputs cannot be counted"), MX2ONNX_STATUS_UNSUPPORTED);
    return *(const size_t *)user;
}

static void a_counter_refuses(void **state)
{
    static size_t counts[] = {0, 1};
    const mx2onnx_handler h = {.struct_size = sizeof h, .infer = like, .lower = in_ml, .count_outputs = refuse};
    for (size_t i = 0; i < 2; i++) { /* an error counts, whatever is returned */
        mx2onnx_model *m = with_own(&h, &counts[i]);
        assert_fails(m, mx2onnx_infer(m), MX2ONNX_STATUS_UNSUPPORTED, "its outputs cannot be counted");
        assert_non_null(strstr(mx2onnx_error(m), "own"));
        mx2onnx_model_free(m);
    }
}

static size_t as_given(mx2onnx_node *n, void *user)
{
    return *(const size_t *)user;
}

static void outputs_have_one_limit(void **state)
{
    size_t counts[] = {65537, SIZE_MAX, 0};
    const mx2onnx_handler counter = {.struct_size = sizeof counter, .infer = like, .lower = in_ml, .count_outputs = as_given};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        mx2onnx_model *counted = with_own(&counter, &counts[i]);
        assert_fails(counted, mx2onnx_infer(counted), counts[i] ? MX2ONNX_STATUS_TOO_LARGE : MX2ONNX_STATUS_FORMAT,
                     counts[i] ? "the node would have 65537 outputs, but must have 1 to 65536" : "the node would have 0 outputs");
        mx2onnx_model_free(counted);
    }
    mx2onnx_handler h = {.struct_size = sizeof h, .output_count = 65536, .infer = like, .lower = in_ml};
    mx2onnx_model *m = fresh();
    assert_fine(m, mx2onnx_set_custom_operator(m, "many", &h, NULL, NULL));
    h.output_count = 65537;
    assert_fails(m, mx2onnx_set_custom_operator(m, "many", &h, NULL, NULL), MX2ONNX_STATUS_INVALID_ARGUMENT, "65536");
    mx2onnx_model_free(m);
}

/* ---- published nets */

static void set_ones(mx2onnx_model *m, const char *name, int32_t rank, const int64_t *dims)
{
    static const float ones[4096 * 8] = {1};
    size_t size = sizeof *ones;
    for (int32_t i = 0; i < rank; i++) {
        size *= (size_t)dims[i];
    }
    assert_true(size <= sizeof ones);
    assert_fine(m, given_param(m, name, given_array(MX2ONNX_DTYPE_FLOAT32, rank, dims, ones, size), NULL, NULL));
}

static void a_net_is_identified_by_its_parameters(void **state)
{
    mx2onnx_model *m = fresh();
    assert_int_equal(mx2onnx_candidate_count(m), 0);
    assert_fails(m, mx2onnx_identify_net(m), MX2ONNX_STATUS_INVALID_ARGUMENT, "no parameters");
    mx2onnx_model_free(m);
}

static void candidates_are_a_list(void **state)
{
    mx2onnx_model *m = fresh();
    assert_fine(m, mx2onnx_load_catalogue_file(m, small));
    set_ones(m, "0.weight", 2, (const int64_t[]){5, 2});
    set_ones(m, "0.bias", 1, (const int64_t[]){5});
    for (int turn = 0; turn < 2; turn++) { /* the list is found anew, and nothing else is reported */
        assert_fine(m, mx2onnx_identify_net(m));
        assert_int_equal(mx2onnx_diagnostic_count(m), 0);
        assert_int_equal(mx2onnx_candidate_count(m), 2);
    }
    assert_fails(m, mx2onnx_load_net(m, NULL), MX2ONNX_STATUS_INVALID_ARGUMENT, mx2onnx_candidate_name(m, 1));
    char name[2][64], title[2][64];
    for (size_t i = 0; i < 2; i++) { /* a load that failed leaves the list */
        snprintf(name[i], sizeof name[i], "%s", mx2onnx_candidate_name(m, i));
        snprintf(title[i], sizeof title[i], "%s", mx2onnx_candidate_title(m, i));
        mx2onnx_model *chosen = fresh();
        assert_fine(chosen, mx2onnx_load_catalogue_file(chosen, small));
        set_ones(chosen, "0.weight", 2, (const int64_t[]){5, 2});
        set_ones(chosen, "0.bias", 1, (const int64_t[]){5});
        assert_fine(chosen, mx2onnx_load_net(chosen, name[i]));
        assert_string_equal(mx2onnx_net_title(chosen), title[i]);
        mx2onnx_model_free(chosen);
    }
    assert_string_not_equal(name[0], name[1]);
    assert_fine(m, mx2onnx_load_net(m, name[1]));
    assert_int_equal(mx2onnx_candidate_count(m), 0);
    assert_fine(m, mx2onnx_model_reset(m));
    assert_fine(m, mx2onnx_load_catalogue_file(m, small));
    set_ones(m, "0.weight", 2, (const int64_t[]){5, 2});
    set_ones(m, "0.bias", 1, (const int64_t[]){5});
    assert_fine(m, mx2onnx_identify_net(m));
    set_ones(m, "none.weight", 1, (const int64_t[]){1});
    assert_int_equal(mx2onnx_candidate_count(m), 0);
    assert_fails(m, mx2onnx_identify_net(m), MX2ONNX_STATUS_NOT_FOUND, "there is no symbol file, and the parameters match");
    assert_int_equal(mx2onnx_candidate_count(m), 0);
    assert_null(mx2onnx_candidate_name(m, 0));
    assert_null(mx2onnx_candidate_title(m, 0));
    assert_int_equal(mx2onnx_candidate_count(NULL), 0);
    mx2onnx_model_free(m);
}

static unsigned char *contents(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *size = (size_t)ftell(f);
    rewind(f);
    unsigned char *data = malloc(*size);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *size, f), *size);
    fclose(f);
    return data;
}

/* As no other file that the model was read from. */
static void an_export_does_not_replace_the_catalogue(void **state)
{
    size_t size;
    unsigned char *data = contents(small, &size);
    FILE *f = fopen("given-back.zip", "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
    mx2onnx_model *m = fresh();
    assert_fine(m, mx2onnx_load(m, sample));
    assert_fine(m, mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){1, 1, 8, 8}, NULL));
    if (mx2onnx_has_feature(MX2ONNX_FEATURE_ZIP)) {
        assert_fine(m, mx2onnx_load_catalogue_file(m, "given-back.zip"));
        assert_fails(m, mx2onnx_export_file(m, "given-back.zip"), MX2ONNX_STATUS_INVALID_ARGUMENT, "was read from");
        assert_fine(m, mx2onnx_load_catalogue_file(m, small)); /* in its place */
        assert_fine(m, mx2onnx_export_file(m, "given-back.zip"));
    }
    mx2onnx_model_free(m);
    assert_int_equal(remove("given-back.zip"), 0);
    free(data);
}

static void a_catalogue_is_read_from_memory(void **state)
{
    size_t size;
    unsigned char *data = contents(catalogue, &size);
    mx2onnx_model *m = fresh(), *other = fresh();
    if (mx2onnx_has_feature(MX2ONNX_FEATURE_ZIP)) {
        assert_fine(m, mx2onnx_load_catalogue_file(m, catalogue));
        assert_fine(other, mx2onnx_load_catalogue_memory(other, data, size));
        memset(data, 0xAB, size); /* it is read during the call only */
        assert_true(mx2onnx_catalogue_count(m) > 100);
        assert_int_equal(mx2onnx_catalogue_count(m), mx2onnx_catalogue_count(other));
        for (size_t i = 0; i < mx2onnx_catalogue_count(m); i++) {
            assert_string_equal(mx2onnx_catalogue_text(m, i), mx2onnx_catalogue_text(other, i));
        }
        assert_fails(other, mx2onnx_load_catalogue_memory(other, data, size), MX2ONNX_STATUS_FORMAT, "");
        assert_int_equal(mx2onnx_catalogue_count(m), mx2onnx_catalogue_count(other));
    }
    assert_fails(m, mx2onnx_load_catalogue_memory(m, NULL, 0), MX2ONNX_STATUS_INVALID_ARGUMENT, "NULL");
    mx2onnx_model_free(m);
    mx2onnx_model_free(other);
    free(data);
}

/* ---- programs of another version of the header */

/* What a program sees that knows only the first members of a structure which the library fills. */
struct old_progress {
    size_t struct_size;
    mx2onnx_phase phase;
};

static int32_t watch(const mx2onnx_progress *progress, void *user)
{
    struct old_progress old = {0};
    assert_int_equal(progress->struct_size, sizeof *progress);
    memcpy(&old, progress, sizeof old.struct_size + sizeof old.phase);
    *(int *)user += old.phase >= MX2ONNX_PHASE_OTHER;
    return 0;
}

static void hear(const mx2onnx_log_entry *entry, void *user)
{
    assert_int_equal(entry->struct_size, sizeof *entry);
    ++*(int *)user;
}

static void structures_say_their_size(void **state)
{
    int asked = 0, heard = 0;
    mx2onnx_model *m = fresh();
    assert_fine(m, mx2onnx_set_progress(m, watch, &asked, NULL));
    assert_fine(m, mx2onnx_set_log(m, MX2ONNX_SEVERITY_DEBUG, hear, &heard, NULL));
    assert_fine(m, mx2onnx_load_symbol_file(m, sample));
    assert_int_equal(mx2onnx_infer(m), MX2ONNX_STATUS_MISSING_PARAMETER);
    assert_true(asked > 0 && heard > 0);
    mx2onnx_model_free(m);
}

static int32_t older_program(const mx2onnx_progress *progress, void *user)
{
    const struct old_progress *p = (const struct old_progress *)(const void *)progress;
    assert_true(p->struct_size >= sizeof *p);
    *(mx2onnx_phase *)user = p->phase > *(mx2onnx_phase *)user ? p->phase : *(mx2onnx_phase *)user;
    return 0;
}

static void an_older_program_reads_fewer_members(void **state)
{
    void *data = NULL;
    size_t size = 0;
    mx2onnx_phase latest = MX2ONNX_PHASE_OTHER;
    mx2onnx_model *m = loaded();
    assert_fine(m, mx2onnx_set_progress(m, older_program, &latest, NULL));
    assert_fine(m, mx2onnx_export_memory(m, &data, &size));
    assert_int_equal(latest, MX2ONNX_PHASE_WRITE);
    mx2onnx_memory_free(data);
    mx2onnx_model_free(m);
}

/* A handler of a program whose header has more members, or fewer: what is beyond its size does not count. */
static void handlers_grow(void **state)
{
    struct {
        mx2onnx_handler h;
        void *later[4];
    } grown;
    const char *name;
    memset(&grown, 0xAB, sizeof grown);
    grown.h = (mx2onnx_handler){.struct_size = sizeof grown, .output_count = 1, .infer = like, .lower = in_ml};
    mx2onnx_model *m = with_own(&grown.h, &name);
    assert_imports(m, "ai.onnx.ml", 1);
    mx2onnx_handler few = {.struct_size = offsetof(mx2onnx_handler, count_outputs), .output_count = 1, .infer = like, .lower = in_ml};
    few.count_outputs = refuse;
    assert_fine(m, mx2onnx_set_custom_operator(m, "mine", &few, &name, NULL));
    assert_imports(m, "ai.onnx.ml", 1);
    few.struct_size += sizeof(void *) / 2;
    assert_fine(m, mx2onnx_set_custom_operator(m, "mine", &few, &name, NULL));
    assert_imports(m, "ai.onnx.ml", 1);
    few.struct_size = offsetof(mx2onnx_handler, infer); /* without infer there is no handler */
    assert_fails(m, mx2onnx_set_custom_operator(m, "mine", &few, &name, NULL), MX2ONNX_STATUS_INVALID_ARGUMENT, "infer");
    few.struct_size = 0;
    assert_fails(m, mx2onnx_set_custom_operator(m, "mine", &few, &name, NULL), MX2ONNX_STATUS_INVALID_ARGUMENT, "sizeof(mx2onnx_handler)");
    mx2onnx_model_free(m);
}

/* The same with an array: the size of the structure, not of this library's, says what is in it. */
static void arrays_grow(void **state)
{
    struct {
        mx2onnx_array a;
        void *later[4];
    } grown;
    static const float ones[] = {1, 1, 1};
    const int64_t dims[] = {3};
    mx2onnx_model *m = fresh();
    memset(&grown, 0xAB, sizeof grown);
    grown.a = given_array(MX2ONNX_DTYPE_FLOAT32, 1, dims, ones, sizeof ones);
    grown.a.struct_size = sizeof grown;
    assert_fine(m, mx2onnx_set_param(m, "w", &grown.a, NULL, NULL));
    assert_int_equal(mx2onnx_param_size(m, 0), sizeof ones);
    grown.a.struct_size = offsetof(mx2onnx_array, size); /* without a size there are no bytes */
    assert_fails(m, mx2onnx_set_param(m, "w", &grown.a, NULL, NULL), MX2ONNX_STATUS_INVALID_ARGUMENT, "0 bytes");
    grown.a.struct_size = offsetof(mx2onnx_array, rank) + 1; /* a member in part is none: a scalar */
    assert_fails(m, mx2onnx_set_param(m, "w", &grown.a, NULL, NULL), MX2ONNX_STATUS_INVALID_ARGUMENT, "0 bytes");
    grown.a.struct_size = 0;
    assert_fails(m, mx2onnx_set_param(m, "w", &grown.a, NULL, NULL), MX2ONNX_STATUS_INVALID_ARGUMENT, "sizeof(mx2onnx_array)");
    assert_fails(m, mx2onnx_set_param(m, "w", NULL, NULL, NULL), MX2ONNX_STATUS_INVALID_ARGUMENT, "value is NULL");
    assert_int_equal(mx2onnx_param_count(m), 1);
    mx2onnx_model_free(m);
}

/* A node of a later header, and those that are not known well enough. */
static mx2onnx_status lower_grown(mx2onnx_node *n, void *user)
{
    struct {
        mx2onnx_onnx_node node;
        void *later[4];
    } grown;
    mx2onnx_value x = mx2onnx_node_input_value(n, 0), y = -1;
    memset(&grown, 0xAB, sizeof grown);
    grown.node = (mx2onnx_onnx_node){.op_type = "Scaler",
                                     .domain = "ai.onnx.ml",
                                     .attributes = "{\"offset\": [0.5]}",
                                     .input_count = 1,
                                     .inputs = &x,
                                     .output_count = 1};
    grown.node.struct_size = *(const size_t *)user > 0 ? *(const size_t *)user : sizeof grown;
    const mx2onnx_status status = mx2onnx_node_add(n, *(const size_t *)user == SIZE_MAX ? NULL : &grown.node, &y);
    assert_true((status == MX2ONNX_OK) == (y != -1));
    return status != MX2ONNX_OK ? status : mx2onnx_node_set_result(n, 0, y);
}

static void nodes_grow(void **state)
{
    const struct {
        size_t size;
        const char *wrong;
    } cases[] = {{0, NULL},
                 {offsetof(mx2onnx_onnx_node, output_count), "the node has 0 outputs, but 1 to 4096 are possible"},
                 {offsetof(mx2onnx_onnx_node, domain), "operator 'Scaler'"},
                 {offsetof(mx2onnx_onnx_node, op_type) + 1, "sizeof(mx2onnx_onnx_node)"},
                 {1, "sizeof(mx2onnx_onnx_node)"},
                 {SIZE_MAX, "the node is NULL"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const mx2onnx_handler h = {.struct_size = sizeof h, .output_count = 1, .infer = like, .lower = lower_grown};
        size_t size = cases[i].size;
        mx2onnx_model *m = with_own(&h, &size);
        if (cases[i].wrong) {
            void *data = NULL;
            size_t bytes = 0;
            assert_fails(m, mx2onnx_export_memory(m, &data, &bytes), MX2ONNX_STATUS_UNSUPPORTED, cases[i].wrong);
        } else {
            assert_imports(m, "ai.onnx.ml", 1);
        }
        mx2onnx_model_free(m);
    }
}

/* ---- a shape and its names */

static void assert_names(mx2onnx_model *m, const char *first, const char *second)
{
    const char *const wanted[] = {first, second};
    for (size_t i = 0; i < 2; i++) {
        const char *name = mx2onnx_get_input_dim_name(m, "data", i);
        assert_true(!name == !wanted[i]);
        assert_true(!name || strcmp(name, wanted[i]) == 0);
    }
}

/* All or nothing, before the load and after it. */
static void a_shape_is_set_whole(void **state)
{
    static const char *const bad[] = {"14", "4.5", "None", "", "?", " h", "h ", "a\nb", "\xff"};
    const int64_t dims[] = {-1, 64}, *set;
    int32_t rank;
    mx2onnx_model *m = fresh();
    for (int when = 0; when < 2; when++) {
        assert_fine(m, mx2onnx_set_input_shape(m, "data", 2, dims, (const char *const[]){"batch", "k"}));
        assert_names(m, "batch", "k");
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            assert_int_equal(mx2onnx_set_input_shape(m, "data", 2, (const int64_t[]){7, 7}, (const char *const[]){"n", bad[i]}),
                             MX2ONNX_STATUS_INVALID_ARGUMENT);
            assert_names(m, "batch", "k");
            set = mx2onnx_get_input_shape(m, "data", &rank);
            assert_true(rank == 2 && set[0] == -1 && set[1] == 64);
        }
        /* the texts may be those that were set */
        assert_fine(m, mx2onnx_set_input_shape(
                           m, "data", 2, mx2onnx_get_input_shape(m, "data", NULL),
                           (const char *const[]){mx2onnx_get_input_dim_name(m, "data", 1), mx2onnx_get_input_dim_name(m, "data", 0)}));
        assert_names(m, "k", "batch");
        assert_fine(m, mx2onnx_set_input_shape(m, "data", 2, dims, (const char *const[]){"a much longer name", NULL}));
        assert_names(m, "a much longer name", NULL);
        assert_fine(m, mx2onnx_set_input_shape(m, "data", 2, dims, NULL)); /* a shape without names has none */
        assert_names(m, NULL, NULL);
        assert_fine(m, mx2onnx_set_input_shape(m, "data", 2, dims, (const char *const[]){NULL, "k"}));
        assert_fine(m, mx2onnx_set_input_shape(m, "data", -1, NULL, NULL));
        assert_names(m, NULL, NULL);
        if (when == 0) {
            assert_fine(m, mx2onnx_load(m, sample));
        }
    }
    assert_fails(m, mx2onnx_set_input_shape(m, "other", 1, dims, (const char *const[]){"n"}), MX2ONNX_STATUS_NOT_FOUND, "no input");
    mx2onnx_model_free(m);
}

/* ---- what a message is about */

/* An input is in `name`, a node in `node`. */
static void an_input_is_not_a_node(void **state)
{
    mx2onnx_diagnostic d = {.struct_size = sizeof d};
    mx2onnx_model *m = fresh();
    assert_fine(m, mx2onnx_load_symbol_memory(m, own, sizeof own - 1));
    assert_int_equal(mx2onnx_set_custom_operator(
                         m, "mine",
                         &(const mx2onnx_handler){.struct_size = sizeof(mx2onnx_handler), .output_count = 1, .infer = like, .lower = in_ml},
                         &(const char *){NULL}, NULL),
                     MX2ONNX_OK);
    assert_int_equal(mx2onnx_infer(m), MX2ONNX_STATUS_SHAPE);
    assert_int_equal(mx2onnx_diagnostic_get(m, 0, &d), MX2ONNX_OK);
    assert_string_equal(d.name, "x");
    assert_string_equal(d.node, "");
    mx2onnx_model_free(m);
}

/* Bytes have the name that was set for them, until it is taken back. */
static void bytes_have_a_name(void **state)
{
    mx2onnx_model *m = fresh();
    assert_fails(m, mx2onnx_load_symbol_memory(m, "[", 1), MX2ONNX_STATUS_FORMAT, "'symbol'");
    assert_fine(m, mx2onnx_set_text(m, MX2ONNX_TEXT_SOURCE_NAME, "net-symbol.json"));
    assert_fails(m, mx2onnx_load_symbol_memory(m, "[", 1), MX2ONNX_STATUS_FORMAT, "'net-symbol.json'");
    assert_fails(m, mx2onnx_load_params_memory(m, "[", 1, NULL, NULL), MX2ONNX_STATUS_FORMAT, "'net-symbol.json'");
    assert_fails(m, mx2onnx_set_text(m, MX2ONNX_TEXT_SOURCE_NAME, ""), MX2ONNX_STATUS_INVALID_ARGUMENT, "empty");
    assert_fine(m, mx2onnx_set_text(m, MX2ONNX_TEXT_SOURCE_NAME, NULL));
    assert_fails(m, mx2onnx_load_params_memory(m, "[", 1, NULL, NULL), MX2ONNX_STATUS_FORMAT, "'params'");
    mx2onnx_model_free(m);
}

/* Of a symbol that lacks what was chosen there are no lists, and the inference says why. */
static void a_wrong_choice_leaves_no_lists(void **state)
{
    mx2onnx_model *m = fresh();
    assert_fine(m, mx2onnx_add_output(m, "nosuch_output"));
    assert_fine(m, mx2onnx_load(m, sample));
    assert_int_equal(mx2onnx_input_count(m) + mx2onnx_output_count(m) + mx2onnx_variable_count(m) + mx2onnx_operator_count(m), 0);
    assert_true(mx2onnx_param_count(m) > 0);
    assert_fails(m, mx2onnx_infer(m), MX2ONNX_STATUS_NOT_FOUND, "nosuch_output");
    assert_fine(m, mx2onnx_clear_outputs(m));
    assert_int_equal(mx2onnx_input_count(m), 1);
    mx2onnx_model_free(m);
}

/* "the option 7 is unknown" */
static const char *unknown(const char *what, int number)
{
    static char text[64];
    (void)snprintf(text, sizeof text, "the %s %d is unknown", what, number);
    return text;
}

/* Numbers that a later header has. */
static void unknown_numbers_are_refused(void **state)
{
    static const int32_t numbers[] = {-1000, -2, 99, 12345, INT32_MAX, INT32_MIN};
    mx2onnx_model *m = loaded();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const int32_t n = numbers[i];
        assert_fails(m, mx2onnx_set_option(m, n, 1), MX2ONNX_STATUS_INVALID_ARGUMENT, unknown("option", n));
        assert_fails(m, mx2onnx_reset_option(m, n), MX2ONNX_STATUS_INVALID_ARGUMENT, unknown("option", n));
        assert_true(mx2onnx_get_option(m, n) == INT64_MIN);
        assert_fails(m, mx2onnx_set_text(m, n, "x"), MX2ONNX_STATUS_INVALID_ARGUMENT, unknown("text", n));
        assert_null(mx2onnx_get_text(m, n));
        assert_int_equal(mx2onnx_has_feature(n), 0);
        assert_fails(m, mx2onnx_use_published(m, n), MX2ONNX_STATUS_INVALID_ARGUMENT, unknown("choice", n));
        assert_fails(m, mx2onnx_set_input_dtype(m, "data", n), MX2ONNX_STATUS_INVALID_ARGUMENT, unknown("element type", n));
        assert_fails(m, mx2onnx_set_node_precision(m, "fc1", n), MX2ONNX_STATUS_INVALID_ARGUMENT, unknown("precision", n));
        assert_fails(m, given_param(m, "w", given_array(n, 0, NULL, "1234", 4), NULL, NULL), MX2ONNX_STATUS_INVALID_ARGUMENT,
                     "element type");
        assert_string_equal(mx2onnx_dtype_name(n), "unknown");
        assert_string_equal(mx2onnx_status_name(n == -2 ? 1 : n), "UNKNOWN");
    }
    assert_fails(m, mx2onnx_set_text(m, MX2ONNX_TEXT_TARGET, "a later program"), MX2ONNX_STATUS_NOT_FOUND, "no target has this name");
    assert_null(mx2onnx_target_name(99));
    int heard = 0;
    assert_fine(m, mx2onnx_set_log(m, 12345, hear, &heard, NULL)); /* all lines */
    const struct bytes b = exported(m);                            /* and the model is as it was */
    assert_true(b.size > 0 && heard > 0);
    mx2onnx_memory_free(b.data);
    mx2onnx_model_free(m);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        return 2;
    }
    sample = argv[1];
    catalogue = argv[2];
    small = argv[3];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metadata_is_written_sorted),
        cmocka_unit_test(metadata_has_limits),
        cmocka_unit_test(a_value_is_removed),
        cmocka_unit_test(a_constant_is_an_input_again),
        cmocka_unit_test(a_later_file_takes_the_place),
        cmocka_unit_test(operators_are_sorted),
        cmocka_unit_test(preprocessing_is_read),
        cmocka_unit_test(choices_are_read),
        cmocka_unit_test(an_input_keeps_its_name),
        cmocka_unit_test(a_domain_has_a_version),
        cmocka_unit_test(a_domain_of_onnx_has_two_names),
        cmocka_unit_test(a_counter_refuses),
        cmocka_unit_test(outputs_have_one_limit),
        cmocka_unit_test(a_net_is_identified_by_its_parameters),
        TEST_IF(mx2onnx_has_feature(MX2ONNX_FEATURE_ZIP), candidates_are_a_list),
        cmocka_unit_test(a_catalogue_is_read_from_memory),
        cmocka_unit_test(an_export_does_not_replace_the_catalogue),
        cmocka_unit_test(structures_say_their_size),
        cmocka_unit_test(an_older_program_reads_fewer_members),
        cmocka_unit_test(handlers_grow),
        cmocka_unit_test(arrays_grow),
        cmocka_unit_test(nodes_grow),
        cmocka_unit_test(a_shape_is_set_whole),
        cmocka_unit_test(an_input_is_not_a_node),
        cmocka_unit_test(bytes_have_a_name),
        cmocka_unit_test(a_wrong_choice_leaves_no_lists),
        cmocka_unit_test(unknown_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
