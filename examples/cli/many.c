/* mx2onnx many FOLDER|@LIST|- -o FOLDER: converts many models with the same options. */
#include "cli/cli.h"
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

struct model {
    char *path, *file;                                   /* to read, to write */
    size_t base;                                         /* file keeps the folders that path has from here on */
    enum { WAITING, CONVERTED, FAILED, SEARCHED } state; /* SEARCHED: a folder */
    uint64_t bytes;
    size_t warnings;
    mx2onnx_status status; /* of what failed */
    char *message, *advice;
    struct cli_text diagnostics; /* JSON */
};

struct many {
    struct cli_choices choices;
    const char *out;
    bool json, quiet, out_of_memory;
    struct model *models;
    size_t count, room;
    size_t folder; /* whose entries are added */
};

/* ---- which models */

/* Takes `path`, which is NULL when memory ran out. */
static void add(struct many *o, char *path, size_t base, bool folder)
{
    if (path && o->count == o->room) {
        const size_t room = o->room ? 2 * o->room : 64;
        struct model *more = realloc(o->models, room * sizeof *more);
        o->models = more ? more : o->models;
        o->room = more ? room : o->room;
    }
    if (!path || o->count == o->room) {
        o->out_of_memory = true;
        free(path);
        return;
    }
    o->models[o->count++] = (struct model){.path = path, .base = base, .state = folder ? SEARCHED : WAITING};
}

static bool is_model(const char *name)
{
    return cli_ends_with(name, "-symbol.json") || cli_is_archive(name);
}

/* A file .model that is not a zip archive is another program's, such as SentencePiece's. */
static bool is_of_others(const char *path)
{
    char head[2] = {0};
    FILE *f = cli_ends_with(path, ".model") ? cli_open(path) : NULL;
    if (!f) {
        return false;
    }
    const bool zip = fread(head, 1, sizeof head, f) == sizeof head && memcmp(head, "PK", sizeof head) == 0;
    fclose(f);
    return !zip;
}

static void on_entry(const char *name, bool folder, void *user)
{
    struct many *o = user;
    if (!folder && !is_model(name)) {
        return;
    }
    const char *parent = o->models[o->folder].path;
    const size_t n = strlen(parent), separated = n && cli_is_separator(parent[n - 1]);
    char *path = malloc(n + strlen(name) + 2);
    if (path) {
        sprintf(path, "%s%s%s", parent, separated ? "" : "/", name);
    }
    if (path && !folder && is_of_others(path)) {
        free(path);
        return;
    }
    add(o, path, o->models[0].base, folder);
}

static void fail(struct model *it, mx2onnx_status status, const char *message, const char *advice)
{
    it->state = FAILED;
    it->status = status;
    it->message = cli_copy(message, strlen(message));
    it->advice = cli_copy(advice, strlen(advice));
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct model *)a)->path, ((const struct model *)b)->path);
}

/* Folders are appended to the list, and searched in turn; those inside `folder` that cannot be read are failures. */
static int search(struct many *o, const char *folder)
{
    char message[300];
    int result = CLI_OK;
    add(o, cli_copy(folder, strlen(folder)), strlen(folder), true);
    for (o->folder = 0; o->folder < o->count && result == CLI_OK; o->folder++) {
        if (o->models[o->folder].state == SEARCHED && !cli_each_entry(o->models[o->folder].path, on_entry, o)) {
            const int error = errno;
            if (o->folder == 0) {
                result = error == ENOTDIR  ? cli_error("'%s' is not a folder" CLI_HELP
                                                       "for a single model use mx2onnx FILE -o FILE.onnx, for a list of models @LIST",
                                                       folder)
                         : error == ENOENT ? cli_error("'%s' does not exist" CLI_HELP "check the path", folder)
                                           : cli_error("the folder '%s' cannot be read: %s" CLI_HELP "check the path and its permissions",
                                                       folder, strerror(error));
                continue;
            }
            snprintf(message, sizeof message, "this folder cannot be read: %s", strerror(error));
            fail(&o->models[o->folder], MX2ONNX_STATUS_IO, message, "check its permissions");
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < o->count; i++) {
        if (o->models[i].state == SEARCHED) {
            free(o->models[i].path);
        } else {
            o->models[kept++] = o->models[i];
        }
    }
    o->count = kept;
    qsort(o->models, o->count, sizeof *o->models, by_path);
    return result;
}

/* A path on each line. */
static bool read_list(struct many *o, FILE *in)
{
    size_t length = 0, room = 4096;
    char *line = malloc(room);
    for (int c = 0; line && c != EOF;) {
        c = getc(in);
        if (c != EOF && c != '\n') {
            line[length++] = (char)c;
            char *more = length < room ? line : realloc(line, room *= 2);
            line = more ? more : (free(line), NULL);
            continue;
        }
        length -= length > 0 && line[length - 1] == '\r';
        if (length > 0) {
            add(o, cli_copy(line, length), 0, false);
        }
        length = 0;
    }
    o->out_of_memory = o->out_of_memory || !line;
    free(line);
    return !ferror(in);
}

static int find_models(struct many *o, const char *from)
{
    const bool list = from[0] == '@', input = strcmp(from, "-") == 0;
    int result = CLI_OK;
    errno = 0;
    if (!list && !input) {
        result = search(o, from);
    } else {
        FILE *in = input ? stdin : cli_open(from + 1);
        const bool complete = in && read_list(o, in);
        if (in && !input) {
            fclose(in);
        }
        if (!complete) {
            return cli_error("the list '%s' cannot be read: %s" CLI_HELP "check the path", from + list, strerror(errno));
        }
    }
    if (o->out_of_memory) {
        return cli_fail(NULL, MX2ONNX_STATUS_OUT_OF_MEMORY);
    }
    if (result == CLI_OK && o->count == 0) {
        return list || input
                   ? cli_error("no model was found in %s%s%s" CLI_HELP "write the path of a model on each line", list ? "'" : "",
                               list ? from + 1 : "standard input", list ? "'" : "")
                   : cli_error(
                       "no model was found in '%s'" CLI_HELP "give a folder with *-symbol.json files or archives (" CLI_ARCHIVES ")", from);
    }
    return result;
}

/* ---- where they are written */

/* OUT/a/b/net.onnx for a/b/net-symbol.json; of a path from elsewhere ("/a", "../a") what is below that. */
static char *file_of(const struct many *o, const struct model *it)
{
    char *file = malloc(strlen(o->out) + strlen(it->path) + sizeof("/model.onnx"));
    size_t n = 0, last = 0;
    if (file) {
        n = (size_t)sprintf(file, "%s", o->out);
    }
    for (const char *p = it->path + it->base; file && *p;) {
        size_t length = 0;
        while (p[length] && !cli_is_separator(p[length])) {
            length++;
        }
        if (length > 0 && !(length == 1 && p[0] == '.') && !(length == 2 && p[0] == '.' && p[1] == '.')) {
            file[n++] = '/';
            last = n;
            memcpy(file + n, p, length);
            n += length;
        }
        p += length + (p[length] != 0);
    }
    if (file) {
        sprintf(file + (last ? last + cli_stem(file + last, n - last) : n), last ? ".onnx" : "/model.onnx");
    }
    return file;
}

static int by_file(const void *a, const void *b)
{
    const struct model *x = *(struct model *const *)a, *y = *(struct model *const *)b;
    const int order = cli_compare_paths(x->file, y->file);
    return order ? order : x < y ? -1 : 1;
}

/* Of models that would be written to one file only the first is converted. */
static int name_files(struct many *o)
{
    char message[CLI_MESSAGE];
    struct model **sorted = calloc(o->count + 1, sizeof(struct model *));
    if (!sorted) {
        return cli_fail(NULL, MX2ONNX_STATUS_OUT_OF_MEMORY);
    }
    for (size_t i = 0; i < o->count; i++) {
        sorted[i] = &o->models[i];
        sorted[i]->file = file_of(o, sorted[i]);
        if (!sorted[i]->file) {
            free(sorted);
            return cli_fail(NULL, MX2ONNX_STATUS_OUT_OF_MEMORY);
        }
    }
    qsort(sorted, o->count, sizeof *sorted, by_file);
    for (size_t i = 1; i < o->count; i++) {
        if (cli_compare_paths(sorted[i - 1]->file, sorted[i]->file) == 0) {
            snprintf(message, sizeof message, "it is not converted, because it would be written to '%s', like '%s'", sorted[i]->file,
                     sorted[i - 1]->path);
            fail(sorted[i], MX2ONNX_STATUS_INVALID_ARGUMENT, message, "convert one of them alone");
        }
    }
    free(sorted);
    return CLI_OK;
}

/* Makes the folders above a file. *made becomes the length of the first one that is new, or 0. */
static bool make_folders(char *file, size_t *made)
{
    bool there = true;
    *made = 0;
    for (char *p = file + 1; *p && there; p++) {
        const char separator = *p;
        if (cli_is_separator(separator) && !cli_is_separator(p[-1])) {
            bool is_new = false;
            *p = 0;
            there = cli_make_folder(file, &is_new);
            *made = is_new && *made == 0 ? (size_t)(p - file) : *made;
            *p = separator;
        }
    }
    return there;
}

/* Removes those that make_folders made and that are empty. */
static void remove_folders(char *file, size_t made)
{
    for (char *p = file + strlen(file); made && p >= file + made; p--) {
        const char separator = *p;
        if (cli_is_separator(separator)) {
            *p = 0;
            cli_remove_folder(file);
            *p = separator;
        }
    }
}

/* ---- the conversions */

static size_t count_warnings(const mx2onnx_model *m)
{
    size_t count = 0;
    for (size_t i = 0; i < mx2onnx_diagnostic_count(m); i++) {
        mx2onnx_diagnostic d = {.struct_size = sizeof(d)};
        count += mx2onnx_diagnostic_get(m, i, &d) == MX2ONNX_OK && d.severity == MX2ONNX_SEVERITY_WARNING;
    }
    return count;
}

static void print_progress(const struct many *o, const struct model *it)
{
    char bytes[32];
    fprintf(stderr, "[%zu/%zu] ", (size_t)(it - o->models) + 1, o->count);
    cli_put(stderr, it->path, 0);
    if (it->state == CONVERTED) {
        cli_format_bytes(bytes, it->bytes);
        fputs(" -> ", stderr);
        cli_put(stderr, it->file, 0);
        fprintf(stderr, " (%s)", bytes);
    } else {
        fprintf(stderr, ": %sfailed%s", cli_style(stderr, CLI_RED), cli_style(stderr, CLI_PLAIN));
    }
    if (it->warnings) {
        fprintf(stderr, ", %zu warning%s", it->warnings, cli_plural(it->warnings));
    }
    fputc('\n', stderr);
}

static void convert(const struct many *o, struct model *it)
{
    static struct cli_kept kept;
    static const struct cli_which warnings = {MX2ONNX_SEVERITY_WARNING, MX2ONNX_SEVERITY_WARNING, 3};
    mx2onnx_model *m = NULL;
    cli_keep_failures(&kept);
    mx2onnx_status status = mx2onnx_model_new(&m);
    int result = status == MX2ONNX_OK ? cli_load(m, &it->path, 1, &o->choices) : cli_fail(NULL, status);
    size_t made = 0;
    if (result == CLI_OK && !make_folders(it->file, &made)) {
        result = cli_usage("the folder of '%s' cannot be created: %s" CLI_HELP "choose another folder with -o", it->file, strerror(errno));
        kept.status = MX2ONNX_STATUS_IO;
    }
    status = result == CLI_OK ? cli_export(m, it->file, !o->quiet) : MX2ONNX_OK;
    if (status != MX2ONNX_OK) {
        result = cli_fail(m, status);
    }
    cli_keep_failures(NULL);
    if (o->json) {
        cli_json_diagnostics(&it->diagnostics, m);
    }
    if (result == CLI_OK) {
        it->state = CONVERTED;
        it->bytes = mx2onnx_written_size(m);
        it->warnings = count_warnings(m);
    } else {
        remove_folders(it->file, made);
        fail(it, kept.status, kept.message, kept.advice);
    }
    if (!o->quiet) {
        print_progress(o, it);
        cli_print_diagnostics(stderr, "  ", m, warnings);
    }
    mx2onnx_model_free(m);
}

/* Makes the folder to write to first: what is wrong with it is wrong for all models. */
static int convert_all(struct many *o)
{
    const size_t n = strlen(o->out);
    char *folder = malloc(n + 2);
    size_t made = 0;
    if (!folder) {
        return cli_fail(NULL, MX2ONNX_STATUS_OUT_OF_MEMORY);
    }
    sprintf(folder, "%s/", o->out);
    int result = CLI_OK;
    if (!make_folders(folder, &made)) {
        const int error = errno;
        result = cli_error("the folder '%s' cannot be created: %s" CLI_HELP "%s", o->out, strerror(error),
                           error == EEXIST || error == ENOTDIR ? "write to another folder, because a file has this name" : "");
    }
    for (size_t i = 0; i < o->count && result == CLI_OK && !cli_interrupted(false); i++) {
        if (o->models[i].state == WAITING) {
            convert(o, &o->models[i]);
        } else if (!o->quiet) {
            print_progress(o, &o->models[i]);
        }
    }
    remove_folders(folder, made);
    free(folder);
    return result;
}

/* ---- the report */

static size_t count_in(const struct many *o, int state)
{
    size_t count = 0;
    for (size_t i = 0; i < o->count; i++) {
        count += o->models[i].state == (unsigned)state;
    }
    return count;
}

static void print_failure(const struct model *it)
{
    char line[2 * CLI_LINE] = "";
    cli_append(line, sizeof line, it->path, 0);
    cli_append(line, sizeof line, ": ", 0);
    cli_append(line, sizeof line, it->message ? it->message : "", 0);
    cli_print_error(line, it->advice ? it->advice : "");
}

static void put_member(const char *key, const char *text)
{
    printf("\"%s\": ", key);
    cli_json_string(stdout, text ? text : "");
}

static void print_list(const struct many *o, const char *key, int state)
{
    const char *between = "";
    printf("  \"%s\": [", key);
    for (size_t i = 0; i < o->count; i++) {
        const struct model *it = &o->models[i];
        if (it->state != (unsigned)state) {
            continue;
        }
        printf("%s\n    {", between);
        put_member("model", it->path);
        fputs(", ", stdout);
        if (state == CONVERTED) {
            put_member("onnx", it->file);
            printf(", \"bytes\": %llu, \"warnings\": %zu", (unsigned long long)it->bytes, it->warnings);
        } else {
            put_member("status", mx2onnx_status_name(it->status));
            fputs(", ", stdout);
            put_member("message", it->message);
            fputs(", ", stdout);
            put_member("advice", it->advice);
        }
        printf(",\n     \"diagnostics\": %s}", it->diagnostics.failed || !it->diagnostics.text ? "[]" : it->diagnostics.text);
        between = ",";
    }
    fputs(*between ? "\n  ]" : "]", stdout);
}

static void print_report(const struct many *o)
{
    const size_t failed = count_in(o, FAILED), waiting = count_in(o, WAITING);
    size_t warned = 0;
    for (size_t i = 0; i < o->count; i++) {
        warned += o->models[i].warnings > 0;
        if (o->models[i].state == FAILED) {
            print_failure(&o->models[i]);
        }
    }
    if (o->json) {
        fputs("{\n  \"schema\": 1,\n", stdout);
        print_list(o, "converted", CONVERTED);
        fputs(",\n", stdout);
        print_list(o, "failed", FAILED);
        fputs("\n}\n", stdout);
    }
    if (o->quiet || o->count == 0) {
        return;
    }
    FILE *out = o->json ? stderr : stdout;
    fprintf(out, "%zu of %zu model%s converted", count_in(o, CONVERTED), o->count, cli_plural(o->count));
    if (warned) {
        fprintf(out, ", %zu with warnings", warned);
    }
    if (failed) {
        fprintf(out, ", %zu failed", failed);
    }
    fprintf(out, waiting ? ", %zu not tried\n" : "\n", waiting);
}

static int run(struct many *o, const char *from)
{
    int result = cli_check_choices(&o->choices);
    if (result != CLI_OK) {
        return result;
    }
    result = find_models(o, from);
    if (result == CLI_OK) {
        result = name_files(o);
    }
    if (result == CLI_OK) {
        result = convert_all(o);
    }
    print_report(o);
    return count_in(o, CONVERTED) == o->count ? result : CLI_FAILED;
}

/* CLI_OK to continue; *done is set if the command line only asked for help. */
static int parse(struct many *o, int argc, char **argv, bool *done)
{
    for (int c; (c = cli_next_option(CLI_MANY, argc, argv)) != -1;) {
        switch (c) {
        case 'o': o->out = optarg; break;
        case 'q': o->quiet = true; break;
        case CLI_OPT_JSON: o->json = true; break;
        case 'h':
            cli_print_help(stdout, CLI_MANY);
            *done = true;
            return CLI_OK;
        case '?': return CLI_USAGE;
        default: cli_choices_add(&o->choices, c, optarg);
        }
    }
    if (argc - optind != 1 || !argv[optind][0]) {
        return cli_usage("many takes one folder, @LIST or -, and %d are given" CLI_HELP "for example: mx2onnx many models -o converted",
                         argc - optind);
    }
    if (!o->out || !o->out[0] || strcmp(o->out, "-") == 0) {
        char word[CLI_WORD];
        return cli_usage("no folder to write to is given" CLI_HELP "for example: mx2onnx many %s -o converted",
                         cli_word(word, "%s", argv[optind]));
    }
    return CLI_OK;
}

int cli_many(int argc, char **argv)
{
    struct many o = {0};
    bool done = false;
    int result = cli_choices_new(&o.choices, argc) ? parse(&o, argc, argv, &done) : cli_fail(NULL, MX2ONNX_STATUS_OUT_OF_MEMORY);
    if (result == CLI_OK && !done) {
        result = run(&o, argv[optind]);
    }
    for (size_t i = 0; i < o.count; i++) {
        free(o.models[i].path);
        free(o.models[i].file);
        free(o.models[i].message);
        free(o.models[i].advice);
        free(o.models[i].diagnostics.text);
    }
    free(o.models);
    cli_choices_free(&o.choices);
    if (result == CLI_FAILED && cli_interrupted(false)) {
        fflush(stdout);
        cli_end_interrupted();
    }
    return result;
}
