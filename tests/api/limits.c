/* What a model may cost, and how a call is ended: no half file, no leak, and the model can be used again. Only the public
 * header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mx2onnx.h"

static const char *sample;

static size_t text_size; /* of the model made last */

static mx2onnx_model *made(const char *nodes, const char *heads)
{
    mx2onnx_model *m = NULL;
    const size_t size = strlen(nodes) + strlen(heads) + 200;
    char *text = malloc(size);
    assert_non_null(text);
    const int n = snprintf(text, size, "{\"nodes\":[%s],\"arg_nodes\":[],\"heads\":[%s],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}",
                           nodes, heads);
    text_size = (size_t)n;
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load_symbol_memory(m, text, text_size), MX2ONNX_OK);
    free(text);
    return m;
}

static mx2onnx_status exported(mx2onnx_model *m, size_t *size)
{
    void *data = NULL;
    const mx2onnx_status status = mx2onnx_export_memory(m, &data, size);
    mx2onnx_memory_free(data);
    return status;
}

/* The k-th call of the progress function ends the work, for every k. */
static size_t calls, stop_at;
static uint64_t last_done;
static bool preparing_again;

static int32_t stop(const mx2onnx_progress *p, void *user)
{
    assert_true(p->done <= p->total);
    preparing_again = preparing_again || (p->total == 0 && last_done > 0); /* first it is prepared, then written */
    last_done = p->done;
    return ++calls == stop_at;
}

static void a_conversion_can_be_cancelled_at_every_call(void **state)
{
    size_t good = 0, ended = 0;
    for (stop_at = 0;; stop_at++) {
        mx2onnx_model *m = NULL;
        size_t size = 0;
        calls = 0;
        last_done = 0;
        remove("cancelled.onnx");
        assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_progress(m, stop, NULL, NULL), MX2ONNX_OK);
        mx2onnx_status status = mx2onnx_load(m, sample);
        if (status == MX2ONNX_OK) {
            status = mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){1, 1, 8, 8}, NULL);
        }
        if (status == MX2ONNX_OK) {
            status = mx2onnx_export_file(m, "cancelled.onnx");
        }
        const bool was_stopped = stop_at > 0 && calls >= stop_at;
        if (was_stopped) {
            ended++;
            assert_int_equal(status, MX2ONNX_STATUS_CANCELLED);
            assert_non_null(strstr(mx2onnx_error(m), "cancelled"));
            assert_null(fopen("cancelled.onnx", "rb"));
        } else {
            assert_int_equal(status, MX2ONNX_OK);
        }
        /* What was stopped can be done again. */
        assert_int_equal(mx2onnx_set_progress(m, NULL, NULL, NULL), MX2ONNX_OK);
        if (mx2onnx_input_count(m) > 0) {
            (void)mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){1, 1, 8, 8}, NULL);
            status = exported(m, &size);
            if (status != MX2ONNX_OK && strstr(mx2onnx_error(m), "missing from the parameter files") == NULL) {
                fail_msg("after call %zu: %s", stop_at, mx2onnx_error(m));
            }
            good = good ? good : size;
            assert_true(status != MX2ONNX_OK || size == good);
        }
        mx2onnx_model_free(m);
        if (stop_at > 0 && !was_stopped) {
            break;
        }
    }
    remove("cancelled.onnx");
    assert_true(ended >= 8); /* loading, preparing, lowering, each pass */
    assert_false(preparing_again);
}

static void limits_are_read_and_set(void **state)
{
    mx2onnx_model *m = NULL;
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_get_option(m, MX2ONNX_OPTION_MEMORY_LIMIT), 64 << 20);
    assert_int_equal(mx2onnx_get_option(m, MX2ONNX_OPTION_EXPANSION_LIMIT), 64 << 20);
    assert_int_equal(mx2onnx_get_option(m, MX2ONNX_OPTION_NODES_LIMIT), 1 << 20);
    assert_true(mx2onnx_get_option(m, MX2ONNX_OPTION_OUTPUT_LIMIT) == INT64_C(4) << 30);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_NODES_LIMIT, 7), MX2ONNX_OK);
    assert_int_equal(mx2onnx_get_option(m, MX2ONNX_OPTION_NODES_LIMIT), 7);
    assert_int_equal(mx2onnx_set_option(m, -1, 7), MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_NODES_LIMIT, -1), MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_int_equal(mx2onnx_reset_option(m, MX2ONNX_OPTION_NODES_LIMIT), MX2ONNX_OK);
    assert_int_equal(mx2onnx_get_option(m, MX2ONNX_OPTION_NODES_LIMIT), 1 << 20);
    mx2onnx_model_free(m);
}

/* Outputs of one node with a long name: their names need more memory than there is, which is found once. */
static void a_query_that_failed_is_not_repeated(void **state)
{
    enum { NAME = 20000, HEADS = 4000 };
    static char node[NAME + 100], heads[HEADS * 8];
    static char name[NAME + 1];
    memset(name, 'n', NAME);
    snprintf(node, sizeof node, "{\"op\":\"null\",\"name\":\"%s\",\"inputs\":[]}", name);
    for (size_t i = 0; i < HEADS; i++) {
        memcpy(heads + 8 * i, "[0,0,0],", 8);
    }
    heads[sizeof heads - 1] = 0;
    mx2onnx_model *m = made(node, heads);
    stop_at = calls = 0;
    assert_int_equal(mx2onnx_set_progress(m, stop, NULL, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_output_count(m), HEADS);
    const size_t first = calls;
    for (size_t i = 0; i < 20; i++) {
        assert_non_null(mx2onnx_output_name(m, i));
    }
    assert_true(first > 10 && calls < first + 10);
    assert_int_equal(mx2onnx_infer(m), MX2ONNX_STATUS_TOO_LARGE);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_MEMORY_LIMIT, 1 << 30), MX2ONNX_OK);
    assert_int_equal(mx2onnx_output_count(m), HEADS);
    assert_string_not_equal(mx2onnx_output_name(m, 0), mx2onnx_output_name(m, 1));
    mx2onnx_model_free(m);
}

/* 16 MB of an identity matrix are computed while they are written, and refused before that where so much may not be. */
static void a_large_output_is_refused(void **state)
{
    size_t size = 0;
    mx2onnx_model *m = made("{\"op\":\"_eye\",\"name\":\"wide\",\"attrs\":{\"N\":\"2000\"},\"inputs\":[]}", "[0,0,0]");
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_OUTPUT_LIMIT, 1 << 20), MX2ONNX_OK);
    if (exported(m, &size) != MX2ONNX_STATUS_TOO_LARGE) {
        fail_msg("%s", mx2onnx_error(m));
    }
    assert_non_null(strstr(mx2onnx_error(m), "MX2ONNX_OPTION_OUTPUT_LIMIT"));
    mx2onnx_model_free(m);
}

/* The matrix of a Fourier transform has 2 MB here, and is computed while it is written. */
static void a_matrix_of_a_transform_takes_no_memory(void **state)
{
    size_t size = 0;
    mx2onnx_model *m = made("{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]},"
                            "{\"op\":\"_contrib_fft\",\"name\":\"spectrum\",\"inputs\":[[0,0,0]]}",
                            "[1,0,0]");
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 2, (const int64_t[]){1, 512}, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_MEMORY_LIMIT, 1 << 20), MX2ONNX_OK);
    if (exported(m, &size) != MX2ONNX_OK) {
        fail_msg("%s", mx2onnx_error(m));
    }
    assert_true(size > 512 * 1024 * sizeof(float));
    mx2onnx_model_free(m);
}

static void too_many_nodes_are_refused(void **state)
{
    size_t size = 0;
    mx2onnx_model *m = made("{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]},{\"op\":\"im2col\",\"name\":\"taps\",\"attrs\":"
                            "{\"kernel\":\"(40, 40)\"},\"inputs\":[[0,0,0]]}",
                            "[1,0,0]");
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){1, 3, 64, 64}, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_NODES_LIMIT, 100), MX2ONNX_OK);
    assert_int_equal(exported(m, &size), MX2ONNX_STATUS_TOO_LARGE);
    assert_non_null(strstr(mx2onnx_error(m), "'taps'"));
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_NODES_LIMIT, 1 << 20), MX2ONNX_OK);
    assert_int_equal(exported(m, &size), MX2ONNX_OK);                /* the same model, with more leave */
    const uint64_t most = mx2onnx_written_node_count(m) - text_size; /* one node a byte comes on top */
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_NODES_LIMIT, (int64_t)most), MX2ONNX_OK);
    assert_int_equal(exported(m, &size), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_NODES_LIMIT, (int64_t)most - 1), MX2ONNX_OK);
    assert_int_equal(exported(m, &size), MX2ONNX_STATUS_TOO_LARGE);
    mx2onnx_model_free(m);
}

/* 1024 scales are the most that a proposal may have. */
static void a_proposal_has_at_most_1024_scales(void **state)
{
    for (int n = 1024; n <= 1025; n++) {
        char nodes[8192];
        size_t size = 0;
        int at = snprintf(nodes, sizeof nodes,
                          "{\"op\":\"null\",\"name\":\"score\",\"inputs\":[]},"
                          "{\"op\":\"null\",\"name\":\"delta\",\"inputs\":[]},{\"op\":\"null\",\"name\":\"im\",\"inputs\":[]},"
                          "{\"op\":\"_contrib_Proposal\",\"name\":\"rois\",\"inputs\":[[0,0,0],[1,0,0],[2,0,0]],"
                          "\"attrs\":{\"ratios\":\"(1,)\",\"scales\":\"(1");
        for (int i = 1; i < n; i++) {
            at += snprintf(nodes + at, sizeof nodes - (size_t)at, ",1");
        }
        snprintf(nodes + at, sizeof nodes - (size_t)at, ")\"}}");
        mx2onnx_model *m = made(nodes, "[3,0,0]");
        assert_int_equal(mx2onnx_set_input_shape(m, "score", 4, (const int64_t[]){1, 2 * n, 1, 1}, NULL), MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_input_shape(m, "delta", 4, (const int64_t[]){1, 4 * n, 1, 1}, NULL), MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_input_shape(m, "im", 2, (const int64_t[]){1, 3}, NULL), MX2ONNX_OK);
        assert_int_equal(exported(m, &size), n == 1024 ? MX2ONNX_OK : MX2ONNX_STATUS_SHAPE);
        assert_true(n == 1024 || strstr(mx2onnx_error(m), "scales"));
        mx2onnx_model_free(m);
    }
}

static void too_much_memory_is_refused(void **state)
{
    size_t size = 0;
    mx2onnx_model *m =
        made("{\"op\":\"_arange\",\"name\":\"range\",\"attrs\":{\"start\":\"0\",\"stop\":\"4096\"},\"inputs\":[]}", "[0,0,0]");
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_MEMORY_LIMIT, 0), MX2ONNX_OK);
    assert_int_equal(exported(m, &size), MX2ONNX_STATUS_TOO_LARGE);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_MEMORY_LIMIT, 1 << 20), MX2ONNX_OK);
    assert_int_equal(exported(m, &size), MX2ONNX_OK);
    mx2onnx_model_free(m);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_conversion_can_be_cancelled_at_every_call),
        cmocka_unit_test(limits_are_read_and_set),
        cmocka_unit_test(a_large_output_is_refused),
        cmocka_unit_test(a_matrix_of_a_transform_takes_no_memory),
        cmocka_unit_test(too_many_nodes_are_refused),
        cmocka_unit_test(a_proposal_has_at_most_1024_scales),
        cmocka_unit_test(a_query_that_failed_is_not_repeated),
        cmocka_unit_test(too_much_memory_is_refused),
    };
    if (argc < 2) {
        return 2;
    }
    sample = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
