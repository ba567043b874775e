/* From a path to a symbol and its parameters. A folder and an archive are both lists of names; what belongs together is
 * decided by names alone, in one place for both. */
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/alloc.h"
#include "base/num.h"
#include "base/str.h"
#include "read/archive.h"
#include "read/cursor.h"
#include "read/folder.h"
#include "read/sniff.h"

static const char symbol_suffix[] = "-symbol.json";

struct finder {
    struct mx_diags *diags;
    struct mx_arena arena; /* names while we look */
    const char *label;     /* what was given, in messages */
    struct mx_names names; /* in the folder or archive */
    const char *symbol, *params; /* of them; NULL: none */
};

static int not_found(struct finder *f, const char *text, const char *advice)
{
    return mx_fail(f->diags, MX_NOT_FOUND, MX_NOWHERE, "'%s' %s; %s", f->label, text, advice);
}

/* ---- names */

static bool is_symbol_name(const char *name)
{
    return mx_ends_with(name, symbol_suffix) || strcmp(mx_path_base(name), "symbol.json") == 0;
}

/* The epoch of PREFIX-EEEE.params, -1 if the name is another. Epochs have four digits or more. */
static int64_t epoch_of(const char *name, const char *prefix, size_t length)
{
    if (strncmp(name, prefix, length) != 0 || name[length] != '-') {
        return -1;
    }
    const char *digits = name + length + 1;
    const size_t n = strspn(digits, "0123456789");
    int64_t epoch;
    const char *end;
    if (n == 0 || strcmp(digits + n, ".params") != 0 || !mx_scan_int(digits, &end, &epoch)) {
        return -1;
    }
    return epoch;
}

/* The length of what the files of a model have in common: "a/net" of "a/net-symbol.json" and of "a/net.json". */
static size_t prefix_length(const char *symbol)
{
    const size_t n = strlen(symbol);
    if (mx_ends_with(symbol, symbol_suffix)) {
        return n - strlen(symbol_suffix);
    }
    return mx_ends_with(symbol, ".json") ? n - strlen(".json") : n;
}

/* Among the names: the parameters with the prefix and the highest epoch, else PREFIX.params. */
static void choose_params(struct finder *f, const char *symbol)
{
    const size_t length = prefix_length(symbol);
    int64_t best = -1;
    size_t epochs = 0;
    const char *plain = NULL;
    for (size_t i = 0; i < f->names.count; i++) {
        const char *name = f->names.items[i];
        const int64_t epoch = epoch_of(name, symbol, length);
        epochs += epoch >= 0;
        if (epoch > best) {
            best = epoch;
            f->params = name;
        }
        if (strncmp(name, symbol, length) == 0 && strcmp(name + length, ".params") == 0) {
            plain = name;
        }
    }
    if (!f->params) {
        f->params = plain;
    }
    if (epochs > 1) {
        mx_note(f->diags, MX_NOWHERE, "there are parameters of %zu epochs; the highest is taken, '%s'", epochs,
                mx_path_base(f->params));
    }
}

/* SageMaker's factorization machines and topic models call the two files just so. */
static void choose_plain_params(struct finder *f)
{
    const char *base = mx_path_base(f->symbol);
    const size_t folder = (size_t)(base - f->symbol);
    for (size_t i = 0; !f->params && strcmp(base, "symbol.json") == 0 && i < f->names.count; i++) {
        const char *name = f->names.items[i];
        if (strncmp(name, f->symbol, folder) == 0 && strcmp(name + folder, "params") == 0) {
            f->params = name;
        }
    }
}

/* If all else fails: the only .params there is. */
static void choose_only_params(struct finder *f)
{
    const char *only = NULL;
    size_t count = 0;
    for (size_t i = 0; i < f->names.count; i++) {
        if (mx_ends_with(f->names.items[i], ".params")) {
            only = f->names.items[i];
            count++;
        }
    }
    if (!f->params && count == 1) {
        f->params = only;
        mx_note(f->diags, MX_NOWHERE, "the parameters are taken from '%s', the only such file", mx_path_base(only));
    }
}

/* The one symbol among the names, and its parameters. */
static int choose_model(struct finder *f)
{
    const char *second = NULL;
    for (size_t i = 0; i < f->names.count; i++) {
        const char *name = f->names.items[i];
        if (is_symbol_name(name)) {
            second = f->symbol && !second ? name : second;
            f->symbol = f->symbol ? f->symbol : name;
        }
    }
    if (!f->symbol) {
        return not_found(f, "holds no symbol file (*-symbol.json)",
                         "a network saved with save_parameters alone has no graph: export it with MXNet first");
    }
    if (second) {
        return mx_fail(f->diags, MX_NOT_FOUND, MX_NOWHERE,
                       "'%s' holds more than one model, among them '%s' and '%s'; give the symbol file of one",
                       f->label, f->symbol, second);
    }
    choose_params(f, f->symbol);
    choose_plain_params(f);
    choose_only_params(f);
    return MX_OK;
}

/* ---- opening files */

static void set_label(char label[256], const char *path)
{
    snprintf(label, 256, "%s", mx_path_base(path));
}

static int open_file(struct finder *f, const char *path, struct mx_source **out, char label[256])
{
    const char *reason = NULL;
    const int status = mx_source_open_file(out, path, &reason);
    set_label(label, path);
    if (status == MX_OK || status == MX_OUT_OF_MEMORY) {
        return status;
    }
    return mx_fail(f->diags, status, MX_NOWHERE, "'%s' cannot be opened: %s", label, reason ? reason : "unknown");
}

/* Opens both, each as the path says; params may be NULL. */
static int open_both(struct finder *f, const char *symbol, const char *params, struct mx_found *out)
{
    MX_TRY(open_file(f, symbol, &out->symbol, out->symbol_label));
    return params ? open_file(f, params, &out->params, out->params_label) : MX_OK;
}

static int list_folder(struct finder *f, const char *folder)
{
    const int status = mx_folder_names(folder, &f->arena, &f->names);
    return status == MX_IO ? mx_fail(f->diags, MX_IO, MX_NOWHERE, "the folder of '%s' cannot be read", f->label)
                           : status;
}

static int find_in_folder(struct finder *f, const char *folder, struct mx_found *out)
{
    MX_TRY(list_folder(f, folder));
    MX_TRY(choose_model(f));
    const char *symbol = mx_path_join(&f->arena, folder, f->symbol);
    const char *params = f->params ? mx_path_join(&f->arena, folder, f->params) : NULL;
    MX_TRY_ALLOC(symbol && (params || !f->params));
    return open_both(f, symbol, params, out);
}

/* The symbol file is known, its parameters lie beside it. */
static int find_beside(struct finder *f, const char *symbol, struct mx_found *out)
{
    const char *folder = mx_path_folder(&f->arena, symbol);
    MX_TRY_ALLOC(folder);
    MX_TRY(list_folder(f, folder));
    f->symbol = mx_path_base(symbol);
    choose_params(f, f->symbol);
    choose_plain_params(f);
    const char *params = f->params ? mx_path_join(&f->arena, folder, f->params) : NULL;
    MX_TRY_ALLOC(params || !f->params);
    return open_both(f, symbol, params, out);
}

/* ---- archives */

static int list_archive(struct finder *f, struct mx_zip *zip)
{
    f->names.count = mx_zip_count(zip);
    f->names.items = MX_ARENA_ARRAY(&f->arena, const char *, f->names.count);
    MX_TRY_ALLOC(f->names.items);
    for (size_t i = 0; i < f->names.count; i++) {
        f->names.items[i] = mx_arena_strdup(&f->arena, mx_zip_name(zip, i));
        MX_TRY_ALLOC(f->names.items[i]);
    }
    return MX_OK;
}

static size_t member_called(const struct finder *f, const char *name)
{
    size_t i = 0;
    while (i < f->names.count && (!name || strcmp(f->names.items[i], name) != 0)) {
        i++;
    }
    return i;
}

static int take_manifest(struct finder *f, const json_t *root)
{
    const json_t *model = json_object_get(root, "Model");
    const char *symbol = json_string_value(json_object_get(model, "Symbol"));
    const char *params = json_string_value(json_object_get(model, "Parameters"));
    const char *format = json_string_value(json_object_get(model, "Model-Format"));
    if (format && strcmp(format, "Gluon-Imperative") == 0) {
        return mx_fail(f->diags, MX_UNSUPPORTED, MX_NOWHERE,
                       "'%s' holds a network as Python code, without a symbol; export it with MXNet first", f->label);
    }
    /* Names are looked up among the members only. */
    if (member_called(f, symbol) < f->names.count) {
        f->symbol = f->names.items[member_called(f, symbol)];
    }
    if (f->symbol && member_called(f, params) < f->names.count) {
        f->params = f->names.items[member_called(f, params)];
    }
    return MX_OK;
}

/* Model Server 0.x (.model) names its files in MANIFEST.json; a damaged one is no reason to give up. */
static int read_manifest(struct finder *f, struct mx_zip *zip)
{
    const size_t i = member_called(f, "MANIFEST.json");
    const void *text;
    struct mx_source *source;
    if (i == f->names.count || mx_zip_size(zip, i) > MX_WINDOW) {
        return MX_OK;
    }
    MX_TRY(mx_zip_read(zip, i, &source));
    const size_t size = (size_t)mx_source_size(source);
    int status = mx_source_window(source, 0, size, &text);
    if (status == MX_OK) {
        json_t *root = json_loadb(text, size, 0, NULL);
        status = take_manifest(f, root);
        json_decref(root);
    }
    mx_source_close(source);
    return status;
}

static int open_member(struct finder *f, struct mx_zip *zip, const char *name, struct mx_source **out,
                       char label[256])
{
    set_label(label, name);
    return mx_zip_read(zip, member_called(f, name), out);
}

/* Stored parameters stay where they are: *archive, which is the archive's source, becomes theirs. */
static int open_params(struct finder *f, struct mx_zip *zip, struct mx_source **archive, struct mx_found *out)
{
    const size_t i = member_called(f, f->params);
    uint64_t offset;
    if (!mx_zip_stored_at(zip, i, &offset) || !mx_source_narrow(*archive, offset, mx_zip_size(zip, i))) {
        return open_member(f, zip, f->params, &out->params, out->params_label);
    }
    set_label(out->params_label, f->params);
    out->params = *archive;
    *archive = NULL;
    return MX_OK;
}

static int find_in_zip(struct finder *f, struct mx_zip *zip, struct mx_source **archive, struct mx_found *out)
{
    MX_TRY(list_archive(f, zip));
    MX_TRY(read_manifest(f, zip));
    if (!f->symbol) {
        MX_TRY(choose_model(f));
    }
    MX_TRY(open_member(f, zip, f->symbol, &out->symbol, out->symbol_label));
    return f->params ? open_params(f, zip, archive, out) : MX_OK;
}

static int find_in_archive(struct finder *f, const char *path, struct mx_found *out)
{
    struct mx_source *source;
    struct mx_zip *zip = NULL;
    char label[256];
    MX_TRY(open_file(f, path, &source, label));
    int status = mx_zip_open(&zip, source, f->diags, label);
    if (status == MX_OK) {
        status = find_in_zip(f, zip, &source, out);
    }
    mx_zip_close(zip);
    mx_source_close(source);
    return status;
}

/* ---- the path */

static int sniff_file(struct finder *f, const char *path, struct mx_sniffed *is)
{
    struct mx_source *source;
    char label[256];
    MX_TRY(open_file(f, path, &source, label));
    const int status = mx_sniff(source, is);
    mx_source_close(source);
    return status == MX_OK ? MX_OK : mx_fail(f->diags, MX_IO, MX_NOWHERE, "'%s' cannot be read", label);
}

static int find_by_file(struct finder *f, const char *path, struct mx_found *out)
{
    struct mx_sniffed is;
    MX_TRY(sniff_file(f, path, &is));
    if (is.kind == MX_FILE_JSON) {
        return find_beside(f, path, out);
    }
    if (is.kind == MX_FILE_ZIP) {
        return find_in_archive(f, path, out);
    }
    return mx_fail(f->diags, MX_FORMAT, MX_NOWHERE, "'%s' %s; %s", f->label, is.text, is.advice);
}

/* "net" for net-symbol.json; "net-0007" for it and net-0007.params. */
static int find_by_prefix(struct finder *f, const char *path, struct mx_found *out)
{
    const char *symbol = mx_arena_printf(&f->arena, "%s%s", path, symbol_suffix);
    MX_TRY_ALLOC(symbol);
    if (mx_is_file(symbol)) {
        return find_beside(f, symbol, out);
    }
    const char *dash = strrchr(mx_path_base(path), '-');
    const size_t digits = dash ? strspn(dash + 1, "0123456789") : 0;
    if (digits == 0 || dash[1 + digits]) {
        return not_found(f, "does not exist, nor does it with -symbol.json behind it", "check the path");
    }
    symbol = mx_arena_printf(&f->arena, "%.*s%s", (int)(dash - path), path, symbol_suffix);
    const char *params = mx_arena_printf(&f->arena, "%s.params", path);
    MX_TRY_ALLOC(symbol && params);
    if (!mx_is_file(symbol) || !mx_is_file(params)) {
        return not_found(f, "leads to no symbol (PREFIX-symbol.json) with parameters (PREFIX-EEEE.params)",
                         "check the path");
    }
    return open_both(f, symbol, params, out);
}

int mx_find_model(const char *path, struct mx_found *out, struct mx_diags *diags)
{
    struct mx_found found = {0};
    struct finder f = {.diags = diags, .label = mx_path_base(path)};
    if (!f.label[0]) {
        f.label = path;
    }
    const int status = mx_is_folder(path) ? find_in_folder(&f, path, &found)
                       : mx_is_file(path) ? find_by_file(&f, path, &found)
                                          : find_by_prefix(&f, path, &found);
    mx_arena_free(&f.arena);
    if (status != MX_OK) {
        mx_source_close(found.symbol);
        mx_source_close(found.params);
        return status;
    }
    *out = found;
    return MX_OK;
}
