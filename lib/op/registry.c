/* Looks up operators, and reads the word lists of their descriptors. */
#include "op/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The map holds non-const pointers; operators are constant nevertheless. */
static int add(struct mx_map *map, const char *name, const struct mx_op *op)
{
    union {
        const struct mx_op *constant;
        void *plain;
    } pointer = {.constant = op};
    return mx_map_set(map, name, pointer.plain);
}

static int add_names(struct mx_map *map, struct mx_arena *arena, const struct mx_op *op)
{
    MX_TRY(add(map, op->name, op));
    for (const char *w = op->alias ? op->alias : ""; *w; w = mx_next_word(w)) {
        const char *alias = mx_arena_strndup(arena, w, mx_word_length(w));
        MX_TRY_ALLOC(alias);
        MX_TRY(add(map, alias, op));
    }
    return MX_OK;
}

int mx_registry_map(struct mx_map *map, struct mx_arena *arena)
{
    for (const struct mx_op *const *table = mx_op_tables; *table; table++) {
        for (const struct mx_op *op = *table; op->name; op++) {
            MX_TRY(add_names(map, arena, op));
        }
    }
    return MX_OK;
}

size_t mx_registry_count(void)
{
    size_t n = 0;
    for (const struct mx_op *const *table = mx_op_tables; *table; table++) {
        for (const struct mx_op *op = *table; op->name; op++) {
            n++;
        }
    }
    return n;
}

const struct mx_op *mx_registry_nth(size_t i)
{
    for (const struct mx_op *const *table = mx_op_tables; *table; table++) {
        for (const struct mx_op *op = *table; op->name; op++) {
            if (i-- == 0) {
                return op;
            }
        }
    }
    return NULL;
}

/* The length of the name that a word of a list begins with. */
static size_t name_length(const char *word)
{
    return strcspn(word, " :");
}

static bool repeats(const char *word)
{
    const size_t length = name_length(word);
    return length > 3 && memcmp(word + length - 3, "...", 3) == 0;
}

/* How many inputs or outputs of a node the word stands for: 0 or 1; where it repeats, the attribute of its count, or -1 for any number. */
static int count_word(const struct mx_op *op, const void *attrs, const char *word)
{
    static const char *const forms[] = {":if(", ":unless(", ":count("};
    const char *const end = word + mx_word_length(word);
    int count = repeats(word) ? -1 : 1;
    for (const char *at = strchr(word, ':'); at && at < end && attrs; at = strchr(at + 1, ':')) {
        for (int k = 0; k < 3; k++) {
            const size_t n = strlen(forms[k]);
            if (strncmp(at, forms[k], n) == 0) {
                const int64_t number = mx_attr_number(op, attrs, at + n, strcspn(at + n, ")"));
                count = k == 2 ? mx_count(number) : (number != 0) == (k == 0) ? count : 0;
            }
        }
    }
    return count;
}

/* The sum over the list; -n: n or more. */
static int count_words(const struct mx_op *op, const void *attrs, const char *words)
{
    int n = 0;
    for (const char *w = words; *w; w = mx_next_word(w)) {
        const int count = count_word(op, attrs, w);
        if (count < 0) { /* the last word: once at least */
            return -(n + 1);
        }
        n += count;
    }
    return n;
}

static const char *input_words(const struct mx_op *op)
{
    return op->inputs ? op->inputs : "data";
}

static const char *output_words(const struct mx_op *op)
{
    return op->outputs ? op->outputs : "output";
}

int mx_op_n_inputs(const struct mx_op *op, const void *attrs)
{
    return op->n_inputs ? op->n_inputs(attrs) : count_words(op, attrs, input_words(op));
}

bool mx_op_inputs_vary(const struct mx_op *op)
{
    return op->n_inputs || strchr(input_words(op), '(');
}

int mx_op_n_outputs(const struct mx_op *op, const void *attrs)
{
    return op->n_outputs ? op->n_outputs(attrs) : count_words(op, attrs, output_words(op));
}

uint32_t mx_op_inputs_with(const struct mx_op *op, enum mx_role role)
{
    static const char *const words[] = {[MX_LEARNED] = ":learned", [MX_AUX] = ":aux", [MX_UNREAD] = ":unread", [MX_EXACT] = ":exact"};
    const char *from = input_words(op);
    uint32_t found = 0;
    int i = 0;
    for (const char *at = strstr(from, words[role]); at; at = strstr(at + 1, words[role])) {
        for (; from < at; from++) {
            i += *from == ' ';
        }
        found |= UINT32_C(1) << i;
    }
    return found;
}

/* Word i of a list, without the part after a colon; from a repeating word on, that word with a number counted from 0. */
static void word(const char *words, int i, char out[64])
{
    const char *w = words;
    for (; i > 0 && !repeats(w) && *mx_next_word(w); i--) {
        w = mx_next_word(w);
    }
    const int length = (int)name_length(w);
    if (repeats(w)) {
        snprintf(out, 64, "%.*s%d", length - 3, w, i);
    } else {
        snprintf(out, 64, "%.*s", length, w);
    }
}

void mx_op_input_name(const struct mx_op *op, int i, char out[64])
{
    word(input_words(op), i, out);
}

/* The number that the text consists of, of at most 9 digits as printf writes it; -1 if it is anything else. */
static int plain_number(const char *digits, size_t length)
{
    char text[10] = "";
    memcpy(text, digits, length < sizeof text ? length : 0);
    const bool plain = length > 0 && strspn(text, "0123456789") == length && (text[0] != '0' || length == 1);
    return plain ? (int)strtol(text, NULL, 10) : -1;
}

int mx_op_input_called(const struct mx_op *op, const char *name, size_t length)
{
    int i = 0, number = 0;
    for (const char *w = input_words(op); *w; w = mx_next_word(w), i++) {
        const bool numbered = repeats(w);
        const size_t stem = name_length(w) - (numbered ? 3 : 0);
        if (length < stem || memcmp(name, w, stem) != 0 || (!numbered && length != stem)) {
            continue;
        }
        number = numbered ? plain_number(name + stem, length - stem) : 0;
        return number < 0 ? -1 : i + number;
    }
    return -1;
}

void mx_op_output_name(const struct mx_op *op, int i, char out[64])
{
    word(output_words(op), i, out);
}
