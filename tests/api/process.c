/* Callers whose process is not an ordinary one: without standard streams, so that a model's files get their numbers; forked with a
 * model in hand, which parent and child use both. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "mx2onnx.h"

static const char *sample;

static mx2onnx_model *loaded(void)
{
    mx2onnx_model *m = NULL;
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load(m, sample), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){1, 1, 8, 8}, NULL), MX2ONNX_OK);
    return m;
}

/* 0 if the export to `path` has these bytes; no assertion, since a child calls it. */
static int differs(mx2onnx_model *m, const char *path, const void *wanted, size_t size)
{
    char *found = malloc(size + 1);
    int status = 1;
    FILE *f = mx2onnx_export_file(m, path) == MX2ONNX_OK ? fopen(path, "rb") : NULL;
    if (f && found) {
        status = fread(found, 1, size + 1, f) != size || memcmp(found, wanted, size) != 0;
    }
    if (f) {
        fclose(f);
    }
    free(found);
    remove(path);
    return status;
}

static int end_of(pid_t child)
{
    int status = 0;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_model_is_used_on_both_sides_of_a_fork(void **state)
{
    mx2onnx_model *m = loaded();
    void *wanted = NULL;
    size_t size = 0;
    assert_int_equal(mx2onnx_export_memory(m, &wanted, &size), MX2ONNX_OK);
    const pid_t child = fork();
    if (child == 0) {
        const int status = differs(m, "process-child.onnx", wanted, size);
        mx2onnx_model_free(m);
        _exit(status);
    }
    assert_int_equal(differs(m, "process-parent.onnx", wanted, size), 0);
    mx2onnx_model_free(m);
    assert_int_equal(end_of(child), 0);
    mx2onnx_memory_free(wanted);
}

static void nothing_is_written_to_streams_that_are_closed(void **state)
{
    mx2onnx_model *m = loaded();
    void *wanted = NULL;
    size_t size = 0;
    assert_int_equal(mx2onnx_export_memory(m, &wanted, &size), MX2ONNX_OK);
    const pid_t child = fork();
    if (child == 0) {
        close(0);
        close(1);
        close(2);
        mx2onnx_model *other = NULL;
        int status = mx2onnx_model_new(&other) || mx2onnx_load(other, sample); /* its files are 0, 1 and 2 now */
        status = status || mx2onnx_set_input_shape(other, "data", 4, (const int64_t[]){1, 1, 8, 8}, NULL);
        status = status || mx2onnx_load_params_file(other, "no.params") != MX2ONNX_STATUS_NOT_FOUND;
        status = status || differs(other, "process-closed.onnx", wanted, size);
        mx2onnx_model_free(other);
        _exit(status);
    }
    assert_int_equal(end_of(child), 0);
    mx2onnx_model_free(m);
    mx2onnx_memory_free(wanted);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_is_used_on_both_sides_of_a_fork),
        cmocka_unit_test(nothing_is_written_to_streams_that_are_closed),
    };
    if (argc < 2) {
        return 2;
    }
    sample = argv[1];
    return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
