#include "graph/graph.h"

#include <string.h>

const char *mx_node_attr_text(const struct mx_node *n, const char *key)
{
    for (int i = n->n_attr_text - 1; i >= 0; i--) {
        if (strcmp(n->attr_text[i].key, key) == 0) {
            return n->attr_text[i].text;
        }
    }
    return NULL;
}

struct mx_where mx_at(const struct mx_node *n, const char *attribute)
{
    return mx_is_variable(n) ? (struct mx_where){.name = n->name, .attribute = attribute}
                             : (struct mx_where){.node = n->name, .op = n->op_name, .attribute = attribute};
}
