/* Every write of an export fails once: the status is IO, the target is as it was, and nothing else is
 * next to it. The linker sends the library's system calls to support/failing_calls.c. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cmocka.h>

#include "failing_calls.h"
#include "mx2onnx.h"

static const char *sample;
static char folder[4096], target[4200], side[4200];

static mx2onnx_model *prepared(int external)
{
    mx2onnx_model *m = NULL;
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load(m, sample), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){1, 1, 8, 8}, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_EXTERNAL_DATA, external), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_EXTERNAL_THRESHOLD, 1), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_FSYNC, 1), MX2ONNX_OK);
    return m;
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static bool holds(const char *path, const char *text)
{
    char found[64] = {0};
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    const size_t n = fread(found, 1, sizeof(found) - 1, f);
    fclose(f);
    return n == strlen(text) && memcmp(found, text, n) == 0;
}

static int files(void)
{
    int n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        n += e->d_name[0] != '.' || (e->d_name[1] != 0 && e->d_name[1] != '.');
    }
    closedir(d);
    return n;
}

static void nth_write_fails(int external)
{
    mx2onnx_model *m = prepared(external);
    size_t n = 0;
    do {
        put(target, "the old model");
        put(side, "the old weights");
        failing_quiet();
        failing.at = ++n;
        const int32_t status = mx2onnx_export_file(m, target);
        failing.at = 0;
        assert_int_equal(files(), 2);
        if (status == MX2ONNX_OK) {
            assert_false(holds(target, "the old model"));
            assert_true(failing.syncs > (external == MX2ONNX_EXTERNAL_ALWAYS)); /* each file */
        } else {
            assert_int_equal(status, MX2ONNX_STATUS_IO);
            assert_true(failing.failed);
            assert_true(holds(target, "the old model"));
            assert_true(mx2onnx_error(m)[0] != 0);
        }
    } while (failing.failed);
    assert_true(n > 4); /* at least a writev, an fsync, a close and a rename */
    mx2onnx_model_free(m);
}

static void nth_write_of_a_file_fails(void **state)
{
    nth_write_fails(MX2ONNX_EXTERNAL_NEVER);
}

static void nth_write_of_two_files_fails(void **state)
{
    nth_write_fails(MX2ONNX_EXTERNAL_ALWAYS);
}

static void short_writes_are_finished(void **state)
{
    mx2onnx_model *m = prepared(MX2ONNX_EXTERNAL_NEVER);
    void *data = NULL;
    size_t size = 0;
    assert_int_equal(mx2onnx_export_memory(m, &data, &size), MX2ONNX_OK);
    failing.short_writes = true;
    assert_int_equal(mx2onnx_export_file(m, target), MX2ONNX_OK);
    failing.short_writes = false;
    FILE *f = fopen(target, "rb");
    assert_non_null(f);
    char *found = malloc(size + 1);
    assert_int_equal(fread(found, 1, size + 1, f), size);
    assert_memory_equal(found, data, size);
    fclose(f);
    free(found);
    mx2onnx_memory_free(data);
    mx2onnx_model_free(m);
}

struct broken_pipe {
    size_t calls, fail_at;
};

static int32_t write_to_pipe(const void *data, size_t size, void *user)
{
    struct broken_pipe *pipe = user;
    return ++pipe->calls == pipe->fail_at;
}

static void nth_call_of_a_callback_fails(void **state)
{
    mx2onnx_model *m = prepared(MX2ONNX_EXTERNAL_NEVER);
    struct broken_pipe pipe = {0};
    do {
        pipe.fail_at++;
        pipe.calls = 0;
        const int32_t status = mx2onnx_export_callback(m, write_to_pipe, &pipe, NULL);
        assert_int_equal(status, pipe.calls == pipe.fail_at ? MX2ONNX_STATUS_IO : MX2ONNX_OK);
    } while (pipe.calls == pipe.fail_at);
    assert_true(pipe.fail_at > 1);
    mx2onnx_model_free(m);
}

static void a_missing_folder_is_an_error(void **state)
{
    mx2onnx_model *m = prepared(MX2ONNX_EXTERNAL_NEVER);
    char path[4300];
    snprintf(path, sizeof(path), "%s/none/model.onnx", folder);
    const int32_t status = mx2onnx_export_file(m, path);
    assert_true(status == MX2ONNX_STATUS_NOT_FOUND || status == MX2ONNX_STATUS_IO);
    assert_true(mx2onnx_error(m)[0] != 0);
    mx2onnx_model_free(m);
}

static int make_folder(void **state)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%s/mx2onnx-write-XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(target, sizeof(target), "%s/model.onnx", folder);
    snprintf(side, sizeof(side), "%s/model.onnx.data", folder);
    return 0;
}

static int remove_folder(void **state)
{
    remove(target);
    remove(side);
    return rmdir(folder);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nth_write_of_a_file_fails),    cmocka_unit_test(nth_write_of_two_files_fails),
        cmocka_unit_test(short_writes_are_finished),    cmocka_unit_test(nth_call_of_a_callback_fails),
        cmocka_unit_test(a_missing_folder_is_an_error),
    };
    if (argc < 2) {
        return 2;
    }
    sample = argv[1];
    return cmocka_run_group_tests_name("write", tests, make_folder, remove_folder);
}
