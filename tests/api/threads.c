/* Models in several threads are independent: the same bytes as one after the other. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mx2onnx.h"

enum { THREADS = 2, ROUNDS = 20 };
static const int32_t opsets[THREADS] = {13, 21};

struct work {
    const char *sample;
    int32_t opset;
    int32_t status;
    void *data;
    size_t size;
    int differences; /* between the rounds */
};

static void convert(struct work *w)
{
    mx2onnx_model *m = NULL;
    w->status = mx2onnx_model_new(&m);
    if (w->status == MX2ONNX_OK) {
        w->status = mx2onnx_load(m, w->sample);
    }
    if (w->status == MX2ONNX_OK) {
        w->status = mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){1, 1, 8, 8});
    }
    if (w->status == MX2ONNX_OK) {
        w->status = mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, w->opset);
    }
    if (w->status == MX2ONNX_OK) {
        w->status = mx2onnx_export_memory(m, &w->data, &w->size);
    }
    mx2onnx_model_free(m);
}

static void *run(void *user)
{
    struct work *w = user;
    convert(w);
    for (int i = 1; i < ROUNDS && w->status == MX2ONNX_OK; i++) {
        struct work again = {.sample = w->sample, .opset = w->opset};
        convert(&again);
        w->differences += again.status != MX2ONNX_OK || again.size != w->size
                          || memcmp(again.data, w->data, w->size) != 0;
        mx2onnx_memory_free(again.data);
    }
    return NULL;
}

static const char *sample;

static void two_models_in_two_threads(void **state)
{
    struct work alone[THREADS], together[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        alone[i] = together[i] = (struct work){.sample = sample, .opset = opsets[i]};
        convert(&alone[i]);
        assert_int_equal(alone[i].status, MX2ONNX_OK);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, run, &together[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(together[i].status, MX2ONNX_OK);
        assert_int_equal(together[i].differences, 0);
        assert_int_equal(together[i].size, alone[i].size);
        assert_memory_equal(together[i].data, alone[i].data, alone[i].size);
        mx2onnx_memory_free(together[i].data);
        mx2onnx_memory_free(alone[i].data);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_models_in_two_threads)};
    if (argc < 2) {
        return 2;
    }
    sample = argv[1];
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
