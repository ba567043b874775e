#include "onnx/schema/op.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[OX_OPERATORS] = {
#define OX_OPERATOR(name, ...) [OX_##name] = #name,
#include "onnx/schema/operators.inc"
#undef OX_OPERATOR
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
