/* What the tests of lib/read share: a model's worth of state, files as bytes, and how errors are looked at. */
#ifndef TESTS_READ_COMMON_H
#define TESTS_READ_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "../support/params.h"
#include "../support/test_if.h"
#include "base/str.h"
#include "read/find.h"
#include "read/shapes.h"
#include "read/symbol.h"

/* The folder tests/data, and the one with what its scripts made, from the command line. */
static const char *data_folder = "tests/data", *made_folder = "build/tests/data";

static inline void find_data(int argc, char **argv)
{
    if (argc > 2) {
        data_folder = argv[1];
        made_folder = argv[2];
    }
}

struct world {
    struct mx_arena arena;
    struct mx_diags diags;
    struct mx_params params;
    struct mx_graph graph;
};

static inline void world_open(struct world *w)
{
    *w = (struct world){0};
    w->params.arena = w->graph.arena = &w->arena;
    w->params.diags = w->graph.diags = &w->diags;
}

static inline void world_close(struct world *w)
{
    mx_params_free(&w->params);
    mx_diags_free(&w->diags);
    mx_arena_free(&w->arena);
}

/* Names that begin with "made/" are in made_folder. */
static inline char *data_path(const char *file, char path[4096])
{
    const bool made = strncmp(file, "made/", 5) == 0;
    snprintf(path, 4096, "%s/%s", made ? made_folder : data_folder, made ? file + 5 : file);
    return path;
}

/* The file as bytes, with a NUL at the end; freed by the caller. */
static inline char *slurp(const char *file, size_t *size)
{
    char path[4096];
    FILE *f = fopen(data_path(file, path), "rb");
    if (!f) {
        fail_msg("cannot open %s", path);
    }
    char *data = NULL;
    size_t n = 0;
    do {
        data = realloc(data, n + 65537);
        assert_non_null(data);
        const size_t got = fread(data + n, 1, 65536, f);
        n += got;
        if (got == 0) {
            break;
        }
    } while (1);
    fclose(f);
    data[n] = 0;
    if (size) {
        *size = n;
    }
    return data;
}

static inline int add_file(struct world *w, const char *file)
{
    char path[4096];
    struct mx_source *source;
    const char *reason = NULL;
    assert_int_equal(mx_source_open_file(&source, data_path(file, path), &reason), MX_OK);
    return add_params(&w->params, source, "FILE");
}

static inline int add_memory(struct world *w, const void *data, size_t size)
{
    struct mx_source *source;
    assert_int_equal(mx_source_open_memory(&source, data, size, false), MX_OK);
    return add_params(&w->params, source, "FILE");
}

static inline int read_symbol_memory(struct world *w, const void *data, size_t size)
{
    struct mx_source *source;
    assert_int_equal(mx_source_open_memory(&source, data, size, false), MX_OK);
    const int status = mx_symbol_read(&w->graph, source, "FILE");
    mx_source_close(source);
    return status;
}

static inline int read_symbol_text(struct world *w, const char *text)
{
    return read_symbol_memory(w, text, strlen(text));
}

/* A large file: some bytes, and zeros after them. */
struct beginning {
    const void *bytes;
    size_t n;
    int calls, fail_at; /* 0: no call fails */
};

static inline int32_t read_beginning(uint64_t offset, void *out, size_t size, void *user)
{
    struct beginning *b = user;
    memset(out, 0, size);
    if (offset < b->n) {
        memcpy(out, (const char *)b->bytes + offset, b->n - (size_t)offset < size ? b->n - (size_t)offset : size);
    }
    return ++b->calls == b->fail_at;
}

static inline struct mx_source *large_file(struct beginning *b, uint64_t size)
{
    struct mx_source *source;
    assert_int_equal(mx_source_open_callback(&source, size, read_beginning, b), MX_OK);
    return source;
}

/* All diagnostics as one text; freed by mx_str_free. */
static inline struct mx_str all_messages(const struct world *w)
{
    struct mx_str out = {0};
    for (size_t i = 0; i < w->diags.count; i++) {
        mx_diag_format(&w->diags.items[i], &out);
        mx_str_append(&out, "\n");
    }
    mx_str_append(&out, "");
    return out;
}

static inline void assert_said(const struct world *w, const char *part)
{
    struct mx_str all = all_messages(w);
    if (!all.text || !strstr(all.text, part)) {
        fail_msg("'%s' is not in: %s", part, all.text ? all.text : "(nothing)");
    }
    mx_str_free(&all);
}

/* The array's bytes; freed by the caller. */
static inline unsigned char *param_bytes(const struct mx_param *p)
{
    unsigned char *bytes = calloc(1, (size_t)p->length + 1);
    assert_non_null(bytes);
    assert_int_equal(mx_source_read(p->source, p->offset, bytes, (size_t)p->length), MX_OK);
    return bytes;
}

#endif
