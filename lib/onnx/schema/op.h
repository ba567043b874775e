/* The operators of ONNX by symbols that the compiler knows: OX_Conv, OX_MatMul. Made from the rows of operators.inc. */
#ifndef OX_OP_H
#define OX_OP_H

#include <stdbool.h>

enum ox_op {
    OX_FOREIGN, /* an operator of another domain; not for ox_node */
#define OX_OPERATOR(name, ...) OX_##name,
#include "onnx/schema/operators.inc"
#undef OX_OPERATOR
    OX_OPERATORS,
};

#define OX_OPS(...) ((const enum ox_op[]){__VA_ARGS__, OX_FOREIGN})
static inline bool ox_op_in(enum ox_op op, const enum ox_op *list)
{
    while (*list != OX_FOREIGN && *list != op) {
        list++;
    }
    return *list != OX_FOREIGN;
}

/* The operator's name in ONNX: "Conv". */
const char *ox_op_name(enum ox_op op);
/* The attributes of its newest form, a word for each with its kind, and "!" if it is required: "axis:i! mode:s" (attributes.inc); "" if it
 * has none. */
const char *ox_op_attributes(enum ox_op op);
/* The values that a text among them may have, separated by blanks; NULL: any. */
const char *ox_op_words(enum ox_op op, const char *attribute);
/* The operator with this name; OX_FOREIGN if there is none in the table. */
enum ox_op ox_op_named(const char *name);

#endif
