#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc_fail.h"
#include "base/alloc.h"
#include "base/checksum.h"
#include "base/io.h"

enum { BIG = (20 << 20) + 4321 };

static unsigned char *bytes; /* BIG of them, no two pages alike */

/* ---- a folder for each test */

static int set_up(void **state)
{
    char *folder = strdup("io-test-XXXXXX");
    *state = folder;
    return folder && mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int entries(void)
{
    DIR *d = opendir(".");
    int n = 0;
    for (struct dirent *e; (e = readdir(d));) {
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    }
    closedir(d);
    return n;
}

static int tear_down(void **state)
{
    DIR *d = opendir(".");
    for (struct dirent *e; (e = readdir(d));) {
        if (unlink(e->d_name) != 0) {
            rmdir(e->d_name);
        }
    }
    closedir(d);
    const int result = chdir("..") == 0 && rmdir(*state) == 0 && alloc_fail_live() == 0 ? 0 : -1;
    free(*state);
    return result;
}

static int make_bytes(void **state)
{
    bytes = malloc(BIG);
    uint64_t x = 88172645463325252u;
    for (size_t i = 0; bytes && i < BIG; i++) {
        if (i % 8 == 0) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
        }
        bytes[i] = (unsigned char)(x >> (i % 8 * 8));
    }
    return bytes ? 0 : -1;
}

static int free_bytes(void **state)
{
    free(bytes);
    return 0;
}

static void write_file(const char *name, const void *data, size_t size)
{
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static void check_file(const char *name, const void *data, size_t size)
{
    FILE *f = fopen(name, "rb");
    assert_non_null(f);
    unsigned char *got = malloc(size + 1);
    assert_int_equal(fread(got, 1, size + 1, f), size);
    assert_int_equal(memcmp(got, data, size), 0);
    free(got);
    fclose(f);
}

static unsigned mode_of(const char *name)
{
    struct stat st;
    assert_int_equal(stat(name, &st), 0);
    return st.st_mode & 0777u;
}

static struct mx_source *open_source(const char *name)
{
    struct mx_source *s = NULL;
    assert_int_equal(mx_source_open_file(&s, name, NULL), MX_OK);
    return s;
}

static struct mx_sink *open_sink(const char *name)
{
    struct mx_sink *s = NULL;
    assert_int_equal(mx_sink_open_file(&s, name, false, NULL), MX_OK);
    return s;
}

/* ---- sources */

static void refuse(const char *path, int status, const char *expected)
{
    struct mx_source *s = NULL;
    const char *reason = NULL;
    assert_int_equal(mx_source_open_file(&s, path, &reason), status);
    assert_null(s);
    assert_string_equal(reason, expected);
    assert_int_equal(mx_source_open_file(&s, path, NULL), status);
}

static void a_file_that_cannot_be_read_is_refused(void **state)
{
    refuse("nothing", MX_NOT_FOUND, "no such file or folder");
    refuse("", MX_NOT_FOUND, "no such file or folder");
    refuse(".", MX_IO, "it is a folder");
    refuse("/dev/null", MX_IO, "it is not a regular file");
    assert_int_equal(mkfifo("fifo", 0600), 0);
    refuse("fifo", MX_IO, "it is not a regular file"); /* at once, although there is no writer */
    write_file("file", "x", 1);
    refuse("file/x", MX_NOT_FOUND, "a part of the path is not a folder");
    assert_int_equal(symlink("loop", "loop"), 0);
    refuse("loop", MX_IO, "too many symbolic links");
    mx_source_close(NULL);
}

static void test_a_memory_source_gives_its_bytes(void **state)
{
    struct mx_source *s = NULL;
    assert_int_equal(mx_source_open_memory(&s, "hello", 5, false), MX_OK);
    assert_int_equal(mx_source_size(s), 5);
    char out[6] = "";
    assert_int_equal(mx_source_read(s, 1, out, 4), MX_OK);
    assert_string_equal(out, "ello");
    assert_int_equal(mx_source_read(s, 2, out, 4), MX_IO);
    assert_int_equal(mx_source_read(s, 5, out, 0), MX_OK);
    assert_int_equal(mx_source_read(s, 6, out, 0), MX_IO);
    assert_int_equal(mx_source_read(s, UINT64_MAX, out, 2), MX_IO);
    const void *w = NULL;
    assert_int_equal(mx_source_window(s, 1, 3, &w), MX_OK);
    assert_memory_equal(w, "ell", 3);
    mx_source_close(s);

    char *own = mx_calloc(3, 1);
    assert_int_equal(mx_source_open_memory(&s, own, 3, true), MX_OK);
    mx_source_close(s); /* frees it: see tear_down */
    assert_int_equal(mx_source_open_memory(&s, NULL, 0, false), MX_OK);
    assert_int_equal(mx_source_window(s, 0, 0, &w), MX_OK);
    assert_non_null(w);
    mx_source_close(s);
}

static void check_window(struct mx_source *s, uint64_t offset, size_t size)
{
    const void *w = NULL;
    assert_int_equal(mx_source_window(s, offset, size, &w), MX_OK);
    assert_int_equal(memcmp(w, bytes + offset, size), 0);
}

static void test_a_file_source_gives_its_bytes(void **state)
{
    write_file("f", bytes, BIG);
    struct mx_source *s = open_source("f");
    assert_int_equal(mx_source_size(s), BIG);
    unsigned char *out = malloc(BIG);
    assert_int_equal(mx_source_read(s, 0, out, BIG), MX_OK);
    assert_int_equal(memcmp(out, bytes, BIG), 0);
    assert_int_equal(mx_source_read(s, BIG - 3, out, 3), MX_OK);
    assert_memory_equal(out, bytes + BIG - 3, 3);
    assert_int_equal(mx_source_read(s, BIG - 3, out, 4), MX_IO);
    assert_int_equal(mx_source_read(s, UINT64_MAX - 1, out, 4), MX_IO);
    free(out);

    /* Around pages, and around the 4 MiB that are mapped ahead. */
    static const size_t sizes[] = {1, 100, 4095, 4096, 4097, 1 << 20, (4 << 20) - 1, 4 << 20, (4 << 20) + 1, MX_WINDOW};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (uint64_t offset = 0; offset + sizes[i] <= BIG; offset += sizes[i] < 5000 ? 1500013 : sizes[i]) {
            check_window(s, offset, sizes[i]);
            check_window(s, offset, sizes[i]);
        }
        check_window(s, BIG - sizes[i], sizes[i]);
        check_window(s, 4096, sizes[i]);
        check_window(s, 4095, sizes[i]);
    }
    for (uint64_t offset = 0; offset + 3001 <= BIG; offset += 3001) {
        check_window(s, offset, 3001);
    }
    const void *w = NULL;
    check_window(s, BIG, 0);
    assert_int_equal(mx_source_window(s, BIG - 5, 6, &w), MX_IO);
    assert_int_equal(mx_source_window(s, BIG + 1, 0, &w), MX_IO);
    assert_int_equal(mx_source_window(s, 0, MX_WINDOW + 1, &w), MX_IO);
    assert_null(w);
    mx_source_close(s);

    write_file("empty", "", 0);
    s = open_source("empty");
    check_window(s, 0, 0);
    assert_int_equal(mx_source_window(s, 0, 1, &w), MX_IO);
    mx_source_close(s);
}

static int32_t read_bytes(uint64_t offset, void *out, size_t size, void *user)
{
    ++*(int *)user;
    memcpy(out, bytes + offset, size);
    return 0;
}

static void test_a_callback_source_reads_ahead(void **state)
{
    int calls = 0;
    struct mx_source *s = NULL;
    assert_int_equal(mx_source_open_callback(&s, BIG, read_bytes, &calls), MX_OK);
    check_window(s, 0, 5000);
    check_window(s, 100, 5000); /* was read ahead */
    assert_int_equal(calls, 1);
    assert_int_equal(mx_source_read(s, BIG, NULL, 0), MX_OK);
    assert_int_equal(calls, 1);
    check_window(s, BIG - 5000, 5000);
    check_window(s, 100, 5000);
    assert_int_equal(calls, 3);
    mx_source_close(s);
}

/* The file becomes shorter while it is open: an error, and no SIGBUS. */
static void a_file_that_shrinks_is_an_error(void **state)
{
    write_file("f", bytes, 1 << 20);
    struct mx_source *s = open_source("f");
    check_window(s, 0, 5000);
    assert_int_equal(truncate("f", 6000), 0);
    const void *w = NULL;
    char out[10];
    assert_int_equal(mx_source_window(s, 500000, 5000, &w), MX_IO);
    assert_int_equal(mx_source_window(s, 5000, 5000, &w), MX_IO); /* was mapped ahead */
    assert_int_equal(mx_source_read(s, 5995, out, 10), MX_IO);
    assert_int_equal(mx_source_read(s, 5990, out, 10), MX_OK);
    struct mx_sink *k = open_sink("out");
    assert_int_equal(mx_sink_copy(k, s, 0, 1 << 20), MX_IO);
    assert_string_equal(mx_sink_reason(k), "the file to copy from cannot be read, or was shortened");
    assert_int_equal(mx_sink_commit(k, NULL), MX_IO);
    mx_sink_close(k);
    mx_source_close(s);
    assert_int_equal(entries(), 1);
}

/* A window that cannot be made ends the one before it, once: what is mapped at its place afterwards belongs to others. */
static void test_a_lost_window_is_unmapped_once(void **state)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const void *w = NULL;
    write_file("f", bytes, BIG);
    struct mx_source *s = open_source("f");
    assert_int_equal(mx_source_window(s, 0, 5000, &w), MX_OK);
    assert_int_equal(truncate("f", 6000), 0);
    assert_int_equal(mx_source_window(s, BIG - 100, 100, &(const void *){NULL}), MX_IO);
    void *place = (void *)((uintptr_t)w & ~(uintptr_t)(page - 1));
    void *other = mmap(place, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_equal(other, place); /* it is free */
    mx_source_close(s);
    assert_int_equal(msync(other, page, MS_ASYNC), 0); /* ENOMEM: nothing is mapped there */
    assert_int_equal(munmap(other, page), 0);
}

/* ---- sinks */

/* Writes in pieces of many sizes, then copies ranges from a file and from memory: bytes[0, BIG) in all. */
static void fill(struct mx_sink *k)
{
    write_file("source", bytes, BIG);
    struct mx_source *file = open_source("source"), *memory = NULL;
    assert_int_equal(mx_source_open_memory(&memory, bytes, BIG, false), MX_OK);
    static const size_t sizes[] = {0, 1, 7, 1000, 65536, 65537, 100000, 1 << 20, (1 << 20) + 1, 3, 2500000, 0, 11};
    enum { N = sizeof sizes / sizeof sizes[0] };
    size_t at = 0;
    for (int i = 0; i < 3 * N; i++) {
        const size_t n = i == 3 * N - 1 ? BIG - at : sizes[i % N] < BIG - at ? sizes[i % N] : BIG - at;
        if (i < N) {
            assert_int_equal(mx_sink_write(k, bytes + at, n), MX_OK);
        } else {
            assert_int_equal(mx_sink_copy(k, i % 3 ? file : memory, at, n), MX_OK);
        }
        at += n;
        assert_int_equal(mx_sink_written(k), at);
    }
    assert_int_equal(at, BIG);
    mx_source_close(file);
    mx_source_close(memory);
    unlink("source");
}

static void test_a_file_sink_changes_the_file_at_its_commit(void **state)
{
    write_file("out", "old", 3);
    struct mx_sink *k = open_sink("out");
    fill(k);
    check_file("out", "old", 3);
    assert_int_equal(entries(), 2);
    assert_int_equal(mx_sink_finish(k), MX_OK);
    assert_int_equal(mx_sink_finish(k), MX_OK);
    check_file("out", "old", 3);
    assert_int_equal(mx_sink_commit(k, NULL), MX_OK);
    assert_int_equal(mx_sink_commit(k, NULL), MX_OK);
    check_file("out", bytes, BIG);
    assert_int_equal(entries(), 1);
    assert_string_equal(mx_sink_reason(k), "");
    assert_int_equal(mx_sink_write(k, "x", 1), MX_INTERNAL);
    mx_sink_close(k);
    check_file("out", bytes, BIG);

    /* Without a commit nothing happened; neither after a finish. */
    for (int i = 0; i < 2; i++) {
        k = open_sink("out");
        assert_int_equal(mx_sink_write(k, "new", 3), MX_OK);
        if (i) {
            assert_int_equal(mx_sink_finish(k), MX_OK);
        }
        mx_sink_close(k);
        check_file("out", bytes, BIG);
        assert_int_equal(entries(), 1);
    }

    /* An empty file, flushed to the disk. */
    assert_int_equal(mx_sink_open_file(&k, "out", true, NULL), MX_OK);
    assert_int_equal(mx_sink_commit(k, NULL), MX_OK);
    mx_sink_close(k);
    check_file("out", "", 0);
    mx_sink_close(NULL);
}

/* A size larger than any file is not an error yet: the writes report it. */
static void test_any_size_can_be_expected(void **state)
{
    static const uint64_t sizes[] = {0, BIG, UINT64_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct mx_sink *k = open_sink("out");
        assert_int_equal(mx_sink_expect(k, sizes[i]), MX_OK);
        fill(k);
        assert_int_equal(mx_sink_commit(k, NULL), MX_OK);
        mx_sink_close(k);
        check_file("out", bytes, BIG);
    }
    struct mx_sink *k = open_sink("out");
    assert_int_equal(mx_sink_expect(k, BIG), MX_OK);
    mx_sink_close(k);
    check_file("out", bytes, BIG);
    assert_int_equal(entries(), 1);
}

static void commit_text(const char *name, const char *text)
{
    struct mx_sink *k = open_sink(name);
    assert_int_equal(mx_sink_write(k, text, strlen(text)), MX_OK);
    assert_int_equal(mx_sink_commit(k, NULL), MX_OK);
    mx_sink_close(k);
}

static void test_files_keep_their_modes_and_links(void **state)
{
    const mode_t old = umask(027);
    commit_text("fresh", "a");
    umask(old);
    assert_int_equal(mode_of("fresh"), 0640);
    assert_int_equal(chmod("fresh", 0600), 0);
    commit_text("fresh", "b");
    assert_int_equal(mode_of("fresh"), 0600);
    check_file("fresh", "b", 1);

    /* A link stays one. */
    assert_int_equal(mkdir("folder", 0755), 0);
    assert_int_equal(symlink("../fresh", "folder/link"), 0);
    commit_text("folder/link", "c");
    check_file("fresh", "c", 1);
    struct stat st;
    assert_int_equal(lstat("folder/link", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    unlink("folder/link");

    /* Unless it leads nowhere. */
    assert_int_equal(symlink("nowhere", "lost"), 0);
    commit_text("lost", "e");
    check_file("lost", "e", 1);
    assert_int_equal(access("nowhere", F_OK), -1);

    /* What a killed process left is not touched: the next name is taken. */
    char left[2][64];
    for (int i = 0; i < 2; i++) {
        snprintf(left[i], sizeof left[i], ".mx2onnx-%ld-%d.%s.old", (long)getpid(), i, i ? "data" : "model");
        write_file(left[i], "old", 3);
    }
    struct mx_sink *side = open_sink("side"), *other = open_sink("fresh");
    write_file("side", "s", 1);
    assert_int_equal(mx_sink_commit(other, side), MX_OK);
    mx_sink_close(other);
    mx_sink_close(side);
    for (int i = 0; i < 2; i++) {
        check_file(left[i], "old", 3);
    }

    /* Two exports to one name do not meet before the end. */
    struct mx_sink *a = open_sink("fresh"), *b = open_sink("fresh");
    assert_int_equal(mx_sink_write(a, "aaa", 3), MX_OK);
    assert_int_equal(mx_sink_write(b, "bb", 2), MX_OK);
    assert_int_equal(mx_sink_commit(b, NULL), MX_OK);
    check_file("fresh", "bb", 2);
    assert_int_equal(mx_sink_commit(a, NULL), MX_OK);
    check_file("fresh", "aaa", 3);
    mx_sink_close(a);
    mx_sink_close(b);

    /* The longest name that there can be: the temporary one is not longer. */
    char name[256];
    memset(name, 'n', 255);
    name[255] = 0;
    commit_text(name, "d");
    check_file(name, "d", 1);

    struct mx_sink *k = NULL;
    const char *reason = NULL;
    assert_int_equal(mx_sink_open_file(&k, "folder", false, &reason), MX_IO);
    assert_string_equal(reason, "it is a folder");
    assert_int_equal(mx_sink_open_file(&k, "none/out", false, &reason), MX_NOT_FOUND);
    assert_string_equal(reason, "no such file or folder");
    assert_int_equal(mx_sink_open_file(&k, "fresh/out", false, &reason), MX_NOT_FOUND);
    assert_null(k);

    /* The folder gets another name before the commit, and before it is given up. */
    k = open_sink("folder/out");
    assert_int_equal(mx_sink_finish(k), MX_OK);
    assert_int_equal(rename("folder", "moved"), 0);
    assert_int_equal(mx_sink_commit(k, NULL), MX_OK);
    mx_sink_close(k);
    check_file("moved/out", "", 0);
    k = open_sink("moved/out");
    assert_int_equal(rename("moved", "folder"), 0);
    mx_sink_close(k);
    assert_int_equal(unlink("folder/out"), 0);
    assert_int_equal(rmdir("folder"), 0); /* is empty */
}

static void a_device_is_written_and_stays_one(void **state)
{
    struct mx_sink *k = open_sink("/dev/null");
    fill(k);
    assert_int_equal(mx_sink_commit(k, NULL), MX_OK);
    mx_sink_close(k);
    struct stat st;
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
}

static void test_a_full_device_is_an_error(void **state)
{
    struct mx_sink *k = open_sink("/dev/full");
    assert_int_equal(mx_sink_write(k, bytes, 1000), MX_OK); /* gathered */
    assert_int_equal(mx_sink_write(k, bytes, 2 << 20), MX_IO);
    assert_string_equal(mx_sink_reason(k), "no space left on the device");
    assert_int_equal(mx_sink_write(k, bytes, 1), MX_IO);
    assert_int_equal(mx_sink_finish(k), MX_IO);
    assert_int_equal(mx_sink_commit(k, NULL), MX_IO);
    mx_sink_close(k);
    k = open_sink("/dev/full");
    assert_int_equal(mx_sink_write(k, bytes, 1000), MX_OK);
    assert_int_equal(mx_sink_commit(k, NULL), MX_IO);
    mx_sink_close(k);
}

static void a_device_that_cannot_be_flushed_is_written(void **state)
{
    struct mx_sink *k = NULL;
    assert_int_equal(mx_sink_open_file(&k, "/dev/null", true, NULL), MX_OK);
    fill(k);
    assert_int_equal(mx_sink_commit(k, NULL), MX_OK);
    mx_sink_close(k);
}

/* Neither SIGPIPE nor SIGXFSZ may end the host program; both do by default. */
static void signals_of_writing_do_not_end_the_program(void **state)
{
    assert_int_equal(mkfifo("fifo", 0600), 0);
    const int reader = open("fifo", O_RDONLY | O_NONBLOCK);
    struct mx_sink *k = open_sink("fifo");
    assert_int_equal(mx_sink_write(k, "hello", 5), MX_OK);
    assert_int_equal(mx_sink_commit(k, NULL), MX_OK);
    mx_sink_close(k);
    char got[8] = "";
    assert_int_equal(read(reader, got, 8), 5);
    assert_string_equal(got, "hello");
    k = open_sink("fifo");
    close(reader);
    assert_int_equal(mx_sink_write(k, bytes, 2 << 20), MX_IO);
    assert_string_equal(mx_sink_reason(k), "the reader closed the pipe");
    mx_sink_close(k);

    struct rlimit limit, old;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    limit = old;
    limit.rlim_cur = 1 << 20;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    k = open_sink("out");
    const int expected = mx_sink_expect(k, 3 << 20);
    const int status = mx_sink_write(k, bytes, 3 << 20);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(expected, MX_OK);
    assert_int_equal(status, MX_IO);
    assert_string_equal(mx_sink_reason(k), "the file is larger than the system allows");
    mx_sink_close(k);
    assert_int_equal(entries(), 1); /* the FIFO */
}

static struct mx_source *spooled(size_t size)
{
    struct mx_spool *spool;
    struct mx_source *s;
    const char *reason = NULL;
    assert_int_equal(mx_spool_open(&spool), MX_OK);
    for (size_t at = 0; at < size; at += 300001) {
        const size_t n = size - at < 300001 ? size - at : 300001;
        assert_int_equal(mx_spool_write(spool, bytes + at, n, &reason), MX_OK);
    }
    assert_int_equal(mx_spool_size(spool), size);
    assert_int_equal(mx_spool_take(spool, &s), MX_OK);
    mx_spool_close(spool);
    return s;
}

static void spooled_bytes_are_read_back(void **state)
{
    static const size_t sizes[] = {0, 1, MX_SPOOL_MEMORY, MX_SPOOL_MEMORY + 1, BIG};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct mx_source *s = spooled(sizes[i]);
        const void *window;
        assert_int_equal(mx_source_size(s), sizes[i]);
        for (size_t at = 0; at < sizes[i]; at += MX_WINDOW) {
            const size_t n = sizes[i] - at < MX_WINDOW ? sizes[i] - at : MX_WINDOW;
            assert_int_equal(mx_source_window(s, at, n, &window), MX_OK);
            assert_memory_equal(window, bytes + at, n);
        }
        mx_source_close(s);
    }
    assert_int_equal(entries(), 0);

    struct mx_spool *spool;
    struct rlimit limit, old;
    const char *reason = NULL;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    limit = old;
    limit.rlim_cur = 1 << 20;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(mx_spool_open(&spool), MX_OK);
    const int status = mx_spool_write(spool, bytes, BIG, &reason);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(status, MX_IO);
    assert_string_equal(reason, "the file is larger than the system allows");
    mx_spool_close(spool);
}

static void a_copy_outside_the_source_is_refused(void **state)
{
    struct mx_source *s, *copy;
    const void *window;
    assert_int_equal(mx_source_open_memory(&s, bytes, 1000, false), MX_OK);
    assert_int_equal(mx_source_copy(&copy, s, 900, 101), MX_IO);
    assert_int_equal(mx_source_copy(&copy, s, 1001, 0), MX_IO);
    assert_int_equal(mx_source_copy(&copy, s, 900, 100), MX_OK);
    mx_source_close(s);
    assert_int_equal(mx_source_window(copy, 0, 100, &window), MX_OK);
    assert_memory_equal(window, bytes + 900, 100);
    mx_source_close(copy);
}

static int32_t read_none(uint64_t offset, void *out, size_t size, void *user)
{
    return 1;
}

static void a_callback_that_fails_is_an_error_of_its_source(void **state)
{
    struct mx_source *s, *copy;
    struct mx_sink *k;
    assert_int_equal(mx_source_open_callback(&s, UINT64_MAX, read_none, NULL), MX_OK);
    assert_int_equal(mx_source_copy(&copy, s, 0, 10), MX_IO);
    assert_string_equal(mx_source_why(s), ": the read callback returned an error");
    assert_int_equal(mx_sink_open_memory(&k), MX_OK);
    assert_int_equal(mx_sink_copy(k, s, 0, UINT64_MAX), MX_OUT_OF_MEMORY); /* before anything is read */
    assert_string_equal(mx_sink_reason(k), "out of memory");
    mx_sink_close(k);
    mx_source_close(s);
    assert_int_equal(mx_source_open_memory(&s, bytes, 10, false), MX_OK);
    assert_string_equal(mx_source_why(s), "");
    mx_source_close(s);
}

/* Some file systems give no number: then it is the same file if it has not changed. */
static void files_are_known_by_their_numbers(void **state)
{
    static const struct {
        struct mx_file_id a, b;
        bool same;
    } rows[] = {
        {{1, 2, 3, 4, 5, 1}, {1, 2, 3, 4, 5, 1}, true},  {{1, 2, 3, 4, 5, 1}, {1, 2, 6, 7, 8, 2}, true},
        {{1, 2, 3, 4, 5, 1}, {9, 2, 3, 4, 5, 1}, false}, {{1, 2, 3, 4, 5, 1}, {1, 9, 3, 4, 5, 1}, false},
        {{1, 0, 3, 4, 5, 1}, {1, 0, 3, 4, 5, 2}, true},  {{1, 0, 3, 4, 5, 1}, {1, 0, 9, 4, 5, 1}, false},
        {{1, 0, 3, 4, 5, 1}, {1, 0, 3, 9, 5, 1}, false}, {{1, 0, 3, 4, 5, 1}, {1, 0, 3, 4, 9, 1}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(mx_file_is(&rows[i].a, &rows[i].b), rows[i].same);
    }
}

struct taker {
    size_t at;
    int calls, fail_at;
};

static int32_t take(const void *data, size_t size, void *user)
{
    struct taker *t = user;
    if (++t->calls == t->fail_at) {
        return 1;
    }
    assert_true(size > 0 && size <= BIG - t->at);
    assert_int_equal(memcmp(data, bytes + t->at, size), 0);
    t->at += size;
    return 0;
}

static void a_callback_receives_all_bytes(void **state)
{
    struct taker t = {0};
    struct mx_sink *k = NULL;
    assert_int_equal(mx_sink_open_callback(&k, take, &t), MX_OK);
    fill(k);
    assert_int_equal(mx_sink_commit(k, NULL), MX_OK);
    mx_sink_close(k);
    assert_int_equal(t.at, BIG);
    const int calls = t.calls;
    assert_true(calls < 60);
    for (int fail_at = 1; fail_at <= 3; fail_at++) {
        t = (struct taker){.fail_at = fail_at};
        assert_int_equal(mx_sink_open_callback(&k, take, &t), MX_OK);
        int status = MX_OK;
        for (size_t at = 0; at < BIG && status == MX_OK; at += 300000) {
            status = mx_sink_write(k, bytes + at, BIG - at < 300000 ? BIG - at : 300000);
        }
        assert_int_equal(status, MX_IO);
        assert_string_equal(mx_sink_reason(k), "the write callback returned an error");
        assert_int_equal(mx_sink_write(k, "x", 1), MX_IO);
        assert_int_equal(mx_sink_commit(k, NULL), MX_IO);
        assert_int_equal(t.calls, fail_at);
        mx_sink_close(k);
    }
}

static void test_a_memory_sink_keeps_what_is_written(void **state)
{
    struct mx_sink *k = NULL;
    void *data = NULL;
    size_t size = 0;
    static const size_t expected[] = {0, 5, BIG - 1, BIG, BIG + 1};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(mx_sink_open_memory(&k), MX_OK);
        assert_int_equal(mx_sink_expect(k, expected[i]), MX_OK);
        fill(k);
        assert_int_equal(mx_sink_commit(k, NULL), MX_OK);
        mx_sink_take_memory(k, &data, &size);
        mx_sink_close(k);
        assert_int_equal(size, BIG);
        assert_int_equal(memcmp(data, bytes, BIG), 0);
        mx_free(data);
    }
    struct mx_source *written = NULL;
    char out[8] = "";
    assert_int_equal(mx_sink_open_memory(&k), MX_OK);
    assert_int_equal(mx_sink_write(k, "hello", 5), MX_OK);
    assert_int_equal(mx_sink_read_back(k, &written), MX_OK);
    assert_int_equal(mx_source_read(written, 1, out, 4), MX_OK);
    assert_string_equal(out, "ello");
    mx_source_close(written);
    mx_sink_close(k);

    assert_int_equal(mx_sink_open_memory(&k), MX_OK);
    assert_int_equal(mx_sink_expect(k, UINT64_MAX), MX_OUT_OF_MEMORY);
    assert_int_equal(mx_sink_write(k, "x", 1), MX_OUT_OF_MEMORY);
    mx_sink_close(k);

    assert_int_equal(mx_sink_open_memory(&k), MX_OK);
    assert_int_equal(mx_sink_commit(k, NULL), MX_OK);
    mx_sink_take_memory(k, &data, &size);
    assert_int_equal(size, 0);
    assert_non_null(data);
    mx_free(data);
    mx_sink_close(k);
    assert_int_equal(mx_sink_open_memory(&k), MX_OK);
    assert_int_equal(mx_sink_write(k, "left", 4), MX_OK);
    mx_sink_close(k);
}

/* A range that the source does not have. */
static void test_a_range_beyond_the_source_is_refused(void **state)
{
    struct mx_source *s = NULL;
    assert_int_equal(mx_source_open_memory(&s, bytes, 100, false), MX_OK);
    static const uint64_t sizes[] = {101, 1 << 20, 100 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct mx_sink *k = open_sink("out");
        assert_int_equal(mx_sink_copy(k, s, 0, sizes[i]), MX_IO);
        mx_sink_close(k);
        assert_int_equal(mx_sink_open_memory(&k), MX_OK);
        assert_int_equal(mx_sink_copy(k, s, 50, sizes[i]), MX_IO);
        mx_sink_close(k);
    }
    mx_source_close(s);
    assert_int_equal(entries(), 0);
}

static bool task(void *user)
{
    struct mx_source *s = NULL;
    struct mx_sink *k[3] = {NULL};
    const char *reason = NULL;
    bool fine = mx_source_open_file(&s, "f", NULL) == MX_OK;
    fine = fine && mx_sink_open_file(&k[0], "link", false, &reason) == MX_OK;
    fine = fine && mx_sink_open_memory(&k[1]) == MX_OK;
    struct taker t = {0};
    fine = fine && mx_sink_open_callback(&k[2], take, &t) == MX_OK;
    for (int i = 0; i < 3 && fine; i++) {
        fine = mx_sink_copy(k[i], s, 0, 100000) == MX_OK && mx_sink_commit(k[i], NULL) == MX_OK;
    }
    for (int i = 0; i < 3; i++) {
        mx_sink_close(k[i]);
    }
    mx_source_close(s);
    return fine;
}

static void test_each_failed_allocation_leaves_the_file_whole(void **state)
{
    write_file("f", bytes, 100000);
    write_file("target", "", 0);
    assert_int_equal(symlink("target", "link"), 0);
    size_t runs = 0;
    const char *wrong = alloc_fail_each(task, NULL, &runs);
    if (wrong) {
        fail_msg("%s", wrong);
    }
    assert_true(runs >= 9);
    check_file("target", bytes, 100000);
    assert_int_equal(entries(), 3);
}

/* ---- how files are told apart */

/* Expected by zlib.crc32 of Python: of all bytes up to 256 KiB, then of 256 blocks of 1024 bytes, block i from
 * i * (size - 1024) // 255. */
static void checksums_of_large_files_are_those_of_samples(void **state)
{
    static const struct {
        size_t size;
        const char *text, *full;
    } rows[] = {
        {0, "0 bytes, crc32 00000000", "0 bytes, crc32 00000000"},
        {1, "1 bytes, crc32 4b0bbe37", "1 bytes, crc32 4b0bbe37"},
        {7, "7 bytes, crc32 54491cdb", "7 bytes, crc32 54491cdb"},
        {9, "9 bytes, crc32 3d351cfe", "9 bytes, crc32 3d351cfe"},
        {262144, "262144 bytes, crc32 134031da", "262144 bytes, crc32 134031da"},
        {262145, "262145 bytes, crc32 1ce79237 of 256 samples", "262145 bytes, crc32 2d1ec5cc"},
        {300001, "300001 bytes, crc32 af3870f0 of 256 samples", "300001 bytes, crc32 c1fe61e0"},
    };
    static unsigned char data[300001];
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (unsigned char)(i * 7 + (i >> 8) * 13 + 3);
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct mx_source *s;
        char text[MX_CHECKSUM_TEXT];
        assert_int_equal(mx_source_open_memory(&s, data, rows[i].size, false), MX_OK);
        assert_int_equal(mx_checksum(s, false, NULL, text), MX_OK);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(mx_checksum_is_full(text), strcmp(rows[i].text, rows[i].full) == 0);
        assert_int_equal(mx_checksum(s, true, NULL, text), MX_OK);
        assert_string_equal(text, rows[i].full);
        mx_source_close(s);
    }
}

static void test_plain_names_are_told_apart(void **state)
{
    static const char *const plain[] = {"net-0000.params", "a", ".x", "...", "a b", "n\xC3\xA9t.params"};
    static const char *const others[] = {"", ".", "..", "a/b", "../a", "/a", "a\\b", "C:a", "a\nb", "a\x7F", "\xFF", "\xC0\xAF"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        assert_true(mx_name_is_plain(plain[i]));
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_false(mx_name_is_plain(others[i]));
    }
}

/* A part of a file has no path: it cannot be named by it. */
static void test_only_a_whole_file_has_a_path(void **state)
{
    struct mx_source *s;
    FILE *f = fopen("f", "wb");
    assert_true(f && fwrite("12345678", 1, 8, f) == 8 && fclose(f) == 0);
    assert_int_equal(mx_source_open_file(&s, "./f", NULL), MX_OK);
    assert_string_equal(mx_source_path(s), "./f");
    assert_true(mx_source_narrow(s, 2, 4));
    assert_null(mx_source_path(s));
    mx_source_close(s);
    assert_int_equal(mx_source_open_memory(&s, "1", 1, false), MX_OK);
    assert_null(mx_source_path(s));
    mx_source_close(s);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_file_that_cannot_be_read_is_refused),
        TEST(test_a_memory_source_gives_its_bytes),
        TEST(test_a_file_source_gives_its_bytes),
        TEST(test_a_callback_source_reads_ahead),
        TEST(a_file_that_shrinks_is_an_error),
        TEST(test_a_lost_window_is_unmapped_once),
        TEST(test_a_file_sink_changes_the_file_at_its_commit),
        TEST(test_any_size_can_be_expected),
        TEST(test_files_keep_their_modes_and_links),
        TEST(a_device_is_written_and_stays_one),
        {access("/dev/full", W_OK) == 0 ? "test_a_full_device_is_an_error" : NULL, test_a_full_device_is_an_error, set_up, tear_down,
         NULL}, /* Linux's */
        TEST(a_device_that_cannot_be_flushed_is_written),
        TEST(signals_of_writing_do_not_end_the_program),
        TEST(spooled_bytes_are_read_back),
        TEST(checksums_of_large_files_are_those_of_samples),
        TEST(test_plain_names_are_told_apart),
        TEST(test_only_a_whole_file_has_a_path),
        TEST(a_copy_outside_the_source_is_refused),
        TEST(a_callback_that_fails_is_an_error_of_its_source),
        TEST(files_are_known_by_their_numbers),
        TEST(a_callback_receives_all_bytes),
        TEST(test_a_memory_sink_keeps_what_is_written),
        TEST(test_a_range_beyond_the_source_is_refused),
        TEST(test_each_failed_allocation_leaves_the_file_whole),
    };
    return cmocka_run_group_tests(tests, make_bytes, free_bytes);
}
