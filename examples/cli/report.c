/* Messages for users. */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 4 };

static const char *command;   /* NULL: not known */
static struct cli_kept *kept; /* NULL: failures are printed */

void cli_usage_is_of(const char *name)
{
    command = name;
}

void cli_keep_failures(struct cli_kept *keep)
{
    kept = keep;
}

static void print_message(FILE *out, const char *prefix, mx2onnx_severity severity, const char *message, const char *help)
{
    static const char *const words[] = {"error", "warning", "note"}, before[] = "    help: ";
    static const enum cli_style styles[] = {CLI_RED, CLI_YELLOW, CLI_CYAN};
    fprintf(out, "%s%s%s:%s ", prefix, cli_style(out, styles[severity]), words[severity], cli_style(out, CLI_PLAIN));
    cli_put_wrapped(out, message, strlen(prefix) + strlen(words[severity]) + 2, INDENT);
    fputc('\n', out);
    if (help[0]) {
        fputs(before, out);
        cli_put_wrapped(out, help, sizeof(before) - 1, INDENT);
        fputc('\n', out);
    }
}

void cli_print_error(const char *message, const char *help)
{
    print_message(stderr, "mx2onnx: ", MX2ONNX_SEVERITY_ERROR, message, help);
}

static size_t format_length(const char *format, size_t length, va_list args) CLI_PRINTF(1, 0);
static void report(struct cli_kept *error, const char *format, va_list args) CLI_PRINTF(2, 0);

/* The length of the text that the first `length` bytes of the format make. */
static size_t format_length(const char *format, size_t length, va_list args)
{
    char head[500];
    snprintf(head, sizeof head, "%.*s", (int)length, format);
    format = head;
    const int made = vsnprintf(NULL, 0, format, args);
    return made < 0 ? 0 : (size_t)made;
}

/* Prints or keeps an error. */
static void report(struct cli_kept *error, const char *format, va_list args)
{
    char text[2000];
    const char *mark = strstr(format, CLI_HELP); /* in the format, because a name in the text may contain one too */
    va_list again;
    va_copy(again, args);
    vsnprintf(text, sizeof text, format, args);
    const size_t length = mark ? format_length(format, (size_t)(mark - format), again) : strlen(text);
    va_end(again);
    if (length < strlen(text)) {
        text[length] = 0;
        error->advice[0] = 0;
        cli_append(error->advice, sizeof error->advice, text + length + strlen(CLI_HELP), CLI_MESSAGE);
    }
    cli_append(error->message, sizeof error->message, text, CLI_MESSAGE);
    if (kept) {
        *kept = *error;
    } else {
        cli_print_error(error->message, error->advice);
    }
}

int cli_usage(const char *format, ...)
{
    struct cli_kept error = {.status = MX2ONNX_STATUS_INVALID_ARGUMENT};
    va_list args;
    snprintf(error.advice, sizeof error.advice, "see 'mx2onnx %s%s--help'", command ? command : "", command ? " " : "");
    va_start(args, format);
    report(&error, format, args);
    va_end(args);
    return CLI_USAGE;
}

int cli_error(const char *format, ...)
{
    struct cli_kept error = {.status = MX2ONNX_STATUS_IO};
    va_list args;
    va_start(args, format);
    report(&error, format, args);
    va_end(args);
    return CLI_FAILED;
}

int cli_not_found(const char *format, ...)
{
    struct cli_kept error = {.status = MX2ONNX_STATUS_NOT_FOUND};
    va_list args;
    va_start(args, format);
    report(&error, format, args);
    va_end(args);
    return CLI_FAILED;
}

static bool is_plain(const char *text)
{
    bool plain = *text && *text != '=';
    for (const char *p = text; *p; p++) {
        const bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || (*p & 0x80);
        plain = plain && (letter || strchr("_-./,:=+@%", *p));
    }
    return plain;
}

const char *cli_word(char word[CLI_WORD], const char *format, ...)
{
    char text[CLI_MESSAGE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const bool plain = is_plain(text);
    size_t n = 0;
    word[0] = 0;
    for (const char *p = text; *p; p++) {
        const char letter[] = {*p, 0};
        n += (size_t)snprintf(word + n, CLI_WORD - n, "%s", *p == '\'' && !plain ? "'\\''" : letter);
    }
    if (!plain) {
        memmove(word + 1, word, n);
        word[0] = '\'';
        memcpy(word + n + 1, "'", 2);
    }
    return word;
}

/* ---- kinds: messages that differ only in names and numbers */

struct kind {
    uint64_t hash; /* 0: unused */
    size_t count, printed;
};

struct kinds {
    struct kind *table;
    size_t mask;
};

static uint64_t hash_text(uint64_t hash, const char *text)
{
    bool quoted = false;
    for (; *text; text++) {
        quoted = quoted != (*text == '\'');
        if (!quoted && !(*text >= '0' && *text <= '9')) {
            hash = (hash ^ (unsigned char)*text) * 0x100000001B3u;
        }
    }
    return hash;
}

static struct kind *kind_of(struct kinds *k, const mx2onnx_diagnostic *d)
{
    const char *op = d->severity == MX2ONNX_SEVERITY_NOTE ? "" : d->op; /* an error of each operator is shown */
    const uint64_t hash = hash_text(hash_text(0xCBF29CE484222325u + (uint64_t)d->severity, op), d->message) | 1;
    size_t i = (size_t)(hash >> 7) & k->mask;
    while (k->table[i].hash && k->table[i].hash != hash) {
        i = (i + 1) & k->mask;
    }
    k->table[i].hash = hash;
    return &k->table[i];
}

static bool get(const mx2onnx_model *m, size_t i, int32_t first, int32_t last, mx2onnx_diagnostic *d)
{
    *d = (mx2onnx_diagnostic){.struct_size = sizeof *d};
    return mx2onnx_diagnostic_get(m, i, d) == MX2ONNX_OK && d->severity >= first && d->severity <= last;
}

static bool count_kinds(struct kinds *k, const mx2onnx_model *m, int32_t first, int32_t last)
{
    const size_t count = mx2onnx_diagnostic_count(m);
    size_t size = 16;
    while (size < 2 * count) {
        size *= 2;
    }
    k->table = calloc(size, sizeof *k->table);
    k->mask = size - 1;
    mx2onnx_diagnostic d;
    for (size_t i = 0; k->table && i < count; i++) {
        if (get(m, i, first, last, &d)) {
            kind_of(k, &d)->count++;
        }
    }
    return k->table != NULL;
}

/* ---- printing */

enum { LINE = CLI_LINE, KEPT = 1000 }; /* the library keeps so many diagnostics */

/* True if the message contains the file's name already. */
static bool begins_with(const char *message, const char *name)
{
    const size_t n = strlen(name);
    return message[0] == '\'' && strncmp(message + 1, name, n) == 0 && message[n + 1] == '\'';
}

static void add_place(char line[LINE], const mx2onnx_diagnostic *d)
{
    const char *name = d->attribute[0] ? d->attribute : d->name;
    const bool has_op = d->op[0] && strcmp(d->op, "null") != 0; /* "null" is a variable's */
    if (d->node[0]) {
        cli_append(line, LINE, "node '", 0);
        cli_append(line, LINE, d->node, 2 * CLI_NAME);
        cli_append(line, LINE, has_op ? "' (" : "': ", 0);
    }
    if (has_op) {
        cli_append(line, LINE, d->op, CLI_NAME);
        cli_append(line, LINE, d->node[0] ? "): " : ": ", 0);
    }
    if (name[0] && !begins_with(d->message, name)) {
        cli_append(line, LINE, "'", 0);
        cli_append(line, LINE, name, 2 * CLI_NAME);
        cli_append(line, LINE, "': ", 0);
    }
}

/* A message about an argument begins with the name of the function, which users of the command line do not call. */
static const char *without_function(const char *message)
{
    const size_t length = strspn(message, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return strncmp(message, "mx2onnx_", 8) == 0 && strncmp(message + length, ": ", 2) == 0 ? message + length + 2 : message;
}

static void add_text(char line[LINE], const mx2onnx_diagnostic *d)
{
    add_place(line, d);
    cli_append(line, LINE, without_function(d->message), CLI_MESSAGE);
}

/* The length of "NAME=DIMS" that the advice begins with; DIMS are the last that has a '='. */
static size_t shape_length(const char *advice)
{
    const char *equals = strrchr(advice, '=');
    size_t length = equals ? (size_t)(equals - advice) + 1 + strcspn(equals + 1, " ;)") : 0;
    while (length > 0 && advice[length - 1] == ',') {
        length--;
    }
    return length;
}

/* The library's advice names functions; users of the command line have options. */
static const struct {
    const char *function, *option;
} words[] = {
    {"mx2onnx_set_custom_operator", "--custom FILE.py, or in a program of your own (mx2onnx_set_custom_operator)"},
    {"MX2ONNX_TEXT_UNKNOWN_DOMAIN", "--keep-unknown"},
    {"raise MX2ONNX_OPTION_MEMORY_LIMIT", "give --no-limits"},
    {"raise MX2ONNX_OPTION_EXPANSION_LIMIT", "give --no-limits"},
    {"raise MX2ONNX_OPTION_NODES_LIMIT", "give --no-limits"},
    {"raise MX2ONNX_OPTION_OUTPUT_LIMIT", "give --no-limits"},
    {"MX2ONNX_OPTION_STRUCTURAL_NAMES", "--structural-names"},
    {"leave MX2ONNX_OPTION_OPSET at its default", "omit --opset"},
    {"mx2onnx_set_input_shape: ", "--input "},
    {"mx2onnx_set_input_shape", "--input NAME=DIMS"},
    {"where DIMS are the sizes that it had in MXNet", "where DIMS are the sizes that it had in MXNet, such as 1x3x224x224"},
    {"MX2ONNX_TEXT_PARAM_PREFIX, --prefix", "--prefix"},
    {"allow external data (MX2ONNX_OPTION_EXTERNAL_DATA)", "omit --external never"},
    {"lower MX2ONNX_OPTION_EXTERNAL_THRESHOLD", "give a lower number of bytes: --external always:BYTES"},
    {"mx2onnx_set_input_scale, a factor of 1", "--scale 1"},
    {"mx2onnx_set_input_channels_last", "--channels-last"},
    {"mx2onnx_set_input_mean", "--mean"},
    {"mx2onnx_graph_text", "'mx2onnx inspect MODEL --symbol'"},
    {"mx2onnx_add_output: ", "--output "},
    {"mx2onnx_add_output", "--output"},
    {"mx2onnx_load_net", "--net NAME"},
    {"mx2onnx_load_catalogue_file", "--catalogue"},
    {"mx2onnx_catalogue_name", "'mx2onnx nets'"},
    {"mx2onnx_check_external_data", "'mx2onnx check'"},
    {"MX2ONNX_EXTERNAL_LINK", "--external link"},
    {"load the file that holds them", "give the file that holds them: mx2onnx NET-symbol.json FILE.params"},
    {"give the symbol file of one", "give the symbol file of one, or convert all of a folder with 'mx2onnx many'"},
};

static void put_options(char text[CLI_MESSAGE], const char *advice)
{
    size_t used = 0;
    while (*advice && used + 1 < CLI_MESSAGE) {
        const char *word = NULL;
        for (size_t i = 0; !word && i < sizeof(words) / sizeof(words[0]); i++) {
            const size_t length = strlen(words[i].function);
            if (strncmp(advice, words[i].function, length) == 0 && used + strlen(words[i].option) < CLI_MESSAGE) {
                word = words[i].option;
                advice += length;
            }
        }
        if (word) {
            memcpy(text + used, word, strlen(word));
            used += strlen(word);
            if (strcmp(word, "--input ") == 0) {
                char shape[CLI_WORD];
                const size_t length = shape_length(advice);
                used += (size_t)snprintf(text + used, CLI_MESSAGE - used, "%s", length ? cli_word(shape, "%.*s", (int)length, advice) : "");
                used = used < CLI_MESSAGE ? used : CLI_MESSAGE - 1;
                advice += length;
            }
        } else {
            text[used++] = *advice++;
        }
    }
    text[used] = 0;
}

static void add_advice(char line[LINE], const char *advice)
{
    char text[CLI_MESSAGE];
    put_options(text, advice);
    cli_append(line, LINE, text, CLI_MESSAGE);
}

/* Texts of a diagnostic about an input that has another name in the file, by --rename or a file next to the model: users see that one. */
struct renamed {
    char message[CLI_MESSAGE], advice[CLI_MESSAGE];
};

static void put_renamed(char to[CLI_MESSAGE], const char *text, const char *from, const char *name)
{
    const size_t length = strlen(from);
    size_t used = 0;
    while (*text && used + 1 < CLI_MESSAGE) {
        const char before = used ? to[used - 1] : '\0', after = strncmp(text, from, length) == 0 ? text[length] : '\0';
        if ((before == '\'' && after == '\'') || (before == ' ' && after == '=')) {
            const int n = snprintf(to + used, CLI_MESSAGE - used, "%s", name);
            used = n < 0 || (size_t)n >= CLI_MESSAGE - used ? CLI_MESSAGE - 1 : used + (size_t)n;
            text += length;
        } else {
            to[used++] = *text++;
        }
    }
    to[used] = 0;
}

/* A note about the renaming itself has both names. */
static void use_new_name(const mx2onnx_model *m, mx2onnx_diagnostic *d, struct renamed *texts)
{
    const char *name = d->name[0] ? mx2onnx_get_rename(m, d->name) : NULL;
    if (name && !strstr(d->message, name)) {
        put_renamed(texts->message, d->message, d->name, name);
        put_renamed(texts->advice, d->advice, d->name, name);
        d->message = texts->message;
        d->advice = texts->advice;
        d->name = name;
    }
}

static void print_one(FILE *out, const char *prefix, const mx2onnx_model *m, mx2onnx_diagnostic *d, size_t more)
{
    struct renamed texts;
    char message[LINE] = "", help[LINE] = "";
    use_new_name(m, d, &texts);
    add_text(message, d);
    add_advice(help, d->advice);
    print_message(out, prefix, d->severity, message, help);
    if (more) {
        const bool has_verbose = command && (strcmp(command, "convert") == 0 || strcmp(command, "inspect") == 0);
        const bool all = mx2onnx_diagnostic_count(m) < KEPT, error = d->severity == MX2ONNX_SEVERITY_ERROR;
        fprintf(out, "    and %zu %smore of this kind%s\n", more, all ? "" : "or ",
                error && all  ? " (--json lists them)"
                : error       ? " (--json lists the first)"
                : has_verbose ? " (-v lists them)"
                              : "");
    }
}

void cli_print_diagnostics(FILE *out, const char *prefix, const mx2onnx_model *m, struct cli_which which)
{
    struct kinds kinds;
    mx2onnx_diagnostic d;
    const bool counted = count_kinds(&kinds, m, which.first, which.last);
    for (size_t i = 0; i < mx2onnx_diagnostic_count(m); i++) {
        if (!get(m, i, which.first, which.last, &d)) {
            continue;
        }
        struct kind *kind = counted ? kind_of(&kinds, &d) : NULL;
        if (kind && kind->printed++ >= which.most) {
            continue;
        }
        print_one(out, prefix, m, &d, kind && kind->printed == which.most ? kind->count - which.most : 0);
    }
    free(kinds.table);
}

void cli_json_diagnostics(struct cli_text *out, const mx2onnx_model *m)
{
    static const char *const severities[] = {"error", "warning", "note"};
    char advice[CLI_MESSAGE];
    mx2onnx_diagnostic d;
    cli_text_add(out, "[");
    for (size_t i = 0; get(m, i, MX2ONNX_SEVERITY_ERROR, MX2ONNX_SEVERITY_NOTE, &d); i++) {
        put_options(advice, d.advice);
        const struct {
            const char *key, *text;
        } members[] = {{"severity", severities[d.severity]},
                       {"status", mx2onnx_status_name(d.status)},
                       {"node", d.node},
                       {"op", d.op},
                       {"attribute", d.attribute},
                       {"name", d.name},
                       {"message", without_function(d.message)},
                       {"advice", advice}};
        for (size_t k = 0; k < sizeof(members) / sizeof(members[0]); k++) {
            cli_text_add(out, k ? ", " : i ? ",\n      {" : "\n      {");
            cli_json_add(out, members[k].key);
            cli_text_add(out, ": ");
            cli_json_add(out, members[k].text);
        }
        cli_text_add(out, "}");
    }
    cli_text_add(out, "]");
}

int cli_put_report(FILE *out, mx2onnx_model *m)
{
    static const char key[] = "\"diagnostics\": "; /* the last member; in a text there would be a backslash before its quotes */
    const char *json, *diagnostics = mx2onnx_report_json(m, &json) == MX2ONNX_OK ? strstr(json, key) : NULL;
    char *before = diagnostics ? cli_copy(json, (size_t)(diagnostics - json) + sizeof key - 1) : NULL;
    struct cli_text list = {.failed = !before};
    cli_json_diagnostics(&list, m);
    if (!list.failed) {
        cli_put_json(out, before);
        fputs(list.text, out);
        fputs("\n}\n", out);
    }
    free(before);
    free(list.text);
    return list.failed ? cli_fail(m, MX2ONNX_STATUS_OUT_OF_MEMORY) : CLI_OK;
}

/* The first error. */
static void keep(const mx2onnx_model *m, mx2onnx_status status)
{
    mx2onnx_diagnostic d;
    struct renamed texts;
    *kept = (struct cli_kept){.status = status};
    for (size_t i = 0; i < mx2onnx_diagnostic_count(m) && !kept->message[0]; i++) {
        if (get(m, i, MX2ONNX_SEVERITY_ERROR, MX2ONNX_SEVERITY_ERROR, &d)) {
            use_new_name(m, &d, &texts);
            add_text(kept->message, &d);
            add_advice(kept->advice, d.advice);
        }
    }
    if (!kept->message[0]) {
        snprintf(kept->message, sizeof kept->message, "%s", mx2onnx_status_text(status));
    }
}

int cli_fail(const mx2onnx_model *m, int32_t status)
{
    enum { OF_A_KIND = 20 };
    if (kept) {
        keep(m, status);
        return CLI_FAILED;
    }
    cli_print_diagnostics(stderr, "mx2onnx: ", m, (struct cli_which){MX2ONNX_SEVERITY_ERROR, MX2ONNX_SEVERITY_WARNING, OF_A_KIND});
    if (!mx2onnx_error(m)[0]) {
        cli_print_error(mx2onnx_status_text(status), "");
    }
    return CLI_FAILED;
}

int cli_done(const mx2onnx_model *m, int32_t status)
{
    return status == MX2ONNX_OK ? CLI_OK : cli_fail(m, status);
}

char *cli_copy(const char *text, size_t n)
{
    char *copy = malloc(n + 1);
    if (copy) {
        memcpy(copy, text, n);
        copy[n] = 0;
    }
    return copy;
}

bool cli_ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}
