#include "onnx/schema/op.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static const char *const names[OX_OPERATORS] = {
#define OX_OPERATOR(name, ...) [OX_##name] = #name,
#include "onnx/schema/operators.inc"
#undef OX_OPERATOR
};

static const char *const attributes[OX_OPERATORS] = {
#define OX_ATTRIBUTES(name, words) [OX_##name] = (words),
#include "onnx/schema/attributes.inc"
#undef OX_ATTRIBUTES
};

static const struct {
    const char *attribute, *operators, *words;
} words[] = {
#define OX_WORDS(attribute, operators, words) {(attribute), (operators), (words)},
#include "onnx/schema/words.inc"
#undef OX_WORDS
};

const char *ox_op_attributes(enum ox_op op)
{
    return attributes[op] ? attributes[op] : "";
}

const char *ox_op_words(enum ox_op op, const char *attribute)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i].attribute, attribute) == 0 && mx_word_index(words[i].operators, names[op]) >= 0) {
            return words[i].words;
        }
    }
    return NULL;
}

const char *ox_op_name(enum ox_op op)
{
    return names[op];
}

static int compare(const void *name, const void *row)
{
    return strcmp(name, *(const char *const *)row);
}

/* The rows are sorted by name. */
enum ox_op ox_op_named(const char *name)
{
    const char *const *first = names + OX_FOREIGN + 1;
    const char *const *row = bsearch(name, first, OX_OPERATORS - OX_FOREIGN - 1, sizeof *first, compare);
    return row ? (enum ox_op)(row - names) : OX_FOREIGN;
}
