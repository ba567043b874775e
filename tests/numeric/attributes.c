/* Prints the attribute tables of all operators, for test_attributes.py: a line of the operator's names, then for each
 * attribute a line of a tab, name, kind, default ("-": none) and words, with tabs between them. */
#include <stdint.h>
#include <stdio.h>

#include "op/registry.h"

static const char *const kinds[] = {
    [MX_ATTR_INT] = "int",          [MX_ATTR_INT_NONE] = "int", [MX_ATTR_BOOL] = "bool",        [MX_ATTR_BOOL_NONE] = "bool",
    [MX_ATTR_FLOAT] = "float",      [MX_ATTR_DOUBLE] = "float", [MX_ATTR_FLOAT_NONE] = "float", [MX_ATTR_TUPLE] = "tuple",
    [MX_ATTR_TUPLE_NONE] = "tuple", [MX_ATTR_PLACES] = "tuple", [MX_ATTR_FLOATS] = "floats",    [MX_ATTR_FLOATS_NONE] = "floats",
    [MX_ATTR_ENUM] = "enum",        [MX_ATTR_DTYPE] = "dtype",  [MX_ATTR_STRING] = "string",
};

int main(void)
{
    for (size_t i = 0; i < mx_registry_count(); i++) {
        const struct mx_op *op = mx_registry_nth(i);
        printf("%s %s\n", op->name, op->alias ? op->alias : "");
        for (size_t r = 0; r < op->n_attrs; r++) {
            const struct mx_attr *row = &op->attrs[r];
            if (row->offset == SIZE_MAX) {
                continue; /* means nothing at inference */
            }
            printf("\t%s\t%s\t%s\t", row->name, kinds[row->kind], row->fallback ? row->fallback : "-");
            for (const char *const *word = row->words; word && *word; word++) {
                printf("%s%s", word == row->words ? "" : " ", *word);
            }
            printf("\n");
        }
    }
    return 0;
}
