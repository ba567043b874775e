/* Golden tests of operators: golden [--rebase | --models OUT | --failing N] FOLDER [WORD...]. Every case of every .txt file below the
 * folder is exported at its opsets, and the graph's text or the errors are compared with what the file says; every
 * operator of the library must occur in some case. With --rebase the files get what the library says now. With --models
 * every model is written to the folder OUT, for other tools to check. With --failing nothing is compared: N allocations of each case fail, one
 * at a time. A WORD limits the run to files and titles that hold it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_FAILING_ALLOCATIONS
#include "alloc_wrap.h"
#endif
#include "golden.h"

struct run {
    bool rebase;
    const char *models; /* a folder, or NULL */
    int n_models;
    size_t failing; /* allocations of each case that fail */
    char **words;
    int n_words;
    int passed, failed;
    json_t *ops; /* those that some case has a node of */
};

/* ---- what the library says of a case */

static void add_diagnostics(struct text *out, const mx2onnx_model *m)
{
    static const char *const severities[] = {"error", "warning", "note"};
    for (size_t i = 0; i < mx2onnx_diagnostic_count(m); i++) {
        mx2onnx_diagnostic d = {.struct_size = sizeof d};
        const bool got = mx2onnx_diagnostic_get(m, i, &d) == MX2ONNX_OK;
        if (!got || strstr(d.message, "reads opsets up to")) { /* the same of every model (tests/api/opset.c) */
            continue;
        }
        text_format(out, "%s", severities[d.severity]);
        if (d.severity == MX2ONNX_SEVERITY_ERROR) {
            text_format(out, " %s", mx2onnx_status_name(d.status));
        }
        if (d.node[0]) {
            text_format(out, " %s (%s)", d.node, d.op);
        }
        if (d.attribute[0] || d.name[0]) {
            text_format(out, " [%s]", d.attribute[0] ? d.attribute : d.name);
        }
        text_format(out, ": %s%s%s\n", d.message, d.advice[0] ? "; " : "", d.advice);
    }
}

/* The graph, without its first line, "opset 17", where that opset was requested, and what there is to say; or the errors. */
static char *text_at(mx2onnx_model *m, int opset)
{
    struct text out = {0};
    text_add(&out, "", 0);
    const char *graph = NULL;
    const bool written =
        mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, opset) == MX2ONNX_OK && mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &graph) == MX2ONNX_OK;
    if (written) {
        const char *rest = strchr(graph, '\n');
        text_format(&out, "%s", rest && opset != MX2ONNX_OPSET_AUTO ? rest + 1 : graph);
    }
    add_diagnostics(&out, m);
    if (!written && out.length == 0) {
        text_format(&out, "error without a diagnostic\n");
    }
    return out.bytes;
}

/* Does an export agree with the text about success? A model that has a text must also have bytes. */
static void check_export(struct text *out, mx2onnx_model *m)
{
    void *data = NULL;
    size_t size = 0;
    const char *text;
    const bool graph = mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text) == MX2ONNX_OK;
    const bool bytes = mx2onnx_export_memory(m, &data, &size) == MX2ONNX_OK;
    if (graph != bytes) {
        text_format(out, "the export says otherwise: %s\n", mx2onnx_error(m));
    }
    if (bytes) {
        mx2onnx_memory_free(data);
    }
}

static void add_block(struct text *out, const struct symbol *s, size_t first, size_t last, const char *text)
{
    if (first == last && s->opsets[first] == MX2ONNX_OPSET_AUTO) {
        text_format(out, "opset auto\n");
    } else if (first == 0 && last + 1 == s->n_opsets) {
        text_format(out, s->n_opsets == 1 ? "opset %d\n" : "every opset\n", s->opsets[0]);
    } else if (first == last) {
        text_format(out, "opset %d\n", s->opsets[first]);
    } else {
        text_format(out, "opset %d to %d\n", s->opsets[first], s->opsets[last]);
    }
    text_format(out, "%s", text);
}

/* OUT/0012_17.onnx, and in OUT/list.txt what it is. */
static void write_models(struct run *r, const struct symbol *s, mx2onnx_model *m, const char *what)
{
    struct text list = {0};
    text_format(&list, "%s/list.txt", r->models);
    FILE *f = fopen(list.bytes, "a");
    for (size_t i = 0; f && i < s->n_opsets; i++) {
        struct text path = {0};
        text_format(&path, "%s/%04d_%d.onnx", r->models, r->n_models, s->opsets[i]);
        if (mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, s->opsets[i]) == MX2ONNX_OK && mx2onnx_export_file(m, path.bytes) == MX2ONNX_OK) {
            fprintf(f, "%04d_%d.onnx\t%d\t%s\n", r->n_models, s->opsets[i], s->opsets[i], what);
        }
        free(path.bytes);
    }
    if (f) {
        fclose(f);
    }
    free(list.bytes);
    r->n_models++;
}

#ifdef HAVE_FAILING_ALLOCATIONS
/* Exports at the first opset. That allocation fails, from 1, and after OUT_OF_MEMORY the model is exported once more; `bytes` is what is
 * written. */
static mx2onnx_status export_failing(const struct symbol *s, size_t fail_at, struct text *bytes, struct text *out)
{
    mx2onnx_model *m = NULL;
    void *data = NULL;
    size_t size = 0;
    mx2onnx_status status = symbol_model(s, &m);
    status = status == MX2ONNX_OK ? mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, s->opsets[0]) : status;
    allocations.fail_at = fail_at;
    allocations.calls = 0;
    allocations.failed = false;
    status = status == MX2ONNX_OK ? mx2onnx_export_memory(m, &data, &size) : status;
    allocations.fail_at = 0;
    if (status == MX2ONNX_STATUS_OUT_OF_MEMORY && allocations.failed) { /* there is memory again */
        status = mx2onnx_export_memory(m, &data, &size);
    }
    if (status == MX2ONNX_OK) {
        text_add(bytes, data, size);
    }
    mx2onnx_memory_free(data);
    mx2onnx_model_free(m);
    if (allocations.live != 0) {
        text_format(out, "%ld blocks are not freed after allocation %zu failed\n", allocations.live, fail_at);
        allocations.live = 0;
    }
    return status;
}

/* Allocations that are spread over all of them, at other places in each case. The export is as usual, or OUT_OF_MEMORY and then as
 * usual. */
static char *failing(const struct run *r, const char *source)
{
    static size_t first;
    struct symbol s;
    struct text out = {0}, usual = {0};
    text_add(&out, "", 0);
    text_add(&usual, "", 0);
    if (symbol_parse(&s, source)) {
        const mx2onnx_status status = export_failing(&s, SIZE_MAX, &usual, &out);
        const size_t count = allocations.calls;
        for (size_t i = 0; i < r->failing && count > 0; i++) {
            const size_t n = 1 + (first++ + i * count / r->failing) % count;
            struct text bytes = {0};
            text_add(&bytes, "", 0);
            const mx2onnx_status without = export_failing(&s, n, &bytes, &out);
            if (without != status || bytes.length != usual.length || memcmp(bytes.bytes, usual.bytes, usual.length) != 0) {
                text_format(&out, "allocation %zu fails, and then the export is another: %s\n", n, mx2onnx_status_name(without));
            }
            free(bytes.bytes);
        }
    }
    free(usual.bytes);
    symbol_free(&s);
    return out.bytes;
}
#endif

/* One block for each run of opsets with the same text. */
static char *actual(struct run *r, const char *source, const char *what)
{
    struct symbol s;
    struct text out = {0};
    mx2onnx_model *m = NULL;
    text_add(&out, "", 0);
    if (!symbol_parse(&s, source)) {
        text_format(&out, "the case cannot be read: %s\n", s.error);
        symbol_free(&s);
        return out.bytes;
    }
    json_object_update(r->ops, s.ops);
    if (symbol_model(&s, &m) != MX2ONNX_OK) {
        text_format(&out, "before the export\n");
        add_diagnostics(&out, m);
    } else {
        if (r->models) {
            write_models(r, &s, m, what);
        }
        char *before = text_at(m, s.opsets[0]);
        size_t first = 0;
        check_export(&out, m);
        for (size_t i = 1; i <= s.n_opsets; i++) {
            char *now = i < s.n_opsets ? text_at(m, s.opsets[i]) : NULL;
            if (now && strcmp(now, before) == 0) {
                free(now);
                continue;
            }
            add_block(&out, &s, first, i - 1, before);
            if (now) {
                check_export(&out, m);
            }
            free(before);
            before = now;
            first = i;
        }
    }
    mx2onnx_model_free(m);
    symbol_free(&s);
#ifdef HAVE_FAILING_ALLOCATIONS
    if (allocations.live != 0) {
        text_format(&out, "%ld blocks are not freed\n", allocations.live);
        allocations.live = 0;
    }
#endif
    return out.bytes;
}

/* ---- files */

/* A case is a title line "# ...", lines, a line "---" and the expected text up to the next title. */
struct part {
    const char *title, *source, *expected, *end;
};

static const char *next_line(const char *p)
{
    p += strcspn(p, "\n");
    return *p ? p + 1 : p;
}

static const char *next_case(const char *p, struct part *out)
{
    out->title = p;
    out->source = p = next_line(p);
    while (*p && *p != '#' && strncmp(p, "---\n", 4) != 0) {
        p = next_line(p);
    }
    out->expected = p;
    while (*p && *p != '#') {
        p = next_line(p);
    }
    out->end = p;
    return p;
}

static bool holds(const char *text, size_t n, const char *word)
{
    char *copy = copy_of(text, n);
    const bool found = strstr(copy, word) != NULL;
    free(copy);
    return found;
}

static bool wanted(const struct run *r, const char *path, const struct part *c)
{
    for (int i = 0; i < r->n_words; i++) {
        if (strstr(path, r->words[i]) || holds(c->title, strcspn(c->title, "\n"), r->words[i])) {
            return true;
        }
    }
    return r->n_words == 0;
}

static void show_difference(const char *path, const struct part *c, const char *expected, const char *got)
{
    const char *e = expected, *g = got;
    while (*e && *g && strcspn(e, "\n") == strcspn(g, "\n") && strncmp(e, g, strcspn(e, "\n")) == 0) {
        e = next_line(e);
        g = next_line(g);
    }
    printf("%s: %.*s\n  expected: %.*s\n  actual:   %.*s\n", path, (int)strcspn(c->title, "\n"), c->title, (int)strcspn(e, "\n"), e,
           (int)strcspn(g, "\n"), g);
}

/* The text after "---", without blank lines at its end. */
static char *expected_of(const struct part *c)
{
    const char *start = *c->expected == '-' ? next_line(c->expected) : c->expected;
    const char *end = c->end;
    while (end > start && end[-1] == '\n') {
        end--;
    }
    struct text t = {0};
    text_add(&t, start, (size_t)(end - start));
    if (end > start) {
        text_add(&t, "\n", 1);
    }
    return t.bytes;
}

#ifdef HAVE_FAILING_ALLOCATIONS
static void run_failing(struct run *r, const char *path, const struct part *c)
{
    if (wanted(r, path, c)) {
        char *source = copy_of(c->source, (size_t)(c->expected - c->source));
        char *wrong = failing(r, source);
        r->passed += wrong[0] == '\0';
        r->failed += wrong[0] != '\0';
        if (wrong[0]) {
            printf("%s: %.*s\n%s", path, (int)strcspn(c->title, "\n"), c->title, wrong);
        }
        free(source);
        free(wrong);
    }
}
#endif

static void run_case(struct run *r, const char *path, const struct part *c, struct text *rebased)
{
    char *source = copy_of(c->source, (size_t)(c->expected - c->source));
    char *expected = expected_of(c);
    struct text what = {0};
    text_format(&what, "%s: %.*s", path, (int)strcspn(c->title, "\n"), c->title);
    char *got = wanted(r, path, c) ? actual(r, source, what.bytes) : copy_of(expected, strlen(expected));
    free(what.bytes);
    if (strcmp(got, expected) == 0) {
        r->passed += wanted(r, path, c);
    } else if (!r->rebase) {
        show_difference(path, c, expected, got);
        r->failed++;
    }
    const char *lines_end = c->expected;
    while (lines_end > c->source && lines_end[-1] == '\n' && lines_end[-2] == '\n') {
        lines_end--;
    }
    text_add(rebased, c->title, (size_t)(lines_end - c->title));
    text_format(rebased, "---\n%s%s", got, *c->end ? "\n" : "");
    free(source);
    free(expected);
    free(got);
}

static void run_file(struct run *r, const char *path)
{
    char *text = read_file(path);
    struct text rebased = {0};
    if (!text) {
        printf("%s: cannot be read\n", path);
        r->failed++;
        return;
    }
    const char *p = text;
    while (*p && *p != '#') {
        p = next_line(p);
    }
    text_add(&rebased, text, (size_t)(p - text));
    while (*p) {
        struct part c;
        p = next_case(p, &c);
#ifdef HAVE_FAILING_ALLOCATIONS
        if (r->failing) {
            run_failing(r, path, &c);
            continue;
        }
#endif
        run_case(r, path, &c, &rebased);
    }
    if (r->rebase && strcmp(text, rebased.bytes) != 0) {
        printf("%s: %s\n", path, write_file(path, rebased.bytes) ? "rebased" : "cannot be written");
    }
    free(rebased.bytes);
    free(text);
}

/* Every operator of the registry occurs in a case, by its name or an alias. */
static void check_operators(struct run *r)
{
    for (size_t i = 0; i < mx2onnx_known_operator_count(); i++) {
        const char *name = mx2onnx_known_operator_name(i);
        const char *p = mx2onnx_known_operator_aliases(i);
        bool found = json_object_get(r->ops, name) != NULL;
        while (!found && *p) {
            char *alias = copy_of(p, strcspn(p, " "));
            found = json_object_get(r->ops, alias) != NULL;
            p += strlen(alias);
            p += *p == ' ';
            free(alias);
        }
        if (!found) {
            printf("%s: no case has such a node\n", name);
            r->failed++;
        }
    }
}

int main(int argc, char **argv)
{
    struct run r = {.ops = json_object()};
    int at = 1;
    size_t count;
    if (at < argc && strcmp(argv[at], "--rebase") == 0) {
        r.rebase = true;
        at++;
    } else if (at + 1 < argc && strcmp(argv[at], "--models") == 0) {
        r.models = argv[at + 1];
        at += 2;
    } else if (at + 1 < argc && strcmp(argv[at], "--failing") == 0) {
        r.failing = strtoul(argv[at + 1], NULL, 10);
        at += 2;
    }
    if (at >= argc) {
        fputs("usage: golden [--rebase | --models OUT | --failing N] FOLDER [WORD...]\n", stderr);
        return 2;
    }
    r.words = argv + at + 1;
    r.n_words = argc - at - 1;
    char **files = list_files(argv[at], &count);
    for (size_t i = 0; i < count; i++) {
        run_file(&r, files[i]);
        free(files[i]);
    }
    free(files);
    if (r.n_words == 0 && !r.rebase && !r.failing) {
        check_operators(&r);
    }
    json_decref(r.ops);
    printf("%d cases of %zu files agree, %d do not\n", r.passed, count, r.failed);
    return r.failed > 0 || (r.passed == 0 && !r.rebase);
}
