#include <stdlib.h>
#include <string.h>

#include "onnx/rules/rows.h"

#define OX_OPERATOR(name_, since_, in_, out_, ...)                                                                                         \
    [OX_##name_] = {.name = #name_, .since = (since_), .in = (in_), .out = (out_), .rule = __VA_ARGS__},
/* clang-format off: two initialisers */
#define OLDER(...)                                                                                                                         \
    .older_than = (const struct ox_change[])                                                                                               \
    {                                                                                                                                      \
        __VA_ARGS__,                                                                                                                       \
        {                                                                                                                                  \
            0                                                                                                                              \
        }                                                                                                                                  \
    }
/* clang-format on */
#define MOVED(input_, name_, since_) {.kind = OX_MOVED, .name = (name_), .since = (since_), .input = (input_)}
#define LATER(name_, since_, number_) {.kind = OX_LATER, .name = (name_), .since = (since_), .number = (number_)}
#define LATER_WORD(name_, since_, word_) {.kind = OX_LATER, .name = (name_), .since = (since_), .word = (word_)}
/* clang-format off: an initialiser */
#define RENAMED(name_, since_, word_, before_)                                                                                             \
    {                                                                                                                                      \
        .kind = OX_RENAMED, .name = (name_), .since = (since_), .word = (word_), .before = (before_)                                       \
    }
/* clang-format on */
#define DROPPED(name_, since_) {.kind = OX_DROPPED, .name = (name_), .since = (since_)}
#define NO_WORD(name_, since_, word_) {.kind = OX_NO_WORD, .name = (name_), .since = (since_), .word = (word_)}

const struct ox_schema ox_schemas[OX_OPERATORS] = {
#include "onnx/schema/operators.inc"
};

static const struct {
    const char *all, *floats;
} attributes[OX_OPERATORS] = {
#define OX_ATTRIBUTES(name, all, floats) [OX_##name] = {(all), (floats)},
#include "onnx/schema/attributes.inc"
#undef OX_ATTRIBUTES
};

const char *ox_op_attributes(enum ox_op op)
{
    return attributes[op].all ? attributes[op].all : "";
}

const char *ox_op_floats(enum ox_op op)
{
    return attributes[op].floats ? attributes[op].floats : "";
}

const char *ox_op_name(enum ox_op op)
{
    return ox_schemas[op].name;
}

static int compare(const void *name, const void *row)
{
    return strcmp(name, ((const struct ox_schema *)row)->name);
}

/* The rows are sorted by name. */
enum ox_op ox_op_named(const char *name)
{
    const struct ox_schema *first = ox_schemas + OX_FOREIGN + 1;
    const struct ox_schema *row = bsearch(name, first, OX_OPERATORS - OX_FOREIGN - 1, sizeof *first, compare);
    return row ? (enum ox_op)(row - ox_schemas) : OX_FOREIGN;
}
