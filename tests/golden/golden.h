/* A golden case: a few lines of MXNet graph, what is asked for, and the text that is expected. See tests/ops/README.md. */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "mx2onnx.h"

enum { MAX_RANK = 32, MAX_DEPTH = 8, MAX_OPSETS = MX2ONNX_OPSET_MAX - MX2ONNX_OPSET_MIN + 1 };

/* ---- text.c: growing texts and files; they end the program when memory runs out */

struct text {
    char *bytes; /* ends in NUL; never NULL after the first append */
    size_t length;
};
void text_add(struct text *t, const char *bytes, size_t n);
void text_format(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void *memory(size_t n);
char *copy_of(const char *s, size_t n);
char *read_file(const char *path); /* NULL if it cannot be read */
bool write_file(const char *path, const char *text);
/* Paths of the files below a folder that end in ".txt", sorted. */
char **list_files(const char *folder, size_t *count);

/* ---- symbol.c: the lines of a case to a symbol file and setters */

/* An input or a parameter. */
struct array {
    char *name;
    int32_t dtype; /* MX2ONNX_DTYPE_UNKNOWN: not given */
    int rank;      /* -1: not given */
    int64_t dims[MAX_RANK];
    char *dim_names[MAX_RANK]; /* "batch"; NULL for a number or "?" */
    double *values;            /* of a parameter */
    size_t n_values;
    void *data;
};

struct symbol {
    json_t *nodes; /* as in the file */
    json_t *heads; /* empty: the last node */
    json_t *ops;   /* {"Pooling": true}: what the nodes here and in subgraphs are */
    struct {
        json_t *nodes, *heads;
    } open[MAX_DEPTH]; /* the graphs around the subgraph that is read */
    size_t n_open;
    int version;   /* 10901 */
    bool np_shape; /* is_np_shape in the file */
    struct array *inputs, *params;
    size_t n_inputs, n_params;
    char *outputs[64], *renames[64][2];
    size_t n_outputs, n_renames;
    char *choices[64]; /* lines that are one call: "float16 all" */
    size_t n_choices;
    int opsets[MAX_OPSETS];
    size_t n_opsets;
    char error[256]; /* what cannot be read, with its line */
};

/* Reads all lines of `text`. False with `error` set if they are not as in README.md. */
bool symbol_parse(struct symbol *s, const char *text);
void symbol_free(struct symbol *s);
/* A new model with everything set. On an error of the library the model is there, with its diagnostics. */
int32_t symbol_model(const struct symbol *s, mx2onnx_model **out);

#endif
