/* The writer: what nanopb's decoder reads back, sizes against the plan, and everything that can fail: each allocation, each
 * write, the caller's progress function, a model of more than 2 GiB. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pb_decode.h>

#include "alloc_fail.h"
#include "base/alloc.h"
#include "onnx/write/onnx.pb.h"
#include "onnx/write/write.h"
#include "onnx_hand.h"

/* ---- a model with everything in it */

enum { WEIGHT = 3000 };
static float weight[WEIGHT];
static struct mx_source *source;

static void build(struct hand *h)
{
    static const int64_t w_dims[] = {100, 30}, t_dims[] = {30, 100}, t_strides[] = {1, 30}, shape[] = {-1, 3000};
    static const float one = 1;
    ox_val a, b, c;
    assert_true(hand_begin(h, 17));
    struct mx_shape s = HAND_TEXTS(h, "batch", "3000");
    const struct ox_piece *piece =
        mx_arena_copy(&h->m.arena, &(struct ox_piece){.kind = OX_PIECE_RANGE, .source = source, .length = sizeof weight}, 1, sizeof *piece);
    const struct ox_piece *fill = mx_arena_copy(
        &h->m.arena, &(struct ox_piece){.kind = OX_PIECE_FILL, .bytes = (const uint8_t *)&one, .length = sizeof weight}, 1, sizeof *fill);
    const ox_val x = hand_input(h, "x", MX_FLOAT32, s);
    const ox_val w =
        hand_tensor(h, "w", (struct ox_tensor){.dtype = MX_FLOAT32, .ndim = 2, .dims = w_dims, .pieces = piece, .n_pieces = 1});
    const ox_val t = hand_tensor(
        h, "t", (struct ox_tensor){.dtype = MX_FLOAT16, .ndim = 2, .dims = t_dims, .base = h->m.values[w].tensor, .strides = t_strides});
    const ox_val f = hand_tensor(h, "f", (struct ox_tensor){.dtype = MX_FLOAT32, .ndim = 2, .dims = w_dims, .pieces = fill, .n_pieces = 1});
    const ox_val r = hand_const(h, NULL, MX_INT64, 1, (const int64_t[]){2}, shape);
    hand_node(h, &h->m.main, OX_Add, 2, (const ox_val[]){w, f}, NULL, MX_FLOAT32, HAND_DIMS(h, 100, 30), 1, &a);
    hand_node(h, &h->m.main, OX_Reshape, 2, (const ox_val[]){a, r}, NULL, MX_FLOAT32, HAND_DIMS(h, 1, 3000), 1, &b);
    hand_node(h, &h->m.main, OX_Mul, 2, (const ox_val[]){x, b}, NULL, MX_FLOAT32, s, 1, &c);
    hand_output(h, c, "y");
    hand_output(h, t, "t_out");
}

static int prepare(struct hand *h, struct mx_diags *diags)
{
    MX_TRY(ox_finish(&h->m));
    h->m.diags = diags;
    MX_TRY(ox_names(&h->m));
    return ox_check(&h->m, OX_ORDERED | OX_NAMED);
}

/* From the graph to bytes, in memory that mx_free frees. */
static int export(struct hand *h, const struct ox_write_options *options, struct mx_diags *diags, void **data, size_t *size,
                  void **side_data, size_t *side_size)
{
    struct ox_plan *plan = NULL;
    struct mx_sink *sink = NULL, *side = NULL;
    int status = prepare(h, diags);
    status = status == MX_OK ? ox_plan_new(&plan, &h->m, options, diags) : status;
    status = status == MX_OK ? mx_sink_open_memory(&sink) : status;
    if (status == MX_OK && ox_plan_needs_side_file(plan)) {
        status = mx_sink_open_memory(&side);
    }
    status = status == MX_OK ? ox_plan_write(plan, sink, side, diags) : status;
    status = status == MX_OK && side ? mx_sink_finish(side) : status;
    status = status == MX_OK ? mx_sink_finish(sink) : status;
    status = status == MX_OK && side ? mx_sink_commit(side, NULL) : status;
    status = status == MX_OK ? mx_sink_commit(sink, NULL) : status;
    if (status == MX_OK) {
        mx_sink_take_memory(sink, data, size);
        assert_int_equal(*size, ox_plan_model_bytes(plan));
        if (side) {
            mx_sink_take_memory(side, side_data, side_size);
            assert_int_equal(*side_size, ox_plan_side_bytes(plan));
        }
    }
    mx_sink_close(side);
    mx_sink_close(sink);
    ox_plan_free(plan);
    return status;
}

/* ---- reading back */

struct seen {
    int nodes, initialisers, inputs, outputs, value_infos, imports, metadata;
    char names[512]; /* of initialisers */
    uint64_t raw;    /* bytes of raw_data */
};

static bool count_one(pb_istream_t *s, const pb_field_t *f, void **arg)
{
    int *count = *arg;
    ++*count;
    return pb_read(s, NULL, s->bytes_left);
}

static bool see_name(pb_istream_t *s, const pb_field_t *f, void **arg)
{
    struct seen *seen = *arg;
    char name[64] = "";
    const size_t n = s->bytes_left;
    if (n >= sizeof name || !pb_read(s, (pb_byte_t *)name, n)) {
        return false;
    }
    strncat(seen->names, name, sizeof seen->names - strlen(seen->names) - 2);
    strcat(seen->names, " ");
    return true;
}

static bool see_raw(pb_istream_t *s, const pb_field_t *f, void **arg)
{
    struct seen *seen = *arg;
    seen->raw += s->bytes_left;
    return pb_read(s, NULL, s->bytes_left);
}

static bool see_tensor(pb_istream_t *s, const pb_field_t *f, void **arg)
{
    struct seen *seen = *arg;
    onnx_TensorProto t = onnx_TensorProto_init_zero;
    t.name.funcs.decode = see_name;
    t.name.arg = seen;
    t.raw_data.funcs.decode = see_raw;
    t.raw_data.arg = seen;
    seen->initialisers++;
    return pb_decode(s, onnx_TensorProto_fields, &t) && t.has_data_type;
}

static bool see_graph(pb_istream_t *s, const pb_field_t *f, void **arg)
{
    struct seen *seen = *arg;
    onnx_GraphProto g = onnx_GraphProto_init_zero;
    g.node = (pb_callback_t){.funcs.decode = count_one, .arg = &seen->nodes};
    g.input = (pb_callback_t){.funcs.decode = count_one, .arg = &seen->inputs};
    g.output = (pb_callback_t){.funcs.decode = count_one, .arg = &seen->outputs};
    g.value_info = (pb_callback_t){.funcs.decode = count_one, .arg = &seen->value_infos};
    g.initializer = (pb_callback_t){.funcs.decode = see_tensor, .arg = seen};
    return pb_decode(s, onnx_GraphProto_fields, &g);
}

static void read_back(const void *data, size_t size, struct seen *seen)
{
    pb_istream_t s = pb_istream_from_buffer(data, size);
    onnx_ModelProto m = onnx_ModelProto_init_zero;
    *seen = (struct seen){0};
    m.graph = (pb_callback_t){.funcs.decode = see_graph, .arg = seen};
    m.opset_import = (pb_callback_t){.funcs.decode = count_one, .arg = &seen->imports};
    m.metadata_props = (pb_callback_t){.funcs.decode = count_one, .arg = &seen->metadata};
    if (!pb_decode(&s, onnx_ModelProto_fields, &m)) {
        fail_msg("%s", PB_GET_ERROR(&s));
    }
    assert_int_equal(m.ir_version, 8);
}

static void weights_are_written_into_the_model(void **state)
{
    struct hand h;
    struct mx_diags diags = {0};
    struct seen seen;
    void *data;
    size_t size;
    build(&h);
    assert_int_equal(export(&h, &(struct ox_write_options){0}, &diags, &data, &size, NULL, NULL), MX_OK);
    read_back(data, size, &seen);
    assert_int_equal(seen.nodes, 4); /* an Identity for the initialiser that is an output */
    assert_int_equal(seen.initialisers, 4);
    assert_string_equal(seen.names, "w t f reshape/shape ");
    assert_int_equal(seen.raw, 2 * sizeof weight + sizeof weight / 2 + 16);
    assert_int_equal(seen.inputs, 1);
    assert_int_equal(seen.outputs, 2);
    assert_int_equal(seen.value_infos, 2);
    assert_int_equal(seen.imports, 1);
    assert_int_equal(seen.metadata, 1);
    mx_free(data);
    mx_diags_free(&diags);
    hand_end(&h);
}

static void weights_are_written_next_to_the_model(void **state)
{
    struct hand h;
    struct mx_diags diags = {0};
    struct seen seen;
    void *data, *side;
    size_t size, side_size;
    build(&h);
    const struct ox_write_options options = {.external_mode = MX2ONNX_EXTERNAL_ALWAYS, .location = "m.data"};
    assert_int_equal(export(&h, &options, &diags, &data, &size, &side, &side_size), MX_OK);
    read_back(data, size, &seen);
    assert_int_equal(seen.initialisers, 4);
    assert_int_equal(seen.raw, 16); /* the Reshape's target stays */
    /* w at 0, t at the next page (12000 -> 12288), f after its 6000 bytes at 20480 */
    assert_int_equal(side_size, 20480 + sizeof weight);
    assert_memory_equal(side, weight, sizeof weight);
    mx_free(side);
    mx_free(data);
    mx_diags_free(&diags);
    hand_end(&h);
}

static void weights_stay_inside_where_a_side_file_has_no_place(void **state)
{
    struct hand h;
    struct mx_diags diags = {0};
    void *data;
    size_t size;
    build(&h); /* ALWAYS without a place is inline */
    const struct ox_write_options options = {.external_mode = MX2ONNX_EXTERNAL_ALWAYS};
    assert_int_equal(export(&h, &options, &diags, &data, &size, NULL, NULL), MX_OK);
    mx_free(data);
    mx_diags_free(&diags);
    hand_end(&h);
}

/* ---- sizes */

/* Of n weights, each of so many pages of 4 KiB. */
static int plan_of(int n, int64_t rows, struct ox_write_options options, struct mx_diags *diags, uint64_t *model, uint64_t *side)
{
    static const float one = 1;
    struct hand h;
    struct ox_plan *plan = NULL;
    assert_true(hand_begin(&h, 17));
    const struct ox_piece fill = {.kind = OX_PIECE_FILL, .bytes = (const uint8_t *)&one, .length = (uint64_t)rows * 4096};
    const int64_t dims[] = {rows, 1024};
    for (int i = 0; i < n; i++) {
        const struct ox_tensor t = {.dtype = MX_FLOAT32, .ndim = 2, .dims = dims, .pieces = &fill, .n_pieces = 1};
        const ox_val w = hand_tensor(&h, i ? "v" : "w", t);
        ox_val y;
        hand_node(&h, &h.m.main, OX_Neg, 1, &w, NULL, MX_FLOAT32, HAND_DIMS(&h, rows, 1024), 1, &y);
        hand_output(&h, y, i ? "z" : "y");
    }
    assert_int_equal(prepare(&h, diags), MX_OK);
    const int status = ox_plan_new(&plan, &h.m, &options, diags);
    if (status == MX_OK) {
        *model = ox_plan_model_bytes(plan);
        *side = ox_plan_side_bytes(plan);
        assert_int_equal(ox_plan_needs_side_file(plan), *side > 0);
    }
    ox_plan_free(plan);
    hand_end(&h);
    return status;
}

/* A weight of exactly the threshold's bytes is written next to the model, a smaller one into it. */
static void a_weight_of_the_threshold_is_written_next_to_the_model(void **state)
{
    for (int more = 0; more < 2; more++) {
        struct mx_diags diags = {0};
        uint64_t model, side;
        const struct ox_write_options options = {
            .external_mode = MX2ONNX_EXTERNAL_ALWAYS, .location = "m.data", .threshold = 4096 + (uint64_t)more};
        assert_int_equal(plan_of(1, 1, options, &diags, &model, &side), MX_OK);
        assert_int_equal(side > 0, more == 0);
        mx_diags_free(&diags);
    }
}

/* Shapes, axes and scales stay in the model, whatever the threshold is: runtimes read them before they load a side file. */
static void small_vectors_stay_in_the_model(void **state)
{
    static const uint64_t zero;
    const struct {
        enum mx_dtype t;
        int ndim;
        int64_t dims[2];
        bool outside;
    } rows[] = {
        {MX_FLOAT32, 1, {16}, false},         {MX_FLOAT32, 1, {17}, true},    {MX_FLOAT32, 0, {0}, false},
        {MX_FLOAT32, 2, {1, 1}, true},        {MX_FLOAT32, 2, {0, 3}, false}, {MX_INT64, 1, {1 << 17}, false},
        {MX_INT64, 1, {(1 << 17) + 1}, true}, {MX_INT64, 2, {1, 2}, true},    {MX_INT32, 1, {17}, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ox_write_options options = {.external_mode = MX2ONNX_EXTERNAL_ALWAYS, .location = "m.data"};
        struct mx_diags diags = {0};
        struct ox_plan *plan = NULL;
        struct hand h;
        ox_val y;
        assert_true(hand_begin(&h, 17));
        const struct ox_tensor like = {.dtype = rows[i].t, .ndim = rows[i].ndim, .dims = rows[i].dims};
        struct ox_tensor t = like;
        const struct ox_piece fill = {.kind = OX_PIECE_FILL, .bytes = (const uint8_t *)&zero, .length = ox_tensor_bytes(&like)};
        t.pieces = &fill;
        t.n_pieces = fill.length > 0;
        const ox_val w = hand_tensor(&h, "w", t);
        hand_node(&h, &h.m.main, OX_Neg, 1, &w, NULL, rows[i].t, h.m.values[w].shape, 1, &y);
        hand_output(&h, y, "y");
        assert_int_equal(prepare(&h, &diags), MX_OK);
        assert_int_equal(ox_plan_new(&plan, &h.m, &options, &diags), MX_OK);
        if (ox_plan_needs_side_file(plan) != rows[i].outside || ox_plan_side_bytes(plan) != (rows[i].outside ? fill.length : 0)) {
            fail_msg("row %zu", i);
        }
        ox_plan_free(plan);
        hand_end(&h);
        mx_diags_free(&diags);
    }
}

static void a_model_above_two_gib_needs_a_side_file(void **state)
{
    const struct ox_write_options inside = {.location = "w.data", .threshold = UINT64_MAX - 1};
    const struct ox_write_options automatic = {.location = "w.data"};
    const struct ox_write_options never = {.location = "w.data", .external_mode = MX2ONNX_EXTERNAL_NEVER};
    const struct ox_write_options nowhere = {0};
    struct mx_diags diags = {0};
    uint64_t model, side;
    const int64_t below = 524030, above = 524288; /* pages of 4 KiB */
    assert_int_equal(plan_of(1, below, automatic, &diags, &model, &side), MX_OK);
    assert_true(side == 0 && model > (uint64_t)below * 4096 && model < INT32_MAX);
    assert_int_equal(plan_of(1, below, never, &diags, &model, &side), MX_OK);
    assert_int_equal(plan_of(1, above, automatic, &diags, &model, &side), MX_OK);
    assert_true(side == (uint64_t)above * 4096 && model < 4096);
    assert_int_equal(diags.count, 0);
    assert_int_equal(plan_of(1, above, never, &diags, &model, &side), MX_TOO_LARGE);
    assert_int_equal(plan_of(1, above, nowhere, &diags, &model, &side), MX_TOO_LARGE);
    assert_int_equal(plan_of(1, 1LL << 50, automatic, &diags, &model, &side), MX_OK); /* sizes only: nothing is written */
    assert_true(side == 1ULL << 62);
    assert_int_equal(diags.count, 2);
    assert_string_equal(diags.items[0].advice, "allow external data (MX2ONNX_OPTION_EXTERNAL_DATA)");
    assert_int_equal(plan_of(1, 1LL << 51, automatic, &diags, &model, &side), MX_TOO_LARGE); /* one too large to be counted */
    assert_int_equal(plan_of(2, 1LL << 50, automatic, &diags, &model, &side), MX_TOO_LARGE); /* both together */
    assert_int_equal(diags.count, 4);
    assert_string_equal(diags.items[3].message, "the weights cannot be counted in 64 bits");
    assert_int_equal(plan_of(1, above, inside, &diags, &model, &side), MX_TOO_LARGE);
    assert_string_equal(diags.items[4].advice, "lower MX2ONNX_OPTION_EXTERNAL_THRESHOLD");
    assert_int_equal(plan_of(4, 1LL << 50, inside, &diags, &model, &side), MX_TOO_LARGE); /* together 2^64 bytes */
    assert_string_equal(diags.items[diags.count - 1].advice, "lower MX2ONNX_OPTION_EXTERNAL_THRESHOLD");
    mx_diags_free(&diags);
}

/* ---- what can fail */

static void each_failed_allocation_is_reported(void **state)
{
    const struct ox_write_options options[] = {
        {.producer_version = "1"},
        {.external_mode = MX2ONNX_EXTERNAL_ALWAYS, .location = "m.data"},
    };
    for (size_t k = 0; k < 2; k++) {
        bool failed = true;
        for (size_t n = 1; failed; n++) {
            struct hand h;
            struct mx_diags diags = {0};
            void *data = NULL, *side = NULL;
            size_t size, side_size;
            const size_t before = alloc_fail_live();
            build(&h);
            alloc_fail_at(n, false);
            const int status = export(&h, &options[k], &diags, &data, &size, &side, &side_size);
            failed = alloc_fail_happened();
            alloc_fail_at(0, false);
            assert_true(status == MX_OK || (failed && status == MX_OUT_OF_MEMORY));
            assert_true(n < 10000);
            mx_free(data);
            mx_free(side);
            mx_diags_free(&diags);
            hand_end(&h);
            assert_int_equal(alloc_fail_live(), before);
        }
    }
}

struct pipe {
    long fail_at, calls;
    uint64_t bytes;
};

static int32_t take(const void *data, size_t size, void *user)
{
    struct pipe *p = user;
    p->bytes += size;
    return ++p->calls == p->fail_at;
}

static int write_to_callback(struct pipe *pipe, mx_progress_fn progress, void *user, struct mx_diags *diags)
{
    struct hand h;
    struct ox_plan *plan = NULL;
    struct mx_sink *sink = NULL;
    build(&h);
    const struct ox_write_options options = {.progress = progress, .progress_user = user};
    assert_int_equal(prepare(&h, diags), MX_OK);
    assert_int_equal(ox_plan_new(&plan, &h.m, &options, diags), MX_OK);
    assert_int_equal(mx_sink_open_callback(&sink, take, pipe), MX_OK);
    int status = ox_plan_write(plan, sink, NULL, diags);
    status = status == MX_OK ? mx_sink_finish(sink) : status;
    if (status == MX_OK) {
        assert_int_equal(pipe->bytes, ox_plan_model_bytes(plan));
    }
    mx_sink_close(sink);
    ox_plan_free(plan);
    hand_end(&h);
    return status;
}

static void each_failed_write_is_reported(void **state)
{
    int status = MX_IO;
    for (long n = 1; status != MX_OK; n++) {
        struct mx_diags diags = {0};
        struct pipe pipe = {.fail_at = n};
        status = write_to_callback(&pipe, NULL, NULL, &diags);
        assert_true(status == MX_OK || status == MX_IO);
        assert_true(status == MX_OK || pipe.calls == n); /* nothing after a failed one */
        assert_true(n < 1000);
        mx_diags_free(&diags);
    }
}

/* While the values of a parameter are written, which can all be read. */
static void a_failed_write_is_not_the_parameters_fault(void **state)
{
    enum { SIZE = 3 << 20 };
    static const int64_t dims[] = {3, 1 << 20};
    struct mx_diags diags = {0};
    struct pipe pipe = {.fail_at = 1};
    struct ox_plan *plan = NULL;
    struct mx_sink *sink = NULL;
    struct mx_source *large = NULL;
    struct hand h;
    ox_val y;
    assert_int_equal(mx_source_open_memory(&large, mx_calloc(SIZE, 1), SIZE, true), MX_OK);
    assert_true(hand_begin(&h, 17));
    const struct ox_piece piece = {.kind = OX_PIECE_RANGE, .source = large, .length = SIZE, .stored = MX_UINT8};
    const struct ox_tensor t = {.dtype = MX_UINT8, .ndim = 2, .dims = dims, .pieces = &piece, .n_pieces = 1};
    const ox_val w = hand_tensor(&h, "w", t);
    hand_node(&h, &h.m.main, OX_Neg, 1, &w, NULL, MX_UINT8, HAND_DIMS(&h, 3, 1 << 20), 1, &y);
    hand_output(&h, y, "y");
    assert_int_equal(prepare(&h, &diags), MX_OK);
    assert_int_equal(ox_plan_new(&plan, &h.m, &(const struct ox_write_options){.external_mode = MX2ONNX_EXTERNAL_NEVER}, &diags), MX_OK);
    assert_int_equal(mx_sink_open_callback(&sink, take, &pipe), MX_OK);
    assert_int_equal(ox_plan_write(plan, sink, NULL, &diags), MX_IO);
    assert_int_equal(diags.count, 1);
    assert_non_null(strstr(diags.items[0].message, "the output cannot be written"));
    mx_sink_close(sink);
    ox_plan_free(plan);
    hand_end(&h);
    mx_source_close(large);
    mx_diags_free(&diags);
}

struct watch {
    uint64_t last, total;
    int calls, stop_at;
};

static int32_t watch(uint64_t done, uint64_t total, void *user)
{
    struct watch *w = user;
    assert_true((w->calls == 0 ? done == 0 : done > w->last) && done <= total);
    w->last = done;
    w->total = total;
    return ++w->calls == w->stop_at;
}

static void progress_grows_while_writing(void **state)
{
    struct mx_diags diags = {0};
    struct pipe pipe = {0};
    struct watch w = {0};
    assert_int_equal(write_to_callback(&pipe, watch, &w, &diags), MX_OK);
    assert_true(w.calls >= 2 && w.last == w.total && w.total == pipe.bytes);
    w = (struct watch){.stop_at = 1};
    pipe = (struct pipe){0};
    assert_int_equal(write_to_callback(&pipe, watch, &w, &diags), MX_CANCELLED);
    assert_int_equal(pipe.bytes, 0); /* asked before the first block, which may take long */
    assert_int_equal(diags.count, 1);
    assert_int_equal(diags.items[0].status, MX_CANCELLED);
    mx_diags_free(&diags);
}

/* Wherever in the tensor its source is. */
static void values_that_cannot_be_read_are_named(void **state)
{
    enum { RANGE, VIEW, ROWS, LEFT, RIGHT, BIAS, KINDS };
    static const int64_t dims[] = {100, 30}, square[] = {30, 30}, column[] = {100}, turned[] = {30, 100}, strides[] = {1, 30};
    static const float ones[100];
    struct mx_source *shorter = NULL;
    assert_int_equal(mx_source_open_memory(&shorter, weight, sizeof weight / 4, false), MX_OK);
    for (int kind = 0; kind < KINDS; kind++) {
        const struct ox_piece bad = {.kind = OX_PIECE_RANGE, .source = shorter, .length = sizeof weight, .stored = MX_FLOAT32};
        const struct ox_piece good[] = {{.kind = OX_PIECE_RANGE, .source = source, .length = sizeof weight, .stored = MX_FLOAT32},
                                        {.kind = OX_PIECE_RANGE, .source = source, .length = 3600, .stored = MX_FLOAT32},
                                        {.kind = OX_PIECE_RANGE, .source = source, .length = 400, .stored = MX_FLOAT32}};
        struct ox_piece bad_square = bad, bad_column = bad;
        bad_square.length = 3600;
        bad_column.offset = sizeof weight / 4;
        bad_column.length = 400;
        const struct ox_tensor whole = {.dtype = MX_FLOAT32, .ndim = 2, .dims = dims, .pieces = &bad, .n_pieces = 1};
        const struct ox_tensor left = {.dtype = MX_FLOAT32, .ndim = 2, .dims = dims, .pieces = kind == LEFT ? &bad : good, .n_pieces = 1};
        const struct ox_tensor right = {
            .dtype = MX_FLOAT32, .ndim = 2, .dims = square, .pieces = kind == RIGHT ? &bad_square : &good[1], .n_pieces = 1};
        const struct ox_tensor bias = {
            .dtype = MX_FLOAT32, .ndim = 1, .dims = column, .pieces = kind == BIAS ? &bad_column : &good[2], .n_pieces = 1};
        const struct ox_rows scaled = {.of = &whole, .row = 30, .factor = ones};
        const struct ox_product product = {.left = &left, .right = &right, .bias = kind == LEFT ? NULL : &bias, .k = 30, .n = 30};
        const struct ox_piece rows = {.kind = OX_PIECE_ROWS, .rows = &scaled, .length = sizeof weight};
        const struct ox_piece computed = {.kind = OX_PIECE_PRODUCT, .product = &product, .length = sizeof weight};
        const struct ox_tensor view = {.dtype = MX_FLOAT32, .ndim = 2, .dims = turned, .base = &whole, .strides = strides};
        struct ox_tensor t = kind == VIEW ? view : whole;
        if (kind == ROWS || kind >= LEFT) {
            t.pieces = kind == ROWS ? &rows : &computed;
        }
        struct mx_diags diags = {0};
        struct ox_plan *plan = NULL;
        struct mx_sink *sink = NULL;
        struct hand h;
        ox_val y;
        assert_true(hand_begin(&h, 17));
        const ox_val w = hand_tensor(&h, "w", t);
        hand_node(&h, &h.m.main, OX_Neg, 1, &w, NULL, MX_FLOAT32, h.m.values[w].shape, 1, &y);
        hand_output(&h, y, "y");
        assert_int_equal(prepare(&h, &diags), MX_OK);
        assert_int_equal(ox_plan_new(&plan, &h.m, &(const struct ox_write_options){0}, &diags), MX_OK);
        assert_int_equal(mx_sink_open_memory(&sink), MX_OK);
        assert_int_equal(ox_plan_write(plan, sink, NULL, &diags), MX_IO);
        assert_int_equal(diags.count, 1);
        if (strcmp(diags.items[0].name, "w") != 0 || !strstr(diags.items[0].message, "the values cannot be read")) {
            fail_msg("kind %d: %s", kind, diags.items[0].message);
        }
        mx_sink_close(sink);
        ox_plan_free(plan);
        hand_end(&h);
        mx_diags_free(&diags);
    }
    mx_source_close(shorter);
}

static void a_short_source_is_an_error_that_names_its_weight(void **state)
{
    struct mx_source *whole = source;
    struct mx_diags diags = {0};
    struct pipe pipe = {0};
    assert_int_equal(mx_source_open_memory(&source, weight, sizeof weight / 2, false), MX_OK);
    assert_int_equal(write_to_callback(&pipe, NULL, NULL, &diags), MX_IO);
    assert_int_equal(diags.count, 1);
    assert_string_equal(diags.items[0].name, "w");
    mx_source_close(source);
    source = whole;
    mx_diags_free(&diags);
}

/* ---- weights that stay in their file */

static struct mx_source *file_of(const char *name, size_t size)
{
    static const char bytes[16];
    struct mx_source *s = NULL;
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(mx_source_open_file(&s, name, NULL), MX_OK);
    return s;
}

static void one_range_of_a_file_stays_in_place(void **state)
{
    static const int64_t dims[] = {2, 4}, strides[] = {4, 1};
    struct mx_source *a = file_of("onnx_write_a.bin", 16), *b = file_of("onnx_write_b.bin", 16), *memory = NULL;
    assert_int_equal(mx_source_open_memory(&memory, weight, sizeof weight, false), MX_OK);
    const struct {
        struct ox_piece pieces[2];
        int n;
        enum mx_dtype type;
        bool view, stays;
    } rows[] = {
        {{{.source = a, .length = 8}}, 1, MX_UINT8, false, true},
        {{{.source = a, .offset = 8, .length = 8}}, 1, MX_UINT8, false, true},
        {{{.source = a, .offset = 4, .length = 4}, {.source = a, .offset = 8, .length = 4}}, 2, MX_UINT8, false, true},
        {{{.source = a, .offset = 4, .length = 4}, {.source = a, .offset = 9, .length = 4}}, 2, MX_UINT8, false, false},
        {{{.source = a, .offset = 4, .length = 4}, {.source = a, .offset = 7, .length = 4}}, 2, MX_UINT8, false, false},
        {{{.source = a, .offset = 4, .length = 4}, {.source = b, .offset = 8, .length = 4}}, 2, MX_UINT8, false, false},
        {{{.source = a, .length = 8}}, 1, MX_INT8, false, false},
        {{{.source = a, .length = 8}}, 1, MX_UINT8, true, false},
        {{{.source = memory, .length = 8}}, 1, MX_UINT8, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ox_write_options options = {.external_mode = MX2ONNX_EXTERNAL_IN_PLACE, .location = "m.data"};
        struct mx_diags diags = {0};
        struct ox_plan *plan = NULL;
        struct hand h;
        assert_true(hand_begin(&h, 17));
        struct ox_piece pieces[] = {rows[i].pieces[0], rows[i].pieces[1]};
        pieces[0].kind = pieces[1].kind = OX_PIECE_RANGE;
        pieces[0].stored = pieces[1].stored = MX_UINT8;
        pieces[1].first = pieces[0].length;
        const struct ox_tensor whole = {.dtype = rows[i].type, .ndim = 2, .dims = dims, .pieces = pieces, .n_pieces = rows[i].n};
        const struct ox_tensor view = {.dtype = rows[i].type, .ndim = 2, .dims = dims, .base = &whole, .strides = strides};
        const ox_val w = hand_tensor(&h, "w", rows[i].view ? view : whole);
        ox_val y;
        hand_node(&h, &h.m.main, OX_Neg, 1, &w, NULL, rows[i].type, HAND_DIMS(&h, 2, 4), 1, &y);
        hand_output(&h, y, "y");
        assert_int_equal(prepare(&h, &diags), MX_OK);
        assert_int_equal(ox_plan_new(&plan, &h.m, &options, &diags), MX_OK);
        if (ox_plan_needs_side_file(plan) == rows[i].stays || ox_plan_file(plan, 0) != (rows[i].stays ? a : NULL)) {
            fail_msg("row %zu", i);
        }
        assert_null(ox_plan_file(plan, 1));
        assert_int_equal(ox_plan_side_bytes(plan), rows[i].stays ? 0 : 8);
        ox_plan_free(plan);
        hand_end(&h);
        mx_diags_free(&diags);
    }
    mx_source_close(a);
    mx_source_close(b);
    mx_source_close(memory);
    assert_int_equal(remove("onnx_write_a.bin") | remove("onnx_write_b.bin"), 0);
}

static void a_file_that_became_shorter_cannot_stay_in_place(void **state)
{
    static const int64_t dims[] = {2, 4};
    struct mx_source *s = file_of("onnx_write_s.bin", 16), *shorter = file_of("onnx_write_s.bin", 8);
    const struct ox_write_options options = {.external_mode = MX2ONNX_EXTERNAL_IN_PLACE, .location = "m.data"};
    const struct ox_piece piece = {.kind = OX_PIECE_RANGE, .source = s, .length = 8, .stored = MX_UINT8};
    struct mx_diags diags = {0};
    struct ox_plan *plan = NULL;
    struct hand h;
    ox_val y;
    assert_true(hand_begin(&h, 17));
    const ox_val w = hand_tensor(&h, "w", (struct ox_tensor){.dtype = MX_UINT8, .ndim = 2, .dims = dims, .pieces = &piece, .n_pieces = 1});
    hand_node(&h, &h.m.main, OX_Neg, 1, &w, NULL, MX_UINT8, HAND_DIMS(&h, 2, 4), 1, &y);
    hand_output(&h, y, "y");
    assert_int_equal(prepare(&h, &diags), MX_OK);
    assert_int_equal(ox_plan_new(&plan, &h.m, &options, &diags), MX_IO);
    assert_int_equal(diags.count, 1);
    assert_non_null(strstr(diags.items[0].message, "a parameter file cannot be read"));
    hand_end(&h);
    mx_diags_free(&diags);
    mx_source_close(s);
    mx_source_close(shorter);
    assert_int_equal(remove("onnx_write_s.bin"), 0);
}

static int setup(void **state)
{
    for (int i = 0; i < WEIGHT; i++) {
        weight[i] = (float)i;
    }
    return mx_source_open_memory(&source, weight, sizeof weight, false);
}

static int teardown(void **state)
{
    mx_source_close(source);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_written_into_the_model),
        cmocka_unit_test(weights_are_written_next_to_the_model),
        cmocka_unit_test(weights_stay_inside_where_a_side_file_has_no_place),
        cmocka_unit_test(a_weight_of_the_threshold_is_written_next_to_the_model),
        cmocka_unit_test(small_vectors_stay_in_the_model),
        cmocka_unit_test(a_model_above_two_gib_needs_a_side_file),
        cmocka_unit_test(each_failed_allocation_is_reported),
        cmocka_unit_test(each_failed_write_is_reported),
        cmocka_unit_test(progress_grows_while_writing),
        cmocka_unit_test(a_failed_write_is_not_the_parameters_fault),
        cmocka_unit_test(one_range_of_a_file_stays_in_place),
        cmocka_unit_test(a_file_that_became_shorter_cannot_stay_in_place),
        cmocka_unit_test(values_that_cannot_be_read_are_named),
        cmocka_unit_test(a_short_source_is_an_error_that_names_its_weight),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
