/* Calls that are made again and again: they take no more memory than a few of them, whether they succeed or fail, and a load that failed
 * leaves the model as it was. The linker sends the library's allocations to the functions __wrap_* here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/given.h"
#include "model/model.h"

/* ---- bytes that are allocated */

static size_t live, fail_at, calls;
enum { HEAD = 16 };

static bool fails_now(void)
{
    return ++calls == fail_at;
}

void *__wrap_mx_calloc(size_t count, size_t size);
void *__wrap_mx_realloc(void *old, size_t count, size_t size);
void __wrap_mx_free(void *p);

void *__wrap_mx_calloc(size_t count, size_t size)
{
    if (fails_now() || (size > 0 && count > (SIZE_MAX - HEAD) / size)) {
        return NULL;
    }
    size_t *p = calloc(1, HEAD + count * size);
    if (!p) {
        return NULL;
    }
    *p = count * size;
    live += *p;
    return (char *)p + HEAD;
}

void __wrap_mx_free(void *p)
{
    if (p) {
        size_t *start = (size_t *)(void *)((char *)p - HEAD);
        live -= *start;
        free(start);
    }
}

void *__wrap_mx_realloc(void *old, size_t count, size_t size)
{
    char *p = __wrap_mx_calloc(count, size);
    if (p && old) {
        size_t was;
        memcpy(&was, (char *)old - HEAD, sizeof was);
        memcpy(p, old, was < count * size ? was : count * size);
        __wrap_mx_free(old);
    }
    return p;
}

/* ---- a model */

#define OPEN_NODE "{\"op\":\"null\",\"name\":\"data\",\"attrs\":{\"__shape__\":\"(0, 64)\"},\"inputs\":[]},"
static const char symbol[] =
    "{\"nodes\":[" OPEN_NODE "{\"op\":\"null\",\"name\":\"w\",\"inputs\":[]},"
    "{\"op\":\"FullyConnected\",\"name\":\"fc\",\"attrs\":{\"num_hidden\":\"4\",\"no_bias\":\"True\"},\"inputs\":[[0,0,0],[1,0,0]]},"
    "{\"op\":\"Activation\",\"name\":\"act\",\"attrs\":{\"act_type\":\"relu\"},\"inputs\":[[2,0,0]]}],"
    "\"arg_nodes\":[0,1],\"heads\":[[3,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}";
static const float weight[4 * 64] = {1};
static char long_names[2][3001];

static mx2onnx_model *loaded(void)
{
    mx2onnx_model *m = NULL;
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load_memory(m, symbol, sizeof symbol - 1, NULL, NULL), MX2ONNX_OK);
    assert_true(mx2onnx_diagnostic_count(m) > 0); /* there are no parameters: a message that is kept */
    assert_int_equal(
        given_param(m, "w", given_array(MX2ONNX_DTYPE_FLOAT32, 2, (const int64_t[]){4, 64}, weight, sizeof weight), NULL, NULL),
        MX2ONNX_OK);
    return m;
}

/* ---- calls: i counts them */

static int32_t shape(mx2onnx_model *m, int i)
{
    return mx2onnx_set_input_shape(m, "data", 1 + i % 3, (const int64_t[]){-1, 64, 1}, NULL);
}

static int32_t unknown_input(mx2onnx_model *m, int i)
{
    return mx2onnx_set_input_shape(m, long_names[i % 2], 1, (const int64_t[]){1}, NULL) == MX2ONNX_OK;
}

static int32_t dim_name(mx2onnx_model *m, int i)
{
    (void)mx2onnx_set_input_shape(m, "data", 2, (const int64_t[]){-1, 64}, NULL);
    return mx2onnx_set_input_dim_name(m, "data", 0, i % 3 ? long_names[i % 2] + i % 7 : NULL);
}

static int32_t mean(mx2onnx_model *m, int i)
{
    static const double values[100] = {1};
    return mx2onnx_set_input_mean(m, "data", (size_t)(i % 100), values) | mx2onnx_set_input_scale(m, "data", (size_t)(i % 50), values);
}

static int32_t renamed(mx2onnx_model *m, int i)
{
    return mx2onnx_rename(m, "act", long_names[i % 2] + i % 11);
}

static int32_t parameter(mx2onnx_model *m, int i)
{
    const int64_t dims[] = {4, 64, 1, 1};
    return given_param(m, i % 2 ? "w" : "arg:w", given_array(MX2ONNX_DTYPE_FLOAT32, 2 + i % 3, dims, weight, sizeof weight), NULL, NULL);
}

/* Set and removed, where a file has such an array and where none has. */
static int32_t removed_parameter(mx2onnx_model *m, int i)
{
    const int64_t dims[] = {4, 64, 1, 1};
    const char *name = i % 2 ? "w" : long_names[0];
    int32_t status = given_param(m, name, given_array(MX2ONNX_DTYPE_FLOAT32, 2 + i % 3, dims, weight, sizeof weight), NULL, NULL);
    return status == MX2ONNX_OK ? mx2onnx_remove_param(m, name) : status;
}

static int32_t metadata(mx2onnx_model *m, int i)
{
    return mx2onnx_set_metadata(m, i % 5 ? "key" : long_names[i % 2], i % 3 ? long_names[i % 2] + i % 7 : NULL)
           | mx2onnx_set_metadata(m, i % 11 ? long_names[1] + i % 7 : NULL, NULL);
}

static int32_t domain_version(mx2onnx_model *m, int i)
{
    return mx2onnx_set_domain_version(m, long_names[i % 2], i % 3);
}

static int32_t true_parameter(mx2onnx_model *m, int i)
{
    static const unsigned char twos[100] = {2};
    return given_param(m, "b", given_array(MX2ONNX_DTYPE_BOOL, 1, (const int64_t[]){1 + i % 100}, twos, (size_t)(1 + i % 100)), NULL, NULL);
}

static int32_t damaged_parameter(mx2onnx_model *m, int i)
{
    return given_param(m, "w", given_array(MX2ONNX_DTYPE_FLOAT32, 1, (const int64_t[]){i}, weight, 7), NULL, NULL) == MX2ONNX_OK;
}

static int32_t prefix(mx2onnx_model *m, int i)
{
    return mx2onnx_set_text(m, MX2ONNX_TEXT_PARAM_PREFIX, i % 3 ? long_names[i % 2] + i % 5 : NULL);
}

static int32_t domain(mx2onnx_model *m, int i)
{
    return mx2onnx_set_text(m, MX2ONNX_TEXT_UNKNOWN_DOMAIN, i % 3 ? long_names[i % 2] + i % 5 : NULL);
}

static int32_t half(mx2onnx_model *m, int i)
{
    return mx2onnx_set_node_precision(m, i % 2 ? "fc" : "Activation", i % 3) | mx2onnx_set_option(m, MX2ONNX_OPTION_FLOAT16, i % 2);
}

static int32_t infer_handler(mx2onnx_node *n, void *user)
{
    return 0;
}

static int32_t handler(mx2onnx_model *m, int i)
{
    const mx2onnx_handler handler = {.struct_size = sizeof handler, .output_count = 1, .infer = infer_handler};
    return mx2onnx_set_custom_operator(m, long_names[i / 3 % 2], i % 3 < 2 ? &handler : NULL, NULL, NULL);
}

static int32_t bad_choices(mx2onnx_model *m, int i)
{
    return mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, 99) == MX2ONNX_OK
           || mx2onnx_set_text(m, MX2ONNX_TEXT_TARGET, long_names[0]) == MX2ONNX_OK || mx2onnx_add_output(m, long_names[1]) == MX2ONNX_OK
           || mx2onnx_set_node_precision(m, long_names[0], MX2ONNX_PRECISION_FLOAT32) == MX2ONNX_OK
           || mx2onnx_set_input_dim_name(m, "data", 7, "x") == MX2ONNX_OK || mx2onnx_load_net(m, long_names[0]) == MX2ONNX_OK;
}

static int32_t looks(mx2onnx_model *m, int i)
{
    int32_t status = mx2onnx_rename(m, "act", i % 2 ? "a" : "b");
    for (int k = 0; k < 10; k++) { /* with inference, and without */
        bool seen = mx2onnx_input_count(m) == 1 && mx2onnx_output_name(m, 0) && mx2onnx_operator_count(m) == 2;
        const char *text;
        seen = seen && mx2onnx_report_json(m, &text) == MX2ONNX_OK;
        status |= mx2onnx_infer(m);
        seen = seen && mx2onnx_input_dim_name(m, 0, 0) && mx2onnx_output_dim_name(m, 0, 0);
        status |= !seen;
    }
    return status;
}

static int32_t texts(mx2onnx_model *m, int i)
{
    const char *text;
    return mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text) | mx2onnx_graph_text(m, MX2ONNX_GRAPH_MXNET, &text)
           | mx2onnx_graph_json(m, MX2ONNX_GRAPH_ONNX, &text) | mx2onnx_graph_json(m, MX2ONNX_GRAPH_MXNET, &text);
}

static int32_t exports(mx2onnx_model *m, int i)
{
    void *data = NULL;
    size_t size;
    const int32_t status = mx2onnx_export_memory(m, &data, &size);
    mx2onnx_memory_free(data);
    return status != MX2ONNX_OK || mx2onnx_export_file(m, "no/such/folder/x.onnx") == MX2ONNX_OK;
}

/* A parameter file with an array that no node needs, and then an end that comes too early. */
static const unsigned char damaged[] = {0x12, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 200, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3};

static int32_t bad_loads(mx2onnx_model *m, int i)
{
    return mx2onnx_load_symbol_memory(m, symbol, sizeof symbol - 9) == MX2ONNX_OK
           || mx2onnx_load_symbol_memory(m, symbol, sizeof symbol - 1) == MX2ONNX_OK
           || mx2onnx_load_params_memory(m, damaged, sizeof damaged, NULL, NULL) == MX2ONNX_OK
           || mx2onnx_load_memory(m, "PK\3\4 and no zip", 15, NULL, NULL) == MX2ONNX_OK || mx2onnx_load(m, long_names[0]) == MX2ONNX_OK
           || mx2onnx_load_catalogue_file(m, "no/such/file") == MX2ONNX_OK || mx2onnx_check_external_data(m, "no/such/file") == MX2ONNX_OK;
}

static void no_call_takes_more_memory(void **state)
{
    static const struct {
        const char *name;
        int32_t (*call)(mx2onnx_model *m, int i);
    } all[] = {
        {"shape", shape},
        {"unknown_input", unknown_input},
        {"dim_name", dim_name},
        {"mean", mean},
        {"rename", renamed},
        {"parameter", parameter},
        {"removed_parameter", removed_parameter},
        {"metadata", metadata},
        {"domain_version", domain_version},
        {"true_parameter", true_parameter},
        {"damaged_parameter", damaged_parameter},
        {"prefix", prefix},
        {"domain", domain},
        {"half", half},
        {"handler", handler},
        {"bad_choices", bad_choices},
        {"looks", looks},
        {"texts", texts},
        {"exports", exports},
        {"bad_loads", bad_loads},
    };
    enum { FEW = 400, MANY = 1600 };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        const size_t before = live;
        mx2onnx_model *m = loaded();
        for (int i = 0; i < FEW; i++) {
            if (all[k].call(m, i) != 0) {
                fail_msg("%s: %s", all[k].name, mx2onnx_error(m));
            }
        }
        const size_t after_few = live;
        const uint64_t counted = m->budget.memory, input = m->budget.input;
        for (int i = 0; i < MANY; i++) {
            (void)all[k].call(m, i);
        }
        if (live != after_few || m->budget.memory != counted || m->budget.input != input) {
            fail_msg("%s: %zu bytes, then %zu; counted %zu, then %zu", all[k].name, after_few, live, (size_t)counted,
                     (size_t)m->budget.memory);
        }
        mx2onnx_model_free(m);
        assert_int_equal(live, before);
    }
}

/* What messages take is counted. */
static void messages_are_counted(void **state)
{
    mx2onnx_model *m = loaded();
    assert_int_equal(unknown_input(m, 0), 0); /* reads the names of the graph */
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, 17), MX2ONNX_OK);
    const uint64_t before = m->budget.memory;
    assert_int_equal(unknown_input(m, 0), 0);
    assert_true(m->budget.memory >= before + 3000);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, 17), MX2ONNX_OK);
    assert_int_equal(m->budget.memory, before);
    mx2onnx_model_free(m);
}

/* ---- a load that fails */

static char *read_text(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = malloc(1 << 20);
    *size = fread(text, 1, 1 << 20, f);
    fclose(f);
    return text;
}

static const char *folder_of(const char *name)
{
    static char path[64];
    snprintf(path, sizeof path, "again-%s", name);
    return path;
}

static void write_text(const char *name, const char *text, size_t size)
{
    FILE *f = fopen(folder_of(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static void exports_as(mx2onnx_model *m, const void *wanted, size_t wanted_size)
{
    void *data = NULL;
    size_t size = 0;
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){1, 1, 8, 8}, NULL), MX2ONNX_OK);
    if (mx2onnx_export_memory(m, &data, &size) != MX2ONNX_OK) {
        fail_msg("%s", mx2onnx_error(m));
    }
    assert_int_equal(size, wanted_size);
    assert_memory_equal(data, wanted, size);
    mx2onnx_memory_free(data);
}

static void damaged_parameters_leave_no_symbol(void **state)
{
    size_t symbol_size, params_size, size = 0;
    void *wanted = NULL;
    char *text = read_text(*state, &symbol_size), params_path[4096];
    snprintf(params_path, sizeof params_path, "%.*s-0000.params", (int)(strlen(*state) - strlen("-symbol.json")), (const char *)*state);
    char *params = read_text(params_path, &params_size);
    mx2onnx_model *m = NULL;
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load(m, *state), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){1, 1, 8, 8}, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_export_memory(m, &wanted, &size), MX2ONNX_OK);
    mx2onnx_model_free(m);

    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    write_text("symbol.json", text, symbol_size);
    write_text("0000.params", params, params_size - 100);
    const size_t before = live;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(mx2onnx_load(m, folder_of("symbol.json")), MX2ONNX_STATUS_FORMAT);
        assert_int_equal(mx2onnx_param_count(m), 0);
        assert_int_equal(mx2onnx_input_count(m), 0);
        assert_true(i == 0 || live <= before + (8 << 10)); /* of the message, and blocks that stay for more */
    }
    assert_int_equal(mx2onnx_load_params_file(m, folder_of("0000.params")), MX2ONNX_STATUS_FORMAT);
    write_text("0000.params", params, params_size);
    assert_int_equal(mx2onnx_load(m, folder_of("symbol.json")), MX2ONNX_OK);
    exports_as(m, wanted, size);

    /* And it stays as it is when more is loaded, in vain. */
    assert_int_equal(mx2onnx_load(m, folder_of("symbol.json")), MX2ONNX_STATUS_INVALID_ARGUMENT);
    write_text("0000.params", params, params_size - 100);
    assert_int_equal(mx2onnx_load_params_file(m, folder_of("0000.params")), MX2ONNX_STATUS_FORMAT);
    exports_as(m, wanted, size);
    mx2onnx_model_free(m);
    mx2onnx_memory_free(wanted);
    remove(folder_of("symbol.json"));
    remove(folder_of("0000.params"));
    free(text);
    free(params);
}

/* Parameters of no published net. */
static void parameters_without_a_net_are_not_kept(void **state)
{
    mx2onnx_model *m = NULL;
    size_t params_size;
    char params_path[4096];
    snprintf(params_path, sizeof params_path, "%.*s-0000.params", (int)(strlen(*state) - strlen("-symbol.json")), (const char *)*state);
    char *params = read_text(params_path, &params_size);
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_not_equal(mx2onnx_load_memory(m, params, params_size, NULL, NULL), MX2ONNX_OK);
        assert_int_equal(mx2onnx_param_count(m), 0);
    }
    assert_int_equal(mx2onnx_load(m, *state), MX2ONNX_OK);
    mx2onnx_model_free(m);
    free(params);
}

static size_t stop_at, asked;

static int32_t stop(const mx2onnx_progress *p, void *user)
{
    return ++asked == stop_at;
}

/* Wherever a load ends, the next one works. */
static void a_load_works_after_one_that_ended_early(void **state)
{
    void *wanted = NULL;
    size_t size = 0;
    mx2onnx_model *m = NULL;
    for (int memory = 0; memory < 2; memory++) {
        int32_t status = MX2ONNX_STATUS_CANCELLED;
        for (size_t n = 0; status != MX2ONNX_OK || n < 2; n++) {
            assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
            assert_int_equal(mx2onnx_set_progress(m, stop, NULL, NULL), MX2ONNX_OK);
            stop_at = memory ? 0 : n;
            asked = calls = 0;
            fail_at = memory ? n : 0;
            status = mx2onnx_load(m, *state);
            fail_at = stop_at = 0;
            if (status != MX2ONNX_OK) {
                assert_int_equal(status, memory ? MX2ONNX_STATUS_OUT_OF_MEMORY : MX2ONNX_STATUS_CANCELLED);
                assert_int_equal(mx2onnx_param_count(m), 0);
                assert_int_equal(mx2onnx_load(m, *state), MX2ONNX_OK);
            }
            if (!wanted) {
                assert_int_equal(mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){1, 1, 8, 8}, NULL), MX2ONNX_OK);
                assert_int_equal(mx2onnx_export_memory(m, &wanted, &size), MX2ONNX_OK);
            }
            exports_as(m, wanted, size);
            mx2onnx_model_free(m);
        }
    }
    mx2onnx_memory_free(wanted);
}

/* A loaded model, whose arrays a later file replaces, gets them back when that file has no room. */
static void replaced_parameters_come_back(void **state)
{
    void *wanted = NULL;
    size_t size = 0;
    mx2onnx_model *m = NULL;
    char params_path[4096];
    snprintf(params_path, sizeof params_path, "%.*s-0000.params", (int)(strlen(*state) - strlen("-symbol.json")), (const char *)*state);
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load(m, *state), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){1, 1, 8, 8}, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_export_memory(m, &wanted, &size), MX2ONNX_OK);
    int32_t status = MX2ONNX_STATUS_OUT_OF_MEMORY;
    for (size_t n = 1; status != MX2ONNX_OK; n++) {
        calls = 0;
        fail_at = n;
        status = mx2onnx_load_params_file(m, params_path);
        fail_at = 0;
        assert_true(status == MX2ONNX_OK || status == MX2ONNX_STATUS_OUT_OF_MEMORY);
        exports_as(m, wanted, size);
    }
    mx2onnx_model_free(m);
    mx2onnx_memory_free(wanted);
}

/* ---- numbers of values */

static void values_are_counted_before_they_are_read(void **state)
{
    mx2onnx_model *m = loaded();
    const double *one = malloc(sizeof *one); /* nothing after it */
    static const size_t counts[] = {SIZE_MAX, SIZE_MAX / 8, 32768};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(mx2onnx_set_input_mean(m, "data", counts[i], one), MX2ONNX_STATUS_INVALID_ARGUMENT);
        assert_int_equal(mx2onnx_set_input_scale(m, "data", counts[i], one), MX2ONNX_STATUS_INVALID_ARGUMENT);
    }
    free((void *)(uintptr_t)one);
    mx2onnx_model_free(m);
}

/* Memory that runs out is never reported as an error of the model. */
static void the_shape_of_an_input_is_not_read(void **state)
{
    mx2onnx_model *m = loaded();
    int32_t status = MX2ONNX_STATUS_OUT_OF_MEMORY;
    for (size_t n = 1; status != MX2ONNX_OK; n++) {
        calls = 0;
        fail_at = n;
        status = mx2onnx_set_input_dim_name(m, "data", 0, "batch");
        fail_at = 0;
        assert_true(status == MX2ONNX_OK || status == MX2ONNX_STATUS_OUT_OF_MEMORY);
    }
    mx2onnx_model_free(m);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        return 2;
    }
    memset(long_names[0], 'n', 3000);
    memset(long_names[1], 'm', 3000);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_call_takes_more_memory),
        cmocka_unit_test(messages_are_counted),
        cmocka_unit_test_prestate(damaged_parameters_leave_no_symbol, argv[1]),
        cmocka_unit_test_prestate(parameters_without_a_net_are_not_kept, argv[1]),
        cmocka_unit_test_prestate(a_load_works_after_one_that_ended_early, argv[1]),
        cmocka_unit_test_prestate(replaced_parameters_come_back, argv[1]),
        cmocka_unit_test(values_are_counted_before_they_are_read),
        cmocka_unit_test(the_shape_of_an_input_is_not_read),
    };
    return cmocka_run_group_tests_name("again", tests, NULL, NULL);
}
