/* Models in several threads are independent: the same bytes as one after the other. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
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
        w->status = mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){1, 1, 8, 8}, NULL);
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
        w->differences += again.status != MX2ONNX_OK || again.size != w->size || memcmp(again.data, w->data, w->size) != 0;
        mx2onnx_memory_free(again.data);
    }
    return NULL;
}

static const char *sample;

static void *cancel(void *user)
{
    mx2onnx_cancel(user);
    return NULL;
}

static mx2onnx_model *running;

static void cancel_running(int number)
{
    mx2onnx_cancel(running);
}

/* In the middle of a call, and at no other time: a thread that has ended when this returns, or a signal. */
static int32_t interrupt(const mx2onnx_progress *p, void *user)
{
    pthread_t thread;
    if (user && raise(SIGINT) != 0) {
        return 0;
    }
    if (!user && pthread_create(&thread, NULL, cancel, running) == 0) {
        pthread_join(thread, NULL);
    }
    return 0;
}

static void another_thread_can_cancel_and_so_can_a_signal(void **state)
{
    void *data = NULL;
    size_t size = 0;
    signal(SIGINT, cancel_running);
    for (int by_signal = 0; by_signal < 2; by_signal++) {
        assert_int_equal(mx2onnx_model_new(&running), MX2ONNX_OK);
        assert_int_equal(mx2onnx_load(running, sample), MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_input_shape(running, "data", 4, (const int64_t[]){1, 1, 8, 8}, NULL), MX2ONNX_OK);
        assert_int_equal(mx2onnx_set_progress(running, interrupt, by_signal ? &running : NULL, NULL), MX2ONNX_OK);
        assert_int_equal(mx2onnx_export_memory(running, &data, &size), MX2ONNX_STATUS_CANCELLED);
        assert_int_equal(mx2onnx_set_progress(running, NULL, NULL, NULL), MX2ONNX_OK);
        assert_int_equal(mx2onnx_export_memory(running, &data, &size), MX2ONNX_OK);
        mx2onnx_memory_free(data);
        mx2onnx_model_free(running);
    }
}

static void models_do_not_share_state_between_threads(void **state)
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(models_do_not_share_state_between_threads),
                                       cmocka_unit_test(another_thread_can_cancel_and_so_can_a_signal)};
    if (argc < 2) {
        return 2;
    }
    sample = argv[1];
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
