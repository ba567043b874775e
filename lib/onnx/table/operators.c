#include <string.h>

#include "onnx/table/rows.h"

#define OX_OPERATOR(name_, since_, in_, out_, ...)                                                                       \
    [OX_##name_] = {.name = #name_, .since = (since_), .in = (in_), .out = (out_), .rule = __VA_ARGS__},
#define OLDER(...) .older_than = (const struct ox_change[]){__VA_ARGS__, {0}}
#define MOVED(input_, name_, since_) {.kind = OX_MOVED, .name = (name_), .since = (since_), .input = (input_)}
#define LATER(name_, since_, number_) {.kind = OX_LATER, .name = (name_), .since = (since_), .number = (number_)}
#define LATER_WORD(name_, since_, word_) {.kind = OX_LATER, .name = (name_), .since = (since_), .word = (word_)}
#define RENAMED(name_, since_, word_, before_)                                                                           \
    {.kind = OX_RENAMED, .name = (name_), .since = (since_), .word = (word_), .before = (before_)}
#define DROPPED(name_, since_) {.kind = OX_DROPPED, .name = (name_), .since = (since_)}
#define NO_WORD(name_, since_, word_) {.kind = OX_NO_WORD, .name = (name_), .since = (since_), .word = (word_)}

const struct ox_schema ox_schemas[OX_OPERATORS] = {
#include "onnx/table/operators.inc"
};

const char *ox_op_name(enum ox_op op)
{
    return ox_schemas[op].name;
}

/* The rows are sorted by name. */
enum ox_op ox_op_named(const char *name)
{
    int low = OX_FOREIGN + 1;
    int high = OX_OPERATORS;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const int order = strcmp(name, ox_schemas[middle].name);
        if (order == 0) {
            return (enum ox_op)middle;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return OX_FOREIGN;
}
