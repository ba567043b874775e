/* New models, and assertions that show what a call that must not fail says. After cmocka.h. Only the public header. */
#ifndef TESTS_MODELS_H
#define TESTS_MODELS_H

#include <mx2onnx.h>
#include <string.h>

#define assert_fine(m, call)                                                                                                               \
    do {                                                                                                                                   \
        const mx2onnx_status status_ = (call);                                                                                             \
        if (status_ != MX2ONNX_OK) {                                                                                                       \
            fail_msg("%s: %d %s", #call, status_, mx2onnx_error(m));                                                                       \
        }                                                                                                                                  \
    } while (0)
#define assert_fails(m, call, wanted, text)                                                                                                \
    do {                                                                                                                                   \
        assert_int_equal((call), (wanted));                                                                                                \
        if (!strstr(mx2onnx_error(m), (text))) {                                                                                           \
            fail_msg("%s: %s", #call, mx2onnx_error(m));                                                                                   \
        }                                                                                                                                  \
    } while (0)

static inline mx2onnx_model *fresh(void)
{
    mx2onnx_model *m = NULL;
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    return m;
}

#endif
