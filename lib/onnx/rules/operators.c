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
