/* Calls of the header in any order, by a caller who has not read it: every function, with NULL, with sizes at their edges, with names
 * and files that do not exist, again from inside of callbacks, and with what belongs to an earlier step. The calls are made of
 * bindings/api.json by calls.py. A status must be one of the header's, an error must have a text, a busy model refuses, and each
 * `user` is released once: it is memory, so the sanitizers count. */
#include <stdio.h>
#include <string.h>

#include "../support/given.h"
#include "model.h"

enum { MOST_CALLS = 100, DEEPEST = 2, DIMS = 40, DOUBLES = 8 };

struct world {
    mx2onnx_model *m;
    struct fuzz_bytes bytes;
    unsigned calls; /* made so far */
    int busy;       /* callbacks that are under way */
};

static struct world *here; /* for callbacks: their `user` is there to be released */

static void call_any(struct world *w);

static const char symbol[] =
    "{\"nodes\":[{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]},{\"op\":\"null\",\"name\":\"w\",\"inputs\":[]},"
    "{\"op\":\"FullyConnected\",\"name\":\"fc\",\"attrs\":{\"num_hidden\":\"2\",\"no_bias\":\"True\"},\"inputs\":[[0,0,0],[1,0,0]]},"
    "{\"op\":\"mine\",\"name\":\"own\",\"inputs\":[[2,0,0]]},{\"op\":\"relu\",\"name\":\"r\",\"inputs\":[[2,0,0]]}],"
    "\"heads\":[[4,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";

/* An NDArray list: "w", float32 of (2, 3). */
static const uint8_t params[] = {
    0x12, 1,    0,    0,    0, 0, 0,   0,  0, 0, 0,   0,  0, 0, 0,   0,  1,  0, 0,   0,  0, 0, 0,   0,              /* one array */
    0xc9, 0xfa, 0x93, 0xf9, 0, 0, 0,   0,  2, 0, 0,   0,  2, 0, 0,   0,  0,  0, 0,   0,  3, 0, 0,   0,  0, 0, 0, 0, /* V2, dense */
    1,    0,    0,    0,    0, 0, 0,   0,  0, 0, 0,   0,                                                            /* cpu(0), float32 */
    0,    0,    128,  63,   0, 0, 128, 63, 0, 0, 128, 63, 0, 0, 128, 63, 0,  0, 128, 63, 0, 0, 128, 63,             /* ones */
    1,    0,    0,    0,    0, 0, 0,   0,  1, 0, 0,   0,  0, 0, 0,   0,  'w'};

/* ---- arguments */

static const char *draw_text(struct fuzz_bytes *b)
{
    static const char *const texts[] = {"data",  "w",       "fc",       "fc_output",   "mine",    "r_output", "relu",
                                        "batch", "mxnet",   "opencv4",  "resnet50_v1", "float32", "arg:w",    "",
                                        " ",     "no such", "\xff\xfe", "\x1b[2J",     "a\nb",    "../x",     "{}"};
    const unsigned byte = fuzz_byte(b);
    return byte % 16 == 15 ? NULL : texts[byte % (sizeof texts / sizeof *texts)];
}

static const char *draw_path(struct fuzz_bytes *b)
{
    static const char *const paths[] = {"", "/", "no/such/file", "/dev/null", "fuzz-calls.onnx", "fuzz-calls.onnx.data", "\xff"};
    const unsigned byte = fuzz_byte(b);
    return byte % 16 == 15 ? NULL : paths[byte % (sizeof paths / sizeof *paths)];
}

static size_t draw_index(struct fuzz_bytes *b)
{
    const unsigned byte = fuzz_byte(b);
    return byte < 240 ? byte % 4 : byte < 250 ? SIZE_MAX : (size_t)INT32_MAX + byte - 250;
}

static int32_t draw_rank(struct fuzz_bytes *b)
{
    const unsigned byte = fuzz_byte(b);
    return byte < 240 ? (int32_t)(byte % 5) : byte < 250 ? (int32_t)byte - 242 : byte < 253 ? INT32_MIN : DIMS;
}

/* One of a few, or none of them. */
static int32_t draw_choice(struct fuzz_bytes *b)
{
    const unsigned byte = fuzz_byte(b);
    return byte < 240 ? (int32_t)(byte % 24) : (int32_t)fuzz_size(b);
}

/* Of an option: small enough for a model that costs no more than a run may. */
static int64_t draw_amount(struct fuzz_bytes *b)
{
    return fuzz_byte(b) % 4 ? fuzz_byte(b) % 32 : fuzz_size(b) % (1 << 24);
}

static const int64_t *draw_dims(struct fuzz_bytes *b)
{
    static int64_t dims[DIMS];
    for (int i = 0; i < 4; i++) {
        dims[i] = fuzz_size(b);
    }
    return fuzz_byte(b) % 16 == 15 ? NULL : dims;
}

/* With a few names among them, or none. */
static const char *const *draw_names(struct fuzz_bytes *b)
{
    static const char *names[DIMS];
    static const char *const some[] = {NULL, "batch", "n", "", "14", " h", "\xff", "batch"};
    for (int i = 0; i < 4; i++) {
        names[i] = some[fuzz_below(b, 8)];
    }
    return fuzz_byte(b) % 4 == 3 ? NULL : names;
}

/* An array of this data. */
static const mx2onnx_array *draw_array(struct fuzz_bytes *b, const void *data, size_t size)
{
    static mx2onnx_array a;
    const unsigned byte = fuzz_byte(b);
    a = (mx2onnx_array){.struct_size = byte % 16 == 1 ? 12 : sizeof a, .data = data, .size = size};
    a.dtype = draw_choice(b);
    a.rank = draw_rank(b);
    a.dims = draw_dims(b);
    return byte % 16 == 7 ? NULL : &a;
}

static const double *draw_doubles(struct fuzz_bytes *b)
{
    static const double values[DOUBLES] = {1, 0.5, 0, -1, 1e308, -0.0, 1e-320, 255};
    return fuzz_byte(b) % 16 == 15 ? NULL : values;
}

/* Data with their size, and memory that a model may borrow. */
struct piece {
    const void *data;
    size_t size;
    void *user, *room;
    mx2onnx_release_fn release;
};

static struct piece draw_piece(struct fuzz_bytes *b, int borrowed)
{
    const unsigned byte = fuzz_byte(b), way = byte % 6;
    const size_t rest = b->left < 64 ? b->left : 64;
    struct piece p = {.data = way < 3 ? (const void *)symbol : params, .size = way < 3 ? sizeof symbol - 1 : sizeof params};
    if (way == 5) {
        p.data = b->at;
        p.size = rest;
    }
    if (byte > 240) {
        p.data = byte % 2 ? NULL : p.data;
        p.size = byte % 3 ? 0 : p.size;
    }
    p.room = calloc(1, p.size + 1);
    if (!p.room) {
        abort();
    }
    if (borrowed && byte % 4) {
        if (p.data) {
            memcpy(p.room, p.data, p.size);
            p.data = p.room;
        }
        p.user = p.room;
        p.release = free;
    } else if (borrowed && way == 5) {
        p.data = params; /* memory without a release function must live as long as the model */
        p.size = sizeof params;
    }
    return p;
}

static void end_piece(const struct piece *p, int borrowed)
{
    if (!borrowed || !p->release) {
        free(p->room);
    }
}

static uint64_t draw_length(struct fuzz_bytes *b)
{
    const unsigned byte = fuzz_byte(b);
    return byte % 3 == 0 ? sizeof params : byte % 3 == 1 ? sizeof symbol - 1 : (uint64_t)fuzz_size(b);
}

/* ---- places for results */

static const char *read_text(const char *text)
{
    fuzz_expect(!text || strlen(text) < SIZE_MAX);
    return text;
}

static const char **draw_text_place(struct fuzz_bytes *b)
{
    static const char *text;
    return fuzz_byte(b) % 16 == 15 ? NULL : &text;
}

static void *exported;

static void **draw_data_place(struct fuzz_bytes *b)
{
    return fuzz_byte(b) % 16 == 15 ? NULL : &exported;
}

static size_t *draw_size_place(struct fuzz_bytes *b)
{
    static size_t size;
    return fuzz_byte(b) % 16 == 15 ? NULL : &size;
}

static int32_t *draw_rank_place(struct fuzz_bytes *b)
{
    static int32_t rank;
    return fuzz_byte(b) % 16 == 15 ? NULL : &rank;
}

static mx2onnx_diagnostic *draw_diagnostic(struct fuzz_bytes *b)
{
    static mx2onnx_diagnostic d;
    const unsigned byte = fuzz_byte(b);
    d.struct_size = byte % 4 ? sizeof d : byte % 8 ? 8 : 0;
    return byte % 16 == 15 ? NULL : &d;
}

/* ---- callbacks, which call the model that calls them */

static unsigned callback(unsigned rarely)
{
    struct world *w = here;
    const unsigned byte = fuzz_byte(&w->bytes);
    if (byte % 4 == 1 && w->busy < DEEPEST) {
        w->busy++;
        call_any(w);
        w->busy--;
    }
    return byte % rarely == rarely - 1;
}

static void log_line(const mx2onnx_log_entry *entry, void *user)
{
    (void)callback(2);
}

static int32_t progress(const mx2onnx_progress *p, void *user)
{
    fuzz_expect(p->done <= p->total);
    return callback(32) != 0;
}

static int32_t write_some(const void *data, size_t size, void *user)
{
    return callback(32) != 0;
}

static int32_t read_params(uint64_t offset, void *buffer, size_t size, void *user)
{
    if (callback(32) || offset > sizeof params || size > sizeof params - offset) {
        return -1;
    }
    memcpy(buffer, params + offset, size);
    return 0;
}

static int32_t read_zeros(uint64_t offset, void *buffer, size_t size, void *user)
{
    memset(buffer, 0, size);
    return callback(8) != 0;
}

static mx2onnx_status handle(mx2onnx_node *n, void *user)
{
    mx2onnx_value x = mx2onnx_node_input_value(n, 0), y = 0;
    (void)mx2onnx_node_set_output_like(n, 0, 0);
    (void)given_node(n, "Relu", NULL, 1, &x, NULL, 1, &y);
    (void)mx2onnx_node_set_result(n, 0, y);
    return callback(8) ? MX2ONNX_STATUS_UNSUPPORTED : MX2ONNX_OK;
}

static mx2onnx_log_fn draw_log(struct fuzz_bytes *b)
{
    return fuzz_byte(b) % 2 ? NULL : log_line;
}

static mx2onnx_progress_fn draw_progress(struct fuzz_bytes *b)
{
    return fuzz_byte(b) % 2 ? NULL : progress;
}

static mx2onnx_write_fn draw_writer(struct fuzz_bytes *b)
{
    return fuzz_byte(b) % 8 == 7 ? NULL : write_some;
}

static mx2onnx_read_fn draw_reader(struct fuzz_bytes *b)
{
    const unsigned byte = fuzz_byte(b);
    return byte % 8 == 7 ? NULL : byte % 8 == 6 ? read_zeros : read_params;
}

static size_t count_outputs(mx2onnx_node *n, void *user)
{
    (void)mx2onnx_node_input_rank(n, 0);
    if (callback(8)) {
        (void)mx2onnx_node_fail(n, "not counted");
        return 0;
    }
    return callback(8) ? SIZE_MAX : 1;
}

static const mx2onnx_handler *draw_handler(struct fuzz_bytes *b)
{
    static mx2onnx_handler h;
    const unsigned byte = fuzz_byte(b);
    h = (mx2onnx_handler){.struct_size = byte % 16 == 1 ? 8 : sizeof h, .output_count = byte % 16 == 2 ? SIZE_MAX : 1, .infer = handle};
    h.lower = byte % 16 == 3 ? NULL : handle;
    h.count_outputs = byte % 16 == 4 ? count_outputs : NULL;
    h.overrides = byte % 16 > 7;
    return byte % 8 == 7 ? NULL : &h;
}

/* ---- calls */

/* What holds after every call that has a status. */
static void expect_status(struct world *w, mx2onnx_model *m, mx2onnx_status status, int always)
{
    fuzz_expect(status <= 0 && status > MX2ONNX_STATUS_INTERNAL);
    if (!m || (w->busy && always != 1)) {
        fuzz_expect(status == MX2ONNX_STATUS_INVALID_ARGUMENT);
    }
    if (m && !w->busy && !always) {
        fuzz_expect((mx2onnx_error(m)[0] == '\0') == (status == MX2ONNX_OK));
    }
    mx2onnx_memory_free(exported);
    exported = NULL;
}

#include "calls.inc"

static void call_any(struct world *w)
{
    const unsigned number = fuzz_byte(&w->bytes);
    w->calls++;
    if (number < 252) {
        call_number(w, fuzz_byte(&w->bytes) % 32 == 31 ? NULL : w->m, &w->bytes, number % CALLS);
        return;
    }
    if (number == 252) {
        mx2onnx_memory_free(mx2onnx_memory_new(fuzz_byte(&w->bytes)));
        return;
    }
    mx2onnx_model_free(number == 253 ? NULL : w->m); /* of a busy model: nothing */
    if (number != 253 && !w->busy) {
        fuzz_expect(mx2onnx_model_new(&w->m) == MX2ONNX_OK);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct world w = {.bytes = {data, size}};
    here = &w;
    fuzz_expect(mx2onnx_model_new(NULL) == MX2ONNX_STATUS_INVALID_ARGUMENT);
    fuzz_expect(mx2onnx_model_new(&w.m) == MX2ONNX_OK);
    while (w.bytes.left > 0 && w.calls < MOST_CALLS) {
        call_any(&w);
    }
    w.bytes.left = 0;
    mx2onnx_model_free(w.m);
    (void)remove("fuzz-calls.onnx");
    (void)remove("fuzz-calls.onnx.data");
    return 0;
}
