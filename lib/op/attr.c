/* Converts attribute texts to values, in every form that MXNet's versions and bindings wrote and its readers accept (dmlc/parameter.h,
 * mxnet/tuple.h operator>>). */
#include "op/op.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "graph/graph.h"

enum { MAX_TUPLE = 4096 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_blanks(const char *s)
{
    while (is_blank(*s)) {
        s++;
    }
    return s;
}

/* The text without surrounding blanks, in `out`; false if it does not fit. */
static bool trim(const char *text, char *out, size_t size)
{
    const char *begin = skip_blanks(text);
    size_t n = strlen(begin);
    while (n > 0 && is_blank(begin[n - 1])) {
        n--;
    }
    if (n >= size) {
        return false;
    }
    memcpy(out, begin, n);
    out[n] = 0;
    return true;
}

static bool parse_int(const char *text, int64_t *out)
{
    char word[64];
    return trim(text, word, sizeof word) && mx_parse_int(word, out);
}

static bool parse_int_or_none(const char *text, int64_t *out)
{
    char word[64];
    if (!trim(text, word, sizeof word)) {
        return false;
    }
    if (strcmp(word, "None") == 0) {
        *out = MX_NONE;
        return true;
    }
    const size_t n = strlen(word);
    if (n > 1 && word[n - 1] == 'L') { /* a Python 2 long */
        word[n - 1] = 0;
    }
    return mx_parse_int(word, out);
}

static bool parse_bool(const char *text, bool *out)
{
    static const struct {
        const char *word;
        bool value;
    } words[] = {{"true", true}, {"1", true}, {"false", false}, {"0", false}};
    char word[8];
    if (!trim(text, word, sizeof word)) {
        return false;
    }
    for (char *p = word; *p; p++) {
        *p = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i].word) == 0) {
            *out = words[i].value;
            return true;
        }
    }
    return false;
}

static bool parse_optional_bool(const char *text, struct mx_opt_bool *out)
{
    char word[8];
    out->given = !(trim(text, word, sizeof word) && strcmp(word, "None") == 0);
    return !out->given || parse_bool(text, &out->v);
}

static bool parse_double(const char *text, double *out)
{
    char word[512];
    return trim(text, word, sizeof word) && mx_parse_double(word, out);
}

/* A float field of dmlc::Parameter holds the nearest binary32. */
static bool parse_float(const char *text, double *out)
{
    double v;
    if (!parse_double(text, &v)) {
        return false;
    }
    const float f = (float)v;
    if (isinf(f) && !isinf(v)) {
        return false;
    }
    *out = (double)f;
    return true;
}

static bool parse_optional_float(const char *text, struct mx_opt_float *out)
{
    char word[512];
    if (!trim(text, word, sizeof word)) {
        return false;
    }
    if (strcmp(word, "None") == 0) {
        *out = (struct mx_opt_float){false, 0};
        return true;
    }
    out->given = true;
    return parse_double(word, &out->v);
}

/* Reads one element of a tuple; *end is set behind it, and behind the L of a Python 2 long. */
static bool scan_element(const char *text, const char **end, bool none_allowed, int64_t *out)
{
    if (none_allowed && mx_starts_with(text, "None")) {
        *out = MX_NONE;
        *end = text + 4;
        return true;
    }
    if (!mx_scan_int(text, end, out)) {
        return false;
    }
    if (**end == 'L') {
        (*end)++;
    }
    return true;
}

static bool is_end(const char *text)
{
    return *skip_blanks(text) == 0;
}

/* Counts the elements and stores them if `out` is not NULL. -1 if the text is no tuple. */
static int scan_tuple(const char *text, bool none_allowed, int64_t *out)
{
    text = skip_blanks(text);
    const char close = *text == '(' ? ')' : *text == '[' ? ']' : 0;
    int64_t v;
    if (!close) { /* a bare number is a tuple with one element */
        if (!scan_element(text, &text, none_allowed, &v) || !is_end(text)) {
            return -1;
        }
        if (out) {
            out[0] = v;
        }
        return 1;
    }
    text = skip_blanks(text + 1);
    int n = 0;
    while (*text != close) {
        if (n == MAX_TUPLE || !scan_element(text, &text, none_allowed, &v)) {
            return -1;
        }
        if (out) {
            out[n] = v;
        }
        n++;
        text = skip_blanks(text);
        if (*text == ',') {
            text = skip_blanks(text + 1);
        } else if (*text != close) {
            return -1;
        }
    }
    return is_end(text + 1) ? n : -1;
}

static bool parse_tuple(const char *text, bool none_allowed, struct mx_arena *arena, struct mx_tuple *out)
{
    char word[8];
    if (trim(text, word, sizeof word) && strcmp(word, "None") == 0) {
        *out = (struct mx_tuple){-1, NULL};
        return true;
    }
    const int n = scan_tuple(text, none_allowed, NULL);
    if (n < 0) {
        return false;
    }
    int64_t *v = MX_ARENA_ARRAY(arena, int64_t, (size_t)n);
    if (!v) {
        return false;
    }
    scan_tuple(text, none_allowed, v);
    *out = (struct mx_tuple){n, v};
    return true;
}

static int scan_floats(const char *text, double *out)
{
    text = skip_blanks(text);
    const char close = *text == '(' ? ')' : *text == '[' ? ']' : 0;
    double v;
    int n = 0;
    text = close ? skip_blanks(text + 1) : text;
    while (*text != close) {
        if (n == MAX_TUPLE || (!close && n == 1) || !mx_scan_double(text, &text, &v)) {
            return -1;
        }
        if (out) {
            out[n] = (double)(float)v;
        }
        n++;
        text = skip_blanks(text);
        if (close && *text == ',') {
            text = skip_blanks(text + 1);
        } else if (*text != close) {
            return -1;
        }
    }
    return is_end(close ? text + 1 : text) ? n : -1;
}

static bool parse_floats(const char *text, bool none_allowed, struct mx_arena *arena, struct mx_floats *out)
{
    char word[8];
    if (none_allowed && trim(text, word, sizeof word) && strcmp(word, "None") == 0) {
        *out = (struct mx_floats){-1, NULL};
        return true;
    }
    const int n = scan_floats(text, NULL);
    if (n < 0) {
        return false;
    }
    double *v = MX_ARENA_ARRAY(arena, double, (size_t)n);
    if (!v) {
        return false;
    }
    scan_floats(text, v);
    *out = (struct mx_floats){n, v};
    return true;
}

static bool parse_enum(const char *text, const char *const *words, int *out)
{
    for (int i = 0; words[i]; i++) {
        if (strcmp(text, words[i]) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

static bool parse_dtype(const char *text, enum mx_dtype *out)
{
    if (strcmp(text, "None") == 0) {
        *out = MX_DTYPE_NONE;
        return true;
    }
    *out = mx_dtype_from_name(text);
    return *out != MX_DTYPE_NONE;
}

bool mx_attr_parse_text(const struct mx_attr *row, const char *text, struct mx_arena *arena, void *field)
{
    switch (row->kind) {
    case MX_ATTR_INT:
        return parse_int(text, field);
    case MX_ATTR_INT_NONE:
        return parse_int_or_none(text, field);
    case MX_ATTR_BOOL:
        return parse_bool(text, field);
    case MX_ATTR_BOOL_NONE:
        return parse_optional_bool(text, field);
    case MX_ATTR_FLOAT:
        return parse_float(text, field);
    case MX_ATTR_DOUBLE:
        return parse_double(text, field);
    case MX_ATTR_FLOAT_NONE:
        return parse_optional_float(text, field);
    case MX_ATTR_TUPLE:
        return parse_tuple(text, false, arena, field);
    case MX_ATTR_TUPLE_NONE:
        return parse_tuple(text, true, arena, field);
    case MX_ATTR_FLOATS:
        return parse_floats(text, false, arena, field);
    case MX_ATTR_FLOATS_NONE:
        return parse_floats(text, true, arena, field);
    case MX_ATTR_ENUM:
        return parse_enum(text, row->words, field);
    case MX_ATTR_DTYPE:
        return parse_dtype(text, field);
    case MX_ATTR_STRING:
        *(const char **)field = text;
        return true;
    }
    return false;
}

/* Describes the accepted values of a kind, for messages. */
static void describe(const struct mx_attr *row, struct mx_str *out)
{
    static const char *const kinds[] = {
        [MX_ATTR_INT] = "a whole number",
        [MX_ATTR_INT_NONE] = "a whole number or None",
        [MX_ATTR_BOOL] = "True or False",
        [MX_ATTR_BOOL_NONE] = "True, False or None",
        [MX_ATTR_FLOAT] = "a number",
        [MX_ATTR_DOUBLE] = "a number",
        [MX_ATTR_FLOAT_NONE] = "a number or None",
        [MX_ATTR_TUPLE] = "a tuple of whole numbers such as (3, 3)",
        [MX_ATTR_TUPLE_NONE] = "a tuple of whole numbers or None such as (0, None)",
        [MX_ATTR_FLOATS] = "a tuple of numbers such as (0.5, 1.0)",
        [MX_ATTR_FLOATS_NONE] = "a tuple of numbers such as (0.5, 1.0), or None",
        [MX_ATTR_ENUM] = "one of",
        [MX_ATTR_DTYPE] = "an element type such as float32",
        [MX_ATTR_STRING] = "a text",
    };
    mx_str_append(out, kinds[row->kind]);
    if (row->kind == MX_ATTR_ENUM) {
        for (int i = 0; row->words[i]; i++) {
            mx_str_printf(out, "%s \"%s\"", i ? "," : "", row->words[i]);
        }
    }
}

static int fail_value(const struct mx_attr *row, const char *text, const struct mx_node *n, struct mx_diags *diags)
{
    struct mx_str expected = {0};
    describe(row, &expected);
    const int status = mx_fail(diags, MX_FORMAT, mx_at(n, row->name), "\"%.200s\" is not %s", text,
                               expected.failed ? "of the right form" : expected.text);
    mx_str_free(&expected);
    return status;
}

static bool is_ignored(const struct mx_attr *row)
{
    return row->offset == SIZE_MAX;
}

static void warn_unknown(const struct mx_attr *table, const struct mx_node *n, struct mx_diags *diags)
{
    for (int i = 0; i < n->n_attr_text; i++) {
        const char *key = n->attr_text[i].key;
        const struct mx_attr *row = table;
        while (row->name && strcmp(row->name, key) != 0) {
            row++;
        }
        if (!row->name && !mx_starts_with(key, "__")) {
            mx_warn(diags, mx_at(n, key), "%s has no such attribute; it is ignored", n->op_name);
        }
    }
}

int mx_attrs_parse(const struct mx_node *n, struct mx_arena *arena, struct mx_diags *diags, const void **out)
{
    const struct mx_attr *table = n->op->attrs;
    char *block = mx_arena_alloc(arena, 1, n->op->attrs_size);
    MX_TRY_ALLOC(block);
    for (const struct mx_attr *row = table; row->name; row++) {
        if (is_ignored(row)) {
            continue;
        }
        const char *text = mx_node_attr_text(n, row->name);
        if (!text && !row->fallback) {
            return mx_fail(diags, MX_FORMAT, mx_at(n, row->name), "the attribute is required but not in the file");
        }
        if (!mx_attr_parse_text(row, text ? text : row->fallback, arena, block + row->offset)) {
            return arena->failed ? MX_OUT_OF_MEMORY : fail_value(row, text ? text : row->fallback, n, diags);
        }
    }
    warn_unknown(table, n, diags);
    *out = block;
    return MX_OK;
}
