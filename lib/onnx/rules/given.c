/* Whether a node that a handler requests is one of ONNX: the rules compute with its inputs and attributes. */
#include <string.h>

#include "base/str.h"
#include "onnx/rules/rules.h"

/* ---- inputs and outputs */

static size_t count_letters(const char *letters)
{
    return !letters || strchr(letters, '*') ? SIZE_MAX : strlen(letters);
}

static bool check_count(struct ox_build *b, enum ox_op op, const char *what, size_t given, size_t least, size_t most)
{
    if (given > most || given < least) {
        ox_fail(b, NULL, "the number of %s is %zu, but ONNX's %s has %s %zu", what, given, ox_op_name(op),
                given > most ? "at most" : "at least", given > most ? most : least);
        return false;
    }
    return true;
}

bool ox_check_given_ends(struct ox_build *b, enum ox_op op, const ox_val *in, size_t n_out)
{
    const struct ox_schema *s = &ox_schemas[op];
    size_t n_in = 0;
    while (in[n_in] != OX_END) {
        n_in++;
    }
    if (!check_count(b, op, "inputs", n_in, s->needs, count_letters(s->in))
        || !check_count(b, op, "outputs", n_out, s->gives, count_letters(s->out))) {
        return false;
    }
    for (size_t i = 0; i < s->needs; i++) {
        if (in[i] == OX_NONE) {
            ox_fail(b, NULL, "input %zu is left out, but ONNX's %s needs it", i, ox_op_name(op));
            return false;
        }
    }
    const bool reads_all = s->in && strcmp(s->in, "T*") == 0;
    for (size_t i = s->needs; reads_all && i < n_in; i++) {
        if (in[i] == OX_NONE) {
            ox_fail(b, NULL, "input %zu is left out, but ONNX's %s reads all inputs" MX_HELP "give those that are there without a gap", i,
                    ox_op_name(op));
            return false;
        }
    }
    return true;
}

/* ---- attributes */

/* "a, b, c", of words without what follows a colon. */
static const char *listed(struct ox_build *b, const char *words, const char *separator)
{
    const char *text = "";
    for (const char *w = words; text && *w; w = mx_next_word(w)) {
        text = mx_arena_printf(&b->scratch, "%s%s%.*s", text, *text ? separator : "", (int)strcspn(w, ": "), w);
    }
    return text ? text : words;
}

/* The kind of the operator's attribute; 0 if it has none of this name. */
static char kind_of(struct ox_build *b, enum ox_op op, const char *name)
{
    const char *words = ox_op_attributes(op), *w = words;
    const size_t length = strlen(name);
    while (*w && (strncmp(w, name, length) != 0 || w[length] != ':')) {
        w = mx_next_word(w);
    }
    if (!*w) {
        const bool more = count_letters(ox_schemas[op].in) > ox_schemas[op].needs;
        ox_fail(b, NULL, "ONNX's %s has no attribute '%s' in its newest form, which handlers write: %s%s" MX_HELP "%s", ox_op_name(op),
                name, *words ? "its attributes are " : "it has none", listed(b, words, " "),
                more ? "an attribute of an older form may be an input of this one: give it as one" : "");
    }
    return *w ? w[length + 1] : '\0';
}

static char letter_of(const struct ox_attr *a)
{
    static const char letters[] = {
        [OX_A_INT] = 'i',    [OX_A_FLOAT] = 'f',   [OX_A_STRING] = 's', [OX_A_INTS] = 'I',
        [OX_A_FLOATS] = 'F', [OX_A_STRINGS] = 'S', [OX_A_GRAPH] = 'g',  [OX_A_DTYPE] = 'i',
    };
    return letters[a->kind];
}

static const char *value_text(struct ox_build *b, const struct ox_attr *a)
{
    struct mx_arena *arena = &b->scratch;
    const char *text = a->kind == OX_A_INT      ? mx_arena_printf(arena, "%lld", (long long)a->i)
                       : a->kind == OX_A_FLOAT  ? mx_arena_printf(arena, "%g", a->f)
                       : a->kind == OX_A_STRING ? mx_arena_printf(arena, "\"%s\"", a->s)
                                                : mx_arena_printf(arena, "a list of %d", a->n);
    return text ? text : "";
}

static bool fail_kind(struct ox_build *b, enum ox_op op, const struct ox_attr *a, char kind)
{
    static const struct {
        char kind;
        const char *name, *help;
    } kinds[] = {
        {'i', "an integer", "write it without a point, quotes and brackets"},
        {'f', "a number", "write it without quotes and brackets"},
        {'s', "a text", "write it in quotes"},
        {'I', "a list of integers", "write it in brackets, also a single one"},
        {'F', "a list of numbers", "write it in brackets, also a single one"},
        {'S', "a list of texts", "write it in brackets, also a single one"},
        {'t', "a tensor", "handlers cannot give one: add a constant and, in place of this operator, an Expand"},
        {'g', "a graph", "handlers cannot give one: use operators without bodies"},
    };
    size_t i = 0;
    const int type = kind == 'i' && a->kind == OX_A_STRING ? mx_dtype_onnx(mx_dtype_from_name(a->s)) : 0;
    if (type) {
        ox_fail(b, a->name,
                MX_SUBJECT "is %s, but ONNX has numbers for element types" MX_HELP "write %d, which is onnx.TensorProto's number",
                value_text(b, a), type);
        return false;
    }
    while (kinds[i].kind != kind) {
        i++;
    }
    ox_fail(b, a->name, MX_SUBJECT "is %s, but must be %s in ONNX's %s" MX_HELP "%s", value_text(b, a), kinds[i].name, ox_op_name(op),
            kinds[i].help);
    return false;
}

/* In JSON a float may look like an integer, and an empty list is a list of any kind. */
static bool make_kind(struct ox_build *b, enum ox_op op, struct ox_attr *a, char kind)
{
    const char given = letter_of(a);
    if (given == 'i' && kind == 'f') {
        *a = (struct ox_attr)OX_F(a->name, (double)a->i);
    } else if (given == 'I' && kind == 'S' && a->n == 0) {
        *a = (struct ox_attr)OX_SS(a->name, a->v, 0);
    } else if (given == 'I' && kind == 'F') {
        const int64_t *ints = a->v;
        double *floats = ox_scratch(b, (size_t)a->n, sizeof *floats);
        for (int i = 0; floats && i < a->n; i++) {
            floats[i] = (double)ints[i];
        }
        *a = (struct ox_attr)OX_FS(a->name, floats, a->n);
        return floats;
    }
    return letter_of(a) == kind || fail_kind(b, op, a, kind);
}

static bool check_word(struct ox_build *b, enum ox_op op, const struct ox_attr *a, const char *words, const char *word)
{
    if (mx_word_index(words, word) < 0) {
        ox_fail(b, a->name, MX_SUBJECT "is \"%s\", which ONNX's %s does not have" MX_HELP "choose one of: %s", word, ox_op_name(op),
                listed(b, words, ", "));
        return false;
    }
    return true;
}

static bool check_words(struct ox_build *b, enum ox_op op, const struct ox_attr *a)
{
    const char *words = a->kind == OX_A_STRING || a->kind == OX_A_STRINGS ? ox_op_words(op, a->name) : NULL;
    const char *const *texts = a->kind == OX_A_STRING ? &a->s : a->v;
    const int n = !words ? 0 : a->kind == OX_A_STRING ? 1 : a->n;
    for (int i = 0; i < n; i++) {
        if (!check_word(b, op, a, words, texts[i])) {
            return false;
        }
    }
    return true;
}

/* The rules have room for numbers of 32 bits, and divide by sizes. */
static bool check_numbers(struct ox_build *b, const struct ox_attr *a)
{
    static const char sizes[] = "blocksize dilations group hidden_size kernel_shape num_groups num_outputs num_scan_inputs output_height "
                                "output_shape output_width pooled_shape sample_size strides";
    const int64_t least = mx_word_index(sizes, a->name) >= 0 ? 1 : strcmp(a->name, "shape") == 0 ? 0 : INT32_MIN;
    const int64_t *list = a->kind == OX_A_INTS ? a->v : &a->i;
    const int count = a->kind == OX_A_INTS ? a->n : a->kind == OX_A_INT ? 1 : 0;
    for (int i = 0; i < count; i++) {
        if (list[i] > INT32_MAX || list[i] < least) {
            ox_fail(b, a->name, MX_SUBJECT "is %lld, but must be %lld to %d", (long long)list[i], (long long)least, INT32_MAX);
            return false;
        }
    }
    return true;
}

/* Element types are given as ONNX's numbers. */
static bool make_dtype(struct ox_build *b, struct ox_attr *a)
{
    const enum mx_dtype t = mx_dtype_from_onnx((int)a->i);
    if (t == MX_DTYPE_NONE) {
        ox_fail(b, a->name,
                MX_SUBJECT "is not the number of an element type that can be written" MX_HELP "see TensorProto.DataType in onnx.proto");
        return false;
    }
    *a = (struct ox_attr)OX_T(a->name, t);
    return true;
}

static bool check_required(struct ox_build *b, enum ox_op op, const struct ox_attr *attrs)
{
    for (const char *w = ox_op_attributes(op); *w; w = mx_next_word(w)) {
        const bool required = w[mx_word_length(w) - 1] == '!';
        const char *name = required ? mx_arena_printf(&b->scratch, "%.*s", (int)strcspn(w, ":"), w) : NULL;
        if (name && !ox_find_attr(attrs, name)) {
            ox_fail(b, name, MX_SUBJECT "is missing, but ONNX's %s needs it" MX_HELP "add it to the attributes of the node",
                    ox_op_name(op));
            return false;
        }
    }
    return true;
}

bool ox_check_given_attrs(struct ox_build *b, enum ox_op op, struct ox_attr *attrs)
{
    for (struct ox_attr *a = attrs; a && a->kind != OX_A_END; a++) {
        const char kind = kind_of(b, op, a->name);
        if (!kind || !make_kind(b, op, a, kind) || !check_words(b, op, a) || !check_numbers(b, a)
            || (mx_word_index("dtype output_datatype output_dtype to", a->name) >= 0 && !make_dtype(b, a))) {
            return false;
        }
    }
    return check_required(b, op, attrs);
}
