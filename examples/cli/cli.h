/* What the parts of the command line share. */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "mx2onnx.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* The subcommands, each with its own argv[0]; the result is the exit status. */
int cli_convert(int argc, char **argv);
int cli_inspect(int argc, char **argv);
int cli_ops(int argc, char **argv);

/* ---- messages (report.c) */

#if defined(__GNUC__)
#define CLI_PRINTF __attribute__((format(printf, 1, 2)))
#else
#define CLI_PRINTF
#endif

/* "mx2onnx: ..." on stderr, with the way to help; gives CLI_USAGE. */
int cli_usage(const char *format, ...) CLI_PRINTF;
/* Prints the model's diagnostics up to a severity, with a prefix to each. */
void cli_print_diagnostics(FILE *out, const char *prefix, const mx2onnx_model *m, int32_t severity);
/* Says on stderr why something failed; gives CLI_FAILED. */
int cli_fail(const mx2onnx_model *m, int32_t status);
/* "97.8 MB" */
void cli_format_bytes(char out[32], uint64_t bytes);
/* A text as a JSON string, with its quotes. */
void cli_json_string(FILE *out, const char *text);

/* ---- choices: the options that convert and inspect share (choices.c) */

struct cli_choice {
    int option;
    const char *text;
};

struct cli_choices {
    struct cli_choice
        *items; /* in the order of the command line; applied once the model is loaded */
    int count;
};

enum {
    CLI_OPT_INPUT = 1000,
    CLI_OPT_DYNAMIC,
    CLI_OPT_CHANNELS_LAST,
    CLI_OPT_REVERSE_CHANNELS,
    CLI_OPT_MEAN,
    CLI_OPT_SCALE,
    CLI_OPT_OUTPUT,
    CLI_OPT_RENAME,
    CLI_OPT_OPSET,
    CLI_OPT_KEEP_UNKNOWN,
    CLI_OPT_FLOAT16,
    CLI_OPT_KEEP_FLOAT32,
    CLI_OPT_FORCE_FLOAT16,
    CLI_OPT_EXTERNAL,
    CLI_OPT_INITIALIZERS_AS_INPUTS,
    CLI_OPT_KEEP_BATCH_NORM,
    CLI_OPT_FSYNC,
    CLI_OPT_SEED,
    CLI_OPT_JSON,
    CLI_OPT_GRAPH,
    CLI_OPT_SYMBOL,
    CLI_OPT_MARKDOWN,
    CLI_OPT_VERSION
};

/* Rows for getopt_long. */
#define CLI_CHOICE_OPTIONS                                                                         \
    {"input", required_argument, NULL, CLI_OPT_INPUT},                                             \
        {"dynamic", required_argument, NULL, CLI_OPT_DYNAMIC},                                     \
        {"channels-last", optional_argument, NULL, CLI_OPT_CHANNELS_LAST},                         \
        {"reverse-channels", optional_argument, NULL, CLI_OPT_REVERSE_CHANNELS},                   \
        {"mean", required_argument, NULL, CLI_OPT_MEAN},                                           \
        {"scale", required_argument, NULL, CLI_OPT_SCALE},                                         \
        {"output", required_argument, NULL, CLI_OPT_OUTPUT},                                       \
        {"rename", required_argument, NULL, CLI_OPT_RENAME},                                       \
        {"keep-unknown", optional_argument, NULL, CLI_OPT_KEEP_UNKNOWN},                           \
        {"float16", optional_argument, NULL, CLI_OPT_FLOAT16},                                     \
        {"keep-float32", required_argument, NULL, CLI_OPT_KEEP_FLOAT32},                           \
        {"force-float16", required_argument, NULL, CLI_OPT_FORCE_FLOAT16},                         \
    {                                                                                              \
        "opset", required_argument, NULL, CLI_OPT_OPSET                                            \
    }

/* Room for at most argc choices; false when memory runs out. */
bool cli_choices_new(struct cli_choices *c, int argc);
void cli_choices_free(struct cli_choices *c);
void cli_choices_add(struct cli_choices *c, int option, const char *text);
/* Loads `paths` (the model, then parameter files) and applies the choices: CLI_OK, CLI_USAGE,
 * CLI_FAILED. */
int cli_load(mx2onnx_model *m, char **paths, int n_paths, const struct cli_choices *c);

#endif
