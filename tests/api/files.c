/* What a reader computes after an export that failed, or was killed, at any of its system calls: what the old model computed or what the
 * new one does, never a mixture of both. The linker sends the library's system calls to the functions
 * __wrap_* of support/failing_calls.c and here. */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#include <cmocka.h>

#include "../support/given.h"
#include "failing_calls.h"
#include "mx2onnx.h"

enum { WEIGHTS = 4 * 64 };

/* ---- more failing system calls */

ssize_t __real_pread(int fd, void *to, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t size, off_t at)
{
    return failing_now(EIO) ? -1 : __real_pread(fd, to, size, at);
}

ssize_t __real_pread64(int fd, void *to, size_t size, int64_t at);
ssize_t __wrap_pread64(int fd, void *to, size_t size, int64_t at);
ssize_t __wrap_pread64(int fd, void *to, size_t size, int64_t at)
{
    return failing_now(EIO) ? -1 : __real_pread64(fd, to, size, at);
}

int __real_linkat(int a, const char *from, int b, const char *to, int flags);
int __wrap_linkat(int a, const char *from, int b, const char *to, int flags);
int __wrap_linkat(int a, const char *from, int b, const char *to, int flags)
{
    errno = EPERM;
    return failing_now(EPERM) || failing.no_links || failing_busy(from, to) ? -1 : __real_linkat(a, from, b, to, flags);
}

int __real_unlinkat(int folder, const char *name, int flags);
int __wrap_unlinkat(int folder, const char *name, int flags);
int __wrap_unlinkat(int folder, const char *name, int flags)
{
    return failing_now(EPERM) ? -1 : __real_unlinkat(folder, name, flags);
}

/* ---- the folder */

static char base[4096], folder[4200], moved[4200], target[4300], side[4300];

static void path_in(char out[4400], const char *name)
{
    snprintf(out, 4400, "%s/%s", folder, name);
}

/* Calls `each` for each name in the folder, and returns the number of names that are not the model's or its side file's. */
static int others(void (*each)(const char *name))
{
    int n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && strcmp(e->d_name, "x.onnx") != 0
            && strcmp(e->d_name, "x.onnx.data") != 0) {
            n++;
            if (each) {
                each(e->d_name);
            }
        }
    }
    closedir(d);
    return n;
}

static void remove_one(const char *name)
{
    char path[4400];
    path_in(path, name);
    assert_int_equal(unlink(path), 0);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void empty_folder(void)
{
    others(remove_one);
    if (unlink(target) != 0) {
        rmdir(target);
    }
    unlink(side);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* As include/mx2onnx.h says: after a process was killed, the old files get their names back. */
static void put_back_one(const char *name)
{
    char path[4400];
    path_in(path, name);
    if (ends_with(name, ".model.old")) {
        assert_int_equal(rename(path, target), 0);
        unlink(path); /* two names of one file */
    } else if (ends_with(name, ".data.old")) {
        assert_int_equal(rename(path, side), 0);
    }
}

/* ---- two models */

static const char *const symbols[] = {
    "{\"nodes\":[{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]},{\"op\":\"null\",\"name\":\"w\",\"inputs\":[]},"
    "{\"op\":\"FullyConnected\",\"name\":\"first\",\"attrs\":{\"num_hidden\":\"4\",\"no_bias\":\"True\"},\"inputs\":[[0,0,0],[1,0,0]]}],"
    "\"arg_nodes\":[0,1],\"heads\":[[2,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}",
    "{\"nodes\":[{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]},{\"op\":\"null\",\"name\":\"w\",\"inputs\":[]},"
    "{\"op\":\"FullyConnected\",\"name\":\"other\",\"attrs\":{\"num_hidden\":\"4\",\"no_bias\":\"True\"},\"inputs\":[[0,0,0],[1,0,0]]}],"
    "\"arg_nodes\":[0,1],\"heads\":[[2,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}",
};
static float weights[2][WEIGHTS]; /* all 1, all 2 */

static mx2onnx_model *prepared(int which, int external)
{
    mx2onnx_model *m = NULL;
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load_symbol_memory(m, symbols[which], strlen(symbols[which])), MX2ONNX_OK);
    assert_int_equal(given_param(m, "w",
                                 given_array(MX2ONNX_DTYPE_FLOAT32, 2, (const int64_t[]){4, 64}, weights[which], sizeof weights[which]),
                                 NULL, NULL),
                     MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 2, (const int64_t[]){1, 64}, NULL), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_EXTERNAL_DATA, external), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_EXTERNAL_THRESHOLD, 1), MX2ONNX_OK);
    return m;
}

static void export(int which, int external)
{
    mx2onnx_model *m = prepared(which, external);
    assert_int_equal(mx2onnx_export_file(m, target), MX2ONNX_OK);
    mx2onnx_model_free(m);
}

/* ---- a reader */

static size_t read_all(const char *path, unsigned char *out, size_t room)
{
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(out, 1, room, f) : 0;
    if (f) {
        fclose(f);
    }
    return n;
}

/* The payload of the first field `number`, of bytes, in a message; its size is 0 if there is none. */
static const unsigned char *field(const unsigned char *at, size_t size, unsigned number, size_t *found)
{
    const unsigned char *end = at + size;
    *found = 0;
    while (at < end) {
        uint64_t parts[2] = {0, 0}; /* key; value or size */
        for (int i = 0; i < 2; i++) {
            int shift = 0;
            do {
                parts[i] |= (uint64_t)(*at & 127) << shift;
                shift += 7;
            } while (*at++ & 128);
        }
        assert_true((parts[0] & 7) == 0 || (parts[0] & 7) == 2);
        if (parts[0] == (number << 3 | 2)) {
            *found = (size_t)parts[1];
            return at;
        }
        at += (parts[0] & 7) == 2 ? parts[1] : 0;
    }
    return at;
}

/* What the model at the target computes for ones: the model, and the weight that it reads. */
struct computed {
    int model; /* 0, 1; -1: there is none, or its side file is missing */
    float weight;
};

static struct computed compute(void)
{
    static unsigned char bytes[1 << 16], beside[1 << 16];
    const size_t size = read_all(target, bytes, sizeof bytes), beside_size = read_all(side, beside, sizeof beside);
    size_t graph_size, node_size, tensor_size, name_size, raw_size, entry_size;
    if (size == 0) {
        return (struct computed){-1, 0};
    }
    const unsigned char *graph = field(bytes, size, 7, &graph_size), *node = field(graph, graph_size, 1, &node_size);
    const unsigned char *name = field(node, node_size, 3, &name_size), *tensor = field(graph, graph_size, 5, &tensor_size);
    const unsigned char *raw = field(tensor, tensor_size, 9, &raw_size);
    (void)field(tensor, tensor_size, 13, &entry_size);
    assert_int_equal(name_size, 5);
    assert_true(raw_size > 0 || entry_size > 0);
    struct computed c = {memcmp(name, "first", 5) == 0 ? 0 : 1, 0};
    if (entry_size > 0) {
        raw = beside;
        raw_size = beside_size;
    }
    if (raw_size < sizeof weights[0]) {
        return (struct computed){-1, 0};
    }
    memcpy(&c.weight, raw, sizeof c.weight);
    return c;
}

static bool computes(int which)
{
    const struct computed c = compute();
    return c.model == which && c.weight == weights[which][0];
}

static bool computes_nothing(void)
{
    return compute().model < 0;
}

/* ---- what was there before */

struct before {
    bool model, side_file; /* the old model, with its weights in a side file or within */
    bool without_links;
};

static const struct before befores[] = {
    {false, false, false}, {true, false, false}, {false, true, false}, {true, true, false}, {true, true, true},
};
enum { BEFORES = sizeof befores / sizeof befores[0] };

static void arrange(const struct before *b)
{
    failing_quiet();
    empty_folder();
    if (b->model || b->side_file) {
        export(0, b->side_file ? MX2ONNX_EXTERNAL_ALWAYS : MX2ONNX_EXTERNAL_NEVER);
    }
    if (!b->model) {
        unlink(target);
    }
    failing.no_links = b->without_links;
    failing.made = 0;
}

static bool is_as_before(const struct before *b)
{
    return (b->model ? computes(0) : !exists(target)) && exists(side) == b->side_file;
}

/* ---- each call fails, or is the last */

static int all_old_or_temporary; /* files left over that are nothing else */

static void count_known(const char *name)
{
    all_old_or_temporary +=
        strncmp(name, ".mx2onnx-", 9) == 0 && (ends_with(name, ".tmp") || ends_with(name, ".model.old") || ends_with(name, ".data.old"));
}

/* A message about an old file that is left, with this advice. */
static bool tells(const mx2onnx_model *m, const char *advice)
{
    mx2onnx_diagnostic d = {.struct_size = sizeof d};
    for (size_t i = 0; mx2onnx_diagnostic_get(m, i, &d) == MX2ONNX_OK; i++) {
        if (strstr(d.message, ".old'") && strstr(d.advice, advice)) {
            return true;
        }
    }
    return false;
}

static void each_call_fails_once(void **state)
{
    for (int i = 0; i < BEFORES; i++) {
        size_t n = 0, refused = 0;
        mx2onnx_model *m = prepared(1, MX2ONNX_EXTERNAL_ALWAYS);
        assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_FSYNC, 1), MX2ONNX_OK);
        do {
            arrange(&befores[i]);
            failing.at = ++n;
            const int32_t status = mx2onnx_export_file(m, target);
            const bool was_failing = failing.failed, told = tells(m, "you can delete it");
            failing_quiet();
            failing.failed = was_failing;
            assert_true(status == MX2ONNX_OK || (status == MX2ONNX_STATUS_IO && failing.failed));
            assert_true(status == MX2ONNX_OK ? computes(1) : is_as_before(&befores[i]));
            assert_true(mx2onnx_check_external_data(m, target) == MX2ONNX_OK || !exists(target));
            /* Only what could not be removed is left. */
            all_old_or_temporary = 0;
            const int left = others(count_known);
            assert_true(left <= 1 && left == all_old_or_temporary);
            assert_int_equal(told, status == MX2ONNX_OK && left == 1);
            refused += status != MX2ONNX_OK;
        } while (failing.failed);
        assert_true(refused >= 6); /* two writes, a read, an fsync, two renames */
        mx2onnx_model_free(m);
    }
}

/* Whatever happened: what was begun may be there, but nothing wrong is computed, and nothing is lost. */
static bool is_whole_or_unusable(mx2onnx_model *m, const struct before *b, bool *whole)
{
    *whole = computes(1) || (b->model ? computes(0) : !exists(target));
    if (*whole) {
        return true;
    }
    const bool unusable = computes_nothing() && mx2onnx_check_external_data(m, target) != MX2ONNX_OK;
    others(put_back_one);
    return unusable && (!b->model || computes(0));
}

/* True if the calls that should fail were reached. */
static bool more_calls_fail(mx2onnx_model *m, const struct before *b, size_t first, size_t second)
{
    bool whole;
    arrange(b);
    failing.at = first;
    failing.too = second;
    failing.for_good = second == 0;
    const int32_t status = mx2onnx_export_file(m, target);
    const bool reached = failing.made >= first && failing.made >= second;
    const bool told = tells(m, "rename it back");
    const bool fine = status == MX2ONNX_OK ? computes(1) : is_as_before(b);
    failing_quiet();
    assert_true(is_whole_or_unusable(m, b, &whole));
    assert_true(fine || told || !b->side_file);
    return reached;
}

static void two_or_more_calls_fail(void **state)
{
    mx2onnx_model *m = prepared(1, MX2ONNX_EXTERNAL_ALWAYS);
    for (int i = 0; i < BEFORES; i++) {
        size_t n = 1;
        while (more_calls_fail(m, &befores[i], n, 0)) {
            size_t k = n + 1;
            while (more_calls_fail(m, &befores[i], n, k)) {
                k++;
            }
            n++;
        }
        assert_true(n > 6);
    }
    mx2onnx_model_free(m);
}

/* True if the process was killed at call `last`, after call `fails` failed (0: none). */
static bool is_killed(mx2onnx_model *m, const struct before *b, size_t fails, size_t last, bool *whole)
{
    arrange(b);
    failing.at = fails;
    failing.kill_at = last;
    const pid_t child = fork();
    if (child == 0) {
        (void)mx2onnx_export_file(m, target);
        _exit(0);
    }
    int ended = 0;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended));
    failing_quiet();
    assert_true(is_whole_or_unusable(m, b, whole));
    return WEXITSTATUS(ended) == FAILING_KILLED;
}

static void a_killed_export_leaves_a_whole_model(void **state)
{
    mx2onnx_model *m = prepared(1, MX2ONNX_EXTERNAL_ALWAYS);
    for (int i = 0; i < BEFORES; i++) {
        size_t n = 1, unusable = 0;
        bool whole;
        while (is_killed(m, &befores[i], 0, n, &whole)) {
            unusable += !whole;
            n++;
        }
        assert_true(n > 6);
        /* Only between the renames of two pairs. */
        assert_int_equal(unusable, befores[i].without_links ? 3 : befores[i].side_file ? 1 + befores[i].model : 0);
    }
    mx2onnx_model_free(m);
}

static void a_kill_during_the_undoing_leaves_a_whole_model(void **state)
{
    mx2onnx_model *m = prepared(1, MX2ONNX_EXTERNAL_ALWAYS);
    for (int i = 0; i < BEFORES; i++) {
        for (size_t n = 1; n < 40; n++) {
            bool whole;
            for (size_t k = n + 1; is_killed(m, &befores[i], n, k, &whole);) {
                k++;
            }
        }
    }
    mx2onnx_model_free(m);
}

/* ---- single troubles */

static void refused(mx2onnx_model *m, const struct before *b)
{
    assert_int_equal(mx2onnx_export_file(m, target), MX2ONNX_STATUS_IO);
    failing_quiet();
    assert_true(is_as_before(b));
    assert_int_equal(others(NULL), 0);
}

/* As a file that is mounted, one of another user in a sticky folder, and one that is open on Windows. */
static void a_busy_file_is_left_as_it_was(void **state)
{
    static const char *const names[] = {"x.onnx", "x.onnx.data"};
    mx2onnx_model *m = prepared(1, MX2ONNX_EXTERNAL_ALWAYS);
    for (int i = 0; i < BEFORES; i++) {
        for (int k = 0; k < 2; k++) {
            arrange(&befores[i]);
            failing.busy = names[k];
            refused(m, &befores[i]);
        }
    }
    mx2onnx_model_free(m);
}

static const char *folder_to_make;

static int32_t make_a_folder(const mx2onnx_progress *p, void *user)
{
    if (p->total > 0 && folder_to_make) {
        unlink(folder_to_make);
        mkdir(folder_to_make, 0777);
        folder_to_make = NULL;
    }
    return 0;
}

static void a_folder_appears_at_the_target(void **state)
{
    for (int i = 0; i < BEFORES; i++) {
        mx2onnx_model *m = prepared(1, MX2ONNX_EXTERNAL_ALWAYS);
        assert_int_equal(mx2onnx_set_progress(m, make_a_folder, NULL, NULL), MX2ONNX_OK);
        arrange(&befores[i]);
        folder_to_make = target;
        assert_int_equal(mx2onnx_export_file(m, target), MX2ONNX_STATUS_IO);
        assert_non_null(strstr(mx2onnx_error(m), "it is a folder"));
        assert_int_equal(rmdir(target), 0);
        assert_true(exists(side) == befores[i].side_file);
        assert_int_equal(others(NULL), 0);

        arrange(&befores[i]);
        folder_to_make = side;
        assert_int_equal(mx2onnx_export_file(m, target), MX2ONNX_STATUS_IO);
        assert_int_equal(rmdir(side), 0);
        assert_true(exists(target) == befores[i].model);
        assert_int_equal(others(NULL), 0);
        mx2onnx_model_free(m);
    }
}

struct renamed {
    bool done, cancel;
};

static int32_t rename_the_folder(const mx2onnx_progress *p, void *user)
{
    struct renamed *r = user;
    if (p->total > 0 && !r->done) {
        r->done = true;
        assert_int_equal(rename(folder, moved), 0);
    }
    return r->done && r->cancel;
}

/* The files are in the folder that it was. */
static void the_folder_is_renamed(void **state)
{
    for (int cancel = 0; cancel < 2; cancel++) {
        for (int i = 0; i < BEFORES; i++) {
            struct renamed r = {false, cancel};
            mx2onnx_model *m = prepared(1, MX2ONNX_EXTERNAL_ALWAYS);
            assert_int_equal(mx2onnx_set_progress(m, rename_the_folder, &r, NULL), MX2ONNX_OK);
            arrange(&befores[i]);
            assert_int_equal(mx2onnx_export_file(m, target), cancel ? MX2ONNX_STATUS_CANCELLED : MX2ONNX_OK);
            failing_quiet();
            assert_true(r.done);
            assert_int_equal(rename(moved, folder), 0);
            assert_true(cancel ? is_as_before(&befores[i]) : computes(1));
            assert_int_equal(others(NULL), 0);
            mx2onnx_model_free(m);
        }
    }
}

/* A model holds the name of its side file as UTF-8 text. */
static void a_side_file_has_a_name_in_utf8(void **state)
{
    mx2onnx_model *m = prepared(1, MX2ONNX_EXTERNAL_ALWAYS);
    char path[4400];
    failing_quiet();
    empty_folder();
    path_in(path, "\xff.onnx");
    assert_int_equal(mx2onnx_export_file(m, path), MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_int_equal(others(NULL), 0);
    mx2onnx_model_free(m);
    m = prepared(1, MX2ONNX_EXTERNAL_NEVER);
    const char *report = "";
    assert_int_equal(mx2onnx_export_file(m, path), MX2ONNX_OK);
    assert_int_equal(mx2onnx_report_json(m, &report), MX2ONNX_OK);
    assert_non_null(strstr(strstr(report, "\"files\""), "null"));
    mx2onnx_model_free(m);
    assert_int_equal(others(remove_one), 1);
}

/* Nothing is written to a pipe, whose reader would wait for the rest, or over the model itself. */
static void an_unusable_side_file_is_refused(void **state)
{
    mx2onnx_model *m = prepared(1, MX2ONNX_EXTERNAL_ALWAYS);
    arrange(&befores[1]);
    assert_int_equal(mkfifo(side, 0600), 0);
    assert_int_equal(mx2onnx_export_file(m, target), MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(mx2onnx_error(m), ".data' is a device or a pipe"));
    assert_int_equal(unlink(side), 0);
    assert_true(computes(0));
    assert_int_equal(link(target, side), 0);
    assert_int_equal(mx2onnx_export_file(m, target), MX2ONNX_STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(mx2onnx_error(m), "and its side file are the same file"));
    assert_true(computes(0));
    mx2onnx_model_free(m);
    empty_folder();
}

/* ---- which file belongs to which */

static void copy(const char *from, const char *to)
{
    static unsigned char bytes[1 << 16];
    const size_t n = read_all(from, bytes, sizeof bytes);
    FILE *f = fopen(to, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void the_side_file_of_another_is_found(void **state)
{
    char first[4400];
    failing_quiet();
    empty_folder();
    path_in(first, "first");
    export(0, MX2ONNX_EXTERNAL_ALWAYS);
    copy(side, first);
    export(1, MX2ONNX_EXTERNAL_ALWAYS);
    mx2onnx_model *m = prepared(0, MX2ONNX_EXTERNAL_ALWAYS);
    assert_int_equal(mx2onnx_check_external_data(m, target), MX2ONNX_OK);
    copy(first, side); /* as long, and another */
    assert_int_equal(mx2onnx_check_external_data(m, target), MX2ONNX_STATUS_FORMAT);
    assert_non_null(strstr(mx2onnx_error(m), "x.onnx.data"));
    mx2onnx_model_free(m);
    empty_folder();
}

/* The time of a file, which anyone may set, does not make it another file. */
static void a_touched_source_is_still_a_source(void **state)
{
    char symbol[4400], params[4400], elsewhere[4400];
    failing_quiet();
    empty_folder();
    path_in(symbol, "x-symbol.json");
    path_in(params, "x-0000.params");
    const char *sample = *state;
    char sample_params[4400];
    snprintf(sample_params, sizeof sample_params, "%.*s-0000.params", (int)(strlen(sample) - strlen("-symbol.json")), sample);
    copy(sample, symbol);
    copy(sample_params, params);
    mx2onnx_model *m = NULL;
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load(m, symbol), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_input_shape(m, "data", 4, (const int64_t[]){1, 1, 8, 8}, NULL), MX2ONNX_OK);
    const struct utimbuf long_ago = {1, 1};
    const char *const files[] = {symbol, params};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(utime(files[i], &long_ago), 0);
        assert_int_equal(mx2onnx_export_file(m, files[i]), MX2ONNX_STATUS_INVALID_ARGUMENT);
        assert_non_null(strstr(mx2onnx_error(m), "a file that the model was read from"));
    }
    /* A file that has replaced the parameters is not linked in their place, nor are they where links cannot be made. */
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_EXTERNAL_DATA, MX2ONNX_EXTERNAL_LINK), MX2ONNX_OK);
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_EXTERNAL_THRESHOLD, 1), MX2ONNX_OK);
    snprintf(elsewhere, sizeof elsewhere, "%s/none/x.onnx", base);
    assert_int_equal(mx2onnx_export_file(m, elsewhere), MX2ONNX_STATUS_IO);
    assert_non_null(strstr(mx2onnx_error(m), "cannot be made a link to the parameter file: no such file or folder"));
    assert_int_equal(unlink(params), 0);
    copy(sample_params, params);
    snprintf(elsewhere, sizeof elsewhere, "%s/x.onnx", base);
    assert_int_equal(mx2onnx_export_file(m, elsewhere), MX2ONNX_STATUS_IO);
    assert_non_null(strstr(mx2onnx_error(m), "x-0000.params' was changed after it was loaded; load it again"));
    snprintf(elsewhere, sizeof elsewhere, "%s/x-0000.params", base);
    assert_false(exists(elsewhere));
    assert_int_equal(mx2onnx_set_option(m, MX2ONNX_OPTION_EXTERNAL_DATA, MX2ONNX_EXTERNAL_AUTO), MX2ONNX_OK);
    /* A file that has replaced the symbol is another one. */
    assert_int_equal(unlink(symbol), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(mx2onnx_export_file(m, target), MX2ONNX_OK);
    }
    mx2onnx_model_free(m);
    empty_folder();
}

static int make_folder(void **state)
{
    const char *temporary = getenv("TMPDIR");
    snprintf(base, sizeof base, "%s/mx2onnx-files-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(base)) {
        return -1;
    }
    snprintf(folder, sizeof folder, "%s/a", base);
    snprintf(moved, sizeof moved, "%s/b", base);
    snprintf(target, sizeof target, "%s/x.onnx", folder);
    snprintf(side, sizeof side, "%s/x.onnx.data", folder);
    for (int i = 0; i < WEIGHTS; i++) {
        weights[0][i] = 1;
        weights[1][i] = 2;
    }
    return mkdir(folder, 0777);
}

static int remove_folder(void **state)
{
    failing_quiet();
    empty_folder();
    return rmdir(folder) != 0 || rmdir(base) != 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        return 2;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call_fails_once),
        cmocka_unit_test(two_or_more_calls_fail),
        cmocka_unit_test(a_killed_export_leaves_a_whole_model),
        cmocka_unit_test(a_kill_during_the_undoing_leaves_a_whole_model),
        cmocka_unit_test(a_busy_file_is_left_as_it_was),
        cmocka_unit_test(a_folder_appears_at_the_target),
        cmocka_unit_test(the_folder_is_renamed),
        cmocka_unit_test(a_side_file_has_a_name_in_utf8),
        cmocka_unit_test(an_unusable_side_file_is_refused),
        cmocka_unit_test(the_side_file_of_another_is_found),
        cmocka_unit_test_prestate(a_touched_source_is_still_a_source, argv[1]),
    };
    return cmocka_run_group_tests_name("files", tests, make_folder, remove_folder);
}
