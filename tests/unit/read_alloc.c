/* Every allocation of reading fails once: a clean status, nothing lost. */
#include "read_common.h"

#include <jansson.h>

#include "alloc_fail.h"
#include "base/alloc.h"
#include "op/registry.h"

/* Fails only when memory runs out. */
static bool outcome(int status)
{
    if (status != MX_OK && status != MX_OUT_OF_MEMORY) {
        fail_msg("status %d", status);
    }
    return status == MX_OK;
}

static bool read_params(void *file)
{
    char path[4096];
    struct world w;
    struct mx_source *source;
    world_open(&w);
    int status = mx_source_open_file(&source, data_path(file, path), NULL);
    if (status == MX_OK) {
        status = add_params(&w.params, source, "FILE");
    }
    world_close(&w);
    return outcome(status);
}

static int read_graph(struct world *w, const char *path)
{
    struct mx_source *source;
    struct mx_map ops = {0};
    MX_TRY(mx_source_open_file(&source, path, NULL));
    int status = mx_symbol_read(&w->graph, source, "FILE");
    mx_source_close(source);
    if (status == MX_OK) {
        status = mx_registry_map(&ops, &w->arena);
    }
    if (status == MX_OK) {
        status = mx_graph_upgrade(&w->graph, &ops);
    }
    mx_map_free(&ops);
    return status;
}

static bool read_symbol(void *file)
{
    char path[4096];
    struct world w;
    world_open(&w);
    const int status = read_graph(&w, data_path(file, path));
    world_close(&w);
    return outcome(status);
}

static bool find_model(void *file)
{
    char path[4096];
    struct mx_diags diags = {0};
    struct mx_found found = {0};
    const int status = mx_find_model(data_path(file, path), &found, &diags);
    mx_found_close(&found);
    mx_diags_free(&diags);
    return outcome(status);
}

static void check(bool (*task)(void *), const char *const *files, size_t count, size_t fewest)
{
    for (size_t i = 0; i < count; i++) {
        char file[256];
        size_t runs = 0;
        snprintf(file, sizeof file, "%s", files[i]);
        const char *wrong = alloc_fail_each(task, file, &runs);
        if (wrong) {
            fail_msg("%s: %s", file, wrong);
        }
        assert_true(runs >= fewest);
    }
}

#define CHECK(task, files, fewest) check(task, files, sizeof files / sizeof *files, fewest)

static void a_failed_allocation_while_reading_parameters_is_an_error(void **state)
{
    static const char *const files[] = {
        "samples/nets/1.9.1/mlp-0000.params",
        "samples/params/2.0.0b1/v2_sparse.params",
        "samples/npz/2.0.0b1/npz_sparse.npz",
        "made/read/deflated.npz",
        "made/read/fortran.npz",
        "made/malformed/params/042_bool_byte_2.params",
    };
    CHECK(read_params, files, 5);
}

/* jansson's allocations go the same way, except where its text buffer grows (by doubling, from 16 bytes): jansson does
 * not check whether that worked and reads past the end of its buffer, up to the newest version (strbuffer_append_byte in
 * lex_save). */
union block {
    bool counted;
    max_align_t alignment;
};

static void *json_allocate(size_t size)
{
    const bool counted = size < 32 || (size & (size - 1)) != 0;
    union block *b = counted ? mx_calloc(1, sizeof *b + size) : calloc(1, sizeof *b + size);
    if (!b) {
        return NULL;
    }
    b->counted = counted;
    return b + 1;
}

static void json_release(void *p)
{
    union block *b = p ? (union block *)p - 1 : NULL;
    if (b && b->counted) {
        mx_free(b);
    } else {
        free(b);
    }
}

static void a_failed_allocation_while_reading_symbols_is_an_error(void **state)
{
    static const char *const files[] = {
        "samples/nets/0.8-form/convbn-symbol.json",
        "samples/symbols/1.9.1/cond-symbol.json",
        "samples/symbols/1.9.1/valueforms-symbol.json",
        "made/read/tabs-symbol.json",
    };
    json_set_alloc_funcs(json_allocate, json_release);
    CHECK(read_symbol, files, 100);
    json_set_alloc_funcs(malloc, free);
}

static void a_failed_allocation_while_finding_files_is_an_error(void **state)
{
    static const char *const files[] = {
        "samples/nets/1.9.1/mlp-symbol.json",
        "samples/nets/1.9.1/mlp-0000",
        "samples/archives/mlp.mar",
        "samples/archives/mlp-0.4.model",
#if MX2ONNX_TAR
        "made/read/image_classification.tar.gz",
        "made/read/factorization.tar.gz",
#endif
        "made/read/large.zip",
    };
    CHECK(find_model, files, 3);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST_IF(MX2ONNX_ZIP, a_failed_allocation_while_reading_parameters_is_an_error),
        cmocka_unit_test(a_failed_allocation_while_reading_symbols_is_an_error),
        TEST_IF(MX2ONNX_ZIP, a_failed_allocation_while_finding_files_is_an_error),
    };
    find_data(argc, argv);
    return cmocka_run_group_tests_name("read_alloc", tests, NULL, NULL);
}
