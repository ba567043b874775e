/* Reads the attributes of a node. */
#include <string.h>

#include "onnx/ir/ir.h"

const struct ox_attr *ox_find_attr(const struct ox_attr *attrs, const char *name)
{
    for (; attrs && attrs->kind != OX_A_END; attrs++) {
        if (strcmp(attrs->name, name) == 0) {
            return attrs;
        }
    }
    return NULL;
}

const struct ox_attr *ox_only_attr(struct mx_arena *a, struct ox_attr attr)
{
    return mx_arena_copy(a, OX_ATTRS(attr), 2, sizeof attr);
}

int64_t ox_attr_int(const struct ox_attr *attrs, const char *name, int64_t missing)
{
    const struct ox_attr *a = ox_find_attr(attrs, name);
    return a && (a->kind == OX_A_INT || a->kind == OX_A_DTYPE) ? a->i : missing;
}

const char *ox_attr_string(const struct ox_attr *attrs, const char *name, const char *missing)
{
    const struct ox_attr *a = ox_find_attr(attrs, name);
    return a && a->kind == OX_A_STRING ? a->s : missing;
}

const int64_t *ox_attr_ints(const struct ox_attr *attrs, const char *name, int *n)
{
    const struct ox_attr *a = ox_find_attr(attrs, name);
    *n = a && a->kind == OX_A_INTS ? a->n : 0;
    return a && a->kind == OX_A_INTS ? a->v : NULL;
}
