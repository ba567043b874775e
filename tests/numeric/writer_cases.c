/* Writes small models that are built by hand: writer_cases FOLDER. FOLDER/weights.bin holds the weights; test_writer.py
 * makes it, reads the models with the onnx package and runs them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "onnx/rules/rules.h"
#include "onnx/tensor/bytes.h"
#include "onnx/write/write.h"
#include "onnx_hand.h"

static const char *folder;
static struct mx_source *weights;
static int failures;

struct choice {
    int external;
    uint64_t threshold;
    bool as_inputs;
};

static void complain(const char *name, int status, struct mx_diags *diags)
{
    struct mx_str text = {0};
    for (size_t i = 0; i < diags->count; i++) {
        mx_diag_format(&diags->items[i], &text);
        mx_str_append(&text, "\n");
    }
    fprintf(stderr, "%s: %d %s\n", name, status, text.text ? text.text : "");
    mx_str_free(&text);
    failures++;
}

static int write_plan(struct ox_plan *p, const char *path, const char *side_path, struct mx_diags *diags)
{
    struct mx_sink *model = NULL, *side = NULL;
    int status = mx_sink_open_file(&model, path, false, NULL);
    if (status == MX_OK && ox_plan_needs_side_file(p)) {
        status = mx_sink_open_file(&side, side_path, false, NULL);
    }
    status = status == MX_OK ? ox_plan_write(p, model, side, diags) : status;
    status = status == MX_OK && side ? mx_sink_finish(side) : status;
    status = status == MX_OK ? mx_sink_finish(model) : status;
    status = status == MX_OK && side ? mx_sink_commit(side, NULL) : status;
    status = status == MX_OK ? mx_sink_commit(model, NULL) : status;
    mx_sink_close(side);
    mx_sink_close(model);
    return status;
}

static void save(struct hand *h, const char *name, struct choice choice)
{
    char path[1024], side_path[1024], location[256];
    struct mx_diags diags = {0};
    struct ox_plan *plan = NULL;
    snprintf(path, sizeof path, "%s/%s.onnx", folder, name);
    snprintf(side_path, sizeof side_path, "%s/%s.onnx.data", folder, name);
    snprintf(location, sizeof location, "%s.onnx.data", name);
    const struct ox_write_options options = {
        .external_mode = choice.external,
        .threshold = choice.threshold ? choice.threshold : 1024, /* the option's default */
        .location = location,
        .initializers_as_inputs = choice.as_inputs,
        .producer_version = "0.0.test",
        .domains = &(const struct mx_map){0},
    };
    h->m.ir_version = ox_opset_ir_version(h->m.opset);
    int status = ox_finish(&h->m);
    status = status == MX_OK ? ox_names(&h->m) : status;
    status = status == MX_OK ? ox_check(&h->m, OX_ORDERED | OX_NAMED) : status;
    status = status == MX_OK ? ox_plan_new(&plan, &h->m, &options, &diags) : status;
    status = status == MX_OK ? write_plan(plan, path, side_path, &diags) : status;
    if (status != MX_OK) {
        complain(name, status, &diags);
    }
    ox_plan_free(plan);
    mx_diags_free(&diags);
    hand_end(h);
}

/* An initialiser over the weights' bytes from `offset` on. */
static ox_val range(struct hand *h, const char *name, enum mx_dtype t, enum mx_dtype stored, int ndim, const int64_t *dims, uint64_t offset)
{
    struct ox_tensor tensor = {.dtype = t, .ndim = ndim, .dims = dims, .n_pieces = 1};
    struct ox_piece piece = {.kind = OX_PIECE_RANGE, .source = weights, .offset = offset, .stored = stored};
    if (ndim > 0) {
        tensor.dims = mx_arena_copy(&h->m.arena, dims, (size_t)ndim, sizeof *dims);
    }
    piece.length = ox_tensor_elements(&tensor) * mx_dtype_size(stored);
    tensor.pieces = mx_arena_copy(&h->m.arena, &piece, 1, sizeof piece);
    return hand_tensor(h, name, tensor);
}

/* ---- a small net at every opset, inline and not */

static void build_net(struct hand *h, int opset)
{
    static const int64_t w_dims[] = {64, 32}, b_dims[] = {32}, shape[] = {0, 4, 8};
    ox_val y, z, r;
    hand_begin(h, opset);
    const ox_val x = hand_input(h, "x", MX_FLOAT32, HAND_TEXTS(h, "batch", "64"));
    const ox_val w = range(h, "w", MX_FLOAT32, MX_FLOAT32, 2, w_dims, 0);
    const ox_val b = range(h, "b", MX_FLOAT32, MX_FLOAT32, 1, b_dims, 64 * 32 * 4);
    const ox_val s = hand_const(h, NULL, MX_INT64, 1, (const int64_t[]){3}, shape);
    hand_node(h, &h->m.main, OX_MatMul, 2, (const ox_val[]){x, w}, NULL, MX_FLOAT32, HAND_TEXTS(h, "batch", "32"), 1, &y);
    hand_node(h, &h->m.main, OX_Add, 2, (const ox_val[]){y, b}, NULL, MX_FLOAT32, HAND_TEXTS(h, "batch", "32"), 1, &z);
    hand_node(h, &h->m.main, OX_Reshape, 2, (const ox_val[]){z, s}, NULL, MX_FLOAT32, HAND_TEXTS(h, "batch", "4", "8"), 1, &r);
    hand_output(h, r, "y");
}

static void nets(void)
{
    struct hand h;
    for (int opset = 12; opset <= 28; opset++) {
        char name[32];
        snprintf(name, sizeof name, "net_%d", opset);
        build_net(&h, opset);
        save(&h, name, (struct choice){0});
    }
    build_net(&h, 17);
    save(&h, "net_external", (struct choice){.external = MX2ONNX_EXTERNAL_ALWAYS});
    build_net(&h, 17);
    save(&h, "net_external_1", (struct choice){.external = MX2ONNX_EXTERNAL_ALWAYS, .threshold = 1});
    build_net(&h, 17);
    save(&h, "net_as_inputs", (struct choice){.as_inputs = true});
}

/* ---- initialisers that are outputs themselves */

static void out(struct hand *h, ox_val v)
{
    hand_output(h, v, mx_arena_printf(&h->m.arena, "%s_out", h->m.values[v].name));
}

static void dtypes(void)
{
    struct hand h;
    hand_begin(&h, 17);
    for (int t = 0; t < MX_DTYPE_COUNT; t++) {
        const char *name = mx_dtype_name((enum mx_dtype)t);
        range(&h, name, (enum mx_dtype)t, (enum mx_dtype)t, 2, (const int64_t[]){3, 5}, 8);
        range(&h, mx_arena_printf(&h.m.arena, "%s_scalar", name), (enum mx_dtype)t, (enum mx_dtype)t, 0, NULL, 16);
        range(&h, mx_arena_printf(&h.m.arena, "%s_empty", name), (enum mx_dtype)t, (enum mx_dtype)t, 2, (const int64_t[]){0, 5}, 0);
    }
    for (int i = h.m.n_values - 1; i > 0; i--) {
        out(&h, i);
    }
    save(&h, "dtypes", (struct choice){0});
}

static void conversions(void)
{
    struct hand h;
    hand_begin(&h, 17);
    for (int from = 0; from < MX_DTYPE_COUNT; from++) {
        for (int to = 0; to < MX_DTYPE_COUNT; to++) {
            const char *name =
                mx_arena_printf(&h.m.arena, "%s_to_%s", mx_dtype_name((enum mx_dtype)from), mx_dtype_name((enum mx_dtype)to));
            /* test_writer.py lays out 100 values of each type that every type can hold, after the random ones */
            const uint64_t at = (2 << 20) + (uint64_t)from * 1024;
            out(&h, range(&h, name, (enum mx_dtype)to, (enum mx_dtype)from, 1, (const int64_t[]){100}, at));
        }
    }
    save(&h, "conversions", (struct choice){0});
}

static void views_of(struct hand *h, enum mx_dtype t)
{
    static const struct {
        const char *name;
        int ndim;
        int64_t dims[4], strides[4], start;
    } views[] = {
        {"transposed", 2, {300, 200}, {1, 300}, 0},
        {"hwio", 4, {3, 3, 64, 32}, {3, 1, 9, 576}, 0},
        {"flipped", 2, {200, 300}, {-300, -1}, 59999},
        {"sliced", 2, {100, 50}, {600, 6}, 4},
        {"column", 2, {200, 1}, {300, 1}, 7},
        {"expanded", 3, {4, 30, 5}, {0, 1, 0}, 11},
        {"one", 0, {0}, {0}, 5},
    };
    const ox_val base = range(h, NULL, MX_FLOAT32, MX_FLOAT32, 1, (const int64_t[]){400000}, 0);
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
        struct ox_tensor view = {.dtype = t, .ndim = views[i].ndim, .dims = views[i].dims, .start = views[i].start};
        view.base = h->m.values[base].tensor;
        view.strides = views[i].strides;
        out(h, hand_tensor(h, mx_arena_printf(&h->m.arena, "%s_%s", views[i].name, mx_dtype_name(t)), view));
    }
}

static void views(void)
{
    struct hand h;
    hand_begin(&h, 17);
    views_of(&h, MX_FLOAT32);
    views_of(&h, MX_FLOAT16);
    views_of(&h, MX_FLOAT64);
    save(&h, "views", (struct choice){0});
    hand_begin(&h, 17);
    views_of(&h, MX_FLOAT32);
    save(&h, "views_external", (struct choice){.external = MX2ONNX_EXTERNAL_ALWAYS, .threshold = 20});
}

/* A weight of pieces: a range, bytes, a fill, a range. */
static void pieces(void)
{
    static const float two[] = {-1, -2}, fill = 0.5f;
    const struct ox_piece list[] = {
        {.kind = OX_PIECE_RANGE, .source = weights, .offset = 400, .length = 40, .stored = MX_FLOAT32},
        {.kind = OX_PIECE_BYTES, .bytes = (const uint8_t *)two, .length = 8, .first = 10},
        {.kind = OX_PIECE_FILL, .bytes = (const uint8_t *)&fill, .length = 4000, .first = 12},
        {.kind = OX_PIECE_RANGE, .source = weights, .offset = 0, .length = 80, .stored = MX_FLOAT64, .first = 1012},
    };
    static const int64_t dims[] = {2, 511};
    struct hand h;
    hand_begin(&h, 17);
    out(&h, hand_tensor(&h, "joined", (struct ox_tensor){.dtype = MX_FLOAT32, .ndim = 2, .dims = dims, .pieces = list, .n_pieces = 4}));
    save(&h, "pieces", (struct choice){0});
}

/* ---- every kind of attribute; bodies in bodies; dims of every kind */

static void attributes(void)
{
    static const int64_t pads[] = {1, 1, 1, 1}, kernel[] = {3, 3}, none[] = {0}, dims[] = {2};
    static const double zeros[2], scale[] = {0.5, -1e30};
    static const float one[] = {1, 1};
    struct hand h;
    ox_val y, z, c, s;
    hand_begin(&h, 17);
    const ox_val x = hand_input(&h, "x", MX_FLOAT32, HAND_TEXTS(&h, "n", "2", "h", "?"));
    hand_node(&h, &h.m.main, OX_MaxPool, 1, &x,
              OX_ATTRS(OX_IS("kernel_shape", kernel, 2), OX_IS("pads", pads, 4), OX_S("auto_pad", "NOTSET"), OX_I("ceil_mode", 0)),
              MX_FLOAT32, HAND_TEXTS(&h, "n", "2", "h", "?"), 1, &y);
    hand_node(&h, &h.m.main, OX_LeakyRelu, 1, &y, OX_ATTRS(OX_F("alpha", 0.1)), MX_FLOAT32, MX_SHAPE_UNKNOWN, 1, &z);
    hand_node(&h, &h.m.main, OX_Cast, 1, &z, OX_ATTRS(OX_T("to", MX_FLOAT64)), MX_FLOAT64, HAND_TEXTS(&h, "n", "2", "h", "?"), 1, &c);
    const ox_val ones = hand_const(&h, "ones", MX_FLOAT32, 1, dims, one), scalar = hand_const(&h, "one", MX_FLOAT32, 0, NULL, one);
    hand_node(&h, &h.m.main, OX_FOREIGN, 1, &ones, OX_ATTRS(OX_FS("offset", zeros, 2), OX_FS("scale", scale, 2)), MX_FLOAT32,
              HAND_DIMS(&h, 2), 1, &s)
        ->foreign = &(const struct ox_foreign){"ai.onnx.ml", "Scaler"};
    hand_output(&h, c, "y");
    hand_output(&h, s, "floats");
    hand_node(&h, &h.m.main, OX_Transpose, 1, &scalar, OX_ATTRS(OX_IS("perm", none, 0)), MX_FLOAT32, HAND_SCALAR, 1, &s);
    hand_output(&h, s, "no_ints");
    save(&h, "attributes", (struct choice){0});
}

/* An If in a Loop: y = x + sum of i over even i < 6, an outer weight and an outer value read inside. */
static void bodies(void)
{
    static const int64_t trips = 6, two = 2;
    static const uint8_t yes = 1;
    struct hand h;
    ox_val keep, rest, even, sum[1], y[1], i_float, added, kept;
    hand_begin(&h, 17);
    struct mx_shape scalar = HAND_SCALAR;
    struct mx_shape row = HAND_TEXTS(&h, "batch", "3");
    const ox_val x = hand_input(&h, "x", MX_FLOAT32, row);
    const ox_val n = hand_const(&h, NULL, MX_INT64, 0, NULL, &trips);
    const ox_val base = hand_const(&h, NULL, MX_INT64, 0, NULL, &two);
    const ox_val zero = hand_const(&h, NULL, MX_INT64, 0, NULL, &(const int64_t){0});
    const ox_val cond = hand_const(&h, NULL, MX_BOOL, 0, NULL, &yes);

    struct ox_graph *step = hand_body(&h, "step");
    const ox_val i = hand_value(&h, NULL, MX_INT64, scalar);
    const ox_val go = hand_value(&h, NULL, MX_BOOL, scalar);
    const ox_val carried = hand_value(&h, NULL, MX_FLOAT32, row);
    hand_body_input(&h, step, i);
    hand_body_input(&h, step, go);
    hand_body_input(&h, step, carried);
    hand_node(&h, step, OX_Identity, 1, &go, NULL, MX_BOOL, scalar, 1, &keep);
    hand_node(&h, step, OX_Mod, 2, (const ox_val[]){i, base}, NULL, MX_INT64, scalar, 1, &rest);
    hand_node(&h, step, OX_Equal, 2, (const ox_val[]){rest, zero}, NULL, MX_BOOL, scalar, 1, &even);
    struct ox_graph *then = hand_body(&h, "then"), *otherwise = hand_body(&h, "otherwise");
    then->outer = otherwise->outer = step;
    hand_node(&h, then, OX_Cast, 1, &i, OX_ATTRS(OX_T("to", MX_FLOAT32)), MX_FLOAT32, scalar, 1, &i_float);
    hand_node(&h, then, OX_Add, 2, (const ox_val[]){carried, i_float}, NULL, MX_FLOAT32, row, 1, &added);
    hand_body_output(&h, then, added);
    hand_node(&h, otherwise, OX_Identity, 1, &carried, NULL, MX_FLOAT32, row, 1, &kept);
    hand_body_output(&h, otherwise, kept);
    hand_node(&h, step, OX_If, 1, &even, OX_ATTRS(OX_G("then_branch", then), OX_G("else_branch", otherwise)), MX_FLOAT32, row, 1, sum);
    hand_body_output(&h, step, keep);
    hand_body_output(&h, step, sum[0]);
    hand_node(&h, &h.m.main, OX_Loop, 3, (const ox_val[]){n, cond, x}, OX_ATTRS(OX_G("body", step)), MX_FLOAT32, row, 1, y);
    hand_output(&h, y[0], "y");
    save(&h, "bodies", (struct choice){0});
}

static void dims(void)
{
    struct hand h;
    ox_val y, z;
    hand_begin(&h, 17);
    struct mx_dims *t = h.m.dims;
    const mx_dim height = mx_dim_named(t, "h");
    const mx_dim half = mx_dim_addn(t, mx_dim_floor_div(t, mx_dim_addn(t, height, -1), 2), 1);
    const mx_dim halved[] = {mx_dim_named(t, "n"), mx_dim_of(2), half, mx_dim_unknown(t)};
    const ox_val x = hand_input(&h, "x", MX_FLOAT32, HAND_TEXTS(&h, "n", "2", "h", "?"));
    hand_node(&h, &h.m.main, OX_MaxPool, 1, &x,
              OX_ATTRS(OX_IS("kernel_shape", ((const int64_t[]){1, 1}), 2), OX_IS("strides", ((const int64_t[]){2, 2}), 2)), MX_FLOAT32,
              mx_shape_of(&h.m.arena, halved, 4), 1, &y);
    hand_node(&h, &h.m.main, OX_Relu, 1, &y, NULL, MX_FLOAT32, mx_shape_of(&h.m.arena, halved, 4), 1, &z);
    hand_output(&h, z, "y");
    hand_output(&h, x, "x_again");
    hand_output(&h, z, "y_again");
    save(&h, "dims", (struct choice){0});
}

static void custom_domain(void)
{
    struct hand h;
    ox_val y, z;
    hand_begin(&h, 17);
    const ox_val x = hand_input(&h, "x", MX_FLOAT32, HAND_DIMS(&h, 2));
    hand_node(&h, &h.m.main, OX_FOREIGN, 1, &x, OX_ATTRS(OX_S("text", "a\"b")), MX_FLOAT32, HAND_DIMS(&h, 2), 1, &y)->foreign =
        &(const struct ox_foreign){"org.example", "Thing"};
    hand_node(&h, &h.m.main, OX_FOREIGN, 2, (const ox_val[]){OX_NONE, y}, NULL, MX_FLOAT32, HAND_DIMS(&h, 2), 1, &z)->foreign =
        &(const struct ox_foreign){"org.example", "Thing"};
    hand_output(&h, z, "y");
    save(&h, "custom", (struct choice){0});
}

/* More than 2 GiB: two rows are read from a table in a sparse file. */
static void large(const char *table)
{
    static const int64_t dims[] = {600, 1 << 20}, rows[] = {0, 599};
    struct mx_source *small = weights;
    struct hand h;
    ox_val y;
    if (mx_source_open_file(&weights, table, NULL) != MX_OK) {
        failures++;
        return;
    }
    hand_begin(&h, 17);
    const ox_val w = range(&h, "table", MX_FLOAT32, MX_FLOAT32, 2, dims, 0);
    const ox_val i = hand_const(&h, NULL, MX_INT64, 1, (const int64_t[]){2}, rows);
    hand_node(&h, &h.m.main, OX_Gather, 2, (const ox_val[]){w, i}, NULL, MX_FLOAT32, HAND_DIMS(&h, 2, 1 << 20), 1, &y);
    hand_output(&h, y, "y");
    save(&h, "large", (struct choice){0});
    mx_source_close(weights);
    weights = small;
}

int main(int argc, char **argv)
{
    char path[1024];
    if (argc < 2) {
        return 2;
    }
    folder = argv[1];
    snprintf(path, sizeof path, "%s/weights.bin", folder);
    if (mx_source_open_file(&weights, path, NULL) != MX_OK) {
        return 2;
    }
    if (argc > 2) {
        large(argv[2]);
    } else {
        nets();
        dtypes();
        conversions();
        views();
        pieces();
        attributes();
        bodies();
        dims();
        custom_domain();
    }
    mx_source_close(weights);
    return failures > 0;
}
