/* Reads the text of a symbol. jansson reads one value at a time: the tree of a whole file would take many times the memory of the graph. */
#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/str.h"
#include "read/json.h"
#include "read/sniff.h"
#include "read/symbol_build.h"

enum { WORK = 8 };                   /* per blank */
#define MAX_TEXT ((uint64_t)1 << 31) /* limit: bytes of a symbol file */

struct reader {
    struct mx_symbol_build build;
    const char *text, *at, *end;
    json_t *attrs;
    uint64_t charged[3]; /* for what is held of heads, arg_nodes and attrs */
    bool has_nodes;
};

/* ---- the text */

static struct mx_budget *budget_of(const struct reader *r)
{
    return r->build.graph->diags->budget;
}

static int fail_at(struct reader *r, const char *where, const char *text)
{
    size_t line = 1;
    const char *line_start = r->text;
    for (const char *p = r->text; p < where; p++) {
        if (*p == '\n') {
            line++;
            line_start = p + 1;
        }
    }
    return mx_fail(r->build.graph->diags, MX_FORMAT, mx_named(r->build.label),
                   "'%s', line %zu, column %zu (byte %zu): %s" MX_HELP
                   "copy the file again, or give another one: it is damaged or not a symbol file",
                   r->build.label, line, (size_t)(where - line_start) + 1, (size_t)(where - r->text), text);
}

/* Ends early when the call must end, which is what the caller then finds. */
static void skip_blanks(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n')
           && mx_tick(budget_of(r), WORK) == MX_OK) {
        r->at++;
    }
}

static bool next_is(struct reader *r, char c)
{
    skip_blanks(r);
    return r->at < r->end && *r->at == c;
}

static int expect(struct reader *r, char c)
{
    char text[] = "' ' is missing";
    if (!next_is(r, c)) {
        text[1] = c;
        return fail_at(r, r->at, text);
    }
    r->at++;
    return MX_OK;
}

static json_t *load(struct reader *r, json_error_t *error, uint64_t *charged)
{
    struct mx_json_text text = {.at = r->at, .end = r->end, .budget = budget_of(r)};
    json_t *value = mx_json_load(&text, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, error);
    *charged = text.charged;
    return value;
}

/* jansson reports a failed allocation as an invalid token, or not at all. So a failure is blamed on the text only if there is memory
 * and a second attempt fails as well. */
static json_t *load_again(struct reader *r, json_error_t *error, uint64_t *charged, bool *out_of_memory)
{
    enum { PROBE = 1 << 16 };
    void *probe = mx_calloc(1, PROBE);
    mx_free(probe);
    json_t *value = probe ? load(r, error, charged) : NULL;
    *out_of_memory = !value && (!probe || !error->text[0]);
    return value;
}

/* Reads any JSON value and charges for it. The caller owns the value, and releases the charge with it. */
static int read_value(struct reader *r, json_t **out, uint64_t *charged)
{
    json_error_t error;
    bool out_of_memory = false;
    skip_blanks(r);
    *out = load(r, &error, charged);
    MX_TRY(mx_budget_status(budget_of(r)));
    if (!*out) {
        *out = load_again(r, &error, charged, &out_of_memory);
    }
    MX_TRY_ALLOC(!out_of_memory);
    const size_t left = (size_t)(r->end - r->at);
    const size_t position = error.position > 0 && (size_t)error.position < left ? (size_t)error.position : left;
    if (!*out) {
        return fail_at(r, r->at + position, error.text);
    }
    r->at += position;
    return MX_OK;
}

static void free_value(struct reader *r, json_t *value, uint64_t charged)
{
    mx_json_free(value, budget_of(r));
    mx_budget_release(budget_of(r), charged);
}

/* ---- the top object */

static int read_nodes(struct reader *r)
{
    mx_build_clear_nodes(&r->build);
    MX_TRY(expect(r, '['));
    for (bool more = !next_is(r, ']'); more;) {
        json_t *node;
        uint64_t charged;
        skip_blanks(r);
        r->build.at = r->at;
        MX_TRY(read_value(r, &node, &charged));
        const int status = mx_build_node(&r->build, node);
        free_value(r, node, charged);
        MX_TRY(status);
        more = !next_is(r, ']');
        MX_TRY(more ? expect(r, ',') : MX_OK);
    }
    r->at++;
    return MX_OK;
}

/* Keys come in any order; of a repeated key the last counts. */
static int read_entry(struct reader *r, const char *key)
{
    static const char *const keys[] = {"heads", "arg_nodes", "attrs"};
    json_t **const kept[] = {&r->build.heads, &r->build.arg_nodes, &r->attrs};
    json_t *value;
    uint64_t charged;
    if (strcmp(key, "nodes") == 0) {
        r->has_nodes = true;
        return read_nodes(r);
    }
    MX_TRY(read_value(r, &value, &charged));
    for (int i = 0; i < 3; i++) {
        if (strcmp(key, keys[i]) == 0) {
            json_t *const old = *kept[i];
            const uint64_t charged_before = r->charged[i];
            *kept[i] = value;
            r->charged[i] = charged;
            value = old;
            charged = charged_before;
        }
    }
    free_value(r, value, charged);
    return MX_OK;
}

static int read_pair(struct reader *r)
{
    json_t *key;
    uint64_t charged;
    if (!next_is(r, '"')) {
        return fail_at(r, r->at, r->at < r->end ? "a name in quotes is missing" : "the text ends too early");
    }
    MX_TRY(read_value(r, &key, &charged));
    int status = expect(r, ':');
    if (status == MX_OK) {
        status = read_entry(r, json_string_value(key));
    }
    free_value(r, key, charged);
    return status;
}

/* MXNet stops reading after the object, and accepts one whose last brace is missing. Here the attributes, which come last, are
 * required: otherwise a file cut off before them would look like one of version 0.8. */
static int read_object(struct reader *r)
{
    MX_TRY(expect(r, '{'));
    for (bool more = !next_is(r, '}'); more;) {
        MX_TRY(read_pair(r));
        skip_blanks(r);
        if (r->at == r->end && r->has_nodes && r->build.heads && r->attrs) {
            mx_warn(r->build.graph->diags, mx_named(r->build.label),
                    MX_SUBJECT "ends without its last brace" MX_HELP "compare it with the original");
            return MX_OK;
        }
        more = !next_is(r, '}');
        MX_TRY(more ? expect(r, ',') : MX_OK);
    }
    return MX_OK;
}

/* Subgraphs have no graph attributes: they share those of the top graph. */
static void share_attrs(struct mx_graph *g)
{
    for (int i = 0; i < g->n_nodes; i++) {
        for (int k = 0; k < g->nodes[i]->n_subgraphs; k++) {
            struct mx_graph *sub = g->nodes[i]->subgraphs[k];
            sub->np_shape = g->np_shape;
            sub->version = g->version;
            share_attrs(sub);
        }
    }
}

static int read_graph(struct reader *r)
{
    struct mx_graph *g = r->build.graph;
    MX_TRY(read_object(r));
    r->build.at = NULL;
    if (!r->has_nodes) {
        return mx_build_fail(&r->build, NULL, "it has no \"nodes\"", "give the symbol file of an MXNet model");
    }
    if (json_object_get(r->attrs, "storage_id")) {
        return mx_build_fail(&r->build, NULL, "it is a graph that TVM compiled, as SageMaker Neo does: its nodes are machine code",
                             "convert the MXNet model that was compiled");
    }
    g->version = 800; /* 0.8 and older did not write it */
    MX_TRY(mx_build_attrs(&r->build, r->attrs));
    MX_TRY(mx_build_finish(&r->build));
    if (g->n_heads == 0) {
        return mx_build_fail(&r->build, NULL, "the graph has no outputs, so there is nothing to convert",
                             "save the symbol again, with an output");
    }
    share_attrs(g);
    return MX_OK;
}

/* ---- the file */

/* Copies a text, with "\t" for the raw tabs in strings, which MXNet accepts and jansson refuses; returns its length. `out` may be NULL. */
static size_t escape_tabs(const char *text, size_t size, char *out)
{
    size_t n = 0;
    bool quoted = false, escaped = false;
    for (size_t i = 0; i < size; i++) {
        const bool tab = quoted && !escaped && text[i] == '\t';
        if (out && tab) {
            out[n] = '\\';
        }
        n += tab;
        if (out) {
            out[n] = tab ? 't' : text[i];
        }
        n++;
        quoted ^= !escaped && text[i] == '"';
        escaped = quoted && !escaped && text[i] == '\\';
    }
    return n;
}

/* Reads the whole text, which is charged; the caller frees it. */
static int load_text(struct mx_graph *g, struct mx_source *source, const char *label, char **out, size_t *size)
{
    struct mx_budget *budget = g->diags->budget;
    *size = (size_t)mx_source_size(source);
    char *text = mx_budget_array(budget, NULL, 0, *size, 1);
    MX_TRY_ALLOC(text);
    if (mx_source_read(source, 0, text, *size) != MX_OK) {
        mx_budget_array_free(budget, text, *size, 1);
        return mx_fail(g->diags, MX_IO, mx_named(label), MX_SUBJECT "cannot be read%s", mx_source_why(source));
    }
    const size_t length = memchr(text, '\t', *size) ? escape_tabs(text, *size, NULL) : *size;
    if (length > *size) {
        char *escaped = mx_budget_array(budget, NULL, 0, length, 1);
        if (escaped) {
            escape_tabs(text, *size, escaped);
        }
        mx_budget_array_free(budget, text, *size, 1);
        MX_TRY_ALLOC(escaped);
        text = escaped;
        *size = length;
    }
    *out = text;
    return MX_OK;
}

static int check_kind(struct mx_graph *g, struct mx_source *source, const char *label)
{
    struct mx_sniffed is;
    MX_TRY(mx_sniff(source, label, &is, g->diags));
    if (is.kind != MX_FILE_JSON && is.kind != MX_FILE_UNKNOWN) {
        return mx_fail(g->diags, MX_FORMAT, mx_named(label), MX_SUBJECT "%s" MX_HELP "%s", is.text, is.advice);
    }
    if (mx_source_size(source) > MAX_TEXT) {
        return mx_fail(g->diags, MX_TOO_LARGE, mx_named(label), MX_SUBJECT "is larger than 2 GiB, so it is not a symbol file");
    }
    return MX_OK;
}

int mx_symbol_read(struct mx_graph *g, struct mx_source *source, const char *label)
{
    char *text = NULL;
    size_t size = 0;
    const char **texts = MX_ARENA_ARRAY(g->arena, const char *, MX_BUILD_TEXTS);
    MX_TRY_ALLOC(texts);
    MX_TRY(check_kind(g, source, label));
    MX_TRY(load_text(g, source, label, &text, &size));
    struct reader r = {.text = text, .at = text, .end = text + size};
    r.build = (struct mx_symbol_build){.graph = g, .label = label, .text = text, .texts = texts};
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        r.at += 3;
    }
    const int status = read_graph(&r);
    mx_json_free(r.attrs, budget_of(&r));
    mx_build_free(&r.build);
    mx_budget_release(budget_of(&r), r.charged[0] + r.charged[1] + r.charged[2]);
    mx_budget_array_free(budget_of(&r), text, size, 1);
    return status;
}
