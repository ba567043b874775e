/* Framework of exported functions that return a status: an error belongs to the call that returned it, and during a callback the model
 * refuses every other call.
 *
 *     mx2onnx_status mx2onnx_set_option(mx2onnx_model *m, mx2onnx_option option, int64_t value)
 *     {
 *         ENTER(m);
 *         CHECK(is_option(option), "the option %d is unknown", option);
 *         return mx_call_end(m, set_option(m, option, value));
 *     }
 *
 * After ENTER every return ends the call; work of several steps is another function.
 */
#ifndef MX_API_H
#define MX_API_H

#include <stddef.h>

#include "model/model.h"

/* False if the model is NULL or busy; then the call is refused. Otherwise the errors of the previous call are cleared. */
bool mx_call_begin(mx2onnx_model *m, const char *function) MX_MUST_USE;
/* Returns `status`. A failure without a message gets one here. */
int mx_call_end(mx2onnx_model *m, int status);
/* An error that names the function. */
int mx_call_invalid(mx2onnx_model *m, const char *format, ...) MX_PRINTF(2, 3);

#define ENTER(m)                                                                                                                           \
    do {                                                                                                                                   \
        if (!mx_call_begin(m, __func__)) {                                                                                                 \
            return MX_INVALID_ARGUMENT;                                                                                                    \
        }                                                                                                                                  \
    } while (0)

#define CHECK(condition, ...)                                                                                                              \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            return mx_call_end(m, mx_call_invalid(m, __VA_ARGS__));                                                                        \
        }                                                                                                                                  \
    } while (0)

/* True if functions that look at a model may do so now. */
static inline bool mx_call_looks(const mx2onnx_model *m)
{
    return m && !m->busy;
}
/* A query with real work, which may call the progress function: the model is busy meanwhile. The body, a bool, is not evaluated if the
 * model may not be looked at; then the answer is false. */
#define LOOK(m, body) (mx_look_begin(m) && mx_look_end((m), (body)))
bool mx_look_begin(mx2onnx_model *m) MX_MUST_USE;
bool mx_look_end(mx2onnx_model *m, bool seen);

/* True if there is a graph to look at. */
bool mx_call_peek(mx2onnx_model *m);

/* The bytes up to the end of a member. */
#define MEMBER_END(type, member) (offsetof(type, member) + sizeof((type){0}.member))
/* Copies the members that are given of a structure of any version of the header to this version's, which has defaults for the others.
 * Its struct_size, the first member, is that of what was copied; NULL changes nothing. */
void mx_call_struct(void *to, const void *given, const size_t *ends, size_t n);

/* The message about a structure whose struct_size is not set. */
#define NO_SIZE(type) "struct_size of " #type " is too small: it must be sizeof(" #type ")"

/* An array of any version of the header. */
mx2onnx_array mx_call_array(const mx2onnx_array *given);

/* A size of a shape; -1 where it is not known, or there is no such axis. */
int64_t mx_call_dim(struct mx_dims *dims, struct mx_shape shape, size_t axis);
/* True if it is a shape whose dims are all at least `least`. */
bool mx_call_valid_dims(int32_t rank, const int64_t *dims, int64_t least);

#endif
