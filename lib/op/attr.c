/* Converts attribute texts to values, in every form that MXNet's versions and bindings wrote and its readers accept (dmlc/parameter.h,
 * mxnet/tuple.h operator>>). */
#include "op/op.h"

#include <math.h>
#include <string.h>

#include "base/budget.h"
#include "base/num.h"
#include "base/str.h"
#include "graph/graph.h"

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

static bool is_none(const char *text)
{
    char word[8];
    return trim(text, word, sizeof word) && strcmp(word, "None") == 0;
}

static bool in_range(const struct mx_attr *row, int64_t v)
{
    return v >= row->low && v <= row->high;
}

static bool parse_int(const struct mx_attr *row, const char *text, int64_t *out)
{
    char word[64];
    return trim(text, word, sizeof word) && mx_parse_int(word, out) && in_range(row, *out);
}

static bool parse_optional_int(const struct mx_attr *row, const char *text, struct mx_opt_int *out)
{
    char word[64];
    *out = (struct mx_opt_int){false, 0};
    if (is_none(text)) {
        return true;
    }
    if (!trim(text, word, sizeof word)) {
        return false;
    }
    if (mx_ends_with(word, "L")) { /* a Python 2 long */
        word[strlen(word) - 1] = 0;
    }
    out->given = true;
    return mx_parse_int(word, &out->v) && in_range(row, out->v);
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
    out->given = !is_none(text);
    return !out->given || parse_bool(text, &out->v);
}

static bool parse_double(const char *text, double *out)
{
    char word[512];
    return trim(text, word, sizeof word) && mx_parse_double(word, out);
}

static double rounded(double v, bool single)
{
    return single ? (double)(float)v : v;
}

/* A decimal number without its sign as dmlc::stof and dmlc::stod compute it (dmlc/strtonum.h, ParseFloat). The last bit may not be that of
 * strtod: the whole part, the fraction and the power of ten are rounded one by one. A whole part of more than 19 digits overflows there,
 * too, and further digits of the fraction are ignored. What MXNet refuses because of its exponent is `nearest`. */
static double read_decimal(const char *p, bool single, double nearest)
{
    uint64_t whole = 0, fraction = 0, unit = 1;
    for (; mx_is_digit(*p); p++) {
        whole = whole * 10 + (uint64_t)(*p - '0');
    }
    double v = single ? (double)(float)whole : (double)whole;
    p += *p == '.';
    for (int n = 0; mx_is_digit(*p); p++, n++) {
        fraction = n < 19 ? fraction * 10 + (uint64_t)(*p - '0') : fraction;
        unit = n < 19 ? unit * 10 : unit;
    }
    v = rounded(v + rounded((double)fraction / (double)unit, single), single);
    if (*p != 'e' && *p != 'E') {
        return v;
    }
    int64_t exponent;
    if (!mx_scan_int(p + 1, &p, &exponent) || exponent < (single ? -38 : -308) || exponent > (single ? 38 : 308)) {
        return nearest;
    }
    double scale = 1;
    for (int64_t left = exponent < 0 ? -exponent : exponent; left > 0; left -= left < 8 ? 1 : 8) {
        scale = rounded(scale * (left < 8 ? 10 : 1e8), single);
    }
    return rounded(exponent < 0 ? v / scale : v * scale, single);
}

/* A float or double field of dmlc::Parameter. */
static bool parse_field(const char *text, bool single, double *out)
{
    double v;
    if (!parse_double(text, &v) || (isfinite(v) && isinf(rounded(v, single)))) {
        return false;
    }
    if (isfinite(v)) {
        const char *p = skip_blanks(text);
        const double size = read_decimal(p + (*p == '-' || *p == '+'), single, fabs(v));
        v = signbit(v) ? -size : size; /* for the largest float that is infinity, as in MXNet */
    }
    *out = rounded(v, single);
    return true;
}

static bool parse_optional_float(const char *text, struct mx_opt_float *out)
{
    *out = (struct mx_opt_float){!is_none(text), 0};
    return !out->given || parse_double(text, &out->v);
}

static bool is_end(const char *text)
{
    return *skip_blanks(text) == 0;
}

/* Reads an integer or None; *end is set after it, and after the L of a Python 2 long. */
static bool scan_place(const struct mx_attr *row, const char *text, const char **end, struct mx_opt_int *out)
{
    *out = (struct mx_opt_int){false, 0};
    if (row->kind == MX_ATTR_PLACES && mx_starts_with(text, "None")) {
        *end = text + 4;
        return true;
    }
    if (!mx_scan_int(text, end, &out->v) || !in_range(row, out->v)) {
        return false;
    }
    out->given = true;
    *end += **end == 'L';
    return true;
}

/* Reads element i of a list into `out`, an array of the kind's type, unless that is NULL. */
static bool scan_element(const struct mx_attr *row, const char *text, const char **end, void *out, int i)
{
    struct mx_opt_int place;
    double number;
    if (row->kind == MX_ATTR_FLOATS || row->kind == MX_ATTR_FLOATS_NONE) {
        if (!mx_scan_double(text, end, &number)) {
            return false;
        }
        if (out) {
            ((double *)out)[i] = (double)(float)number;
        }
        return true;
    }
    if (!scan_place(row, text, end, &place)) {
        return false;
    }
    if (out && row->kind == MX_ATTR_PLACES) {
        ((struct mx_opt_int *)out)[i] = place;
    } else if (out) {
        ((int64_t *)out)[i] = place.v;
    }
    return true;
}

/* Counts the elements and reads them into `out`. -1 if the text is neither a list nor a single element. */
static int scan_list(const struct mx_attr *row, const char *text, void *out)
{
    text = skip_blanks(text);
    const char close = *text == '(' ? ')' : *text == '[' ? ']' : 0;
    int n = 0;
    if (!close) {
        return scan_element(row, text, &text, out, 0) && is_end(text) ? 1 : -1;
    }
    text = skip_blanks(text + 1);
    while (*text != close) {
        if (n == MX_MAX_TUPLE || !scan_element(row, text, &text, out, n++)) {
            return -1;
        }
        text = skip_blanks(text);
        if (*text == ',') {
            text = skip_blanks(text + 1);
        } else if (*text != close) {
            return -1;
        }
    }
    return is_end(text + 1) ? n : -1;
}

/* The elements, *n of them, each of `size` bytes; NULL if the text is not a list. */
static const void *parse_list(const struct mx_attr *row, const char *text, struct mx_arena *arena, size_t size, int *n)
{
    const int count = scan_list(row, text, NULL);
    void *v = count < 0 ? NULL : mx_arena_alloc(arena, (size_t)count, size);
    *n = v ? scan_list(row, text, v) : 0;
    return v;
}

static bool parse_tuple(const struct mx_attr *row, const char *text, struct mx_arena *arena, struct mx_tuple *out)
{
    *out = (struct mx_tuple){.given = row->kind == MX_ATTR_TUPLE || !is_none(text)};
    out->v = out->given ? parse_list(row, text, arena, sizeof *out->v, &out->n) : NULL;
    return !out->given || out->v;
}

static bool parse_floats(const struct mx_attr *row, const char *text, struct mx_arena *arena, struct mx_floats *out)
{
    *out = (struct mx_floats){.given = row->kind == MX_ATTR_FLOATS || !is_none(text)};
    out->v = out->given ? parse_list(row, text, arena, sizeof *out->v, &out->n) : NULL;
    return !out->given || out->v;
}

static bool parse_places(const struct mx_attr *row, const char *text, struct mx_arena *arena, struct mx_places *out)
{
    const bool given = !is_none(text);
    *out = (struct mx_places){.n = 0};
    out->v = given ? parse_list(row, text, arena, sizeof *out->v, &out->n) : NULL;
    return !given || out->v;
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
    case MX_ATTR_INT: return parse_int(row, text, field);
    case MX_ATTR_INT_NONE: return parse_optional_int(row, text, field);
    case MX_ATTR_BOOL: return parse_bool(text, field);
    case MX_ATTR_BOOL_NONE: return parse_optional_bool(text, field);
    case MX_ATTR_FLOAT: return parse_field(text, true, field);
    case MX_ATTR_DOUBLE: return parse_field(text, false, field);
    case MX_ATTR_FLOAT_NONE: return parse_optional_float(text, field);
    case MX_ATTR_TUPLE:
    case MX_ATTR_TUPLE_NONE: return parse_tuple(row, text, arena, field);
    case MX_ATTR_PLACES: return parse_places(row, text, arena, field);
    case MX_ATTR_FLOATS:
    case MX_ATTR_FLOATS_NONE: return parse_floats(row, text, arena, field);
    case MX_ATTR_ENUM: return parse_enum(text, row->words, field);
    case MX_ATTR_DTYPE: return parse_dtype(text, field);
    case MX_ATTR_STRING: *(const char **)field = text; return true;
    }
    return false;
}

/* Describes the accepted values of a kind, for messages. */
static void describe(const struct mx_attr *row, struct mx_str *out)
{
    static const struct {
        const char *what;
        bool ranged, none;
    } kinds[] = {
        [MX_ATTR_INT] = {"an integer", true, false},
        [MX_ATTR_INT_NONE] = {"an integer", true, true},
        [MX_ATTR_BOOL] = {"True or False", false, false},
        [MX_ATTR_BOOL_NONE] = {"True, False", false, true},
        [MX_ATTR_FLOAT] = {"a number", false, false},
        [MX_ATTR_DOUBLE] = {"a number", false, false},
        [MX_ATTR_FLOAT_NONE] = {"a number", false, true},
        [MX_ATTR_TUPLE] = {"a tuple such as (3, 3) of integers", true, false},
        [MX_ATTR_TUPLE_NONE] = {"a tuple such as (3, 3) of integers", true, true},
        [MX_ATTR_PLACES] = {"a tuple such as (0, None) of integers and None", true, false},
        [MX_ATTR_FLOATS] = {"a tuple of numbers such as (0.5, 1.0)", false, false},
        [MX_ATTR_FLOATS_NONE] = {"a tuple of numbers such as (0.5, 1.0)", false, true},
        [MX_ATTR_ENUM] = {"one of", false, false},
        [MX_ATTR_DTYPE] = {"an element type such as float32", false, false},
        [MX_ATTR_STRING] = {"a text", false, false},
    };
    mx_str_append(out, kinds[row->kind].what);
    if (kinds[row->kind].ranged && row->high <= INT32_MAX) {
        mx_str_printf(out, " from %lld to %lld", (long long)row->low, (long long)row->high);
    } else if (kinds[row->kind].ranged && row->high < INT64_MAX) {
        mx_str_printf(out, " up to %lld", (long long)row->high);
    }
    for (int i = 0; row->kind == MX_ATTR_ENUM && row->words[i]; i++) {
        mx_str_printf(out, "%s \"%s\"", i ? "," : "", row->words[i]);
    }
    mx_str_append(out, kinds[row->kind].none ? " or None" : "");
}

/* Elements of what may be a list. */
static size_t count_elements(const char *text)
{
    size_t n = 0;
    for (bool inside = false; *text; text++) {
        const bool blank = *text == ' ' || *text == '(' || *text == '[' || *text == ')' || *text == ']';
        n += !inside && !blank && *text != ',';
        inside = *text != ',' && (inside || !blank);
    }
    return n;
}

static int fail_value(const struct mx_attr *row, const char *text, const struct mx_node *n, struct mx_diags *diags)
{
    const bool is_list = row->kind == MX_ATTR_TUPLE || row->kind == MX_ATTR_TUPLE_NONE || row->kind == MX_ATTR_PLACES
                         || row->kind == MX_ATTR_FLOATS || row->kind == MX_ATTR_FLOATS_NONE;
    const size_t elements = is_list ? count_elements(text) : 0;
    if (elements > MX_MAX_TUPLE) {
        return mx_fail(diags, MX_TOO_LARGE, mx_at(n, row->name), MX_SUBJECT "has %zu elements, and at most %d are possible", elements,
                       MX_MAX_TUPLE);
    }
    struct mx_str expected = {0};
    describe(row, &expected);
    const int status =
        mx_fail(diags, MX_FORMAT, mx_at(n, row->name), "\"%.200s\" is not %s", text, expected.failed ? "of the right form" : expected.text);
    mx_str_free(&expected);
    return status;
}

static bool is_ignored(const struct mx_attr *row)
{
    return row->offset == SIZE_MAX;
}

/* Attributes that are ignored share a row. A node may have as many attributes as its file has room for, so this is quick. */
static bool is_named(const struct mx_attr *row, const char *name, size_t length)
{
    const char *word = row->name;
    size_t n = strcspn(word, " ");
    while (word[n] == ' ' && (n != length || memcmp(word, name, length) != 0)) {
        word += n + 1;
        n = strcspn(word, " ");
    }
    return n == length && memcmp(word, name, length) == 0;
}

const struct mx_attr *mx_attr_row(const struct mx_op *op, const char *name, size_t length)
{
    for (size_t i = 0; i < op->n_attrs; i++) {
        if (is_named(&op->attrs[i], name, length)) {
            return &op->attrs[i];
        }
    }
    return NULL;
}

enum {
    MAX_TEXT = 1 << 18, /* limit: bytes of the text of an attribute */
    WORK = 16,          /* of parsing, per byte */
    LOOK = 32           /* of comparing the name of an attribute with one of a row */
};

/* MXNet refuses other keys. A build of MXNet that adds one gives it a meaning, which must not be left out. */
static int check_unknown(const struct mx_node *n, struct mx_budget *budget, struct mx_diags *diags)
{
    int status = MX_OK;
    for (int i = 0; i < n->n_attr_text; i++) {
        const char *key = n->attr_text[i].key;
        MX_TRY(mx_tick(budget, LOOK * (uint64_t)n->op->n_attrs));
        if (!mx_attr_row(n->op, key, strlen(key)) && !mx_attr_is_hidden(key)) {
            status = mx_fail(diags, MX_UNSUPPORTED, mx_at(n, key),
                             "MXNet's %s has no attribute of this name" MX_HELP
                             "if the results do not depend on it, remove it from the symbol file",
                             n->op_name);
        }
    }
    return status;
}

static const struct mx_attr *find_row(const struct mx_node *n, const char *name, enum mx_attr_kind kind)
{
    const struct mx_attr *row = mx_attr_row(n->op, name, strlen(name));
    return row && row->kind == kind && !is_ignored(row) ? row : NULL;
}

const void *mx_attr_field(const struct mx_node *n, const char *name, enum mx_attr_kind kind)
{
    const struct mx_attr *row = find_row(n, name, kind);
    return row ? (const char *)n->attrs + row->offset : NULL;
}

const char *mx_attr_word(const struct mx_node *n, const char *name)
{
    const struct mx_attr *row = find_row(n, name, MX_ATTR_ENUM);
    return row ? row->words[*(const int *)(const void *)((const char *)n->attrs + row->offset)] : NULL;
}

int64_t mx_attr_number(const struct mx_op *op, const void *attrs, const char *condition, size_t length)
{
    const char *equals = memchr(condition, '=', length);
    const size_t n = equals ? (size_t)(equals - condition) : length;
    const struct mx_attr *row = mx_attr_row(op, condition, n);
    const void *field = (const char *)attrs + row->offset;
    if (row->kind == MX_ATTR_ENUM) {
        const char *word = row->words[*(const int *)field];
        return equals && strlen(word) == length - n - 1 && memcmp(word, equals + 1, length - n - 1) == 0;
    }
    if (row->kind == MX_ATTR_INT) {
        return *(const int64_t *)field;
    }
    if (row->kind == MX_ATTR_BOOL_NONE) {
        const struct mx_opt_bool *b = field;
        return b->given && b->v;
    }
    return *(const bool *)field; /* a bool, or a struct that begins with it: is it given? */
}

int mx_attrs_parse(const struct mx_node *n, struct mx_arena *arena, struct mx_diags *diags, const void **out)
{
    char *block = mx_arena_alloc(arena, 1, n->op->attrs_size);
    MX_TRY_ALLOC(block);
    for (const struct mx_attr *row = n->op->attrs; row < n->op->attrs + n->op->n_attrs; row++) {
        if (is_ignored(row)) {
            continue;
        }
        MX_TRY(mx_tick(arena->budget, LOOK * (uint64_t)n->n_attr_text));
        const char *text = mx_node_attr_text(n, row->name);
        if (!text && !row->fallback) {
            return mx_fail(diags, MX_FORMAT, mx_at(n, row->name), MX_SUBJECT "is missing" MX_HELP "add it to the symbol file");
        }
        const size_t length = text ? strlen(text) : 0;
        if (length > MAX_TEXT) {
            return mx_fail(diags, MX_TOO_LARGE, mx_at(n, row->name), MX_SUBJECT "has %zu bytes, and at most %d are possible", length,
                           MAX_TEXT);
        }
        MX_TRY(mx_tick(arena->budget, WORK * (uint64_t)length));
        if (!mx_attr_parse_text(row, text ? text : row->fallback, arena, block + row->offset)) {
            return arena->failed ? MX_OUT_OF_MEMORY : fail_value(row, text ? text : row->fallback, n, diags);
        }
    }
    MX_TRY(check_unknown(n, arena->budget, diags));
    *out = block;
    return MX_OK;
}
