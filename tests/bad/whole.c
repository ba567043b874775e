/* The malformed symbols through the public API: status and message as json.tsv says (its last two columns). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mx2onnx.h"

static const char *bad_folder = "tests/bad", *made_folder = "build/tests/data";

/* Every variable is an input, so that no parameters are needed; only the data have a shape. */
static int32_t choose_shapes(mx2onnx_model *m)
{
    static const int64_t known[] = {1, 3}, open[] = {-1, -1};
    char name[64];
    int32_t status = MX2ONNX_OK;
    for (size_t i = 0; status == MX2ONNX_OK && i < mx2onnx_input_count(m); i++) {
        snprintf(name, sizeof name, "%s", mx2onnx_input_name(m, i));
        status = mx2onnx_set_input_shape(m, name, 2, strcmp(name, "data") == 0 ? known : open, NULL);
    }
    for (size_t i = 0; status == MX2ONNX_OK && i < mx2onnx_variable_count(m); i++) {
        if (mx2onnx_variable_kind(m, i) == MX2ONNX_VARIABLE_WEIGHT) {
            snprintf(name, sizeof name, "%s", mx2onnx_variable_name(m, i));
            status = mx2onnx_set_input_shape(m, name, 2, open, NULL);
        }
    }
    return status;
}

static int32_t convert(mx2onnx_model *m, const char *path)
{
    void *data = NULL;
    size_t size;
    int32_t status = mx2onnx_load_symbol_file(m, path);
    if (status == MX2ONNX_OK) {
        status = choose_shapes(m);
    }
    if (status == MX2ONNX_OK) {
        status = mx2onnx_export_memory(m, &data, &size);
    }
    assert_int_equal(data != NULL, status == MX2ONNX_OK);
    mx2onnx_memory_free(data);
    return status;
}

static void check_row(const char *file, const char *status, const char *said)
{
    char path[4096];
    mx2onnx_model *m;
    snprintf(path, sizeof path, "%s/malformed/json/%s", made_folder, file);
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    const int32_t got = convert(m, path);
    const char *error = mx2onnx_error(m);
    if (strcmp(mx2onnx_status_name(got), status) != 0 || !strstr(error, said) || (got == MX2ONNX_OK) != !*error) {
        fail_msg("%s: %s: %s", file, mx2onnx_status_name(got), error);
    }
    mx2onnx_model_free(m);
}

static void bad_symbols_fail_as_the_table_says(void **state)
{
    char path[4096], line[512];
    size_t rows = 0;
    snprintf(path, sizeof path, "%s/json.tsv", bad_folder);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        char *column[5] = {line};
        line[strcspn(line, "\r\n")] = 0;
        for (int i = 1; i < 5; i++) {
            column[i] = column[i - 1] ? strchr(column[i - 1], '\t') : NULL;
            if (column[i]) {
                *column[i]++ = 0;
            }
        }
        if (line[0] != '#') {
            assert_non_null(column[4]);
            check_row(column[0], column[3], column[4]);
            rows++;
        }
    }
    fclose(f);
    assert_int_equal(rows, 71);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bad_symbols_fail_as_the_table_says)};
    if (argc > 2) {
        bad_folder = argv[1];
        made_folder = argv[2];
    }
    return cmocka_run_group_tests_name("bad_whole", tests, NULL, NULL);
}
