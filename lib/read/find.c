/* Finds the sources of a model, given a path. */
#include "read/find.h"

#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "base/num.h"
#include "base/str.h"
#include "read/archive.h"
#include "read/choose.h"
#include "read/cursor.h"
#include "read/json.h"
#include "read/sniff.h"

struct finder {
    struct mx_diags *diags;
    struct mx_choice choice;
    const char *label; /* the given path, in messages */
    const char *folder;
    struct mx_archive *archive; /* or NULL */
    struct mx_found *found;
};

static int not_found(struct finder *f, const char *text)
{
    const char *colon = strstr(f->label, "://"), *advice;
    if (colon) {
        return mx_fail(f->diags, MX_NOT_FOUND, MX_NOWHERE, "'%s' is a web address" MX_HELP "download the file and give its path", f->label);
    }
    MX_TRY(mx_path_advice(&f->found->arena, f->label, &advice));
    return mx_fail(f->diags, MX_NOT_FOUND, MX_NOWHERE, "'%s' %s" MX_HELP "%s", f->label, text, advice);
}

/* ---- files */

/* Sets *reason if it fails for another reason than memory. */
static int try_file(struct finder *f, const char *path, struct mx_source **out, const char **reason)
{
    const char *why = NULL;
    const int status = mx_source_open_file(out, path, &why);
    if (status == MX_OK) {
        struct mx_found *found = f->found;
        const size_t room = sizeof found->files / sizeof found->files[0];
        found->n_files += found->n_files < room && mx_source_id(*out, &found->files[found->n_files]);
    } else if (status != MX_OUT_OF_MEMORY) {
        *reason = why ? why : "unknown";
    }
    return status;
}

static int open_file(struct finder *f, const char *path, struct mx_source **out)
{
    const char *reason = NULL;
    const int status = try_file(f, path, out, &reason);
    return reason ? mx_fail(f->diags, status, MX_NOWHERE, "'%s' cannot be opened: %s", path, reason) : status;
}

/* The label is the path. */
static int open_in(struct finder *f, const char *folder, const char *name, struct mx_source **out, const char **label)
{
    if (!name) {
        return MX_OK;
    }
    *label = mx_path_join(&f->found->arena, folder, name);
    MX_TRY_ALLOC(*label);
    return open_file(f, *label, out);
}

/* A file next to the model, which may be of another program: the model is read without it. */
static int open_extra(struct finder *f, const char *folder, const char *name, struct mx_source **out, const char **label)
{
    if (!name) {
        return MX_OK;
    }
    const char *reason = NULL;
    *label = mx_path_join(&f->found->arena, folder, name);
    MX_TRY_ALLOC(*label);
    const int status = try_file(f, *label, out, &reason);
    if (!reason) {
        return status;
    }
    mx_warn(f->diags, MX_NOWHERE, "'%s' cannot be opened (%s), so what it says of the model is not used", *label, reason);
    return MX_OK;
}

/* Invalid JSON is ignored. Takes ownership of the source, which may be NULL. The settings stay charged until they are closed. */
static void read_settings(struct finder *f, struct mx_source *source)
{
    const void *text;
    const uint64_t size = source ? mx_source_size(source) : 0;
    if (size > 0 && size <= MX_WINDOW && mx_source_window(source, 0, (size_t)size, &text) == MX_OK) {
        struct mx_json_text json = {.at = text, .end = (const char *)text + size, .budget = f->diags->budget};
        f->found->settings = mx_json_load(&json, 0, NULL);
        f->found->settings_charged = json.charged;
        f->found->budget = f->diags->budget;
    }
    mx_source_close(source);
}

static int open_all(struct finder *f, const char *folder, struct mx_found *out)
{
    const struct mx_choice *c = &f->choice;
    struct mx_source *settings = NULL;
    const char *label;
    MX_TRY(open_extra(f, folder, c->settings, &settings, &label));
    read_settings(f, settings);
    MX_TRY(open_in(f, folder, c->symbol, &out->symbol, &out->symbol_label));
    MX_TRY(open_in(f, folder, c->params, &out->params, &out->params_label));
    return open_extra(f, folder, c->shapes, &out->shapes, &out->shapes_label);
}

enum { NEAR = 4096 };

/* True if a text that begins with these bytes begins like a symbol: an object with the key "nodes" near its beginning. */
static bool has_nodes(char head[NEAR + 1], size_t size)
{
    head[size] = 0;
    return head[strspn(head, " \t\r\n")] == '{' && strstr(head, "\"nodes\"");
}

static bool is_graph_in_folder(void *finder, size_t i)
{
    struct finder *f = finder;
    struct mx_source *source;
    char head[NEAR + 1];
    const struct mx_arena_mark mark = mx_arena_mark(&f->found->arena);
    const char *reason, *path = mx_path_join(&f->found->arena, f->folder, f->choice.names.items[i]);
    bool is = path && mx_source_open_file(&source, path, &reason) == MX_OK;
    if (is) {
        const uint64_t whole = mx_source_size(source);
        const size_t size = whole < NEAR ? (size_t)whole : NEAR;
        is = mx_source_read(source, 0, head, size) == MX_OK && has_nodes(head, size);
        mx_source_close(source);
    }
    mx_arena_rewind(&f->found->arena, mark);
    return is;
}

static int list_folder(struct finder *f, const char *folder)
{
    const int status = mx_folder_names(folder, &f->found->arena, &f->choice.names);
    return status == MX_IO ? mx_fail(f->diags, MX_IO, MX_NOWHERE, "the folder of '%s' cannot be read", f->label) : status;
}

/* The symbol file is known, the other files are next to it; the name of the parameters may be known as well. */
static int find_beside(struct finder *f, const char *symbol, const char *params, struct mx_found *out)
{
    const char *folder = mx_path_folder(&f->found->arena, symbol);
    MX_TRY_ALLOC(folder);
    MX_TRY(list_folder(f, folder));
    f->choice.symbol = mx_path_base(symbol);
    f->choice.params = params;
    mx_choose_beside(&f->choice);
    return open_all(f, folder, out);
}

/* ---- archives */

/* The names are the archive's. */
static int list_archive(struct finder *f, const struct mx_archive *a)
{
    struct mx_names *names = &f->choice.names;
    names->count = mx_archive_count(a);
    names->items = MX_ARENA_ARRAY(&f->found->arena, const char *, names->count);
    MX_TRY_ALLOC(names->items);
    for (size_t i = 0; i < names->count; i++) {
        MX_TRY(mx_tick(f->diags->budget, MX_TICK_ITEM));
        names->items[i] = mx_archive_name(a, i);
    }
    return MX_OK;
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
        return mx_fail(f->diags, MX_UNSUPPORTED, MX_NOWHERE,
                       "'%s' holds a network as Python code without a symbol" MX_HELP "export it with MXNet first", f->label);
    }
    f->choice.symbol = as_member(f, json_string_value(json_object_get(model, "Symbol")));
    if (f->choice.symbol) {
        f->choice.params = as_member(f, json_string_value(json_object_get(model, "Parameters")));
    }
    return MX_OK;
}

/* Model Server 0.x (.model) names its files in MANIFEST.json; a damaged one is ignored. */
static int read_manifest(struct finder *f, struct mx_archive *a)
{
    const size_t i = member_called(f, "MANIFEST.json");
    const void *text;
    struct mx_source *source;
    if (i == f->choice.names.count || mx_archive_size(a, i) > MX_WINDOW) {
        return MX_OK;
    }
    MX_TRY(mx_archive_read(a, i, &source));
    const size_t size = (size_t)mx_source_size(source);
    int status = mx_source_window(source, 0, size, &text);
    if (status == MX_OK) {
        struct mx_json_text json = {.at = text, .end = (const char *)text + size, .budget = f->diags->budget};
        json_t *root = mx_json_load(&json, 0, NULL);
        status = mx_budget_status(f->diags->budget);
        status = status == MX_OK ? take_manifest(f, root) : status;
        json_decref(root);
        mx_budget_release(f->diags->budget, json.charged);
    }
    mx_source_close(source);
    return status;
}

/* True for the output of SageMaker's own algorithms: a zip in a tar, "model_algo-1". A training on several hosts leaves one for each,
 * all of the same model. */
static bool holds_zip(struct finder *f, struct mx_archive *a, size_t *which)
{
    const struct mx_names *names = &f->choice.names;
    size_t found = 0, hosts = 0;
    *which = 0;
    for (size_t i = 0; i < names->count; i++) {
        if (mx_tick(f->diags->budget, MX_TICK_NODE) != MX_OK || !mx_archive_is_zip(a, i)) {
            continue;
        }
        hosts += mx_starts_with(mx_path_base(names->items[i]), "model_algo-");
        *which = found == 0 || strcmp(names->items[i], names->items[*which]) < 0 ? i : *which;
        found++;
    }
    if (found > 1 && hosts == found) {
        mx_note(f->diags, MX_NOWHERE, "the model was trained on %zu hosts, and of their copies '%s' was chosen", found,
                names->items[*which]);
    }
    return found == 1 || (found > 1 && hosts == found);
}

static bool is_graph_in_archive(void *finder, size_t i)
{
    const struct finder *f = finder;
    char head[NEAR + 1];
    return has_nodes(head, mx_archive_head(f->archive, i, head, NEAR));
}

static int find_in_archive(struct finder *f, struct mx_archive *a, const char *label, struct mx_found *out);

static int find_in_inner_zip(struct finder *f, struct mx_archive *a, size_t i, const char *label, struct mx_found *out)
{
    struct mx_archive inner;
    struct mx_source *source;
    const char *member = mx_path_join(&f->found->arena, label, mx_archive_name(a, i));
    MX_TRY_ALLOC(member);
    MX_TRY(mx_archive_take(a, i, &source));
    MX_TRY(mx_archive_open_zip(&inner, source, f->diags, member));
    const int status = find_in_archive(f, &inner, member, out);
    mx_archive_close(&inner);
    return status;
}

typedef int open_fn(struct mx_archive *a, size_t i, struct mx_source **out);

/* `folder`: the label of the archive; the member's label begins with it, as if it were a folder. */
static int open_member(struct finder *f, open_fn *open, const char *folder, const char *name, struct mx_source **out, const char **label)
{
    if (!name) {
        return MX_OK;
    }
    *label = mx_path_join(&f->found->arena, folder, name);
    MX_TRY_ALLOC(*label);
    return open(f->archive, member_called(f, name), out);
}

static int open_members(struct finder *f, const char *folder, struct mx_found *out)
{
    const struct mx_choice *c = &f->choice;
    struct mx_source *settings = NULL;
    const char *label;
    MX_TRY(open_member(f, mx_archive_read, folder, c->settings, &settings, &label));
    read_settings(f, settings);
    MX_TRY(open_member(f, mx_archive_read, folder, c->symbol, &out->symbol, &out->symbol_label));
    MX_TRY(open_member(f, mx_archive_read, folder, c->shapes, &out->shapes, &out->shapes_label));
    return open_member(f, mx_archive_take, folder, c->params, &out->params, &out->params_label);
}

static int find_in_archive(struct finder *f, struct mx_archive *a, const char *label, struct mx_found *out)
{
    struct mx_choice *c = &f->choice;
    size_t inner = 0;
    f->archive = a;
    c->finder = f;
    c->is_graph = is_graph_in_archive;
    MX_TRY(list_archive(f, a));
    MX_TRY(read_manifest(f, a));
    if (!c->symbol && !mx_has_symbol(c) && holds_zip(f, a, &inner)) {
        return find_in_inner_zip(f, a, inner, label, out);
    }
    if (c->symbol) {
        mx_choose_beside(c);
    } else {
        MX_TRY(mx_choose_model(c));
    }
    return open_members(f, label, out);
}

/* Takes ownership of the source. */
static int find_in_sniffed(struct finder *f, struct mx_source *source, const struct mx_sniffed *is, const char *label, struct mx_found *out)
{
    struct mx_archive archive;
    out->is_archive = true;
    if (f->diags->budget) {
        f->diags->budget->input += mx_source_size(source);
    }
    MX_TRY(is->kind == MX_FILE_TAR ? mx_archive_open_tar(&archive, source, &f->found->arena, f->diags, label)
                                   : mx_archive_open_zip(&archive, source, f->diags, label));
    const int status = find_in_archive(f, &archive, label, out);
    mx_archive_close(&archive);
    return status;
}

/* ---- the path */

static int sniff_file(struct finder *f, const char *path, struct mx_sniffed *is)
{
    struct mx_source *source;
    MX_TRY(open_file(f, path, &source));
    const int status = mx_sniff(source, is);
    mx_source_close(source);
    return status == MX_OK ? MX_OK : mx_fail(f->diags, MX_IO, MX_NOWHERE, "'%s' cannot be read", path);
}

static int open_archive(struct finder *f, const char *path, const struct mx_sniffed *is, struct mx_found *out)
{
    struct mx_source *source;
    MX_TRY(open_file(f, path, &source));
    return find_in_sniffed(f, source, is, path, out);
}

static int find_by_file(struct finder *f, const char *path, struct mx_found *out)
{
    struct mx_sniffed is;
    MX_TRY(sniff_file(f, path, &is));
    if (is.kind == MX_FILE_JSON) {
        return find_beside(f, path, NULL, out);
    }
    if (is.kind == MX_FILE_LIST) {
        return open_in(f, "", path, &out->params, &out->params_label);
    }
    if (is.kind == MX_FILE_ZIP || is.kind == MX_FILE_TAR) {
        return open_archive(f, path, &is, out);
    }
    return mx_fail(f->diags, MX_FORMAT, MX_NOWHERE, "'%s' %s" MX_HELP "%s", f->label, is.text, is.advice);
}

/* Of a folder that SageMaker's archive was unpacked to, the "model_algo-1" that mx_choose_model chose may be an archive itself. */
static int find_in_folder(struct finder *f, const char *folder, struct mx_found *out)
{
    struct mx_sniffed is = {MX_FILE_UNKNOWN, NULL, NULL};
    MX_TRY(list_folder(f, folder));
    f->folder = folder;
    f->choice.finder = f;
    f->choice.is_graph = is_graph_in_folder;
    MX_TRY(mx_choose_model(&f->choice));
    if (f->choice.symbol || !f->choice.params || !mx_starts_with(f->choice.params, "model_algo")) {
        return open_all(f, folder, out);
    }
    const char *path = mx_path_join(&f->found->arena, folder, f->choice.params);
    MX_TRY_ALLOC(path);
    MX_TRY(sniff_file(f, path, &is));
    if (is.kind != MX_FILE_ZIP) {
        return open_all(f, folder, out);
    }
    f->choice = (struct mx_choice){.diags = f->choice.diags, .arena = f->choice.arena, .label = f->choice.label};
    return open_archive(f, path, &is, out);
}

/* "net" means net-symbol.json, or net.json as Wolfram Language writes it; "net-0007" means the first and net-0007.params. */
static int find_by_prefix(struct finder *f, const char *path, struct mx_found *out)
{
    const char *symbol = mx_arena_printf(&f->found->arena, "%s-symbol.json", path);
    MX_TRY_ALLOC(symbol);
    if (!mx_is_file(symbol)) {
        symbol = mx_arena_printf(&f->found->arena, "%s.json", path);
        MX_TRY_ALLOC(symbol);
    }
    if (mx_is_file(symbol)) {
        return find_beside(f, symbol, NULL, out);
    }
    const char *dash = strrchr(mx_path_base(path), '-');
    const size_t digits = dash ? strspn(dash + 1, "0123456789") : 0;
    if (digits == 0 || dash[1 + digits]) {
        return not_found(f, "does not exist, nor does it with -symbol.json appended");
    }
    symbol = mx_arena_printf(&f->found->arena, "%.*s-symbol.json", (int)(dash - path), path);
    const char *params = mx_arena_printf(&f->found->arena, "%s.params", path);
    MX_TRY_ALLOC(symbol && params);
    if (!mx_is_file(symbol) || !mx_is_file(params)) {
        return not_found(f, "is neither a file nor a prefix of PREFIX-symbol.json and PREFIX-EEEE.params");
    }
    return find_beside(f, symbol, mx_path_base(params), out);
}

void mx_found_close(struct mx_found *found)
{
    mx_source_close(found->symbol);
    mx_source_close(found->params);
    mx_source_close(found->shapes);
    json_decref(found->settings);
    mx_budget_release(found->budget, found->settings_charged);
    mx_arena_free(&found->arena);
    *found = (struct mx_found){0};
}

int mx_find_model(const char *path, struct mx_found *out, struct mx_diags *diags)
{
    struct mx_found found = {.arena.budget = diags->budget};
    struct finder f = {.diags = diags, .label = path, .found = &found};
    f.choice = (struct mx_choice){.diags = diags, .arena = &found.arena, .label = f.label};
    const int status = mx_is_folder(path) ? find_in_folder(&f, path, &found)
                       : mx_is_file(path) ? find_by_file(&f, path, &found)
                                          : find_by_prefix(&f, path, &found);
    if (status != MX_OK) {
        mx_found_close(&found);
        return status;
    }
    *out = found;
    return MX_OK;
}

static int find_in_source(struct finder *f, struct mx_source *source, struct mx_found *out)
{
    struct mx_sniffed is;
    const int status = mx_sniff(source, &is);
    if (status == MX_OK && is.kind == MX_FILE_JSON) {
        out->symbol = source;
        out->symbol_label = f->label;
        return MX_OK;
    }
    if (status == MX_OK && is.kind == MX_FILE_LIST) {
        out->params = source;
        out->params_label = f->label;
        return MX_OK;
    }
    if (status == MX_OK && (is.kind == MX_FILE_ZIP || is.kind == MX_FILE_TAR)) {
        return find_in_sniffed(f, source, &is, f->label, out);
    }
    mx_source_close(source);
    return status != MX_OK ? mx_fail(f->diags, MX_IO, MX_NOWHERE, "'%s' cannot be read", f->label)
                           : mx_fail(f->diags, MX_FORMAT, MX_NOWHERE, "'%s' %s" MX_HELP "%s", f->label, is.text, is.advice);
}

int mx_find_in_source(struct mx_source *source, const char *label, struct mx_found *out, struct mx_diags *diags)
{
    struct mx_found found = {.arena.budget = diags->budget};
    struct finder f = {.diags = diags, .label = label, .found = &found};
    f.choice = (struct mx_choice){.diags = diags, .arena = &found.arena, .label = label};
    const int status = find_in_source(&f, source, &found);
    if (status != MX_OK) {
        mx_found_close(&found);
        return status;
    }
    *out = found;
    return MX_OK;
}
