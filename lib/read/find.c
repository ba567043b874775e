/* Finds the sources of a model, given a path. */
#include "read/find.h"

#include <string.h>

#include "base/budget.h"
#include "base/str.h"
#include "read/archive.h"
#include "read/choose.h"
#include "read/json.h"
#include "read/sniff.h"

struct finder {
    struct mx_diags *diags;
    struct mx_found *found;
    struct mx_choice choice;    /* its label is the given path */
    const char *folder;         /* of the names: a part of the path, or the label of the archive */
    struct mx_archive *archive; /* NULL: the names are those of files */
};

MX_PRINTF(2, 3) static int not_found(struct finder *f, const char *format, ...)
{
    const char *label = f->choice.label, *advice;
    va_list args;
    va_start(args, format);
    const char *text = mx_arena_vprintf(&f->found->arena, format, args);
    va_end(args);
    if (strstr(label, "://")) {
        return mx_fail(f->diags, MX_NOT_FOUND, mx_named(label),
                       MX_SUBJECT "is a web address" MX_HELP "download the file and give its path");
    }
    MX_TRY_ALLOC(text);
    MX_TRY(mx_path_advice(&f->found->arena, label, false, &advice));
    return mx_fail(f->diags, MX_NOT_FOUND, mx_named(label), MX_SUBJECT "%s" MX_HELP "%s", text, advice);
}

/* ---- what was chosen */

/* Sets *reason if it fails for another reason than memory. */
static int try_file(struct finder *f, const char *path, struct mx_source **out, const char **reason)
{
    const char *why = NULL;
    const int status = mx_source_open_file(out, path, &why);
    if (status == MX_OK) {
        f->found->n_files += mx_source_id(*out, &f->found->files[f->found->n_files]);
    } else if (status != MX_OUT_OF_MEMORY) {
        *reason = why;
    }
    return status;
}

static int open_file(struct finder *f, const char *path, struct mx_source **out)
{
    const char *reason = NULL;
    const int status = try_file(f, path, out, &reason);
    return reason ? mx_fail(f->diags, status, mx_named(path), MX_SUBJECT "cannot be opened: %s", reason) : status;
}

/* The index of the member, or the number of members if there is none of that name. */
static size_t member_called(const struct finder *f, const char *name)
{
    const struct mx_names *names = &f->choice.names;
    size_t i = 0;
    while (i < names->count && (!name || strcmp(names->items[i], name) != 0)) {
        i++;
    }
    return i;
}

/* A member that the model is read without; NULL in *out if it cannot be read. */
static int read_extra(struct finder *f, size_t i, struct mx_source **out)
{
    *out = NULL;
    const struct mx_diags kept = mx_diags_mute(f->diags);
    const int status = mx_archive_read(f->archive, i, out);
    const char *said = f->diags->count > 0 ? mx_arena_strdup(&f->found->arena, f->diags->items[0].message) : NULL;
    mx_diags_unmute(f->diags, kept);
    if (status == MX_OK || status == MX_OUT_OF_MEMORY || mx_budget_status(f->diags->budget) != MX_OK) {
        return status;
    }
    mx_warn(f->diags, mx_named(f->folder), "%s, so what it says of the model is not used", said ? said : "a member cannot be read");
    return MX_OK;
}

enum how {
    NEEDED,
    EXTRA, /* a file next to the model, which may be of another program: the model is read without it */
    TAKEN, /* the last of an archive, which may be large */
};

/* Opens a file or member, unless its name is NULL. The label is the path; that of a member begins with the archive's, as if it were a
 * folder. */
static int open_chosen(struct finder *f, const char *name, enum how how, struct mx_source **out, const char **label)
{
    const char *reason = NULL;
    if (!name) {
        return MX_OK;
    }
    *label = mx_path_join(&f->found->arena, f->folder, name);
    MX_TRY_ALLOC(*label);
    if (f->archive) {
        const size_t i = member_called(f, name);
        return how == TAKEN   ? mx_archive_take(f->archive, i, out)
               : how == EXTRA ? read_extra(f, i, out)
                              : mx_archive_read(f->archive, i, out);
    }
    if (how != EXTRA) {
        return open_file(f, *label, out);
    }
    const int status = try_file(f, *label, out, &reason);
    if (!reason) {
        return status;
    }
    mx_warn(f->diags, mx_named(*label), MX_SUBJECT "cannot be opened (%s), so what it says of the model is not used", reason);
    return MX_OK;
}

static int open_all(struct finder *f)
{
    struct mx_found *out = f->found;
    struct mx_source *settings = NULL;
    const char *label;
    MX_TRY(open_chosen(f, f->choice.settings, EXTRA, &settings, &label));
    if (settings) { /* invalid JSON is ignored */
        out->settings = mx_json_read(settings, f->diags->budget, &out->settings_charged);
        mx_source_close(settings);
    }
    MX_TRY(open_chosen(f, f->choice.symbol, NEEDED, &out->symbol, &out->symbol_label));
    MX_TRY(open_chosen(f, f->choice.shapes, EXTRA, &out->shapes, &out->shapes_label));
    return open_chosen(f, f->choice.params, TAKEN, &out->params, &out->params_label);
}

/* ---- what is chosen from */

enum { NEAR = 4096 };

/* The first bytes of a file in the folder; returns how many. */
static size_t file_head(struct finder *f, const char *name, char head[NEAR])
{
    struct mx_source *source;
    size_t size = 0;
    const struct mx_arena_mark mark = mx_arena_mark(&f->found->arena);
    const char *reason, *path = mx_path_join(&f->found->arena, f->folder, name);
    if (path && mx_source_open_file(&source, path, &reason) == MX_OK) {
        const uint64_t whole = mx_source_size(source);
        size = whole < NEAR ? (size_t)whole : NEAR;
        size = mx_source_read(source, 0, head, size) == MX_OK ? size : 0;
        mx_source_close(source);
    }
    mx_arena_rewind(&f->found->arena, mark);
    return size;
}

/* True if the file or member begins like a symbol: an object with the key "nodes" near its beginning. */
static bool is_graph(void *finder, size_t i)
{
    struct finder *f = finder;
    char head[NEAR + 1];
    const size_t size = f->archive ? mx_archive_head(f->archive, i, head, NEAR) : file_head(f, f->choice.names.items[i], head);
    head[size] = 0;
    return head[strspn(head, " \t\r\n")] == '{' && strstr(head, "\"nodes\"");
}

static void begin(struct finder *f, struct mx_found *out, const char *label, struct mx_diags *diags)
{
    *out = (struct mx_found){.arena.budget = diags->budget};
    *f = (struct finder){.diags = diags, .found = out};
    f->choice = (struct mx_choice){.diags = diags, .arena = &out->arena, .label = label, .is_graph = is_graph, .finder = f};
}

static int list_folder(struct finder *f, const char *folder)
{
    f->folder = folder;
    const int status = mx_folder_names(folder, &f->found->arena, &f->choice.names);
    return status == MX_IO ? mx_fail(f->diags, MX_IO, MX_NOWHERE, "the folder of '%s' cannot be read", f->choice.label) : status;
}

/* The symbol file is known, the other files are next to it; the name of the parameters may be known as well. */
static int find_next_to(struct finder *f, const char *symbol, const char *params)
{
    const char *folder = mx_path_folder(&f->found->arena, symbol);
    MX_TRY_ALLOC(folder);
    MX_TRY(list_folder(f, folder));
    f->choice.symbol = mx_path_base(symbol);
    f->choice.params = params;
    mx_choose_files_of_symbol(&f->choice);
    return open_all(f);
}

/* ---- archives */

static int list_archive(struct finder *f)
{
    struct mx_names *names = &f->choice.names;
    names->count = f->archive->count;
    names->items = MX_ARENA_ARRAY(&f->found->arena, const char *, names->count);
    MX_TRY_ALLOC(names->items);
    for (size_t i = 0; i < names->count; i++) {
        MX_TRY(mx_tick(f->diags->budget, MX_TICK_ITEM));
        names->items[i] = f->archive->members[i].name;
    }
    return MX_OK;
}

/* Names are looked up among the members only. */
static const char *as_member(const struct finder *f, const char *name)
{
    const size_t i = member_called(f, name);
    return i < f->choice.names.count ? f->choice.names.items[i] : NULL;
}

static int take_manifest(struct finder *f, const json_t *root)
{
    const json_t *model = json_object_get(root, "Model");
    const char *format = json_string_value(json_object_get(model, "Model-Format"));
    if (format && strcmp(format, "Gluon-Imperative") == 0) {
        return mx_fail(f->diags, MX_UNSUPPORTED, mx_named(f->choice.label),
                       MX_SUBJECT "holds a network as Python code without a symbol" MX_HELP "export it with MXNet first");
    }
    f->choice.symbol = as_member(f, json_string_value(json_object_get(model, "Symbol")));
    if (f->choice.symbol) {
        f->choice.params = as_member(f, json_string_value(json_object_get(model, "Parameters")));
    }
    return MX_OK;
}

/* Model Server 0.x (.model) names its files in MANIFEST.json; a damaged one is ignored. */
static int read_manifest(struct finder *f)
{
    const size_t i = member_called(f, "MANIFEST.json");
    struct mx_source *source;
    uint64_t charged;
    if (i == f->choice.names.count || f->archive->members[i].size > MX_WINDOW) {
        return MX_OK;
    }
    MX_TRY(read_extra(f, i, &source));
    if (!source) {
        return MX_OK;
    }
    json_t *root = mx_json_read(source, f->diags->budget, &charged);
    int status = mx_budget_status(f->diags->budget);
    if (status == MX_OK) {
        status = take_manifest(f, root);
    }
    json_decref(root);
    mx_budget_release(f->diags->budget, charged);
    mx_source_close(source);
    return status;
}

static bool is_zip(struct mx_archive *a, size_t i)
{
    char head[4];
    return mx_archive_head(a, i, head, sizeof head) == sizeof head && memcmp(head, "PK\3\4", sizeof head) == 0;
}

/* True for the output of SageMaker's own algorithms: a zip in a tar, "model_algo-1". A training on several hosts leaves one for each,
 * all of the same model. */
static bool holds_zip(struct finder *f, size_t *which)
{
    const struct mx_names *names = &f->choice.names;
    size_t found = 0, hosts = 0;
    *which = 0;
    for (size_t i = 0; !f->archive->zip && i < names->count; i++) {
        if (mx_tick(f->diags->budget, MX_TICK_NODE) != MX_OK || !is_zip(f->archive, i)) {
            continue;
        }
        hosts += mx_starts_with(mx_path_base(names->items[i]), "model_algo-");
        *which = found == 0 || strcmp(names->items[i], names->items[*which]) < 0 ? i : *which;
        found++;
    }
    const bool copies = found > 1 && hosts == found;
    if (copies) {
        mx_note(f->diags, MX_NOWHERE, "the model was trained on %zu hosts, and of their copies '%s' was chosen", found,
                names->items[*which]);
    }
    return found == 1 || copies;
}

static int find_in_archive(struct finder *f, struct mx_archive *a, const char *label);

/* Takes ownership of the source. */
static int find_in_zip(struct finder *f, struct mx_source *source, const char *label)
{
    struct mx_archive zip;
    int status = mx_zip_open(&zip, source, f->diags, label);
    if (status == MX_OK) {
        status = find_in_archive(f, &zip, label);
        mx_archive_close(&zip);
    }
    mx_source_close(zip.source);
    return status;
}

static int find_in_tar(struct finder *f, struct mx_source *source, const char *label)
{
    struct mx_archive tar;
    int status = mx_tar_open(&tar, source, f->diags, label);
    mx_source_close(source);
    if (status == MX_OK) {
        status = find_in_archive(f, &tar, label);
        mx_archive_close(&tar);
        mx_source_close(tar.source);
    }
    return status;
}

static int find_in_inner_zip(struct finder *f, size_t i)
{
    struct mx_source *source;
    const char *label = mx_path_join(&f->found->arena, f->folder, f->archive->members[i].name);
    MX_TRY_ALLOC(label);
    MX_TRY(mx_archive_take(f->archive, i, &source));
    return find_in_zip(f, source, label);
}

static int find_in_archive(struct finder *f, struct mx_archive *a, const char *label)
{
    struct mx_choice *c = &f->choice;
    size_t inner = 0;
    f->archive = a;
    f->folder = label;
    c->packed = true;
    MX_TRY(list_archive(f));
    MX_TRY(read_manifest(f));
    if (!c->symbol && !mx_has_symbol(c) && holds_zip(f, &inner)) {
        return find_in_inner_zip(f, inner);
    }
    if (c->symbol) {
        mx_choose_files_of_symbol(c);
    } else {
        MX_TRY(mx_choose_model(c));
    }
    return open_all(f);
}

/* ---- the path */

/* A file of one of these kinds, or the error for any other. Takes ownership of the source. */
static int find_in_source(struct finder *f, struct mx_source *source, const struct mx_sniffed *is, const char *label)
{
    switch (is->kind) {
    case MX_FILE_JSON:
        f->found->symbol = source;
        f->found->symbol_label = label;
        return MX_OK;
    case MX_FILE_LIST:
        f->found->params = source;
        f->found->params_label = label;
        return MX_OK;
    case MX_FILE_ZIP:
    case MX_FILE_TAR:
        f->found->is_archive = true;
        if (f->diags->budget) {
            f->diags->budget->input += mx_source_size(source);
        }
        return is->kind == MX_FILE_ZIP ? find_in_zip(f, source, label) : find_in_tar(f, source, label);
    case MX_FILE_UNKNOWN:
    case MX_FILE_EMPTY:
    case MX_FILE_RECORD:
    case MX_FILE_NPY:
    case MX_FILE_OTHER: break;
    }
    mx_source_close(source);
    return mx_fail(f->diags, MX_FORMAT, mx_named(label), MX_SUBJECT "%s" MX_HELP "%s", is->text, is->advice);
}

/* On an error the source is closed. */
static int sniff(struct finder *f, struct mx_source *source, const char *label, struct mx_sniffed *is)
{
    const int status = mx_sniff(source, label, is, f->diags);
    if (status != MX_OK) {
        mx_source_close(source);
    }
    return status;
}

/* PREFIX-symbol.json, where the path is PREFIX.params or PREFIX-EEEE.params and it exists; NULL in *out if not. */
static int symbol_of_params(struct finder *f, const char *path, const char **out)
{
    size_t length = strlen(path) - strlen(".params");
    *out = NULL;
    if (!mx_ends_with(path, ".params")) {
        return MX_OK;
    }
    for (int form = 0; form < 2 && !*out; form++) {
        const char *symbol = mx_arena_printf(&f->found->arena, "%.*s-symbol.json", (int)length, path);
        MX_TRY_ALLOC(symbol);
        *out = mx_is_file(symbol) ? symbol : NULL;
        while (length > 0 && path[length - 1] >= '0' && path[length - 1] <= '9') {
            length--;
        }
        length -= length > 0 && path[length - 1] == '-';
    }
    if (*out) {
        mx_note(f->diags, mx_named(path), "these are the parameters of '%s', which was read, too", mx_path_base(*out));
    }
    return MX_OK;
}

/* MXNet 2 writes parameters as .npz, under any name: an archive whose name is that of parameters holds no model. */
static bool is_params(const struct mx_sniffed *is, const char *path)
{
    return is->kind == MX_FILE_LIST || (is->kind == MX_FILE_ZIP && (mx_ends_with(path, ".params") || mx_ends_with(path, ".npz")));
}

static int find_by_file(struct finder *f, const char *path)
{
    struct mx_sniffed is;
    struct mx_source *source;
    MX_TRY(open_file(f, path, &source));
    MX_TRY(sniff(f, source, path, &is));
    if (is.kind == MX_FILE_JSON) {
        mx_source_close(source);
        return find_next_to(f, path, NULL);
    }
    const char *symbol = NULL;
    const bool params = is_params(&is, path);
    const int status = params ? symbol_of_params(f, path, &symbol) : MX_OK;
    if (symbol || status != MX_OK) {
        mx_source_close(source);
        return symbol ? find_next_to(f, symbol, mx_path_base(path)) : status;
    }
    is.kind = params ? MX_FILE_LIST : is.kind;
    return find_in_source(f, source, &is, path);
}

/* Of a folder that SageMaker's archive was unpacked to, the "model_algo-1" that mx_choose_model chose may be an archive itself. */
static int find_in_folder(struct finder *f, const char *folder)
{
    struct mx_sniffed is;
    struct mx_source *source;
    MX_TRY(list_folder(f, folder));
    MX_TRY(mx_choose_model(&f->choice));
    if (f->choice.symbol || !mx_starts_with(f->choice.params, "model_algo")) {
        return open_all(f);
    }
    const char *path = mx_path_join(&f->found->arena, folder, f->choice.params);
    MX_TRY_ALLOC(path);
    MX_TRY(open_file(f, path, &source));
    MX_TRY(sniff(f, source, path, &is));
    if (is.kind != MX_FILE_ZIP) {
        mx_source_close(source);
        return open_all(f);
    }
    f->choice.params = f->choice.settings = NULL;
    return find_in_source(f, source, &is, path);
}

int mx_symbol_of_prefix(struct mx_arena *arena, const char *path, const char **out)
{
    static const char *const suffixes[] = {"-symbol", ""}; /* the latter as Wolfram Language writes it */
    *out = NULL;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && !*out; i++) {
        const char *symbol = mx_arena_printf(arena, "%s%s.json", path, suffixes[i]);
        MX_TRY_ALLOC(symbol);
        *out = mx_is_file(symbol) ? symbol : NULL;
    }
    return MX_OK;
}

/* "net" means its symbol; "net-0007" means that of "net" and net-0007.params. */
static int find_by_prefix(struct finder *f, const char *path)
{
    const char *symbol;
    MX_TRY(mx_symbol_of_prefix(&f->found->arena, path, &symbol));
    if (symbol) {
        return find_next_to(f, symbol, NULL);
    }
    const char *dash = strrchr(mx_path_base(path), '-');
    const size_t digits = dash ? strspn(dash + 1, "0123456789") : 0;
    if (mx_ends_with(path, ".json") || mx_ends_with(path, ".params")) {
        return not_found(f, "does not exist");
    }
    if (digits == 0 || dash[1 + digits]) {
        return not_found(f, "does not exist, and neither does '%s-symbol.json'", path);
    }
    symbol = mx_arena_printf(&f->found->arena, "%.*s-symbol.json", (int)(dash - path), path);
    const char *params = mx_arena_printf(&f->found->arena, "%s.params", path);
    MX_TRY_ALLOC(symbol && params);
    if (!mx_is_file(symbol) || !mx_is_file(params)) {
        return not_found(f, "is neither a file nor a prefix of PREFIX-symbol.json and PREFIX-EEEE.params");
    }
    return find_next_to(f, symbol, mx_path_base(params));
}

void mx_found_close(struct mx_found *found)
{
    mx_source_close(found->symbol);
    mx_source_close(found->params);
    mx_source_close(found->shapes);
    json_decref(found->settings);
    mx_budget_release(found->arena.budget, found->settings_charged);
    mx_arena_free(&found->arena);
    *found = (struct mx_found){0};
}

static int end(struct finder *f, int status)
{
    if (status != MX_OK) {
        mx_found_close(f->found);
    }
    return status;
}

int mx_find_model(const char *path, struct mx_found *out, struct mx_diags *diags)
{
    struct finder f;
    begin(&f, out, path, diags);
    return end(&f, mx_is_folder(path) ? find_in_folder(&f, path) : mx_is_file(path) ? find_by_file(&f, path) : find_by_prefix(&f, path));
}

int mx_find_in_source(struct mx_source *source, const char *label, struct mx_found *out, struct mx_diags *diags)
{
    struct finder f;
    struct mx_sniffed is;
    begin(&f, out, label, diags);
    const int status = sniff(&f, source, label, &is);
    return end(&f, status == MX_OK ? find_in_source(&f, source, &is, label) : status);
}
