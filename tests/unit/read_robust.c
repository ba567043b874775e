/* No input crashes: files cut at every byte, changed at every byte, and sizes that no memory has. */
#include "base/budget.h"
#include "read_common.h"

/* A failure says what and where; nothing of a failed file stays. */
static void check_outcome(const struct world *w, int status)
{
    if (status != MX_OK) {
        assert_true(status == MX_FORMAT || status == MX_UNSUPPORTED || status == MX_TOO_LARGE);
        assert_int_equal(w->params.count, 0);
        if (mx_budget_status(w->diags.budget) == MX_OK) { /* the call that exceeds a limit reports it */
            assert_true(w->diags.errors > 0);
            assert_true(strstr(w->diags.items[0].message, "FILE") != NULL);
        }
    }
}

static bool limit_exceeded; /* by the last try_params: one that the caller can raise */

static int try_params(const void *data, size_t size)
{
    struct world w;
    struct mx_budget budget = {0};
    world_open(&w);
    mx_budget_init(&budget);
    budget.limits[MX_LIMIT_EXPANSION] = 1 << 20; /* sanitizers take long over large blocks */
    w.diags.budget = &budget;
    const int status = add_memory(&w, data, size);
    check_outcome(&w, status);
    limit_exceeded = budget.status == MX_TOO_LARGE;
    for (size_t i = 0; i < w.params.count; i++) { /* what was accepted can be read */
        free(param_bytes(w.params.items[i]));
    }
    world_close(&w);
    return status;
}

static int try_symbol(const void *data, size_t size)
{
    struct world w;
    world_open(&w);
    const int status = read_symbol_memory(&w, data, size);
    check_outcome(&w, status);
    world_close(&w);
    return status;
}

/* Each prefix in its own block, so that a sanitizer sees a read past its end. */
static size_t accepted_prefixes(const char *file, int (*attempt)(const void *, size_t))
{
    size_t size, accepted = 0;
    char *data = slurp(file, &size);
    for (size_t n = 0; n < size; n++) {
        char *part = malloc(n + 1);
        assert_non_null(part);
        memcpy(part, data, n);
        part = realloc(part, n ? n : 1);
        assert_non_null(part);
        accepted += attempt(part, n) == MX_OK;
        free(part);
    }
    assert_int_equal(attempt(data, size), MX_OK);
    free(data);
    return accepted;
}

static void test_cut_lists_are_refused(void **state)
{
    assert_int_equal(accepted_prefixes("samples/nets/1.9.1/mlp-0000.params", try_params), 0);
    assert_int_equal(accepted_prefixes("samples/params/0.9.5/v0_none_then_x.params", try_params), 0);
    assert_int_equal(accepted_prefixes("samples/params/1.9.1/v3_scalar.params", try_params), 0);
    assert_int_equal(accepted_prefixes("samples/params/1.9.1/v2_csr.params", try_params), 0);
    assert_int_equal(accepted_prefixes("samples/params/1.9.1/v2_row_sparse.params", try_params), 0);
}

static void test_cut_npz_files_are_refused(void **state)
{
    assert_int_equal(accepted_prefixes("samples/npz/2.0.0b1/npz_sparse.npz", try_params), 0);
    assert_int_equal(accepted_prefixes("made/read/deflated.npz", try_params), 0);
    assert_int_equal(accepted_prefixes("samples/npz/2.0.0b1/npy_float32.npy", try_params), 0);
}

/* Only the last brace may be missing, with the blanks around it. */
static void test_cut_symbols_are_refused(void **state)
{
    assert_true(accepted_prefixes("samples/nets/1.9.1/mlp-symbol.json", try_symbol) <= 2);
    assert_true(accepted_prefixes("samples/nets/0.8-form/convbn-symbol.json", try_symbol) <= 2);
    assert_true(accepted_prefixes("samples/symbols/1.9.1/foreach-symbol.json", try_symbol) <= 2);
}

static size_t stride = 7; /* a byte of so many is changed; each of them with the word "all" */

static void change_bytes(const char *file, int (*attempt)(const void *, size_t))
{
    static const unsigned char masks[] = {0x01, 0xA0};
    size_t size;
    char *data = slurp(file, &size);
    for (size_t i = 0; i < size; i += stride) {
        const char byte = data[i];
        for (size_t k = 0; k < sizeof masks; k++) {
            data[i] = (char)(byte ^ (char)masks[k]);
            (void)attempt(data, size);
        }
        data[i] = byte;
    }
    assert_int_equal(attempt(data, size), MX_OK);
    free(data);
}

static void test_changed_bytes_do_no_harm(void **state)
{
    change_bytes("samples/params/1.9.1/v2_csr.params", try_params);
    change_bytes("samples/params/1.9.1/v2_row_sparse.params", try_params);
    change_bytes("samples/params/0.11.0/v1_none_then_x.params", try_params);
    change_bytes("made/malformed/json/000_good.json", try_symbol);
    change_bytes("samples/symbols/1.9.1/cond-symbol.json", try_symbol);
    if (MX2ONNX_ZIP) {
        change_bytes("samples/npz/2.0.0b1/npz_sparse.npz", try_params);
        change_bytes("made/read/deflated.npz", try_params);
        change_bytes("made/read/fortran.npz", try_params);
    }
}

/* ---- hostile sizes: lists made field by field */

struct bytes {
    unsigned char data[512];
    size_t size;
};

static void put(struct bytes *b, uint64_t value, size_t size)
{
    assert_true(b->size + size <= sizeof b->data);
    for (size_t i = 0; i < size; i++) {
        b->data[b->size++] = (unsigned char)(value >> 8 * i);
    }
}

static struct bytes list_of(uint64_t count)
{
    struct bytes b = {.size = 0};
    put(&b, 0x112, 8);
    put(&b, 0, 8);
    put(&b, count, 8);
    return b;
}

static void put_shape(struct bytes *b, int ndim, const int64_t *dims)
{
    put(b, (uint64_t)ndim, 4);
    for (int i = 0; i < ndim; i++) {
        put(b, (uint64_t)dims[i], 8);
    }
}

static void test_hostile_counts_are_refused(void **state)
{
    static const uint64_t counts[] = {1, UINT64_C(1) << 32, UINT64_C(1) << 61, UINT64_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct bytes b = list_of(counts[i]);
        assert_int_equal(try_params(b.data, b.size), MX_FORMAT);
        put(&b, 0, 4); /* one placeholder */
        assert_int_equal(try_params(b.data, b.size), MX_FORMAT);
    }
    struct bytes b = list_of(1);
    put(&b, 0, 4);
    put(&b, 1, 8);
    put(&b, UINT64_MAX, 8); /* the length of the name */
    assert_int_equal(try_params(b.data, b.size), MX_FORMAT);
}

static void test_hostile_sizes_are_refused(void **state)
{
    static const int64_t dims[][3] = {
        {INT64_C(1) << 40, 1, 1},
        {INT64_C(1) << 32, INT64_C(1) << 32, 1},
        {INT64_C(1) << 62, 4, 1},
        {INT64_MAX, INT64_MAX, INT64_MAX},
        {-1, 1, 1},
        {INT64_MIN, 2, 1},
    };
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
        struct bytes b = list_of(1);
        put(&b, 0xF993FAC9, 4);
        put(&b, 0, 4);
        put_shape(&b, 3, dims[i]);
        put(&b, 1, 8);
        put(&b, 0, 4);
        put(&b, 0, 8);
        put(&b, 0, 8);
        assert_int_equal(try_params(b.data, b.size), MX_FORMAT);
    }
}

static struct bytes row_sparse(const int64_t *storage, const int64_t *shape, int64_t rows, int64_t row)
{
    struct bytes b = list_of(1);
    put(&b, 0xF993FAC9, 4);
    put(&b, 1, 4);
    put_shape(&b, 2, storage);
    put_shape(&b, 2, shape);
    put(&b, 1, 8);
    put(&b, 0, 4); /* float32 */
    put(&b, 6, 4); /* int64 */
    put_shape(&b, 1, &rows);
    put(&b, 0x3F8000003F800000, 8); /* one row: 1, 1 */
    put(&b, (uint64_t)row, 8);
    put(&b, 0, 8); /* no names */
    return b;
}

static void test_hostile_sparse_arrays_are_refused(void **state)
{
    static const struct {
        int64_t storage[2], shape[2], rows, row;
        int status;
    } rows[] = {
        {{1, 2}, {4, 2}, 1, 3, MX_OK},
        {{0, 2}, {4, 2}, 1, 3, MX_OK}, /* a stale storage shape */
        {{0, 0}, {4, 2}, 1, 3, MX_OK},
        {{1, 2}, {4, 2}, 1, 4, MX_FORMAT},
        {{1, 2}, {4, 2}, 1, -1, MX_FORMAT},
        {{1, 2}, {4, 2}, 1, INT64_MIN, MX_FORMAT},
        {{2, 2}, {4, 2}, 1, 0, MX_FORMAT},
        {{1, 3}, {4, 2}, 1, 0, MX_FORMAT},
        {{1, 2}, {4, 2}, 2, 0, MX_FORMAT},
        {{1, 2}, {4, 2}, INT64_C(1) << 61, 0, MX_FORMAT},
        {{1, 2}, {INT64_C(1) << 62, 2}, 1, 0, MX_FORMAT},
        {{1, 2}, {INT64_C(1) << 40, 2}, 1, 0, MX_TOO_LARGE}, /* 8 TiB out of a hundred bytes */
        {{1, 2}, {0, 2}, 1, 0, MX_FORMAT},
        {{1, 2}, {-1, 2}, 1, 0, MX_FORMAT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct bytes b = row_sparse(rows[i].storage, rows[i].shape, rows[i].rows, rows[i].row);
        const int status = try_params(b.data, b.size);
        if (status != rows[i].status) {
            fail_msg("row %zu: status %d", i, status);
        }
        assert_int_equal(limit_exceeded, status == MX_TOO_LARGE);
    }
}

/* ---- hostile JSON */

static char *repeat(const char *before, const char *text, size_t n, const char *after)
{
    struct mx_str s = {0};
    mx_str_append(&s, before);
    for (size_t i = 0; i < n; i++) {
        mx_str_append(&s, text);
    }
    mx_str_append(&s, after);
    assert_false(s.failed);
    return s.text;
}

static void test_deep_json_is_refused(void **state)
{
    char *arrays = repeat("{\"x\": ", "[", 1000000, "");
    assert_int_equal(try_symbol(arrays, strlen(arrays)), MX_FORMAT);
    char *objects = repeat("{\"nodes\": [", "{\"a\":", 1000000, "");
    assert_int_equal(try_symbol(objects, strlen(objects)), MX_FORMAT);
    char *graphs =
        repeat("", "{\"heads\": [[0,0,0]], \"nodes\": [{\"op\": \"a\", \"name\": \"a\", \"inputs\": [], \"subgraphs\": [", 100, "");
    char *closed = repeat(graphs, "]}]}", 100, "");
    assert_int_equal(try_symbol(closed, strlen(closed)), MX_TOO_LARGE);
    struct mx_str texts[] = {{.text = arrays}, {.text = objects}, {.text = graphs}, {.text = closed}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        mx_str_free(&texts[i]);
    }
}

static void test_odd_json_does_no_harm(void **state)
{
    static const char *const texts[] = {
        "",
        "{",
        "{}",
        "[]",
        "null",
        "{\"nodes\"",
        "{\"nodes\":",
        "{\"nodes\": 1}",
        "{\"nodes\": {}}",
        "{\"nodes\": [], \"heads\": []}",
        "{\"nodes\": [1], \"heads\": []}",
        "{\"nodes\": [[]], \"heads\": []}",
        "{\"nodes\": [{}], \"heads\": []}",
        "{\"heads\": [[0, 0]], \"arg_nodes\": []}",
        "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\", \"inputs\": []}], \"heads\": {}}",
        "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\", \"inputs\": []}], \"heads\": [[0]]}",
        "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\", \"inputs\": []}], \"heads\": [[0, -1]]}",
        "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\", \"inputs\": []}], \"heads\": [[4294967296, 0]]}",
        "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\", \"inputs\": []}], \"heads\": [[9223372036854775808, 0]]}",
        "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\\u0000y\", \"inputs\": []}], \"heads\": [[0, 0]]}",
        "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\xFF\", \"inputs\": []}], \"heads\": [[0, 0]]}",
        "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\"}], \"heads\": [[0, 0]]}",
        "{\"nodes\": [{\"op\": \"f\", \"name\": \"x\", \"inputs\": [[0, 4294967296]]}], \"heads\": [[0, 0]]}",
        "{\"nodes\": [{\"op\": \"f\", \"name\": \"x\", \"inputs\": [], \"attrs\": {\"k\": [1]}}], \"heads\": [[0, 0]]}",
        "{\"nodes\": [{\"op\": \"f\", \"name\": \"x\", \"inputs\": [], \"attrs\": []}], \"heads\": [[0, 0]]}",
        "{\"nodes\": [{\"op\": \"f\", \"name\": \"x\", \"inputs\": [], \"subgraphs\": [1]}], \"heads\": [[0, 0]]}",
        "{\"nodes\": [{\"op\": \"f\", \"name\": \"x\", \"inputs\": [], \"control_deps\": [\"a\"]}], \"heads\": [[0, 0]]}",
        "{\"nodes\": [{\"op\": \"f\", \"name\": \"x\", \"inputs\": [], \"backward_source_id\": 0}], \"heads\": [[0, 0]]}",
        "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\", \"inputs\": []}], \"heads\": [[0, 0]],}",
        "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\", \"inputs\": []}] \"heads\": [[0, 0]]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const int status = try_symbol(texts[i], strlen(texts[i]));
        if (status != MX_FORMAT) {
            fail_msg("%s: status %d", texts[i], status);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_lists_are_refused),
        TEST_IF(MX2ONNX_ZIP, test_cut_npz_files_are_refused),
        cmocka_unit_test(test_cut_symbols_are_refused),
        cmocka_unit_test(test_changed_bytes_do_no_harm),
        cmocka_unit_test(test_hostile_counts_are_refused),
        cmocka_unit_test(test_hostile_sizes_are_refused),
        cmocka_unit_test(test_hostile_sparse_arrays_are_refused),
        cmocka_unit_test(test_deep_json_is_refused),
        cmocka_unit_test(test_odd_json_does_no_harm),
    };
    find_data(argc, argv);
    stride = argc > 3 && strcmp(argv[3], "all") == 0 ? 1 : stride;
    return cmocka_run_group_tests_name("read_robust", tests, NULL, NULL);
}
