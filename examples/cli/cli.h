/* Declarations shared by the parts of the command line. */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "mx2onnx.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* NULL in the C program (program.h). */
struct mx2onnx_host;
extern const struct mx2onnx_host *cli_host;

/* The subcommands, each with its own argv[0]; the result is the exit status. */
int cli_convert(int argc, char **argv);
int cli_many(int argc, char **argv);
int cli_inspect(int argc, char **argv);
int cli_ops(int argc, char **argv);
/* True if cli_ops describes it. */
bool cli_is_operator(const char *name);
int cli_verify(int argc, char **argv);
int cli_nets(int argc, char **argv);
int cli_check(int argc, char **argv);

/* ---- printing (print.c): no byte from a file or a name reaches a terminal unescaped */

/* Prints a text from the model, a file or the command line: control characters, marks that change the direction of writing and invalid
 * UTF-8 are escaped (\n, \x1b, \u202e). A text longer than `most` columns loses its middle; 0 means no limit. Returns the number of
 * columns. */
size_t cli_put(FILE *out, const char *text, size_t most);
/* The same, appended to a buffer of `size` bytes, as far as there is room. */
void cli_append(char *line, size_t size, const char *text, size_t most);
/* The number of columns, without printing. */
size_t cli_columns(const char *text, size_t most);
/* The same, padded to `width` columns. */
void cli_put_padded(FILE *out, const char *text, size_t width);
/* A text of several lines: line ends are kept. */
void cli_put_lines(FILE *out, const char *text);
/* Prints escaped text from column `at` on: on a terminal words are not broken, and continuation lines are indented. */
void cli_put_wrapped(FILE *out, const char *text, size_t at, size_t indent);
/* JSON, where the characters that cli_put escapes get JSON's own escapes; and a text as a JSON string, with its quotes. */
void cli_put_json(FILE *out, const char *json);
void cli_json_string(FILE *out, const char *text);
/* A text that grows; its end is lost when memory runs out. Zeroed it is empty, and `text` NULL; freed by free(text). */
struct cli_text {
    char *text;
    size_t length, room;
    bool failed;
};
void cli_text_add(struct cli_text *t, const char *more);
void cli_json_add(struct cli_text *t, const char *text);
/* "97.8 MB" */
void cli_format_bytes(char out[32], uint64_t bytes);
const char *cli_plural(size_t n);

enum { CLI_NAME = 60, CLI_MESSAGE = 900 }; /* columns of a name in a table, and of a message */

/* The escape sequence on a terminal; "" elsewhere and with NO_COLOR. */
enum cli_style { CLI_PLAIN, CLI_BOLD, CLI_RED, CLI_YELLOW, CLI_CYAN };
const char *cli_style(FILE *out, enum cli_style style);
/* Prints `count` cells of at most `width` columns, downwards, in as many columns as fit on the terminal; elsewhere one per line. `put`
 * returns the number of columns that it printed. */
void cli_put_cells(FILE *out, size_t count, size_t width, size_t (*put)(FILE *out, size_t i, void *user), void *user);
/* Flushes standard output and returns the exit status: CLI_FAILED if something could not be written. */
int cli_finish(int result);

/* ---- messages (report.c) */

#if defined(__MINGW_PRINTF_FORMAT)
#define CLI_PRINTF(text, args) __attribute__((format(__MINGW_PRINTF_FORMAT, text, args)))
#elif defined(__GNUC__)
#define CLI_PRINTF(text, args) __attribute__((format(printf, text, args)))
#else
#define CLI_PRINTF(text, args)
#endif

/* A formatted text as a word of a command that is advised, which a POSIX shell reads as that text: in single quotes where it has a
 * character that means something to a shell. Returns `word`. */
enum { CLI_WORD = 4 * CLI_MESSAGE + 8 }; /* a quote takes four bytes */
const char *cli_word(char word[CLI_WORD], const char *format, ...) CLI_PRINTF(2, 3);
/* Names the command whose help cli_usage points to. */
void cli_usage_is_of(const char *name);
/* In a format: "what is wrong" CLI_HELP "what to do". An empty help is none. */
#define CLI_HELP "\x1f"
/* Prints "mx2onnx: error: what is wrong" to stderr, and below it "    help: what to do"; returns CLI_USAGE. Without CLI_HELP the help
 * is how to see the command's options. */
int cli_usage(const char *format, ...) CLI_PRINTF(1, 2);
/* The same without a help line; returns CLI_FAILED. */
int cli_error(const char *format, ...) CLI_PRINTF(1, 2);
/* The same for a name that the model does not have. */
int cli_not_found(const char *format, ...) CLI_PRINTF(1, 2);
/* The same of texts that are ready to be printed. */
void cli_print_error(const char *message, const char *help);
/* Prints the model's diagnostics of severities `first` to `last`, each with a prefix. Of those that differ only in names and numbers
 * `most` are printed, and the number of others. */
struct cli_which {
    int32_t first, last; /* severities */
    size_t most;         /* of a kind */
};
void cli_print_diagnostics(FILE *out, const char *prefix, const mx2onnx_model *m, struct cli_which which);
/* The model's diagnostics as a JSON array, each as in mx2onnx_report_json, with options in the advice in place of functions. */
void cli_json_diagnostics(struct cli_text *out, const mx2onnx_model *m);
/* mx2onnx_report_json with these diagnostics, and a line break. CLI_FAILED when memory runs out. */
int cli_put_report(FILE *out, mx2onnx_model *m);
/* Prints the reason of a failure to stderr; returns CLI_FAILED. */
int cli_fail(const mx2onnx_model *m, int32_t status);
/* The same after a call that may have succeeded: then CLI_OK. */
int cli_done(const mx2onnx_model *m, int32_t status);
/* From now on cli_usage and cli_fail print nothing, but write the first error to *kept, ready to be printed; NULL ends that. */
enum { CLI_LINE = 4 * CLI_MESSAGE + 2000 }; /* a column takes four bytes at most */
struct cli_kept {
    mx2onnx_status status;
    char message[CLI_LINE], advice[CLI_LINE];
};
void cli_keep_failures(struct cli_kept *kept);

/* ---- names that are nearly right (near.c) */

enum { CLI_NEAR = 3 };
/* Up to CLI_NEAR of `count` names, nearest first; returns how many. */
size_t cli_nearest(const char *name, size_t count, const char *(*get)(size_t i), const char *found[CLI_NEAR]);

/* ---- what convert and many share (convert.c) */

/* The length of a file's name without the ending of a model: that of "net" for "net-symbol.json" and "net.tar.gz". */
size_t cli_stem(const char *name, size_t length);
/* Archives that hold a model; a name may end so in any case. */
#define CLI_ARCHIVES ".zip, .mar, .model, .tar, .tar.gz, .tgz"
bool cli_is_archive(const char *name);
/* Writes to a file, or "-"; a signal ends it. `show`: long exports show their progress on a terminal. */
int32_t cli_export(mx2onnx_model *m, const char *file, bool show);

/* ---- values: the inputs and outputs of a model (values.c) */

struct cli_choices;

/* "  input   data  float32  (batch, 3, 224, 224)", one per line, with the names in the ONNX file. */
void cli_print_inputs(FILE *out, mx2onnx_model *m, const struct cli_choices *c, const char *label);
void cli_print_outputs(FILE *out, mx2onnx_model *m, const struct cli_choices *c, const char *label);

/* ---- the system (system.c, system_windows.c) */

/* Converts main's arguments to UTF-8. */
void cli_arguments(int *argc, char ***argv);
/* Makes the console show UTF-8. */
void cli_start(void);
/* From now on Ctrl-C and other requests to end the program are recorded: the library then removes its temporary file. A second one
 * kills the program. */
void cli_catch_interrupts(void);
bool cli_interrupted(bool writing);
/* Ends the program as interrupted, on systems that distinguish this from a failure: then a shell's loop ends as well. */
void cli_end_interrupted(void);
/* True for a device, a pipe or standard output: there is nothing to tidy up, and a write may wait for a reader for ever. So signals end
 * the process there, as they do before the export. */
bool cli_is_stream(const char *path);
/* The number of columns of a terminal; 0 if it is not one. */
size_t cli_width(FILE *out);
/* For output that is not text. */
void cli_make_binary(FILE *file);
double cli_seconds(void);
uint64_t cli_file_bytes(const char *path);
/* For reading bytes; NULL with errno set. */
FILE *cli_open(const char *path);
/* Calls `each` for the files and folders in a folder, links to folders left out; false with errno set if it cannot be read. */
bool cli_each_entry(const char *folder, void (*each)(const char *name, bool is_folder, void *user), void *user);
/* True if the folder exists then, with *made set if it did not before; false with errno set. */
bool cli_make_folder(const char *path, bool *made);
/* Does nothing if the folder is not empty. */
void cli_remove_folder(const char *path);
/* As strcmp, where the system does not distinguish upper and lower case without that. */
int cli_compare_paths(const char *a, const char *b);
/* A function from a shared library, which stays loaded; if `library` is NULL, from ONNX Runtime where the system finds it. */
void *cli_library_symbol(const char *library, const char *name);
bool cli_is_separator(char c);
/* A copy of the first n bytes as a string, freed by the caller; NULL when memory runs out. */
char *cli_copy(const char *text, size_t n);
bool cli_ends_with(const char *text, const char *end);

/* ---- choices: options common to convert and inspect (choices.c) */

struct cli_choice {
    int option;
    const char *text;
};

struct cli_choices {
    struct cli_choice *items; /* in the order of the command line; applied once the model is loaded */
    int count;
};

/* Room for at most argc choices; false when memory runs out. */
bool cli_choices_new(struct cli_choices *c, int argc);
void cli_choices_free(struct cli_choices *c);
void cli_choices_add(struct cli_choices *c, int option, const char *text);
/* Loads `paths`, the model and parameter files, and applies the choices: CLI_OK, CLI_USAGE, CLI_FAILED. A symbol that comes last is put
 * first. */
int cli_load(mx2onnx_model *m, char **paths, int n_paths, const struct cli_choices *c);
/* CLI_USAGE if a choice is wrong for any model; CLI_FAILED if the catalogue cannot be read. */
int cli_check_choices(const struct cli_choices *c);
/* Makes an input a constant (constant.c), after all other choices: its shape may follow from theirs. Without a model only the form of the
 * text, NAME=VALUE, is checked. */
int cli_set_constant(mx2onnx_model *m, const char *text);
/* Prints one line: the net of the catalogue recognised for parameters without a symbol. `published`: also what was published with it. */
void cli_print_net(FILE *out, mx2onnx_model *m, bool published);
/* Prints dims of inputs that neither the model nor the command line fixes, and how to give them. */
void cli_print_open_dims(FILE *out, mx2onnx_model *m, const struct cli_choices *c);

#endif
