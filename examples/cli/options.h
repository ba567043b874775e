/* The options: a single table, from which the parser, --help, the manual page and the shell completions are made. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

enum { CLI_CONVERT = 1, CLI_INSPECT = 2, CLI_OPS = 4, CLI_VERIFY = 8, CLI_NETS = 16, CLI_CHECK = 32, CLI_MANY = 64, CLI_REPEATED = 128 };

enum cli_argument { CLI_NO_ARGUMENT, CLI_ARGUMENT, CLI_ARGUMENT_OR_NONE };

enum {
    CLI_OPT_INPUT = 1000,
    CLI_OPT_DYNAMIC,
    CLI_OPT_CHANNELS_LAST,
    CLI_OPT_REVERSE_CHANNELS,
    CLI_OPT_MEAN,
    CLI_OPT_SCALE,
    CLI_OPT_OUTPUT,
    CLI_OPT_SET,
    CLI_OPT_RENAME,
    CLI_OPT_METADATA,
    CLI_OPT_PREFIX,
    CLI_OPT_STRUCTURAL_NAMES,
    CLI_OPT_NET,
    CLI_OPT_CLASSES,
    CLI_OPT_CROP,
    CLI_OPT_SEGMENTS,
    CLI_OPT_PUBLISHED,
    CLI_OPT_CATALOGUE,
    CLI_OPT_OPSET,
    CLI_OPT_CUSTOM,
    CLI_OPT_KEEP_UNKNOWN,
    CLI_OPT_FLOAT16,
    CLI_OPT_KEEP_FLOAT32,
    CLI_OPT_FORCE_FLOAT16,
    CLI_OPT_EXTERNAL,
    CLI_OPT_FULL_CHECKSUM,
    CLI_OPT_INITIALIZERS_AS_INPUTS,
    CLI_OPT_KEEP_BATCH_NORM,
    CLI_OPT_FOLD_INPUT_SCALE,
    CLI_OPT_NODE_METADATA,
    CLI_OPT_FOR,
    CLI_OPT_TRUST_INDICES,
    CLI_OPT_FSYNC,
    CLI_OPT_SEED,
    CLI_OPT_NO_LIMITS,
    CLI_OPT_JSON,
    CLI_OPT_GRAPH,
    CLI_OPT_PASSES,
    CLI_OPT_SYMBOL,
    CLI_OPT_MARKDOWN,
    CLI_OPT_STATUS,
    CLI_OPT_GROUP,
    CLI_OPT_DATA,
    CLI_OPT_TOLERANCE,
    CLI_OPT_RECORDER,
    CLI_OPT_RUNTIME
};

struct cli_option {
    const char *name; /* NULL: a letter only */
    char letter;      /* 0: none */
    enum cli_argument has;
    const char *argument; /* its name in help */
    const char *words;    /* offered by completion: words, $(a command that prints them), "FILES", or NULL */
    int id;               /* the letter, or CLI_OPT_... */
    unsigned commands;    /* with CLI_REPEATED it may be repeated */
    const char *help;     /* one paragraph */
};
extern const struct cli_option cli_options[];
extern const size_t cli_n_options;

struct cli_command {
    const char *name;
    unsigned bit;
    const char *summary; /* one line */
    const char *usage;
    const char *text;     /* paragraphs, after the usage */
    const char *examples; /* lines */
    int (*run)(int argc, char **argv);
};
extern const struct cli_command cli_commands[];
extern const size_t cli_n_commands;

/* What the exit status says, of a command or, if it is 0, of all; false if no command has this status. */
bool cli_exit_text(int status, unsigned command, char *text, size_t size);

/* getopt_long over the table: the next option's id, -1 at the end, '?' after an error was printed. Options that have no effect, as their
 * values are replaced or by other options, are errors. */
int cli_next_option(unsigned command, int argc, char **argv);
/* "-q", "--opset 17", "--float16=inside": an option as it is written; `value` is NULL without one. */
void cli_spell_option(int id, const char *value, char *text, size_t size);
void cli_print_help(FILE *out, unsigned command);
void cli_print_overview(FILE *out);

/* documents.c: the manual page in troff, and the completion for a shell (bash, zsh, fish); false if the shell is not supported. */
void cli_print_manual(FILE *out);
bool cli_print_completion(FILE *out, const char *shell);

#endif
