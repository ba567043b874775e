/* Counts the work between two calls of the progress function, for pace.py: it is linked with the program and with the library as one
 * file, compiled with -fsanitize-coverage=trace-pc, which calls the first function below on each edge of the control flow. A model has the
 * progress function of this file instead of the program's, and before it is freed everything is asked of it that the header has.
 *
 * The environment: PACE_OUT names the file that gets the largest number of edges, PACE_LIMIT a number at which the stack is written to it. */
#include <execinfo.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/given.h"
#include "mx2onnx.h"

enum { FRAMES = 24, BYTES_AN_EDGE = 16 };

static uint64_t edges, most, all, limit = UINT64_MAX;
static FILE *written;

/* Where the work is when it passes the limit. */
static void passed(void)
{
    void *frames[FRAMES];
    const int n = backtrace(frames, FRAMES);
    fputs("passed\n", written);
    fflush(written);
    backtrace_symbols_fd(frames, n, fileno(written));
}

void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
    if (++edges == limit) {
        passed();
    }
}

/* Bytes that a function of the C library reads or writes count as work of the library. */
static void count(size_t bytes)
{
    const bool below = edges < limit;
    edges += bytes / BYTES_AN_EDGE;
    if (below && edges >= limit) {
        passed();
    }
}

void *__real_memcpy(void *to, const void *from, size_t n);
void *__real_memmove(void *to, const void *from, size_t n);
void *__real_memset(void *to, int c, size_t n);
int __real_memcmp(const void *a, const void *b, size_t n);
size_t __real_strlen(const char *s);
void *__real_calloc(size_t n, size_t size);
void *__wrap_memcpy(void *to, const void *from, size_t n);
void *__wrap_memmove(void *to, const void *from, size_t n);
void *__wrap_memset(void *to, int c, size_t n);
int __wrap_memcmp(const void *a, const void *b, size_t n);
size_t __wrap_strlen(const char *s);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_memcpy(void *to, const void *from, size_t n)
{
    count(n);
    return __real_memcpy(to, from, n);
}

void *__wrap_memmove(void *to, const void *from, size_t n)
{
    count(n);
    return __real_memmove(to, from, n);
}

void *__wrap_memset(void *to, int c, size_t n)
{
    count(n);
    return __real_memset(to, c, n);
}

int __wrap_memcmp(const void *a, const void *b, size_t n)
{
    count(n);
    return __real_memcmp(a, b, n);
}

size_t __wrap_strlen(const char *s)
{
    const size_t n = __real_strlen(s);
    count(n);
    return n;
}

void *__wrap_calloc(size_t n, size_t size)
{
    count(n * size);
    return __real_calloc(n, size);
}

/* The end of a stretch of work: the caller has a chance to stop it, or the call returned. */
static void rest(void)
{
    all += edges;
    most = edges > most ? edges : most;
    edges = 0;
}

static int32_t asked(const mx2onnx_progress *progress, void *user)
{
    rest();
    return 0;
}

/* The program is compiled with -finstrument-functions: each of its functions makes few calls of the library before the next. */
void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

void __cyg_profile_func_enter(void *function, void *caller)
{
    rest();
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    rest();
}

/* ---- the program's calls */

mx2onnx_status __real_mx2onnx_model_new(mx2onnx_model **out);
mx2onnx_status __wrap_mx2onnx_model_new(mx2onnx_model **out);
mx2onnx_status __real_mx2onnx_set_progress(mx2onnx_model *m, mx2onnx_progress_fn fn, void *user, mx2onnx_release_fn release);
mx2onnx_status __wrap_mx2onnx_set_progress(mx2onnx_model *m, mx2onnx_progress_fn fn, void *user, mx2onnx_release_fn release);
void __real_mx2onnx_model_free(mx2onnx_model *m);
void __wrap_mx2onnx_model_free(mx2onnx_model *m);

mx2onnx_status __wrap_mx2onnx_model_new(mx2onnx_model **out)
{
    if (!written) {
        const char *path = getenv("PACE_OUT"), *edges_text = getenv("PACE_LIMIT");
        written = path ? fopen(path, "w") : NULL;
        limit = written && edges_text ? strtoull(edges_text, NULL, 10) : UINT64_MAX;
    }
    const mx2onnx_status status = __real_mx2onnx_model_new(out);
    return status == MX2ONNX_OK ? __real_mx2onnx_set_progress(*out, asked, NULL, NULL) : status;
}

mx2onnx_status __wrap_mx2onnx_set_progress(mx2onnx_model *m, mx2onnx_progress_fn fn, void *user, mx2onnx_release_fn release)
{
    return MX2ONNX_OK;
}

/* A call that returned is a pause too. */
#define DO(call) ((void)(call), rest())

enum { MANY = 100000 };

/* Of the elements of a list the first, the last and a few between: each is a call. */
#define SOME(i, n) for (size_t i = 0, end_ = (n), step_ = end_ / 64 + 1; i < end_; i += step_)

static void look(mx2onnx_model *m)
{
    static char buffer[MANY];
    const char *text = NULL;
    DO(mx2onnx_report_json(m, &text));
    DO(mx2onnx_graph_text(m, MX2ONNX_GRAPH_MXNET, &text));
    DO(mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text));
    DO(mx2onnx_graph_json(m, MX2ONNX_GRAPH_MXNET, &text));
    DO(mx2onnx_graph_json(m, MX2ONNX_GRAPH_ONNX, &text));
    DO(mx2onnx_report_json(m, &text));
    DO(mx2onnx_net_title(m));
    DO(mx2onnx_error(m));
    SOME(i, mx2onnx_input_count(m))
    {
        DO(mx2onnx_input_name(m, i));
        DO(mx2onnx_input_dtype(m, i));
        DO(mx2onnx_input_rank(m, i));
        DO(mx2onnx_input_dim(m, i, 0));
        DO(mx2onnx_input_dim_name(m, i, 0));
    }
    SOME(i, mx2onnx_output_count(m))
    {
        DO(mx2onnx_output_name(m, i));
        DO(mx2onnx_output_dtype(m, i));
        DO(mx2onnx_output_rank(m, i));
        DO(mx2onnx_output_dim(m, i, 0));
        DO(mx2onnx_output_dim_name(m, i, 0));
    }
    SOME(i, mx2onnx_variable_count(m))
    {
        DO(mx2onnx_variable_name(m, i));
        DO(mx2onnx_variable_kind(m, i));
    }
    SOME(i, mx2onnx_param_count(m))
    {
        DO(mx2onnx_param_name(m, i));
        DO(mx2onnx_param_used(m, i));
        if (mx2onnx_param_size(m, i) <= MANY) {
            DO(mx2onnx_param_read(m, i, 0, buffer, (size_t)mx2onnx_param_size(m, i)));
        }
    }
    SOME(i, mx2onnx_operator_count(m))
    {
        DO(mx2onnx_operator_name(m, i));
        DO(mx2onnx_operator_node_count(m, i));
        DO(mx2onnx_operator_supported(m, i));
    }
    SOME(i, mx2onnx_diagnostic_count(m))
    {
        mx2onnx_diagnostic d = {.struct_size = sizeof d};
        DO(mx2onnx_diagnostic_get(m, i, &d));
    }
    rest();
}

/* The setters, with the last input and output, and names that the model lacks; what they change is looked at after each. */
static void choose(mx2onnx_model *m)
{
    char in[1000] = "", out[1000] = "";
    const size_t inputs = mx2onnx_input_count(m), outputs = mx2onnx_output_count(m);
    const char *name = inputs ? mx2onnx_input_name(m, inputs - 1) : NULL;
    snprintf(in, sizeof in, "%s", name ? name : "");
    name = outputs ? mx2onnx_output_name(m, outputs - 1) : NULL;
    snprintf(out, sizeof out, "%s", name ? name : "");
    const int32_t rank = inputs ? mx2onnx_input_rank(m, inputs - 1) : -1;
    rest();
    const int64_t dims[] = {2, 3};
    static const float data[6];
    static const double mean[] = {1, 2, 3};
    if (rank > 0) {
        DO(mx2onnx_set_input_dim_name(m, in, 0, "batch"));
        DO(mx2onnx_input_count(m));
    }
    DO(mx2onnx_set_input_dtype(m, in, MX2ONNX_DTYPE_FLOAT32));
    DO(mx2onnx_set_input_mean(m, in, 3, mean));
    DO(mx2onnx_set_input_scale(m, in, 3, mean));
    DO(mx2onnx_input_count(m));
    DO(mx2onnx_rename(m, in, "renamed"));
    DO(mx2onnx_rename(m, out, "renamed too"));
    DO(mx2onnx_rename(m, "missing", "has this name"));
    DO(mx2onnx_output_count(m));
    DO(mx2onnx_set_input_shape(m, in, 2, dims, NULL));
    DO(mx2onnx_input_count(m));
    DO(given_param(m, "missing", given_array(MX2ONNX_DTYPE_FLOAT32, 2, dims, data, sizeof data), NULL, NULL));
    DO(given_param(m, in, given_array(MX2ONNX_DTYPE_FLOAT32, 2, dims, data, sizeof data), NULL, NULL));
    DO(mx2onnx_input_count(m));
    DO(mx2onnx_set_text(m, MX2ONNX_TEXT_PARAM_PREFIX, "prefix_"));
    DO(mx2onnx_variable_count(m));
    DO(mx2onnx_set_node_precision(m, "missing", MX2ONNX_PRECISION_FLOAT32));
    DO(mx2onnx_set_node_precision(m, "Convolution", MX2ONNX_PRECISION_FLOAT32));
    DO(mx2onnx_set_option(m, MX2ONNX_OPTION_FLOAT16, MX2ONNX_FLOAT16_ALL));
    DO(mx2onnx_output_count(m));
    DO(mx2onnx_add_output(m, "nobody_output"));
    DO(mx2onnx_add_output(m, out));
    DO(mx2onnx_output_count(m));
    DO(mx2onnx_identify_net(m));
}

void __wrap_mx2onnx_model_free(mx2onnx_model *m)
{
    rest();
    look(m);
    choose(m);
    if (written) {
        fprintf(written, "%" PRIu64 " edges at most of %" PRIu64 "\n", most, all);
        fflush(written);
    }
    __real_mx2onnx_model_free(m);
}
