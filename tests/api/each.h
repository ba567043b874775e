/* Calls each function of the header in each state of a model; tests/api/each.py writes who calls this. */
#ifndef TESTS_EACH_H
#define TESTS_EACH_H

#include <mx2onnx.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a call gets, and what came of it. */
struct context {
    mx2onnx_model *m;
    mx2onnx_node *n;
    char room[64];
    int64_t dims[4];
    double numbers[4];
    const char *names[4];
    mx2onnx_array array;
    mx2onnx_handler handler;
    mx2onnx_onnx_node node;
    mx2onnx_diagnostic diagnostic;
    /* outputs */
    const char *text;
    void *data;
    size_t size;
    int32_t rank;
    mx2onnx_value values[4];
    mx2onnx_status status;
    bool is_default; /* the result of a function without a status is that of nothing */
};

struct how {
    unsigned nulls; /* a bit for each argument that is NULL */
    bool past;      /* indices are past the end */
    bool strange;   /* enumerators are none */
};

struct function {
    const char *name;
    void (*call)(struct context *c, const struct how *how);
    enum { OF_NONE, OF_MODEL, OF_NODE } of;
    unsigned pointers, release; /* a bit for each argument that is a pointer, and for that of a release function */
    bool has_status, is_void, has_index, has_user;
};

/* ---- functions of the caller */

static int released;

static inline void count(void *user)
{
    (void)user; /* which may be NULL */
    released++;
}

static inline int32_t zeros(uint64_t offset, void *buffer, size_t size, void *user)
{
    (void)offset, (void)user;
    memset(buffer, 0, size);
    return 0;
}

static inline int32_t take(const void *data, size_t size, void *user)
{
    (void)data, (void)size, (void)user;
    return 0;
}

static inline void hear(const mx2onnx_log_entry *entry, void *user)
{
    (void)entry, (void)user;
}

static inline int32_t go_on(const mx2onnx_progress *progress, void *user)
{
    (void)progress, (void)user;
    return 0;
}

static inline mx2onnx_status like(mx2onnx_node *n, void *user)
{
    (void)user;
    return mx2onnx_node_set_output_like(n, 0, 0);
}

static inline mx2onnx_status pass_on(mx2onnx_node *n, void *user)
{
    (void)user;
    return mx2onnx_node_set_result(n, 0, mx2onnx_node_input_value(n, 0));
}

/* ---- one call */

static inline void fill(struct context *c)
{
    static const int64_t dims[4] = {1, 1, 8, 8};
    memset(c->room, 'x', sizeof c->room);
    memcpy(c->dims, dims, sizeof dims);
    c->numbers[0] = 1;
    c->array = (mx2onnx_array){
        .struct_size = sizeof c->array, .dtype = MX2ONNX_DTYPE_FLOAT32, .rank = 1, .dims = dims, .data = c->room, .size = sizeof(float)};
    c->handler = (mx2onnx_handler){.struct_size = sizeof c->handler, .output_count = 1, .infer = like, .lower = pass_on};
    c->node = (mx2onnx_onnx_node){
        .struct_size = sizeof c->node, .op_type = "Relu", .domain = "", .attributes = "{}", .input_count = 0, .output_count = 1};
    c->diagnostic.struct_size = sizeof c->diagnostic;
    c->text = "untouched";
    c->data = c;
    c->size = 4711;
    c->rank = 4711;
    for (int i = 0; i < 4; i++) {
        c->values[i] = 4711;
    }
}

static inline bool outputs_are_untouched(const struct context *c)
{
    bool same = strcmp(c->text, "untouched") == 0 && c->data == c && c->size == 4711 && c->values[0] == 4711;
    for (size_t i = 0; i < sizeof c->room; i++) {
        same = same && c->room[i] == 'x';
    }
    return same;
}

static int failures;

static inline void expect(bool good, const struct function *f, const struct how *how, const char *state, const char *what)
{
    if (!good) {
        failures++;
        printf("not ok %s, %s, nulls 0x%x%s%s: %s\n", f->name, state, how->nulls, how->past ? ", past the end" : "",
               how->strange ? ", strange" : "", what);
    }
}

static inline bool begins(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* The functions that the header excepts from what it says of a model in use. */
static inline bool works_always(const struct function *f)
{
    static const char *const always[] = {"mx2onnx_get_option", "mx2onnx_get_text",         "mx2onnx_get_node_precision",
                                         "mx2onnx_written_",   "mx2onnx_diagnostic_count", "mx2onnx_diagnostic_get",
                                         "mx2onnx_error"};
    bool found = false;
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
        found = found || begins(f->name, always[i]);
    }
    return found;
}

/* Calls a function, and compares with what is promised of all. */
static inline void call(struct context *c, const struct function *f, const struct how *how, const char *state, bool busy)
{
    const bool no_handle = f->of != OF_NONE && (how->nulls & 1);
    const bool leaves_errors = strcmp(f->name, "mx2onnx_diagnostic_get") == 0 || strcmp(f->name, "mx2onnx_report_json") == 0;
    fill(c);
    f->call(c, how);
    if (f->has_status) {
        expect(c->status <= MX2ONNX_OK && c->status > MX2ONNX_STATUS_INTERNAL, f, how, state, "is another status");
        expect(!no_handle || c->status == MX2ONNX_STATUS_INVALID_ARGUMENT, f, how, state, "works without a model");
        expect(c->status == MX2ONNX_OK || outputs_are_untouched(c), f, how, state, "changes its outputs on an error");
        if (f->of == OF_MODEL && !no_handle && !leaves_errors) {
            expect((c->status == MX2ONNX_OK) == (mx2onnx_error(c->m)[0] == 0), f, how, state, "its error is not that of its status");
        }
    } else if (!f->is_void && strcmp(f->name, "mx2onnx_error") != 0) {
        expect(!no_handle || c->is_default, f, how, state, "returns something without a handle");
        expect(!(how->past && f->has_index) || c->is_default, f, how, state, "returns something past the end");
    }
    if (busy && f->of == OF_MODEL && !works_always(f)) {
        expect(f->has_status ? c->status == MX2ONNX_STATUS_INVALID_ARGUMENT : f->is_void || c->is_default, f, how, state,
               "works while the model is in use");
    }
    if (f->has_status && c->status == MX2ONNX_OK && c->data != c) {
        mx2onnx_memory_free(c->data);
    }
}

/* The ways of calling a function: all arguments good, each pointer NULL, all of them, past the end, no enumerator. */
static inline bool way(const struct function *f, int k, struct how *how)
{
    enum { POINTERS = 8 };
    *how = (struct how){.past = k == POINTERS + 1, .strange = k == POINTERS + 2};
    if (k < POINTERS) {
        how->nulls = f->pointers & (1u << k);
        return how->nulls != 0;
    }
    how->nulls = k == POINTERS + 3 ? f->pointers : 0;
    return k <= POINTERS + 4;
}
enum { WAYS = 13 };

/* ---- the states of a model */

static const char *sample;

/* Its only node has a handler. */
static const char own[] =
    "{\"nodes\":[{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]},{\"op\":\"own\",\"name\":\"own\","
    "\"attrs\":{\"data\":\"1\"},\"inputs\":[[0,0,0]]}],\"heads\":[[1,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";

static inline bool fine(mx2onnx_model *m, mx2onnx_status status)
{
    if (status != MX2ONNX_OK) {
        failures++;
        printf("not ok the state of a model: %s\n", mx2onnx_error(m));
    }
    return status == MX2ONNX_OK;
}

struct inside {
    struct context *c;
    const struct function *f;
    const struct how *how;
    const char *state;
    int calls;
};

static inline void once(struct inside *in, mx2onnx_node *n, bool busy)
{
    if (in->calls++ == 0) {
        in->c->n = n;
        call(in->c, in->f, in->how, in->state, busy);
        in->c->n = NULL;
    }
}

static inline int32_t call_in_progress(const mx2onnx_progress *progress, void *user)
{
    (void)progress;
    once(user, NULL, true);
    return 0;
}

static inline mx2onnx_status call_in_infer(mx2onnx_node *n, void *user)
{
    once(user, n, true);
    return mx2onnx_node_set_output_like(n, 0, 0);
}

static inline mx2onnx_status call_in_lower(mx2onnx_node *n, void *user)
{
    once(user, n, true);
    return mx2onnx_node_set_result(n, 0, mx2onnx_node_input_value(n, 0));
}

static inline size_t call_in_count(mx2onnx_node *n, void *user)
{
    once(user, n, true);
    return 1;
}

enum state { EMPTY, LOADED, INFERRED, IN_PROGRESS, IN_COUNT, IN_INFER, IN_LOWER, STATES };
static const char *const state_names[STATES] = {"an empty model",   "a loaded model", "an inferred model", "in progress",
                                                "in count_outputs", "in infer",       "in lower"};

static inline bool export_with(mx2onnx_model *m, struct inside *in)
{
    const bool cancels = strcmp(in->f->name, "mx2onnx_cancel") == 0 && in->how->nulls == 0;
    const mx2onnx_status wanted = cancels ? MX2ONNX_STATUS_CANCELLED : MX2ONNX_OK;
    return fine(m, mx2onnx_set_progress(m, call_in_progress, in, NULL))
           && fine(m, mx2onnx_export_callback(m, take, NULL, NULL) == wanted ? MX2ONNX_OK : MX2ONNX_STATUS_INTERNAL);
}

static inline bool make(struct inside *in, enum state state)
{
    mx2onnx_model *m = in->c->m;
    const int64_t dims[] = {1, 1, 8, 8};
    const char *text;
    mx2onnx_handler h = {.struct_size = sizeof h, .output_count = 1, .infer = like, .lower = pass_on};
    in->state = state_names[state];
    if (state == EMPTY) {
        return true;
    }
    if (state < IN_COUNT) {
        return fine(m, mx2onnx_load(m, sample)) && fine(m, mx2onnx_set_input_shape(m, "data", 4, dims, NULL))
               && (state < INFERRED || fine(m, mx2onnx_infer(m))) && (state < IN_PROGRESS || export_with(m, in));
    }
    h.infer = state == IN_INFER ? call_in_infer : like;
    h.lower = state == IN_LOWER ? call_in_lower : pass_on;
    h.count_outputs = state == IN_COUNT ? call_in_count : NULL;
    if (fine(m, mx2onnx_set_custom_operator(m, "own", &h, in, NULL)) && fine(m, mx2onnx_load_symbol_memory(m, own, sizeof own - 1))
        && fine(m, mx2onnx_set_input_shape(m, "data", 4, dims, NULL))) {
        (void)!mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text); /* misuse of the node fails */
        return true;
    }
    return false;
}

static inline void call_in_state(const struct function *f, const struct how *how, enum state state)
{
    struct context c = {0};
    struct inside in = {&c, f, how, NULL, 0};
    released = 0;
    if (!fine(NULL, mx2onnx_model_new(&c.m))) {
        return;
    }
    if (make(&in, state) && in.calls == 0) {
        expect(state < IN_PROGRESS, f, how, in.state, "is not called");
        call(&c, f, how, in.state, false);
    }
    (void)!mx2onnx_infer(c.m);
    mx2onnx_model_free(c.m);
    const bool has_release = f->has_user && !(how->nulls & f->release);
    expect(released == (has_release ? 1 : 0), f, how, in.state, "does not release its `user` once");
}

static inline int try_each(const char *path, const struct function *functions, size_t n)
{
    int calls = 0;
    sample = path;
    for (size_t i = 0; i < n; i++) {
        for (int state = 0; state < STATES; state++) {
            for (int k = 0; k < WAYS; k++) {
                struct how how;
                const bool of_node = functions[i].of == OF_NODE;
                if (way(&functions[i], k, &how) && (!of_node || state >= IN_COUNT || (how.nulls & 1))) {
                    call_in_state(&functions[i], &how, state);
                    calls++;
                }
            }
        }
    }
    printf("%d calls of %zu functions, %d failures\n", calls, n, failures);
    return failures > 0;
}

/* ---- allocations */

#ifdef EACH_ALLOCATION
#include "alloc_fail.h"

static inline int32_t sum(const void *data, size_t size, void *user)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        *(uint32_t *)user = *(uint32_t *)user * 31 + bytes[i];
    }
    return 0;
}

/* What the model is: its export. */
static inline uint32_t contents(mx2onnx_model *m)
{
    uint32_t hash = 0;
    const mx2onnx_status status = mx2onnx_export_callback(m, sum, &hash, NULL);
    return status == MX2ONNX_OK ? hash : (uint32_t)status;
}

/* A call that runs out of memory says so, leaks nothing and leaves the model as it was. False once no allocation is left to fail. */
static inline bool call_without_memory(const struct function *f, enum state state, size_t n)
{
    const struct how how = {0};
    const size_t live = alloc_fail_live();
    struct context c = {0};
    struct inside in = {&c, f, &how, NULL, 0};
    released = 0;
    if (!fine(NULL, mx2onnx_model_new(&c.m)) || !make(&in, state)) {
        return false;
    }
    const uint32_t before = state == EMPTY ? 0 : contents(c.m);
    alloc_fail_at(n, false);
    call(&c, f, &how, in.state, false);
    const bool failed = alloc_fail_happened();
    alloc_fail_at(0, false);
    if (failed && f->has_status && c.status != MX2ONNX_OK) {
        expect(state == EMPTY || contents(c.m) == before, f, &how, in.state, "changes the model though memory ran out");
    }
    mx2onnx_model_free(c.m);
    expect(released == (f->has_user ? 1 : 0), f, &how, in.state, "does not release its `user` once when memory runs out");
    expect(alloc_fail_live() == live, f, &how, in.state, "leaks when memory runs out");
    return failed;
}

static inline int try_allocations(const char *path, const struct function *functions, size_t n)
{
    int calls = 0;
    sample = path;
    for (size_t i = 0; i < n; i++) {
        for (int state = EMPTY; state <= INFERRED; state++) {
            size_t k = 1;
            while (functions[i].of == OF_MODEL && call_without_memory(&functions[i], state, k)) {
                k += 1 + k / 8; /* the first ones each, then fewer */
                calls++;
            }
        }
    }
    printf("%d calls of %zu functions without memory, %d failures\n", calls, n, failures);
    return failures > 0;
}
#endif

#endif
