/* mx2onnx [convert] MODEL [PARAMS...] */
#include "cli/cli.h"
#include "cli/options.h"

#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

struct convert {
    struct cli_choices choices;
    const char *file; /* -o */
    bool json, quiet;
    int verbose;
};

/* ---- progress and interruption */

struct progress {
    bool shown;
    double start, last;
};

/* Quick exports show nothing; long ones update one line ten times a second. */
static int32_t on_progress(const mx2onnx_progress *now, void *user)
{
    struct progress *p = user;
    const uint64_t done = now->done, total = now->total;
    const double time = cli_seconds();
    if (total > 0 && time - p->start > 0.5 && (time - p->last > 0.1 || done == total)) {
        char done_text[32], total_text[32];
        cli_format_bytes(done_text, done);
        cli_format_bytes(total_text, total);
        const double part = (double)done / (double)total;
        fprintf(stderr, "\rwriting %3.0f%%  %s of %s\033[K", part * 100, done_text, total_text);
        p->last = time;
        p->shown = true;
    }
    return cli_interrupted(total > 0) ? 1 : 0;
}

static int32_t on_progress_silent(const mx2onnx_progress *now, void *user)
{
    return cli_interrupted(now->total > 0) ? 1 : 0;
}

static void on_log(const mx2onnx_log_entry *entry, void *user)
{
    static const char *const words[] = {"error", "warning", "note", "debug"};
    fprintf(stderr, "%s: ", entry->severity >= 0 && entry->severity <= 3 ? words[entry->severity] : "log");
    cli_put(stderr, entry->message, CLI_MESSAGE);
    fputc('\n', stderr);
}

static int32_t write_stdout(const void *data, size_t size, void *user)
{
    return fwrite(data, 1, size, user) == size ? 0 : 1;
}

/* ---- the conversion */

/* The length of the ending of an archive's name, in any case; 0: it is none. */
static size_t archive_ending(const char *name, size_t length)
{
    for (const char *ending = CLI_ARCHIVES; *ending; ending += strspn(ending, ", ")) {
        const size_t n = strcspn(ending, ",");
        size_t same = 0;
        while (length > n && same < n && tolower((unsigned char)name[length - n + same]) == ending[same]) {
            same++;
        }
        if (same == n) {
            return n;
        }
        ending += n;
    }
    return 0;
}

bool cli_is_archive(const char *name)
{
    return archive_ending(name, strlen(name)) > 0;
}

size_t cli_stem(const char *name, size_t length)
{
    static const char *const endings[] = {"-symbol.json", "-symbol", ".json", ".params"};
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        const size_t n = strlen(endings[i]);
        if (length > n && memcmp(name + length - n, endings[i], n) == 0) {
            return length - n;
        }
    }
    return length - archive_ending(name, length);
}

/* True for ".", "..", and the empty name after a separator: they do not name a model. */
static bool names_nothing(const char *name, size_t length)
{
    return length == 0 || (length == 1 && name[0] == '.') || (length == 2 && name[0] == '.' && name[1] == '.');
}

/* "models/resnet-50-symbol.json" -> "resnet-50.onnx", "resnet/." -> "resnet.onnx", ".." -> "model.onnx": in the current folder. */
static char *default_file(const char *model)
{
    size_t end = strlen(model), start = end;
    do {
        end = start;
        while (end > 0 && cli_is_separator(model[end - 1])) {
            end--;
        }
        start = end;
        while (start > 0 && !cli_is_separator(model[start - 1])) {
            start--;
        }
    } while (start > 0 && end - start == 1 && model[start] == '.');
    const char *name = names_nothing(model + start, end - start) ? "model" : model + start;
    const size_t length = name == model + start ? cli_stem(name, end - start) : strlen(name);
    char *file = malloc(length + sizeof(".onnx"));
    if (file) {
        snprintf(file, length + sizeof(".onnx"), "%.*s.onnx", (int)length, name);
    }
    return file;
}

int32_t cli_export(mx2onnx_model *m, const char *file, bool show)
{
    struct progress progress = {.start = cli_seconds()};
    int32_t status = mx2onnx_set_progress(m, show && cli_width(stderr) > 0 ? on_progress : on_progress_silent, &progress, NULL);
    if (status == MX2ONNX_OK) {
        if (strcmp(file, "-") == 0) {
            cli_make_binary(stdout);
        } else if (!cli_is_stream(file)) {
            cli_catch_interrupts();
        }
        status = strcmp(file, "-") == 0 ? mx2onnx_export_callback(m, write_stdout, stdout, NULL) : mx2onnx_export_file(m, file);
    }
    if (status == MX2ONNX_OK && strcmp(file, "-") == 0 && fflush(stdout) != 0) {
        status = MX2ONNX_STATUS_IO;
    }
    if (progress.shown) {
        fputs("\r\033[K", stderr);
    }
    return status;
}

/* The size of the side file that was written; 0 if there is none, even if a file has its name. */
static uint64_t side_bytes(const mx2onnx_model *m, const char *file)
{
    const char *model = mx2onnx_written_file_name(m, 0), *side = mx2onnx_written_file_name(m, 1);
    const size_t n = model ? strlen(model) : 0;
    uint64_t bytes = 0;
    if (side && strncmp(side, model, n) == 0 && strcmp(side + n, ".data") == 0) {
        char *path = malloc(strlen(file) + sizeof ".data");
        if (path) {
            sprintf(path, "%s.data", file);
            bytes = cli_file_bytes(path);
        }
        free(path);
    }
    return bytes < mx2onnx_written_size(m) ? bytes : 0;
}

static void print_json(mx2onnx_model *m, const char *file)
{
    (void)cli_put_report(strcmp(file, "-") == 0 ? stderr : stdout, m);
}

static void print_sizes(FILE *out, mx2onnx_model *m, const char *file)
{
    char size[32], side[32];
    const uint64_t outside = side_bytes(m, file);
    cli_format_bytes(size, mx2onnx_written_size(m) - outside);
    fprintf(out, "%swrote ", cli_style(out, CLI_BOLD));
    cli_put(out, file, 0);
    fprintf(out, "%s (%s)", cli_style(out, CLI_PLAIN), size);
    if (outside > 0) {
        cli_format_bytes(side, outside);
        fputs(" with its weights in ", out);
        cli_put(out, file, 0);
        fprintf(out, ".data (%s)", side);
    }
    fprintf(out, ", opset %d\n", (int)mx2onnx_written_opset(m));
}

/* Prints the outcome to stdout, or to stderr if the file itself goes to stdout. */
static void print_success(mx2onnx_model *m, const struct convert *o, const char *file)
{
    const bool to_stdout = strcmp(file, "-") == 0;
    FILE *out = to_stdout ? stderr : stdout;
    const size_t nodes = mx2onnx_written_node_count(m), all = o->verbose ? SIZE_MAX : 1;
    const struct cli_which warnings = {MX2ONNX_SEVERITY_WARNING, MX2ONNX_SEVERITY_WARNING, o->verbose ? SIZE_MAX : 3};
    if (!o->quiet) {
        cli_print_diagnostics(stderr, "mx2onnx: ", m, warnings);
    }
    if (o->json) {
        print_json(m, file);
    }
    if (o->json || o->quiet || (to_stdout && !o->verbose)) {
        return;
    }
    if (!to_stdout) {
        print_sizes(out, m, file);
    }
    cli_print_net(out, m, false);
    cli_print_inputs(out, m, &o->choices, "input   ");
    cli_print_outputs(out, m, &o->choices, "output  ");
    fprintf(out, "  %zu node%s\n", nodes, cli_plural(nodes));
    cli_print_diagnostics(out, "  ", m, (struct cli_which){MX2ONNX_SEVERITY_NOTE, MX2ONNX_SEVERITY_NOTE, all});
    cli_print_open_dims(out, m, &o->choices);
}

static int fail(mx2onnx_model *m, const struct convert *o, const char *file, int32_t status)
{
    const bool full = strcmp(file, "-") == 0 && ferror(stdout); /* which cli_finish reports */
    const int result = full ? CLI_FAILED : cli_fail(m, status);
    if (cli_interrupted(false)) {
        fputs("mx2onnx: interrupted; ", stderr);
        cli_put(stderr, file, 0);
        fputs(cli_file_bytes(file) > 0 ? " is as it was\n" : " was not written\n", stderr);
    }
    if (o->json) {
        print_json(m, file);
    }
    return result;
}

static const char *command_name(size_t i)
{
    return cli_commands[i].name;
}

/* A value that a blank separates from its option or name, and that is taken for a file: "--float16 inside", "--keep-unknown my.domain",
 * "--channels-last data", "--input data 1x3x224x224". */
static int check_value(const struct convert *o, const char *word, bool is_model)
{
    char meant[CLI_WORD];
    if (cli_file_bytes(word) > 0 || strpbrk(word, "/\\")) {
        return CLI_OK;
    }
    for (int i = 0; i < o->choices.count; i++) {
        const struct cli_choice *choice = &o->choices.items[i];
        const bool shape = choice->option == CLI_OPT_INPUT || choice->option == CLI_OPT_DYNAMIC;
        if (choice->option == CLI_OPT_FLOAT16 && !choice->text && (strcmp(word, "inside") == 0 || strcmp(word, "all") == 0)) {
            return cli_usage("'%s' is taken for a file" CLI_HELP "did you mean --float16=%s?", word, word);
        }
        if (choice->option == CLI_OPT_KEEP_UNKNOWN && !choice->text && !is_model && cli_stem(word, strlen(word)) == strlen(word)) {
            return cli_usage("'%s' is taken for a file" CLI_HELP "did you mean --keep-unknown=%s?", word, cli_word(meant, "%s", word));
        }
        const bool channels = choice->option == CLI_OPT_CHANNELS_LAST || choice->option == CLI_OPT_REVERSE_CHANNELS;
        if (channels && !choice->text && !is_model && cli_stem(word, strlen(word)) == strlen(word)
            && strspn(word, "0123456789") < strlen(word)) { /* a number is an epoch */
            return cli_usage("'%s' is taken for a file" CLI_HELP "did you mean --%s=%s?", word,
                             choice->option == CLI_OPT_CHANNELS_LAST ? "channels-last" : "reverse-channels", cli_word(meant, "%s", word));
        }
        const bool names = shape && !strpbrk(choice->text, "=,:") && strspn(choice->text, "0123456789x?") < strlen(choice->text);
        if (names && (strchr(word, ',') || strspn(word, "0123456789x") == strlen(word))) {
            return cli_usage("'%s' is taken for a file" CLI_HELP "did you mean --%s %s?", word,
                             choice->option == CLI_OPT_INPUT ? "input" : "dynamic", cli_word(meant, "%s=%s", choice->text, word));
        }
    }
    return CLI_OK;
}

/* What is meant where a word is not a file. */
static int check_paths(const struct convert *o, char **paths, int n_paths)
{
    const char *near[CLI_NEAR];
    char meant[CLI_WORD];
    const bool word = !strpbrk(paths[0], "./\\") && strlen(paths[0]) > 3;
    if (word && cli_file_bytes(paths[0]) == 0 && cli_nearest(paths[0], cli_n_commands, command_name, near) > 0 && n_paths > 1) {
        cli_usage_is_of(near[0]);
        return cli_usage("there is no command or file '%s'" CLI_HELP "did you mean mx2onnx %s?", paths[0], near[0]);
    }
    if (strcmp(paths[0], "-") == 0) {
        return cli_usage("a model is not read from standard input" CLI_HELP "give a file");
    }
    for (int i = 0; i < n_paths; i++) {
        if (check_value(o, paths[i], n_paths == 1 || (i == 0 && !cli_ends_with(paths[1], ".json"))) != CLI_OK) {
            return CLI_USAGE;
        }
    }
    for (int i = 1; i < n_paths; i++) {
        if (cli_ends_with(paths[i], ".onnx") && cli_file_bytes(paths[i]) == 0) {
            return cli_usage("'%s' is given as a file to read" CLI_HELP "to write to it use -o %s", paths[i],
                             cli_word(meant, "%s", paths[i]));
        }
    }
    return CLI_OK;
}

static int run(mx2onnx_model *m, const struct convert *o, char **paths, int n_paths)
{
    const int checked = check_paths(o, paths, n_paths);
    if (checked != CLI_OK) {
        return checked;
    }
    if (o->verbose > 1) {
        (void)mx2onnx_set_log(m, MX2ONNX_SEVERITY_DEBUG, on_log, NULL, NULL);
    }
    int result = cli_load(m, paths, n_paths, &o->choices);
    char *file = o->file ? cli_copy(o->file, strlen(o->file)) : default_file(paths[0]);
    if (!file) {
        return cli_fail(m, MX2ONNX_STATUS_OUT_OF_MEMORY);
    }
    if (result == CLI_FAILED && o->json) {
        print_json(m, file);
    }
    if (result == CLI_OK) {
        const int32_t status = cli_export(m, file, !o->quiet);
        if (status != MX2ONNX_OK) {
            result = fail(m, o, file, status);
        } else {
            print_success(m, o, file);
        }
    }
    free(file);
    return result;
}

/* CLI_OK to continue; *done is set if the command line only asked for help. */
static int parse(struct convert *o, int argc, char **argv, bool *done)
{
    for (int c; (c = cli_next_option(CLI_CONVERT, argc, argv)) != -1;) {
        switch (c) {
        case 'o': o->file = optarg; break;
        case 'v': o->verbose++; break;
        case 'q': o->quiet = true; break;
        case CLI_OPT_JSON: o->json = true; break;
        case 'h':
            cli_print_help(stdout, CLI_CONVERT);
            *done = true;
            return CLI_OK;
        case 'V':
            printf("mx2onnx %s\n", mx2onnx_version());
            *done = true;
            return CLI_OK;
        case '?': return CLI_USAGE;
        default: cli_choices_add(&o->choices, c, optarg);
        }
    }
    if (optind == argc) {
        return cli_usage("no model is given" CLI_HELP "for example: mx2onnx net-symbol.json net-0000.params -o net.onnx");
    }
    if (o->file && !*o->file) {
        return cli_usage("the option '-o' has an empty value" CLI_HELP "write it as -o FILE");
    }
    if (o->file && strcmp(o->file, "-") == 0 && cli_width(stdout) > 0) {
        return cli_usage("an ONNX file cannot be printed on a terminal" CLI_HELP "redirect standard output");
    }
    return CLI_OK;
}

int cli_convert(int argc, char **argv)
{
    struct convert o = {0};
    mx2onnx_model *m = NULL;
    bool done = false;
    int result = CLI_FAILED;
    if (!cli_choices_new(&o.choices, argc) || mx2onnx_model_new(&m) != MX2ONNX_OK) {
        result = cli_fail(NULL, MX2ONNX_STATUS_OUT_OF_MEMORY);
    } else {
        result = parse(&o, argc, argv, &done);
        if (result == CLI_OK && !done) {
            result = run(m, &o, argv + optind, argc - optind);
        }
    }
    mx2onnx_model_free(m);
    cli_choices_free(&o.choices);
    if (result == CLI_FAILED && cli_interrupted(false)) {
        fflush(stdout);
        cli_end_interrupted();
    }
    return result;
}
