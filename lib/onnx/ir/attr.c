/* Reads the attributes of a node. */
#include <string.h>

#include "onnx/ir/ir.h"

int ox_count_attrs(const struct ox_attr *attrs)
{
    int n = 0;
    while (attrs && attrs[n].kind != OX_A_END) {
        n++;
    }
    return n;
}

struct ox_attr *ox_copy_attrs(struct mx_arena *a, const struct ox_attr *attrs, int spare)
{
    const int n = ox_count_attrs(attrs);
    struct ox_attr *copy = MX_ARENA_ARRAY(a, struct ox_attr, (size_t)(n + spare) + 1);
    for (int i = 0; copy && i <= n; i++) {
        copy[i] = i < n ? attrs[i] : (struct ox_attr){.kind = OX_A_END};
    }
    return copy;
}

const struct ox_attr *ox_find_attr(const struct ox_attr *attrs, const char *name)
{
    for (; attrs && attrs->kind != OX_A_END; attrs++) {
        if (strcmp(attrs->name, name) == 0) {
            return attrs;
        }
    }
    return NULL;
}

int64_t ox_attr_int(const struct ox_attr *attrs, const char *name, int64_t missing)
{
    const struct ox_attr *a = ox_find_attr(attrs, name);
    return a && (a->kind == OX_A_INT || a->kind == OX_A_DTYPE) ? a->i : missing;
}

const char *ox_attr_string(const struct ox_attr *attrs, const char *name, const char *missing)
{
    const struct ox_attr *a = ox_find_attr(attrs, name);
    return a ? a->s : missing;
}

const int64_t *ox_attr_ints(const struct ox_attr *attrs, const char *name, int *n)
{
    const struct ox_attr *a = ox_find_attr(attrs, name);
    *n = a ? a->n : 0;
    return a ? a->v : NULL;
}
